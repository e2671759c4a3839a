// Linear algebra and the ops of networks: a named op each.
#include "program/internal.h"

#include <math.h>

// Floats only: what an op of the table cannot take is said here, by its name for users.
static bool wants_floats(tl_trace *t, const char *what, tl_expr x, bool complex_too) {
  tl_dtype_kind kind = tl_dtype_get(x->v->type.dtype)->kind;
  if (kind == TL_KIND_FLOAT || (complex_too && kind == TL_KIND_COMPLEX)) return true;
  tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: not defined for %s; convert it", what,
          tl_type_text(x));
  return false;
}

static bool same_dtypes(tl_trace *t, const char *what, const tl_expr *xs, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    if (xs[i]->v->type.dtype != xs[0]->v->type.dtype) {
      tl_fail(t, TL_DIAG_DTYPE_MISMATCH,
              "%s: %s and %s have different element types; convert one of them", what,
              tl_type_text(xs[0]), tl_type_text(xs[i]));
      return false;
    }
  return true;
}

static bool wants_rank(tl_trace *t, const char *what, tl_expr x, uint32_t least, uint32_t most) {
  if (tl_rank_of(x) >= least && tl_rank_of(x) <= most) return true;
  tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: %s has %u axes, wants %s%u", what, tl_type_text(x),
          tl_rank_of(x), most > least ? "at least " : "", least);
  return false;
}

static bool wants_square(tl_trace *t, const char *what, tl_expr a) {
  if (!wants_rank(t, what, a, 2, TL_MAX_RANK)) return false;
  const int64_t *d = a->v->type.dims + tl_rank_of(a) - 2;
  if (d[0] != d[1])
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: the matrices of %s are not square", what,
            tl_type_text(a));
  return d[0] == d[1];
}

tl_expr tl_cholesky_at(tl_here at, tl_expr a) {
  tl_trace *t = tl_trace_at(at, "cholesky", &a, 1);
  if (t == NULL || !wants_floats(t, "cholesky", a, true) || !wants_square(t, "cholesky", a))
    return NULL;
  // StableHLO leaves the upper half open.
  tl_value l = tlo_cholesky(t->b, a->v, true);
  if (!tl_settle(t)) return NULL;
  return tl_made(t, tlo_triangle(t->b, l, 0, 1, 1, 0), a->names);
}

static tl_trace *system_at(tl_here at, const char *what, tl_expr a, tl_expr b) {
  tl_expr both[2] = {a, b};
  tl_trace *t = tl_trace_at(at, what, both, 2);
  if (t == NULL || !same_dtypes(t, what, both, 2) || !wants_floats(t, what, a, true) ||
      !wants_square(t, what, a) || !wants_rank(t, what, b, 2, TL_MAX_RANK))
    return NULL;
  bool fits = tl_rank_of(a) == tl_rank_of(b);
  for (uint32_t i = 0; fits && i + 1 < tl_rank_of(a); i++)
    fits = a->v->type.dims[i] == b->v->type.dims[i];
  if (!fits)
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: a of %s, b of %s", what, tl_type_text(a),
            tl_type_text(b));
  return fits ? t : NULL;
}

tl_expr tl_solve_at(tl_here at, tl_expr a, tl_expr b) {
  tl_trace *t = system_at(at, "solve", a, b);
  return t == NULL ? NULL : tl_made(t, tlo_solve(t->b, a->v, b->v, false), b->names);
}

tl_expr tl_solve_triangular_at(tl_here at, tl_expr a, tl_expr b, bool lower, bool transpose) {
  tl_trace *t = system_at(at, "solve_triangular", a, b);
  if (t == NULL) return NULL;
  return tl_made(
      t,
      tlo_triangular_solve(t->b, a->v, b->v, lower, false,
                           transpose ? TL_TRANSPOSE_TRANSPOSE : TL_TRANSPOSE_NO_TRANSPOSE),
      b->names);
}

