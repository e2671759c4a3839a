// Dim expressions: one form for each, values, ranges, and what is refused.
#include "base/test.h"

#include <stdlib.h>

#include "ir/dim.h"

static tl_module *module_with(const char *const *names, size_t n) {
  tl_module *m = tl_module_create();
  int64_t d;
  for (size_t i = 0; i < n; i++)
    assert_true(tl_dim_symbol(m, tl_str_of(names[i]), -1, &d));
  return m;
}
static const char *const abc[] = {"a", "b", "c"};

static int64_t read(tl_module *m, const char *text) {
  int64_t d = TL_DIM_ANY;
  const char *wrong = NULL;
  size_t at;
  if (!tl_dim_parse(m, tl_str_of(text), false, &d, &wrong, &at)) fail_msg("%s: %s", text, wrong);
  return d;
}

// Each pair is one expression in two spellings; the second is how it prints.
static void one_form(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"a", "a"},
      {"b + a", "a + b"},
      {"a + 1 + a", "2*a + 1"},
      {"3 - 1", "2"},
      {"(a + b) * (a + b)", "a*a + 2*a*b + b*b"},
      {"(a + b) * (a - b) + b*b", "a*a"},
      {"b*a*2", "2*a*b"},
      {"-3 + a", "a - 3"},
      {"-(a - b)", "-a + b"},
      {"a - a + 4", "4"},
      {"floordiv(7, 2)", "3"},
      {"floordiv(2*a + 5, 2)", "a + 2"},
      {"floordiv(a + 5, 2)", "floordiv(a + 1, 2) + 2"},
      {"floordiv(a - 1, 2)", "floordiv(a + 1, 2) - 1"},
      {"floordiv(6*a + b, 3)", "2*a + floordiv(b, 3)"},
      {"floordiv(a, 1)", "a"},
      {"mod(a, 4)", "a - 4*floordiv(a, 4)"},
      {"mod(4*a + 3, 4)", "3"},
      {"max(a, b)", "max(a, b)"},
      {"max(b, a)", "max(a, b)"},
      {"max(a, a)", "a"},
      {"max(a + 3, a)", "a + 3"},
      {"min(a + 3, a)", "a"},
      {"max(a, 0)", "a"},
      {"max(3, 5)", "5"},
      {"max(a - 2, 0)", "max(0, a - 2)"},
      {"floordiv(a, b)", "floordiv(a, b)"},
      {" ( ( a ) ) ", "a"},
      {"0*a + 7", "7"},
  };
  for (size_t i = 0; i < TL_COUNT(pairs); i++) {
    tl_module *m = module_with(abc, 3);
    const int64_t d = read(m, pairs[i][0]);
    assert_str(tl_dim_text(m, d), tl_str_of(pairs[i][1]));
    assert_true(read(m, pairs[i][1]) == d); // and its own text reads back as itself
    tl_module_destroy(m);
  }
}

// Symbols made in another order give the same text: no form depends on when something was made.
static void order_of_making(void **state) {
  (void)state;
  static const char *const cba[] = {"c", "b", "a"};
  tl_module *m = module_with(abc, 3), *k = module_with(cba, 3);
  const char *text = "c*a + max(c, b) - 2*b + floordiv(b + c, 2)";
  read(k, "b*c");
  assert_str(tl_dim_text(m, read(m, text)), tl_dim_text(k, read(k, text)));
  tl_module_destroy(m);
  tl_module_destroy(k);
}

