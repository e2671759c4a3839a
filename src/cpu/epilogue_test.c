// Epilogues of products: which steps become one, and that their results are the interpreter's by
// bits, however the product is divided.
#include "cpu/testing.h"

typedef struct row {
  const char *name;
  uint32_t epilogues;
  const char *text;
} row;

#define DOT "stablehlo.dot_general "
#define PLAIN ", contracting_dims = [1] x [0] : "
#define FUNC(args, result, body) \
  "func.func @main(" args ") -> " result " {\n" body "return %y : " result "\n}\n"
#define BIAS(shape, size, dim)                                                                     \
  "%b = stablehlo.broadcast_in_dim %c, dims = [" dim "] : (tensor<" size "xf32>) -> tensor<" shape \
  "xf32>\n%s = stablehlo.add %p, %b : tensor<" shape "xf32>\n"                                     \
  "%y = stablehlo.tanh %s : tensor<" shape "xf32>\n"
#define CONV(in, out, window, types, shape)                                                       \
  "%p = stablehlo.convolution(%a, %w) dim_numbers = [" in "]x[0, 1, i, o]->[" out                 \
  "], window = {" window                                                                          \
  "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" types ") -> tensor<" shape \
  "xf32>\n"

static const row rows[] = {
    {"many rows", 1,
     FUNC("%a: tensor<700x90xf32>, %w: tensor<90x70xf32>, %c: tensor<70xf32>", "tensor<700x70xf32>",
          "%p = " DOT "%a, %w" PLAIN
          "(tensor<700x90xf32>, tensor<90x70xf32>) -> tensor<700x70xf32>\n" BIAS("700x70", "70",
                                                                                 "1"))},
    {"few rows, divided by columns", 1,
     FUNC("%a: tensor<5x40xf32>, %w: tensor<40x300xf32>, %c: tensor<5xf32>", "tensor<5x300xf32>",
          "%p = " DOT "%a, %w" PLAIN
          "(tensor<5x40xf32>, tensor<40x300xf32>) -> tensor<5x300xf32>\n" BIAS("5x300", "5", "0"))},
    {"batches, in f64", 1,
     FUNC("%a: tensor<7x9x20xf64>, %w: tensor<7x20x30xf64>, %r: tensor<7x9x30xf64>",
          "tensor<7x9x30xf64>",
          "%p = " DOT "%a, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
          "(tensor<7x9x20xf64>, tensor<7x20x30xf64>) -> tensor<7x9x30xf64>\n"
          "%n = stablehlo.negate %p : tensor<7x9x30xf64>\n"
          "%y = stablehlo.add %n, %r : tensor<7x9x30xf64>\n")},
    {"a residual of bf16", 1,
     FUNC("%a: tensor<40x64xbf16>, %w: tensor<64x48xbf16>, %r: tensor<40x48xbf16>",
          "tensor<40x48xbf16>",
          "%p = " DOT "%a, %w" PLAIN
          "(tensor<40x64xbf16>, tensor<64x48xbf16>) -> tensor<40x48xbf16>\n"
          "%y = stablehlo.add %r, %p : tensor<40x48xbf16>\n")},
    {"complex numbers", 1,
     FUNC("%a: tensor<40x20xcomplex<f32>>, %w: tensor<20x30xcomplex<f32>>, %r: "
          "tensor<40x30xcomplex<f32>>",
          "tensor<40x30xcomplex<f32>>",
          "%p = " DOT "%a, %w" PLAIN
          "(tensor<40x20xcomplex<f32>>, tensor<20x30xcomplex<f32>>) -> tensor<40x30xcomplex<f32>>\n"
          "%y = stablehlo.subtract %r, %p : tensor<40x30xcomplex<f32>>\n")},
    {"a convolution, features last", 1,
     FUNC("%a: tensor<2x9x11x5xf32>, %w: tensor<3x3x5x20xf32>, %c: tensor<20xf32>",
          "tensor<2x7x9x20xf32>",
          CONV("b, 0, 1, f", "b, 0, 1, f", "", "tensor<2x9x11x5xf32>, tensor<3x3x5x20xf32>",
               "2x7x9x20") BIAS("2x7x9x20", "20", "3"))},
    {"a convolution, features first", 1,
     FUNC("%a: tensor<2x5x9x11xf32>, %w: tensor<3x3x5x20xf32>, %c: tensor<20xf32>",
          "tensor<2x20x7x9xf32>",
          CONV("b, f, 0, 1", "b, f, 0, 1", "", "tensor<2x5x9x11xf32>, tensor<3x3x5x20xf32>",
               "2x20x7x9") BIAS("2x20x7x9", "20", "1"))},
    {"a sum with a number", 1, // by a kernel made by hand
     FUNC("%a: tensor<60x40xf32>, %w: tensor<40x50xf32>, %r: tensor<60x50xf32>",
          "tensor<60x50xf32>",
          "%p = " DOT "%a, %w" PLAIN "(tensor<60x40xf32>, tensor<40x50xf32>) -> tensor<60x50xf32>\n"
          "%y = stablehlo.maximum %p, %r : tensor<60x50xf32>\n")},
    {"one a product", 2,
     FUNC("%a: tensor<40x3xf32>, %w: tensor<3x4xf32>, %v: tensor<4x6xf32>", "tensor<40x6xf32>",
          "%p = " DOT "%a, %w" PLAIN "(tensor<40x3xf32>, tensor<3x4xf32>) -> tensor<40x4xf32>\n"
          "%n = stablehlo.abs %p : tensor<40x4xf32>\n"
          "%q = " DOT "%n, %v" PLAIN "(tensor<40x4xf32>, tensor<4x6xf32>) -> tensor<40x6xf32>\n"
          "%y = stablehlo.negate %q : tensor<40x6xf32>\n")},
    // Who reads other elements than those at hand wants the product whole,
    {"a transposed product", 0,
     FUNC("%a: tensor<60x40xf32>, %w: tensor<40x60xf32>", "tensor<60x60xf32>",
          "%p = " DOT "%a, %w" PLAIN "(tensor<60x40xf32>, tensor<40x60xf32>) -> tensor<60x60xf32>\n"
          "%t = stablehlo.transpose %p, dims = [1, 0] : (tensor<60x60xf32>) -> tensor<60x60xf32>\n"
          "%y = stablehlo.add %p, %t : tensor<60x60xf32>\n")},
    {"a sum of rows", 0,
     FUNC("%a: tensor<60x40xf32>, %w: tensor<40x50xf32>, %r: tensor<f32>", "tensor<60xf32>",
          "%p = " DOT "%a, %w" PLAIN "(tensor<60x40xf32>, tensor<40x50xf32>) -> tensor<60x50xf32>\n"
          "%y = stablehlo.reduce(%p init: %r) applies stablehlo.add across dimensions = [1] : "
          "(tensor<60x50xf32>, tensor<f32>) -> tensor<60xf32>\n")},
    {"another step between", 0,
     FUNC("%a: tensor<60x40xf32>, %w: tensor<40x60xf32>, %r: tensor<60x60xf32>",
          "tensor<60x60xf32>",
          "%p = " DOT "%a, %w" PLAIN "(tensor<60x40xf32>, tensor<40x60xf32>) -> tensor<60x60xf32>\n"
          "%q = " DOT "%r, %w, contracting_dims = [1] x [1] : "
          "(tensor<60x60xf32>, tensor<40x60xf32>) -> tensor<60x40xf32>\n"
          "%s = " DOT "%q, %w" PLAIN "(tensor<60x40xf32>, tensor<40x60xf32>) -> tensor<60x60xf32>\n"
          "%n = stablehlo.negate %p : tensor<60x60xf32>\n"
          "%y = " DOT "%n, %s" PLAIN
          "(tensor<60x60xf32>, tensor<60x60xf32>) -> tensor<60x60xf32>\n")},
    {"what a loop leaves that may not run", 0,
     FUNC("%a: tensor<60x40xf32>, %w: tensor<40x60xf32>, %i: tensor<i32>, %o: tensor<60x60xf32>",
          "tensor<60x60xf32>",
          "%z:2 = stablehlo.while(%k = %i, %x = %o) : tensor<i32>, tensor<60x60xf32>\n"
          "cond {\n%m = stablehlo.constant dense<-2147483648> : tensor<i32>\n"
          "%l = stablehlo.compare LT, %k, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "stablehlo.return %l : tensor<i1>\n} do {\n"
          "%h = stablehlo.constant dense<2147483647> : tensor<i32>\n"
          "%j = stablehlo.maximum %k, %h : tensor<i32>\n"
          "%p = " DOT "%a, %w" PLAIN "(tensor<60x40xf32>, tensor<40x60xf32>) -> tensor<60x60xf32>\n"
          "stablehlo.return %j, %p : tensor<i32>, tensor<60x60xf32>\n}\n"
          "%y = stablehlo.negate %z#1 : tensor<60x60xf32>\n")},
    // and nobody writes where others still read what the product is of.
    {"a residual in an operand's memory", 0,
     "func.func @main(%a: tensor<60x60xf32> {tf.aliasing_output = 0 : i32}, %w: tensor<60x60xf32>) "
     "-> tensor<60x60xf32> {\n"
     "%p = " DOT "%a, %w" PLAIN "(tensor<60x60xf32>, tensor<60x60xf32>) -> tensor<60x60xf32>\n"
     "%y = stablehlo.add %a, %p : tensor<60x60xf32>\nreturn %y : tensor<60x60xf32>\n}\n"},
};

