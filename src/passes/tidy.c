// Cleaning up after a transform: what is equal becomes one, what is dead goes, in place.
//
// Rules emit what reads best and leave the rest to this: a cotangent nobody asked for is an op
// nobody uses. Liveness is a walk from the end, in which a loop carries a value only where its
// result is used, its condition reads it, or a value that is carried does; a value that a loop
// hands on unchanged is read from outside instead.
#include "passes/tidy.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pages.h"
#include "ir/ptr_map.h"
#include "passes/effects.h"

// A module of 100,000 ops misses every cache, so what a walk costs is how often it is walked: once
// forward (numbers, equal ops), once backward (what is live; the rest is unlinked), and once more
// for the numbers that are printed.
typedef struct tidy {
  const tl_module *m;
  tl_effects fx; // found when an op is met that may have some by its regions or callees
  bool found;
  bool calls[TL_OP_COUNT]; // names functions
  // By number, in the order of the walks: the value in its place; then LIVE or not.
  uintptr_t *known; // [cap_values]
  tl_value *twin;   // [cap_twin] of one in a region that was compared: its like in the other
  uint32_t n_values, cap_values, cap_twin;
  // Ops by their hash, of each hash the last one that is in sight: [mask + 1], at most half full.
  // A place is sought near that of the op's youngest operand, whose number the walk has reached or
  // passed in order, and only where those are taken wherever the hash says: at random places every
  // look would cost a cache miss, a fifth of all the time of a gradient of 100,000 ops.
  struct tidy_seen {
    uint32_t hash, op; // op: its place in ops, counted from 1; 0: no hash; UINT32_MAX: out of sight
  } *seen;
  const tl_op **ops; // [cap_ops]
  uint32_t mask, n_ops, n_hashes, cap_ops, n_scopes, depth;
  struct tidy_hidden { // what stood in seen before each op of a region
    const tl_op *op;
    uint32_t hash, before;
  } *hidden; // [cap_hidden]
  uint32_t n_hidden, cap_hidden;
  bool oom;
} tidy;

enum { LIVE = 1 };

static tl_value resolve(const tidy *t, tl_value v) {
  while (t->known[v->id] != 0)
    v = (tl_value)t->known[v->id];
  return v;
}

static bool is_live(const tidy *t, tl_value v) { return t->known[v->id] == LIVE; }

static bool has_effects(tidy *t, const tl_op *op) {
  if ((tl_op_get(op->code)->traits & TL_EFFECT) != 0) return true;
  if (op->n_regions == 0 && !t->calls[op->code]) return false;
  if (!t->found) {
    tl_status st = tl_effects_find(t->m, &t->fx);
    t->oom |= st != TL_OK;
    tl_status_drop(st);
    t->found = true;
  }
  return tl_op_has_effects(&t->fx, op);
}

// `list` with room for `n`, zeroed from `*cap` on; false when memory is gone.
static bool reserve(tidy *t, void *list, uint32_t *cap, uint32_t n, size_t size) {
  if (n <= *cap) return true;
  const size_t more = TL_MAX((size_t)n, 2 * (size_t)*cap);
  void **at = list, *bigger = more > UINT32_MAX ? NULL : calloc(more, size);
  if (bigger == NULL) {
    t->oom = true;
    return false;
  }
  tl_ask_for_huge_pages(bigger, more * size);
  if (*cap != 0) memcpy(bigger, *at, *cap * size);
  free(*at);
  *at = bigger;
  *cap = (uint32_t)more;
  return true;
}

static bool number_values(tidy *t, const tl_value *values, uint32_t n) {
  if (n > TL_MAX_ID - t->n_values ||
      !reserve(t, &t->known, &t->cap_values, t->n_values + n, sizeof *t->known)) {
    t->oom = true;
    return false;
  }
  for (uint32_t i = 0; i < n; i++)
    values[i]->id = t->n_values++ & TL_MAX_ID;
  return true;
}

