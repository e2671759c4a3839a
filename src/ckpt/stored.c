#include "ckpt/stored.h"

// The table of element types, and sizes from it.

static const tl_stored_info table[TL_STORED_COUNT] = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_STORED_##id] = {name, (int32_t)(ggml), block, bytes},
#include "ir/formats.def"
#undef TL_FORMAT
#define TL_STORED(id, name, ggml, block, bytes) [TL_STORED_##id] = {name, ggml, block, bytes},
#include "ckpt/stored.def"
#undef TL_STORED
};

const tl_stored_info *tl_stored_get(tl_stored s) { return &table[s]; }

bool tl_stored_of_ggml(uint32_t ggml, tl_stored *out_stored) {
  for (size_t i = 0; i < TL_STORED_COUNT; i++)
    if (table[i].ggml >= 0 && (uint32_t)table[i].ggml == ggml) {
      *out_stored = (tl_stored)i;
      return true;
    }
  return false;
}

bool tl_stored_row_size(tl_stored s, uint64_t k, size_t *out_size) {
  const tl_stored_info *info = &table[s];
  tl_format f;
  if (tl_stored_format(s, &f)) return k <= SIZE_MAX && tl_format_row_size(f, (size_t)k, out_size);
  return k % info->block == 0 && TL_MUL_OK(k / info->block, (uint64_t)info->bytes, out_size);
}
