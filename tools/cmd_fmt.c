// tlaloc fmt: a StableHLO module in the one way in which this program writes it.
#include "module.h"

int tl_cmd_fmt(const tl_cli *cli) {
  tl_buf text = {0};
  tl_module *m = NULL;
  bool shown;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  if (!st) st = tl_cli_module_write(cli, m);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}
