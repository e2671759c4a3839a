// What this CPU can run, and a cap for tests: TLALOC_ISA=scalar|avx2|avx512|vnni|bf16|amx.
// (bf16 is vnni where vdpbf16ps does not pay.)
#ifndef TL_BASE_CPUINFO_H
#define TL_BASE_CPUINFO_H

#include "base/status.h"

enum {
  TL_ISA_AVX2 = 1u << 0,
  TL_ISA_FMA = 1u << 1,
  TL_ISA_F16C = 1u << 2,
  TL_ISA_AVX512F = 1u << 3, // with BW, DQ and VL: we never meet one without the others
  TL_ISA_AVX512_VNNI = 1u << 4,
  TL_ISA_AVX512_BF16 = 1u << 5,
  TL_ISA_AVX_VNNI = 1u << 6,
  TL_ISA_AMX_TILE = 1u << 7, // with permission from the kernel
  TL_ISA_AMX_BF16 = 1u << 8,
  TL_ISA_AMX_INT8 = 1u << 9,
  // vdpbf16ps adds its two products one after the other, the second element's first, each rounded
  // once, overflowing as a multiply-add does. It was tried: manuals do not promise it.
  TL_ISA_BF16_CHAIN = 1u << 10,
  // vdpbf16ps takes less time than the two multiply-adds that it is. It was timed.
  TL_ISA_BF16_FAST = 1u << 11,
};

// Features of the CPU and the operating system together (CPUID, XCR0), less what TLALOC_ISA takes
// away. Read once; any thread. An unknown value of TLALOC_ISA is INVALID_ARGUMENT and names the
// values there are.
tl_status tl_cpu_isa(uint32_t *out_isa);
uint32_t tl_cpu_isa_all(void); // without the cap
const char *tl_cpu_name(void); // the CPU's brand string
size_t tl_cpu_count(void);     // CPUs this process may run on (affinity, cgroup quota), at least 1
void tl_isa_text(uint32_t isa, char *out, size_t size); // "avx2 fma f16c avx512 …"

#endif
