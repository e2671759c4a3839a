// tlaloc bench: tokens a second of prefill and decode at depths of context and numbers of sequences
// in a step, through the engine that serves; or the time from process start to the first token.
#include "cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "open.h"

enum {
  MAX_ROUNDS = 64, // as the row of --rounds says
  MAX_BATCH = 1024,
  USUAL_CONTEXT = 2048, // of a model, unless --context says otherwise
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *v, size_t n) {
  qsort(v, n, sizeof *v, ascending);
  return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

// One child: `tlaloc chat MODEL question --max-new 1`, from exec to the first byte of its answer.
static tl_status first_token(const tl_cli *cli, double *out_seconds) {
  static const char question[] = "What is the capital of France?";
  int ends[2];
  if (pipe(ends) != 0) return TL_ERROR(INTERNAL, "no pipe for the child process");
  char threads[32], context[32], chunk[32];
  snprintf(threads, sizeof threads, "%u", cli->threads);
  snprintf(context, sizeof context, "%u", cli->context);
  snprintf(chunk, sizeof chunk, "%u", cli->prefill_chunk);
  const struct {
    bool has;
    const char *flag, *value;
  } passed_on[] = {{cli->has_device, "--device", cli->device},
                   {cli->has_threads, "--threads", threads},
                   {cli->has_compute, "--compute", cli->compute},
                   {cli->has_weights, "--weights", cli->weights},
                   {cli->has_kv, "--kv", cli->kv},
                   {cli->has_context, "--context", context},
                   {cli->has_prefill_chunk, "--prefill-chunk", chunk}};
  const char *argv[9 + 2 * TL_COUNT(passed_on) + 1] = {cli->program, "chat",        cli->args[0],
                                                       question,     "--max-new=1", "--quiet"};
  size_t n = 6;
  for (size_t i = 0; i < TL_COUNT(passed_on); i++)
    if (passed_on[i].has) argv[n++] = passed_on[i].flag, argv[n++] = passed_on[i].value;
  if (cli->quantize_head) argv[n++] = "--quantize-head";
  if (cli->no_quantize_head) argv[n++] = "--no-quantize-head";
  if (cli->mmap) argv[n++] = "--mmap";
  uint64_t start = tl_now_ns();
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]), close(ends[1]);
    return TL_ERROR(INTERNAL, "no child process");
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]), close(ends[1]);
    execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  close(ends[1]);
  char byte;
  ssize_t got = read(ends[0], &byte, 1);
  uint64_t end = tl_now_ns();
  while (read(ends[0], &byte, 1) > 0) {
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (got != 1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return TL_ERROR(FAILED_PRECONDITION, "the child process gave no answer (status %d)",
                    WEXITSTATUS(status));
  *out_seconds = (double)(end - start) * 1e-9;
  return TL_OK;
}

static int bench_startup(const tl_cli *cli, uint32_t rounds) {
  double seconds[MAX_ROUNDS], warm;
  tl_status st = first_token(cli, &warm); // brings the file into the page cache
  for (uint32_t i = 0; !st && i < rounds; i++)
    st = first_token(cli, &seconds[i]);
  if (st) return tl_cli_fail(st);
  const double mid = median(seconds, rounds);
  if (cli->json)
    printf(
        "{\"metric\":\"startup\",\"seconds\":%.4f,\"best\":%.4f,\"median\":%.4f,\"rounds\":%u}\n",
        mid, seconds[0], mid, rounds);
  else
    printf("first token after %.3f s (median of %u processes; best %.3f, worst %.3f)\n", mid,
           rounds, seconds[0], seconds[rounds - 1]);
  return TL_EXIT_OK;
}

// Rates are of one metric at one depth and batch, a round each.
static void report(const tl_cli *cli, const char *metric, uint32_t prompt, uint32_t depth,
                   uint32_t batch, double *rates, uint32_t rounds) {
  const double mid = median(rates, rounds), best = rates[rounds - 1];
  if (cli->json)
    printf("{\"metric\":\"%s\",\"prompt\":%u,\"depth\":%u,\"batch\":%u,\"tokens_per_second\":%.2f,"
           "\"best\":%.2f,\"median\":%.2f}\n",
           metric, prompt, depth, batch, mid, best, mid);
  else
    printf("%-8s %4u tokens at depth %-5u batch %-3u best %8.1f  median %8.1f tokens/s\n", metric,
           prompt, depth, batch, best, mid);
  fflush(stdout);
}

typedef struct measurement {
  const tl_cli *cli;
  tl_opened opened;
  uint32_t prompt, gen, rounds;
  tl_u32s depths, batches;
  uint32_t most;            // sequences of the largest batch
  tl_sequence **sequences;  // [most]
  tl_step_item *items;      // [most]
  int32_t *ids;             // [context]
  uint64_t random;          // the state of the generator of prompts
  double *prefill, *decode; // [rounds], [batches][rounds] tokens a second at the present depth
} measurement;

// Prompts that no cache has seen: tokens from a generator, never the same again.
static const int32_t *random_tokens(measurement *m, size_t n) {
  for (size_t i = 0; i < n; i++) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    m->ids[i] = (int32_t)((m->random >> 33) % m->opened.artifact->vocab);
  }
  return m->ids;
}

