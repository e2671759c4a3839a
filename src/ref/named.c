// Named ops on whole rows: norms, softmax, the gated product, rotation, embedding, the cache. Each
// is written out here on its own; ir/decompose says the same in core ops, and the two agree by
// bits.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

#include "ir/format.h"
#include "ref/elementary_f64.h"
#include "ref/lanes.h"
#include "ref/sums.h"

static tl_status too_large(const tl_ref_call *c) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large",
                  tl_op_get(c->op->code)->mnemonic);
}

// All of t as a dense array of the kind, in scratch. NULL when memory is gone.
static void *load_all(tl_ref_call *c, const tl_tensor *t, tl_lanes_kind kind) {
  size_t count;
  if (!tl_type_count(t->type, &count)) return NULL;
  void *all = tl_arena_alloc_array(c->scratch, count,
                                   kind == TL_LANES_F32 ? sizeof(float) : sizeof(double), 16);
  if (all != NULL) tl_lanes_load_run(kind, t->type.dtype, t->data, 0, count, all);
  return all;
}

static void store_run(const tl_tensor *t, tl_lanes_kind kind, size_t at, size_t n,
                      const void *run) {
  size_t size = kind == TL_LANES_F32 ? sizeof(float) : sizeof(double);
  tl_lanes x;
  for (size_t i = 0; i < n; i += TL_LANES) {
    size_t part = TL_MIN(n - i, TL_LANES);
    memcpy(&x, (const unsigned char *)run + i * size, part * size);
    tl_lanes_store(&x, kind, t->type.dtype, t->data, at + i, part);
  }
}

static int64_t clamp_index(int64_t i, int64_t dim) { return TL_MAX(0, TL_MIN(i, dim - 1)); }

// y = (x * r) * w with r = 1 / sqrt(sum16(x * x) / n + eps), every operation rounded. In place.
#define RMS_NORM(T, suffix, SQRT)                                    \
  static void rms_norm_##suffix(T *x, const T *w, size_t n, T eps) { \
    tl_sum_##suffix sum = {0};                                       \
    for (size_t i = 0; i < n; i++)                                   \
      sum.lane[i % TL_SUM_LANES] += x[i] * x[i];                     \
    T r = 1 / SQRT(tl_sum_##suffix##_end(&sum) / (T)n + eps);        \
    for (size_t i = 0; i < n; i++)                                   \
      x[i] = x[i] * r * w[i];                                        \
  }
RMS_NORM(float, f32, sqrtf)
RMS_NORM(double, f64, sqrt)

