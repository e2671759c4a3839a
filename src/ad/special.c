// Derivatives of special functions and activations, each in terms of other ops of the table, so
// that higher derivatives exist. g is a tangent or a cotangent.
#include "ad/rule.h"

#include <math.h>

#define TL_DIAG_FN(id) tl_value tl_diag_##id(const tl_diag_at *d, TL_UNUSED uint32_t i, tl_value g)

static tl_value one_like(tl_builder *b, tl_value x) { return tl_ad_like(b, x, 1); }
static tl_value square(tl_builder *b, tl_value x) { return tlo_mul(b, x, x); }

// f16 and bf16 in f32, rounded once, as their values are.
static tl_value widened(tl_builder *b, tl_value x) {
  return x != NULL && tl_dtype_get(x->type.dtype)->size < 4 ? tlo_convert(b, x, TL_DTYPE_F32) : x;
}

// The result with it: of narrow floats computed again of x widened, before it was rounded.
static tl_value widened_out(const tl_diag_at *d, tl_value x) {
  return x == d->in[0] ? d->out : tlo_unary(d->b, d->op->code, x);
}

// (1 - x)(1 + x): does not cancel near 1 as 1 - x^2 does.
static tl_value one_minus_square(tl_builder *b, tl_value x) {
  tl_value one = one_like(b, x), below = tlo_sub(b, one, x), above = tlo_add(b, one, x);
  return tlo_mul(b, below, above);
}

// --- Error functions
// ------------------------------------------------------------------------------

// times * exp(-x^2) * g. Behind 30 it is 0 in every type, and with x held there its derivatives are
// 0 too, at infinity as well, where -2 x exp(-x^2) would be inf * 0.
static tl_value gaussian(const tl_diag_at *d, tl_value g, double times) {
  tl_builder *b = d->b;
  const tl_type scalar = tl_type_scalar(tl_value_type(d->in[0]).dtype);
  tl_value low = tlo_constant_f64(b, scalar, -30), high = tlo_constant_f64(b, scalar, 30);
  tl_value x = tl_ad_clamp(b, low, d->in[0], high);
  tl_value e = tlo_unary(b, TL_OP_EXPONENTIAL, tl_ad_neg(b, square(b, x)));
  return tl_ad_scale(b, tlo_mul(b, g, e), times);
}

#define TWO_BY_ROOT_PI 0x1.20dd750429b6dp+0
#define HALF_ROOT_PI 0x1.c5bf891b4ef6bp-1

TL_DIAG_FN(ERF) { return gaussian(d, g, TWO_BY_ROOT_PI); }
TL_DIAG_FN(ERFC) { return gaussian(d, g, -TWO_BY_ROOT_PI); }

// y = erf^-1 x: sqrt(pi)/2 exp(y^2) g
TL_DIAG_FN(ERF_INV) {
  tl_value x = widened(d->b, d->in[0]), y = widened_out(d, x);
  tl_value e = tlo_unary(d->b, TL_OP_EXPONENTIAL, square(d->b, y));
  e = tlo_convert(d->b, e, tl_value_type(d->in[0]).dtype);
  return tl_ad_scale(d->b, tlo_mul(d->b, g, e), HALF_ROOT_PI);
}

// --- Gamma and zeta functions
// -----------------------------------------------------------------------

TL_DIAG_FN(LGAMMA) { return tlo_mul(d->b, g, tlo_digamma(d->b, d->in[0])); }
TL_DIAG_FN(DIGAMMA) { return tlo_mul(d->b, g, tlo_trigamma(d->b, d->in[0])); }

TL_DIAG_FN(TRIGAMMA) {
  tl_value two = tl_ad_like(d->b, d->in[0], 2);
  return tlo_mul(d->b, g, tlo_polygamma(d->b, two, d->in[0]));
}

// In x: polygamma(n + 1, x). It is defined at natural n alone, so n has no derivative (JAX refuses
// it too).
static tl_value in_x(tl_builder *b, const tl_value *in, tl_value g) {
  tl_value n = tlo_add(b, in[0], one_like(b, in[0]));
  return tlo_mul(b, g, tlo_polygamma(b, n, in[1]));
}
static const char by_order[] = "by its order: it is defined at natural numbers alone";

void tl_vjp_polygamma(tl_vjp *v) {
  if (tl_vjp_wants(v, 0)) tl_ad_refuse(v->ad, v->b, v->op, by_order);
  tl_vjp_give(v, 1, in_x(v->b, v->in, v->ct[0]));
}
void tl_jvp_polygamma(tl_jvp *j) {
  if (j->t[0] != NULL) tl_ad_refuse(j->ad, j->b, j->op, by_order);
  if (j->t[1] != NULL) tl_jvp_give(j, 0, in_x(j->b, j->in, j->t[1]));
}

