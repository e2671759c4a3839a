// update: the bits of the plain loop, for every number of rows and columns.
#include <math.h>

#include "cpu/kernels/testing.h"

static void test_update(void **state) {
  (void)state;
  enum { N = 70, K = 9, STRIDE = 75, ALL = 4 * STRIDE };
  float *c = test_alloc(K * 4 * 4), *x = test_alloc(K * STRIDE * 4), *z = test_alloc(ALL * 4);
  double *wide_c = test_alloc(K * 4 * 8), *wide_x = test_alloc(K * STRIDE * 8),
         *wide_z = test_alloc(ALL * 8);
  test_fill(c, K * 4), test_fill(x, K * STRIDE), test_fill(z, ALL);
  for (size_t i = 0; i < K * 4; i++)
    wide_c[i] = (double)c[i] * 1.1;
  for (size_t i = 0; i < K * STRIDE; i++)
    wide_x[i] = (double)x[i] * 1.1;
  for (size_t i = 0; i < ALL; i++)
    wide_z[i] = (double)z[i] * 1.1;
  float got[ALL], want[ALL];
  double wide_got[ALL], wide_want[ALL];
  for (size_t rows = 1; rows <= 4; rows++)
    for (size_t n = 1; n <= N; n++) {
      memcpy(want, z, sizeof want);
      memcpy(wide_want, wide_z, sizeof wide_want);
      for (size_t k = 0; k < K; k++)
        for (size_t r = 0; r < rows; r++)
          for (size_t j = 0; j < n; j++) {
            want[r * STRIDE + j] = fmaf(c[k * 4 + r], x[k * STRIDE + j], want[r * STRIDE + j]);
            wide_want[r * STRIDE + j] =
                fma(wide_c[k * 4 + r], wide_x[k * STRIDE + j], wide_want[r * STRIDE + j]);
          }
      for (TEST_EACH_VARIANT(k))
        for (int wide = 0; wide < 2; wide++) {
          memcpy(got, z, sizeof got);
          memcpy(wide_got, wide_z, sizeof wide_got);
          k->update(&(tl_update_args){.wide = wide,
                                      .rows = rows,
                                      .n = n,
                                      .k = K,
                                      .c = wide ? (void *)wide_c : (void *)c,
                                      .x = wide ? (void *)wide_x : (void *)x,
                                      .x_k = STRIDE,
                                      .z = wide ? (void *)wide_got : (void *)got,
                                      .z_row = STRIDE});
          if (wide)
            assert_memory_equal(wide_got, wide_want, sizeof wide_got);
          else
            test_same(k, "update", got, want, ALL);
        }
    }
  free(c), free(x), free(z), free(wide_c), free(wide_x), free(wide_z);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                     cmocka_unit_test(test_update)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
