// How a product is timed, so that 5 % can be seen on a machine that gives 5 % more or less from one
// moment to the next, and to others half of its caches.
//
// A pair times the yardstick, the product, and the yardstick again, within some ms: what the
// machine is in this moment is in both. From 64 tokens on the yardstick is halfway between a plain
// product of the same matrices and the peak loop, the geometric mean of their rates: the peak loop
// is steadiest, but knows nothing of caches, and moves by 10 % against products where a neighbour
// fills them; a plain product feels those as ours do, and where its own lines fall too. With fewer
// tokens it is the read loop. Where the yardsticks of a pair differ by more than `AGREE` others ran
// meanwhile, and more for one of them than for the other; the pair is void.
//
// All products have their turn before one has its next, so that a bad minute is in few values of
// each. What comes between only slows, and ours more than the yardstick: of a turn's pairs the
// upper quartile counts, of all turns the better half.
//
// Each case walks through copies of its matrix so that no weight is in a cache that a model of its
// size would not have it in.
#include "products.h"

#include <math.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "base/mem.h"
#include "base/pool.h"
#include "inputs.h"
#include "machine.h"
#include "plain.h"
#include "record.h"

enum { TURNS = 9, MORE_TURNS = 13, MIN_PAIRS = 3, MAX_PAIRS = 64, MAX_T = 512, MAX_K = 1536 };
static const double AGREE = 0.05, UNIT = 5e-4;  // seconds that a timing takes, at least
static const size_t SET = (size_t)96 << 20;     // bytes that a case walks through
static const size_t LARGEST = (size_t)64 << 20; // more than any matrix has
static const size_t SLICE = (size_t)16 << 20;   // bytes of a read loop

static const tl_kernels *K;

// What all cases share: weights to walk through (any bytes will do), and rows in every form.
typedef struct memory {
  uint8_t *w; // SET and LARGEST bytes
  size_t at;  // of the read loop's next slice
  float *x, *y, *d;
  uint16_t *rounded;
  int8_t *q;
  uint8_t *scratch[2];
} memory;

typedef struct shape {
  const char *name;
  size_t R, K;
} shape;

typedef struct product {
  bool fast;
  tl_format format;
  const shape *s;
  size_t T, threads;
  size_t n;                                      // turns that gave a value
  double best;                                   // seconds
  double value[TURNS], peak[TURNS], read[TURNS]; // of the yardstick's rate; parts of the limits
} product;

// --- a product and its yardstick ---

typedef struct job {
  const product *p;
  const memory *m;
  tl_pool *pool;
  peak_id arithmetic;
  double flops;
  tl_matmul_args a;
  size_t size, stride, n_copies, turn; // of the packed matrix, in bytes
  tl_pool_fn plain;                    // NULL: there is none
  plain_args b;
  size_t b_stride, b_copies;
} job;

static void product_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  tl_matmul_args a = j->a;
  tl_pool_range(tl_format_groups(a.R), 1, part, n_parts, &a.g0, &a.g1);
  a.w = j->m->w + j->turn % j->n_copies * j->stride;
  a.scratch = j->m->scratch[part];
  if (!j->p->fast)
    K->matmul(&a);
  else if (a.format == TL_FORMAT_BF16)
    K->bf16_matmul(&(tl_bf16_matmul_args){.w = a.w,
                                          .x = j->m->rounded,
                                          .y = a.y,
                                          .y_stride = a.y_stride,
                                          .R = a.R,
                                          .K = a.K,
                                          .t1 = a.t1,
                                          .g0 = a.g0,
                                          .g1 = a.g1,
                                          .scratch = a.scratch});
  else
    K->int8_matmul(&(tl_int8_matmul_args){.format = a.format,
                                          .planes = a.planes,
                                          .group_size = a.group_size,
                                          .w = a.w,
                                          .q = j->m->q,
                                          .d = j->m->d,
                                          .y = a.y,
                                          .y_stride = a.y_stride,
                                          .R = a.R,
                                          .K = a.K,
                                          .t1 = a.t1,
                                          .g0 = a.g0,
                                          .g1 = a.g1,
                                          .scratch = a.scratch});
}

// The arithmetic that bounds a product on this CPU.
static peak_id arithmetic_of(const product *p) {
  static const peak_id codes[] = {PEAK_INT8_AMX, PEAK_INT8_AVX512, PEAK_INT8_AVX};
  if (!p->fast) return machine_f32_peak(K->isa);
  if (p->format == TL_FORMAT_BF16)
    return machine_has(PEAK_BF16_AMX, K->isa)  ? PEAK_BF16_AMX
           : (K->isa & TL_ISA_BF16_CHAIN) != 0 ? PEAK_BF16_AVX512
                                               : machine_f32_peak(K->isa);
  for (size_t i = 0; i < TL_COUNT(codes); i++)
    if (machine_has(codes[i], K->isa)) return codes[i];
  return machine_f32_peak(K->isa);
}

