// Collect both functions' collectives, then strike out pairs. Lists are short, so each of the one
// is looked for in the other.
#include "passes/dual.h"

#include <stdlib.h>

enum { MAX_COLLECTIVES = 1 << 12, MAX_OPS = 1 << 20, MAX_DEPTH = 200 };

typedef struct found {
  const tl_op *op;
  bool used;
} found;

typedef struct list {
  found *ptr;
  size_t len, cap, n_ops;
  uint32_t depth;
} list;

typedef struct facts {                     // of a collective: what its dual must have
  tl_attr_id groups, channel, global, dim; // 0 where it has none
} facts;

static const facts *facts_of(tl_opcode code) {
  static const facts table[] = {
      [TL_OP_ALL_GATHER -
       TL_OP_ALL_GATHER] = {TL_A_ALL_GATHER_replica_groups, TL_A_ALL_GATHER_channel_handle,
                            TL_A_ALL_GATHER_use_global_device_ids, TL_A_ALL_GATHER_all_gather_dim},
      [TL_OP_ALL_REDUCE - TL_OP_ALL_GATHER] = {TL_A_ALL_REDUCE_replica_groups,
                                               TL_A_ALL_REDUCE_channel_handle,
                                               TL_A_ALL_REDUCE_use_global_device_ids, 0},
      [TL_OP_ALL_TO_ALL - TL_OP_ALL_GATHER] = {TL_A_ALL_TO_ALL_replica_groups,
                                               TL_A_ALL_TO_ALL_channel_handle, 0, 0},
      [TL_OP_COLLECTIVE_BROADCAST - TL_OP_ALL_GATHER] = {TL_A_COLLECTIVE_BROADCAST_replica_groups,
                                                         TL_A_COLLECTIVE_BROADCAST_channel_handle,
                                                         0, 0},
      [TL_OP_COLLECTIVE_PERMUTE -
          TL_OP_ALL_GATHER] = {0, TL_A_COLLECTIVE_PERMUTE_channel_handle, 0, 0},
      [TL_OP_COLLECTIVE_REDUCE - TL_OP_ALL_GATHER] = {TL_A_COLLECTIVE_REDUCE_replica_groups,
                                                      TL_A_COLLECTIVE_REDUCE_channel_handle, 0, 0},
      [TL_OP_REDUCE_SCATTER - TL_OP_ALL_GATHER] = {TL_A_REDUCE_SCATTER_replica_groups,
                                                   TL_A_REDUCE_SCATTER_channel_handle,
                                                   TL_A_REDUCE_SCATTER_use_global_device_ids,
                                                   TL_A_REDUCE_SCATTER_scatter_dimension},
  };
  return code >= TL_OP_ALL_GATHER && code <= TL_OP_REDUCE_SCATTER ? &table[code - TL_OP_ALL_GATHER]
                                                                  : NULL;
}

static bool differentiable(const tl_op *op) {
  const tl_dtype_kind kind =
      op->n_operands == 0 ? TL_KIND_BOOL : tl_dtype_get(op->operands[0]->type.dtype)->kind;
  return kind != TL_KIND_BOOL && kind != TL_KIND_INT && kind != TL_KIND_UINT;
}

static tl_status collect(list *l, const tl_block *block) { // NOLINT(misc-no-recursion): counted
  if (++l->depth > MAX_DEPTH)
    return TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", MAX_DEPTH);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (++l->n_ops > MAX_OPS || l->len == MAX_COLLECTIVES)
      return TL_ERROR(RESOURCE_EXHAUSTED, "more than %d ops, calls expanded, or %d collectives",
                      MAX_OPS, MAX_COLLECTIVES);
    if (facts_of(op->code) != NULL && differentiable(op)) {
      if (l->len == l->cap) {
        const size_t cap = l->cap == 0 ? 64 : 2 * l->cap;
        found *bigger = realloc(l->ptr, cap * sizeof *bigger);
        if (bigger == NULL) return TL_OOM();
        l->ptr = bigger;
        l->cap = cap;
      }
      l->ptr[l->len++] = (found){op, false};
      continue; // its region only combines
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
      TL_TRY(collect(l, op->regions[i]));
    for (uint32_t i = 0; i < tl_op_get(op->code)->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        const tl_func *fn = tl_module_find(block->func->module, names[k]);
        if (fn != NULL) TL_TRY(collect(l, fn->body));
      }
    }
  }
  l->depth--;
  return TL_OK;
}

