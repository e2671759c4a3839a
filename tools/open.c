#include "open.h"

#include "base/file.h"
#include "pjrt/plugin/plugin.h"

static tl_model_options model_options(const tl_cli *cli) {
  tl_model_options o = {
      .context = cli->context, .num_blocks = cli->num_blocks, .max_batch = cli->max_batch};
  static const char *const weights[] = {
      [TL_WEIGHTS_KEEP] = "keep", [TL_WEIGHTS_F32] = "f32", [TL_WEIGHTS_BF16] = "bf16",
      [TL_WEIGHTS_INT8] = "int8", [TL_WEIGHTS_FP8] = "fp8", [TL_WEIGHTS_INT4] = "int4"};
  for (size_t i = 0; cli->weights && i < TL_COUNT(weights); i++)
    if (strcmp(cli->weights, weights[i]) == 0) o.weights = (tl_weights_mode)i;
  if (cli->quantize_head) o.head = TL_HEAD_QUANTIZE;
  if (cli->no_quantize_head) o.head = TL_HEAD_KEEP;
  if (cli->compute && strcmp(cli->compute, "fast") == 0) o.compute = TL_COMPUTE_FAST;
  static const char *const kv[] = {[TL_KV_F32] = "f32",
                                   [TL_KV_BF16] = "bf16",
                                   [TL_KV_F16] = "f16",
                                   [TL_KV_FP8] = "fp8",
                                   [TL_KV_INT8] = "int8"};
  for (size_t i = 0; cli->kv && i < TL_COUNT(kv); i++)
    if (strcmp(cli->kv, kv[i]) == 0) o.kv = (tl_kv_mode)i;
  return o;
}

// Flags that shape a model are refused where its shape is settled.
static tl_status refuse_shaping(const tl_cli *cli, const char *model, const char *why) {
  static const struct {
    size_t has;
    const char *name;
  } fixed[] = {{offsetof(tl_cli, has_weights), "weights"},
               {offsetof(tl_cli, quantize_head), "quantize-head"},
               {offsetof(tl_cli, no_quantize_head), "no-quantize-head"},
               {offsetof(tl_cli, has_compute), "compute"},
               {offsetof(tl_cli, has_kv), "kv"},
               {offsetof(tl_cli, has_context), "context"},
               {offsetof(tl_cli, has_prefill_chunk), "prefill-chunk"}};
  for (size_t i = 0; i < TL_COUNT(fixed); i++)
    if (*(const bool *)((const char *)cli + fixed[i].has))
      return TL_ERROR(INVALID_ARGUMENT, "--%s: %s is %s", fixed[i].name, model, why);
  return TL_OK;
}

static tl_status open_artifact(const tl_cli *cli, const char *model, tl_open_reach reach, void *arg,
                               tl_artifact **out_artifact) {
  if (strcmp(model, "@reference") == 0) {
    TL_TRY(refuse_shaping(cli, model, "built in, and its shape is fixed"));
    return tl_artifact_reference(out_artifact);
  }
  if (model[0] == '@' && !tl_path_exists(model))
    return TL_ERROR(NOT_FOUND, "%s: no such file, and the only built-in model is @reference",
                    model);
  if (tl_path_is_dir(model)) {
    const char *manifest = tl_path_join(cli->arena, model, "tlaloc-serving.json");
    if (!manifest) return TL_OOM();
    if (tl_path_exists(manifest)) {
      TL_TRY(refuse_shaping(cli, model, "an artifact, whose export decided that already"));
      return tl_artifact_open(model, out_artifact);
    }
  }
  const bool head = cli->quantize_head || cli->no_quantize_head;
  tl_model_options options = model_options(cli);
  if (cli->quantize_head && cli->no_quantize_head)
    return TL_ERROR(INVALID_ARGUMENT, "--quantize-head and --no-quantize-head; wanted one of them");
  if (head && options.weights < TL_WEIGHTS_INT8)
    return TL_ERROR(INVALID_ARGUMENT, "--%squantize-head goes with --weights int8, fp8 or int4",
                    cli->no_quantize_head ? "no-" : "");
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
  if (reach) TL_TRY_GOTO(done, st, reach(arg, tokenizer, &options.reach));
  TL_TRY_GOTO(done, st, tl_model_create(checkpoint, &options, &m));
  TL_TRY_GOTO(done, st, tl_artifact_of_model(m, tokenizer, cli->prefill_chunk, out_artifact));
  m = NULL; // the artifact's now
done:
  tl_model_destroy(m);
  tl_tokenizer_release(tokenizer);
  tl_checkpoint_release(checkpoint);
  return st;
}

tl_status tl_open_artifact(const tl_cli *cli, const char *model, tl_artifact **out_artifact) {
  return open_artifact(cli, model, NULL, NULL, out_artifact);
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
    if (cli->single_process)
      return TL_ERROR(INVALID_ARGUMENT, "--single-process: only the native device and ref take it");
    const tl_pjrt_option count = {
        .name = "cpu_device_count", .type = PJRT_NamedValue_kInt64, .int64 = cli->devices};
    return tl_pjrt_client_create(
        plugin, cli->devices ? &(tl_pjrt_options){.items = &count, .n_items = 1} : NULL,
        out_client);
  }
  TL_TRY(tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin));
  tl_pjrt_option items[4];
  tl_pjrt_options options = {.items = items};
  if (cli->devices)
    items[options.n_items++] = (tl_pjrt_option){
        .name = "cpu_device_count", .type = PJRT_NamedValue_kInt64, .int64 = cli->devices};
  if (cli->single_process)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "single_process", .type = PJRT_NamedValue_kBool, .boolean = true};
  if (cli->threads)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = cli->threads};
  if (ref)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "interpreter", .type = PJRT_NamedValue_kBool, .boolean = true};
  return tl_pjrt_client_create(plugin, &options, out_client);
}

tl_status tl_open(const tl_cli *cli, const char *model, tl_opened *out) {
  return tl_open_for(cli, model, NULL, NULL, out);
}

tl_status tl_open_for(const tl_cli *cli, const char *model, tl_open_reach reach, void *arg,
                      tl_opened *out) {
  *out = (tl_opened){0};
  tl_status st;
  TL_TRY_GOTO(fail, st, open_artifact(cli, model, reach, arg, &out->artifact));
  TL_TRY_GOTO(fail, st, tl_open_device(cli, &out->client));
  tl_engine_options options = {.reference_entries =
                                   cli->entries && strcmp(cli->entries, "reference") == 0,
                               .mmap = cli->mmap};
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
