// By integer arithmetic, as half.c, and for the same reason.
#include "base/minifloat.h"

#include "base/half.h"

typedef enum { SPECIAL_IEEE, SPECIAL_FN, SPECIAL_FNUZ, SPECIAL_FINITE, SPECIAL_SCALE } special;

typedef struct format {
  uint8_t exponent, mantissa, bias, special;
} format;

static const format formats[TL_MINIFLOAT_COUNT] = {
#define TL_MINIFLOAT(id, exponent, mantissa, bias, special) \
  [TL_MINIFLOAT_##id] = {exponent, mantissa, bias, SPECIAL_##special},
#include "base/minifloats.def"
#undef TL_MINIFLOAT
};

// The codes that are not numbers, without a sign. `limit` is the first code past the numbers.
typedef struct codes {
  uint32_t sign, limit, overflow, nan;
} codes;

static codes codes_of(const format *f) {
  const uint32_t sign = 1u << (f->exponent + f->mantissa), ones = sign - 1;
  const uint32_t infinity = ones >> f->mantissa << f->mantissa;
  switch ((special)f->special) {
  case SPECIAL_IEEE:
    return (codes){sign, infinity, infinity, infinity | 1u << (f->mantissa - 1)};
  case SPECIAL_FN:
    return (codes){sign, ones, ones, ones};
  case SPECIAL_FNUZ:
    return (codes){sign, sign, sign, sign}; // the sign bit alone, whatever the sign
  case SPECIAL_FINITE:
    return (codes){sign, sign, ones, 0};
  case SPECIAL_SCALE:
    break;
  }
  return (codes){0, ones, ones, ones};
}

float tl_f32_of_minifloat(tl_minifloat which, uint8_t code) {
  const format *f = &formats[which];
  const codes c = codes_of(f);
  const uint32_t bits = code & (c.sign ? 2 * c.sign - 1 : 255);
  const uint32_t magnitude = bits & (c.sign ? c.sign - 1 : 255);
  const uint32_t sign = c.sign && bits >= c.sign ? 0x80000000u : 0;
  if (f->special == SPECIAL_FNUZ && bits == c.sign) return tl_f32_of_bits(0x7fc00000u);
  if (magnitude >= c.limit) {
    if (f->special == SPECIAL_IEEE && magnitude == c.limit)
      return tl_f32_of_bits(sign | 0x7f800000u);
    return tl_f32_of_bits(sign | 0x7fc00000u);
  }
  const uint32_t exponent = magnitude >> f->mantissa;
  uint32_t fraction = magnitude & ((1u << f->mantissa) - 1);
  int32_t e = (int32_t)exponent - f->bias;
  if (f->special == SPECIAL_SCALE && exponent == 0) return tl_f32_of_bits(0x00400000u); // 2^-127
  if (exponent == 0 && f->special != SPECIAL_SCALE) {
    if (fraction == 0) return tl_f32_of_bits(sign);
    // Subnormal, and normal in f32: its leading one becomes implicit.
    e = 1 - f->bias;
    for (; fraction >> f->mantissa == 0; fraction <<= 1)
      e--;
    fraction &= (1u << f->mantissa) - 1;
  }
  return tl_f32_of_bits(sign | (uint32_t)(e + 127) << 23 | fraction << (23 - f->mantissa));
}

// As half.c's `narrow`: the significand is shifted until its unit is the format's, and a carry goes
// into the exponent by itself. The result may lie past the largest number, which the caller looks
// at.
static uint32_t rounded(const format *f, int32_t e, uint64_t fraction) {
  const int32_t e_min = 1 - f->bias;
  const uint32_t m = f->mantissa;
  uint32_t shift = 52 - m, field = 0;
  if (e < e_min) {
    if (e_min - e > (int32_t)m + 1) return 0; // under half of the smallest subnormal
    shift += (uint32_t)(e_min - e);
  } else {
    field = (uint32_t)(e - e_min);
    if (field > 255) return 256u << m;
  }
  const uint64_t significand = fraction | (uint64_t)1 << 52, half = (uint64_t)1 << (shift - 1);
  uint64_t kept = significand >> shift;
  const uint64_t rest = significand & (2 * half - 1);
  if (rest > half || (rest == half && (kept & 1))) kept++;
  return (field << m) + (uint32_t)kept;
}

uint8_t tl_minifloat_of_f64(tl_minifloat which, double x) {
  const format *f = &formats[which];
  const codes c = codes_of(f);
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  const bool negative = u >> 63 != 0;
  const uint32_t exponent = (uint32_t)(u >> 52) & 0x7ffu;
  const uint64_t fraction = u & 0xfffffffffffffu;
  uint32_t sign = negative ? c.sign : 0;
  if (exponent == 0x7ff && fraction != 0)
    return (uint8_t)(f->special == SPECIAL_FINITE ? c.sign ^ sign
                     : f->special == SPECIAL_FNUZ ? c.nan
                                                  : sign | c.nan);
  if (f->special == SPECIAL_SCALE) {
    if (negative || (exponent == 0 && fraction == 0)) return (uint8_t)c.nan;
    if (exponent == 0) return 0;
    const int32_t e = (int32_t)exponent - 1023;
    if (e < -(int32_t)f->bias) return 0;
    // The significand is 1 before it rounds, which is odd: a tie goes up.
    const uint32_t code = (uint32_t)(e + f->bias) + (fraction >= (uint64_t)1 << 51);
    return (uint8_t)TL_MIN(code, c.overflow);
  }
  uint32_t code = 0; // below 2^-1022
  if (exponent == 0x7ff)
    code = c.limit;
  else if (exponent != 0)
    code = rounded(f, (int32_t)exponent - 1023, fraction);
  if (code >= c.limit) code = c.overflow;
  if (f->special == SPECIAL_FNUZ && (code == 0 || code == c.sign)) sign = 0;
  return (uint8_t)(sign | code);
}
