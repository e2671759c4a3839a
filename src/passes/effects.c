// Effects come up from callees: rounds over the functions until none is added. A verified module
// has no recursion, and as a rule a callee stands close to its caller, so the rounds are few.
#include "passes/effects.h"

const tl_func *tl_op_names_func(const tl_effects *fx, const tl_op *op, uint32_t i, uint32_t k) {
  uint64_t fn;
  uint32_t n;
  const tl_str *names = tl_op_symbols(op, i, &n);
  if (k >= n || !tl_map_get(&fx->names, names[k], &fn)) return NULL;
  return (const tl_func *)(uintptr_t)fn;
}

static bool block_has_effects(const tl_effects *fx, const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next)
    if (tl_op_has_effects(fx, op)) return true;
  return false;
}

bool tl_op_has_effects(const tl_effects *fx, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  if ((info->traits & TL_EFFECT) != 0) return true;
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    uint32_t n;
    (void)tl_op_symbols(op, i, &n);
    for (uint32_t k = 0; k < n; k++) {
      const tl_func *fn = tl_op_names_func(fx, op, i, k);
      if (fn != NULL && tl_ptr_map_get(&fx->funcs, fn, NULL)) return true;
    }
  }
  for (uint32_t i = 0; i < op->n_regions; i++)
    if (block_has_effects(fx, op->regions[i])) return true;
  return false;
}

tl_status tl_effects_find(const tl_module *m, tl_effects *fx) {
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    if (!tl_map_put(&fx->names, fn->name, (uintptr_t)fn)) return TL_OOM();
  for (bool grew = true; grew;) {
    grew = false;
    for (const tl_func *fn = m->first; fn != NULL; fn = fn->next) {
      if (tl_ptr_map_get(&fx->funcs, fn, NULL) || !block_has_effects(fx, fn->body)) continue;
      if (!tl_ptr_map_put(&fx->funcs, fn, 1)) return TL_OOM();
      grew = true;
    }
  }
  return TL_OK;
}

void tl_effects_deinit(tl_effects *fx) {
  tl_map_deinit(&fx->names);
  tl_ptr_map_deinit(&fx->funcs);
}