static bool plan(job *j, const product *p, memory *m, tl_pool *pool) {
  const shape *s = p->s;
  *j = (job){.p = p, .m = m, .pool = pool, .arithmetic = arithmetic_of(p)};
  j->flops = 2.0 * (double)p->T * (double)s->R * (double)s->K;
  j->a = (tl_matmul_args){.format = p->format,
                          .R = s->R,
                          .K = s->K,
                          .x = m->x,
                          .y = m->y,
                          .x_stride = s->K,
                          .y_stride = s->R,
                          .t1 = p->T};
  if (!tl_format_group_size(p->format, s->K, &j->a.group_size)) return false;
  (void)tl_format_plane_offsets(p->format, s->K, &j->a.planes);
  j->size = tl_format_groups(s->R) * j->a.group_size;
  j->stride = tl_round_up(j->size, 4096);
  j->n_copies = SET / j->stride + 1;
  if (p->T < 64) return true;
  const bool codes = p->fast && p->format != TL_FORMAT_BF16;
  j->plain = plain_product(j->arithmetic);
  j->b = (plain_args){.y = m->y, .T = p->T, .R = s->R, .K = s->K};
  const bool wide = j->arithmetic == machine_f32_peak(K->isa);
  j->b.x = wide ? (void *)m->x : codes ? (void *)m->q : (void *)m->rounded;
  j->b_stride = s->R * s->K * (codes && !wide ? 1 : 2);
  j->b_copies = SET / j->b_stride + 1;
  return true;
}

// Threads that have waited some 50 us sleep; they must not pay for having been made to wait.
static void nothing(void *arg, size_t part, size_t n_parts) {
  (void)arg, (void)part, (void)n_parts;
}
static double awake(tl_pool *pool) {
  tl_pool_run(pool, nothing, NULL);
  return now();
}

// The deliberate delay is all threads', or others would fill the caches of one that sleeps.
static void wait_part(void *arg, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  while (tl_now_ns() < *(const uint64_t *)arg) {
  }
}

static double seconds_of(job *j, size_t calls) {
  const double start = awake(j->pool);
  for (size_t i = 0; i < calls; i++, j->turn++) {
    const uint64_t from = tl_now_ns();
    tl_pool_run(j->pool, product_part, j);
    uint64_t until = bench_perturbed(from);
    if (until > tl_now_ns()) tl_pool_run(j->pool, wait_part, &until);
  }
  return (now() - start) / (double)calls;
}

static double read_rate(job *j, memory *m) {
  m->at = (m->at + SLICE) % SET;
  return machine_read_round(j->pool, m->w + m->at, SLICE);
}

typedef struct rates {
  double yardstick; // of products a second, or bytes read
  double peak;      // operations a second; 0: not measured
} rates;

static rates yardstick(job *j, memory *m, size_t calls) {
  double start = awake(j->pool);
  if (j->p->T < 64) return (rates){.yardstick = read_rate(j, m)};
  const double peak = machine_peak_round(j->pool, j->arithmetic), most = peak / j->flops;
  if (!j->plain) return (rates){most, peak};
  start = now();
  for (size_t i = 0; i < calls; i++) {
    j->b.w = m->w + (j->turn + i) % j->b_copies * j->b_stride;
    tl_pool_run(j->pool, j->plain, &j->b);
  }
  return (rates){sqrt(most * (double)calls / (now() - start)), peak};
}

// --- turns ---

static int ascending(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}
static double quantile(double *v, size_t n, double part) {
  qsort(v, n, sizeof *v, ascending);
  return v[(size_t)(part * (double)(n - 1) + 0.5)];
}

static void one_turn(product *p, memory *m, tl_pool *pool, double seconds) {
  job j;
  double value[MAX_PAIRS], peak[MAX_PAIRS], read[MAX_PAIRS];
  size_t n = 0;
  if (p->n == TURNS || !plan(&j, p, m, pool)) return;
  const bool many = p->T >= 64;
  const size_t calls = 1 + (size_t)(UNIT / TL_MIN(seconds_of(&j, 1), seconds_of(&j, 1)));
  const double start = now(), work = many ? 1.0 : (double)j.size;
  rates before = yardstick(&j, m, calls);
  for (int i = 0; i < MAX_PAIRS && (i < MIN_PAIRS || now() - start < seconds); i++) {
    const double took = seconds_of(&j, calls);
    const rates after = yardstick(&j, m, calls);
    const double a = before.yardstick, b = after.yardstick;
    if (p->best == 0 || took < p->best) p->best = took;
    if (TL_MAX(a, b) <= (1 + AGREE) * TL_MIN(a, b)) {
      const double peak_now = many ? after.peak : machine_peak_round(pool, j.arithmetic);
      value[n] = 2 * work / took / (a + b);
      peak[n] = j.flops / took / peak_now;
      read[n++] = (double)j.size / took / (many ? read_rate(&j, m) : b);
    }
    before = after;
  }
  if (n == 0) return;
  p->value[p->n] = quantile(value, n, 0.75);
  p->peak[p->n] = quantile(peak, n, 0.5);
  p->read[p->n++] = quantile(read, n, 0.5);
}

