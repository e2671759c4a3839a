// batch_norm_inference, batch_norm_training and batch_norm_grad as nests: the specification's
// formulas in the very operations and orders of ref/batch_norm.c. bf16 and f16 compute in f32 and
// round at the end.
#include "cpu/lower.h"

#include <string.h>

#include "base/half.h"
#include "cpu/nest.h"

typedef struct norm {
  planner *p;
  const tl_op *op;
  tl_type x;
  uint32_t feature;
  tl_dtype dtype; // computed in
  tl_reg reg;
  double eps, n; // elements of a feature
  nest nest;
  nest_map all, one; // an element of x; of its feature
} norm;

static bool begin(norm *b) {
  const tl_op *op = b->op;
  b->x = op->operands[0]->type;
  if (!loop_reg_of(b->x.dtype, &b->reg)) return false;
  b->dtype = b->reg == TL_REG_F64 ? TL_DTYPE_F64 : TL_DTYPE_F32;
  size_t n = 1;
  for (uint32_t d = 0; d < b->x.rank; d++)
    if (d != b->feature) n *= (size_t)b->x.dims[d];
  b->n = b->reg == TL_REG_F64 ? (double)n : (double)(float)n;
  b->eps = (double)(float)b->eps;
  return true;
}

static uint16_t number(norm *b, double value) {
  uint64_t bits = 0;
  if (b->reg == TL_REG_F64)
    memcpy(&bits, &value, 8);
  else
    bits = tl_bits_of_f32((float)value);
  return nest_const(&b->nest, b->reg, bits);
}
static uint16_t op2(norm *b, tl_scalar op, uint16_t x, uint16_t y) {
  return nest_scalar(&b->nest, op, b->reg, b->reg, x, y, LOOP_NONE);
}
static uint16_t add(norm *b, uint16_t x, uint16_t y) { return op2(b, TL_SCALAR_ADD, x, y); }
static uint16_t sub(norm *b, uint16_t x, uint16_t y) { return op2(b, TL_SCALAR_SUB, x, y); }
static uint16_t mul(norm *b, uint16_t x, uint16_t y) { return op2(b, TL_SCALAR_MUL, x, y); }
static uint16_t divide(norm *b, uint16_t x, uint16_t y) { return op2(b, TL_SCALAR_DIV, x, y); }

static uint16_t whole(norm *b, uint32_t i) {
  return nest_load(&b->nest, b->op->operands[i], &b->all, LOOP_NONE);
}
static uint16_t per_feature(norm *b, uint32_t i) {
  return nest_load(&b->nest, b->op->operands[i], &b->one, LOOP_NONE);
}

// A number for each feature, made by a nest: in the type that is computed in, and as a result.
typedef struct column {
  plan_view view;
  tl_type type;
} column;

static uint16_t value(norm *b, const column *c) {
  return nest_load_view(&b->nest, c->view, c->type, &b->one);
}

// Over every element.
static bool each(norm *b) {
  b->all = nest_identity(0, b->x.rank);
  b->one = nest_identity(b->feature, 1);
  return nest_begin(&b->nest, b->p, b->x.rank, b->x.rank, b->x.dims);
}

// A sum for each feature, over the others in row-major order.
static bool sums(norm *b) {
  int64_t extent[TL_MAX_RANK] = {b->x.dims[b->feature]};
  b->all = (nest_map){0};
  b->one = nest_identity(0, 1);
  b->all.coef[b->feature][0] = 1;
  for (uint32_t d = 0, at = 1; d < b->x.rank; d++) {
    if (d == b->feature) continue;
    extent[at] = b->x.dims[d];
    b->all.coef[d][at++] = 1;
  }
  const bool begun = nest_begin(&b->nest, b->p, b->x.rank, 1, extent);
  b->nest.section = LOOP_BODY;
  return begun;
}

// Ends a nest of sums: the sum divided by `divisor` (negative: by nothing) as column and, unless it
// is UINT32_MAX, as result `result`.
static bool end_sums(norm *b, uint16_t term, double divisor, uint32_t result, column *out) {
  nest *n = &b->nest;
  n->loop->reduce = LOOP_SUM;
  n->loop->term[0] = term;
  n->section = LOOP_TAIL;
  uint16_t sum = nest_result(n, b->reg, 0);
  if (divisor >= 0) sum = divide(b, sum, number(b, divisor));
  out->type = tl_type_of(b->p->exe->arena, b->dtype, &b->x.dims[b->feature], 1);
  if (!out->type.dims) plan_fail(b->p, TL_OOM());
  if (n->failed || b->p->error) return nest_finish(n, b->op, "");
  const bool same = b->dtype == b->x.dtype && result != UINT32_MAX;
  const tl_value y = result == UINT32_MAX ? NULL : b->op->results[result];
  out->view = same ? plan_result(b->p, y) : plan_temp(b->p, out->type);
  nest_store(n, out->view, out->type, &b->one, LOOP_NONE, sum);
  if (y && !same)
    nest_store(n, plan_result(b->p, y), y->type, &b->one, LOOP_NONE,
               nest_round(n, b->x.dtype, sum));
  return nest_finish(n, b->op, "sums");
}

