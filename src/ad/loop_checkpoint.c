// Loops backward within a budget of states, in plain StableHLO.
//
// The trip count n need not be known: the forward loop counts, and keeps states as it goes, those
// of the steps 0, h, 2h ... for a stride h that doubles whenever all S slots are taken; then every
// second one is given up. So between S/2 and S states, evenly spaced, are there when the loop ends,
// whatever n is. A state is written to the next free slot at every step, and stays there where the
// step is a multiple of h: a branch around the write would copy the whole stack.
//
// Backward, the states are a stack, by their steps; the slot of each place in it is `slots`, a
// permutation. To go back through step k:
//
//     while the top state's step j < k:       l = k - j + 1 steps, s slots from the top one on
//       advance from it by m steps, push      where a place is left (the last advance needs none)
//     the step itself, and back through it
//     pop, where the top state was k's
//
// m is the binomial choice, which is the best (Griewank 1992; Griewank and Walther 2000, Revolve):
// with b(s, t) = (s + t)! / (s! t!), the steps that s slots go back through when none is done more
// than t times, and t the least with b(s, t) >= l,
//
//     m = min(b(s, t - 1), l - b(s - 1, t - 1))
//
// Place S of the stack is no slot but what writes that are not wanted go to. Beside the S + 1
// states, there is the one that advances and the one stepped back through. 10,000 steps within 100
// slots cost 2.5 evaluations a step above the forward run, at most 3 (loop_checkpoint_test.c).
#include "ad/loop.h"

#include "ir/dim.h"

static tl_value compare(tl_builder *b, tl_comparison_direction dir, tl_value x, tl_value y) {
  return tlo_compare(b, dir, x, y);
}

static tl_value min(tl_builder *b, tl_value x, tl_value y) {
  return tlo_binary(b, TL_OP_MINIMUM, x, y);
}

static tl_type longs(tl_builder *b, int64_t n) { return TL_TYPE(b->m->arena, TL_DTYPE_S64, n); }

static tl_value longs_get(tl_builder *b, tl_value list, tl_value at) {
  return tl_stack_get(b, list, at, tl_type_scalar(TL_DTYPE_S64));
}

// Which of n places a list of S + 1 has first: the even ones, then the odd ones; the last stays.
static tl_value evens_first(tl_builder *b, tl_value list, int64_t slots) {
  tl_value part[3] = {
      tlo_slice(b, list, (int64_t[]){0}, (int64_t[]){slots}, (int64_t[]){2}),
      tlo_slice(b, list, (int64_t[]){1}, (int64_t[]){slots}, (int64_t[]){2}),
      tlo_slice(b, list, (int64_t[]){slots}, (int64_t[]){slots + 1}, NULL),
  };
  return tlo_concat(b, part, 3, 0);
}

typedef struct kept { // what the forward loop leaves behind
  tl_value done;      // steps
  tl_value *stacks;   // [n] of states, NULL for what needs none
  tl_value slots;     // [S + 1]
  tl_value n_kept, stride;
} kept;

