// What the end-to-end tests share: from a checkpoint to an engine on the embedded plugin, and runs
// of token lists through it. Failures end the test, so nothing here returns a status.
#ifndef TL_TESTS_E2E_H
#define TL_TESTS_E2E_H

#include <math.h>

#include "base/json.h"
#include "base/test.h"
#include "pjrt/plugin/plugin.h"
#include "serve/engine/engine.h"

typedef struct e2e_options { // zero = the defaults
  tl_model_options model;
  uint32_t prefill_chunk; // tokens a step at most
  int64_t threads;        // 0 = as many as the process may use
  bool interpreter;       // the reference interpreter in place of the native backend
  bool reference_entries; // decode and prefill entries
} e2e_options;

typedef struct e2e {
  tl_artifact *artifact;
  tl_pjrt_client *client;
  tl_engine *engine;
} e2e;

TL_UNUSED static tl_artifact *e2e_artifact(const char *path, const e2e_options *o) {
  if (tl_path_is_dir(path)) {
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s/tlaloc-serving.json", path);
    if (tl_path_exists(manifest)) {
      tl_artifact *opened = NULL;
      assert_ok(tl_artifact_open(path, &opened));
      return opened;
    }
  }
  tl_checkpoint *checkpoint = NULL;
  tl_tokenizer *tokenizer = NULL;
  tl_model *model = NULL;
  tl_artifact *artifact = NULL;
  assert_ok(tl_checkpoint_open(path, &checkpoint));
  if (checkpoint->is_gguf) assert_ok(tl_tokenizer_load_gguf(checkpoint->gguf, &tokenizer));
  assert_ok(tl_model_create(checkpoint, &o->model, &model));
  assert_ok(tl_artifact_of_model(model, tokenizer, o->prefill_chunk, &artifact));
  tl_tokenizer_release(tokenizer);
  tl_checkpoint_release(checkpoint);
  return artifact;
}

TL_UNUSED static tl_pjrt_client *e2e_client(const e2e_options *o) {
  tl_pjrt_plugin *plugin = NULL;
  tl_pjrt_client *client = NULL;
  assert_ok(tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin));
  tl_pjrt_option items[2];
  tl_pjrt_options options = {.items = items};
  if (o->threads)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = o->threads};
  if (o->interpreter)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "interpreter", .type = PJRT_NamedValue_kBool, .boolean = true};
  assert_ok(tl_pjrt_client_create(plugin, &options, &client));
  return client;
}

TL_UNUSED static void e2e_open(e2e *t, const char *path, const e2e_options *o) {
  static const e2e_options defaults;
  if (o == NULL) o = &defaults;
  *t = (e2e){.artifact = e2e_artifact(path, o), .client = e2e_client(o)};
  const tl_engine_options options = {.reference_entries = o->reference_entries};
  assert_ok(tl_engine_create(t->artifact, t->client, &options, &t->engine));
}

TL_UNUSED static void e2e_close(e2e *t) {
  tl_engine_destroy(t->engine);
  tl_pjrt_client_release(t->client);
  tl_artifact_release(t->artifact);
  *t = (e2e){0};
}

// Runs what the sequence has not run, at most `chunk` tokens a step, and copies the logits of the
// last token to out_logits [vocab].
TL_UNUSED static void e2e_feed(tl_sequence *s, uint32_t chunk, float *out_logits) {
  const uint32_t most = TL_MIN(chunk, tl_engine_max_step(s->engine));
  assert_true(s->n_cached < s->n_tokens);
  tl_step_item item = {.sequence = s};
  while (s->n_cached < s->n_tokens) {
    item.n = TL_MIN(most, s->n_tokens - s->n_cached);
    item.wants_logits = s->n_cached + item.n == s->n_tokens;
    assert_ok(tl_engine_step(s->engine, &item, 1));
  }
  assert_non_null(item.logits);
  memcpy(out_logits, item.logits, tl_engine_artifact(s->engine)->vocab * sizeof(float));
}

// The same for a list of tokens in a sequence of its own.
TL_UNUSED static void e2e_logits(tl_engine *e, const int32_t *ids, size_t n, uint32_t chunk,
                                 float *out_logits) {
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(e, &s));
  assert_ok(tl_sequence_append(s, ids, n));
  e2e_feed(s, chunk, out_logits);
  tl_sequence_destroy(s);
}

TL_UNUSED static int32_t e2e_argmax(const float *logits, size_t n) {
  int32_t id = -1;
  assert_ok(tl_sample_greedy(logits, n, &id));
  return id;
}

// Where the model of the demo lies: $TLALOC_MODEL, or in the user's cache. False when there is no
// such file; `path` names it anyhow.
TL_UNUSED static bool e2e_smollm2(char *path, size_t size) {
  const char *named = getenv("TLALOC_MODEL"), *cache = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  const char *file = "tlaloc/models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (named && *named)
    snprintf(path, size, "%s", named);
  else if (cache && *cache)
    snprintf(path, size, "%s/%s", cache, file);
  else
    snprintf(path, size, "%s/.cache/%s", home ? home : "", file);
  return tl_path_exists(path);
}

// --- goldens ---

TL_UNUSED static json_t *e2e_json(const char *path) { // owned by the caller
  json_t *root = NULL;
  assert_ok(tl_json_read(path, 4 << 20, &root));
  return root;
}

// A member that is an array of numbers; ids are read as numbers too. Returns how many; `out` has
// room for `cap`.
TL_UNUSED static size_t e2e_numbers(const json_t *object, const char *key, double *out,
                                    size_t cap) {
  const json_t *array = json_object_get(object, key);
  assert_true(json_is_array(array) && json_array_size(array) <= cap);
  for (size_t i = 0; i < json_array_size(array); i++) {
    assert_true(json_is_number(json_array_get(array, i)));
    out[i] = json_number_value(json_array_get(array, i));
  }
  return json_array_size(array);
}

TL_UNUSED static size_t e2e_ids(const json_t *object, const char *key, int32_t *out, size_t cap) {
  const json_t *array = json_object_get(object, key);
  assert_true(json_is_array(array) && json_array_size(array) <= cap);
  for (size_t i = 0; i < json_array_size(array); i++) {
    assert_true(json_is_integer(json_array_get(array, i)));
    out[i] = (int32_t)json_integer_value(json_array_get(array, i));
  }
  return json_array_size(array);
}

TL_UNUSED static double e2e_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

#endif
