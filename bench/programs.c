// Runs the programs of programs.tsv on a PJRT device for bench/beside_jax.py, which asks on stdin
// and reads on stdout, a line each:
//
//     open NAME       compiles DIR/NAME.mlir, loads DIR/NAME.in.0.npy ...: seconds of the compile
//     compile         once more, nothing kept from before: seconds
//     warm            once more, with what the last one left in the cache on disk: seconds
//     run             writes DIR/NAME.out.0.npy ...: "ok"
//     time SECONDS    best and median seconds of a call, its results given back too
//     pace SECONDS    calls in the time that the peak loop of f32 takes for 1e9 operations, beside
//                     it, some ms before and after: the upper quartile of those pairs whose two
//                     loops agree; 0 where none do
//
// "! why" answers what fails. The embedded device works in this process behind the PJRT C API;
// another plugin may take its place. `--dispatch` instead measures a program of one op on both in
// turn, from C: what a call costs beside its work.
//
// Every compile that is not warm has a new folder under CACHE for its cache on disk.
//
// usage: bench_programs DIR CACHE [--device PLUGIN.so] [--threads N]
//        bench_programs --dispatch [--device PLUGIN.so] [--threads N] [--rounds N]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/cpuinfo.h"
#include "machine.h"
#include "npy.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"
#include "record.h"

enum { MAX_ARGS = 256, MAX_CALLS = 100000, PATIENCE = 2 }; // PATIENCE: seconds for three calls
static const double AGREE = 0.03; // two peak loops around calls, as parts of one
static const double LOOP = 1e9;   // operations

typedef struct program {
  char name[64];
  tl_arena *arena; // of the arrays' dims
  tl_buf text;
  tl_pjrt_executable *exe;
  tl_pjrt_buffer *args[MAX_ARGS], *outs[MAX_ARGS];
  size_t n_args, n_outs;
} program;

typedef struct bench {
  const char *dir, *cache;
  unsigned n_caches;
  tl_pjrt_client *client;
  tl_pool *pool; // of the peak loops
  program now;
  double times[MAX_CALLS];
} bench;

static tl_status open_client(const char *plugin, int64_t threads, tl_pjrt_client **out) {
  const tl_pjrt_option option = {
      .name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = threads};
  const tl_pjrt_options options = {.items = &option, .n_items = 1};
  tl_pjrt_plugin *p;
  if (plugin) {
    TL_TRY(tl_pjrt_open(plugin, &p));
    return tl_pjrt_client_create(p, NULL, out);
  }
  TL_TRY(tl_pjrt_open_api(tl_plugin_api(), "the embedded device", &p));
  return tl_pjrt_client_create(p, threads > 0 ? &options : NULL, out);
}

// ---- one program
// -------------------------------------------------------------------------------------------------

static void close_program(bench *b) {
  for (size_t i = 0; i < b->now.n_args; i++)
    tl_pjrt_buffer_destroy(b->client, b->now.args[i]);
  tl_pjrt_executable_release(b->now.exe);
  tl_buf_deinit(&b->now.text);
  tl_arena_destroy(b->now.arena);
  memset(&b->now, 0, sizeof b->now);
}

static tl_status load_args(bench *b) {
  program *p = &b->now;
  for (;; p->n_args++) {
    const char *path = tl_arena_printf(p->arena, "%s/%s.in.%zu.npy", b->dir, p->name, p->n_args);
    if (!path) return TL_OOM();
    FILE *there = fopen(path, "rb");
    if (!there) return TL_OK;
    fclose(there);
    if (p->n_args == MAX_ARGS)
      return TL_ERROR(INVALID_ARGUMENT, "%s: more than %d arguments", p->name, MAX_ARGS);
    tl_npy array;
    TL_TRY(tl_npy_read(path, p->arena, &array));
    const tl_pjrt_host host = {.data = array.data,
                               .type = (PJRT_Buffer_Type)tl_dtype_get(array.type.dtype)->pjrt,
                               .dims = array.type.dims,
                               .n_dims = array.type.rank};
    tl_status st = tl_pjrt_buffer_from_host(b->client, &host, &p->args[p->n_args]);
    tl_npy_close(&array);
    TL_TRY(st);
  }
}

