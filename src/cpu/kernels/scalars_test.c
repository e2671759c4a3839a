// Every instruction of scalars.def on every type: each variant gives the scalar one's bits, at
// every length around a vector's, in place and apart.
#include "cpu/kernels/testing.h"
#include "cpu/kernels/testing_scalars.h"

enum { N = 70 };

// Numbers of every size, small ones, and what is special.
static void fill(tl_reg r, uint8_t *p) {
  static const float special[] = {0.0f,  -0.0f, INFINITY, -INFINITY,     0.5f,
                                  -2.5f, 3e38f, 1e-40f,   2147483648.0f, -9e18f};
  for (size_t i = 0; i < N; i++) {
    uint64_t bits = (uint64_t)test_u32() << 32 | test_u32();
    if (test_u32() % 2) bits = (uint64_t)(int64_t)(int32_t)(test_u32() % 70) - 3;
    float f = test_u32() % 4 ? test_f32() * 1000.0f : special[test_u32() % TL_COUNT(special)];
    double d = test_u32() % 2 ? (double)f : (double)test_f32() * 1e20;
    if (r == TL_REG_I1) bits &= 1;
    memcpy(p + i * reg_sizes[r],
           r == TL_REG_F32   ? (void *)&f
           : r == TL_REG_F64 ? (void *)&d
                             : (void *)&bits,
           reg_sizes[r]);
  }
}

// By bits; under memcheck any NaN is like any other.
static bool same(tl_reg r, const uint8_t *x, const uint8_t *y) {
  if (!test_memcheck() || (r != TL_REG_F32 && r != TL_REG_F64)) return memcmp(x, y, N * 8) == 0;
  for (size_t i = 0; i < N * 8; i += reg_sizes[r]) {
    double a, b;
    float f, g;
    memcpy(&f, x + i, sizeof f), memcpy(&g, y + i, sizeof g);
    a = (double)f, b = (double)g;
    if (r == TL_REG_F64) memcpy(&a, x + i, sizeof a), memcpy(&b, y + i, sizeof b);
    if (memcmp(x + i, y + i, reg_sizes[r]) != 0 && !(isnan(a) && isnan(b))) return false;
  }
  return true;
}

static void variants_give_the_same_bits(void **state) {
  (void)state;
  uint8_t *x[3], *want = test_alloc(N * 8), *got = test_alloc(N * 8);
  for (int k = 0; k < 3; k++)
    x[k] = test_alloc(N * 8);
  size_t cases = 0;
  for (size_t w = 0; w < TL_COUNT(rows); w++)
    for (int from = 0; from < TL_REG_COUNT; from++)
      for (int to = 0; to < TL_REG_COUNT; to++) {
        if (!has(&rows[w], (tl_reg)from, (tl_reg)to)) continue;
        cases++;
        for (int k = 0; k < 3; k++)
          fill(k == 0 && rows[w].op == TL_SCALAR_SELECT ? TL_REG_I1 : (tl_reg)from, x[k]);
        for (size_t n = 0; n <= N; n += n < 36 ? 1 : 17) {
          memset(want, 0xA5, N * 8);
          tl_scalars_args a = {rows[w].op, (tl_reg)to, (tl_reg)from, x[0], x[1], x[2], want, n};
          tl_kernels_at(0)->scalars(&a);
          for (size_t i = n * reg_sizes[to]; i < N * 8; i++)
            assert_int_equal(want[i], 0xA5); // nothing behind the last
          for (TEST_EACH_VARIANT(k)) {
            memset(got, 0xA5, N * 8);
            a.z = got;
            k->scalars(&a);
            if (!same((tl_reg)to, got, want))
              fail_msg("%s %s, types %d to %d, %zu elements", k->variant, rows[w].name, from, to,
                       n);
            if (reg_sizes[from] != reg_sizes[to] || rows[w].op == TL_SCALAR_SELECT) continue;
            memcpy(got, x[0], N * 8); // over its first operand
            a.a = a.z = got;
            k->scalars(&a);
            a.a = x[0];
            memcpy(got + n * reg_sizes[to], want + n * reg_sizes[to], N * 8 - n * reg_sizes[to]);
            assert_true(same((tl_reg)to, got, want));
          }
        }
      }
  assert_in_range(cases, 300, 10000);
  for (int k = 0; k < 3; k++)
    free(x[k]);
  free(want), free(got);
}

// A sum in pieces is the sum of the whole, in the documented order.
static void sums_have_sixteen_lanes(void **state) {
  (void)state;
  enum { LEN = 100 };
  float x[LEN];
  double y[LEN];
  test_fill(x, LEN);
  for (int i = 0; i < LEN; i++)
    y[i] = (double)x[i] * 1.000000001;
  for (TEST_EACH_VARIANT(k)) {
    for (size_t n = 0; n <= LEN; n++) {
      float lane[16] = {0};
      double wide[16] = {0};
      for (size_t at = 0; at < n; at += 48) {
        const size_t some = TL_MIN(n - at, (size_t)48);
        k->sum16(&(tl_sum16_args){false, lane, x + at, some});
        k->sum16(&(tl_sum16_args){true, wide, y + at, some});
      }
      const float want = tl_sum16_f32(x, 1, n);
      test_same(k, "sum16", &(float){tl_sum16_tree(lane)}, &want, 1);
      for (size_t half = 8; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
          wide[i] += wide[i + half];
      const double want_wide = tl_sum16_f64(y, 1, n);
      assert_memory_equal(&wide[0], &want_wide, 8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                     cmocka_unit_test(variants_give_the_same_bits),
                                     cmocka_unit_test(sums_have_sixteen_lanes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
