// The function that `tlaloc run` runs. A device runs @main, so for --entry NAME the module becomes
// one whose @main is that function: what it does not reach is dropped, and it takes the name.
#include "module.h"

#include "passes/entry.h"
#include "shlo/shlo.h"

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
  if (strcmp(wanted, "main") == 0) return TL_OK;
  TL_TRY_NOTE(tl_module_make_main(m, fn), "--entry");
  tl_buf_clear(text);
  return tl_shlo_print(m, &(tl_shlo_print_options){0}, text);
}