static tl_status compile(bench *b, bool warm, double *out_seconds) {
  program *p = &b->now;
  if (!warm) {
    const char *folder = tl_arena_printf(p->arena, "%s/%u", b->cache, b->n_caches++);
    if (!folder) return TL_OOM();
    mkdir(folder, 0700);
    setenv("TLALOC_CACHE_DIR", folder, 1);
  }
  tl_pjrt_executable_release(p->exe); // and the code it shares
  p->exe = NULL;
  const uint64_t start = tl_now_ns();
  TL_TRY(tl_pjrt_compile(b->client, tl_buf_view(&p->text), p->name, &p->exe));
  *out_seconds = (double)(tl_now_ns() - start) * 1e-9;
  p->n_outs = tl_pjrt_executable_n_outputs(p->exe);
  if (p->n_outs > MAX_ARGS)
    return TL_ERROR(INVALID_ARGUMENT, "%s: more than %d results", p->name, MAX_ARGS);
  return TL_OK;
}

static tl_status open_program(bench *b, const char *name, double *out_seconds) {
  close_program(b);
  program *p = &b->now;
  snprintf(p->name, sizeof p->name, "%s", name);
  p->arena = tl_arena_create();
  const char *path = p->arena ? tl_arena_printf(p->arena, "%s/%s.mlir", b->dir, name) : NULL;
  if (!path) return TL_OOM();
  TL_TRY(tl_file_read(path, (size_t)1 << 30, &p->text));
  TL_TRY(compile(b, false, out_seconds));
  return load_args(b);
}

static tl_status call(bench *b) {
  program *p = &b->now;
  return tl_pjrt_execute(
      p->exe,
      &(tl_pjrt_call){.args = p->args, .n_args = p->n_args, .outs = p->outs, .n_outs = p->n_outs});
}

static void drop_results(bench *b) {
  for (size_t i = 0; i < b->now.n_outs; i++)
    tl_pjrt_buffer_destroy(b->client, b->now.outs[i]);
}

static tl_dtype dtype_of(PJRT_Buffer_Type t) {
  for (int d = 0; d < TL_DTYPE_COUNT; d++)
    if ((PJRT_Buffer_Type)tl_dtype_get((tl_dtype)d)->pjrt == t) return (tl_dtype)d;
  return TL_DTYPE_COUNT;
}

static tl_status write_result(bench *b, size_t i) {
  program *p = &b->now;
  const tl_pjrt_shape *s = tl_pjrt_executable_output(p->exe, i);
  const tl_type type = {dtype_of(s->type), (uint32_t)s->n_dims, (int64_t *)(uintptr_t)s->dims};
  size_t size = 0;
  if (type.dtype == TL_DTYPE_COUNT || !tl_type_size(type, &size))
    return TL_ERROR(INVALID_ARGUMENT, "%s: result %zu has no array", p->name, i);
  const char *path = tl_arena_printf(p->arena, "%s/%s.out.%zu.npy", b->dir, p->name, i);
  void *data = malloc(size + 1);
  tl_status st =
      path && data ? tl_pjrt_buffer_to_host(b->client, p->outs[i], data, size) : TL_OOM();
  if (!st) st = tl_npy_write(path, type, data);
  free(data);
  return st;
}

static tl_status write_results(bench *b) {
  TL_TRY(call(b));
  tl_status st = TL_OK;
  for (size_t i = 0; i < b->now.n_outs && !st; i++)
    st = write_result(b, i);
  drop_results(b);
  return st;
}