tl_status ref_eval_RMS_NORM(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  size_t count, n = (size_t)out->type.dims[out->type.rank - 1];
  double eps = tl_op_f64(c->op, TL_A_RMS_NORM_eps);
  if (!tl_type_count(out->type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  void *x = load_all(c, &c->in[0], kind), *w = load_all(c, &c->in[1], kind);
  if (x == NULL || w == NULL) return TL_OOM();
  for (size_t at = 0; at < count; at += n)
    if (kind == TL_LANES_F32)
      rms_norm_f32((float *)x + at, w, n, (float)eps);
    else
      rms_norm_f64((double *)x + at, w, n, eps);
  store_run(out, kind, 0, count, x);
  return TL_OK;
}

// e = exp(x - max x), y = e / sum(e), in the order of sums.h. In place, over elements a step apart.
#define SOFTMAX(T, suffix, MAX, EXP)                             \
  static void softmax_##suffix(T *x, size_t n, size_t step) {    \
    T m = -(T)INFINITY;                                          \
    for (size_t i = 0; i < n; i++)                               \
      m = MAX(m, x[i * step]);                                   \
    T total = 0;                                                 \
    for (size_t at = 0; at < n; at += TL_SUM_BLOCK) {            \
      tl_sum_##suffix sum = {0};                                 \
      for (size_t i = at; i < n && i - at < TL_SUM_BLOCK; i++) { \
        T e = EXP(x[i * step] - m);                              \
        x[i * step] = e;                                         \
        sum.lane[i % TL_SUM_LANES] += e;                         \
      }                                                          \
      total += tl_sum_##suffix##_end(&sum);                      \
    }                                                            \
    for (size_t i = 0; i < n; i++)                               \
      x[i * step] /= total;                                      \
  }
SOFTMAX(float, f32, tl_max_f32, tl_exp_f32)
SOFTMAX(double, f64, tl_max_f64, tl_exp_f64)

tl_status ref_eval_SOFTMAX(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  int64_t axis = tl_op_i64(c->op, TL_A_SOFTMAX_axis);
  size_t count, n = (size_t)out->type.dims[axis], inner = 1;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  for (uint32_t i = (uint32_t)axis + 1; i < out->type.rank; i++)
    inner *= (size_t)out->type.dims[i];
  void *x = load_all(c, &c->in[0], kind);
  if (x == NULL) return TL_OOM();
  for (size_t at = 0; at < count; at += n * inner)
    for (size_t i = 0; i < inner; i++)
      if (kind == TL_LANES_F32)
        softmax_f32((float *)x + at + i, n, inner);
      else
        softmax_f64((double *)x + at + i, n, inner);
  store_run(out, kind, 0, count, x);
  return TL_OK;
}

tl_status ref_eval_SWIGLU(tl_ref_call *c) { // (gate * logistic(gate)) * up
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  size_t count;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  if (kind != TL_LANES_F32 && kind != TL_LANES_F64)
    return TL_ERROR(UNIMPLEMENTED, "swiglu has no meaning for elements of type %s",
                    tl_dtype_get(out->type.dtype)->mlir);
  tl_lanes g, u;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&g, c->in[0].type.dtype, c->in[0].data, at, n);
    tl_lanes_load(&u, c->in[1].type.dtype, c->in[1].data, at, n);
    for (size_t i = 0; i < n; i++) {
      if (kind == TL_LANES_F32)
        g.f32[i] = g.f32[i] * tl_logistic_f32(g.f32[i]) * u.f32[i];
      else
        g.f64[i] = g.f64[i] * (1.0 / (1.0 + tl_exp_f64(-g.f64[i]))) * u.f64[i];
    }
    tl_lanes_store(&g, kind, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

// Of one head [D], halves a and b: a*cos - b*sin and b*cos + a*sin, no fused operation. In place.
#define ROPE(T, suffix)                                                          \
  static void rope_##suffix(T *x, const T *cosine, const T *sine, size_t half) { \
    for (size_t i = 0; i < half; i++) {                                          \
      T a = x[i], b = x[half + i];                                               \
      x[i] = a * cosine[i] - b * sine[i];                                        \
      x[half + i] = b * cosine[i] + a * sine[i];                                 \
    }                                                                            \
  }
ROPE(float, f32)
ROPE(double, f64)

tl_status ref_eval_ROPE(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  size_t count;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  size_t heads = (size_t)out->type.dims[1], size = (size_t)out->type.dims[2], half = size / 2;
  int64_t rows = c->in[1].type.dims[0];
  void *x = load_all(c, &c->in[0], kind);
  void *cosine = tl_arena_alloc_array(c->scratch, half, sizeof(double), 16);
  void *sine = tl_arena_alloc_array(c->scratch, half, sizeof(double), 16);
  if (x == NULL || cosine == NULL || sine == NULL) return TL_OOM();
  for (size_t at = 0; at < count; at += size) {
    size_t row = (size_t)clamp_index(tl_ref_index(&c->in[3], at / (heads * size)), rows);
    tl_lanes_load_run(kind, c->in[1].type.dtype, c->in[1].data, row * half, half, cosine);
    tl_lanes_load_run(kind, c->in[2].type.dtype, c->in[2].data, row * half, half, sine);
    if (kind == TL_LANES_F32)
      rope_f32((float *)x + at, cosine, sine, half);
    else
      rope_f64((double *)x + at, cosine, sine, half);
  }
  store_run(out, kind, 0, count, x);
  return TL_OK;
}

tl_status ref_eval_EMBEDDING(tl_ref_call *c) {
  const tl_tensor *table = &c->in[0], *indices = &c->in[1];
  size_t count, row = (size_t)table->type.dims[1] * tl_dtype_get(table->type.dtype)->size;
  if (!tl_type_count(indices->type, &count)) return too_large(c);
  if (row == 0 || count == 0) return TL_OK;
  int64_t padding = tl_op_i64(c->op, TL_A_EMBEDDING_padding_index);
  for (size_t i = 0; i < count; i++) {
    int64_t index = tl_ref_index(indices, i);
    if (padding >= 0 && index == padding) {
      memset((unsigned char *)c->out[0].t.data + i * row, 0, row);
      continue;
    }
    size_t from = (size_t)clamp_index(index, table->type.dims[0]);
    memcpy((unsigned char *)c->out[0].t.data + i * row,
           (const unsigned char *)table->data + from * row, row);
  }
  return TL_OK;
}

// Token t's row goes to position slots[t] counted from block `block_offset`; a negative slot and
// one past the cache's end are dropped. Of two tokens with one slot the later wins. Rows are
// rounded to the cache's type.
// The rows of an i8 pool [.., D + 4]: codes and their scale (ir/decompose_pages.c).
static void write_codes(const tl_tensor *x, size_t from, size_t heads, size_t D, int8_t *to,
                        float *row) {
  for (size_t h = 0; h < heads; h++, to += D + TL_KV_SCALE) {
    tl_lanes_load_run(TL_LANES_F32, x->type.dtype, x->data, from + h * D, D, row);
    float scale = 0;
    for (size_t d = 0; d < D; d++)
      scale = tl_max_f32(scale, fabsf(row[d]));
    scale /= 127.0f;
    if (scale == 0) scale = 1;
    for (size_t d = 0; d < D; d++) {
      const float q = row[d] / scale;
      to[d] = (int8_t)(isfinite(q) ? fmaxf(-127, fminf(127, roundf(q))) : 0);
    }
    memcpy(to + D, &scale, sizeof scale);
  }
}

tl_status ref_eval_KV_CACHE_WRITE(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t, *rows = &c->in[1], *slots = &c->in[2];
  const int64_t *dims = out->type.dims; // [blocks, bs, KvH, D]
  int64_t bs = dims[1], first, end;
  size_t width = (size_t)dims[2] * (size_t)dims[3], n_tokens = (size_t)rows->type.dims[0], count;
  if (!TL_MUL_OK(tl_op_i64(c->op, TL_A_KV_CACHE_WRITE_block_offset), bs, &first) ||
      !TL_MUL_OK(dims[0], bs, &end))
    return too_large(c);
  tl_ref_start_from(c, 0);
  if (!tl_type_count(out->type, &count)) return too_large(c);
  tl_lanes lanes;
  const bool codes = out->type.dtype == TL_DTYPE_S8, fp8 = out->type.dtype == TL_DTYPE_F8E4M3FN;
  const size_t heads = (size_t)dims[2], D = (size_t)rows->type.dims[2];
  float *row = codes ? tl_arena_alloc_array(c->scratch, D, sizeof *row, 16) : NULL;
  if (codes && row == NULL) return TL_OOM();
  for (size_t t = 0; count > 0 && t < n_tokens; t++) {
    int64_t slot = tl_ref_index(slots, t);
    if (slot < 0 || slot >= end - first) continue;
    size_t to = (size_t)(first + slot) * width;
    if (codes) {
      write_codes(rows, t * heads * D, heads, D, (int8_t *)out->data + to, row);
      continue;
    }
    for (size_t i = 0; i < width; i += TL_LANES) {
      size_t n = TL_MIN(width - i, TL_LANES);
      tl_lanes_load(&lanes, rows->type.dtype, rows->data, t * width + i, n);
      const tl_lanes_kind from = tl_lanes_kind_of(rows->type.dtype);
      for (size_t l = 0; fp8 && l < n; l++) // NaN stays
        if (from == TL_LANES_F32)
          lanes.f32[l] = tl_min_f32(tl_max_f32(lanes.f32[l], -448), 448);
        else
          lanes.f64[l] = tl_min_f64(tl_max_f64(lanes.f64[l], -448), 448);
      tl_lanes_kind kind = tl_lanes_convert(&lanes, from, out->type.dtype, n);
      tl_lanes_store(&lanes, kind, out->type.dtype, out->data, to + i, n);
    }
  }
  return TL_OK;
}
