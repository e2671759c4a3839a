// Named ops: their bits against the same formulas written out step by step, and the corners that
// values do not show. That the values are right is checked against numpy in float64
// (tests/ref/ops); that the decompositions give the same bits, beside them.
#include "ref/ref_test.h"

#include "ref/elementary.h"

static uint32_t seed = 7;
static float next(void) {
  seed = seed * 1664525u + 1013904223u;
  return (float)(int32_t)seed / 1073741824.0f;
}
static void fill(float *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    x[i] = next();
}

static void test_rms_norm_bits(void **state) {
  (void)state;
  enum { ROWS = 3, N = 67 };
  static float x[ROWS * N], w[N];
  fill(x, ROWS * N), fill(w, N);
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, ROWS, N), TENSOR(w, TL_DTYPE_F32, N)}, got;
  tl_value a[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)},
           y = tlo_rms_norm(&f.b, a[0], a[1], 1e-5);
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 2, &got);
  for (size_t r = 0; r < ROWS; r++) {
    float square[N];
    for (size_t i = 0; i < N; i++)
      square[i] = x[r * N + i] * x[r * N + i];
    float mean = tl_sum16_f32(square, 1, N) / (float)N, root = sqrtf(mean + 1e-5f),
          scale = 1.0f / root;
    for (size_t i = 0; i < N; i++) {
      float scaled = x[r * N + i] * scale, want = scaled * w[i];
      assert_true(((float *)got.data)[r * N + i] == want);
    }
  }
  fixture_end(&f);
}

static void test_softmax_and_swiglu_bits(void **state) {
  (void)state;
  enum { N = 45, C = 2 }; // along dim 0, a step of C apart
  static float x[N * C], u[N * C];
  fill(x, N * C), fill(u, N * C);
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, N, C), TENSOR(u, TL_DTYPE_F32, N, C)}, got[2];
  tl_value a[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_value y[] = {tlo_softmax(&f.b, a[0], 0), tlo_swiglu(&f.b, a[0], a[1])};
  fixture_run(&f, TL_REF_AS_TYPED, y, 2, in, 2, got);
  for (size_t c = 0; c < C; c++) {
    float e[N], m = -INFINITY;
    for (size_t i = 0; i < N; i++)
      m = fmaxf(m, x[i * C + c]);
    for (size_t i = 0; i < N; i++)
      e[i] = tl_exp_f32(x[i * C + c] - m);
    float total = tl_sum16_f32(e, 1, N);
    for (size_t i = 0; i < N; i++)
      assert_true(((float *)got[0].data)[i * C + c] == e[i] / total);
  }
  for (size_t i = 0; i < N * C; i++) {
    float gate = x[i] * tl_logistic_f32(x[i]), want = gate * u[i];
    assert_true(((float *)got[1].data)[i] == want);
  }
  fixture_end(&f);
}

// One sequence of 150 keys in blocks of 7, three query heads a key head, and a row that sees only 5
// of them. Pools of f32 and of bf16. Every block that belongs to nobody, and every position past
// the length, is NaN: none may be read.
enum { KEYS = 150, BS = 7, TABLE = 24, BLOCKS = 40, KVH = 2, G = 3, D = 70 };

static void expected_attention(const float *q, const float *k, const float *v, size_t n,
                               float scale, float *out) {
  float s[KEYS], m = -INFINITY;
  for (size_t j = 0; j < n; j++) {
    s[j] = tl_dot_f32(q, 1, k + j * KVH * D, 1, D) * scale;
    m = tl_max_f32(m, s[j]);
  }
  for (size_t j = 0; j < n; j++)
    s[j] = tl_exp_f32(s[j] - m);
  float total = tl_sum16_f32(s, 1, n);
  for (size_t j = 0; j < n; j++)
    s[j] = s[j] / total;
  for (size_t d = 0; d < D; d++)
    out[d] = tl_dot_f32(s, 1, v + d, KVH * D, n);
}

