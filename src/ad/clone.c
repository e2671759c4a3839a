// Copies of ops and blocks within one module, and the small expressions that rules share.
#include "ad/rule.h"

#include "ir/diags.h"

void tl_env_deinit(tl_env *e) { tl_ptr_map_deinit(&e->map); }

void tl_env_put(tl_builder *b, tl_env *e, tl_value old, tl_value now) {
  if (now != NULL && !tl_ptr_map_put(&e->map, old, (uintptr_t)now)) tl_builder_fail(b, TL_OOM());
}

tl_value tl_env_get(const tl_env *e, tl_value old) {
  tl_value now = tl_ptr_map_find(&e->map, old);
  return now == NULL ? old : now;
}

static void clone_region(tl_builder *b, tl_env *e, tl_op *op, const tl_block *old) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  for (uint32_t i = 0; i < old->n_args; i++)
    tl_env_put(&in, e, old->args[i], tl_block_arg(&in, block, old->args[i]->type));
  for (const tl_op *o = old->first; o != NULL; o = o->next)
    (void)tl_ad_clone(&in, e, o);
  tl_builder_join(b, &in);
}

static tl_op *clone(tl_builder *b, tl_env *e, const tl_op *op, const tl_value *operands,
                    const tl_type *types) {
  tl_loc loc = b->loc;
  b->loc = op->loc;
  tl_op *now = tl_op_begin(b, op->code, operands, op->n_operands);
  if (now != NULL && tl_op_get(op->code)->n_attrs != 0)
    memcpy(now->attrs, op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_ad_clone_regions(b, e, now, op);
  now = now == NULL ? NULL : tl_op_finish(b, now, types, types == NULL ? 0 : op->n_results);
  b->loc = loc;
  return now;
}

enum { FEW = 8 }; // values for which no memory is asked for

tl_op *tl_ad_clone(tl_builder *b, tl_env *e, const tl_op *op) {
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

tl_op *tl_ad_clone_with(tl_builder *b, const tl_op *op, const tl_value *operands,
                        const tl_type *types) {
  tl_env e = {0};
  tl_op *now = clone(b, &e, op, operands, types);
  tl_env_deinit(&e);
  return now;
}

void tl_ad_clone_regions(tl_builder *b, tl_env *e, tl_op *now, const tl_op *op) {
  for (uint32_t i = 0; now != NULL && i < op->n_regions; i++)
    clone_region(b, e, now, op->regions[i]);
}

void tl_ad_clone_block(tl_builder *b, tl_env *e, const tl_block *block, tl_value *out) {
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    (void)tl_ad_clone(b, e, op);
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

tl_value *tl_ad_free_values(tl_builder *b, const tl_op *op, uint32_t *out_n) {
  free_values f = {.b = b};
  walk_free(&f, op);
  tl_ptr_map_deinit(&f.inside);
  tl_ptr_map_deinit(&f.seen);
  *out_n = f.len;
  return f.list;
}

tl_func *tl_ad_callee(tl_builder *b, const tl_op *op) {
  tl_str name = op->code == TL_OP_CALL ? tl_op_str(op, TL_A_CALL_callee)
                                       : tl_op_str(op, TL_A_COMPOSITE_decomposition);
  tl_func *fn = tl_module_find(b->m, name);
  if (fn == NULL)
    tl_builder_fail(b, TL_ERROR(NOT_FOUND, "there is no function @%.*s", TL_STR_ARG(name)));
  return fn;
}

enum { MAX_WRITTEN_OUT = 1 << 20 };

const char *tl_ad_write_out(tl_ad *ad, const tl_block *body) {
  for (const tl_op *op = body->first; op != NULL; op = op->next)
    ad->written_out++;
  return ad->written_out > MAX_WRITTEN_OUT ? "calls come to more than 1048576 ops" : NULL;
}

tl_value *tl_ad_room(tl_builder *b, size_t n) {
  tl_value *list = TL_NEW(b->m->arena, tl_value, n + 1);
  if (list == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  memset(list, 0, (n + 1) * sizeof *list);
  return list;
}

// --- Expressions ------------------------------------------------------------------------------

tl_value tl_ad_fill(tl_builder *b, tl_type t, double value) {
  tl_value one = tlo_constant_f64(b, tl_type_scalar(t.dtype), value);
  return t.rank == 0 ? one : tlo_broadcast(b, one, t, NULL);
}

tl_value tl_ad_zeros(tl_builder *b, tl_type t) { return tl_ad_fill(b, t, 0); }

tl_value tl_ad_like(tl_builder *b, tl_value x, double value) {
  return x == NULL ? NULL : tl_ad_fill(b, x->type, value);
}

tl_value tl_ad_scale(tl_builder *b, tl_value x, double by) {
  tl_value s = tl_ad_like(b, x, by);
  return tlo_mul(b, x, s);
}

tl_value tl_ad_sum(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n) {
  if (n == 0 || x == NULL) return x;
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(x->type.dtype), 0);
  return tlo_reduce(b, x, zero, dims, n, TL_OP_ADD);
}

tl_value tl_ad_clamp(tl_builder *b, tl_value low, tl_value x, tl_value high) {
  tl_op *op = tl_op_finish(b, tl_op_begin(b, TL_OP_CLAMP, (tl_value[]){low, x, high}, 3), NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_opcode tl_ad_combiner(const tl_block *region) {
  const tl_op *op = region->first;
  if (region->n_args != 2 || op == NULL || op->next != region->last || op->n_operands != 2 ||
      op->n_results != 1 || region->last->n_operands != 1 ||
      region->last->operands[0] != op->results[0])
    return TL_OP_COUNT;
  bool in_order = op->operands[0] == region->args[0] && op->operands[1] == region->args[1];
  bool turned = op->operands[0] == region->args[1] && op->operands[1] == region->args[0] &&
                (tl_op_get(op->code)->traits & TL_COMMUTES) != 0;
  return in_order || turned ? op->code : TL_OP_COUNT;
}

// --- Refusals ---------------------------------------------------------------------------------

static void refuse(tl_ad *ad, tl_builder *b, const tl_op *op, tl_diag_id id, const char *what,
                   const char *why) {
  if (b->error != TL_OK) return;
  tl_builder_fail(b,
                  tl_diag_error(ad->diags, id, op->loc, "%s %s%s%s", tl_op_get(op->code)->mnemonic,
                                what, why == NULL ? "" : ": ", why == NULL ? "" : why));
}

void tl_ad_refuse(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why) {
  refuse(ad, b, op, TL_DIAG_NOT_DIFFERENTIABLE, "has no derivative", why);
}

void tl_ad_refuse_batching(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why) {
  refuse(ad, b, op, TL_DIAG_NO_BATCHING_RULE, "has no batching rule", why);
}
