#include "cpu/plan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/lower.h"
#include "cpu/manual.h"
#include "cpu/nest.h"
#include "cpu/plan_state.h"
#include "ir/decompose.h"
#include "ref/eval.h"

// From a function to a list of steps.
//
// One walk over the ops, in order. Each op is offered to its row in lower.def; what no row takes
// runs through the reference interpreter. Calls, composites that nothing claimed, and named ops
// without a row, as their decompositions, are planned in place. Two small analyses decide what may
// be overwritten: `last_use` gives, per block, the op that uses a value last; a buffer remembers
// the block it was made in and the last use of every value that lives in it. An op may write over
// an operand when that buffer dies with it.
//
// Donation: a parameter whose alias_output is o lives in result o's memory from the start
// (tl_cpu_execute copies it there when the caller gave two places), so a chain of in-place updates
// ends where the caller wants it.

enum {
  MAX_CALL_DEPTH = 64,
  MAX_OPS = 1 << 22 // with calls expanded: a few functions that call each other twice double at
                    // every level
};

void plan_fail(planner *p, tl_status st) {
  if (p->error)
    tl_status_drop(st);
  else
    p->error = st;
}

void *plan_alloc(planner *p, size_t size, size_t align) {
  void *ptr = tl_arena_alloc(p->exe->arena, size ? size : 1, align);
  if (!ptr) plan_fail(p, TL_OOM());
  return ptr;
}

static bool grow(planner *p, void **array, uint32_t *cap, uint32_t len, size_t element) {
  if (len < *cap) return true;
  uint32_t bigger = *cap ? *cap * 2 : 64;
  void *grown = realloc(*array, bigger * element);
  if (!grown) {
    plan_fail(p, TL_OOM());
    return false;
  }
  *array = grown;
  *cap = bigger;
  return true;
}

static uint32_t add_buf(planner *p, plan_buf buf) {
  tl_cpu_exe *exe = p->exe;
  plan_state *s = state_of(p);
  if (!grow(p, (void **)&exe->bufs, &exe->cap_bufs, exe->n_bufs, sizeof *exe->bufs) ||
      !grow(p, (void **)&s->lives, &s->cap_lives, exe->n_bufs, sizeof *s->lives))
    return 0;
  buf.first = buf.last = exe->n_steps;
  s->lives[exe->n_bufs] = (buf_life){0};
  exe->bufs[exe->n_bufs] = buf;
  return exe->n_bufs++;
}

plan_view plan_room(planner *p, size_t size) {
  uint32_t b = add_buf(p, (plan_buf){.space = TL_SPACE_TEMP, .size = size, .writable = true});
  return (plan_view){.buf = b, .size = size};
}

plan_view plan_const(planner *p, const void *data, size_t size) {
  if (size == 0) data = ""; // never NULL: views add to it
  uint32_t b = add_buf(p, (plan_buf){.space = TL_SPACE_CONST, .data = data, .size = size});
  return (plan_view){.buf = b, .size = size};
}

plan_view *plan_views(planner *p, uint32_t n) {
  return plan_alloc(p, n * sizeof(plan_view), _Alignof(plan_view));
}

static uint32_t use_position(planner *p, tl_value v) {
  uintptr_t at;
  return tl_ptr_map_get(&state_of(p)->last_use, v, &at) ? (uint32_t)at : 0;
}

// Whether `block` is being planned: ops of it, or of blocks within its ops, are next.
static bool around(planner *p, const tl_block *block) {
  for (const plan_frame *f = state_of(p)->frame; f; f = f->outer)
    if (f->block == block) return true;
  return false;
}

void plan_bind(planner *p, tl_value v, plan_view view) {
  plan_view *kept = plan_alloc(p, sizeof *kept, _Alignof(plan_view));
  if (!kept) return;
  *kept = view;
  if (!tl_ptr_map_put(&p->views, v, (uintptr_t)kept)) {
    plan_fail(p, TL_OOM());
    return;
  }
  buf_life *life = &state_of(p)->lives[view.buf];
  if (!life->block) {
    life->block = v->block;
    life->last = use_position(p, v);
  } else if (life->block == v->block) {
    life->last = TL_MAX(life->last, use_position(p, v));
  } else if (!around(p, life->block)) {
    // Whoever writes cannot know who still reads. (What a block calls another name within an op of
    // its own dies with that op there.)
    p->exe->bufs[view.buf].writable = false;
  }
}

