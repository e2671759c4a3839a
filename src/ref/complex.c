// Elementwise ops of complex numbers.
//
// Every op is one function of complex<f64>, careful that no intermediate value overflows,
// underflows or cancels where the result does not. complex<f32> goes through the same functions and
// is rounded at the end, which makes its results right to the last place but for the rarest ties.
//
// Special values are those of C's Annex G, which differ from the naive formulas in that an infinite
// operand gives an infinite or zero result rather than two NaNs. Branch cuts lie along the negative
// real axis and are continuous from the side that the sign of a zero says.
//
// Legend: z = x + iy; w, v further complex numbers. The square root, the hyperbolic tangent and the
// logarithm near the unit circle follow W. Kahan, "Branch cuts for complex elementary functions",
// 1987.
#include "ref/complex.h"

#include <float.h>
#include <math.h>

#include "ref/elementary_f64.h"
#include "ref/lanes.h"

typedef tl_c128 C;

static C make(double x, double y) { return (C){x, y}; }
static C scaled(C z, int e) { return make(ldexp(z.re, e), ldexp(z.im, e)); }
static double larger(C z) { return fmax(fabs(z.re), fabs(z.im)); }
static bool is_finite(C z) { return isfinite(z.re) && isfinite(z.im); }
static bool has_nan(C z) { return isnan(z.re) || isnan(z.im); }
static bool is_infinite(C z) { return isinf(z.re) || isinf(z.im); }
static bool is_zero(C z) { return z.re == 0 && z.im == 0; }

// a b + c d, to an ulp or two however much it cancels.
static double dot2(double a, double b, double c, double d) {
  double cd = c * d, lost = fma(c, d, -cd);
  return fma(a, b, cd) + lost;
}

// ---- Arithmetic ----

static C c_add(C z, C w) { return make(z.re + w.re, z.im + w.im); }
static C c_subtract(C z, C w) { return make(z.re - w.re, z.im - w.im); }
static C c_negate(C z) { return make(-z.re, -z.im); }

// An infinite part as 1, a finite one as 0, with their signs.
static C direction(C z) {
  return make(copysign(isinf(z.re) ? 1.0 : 0.0, z.re), copysign(isinf(z.im) ? 1.0 : 0.0, z.im));
}
static C without_nan(C z) {
  return make(isnan(z.re) ? copysign(0.0, z.re) : z.re, isnan(z.im) ? copysign(0.0, z.im) : z.im);
}

// The product, `p`, unless that is two NaNs where an operand is infinite.
static C multiplied(C z, C w, C p) {
  if (!isnan(p.re) || !isnan(p.im) || !(is_infinite(z) || is_infinite(w))) return p;
  if (is_infinite(z)) z = direction(z), w = without_nan(w);
  if (is_infinite(w)) w = direction(w), z = without_nan(z);
  const double inf = (double)INFINITY;
  return make(inf * (z.re * w.re - z.im * w.im), inf * (z.re * w.im + z.im * w.re));
}
static C c_multiply(C z, C w) { return multiplied(z, w, tl_c128_multiply(z, w)); }

// Both operands are brought to about 1 by powers of two, which are put back at the end.
static C c_divide(C z, C w) {
  if (is_finite(z) && is_finite(w) && !is_zero(w)) {
    if (w.im == 0) return make(z.re / w.re, z.im / w.re);
    const int e = ilogb(larger(w)), d = is_zero(z) ? 0 : ilogb(larger(z));
    z = scaled(z, -d), w = scaled(w, -e);
    const double n = w.re * w.re + w.im * w.im;
    return scaled(make(dot2(z.re, w.re, z.im, w.im) / n, dot2(z.im, w.re, -z.re, w.im) / n), d - e);
  }
  if (is_zero(w) && !(isnan(z.re) && isnan(z.im))) {
    const double inf = copysign((double)INFINITY, w.re);
    return make(inf * z.re, inf * z.im);
  }
  if (is_infinite(z) && is_finite(w)) {
    z = direction(z);
    const double inf = (double)INFINITY;
    return make(inf * (z.re * w.re + z.im * w.im), inf * (z.im * w.re - z.re * w.im));
  }
  if (is_infinite(w) && is_finite(z)) {
    w = direction(w);
    return make(0.0 * (z.re * w.re + z.im * w.im), 0.0 * (z.im * w.re - z.re * w.im));
  }
  return make((double)NAN, (double)NAN);
}

