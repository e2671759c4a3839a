// int8.inc for AMX tiles; a few tokens go to the dot product of bytes, which reads weights as fast
// as memory gives them.
#if defined(__x86_64__)
#define V_AMX 1
#define V_FEW(name) tl_##name##_vnni
#include "cpu/kernels/v16_avx512.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/int8.inc"
#else
typedef int int8_amx_needs_x86;
#endif
