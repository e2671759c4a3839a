// tlaloc tokenize: text to ids, ids to text.
#include "cli.h"

#include <stdio.h>

#include "base/file.h"
#include "open.h"

// The tokenizer alone: nothing of the weights is read.
static tl_status open_tokenizer(const tl_cli *cli, const char *model, tl_tokenizer **out_tok) {
  if (strcmp(model, "@reference") == 0)
    return TL_ERROR(FAILED_PRECONDITION, "@reference has no tokenizer");
  if (!tl_path_exists(model)) return TL_ERROR(NOT_FOUND, "%s: no such file or directory", model);
  if (tl_path_is_dir(model)) { // an artifact keeps it in a folder of its own
    const char *inside = tl_path_join(cli->arena, model, "tokenizer");
    if (!inside) return TL_OOM();
    const char *dir = tl_path_is_dir(inside) ? inside : model;
    const char *file = tl_path_join(cli->arena, dir, "tokenizer.json");
    if (file && !tl_path_exists(file))
      return TL_ERROR(NOT_FOUND, "%s: no tokenizer.json in it", dir);
    return tl_tokenizer_load_hf(dir, out_tok);
  }
  tl_gguf *gguf;
  TL_TRY(tl_gguf_open(model, &gguf));
  tl_status st = tl_tokenizer_load_gguf(gguf, out_tok);
  tl_gguf_destroy(gguf);
  return st;
}

int tl_cmd_tokenize(const tl_cli *cli) {
  tl_tokenizer *tok = NULL;
  tl_ids ids = {0};
  tl_buf text = {0};
  tl_status st = open_tokenizer(cli, cli->args[0], &tok);
  if (st) goto done;
  if (cli->decode) {
    int32_t *parsed;
    size_t n;
    TL_TRY_GOTO(done, st, tl_cli_ids(cli->args[1], cli->arena, &parsed, &n));
    TL_TRY_GOTO(done, st, tl_tokenizer_decode(tok, parsed, n, false, &text));
    tl_buf_char(&text, '\n');
    if (text.oom) st = TL_OOM();
    if (!st) fwrite(text.ptr, 1, text.len, stdout);
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
