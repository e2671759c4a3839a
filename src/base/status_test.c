// Statuses: code and text, notes, the static record, the table.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

static void code_and_message(void **state) {
  (void)state;
  assert_int_equal(tl_status_get_code(TL_OK), TL_STATUS_OK);
  assert_string_equal(tl_status_message(TL_OK), "");
  tl_status_drop(TL_OK);
  tl_status st = TL_ERROR(NOT_FOUND, "%s: no tensor %d", "a.gguf", 7);
  assert_int_equal(tl_status_get_code(st), TL_STATUS_NOT_FOUND);
  assert_string_equal(tl_status_message(st), "a.gguf: no tensor 7");
  tl_status_drop(st);
}

static tl_status fails(void) { return TL_ERROR(DATA_LOSS, "torn"); }
static tl_status with_note(int n) {
  TL_TRY_NOTE(fails(), "while reading %d", n);
  return TL_OK;
}
static tl_status passes_on(void) {
  TL_TRY(with_note(3));
  return TL_OK;
}

static void notes_go_in_front(void **state) {
  (void)state;
  assert_status(passes_on(), TL_STATUS_DATA_LOSS, "while reading 3: torn");
  assert_null(tl_status_note(TL_OK, "unused"));
}

static void long_messages_are_whole(void **state) {
  (void)state;
  char text[5000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  tl_status st = tl_status_note(TL_ERROR(INTERNAL, "%s", text), "%s", text);
  assert_int_equal(strlen(tl_status_message(st)), 2 * 4999 + 2);
  tl_status_drop(st);
}

static void only_what_may_be_shown(void **state) {
  (void)state;
  tl_status st =
      TL_ERROR(NOT_FOUND, "a\033[2Jb\x7f \xff\xc3( \xc2\x9b \xe2\x80\xae \xc3\xa9\tc\nd");
  st = tl_status_note(st, "\001\xe2\x80");
  assert_status(st, TL_STATUS_NOT_FOUND,
                "???: a?[2Jb? ?"
                "?( ?? ??? \xc3\xa9 c d");
}

// The numbers are those of gRPC and PJRT; spelled here a second time on purpose.
static void table(void **state) {
  (void)state;
  static const struct {
    int number;
    const char *name;
    int http;
  } rows[] = {{0, "OK", 200},
              {1, "CANCELLED", 499},
              {2, "UNKNOWN", 500},
              {3, "INVALID_ARGUMENT", 400},
              {4, "DEADLINE_EXCEEDED", 504},
              {5, "NOT_FOUND", 404},
              {6, "ALREADY_EXISTS", 409},
              {7, "PERMISSION_DENIED", 403},
              {8, "RESOURCE_EXHAUSTED", 429},
              {9, "FAILED_PRECONDITION", 412},
              {10, "ABORTED", 409},
              {11, "OUT_OF_RANGE", 400},
              {12, "UNIMPLEMENTED", 501},
              {13, "INTERNAL", 500},
              {14, "UNAVAILABLE", 503},
              {15, "DATA_LOSS", 500},
              {16, "UNAUTHENTICATED", 401}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_status_code code = (tl_status_code)rows[i].number;
    assert_string_equal(tl_status_code_name(code), rows[i].name);
    assert_int_equal(tl_status_code_http(code), rows[i].http);
  }
  assert_string_equal(tl_status_code_name((tl_status_code)17), "UNKNOWN");
  assert_int_equal(tl_status_code_http((tl_status_code)17), 500);
}

#ifndef TL_TEST_SANITIZED
static void without_memory(void **state) {
  (void)state;
  tl_test_heap.fail_at = 1;
  tl_test_heap.all = true;
  tl_test_heap.asked = 0;
  tl_test_heap.counting = true;
  tl_status st = TL_ERROR(NOT_FOUND, "lost");
  st = tl_status_note(st, "note");
  tl_test_heap.counting = false;
  assert_int_equal(tl_status_get_code(st), TL_STATUS_RESOURCE_EXHAUSTED);
  assert_string_equal(tl_status_message(st), "out of memory");
  tl_status_drop(st);
  tl_status_drop(st); // the static record is nobody's

  st = TL_ERROR(NOT_FOUND, "kept");
  tl_test_heap.asked = 0;
  tl_test_heap.counting = true;
  st = tl_status_note(st, "note");
  tl_test_heap.counting = false;
  assert_status(st, TL_STATUS_NOT_FOUND, "kept");
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_and_message),        cmocka_unit_test(notes_go_in_front),
      cmocka_unit_test(long_messages_are_whole), cmocka_unit_test(table),
      cmocka_unit_test(only_what_may_be_shown),
#ifndef TL_TEST_SANITIZED
      cmocka_unit_test(without_memory),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
