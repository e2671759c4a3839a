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

#endif
