// int8.inc for avx2.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx2.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/int8.inc"
#else
typedef int int8_avx2_needs_x86;
#endif