static int ascending(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static tl_status time_calls(bench *b, double seconds, double *out_best, double *out_median) {
  size_t n = 0;
  const uint64_t start = tl_now_ns();
  for (double took = 0; n < MAX_CALLS && (n == 0 || took < seconds || (n < 3 && took < PATIENCE));
       took = (double)(tl_now_ns() - start) * 1e-9) {
    const uint64_t from = tl_now_ns();
    TL_TRY(call(b));
    drop_results(b);
    bench_perturb(from);
    b->times[n++] = (double)(tl_now_ns() - from) * 1e-9;
  }
  qsort(b->times, n, sizeof *b->times, ascending);
  *out_best = b->times[0];
  *out_median = b->times[n / 2];
  return TL_OK;
}

static void nothing(void *arg, size_t part, size_t n_parts) {
  (void)arg, (void)part, (void)n_parts;
}

// Operations a second; the first loop lets the device's threads fall asleep and wakes ours.
static double peak_now(tl_pool *pool) {
  const peak_id peak = machine_f32_peak(tl_cpu_isa_all());
  (void)machine_peak_round(pool, peak);
  tl_pool_run(pool, nothing, NULL);
  return machine_peak_round(pool, peak);
}

// Calls of at least a loop's time, so that neither is much shorter than the other.
static tl_status pace(bench *b, double seconds, double *out_pace) {
  enum { MAX_PAIRS = 256 };
  double pairs[MAX_PAIRS];
  size_t n = 0, calls = 1;
  const uint64_t start = tl_now_ns();
  double before = peak_now(b->pool);
  for (int i = 0; i < MAX_PAIRS && (double)(tl_now_ns() - start) * 1e-9 < seconds; i++) {
    TL_TRY(call(b)); // awake, and with its own in the caches
    drop_results(b);
    const uint64_t from = tl_now_ns();
    for (size_t c = 0; c < calls; c++) {
      TL_TRY(call(b));
      drop_results(b);
    }
    bench_perturb(from);
    const double took = (double)(tl_now_ns() - from) * 1e-9 / (double)calls;
    calls = 1 + (size_t)(1e-3 / took);
    const double after = peak_now(b->pool);
    if (TL_MAX(before, after) <= (1 + AGREE) * TL_MIN(before, after))
      pairs[n++] = LOOP / sqrt(before * after) / took;
    before = after;
  }
  qsort(pairs, n, sizeof *pairs, ascending);
  *out_pace = n ? pairs[n * 3 / 4] : 0;
  return TL_OK;
}

static void serve(bench *b) {
  char line[256], name[64];
  while (fgets(line, sizeof line, stdin)) {
    double seconds = 0, best = 0, median = 0;
    tl_status st = TL_OK;
    if (sscanf(line, "open %63s", name) == 1) {
      st = open_program(b, name, &seconds);
      if (!st) printf("%.9g\n", seconds);
    } else if (strcmp(line, "compile\n") == 0 || strcmp(line, "warm\n") == 0) {
      st = compile(b, *line == 'w', &seconds);
      if (!st) printf("%.9g\n", seconds);
    } else if (strcmp(line, "run\n") == 0) {
      st = write_results(b);
      if (!st) puts("ok");
    } else if (sscanf(line, "time %lf", &seconds) == 1) {
      st = time_calls(b, seconds, &best, &median);
      if (!st) printf("%.9g %.9g\n", best, median);
    } else if (sscanf(line, "pace %lf", &seconds) == 1) {
      st = pace(b, seconds, &best);
      if (!st) printf("%.9g\n", best);
    } else {
      puts("! not a request");
    }
    if (st) printf("! %s\n", tl_status_message(st));
    tl_status_drop(st);
    fflush(stdout);
  }
  close_program(b);
}

// ---- dispatch
// ----------------------------------------------------------------------------------------------------

typedef struct one_op {
  const char *who;
  bool ours;
  tl_pjrt_client *client;
  tl_pjrt_executable *exe;
  tl_pjrt_buffer *arg;
  double rounds[64]; // microseconds a call
} one_op;

static tl_status open_one_op(one_op *o) {
  static const char text[] = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
                             "  %0 = stablehlo.add %x, %x : tensor<f32>\n"
                             "  return %0 : tensor<f32>\n}\n";
  const float x = 1;
  TL_TRY(tl_pjrt_compile(o->client, TL_STR(text), "one op", &o->exe));
  return tl_pjrt_buffer_from_host(
      o->client, &(tl_pjrt_host){.data = &x, .type = PJRT_Buffer_Type_F32}, &o->arg);
}

static tl_status round_of_one_op(one_op *o, double *out_us) {
  enum { CALLS = 20000 };
  const uint64_t start = tl_now_ns();
  for (int i = 0; i < CALLS; i++) {
    tl_pjrt_buffer *out;
    TL_TRY(tl_pjrt_execute(
        o->exe, &(tl_pjrt_call){.args = &o->arg, .n_args = 1, .outs = &out, .n_outs = 1}));
    tl_pjrt_buffer_destroy(o->client, out);
  }
  if (o->ours) bench_perturb(start);
  *out_us = (double)(tl_now_ns() - start) * 1e-3 / CALLS;
  return TL_OK;
}

static tl_status dispatch(const char *plugin, int64_t threads, int rounds) {
  one_op both[2] = {{.who = "ours", .ours = true}, {.who = "plugin"}};
  const int n = plugin ? 2 : 1;
  TL_TRY(open_client(NULL, threads, &both[0].client));
  if (plugin) TL_TRY(open_client(plugin, 0, &both[1].client));
  for (int w = 0; w < n; w++)
    TL_TRY(open_one_op(&both[w]));
  for (int r = 0; r <= rounds; r++) // round 0 warms
    for (int w = 0; w < n; w++)
      TL_TRY(round_of_one_op(&both[w], &both[w].rounds[r]));
  double ratios[64] = {0}; // of a round: the plugin's time over ours
  for (int r = 0; r < rounds; r++)
    ratios[r] = both[1].rounds[1 + r] / both[0].rounds[1 + r];
  if (plugin) bench_row("dispatch", "latency", "plugin/ours", ratios, (size_t)rounds);
  for (int w = 0; w < n; w++) {
    qsort(both[w].rounds + 1, (size_t)rounds, sizeof(double), ascending);
    printf("%-6s best %6.3f  median %6.3f us a call\n", both[w].who, both[w].rounds[1],
           both[w].rounds[1 + rounds / 2]);
  }
  for (int w = 0; w < n; w++) {
    tl_pjrt_buffer_destroy(both[w].client, both[w].arg);
    tl_pjrt_executable_release(both[w].exe);
    tl_pjrt_client_release(both[w].client);
  }
  return TL_OK;
}

int main(int argc, char **argv) {
  static bench b;
  const char *plugin = NULL;
  bool one = false;
  int64_t threads = 0;
  int rounds = 5;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--dispatch") == 0)
      one = true;
    else if (strcmp(argv[i], "--device") == 0 && value)
      plugin = value, i++;
    else if (strcmp(argv[i], "--threads") == 0 && value)
      threads = atoi(value), i++;
    else if (strcmp(argv[i], "--rounds") == 0 && value)
      rounds = TL_MIN(TL_MAX(atoi(value), 1), 63), i++;
    else if (!b.dir)
      b.dir = argv[i];
    else
      b.cache = argv[i];
  }
  if (!one && !b.cache) {
    fprintf(stderr, "usage: bench_programs DIR CACHE | --dispatch [--device PLUGIN.so] [--threads "
                    "N] [--rounds N]\n");
    return 2;
  }
  tl_status st = one ? dispatch(plugin, threads, rounds) : open_client(plugin, threads, &b.client);
  if (!st && !one) st = tl_pool_create(threads > 0 ? (size_t)threads : tl_cpu_count(), &b.pool);
  if (!st && !one) serve(&b);
  if (st) fprintf(stderr, "bench_programs: %s\n", tl_status_message(st));
  tl_pool_destroy(b.pool);
  tl_pjrt_client_release(b.client);
  return st != TL_OK;
}
