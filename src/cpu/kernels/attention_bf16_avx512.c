// attention_bf16.inc for avx512.
#if defined(__x86_64__)
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/attention_bf16.inc"
#else
typedef int attention_bf16_avx512_needs_x86;
#endif
