// The elementary functions against libm in f64, and the vector kernels against the scalar functions
// by bits.
#include "cpu/kernels/testing.h"

static const uint32_t special[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff,
    0x42b17217, 0x42b17218, 0xc2ce8ed0, 0xc2cff1b4, 0xc2cff1b5, 0x3f200000, 0x3f1fffff,
    0xbf200000, 0x41100000, 0x3f3504f3, 0x3f3504f2, 0x3fb504f3, 0x3fb504f4, 0x7fc12345};

static double unit(double y) { // of the last place of an f32 that holds y
  int e;
  if (fabs(y) < 0x1p-126) return 0x1p-149;
  (void)frexp(y, &e);
  return ldexp(1, e - 24);
}

static double exact_logistic(double x) { return 1 / (1 + exp(-x)); }

// Every 4099th number; the bounds hold for every number (elementary.h), which takes minutes to ask.
static void check_errors(float (*f)(float), double (*exact)(double), double most, double floor) {
  double worst = 0;
  for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 4099) {
    const float x = tl_f32_of_bits((uint32_t)u), y = f(x);
    const double want = exact((double)x);
    if (want != want) {
      assert_true(y != y);
    } else if (fabs(want) >= 0x1.ffffffp+127) {
      assert_true(isinf(y) && (y > 0) == (want > 0));
    } else if (fabs(want) >= floor) {
      double e = fabs((double)y - want) / unit(want);
      worst = e > worst ? e : worst;
    }
  }
  if (worst > most || worst < 0.5)
    fail_msg("greatest error %.3f ulp, want at most %.3f", worst, most);
}

static void test_errors(void **state) {
  (void)state;
  check_errors(tl_exp_f32, exp, 0.91, 0);
  check_errors(tl_log_f32, log, 0.83, 0);
  check_errors(tl_tanh_f32, tanh, 1.84, 0);
  check_errors(tl_logistic_f32, exact_logistic, 2.49, 0x1p-126);
}

static void test_special(void **state) {
  (void)state;
  assert_true(tl_exp_f32(-INFINITY) == 0 && tl_exp_f32(INFINITY) == INFINITY &&
              tl_exp_f32(0) == 1 && isnan(tl_exp_f32(NAN)));
  assert_true(tl_log_f32(0) == -INFINITY && tl_log_f32(-0.0f) == -INFINITY &&
              tl_log_f32(INFINITY) == INFINITY);
  assert_true(isnan(tl_log_f32(-1)) && isnan(tl_log_f32(-INFINITY)) && isnan(tl_log_f32(NAN)) &&
              tl_log_f32(1) == 0);
  assert_true(tl_tanh_f32(INFINITY) == 1 && tl_tanh_f32(-INFINITY) == -1 &&
              isnan(tl_tanh_f32(NAN)));
  assert_true(signbit(tl_tanh_f32(-0.0f)) && tl_tanh_f32(-0.0f) == 0);
  assert_true(tl_logistic_f32(INFINITY) == 1 && tl_logistic_f32(-INFINITY) == 0 &&
              tl_logistic_f32(0) == 0.5f);
  assert_true(isnan(tl_max_f32(NAN, 1)) && isnan(tl_min_f32(1, NAN)));
  assert_true(!signbit(tl_max_f32(-0.0f, 0.0f)) && signbit(tl_min_f32(0.0f, -0.0f)));
  assert_true(tl_exp_f32(-103.5f) == 0x1p-149f && tl_exp_f32(88.72283f) < INFINITY &&
              tl_exp_f32(88.72284f) == INFINITY);
}

static float scalar_unary(tl_unary_op op, float x) {
  switch (op) {
  case TL_UNARY_NEG:
    return -x;
  case TL_UNARY_ABS:
    return fabsf(x);
  case TL_UNARY_SQRT:
    return sqrtf(x);
  case TL_UNARY_RSQRT:
    return 1.0f / sqrtf(x);
  case TL_UNARY_EXP:
    return tl_exp_f32(x);
  case TL_UNARY_LOG:
    return tl_log_f32(x);
  case TL_UNARY_LOGISTIC:
    return tl_logistic_f32(x);
  case TL_UNARY_TANH:
    return tl_tanh_f32(x);
  case TL_UNARY_COUNT:
    break;
  }
  return 0;
}
static float scalar_binary(tl_binary_op op, float a, float b) {
  switch (op) {
  case TL_BINARY_ADD:
    return a + b;
  case TL_BINARY_SUB:
    return a - b;
  case TL_BINARY_MUL:
    return a * b;
  case TL_BINARY_DIV:
    return a / b;
  case TL_BINARY_MAX:
    return tl_max_f32(a, b);
  case TL_BINARY_MIN:
    return tl_min_f32(a, b);
  case TL_BINARY_COUNT:
    break;
  }
  return 0;
}

// A NaN must be met by a NaN; its sign and payload are nobody's promise (x86 gives either
// operand's).
static void same(const tl_kernels *k, const char *what, size_t op, float x, float got, float want) {
  if (tl_bits_of_f32(got) == tl_bits_of_f32(want) || (got != got && want != want)) return;
  fail_msg("%s %s %zu of %a is %a, want %a", k->variant, what, op, (double)x, (double)got,
           (double)want);
}

