// The f64 functions that every part of the system agrees on, to the last bit, and the f32 ones that
// are these, rounded: scalar code. elementary_f64.inc defines them.
//
// A sine of more than TL_TRIG_LIMIT needs more bits of 2/pi than three numbers hold (Payne and
// Hanek, 1983). Only scalar code has that; vector code looks whether it has such an argument, and
// calls it for all then.
#ifndef TL_REF_ELEMENTARY_F64_H
#define TL_REF_ELEMENTARY_F64_H

#include "ref/elementary.h"

#define TL_TRIG_LIMIT 0x1p+30
__extension__ typedef unsigned __int128 tl_elementary_u128;

// Kernels want everything inlined; others may say how they want it.
#ifndef TL_ELEMENTARY_INLINE
#define TL_ELEMENTARY_INLINE static inline TL_UNUSED
#endif

#define TL_ELEMENTARY(name, n, ...) \
  TL_UNUSED static const double tl_elementary_##name[n] = {__VA_ARGS__};
#include "ref/elementary_f64.def"
#undef TL_ELEMENTARY

TL_ELEMENTARY_INLINE double tl_horner_f64(const double *c, size_t n, double x) {
  double y = c[n - 1];
#if defined(__clang__)
#pragma unroll
#else
#pragma GCC unroll 32
#endif
  for (size_t i = n - 1; i > 0; i--)
    y = fma(y, x, c[i - 1]);
  return y;
}

// Pairs of neighbours, pairs of pairs ...
TL_ELEMENTARY_INLINE double tl_estrin_f64(const double *c, size_t n, double x) {
  double t[16];
#if defined(__clang__)
#pragma unroll
#else
#pragma GCC unroll 16
#endif
  for (size_t i = 0; i < n; i++)
    t[i] = c[i];
#if defined(__clang__)
#pragma unroll
#else
#pragma GCC unroll 4
#endif
  for (; n > 1; n = (n + 1) / 2, x = x * x)
#if defined(__clang__)
#pragma unroll
#else
#pragma GCC unroll 16
#endif
    for (size_t i = 0; i < (n + 1) / 2; i++)
      t[i] = 2 * i + 1 < n ? fma(t[2 * i + 1], x, t[2 * i]) : t[2 * i];
  return t[0];
}

#define NUM double
#define INT uint64_t
#define BOOL bool
#define CTX
#define ARG
#define DEF TL_ELEMENTARY_INLINE
#define FN(name) tl_ef_##name
#define K(c) ((double)(c))
#define KI(u) ((uint64_t)(u))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define NEG(x) (-(x))
#define ABS(x) fabs(x)
#define ROUND(x) rint(x)
#define FMA(x, y, z) fma(x, y, z)
#define COPYSIGN(x, y) copysign(x, y)
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define EQ(x, y) ((x) == (y))
#define AND(p, q) ((p) & (q))
#define NOT(p) (!(p))
#define NE(p, q) ((p) != (q))
#define ODD(u) (((u) & 1) != 0)
#define SELECT(p, x, y) ((p) ? (x) : (y))
#define IADD(x, y) ((x) + (y))
#define ISUB(x, y) ((x) - (y))
#define IAND(x, y) ((x) & (y))
#define IOR(x, y) ((x) | (y))
#define IXOR(x, y) ((x) ^ (y))
#define ILT(x, y) ((int64_t)(x) < (int64_t)(y))
#define SHL(x, n) ((x) << (n))
#define SHR(x, n) ((x) >> (n))
#define BITS(x) tl_bits_of_f64(x)
#define OF_BITS(u) tl_f64_of_bits(u)
#define C(table, i) tl_elementary_##table[i]
#define POLY(table, x) tl_horner_f64(tl_elementary_##table, TL_COUNT(tl_elementary_##table), x)
#define TREE(table, x) tl_estrin_f64(tl_elementary_##table, TL_COUNT(tl_elementary_##table), x)
#define AT(table, u) tl_elementary_##table[u]
#include "ref/elementary_f64.inc"
#undef NUM
#undef INT
#undef BOOL
#undef CTX
#undef ARG
#undef DEF
#undef FN
#undef K
#undef KI
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef NEG
#undef ABS
#undef ROUND
#undef FMA
#undef COPYSIGN
#undef LT
#undef LE
#undef EQ
#undef AND
#undef NOT
#undef NE
#undef ODD
#undef SELECT
#undef IADD
#undef ISUB
#undef IAND
#undef IOR
#undef IXOR
#undef ILT
#undef SHL
#undef SHR
#undef BITS
#undef OF_BITS
#undef C
#undef POLY
#undef TREE
#undef AT

