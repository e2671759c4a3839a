// Which regions are known to choose associatively, and that folds cut on the strength of that give
// the interpreter's bits, with NaNs, equal numbers and zeros of both signs anywhere.
#include "cpu/testing_programs.h"

#include <inttypes.h>

#include "cpu/fold_choice.h"

// A reduce over pairs (a, i), (b, j) of n f32 and n i32, by what the region says before it returns
// %v, %w.
static void program(char *text, size_t size, int64_t n, const char *start, const char *region) {
  snprintf(
      text, size,
      "func.func @main(%%x: tensor<%" PRId64 "xf32>, %%i: tensor<%" PRId64 "xi32>) -> "
      "(tensor<f32>, tensor<i32>) {\n"
      "  %%s = stablehlo.constant dense<%s> : tensor<f32>\n"
      "  %%t = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %%0:2 = stablehlo.reduce(%%x init: %%s), (%%i init: %%t) across dimensions = [0] : "
      "(tensor<%" PRId64 "xf32>, tensor<%" PRId64 "xi32>, tensor<f32>, tensor<i32>) -> "
      "(tensor<f32>, tensor<i32>)\n"
      "   reducer(%%a: tensor<f32>, %%b: tensor<f32>) (%%c: tensor<i32>, %%d: tensor<i32>) {\n%s"
      "    stablehlo.return %%v, %%w : tensor<f32>, tensor<i32>\n  }\n"
      "  return %%0#0, %%0#1 : tensor<f32>, tensor<i32>\n}\n",
      n, n, start, n, n, region);
}

#define COMPARE(to, way, x, y, t)                                                       \
  "    %" to " = stablehlo.compare " way ", %" x ", %" y " : (tensor<" t ">, tensor<" t \
  ">) -> tensor<i1>\n"
#define SELECT(to, p, x, y, t) \
  "    %" to " = stablehlo.select %" p ", %" x ", %" y " : tensor<i1>, tensor<" t ">\n"
#define LOGIC(to, op, x, y) "    %" to " = stablehlo." op " %" x ", %" y " : tensor<i1>\n"

// JAX's argmax; argmin: the first NaN, else the extreme number and its first place.
#define ARG(way)                      \
  COMPARE("p", way, "a", "b", "f32")  \
  COMPARE("q", "NE", "a", "a", "f32") \
  LOGIC("r", "or", "p", "q")          \
  COMPARE("e", "EQ", "a", "b", "f32") \
  COMPARE("l", "LT", "c", "d", "i32") \
  LOGIC("f", "and", "e", "l")         \
  LOGIC("g", "or", "r", "f") SELECT("v", "r", "a", "b", "f32") SELECT("w", "g", "c", "d", "i32")
// The same without a word of NaNs: they lose on the left and win on the right, so that it matters
// where a block begins.
#define NO_NAN                        \
  COMPARE("p", "GT", "a", "b", "f32") \
  SELECT("v", "p", "a", "b", "f32") SELECT("w", "p", "c", "d", "i32")
// And the other way around.
#define KEEPS                         \
  COMPARE("p", "GT", "b", "a", "f32") \
  SELECT("v", "p", "b", "a", "f32") SELECT("w", "p", "d", "c", "i32")
#define APART                         \
  COMPARE("p", "LT", "c", "d", "i32") \
  SELECT("v", "p", "a", "b", "f32")   \
  COMPARE("q", "LT", "a", "b", "f32") SELECT("w", "q", "d", "c", "i32")
#define COMPUTES                                  \
  "    %v = stablehlo.add %a, %b : tensor<f32>\n" \
  "    %w = stablehlo.minimum %c, %d : tensor<i32>\n"
#define SMALLEST_PLACE                \
  COMPARE("p", "GE", "a", "b", "f32") \
  SELECT("v", "p", "a", "b", "f32") "    %w = stablehlo.minimum %c, %d : tensor<i32>\n"

static bool chooses(const char *start, const char *region) {
  char text[4096];
  program(text, sizeof text, 3, start, region);
  tl_module *m = test_parse(text);
  const tl_op *op = tl_module_find(m, TL_STR("main"))->body->first;
  while (op->code != TL_OP_REDUCE)
    op = op->next;
  const bool yes = fold_chooses(op);
  tl_module_destroy(m);
  return yes;
}

static void known(void **state) {
  (void)state;
  assert_true(chooses("0xFF800000", ARG("GT")));
  assert_true(chooses("0x7F800000", ARG("LT")));
  assert_true(chooses("-3.0", ARG("GT")));        // the start need not be the least
  assert_false(chooses("0.0", ARG("GT")));        // -0 is equal to it, and has other bits
  assert_false(chooses("0x7FC00000", ARG("GT"))); // a NaN
  assert_false(chooses("0xFF800000", NO_NAN));
  assert_false(chooses("0xFF800000", KEEPS));
  assert_false(chooses("0xFF800000", APART));
  assert_false(chooses("0xFF800000", COMPUTES));
  assert_false(chooses("0xFF800000", SMALLEST_PLACE)); // NaNs again
}

static void runs(int64_t n, const char *start, const char *region, bool nans, int seed) {
  char text[4096];
  program(text, sizeof text, n, start, region);
  tl_module *m = test_parse(text);
  test_run t;
  test_rng r = {(uint64_t)seed};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  float *x = t.in[0].data;
  int32_t *at = t.in[1].data;
  for (int64_t i = 0; i < n; i++) {
    at[i] = (int32_t)(i ^ 5);
    x[i] = x[i] > 1 ? 1 : x[i] < 0 && x[i] > -0.1f ? -0.0f : x[i]; // many equal ones
    if (nans && i > n / 2 && i % 9001 < 2) x[i] = i % 2 ? NAN : -NAN;
  }
  tl_status st = tl_ref_run(t.fn, TL_REF_AS_TYPED, t.in, 2, t.arena, t.want, 1 << 20);
  assert_ok(st);
  if (!t.failure[0]) test_run_everywhere(&t, m);
  if (t.failure[0]) fail_msg("%s\n%s", t.failure, text);
  test_run_end(&t);
  tl_module_destroy(m);
}

static void cut(void **state) {
  (void)state;
  for (int nans = 0; nans < 2; nans++) {
    runs(65537, "0xFF800000", ARG("GT"), nans, 3); // with a shorter block behind whole ones
    runs(4080 * 20, "0x7F800000", ARG("LT"), nans, 4);
    runs(70000, "0xFF800000", NO_NAN, nans, 5); // in one piece
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(cut)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
