// JSON: what is refused, by name and place; the getters' messages; quoting.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/json.h"

static json_t *parse(const char *text) {
  json_t *root = NULL;
  assert_ok(tl_json_parse(tl_str_of(text), "t.json", &root));
  return root;
}

static void refused(const char *text, const char *message) {
  json_t *root;
  assert_status(tl_json_parse(tl_str_of(text), "t.json", &root), TL_STATUS_INVALID_ARGUMENT,
                message);
}

static void syntax(void **state) {
  (void)state;
  json_decref(parse("{\"a\": [1, 2.5, true, null, \"x\"], \"\": {}, \"b\":[]}"));
  json_decref(parse(" 3 "));
  json_decref(parse("\t[ ]\r\n"));
  refused("", "t.json:1:1: wanted a value, found the end of the text");
  refused("{\n  \"a\": 1,\n  \"b\" 2\n}", "t.json:3:7: wanted ':', found '2'");
  refused("{\"a\": 1, \"a\": 2}", "t.json:1:10: the key \"a\" is here twice");
  refused("{\"a\": null, \"a\": 2}", "is here twice");
  refused("[1] x", "t.json:1:5: wanted the end of the text, found 'x'");
  refused("[1,]", "t.json:1:4: wanted a value, found ']'");
  refused("[1 2]", "wanted ',' or ']', found '2'");
  refused("{\"a\":1 2}", "wanted ',' or '}', found '2'");
  refused("{\"a\":1,}", "wanted a key in quotes, found '}'");
  refused("{'a': 1}", "t.json:1:2: wanted a key in quotes");
  refused("[nul]", "t.json:1:2: wanted a value, found 'n'");
  refused("[NaN]", "wanted a value");
  refused("\xEF\xBB\xBF{}", "found the byte 0xef");
  refused("[", "t.json:1:2: wanted a value, found the end");
  refused("{", "wanted a key in quotes, found the end");
  refused("[\"a", "t.json:1:2: this string has no end");
  refused("[\"a\nb\"]", "may not contain the byte 0x0a");
  refused("[\"\\", "wanted an escape that JSON knows, found the end");
  refused("[\"\\x41\"]", "wanted an escape that JSON knows, found 'x'");
  refused("[\"\\u00g0\"]", "t.json:1:7: wanted four hexadecimal digits, found 'g'");
  refused("[\"\\u0000\"]", "t.json:1:3: a string may not contain U+0000");
  refused("[\"\xff\"]", "t.json:1:3: the byte 0xff is not UTF-8");
  refused("[\"\\ud83d\"]", "t.json:1:3: a surrogate without its other half");
  refused("[\"\\ud83d\\n\"]", "a surrogate without its other half");
  refused("[\"\\ud83dx\"]", "a surrogate without its other half");
  refused("[\"\\ud83d\\u0041\"]", "a surrogate without its other half");
  refused("[\"\\ude00\"]", "a surrogate without its other half");
  json_t *root;
  assert_status(tl_json_parse(TL_STR("[1\0]"), "t.json", &root), TL_STATUS_INVALID_ARGUMENT,
                "wanted ',' or ']', found the byte 0x00");
}

static void numbers(void **state) {
  (void)state;
  static const char *const bad[] = {"[01]",     "[-]",   "[+1]",   "[.5]",      "[1.]",
                                    "[1e]",     "[1e+]", "[1.e3]", "[0x1]",     "[1e999]",
                                    "[-1e999]", "[--1]", "[1,-]",  "[Infinity]"};
  for (size_t i = 0; i < TL_COUNT(bad); i++)
    refused(bad[i], "t.json:1:");
  json_t *o = parse("[0, -0, 1e2, 1E+2, 1e-2, -1.5, 0.1, 9223372036854775807]");
  static const double want[] = {0, 0, 100, 100, 0.01, -1.5, 0.1, 9223372036854775808.0};
  for (size_t i = 0; i < TL_COUNT(want); i++)
    assert_true(json_number_value(json_array_get(o, i)) == want[i]);
  assert_true(json_is_integer(json_array_get(o, 0)) && json_is_integer(json_array_get(o, 7)));
  assert_true(json_is_real(json_array_get(o, 2)));
  json_decref(o);
}

