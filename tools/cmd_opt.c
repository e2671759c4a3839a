// tlaloc opt: passes over a StableHLO module, in the order in which they are named.
#include "module.h"

#include <stdio.h>

#include "passes/passes.h"

static int unknown_pass(const tl_cli *cli, tl_str name) {
  size_t n;
  const tl_pass *passes = tl_passes(&n);
  const char **names = TL_NEW(cli->arena, const char *, n);
  for (size_t i = 0; names && i < n; i++)
    names[i] = passes[i].name;
  const char *near = names ? tl_str_nearest(name, names, n) : NULL;
  return tl_cli_usage(cli, "no pass '" TL_STR_FMT "'; %s%s%s", TL_STR_ARG(name),
                      near ? "did you mean " : "", near ? near : "`tlaloc opt --list` lists them",
                      near ? "?" : "");
}

// The next name of a comma-separated list.
static tl_str next_name(const char **at) {
  const size_t n = strcspn(*at, ",");
  const tl_str name = {*at, n};
  *at += n + ((*at)[n] == ',');
  return name;
}

static int list(void) {
  size_t n;
  const tl_pass *passes = tl_passes(&n);
  for (size_t i = 0; i < n; i++)
    printf("%-10s %s\n", passes[i].name, passes[i].help);
  return TL_EXIT_OK;
}

int tl_cmd_opt(const tl_cli *cli) {
  if (cli->list) return list();
  if (cli->n_args == 0) return tl_cli_usage(cli, "wants a module; `tlaloc opt --help` says how");
  if (!cli->pass)
    return tl_cli_usage(cli, "wants --pass NAME[,NAME...]; `tlaloc opt --list` lists them");
  for (const char *at = cli->pass; *at;) { // every name before anything is read
    const tl_str name = next_name(&at);
    if (!tl_pass_find(name)) return unknown_pass(cli, name);
  }
  tl_buf text = {0};
  tl_module *m = NULL;
  bool shown;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  for (const char *at = cli->pass; *at && !st;) {
    const tl_str name = next_name(&at);
    tl_module *new = NULL;
    tl_diags diags = {0};
    st = tl_pass_find(name)->run(m, &new);
    if (!st) st = tl_module_verify(new, &diags);
    tl_diags_deinit(&diags);
    if (st) st = tl_status_note(st, "pass " TL_STR_FMT, TL_STR_ARG(name));
    tl_module_destroy(m);
    m = new;
  }
  if (!st) st = tl_cli_module_write(cli, m);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}