static void name_of(const product *p, char *out, size_t size) {
  const char *how = p->fast ? " fast" : "", *format = tl_format_get(p->format)->name;
  snprintf(out, size, "matmul/%s%s %s T%zu threads %zu", format, how, p->s->name, p->T, p->threads);
}

static void report(product *p) {
  if (p->n == 0) return;
  char name[64];
  name_of(p, name, sizeof name);
  const double peak = quantile(p->peak, p->n, 0.5), read = quantile(p->read, p->n, 0.5),
               flops = 2.0 * (double)p->T * (double)p->s->R * (double)p->s->K;
  printf("%-36s %9.1f us  %7.1f GFLOP/s (%3.0f %% of peak)  %3.0f %% of read", name + 7,
         p->best * 1e6, flops * 1e-9 / p->best, 100 * peak, 100 * read);
  const bool many = p->T >= 64;
  qsort(p->value, p->n, sizeof *p->value, ascending);
  double *values = p->value + p->n / 2;
  const size_t n = p->n - p->n / 2;
  if (many) printf("  %5.3f yardsticks (%5.3f to %5.3f)", values[n / 2], values[0], values[n - 1]);
  puts("");
  for (size_t k = 0; !many && k < n; k++)
    values[k] *= 100;
  bench_row(name,
            peak <= read ? "memory"
            : many       ? "compute"
                         : "both",
            many ? "yardsticks" : "% of read", values, n);
}

static void fill(memory *m, size_t threads) {
  const size_t n = (size_t)MAX_T * MAX_K;
  m->w = need(tl_mem_map(SET + LARGEST));
  for (size_t i = 0; i < SET + LARGEST; i++)
    m->w[i] = (uint8_t)(random_u32() & 0x3f); // finite in every format
  m->x = need(tl_mem_map(n * sizeof *m->x));
  m->y = need(tl_mem_map((size_t)64 * 49152 * sizeof *m->y)); // of the head; 512 tokens have less
  m->rounded = need(tl_mem_map(n * sizeof *m->rounded));
  m->q = need(tl_mem_map(n));
  m->d = need(tl_mem_map(n / 32 * sizeof *m->d));
  for (size_t i = 0; i < n; i++)
    m->x[i] = random_f32();
  K->convert(&(tl_convert_args){.op = TL_CONVERT_F32_BF16, .x = m->x, .y = m->rounded, .n = n});
  K->quantize_int8(&(tl_quantize_int8_args){.x = m->x, .n = n, .q = m->q, .d = m->d});
  size_t scratch = tl_matmul_scratch_size(MAX_T, MAX_K);
  scratch = TL_MAX(scratch, tl_int8_matmul_scratch_size(MAX_T, MAX_K));
  scratch = TL_MAX(scratch, tl_bf16_matmul_scratch_size(MAX_T, MAX_K));
  for (size_t i = 0; i < threads; i++)
    m->scratch[i] = need(tl_mem_map(scratch + 64));
}

static bool wanted(const product *p, const regex_t *only) {
  char name[64];
  name_of(p, name, sizeof name);
  return !only || regexec(only, name, 0, NULL, 0) == 0;
}

void bench_products(const tl_kernels *kernels, bool fast, double seconds, const regex_t *only) {
  static const shape shapes[] = {
      {"qkv", 960, 576}, {"gate+up", 3072, 576}, {"down", 576, 1536}, {"head", 49152, 576}};
  static const tl_format formats[] = {TL_FORMAT_BF16, TL_FORMAT_Q8_0, TL_FORMAT_Q4_1,
                                      TL_FORMAT_Q4_0, TL_FORMAT_Q4_K}; // the last two fast only
  static const size_t tokens[] = {1, 4, 8, 64, 512};
  static product all[2 * TL_COUNT(formats) * TL_COUNT(tokens) * TL_COUNT(shapes)];
  static memory m; // for both ways
  const size_t threads = TL_MIN(tl_cpu_count(), (size_t)2);
  size_t n = 0;
  tl_pool *pools[2];
  K = kernels;
  if (!m.w) fill(&m, threads);
  for (size_t i = 1; i <= threads; i++) {
    if (tl_pool_create(i, &pools[i - 1]) != TL_OK) exit(1);
    for (size_t f = 0; f < (fast ? TL_COUNT(formats) : 3); f++)
      for (size_t t = 0; t < TL_COUNT(tokens); t++)
        for (size_t s = 0; s < TL_COUNT(shapes); s++)
          if (tokens[t] < 512 || shapes[s].R < 10000) {
            all[n] = (product){
                .fast = fast, .format = formats[f], .s = &shapes[s], .T = tokens[t], .threads = i};
            n += wanted(&all[n], only);
          }
  }
  for (int turn = 0; turn < MORE_TURNS; turn++) // the last ones for those that lack a value
    for (size_t i = 0; i < n; i++)
      one_turn(&all[i], &m, pools[all[i].threads - 1], seconds / TURNS * (all[i].T < 64 ? 0.4 : 1));
  for (size_t i = 0; i < n; i++)
    report(&all[i]);
  for (size_t i = 0; i < threads; i++)
    tl_pool_destroy(pools[i]);
}
