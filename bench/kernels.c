// Throughput of the kernels on this machine: `bench_kernels [matmul|fast|pack|attention|math]
// [seconds per case [REGEX]]`.
//
// matmul and fast are products (products.h), of f32 rows and of what --compute fast multiplies:
// bf16 rows with bf16, 8-bit codes with codes; REGEX chooses rows of theirs by their names in
// history.tsv.
#include "base/cpuinfo.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "products.h"

static const tl_kernels *K;
static double seconds = 0.5;

// ---- pack
// ----------------------------------------------------------------------------------------------------------

static void run_pack(void) {
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    tl_pack_args a = {.format = (tl_format)f, .R = 16384, .K = 1536};
    if (!tl_format_group_size(a.format, a.K, &a.group_size) ||
        !tl_format_row_size(a.format, a.K, &a.row_size))
      continue;
    (void)tl_format_plane_offsets(a.format, a.K, &a.planes);
    a.g1 = tl_format_groups(a.R);
    const size_t size = a.R * a.row_size, packed = a.g1 * a.group_size;
    uint8_t *rows = need(tl_mem_map(size)), *to = need(tl_mem_map(packed));
    for (size_t i = 0; i < size; i++)
      rows[i] = (uint8_t)random_u32();
    a.rows = rows;
    a.packed = to;
    double first = now();
    tl_pack(&a);
    first = now() - first; // the kernel's zeroing of new pages is in it, as it is in a load
    double best = 1e9, until = now() + seconds;
    do {
      double t = now();
      tl_pack(&a);
      best = TL_MIN(best, now() - t);
    } while (now() < until);
    printf("pack %-5s %6.1f MB  %6.2f GB/s (into new pages %5.2f GB/s)\n",
           tl_format_get(a.format)->name, (double)size * 1e-6, (double)size / best * 1e-9,
           (double)size / first * 1e-9);
    tl_mem_unmap(rows, size);
    tl_mem_unmap(to, packed);
  }
}

// ---- attention
// -----------------------------------------------------------------------------------------------------

static void bench_attention(size_t rows, size_t len) {
  enum { G = 3, D = 64, HEADS = 3, PAGE = 16 };
  const size_t pages = (len + PAGE - 1) / PAGE, pool = pages * PAGE * HEADS * D * sizeof(float);
  float *k = need(tl_mem_map(pool)), *v = need(tl_mem_map(pool));
  float *q = need(tl_mem_map(rows * G * D * sizeof *q)),
        *out = need(tl_mem_map(rows * G * D * sizeof *out));
  for (size_t i = 0; i < pool / sizeof *k; i++)
    k[i] = random_f32(), v[i] = random_f32();
  for (size_t i = 0; i < rows * G * D; i++)
    q[i] = random_f32();
  int32_t *table = need(malloc(pages * sizeof *table)), *lens = need(malloc(rows * sizeof *lens));
  for (size_t i = 0; i < pages; i++)
    table[i] = (int32_t)((i * 7 + 3) % pages);
  for (size_t i = 0; i < rows; i++)
    lens[i] = (int32_t)(len - rows + 1 + i);
  const size_t scratch = tl_attention_scratch_size(len, G, D);
  tl_attention_args a = {.q = q,
                         .q_stride = G * D,
                         .k_pool = k,
                         .v_pool = v,
                         .elem = TL_POOL_F32,
                         .block_stride = PAGE * HEADS * D,
                         .slot_stride = HEADS * D,
                         .n_blocks = pages,
                         .block_size = PAGE,
                         .table = table,
                         .table_len = pages,
                         .seq_lens = lens,
                         .n_rows = rows,
                         .G = G,
                         .D = D,
                         .scale = 0.125f,
                         .out = out,
                         .out_stride = G * D,
                         .scratch = need(tl_mem_map(scratch))};
  double best = 1e9, until = now() + seconds;
  do {
    double t = now();
    K->attention(&a);
    best = TL_MIN(best, now() - t);
  } while (now() < until);
  double pairs = 0; // of query row and key
  for (size_t i = 0; i < rows; i++)
    pairs += (double)lens[i] * G;
  printf("attention rows %4zu keys %5zu (1 kv head, G 3, D 64)  %9.1f us  %6.1f GFLOP/s  %6.1f "
         "GB/s of keys and values\n",
         rows, len, best * 1e6, pairs * 4 * D / best * 1e-9,
         (double)len * 2 * D * sizeof(float) / best * 1e-9);
  tl_mem_unmap(k, pool);
  tl_mem_unmap(v, pool);
  tl_mem_unmap(q, rows * G * D * sizeof *q);
  tl_mem_unmap(out, rows * G * D * sizeof *out);
  tl_mem_unmap(a.scratch, scratch);
  free(table);
  free(lens);
}

