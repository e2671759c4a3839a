// gemm_bf16 by vdpbf16ps, where that is a chain (TL_ISA_BF16_CHAIN) and pays (TL_ISA_BF16_FAST).
//
// There the instruction is two fused multiply-adds in a row, acc = fma(x0, w0, fma(x1, w1, acc)),
// each rounded once: the order of a dot, when of each pair of k the even one lies second. It does
// twice the work of a multiply-add in the same time. It takes subnormal numbers for zero, read or
// made, and is said nothing about beyond; so while they are packed the least and greatest exponents
// of rows and of columns are looked at. Every product is a whole multiple of 2^(ea + eb - 14), ea
// and eb the least exponents of numbers that are not zero, and so is every sum, rounded or not:
// from 2^-126 on none is subnormal. Blocks beyond that, and those that might overflow or that hold
// what is no number, widen the same pairs and take multiply-adds, with the bits of any other
// variant.
//
// Packed pairs are a word, k even in its upper half: rows [ceil(K/64)][rows][32], columns [32][32].
#if defined(__x86_64__)
#define V_BF16
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"

#include <string.h>

#include "base/half.h"
#include "cpu/kernels/tile.h"

void tl_gemm_bf16_avx512(const tl_gemm_args *a);

enum { PAIRS = TILE_K / 2, COLS = 16 * V_NR, LEAST_SUM = 142, GREATEST_SUM = 354 };

typedef struct range { // of the magnitudes' bits, less one for the least: zeros come out greatest
  v16i least, greatest;
} range;

V_INLINE range range_none(void) { return (range){_mm512_set1_epi32(-1), _mm512_setzero_si512()}; }
V_INLINE void range_add(range *r, v16i pairs) {
  const v16i bits = _mm512_and_si512(pairs, _mm512_set1_epi32(0x7fff7fff));
  r->greatest = _mm512_max_epu16(r->greatest, bits);
  r->least = _mm512_min_epu16(r->least, _mm512_sub_epi16(bits, _mm512_set1_epi16(1)));
}

typedef struct exponents {
  unsigned least, greatest; // biased; least is beyond all where every number is zero
} exponents;

static exponents exponents_of(const range *r) {
  uint16_t least[32], greatest[32];
  unsigned low = 0xffff, high = 0;
  _mm512_storeu_si512(least, r->least), _mm512_storeu_si512(greatest, r->greatest);
  for (int i = 0; i < 32; i++)
    low = TL_MIN(low, (unsigned)least[i]), high = TL_MAX(high, (unsigned)greatest[i]);
  return (exponents){(low + 1) >> 7, high >> 7};
}

static bool chains(exponents a, exponents b) {
  return a.least > 0 && b.least > 0 && a.greatest < 255 && b.greatest < 255 &&
         a.least + b.least >= LEAST_SUM && a.greatest + b.greatest <= GREATEST_SUM;
}

// n pairs (an odd last k with a zero) of contiguous k.
V_INLINE v16i pairs_along(const uint16_t *p, size_t k) {
  const __mmask32 there = k >= 32 ? 0xffffffffu : (1u << k) - 1;
  return _mm512_rol_epi32(_mm512_maskz_loadu_epi16(there, p), 16);
}
// Of 16 lanes that lie side by side, n of them there: k from p, k + 1 from q, or zeros.
V_INLINE v16i pairs_across(const uint16_t *p, const uint16_t *q, size_t n) {
  const __mmask16 there = v16m_first(n);
  const v16i even = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, p)),
             odd = q == NULL ? _mm512_setzero_si512()
                             : _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, q));
  return _mm512_or_si512(_mm512_slli_epi32(even, 16), odd);
}
V_INLINE uint32_t pair_at(const uint16_t *p, size_t step, bool both) {
  return (uint32_t)p[0] << 16 | (both ? p[step] : 0u);
}

static void transpose(v16i r[16]) {
  v16 f[16];
  V_FOR (i, 16)
    f[i] = v16_of_bits(r[i]);
  v16_transpose(f);
  V_FOR (i, 16)
    r[i] = v16_bits(f[i]);
}