// In q: -s zeta(s + 1, q).
static tl_value in_q(tl_builder *b, const tl_value *in, tl_value g) {
  tl_value s = widened(b, in[0]),
           next = tlo_add(b, s, one_like(b, s)); // not rounded: a pole is near
  tl_value z = tlo_zeta(b, next, widened(b, in[1]));
  z = tlo_convert(b, tlo_mul(b, s, z), tl_value_type(in[1]).dtype);
  return tl_ad_neg(b, tlo_mul(b, g, z));
}
// In s, by the formula of Euler and Maclaurin, term by term (q > 0): with a = q + 10 and P_j =
// s (s + 1) ... (s + 2j - 2),
//
//     zeta(s, q) = sum_{k < 10} (q + k)^-s + a^-s (a / (s - 1) + 1/2 + sum_j B_2j / (2j)! P_j a^(1
//     - 2j))
static tl_value in_s(tl_builder *b, const tl_value *in, tl_value g) {
  static const double bernoulli[] = {1.0 / 12,          -1.0 / 720,
                                     1.0 / 30240,       -1.0 / 1209600,
                                     1.0 / 47900160,    -691.0 / 1307674368000,
                                     1.0 / 74724249600, -3617.0 / 10670622842880000};
  tl_value s = widened(b, in[0]), q = widened(b, in[1]), one = one_like(b, s), sum = NULL;
  tl_value minus_s = tl_ad_neg(b, s), a = q;
  for (int k = 0; k < 10; k++) { // each is -log(q + k) (q + k)^-s
    tl_value p = tlo_binary(b, TL_OP_POWER, a, minus_s);
    p = tlo_mul(b, p, tlo_unary(b, TL_OP_LOG, a));
    sum = sum == NULL ? p : tlo_add(b, sum, p);
    a = tlo_add(b, q, tl_ad_like(b, q, k + 1));
  }
  tl_value before = tlo_sub(b, s, one), log = tlo_unary(b, TL_OP_LOG, a);
  tl_value tail = tlo_div(b, a, before), slope = tl_ad_neg(b, tlo_div(b, tail, before));
  tail = tlo_add(b, tail, tl_ad_like(b, s, 0.5));
  tl_value down = tlo_div(b, one, a), down2 = square(b, down), p = s, dp = one;
  for (int j = 1; j <= 8; j++) {
    tl_value by = tl_ad_scale(b, down, bernoulli[j - 1]);
    tail = tlo_add(b, tail, tlo_mul(b, by, p));
    slope = tlo_add(b, slope, tlo_mul(b, by, dp));
    tl_value x = tlo_add(b, s, tl_ad_like(b, s, 2 * j - 1)), y = tlo_add(b, x, one);
    tl_value xy = tlo_mul(b, x, y);
    dp = tlo_add(b, tlo_mul(b, dp, xy), tlo_mul(b, p, tlo_add(b, x, y)));
    p = tlo_mul(b, p, xy);
    down = tlo_mul(b, down, down2);
  }
  slope = tlo_sub(b, slope, tlo_mul(b, log, tail));
  slope = tlo_mul(b, slope, tlo_binary(b, TL_OP_POWER, a, minus_s));
  slope = tlo_convert(b, tlo_sub(b, slope, sum), tl_value_type(in[0]).dtype);
  return tlo_mul(b, g, slope);
}

void tl_vjp_zeta(tl_vjp *v) {
  if (tl_vjp_wants(v, 0)) tl_vjp_give(v, 0, in_s(v->b, v->in, v->ct[0]));
  if (tl_vjp_wants(v, 1)) tl_vjp_give(v, 1, in_q(v->b, v->in, v->ct[0]));
}
void tl_jvp_zeta(tl_jvp *j) {
  tl_value s = j->t[0] == NULL ? NULL : in_s(j->b, j->in, j->t[0]), q = NULL;
  if (j->t[1] != NULL) q = in_q(j->b, j->in, j->t[1]);
  tl_jvp_give(j, 0, s == NULL ? q : q == NULL ? s : tl_ad_add(j->b, s, q));
}

// --- Bessel functions
// -------------------------------------------------------------------------------

