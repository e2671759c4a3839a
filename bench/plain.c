#include "plain.h"

#include <string.h>

#if defined(__x86_64__)
#include "dots.h"
#endif

// By blocks of K whose weights and rows stay in the first cache, for all rows; their sums in
// between lie in a panel, for rows of y may lie where all want the same lines of a cache.
enum { ROWS = 8, BLOCK = 192, PANEL = 512 * 32 }; // rows at once, by two vectors of outputs
static _Thread_local _Alignas(64) float panel[PANEL];

// `per` elements are multiplied by a step; `load` makes a vector of weights of `bytes` bytes.
#define PLAIN(id, isa, type, word, per, bytes, load, spread, step)                     \
  isa static void plain_##id(void *arg, size_t part, size_t n_parts) {                 \
    const plain_args *a = arg;                                                         \
    enum { WIDE = 2 * sizeof(type) / 4 };                                              \
    const size_t steps = a->K / (per), block = BLOCK / (per);                          \
    size_t from, to;                                                                   \
    tl_pool_range(a->R / WIDE, 1, part, n_parts, &from, &to);                          \
    for (size_t g = from; g < to; g++) {                                               \
      memset(panel, 0, a->T *WIDE * sizeof *panel);                                    \
      for (size_t k0 = 0; k0 < steps; k0 += block)                                     \
        for (size_t t = 0; t < a->T; t += ROWS) {                                      \
          const char *w = (const char *)a->w + (g * steps + k0) * 2 * (bytes);         \
          const word *x = (const word *)a->x + t * steps + k0;                         \
          const size_t ahead = t == 0 ? steps * 2 * (bytes) : 0; /* of the next g */   \
          type acc[ROWS][2];                                                           \
          memcpy(acc, panel + t * WIDE, sizeof acc);                                   \
          for (size_t k = 0; k < block; k++, w += 2 * (bytes)) {                       \
            const type w0 = load(w), w1 = load(w + (bytes));                           \
            __builtin_prefetch(w + ahead), __builtin_prefetch(w + ahead + (bytes));    \
            _Pragma("GCC unroll 8") for (int i = 0; i < ROWS; i++) {                   \
              const type e = spread(x[(size_t)i * steps + k]);                         \
              acc[i][0] = step(acc[i][0], e, w0);                                      \
              acc[i][1] = step(acc[i][1], e, w1);                                      \
            }                                                                          \
          }                                                                            \
          if (k0 + block < steps) {                                                    \
            memcpy(panel + t * WIDE, acc, sizeof acc);                                 \
            continue;                                                                  \
          }                                                                            \
          _Pragma("GCC unroll 8") for (int i = 0; i < ROWS; i++)                       \
              memcpy(a->y + (t + (size_t)i) * a->R + g * WIDE, acc[i], sizeof acc[i]); \
        }                                                                              \
    }                                                                                  \
  }

#if defined(__x86_64__)
#define FMA_256(c, a, b) _mm256_fmadd_ps(a, b, c)
#define FMA_512(c, a, b) _mm512_fmadd_ps(a, b, c)
#define LOAD_256(p) _mm256_loadu_si256((const void *)(p))
#define LOAD_512(p) _mm512_loadu_si512(p)
#define WIDEN_256(p)   \
  _mm256_castsi256_ps( \
      _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(p))), 16))
#define WIDEN_512(p) _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(LOAD_256(p)), 16))
PLAIN(F32_AVX2, AVX2, __m256, float, 1, 16, WIDEN_256, _mm256_set1_ps, FMA_256)
PLAIN(F32_AVX512, AVX512, __m512, float, 1, 32, WIDEN_512, _mm512_set1_ps, FMA_512)
PLAIN(BF16_AVX512, AVX512, __m512i, int, 2, 64, LOAD_512, _mm512_set1_epi32, dot_bf16)
PLAIN(INT8_AVX, AVX2, __m256i, int, 4, 32, LOAD_256, _mm256_set1_epi32, dot_int8_256)
PLAIN(INT8_AVX512, AVX512, __m512i, int, 4, 64, LOAD_512, _mm512_set1_epi32, dot_int8_512)
#endif

tl_pool_fn plain_product(peak_id arithmetic) {
  static const tl_pool_fn rows[PEAK_COUNT] = {
#if defined(__x86_64__)
      [PEAK_F32_AVX2] = plain_F32_AVX2,       [PEAK_F32_AVX512] = plain_F32_AVX512,
      [PEAK_BF16_AVX512] = plain_BF16_AVX512, [PEAK_INT8_AVX] = plain_INT8_AVX,
      [PEAK_INT8_AVX512] = plain_INT8_AVX512,
#endif
  };
  return rows[arithmetic];
}
