// Rules of matrix factorisations. Forward mode has the formulas; reverse mode is mostly their
// transpose, so a tangent is only ever added, moved, or multiplied by what is no tangent.
//
// References: M. Giles, "An extended collection of matrix derivative results for forward and
// reverse mode algorithmic differentiation" (2008) for eigh, svd, solve; I. Murray,
// "Differentiation of the Cholesky decomposition" (2016); F. de Hoog, R. Anderssen and M. Lukas,
// "Differentiation of matrix functionals using triangular factorization" (2011) for lu; for qr
// J. Townsend, "Differentiating the QR decomposition" (2016), and for the columns that complete a
// basis arXiv 2409.13374. Conventions are JAX's.
//
// Legend: matrices [..., m, n], k = min(m, n); t is the tangent of a.
#include "ad/matrix.h"

#include "ir/dim.h"

static const tl_comparison_direction EQ = TL_COMPARISON_DIRECTION_EQ;

static tl_value only(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// op(a) x = rhs, or x op(a) = rhs, of a triangle of a.
static tl_value solve_triangle(tl_builder *b, tl_value a, tl_value rhs, bool left, bool lower,
                               bool unit, tl_transpose transpose) {
  tl_op *op = tl_op_begin(b, TL_OP_TRIANGULAR_SOLVE, (tl_value[]){a, rhs}, 2);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_left_side, left);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_lower, lower);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal, unit);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a, transpose);
  return only(b, op);
}

// --- cholesky -----------------------------------------------------------------------------------

// a = l l^H: dl = l phi(l^-1 da l^-H), phi the lower triangle with half its diagonal. One triangle
// of a is read, and da is the Hermitian matrix of it.
void tl_jvp_cholesky(tl_jvp *j) {
  tl_builder *b = j->b;
  const bool lower = tl_op_i64(j->op, TL_A_CHOLESKY_lower);
  tl_value l = lower ? tl_mat_lower(b, j->out[0], 0) : tl_mat_upper(b, j->out[0], 0);
  if (!lower) l = tl_mat_adjoint(b, l);
  tl_value t = tl_mat_hermitian(b, j->t[0], lower);
  t = solve_triangle(b, l, t, false, true, false,
                     tl_ad_is_complex(l) ? TL_TRANSPOSE_ADJOINT : TL_TRANSPOSE_TRANSPOSE);
  t = solve_triangle(b, l, t, true, true, false, TL_TRANSPOSE_NO_TRANSPOSE);
  tl_value half = tl_ad_like(b, l, 0.5), one = tl_ad_like(b, l, 1);
  tl_value weight = tlo_select(b, tl_mat_where(b, l, EQ, 0), half, one);
  t = tlo_mul(b, tl_mat_lower(b, t, 0), weight);
  t = tl_mat_mul(b, l, t);
  tl_jvp_give(j, 0, lower ? t : tl_mat_adjoint(b, t));
}

// --- triangular_solve ---------------------------------------------------------------------------

typedef struct triangular {
  bool left, lower, unit;
  tl_transpose transpose;
} triangular;

static triangular read_triangular(const tl_op *op) {
  return (triangular){tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_left_side) != 0,
                      tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_lower) != 0,
                      tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal) != 0,
                      (tl_transpose)tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a)};
}

// The triangle of a that is read: a unit diagonal is not.
static tl_value triangle_of(tl_builder *b, triangular s, tl_value a) {
  return s.lower ? tl_mat_lower(b, a, s.unit ? -1 : 0) : tl_mat_upper(b, a, s.unit ? 1 : 0);
}

// op(a) x = rhs: dx = op(a)^-1 (d rhs - op(da) x); with a on the right the factors change places.
void tl_jvp_triangular_solve(tl_jvp *j) {
  tl_builder *b = j->b;
  const triangular s = read_triangular(j->op);
  tl_value t = j->t[1];
  if (j->t[0] != NULL) {
    tl_value da = triangle_of(b, s, j->t[0]);
    if (s.transpose != TL_TRANSPOSE_NO_TRANSPOSE) da = tl_mat_turn(b, da);
    if (s.transpose == TL_TRANSPOSE_ADJOINT) da = tl_mat_conj(b, da);
    tl_value less = s.left ? tl_mat_mul(b, da, j->out[0]) : tl_mat_mul(b, j->out[0], da);
    t = t == NULL ? tl_ad_neg(b, less) : tlo_sub(b, t, less);
  }
  tl_jvp_give(j, 0, solve_triangle(b, j->in[0], t, s.left, s.lower, s.unit, s.transpose));
}

