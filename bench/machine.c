#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/cpuinfo.h"
#if defined(__x86_64__)
#include <cpuid.h>

#include "dots.h"
#endif

enum { STEPS = 1 << 18, CHAINS = 16, MAX_ROUNDS = 64 };
static const size_t HUGE_PAGE = (size_t)2 << 20;

// ---- arithmetic
// --------------------------------------------------------------------------------------------------

// More independent chains than latency times throughput asks for. `part` of the argument's 64
// floats keeps the result alive.
#define CHAINS_OF(id, isa, type, set, step)                                                  \
  isa static void peak_##id(void *arg, size_t part, size_t n_parts) {                        \
    (void)n_parts;                                                                           \
    type acc[CHAINS], a = set(((volatile float *)arg)[64]), b = set(((float *)arg)[65]);     \
    for (int i = 0; i < CHAINS; i++)                                                         \
      acc[i] = a;                                                                            \
    for (int k = 0; k < STEPS; k++)                                                          \
      _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) acc[i] = step(acc[i], a, b); \
    float sum = 0.0f;                                                                        \
    for (int i = 0; i < CHAINS; i++) {                                                       \
      float lane;                                                                            \
      memcpy(&lane, &acc[i], sizeof lane);                                                   \
      sum += lane;                                                                           \
    }                                                                                        \
    ((float *)arg)[part % 64] = sum;                                                         \
  }

#define ITSELF(x) (x)
#define MUL_ADD(c, a, b) fmaf(c, a, b)
CHAINS_OF(F32_SCALAR, , float, ITSELF, MUL_ADD)

#if defined(__x86_64__)
#define FMA(bits, type) _mm##bits##_fmadd_##type
#define DOUBLES_256(x) _mm256_set1_pd((double)(x))
#define DOUBLES_512(x) _mm512_set1_pd((double)(x))
#define INTS_256(x) _mm256_set1_epi32((int)(x))
#define INTS_512(x) _mm512_set1_epi32((int)(x))
CHAINS_OF(F32_AVX2, AVX2, __m256, _mm256_set1_ps, FMA(256, ps))
CHAINS_OF(F32_AVX512, AVX512, __m512, _mm512_set1_ps, FMA(512, ps))
CHAINS_OF(F64_AVX2, AVX2, __m256d, DOUBLES_256, FMA(256, pd))
CHAINS_OF(F64_AVX512, AVX512, __m512d, DOUBLES_512, FMA(512, pd))

CHAINS_OF(BF16_AVX512, AVX512, __m512i, INTS_512, dot_bf16)
CHAINS_OF(INT8_AVX512, AVX512, __m512i, INTS_512, dot_int8_512)
CHAINS_OF(INT8_AVX, AVX2, __m256i, INTS_256, dot_int8_256)

