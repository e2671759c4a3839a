// Text in: the corpus of good modules comes out again as it went in, the corpus of bad ones gives
// exactly the messages written in it, and every op of the table is in the corpus in both of its
// forms.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/clock.h"
#include "ir/build.h"
#include "shlo/testing.h"

#define CORPUS "tests/shlo" // from the project's root, where ctest runs us

static tl_status parse(tl_str text, const char *name, tl_diags *diags, tl_module **out) {
  *diags = (tl_diags){.max_errors = 1000};
  return tl_shlo_parse(text, name, diags, out);
}

static void read_file(const char *dir, tl_str name, tl_buf *out, char *path, size_t size) {
  snprintf(path, size, "%s/" TL_STR_FMT, dir, TL_STR_ARG(name));
  *out = (tl_buf){0};
  assert_ok(tl_file_read(path, 1 << 20, out));
}

// The text without its whole-line comments.
static void without_comments(tl_str text, tl_buf *out) {
  for (size_t at = 0; at < text.len;) {
    const char *eol = memchr(text.ptr + at, '\n', text.len - at);
    size_t end = eol == NULL ? text.len : (size_t)(eol - text.ptr) + 1;
    tl_str line = tl_str_sub(text, at, end);
    if (!tl_str_starts(line, TL_STR("//"))) tl_buf_str(out, line);
    at = end;
  }
}

static void modules_equal(const tl_module *a, const tl_module *b) {
  const tl_func *f = a->first, *g = b->first;
  for (; f != NULL && g != NULL; f = f->next, g = g->next) {
    assert_str(f->name, g->name);
    assert_int_equal(f->is_private, g->is_private);
    assert_true(tl_func_eq(f, g));
  }
  assert_null(f);
  assert_null(g);
}

// Printed and read again: the same functions, and the same bytes when printed once more.
static void round_trip(const tl_module *m, tl_buf *out_text) {
  tl_buf again = {0};
  *out_text = (tl_buf){0};
  assert_ok(tl_shlo_print(m, NULL, out_text));
  tl_module *back = parsed_as(tl_buf_view(out_text), "printed.mlir");
  modules_equal(m, back);
  assert_ok(tl_shlo_print(back, NULL, &again));
  assert_str(tl_buf_view(&again), tl_buf_view(out_text));
  tl_buf_deinit(&again);
  tl_module_destroy(back);
}

static void good_modules_come_out_again(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  tl_str *names;
  size_t n, canonical = 0;
  tl_buf all = {0};
  assert_ok(tl_dir_list(a, CORPUS, &names, &n));
  for (size_t i = 0; i < n; i++) {
    char path[512];
    tl_buf text, out;
    if (!tl_str_ends(names[i], TL_STR(".mlir"))) continue;
    read_file(CORPUS, names[i], &text, path, sizeof path);
    tl_module *m = parsed_as(tl_buf_view(&text), path);
    round_trip(m, &out);
    if (tl_str_find(tl_buf_view(&text), TL_STR("// canonical\n")) !=
        (size_t)-1) { // it is what we print
      tl_buf plain = {0};
      without_comments(tl_buf_view(&text), &plain);
      assert_str(tl_buf_view(&out), tl_buf_view(&plain));
      tl_buf_deinit(&plain);
      canonical++;
    }
    tl_buf_str(&all, tl_buf_view(&text));
    tl_module_destroy(m);
    tl_buf_deinit(&out);
    tl_buf_deinit(&text);
  }
  assert_true(canonical >= 2);

  // A new op without a case here fails: the quoted form of all, and the pretty one of those that
  // have it.
  for (size_t code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *info = tl_op_get((tl_opcode)code);
    char quoted[80], pretty[80], called[80];
    const bool other = strchr(info->mnemonic, '.') != NULL;
    const char *dialect = code == TL_OP_CALL ? "func." : other ? "" : "stablehlo.";
    if ((info->traits & TL_NAMED) != 0) continue; // composite_test.c
    snprintf(quoted, sizeof quoted, "\"%s%s\"(", dialect, info->mnemonic);
    snprintf(pretty, sizeof pretty, "%s%s ", dialect, info->mnemonic);
    snprintf(called, sizeof called, "%s%s(", dialect, info->mnemonic);
    if (strstr(all.ptr, quoted) == NULL) fail_msg("no file of " CORPUS " has %s", quoted);
    static const tl_opcode quoted_only[] = {TL_OP_GATHER,
                                            TL_OP_SCATTER,
                                            TL_OP_IF,
                                            TL_OP_CASE,
                                            TL_OP_SORT,
                                            TL_OP_MAP,
                                            TL_OP_REDUCE_WINDOW,
                                            TL_OP_ALL_GATHER,
                                            TL_OP_ALL_REDUCE,
                                            TL_OP_ALL_TO_ALL,
                                            TL_OP_COLLECTIVE_BROADCAST,
                                            TL_OP_COLLECTIVE_PERMUTE,
                                            TL_OP_COLLECTIVE_REDUCE,
                                            TL_OP_REDUCE_SCATTER,
                                            TL_OP_RUN_PARALLEL,
                                            TL_OP_SELECT_AND_SCATTER,
                                            TL_OP_TRIANGULAR_SOLVE,
                                            TL_OP_BATCH_NORM_INFERENCE,
                                            TL_OP_BATCH_NORM_TRAINING,
                                            TL_OP_BATCH_NORM_GRAD,
                                            TL_OP_DYNAMIC_CONV,
                                            TL_OP_DYNAMIC_GATHER};
    bool only_quoted = false;
    for (size_t i = 0; i < TL_COUNT(quoted_only); i++)
      only_quoted |= code == quoted_only[i];
    if (!only_quoted && strstr(all.ptr, pretty) == NULL && strstr(all.ptr, called) == NULL)
      fail_msg("no file of " CORPUS " has %s", pretty);
  }
  tl_buf_deinit(&all);
  tl_arena_destroy(a);
}

