// tl_quantize_row against recorded values of numpy and ml_dtypes, bit for bit; what it refuses; and
// e4m3 over floats against the table's own rounding.
#include "base/test.h"

#include <math.h>

#include "base/half.h"
#include "base/minifloat.h"
#include "ckpt/quant.h"
#include "ckpt/quantize.h"
#include "ckpt/recorded.h"

static void recorded(void **state) {
  (void)state;
  tl_buf file = {0};
  assert_ok(tl_file_read("tests/ckpt/quantize.txt", 1 << 20, &file));
  tl_str rest = tl_buf_view(&file);
  size_t n = 0;
  while (rest.len > 0) {
    tl_str line = recorded_word(&rest, '\n');
    if (line.len == 0 || line.ptr[0] == '#') continue;
    const tl_str name = recorded_word(&line, ' ');
    tl_format f;
    int64_t k;
    size_t size;
    assert_true(tl_format_of_name(name, &f) && tl_str_to_i64(recorded_word(&line, ' '), &k));
    assert_true(tl_format_row_size(f, (size_t)k, &size));
    const tl_str numbers = recorded_word(&line, ' ');
    assert_int_equal(numbers.len, 8 * k);
    assert_int_equal(line.len, 2 * size);
    float *w = malloc((size_t)k * sizeof *w);
    uint8_t *got = malloc(size);
    assert_true(w && got);
    for (size_t i = 0; i < (size_t)k; i++)
      w[i] = tl_f32_of_bits(recorded_hex(numbers, i, 8));
    assert_ok(tl_quantize_row(f, w, (size_t)k, got));
    for (size_t i = 0; i < size; i++) {
      const unsigned want = recorded_hex(line, i, 2);
      if (got[i] != want)
        fail_msg("line %zu, %s: byte %zu is %02x, want %02x", n, tl_format_get(f)->name, i, got[i],
                 want);
    }
    free(w), free(got);
    n++;
  }
  tl_buf_deinit(&file);
  assert_int_equal(n, 32);
}

// Half a step away at most: of integers the scale's half, of floats a sixteenth of the number or
// the least step's half.
static void errors(void **state) {
  (void)state;
  enum { K = 4096 };
  static float w[K], back[K];
  static uint8_t row[2 * K];
  uint32_t seed = 1;
  for (size_t i = 0; i < K; i++)
    seed = seed * 1664525 + 1013904223, w[i] = (float)(int32_t)seed * 0x1p-33f;
  w[77] = 0.5f;
  assert_ok(tl_quantize_row(TL_FORMAT_INT8, w, K, row));
  assert_ok(tl_quant_row_f32(TL_FORMAT_INT8, row, K, back));
  for (size_t i = 0; i < K; i++)
    assert_true(fabsf(back[i] - w[i]) <= 0.5f / 254 * 1.0001f);
  assert_ok(tl_quantize_row(TL_FORMAT_FP8, w, K, row));
  assert_ok(tl_quant_row_f32(TL_FORMAT_FP8, row, K, back));
  for (size_t i = 0; i < K; i++)
    assert_true(fabsf(back[i] - w[i]) <= fmaxf(fabsf(w[i]) / 16, 0x1p-10f * 0.5f / 448) * 1.0001f);
  assert_ok(tl_quantize_row(TL_FORMAT_Q4_0, w, K, row));
  assert_ok(tl_quant_row_f32(TL_FORMAT_Q4_0, row, K, back));
  for (size_t i = 0; i < K; i++)
    assert_true(fabsf(back[i] - w[i]) <= 0.5f / 8 * 1.001f); // a whole step at the end that is cut
}

// Every e4m3 and every place between two of them where rounding turns, through rows of fp8 whose
// scale is one.
static void e4m3(void **state) {
  (void)state;
  float w[32];
  uint8_t row[36];
  for (uint32_t code = 0; code < 0x7e; code++)
    for (int sign = 0; sign < 2; sign++) {
      const float low = tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, (uint8_t)code),
                  high = tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, (uint8_t)(code + 1)),
                  middle = (low + high) / 2;
      const float at[] = {low, nextafterf(middle, 0), middle, nextafterf(middle, 1e9f)};
      for (size_t i = 0; i < 32; i++)
        w[i] = sign ? -at[i % 4] : at[i % 4];
      w[31] = 448;
      assert_ok(tl_quantize_row(TL_FORMAT_FP8, w, 32, row));
      for (size_t i = 0; i < 32; i++)
        assert_int_equal(row[i], tl_minifloat_of_f64(TL_MINIFLOAT_F8E4M3FN, (double)w[i]));
    }
}

static void refusals(void **state) {
  (void)state;
  float w[32] = {0};
  uint8_t row[64];
  assert_status(tl_quantize_row(TL_FORMAT_INT8, w, 31, row), TL_STATUS_INVALID_ARGUMENT,
                "no whole number of blocks of 32");
  assert_status(tl_quantize_row(TL_FORMAT_Q6_K, w, 0, row), TL_STATUS_UNIMPLEMENTED,
                "weights are not quantised to q6_k");
  w[3] = 1e30f;
  assert_status(tl_quantize_row(TL_FORMAT_Q4_0, w, 32, row), TL_STATUS_INVALID_ARGUMENT,
                "past f16's range");
  for (int f = 0; f < 3; f++)
    for (int i = 0; i < 2; i++) {
      w[3] = i ? NAN : -INFINITY;
      assert_status(tl_quantize_row(f == 0   ? TL_FORMAT_INT8
                                    : f == 1 ? TL_FORMAT_FP8
                                             : TL_FORMAT_Q4_0,
                                    w, 32, row),
                    TL_STATUS_INVALID_ARGUMENT, "a weight that is not finite");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(recorded), cmocka_unit_test(errors),
                                     cmocka_unit_test(e4m3), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests_name("ckpt/quantize", tests, NULL, NULL);
}
