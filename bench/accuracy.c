// What each precision costs in accuracy, on SmolLM2-135M against its own numbers in f32.
//
//   bench_accuracy MODEL.gguf GOLDEN.json TEXT [NAME=FILE.gguf ...]
//
// MODEL's weights are widened to f32 in memory, and that is the model that all others are measured
// against; the formats that are made while loading start from it, those that GGUF stores are files
// of their own. One line a precision, tabs between: weights, compute, kv, MB of weights, bytes of
// keys and values a token, golden ids that are the greedy answer, of how many, perplexity of the
// text, places in it whose most probable token is f32's, of how many, the largest difference of a
// logit and the greatest logit there is. Golden ids are of transformers at f32 and are fed whatever
// the answer was, so an early difference does not decide later ones.
//
// The text is cut into windows that are read side by side, a token of each a step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "ckpt/quant.h"
#include "pjrt/plugin/plugin.h"
#include "serve/engine/engine.h"

enum { WINDOWS = 8, LENGTH = 256, EVERY = 32, CASES = 30, IDS = 300, STEPS = 48, CONTEXT = 352 };

typedef struct golden {
  int32_t ids[IDS], greedy[STEPS];
  size_t n;
} golden;

static struct {
  golden cases[CASES];
  int32_t text[WINDOWS][LENGTH + 1];
  uint32_t vocab;
  // Of f32: logits where they are compared, and the most probable token at each place of the text.
  float *logits;
  size_t n_logits; // rows kept so far, or compared
  int32_t best[WINDOWS][LENGTH];
} world;

static void fail(tl_status st) {
  if (!st) return;
  fprintf(stderr, "bench_accuracy: %s\n", tl_status_message(st));
  exit(1);
}
static void require(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "bench_accuracy: %s\n", what);
  exit(1);
}

static void read_ids(const json_t *array, int32_t *ids, size_t most, size_t *out_n) {
  const size_t n = json_array_size(array);
  require(json_is_array(array) && n <= most, "a golden case has too many ids");
  for (size_t i = 0; i < n; i++)
    ids[i] = (int32_t)json_integer_value(json_array_get(array, i));
  *out_n = n;
}

static void read_goldens(const char *path) {
  json_t *root;
  size_t n;
  fail(tl_json_read(path, 16 << 20, &root));
  const json_t *cases = json_object_get(root, "cases");
  require(json_array_size(cases) == CASES, "wanted 30 golden cases");
  for (size_t i = 0; i < CASES; i++) {
    const json_t *c = json_array_get(cases, i);
    golden *g = &world.cases[i];
    read_ids(json_object_get(c, "ids"), g->ids, IDS, &g->n);
    read_ids(json_object_get(c, "greedy"), g->greedy, STEPS, &n);
    require(n == STEPS, "wanted 48 ids an answer");
  }
  json_decref(root);
}

// The text's first tokens, in windows one after another.
static void read_text(const char *path, tl_checkpoint *checkpoint) {
  tl_buf text = {0};
  tl_ids ids = {0};
  tl_tokenizer *tokenizer;
  fail(tl_file_read(path, 16 << 20, &text));
  fail(tl_tokenizer_load_gguf(checkpoint->gguf, &tokenizer));
  fail(tl_tokenizer_encode(tokenizer, tl_buf_view(&text), NULL, &ids));
  require(ids.len >= WINDOWS * (LENGTH + 1), "the text is too short");
  memcpy(world.text, ids.ptr, sizeof world.text);
  tl_ids_deinit(&ids);
  tl_buf_deinit(&text);
  tl_tokenizer_release(tokenizer);
}

// Every matrix as f32, in place of what the file holds.
static void widen(tl_checkpoint *c) {
  for (size_t i = 0; i < c->n_weights; i++) {
    tl_weight *w = (tl_weight *)(uintptr_t)&c->weights[i]; // ours alone until the end
    if (tl_role_get(w->role)->rank == 1) continue;
    float *f32 = malloc(w->rows * w->k * sizeof *f32);
    require(f32 != NULL, "out of memory");
    for (uint64_t r = 0; r < w->rows; r++)
      fail(tl_quant_row_f32(w->format, w->data + r * w->row_size, w->k, f32 + r * w->k));
    w->format = TL_FORMAT_F32, w->data = (const uint8_t *)f32;
    w->row_size = w->k * sizeof *f32, w->size = w->rows * w->row_size;
  }
}

