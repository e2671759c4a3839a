// The words in which kernels speak to AMX: eight tiles of at most 16 rows of 64 bytes, and the
// products of two of them added to a third (Intel SDM volume 1 chapter 18, volume 2: LDTILECFG,
// TILELOADD, TILESTORED, TDPBSUD, TDPBF16PS). amx_emulated.h has the same words in C, for tests on
// CPUs without AMX: kernels know only these.
//
// As asm and not the compiler's intrinsics: gcc 12 tells its optimiser of 8 of the 64 bytes that
// LDTILECFG reads, and of none that TILELOADD reads. A tile's number is part of the instruction, so
// it is a literal.
#ifndef TL_CPU_KERNELS_AMX_H
#define TL_CPU_KERNELS_AMX_H

#include <stddef.h>
#include <stdint.h>

typedef struct amx_config {
  uint8_t palette, start, zero[14]; // palette 1; start 0
  uint16_t row_bytes[16];           // of tiles 0 to 7; the rest is 0
  uint8_t rows[16];
} amx_config;
_Static_assert(sizeof(amx_config) == 64, "LDTILECFG reads 64 bytes");

#ifdef AMX_EMULATED
#include "cpu/kernels/amx_emulated.h"
#else

// The shapes of all tiles, which become zero.
#define amx_configure(config) __asm__ volatile("ldtilecfg %0" ::"m"(*(const amx_config *)(config)))
// Back to no tiles: the operating system saves nothing of them from here on.
#define amx_release() __asm__ volatile("tilerelease" ::)
#define amx_zero(t) __asm__ volatile("tilezero %%tmm" #t ::)
// Row i of the tile from or to p + i * stride, stride in bytes.
#define amx_load(t, p, stride)                                                           \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"((const void *)(p)), "r"(stride) \
                   : "memor"                                                             \
                     "y")
#define amx_store(t, p, stride) \
  __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"((void *)(p)), "r"(stride) : "memory")
// c[m][n] += sum over k of a[m][k] and b[k / 4][4 n + k % 4]: bytes, signed in a and not in b, into
// i32, exactly.
#define amx_dot_su(c, a, b) __asm__ volatile("tdpbsud %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)
// The same of bf16 into f32, b[k / 2][2 n + k % 2]: even k and odd k in a chain of fma each, from
// +0; then c + (even + odd). Subnormal numbers, read or made, are zero.
#define amx_dot_bf16(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)

#endif
#endif
