// Named ops through text and back; and the composites that must not become named ops.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <math.h>

#include "base/clock.h"
#include "ir/build.h"
#include "shlo/testing.h"
#include "shlo/testing_linalg.h"
#include "shlo/testing_nn.h"
#include "shlo/testing_serving.h"
#include "shlo/testing_special.h"

// `text` with the first `from` behind `after` made `to`; free it.
static char *changed(const char *text, const char *after, const char *from, const char *to) {
  const char *at = strstr(text, after);
  assert_non_null(at);
  at = strstr(at, from);
  assert_non_null(at);
  tl_buf out = {0};
  tl_buf_add(&out, text, (size_t)(at - text));
  tl_buf_cstr(&out, to);
  tl_buf_cstr(&out, at + strlen(from));
  return out.ptr;
}

static tl_opcode first_code(const tl_module *m) { return m->first->body->first->code; }

// The named ops of language models once.
static tl_module *all_named(void) {
  tl_module *m = tl_module_create();
  tl_arena *a = m->arena;
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value table = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 7, 8)),
           ids = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 3)),
           weight = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 8)),
           x3 = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 3, 2, 4)),
           angles = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 16, 2)),
           pool = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 6, 2, 1, 4)),
           tables = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 3, 2)),
           blocks = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_U8, 5, 20));
  tl_value x = tlo_embedding(&b, table, ids);
  x = tlo_rms_norm(&b, x, weight, 1e-5);
  x = tlo_softmax(&b, tlo_swiglu(&b, x, x), 1);
  tl_value q = tlo_rope(&b, x3, angles, angles, ids);
  tl_value row = tlo_slice(&b, q, (int64_t[]){0, 0, 0}, (int64_t[]){3, 1, 4}, NULL);
  tl_value pool2 = tlo_kv_cache_write(&b, pool, row, ids, 1);
  tl_value one = tlo_paged_attention(&b, q, pool2, pool2, tables, ids, NULL, 0.5, 0, 1);
  tl_value two = tlo_paged_attention(&b, one, pool2, pool2, tables, ids, ids, 0.25, 0, 0);
  tl_value packed = tlo_pack_weights(&b, blocks, TL_FORMAT_Q4_1, 5, 32);
  tl_value wide = tlo_quantized_embedding(&b, packed, ids, TL_FORMAT_Q4_1, 5, 32);
  tl_value y = tlo_quantized_matmul(&b, wide, packed, TL_FORMAT_Q4_1, 5);
  tl_op *codes = tlo_quantize_int8(&b, wide);
  y = tlo_add(&b, y,
              tlo_int8_matmul(&b, codes->results[0], codes->results[1], packed, TL_FORMAT_Q4_1, 5));
  tl_value half = tlo_convert(&b, table, TL_DTYPE_BF16);
  half = tlo_bf16_matmul(&b, half, tlo_pack_weights(&b, half, TL_FORMAT_BF16, 7, 8), 7);
  tlo_return(&b, (tl_value[]){x, two, y, half}, 4);
  assert_ok(tl_builder_finish(&b));
  return m;
}

// Modules of one function that together hold every named op.
static tl_module *(*const samples[])(void) = {all_named, nn_named, linalg_named, serving_named,
                                              special_named};

static void every_named_op_comes_back(void **state) {
  (void)state;
  bool seen[TL_OP_COUNT] = {0};
  for (size_t i = 0; i < TL_COUNT(samples); i++) {
    tl_module *m = samples[i]();
    char *text = printed(m, NULL);
    char file[32] = "named.mlir";
    if (i > 0) snprintf(file, sizeof file, "named%zu.mlir", i);
    keep(file, text);
    tl_module *back = parsed(text);
    assert_int_equal(back->n_funcs, 1);
    assert_true(tl_func_eq(back->first, m->first));
    for (const tl_op *op = back->first->body->first; op != NULL; op = op->next)
      seen[op->code] = true;
    char *again = printed(back, NULL);
    assert_string_equal(again, text);
    free(again);
    free(text);
    tl_module_destroy(back);
    tl_module_destroy(m);
  }
  for (size_t code = 0; code < TL_OP_COUNT; code++)
    if ((tl_op_get((tl_opcode)code)->traits & TL_NAMED) != 0 && !seen[code])
      fail_msg("%s did not come back", tl_op_get((tl_opcode)code)->mnemonic);
  assert_false(seen[TL_OP_COMPOSITE]);
}

