// Derivatives of elementwise core ops. g is a tangent or a cotangent: both directions multiply it
// by the same derivative.
//
// Kinks and ties follow JAX: docs/autodiff.md lists them beside PyTorch's.
#include "ad/rule.h"

#define TL_DIAG_FN(id) tl_value tl_diag_##id(const tl_diag_at *d, uint32_t i, tl_value g)
#define TL_DIAG_FN_1(id) \
  tl_value tl_diag_##id(const tl_diag_at *d, TL_UNUSED uint32_t i, tl_value g)

// One value, or one constant everywhere.
static bool same_value(tl_value x, tl_value y) {
  double a, b;
  return x == y || (tl_ad_splat(x, &a) && tl_ad_splat(y, &b) && a == b);
}

// The operands x, y of max(x, y) + log1p(exp(-|x - y|)), which is log(exp x + exp y) as JAX writes
// it, softplus and log_sigmoid too. Its derivatives are logistic(x - y) and logistic(y - x). Term
// by term they would be what max and |.| have at x = y, a half and 1, which makes 0 and 1 of them
// in the place of a half each.
static bool logaddexp_of(const tl_op *op, tl_value xy[2]) {
  static const tl_opcode chain[] = {TL_OP_LOG_PLUS_ONE, TL_OP_EXPONENTIAL, TL_OP_NEGATE, TL_OP_ABS,
                                    TL_OP_SUBTRACT};
  for (uint32_t at = 0; at < 2; at++) {
    const tl_op *max = op->operands[at]->op, *o = op->operands[1 - at]->op;
    size_t k = 0;
    while (o != NULL && k < TL_COUNT(chain) && o->code == chain[k] && ++k < TL_COUNT(chain))
      o = o->operands[0]->op;
    if (k < TL_COUNT(chain) || max == NULL || max->code != TL_OP_MAXIMUM) continue;
    xy[0] = o->operands[0];
    xy[1] = o->operands[1];
    for (uint32_t i = 0; i < 2; i++)
      if (same_value(max->operands[i], xy[0]) && same_value(max->operands[1 - i], xy[1]))
        return true;
  }
  return false;
}

// g times the derivative by x (i = 0) or y. Of two equal infinities each has a half.
static tl_value by_logaddexp(tl_builder *b, const tl_value xy[2], uint32_t i, tl_value g) {
  tl_value d = tlo_sub(b, xy[i], xy[1 - i]);
  tl_value known = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, d, d);
  d = tlo_select(b, known, d, tl_ad_like(b, d, 0));
  return tlo_mul(b, g, tlo_unary(b, TL_OP_LOGISTIC, d));
}

// x + y
void tl_vjp_add(tl_vjp *v) {
  tl_value xy[2];
  if (logaddexp_of(v->op, xy)) {
    for (uint32_t i = 0; i < 2; i++)
      if (tl_reverse_is_active(v->r, xy[i]))
        tl_reverse_give(v->r, v->b, xy[i], by_logaddexp(v->b, xy, i, v->ct[0]));
    return;
  }
  tl_vjp_give(v, 0, v->ct[0]);
  tl_vjp_give(v, 1, v->ct[0]);
}
void tl_jvp_add(tl_jvp *j) {
  tl_value x = j->t[0], y = j->t[1], xy[2];
  if (logaddexp_of(j->op, xy)) {
    x = tl_forward_get(j->f, xy[0]), y = tl_forward_get(j->f, xy[1]);
    if (x != NULL) x = by_logaddexp(j->b, xy, 0, x);
    if (y != NULL) y = by_logaddexp(j->b, xy, 1, y);
  }
  tl_jvp_give(j, 0, x == NULL ? y : y == NULL ? x : tl_ad_add(j->b, x, y));
}

TL_DIAG_FN(SUBTRACT) { return i == 0 ? g : tl_ad_neg(d->b, g); }

TL_DIAG_FN(MULTIPLY) { return tl_ad_mul(d->b, g, d->in[1 - i]); }

