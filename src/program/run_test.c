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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_every_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
