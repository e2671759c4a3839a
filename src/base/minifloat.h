// Floats of at most a byte, by a row of minifloats.def each: exact widening, rounding to nearest
// even.
//
// A code is a byte; of the formats of 6 and 4 bits the upper bits are not looked at, and written as
// zero. What is too large for a format becomes its infinity, or its NaN, or, where it has neither,
// its largest number; NaN stays NaN where there is one, and otherwise becomes the zero of the other
// sign. A scale takes any positive number, of which the tiny become its smallest; zero and what is
// negative are NaN. These are the conventions of the Python package ml_dtypes, bit for bit, but
// that it takes f64 by way of f32, rounding twice, and all numbers between the two smallest scales for
// the larger.
#ifndef TL_BASE_MINIFLOAT_H
#define TL_BASE_MINIFLOAT_H

#include "base/base.h"

typedef enum {
#define TL_MINIFLOAT(id, exponent, mantissa, bias, special) TL_MINIFLOAT_##id,
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  TL_MINIFLOAT_COUNT
} tl_minifloat;

float tl_f32_of_minifloat(tl_minifloat f, uint8_t code);
// From f32 too: f64 holds every f32, so this rounds once.
uint8_t tl_minifloat_of_f64(tl_minifloat f, double x);

#endif
