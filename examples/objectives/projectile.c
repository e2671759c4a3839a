// A ball thrown with drag, in 38 explicit steps of Euler's: the squared distance from a target 5 m
// away, by the angle and the speed of the throw.
#include "objectives.h"

static const double step_s = 0.025, drag = 0.05, gravity = 9.81;

static void euler(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)t, (void)arg;
  tl_expr x = in[1], y = in[2], vx = in[3], vy = in[4]; // in[0] is the number of the step
  tl_expr slow = tl_mul(drag, tl_sqrt(tl_add(tl_square(vx), tl_square(vy))));
  next[0] = tl_add(x, tl_mul(step_s, vx));
  next[1] = tl_add(y, tl_mul(step_s, vy));
  next[2] = tl_sub(vx, tl_mul(step_s, tl_mul(slow, vx)));
  next[3] = tl_sub(vy, tl_mul(step_s, tl_add(gravity, tl_mul(slow, vy))));
}

tl_status projectile(tl_trace *t, const tl_expr *in, tl_expr *out) {
  tl_expr angle = in[0], speed = in[1], zero = tl_full(t, 0, "f64"), s[4];
  tl_expr init[4] = {zero, zero, tl_mul(speed, tl_cos(angle)), tl_mul(speed, tl_sin(angle))};
  tl_for(0, 38, euler, NULL, init, 4, s);
  *out = tl_add(tl_square(tl_sub(s[0], 5.0)), tl_square(s[1]));
  return NULL;
}
