// The engine's insides. Private to src/serve/engine.
#ifndef TL_SERVE_ENGINE_PRIVATE_H
#define TL_SERVE_ENGINE_PRIVATE_H

#include "serve/engine/engine.h"

struct tl_engine {
  tl_artifact *artifact;
  tl_pjrt_client *client;
  tl_engine_options options;
  bool stacked;                     // step entries are in use
  tl_pjrt_executable **executables; // [artifact->n_entries], NULL until compiled
  tl_pjrt_buffer **args;            // every argument of a call: integers, pools, weights
  size_t n_ints, n_pools;           // integer arguments and pools in front of the weights
  tl_pjrt_buffer **weights;         // [artifact->n_slots], inside args
  tl_pjrt_buffer **pools;           // [n_pools], inside args
  tl_pjrt_buffer **outs;            // [1 + n_pools]
  tl_pjrt_buffer *logits;           // of the last step, mapped or copied
  bool logits_mapped;
  float *logits_copy; // for devices that do not share memory
  size_t logits_copy_size;
  int32_t *ints;            // scratch for a step's integers, as many as the largest entry takes
  tl_candidate *candidates; // [vocab]
  uint32_t *free_pages;     // a stack; page 0 is never in it
  uint32_t n_free;
  tl_sequence *sequences;
  tl_engine_stats stats;
};

tl_status tl_engine_executable(tl_engine *e, const tl_artifact_entry *entry,
                               tl_pjrt_executable **out_x);
tl_status tl_engine_make_pools(tl_engine *e);
// The pages that a sequence of n tokens needs, taken from the free ones; nothing is taken on
// failure.
tl_status tl_sequence_reserve(tl_sequence *s, uint32_t n_tokens);
// Puts the integers in `ints` (n_ints arguments, sizes and dims given) in front of pools and
// weights and runs the entry.
typedef struct engine_ints {
  const int32_t *data;
  int64_t dims[2];
  size_t n_dims;
} engine_ints;
tl_status tl_engine_run(tl_engine *e, const tl_artifact_entry *entry, const engine_ints *ints,
                        const float **out_logits);
tl_status tl_step_flat(tl_engine *e, tl_step_item *items, size_t n_items);      // step.c
tl_status tl_step_reference(tl_engine *e, tl_step_item *items, size_t n_items); // step_reference.c

#endif
