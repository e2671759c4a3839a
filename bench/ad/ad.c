// bench_ad CASE WHAT SECONDS: one check of a recorded case, transformed by src/ad and run natively
// with all threads. Prints the best and the median time of a call in seconds, and the greatest
// error over the largest entry of its result.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cpu/cpu.h"

#include "../../tests/jax/ad_cases.h"

enum { MAX_CALLS = 100000 };

typedef struct request {
  tl_str what;
  double seconds;
  bool found;
} request;

static int by_value(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double error_of(const value *want, const void *got) {
  const size_t n = tl_dtype_get(want->dtype)->kind == TL_KIND_FLOAT ? want->n : 0;
  double largest = 0, error = 0;
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, fabs(load(want, want->data, i)));
    error = fmax(error, fabs(load(want, got, i) - load(want, want->data, i)));
  }
  return largest > 0 ? error / largest : error;
}

static tl_status measure(tl_arena *a, tl_cpu_exe *exe, const check *c, double seconds) {
  const void *in[MAX_VALUES];
  void *out[MAX_VALUES];
  double error = 0, *times = TL_NEW(a, double, MAX_CALLS);
  size_t n = 0;
  if (!times) return TL_OOM();
  for (size_t i = 0; i < c->n_in; i++)
    in[i] = c->in[i].data;
  for (size_t i = 0; i < c->n_out; i++) // large outputs want anonymous memory (cpu.h)
    if (!(out[i] = tl_mem_map(c->out[i].size + 64))) return TL_OOM();
  TL_TRY(tl_cpu_execute(exe, in, out));
  for (size_t i = 0; i < c->n_out; i++)
    error = fmax(error, error_of(&c->out[i], out[i]));
  const uint64_t start = tl_now_ns();
  while (n < MAX_CALLS && (n < 3 || (double)(tl_now_ns() - start) < 1e9 * seconds)) {
    const uint64_t t = tl_now_ns();
    TL_TRY(tl_cpu_execute(exe, in, out));
    times[n++] = (double)(tl_now_ns() - t) * 1e-9;
  }
  qsort(times, n, sizeof *times, by_value);
  printf("%.9g %.9g %.3g\n", times[0], times[n / 2], error);
  return TL_OK;
}

static tl_status one_check(void *ctx, tl_arena *a, tl_str text, check *c, tl_status bad) {
  request *r = ctx;
  if (bad || !tl_str_eq(c->name, r->what)) return bad;
  tl_module *m;
  tl_func *f;
  tl_cpu *cpu;
  tl_cpu_exe *exe;
  r->found = true;
  TL_TRY(transformed(text, c, &m, &f));
  TL_TRY(same_types(c, f));
  TL_TRY(tl_cpu_create(NULL, &cpu));
  TL_TRY(tl_cpu_compile(cpu, m, f->name, &exe)); // the process ends before anything is in the way
  return measure(a, exe, c, r->seconds);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: bench_ad CASE objective|gradient SECONDS\n");
    return 2;
  }
  request r = {.what = tl_str_of(argv[2]), .seconds = atof(argv[3])};
  tl_buf text = {0};
  tl_arena *a = tl_arena_create();
  tl_status st = a ? tl_file_read(argv[1], (size_t)1 << 30, &text) : TL_OOM();
  tl_str cases = tl_buf_view(&text);
  if (!st) st = each_check(a, next_part(&cases), (tl_str){0}, one_check, &r);
  if (!st && !r.found) st = TL_ERROR(NOT_FOUND, "no check %s", argv[2]);
  if (st) printf("%s\n", tl_status_message(st));
  return st != TL_OK;
}