// x / y: g / y, and -(g / y) (x / y)
static tl_value by_quotient(const tl_diag_at *d, uint32_t i, tl_value g) {
  tl_value q = tlo_div(d->b, g, d->in[1]);
  return i == 0 ? q : tl_ad_neg(d->b, tlo_mul(d->b, q, d->out));
}

// x where the quotient is 1 / (1 + exp(-x)), as JAX writes the logistic function of x. Its own
// derivative, y (1 - y), is 0 where exp(-x) is infinite, and term by term that would be 0 * inf.
static tl_value logistic_of(const tl_op *op) {
  const tl_op *sum = op->operands[1]->op;
  double one = 0;
  if (!tl_ad_splat(op->operands[0], &one) || one != 1 || sum == NULL || sum->code != TL_OP_ADD)
    return NULL;
  const uint32_t at = tl_ad_splat(sum->operands[0], &one) ? 1 : 0;
  const tl_op *e = sum->operands[at]->op;
  if (!tl_ad_splat(sum->operands[1 - at], &one) || one != 1 || e == NULL ||
      e->code != TL_OP_EXPONENTIAL)
    return NULL;
  const tl_op *minus = e->operands[0]->op;
  return minus != NULL && minus->code == TL_OP_NEGATE ? minus->operands[0] : NULL;
}

static tl_value by_logistic(tl_builder *b, tl_value y, tl_value g) {
  tl_value rest = tlo_sub(b, tl_ad_like(b, y, 1), y);
  return tlo_mul(b, g, tlo_mul(b, y, rest));
}

void tl_vjp_divide(tl_vjp *v) {
  tl_value x = logistic_of(v->op);
  const tl_diag_at d = {v->b, v->op, v->in, v->out[0]};
  if (x != NULL) {
    tl_reverse_give(v->r, v->b, x, by_logistic(v->b, v->out[0], v->ct[0]));
    return;
  }
  for (uint32_t i = 0; i < 2; i++)
    if (tl_vjp_wants(v, i)) tl_vjp_give(v, i, by_quotient(&d, i, v->ct[0]));
}

void tl_jvp_divide(tl_jvp *j) {
  tl_value x = logistic_of(j->op), sum = NULL;
  const tl_diag_at d = {j->b, j->op, j->in, j->out[0]};
  tl_value t = x == NULL ? NULL : tl_forward_get(j->f, x);
  if (t != NULL) {
    tl_jvp_give(j, 0, by_logistic(j->b, j->out[0], t));
    return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    if (j->t[i] == NULL) continue;
    tl_value term = by_quotient(&d, i, j->t[i]);
    sum = sum == NULL ? term : tl_ad_add(j->b, sum, term);
  }
  tl_jvp_give(j, 0, sum);
}

// x - y trunc(x / y)
TL_DIAG_FN(REMAINDER) {
  tl_builder *b = d->b;
  if (i == 0) return g;
  tl_value q = tlo_div(b, d->in[0], d->in[1]);
  tl_value sign = tlo_unary(b, TL_OP_SIGN, q), size = tlo_unary(b, TL_OP_ABS, q);
  tl_value whole = tlo_mul(b, sign, tlo_unary(b, TL_OP_FLOOR, size));
  return tl_ad_neg(b, tlo_mul(b, g, whole));
}

// maximum and minimum: at a tie each operand gets half, as in JAX (the reference system: all).
static tl_value of_winner(const tl_diag_at *d, uint32_t i, tl_value g) {
  tl_builder *b = d->b;
  tl_value won = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, d->in[i], d->out);
  tl_value tie = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, d->in[1 - i], d->out);
  tl_value one = tl_ad_like(b, d->out, 1), half = tl_ad_like(b, d->out, 0.5);
  tl_value zero = tl_ad_like(b, d->out, 0);
  tl_value part = tlo_select(b, tie, half, one);
  return tlo_mul(b, g, tlo_select(b, won, part, zero));
}
TL_DIAG_FN(MAXIMUM) { return of_winner(d, i, g); }
TL_DIAG_FN(MINIMUM) { return of_winner(d, i, g); }

