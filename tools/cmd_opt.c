// tlaloc opt: passes over a StableHLO module, in the order in which they are named.
#include "module.h"

#include <stdio.h>

#include "passes/dual.h"
#include "passes/passes.h"
#include "passes/recognise.h"

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

// The next pass of a comma-separated list, and what stands behind its '=': up to the next name,
// which has no '=' of its own or is a pass. `specialise=n=4,m=8,cse` is two passes.
static tl_str next_pass(const char **at, tl_str *out_args) {
  const tl_str name = {*at, strcspn(*at, ",=")};
  *at += name.len;
  *out_args = (tl_str){*at, 0};
  if (**at == '=') {
    out_args->ptr = ++*at;
    for (;;) {
      *at += strcspn(*at, ",");
      out_args->len = (size_t)(*at - out_args->ptr);
      if (**at != ',') break;
      const tl_str next = {*at + 1, strcspn(*at + 1, ",=")};
      if ((*at)[1 + next.len] != '=' || tl_pass_find(next)) break;
      ++*at;
    }
  }
  *at += **at == ',';
  return name;
}

static tl_status run_pass(const tl_pass *pass, tl_str args, tl_buf *text, const tl_module *m,
                          tl_module **out_module, bool *out_shown) {
  tl_diags diags = {.source = tl_buf_view(text)};
  tl_status st =
      pass->run_of ? pass->run_of(m, args, &diags, out_module) : pass->run(m, out_module);
  if (st) tl_cli_module_show(&diags, out_shown);
  tl_diags_deinit(&diags);
  return st;
}

static int list(void) {
  size_t n;
  const tl_pass *passes = tl_passes(&n);
  for (size_t i = 0; i < n; i++)
    printf("%-10s %s\n", passes[i].name, passes[i].help);
  return TL_EXIT_OK;
}

// --check-dual FORWARD,GRADIENT: mistakes are shown in the module's text.
static tl_status check_dual(const tl_cli *cli, const tl_buf *text, const tl_module *m,
                            bool *out_shown) {
  const char *at = cli->check_dual;
  const tl_func *fns[2];
  for (int i = 0; i < 2; i++) {
    const size_t n = strcspn(at, ",");
    tl_str name = {at, n};
    at += n + (at[n] == ',');
    if (name.len > 0 && name.ptr[0] == '@') name = tl_str_sub(name, 1, name.len);
    fns[i] = tl_module_find(m, name);
    if (!fns[i])
      return TL_ERROR(NOT_FOUND, "--check-dual: there is no function @" TL_STR_FMT,
                      TL_STR_ARG(name));
  }
  tl_diags diags = {.source = tl_buf_view(text)};
  tl_buf shown = {0};
  tl_status st = tl_check_dual(fns[0], fns[1], false, &diags);
  if (diags.n_errors) tl_diags_print(&diags, &shown, tl_stderr_is_terminal());
  *out_shown = shown.len > 0 && !shown.oom;
  if (*out_shown) fwrite(shown.ptr, 1, shown.len, stderr);
  tl_buf_deinit(&shown);
  tl_diags_deinit(&diags);
  return st;
}

// `recognise`, with what it nearly found.
static tl_status recognise_aloud(const tl_module *m, tl_module **out_module) {
  static tl_near_misses misses;
  tl_status st = tl_recognise(m, &misses, out_module);
  for (size_t i = 0; i < misses.len && !st; i++) {
    const tl_near_miss *at = &misses.items[i];
    fprintf(stderr, "%s:%u:%u: remark: nearly a %s, but for this %s: line %u, column %u\n",
            at->loc.file ? at->loc.file : "?", at->loc.line, at->loc.col, at->pattern, at->failed,
            at->failed_loc.line, at->failed_loc.col);
  }
  return st;
}

int tl_cmd_opt(const tl_cli *cli) {
  if (cli->list) return list();
  if (cli->n_args == 0) return tl_cli_usage(cli, "wants a module; `tlaloc opt --help` says how");
  if (!cli->pass && !cli->check_dual && !cli->explain)
    return tl_cli_usage(cli, "wants --pass NAME[,NAME...] or --explain; `tlaloc opt --list` lists "
                             "the passes");
  for (const char *at = cli->pass ? cli->pass : ""; *at;) { // every name before anything is read
    tl_str args;
    const tl_str name = next_pass(&at, &args);
    const tl_pass *pass = tl_pass_find(name);
    if (!pass) return unknown_pass(cli, name);
    if (args.len && !pass->run_of)
      return tl_cli_usage(cli, "the pass " TL_STR_FMT " takes no arguments", TL_STR_ARG(name));
  }
  tl_buf text = {0};
  tl_module *m = NULL;
  bool shown = false;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  if (!st && cli->check_dual) st = check_dual(cli, &text, m, &shown);
  for (const char *at = cli->pass ? cli->pass : ""; *at && !st;) {
    tl_str args;
    const tl_str name = next_pass(&at, &args);
    tl_module *new = NULL;
    tl_diags diags = {0};
    st = cli->remarks && tl_str_is(name, "recognise")
             ? recognise_aloud(m, &new)
             : run_pass(tl_pass_find(name), args, &text, m, &new, &shown);
    if (!st) st = tl_module_verify(new, &diags);
    tl_diags_deinit(&diags);
    if (st) st = tl_status_note(st, "pass " TL_STR_FMT, TL_STR_ARG(name));
    tl_module_destroy(m);
    m = new;
  }
  if (!st && cli->pass && (!cli->explain || cli->out)) st = tl_cli_module_write(cli, m);
  if (!st && cli->explain) st = tl_cli_explain(cli, &m);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}