static void *plugin_client(tl_pjrt_client **out) {
  tl_pjrt_plugin *plugin;
  tl_pjrt_option threads = {.name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = 2};
  fail(tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin));
  fail(tl_pjrt_client_create(plugin, &(tl_pjrt_options){.items = &threads, .n_items = 1}, out));
  return *out;
}

static int32_t greatest(const float *logits) {
  int32_t id;
  fail(tl_sample_greedy(logits, world.vocab, &id));
  return id;
}

static double log_sum_exp(const float *logits, float top) {
  double sum = 0;
  for (uint32_t v = 0; v < world.vocab; v++)
    sum += (double)expf(logits[v] - top);
  return log(sum) + (double)top;
}

typedef struct result {
  size_t equal, same;     // golden ids; most probable tokens of the text
  double nll;             // a token
  double worst, greatest; // logits
} result;

// The first model's logits are kept, those of the others compared with them.
static void compare(const float *logits, bool first, result *r) {
  float *kept = world.logits + world.n_logits++ * world.vocab;
  if (first) memcpy(kept, logits, world.vocab * sizeof *kept);
  for (uint32_t v = 0; v < world.vocab; v++) {
    r->worst = fmax(r->worst, fabs((double)logits[v] - (double)kept[v]));
    r->greatest = fmax(r->greatest, fabs((double)kept[v]));
  }
}

static void follow_goldens(tl_engine *e, bool first, result *r) {
  tl_step_item items[CASES];
  for (size_t i = 0; i < CASES; i++) {
    const float *logits;
    tl_sequence *s;
    fail(tl_sequence_create(e, &s));
    fail(tl_sequence_append(s, world.cases[i].ids, world.cases[i].n));
    fail(tl_sequence_run(s, &logits));
    items[i] = (tl_step_item){.sequence = s, .n = 1, .wants_logits = true};
    compare(logits, first, r);
    r->equal += greatest(logits) == world.cases[i].greedy[0];
  }
  for (size_t k = 1; k < STEPS; k++) {
    for (size_t i = 0; i < CASES; i++)
      fail(tl_sequence_append(items[i].sequence, &world.cases[i].greedy[k - 1], 1));
    fail(tl_engine_step(e, items, CASES));
    for (size_t i = 0; i < CASES; i++)
      r->equal += greatest(items[i].logits) == world.cases[i].greedy[k];
  }
  for (size_t i = 0; i < CASES; i++)
    tl_sequence_destroy(items[i].sequence);
}

static void read_windows(tl_engine *e, bool first, result *r) {
  tl_step_item items[WINDOWS];
  for (size_t i = 0; i < WINDOWS; i++) {
    items[i] = (tl_step_item){.n = 1, .wants_logits = true};
    fail(tl_sequence_create(e, &items[i].sequence));
  }
  for (size_t t = 0; t < LENGTH; t++) {
    for (size_t i = 0; i < WINDOWS; i++)
      fail(tl_sequence_append(items[i].sequence, &world.text[i][t], 1));
    fail(tl_engine_step(e, items, WINDOWS));
    for (size_t i = 0; i < WINDOWS; i++) {
      const float *logits = items[i].logits;
      const int32_t best = greatest(logits);
      r->nll += log_sum_exp(logits, logits[best]) - (double)logits[world.text[i][t + 1]];
      if (first) world.best[i][t] = best;
      r->same += best == world.best[i][t];
      if (t % EVERY == EVERY - 1) compare(logits, first, r);
    }
  }
  r->nll /= WINDOWS * LENGTH;
  for (size_t i = 0; i < WINDOWS; i++)
    tl_sequence_destroy(items[i].sequence);
}

