// Small floats out of large ones by integer arithmetic: the rounding is ours, whatever the mode,
// the flags and the flush-to-zero bits of the thread that asks.
#include "base/half.h"

float tl_f32_of_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31) // infinity, or NaN made quiet
    return tl_f32_of_bits(sign | 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0));
  if (exponent != 0) return tl_f32_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
  if (mantissa == 0) return tl_f32_of_bits(sign);
  // Subnormal, mantissa * 2^-24: normal in f32. Its leading one moves to bit 10 and becomes
  // implicit.
  uint32_t shift = (uint32_t)__builtin_clz(mantissa) - 21;
  return tl_f32_of_bits(sign | (113 - shift) << 23 | (mantissa << shift & 0x3ffu) << 13);
}

// Rounds to a format of `m` mantissa bits whose normal numbers begin at 2^e_min, exponent field
// below `top`.
//
// The significand with its leading one, 53 bits, is shifted right until its unit is the format's;
// below 2^e_min that unit stops shrinking, which makes subnormals. Adding the rounded significand
// to (exponent field - 1) << m lets the leading one, and a carry out of the mantissa, land in the
// exponent by themselves.
static uint16_t narrow(double d, uint32_t m, int32_t e_min, uint32_t top) {
  uint64_t u;
  memcpy(&u, &d, sizeof u);
  uint32_t sign = (uint32_t)(u >> 63) << 15, inf = top << m;
  uint64_t fraction = u & 0xfffffffffffffu;
  uint32_t exponent = (uint32_t)(u >> 52) & 0x7ffu;
  if (exponent == 0x7ff) {
    if (fraction == 0) return (uint16_t)(sign | inf);
    return (uint16_t)(sign | inf | 1u << (m - 1) | (uint32_t)(fraction >> (52 - m)));
  }
  if (exponent == 0) return (uint16_t)sign; // below 2^-1022
  int32_t e = (int32_t)exponent - 1023;
  uint32_t shift = 52 - m, field = 0;
  if (e < e_min) {
    if (e_min - e > (int32_t)m + 1) return (uint16_t)sign; // under half of the smallest subnormal
    shift += (uint32_t)(e_min - e);
  } else {
    field = (uint32_t)(e - e_min);
    if (field + 1 >= top) return (uint16_t)(sign | inf);
  }
  uint64_t significand = fraction | (uint64_t)1 << 52, half = (uint64_t)1 << (shift - 1);
  uint64_t kept = significand >> shift, rest = significand & (2 * half - 1);
  if (rest > half || (rest == half && (kept & 1))) kept++;
  return (uint16_t)(sign | ((field << m) +
                            (uint32_t)kept)); // a carry past the largest number gives infinity
}

uint16_t tl_f16_of_f64(double d) { return narrow(d, 10, -14, 31); }
uint16_t tl_bf16_of_f64(double d) { return narrow(d, 7, -126, 255); }

// By way of f64, which holds every f32 exactly, so this rounds once.
uint16_t tl_f16_of_f32(float f) { return narrow((double)f, 10, -14, 31); }
