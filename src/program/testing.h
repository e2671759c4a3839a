// A function of one traced tensor and the numbers that it gives, for the tests of src/program.
#ifndef TL_PROGRAM_TESTING_H
#define TL_PROGRAM_TESTING_H

#include "base/test.h"

#include <math.h>
#include <stdlib.h>

#include <tlaloc/program.h>

typedef tl_expr trace_fn(tl_trace *t, tl_expr x);

// Where programs of tests run: ours, the interpreter, and the plugin that TLALOC_TEST_PLUGIN names.
enum { MAX_TEST_DEVICES = 3 };
TL_UNUSED static size_t test_devices(const char *out[MAX_TEST_DEVICES]) {
  out[0] = "native", out[1] = "ref", out[2] = getenv("TLALOC_TEST_PLUGIN");
  return out[2] == NULL ? 2 : 3;
}

// fn over x of that type gives these numbers, of that type, on every device. Another's arithmetic
// (that of a plugin) may be 1e3 times as far off.
TL_UNUSED static void traced_gives(trace_fn *fn, const char *type, const double *x,
                                   const char *out_type, const double *want, size_t n,
                                   double tolerance) {
  tl_trace *t = tl_trace_begin("f");
  tl_expr y = fn(t, tl_input(t, "%s", type));
  tl_program *p = NULL;
  assert_ok(tl_trace_end(t, &y, 1, &p));
  assert_string_equal(tl_program_output_type(p, 0), out_type);
  const char *devices[MAX_TEST_DEVICES];
  const size_t n_devices = test_devices(devices);
  double got[64];
  assert_true(n <= TL_COUNT(got));
  tl_array in = {.data = (void *)(uintptr_t)x, .size = tl_program_input_size(p, 0)},
           out = {.data = got, .size = n * sizeof *got};
  for (size_t d = 0; d < n_devices; d++) {
    const double allowed = d < 2 ? tolerance : 1e3 * tolerance;
    memset(got, 0, sizeof got);
    assert_ok(tl_program_run_on(p, &(tl_run_options){.device = devices[d]}, &in, 1, &out, 1));
    for (size_t i = 0; i < n; i++)
      if (!(fabs(got[i] - want[i]) <= allowed * TL_MAX(1.0, fabs(want[i]))) &&
          !(isnan(got[i]) && isnan(want[i])) && got[i] != want[i])
        fail_msg("%s: element %zu is %.17g, wanted %.17g", devices[d], i, got[i], want[i]);
  }
  tl_program_release(p);
}

#define FN(name, ...) \
  static tl_expr name(TL_UNUSED tl_trace *t, TL_UNUSED tl_expr x) { return __VA_ARGS__; }
// The trace of the file that includes this ends in an error: FILE:line: message.
TL_UNUSED static void says_in(const char *file, tl_trace *t, int line, const char *message) {
  tl_program *p = NULL;
  tl_expr none = NULL;
  char want[400];
  snprintf(want, sizeof want, "%s:%d: %s", file, line, message);
  assert_status(tl_trace_end(t, &none, 1, &p), TL_STATUS_INVALID_ARGUMENT, want);
}
#define says(t, line, message) says_in(__FILE__, t, line, message)

#endif
