// Text out: the published bodies of the reference decode model by their digests, every form once,
// named ops as composites, and numbers.
#include "base/test.h"

#include <math.h>

#include "base/half.h"
#include "base/hash.h"
#include "ir/build.h"
#include "passes/decompose.h"
#include "shlo/spell.h"
#include "shlo/testing.h"

// The reference decode model: one layer, four heads over two, no position encoding, weights from a
// linear congruential generator, embedded as constants.
enum { VOCAB = 11, HIDDEN = 8, HEADS = 4, KV_HEADS = 2, HEAD_DIM = 2, PAGES = 6, PAGE = 2 };

static tl_value lcg_constant(tl_builder *b, uint32_t seed, int64_t rows, int64_t cols) {
  float values[VOCAB * HIDDEN];
  for (int64_t i = 0; i < rows * cols; i++) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)((double)(seed >> 8) / 16777216.0) - 0.5f;
  }
  return tlo_constant(b, TL_TYPE(b->m->arena, TL_DTYPE_F32, rows, cols), values,
                      (size_t)(rows * cols) * sizeof *values);
}

static tl_value linear(tl_builder *b, tl_value x, uint32_t seed, int64_t in,
                       int64_t out) { // [B,in] -> [B,out]
  return tlo_dot(b, x, lcg_constant(b, seed, in, out), NULL, NULL, 0, (int64_t[]){1},
                 (int64_t[]){0}, 1);
}

static tl_value reshape3(tl_builder *b, tl_value x, int64_t d0, int64_t d1, int64_t d2) {
  return tlo_reshape(b, x, (int64_t[]){d0, d1, d2}, 3);
}

static tl_module *reference_decode(int64_t B, int64_t context) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  tl_builder b = tl_func_begin(m, "main", false);
  tl_arena *a = m->arena;
  tl_value tokens = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, 1));
  tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, 1)); // positions, unused
  tl_value tables = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, context / PAGE));
  tl_value lengths = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B));
  tl_value slots = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B));
  tl_value keys = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, PAGES, PAGE, KV_HEADS, HEAD_DIM));
  tl_value values = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, PAGES, PAGE, KV_HEADS, HEAD_DIM));
  tl_func_arg_info(b.fn, 5)->alias_output = 1;
  tl_func_arg_info(b.fn, 6)->alias_output = 2;

  tl_value x = tlo_embedding(&b, lcg_constant(&b, 1, VOCAB, HIDDEN), tokens);
  x = tlo_reshape(&b, x, (int64_t[]){B, HIDDEN}, 2);
  tl_value q = reshape3(&b, linear(&b, x, 2, HIDDEN, HEADS * HEAD_DIM), B, HEADS, HEAD_DIM);
  tl_value k = reshape3(&b, linear(&b, x, 3, HIDDEN, KV_HEADS * HEAD_DIM), B, KV_HEADS, HEAD_DIM);
  tl_value v = reshape3(&b, linear(&b, x, 4, HIDDEN, KV_HEADS * HEAD_DIM), B, KV_HEADS, HEAD_DIM);
  keys = tlo_kv_cache_write(&b, keys, k, slots, 0);
  values = tlo_kv_cache_write(&b, values, v, slots, 0);
  x = tlo_paged_attention(&b, q, keys, values, tables, lengths, NULL, 1 / sqrt(HEAD_DIM), 0, 0);
  x = tlo_reshape(&b, x, (int64_t[]){B, HIDDEN}, 2);
  x = reshape3(&b, linear(&b, x, 5, HIDDEN, VOCAB), B, 1, VOCAB);
  tlo_return(&b, (tl_value[]){x, keys, values}, 3);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static const struct {
  int64_t batch, context;
  const char *sha256;
} published[] = {
    {1, 2, "917676809d69dc0f565c94bec3043e03a76a3319ca40031040e8bc6f67978da6"},
    {1, 4, "b92b107ce14c2294bbc405eae1af38d561237792aad36beb1b27ddce403a3a65"},
    {2, 2, "d0df315053ba7d7e4fdae8b1edadae90124771436ec33ffc5ec28bd51213ff51"},
    {2, 4, "4f7a236ffdf59327aae686cafcef8a52bb922efcb5f49bd7bbb5f755139785a3"},
    {4, 2, "ab02c7c995492bf2f539ae0f93f4ab43e606ce861fa17cbc3ed10d1fb059556b"},
    {4, 4, "57eee34ace6f0bb42c9ba8578df71b3cdd67c810cb7451eda3cdd4e81acc7cd2"},
};

