// Constructors of linear algebra and of what its decompositions are made of.
#include "ir/build.h"

static tl_value finish(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_value tlo_dynamic_slice(tl_builder *b, tl_value x, const tl_value *starts,
                           const int64_t *sizes) {
  tl_value operands[TL_MAX_RANK + 1] = {x};
  uint32_t rank = tl_value_type(x).rank;
  for (uint32_t i = 0; i < rank; i++)
    if (sizes[i] < 0) return tlo_dynamic_slice_sized(b, x, starts, sizes);
  for (uint32_t i = 0; i < rank; i++)
    operands[1 + i] = starts[i];
  tl_op *op = tl_op_begin(b, TL_OP_DYNAMIC_SLICE, operands, rank + 1);
  tl_op_set_list(b, op, TL_A_DYNAMIC_SLICE_slice_sizes, sizes, rank);
  return finish(b, op);
}

tl_value tlo_dynamic_update_slice(tl_builder *b, tl_value x, tl_value update,
                                  const tl_value *starts) {
  tl_value operands[TL_MAX_RANK + 2] = {x, update};
  uint32_t rank = tl_value_type(x).rank;
  for (uint32_t i = 0; i < rank; i++)
    operands[2 + i] = starts[i];
  return finish(b, tl_op_begin(b, TL_OP_DYNAMIC_UPDATE_SLICE, operands, rank + 2));
}

tl_value tlo_take_rows_batched(tl_builder *b, tl_value x, tl_value indices) {
  tl_op *op = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){x, indices}, 2);
  if (op == NULL) return NULL;
  tl_op_set_list(b, op, TL_A_GATHER_offset_dims, (int64_t[]){2}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_collapsed_slice_dims, (int64_t[]){1}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_operand_batching_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_start_indices_batching_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_start_index_map, (int64_t[]){1}, 1);
  tl_op_set_i64(op, TL_A_GATHER_index_vector_dim, 2);
  tl_op_set_list(b, op, TL_A_GATHER_slice_sizes, (int64_t[]){1, 1, x->type.dims[2]}, 3);
  return tlo_gather_finish(b, op);
}

tl_value tlo_fft(tl_builder *b, tl_value x, tl_fft_type type, const int64_t *length, size_t n) {
  tl_op *op = tl_op_begin(b, TL_OP_FFT, &x, 1);
  tl_op_set_i64(op, TL_A_FFT_fft_type, type);
  tl_op_set_list(b, op, TL_A_FFT_fft_length, length, n);
  return finish(b, op);
}

tl_value tlo_cholesky(tl_builder *b, tl_value a, bool lower) {
  tl_op *op = tl_op_begin(b, TL_OP_CHOLESKY, &a, 1);
  tl_op_set_i64(op, TL_A_CHOLESKY_lower, lower);
  return finish(b, op);
}

tl_value tlo_triangular_solve(tl_builder *b, tl_value a, tl_value rhs, bool lower, bool unit,
                              tl_transpose transpose) {
  tl_op *op = tl_op_begin(b, TL_OP_TRIANGULAR_SOLVE, (tl_value[]){a, rhs}, 2);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_left_side, true);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_lower, lower);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal, unit);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a, transpose);
  return finish(b, op);
}

tl_loop tlo_while_begin(tl_builder *b, const tl_value *init, uint32_t n) {
  TL_ASSERT(n <= TL_LOOP_MAX);
  tl_loop loop = {.op = tl_op_begin(b, TL_OP_WHILE, init, n)};
  tl_block *cond = tl_op_add_region(b, loop.op), *body = tl_op_add_region(b, loop.op);
  loop.cond = tl_builder_at(b, cond);
  loop.body = tl_builder_at(b, body);
  for (uint32_t i = 0; i < n; i++) {
    tl_type type = tl_value_type(init[i]);
    loop.x[i] = tl_block_arg(&loop.cond, cond, type);
    loop.y[i] = tl_block_arg(&loop.body, body, type);
  }
  return loop;
}

void tlo_while_end(tl_builder *b, tl_loop *loop, tl_value go_on, const tl_value *next,
                   tl_value *out_values) {
  uint32_t n = loop->op == NULL ? 0 : loop->op->n_operands;
  tlo_return(&loop->cond, &go_on, 1);
  tlo_return(&loop->body, next, n);
  tl_builder_join(b, &loop->cond);
  tl_builder_join(b, &loop->body);
  tl_op *op = tl_op_finish(b, loop->op, NULL, 0);
  for (uint32_t i = 0; i < n; i++)
    out_values[i] = op == NULL ? NULL : op->results[i];
}

tl_op *tlo_lu(tl_builder *b, tl_value a) {
  return tl_op_finish(b, tl_op_begin(b, TL_OP_LU, &a, 1), NULL, 0);
}

tl_op *tlo_geqrf(tl_builder *b, tl_value a) {
  return tl_op_finish(b, tl_op_begin(b, TL_OP_GEQRF, &a, 1), NULL, 0);
}

