// What operands may break when the program runs: shapes and state slots. The native plan ends with
// the interpreter's words, and reads inside its operands until then.
#include "cpu/testing_programs.h"

// Runs @main over `last`, its last arguments' data, everywhere; others are random. wanted: part of
// the message; NULL: good everywhere, with the interpreter's bits.
static void run(tl_module *m, const void *const *last, uint32_t n_last, const char *wanted) {
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  const uint32_t n = fn->body->n_args, n_out = fn->n_results;
  tl_arena *a = tl_arena_create();
  test_rng r = {7};
  tl_tensor *in = TL_NEW(a, tl_tensor, n), *want = TL_NEW(a, tl_tensor, n_out);
  void **memory = TL_NEW(a, void *, n), **out = TL_NEW(a, void *, n_out);
  assert_non_null(out);
  for (uint32_t i = 0; i < n; i++) {
    const tl_type t = fn->body->args[i]->type;
    memory[i] = test_memory(type_size(t));
    rng_fill(&r, t.dtype, memory[i], type_count(t));
    if (i + n_last >= n) memcpy(memory[i], last[i + n_last - n], type_size(t));
    in[i] = (tl_tensor){t, memory[i]};
  }
  for (uint32_t o = 0; o < n_out; o++)
    out[o] = test_memory(type_size(fn->result_types[o]));
  tl_status ref = tl_ref_run(fn, TL_REF_AS_TYPED, in, n, a, want, 0);
  if ((wanted == NULL) != (ref == NULL) || (ref && !strstr(tl_status_message(ref), wanted)))
    fail_msg("the interpreter: %s; wanted %s", ref ? tl_status_message(ref) : "good",
             wanted ? wanted : "good");
  for (size_t d = 0; d < test_n_devices; d++) {
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(test_devices[d].cpu, m, &exe));
    assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
    for (int again = 0; again < 2; again++) {
      tl_status st = tl_cpu_execute(exe, (const void *const *)memory, out);
      if ((ref == NULL) != (st == NULL) ||
          (ref && tl_status_get_code(st) != tl_status_get_code(ref)) ||
          (ref && !strstr(tl_status_message(st), wanted)))
        fail_msg("%s: %s; wanted %s", test_devices[d].name, st ? tl_status_message(st) : "good",
                 wanted ? wanted : "good");
      tl_status_drop(st);
      for (uint32_t o = 0; o < n_out && !ref; o++)
        assert_int_equal(first_difference(fn->result_types[o], out[o], want[o].data),
                         type_count(fn->result_types[o]));
    }
    test_exe_release(exe);
  }
  tl_status_drop(ref);
  for (uint32_t i = 0; i < n; i++)
    free(memory[i]);
  for (uint32_t o = 0; o < n_out; o++)
    free(out[o]);
  tl_arena_destroy(a);
}
#define I64(...) ((const int64_t[]){__VA_ARGS__})
#define RUN(m, wanted, ...)                    \
  run((m), (const void *const[]){__VA_ARGS__}, \
      sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *), (wanted))

static void shapes(void **state) {
  (void)state;
  tl_module *m =
      test_parse("func.func @main(%x: tensor<6x4xf32>, %s: tensor<2xi64>) -> tensor<3x8xf32> {\n"
                 "  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6x4xf32>, tensor<2xi64>) -> "
                 "tensor<3x8xf32>\n"
                 "  return %0 : tensor<3x8xf32>\n}\n");
  RUN(m, NULL, I64(3, 8));
  RUN(m, "dynamic_reshape", I64(8, 3));
  RUN(m, "is no shape", I64(-3, -8));
  RUN(m, "dynamic_reshape", I64(INT64_MAX, 2));
  tl_module_destroy(m);
}

static void slices(void **state) {
  (void)state;
  tl_module *m = test_parse(
      "func.func @main(%x: tensor<6x9xcomplex<f32>>, %a: tensor<2xi64>, %b: tensor<2xi64>, %c: "
      "tensor<2xi64>) -> tensor<3x2xcomplex<f32>> {\n"
      "  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<6x9xcomplex<f32>>, "
      "tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x2xcomplex<f32>>\n"
      "  return %0 : tensor<3x2xcomplex<f32>>\n}\n");
  RUN(m, NULL, I64(0, 1), I64(6, 6), I64(2, 4));
  RUN(m, NULL, I64(3, 7), I64(6, 9), I64(1, 1));
  RUN(m, "real_dynamic_slice", I64(4, 7), I64(7, 9), I64(1, 1));
  RUN(m, "real_dynamic_slice", I64(INT64_MIN, INT64_MAX), I64(INT64_MAX, INT64_MIN),
      I64(INT64_MIN, INT64_MAX));
  RUN(m, "real_dynamic_slice", I64(0, 0), I64(3, 2), I64(0, -1));
  tl_module_destroy(m);
}

