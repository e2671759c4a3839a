// Loops backward: a loop again, from the last step to the first.
//
// A step back computes the step once more from the values that it began with, walks back through
// it, and carries on the cotangents of those values. What the body reads from outside has a sum of
// its own, which begins with the cotangent it has had so far: a step that adds to a slice of it
// adds in place, so that the gradient of a scan's inputs costs a slice a step.
//
// Where a bound of the trips is a constant, the loop is rewritten to store the values that steps
// begin with, each in a stack [trips, ...]; what no step back turns out to read is no result of
// the loop any more and goes when the function is tidied, and the recomputation that feeds it.
// Otherwise, and where the caller asks for so many states and no more, loop_checkpoint.c.
#include "ad/loop.h"

#include "ir/dim.h"

// --- Which cotangents ---------------------------------------------------------------------------

static bool has(const tl_ptr_map *set, tl_value v) { return tl_ptr_map_get(set, v, NULL); }

static void add(tl_builder *b, tl_ptr_map *set, tl_value v) {
  if (!tl_ptr_map_put(set, v, 1)) tl_builder_fail(b, TL_OOM());
}

// Carried values that depend on what is differentiated by: a fixpoint through the body. `r` holds
// what is active in one step.
static void find_active(tl_loop_back *l, tl_reverse *r) {
  const tl_loop_facts *f = &l->f;
  tl_vjp *v = l->v;
  tl_builder in = tl_builder_at(v->b, f->body);
  for (uint32_t i = 0; i < l->n_free; i++)
    tl_reverse_activate(r, &in, l->free[i]);
  for (uint32_t i = 0; i < f->n; i++)
    if (tl_vjp_wants(v, i)) tl_reverse_activate(r, &in, f->body->args[i]);
  for (bool grew = true; grew && in.error == TL_OK;) {
    grew = false;
    tl_reverse_mark(r, &in, NULL);
    for (uint32_t i = 0; i < f->n; i++) {
      tl_value arg = f->body->args[i];
      if (tl_reverse_is_active(r, arg) || !tl_reverse_is_active(r, f->body->last->operands[i]))
        continue;
      tl_reverse_activate(r, &in, arg);
      grew = true;
    }
  }
  tl_builder_join(v->b, &in);
  for (uint32_t i = 0; i < f->n; i++)
    l->active[i] = tl_reverse_is_active(r, f->body->args[i]);
}

static void need_operands(tl_loop_back *l, const tl_reverse *r, tl_ptr_map *need, const tl_op *op) {
  tl_builder *b = l->v->b;
  bool any = false;
  for (uint32_t k = 0; k < op->n_results; k++)
    any |= has(need, op->results[k]) && tl_reverse_is_active(r, op->results[k]);
  if (!any) return;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (tl_reverse_is_active(r, op->operands[i])) add(b, need, op->operands[i]);
  uint32_t n = 0;
  tl_value *free = op->n_regions == 0 ? NULL : tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_reverse_is_active(r, free[i])) add(b, need, free[i]);
}

// Of which the steps take and give cotangents: those of whose results something has been given,
// and those that reach one.
static void find_wanted(tl_loop_back *l) {
  const tl_loop_facts *f = &l->f;
  tl_vjp *v = l->v;
  tl_builder *b = v->b;
  tl_reverse r = {.ad = v->ad};
  tl_ptr_map need = {0};
  find_active(l, &r);
  for (uint32_t i = 0; i < f->n; i++)
    l->wanted[i] = !f->invariant[i] && l->active[i] && v->ct[i] != NULL;
  for (bool grew = true; grew && b->error == TL_OK;) {
    grew = false;
    for (uint32_t i = 0; i < f->n; i++)
      if (l->wanted[i]) add(b, &need, f->body->last->operands[i]);
    for (const tl_op *op = f->body->last->prev; op != NULL; op = op->prev)
      need_operands(l, &r, &need, op);
    for (uint32_t i = 0; i < f->n; i++)
      if (!f->invariant[i] && !l->wanted[i] && l->active[i] && has(&need, f->body->args[i]))
        grew = l->wanted[i] = true;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->n_free; i++)
    if (has(&need, l->free[i])) l->free[n++] = l->free[i];
  // What is handed on as it is is read from outside.
  for (uint32_t i = 0; i < f->n; i++) {
    if (!f->invariant[i] || !l->active[i] || !has(&need, f->body->args[i])) continue;
    bool known = false;
    for (uint32_t k = 0; k < n; k++)
      known |= l->free[k] == v->in[i];
    if (!known) l->free[n++] = v->in[i];
  }
  l->n_free = n;
  for (uint32_t i = 0; i < f->n; i++)
    l->n_wanted += l->wanted[i];
  tl_ptr_map_deinit(&need);
  tl_reverse_deinit(&r);
}