// Of one matrix, one to three results.
static tl_op *linear(tl_builder *b, const char *what, tl_value a, tl_value *one) {
  *one = NULL;
  if (strcmp(what, "slogdet") == 0) return tlo_slogdet(b, a);
  if (strcmp(what, "qr") == 0) return tlo_qr(b, a, false);
  if (strcmp(what, "eigh") == 0) return tlo_eigh(b, a, true);
  if (strcmp(what, "svd") == 0) return tlo_svd(b, a, false);
  if (strcmp(what, "det") == 0) *one = tlo_det(b, a);
  if (strcmp(what, "inverse") == 0) *one = tlo_inverse(b, a);
  if (strcmp(what, "singular_values") == 0) *one = tlo_singular_values(b, a);
  return NULL;
}

tl_expr tl_linear_at(tl_here at, const char *what, tl_expr a, tl_expr *rest, uint32_t n_rest) {
  tl_trace *t = tl_trace_at(at, what, &a, 1);
  for (uint32_t i = 0; i < n_rest; i++)
    rest[i] = NULL;
  bool any_shape =
      strcmp(what, "qr") == 0 || strcmp(what, "svd") == 0 || strcmp(what, "singular_values") == 0;
  if (t == NULL || !wants_floats(t, what, a, true) ||
      !(any_shape ? wants_rank(t, what, a, 2, TL_MAX_RANK) : wants_square(t, what, a)))
    return NULL;
  tl_value one;
  tl_op *op = linear(t->b, what, a->v, &one);
  if (op == NULL && one == NULL && t->b->error == TL_OK)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "'%s' is nothing done to a matrix", what);
  tl_expr first = tl_made(t, op == NULL ? one : op->results[0], NULL);
  for (uint32_t i = 0; first != NULL && op != NULL && i < n_rest && i + 1 < op->n_results; i++)
    rest[i] = tl_made(t, op->results[i + 1], NULL);
  return first;
}

// ---- networks ----

tl_expr tl_embedding_at(tl_here at, tl_expr table, tl_expr indices) {
  tl_trace *t = tl_trace_at(at, "embedding", (tl_expr[]){table, indices}, 2);
  return t == NULL || !wants_rank(t, "embedding", table, 2, 2) ? NULL
                                                               : tl_take_at(at, table, indices, 0);
}

static bool fits_last(tl_trace *t, const char *what, tl_expr x, tl_expr w) {
  if (!wants_rank(t, what, x, 1, TL_MAX_RANK) || !wants_rank(t, what, w, 1, 1)) return false;
  bool fits = x->v->type.dims[tl_rank_of(x) - 1] == w->v->type.dims[0];
  if (!fits)
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: %s for the last axis of %s", what, tl_type_text(w),
            tl_type_text(x));
  return fits;
}

tl_expr tl_rms_norm_at(tl_here at, tl_expr x, tl_expr weight, double eps) {
  tl_expr both[2] = {x, weight};
  tl_trace *t = tl_trace_at(at, "rms_norm", both, 2);
  if (t == NULL || !same_dtypes(t, "rms_norm", both, 2) || !wants_floats(t, "rms_norm", x, false) ||
      !fits_last(t, "rms_norm", x, weight))
    return NULL;
  return tl_made(t, tlo_rms_norm(t->b, x->v, weight->v, eps), x->names);
}

tl_expr tl_layer_norm_at(tl_here at, tl_expr x, tl_expr weight, tl_expr bias, double eps) {
  tl_expr all[3] = {x, weight, bias};
  uint32_t n = bias == NULL ? 2 : 3;
  tl_trace *t = tl_trace_at(at, "layer_norm", all, n);
  if (t == NULL || !same_dtypes(t, "layer_norm", all, n) ||
      !wants_floats(t, "layer_norm", x, false) || !fits_last(t, "layer_norm", x, weight) ||
      (bias != NULL && !fits_last(t, "layer_norm", x, bias)))
    return NULL;
  return tl_made(t, tlo_layer_norm(t->b, x->v, weight->v, bias ? bias->v : NULL, eps), x->names);
}

