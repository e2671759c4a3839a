// Private to the decompositions: one emitter a named op, called emit_<ID>, and what they share.
#ifndef TL_PASSES_DECOMPOSE_EMIT_H
#define TL_PASSES_DECOMPOSE_EMIT_H

#include "passes/decompose.h"

// x: the operands to read instead of the op's own, of the same types.
typedef tl_value tl_emit_fn(tl_builder *b, const tl_op *op, const tl_value *x);
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax)
#define TL_NAMED_OP(id, mnemonic, in, out, regions, traits, rule, syntax) tl_emit_fn tl_emit_##id;
#include "ir/ops.def"
#undef TL_OP

// exp(x - max) / sum over one dim.
tl_value tl_emit_softmax(tl_builder *b, tl_value x, int64_t axis);
// One number in every element of `type`.
tl_value tl_emit_fill(tl_builder *b, tl_type type, double value);
// A place of another module, with the file's name in this one's arena (unknown when memory is
// gone).
tl_loc tl_decompose_loc(tl_module *m, tl_loc loc);
// The type with another element type.
static inline tl_type tl_type_with(tl_type t, tl_dtype dtype) {
  t.dtype = dtype;
  return t;
}

#endif