// Eight whole tiles: 0 to 3 are sums, 4 to 7 operands. The instruction reads all 64 bytes of the
// configuration, which gcc 12's intrinsic does not say, so this is asm with an operand that does.
typedef struct tile_config {
  uint8_t palette, start, zero[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

static void tiles_begin(void) {
  tile_config c = {.palette = 1};
  for (int i = 0; i < 8; i++)
    c.row_bytes[i] = 64, c.rows[i] = 16;
  __asm__ volatile("ldtilecfg %0\n\t"
                   "tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3\n\t"
                   "tilezero %%tmm4\n\ttilezero %%tmm5\n\ttilezero %%tmm6\n\ttilezero %%tmm7"
                   :
                   : "m"(c));
}

#define TILES(id, op)                                                                       \
  static void peak_##id(void *arg, size_t part, size_t n_parts) {                           \
    (void)arg, (void)part, (void)n_parts;                                                   \
    tiles_begin();                                                                          \
    for (int k = 0; k < STEPS; k++)                                                         \
      __asm__ volatile(op " %%tmm6, %%tmm4, %%tmm0\n\t" op " %%tmm7, %%tmm4, %%tmm1\n\t" op \
                          " %%tmm6, %%tmm5, %%tmm2\n\t" op " %%tmm7, %%tmm5, %%tmm3" ::);   \
    __asm__ volatile("tilerelease" ::);                                                     \
  }
TILES(BF16_AMX, "tdpbf16ps")
TILES(INT8_AMX, "tdpbssd")
#else
#define peak_F32_AVX2 NULL
#define peak_F32_AVX512 NULL
#define peak_F64_AVX2 NULL
#define peak_F64_AVX512 NULL
#define peak_BF16_AVX512 NULL
#define peak_INT8_AVX NULL
#define peak_INT8_AVX512 NULL
#define peak_BF16_AMX NULL
#define peak_INT8_AMX NULL
#endif

static const machine_peak_row peaks[PEAK_COUNT] = {
#define TL_PEAK(id, name, unit, isa, ops) {name, unit, isa, ops, peak_##id},
#include "peaks.def"
#undef TL_PEAK
};

const machine_peak_row *machine_peak(peak_id id) { return &peaks[id]; }

bool machine_has(peak_id id, uint32_t isa) { return (peaks[id].isa & ~isa) == 0; }

peak_id machine_f32_peak(uint32_t isa) {
  if (machine_has(PEAK_F32_AVX512, isa)) return PEAK_F32_AVX512;
  return machine_has(PEAK_F32_AVX2, isa) ? PEAK_F32_AVX2 : PEAK_F32_SCALAR;
}

static int descending(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a < b) - (a > b);
}

static double best_of(double *rates, int n, double *out_median) {
  qsort(rates, (size_t)n, sizeof *rates, descending);
  if (out_median) *out_median = rates[n / 2];
  return rates[0];
}

double machine_peak_round(tl_pool *pool, peak_id id) {
  float kept[66] = {[64] = 0.999f, [65] = 1e-3f};
  const uint64_t start = tl_now_ns();
  tl_pool_run(pool, peaks[id].run, kept);
  return peaks[id].ops * STEPS * (double)tl_pool_size(pool) * 1e9 / (double)(tl_now_ns() - start);
}

double machine_run_peak(tl_pool *pool, peak_id id, int rounds, double *out_median) {
  double rates[MAX_ROUNDS];
  rounds = TL_MIN(rounds, (int)MAX_ROUNDS);
  for (int r = 0; r < rounds; r++)
    rates[r] = machine_peak_round(pool, id);
  return best_of(rates, rounds, out_median);
}

// ---- memory
// ------------------------------------------------------------------------------------------------------

// The mapping is a page larger, and what is used starts at a whole one.
void *machine_map(size_t size, bool huge) {
  uint8_t *p =
      mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  const size_t before = HUGE_PAGE - (uintptr_t)p % HUGE_PAGE;
  munmap(p, before);
  p += before;
  if (before < HUGE_PAGE) munmap(p + size, HUGE_PAGE - before);
  madvise(p, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return p;
}

void machine_unmap(void *p, size_t size) { munmap(p, size); }

size_t machine_huge_bytes(void) {
  FILE *f = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  size_t kib = 0;
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "AnonHugePages: %zu", &kib) == 1) break;
  if (f) fclose(f);
  return kib << 10;
}

typedef struct read_job {
  const uint64_t *p;
  size_t n, repeats;
  uint64_t sum[64]; // one per part, apart
} read_job;

// The same in each width of registers: near caches give more than narrow loads take.
#define READ(name, isa)                                                                  \
  isa static void name(void *arg, size_t part, size_t n_parts) {                         \
    read_job *j = arg;                                                                   \
    typedef uint64_t v8 __attribute__((vector_size(64)));                                \
    enum { UNROLL = 8, LINE = 8, AHEAD = 2048 / 8 }; /* words; AHEAD are asked for */    \
    size_t from, to;                                                                     \
    tl_pool_range(j->n, (size_t)LINE *UNROLL, part, n_parts, &from, &to);                \
    v8 s[UNROLL] = {{0}}, t = {0};                                                       \
    for (size_t r = 0; r < j->repeats; r++)                                              \
      for (size_t i = from; i + (size_t)LINE * UNROLL <= to; i += (size_t)LINE * UNROLL) \
        _Pragma("GCC unroll 8") for (int k = 0; k < UNROLL; k++) {                       \
          v8 x;                                                                          \
          __builtin_prefetch(j->p + i + AHEAD + LINE * k);                               \
          memcpy(&x, j->p + i + LINE * k, sizeof x);                                     \
          s[k] += x;                                                                     \
        }                                                                                \
    for (int k = 0; k < UNROLL; k++)                                                     \
      t += s[k];                                                                         \
    j->sum[part % 64] = t[0] ^ t[7];                                                     \
  }
