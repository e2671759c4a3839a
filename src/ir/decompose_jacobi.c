// Symmetric eigenvalues and singular values by Jacobi's rotations.
//
// eigh: rotations of rows and columns make the off-diagonal element of a pair zero, until all are
// negligible beside both diagonal elements (cyclic Jacobi; Golub and Van Loan, 8.5). svd: of
// A = Q R, rotations of the columns of R^T make them orthogonal (one-sided Jacobi after a QR, as
// Drmač and Veselić have it): R^T V = U S, so A = (Q V) S U^T. Both keep what is small small:
// errors are of the size of a rounding of the largest entry, and most often far less.
//
// A sweep meets each pair once. Its order is that of a tournament (Brent and Luk, 1985), so that
// half of the columns meets the other half at once, and a step has no index in it: with 2h seats,
// column i of the left half meets column i of the right half; then all but the first move one seat
// on,
//
//     left   0  a  b  c        0  d  a  b
//                         ->
//     right  d  e  f  g        e  f  g  c
//
// and after 2h - 1 steps everybody sits where he sat at first. An odd count gets a column of zeros,
// which no rotation touches. Sweeps end when one has rotated nothing, or after 20; a matrix that
// has converged is not changed by sweeps that another of its batch needs.
//
// The matrix is divided by a power of two, the exponent of its largest entry, so that no square
// overflows. A matrix with an infinity or a NaN gives NaNs throughout. Eigenvalues ascend, singular
// values descend, equal ones in the order in which they were found; of each eigenvector and of each
// row of vt that belongs to a singular value, the first of the largest entries is positive.
//
// Complex matrices: a transpose is a conjugate one, and a rotation carries the phase of the element
// that it makes zero. "Positive" then is real and positive.
//
// No call here has two arguments that emit, because C leaves their order open.
#include "ir/decompose_matrix.h"

#include <math.h>

#define EQ TL_COMPARISON_DIRECTION_EQ
#define NE TL_COMPARISON_DIRECTION_NE
#define LT TL_COMPARISON_DIRECTION_LT
#define GT TL_COMPARISON_DIRECTION_GT
#define GE TL_COMPARISON_DIRECTION_GE
#define LE TL_COMPARISON_DIRECTION_LE

enum { SWEEPS = 20 };

static const int64_t batch_column[] = {0, 2};

// ---- Small things ----

static tl_type vectors(tl_dtype dtype, int64_t N, int64_t n, int64_t dims[2]) {
  dims[0] = N, dims[1] = n;
  return (tl_type){dtype, 2, dims};
}

// [from, to) along dim 1 or 2 of v [N, ., .].
static tl_value cut(tl_builder *b, tl_value v, uint32_t dim, int64_t from, int64_t to) {
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL; // the builder has failed
  int64_t start[3] = {0}, limit[3] = {t.dims[0], t.dims[1], t.dims[2]};
  start[dim] = from, limit[dim] = to;
  return tlo_slice(b, v, start, limit, NULL);
}

static tl_value join(tl_builder *b, tl_value x, tl_value y, int64_t dim) {
  return tlo_concat(b, (tl_value[]){x, y}, 2, dim);
}

// Elements where rows + shift == columns of v [N, m, n], summed over the rows -> [N, n].
static tl_value diagonal(tl_builder *b, tl_value v, tl_value on, tl_value zeros, tl_value zero) {
  return tlo_reduce(b, tlo_select(b, on, v, zeros), zero, (int64_t[]){1}, 1, TL_OP_ADD);
}

typedef struct pair { // of halves [N, ., h] or [N, h, .]
  tl_value l, r;
} pair;

static pair halves(tl_builder *b, tl_value v, uint32_t dim, int64_t h) {
  pair p = {.l = cut(b, v, dim, 0, h)};
  p.r = cut(b, v, dim, h, 2 * h);
  return p;
}

typedef struct angles {      // of pairs [N, h]: tan, sin, and tan of the half; all 0 exactly where
                             // `idle`
  tl_value t, s, half, idle; // of complex pairs, s and half are times the phase of g
} angles;