// x^y: g y x^(y-1), and g log(x) x^y with log(0) taken as 0. At x = y = 0 the first is 0 (JAX says
// so of integer exponents, which are converted before they get here, and NaN of others).
TL_DIAG_FN(POWER) {
  tl_builder *b = d->b;
  tl_value x = d->in[0], y = d->in[1], one = tl_ad_like(b, y, 1), zero = tl_ad_like(b, y, 0);
  if (i == 0) {
    tl_value none = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, y, zero), origin = NULL;
    origin = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x, tl_ad_like(b, x, 0));
    none = tlo_binary(b, TL_OP_AND, none, origin);
    tl_value less = tlo_sub(b, y, one);
    tl_value slope = tlo_mul(b, y, tlo_binary(b, TL_OP_POWER, x, tlo_select(b, none, one, less)));
    return tlo_mul(b, g, slope);
  }
  tl_value at_zero = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x, zero);
  tl_value log = tlo_unary(b, TL_OP_LOG, tlo_select(b, at_zero, one, x));
  return tlo_mul(b, g, tlo_mul(b, log, d->out));
}

TL_DIAG_FN_1(NEGATE) { return tl_ad_neg(d->b, g); }

// |x|: 1 where x >= 0, -0 too, else -1: JAX's convention (PyTorch and the reference system have 0
// at 0). Of z = x + iy it is a real number, and the derivative conj(z) / |z|, 0 at 0, is taken
// before the imaginary part is dropped.
static tl_value abs_real(tl_builder *b, tl_value x, tl_value g) {
  tl_value zero = tl_ad_like(b, x, 0), minus = tl_ad_neg(b, g);
  tl_value positive = tlo_compare(b, TL_COMPARISON_DIRECTION_GE, x, zero);
  return tlo_select(b, positive, g, minus);
}
static tl_value abs_slope(tl_builder *b, tl_value z, tl_value size) {
  tl_value zero = tl_ad_like(b, size, 0), one = tl_ad_like(b, size, 1);
  tl_value at_zero = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, size, zero);
  tl_value by = tlo_convert(b, tlo_select(b, at_zero, one, size), tl_value_type(z).dtype);
  tl_value re = tlo_unary(b, TL_OP_REAL, z), im = tlo_unary(b, TL_OP_IMAG, z);
  im = tl_ad_neg(b, im);
  return tlo_div(b, tlo_binary(b, TL_OP_COMPLEX, re, im), by);
}
void tl_vjp_abs(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_value x = v->in[0];
  if (!tl_ad_is_complex(x)) {
    tl_vjp_give(v, 0, abs_real(b, x, v->ct[0]));
    return;
  }
  tl_value ct = tlo_convert(b, v->ct[0], x->type.dtype);
  tl_vjp_give(v, 0, tlo_mul(b, ct, abs_slope(b, x, v->out[0])));
}
void tl_jvp_abs(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value x = j->in[0];
  if (!tl_ad_is_complex(x)) {
    tl_jvp_give(j, 0, abs_real(b, x, j->t[0]));
    return;
  }
  tl_value t = tlo_mul(b, j->t[0], abs_slope(b, x, j->out[0]));
  tl_jvp_give(j, 0, tlo_unary(b, TL_OP_REAL, t));
}

TL_DIAG_FN_1(EXPONENTIAL) { return tlo_mul(d->b, g, d->out); }

TL_DIAG_FN_1(EXPONENTIAL_MINUS_ONE) {
  tl_value one = tl_ad_like(d->b, d->out, 1);
  return tlo_mul(d->b, g, tlo_add(d->b, d->out, one));
}

TL_DIAG_FN_1(LOG) { return tlo_div(d->b, g, d->in[0]); }

TL_DIAG_FN_1(LOG_PLUS_ONE) {
  tl_value one = tl_ad_like(d->b, d->out, 1);
  return tlo_div(d->b, g, tlo_add(d->b, d->in[0], one));
}

// y = sqrt x: g / (2 y)
TL_DIAG_FN_1(SQRT) {
  tl_value half = tl_ad_like(d->b, d->out, 0.5);
  return tlo_mul(d->b, g, tlo_div(d->b, half, d->out));
}

