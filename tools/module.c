#include "module.h"

#include <stdio.h>

#include "base/file.h"
#include "shlo/shlo.h"

tl_status tl_cli_module_read(const tl_cli *cli, tl_buf *text, tl_module **out_module,
                             bool *out_shown) {
  tl_diags diags = {0};
  *out_shown = false;
  TL_TRY(tl_file_read(cli->args[0], (size_t)1 << 32, text));
  tl_status st = tl_shlo_parse(tl_buf_view(text), cli->args[0], &diags, out_module);
  tl_buf shown = {0};
  if (diags.len) tl_diags_print(&diags, &shown, tl_stderr_is_terminal());
  fwrite(shown.ptr ? shown.ptr : "", 1, shown.len, stderr);
  *out_shown = diags.n_errors && shown.len;
  tl_buf_deinit(&shown);
  tl_diags_deinit(&diags);
  return st;
}

tl_status tl_cli_module_write(const tl_cli *cli, const tl_module *m) {
  tl_buf text = {0};
  tl_status st = tl_shlo_print(m, &(tl_shlo_print_options){0}, &text);
  if (!st && cli->out)
    st = tl_file_write(cli->out, text.ptr, text.len);
  else if (!st)
    fwrite(text.ptr, 1, text.len, stdout); // tl_cli_finish says when this was lost
  tl_buf_deinit(&text);
  return st;
}