tl_value tlo_householder_product(tl_builder *b, tl_value a, tl_value taus) {
  return tlo_binary(b, TL_OP_HOUSEHOLDER_PRODUCT, a, taus);
}

tl_op *tlo_qr(tl_builder *b, tl_value a, bool full_matrices) {
  tl_op *op = tl_op_begin(b, TL_OP_QR, &a, 1);
  if (full_matrices) tl_op_set_i64(op, TL_A_QR_full_matrices, true);
  return tl_op_finish(b, op, NULL, 0);
}

tl_op *tlo_eigh(tl_builder *b, tl_value a, bool lower) {
  tl_op *op = tl_op_begin(b, TL_OP_EIGH, &a, 1);
  if (!lower) tl_op_set_i64(op, TL_A_EIGH_lower, false);
  return tl_op_finish(b, op, NULL, 0);
}

tl_op *tlo_svd(tl_builder *b, tl_value a, bool full_matrices) {
  tl_op *op = tl_op_begin(b, TL_OP_SVD, &a, 1);
  if (full_matrices) tl_op_set_i64(op, TL_A_SVD_full_matrices, true);
  return tl_op_finish(b, op, NULL, 0);
}

tl_value tlo_singular_values(tl_builder *b, tl_value a) {
  return tlo_unary(b, TL_OP_SINGULAR_VALUES, a);
}

tl_value tlo_solve(tl_builder *b, tl_value a, tl_value rhs, bool transpose_a) {
  tl_op *op = tl_op_begin(b, TL_OP_SOLVE, (tl_value[]){a, rhs}, 2);
  if (transpose_a) tl_op_set_i64(op, TL_A_SOLVE_transpose_a, true);
  return finish(b, op);
}

tl_value tlo_det(tl_builder *b, tl_value a) { return tlo_unary(b, TL_OP_DET, a); }

tl_op *tlo_slogdet(tl_builder *b, tl_value a) {
  return tl_op_finish(b, tl_op_begin(b, TL_OP_SLOGDET, &a, 1), NULL, 0);
}

// i1 of a's shape: on its diagonals.
static tl_value on_diagonal(tl_builder *b, tl_value a) {
  tl_type t = tl_value_type(a);
  if (t.rank < 2) {
    tl_builder_fail(b,
                    TL_ERROR(INVALID_ARGUMENT, "wants matrices, got a tensor of rank %u", t.rank));
    return NULL;
  }
  t.dtype = TL_DTYPE_S32;
  tl_value rows = tlo_iota(b, t, t.rank - 2), cols = tlo_iota(b, t, t.rank - 1);
  return tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, rows, cols);
}

tl_value tlo_identity_like(tl_builder *b, tl_value a) {
  return tlo_convert(b, on_diagonal(b, a), tl_value_type(a).dtype);
}

tl_value tlo_inverse(tl_builder *b, tl_value a) {
  return tlo_solve(b, a, tlo_identity_like(b, a), false);
}

// L of (a + a^T) / 2.
static tl_value symmetric_factor(tl_builder *b, tl_value a) {
  int64_t swap[TL_MAX_RANK];
  tl_type t = tl_value_type(a);
  if (t.rank < 2) return tlo_cholesky(b, a, true); // which refuses it
  for (uint32_t i = 0; i < t.rank; i++)
    swap[i] = i + 2 < t.rank ? i : 2 * (int64_t)t.rank - 3 - i;
  tl_value both = tlo_add(b, a, tlo_transpose(b, a, swap));
  return tlo_cholesky(b, tlo_mul(b, both, tlo_constant_f64(b, t, 0.5)), true);
}

tl_value tlo_solve_spd(tl_builder *b, tl_value a, tl_value rhs) {
  tl_value l = symmetric_factor(b, a);
  tl_value y = tlo_triangular_solve(b, l, rhs, true, false, TL_TRANSPOSE_NO_TRANSPOSE);
  return tlo_triangular_solve(b, l, y, true, false, TL_TRANSPOSE_TRANSPOSE);
}

tl_value tlo_inverse_spd(tl_builder *b, tl_value a) {
  return tlo_solve_spd(b, a, tlo_identity_like(b, a));
}

tl_value tlo_log_det_spd(tl_builder *b, tl_value a) {
  tl_value l = symmetric_factor(b, a), on = on_diagonal(b, a);
  tl_type t = tl_value_type(a);
  if (l == NULL) return NULL;
  tl_value logs = tlo_unary(b, TL_OP_LOG, l);
  logs = tlo_select(b, on, logs, tlo_constant_f64(b, t, 0));
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(t.dtype), 0);
  tl_value half = tlo_reduce(b, logs, zero, (int64_t[]){t.rank - 2, t.rank - 1}, 2, TL_OP_ADD);
  return tlo_add(b, half, half);
}
