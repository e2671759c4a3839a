// Collectives of traced programs, on four processes of each device; their derivatives; wrong ones.
#include "program/testing.h"

#include <tlaloc/parallel.h>

enum { N = 4 };

typedef tl_expr exchange(tl_trace *t, tl_expr x);

static const tl_process_groups halves = {.n = 2, .size = 2},
                               odd_and_even = {.n = 2, .size = 2, .ids = (int64_t[]){1, 3, 0, 2}};

FN(summed, tl_all_reduce(x, "sum", TL_TOGETHER(N)))
FN(largest_of_halves, tl_all_reduce(x, "max", &halves))
FN(gathered, tl_all_gather(x, -1, &odd_and_even))
FN(scattered, tl_reduce_scatter(x, "sum", 0, &halves))
FN(exchanged, tl_all_to_all(x, 0, 0, &halves))
FN(from_first, tl_collective_broadcast(x, &odd_and_even))
FN(around, tl_collective_permute(x, TL_LIST(0, 1, 1, 2, 2, 3)))
FN(numbered, tl_add(x, tl_convert(tl_replica_id(t), "f64")))

// Process k has {10 k + 1, 10 k + 2}; what each gets, one after another.
static void each_gets(exchange *fn, const double *want, size_t n_each) {
  tl_trace *t = tl_trace_begin("f");
  tl_expr y = fn(t, tl_input(t, "f64[2]"));
  tl_program *p = NULL;
  assert_ok(tl_trace_end(t, &y, 1, &p));
  assert_int_equal(tl_program_output_size(p, 0), n_each * sizeof(double));
  const char *devices[MAX_TEST_DEVICES];
  const size_t n = test_devices(devices);
  for (size_t d = 0; d < n; d++) {
    double x[N][2], got[N][4];
    tl_array in[N], out[N];
    const tl_array *ins[N], *outs[N];
    memset(got, 0, sizeof got);
    for (int k = 0; k < N; k++) {
      x[k][0] = 10 * k + 1, x[k][1] = 10 * k + 2;
      in[k] = (tl_array)TL_ARRAY(x[k]), ins[k] = &in[k];
      out[k] = (tl_array){.data = got[k], .size = n_each * sizeof(double)}, outs[k] = &out[k];
    }
    tl_status st =
        tl_program_run_replicas(p, &(tl_run_options){.device = devices[d]}, N, ins, 1, outs, 1);
    if (d == 2 && tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED) { // a plugin may lack one
      print_message("skipped: %s\n", tl_status_message(st));
      tl_status_drop(st);
      continue;
    }
    assert_ok(st);
    for (size_t i = 0; i < N * n_each; i++)
      if (got[i / n_each][i % n_each] != want[i])
        fail_msg("%s: process %zu, element %zu: %g, wanted %g", devices[d], i / n_each, i % n_each,
                 got[i / n_each][i % n_each], want[i]);
  }
  tl_program_release(p);
}
#define GETS(fn, ...) \
  each_gets(fn, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double) / N)

static void exchanges(void **state) {
  (void)state;
  GETS(summed, 64, 68, 64, 68, 64, 68, 64, 68);
  GETS(largest_of_halves, 11, 12, 11, 12, 31, 32, 31, 32);
  GETS(gathered, 1, 2, 21, 22, 11, 12, 31, 32, 1, 2, 21, 22, 11, 12, 31, 32);
  GETS(scattered, 12, 14, 52, 54);
  GETS(exchanged, 1, 11, 2, 12, 21, 31, 22, 32);
  GETS(from_first, 1, 2, 11, 12, 1, 2, 11, 12);
  GETS(around, 0, 0, 1, 2, 11, 12, 21, 22);
  GETS(numbered, 1, 2, 12, 13, 23, 24, 34, 35);
}

// Each process weighs the sum with its own w: by its x, the sum of the weights of all.
static void derivative(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f64[2]"), w = tl_input(t, "f64[2]");
  tl_expr loss = tl_sum(tl_mul(w, tl_all_reduce(x, "sum", TL_TOGETHER(N))));
  tl_program *f = NULL, *g = NULL;
  assert_ok(tl_trace_end(t, &loss, 1, &f));
  assert_ok(tl_program_grad(f, NULL, &g));
  double X[N][2] = {{0}}, W[N][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, got[N][2];
  tl_array in[N][2], out[N];
  const tl_array *ins[N], *outs[N];
  for (int k = 0; k < N; k++) {
    in[k][0] = (tl_array)TL_ARRAY(X[k]), in[k][1] = (tl_array)TL_ARRAY(W[k]), ins[k] = in[k];
    out[k] = (tl_array)TL_ARRAY(got[k]), outs[k] = &out[k];
  }
  assert_ok(tl_program_run_replicas(g, NULL, N, ins, 2, outs, 1));
  for (int k = 0; k < N; k++)
    assert_true(got[k][0] == 16 && got[k][1] == 20);
  assert_status(tl_program_run_replicas(g, NULL, 0, ins, 2, outs, 1), TL_STATUS_INVALID_ARGUMENT,
                "0 processes");
  assert_status(
      tl_program_run_replicas(g, &(tl_run_options){.device = "ref64"}, 2, ins, 2, outs, 1),
      TL_STATUS_INVALID_ARGUMENT, "ref64 is one process");
  outs[1] = &(tl_array){.data = got[1], .size = 8};
  assert_status(tl_program_run_replicas(g, NULL, N, ins, 2, outs, 1), TL_STATUS_INVALID_ARGUMENT,
                "the array has 8 bytes");
  tl_program_release(f);
  tl_program_release(g);
}

static void wrong(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f64[2]");
  int line = __LINE__ + 1;
  assert_null(tl_all_reduce(x, "mean", TL_TOGETHER(2)));
  says(t, line, "all_reduce: 'mean'; wanted sum, prod, max, min, all or any [tlaloc-bad-argument]");
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[2]");
  line = __LINE__ + 1;
  assert_null(tl_all_reduce(x, "any", TL_TOGETHER(2)));
  says(t, line, "all_reduce: 'any' of f64[2] [tlaloc-dtype-unsupported]");
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[2]");
  line = __LINE__ + 1;
  assert_null(tl_all_gather(x, 0, TL_TOGETHER(0)));
  says(t, line, "all_gather: no group of processes [tlaloc-bad-argument]");
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[2]");
  line = __LINE__ + 1;
  assert_null(tl_all_gather(x, 0, TL_TOGETHER(100000)));
  says(t, line,
       "all_gather: 1 groups of 100000 processes, at most 1024 in all [tlaloc-bad-argument]");
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[2]");
  line = __LINE__ + 1;
  assert_null(tl_collective_permute(x, TL_LIST(0, 1, 2)));
  says(t, line, "collective_permute: 3 numbers are not pairs [tlaloc-bad-argument]");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exchanges), cmocka_unit_test(derivative),
                                     cmocka_unit_test(wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