void plan_forget(planner *p, plan_view view) { state_of(p)->lives[view.buf].block = NULL; }

plan_view plan_operand(planner *p, tl_value v) {
  plan_view *view = tl_ptr_map_find(&p->views, v);
  if (!view) {
    plan_fail(p, TL_ERROR(INTERNAL, "plan: a value is used before it is defined"));
    return (plan_view){0};
  }
  plan_buf *buf = &p->exe->bufs[view->buf];
  buf->last = TL_MAX(buf->last, p->exe->n_steps);
  return *view;
}

void plan_touch(planner *p, plan_view view) {
  plan_buf *buf = &p->exe->bufs[view.buf];
  buf->last = TL_MAX(buf->last, p->exe->n_steps);
}

bool plan_known(const planner *p, tl_value v) { return tl_ptr_map_find(&p->views, v) != NULL; }

plan_view plan_temp(planner *p, tl_type type) { return plan_room(p, type_size(type)); }

plan_view plan_result(planner *p, tl_value v) {
  plan_view view = plan_room(p, type_size(v->type));
  if (!p->error) plan_bind(p, v, view);
  return view;
}

plan_view plan_operand_aligned(planner *p, tl_value v, size_t align) {
  plan_view view = plan_operand(p, v);
  if (p->error) return view;
  const plan_buf *buf = &p->exe->bufs[view.buf];
  const uintptr_t begins = buf->space == TL_SPACE_CONST ? (uintptr_t)buf->data : 0;
  if ((begins + view.offset) % align == 0) return view;
  plan_view copy = plan_room(p, view.size);
  if (!p->error) plan_copy(p, view, copy);
  p->exe->bufs[copy.buf].last = p->exe->n_steps;
  return copy;
}

uint32_t plan_position(planner *p, const tl_op *op) {
  uintptr_t at = 0;
  tl_ptr_map_get(&state_of(p)->positions, op, &at);
  return (uint32_t)at;
}

bool plan_dies(planner *p, const tl_op *op, plan_view view) {
  const buf_life *life = &state_of(p)->lives[view.buf];
  const uint32_t at = plan_position(p, op);
  return p->exe->bufs[view.buf].writable && life->block == op->block && life->last <= at;
}

plan_view plan_result_in_place(planner *p, const tl_op *op, uint32_t operand, bool elementwise) {
  plan_view view = plan_operand(p, op->operands[operand]);
  if (p->error) return view;
  bool alone = true; // nothing else that this op reads would be overwritten before it is read
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const plan_view *other = tl_ptr_map_find(&p->views, op->operands[i]);
    if (i == operand || !other || other->buf != view.buf) continue;
    alone &= elementwise && other->offset == view.offset && other->size == view.size;
  }
  if (alone && plan_dies(p, op, view) && view.size == type_size(op->results[0]->type)) {
    plan_bind(p, op->results[0], view);
    return view;
  }
  return plan_result(p, op->results[0]);
}

bool plan_may_overwrite(planner *p, const tl_op *op, const plan_view *views, const bool *same,
                        uint32_t n, uint32_t which) {
  for (uint32_t i = 0; i < n; i++)
    if (i != which && views[i].buf == views[which].buf &&
        (!same[i] || views[i].offset != views[which].offset || views[i].size != views[which].size))
      return false;
  return plan_dies(p, op, views[which]);
}

bool plan_follows(const planner *p, const tl_op *op, uint32_t grain) {
  const tl_cpu_exe *exe = p->exe;
  enum { LOOK_BACK = 16 }; // steps; further away a barrier stands between them anyhow
  for (uint32_t n = exe->n_steps; n > 0 && exe->n_steps - n < LOOK_BACK; n--) {
    const plan_step *s = &exe->steps[n - 1];
    if (s->kind != TL_STEP_RUN) return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const plan_view *v = tl_ptr_map_find(&p->views, op->operands[i]);
      for (uint32_t o = 0; v && o < s->n_out; o++)
        if (s->out[o].buf == v->buf)
          return s->parallel && s->out[o].grain == grain && s->out[o].run == 0 &&
                 s->out[o].offset == v->offset && s->out[o].size == v->size;
    }
  }
  return false;
}

