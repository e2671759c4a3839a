// Common subexpressions: equal ops with equal operands become the first of them, and an op that
// gives an operand as it is (a choice between x and x, a slice of everything) becomes that operand.
//
// A table of the ops seen so far, by a hash of code, operands and attributes, with one list a
// bucket. What a region added is taken out again when the region ends, so an op found in the table
// is always visible. Branches and loops run where they stand and may use what their surroundings
// computed; the region of a reduction or a scatter is a function of its arguments, which the
// backends recognise by its shape, and starts from an empty table.
//
// Regions are compared structurally: values defined inside correspond when they were defined at the
// same step, all others must be the same. Operands are compared as they are written: a + b is not
// b + a, whose NaN may be another.
#include "passes/passes.h"

#include "base/hash.h"
#include "passes/copy.h"
#include "passes/effects.h"

typedef struct entry {
  const tl_op *op;
  uint32_t bucket, next; // the entry before it in the bucket, counted from 1
} entry;

typedef struct cse {
  tl_effects fx;
  tl_ptr_map same;   // value -> value
  tl_ptr_map skip;   // ops
  tl_ptr_map inside; // while regions are compared: value of b's -> value of a's
  uint32_t *buckets; // [mask + 1] the last entry, counted from 1
  entry *entries;    // [every op]
  uint32_t mask, n_entries, floor;
  bool oom;
} cse;

static tl_value canonical(const cse *c, tl_value v) {
  tl_value same = tl_ptr_map_find(&c->same, v);
  return same == NULL ? v : same;
}

static bool types_eq(const tl_value *a, const tl_value *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!tl_type_eq(a[i]->type, b[i]->type)) return false;
  return true;
}

static bool blocks_eq(cse *c, const tl_block *a, const tl_block *b);

static bool correspond(cse *c, const tl_value *a, const tl_value *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!tl_ptr_map_put(&c->inside, b[i], (uintptr_t)a[i])) c->oom = true;
  return !c->oom;
}