// By rhs: y = op(a)^-T dx. By a: -y x^T, of which a gets the triangle that was read.
void tl_vjp_triangular_solve(tl_vjp *v) {
  tl_builder *b = v->b;
  const triangular s = read_triangular(v->op);
  tl_value a = v->in[0], x = v->out[0], y;
  tl_transpose back = TL_TRANSPOSE_NO_TRANSPOSE;
  if (s.transpose == TL_TRANSPOSE_NO_TRANSPOSE) back = TL_TRANSPOSE_TRANSPOSE;
  if (s.transpose == TL_TRANSPOSE_ADJOINT) a = tl_mat_conj(b, a);
  y = solve_triangle(b, a, v->ct[0], s.left, s.lower, s.unit, back);
  tl_vjp_give(v, 1, y);
  if (!tl_vjp_wants(v, 0)) return;
  const bool turned = s.transpose != TL_TRANSPOSE_NO_TRANSPOSE;
  tl_value first = s.left ? y : x, second = s.left ? x : y; // op(a) gets -(y x^T) or -(x^T y)
  tl_value da;
  if (turned) { // its transpose: x y^T or y^T x
    tl_value swap = first;
    first = second;
    second = swap;
  }
  if (s.left)
    da = tl_mat_mul(b, first, tl_mat_turn(b, second));
  else
    da = tl_mat_mul(b, tl_mat_turn(b, first), second);
  if (s.transpose == TL_TRANSPOSE_ADJOINT) da = tl_mat_conj(b, da);
  tl_vjp_give(v, 0, tl_ad_neg(b, triangle_of(b, s, da)));
}

// One matrix for every right side of the batch: the batch joins the columns, or with a on the right
// the rows.
static void batch_sides(tl_batch *v, bool left) {
  tl_builder *b = v->b;
  const tl_type t = v->in[1]->type;
  const uint32_t r = t.rank, at = left ? r - 2 : r - 3; // the batch goes there and joins dim at + 1
  int64_t order[TL_MAX_RANK] = {0}, back[TL_MAX_RANK] = {0}, dims[TL_MAX_RANK] = {0};
  for (uint32_t i = 0; i < r; i++)
    order[i] = i < at ? i + 1 : i == at ? 0 : i;
  for (uint32_t i = 0; i < r; i++)
    back[order[i]] = i;
  tl_value y = tlo_transpose(b, v->in[1], order);
  if (y == NULL) return;
  const tl_type apart = y->type;
  for (uint32_t i = 0, k = 0; i < r; i++)
    if (i != at) dims[k++] = apart.dims[i];
  if (!tl_dim_mul(b->m, apart.dims[at], apart.dims[at + 1], &dims[at]))
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a batch has too many right sides"));
  y = tlo_reshape(b, y, dims, r - 1);
  tl_op *op = y == NULL ? NULL : tl_clone_with(b, v->op, (tl_value[]){v->in[0], y}, NULL);
  y = op == NULL ? NULL : op->results[0];
  y = tlo_reshape(b, y, apart.dims, r);
  v->out[0] = tlo_transpose(b, y, back);
}

void tl_batch_triangular_solve(tl_batch *v) {
  if (v->batched[0])
    tl_batch_elemwise(v);
  else
    batch_sides(v, read_triangular(v->op).left);
}

// Which of two symbols is the smaller is not known.
static bool refuses_sizes(tl_jvp *j, int64_t m, int64_t n) {
  if (m == n || (m >= 0 && n >= 0)) return false;
  tl_ad_refuse(j->ad, j->b, j->op, "of matrices that are not square by sizes that are symbols");
  return true;
}

// --- lu -----------------------------------------------------------------------------------------

