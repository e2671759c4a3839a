// Loops: being built, and their forward and batched forms.
#include "ad/loop.h"

#include "ir/dim.h"

tl_any_loop tl_loop_begin(tl_builder *b, const tl_value *init, uint32_t n) {
  tl_any_loop l = {.n = n, .x = tl_room(b, n), .y = tl_room(b, n)};
  if (b->error == TL_OK) l.op = tl_op_begin(b, TL_OP_WHILE, init, n);
  l.cond = tl_builder_at(b, tl_op_add_region(b, l.op));
  l.body = tl_builder_at(b, tl_op_add_region(b, l.op));
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    if (init[i] == NULL) {
      tl_builder_fail(b, TL_ERROR(INTERNAL, "a loop carries no value %u", i));
      return l;
    }
    l.x[i] = tl_block_arg(&l.cond, l.cond.block, init[i]->type);
    l.y[i] = tl_block_arg(&l.body, l.body.block, init[i]->type);
  }
  tl_builder_join(b, &l.cond);
  tl_builder_join(b, &l.body);
  return l;
}

tl_op *tl_loop_end(tl_builder *b, tl_any_loop *loop, tl_value go_on, const tl_value *next) {
  if (loop->cond.error == TL_OK) tlo_return(&loop->cond, &go_on, 1);
  if (loop->body.error == TL_OK) tlo_return(&loop->body, next, loop->n);
  tl_builder_join(b, &loop->cond);
  tl_builder_join(b, &loop->body);
  return b->error != TL_OK ? NULL : tl_op_finish(b, loop->op, NULL, 0);
}

tl_value tl_loop_i64(tl_builder *b, int64_t x) {
  return tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), x);
}

static void starts_at(tl_builder *b, tl_value at, uint32_t rank, tl_value *out) {
  tl_value zero = rank < 2 || at == NULL ? NULL : tlo_constant_i64(b, at->type, 0);
  for (uint32_t d = 0; d < rank; d++)
    out[d] = d == 0 ? at : zero;
}

tl_value tl_stack_get(tl_builder *b, tl_value stack, tl_value at, tl_type one) {
  tl_value starts[TL_MAX_RANK];
  tl_type row = tl_batch_type(b, one, 1);
  if (b->error != TL_OK) return NULL;
  starts_at(b, at, row.rank, starts);
  tl_value x = tlo_dynamic_slice(b, stack, starts, row.dims);
  return tlo_reshape(b, x, one.dims, one.rank);
}

tl_value tl_stack_set(tl_builder *b, tl_value stack, tl_value at, tl_value one) {
  if (one == NULL) return NULL;
  tl_value starts[TL_MAX_RANK];
  tl_type row = tl_batch_type(b, one->type, 1);
  if (b->error != TL_OK) return NULL;
  tl_value x = tlo_reshape(b, one, row.dims, row.rank);
  starts_at(b, at, row.rank, starts);
  return tlo_dynamic_update_slice(b, stack, x, starts);
}

tl_value tl_loop_affine(tl_builder *b, const tl_loop_facts *f, uint32_t i, tl_value k) {
  tl_value init = f->op->operands[i];
  int64_t first = 0;
  tl_value at = tlo_convert(b, k, init->type.dtype);
  if (f->step[i] != 1) at = tlo_mul(b, at, tlo_constant_i64(b, init->type, f->step[i]));
  if (tl_loop_constant(NULL, init, &first) && first == 0) return at;
  return tlo_add(b, init, at);
}

// --- Forward ----------------------------------------------------------------------------------

