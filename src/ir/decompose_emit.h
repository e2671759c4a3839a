// Private to the decompositions: one emitter a named op, called tl_emit_<ID>, and what they share.
#ifndef TL_IR_DECOMPOSE_EMIT_H
#define TL_IR_DECOMPOSE_EMIT_H

#include "ir/decompose.h"

// x: the operands to read instead of the op's own, of the same types. An op of one result has an
// emitter that returns it, so that it reads like its formula; an op of n results, by the `out`
// column of its row, has one that fills y [n].
typedef tl_value tl_emit_fn(tl_builder *b, const tl_op *op, const tl_value *x);
typedef void tl_emit_n_fn(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y);
#define TL_EMIT_1(id) tl_emit_fn tl_emit_##id;
#define TL_EMIT_2(id) tl_emit_n_fn tl_emit_##id;
#define TL_EMIT_3(id) tl_emit_n_fn tl_emit_##id;
#define TL_EMIT_4(id) tl_emit_n_fn tl_emit_##id;
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax)
#define TL_NAMED_OP(id, mnemonic, in, out, regions, traits, rule, syntax) TL_EMIT_##out(id)
#include "ir/ops.def"
#undef TL_OP
#undef TL_EMIT_1
#undef TL_EMIT_2
#undef TL_EMIT_3
#undef TL_EMIT_4

// exp(x - max) / sum over one dim.
tl_value tl_emit_softmax(tl_builder *b, tl_value x, int64_t axis);
// v, which is x without `n` of its dims, at every place of those dims again: of type t.
tl_value tl_emit_spread(tl_builder *b, tl_value v, tl_type t, const int64_t *dims, size_t n);
// The logarithm of that, as op_docs.def says it.
tl_value tl_emit_log_softmax(tl_builder *b, tl_value x, int64_t axis);
// The index into [0, n-1].
tl_value tl_emit_clamp_index(tl_builder *b, tl_value index, int64_t n);
// scatter whose region adds; dimension numbers are the caller's.
tl_op *tl_emit_scatter_add_begin(tl_builder *b, tl_value base, tl_value indices, tl_value updates);
// Both sides of a product of bf16 in AMX's order, as f32: rows times 2^64, those below 2^-50 zero,
// and weights, the subnormal ones zero. Then [n, k] of either as [n, runs, TL_BF16_RUN / 2, even
// and odd], zeros behind the last element.
tl_value tl_emit_bf16_rows(tl_builder *b, tl_value x);
tl_value tl_emit_bf16_weights(tl_builder *b, tl_value w);
tl_value tl_emit_bf16_runs(tl_builder *b, tl_value x, int64_t runs);
// [from, to) of one dim, everything of the others; NULL of NULL.
tl_value tl_emit_part(tl_builder *b, tl_value x, uint32_t dim, int64_t from, int64_t to);
// Dims and their number, of what is written out.
#define TL_EMIT_DIMS(...) \
  (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
// The sum over one dim, which becomes 1, an element after the other from zero.
tl_value tl_emit_fold(tl_builder *b, tl_value x, uint32_t dim);
// One number in every element of `type`.
tl_value tl_emit_fill(tl_builder *b, tl_type type, double value);
// A size that is a dim, perhaps no number, in every element of `type`: what a mean divides by.
tl_value tl_emit_fill_size(tl_builder *b, tl_type type, int64_t dim);
// dim.h's arithmetic; where that has no answer the builder fails.
int64_t tl_emit_dim_add(tl_builder *b, int64_t x, int64_t y);
int64_t tl_emit_dim_sub(tl_builder *b, int64_t x, int64_t y);
int64_t tl_emit_dim_mul(tl_builder *b, int64_t x, int64_t y);
int64_t tl_emit_dim_min(tl_builder *b, int64_t x, int64_t y);
int64_t tl_emit_dim_over(tl_builder *b, int64_t x, int64_t by); // by divides x
// Whether one of them is 0, of any sizes.
static inline bool tl_emit_none(int64_t x, int64_t y, int64_t z) {
  return x == 0 || y == 0 || z == 0;
}
// A place of another module, with the file's name in this one's arena (unknown when memory is
// gone).
tl_loc tl_decompose_loc(tl_module *m, tl_loc loc);
// The type with another element type.
static inline tl_type tl_type_with(tl_type t, tl_dtype dtype) {
  t.dtype = dtype;
  return t;
}

#endif
