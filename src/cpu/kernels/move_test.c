// transpose: every element in its place and nothing else written, for all sizes around the squares
// and for rows longer than what is taken of them.
#include "cpu/kernels/testing.h"

static void check(const tl_kernels *k, size_t rows, size_t n, size_t more) {
  const size_t in_row = rows + more, out_row = n + 2 * more;
  for (int wide = 0; wide < 2; wide++) {
    const size_t size = wide ? 8 : 4;
    uint8_t *in = test_alloc(n * in_row * size), *out = test_alloc(rows * out_row * size);
    for (size_t i = 0; i < n * in_row * size; i++) // NaNs of all kinds among them
      in[i] = i % 7 == 3 ? 0xff : (uint8_t)(i * 37 + i / 251);
    memset(out, 0xa5, rows * out_row * size);
    k->transpose(&(tl_transpose_args){.wide = wide,
                                      .in = in,
                                      .in_row = in_row,
                                      .out = out,
                                      .out_row = out_row,
                                      .rows = rows,
                                      .n = n});
    for (size_t r = 0; r < rows; r++)
      for (size_t i = 0; i < out_row; i++) {
        const uint8_t *at = out + (r * out_row + i) * size;
        if (i < n)
          assert_memory_equal(at, in + (i * in_row + r) * size, size);
        else
          assert_int_equal(*at, 0xa5);
      }
    free(in), free(out);
  }
}

static void test_transpose(void **state) {
  (void)state;
  for (TEST_EACH_VARIANT(k)) {
    for (size_t rows = 1; rows <= 35; rows++)
      for (size_t n = 1; n <= 35; n += rows % 16 < 2 ? 1 : 5)
        check(k, rows, n, rows % 3);
    check(k, 131, 150, 1);
    check(k, 64, 64, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                     cmocka_unit_test(test_transpose)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
