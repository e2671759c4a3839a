// int8.inc for AVX-512 with its dot product of bytes.
#if defined(__x86_64__)
#define V_VNNI 1
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/int8.inc"
#else
typedef int int8_vnni_needs_x86;
#endif
