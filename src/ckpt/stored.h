// How a tensor's elements lie in a checkpoint: one number for the weight formats that we compute
// with (the rows of ir/formats.def, under the same numbers) and for whatever else a file may hold
// (the rows of stored.def).
#ifndef TL_CKPT_STORED_H
#define TL_CKPT_STORED_H

#include "base/str.h"
#include "ir/format.h"

typedef enum {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  TL_STORED_##id,
#include "ir/formats.def"
#undef TL_FORMAT
#define TL_STORED(id, name, ggml, block, bytes) TL_STORED_##id,
#include "ckpt/stored.def"
#undef TL_STORED
  TL_STORED_COUNT
} tl_stored;

typedef struct tl_stored_info {
  const char *name;
  int32_t ggml;          // -1: GGUF has no such type
  uint32_t block, bytes; // elements along k in a block, and its bytes
} tl_stored_info;

const tl_stored_info *tl_stored_get(tl_stored s); // immutable
bool tl_stored_of_ggml(uint32_t ggml, tl_stored *out_stored);
// Bytes of one row of k elements; false when k is not a whole number of blocks or the size
// overflows.
bool tl_stored_row_size(tl_stored s, uint64_t k, size_t *out_size);
// False for a type that is listed but not computed with.
static inline bool tl_stored_format(tl_stored s, tl_format *out_format) {
  if ((size_t)s >= TL_FORMAT_COUNT) return false;
  *out_format = (tl_format)s;
  return true;
}

#endif