static void published_bodies_come_out_byte_for_byte(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(published); i++) {
    tl_module *m = reference_decode(published[i].batch, published[i].context), *inlined = NULL;
    assert_ok(tl_module_inline(m, false, &inlined));
    char *text = printed(inlined, &(tl_shlo_print_options){.no_alias = true}),
         digest[TL_SHA256_HEX + 1];
    assert_true(tl_sha256_hex(text, strlen(text), digest));
    assert_string_equal(digest, published[i].sha256);

    tl_module *back =
        parsed(text); // in again, out again: the same bytes, numbers and scratch included
    char *again = printed(back, NULL);
    assert_string_equal(again, text);
    free(again);
    free(text);
    tl_module_destroy(back);
    char name[32];
    text = printed(inlined, NULL); // donations and all: the same function
    snprintf(name, sizeof name, "decode%zu.mlir", i);
    keep(name, text);
    back = parsed(text);
    assert_true(tl_func_eq(back->first, inlined->first));
    free(text);
    tl_module_destroy(back);
    tl_module_destroy(inlined);
    tl_module_destroy(m);
  }
}

static void named_ops_travel_as_composites(void **state) {
  (void)state;
  tl_module *m = reference_decode(2, 4);
  char *text = printed(m, NULL);
  assert_non_null(strstr(text, "%8 = stablehlo.composite \"tlaloc.embedding\" %7, %0 "
                               "{decomposition = @tlaloc.embedding.0, version = 1 : i32} : "));
  assert_non_null(strstr(text, "{composite_attributes = {scale = 7.071067811865475e-01 : f64}, "
                               "decomposition = @tlaloc.paged_attention.0, version = 1 : i32}"));
  // Two writes of one shape share their decomposition.
  const char *body = strstr(text, "func.func private @tlaloc.kv_cache_write.0(");
  assert_non_null(body);
  assert_null(strstr(text, "@tlaloc.kv_cache_write.1"));
  assert_true(body > strstr(text, "func.func @main(")); // behind the module's own

  tl_module *back = parsed(text);
  assert_int_equal(back->n_funcs, 1); // the decompositions are gone
  assert_true(tl_func_eq(back->first, m->first));
  char *again = printed(back, NULL);
  assert_string_equal(again, text);
  free(again);
  free(text);
  tl_module_destroy(back);
  tl_module_destroy(m);
}

static void a_taken_name_is_not_taken_again(void **state) {
  (void)state;
  tl_module *m =
      parsed("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n"
             "  %1 = call @tlaloc.softmax.0(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
             "  return %1 : tensor<4xf32>\n}\n"
             "func.func private @tlaloc.softmax.0(%0: tensor<4xf32>) -> tensor<4xf32> {\n"
             "  return %0 : tensor<4xf32>\n}\n");
  tl_builder b = tl_func_begin(m, "other", false);
  tl_value x = tlo_softmax(&b, tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 4)), 0);
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL);
  assert_non_null(strstr(text, "decomposition = @tlaloc.softmax.1,"));
  assert_non_null(strstr(text, "func.func private @tlaloc.softmax.1("));
  free(text);
  tl_module_destroy(m);
}

