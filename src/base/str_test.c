// Text, buffers, UTF-8.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <locale.h>
#include <math.h>

#include "base/str.h"

static void compare_and_cut(void **state) {
  (void)state;
  tl_str s = TL_STR("tensor.weight");
  assert_true(tl_str_starts(s, TL_STR("tensor")));
  assert_false(tl_str_starts(TL_STR("ten"), TL_STR("tensor")));
  assert_true(tl_str_ends(s, TL_STR(".weight")));
  assert_false(tl_str_ends(s, TL_STR(".bias")));
  assert_true(tl_str_ends(s, TL_STR("")));
  assert_true(tl_str_cmp(TL_STR("a"), TL_STR("b")) < 0);
  assert_true(tl_str_cmp(TL_STR("ab"), TL_STR("a")) > 0);
  assert_true(tl_str_cmp(TL_STR("\x7f"), TL_STR("\x80")) < 0); // bytes are unsigned
  assert_int_equal(tl_str_cmp((tl_str){NULL, 0}, TL_STR("")), 0);
  assert_text(tl_str_sub(s, 7, 100), "weight");
  assert_text(tl_str_sub(s, 9, 3), "");
  assert_text(tl_str_sub(s, 100, 200), "");
  assert_int_equal(tl_str_find(s, TL_STR("or.w")), 4);
  assert_int_equal(tl_str_find(s, TL_STR("bias")), (size_t)-1);
  assert_int_equal(tl_str_find(s, TL_STR("")), 0);
  assert_true(tl_str_is(s, "tensor.weight"));
  assert_false(tl_str_eq(TL_STR("a\0b"), TL_STR("a\0c")));
}

static void integers(void **state) {
  (void)state;
  int64_t i;
  uint64_t u;
  assert_true(tl_str_to_i64(TL_STR("-9223372036854775808"), &i) && i == INT64_MIN);
  assert_true(tl_str_to_i64(TL_STR("9223372036854775807"), &i) && i == INT64_MAX);
  assert_true(tl_str_to_i64(TL_STR("-0"), &i) && i == 0);
  assert_true(tl_str_to_u64(TL_STR("18446744073709551615"), &u) && u == UINT64_MAX);
  assert_true(tl_str_to_u64(TL_STR("007"), &u) && u == 7);
  static const char *const bad[] = {"",
                                    "-",
                                    "+1",
                                    " 1",
                                    "1 ",
                                    "1.0",
                                    "0x10",
                                    "--1",
                                    "9223372036854775808",
                                    "-9223372036854775809",
                                    "1e3"};
  for (size_t n = 0; n < TL_COUNT(bad); n++)
    assert_false(tl_str_to_i64(tl_str_of(bad[n]), &i));
  assert_false(tl_str_to_u64(TL_STR("18446744073709551616"), &u));
  assert_false(tl_str_to_u64(TL_STR("-1"), &u));
}

static void reals(void **state) {
  (void)state;
  double d;
  assert_true(tl_str_to_f64(TL_STR("1e-5"), &d) && d == 1e-5);
  assert_true(tl_str_to_f64(TL_STR("-0.5"), &d) && d == -0.5);
  assert_true(tl_str_to_f64(TL_STR(".5"), &d) && d == 0.5);
  assert_true(tl_str_to_f64(TL_STR("5."), &d) && d == 5);
  assert_true(tl_str_to_f64(TL_STR("+10E+2"), &d) && d == 1000);
  assert_true(tl_str_to_f64(TL_STR("1e-400"), &d) && d == 0);
  static const char *const bad[] = {"",      ".",  "e5", "1e",  "1e+",   "nan", "inf",
                                    "0x1p3", " 1", "1 ", "1,5", "1e400", "-",   "1.2.3"};
  for (size_t n = 0; n < TL_COUNT(bad); n++)
    assert_false(tl_str_to_f64(tl_str_of(bad[n]), &d));
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") !=
      NULL) // the point stays a point, where that locale exists
    assert_true(tl_str_to_f64(TL_STR("1.25"), &d) && d == 1.25);
  setlocale(LC_NUMERIC, "C");
}

