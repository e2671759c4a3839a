// Decompositions of products with a sparse matrix in compressed rows: entry e has the value
// values[e], the column columns[e] and the row r with pointers[r] <= e < pointers[r + 1].
//
// The row of every entry comes from the pointers alone: each pointer but the first puts a 1 at its
// entry, and the running sum of these counts the rows that have ended before; it is made by
// doubling, log2(nnz) steps. Then a product gathers, multiplies and adds by scatter. Terms are
// multiplied and added in f64, in the order of the entries, and the sum is rounded once.
//
// Columns are clamped into their range, and so are the rows that wrong pointers would give.
#include "ir/decompose_emit.h"

static tl_value result(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// Indices [n] as [n, 1], clamped into [0, limit - 1].
static tl_value index_vectors(tl_builder *b, tl_value index, int64_t n, int64_t limit) {
  return tlo_reshape(b, tl_emit_clamp_index(b, index, limit), (int64_t[]){n, 1}, 2);
}

// The row of every entry: i32 [nnz].
static tl_value rows_of(tl_builder *b, tl_value pointers, int64_t nnz) {
  int64_t n_rows = tl_emit_dim_sub(b, pointers->type.dims[0], 1), zero = 0, more = nnz + 1;
  tl_type marks = {TL_DTYPE_S32, 1, &more}, ones = {TL_DTYPE_S32, 1, &n_rows};
  tl_value ends = tlo_slice(b, pointers, (int64_t[]){1}, pointers->type.dims, NULL);
  ends = tlo_reshape(b, ends, (int64_t[]){n_rows, 1}, 2);
  tl_value none = tl_emit_fill(b, marks, 0), one = NULL;
  one = tl_emit_fill(b, ones, 1);
  tl_op *s = tl_emit_scatter_add_begin(b, none, ends, one);
  tl_op_set_list(b, s, TL_A_SCATTER_inserted_window_dims, &zero, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_scatter_dims_to_operand_dims, &zero, 1);
  tl_op_set_i64(s, TL_A_SCATTER_index_vector_dim, 1);
  tl_value sum = result(b, s);
  sum = tlo_slice(b, sum, &zero, &nnz, NULL);
  for (int64_t step = 1; step < nnz; step *= 2) {
    int64_t left = nnz - step;
    tl_value before = tlo_slice(b, sum, &zero, &left, NULL);
    tl_value fill = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0);
    tl_op *p = tl_op_begin(b, TL_OP_PAD, (tl_value[]){before, fill}, 2);
    tl_op_set_list(b, p, TL_A_PAD_edge_padding_low, &step, 1);
    tl_op_set_list(b, p, TL_A_PAD_edge_padding_high, &zero, 1);
    tl_op_set_list(b, p, TL_A_PAD_interior_padding, &zero, 1);
    sum = tlo_add(b, sum, result(b, p));
  }
  return sum;
}

tl_value tl_emit_SPARSE_MATMUL(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type out = op->results[0]->type; // [R, D], transposed [C, D]
  int64_t nnz = x[0]->type.dims[0], zero = 0, one = 1, width = out.dims[1];
  bool transposed = tl_op_i64(op, TL_A_SPARSE_MATMUL_transposed) != 0;
  if (nnz == 0) return tl_emit_fill(b, out, 0);
  tl_value rows = rows_of(b, x[2], nnz), from = transposed ? rows : x[1],
           to = transposed ? x[1] : rows;
  tl_type wide = {TL_DTYPE_F64, 2, (int64_t[]){nnz, width}};
  tl_value taken = tlo_convert(b, tlo_take_rows(b, x[3], from), TL_DTYPE_F64);
  tl_value values = tlo_convert(b, x[0], TL_DTYPE_F64);
  tl_value terms = tlo_mul(b, taken, tlo_broadcast(b, values, wide, &zero));
  tl_value sums = tl_emit_fill(b, tl_type_with(out, TL_DTYPE_F64), 0);
  tl_op *s = tl_emit_scatter_add_begin(b, sums, index_vectors(b, to, nnz, out.dims[0]), terms);
  tl_op_set_list(b, s, TL_A_SCATTER_update_window_dims, &one, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_inserted_window_dims, &zero, 1);
  tl_op_set_list(b, s, TL_A_SCATTER_scatter_dims_to_operand_dims, &zero, 1);
  tl_op_set_i64(s, TL_A_SCATTER_index_vector_dim, 1);
  return tlo_convert(b, result(b, s), out.dtype);
}

tl_value tl_emit_SPARSE_MATMUL_VALUES_ADJOINT(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type out = op->results[0]->type;
  int64_t nnz = out.dims[0], one = 1;
  if (nnz == 0) return tl_emit_fill(b, out, 0);
  tl_value rows = rows_of(b, x[3], nnz);
  tl_value left = tlo_convert(b, tlo_take_rows(b, x[0], rows), TL_DTYPE_F64), right = NULL;
  right = tlo_convert(b, tlo_take_rows(b, x[1], x[2]), TL_DTYPE_F64);
  tl_value terms = tlo_mul(b, left, right);
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_F64), 0);
  return tlo_convert(b, tlo_reduce(b, terms, zero, &one, 1, TL_OP_ADD), out.dtype);
}
