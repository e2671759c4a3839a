// LU with partial pivoting as a loop of rank-1 updates, and what is made of it. src/ref/lu.c says
// the same in C, and the two agree by bits.
//
// Legend: N matrices [m, n]; step j. No call here has two arguments that emit, because C leaves
// their order open.
#include "ir/decompose_matrix.h"

#include <math.h>

#define EQ TL_COMPARISON_DIRECTION_EQ
#define GT TL_COMPARISON_DIRECTION_GT
#define GE TL_COMPARISON_DIRECTION_GE

// The row of the largest element of column [N, m] from row j on -> i32 [N]: the first of the
// largest, where a NaN is smaller than any number. A complex number counts with |re| + |im|.
static tl_value largest(tl_builder *b, tl_value column, tl_value rows, tl_value j) {
  tl_type t = tl_value_type(column);
  if (t.rank != 2) return NULL;
  int64_t N = t.dims[0], m = t.dims[1];
  static const int64_t batch = 0;
  tl_dtype real = tl_dtype_part(t.dtype);
  tl_value nan = tl_mx_scalar(b, real, -1), above = tl_mx_scalar(b, real, -2);
  nan = tl_mx_spread2(b, nan, N, m, NULL), above = tl_mx_spread2(b, above, N, m, NULL);
  tl_value size;
  if (tl_mx_is_complex(column)) { // LAPACK's izamax: |re| + |im|
    tl_value re = tlo_unary(b, TL_OP_REAL, column), im = tlo_unary(b, TL_OP_IMAG, column);
    size = tlo_unary(b, TL_OP_ABS, re);
    size = tlo_add(b, size, tlo_unary(b, TL_OP_ABS, im));
  } else {
    size = tlo_unary(b, TL_OP_ABS, column);
  }
  tl_value number = tlo_compare(b, EQ, size, size);
  size = tlo_select(b, number, size, nan);
  size = tlo_select(b, tl_mx_is2(b, GE, rows, j), size, above);
  tl_value most = tl_mx_over(b, size, TL_OP_MAXIMUM, -HUGE_VAL);
  tl_value is = tlo_compare(b, EQ, size, tl_mx_spread2(b, most, N, m, &batch));
  tl_value none = tlo_size(b, m, TL_DTYPE_S32);
  tl_value at = tlo_select(b, is, rows, tl_mx_spread2(b, none, N, m, NULL));
  none = tlo_size(b, m, TL_DTYPE_S32);
  return tlo_reduce(b, at, none, (int64_t[]){1}, 1, TL_OP_MINIMUM);
}

// v [N, m] with its elements j and p [N] exchanged: integers, so that a sum picks one exactly.
static tl_value exchange(tl_builder *b, tl_value v, tl_value at_j, tl_value at_p, tl_value zeros) {
  tl_type t = tl_value_type(v);
  if (t.rank != 2) return NULL;
  static const int64_t batch = 0;
  tl_value j = tl_mx_over(b, tlo_select(b, at_j, v, zeros), TL_OP_ADD, 0);
  tl_value p = tl_mx_over(b, tlo_select(b, at_p, v, zeros), TL_OP_ADD, 0);
  j = tl_mx_spread2(b, j, t.dims[0], t.dims[1], &batch);
  p = tl_mx_spread2(b, p, t.dims[0], t.dims[1], &batch);
  return tlo_select(b, at_j, p, tlo_select(b, at_p, j, v));
}

typedef struct lu { // flat: [N, m, n], i32 [N, k], i32 [N, m]
  tl_value lu, pivots, permutation;
} lu;

