// CPUID says what the CPU has, XCR0 what the operating system saves across a context switch; a
// feature needs both. AMX also needs a permission that Linux gives per process on request
// (arch_prctl).
//
// The number of CPUs is what the process may use, not what the machine has: affinity, and the quota
// of its control group, rounded up. A pool larger than that waits for itself.
#include "base/cpuinfo.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/str.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const struct {
  const char *name;
  uint32_t isa;
} isa_names[] = {
    {"avx2", TL_ISA_AVX2},
    {"fma", TL_ISA_FMA},
    {"f16c", TL_ISA_F16C},
    {"avx512", TL_ISA_AVX512F},
    {"avx512-vnni", TL_ISA_AVX512_VNNI},
    {"avx512-bf16", TL_ISA_AVX512_BF16},
    {"avx-vnni", TL_ISA_AVX_VNNI},
    {"amx-tile", TL_ISA_AMX_TILE},
    {"amx-bf16", TL_ISA_AMX_BF16},
    {"amx-int8", TL_ISA_AMX_INT8},
    {"bf16-chain", TL_ISA_BF16_CHAIN},
    {"bf16-fast", TL_ISA_BF16_FAST},
};

#define CAP_AVX2 (TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C)
#define CAP_AVX512 (CAP_AVX2 | TL_ISA_AVX512F)
#define CAP_VNNI (CAP_AVX512 | TL_ISA_AVX512_VNNI | TL_ISA_AVX512_BF16 | TL_ISA_AVX_VNNI)
#define CAP_BF16 (CAP_VNNI | TL_ISA_BF16_CHAIN | TL_ISA_BF16_FAST)
#define CAP_AMX (CAP_BF16 | TL_ISA_AMX_TILE | TL_ISA_AMX_BF16 | TL_ISA_AMX_INT8)

static const struct {
  const char *name;
  uint32_t keeps;
} isa_caps[] = {{"scalar", 0},      {"avx2", CAP_AVX2}, {"avx512", CAP_AVX512},
                {"vnni", CAP_VNNI}, {"bf16", CAP_BF16}, {"amx", CAP_AMX}};

static struct {
  uint32_t all, capped;
  char bad_cap[32]; // an unknown TLALOC_ISA, shortened; empty when it was fine
  char name[64];
} cpu;

#if defined(__x86_64__)

static uint64_t read_xcr0(void) {
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (uint64_t)hi << 32 | lo;
}

