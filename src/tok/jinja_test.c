// Templates against jinja2 as transformers sets it up, recorded by
// tests/oracle/tok_jinja_goldens.py; places of mistakes; bounds; memory.
#define TL_TEST_OOM_IMPL
#include "tok/tok_testing.h"

#include <time.h>

#include "tok/jinja.h"

static tl_status render(tl_str source, const json_t *vars, const tl_jinja_options *o,
                        tl_diags *diags, tl_buf *out) {
  tl_arena *arena = tl_arena_create();
  const tl_jinja *t;
  if (arena == NULL) return TL_OOM();
  tl_status st = tl_jinja_parse(arena, source, "t", diags, &t);
  if (st == TL_OK) st = tl_jinja_render(t, vars, o, diags, out);
  diags->source = source;
  tl_arena_destroy(arena);
  return st;
}

static void test_goldens(void **state) {
  (void)state;
  json_t *root = golden("jinja.json"), *cases = json_object_get(root, "cases");
  size_t n = json_array_size(cases), wrong = 0;
  assert_true(n > 500);
  for (size_t i = 0; i < n; i++) {
    const json_t *c = json_array_get(cases, i), *text = json_object_get(c, "text");
    const json_t *vars = json_object_get(c, "vars");
    tl_diags diags = {0};
    tl_buf out = {0};
    tl_str source = text_of(c, "template");
    tl_status st =
        render(source, vars != NULL ? vars : json_object_get(root, "vars"), NULL, &diags, &out);
    bool good =
        st == TL_OK && json_is_string(text) && tl_str_eq(tl_buf_view(&out), text_of(c, "text"));
    if (json_is_null(text)) good = tl_status_get_code(st) == TL_STATUS_INVALID_ARGUMENT;
    if (!good) {
      wrong++;
      print_error("%s" TL_STR_FMT "\n  got  [%s]\n  want [%s]%s\n",
                  json_object_get(c, "name") != NULL ? text_of(c, "name").ptr : "",
                  TL_STR_ARG(source), st != TL_OK ? tl_status_message(st) : out.ptr,
                  json_is_null(text) ? "error: " : text_of(c, "text").ptr,
                  json_is_null(text) ? text_of(c, "why").ptr : "");
    }
    tl_status_drop(st);
    tl_buf_deinit(&out);
    tl_diags_deinit(&diags);
  }
  assert_int_equal(wrong, 0);
  json_decref(root);
}

// ---- Where a mistake is ----

static void test_places(void **state) {
  (void)state;
  static const struct {
    const char *source, *shown;
  } rows[] = {
      {"a\n  {{ x + }}", "t:2:10: error: wanted an expression, found '}}'\n"
                         "  {{ x + }}\n         ^~"},
      {"{% for m in messages %}\n{{ m.content|uper }}{% endfor %}",
       "t:2:14: error: no filter named 'uper'; did you mean 'upper'?\n"
       "{{ m.content|uper }}{% endfor %}\n             ^~~~"},
      {"{{ 1 is nuber }}", "t:1:9: error: no test named 'nuber'; did you mean 'number'?\n"
                           "{{ 1 is nuber }}\n        ^~~~~"},
      {"x {% include 'y' %}", "t:1:6: error: {% include %} is not supported\n"
                              "x {% include 'y' %}\n     ^~~~~~~"},
      {"{% if a %}\n", "t:1:11: error: wanted {% endif %}, found the end of the template\n"
                       "{% if a %}\n          ^"},
      {"{{ raise_exception('no system role') }}",
       "t:1:4: error: no system role\n"
       "{{ raise_exception('no system role') }}\n   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"},
      {"ok {{ 'a' + none }}",
       "t:1:7: error: unsupported operand types for +: 'str' and 'NoneType'\n"
       "ok {{ 'a' + none }}\n      ^~~~~~~~~~"},
      {"{{ m.a.b }}", "t:1:4: error: 'm' is undefined\n{{ m.a.b }}\n   ^~~"},
      {"{{ {}.a.b }}", "t:1:4: error: 'dict object' has no attribute 'a'\n"
                       "{{ {}.a.b }}\n   ^~~~~~"},
      {"{{ f(*x) }}", "t:1:6: error: arguments unpacked with * are not supported\n"
                      "{{ f(*x) }}\n     ^"},
      {"{% for x in y recursive %}{% endfor %}",
       "t:1:15: error: recursive loops are not supported\n"
       "{% for x in y recursive %}{% endfor %}\n              ^~~~~~~~~"},
  };
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_diags diags = {0};
    tl_buf out = {0}, shown = {0};
    tl_str source = tl_str_of(rows[i].source);
    tl_status st = render(source, NULL, NULL, &diags, &out);
    assert_int_equal(tl_status_get_code(st), TL_STATUS_INVALID_ARGUMENT);
    tl_status_drop(st);
    assert_int_equal(out.len, 0);
    tl_diags_print(&diags, &shown, false);
    if (strstr(shown.ptr, rows[i].shown) == NULL)
      print_error("got\n%s\nwant\n%s\n", shown.ptr, rows[i].shown);
    assert_non_null(strstr(shown.ptr, rows[i].shown));
    tl_buf_deinit(&shown);
    tl_diags_deinit(&diags);
  }
}

