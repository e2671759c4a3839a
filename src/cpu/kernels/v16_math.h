// exp, log, tanh and logistic on 16 lanes: ref/elementary.h said in the vocabulary of v16_scalar.h,
// operation by operation, so that every lane has the scalar function's bits. Included after one of
// the v16 headers.
#ifndef TL_CPU_KERNELS_V16_MATH_H
#define TL_CPU_KERNELS_V16_MATH_H

#include "ref/elementary.h"

// Of n registers, step by step side by side. One alone is a chain of some twenty operations, and a
// core does not look far enough ahead to find others to do meanwhile: on a Zen 5 a register of
// eight takes half as long as one of four.
V_INLINE void v16_exp_each(const int n, v16 *x) {
#ifdef V_SCALES
  const v16 least = v16_set1(TL_EXP_SCALED_LEAST_F32);
#else
  const v16 least = v16_set1(TL_EXP_LEAST_F32);
#endif
  const v16 round = v16_set1(TL_ROUND_F32), one = v16_set1(1.0f);
  v16 t[8], p[8];
  V_FOR (j, n) {
    x[j] = v16_raised(v16_capped(x[j], v16_set1(89.0f)), least);
    t[j] = v16_fma(x[j], v16_set1(TL_LOG2E_F32), round);
  }
  V_FOR (j, n) {
    const v16 whole = v16_sub(t[j], round);
    x[j] = v16_fma(whole, v16_set1(-TL_LN2_LO_F32), v16_fma(whole, v16_set1(-TL_LN2_HI_F32), x[j]));
    p[j] = v16_zero();
  }
#define C(c)   \
  V_FOR (j, n) \
    p[j] = v16_fma(p[j], x[j], v16_set1(c));
  TL_EXP_COEFFICIENTS(C)
#undef C
  V_FOR (j, n)
    p[j] = v16_fma(p[j], x[j], one);
  V_FOR (j, n) {
    const v16 y = v16_fma(p[j], x[j], one);
#ifdef V_SCALES // y 2^whole, rounded once
    x[j] = v16_scaled(y, v16_sub(t[j], round));
#else // by two factors, for neither end fits one
    const v16i bias = v16i_set1(127);
    const v16i i = v16i_sub(v16_bits(t[j]), v16_bits(round)), half = v16i_sar(i, 1);
    const v16 a = v16_of_bits(v16i_shl(v16i_add(half, bias), 23)),
              b = v16_of_bits(v16i_shl(v16i_add(v16i_sub(i, half), bias), 23));
    x[j] = v16_mul(v16_mul(y, a), b);
#endif
  }
}
V_INLINE v16 v16_exp(v16 x) {
  v16_exp_each(1, &x);
  return x;
}

V_INLINE v16 v16_log(v16 x) {
  const v16 zero = v16_zero();
  v16m tiny = v16_lt(x, v16_set1(0x1p-126f));
  v16i u = v16_bits(v16_select(tiny, v16_mul(x, v16_set1(0x1p23f)), x));
  v16i e = v16i_sar(v16i_sub(u, v16i_set1(0x3f3504f3u)), 23);
  v16 m = v16_of_bits(v16i_sub(u, v16i_shl(e, 23)));
  v16 n = v16_sub(v16_of_i32(e), v16_select(tiny, v16_set1(23.0f), zero));
  v16 f = v16_sub(m, v16_set1(1.0f)), z = v16_mul(f, f), p = zero;
#define C(c) p = v16_fma(p, f, v16_set1(c));
  TL_LOG_COEFFICIENTS(C)
#undef C
  v16 t = v16_fma(v16_mul(f, z), p, v16_mul(n, v16_set1(TL_LN2_LO_F32)));
  v16 y = v16_fma(n, v16_set1(TL_LN2_HI_F32), v16_add(f, v16_fma(z, v16_set1(-0.5f), t)));
  y = v16_select(v16_lt(x, v16_set1(INFINITY)), y, v16_add(x, x));
  y = v16_select(v16_eq(x, zero), v16_set1(-INFINITY), y);
  return v16_select(v16_lt(x, zero), v16_of_bits(v16i_set1(0x7fc00000u)), y);
}

V_INLINE v16 v16_abs(v16 x) { return v16_of_bits(v16i_and(v16_bits(x), v16i_set1(0x7fffffffu))); }
V_INLINE v16 v16_neg(v16 x) { return v16_of_bits(v16i_xor(v16_bits(x), v16i_set1(0x80000000u))); }

V_INLINE v16 v16_tanh(v16 x) {
  const v16 one = v16_set1(1.0f);
  v16 a = v16_abs(x), u = v16_mul(x, x), p = v16_zero();
#define C(c) p = v16_fma(p, u, v16_set1(c));
  TL_TANH_COEFFICIENTS(C)
#undef C
  v16 small = v16_fma(v16_mul(x, u), p, x);
  v16 large = v16_sub(one, v16_div(v16_set1(2.0f), v16_add(v16_exp(v16_add(a, a)), one)));
  v16i y = v16_bits(v16_select(v16_ge(a, v16_set1(TL_TANH_SMALL_F32)), large, small));
  return v16_of_bits(v16i_or(y, v16i_and(v16_bits(x), v16i_set1(0x80000000u))));
}

V_INLINE v16 v16_logistic(v16 x) {
  const v16 one = v16_set1(1.0f);
  return v16_div(one, v16_add(one, v16_exp(v16_neg(x))));
}

#endif