// l cos - r sin and l sin + r cos, with an angle for each column (dim 2) or row (dim 1), as
// l - sin (r + half l) and r + sin (l - half r): a small angle then changes little, rounding
// included (Rutishauser, 1966).
// Where s carries a phase, l takes its conjugate of columns, and r of rows.
static pair rotate(tl_builder *b, pair p, angles a, uint32_t dim) {
  tl_type t = tl_value_type(p.l);
  if (t.rank != 3) return p;
  const int64_t dims[] = {0, dim};
  tl_value s = tl_mx_spread3(b, a.s, t.dims[0], t.dims[1], t.dims[2], dims);
  tl_value half = tl_mx_spread3(b, a.half, t.dims[0], t.dims[1], t.dims[2], dims);
  tl_value s_l = dim == 2 ? tl_mx_conj(b, s) : s;
  tl_value s_r = dim == 2 ? s : tl_mx_conj(b, s);
  tl_value half_l = dim == 2 ? tl_mx_conj(b, half) : half;
  tl_value half_r = dim == 2 ? half : tl_mx_conj(b, half);
  tl_value down = tlo_add(b, p.r, tlo_mul(b, half_r, p.l));
  tl_value up = tlo_sub(b, p.l, tlo_mul(b, half_l, p.r));
  pair out = {.l = tlo_sub(b, p.l, tlo_mul(b, s_l, down))};
  out.r = tlo_add(b, p.r, tlo_mul(b, s_r, up));
  return out;
}

// All but the first of the left half move one seat on; the halves joined again.
static tl_value move_on(tl_builder *b, pair p, uint32_t dim, int64_t h) {
  if (h > 1) {
    tl_value first = cut(b, p.l, dim, 0, 1), last = cut(b, p.l, dim, h - 1, h);
    tl_value up = cut(b, p.r, dim, 0, 1), rest = cut(b, p.r, dim, 1, h);
    tl_value l = join(b, first, up, dim);
    if (h > 2) l = join(b, l, cut(b, p.l, dim, 1, h - 1), dim);
    p.r = join(b, rest, last, dim);
    p.l = l;
  }
  return join(b, p.l, p.r, dim);
}

// The smaller angle that makes g zero between p and q: tan 2a = 2 g / (q - p).
// For a complex g it is 2 |g|, where |g| is `distance`.
static angles angles_of(tl_builder *b, tl_value p, tl_value q, tl_value g, tl_value distance,
                        tl_value idle) {
  tl_type type = tl_value_type(p);
  angles a = {.idle = idle};
  if (type.rank != 2) return a;
  tl_value one = tlo_constant_f64(b, type, 1), zero = tlo_constant_f64(b, type, 0);
  tl_value phase = NULL;
  if (tl_mx_is_complex(g)) {
    phase = tl_mx_over_real(b, g, tlo_select(b, idle, one, distance));
    g = distance;
  }
  g = tlo_select(b, idle, one, g);
  tl_value theta = tlo_div(b, tlo_sub(b, q, p), tlo_add(b, g, g));
  tl_value size = tlo_unary(b, TL_OP_ABS, theta);
  tl_value root = tlo_unary(b, TL_OP_SQRT, tlo_add(b, tlo_mul(b, theta, theta), one));
  tl_value t = tlo_div(b, one, tlo_add(b, size, root));
  tl_value negative = tlo_compare(b, LT, theta, zero);
  t = tlo_select(b, negative, tlo_unary(b, TL_OP_NEGATE, t), t);
  a.t = tlo_select(b, idle, zero, t);
  root = tlo_unary(b, TL_OP_SQRT, tlo_add(b, tlo_mul(b, a.t, a.t), one));
  tl_value c = tlo_div(b, one, root);
  a.s = tlo_mul(b, a.t, c);
  a.half = tlo_div(b, a.s, tlo_add(b, c, one));
  if (phase != NULL) {
    a.s = tl_mx_times_real(b, phase, a.s);
    a.half = tl_mx_times_real(b, phase, a.half);
  }
  return a;
}