static bool ops_eq(cse *c, const tl_op *a, const tl_op *b) {
  if (a->code != b->code || a->n_operands != b->n_operands || a->n_results != b->n_results ||
      a->n_regions != b->n_regions || !types_eq(a->results, b->results, a->n_results))
    return false;
  for (uint32_t i = 0; i < a->n_operands; i++) {
    tl_value x = canonical(c, a->operands[i]), y = canonical(c, b->operands[i]);
    tl_value inside = tl_ptr_map_find(&c->inside, y);
    if (x != (inside == NULL ? y : inside)) return false;
  }
  const tl_op_info *info = tl_op_get(a->code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (!tl_attr_eq(tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind, &a->attrs[i],
                    &b->attrs[i]))
      return false;
  for (uint32_t i = 0; i < a->n_regions; i++)
    if (!blocks_eq(c, a->regions[i], b->regions[i])) return false;
  return true;
}

static bool blocks_eq(cse *c, const tl_block *a, const tl_block *b) {
  if (a->n_args != b->n_args || !types_eq(a->args, b->args, a->n_args) ||
      !correspond(c, a->args, b->args, a->n_args))
    return false;
  const tl_op *x = a->first, *y = b->first;
  for (; x != NULL && y != NULL; x = x->next, y = y->next)
    if (!ops_eq(c, x, y) || !correspond(c, x->results, y->results, x->n_results)) return false;
  return x == NULL && y == NULL;
}

static uint64_t mix(uint64_t h, uint64_t with) {
  uint64_t both[2] = {h, with};
  return tl_hash64(both, sizeof both);
}

static uint64_t hash(const cse *c, const tl_op *op) {
  uint64_t h = mix(op->code, op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    h = mix(h, (uintptr_t)canonical(c, op->operands[i]));
  for (uint32_t i = 0; i < op->n_results; i++)
    h = mix(mix(h, op->results[i]->type.dtype), op->results[i]->type.rank);
  if (op->code == TL_OP_CONSTANT) { // constants have nothing else
    const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
    h = mix(mix(h, l->size), tl_hash64(l->data, TL_MIN(l->size, (size_t)4096)));
  }
  return h;
}

static bool in_order(tl_i64s dims) {
  for (size_t i = 0; i < dims.len; i++)
    if (dims.ptr[i] != (int64_t)i) return false;
  return true;
}

// The operand that the op gives as it is; NULL: none.
static tl_value given(const cse *c, const tl_op *op) {
  tl_value x = NULL;
  switch (op->code) {
  case TL_OP_SELECT:
    if (canonical(c, op->operands[1]) == canonical(c, op->operands[2])) x = op->operands[1];
    break;
  case TL_OP_BROADCAST_IN_DIM:
    if (in_order(tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions))) x = op->operands[0];
    break;
  case TL_OP_TRANSPOSE:
    if (in_order(tl_op_list(op, TL_A_TRANSPOSE_permutation))) x = op->operands[0];
    break;
  case TL_OP_CONCATENATE:
    if (op->n_operands == 1) x = op->operands[0];
    break;
  case TL_OP_RESHAPE:
  case TL_OP_SLICE: // of the operand's own type it is all of it
    x = op->operands[0];
    break;
  default:
    return NULL;
  }
  return x && tl_type_eq(x->type, op->results[0]->type) ? canonical(c, x) : NULL;
}

// The op itself becomes an entry, or its results become those of an equal one.
static void look_up(cse *c, const tl_op *op) {
  const tl_value x = given(c, op);
  if (x) {
    if (!tl_ptr_map_put(&c->same, op->results[0], (uintptr_t)x) || !tl_ptr_map_put(&c->skip, op, 1))
      c->oom = true;
    return;
  }
  const uint32_t bucket = (uint32_t)hash(c, op) & c->mask;
  for (uint32_t at = c->buckets[bucket]; at > c->floor; at = c->entries[at - 1].next) {
    const tl_op *seen = c->entries[at - 1].op;
    bool eq = ops_eq(c, seen, op);
    tl_ptr_map_deinit(&c->inside);
    if (!eq) continue;
    for (uint32_t i = 0; i < op->n_results; i++)
      if (!tl_ptr_map_put(&c->same, op->results[i], (uintptr_t)seen->results[i])) c->oom = true;
    if (!tl_ptr_map_put(&c->skip, op, 1)) c->oom = true;
    return;
  }
  c->entries[c->n_entries] = (entry){op, bucket, c->buckets[bucket]};
  c->buckets[bucket] = ++c->n_entries;
}

static void walk(cse *c, const tl_block *block) {
  const uint32_t before = c->n_entries;
  for (const tl_op *op = block->first; op != NULL && !c->oom; op = op->next) {
    const uint32_t floor = c->floor;
    if (op->code != TL_OP_IF && op->code != TL_OP_CASE && op->code != TL_OP_WHILE)
      c->floor = c->n_entries;
    for (uint32_t i = 0; i < op->n_regions; i++)
      walk(c, op->regions[i]);
    c->floor = floor;
    if ((tl_op_get(op->code)->traits & TL_TERM) == 0 && !tl_op_has_effects(&c->fx, op))
      look_up(c, op);
  }
  while (c->n_entries > before) {
    const entry *e = &c->entries[--c->n_entries];
    c->buckets[e->bucket] = e->next;
  }
}

static size_t count(const tl_block *block) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next, n++)
    for (uint32_t i = 0; i < op->n_regions; i++)
      n += count(op->regions[i]);
  return n;
}

tl_status tl_pass_cse(const tl_module *m, tl_module **out_module) {
  cse c = {0};
  tl_arena *scratch = tl_arena_create();
  tl_status st = TL_OK;
  size_t most = 1, n_buckets = 1;
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    most = TL_MAX(most, count(fn->body));
  if (most > (size_t)1 << 30) {
    st = TL_ERROR(RESOURCE_EXHAUSTED, "cse: a function of %zu ops", most);
    goto done;
  }
  while (n_buckets < most)
    n_buckets *= 2;
  c.mask = (uint32_t)n_buckets - 1;
  if (scratch != NULL) {
    c.buckets = TL_NEW(scratch, uint32_t, n_buckets);
    c.entries = TL_NEW(scratch, entry, most);
  }
  if (c.buckets == NULL || c.entries == NULL) {
    st = TL_OOM();
    goto done;
  }
  TL_TRY_GOTO(done, st, tl_effects_find(m, &c.fx));
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    walk(&c, fn->body);
  st = c.oom ? TL_OOM()
             : tl_module_copy(m, &(tl_copy_options){.skip = &c.skip, .same = &c.same}, out_module);
done:
  tl_effects_deinit(&c.fx);
  tl_ptr_map_deinit(&c.same);
  tl_ptr_map_deinit(&c.skip);
  tl_ptr_map_deinit(&c.inside);
  tl_arena_destroy(scratch);
  return st;
}