plan_step *plan_add_step(planner *p, const tl_op *op, const char *what, plan_fn run) {
  tl_cpu_exe *exe = p->exe;
  if (p->error || !grow(p, (void **)&exe->steps, &exe->cap_steps, exe->n_steps, sizeof *exe->steps))
    return NULL;
  plan_step *s = &exe->steps[exe->n_steps++];
  *s = (plan_step){.kind = TL_STEP_RUN, .what = what, .op = op, .run = run};
  return s;
}

// --- interpreted ops ---

void plan_step_ends(const plan_step *s, plan_exec *x, tl_status st) {
  if (!st) return;
  const tl_loc loc = s->op->loc;
  if (loc.line != 0)
    st = tl_status_note(st, "%s:%u:%u", loc.file ? loc.file : "module", loc.line, loc.col);
  if (x->exe->status)
    tl_status_drop(st);
  else
    x->exe->status = st;
  atomic_store(&x->exe->failed, true);
}

bool plan_has_failed(const plan_exec *x) { return atomic_load(&x->exe->failed); }

void plan_run_interpreted(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  // What failed gives nothing to go on with; and other processes are not to be met any more.
  if (plan_has_failed(x)) return;
  tl_arena *a = x->exe->interpreter;
  tl_arena_point mark = tl_arena_mark(a);
  tl_tensor *t = TL_NEW(a, tl_tensor, s->n_in + s->n_out + 1);
  tl_status st = t ? TL_OK : TL_OOM();
  if (t) {
    for (uint32_t i = 0; i < s->n_in; i++)
      t[i] = (tl_tensor){s->op->operands[i]->type, step_in(s, x, i)};
    for (uint32_t i = 0; i < s->n_out; i++)
      t[s->n_in + i] = (tl_tensor){s->op->results[i]->type, step_out(s, x, i)};
    st = tl_ref_eval_op_in(&x->exe->context, s->op, t, t + s->n_in, a);
  }
  tl_arena_rewind(a, mark);
  plan_step_ends(s, x, st);
}

// Whether a block uses a value that is defined neither in it nor in a region inside it.
static bool captures(const tl_block *block, const tl_block *outermost) {
  for (const tl_op *op = block->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const tl_block *b = op->operands[i]->block;
      while (b && b != outermost)
        b = b->parent ? b->parent->block : NULL;
      if (!b) return true;
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (captures(op->regions[r], outermost)) return true;
  }
  return false;
}

static void plan_interpreted(planner *p, const tl_op *op) {
  for (uint32_t r = 0; r < op->n_regions; r++)
    if (captures(op->regions[r], op->regions[r])) {
      plan_fail(p, TL_ERROR(UNIMPLEMENTED,
                            "%s: its region uses a value from around it; wanted one that takes all "
                            "that it needs as operands",
                            tl_op_get(op->code)->mnemonic));
      return;
    }
  plan_view *in = plan_views(p, op->n_operands), *out = plan_views(p, op->n_results);
  for (uint32_t i = 0; !p->error && i < op->n_operands; i++)
    in[i] = plan_operand(p, op->operands[i]);
  for (uint32_t i = 0; !p->error && i < op->n_results; i++)
    out[i] = plan_result(p, op->results[i]);
  plan_step *s = plan_add_step(p, op, "interpreted", plan_run_interpreted);
  if (!s) return;
  s->interpreted = true;
  s->in = in, s->n_in = op->n_operands;
  s->out = out, s->n_out = op->n_results;
  p->exe->n_interpreted++;
}

// --- copies ---

enum { COPY_GRAIN = 4096, COPY_PARALLEL = 65536 }; // bytes

static void run_copy(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  size_t from, to;
  tl_pool_range(s->in[0].size, COPY_GRAIN, part, n_parts, &from, &to);
  if (from < to)
    memmove((char *)step_out(s, x, 0) + from, (char *)step_in(s, x, 0) + from, to - from);
}

void plan_copy(planner *p, plan_view from, plan_view to) {
  plan_view *v = plan_views(p, 2);
  if (!v) return;
  from.grain = to.grain = COPY_GRAIN;
  v[0] = from, v[1] = to;
  plan_buf *bufs = p->exe->bufs;
  bufs[from.buf].last = TL_MAX(bufs[from.buf].last, p->exe->n_steps);
  bufs[to.buf].last = TL_MAX(bufs[to.buf].last, p->exe->n_steps);
  plan_step *s = plan_add_step(p, NULL, "copy", run_copy);
  if (!s) return;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = 1;
  s->parallel = plan_worth(p, from.size, COPY_PARALLEL);
}

