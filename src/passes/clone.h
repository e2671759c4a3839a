// Copies of ops and blocks within one module: what a rewriting in place and a derivative are made
// with.
#ifndef TL_PASSES_CLONE_H
#define TL_PASSES_CLONE_H

#include "ir/build.h"
#include "ir/value_map.h"

// Old value -> new value. A value that is absent stands for itself: it is free in a region.
typedef struct tl_env { // zero-initialise; deinit when done
  tl_value_map map;
} tl_env;
void tl_env_deinit(tl_env *e);
void tl_env_put(tl_builder *b, tl_env *e, tl_value old, tl_value now);
tl_value tl_env_get(const tl_env *e, tl_value old);
// A copy of `op` at b, with its regions, reading what its operands stand for; results are put into
// e.
tl_op *tl_clone(tl_builder *b, tl_env *e, const tl_op *op);
// A copy whose operands are `operands` instead (attributes and regions shared in meaning, copied in
// fact); `types` NULL: inferred where the rule can, else the old ones.
tl_op *tl_clone_with(tl_builder *b, const tl_op *op, const tl_value *operands,
                     const tl_type *types);
// Copies of op's regions for `now`, an op that is not finished, reading what e says.
void tl_clone_regions(tl_builder *b, tl_env *e, tl_op *now, const tl_op *op);
// The ops of `block` at b but the terminator; what it returns stands in out
// [block->last->n_operands].
void tl_clone_block(tl_builder *b, tl_env *e, const tl_block *block, tl_value *out);
// The values that the regions of `op` read from outside, each once, in order of first use; *out_n
// of them, in the module's arena.
tl_value *tl_free_values(tl_builder *b, const tl_op *op, uint32_t *out_n);

// n NULLs in the module's arena; NULL and the error in b when memory is gone.
tl_value *tl_room(tl_builder *b, size_t n);
bool *tl_flags(tl_builder *b, size_t n); // likewise

#endif
