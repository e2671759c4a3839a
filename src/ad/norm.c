// Rules of batch normalisation, by way of its formulas, and of random bits.
//
//     normal(x) = (x - mean) / sqrt(variance + epsilon),  y = scale * normal(x) + offset
//
// Sums are over all dims but the features'. f16 and bf16 are computed in f32. epsilon is a number
// of f32, whatever the tensors are.
#include "ad/rule.h"

#include "ir/dim.h"

typedef struct norm {
  tl_builder *b;
  tl_type x;
  int64_t feature, others[TL_MAX_RANK];
  uint32_t n_others;
  int64_t count; // of elements to a feature
  double epsilon;
} norm;

static tl_value widened(tl_builder *b, tl_value x) {
  return x != NULL && tl_dtype_get(x->type.dtype)->size < 4 ? tlo_convert(b, x, TL_DTYPE_F32) : x;
}

static norm norm_of(tl_builder *b, tl_value x, int64_t feature, double epsilon) {
  norm m = {.b = b, .x = x->type, .feature = feature, .epsilon = (float)epsilon};
  int64_t sizes[TL_MAX_RANK];
  for (uint32_t d = 0; d < m.x.rank; d++)
    if (d != feature) {
      sizes[m.n_others] = m.x.dims[d];
      m.others[m.n_others++] = d;
    }
  if (!tl_dim_product(b->m, (tl_type){m.x.dtype, m.n_others, sizes}, &m.count))
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "too many elements to a feature"));
  return m;
}

static tl_value spread(const norm *m, tl_value v) { // of the features, over x's shape
  return tlo_broadcast(m->b, v, m->x, &m->feature);
}
static tl_value total(const norm *m, tl_value v) {
  return tl_ad_sum(m->b, v, m->others, m->n_others);
}
static tl_value average(const norm *m, tl_value v) {
  if (v == NULL) return NULL;
  tl_value sum = total(m, v), n = tlo_size(m->b, m->count, v->type.dtype);
  return tlo_div(m->b, sum, tlo_broadcast(m->b, n, sum == NULL ? v->type : sum->type, NULL));
}
static tl_value shifted(const norm *m, tl_value variance) {
  tl_value e = tl_ad_like(m->b, variance, m->epsilon);
  return tlo_add(m->b, variance, e);
}

static tl_value normalised(const norm *m, tl_value x, tl_value scale, tl_value offset,
                           tl_value mean, tl_value variance) {
  tl_builder *b = m->b;
  tl_value deviation = tlo_unary(b, TL_OP_SQRT, shifted(m, variance));
  tl_value centered = tlo_sub(b, x, spread(m, mean));
  tl_value y = tlo_div(b, centered, spread(m, deviation));
  y = tlo_mul(b, y, spread(m, scale));
  return tlo_add(b, y, spread(m, offset));
}

static void emit_inference(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                           tl_value *out) {
  (void)ad;
  tl_value v[5];
  for (int i = 0; i < 5; i++)
    v[i] = widened(b, in[i]);
  if (b->error != TL_OK) return;
  norm m = norm_of(b, v[0], tl_op_i64(op, TL_A_BATCH_NORM_INFERENCE_feature_index),
                   tl_op_f64(op, TL_A_BATCH_NORM_INFERENCE_epsilon));
  tl_value y = normalised(&m, v[0], v[1], v[2], v[3], v[4]);
  out[0] = y == NULL ? NULL : tlo_convert(b, y, in[0]->type.dtype);
}

static void emit_training(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                          tl_value *out) {
  (void)ad;
  tl_value v[3];
  for (int i = 0; i < 3; i++)
    v[i] = widened(b, in[i]);
  if (b->error != TL_OK) return;
  norm m = norm_of(b, v[0], tl_op_i64(op, TL_A_BATCH_NORM_TRAINING_feature_index),
                   tl_op_f64(op, TL_A_BATCH_NORM_TRAINING_epsilon));
  tl_value mean = average(&m, v[0]), centered = tlo_sub(b, v[0], spread(&m, mean));
  tl_value variance = average(&m, tlo_mul(b, centered, centered));
  tl_value y = normalised(&m, v[0], v[1], v[2], mean, variance);
  if (b->error != TL_OK) return;
  out[0] = tlo_convert(b, y, in[0]->type.dtype);
  out[1] = tlo_convert(b, mean, in[1]->type.dtype);
  out[2] = tlo_convert(b, variance, in[1]->type.dtype);
}