// --- calls ---

// The op becomes the body of `callee`, in place.
static void plan_body(planner *p, const tl_op *op, const tl_func *callee) {
  if (p->depth == MAX_CALL_DEPTH) {
    plan_fail(p, TL_ERROR(UNIMPLEMENTED, "call: nested deeper than %d", MAX_CALL_DEPTH));
    return;
  }
  p->depth++;
  for (uint32_t i = 0; !p->error && i < op->n_operands; i++) {
    plan_view v = plan_operand(p, op->operands[i]);
    if (!p->error) plan_bind(p, callee->body->args[i], v);
  }
  plan_enter(p, callee->body);
  plan_ops(p, callee->body);
  plan_view *v = plan_views(p, op->n_results);
  for (uint32_t i = 0; !p->error && i < op->n_results; i++) {
    v[i] = plan_operand(p, callee->body->last->operands[i]);
    // What was made in there has values of this block from now on.
    if (!p->error && state_of(p)->lives[v[i].buf].block == callee->body) plan_forget(p, v[i]);
  }
  for (uint32_t i = 0; !p->error && i < op->n_results; i++)
    plan_bind(p, op->results[i], v[i]);
  p->depth--;
}

// A named op that means its decomposition, and that no kernel claims, is planned as that. One that
// has a meaning of its own runs as that: a step rather than hundreds, and the same bits.
static const bool decomposed[TL_OP_COUNT] = {
#define TL_DECOMPOSED(id) [TL_OP_##id] = true,
#include "ref/decomposed.def"
};

// Of many elements the hundreds of ops are nests that run over vectors and on all threads. But the
// gamma functions choose among series, of which a nest computes all.
enum { WORTH_NESTS = 2048 };
static bool elementwise_worth(const tl_op *op) {
  const uint32_t both = TL_NAMED | TL_ELEMWISE;
  switch (op->code) {
  case TL_OP_LGAMMA:
  case TL_OP_DIGAMMA:
  case TL_OP_TRIGAMMA:
  case TL_OP_POLYGAMMA:
  case TL_OP_ZETA:
    return false;
  default:
    return (tl_op_get(op->code)->traits & both) == both &&
           type_count(op->results[0]->type) >= WORTH_NESTS;
  }
}

// Of some, what their state slots say is looked at first, as the interpreter does.
typedef tl_status operand_check(tl_ref_call *c);
static operand_check *const checks[TL_OP_COUNT] = {
#define TL_DECOMPOSED_CHECKED(id, check) [TL_OP_##id] = check,
#include "ref/decomposed.def"
};

static bool is_checked(const tl_op *op, uint32_t i) { // slots and positions
  return tl_dtype_get(op->operands[i]->type.dtype)->kind == TL_KIND_INT;
}

static void run_operand_check(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  if (plan_has_failed(x)) return;
  tl_arena *a = x->exe->interpreter;
  tl_arena_point mark = tl_arena_mark(a);
  const tl_op *op = s->op;
  tl_tensor *in = TL_NEW(a, tl_tensor, op->n_operands + 1);
  tl_status st = in ? TL_OK : TL_OOM();
  for (uint32_t i = 0, k = 0; in && i < op->n_operands; i++)
    in[i] = (tl_tensor){op->operands[i]->type, is_checked(op, i) ? step_in(s, x, k++) : NULL};
  if (!st) st = checks[op->code](&(tl_ref_call){.op = op, .in = in, .scratch = a});
  tl_arena_rewind(a, mark);
  plan_step_ends(s, x, st);
}

static void plan_operand_check(planner *p, const tl_op *op) {
  plan_view *v = plan_views(p, op->n_operands);
  uint32_t n = 0;
  for (uint32_t i = 0; !p->error && i < op->n_operands; i++)
    if (is_checked(op, i)) v[n++] = plan_operand(p, op->operands[i]);
  if (p->error) return;
  plan_step *s = plan_add_step(p, op, "check slots", run_operand_check);
  if (!s) return;
  s->in = v, s->n_in = n;
}

