#include "serve/engine/sampler.h"

#include <math.h>

// Sampling on the host. The candidates' order is total (probability, then id), so a result is a
// function of logits, seed and position only.

tl_status tl_sampling_check(const tl_sampling *s) {
  if (!(s->temperature >= 0.0f) || isinf(s->temperature))
    return TL_ERROR(INVALID_ARGUMENT, "temperature: %g; wanted a number from 0",
                    (double)s->temperature);
  if (!(s->top_p >= 0.0f && s->top_p <= 1.0f))
    return TL_ERROR(INVALID_ARGUMENT, "top-p: %g; wanted a number from 0 to 1", (double)s->top_p);
  if (!(s->min_p >= 0.0f && s->min_p <= 1.0f))
    return TL_ERROR(INVALID_ARGUMENT, "min-p: %g; wanted a number from 0 to 1", (double)s->min_p);
  return TL_OK;
}

tl_status tl_sample_greedy(const float *logits, size_t n, int32_t *out_id) {
  float best = -INFINITY;
  size_t at = n;
  for (size_t i = 0; i < n; i++) {
    if (isnan(logits[i]) || logits[i] == INFINITY)
      return TL_ERROR(DATA_LOSS, "the model gave the logit %g for token %zu", (double)logits[i], i);
    if (logits[i] > best) best = logits[i], at = i;
  }
  if (at == n) return TL_ERROR(DATA_LOSS, "the model gave -inf for every token");
  *out_id = (int32_t)at;
  return TL_OK;
}

// Threefry-2x32, 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
static uint64_t threefry(uint64_t key, uint64_t counter) {
  static const uint8_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k[3] = {(uint32_t)(key >> 32), (uint32_t)key,
                         0x1BD11BDAu ^ (uint32_t)(key >> 32) ^ (uint32_t)key};
  uint32_t x = (uint32_t)(counter >> 32) + k[0], y = (uint32_t)counter + k[1];
  for (uint32_t round = 0; round < 5; round++) {
    for (int i = 0; i < 4; i++) {
      const uint8_t r = rotations[round % 2][i];
      x += y;
      y = (y << r | y >> (32 - r)) ^ x;
    }
    x += k[(round + 1) % 3];
    y += k[(round + 2) % 3] + round + 1;
  }
  return (uint64_t)x << 32 | y;
}

double tl_sample_uniform(uint64_t seed, uint64_t position) {
  return (double)(threefry(seed, position) >> 11) * 0x1p-53;
}

static bool before(const tl_candidate *x, const tl_candidate *y) { // the more probable first
  return x->p != y->p ? x->p > y->p : x->id < y->id;
}

// Heap sort, since the C library's qsort allocates once there is more than a kilobyte to sort.
static void sift(tl_candidate *c, size_t at, size_t n) {
  const tl_candidate moved = c[at];
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && before(&c[child], &c[child + 1])) child++;
    if (!before(&moved, &c[child])) break;
    c[at] = c[child];
  }
  c[at] = moved;
}

static void sort_candidates(tl_candidate *c, size_t n) {
  for (size_t i = n / 2; i-- > 0;)
    sift(c, i, n);
  for (size_t end = n; end-- > 1;) {
    const tl_candidate last = c[0];
    c[0] = c[end];
    c[end] = last;
    sift(c, 0, end);
  }
}

// Keeps the k greatest in front, in no order (Hoare's selection): sorting a whole vocabulary costs
// more than the model's head.
static void select_top(tl_candidate *c, size_t n, size_t k) {
  size_t lo = 0, hi = n;
  while (hi - lo > 1 && k > lo && k < hi) {
    tl_candidate pivot = c[lo + (hi - lo) / 2];
    size_t i = lo, j = hi - 1;
    for (;;) {
      while (before(&c[i], &pivot))
        i++;
      while (before(&pivot, &c[j]))
        j--;
      if (i >= j) break;
      tl_candidate t = c[i];
      c[i++] = c[j], c[j--] = t;
    }
    if (i == j && k >= j && k <= j + 1) return; // the pivot stands at the border
    if (k <= j)
      hi = i == j ? j : j + 1;
    else
      lo = j + 1;
  }
}

tl_status tl_sample(const tl_sampling *s, const float *logits, size_t n, uint64_t position,
                    tl_candidate *scratch, int32_t *out_id) {
  int32_t best = 0;
  TL_TRY(tl_sample_greedy(logits, n, &best)); // also refuses what is no distribution
  if (s->temperature == 0.0f) {
    *out_id = best;
    return TL_OK;
  }
  const float top = logits[best];
  for (size_t i = 0; i < n; i++)
    scratch[i] = (tl_candidate){expf((logits[i] - top) / s->temperature),
                                (int32_t)i}; // relative to the best one's
  size_t kept = n;
  if (s->top_k && s->top_k < kept) {
    select_top(scratch, n, s->top_k);
    kept = s->top_k;
  }
  const bool nucleus = s->top_p > 0.0f && s->top_p < 1.0f;
  double sum = 0.0;
  if (nucleus) {
    for (size_t i = 0; i < kept; i++)
      sum += (double)scratch[i].p;
    const double wanted = sum * (double)s->top_p;
    // Sort only as much as the nucleus needs: usually a few dozen of a whole vocabulary.
    double reached = 0.0;
    size_t sorted = 0, chunk = 64, at = 0;
    while (at < kept && reached < wanted) {
      if (at == sorted) {
        size_t take = TL_MIN(chunk, kept - sorted);
        select_top(scratch + sorted, kept - sorted, take);
        sort_candidates(scratch + sorted, take);
        sorted += take;
        chunk *= 4;
      }
      reached += (double)scratch[at++].p;
    }
    kept = TL_MAX(at, (size_t)1);
  }
  if (s->min_p > 0.0f) { // the best one's p is 1
    size_t out = 0;
    for (size_t i = 0; i < kept; i++)
      if (scratch[i].p >= s->min_p) scratch[out++] = scratch[i];
    kept = out;
  }
  // In a fixed order, so that the draw does not depend on how the selection left them.
  if (kept < n) sort_candidates(scratch, kept);
  sum = 0.0;
  for (size_t i = 0; i < kept; i++)
    sum += (double)scratch[i].p;
  const double u = tl_sample_uniform(s->seed, position) * sum;
  double reached = 0.0;
  size_t pick = 0;
  for (size_t i = 0; i < kept; i++) {
    reached += (double)scratch[i].p;
    if (scratch[i].p > 0.0f) pick = i;
    if (u < reached) break;
  }
  *out_id = scratch[pick].id;
  return TL_OK;
}
