// Programs run: values, devices, shapes of named sizes, wrong arrays, text out and in, threads.
#include "base/test.h"

#include <math.h>
#include <pthread.h>

#include <tlaloc/program.h>

// x sin x, summed.
static tl_program *x_sin_x(const char *type) {
  tl_trace *t = tl_trace_begin("loss");
  tl_expr x = tl_input(t, "%s", type);
  tl_expr y = tl_mul(x, tl_sin(x));
  tl_program *p = NULL;
  assert_ok(tl_trace_end(t, &y, 1, &p));
  return p;
}

static void on_every_device(void **state) {
  (void)state;
  tl_program *p = x_sin_x("f64[2, 3]");
  assert_string_equal(tl_program_name(p), "loss");
  assert_string_equal(tl_program_input_type(p, 0), "f64[2, 3]");
  assert_null(tl_program_input_type(p, 1));
  double x[2][3] = {{0, 1, 2}, {-1, 0.5, 1e-3}}, y[2][3];
  const char *devices[] = {"native", "ref", "ref64"};
  for (size_t d = 0; d < TL_COUNT(devices); d++) {
    memset(y, 0, sizeof y);
    assert_ok(tl_program_run_on(p, &(tl_run_options){.device = devices[d]}, &(tl_array)TL_ARRAY(x),
                                1, &(tl_array)TL_ARRAY(y), 1));
    for (size_t i = 0; i < 6; i++)
      assert_true(fabs(y[i / 3][i % 3] - x[i / 3][i % 3] * sin(x[i / 3][i % 3])) < 1e-15);
  }
  tl_program_release(p);
}

// The same program for any n, by the dims of the arrays; each shape is compiled once.
static void any_size(void **state) {
  (void)state;
  tl_program *p = x_sin_x("f64[n, 2]"), *three = NULL;
  double x[6] = {1, 2, 3, 4, 5, 6}, y[6];
  for (int64_t n = 3; n >= 0; n--) {
    int64_t dims[] = {n, 2};
    tl_array in = {.data = x, .size = (size_t)n * 16, .dims = dims, .rank = 2, .dtype = "f64"};
    tl_array out = {.data = y, .size = (size_t)n * 16};
    assert_ok(tl_program_run(p, &in, 1, &out, 1));
    for (int64_t i = 0; i < 2 * n; i++)
      assert_true(fabs(y[i] - x[i] * sin(x[i])) < 1e-15);
  }
  assert_int_equal(tl_program_input_size(p, 0), 0);
  assert_ok(tl_program_specialise(p, (const char *[]){"n"}, (int64_t[]){3}, 1, &three));
  assert_string_equal(tl_program_output_type(three, 0), "f64[3, 2]");
  assert_int_equal(tl_program_input_size(three, 0), 48);
  tl_program_release(three);
  tl_array in = {.data = x, .size = 48}, out = {.data = y, .size = 48};
  assert_status(tl_program_run(p, &in, 1, &out, 1), TL_STATUS_INVALID_ARGUMENT,
                "loss: input 0 is f64[n, 2], but the array's dims are not given "
                "[tlaloc-shape-mismatch]");
  tl_program_release(p);
}

static void wrong_arrays(void **state) {
  (void)state;
  tl_program *p = x_sin_x("f64[3]");
  double x[3] = {0}, y[3];
  float z[3];
  int64_t dims[] = {4};
  tl_array good = TL_ARRAY(x), out = TL_ARRAY(y), small = TL_ARRAY(z);
  assert_status(tl_program_run(p, &small, 1, &out, 1), TL_STATUS_INVALID_ARGUMENT,
                "loss: input 0 is f64[3], but the array has 12 bytes [tlaloc-shape-mismatch]");
  assert_status(tl_program_run(p, &good, 1, &small, 1), TL_STATUS_INVALID_ARGUMENT,
                "loss: output 0 is f64[3], but the array has 12 bytes [tlaloc-shape-mismatch]");
  assert_status(tl_program_run(p, &good, 1, &out, 0), TL_STATUS_INVALID_ARGUMENT,
                "loss: takes 1 arrays and gives 1, got 1 and 0 [tlaloc-bad-argument]");
  tl_array said = good;
  said.dtype = "i64";
  assert_status(tl_program_run(p, &said, 1, &out, 1), TL_STATUS_INVALID_ARGUMENT,
                "loss: input 0 is f64[3], but the array's elements are i64 "
                "[tlaloc-dtype-mismatch]");
  said = good;
  said.dims = dims;
  said.rank = 1;
  assert_status(tl_program_run(p, &said, 1, &out, 1), TL_STATUS_INVALID_ARGUMENT,
                "loss: input 0 is f64[3], but the array has another shape "
                "[tlaloc-shape-mismatch]");
  assert_status(tl_program_run_on(p, &(tl_run_options){.device = "/nowhere.so"}, &good, 1, &out, 1),
                TL_STATUS_NOT_FOUND, "/nowhere.so");
  tl_program_release(p);
}

static void text_out_and_in(void **state) {
  (void)state;
  tl_program *p = x_sin_x("f64[3]"), *again = NULL;
  char *text = tl_program_print(p), *same;
  assert_non_null(text);
  assert_non_null(strstr(text, "module @loss"));
  assert_non_null(strstr(text, "stablehlo.sine %0 : tensor<3xf64>"));
  assert_ok(tl_program_read(text, strlen(text), NULL, &again));
  same = tl_program_print(again);
  assert_non_null(strstr(same, strstr(text, "func.func")));
  free(text);
  free(same);
  double x[3] = {1, 2, 3}, y[3];
  assert_ok(tl_program_run(again, &(tl_array)TL_ARRAY(x), 1, &(tl_array)TL_ARRAY(y), 1));
  assert_true(fabs(y[2] - 3 * sin(3)) < 1e-15);
  assert_status(tl_program_read("func.func @f() { return }", 25, "g", &again), TL_STATUS_NOT_FOUND,
                "the module has no function @g");
  tl_program_release(p);
  tl_program_release(again);
}

// Threads run, transform and print one program at the same time; the first run compiles.
static void *hammer(void *arg) {
  tl_program *p = arg;
  static const double x[3] = {1, 2, 3};
  for (int i = 0; i < 20; i++) {
    double y[3] = {0};
    tl_array in = {.data = (void *)(uintptr_t)x, .size = sizeof x}, out = TL_ARRAY(y);
    tl_status st = tl_program_run_on(p, &(tl_run_options){.device = i % 3 == 0 ? "ref" : "native"},
                                     &in, 1, &out, 1);
    if (st != NULL || fabs(y[1] - 2 * sin(2)) > 1e-15) return p;
    tl_program *d = NULL;
    if (i % 5 == 0 && tl_program_jvp(p, NULL, &d) != NULL) return p;
    tl_program_release(d);
    char *text = tl_program_print(p);
    if (text == NULL) return p;
    free(text);
  }
  return NULL;
}

static void from_many_threads(void **state) {
  (void)state;
  tl_program *p = x_sin_x("f64[3]");
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, hammer, p), 0);
  for (size_t i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  tl_program_release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_every_device),   cmocka_unit_test(any_size),
      cmocka_unit_test(wrong_arrays),      cmocka_unit_test(text_out_and_in),
      cmocka_unit_test(from_many_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
