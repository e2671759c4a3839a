// Sixteen f32 lanes in plain C: the meaning of v16_avx2.h and v16_avx512.h, and the variant that
// every CPU runs.
//
// The vocabulary, the same in the three headers; kernels are written in it once (*.inc):
//   v16   16 f32        v16i  16 u32        v16m  16 truth values
//   _n    the first n lanes (0..16) of memory; other lanes are +0 on loads and untouched on stores
// Operations round as IEEE says; v16_fma(a, b, c) is a*b + c rounded once.
#ifndef TL_CPU_KERNELS_V16_SCALAR_H
#define TL_CPU_KERNELS_V16_SCALAR_H

#define V_PLAIN 1

#include "cpu/kernels/v16_common.h"

#ifdef V_AMX // a test's, with amx_emulated.h
#define V(name) tl_##name##_emulated
#else
#define V(name) tl_##name##_scalar
#endif
#define V_MR 4 // tokens in the register tile
#define V_NR 1 // vectors of 16 rows in it

typedef struct {
  float v[16];
} v16;
typedef struct {
  uint32_t v[16];
} v16i;
typedef struct {
  bool v[16];
} v16m;

#define V_EACH V_ROLLED for (int i = 0; i < 16; i++)
#define V_MAP1(type, name, args, expr) \
  V_INLINE type name args {            \
    type r;                            \
    V_EACH r.v[i] = expr;              \
    return r;                          \
  }

V_MAP1(v16, v16_set1, (float x), x)
V_INLINE v16 v16_zero(void) { return v16_set1(0.0f); }
V_MAP1(v16, v16_load, (const float *p), p[i])
V_MAP1(v16, v16_load_n, (const float *p, size_t n), (size_t)i < n ? p[i] : 0.0f)
V_INLINE void v16_store(float *p, v16 a) { V_EACH p[i] = a.v[i]; }
V_INLINE void v16_store_n(float *p, v16 a, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = a.v[i];
}

V_MAP1(v16, v16_add, (v16 a, v16 b), a.v[i] + b.v[i])
V_MAP1(v16, v16_sub, (v16 a, v16 b), a.v[i] - b.v[i])
V_MAP1(v16, v16_mul, (v16 a, v16 b), a.v[i] * b.v[i])
V_MAP1(v16, v16_div, (v16 a, v16 b), a.v[i] / b.v[i])
V_MAP1(v16, v16_fma, (v16 a, v16 b, v16 c), fmaf(a.v[i], b.v[i], c.v[i]))
V_MAP1(v16, v16_fms, (v16 a, v16 b, v16 c), fmaf(a.v[i], b.v[i], -c.v[i]))  // a b - c
V_MAP1(v16, v16_fnma, (v16 a, v16 b, v16 c), fmaf(-a.v[i], b.v[i], c.v[i])) // c - a b
V_MAP1(v16, v16_sqrt, (v16 a), sqrtf(a.v[i]))
V_MAP1(v16, v16_capped, (v16 x, v16 hi), x.v[i] > hi.v[i] ? hi.v[i] : x.v[i]) // NaN passes
V_MAP1(v16, v16_raised, (v16 x, v16 lo), x.v[i] < lo.v[i] ? lo.v[i] : x.v[i]) // NaN passes
V_MAP1(v16, v16_max, (v16 a, v16 b), tl_max_f32(a.v[i], b.v[i]))
V_MAP1(v16, v16_min, (v16 a, v16 b), tl_min_f32(a.v[i], b.v[i]))

V_MAP1(v16m, v16_lt, (v16 a, v16 b), a.v[i] < b.v[i])
V_MAP1(v16m, v16_ge, (v16 a, v16 b), a.v[i] >= b.v[i])
V_MAP1(v16m, v16_eq, (v16 a, v16 b), a.v[i] == b.v[i])
V_MAP1(v16m, v16m_or, (v16m a, v16m b), a.v[i] || b.v[i])
V_MAP1(v16m, v16_is_nan, (v16 a), a.v[i] != a.v[i])
V_MAP1(v16m, v16m_first, (size_t n), (size_t)i < n)
V_MAP1(v16, v16_select, (v16m m, v16 a, v16 b), m.v[i] ? a.v[i] : b.v[i]) // m ? a : b
V_INLINE bool v16m_any(v16m m) {
  bool any = false;
  V_EACH any |= m.v[i];
  return any;
}