// Whether any pair of the batch rotates -> i1.
static tl_value any_at_work(tl_builder *b, tl_value idle) {
  tl_value no = tl_mx_scalar(b, TL_DTYPE_I1, 0);
  return tlo_reduce(b, tlo_unary(b, TL_OP_NOT, idle), no, (int64_t[]){0, 1}, 2, TL_OP_OR);
}

// v [N, m, n] with its columns in the order of i32 [N, n].
static tl_value columns_by(tl_builder *b, tl_value v, tl_value order) {
  static const int64_t swap[] = {0, 2, 1};
  v = tlo_take_rows_batched(b, tlo_transpose(b, v, swap), order);
  return tlo_transpose(b, v, swap);
}

// Keys [N, n] in order, equal ones as they were, and where each came from; out[2].
static void sorted(tl_builder *b, tl_value keys, tl_comparison_direction d, tl_value *out) {
  tl_type t = tl_value_type(keys);
  if (t.rank != 2) return;
  tl_value at = tl_mx_iota2(b, t.dims[0], t.dims[1]);
  tl_op *op = tl_op_begin(b, TL_OP_SORT, (tl_value[]){keys, at}, 2);
  tl_op_set_i64(op, TL_A_SORT_dimension, 1);
  tl_op_set_i64(op, TL_A_SORT_is_stable, true);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  tl_value x = tl_block_arg(&in, block, tl_type_scalar(t.dtype));
  tl_value y = tl_block_arg(&in, block, tl_type_scalar(t.dtype));
  tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S32));
  tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S32));
  tl_value before = tlo_compare(&in, d, x, y);
  tlo_return(&in, &before, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  for (int i = 0; i < 2 && op != NULL; i++)
    out[i] = op->results[i];
}

// What makes the first of the largest entries of each column of v [N, m, n] positive -> [N, n]: -1
// or 1, or a complex number of absolute value 1.
static tl_value column_signs(tl_builder *b, tl_value v) {
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL;
  int64_t N = t.dims[0], m = t.dims[1], n = t.dims[2], dims[2];
  static const int64_t over = 1;
  tl_value size = tlo_unary(b, TL_OP_ABS, v), zero = tl_mx_scalar(b, t.dtype, 0);
  tl_value least = tl_mx_scalar(b, tl_dtype_part(t.dtype), 0);
  tl_value most = tlo_reduce(b, size, least, &over, 1, TL_OP_MAXIMUM);
  tl_value is = tlo_compare(b, EQ, size, tl_mx_spread3(b, most, N, m, n, batch_column));
  tl_value rows = tl_mx_iota3(b, N, m, n, 1), none = tl_mx_scalar(b, TL_DTYPE_S32, (double)m);
  tl_value at = tlo_select(b, is, rows, tl_mx_spread3(b, none, N, m, n, NULL));
  at = tlo_reduce(b, at, none, &over, 1, TL_OP_MINIMUM);
  is = tlo_compare(b, EQ, rows, tl_mx_spread3(b, at, N, m, n, batch_column));
  tl_value zeros = tl_mx_spread3(b, zero, N, m, n, NULL);
  tl_value entry = diagonal(b, v, is, zeros, zero);
  tl_type type = vectors(t.dtype, N, n, dims), sizes = type;
  if (tl_mx_is_complex(v)) {
    sizes.dtype = tl_dtype_part(t.dtype);
    tl_value nothing = tlo_compare(b, EQ, most, tlo_constant_f64(b, sizes, 0));
    tl_value divisor = tlo_select(b, nothing, tlo_constant_f64(b, sizes, 1), most);
    tl_value phase = tl_mx_over_real(b, tl_mx_conj(b, entry), divisor);
    return tlo_select(b, nothing, tlo_constant_f64(b, type, 1), phase);
  }
  tl_value plus = tlo_constant_f64(b, type, 1), minus = tlo_constant_f64(b, type, -1);
  tl_value negative = tlo_compare(b, LT, entry, tlo_constant_f64(b, type, 0));
  return tlo_select(b, negative, minus, plus);
}

static tl_value times_columns(tl_builder *b, tl_value v, tl_value signs) {
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL;
  return tlo_mul(b, v, tl_mx_spread3(b, signs, t.dims[0], t.dims[1], t.dims[2], batch_column));
}

