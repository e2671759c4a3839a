// tlaloc tokenize: text to ids, ids to text.
#include "cli.h"

#include <stdio.h>

#include "open.h"

int tl_cmd_tokenize(const tl_cli *cli) {
  tl_tokenizer *tok = NULL;
  tl_ids ids = {0};
  tl_buf text = {0};
  tl_status st;
  const char *model = cli->args[0];
  if (tl_path_is_dir(model)) {
    const char *inside =
        tl_path_join(cli->arena, model, "tokenizer"); // an artifact keeps it in a folder of its own
    st = tl_tokenizer_load_hf(inside && tl_path_is_dir(inside) ? inside : model, &tok);
  } else {
    tl_gguf *gguf = NULL;
    st = tl_gguf_open(model, &gguf);
    if (!st) st = tl_tokenizer_load_gguf(gguf, &tok);
    tl_gguf_destroy(gguf);
  }
  if (st) goto done;
  if (cli->decode) {
    int32_t *parsed;
    size_t n;
    TL_TRY_GOTO(done, st, tl_cli_ids(cli->args[1], cli->arena, &parsed, &n));
    TL_TRY_GOTO(done, st, tl_tokenizer_decode(tok, parsed, n, false, &text));
    printf("%.*s\n", (int)text.len, text.ptr ? text.ptr : "");
  } else {
    TL_TRY_GOTO(done, st, tl_tokenizer_encode(tok, tl_str_of(cli->args[1]), NULL, &ids));
    for (size_t i = 0; i < ids.len; i++)
      printf("%s%d", i ? " " : "", ids.ptr[i]);
    printf("\n");
  }
done:
  tl_buf_deinit(&text);
  tl_ids_deinit(&ids);
  tl_tokenizer_release(tok);
  return tl_cli_fail(st);
}
