// tlaloc generate: a prompt of ids or text, continued. One request, then the result as text, ids or
// JSON.
#include "cli.h"

#include <stdio.h>

#include "base/json.h"
#include "open.h"

static void print_ids(tl_buf *out, const int32_t *ids, size_t n) {
  tl_buf_char(out, '[');
  for (size_t i = 0; i < n; i++)
    tl_buf_printf(out, "%s%d", i ? "," : "", ids[i]);
  tl_buf_char(out, ']');
}

typedef struct progress {
  tl_token_stream *stream; // NULL: ids are printed at the end
  tl_buf piece;
  tl_status error;
} progress;

static bool on_token(void *arg, int32_t id) {
  progress *p = arg;
  if (!p->stream) return true;
  p->error = tl_token_stream_push(p->stream, id, &p->piece);
  if (p->piece.oom && !p->error) p->error = TL_OOM();
  fwrite(p->piece.ptr ? p->piece.ptr : "", 1, p->piece.len, stdout);
  fflush(stdout);
  tl_buf_clear(&p->piece);
  return !p->error && !ferror(stdout);
}

typedef struct prompt {
  const tl_cli *cli;
  const int32_t *ids; // --ids; or, once the text has become ids, those of `text`
  size_t len;
  bool known;
  tl_ids text;
} prompt;

static tl_status find_ids(prompt *p, const tl_tokenizer *tok) {
  if (p->known) return TL_OK;
  if (!tok)
    return TL_ERROR(FAILED_PRECONDITION, "%s has no tokenizer; give --ids", p->cli->args[0]);
  TL_TRY(tl_tokenizer_encode(tok, tl_str_of(p->cli->text), NULL, &p->text));
  p->ids = p->text.ptr, p->len = p->text.len;
  p->known = true;
  return TL_OK;
}

// The last token needs no place.
static tl_status reach(void *arg, const tl_tokenizer *tok, uint64_t *out_tokens) {
  prompt *p = arg;
  TL_TRY(find_ids(p, tok));
  *out_tokens = p->cli->max_new ? (uint64_t)p->len + p->cli->max_new : 0;
  return TL_OK;
}

static tl_status generate(const tl_cli *cli, prompt *g, tl_opened *o) {
  tl_ids out = {0};
  tl_sequence *s = NULL;
  tl_buf text = {0}, json = {0};
  progress p = {0};
  tl_token_stream stream;
  tl_tokenizer *tok = o->artifact->tokenizer;
  tl_status st;
  if (tok) tl_token_stream_init(&stream, tok, true);
  if (tok && cli->text && !cli->json) p.stream = &stream;
  TL_TRY_GOTO(done, st, find_ids(g, tok));
  TL_TRY_GOTO(done, st, tl_sequence_create(o->engine, &s));
  tl_request request = {
      .prompt = g->ids,
      .n_prompt = g->len,
      .max_new = cli->max_new,
      .ignore_stops = cli->ignore_eos,
      .sampling = {cli->temperature, cli->top_k, cli->top_p, cli->min_p, cli->seed},
      .on_token = on_token,
      .arg = &p};
  tl_result result;
  TL_TRY_GOTO(done, st, tl_engine_generate(o->engine, s, &request, &out, &result));
  if (p.error) {
    st = p.error, p.error = TL_OK;
    goto done;
  }
  if (p.stream) {
    TL_TRY_GOTO(done, st, tl_token_stream_finish(&stream, &p.piece));
    fwrite(p.piece.ptr ? p.piece.ptr : "", 1, p.piece.len, stdout);
    printf("\n");
  } else if (cli->json) {
    if (tok) TL_TRY_GOTO(done, st, tl_tokenizer_decode(tok, out.ptr, out.len, true, &text));
    tl_buf_cstr(&json, "{\"prompt\":");
    print_ids(&json, g->ids, g->len);
    tl_buf_cstr(&json, ",\"generated\":");
    print_ids(&json, out.ptr, out.len);
    tl_buf_cstr(&json, ",\"text\":");
    tl_json_quote(&json, tl_buf_view(&text));
    tl_buf_cstr(&json, "}\n");
    if (json.oom) {
      st = TL_OOM();
      goto done;
    }
    fwrite(json.ptr, 1, json.len, stdout);
  } else {
    for (size_t i = 0; i < out.len; i++)
      printf("%s%d", i ? " " : "", out.ptr[i]);
    printf("\n");
  }
  if (!cli->quiet && !cli->json) {
    fprintf(stderr, "%zu prompt tokens, prefill %.0f ms, %zu generated", result.n_prompt,
            (double)result.prefill_ns * 1e-6, result.n_generated);
    if (result.n_generated > 1)
      fprintf(stderr, ", %.1f tokens/s",
              (double)(result.n_generated - 1) / ((double)result.decode_ns * 1e-9));
    fputc('\n', stderr);
  }
done:
  if (tok) tl_token_stream_deinit(&stream);
  tl_status_drop(p.error);
  tl_buf_deinit(&p.piece);
  tl_sequence_destroy(s);
  tl_ids_deinit(&out);
  tl_buf_deinit(&text);
  tl_buf_deinit(&json);
  return st;
}

int tl_cmd_generate(const tl_cli *cli) {
  if (cli->has_ids == cli->has_text) return tl_cli_usage(cli, "wants one of --ids and --text");
  prompt g = {.cli = cli, .known = cli->has_ids};
  int32_t *ids = NULL;
  tl_status st = cli->ids ? tl_cli_ids(cli->ids, cli->arena, &ids, &g.len) : TL_OK;
  g.ids = ids;
  if (st) {
    const int status = tl_cli_usage(cli, "--ids: %s", tl_status_message(st));
    tl_status_drop(st);
    return status;
  }
  tl_opened o;
  st = tl_open_for(cli, cli->args[0], reach, &g, &o);
  if (!st) st = generate(cli, &g, &o);
  tl_open_close(&o);
  tl_ids_deinit(&g.text);
  return tl_cli_fail(st);
}
