// rms_norm, softmax, rope, swiglu and kv_write against their formulas written out, by bits, in
// place and with strides.
#include "cpu/kernels/testing.h"

#include "base/minifloat.h"

static const size_t lengths[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 100, 576};
enum { ROWS = 3, MOST = 600 };

static void test_rms_norm(void **state) {
  (void)state;
  float x[ROWS * MOST], y[ROWS * MOST], want[ROWS * MOST], w[MOST];
  for (size_t i = 0; i < TL_COUNT(lengths); i++) {
    const size_t n = lengths[i], s = n + 3;
    memset(want, 0xff, sizeof want);
    test_fill(x, TL_COUNT(x)), test_fill(w, n);
    for (size_t r = 0; r < ROWS; r++) {
      float lane[16] = {0};
      double exact = 0;
      for (size_t j = 0; j < n; j++) {
        float square = x[r * s + j] * x[r * s + j];
        lane[j % 16] += square;
        exact += (double)x[r * s + j] * (double)x[r * s + j];
      }
      const float k = 1.0f / sqrtf(tl_sum16_tree(lane) / (float)n + 1e-5f);
      for (size_t j = 0; j < n; j++) {
        want[r * s + j] = x[r * s + j] * k * w[j];
        double e = (double)x[r * s + j] / sqrt(exact / (double)n + 1e-5) * (double)w[j];
        assert_true(fabs((double)want[r * s + j] - e) <=
                    fabs(e) * 8e-6); // some n/16 + 8 roundings of half an ulp
      }
    }
    for (TEST_EACH_VARIANT(k)) {
      memset(y, 0xff, sizeof y);
      tl_rms_norm_args a = {
          .x = x, .x_stride = s, .w = w, .y = y, .y_stride = s, .rows = ROWS, .n = n, .eps = 1e-5f};
      k->rms_norm(&a);
      test_same(k, "rms_norm", y, want, ROWS * s);
      memcpy(y, x, sizeof y);
      a.x = y;
      k->rms_norm(&a);
      for (size_t r = 0; r < ROWS; r++)
        test_same(k, "rms_norm in place", y + r * s, want + r * s, n);
    }
  }
}

static void test_softmax(void **state) {
  (void)state;
  float x[ROWS * MOST], y[ROWS * MOST], want[ROWS * MOST];
  for (size_t i = 0; i < TL_COUNT(lengths); i++) {
    const size_t n = lengths[i], s = n + 1;
    memset(want, 0xff, sizeof want);
    test_fill(x, TL_COUNT(x));
    for (size_t j = 0; j < TL_COUNT(x); j++)
      x[j] *= 20;
    if (n > 2) x[1] = -INFINITY, x[2 * s + n - 1] = NAN;
    for (size_t r = 0; r < ROWS; r++) {
      float m = -INFINITY, lane[16] = {0};
      for (size_t j = 0; j < n; j++)
        m = tl_max_f32(m, x[r * s + j]);
      for (size_t j = 0; j < n; j++)
        want[r * s + j] = tl_exp_f32(x[r * s + j] - m), lane[j % 16] += want[r * s + j];
      const float l = tl_sum16_tree(lane);
      for (size_t j = 0; j < n; j++)
        want[r * s + j] /= l;
    }
    for (TEST_EACH_VARIANT(k)) {
      memset(y, 0xff, sizeof y);
      k->softmax(
          &(tl_softmax_args){.x = x, .x_stride = s, .y = y, .y_stride = s, .rows = ROWS, .n = n});
      for (size_t j = 0; j < ROWS * s; j++)
        if (n > 2 && j >= 2 * s && j % s < n)
          assert_true(isnan(y[j])); // the whole row; the sign of a NaN is nobody's promise
        else
          test_same(k, "softmax", y + j, want + j, 1);
      memcpy(y, x, sizeof y);
      k->softmax(
          &(tl_softmax_args){.x = y, .x_stride = s, .y = y, .y_stride = s, .rows = 2, .n = n});
      for (size_t r = 0; r < 2; r++)
        test_same(k, "softmax in place", y + r * s, want + r * s, n);
    }
  }
}