static void plan_decomposed(planner *p, const tl_op *op) {
  tl_cpu_exe *exe = p->exe;
  if (checks[op->code]) plan_operand_check(p, op);
  if (exe->bodies == NULL) exe->bodies = tl_module_create();
  tl_func *fn = NULL;
  char name[16];
  if (exe->bodies == NULL) {
    plan_fail(p, TL_OOM());
    return;
  }
  snprintf(name, sizeof name, "b%u", exe->bodies->n_funcs);
  tl_status st = tl_decompose_func(exe->bodies, op, name, &fn);
  if (st)
    plan_fail(p, st);
  else
    plan_body(p, op, fn);
}

static void plan_call(planner *p, const tl_op *op) {
  const bool composite = op->code == TL_OP_COMPOSITE;
  tl_str name = tl_op_str(op, composite ? TL_A_COMPOSITE_decomposition : TL_A_CALL_callee);
  const tl_func *callee = tl_module_find(p->exe->module, name);
  if (!callee)
    plan_fail(p, TL_ERROR(INVALID_ARGUMENT, "call: no function @" TL_STR_FMT, TL_STR_ARG(name)));
  else
    plan_body(p, op, callee);
}

// --- the walk ---

static void note_uses(planner *p, const tl_op *op, const tl_block *block, uint32_t position) {
  plan_state *s = state_of(p);
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i]->block == block &&
        !tl_ptr_map_put(&s->last_use, op->operands[i],
                        TL_MAX(position, use_position(p, op->operands[i])))) {
      plan_fail(p, TL_OOM());
      return;
    }
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *inner = op->regions[r]->first; inner; inner = inner->next)
      note_uses(p, inner, block, position);
}

void plan_enter(planner *p, const tl_block *block) {
  uint32_t position = 0;
  for (const tl_op *op = p->error ? NULL : block->first; op && !p->error; op = op->next)
    if (!tl_ptr_map_put(&state_of(p)->positions, op, ++position)) plan_fail(p, TL_OOM());
  if (p->error) return;
  tl_status st = fuse_block(p, block);
  if (st) {
    plan_fail(p, st);
    return;
  }
  position = 0;
  for (const tl_op *op = block->first; op && !p->error; op = op->next) {
    position++;
    // A callee is planned once for each call: what it had in memory then is not known now.
    if (op->n_results == 1 && plan_known(p, op->results[0]) &&
        !tl_ptr_map_put(&p->views, op->results[0], 0))
      plan_fail(p, TL_OOM());
    note_uses(p, op, block, fuse_evaluated_at(p, op, position));
  }
}

void plan_op(planner *p, const tl_op *op) {
  const lower_fn lower = plan_lowering(op->code), loop = plan_looping(op->code);
  const bool inlined = fuse_has_inlined_operand(p, op);
  if (!inlined && lower && lower(p, op)) return;
  if (loop && loop(p, op)) return;
  for (uint32_t i = 0; inlined && i < op->n_operands; i++)
    plan_ensure(p, op->operands[i]);
  if (p->error || (inlined && lower && lower(p, op))) return;
  if (decomposed[op->code] || elementwise_worth(op))
    plan_decomposed(p, op);
  else
    plan_interpreted(p, op);
}

void plan_ensure(planner *p, tl_value v) {
  if (p->error || !v->op || plan_known(p, v) || !fuse_inlined(p, v->op)) return;
  if (tl_ptr_map_put(&state_of(p)->inlined, v->op, false))
    plan_op(p, v->op);
  else
    plan_fail(p, TL_OOM());
}

static void plan_each(planner *p, const tl_block *block) {
  for (const tl_op *op = block->first; op && !p->error; op = op->next) {
    if (++p->n_ops > MAX_OPS) {
      plan_fail(p, TL_ERROR(RESOURCE_EXHAUSTED, "the program's calls expand to more than %d ops",
                            MAX_OPS));
      return;
    }
    switch (op->code) {
    case TL_OP_RETURN:
      return;
    case TL_OP_WHILE:
      plan_while(p, op);
      break;
    case TL_OP_IF:
    case TL_OP_CASE:
      plan_switch(p, op);
      break;
    case TL_OP_CALL:
    case TL_OP_COMPOSITE:
      plan_call(p, op);
      break;
    case TL_OP_MANUAL_COMPUTATION:
      if (!plan_manual_computation(p, op)) plan_op(p, op);
      break;
    default:
      if (!fuse_inlined(p, op)) plan_op(p, op);
    }
  }
}

