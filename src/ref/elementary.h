// The f32 functions and orders of summation that every part of the system agrees on, to the last
// bit.
//
// libm differs between machines and versions, so a program's bits would too. Here exp, log, tanh
// and logistic are fixed sequences of IEEE operations (add, multiply, fused multiply-add, divide,
// integer shifts), which the vector kernels repeat lane by lane (cpu/kernels/v16_math.h): the same
// input gives the same bits in the interpreter, in scalar code and in any SIMD width. The orders of
// dot and sum are those of the kernels (cpu/kernels/kernels.h).
//
// Method, after Cody and Waite: reduce the argument exactly, evaluate a minimax polynomial (fitted
// by Remez' exchange in 40 digits, coefficients rounded to f32), put the exponent back. Greatest
// errors over all finite arguments, in units of the last place of the result, asserted by
// cpu/kernels/math_test.c:
//
//   exp 0.91 (subnormal results included)    log 0.83    tanh 1.84
//   logistic 2.49 (where the result is normal)
//
// Special values are those of C's Annex F: exp(-inf) = 0, log(0) = -inf, log(x < 0) = NaN, NaN
// gives NaN.
#ifndef TL_REF_ELEMENTARY_H
#define TL_REF_ELEMENTARY_H

#include <math.h>
#include <string.h>

#include "base/half.h"

#define TL_LOG2E_F32 0x1.715476p+0f
#define TL_LN2_HI_F32 0x1.62e4p-1f // 15 bits: n * hi is exact for |n| < 512
#define TL_LN2_LO_F32 0x1.7f7d1cp-20f
#define TL_ROUND_F32 0x1.8p+23f // adding it rounds to an integer, which then lies in the low bits

// Coefficients from the highest power down. exp(r) = 1 + r (1 + r E(r)) on |r| <= ln(2)/2;
// log(1+f) = f - f^2/2 + f^3 L(f) on sqrt(1/2) <= 1+f < sqrt(2); tanh(x) = x + x^3 T(x^2) on |x| <
// 0.625.
#define TL_EXP_COEFFICIENTS(C) \
  C(0x1.6a2350p-10f) C(0x1.123a6cp-7f) C(0x1.5558f4p-5f) C(0x1.555490p-3f) C(0x1.fffffcp-2f)
#define TL_LOG_COEFFICIENTS(C) \
  C(0x1.1b42cap-4f)            \
  C(-0x1.e2e9bap-4f)           \
  C(0x1.e650a2p-4f)            \
  C(-0x1.fb4328p-4f)           \
  C(0x1.2332c0p-3f) C(-0x1.5562e4p-3f) C(0x1.99a546p-3f) C(-0x1.ffffeep-3f) C(0x1.555546p-2f)
#define TL_TANH_COEFFICIENTS(C) \
  C(-0x1.76ac1cp-8f) C(0x1.5256d8p-6f) C(-0x1.b84844p-5f) C(0x1.110768p-3f) C(-0x1.555534p-2f)
#define TL_TANH_SMALL_F32 0.625f
// exp of less than -104 is zero. Arguments are raised to these, from which zero is reached without
// a subnormal number near it, which takes many CPUs 50 ns: masks are made of minus infinities. The
// second one is for the instruction that scales by 2^n, which a Xeon is slow with down to 2^-300.
#define TL_EXP_LEAST_F32 -170.0f
#define TL_EXP_SCALED_LEAST_F32 -1000.0f

static inline float tl_exp_f32(float x) {
  x = x > 89.0f ? 89.0f : x; // the ends give infinity and zero by themselves; NaN passes
  x = x < TL_EXP_LEAST_F32 ? TL_EXP_LEAST_F32 : x;
  float t = fmaf(x, TL_LOG2E_F32, TL_ROUND_F32), n = t - TL_ROUND_F32;
  float r = fmaf(n, -TL_LN2_LO_F32, fmaf(n, -TL_LN2_HI_F32, x));
  float p = 0.0f;
#define C(c) p = fmaf(p, r, c);
  TL_EXP_COEFFICIENTS(C)
#undef C
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  // 2^n in two factors, for neither end fits one; only the last product rounds.
  uint32_t i = tl_bits_of_f32(t) - tl_bits_of_f32(TL_ROUND_F32), half = (uint32_t)((int32_t)i >> 1);
  return p * tl_f32_of_bits((half + 127u) << 23) * tl_f32_of_bits((i - half + 127u) << 23);
}

