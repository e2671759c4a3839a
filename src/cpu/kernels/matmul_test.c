// matmul in every format and variant: bits of the plain loop over unpacked weights, at sizes around
// every tile.
#include "cpu/kernels/testing.h"

static void check(const test_matrix *m, size_t T) {
  const size_t K = m->K, R = m->R, xs = K + 3, ys = R + 5;
  float *x = test_alloc(T * xs * sizeof *x), *want = test_alloc(T * ys * sizeof *want),
        *y = test_alloc(T * ys * sizeof *y);
  for (size_t t = 0; t < T; t++)
    test_fill(x + t * xs, K);
  for (size_t t = 0; t < T; t++)
    for (size_t r = 0; r < R; r++) {
      want[t * ys + r] = tl_dot_f32(x + t * xs, 1, m->w + r * K, 1, K);
      double exact = 0, size = 0; // of the terms: 64-long chains and K/64 additions, each half an
                                  // ulp of a partial sum
      for (size_t k = 0; k < K; k++) {
        double p = (double)x[t * xs + k] * (double)m->w[r * K + k];
        exact += p, size += fabs(p);
      }
      assert_true(fabs((double)want[t * ys + r] - exact) <=
                  size * 0x1p-24 * (double)(TL_MIN(K, (size_t)64) + K / 64 + 1));
      want[t * ys + r] *= m->row[r]; // ones change nothing
    }
  for (TEST_EACH_VARIANT(k)) {
    memset(y, 0xff, T * ys * sizeof *y);
    void *scratch = test_alloc(tl_matmul_scratch_size(T, K));
    tl_matmul_args a = {.format = m->f,
                        .planes = m->planes,
                        .group_size = m->group_size,
                        .w = m->packed,
                        .x = x,
                        .x_stride = xs,
                        .y = y,
                        .y_stride = ys,
                        .R = R,
                        .K = K,
                        .t1 = T,
                        .g1 = (R + 15) / 16,
                        .scratch = scratch};
    k->matmul(&a);
    for (size_t t = 0; t < T; t++) {
      test_same(k, test_formats[m->f].name, y + t * ys, want + t * ys, R);
      for (size_t r = R; r < ys; r++)
        assert_int_equal(tl_bits_of_f32(y[t * ys + r]), 0xffffffff); // nothing beyond
    }
    free(scratch);
  }
  free(x), free(want), free(y);
}

static void test_formats_and_tokens(void **state) {
  (void)state;
  static const size_t tokens[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 29};
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    const size_t K =
        test_formats[f].block == 256 ? 512 : 480; // 480: seven blocks of 64 and a half one
    test_matrix m = test_matrix_make((tl_format)f, 37, K);
    for (size_t t = 0; t < TL_COUNT(tokens); t++)
      check(&m, tokens[t]);
    test_matrix_free(&m);
  }
}

static void test_lengths(void **state) {
  (void)state;
  static const size_t ks[] = {1,  2,  3,   7,   8,   15,  31,  32,  63,  64,
                              65, 96, 127, 128, 129, 192, 256, 257, 320, 576};
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++)
    for (size_t i = 0; i < TL_COUNT(ks); i++) {
      if (ks[i] % test_formats[f].block != 0) continue;
      test_matrix m = test_matrix_make((tl_format)f, 17 + i, ks[i]);
      check(&m, 1), check(&m, 2), check(&m, 3), check(&m, 4), check(&m, 9);
      test_matrix_free(&m);
    }
}

// Ranges of tokens and groups, however they are cut, give the bits of the whole; so one thread or
// many, one token alone or among others.
static void test_ranges(void **state) {
  (void)state;
  enum { T = 31, R = 75, K = 192 };
  test_matrix m = test_matrix_make(TL_FORMAT_Q4_1, R, K);
  float *x = test_alloc(T * K * sizeof *x), *whole = test_alloc(T * R * sizeof *whole),
        *y = test_alloc(T * R * sizeof *y);
  void *scratch = test_alloc(tl_matmul_scratch_size(T, K));
  test_fill(x, T * K);
  for (TEST_EACH_VARIANT(k)) {
    tl_matmul_args a = {.format = m.f,
                        .planes = m.planes,
                        .group_size = m.group_size,
                        .w = m.packed,
                        .x = x,
                        .x_stride = K,
                        .y = whole,
                        .y_stride = R,
                        .R = R,
                        .K = K,
                        .t1 = T,
                        .g1 = 5,
                        .scratch = scratch};
    k->matmul(&a);
    a.y = y;
    memset(y, 0xff, T * R * sizeof *y);
    static const size_t t_cut[] = {0, 1, 3, 7, 12, 30, T}, g_cut[] = {0, 1, 4, 5};
    for (size_t i = 0; i + 1 < TL_COUNT(t_cut); i++)
      for (size_t j = 0; j + 1 < TL_COUNT(g_cut); j++) {
        a.t0 = t_cut[i], a.t1 = t_cut[i + 1], a.g0 = g_cut[j], a.g1 = g_cut[j + 1];
        k->matmul(&a);
      }
    test_same(k, "ranges", y, whole, T * R);
  }
  free(x), free(whole), free(y), free(scratch), test_matrix_free(&m);
}

// More tokens than one panel of x holds.
static void test_panels(void **state) {
  (void)state;
  test_matrix m = test_matrix_make(TL_FORMAT_BF16, 33, 70);
  check(&m, 460);
  test_matrix_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants), cmocka_unit_test(test_formats_and_tokens),
      cmocka_unit_test(test_lengths), cmocka_unit_test(test_ranges), cmocka_unit_test(test_panels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