tl_c128 tl_c128_divide(tl_c128 x, tl_c128 y) { return c_divide(x, y); }

// Lexicographic; a number with a NaN wins, the first of two.
static bool precedes(C z, C w) { return z.re == w.re ? z.im < w.im : z.re < w.re; }
static C c_maximum(C z, C w) { return has_nan(z) ? z : has_nan(w) ? w : precedes(z, w) ? w : z; }
static C c_minimum(C z, C w) { return has_nan(z) ? z : has_nan(w) ? w : precedes(w, z) ? w : z; }

// Half of an exponent by which z is out of reach of hypot; 0 where it is not, for a power of two
// would lose a part much smaller than the other.
static int root_scale(C z) {
  const int e = ilogb(larger(z));
  return e > 1000 ? 20 : e < -900 ? -100 : 0;
}

static double c_abs(C z) { return hypot(z.re, z.im); }

static C c_sign(C z) {
  if (has_nan(z)) return make((double)NAN, (double)NAN);
  if (is_zero(z)) return make(0.0, 0.0);
  if (is_finite(z)) z = scaled(z, -2 * root_scale(z));
  const double r = c_abs(z);
  return make(z.re / r, z.im / r);
}

// ---- Exponentials ----

// e^x times (c, s), where e^x alone may overflow.
static C exp_times(double x, double c, double s) {
  if (x < 700 || isinf(x)) return make(tl_exp_f64(x) * c, tl_exp_f64(x) * s);
  const double half = tl_exp_f64(x / 2);
  return make(half * c * half, half * s * half);
}

static C c_exponential(C z) {
  if (z.im == 0) return make(tl_exp_f64(z.re), z.im);
  if (!isfinite(z.im)) {
    if (z.re == -(double)INFINITY) return make(0.0, 0.0);
    if (z.re == (double)INFINITY) return make(z.re, (double)NAN);
    return make((double)NAN, (double)NAN);
  }
  if (z.re == -(double)INFINITY)
    return make(copysign(0.0, tl_cos_f64(z.im)), copysign(0.0, tl_sin_f64(z.im)));
  return exp_times(z.re, tl_cos_f64(z.im), tl_sin_f64(z.im));
}

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin(y/2)^2, whose terms may still cancel.
static C c_exponential_minus_one(C z) {
  if (z.im == 0) return make(tl_expm1_f64(z.re), z.im);
  if (!is_finite(z) || z.re > 700) {
    const C w = c_exponential(z);
    return make(w.re - 1, w.im);
  }
  const double h = tl_sin_f64(z.im / 2);
  return make(dot2(tl_expm1_f64(z.re), tl_cos_f64(z.im), -2 * h, h),
              tl_exp_f64(z.re) * tl_sin_f64(z.im));
}

// ---- Logarithms ----

static const double ln2 = 0x1.62e42fefa39efp-1;

// a + b as a rounded sum and what the rounding lost.
static double two_sum(double a, double b, double *lost) {
  const double s = a + b, t = s - a;
  *lost = (a - (s - t)) + (b - t);
  return s;
}

// 2 x + x^2 + y^2 for |z| up to about 2^500, or with `unit` x^2 + y^2 - 1: in twice the precision,
// because the terms cancel near the circle where the sum is 0.
static double off_circle(double x, double y, bool unit) {
  double xx = x * x, yy = y * y, e1, e2;
  double low = fma(x, x, -xx) + fma(y, y, -yy);
  double s = two_sum(xx, unit ? -1 : 2 * x, &e1);
  s = two_sum(s, yy, &e2);
  return s + (e1 + e2 + low);
}

static double log_abs(C z) {
  const double big = larger(z), small = fmin(fabs(z.re), fabs(z.im));
  if (isinf(big)) return (double)INFINITY; // also beside a NaN
  if (has_nan(z)) return (double)NAN;
  if (big == 0) return -(double)INFINITY;
  if (big > 0.5 && big < 2 && small < 2) return tl_log1p_f64(off_circle(big, small, true)) / 2;
  if (big > 0x1p1000 || big < 0x1p-900) {
    const int e = ilogb(big);
    return tl_log_f64(c_abs(scaled(z, -e))) + e * ln2;
  }
  return tl_log_f64(c_abs(z));
}