static bool amx_permitted(void) {
  enum { REQUEST = 0x1023, TILE_DATA = 18 }; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

static float of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

// sum + x[1] w[1] + x[0] w[0] by the instruction; a pair is a word, [1] its upper half. (An
// assembler of today knows it; a compiler may not.)
static float bf16_dot(float sum, uint32_t x, uint32_t w) {
  float got;
  __asm__("vmovss %1, %%xmm1\n\t"
          "vmovd %2, %%xmm2\n\t"
          "vmovd %3, %%xmm3\n\t"
          "vdpbf16ps %%zmm3, %%zmm2, %%zmm1\n\t"
          "vmovss %%xmm1, %0\n\t"
          "vzeroupper"
          : "=m"(got)
          : "m"(sum), "r"(x), "r"(w)
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
            "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return got;
}

// The value of a bf16 in the upper half of a word, zero where it is subnormal.
static float bf16_value(uint32_t high) {
  return of_bits(high & (high & 0x7f800000u ? 0xffff0000u : 0x80000000u));
}

static bool bf16_is_chain_of(float sum, uint32_t x, uint32_t w) {
  const float first = __builtin_fmaf(bf16_value(x), bf16_value(w), sum),
              want = __builtin_fmaf(bf16_value(x << 16), bf16_value(w << 16), first),
              got = bf16_dot(sum, x, w);
  return memcmp(&got, &want, sizeof got) == 0 || (got != got && want != want);
}

// By the instruction and by two multiply-adds: pairs of bf16 of many exponents, with sums that they
// meet where rounding shows an order; and numbers that overflow, are infinite, subnormal, or none.
static bool bf16_chain(void) {
  static const uint16_t ends[] = {0,      0x0001, 0x007f, 0x3f00, 0x3f80, 0x4049, 0x5f00, 0x5f80,
                                  0x7e81, 0x7f00, 0x7f7f, 0x7f80, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};
  static const uint32_t sums[] = {0, 0x3f800000, 0x7effffff, 0x7f7fffff, 0x7f800000, 0x7fc00000};
  uint32_t state = 0x2545f491u;
  for (int i = 0; i < 1024; i++) {
    uint32_t word[3];
    for (int k = 0; k < 3; k++) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      word[k] = state;
    }
    // Exponents of 1/8 to 1, and of the sum of 2^-9 to 2^22.
    uint32_t a = (word[0] & 0x80ff80ffu) | 0x3e003e00u | (word[0] & 0x01000100u),
             b = (word[1] & 0x80ff80ffu) | 0x3e003e00u | (word[1] & 0x01000100u),
             c = (word[2] & 0x807fffffu) | (118 + (word[2] >> 27)) << 23;
    if (i % 2 == 1) {
      a = (word[0] & 0x80008000u) | (uint32_t)ends[word[0] & 15] << 16 | ends[word[0] >> 4 & 15];
      b = (word[1] & 0x80008000u) | (uint32_t)ends[word[1] & 15] << 16 | ends[word[1] >> 4 & 15];
      c = (word[2] & 0x80000000u) | sums[(word[2] & 0xffff) % TL_COUNT(sums)];
    }
    if (!bf16_is_chain_of(of_bits(c), a, b)) return false;
  }
  return true;
}

// `n` times twelve instructions, a chain each.
#define TIMES(op, n)                                                                         \
  __asm__ volatile("vzeroall\n"                                                              \
                   "1:\n"                                                                    \
                   ".irp i, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t" op                 \
                   " %%zmm0, %%zmm0, %%zmm\\i\n"                                             \
                   ".endr\n\t"                                                               \
                   "dec %0\n\t"                                                              \
                   "jnz 1b\n\t"                                                              \
                   "vzeroupper"                                                              \
                   : "+r"(n)                                                                 \
                   :                                                                         \
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                     "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc")

// Nanoseconds of 12,288 instructions in twelve chains: much more than a clock takes to read.
static uint64_t ns_of(bool dot) {
  int n = 1024;
  const uint64_t from = tl_now_ns();
  if (dot)
    TIMES("vdpbf16ps", n);
  else
    TIMES("vfmadd231ps", n);
  return tl_now_ns() - from;
}
#undef TIMES

// CPUs have been seen that take as long as for one multiply-add, and four times as long: nothing
// lies near the bound. The least of a few trials that alternate, 20 to 50 us in all.
static bool bf16_fast(void) {
  uint64_t fma = UINT64_MAX / 2, dot = fma;
  for (int i = 0; i < 5; i++) {
    const uint64_t one = ns_of(false), other = ns_of(true);
    fma = TL_MIN(fma, one), dot = TL_MIN(dot, other);
  }
  return dot < 2 * fma;
}

static uint32_t detect(void) {
  uint32_t a, b, c, d, isa = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  bool osxsave = c >> 27 & 1, avx = c >> 28 & 1, fma = c >> 12 & 1, f16c = c >> 29 & 1;
  if (!osxsave || !avx) return 0;
  uint64_t xcr0 = read_xcr0();
  if ((xcr0 & 0x6) != 0x6) return 0;       // xmm, ymm
  bool zmm = (xcr0 & 0xe6) == 0xe6;        // and opmask, zmm
  bool tile = (xcr0 & 0x60000) == 0x60000; // tile configuration and data
  if (fma) isa |= TL_ISA_FMA;
  if (f16c) isa |= TL_ISA_F16C;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return isa;
  uint32_t subleaves = a;
  if (b >> 5 & 1) isa |= TL_ISA_AVX2;
  uint32_t f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  if (zmm && (b & f_dq_bw_vl) == f_dq_bw_vl) {
    isa |= TL_ISA_AVX512F;
    if (c >> 11 & 1) isa |= TL_ISA_AVX512_VNNI;
  }
  bool amx_tile = d >> 24 & 1, amx_bf16 = d >> 22 & 1, amx_int8 = d >> 25 & 1;
  if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
    if (a >> 4 & 1) isa |= TL_ISA_AVX_VNNI;
    if ((a >> 5 & 1) && (isa & TL_ISA_AVX512F)) {
      isa |= TL_ISA_AVX512_BF16;
      if (bf16_chain()) isa |= TL_ISA_BF16_CHAIN;
      if (bf16_fast()) isa |= TL_ISA_BF16_FAST;
    }
  }
  if (tile && amx_tile && amx_permitted()) {
    isa |= TL_ISA_AMX_TILE;
    if (amx_bf16) isa |= TL_ISA_AMX_BF16;
    if (amx_int8) isa |= TL_ISA_AMX_INT8;
  }
  return isa;
}

