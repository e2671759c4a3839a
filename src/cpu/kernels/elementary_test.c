// The functions of f64, and of f32 through them, against the C library's long double ones, which
// hold 11 bits more; and the vector kernels against the scalar functions by bits, on numbers of all
// of the line, at angles that only scalar code reduces too.
//
// TLALOC_SAMPLES=100000000 asks so many numbers of each function instead of some 100,000; the
// bounds hold for these as well. special_test.c has points of mpmath's.
#include "cpu/kernels/testing.h"

#include <stdlib.h>

#include "ref/elementary_f64.h"

static uint64_t random_state = 20261130;
static uint64_t random_u64(void) { // splitmix64
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
static double uniform(double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_u64() >> 11) * 0x1p-53);
}
static double of_any_size(double lo, double hi) { return exp2(uniform(log2(lo), log2(hi))); }

static size_t samples(size_t usual) {
  const char *text = getenv("TLALOC_SAMPLES");
  return text ? strtoull(text, NULL, 10) : usual;
}

static long double exact_logistic(long double x) { return 1 / (1 + expl(-x)); }

// Arguments where the functions change, and of all sizes; both signs.
static double argument(size_t i, double lo, double hi) {
  if (i % 3 == 0) return uniform(lo, hi);
  const double x = i % 3 == 1 ? uniform(-4, 4) : of_any_size(0x1p-1000, fmin(hi, 0x1p1000));
  return x < lo ? -x : x;
}

static double ulps(double got, long double want) {
  int e;
  (void)frexpl(want, &e);
  return (double)(fabsl((long double)got - want) / ldexpl(1, e - 53));
}

typedef struct row {
  const char *name;
  double (*f64)(double);
  float (*f32)(float);
  long double (*exact)(long double);
  double lo, hi, most;
} row;
#define ROW(name, exact, lo, hi, most) \
  {#name, tl_##name##_f64, tl_##name##_f32, exact, lo, hi, most}
static const row rows[] = {
    ROW(exp, expl, -708, 709, 0.85), ROW(expm1, expm1l, -40, 709, 1.4),
    ROW(log, logl, 0, 1e308, 0.82),  ROW(log1p, log1pl, -1, 1e308, 0.9),
    ROW(tanh, tanhl, -30, 30, 2.6),  ROW(logistic, exact_logistic, -700, 40, 2.5),
    ROW(sin, sinl, -1e6, 1e6, 0.8),  ROW(cos, cosl, -1e6, 1e6, 0.8),
    ROW(tan, tanl, -1e6, 1e6, 2.4),  ROW(cbrt, cbrtl, -1e300, 1e300, 0.51),
};

// Errors are measured against numbers of more bits, which memcheck does not have.
static void needs_long_double(void) {
  if (!test_memcheck()) return;
  print_message("not checked: errors, memcheck's long double is a double\n");
  skip();
}

static void of_one(void **state) {
  (void)state;
  needs_long_double();
  const size_t n = samples(30000);
  for (size_t r = 0; r < TL_COUNT(rows); r++) {
    const row *w = &rows[r];
    double worst = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
      const double x = argument(i, w->lo, w->hi);
      const long double want = w->exact((long double)x);
      if (fabsl(want) < 0x1p-1022L) continue;
      const double off = ulps(w->f64(x), want);
      if (off > worst) worst = off, at = x;
    }
    if (getenv("TLALOC_SAMPLES")) print_message("%s %.4f ulp at %a\n", w->name, worst, at);
    if (worst > w->most || worst < w->most / 2)
      fail_msg("%s: greatest error %.3f ulp at %a, %.3f stated", w->name, worst, at, w->most);
  }
}

static void of_two(void **state) {
  (void)state;
  needs_long_double();
  const size_t n = samples(30000);
  double worst[2] = {0};
  for (size_t i = 0; i < n; i++) {
    const bool near = i % 2;
    const double sign = random_u64() & 1 ? 1 : -1,
                 y = near ? uniform(-4, 4) : sign * of_any_size(0x1p-100, 0x1p100);
    const double x = near ? uniform(-4, 4) : of_any_size(0x1p-100, 0x1p100);
    worst[0] = fmax(worst[0], ulps(tl_atan2_f64(y, x), atan2l((long double)y, (long double)x)));
    const double base = near ? uniform(0.5, 2) : of_any_size(0x1p-100, 0x1p100),
                 power = uniform(-900, 900);
    const long double want = powl((long double)base, (long double)power);
    if (want < 0x1p-1022L || want > 0x1p1023L) continue;
    worst[1] = fmax(worst[1], ulps(tl_pow_f64(base, power), want));
  }
  if (getenv("TLALOC_SAMPLES")) print_message("atan2 %.4f pow %.4f ulp\n", worst[0], worst[1]);
  assert_true(worst[0] > 0.6 && worst[0] <= 1.6);
  assert_true(worst[1] > 0.6 && worst[1] <= 0.9);
}