// A region that adds its two arguments.
static bool adds(const tl_op *op) {
  const tl_block *block = op->regions[0];
  const tl_op *first = block->first;
  return first != NULL && first->code == TL_OP_ADD && first->next == block->last &&
         block->last->code == TL_OP_RETURN && block->last->n_operands == 1 &&
         block->last->operands[0] == first->results[0] && first->operands[0]->op == NULL &&
         first->operands[1]->op == NULL && first->operands[0] != first->operands[1];
}

static bool same_place(const tl_op *a, const tl_op *b) {
  const facts *fa = facts_of(a->code), *fb = facts_of(b->code);
  const tl_i64s ca = tl_op_list(a, fa->channel), cb = tl_op_list(b, fb->channel);
  // Only whether there is a channel decides which processes form a group.
  const bool has_a = ca.len > 0 && ca.ptr[0] > 0, has_b = cb.len > 0 && cb.ptr[0] > 0;
  const bool global_a = fa->global != 0 && tl_op_i64(a, fa->global) != 0,
             global_b = fb->global != 0 && tl_op_i64(b, fb->global) != 0;
  if (has_a != has_b || global_a != global_b) return false;
  if (fa->groups == 0 || fb->groups == 0) return true;
  tl_arena *arena = tl_arena_create();
  if (arena == NULL) return false;
  const tl_groups *x =
                      tl_groups_resolve(a->block->func->module, tl_op_groups(a, fa->groups), arena),
                  *y =
                      tl_groups_resolve(b->block->func->module, tl_op_groups(b, fb->groups), arena);
  bool eq = x != NULL && y != NULL && x->n == y->n && x->size == y->size;
  for (size_t i = 0; eq && i < (size_t)x->n * x->size; i++)
    eq = x->ids[i] == y->ids[i];
  tl_arena_destroy(arena);
  return eq;
}

// Operand i of the one has the type of result i of the other, both ways; roots stand behind.
static bool types_turn(const tl_op *a, const tl_op *b) {
  if (a->n_operands != b->n_operands || a->n_results != b->n_results) return false;
  for (uint32_t i = 0; i < a->n_results; i++)
    if (!tl_type_eq(a->operands[i]->type, b->results[i]->type) ||
        !tl_type_eq(a->results[i]->type, b->operands[i]->type))
      return false;
  return true;
}

static bool pairs_turned(tl_i64s a, tl_i64s b) {
  if (a.len != b.len) return false;
  for (size_t i = 0; i + 1 < a.len; i += 2) {
    bool there = false;
    for (size_t k = 0; k + 1 < b.len && !there; k += 2)
      there = a.ptr[i] == b.ptr[k + 1] && a.ptr[i + 1] == b.ptr[k];
    if (!there) return false;
  }
  return true;
}

static bool gathers_and_scatters(const tl_op *gather, const tl_op *scatter) {
  return adds(scatter) && tl_op_i64(gather, TL_A_ALL_GATHER_all_gather_dim) ==
                              tl_op_i64(scatter, TL_A_REDUCE_SCATTER_scatter_dimension);
}

static bool are_dual(const tl_op *f, const tl_op *g) {
  if (!types_turn(f, g) || !same_place(f, g)) return false;
  switch (f->code) {
  case TL_OP_ALL_GATHER:
    return g->code == TL_OP_REDUCE_SCATTER && gathers_and_scatters(f, g);
  case TL_OP_REDUCE_SCATTER:
    return g->code == TL_OP_ALL_GATHER && gathers_and_scatters(g, f);
  case TL_OP_ALL_REDUCE:
    return g->code == TL_OP_ALL_REDUCE && adds(f) && adds(g);
  case TL_OP_ALL_TO_ALL:
    return g->code == TL_OP_ALL_TO_ALL &&
           tl_op_i64(f, TL_A_ALL_TO_ALL_split_dimension) ==
               tl_op_i64(g, TL_A_ALL_TO_ALL_concat_dimension) &&
           tl_op_i64(f, TL_A_ALL_TO_ALL_concat_dimension) ==
               tl_op_i64(g, TL_A_ALL_TO_ALL_split_dimension);
  case TL_OP_COLLECTIVE_PERMUTE:
    return g->code == TL_OP_COLLECTIVE_PERMUTE &&
           pairs_turned(tl_op_list(f, TL_A_COLLECTIVE_PERMUTE_source_target_pairs),
                        tl_op_list(g, TL_A_COLLECTIVE_PERMUTE_source_target_pairs));
  case TL_OP_COLLECTIVE_BROADCAST:
    return g->code == TL_OP_COLLECTIVE_REDUCE && adds(g);
  case TL_OP_COLLECTIVE_REDUCE:
    return g->code == TL_OP_COLLECTIVE_BROADCAST && adds(f);
  default:
    return false;
  }
}