// The loop again, in its own place. After its own values it carries the stacks, the slots, the
// number kept, the stride and, unless it has one, a count of steps.
static void run_forward(tl_loop_back *l, int64_t slots, kept *out) {
  const tl_loop_facts *f = &l->f;
  tl_builder *b = l->v->b;
  const uint32_t n = f->n;
  tl_op *after = b->block->last;
  tl_value *init = tl_room(b, (size_t)2 * n + 4), *next = tl_room(b, (size_t)2 * n + 4);
  if (b->error != TL_OK) return;
  uint32_t at = n;
  for (uint32_t i = 0; i < n; i++)
    init[i] = f->op->operands[i];
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) init[at++] = tl_ad_zeros(b, tl_batch_type(b, init[i]->type, slots + 1));
  const uint32_t at_slots = at++, at_kept = at++, at_stride = at++, at_done = at++;
  init[at_slots] = tlo_iota(b, longs(b, slots + 1), 0);
  init[at_kept] = tl_loop_i64(b, 0);
  init[at_stride] = tl_loop_i64(b, 1);
  init[at_done] = tl_loop_i64(b, 0);
  tl_any_loop loop = tl_loop_begin(b, init, at);
  if (b->error != TL_OK) return;
  tl_env e = {0};
  for (uint32_t i = 0; i < n; i++) {
    tl_env_put(b, &e, f->cond->args[i], loop.x[i]);
    tl_env_put(b, &e, f->body->args[i], loop.y[i]);
  }
  tl_value go_on = NULL;
  tl_clone_block(&loop.cond, &e, f->cond, &go_on);
  tl_builder *in = &loop.body;
  tl_value table = loop.y[at_slots], n_kept = loop.y[at_kept], stride = loop.y[at_stride],
           step = loop.y[at_done];
  tl_value slot = longs_get(in, table, n_kept), one = tl_loop_i64(in, 1);
  at = n;
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) {
      next[at] = tl_stack_set(in, loop.y[at], slot, loop.y[i]);
      at++;
    }
  tl_value due = tlo_mul(in, n_kept, stride);
  tl_value stays = compare(in, TL_COMPARISON_DIRECTION_EQ, step, due);
  tl_value now_kept = tlo_add(in, n_kept, tlo_convert(in, stays, TL_DTYPE_S64));
  tl_value full = compare(in, TL_COMPARISON_DIRECTION_EQ, now_kept, tl_loop_i64(in, slots));
  tl_op *thin = in->error != TL_OK ? NULL : tl_op_begin(in, TL_OP_IF, &full, 1);
  tl_builder yes = tl_builder_at(in, tl_op_add_region(in, thin)),
             no = tl_builder_at(in, tl_op_add_region(in, thin));
  tl_value thinned[3] = {evens_first(&yes, table, slots), tl_loop_i64(&yes, (slots + 1) / 2),
                         tlo_mul(&yes, stride, tl_loop_i64(&yes, 2))};
  tlo_return(&yes, thinned, 3);
  tlo_return(&no, (tl_value[]){table, now_kept, stride}, 3);
  tl_builder_join(in, &yes);
  tl_builder_join(in, &no);
  thin = in->error != TL_OK ? NULL : tl_op_finish(in, thin, NULL, 0);
  if (thin != NULL) {
    next[at_slots] = thin->results[0];
    next[at_kept] = thin->results[1];
    next[at_stride] = thin->results[2];
  }
  next[at_done] = tlo_add(in, step, one);
  tl_clone_block(in, &e, f->body, next);
  tl_env_deinit(&e);
  tl_op *now = tl_loop_end(b, &loop, go_on, next);
  if (now == NULL) return;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)f->op, now);
  at = n;
  for (uint32_t i = 0; i < n; i++)
    if (l->state[i]) out->stacks[i] = now->results[at++];
  out->slots = now->results[at_slots];
  out->n_kept = now->results[at_kept];
  out->stride = now->results[at_stride];
  out->done = now->results[at_done];
}

// By how many of l steps to advance before the next state is pushed, where s slots are left: the
// formula above. s = 1: to the last of them.
static tl_value advance_by(tl_builder *b, tl_value l, tl_value s) {
  tl_value one = tl_loop_i64(b, 1), zero = tl_loop_i64(b, 0);
  tl_value alone = compare(b, TL_COMPARISON_DIRECTION_LE, s, one);
  // t and b(s, t), from t = 0 on.
  tl_loop search = tlo_while_begin(b, (tl_value[]){zero, one}, 2);
  tl_builder *c = &search.cond, *d = &search.body;
  tl_value short_of = compare(c, TL_COMPARISON_DIRECTION_LT, search.x[1], l);
  tl_value go_on = tlo_binary(c, TL_OP_AND, short_of, tlo_unary(c, TL_OP_NOT, alone));
  tl_value t = tlo_add(d, search.y[0], tl_loop_i64(d, 1));
  tl_value product = tlo_mul(d, search.y[1], tlo_add(d, s, t));
  tl_value found[2];
  tlo_while_end(b, &search, go_on, (tl_value[]){t, tlo_div(d, product, t)}, found);
  // b(s, t - 1) = b(s, t) t / (s + t), and b(s - 1, t - 1) of that by s / (s + t - 1).
  tl_value s_t = tlo_add(b, s, found[0]);
  tl_value fewer = tlo_div(b, tlo_mul(b, found[1], found[0]), s_t);
  tl_value below = tlo_div(b, tlo_mul(b, fewer, s), tlo_sub(b, s_t, one));
  tl_value m = min(b, fewer, tlo_sub(b, l, below));
  return tlo_select(b, alone, tlo_sub(b, l, one), m);
}