void plan_ops(planner *p, const tl_block *block) {
  plan_state *s = state_of(p);
  const plan_frame frame = {block, s->frame};
  s->frame = &frame;
  plan_each(p, block);
  s->frame = frame.outer;
}

lower_fn plan_lowering(tl_opcode code) {
  static const lower_fn table[TL_OP_COUNT] = {
#define TL_LOWER(op, name) [TL_OP_##op] = lower_##name,
#include "cpu/lower.def"
  };
  return table[code];
}

lower_fn plan_looping(tl_opcode code) {
  static const lower_fn table[TL_OP_COUNT] = {
#define TL_LOOP(op, name) [TL_OP_##op] = lower_##name,
#include "cpu/lower.def"
  };
  return table[code];
}

const char *plan_reason(tl_opcode code) {
  static const char *const table[TL_OP_COUNT] = {
#define TL_INTERPRETED(op, reason) [TL_OP_##op] = reason,
#include "cpu/lower.def"
  };
  return table[code];
}

static void plan_results(planner *p, const tl_func *fn) {
  tl_cpu_exe *exe = p->exe;
  const tl_op *ret = fn->body->last;
  // Whether a parameter lives in this result's memory.
  bool *donated = plan_alloc(p, fn->n_results * sizeof *donated, 1);
  plan_view *from = plan_views(p, fn->n_results + 1);
  if (p->error) return;
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    if (fn->args[i].alias_output >= 0) donated[fn->args[i].alias_output] = true;
  for (uint32_t o = 0; o < fn->n_results && !p->error; o++)
    from[o] = plan_operand(p, ret->operands[o]);
  // What another result's memory holds is fetched before anything is written.
  for (uint32_t o = 0; o < fn->n_results && !p->error; o++) {
    const plan_buf *b = &exe->bufs[from[o].buf];
    if (b->space != TL_SPACE_OUTPUT || b->index == o) continue;
    plan_view staged = plan_room(p, from[o].size);
    if (!p->error) plan_copy(p, from[o], staged);
    from[o] = staged;
  }
  for (uint32_t o = 0; o < fn->n_results && !p->error; o++) {
    plan_buf *b = &exe->bufs[from[o].buf];
    if (b->space == TL_SPACE_OUTPUT && b->index == o && from[o].offset == 0) continue;
    if (b->space == TL_SPACE_TEMP && !donated[o] && from[o].offset == 0 &&
        b->size == from[o].size) {
      b->space = TL_SPACE_OUTPUT; // made where the caller wants it
      b->index = o;
      continue;
    }
    uint32_t to =
        add_buf(p, (plan_buf){.space = TL_SPACE_OUTPUT, .index = o, .size = from[o].size});
    if (!p->error) plan_copy(p, from[o], (plan_view){.buf = to, .size = from[o].size});
  }
}

tl_status plan_function(tl_cpu_exe *exe) {
  plan_state state = {.p = {.exe = exe}};
  planner *p = &state.p;
  const tl_func *fn = exe->func;
  plan_enter(p, fn->body); // last uses of the parameters must be known when they are bound
  for (uint32_t i = 0; i < fn->body->n_args && !p->error; i++) {
    tl_value arg = fn->body->args[i];
    const int32_t alias = fn->args[i].alias_output;
    const size_t size = type_size(arg->type);
    plan_buf buf = alias >= 0 ? (plan_buf){.space = TL_SPACE_OUTPUT,
                                           .index = (uint32_t)alias,
                                           .size = size,
                                           .writable = true}
                              : (plan_buf){.space = TL_SPACE_INPUT, .index = i, .size = size};
    uint32_t b = add_buf(p, buf);
    if (!p->error) plan_bind(p, arg, (plan_view){.buf = b, .size = size});
  }
  plan_ops(p, fn->body);
  if (!p->error) plan_results(p, fn);
  tl_ptr_map_deinit(&p->views);
  tl_ptr_map_deinit(&state.last_use);
  tl_ptr_map_deinit(&state.positions);
  tl_ptr_map_deinit(&state.inlined);
  tl_ptr_map_deinit(&state.evaluated);
  free(state.lives);
  return p->error;
}
