// depthwise: the bits of a dot, for every number of features around a vector, of windows around
// those that go side by side, and of terms around a block.
#include <math.h>

#include "cpu/kernels/testing.h"

enum { X = 4000, TERMS = 130, FEATURES = 40, WINDOWS = 19, PITCH = 43 };

static double dot(bool wide, const void *x, const int64_t *k_at, const void *w, size_t K) {
  double total = 0, chain = 0;
  for (size_t k = 0; k < K; k++) {
    if (wide)
      chain = fma(((const double *)x)[k_at[k]], ((const double *)w)[k * PITCH], chain);
    else
      chain =
          (double)fmaf(((const float *)x)[k_at[k]], ((const float *)w)[k * PITCH], (float)chain);
    if (k % 64 != 63 && k + 1 < K) continue;
    total = wide ? total + chain : (double)((float)total + (float)chain);
    chain = 0;
  }
  return total;
}

static void check(bool wide, const void *x, const void *w, const int64_t *m_at, const int64_t *k_at,
                  size_t M, size_t N, size_t K) {
  const size_t size = wide ? 8 : 4;
  uint8_t *want = test_alloc(WINDOWS * PITCH * size), *got = test_alloc(WINDOWS * PITCH * size);
  for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++) {
      const double y = dot(wide, (const uint8_t *)x + (size_t)(m_at[m] + (int64_t)n) * size, k_at,
                           (const uint8_t *)w + n * size, K);
      const float narrow = (float)y;
      memcpy(want + (m * PITCH + n) * size, wide ? (const void *)&y : &narrow, size);
    }
  for (TEST_EACH_VARIANT(k)) {
    memset(got, 0xff, WINDOWS * PITCH * size);
    k->depthwise(&(tl_depthwise_args){.wide = wide,
                                      .x = x,
                                      .m_at = m_at,
                                      .k_at = k_at,
                                      .w = w,
                                      .w_k = PITCH,
                                      .y = got,
                                      .y_m = PITCH,
                                      .M = M,
                                      .N = N,
                                      .K = K});
    if (memcmp(got, want, WINDOWS * PITCH * size) != 0)
      fail_msg("%s: %zu windows of %zu terms, %zu features%s", k->variant, M, K, N,
               wide ? ", f64" : "");
  }
  free(want), free(got);
}

static void dots_have_their_order(void **state) {
  (void)state;
  static const size_t terms[] = {1, 2, 9, 63, 64, 65, 129};
  float *x = test_alloc(X * 4), *w = test_alloc(TERMS * PITCH * 4);
  double *wide_x = test_alloc(X * 8), *wide_w = test_alloc(TERMS * PITCH * 8);
  int64_t m_at[WINDOWS], k_at[TERMS];
  test_fill(x, X), test_fill(w, TERMS * PITCH);
  for (size_t i = 0; i < X; i++)
    wide_x[i] = (double)x[i] * 1.000000001;
  for (size_t i = 0; i < TERMS * PITCH; i++)
    wide_w[i] = (double)w[i] * 1.000000001;
  for (size_t m = 0; m < WINDOWS; m++) // the last one ends with the memory
    m_at[m] = (int64_t)(m * 37 + TERMS);
  for (size_t k = 0; k < TERMS; k++)
    k_at[k] = k % 3 == 2 ? -(int64_t)k : (int64_t)(k * 23);
  for (size_t t = 0; t < TL_COUNT(terms); t++)
    for (size_t N = 1; N <= FEATURES; N += N < 18 ? 1 : 7)
      for (size_t M = 1; M <= WINDOWS; M += 3) {
        check(false, x, w, m_at, k_at, M, N, terms[t]);
        check(true, wide_x, wide_w, m_at, k_at, M, N, terms[t]);
      }
  free(x), free(w), free(wide_x), free(wide_w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                     cmocka_unit_test(dots_have_their_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