// Lines `// error: 3:10: message` are all the errors of the file, in their order.
static void bad_modules_give_their_messages(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  tl_str *names;
  size_t n, seen = 0;
  assert_ok(tl_dir_list(a, CORPUS "/bad", &names, &n));
  for (size_t i = 0; i < n; i++) {
    char path[512];
    tl_buf text, want = {0}, got = {0};
    if (!tl_str_ends(names[i], TL_STR(".mlir"))) continue;
    read_file(CORPUS "/bad", names[i], &text, path, sizeof path);
    for (const char *at = text.ptr; (at = strstr(at, "// error: ")) != NULL;) {
      const char *from = at + sizeof "// error: " - 1, *eol = strchr(from, '\n');
      assert_non_null(eol);
      tl_buf_add(&want, from, (size_t)(eol + 1 - from));
      at = eol;
    }
    tl_diags diags;
    tl_module *m = NULL;
    assert_status(parse(tl_buf_view(&text), path, &diags, &m), TL_STATUS_INVALID_ARGUMENT, path);
    assert_null(m);
    for (size_t k = 0; k < diags.len; k++) {
      assert_string_equal(diags.items[k].loc.file, path);
      assert_true(diags.items[k].loc.len >= 1);
      tl_buf_printf(&got, "%u:%u: %s\n", diags.items[k].loc.line, diags.items[k].loc.col,
                    diags.items[k].message);
    }
    if (!tl_str_eq(tl_buf_view(&got), tl_buf_view(&want))) print_error("%s\n", path);
    assert_str(tl_buf_view(&got), tl_buf_view(&want));
    seen++;
    tl_diags_deinit(&diags);
    tl_buf_deinit(&got);
    tl_buf_deinit(&want);
    tl_buf_deinit(&text);
  }
  assert_true(seen >= 8);
  tl_arena_destroy(a);
}

static void a_message_shows_its_place(void **state) {
  (void)state;
  tl_diags diags;
  tl_module *m = NULL;
  tl_status st =
      parse(TL_STR("func.func @main(%0: tensor<4xf32>, %1: tensor<4xbf16>) -> tensor<4xf32> {\n"
                   "  %3 = stablehlo.add %0, %1 : tensor<4xf32>\n"
                   "  return %3 : tensor<4xf32>\n"
                   "}\n"),
            "model.mlir", &diags, &m);
  assert_status(st, TL_STATUS_INVALID_ARGUMENT,
                "model.mlir:2:26: this operand is tensor<4xbf16>, the text says tensor<4xf32>");
  tl_buf said = {0};
  tl_diags_print(&diags, &said, false);
  assert_string_equal(
      said.ptr,
      "model.mlir:2:26: error: this operand is tensor<4xbf16>, the text says tensor<4xf32>\n"
      "  %3 = stablehlo.add %0, %1 : tensor<4xf32>\n"
      "                         ^~\n");
  tl_buf_deinit(&said);
  tl_diags_deinit(&diags);
}

