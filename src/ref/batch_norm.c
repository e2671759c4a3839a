// batch_norm_inference, batch_norm_training and batch_norm_grad, by the specification's formulas.
//
// f16 and bf16 compute in f32 and round at the end. The sums over a feature's elements are those of
// reduce: sums.h, in row-major order.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

#include "ref/lanes.h"
#include "ref/sums.h"

typedef struct layout { // of the operand: [outer, features, inner]
  size_t outer, features, inner, count;
  tl_lanes_kind kind;
} layout;

static tl_status layout_of(const tl_ref_call *c, int64_t dim, layout *l) {
  tl_type t = c->in[0].type;
  *l = (layout){1, (size_t)t.dims[dim], 1, 0, tl_lanes_kind_of(t.dtype)};
  if (!tl_type_count(t, &l->count))
    return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large",
                    tl_op_get(c->op->code)->mnemonic);
  for (uint32_t d = 0; d < t.rank; d++)
    if (d != dim) *(d < dim ? &l->outer : &l->inner) *= (size_t)t.dims[d];
  return TL_OK;
}

// Operand i whole, in the type that is computed in; NULL when memory is gone.
static void *load(const tl_ref_call *c, const layout *l, uint32_t i) {
  const tl_tensor *x = &c->in[i];
  size_t count = 0;
  if (!tl_type_count(x->type, &count)) return NULL;
  void *data = TL_NEW(c->scratch, double, TL_MAX(count, (size_t)1));
  if (data != NULL) tl_lanes_load_run(l->kind, x->type.dtype, x->data, 0, count, data);
  return data;
}

static void store(const tl_ref_call *c, const layout *l, uint32_t i, const void *data, size_t n) {
  const tl_tensor *out = &c->out[i].t;
  size_t size = l->kind == TL_LANES_F32 ? sizeof(float) : sizeof(double);
  tl_lanes lanes;
  for (size_t at = 0; at < n; at += TL_LANES) {
    size_t part = TL_MIN(n - at, TL_LANES);
    memcpy(&lanes, (const unsigned char *)data + at * size, part * size);
    tl_lanes_store(&lanes, l->kind, out->type.dtype, out->data, at, part);
  }
}