// --- One step -----------------------------------------------------------------------------------

void tl_loop_step_back(tl_loop_back *l, tl_builder *in, const tl_value *x, tl_value *ct,
                       tl_value *sums) {
  const tl_loop_facts *f = &l->f;
  tl_reverse r = {.ad = l->v->ad};
  tl_env e = {0};
  tl_value *out = tl_room(in, f->n);
  if (out == NULL) return;
  for (uint32_t i = 0; i < f->n; i++) {
    tl_env_put(in, &e, f->body->args[i], x[i]);
    if (l->active[i] && !f->invariant[i]) tl_reverse_activate(&r, in, x[i]);
  }
  for (uint32_t i = 0; i < l->n_free; i++) {
    tl_reverse_activate(&r, in, l->free[i]);
    tl_reverse_set(&r, in, l->free[i], sums[i]);
  }
  tl_op *before = in->error != TL_OK ? NULL : in->block->last;
  tl_reverse_primal(&r, in, &e, f->body, out);
  uint32_t at = 0;
  for (uint32_t i = 0; in->error == TL_OK && i < f->n; i++)
    if (l->wanted[i]) tl_reverse_give(&r, in, out[i], ct[at++]);
  if (in->error == TL_OK && in->block->last != before)
    tl_reverse_walk(&r, in, before, in->block->last);
  at = 0;
  for (uint32_t i = 0; in->error == TL_OK && i < f->n; i++) {
    if (!l->wanted[i]) continue;
    tl_value now = tl_reverse_ct(&r, x[i]);
    ct[at++] = now != NULL ? now : tl_ad_zeros(in, x[i]->type);
  }
  for (uint32_t i = 0; in->error == TL_OK && i < l->n_free; i++)
    sums[i] = tl_reverse_ct(&r, l->free[i]);
  tl_env_deinit(&e);
  tl_reverse_deinit(&r);
}

// --- With every state stored
// ----------------------------------------------------------------------

// The loop again, in its own place, with a stack of each value that steps must be told. Gives the
// number of steps done, and stacks [n].
static tl_value store(tl_loop_back *l, tl_value *stacks) {
  const tl_loop_facts *f = &l->f;
  tl_builder *b = l->v->b;
  const uint32_t n = f->n;
  tl_op *after = b->block->last;
  tl_value *init = tl_room(b, (size_t)2 * n + 1), *next = tl_room(b, (size_t)2 * n + 1);
  if (b->error != TL_OK) return NULL;
  uint32_t at = n;
  for (uint32_t i = 0; i < n; i++)
    init[i] = f->op->operands[i];
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) init[at++] = tl_ad_zeros(b, tl_batch_type(b, init[i]->type, f->trips));
  const uint32_t index = f->index < n ? f->index : at;
  if (index == at) init[at++] = tl_loop_i64(b, 0);
  tl_any_loop loop = tl_loop_begin(b, init, at);
  if (b->error != TL_OK) return NULL;
  tl_env e = {0};
  for (uint32_t i = 0; i < n; i++) {
    tl_env_put(b, &e, f->cond->args[i], loop.x[i]);
    tl_env_put(b, &e, f->body->args[i], loop.y[i]);
  }
  tl_value go_on = NULL;
  tl_clone_block(&loop.cond, &e, f->cond, &go_on);
  at = n;
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) {
      next[at] = tl_stack_set(&loop.body, loop.y[at], loop.y[index], loop.y[i]);
      at++;
    }
  tl_clone_block(&loop.body, &e, f->body, next);
  if (index == at) next[at] = tlo_add(&loop.body, loop.y[at], tl_loop_i64(&loop.body, 1));
  tl_env_deinit(&e);
  tl_op *now = tl_loop_end(b, &loop, go_on, next);
  if (now == NULL) return NULL;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)f->op, now);
  at = n;
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) stacks[i] = now->results[at++];
  return now->results[index];
}

