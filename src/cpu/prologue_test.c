// Prologues of steps that take rows: which steps become one, and that their results are the
// interpreter's by bits.
#include "cpu/testing.h"

typedef struct row {
  const char *name;
  uint32_t prologues;
  const char *text;
} row;

#define SUM(from, shape, type, dims, to)                                                      \
  "%z = stablehlo.constant dense<0.5> : tensor<" type ">\n%y = stablehlo.reduce(" from        \
  " init: %z) applies stablehlo.add across dimensions = [" dims "] : (tensor<" shape "x" type \
  ">, tensor<" type ">) -> tensor<" to "x" type ">\n"

static const row rows[] = {
    // Computed where it is summed too, but for what two want.
    {"a term that two want", 1,
     "func.func @main(%a: tensor<90x300xf32>) -> (tensor<90xf32>, tensor<90x300xf32>) {\n"
     "%x = stablehlo.exponential %a : tensor<90x300xf32>\n" SUM(
         "%x", "90x300", "f32", "1",
         "90") "return %y, %x : tensor<90xf32>, tensor<90x300xf32>\n}\n"},
    {"rows of two dims, in f64", 1,
     "func.func @main(%a: tensor<40x7x90xf64>) -> (tensor<40xf64>, tensor<40x7x90xf64>) {\n"
     "%x = stablehlo.tanh %a : tensor<40x7x90xf64>\n" SUM(
         "%x", "40x7x90", "f64", "1, 2",
         "40") "return %y, %x : tensor<40xf64>, tensor<40x7x90xf64>\n}\n"},
    {"columns are no rows", 0,
     "func.func @main(%a: tensor<90x300xf32>) -> (tensor<300xf32>, tensor<90x300xf32>) {\n"
     "%x = stablehlo.exponential %a : tensor<90x300xf32>\n" SUM(
         "%x", "90x300", "f32", "0",
         "300") "return %y, %x : tensor<300xf32>, tensor<90x300xf32>\n}\n"},
    {"a donated operand", 1,
     "func.func @main(%a: tensor<700x50xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<700xf32>, "
     "tensor<700x50xf32>) {\n"
     "%x = stablehlo.negate %a : tensor<700x50xf32>\n%w = stablehlo.tanh %x : "
     "tensor<700x50xf32>\n" SUM("%w", "700x50", "f32", "1",
                                "700") "return %y, %w : tensor<700xf32>, tensor<700x50xf32>\n}\n"},
};

static uint32_t count(const tl_cpu_exe *exe) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    n += exe->steps[i].prologue;
    if (exe->steps[i].prologue) assert_true(exe->steps[i + 1].led);
  }
  return n;
}

// On every device: the interpreter's bits, so many prologues, and other bits where nobody runs
// them.
static void check(const char *name, tl_module *m, uint32_t prologues) {
  test_rng r = {7};
  test_run t;
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  test_run_everywhere(&t, m);
  if (t.failure[0]) fail_msg("%s: %s", name, t.failure);
  for (size_t d = 0; d < test_n_devices; d++) {
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(test_devices[d].cpu, m, &exe));
    const bool fused = !test_devices[d].cpu->unfused;
    if (fused && tl_cpu_threads(test_devices[d].cpu) > 1 && count(exe) != prologues)
      fail_msg("%s on %s: %u prologues, wanted %u", name, test_devices[d].name, count(exe),
               prologues);
    if (count(exe) > 0) {
      for (uint32_t s = 0; s < exe->n_steps; s++)
        exe->steps[s].led = false;
      test_run_native(&t, exe, test_devices[d].name, true);
      if (!t.failure[0]) fail_msg("%s on %s: the same without", name, test_devices[d].name);
      t.failure[0] = 0;
    }
    test_exe_release(exe);
  }
  test_run_end(&t);
  tl_module_destroy(m);
}

static void lead_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    check(rows[i].name, test_parse(rows[i].text), rows[i].prologues);
}

// softmax(a a + m) along the last dim, in place, and along another one.
static void lead_softmax(void **state) {
  (void)state;
  for (int64_t axis = 1; axis < 3; axis++) {
    tl_module *m = tl_module_create();
    assert_non_null(m);
    tl_builder b = tl_func_begin(m, "main", false);
    const tl_type t = tl_type_of(m->arena, TL_DTYPE_F32, (int64_t[]){8, 40, 100}, 3),
                  line = tl_type_of(m->arena, TL_DTYPE_F32, (int64_t[]){40, 100}, 2);
    const tl_value a = tl_func_arg(&b, t),
                   c = tlo_broadcast(&b, tl_func_arg(&b, line), t, (int64_t[]){1, 2});
    const tl_value y = tlo_softmax(&b, tlo_add(&b, tlo_mul(&b, a, a), c), axis);
    tlo_return(&b, &y, 1);
    assert_ok(tl_builder_finish(&b));
    check(axis == 2 ? "softmax" : "softmax of columns", m, axis == 2);
  }
}

// softmax(t), t = a a, and then what is added to its rows: a, or t across, which the softmax's
// epilogue would read before every thread has made its rows.
static void keep_off_epilogues(void **state) {
  (void)state;
  for (int across = 0; across < 2; across++) {
    tl_module *m = tl_module_create();
    assert_non_null(m);
    tl_builder b = tl_func_begin(m, "main", false);
    const tl_type square = TL_TYPE(m->arena, TL_DTYPE_F32, 192, 192);
    const tl_value a = tl_func_arg(&b, square), t = tlo_mul(&b, a, a);
    const tl_value other = across ? tlo_transpose(&b, t, (int64_t[]){1, 0}) : a;
    const tl_value y = tlo_add(&b, tlo_softmax(&b, t, 1), other);
    tlo_return(&b, &y, 1);
    assert_ok(tl_builder_finish(&b));
    check(across ? "an epilogue that reads across" : "an epilogue", m, !across);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lead_rows), cmocka_unit_test(lead_softmax),
                                     cmocka_unit_test(keep_off_epilogues)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
