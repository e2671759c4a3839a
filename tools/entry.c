// The function that `tlaloc run` runs. A device runs @main, so for --entry NAME the module becomes
// one whose @main is that function: what it does not reach is dropped, and it takes the name.
#include "module.h"

#include "ir/ptr_map.h"
#include "shlo/shlo.h"

typedef struct reached {
  tl_ptr_map funcs;
  const tl_func **queue; // [all of them]: a chain of calls may be longer than the stack is deep
  size_t n;
} reached;

static bool note(reached *r, const tl_func *fn) {
  if (!fn || tl_ptr_map_get(&r->funcs, fn, NULL)) return true;
  r->queue[r->n++] = fn;
  return tl_ptr_map_put(&r->funcs, fn, 1);
}

static bool note_calls(reached *r, const tl_module *m,
                       const tl_block *block) { // NOLINT(misc-no-recursion): verified
  for (const tl_op *op = block->first; op; op = op->next) {
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

static tl_status make_main(const tl_cli *cli, tl_module *m, tl_func *entry, tl_buf *text) {
  reached r = {.queue = TL_NEW(cli->arena, const tl_func *, m->n_funcs)};
  bool good = r.queue && note(&r, entry);
  for (size_t at = 0; good && at < r.n; at++)
    good = note_calls(&r, m, r.queue[at]->body);
  const tl_func *main = tl_module_find(m, TL_STR("main"));
  tl_status st = good ? TL_OK : TL_OOM();
  if (!st && main && tl_ptr_map_get(&r.funcs, main, NULL))
    st = TL_ERROR(UNIMPLEMENTED, "--entry: @" TL_STR_FMT " calls @main, whose name it would need",
                  TL_STR_ARG(entry->name));
  if (!st) {
    tl_module_drop(m, is_dropped, &r); // the entry too, to come back by its new name
    entry->next = NULL;
    entry->name = TL_STR("main");
    entry->is_private = false;
    tl_module_add(m, entry);
    tl_buf_clear(text);
    st = tl_shlo_print(m, &(tl_shlo_print_options){0}, text);
  }
  tl_ptr_map_deinit(&r.funcs);
  return st;
}

tl_status tl_cli_entry(const tl_cli *cli, tl_module *m, tl_buf *text, const tl_func **out_entry) {
  const char *wanted = cli->entry ? cli->entry : "main";
  tl_func *fn = tl_module_find(m, tl_str_of(wanted));
  if (!fn && !cli->entry)
    return TL_ERROR(NOT_FOUND, "%s: no function @main; --entry names another",
                    tl_cli_module_name(cli));
  if (!fn) {
    const char **names = TL_NEW(cli->arena, const char *, m->n_funcs + 1), *near = NULL;
    size_t n = 0;
    for (const tl_func *f = m->first; f && names; f = f->next)
      if ((names[n] = tl_arena_printf(cli->arena, TL_STR_FMT, TL_STR_ARG(f->name)))) n++;
    if (n) near = tl_str_nearest(tl_str_of(wanted), names, n);
    return TL_ERROR(NOT_FOUND, "%s: no function @%s%s%s%s", tl_cli_module_name(cli), wanted,
                    near ? "; did you mean @" : "", near ? near : "", near ? "?" : "");
  }
  *out_entry = fn;
  return strcmp(wanted, "main") == 0 ? TL_OK : make_main(cli, m, fn, text);
}
