// The walk: every op once a round, in order, each rule where it applies.
//
// A rule that replaces a branch or a loop gives a block of its own, whose ops come in its place and
// are walked next; C1 and F3 move what there is. What others read of a replaced value is found out
// as the walk comes to them, and regions are walked after the op that they belong to could not be
// replaced. A round ends with a tidying, which takes out what nobody uses, makes equal ops one and
// numbers values in order, as F3 and C1 want them.
#include "passes/phi_rules.h"

#include "passes/copy.h"
#include "passes/passes.h"
#include "passes/tidy.h"

tl_block *tl_phi_instead(tl_builder *b, const tl_op *op, const tl_phi_options *options) {
  static const tl_phi_options defaults;
  static tl_phi_rule *const rules[] = {tl_phi_known, tl_phi_same, tl_phi_flatten, tl_phi_break,
                                       tl_phi_loop};
  if (op->code != TL_OP_IF && op->code != TL_OP_CASE && op->code != TL_OP_WHILE) return NULL;
  tl_value *out = tl_room(b, op->n_results);
  for (size_t i = 0; i < TL_COUNT(rules) && b->error == TL_OK; i++) {
    tl_block *block = TL_NEW(b->m->arena, tl_block, 1);
    if (block == NULL) {
      tl_builder_fail(b, TL_OOM());
      break;
    }
    block->func = b->fn;
    tl_builder in = tl_builder_at(b, block);
    in.loc = op->loc;
    const bool applies = rules[i](&in, op, options == NULL ? &defaults : options, out);
    if (applies && in.error == TL_OK) tlo_return(&in, out, op->n_results);
    tl_builder_join(b, &in);
    if (applies) return b->error == TL_OK ? block : NULL;
  }
  return NULL;
}

// ---- In place ----

static tl_value resolve(const tl_phi_move *m, tl_value v) {
  for (tl_value now; (now = tl_ptr_map_find(&m->same, v)) != NULL;)
    v = now;
  return v;
}

static void resolve_block(const tl_phi_move *m, tl_block *block) {
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      op->operands[i] = resolve(m, op->operands[i]);
    for (uint32_t r = 0; r < op->n_regions; r++)
      resolve_block(m, op->regions[r]);
  }
}

static void count_uses(tl_phi_move *m, const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++) {
      uintptr_t n = 0;
      (void)tl_ptr_map_get(&m->uses, op->operands[i], &n);
      if (!tl_ptr_map_put(&m->uses, op->operands[i], n + 1)) tl_builder_fail(&m->b, TL_OOM());
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      count_uses(m, op->regions[r]);
  }
}

// The ops of `with` in place of `op`. Gives the first of them, or what came after `op`.
static tl_op *splice(tl_phi_move *m, tl_op *op, tl_block *with) {
  tl_block *block = op->block;
  tl_op *end = with->last;
  for (uint32_t k = 0; k < op->n_results; k++) {
    if (!tl_ptr_map_put(&m->same, op->results[k], (uintptr_t)end->operands[k]))
      tl_builder_fail(&m->b, TL_OOM());
    uintptr_t n = 0, has = 0; // of a new value, as many uses as of the old one
    (void)tl_ptr_map_get(&m->uses, op->results[k], &n);
    (void)tl_ptr_map_get(&m->uses, end->operands[k], &has);
    if (!tl_ptr_map_put(&m->uses, end->operands[k], n + has)) tl_builder_fail(&m->b, TL_OOM());
  }
  for (tl_op *o = with->first; o != end; o = o->next) {
    o->block = block;
    for (uint32_t k = 0; k < o->n_results; k++)
      o->results[k]->block = block;
  }
  tl_op *first = with->first == end ? op->next : with->first, *last = end->prev;
  if (last != NULL) {
    first->prev = op->prev;
    last->next = op->next;
    op->next->prev = last; // a return at least
  } else {
    first->prev = op->prev;
  }
  *(op->prev == NULL ? &block->first : &op->prev->next) = first;
  return first;
}

static bool walk(tl_phi_move *m, const tl_phi_options *options, tl_block *block) {
  const bool moves = options == NULL || !options->exact;
  bool changed = false;
  for (tl_op *op = block->first, *next; op != NULL && m->b.error == TL_OK; op = next) {
    next = op->next;
    for (uint32_t i = 0; i < op->n_operands; i++)
      op->operands[i] = resolve(m, op->operands[i]);
    if (op->n_regions == 0) {
      changed |= moves && tl_phi_distribute(m, op);
      continue;
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      resolve_block(m, op->regions[r]);
    m->b.block = block;
    m->b.loc = op->loc;
    tl_block *instead = tl_phi_instead(&m->b, op, options);
    if (instead != NULL) {
      next = splice(m, op, instead);
      changed = true;
      continue;
    }
    changed |= moves && tl_phi_turn(m, op);
    if (op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE)
      for (uint32_t r = 0; r < op->n_regions; r++)
        changed |= walk(m, options, op->regions[r]);
  }
  return changed;
}

static bool has_control(const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next)
    if (op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE) return true;
  return false;
}

tl_status tl_phi_func(tl_func *fn, uint32_t most, bool *out_changed) {
  return tl_phi_func_of(fn, NULL, most, out_changed);
}

tl_status tl_phi_func_of(tl_func *fn, const tl_phi_options *options, uint32_t most,
                         bool *out_changed) {
  *out_changed = false;
  if (!has_control(fn->body)) return TL_OK;
  for (uint32_t round = 0; round <= most; round++) {
    tl_func_number(fn);
    tl_phi_move m = {.fn = fn, .made = fn->next_id, .b = {.m = fn->module, .fn = fn}};
    count_uses(&m, fn->body);
    const bool changed = walk(&m, options, fn->body);
    tl_ptr_map_deinit(&m.uses);
    tl_ptr_map_deinit(&m.same);
    if (m.b.error != TL_OK) return m.b.error;
    if (!changed) return TL_OK;
    *out_changed = true;
    TL_TRY(tl_func_tidy(fn));
  }
  return TL_ERROR(RESOURCE_EXHAUSTED, "phi: @" TL_STR_FMT " is not done after %u rounds",
                  TL_STR_ARG(fn->name), most);
}

tl_status tl_pass_phi(const tl_module *m, tl_module **out_module) {
  tl_module *copy = NULL;
  TL_TRY(tl_module_copy(m, &(tl_copy_options){0}, &copy));
  tl_status st = TL_OK;
  bool any = false, changed;
  for (tl_func *fn = copy->first; fn != NULL && st == TL_OK; fn = fn->next) {
    st = tl_phi_func(fn, TL_PHI_ROUNDS, &changed);
    any |= changed;
  }
  if (st == TL_OK && any) {
    *out_module = copy;
    return TL_OK;
  }
  tl_module_destroy(copy); // what has not changed keeps its numbers
  return st != TL_OK ? st : tl_module_copy(m, &(tl_copy_options){0}, out_module);
}
