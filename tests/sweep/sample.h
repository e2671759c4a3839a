// Samples of the op sweep: their text, what they say of themselves, and their inputs. The top of
// sweep_test.c says what they look like.
#ifndef TESTS_SWEEP_SAMPLE_H
#define TESTS_SWEEP_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/half.h"
#include "base/hash.h"
#include "base/minifloat.h"
#include "ir/testing.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

#define MAX_VALUES 64

typedef struct sample {
  tl_arena *arena;
  tl_str text; // of this part
  tl_opcode op;
  const char *name; // the file's, without .mlir
  size_t part;
  tl_module *module;
  const tl_func *fn;
  size_t n_in, n_out;
  tl_tensor in[MAX_VALUES], want[MAX_VALUES];
} sample;

// ---- What a sample says of itself ----

// The rest of the line after "// <word>: ", or an empty text.
static inline tl_str said(const sample *s, const char *word) {
  char mark[32];
  snprintf(mark, sizeof mark, "// %s: ", word);
  size_t at = tl_str_find(s->text, tl_str_of(mark));
  if (at == (size_t)-1) return (tl_str){0};
  tl_str rest = tl_str_sub(s->text, at + strlen(mark), s->text.len);
  return tl_str_sub(rest, 0, TL_MIN(tl_str_find(rest, TL_STR("\n")), rest.len));
}

// ---- Inputs ----

