#include "ir/format.h"

// The weight formats' table and the arithmetic of the packed layout; the picture is in formats.def.

static const tl_format_info table[TL_FORMAT_COUNT] = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_FORMAT_##id] = {name, ggml, block, bytes, code_bits, high_bits, sub, TL_SCALE_##scale, zero},
#include "ir/formats.def"
#undef TL_FORMAT
};

const tl_format_info *tl_format_get(tl_format f) { return &table[f]; }

bool tl_format_of_name(tl_str name, tl_format *out) {
  for (size_t i = 0; i < TL_FORMAT_COUNT; i++)
    if (tl_str_is(name, table[i].name)) {
      *out = (tl_format)i;
      return true;
    }
  return false;
}

bool tl_format_of_ggml(uint32_t ggml, tl_format *out) {
  for (size_t i = 0; i < TL_FORMAT_COUNT; i++)
    if (table[i].ggml == ggml && ggml != TL_NO_GGML) {
      *out = (tl_format)i;
      return true;
    }
  return false;
}

static size_t fp8_blocks(size_t k) { return k / TL_FP8_BLOCK + (k % TL_FP8_BLOCK != 0); }

bool tl_format_row_size(tl_format f, size_t k, size_t *out_size) {
  const tl_format_info *info = &table[f];
  const size_t behind = tl_scale_of_row(info->scale) ? sizeof(float)
                        : info->scale == TL_SCALE_fb ? fp8_blocks(k) * sizeof(float)
                                                     : 0;
  return k % info->block == 0 && TL_MUL_OK(k / info->block, (size_t)info->bytes, out_size) &&
         TL_ADD_OK(*out_size, behind, out_size);
}

bool tl_format_row_k(tl_format f, size_t size, size_t *out_k) {
  const tl_format_info *info = &table[f];
  size_t back, k;
  if (info->scale == TL_SCALE_fb) { // 128 bytes and a scale, the last ones perhaps fewer
    const size_t whole = TL_FP8_BLOCK + sizeof(float), more = size % whole;
    k = size / whole * TL_FP8_BLOCK + (more > sizeof(float) ? more - sizeof(float) : 0);
  } else {
    const size_t behind = tl_scale_of_row(info->scale) ? sizeof(float) : 0;
    if (size < behind) return false;
    k = (size - behind) / info->bytes * info->block;
  }
  if (!tl_format_row_size(f, k, &back) || back != size) return false;
  *out_k = k;
  return true;
}

bool tl_format_plane_offsets(tl_format f, size_t k, tl_format_planes *out) {
  const tl_format_info *info = &table[f];
  if (info->code_bits == 0 || k % info->block != 0 || k > SIZE_MAX / 64) return false;
  const size_t row = TL_ROW_GROUP;
  size_t sc = 0, mn = 0, d = 0, m = 0, scale = 0;
  switch (info->scale) {
  case TL_SCALE_none:
    break;
  case TL_SCALE_d:
    d = k / 32 * 2;
    break;
  case TL_SCALE_dm:
    d = m = k / 32 * 2;
    break;
  case TL_SCALE_kd:
    sc = k / 16, d = k / 256 * 2;
    break;
  case TL_SCALE_kdm:
    sc = mn = k / 32, d = m = k / 256 * 2;
    break;
  case TL_SCALE_fb:
    d = fp8_blocks(k) * 4;
    break;
  case TL_SCALE_er:
    sc = k / 16; // and
  // fall through
  case TL_SCALE_r:
  case TL_SCALE_fr:
    scale = 4;
    break;
  }
  out->codes = 0;
  out->high = k * info->code_bits / 8 * row;
  out->sc = out->high + k * info->high_bits / 8 * row;
  out->mn = out->sc + sc * row;
  out->d = out->mn + mn * row;
  out->m = out->d + d * row;
  out->row = out->m + m * row;
  out->size = out->row + scale * row;
  return true;
}

bool tl_format_group_size(tl_format f, size_t k, size_t *out_size) {
  const tl_format_info *info = &table[f];
  if (info->code_bits == 0) {
    size_t padded = info->bytes == 2 ? k + (k & 1) : k;
    return padded >= k && TL_MUL_OK(padded, (size_t)(info->bytes * TL_ROW_GROUP), out_size);
  }
  tl_format_planes planes;
  if (!tl_format_plane_offsets(f, k, &planes)) return false;
  *out_size = planes.size;
  return true;
}