static void values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t a, b, want;
    tl_dim_result result;
  } cases[] = {
      {"a*b + 3", 4, 5, 23, TL_DIM_FINE},
      {"floordiv(a - 7, 2) + 10", 4, 0, 8, TL_DIM_FINE}, // towards minus infinity
      {"mod(a, b)", 17, 5, 2, TL_DIM_FINE},
      {"floordiv(a, b)", 17, 5, 3, TL_DIM_FINE},
      {"max(a - 9, b)", 4, 5, 5, TL_DIM_FINE},
      {"min(a, b)", 4, 5, 4, TL_DIM_FINE},
      {"a - 5", 4, 0, 0, TL_DIM_NEGATIVE},
      {"a*a*a", (int64_t)1 << 30, 0, 0, TL_DIM_OVERFLOW},
      {"floordiv(a, b)", 1, 0, 0, TL_DIM_BY_ZERO},
      {"a + b", 1, -1, 0, TL_DIM_UNBOUND},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_module *m = module_with(abc, 3);
    const int64_t v[] = {cases[i].a, cases[i].b, -1};
    int64_t got = -1;
    uint32_t symbol = UINT32_MAX;
    assert_int_equal(tl_dim_eval(m, read(m, cases[i].text), v, &got, &symbol), cases[i].result);
    if (cases[i].result == TL_DIM_FINE) assert_int_equal(got, cases[i].want);
    if (cases[i].result == TL_DIM_UNBOUND) assert_int_equal(symbol, 1);
    tl_module_destroy(m);
  }
}

// Random expressions: what arithmetic on forms gives has the value that arithmetic on numbers does.
static void forms_keep_values(void **state) {
  (void)state;
  uint64_t seed = 1;
  tl_module *m = module_with(abc, 3);
  int64_t dims[40], numbers[40];
  size_t n = 0, made = 0;
  const int64_t v[] = {7, 3, 11};
  for (int i = 0; i < 3; i++, n++) {
    dims[n] = read(m, abc[i]);
    numbers[n] = v[i];
  }
  for (int round = 0; round < 4000; round++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const size_t i = (seed >> 33) % n, j = (seed >> 40) % n, op = (seed >> 50) % 5;
    const int64_t k = 1 + (int64_t)((seed >> 20) % 4), p = (int64_t)((seed >> 25) % 9) - 4;
    int64_t d, want, got;
    uint32_t symbol;
    bool good = false;
    switch (op) {
    case 0:
      good = tl_dim_add(m, dims[i], dims[j], &d);
      want = numbers[i] + numbers[j];
      break;
    case 1:
      good = tl_dim_mul(m, dims[i], dims[j], &d);
      want = numbers[i] * numbers[j];
      break;
    case 2:
      good = tl_dim_affine(m, dims[i], k, p, &d);
      want = numbers[i] * k + p;
      break;
    case 3: {
      good = tl_dim_windows(m, dims[i], 1, p, k, 1, -1, &d);
      int64_t q = (numbers[i] + p) / k - ((numbers[i] + p) % k < 0);
      want = TL_MAX(q, -1) + 1;
      break;
    }
    default:
      good = tl_dim_max(m, dims[i], dims[j], &d);
      want = TL_MAX(numbers[i], numbers[j]);
    }
    if (!good || llabs(want) > 1 << 30) continue;
    const tl_dim_result r = tl_dim_eval(m, d, v, &got, &symbol);
    if (want < 0 ? r != TL_DIM_NEGATIVE : r != TL_DIM_FINE || got != want)
      fail_msg("%.*s is %lld, wanted %lld", TL_STR_ARG(tl_dim_text(m, d)), (long long)got,
               (long long)want);
    made++;
    if (want < 0) continue;
    const size_t at = n < TL_COUNT(dims) ? n++ : 3 + (seed >> 12) % (TL_COUNT(dims) - 3);
    dims[at] = d;
    numbers[at] = want;
  }
  assert_true(made > 1000);
  tl_module *copy = tl_module_create(); // numbers mean the same in a copy
  assert_true(tl_dims_copy(m, copy));
  for (size_t i = 0; i < n; i++)
    assert_str(tl_dim_text(copy, dims[i]), tl_dim_text(m, dims[i]));
  tl_module_destroy(copy);
  tl_module_destroy(m);
}