// Scratch is numbered behind the largest id, in the order of printing, hidden regions take no
// number; ids may have gaps.
static void scratch_is_numbered_in_order(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "f", false);
  tl_type row = TL_TYPE(m->arena, TL_DTYPE_F32, 3);
  tl_value x = tl_func_arg(&b, row);
  b.fn->next_id = 5;
  tl_value y = tlo_add(&b, x, x); // %5
  b.scratch = true;
  tl_value zero = tlo_constant_f64(&b, tl_type_scalar(TL_DTYPE_F32), 0);
  tl_value sum = tlo_reduce(&b, y, zero, (int64_t[]){0}, 1, TL_OP_ADD);
  tl_value wide = tlo_broadcast(&b, sum, row, NULL);
  b.scratch = false;
  tl_value z = tlo_mul(&b, y, wide); // %6
  tlo_return(&b, &z, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, &(tl_shlo_print_options){.no_wrapper = true});
  assert_string_equal(
      text,
      "func.func @f(%0: tensor<3xf32>) -> tensor<3xf32> {\n"
      "  %5 = stablehlo.add %0, %0 : tensor<3xf32>\n"
      "  %s7 = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %s8 = stablehlo.reduce(%5 init: %s7) applies stablehlo.add across dimensions = [0] : "
      "(tensor<3xf32>, tensor<f32>) -> tensor<f32>\n"
      "  %s9 = stablehlo.broadcast_in_dim %s8, dims = [] : (tensor<f32>) -> tensor<3xf32>\n"
      "  %6 = stablehlo.multiply %5, %s9 : tensor<3xf32>\n"
      "  return %6 : tensor<3xf32>\n"
      "}\n");
  tl_module *back = parsed(text);
  char *again = printed(back, &(tl_shlo_print_options){.no_wrapper = true});
  assert_string_equal(again, text);
  free(again);
  free(text);
  tl_module_destroy(back);
  tl_module_destroy(m);
}

// A while built op by op has two sets of arguments; the text has one.
static void a_while_shares_its_names(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "f", false);
  tl_type t = tl_type_scalar(TL_DTYPE_S32);
  tl_value x = tl_func_arg(&b, t);
  tl_op *op = tl_op_begin(&b, TL_OP_WHILE, &x, 1);
  for (int region = 0; region < 2; region++) {
    tl_block *block = tl_op_add_region(&b, op);
    tl_value i = tl_block_arg(&b, block, t);
    tl_builder in = tl_builder_at(&b, block);
    tl_value r =
        region == 0 ? tlo_compare(&in, TL_COMPARISON_DIRECTION_LT, i, x) : tlo_add(&in, i, i);
    tlo_return(&in, &r, 1);
    tl_builder_join(&b, &in);
  }
  op = tl_op_finish(&b, op, NULL, 0);
  assert_non_null(op);
  tlo_return(&b, op->results, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL);
  assert_string_equal(
      text,
      "module {\n"
      "  func.func @f(%0: tensor<i32>) -> tensor<i32> {\n"
      "    %5 = stablehlo.while(%1 = %0) : tensor<i32>\n"
      "    cond {\n"
      "      %2 = stablehlo.compare LT, %1, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      stablehlo.return %2 : tensor<i1>\n"
      "    } do {\n"
      "      %4 = stablehlo.add %1, %1 : tensor<i32>\n"
      "      stablehlo.return %4 : tensor<i32>\n"
      "    }\n"
      "    return %5 : tensor<i32>\n"
      "  }\n"
      "}\n");
  tl_module *back = parsed(text);
  assert_true(tl_func_eq(back->first, m->first));
  char *again = printed(back, NULL);
  assert_string_equal(again, text);
  free(again);
  free(text);
  tl_module_destroy(back);
  tl_module_destroy(m);
}

