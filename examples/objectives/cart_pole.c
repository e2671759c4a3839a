// CartPole: the cost of 20 steps of a pole on a cart under a controller of one hidden layer.
//
//   w [h, 4], b [h], v [h]   the controller: force = 10 tanh(v tanh(w s + b))
//   state [4]                position, velocity, angle, its rate
//
// The equations are those of Barto, Sutton and Anderson (1983): a cart of 1 kg, a pole of 0.1 kg
// and half length 0.5 m, 20 ms a step.
#include "objectives.h"

typedef struct controller {
  tl_expr w, b, v;
} controller;

static void step(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)t;
  const controller *k = arg;
  tl_expr s = in[1], cost = in[2];
  tl_expr hidden = tl_tanh(tl_add(tl_matmul(k->w, s), k->b));
  tl_expr force = tl_mul(10.0, tl_tanh(tl_matmul(hidden, k->v)));
  tl_expr velocity = tl_pick(s, 0, 1), angle = tl_pick(s, 0, 2), rate = tl_pick(s, 0, 3);
  tl_expr sin = tl_sin(angle), cos = tl_cos(angle);
  tl_expr push = tl_div(tl_add(force, tl_mul(tl_mul(0.05, tl_square(rate)), sin)), 1.1);
  tl_expr inertia = tl_mul(0.5, tl_sub(4.0 / 3, tl_div(tl_mul(0.1, tl_square(cos)), 1.1)));
  tl_expr spin = tl_div(tl_sub(tl_mul(9.8, sin), tl_mul(cos, push)), inertia);
  tl_expr pull = tl_sub(push, tl_div(tl_mul(tl_mul(0.05, spin), cos), 1.1));
  tl_expr change[4] = {velocity, pull, rate, spin};
  next[0] = s = tl_add(s, tl_mul(0.02, tl_stack(change, 4, 0)));
  next[1] = tl_add(
      cost, tl_add(tl_add(tl_square(tl_pick(s, 0, 0)), tl_mul(10.0, tl_square(tl_pick(s, 0, 2)))),
                   tl_mul(0.001, tl_square(force))));
}

tl_status cart_pole(tl_trace *t, const tl_expr *in, tl_expr *out) {
  controller k = {in[0], in[1], in[2]};
  tl_expr init[2] = {in[3], tl_full(t, 0, "f64")}, last[2];
  tl_for(0, 20, step, &k, init, 2, last);
  *out = last[1];
  return NULL;
}