// y = x^(-1/2): -g y / (2 x)
TL_DIAG_FN_1(RSQRT) {
  tl_value half = tl_ad_like(d->b, d->out, -0.5);
  return tlo_mul(d->b, g, tlo_mul(d->b, half, tlo_div(d->b, d->out, d->in[0])));
}

// y = x^(1/3): g / (3 y^2)
TL_DIAG_FN_1(CBRT) {
  tl_value third = tl_ad_like(d->b, d->out, 1.0 / 3), y2 = tlo_mul(d->b, d->out, d->out);
  return tlo_mul(d->b, g, tlo_div(d->b, third, y2));
}

// y = tanh x: g (1 - y^2). In y, not x: the forward pass keeps y, and x may be freed.
TL_DIAG_FN_1(TANH) {
  tl_value y2 = tlo_mul(d->b, d->out, d->out), one = tl_ad_like(d->b, d->out, 1);
  return tlo_mul(d->b, g, tlo_sub(d->b, one, y2));
}

// y = tan x: g (1 + y^2)
TL_DIAG_FN_1(TAN) {
  tl_value y2 = tlo_mul(d->b, d->out, d->out), one = tl_ad_like(d->b, d->out, 1);
  return tlo_mul(d->b, g, tlo_add(d->b, one, y2));
}

// y = 1 / (1 + exp(-x)): g y (1 - y)
TL_DIAG_FN_1(LOGISTIC) {
  tl_value one = tl_ad_like(d->b, d->out, 1), rest = tlo_sub(d->b, one, d->out);
  return tlo_mul(d->b, g, tlo_mul(d->b, d->out, rest));
}

TL_DIAG_FN_1(SINE) { return tlo_mul(d->b, g, tlo_unary(d->b, TL_OP_COSINE, d->in[0])); }

TL_DIAG_FN_1(COSINE) {
  tl_value s = tlo_unary(d->b, TL_OP_SINE, d->in[0]);
  return tl_ad_neg(d->b, tlo_mul(d->b, g, s));
}

// atan2(y, x): g x / (x^2 + y^2), and -g y / (x^2 + y^2)
TL_DIAG_FN(ATAN2) {
  tl_builder *b = d->b;
  tl_value y2 = tlo_mul(b, d->in[0], d->in[0]), x2 = tlo_mul(b, d->in[1], d->in[1]);
  tl_value slope = tlo_div(b, d->in[1 - i], tlo_add(b, y2, x2));
  tl_value p = tlo_mul(b, g, slope);
  return i == 0 ? p : tl_ad_neg(b, p);
}

// --- Choice -------------------------------------------------------------------------------------

void tl_vjp_select(tl_vjp *v) {
  tl_value zero = tl_ad_like(v->b, v->ct[0], 0);
  tl_vjp_give(v, 1, tlo_select(v->b, v->in[0], v->ct[0], zero));
  tl_vjp_give(v, 2, tlo_select(v->b, v->in[0], zero, v->ct[0]));
}

// Operand i, which is a scalar for each example where the result is a tensor: of the result's
// shape.
static tl_value scalar_in(tl_batch *v, uint32_t i) {
  const tl_type one = v->op->results[0]->type;
  if (!v->batched[i] || one.rank == 0 || v->op->operands[i]->type.rank != 0)
    return v->batched[i] || v->op->operands[i]->type.rank != 0 ? tl_batch_in(v, i) : v->in[i];
  tl_type t = tl_batch_type(v->b, one, v->size);
  t.dtype = v->in[i]->type.dtype;
  return tlo_broadcast(v->b, v->in[i], t, (int64_t[]){0});
}

void tl_batch_select(tl_batch *v) {
  tl_value x = tl_batch_in(v, 1), y = tl_batch_in(v, 2);
  v->out[0] = tlo_select(v->b, scalar_in(v, 0), x, y);
}

// A scalar bound goes with scalar bounds only where neither is batched.
void tl_batch_clamp(tl_batch *v) {
  tl_value x = tl_batch_in(v, 1), low = scalar_in(v, 0), high = scalar_in(v, 2);
  v->out[0] = tl_ad_clamp(v->b, low, x, high);
}