static void paddings(void **state) {
  (void)state;
  tl_module *m = test_parse(
      "func.func @main(%x: tensor<3x2xf64>, %v: tensor<f64>, %a: tensor<2xi64>, %b: tensor<2xi64>, "
      "%c: tensor<2xi64>) -> tensor<7x4xf64> {\n"
      "  %0 = stablehlo.dynamic_pad %x, %v, %a, %b, %c : (tensor<3x2xf64>, tensor<f64>, "
      "tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<7x4xf64>\n"
      "  return %0 : tensor<7x4xf64>\n}\n");
  RUN(m, NULL, I64(1, 0), I64(1, 1), I64(1, 1));
  RUN(m, NULL, I64(-1, 3), I64(1, -1), I64(2, 0));
  RUN(m, "dynamic_pad", I64(1, 0), I64(1, 1), I64(0, 0));
  RUN(m, "dynamic_pad", I64(INT64_MIN, INT64_MAX), I64(0, 0), I64(-1, INT64_MAX));
  tl_module_destroy(m);
}

static void windows(void **state) {
  (void)state;
  tl_module *m = test_parse(
      "func.func @main(%x: tensor<1x6x5x2xf32>, %w: tensor<3x2x2x4xf32>, %p: tensor<2x2xi64>) -> "
      "tensor<1x6x6x4xf32> {\n"
      "  %0 = \"stablehlo.dynamic_conv\"(%x, %w, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, "
      "1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : "
      "i64}> : (tensor<1x6x5x2xf32>, tensor<3x2x2x4xf32>, tensor<2x2xi64>) -> "
      "tensor<1x6x6x4xf32>\n"
      "  return %0 : tensor<1x6x6x4xf32>\n}\n");
  RUN(m, NULL, I64(1, 1, 0, 2));
  RUN(m, NULL, I64(4, -2, -1, 3));
  RUN(m, "dynamic_conv", I64(1, 1, 1, 2));
  RUN(m, "dynamic_conv", I64(INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN));
  tl_module_destroy(m);
}

static void gathers(void **state) {
  (void)state;
  tl_module *m = test_parse(
      "func.func @main(%x: tensor<5x9xf32>, %i: tensor<4x1xi32>, %s: tensor<2xi64>) -> "
      "tensor<4x3xf32> {\n"
      "  %0 = \"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = "
      "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<5x9xf32>, tensor<4x1xi32>, "
      "tensor<2xi64>) -> tensor<4x3xf32>\n"
      "  return %0 : tensor<4x3xf32>\n}\n");
  RUN(m, NULL, I64(1, 3));
  RUN(m, "dynamic_gather", I64(1, 4));
  RUN(m, "dynamic_gather", I64(3, 3));
  tl_module_destroy(m);
}

// A row of token_slots that names two slots, or one that is none of the pool's.
static void slots(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
#define ARG(dtype, rank, ...) \
  tl_func_arg(&b, tl_type_of(m->arena, TL_DTYPE_##dtype, (const int64_t[]){__VA_ARGS__}, rank))
  const tl_value x = ARG(F32, 3, 2, 3, 4), w = ARG(F32, 2, 3, 4), pool = ARG(F32, 3, 5, 2, 4),
                 token = ARG(S32, 2, 2, 3), position = ARG(S32, 2, 2, 3);
  const tl_op *op = tlo_causal_conv1d(&b, x, w, pool, token, position, NULL);
  assert_non_null(op);
  tlo_return(&b, op->results, 2);
  assert_ok(tl_builder_finish(&b));
#define I32(...) ((const int32_t[]){__VA_ARGS__})
  RUN(m, NULL, I32(1, 1, 1, -1, 2, 2), I32(0, 1, 2, 0, 7, 8));
  RUN(m, "tokens of slots", I32(1, 1, 2, -1, 2, 2), I32(0, 1, 2, 0, 7, 8));
  RUN(m, "of 5", I32(1, 1, 1, -1, 9, 9), I32(0, 1, 2, 0, 7, 8));
  RUN(m, "share slot", I32(1, 1, 1, 1, 1, 1), I32(0, 1, 2, 0, 1, 2));
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes),   cmocka_unit_test(slices),
                                     cmocka_unit_test(paddings), cmocka_unit_test(windows),
                                     cmocka_unit_test(gathers),  cmocka_unit_test(slots)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