// One row of 9 heads and 3 kv heads over `len` positions, cut in two, in `layers` pools in turn:
// the steps that a thread takes for its half.
typedef struct row_bench {
  tl_attention_args a;
  size_t len, layers, pool; // bytes
  char *memory;             // [layers][2][pool]
  float *scores[2], *scratch[2], *tops[2], *sums[2];
  double best[2][3]; // of a part and all layers: scores, exps and sums, values and total
} row_bench;

static void bench_row_part(void *arg, size_t part, size_t n_parts) {
  row_bench *b = arg;
  const size_t blocks = (b->len + 63) / 64;
  double took[3] = {0};
  for (size_t l = 0; l < b->layers; l++) {
    tl_attention_args a = b->a;
    a.k_pool = b->memory + 2 * l * b->pool, a.v_pool = b->memory + (2 * l + 1) * b->pool;
    tl_attention_row_args r = {.a = &a,
                               .KvH = 3,
                               .head_stride = 64,
                               .len = b->len,
                               .begin = blocks * part / n_parts,
                               .end = blocks * (part + 1) / n_parts,
                               .step = 64,
                               .scores = b->scores[part],
                               .top = b->tops[part],
                               .sum = b->sums[part],
                               .lanes = b->scratch[part],
                               .h1 = 9,
                               .scratch = b->scratch[part]};
    double t = now();
    K->attention_scores(&r);
    took[0] += now() - t, t = now();
    K->attention_exps(&r);
    K->attention_sums(&r);
    took[1] += now() - t, t = now();
    K->attention_values(&r);
    K->attention_total(&r);
    took[2] += now() - t;
  }
  for (int i = 0; i < 3; i++)
    b->best[part][i] = TL_MIN(b->best[part][i], took[i]);
}

static void bench_attention_row(tl_pool *pool, size_t len, size_t layers) {
  enum { PAGE = 16, H = 9, KVH = 3, D = 64 };
  const size_t pages = (len + PAGE - 1) / PAGE;
  row_bench b = {.len = len,
                 .layers = layers,
                 .pool = pages * PAGE * KVH * D * sizeof(uint16_t),
                 .best = {{1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}}};
  b.memory = need(tl_mem_map(2 * layers * b.pool));
  for (size_t i = 0; i < layers * b.pool; i++)
    ((uint16_t *)b.memory)[i] = (uint16_t)(0x3f00 | (i * 2654435761u >> 24));
  int32_t *table = need(malloc(pages * sizeof *table));
  for (size_t i = 0; i < pages; i++)
    table[i] = (int32_t)i;
  float *q = need(tl_mem_map(H * D * sizeof *q)), *out = need(tl_mem_map(H * D * sizeof *out));
  b.a = (tl_attention_args){.q = q,
                            .elem = TL_POOL_BF16,
                            .block_stride = PAGE * KVH * D,
                            .slot_stride = KVH * D,
                            .n_blocks = pages,
                            .block_size = PAGE,
                            .table = table,
                            .table_len = pages,
                            .G = 3,
                            .D = D,
                            .scale = 0.125f,
                            .out = out};
  const size_t size = (len + 64) * H * sizeof(float) + 4096,
               scratch = tl_attention_row_scratch_size(H, D) + 4096;
  for (int i = 0; i < 2; i++) {
    b.scores[i] = need(tl_mem_map(size)), b.scratch[i] = need(tl_mem_map(scratch));
    b.tops[i] = need(tl_mem_map(4096)), b.sums[i] = need(tl_mem_map(4096));
    for (size_t h = 0; h < H; h++)
      b.sums[i][h] = 1;
  }
  double best = 1e9, until = now() + seconds;
  do {
    double t = now();
    tl_pool_run(pool, bench_row_part, &b);
    best = TL_MIN(best, now() - t);
  } while (now() < until);
  const double bytes = 2.0 * (double)(layers * b.pool);
  printf(
      "attention one row, %zu keys, %2zu layers, bf16, 2 threads  %8.1f us a layer  %6.1f GB/s (",
      len, layers, best / (double)layers * 1e6, bytes / best * 1e-9);
  for (int t = 0; t < 2; t++)
    printf("scores %.1f, exps %.1f, values %.1f%s", b.best[t][0] / (double)layers * 1e6,
           b.best[t][1] / (double)layers * 1e6, b.best[t][2] / (double)layers * 1e6,
           t ? ")\n" : "; ");
  tl_mem_unmap(b.memory, 2 * layers * b.pool);
  for (int i = 0; i < 2; i++) {
    tl_mem_unmap(b.scores[i], size), tl_mem_unmap(b.scratch[i], scratch);
    tl_mem_unmap(b.tops[i], 4096), tl_mem_unmap(b.sums[i], 4096);
  }
  tl_mem_unmap(q, H * D * sizeof *q), tl_mem_unmap(out, H * D * sizeof *out);
  free(table);
}