// The very op again.
static bool are_same(const tl_op *f, const tl_op *g) {
  if (f->code != g->code || f->n_operands != g->n_operands) return false;
  for (uint32_t i = 0; i < f->n_operands; i++)
    if (!tl_type_eq(f->operands[i]->type, g->operands[i]->type)) return false;
  const tl_op_info *info = tl_op_get(f->code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (!tl_attr_eq(tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind, &f->attrs[i],
                    &g->attrs[i]))
      return false;
  return true;
}

static bool strike(list *gradient, const tl_op *f, bool (*fits)(const tl_op *, const tl_op *)) {
  for (size_t i = 0; i < gradient->len; i++)
    if (!gradient->ptr[i].used && fits(f, gradient->ptr[i].op)) {
      gradient->ptr[i].used = true;
      return true;
    }
  return false;
}

static const char *dual_of(const tl_op *op) {
  switch (op->code) {
  case TL_OP_ALL_GATHER:
    return "reduce_scatter of add, along the same dim and over the same groups";
  case TL_OP_REDUCE_SCATTER:
    return "all_gather along the same dim and over the same groups";
  case TL_OP_ALL_TO_ALL:
    return "all_to_all with its dims exchanged, over the same groups";
  case TL_OP_COLLECTIVE_PERMUTE:
    return "collective_permute with its pairs turned round";
  case TL_OP_COLLECTIVE_BROADCAST:
    return "collective_reduce of add over the same groups";
  case TL_OP_COLLECTIVE_REDUCE:
    return "collective_broadcast over the same groups";
  default:
    return "all_reduce of add over the same groups";
  }
}

tl_status tl_check_dual(const tl_func *forward, const tl_func *gradient, bool recomputes,
                        tl_diags *diags) {
  list f = {0}, g = {0};
  tl_status st;
  TL_TRY_GOTO(done, st, collect(&f, forward->body));
  TL_TRY_GOTO(done, st, collect(&g, gradient->body));
  const size_t errors = diags->n_errors;
  for (size_t i = 0; i < f.len && recomputes; i++)
    if (!strike(&g, f.ptr[i].op, are_same))
      tl_diags_add(diags, TL_DIAG_ERROR, f.ptr[i].op->loc,
                   "%s: @" TL_STR_FMT " does not compute it again",
                   tl_op_get(f.ptr[i].op->code)->mnemonic, TL_STR_ARG(gradient->name));
  for (size_t i = 0; i < f.len; i++)
    if (!strike(&g, f.ptr[i].op, are_dual))
      tl_diags_add(
          diags, TL_DIAG_ERROR, f.ptr[i].op->loc, "%s: no dual in @" TL_STR_FMT "; wanted %s",
          tl_op_get(f.ptr[i].op->code)->mnemonic, TL_STR_ARG(gradient->name), dual_of(f.ptr[i].op));
  for (size_t i = 0; i < g.len; i++)
    if (!g.ptr[i].used)
      tl_diags_add(diags, TL_DIAG_ERROR, g.ptr[i].op->loc,
                   "%s: the dual of no collective of @" TL_STR_FMT,
                   tl_op_get(g.ptr[i].op->code)->mnemonic, TL_STR_ARG(forward->name));
  st = diags->oom ? TL_OOM() : diags->n_errors == errors ? TL_OK : tl_diags_status(diags);
done:
  free(f.ptr);
  free(g.ptr);
  return st;
}
