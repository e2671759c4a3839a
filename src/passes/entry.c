// One function of a module as its program.
#include "passes/entry.h"

#include "ir/ptr_map.h"

typedef struct reached {
  tl_ptr_map funcs;
  const tl_func **queue; // [all of them]: a chain of calls may be longer than the stack is deep
  size_t n;
} reached;

static bool note(reached *r, const tl_func *fn) {
  if (fn == NULL || tl_ptr_map_get(&r->funcs, fn, NULL)) return true;
  r->queue[r->n++] = fn;
  return tl_ptr_map_put(&r->funcs, fn, 1);
}

static bool note_calls(reached *r, const tl_module *m,
                       const tl_block *block) { // NOLINT(misc-no-recursion): verified
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < tl_op_get(op->code)->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++)
        if (!note(r, tl_module_find(m, names[k]))) return false;
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
      if (!note_calls(r, m, op->regions[i])) return false;
  }
  return true;
}

static bool is_dropped(const tl_func *fn, void *arg) {
  const reached *r = arg;
  return fn == r->queue[0] || !tl_ptr_map_get(&r->funcs, fn, NULL);
}

tl_status tl_module_make_main(tl_module *m, tl_func *entry) {
  reached r = {.queue = TL_NEW(m->arena, const tl_func *, m->n_funcs)};
  bool good = r.queue != NULL && note(&r, entry);
  for (size_t at = 0; good && at < r.n; at++)
    good = note_calls(&r, m, r.queue[at]->body);
  const tl_func *main = tl_module_find(m, TL_STR("main"));
  tl_status st = good ? TL_OK : TL_OOM();
  if (st == TL_OK && main != NULL && main != entry && tl_ptr_map_get(&r.funcs, main, NULL))
    st = TL_ERROR(UNIMPLEMENTED, "@" TL_STR_FMT " calls @main, whose name it would need",
                  TL_STR_ARG(entry->name));
  if (st == TL_OK) {
    tl_module_drop(m, is_dropped, &r); // the entry too, to come back by its new name
    entry->next = NULL;
    entry->name = TL_STR("main");
    tl_module_add(m, entry);
    for (tl_func *f = m->first; f != NULL; f = f->next)
      f->is_private = f != entry;
  }
  tl_ptr_map_deinit(&r.funcs);
  return st;
}

static bool is_that(const tl_func *fn, void *arg) { return fn == arg; }

tl_status tl_module_rename(tl_module *m, tl_func *fn, tl_str name) {
  if (tl_module_find(m, name) != NULL)
    return TL_ERROR(ALREADY_EXISTS, "function @" TL_STR_FMT " is defined already",
                    TL_STR_ARG(name));
  tl_str copy = tl_str_copy(m->arena, name);
  if (copy.ptr == NULL) return TL_OOM();
  tl_module_drop(m, is_that, fn); // to come back by its new name
  fn->next = NULL;
  fn->name = copy;
  tl_module_add(m, fn);
  return TL_OK;
}