// NaN where `finite` [N] is false.
static tl_value or_nan(tl_builder *b, tl_value finite, tl_value v) {
  static const int64_t batch = 0;
  tl_type t = tl_value_type(v);
  if (v == NULL) return NULL;
  tl_type mask = t;
  mask.dtype = TL_DTYPE_I1;
  tl_value good = tlo_broadcast(b, finite, mask, &batch);
  return tlo_select(b, good, v, tlo_constant_f64(b, t, (double)NAN));
}

typedef struct scaled { // [N, m, n] with entries of 1 to 4 at most; [N]
  tl_value a, power, finite;
} scaled;

// a divided by the power of two of its largest entry; zeros where that is no number. Powers go from
// the smallest normal one to half of the largest, so that each has its reciprocal.
static scaled scale(tl_mx x, tl_value a) {
  static const int64_t batch = 0;
  tl_builder *b = x.b;
  const tl_dtype real = tl_dtype_part(x.dtype);
  bool wide = real == TL_DTYPE_F64;
  tl_dtype bits = wide ? TL_DTYPE_S64 : TL_DTYPE_S32;
  int64_t top = wide ? 2046 : 254, shift = wide ? 52 : 23;
  tl_type numbers = {real, 1, &x.N}, codes = {bits, 1, &x.N};
  tl_value zero = tl_mx_scalar(b, x.dtype, 0), size = tlo_unary(b, TL_OP_ABS, a);
  tl_value nothing = tl_mx_scalar(b, real, 0);
  tl_value most = tlo_reduce(b, size, nothing, (int64_t[]){1, 2}, 2, TL_OP_MAXIMUM);
  scaled s = {.finite = tlo_unary(b, TL_OP_IS_FINITE, most)};
  tl_value mask = tlo_constant_i64(b, codes, (top + 1) << shift);
  tl_value code = tlo_binary(b, TL_OP_AND, tlo_bitcast(b, most, codes), mask);
  tl_value least = tlo_constant_i64(b, codes, INT64_C(1) << shift);
  code = tlo_binary(b, TL_OP_MAXIMUM, code, least);
  tl_value greatest = tlo_constant_i64(b, codes, (top - 1) << shift);
  code = tlo_binary(b, TL_OP_MINIMUM, code, greatest);
  s.power = tlo_bitcast(b, code, numbers);
  tl_value both = tlo_constant_i64(b, codes, top << shift);
  tl_value inverse = tlo_bitcast(b, tlo_sub(b, both, code), numbers);
  s.a = tl_mx_times_real(b, a, tl_mx_spread3(b, inverse, x.N, x.m, x.n, &batch));
  tl_value good = tl_mx_spread3(b, s.finite, x.N, x.m, x.n, &batch);
  s.a = tlo_select(b, good, s.a, tl_mx_spread3(b, zero, x.N, x.m, x.n, NULL));
  return s;
}

// 1 where row == column, i1 -> dtype, [N, m, n].
static tl_value eye(tl_builder *b, tl_dtype dtype, int64_t N, int64_t m, int64_t n) {
  tl_value rows = tl_mx_iota3(b, N, m, n, 1), cols = tl_mx_iota3(b, N, m, n, 2);
  return tlo_convert(b, tlo_compare(b, EQ, rows, cols), dtype);
}

// Zeros behind v [N, m, n] up to [N, to_m, to_n].
static tl_value pad(tl_builder *b, tl_value v, int64_t to_m, int64_t to_n) {
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL;
  if (t.dims[1] == to_m && t.dims[2] == to_n) return v;
  static const int64_t none[3] = {0};
  tl_op *op = tl_op_begin(b, TL_OP_PAD, (tl_value[]){v, tl_mx_scalar(b, t.dtype, 0)}, 2);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_low, none, 3);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_high,
                 (int64_t[]){0, to_m - t.dims[1], to_n - t.dims[2]}, 3);
  tl_op_set_list(b, op, TL_A_PAD_interior_padding, none, 3);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// Sweeps over two carried matrices: `step` is built once, within two loops. It replaces both and
