// tlaloc jvp|vjp --check-custom: the rules that a module's composites bring, against the derivative
// of what they stand for (src/ad/check.h), at a point. Nothing is written.
#include "cmd_check.h"

#include <stdio.h>

#include "ad/check.h"
#include "inputs.h"
#include "module.h"

static const char *what_of(const tl_ad_check_row *r) {
  return r->forward ? "jvp" : r->transposed ? "transpose of the jvp" : "vjp";
}

// A wrong rule is an error at the first composite that brings it.
static void report(const tl_ad_check_row *r, tl_diags *diags) {
  const char *against = r->differences ? "central differences of" : "the derivative of";
  if (r->passed) {
    printf("%s @" TL_STR_FMT ": passed against %s @" TL_STR_FMT
           ": by argument %u %.9g and %.9g, relative error %.2g\n",
           what_of(r), TL_STR_ARG(r->rule), against, TL_STR_ARG(r->function), r->wrt,
           r->primal_inner, r->rule_inner, r->relative_error);
    return;
  }
  tl_diags_add(diags, TL_DIAG_ERROR, r->loc,
               "the %s @" TL_STR_FMT " is not the derivative of @" TL_STR_FMT
               ": by argument %u %s gives %.9g, the rule %.9g: relative error %.2g",
               what_of(r), TL_STR_ARG(r->rule), TL_STR_ARG(r->function), r->wrt,
               r->differences ? "differencing" : "differentiating", r->primal_inner, r->rule_inner,
               r->relative_error);
}

static tl_status point(const tl_cli *cli, const tl_func *fn, const tl_npy *in, tl_tensor **out) {
  if (!cli->inputs.len) return tl_ad_random_inputs(fn, cli->seed, cli->arena, out);
  tl_tensor *args = TL_NEW(cli->arena, tl_tensor, cli->inputs.len + 1);
  if (!args) return TL_OOM();
  for (size_t i = 0; i < cli->inputs.len; i++)
    args[i] = (tl_tensor){in[i].type, (void *)(uintptr_t)in[i].data};
  *out = args;
  return TL_OK;
}

int tl_check_custom(const tl_cli *cli, bool forward) {
  tl_buf text = {0};
  tl_module *m = NULL;
  tl_npy *in = NULL;
  const tl_func *fn = NULL;
  tl_tensor *args;
  tl_ad_check_row *rows;
  uint32_t n_rows, n_ours = 0;
  bool shown = false;
  tl_diags diags = {0};
  const tl_ad_check_options o = {.wrt = cli->wrt.ptr,
                                 .n_wrt = (uint32_t)cli->wrt.len,
                                 .tolerance = (double)cli->tolerance,
                                 .seed = cli->seed,
                                 .differences = cli->differences};
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  if (!st) st = tl_cli_entry(cli, m, &text, &fn);
  if (!st && cli->inputs.len) st = tl_cli_inputs_read(cli, fn, &in);
  if (!st && cli->inputs.len) st = tl_cli_specialise(cli, in, &text, &m, &shown);
  if (!st) fn = tl_module_find(m, TL_STR("main"));
  if (!st) st = point(cli, fn, in, &args);
  if (!st) st = tl_ad_check_custom(m, fn, args, &o, cli->arena, &rows, &n_rows);
  diags.source = tl_buf_view(&text);
  for (uint32_t i = 0; !st && i < n_rows; i++) {
    if (rows[i].forward != forward) continue;
    report(&rows[i], &diags);
    n_ours++;
  }
  if (!st && !n_ours)
    st = TL_ERROR(INVALID_ARGUMENT, "no composite that @" TL_STR_FMT " reaches brings a jvp",
                  TL_STR_ARG(fn->name));
  const bool wrong = diags.n_errors != 0;
  if (wrong) tl_cli_module_show(&diags, &shown);
  tl_diags_deinit(&diags);
  tl_cli_inputs_close(cli, in);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!shown && st) return tl_cli_fail(st);
  tl_status_drop(st);
  return wrong || shown ? TL_EXIT_FAILED : TL_EXIT_OK;
}