// Of f32 the result is the nearest number, but for the rarest ties.
static void of_f32(void **state) {
  (void)state;
  needs_long_double();
  for (size_t r = 0; r < TL_COUNT(rows); r++) {
    const row *w = &rows[r];
    const bool rounded = w->f32 != tl_exp_f32 && w->f32 != tl_log_f32 && w->f32 != tl_tanh_f32 &&
                         w->f32 != tl_logistic_f32;
    const uint64_t many = samples(100000), step = many >> 32 ? 1 : (UINT64_C(1) << 32) / many;
    for (uint64_t u = 0; rounded && u < UINT64_C(1) << 32; u += step) {
      const float x = tl_f32_of_bits((uint32_t)u), y = w->f32(x);
      if (w->f32 == tl_expm1_f32 && fabsf(x) >= 8) continue;
      const long double want = w->exact((long double)x), least = 0x1p-126L;
      if (want != want || fabsl(want) < least || fabsl(want) >= 0x1.ffffffp127L) continue;
      int e;
      (void)frexpl(want, &e);
      if (fabsl((long double)y - want) > 0.501L * ldexpl(1, e - 24))
        fail_msg("%s of %a is %a, want %a", w->name, (double)x, (double)y, (double)want);
    }
  }
}

static void at_edges(void **state) {
  (void)state;
  const double inf = (double)INFINITY, nan = (double)NAN;
  assert_true(tl_exp_f64(-inf) == 0 && tl_exp_f64(inf) == inf && tl_exp_f64(0) == 1);
  assert_true(tl_exp_f64(-746) == 0 && tl_exp_f64(-745.13) == 0x1p-1074 &&
              tl_exp_f64(709.79) == inf && tl_exp_f64(720) == inf && tl_exp_f64(1e300) == inf &&
              tl_exp_f64(-1e300) == 0 && isnan(tl_exp_f64(nan)));
  assert_true(tl_expm1_f64(-inf) == -1 && tl_expm1_f64(inf) == inf && signbit(tl_expm1_f64(-0.0)));
  assert_true(tl_log_f64(0) == -inf && tl_log_f64(inf) == inf && isnan(tl_log_f64(-1)) &&
              tl_log_f64(1) == 0);
  assert_true(tl_log1p_f64(-1) == -inf && isnan(tl_log1p_f64(-1.5)) && signbit(tl_log1p_f64(-0.0)));
  assert_true(tl_tanh_f64(inf) == 1 && tl_tanh_f64(-inf) == -1 && signbit(tl_tanh_f64(-0.0)));
  assert_true(isnan(tl_sin_f64(inf)) && isnan(tl_cos_f64(-inf)) && signbit(tl_sin_f64(-0.0)));
  assert_true(tl_cos_f64(0) == 1 && tl_sin_f64(0x1p-1074) == 0x1p-1074);
  assert_true(tl_cbrt_f64(27) == 3 && tl_cbrt_f64(-inf) == -inf && signbit(tl_cbrt_f64(-0.0)));
  // The f64 nearest to a multiple of pi/2, and the largest one.
  assert_true(ulps(tl_cos_f64(0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61L) < 0.75);
  assert_true(ulps(tl_sin_f64(0x1.fffffffffffffp+1023), 0.0049619547891840617905L) < 0.75);
  const double both[] = {0,   -0.0, 1,   -1,   2,   -2,        3,         -3,
                         0.5, -0.5, inf, -inf, nan, 0x1p-1074, -0x1p1023, 1e16};
  for (size_t i = 0; i < TL_COUNT(both); i++)
    for (size_t k = 0; k < TL_COUNT(both); k++)
      for (int f = 0; f < 2; f++) {
        const double x = both[i], y = both[k], got = f ? tl_pow_f64(x, y) : tl_atan2_f64(x, y),
                     want = f ? pow(x, y) : atan2(x, y);
        if (isnan(want)                      ? !isnan(got)
            : fabs(want) == inf || want == 0 ? tl_bits_of_f64(got) != tl_bits_of_f64(want)
                                             : ulps(got, (long double)want) > 2)
          fail_msg("%s(%a, %a) is %a, want %a", f ? "pow" : "atan2", x, y, got, want);
      }
}

static float f32_at(size_t i) {
  static const uint32_t special[] = {0,          0x80000000, 1,          0x7f800000, 0xff800000,
                                     0x7fc00000, 0x3f800000, 0xbf800000, 0x4e800000, 0x4e800001,
                                     0x7f7fffff, 0x41000000, 0x3effffff, 0x3f000000};
  return tl_f32_of_bits(i < TL_COUNT(special) ? special[i] : (uint32_t)random_u64());
}
static double f64_at(size_t i) {
  static const double special[] = {
      0, -0.0, 1, -1, 0x1p-1074, 709.78, -745.1, 0.5, 0x1p30, 0x1.0000001p30, 0x1p1023, 0x1p-27};
  if (i < TL_COUNT(special)) return special[i];
  if (i % 3 == 0) return tl_f64_of_bits(random_u64());
  return i % 3 == 1 ? uniform(-30, 30) : uniform(-1, 1);
}

// As one vector of whatever length, every function gives what it gives of one number. Of a NaN that
// it is one.
static void vectors_give_the_scalar_bits(void **state) {
  (void)state;
  enum { N = 1000 };
  static double x[N], y[N], z[N], want[N];
  static float xs[N], ys[N], zs[N], wants[N];
  for (size_t round = 0; round < 20; round++) {
    for (size_t i = 0; i < N; i++) {
      x[i] = f64_at(round ? i + 100 : i), y[i] = f64_at(i + 100),
      xs[i] = f32_at(round ? i + 100 : i), ys[i] = f32_at(i + 100);
      if (round % 2) // no angle that the scalar function must reduce
        x[i] = fmod(x[i], 1e6), xs[i] = fmodf(xs[i], 1e6f);
    }
#define CASE(OP, name, args64, args32)                                                             \
  for (TEST_EACH_VARIANT(k)) {                                                                     \
    const size_t n = N - round * 3;                                                                \
    for (size_t i = 0; i < n; i++)                                                                 \
      want[i] = tl_##name##_f64 args64, wants[i] = tl_##name##_f32 args32;                         \
    k->scalars(&(tl_scalars_args){TL_SCALAR_##OP, TL_REG_F64, TL_REG_F64, x, y, NULL, z, n});      \
    k->scalars(&(tl_scalars_args){TL_SCALAR_##OP, TL_REG_F32, TL_REG_F32, xs, ys, NULL, zs, n});   \
    for (size_t i = 0; i < n; i++) {                                                               \
      if (tl_bits_of_f64(z[i]) != tl_bits_of_f64(want[i]) && !(isnan(z[i]) && isnan(want[i])))     \
        fail_msg("%s " #name " of %a, %a is %a, want %a", k->variant, x[i], y[i], z[i], want[i]);  \
      if (tl_bits_of_f32(zs[i]) != tl_bits_of_f32(wants[i]) && !(isnan(zs[i]) && isnan(wants[i]))) \
        fail_msg("%s " #name " of %a, %a is %a, want %a", k->variant, (double)xs[i],               \
                 (double)ys[i], (double)zs[i], (double)wants[i]);                                  \
    }                                                                                              \
  }
    CASE(EXP, exp, (x[i]), (xs[i]))
    CASE(EXPM1, expm1, (x[i]), (xs[i]))
    CASE(LOG, log, (x[i]), (xs[i]))
    CASE(LOG1P, log1p, (x[i]), (xs[i]))
    CASE(TANH, tanh, (x[i]), (xs[i]))
    CASE(LOGISTIC, logistic, (x[i]), (xs[i]))
    CASE(SIN, sin, (x[i]), (xs[i]))
    CASE(COS, cos, (x[i]), (xs[i]))
    CASE(TAN, tan, (x[i]), (xs[i]))
    CASE(CBRT, cbrt, (x[i]), (xs[i]))
    CASE(POW, pow, (x[i], y[i]), (xs[i], ys[i]))
    CASE(ATAN2, atan2, (x[i], y[i]), (xs[i], ys[i]))
#undef CASE
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants), cmocka_unit_test(of_one),
      cmocka_unit_test(of_two),        cmocka_unit_test(of_f32),
      cmocka_unit_test(at_edges),      cmocka_unit_test(vectors_give_the_scalar_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