// says which pairs were idle.
typedef struct jacobi jacobi;
struct jacobi {
  int64_t h;                                                                  // columns / 2
  tl_value (*step)(tl_builder *b, const jacobi *j, tl_value *x, tl_value *v); // -> idle
  tl_value on_l, on_r, zeros, zero; // eigh: masks of diagonals [N, h, 2h], zeros of that shape; 0
  tl_value limit;                   // svd: the cosine below which columns are orthogonal, [N, h]
};

static void sweeps(tl_builder *b, const jacobi *j, tl_value *x, tl_value *v) {
  tl_value yes = tl_mx_scalar(b, TL_DTYPE_I1, 1), none = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  tl_loop outer = tlo_while_begin(b, (tl_value[]){*x, *v, yes, none}, 4);
  tl_builder *s = &outer.body;
  tl_value no = tl_mx_scalar(s, TL_DTYPE_I1, 0);
  tl_loop inner = tl_mx_for_begin(s, (tl_value[]){outer.y[0], outer.y[1], no}, 3);
  tl_builder *t = &inner.body;
  tl_value next[4] = {inner.y[0], inner.y[1]}, out[4] = {0};
  tl_value idle = j->step(t, j, &next[0], &next[1]);
  next[2] = tlo_binary(t, TL_OP_OR, inner.y[2], any_at_work(t, idle));
  tl_mx_for_end(s, &inner, 2 * j->h - 1, next, 3, out);
  out[3] = tlo_add(s, outer.y[3], tl_mx_scalar(s, TL_DTYPE_S32, 1));
  tl_value end = tl_mx_scalar(&outer.cond, TL_DTYPE_S32, SWEEPS);
  tl_value more = tlo_compare(&outer.cond, LT, outer.x[3], end);
  more = tlo_binary(&outer.cond, TL_OP_AND, more, outer.x[2]);
  tl_value last[4] = {0};
  tlo_while_end(b, &outer, more, out, last);
  *x = last[0], *v = last[1];
}

// ---- eigh ----

// |x| + |g| == |x|
static tl_value negligible(tl_builder *b, tl_value g, tl_value x) {
  tl_value size = tlo_unary(b, TL_OP_ABS, x);
  return tlo_compare(b, EQ, tlo_add(b, size, g), size);
}

static tl_value eigh_step(tl_builder *b, const jacobi *j, tl_value *x, tl_value *v) {
  pair rows = halves(b, *x, 1, j->h);
  tl_value p = diagonal(b, rows.l, j->on_l, j->zeros, j->zero); // [N, 2h], in the left half
  tl_value g = diagonal(b, rows.l, j->on_r, j->zeros, j->zero); // in the right half
  tl_value q = diagonal(b, rows.r, j->on_r, j->zeros, j->zero);
  tl_type t = tl_value_type(p);
  if (t.rank != 2) return NULL;
  const int64_t N = t.dims[0], h = j->h, start[] = {0, 0}, middle[] = {0, h}, limit[] = {N, h},
                end[] = {N, 2 * h};
  p = tlo_slice(b, p, start, limit, NULL);
  g = tlo_slice(b, g, middle, end, NULL);
  q = tlo_slice(b, q, middle, end, NULL);
  const tl_dtype dtype = t.dtype;
  p = tl_mx_real(b, p), q = tl_mx_real(b, q);
  tl_value size = tlo_unary(b, TL_OP_ABS, g);
  tl_value idle = negligible(b, size, p);
  idle = tlo_binary(b, TL_OP_AND, idle, negligible(b, size, q));
  angles a = angles_of(b, p, q, g, size, idle);
  tl_value change = tlo_mul(b, a.t, tl_mx_is_complex(g) ? size : g);
  p = tlo_sub(b, p, change);
  q = tlo_add(b, q, change);
  pair cols = rotate(b, halves(b, *x, 2, h), a, 2);
  rows = rotate(b, halves(b, join(b, cols.l, cols.r, 2), 1, h), a, 1);
  // The pairs' own elements, which are known: p and q, and zeros beside them.
  static const int64_t batch_row[] = {0, 1};
  p = tl_mx_spread3(b, tl_mx_of_real(b, p, dtype), N, h, 2 * h, batch_row);
  q = tl_mx_spread3(b, tl_mx_of_real(b, q, dtype), N, h, 2 * h, batch_row);
  rows.l = tlo_select(b, j->on_l, p, tlo_select(b, j->on_r, j->zeros, rows.l));
  rows.r = tlo_select(b, j->on_r, q, tlo_select(b, j->on_l, j->zeros, rows.r));
  tl_value moved = move_on(b, rows, 1, h);
  *x = move_on(b, halves(b, moved, 2, h), 2, h);
  *v = move_on(b, rotate(b, halves(b, *v, 2, h), a, 2), 2, h);
  return a.idle;
}