// Vectors of 16 pairs of k, from k on, of 16 lanes at stride `lane`, n of them there: r[i] lane i.
V_INLINE void pairs_by_lane(const uint16_t *p, size_t lane, size_t step, size_t n, size_t k,
                            v16i r[16]) {
  for (size_t i = 0; i < 16; i++) {
    if (i >= n) {
      r[i] = _mm512_setzero_si512();
    } else if (step == 1) {
      r[i] = pairs_along(p + i * lane, k);
    } else {
      uint32_t words[16] = {0};
      for (size_t j = 0; 2 * j < k && j < 16; j++)
        words[j] = pair_at(p + i * lane + 2 * j * step, step, 2 * j + 1 < k);
      r[i] = _mm512_loadu_si512(words);
    }
  }
}
// The same, r[j] pair j of all lanes.
V_INLINE void pairs_by_k(const uint16_t *p, size_t lane, size_t step, size_t n, size_t k,
                         v16i r[16]) {
  if (lane != 1) {
    pairs_by_lane(p, lane, step, n, k, r);
    transpose(r);
    return;
  }
  for (size_t j = 0; j < 16; j++)
    r[j] = 2 * j >= k
               ? _mm512_setzero_si512()
               : pairs_across(p + 2 * j * step, 2 * j + 1 < k ? p + (2 * j + 1) * step : NULL, n);
}

static exponents pack_rows(const tl_gemm_args *g, size_t m0, size_t rows, uint32_t *xp) {
  range all = range_none();
  for (size_t k0 = 0; k0 < g->K; k0 += TILE_K, xp += rows * PAIRS)
    for (size_t m = 0; m < rows; m += 16)
      for (size_t h = 0; h < PAIRS; h += 16) {
        const size_t n = TL_MIN((size_t)16, rows - m),
                     k = g->K - k0 > 2 * h ? TL_MIN(g->K - k0 - 2 * h, (size_t)32) : 0;
        const uint16_t *from =
            (const uint16_t *)g->a + (m0 + m) * g->a_m + (k0 + (k > 0 ? 2 * h : 0)) * g->a_k;
        v16i r[16];
        if (g->a_m == 1 && g->a_k != 1) {
          pairs_by_k(from, 1, g->a_k, n, k, r);
          transpose(r);
        } else {
          pairs_by_lane(from, g->a_m, g->a_k, n, k, r);
        }
        for (size_t i = 0; i < n; i++) {
          range_add(&all, r[i]);
          _mm512_storeu_si512(xp + (m + i) * PAIRS + h, r[i]);
        }
      }
  return exponents_of(&all);
}

// A block of k and COLS columns, n of them there.
static exponents pack_columns(const tl_gemm_args *g, size_t col, size_t n, size_t k0, uint32_t *w) {
  range all = range_none();
  const size_t kn = TL_MIN((size_t)TILE_K, g->K - k0);
  for (size_t s = 0; s < n; s += 16)
    for (size_t h = 0; 2 * h < kn; h += 16) {
      const uint16_t *from = (const uint16_t *)g->b + (k0 + 2 * h) * g->b_k + (col + s) * g->b_n;
      v16i r[16];
      pairs_by_k(from, g->b_n, g->b_k, TL_MIN((size_t)16, n - s), kn - 2 * h, r);
      for (size_t j = 0; j < 16; j++) {
        range_add(&all, r[j]);
        _mm512_storeu_si512(w + (h + j) * COLS + s, r[j]);
      }
    }
  return exponents_of(&all);
}

// acc += x w for a pair of k; k even first.
V_INLINE v16 chain(v16 acc, uint32_t x, v16i w) {
  return v16_of_bits((v16i)_mm512_dpbf16_ps(acc, (__m512bh)w, (__m512bh)v16i_set1(x)));
}
V_INLINE v16 widened(v16 acc, uint32_t x, v16i w) {
  acc = v16_fma(v16_of_bits(v16i_set1(x & 0xffff0000u)),
                v16_of_bits(v16i_and(w, v16i_set1(0xffff0000u))), acc);
  return v16_fma(v16_of_bits(v16i_set1(x << 16)), v16_of_bits(v16i_shl(w, 16)), acc);
}