static void options_change_the_text(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "a name", false);
  uint8_t bytes[17];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 16);
  tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_U8, 17));
  tl_func_arg_info(b.fn, 0)->donor = true;
  tl_func_arg_info(b.fn, 0)->alias_output = 0;
  tl_value c =
      tlo_add(&b, x, tlo_constant(&b, TL_TYPE(m->arena, TL_DTYPE_U8, 17), bytes, sizeof bytes));
  tlo_return(&b, &c, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL);
  assert_non_null(strstr(
      text,
      "@\"a name\"(%0: tensor<17xui8> {jax.buffer_donor = true, tf.aliasing_output = 0 : i32})"));
  assert_non_null(strstr(
      text, "dense<[0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 0]>"));
  char *other = printed(m, &(tl_shlo_print_options){.no_alias = true, .hex_literals = true});
  assert_null(strstr(other, "tf.aliasing_output"));
  assert_non_null(strstr(other, "jax.buffer_donor = true"));
  assert_non_null(strstr(other, "dense<\"0x00102030405060708090A0B0C0D0E0F000\">"));
  tl_module *back = parsed(other), *back2 = parsed(text);
  assert_true(tl_func_eq(back2->first, m->first));
  assert_int_equal(back->first->args[0].alias_output, -1);
  assert_int_equal(back2->first->args[0].alias_output, 0);
  assert_true(back2->first->args[0].donor);
  tl_module_destroy(back2);
  tl_module_destroy(back);
  free(other);
  free(text);
  tl_module_destroy(m);
}

static void check_element(tl_dtype dtype, uint64_t bits, const char *want) {
  tl_buf out = {0};
  tl_spell_element(&out, dtype, &bits);
  assert_string_equal(out.ptr, want);
  // And back, through the reader.
  char text[256];
  const char *mlir = tl_dtype_get(dtype)->mlir;
  snprintf(text, sizeof text,
           "func.func @f() -> tensor<%s> {\n %%0 = stablehlo.constant dense<%s> : tensor<%s>\n "
           "return %%0 : tensor<%s>\n}",
           mlir, out.ptr, mlir, mlir);
  tl_module *m = parsed(text);
  const tl_literal *l = tl_op_attr(m->first->body->first, TL_A_CONSTANT_value)->dense;
  assert_int_equal(l->size, tl_dtype_get(dtype)->size);
  assert_memory_equal(l->data, &bits, l->size);
  tl_module_destroy(m);
  tl_buf_deinit(&out);
}

static void numbers_are_the_shortest_that_read_back(void **state) {
  (void)state;
  static const struct {
    float value;
    const char *text;
  } f32[] = {
      {0.0f, "0.0"},
      {-0.0f, "-0.0"},
      {1.0f, "1.0"},
      {-2.5f, "-2.5"},
      {0.1f, "0.1"},
      {0.001f, "0.001"},
      {9.99e-4f, "9.99E-4"},
      {9999999.0f, "9999999.0"},
      {1e7f, "1.0E7"},
      {1e9f, "1.0E9"},
      {123456.7f, "123456.7"},
      {1.4e-45f, "1.4E-45"},
      {3.4028235e38f, "3.4028235E38"},
      {1.17549435e-38f, "1.1754944E-38"},
      {0.70710677f, "0.70710677"},
      {16777216.0f, "1.6777216E7"},
      {3.14159274f, "3.1415927"},
      {33554432.0f, "3.3554432E7"},
  };
  for (size_t i = 0; i < TL_COUNT(f32); i++)
    check_element(TL_DTYPE_F32, tl_bits_of_f32(f32[i].value), f32[i].text);
  check_element(TL_DTYPE_F32, 0x7f800000u, "0x7F800000");
  check_element(TL_DTYPE_F32, 0xff800000u, "0xFF800000");
  check_element(TL_DTYPE_F32, 0x7fc00001u, "0x7FC00001");
  check_element(TL_DTYPE_BF16, 0x3dcd, "0.1");
  check_element(TL_DTYPE_BF16, 0x7f80, "0x7F80");
  check_element(TL_DTYPE_F16, 0x2e66, "0.1");
  check_element(TL_DTYPE_F16, 0x0001, "6.0E-8");
  double d = 0.1;
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  check_element(TL_DTYPE_F64, bits, "0.1");
  d = 1.0 / 3;
  memcpy(&bits, &d, sizeof bits);
  check_element(TL_DTYPE_F64, bits, "0.3333333333333333");
  check_element(TL_DTYPE_F64, 1, "4.9E-324");
  check_element(TL_DTYPE_F64, 0x7fefffffffffffffull, "1.7976931348623157E308");
  check_element(TL_DTYPE_S8, 0x80, "-128");
  check_element(TL_DTYPE_U8, 0x80, "128");
  check_element(TL_DTYPE_S64, 0x8000000000000000ull, "-9223372036854775808");
  check_element(TL_DTYPE_U64, 0xffffffffffffffffull, "18446744073709551615");
  check_element(TL_DTYPE_I1, 1, "true");
  // A walk over the bits of f32, so that no digit count and no power of two is left out.
  for (uint32_t u = 1; u < 0x7f800000u; u += 0x000ffff1u) {
    tl_buf out = {0};
    tl_spell_element(&out, TL_DTYPE_F32, &u);
    assert_int_equal(tl_bits_of_f32(strtof(out.ptr, NULL)), u);
    tl_buf_deinit(&out);
  }
}

