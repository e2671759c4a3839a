// HookeanSpring: the energy, after six steps downhill, of a chain of masses that hangs from its
// first.
//
//   x [n, 2] where the masses are; rest [n-1] and stiffness [n-1] of the springs between them
#include "objectives.h"

static tl_expr energy(tl_expr x, tl_expr rest, tl_expr stiffness) {
  tl_expr d = tl_sub(tl_slice(x, 0, 1, INT64_MAX, 1), tl_slice(x, 0, 0, -1, 1));
  tl_expr length = tl_sqrt(tl_add(tl_sum_axes(tl_square(d), TL_LIST(1)), 1e-9));
  tl_expr springs = tl_sum(tl_mul(stiffness, tl_square(tl_sub(length, rest))));
  tl_expr height = tl_sum(tl_pick(x, 1, 1));
  return tl_add(tl_mul(0.5, springs), tl_mul(0.1 * 9.81, height));
}

static tl_status slope_of_energy(int64_t n, tl_program **out) {
  tl_program *f = NULL;
  tl_trace *t = tl_trace_begin("energy");
  tl_expr x = tl_input(t, "f64[%lld,2]", (long long)n);
  tl_expr rest = tl_input(t, "f64[%lld]", (long long)n - 1);
  tl_expr stiffness = tl_input(t, "f64[%lld]", (long long)n - 1);
  tl_expr value = energy(x, rest, stiffness);
  tl_status st = tl_trace_end(t, &value, 1, &f);
  if (st == NULL) st = tl_program_grad(f, NULL, out);
  tl_program_release(f);
  return st;
}

typedef struct chain {
  const tl_program *slope;
  tl_expr rest, stiffness, free; // free [n, 1]: 0 of the mass that is held, else 1
} chain;

static void downhill(tl_trace *t, const tl_expr *in, tl_expr *next, void *arg) {
  (void)t;
  const chain *c = arg;
  tl_expr x = in[1], all[3] = {x, c->rest, c->stiffness}, slope;
  tl_call(c->slope, all, 3, &slope, 1);
  next[0] = tl_sub(x, tl_mul(tl_mul(0.02, c->free), slope));
}

tl_status hookean_spring(tl_trace *t, const tl_expr *in, tl_expr *out) {
  tl_expr x = in[0], rest = in[1], stiffness = in[2], settled;
  int64_t n = tl_size(x, 0);
  tl_program *slope = NULL;
  tl_status st = slope_of_energy(n, &slope);
  if (st != NULL) return st;
  tl_expr number = tl_iota(t, 0, "i32[%lld,1]", (long long)n);
  chain c = {slope, rest, stiffness, tl_convert(tl_gt(number, 0), "f64")};
  tl_for(0, 6, downhill, &c, &x, 1, &settled);
  *out = energy(settled, rest, stiffness);
  tl_program_release(slope);
  return NULL;
}