void tl_emit_EIGH(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  static const int64_t batch = 0;
  tl_type t = x[0]->type;
  tl_mx m = tl_mx_of(b, t);
  const tl_dtype real = tl_dtype_part(m.dtype);
  int64_t N = m.N, n = m.n, h = n / 2 + n % 2, dims[2];
  tl_type values = {real, t.rank - 1, t.dims};
  if (tl_emit_none(N, n, 1)) {
    y[0] = tlo_constant_f64(b, values, 0);
    y[1] = x[0];
    return;
  }
  // The triangle that is asked for, on both sides.
  bool lower = tl_op_i64(op, TL_A_EIGH_lower);
  tl_value a = tl_mx_flat(m, x[0]);
  tl_value rows = tl_mx_iota3(b, N, n, n, 1), cols = tl_mx_iota3(b, N, n, n, 2);
  tl_value mine = tlo_compare(b, lower ? GE : LE, rows, cols);
  a = tlo_select(b, mine, a, tl_mx_adjoint(b, a));
  if (real != m.dtype) { // the diagonal counts as real
    tl_value straight = tl_mx_of_real(b, tl_mx_real(b, a), m.dtype);
    a = tlo_select(b, tlo_compare(b, EQ, rows, cols), straight, a);
  }
  scaled s = scale(m, a);
  a = pad(b, s.a, 2 * h, 2 * h);
  tl_value v = pad(b, eye(b, m.dtype, N, n, n), n, 2 * h);
  jacobi j = {.h = h, .step = eigh_step, .zero = tl_mx_scalar(b, m.dtype, 0)};
  rows = tl_mx_iota3(b, N, h, 2 * h, 1), cols = tl_mx_iota3(b, N, h, 2 * h, 2);
  j.on_l = tlo_compare(b, EQ, rows, cols);
  tl_value half = tl_mx_spread3(b, tl_mx_scalar(b, TL_DTYPE_S32, (double)h), N, h, 2 * h, NULL);
  j.on_r = tlo_compare(b, EQ, tlo_add(b, rows, half), cols);
  j.zeros = tl_mx_spread3(b, j.zero, N, h, 2 * h, NULL);
  sweeps(b, &j, &a, &v);
  a = cut(b, cut(b, a, 1, 0, n), 2, 0, n);
  v = cut(b, v, 2, 0, n);
  rows = tl_mx_iota3(b, N, n, n, 1), cols = tl_mx_iota3(b, N, n, n, 2);
  tl_value on = tlo_compare(b, EQ, rows, cols);
  tl_value zeros = tl_mx_spread3(b, j.zero, N, n, n, NULL);
  tl_value order[2] = {0};
  sorted(b, tl_mx_real(b, diagonal(b, a, on, zeros, j.zero)), LT, order);
  tl_value power = tlo_broadcast(b, s.power, vectors(real, N, n, dims), &batch);
  tl_value w = or_nan(b, s.finite, tlo_mul(b, order[0], power));
  v = columns_by(b, v, order[1]);
  v = or_nan(b, s.finite, times_columns(b, v, column_signs(b, v)));
  y[0] = tl_mx_back(b, w, t, &n, 1);
  y[1] = tl_mx_back(b, v, t, (int64_t[]){n, n}, 2);
}

// ---- svd ----

