// What the three v16 headers share.
#ifndef TL_CPU_KERNELS_V16_COMMON_H
#define TL_CPU_KERNELS_V16_COMMON_H

#include "cpu/kernels/kernels.h"
#include "ref/elementary.h"

// V_INLINE is for the vocabulary, V_KERNEL for the bodies made of it. In the SIMD variants both are
// inlined and unrolled: extents that are small constants must become registers. The scalar variant
// (V_PLAIN) keeps bodies apart and loops rolled; there it would only make megabytes of code. So
// would it in checked builds, whose sanitizers put several instructions before every load and took
// minutes over each file.
#if defined(V_PLAIN) || defined(TL_CHECKED)
#define V_UNROLL
#if defined(__clang__)
#define V_KERNEL static __attribute__((noinline, unused))
#define V_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define V_KERNEL static __attribute__((noipa, unused))
#define V_ROLLED _Pragma("GCC unroll 1")
#endif
#if defined(TL_CHECKED)
#define V_INLINE V_KERNEL
#else
#define V_INLINE static inline __attribute__((unused))
#endif
#else
#define V_INLINE static inline __attribute__((always_inline, unused))
#define V_KERNEL V_INLINE
#if defined(__clang__)
#define V_UNROLL _Pragma("unroll")
#else
#define V_UNROLL _Pragma("GCC unroll 64")
#endif
#endif

// for (int i = 0; i < n; i++), unrolled.
#define V_FOR(i, n) \
  V_UNROLL          \
  for (int i = 0; i < (n); i++)

// Moves between lanes by way of memory, for the variants that have no instructions for them.
//   split, join   2 LANES numbers in memory, alternating, and the two registers of them
//   weave         elements j of four registers side by side: place 4 j + r has r[r][j]
//   weave4        the same of fours: place 16 (j / 4) + 4 r + j % 4
//   reverse       the last lane first
#define V_MOVES(v, name, elem, LANES)                            \
  V_INLINE void name##_split(const elem *p, v *re, v *im) {      \
    elem x[LANES], y[LANES];                                     \
    for (int i = 0; i < LANES; i++)                              \
      x[i] = p[2 * i], y[i] = p[2 * i + 1];                      \
    *re = name##_load(x), *im = name##_load(y);                  \
  }                                                              \
  V_INLINE void name##_join(elem *p, v re, v im) {               \
    elem x[LANES], y[LANES];                                     \
    name##_store(x, re), name##_store(y, im);                    \
    for (int i = 0; i < LANES; i++)                              \
      p[2 * i] = x[i], p[2 * i + 1] = y[i];                      \
  }                                                              \
  V_INLINE void name##_weave_by(v r[4], int step) {              \
    elem x[LANES], y[4 * LANES];                                 \
    for (int k = 0; k < 4; k++) {                                \
      name##_store(x, r[k]);                                     \
      for (int i = 0; i < LANES; i++)                            \
        y[i / step * 4 * step + k * step + i % step] = x[i];     \
    }                                                            \
    for (int k = 0; k < 4; k++)                                  \
      r[k] = name##_load(y + k * LANES);                         \
  }                                                              \
  V_INLINE void name##_weave(v r[4]) { name##_weave_by(r, 1); }  \
  V_INLINE void name##_weave4(v r[4]) { name##_weave_by(r, 4); } \
  V_INLINE v name##_reverse(v a) {                               \
    elem x[LANES], y[LANES];                                     \
    name##_store(x, a);                                          \
    for (int i = 0; i < LANES; i++)                              \
      y[i] = x[LANES - 1 - i];                                   \
    return name##_load(y);                                       \
  }

#endif