static void test_rope(void **state) {
  (void)state;
  enum { T = 5, P = 9 };
  static const size_t dims[] = {2, 16, 20, 32, 64, 66, 128};
  const int32_t positions[T] = {0, 8, -3, 100, 4};
  for (size_t i = 0; i < TL_COUNT(dims); i++)
    for (size_t H = 1; H <= 3; H++) {
      const size_t D = dims[i], half = D / 2, s = H * D + 1;
      float *x = test_alloc(T * s * 4), *y = test_alloc(T * s * 4), *want = test_alloc(T * s * 4);
      float *cos_t = test_alloc(P * half * 4), *sin_t = test_alloc(P * half * 4);
      test_fill(x, T * s), test_fill(cos_t, P * half), test_fill(sin_t, P * half);
      for (size_t t = 0; t < T; t++)
        for (size_t h = 0; h < H; h++)
          for (size_t d = 0; d < half; d++) {
            const size_t p = (size_t)TL_MIN(TL_MAX(positions[t], 0), P - 1), a = t * s + h * D + d,
                         b = a + half;
            const float c = cos_t[p * half + d], n = sin_t[p * half + d];
            const float ac = x[a] * c, bn = x[b] * n, bc = x[b] * c, an = x[a] * n;
            want[a] = ac - bn, want[b] = bc + an;
          }
      for (TEST_EACH_VARIANT(k)) {
        memset(y, 0xff, T * s * 4);
        tl_rope_args r = {.x = x,
                          .x_stride = s,
                          .cos = cos_t,
                          .sin = sin_t,
                          .positions = positions,
                          .y = y,
                          .y_stride = s,
                          .T = T,
                          .H = H,
                          .D = D,
                          .P = P};
        k->rope(&r);
        test_same(k, "rope", y, want, T * s);
        memcpy(y, x, T * s * 4);
        r.x = y;
        k->rope(&r);
        for (size_t t = 0; t < T; t++)
          test_same(k, "rope in place", y + t * s, want + t * s, H * D);
      }
      free(x), free(y), free(want), free(cos_t), free(sin_t);
    }
}

static void test_swiglu(void **state) {
  (void)state;
  float g[MOST], u[MOST], y[MOST], want[MOST];
  for (size_t i = 0; i < TL_COUNT(lengths); i++) {
    const size_t n = lengths[i];
    test_fill(g, MOST), test_fill(u, MOST);
    memset(want, 0xff, sizeof want);
    for (size_t j = 0; j < n; j++)
      g[j] *= 90, want[j] = g[j] * tl_logistic_f32(g[j]) * u[j];
    for (TEST_EACH_VARIANT(k)) {
      memset(y, 0xff, sizeof y);
      k->swiglu(&(tl_swiglu_args){.g = g, .u = u, .y = y, .n = n});
      test_same(k, "swiglu", y, want, MOST);
    }
  }
}

static void test_kv_write(void **state) {
  (void)state;
  enum { T = 6, SLOTS = 10 };
  static const size_t widths[] = {1, 15, 16, 17, 64, 192};
  const int32_t slots[T] = {3, -1, 0, 9, 10, INT32_MAX};
  for (size_t i = 0; i < TL_COUNT(widths); i++)
    for (TEST_EACH_VARIANT(k)) {
      const size_t w = widths[i], s = w + 2;
      float kv[T * 200], pool[SLOTS * 192];
      uint16_t half[SLOTS * 192], f16[SLOTS * 192];
      test_fill(kv, TL_COUNT(kv));
      kv[0] = NAN, kv[2 * s] = INFINITY;
      memset(pool, 0x55, sizeof pool), memset(half, 0x55, sizeof half);
      memset(f16, 0x55, sizeof f16);
      tl_kv_write_args a = {.kv = kv,
                            .kv_stride = s,
                            .slots = slots,
                            .pool = pool,
                            .elem = TL_POOL_F32,
                            .T = T,
                            .width = w,
                            .n_slots = SLOTS};
      k->kv_write(&a);
      a.pool = half, a.elem = TL_POOL_BF16;
      k->kv_write(&a);
      a.pool = f16, a.elem = TL_POOL_F16;
      k->kv_write(&a);
      for (size_t slot = 0; slot < SLOTS; slot++)
        for (size_t d = 0; d < w; d++) {
          uint32_t want = 0x55555555;
          uint16_t want16 = 0x5555, want_f16 = 0x5555;
          for (size_t t = 0; t < T; t++)
            if (slots[t] == (int32_t)slot)
              want = tl_bits_of_f32(kv[t * s + d]), want16 = tl_bf16_of_f32(kv[t * s + d]),
              want_f16 = tl_f16_of_f32(kv[t * s + d]);
          assert_int_equal(tl_bits_of_f32(pool[slot * w + d]), want);
          assert_int_equal(half[slot * w + d], want16);
          assert_int_equal(f16[slot * w + d], want_f16);
        }
    }
}

