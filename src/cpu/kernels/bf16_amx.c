// bf16.inc for AMX tiles.
#if defined(__x86_64__)
#define V_AMX 1
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/bf16.inc"
#else
typedef int bf16_amx_needs_x86;
#endif