static void read_name(char out[64]) {
  uint32_t brand[12], a, b, c, d;
  if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000004u) return;
  for (uint32_t i = 0; i < 3; i++)
    __get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                &brand[4 * i + 3]);
  char text[sizeof brand + 1];
  memcpy(text, brand, sizeof brand);
  text[sizeof brand] = '\0';
  const char *from = text + strspn(text, " ");
  size_t len = strlen(from);
  while (len > 0 && from[len - 1] == ' ')
    len--;
  if (len != 0) snprintf(out, 64, "%.*s", (int)len, from);
}

#else

static uint32_t detect(void) { return 0; }
static void read_name(char out[64]) { (void)out; }

#endif

static void detect_once(void) {
  cpu.all = cpu.capped = detect();
  snprintf(cpu.name, sizeof cpu.name, "unknown CPU");
  read_name(cpu.name);
  const char *cap = getenv("TLALOC_ISA");
  if (cap == NULL || *cap == '\0') return;
  for (size_t i = 0; i < TL_COUNT(isa_caps); i++) {
    if (strcmp(cap, isa_caps[i].name) != 0) continue;
    cpu.capped = cpu.all & isa_caps[i].keeps;
    return;
  }
  snprintf(cpu.bad_cap, sizeof cpu.bad_cap, "%s", cap);
}

static void detect_now(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, detect_once);
}

tl_status tl_cpu_isa(uint32_t *out_isa) {
  detect_now();
  if (cpu.bad_cap[0] != '\0')
    return TL_ERROR(INVALID_ARGUMENT,
                    "TLALOC_ISA is \"%s\"; it can be scalar, avx2, avx512, vnni, bf16 or amx",
                    cpu.bad_cap);
  *out_isa = cpu.capped;
  return TL_OK;
}

uint32_t tl_cpu_isa_all(void) {
  detect_now();
  return cpu.all;
}

const char *tl_cpu_name(void) {
  detect_now();
  return cpu.name;
}

void tl_isa_text(uint32_t isa, char *out, size_t size) {
  size_t at = 0;
  if (size == 0) return;
  out[0] = '\0';
  for (size_t i = 0; i < TL_COUNT(isa_names); i++) {
    if (!(isa & isa_names[i].isa)) continue;
    int put = snprintf(out + at, size - at, "%s%s", at == 0 ? "" : " ", isa_names[i].name);
    if (put < 0 || (size_t)put >= size - at) return; // cut off, but terminated
    at += (size_t)put;
  }
  if (at == 0) snprintf(out, size, "scalar");
}

// CPUs that a quota of microseconds in a period of them is worth.
static size_t cpus_of(long long quota, long long period) {
  return quota > 0 && period > 0 ? (size_t)((quota - 1) / period + 1) : SIZE_MAX;
}

// cpu.max is "<quota> <period>", or "max <period>".
static size_t cpu_max(const char *text) {
  long long quota, period;
  return sscanf(text, "%lld %lld", &quota, &period) == 2 ? cpus_of(quota, period) : SIZE_MAX;
}

static size_t quota_cpus(void) {
  char quota[64], period[64];
  size_t least = tl_cgroup_least("cpu.max", cpu_max);
  if (tl_read_small("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota) && // v1
      tl_read_small("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period))
    least = TL_MIN(least, cpus_of(strtoll(quota, NULL, 10), strtoll(period, NULL, 10)));
  return least;
}

size_t tl_cpu_count(void) {
  size_t count = 0;
  for (size_t cpus = 1024; cpus <= 65536 && count == 0;
       cpus *= 2) { // the kernel's mask may be larger than ours
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (set == NULL) break;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) == 0)
      count = (size_t)CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set);
    CPU_FREE(set);
  }
  size_t quota = quota_cpus();
  return TL_MAX(TL_MIN(TL_MAX(count, (size_t)1), quota), (size_t)1);
}