V_MAP1(v16i, v16i_set1, (uint32_t x), x)
V_INLINE v16i v16i_load(const void *p) {
  v16i r;
  memcpy(&r, p, sizeof r);
  return r;
}
V_MAP1(v16i, v16i_and, (v16i a, v16i b), a.v[i] & b.v[i])
V_MAP1(v16i, v16i_or, (v16i a, v16i b), a.v[i] | b.v[i])
V_MAP1(v16i, v16i_xor, (v16i a, v16i b), a.v[i] ^ b.v[i])
V_MAP1(v16i, v16i_add, (v16i a, v16i b), a.v[i] + b.v[i])
V_MAP1(v16i, v16i_sub, (v16i a, v16i b), a.v[i] - b.v[i])
V_MAP1(v16i, v16i_mul, (v16i a, v16i b), a.v[i] * b.v[i])
V_MAP1(v16i, v16i_shl, (v16i a, int n), a.v[i] << n)
V_MAP1(v16i, v16i_shr, (v16i a, int n), a.v[i] >> n)
V_MAP1(v16i, v16i_sar, (v16i a, int n), (uint32_t)((int32_t)a.v[i] >> n))
// Each byte, from 0 to 15, replaced by that entry of the table.
V_MAP1(v16i, v16i_look_up, (const uint8_t table[16], v16i a),
       (uint32_t)table[a.v[i] & 15] | (uint32_t)table[a.v[i] >> 8 & 15] << 8 |
           (uint32_t)table[a.v[i] >> 16 & 15] << 16 | (uint32_t)table[a.v[i] >> 24 & 15] << 24)
V_MAP1(v16, v16_of_bits, (v16i a), tl_f32_of_bits(a.v[i]))
V_MAP1(v16i, v16_bits, (v16 a), tl_bits_of_f32(a.v[i]))
V_MAP1(v16, v16_of_i32, (v16i a), (float)(int32_t)a.v[i])
// Byte j of every lane, moved to the top of the lane, zeros below: q * 2^24 as i32.
V_MAP1(v16i, v16i_byte_top, (v16i a, int j), a.v[i] >> (8 * j) << 24)

// acc + the sum over the four bytes of each lane of w * x, as i32; x signed. _us: w of codes from 0
// to 63. _coded: w of signed codes that v16i_coded made, which adds V_I8_BIAS to each and so the
// bias times the sum of x to the result.
#ifdef V_AMX // tiles have the second factor unsigned
#define V_I8_BIAS 128
V_MAP1(v16i, v16i_coded, (v16i w), w.v[i] ^ 0x80808080u)
#else
#define V_I8_BIAS 0
V_MAP1(v16i, v16i_coded, (v16i w), w.v[i])
#endif
V_INLINE int32_t dot4(uint32_t w, uint32_t x) {
  int32_t s = 0;
  for (int j = 0; j < 32; j += 8)
    s += (int32_t)(int8_t)(w >> j) * (int8_t)(x >> j);
  return s;
}
V_MAP1(v16i, v16i_dot_us, (v16i acc, v16i w, v16i x), acc.v[i] + (uint32_t)dot4(w.v[i], x.v[i]))
V_INLINE v16i v16i_dot_coded(v16i acc, v16i w, v16i x) { return v16i_dot_us(acc, w, x); }

