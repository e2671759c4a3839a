#include "ckpt/scaled.h"

#include <string.h>

#include "base/half.h"

static float number_at(tl_stored type, const uint8_t *p, uint64_t i) {
  uint32_t wide;
  uint16_t half;
  if (type == TL_STORED_F32) {
    memcpy(&wide, p + 4 * i, sizeof wide);
    return tl_f32_of_bits(wide);
  }
  memcpy(&half, p + 2 * i, sizeof half);
  return type == TL_STORED_BF16 ? tl_f32_of_bf16(half) : tl_f32_of_f16(half);
}

void tl_scaled_row(const tl_scaled *s, uint64_t row, uint8_t *out) {
  memcpy(out, s->codes + row * s->code_size, s->code_size);
  out += s->code_size;
  if (s->small) memcpy(out, s->small + row * s->small_size, s->small_size);
  out += s->small_size;
  const uint64_t from = row / s->rows_per_scale * s->n_scales;
  for (size_t i = 0; i < s->n_scales; i++, out += 4) {
    float scale = number_at(s->scale_type, s->scales, from + i);
    if (s->divides) scale = 1.0f / scale;
    memcpy(out, &scale, sizeof scale);
  }
}
