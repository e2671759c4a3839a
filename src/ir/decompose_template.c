// Decompositions of the ops that take a shape from a template. Shapes are known here, so a template
// leaves nothing behind but the shape; where nothing changes, the value itself is the result.
#include "ir/decompose_emit.h"

static tl_value zero(tl_builder *b, tl_dtype dtype) {
  return tlo_constant_i64(b, tl_type_scalar(dtype), 0);
}

// Sums what broadcasting repeated: leading dims, and dims of 1.
tl_value tl_emit_SUM_TO(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_type t = x[0]->type, out = x[1]->type;
  int64_t dims[TL_MAX_RANK];
  uint32_t lead = t.rank - out.rank, n = 0;
  for (uint32_t d = 0; d < t.rank; d++)
    if (d < lead || (out.dims[d - lead] == 1 && t.dims[d] != 1)) dims[n++] = d;
  if (n == 0) return x[0];
  tl_value y = tlo_reduce(b, x[0], zero(b, t.dtype), dims, n, TL_OP_ADD);
  if (tl_value_type(y).rank == out.rank) return y;
  return tlo_reshape(b, y, out.dims, out.rank);
}

tl_value tl_emit_BROADCAST_LIKE(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type, out = op->results[0]->type;
  int64_t dims[TL_MAX_RANK];
  if (tl_type_eq(t, out)) return x[0];
  for (uint32_t d = 0; d < t.rank; d++)
    dims[d] = out.rank - t.rank + d;
  return tlo_broadcast(b, x[0], out, dims);
}

// x at `low` of zeros of type `out`.
static tl_value placed(tl_builder *b, tl_value x, tl_type out, const int64_t *low) {
  int64_t high[TL_MAX_RANK], interior[TL_MAX_RANK] = {0};
  if (tl_type_eq(x->type, out)) return x;
  for (uint32_t d = 0; d < out.rank; d++)
    high[d] = tl_emit_dim_sub(b, out.dims[d], tl_emit_dim_add(b, low[d], x->type.dims[d]));
  return tlo_pad_sized(b, x, zero(b, out.dtype), low, high, interior, out);
}

static tl_value cut(tl_builder *b, tl_value x, tl_type out, const int64_t *low) {
  int64_t limit[TL_MAX_RANK];
  if (tl_type_eq(x->type, out)) return x;
  for (uint32_t d = 0; d < out.rank; d++)
    limit[d] = tl_emit_dim_add(b, low[d], out.dims[d]);
  return tlo_slice(b, x, low, limit, NULL);
}

static void low_of(tl_i64s list, uint32_t rank, int64_t *out) {
  for (uint32_t d = 0; d < rank; d++)
    out[d] = list.len == 0 ? 0 : list.ptr[d];
}

tl_value tl_emit_PAD_TO(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t low[TL_MAX_RANK];
  low_of(tl_op_list(op, TL_A_PAD_TO_low), x[0]->type.rank, low);
  return placed(b, x[0], op->results[0]->type, low);
}

tl_value tl_emit_SLICE_AT(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t low[TL_MAX_RANK];
  low_of(tl_op_list(op, TL_A_SLICE_AT_low), x[0]->type.rank, low);
  return cut(b, x[0], op->results[0]->type, low);
}

static void behind_priors(tl_builder *b, const tl_op *op, const tl_value *x, int64_t axis,
                          int64_t *low) {
  for (uint32_t d = 0; d < x[0]->type.rank; d++)
    low[d] = 0;
  for (uint32_t i = 2; i < op->n_operands; i++)
    low[axis] = tl_emit_dim_add(b, low[axis], x[i]->type.dims[axis]);
}

tl_value tl_emit_SLICE_LIKE(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t low[TL_MAX_RANK];
  behind_priors(b, op, x, tl_op_i64(op, TL_A_SLICE_LIKE_axis), low);
  return cut(b, x[0], op->results[0]->type, low);
}

tl_value tl_emit_PAD_LIKE(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t low[TL_MAX_RANK];
  behind_priors(b, op, x, tl_op_i64(op, TL_A_PAD_LIKE_axis), low);
  return placed(b, x[0], op->results[0]->type, low);
}

tl_value tl_emit_ZEROS_LIKE(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_value none = zero(b, x[0]->type.dtype);
  return x[0]->type.rank == 0 ? none : tlo_broadcast(b, none, x[0]->type, NULL);
}

// What it says is for derivatives alone.
tl_value tl_emit_STOP_GRADIENT(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)b, (void)op;
  return x[0];
}

// What differs was refused by the type rule.
tl_value tl_emit_CHECK_SHAPE_LIKE(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)b, (void)op;
  return x[0];
}

// 0 and 1 do not multiply, so that what is cut off may be anything.
static tl_value scaled(tl_builder *b, tl_value x, double scale) {
  if (scale == 1) return x;
  tl_value fill = tl_emit_fill(b, x->type, scale);
  return scale == 0 ? fill : tlo_mul(b, x, fill);
}

tl_value tl_emit_TRIANGLE(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type, numbers = tl_type_with(t, TL_DTYPE_S32);
  tl_value column = tlo_iota(b, numbers, (int64_t)t.rank - 1), row = NULL;
  row = tlo_iota(b, numbers, (int64_t)t.rank - 2);
  tl_value from = tlo_sub(b, column, row), diagonal = NULL;
  diagonal = tl_emit_fill(b, numbers, (double)tl_op_i64(op, TL_A_TRIANGLE_diagonal));
  tl_value below = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, from, diagonal), on = NULL;
  on = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, from, diagonal);
  tl_value lower = scaled(b, x[0], tl_op_f64(op, TL_A_TRIANGLE_lower_scale)), rest = NULL;
  rest = scaled(b, x[0], tl_op_f64(op, TL_A_TRIANGLE_upper_scale));
  tl_value middle = scaled(b, x[0], tl_op_f64(op, TL_A_TRIANGLE_diagonal_scale));
  rest = tlo_select(b, on, middle, rest);
  return tlo_select(b, below, lower, rest);
}