static void every_op_knows_its_line(void **state) {
  (void)state;
  tl_module *m =
      parsed_as(TL_STR("func.func @f(%0: tensor<f32>) -> tensor<f32> {\n"
                       "  // a comment\n"
                       "  %1 = stablehlo.abs %0 : tensor<f32>\n"
                       "    %2 = \"stablehlo.negate\"(%1) : (tensor<f32>) -> tensor<f32>\n"
                       "  return %2 : tensor<f32>\n}"),
                "where.mlir");
  const tl_op *op = m->first->body->first;
  assert_string_equal(op->loc.file, "where.mlir");
  assert_int_equal(op->loc.line, 3);
  assert_int_equal(op->loc.col, 8);
  assert_int_equal(op->loc.len, 13);
  assert_int_equal(op->next->loc.line, 4);
  assert_int_equal(op->next->loc.col, 10);
  assert_int_equal(op->next->loc.len, 18);
  tl_module_destroy(m);
}

static void numbers_stay_where_all_names_are_numbers(void **state) {
  (void)state;
  tl_module *m = parsed_as(TL_STR("func.func @f(%3: tensor<f32>) -> tensor<f32> {\n"
                                  "  %7 = stablehlo.abs %3 : tensor<f32>\n"
                                  "  %s12 = stablehlo.abs %7 : tensor<f32>\n"
                                  "  return %s12 : tensor<f32>\n}"),
                           "a.mlir");
  assert_int_equal(m->first->body->args[0]->id, 3);
  assert_int_equal(m->first->body->first->results[0]->id, 7);
  assert_true(m->first->body->first->next->results[0]->scratch);
  assert_int_equal(m->first->next_id, 8);
  tl_module_destroy(m);
  m = parsed_as(TL_STR("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
                       "  %7 = stablehlo.abs %x : tensor<f32>\n"
                       "  return %7 : tensor<f32>\n}"),
                "a.mlir");
  assert_int_equal(m->first->body->args[0]->id, 0);
  assert_int_equal(m->first->body->first->results[0]->id, 1);
  assert_int_equal(m->first->next_id, 2);
  tl_module_destroy(m);
}

