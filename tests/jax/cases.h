// Recorded cases of JAX: modules behind comments that hold their arguments and what JAX computed.
//
//     // what more words
//     // in f32 3x4 <hex of the elements, little endian; - for none>
//     module …
//     // -----
#ifndef TESTS_JAX_CASES_H
#define TESTS_JAX_CASES_H

#include "base/half.h"
#include "ir/ir.h"

typedef struct value { // of the comments: bytes of a tensor
  tl_dtype dtype;
  uint32_t rank;
  int64_t dims[TL_MAX_RANK];
  void *data;
  size_t size, n;
} value;

static tl_str word(tl_str *line) { // the next word, taken off
  size_t end = TL_MIN(tl_str_find(*line, TL_STR(" ")), line->len);
  const tl_str w = tl_str_sub(*line, 0, end);
  *line = tl_str_sub(*line, TL_MIN(end + 1, line->len), line->len);
  return w;
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// f32 3x4 <hex>
static tl_status read_value(tl_arena *a, tl_str line, value *v) {
  const tl_str dtype = word(&line);
  tl_str dims = word(&line);
  const tl_str hex = word(&line);
  for (v->rank = 0; dims.len && !tl_str_is(dims, "-") && v->rank < TL_MAX_RANK; v->rank++) {
    const size_t x = TL_MIN(tl_str_find(dims, TL_STR("x")), dims.len);
    if (!tl_str_to_i64(tl_str_sub(dims, 0, x), &v->dims[v->rank]))
      return TL_ERROR(INVALID_ARGUMENT, "the dims of a value are no numbers");
    dims = tl_str_sub(dims, TL_MIN(x + 1, dims.len), dims.len);
  }
  if (!tl_dtype_of_mlir(dtype, &v->dtype))
    return TL_ERROR(UNIMPLEMENTED, "unsupported: values of " TL_STR_FMT, TL_STR_ARG(dtype));
  v->size = hex.len / 2; // "-": none
  v->n = v->size / tl_dtype_get(v->dtype)->size;
  unsigned char *data = tl_arena_alloc(a, v->size + 1, 64);
  if (!data) return TL_OOM();
  for (size_t i = 0; i < v->size; i++)
    data[i] = (unsigned char)(digit(hex.ptr[2 * i]) << 4 | digit(hex.ptr[2 * i + 1]));
  v->data = data;
  return TL_OK;
}

// The case at the front of `*text`, which is taken off: its comments and its module.
static tl_str next_part(tl_str *text) {
  static const char mark[] = "// -----\n";
  size_t end = TL_MIN(tl_str_find(*text, TL_STR(mark)), text->len);
  tl_str part = tl_str_sub(*text, 0, end);
  *text = tl_str_sub(*text, TL_MIN(end + sizeof mark - 1, text->len), text->len);
  return part;
}

// The comment at the front of `*part`, taken off: its first word and the rest. False where none is.
static bool next_comment(tl_str *part, tl_str *what, tl_str *line) {
  if (!tl_str_starts(*part, TL_STR("// "))) return false;
  const size_t eol = TL_MIN(tl_str_find(*part, TL_STR("\n")), part->len);
  *line = tl_str_sub(*part, 3, eol);
  *what = word(line);
  *part = tl_str_sub(*part, TL_MIN(eol + 1, part->len), part->len);
  return true;
}

// Real number i of `data`, of v's type; a complex element is two.
TL_UNUSED static double load(const value *v, const void *data, size_t i) {
  union {
    float f;
    double d;
    uint16_t h;
  } x;
  const tl_dtype_info *info = tl_dtype_get(v->dtype);
  const size_t size = info->kind == TL_KIND_COMPLEX ? info->size / 2 : info->size;
  memcpy(&x, (const char *)data + i * size, size);
  switch (v->dtype) {
  case TL_DTYPE_F16:
    return (double)tl_f32_of_f16(x.h);
  case TL_DTYPE_BF16:
    return (double)tl_f32_of_bf16(x.h);
  case TL_DTYPE_F32:
  case TL_DTYPE_C64:
    return (double)x.f;
  default:
    return x.d;
  }
}

#endif
