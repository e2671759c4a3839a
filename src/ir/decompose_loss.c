// Decompositions of reductions and losses, and of reading and adding by an index.
//
// log_softmax is where a loss lives or dies. Once the largest logit leads by 17 (f32) or 37 (f64),
// log(sum of exp(x - max)) is the logarithm of a rounded 1: zero, and so is the loss of a row that
// is almost right. Here the largest element's own term, which is exactly 1, stays out of the sum S
// of the others, and log1p(S) keeps S however small it is. Of several largest elements one, the
// first, is left out.
#include "ir/decompose_emit.h"

#include <math.h>

tl_value tl_emit_spread(tl_builder *b, tl_value v, tl_type t, const int64_t *dims, size_t n) {
  int64_t kept[TL_MAX_RANK];
  uint32_t n_kept = 0;
  for (uint32_t d = 0; d < t.rank; d++) {
    bool gone = false;
    for (size_t i = 0; i < n; i++)
      gone |= dims[i] == d;
    if (!gone) kept[n_kept++] = d;
  }
  t.dtype = tl_value_type(v).dtype;
  return tlo_broadcast(b, v, t, kept);
}

static tl_value reduce_sum(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n) {
  return tlo_reduce(b, x, tlo_constant_f64(b, tl_type_scalar(tl_value_type(x).dtype), 0), dims, n,
                    TL_OP_ADD);
}

// The least number of a type: what a maximum begins with.
static tl_value lowest(tl_builder *b, tl_dtype dtype) {
  const tl_dtype_info *info = tl_dtype_get(dtype);
  tl_type scalar = tl_type_scalar(dtype);
  if (info->kind == TL_KIND_FLOAT) return tlo_constant_f64(b, scalar, -HUGE_VAL);
  if (info->kind == TL_KIND_UINT) return tlo_constant_i64(b, scalar, 0);
  return tlo_constant_i64(b, scalar, (int64_t)(UINT64_MAX << (info->size * 8 - 1)));
}

// The largest along one dim, and the number of the first that equals it; a NaN is largest.
static tl_value first_largest(tl_builder *b, tl_value x, int64_t axis, tl_value *out_max) {
  tl_type t = x->type, numbers = tl_type_with(t, TL_DTYPE_S32),
          scalar = tl_type_scalar(TL_DTYPE_S32);
  tl_value max = tlo_reduce(b, x, lowest(b, t.dtype), &axis, 1, TL_OP_MAXIMUM);
  tl_value is = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x, tl_emit_spread(b, max, t, &axis, 1));
  if (tl_dtype_get(t.dtype)->kind == TL_KIND_FLOAT)
    is = tlo_binary(b, TL_OP_OR, is, tlo_compare(b, TL_COMPARISON_DIRECTION_NE, x, x));
  tl_value number = tlo_iota(b, numbers, axis);
  tl_value at = tlo_select(b, is, number, tl_emit_fill(b, numbers, INT32_MAX));
  if (out_max != NULL) *out_max = max;
  return tlo_reduce(b, at, tlo_constant_i64(b, scalar, INT32_MAX), &axis, 1, TL_OP_MINIMUM);
}

// log1p of the sum of exp(shifted) over one dim, without the element number `first`.
static tl_value log_of_others(tl_builder *b, tl_value shifted, tl_value first, int64_t axis) {
  tl_type t = tl_value_type(shifted), numbers = tl_type_with(t, TL_DTYPE_S32);
  tl_value number = tlo_iota(b, numbers, axis);
  tl_value is = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, number,
                            tl_emit_spread(b, first, numbers, &axis, 1));
  tl_value e = tlo_unary(b, TL_OP_EXPONENTIAL, shifted);
  tl_value none = tlo_sub(b, e, tl_emit_fill(b, t, 1)); // 0 there, but NaN of an infinite maximum
  tl_value others = tlo_select(b, is, none, e);
  return tlo_unary(b, TL_OP_LOG_PLUS_ONE, reduce_sum(b, others, &axis, 1));
}

tl_value tl_emit_log_softmax(tl_builder *b, tl_value x, int64_t axis) {
  if (x == NULL) return NULL;
  tl_value max = NULL, first = first_largest(b, x, axis, &max);
  tl_value shifted = tlo_sub(b, x, tl_emit_spread(b, max, x->type, &axis, 1));
  tl_value rest = log_of_others(b, shifted, first, axis);
  return tlo_sub(b, shifted, tl_emit_spread(b, rest, x->type, &axis, 1));
}

tl_value tl_emit_LOG_SOFTMAX(tl_builder *b, const tl_op *op, const tl_value *x) {
  return tl_emit_log_softmax(b, x[0], tl_op_i64(op, TL_A_LOG_SOFTMAX_axis));
}