// |x| > TL_TRIG_LIMIT, finite: |x| = m 2^e. In quarter turns that is m 2^e 2/pi, of which the bits
// of 2/pi that make multiples of 4 are left out: m p 2^-190 for the 192 bits p from there on, and
// what is beyond 192 bits of it is whole turns again.
static __attribute__((noinline, unused)) tl_ef_angle tl_reduce_far_f64(double x) {
  static const uint64_t two_over_pi[] = {
      0, // in front of the point
#define TL_ELEMENTARY(name, n, ...)
#define TL_TWO_OVER_PI(word) UINT64_C(word),
#include "ref/elementary_f64.def"
#undef TL_TWO_OVER_PI
#undef TL_ELEMENTARY
  };
  const uint64_t u = tl_bits_of_f64(x), m = (u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  const uint32_t from = (uint32_t)(u >> 52 & 0x7ff) - 1075 + 62, word = from / 64,
                 bit = from % 64; // bit e - 2
  uint64_t q[4] = {0};
  tl_elementary_u128 carry = 0;
  for (uint32_t i = 3; i-- > 0;) { // highest first
    const uint64_t *w = two_over_pi + word + i;
    carry += (tl_elementary_u128)m * (bit ? w[0] << bit | w[1] >> (64 - bit) : w[0]);
    q[i] = (uint64_t)carry;
    carry >>= 64;
  }
  uint64_t n = q[0] >> 62;
  for (int i = 0; i < 3; i++)
    q[i] = q[i] << 2 | q[i + 1] >> 62;
  bool minus = q[0] >> 63; // beyond a half: the way back from the next quarter
  n += minus;
  for (int i = 0; i < 3; i++)
    q[i] = minus ? ~q[i] : q[i];
  int zeros = 0; // no f64 comes nearer to a multiple of pi/2 than some 2^-62
  while (zeros < 128 && !(q[0] >> 63)) {
    for (int i = 0; i < 3; i++)
      q[i] = q[i] << 1 | q[i + 1] >> 63;
    zeros++;
  }
  const double high = ldexp((double)(q[0] >> 11), -53 - zeros),
               low = ldexp((double)(q[0] << 53 | q[1] >> 11), -117 - zeros);
  const double *pi_2 = tl_elementary_PI_2, r = high * pi_2[0];
  const double e = fma(high, pi_2[0], -r) + fma(high, pi_2[1], low * pi_2[0]);
  tl_ef_angle a = {r + e, 0, n};
  a.c = e - (a.r - r);
  if (minus != signbit(x)) a.r = -a.r, a.c = -a.c;
  if (signbit(x)) a.n = 0 - n;
  return a;
}

#define TL_TRIG(name)                                                       \
  TL_ELEMENTARY_INLINE double tl_##name##_f64(double x) {                   \
    const bool far = fabs(x) > TL_TRIG_LIMIT && fabs(x) < (double)INFINITY; \
    return far ? tl_ef_##name##_of(tl_reduce_far_f64(x)) : tl_ef_##name(x); \
  }
TL_TRIG(sin)
TL_TRIG(cos)
TL_TRIG(tan)
#undef TL_TRIG

#define TL_PLAIN(name) \
  TL_ELEMENTARY_INLINE double tl_##name##_f64(double x) { return tl_ef_##name(x); }
TL_PLAIN(exp)
TL_PLAIN(expm1)
TL_PLAIN(tanh)
TL_PLAIN(logistic)
TL_PLAIN(log)
TL_PLAIN(log1p)
TL_PLAIN(cbrt)
#undef TL_PLAIN
TL_ELEMENTARY_INLINE double tl_pow_f64(double x, double y) { return tl_ef_pow(x, y); }
TL_ELEMENTARY_INLINE double tl_atan2_f64(double y, double x) { return tl_ef_atan2(y, x); }

#define TL_ROUNDED(name) \
  TL_ELEMENTARY_INLINE float tl_##name##_f32(float x) { return (float)tl_##name##_f64((double)x); }
TL_ROUNDED(sin)
TL_ROUNDED(cos)
TL_ROUNDED(tan)
TL_ROUNDED(log1p)
TL_ROUNDED(cbrt)
#undef TL_ROUNDED
TL_ELEMENTARY_INLINE float tl_pow_f32(float x, float y) {
  return (float)tl_ef_pow_f32((double)x, (double)y);
}
TL_ELEMENTARY_INLINE float tl_atan2_f32(float y, float x) {
  return (float)tl_ef_atan2((double)y, (double)x);
}
// From 8 on, where taking 1 away hardly rounds, it is the exponential as that op computes it,
// less 1.
TL_ELEMENTARY_INLINE float tl_expm1_f32(float x) {
  const float near = (float)tl_ef_expm1((double)x), far = tl_exp_f32(x) - 1.0f;
  return fabsf(x) < 8 ? near : far;
}

#endif