// x^H x and x^H y of columns -> [N, n].
static tl_value column_squares(tl_builder *b, tl_value x) {
  tl_value zero = tl_mx_scalar(b, tl_dtype_part(tl_value_type(x).dtype), 0);
  return tlo_reduce(b, tl_mx_square(b, x), zero, (int64_t[]){1}, 1, TL_OP_ADD);
}
static tl_value column_dots(tl_builder *b, tl_value x, tl_value y) {
  tl_value zero = tl_mx_scalar(b, tl_value_type(x).dtype, 0);
  return tlo_reduce(b, tlo_mul(b, tl_mx_conj(b, x), y), zero, (int64_t[]){1}, 1, TL_OP_ADD);
}

static tl_value svd_step(tl_builder *b, const jacobi *j, tl_value *x, tl_value *v) {
  pair cols = halves(b, *x, 2, j->h);
  tl_value p = column_squares(b, cols.l), q = column_squares(b, cols.r);
  tl_value g = column_dots(b, cols.l, cols.r);
  tl_value norm = tlo_unary(b, TL_OP_SQRT, p);
  norm = tlo_mul(b, norm, tlo_unary(b, TL_OP_SQRT, q));
  tl_value size = tlo_unary(b, TL_OP_ABS, g);
  tl_value idle = tlo_compare(b, LE, size, tlo_mul(b, j->limit, norm));
  angles a = angles_of(b, p, q, g, size, idle);
  *x = move_on(b, rotate(b, cols, a, 2), 2, j->h);
  if (v != NULL && *v != NULL) *v = move_on(b, rotate(b, halves(b, *v, 2, j->h), a, 2), 2, j->h);
  return a.idle;
}

typedef struct svd { // of [N, M, K], M >= K: left [N, M, side], values [N, K], right [N, K, K]
  tl_value left, values, right;
} svd;

// The values alone when side is 0.
static svd svd_tall(tl_mx x, tl_value a, int64_t side) {
  tl_builder *b = x.b;
  const tl_dtype real = tl_dtype_part(x.dtype);
  int64_t N = x.N, K = x.n, h = K / 2 + K % 2, dims[2];
  tl_qr f = tl_mx_geqrf(x, a);
  tl_value rows = tl_mx_iota3(b, N, K, K, 1), cols = tl_mx_iota3(b, N, K, K, 2);
  tl_value zero = tl_mx_scalar(b, x.dtype, 0), zeros = tl_mx_spread3(b, zero, N, K, K, NULL);
  tl_value r = cut(b, f.packed, 1, 0, K);
  r = tlo_select(b, tlo_compare(b, GE, cols, rows), r, zeros);
  tl_value lower = pad(b, tl_mx_adjoint(b, r), K, 2 * h);
  tl_value v = pad(b, eye(b, x.dtype, N, side == 0 ? 0 : K, K), side == 0 ? 0 : K, 2 * h);
  double unit = real == TL_DTYPE_F64 ? 0x1p-53 : 0x1p-24; // one rounding
  jacobi j = {.h = h, .step = svd_step};
  j.limit = tlo_constant_f64(b, vectors(real, N, h, dims), unit * sqrt((double)K));
  sweeps(b, &j, &lower, &v);
  lower = cut(b, lower, 2, 0, K);
  tl_value order[2] = {0};
  tl_value norms = tlo_unary(b, TL_OP_SQRT, column_squares(b, lower));
  sorted(b, norms, GT, order);
  svd s = {.values = order[0]};
  if (side == 0) return s;
  // Right: the columns over their norms, made orthonormal to the last bit, and completed where a
  // norm is zero, by a QR whose R is the identity but for signs.
  lower = columns_by(b, lower, order[1]);
  tl_type row = vectors(real, N, K, dims);
  tl_value ones = tlo_constant_f64(b, row, 1), none = tlo_constant_f64(b, row, 0);
  norms = tlo_select(b, tlo_compare(b, EQ, s.values, none), ones, s.values);
  lower = tl_mx_over_real(b, lower, tl_mx_spread3(b, norms, N, K, K, batch_column));
  tl_qr q = tl_mx_geqrf((tl_mx){b, x.dtype, N, K, K}, lower);
  s.right = tl_mx_householder((tl_mx){b, x.dtype, N, K, K}, q.packed, q.taus, K, NULL);
  tl_value on = tlo_compare(b, EQ, rows, cols), minus = tlo_constant_f64(b, row, -1);
  tl_value diagonals = tl_mx_real(b, diagonal(b, q.packed, on, zeros, zero));
  tl_value negative = tlo_compare(b, LT, diagonals, none);
  tl_value signs = tlo_select(b, negative, minus, ones);
  s.right = times_columns(b, s.right, tl_mx_of_real(b, signs, x.dtype));
  // Left: Q times the rotations.
  v = columns_by(b, cut(b, v, 2, 0, K), order[1]);
  v = pad(b, v, x.m, side);
  if (side > K) {
    rows = tl_mx_iota3(b, N, x.m, side, 1), cols = tl_mx_iota3(b, N, x.m, side, 2);
    tl_value edge = tl_mx_spread3(b, tl_mx_scalar(b, TL_DTYPE_S32, (double)K), N, x.m, side, NULL);
    tl_value behind = tlo_compare(b, GE, rows, edge);
    v = tlo_select(b, behind, eye(b, x.dtype, N, x.m, side), v);
  }
  s.left = tl_mx_householder(x, f.packed, f.taus, side, v);
  return s;
}