static void bits_are_read_packed_and_not(void **state) {
  (void)state;
  static const struct {
    const char *blob, *type;
    bool splat;
    uint8_t want[16];
    size_t n;
  } cases[] = {
      {"0x0580", "tensor<16xi1>", false, {1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 16},
      {"0x010001", "tensor<3xi1>", false, {1, 0, 1}, 3},
      {"0x01", "tensor<8xi1>", true, {1}, 1},
      {"0xFF", "tensor<8xi1>", true, {1}, 1},
      {"0x00", "tensor<i1>", true, {0}, 1},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    char text[256];
    snprintf(text, sizeof text,
             "func.func @f() {\n  %%0 = stablehlo.constant dense<\"%s\"> : %s\n  return\n}",
             cases[i].blob, cases[i].type);
    tl_module *m = parsed_as(tl_str_of(text), "bits.mlir");
    const tl_literal *l = tl_op_attr(m->first->body->first, TL_A_CONSTANT_value)->dense;
    assert_int_equal(l->size, cases[i].n);
    assert_int_equal(l->splat, cases[i].splat);
    assert_memory_equal(l->data, cases[i].want, cases[i].n);
    tl_module_destroy(m);
  }
}

static void refuse(tl_str text, const char *message) {
  tl_diags diags;
  tl_module *m = NULL;
  assert_status(parse(text, "x.mlir", &diags, &m), TL_STATUS_INVALID_ARGUMENT, message);
  tl_diags_deinit(&diags);
}

static void depths_and_counts_are_bounded(void **state) {
  (void)state;
  tl_buf text = {0};
  tl_buf_cstr(&text, "func.func @f(%p: tensor<i1>) {\n");
  for (int i = 0; i < 100000; i++)
    tl_buf_cstr(&text, "\"stablehlo.if\"(%p) ({\n");
  refuse(tl_buf_view(&text), "regions nest deeper than 64");
  tl_buf_clear(&text);

  tl_buf_cstr(&text, "module attributes {mhlo.num_replicas = ");
  for (int i = 0; i < 100000; i++)
    tl_buf_char(&text, '[');
  refuse(tl_buf_view(&text), "this bracket does not close");
  tl_buf_clear(&text);

  // Aliases of aliases do not multiply.
  tl_buf_cstr(&text, "#a0 = [0]\n");
  for (int i = 1; i < 12; i++)
    tl_buf_printf(&text, "#a%d = #a%d\n", i, i - 1);
  tl_buf_cstr(
      &text,
      "func.func @f(%0: tensor<1xf32>) -> tensor<1xf32> {\n"
      "  %1 = \"stablehlo.transpose\"(%0) {permutation = #a11} : (tensor<1xf32>) -> tensor<1xf32>\n"
      "  return %1 : tensor<1xf32>\n}\n");
  refuse(tl_buf_view(&text), "too many aliases");
  tl_buf_deinit(&text);

  refuse(TL_STR("func.func @f() {\n %0:4000000000 = stablehlo.abs %1 : tensor<f32>\n return\n}"),
         "the number of results");
  refuse(TL_STR("func.func @f() {\n %0 = stablehlo.constant dense<[1]> : "
                "tensor<9223372036854775807xi8>\n return\n}"),
         "there are fewer here");
  refuse(TL_STR("func.func @f() {\n %0 = stablehlo.constant dense<0> : "
                "tensor<4294967296x4294967296x4xi8>\n return\n}"),
         "more elements than memory can hold");
  refuse(TL_STR("ML\xefR\x0d"), "bytecode");
  refuse(TL_STR("\xff\xfe"), "no place in MLIR text");
}

static void an_empty_text_is_an_empty_module(void **state) {
  (void)state;
  tl_module *m = parsed_as(TL_STR(" // nothing\n"), "empty.mlir");
  assert_int_equal(m->n_funcs, 0);
  tl_module_destroy(m);
}

// A module of about a thousand ops in half a megabyte: as a step's is. Prints its time; asserts
// none.
static void a_large_module_is_read(void **state) {
  (void)state;
  tl_buf text = {0};
  tl_buf_cstr(
      &text, "module {\n  func.func @main(%0: tensor<16x64x128xf32>) -> tensor<16x64x128xf32> {\n");
  for (int i = 1; i <= 1000; i++) {
    tl_buf_printf(&text, "    %%%d = stablehlo.clamp %%%d, %%0, %%%d", i, i - 1, i - 1);
    tl_buf_cstr(&text, " {mhlo.frontend_attributes = {note = \"");
    for (int k = 0; k < 20; k++)
      tl_buf_cstr(&text, "a long note in here ");
    tl_buf_cstr(&text, "\"}} : (tensor<16x64x128xf32>, tensor<16x64x128xf32>, "
                       "tensor<16x64x128xf32>) -> tensor<16x64x128xf32>\n");
  }
  tl_buf_cstr(&text, "    return %1000 : tensor<16x64x128xf32>\n  }\n}\n");
  uint64_t from = tl_now_ns();
  tl_module *m = parsed_as(tl_buf_view(&text), "large.mlir");
  print_message("%zu bytes in %.2f ms\n", text.len, (double)(tl_now_ns() - from) / 1e6);
  size_t n = 0;
  for (const tl_op *op = m->first->body->first; op != NULL; op = op->next)
    n++;
  assert_int_equal(n, 1001);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
}

static tl_status read_and_print(void *arg) {
  tl_str text = *(tl_str *)arg;
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_buf out = {0};
  tl_status st = tl_shlo_parse(text, "oom.mlir", &diags, &m);
  if (st == TL_OK) st = tl_shlo_print(m, NULL, &out);
  tl_buf_deinit(&out);
  tl_module_destroy(m);
  tl_diags_deinit(&diags);
  return st;
}

static void running_out_of_memory_is_an_error(void **state) {
  (void)state;
  char path[512];
  tl_buf text;
  read_file(CORPUS, TL_STR("quoted.mlir"), &text, path, sizeof path);
  tl_str view = tl_buf_view(&text);
  tl_test_each_oom(read_and_print, &view);
  tl_buf_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_modules_come_out_again),
      cmocka_unit_test(bad_modules_give_their_messages),
      cmocka_unit_test(a_message_shows_its_place),
      cmocka_unit_test(every_op_knows_its_line),
      cmocka_unit_test(numbers_stay_where_all_names_are_numbers),
      cmocka_unit_test(bits_are_read_packed_and_not),
      cmocka_unit_test(depths_and_counts_are_bounded),
      cmocka_unit_test(an_empty_text_is_an_empty_module),
      cmocka_unit_test(a_large_module_is_read),
      cmocka_unit_test(running_out_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