// The state of step k: carried values as they are told from it, states as given.
static void state_at(tl_loop_back *l, tl_builder *b, tl_value k, const tl_value *states,
                     tl_value *x) {
  const tl_loop_facts *f = &l->f;
  uint32_t at = 0;
  for (uint32_t i = 0; i < f->n; i++)
    x[i] = f->invariant[i] ? l->v->in[i] : f->affine[i] ? tl_loop_affine(b, f, i, k) : states[at++];
}

// m steps of the loop from `states`, which are of step j.
static void advance(tl_loop_back *l, tl_builder *b, tl_value j, tl_value m, uint32_t n_states,
                    tl_value *states) {
  const tl_loop_facts *f = &l->f;
  tl_value *init = tl_room(b, (size_t)n_states + 1), *x = tl_room(b, f->n), *out = tl_room(b, f->n);
  if (b->error != TL_OK) return;
  init[0] = tl_loop_i64(b, 0);
  for (uint32_t i = 0; i < n_states; i++)
    init[1 + i] = states[i];
  tl_any_loop loop = tl_loop_begin(b, init, n_states + 1);
  if (b->error != TL_OK) return;
  tl_value go_on = compare(&loop.cond, TL_COMPARISON_DIRECTION_LT, loop.x[0], m);
  tl_builder *in = &loop.body;
  tl_value step = tlo_add(in, j, loop.y[0]);
  state_at(l, in, step, loop.y + 1, x);
  tl_env e = {0};
  for (uint32_t i = 0; i < f->n; i++)
    tl_env_put(in, &e, f->body->args[i], x[i]);
  if (in->error == TL_OK) tl_clone_block(in, &e, f->body, out);
  tl_env_deinit(&e);
  init[0] = tlo_add(in, loop.y[0], tl_loop_i64(in, 1));
  uint32_t at = 1;
  for (uint32_t i = 0; i < f->n; i++)
    if (l->state[i]) init[at++] = out[i];
  tl_op *now = tl_loop_end(b, &loop, go_on, init);
  for (uint32_t i = 0; now != NULL && i < n_states; i++)
    states[i] = now->results[1 + i];
}

// Where what a loop of the way back carries lies among its values.
typedef struct places {
  uint32_t k, top, steps, stacks, states, ct, sums, n;
} places;

// While the top state is of a step before k. `c` carries top, steps, stacks and states, by `p`.
static void approach(tl_loop_back *l, tl_builder *b, int64_t slots, tl_value table, tl_value k,
                     const places *p, uint32_t n_states, tl_value *c) {
  tl_value *carried = tl_room(b, p->n);
  if (b->error != TL_OK) return;
  // [step of the states, top, steps, stacks, states]
  uint32_t n = 0;
  carried[n++] = longs_get(b, c[p->steps], c[p->top]);
  carried[n++] = c[p->top];
  carried[n++] = c[p->steps];
  for (uint32_t i = 0; i < n_states; i++)
    carried[n++] = c[p->stacks + i];
  for (uint32_t i = 0; i < n_states; i++)
    carried[n++] = c[p->states + i];
  tl_any_loop loop = tl_loop_begin(b, carried, n);
  if (b->error != TL_OK) return;
  tl_value go_on = compare(&loop.cond, TL_COMPARISON_DIRECTION_LT, loop.x[0], k);
  tl_builder *in = &loop.body;
  tl_value j = loop.y[0], top = loop.y[1], one = tl_loop_i64(in, 1);
  tl_value left = tlo_add(in, tlo_sub(in, k, j), one);
  tl_value free = tlo_sub(in, tl_loop_i64(in, slots), top);
  tl_value m = advance_by(in, left, free);
  for (uint32_t i = 0; i < n_states; i++)
    carried[3 + n_states + i] = loop.y[3 + n_states + i];
  advance(l, in, j, m, n_states, carried + 3 + n_states);
  tl_value now_j = tlo_add(in, j, m), place = tlo_add(in, top, one);
  tl_value slot = longs_get(in, table, place);
  carried[0] = now_j;
  carried[1] = min(in, place, tl_loop_i64(in, slots - 1));
  carried[2] = tl_stack_set(in, loop.y[2], place, now_j);
  for (uint32_t i = 0; i < n_states; i++)
    carried[3 + i] = tl_stack_set(in, loop.y[3 + i], slot, carried[3 + n_states + i]);
  tl_op *now = tl_loop_end(b, &loop, go_on, carried);
  if (now == NULL) return;
  c[p->top] = now->results[1];
  c[p->steps] = now->results[2];
  for (uint32_t i = 0; i < n_states; i++) {
    c[p->stacks + i] = now->results[3 + i];
    c[p->states + i] = now->results[3 + n_states + i];
  }
}

