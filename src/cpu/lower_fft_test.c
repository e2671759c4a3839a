// fft_lines in every variant: the bits of tl_fft_run, line by line, for lengths of every kind of
// pass, any number of lines, contiguous and apart.
#include "cpu/kernels/testing.h"

static void check(size_t n, size_t n_lines, bool inverse, bool contiguous) {
  tl_arena *arena = tl_arena_create();
  const tl_fft *plan = tl_fft_plan(arena, n);
  assert_non_null(plan);
  const size_t line = contiguous ? n + 1 : 1, step = contiguous ? 1 : n_lines + 2,
               size = (n_lines + 2) * (n + 1);
  tl_c128 *x = test_alloc(size * sizeof *x), *want = test_alloc(size * sizeof *want),
          *y = test_alloc(size * sizeof *y), *one = test_alloc(n * sizeof *one),
          *scratch = test_alloc(tl_fft_scratch(plan) * sizeof *scratch);
  void *lanes = test_alloc(TL_FFT_LANES * (n + tl_fft_scratch(plan)) * sizeof *x);
  for (size_t i = 0; i < size; i++)
    x[i] = (tl_c128){(double)test_f32() * 1.1, i % 7 == 0 ? -0.0 : (double)test_f32() * 1.3};
  memcpy(want, x, size * sizeof *x);
  for (size_t i = 0; i < n_lines; i++) {
    for (size_t k = 0; k < n; k++)
      one[k] = x[i * line + k * step];
    tl_fft_run(plan, inverse, one, scratch);
    for (size_t k = 0; k < n; k++)
      want[i * line + k * step] = one[k];
  }
  for (TEST_EACH_VARIANT(k)) {
    memcpy(y, x, size * sizeof *x);
    k->fft_lines(&(tl_fft_lines_args){.plan = plan,
                                      .inverse = inverse,
                                      .x = y,
                                      .n_lines = n_lines,
                                      .line = line,
                                      .step = step,
                                      .scratch = lanes});
    if (memcmp(y, want, size * sizeof *y) != 0)
      fail_msg("%s: %zu lines of %zu, %s, %s", k->variant, n_lines, n,
               inverse ? "inverse" : "forward", contiguous ? "contiguous" : "apart");
  }
  // The control: the transform of the other direction.
  memcpy(y, x, size * sizeof *x);
  tl_kernels_at(0)->fft_lines(&(tl_fft_lines_args){.plan = plan,
                                                   .inverse = !inverse,
                                                   .x = y,
                                                   .n_lines = n_lines,
                                                   .line = line,
                                                   .step = step,
                                                   .scratch = lanes});
  if (n > 2) assert_memory_not_equal(y, want, size * sizeof *y);
  free(x), free(want), free(y), free(one), free(scratch), free(lanes);
  tl_arena_destroy(arena);
}

static void every_length(void **state) {
  (void)state;
  static const size_t lengths[] = {1,  2,  3,  4,  5,  6,   7,   8,   9,   12,  13,
                                   16, 30, 31, 37, 64, 105, 131, 256, 341, 1000};
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (size_t lines = 1; lines <= TL_FFT_LANES; lines++)
      for (int how = 0; how < 4; how++)
        check(lengths[i], lines, how & 1, how & 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_length)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
