// Dead code: ops whose results nobody uses, and private functions that nobody calls.
//
// Uses stand behind definitions, so one walk from the end of a function sees every use of a value
// before its definition: an op is kept when it ends its block, has an effect, or gives something
// that a kept op uses. Functions are walked as kept ops name them, from the public ones on; a
// function that only dead ops call is dead as well.
#include "passes/passes.h"

#include "passes/copy.h"
#include "passes/effects.h"

typedef struct dce {
  tl_effects fx;
  tl_ptr_map used;       // values
  tl_ptr_map reached;    // functions
  tl_ptr_map skip;       // ops and functions
  const tl_func **queue; // [n_funcs] reached, and walked up to somewhere
  size_t n_queue;
  bool oom;
} dce;

static void reach(dce *d, const tl_func *fn) {
  if (tl_ptr_map_get(&d->reached, fn, NULL)) return;
  if (!tl_ptr_map_put(&d->reached, fn, 1)) {
    d->oom = true;
    return;
  }
  d->queue[d->n_queue++] = fn;
}

static bool is_needed(const dce *d, const tl_op *op) {
  if ((tl_op_get(op->code)->traits & TL_TERM) != 0 || tl_op_has_effects(&d->fx, op)) return true;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (tl_ptr_map_get(&d->used, op->results[i], NULL)) return true;
  return false;
}

static void walk(dce *d, const tl_block *block) {
  for (const tl_op *op = block->last; op != NULL && !d->oom; op = op->prev) {
    if (!is_needed(d, op)) {
      if (!tl_ptr_map_put(&d->skip, op, 1)) d->oom = true;
      continue;
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (!tl_ptr_map_put(&d->used, op->operands[i], 1)) d->oom = true;
    for (uint32_t i = 0; i < tl_op_get(op->code)->n_attrs; i++) {
      uint32_t n;
      (void)tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        const tl_func *fn = tl_op_names_func(&d->fx, op, i, k);
        if (fn != NULL) reach(d, fn);
      }
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
      walk(d, op->regions[i]);
  }
}

tl_status tl_pass_dce(const tl_module *m, tl_module **out_module) {
  dce d = {0};
  tl_arena *scratch = tl_arena_create();
  tl_status st = TL_OK;
  if (scratch != NULL) d.queue = TL_NEW(scratch, const tl_func *, m->n_funcs + 1);
  if (d.queue == NULL) {
    st = TL_OOM();
    goto done;
  }
  TL_TRY_GOTO(done, st, tl_effects_find(m, &d.fx));
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    if (!fn->is_private) reach(&d, fn);
  for (size_t i = 0; i < d.n_queue; i++)
    walk(&d, d.queue[i]->body);
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    if (!tl_ptr_map_get(&d.reached, fn, NULL) && !tl_ptr_map_put(&d.skip, fn, 1)) d.oom = true;
  st = d.oom ? TL_OOM() : tl_module_copy(m, &(tl_copy_options){.skip = &d.skip}, out_module);
done:
  tl_effects_deinit(&d.fx);
  tl_ptr_map_deinit(&d.used);
  tl_ptr_map_deinit(&d.reached);
  tl_ptr_map_deinit(&d.skip);
  tl_arena_destroy(scratch);
  return st;
}
