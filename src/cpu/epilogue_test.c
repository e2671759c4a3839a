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

static void check(const char *name, tl_module *m, uint32_t epilogues) {
  test_rng r = {epilogues + 1};
  test_run t;
  test_run_begin(&t, m->first, &r);
  test_run_everywhere(&t, m);
  if (t.failure[0]) fail_msg("%s: %s", name, t.failure);
  for (size_t d = 0; d < test_n_devices; d++) {
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(test_devices[d].cpu, m, &exe));
    if (count(exe) != epilogues) {
      test_print(m);
      fail_msg("%s: %u epilogues, wanted %u", name, count(exe), epilogues);
    }
    // The control: without any of them the result is another.
    for (uint32_t s = 0; s < exe->n_steps; s++) {
      if (!exe->steps[s].followed) continue;
      exe->steps[s].followed = false;
      test_run_native(&t, exe, test_devices[d].name, true);
      if (!t.failure[0]) fail_msg("%s on %s: the same without", name, test_devices[d].name);
      t.failure[0] = 0;
      exe->steps[s].followed = true;
    }
    test_exe_release(exe);
  }
  test_run_end(&t);
  tl_module_destroy(m);
}

static void follow_products(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    check(rows[i].name, test_parse(rows[i].text), rows[i].epilogues);
}

// Packed weights [R, K] of small numbers.
static tl_value weights(tl_builder *b, tl_format f, int64_t R, int64_t K) {
  tl_arena *a = b->m->arena;
  size_t size = 0;
  assert_true(tl_format_row_size(f, (size_t)K, &size));
  uint8_t *stored = TL_NEW(a, uint8_t, (size_t)R *size);
  assert_non_null(stored);
  for (size_t i = 0; i < (size_t)R * size; i++)
    stored[i] = (uint8_t)(i * 167 + i / 64);
  const size_t step = f == TL_FORMAT_BF16 ? 2 : 34; // a number's upper half; a block's scale
  for (size_t i = step == 2; i < (size_t)R * size; i += step)
    stored[i] = (uint8_t)(step == 2 ? 0x3d + stored[i] % 2 * 0x80 : 0);
  for (size_t i = 1; step == 34 && i < (size_t)R * size; i += step)
    stored[i] = 0x1c;
  const bool dense = f == TL_FORMAT_BF16;
  return tlo_pack_weights(
      b,
      tlo_constant(b, TL_TYPE(a, dense ? TL_DTYPE_BF16 : TL_DTYPE_U8, R, dense ? K : (int64_t)size),
                   stored, (size_t)R * size),
      f, R, K);
}

// The first half of a decoder's MLP, whose rows and gated products are rounded for the next one.
static tl_module *gated(tl_format f, int64_t T, int64_t R, int64_t K) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  tl_builder b = tl_func_begin(m, "main", false);
  const tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, T, K)),
                 scale = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, K)),
                 gates = weights(&b, f, R, K), ups = weights(&b, f, R, K),
                 h = tlo_rms_norm(&b, x, scale, 1e-5);
  if (f == TL_FORMAT_BF16) {
    const tl_value half = tlo_convert(&b, h, TL_DTYPE_BF16),
                   gate = tlo_bf16_matmul(&b, half, gates, R),
                   up = tlo_bf16_matmul(&b, half, ups, R),
                   y = tlo_convert(&b, tlo_swiglu(&b, gate, up), TL_DTYPE_BF16);
    tlo_return(&b, &y, 1);
  } else {
    const tl_op *codes = tlo_quantize_int8(&b, h);
    assert_non_null(codes);
    const tl_value gate = tlo_int8_matmul(&b, codes->results[0], codes->results[1], gates, f, R),
                   up = tlo_int8_matmul(&b, codes->results[0], codes->results[1], ups, f, R);
    codes = tlo_quantize_int8(&b, tlo_swiglu(&b, gate, up));
    assert_non_null(codes);
    tlo_return(&b, (tl_value[]){codes->results[0], codes->results[1]}, 2);
  }
  assert_ok(tl_builder_finish(&b));
  return m;
}

// What follows the gated product reads the product itself across.
static tl_module *turned(void) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  tl_builder b = tl_func_begin(m, "main", false);
  const tl_type square = TL_TYPE(m->arena, TL_DTYPE_F32, 192, 192);
  const tl_value x = tl_func_arg(&b, square), w = tl_func_arg(&b, square),
                 r = tl_func_arg(&b, square),
                 p = tlo_dot(&b, x, w, NULL, NULL, 0, (int64_t[]){1}, (int64_t[]){0}, 1),
                 y = tlo_add(&b, tlo_swiglu(&b, p, r), tlo_transpose(&b, p, (int64_t[]){1, 0}));
  tlo_return(&b, &y, 1);
  assert_ok(tl_builder_finish(&b));
  return m;
}

// A product is told of in pieces, and what follows it has followers of its own; those that take
// blocks of 32 do so where every thread has whole ones.
static void follow_followers(void **state) {
  (void)state;
  check("a follower that reads the product elsewhere", turned(), 1);
  static const struct {
    tl_format format;
    int64_t T, R, K;
    uint32_t epilogues;
  } cases[] = {
      {TL_FORMAT_BF16, 40, 192, 96, 3},  {TL_FORMAT_BF16, 40, 80, 33, 3},
      {TL_FORMAT_BF16, 700, 512, 64, 3}, {TL_FORMAT_Q8_0, 40, 192, 96, 2},
      {TL_FORMAT_Q8_0, 3, 192, 96, 2},   {TL_FORMAT_Q8_0, 700, 768, 64, 2},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    char name[80];
    snprintf(name, sizeof name, "%s, %d tokens, %d of %d", tl_format_get(cases[i].format)->name,
             (int)cases[i].T, (int)cases[i].R, (int)cases[i].K);
    check(name, gated(cases[i].format, cases[i].T, cases[i].R, cases[i].K), cases[i].epilogues);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(follow_products),
                                     cmocka_unit_test(follow_followers)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