static lu factor(tl_mx x, tl_value a) {
  static const int64_t ids[] = {0, 1, 2}, batch_row[] = {0, 1};
  tl_builder *b = x.b;
  int64_t N = x.N, m = x.m, n = x.n, k = tl_emit_dim_min(b, m, n);
  tl_value rows = tl_mx_iota2(b, N, m), steps = tl_mx_iota2(b, N, k);
  tl_value rows3 = tl_mx_iota3(b, N, m, n, 1), cols3 = tl_mx_iota3(b, N, m, n, 2);
  tl_value zero = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  tl_value zeros = tl_mx_spread2(b, zero, N, m, NULL), pivots = tl_mx_spread2(b, zero, N, k, NULL);
  if (tl_emit_none(N, m, n)) return (lu){a, pivots, rows};
  tl_loop loop = tl_mx_for_begin(b, (tl_value[]){a, pivots, rows}, 3);
  tl_builder *s = &loop.body;
  tl_value j = loop.y[3];
  tl_value p = largest(s, tl_mx_column(s, loop.y[0], j), rows, j);
  // Rows j and p change places.
  tl_value row_j = tl_mx_row(s, loop.y[0], j);
  tl_value row_p = tlo_take_rows_batched(s, loop.y[0], tlo_reshape(s, p, (int64_t[]){N, 1}, 2));
  tl_value at_j = tl_mx_is3(s, EQ, rows3, j), at_p = tl_mx_is3(s, EQ, rows3, p);
  tl_value swapped = tlo_select(s, at_p, tl_mx_spread3(s, row_j, N, m, n, ids), loop.y[0]);
  tl_value upper = tl_mx_spread3(s, row_p, N, m, n, ids);
  swapped = tlo_select(s, at_j, upper, swapped);
  at_j = tl_mx_is2(s, EQ, rows, j);
  at_p = tl_mx_is2(s, EQ, rows, p);
  tl_value permutation = exchange(s, loop.y[2], at_j, at_p, zeros);
  tl_value at_step = tl_mx_is2(s, EQ, steps, j);
  pivots = tlo_select(s, at_step, tl_mx_spread2(s, p, N, k, (int64_t[]){0}), loop.y[1]);
  // l = column / pivot below row j, and the rank-1 update of what is right of it.
  tl_value pivot = tl_mx_column(s, row_p, j); // [N, 1]
  tl_value none = tl_mx_spread2(s, tl_mx_scalar(s, x.dtype, 0), N, 1, NULL);
  tl_value one = tl_mx_spread2(s, tl_mx_scalar(s, x.dtype, 1), N, 1, NULL);
  tl_value is_zero = tlo_compare(s, EQ, pivot, none);
  pivot = tlo_select(s, is_zero, one, pivot);
  tl_value l = tl_mx_column(s, swapped, j);
  l = tlo_div(s, l, tl_mx_spread2(s, pivot, N, m, ids));
  l = tl_mx_spread3(s, l, N, m, n, batch_row);
  tl_value less = tlo_sub(s, swapped, tlo_mul(s, l, upper));
  tl_value right = tl_mx_is3(s, GT, cols3, j), here = tl_mx_is3(s, EQ, cols3, j);
  tl_value next = tlo_select(s, right, less, swapped);
  next = tlo_select(s, here, l, next);
  next = tlo_select(s, tl_mx_is3(s, GT, rows3, j), next, swapped);
  tl_value out[3];
  tl_mx_for_end(b, &loop, k, (tl_value[]){next, pivots, permutation}, 3, out);
  return (lu){out[0], out[1], out[2]};
}

tl_value tl_mx_permutation(tl_builder *b, tl_value pivots, int64_t m) {
  static const int64_t batch = 0;
  tl_type t = tl_value_type(pivots);
  if (t.rank != 2) return NULL;
  tl_value rows = tl_mx_iota2(b, t.dims[0], m), permutation = rows;
  tl_value zeros = tl_mx_spread2(b, tl_mx_scalar(b, TL_DTYPE_S32, 0), t.dims[0], m, NULL);
  if (tl_emit_none(t.dims[0], t.dims[1], m)) return rows;
  tl_loop loop = tl_mx_for_begin(b, &permutation, 1);
  tl_builder *s = &loop.body;
  tl_value j = loop.y[1], p = tl_mx_element(s, pivots, j);
  p = tl_mx_spread2(s, p, t.dims[0], m, &batch);
  tl_value at_j = tl_mx_is2(s, EQ, rows, j), at_p = tlo_compare(s, EQ, rows, p);
  tl_value next = exchange(s, loop.y[0], at_j, at_p, zeros);
  tl_mx_for_end(b, &loop, t.dims[1], &next, 1, &permutation);
  return permutation;
}

void tl_emit_LU(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  (void)op;
  tl_type t = x[0]->type;
  tl_mx a = tl_mx_of(b, t);
  int64_t k = tl_emit_dim_min(b, a.m, a.n);
  lu f = factor(a, tl_mx_flat(a, x[0]));
  y[0] = tl_mx_back(b, f.lu, t, (int64_t[]){a.m, a.n}, 2);
  y[1] = tl_mx_back(b, f.pivots, t, &k, 1);
  y[2] = tl_mx_back(b, f.permutation, t, &a.m, 1);
}

