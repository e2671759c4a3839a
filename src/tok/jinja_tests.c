// Tests: value is name. The rows are in jinja_filters.def.
#include "tok/jinja_impl.h"

#define TEST(name) \
  static bool test_##name(TL_UNUSED tl_jrun *r, tl_jv self, TL_UNUSED const tl_jv *args, tl_jv *out)

static bool says(tl_jv *out, bool b) {
  *out = tl_jv_bool(b);
  return true;
}

static bool ordered(tl_jrun *r, tl_jv a, tl_jv b, const char *op, tl_jv *out) {
  int order;
  if (!tl_jv_order(r, a, b, op, &order)) return false;
  bool less = op[0] == '<', or_equal = op[1] == '=';
  return says(out, order == 0 ? or_equal : (order < 0) == less);
}

TEST(eq) {
  bool b;
  return tl_jv_equal(r, self, args[0], &b) && says(out, b);
}
TEST(ne) {
  bool b;
  return tl_jv_equal(r, self, args[0], &b) && says(out, !b);
}
TEST(lt) { return ordered(r, self, args[0], "<", out); }
TEST(le) { return ordered(r, self, args[0], "<=", out); }
TEST(gt) { return ordered(r, self, args[0], ">", out); }
TEST(ge) { return ordered(r, self, args[0], ">=", out); }
TEST(in) {
  bool b;
  return tl_jv_contains(r, self, args[0], &b) && says(out, b);
}
TEST(sameas) {
  bool b;
  if (self.kind != args[0].kind) return says(out, false);
  if (self.kind >= TL_JV_LIST) return says(out, self.list == args[0].list);
  return tl_jv_equal(r, self, args[0], &b) && says(out, b);
}

TEST(defined) { return says(out, self.kind != TL_JV_UNDEFINED); }
TEST(undefined) { return says(out, self.kind == TL_JV_UNDEFINED); }
TEST(none) { return says(out, self.kind == TL_JV_NONE); }
TEST(boolean) { return says(out, self.kind == TL_JV_BOOL); }
TEST(true) { return says(out, self.kind == TL_JV_BOOL && self.b); }
TEST(false) { return says(out, self.kind == TL_JV_BOOL && !self.b); }
TEST(integer) { return says(out, self.kind == TL_JV_INT); }
TEST(float) { return says(out, self.kind == TL_JV_FLOAT); }
TEST(number) {
  return says(out, self.kind == TL_JV_INT || self.kind == TL_JV_FLOAT || self.kind == TL_JV_BOOL);
}
TEST(string) { return says(out, self.kind == TL_JV_STR); }
TEST(mapping) { return says(out, self.kind == TL_JV_DICT); }
TEST(sequence) {
  return says(out, self.kind == TL_JV_STR || self.kind == TL_JV_DICT ||
                       (self.kind == TL_JV_LIST && !self.lazy));
}
TEST(iterable) {
  return says(out, self.kind == TL_JV_STR || self.kind == TL_JV_LIST || self.kind == TL_JV_DICT ||
                       self.kind == TL_JV_UNDEFINED || self.kind == TL_JV_LOOP);
}
TEST(callable) {
  return says(out, self.kind == TL_JV_MACRO || self.kind == TL_JV_METHOD ||
                       self.kind == TL_JV_FUNCTION || self.kind == TL_JV_LOOP);
}

static bool remainder_is(tl_jrun *r, tl_jv a, tl_jv b, int64_t want, tl_jv *out) {
  tl_jv rest;
  bool equal;
  if (!tl_jv_binary(r, TL_JO_MOD, a, b, &rest) || !tl_jv_equal(r, rest, tl_jv_int(want), &equal))
    return false;
  return says(out, equal);
}
TEST(odd) { return remainder_is(r, self, tl_jv_int(2), 1, out); }
TEST(even) { return remainder_is(r, self, tl_jv_int(2), 0, out); }
TEST(divisibleby) { return remainder_is(r, self, args[0], 0, out); }

// As str.islower: some letter has a case, and all that have one have this.
static bool all_case(tl_jrun *r, tl_jv self, char how, tl_jv *out) {
  tl_str s;
  tl_buf same = {0}, other = {0};
  if (!tl_jv_to_str(r, self, &s) || !tl_jrun_charge(r, 2 * s.len)) return false;
  tl_jtext_case(s, how, &same);
  tl_jtext_case(s, how == 'l' ? 'u' : 'l', &other);
  bool oom = same.oom || other.oom;
  bool yes = !oom && tl_str_eq(tl_buf_view(&same), s) && !tl_str_eq(tl_buf_view(&other), s);
  tl_buf_deinit(&same);
  tl_buf_deinit(&other);
  return oom ? tl_jrun_oom(r) : says(out, yes);
}
TEST(lower) { return all_case(r, self, 'l', out); }
TEST(upper) { return all_case(r, self, 'u', out); }

TEST(filter) { return says(out, self.kind == TL_JV_STR && tl_jinja_filter_find(self.s) != NULL); }
TEST(test) { return says(out, self.kind == TL_JV_STR && tl_jinja_test_find(self.s) != NULL); }

static const tl_jinja_builtin tests[] = {
#define TL_JINJA_TEST(name, function, required, params) \
  {name, params, required, 0, test_##function, NULL},
#include "tok/jinja_filters.def"
#undef TL_JINJA_TEST
};

const tl_jinja_builtin *tl_jinja_test_find(tl_str name) {
  for (size_t i = 0; i < TL_COUNT(tests); i++)
    if (tl_str_is(name, tests[i].name)) return &tests[i];
  return NULL;
}

const char *tl_jinja_test_nearest(tl_str name) {
  const char *names[TL_COUNT(tests)];
  for (size_t i = 0; i < TL_COUNT(tests); i++)
    names[i] = tests[i].name;
  return tl_str_nearest(name, names, TL_COUNT(tests));
}