// main(x) = rms_norm(x, w, 1e-5), and a second use.
static char *rms_norm_text(void) {
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 8)),
           w = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 8));
  x = tlo_rms_norm(&b, x, w, 1e-5);
  x = tlo_rms_norm(&b, x, w, 1e-5);
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL);
  tl_module_destroy(m);
  return text;
}

// A body that is ours under CHLO's name is the op; another body under that name is not.
static void chlo_names_are_known(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tlo_erf(&b, tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F64, 3)));
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL), *renamed = changed(text, "", "\"tlaloc.erf\"", "\"chlo.erf\"");
  char *unversioned = changed(renamed, "", ", version = 1 : i32", "");
  char *other = changed(unversioned, "private", "stablehlo.multiply", "stablehlo.add");
  const char *const texts[] = {renamed, unversioned, other};
  for (size_t i = 0; i < TL_COUNT(texts); i++) {
    tl_module *back = parsed(texts[i]);
    assert_int_equal(first_code(back), i < 2 ? TL_OP_ERF : TL_OP_COMPOSITE);
    tl_module_destroy(back);
  }
  free(other);
  free(unversioned);
  free(renamed);
  free(text);
  tl_module_destroy(m);
}

static void stays(const char *text) {
  tl_module *m = parsed(text);
  assert_int_equal(first_code(m), TL_OP_COMPOSITE);
  assert_non_null(tl_module_find(m, TL_STR("tlaloc.rms_norm.0"))); // its body is still there to run
  char *again = printed(m, NULL);                                  // and it travels on as it came
  tl_module *back = parsed(again);
  assert_int_equal(first_code(back), TL_OP_COMPOSITE);
  assert_true(tl_func_eq(back->first, m->first));
  free(again);
  tl_module_destroy(back);
  tl_module_destroy(m);
}

static void another_body_stays_a_composite(void **state) {
  (void)state;
  char *text = rms_norm_text(), *other;
  tl_module *m = parsed(text); // the control: unchanged, it is the named op
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  assert_int_equal(m->n_funcs, 1);
  tl_module_destroy(m);

  other = changed(text, "func.func private", "stablehlo.rsqrt", "stablehlo.sqrt");
  stays(other);
  free(other);
  free(text);
}

static void other_names_versions_and_attributes_stay_composites(void **state) {
  (void)state;
  static const char *const edits[][2] = {
      {"\"tlaloc.rms_norm\"", "\"tlaloc.softmax\""},
      {"\"tlaloc.rms_norm\"", "\"tlaloc.rms_norms\""},
      {"\"tlaloc.rms_norm\"", "\"their.rms_norm\""},
      {"version = 1", "version = 2"},
      {", version = 1 : i32", ""},
      {"eps = 1.000000e-05 : f64", "eps = 1.000000e-06 : f64"}, // the body says 1e-5
      {"eps = 1.000000e-05 : f64", "eps = 1.000000e-05 : f64, more = 1 : i64"},
      {"eps = 1.000000e-05 : f64", "eps = 1 : i64"},
      {"composite_attributes = {eps = 1.000000e-05 : f64}, ", ""},
  };
  char *text = rms_norm_text();
  for (size_t i = 0; i < TL_COUNT(edits); i++) {
    char *other = changed(text, "stablehlo.composite", edits[i][0], edits[i][1]);
    stays(other);
    free(other);
  }
  // Of two uses with different attributes, the one that the body belongs to is recognised.
  char *other = changed(text, "%3 = stablehlo.composite", "1.000000e-05", "2.000000e-05");
  tl_module *m = parsed(other);
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  assert_int_equal(m->first->body->first->next->code, TL_OP_COMPOSITE);
  assert_int_equal(m->n_funcs, 2);
  tl_module_destroy(m);
  free(other);
  free(text);
}

