// The vocabulary of v16_scalar.h in two AVX2 registers.
#ifndef TL_CPU_KERNELS_V16_AVX2_H
#define TL_CPU_KERNELS_V16_AVX2_H

#include <immintrin.h>

#include "cpu/kernels/v16_common.h"

#define V(name) tl_##name##_avx2
#define V_MR 6 // 6 tokens x 16 rows: 12 accumulators, 2 weights, 1 broadcast
#define V_NR 1

typedef struct {
  __m256 a, b;
} v16;
typedef struct {
  __m256i a, b;
} v16i;
typedef v16 v16m; // all ones or zeros

// Every operation is the 256-bit one on both halves.
#define V_BOTH(type, op) ((type){op(x.a), op(x.b)})
#define V_BOTH2(type, op) ((type){op(x.a, y.a), op(x.b, y.b)})
#define V_CMP(name, how)                                                       \
  V_INLINE v16m name(v16 x, v16 y) {                                           \
    return (v16m){_mm256_cmp_ps(x.a, y.a, how), _mm256_cmp_ps(x.b, y.b, how)}; \
  }

V_INLINE __m256i v8_first(size_t n) { // lanes below n
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
V_INLINE v16m v16m_first(size_t n) {
  return (v16m){_mm256_castsi256_ps(v8_first(n)), _mm256_castsi256_ps(v8_first(n < 8 ? 0 : n - 8))};
}
V_INLINE v16 v16_set1(float f) { return (v16){_mm256_set1_ps(f), _mm256_set1_ps(f)}; }
V_INLINE v16 v16_zero(void) { return (v16){_mm256_setzero_ps(), _mm256_setzero_ps()}; }
V_INLINE v16 v16_load(const float *p) { return (v16){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
V_INLINE v16 v16_load_n(const float *p, size_t n) {
  v16m m = v16m_first(n);
  __m256 high = n > 8 ? _mm256_maskload_ps(p + 8, _mm256_castps_si256(m.b)) : _mm256_setzero_ps();
  return (v16){_mm256_maskload_ps(p, _mm256_castps_si256(m.a)), high};
}
V_INLINE void v16_store(float *p, v16 x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
V_INLINE void v16_store_n(float *p, v16 x, size_t n) {
  v16m m = v16m_first(n);
  _mm256_maskstore_ps(p, _mm256_castps_si256(m.a), x.a);
  if (n > 8) _mm256_maskstore_ps(p + 8, _mm256_castps_si256(m.b), x.b);
}

V_INLINE v16 v16_add(v16 x, v16 y) { return V_BOTH2(v16, _mm256_add_ps); }
V_INLINE v16 v16_sub(v16 x, v16 y) { return V_BOTH2(v16, _mm256_sub_ps); }
V_INLINE v16 v16_mul(v16 x, v16 y) { return V_BOTH2(v16, _mm256_mul_ps); }
V_INLINE v16 v16_div(v16 x, v16 y) { return V_BOTH2(v16, _mm256_div_ps); }
V_INLINE v16 v16_fma(v16 x, v16 y, v16 z) {
  return (v16){_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
V_INLINE v16 v16_fms(v16 x, v16 y, v16 z) {
  return (v16){_mm256_fmsub_ps(x.a, y.a, z.a), _mm256_fmsub_ps(x.b, y.b, z.b)};
}
V_INLINE v16 v16_fnma(v16 x, v16 y, v16 z) {
  return (v16){_mm256_fnmadd_ps(x.a, y.a, z.a), _mm256_fnmadd_ps(x.b, y.b, z.b)};
}
V_INLINE v16 v16_sqrt(v16 x) { return V_BOTH(v16, _mm256_sqrt_ps); }
V_INLINE v16 v16_capped(v16 y, v16 x) {
  return V_BOTH2(v16, _mm256_min_ps);
} // min(hi, x): x where unordered
V_INLINE v16 v16_raised(v16 y, v16 x) { return V_BOTH2(v16, _mm256_max_ps); }

V_CMP(v16_lt, _CMP_LT_OQ)
V_CMP(v16_ge, _CMP_GE_OQ)
V_CMP(v16_eq, _CMP_EQ_OQ)
V_CMP(v16_unordered, _CMP_UNORD_Q)
V_INLINE v16m v16_is_nan(v16 x) { return v16_unordered(x, x); }
V_INLINE v16m v16m_or(v16m x, v16m y) { return V_BOTH2(v16m, _mm256_or_ps); }
V_INLINE bool v16m_any(v16m m) { return _mm256_movemask_ps(_mm256_or_ps(m.a, m.b)) != 0; }
V_INLINE v16 v16_select(v16m m, v16 x, v16 y) {
  return (v16){_mm256_blendv_ps(y.a, x.a, m.a), _mm256_blendv_ps(y.b, x.b, m.b)};
}

V_INLINE v16i v16i_set1(uint32_t u) {
  return (v16i){_mm256_set1_epi32((int)u), _mm256_set1_epi32((int)u)};
}
V_INLINE v16i v16i_load(const void *p) {
  const __m256i *q = p;
  return (v16i){_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
}
V_INLINE v16i v16i_and(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_and_si256); }
V_INLINE v16i v16i_or(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_or_si256); }
V_INLINE v16i v16i_xor(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_xor_si256); }
V_INLINE v16i v16i_add(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_add_epi32); }
V_INLINE v16i v16i_sub(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_sub_epi32); }
V_INLINE v16i v16i_mul(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_mullo_epi32); }
V_INLINE v16i v16i_shl(v16i x, int n) {
  return (v16i){(__m256i)((__v8su)x.a << n), (__m256i)((__v8su)x.b << n)};
}
V_INLINE v16i v16i_shr(v16i x, int n) {
  return (v16i){(__m256i)((__v8su)x.a >> n), (__m256i)((__v8su)x.b >> n)};
}
V_INLINE v16i v16i_sar(v16i x, int n) {
  return (v16i){(__m256i)((__v8si)x.a >> n), (__m256i)((__v8si)x.b >> n)};
}
V_INLINE v16 v16_of_bits(v16i x) { return V_BOTH(v16, _mm256_castsi256_ps); }
V_INLINE v16i v16_bits(v16 x) { return V_BOTH(v16i, _mm256_castps_si256); }
V_INLINE v16 v16_of_i32(v16i x) { return V_BOTH(v16, _mm256_cvtepi32_ps); }
V_INLINE v16i v16i_look_up(const uint8_t table[16], v16i x) {
  const __m256i t = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
  return (v16i){_mm256_shuffle_epi8(t, x.a), _mm256_shuffle_epi8(t, x.b)};
}
V_INLINE v16i v16i_byte_top(v16i x, int j) {
  if (j == 3) return v16i_and(x, v16i_set1(0xff000000u));
  const int z = 0x00808080; // zeros below the byte
  __m256i how = _mm256_broadcastsi128_si256(
      _mm_setr_epi32(z | j << 24, z | (4 + j) << 24, z | (8 + j) << 24, z | (12 + j) << 24));
  return (v16i){_mm256_shuffle_epi8(x.a, how), _mm256_shuffle_epi8(x.b, how)};
}

V_INLINE v16 v16_max(v16 x, v16 y) {
  v16 r = v16_select(v16_eq(x, y), V_BOTH2(v16, _mm256_and_ps), V_BOTH2(v16, _mm256_max_ps));
  return v16_select(v16_unordered(x, y), v16_of_bits(v16i_set1(0x7fc00000u)), r);
}
V_INLINE v16 v16_min(v16 x, v16 y) {
  v16 r = v16_select(v16_eq(x, y), V_BOTH2(v16, _mm256_or_ps), V_BOTH2(v16, _mm256_min_ps));
  return v16_select(v16_unordered(x, y), v16_of_bits(v16i_set1(0x7fc00000u)), r);
}

// Pairs of products fit 16 bits: 2 * 63 * 127, and 2 * 128 * 127 of absolute values.
#define V_I8_BIAS 0
V_INLINE v16i v16i_coded(v16i x) { return x; }
V_INLINE __m256i v8_pairs(__m256i acc, __m256i pairs) {
  return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
V_INLINE v16i v16i_dot_us(v16i acc, v16i w, v16i x) {
  return (v16i){v8_pairs(acc.a, _mm256_maddubs_epi16(w.a, x.a)),
                v8_pairs(acc.b, _mm256_maddubs_epi16(w.b, x.b))};
}
V_INLINE v16i v16i_dot_coded(v16i acc, v16i w, v16i x) {
  return (v16i){
      v8_pairs(acc.a, _mm256_maddubs_epi16(_mm256_abs_epi8(w.a), _mm256_sign_epi8(x.a, w.a))),
      v8_pairs(acc.b, _mm256_maddubs_epi16(_mm256_abs_epi8(w.b), _mm256_sign_epi8(x.b, w.b)))};
}

V_INLINE v16 v16_load_bf16(const uint16_t *p) {
  const __m128i *q = (const __m128i *)p;
  return v16_of_bits(v16i_shl((v16i){_mm256_cvtepu16_epi32(_mm_loadu_si128(q)),
                                     _mm256_cvtepu16_epi32(_mm_loadu_si128(q + 1))},
                              16));
}
V_INLINE v16 v16_load_f16(const uint16_t *p) {
  const __m128i *q = (const __m128i *)p;
  return (v16){_mm256_cvtph_ps(_mm_loadu_si128(q)), _mm256_cvtph_ps(_mm_loadu_si128(q + 1))};
}
V_INLINE v16 v16_load_i8(const int8_t *p) {
  __m128i x = _mm_loadu_si128((const __m128i *)p);
  return v16_of_i32((v16i){_mm256_cvtepi8_epi32(x), _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8))});
}
V_INLINE v16 v16_load_u8(const uint8_t *p) {
  __m128i x = _mm_loadu_si128((const __m128i *)p);
  return v16_of_i32((v16i){_mm256_cvtepu8_epi32(x), _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8))});
}
V_INLINE __m256i v16i_narrow(v16i x) { // lanes below 2^16 as u16, in order
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(x.a, x.b), 0xd8);
}
V_INLINE void v16_store_i8(int8_t *p, v16 x) {
  __m256i w = _mm256_packs_epi32(_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b));
  w = _mm256_permute4x64_epi64(w, 0xd8);
  _mm_storeu_si128((__m128i *)p,
                   _mm_packs_epi16(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1)));
}
V_INLINE void v16_store_bf16(uint16_t *p, v16 x) {
  v16i u = v16_bits(x), high = v16i_shr(u, 16), odd = v16i_and(high, v16i_set1(1));
  v16i r = v16i_shr(v16i_add(v16i_add(u, v16i_set1(0x7fff)), odd), 16);
  v16 quiet = v16_of_bits(v16i_or(high, v16i_set1(0x40)));
  r = v16_bits(v16_select(v16_is_nan(x), quiet, v16_of_bits(r)));
  _mm256_storeu_si256((__m256i *)p, v16i_narrow(r));
}
V_INLINE void v16_store_f16(uint16_t *p, v16 x) {
  __m128i *q = (__m128i *)p;
  _mm_storeu_si128(q, _mm256_cvtps_ph(x.a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  _mm_storeu_si128(q + 1, _mm256_cvtps_ph(x.b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
V_INLINE v16 v16_of_f16(__m256i h) {
  return (v16){_mm256_cvtph_ps(_mm256_castsi256_si128(h)),
               _mm256_cvtph_ps(_mm256_extracti128_si256(h, 1))};
}
V_INLINE v16 v16_f16_low(v16i x) { return v16_of_f16(v16i_narrow(v16i_and(x, v16i_set1(0xffff)))); }
V_INLINE v16 v16_f16_high(v16i x) { return v16_of_f16(v16i_narrow(v16i_shr(x, 16))); }
V_INLINE v16i v16i_eq0(v16i x) {
  return (v16i){_mm256_cmpeq_epi32(x.a, _mm256_setzero_si256()),
                _mm256_cmpeq_epi32(x.b, _mm256_setzero_si256())};
}
V_INLINE v16i v16i_andnot(v16i x, v16i y) { return V_BOTH2(v16i, _mm256_andnot_si256); }
V_INLINE v16 v16_bf16_high(v16i x) {
  const v16i none = v16i_eq0(v16i_and(x, v16i_set1(0x7f800000)));
  return v16_of_bits(v16i_andnot(none, v16i_and(x, v16i_set1(0xffff0000u))));
}
V_INLINE v16 v16_bf16_low(v16i x) { return v16_bf16_high(v16i_shl(x, 16)); }

V_INLINE float v16_sum(v16 x) {
  __m256 b = _mm256_add_ps(x.a, x.b);
  __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
V_INLINE float v16_largest(v16 x) {
  __m256 b = _mm256_max_ps(x.a, x.b);
  __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_max_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}

V_INLINE void v8_transpose(__m256 r[8]) {
  __m256 t[8];
  for (int i = 0; i < 8; i += 4) {
    __m256 a = _mm256_unpacklo_ps(r[i], r[i + 1]), b = _mm256_unpackhi_ps(r[i], r[i + 1]);
    __m256 c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]), d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm256_shuffle_ps(a, c, 0x44);
    t[i + 1] = _mm256_shuffle_ps(a, c, 0xee);
    t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
    t[i + 3] = _mm256_shuffle_ps(b, d, 0xee);
  }
  for (int i = 0; i < 4; i++) {
    r[i] = _mm256_permute2f128_ps(t[i], t[4 + i], 0x20);
    r[4 + i] = _mm256_permute2f128_ps(t[i], t[4 + i], 0x31);
  }
}
V_INLINE void v16_transpose(v16 r[16]) {
  __m256 q[4][8]; // quadrants: (rows 0-7 or 8-15) x (columns 0-7 or 8-15)
  for (int i = 0; i < 8; i++)
    q[0][i] = r[i].a, q[1][i] = r[i].b, q[2][i] = r[8 + i].a, q[3][i] = r[8 + i].b;
  for (int i = 0; i < 4; i++)
    v8_transpose(q[i]);
  for (int i = 0; i < 8; i++)
    r[i] = (v16){q[0][i], q[2][i]}, r[8 + i] = (v16){q[1][i], q[3][i]};
}

typedef struct {
  __m256d a, b;
} v8d;
V_INLINE v8d v8d_set1(double f) { return (v8d){_mm256_set1_pd(f), _mm256_set1_pd(f)}; }
V_INLINE v8d v8d_zero(void) { return (v8d){_mm256_setzero_pd(), _mm256_setzero_pd()}; }
V_INLINE v8d v8d_load(const double *p) { return (v8d){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
V_INLINE __m256i v4_first(size_t n) { // lanes below n
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), _mm256_setr_epi64x(0, 1, 2, 3));
}
V_INLINE v8d v8d_load_n(const double *p, size_t n) {
  return (v8d){_mm256_maskload_pd(p, v4_first(n)),
               n > 4 ? _mm256_maskload_pd(p + 4, v4_first(n - 4)) : _mm256_setzero_pd()};
}
V_INLINE void v8d_store(double *p, v8d x) {
  _mm256_storeu_pd(p, x.a);
  _mm256_storeu_pd(p + 4, x.b);
}
V_INLINE void v8d_store_n(double *p, v8d x, size_t n) {
  _mm256_maskstore_pd(p, v4_first(n), x.a);
  if (n > 4) _mm256_maskstore_pd(p + 4, v4_first(n - 4), x.b);
}
V_INLINE v8d v8d_add(v8d x, v8d y) { return V_BOTH2(v8d, _mm256_add_pd); }
V_INLINE v8d v8d_sub(v8d x, v8d y) { return V_BOTH2(v8d, _mm256_sub_pd); }
V_INLINE v8d v8d_mul(v8d x, v8d y) { return V_BOTH2(v8d, _mm256_mul_pd); }
V_INLINE v8d v8d_div(v8d x, v8d y) { return V_BOTH2(v8d, _mm256_div_pd); }
V_INLINE v8d v8d_neg(v8d x) {
  const v8d y = v8d_set1(-0.0);
  return V_BOTH2(v8d, _mm256_xor_pd);
}
V_INLINE v8d v8d_fma(v8d x, v8d y, v8d z) {
  return (v8d){_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
V_INLINE v8d v8d_fms(v8d x, v8d y, v8d z) {
  return (v8d){_mm256_fmsub_pd(x.a, y.a, z.a), _mm256_fmsub_pd(x.b, y.b, z.b)};
}
V_INLINE v8d v8d_fnma(v8d x, v8d y, v8d z) {
  return (v8d){_mm256_fnmadd_pd(x.a, y.a, z.a), _mm256_fnmadd_pd(x.b, y.b, z.b)};
}
V_INLINE void v4d_transpose(__m256d *r0, __m256d *r1, __m256d *r2, __m256d *r3) {
  const __m256d a = _mm256_unpacklo_pd(*r0, *r1), b = _mm256_unpackhi_pd(*r0, *r1);
  const __m256d c = _mm256_unpacklo_pd(*r2, *r3), d = _mm256_unpackhi_pd(*r2, *r3);
  *r0 = _mm256_permute2f128_pd(a, c, 0x20), *r1 = _mm256_permute2f128_pd(b, d, 0x20);
  *r2 = _mm256_permute2f128_pd(a, c, 0x31), *r3 = _mm256_permute2f128_pd(b, d, 0x31);
}
V_INLINE void v8d_transpose(v8d r[8]) { // four quarters of 4 x 4, two of which change places
  for (int i = 0; i < 8; i += 4) {
    v4d_transpose(&r[i].a, &r[i + 1].a, &r[i + 2].a, &r[i + 3].a);
    v4d_transpose(&r[i].b, &r[i + 1].b, &r[i + 2].b, &r[i + 3].b);
  }
  for (int i = 0; i < 4; i++) {
    const __m256d t = r[i].b;
    r[i].b = r[i + 4].a;
    r[i + 4].a = t;
  }
}

#undef V_BOTH
#undef V_BOTH2
#undef V_CMP

V_MOVES(v16, v16, float, 16)
V_MOVES(v8d, v8d, double, 8)

#endif