// all: x, then vectors of its features; the op's result, or the first of them.
static tl_op *batch_norm(tl_here at, const char *what, tl_opcode code, const tl_expr *all,
                         uint32_t n, int64_t axis, double eps) {
  tl_trace *t = tl_trace_at(at, what, all, n);
  uint32_t feature;
  if (t == NULL || !same_dtypes(t, what, all, n) || !wants_floats(t, what, all[0], false) ||
      !tl_axis_of(t, what, all[0], axis, 0, &feature))
    return NULL;
  tl_value values[5];
  for (uint32_t i = 0; i < n; i++) {
    const tl_type v = all[i]->v->type;
    values[i] = all[i]->v;
    if (i == 0 || (v.rank == 1 && v.dims[0] == all[0]->v->type.dims[feature])) continue;
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: %s for axis %u of %s", what, tl_type_text(all[i]),
            feature, tl_type_text(all[0]));
    return NULL;
  }
  const bool training = code == TL_OP_BATCH_NORM_TRAINING;
  tl_op *op = tl_op_begin(t->b, code, values, n);
  tl_op_set_i64(op,
                training ? TL_A_BATCH_NORM_TRAINING_feature_index
                         : TL_A_BATCH_NORM_INFERENCE_feature_index,
                feature);
  tl_op_set_f64(op, training ? TL_A_BATCH_NORM_TRAINING_epsilon : TL_A_BATCH_NORM_INFERENCE_epsilon,
                eps);
  op = tl_op_finish(t->b, op, NULL, 0);
  tl_settle(t);
  return op;
}

tl_expr tl_batch_norm_training_at(tl_here at, tl_expr x, tl_expr scale, tl_expr offset,
                                  int64_t axis, double eps, tl_expr *out_mean,
                                  tl_expr *out_variance) {
  tl_op *op = batch_norm(at, "batch_norm_training", TL_OP_BATCH_NORM_TRAINING,
                         (tl_expr[]){x, scale, offset}, 3, axis, eps);
  for (uint32_t i = 1; i < 3; i++) {
    tl_expr *out = i == 1 ? out_mean : out_variance;
    if (out != NULL) *out = op == NULL ? NULL : tl_made(x->t, op->results[i], scale->names);
  }
  return op == NULL ? NULL : tl_made(x->t, op->results[0], x->names);
}

tl_expr tl_batch_norm_at(tl_here at, tl_expr x, tl_expr scale, tl_expr offset, tl_expr mean,
                         tl_expr variance, int64_t axis, double eps) {
  tl_op *op = batch_norm(at, "batch_norm", TL_OP_BATCH_NORM_INFERENCE,
                         (tl_expr[]){x, scale, offset, mean, variance}, 5, axis, eps);
  return op == NULL ? NULL : tl_made(x->t, op->results[0], x->names);
}

tl_expr tl_attention_at(tl_here at, tl_expr query, tl_expr key, tl_expr value, double scale,
                        bool causal) {
  tl_expr all[3] = {query, key, value};
  tl_trace *t = tl_trace_at(at, "attention", all, 3);
  if (t == NULL || !same_dtypes(t, "attention", all, 3) ||
      !wants_floats(t, "attention", query, false) ||
      !wants_rank(t, "attention", query, 2, TL_MAX_RANK))
    return NULL;
  uint32_t rank = tl_rank_of(query);
  bool fits = tl_rank_of(key) == rank && tl_rank_of(value) == rank &&
              query->v->type.dims[rank - 1] == key->v->type.dims[rank - 1] &&
              key->v->type.dims[rank - 2] == value->v->type.dims[rank - 2];
  for (uint32_t i = 0; fits && i + 2 < rank; i++)
    fits = query->v->type.dims[i] == key->v->type.dims[i] &&
           query->v->type.dims[i] == value->v->type.dims[i];
  if (!fits) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "attention: query %s, key %s, value %s", tl_type_text(query),
            tl_type_text(key), tl_type_text(value));
    return NULL;
  }
  int64_t d = query->v->type.dims[rank - 1];
  if (scale == 0 && d < 1) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "attention: a scale of 0 wants a last axis of known size");
    return NULL;
  }
  if (scale == 0) scale = 1 / sqrt((double)d);
  tl_value v = tlo_scaled_dot_product_attention(t->b, query->v, key->v, value->v, scale, causal);
  const char **names = query->names == NULL && value->names == NULL ? NULL : tl_names_new(t, rank);
  for (uint32_t i = 0; names != NULL && i < rank; i++)
    names[i] = tl_name_of(i + 1 < rank ? query : value, i);
  return tl_made(t, v, names);
}

