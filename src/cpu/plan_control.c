// Loops and branches: which memory their values live in. docs/design/loop-buffers.md.
//
// What a loop carries lives in one buffer, the *home*, from before the loop until its result dies:
// the body's arguments, what the body returns, the condition's arguments and the loop's results are
// names for it. A home is
//
//     the operand's own memory, read only,  where the body hands the value on as it is
//     the operand's own memory              where that dies with the loop and may be written
//     memory of its own                     else: the operand is copied there once
//
// In the body a home is as writable as any temporary: an op that uses the argument last may write
// over it (plan_dies), so an update of a carried stack touches what it writes. What the body
// returns and lies elsewhere is brought home at the end of the body (settle): made there to begin
// with where nothing touches the home meanwhile, else copied, in an order in which nothing is
// written over before it is read; only values that change places need one copy more.
//
// A branch's results have homes as well: where branches hand on, or update, a value from around
// them that dies with the branch, that value's memory.
#include "cpu/nest.h"
#include "cpu/plan_state.h"

typedef struct home {
  plan_view view;
  bool writable; // ours: the values around do not have it any more
} home;

static bool is_whole(const planner *p, plan_view v) {
  return v.offset == 0 && v.size == p->exe->bufs[v.buf].size;
}

// Values that a range of steps [from, now) uses, and that were there before it, live to its end:
// the range may repeat.
static void keep_alive(planner *p, uint32_t from) {
  tl_cpu_exe *exe = p->exe;
  for (uint32_t i = 0; i < exe->n_bufs; i++)
    if (exe->bufs[i].first <= from && exe->bufs[i].last >= from) exe->bufs[i].last = exe->n_steps;
}

static buf_life *life_of(planner *p, uint32_t buf) { return &state_of(p)->lives[buf]; }

static tl_value_def several;

// By which value the regions of `op` read each buffer from around them: lives[].reader, `several`
// where it has more names than one. `clear` takes the notes back.
static void note_readers(planner *p, const tl_op *op, bool clear) {
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *o = op->regions[r]->first; o; o = o->next) {
      for (uint32_t i = 0; i < o->n_operands; i++) {
        const plan_view *v = tl_ptr_map_find(&p->views, o->operands[i]);
        if (!v) continue;
        tl_value *reader = &life_of(p, v->buf)->reader;
        const bool other = *reader && *reader != o->operands[i];
        *reader = clear ? NULL : other ? &several : o->operands[i];
      }
      note_readers(p, o, clear);
    }
}

// --- bringing values home -----------------------------------------------------------------------

typedef struct trip { // of value i
  uint32_t touched;   // the last step that touches its home, counted from 1
  uint32_t readers;   // others that are still in its home
  bool done;
} trip;

// lives[].home: which value's home a buffer is, counted from 1.
static void mark_homes(planner *p, const home *homes, uint32_t n, bool clear) {
  for (uint32_t i = 0; i < n; i++)
    life_of(p, homes[i].view.buf)->home = clear ? 0 : i + 1;
}

static trip *trip_at(planner *p, trip *trips, plan_view v) { // to whose home v is, or NULL
  const uint32_t number = life_of(p, v.buf)->home;
  return number ? &trips[number - 1] : NULL;
}

static void note_touches(planner *p, trip *trips, uint32_t begin) {
  for (uint32_t i = begin; i < p->exe->n_steps; i++) {
    const plan_step *s = &p->exe->steps[i];
    for (uint32_t k = 0; k < s->n_in + s->n_out; k++) {
      trip *t = trip_at(p, trips, k < s->n_in ? s->in[k] : s->out[k - s->n_in]);
      if (t) t->touched = i + 1;
    }
  }
}

// Whether from[i], which the block made, may lie where it goes all its life.
static bool may_be_made_at_home(planner *p, const home *h, plan_view from, trip *trips,
                                const trip *t, uint32_t begin) {
  const plan_buf *b = &p->exe->bufs[from.buf];
  return h->writable && is_whole(p, h->view) && is_whole(p, from) && from.size > 0 &&
         !trip_at(p, trips, from) && t->readers == 0 && b->space == TL_SPACE_TEMP &&
         b->first >= begin && t->touched <= b->first;
}