// total[mr][COLS] += the chains of a block of `pairs`; the first block finds nothing there.
V_KERNEL void body(const int mr, const bool chained, const uint32_t *x, const uint32_t *w,
                   size_t pairs, bool first, float *total) {
  v16 acc[V_MR][V_NR];
  V_FOR (m, mr)
    V_FOR (n, V_NR)
      acc[m][n] = v16_zero();
  for (size_t k = 0; k < pairs; k++) {
    v16i wk[V_NR];
    V_FOR (n, V_NR)
      wk[n] = v16i_load(w + k * COLS + (size_t)(16 * n));
    V_FOR (m, mr) {
      const uint32_t xk = x[(size_t)m * PAIRS + k];
      V_FOR (n, V_NR)
        acc[m][n] = chained ? chain(acc[m][n], xk, wk[n]) : widened(acc[m][n], xk, wk[n]);
    }
  }
  V_FOR (m, mr)
    V_FOR (n, V_NR) {
      float *t = total + m * COLS + 16 * n;
      v16_store(t, v16_add(first ? v16_zero() : v16_load(t), acc[m][n]));
    }
}

static void tile(size_t rows, bool chained, const uint32_t *x, const uint32_t *w, size_t pairs,
                 bool first, float *total) {
  if (!chained) { // seldom: a row at a time will do
    for (size_t m = 0; m < rows; m++)
      body(1, false, x + m * PAIRS, w, pairs, first, total + m * COLS);
    return;
  }
  switch (rows) {
    // clang-format off
#define HEIGHT(mr) case mr: body(mr, true, x, w, pairs, first, total); break;
    HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7)
    HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12) HEIGHT(13) HEIGHT(14)
#undef HEIGHT
    // clang-format on
  }
}

static void put(const tl_gemm_args *g, const float *total, size_t m0, size_t rows, size_t col,
                size_t n) {
  for (size_t m = 0; m < rows; m++)
    for (size_t s = 0; s < n; s += 16) {
      const size_t some = TL_MIN((size_t)16, n - s), at = (m0 + m) * g->c_m + (col + s) * g->c_n;
      const v16 sums = v16_load(total + m * COLS + s);
      float wide[16];
      uint16_t narrow[16];
      if (!g->narrow && g->c_n == 1) {
        v16_store_n((float *)g->c + at, sums, some);
      } else if (!g->narrow) {
        v16_store(wide, sums);
        for (size_t i = 0; i < some; i++)
          ((float *)g->c)[at + i * g->c_n] = wide[i];
      } else if (some == 16 && g->c_n == 1) {
        v16_store_bf16((uint16_t *)g->c + at, sums);
      } else {
        v16_store_bf16(narrow, sums);
        for (size_t i = 0; i < some; i++)
          ((uint16_t *)g->c)[at + i * g->c_n] = narrow[i];
      }
    }
}

void tl_gemm_bf16_bf16(const tl_gemm_args *g) {
  if (g->m_at != NULL || g->K == 0 || g->K >= (size_t)1 << 24 || g->M <= GEMM_FEW ||
      g->N <= GEMM_FEW) {
    tl_gemm_bf16_avx512(g);
    return;
  }
  const size_t panel = tl_tile_panel_rows(sizeof(float), g->M, g->K),
               blocks = (g->K + TILE_K - 1) / TILE_K;
  uint32_t *xp = g->scratch, *w = xp + blocks * panel * PAIRS;
  float *total = (float *)(w + PAIRS * COLS);
  for (size_t m0 = 0; m0 < g->M; m0 += panel) {
    const size_t rows = TL_MIN(panel, g->M - m0), parts = (rows + V_MR - 1) / V_MR;
    const exponents of_rows = pack_rows(g, m0, rows, xp);
    for (size_t col = 0; col < g->N; col += COLS) {
      const size_t n = TL_MIN((size_t)COLS, g->N - col);
      for (size_t b = 0; b < blocks; b++) {
        const size_t k0 = b * TILE_K, pairs = (TL_MIN((size_t)TILE_K, g->K - k0) + 1) / 2;
        const bool chained = chains(of_rows, pack_columns(g, col, n, k0, w));
        const uint32_t *x = xp + b * rows * PAIRS;
        for (size_t p = 0, from = 0; p < parts; p++) {
          const size_t to = rows * (p + 1) / parts;
          tile(to - from, chained, x + from * PAIRS, w, pairs, b == 0, total + from * COLS);
          from = to;
        }
      }
      put(g, total, m0, rows, col, n);
    }
  }
}
#else
typedef int gemm_bf16_needs_x86;
#endif
