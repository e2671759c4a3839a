// tlaloc export: a model as an artifact directory, which appears whole or not at all.
#include "cli.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "open.h"

typedef struct progress_line {
  bool draw;
  uint64_t last_ns;
} progress_line;

static void show(void *arg, const char *what, uint64_t done, uint64_t total) {
  progress_line *p = arg;
  uint64_t now = tl_now_ns();
  if (!p->draw || (done != total && now - p->last_ns < 100000000u)) return;
  p->last_ns = now;
  fprintf(stderr, "\r\033[K%s %.1f of %.1f MB", what, (double)done * 1e-6, (double)total * 1e-6);
  fflush(stderr);
}

static tl_status check_contexts(const tl_cli *cli) {
  for (size_t i = 0; i < cli->contexts.len; i++)
    if (cli->contexts.ptr[i] == 0 || cli->contexts.ptr[i] % 16 ||
        (i && cli->contexts.ptr[i] <= cli->contexts.ptr[i - 1]))
      return TL_ERROR(INVALID_ARGUMENT,
                      "--contexts: %u; wanted ascending multiples of the page's 16 tokens",
                      cli->contexts.ptr[i]);
  return TL_OK;
}

static tl_status summary(const char *dir) {
  tl_artifact *a;
  TL_TRY(tl_artifact_open(dir, &a));
  uint64_t weights = 0;
  for (size_t i = 0; i < a->n_slots; i++)
    weights += a->slots[i].size;
  printf("model      %s\nhash       %s\nlayers %u  hidden %u  vocab %u\nweights    %.1f MB in %zu "
         "slots\n"
         "KV pool    %u pages x %u tokens, context %u, %s, %llu bytes\n",
         a->model_name, a->model_hash, a->n_layers, a->hidden, a->vocab, (double)weights * 1e-6,
         a->n_slots, a->num_blocks, a->block_size, a->context, tl_dtype_get(a->kv_dtype)->mlir,
         (unsigned long long)tl_artifact_kv_size(a));
  for (size_t i = 0; i < a->n_entries; i++)
    printf("  %-24s %s\n", a->entries[i].id, a->entries[i].body_path);
  tl_artifact_release(a);
  return TL_OK;
}

// The published form leaves nothing to choose.
static const char *goes_without_reference(const tl_cli *cli) {
  return cli->n_args              ? "MODEL"
         : cli->has_compute       ? "--compute"
         : cli->has_weights       ? "--weights"
         : cli->quantize_head     ? "--quantize-head"
         : cli->no_quantize_head  ? "--no-quantize-head"
         : cli->has_kv            ? "--kv"
         : cli->has_context       ? "--context"
         : cli->has_max_batch     ? "--max-batch"
         : cli->has_contexts      ? "--contexts"
         : cli->has_prefill_chunk ? "--prefill-chunk"
         : cli->has_num_blocks    ? "--num-blocks"
         : cli->inline_named      ? "--inline"
         : cli->link              ? "--link"
         : cli->pack              ? "--pack"
                                  : NULL;
}

int tl_cmd_export(const tl_cli *cli) {
  if (!cli->out) return tl_cli_usage(cli, "wants -o DIR");
  if (!cli->reference && cli->n_args != 1) return tl_cli_usage(cli, "wants a MODEL");
  const char *other = cli->reference ? goes_without_reference(cli) : NULL;
  if (other) return tl_cli_usage(cli, "--reference takes no %s", other);
  tl_file_cleanup_on_signals();
  progress_line line = {.draw = tl_stderr_is_terminal() && !cli->quiet};
  tl_artifact *a = NULL;
  tl_status st = check_contexts(cli);
  if (!st && cli->reference) st = tl_artifact_export_reference(cli->out, false);
  if (!st && !cli->reference) {
    st = tl_open_artifact(cli, cli->args[0], &a);
    if (!st && !a->model)
      st = TL_ERROR(INVALID_ARGUMENT, "%s is an artifact already", cli->args[0]);
    tl_export_options options = {.max_batch = cli->max_batch,
                                 .contexts = cli->contexts.ptr,
                                 .n_contexts = cli->contexts.len,
                                 .prefill_chunk = cli->prefill_chunk,
                                 .inline_named = cli->inline_named,
                                 .link = cli->link,
                                 .pack = cli->pack,
                                 .progress = show,
                                 .progress_arg = &line};
    if (!st) st = tl_artifact_export(a, &options, cli->out);
    if (line.draw && line.last_ns) fprintf(stderr, "\r\033[K");
  }
  tl_artifact_release(a);
  if (!st) st = summary(cli->out);
  return tl_cli_fail(st);
}
