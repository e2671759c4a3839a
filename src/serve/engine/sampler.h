// From logits to a token: greedy, or temperature, top-k, top-p and min-p in that order, as
// transformers applies them.
//
// Randomness is a function of the request's seed and the token's position alone (Threefry-2x32), so
// an answer does not depend on what else the engine runs. No allocation: the caller gives the
// scratch.
#ifndef TL_SERVE_ENGINE_SAMPLER_H
#define TL_SERVE_ENGINE_SAMPLER_H

#include "base/status.h"

typedef struct tl_sampling {
  float temperature; // 0 = greedy
  uint32_t top_k;    // keep the k most probable; 0 = all
  float top_p;       // keep the least set of the most probable whose sum reaches p; 0 or 1 = all
  float min_p;       // keep those at least min_p times as probable as the most probable; 0 = all
  uint64_t seed;
} tl_sampling;

typedef struct tl_candidate {
  float p;
  int32_t id;
} tl_candidate;

// INVALID_ARGUMENT, naming the field, for values out of range.
tl_status tl_sampling_check(const tl_sampling *s);
// The id with the greatest logit, the lowest on a tie. DATA_LOSS when a logit is NaN or +inf, or
// all are -inf.
tl_status tl_sample_greedy(const float *logits, size_t n, int32_t *out_id);
// scratch: [n]. `position` counts tokens from the sequence's start.
tl_status tl_sample(const tl_sampling *s, const float *logits, size_t n, uint64_t position,
                    tl_candidate *scratch, int32_t *out_id);
// A uniform number in [0, 1) with 53 bits from (seed, position).
double tl_sample_uniform(uint64_t seed, uint64_t position);

#endif
