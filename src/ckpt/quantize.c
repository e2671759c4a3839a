#include "ckpt/quantize.h"

#include <math.h>
#include <string.h>

#include "base/minifloat.h"

// The largest |w|. Without its sign a float is ordered as its bits are, infinities and NaNs last.
static tl_status largest(const float *w, size_t k, float *out_largest) {
  uint32_t most = 0;
  for (size_t i = 0; i < k; i++) {
    const uint32_t a = tl_bits_of_f32(w[i]) & 0x7fffffffu;
    most = a > most ? a : most;
  }
  *out_largest = tl_f32_of_bits(most);
  if (isfinite(*out_largest)) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "a weight that is not finite");
}

static float scale_of(float largest, float codes) {
  const float s = largest / codes;
  return s > 0 ? s : 1.0f;
}

// 1.5 * 2^23 more and less rounds what is below 2^22 to an integer, ties to even.
static float rounded(float x) {
  const float shift = 0x1.8p23f;
  return (x + shift) - shift;
}

static void put_f32(uint8_t *to, float x) { memcpy(to, &x, sizeof x); }

static void to_int8(const float *w, size_t k, float most, uint8_t *out) {
  const float s = scale_of(most, 127);
  for (size_t i = 0; i < k; i++) {
    const float q = rounded(w[i] / s);
    out[i] = (uint8_t)(int8_t)(q > 127 ? 127 : q < -127 ? -127 : q);
  }
  put_f32(out + k, s);
}

static void to_fp8(const float *w, size_t k, float most, uint8_t *out) {
  const float s = scale_of(most, 448);
  for (size_t i = 0; i < k; i++)
    out[i] = tl_e4m3_of_f32(w[i] / s);
  put_f32(out + k, s);
}

// The codes of 32 elements with this scale, and the sum of their squared errors.
static double codes_by(const float *w, uint16_t half, float *codes) {
  const float d = tl_f32_of_f16(half);
  double error = 0;
  for (size_t i = 0; i < 32; i++) {
    const float q = d != 0 ? rounded(w[i] / d) : 0;
    codes[i] = q > 7 ? 7 : q < -8 ? -8 : q;
    const double e = (double)w[i] - (double)codes[i] * (double)d;
    error += e * e;
  }
  return error;
}

static tl_status to_q4_0(const float *w, size_t k, uint8_t *out) {
  for (size_t b = 0; b < k / 32; b++, w += 32, out += 18) {
    float most;
    TL_TRY(largest(w, 32, &most));
    float signed_most = 0;
    for (size_t i = 32; i-- > 0;)
      if (fabsf(w[i]) == most) signed_most = w[i];
    const uint16_t halves[] = {tl_f16_of_f32(signed_most / -8), tl_f16_of_f32(most / 7)};
    if (isinf(tl_f32_of_f16(halves[1])))
      return TL_ERROR(INVALID_ARGUMENT, "a weight of %g, whose scale is past f16's range",
                      (double)most);
    float codes[2][32];
    const size_t best = codes_by(w, halves[1], codes[1]) < codes_by(w, halves[0], codes[0]);
    memcpy(out, &halves[best], 2);
    memset(out + 2, 0, 16);
    for (size_t i = 0; i < 32; i++)
      out[2 + i % 16] |= (uint8_t)((8 + (int)codes[best][i]) << (i / 16 * 4));
  }
  return TL_OK;
}

static void to_nvfp4(const float *w, size_t k, float most, uint8_t *out) {
  const float s = scale_of(most, 6 * 448);
  uint8_t *sc = out + k / 2;
  memset(out, 0, k / 2);
  for (size_t b = 0; b < k / 16; b++) {
    float m = 0;
    for (size_t i = 0; i < 16; i++)
      m = fmaxf(m, fabsf(w[16 * b + i]));
    sc[b] = tl_e4m3_of_f32(m / 6 / s);
    const float scale = tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, sc[b]) * s;
    for (size_t i = 16 * b; i < 16 * b + 16; i++) {
      const double x = scale > 0 ? (double)(w[i] / scale) : 0;
      out[i / 2] |= (uint8_t)(tl_minifloat_of_f64(TL_MINIFLOAT_F4E2M1FN, x) << i % 2 * 4);
    }
  }
  put_f32(sc + k / 16, s);
}

tl_status tl_quantize_row(tl_format format, const float *w, size_t k, uint8_t *out) {
  const tl_format_info *info = tl_format_get(format);
  if (k % info->block != 0)
    return TL_ERROR(INVALID_ARGUMENT, "a row of %zu elements is no whole number of blocks of %u", k,
                    info->block);
  if (format == TL_FORMAT_Q4_0) return to_q4_0(w, k, out);
  float most;
  TL_TRY(largest(w, k, &most));
  switch (format) {
  case TL_FORMAT_INT8:
    to_int8(w, k, most, out);
    return TL_OK;
  case TL_FORMAT_FP8:
    to_fp8(w, k, most, out);
    return TL_OK;
  case TL_FORMAT_NVFP4:
    to_nvfp4(w, k, most, out);
    return TL_OK;
  default:
    return TL_ERROR(UNIMPLEMENTED, "weights are not quantised to %s", info->name);
  }
}
