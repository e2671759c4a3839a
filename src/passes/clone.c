// Copies of ops and blocks within one module.
#include "passes/clone.h"

void tl_env_deinit(tl_env *e) { tl_value_map_deinit(&e->map); }

void tl_env_put(tl_builder *b, tl_env *e, tl_value old, tl_value now) {
  if (now != NULL && !tl_value_map_put(&e->map, old, (uintptr_t)now)) tl_builder_fail(b, TL_OOM());
}

tl_value tl_env_get(const tl_env *e, tl_value old) {
  tl_value now = tl_value_map_find(&e->map, old);
  return now == NULL ? old : now;
}

static void clone_region(tl_builder *b, tl_env *e, tl_op *op, const tl_block *old) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  for (uint32_t i = 0; i < old->n_args; i++)
    tl_env_put(&in, e, old->args[i], tl_block_arg(&in, block, old->args[i]->type));
  for (const tl_op *o = old->first; o != NULL; o = o->next)
    (void)tl_clone(&in, e, o);
  tl_builder_join(b, &in);
}

static tl_op *clone(tl_builder *b, tl_env *e, const tl_op *op, const tl_value *operands,
                    const tl_type *types) {
  tl_loc loc = b->loc;
  b->loc = op->loc;
  tl_op *now = tl_op_begin(b, op->code, operands, op->n_operands);
  if (now != NULL && tl_op_get(op->code)->n_attrs != 0)
    memcpy(now->attrs, op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_clone_regions(b, e, now, op);
  now = now == NULL ? NULL : tl_op_finish(b, now, types, types == NULL ? 0 : op->n_results);
  b->loc = loc;
  return now;
}

enum { FEW = 8 }; // values for which no memory is asked for

tl_op *tl_clone(tl_builder *b, tl_env *e, const tl_op *op) {
  tl_value few[FEW], *operands = few;
  tl_type few_types[FEW], *types = few_types;
  if (op->n_operands > FEW) operands = TL_NEW(b->m->arena, tl_value, op->n_operands);
  if (op->n_results > FEW) types = TL_NEW(b->m->arena, tl_type, op->n_results);
  if (operands == NULL || types == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  for (uint32_t i = 0; i < op->n_operands; i++)
    operands[i] = tl_env_get(e, op->operands[i]);
  for (uint32_t k = 0; k < op->n_results; k++)
    types[k] = op->results[k]->type;
  tl_op *now = clone(b, e, op, operands, types);
  for (uint32_t k = 0; now != NULL && k < op->n_results; k++)
    tl_env_put(b, e, op->results[k], now->results[k]);
  return now;
}

tl_op *tl_clone_with(tl_builder *b, const tl_op *op, const tl_value *operands,
                     const tl_type *types) {
  tl_env e = {0};
  tl_op *now = clone(b, &e, op, operands, types);
  tl_env_deinit(&e);
  return now;
}

void tl_clone_regions(tl_builder *b, tl_env *e, tl_op *now, const tl_op *op) {
  for (uint32_t i = 0; now != NULL && i < op->n_regions; i++)
    clone_region(b, e, now, op->regions[i]);
}

void tl_clone_block(tl_builder *b, tl_env *e, const tl_block *block, tl_value *out) {
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    (void)tl_clone(b, e, op);
  for (uint32_t i = 0; b->error == TL_OK && i < block->last->n_operands; i++)
    out[i] = tl_env_get(e, block->last->operands[i]);
}

typedef struct free_values {
  tl_builder *b;
  tl_ptr_map inside, seen;
  tl_value *list;
  uint32_t len, cap;
} free_values;

static void note(free_values *f, tl_ptr_map *map, tl_value v) {
  if (!tl_ptr_map_put(map, v, 1)) tl_builder_fail(f->b, TL_OOM());
}

static void read_value(free_values *f, tl_value v) {
  if (tl_ptr_map_get(&f->inside, v, NULL) || tl_ptr_map_get(&f->seen, v, NULL)) return;
  note(f, &f->seen, v);
  if (f->len == f->cap) {
    uint32_t cap = f->cap == 0 ? 8 : f->cap * 2;
    tl_value *list = TL_NEW(f->b->m->arena, tl_value, cap);
    if (list == NULL) {
      tl_builder_fail(f->b, TL_OOM());
      return;
    }
    if (f->len != 0) memcpy(list, f->list, f->len * sizeof *list);
    f->list = list;
    f->cap = cap;
  }
  f->list[f->len++] = v;
}

static void walk_free(free_values *f, const tl_op *op) {
  for (uint32_t r = 0; r < op->n_regions; r++) {
    const tl_block *block = op->regions[r];
    for (uint32_t i = 0; i < block->n_args; i++)
      note(f, &f->inside, block->args[i]);
    for (const tl_op *o = block->first; o != NULL; o = o->next) {
      for (uint32_t i = 0; i < o->n_operands; i++)
        read_value(f, o->operands[i]);
      walk_free(f, o);
      for (uint32_t i = 0; i < o->n_results; i++)
        note(f, &f->inside, o->results[i]);
    }
  }
}

tl_value *tl_free_values(tl_builder *b, const tl_op *op, uint32_t *out_n) {
  free_values f = {.b = b};
  walk_free(&f, op);
  tl_ptr_map_deinit(&f.inside);
  tl_ptr_map_deinit(&f.seen);
  *out_n = f.len;
  return f.list;
}

tl_value *tl_room(tl_builder *b, size_t n) {
  tl_value *list = TL_NEW(b->m->arena, tl_value, n + 1);
  if (list == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  memset(list, 0, (n + 1) * sizeof *list);
  return list;
}

bool *tl_flags(tl_builder *b, size_t n) {
  bool *list = b->error != TL_OK ? NULL : TL_NEW(b->m->arena, bool, n + 1);
  if (list == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  memset(list, 0, (n + 1) * sizeof *list);
  return list;
}