static void test_unary(void **state) {
  (void)state;
  enum { N = 4096 };
  static float x[N], y[N + 1];
  for (size_t op = 0; op < TL_UNARY_COUNT; op++)
    for (TEST_EACH_VARIANT(k)) {
      for (uint32_t round = 0; round < 128;
           round++) { // half a million numbers from all of the line
        for (uint32_t i = 0; i < N; i++)
          x[i] = tl_f32_of_bits(
              round == 0 && i < TL_COUNT(special) ? special[i] : (round * N + i) * 8191u + 5u * i);
        k->unary(&(tl_unary_args){.op = (tl_unary_op)op, .x = x, .y = y, .n = N});
        for (size_t i = 0; i < N; i++)
          same(k, "unary", op, x[i], y[i], scalar_unary((tl_unary_op)op, x[i]));
      }
      for (size_t n = 0; n < 50; n++) { // ends
        for (size_t i = 0; i <= n; i++)
          y[i] = 7;
        k->unary(&(tl_unary_args){.op = (tl_unary_op)op, .x = x + 1, .y = y, .n = n});
        for (size_t i = 0; i < n; i++)
          same(k, "end", op, x[i + 1], y[i], scalar_unary((tl_unary_op)op, x[i + 1]));
        assert_true(y[n] == 7);
      }
    }
}

static void test_binary(void **state) {
  (void)state;
  enum { S = TL_COUNT(special), N = S * S };
  static float a[N], b[N], y[N + 1];
  for (size_t i = 0; i < N; i++)
    a[i] = tl_f32_of_bits(special[i / S]), b[i] = tl_f32_of_bits(special[i % S]);
  for (size_t op = 0; op < TL_BINARY_COUNT; op++)
    for (TEST_EACH_VARIANT(k)) {
      for (int kind = 0; kind < 4; kind++)
        for (size_t n = kind == 0 ? N : 0; n <= (kind == 0 ? N : 40); n++) {
          const size_t as = kind & 1 ? 0 : 1, bs = kind & 2 ? 0 : 1;
          y[n] = 7;
          k->binary(&(tl_binary_args){.op = (tl_binary_op)op,
                                      .a = a + 30,
                                      .b = b + 30,
                                      .a_stride = as,
                                      .b_stride = bs,
                                      .y = y,
                                      .n = n > 30 ? n - 30 : 0});
          for (size_t i = 0; i + 30 < n; i++)
            same(k, "binary", op, a[30 + i * as], y[i],
                 scalar_binary((tl_binary_op)op, a[30 + i * as], b[30 + i * bs]));
          assert_true(y[n] == 7);
        }
      float t[20]; // the scalar operand's place may be written
      for (int i = 0; i < 20; i++)
        t[i] = (float)(i + 2);
      k->binary(&(tl_binary_args){
          .op = (tl_binary_op)op, .a = t, .b = t, .a_stride = 1, .b_stride = 0, .y = t, .n = 20});
      for (int i = 0; i < 20; i++)
        same(k, "in place", op, t[i], t[i], scalar_binary((tl_binary_op)op, (float)(i + 2), 2.0f));
    }
}

static void test_convert(void **state) {
  (void)state;
  enum { N = 1 << 16 };
  static float f[N], back[N];
  static uint16_t h[N], want[N];
  for (TEST_EACH_VARIANT(k)) {
    for (uint32_t i = 0; i < N; i++)
      h[i] = (uint16_t)i;
    for (int kind = 0; kind < 2; kind++) {
      const tl_convert_op widen = kind ? TL_CONVERT_F16_F32 : TL_CONVERT_BF16_F32,
                          narrow = kind ? TL_CONVERT_F32_F16 : TL_CONVERT_F32_BF16;
      for (uint32_t i = 0; i < N; i++)
        h[i] = (uint16_t)i;
      k->convert(&(tl_convert_args){.op = widen, .x = h, .y = back, .n = N});
      for (uint32_t i = 0; i < N; i++) {
        const float w = kind ? tl_f32_of_f16(h[i]) : tl_f32_of_bf16(h[i]);
        // a signalling NaN may come out quiet or not
        if (w == w) assert_int_equal(tl_bits_of_f32(back[i]), tl_bits_of_f32(w));
        assert_true((w != w) == (back[i] != back[i]));
      }
      for (uint32_t round = 0; round < 16; round++) {
        for (uint32_t i = 0; i < N; i++) {
          f[i] = tl_f32_of_bits((round * N + i) * 4093u);
          if (round == 1)
            f[i] = test_f32() * (kind ? 0x1p-14f : 0x1p-126f); // around the subnormals
          if (round == 2) f[i] = test_f32() * (kind ? 70000.0f : 0x1.ffp127f);
          want[i] = kind ? tl_f16_of_f32(f[i]) : tl_bf16_of_f32(f[i]);
        }
        const size_t n = N - round;
        memset(h, 0, sizeof h);
        k->convert(&(tl_convert_args){.op = narrow, .x = f, .y = h, .n = n});
        assert_memory_equal(h, want, n * sizeof *h);
      }
    }
  }
}

static void test_pick(void **state) {
  (void)state;
  assert_string_equal(tl_kernels_pick(0)->variant, "scalar");
  assert_string_equal(tl_kernels_pick(TL_ISA_AVX512F)->variant,
                      "scalar"); // a row needs all its bits
#if defined(__x86_64__)
  assert_string_equal(tl_kernels_pick(TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C)->variant, "avx2");
  assert_string_equal(tl_kernels_pick(~0u)->variant, "amx");
  assert_string_equal(tl_kernels_pick(~(uint32_t)TL_ISA_AMX_INT8)->variant, "bf16");
  assert_string_equal(tl_kernels_pick(~(uint32_t)(TL_ISA_AMX_INT8 | TL_ISA_BF16_CHAIN))->variant,
                      "vnni");
  assert_string_equal(tl_kernels_pick(~(uint32_t)(TL_ISA_AMX_INT8 | TL_ISA_BF16_FAST))->variant,
                      "vnni");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants), cmocka_unit_test(test_errors),
      cmocka_unit_test(test_special),  cmocka_unit_test(test_unary),
      cmocka_unit_test(test_binary),   cmocka_unit_test(test_convert),
      cmocka_unit_test(test_pick)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