// (x, scale, mean, variance, dy) -> (dx, dscale, doffset), N elements to a feature:
//     dx = scale / sqrt(v) (dy - (sum dy + (x - mean) sum (dy (x - mean)) / v) / N), v = variance +
//     epsilon
static void emit_grad(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                      tl_value *out) {
  (void)ad;
  tl_value v[5];
  for (int i = 0; i < 5; i++)
    v[i] = widened(b, in[i]);
  if (b->error != TL_OK) return;
  norm m = norm_of(b, v[0], tl_op_i64(op, TL_A_BATCH_NORM_GRAD_feature_index),
                   tl_op_f64(op, TL_A_BATCH_NORM_GRAD_epsilon));
  tl_value x = v[0], scale = v[1], dy = v[4], var = shifted(&m, v[3]);
  tl_value r = tlo_unary(b, TL_OP_SQRT, var), centered = tlo_sub(b, x, spread(&m, v[2]));
  tl_value along = tlo_mul(b, dy, centered), mean_dy = average(&m, dy);
  tl_value slope = tlo_div(b, average(&m, along), var);
  tl_value rest = tlo_mul(b, centered, spread(&m, slope));
  tl_value dx = tlo_sub(b, tlo_sub(b, dy, spread(&m, mean_dy)), rest);
  dx = tlo_mul(b, dx, spread(&m, tlo_div(b, scale, r)));
  tl_value dscale = tlo_div(b, total(&m, along), r), doffset = total(&m, dy);
  if (b->error != TL_OK) return;
  out[0] = tlo_convert(b, dx, in[0]->type.dtype);
  out[1] = tlo_convert(b, dscale, in[1]->type.dtype);
  out[2] = tlo_convert(b, doffset, in[1]->type.dtype);
}

void tl_vjp_batch_norm_inference(tl_vjp *v) { tl_vjp_through(v, emit_inference); }
void tl_jvp_batch_norm_inference(tl_jvp *j) { tl_jvp_through(j, emit_inference); }
void tl_batch_batch_norm_inference(tl_batch *v) { tl_batch_through(v, emit_inference); }
void tl_vjp_batch_norm_training(tl_vjp *v) { tl_vjp_through(v, emit_training); }
void tl_jvp_batch_norm_training(tl_jvp *j) { tl_jvp_through(j, emit_training); }
void tl_batch_batch_norm_training(tl_batch *v) { tl_batch_through(v, emit_training); }
void tl_vjp_batch_norm_grad(tl_vjp *v) { tl_vjp_through(v, emit_grad); }
void tl_jvp_batch_norm_grad(tl_jvp *j) { tl_jvp_through(j, emit_grad); }
void tl_batch_batch_norm_grad(tl_batch *v) { tl_batch_through(v, emit_grad); }

// --- rng_bit_generator
// ------------------------------------------------------------------------------

static tl_value row_of(tl_builder *b, tl_value x, tl_value i, tl_type one) {
  if (x == NULL) return NULL;
  tl_value starts[TL_MAX_RANK] = {i};
  int64_t sizes[TL_MAX_RANK] = {1};
  for (uint32_t d = 0; d < one.rank; d++) {
    starts[d + 1] = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), 0);
    sizes[d + 1] = one.dims[d];
  }
  return tlo_reshape(b, tlo_dynamic_slice(b, x, starts, sizes), one.dims, one.rank);
}

static tl_value with_row(tl_builder *b, tl_value all, tl_value row, tl_value i) {
  if (row == NULL) return NULL;
  tl_value starts[TL_MAX_RANK] = {i};
  int64_t dims[TL_MAX_RANK + 1] = {1};
  for (uint32_t d = 0; d < row->type.rank; d++) {
    starts[d + 1] = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), 0);
    dims[d + 1] = row->type.dims[d];
  }
  return tlo_dynamic_update_slice(b, all, tlo_reshape(b, row, dims, row->type.rank + 1), starts);
}

// A key for each example: a draw for each, one after the other, so that each is what its key alone
// gives.
void tl_batch_rng_bit_generator(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_type key = v->op->operands[0]->type;
  tl_type types[2] = {v->op->results[0]->type, v->op->results[1]->type};
  const tl_type number = tl_type_scalar(TL_DTYPE_S64);
  tl_value init[3] = {tlo_constant_i64(b, number, 0), NULL, NULL}, next[3], out[3];
  for (int k = 0; k < 2; k++)
    init[k + 1] = tl_ad_zeros(b, tl_batch_type(b, types[k], v->size));
  tl_value end = tlo_size(b, v->size, TL_DTYPE_S64);
  if (b->error != TL_OK) return;
  tl_loop loop = tlo_while_begin(b, init, 3);
  tl_value more = tlo_compare(&loop.cond, TL_COMPARISON_DIRECTION_LT, loop.x[0], end);
  tl_builder *in = &loop.body;
  tl_value one = row_of(in, v->in[0], loop.y[0], key);
  tl_op *draw = in->error != TL_OK || one == NULL ? NULL : tl_clone_with(in, v->op, &one, types);
  next[0] = tlo_add(in, loop.y[0], tlo_constant_i64(in, number, 1));
  for (int k = 0; k < 2; k++)
    next[k + 1] = draw == NULL ? NULL : with_row(in, loop.y[k + 1], draw->results[k], loop.y[0]);
  tlo_while_end(b, &loop, more, next, out);
  v->out[0] = out[1];
  v->out[1] = out[2];
}
