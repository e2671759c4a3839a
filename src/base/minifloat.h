// Floats of at most a byte, by a row of minifloats.def each: exact widening, rounding to nearest
// even.
//
// A code is a byte; of the formats of 6 and 4 bits the upper bits are not looked at, and written as
// zero. What is too large for a format becomes its infinity, or its NaN, or, where it has neither,
// its largest number; NaN stays NaN where there is one, and otherwise becomes the zero of the other
// sign. A scale takes any positive number, of which the tiny become its smallest; zero and what is
// negative are NaN. These are the conventions of the Python package ml_dtypes, bit for bit, but
// that it takes f64 by way of f32, rounding twice, and all numbers between the two smallest scales
// for the larger.
#ifndef TL_BASE_MINIFLOAT_H
#define TL_BASE_MINIFLOAT_H

#include "base/half.h"

typedef enum {
#define TL_MINIFLOAT(id, exponent, mantissa, bias, special) TL_MINIFLOAT_##id,
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  TL_MINIFLOAT_COUNT
} tl_minifloat;

float tl_f32_of_minifloat(tl_minifloat f, uint8_t code);
// From f32 too: f64 holds every f32, so this rounds once.
uint8_t tl_minifloat_of_f64(tl_minifloat f, double x);

// The F8E4M3FN nearest to x, ties to even, where x is no NaN and within 464 (half way to the number
// that there is not): what a loop over many does without a call.
static inline uint8_t tl_e4m3_of_f32(float x) {
  const uint32_t u = tl_bits_of_f32(x), a = u & 0x7fffffffu, sign = u >> 24 & 0x80;
  const float shift = 0x1.8p23f; // more and less of it leaves an integer
  const uint32_t small = (uint32_t)((tl_f32_of_bits(a) * 512.0f + shift) - shift);
  const uint32_t large = ((a + 0x7ffff + (a >> 20 & 1)) >> 20) - (120 << 3);
  return (uint8_t)(sign | (a < 0x3c800000u ? small : large)); // below 2^-6 multiples of 2^-9
}

#endif
