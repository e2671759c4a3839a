// bf16 and f16 as their bits in a uint16_t: exact widening, rounding to nearest even. NaN stays NaN
// (quiet).
#ifndef TL_BASE_HALF_H
#define TL_BASE_HALF_H

#include <string.h>

#include "base/base.h"

static inline float tl_f32_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
static inline uint32_t tl_bits_of_f32(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}
static inline float tl_f32_of_bf16(uint16_t h) { return tl_f32_of_bits((uint32_t)h << 16); }
static inline uint16_t tl_bf16_of_f32(float f) {
  uint32_t u = tl_bits_of_f32(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);
  return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
float tl_f32_of_f16(uint16_t h);
uint16_t tl_f16_of_f32(float f);
// From f64 in one rounding (going through f32 would round twice).
uint16_t tl_bf16_of_f64(double d);
uint16_t tl_f16_of_f64(double d);

#endif
