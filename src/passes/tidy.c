// Cleaning up after a transform: what is equal becomes one, what is dead goes, in place.
//
// Rules emit what reads best and leave the rest to this: a cotangent nobody asked for is an op
// nobody uses. Liveness is a walk from the end, in which a loop carries a value only where its
// result is used, its condition reads it, or a value that is carried does; a value that a loop
// hands on unchanged is read from outside instead.
#include "passes/tidy.h"

#include <stdlib.h>

#include "base/hash.h"
#include "ir/ptr_map.h"
#include "passes/effects.h"

typedef struct tl_hidden {
  uint32_t slot, op;
} tl_hidden;

// Values are numbered first, so that what is known of them lies in the order of the walks.
typedef struct tidy {
  const tl_module *m;
  tl_effects fx; // found when an op is met that may have some by its regions or callees
  bool found;
  bool *live;     // [values]
  tl_value *same; // [values] the value in its place, or NULL
  tl_value *twin; // [values] of one in a region that was compared: its like in the other
  // Ops by their hash, of each hash the last one that is in sight: [mask + 1], at most half full.
  struct {
    uint32_t hash, op; // op: its place in ops, counted from 1; 0: no hash; UINT32_MAX: out of sight
  } *seen;
  const tl_op **ops; // [values]
  tl_hidden *hidden; // [values] what stood in seen before each of ops
  uint32_t mask, n_ops, n_scopes;
  bool oom;
} tidy;

static tl_value resolve(const tidy *t, tl_value v) {
  while (t->same[v->id] != NULL)
    v = t->same[v->id];
  return v;
}

static bool is_live(const tidy *t, tl_value v) { return t->live[v->id]; }

static bool has_effects(tidy *t, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  if ((info->traits & TL_EFFECT) != 0) return true;
  bool may = op->n_regions != 0;
  for (uint32_t i = 0; i < info->n_attrs && !may; i++) {
    uint32_t n;
    (void)tl_op_symbols(op, i, &n);
    may = n != 0;
  }
  if (!may) return false;
  if (!t->found) {
    tl_status st = tl_effects_find(t->m, &t->fx);
    t->oom |= st != TL_OK;
    tl_status_drop(st);
    t->found = true;
  }
  return tl_op_has_effects(&t->fx, op);
}

// --- Equal ops ----------------------------------------------------------------------------------

static uint64_t mix(uint64_t h, uint64_t with) {
  uint64_t both[2] = {h, with};
  return tl_hash64(both, sizeof both);
}

static uint64_t hash(const tl_op *op) {
  uint64_t h = mix(op->code, op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    h = mix(h, op->operands[i]->id);
  for (uint32_t k = 0; k < op->n_results; k++) {
    tl_type type = op->results[k]->type;
    h = mix(mix(h, type.dtype), tl_hash64(type.dims, type.rank * sizeof *type.dims));
  }
  // Numbers and lists tell slices and sizes of one value apart; equal() sees to the rest.
  const tl_op_info *info = tl_op_get(op->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr *a = &op->attrs[i];
    switch (tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind) {
    case TL_AK_I64:
      h = mix(h, (uint64_t)a->i64);
      break;
    case TL_AK_I64S:
    case TL_AK_PAIRS:
      h = mix(h, a->list.len == 0 ? 0 : tl_hash64(a->list.ptr, a->list.len * sizeof *a->list.ptr));
      break;
    default:
      break;
    }
  }
  if (op->code == TL_OP_CONSTANT) {
    const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
    h = mix(mix(h, l->size), tl_hash64(l->data, TL_MIN(l->size, (size_t)4096)));
  }
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *o = op->regions[r]->first; o != NULL; o = o->next)
      h = mix(h, o->code);
  return h;
}

static bool equal_blocks(const tidy *t, const tl_block *a, const tl_block *b);

// One value, or each other's like in two regions.
static bool equal_values(const tidy *t, tl_value a, tl_value b) {
  return a == b || t->twin[a->id] == b;
}

