// Every number is found by its index, so that no draw needs memory of its own.
#include "ref/threefry.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ref/elementary_f64.h"

static uint32_t rotate(uint32_t x, uint32_t by) { return x << by | x >> (32 - by); }

void tl_threefry2x32(tl_key key, const uint32_t counter[2], uint32_t out[2]) {
  static const uint8_t by[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t k[3] = {key.word[0], key.word[1], key.word[0] ^ key.word[1] ^ 0x1BD11BDA};
  uint32_t x = counter[0] + k[0], y = counter[1] + k[1];
  for (uint32_t i = 0; i < 5; i++) {
    for (uint32_t j = 0; j < 4; j++) {
      x += y;
      y = rotate(y, by[i % 2 * 4 + j]) ^ x;
    }
    x += k[(i + 1) % 3];
    y += k[(i + 2) % 3] + i + 1;
  }
  out[0] = x;
  out[1] = y;
}

tl_key tl_key_of_seed(uint64_t seed) { return (tl_key){{(uint32_t)(seed >> 32), (uint32_t)seed}}; }

tl_key tl_key_fold_in(tl_key key, uint32_t n) {
  tl_key out;
  tl_threefry2x32(key, (uint32_t[]){0, n}, out.word);
  return out;
}

// Block i of those that give n words in the original layout.
static void original_block(tl_key key, size_t n, size_t i, uint32_t out[2]) {
  size_t half = n / 2 + n % 2, second = i + half;
  tl_threefry2x32(key, (uint32_t[]){(uint32_t)i, second < n ? (uint32_t)second : 0}, out);
}

static void own_block(tl_key key, size_t i, uint32_t out[2]) {
  tl_threefry2x32(key, (uint32_t[]){(uint32_t)((uint64_t)i >> 32), (uint32_t)i}, out);
}

static uint32_t word_at(tl_key key, tl_random_layout layout, size_t n, size_t i) {
  uint32_t block[2];
  size_t half = n / 2 + n % 2;
  if (layout == TL_RANDOM_PARTITIONABLE) {
    own_block(key, i, block);
    return block[0] ^ block[1];
  }
  original_block(key, n, i < half ? i : i - half, block);
  return block[i >= half];
}

void tl_random_words(tl_key key, tl_random_layout layout, size_t n, uint32_t *out) {
  size_t half = n / 2 + n % 2;
  if (layout == TL_RANDOM_PARTITIONABLE)
    for (size_t i = 0; i < n; i++)
      out[i] = word_at(key, layout, n, i);
  else
    for (size_t i = 0; i < half; i++) {
      uint32_t block[2];
      original_block(key, n, i, block);
      out[i] = block[0];
      if (i + half < n) out[i + half] = block[1];
    }
}

void tl_key_split(tl_key key, tl_random_layout layout, size_t n, tl_key *out_keys) {
  for (size_t i = 0; i < n; i++) {
    if (layout == TL_RANDOM_PARTITIONABLE) {
      own_block(key, i, out_keys[i].word);
      continue;
    }
    for (size_t k = 0; k < 2; k++)
      out_keys[i].word[k] = word_at(key, layout, 2 * n, 2 * i + k);
  }
}

typedef struct source { // of n uniform numbers
  tl_key key;
  tl_random_layout layout;
  size_t n;
  bool wide; // f64
} source;

static double uniform(const source *s, size_t i) {
  if (!s->wide) {
    uint32_t bits = word_at(s->key, s->layout, s->n, i) >> 9 | (uint32_t)127 << 23;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)(x - 1.0f);
  }
  uint32_t block[2];
  if (s->layout == TL_RANDOM_PARTITIONABLE)
    own_block(s->key, i, block);
  else
    original_block(s->key, 2 * s->n, i, block);
  uint64_t bits = ((uint64_t)block[0] << 32 | block[1]) >> 12 | (uint64_t)1023 << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x - 1.0;
}

double tl_random_unit(tl_key key, bool wide, size_t i) {
  const source s = {key, TL_RANDOM_PARTITIONABLE, 0, wide};
  return uniform(&s, i);
}

uint64_t tl_random_u64(tl_key key, size_t i) {
  uint32_t block[2];
  own_block(key, i, block);
  return (uint64_t)block[0] << 32 | block[1];
}

#define PI 3.14159265358979323846

static double normal(const source *s, size_t i) {
  double u = uniform(s, i), v = uniform(s, s->n / 2 + i);
  return sqrt(-2.0 * tl_log_f64(1.0 - u)) * tl_cos_f64(2.0 * PI * v);
}

static double draw_at(const source *s, tl_draw draw, size_t i) {
  switch (draw.kind) {
  case TL_DRAW_UNIFORM:
    return uniform(s, i);
  case TL_DRAW_NORMAL:
    return normal(s, i);
  case TL_DRAW_EXPONENTIAL:
    return -tl_log1p_f64(-uniform(s, i));
  case TL_DRAW_CAUCHY: {
    double eps = s->wide ? DBL_EPSILON : (double)FLT_EPSILON;
    return tl_tan_f64(PI * (uniform(s, i) * (1.0 - eps) + eps - 0.5));
  }
  case TL_DRAW_CHI_SQUARE: {
    double sum = 0.0;
    for (size_t k = 0; k < draw.freedom; k++) {
      double z = normal(s, i * draw.freedom + k);
      sum += z * z;
    }
    return sum;
  }
  }
  return 0.0;
}

// The uniform numbers that the draw is made of.
static tl_status source_of(tl_key key, tl_random_layout layout, tl_draw draw, size_t n, bool wide,
                           source *out) {
  size_t each = draw.kind == TL_DRAW_NORMAL       ? 2
                : draw.kind == TL_DRAW_CHI_SQUARE ? 2 * (size_t)draw.freedom
                                                  : 1,
         total;
  if (draw.kind == TL_DRAW_CHI_SQUARE && draw.freedom == 0)
    return TL_ERROR(INVALID_ARGUMENT, "chi-square wants at least one degree of freedom");
  if (!TL_MUL_OK(n, each, &total) || total >= (size_t)1 << 30)
    return TL_ERROR(INVALID_ARGUMENT, "%zu numbers of one key are too many", n);
  *out = (source){key, layout, total, wide};
  return TL_OK;
}

tl_status tl_random_f32(tl_key key, tl_random_layout layout, tl_draw draw, size_t n, float *out) {
  source s;
  TL_TRY(source_of(key, layout, draw, n, false, &s));
  for (size_t i = 0; i < n; i++)
    out[i] = (float)draw_at(&s, draw, i);
  return TL_OK;
}

tl_status tl_random_f64(tl_key key, tl_random_layout layout, tl_draw draw, size_t n, double *out) {
  source s;
  TL_TRY(source_of(key, layout, draw, n, true, &s));
  for (size_t i = 0; i < n; i++)
    out[i] = draw_at(&s, draw, i);
  return TL_OK;
}
