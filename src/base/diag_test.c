// Diagnostics: the picture, tabs, UTF-8, hostile and long lines, the bound, the status.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/diag.h"

static void prints(const tl_diags *d, bool color, const char *want) {
  tl_buf b = {0};
  tl_diags_print(d, &b, color);
  assert_text(tl_buf_view(&b), want);
  tl_buf_deinit(&b);
}

static void prints_once(tl_str source, tl_loc loc, const char *want) {
  tl_diags d = {.source = source};
  tl_diags_add(&d, TL_DIAG_ERROR, loc, "wrong");
  prints(&d, false, want);
  tl_diags_deinit(&d);
}

static const char module[] = "func.func @f() {\n"
                             "   %3 = stablehlo.add %1, %2 : tensor<4xf32>\n"
                             "}\n";

static void as_clang_prints(void **state) {
  (void)state;
  tl_diags d = {.source = TL_STR(module)};
  assert_ok(tl_diags_status(&d));
  tl_diags_add(&d, TL_DIAG_ERROR, (tl_loc){"model.mlir", 2, 9, 13},
               "add wants operands of one type, got %s and %s (%s)", "tensor<4xf32>",
               "tensor<4xbf16>", "add_c1");
  tl_diags_add(&d, TL_DIAG_NOTE, (tl_loc){"model.mlir", 1, 1, 1}, "in this function");
  tl_diags_add(&d, TL_DIAG_WARNING, (tl_loc){"model.mlir", 3, 2, 5}, "at the end");
  tl_diags_add(&d, TL_DIAG_WARNING, (tl_loc){.file = "model.mlir"}, "nowhere");
  tl_diags_add(&d, TL_DIAG_WARNING, (tl_loc){0}, "not even a file");
  prints(&d, false,
         "model.mlir:2:9: error: add wants operands of one type, got tensor<4xf32> and "
         "tensor<4xbf16> (add_c1)\n"
         "   %3 = stablehlo.add %1, %2 : tensor<4xf32>\n"
         "        ^~~~~~~~~~~~~\n"
         "model.mlir:1:1: note: in this function\n"
         "func.func @f() {\n"
         "^\n"
         "model.mlir:3:2: warning: at the end\n"
         "}\n"
         " ^\n"
         "model.mlir: warning: nowhere\n"
         "warning: not even a file\n");
  assert_int_equal(d.n_errors, 1);
  assert_status(tl_diags_status(&d), TL_STATUS_INVALID_ARGUMENT,
                "model.mlir:2:9: add wants operands");
  tl_diags_deinit(&d);
}

static void color_only_when_asked(void **state) {
  (void)state;
  tl_diags d = {.source = TL_STR("abc")};
  tl_diags_add(&d, TL_DIAG_ERROR, (tl_loc){"f", 1, 2, 2}, "x");
  prints(
      &d, true,
      "\033[1mf:1:2: \033[0m\033[1;31merror:\033[0m \033[1mx\033[0m\nabc\n \033[1;32m^~\033[0m\n");
  prints(&d, false, "f:1:2: error: x\nabc\n ^~\n");
  tl_diags_deinit(&d);
}

static void columns(void **state) {
  (void)state;
  // A tab goes to the next multiple of 8, in the line and above the caret alike.
  prints_once(TL_STR("\ta\tbc"), (tl_loc){"f", 1, 4, 2},
              "f:1:4: error: wrong\n        a       bc\n                ^~\n");
  prints_once(TL_STR("a\tb"), (tl_loc){"f", 1, 2, 1}, "f:1:2: error: wrong\na       b\n ^~~~~~~\n");
  // Columns count bytes, the caret counts what is seen: two bytes wide one, three bytes wide two, a
  // combining mark none.
  prints_once(TL_STR("\xC3\xA9x"), (tl_loc){"f", 1, 3, 1}, "f:1:3: error: wrong\n\xC3\xA9x\n ^\n");
  prints_once(TL_STR("\xE6\xBC\xA2x"), (tl_loc){"f", 1, 4, 1},
              "f:1:4: error: wrong\n\xE6\xBC\xA2x\n  ^\n");
  prints_once(TL_STR("\xE6\xBC\xA2x"), (tl_loc){"f", 1, 1, 4},
              "f:1:1: error: wrong\n\xE6\xBC\xA2x\n^~~\n");
  prints_once(TL_STR("e\xCC\x81x"), (tl_loc){"f", 1, 4, 1},
              "f:1:4: error: wrong\ne\xCC\x81x\n ^\n");
  // In the middle of a character: its beginning.
  prints_once(TL_STR("a\xC3\xA9"), (tl_loc){"f", 1, 3, 1}, "f:1:3: error: wrong\na\xC3\xA9\n ^\n");
  // Past the end of the line, of the text, and lines that are not there.
  prints_once(TL_STR("ab\ncd"), (tl_loc){"f", 1, 90, 5}, "f:1:90: error: wrong\nab\n  ^\n");
  prints_once(TL_STR("ab\r\ncd"), (tl_loc){"f", 1, 1, 90}, "f:1:1: error: wrong\nab\n^~\n");
  prints_once(TL_STR("ab\n"), (tl_loc){"f", 2, 1, 1}, "f:2:1: error: wrong\n\n^\n");
  prints_once(TL_STR("ab"), (tl_loc){"f", 2, 1, 1}, "f:2:1: error: wrong\n");
  prints_once((tl_str){NULL, 0}, (tl_loc){"f", 1, 1, 1}, "f:1:1: error: wrong\n");
  prints_once(TL_STR("ab"), (tl_loc){"f", 1, 1, UINT32_MAX}, "f:1:1: error: wrong\nab\n^~\n");
}

