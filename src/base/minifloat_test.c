// Floats of a byte or less against ml_dtypes: every code, every number and every tie between two,
// and every f16 and bf16 (tests/base/minifloats.json, made by tests/oracle/ref_types.py).
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <math.h>

#include "base/half.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/minifloat.h"

static const char *const names[] = {
#define TL_MINIFLOAT(id, ...) #id,
#include "base/minifloats.def"
#undef TL_MINIFLOAT
};

// The row whose name, but for its first letter's case, is this.
static tl_minifloat format_of(const char *name) {
  for (size_t i = 0; i < TL_COUNT(names); i++)
    if (strcmp(names[i] + 1, name + 1) == 0) return (tl_minifloat)i;
  fail_msg("no format %s", name);
  return 0;
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
static void unhex(const json_t *j, size_t at, void *out, size_t size) {
  const char *hex = json_string_value(j) + 2 * at * size;
  for (size_t i = 0; i < size; i++)
    ((uint8_t *)out)[i] = (uint8_t)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
}
static size_t length(const json_t *j, size_t size) {
  return strlen(json_string_value(j)) / (2 * size);
}

// ml_dtypes rounds f32's own subnormals up to the next scale, whatever they are.
static bool is_left_out(tl_minifloat f, double x) {
  return f == TL_MINIFLOAT_F8E8M0FNU && fabs(x) > 0x1p-127 && fabs(x) < 0x1p-126;
}

static void digest_of_halves(tl_minifloat f, float (*widen)(uint16_t), const char *want) {
  static uint8_t codes[65536];
  for (uint32_t h = 0; h < 65536; h++) {
    const double x = (double)widen((uint16_t)h);
    codes[h] = is_left_out(f, x) ? 0 : tl_minifloat_of_f64(f, x);
  }
  char hex[TL_SHA256_HEX + 1];
  assert_true(tl_sha256_hex(codes, sizeof codes, hex));
  assert_string_equal(hex, want);
}

static float of_bf16(uint16_t h) { return tl_f32_of_bf16(h); }

static void as_ml_dtypes(void **state) {
  (void)state;
  json_t *root;
  size_t seen = 0, i;
  assert_ok(tl_json_read("tests/base/minifloats.json", 16 << 20, &root));
  const json_t *row;
  json_array_foreach(json_object_get(root, "formats"), i, row) {
    const char *name = json_string_value(json_object_get(row, "name"));
    const tl_minifloat f = format_of(name);
    const json_t *values = json_object_get(row, "values"), *from = json_object_get(row, "from"),
                 *codes = json_object_get(row, "codes");
    for (size_t k = 0; k < length(values, 4); k++) {
      float want;
      unhex(values, k, &want, 4);
      const float got = tl_f32_of_minifloat(f, (uint8_t)k);
      if (isnan(want) ? !isnan(got) : tl_bits_of_f32(got) != tl_bits_of_f32(want))
        fail_msg("%s: code %zu is %g, wanted %g", name, k, (double)got, (double)want);
      if (length(values, 4) < 256 &&
          tl_bits_of_f32(tl_f32_of_minifloat(f, (uint8_t)(k | 0xC0))) != tl_bits_of_f32(got))
        fail_msg("%s: code %zu depends on the upper bits", name, k);
    }
    assert_true(length(from, 8) == length(codes, 1));
    for (size_t k = 0; k < length(from, 8); k++) {
      double x;
      uint8_t want;
      unhex(from, k, &x, 8);
      unhex(codes, k, &want, 1);
      if (tl_minifloat_of_f64(f, x) != want)
        fail_msg("%s: %a is %02x, wanted %02x", name, x, tl_minifloat_of_f64(f, x), want);
    }
    const json_t *digests = json_object_get(row, "sha256");
    digest_of_halves(f, tl_f32_of_f16, json_string_value(json_object_get(digests, "f16")));
    digest_of_halves(f, of_bf16, json_string_value(json_object_get(digests, "bf16")));
    seen++;
  }
  assert_int_equal(seen, TL_MINIFLOAT_COUNT);
  json_decref(root);
}

// Above a tie by less than f32 can say.
static void rounds_once(void **state) {
  (void)state;
  const double x = 1.0625 + ldexp(1, -40); // between 1 and 1.125
  assert_int_equal(tl_minifloat_of_f64(TL_MINIFLOAT_F8E4M3FN, (double)(float)x), 0x38);
  assert_int_equal(tl_minifloat_of_f64(TL_MINIFLOAT_F8E4M3FN, x), 0x39);
  assert_int_equal(tl_minifloat_of_f64(TL_MINIFLOAT_F8E8M0FNU, 1.25 * ldexp(1, -127)), 0);
  assert_int_equal(tl_minifloat_of_f64(TL_MINIFLOAT_F8E8M0FNU, 1.5 * ldexp(1, -127)), 1);
  assert_int_equal(tl_minifloat_of_f64(TL_MINIFLOAT_F8E8M0FNU, 1e-320), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_ml_dtypes), cmocka_unit_test(rounds_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