// The inverse of permutations i32 [N, n].
static tl_value inverse_of(tl_builder *b, tl_value permutation, int64_t N, int64_t n) {
  static const int64_t batch_row[] = {0, 1};
  tl_value rows = tl_mx_iota3(b, N, n, n, 1), cols = tl_mx_iota3(b, N, n, n, 2);
  tl_value to = tl_mx_spread3(b, permutation, N, n, n, batch_row);
  tl_value zero = tl_mx_scalar(b, TL_DTYPE_S32, 0), is = tlo_compare(b, EQ, to, cols);
  tl_value from = tlo_select(b, is, rows, tl_mx_spread3(b, zero, N, n, n, NULL));
  return tlo_reduce(b, from, zero, (int64_t[]){1}, 1, TL_OP_ADD);
}

tl_value tl_emit_SOLVE(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_mx a = tl_mx_of(b, x[0]->type), rhs = tl_mx_of(b, x[1]->type);
  lu f = factor(a, tl_mx_flat(a, x[0]));
  tl_value y = tl_mx_flat(rhs, x[1]);
  if (tl_op_i64(op, TL_A_SOLVE_transpose_a)) { // a^T = U^T L^T P
    y = tlo_triangular_solve(b, f.lu, y, false, false, TL_TRANSPOSE_TRANSPOSE);
    y = tlo_triangular_solve(b, f.lu, y, true, true, TL_TRANSPOSE_TRANSPOSE);
    if (a.n != 0) y = tlo_take_rows_batched(b, y, inverse_of(b, f.permutation, a.N, a.n));
  } else {
    if (a.n != 0) y = tlo_take_rows_batched(b, y, f.permutation);
    y = tlo_triangular_solve(b, f.lu, y, true, true, TL_TRANSPOSE_NO_TRANSPOSE);
    y = tlo_triangular_solve(b, f.lu, y, false, false, TL_TRANSPOSE_NO_TRANSPOSE);
  }
  return tl_mx_back(b, y, x[1]->type, (int64_t[]){rhs.m, rhs.n}, 2);
}

// U's diagonal [N, n], and the permutation's sign [N].
static void diagonal_and_sign(tl_mx a, tl_value x, tl_value *out_diagonal, tl_value *out_sign) {
  static const int64_t columns = 1;
  tl_builder *b = a.b;
  int64_t N = a.N, n = a.n;
  lu f = factor(a, tl_mx_flat(a, x));
  tl_value rows = tl_mx_iota3(b, N, n, n, 1), cols = tl_mx_iota3(b, N, n, n, 2);
  tl_value zero = tl_mx_scalar(b, a.dtype, 0), on = tlo_compare(b, EQ, rows, cols);
  tl_value d = tlo_select(b, on, f.lu, tl_mx_spread3(b, zero, N, n, n, NULL));
  *out_diagonal = tlo_reduce(b, d, zero, &columns, 1, TL_OP_ADD);
  tl_value at = tl_mx_iota2(b, N, n);
  tl_value moved = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, f.pivots, at);
  tl_value odd = tlo_reduce(b, moved, tl_mx_scalar(b, TL_DTYPE_I1, 0), &columns, 1, TL_OP_XOR);
  tl_type vector = {a.dtype, 1, &N};
  tl_value minus = tlo_constant_f64(b, vector, -1), plus = tlo_constant_f64(b, vector, 1);
  *out_sign = tlo_select(b, odd, minus, plus);
}

tl_value tl_emit_DET(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_value d, sign;
  diagonal_and_sign(tl_mx_of(b, x[0]->type), x[0], &d, &sign);
  tl_value product = tl_mx_over(b, d, TL_OP_MULTIPLY, 1);
  return tl_mx_back(b, tlo_mul(b, sign, product), x[0]->type, NULL, 0);
}

void tl_emit_SLOGDET(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  (void)op;
  tl_value d, sign;
  diagonal_and_sign(tl_mx_of(b, x[0]->type), x[0], &d, &sign);
  tl_value signs = tl_mx_over(b, tlo_unary(b, TL_OP_SIGN, d), TL_OP_MULTIPLY, 1);
  tl_value logs = tlo_unary(b, TL_OP_LOG, tlo_unary(b, TL_OP_ABS, d));
  y[0] = tl_mx_back(b, tlo_mul(b, sign, signs), x[0]->type, NULL, 0);
  y[1] = tl_mx_back(b, tl_mx_over(b, logs, TL_OP_ADD, 0), x[0]->type, NULL, 0);
}