tl_expr tl_cross_entropy_at(tl_here at, tl_expr logits, tl_expr labels, bool mean) {
  tl_trace *t = tl_trace_at(at, "cross_entropy", (tl_expr[]){logits, labels}, 2);
  if (t == NULL || !wants_floats(t, "cross_entropy", logits, false) ||
      !wants_rank(t, "cross_entropy", logits, 1, TL_MAX_RANK))
    return NULL;
  tl_dtype d = labels->v->type.dtype;
  bool places = d == TL_DTYPE_S32;
  if (!places && d != logits->v->type.dtype) {
    tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "cross_entropy: labels are %s; wants i32, or weights of %s",
            tl_type_text(labels), tl_dtype_get(logits->v->type.dtype)->mlir);
    return NULL;
  }
  uint32_t rank = tl_rank_of(logits) - (places ? 1 : 0);
  bool fits = tl_rank_of(labels) == rank;
  for (uint32_t i = 0; fits && i < rank; i++)
    fits = labels->v->type.dims[i] == logits->v->type.dims[i];
  if (!fits) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "cross_entropy: logits %s, labels %s", tl_type_text(logits),
            tl_type_text(labels));
    return NULL;
  }
  return tl_made(t, tlo_cross_entropy(t->b, logits->v, labels->v, mean), NULL);
}

tl_expr tl_conv2d_at(tl_here at, tl_expr x, tl_expr w, const tl_conv_options *options) {
  static const tl_conv_options defaults;
  tl_expr both[2] = {x, w};
  tl_trace *t = tl_trace_at(at, "conv2d", both, 2);
  if (options == NULL) options = &defaults;
  if (t == NULL || !same_dtypes(t, "conv2d", both, 2) || !wants_floats(t, "conv2d", x, false) ||
      !wants_rank(t, "conv2d", x, 4, 4) || !wants_rank(t, "conv2d", w, 4, 4))
    return NULL;
  int64_t groups = options->groups > 0 ? options->groups : 1, c = w->v->type.dims[1];
  int64_t all;
  if (!tl_dim_mul(t->m, c, groups, &all) || all != x->v->type.dims[1]) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "conv2d: kernels %s in %lld groups for %s", tl_type_text(w),
            (long long)groups, tl_type_text(x));
    return NULL;
  }
  tl_conv2d_options o = {.feature_group_count = options->groups};
  for (int i = 0; i < 2; i++) {
    o.window_strides[i] = options->strides[i];
    o.rhs_dilation[i] = options->dilation[i];
    for (int k = 0; k < 2; k++)
      o.padding[i][k] = options->padding[i][k];
  }
  return tl_made(t, tlo_conv2d(t->b, x->v, w->v, &o), NULL);
}

tl_expr tl_pool2d_at(tl_here at, bool max, tl_expr x, const tl_pool_options *options) {
  const char *what = max ? "max_pool2d" : "avg_pool2d";
  tl_trace *t = tl_trace_at(at, what, &x, 1);
  if (t == NULL || !wants_floats(t, what, x, false) || !wants_rank(t, what, x, 4, 4)) return NULL;
  tl_pool2d_options o = {0};
  for (int i = 0; i < 2; i++) {
    o.window[i] = options->window[i];
    o.window_strides[i] = options->strides[i];
    for (int k = 0; k < 2; k++)
      o.padding[i][k] = options->padding[i][k];
  }
  return tl_made(t, max ? tlo_maxpool2d(t->b, x->v, &o) : tlo_avgpool2d(t->b, x->v, &o), NULL);
}

tl_expr tl_fft_at(tl_here at, tl_expr x, bool inverse) {
  tl_trace *t = tl_trace_at(at, inverse ? "ifft" : "fft", &x, 1);
  if (t == NULL || !wants_rank(t, "fft", x, 1, TL_MAX_RANK)) return NULL;
  if (tl_dtype_get(x->v->type.dtype)->kind != TL_KIND_COMPLEX) {
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "fft: wants complex numbers, got %s", tl_type_text(x));
    return NULL;
  }
  return tl_made(t,
                 tlo_fft(t->b, x->v, inverse ? TL_FFT_TYPE_IFFT : TL_FFT_TYPE_FFT,
                         &x->v->type.dims[tl_rank_of(x) - 1], 1),
                 x->names);
}