static void nearest(void **state) {
  (void)state;
  static const char *const words[] = {"temperature", "top_k", "top_p", "seed", "max_tokens", "x"};
  assert_string_equal(tl_str_nearest(TL_STR("temprature"), words, TL_COUNT(words)), "temperature");
  assert_string_equal(tl_str_nearest(TL_STR("top_k"), words, TL_COUNT(words)), "top_k");
  assert_string_equal(tl_str_nearest(TL_STR("topp"), words, TL_COUNT(words)), "top_p");
  assert_string_equal(tl_str_nearest(TL_STR("max_token"), words, TL_COUNT(words)), "max_tokens");
  assert_null(tl_str_nearest(TL_STR("frequency_penalty"), words, TL_COUNT(words)));
  assert_null(tl_str_nearest(TL_STR("yz"), words, TL_COUNT(words))); // nothing agrees with "x"
  assert_null(tl_str_nearest(TL_STR(""), words, TL_COUNT(words)));
  char big[200];
  memset(big, 'a', sizeof big);
  assert_null(tl_str_nearest((tl_str){big, sizeof big}, words, TL_COUNT(words)));
}

static void copies(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  tl_str s = tl_str_copy(a, (tl_str){"abcdef", 3});
  assert_int_equal(s.len, 3);
  assert_string_equal(s.ptr, "abc");
  assert_string_equal(tl_str_copy(a, (tl_str){NULL, 0}).ptr, "");
  assert_string_equal(tl_arena_printf(a, "%s-%04d", "x", 42), "x-0042");
  tl_arena_destroy(a);
}

static void buffers(void **state) {
  (void)state;
  tl_buf b = {0};
  assert_text(tl_buf_view(&b), "");
  tl_buf_clear(&b);
  tl_str want = {NULL, 0};
  tl_buf_add(&b, NULL, 0);
  assert_string_equal(b.ptr, "");
  for (int i = 0; i < 1000; i++)
    tl_buf_printf(&b, "%d,", i);
  assert_int_equal(b.len, 3890);
  assert_memory_equal(b.ptr + b.len - 8, "998,999,", 8);
  assert_int_equal(strlen(b.ptr), b.len);
  tl_buf_clear(&b);
  assert_string_equal(b.ptr, "");
  tl_buf_cstr(&b, "a");
  tl_buf_char(&b, '\0');
  tl_buf_str(&b, TL_STR("b"));
  want = TL_STR("a\0b");
  assert_str(tl_buf_view(&b), want);
  assert_false(tl_buf_reserve(&b, SIZE_MAX));
  assert_true(b.oom);
  tl_buf_cstr(&b, "ignored");
  assert_str(tl_buf_view(&b), want);
  tl_buf_clear(&b);
  assert_false(b.oom);
  tl_buf_deinit(&b);
  assert_null(b.ptr);
}

// Every code point there is goes through and back, and is valid; the surrogates are not.
static void utf8_every_code(void **state) {
  (void)state;
  for (uint32_t c = 0; c <= 0x10FFFF; c++) {
    char bytes[4];
    size_t n = tl_utf8_encode(c, bytes), at = 0;
    tl_str s = {bytes, n};
    uint32_t want = c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c;
    if (tl_utf8_decode(s, &at) != want || at != n || !tl_utf8_valid(s)) fail_msg("code %x", c);
    for (size_t cut = 1; cut < n; cut++) // no prefix of a sequence is a sequence
      if (tl_utf8_valid((tl_str){bytes, cut})) fail_msg("code %x cut to %zu", c, cut);
  }
  char bytes[4];
  assert_int_equal(tl_utf8_encode(0x110000, bytes), 3);
  assert_memory_equal(bytes, "\xEF\xBF\xBD", 3);
}

static void utf8_invalid(void **state) {
  (void)state;
  static const char *const bad[] = {
      "\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x9F\xBF",
      "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
      "\xFF",         "\xE2\x82",         "\xE2\x28\xA1"};
  for (size_t i = 0; i < TL_COUNT(bad); i++) {
    size_t at = 0;
    assert_false(tl_utf8_valid(tl_str_of(bad[i])));
    assert_int_equal(tl_utf8_decode(tl_str_of(bad[i]), &at), 0xFFFD);
    assert_int_equal(at, 1);
  }
  assert_true(tl_utf8_valid(TL_STR("")));
}

static tl_status build(void *arg) {
  (void)arg;
  tl_buf b = {0};
  for (int i = 0; i < 300; i++)
    tl_buf_printf(&b, "%d", i);
  tl_status st = b.oom ? TL_OOM() : TL_OK;
  tl_buf_deinit(&b);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compare_and_cut), cmocka_unit_test(integers),
      cmocka_unit_test(reals),           cmocka_unit_test(nearest),
      cmocka_unit_test(copies),          cmocka_unit_test(buffers),
      cmocka_unit_test(utf8_every_code), cmocka_unit_test(utf8_invalid),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