// side: the columns of u, or the rows of vt, whichever is longer; 0: values alone.
static void svd_of(tl_builder *b, tl_value x, bool full, bool vectors_too, tl_value *out) {
  static const int64_t batch = 0;
  tl_type t = tl_value_type(x);
  tl_mx m = tl_mx_of(b, t);
  const tl_dtype real = tl_dtype_part(m.dtype);
  bool wide = m.m < m.n;
  int64_t K = TL_MIN(m.m, m.n), M = TL_MAX(m.m, m.n), side = full ? M : K, dims[2];
  int64_t u_n = full ? m.m : K, vt_m = full ? m.n : K;
  tl_value a = tl_mx_flat(m, x);
  if (tl_emit_none(m.N, K, 1)) { // no values, and any basis: the identity
    tl_value s = tlo_constant_f64(b, vectors(real, m.N, K, dims), 0);
    out[vectors_too ? 1 : 0] = tl_mx_back(b, s, t, &K, 1);
    if (!vectors_too) return;
    tl_value u = eye(b, m.dtype, m.N, m.m, u_n), vt = eye(b, m.dtype, m.N, vt_m, m.n);
    out[0] = tl_mx_back(b, u, t, (int64_t[]){m.m, u_n}, 2);
    out[2] = tl_mx_back(b, vt, t, (int64_t[]){vt_m, m.n}, 2);
    return;
  }
  if (wide) a = tl_mx_adjoint(b, a);
  tl_mx tall = {b, m.dtype, m.N, M, K};
  scaled c = scale(tall, a);
  svd s = svd_tall(tall, c.a, vectors_too ? side : 0);
  tl_value power = tlo_broadcast(b, c.power, vectors(real, m.N, K, dims), &batch);
  tl_value values = or_nan(b, c.finite, tlo_mul(b, s.values, power));
  out[vectors_too ? 1 : 0] = tl_mx_back(b, values, t, &K, 1);
  if (!vectors_too) return;
  tl_value kept = cut(b, s.left, 2, 0, K);
  tl_value signs = column_signs(b, wide ? kept : s.right);
  s.right = times_columns(b, s.right, signs);
  kept = times_columns(b, kept, signs);
  s.left = side > K ? join(b, kept, cut(b, s.left, 2, K, side), 2) : kept;
  s.right = or_nan(b, c.finite, s.right);
  s.left = or_nan(b, c.finite, s.left);
  tl_value u = wide ? s.right : s.left;
  tl_value vt = tl_mx_adjoint(b, wide ? s.left : s.right);
  out[0] = tl_mx_back(b, u, t, (int64_t[]){m.m, u_n}, 2);
  out[2] = tl_mx_back(b, vt, t, (int64_t[]){vt_m, m.n}, 2);
}

void tl_emit_SVD(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  svd_of(b, x[0], tl_op_i64(op, TL_A_SVD_full_matrices) != 0, true, y);
}

tl_value tl_emit_SINGULAR_VALUES(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_value s = NULL;
  svd_of(b, x[0], false, false, &s);
  return s;
}
