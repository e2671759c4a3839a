// The instructions that multiply and add narrow numbers, for the loops that measure what a machine
// can do. They add into their first operand, and are asm, so that older compilers do without the
// intrinsics.
#ifndef TL_BENCH_DOTS_H
#define TL_BENCH_DOTS_H

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))

#define DOT(name, isa, type, text)                            \
  isa static inline type name(type acc, type a, type b) {     \
    __asm__(text " %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b)); \
    return acc;                                               \
  }
DOT(dot_bf16, AVX512, __m512i, "vdpbf16ps")
DOT(dot_int8_512, AVX512, __m512i, "vpdpbusd")
DOT(dot_int8_256, AVX2, __m256i, "%{vex%} vpdpbusd")

#undef DOT

#endif
