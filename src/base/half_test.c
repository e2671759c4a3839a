// Halves, exhaustively: every f16 and bf16 up and back, and rounding at every number, every tie and
// next to it.
#include "base/test.h"

#include <math.h>

#include "base/half.h"

// The value of a small float by its definition, in f64, where every one is exact.
static double value(uint16_t h, int mantissa_bits, int bias) {
  int top = (1 << (15 - mantissa_bits)) - 1;
  int exponent = h >> mantissa_bits & top, mantissa = h & ((1 << mantissa_bits) - 1);
  double sign = h & 0x8000 ? -1 : 1;
  if (exponent == top) return mantissa != 0 ? nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

static bool is_nan(uint16_t h, uint16_t infinity) { return (h & 0x7fff) > infinity; }

typedef uint16_t (*from_f64)(double);

// Between each number and the next larger in size lie a point below the tie, the tie, and one above
// it.
static void rounding(from_f64 f, int mantissa_bits, int bias, uint16_t infinity) {
  for (uint32_t h = 0; h < infinity; h++) {
    uint16_t lo = (uint16_t)h, hi = (uint16_t)(h + 1), even = h & 1 ? hi : lo;
    double a = value(lo, mantissa_bits, bias);
    // The number after the largest, were there one: 2^(bias+1). Rounding to it is overflow.
    double b = hi == infinity ? ldexp(1, bias + 1) : value(hi, mantissa_bits, bias);
    double tie = a + (b - a) / 2;
    for (uint16_t sign = 0; sign <= 1; sign++) {
      double s = sign ? -1 : 1;
      uint16_t bit = (uint16_t)(sign << 15);
      if (f(s * a) != (lo | bit) || f(s * nextafter(tie, 0)) != (lo | bit) ||
          f(s * tie) != (even | bit) || f(s * nextafter(tie, HUGE_VAL)) != (hi | bit))
        fail_msg("at %04x", (unsigned)(lo | bit));
    }
  }
  assert_int_equal(f(HUGE_VAL), infinity);
  assert_int_equal(f(-HUGE_VAL), infinity | 0x8000);
  assert_int_equal(f(1e308), infinity);
  assert_int_equal(f(-5e-324), 0x8000);
  assert_true(is_nan(f(nan("")), infinity));
}

static void f16(void **state) {
  (void)state;
  for (uint32_t i = 0; i <= 0xffff; i++) {
    uint16_t h = (uint16_t)i;
    float f = tl_f32_of_f16(h);
    if (is_nan(h, 0x7c00)) { // quiet, with its sign and payload
      assert_int_equal(tl_bits_of_f32(f),
                       (uint32_t)(h & 0x8000) << 16 | 0x7fc00000u | (uint32_t)(h & 0x3ff) << 13);
      assert_int_equal(tl_f16_of_f32(f), h | 0x200);
      continue;
    }
    if ((double)f != value(h, 10, 15) || !!signbit(f) != h >> 15)
      fail_msg("f16 %04x gives %a", h, (double)f);
    if (tl_f16_of_f32(f) != h) fail_msg("f16 %04x does not come back", h);
#ifdef __FLT16_MAX__
    __extension__ _Float16 compiler;
    memcpy(&compiler, &h, sizeof h);
    if ((float)compiler != f) fail_msg("f16 %04x: the compiler disagrees", h);
#endif
  }
  rounding(tl_f16_of_f64, 10, 15, 0x7c00);
  assert_int_equal(tl_f16_of_f32(65519.996f), 0x7bff);
  assert_int_equal(tl_f16_of_f32(65520.0f), 0x7c00);
}

static void bf16(void **state) {
  (void)state;
  for (uint32_t i = 0; i <= 0xffff; i++) {
    uint16_t h = (uint16_t)i;
    float f = tl_f32_of_bf16(h);
    if (is_nan(h, 0x7f80)) {
      assert_true(isnan(f));
      assert_int_equal(tl_bf16_of_f32(f), h | 0x40);
      continue;
    }
    if ((double)f != value(h, 7, 127)) fail_msg("bf16 %04x gives %a", h, (double)f);
    if (tl_bf16_of_f32(f) != h) fail_msg("bf16 %04x does not come back", h);
  }
  rounding(tl_bf16_of_f64, 7, 127, 0x7f80);
  // From f32, and from f64 by the same value, must agree everywhere; a stride that is prime to the
  // format.
  for (uint64_t u = 0; u <= 0xffffffffu; u += 65521) {
    float f = tl_f32_of_bits((uint32_t)u);
    if (isnan(f)) {
      assert_true(is_nan(tl_bf16_of_f32(f), 0x7f80));
      continue;
    }
    if (tl_bf16_of_f32(f) != tl_bf16_of_f64((double)f)) fail_msg("f32 bits %08x", (unsigned)u);
  }
}

// Just above a tie of bf16 by less than f32 can say: rounding by way of f32 would land on the tie
// and go down.
static void rounds_once(void **state) {
  (void)state;
  double d = 1 + ldexp(1, -8) + ldexp(1, -40);
  assert_int_equal(tl_bf16_of_f32((float)d), 0x3f80);
  assert_int_equal(tl_bf16_of_f64(d), 0x3f81);
  d = 1 + ldexp(1, -11) + ldexp(1, -40);
  assert_int_equal(tl_f16_of_f32((float)d), 0x3c00);
  assert_int_equal(tl_f16_of_f64(d), 0x3c01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f16),
      cmocka_unit_test(bf16),
      cmocka_unit_test(rounds_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