static C c_log(C z) { return make(log_abs(z), tl_atan2_f64(z.im, z.re)); }

static C c_log_plus_one(C z) {
  const C w = make(1 + z.re, z.im); // z.re itself where it is large; exact near -1
  const double re =
      larger(z) < 0x1p100 ? tl_log1p_f64(off_circle(z.re, z.im, false)) / 2 : log_abs(w);
  return make(re, tl_atan2_f64(w.im, w.re));
}

// ---- Roots ----

static C c_sqrt(C z) {
  const double inf = (double)INFINITY;
  if (is_zero(z)) return make(0.0, z.im);
  if (isinf(z.im)) return make(inf, z.im);
  if (isnan(z.re)) return make(z.re, (double)NAN);
  if (z.re == inf) return make(inf, isnan(z.im) ? z.im : copysign(0.0, z.im));
  if (z.re == -inf) return make(isnan(z.im) ? z.im : 0.0, copysign(inf, z.im));
  if (isnan(z.im)) return make(z.im, z.im);
  const int e = root_scale(z);
  z = scaled(z, -2 * e);
  const double t = sqrt((fabs(z.re) + c_abs(z)) / 2), u = fabs(z.im) / (2 * t);
  return scaled(z.re >= 0 ? make(t, copysign(u, z.im)) : make(u, copysign(t, z.im)), e);
}

// conj(sqrt z) / |z|, which needs no complex division.
static C c_rsqrt(C z) {
  if (!is_finite(z) || is_zero(z)) return c_divide(make(1, 0), c_sqrt(z));
  const int e = root_scale(z);
  z = scaled(z, -2 * e);
  const C w = c_sqrt(z);
  const double r = c_abs(z);
  return scaled(make(w.re / r, -w.im / r), -e);
}

// The root whose argument is a third of z's.
static C c_cbrt(C z) {
  if (z.im == 0 && z.re >= 0) return make(tl_cbrt_f64(z.re), z.im);
  const double r = tl_cbrt_f64(c_abs(z)), a = tl_atan2_f64(z.im, z.re) / 3;
  return make(r * tl_cos_f64(a), r * tl_sin_f64(a));
}

static C c_power(C z, C w) {
  if (is_zero(w)) return make(1, 0);
  if (is_zero(z)) { // as the limit, where there is one
    if (w.re > 0) return make(0.0, 0.0);
    if (w.re < 0 && w.im == 0) return make((double)INFINITY, 0.0);
    return make((double)NAN, (double)NAN);
  }
  if (w.re == 1 && w.im == 0) return z;
  const C l = c_log(z);
  return c_exponential(make(dot2(w.re, l.re, -w.im, l.im), dot2(w.re, l.im, w.im, l.re)));
}

// ---- Trigonometric and hyperbolic ----

// (c cosh y, s sinh y): where cosh alone overflows, halves of the exponential one after the other.
static C cosh_sinh_times(double y, double c, double s) {
  if (y == 0) return make(c, isnan(s) ? y : s * y);
  if (fabs(y) < 700 || !isfinite(y)) // an exact 0 times infinity is 0
    return make(c == 0 ? c : c * cosh(y), s == 0 ? s * copysign(1.0, y) : s * sinh(y));
  const double half = tl_exp_f64(fabs(y) / 2);
  return make(c * half / 2 * half, copysign(s, s * y) * half / 2 * half);
}

// sin x cosh y + i cos x sinh y
static C c_sine(C z) { return cosh_sinh_times(z.im, tl_sin_f64(z.re), tl_cos_f64(z.re)); }
// cos x cosh y - i sin x sinh y
static C c_cosine(C z) { return cosh_sinh_times(z.im, tl_cos_f64(z.re), -tl_sin_f64(z.re)); }

static C c_tanh(C z) {
  const double x = z.re, y = z.im;
  if (isinf(x)) return make(copysign(1.0, x), copysign(0.0, isfinite(y) ? tl_sin_f64(2 * y) : y));
  if (isnan(x)) return make(x, y == 0 ? y : x);
  if (!isfinite(y)) return make(x == 0 ? x : (double)NAN, (double)NAN);
  if (fabs(x) > 22) {
    const double e = tl_exp_f64(-fabs(x));
    return make(copysign(1.0, x), 4 * tl_sin_f64(y) * tl_cos_f64(y) * e * e);
  }
  const double t = tl_tan_f64(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s);
  const double n = 1 + beta * s * s;
  return make(beta * rho * s / n, t / n);
}

