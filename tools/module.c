#include "module.h"

#include <stdio.h>

#include "base/file.h"
#include "cpu/cpu.h"
#include "program/emit_c.h"
#include "shlo/shlo.h"

#define TEXT_MAX ((size_t)1 << 32)

// All of stdin, terminated.
static tl_status read_stdin(tl_buf *out) {
  char chunk[4096];
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, stdin)) > 0;) {
    tl_buf_add(out, chunk, n);
    if (out->len > TEXT_MAX)
      return TL_ERROR(INVALID_ARGUMENT, "<stdin>: more than %zu bytes", TEXT_MAX);
  }
  if (ferror(stdin)) return TL_ERROR(INTERNAL, "<stdin>: cannot be read");
  return out->oom ? TL_OOM() : TL_OK;
}

const char *tl_cli_module_name(const tl_cli *cli) {
  return strcmp(cli->args[0], "-") == 0 ? "<stdin>" : cli->args[0];
}

void tl_cli_module_show(const tl_diags *diags, bool *out_shown) {
  tl_buf shown = {0};
  if (diags->len) tl_diags_print(diags, &shown, tl_stderr_is_terminal());
  fwrite(shown.ptr ? shown.ptr : "", 1, shown.len, stderr);
  *out_shown |= diags->n_errors && shown.len;
  tl_buf_deinit(&shown);
}

tl_status tl_cli_module_read(const tl_cli *cli, tl_buf *text, tl_module **out_module,
                             bool *out_shown) {
  tl_diags diags = {0};
  *out_shown = false;
  const char *name = tl_cli_module_name(cli);
  TL_TRY(strcmp(cli->args[0], "-") == 0 ? read_stdin(text)
                                        : tl_file_read(cli->args[0], TEXT_MAX, text));
  tl_status st = tl_shlo_parse(tl_buf_view(text), name, &diags, out_module);
  tl_cli_module_show(&diags, out_shown);
  tl_diags_deinit(&diags);
  return st;
}

static tl_status write_text(const tl_cli *cli, tl_buf *text, tl_status st) { // consumes both
  if (!st && cli->out)
    st = tl_file_write(cli->out, text->ptr, text->len);
  else if (!st)
    fwrite(text->ptr, 1, text->len, stdout); // tl_cli_finish says when this was lost
  tl_buf_deinit(text);
  return st;
}

tl_status tl_cli_module_write(const tl_cli *cli, const tl_module *m) {
  tl_buf text = {0};
  tl_status st = tl_shlo_print(m, &(tl_shlo_print_options){0}, &text);
  return write_text(cli, &text, st);
}

tl_status tl_cli_module_emit(const tl_cli *cli, const tl_module *m, const tl_func *fn) {
  if (!cli->emit || strcmp(cli->emit, "c") != 0) return tl_cli_module_write(cli, m);
  tl_buf text = {0};
  tl_status st = tl_emit_c(m, fn, NULL, &text);
  return write_text(cli, &text, st);
}

// --limits: GB and G operations a second.
static tl_status limits_of(const char *text, tl_cpu_limits *out) {
  double gb, gop;
  int n = -1;
  if (sscanf(text, "%lf,%lf%n", &gb, &gop, &n) < 2 || n < 0 || text[n] != '\0' || !(gb > 0) ||
      !(gop > 0) || gb > 1e9 || gop > 1e9)
    return TL_ERROR(INVALID_ARGUMENT,
                    "--limits: '%s'; wanted GB/s and Gop/s, as in 45,420 (`make bench B=limits` "
                    "measures them)",
                    text);
  *out = (tl_cpu_limits){gb * 1e9, gop * 1e9};
  return TL_OK;
}

tl_status tl_cli_explain(const tl_cli *cli, tl_module **m) {
  if (cli->device && strcmp(cli->device, "native") != 0)
    return TL_ERROR(INVALID_ARGUMENT, "--explain: only the native device has a plan to show");
  tl_cpu_limits limits;
  if (cli->limits) TL_TRY(limits_of(cli->limits, &limits));
  tl_cpu *cpu;
  tl_cpu_exe *exe = NULL;
  tl_buf plan = {0};
  TL_TRY(tl_cpu_create(&(tl_cpu_options){.n_threads = cli->threads}, &cpu));
  tl_module *simple = NULL;
  tl_status st = tl_cpu_simplify(*m, &simple);
  if (!st) {
    tl_module_destroy(*m);
    *m = simple;
    st = tl_cpu_compile(cpu, *m, TL_STR("main"), &exe);
  }
  if (!st) {
    *m = NULL; // the program's now
    tl_cpu_exe_explain(exe, cli->limits ? &limits : NULL, &plan);
    if (plan.oom) st = TL_OOM();
    fwrite(plan.ptr ? plan.ptr : "", 1, plan.len, stdout);
  }
  tl_buf_deinit(&plan);
  tl_cpu_exe_release(exe);
  tl_cpu_release(cpu);
  return st;
}
