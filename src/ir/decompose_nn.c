// Decompositions of the ops of a network that are plain arithmetic: norm, rotation, softmax,
// gate.
//
// Legend: T tokens, H heads, D elements a head, n elements normalised together. The order of the
// ops is part of each decomposition: it is what a reader compares, and what published texts have;
// so no call here has two arguments that emit, because C leaves their order open.
#include "ir/decompose_emit.h"

#include <math.h>

static const int64_t leading[TL_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

tl_value tl_emit_fill(tl_builder *b, tl_type type, double value) {
  tl_value one = tlo_constant_f64(b, tl_type_scalar(type.dtype), value);
  return type.rank == 0 ? one : tlo_broadcast(b, one, type, NULL);
}

tl_value tl_emit_fill_size(tl_builder *b, tl_type type, int64_t dim) {
  tl_value one = tlo_size(b, dim, type.dtype);
  return type.rank == 0 ? one : tlo_broadcast(b, one, type, NULL);
}

// x * rsqrt(sum(x^2) / n + eps) * weight, left to right.
tl_value tl_emit_RMS_NORM(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type;
  int64_t last = t.rank - 1;
  tl_type rows = {t.dtype, t.rank - 1, t.dims};
  tl_value square = tlo_mul(b, x[0], x[0]);
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(t.dtype), 0);
  tl_value sum = tlo_reduce(b, square, zero, &last, 1, TL_OP_ADD);
  tl_value mean = tlo_div(b, sum, tl_emit_fill_size(b, rows, t.dims[last]));
  tl_value scale = tlo_unary(
      b, TL_OP_RSQRT, tlo_add(b, mean, tl_emit_fill(b, rows, tl_op_f64(op, TL_A_RMS_NORM_eps))));
  tl_value y = tlo_mul(b, x[0], tlo_broadcast(b, scale, t, leading));
  return tlo_mul(b, y, tlo_broadcast(b, x[1], t, &last));
}

// The halves a, b of each head turn by the angle of their token's position: a cos - b sin, b cos +
// a sin.
tl_value tl_emit_ROPE(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_type t = x[0]->type; // [T, H, D]
  int64_t T = t.dims[0], H = t.dims[1], half = tl_emit_dim_over(b, t.dims[2], 2);
  tl_type half_type = {t.dtype, 3, (int64_t[]){T, H, half}};
  tl_value c = tlo_take_rows(b, x[1], x[3]), s = tlo_take_rows(b, x[2], x[3]); // [T, D/2]
  c = tlo_broadcast(b, c, half_type, (int64_t[]){0, 2});
  s = tlo_broadcast(b, s, half_type, (int64_t[]){0, 2});
  tl_value lo = tlo_slice(b, x[0], (int64_t[]){0, 0, 0}, (int64_t[]){T, H, half}, NULL);
  tl_value hi = tlo_slice(b, x[0], (int64_t[]){0, 0, half}, (int64_t[]){T, H, t.dims[2]}, NULL);
  tl_value lo_cos = tlo_mul(b, lo, c), hi_sin = tlo_mul(b, hi, s);
  tl_value first = tlo_sub(b, lo_cos, hi_sin);
  tl_value hi_cos = tlo_mul(b, hi, c), lo_sin = tlo_mul(b, lo, s);
  return tlo_concat(b, (tl_value[]){first, tlo_add(b, hi_cos, lo_sin)}, 2, 2);
}

tl_value tl_emit_softmax(tl_builder *b, tl_value x, int64_t axis) {
  tl_type t = tl_value_type(x);
  tl_type scalar = tl_type_scalar(t.dtype);
  int64_t kept[TL_MAX_RANK];
  for (uint32_t d = 0, n = 0; d < t.rank; d++)
    if (d != axis) kept[n++] = d;
  tl_value low = tlo_constant_f64(b, scalar, -HUGE_VAL);
  tl_value max = tlo_broadcast(b, tlo_reduce(b, x, low, &axis, 1, TL_OP_MAXIMUM), t, kept);
  tl_value e = tlo_unary(b, TL_OP_EXPONENTIAL, tlo_sub(b, x, max));
  tl_value zero = tlo_constant_f64(b, scalar, 0);
  tl_value sum = tlo_broadcast(b, tlo_reduce(b, e, zero, &axis, 1, TL_OP_ADD), t, kept);
  return tlo_div(b, e, sum);
}

tl_value tl_emit_SOFTMAX(tl_builder *b, const tl_op *op, const tl_value *x) {
  return tl_emit_softmax(b, x[0], tl_op_i64(op, TL_A_SOFTMAX_axis));
}

tl_value tl_emit_SWIGLU(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  return tlo_mul(b, tlo_mul(b, x[0], tlo_unary(b, TL_OP_LOGISTIC, x[0])), x[1]);
}
