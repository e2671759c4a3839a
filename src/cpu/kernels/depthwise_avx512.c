// depthwise.inc for avx512.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/depthwise.inc"
#else
typedef int depthwise_avx512_needs_x86;
#endif