static void strings(void **state) {
  (void)state;
  json_t *o =
      parse("[\"\", \"plain\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u6F22\\uD83D\\uDE00\","
            " \"\xC3\xA9\xF0\x9F\x98\x80\", \"a\\u0041b\"]");
  static const char *const want[] = {"",
                                     "plain",
                                     "\"\\/\b\f\n\r\t",
                                     "\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80",
                                     "\xC3\xA9\xF0\x9F\x98\x80",
                                     "aAb"};
  for (size_t i = 0; i < TL_COUNT(want); i++) {
    assert_string_equal(json_string_value(json_array_get(o, i)), want[i]);
    assert_int_equal(json_string_length(json_array_get(o, i)), strlen(want[i]));
  }
  json_decref(o);
  o = parse(
      "{\"\\u0061\": {\"k\": [\"v\"]}, \"b\": 2}"); // a key outlives the string read for its value
  assert_non_null(json_object_get(json_object_get(o, "a"), "k"));
  assert_int_equal(json_integer_value(json_object_get(o, "b")), 2);
  assert_string_equal(json_object_iter_key(json_object_iter(o)), "a"); // in the order of the text
  json_decref(o);
}

static void many_values(void **state) {
  (void)state;
  enum { MOST = 1 << 21 }; // the array is one of them
  tl_buf text = {0};
  for (size_t i = 0; i < MOST - 1; i++)
    tl_buf_cstr(&text, i == 0 ? "[0" : ",0");
  tl_buf_char(&text, ']');
  json_decref(parse(text.ptr));
  text.ptr[text.len - 1] = ',';
  tl_buf_cstr(&text, "0]");
  refused(text.ptr, "t.json:1:4194304: more than 2097152 values");
  tl_buf_deinit(&text);
}

