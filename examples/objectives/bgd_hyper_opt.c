// BGDHyperOpt: the loss on the second half of the data after ten steps of gradient descent on the
// first, by the rate of learning, its decay and the first weights: a gradient through gradients.
//
//   rate, decay scalars; w [d]; x [2m, d] with labels y [2m] of 0 and 1
#include "objectives.h"

// Logistic regression with a penalty: mean(log(1 + e^z) - y z) + |w|^2 / 100, z = x w.
static tl_expr loss(tl_expr w, tl_expr x, tl_expr y) {
  tl_expr z = tl_matmul(x, w);
  tl_expr softplus = tl_add(tl_max(z, 0.0), tl_log1p(tl_exp(tl_neg(tl_abs(z)))));
  return tl_add(tl_mean(tl_sub(softplus, tl_mul(z, y))), tl_mul(0.01, tl_matmul(w, w)));
}

static tl_status slope_of_loss(tl_program **out) {
  tl_program *f = NULL;
  tl_trace *t = tl_trace_begin("loss");
  tl_expr w = tl_input(t, "f64[d]"), x = tl_input(t, "f64[m, d]"), y = tl_input(t, "f64[m]");
  tl_expr value = loss(w, x, y);
  tl_status st = tl_trace_end(t, &value, 1, &f);
  if (st == NULL) st = tl_program_grad(f, NULL, out);
  tl_program_release(f);
  return st;
}

typedef struct descent {
  const tl_program *slope;
  tl_expr x, y, decay;
} descent;

static void step(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)t;
  const descent *d = arg;
  tl_expr w = in[1], rate = in[2], wxy[3] = {w, d->x, d->y}, slope;
  tl_call(d->slope, wxy, 3, &slope, 1);
  next[0] = tl_sub(w, tl_mul(rate, slope));
  next[1] = tl_mul(rate, d->decay);
}

tl_status bgd_hyper_opt(tl_trace *t, const tl_expr *in, tl_expr *out) {
  (void)t;
  tl_expr rate = in[0], decay = in[1], w = in[2], x = in[3], y = in[4];
  int64_t m = tl_size(x, 0) / 2;
  tl_program *slope = NULL;
  tl_status st = slope_of_loss(&slope);
  if (st != NULL) return st;
  descent d = {slope, tl_slice(x, 0, 0, m, 1), tl_slice(y, 0, 0, m, 1), decay};
  tl_expr init[2] = {w, rate}, last[2];
  tl_for(0, 10, step, &d, init, 2, last);
  *out = loss(last[0], tl_slice(x, 0, m, INT64_MAX, 1), tl_slice(y, 0, m, INT64_MAX, 1));
  tl_program_release(slope);
  return NULL;
}
