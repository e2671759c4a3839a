// A module again, with changes: what every pass here ends with.
#ifndef TL_PASSES_COPY_H
#define TL_PASSES_COPY_H

#include "ir/build.h"
#include "ir/ptr_map.h"

typedef struct tl_copy_options {
  bool calls; // calls and composites become their callees' bodies; public functions stay
  bool named; // named ops become their decompositions
  const tl_ptr_map *skip; // ops and functions to leave out; NULL: none
  const tl_ptr_map *same; // value -> the value that stands for it, itself not replaced; NULL: none
} tl_copy_options;

// A new module that owns everything it refers to. `m` is verified. Nothing that is kept may use
// what is skipped and not replaced.
tl_status tl_module_copy(const tl_module *m, const tl_copy_options *options,
                         tl_module **out_module);

// Locations in a new module: files are copied once while they do not change.
typedef struct tl_loc_copier {
  const char *old_file, *new_file; // the last one, and its copy
} tl_loc_copier;
tl_loc tl_copy_loc(tl_loc_copier *c, tl_module *to, tl_loc loc);

// The attributes of `old` for `new`, an op of the same kind in the builder's module.
void tl_copy_attrs(tl_builder *b, tl_op *new, const tl_op *old);
// What arguments, results and modules carry besides their types.
tl_status tl_copy_arg_info(tl_arena *arena, tl_arg_info *new, const tl_arg_info *old);
tl_status tl_copy_result_shardings(tl_arena *arena, tl_func *new, const tl_func *old);
tl_status tl_copy_meshes(tl_module *to, const tl_module *from);

#endif