static bool end_each(norm *b, uint16_t y) {
  nest *n = &b->nest;
  const tl_value result = b->op->results[0];
  if (!n->failed && !b->p->error)
    nest_store(n, plan_result(b->p, result), result->type, &b->all, LOOP_NONE,
               nest_round(n, b->x.dtype, y));
  return nest_finish(n, b->op, "normalise");
}

static uint16_t deviation(norm *b, uint16_t variance) {
  return nest_scalar(&b->nest, TL_SCALAR_SQRT, b->reg, b->reg, add(b, variance, number(b, b->eps)),
                     LOOP_NONE, LOOP_NONE);
}

static uint16_t normalised(norm *b, uint16_t mean, uint16_t variance) {
  const uint16_t x = divide(b, sub(b, whole(b, 0), mean), deviation(b, variance));
  return add(b, mul(b, per_feature(b, 1), x), per_feature(b, 2));
}

bool lower_batch_norm_inference(planner *p, const tl_op *op) {
  norm b = {.p = p,
            .op = op,
            .feature = (uint32_t)tl_op_i64(op, TL_A_BATCH_NORM_INFERENCE_feature_index),
            .eps = tl_op_f64(op, TL_A_BATCH_NORM_INFERENCE_epsilon)};
  if (!begin(&b)) return false;
  if (!each(&b)) return p->error != NULL;
  return end_each(&b, normalised(&b, per_feature(&b, 3), per_feature(&b, 4)));
}

bool lower_batch_norm_training(planner *p, const tl_op *op) {
  norm b = {.p = p,
            .op = op,
            .feature = (uint32_t)tl_op_i64(op, TL_A_BATCH_NORM_TRAINING_feature_index),
            .eps = tl_op_f64(op, TL_A_BATCH_NORM_TRAINING_epsilon)};
  column mean, variance;
  if (!begin(&b)) return false;
  if (!sums(&b) || !end_sums(&b, whole(&b, 0), b.n, 1, &mean) || p->error) return p->error != NULL;
  if (!sums(&b)) return p->error != NULL;
  const uint16_t centered = sub(&b, whole(&b, 0), value(&b, &mean));
  if (!end_sums(&b, mul(&b, centered, centered), b.n, 2, &variance) || p->error)
    return p->error != NULL;
  if (!each(&b)) return p->error != NULL;
  return end_each(&b, normalised(&b, value(&b, &mean), value(&b, &variance)));
}

// Operands: x, scale, mean, variance, dy.
bool lower_batch_norm_grad(planner *p, const tl_op *op) {
  norm b = {.p = p,
            .op = op,
            .feature = (uint32_t)tl_op_i64(op, TL_A_BATCH_NORM_GRAD_feature_index),
            .eps = tl_op_f64(op, TL_A_BATCH_NORM_GRAD_epsilon)};
  column d_scale, d_offset, i3;
  if (!begin(&b)) return false;
  if (!sums(&b)) return p->error != NULL;
  uint16_t centered = sub(&b, whole(&b, 0), per_feature(&b, 2));
  const uint16_t normal = divide(&b, centered, deviation(&b, per_feature(&b, 3)));
  if (!end_sums(&b, mul(&b, whole(&b, 4), normal), -1, 1, &d_scale) || p->error)
    return p->error != NULL;
  if (!sums(&b) || !end_sums(&b, whole(&b, 4), -1, 2, &d_offset) || p->error)
    return p->error != NULL;
  if (!sums(&b)) return p->error != NULL;
  centered = sub(&b, whole(&b, 0), per_feature(&b, 2));
  if (!end_sums(&b, mul(&b, whole(&b, 4), centered), -1, UINT32_MAX, &i3) || p->error)
    return p->error != NULL;
  if (!each(&b)) return p->error != NULL;
  centered = sub(&b, whole(&b, 0), per_feature(&b, 2));
  const uint16_t n = number(&b, b.n), variance = per_feature(&b, 3);
  const uint16_t i5 =
      divide(&b, mul(&b, value(&b, &i3), centered), add(&b, variance, number(&b, b.eps)));
  const uint16_t i6 = sub(&b, sub(&b, mul(&b, whole(&b, 4), n), value(&b, &d_offset)), i5);
  const uint16_t k = divide(&b, divide(&b, per_feature(&b, 1), deviation(&b, variance)), n);
  return end_each(&b, mul(&b, k, i6));
}
