// The vocabulary of v16_scalar.h in one AVX-512 register.
#ifndef TL_CPU_KERNELS_V16_AVX512_H
#define TL_CPU_KERNELS_V16_AVX512_H

#include <immintrin.h>

#include "cpu/kernels/v16_common.h"

#if defined(V_AMX)
#define V_VNNI 1
#define V(name) tl_##name##_amx
#elif defined(V_VNNI)
#define V(name) tl_##name##_vnni
#elif defined(V_BF16)
#define V(name) tl_##name##_bf16
#else
#define V(name) tl_##name##_avx512
#endif
#define V_MR 14 // 14 tokens x 2 vectors of rows: 28 accumulators, 2 weights, 1 broadcast
#define V_NR 2
#define V_SCALES // by powers of two in one instruction

typedef __m512 v16;
typedef __m512i v16i;
typedef __mmask16 v16m;

V_INLINE v16m v16m_first(size_t n) { return (v16m)((1u << n) - 1); }
V_INLINE v16 v16_set1(float x) { return _mm512_set1_ps(x); }
V_INLINE v16 v16_zero(void) { return _mm512_setzero_ps(); }
V_INLINE v16 v16_load(const float *p) { return _mm512_loadu_ps(p); }
V_INLINE v16 v16_load_n(const float *p, size_t n) {
  return _mm512_maskz_loadu_ps(v16m_first(n), p);
}
V_INLINE void v16_store(float *p, v16 a) { _mm512_storeu_ps(p, a); }
V_INLINE void v16_store_n(float *p, v16 a, size_t n) { _mm512_mask_storeu_ps(p, v16m_first(n), a); }

V_INLINE v16 v16_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
V_INLINE v16 v16_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
V_INLINE v16 v16_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
V_INLINE v16 v16_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
V_INLINE v16 v16_fma(v16 a, v16 b, v16 c) { return _mm512_fmadd_ps(a, b, c); }
V_INLINE v16 v16_fms(v16 a, v16 b, v16 c) { return _mm512_fmsub_ps(a, b, c); }
V_INLINE v16 v16_fnma(v16 a, v16 b, v16 c) { return _mm512_fnmadd_ps(a, b, c); }
V_INLINE v16 v16_sqrt(v16 a) { return _mm512_sqrt_ps(a); }
V_INLINE v16 v16_scaled(v16 a, v16 n) { return _mm512_scalef_ps(a, n); } // a 2^n
V_INLINE v16 v16_capped(v16 x, v16 hi) {
  return _mm512_min_ps(hi, x);
} // the second operand where unordered
V_INLINE v16 v16_raised(v16 x, v16 lo) { return _mm512_max_ps(lo, x); }

V_INLINE v16m v16_lt(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
V_INLINE v16m v16_ge(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
V_INLINE v16m v16_eq(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
V_INLINE v16m v16m_or(v16m a, v16m b) { return (v16m)(a | b); }
V_INLINE v16m v16_is_nan(v16 a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
V_INLINE v16 v16_select(v16m m, v16 a, v16 b) { return _mm512_mask_blend_ps(m, b, a); }
V_INLINE bool v16m_any(v16m m) { return m != 0; }

V_INLINE v16i v16i_set1(uint32_t x) { return _mm512_set1_epi32((int32_t)x); }
V_INLINE v16i v16i_load(const void *p) { return _mm512_loadu_si512(p); }
V_INLINE v16i v16i_and(v16i a, v16i b) { return _mm512_and_si512(a, b); }
V_INLINE v16i v16i_or(v16i a, v16i b) { return _mm512_or_si512(a, b); }
V_INLINE v16i v16i_xor(v16i a, v16i b) { return _mm512_xor_si512(a, b); }
V_INLINE v16i v16i_add(v16i a, v16i b) { return _mm512_add_epi32(a, b); }
V_INLINE v16i v16i_sub(v16i a, v16i b) { return _mm512_sub_epi32(a, b); }
V_INLINE v16i v16i_mul(v16i a, v16i b) { return _mm512_mullo_epi32(a, b); }
V_INLINE v16i v16i_shl(v16i a, int n) { return (v16i)((__v16su)a << n); }
V_INLINE v16i v16i_shr(v16i a, int n) { return (v16i)((__v16su)a >> n); }
V_INLINE v16i v16i_sar(v16i a, int n) { return (v16i)((__v16si)a >> n); }
V_INLINE v16i v16i_look_up(const uint8_t table[16], v16i a) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table)), a);
}
V_INLINE v16 v16_of_bits(v16i a) { return _mm512_castsi512_ps(a); }
V_INLINE v16i v16_bits(v16 a) { return _mm512_castps_si512(a); }
V_INLINE v16 v16_of_i32(v16i a) { return _mm512_cvtepi32_ps(a); }
V_INLINE v16i v16i_byte_top(v16i a, int j) {
  if (j == 3) return _mm512_and_si512(a, _mm512_set1_epi32((int32_t)0xff000000u));
  const int z = 0x00808080; // zeros below the byte
  return _mm512_shuffle_epi8(
      a, _mm512_set4_epi32(z | (12 + j) << 24, z | (8 + j) << 24, z | (4 + j) << 24, z | j << 24));
}

