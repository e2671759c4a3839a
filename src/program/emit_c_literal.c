// Literals in C. Floats are the shortest decimals that read back to the same bits; halves and
// smaller ones are their bits, for C17 has no such types.
#include "program/emit_c_literal.h"

#include <inttypes.h>
#include <math.h>

#include "shlo/spell.h"

static const char *const ids[TL_DTYPE_COUNT] = {
#define TL_DTYPE(id, mlir, size, bits, kind, pjrt) [TL_DTYPE_##id] = #id,
#include "ir/dtypes.def"
#undef TL_DTYPE
};

const char *tl_c_dtype(tl_dtype d) { return ids[d]; }

static const char *integer(uint32_t size, bool is_signed) {
  static const char *const names[2][4] = {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
                                          {"int8_t", "int16_t", "int32_t", "int64_t"}};
  return names[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static bool has_type(tl_dtype d) { return d == TL_DTYPE_F32 || d == TL_DTYPE_F64; }

static uint64_t bits_of(const void *element, uint32_t size) {
  uint64_t bits = 0;
  memcpy(&bits, element, size); // little endian
  return bits;
}

// A NaN other than what NAN and -NAN are.
static bool is_odd_nan(tl_dtype d, const void *element) {
  const uint64_t bits = bits_of(element, tl_dtype_get(d)->size);
  if (d == TL_DTYPE_F32)
    return (bits & 0x7fffffff) > 0x7f800000 && (bits & 0x7fffffff) != 0x7fc00000;
  const uint64_t magnitude = bits & INT64_MAX;
  return magnitude > 0x7ff0000000000000 && magnitude != 0x7ff8000000000000;
}

static bool by_bits(const tl_literal *l) {
  const tl_dtype part = tl_dtype_part(l->type.dtype);
  const size_t size = tl_dtype_get(part)->size;
  for (size_t at = 0; has_type(part) && at < l->size; at += size)
    if (is_odd_nan(part, (const char *)l->data + at)) return true;
  return false;
}

const char *tl_c_element(const tl_literal *l) {
  const tl_dtype part = tl_dtype_part(l->type.dtype);
  const tl_dtype_info *info = tl_dtype_get(part);
  if (has_type(part) && !by_bits(l)) return part == TL_DTYPE_F32 ? "float" : "double";
  return integer(info->size, info->kind == TL_KIND_INT);
}

static void put_bits(tl_buf *out, const void *element, uint32_t size) {
  const uint64_t bits = bits_of(element, size);
  tl_buf_printf(out, size == 8 ? "UINT64_C(0x%0*" PRIx64 ")" : "0x%0*" PRIx64, (int)size * 2, bits);
}

static void put_float(tl_buf *out, tl_dtype d, const void *element) {
  const uint32_t size = tl_dtype_get(d)->size;
  const uint64_t bits = bits_of(element, size), sign = bits >> (size * 8 - 1);
  double x;
  float f;
  memcpy(&x, &bits, sizeof x);
  memcpy(&f, &bits, sizeof f);
  if (d == TL_DTYPE_F32) x = (double)f;
  if (isfinite(x)) {
    tl_spell_element(out, d, element);
    if (d == TL_DTYPE_F32) tl_buf_char(out, 'f');
  } else {
    tl_buf_printf(out, "%s%s", sign ? "-" : "", isnan(x) ? "NAN" : "INFINITY");
  }
}

void tl_c_put_element(tl_buf *out, tl_dtype d, const void *element) {
  const tl_dtype_info *info = tl_dtype_get(d);
  if (has_type(d)) {
    put_float(out, d, element);
    return;
  }
  const uint64_t bits = bits_of(element, info->size);
  const int shift = 64 - (int)info->size * 8;
  const int64_t i = (int64_t)(bits << shift) >> shift;
  switch (info->kind) {
  case TL_KIND_BOOL:
    tl_buf_cstr(out, bits ? "1" : "0");
    break;
  case TL_KIND_INT:
    if (i == INT64_MIN)
      tl_buf_cstr(out, "INT64_MIN");
    else if (i == INT32_MIN)
      tl_buf_cstr(out, "INT32_MIN");
    else
      tl_buf_printf(out, i > INT32_MAX || i < INT32_MIN ? "INT64_C(%" PRId64 ")" : "%" PRId64, i);
    break;
  case TL_KIND_UINT:
    tl_buf_printf(out,
                  bits > UINT32_MAX  ? "UINT64_C(%" PRIu64 ")"
                  : bits > INT32_MAX ? "UINT32_C(%" PRIu64 ")"
                                     : "%" PRIu64,
                  bits);
    break;
  default:
    put_bits(out, element, info->size);
  }
}

void tl_c_put_elements(tl_buf *out, const tl_literal *l, uint32_t indent) {
  const tl_dtype part = tl_dtype_part(l->type.dtype);
  const uint32_t size = tl_dtype_get(part)->size;
  const bool bits = by_bits(l);
  size_t line = out->len;
  for (size_t at = 0; at < l->size; at += size) {
    if (at) tl_buf_cstr(out, ",");
    if (indent && (at == 0 || out->len - line > 92)) {
      tl_buf_char(out, '\n');
      line = out->len;
      tl_buf_printf(out, "%*s", (int)indent, "");
    } else if (at) {
      tl_buf_char(out, ' ');
    }
    if (bits)
      put_bits(out, (const char *)l->data + at, size);
    else
      tl_c_put_element(out, part, (const char *)l->data + at);
  }
}

void tl_c_put_string(tl_buf *out, tl_str text) {
  tl_buf_char(out, '"');
  for (size_t i = 0; i < text.len; i++) {
    const unsigned char c = (unsigned char)text.ptr[i];
    if (c < ' ' || c >= 0x7f)
      tl_buf_printf(out, "\\%03o", c);
    else if (c == '"' || c == '\\' || c == '?') // no trigraph either
      tl_buf_printf(out, "\\%c", c);
    else
      tl_buf_char(out, (char)c);
  }
  tl_buf_char(out, '"');
}
