// attention_bf16.inc for vdpbf16ps, where that is a chain.
#if defined(__x86_64__)
#define V_BF16 1
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/attention_bf16.inc"
#else
typedef int attention_bf16_bf16_needs_x86;
#endif
