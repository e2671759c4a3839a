// Draws by key: the numbers of jax.random (jax 0.12.0.1, threefry_partitionable), by bits where no
// device's log is in them; batches of keys; derivatives; wrong ones.
#include "program/testing.h"

#include <tlaloc/random.h>

#define SEED 0x123456789abcdef0

static const uint32_t split_3[6] = {0xed280379, 0xa0bb73c3, 0x7c4d1fd5,
                                    0x595dd64b, 0x612ee2fd, 0xa86e0e45};
static const uint32_t folded_7[2] = {0x3ab29d8e, 0x13e8830e},
                      folded_4e9[2] = {0x0de2c6ee, 0xba68b238};
static const uint32_t bits_6[6] = {0x4d9370ba, 0x2510c99e, 0xc940ecb8,
                                   0x8bff39d1, 0x1b5d82b4, 0xc4597e52};
static const float uniform_f32[4] = {0x1.364dc0p-2f, 0x1.288640p-3f, 0x1.9281d8p-1f,
                                     0x1.17fe70p-1f};
static const double uniform_f64[4] = {0x1.da5006f34176ep-1, 0x1.f1347f5565774p-2,
                                      0x1.84bb8bf6a1b80p-2, 0x1.6be67bcd341f8p-3};
static const double normal_f32[4] = {-0.5157029, -1.0590551, 0.793123, 0.117739856};
static const double normal_f64[4] = {1.4494341318134352, -0.03622412661832157, -0.30647453201597175,
                                     -0.9242207146831533};

static void near(const double *got, const double *want, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs(got[i] - want[i]) <= tolerance))
      fail_msg("number %zu is %.17g, wanted %.17g", i, got[i], want[i]);
}

// Of a key that is known, and of one that comes in.
static void as_jax_draws(void **state) {
  (void)state;
  for (int given = 0; given < 2; given++) {
    tl_program *p = NULL;
    tl_trace *t = tl_trace_begin("draws");
    tl_expr key = tl_input(t, "ui32[2]");
    if (!given) key = tl_key(t, SEED);
    tl_expr y[] = {tl_key_split(key, 3),
                   tl_key_fold_in(key, 7),
                   tl_key_fold_in(key, tl_convert(tl_full(t, 4000000000, "i64"), "ui32")),
                   tl_random_bits(key, "ui32[%d, 3]", 2),
                   tl_random_uniform(key, "f32[a: 2, 2]"),
                   tl_random_uniform(key, "f64[2, 2]"),
                   tl_convert(tl_random_normal(key, "f32[2, 2]"), "f64"),
                   tl_random_normal(key, "f64[2, 2]")};
    assert_ok(tl_trace_end(t, y, TL_COUNT(y), &p));
    assert_string_equal(tl_program_output_type(p, 4), "f32[a: 2, 2]");
    const char *devices[MAX_TEST_DEVICES];
    const size_t n = test_devices(devices);
    for (size_t d = 0; d < n; d++) {
      uint32_t words[2] = {(uint32_t)((uint64_t)SEED >> 32), (uint32_t)SEED}, split[6], seven[2],
               large[2], bits[6];
      float u32[4];
      double u64[4], n32[4], n64[4];
      tl_array in = TL_ARRAY(words),
               out[] = {TL_ARRAY(split), TL_ARRAY(seven), TL_ARRAY(large), TL_ARRAY(bits),
                        TL_ARRAY(u32),   TL_ARRAY(u64),   TL_ARRAY(n32),   TL_ARRAY(n64)};
      assert_ok(tl_program_run_on(p, &(tl_run_options){.device = devices[d]}, &in, 1, out,
                                  TL_COUNT(out)));
      assert_memory_equal(split, split_3, sizeof split);
      assert_memory_equal(seven, folded_7, sizeof seven);
      assert_memory_equal(large, folded_4e9, sizeof large);
      assert_memory_equal(bits, bits_6, sizeof bits);
      assert_memory_equal(u32, uniform_f32, sizeof u32);
      assert_memory_equal(u64, uniform_f64, sizeof u64);
      near(n32, normal_f32, 4, 1e-6);
      near(n64, normal_f64, 4, 1e-14);
    }
    tl_program_release(p);
  }
}