// Rows of x [..., m, n] in the order of a permutation [..., m].
static tl_value permuted(tl_builder *b, tl_value x, tl_value permutation) {
  if (x == NULL || permutation == NULL) return NULL;
  const uint32_t r = x->type.rank;
  int64_t batch[TL_MAX_RANK], sizes[TL_MAX_RANK];
  for (uint32_t i = 0; i < r; i++) {
    if (x->type.dims[i] == 0) return x; // nothing to gather, and a slice of 1 would not fit
    batch[i] = i;
    sizes[i] = i + 1 == r ? tl_mat_n(x) : 1;
  }
  tl_op *op = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){x, permutation}, 2);
  tl_op_set_list(b, op, TL_A_GATHER_offset_dims, (int64_t[]){r - 1}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_collapsed_slice_dims, (int64_t[]){r - 2}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_operand_batching_dims, batch, r - 2);
  tl_op_set_list(b, op, TL_A_GATHER_start_indices_batching_dims, batch, r - 2);
  tl_op_set_list(b, op, TL_A_GATHER_start_index_map, (int64_t[]){r - 2}, 1);
  tl_op_set_i64(op, TL_A_GATHER_index_vector_dim, r - 1);
  tl_op_set_list(b, op, TL_A_GATHER_slice_sizes, sizes, r);
  return tlo_gather_finish(b, op);
}

// P a = l u: with s = l^-1 P da u^-1, dl = l tril(s, -1) and du = triu(s) u. l [m, m] and u [n, n]
// are completed by the identity.
void tl_jvp_lu(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value lu = j->out[0];
  const int64_t m = tl_mat_m(lu), n = tl_mat_n(lu), k = TL_MIN(m, n);
  if (refuses_sizes(j, m, n)) return;
  tl_value l = tl_mat_lower(b, tl_mat_part(b, lu, 0, m, 0, k), -1);
  l = tl_mat_grow(b, l, m, m);
  if (l == NULL) return;
  tl_value eye = tlo_identity_like(b, l);
  l = tlo_add(b, l, eye);
  tl_value u = tl_mat_upper(b, tl_mat_part(b, lu, 0, k, 0, n), 0);
  if (k < n) { // rows k .. n - 1 are the identity's
    u = tl_mat_grow(b, u, n, n);
    if (u == NULL) return;
    tl_type numbers = u->type;
    numbers.dtype = TL_DTYPE_S32;
    tl_value row = tlo_iota(b, numbers, u->type.rank - 2);
    tl_value added =
        tlo_compare(b, TL_COMPARISON_DIRECTION_GE, row, tlo_fill(b, numbers, (double)k));
    u = tlo_select(b, added, tlo_identity_like(b, u), u);
  }
  tl_value s = permuted(b, j->t[0], j->out[2]);
  s = solve_triangle(b, l, s, true, true, true, TL_TRANSPOSE_NO_TRANSPOSE);
  s = solve_triangle(b, u, s, false, false, false, TL_TRANSPOSE_NO_TRANSPOSE);
  tl_value dl = tl_mat_lower(b, s, -1), du = tl_mat_upper(b, s, 0);
  dl = tl_mat_mul(b, l, dl);
  du = tl_mat_mul(b, du, u);
  tl_jvp_give(j, 0, tlo_add(b, dl, du));
}

// --- qr -----------------------------------------------------------------------------------------

typedef struct qr {
  tl_value q, r;
} qr;

// Of a [m, n] with m >= n: s = q^H da r^-1; the skew-Hermitian w has its lower triangle;
// dq = q (w - s) + da r^-1, dr = (s - w) r.
static qr thin_qr(tl_builder *b, tl_value q, tl_value r, tl_value t) {
  tl_value u = solve_triangle(b, r, t, false, false, false, TL_TRANSPOSE_NO_TRANSPOSE);
  tl_value s = tl_mat_mul(b, tl_mat_adjoint(b, q), u);
  tl_value below = tl_mat_lower(b, s, -1), w = tlo_sub(b, below, tl_mat_adjoint(b, below));
  if (tl_ad_is_complex(s)) { // the diagonal of r stays real
    tl_value im = tl_mat_keep(b, tlo_unary(b, TL_OP_IMAG, s), EQ, 0);
    w = tlo_add(b, w, tlo_binary(b, TL_OP_COMPLEX, tl_ad_like(b, im, 0), im));
  }
  tl_value dq = tl_mat_mul(b, q, tlo_sub(b, w, s));
  tl_value dr = tl_mat_mul(b, tlo_sub(b, s, w), r);
  return (qr){tlo_add(b, dq, u), dr};
}

