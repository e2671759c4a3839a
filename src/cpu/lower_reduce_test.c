// Sums of several blocks, and folds that are cut like them: the interpreter's bits on every device,
// wherever the dim that is cut stands, with and without a shorter block at its end.
#include "cpu/testing_programs.h"

static void agrees(const char *text, int seed) {
  tl_module *m = test_parse(text);
  test_run t;
  test_rng r = {(uint64_t)seed};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  if (!t.failure[0]) test_run_everywhere(&t, m);
  if (t.failure[0]) fail_msg("%s\n%s", t.failure, text);
  test_run_end(&t);
  tl_module_destroy(m);
}

// A reduction of type `x` by `op` over `dims`, into type `y`, of elements `d`.
static void reduces(const char *op, const char *x, const char *dims, const char *y, const char *d) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: tensor<%s%s>, %%i: tensor<%s>) -> tensor<%s%s> {\n"
      "  %%0 = stablehlo.reduce(%%x init: %%i) applies stablehlo.%s across dimensions = [%s] : "
      "(tensor<%s%s>, tensor<%s>) -> tensor<%s%s>\n"
      "  return %%0 : tensor<%s%s>\n}\n",
      x, d, d, y, d, op, dims, x, d, d, y, d, y, d);
  agrees(text, 3);
}

static void sums(void **state) {
  (void)state;
  reduces("add", "65536x", "0", "", "f32"); // one block, two, and what is left
  reduces("add", "65537x", "0", "", "f32");
  reduces("add", "131072x", "0", "", "f64");
  reduces("add", "200001x", "0", "", "f64");
  reduces("add", "3x70000x", "0, 1", "", "f32");     // a dim outside of the blocks
  reduces("add", "300x7x101x", "0, 2", "7x", "f32"); // one inside; a kept dim between
  reduces("add", "70000x5x", "0", "5x", "f32");      // by columns
  reduces("add", "2x70000x3x", "1", "2x3x", "f64");
  reduces("add", "3x40x600x", "1, 2, 0", "", "f32");
  reduces("add", "70000x", "0", "", "bf16");
  reduces("add", "3x70000x", "1", "3x", "f16");
  reduces("add", "66000x", "0", "", "f8E4M3FN");
  reduces("add", "2x66000x", "1", "2x", "complex<f32>");
  reduces("add", "140000x", "0", "", "complex<f64>");
}

static void folds(void **state) {
  (void)state;
  reduces("maximum", "200001x", "0", "", "f32");
  reduces("minimum", "3x70000x", "1, 0", "", "bf16");
  reduces("maximum", "70000x64x", "0", "64x", "f32");
  reduces("maximum", "70000x65x", "0", "65x", "f32"); // not cut
  reduces("add", "140000x", "0", "", "i32");
  reduces("multiply", "70000x2x", "0", "2x", "i8");
  reduces("multiply", "70000x", "0", "", "f32"); // in order, not cut
  reduces("xor", "70001x", "0", "", "ui64");
  reduces("or", "70000x", "0", "", "i1");
  reduces("and", "70000x", "0", "", "i1");
}

// What is computed of several operands, the terms, is computed in each block's nest; a loop around.
static void fused(void **state) {
  (void)state;
  agrees("func.func @main(%x: tensor<300x400xf32>, %m: tensor<400xf32>) -> (tensor<f32>, "
         "tensor<300x400xf32>) {\n"
         "  %c = stablehlo.constant dense<0.5> : tensor<f32>\n"
         "  %0 = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<400xf32>) -> "
         "tensor<300x400xf32>\n"
         "  %1 = stablehlo.subtract %x, %0 : tensor<300x400xf32>\n"
         "  %2 = stablehlo.multiply %1, %1 : tensor<300x400xf32>\n"
         "  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<300x400xf32>) -> "
         "tensor<400x300xf32>\n"
         "  %4 = stablehlo.reduce(%3 init: %c) applies stablehlo.add across dimensions = [0, 1] : "
         "(tensor<400x300xf32>, tensor<f32>) -> tensor<f32>\n"
         "  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<300x400xf32>\n"
         "  %6 = stablehlo.divide %1, %5 : tensor<300x400xf32>\n"
         "  return %4, %6 : tensor<f32>, tensor<300x400xf32>\n}\n",
         5);
  agrees("func.func @main(%x: tensor<70000xf32>) -> tensor<f32> {\n"
         "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %0:2 = stablehlo.while(%i = %z, %a = %c) : tensor<i32>, tensor<f32>\n"
         "  cond {\n"
         "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %p : tensor<i1>\n"
         "  } do {\n"
         "    %b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<70000xf32>\n"
         "    %t = stablehlo.subtract %x, %b : tensor<70000xf32>\n"
         "    %s = stablehlo.reduce(%t init: %a) applies stablehlo.add across dimensions = [0] : "
         "(tensor<70000xf32>, tensor<f32>) -> tensor<f32>\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    stablehlo.return %j, %s : tensor<i32>, tensor<f32>\n"
         "  }\n"
         "  return %0#1 : tensor<f32>\n}\n",
         6);
}

// A long softmax is the same sum: its kernel, and its decomposition.
static void softmax(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  assert_non_null(m);
  tl_builder b = tl_func_begin(m, "main", false);
  const tl_type t = tl_type_of(m->arena, TL_DTYPE_F32, (int64_t[]){2, 70000}, 2),
                one = tl_type_of(m->arena, TL_DTYPE_F32, NULL, 0);
  const int64_t row = 0, along = 1;
  const tl_value x = tl_func_arg(&b, t), zero = tlo_constant_f64(&b, one, 0),
                 least = tlo_constant_f64(&b, one, -(double)INFINITY);
  const tl_value top = tlo_reduce(&b, x, least, &along, 1, TL_OP_MAXIMUM),
                 shifted = tlo_sub(&b, x, tlo_broadcast(&b, top, t, &row)),
                 e = tlo_unary(&b, TL_OP_EXPONENTIAL, shifted),
                 sum = tlo_reduce(&b, e, zero, &along, 1, TL_OP_ADD);
  tlo_return(
      &b, (tl_value[]){tlo_softmax(&b, x, 1), tlo_div(&b, e, tlo_broadcast(&b, sum, t, &row))}, 2);
  assert_ok(tl_builder_finish(&b));
  test_run r;
  test_rng rng = {8};
  test_run_begin(&r, tl_module_find(m, TL_STR("main")), &rng);
  if (!r.failure[0]) test_run_everywhere(&r, m);
  if (r.failure[0]) fail_msg("%s", r.failure);
  assert_memory_equal(r.want[0].data, r.want[1].data, type_size(t));
  test_run_end(&r);
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(folds),
                                     cmocka_unit_test(fused), cmocka_unit_test(softmax)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
