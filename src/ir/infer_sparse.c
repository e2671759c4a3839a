// Type rules of products with a sparse matrix in compressed rows. The constraints are numbered
// here, in the order of the checks:
//
//   sparse_matmul                 c1 values [nnz] of f32 or f64, nnz numbered by i32
//                                 c2 columns i32 [nnz]
//                                 c3 row pointers i32 [R+1], R > 0 where there are values
//                                 c4 dense [K, D] of the values' type, K > 0 where there are
//                                 values; transposed: K = R
//                                 c5 transposed: a template [C, D], C > 0 likewise; else none
//   sparse_matmul_values_adjoint  c1 upstream [R, D] of f32 or f64   c2 dense [K, D] of its type
//                                 c3 columns i32 [nnz]
//                                 c4 row pointers i32 [R+1]; R and K > 0 where nnz is
#include "ir/rule.h"

static bool is_index(tl_type t) { return t.dtype == TL_DTYPE_S32 && t.rank == 1; }

tl_status tl_infer_sparse_matmul(tl_rule *r) {
  bool transposed = tl_op_i64(r->op, TL_A_SPARSE_MATMUL_transposed) != 0;
  uint32_t n = r->op->n_operands;
  TL_RULE(r, n == 4 || n == 5, NULL, "wants 4 or 5 operands, got %u", n);
  tl_type values = tl_rule_in(r, 0), columns = tl_rule_in(r, 1), rows = tl_rule_in(r, 2),
          dense = tl_rule_in(r, 3);
  TL_RULE(r, tl_rule_is_wide(values) && values.rank == 1 && values.dims[0] < INT32_MAX, "c1",
          "wants values [nnz] of f32 or f64, got %s", tl_rule_type(r, values));
  int64_t nnz = values.dims[0]; // as many steps as it has bits make the rows of the entries
  TL_RULE(r, nnz >= 0, "c1", "wants a known number of values, got %s", tl_rule_type(r, values));
  TL_RULE(r, is_index(columns) && tl_dim_agrees(columns.dims[0], nnz), "c2",
          "wants one i32 column for each of %s, got %s", tl_rule_type(r, values),
          tl_rule_type(r, columns));
  int64_t n_rows = 0;
  TL_RULE(r,
          is_index(rows) && tl_dim_affine(r->module, rows.dims[0], 1, -1, &n_rows) &&
              (nnz == 0 || n_rows != 0),
          "c3", "wants row pointers i32 [rows + 1], got %s for %s", tl_rule_type(r, rows),
          tl_rule_type(r, values));
  TL_RULE(r,
          dense.dtype == values.dtype && dense.rank == 2 && (nnz == 0 || dense.dims[0] != 0) &&
              (!transposed || tl_dim_agrees(dense.dims[0], n_rows)),
          "c4", "dense %s does not fit %s of %s", tl_rule_type(r, dense), tl_rule_type(r, rows),
          tl_rule_type(r, values));
  TL_RULE(r, (n == 5) == transposed, "c5",
          "a template is for the transposed product, and for it only");
  if (!transposed)
    return tl_rule_give_dims(r, values.dtype, (int64_t[]){n_rows, dense.dims[1]}, 2, "c4");
  tl_type t = tl_rule_in(r, 4);
  TL_RULE(r,
          t.dtype == values.dtype && t.rank == 2 && tl_dim_agrees(t.dims[1], dense.dims[1]) &&
              (nnz == 0 || t.dims[0] != 0),
          "c5", "template %s does not fit dense %s", tl_rule_type(r, t), tl_rule_type(r, dense));
  return tl_rule_give1(r, t, "c5");
}

tl_status tl_infer_sparse_matmul_values_adjoint(tl_rule *r) {
  tl_type up = tl_rule_in(r, 0), dense = tl_rule_in(r, 1), columns = tl_rule_in(r, 2),
          rows = tl_rule_in(r, 3);
  TL_RULE(r, tl_rule_is_wide(up) && up.rank == 2, "c1",
          "wants upstream [R, D] of f32 or f64, got %s", tl_rule_type(r, up));
  TL_RULE(r, dense.dtype == up.dtype && dense.rank == 2 && tl_dim_agrees(dense.dims[1], up.dims[1]),
          "c2", "dense %s does not fit upstream %s", tl_rule_type(r, dense), tl_rule_type(r, up));
  TL_RULE(r, is_index(columns) && columns.dims[0] < INT32_MAX, "c3",
          "wants i32 columns [nnz], got %s", tl_rule_type(r, columns));
  TL_RULE(r, columns.dims[0] >= 0, "c3", "wants a known number of columns, got %s",
          tl_rule_type(r, columns));
  bool some = columns.dims[0] != 0;
  int64_t n_rows = 0;
  TL_RULE(r,
          is_index(rows) && tl_dim_affine(r->module, rows.dims[0], 1, -1, &n_rows) &&
              tl_dim_agrees(n_rows, up.dims[0]) &&
              !(some && (up.dims[0] == 0 || dense.dims[0] == 0)),
          "c4", "row pointers %s do not fit upstream %s and dense %s", tl_rule_type(r, rows),
          tl_rule_type(r, up), tl_rule_type(r, dense));
  return tl_rule_give_dims(r, up.dtype, columns.dims, 1, "c3");
}