// One attempt at the loop with the tangents of those carried values that `has` names; it fails by
// adding to them, and is then dropped.
static bool try_tangents(tl_jvp *j, const tl_loop_facts *f, tl_op *after, bool *has,
                         tl_value *t_out) {
  tl_builder *b = j->b;
  const uint32_t n = f->n;
  uint32_t n_t = 0;
  tl_value *init = tl_room(b, (size_t)2 * n), *out = tl_room(b, n), *t = tl_room(b, n),
           *next = tl_room(b, (size_t)2 * n);
  if (b->error != TL_OK) return true;
  for (uint32_t i = 0; i < n; i++)
    init[i] = j->in[i];
  for (uint32_t i = 0; i < n; i++)
    if (has[i]) init[n + n_t++] = tl_jvp_t(j, i);
  tl_any_loop l = tl_loop_begin(b, init, n + n_t);
  if (b->error != TL_OK) return true;
  tl_env e = {0};
  for (uint32_t i = 0; i < n; i++)
    tl_env_put(&l.cond, &e, f->cond->args[i], l.x[i]);
  tl_value go_on = NULL;
  tl_clone_block(&l.cond, &e, f->cond, &go_on);
  tl_builder_join(b, &l.cond);
  uint32_t at = n;
  for (uint32_t i = 0; i < n; i++) {
    tl_env_put(&l.body, &e, f->body->args[i], l.y[i]);
    if (has[i]) tl_forward_put(j->f, &l.body, l.y[i], l.y[at++]);
    if (f->invariant[i] && j->t[i] != NULL) tl_forward_put(j->f, &l.body, l.y[i], j->t[i]);
  }
  tl_forward_block(j->f, &l.body, &e, f->body, out, t);
  tl_env_deinit(&e);
  tl_builder_join(b, &l.body);
  bool grew = false;
  at = n;
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    next[i] = out[i];
    if (f->invariant[i]) continue;
    if (t[i] != NULL && !has[i] && tl_ad_is_inexact(out[i]->type.dtype)) grew = has[i] = true;
    if (!grew && has[i]) next[at++] = t[i] != NULL ? t[i] : tl_ad_zeros(&l.body, out[i]->type);
  }
  if (grew) return false;
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  if (now == NULL) return true;
  at = n;
  for (uint32_t i = 0; i < n; i++)
    t_out[i] = has[i] ? now->results[at++] : f->invariant[i] ? j->t[i] : NULL;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)f->op, now);
  return true;
}

// The op again, with the tangents that it needs carried after its own values, in its place. Which
// do is a fixpoint: those that begin with one, and those that one reaches.
void tl_jvp_while(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_loop_facts f;
  tl_loop_learn(b, j->op, &f);
  bool *has = tl_flags(b, f.n);
  tl_value *t_out = tl_room(b, f.n);
  if (b->error != TL_OK || !tl_ad_enter(j->ad, b, j->op)) return;
  for (uint32_t i = 0; i < f.n; i++)
    has[i] = j->t[i] != NULL && !f.invariant[i];
  tl_op *after = b->block->last;
  while (b->error == TL_OK && !try_tangents(j, &f, after, has, t_out))
    ;
  j->ad->depth--;
  for (uint32_t i = 0; i < f.n; i++)
    tl_jvp_give(j, i, t_out[i]);
}

// --- Batches ------------------------------------------------------------------------------------

// The carried values at a loop over a batch, with `is` batched.
static void bind_args(tl_batch *v, tl_builder *b, const tl_block *block, const bool *is,
                      const tl_value *args) {
  for (uint32_t i = 0; i < block->n_args; i++) {
    tl_env_put(b, &v->at->env, block->args[i], args[i]);
    if (is[i]) tl_batcher_mark(v->at, b, args[i]);
  }
}

// The condition is one for all lanes.
static bool try_shared(tl_batch *v, const tl_loop_facts *f, bool *is, bool *of_each) {
  tl_builder *b = v->b;
  const uint32_t n = f->n;
  tl_value *init = tl_room(b, n), *next = tl_room(b, n);
  bool *now_is = tl_flags(b, n);
  if (b->error != TL_OK) return true;
  for (uint32_t i = 0; i < n; i++)
    init[i] = is[i] ? tl_batch_in(v, i) : v->in[i];
  tl_any_loop l = tl_loop_begin(b, init, n);
  if (b->error != TL_OK) return true;
  tl_value go_on = NULL;
  bind_args(v, &l.cond, f->cond, is, l.x);
  tl_batch_block(v->at, &l.cond, f->cond, &go_on, of_each);
  tl_builder_join(b, &l.cond);
  if (b->error != TL_OK || *of_each) return true;
  bind_args(v, &l.body, f->body, is, l.y);
  tl_batch_block(v->at, &l.body, f->body, next, now_is);
  tl_builder_join(b, &l.body);
  bool grew = false;
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    if (now_is[i] && !is[i]) grew = is[i] = true;
    if (is[i] && !now_is[i]) next[i] = tl_batch_repeat(&l.body, next[i], v->size);
  }
  if (grew) return false;
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  for (uint32_t i = 0; now != NULL && i < n; i++) {
    v->out[i] = now->results[i];
    v->out_batched[i] = is[i];
  }
  return true;
}