// Tokens a second of what has taken since `start`, and --perturb's part of it once more.
static double rate_since(const measurement *m, uint64_t start, double tokens) {
  const uint64_t took = tl_now_ns() - start,
                 until = start + took + (uint64_t)((double)took * (double)m->cli->perturb * 0.01);
  uint64_t now;
  do
    now = tl_now_ns();
  while (now < until);
  return tokens * 1e9 / (double)(now - start);
}

static tl_status at_depth(measurement *m, tl_sequence *s, uint32_t depth) {
  const float *logits;
  tl_sequence_truncate(s, depth);
  const uint32_t lacks = depth - s->n_tokens;
  if (lacks) TL_TRY(tl_sequence_append(s, random_tokens(m, lacks), lacks));
  return tl_sequence_run(s, &logits);
}

static tl_status prefill_once(measurement *m, uint32_t depth, double *out_rate) {
  const float *logits;
  tl_sequence *s = m->sequences[0];
  TL_TRY(at_depth(m, s, depth));
  TL_TRY(tl_sequence_append(s, random_tokens(m, m->prompt), m->prompt));
  const uint64_t start = tl_now_ns();
  TL_TRY(tl_sequence_run(s, &logits));
  *out_rate = rate_since(m, start, m->prompt);
  return TL_OK;
}

static tl_status decode_once(measurement *m, uint32_t depth, uint32_t batch, double *out_rate) {
  for (uint32_t i = 0; i < batch; i++) {
    TL_TRY(at_depth(m, m->sequences[i], TL_MAX(depth, 1u)));
    m->items[i] = (tl_step_item){.sequence = m->sequences[i], .n = 1, .wants_logits = true};
  }
  (void)random_tokens(m, m->gen);
  const uint64_t start = tl_now_ns();
  for (uint32_t t = 0; t < m->gen; t++) {
    for (uint32_t i = 0; i < batch; i++)
      TL_TRY(tl_sequence_append(m->sequences[i], &m->ids[t], 1));
    TL_TRY(tl_engine_step(m->opened.engine, m->items, batch));
  }
  *out_rate = rate_since(m, start, (double)m->gen * batch);
  return TL_OK;
}

static tl_status bench_depth(measurement *m, uint32_t depth) {
  double ignored;
  for (uint32_t round = 0; round <= m->rounds; round++) { // round 0 compiles and warms
    if (m->prompt) TL_TRY(prefill_once(m, depth, round ? &m->prefill[round - 1] : &ignored));
    for (size_t b = 0; b < m->batches.len && m->gen; b++)
      TL_TRY(decode_once(m, depth, m->batches.ptr[b],
                         round ? &m->decode[b * m->rounds + round - 1] : &ignored));
  }
  if (m->prompt) report(m->cli, "prefill", m->prompt, depth, 1, m->prefill, m->rounds);
  for (size_t b = 0; b < m->batches.len && m->gen; b++)
    report(m->cli, "decode", m->gen, depth, m->batches.ptr[b], m->decode + b * m->rounds,
           m->rounds);
  return TL_OK;
}