static bool equal(const tidy *t, const tl_op *a, const tl_op *b) {
  if (a->code != b->code || a->n_operands != b->n_operands || a->n_results != b->n_results ||
      a->n_regions != b->n_regions)
    return false;
  for (uint32_t i = 0; i < a->n_operands; i++)
    if (!equal_values(t, a->operands[i], b->operands[i])) return false;
  for (uint32_t r = 0; r < a->n_regions; r++)
    if (!equal_blocks(t, a->regions[r], b->regions[r])) return false;
  for (uint32_t k = 0; k < a->n_results; k++)
    if (!tl_type_eq(a->results[k]->type, b->results[k]->type)) return false;
  const tl_op_info *info = tl_op_get(a->code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (!tl_attr_eq(tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind, &a->attrs[i],
                    &b->attrs[i]))
      return false;
  return true;
}

// Regions that compute the same of their arguments and of what lies around them, op by op.
static bool equal_blocks(const tidy *t, const tl_block *a, const tl_block *b) {
  if (a->n_args != b->n_args) return false;
  for (uint32_t i = 0; i < a->n_args; i++) {
    if (!tl_type_eq(a->args[i]->type, b->args[i]->type)) return false;
    t->twin[a->args[i]->id] = b->args[i];
  }
  const tl_op *x = a->first, *y = b->first;
  for (; x != NULL && y != NULL && equal(t, x, y); x = x->next, y = y->next)
    for (uint32_t k = 0; k < x->n_results; k++)
      t->twin[x->results[k]->id] = y->results[k];
  return x == NULL && y == NULL;
}

// Nothing but the value itself: a reshape, transpose, convert or broadcast that changes nothing.
static tl_value passes_through(const tl_op *op) {
  if (op->n_operands == 0 || op->n_results != 1 ||
      !tl_type_eq(op->operands[0]->type, op->results[0]->type))
    return NULL;
  tl_i64s order = {0};
  switch (op->code) {
  case TL_OP_RESHAPE:
  case TL_OP_CONVERT:
    return op->operands[0];
  case TL_OP_TRANSPOSE:
    order = tl_op_list(op, TL_A_TRANSPOSE_permutation);
    break;
  case TL_OP_BROADCAST_IN_DIM:
    order = tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
    break;
  default:
    return NULL;
  }
  for (size_t i = 0; i < order.len; i++)
    if (order.ptr[i] != (int64_t)i) return NULL;
  return op->operands[0];
}

// A value that a loop hands on as it is stands for what it began with.
static void find_invariants(tidy *t, const tl_op *op) {
  const tl_block *body = op->regions[1];
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (body->last->operands[i] != body->args[i]) continue;
    t->same[body->args[i]->id] = op->operands[i];
    t->same[op->regions[0]->args[i]->id] = op->operands[i];
    t->same[op->results[i]->id] = op->operands[i];
  }
}

static bool is_control(const tl_op *op) {
  return op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE;
}

// The op of that hash that is in sight, and `op` in its place from now on, unless they are equal.
static const tl_op *look_up(tidy *t, const tl_op *op, uint32_t h) {
  uint32_t i = h & t->mask;
  while (t->seen[i].op != 0 && t->seen[i].hash != h)
    i = (i + 1) & t->mask;
  const uint32_t before = t->seen[i].op;
  const tl_op *known = before == 0 || before == UINT32_MAX ? NULL : t->ops[before - 1];
  if (known != NULL && equal(t, known, op)) return known;
  t->hidden[t->n_ops] = (tl_hidden){i, before};
  t->ops[t->n_ops++] = op;
  t->seen[i].hash = h;
  t->seen[i].op = t->n_ops;
  return NULL;
}

