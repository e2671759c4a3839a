// reduce.inc for avx512.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/reduce.inc"
#else
typedef int reduce_avx512_needs_x86;
#endif