void tl_jvp_qr(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value a = j->in[0], q = j->out[0], r = j->out[1], t = j->t[0];
  const int64_t m = tl_mat_m(a), n = tl_mat_n(a);
  if (refuses_sizes(j, m, n)) return;
  if (m < n) { // the square part, and what q does to the rest
    tl_value square = tl_mat_part(b, r, 0, m, 0, m);
    qr d = thin_qr(b, q, square, tl_mat_part(b, t, 0, m, 0, m));
    tl_value first = tl_mat_adjoint(b, d.q), second = tl_mat_adjoint(b, q);
    first = tl_mat_mul(b, first, tl_mat_part(b, a, 0, m, m, n));
    second = tl_mat_mul(b, second, tl_mat_part(b, t, 0, m, m, n));
    tl_value rest = tlo_add(b, first, second);
    tl_jvp_give(j, 0, d.q);
    tl_jvp_give(j, 1, tlo_concat(b, (tl_value[]){d.r, rest}, 2, a->type.rank - 1));
    return;
  }
  tl_value q_mn = tl_mat_part(b, q, 0, m, 0, n);
  qr d = thin_qr(b, q_mn, tl_mat_part(b, r, 0, n, 0, n), t);
  if (q != NULL && tl_mat_n(q) != n) {
    // The columns of q that complete a basis, by equations 32 and 33 of arXiv 2409.13374:
    // z = q_pn (q_nn - 1)^-1, p the rows below n.
    tl_value q_nn = tl_mat_part(b, q, 0, n, 0, n), q_pn = tl_mat_part(b, q, n, m, 0, n);
    tl_value q_mp = tl_mat_part(b, q, 0, m, n, m);
    tl_value less = tlo_sub(b, q_nn, tlo_identity_like(b, q_nn));
    less = tl_mat_adjoint(b, less);
    tl_value z_h = tlo_solve(b, less, tl_mat_adjoint(b, q_pn), false);
    tl_value z = tl_mat_adjoint(b, z_h);
    tl_value turned = tl_mat_mul(b, z, tl_mat_part(b, d.q, 0, n, 0, n));
    turned = tlo_sub(b, tl_mat_part(b, d.q, n, m, 0, n), turned);
    tl_value by = tl_mat_mul(b, q_mp, z);
    by = tlo_add(b, q_mn, by);
    by = tl_mat_mul(b, by, tl_mat_adjoint(b, turned));
    tl_value dq_mp = tl_mat_mul(b, d.q, z_h);
    dq_mp = tlo_sub(b, dq_mp, by);
    d.q = tlo_concat(b, (tl_value[]){d.q, dq_mp}, 2, a->type.rank - 1);
    d.r = tl_mat_grow(b, d.r, m, n);
  }
  tl_jvp_give(j, 0, d.q);
  tl_jvp_give(j, 1, d.r);
}

// --- eigh ---------------------------------------------------------------------------------------

// a v = v w: with s = v^H da v, dw is its diagonal and dv = v (f * s), f the reciprocals of the
// differences of eigenvalues: infinite where two are equal.
void tl_jvp_eigh(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value w = j->out[0], v = j->out[1];
  tl_value t = tl_mat_hermitian(b, j->t[0], tl_op_i64(j->op, TL_A_EIGH_lower) != 0);
  tl_value s = tl_mat_mul(b, tl_mat_adjoint(b, v), t);
  s = tl_mat_mul(b, s, v);
  tl_value here = tl_mat_rows_of(b, w, v), there = tl_mat_columns_of(b, w, v);
  tl_value eye = here == NULL ? NULL : tlo_identity_like(b, here);
  tl_value f = tlo_add(b, tlo_sub(b, here, there), eye);
  f = tlo_sub(b, tlo_div(b, tl_ad_like(b, f, 1), f), eye);
  f = v == NULL ? NULL : tl_mat_of_real(b, f, v->type.dtype);
  tl_jvp_give(j, 0, tl_mat_diagonal(b, tl_mat_real(b, s)));
  tl_jvp_give(j, 1, tl_mat_mul(b, v, tlo_mul(b, f, s)));
}

