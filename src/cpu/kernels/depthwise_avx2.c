// depthwise.inc for avx2.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx2.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/depthwise.inc"
#else
typedef int depthwise_avx2_needs_x86;
#endif