static inline float tl_log_f32(float x) {
  bool tiny = x < 0x1p-126f; // zero and negative numbers too; they are replaced at the end
  uint32_t u = tl_bits_of_f32(tiny ? x * 0x1p23f : x);
  int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23; // from sqrt(1/2) on
  float m = tl_f32_of_bits(u - ((uint32_t)e << 23)), n = (float)e - (tiny ? 23.0f : 0.0f);
  float f = m - 1.0f, z = f * f, p = 0.0f;
#define C(c) p = fmaf(p, f, c);
  TL_LOG_COEFFICIENTS(C)
#undef C
  float t = fmaf(f * z, p, n * TL_LN2_LO_F32);
  float y = fmaf(n, TL_LN2_HI_F32, f + fmaf(z, -0.5f, t));
  y = x < INFINITY ? y : x + x; // infinity and NaN
  y = x == 0.0f ? -INFINITY : y;
  return x < 0.0f ? tl_f32_of_bits(0x7fc00000u) : y;
}

static inline float tl_tanh_f32(float x) {
  float a = fabsf(x), u = x * x, p = 0.0f;
#define C(c) p = fmaf(p, u, c);
  TL_TANH_COEFFICIENTS(C)
#undef C
  float small = fmaf(x * u, p, x);
  float large = 1.0f - 2.0f / (tl_exp_f32(a + a) + 1.0f);
  return copysignf(a >= TL_TANH_SMALL_F32 ? large : small,
                   x); // NaN goes the small way; -0 stays -0
}

static inline float tl_logistic_f32(float x) { return 1.0f / (1.0f + tl_exp_f32(-x)); }

// IEEE 754-2019 maximum and minimum: a NaN operand gives the quiet NaN 0x7fc00000 (of f64
// 0x7ff8000000000000), and -0 is below +0. Without branches, which data would make a lottery of.
#define TL_EXTREME(name, T, U, bits, of_bits, how, equal, nan)                          \
  static inline T name(T a, T b) {                                                      \
    const U x = bits(a), y = bits(b), first = 0 - (U)(a how b), same = 0 - (U)(a == b), \
            none = 0 - (U)((a != a) | (b != b)), one = (x & first) | (y & ~first);      \
    return of_bits((nan & none) | (((x equal y) & same) | (one & ~same & ~none)));      \
  }
static inline uint64_t tl_bits_of_f64(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline double tl_f64_of_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
TL_EXTREME(tl_max_f32, float, uint32_t, tl_bits_of_f32, tl_f32_of_bits, >, &, 0x7fc00000u)
TL_EXTREME(tl_min_f32, float, uint32_t, tl_bits_of_f32, tl_f32_of_bits, <, |, 0x7fc00000u)
TL_EXTREME(tl_max_f64, double, uint64_t, tl_bits_of_f64, tl_f64_of_bits, >, &,
           UINT64_C(0x7ff8000000000000))
TL_EXTREME(tl_min_f64, double, uint64_t, tl_bits_of_f64, tl_f64_of_bits, <, |,
           UINT64_C(0x7ff8000000000000))
#undef TL_EXTREME

// The dot's order: one fma chain per block of 64, blocks added in order. Strides in elements.
static inline float tl_dot_f32(const float *x, size_t x_stride, const float *w, size_t w_stride,
                               size_t k) {
  float total = 0.0f;
  for (size_t b = 0; b < k; b += 64) {
    float acc = 0.0f;
    for (size_t i = b; i < TL_MIN(b + 64, k); i++)
      acc = fmaf(x[i * x_stride], w[i * w_stride], acc);
    total += acc;
  }
  return total;
}
static inline double tl_dot_f64(const double *x, size_t x_stride, const double *w, size_t w_stride,
                                size_t k) {
  double total = 0.0;
  for (size_t b = 0; b < k; b += 64) {
    double acc = 0.0;
    for (size_t i = b; i < TL_MIN(b + 64, k); i++)
      acc = fma(x[i * x_stride], w[i * w_stride], acc);
    total += acc;
  }
  return total;
}

// The sum's order: 16 lanes, lane i takes elements i, i+16, ...; then a tree. `lane` is the
// accumulator of a caller that makes its terms on the fly: lane[i % 16] += term i, then
// tl_sum16_tree.
static inline float tl_sum16_tree(float lane[16]) {
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++)
      lane[i] += lane[i + half];
  return lane[0];
}
static inline float tl_sum16_f32(const float *x, size_t stride, size_t n) {
  float lane[16] = {0};
  for (size_t i = 0; i < n; i++)
    lane[i % 16] += x[i * stride];
  return tl_sum16_tree(lane);
}
static inline double tl_sum16_f64(const double *x, size_t stride, size_t n) {
  double lane[16] = {0};
  for (size_t i = 0; i < n; i++)
    lane[i % 16] += x[i * stride];
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++)
      lane[i] += lane[i + half];
  return lane[0];
}

#endif