// ---- Bounds ----

static void refused(const char *source, const char *says) {
  tl_diags diags = {0};
  tl_buf out = {0};
  tl_jinja_options o = {.max_output = 1 << 20, .max_work = 1 << 24};
  assert_status(render(tl_str_of(source), NULL, &o, &diags, &out), TL_STATUS_INVALID_ARGUMENT,
                says);
  tl_buf_deinit(&out);
  tl_diags_deinit(&diags);
}

static void test_bounds(void **state) {
  (void)state;
  const char *work = "too much work";
  refused("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", work);
  refused("{% set ns = namespace(s='ab') %}{% for a in range(99) %}{% set ns.s = ns.s ~ ns.s %}"
          "{% endfor %}",
          work);
  refused("{{ 'abc' * 1000000000 }}", work);
  refused("{{ [1] * 1000000000 }}", work);
  refused("{{ 'a' * 9223372036854775807 }}", work);
  refused("{% for a in range(9999) %}{{ 'x' * 1000 }}{% endfor %}", "grew past");
  refused("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "nested more than");
  refused("{% set ns = namespace() %}{% set ns.a = [ns, ns] %}{{ ns }}", "nested too deeply");
  refused("{% set ns = namespace() %}{% set ns.a = [ns] %}{% set b = namespace() %}"
          "{% set b.a = [b] %}{{ ns.a == b.a }}{{ {'x': ns} == {'x': b} }}"
          "{{ 1 / 0 }}",
          "division");
  refused("{{ {}|tojson(indent=100000) }}", "indent");
  refused("{{ 'a'|indent(100000) }}", "width");
  // Nesting of the text itself.
  tl_buf deep = {0};
  static const char *const openers[] = {"(", "[", "-", "not ", "{'a':", "a(", "a[", "1 if "};
  for (size_t i = 0; i < TL_COUNT(openers); i++) {
    tl_buf_clear(&deep);
    tl_buf_cstr(&deep, "{{ ");
    for (int k = 0; k < 20000; k++)
      tl_buf_cstr(&deep, openers[i]);
    tl_buf_cstr(&deep, "1 }}");
    refused(deep.ptr, "nested more than");
  }
  tl_buf_clear(&deep);
  for (int k = 0; k < 20000; k++)
    tl_buf_cstr(&deep, "{% if a %}");
  refused(deep.ptr, "nested more than");
  tl_buf_clear(&deep); // a chain is deep as a tree
  tl_buf_cstr(&deep, "{{ 1");
  for (int k = 0; k < 20000; k++)
    tl_buf_cstr(&deep, "+1");
  tl_buf_cstr(&deep, " }}");
  refused(deep.ptr, "nested more than");
  tl_buf_clear(&deep);
  tl_buf_cstr(&deep, "{{ 'a'");
  for (int k = 0; k < 20000; k++)
    tl_buf_cstr(&deep, "|upper");
  tl_buf_cstr(&deep, " }}");
  refused(deep.ptr, "nested more than");
  tl_buf_deinit(&deep);
}

static void gives(const char *source, const tl_jinja_options *o, const char *want) {
  tl_diags diags = {0};
  tl_buf out = {0};
  assert_ok(render(tl_str_of(source), NULL, o, &diags, &out));
  assert_text(tl_buf_view(&out), want);
  tl_buf_deinit(&out);
  tl_diags_deinit(&diags);
}

static void test_dates(void **state) {
  (void)state;
  setenv("TZ", "UTC", 1);
  tzset();
  tl_jinja_options o = {.now = 1735689600 + 3600};
  gives("{{ strftime_now('%d %b %Y %H:%M') }}", &o, "01 Jan 2025 01:00");
  gives("{{ strftime_now('%-d.%-m.%y %%') }}", &o, "1.1.25 %");
  gives("{{ strftime_now('') }}", &o, "");
  refused("{{ strftime_now('%9999999999d') }}", "not supported");
  refused("{{ strftime_now('%') }}", "not supported");
  refused("{{ strftime_now(1) }}", "wanted a text");
  unsetenv("TZ");
}

static void test_variables(void **state) {
  (void)state;
  json_t *vars = json_pack("{s:i, s:s, s:{s:[i,b,n]}}", "range", 5, "a", "x", "deep", "k", 1, 1);
  tl_diags diags = {0};
  tl_buf out = {0};
  tl_buf_cstr(&out, "kept ");
  assert_ok(render(TL_STR("{{ range }} {{ a }} {{ deep.k }}"), vars, NULL, &diags, &out));
  assert_text(tl_buf_view(&out), "kept 5 x [1, True, None]"); // a variable hides a function
  assert_status(render(TL_STR("{{ a }}{{ a.b.c }}"), vars, NULL, &diags, &out),
                TL_STATUS_INVALID_ARGUMENT, "t:1:11: 'str object' has no attribute 'b'");
  assert_text(tl_buf_view(&out), "kept 5 x [1, True, None]"); // nothing half done
  tl_buf_deinit(&out);
  tl_diags_deinit(&diags);
  json_decref(vars);
}

static tl_status everything(void *arg) {
  tl_diags diags = {0};
  tl_buf out = {0};
  tl_status st = render(
      TL_STR("{% macro m(a, b='q') %}{{ a|upper ~ b }}{{ caller() }}{% endmacro %}"
             "{% set ns = namespace(n=0) %}{% for k, v in d.items() if v is defined %}"
             "{% set ns.n = ns.n + 1 %}{{ loop.previtem }}{{ [k, v]|tojson(indent=2) }}"
             "{{ 'a,b'.split(',')[::-1]|join('-') }}{% endfor %}{% call m('x') %}in{% endcall %}"
             "{% set t %}{{ xs|sort|map('string')|list }}{% endset %}{{ t|indent }}{{ missing }}"
             "{{ {'a': 1}.a }}{{ 'x' 'y' }}{{ s.nope }}"),
      arg, NULL, &diags, &out);
  tl_buf_deinit(&out);
  tl_diags_deinit(&diags);
  return st;
}

static void test_out_of_memory(void **state) {
  (void)state;
  json_t *vars =
      json_pack("{s:{s:i,s:[s]},s:[i,i],s:s}", "d", "a", 1, "b", "x", "xs", 2, 1, "s", "t");
  tl_test_each_oom(everything, vars);
  json_decref(vars);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_goldens),   cmocka_unit_test(test_places),
      cmocka_unit_test(test_bounds),    cmocka_unit_test(test_dates),
      cmocka_unit_test(test_variables), cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
