#include "open.h"

#include "base/file.h"
#include "pjrt/plugin/plugin.h"

tl_status tl_open_model_options(const tl_cli *cli, tl_model_options *out_options) {
  tl_model_options o = {
      .context = cli->context, .num_blocks = cli->num_blocks, .max_batch = cli->max_batch};
  if (cli->compute && strcmp(cli->compute, "exact") != 0)
    return TL_ERROR(INVALID_ARGUMENT, "--compute: '%s'; wanted exact", cli->compute);
  if (cli->weights && strcmp(cli->weights, "keep") != 0) {
    if (strcmp(cli->weights, "f32") == 0)
      o.weights = TL_WEIGHTS_F32;
    else if (strcmp(cli->weights, "bf16") == 0)
      o.weights = TL_WEIGHTS_BF16;
    else
      return TL_ERROR(INVALID_ARGUMENT, "--weights: '%s'; wanted keep, f32 or bf16", cli->weights);
  }
  if (cli->kv && strcmp(cli->kv, "f32") != 0) {
    if (strcmp(cli->kv, "bf16") != 0)
      return TL_ERROR(INVALID_ARGUMENT, "--kv: '%s'; wanted f32 or bf16", cli->kv);
    o.kv_bf16 = true;
  }
  if (cli->has_context && cli->context == 0)
    return TL_ERROR(INVALID_ARGUMENT, "--context: 0; wanted at least 1");
  *out_options = o;
  return TL_OK;
}

static tl_status open_directory(const tl_cli *cli, const char *model, tl_artifact **out_artifact) {
  static const struct {
    size_t has;
    const char *name;
  } fixed[] = {{offsetof(tl_cli, has_weights), "weights"},
               {offsetof(tl_cli, has_kv), "kv"},
               {offsetof(tl_cli, has_context), "context"},
               {offsetof(tl_cli, has_prefill_chunk), "prefill-chunk"}};
  for (size_t i = 0; i < TL_COUNT(fixed); i++)
    if (*(const bool *)((const char *)cli + fixed[i].has))
      return TL_ERROR(INVALID_ARGUMENT,
                      "--%s: %s is an artifact, whose export decided that already", fixed[i].name,
                      model);
  return tl_artifact_open(model, out_artifact);
}

tl_status tl_open_artifact(const tl_cli *cli, const char *model, tl_artifact **out_artifact) {
  if (strcmp(model, "@reference") == 0) return tl_artifact_reference(out_artifact);
  tl_model_options options;
  TL_TRY(tl_open_model_options(cli, &options));
  if (tl_path_is_dir(model)) {
    const char *manifest = tl_path_join(cli->arena, model, "tlaloc-serving.json");
    if (!manifest) return TL_OOM();
    if (tl_path_exists(manifest)) return open_directory(cli, model, out_artifact);
  }
  tl_checkpoint *checkpoint = NULL;
  tl_tokenizer *tokenizer = NULL;
  tl_model *m = NULL;
  tl_status st;
  TL_TRY_GOTO(done, st, tl_checkpoint_open(model, &checkpoint));
  st = checkpoint->is_gguf ? tl_tokenizer_load_gguf(checkpoint->gguf, &tokenizer)
                           : tl_tokenizer_load_hf(model, &tokenizer);
  if (tl_status_get_code(st) == TL_STATUS_NOT_FOUND) { // ids still work without one
    tl_status_drop(st);
    st = TL_OK;
  }
  if (st) goto done;
  TL_TRY_GOTO(done, st, tl_model_create(checkpoint, &options, &m));
  TL_TRY_GOTO(done, st, tl_artifact_of_model(m, tokenizer, cli->prefill_chunk, out_artifact));
  m = NULL; // the artifact's now
done:
  tl_model_destroy(m);
  tl_tokenizer_release(tokenizer);
  tl_checkpoint_release(checkpoint);
  return st;
}

tl_status tl_open_device(const tl_cli *cli, tl_pjrt_client **out_client) {
  const char *device = cli->device ? cli->device : "native";
  const bool ref = strcmp(device, "ref") == 0;
  tl_pjrt_plugin *plugin;
  if (!ref && strcmp(device, "native") != 0) {
    if (!strchr(device, '/') && !tl_path_exists(device))
      return TL_ERROR(INVALID_ARGUMENT,
                      "--device: '%s'; wanted native, ref, or the path of a PJRT plugin", device);
    if (cli->has_threads)
      return TL_ERROR(INVALID_ARGUMENT, "--threads: only the native device takes it");
    TL_TRY(tl_pjrt_open(device, &plugin));
    return tl_pjrt_client_create(plugin, NULL, out_client);
  }
  TL_TRY(tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin));
  tl_pjrt_option items[2];
  tl_pjrt_options options = {.items = items};
  if (cli->threads)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = cli->threads};
  if (ref)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "interpreter", .type = PJRT_NamedValue_kBool, .boolean = true};
  return tl_pjrt_client_create(plugin, &options, out_client);
}

tl_status tl_open(const tl_cli *cli, const char *model, tl_opened *out) {
  *out = (tl_opened){0};
  tl_status st;
  TL_TRY_GOTO(fail, st, tl_open_artifact(cli, model, &out->artifact));
  TL_TRY_GOTO(fail, st, tl_open_device(cli, &out->client));
  tl_engine_options options = {.reference_entries =
                                   cli->entries && strcmp(cli->entries, "reference") == 0};
  if (cli->entries && !options.reference_entries && strcmp(cli->entries, "step") != 0) {
    st = TL_ERROR(INVALID_ARGUMENT, "--entries: '%s'; wanted step or reference", cli->entries);
    goto fail;
  }
  TL_TRY_GOTO(fail, st, tl_engine_create(out->artifact, out->client, &options, &out->engine));
  return TL_OK;
fail:
  tl_open_close(out);
  return st;
}

void tl_open_close(tl_opened *o) {
  tl_engine_destroy(o->engine);
  tl_pjrt_client_release(o->client);
  tl_artifact_release(o->artifact);
  *o = (tl_opened){0};
}