static void spelling_does_not_matter(void **state) {
  (void)state;
  char *text = rms_norm_text();
  char *other =
      changed(text, "stablehlo.composite", "eps = 1.000000e-05 : f64", "\"eps\"  =  0.00001");
  tl_module *m = parsed(other);
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  tl_module_destroy(m);
  free(other);
  // Somebody else's function name.
  char *named = changed(text, "%2 =", "@tlaloc.rms_norm.0", "@f");
  other = changed(named, "%3 =", "@tlaloc.rms_norm.0", "@f");
  free(named);
  named = changed(other, "func.func private", "@tlaloc.rms_norm.0", "@f");
  m = parsed(named);
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  assert_int_equal(m->n_funcs, 1);
  tl_module_destroy(m);
  free(named);
  free(other);
  free(text);
}

// jaxlib read our text and printed it in its own way; a static file, so that no jaxlib is needed
// here.
static void another_printer_does_not_matter(void **state) {
  (void)state;
  tl_buf text = {0};
  assert_ok(tl_file_read("tests/shlo/reprinted.mlir", 1 << 20, &text));
  tl_module *m = parsed_as(tl_buf_view(&text), "test.mlir");
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  assert_int_equal(m->n_funcs, 1);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
}

static void a_body_that_is_called_stays(void **state) {
  (void)state;
  char *text = rms_norm_text();
  char *other = changed(text, "%3 =",
                        "stablehlo.composite \"tlaloc.rms_norm\" %2, %1 {composite_attributes = "
                        "{eps = 1.000000e-05 : "
                        "f64}, decomposition = @tlaloc.rms_norm.0, version = 1 : i32}",
                        "call @tlaloc.rms_norm.0(%2, %1)");
  tl_module *m = parsed(other);
  assert_int_equal(first_code(m), TL_OP_RMS_NORM);
  assert_int_equal(m->first->body->first->next->code, TL_OP_CALL);
  assert_int_equal(m->n_funcs, 2);
  char *again = printed(m, NULL); // the new body takes another name
  assert_non_null(strstr(again, "decomposition = @tlaloc.rms_norm.1,"));
  tl_module *back = parsed(again);
  assert_true(tl_func_eq(back->first, m->first));
  assert_int_equal(back->n_funcs, 2);
  free(again);
  tl_module_destroy(back);
  tl_module_destroy(m);
  free(other);
  free(text);
}

// Many uses of few bodies: one comparison a body. Prints its time; asserts none.
static void many_composites_are_read(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 8)),
           w = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 8));
  for (int i = 0; i < 300; i++)
    x = tlo_rms_norm(&b, x, w, 1e-5 * (1 + i % 15));
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  char *text = printed(m, NULL);
  uint64_t from = tl_now_ns();
  tl_module *back = parsed(text);
  print_message("300 composites over 15 bodies, %zu bytes, in %.2f ms\n", strlen(text),
                (double)(tl_now_ns() - from) / 1e6);
  assert_int_equal(back->n_funcs, 1);
  assert_true(tl_func_eq(back->first, m->first));
  free(text);
  tl_module_destroy(back);
  tl_module_destroy(m);
}

static tl_status read_and_print(void *arg) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_buf out = {0};
  tl_status st = tl_shlo_parse(tl_str_of(arg), "oom.mlir", &diags, &m);
  if (st == TL_OK) st = tl_shlo_print(m, NULL, &out);
  if (st == TL_OK && strcmp(out.ptr, arg) != 0)
    st = TL_ERROR(INTERNAL, "a composite was lost for want of memory");
  tl_buf_deinit(&out);
  tl_module_destroy(m);
  tl_diags_deinit(&diags);
  return st;
}

static void running_out_of_memory_is_an_error(void **state) {
  (void)state;
  char *text = rms_norm_text();
  tl_test_each_oom(read_and_print, text);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_named_op_comes_back),
      cmocka_unit_test(chlo_names_are_known),
      cmocka_unit_test(another_body_stays_a_composite),
      cmocka_unit_test(other_names_versions_and_attributes_stay_composites),
      cmocka_unit_test(spelling_does_not_matter),
      cmocka_unit_test(another_printer_does_not_matter),
      cmocka_unit_test(a_body_that_is_called_stays),
      cmocka_unit_test(many_composites_are_read),
      cmocka_unit_test(running_out_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