// sum of exp(a (cos t_k - 1)) / 64 over 64 points of the circle: the trapezoidal rule on the
// integral of I0 (Abramowitz and Stegun 9.6.16), whose error 2 exp(-a) I64(a) is below 1e-18 for a
// <= 24. The points of one cosine are one term.
static tl_value i0e_near(tl_builder *b, tl_value a) {
  static const double cosines_less_1[33] = {
#include "ad/cosines.inc"
  };
  tl_value sum = NULL;
  for (int k = 32; k >= 0; k--) { // from the smallest
    tl_value e = tlo_unary(b, TL_OP_EXPONENTIAL, tl_ad_scale(b, a, cosines_less_1[k]));
    e = tl_ad_scale(b, e, k == 0 || k == 32 ? 1.0 / 64 : 1.0 / 32);
    sum = sum == NULL ? e : tlo_add(b, sum, e);
  }
  return sum;
}

// 1/sqrt(2 pi a) sum of ((2k - 1)!!)^2 / (k! (8 a)^k): Abramowitz and Stegun 9.7.1; 24 terms, for a
// >= 24.
static tl_value i0e_far(tl_builder *b, tl_value a) {
  tl_value r = tlo_div(b, one_like(b, a), a), sum = one_like(b, a);
  for (int k = 24; k >= 1; k--) { // 1 + c_1 r (1 + c_2 r (...))
    double c = (2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k);
    tl_value term = tl_ad_scale(b, tlo_mul(b, sum, r), c);
    sum = tlo_add(b, one_like(b, a), term);
  }
  tl_value root = tlo_unary(b, TL_OP_RSQRT, a);
  return tl_ad_scale(b, tlo_mul(b, sum, root), 0x1.9884533d43651p-2);
}

// exp(-|x|) I0(x)
static tl_value i0e(tl_builder *b, tl_value x) {
  tl_value a = tlo_unary(b, TL_OP_ABS, x), edge = tl_ad_like(b, x, 24);
  tl_value is_near = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, a, edge);
  // Each piece sees what it is good for, so that none gives NaN where it is not taken.
  tl_value near_a = tlo_select(b, is_near, a, edge), far_a = tlo_select(b, is_near, edge, a);
  tl_value near_y = i0e_near(b, near_a), far_y = i0e_far(b, far_a);
  return tlo_select(b, is_near, near_y, far_y);
}

// y = exp(-|x|) I1(x): I1' = I0 - I1/x, so y' = exp(-|x|) I0 - y (sign x + 1/x), 1/2 at 0.
TL_DIAG_FN(BESSEL_I1E) {
  tl_builder *b = d->b;
  tl_value x = widened(b, d->in[0]), y = widened_out(d, x);
  tl_value a = tlo_unary(b, TL_OP_ABS, x), tiny = tl_ad_like(b, x, 0x1p-20);
  tl_value is_tiny = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, a, tiny);
  // There y/x = 1/2 - |x|/2 + 3/16 x^2 to the last bit; elsewhere it is divided.
  tl_value safe = tlo_select(b, is_tiny, one_like(b, x), x), by_x = tlo_div(b, y, safe);
  tl_value series = tl_ad_scale(b, tlo_sub(b, one_like(b, x), a), 0.5);
  series = tlo_add(b, series, tl_ad_scale(b, square(b, x), 0.1875));
  by_x = tlo_select(b, is_tiny, series, by_x);
  tl_value s = tlo_mul(b, y, tlo_unary(b, TL_OP_SIGN, x));
  tl_value dy = tlo_sub(b, i0e(b, x), tlo_add(b, s, by_x));
  return tlo_mul(b, g, tlo_convert(b, dy, tl_value_type(d->in[0]).dtype));
}

// --- Hyperbolic functions, and inverses
// ---------------------------------------------------------------

TL_DIAG_FN(SINH) { return tlo_mul(d->b, g, tlo_cosh(d->b, d->in[0])); }
TL_DIAG_FN(COSH) { return tlo_mul(d->b, g, tlo_sinh(d->b, d->in[0])); }

TL_DIAG_FN(ASIN) {
  tl_value r = tlo_unary(d->b, TL_OP_RSQRT, one_minus_square(d->b, d->in[0]));
  return tlo_mul(d->b, g, r);
}
TL_DIAG_FN(ACOS) {
  tl_value r = tlo_unary(d->b, TL_OP_RSQRT, one_minus_square(d->b, d->in[0]));
  return tl_ad_neg(d->b, tlo_mul(d->b, g, r));
}
TL_DIAG_FN(ATAN) {
  tl_value one = one_like(d->b, d->in[0]), x2 = square(d->b, d->in[0]);
  return tlo_div(d->b, g, tlo_add(d->b, one, x2));
}

static int greatest_exponent(tl_dtype t) {
  return t == TL_DTYPE_F64 ? 1024 : t == TL_DTYPE_F16 ? 16 : tl_dtype_get(t)->size < 2 ? 8 : 128;
}