// `scope` keeps what lies in a region that is a function of its arguments apart from all else.
static void merge(tidy *t, tl_block *block, uint32_t scope) {
  const uint32_t begin = t->n_ops;
  for (tl_op *op = block->first; op != NULL && !t->oom; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      op->operands[i] = resolve(t, op->operands[i]);
    if (op->code == TL_OP_WHILE) find_invariants(t, op);
    if (op->n_regions != 0) {
      const uint32_t inner = is_control(op) ? scope : ++t->n_scopes;
      for (uint32_t r = 0; r < op->n_regions; r++)
        merge(t, op->regions[r], inner);
      if (is_control(op)) continue; // branches and loops are not compared
    }
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0 || op->n_results == 0 || has_effects(t, op))
      continue;
    tl_value as_is = passes_through(op);
    if (as_is != NULL) {
      t->same[op->results[0]->id] = as_is;
      continue;
    }
    const tl_op *known = look_up(t, op, (uint32_t)mix(hash(op), scope));
    for (uint32_t k = 0; known != NULL && k < op->n_results; k++)
      t->same[op->results[k]->id] = known->results[k];
  }
  // Out of the block, its ops are out of sight.
  while (t->n_ops > begin) {
    const tl_hidden *was = &t->hidden[--t->n_ops];
    t->seen[was->slot].op = was->op == 0 ? UINT32_MAX : was->op;
  }
}

// --- Dead ops -----------------------------------------------------------------------------------

static bool walk_live(tidy *t, const tl_block *block);

static bool mark(tidy *t, tl_value v) {
  if (is_live(t, v)) return false;
  return t->live[v->id] = true;
}

// The results of branches, and what loops carry, live by themselves; of other regions all do.
static bool walk_regions(tidy *t, const tl_op *op) {
  bool changed = false;
  for (uint32_t r = 0; r < op->n_regions; r++) {
    const tl_block *block = op->regions[r];
    const tl_op *end = block->last;
    for (uint32_t k = 0; k < end->n_operands; k++) {
      bool needed = op->code == TL_OP_WHILE && r == 0;
      if (!needed && is_control(op))
        needed = is_live(t, op->results[k]);
      else
        needed = true;
      if (needed) changed |= mark(t, end->operands[k]);
    }
    changed |= walk_live(t, block);
  }
  if (op->code == TL_OP_WHILE)
    for (uint32_t i = 0; i < op->n_operands; i++) {
      bool carried = is_live(t, op->results[i]) || is_live(t, op->regions[0]->args[i]) ||
                     is_live(t, op->regions[1]->args[i]);
      if (!carried) continue;
      changed |= mark(t, op->results[i]);
      changed |= mark(t, op->operands[i]);
    }
  return changed;
}

static bool is_needed(tidy *t, const tl_op *op) {
  if (has_effects(t, op)) return true;
  for (uint32_t k = 0; k < op->n_results; k++)
    if (is_live(t, op->results[k])) return true;
  return false;
}

static bool walk_live(tidy *t, const tl_block *block) {
  bool changed = false;
  for (const tl_op *op = block->last; op != NULL && !t->oom; op = op->prev) {
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0 || !is_needed(t, op)) continue;
    if (op->code == TL_OP_WHILE) {
      while (walk_regions(t, op) && !t->oom)
        changed = true;
      continue;
    }
    if (op->n_regions != 0) changed |= walk_regions(t, op);
    for (uint32_t i = 0; i < op->n_operands; i++)
      changed |= mark(t, op->operands[i]);
  }
  return changed;
}

static void keep_values(tl_value *list, uint32_t *n, const bool *keep) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *n; i++)
    if (keep[i]) {
      list[kept] = list[i];
      list[kept]->index = kept;
      kept++;
    }
  *n = kept;
}

static void keep_uses(tl_value *list, uint32_t *n, const bool *keep) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *n; i++)
    if (keep[i]) list[kept++] = list[i];
  *n = kept;
}