static uint32_t count(const tl_cpu_exe *exe) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    n += exe->steps[i].epilogue;
    if (exe->steps[i].epilogue) assert_true(exe->steps[i - 1].followed);
    assert_false(exe->steps[i].epilogue && exe->steps[i].barrier);
  }
  return n;
}

static void follow_products(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_module *m = test_parse(rows[i].text);
    test_rng r = {i + 1};
    test_run t;
    test_run_begin(&t, m->first, &r);
    test_run_everywhere(&t, m);
    if (t.failure[0]) fail_msg("%s: %s", rows[i].name, t.failure);
    for (size_t d = 0; d < test_n_devices; d++) {
      tl_cpu_exe *exe = NULL;
      assert_ok(test_compile(test_devices[d].cpu, m, &exe));
      if (count(exe) != rows[i].epilogues) {
        test_print(m);
        fail_msg("%s: %u epilogues, wanted %u", rows[i].name, count(exe), rows[i].epilogues);
      }
      // The control: without it the result is another.
      for (uint32_t s = 0; s < exe->n_steps; s++)
        exe->steps[s].followed = false;
      if (rows[i].epilogues) {
        test_run_native(&t, exe, test_devices[d].name, true);
        if (!t.failure[0])
          fail_msg("%s on %s: the same without", rows[i].name, test_devices[d].name);
        t.failure[0] = 0;
      }
      test_exe_release(exe);
    }
    test_run_end(&t);
    tl_module_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(follow_products)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