static void run_attention(void) {
  tl_pool *pool;
  if (tl_pool_create(2, &pool) == TL_OK) {
    bench_attention_row(pool, 512, 1);
    bench_attention_row(pool, 4096, 1);
    bench_attention_row(pool, 4096, 30);
    tl_pool_destroy(pool);
  }
  bench_attention(1, 64);
  bench_attention(1, 512);
  bench_attention(1, 4096);
  bench_attention(64, 64);
  bench_attention(512, 512);
  bench_attention(512, 2048);
}

// ---- elementwise
// ---------------------------------------------------------------------------------------------------

static void run_math(void) {
  enum { N = 1536 };
  static float x[N], y[N];
  for (size_t i = 0; i < N; i++)
    x[i] = 8 * random_f32();
  static const struct {
    const char *name;
    tl_unary_op op;
  } ops[] = {{"exp", TL_UNARY_EXP},
             {"log", TL_UNARY_LOG},
             {"tanh", TL_UNARY_TANH},
             {"logistic", TL_UNARY_LOGISTIC}};
  for (size_t o = 0; o < TL_COUNT(ops); o++) {
    double best = 1e9, until = now() + seconds;
    do {
      double t = now();
      for (int i = 0; i < 100; i++)
        K->unary(&(tl_unary_args){.op = ops[o].op, .x = x, .y = y, .n = N});
      best = TL_MIN(best, (now() - t) / 100);
    } while (now() < until);
    printf("%-8s %6.2f ns per 16 elements\n", ops[o].name, best * 1e9 / (N / 16));
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "all";
  if (argc > 2) seconds = strtod(argv[2], NULL);
  regex_t only;
  if (argc > 3 && regcomp(&only, argv[3], REG_EXTENDED | REG_NOSUB) != 0) {
    fprintf(stderr, "bench_kernels: '%s' is no regular expression\n", argv[3]);
    return 2;
  }
  const regex_t *some = argc > 3 ? &only : NULL;
  uint32_t isa;
  if (tl_cpu_isa(&isa) != TL_OK) {
    fprintf(stderr,
            "bench_kernels: TLALOC_ISA is not one of scalar, avx2, avx512, vnni, bf16, amx\n");
    return 2;
  }
  K = tl_kernels_pick(isa);
  printf("%s, kernels: %s\n", tl_cpu_name(), K->variant);
  const bool all = strcmp(what, "all") == 0;
  if (all || strcmp(what, "matmul") == 0) bench_products(K, false, seconds, some);
  if (all || strcmp(what, "fast") == 0) bench_products(K, true, seconds, some);
  if (all || strcmp(what, "pack") == 0) run_pack();
  if (all || strcmp(what, "attention") == 0) run_attention();
  if (all || strcmp(what, "math") == 0) run_math();
  return 0;
}