// --- svd ----------------------------------------------------------------------------------------

static tl_value reciprocal(tl_builder *b, tl_value x) { return tlo_div(b, tl_ad_like(b, x, 1), x); }

// What is left of x when its part in the columns of u is taken away, over s.
static tl_value outside(tl_builder *b, tl_value x, tl_value u, tl_value s) {
  tl_value inside = tl_mat_mul(b, tl_mat_adjoint(b, u), x);
  inside = tl_mat_mul(b, u, inside);
  tl_value by = x == NULL ? NULL : tl_mat_of_real(b, tl_mat_rows_of(b, s, x), x->type.dtype);
  return tlo_div(b, tlo_sub(b, x, inside), by);
}

// a = u s v^H, thin: with d = u^H da v, ds is its diagonal.
void tl_jvp_svd(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value a = j->in[0], u = j->out[0], s = j->out[1], t = j->t[0];
  const int64_t m = tl_mat_m(a), n = tl_mat_n(a);
  if (m != n && tl_op_i64(j->op, TL_A_SVD_full_matrices)) {
    tl_ad_refuse(j->ad, b, j->op, "with full_matrices, of matrices that are not square");
    return;
  }
  const tl_dtype dtype = a->type.dtype;
  tl_value v = tl_mat_adjoint(b, j->out[2]);
  tl_value d = tl_mat_mul(b, tl_mat_adjoint(b, u), t);
  d = tl_mat_mul(b, d, v);
  tl_jvp_give(j, 1, tl_mat_diagonal(b, tl_mat_real(b, d)));
  tl_value s_row = tl_mat_rows_of(b, s, d), s_column = tl_mat_columns_of(b, s, d);
  tl_value sum = tlo_add(b, s_row, s_column), difference = tlo_sub(b, s_row, s_column);
  tl_value f = tlo_mul(b, sum, difference);
  tl_value eye = f == NULL ? NULL : tlo_identity_like(b, f);
  f = tlo_sub(b, reciprocal(b, tlo_add(b, f, eye)), eye);
  f = tl_mat_of_real(b, f, dtype);
  s_row = tl_mat_of_real(b, s_row, dtype);
  s_column = tl_mat_of_real(b, s_column, dtype);
  tl_value ds = tlo_mul(b, s_row, d), sd = tlo_mul(b, s_column, d);
  ds = tlo_add(b, ds, tl_mat_adjoint(b, ds));
  sd = tlo_add(b, sd, tl_mat_adjoint(b, sd));
  tl_value in_u = tlo_mul(b, f, ds), in_v = tlo_mul(b, f, sd);
  if (tl_ad_is_complex(d)) { // u alone turns: the imaginary diagonal over s
    tl_value none = tl_ad_like(b, s, 0), one = tl_ad_like(b, s, 1);
    tl_value is_zero = tlo_compare(b, EQ, s, none);
    tl_value over = reciprocal(b, tlo_select(b, is_zero, one, s));
    over = tlo_select(b, is_zero, none, over);
    over = tl_mat_rows_of(b, over, d);
    tl_value turn = tlo_mul(b, tl_mat_keep(b, tlo_unary(b, TL_OP_IMAG, d), EQ, 0), over);
    turn = tlo_binary(b, TL_OP_COMPLEX, tl_ad_like(b, turn, 0), turn);
    in_u = tlo_add(b, in_u, turn);
  }
  tl_value du = tl_mat_mul(b, u, in_u), dv = tl_mat_mul(b, v, in_v);
  if (m > n) du = tlo_add(b, du, outside(b, tl_mat_mul(b, t, v), u, s));
  if (n > m) dv = tlo_add(b, dv, outside(b, tl_mat_mul(b, tl_mat_adjoint(b, t), u), v, s));
  tl_jvp_give(j, 0, du);
  tl_jvp_give(j, 2, tl_mat_adjoint(b, dv));
}

