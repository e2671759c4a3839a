// Decompositions of norms over a batch or a row, of attention over whole sequences, and of the
// gated network behind it.
//
// Both norms take the mean off first and then the mean of the squares, which loses nothing where
// the mean is large; the mean of x^2 less the square of the mean would.
#include "ir/decompose_emit.h"

#include <math.h>

static tl_value mean_over(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n) {
  tl_type t = tl_value_type(x);
  int64_t count = 1;
  for (uint32_t i = 0; i < n; i++)
    count = tl_emit_dim_mul(b, count, t.dims[dims[i]]);
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(t.dtype), 0);
  tl_value sum = tlo_reduce(b, x, zero, dims, n, TL_OP_ADD);
  return tlo_div(b, sum, tl_emit_fill_size(b, tl_value_type(sum), count));
}

// (x - mean) * rsqrt(variance + eps), both over these dims.
static tl_value normalised(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n, double eps) {
  tl_type t = x->type;
  tl_value mean = mean_over(b, x, dims, n);
  tl_value rest = tlo_sub(b, x, tl_emit_spread(b, mean, t, dims, n));
  tl_value variance = mean_over(b, tlo_mul(b, rest, rest), dims, n);
  tl_value more = tlo_add(b, variance, tl_emit_fill(b, tl_value_type(variance), eps));
  tl_value scale = tlo_unary(b, TL_OP_RSQRT, more);
  return tlo_mul(b, rest, tl_emit_spread(b, scale, t, dims, n));
}

tl_value tl_emit_BATCH_NORM(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type;
  int64_t axis = tl_op_i64(op, TL_A_BATCH_NORM_axis), dims[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < t.rank; d++)
    if (d != axis) dims[n++] = d;
  tl_value y = normalised(b, x[0], dims, n, tl_op_f64(op, TL_A_BATCH_NORM_eps));
  y = tlo_mul(b, y, tlo_broadcast(b, x[1], t, &axis));
  return tlo_add(b, y, tlo_broadcast(b, x[2], t, &axis));
}

tl_value tl_emit_LAYER_NORM(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type;
  int64_t last = (int64_t)t.rank - 1;
  tl_value y = normalised(b, x[0], &last, 1, tl_op_f64(op, TL_A_LAYER_NORM_eps));
  y = tlo_mul(b, y, tlo_broadcast(b, x[1], t, &last));
  return op->n_operands < 3 ? y : tlo_add(b, y, tlo_broadcast(b, x[2], t, &last));
}

// x [..., G, S, D], every head as often as `heads` asks for: [..., heads, S, D].
static tl_value repeat_heads(tl_builder *b, tl_value x, int64_t heads) {
  const tl_type t = tl_value_type(x);
  const uint32_t at = t.rank < 3 ? 0 : t.rank - 3;
  if (t.rank < 3 || t.dims[at] == heads || t.dims[at] <= 0 || heads <= 0) return x; // or symbols
  int64_t dims[TL_MAX_RANK + 1], from[TL_MAX_RANK];
  for (uint32_t d = 0; d < t.rank; d++) {
    from[d] = d + (d > at);
    dims[from[d]] = t.dims[d];
  }
  dims[at + 1] = heads / t.dims[at];
  x = tlo_broadcast(b, x, tl_type_of(b->m->arena, t.dtype, dims, t.rank + 1), from);
  memcpy(dims, t.dims, t.rank * sizeof *dims);
  dims[at] = heads;
  return tlo_reshape(b, x, dims, t.rank);
}

tl_value tl_emit_SCALED_DOT_PRODUCT_ATTENTION(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t batch[TL_MAX_RANK], last = (int64_t)x[0]->type.rank - 1, rows = last - 1;
  for (int64_t d = 0; d < rows; d++)
    batch[d] = d;
  const int64_t heads = rows > 0 ? x[0]->type.dims[rows - 1] : 1;
  const tl_value keys = repeat_heads(b, x[1], heads), values = repeat_heads(b, x[2], heads);
  tl_value s = tlo_dot(b, x[0], keys, batch, batch, (uint32_t)rows, &last, &last, 1); // [..., T, S]
  tl_type t = tl_value_type(s);
  double scale = tl_op_f64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale);
  s = tlo_mul(b, s, tl_emit_fill(b, t, scale));
  if (tl_op_i64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_causal)) {
    tl_type numbers = tl_type_with(t, TL_DTYPE_S32);
    tl_value query = tlo_iota(b, numbers, rows), key = NULL;
    key = tlo_iota(b, numbers, last);
    tl_value seen = tlo_compare(b, TL_COMPARISON_DIRECTION_LE, key, query);
    s = tlo_select(b, seen, s, tl_emit_fill(b, t, -HUGE_VAL));
  }
  tl_value p = tl_emit_softmax(b, s, last);
  return tlo_dot(b, p, values, batch, batch, (uint32_t)rows, &last, &rows, 1);
}

tl_value tl_emit_TRANSFORMER_MLP(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  const int64_t last = (int64_t)x[0]->type.rank - 1, first = 0;
  tl_value gate = tlo_dot(b, x[0], x[1], NULL, NULL, 0, &last, &first, 1);
  tl_value up = tlo_dot(b, x[0], x[2], NULL, NULL, 0, &last, &first, 1);
  tl_value h = tlo_mul(b, tlo_mul(b, gate, tlo_unary(b, TL_OP_LOGISTIC, gate)), up);
  return tlo_dot(b, h, x[3], NULL, NULL, 0, &last, &first, 1);
}
