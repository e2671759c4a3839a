// tlaloc bench: tokens a second of prefill and decode, or the time from process start to the first
// token.
#include "cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "open.h"

enum { MAX_ROUNDS = 64 }; // as the row of --rounds says

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
  const char *argv[6 + 2 * TL_COUNT(passed_on) + 1] = {cli->program, "chat",        cli->args[0],
                                                       question,     "--max-new=1", "--quiet"};
  size_t n = 6;
  for (size_t i = 0; i < TL_COUNT(passed_on); i++)
    if (passed_on[i].has) argv[n++] = passed_on[i].flag, argv[n++] = passed_on[i].value;
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

static void report(const tl_cli *cli, const char *metric, uint32_t prompt, uint32_t depth,
                   double *rates, uint32_t rounds) {
  const double mid = median(rates, rounds), best = rates[rounds - 1];
  if (cli->json)
    printf("{\"metric\":\"%s\",\"prompt\":%u,\"depth\":%u,\"batch\":1,\"tokens_per_second\":%.2f,"
           "\"best\":%.2f,\"median\":%.2f}\n",
           metric, prompt, depth, mid, best, mid);
  else
    printf("%-8s %4u tokens at depth %-5u best %8.1f  median %8.1f tokens/s\n", metric, prompt,
           depth, best, mid);
}

// A prompt that no cache has seen: tokens from a generator, different each round.
static void random_tokens(int32_t *ids, size_t n, uint32_t vocab, uint64_t *state) {
  for (size_t i = 0; i < n; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    ids[i] = (int32_t)((*state >> 33) % vocab);
  }
}

static tl_status bench_rates(const tl_cli *cli, tl_opened *o, uint32_t rounds) {
  const uint32_t prompt = cli->has_prompt ? cli->prompt : 512, gen = cli->has_gen ? cli->gen : 128,
                 depth = cli->depth;
  const tl_artifact *a = o->artifact;
  if ((uint64_t)prompt + depth > a->context || (uint64_t)gen + depth + 1 > a->context)
    return TL_ERROR(INVALID_ARGUMENT,
                    "--prompt %u, --gen %u and --depth %u need a longer context than %u", prompt,
                    gen, depth, a->context);
  double prefill[MAX_ROUNDS], decode[MAX_ROUNDS];
  int32_t *ids = TL_NEW(cli->arena, int32_t, a->context);
  tl_sequence *s = NULL;
  const float *logits;
  tl_status st = ids ? tl_sequence_create(o->engine, &s) : TL_OOM();
  uint64_t state = 1;
  for (uint32_t round = 0; !st && round <= rounds; round++) { // round 0 compiles and warms
    for (int what = 0; what < 2 && !st; what++) {
      const uint32_t n = what == 0 ? prompt : gen;
      if (n == 0) continue;
      tl_sequence_truncate(s, 0);
      random_tokens(ids, a->context, a->vocab, &state);
      const uint32_t before = what == 0 ? depth : TL_MAX(depth, 1u);
      TL_TRY_GOTO(done, st, tl_sequence_append(s, ids, before));
      TL_TRY_GOTO(done, st, tl_sequence_run(s, &logits));
      uint64_t start = tl_now_ns();
      if (what == 0) {
        TL_TRY_GOTO(done, st, tl_sequence_append(s, ids + before, n));
        TL_TRY_GOTO(done, st, tl_sequence_run(s, &logits));
      }
      for (uint32_t i = 0; what == 1 && i < n; i++) {
        TL_TRY_GOTO(done, st, tl_sequence_append(s, ids + before + i, 1));
        TL_TRY_GOTO(done, st, tl_sequence_run(s, &logits));
      }
      double rate = (double)n / ((double)(tl_now_ns() - start) * 1e-9);
      if (round) (what == 0 ? prefill : decode)[round - 1] = rate;
    }
  }
  if (!st && prompt) report(cli, "prefill", prompt, depth, prefill, rounds);
  if (!st && gen) report(cli, "decode", gen, depth, decode, rounds);
  if (!st && !cli->json) {
    tl_engine_stats stats = tl_engine_get_stats(o->engine);
    printf("load %.0f ms, %u entries compiled in %.0f ms, weights %.1f MB, peak resident %.1f MB\n",
           (double)stats.load_ns * 1e-6, stats.n_compiled, (double)stats.compile_ns * 1e-6,
           (double)stats.weight_bytes * 1e-6, (double)tl_mem_peak_rss() * 1e-6);
  }
done:
  tl_sequence_destroy(s);
  return st;
}

int tl_cmd_bench(const tl_cli *cli) {
  const uint32_t rounds = cli->has_rounds ? cli->rounds : 5;
  if (cli->startup) return bench_startup(cli, rounds);
  tl_opened o;
  tl_status st = tl_open(cli, cli->args[0], &o);
  if (!st) st = bench_rates(cli, &o, rounds);
  tl_open_close(&o);
  return tl_cli_fail(st);
}
