// Intervals: what a float value's elements can be, from the ops that made it.
//
// Known are constants and what has bounds by its nature (tanh, logistic, sine, clamp), and
// arithmetic of such. Each step of arithmetic is widened by a few units in the last place of f32,
// so that its rounding is inside. NaN is in no interval, and spreads through closed and looped form
// alike.
#include "passes/phi_rules.h"

#include <math.h>

enum { MAX_VISITS = 256, MAX_ELEMENTS = 1 << 16 };

static const tl_phi_range anything = {-INFINITY, INFINITY};

static tl_phi_range wider(double lo, double hi) {
  if (isnan(lo) || isnan(hi)) return anything;
  return (tl_phi_range){lo - fabs(lo) * 0x1p-22, hi + fabs(hi) * 0x1p-22};
}

static tl_phi_range of_constant(tl_value v) {
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  const size_t size = tl_dtype_get(v->type.dtype)->size;
  if (l == NULL || l->size < size || l->size / size > MAX_ELEMENTS) return anything;
  tl_phi_range r = {INFINITY, -INFINITY};
  for (size_t i = 0; i < l->size / size; i++) {
    double x;
    if (v->type.dtype == TL_DTYPE_F64) {
      memcpy(&x, (const uint8_t *)l->data + i * size, sizeof x);
    } else if (v->type.dtype == TL_DTYPE_F32) {
      float s;
      memcpy(&s, (const uint8_t *)l->data + i * size, sizeof s);
      x = (double)s;
    } else {
      return anything;
    }
    if (isnan(x)) return anything;
    r = (tl_phi_range){fmin(r.lo, x), fmax(r.hi, x)};
  }
  return r;
}

static tl_phi_range range_of(tl_value v, uint32_t *left);

static tl_phi_range product(tl_phi_range x, tl_phi_range y) {
  const double c[4] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < 4; i++) {
    if (isnan(c[i])) return anything;
    lo = fmin(lo, c[i]), hi = fmax(hi, c[i]);
  }
  return wider(lo, hi);
}

static tl_phi_range range_of(tl_value v, uint32_t *left) {
  if (v->op == NULL || *left == 0) return anything;
  --*left;
  const tl_op *op = v->op;
  tl_phi_range x = anything, y = anything;
  if (op->code == TL_OP_CONSTANT) return of_constant(v);
  if (op->n_operands > 0) x = range_of(op->operands[0], left);
  if (op->n_operands > 1 && (tl_op_get(op->code)->traits & TL_ELEMWISE) != 0)
    y = range_of(op->operands[1], left);
  switch (op->code) {
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_RESHAPE:
  case TL_OP_TRANSPOSE:
  case TL_OP_SLICE:
  case TL_OP_REVERSE:
  case TL_OP_DYNAMIC_SLICE:
  case TL_OP_STOP_GRADIENT:
    return x;
  case TL_OP_NEGATE:
    return (tl_phi_range){-x.hi, -x.lo};
  case TL_OP_ADD:
    return wider(x.lo + y.lo, x.hi + y.hi);
  case TL_OP_SUBTRACT:
    return wider(x.lo - y.hi, x.hi - y.lo);
  case TL_OP_MULTIPLY:
    return product(x, y);
  case TL_OP_DIVIDE:
    return y.lo > 0 || y.hi < 0 ? product(x, wider(1 / y.hi, 1 / y.lo)) : anything;
  case TL_OP_MAXIMUM:
    return (tl_phi_range){fmax(x.lo, y.lo), fmax(x.hi, y.hi)};
  case TL_OP_MINIMUM:
    return (tl_phi_range){fmin(x.lo, y.lo), fmin(x.hi, y.hi)};
  case TL_OP_ABS:
    return (tl_phi_range){x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0, fmax(fabs(x.lo), fabs(x.hi))};
  case TL_OP_TANH:
  case TL_OP_SINE:
  case TL_OP_COSINE:
  case TL_OP_SIGN:
    return (tl_phi_range){-1, 1};
  case TL_OP_LOGISTIC:
    return (tl_phi_range){0, 1};
  case TL_OP_EXPONENTIAL:
    return (tl_phi_range){0, x.hi <= 0 ? 1 : INFINITY};
  case TL_OP_CLAMP: {
    const tl_phi_range low = x, high = range_of(op->operands[2], left);
    x = range_of(op->operands[1], left);
    return (tl_phi_range){fmin(fmax(x.lo, low.lo), high.lo), fmin(fmax(x.hi, low.hi), high.hi)};
  }
  case TL_OP_SELECT: {
    const tl_phi_range a = range_of(op->operands[1], left), b = range_of(op->operands[2], left);
    return (tl_phi_range){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
  }
  default:
    return anything;
  }
}

tl_phi_range tl_phi_range_of(tl_value v) {
  uint32_t left = MAX_VISITS;
  return range_of(v, &left);
}