static void ranges(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  int64_t n, k, d;
  assert_true(tl_dim_symbol(m, TL_STR("n"), 8, &n));
  assert_true(tl_dim_symbol(m, TL_STR("k"), -1, &k));
  assert_true(tl_dim_may_le(m, 8, n));
  assert_false(tl_dim_may_le(m, 9, n)); // n is at most 8
  assert_true(tl_dim_may_le(m, 1000, k));
  assert_true(tl_dim_affine(m, k, 1, 3, &d));
  assert_true(tl_dim_may_le(m, k, d));
  assert_false(tl_dim_may_le(m, d, k)); // k + 3 <= k never
  assert_true(tl_dim_may_le(m, 9, TL_DIM_ANY));
  assert_false(tl_dim_may_le(m, 9, TL_DIM_BOUNDED(8)));
  tl_module_destroy(m);
}

static void solved(void **state) {
  (void)state;
  tl_module *m = module_with(abc, 3);
  int64_t v[] = {-1, 3, -1}, value, times, plus;
  uint32_t symbol;
  assert_true(tl_dim_solve(m, read(m, "2*a*b + b + 1"), v, 40, &symbol, &value, &times, &plus));
  assert_true(symbol == 0 && value == 6 && times == 6 && plus == 4);
  assert_false(tl_dim_solve(m, read(m, "2*a"), v, 7, &symbol, &value, &times, &plus));
  assert_true(symbol == 0 && times == 2); // does not divide
  assert_false(tl_dim_solve(m, read(m, "a + c"), v, 7, &symbol, &value, &times, &plus));
  assert_true(symbol == UINT32_MAX);
  assert_false(tl_dim_solve(m, read(m, "a*a"), v, 9, &symbol, &value, &times, &plus));
  assert_false(tl_dim_solve(m, read(m, "a + 9"), v, 7, &symbol, &value, &times, &plus));
  tl_module_destroy(m);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *wrong;
    size_t at;
  } cases[] = {
      {"", "wants a symbol or a number here", 0},
      {"a +", "wants a symbol or a number here", 3},
      {"a b", "wants + or - here", 2},
      {"a + z", "has a symbol that is not declared", 4},
      {"(a", "wants ')'", 2},
      {"2 - 3", "is no size", 5},
      {"99999999999999999999", "has a number past 64 bits", 20},
      {"floordiv(a, 0)", "is too large, or divides by a number below 1", 14},
      {"floor(a, 2)", "has a function other than floordiv, mod, max and min", 11},
      {"9223372036854775807*2", "is too large", 21},
      {"a*a*a*a*a*a*a*a*a*a*a*a*a", "is too large", 25},
      {"((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))", "nests too deep", 24},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_module *m = module_with(abc, 3);
    int64_t d;
    const char *wrong = NULL;
    size_t at = 0;
    assert_false(tl_dim_parse(m, tl_str_of(cases[i].text), false, &d, &wrong, &at));
    assert_string_equal(wrong, cases[i].wrong);
    assert_int_equal(at, cases[i].at);
    tl_module_destroy(m);
  }
  tl_module *m = tl_module_create();
  int64_t d;
  assert_false(tl_dim_symbol(m, TL_STR("max"), -1, &d));
  assert_false(tl_dim_symbol(m, TL_STR("2n"), -1, &d));
  assert_false(tl_dim_symbol(m, TL_STR(""), -1, &d));
  assert_true(tl_dim_symbol(m, TL_STR("n"), 4, &d));
  assert_false(tl_dim_add(m, d, INT64_MAX, &d) && tl_dim_add(m, d, INT64_MAX, &d));
  tl_type wild = {TL_DTYPE_F32, 1, (int64_t[]){-77}};
  assert_false(tl_type_is_sound(m, wild)); // no entry of the table
  assert_true(tl_type_is_sound(m, (tl_type){TL_DTYPE_F32, 1, (int64_t[]){TL_DIM_ANY}}));
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_form), cmocka_unit_test(order_of_making),
      cmocka_unit_test(values),   cmocka_unit_test(forms_keep_values),
      cmocka_unit_test(ranges),   cmocka_unit_test(solved),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
