// bench_ad FILE CHECK SECONDS: one check that tests/oracle/ad_objectives.py --measure recorded, of
// an objective of examples/objectives, traced, transformed and run natively with all threads.
// Prints, in seconds, the best and the median time of a call over arrays that lie where the program
// wants them, as a peer's do, and the best of tl_program_run, which copies the caller's in and out;
// then the greatest error over the largest entry of its result.
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cpu/cpu.h"
#include "shlo/shlo.h"

#include "../../tests/adbench/objective_cases.h"

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

// What tl_program_run compiles of the program: its text.
static tl_status compiled(tl_program *p, tl_cpu_exe **out) {
  tl_diags diags = {.max_errors = 1};
  tl_module *m;
  tl_cpu *cpu;
  char *text = tl_program_print(p);
  if (!text) return TL_OOM();
  TL_TRY(tl_shlo_parse(tl_str_of(text), "program", &diags, &m));
  TL_TRY(tl_cpu_create(NULL, &cpu));
  return tl_cpu_compile(cpu, m, TL_STR("main"),
                        out); // the process ends before these are in the way
}

typedef struct subject { // of either way to run
  tl_cpu_exe *exe;
  tl_program *program;
  const void *in[MAX_IN];
  void *out[MAX_OUT];
  tl_array ins[MAX_IN], outs[MAX_OUT];
  uint32_t n_in, n_out;
} subject;

static tl_status call_exe(subject *s) { return tl_cpu_execute(s->exe, s->in, s->out); }
static tl_status call_program(subject *s) {
  return tl_program_run(s->program, s->ins, s->n_in, s->outs, s->n_out);
}

static tl_status timed(subject *s, tl_status call(subject *s), double seconds, double *times,
                       size_t *out_n) {
  const uint64_t start = tl_now_ns();
  size_t n = 0;
  while (n < MAX_CALLS && (n < 3 || (double)(tl_now_ns() - start) < 1e9 * seconds)) {
    const uint64_t t = tl_now_ns();
    TL_TRY(call(s));
    times[n++] = (double)(tl_now_ns() - t) * 1e-9;
  }
  qsort(times, n, sizeof *times, by_value);
  *out_n = n;
  return TL_OK;
}

static tl_status measure(tl_arena *a, subject *s, const check *c, double seconds) {
  double error = 0, *times = TL_NEW(a, double, MAX_CALLS);
  size_t n;
  if (!times) return TL_OOM();
  s->n_in = (uint32_t)c->n_in;
  s->n_out = (uint32_t)c->n_out;
  for (size_t i = 0; i < c->n_in; i++) {
    s->in[i] = c->in[i].data;
    s->ins[i] = (tl_array){.data = c->in[i].data, .size = c->in[i].size};
  }
  for (size_t i = 0; i < c->n_out; i++) {
    s->out[i] = tl_mem_map(c->out[i].size + 64); // large outputs want anonymous memory (cpu.h)
    if (!s->out[i]) return TL_OOM();
    s->outs[i] = (tl_array){.data = s->out[i], .size = c->out[i].size};
  }
  for (int way = 0; way < 2; way++) {
    tl_status (*call)(subject *) = way == 0 ? call_exe : call_program;
    TL_TRY(call(s));
    for (size_t i = 0; i < c->n_out; i++)
      error = fmax(error, error_of(&c->out[i], s->out[i]));
    TL_TRY(timed(s, call, way == 0 ? seconds : seconds / 4, times, &n));
    if (way == 0)
      printf("%.9g %.9g ", times[0], times[n / 2]);
    else
      printf("%.9g ", times[0]);
  }
  printf("%.3g\n", error);
  return TL_OK;
}

static tl_status one_check(void *ctx, tl_arena *a, const check *c) {
  request *r = ctx;
  if (!tl_str_eq(c->name, r->what)) return TL_OK;
  subject s = {0};
  r->found = true;
  TL_TRY(check_program(c, &s.program));
  TL_TRY(compiled(s.program, &s.exe));
  return measure(a, &s, c, r->seconds);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: bench_ad FILE CHECK SECONDS\n");
    return 2;
  }
  request r = {.what = tl_str_of(argv[2]), .seconds = atof(argv[3])};
  tl_buf text = {0};
  tl_status st = tl_file_read(argv[1], (size_t)1 << 30, &text);
  if (!st) st = each_check(tl_buf_view(&text), one_check, &r);
  if (!st && !r.found) st = TL_ERROR(NOT_FOUND, "no check %s", argv[2]);
  if (st) printf("%s\n", tl_status_message(st));
  return st != TL_OK;
}
