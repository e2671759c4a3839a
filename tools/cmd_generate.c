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

typedef struct given { // --ids, parsed
  int32_t *ids;
  size_t len;
} given;

static tl_status prompt_ids(const tl_cli *cli, const given *g, const tl_artifact *a, tl_ids *out) {
  if (cli->has_ids) {
    for (size_t i = 0; i < g->len; i++)
      tl_ids_push(out, g->ids[i]);
    return out->oom ? TL_OOM() : TL_OK;
  }
  if (!a->tokenizer)
    return TL_ERROR(FAILED_PRECONDITION, "%s has no tokenizer; give --ids", cli->args[0]);
  return tl_tokenizer_encode(a->tokenizer, tl_str_of(cli->text), NULL, out);
}

static tl_status generate(const tl_cli *cli, const given *g, tl_opened *o) {
  tl_ids prompt = {0}, out = {0};
  tl_sequence *s = NULL;
  tl_buf text = {0}, json = {0};
  progress p = {0};
  tl_token_stream stream;
  tl_tokenizer *tok = o->artifact->tokenizer;
  tl_status st;
  if (tok) tl_token_stream_init(&stream, tok, true);
  if (tok && cli->text && !cli->json) p.stream = &stream;
  TL_TRY_GOTO(done, st, prompt_ids(cli, g, o->artifact, &prompt));
  TL_TRY_GOTO(done, st, tl_sequence_create(o->engine, &s));
  tl_request request = {
      .prompt = prompt.ptr,
      .n_prompt = prompt.len,
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
    print_ids(&json, prompt.ptr, prompt.len);
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
  tl_ids_deinit(&prompt);
  tl_ids_deinit(&out);
  tl_buf_deinit(&text);
  tl_buf_deinit(&json);
  return st;
}

int tl_cmd_generate(const tl_cli *cli) {
  if (cli->has_ids == cli->has_text) return tl_cli_usage(cli, "wants one of --ids and --text");
  given g = {0};
  tl_status st = cli->ids ? tl_cli_ids(cli->ids, cli->arena, &g.ids, &g.len) : TL_OK;
  if (st) {
    const int status = tl_cli_usage(cli, "--ids: %s", tl_status_message(st));
    tl_status_drop(st);
    return status;
  }
  tl_opened o;
  st = tl_open(cli, cli->args[0], &o);
  if (!st) st = generate(cli, &g, &o);
  tl_open_close(&o);
  return tl_cli_fail(st);
}