static void rename_views(planner *p, plan_view *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t to = life_of(p, v[i].buf)->renamed;
    if (to) v[i].buf = to - 1;
  }
}

static void make_at_home(planner *p, const home *homes, plan_view *from, trip *trips, uint32_t n,
                         uint32_t begin) {
  tl_cpu_exe *exe = p->exe;
  uint32_t made = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (life_of(p, from[i].buf)->renamed ||
        !may_be_made_at_home(p, &homes[i], from[i], trips, &trips[i], begin))
      continue;
    life_of(p, from[i].buf)->renamed = homes[i].view.buf + 1;
    exe->bufs[from[i].buf].size = 0;
    made++;
  }
  for (uint32_t i = begin; made && i < exe->n_steps; i++) {
    rename_views(p, exe->steps[i].in, exe->steps[i].n_in);
    rename_views(p, exe->steps[i].out, exe->steps[i].n_out);
  }
  if (made) rename_views(p, from, n);
}

static void count_readers(planner *p, const plan_view *from, trip *trips, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    trips[i].readers = 0;
  for (uint32_t i = 0; i < n; i++) {
    trip *t = trip_at(p, trips, from[i]);
    if (t && t != &trips[i]) t->readers++;
  }
}

// Brings value i home, and then those whose homes are free by that.
static uint32_t travel(planner *p, const home *homes, const plan_view *from, trip *trips,
                       uint32_t i) {
  uint32_t n = 0;
  for (;;) {
    plan_copy(p, from[i], homes[i].view);
    trips[i].done = true;
    n++;
    trip *t = trip_at(p, trips, from[i]);
    if (!t || --t->readers > 0 || t->done) return n;
    i = (uint32_t)(t - trips);
  }
}

// from[i] to homes[i], all at once: the end of a block that began with step `begin`.
static void settle(planner *p, const home *homes, plan_view *from, uint32_t n, uint32_t begin) {
  trip *trips = plan_alloc(p, n * sizeof *trips, _Alignof(trip));
  if (p->error) return;
  mark_homes(p, homes, n, false);
  note_touches(p, trips, begin);
  count_readers(p, from, trips, n);
  make_at_home(p, homes, from, trips, n, begin);
  count_readers(p, from, trips, n);
  uint32_t left = n;
  for (uint32_t i = 0; i < n; i++) {
    const plan_view to = homes[i].view;
    trips[i].done = to.size == 0 || (from[i].buf == to.buf && from[i].offset == to.offset);
    left -= trips[i].done;
  }
  for (uint32_t i = 0; i < n && !p->error; i++)
    if (!trips[i].done && trips[i].readers == 0) left -= travel(p, homes, from, trips, i);
  // The others change places, in rings: what stands in one home of each is kept aside.
  for (uint32_t i = 0; i < n && left > 0 && !p->error; i++) {
    if (trips[i].done) continue;
    const uint32_t buf = homes[i].view.buf;
    const plan_view whole = {.buf = buf, .size = p->exe->bufs[buf].size},
                    aside = plan_room(p, whole.size);
    if (p->error) break;
    plan_copy(p, whole, aside);
    for (uint32_t k = 0; k < n; k++)
      if (!trips[k].done && from[k].buf == buf) from[k].buf = aside.buf;
    trips[i].readers = 0;
    left -= travel(p, homes, from, trips, i);
  }
  mark_homes(p, homes, n, true);
}

static plan_view *returned(planner *p, const tl_block *block, uint32_t n) {
  plan_view *v = plan_views(p, n);
  for (uint32_t i = 0; !p->error && i < n; i++)
    v[i] = plan_operand(p, block->last->operands[i]);
  return v;
}

// The homes belong to values of another block from now on.
static void hand_over(planner *p, const home *homes, uint32_t n, bool writable) {
  for (uint32_t i = 0; i < n; i++) {
    if (!homes[i].writable) continue;
    plan_forget(p, homes[i].view);
    p->exe->bufs[homes[i].view.buf].writable = writable;
  }
}