// clamp(low, x, high): of x where it lies strictly between; of low where x lies below it, and below
// high; of high where x lies above it. At a bound nobody gets any, as in JAX.
static tl_value clamp_mask(tl_builder *b, const tl_value *in, uint32_t i) {
  const tl_type t = tl_value_type(in[1]);
  tl_value x = in[1], low = in[0], high = in[2];
  if (x == NULL || low == NULL || high == NULL) return NULL;
  if (low->type.rank != t.rank) low = tlo_broadcast(b, low, t, NULL);
  if (high->type.rank != t.rank) high = tlo_broadcast(b, high, t, NULL);
  if (i == 2) return tlo_compare(b, TL_COMPARISON_DIRECTION_LT, high, x);
  tl_value p = i == 0 ? tlo_compare(b, TL_COMPARISON_DIRECTION_GT, low, x)
                      : tlo_compare(b, TL_COMPARISON_DIRECTION_GT, x, low);
  tl_value q = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, i == 0 ? low : x, high);
  return tlo_binary(b, TL_OP_AND, p, q);
}
void tl_vjp_clamp(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type t = v->out[0]->type;
  int64_t all[TL_MAX_RANK];
  for (uint32_t d = 0; d < t.rank; d++)
    all[d] = d;
  for (uint32_t i = 0; i < 3; i++) {
    if (!tl_vjp_wants(v, i)) continue;
    tl_value zero = tl_ad_zeros(b, t), mask = clamp_mask(b, v->in, i);
    tl_value ct = tlo_select(b, mask, v->ct[0], zero);
    tl_vjp_give(v, i, v->in[i]->type.rank == t.rank ? ct : tl_ad_sum(b, ct, all, t.rank));
  }
}
void tl_jvp_clamp(tl_jvp *j) {
  tl_builder *b = j->b;
  const tl_type type = j->out[0]->type;
  tl_value sum = NULL;
  for (uint32_t i = 0; i < 3; i++) {
    tl_value t = j->t[i];
    if (t == NULL) continue;
    if (t->type.rank != type.rank) t = tlo_broadcast(b, t, type, NULL);
    tl_value mask = clamp_mask(b, j->in, i), zero = tl_ad_zeros(b, type);
    t = tlo_select(b, mask, t, zero);
    sum = sum == NULL ? t : tlo_add(b, sum, t);
  }
  tl_jvp_give(j, 0, sum);
}

// --- Types --------------------------------------------------------------------------------------

// complex(x, y): the real part, and minus the imaginary one: transposes do not conjugate.
void tl_vjp_complex(tl_vjp *v) {
  tl_vjp_give(v, 0, tlo_unary(v->b, TL_OP_REAL, v->ct[0]));
  tl_vjp_give(v, 1, tl_ad_neg(v->b, tlo_unary(v->b, TL_OP_IMAG, v->ct[0])));
}
void tl_vjp_real(tl_vjp *v) {
  if (!tl_ad_is_complex(v->in[0])) {
    tl_vjp_give(v, 0, v->ct[0]);
    return;
  }
  tl_value zero = tl_ad_like(v->b, v->ct[0], 0);
  tl_vjp_give(v, 0, tlo_binary(v->b, TL_OP_COMPLEX, v->ct[0], zero));
}
void tl_vjp_imag(tl_vjp *v) {
  if (!tl_ad_is_complex(v->in[0])) return; // always 0
  tl_value zero = tl_ad_like(v->b, v->ct[0], 0), ct = tl_ad_neg(v->b, v->ct[0]);
  tl_vjp_give(v, 0, tlo_binary(v->b, TL_OP_COMPLEX, zero, ct));
}

// Between floats and complex numbers; an integer on either side has no derivative.
void tl_vjp_convert(tl_vjp *v) {
  tl_vjp_give(v, 0, tlo_convert(v->b, v->ct[0], v->in[0]->type.dtype));
}

void tl_vjp_reduce_precision(tl_vjp *v) {
  tl_op *op = tl_clone_with(v->b, v->op, v->ct, NULL);
  if (op != NULL) tl_vjp_give(v, 0, op->results[0]);
}