static void float_attributes_read_back(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{1e-5, "1.000000e-05"},    {0.5, "5.000000e-01"},
               {-0.125, "-1.250000e-01"}, {1.0 / 3, "3.333333333333333e-01"},
               {0, "0.000000e+00"},       {1e300, "1.000000e+300"}};
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_buf out = {0};
    tl_spell_f64_attr(&out, cases[i].value);
    assert_string_equal(out.ptr, cases[i].text);
    assert_true(strtod(out.ptr, NULL) == cases[i].value);
    tl_buf_deinit(&out);
  }
}

static void strings_are_escaped(void **state) {
  (void)state;
  tl_buf out = {0};
  tl_arena *a = tl_arena_create();
  tl_str in = TL_STR("a \"b\" \\ \n\x01 é"), back;
  bool oom;
  tl_spell_string(&out, in);
  assert_string_equal(out.ptr, "\"a \\22b\\22 \\\\ \\0A\\01 \\C3\\A9\"");
  assert_true(tl_spell_unquote(a, tl_buf_view(&out), &back, &oom));
  assert_str(back, in);
  assert_false(tl_spell_unquote(a, TL_STR("\"\\q\""), &back, &oom));
  assert_false(oom);
  tl_buf_deinit(&out);
  tl_arena_destroy(a);
}

// Composite attributes are printed in the order of their rows, which MLIR sorts by name: the two
// orders must agree.
static void rows_of_named_ops_are_alphabetical(void **state) {
  (void)state;
  for (size_t code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *info = tl_op_get((tl_opcode)code);
    for (uint32_t i = 1; (info->traits & TL_NAMED) != 0 && i < info->n_attrs; i++)
      assert_true(strcmp(tl_attr_get((tl_attr_id)(info->attr_begin + i - 1))->name,
                         tl_attr_get((tl_attr_id)(info->attr_begin + i))->name) < 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_bodies_come_out_byte_for_byte),
      cmocka_unit_test(named_ops_travel_as_composites),
      cmocka_unit_test(a_taken_name_is_not_taken_again),
      cmocka_unit_test(scratch_is_numbered_in_order),
      cmocka_unit_test(a_while_shares_its_names),
      cmocka_unit_test(options_change_the_text),
      cmocka_unit_test(numbers_are_the_shortest_that_read_back),
      cmocka_unit_test(float_attributes_read_back),
      cmocka_unit_test(strings_are_escaped),
      cmocka_unit_test(rows_of_named_ops_are_alphabetical),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
