// Derivatives of elementwise core ops. g is a tangent or a cotangent: both directions multiply it
// by the same derivative.
//
// Kinks and ties follow JAX: docs/autodiff.md lists them beside PyTorch's.
#include "ad/rule.h"

#define TL_DIAG_FN(id) tl_value tl_diag_##id(const tl_diag_at *d, uint32_t i, tl_value g)
#define TL_DIAG_FN_1(id) \
  tl_value tl_diag_##id(const tl_diag_at *d, TL_UNUSED uint32_t i, tl_value g)

// x + y
void tl_vjp_add(tl_vjp *v) {
  tl_vjp_give(v, 0, v->ct[0]);
  tl_vjp_give(v, 1, v->ct[0]);
}
void tl_jvp_add(tl_jvp *j) {
  tl_value x = j->t[0], y = j->t[1];
  tl_jvp_give(j, 0, x == NULL ? y : y == NULL ? x : tlo_add(j->b, x, y));
}

TL_DIAG_FN(SUBTRACT) { return i == 0 ? g : tl_ad_neg(d->b, g); }

TL_DIAG_FN(MULTIPLY) { return tlo_mul(d->b, g, d->in[1 - i]); }

// x / y: g / y, and -(g / y) (x / y)
TL_DIAG_FN(DIVIDE) {
  tl_value q = tlo_div(d->b, g, d->in[1]);
  return i == 0 ? q : tl_ad_neg(d->b, tlo_mul(d->b, q, d->out));
}

TL_DIAG_FN_1(NEGATE) { return tl_ad_neg(d->b, g); }

TL_DIAG_FN_1(EXPONENTIAL) { return tlo_mul(d->b, g, d->out); }

TL_DIAG_FN_1(LOG) { return tlo_div(d->b, g, d->in[0]); }

TL_DIAG_FN_1(SINE) { return tlo_mul(d->b, g, tlo_unary(d->b, TL_OP_COSINE, d->in[0])); }

TL_DIAG_FN_1(COSINE) {
  tl_value s = tlo_unary(d->b, TL_OP_SINE, d->in[0]);
  return tl_ad_neg(d->b, tlo_mul(d->b, g, s));
}

// y = tanh x: g (1 - y^2). In y, not x: the forward pass keeps y, and x may be freed.
TL_DIAG_FN_1(TANH) {
  tl_builder *b = d->b;
  tl_value y2 = tlo_mul(b, d->out, d->out), one = tl_ad_like(b, d->out, 1);
  return tlo_mul(b, g, tlo_sub(b, one, y2));
}
