// The engine: sequences, pages, and steps over them, on one PJRT client.
//
// It owns the weights on the device, the KV pools and the pages in them, and runs *steps*: any mix
// of tokens of any sequences in one call. It knows nothing of text, HTTP or prompts' origin. On an
// artifact with step entries a step is one execution of the token-flat entry (model/model.h); on
// one with decode and prefill entries only (the reference system's form, or where
// `reference_entries` asks for them) it is decode calls and prefill chunks. Results do not depend
// on how tokens are cut into steps or which sequences share one.
//
// One thread at a time. Once warm (entries compiled) a decode step allocates nothing.
#ifndef TL_SERVE_ENGINE_ENGINE_H
#define TL_SERVE_ENGINE_ENGINE_H

#include "artifact/artifact.h"
#include "pjrt/client/client.h"
#include "serve/engine/sampler.h"

typedef struct tl_engine tl_engine;

typedef struct tl_engine_options { // zero = the defaults
  bool reference_entries;          // decode and prefill entries even where step entries exist
  // Packed weights stay in their files, mapped, and are not copied into memory of the device's own:
  // nothing is read before it is used, and other processes share it, but pages are of 4 KiB.
  // FAILED_PRECONDITION where the artifact's weights are not packed, or not in files.
  bool mmap;
} tl_engine_options;

typedef struct tl_engine_stats {
  uint64_t load_ns;      // weights to the device, prepared
  uint64_t compile_ns;   // all compilations so far
  uint32_t n_compiled;   // entries
  uint64_t n_steps;      // executions
  uint64_t weight_bytes; // on the device
  uint64_t kv_bytes;     // of the pools of keys and values there
} tl_engine_stats;

// Loads the weights (zero copy from the artifact's mapping into the prepare entry). Retains both.
tl_status tl_engine_create(tl_artifact *artifact, tl_pjrt_client *client,
                           const tl_engine_options *options, tl_engine **out_engine);
void tl_engine_destroy(tl_engine *e); // its sequences must be gone; NULL is allowed
const tl_artifact *tl_engine_artifact(const tl_engine *e);
tl_engine_stats tl_engine_get_stats(const tl_engine *e);

// --- sequences ---

typedef struct tl_sequence { // read the fields, change them through the functions
  tl_engine *engine;
  int32_t *tokens; // [n_tokens] history and what is still to be run
  uint32_t n_tokens;
  uint32_t n_cached; // the first n_cached tokens are in the pages
  int32_t *pages;    // [n_pages] block numbers
  uint32_t n_pages;
  struct tl_sequence *next; // of the engine
} tl_sequence;

tl_status tl_sequence_create(tl_engine *e, tl_sequence **out_sequence);
void tl_sequence_destroy(tl_sequence *s); // NULL is allowed; gives its pages back
// OUT_OF_RANGE past the context, INVALID_ARGUMENT for an id outside the vocabulary (nothing is
// appended then).
tl_status tl_sequence_append(tl_sequence *s, const int32_t *ids, size_t n);
void tl_sequence_truncate(tl_sequence *s,
                          uint32_t n_tokens); // forgets what lies behind, and its pages

// --- steps ---

typedef struct tl_step_item {
  tl_sequence *sequence;
  uint32_t n;          // of its next uncached tokens, at least 1
  bool wants_logits;   // of the last of them
  const float *logits; // out: [vocab], valid until the next step; NULL unless wanted
} tl_step_item;

// The most tokens that one step takes.
uint32_t tl_engine_max_step(const tl_engine *e);
// Runs one step; each sequence at most once. RESOURCE_EXHAUSTED when no page is free: nothing has
// changed then. When the device fails after it took the pools, they are made anew and every
// sequence becomes uncached (its tokens stay, so running it again recomputes them).
tl_status tl_engine_step(tl_engine *e, tl_step_item *items, size_t n_items);
// Runs all that a sequence has not run, in as few steps as its entries allow. *out_logits: [vocab],
// of its last token, valid until the next step; NULL when there was nothing to run.
tl_status tl_sequence_run(tl_sequence *s, const float **out_logits);

// --- one request ---

typedef enum { TL_FINISH_STOP, TL_FINISH_LENGTH, TL_FINISH_CANCELLED } tl_finish;

typedef struct tl_request {
  const int32_t *prompt; // [n_prompt], at least 1
  size_t n_prompt;
  uint32_t max_new;     // 0 = until the context is full
  tl_sampling sampling; // zero = greedy
  bool ignore_stops;
  // Called with each new id, stop ids too; false ends the answer. May be NULL.
  bool (*on_token)(void *arg, int32_t id);
  void *arg;
} tl_request;

typedef struct tl_result {
  tl_finish finish;
  size_t n_prompt; // tokens of the prompt
  size_t n_reused; // of them already in the sequence's pages
  size_t n_generated;
  uint64_t prefill_ns; // until the first new token was chosen
  uint64_t decode_ns;  // the rest
} tl_result;

// Answers one request in a sequence: what the sequence already holds of the prompt is not run
// again. The new ids are appended to out_ids, a stop id included. Afterwards the sequence holds
// prompt and answer.
tl_status tl_engine_generate(tl_engine *e, tl_sequence *s, const tl_request *request,
                             tl_ids *out_ids, tl_result *out_result);

#endif