void tl_loop_back_checkpointed(tl_loop_back *l, int64_t slots, tl_value *ct, tl_value *sums) {
  const tl_loop_facts *f = &l->f;
  tl_builder *b = l->v->b;
  slots = TL_MAX(slots, (int64_t)2);
  kept past = {.stacks = tl_room(b, f->n)};
  if (past.stacks == NULL) return;
  run_forward(l, slots, &past);
  uint32_t n_states = 0;
  for (uint32_t i = 0; i < f->n; i++)
    n_states += l->state[i];
  places p = {.k = 0, .top = 1, .steps = 2, .stacks = 3};
  p.ct = p.stacks + n_states;
  p.sums = p.ct + l->n_wanted;
  p.n = p.sums + l->n_free; // of the outer loop; the states are not carried from step to step
  p.states = p.n;
  tl_value *c = tl_room(b, (size_t)p.n + n_states + 4), *x = tl_room(b, f->n);
  if (b->error != TL_OK) return;
  tl_value one = tl_loop_i64(b, 1);
  c[p.k] = tlo_sub(b, past.done, one);
  c[p.top] = tlo_sub(b, past.n_kept, one);
  tl_value places_ = tlo_iota(b, longs(b, slots + 1), 0);
  tl_value strides = tlo_broadcast(b, past.stride, longs(b, slots + 1), NULL);
  c[p.steps] = tlo_mul(b, places_, strides);
  uint32_t at = p.stacks;
  for (uint32_t i = 0; i < f->n; i++)
    if (l->state[i]) c[at++] = past.stacks[i];
  for (uint32_t i = 0; i < l->n_wanted; i++)
    c[p.ct + i] = ct[i];
  for (uint32_t i = 0; i < l->n_free; i++)
    c[p.sums + i] = sums[i];
  tl_any_loop back = tl_loop_begin(b, c, p.n);
  if (b->error != TL_OK) return;
  tl_value go_on =
      compare(&back.cond, TL_COMPARISON_DIRECTION_GE, back.x[p.k], tl_loop_i64(&back.cond, 0));
  tl_builder *in = &back.body;
  memcpy(c, back.y, p.n * sizeof *c);
  tl_value k = back.y[p.k], slot = longs_get(in, past.slots, c[p.top]);
  at = 0;
  for (uint32_t i = 0; i < f->n; i++)
    if (l->state[i]) {
      c[p.states + at] = tl_stack_get(in, c[p.stacks + at], slot, f->body->args[i]->type);
      at++;
    }
  places inner = p;
  inner.n = 4 + 2 * n_states;
  approach(l, in, slots, past.slots, k, &inner, n_states, c);
  state_at(l, in, k, c + p.states, x);
  tl_loop_step_back(l, in, x, c + p.ct, c + p.sums);
  tl_value top_step = longs_get(in, c[p.steps], c[p.top]);
  tl_value used = compare(in, TL_COMPARISON_DIRECTION_EQ, top_step, k);
  c[p.top] = tlo_sub(in, c[p.top], tlo_convert(in, used, TL_DTYPE_S64));
  c[p.k] = tlo_sub(in, k, tl_loop_i64(in, 1));
  tl_op *now = tl_loop_end(b, &back, go_on, c);
  for (uint32_t i = 0; now != NULL && i < l->n_wanted; i++)
    ct[i] = now->results[p.ct + i];
  for (uint32_t i = 0; now != NULL && i < l->n_free; i++)
    sums[i] = now->results[p.sums + i];
}
