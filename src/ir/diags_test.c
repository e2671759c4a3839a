// Diagnostics with names: text, status, the way back from a message, the page of the documentation.
#include "base/test.h"

#include "ir/diags.h"

static void says_it_twice(void **state) {
  (void)state;
  tl_diags d = {0};
  tl_loc call = {.file = "loss.c", .line = 14};
  assert_status(tl_diag_error(&d, TL_DIAG_AXIS_MISMATCH, call, "no shared axis: %s", "[a] [b]"),
                TL_STATUS_INVALID_ARGUMENT,
                "loss.c:14: no shared axis: [a] [b] [tlaloc-axis-mismatch]");
  tl_loc text = {"m.mlir", 3, 7, 4};
  assert_status(tl_diag_error(&d, TL_DIAG_NO_BATCHING_RULE, text, "partition_id"),
                TL_STATUS_UNIMPLEMENTED, "m.mlir:3:7: partition_id [tlaloc-no-batching-rule]");
  assert_int_equal(d.n_errors, 2);
  tl_buf b = {0};
  tl_diags_print(&d, &b, false);
  assert_text(tl_buf_view(&b), "loss.c:14: error: no shared axis: [a] [b] [tlaloc-axis-mismatch]\n"
                               "m.mlir:3:7: error: partition_id [tlaloc-no-batching-rule]\n");
  tl_buf_deinit(&b);
  tl_diags_deinit(&d);
  // Nobody listens.
  assert_status(tl_diag_error(NULL, TL_DIAG_INTERNAL_ERROR, (tl_loc){0}, "oh"), TL_STATUS_INTERNAL,
                "oh [tlaloc-internal-error]");
}

static void a_message_tells_its_row(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_DIAG_COUNT; i++) {
    tl_status st = tl_diag_error(NULL, (tl_diag_id)i, (tl_loc){.file = "a.c", .line = 1}, "x [y]");
    tl_diag_id id;
    assert_true(tl_diag_of_message(tl_str_of(tl_status_message(st)), &id));
    assert_int_equal(id, i);
    assert_int_equal(tl_status_get_code(st), tl_diag_get(id)->status);
    tl_status_drop(st);
  }
  tl_diag_id id;
  assert_false(tl_diag_of_message(TL_STR("plain"), &id));
  assert_false(tl_diag_of_message(TL_STR("[tlaloc-nothing]"), &id));
  assert_false(tl_diag_of_message(TL_STR("[tlaloc-axis-mismatch"), &id));
}

// Every row stands in the page with its alias.
static void the_page_lists_every_row(void **state) {
  (void)state;
  tl_buf page = {0};
  assert_ok(tl_file_read("docs/diagnostics.md", 1 << 20, &page));
  for (size_t i = 0; i < TL_DIAG_COUNT; i++) {
    const tl_diag_info *info = tl_diag_get((tl_diag_id)i);
    tl_buf row = {0};
    if (*info->alias != '\0')
      tl_buf_printf(&row, "\n| `%s` | `%s` |", info->name, info->alias);
    else
      tl_buf_printf(&row, "\n| `%s` | |", info->name);
    if (tl_str_find(tl_buf_view(&page), tl_buf_view(&row)) == (size_t)-1)
      fail_msg("docs/diagnostics.md lacks %s", row.ptr);
    tl_buf_deinit(&row);
  }
  tl_buf_deinit(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(says_it_twice),
      cmocka_unit_test(a_message_tells_its_row),
      cmocka_unit_test(the_page_lists_every_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
