// fft_lines in every variant: the bits of tl_fft_lines_one, for lengths of every kind of pass,
// either width, every type, any number of lines, contiguous and apart; and of long lines in the
// phases that threads share.
#include "cpu/kernels/testing.h"

static size_t n_shared; // lines that were

static void fill(void *p, size_t size, bool wide) {
  for (size_t i = 0; i < size / (wide ? 8 : 4); i++) {
    const double v = i % 14 == 1 ? -0.0 : (double)test_f32() * 1.3;
    if (wide)
      ((double *)p)[i] = v;
    else
      ((float *)p)[i] = (float)v;
  }
}

// A line by the kernel's phases, as three threads would do them.
static void check_shared(tl_fft_lines_args *a, void *want, void *y, size_t size, bool contiguous) {
  enum { THREADS = 3 };
  const uint32_t phases = tl_fft_phases(a->plan, a->type, tl_fft_way_of(a->plan, 1, contiguous));
  void *scratch = a->scratch, *own[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    own[i] = test_alloc(tl_fft_lines_scratch(a->plan, 1, contiguous));
  a->n_parts = THREADS, a->common = own[0];
  for (TEST_EACH_VARIANT(k)) {
    if (phases == 0) break;
    memset(y, 0xff, size);
    a->y = y;
    for (a->phase = 0; a->phase < phases; a->phase++)
      for (a->part = 0; a->part < THREADS; a->part++) {
        a->scratch = own[a->part];
        k->fft_lines(a);
      }
    if (memcmp(y, want, size) != 0)
      fail_msg("%s: a line of %zu, type %d, shared", k->variant, a->plan->n, (int)a->type);
    n_shared++;
  }
  for (size_t i = 0; i < THREADS; i++)
    free(own[i]);
  a->scratch = scratch, a->n_parts = 0;
}

static void check(size_t n, size_t n_lines, tl_fft_type type, bool wide, bool contiguous) {
  tl_arena *arena = tl_arena_create();
  const bool real = type == TL_FFT_TYPE_RFFT || type == TL_FFT_TYPE_IRFFT;
  const tl_fft *plan = tl_fft_plan(arena, n, wide, real);
  assert_non_null(plan);
  // Lines apart have a gap; of real numbers one that keeps pairs whole.
  const size_t spectrum = n / 2 + 1, gap = 2,
               x_line = !contiguous                 ? 1
                        : type == TL_FFT_TYPE_IRFFT ? spectrum + gap
                                                    : n + gap,
               y_line = !contiguous                ? 1
                        : type == TL_FFT_TYPE_RFFT ? spectrum + gap
                                                   : n + gap,
               step = contiguous ? 1 : n_lines + 2, size = (n_lines + 2) * (n + 4) * 16;
  uint8_t *x = test_alloc(size), *want = test_alloc(size), *y = test_alloc(size);
  void *scratch = test_alloc(plan->room * TL_FFT_LANES_SIZE + 2 * TL_FFT_LANES_SIZE);
  fill(x, size, wide);
  tl_fft_lines_args a = {.plan = plan,
                         .type = type,
                         .x = x,
                         .x_line = x_line,
                         .x_step = step,
                         .y = want,
                         .y_line = y_line,
                         .y_step = step,
                         .n_lines = n_lines,
                         .scratch = scratch};
  tl_fft_lines_one(&a);
  for (TEST_EACH_VARIANT(k))
    for (int in_place = 0; in_place <= !real; in_place++) {
      memset(y, 0xff, size);
      a.x = x, a.y = y;
      if (in_place) { // what lies between lines stays as it is
        memcpy(y, x, size);
        a.x = y;
        memset(want, 0, size), memcpy(want, x, size);
        a.y = want, a.x = x;
        tl_fft_lines_one(&a);
        a.x = a.y = y;
      }
      k->fft_lines(&a);
      if (memcmp(y, want, size) != 0)
        fail_msg("%s: %zu lines of %zu, type %d, %s, %s", k->variant, n_lines, n, (int)type,
                 wide ? "f64" : "f32", contiguous ? "contiguous" : "apart");
      memset(want, 0xff, size);
      a.x = x, a.y = want;
      tl_fft_lines_one(&a);
    }
  if (n_lines == 1) check_shared(&a, want, y, size, contiguous);
  // The control: the transform of the other direction.
  if (!real && n > 2) {
    memset(y, 0xff, size);
    a.x = x, a.y = y;
    a.type = type == TL_FFT_TYPE_FFT ? TL_FFT_TYPE_IFFT : TL_FFT_TYPE_FFT;
    tl_kernels_at(0)->fft_lines(&a);
    assert_memory_not_equal(y, want, size);
  }
  free(x), free(want), free(y), free(scratch);
  tl_arena_destroy(arena);
}

static void every_length(void **state) {
  (void)state;
  static const size_t lengths[] = {1,   2,   3,   4,   5,   6,    7,    8,   9,   12,
                                   13,  16,  22,  30,  31,  37,   64,   74,  105, 128,
                                   131, 192, 256, 341, 640, 1000, 1024, 1408};
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (size_t lines = 1; lines <= 18; lines += lines < 5 ? 1 : 6)
      for (int wide = 0; wide < 2; wide++) {
        check(lengths[i], lines, TL_FFT_TYPE_FFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_IFFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_FFT, wide, false);
        check(lengths[i], lines, TL_FFT_TYPE_IFFT, wide, false);
        check(lengths[i], lines, TL_FFT_TYPE_RFFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_IRFFT, wide, true);
      }
}

// Lines that go in blocks; 2^5 3^6 is a long one that does not.
static void long_lines(void **state) {
  (void)state;
  static const size_t lengths[] = {16384, 23328, 24576, 32768, 65536};
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (int wide = 0; wide < 2; wide++)
      for (size_t lines = 1; lines <= 2; lines++) {
        check(lengths[i], lines, TL_FFT_TYPE_FFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_IFFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_RFFT, wide, true);
        check(lengths[i], lines, TL_FFT_TYPE_IRFFT, wide, true);
      }
  assert_true(n_shared >= 4 * TL_COUNT(lengths));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_length), cmocka_unit_test(long_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