// --- Equal ops ----------------------------------------------------------------------------------

static uint64_t mix(uint64_t h, uint64_t with) {
  h = (h ^ with) * 0x9e3779b97f4a7c15u; // 2^64 over the golden ratio (Knuth, 6.4)
  return h ^ h >> 32;
}

static uint64_t mix_list(uint64_t h, const int64_t *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    h = mix(h, (uint64_t)list[i]);
  return mix(h, n);
}

static uint64_t hash(const tl_op *op, uint64_t h) {
  const tl_op_info *info = tl_op_get(op->code);
  h = mix(h, (uint64_t)op->code << 32 | op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    h = mix(h, op->operands[i]->id);
  for (uint32_t k = 0; k < op->n_results; k++) {
    const tl_type type = op->results[k]->type;
    h = mix(h, type.dtype);
    // What is elementwise has its operands' dims.
    if ((info->traits & TL_ELEMWISE) == 0) h = mix_list(h, type.dims, type.rank);
  }
  // Numbers and lists tell slices and sizes of one value apart; equal() sees to the rest.
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr *a = &op->attrs[i];
    switch (tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind) {
    case TL_AK_I64:
      h = mix(h, (uint64_t)a->i64);
      break;
    case TL_AK_I64S:
    case TL_AK_PAIRS:
      h = mix_list(h, a->list.ptr, a->list.len);
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

static bool equal_blocks(tidy *t, const tl_block *a, const tl_block *b);

// One value, or each other's like in two regions.
static bool equal_values(const tidy *t, tl_value a, tl_value b) {
  return a == b || (a->id < t->cap_twin && t->twin[a->id] == b);
}

static bool equal(tidy *t, const tl_op *a, const tl_op *b) {
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
static bool equal_blocks(tidy *t, const tl_block *a, const tl_block *b) {
  if (a->n_args != b->n_args || !reserve(t, &t->twin, &t->cap_twin, t->n_values, sizeof(tl_value)))
    return false;
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
    const uintptr_t same = (uintptr_t)op->operands[i];
    t->known[body->args[i]->id] = same;
    t->known[op->regions[0]->args[i]->id] = same;
    t->known[op->results[i]->id] = same;
  }
}

static bool is_control(const tl_op *op) {
  return op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE;
}

enum { NEAR = 8 }; // places, a cache line of them, to four values

static uint32_t near_of(const tidy *t, const tl_op *op, uint32_t h) {
  uint32_t youngest = 0;
  for (uint32_t i = 0; i < op->n_operands; i++)
    youngest = TL_MAX(youngest, (uint32_t)op->operands[i]->id);
  return (op->n_operands == 0 ? h : youngest * 2) & t->mask & ~(NEAR - 1u);
}

// Where ops of that hash are, or would be.
static struct tidy_seen *slot_of(const tidy *t, const tl_op *op, uint32_t h) {
  uint32_t i = near_of(t, op, h);
  for (const uint32_t end = i + NEAR; i < end; i++)
    if (t->seen[i].op == 0 || t->seen[i].hash == h) return &t->seen[i];
  for (i = h & t->mask; t->seen[i].op != 0 && t->seen[i].hash != h;)
    i = (i + 1) & t->mask;
  return &t->seen[i];
}

static bool make_seen(tidy *t, uint32_t least) {
  struct tidy_seen *old = t->seen;
  const uint32_t n = old == NULL ? 0 : t->mask + 1;
  uint32_t mask = 63;
  while (mask / 2 < least)
    mask = 2 * mask + 1;
  t->seen = calloc((size_t)mask + 1, sizeof *t->seen);
  if (t->seen == NULL) {
    t->seen = old;
    t->oom = true;
    return false;
  }
  tl_ask_for_huge_pages(t->seen, ((size_t)mask + 1) * sizeof *t->seen);
  t->mask = mask;
  for (uint32_t i = 0; i < n; i++)
    if (old[i].op != 0 && old[i].op != UINT32_MAX)
      *slot_of(t, t->ops[old[i].op - 1], old[i].hash) = old[i];
  free(old);
  return true;
}

// The op of that hash that is in sight, and `op` in its place from now on, unless they are equal.
static const tl_op *look_up(tidy *t, const tl_op *op, uint32_t h) {
  struct tidy_seen *slot = slot_of(t, op, h);
  const uint32_t before = slot->op;
  const tl_op *known = before == 0 || before == UINT32_MAX ? NULL : t->ops[before - 1];
  if (known != NULL && equal(t, known, op)) return known;
  if (!reserve(t, &t->ops, &t->cap_ops, t->n_ops + 1, sizeof(tl_op *))) return NULL;
  if (t->depth != 0) {
    if (!reserve(t, &t->hidden, &t->cap_hidden, t->n_hidden + 1, sizeof *t->hidden)) return NULL;
    t->hidden[t->n_hidden++] = (struct tidy_hidden){op, h, before};
  }
  t->ops[t->n_ops++] = op;
  *slot = (struct tidy_seen){h, t->n_ops};
  if (before == 0 && ++t->n_hashes > t->mask / 2) (void)make_seen(t, t->mask);
  return NULL;
}

// `scope` keeps what lies in a region that is a function of its arguments apart from all else.
static void merge(tidy *t, tl_block *block, uint32_t scope);

// Out of the region, its ops are out of sight.
static void merge_region(tidy *t, tl_block *block, uint32_t scope) {
  const uint32_t n_hidden = t->n_hidden, n_ops = t->n_ops;
  t->depth++;
  merge(t, block, scope);
  t->depth--;
  while (t->n_hidden > n_hidden) {
    const struct tidy_hidden was = t->hidden[--t->n_hidden];
    slot_of(t, was.op, was.hash)->op = was.before == 0 ? UINT32_MAX : was.before;
  }
  t->n_ops = n_ops;
}

static void merge_regions(tidy *t, tl_op *op, uint32_t scope) {
  for (uint32_t r = 0; r < op->n_regions; r++)
    if (!number_values(t, op->regions[r]->args, op->regions[r]->n_args)) return;
  if (op->code == TL_OP_WHILE) find_invariants(t, op);
  const uint32_t inner = is_control(op) ? scope : ++t->n_scopes;
  for (uint32_t r = 0; r < op->n_regions; r++)
    merge_region(t, op->regions[r], inner);
}

static void merge(tidy *t, tl_block *block, uint32_t scope) {
  for (tl_op *op = block->first; op != NULL && !t->oom; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      op->operands[i] = resolve(t, op->operands[i]);
    if (!number_values(t, op->results, op->n_results)) return;
    if (op->n_regions != 0) {
      merge_regions(t, op, scope);
      if (is_control(op)) continue; // branches and loops are not compared
    }
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0 || op->n_results == 0 || has_effects(t, op))
      continue;
    tl_value as_is = passes_through(op);
    if (as_is != NULL) {
      t->known[op->results[0]->id] = (uintptr_t)as_is;
      continue;
    }
    const tl_op *known = look_up(t, op, (uint32_t)hash(op, scope));
    for (uint32_t k = 0; known != NULL && k < op->n_results; k++)
      t->known[op->results[k]->id] = (uintptr_t)known->results[k];
  }
}

// --- Dead ops -----------------------------------------------------------------------------------

static bool walk_live(tidy *t, const tl_block *block);

static bool mark(tidy *t, tl_value v) {
  if (is_live(t, v)) return false;
  t->known[v->id] = LIVE;
  return true;
}

// A branch or loop that is there for its effects has one result at least, and gives it.
static bool keep_one(tidy *t, const tl_op *op) {
  for (uint32_t k = 0; k < op->n_results; k++)
    if (is_live(t, op->results[k])) return false;
  return op->n_results != 0 && mark(t, op->results[0]);
}

// The results of branches, and what loops carry, live by themselves; of other regions all do.
static bool walk_regions(tidy *t, const tl_op *op) {
  bool changed = is_control(op) && keep_one(t, op);
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

static void unlink(tl_block *block, const tl_op *op) {
  *(op->prev == NULL ? &block->first : &op->prev->next) = op->next;
  *(op->next == NULL ? &block->last : &op->next->prev) = op->prev;
}

static void remove_dead(tidy *t, tl_arena *a, tl_block *block);

static void remove_within(tidy *t, tl_arena *a, tl_op *op) {
  if (is_control(op)) shrink(t, a, op);
  for (uint32_t r = 0; r < op->n_regions; r++)
    remove_dead(t, a, op->regions[r]);
}

// What lives is known of all of the block.
static void remove_dead(tidy *t, tl_arena *a, tl_block *block) {
  for (tl_op *op = block->first; op != NULL && !t->oom; op = op->next) {
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0) continue;
    if (is_needed(t, op))
      remove_within(t, a, op);
    else
      unlink(block, op);
  }
}

// Backward through a function's body: of an op that is met all uses have been met.
static void walk_body(tidy *t, tl_arena *a, tl_block *body) {
  for (tl_op *op = body->last; op != NULL && !t->oom; op = op->prev) {
    if ((tl_op_get(op->code)->traits & TL_TERM) == 0 && !is_needed(t, op)) {
      unlink(body, op);
      continue;
    }
    if (op->code == TL_OP_WHILE)
      while (walk_regions(t, op) && !t->oom)
        ;
    else {
      if (op->n_regions != 0) (void)walk_regions(t, op);
      for (uint32_t i = 0; i < op->n_operands; i++)
        (void)mark(t, op->operands[i]);
    }
    remove_within(t, a, op);
  }
}

// --- Numbers ------------------------------------------------------------------------------------

// As they are printed: all results of an op have one.
static void number(tl_func *fn, const tl_block *block) {
  for (uint32_t i = 0; i < block->n_args; i++)
    block->args[i]->id = fn->next_id++ & TL_MAX_ID;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t r = 0; r < op->n_regions; r++)
      number(fn, op->regions[r]);
    for (uint32_t k = 0; k < op->n_results; k++) {
      op->results[k]->id = fn->next_id & TL_MAX_ID;
      op->results[k]->scratch = false;
    }
    if (op->n_results != 0) fn->next_id++;
  }
}

