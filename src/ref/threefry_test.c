// The published answers of Threefry, and the keys, bits and draws that jax.random gives
// (tests/ref/host.json, by tests/oracle/ref_host.py).
#include "base/test.h"

#include "ref/threefry.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static size_t bytes(const json_t *j, void *out, size_t max) {
  const char *hex = json_string_value(j);
  size_t n = strlen(hex) / 2;
  assert_true(n <= max);
  for (size_t i = 0; i < n; i++)
    ((unsigned char *)out)[i] = (unsigned char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  return n;
}

static void known_answers(void **state) { // of Random123's kat_vectors, threefry2x32 20
  (void)state;
  static const uint32_t cases[][6] = {
      {0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
      {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x1cb996fc, 0xbb002be7},
      {0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    uint32_t out[2];
    tl_threefry2x32((tl_key){{cases[i][0], cases[i][1]}}, &cases[i][2], out);
    assert_int_equal(out[0], cases[i][4]);
    assert_int_equal(out[1], cases[i][5]);
  }
}

static const json_t *nth(const json_t *list, size_t i, size_t k) {
  return json_array_get(json_array_get(list, i), k);
}

static void draws_are_jaxs(const json_t *entry, tl_key key, tl_random_layout layout) {
  static const char *const kinds[] = {"uniform", "normal", "exponential", "cauchy", "chi_square"};
  const json_t *draws = json_object_get(entry, "draws");
  assert_int_equal(json_array_size(draws), 2 * TL_COUNT(kinds));
  for (size_t i = 0; i < json_array_size(draws); i++) {
    const json_t *d = json_array_get(draws, i);
    const char *kind = json_string_value(json_object_get(d, "kind"));
    size_t k = 0;
    while (strcmp(kinds[k], kind) != 0)
      k++;
    tl_draw draw = {(tl_draw_kind)k, 3};
    double want[16], wide[16];
    float narrow[16];
    size_t n = bytes(json_object_get(d, "out"), want, sizeof want) / sizeof *want;
    bool is_wide = json_is_true(json_object_get(d, "wide"));
    if (is_wide)
      assert_ok(tl_random_f64(key, layout, draw, n, wide));
    else
      assert_ok(tl_random_f32(key, layout, draw, n, narrow));
    for (size_t j = 0; j < n; j++) { // numpy's log, cos and tan may differ in the last place
      double got = is_wide ? wide[j] : (double)narrow[j], unit = is_wide ? 1e-15 : 6.1e-8;
      if (k == TL_DRAW_UNIFORM ? got != want[j] : !(fabs(got - want[j]) <= unit * fabs(want[j])))
        fail_msg("%s %zu is %.17g, wanted %.17g", kind, j, got, want[j]);
    }
  }
}

static void keys_and_bits_are_jaxs(void **state) {
  (void)state;
  json_t *root;
  assert_ok(tl_json_read("tests/ref/host.json", 1 << 20, &root));
  const json_t *keys = json_object_get(root, "keys");
  assert_true(json_array_size(keys) > 0);
  for (size_t i = 0; i < json_array_size(keys); i++) {
    const json_t *entry = json_array_get(keys, i), *list;
    tl_random_layout layout = json_is_true(json_object_get(entry, "partitionable"))
                                  ? TL_RANDOM_PARTITIONABLE
                                  : TL_RANDOM_ORIGINAL;
    tl_key key =
        tl_key_of_seed(strtoull(json_string_value(json_object_get(entry, "seed")), NULL, 16));
    list = json_object_get(entry, "fold");
    for (size_t k = 0; k < json_array_size(list); k++) {
      tl_key want, got = tl_key_fold_in(key, (uint32_t)json_integer_value(nth(list, k, 0)));
      assert_int_equal(bytes(nth(list, k, 1), &want, sizeof want), sizeof want);
      assert_memory_equal(&got, &want, sizeof want);
    }
    list = json_object_get(entry, "split");
    for (size_t k = 0; k < json_array_size(list); k++) {
      tl_key want[8], got[8];
      size_t n = (size_t)json_integer_value(nth(list, k, 0));
      assert_int_equal(bytes(nth(list, k, 1), want, sizeof want), n * sizeof *want);
      tl_key_split(key, layout, n, got);
      assert_memory_equal(got, want, n * sizeof *want);
    }
    list = json_object_get(entry, "words");
    for (size_t k = 0; k < json_array_size(list); k++) {
      uint32_t want[8], got[8];
      size_t n = (size_t)json_integer_value(nth(list, k, 0));
      assert_int_equal(bytes(nth(list, k, 1), want, sizeof want), n * sizeof *want);
      tl_random_words(key, layout, n, got);
      assert_memory_equal(got, want, n * sizeof *want);
    }
    draws_are_jaxs(entry, key, layout);
  }
  json_decref(root);
}

// Means and variances of many numbers: 1 % is ten standard deviations of the means.
static void draws_have_their_moments(void **state) {
  (void)state;
  enum { N = 200000 };
  static const struct {
    tl_draw draw;
    double mean, variance;
  } cases[] = {
      {{.kind = TL_DRAW_UNIFORM}, 0.5, 1.0 / 12},
      {{.kind = TL_DRAW_NORMAL}, 0, 1},
      {{.kind = TL_DRAW_EXPONENTIAL}, 1, 1},
      {{.kind = TL_DRAW_CHI_SQUARE, .freedom = 5}, 5, 10},
  };
  float *x = malloc(N * sizeof *x);
  assert_non_null(x);
  for (size_t c = 0; c < TL_COUNT(cases); c++) {
    assert_ok(tl_random_f32(tl_key_of_seed(7), TL_RANDOM_ORIGINAL, cases[c].draw, N, x));
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++)
      sum += (double)x[i];
    double mean = sum / N;
    for (size_t i = 0; i < N; i++)
      squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    assert_true(fabs(mean - cases[c].mean) < 0.01 * sqrt(cases[c].variance));
    assert_true(fabs(squares / N - cases[c].variance) < 0.03 * cases[c].variance);
  }
  free(x);
}

static void refusals(void **state) {
  (void)state;
  float x[1];
  tl_key key = tl_key_of_seed(1);
  assert_status(tl_random_f32(key, TL_RANDOM_ORIGINAL, (tl_draw){TL_DRAW_CHI_SQUARE, 0}, 1, x),
                TL_STATUS_INVALID_ARGUMENT, "at least one degree");
  assert_status(
      tl_random_f32(key, TL_RANDOM_ORIGINAL, (tl_draw){TL_DRAW_NORMAL, 0}, (size_t)1 << 29, x),
      TL_STATUS_INVALID_ARGUMENT, "too many");
  assert_ok(tl_random_f32(key, TL_RANDOM_ORIGINAL, (tl_draw){TL_DRAW_NORMAL, 0}, 0, x));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(keys_and_bits_are_jaxs),
      cmocka_unit_test(draws_have_their_moments),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
