// QR by Householder's reflections H = I - tau v v^T, in the form and with the signs of LAPACK: v is
// 1 at its own row and 0 above, the diagonal of R is -sign(alpha) |x|, and a column that is zero
// below its diagonal has tau = 0 (Golub and Van Loan, Matrix Computations, 5.1 and 5.2).
//
// Legend: N matrices [m, n]; step j; alpha the diagonal element, x the column from there on. |x| is
// taken of x divided by its largest element, so that squares neither overflow nor vanish. A minus
// zero as alpha counts as positive. Of complex matrices, R's diagonal is real, tau is complex,
// and it is H^H = I - conj(tau) v v^H that makes the column zero (LAPACK's zlarfg).
//
// No call here has two arguments that emit, because C leaves their order open.
#include "ir/decompose_matrix.h"

#include <math.h>

#define EQ TL_COMPARISON_DIRECTION_EQ
#define LT TL_COMPARISON_DIRECTION_LT
#define GT TL_COMPARISON_DIRECTION_GT
#define GE TL_COMPARISON_DIRECTION_GE

static const int64_t ids[] = {0, 1, 2}, batch_column[] = {0, 2};

// v^H a for v [N, m] and a [N, m, n] -> [N, n].
static tl_value row_of_dots(tl_builder *b, tl_value v, tl_value a) {
  static const int64_t batch = 0, rows = 1;
  return tlo_dot(b, tl_mx_conj(b, v), a, &batch, &batch, 1, &rows, &rows, 1);
}

// a - v (tau w)^T from row j on, w = v^H a.
static tl_value reflected(tl_builder *b, tl_mx x, tl_value a, tl_value v, tl_value tau,
                          tl_value below) {
  tl_value w = row_of_dots(b, v, a);
  w = tlo_mul(b, tl_mx_spread2(b, tau, x.N, x.n, ids), w);
  w = tl_mx_spread3(b, w, x.N, x.m, x.n, batch_column);
  tl_value v3 = tl_mx_spread3(b, v, x.N, x.m, x.n, ids);
  return tlo_select(b, below, tlo_sub(b, a, tlo_mul(b, v3, w)), a);
}

tl_qr tl_mx_geqrf(tl_mx x, tl_value a) {
  tl_builder *b = x.b;
  int64_t N = x.N, m = x.m, n = x.n, k = tl_emit_dim_min(b, m, n);
  tl_value zero = tl_mx_scalar(b, x.dtype, 0), one = tl_mx_scalar(b, x.dtype, 1);
  tl_value taus = tl_mx_spread2(b, zero, N, k, NULL);
  if (tl_emit_none(N, m, n)) return (tl_qr){a, taus};
  tl_value rows = tl_mx_iota2(b, N, m), steps = tl_mx_iota2(b, N, k);
  tl_value rows3 = tl_mx_iota3(b, N, m, n, 1), cols3 = tl_mx_iota3(b, N, m, n, 2);
  tl_value zeros = tl_mx_spread2(b, zero, N, m, NULL), ones = tl_mx_spread2(b, one, N, m, NULL);
  const tl_dtype real = tl_dtype_part(x.dtype);
  const bool is_complex = real != x.dtype;
  tl_type vector = {x.dtype, 1, &N}, reals = {real, 1, &N};
  tl_value none = tlo_constant_f64(b, reals, 0), unit = tlo_constant_f64(b, reals, 1);
  tl_value still = tlo_constant_f64(b, vector, 0), step = tlo_constant_f64(b, vector, 1);
  tl_loop loop = tl_mx_for_begin(b, (tl_value[]){a, taus}, 2);
  tl_builder *s = &loop.body;
  tl_value j = loop.y[2];
  tl_value column = tl_mx_column(s, loop.y[0], j);
  tl_value alpha = tl_mx_element(s, column, j), head = tl_mx_real(s, alpha);
  tl_value below = tlo_select(s, tl_mx_is2(s, GT, rows, j), column, zeros);
  tl_value tail = tl_mx_over(s, tlo_unary(s, TL_OP_ABS, below), TL_OP_MAXIMUM, 0);
  tl_value most = tlo_binary(s, TL_OP_MAXIMUM, tlo_unary(s, TL_OP_ABS, alpha), tail);
  tl_value scale = tlo_select(s, tlo_compare(s, EQ, most, none), unit, most);
  tl_value part = tlo_select(s, tl_mx_is2(s, GE, rows, j), column, zeros);
  part = tl_mx_over_real(s, part, tl_mx_spread2(s, scale, N, m, ids));
  tl_value sum = tl_mx_over(s, tl_mx_square(s, part), TL_OP_ADD, 0);
  tl_value norm = tlo_mul(s, most, tlo_unary(s, TL_OP_SQRT, sum));
  tl_value negative = tlo_compare(s, LT, head, none);
  tl_value beta = tlo_select(s, negative, norm, tlo_unary(s, TL_OP_NEGATE, norm));
  tl_value flat = tlo_compare(s, EQ, tail, none);
  tl_value turn = NULL; // of a complex alpha
  if (is_complex) {
    turn = tlo_unary(s, TL_OP_IMAG, alpha);
    flat = tlo_binary(s, TL_OP_AND, flat, tlo_compare(s, EQ, turn, none));
  }
  tl_value gap = tlo_sub(s, alpha, tl_mx_of_real(s, beta, x.dtype));
  tl_value divisor = tlo_select(s, flat, unit, beta);
  tl_value tau = tlo_div(s, tlo_sub(s, beta, head), divisor);
  if (is_complex) {
    turn = tlo_div(s, tlo_unary(s, TL_OP_NEGATE, turn), divisor);
    tau = tlo_binary(s, TL_OP_COMPLEX, tau, turn);
  }
  tau = tlo_select(s, flat, still, tau);
  tl_value corner = tlo_select(s, flat, alpha, tl_mx_of_real(s, beta, x.dtype));
  gap = tlo_select(s, flat, step, gap);
  tl_value at_j = tl_mx_is2(s, EQ, rows, j);
  tl_value v = tlo_div(s, below, tl_mx_spread2(s, gap, N, m, ids));
  tl_value reflector = tlo_select(s, at_j, ones, v);
  tl_value back = tl_mx_conj(s, tau);
  tl_value next = reflected(s, x, loop.y[0], reflector, back, tl_mx_is3(s, GE, rows3, j));
  next = tlo_select(s, tl_mx_is3(s, GT, cols3, j), next, loop.y[0]);
  // Column j: what was above, then beta, then v.
  v = tlo_select(s, at_j, tl_mx_spread2(s, corner, N, m, ids), v);
  v = tlo_select(s, tl_mx_is2(s, LT, rows, j), column, v);
  tl_value here = tl_mx_is3(s, EQ, cols3, j);
  next = tlo_select(s, here, tl_mx_spread3(s, v, N, m, n, ids), next);
  tl_value at_step = tl_mx_is2(s, EQ, steps, j);
  taus = tlo_select(s, at_step, tl_mx_spread2(s, tau, N, k, ids), loop.y[1]);
  tl_value out[2] = {0};
  tl_mx_for_end(b, &loop, k, (tl_value[]){next, taus}, 2, out);
  return (tl_qr){out[0], out[1]};
}