static void measure(tl_checkpoint *checkpoint, tl_pjrt_client *client, const char *weights,
                    tl_model_options o, bool first) {
  static const char *const kv[] = {"f32", "bf16", "f16", "fp8", "int8"};
  o.context = CONTEXT, o.max_batch = CASES;
  tl_model *model;
  tl_artifact *a;
  tl_engine *e;
  fail(tl_model_create(checkpoint, &o, &model));
  fail(tl_artifact_of_model(model, NULL, 0, &a));
  fail(tl_engine_create(a, client, NULL, &e));
  result r = {0};
  world.n_logits = 0;
  follow_goldens(e, first, &r);
  read_windows(e, first, &r);
  const uint64_t tokens = (uint64_t)a->num_blocks * a->block_size;
  printf("%s\t%s\t%s\t%.1f\t%llu\t%zu\t%d\t%.4f\t%zu\t%d\t%.4g\t%.4g\n", weights,
         o.compute == TL_COMPUTE_FAST ? "fast" : "exact", kv[o.kv],
         (double)tl_engine_get_stats(e).weight_bytes * 1e-6,
         (unsigned long long)(tl_artifact_kv_size(a) / tokens), r.equal, CASES * STEPS, exp(r.nll),
         r.same, WINDOWS * LENGTH, r.worst, r.greatest);
  fflush(stdout);
  tl_engine_destroy(e);
  tl_artifact_release(a);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: bench_accuracy MODEL.gguf GOLDEN.json TEXT [NAME=FILE.gguf ...]\n");
    return 2;
  }
  tl_checkpoint *dense;
  tl_pjrt_client *client;
  fail(tl_checkpoint_open(argv[1], &dense));
  require(dense->is_gguf, "wanted a GGUF file");
  world.vocab = dense->config.vocab;
  world.logits = malloc((CASES + WINDOWS * LENGTH / EVERY) * (size_t)world.vocab * sizeof(float));
  require(world.logits != NULL, "out of memory");
  read_goldens(argv[2]);
  read_text(argv[3], dense);
  widen(dense);
  plugin_client(&client);
  static const struct {
    const char *name;
    tl_model_options o;
  } made[] = {
      {"f32", {0}}, // the first: what the others are compared with
      {"f32", {.kv = TL_KV_BF16}},
      {"f32", {.kv = TL_KV_F16}},
      {"f32", {.kv = TL_KV_FP8}},
      {"f32", {.kv = TL_KV_INT8}},
      {"bf16", {.weights = TL_WEIGHTS_BF16}},
      {"bf16", {.weights = TL_WEIGHTS_BF16, .compute = TL_COMPUTE_FAST}},
      {"bf16", {.weights = TL_WEIGHTS_BF16, .compute = TL_COMPUTE_FAST, .kv = TL_KV_BF16}},
      {"int8", {.weights = TL_WEIGHTS_INT8}},
      {"int8", {.weights = TL_WEIGHTS_INT8, .compute = TL_COMPUTE_FAST}},
      {"int8", {.weights = TL_WEIGHTS_INT8, .compute = TL_COMPUTE_FAST, .kv = TL_KV_INT8}},
      {"fp8", {.weights = TL_WEIGHTS_FP8}},
      {"fp8", {.weights = TL_WEIGHTS_FP8, .kv = TL_KV_FP8}},
      {"int4", {.weights = TL_WEIGHTS_INT4}},
      {"int4", {.weights = TL_WEIGHTS_INT4, .compute = TL_COMPUTE_FAST}},
      {"int4", {.weights = TL_WEIGHTS_INT4, .compute = TL_COMPUTE_FAST, .kv = TL_KV_INT8}},
      {"int4, head f32", {.weights = TL_WEIGHTS_INT4, .head = TL_HEAD_KEEP}},
  };
  for (size_t i = 0; i < TL_COUNT(made); i++)
    measure(dense, client, made[i].name, made[i].o, i == 0);
  for (int i = 4; i < argc; i++) {
    char *file = strchr(argv[i], '=');
    require(file != NULL, "wanted NAME=FILE.gguf");
    *file++ = '\0';
    tl_checkpoint *c;
    fail(tl_checkpoint_open(file, &c));
    require(c->config.vocab == world.vocab, "another model");
    static const tl_model_options stored[] = {
        {0}, {.compute = TL_COMPUTE_FAST}, {.compute = TL_COMPUTE_FAST, .kv = TL_KV_BF16}};
    for (size_t how = 0; how < TL_COUNT(stored); how++)
      measure(c, client, argv[i], stored[how], false);
    tl_checkpoint_release(c);
  }
  return 0; // the widened weights and what borrows them end with the process
}
