// tl_quant_row_f32 against recorded values of the reference implementation, or of numpy and
// ml_dtypes: every format, equal bit for bit.
#include "base/test.h"

#include "base/half.h"
#include "ckpt/quant.h"
#include "ckpt/recorded.h"
#include "ckpt/stored.h"

static void check_file(const char *path, size_t rows[TL_FORMAT_COUNT]) {
  tl_buf file = {0};
  assert_ok(tl_file_read(path, 1 << 20, &file));
  tl_str rest = tl_buf_view(&file);
  while (rest.len > 0) {
    tl_str line = recorded_word(&rest, '\n');
    if (line.len == 0 || line.ptr[0] == '#') continue;
    tl_str name = recorded_word(&line, ' ');
    tl_format format = 0;
    while (format < TL_FORMAT_COUNT && !tl_str_is(name, tl_stored_get((tl_stored)format)->name))
      format++;
    assert_true(format < TL_FORMAT_COUNT);
    int64_t k;
    assert_true(tl_str_to_i64(recorded_word(&line, ' '), &k));
    tl_str bytes_hex = recorded_word(&line, ' ');
    size_t size;
    assert_true(tl_stored_row_size((tl_stored)format, (uint64_t)k, &size));
    assert_int_equal(bytes_hex.len, 2 * size);
    assert_int_equal(line.len, 8 * k);
    uint8_t *bytes = malloc(size);
    float *out = malloc((size_t)k * sizeof *out);
    assert_true(bytes && out);
    for (size_t i = 0; i < size; i++)
      bytes[i] = (uint8_t)recorded_hex(bytes_hex, i, 2);
    assert_ok(tl_quant_row_f32(format, bytes, (size_t)k, out));
    for (size_t i = 0; i < (size_t)k; i++)
      assert_int_equal(tl_bits_of_f32(out[i]), recorded_hex(line, i, 8));
    free(bytes);
    free(out);
    rows[format]++;
  }
  tl_buf_deinit(&file);
}

static void test_golden(void **state) {
  (void)state;
  size_t rows[TL_FORMAT_COUNT] = {0};
  check_file("tests/ckpt/quant.txt", rows);
  check_file("tests/ckpt/rows.txt", rows);
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++)
    assert_int_equal(rows[f], 3); // none was forgotten
}

static void test_whole_blocks(void **state) {
  (void)state;
  uint8_t bytes[34] = {0};
  float out[32];
  assert_status(tl_quant_row_f32(TL_FORMAT_Q8_0, bytes, 31, out), TL_STATUS_INVALID_ARGUMENT,
                "q8_0: a row of 31 elements is not a whole number of blocks of 32");
}

static void test_stored_table(void **state) {
  (void)state;
  for (size_t s = 0; s < TL_STORED_COUNT; s++) {
    const tl_stored_info *info = tl_stored_get((tl_stored)s);
    assert_true(info->name && info->block > 0 && info->bytes > 0);
    tl_stored back;
    if (info->ggml >= 0) {
      assert_true(tl_stored_of_ggml((uint32_t)info->ggml, &back));
      assert_int_equal(back, s); // no number twice
    }
    tl_format format;
    assert_int_equal(tl_stored_format((tl_stored)s, &format), s < TL_FORMAT_COUNT);
  }
  tl_stored unused;
  assert_false(tl_stored_of_ggml(4, &unused)); // numbers that GGUF gave up
  assert_false(tl_stored_of_ggml(UINT32_MAX, &unused));
  size_t size;
  assert_false(tl_stored_row_size(TL_STORED_F64, UINT64_MAX / 4, &size));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_whole_blocks),
      cmocka_unit_test(test_stored_table),
  };
  return cmocka_run_group_tests_name("ckpt/quant", tests, NULL, NULL);
}