// 1/sqrt(x^2 + 1). Where x^2 could overflow, both are first divided by a power of two s: a constant
// on either side, so that it has no derivative of its own.
TL_DIAG_FN(ASINH) {
  tl_builder *b = d->b;
  tl_value x = d->in[0], one = one_like(b, x);
  if (tl_ad_is_complex(x)) { // in parts: x^2 + 1 would lose the sign of a zero on the branch cuts
    tl_value re = tlo_unary(b, TL_OP_REAL, x), im = tlo_unary(b, TL_OP_IMAG, x);
    tl_value square_re = square(b, re), wr = tlo_add(b, square_re, one_minus_square(b, im));
    tl_value wi = tl_ad_scale(b, tlo_mul(b, re, im), 2);
    return tlo_mul(b, g, tlo_unary(b, TL_OP_RSQRT, tlo_binary(b, TL_OP_COMPLEX, wr, wi)));
  }
  if (x == NULL) return NULL;
  const int e = greatest_exponent(x->type.dtype);
  tl_value a = tlo_unary(b, TL_OP_ABS, x), edge = tl_ad_like(b, x, ldexp(1, e * 3 / 8));
  tl_value is_far = tlo_compare(b, TL_COMPARISON_DIRECTION_GT, a, edge);
  tl_value far_s = tl_ad_like(b, x, ldexp(1, -(e * 9 / 16)));
  tl_value s = tlo_select(b, is_far, far_s, one), xs = tlo_mul(b, x, s);
  tl_value x2 = square(b, xs), r = tlo_unary(b, TL_OP_RSQRT, tlo_add(b, x2, square(b, s)));
  return tlo_mul(b, g, tlo_mul(b, s, r));
}

// 1/(sqrt(x - 1) sqrt(x + 1)): on the branch cuts no product of the two.
TL_DIAG_FN(ACOSH) {
  tl_builder *b = d->b;
  tl_value x = d->in[0], one = one_like(b, x), below = tlo_sub(b, x, one),
           above = tlo_add(b, x, one);
  tl_value p = tlo_unary(b, TL_OP_RSQRT, below), q = tlo_unary(b, TL_OP_RSQRT, above);
  return tlo_mul(b, g, tlo_mul(b, p, q));
}

TL_DIAG_FN(ATANH) { return tlo_div(d->b, g, one_minus_square(d->b, d->in[0])); }

// The step to the next number is constant: in x it is the identity, as in JAX; in y it has no
// derivative.
TL_DIAG_FN(NEXT_AFTER) { return i == 0 && d != NULL ? g : NULL; }

// --- Activations
// --------------------------------------------------------------------------------------

// y = x (1 + t)/2, t = tanh(u), u = c (x + k x^3): (1 + t)/2 + x (1 - t^2) u'/2, u' = c (1 + 3 k
// x^2)
TL_DIAG_FN(GELU) {
  tl_builder *b = d->b;
  const double c = 0x1.9884533d43651p-1, k = 0.044715; // c = sqrt(2/pi)
  tl_value x = widened(b, d->in[0]), one = one_like(b, x), x2 = square(b, x);
  tl_value inner = tlo_add(b, one, tl_ad_scale(b, x2, k)), u = tlo_mul(b, x, inner);
  tl_value t = tlo_unary(b, TL_OP_TANH, tl_ad_scale(b, u, c));
  tl_value du = tl_ad_scale(b, tlo_add(b, one, tl_ad_scale(b, x2, 3 * k)), c);
  tl_value dt = tlo_mul(b, tlo_sub(b, one, square(b, t)), du), left = tlo_add(b, one, t);
  tl_value dy = tl_ad_scale(b, tlo_add(b, left, tlo_mul(b, x, dt)), 0.5);
  tl_value y = tlo_mul(b, widened(b, g), dy);
  return g == NULL ? NULL : tlo_convert(b, y, g->type.dtype);
}

// y = x s, s = logistic x: s (1 + x (1 - s))
TL_DIAG_FN(SILU) {
  tl_builder *b = d->b;
  tl_value x = widened(b, d->in[0]), one = one_like(b, x), s = tlo_unary(b, TL_OP_LOGISTIC, x);
  tl_value rest = tlo_mul(b, x, tlo_sub(b, one, s)), dy = tlo_mul(b, s, tlo_add(b, one, rest));
  tl_value y = tlo_mul(b, widened(b, g), dy);
  return g == NULL ? NULL : tlo_convert(b, y, g->type.dtype);
}

// 0 at 0, as jax.nn.relu and PyTorch have it.
TL_DIAG_FN(RELU) {
  tl_value zero = tl_ad_like(d->b, d->in[0], 0);
  tl_value above = tlo_compare(d->b, TL_COMPARISON_DIRECTION_GT, d->in[0], zero);
  return tlo_select(d->b, above, g, zero);
}