// An infinite or undefined maximum is the answer itself.
tl_value tl_emit_LOGSUMEXP(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t axis = tl_op_i64(op, TL_A_LOGSUMEXP_axis);
  tl_value max = NULL, first = first_largest(b, x[0], axis, &max);
  tl_value finite = tlo_unary(b, TL_OP_IS_FINITE, max);
  tl_value base = tlo_select(b, finite, max, tl_emit_fill(b, tl_value_type(max), 0));
  tl_value shifted = tlo_sub(b, x[0], tl_emit_spread(b, base, x[0]->type, &axis, 1));
  tl_value sum = tlo_add(b, max, log_of_others(b, shifted, first, axis));
  return tlo_select(b, finite, sum, max);
}

tl_value tl_emit_ARGMAX(tl_builder *b, const tl_op *op, const tl_value *x) {
  return first_largest(b, x[0], tl_op_i64(op, TL_A_ARGMAX_axis), NULL);
}

tl_value tl_emit_MEAN(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type, out = op->results[0]->type;
  tl_i64s over = tl_op_list(op, TL_A_MEAN_dimensions);
  int64_t dims[TL_MAX_RANK];
  int64_t count = 1;
  uint32_t n = over.len == 0 ? t.rank : (uint32_t)over.len;
  for (uint32_t i = 0; i < n; i++) {
    dims[i] = over.len == 0 ? i : over.ptr[i];
    count = tl_emit_dim_mul(b, count, t.dims[dims[i]]);
  }
  tl_value sum = n == 0 ? x[0] : reduce_sum(b, x[0], dims, n);
  tl_value mean = n == 0 ? x[0] : tlo_div(b, sum, tl_emit_fill_size(b, tl_value_type(sum), count));
  return tl_type_eq(tl_value_type(mean), out) ? mean : tlo_reshape(b, mean, out.dims, out.rank);
}

// weight * x, and 0 where the weight is 0, whatever x is: an impossible class is not asked about.
static tl_value weighted(tl_builder *b, tl_value weight, tl_value x) {
  tl_value zero = tl_emit_fill(b, tl_value_type(x), 0);
  tl_value none = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, weight, zero);
  return tlo_select(b, none, zero, tlo_mul(b, weight, x));
}

tl_value tl_emit_CROSS_ENTROPY(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type;
  int64_t last = (int64_t)t.rank - 1, all[TL_MAX_RANK];
  for (uint32_t d = 0; d < t.rank; d++)
    all[d] = d;
  tl_value labels = x[1];
  if (labels->type.rank != t.rank) { // one where the class's number is the label
    tl_type numbers = tl_type_with(t, TL_DTYPE_S32);
    tl_value number = tlo_iota(b, numbers, last);
    tl_value is = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, number,
                              tl_emit_spread(b, labels, numbers, &last, 1));
    labels = tlo_convert(b, is, t.dtype);
  }
  tl_value p = tl_emit_log_softmax(b, x[0], last);
  tl_value loss = tlo_unary(b, TL_OP_NEGATE, reduce_sum(b, weighted(b, labels, p), all, t.rank));
  if (!tl_op_i64(op, TL_A_CROSS_ENTROPY_mean)) return loss;
  return tlo_div(b, loss, reduce_sum(b, labels, all, t.rank));
}

tl_value tl_emit_SOFT_CROSS_ENTROPY(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type;
  int64_t last = (int64_t)t.rank - 1;
  tl_value heat = tl_emit_fill(b, t, tl_op_f64(op, TL_A_SOFT_CROSS_ENTROPY_temperature));
  tl_value q = tl_emit_log_softmax(b, tlo_div(b, x[0], heat), last);
  tl_value p = tl_emit_softmax(b, tlo_div(b, x[1], heat), last);
  return tlo_unary(b, TL_OP_NEGATE, reduce_sum(b, weighted(b, p, q), &last, 1));
}

// --- by an index ---