// Each lane has its own condition: the loop goes on while any does, and a lane whose condition has
// failed keeps its values. Carried are the lanes that are alive, the values that change, and,
// where the trips are bounded, their count, which keeps the bound in sight.
static void each_its_own(tl_batch *v, const tl_loop_facts *f) {
  tl_builder *b = v->b;
  const uint32_t n = f->n;
  tl_value *init = tl_room(b, (size_t)n + 2), *args = tl_room(b, n),
           *next = tl_room(b, (size_t)n + 2), *out = tl_room(b, n), *was;
  bool *is = tl_flags(b, n), *out_is = tl_flags(b, n), cond_is;
  if (b->error != TL_OK) return;
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++)
    is[i] = f->invariant[i] ? v->batched[i] : true;
  for (uint32_t i = 0; i < n; i++)
    args[i] = is[i] ? tl_batch_in(v, i) : v->in[i];
  // Before the first step.
  bind_args(v, b, f->cond, is, args);
  tl_value alive;
  tl_batch_block(v->at, b, f->cond, &alive, &cond_is);
  if (b->error == TL_OK && !cond_is) alive = tl_batch_repeat(b, alive, v->size);
  init[at++] = alive;
  for (uint32_t i = 0; i < n; i++)
    if (!f->invariant[i]) init[at++] = args[i];
  const uint32_t n_changing = at - 1;
  if (f->bounded) init[at++] = tl_loop_i64(b, 0);
  tl_any_loop l = tl_loop_begin(b, init, at);
  if (b->error != TL_OK) return;
  tl_value go_on = tl_lanes_any(&l.cond, l.x[0]);
  if (f->bounded) {
    tl_value below = tlo_compare(&l.cond, TL_COMPARISON_DIRECTION_LT, l.x[at - 1],
                                 tlo_size(&l.cond, f->trips, TL_DTYPE_S64));
    go_on = tlo_binary(&l.cond, TL_OP_AND, below, go_on);
  }
  // The body on lanes that are alive, or copies of one; from outside too.
  tl_builder *in = &l.body;
  const bool fill = !tl_lanes_need_none(f->body);
  tl_value first = fill ? tl_lanes_first(in, l.y[0]) : NULL;
  uint32_t k = 1;
  for (uint32_t i = 0; i < n; i++) {
    tl_value x = f->invariant[i] ? args[i] : l.y[k++];
    if (fill && is[i]) x = tl_lanes_fill(in, l.y[0], first, x);
    next[i] = x;
  }
  bind_args(v, in, f->body, is, next);
  tl_op alone = *f->op;
  alone.regions = (tl_block *[1]){f->body};
  alone.n_regions = 1;
  uint32_t n_free;
  tl_value *free = tl_free_values(in, &alone, &n_free);
  was = tl_room(b, n_free);
  for (uint32_t i = 0; was != NULL && fill && i < n_free; i++) {
    was[i] = tl_env_get(&v->at->env, free[i]);
    if (!tl_batcher_is_batched(v->at, was[i])) continue;
    tl_value x = tl_lanes_fill(in, l.y[0], first, was[i]);
    tl_env_put(in, &v->at->env, free[i], x);
    tl_batcher_mark(v->at, in, x);
  }
  if (in->error == TL_OK) tl_batch_block(v->at, in, f->body, out, out_is);
  for (uint32_t i = 0; was != NULL && fill && i < n_free; i++)
    tl_env_put(in, &v->at->env, free[i], was[i]);
  // Lanes that are not alive keep what they had.
  k = 1;
  for (uint32_t i = 0; in->error == TL_OK && i < n; i++) {
    tl_value x = args[i];
    if (!f->invariant[i]) {
      tl_value y = out_is[i] ? out[i] : tl_batch_repeat(in, out[i], v->size);
      x = tl_lanes_select(in, l.y[0], y, l.y[k]);
      next[k++] = x;
    }
    out[i] = x;
  }
  if (in->error == TL_OK) bind_args(v, in, f->cond, is, out);
  if (in->error == TL_OK) tl_batch_block(v->at, in, f->cond, &alive, &cond_is);
  if (in->error == TL_OK && !cond_is) alive = tl_batch_repeat(in, alive, v->size);
  next[0] = tlo_binary(in, TL_OP_AND, l.y[0], alive);
  if (f->bounded) next[n_changing + 1] = tlo_add(in, l.y[n_changing + 1], tl_loop_i64(in, 1));
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  k = 1;
  for (uint32_t i = 0; now != NULL && i < n; i++) {
    v->out[i] = f->invariant[i] ? args[i] : now->results[k++];
    v->out_batched[i] = is[i];
  }
}

void tl_batch_while(tl_batch *v) {
  tl_builder *b = v->b;
  tl_loop_facts f;
  tl_loop_learn(b, v->op, &f);
  bool *is = tl_flags(b, f.n), of_each = false;
  if (b->error != TL_OK || !tl_ad_enter(v->ad, b, v->op)) return;
  for (uint32_t i = 0; i < f.n; i++)
    is[i] = v->batched[i];
  while (b->error == TL_OK && !try_shared(v, &f, is, &of_each))
    ;
  if (b->error == TL_OK && of_each) each_its_own(v, &f);
  v->ad->depth--;
}
