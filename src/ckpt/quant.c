#include "ckpt/quant.h"

#include "base/half.h"
#include "base/minifloat.h"
#include "ckpt/stored.h"

// The block formats of GGUF and the rows of codes of others, one function each, written to be read
// beside a picture of the block. d and m are the block's f16 scale and minimum, q a code.
//
//   q8_0   d | 32 x i8                                       w = d q
//   q4_0   d | 16 bytes of nibbles                           w = d (q - 8)
//   q4_1   d m | 16 bytes of nibbles                         w = d q + m
//   q5_0   d | 32 high bits | 16 bytes of nibbles            w = d (q - 16)
//   q5_1   d m | 32 high bits | 16 bytes of nibbles          w = d q + m
//   q4_k   d dmin | 12 bytes of scales | 128 bytes           w = (d sc) q - (dmin mn), 8 sub-blocks
//   of 32 q5_k   d dmin | 12 bytes of scales | 32 bytes | 128      the same with a fifth bit from
//   the 32 bytes q6_k   128 bytes low | 64 bytes high | 16 x i8 sc | d    w = (d sc) (q - 32), 16
//   sub-blocks of 16
//
//   int8   k x i8 | f32                                    w = q s
//   fp8    k x e4m3 | f32                                  w = q s
//   fp8_block   k x e4m3 | f32 for each 128                w = q s
//   nvfp4  k/2 bytes of two e2m1, the even one low | e4m3 for each 16 | f32       w = (sc q) s
//
// In the formats of 32 the low nibbles of the 16 bytes are elements 0 to 15 and the high ones 16
// to 31. In q4_k and q5_k each run of 32 bytes holds two sub-blocks, the first in its low nibbles.

static float f16_at(const uint8_t *p) { return tl_f32_of_f16((uint16_t)(p[0] | p[1] << 8)); }
static uint32_t u32_at(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static int nibble(const uint8_t *p, size_t i) { return i < 16 ? p[i] & 15 : p[i - 16] >> 4; }

static void row_F32(const uint8_t *p, float *out) { *out = tl_f32_of_bits(u32_at(p)); }
static void row_F16(const uint8_t *p, float *out) { *out = f16_at(p); }
static void row_BF16(const uint8_t *p, float *out) {
  *out = tl_f32_of_bf16((uint16_t)(p[0] | p[1] << 8));
}

static void row_Q8_0(const uint8_t *p, float *out) {
  float d = f16_at(p);
  for (size_t i = 0; i < 32; i++)
    out[i] = d * (float)(int8_t)p[2 + i];
}

static void row_Q4_0(const uint8_t *p, float *out) {
  float d = f16_at(p);
  for (size_t i = 0; i < 32; i++)
    out[i] = d * (float)(nibble(p + 2, i) - 8);
}

static void row_Q4_1(const uint8_t *p, float *out) {
  float d = f16_at(p), m = f16_at(p + 2);
  for (size_t i = 0; i < 32; i++)
    out[i] = d * (float)nibble(p + 4, i) + m;
}

static void row_Q5_0(const uint8_t *p, float *out) {
  float d = f16_at(p);
  uint32_t high = u32_at(p + 2);
  for (size_t i = 0; i < 32; i++)
    out[i] = d * (float)((nibble(p + 6, i) | (int)(high >> i & 1) << 4) - 16);
}

static void row_Q5_1(const uint8_t *p, float *out) {
  float d = f16_at(p), m = f16_at(p + 2);
  uint32_t high = u32_at(p + 4);
  for (size_t i = 0; i < 32; i++)
    out[i] = d * (float)(nibble(p + 8, i) | (int)(high >> i & 1) << 4) + m;
}

// Eight 6-bit scales and eight 6-bit minimums in 12 bytes. Bytes 0 to 3 and 4 to 7 hold the first
// four scales and minimums in their low six bits; the upper two bits of each, and the nibbles of
// bytes 8 to 11, make the last four.
static void k_scales(const uint8_t s[12], size_t j, int *sc, int *mn) {
  if (j < 4) {
    *sc = s[j] & 63;
    *mn = s[j + 4] & 63;
  } else {
    *sc = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
    *mn = s[j + 4] >> 4 | (s[j] >> 6) << 4;
  }
}

static void row_k45(const uint8_t *p, const uint8_t *high, const uint8_t *low, float *out) {
  float d = f16_at(p), dmin = f16_at(p + 2);
  for (size_t j = 0; j < 8; j++) { // sub-blocks of 32
    int sc, mn;
    k_scales(p + 4, j, &sc, &mn);
    float scale = d * (float)sc, min = dmin * (float)mn;
    for (size_t i = 0; i < 32; i++) {
      int q = low[j / 2 * 32 + i] >> (j % 2 * 4) & 15;
      if (high) q |= (high[i] >> j & 1) << 4;
      out[j * 32 + i] = scale * (float)q - min;
    }
  }
}
static void row_Q4_K(const uint8_t *p, float *out) { row_k45(p, NULL, p + 16, out); }
static void row_Q5_K(const uint8_t *p, float *out) { row_k45(p, p + 16, p + 48, out); }

// Two halves of 128. Of a half, element e = 32 g + i has its low nibble in byte 64 h + 32 (g % 2) +
// i (the upper one for g >= 2) and two high bits in bits 2g and 2g+1 of byte 32 h + i.
static void row_Q6_K(const uint8_t *p, float *out) {
  const uint8_t *low = p, *high = p + 128, *sc = p + 192;
  float d = f16_at(p + 208);
  for (size_t e = 0; e < 256; e++) {
    size_t h = e / 128, g = e % 128 / 32, i = e % 32;
    int q = low[h * 64 + g % 2 * 32 + i] >> (g / 2 * 4) & 15;
    q |= (high[h * 32 + i] >> (2 * g) & 3) << 4;
    out[e] = d * (float)(int8_t)sc[e / 16] * (float)(q - 32);
  }
}

// ---- rows whose scales lie behind all their codes

static float e4m3(uint8_t code) { return tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, code); }