V_INLINE v16 v16_max(v16 a, v16 b) {
  const v16 r = _mm512_range_ps(a, b, 5); // the greater, of zeros +0
  return v16_select(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), v16_of_bits(v16i_set1(0x7fc00000u)), r);
}
V_INLINE v16 v16_min(v16 a, v16 b) {
  const v16 r = _mm512_range_ps(a, b, 4); // the smaller, of zeros -0
  return v16_select(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), v16_of_bits(v16i_set1(0x7fc00000u)), r);
}

// The byte of h that has the bits, in every byte of its lane, and each bit tested where it belongs.
#define V_WITH_BITS 1
V_INLINE v16i v16i_with_bits(v16i q, v16i h, const int n, int at) {
  const int byte = at / 8, bits = at % 8;
  const v16i all = _mm512_shuffle_epi8(
      h, _mm512_set4_epi32(0x0c0c0c0c + byte * 0x01010101, 0x08080808 + byte * 0x01010101,
                           0x04040404 + byte * 0x01010101, byte * 0x01010101));
  const int first = n == 1 ? (int)(0x08040201u << bits) : 0x40100401; // of byte j: bit `bits` + n j
  q = _mm512_mask_add_epi8(q, _mm512_test_epi8_mask(all, _mm512_set1_epi32(first)), q,
                           _mm512_set1_epi8(0x10));
  if (n == 2)
    q = _mm512_mask_add_epi8(
        q, _mm512_test_epi8_mask(all, _mm512_set1_epi32((int)((uint32_t)first << 1))), q,
        _mm512_set1_epi8(0x20));
  return q;
}

#ifdef V_VNNI
#define V_I8_BIAS 128 // the instruction's first factor is unsigned
V_INLINE v16i v16i_coded(v16i a) { return v16i_xor(a, v16i_set1(0x80808080u)); }
// gcc 12 moves the accumulator of the builtin to and fro, three moves for one dot.
V_INLINE v16i v16i_dot_us(v16i acc, v16i w, v16i x) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(w), "v"(x));
  return acc;
}
V_INLINE v16i v16i_dot_coded(v16i acc, v16i w, v16i x) { return v16i_dot_us(acc, w, x); }
#endif

V_INLINE v16 v16_load_bf16(const uint16_t *p) {
  return _mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
V_INLINE v16 v16_load_f16(const uint16_t *p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
V_INLINE v16 v16_load_i8(const int8_t *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
}
V_INLINE v16 v16_load_u8(const uint8_t *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)));
}
// Which of eight places lie among [low, low + width): their numbers, `first` that of the first, in
// order at `out` [8]; how many.
#define V_PICK8
V_INLINE size_t v_pick8(const int64_t *places, uint64_t low, uint64_t width, uint32_t first,
                        uint32_t *out) {
  const __m512i x = _mm512_sub_epi64(_mm512_loadu_si512(places), _mm512_set1_epi64((int64_t)low));
  const __mmask8 in = _mm512_cmplt_epu64_mask(x, _mm512_set1_epi64((int64_t)width));
  const __m256i number =
      _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  _mm256_storeu_si256((__m256i *)(void *)out, _mm256_maskz_compress_epi32(in, number));
  return (size_t)__builtin_popcount(in);
}
V_INLINE void v16_store_bf16(uint16_t *p, v16 a) {
  __m512i u = _mm512_castps_si512(a), high = _mm512_srli_epi32(u, 16);
  __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
  __m512i r =
      _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd), 16);
  r = _mm512_mask_or_epi32(r, v16_is_nan(a), high, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(r));
}
V_INLINE void v16_store_f16(uint16_t *p, v16 a) {
  _mm256_storeu_si256((__m256i *)p,
                      _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
V_INLINE void v16_store_i8(int8_t *p, v16 a) {
  _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(a)));
}
V_INLINE v16 v16_f16_low(v16i a) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a)); }
V_INLINE v16 v16_f16_high(v16i a) {
  return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(a, 16)));
}
V_INLINE v16 v16_bf16_low(v16i a) {
  const __mmask16 normal = _mm512_test_epi32_mask(a, v16i_set1(0x7f80));
  return v16_of_bits(_mm512_maskz_slli_epi32(normal, a, 16));
}
V_INLINE v16 v16_bf16_high(v16i a) {
  const __mmask16 normal = _mm512_test_epi32_mask(a, v16i_set1(0x7f800000));
  return v16_of_bits(_mm512_maskz_and_epi32(normal, a, v16i_set1(0xffff0000u)));
}