static void nesting(void **state) {
  (void)state;
  char text[400];
  memset(text, '[', 65);
  memset(text + 65, ']', 65);
  text[130] = '\0';
  refused(text, "t.json:1:65: nested more than 64 deep");
  memset(text, '[', 64);
  memset(text + 64, ']', 64);
  text[128] = '\0';
  json_decref(parse(text));
  // Brackets inside strings do not count, nor does a quote behind a backslash end one.
  json_decref(
      parse("[\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"]"));
}

static void getters(void **state) {
  (void)state;
  json_t *o =
      parse("{\"i\": 5, \"r\": 4.0, \"s\": \"big\", \"t\": true, \"n\": null, \"o\": {}, \"a\": [],"
            " \"min\": -9223372036854775808}");
  int64_t i = 0;
  double d = 0;
  bool b = false;
  tl_str s;
  json_t *v;
  assert_ok(tl_json_i64(o, "c.json", "i", 0, 10, &i));
  assert_int_equal(i, 5);
  assert_ok(tl_json_i64(o, "c.json", "min", INT64_MIN, 0, &i));
  assert_true(i == INT64_MIN);
  assert_ok(tl_json_i64_or(o, "c.json", "absent", 0, 10, 7, &i));
  assert_int_equal(i, 7);
  assert_ok(tl_json_i64_or(o, "c.json", "n", 0, 10, 8, &i));
  assert_int_equal(i, 8);
  assert_status(tl_json_i64(o, "c.json", "s", 0, 10, &i), TL_STATUS_INVALID_ARGUMENT,
                "c.json: s: wanted an integer, found the string \"big\"");
  assert_status(tl_json_i64(o, "c.json", "r", 0, 10, &i), TL_STATUS_INVALID_ARGUMENT,
                "c.json: r: wanted an integer, found the number 4.0");
  assert_status(tl_json_i64(o, "c.json", "i", 6, 10, &i), TL_STATUS_INVALID_ARGUMENT,
                "c.json: i: wanted an integer from 6 to 10, found the integer 5");
  assert_status(tl_json_i64(o, "c.json", "i", 6, INT64_MAX, &i), TL_STATUS_INVALID_ARGUMENT,
                "of at least 6");
  assert_status(tl_json_i64(o, "c.json", "i", INT64_MIN, 4, &i), TL_STATUS_INVALID_ARGUMENT,
                "of at most 4");
  assert_status(tl_json_i64(o, "c.json", "n", 0, 10, &i), TL_STATUS_INVALID_ARGUMENT, "found null");
  assert_status(tl_json_i64(o, "c.json", "absent", 0, 10, &i), TL_STATUS_INVALID_ARGUMENT,
                "c.json: absent: wanted an integer, found nothing");
  assert_status(tl_json_i64_or(o, "c.json", "t", 0, 10, 7, &i), TL_STATUS_INVALID_ARGUMENT,
                "found true");
  assert_int_equal(i, 8); // untouched by failures

  assert_ok(tl_json_f64(o, "c.json", "r", &d));
  assert_true(d == 4);
  assert_ok(tl_json_f64(o, "c.json", "i", &d)); // an integer is a number
  assert_true(d == 5);
  assert_ok(tl_json_f64_or(o, "c.json", "absent", 0.5, &d));
  assert_true(d == 0.5);
  assert_status(tl_json_f64(o, "c.json", "a", &d), TL_STATUS_INVALID_ARGUMENT,
                "wanted a number, found an array");

  assert_ok(tl_json_bool_or(o, "c.json", "t", false, &b));
  assert_true(b);
  assert_ok(tl_json_bool_or(o, "c.json", "n", false, &b));
  assert_false(b);
  assert_status(tl_json_bool_or(o, "c.json", "i", false, &b), TL_STATUS_INVALID_ARGUMENT,
                "wanted true or false, found the integer 5");

  assert_ok(tl_json_str(o, "c.json", "s", &s));
  assert_text(s, "big");
  assert_ok(tl_json_str_or(o, "c.json", "n", TL_STR("dflt"), &s));
  assert_text(s, "dflt");
  assert_status(tl_json_str(o, "c.json", "o", &s), TL_STATUS_INVALID_ARGUMENT,
                "wanted a string, found an object");
  assert_ok(tl_json_object(o, "c.json", "o", &v));
  assert_true(json_is_object(v));
  assert_ok(tl_json_array(o, "c.json", "a", &v));
  assert_true(json_is_array(v));
  assert_status(tl_json_array(o, "c.json", "o", &v), TL_STATUS_INVALID_ARGUMENT, "wanted an array");
  assert_status(tl_json_object(o, "c.json", "absent", &v), TL_STATUS_INVALID_ARGUMENT,
                "found nothing");
  json_t *array = json_object_get(o, "a");
  assert_status(tl_json_i64(array, "c.json", "i", 0, 1, &i), TL_STATUS_INVALID_ARGUMENT,
                "c.json: wanted an object, found an array");
  assert_status(tl_json_i64_or(NULL, "c.json", "i", 0, 1, 0, &i), TL_STATUS_INVALID_ARGUMENT,
                "found absent");
  json_decref(o);
}

static void long_strings_are_cut_in_messages(void **state) {
  (void)state;
  // 39 bytes and then a character of two: cut before it, not through it.
  json_t *o = parse("{\"s\": \"123456789012345678901234567890123456789\xC3\xA9 and much more\"}");
  int64_t i;
  tl_status st = tl_json_i64(o, "c", "s", 0, 1, &i);
  assert_true(tl_utf8_valid(tl_str_of(tl_status_message(st))));
  assert_status(st, TL_STATUS_INVALID_ARGUMENT, "\"123456789012345678901234567890123456789\"...");
  json_decref(o);
}

// What tokenizers in the wild contain.
static void integers_past_64_bits(void **state) {
  (void)state;
  json_t *o = parse(
      "{\"model_max_length\": 1000000000000000019884624838656, \"below\": -9223372036854775809,\n"
      " \"top\": 9223372036854775807, \"text\": \"1000000000000000019884624838656\","
      " \"list\": [18446744073709551616, 1]}");
  double d;
  int64_t i;
  tl_str s;
  assert_ok(tl_json_f64(o, "c", "model_max_length", &d));
  assert_true(d == 1e30);
  assert_status(tl_json_i64(o, "c", "model_max_length", 0, INT64_MAX, &i),
                TL_STATUS_INVALID_ARGUMENT,
                "c: model_max_length: wanted an integer, found the number 1e+30");
  assert_ok(tl_json_f64(o, "c", "below", &d));
  assert_true(d == -9223372036854775808.0);
  assert_ok(tl_json_i64(o, "c", "top", 0, INT64_MAX, &i));
  assert_true(i == INT64_MAX);
  assert_ok(tl_json_str(o, "c", "text", &s));
  assert_text(s, "1000000000000000019884624838656");
  json_decref(o);
  refused("[1000000000000000019884624838656-]", "t.json:1:");
}

static void known_keys_only(void **state) {
  (void)state;
  static const char *const known[] = {"hidden_size", "vocab_size"};
  json_t *o = parse("{\"vocab_size\": 1, \"hiden_size\": 2}");
  assert_status(tl_json_only(o, "c.json", known, 2), TL_STATUS_INVALID_ARGUMENT,
                "c.json: unknown key \"hiden_size\", did you mean \"hidden_size\"?");
  json_object_del(o, "hiden_size");
  assert_ok(tl_json_only(o, "c.json", known, 2));
  json_object_set_new(o, "zebra", json_null());
  assert_status(tl_json_only(o, "c.json", known, 2), TL_STATUS_INVALID_ARGUMENT,
                "unknown key \"zebra\"");
  json_decref(o);
}

static void kinds(void **state) {
  (void)state;
  json_t *o = parse("[{}, [], \"\", 1, 1.5, true, false, null]");
  static const char *const want[] = {"an object", "an array", "a string", "an integer",
                                     "a number",  "true",     "false",    "null"};
  for (size_t i = 0; i < TL_COUNT(want); i++)
    assert_string_equal(tl_json_kind(json_array_get(o, i)), want[i]);
  assert_string_equal(tl_json_kind(NULL), "absent");
  json_decref(o);
}

static void quoting(void **state) {
  (void)state;
  tl_buf b = {0};
  tl_json_quote(&b, TL_STR("a\"b\\c\n\r\t\b\f\x01\x1f\x7f/\xC3\xA9\0z"));
  assert_text(tl_buf_view(&b), "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f\x7f/\xC3\xA9\\u0000z\"");
  tl_buf_clear(&b);
  tl_json_quote(&b, TL_STR("\xff"
                           "a\xE2\x82"
                           "\xEF\xBF\xBD\xC3"));
  assert_text(tl_buf_view(&b), "\"\xEF\xBF\xBD"
                               "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  tl_buf_clear(&b);
  tl_json_quote(&b, (tl_str){NULL, 0});
  assert_text(tl_buf_view(&b), "\"\"");
  tl_buf_deinit(&b);
}

static void files(void **state) {
  (void)state;
  tl_test_tmp t;
  tl_test_tmp_create(&t);
  char path[300], want[400];
  snprintf(path, sizeof path, "%s/c.json", t.path);
  assert_ok(tl_file_write(path, "{\"a\":\n!}", 8));
  json_t *root;
  snprintf(want, sizeof want, "%s:2:", path);
  assert_status(tl_json_read(path, 100, &root), TL_STATUS_INVALID_ARGUMENT, want);
  assert_status(tl_json_read(path, 7, &root), TL_STATUS_INVALID_ARGUMENT,
                "has 8 bytes, the limit is 7");
  assert_ok(tl_file_write(path, "{\"a\":1}", 7));
  assert_ok(tl_json_read(path, 7, &root));
  json_decref(root);
  tl_test_tmp_remove(&t);
}

static tl_status build(void *arg) {
  (void)arg;
  json_t *root;
  static const char text[] =
      "{\"hidden_size\": 576, \"list\": [1, \"two\", {\"x\": 2.5}], \"n\": null,"
      " \"model_max_length\": 1000000000000000019884624838656, \"a\": true, \"b\": 1,"
      " \"long\": \"a text that is longer than the first size of a buffer, so that it grows\","
      " \"c\": 1, \"d\": 1, \"e\": 1, \"f\": 1}";
  TL_TRY(tl_json_parse(tl_str_of(text), "t.json", &root));
  bool whole = json_object_size(root) == 11 && json_array_size(json_object_get(root, "list")) == 3;
  json_decref(root);
  return whole ? TL_OK : TL_ERROR(INTERNAL, "parsed in part");
}

static tl_status quote_and_refuse(void *arg) {
  int64_t i;
  tl_buf b = {0};
  tl_json_quote(&b, TL_STR("a\nb"));
  bool oom = b.oom;
  tl_buf_deinit(&b);
  if (oom) return TL_OOM();
  tl_status st =
      tl_json_i64(arg, "c", "s", 0, 1, &i); // keeps its code, or says that memory is gone
  if (tl_status_get_code(st) != TL_STATUS_INVALID_ARGUMENT) return st;
  tl_status_drop(st);
  return TL_OK;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
  json_t *o = parse("{\"s\": \"text\"}");
  tl_test_each_oom(quote_and_refuse, o);
  json_decref(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(syntax),
      cmocka_unit_test(numbers),
      cmocka_unit_test(strings),
      cmocka_unit_test(many_values),
      cmocka_unit_test(nesting),
      cmocka_unit_test(getters),
      cmocka_unit_test(long_strings_are_cut_in_messages),
      cmocka_unit_test(integers_past_64_bits),
      cmocka_unit_test(known_keys_only),
      cmocka_unit_test(kinds),
      cmocka_unit_test(quoting),
      cmocka_unit_test(files),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