tl_value tl_emit_clamp_index(tl_builder *b, tl_value index, int64_t n) {
  tl_type scalar = tl_type_scalar(TL_DTYPE_S32);
  tl_value low = tlo_constant_i64(b, scalar, 0), high = NULL;
  high = n >= 0 ? tlo_constant_i64(b, scalar, n - 1)
                : tlo_size(b, tl_emit_dim_sub(b, n, 1), TL_DTYPE_S32);
  tl_op *op =
      tl_op_finish(b, tl_op_begin(b, TL_OP_CLAMP, (tl_value[]){low, index, high}, 3), NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_op *tl_emit_scatter_add_begin(tl_builder *b, tl_value base, tl_value indices, tl_value updates) {
  tl_op *op = tl_op_begin(b, TL_OP_SCATTER, (tl_value[]){base, indices, updates}, 3);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_type scalar = tl_type_scalar(tl_value_type(base).dtype);
  tl_value x = tl_block_arg(&in, block, scalar), y = tl_block_arg(&in, block, scalar);
  tl_value sum = tlo_add(&in, x, y);
  tlo_return(&in, &sum, 1);
  tl_builder_join(b, &in);
  return op;
}

static tl_value result(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// The dims of `rank` but for one.
static uint32_t others(uint32_t rank, int64_t axis, int64_t *out) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (d != axis) out[n++] = d;
  return n;
}

tl_value tl_emit_TAKE_ALONG(tl_builder *b, const tl_op *op, const tl_value *x) {
  int64_t axis = tl_op_i64(op, TL_A_TAKE_ALONG_axis), batch[TL_MAX_RANK], ones[TL_MAX_RANK];
  uint32_t rank = x[0]->type.rank, n = others(rank, axis, batch);
  for (uint32_t d = 0; d < rank; d++)
    ones[d] = 1;
  tl_op *g = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){x[0], x[1]}, 2);
  tl_op_set_list(b, g, TL_A_GATHER_collapsed_slice_dims, &axis, 1);
  tl_op_set_list(b, g, TL_A_GATHER_operand_batching_dims, batch, n);
  tl_op_set_list(b, g, TL_A_GATHER_start_indices_batching_dims, batch, n);
  tl_op_set_list(b, g, TL_A_GATHER_start_index_map, &axis, 1);
  tl_op_set_i64(g, TL_A_GATHER_index_vector_dim, rank);
  tl_op_set_list(b, g, TL_A_GATHER_slice_sizes, ones, rank);
  return result(b, g);
}

tl_value tl_emit_TAKE_ALONG_GRAD(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[2]->type;
  int64_t axis = tl_op_i64(op, TL_A_TAKE_ALONG_GRAD_axis), batch[TL_MAX_RANK];
  uint32_t n = others(t.rank, axis, batch);
  tl_value zeros = tl_emit_fill(b, t, 0);
  tl_value at = tl_emit_clamp_index(b, x[0], t.dims[axis]);
  tl_op *s = tl_emit_scatter_add_begin(b, zeros, at, x[1]);
  tl_op_set_list(b, s, TL_A_SCATTER_inserted_window_dims, &axis, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_input_batching_dims, batch, n);
  tl_op_set_list(b, s, TL_A_SCATTER_scatter_indices_batching_dims, batch, n);
  tl_op_set_list(b, s, TL_A_SCATTER_scatter_dims_to_operand_dims, &axis, 1);
  tl_op_set_i64(s, TL_A_SCATTER_index_vector_dim, t.rank);
  return result(b, s);
}

// up with zeros in the rows whose index is `padding`; up itself where there is none.
static tl_value without_padding(tl_builder *b, tl_value indices, tl_value rows, int64_t padding) {
  if (padding < 0 || padding > INT32_MAX || indices == NULL || rows == NULL) return rows;
  int64_t leading[TL_MAX_RANK];
  for (uint32_t d = 0; d < indices->type.rank; d++)
    leading[d] = d;
  tl_value number = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), padding);
  if (indices->type.rank != 0) number = tlo_broadcast(b, number, indices->type, NULL);
  tl_value is = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, indices, number);
  is = tlo_broadcast(b, is, tl_type_with(rows->type, TL_DTYPE_I1), leading);
  return tlo_select(b, is, tl_emit_fill(b, rows->type, 0), rows);
}

tl_value tl_emit_EMBEDDING(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_value rows = tlo_take_rows(b, x[0], x[1]);
  return without_padding(b, x[1], rows, tl_op_i64(op, TL_A_EMBEDDING_padding_index));
}

tl_value tl_emit_EMBEDDING_GRAD(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[2]->type; // [V, D]
  int64_t rank = x[0]->type.rank, zero = 0;
  tl_value up = without_padding(b, x[0], x[1], tl_op_i64(op, TL_A_EMBEDDING_GRAD_padding_index));
  tl_value zeros = tl_emit_fill(b, t, 0), at = tl_emit_clamp_index(b, x[0], t.dims[0]);
  tl_op *s = tl_emit_scatter_add_begin(b, zeros, at, up);
  tl_op_set_list(b, s, TL_A_SCATTER_update_window_dims, &rank, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_inserted_window_dims, &zero, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_scatter_dims_to_operand_dims, &zero, 1);
  tl_op_set_i64(s, TL_A_SCATTER_index_vector_dim, rank);
  return result(b, s);
}