tl_value tl_mx_householder(tl_mx x, tl_value a, tl_value taus, int64_t columns, tl_value behind) {
  tl_builder *b = x.b;
  int64_t N = x.N, m = x.m, k = tl_value_type(taus).rank == 2 ? taus->type.dims[1] : 0;
  tl_mx wide = {b, x.dtype, N, m, columns};
  tl_value rows = tl_mx_iota2(b, N, m);
  tl_value rows3 = tl_mx_iota3(b, N, m, columns, 1), cols3 = tl_mx_iota3(b, N, m, columns, 2);
  tl_value q = behind;
  if (q == NULL) q = tlo_convert(b, tlo_compare(b, EQ, rows3, cols3), x.dtype);
  if (k == 0 || tl_emit_none(N, m, columns)) return q;
  tl_value zero = tl_mx_scalar(b, x.dtype, 0), one = tl_mx_scalar(b, x.dtype, 1);
  tl_value zeros = tl_mx_spread2(b, zero, N, m, NULL), ones = tl_mx_spread2(b, one, N, m, NULL);
  tl_value last = tlo_size(b, tl_emit_dim_sub(b, k, 1), TL_DTYPE_S32);
  tl_loop loop = tl_mx_for_begin(b, &q, 1); // the last reflector first
  tl_builder *s = &loop.body;
  tl_value j = tlo_sub(s, last, loop.y[1]);
  tl_value v = tlo_select(s, tl_mx_is2(s, GT, rows, j), tl_mx_column(s, a, j), zeros);
  v = tlo_select(s, tl_mx_is2(s, EQ, rows, j), ones, v);
  tl_value tau = tl_mx_element(s, taus, j);
  tl_value next = reflected(s, wide, loop.y[0], v, tau, tl_mx_is3(s, GE, rows3, j));
  tl_mx_for_end(b, &loop, k, &next, 1, &q);
  return q;
}

void tl_emit_GEQRF(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  (void)op;
  tl_type t = x[0]->type;
  tl_mx a = tl_mx_of(b, t);
  int64_t k = tl_emit_dim_min(b, a.m, a.n);
  tl_qr f = tl_mx_geqrf(a, tl_mx_flat(a, x[0]));
  y[0] = tl_mx_back(b, f.packed, t, (int64_t[]){a.m, a.n}, 2);
  y[1] = tl_mx_back(b, f.taus, t, &k, 1);
}

tl_value tl_emit_HOUSEHOLDER_PRODUCT(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_type t = x[0]->type, taus = x[1]->type;
  tl_mx a = tl_mx_of(b, t);
  tl_value flat = tl_mx_flat(a, x[0]);
  tl_value factors = tlo_reshape(b, x[1], (int64_t[]){a.N, taus.dims[taus.rank - 1]}, 2);
  tl_value q = tl_mx_householder(a, flat, factors, a.n, NULL);
  return tl_mx_back(b, q, t, (int64_t[]){a.m, a.n}, 2);
}

void tl_emit_QR(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  tl_type t = x[0]->type;
  tl_mx a = tl_mx_of(b, t);
  int64_t k = tl_emit_dim_min(b, a.m, a.n), side = tl_op_i64(op, TL_A_QR_full_matrices) ? a.m : k;
  tl_qr f = tl_mx_geqrf(a, tl_mx_flat(a, x[0]));
  tl_value q = tl_mx_householder(a, f.packed, f.taus, side, NULL);
  tl_value rows = tl_mx_iota3(b, a.N, side, a.n, 1), cols = tl_mx_iota3(b, a.N, side, a.n, 2);
  tl_value zeros = tl_mx_spread3(b, tl_mx_scalar(b, a.dtype, 0), a.N, side, a.n, NULL);
  tl_value r = tlo_slice(b, f.packed, (int64_t[]){0, 0, 0}, (int64_t[]){a.N, side, a.n}, NULL);
  r = tlo_select(b, tlo_compare(b, GE, cols, rows), r, zeros);
  y[0] = tl_mx_back(b, q, t, (int64_t[]){a.m, side}, 2);
  y[1] = tl_mx_back(b, r, t, (int64_t[]){side, a.n}, 2);
}
