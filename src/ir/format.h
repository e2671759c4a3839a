// Weight formats: formats.def as a table, and the sizes of the packed layout that it defines.
#ifndef TL_IR_FORMAT_H
#define TL_IR_FORMAT_H

#include "base/str.h"

#define TL_NO_GGML UINT32_MAX

typedef enum {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  TL_FORMAT_##id,
#include "ir/formats.def"
#undef TL_FORMAT
  TL_FORMAT_COUNT
} tl_format;

typedef enum {
  TL_SCALE_none,
  TL_SCALE_d,
  TL_SCALE_dm,
  TL_SCALE_kd,
  TL_SCALE_kdm,
  TL_SCALE_r,
  TL_SCALE_fr,
  TL_SCALE_fb,
  TL_SCALE_er
} tl_scale_kind;

typedef struct tl_format_info {
  const char *name;
  uint32_t ggml;
  uint32_t block, bytes;
  uint8_t code_bits, high_bits, sub;
  tl_scale_kind scale;
  int32_t zero;
} tl_format_info;

#define TL_INT8_BLOCK 32 // elements of a row that share a scale when they become 8-bit codes
#define TL_BF16_RUN 32   // elements that a step of bf16_matmul takes at once
#define TL_ROW_GROUP 16  // output rows interleaved in the packed layout
#define TL_KV_SCALE 4 // bytes of the f32 scale behind the codes of each head's row in a pool of i8
#define TL_FP8_BLOCK 128 // elements that share a scale in scale kind fb, along k and across rows

const tl_format_info *tl_format_get(tl_format f); // immutable
bool tl_format_of_name(tl_str name, tl_format *out);
bool tl_format_of_ggml(uint32_t ggml, tl_format *out);
// Whether codes are e4m3 floats; whether a dot is multiplied by the row's scale at its end; whether
// codes are integers, of which int8_matmul takes products.
static inline bool tl_scale_is_fp8(tl_scale_kind s) { return s == TL_SCALE_fr || s == TL_SCALE_fb; }
static inline bool tl_scale_of_row(tl_scale_kind s) {
  return s == TL_SCALE_r || s == TL_SCALE_fr || s == TL_SCALE_er;
}
static inline bool tl_format_is_integer(tl_format f) {
  return tl_format_get(f)->code_bits != 0 && !tl_scale_is_fp8(tl_format_get(f)->scale);
}
// The numbers that the nibbles of scale kind er stand for: halves of e2m1 floats, and 12 more.
#define TL_E2M1_CODES 12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0
// Bytes of one stored row of k elements; false when k is not a whole number of blocks or the size
// overflows.
bool tl_format_row_size(tl_format f, size_t k, size_t *out_size);
// The k whose row has this size; false where there is none.
bool tl_format_row_k(tl_format f, size_t size, size_t *out_k);
// Bytes of one packed group of 16 rows; false as above. Dense formats included (k rounded up to 2
// for two-byte types).
bool tl_format_group_size(tl_format f, size_t k, size_t *out_size);
static inline size_t tl_format_groups(size_t rows) {
  return (rows + TL_ROW_GROUP - 1) / TL_ROW_GROUP;
}

// Byte offsets of the planes inside a packed group of a block format (0-sized planes have offset =
// the next plane's).
typedef struct tl_format_planes {
  size_t codes, high, sc, mn, d, m, row, size; // m: the minimum plane (dm: m; kdm: dmin)
} tl_format_planes;
bool tl_format_plane_offsets(tl_format f, size_t k,
                             tl_format_planes *out); // false: dense format, or k as above

#endif
