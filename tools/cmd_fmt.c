// tlaloc fmt: a StableHLO module in the one way in which this program writes it.
#include "module.h"

#include <stdio.h>

#include "shlo/shlo.h"

// Whether the text is what would be printed; a line on stderr where not.
static tl_status check(const tl_cli *cli, const tl_module *m, tl_str text, bool *out_canonical) {
  tl_buf want = {0};
  TL_TRY(tl_shlo_print(m, &(tl_shlo_print_options){0}, &want));
  const tl_str canonical = tl_buf_view(&want);
  *out_canonical = tl_str_eq(canonical, text);
  if (!*out_canonical) {
    size_t line = 1;
    for (size_t i = 0; i < text.len && i < canonical.len && text.ptr[i] == canonical.ptr[i]; i++)
      line += text.ptr[i] == '\n';
    fprintf(stderr, "%s:%zu: is not as `tlaloc fmt` prints it\n", tl_cli_module_name(cli), line);
  }
  tl_buf_deinit(&want);
  return TL_OK;
}

int tl_cmd_fmt(const tl_cli *cli) {
  if (cli->check && cli->out) return tl_cli_usage(cli, "--check writes nothing, so -o has no use");
  if (cli->check && cli->emit)
    return tl_cli_usage(cli, "--check writes nothing, so --emit has no use");
  tl_buf text = {0};
  tl_module *m = NULL;
  bool shown, canonical = true;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  if (!st)
    st = cli->check ? check(cli, m, tl_buf_view(&text), &canonical)
                    : tl_cli_module_emit(cli, m, NULL);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!st && !canonical) return TL_EXIT_FAILED;
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}