void tl_jvp_singular_values(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_op *svd = tlo_svd(b, j->in[0], false);
  if (svd == NULL) return;
  tl_value d = tl_mat_mul(b, tl_mat_adjoint(b, svd->results[0]), j->t[0]);
  d = tl_mat_mul(b, d, tl_mat_adjoint(b, svd->results[2]));
  tl_jvp_give(j, 0, tl_mat_diagonal(b, tl_mat_real(b, d)));
}

// --- solve, det, slogdet ------------------------------------------------------------------------

// a x = rhs: dx = a^-1 (d rhs - da x).
void tl_jvp_solve(tl_jvp *j) {
  tl_builder *b = j->b;
  const bool turned = tl_op_i64(j->op, TL_A_SOLVE_transpose_a);
  tl_value t = j->t[1];
  if (j->t[0] != NULL) {
    tl_value less = tl_mat_mul(b, turned ? tl_mat_turn(b, j->t[0]) : j->t[0], j->out[0]);
    t = t == NULL ? tl_ad_neg(b, less) : tlo_sub(b, t, less);
  }
  tl_jvp_give(j, 0, tlo_solve(b, j->in[0], t, turned));
}

// y = a^-T dx; by a -y x^T, or its transpose where a was transposed.
void tl_vjp_solve(tl_vjp *v) {
  tl_builder *b = v->b;
  const bool turned = tl_op_i64(v->op, TL_A_SOLVE_transpose_a);
  tl_value y = tlo_solve(b, v->in[0], v->ct[0], !turned);
  tl_vjp_give(v, 1, y);
  if (!tl_vjp_wants(v, 0)) return;
  tl_value x = v->out[0];
  tl_value da = turned ? tl_mat_mul(b, x, tl_mat_turn(b, y)) : tl_mat_mul(b, y, tl_mat_turn(b, x));
  tl_vjp_give(v, 0, tl_ad_neg(b, da));
}

void tl_batch_solve(tl_batch *v) {
  if (v->batched[0])
    tl_batch_elemwise(v);
  else
    batch_sides(v, true);
}

// i1 [...]: whether some element of x [..., n, 1] is no finite number.
static tl_value any_infinite(tl_builder *b, tl_value x) {
  if (x == NULL) return NULL;
  tl_value fine = tlo_unary(b, TL_OP_IS_FINITE, tl_mat_real(b, x));
  if (tl_ad_is_complex(x)) {
    tl_value im = tlo_unary(b, TL_OP_IS_FINITE, tlo_unary(b, TL_OP_IMAG, x));
    fine = tlo_binary(b, TL_OP_AND, fine, im);
  }
  tl_value no = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_I1), 0);
  const int64_t r = x->type.rank;
  return tlo_reduce(b, tlo_unary(b, TL_OP_NOT, fine), no, (int64_t[]){r - 2, r - 1}, 2, TL_OP_OR);
}

// c [...] everywhere in a matrix of x's shape.
static tl_value everywhere(tl_builder *b, tl_value c, tl_value x) {
  if (c == NULL || x == NULL) return NULL;
  tl_type t = x->type;
  t.dtype = c->type.dtype;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < c->type.rank; i++)
    dims[i] = i;
  return tlo_broadcast(b, c, t, dims);
}