// tan z = -i tanh iz
static C c_tan(C z) {
  const C w = c_tanh(make(-z.im, z.re));
  return make(w.im, -w.re);
}

// 1 / (1 + e^-z), by the exponential that does not overflow.
static C c_logistic(C z) {
  const C one = make(1, 0);
  if (z.re >= 0 || isnan(z.re)) return c_divide(one, c_add(one, c_exponential(c_negate(z))));
  const C e = c_exponential(z);
  return c_divide(e, c_add(one, e));
}

// -i log((x + iy) / sqrt(x^2 + y^2)) of complex y and x; atan2 of their real parts where both are
// real.
static C c_atan2(C y, C x) {
  if (y.im == 0 && x.im == 0) return make(tl_atan2_f64(y.re, x.re), 0.0);
  const C top = make(x.re - y.im, x.im + y.re);
  const C root = c_sqrt(c_add(c_multiply(x, x), c_multiply(y, y)));
  const C l = c_log(c_divide(top, root));
  return make(l.im, -l.re);
}

// ---- Lanes ----

static C widen(tl_c64 z) { return make((double)z.re, (double)z.im); }
static tl_c64 narrow(C z) { return (tl_c64){(float)z.re, (float)z.im}; }

typedef C binary_fn(C, C);
typedef C unary_fn(C);

static binary_fn *binary_of(tl_opcode op) {
  switch (op) {
#define ROW(id, name) \
  case TL_OP_##id:    \
    return c_##name;
    ROW(ADD, add)
    ROW(SUBTRACT, subtract)
    ROW(MULTIPLY, multiply)
    ROW(DIVIDE, divide)
    ROW(MAXIMUM, maximum)
    ROW(MINIMUM, minimum)
    ROW(POWER, power)
    ROW(ATAN2, atan2)
  default:
    return NULL; // the specification leaves the remainder open
  }
}

static unary_fn *unary_of(tl_opcode op) {
  switch (op) {
    ROW(NEGATE, negate)
    ROW(SIGN, sign)
    ROW(EXPONENTIAL, exponential)
    ROW(EXPONENTIAL_MINUS_ONE, exponential_minus_one)
    ROW(LOG, log)
    ROW(LOG_PLUS_ONE, log_plus_one)
    ROW(SQRT, sqrt)
    ROW(RSQRT, rsqrt)
    ROW(CBRT, cbrt)
    ROW(SINE, sine)
    ROW(COSINE, cosine)
    ROW(TAN, tan)
    ROW(TANH, tanh)
    ROW(LOGISTIC, logistic)
#undef ROW
  default:
    return NULL;
  }
}

bool tl_complex_binary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x,
                       const tl_lanes *y, tl_lanes *z) {
  binary_fn *f = binary_of(op);
  if (op == TL_OP_MULTIPLY && kind == TL_LANES_C64) {
    for (size_t i = 0; i < n; i++)
      z->c64[i] = narrow(multiplied(widen(x->c64[i]), widen(y->c64[i]),
                                    widen(tl_c64_multiply(x->c64[i], y->c64[i]))));
    return true;
  }
  if (f == NULL || (kind != TL_LANES_C64 && kind != TL_LANES_C128)) return false;
  for (size_t i = 0; i < n; i++)
    if (kind == TL_LANES_C64)
      z->c64[i] = narrow(f(widen(x->c64[i]), widen(y->c64[i])));
    else
      z->c128[i] = f(x->c128[i], y->c128[i]);
  return true;
}

bool tl_complex_unary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x, tl_lanes *z) {
  unary_fn *f = unary_of(op);
  if ((f == NULL && op != TL_OP_ABS) || (kind != TL_LANES_C64 && kind != TL_LANES_C128))
    return false;
  for (size_t i = 0; i < n; i++) // results are never wider than x, so z may be x
    if (op == TL_OP_ABS && kind == TL_LANES_C64)
      z->f32[i] = (float)c_abs(widen(x->c64[i]));
    else if (op == TL_OP_ABS)
      z->f64[i] = c_abs(x->c128[i]);
    else if (kind == TL_LANES_C64)
      z->c64[i] = narrow(f(widen(x->c64[i])));
    else
      z->c128[i] = f(x->c128[i]);
  return true;
}