// Without the results that nobody uses. One always stays.
static void shrink(tidy *t, tl_arena *a, tl_op *op) {
  const uint32_t n = op->n_results;
  bool *keep = TL_NEW(a, bool, n + 1);
  if (keep == NULL) {
    t->oom = true;
    return;
  }
  uint32_t kept = 0;
  for (uint32_t k = 0; k < n; k++)
    kept += keep[k] = is_live(t, op->results[k]);
  if (kept == n || kept == 0) return;
  uint32_t left = n;
  for (uint32_t r = 0; r < op->n_regions; r++) {
    tl_block *block = op->regions[r];
    if (op->code == TL_OP_WHILE) {
      uint32_t args = n;
      keep_values(block->args, &args, keep);
      block->n_args = args;
      if (r == 0) continue;
    }
    uint32_t yields = n;
    keep_uses(block->last->operands, &yields, keep);
    block->last->n_operands = yields;
  }
  if (op->code == TL_OP_WHILE) {
    uint32_t operands = n;
    keep_uses(op->operands, &operands, keep);
    op->n_operands = operands;
  }
  keep_values(op->results, &left, keep);
  op->n_results = left;
}

static void remove_dead(tidy *t, tl_arena *a, tl_block *block) {
  for (tl_op *op = block->first, *next; op != NULL && !t->oom; op = next) {
    next = op->next;
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0) continue;
    if (!is_needed(t, op)) {
      *(op->prev == NULL ? &block->first : &op->prev->next) = op->next;
      *(op->next == NULL ? &block->last : &op->next->prev) = op->prev;
      continue;
    }
    if (is_control(op)) shrink(t, a, op);
    for (uint32_t r = 0; r < op->n_regions; r++)
      remove_dead(t, a, op->regions[r]);
  }
}

// --- Numbers ------------------------------------------------------------------------------------

// As they are printed, all results of an op with one number; or `each` with its own.
static void number(tl_func *fn, tl_block *block, bool each) {
  for (uint32_t i = 0; i < block->n_args; i++)
    block->args[i]->id = fn->next_id++;
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t r = 0; r < op->n_regions; r++)
      number(fn, op->regions[r], each);
    for (uint32_t k = 0; k < op->n_results; k++) {
      op->results[k]->id = fn->next_id;
      op->results[k]->scratch = false;
      fn->next_id += each;
    }
    if (op->n_results != 0 && !each) fn->next_id++;
  }
}

void tl_func_number(tl_func *fn) {
  fn->next_id = 0;
  number(fn, fn->body, false);
}

tl_status tl_func_tidy(tl_func *fn) {
  tidy t = {.m = fn->module};
  tl_status st = TL_OK;
  fn->next_id = 0;
  number(fn, fn->body, true);
  t.live = calloc(fn->next_id + 1, sizeof *t.live);
  t.same = calloc(fn->next_id + 1, sizeof *t.same);
  t.twin = calloc(fn->next_id + 1, sizeof *t.twin);
  t.ops = calloc(fn->next_id + 1, sizeof *t.ops);
  t.hidden = calloc(fn->next_id + 1, sizeof *t.hidden);
  for (t.mask = 63; t.mask / 2 < fn->next_id;)
    t.mask = 2 * t.mask + 1;
  t.seen = calloc((size_t)t.mask + 1, sizeof *t.seen);
  if (t.live == NULL || t.same == NULL || t.twin == NULL || t.ops == NULL || t.hidden == NULL ||
      t.seen == NULL)
    TL_TRY_GOTO(done, st, TL_OOM());
  merge(&t, fn->body, 0);
  for (uint32_t i = 0; i < fn->body->last->n_operands; i++)
    (void)mark(&t, fn->body->last->operands[i]);
  (void)walk_live(&t, fn->body);
  remove_dead(&t, fn->module->arena, fn->body);
  tl_func_number(fn);
  if (t.oom) st = TL_OOM();
done:
  tl_effects_deinit(&t.fx);
  free(t.live);
  free(t.same);
  free(t.twin);
  free(t.ops);
  free(t.hidden);
  free(t.seen);
  return st;
}