V_MAP1(v16, v16_load_bf16, (const uint16_t *p), tl_f32_of_bf16(p[i]))
V_MAP1(v16, v16_load_f16, (const uint16_t *p), tl_f32_of_f16(p[i]))
V_MAP1(v16, v16_load_i8, (const int8_t *p), (float)p[i])
V_MAP1(v16, v16_load_u8, (const uint8_t *p), (float)p[i])
V_INLINE void v16_store_bf16(uint16_t *p, v16 a) { V_EACH p[i] = tl_bf16_of_f32(a.v[i]); }
V_INLINE void v16_store_f16(uint16_t *p, v16 a) { V_EACH p[i] = tl_f16_of_f32(a.v[i]); }
// To the nearest integer, ties to even; a within i8.
V_INLINE void v16_store_i8(int8_t *p, v16 a) { V_EACH p[i] = (int8_t)lrintf(a.v[i]); }
// The low and the high half of every lane, as f16.
V_MAP1(v16, v16_f16_low, (v16i a), tl_f32_of_f16((uint16_t)a.v[i]))
V_MAP1(v16, v16_f16_high, (v16i a), tl_f32_of_f16((uint16_t)(a.v[i] >> 16)))
// The same as bf16, subnormal numbers as zero.
V_MAP1(v16, v16_bf16_low, (v16i a), tl_f32_of_bits(a.v[i] & 0x7f80 ? a.v[i] << 16 : 0))
V_MAP1(v16, v16_bf16_high, (v16i a), tl_f32_of_bits(a.v[i] & 0x7f800000 ? a.v[i] & 0xffff0000u : 0))

V_INLINE float v16_sum(v16 a) { return tl_sum16_tree(a.v); }
V_INLINE float v16_largest(v16 a) { // of numbers; signs of zero and NaN are the caller's
  float m = a.v[0];
  V_EACH m = a.v[i] > m ? a.v[i] : m;
  return m;
}
V_INLINE void v16_transpose(v16 r[16]) { // r[i].v[j] <-> r[j].v[i]
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < i; j++) {
      float t = r[i].v[j];
      r[i].v[j] = r[j].v[i];
      r[j].v[i] = t;
    }
}

// Eight f64 lanes, for products of matrices.
typedef struct {
  double v[8];
} v8d;
#define V_EACH8 V_ROLLED for (int i = 0; i < 8; i++)
#define V_MAP8(name, args, expr) \
  V_INLINE v8d name args {       \
    v8d r;                       \
    V_EACH8 r.v[i] = expr;       \
    return r;                    \
  }
V_MAP8(v8d_set1, (double x), x)
V_INLINE v8d v8d_zero(void) { return v8d_set1(0.0); }
V_MAP8(v8d_load, (const double *p), p[i])
V_MAP8(v8d_load_n, (const double *p, size_t n), (size_t)i < n ? p[i] : 0.0)
V_INLINE void v8d_store(double *p, v8d a) { V_EACH8 p[i] = a.v[i]; }
V_INLINE void v8d_store_n(double *p, v8d a, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = a.v[i];
}
V_MAP8(v8d_add, (v8d a, v8d b), a.v[i] + b.v[i])
V_MAP8(v8d_sub, (v8d a, v8d b), a.v[i] - b.v[i])
V_MAP8(v8d_mul, (v8d a, v8d b), a.v[i] * b.v[i])
V_MAP8(v8d_div, (v8d a, v8d b), a.v[i] / b.v[i])
V_MAP8(v8d_neg, (v8d a), -a.v[i])
V_MAP8(v8d_fma, (v8d a, v8d b, v8d c), fma(a.v[i], b.v[i], c.v[i]))
V_MAP8(v8d_fms, (v8d a, v8d b, v8d c), fma(a.v[i], b.v[i], -c.v[i]))
V_MAP8(v8d_fnma, (v8d a, v8d b, v8d c), fma(-a.v[i], b.v[i], c.v[i]))
V_INLINE void v8d_transpose(v8d r[8]) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < i; j++) {
      double t = r[i].v[j];
      r[i].v[j] = r[j].v[i];
      r[j].v[i] = t;
    }
}
#undef V_MAP8
#undef V_EACH8

#undef V_MAP1
#undef V_EACH

V_MOVES(v16, v16, float, 16)
V_MOVES(v8d, v8d, double, 8)

#endif
