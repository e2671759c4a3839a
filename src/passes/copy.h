// A module again, with changes: what every pass here ends with.
#ifndef TL_PASSES_COPY_H
#define TL_PASSES_COPY_H

#include "ir/ir.h"
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

#endif
