// Dots and sums in the promised orders. fma is one instruction on most machines and a slow call
// elsewhere: each function is compiled for both, from one body, and the machine is asked. The bits
// are the same.
#include "ref/sums.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#define HAVE_FMA() (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define WITH_FMA __attribute__((target("avx2,fma")))
#else
#define HAVE_FMA() 0
#define WITH_FMA
#endif
#define BODY static inline __attribute__((always_inline))

bool tl_sum_cut_of(const int64_t *extent, uint32_t rank, int64_t block, tl_sum_cut *out) {
  int64_t inner = 1;
  for (uint32_t d = 0; d < rank; d++)
    if (extent[d] <= 0) return false;
  for (uint32_t d = rank; d-- > 0;) {
    if (extent[d] > block / inner) {
      *out = (tl_sum_cut){d, block / inner};
      return true;
    }
    inner *= extent[d];
  }
  return false;
}

#define SUMS(T, suffix, FMA)                                                            \
  BODY T dot_##suffix(const T *x, const T *w, size_t n) {                               \
    T total = 0;                                                                        \
    for (size_t at = 0; at < n; at += TL_DOT_BLOCK) {                                   \
      size_t end = TL_MIN(n, at + TL_DOT_BLOCK);                                        \
      T acc = 0;                                                                        \
      for (size_t i = at; i < end; i++)                                                 \
        acc = FMA(x[i], w[i], acc);                                                     \
      total += acc;                                                                     \
    }                                                                                   \
    return total;                                                                       \
  }                                                                                     \
  BODY void dot16_##suffix(const T *x, const T *w, size_t k, T *out) {                  \
    T total[16] = {0};                                                                  \
    for (size_t at = 0; at < k; at += TL_DOT_BLOCK) {                                   \
      size_t end = TL_MIN(k, at + TL_DOT_BLOCK);                                        \
      T acc[16] = {0};                                                                  \
      for (size_t i = at; i < end; i++)                                                 \
        for (size_t j = 0; j < 16; j++)                                                 \
          acc[j] = FMA(x[i], w[i * 16 + j], acc[j]);                                    \
      for (size_t j = 0; j < 16; j++)                                                   \
        total[j] += acc[j];                                                             \
    }                                                                                   \
    memcpy(out, total, sizeof total);                                                   \
  }                                                                                     \
  BODY void axpy_##suffix(T *acc, T p, const T *v, size_t n) {                          \
    for (size_t i = 0; i < n; i++)                                                      \
      acc[i] = FMA(p, v[i], acc[i]);                                                    \
  }                                                                                     \
  WITH_FMA static T dot_##suffix##_fma(const T *x, const T *w, size_t n) {              \
    return dot_##suffix(x, w, n);                                                       \
  }                                                                                     \
  WITH_FMA static void dot16_##suffix##_fma(const T *x, const T *w, size_t k, T *out) { \
    dot16_##suffix(x, w, k, out);                                                       \
  }                                                                                     \
  WITH_FMA static void axpy_##suffix##_fma(T *acc, T p, const T *v, size_t n) {         \
    axpy_##suffix(acc, p, v, n);                                                        \
  }                                                                                     \
  T tl_ref_dot_##suffix(const T *x, const T *w, size_t n) {                             \
    return HAVE_FMA() ? dot_##suffix##_fma(x, w, n) : dot_##suffix(x, w, n);            \
  }                                                                                     \
  void tl_ref_dot16_##suffix(const T *x, const T *w, size_t k, T *out) {                \
    if (HAVE_FMA())                                                                     \
      dot16_##suffix##_fma(x, w, k, out);                                               \
    else                                                                                \
      dot16_##suffix(x, w, k, out);                                                     \
  }                                                                                     \
  void tl_ref_axpy_##suffix(T *acc, T p, const T *v, size_t n) {                        \
    if (HAVE_FMA())                                                                     \
      axpy_##suffix##_fma(acc, p, v, n);                                                \
    else                                                                                \
      axpy_##suffix(acc, p, v, n);                                                      \
  }                                                                                     \
  void tl_sum_##suffix##_add(tl_sum_##suffix *s, const T *x, size_t n) {                \
    for (size_t i = 0; i < n; i++)                                                      \
      s->lane[i % TL_SUM_LANES] += x[i];                                                \
  }                                                                                     \
  T tl_sum_##suffix##_end(tl_sum_##suffix *s) {                                         \
    for (size_t half = TL_SUM_LANES / 2; half > 0; half /= 2)                           \
      for (size_t i = 0; i < half; i++)                                                 \
        s->lane[i] += s->lane[i + half];                                                \
    return s->lane[0];                                                                  \
  }

SUMS(float, f32, __builtin_fmaf)
SUMS(double, f64, __builtin_fma)