static void whole_INT8(const uint8_t *p, size_t k, float *out) {
  const float s = tl_f32_of_bits(u32_at(p + k));
  for (size_t i = 0; i < k; i++)
    out[i] = (float)(int8_t)p[i] * s;
}
static void whole_FP8(const uint8_t *p, size_t k, float *out) {
  const float s = tl_f32_of_bits(u32_at(p + k));
  for (size_t i = 0; i < k; i++)
    out[i] = e4m3(p[i]) * s;
}
static void whole_FP8_BLOCK(const uint8_t *p, size_t k, float *out) {
  for (size_t i = 0; i < k; i++)
    out[i] = e4m3(p[i]) * tl_f32_of_bits(u32_at(p + k + i / TL_FP8_BLOCK * 4));
}
static void whole_NVFP4(const uint8_t *p, size_t k, float *out) {
  static const uint8_t numbers[] = {TL_E2M1_CODES};
  const uint8_t *sc = p + k / 2;
  const float s = tl_f32_of_bits(u32_at(sc + k / 16));
  for (size_t i = 0; i < k; i++) {
    const int halves = numbers[p[i / 2] >> i % 2 * 4 & 15] - 12;
    out[i] = 0.5f * e4m3(sc[i / 16]) * (float)halves * s;
  }
}
#define row_INT8 NULL // no blocks
#define row_FP8 NULL
#define row_FP8_BLOCK NULL
#define row_NVFP4 NULL

tl_status tl_quant_row_f32(tl_format format, const void *bytes, size_t k, float *out) {
  static void (*const block_of[TL_FORMAT_COUNT])(const uint8_t *, float *) = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_FORMAT_##id] = row_##id,
#include "ir/formats.def"
#undef TL_FORMAT
  };
  const tl_stored_info *info = tl_stored_get((tl_stored)format);
  if (k % info->block != 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: a row of %zu elements is not a whole number of blocks of %u", info->name,
                    k, info->block);
  switch (format) {
  case TL_FORMAT_INT8:
    whole_INT8(bytes, k, out);
    return TL_OK;
  case TL_FORMAT_FP8:
    whole_FP8(bytes, k, out);
    return TL_OK;
  case TL_FORMAT_FP8_BLOCK:
    whole_FP8_BLOCK(bytes, k, out);
    return TL_OK;
  case TL_FORMAT_NVFP4:
    whole_NVFP4(bytes, k, out);
    return TL_OK;
  default:
    break;
  }
  const uint8_t *p = bytes;
  for (size_t at = 0; at < k; at += info->block, p += info->bytes)
    block_of[format](p, out + at);
  return TL_OK;
}