READ(read_narrow, )
#if defined(__x86_64__)
READ(read_avx2, AVX2)
READ(read_avx512, AVX512)
#else
#define read_avx2 read_narrow
#define read_avx512 read_narrow
#endif

static void read_set(void *arg, size_t part, size_t n_parts) {
  const uint32_t isa = tl_cpu_isa_all();
  (isa & TL_ISA_AVX512F ? read_avx512
   : isa & TL_ISA_AVX2  ? read_avx2
                        : read_narrow)(arg, part, n_parts);
}

static double read_round(tl_pool *pool, const void *set, size_t size, size_t repeats) {
  read_job j = {.p = set, .n = size / 8, .repeats = repeats};
  const uint64_t start = tl_now_ns();
  tl_pool_run(pool, read_set, &j);
  return (double)(size * repeats) * 1e9 / (double)(tl_now_ns() - start);
}

double machine_read_round(tl_pool *pool, const void *set, size_t size) {
  return read_round(pool, set, size, 1);
}

double machine_read(tl_pool *pool, const void *set, size_t size, int rounds, double *out_median) {
  const size_t pass =
      (size_t)32 << 20; // bytes of a round, at least: short, so that one is not interrupted
  double rates[MAX_ROUNDS];
  rounds = TL_MIN(size < pass ? 4 * rounds : rounds, (int)MAX_ROUNDS);
  for (int r = 0; r < rounds; r++)
    rates[r] = read_round(pool, set, size, TL_MAX(pass / size, (size_t)1));
  return best_of(rates, rounds, out_median);
}

typedef struct exchange_job {
  read_job read;
  uint8_t *p;
  size_t size;
  int rounds;
  tl_pool *pool;
  double rates[MAX_ROUNDS];
} exchange_job;

static void exchange(void *arg, size_t part, size_t n_parts) {
  exchange_job *j = arg;
  (void)n_parts;
  for (int r = 0; r < j->rounds; r++) {
    if (part == 0) memset(j->p, r, j->size);
    tl_pool_barrier(j->pool);
    if (part == 1) {
      const uint64_t start = tl_now_ns();
      read_set(&j->read, 0, 1);
      j->rates[r] = (double)j->size * 1e9 / (double)(tl_now_ns() - start);
    }
    tl_pool_barrier(j->pool);
  }
}

double machine_exchange(tl_pool *pool, void *set, size_t size, int rounds, double *out_median) {
  exchange_job j = {.read = {.p = set, .n = size / 8, .repeats = 1},
                    .p = set,
                    .size = size,
                    .rounds = TL_MIN(4 * rounds, (int)MAX_ROUNDS),
                    .pool = pool};
  tl_pool_run(pool, exchange, &j);
  return best_of(j.rates, j.rounds, out_median);
}

// ---- the kind
// ----------------------------------------------------------------------------------------------------

void machine_kind(char *out, size_t size) {
  char isa[128], model[64] = "";
  tl_isa_text(tl_cpu_isa_all(), isa, sizeof isa);
#if defined(__x86_64__)
  uint32_t a = 0, b, c, d;
  __get_cpuid(1, &a, &b, &c, &d);
  const uint32_t family = (a >> 8 & 15) + (a >> 20 & 255),
                 number = (a >> 4 & 15) | (a >> 12 & 0xf0);
  snprintf(model, sizeof model, " family %u model %u", family, number);
#endif
  snprintf(out, size, "%s%s, %zu CPUs, %s", tl_cpu_name(), model, tl_cpu_count(), isa);
}