// Into 8 bits: every number a step and a half of the coding, and what is no number.
static void test_kv_write_8_bits(void **state) {
  (void)state;
  enum { T = 9, HEADS = 3, SLOTS = 10, MOST_D = 64 };
  static const size_t sizes[] = {1, 2, 15, 16, 17, 64};
  const int32_t slots[T] = {3, -1, 0, 9, 10, 5, 4, 7, 8};
  for (size_t i = 0; i < TL_COUNT(sizes); i++)
    for (TEST_EACH_VARIANT(k)) {
      const size_t D = sizes[i], width = HEADS * D, row = D + TL_KV_SCALE;
      static float kv[T * HEADS * MOST_D];
      static uint8_t fp8[SLOTS * HEADS * MOST_D], i8[SLOTS * HEADS * (MOST_D + 4)];
      test_fill(kv, TL_COUNT(kv));
      for (size_t t = 0; t < T; t++)
        for (size_t d = 0; d < width; d++) {
          float *x = &kv[t * width + d];
          if (t == 2) *x = (float)((int)(test_u32() % 509) - 254) / 2; // halves, with a scale of 1
          if (t == 3) *x *= 1000;                                      // past 448
          if (t == 5) *x *= 0x1p-7f;                                   // e4m3's subnormals
          if (t == 6) *x = d % 2 ? 0.0f : -0.0f;
          if (t == 7) *x *= 0x1p-145f;
        }
      for (size_t h = 0; h < HEADS; h++)
        kv[2 * width + h * D] = h ? 127 : -127;
      kv[8 * width] = NAN, kv[8 * width + D] = -INFINITY;
      memset(fp8, 0x55, sizeof fp8), memset(i8, 0x55, sizeof i8);
      tl_kv_write_args a = {.kv = kv,
                            .kv_stride = width,
                            .slots = slots,
                            .pool = fp8,
                            .elem = TL_POOL_E4M3,
                            .T = T,
                            .width = width,
                            .n_slots = SLOTS,
                            .heads = HEADS};
      k->kv_write(&a);
      a.pool = i8, a.elem = TL_POOL_I8;
      k->kv_write(&a);
      bool written[SLOTS] = {false};
      for (size_t t = 0; t < T; t++) {
        if (slots[t] < 0 || slots[t] >= SLOTS) continue;
        written[slots[t]] = true;
        for (size_t h = 0; h < HEADS; h++) {
          const float *x = kv + t * width + h * D;
          const uint8_t *f = fp8 + (size_t)slots[t] * width + h * D,
                        *c = i8 + ((size_t)slots[t] * HEADS + h) * row;
          float s = 0, stored;
          for (size_t d = 0; d < D; d++)
            s = tl_max_f32(s, fabsf(x[d]));
          s = s / 127 == 0 ? 1 : s / 127;
          memcpy(&stored, c + D, sizeof stored);
          assert_int_equal(tl_bits_of_f32(stored), tl_bits_of_f32(s));
          for (size_t d = 0; d < D; d++) {
            const double within = x[d] > 448 ? 448 : x[d] < -448 ? -448 : (double)x[d];
            assert_int_equal(f[d], tl_minifloat_of_f64(TL_MINIFLOAT_F8E4M3FN, within));
            const float q = x[d] / s;
            const int want = isfinite(q) ? (int)fmaxf(-127, fminf(127, roundf(q))) : 0;
            assert_int_equal((int8_t)c[d], want);
            if (isfinite(x[d]) &&
                isfinite(s)) // within half a step, but for the quotient's rounding
              assert_true(fabs((double)x[d] - (double)want * (double)s) <= (double)s * 0.50001);
          }
        }
      }
      for (size_t slot = 0; slot < SLOTS; slot++)
        if (!written[slot]) {
          assert_int_equal(fp8[slot * width], 0x55);
          assert_int_equal(i8[slot * HEADS * row], 0x55);
        }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants),       cmocka_unit_test(test_rms_norm),
      cmocka_unit_test(test_softmax),        cmocka_unit_test(test_rope),
      cmocka_unit_test(test_swiglu),         cmocka_unit_test(test_kv_write),
      cmocka_unit_test(test_kv_write_8_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