// What holds memory now: on the device, and of the process what is not (code, the program's text,
// the checkpoint's pages that are mapped).
static tl_status report_memory(const measurement *m) {
  const tl_engine_stats stats = tl_engine_get_stats(m->opened.engine);
  tl_pjrt_memory d;
  TL_TRY(tl_pjrt_client_memory(m->opened.client, 0, &d));
  const double weights = (double)stats.weight_bytes, kv = (double)stats.kv_bytes,
               other = (double)d.in_use - weights - kv,
               spare = d.pool < 0 ? 0 : (double)(d.pool - d.in_use),
               programs = d.reserved < 0 ? 0 : (double)d.reserved, peak = (double)tl_mem_peak_rss();
  printf(m->cli->json
             ? "{\"metric\":\"memory\",\"weights\":%.0f,\"kv\":%.0f,\"buffers\":%.0f,"
               "\"spare\":%.0f,\"programs\":%.0f,\"peak_resident\":%.0f}\n"
             : "memory   weights %.0f, keys and values %.0f, other buffers %.0f, kept for reuse "
               "%.0f, programs %.0f; resident at most %.0f bytes\n",
         weights, kv, other, spare, programs, peak);
  return TL_OK;
}

static tl_status bench_rates(measurement *m, uint32_t deepest) {
  const tl_artifact *a = m->opened.artifact;
  tl_arena *arena = m->cli->arena;
  if ((uint64_t)m->prompt + deepest > a->context || (uint64_t)m->gen + deepest + 1 > a->context)
    return TL_ERROR(INVALID_ARGUMENT,
                    "--prompt %u, --gen %u and --depth %u need a longer context than %u", m->prompt,
                    m->gen, deepest, a->context);
  m->ids = TL_NEW(arena, int32_t, a->context);
  m->sequences = TL_NEW(arena, tl_sequence *, m->most);
  m->items = TL_NEW(arena, tl_step_item, m->most);
  m->prefill = TL_NEW(arena, double, m->rounds);
  m->decode = TL_NEW(arena, double, m->rounds * m->batches.len);
  tl_status st = m->ids && m->sequences && m->items && m->prefill && m->decode ? TL_OK : TL_OOM();
  for (uint32_t i = 0; i < m->most && !st; i++)
    st = tl_sequence_create(m->opened.engine, &m->sequences[i]);
  for (size_t d = 0; d < m->depths.len && !st; d++)
    st = bench_depth(m, m->depths.ptr[d]);
  if (!st && !m->cli->json) {
    tl_engine_stats stats = tl_engine_get_stats(m->opened.engine);
    printf("load %.0f ms, %u entries compiled in %.0f ms, weights %.1f MB, peak resident %.1f MB\n",
           (double)stats.load_ns * 1e-6, stats.n_compiled, (double)stats.compile_ns * 1e-6,
           (double)stats.weight_bytes * 1e-6, (double)tl_mem_peak_rss() * 1e-6);
  }
  if (!st && m->cli->memory) st = report_memory(m);
  for (uint32_t i = 0; m->sequences && i < m->most; i++)
    tl_sequence_destroy(m->sequences[i]);
  return st;
}

static uint32_t largest(tl_u32s list) {
  uint32_t most = 0;
  for (size_t i = 0; i < list.len; i++)
    most = TL_MAX(most, list.ptr[i]);
  return most;
}

int tl_cmd_bench(const tl_cli *cli) {
  const uint32_t rounds = cli->has_rounds ? cli->rounds : 5;
  if (cli->startup) return bench_startup(cli, rounds);
  static uint32_t none = 0, one = 1;
  measurement m = {.cli = cli,
                   .prompt = cli->has_prompt ? cli->prompt : 512,
                   .gen = cli->has_gen ? cli->gen : 128,
                   .rounds = rounds,
                   .depths = cli->has_depth ? cli->depth : (tl_u32s){&none, 1},
                   .batches = cli->has_batch ? cli->batch : (tl_u32s){&one, 1},
                   .random = 1};
  for (size_t i = 0; i < m.batches.len; i++)
    if (m.batches.ptr[i] < 1 || m.batches.ptr[i] > MAX_BATCH)
      return tl_cli_usage(cli, "--batch: '%u'; wanted numbers from 1 to %d", m.batches.ptr[i],
                          MAX_BATCH);
  const uint32_t deepest = largest(m.depths);
  const uint64_t needs = (uint64_t)deepest + TL_MAX(m.prompt, m.gen + 1);
  tl_cli shaped = *cli; // for as many sequences as there are, and as long ones
  m.most = shaped.max_batch = largest(m.batches);
  if (!cli->has_context && needs > USUAL_CONTEXT)
    shaped.context = (uint32_t)TL_MIN(needs, UINT32_MAX);
  tl_status st = tl_open(&shaped, cli->args[0], &m.opened);
  if (!st) st = bench_rates(&m, deepest);
  tl_open_close(&m.opened);
  return tl_cli_fail(st);
}
