// rng_bit_generator: each thread makes its range of the bits, by the interpreter's own functions.
#include "cpu/lower.h"

#include <string.h>

#include "ref/random.h"

enum { GRAIN = 64, PARALLEL_BITS = 2048 }; // elements

static void run_bits(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const tl_type t = s->op->results[1]->type;
  const size_t size = tl_dtype_get(t.dtype)->size, count = type_count(t),
               n_state = (size_t)s->op->operands[0]->type.dims[0];
  uint64_t state[3];
  size_t from, to;
  memcpy(state, step_in(s, x, 0), n_state * sizeof *state);
  tl_pool_range(count, GRAIN, part, n_parts, &from, &to);
  tl_random_bits(s->op, state, n_state, t, size, from, to, step_out(s, x, 1));
  if (part == 0) tl_random_next(s->op, state, n_state, t, size, count, step_out(s, x, 0));
}

bool lower_rng_bit_generator(planner *p, const tl_op *op) {
  const tl_type state = op->operands[0]->type, t = op->results[1]->type;
  if (tl_dtype_get(state.dtype)->size != 8 || state.dims[0] < 2 || state.dims[0] > 3 ||
      tl_dtype_get(t.dtype)->bits < 8)
    return false;
  plan_view *v = plan_views(p, 3);
  if (p->error) return true;
  v[0] = plan_operand(p, op->operands[0]);
  v[1] = plan_result(p, op->results[0]);
  v[2] = plan_result(p, op->results[1]);
  plan_step *s = plan_add_step(p, op, "rng_bit_generator", run_bits);
  if (!s) return true;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = 2;
  s->parallel = plan_worth(p, type_count(t), PARALLEL_BITS);
  return true;
}