// clang-format off
// T the type computed in, S the suffix of its sums.
#define BATCH_NORM(T, S, sqrt_of)                                                                  \
  /* The sum of feature c's x, or of x y. */                                                       \
  static T sum_##S(const layout *l, size_t c, const T *x, const T *y) {                            \
    tl_sum_##S sum = {0};                                                                          \
    T part[TL_LANES];                                                                              \
    size_t n = 0;                                                                                  \
    for (size_t o = 0; o < l->outer; o++)                                                          \
      for (size_t i = 0; i < l->inner; i++) {                                                      \
        size_t at = (o * l->features + c) * l->inner + i;                                          \
        part[n++] = y == NULL ? x[at] : x[at] * y[at];                                             \
        if (n == TL_LANES) {                                                                       \
          tl_sum_##S##_add(&sum, part, n);                                                         \
          n = 0;                                                                                   \
        }                                                                                          \
      }                                                                                            \
    if (n > 0) tl_sum_##S##_add(&sum, part, n);                                                    \
    return tl_sum_##S##_end(&sum);                                                                 \
  }                                                                                                \
  static void center_##S(const layout *l, T *x, const T *mean) {                                   \
    for (size_t i = 0; i < l->count; i++)                                                          \
      x[i] -= mean[i / l->inner % l->features];                                                    \
  }                                                                                                \
  /* x is centered, and becomes the result. */                                                     \
  static void normalise_##S(const layout *l, T *x, const T *scale, const T *offset,                \
                            const T *variance, T eps) {                                            \
    for (size_t i = 0; i < l->count; i++) {                                                        \
      size_t c = i / l->inner % l->features;                                                       \
      x[i] = scale[c] * (x[i] / sqrt_of(variance[c] + eps)) + offset[c];                           \
    }                                                                                              \
  }                                                                                                \
  static tl_status inference_##S(tl_ref_call *c, const layout *l, T eps) {                         \
    T *x, *scale, *offset, *mean, *variance;                                                       \
    if ((x = load(c, l, 0)) == NULL) return TL_OOM();                                              \
    if ((scale = load(c, l, 1)) == NULL) return TL_OOM();                                          \
    if ((offset = load(c, l, 2)) == NULL) return TL_OOM();                                         \
    if ((mean = load(c, l, 3)) == NULL) return TL_OOM();                                           \
    if ((variance = load(c, l, 4)) == NULL) return TL_OOM();                                       \
    center_##S(l, x, mean);                                                                        \
    normalise_##S(l, x, scale, offset, variance, eps);                                             \
    store(c, l, 0, x, l->count);                                                                   \
    return TL_OK;                                                                                  \
  }                                                                                                \
  static tl_status training_##S(tl_ref_call *c, const layout *l, T eps) {                          \
    T *x, *scale, *offset, n = (T)(l->outer * l->inner);                                           \
    if ((x = load(c, l, 0)) == NULL) return TL_OOM();                                              \
    if ((scale = load(c, l, 1)) == NULL) return TL_OOM();                                          \
    if ((offset = load(c, l, 2)) == NULL) return TL_OOM();                                         \
    T *mean = TL_NEW(c->scratch, T, TL_MAX(l->features, (size_t)1)),                               \
      *variance = TL_NEW(c->scratch, T, TL_MAX(l->features, (size_t)1));                           \
    if (mean == NULL || variance == NULL) return TL_OOM();                                         \
    for (size_t k = 0; k < l->features; k++)                                                       \
      mean[k] = sum_##S(l, k, x, NULL) / n;                                                        \
    center_##S(l, x, mean);                                                                        \
    for (size_t k = 0; k < l->features; k++)                                                       \
      variance[k] = sum_##S(l, k, x, x) / n;                                                       \
    normalise_##S(l, x, scale, offset, variance, eps);                                             \
    store(c, l, 0, x, l->count);                                                                   \
    store(c, l, 1, mean, l->features);                                                             \
    store(c, l, 2, variance, l->features);                                                         \
    return TL_OK;                                                                                  \
  }                                                                                                \
  static tl_status grad_##S(tl_ref_call *c, const layout *l, T eps) {                              \
    T *x, *scale, *mean, *variance, *dy, n = (T)(l->outer * l->inner);                             \
    if ((x = load(c, l, 0)) == NULL) return TL_OOM();                                              \
    if ((scale = load(c, l, 1)) == NULL) return TL_OOM();                                          \
    if ((mean = load(c, l, 2)) == NULL) return TL_OOM();                                           \
    if ((variance = load(c, l, 3)) == NULL) return TL_OOM();                                       \
    if ((dy = load(c, l, 4)) == NULL) return TL_OOM();                                             \
    T *normal = TL_NEW(c->scratch, T, TL_MAX(l->count, (size_t)1)),                                \
      *d_scale = TL_NEW(c->scratch, T, TL_MAX(l->features, (size_t)1)),                            \
      *d_offset = TL_NEW(c->scratch, T, TL_MAX(l->features, (size_t)1)),                           \
      *i3 = TL_NEW(c->scratch, T, TL_MAX(l->features, (size_t)1));                                 \
    if (normal == NULL || d_scale == NULL || d_offset == NULL || i3 == NULL) return TL_OOM();      \
    center_##S(l, x, mean);                                                                        \
    for (size_t i = 0; i < l->count; i++)                                                          \
      normal[i] = x[i] / sqrt_of(variance[i / l->inner % l->features] + eps);                      \
    for (size_t k = 0; k < l->features; k++) {                                                     \
      d_scale[k] = sum_##S(l, k, dy, normal);                                                      \
      d_offset[k] = sum_##S(l, k, dy, NULL);                                                       \
      i3[k] = sum_##S(l, k, dy, x);                                                                \
    }                                                                                              \
    for (size_t i = 0; i < l->count; i++) {                                                        \
      size_t k = i / l->inner % l->features;                                                       \
      T i5 = i3[k] * x[i] / (variance[k] + eps), i6 = dy[i] * n - d_offset[k] - i5;                \
      x[i] = scale[k] / sqrt_of(variance[k] + eps) / n * i6;                                       \
    }                                                                                              \
    store(c, l, 0, x, l->count);                                                                   \
    store(c, l, 1, d_scale, l->features);                                                          \
    store(c, l, 2, d_offset, l->features);                                                         \
    return TL_OK;                                                                                  \
  }
BATCH_NORM(float, f32, sqrtf)
BATCH_NORM(double, f64, sqrt)

#define EVAL(id, name)                                                                             \
  tl_status ref_eval_##id(tl_ref_call *c) {                                                        \
    layout l;                                                                                      \
    float eps = (float)tl_op_f64(c->op, TL_A_##id##_epsilon);                                      \
    TL_TRY(layout_of(c, tl_op_i64(c->op, TL_A_##id##_feature_index), &l));                         \
    return l.kind == TL_LANES_F32 ? name##_f32(c, &l, eps) : name##_f64(c, &l, (double)eps);       \
  }
EVAL(BATCH_NORM_INFERENCE, inference)
EVAL(BATCH_NORM_TRAINING, training)
EVAL(BATCH_NORM_GRAD, grad)
// clang-format on
