// HMC: the change of energy over 8 leapfrog steps of Hamiltonian Monte Carlo on a curved density (a
// banana in its first two coordinates, normal in the others), whose force is a gradient.
//
//   q [d] position, p [d] momentum, size of a step, scale of the banana
#include "objectives.h"

static tl_expr energy(tl_expr q, tl_expr scale) {
  tl_expr a = tl_pick(q, 0, 0), b = tl_pick(q, 0, 1), rest = tl_slice(q, 0, 2, INT64_MAX, 1);
  tl_expr bend = tl_square(tl_sub(b, tl_mul(0.5, tl_square(a))));
  tl_expr banana = tl_add(tl_div(tl_square(a), scale), bend);
  return tl_mul(0.5, tl_add(banana, tl_sum(tl_square(rest))));
}

static tl_status slope_of_energy(int64_t d, tl_program **out) {
  tl_program *f = NULL;
  tl_trace *t = tl_trace_begin("energy");
  tl_expr q = tl_input(t, "f64[%lld]", (long long)d), scale = tl_input(t, "f64");
  tl_expr value = energy(q, scale);
  tl_status st = tl_trace_end(t, &value, 1, &f);
  if (st == NULL) st = tl_program_grad(f, NULL, out);
  tl_program_release(f);
  return st;
}

typedef struct chain {
  const tl_program *slope;
  tl_expr size, scale;
} chain;

// p after half a step at q.
static tl_expr kicked(const chain *c, tl_expr q, tl_expr p) {
  tl_expr in[2] = {q, c->scale}, slope;
  tl_call(c->slope, in, 2, &slope, 1);
  return tl_sub(p, tl_mul(tl_mul(0.5, c->size), slope));
}
static void leapfrog(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)t;
  const chain *c = arg;
  tl_expr q = in[1], p = kicked(c, q, in[2]);
  next[0] = q = tl_add(q, tl_mul(c->size, p));
  next[1] = kicked(c, q, p);
}

tl_status hmc(tl_trace *t, const tl_expr *in, tl_expr *out) {
  (void)t;
  tl_expr q = in[0], p = in[1], scale = in[3], last[2];
  tl_program *slope = NULL;
  tl_status st = slope_of_energy(tl_size(q, 0), &slope);
  if (st != NULL) return st;
  tl_for(0, 8, leapfrog, &(chain){slope, in[2], scale}, in, 2, last);
  tl_expr after = tl_add(energy(last[0], scale), tl_mul(0.5, tl_matmul(last[1], last[1])));
  *out = tl_sub(tl_sub(after, energy(q, scale)), tl_mul(0.5, tl_matmul(p, p)));
  tl_program_release(slope);
  return NULL;
}
