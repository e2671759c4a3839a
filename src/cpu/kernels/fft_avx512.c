// fft.inc for avx512.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/fft.inc"
#else
typedef int fft_avx512_needs_x86;
#endif
