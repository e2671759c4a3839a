// Weight formats: formats.def as a table, and the sizes of the packed layout that it defines.
#ifndef TL_IR_FORMAT_H
#define TL_IR_FORMAT_H

#include "base/str.h"

typedef enum {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  TL_FORMAT_##id,
#include "ir/formats.def"
#undef TL_FORMAT
  TL_FORMAT_COUNT
} tl_format;

typedef enum { TL_SCALE_none, TL_SCALE_d, TL_SCALE_dm, TL_SCALE_kd, TL_SCALE_kdm } tl_scale_kind;

typedef struct tl_format_info {
  const char *name;
  uint32_t ggml;
  uint32_t block, bytes;
  uint8_t code_bits, high_bits, sub;
  tl_scale_kind scale;
  int32_t zero;
} tl_format_info;

#define TL_INT8_BLOCK 32 // elements of a row that share a scale when they become 8-bit codes
#define TL_ROW_GROUP 16 // output rows interleaved in the packed layout

const tl_format_info *tl_format_get(tl_format f); // immutable
bool tl_format_of_name(tl_str name, tl_format *out);
bool tl_format_of_ggml(uint32_t ggml, tl_format *out);
// Bytes of one stored row of k elements; false when k is not a whole number of blocks or the size
// overflows.
bool tl_format_row_size(tl_format f, size_t k, size_t *out_size);
// Bytes of one packed group of 16 rows; false as above. Dense formats included (k rounded up to 2
// for two-byte types).
bool tl_format_group_size(tl_format f, size_t k, size_t *out_size);
static inline size_t tl_format_groups(size_t rows) {
  return (rows + TL_ROW_GROUP - 1) / TL_ROW_GROUP;
}

// Byte offsets of the planes inside a packed group of a block format (0-sized planes have offset =
// the next plane's).
typedef struct tl_format_planes {
  size_t codes, high, sc, mn, d, m, size; // m: the minimum plane (dm: m; kdm: dmin)
} tl_format_planes;
bool tl_format_plane_offsets(tl_format f, size_t k,
                             tl_format_planes *out); // false: dense format, or k as above

#endif