V_INLINE float v16_sum(v16 a) {
  __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
V_INLINE float v16_largest(v16 a) { return _mm512_reduce_max_ps(a); }

V_INLINE void v16_transpose(v16 r[16]) {
  v16 t[16];
  for (int i = 0; i < 16; i += 4) { // 4 x 4 inside each 128-bit quarter
    v16 a = _mm512_unpacklo_ps(r[i], r[i + 1]), b = _mm512_unpackhi_ps(r[i], r[i + 1]);
    v16 c = _mm512_unpacklo_ps(r[i + 2], r[i + 3]), d = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(c)));
    t[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(c)));
    t[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b), _mm512_castps_pd(d)));
    t[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b), _mm512_castps_pd(d)));
  }
  for (int j = 0; j < 4;
       j++) { // then the quarters: t[4q + j] quarter p is row q's part of output row 4p + j
    v16 a = _mm512_shuffle_f32x4(t[j], t[4 + j], 0x44),
        b = _mm512_shuffle_f32x4(t[8 + j], t[12 + j], 0x44);
    v16 c = _mm512_shuffle_f32x4(t[j], t[4 + j], 0xee),
        d = _mm512_shuffle_f32x4(t[8 + j], t[12 + j], 0xee);
    r[j] = _mm512_shuffle_f32x4(a, b, 0x88);
    r[4 + j] = _mm512_shuffle_f32x4(a, b, 0xdd);
    r[8 + j] = _mm512_shuffle_f32x4(c, d, 0x88);
    r[12 + j] = _mm512_shuffle_f32x4(c, d, 0xdd);
  }
}

