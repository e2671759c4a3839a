// QWOP: how far a runner of point masses gets. Five masses (hip, knees, feet), springs between
// them, muscles that set the springs' lengths at rest, and a ground that pushes back and holds.
//
//   torque [steps, 4] of the muscles; the phase of their rhythm, a scalar
#include "objectives.h"

static const int32_t upper[4] = {0, 1, 0, 3}, lower[4] = {1, 2, 3, 4}; // ends of the bones
static const double start[5][2] = {{0, 1}, {0.1, 0.55}, {0, 0.05}, {-0.1, 0.55}, {0, 0.05}};

static void step(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)arg;
  tl_expr x = in[0], v = in[1], miss = in[2], muscles = in[3];
  tl_expr from = tl_constant(t, upper, "i32[4]"), to = tl_constant(t, lower, "i32[4]");
  tl_expr d = tl_sub(tl_take(x, to, 0), tl_take(x, from, 0)); // [4, 2]
  tl_expr length = tl_sqrt(tl_add(tl_sum_axes(tl_square(d), TL_LIST(1)), 1e-9));
  tl_expr rest = tl_add(0.48, tl_mul(0.1, tl_tanh(muscles)));
  tl_expr tension = tl_div(tl_mul(60.0, tl_sub(length, rest)), length);
  tl_expr pull = tl_mul(tl_expand_dims(tension, 1), d);
  tl_expr f = tl_scatter_add_rows(tl_zeros_like(x), from, pull);
  f = tl_scatter_add_rows(f, to, tl_neg(pull));

  tl_expr depth = tl_max(tl_neg(tl_pick(x, 1, 1)), 0.0), vx = tl_pick(v, 1, 0); // [5]
  tl_expr damped = tl_where(tl_gt(depth, 0.0), tl_pick(v, 1, 1), 0.0);
  tl_expr ground[2] = {tl_mul(tl_mul(-8.0, depth), vx),
                       tl_sub(tl_sub(tl_mul(400.0, depth), 9.81), tl_mul(2.0, damped))};
  f = tl_add(f, tl_stack(ground, 2, 1));

  next[1] = v = tl_mul(0.98, tl_add(v, tl_mul(0.01, f)));
  next[0] = x = tl_add(x, tl_mul(0.01, v));
  tl_expr hip = tl_pick(tl_pick(x, 0, 0), 0, 1);
  next[2] = tl_add(miss, tl_square(tl_sub(hip, 1.0)));
}

tl_status qwop(tl_trace *t, const tl_expr *in, tl_expr *out) {
  tl_expr torque = in[0], phase = in[1];
  tl_expr now = tl_iota(t, 0, "f64[%lld,1]", (long long)tl_size(torque, 0));
  tl_expr muscles = tl_mul(torque, tl_sin(tl_add(phase, now)));
  tl_expr x = tl_constant(t, start, "f64[5,2]"),
          init[3] = {x, tl_zeros_like(x), tl_full(t, 0, "f64")};
  tl_expr last[3];
  tl_scan(step, NULL, init, 3, &muscles, 1, NULL, last, NULL, 0);
  tl_expr ahead =
      tl_add(tl_pick(tl_pick(last[0], 0, 0), 0, 0), tl_pick(tl_pick(last[1], 0, 0), 0, 0));
  *out = tl_sub(ahead, last[2]);
  return NULL;
}