// vmap over keys draws for each; a size may have a name; no derivative goes through a key.
static void batches_and_derivatives(void **state) {
  (void)state;
  tl_program *f = NULL, *g = NULL, *each = NULL;
  tl_trace *t = tl_trace_begin("f");
  tl_expr key = tl_input(t, "ui32[2]"), x = tl_input(t, "f64[n]");
  tl_expr y = tl_sum(tl_mul(x, tl_random_uniform(key, "f64[n]")));
  assert_ok(tl_trace_end(t, &y, 1, &f));
  assert_ok(tl_program_grad(f, &(tl_derive_options){TL_WRT(0, 1)}, &g));
  assert_ok(tl_program_vmap(
      g, &(tl_batch_options){.size = 2, .in_axes = (int64_t[]){0, TL_NOT_BATCHED}}, &each));
  uint32_t keys[2][2] = {{(uint32_t)((uint64_t)SEED >> 32), (uint32_t)SEED}, {1, 2}},
           by_key[2][2] = {{1, 1}, {1, 1}}, one_by_key[2];
  double X[4] = {1, 2, 3, 4}, slopes[2][4], one[4];
  const int64_t four = 4;
  tl_array in[] = {TL_ARRAY(keys), TL_ARRAY(X)}, out[] = {TL_ARRAY(by_key), TL_ARRAY(slopes)};
  in[1].dims = &four, in[1].rank = 1;
  assert_ok(tl_program_run(each, in, 2, out, 2));
  near(slopes[0], uniform_f64, 4, 0);
  for (int k = 0; k < 4; k++)
    assert_int_equal(by_key[k / 2][k % 2], 0);
  tl_array in_1[] = {TL_ARRAY(keys[1]), in[1]}, out_1[] = {TL_ARRAY(one_by_key), TL_ARRAY(one)};
  assert_ok(tl_program_run(g, in_1, 2, out_1, 2));
  near(slopes[1], one, 4, 0);
  assert_true(slopes[1][0] != slopes[0][0]);
  tl_program_release(f);
  tl_program_release(g);
  tl_program_release(each);
}

static void wrong(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("f");
  int line = __LINE__ + 1;
  assert_null(tl_random_uniform(tl_input(t, "f32[2]"), "f32[4]"));
  says(t, line, "random_uniform: the key is f32[2], wants ui32[2] [tlaloc-dtype-mismatch]");
  t = tl_trace_begin("f");
  line = __LINE__ + 1;
  assert_null(tl_random_normal(tl_key_split(tl_key(t, 1), 2), "f32[4]"));
  says(t, line, "random_normal: the key is ui32[2, 2], wants ui32[2] [tlaloc-shape-mismatch]");
  t = tl_trace_begin("f");
  line = __LINE__ + 1;
  assert_null(tl_random_normal(tl_key(t, 1), "i32[4]"));
  says(t, line, "random_normal: of i32; wants f32 or f64 [tlaloc-dtype-unsupported]");
  t = tl_trace_begin("f");
  line = __LINE__ + 1;
  assert_null(tl_random_bits(tl_key(t, 1), "f32[4]"));
  says(t, line, "random_bits: of f32; wants ui32 [tlaloc-dtype-unsupported]");
  t = tl_trace_begin("f");
  line = __LINE__ + 1;
  assert_null(tl_key_split(tl_key(t, 1), -1));
  says(t, line, "key_split: -1 keys [tlaloc-bad-argument]");
  t = tl_trace_begin("f");
  line = __LINE__ + 1;
  assert_null(tl_key_fold_in(tl_key(t, 1), tl_input(t, "f32")));
  says(t, line,
       "key_fold_in: the number is f32, wants a scalar of i32 or ui32 [tlaloc-dtype-mismatch]");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_jax_draws),
                                     cmocka_unit_test(batches_and_derivatives),
                                     cmocka_unit_test(wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