typedef __m512d v8d;
V_INLINE v8d v8d_set1(double x) { return _mm512_set1_pd(x); }
V_INLINE v8d v8d_zero(void) { return _mm512_setzero_pd(); }
V_INLINE v8d v8d_load(const double *p) { return _mm512_loadu_pd(p); }
V_INLINE v8d v8d_load_n(const double *p, size_t n) {
  return _mm512_maskz_loadu_pd((__mmask8)v16m_first(n), p);
}
V_INLINE void v8d_store(double *p, v8d a) { _mm512_storeu_pd(p, a); }
V_INLINE void v8d_store_n(double *p, v8d a, size_t n) {
  _mm512_mask_storeu_pd(p, (__mmask8)v16m_first(n), a);
}
V_INLINE v8d v8d_add(v8d a, v8d b) { return _mm512_add_pd(a, b); }
V_INLINE v8d v8d_sub(v8d a, v8d b) { return _mm512_sub_pd(a, b); }
V_INLINE v8d v8d_mul(v8d a, v8d b) { return _mm512_mul_pd(a, b); }
V_INLINE v8d v8d_div(v8d a, v8d b) { return _mm512_div_pd(a, b); }
V_INLINE v8d v8d_neg(v8d a) { return _mm512_xor_pd(a, _mm512_set1_pd(-0.0)); }
V_INLINE v8d v8d_fma(v8d a, v8d b, v8d c) { return _mm512_fmadd_pd(a, b, c); }
V_INLINE v8d v8d_fms(v8d a, v8d b, v8d c) { return _mm512_fmsub_pd(a, b, c); }
V_INLINE v8d v8d_fnma(v8d a, v8d b, v8d c) { return _mm512_fnmadd_pd(a, b, c); }
V_INLINE void v8d_transpose(v8d r[8]) {
  v8d t[8], u[8];
  for (int i = 0; i < 8; i += 2) { // pairs of rows: even places, odd places
    t[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) // then quarters of 128 bits
    for (int j = 0; j < 2; j++) {
      u[i + j] = _mm512_shuffle_f64x2(t[i + j], t[i + 2 + j], 0x88);
      u[i + 2 + j] = _mm512_shuffle_f64x2(t[i + j], t[i + 2 + j], 0xdd);
    }
  for (int j = 0; j < 4; j++) {
    // u[j]: columns 0 and 4 (j = 0), 1 and 5, 2 and 6, 3 and 7 of rows 0..3; u[4 + j] of rows 4..7
    r[j] = _mm512_shuffle_f64x2(u[j], u[4 + j], 0x88);
    r[j + 4] = _mm512_shuffle_f64x2(u[j], u[4 + j], 0xdd);
  }
}

// The moves of v16_common.h.
V_INLINE void v16_split(const float *p, v16 *re, v16 *im) {
  const v16 a = v16_load(p), b = v16_load(p + 16);
  const v16i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  *re = _mm512_permutex2var_ps(a, even, b);
  *im = _mm512_permutex2var_ps(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
}
V_INLINE void v16_join(float *p, v16 re, v16 im) {
  const v16i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  v16_store(p, _mm512_permutex2var_ps(re, low, im));
  v16_store(p + 16, _mm512_permutex2var_ps(re, _mm512_add_epi32(low, _mm512_set1_epi32(8)), im));
}
V_INLINE void v16_weave4(v16 r[4]) { // 4 x 4 quarters change places
  const v16 a = _mm512_shuffle_f32x4(r[0], r[1], 0x44), b = _mm512_shuffle_f32x4(r[2], r[3], 0x44),
            c = _mm512_shuffle_f32x4(r[0], r[1], 0xee), d = _mm512_shuffle_f32x4(r[2], r[3], 0xee);
  r[0] = _mm512_shuffle_f32x4(a, b, 0x88), r[1] = _mm512_shuffle_f32x4(a, b, 0xdd);
  r[2] = _mm512_shuffle_f32x4(c, d, 0x88), r[3] = _mm512_shuffle_f32x4(c, d, 0xdd);
}
V_INLINE void v16_weave(v16 r[4]) { // 4 x 4 elements inside each quarter, and then the quarters
  const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[0], r[1])),
                b = _mm512_castps_pd(_mm512_unpackhi_ps(r[0], r[1])),
                c = _mm512_castps_pd(_mm512_unpacklo_ps(r[2], r[3])),
                d = _mm512_castps_pd(_mm512_unpackhi_ps(r[2], r[3]));
  r[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c)),
  r[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
  r[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d)),
  r[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
  v16_weave4(r);
}
V_INLINE v16 v16_reverse(v16 a) {
  return _mm512_permutexvar_ps(
      _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), a);
}
V_INLINE void v8d_split(const double *p, v8d *re, v8d *im) {
  const v8d a = v8d_load(p), b = v8d_load(p + 8);
  const v16i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  *re = _mm512_permutex2var_pd(a, even, b);
  *im = _mm512_permutex2var_pd(a, _mm512_add_epi64(even, _mm512_set1_epi64(1)), b);
}
V_INLINE void v8d_join(double *p, v8d re, v8d im) {
  const v16i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  v8d_store(p, _mm512_permutex2var_pd(re, low, im));
  v8d_store(p + 8, _mm512_permutex2var_pd(re, _mm512_add_epi64(low, _mm512_set1_epi64(4)), im));
}
V_INLINE void v8d_weave4(v8d r[4]) {
  const v8d a = r[0], b = r[1], c = r[2], d = r[3];
  r[0] = _mm512_shuffle_f64x2(a, b, 0x44), r[1] = _mm512_shuffle_f64x2(c, d, 0x44);
  r[2] = _mm512_shuffle_f64x2(a, b, 0xee), r[3] = _mm512_shuffle_f64x2(c, d, 0xee);
}
V_INLINE void v8d_weave(v8d r[4]) { // pairs, and then 4 x 4 quarters
  const v8d a = _mm512_unpacklo_pd(r[0], r[1]), b = _mm512_unpacklo_pd(r[2], r[3]),
            c = _mm512_unpackhi_pd(r[0], r[1]), d = _mm512_unpackhi_pd(r[2], r[3]);
  v16 q[4] = {_mm512_castpd_ps(a), _mm512_castpd_ps(b), _mm512_castpd_ps(c), _mm512_castpd_ps(d)};
  v16_weave4(q);
  V_FOR (i, 4)
    r[i] = _mm512_castps_pd(q[i]);
}
V_INLINE v8d v8d_reverse(v8d a) {
  return _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), a);
}

#endif
