// tlaloc chat: one question, or a conversation on a terminal. Text goes to stdout as it comes,
// figures to stderr.
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "open.h"
#include "tok/chat.h"

static volatile sig_atomic_t interrupted; // Ctrl-C while an answer streams

static void on_interrupt(int signal_number) {
  if (interrupted) { // asked twice: the device does not come back from its step
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  interrupted = 1;
}

typedef struct answer {
  tl_token_stream stream;
  tl_buf piece; // what became certain with the last token
  tl_buf text;  // the whole answer
  tl_status error;
} answer;

static void emit(answer *a) {
  if (a->piece.oom && !a->error) a->error = TL_OOM();
  fwrite(a->piece.ptr ? a->piece.ptr : "", 1, a->piece.len, stdout);
  fflush(stdout);
  tl_buf_str(&a->text, tl_buf_view(&a->piece));
  tl_buf_clear(&a->piece);
}

static bool on_token(void *arg, int32_t id) {
  answer *a = arg;
  a->error = tl_token_stream_push(&a->stream, id, &a->piece);
  emit(a);
  return !a->error && !interrupted && !ferror(stdout);
}

static tl_status add_message(json_t *messages, const char *role, const char *content, size_t len) {
  // NULL goes through json_array_append_new as a failure.
  json_t *m = json_pack("{s:s, s:s%}", "role", role, "content", content, len);
  return json_array_append_new(messages, m) == 0 ? TL_OK : TL_OOM();
}

// A conversation's head: nothing, or the system message.
static tl_status begin(const tl_cli *cli, json_t *messages) {
  json_array_clear(messages);
  return cli->system ? add_message(messages, "system", cli->system, strlen(cli->system)) : TL_OK;
}

static void print_figures(const tl_result *r, uint64_t load_ns) {
  fprintf(stderr, "\n%zu prompt tokens", r->n_prompt);
  if (r->n_reused) fprintf(stderr, " (%zu kept)", r->n_reused);
  fprintf(stderr, ", prefill %.0f ms", (double)r->prefill_ns * 1e-6);
  if (r->n_generated > 1)
    fprintf(stderr, ", %.1f tokens/s over %zu tokens",
            (double)(r->n_generated - 1) / ((double)r->decode_ns * 1e-9), r->n_generated);
  fprintf(stderr, ", load %.0f ms", (double)load_ns * 1e-6);
  if (r->finish == TL_FINISH_LENGTH) fprintf(stderr, " (stopped at the limit)");
  if (r->finish == TL_FINISH_CANCELLED) fprintf(stderr, " (interrupted)");
  fputc('\n', stderr);
}

// Renders the conversation and answers it; the answer becomes a message of it.
static tl_status answer_once(const tl_cli *cli, tl_opened *o, tl_sequence *s, json_t *messages,
                             uint64_t load_ns, tl_finish *out_finish) {
  tl_tokenizer *tok = o->artifact->tokenizer;
  tl_ids ids = {0}, out = {0};
  answer a = {0};
  tl_token_stream_init(&a.stream, tok, true);
  tl_status st;
  tl_chat_options chat = {.add_generation_prompt = true, .allow_special = cli->special};
  TL_TRY_GOTO(done, st, tl_tokenizer_chat_ids(tok, messages, &chat, NULL, &ids));
  tl_request request = {
      .prompt = ids.ptr,
      .n_prompt = ids.len,
      .max_new = cli->max_new,
      .ignore_stops = cli->ignore_eos,
      .sampling = {cli->temperature, cli->top_k, cli->top_p, cli->min_p, cli->seed},
      .on_token = on_token,
      .arg = &a};
  interrupted = 0;
  struct sigaction act = {.sa_handler = on_interrupt}, old;
  sigaction(SIGINT, &act, &old);
  tl_result result;
  st = tl_engine_generate(o->engine, s, &request, &out, &result);
  sigaction(SIGINT, &old, NULL);
  if (!st) st = a.error, a.error = TL_OK;
  if (st) goto done;
  TL_TRY_GOTO(done, st, tl_token_stream_finish(&a.stream, &a.piece));
  emit(&a);
  fputc('\n', stdout);
  fflush(stdout);
  if (!cli->quiet) print_figures(&result, load_ns);
  *out_finish = result.finish;
  st = a.text.oom ? TL_OOM()
                  : add_message(messages, "assistant", tl_buf_view(&a.text).ptr, a.text.len);
done:
  tl_status_drop(a.error);
  tl_token_stream_deinit(&a.stream);
  tl_buf_deinit(&a.piece);
  tl_buf_deinit(&a.text);
  tl_ids_deinit(&ids);
  tl_ids_deinit(&out);
  return st;
}

// The lines of stdin, each a question. On a terminal a mistake is told and the conversation goes
// on; from a pipe it ends the program, so that a script sees it.
static tl_status conversation(const tl_cli *cli, tl_opened *o, tl_sequence *s, json_t *messages,
                              uint64_t load_ns) {
  const bool terminal = isatty(STDIN_FILENO);
  char *line = NULL;
  size_t cap = 0, n_lines = 0;
  tl_finish finish;
  tl_status st = TL_OK;
  if (terminal)
    fprintf(stderr, "%s. Ctrl-C stops an answer, Ctrl-D ends.\n", o->artifact->model_name);
  while (!st && !ferror(stdout)) {
    if (terminal) fputs("> ", stderr);
    ssize_t len = getline(&line, &cap, stdin);
    if (len < 0) break;
    n_lines++;
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
      len--;
    if (len == 0) continue;
    const size_t before = json_array_size(messages);
    if (tl_utf8_valid((tl_str){line, (size_t)len}))
      st = add_message(messages, "user", line, (size_t)len);
    else
      st = TL_ERROR(INVALID_ARGUMENT, "line %zu is not UTF-8", n_lines);
    if (!st) st = answer_once(cli, o, s, messages, load_ns, &finish);
    if (!st || !terminal) continue;
    const bool full = tl_status_get_code(st) == TL_STATUS_OUT_OF_RANGE;
    fprintf(stderr, "tlaloc: %s%s\n", tl_status_message(st),
            full && before ? "; the conversation begins anew" : "");
    tl_status_drop(st);
    st = TL_OK;
    if (full) st = begin(cli, messages);
    while (json_array_size(messages) > before) // the question that has no answer
      json_array_remove(messages, json_array_size(messages) - 1);
  }
  if (terminal) fputc('\n', stderr);
  free(line);
  return st;
}

// Without a tokenizer there is no text: the reference model answers in ids.
static tl_status answer_in_ids(const tl_cli *cli, tl_opened *o, tl_sequence *s) {
  static const int32_t prompt[] = {1, 2};
  tl_ids out = {0};
  tl_result result;
  tl_request request = {
      .prompt = prompt, .n_prompt = TL_COUNT(prompt), .max_new = cli->max_new ? cli->max_new : 2};
  tl_status st = tl_engine_generate(o->engine, s, &request, &out, &result);
  if (!st) {
    printf("%s has an alphabet of %u tokens and no text; [1, 2] goes on as [",
           o->artifact->model_name, o->artifact->vocab);
    for (size_t i = 0; i < out.len; i++)
      printf("%s%d", i ? ", " : "", out.ptr[i]);
    printf("]\n");
  }
  tl_ids_deinit(&out);
  return st;
}

static tl_status chat(const tl_cli *cli, tl_opened *o, tl_sequence *s, json_t *messages,
                      uint64_t load_ns, tl_finish *out_finish) {
  if (!o->artifact->tokenizer && strcmp(cli->args[0], "@reference") == 0)
    return answer_in_ids(cli, o, s);
  if (!o->artifact->tokenizer)
    return TL_ERROR(FAILED_PRECONDITION,
                    "%s has no tokenizer; `tlaloc generate --ids` works without one", cli->args[0]);
  TL_TRY(begin(cli, messages));
  if (cli->n_args < 2) return conversation(cli, o, s, messages, load_ns);
  TL_TRY(add_message(messages, "user", cli->args[1], strlen(cli->args[1])));
  return answer_once(cli, o, s, messages, load_ns, out_finish);
}

int tl_cmd_chat(const tl_cli *cli) {
  if (cli->n_args == 2 && !tl_utf8_valid(tl_str_of(cli->args[1])))
    return tl_cli_usage(cli, "the question is not UTF-8");
  if (cli->system && !tl_utf8_valid(tl_str_of(cli->system)))
    return tl_cli_usage(cli, "--system: the text is not UTF-8");
  tl_opened o;
  uint64_t start = tl_now_ns();
  tl_status st = tl_open(cli, cli->args[0], &o);
  if (st) return tl_cli_fail(st);
  uint64_t load_ns = tl_now_ns() - start;
  tl_finish finish = TL_FINISH_STOP;
  tl_sequence *s = NULL;
  json_t *messages = json_array();
  st = messages ? tl_sequence_create(o.engine, &s) : TL_OOM();
  if (!st) st = chat(cli, &o, s, messages, load_ns, &finish);
  json_decref(messages);
  tl_sequence_destroy(s);
  tl_open_close(&o);
  if (!st && finish == TL_FINISH_CANCELLED && !ferror(stdout)) return TL_EXIT_INTERRUPTED;
  return tl_cli_fail(st);
}