void tl_loop_back_stored(tl_loop_back *l, tl_value *ct, tl_value *sums) {
  const tl_loop_facts *f = &l->f;
  tl_builder *b = l->v->b;
  tl_value *stacks = tl_room(b, f->n), *x = tl_room(b, f->n);
  const uint32_t n = 1 + l->n_wanted + l->n_free;
  tl_value *carried = tl_room(b, n);
  if (b->error != TL_OK) return;
  tl_value done = store(l, stacks), one = tl_loop_i64(b, 1);
  int64_t last;
  if (f->exact && tl_dim_sub(b->m, f->trips, 1, &last))
    carried[0] = tlo_size(b, last, TL_DTYPE_S64);
  else
    carried[0] = tlo_sub(b, tlo_convert(b, done, TL_DTYPE_S64), one);
  for (uint32_t i = 0; i < l->n_wanted; i++)
    carried[1 + i] = ct[i];
  for (uint32_t i = 0; i < l->n_free; i++)
    carried[1 + l->n_wanted + i] = sums[i];
  tl_any_loop back = tl_loop_begin(b, carried, n);
  if (b->error != TL_OK) return;
  tl_value zero = tl_loop_i64(&back.cond, 0);
  tl_value go_on = tlo_compare(&back.cond, TL_COMPARISON_DIRECTION_GE, back.x[0], zero);
  tl_builder *in = &back.body;
  tl_value k = back.y[0];
  for (uint32_t i = 0; i < f->n; i++)
    x[i] = f->invariant[i] ? l->v->in[i]
           : f->affine[i]  ? tl_loop_affine(in, f, i, k)
                           : tl_stack_get(in, stacks[i], k, f->body->args[i]->type);
  memcpy(carried, back.y, n * sizeof(tl_value));
  tl_loop_step_back(l, in, x, carried + 1, carried + 1 + l->n_wanted);
  carried[0] = tlo_sub(in, k, tl_loop_i64(in, 1));
  tl_op *now = tl_loop_end(b, &back, go_on, carried);
  for (uint32_t i = 0; now != NULL && i < l->n_wanted; i++)
    ct[i] = now->results[1 + i];
  for (uint32_t i = 0; now != NULL && i < l->n_free; i++)
    sums[i] = now->results[1 + l->n_wanted + i];
}

// --- The rule -----------------------------------------------------------------------------------

enum { FEW_SLOTS = 32 };

static bool begin(tl_loop_back *l, tl_vjp *v) {
  tl_builder *b = v->b;
  *l = (tl_loop_back){.v = v};
  tl_loop_learn(b, v->op, &l->f);
  l->active = tl_flags(b, l->f.n);
  l->wanted = tl_flags(b, l->f.n);
  l->state = tl_flags(b, l->f.n);
  uint32_t n;
  tl_value *free = tl_free_values(b, v->op, &n);
  l->free = tl_room(b, (size_t)n + l->f.n);
  if (b->error != TL_OK) return false;
  for (uint32_t i = 0; i < n; i++)
    if (tl_reverse_is_active(v->r, free[i])) l->free[l->n_free++] = free[i];
  for (uint32_t i = 0; i < l->f.n; i++)
    l->state[i] = !l->f.invariant[i] && !l->f.affine[i];
  find_wanted(l);
  return b->error == TL_OK;
}

void tl_vjp_while(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_loop_back l;
  if (!tl_ad_enter(v->ad, b, v->op)) return;
  bool good = begin(&l, v);
  const tl_loop_facts *f = &l.f;
  const bool never = good && f->exact && f->trips == 0;
  for (uint32_t i = 0; good && i < f->n; i++)
    if (f->invariant[i] || never) tl_vjp_give(v, i, v->ct[i]);
  tl_value *ct = tl_room(b, l.n_wanted), *sums = tl_room(b, l.n_free);
  if (!good || never || l.n_wanted == 0 || b->error != TL_OK) {
    v->ad->depth--;
    return;
  }
  uint32_t at = 0;
  for (uint32_t i = 0; i < f->n; i++)
    if (l.wanted[i]) ct[at++] = tl_vjp_ct(v, i);
  for (uint32_t i = 0; i < l.n_free; i++) {
    sums[i] = tl_reverse_ct(v->r, l.free[i]);
    if (sums[i] == NULL) sums[i] = tl_ad_zeros(b, l.free[i]->type);
  }
  const int64_t slots = v->ad->options->checkpoints;
  if (f->bounded && (slots <= 0 || (f->trips >= 0 && f->trips <= slots)))
    tl_loop_back_stored(&l, ct, sums);
  else
    tl_loop_back_checkpointed(&l, slots > 0 ? slots : FEW_SLOTS, ct, sums);
  for (uint32_t i = 0; b->error == TL_OK && i < l.n_free; i++)
    tl_reverse_set(v->r, b, l.free[i], sums[i]);
  at = 0;
  for (uint32_t i = 0; b->error == TL_OK && i < f->n; i++)
    if (l.wanted[i]) tl_vjp_give(v, i, ct[at++]);
  v->ad->depth--;
}