static void bind_all(planner *p, const tl_value *values, const home *homes, uint32_t n) {
  for (uint32_t i = 0; !p->error && i < n; i++)
    plan_bind(p, values[i], homes[i].view);
}

static void end_homes(planner *p, const tl_op *op, const home *homes, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    plan_touch(p, homes[i].view);
  hand_over(p, homes, n, true);
  bind_all(p, op->results, homes, n);
}

// --- loops --------------------------------------------------------------------------------------

static home *loop_homes(planner *p, const tl_op *op) {
  const uint32_t n = op->n_operands;
  const tl_block *body = op->regions[1];
  home *homes = plan_alloc(p, n * sizeof *homes, _Alignof(home));
  plan_view *from = plan_views(p, n);
  for (uint32_t i = 0; !p->error && i < n; i++)
    from[i] = plan_operand(p, op->operands[i]);
  if (p->error) return NULL;
  note_readers(p, op, false);
  for (uint32_t i = 0; i < n; i++)
    life_of(p, from[i].buf)->home++; // how many operands lie there
  for (uint32_t i = 0; !p->error && i < n; i++) {
    homes[i].view = from[i];
    if (body->last->operands[i] == body->args[i]) continue;
    homes[i].writable = true;
    const buf_life *life = life_of(p, from[i].buf);
    if (from[i].size > 0 && is_whole(p, from[i]) && plan_dies(p, op, from[i]) && life->home == 1 &&
        !life->reader)
      continue;
    homes[i].view = plan_room(p, from[i].size);
    if (!p->error && from[i].size > 0) plan_copy(p, from[i], homes[i].view);
  }
  for (uint32_t i = 0; i < n; i++)
    life_of(p, from[i].buf)->home = 0;
  note_readers(p, op, true);
  return homes;
}

void plan_while(planner *p, const tl_op *op) {
  const uint32_t n = op->n_operands;
  const tl_block *cond = op->regions[0], *loop = op->regions[1];
  home *homes = loop_homes(p, op);
  plan_view *pred = plan_views(p, 1);
  uint32_t *body = plan_alloc(p, 3 * sizeof *body, _Alignof(uint32_t));
  if (p->error) return;
  const uint32_t at = p->exe->n_steps;
  if (!plan_add_step(p, op, "while", NULL)) return;
  body[0] = p->exe->n_steps;
  plan_enter(p, cond);
  hand_over(p, homes, n, false); // the body wants them as they are
  bind_all(p, cond->args, homes, n);
  plan_ops(p, cond);
  if (p->error) return;
  pred[0] = plan_operand(p, cond->last->operands[0]);
  body[1] = p->exe->n_steps;
  plan_enter(p, loop);
  hand_over(p, homes, n, true);
  bind_all(p, loop->args, homes, n);
  plan_ops(p, loop);
  plan_view *next = returned(p, loop, n);
  if (!p->error) settle(p, homes, next, n, body[1]);
  if (p->error) return;
  body[2] = p->exe->n_steps;
  plan_touch(p, pred[0]);
  plan_step *s = &p->exe->steps[at];
  s->kind = TL_STEP_WHILE;
  s->in = pred, s->n_in = 1;
  s->body = body, s->n_body = 2;
  end_homes(p, op, homes, n);
  keep_alive(p, at);
}

// --- branches -----------------------------------------------------------------------------------

static bool is_inside(const tl_op *op, const tl_block *block) {
  for (; block; block = block->parent ? block->parent->block : NULL)
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (op->regions[r] == block) return true;
  return false;
}

// The value from around `op` that becomes `v`, the result of a branch, by updates alone; or NULL.
static tl_value updated(const tl_op *op, tl_value v) {
  while (is_inside(op, v->block)) {
    if (!v->op) return NULL;
    switch (v->op->code) {
    case TL_OP_DYNAMIC_UPDATE_SLICE:
    case TL_OP_SCATTER:
      v = v->op->operands[0];
      break;
    case TL_OP_WHILE:
      v = v->op->operands[v->index];
      break;
    default:
      return NULL;
    }
  }
  return v;
}