static void nothing_drives_the_terminal(void **state) {
  (void)state;
  prints_once(TL_STR("\033[2J\xFFx"), (tl_loc){"f", 1, 6, 1},
              "f:1:6: error: wrong\n\xEF\xBF\xBD[2J\xEF\xBF\xBDx\n     ^\n");
  tl_diags d = {.source = TL_STR("")};
  tl_diags_add(&d, TL_DIAG_ERROR, (tl_loc){.file = "f"}, "unknown op '%s'",
               "\033]0;x\007\xE2\x80\xAE");
  prints(&d, false, "f: error: unknown op '\xEF\xBF\xBD]0;x\xEF\xBF\xBD\xEF\xBF\xBD'\n");
  tl_diags_deinit(&d);
}

static void long_lines_show_a_window(void **state) {
  (void)state;
  enum { LEN = 100000 };
  static char line[LEN];
  memset(line, 'a', LEN);
  line[50000] = 'X';
  tl_diags d = {.source = {line, LEN}};
  tl_diags_add(&d, TL_DIAG_ERROR, (tl_loc){"f", 1, 50001, 1000}, "wrong");
  tl_buf b = {0};
  tl_diags_print(&d, &b, false);
  assert_true(b.len < 500);
  char *text = strchr(b.ptr, '\n') + 1, *caret = strchr(text, '\n') + 1;
  assert_memory_equal(text, "...a", 4);
  assert_memory_equal(caret - 5, "a...\n", 5);
  assert_int_equal(text[strchr(caret, '^') - caret], 'X');
  tl_buf_deinit(&b);
  tl_diags_deinit(&d);
}

static void a_bound_on_errors(void **state) {
  (void)state;
  tl_diags d = {.max_errors = 2};
  for (int i = 1; i <= 5; i++) {
    tl_diags_add(&d, TL_DIAG_ERROR, (tl_loc){"f", (uint32_t)i, 1, 1}, "error %d", i);
    tl_diags_add(&d, TL_DIAG_NOTE, (tl_loc){"f", (uint32_t)i, 1, 1}, "note %d", i);
  }
  assert_int_equal(d.n_errors, 5);
  prints(&d, false,
         "f:1:1: error: error 1\nf:1:1: note: note 1\nf:2:1: error: error 2\nf:2:1: note: note 2\n"
         "f: note: too many errors, the rest are not shown\n");
  tl_status st = tl_diags_status(&d);
  assert_string_equal(tl_status_message(st), "f:1:1: error 1 (and 4 more errors)");
  assert_status(st, TL_STATUS_INVALID_ARGUMENT, "error 1");
  tl_diags_deinit(&d);
  tl_diags plain = {0};
  for (int i = 0; i < 30; i++)
    tl_diags_add(&plain, TL_DIAG_ERROR, (tl_loc){.file = "f"}, "x");
  assert_int_equal(plain.len, 21);
  tl_diags_deinit(&plain);
}

static tl_status build(void *arg) {
  (void)arg;
  tl_diags d = {.source = TL_STR(module)};
  for (int i = 0; i < 10; i++)
    tl_diags_add(&d, TL_DIAG_WARNING, (tl_loc){"f", 1, 1, 3}, "warning %d", i);
  tl_buf b = {0};
  tl_diags_print(&d, &b, true);
  tl_status st = b.oom ? TL_OOM() : tl_diags_status(&d);
  tl_buf_deinit(&b);
  tl_diags_deinit(&d);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_clang_prints),
      cmocka_unit_test(color_only_when_asked),
      cmocka_unit_test(columns),
      cmocka_unit_test(nothing_drives_the_terminal),
      cmocka_unit_test(long_lines_show_a_window),
      cmocka_unit_test(a_bound_on_errors),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