static void find_calls(tidy *t) {
  for (int code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *info = tl_op_get((tl_opcode)code);
    for (uint32_t i = 0; i < info->n_attrs; i++) {
      const tl_attr_kind kind = tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind;
      t->calls[code] |= kind == TL_AK_SYMBOL || kind == TL_AK_PROGRAMS;
    }
  }
}

void tl_func_number(tl_func *fn) {
  fn->next_id = 0;
  number(fn, fn->body);
}

tl_status tl_func_tidy(tl_func *fn) {
  tidy t = {.m = fn->module};
  find_calls(&t);
  // As many as the builder numbered, and more where it gave several values one number.
#ifdef TL_CHECKED
  const uint32_t about = 1; // so that all of them grow
#else
  const uint32_t about = fn->next_id + 64;
#endif
  if (reserve(&t, &t.known, &t.cap_values, about, sizeof *t.known) &&
      reserve(&t, &t.ops, &t.cap_ops, about, sizeof(tl_op *)) && make_seen(&t, about) &&
      number_values(&t, fn->body->args, fn->body->n_args))
    merge(&t, fn->body, 0);
  if (!t.oom) walk_body(&t, fn->module->arena, fn->body);
  if (!t.oom) tl_func_number(fn);
  tl_effects_deinit(&t.fx);
  free(t.known);
  free(t.twin);
  free(t.ops);
  free(t.hidden);
  free(t.seen);
  return t.oom ? TL_OOM() : TL_OK;
}