static void check_attention(bool narrow) {
  static float q[2 * KVH * G * D], k[KEYS * KVH * D], v[KEYS * KVH * D];
  static float pools[2][BLOCKS * BS * KVH * D];
  static uint16_t narrow_pools[2][BLOCKS * BS * KVH * D];
  int32_t table[TABLE], lengths[2] = {KEYS, 5};
  fill(q, TL_COUNT(q)), fill(k, TL_COUNT(k)), fill(v, TL_COUNT(v));
  if (narrow)
    for (size_t i = 0; i < TL_COUNT(k); i++)
      k[i] = tl_f32_of_bf16(tl_bf16_of_f32(k[i])), v[i] = tl_f32_of_bf16(tl_bf16_of_f32(v[i]));
  for (size_t i = 0; i < TL_COUNT(pools[0]); i++)
    pools[0][i] = pools[1][i] = NAN;
  for (int32_t i = 0; i < TABLE; i++)
    table[i] = (i * 11 + 3) % BLOCKS; // distinct
  for (size_t j = 0; j < KEYS; j++) {
    size_t at = ((size_t)table[j / BS] * BS + j % BS) * KVH * D;
    memcpy(pools[0] + at, k + j * KVH * D, KVH * D * sizeof(float));
    memcpy(pools[1] + at, v + j * KVH * D, KVH * D * sizeof(float));
  }
  for (size_t i = 0; i < TL_COUNT(pools[0]); i++)
    narrow_pools[0][i] = tl_bf16_of_f32(pools[0][i]),
    narrow_pools[1][i] = tl_bf16_of_f32(pools[1][i]);
  fixture f = fixture_begin();
  tl_dtype d = narrow ? TL_DTYPE_BF16 : TL_DTYPE_F32;
  void *kp = narrow ? (void *)narrow_pools[0] : (void *)pools[0],
       *vp = narrow ? (void *)narrow_pools[1] : (void *)pools[1];
  tl_tensor in[] = {TENSOR(q, TL_DTYPE_F32, 2, KVH * G, D), TENSOR(kp, d, BLOCKS, BS, KVH, D),
                    TENSOR(vp, d, BLOCKS, BS, KVH, D), TENSOR(table, TL_DTYPE_S32, 1, TABLE),
                    TENSOR(lengths, TL_DTYPE_S32, 2)};
  tl_value a[5];
  for (size_t i = 0; i < 5; i++)
    a[i] = tl_func_arg(&f.b, in[i].type);
  tl_value y = tlo_paged_attention(&f.b, a[0], a[1], a[2], a[3], a[4], NULL, 0.125, 0, 0);
  tl_tensor got, wide;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 5, &got);
  fixture_run(&f, TL_REF_F64, &y, 1, in, 5, &wide);
  size_t reversed = 0;
  for (size_t n = 0; n < 2; n++)
    for (size_t h = 0; h < KVH * G; h++) {
      float want[D], other[D];
      size_t at = (n * KVH * G + h) * D;
      expected_attention(q + at, k + h / G * D, v + h / G * D, (size_t)lengths[n], 0.125f, want);
      assert_memory_equal((float *)got.data + at, want, sizeof want);
      for (size_t i = 0; i < D; i++)
        assert_true(fabs(element(&wide, at + i) - (double)want[i]) < 1e-5);
      expected_attention(q + at, k + h % KVH * D, v + h % KVH * D, (size_t)lengths[n], 0.125f,
                         other);
      reversed += memcmp(want, other, sizeof want) != 0;
    }
  assert_true(reversed >=
              KVH); // the control: heads that read another key head's pages give other bits
  fixture_end(&f);
}
static void test_attention_bits(void **state) {
  (void)state;
  check_attention(false);
  check_attention(true);
}

static void test_attention_of_nothing(
    void **state) { // length 0 (and less) gives zeros; a wild table number is clamped
  (void)state;
  float q[4] = {1, 2, 3, 4}, k[4] = {1, 0, 0, 1}, v[4] = {5, 6, 7, 8};
  int32_t table[2] = {INT32_MAX, INT32_MIN}, lengths[2] = {0, 1};
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(q, TL_DTYPE_F32, 2, 1, 2), TENSOR(k, TL_DTYPE_F32, 2, 1, 1, 2),
                    TENSOR(v, TL_DTYPE_F32, 2, 1, 1, 2), TENSOR(table, TL_DTYPE_S32, 1, 2),
                    TENSOR(lengths, TL_DTYPE_S32, 2)};
  tl_value a[5];
  for (size_t i = 0; i < 5; i++)
    a[i] = tl_func_arg(&f.b, in[i].type);
  tl_value y = tlo_paged_attention(&f.b, a[0], a[1], a[2], a[3], a[4], NULL, 1, 0, 1);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 5, &got);
  static const float want[] = {0, 0, 7, 8};
  assert_memory_equal(got.data, want, sizeof want);
  lengths[0] = -3;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 5, &got);
  assert_memory_equal(got.data, want, sizeof want);
  lengths[1] = INT32_MAX; // cut to the table's two positions
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 5, &got);
  assert_true(isfinite(((float *)got.data)[2]) && ((float *)got.data)[2] > 5 &&
              ((float *)got.data)[2] < 7);
  fixture_end(&f);
}

static void
test_cache_write_drops(void **state) { // what lies outside of the window that begins at block 1
  (void)state;
  float cache[3 * 2] = {0}, rows[6] = {1, 2, 3, 4, 5, 6};
  int32_t slots[6] = {-1, 4, 3, INT32_MIN, 0, INT32_MAX};
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(cache, TL_DTYPE_F32, 3, 2, 1, 1), TENSOR(rows, TL_DTYPE_F32, 6, 1, 1),
                    TENSOR(slots, TL_DTYPE_S32, 6)};
  tl_value a[3];
  for (size_t i = 0; i < 3; i++)
    a[i] = tl_func_arg(&f.b, in[i].type);
  tl_value y = tlo_kv_cache_write(&f.b, a[0], a[1], a[2], 1);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 3, &got);
  static const float want[6] = {0, 0, 5, 0, 0, 3};
  assert_memory_equal(got.data, want, sizeof want);
  for (size_t i = 0; i < 6; i++)
    assert_true(cache[i] == 0);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rms_norm_bits),     cmocka_unit_test(test_softmax_and_swiglu_bits),
      cmocka_unit_test(test_attention_bits),    cmocka_unit_test(test_attention_of_nothing),
      cmocka_unit_test(test_cache_write_drops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