static inline uint64_t next_random(uint64_t *state) { // splitmix64
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static const double edges[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               (double)INFINITY,
                               -(double)INFINITY,
                               (double)NAN,
                               0.5,
                               -0.5,
                               1.5,
                               2.5,
                               -2.5,
                               2e-38,
                               3.4e38,
                               -3.4e38,
                               65504,
                               1e10,
                               -1e10,
                               127,
                               -128,
                               128,
                               255,
                               16777217,
                               2147483647,
                               -2147483648.0,
                               4294967295.0,
                               1e-6,
                               3.14159265,
                               88.8,
                               -104.0};

// Bounds of an argument's elements: the pair of its number, or the last one there is.
static inline void range_of(const sample *s, size_t arg, double *lo, double *hi, bool *is_edges) {
  tl_str text = said(s, "inputs");
  *lo = -2, *hi = 2;
  *is_edges = tl_str_starts(text, TL_STR("edges"));
  char copy[256];
  snprintf(copy, sizeof copy, TL_STR_FMT, TL_STR_ARG(text));
  const char *at = copy;
  for (size_t i = 0; !*is_edges && *at && i <= arg; i++) {
    char *end;
    *lo = strtod(at, &end);
    *hi = strtod(end, &end);
    at = end + strspn(end, " ;");
  }
}

static inline void store(tl_dtype d, void *data, size_t i, double x) {
  const tl_dtype_info *info = tl_dtype_get(d);
  const double bits = info->bits;
  uint64_t u = 0;
  switch (info->kind) {
  case TL_KIND_BOOL:
    u = isnan(x) || x > 0;
    break;
  case TL_KIND_INT:
  case TL_KIND_UINT: {
    const bool is_signed = info->kind == TL_KIND_INT;
    const double top = ldexp(1, (int)bits - is_signed) - 1, bottom = is_signed ? -top - 1 : 0;
    x = isnan(x) ? 0 : floor(x);
    u = x >= top ? (is_signed ? UINT64_MAX >> (65 - (int)bits) : UINT64_MAX >> (64 - (int)bits))
        : x <= bottom ? (is_signed ? (uint64_t)1 << ((int)bits - 1) : 0)
        : x < 0       ? (uint64_t)(int64_t)x
                      : (uint64_t)x;
    break;
  }
  default:
    if (d == TL_DTYPE_F64) memcpy(&u, &x, 8);
    float f = (float)x;
    if (d == TL_DTYPE_F32) memcpy(&u, &f, 4);
    if (d == TL_DTYPE_F16) u = tl_f16_of_f64(x);
    if (d == TL_DTYPE_BF16) u = tl_bf16_of_f64(x);
#define TL_MINIFLOAT(id, ...) \
  if (d == TL_DTYPE_##id) u = tl_minifloat_of_f64(TL_MINIFLOAT_##id, x);
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  }
  memcpy((char *)data + i * info->size, &u, info->size);
}

// Elements, or the parts of complex ones: what store and load number.
static inline bool count_parts(tl_type t, size_t *out) {
  return tl_type_count(t, out) &&
         TL_MUL_OK(*out, tl_dtype_part(t.dtype) == t.dtype ? (size_t)1 : (size_t)2, out);
}

static inline double load(const tl_tensor *t, size_t i) {
  const tl_dtype d = tl_dtype_part(t->type.dtype);
  const tl_dtype_info *info = tl_dtype_get(d);
  uint64_t u = 0;
  memcpy(&u, (const char *)t->data + i * info->size, info->size);
  double x;
  float f;
  switch (info->kind) {
  case TL_KIND_BOOL:
  case TL_KIND_UINT:
    return (double)u;
  case TL_KIND_INT:
    return (double)((int64_t)(u << (64 - info->size * 8)) >> (64 - info->size * 8));
  default:
    if (d == TL_DTYPE_F16) return (double)tl_f32_of_f16((uint16_t)u);
    if (d == TL_DTYPE_BF16) return (double)tl_f32_of_bf16((uint16_t)u);
#define TL_MINIFLOAT(id, ...) \
  if (d == TL_DTYPE_##id) return (double)tl_f32_of_minifloat(TL_MINIFLOAT_##id, (uint8_t)u);
#include "base/minifloats.def"
#undef TL_MINIFLOAT
    memcpy(&f, &u, 4), memcpy(&x, &u, 8);
    return d == TL_DTYPE_F32 ? (double)f : x;
  }
}

// Another `draw`: other numbers of the same ranges.
static inline tl_status make_inputs(sample *s, uint64_t draw) {
  for (size_t a = 0; a < s->n_in; a++) {
    double lo, hi;
    bool is_edges;
    range_of(s, a, &lo, &hi, &is_edges);
    tl_tensor *t = &s->in[a];
    size_t count, size;
    t->type = s->fn->body->args[a]->type;
    if (!count_parts(t->type, &count) || !tl_type_size(t->type, &size))
      return TL_ERROR(UNIMPLEMENTED, "the sweep cannot make argument %zu", a);
    t->data = tl_arena_alloc(s->arena, size + 1, 64);
    if (!t->data) return TL_OOM();
    // By the op's name: its number changes with every row that is added before it.
    uint64_t seed = tl_hash64(s->name, strlen(s->name)) + s->part * 64 + a + (draw << 32);
    const tl_dtype d = tl_dtype_part(t->type.dtype);
    const bool is_float = tl_dtype_get(d)->kind == TL_KIND_FLOAT;
    for (size_t i = 0; i < count; i++) {
      const uint64_t r = next_random(&seed);
      const double unit = (double)(r >> 11) * 0x1p-53;
      store(d, t->data, i,
            is_edges   ? edges[r % TL_COUNT(edges)]
            : is_float ? lo + (hi - lo) * unit
                       : floor(lo + (hi - lo + 1) * unit));
    }
  }
  return TL_OK;
}

// The least tolerance under which they agree; infinite when their types, NaNs or infinities differ.
static inline double distance(const tl_tensor *a, const tl_tensor *b) {
  size_t count;
  if (a->type.rank != b->type.rank || !count_parts(a->type, &count)) return INFINITY;
  for (uint32_t i = 0; i < a->type.rank; i++)
    if (a->type.dims[i] != b->type.dims[i]) return INFINITY;
  double greatest = 0, worst = 0;
  for (size_t i = 0; i < count; i++) {
    const double y = load(b, i);
    if (isfinite(y)) greatest = fmax(greatest, fabs(y));
  }
  for (size_t i = 0; i < count; i++) {
    const double x = load(a, i), y = load(b, i);
    if (isnan(x) && isnan(y)) continue;
    if (x == y) continue;
    if (!isfinite(x) || !isfinite(y)) return INFINITY;
    worst = fmax(worst, greatest > 0 ? fabs(x - y) / greatest : (double)INFINITY);
  }
  return worst;
}

// ---- Its floats ----

static inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The text with the type `to` for every other float.
static inline tl_str with_floats(tl_arena *a, tl_str text, const char *to) {
  static const char *const floats[] = {"f64",           "bf16",     "f16",        "f32",
                                       "f8E3M4",        "f8E4M3",   "f8E4M3FN",   "f8E4M3FNUZ",
                                       "f8E4M3B11FNUZ", "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU",
                                       "f6E2M3FN",      "f6E3M2FN", "f4E2M1FN"};
  const size_t size_to = strlen(to);
  char *out = tl_arena_alloc(a, 2 * text.len + 8, 1);
  size_t n = 0;
  assert_non_null(out);
  for (size_t i = 0; i < text.len;) {
    size_t len = 0;
    for (size_t k = 0; k < TL_COUNT(floats) && !len; k++) {
      const size_t size = strlen(floats[k]);
      if (text.len - i >= size && memcmp(text.ptr + i, floats[k], size) == 0 &&
          (i + size == text.len || !is_word(text.ptr[i + size])) &&
          (i == 0 || !is_word(text.ptr[i - 1]) || text.ptr[i - 1] == 'x') &&
          // A number's, in an attribute, says nothing.
          (i < 3 || memcmp(text.ptr + i - 3, " : ", 3) != 0))
        len = size;
    }
    if (len) {
      memcpy(out + n, to, size_to);
      n += size_to, i += len;
    } else {
      out[n++] = text.ptr[i++];
    }
  }
  return (tl_str){out, n};
}

// ---- Its module ----

static inline tl_status parsed(const sample *s, tl_str text, tl_module **out_module) {
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(text, s->name, &diags, out_module);
  if (st && diags.len) {
    tl_status_drop(st);
    st = TL_ERROR(INVALID_ARGUMENT, "%u:%u: %s", diags.items[0].loc.line, diags.items[0].loc.col,
                  diags.items[0].message);
  }
  tl_diags_deinit(&diags);
  return st;
}

// The text of a sample that is one line in the notation of ir/testing.h.
static inline tl_status build_text(sample *s) {
  tl_buf out = {0};
  tl_module *m = NULL;
  tl_status st = case_of_line(s->op, said(s, "op"), &m);
  if (!st) {
    tl_buf_printf(&out, TL_STR_FMT, TL_STR_ARG(s->text));
    st = tl_shlo_print(m, &(tl_shlo_print_options){0}, &out);
  }
  if (!st) {
    char *copy = tl_arena_alloc(s->arena, out.len + 1, 1);
    if (copy) memcpy(copy, out.ptr, out.len), copy[out.len] = 0;
    s->text = (tl_str){copy, copy ? out.len : 0};
  }
  tl_buf_deinit(&out);
  tl_module_destroy(m);
  return st;
}

// The next part of a file's text, which *rest then is behind.
static inline tl_str next_part(tl_str *rest) {
  static const char mark[] = "// -----\n";
  const size_t end = TL_MIN(tl_str_find(*rest, TL_STR(mark)), rest->len);
  const tl_str part = tl_str_sub(*rest, 0, end);
  *rest = tl_str_sub(*rest, TL_MIN(end + sizeof mark - 1, rest->len), rest->len);
  return part;
}

// From its text to its inputs. The module is the caller's to destroy, also on failure.
static inline tl_status open_sample(sample *s) {
  if (said(s, "op").len) TL_TRY(build_text(s));
  TL_TRY(parsed(s, s->text, &s->module));
  s->fn = tl_module_find(s->module, TL_STR("main"));
  if (!s->fn) return TL_ERROR(NOT_FOUND, "no @main");
  s->n_in = s->fn->body->n_args, s->n_out = s->fn->n_results;
  if (s->n_in > MAX_VALUES || s->n_out > MAX_VALUES)
    return TL_ERROR(OUT_OF_RANGE, "more than %d values", MAX_VALUES);
  return make_inputs(s, 0);
}

#endif