// A value from around `op` in whose memory result i may lie, in all branches; or NULL.
static tl_value lends_memory(planner *p, const tl_op *op, uint32_t i) {
  for (uint32_t r = 0; r < op->n_regions; r++) {
    const tl_value x = updated(op, op->regions[r]->last->operands[i]);
    const plan_view *v = x ? tl_ptr_map_find(&p->views, x) : NULL;
    if (!v || v->size == 0 || v->size != type_size(op->results[i]->type)) continue;
    const buf_life *life = life_of(p, v->buf);
    if (x != op->operands[0] && is_whole(p, *v) && life->reader == x && !life->home &&
        plan_dies(p, op, *v))
      return x;
  }
  return NULL;
}

static bool uses(const tl_op *op, tl_value v) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i] == v) return true;
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *o = op->regions[r]->first; o; o = o->next)
      if (uses(o, v)) return true;
  return false;
}

// `v`, a value from around the branch, lives in it as one of its own.
static void enter_branch(planner *p, const tl_block *branch, tl_value v, plan_view view) {
  uint32_t position = 0, last = 0;
  for (const tl_op *op = branch->first; op; op = op->next) {
    position++;
    if (uses(op, v)) last = TL_MAX(last, fuse_evaluated_at(p, op, position));
  }
  life_of(p, view.buf)->block = branch;
  life_of(p, view.buf)->last = last;
  p->exe->bufs[view.buf].writable = true;
}

// Also says which of them are lent, by whom.
static home *branch_homes(planner *p, const tl_op *op, tl_value *lent) {
  const uint32_t n = op->n_results;
  home *homes = plan_alloc(p, n * sizeof *homes, _Alignof(home));
  if (p->error) return NULL;
  note_readers(p, op, false);
  for (uint32_t i = 0; i < n && !p->error; i++) {
    lent[i] = lends_memory(p, op, i);
    homes[i].writable = true;
    homes[i].view =
        lent[i] ? plan_operand(p, lent[i]) : plan_room(p, type_size(op->results[i]->type));
    life_of(p, homes[i].view.buf)->home = 1;
  }
  for (uint32_t i = 0; i < n && !p->error; i++)
    life_of(p, homes[i].view.buf)->home = 0;
  note_readers(p, op, true);
  return homes;
}

void plan_switch(planner *p, const tl_op *op) {
  const uint32_t n = op->n_results, branches = op->n_regions;
  tl_value *lent = plan_alloc(p, n * sizeof *lent, _Alignof(tl_value));
  plan_view *index = plan_views(p, 1);
  uint32_t *body = plan_alloc(p, (branches + 1) * sizeof *body, _Alignof(uint32_t));
  if (p->error) return;
  index[0] = plan_operand(p, op->operands[0]);
  home *homes = branch_homes(p, op, lent);
  if (p->error) return;
  const uint32_t at = p->exe->n_steps;
  if (!plan_add_step(p, op, tl_op_get(op->code)->mnemonic, NULL)) return;
  for (uint32_t r = 0; r < branches && !p->error; r++) {
    const tl_block *branch = op->regions[r];
    body[r] = p->exe->n_steps;
    plan_enter(p, branch);
    for (uint32_t i = 0; i < n && !p->error; i++)
      if (lent[i]) enter_branch(p, branch, lent[i], homes[i].view);
    plan_ops(p, branch);
    plan_view *results = returned(p, branch, n);
    if (!p->error) settle(p, homes, results, n, body[r]);
  }
  if (p->error) return;
  body[branches] = p->exe->n_steps;
  plan_step *s = &p->exe->steps[at];
  s->kind = TL_STEP_SWITCH;
  s->in = index, s->n_in = 1;
  s->body = body, s->n_body = branches;
  end_homes(p, op, homes, n);
  keep_alive(p, at);
}

// --- alone --------------------------------------------------------------------------------------

void plan_alone(tl_cpu_exe *exe) {
  for (uint32_t at = exe->n_steps; at-- > 0;) {
    plan_step *s = &exe->steps[at];
    if (s->kind == TL_STEP_RUN) continue;
    s->alone = true;
    for (uint32_t i = at + 1; i < s->body[s->n_body] && s->alone; i++)
      s->alone = !exe->steps[i].parallel;
  }
}