// det(a) a^-1 of matrices [..., n, n], defined where a is singular too. P a = l u, so it is
// det u^-1 l^-1 P. Where the last pivot alone is 0, u gets 1 / (the product of the others) in its
// place, and the other rows of l^-1 P the factor det: nothing is divided by 0. A matrix of lower
// rank has zeros.
static tl_value adjugate(tl_builder *b, tl_value a) {
  tl_op *f = tlo_lu(b, a);
  if (f == NULL) return NULL;
  const int64_t r = a->type.rank;
  tl_value lu = f->results[0], pivots = f->results[1], permutation = f->results[2];
  // The product of all pivots but the last, with the permutation's sign; times the last.
  tl_value step = tlo_iota(b, pivots->type, r - 2);
  tl_value moved = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, pivots, step);
  tl_value even = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_I1), 0);
  tl_value odd = tlo_reduce(b, moved, even, (int64_t[]){r - 2}, 1, TL_OP_XOR);
  tl_value end = tlo_size(b, tl_mat_n(a), TL_DTYPE_S32);
  end = tlo_sub(b, end, tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 1));
  tl_value is_last = tlo_compare(b, EQ, step, tlo_broadcast(b, end, pivots->type, NULL));
  tl_value diagonal = tl_mat_diagonal(b, lu), none = tl_ad_like(b, diagonal, 0);
  tl_value others = tlo_select(b, is_last, tl_ad_like(b, diagonal, 1), diagonal);
  tl_value last = tl_ad_sum(b, tlo_select(b, is_last, diagonal, none), (int64_t[]){r - 2}, 1);
  tl_value unit = tlo_constant_f64(b, tl_type_scalar(a->type.dtype), 1);
  others = tlo_reduce(b, others, unit, (int64_t[]){r - 2}, 1, TL_OP_MULTIPLY);
  tl_value plus = tl_ad_like(b, others, 1), minus = tl_ad_like(b, others, -1);
  others = tlo_mul(b, others, tlo_select(b, odd, minus, plus));
  tl_value det = tlo_mul(b, others, last);
  // u's last pivot.
  tl_type numbers = a->type;
  numbers.dtype = TL_DTYPE_S32;
  tl_value row = tlo_iota(b, numbers, r - 2), column = tlo_iota(b, numbers, r - 1);
  end = tlo_broadcast(b, end, numbers, NULL);
  tl_value last_row = tlo_compare(b, EQ, row, end), corner = tlo_compare(b, EQ, column, end);
  corner = tlo_binary(b, TL_OP_AND, last_row, corner);
  lu = tlo_select(b, corner, everywhere(b, reciprocal(b, others), a), lu);
  // Of a lower rank, some other pivot is 0.
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, a->type.dims, (size_t)r * sizeof *dims);
  dims[r - 1] = 1;
  tl_type vectors = tl_type_of(b->m->arena, a->type.dtype, dims, a->type.rank);
  tl_value probe = tlo_fill(b, vectors, 1);
  probe = solve_triangle(b, lu, probe, true, false, false, TL_TRANSPOSE_NO_TRANSPOSE);
  tl_value lost = everywhere(b, any_infinite(b, probe), a), zeros = tl_ad_like(b, a, 0);
  tl_value x = tlo_convert(b, tlo_compare(b, EQ, tl_mat_columns_of(b, permutation, a), column),
                           a->type.dtype); // P
  x = tlo_select(b, lost, zeros, x);
  x = solve_triangle(b, lu, x, true, true, true, TL_TRANSPOSE_NO_TRANSPOSE);
  x = tlo_select(b, last_row, x, tlo_mul(b, x, everywhere(b, det, a)));
  x = solve_triangle(b, lu, x, true, false, false, TL_TRANSPOSE_NO_TRANSPOSE);
  return tlo_select(b, lost, zeros, x);
}

// d det = trace(adj(a) da)
void tl_jvp_det(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value by = tl_mat_turn(b, adjugate(b, j->in[0]));
  const int64_t r = j->in[0]->type.rank;
  tl_jvp_give(j, 0, tl_ad_sum(b, tlo_mul(b, j->t[0], by), (int64_t[]){r - 2, r - 1}, 2));
}
void tl_vjp_det(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_value by = tl_mat_turn(b, adjugate(b, v->in[0]));
  tl_vjp_give(v, 0, tlo_mul(b, everywhere(b, v->ct[0], by), by));
}

// With d = trace(a^-1 da): the logarithm's is its real part, and the sign turns by its imaginary
// one: a real sign never does.
void tl_jvp_slogdet(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value d = tl_mat_trace(b, tlo_solve(b, j->in[0], j->t[0], false));
  tl_jvp_give(j, 1, tl_mat_real(b, d));
  if (!tl_ad_is_complex(d)) return;
  tl_value im = tlo_unary(b, TL_OP_IMAG, d);
  tl_value turn = tlo_binary(b, TL_OP_COMPLEX, tl_ad_like(b, im, 0), im);
  tl_jvp_give(j, 0, tlo_mul(b, turn, j->out[0]));
}

// --- triangle -----------------------------------------------------------------------------------

void tl_vjp_triangle(tl_vjp *v) {
  tl_op *op = tl_clone_with(v->b, v->op, v->ct, NULL);
  if (op != NULL) tl_vjp_give(v, 0, op->results[0]);
}
