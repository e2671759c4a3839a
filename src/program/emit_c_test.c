// The printer of C by itself: names, refusals, options, memory. What it prints is compiled, run and
// compared with the interpreter by tests/emit_c.
#include "program/emit_c.h"

#define TL_TEST_OOM_IMPL
#include "base/test.h"
#include "ir/build.h"
#include "shlo/shlo.h"

static tl_module *parse(const char *text) {
  tl_module *m = NULL;
  tl_diags diags = {0};
  assert_ok(tl_shlo_parse(tl_str_of(text), "m.mlir", &diags, &m));
  tl_diags_deinit(&diags);
  return m;
}

static bool has(const tl_buf *b, const char *text) {
  return tl_str_find(tl_buf_view(b), tl_str_of(text)) != (size_t)-1;
}

static const char program[] =
    "func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n"
    "  %y = stablehlo.sine %x : tensor<f32>\n  return %y : tensor<f32>\n}\n"
    "func.func private @spare(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    "func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> (tensor<f32>, tensor<3xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %s = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) "
    "-> "
    "tensor<f32>\n"
    "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
    "    %c = func.call @f(%b) : (tensor<f32>) -> tensor<f32>\n"
    "    %d = stablehlo.add %a, %c : tensor<f32>\n"
    "    stablehlo.return %d : tensor<f32>\n  }\n"
    "  %r = stablehlo.while(%i = %n) : tensor<i32>\n  cond {\n"
    "    %k = stablehlo.constant dense<3> : tensor<i32>\n"
    "    %p = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n  } do {\n"
    "    %j = stablehlo.add %i, %n : tensor<i32>\n    stablehlo.return %j : tensor<i32>\n  }\n"
    "  %w = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
    "  %v = stablehlo.add %x, %w : tensor<3xf32>\n"
    "  return %s, %v : tensor<f32>, tensor<3xf32>\n}\n";

static void test_functions_and_names(void **state) {
  (void)state;
  tl_module *m = parse(program);
  tl_buf all = {0}, one = {0}, name = {0}, again = {0};
  assert_ok(tl_emit_c(m, NULL, NULL, &all));
  assert_true(has(&all, "#include <tlaloc/host.h>"));
  assert_true(has(&all, "static tlh_tensor fn_f(tlh *h, tlh_tensor v0);"));
  assert_true(has(&all, "void fn_main(tlh *h, tlh_tensor v0, tlh_tensor v1, tlh_tensor out[2]);"));
  assert_true(has(&all, "static void fn_main_body1("));
  assert_false(has(&all, "spare")); // nobody calls it
  // A function alone, under another prefix, behind text that stands there already.
  const tl_emit_c_options options = {.prefix = "my_", .no_include = true};
  tl_buf_cstr(&one, "before\n");
  assert_ok(tl_emit_c(m, m->first, &options, &one));
  assert_true(tl_str_starts(tl_buf_view(&one), TL_STR("before\n")));
  assert_true(has(&one, "static tlh_tensor my_f(tlh *h, tlh_tensor v0) {"));
  assert_false(has(&one, "#include"));
  assert_false(has(&one, "main"));
  assert_ok(tl_emit_c_name(m, m->first, &options, &name));
  assert_string_equal(name.ptr, "my_f");
  assert_ok(tl_emit_c(m, NULL, NULL, &again));
  assert_string_equal(all.ptr, again.ptr);
  tl_buf_deinit(&all), tl_buf_deinit(&one), tl_buf_deinit(&name), tl_buf_deinit(&again);
  tl_module_destroy(m);
}

// What does not fit leaves the text as it was.
static void assert_refused(tl_module *m, tl_status_code code, const char *text) {
  tl_buf out = {0};
  tl_buf_cstr(&out, "before");
  assert_status(tl_emit_c(m, NULL, NULL, &out), code, text);
  assert_string_equal(out.ptr, "before");
  tl_buf_deinit(&out);
  tl_module_destroy(m);
}

static void test_refusals_say_op_place_and_reason(void **state) {
  (void)state;
  assert_refused(parse("func.func @main() -> tensor<ui32> {\n"
                       "  %0 = stablehlo.replica_id : tensor<ui32>\n"
                       "  return %0 : tensor<ui32>\n}\n"),
                 TL_STATUS_UNIMPLEMENTED,
                 "m.mlir:2:8: replica_id has no form in C: a host program is one process");
  assert_refused(parse("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                       "  %0 = stablehlo.abs %x : tensor<?xf32>\n"
                       "  return %0 : tensor<?xf32>\n}\n"),
                 TL_STATUS_INVALID_ARGUMENT, "?");
}

// Branches in branches, deeper than C's stack should bear.
static void test_depth_is_bounded(void **state) {
  (void)state;
  for (int depth = 20; depth <= 150; depth += 130) {
    tl_module *m = tl_module_create();
    tl_builder b = tl_func_begin(m, "main", false);
    tl_value p = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_I1));
    tl_op *ifs[150];
    tl_builder at[151];
    at[0] = b;
    for (int i = 0; i < depth; i++) {
      ifs[i] = tl_op_begin(&at[i], TL_OP_IF, &p, 1);
      at[i + 1] = tl_builder_at(&at[i], tl_op_add_region(&at[i], ifs[i]));
      tl_builder other = tl_builder_at(&at[i], tl_op_add_region(&at[i], ifs[i]));
      tlo_return(&other, &p, 1);
      tl_builder_join(&at[i], &other);
    }
    tlo_return(&at[depth], &p, 1);
    for (int i = depth - 1; i >= 0; i--) {
      tl_builder_join(&at[i], &at[i + 1]);
      ifs[i] = tl_op_finish(&at[i], ifs[i], NULL, 0);
      assert_non_null(ifs[i]);
      tlo_return(&at[i], ifs[i]->results, 1);
    }
    assert_ok(tl_builder_finish(&at[0]));
    if (depth > 100) {
      assert_refused(m, TL_STATUS_RESOURCE_EXHAUSTED, "nest deeper");
      continue;
    }
    tl_buf out = {0};
    assert_ok(tl_emit_c(m, NULL, NULL, &out));
    tl_buf_deinit(&out);
    tl_module_destroy(m);
  }
}

static tl_status print(void *module) {
  tl_buf out = {0};
  tl_status st = tl_emit_c(module, NULL, NULL, &out);
  tl_buf_deinit(&out);
  return st;
}

static void test_memory(void **state) {
  (void)state;
  tl_module *m = parse(program);
  tl_test_each_oom(print, m);
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_and_names),
      cmocka_unit_test(test_refusals_say_op_place_and_reason),
      cmocka_unit_test(test_depth_is_bounded),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
