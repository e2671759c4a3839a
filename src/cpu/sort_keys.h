// Sorting numbers by their digits, with the place that each came from. Private to src/cpu.
#ifndef TL_CPU_SORT_KEYS_H
#define TL_CPU_SORT_KEYS_H

#include "cpu/plan.h"

typedef struct sort_keys {
  size_t n;       // keys, uint32_t or, where `wide`, uint64_t; fewer than 2^32
  size_t first;   // of the places, that are wanted: all, or at most sort_keys_few(n)
  bool wide, nan; // nan: keys of NaN are not to be sorted
} sort_keys;

// So few that it pays to pick them.
static inline size_t sort_keys_few(size_t n) { return n / 8; }

size_t sort_keys_scratch(const sort_keys *e); // bytes

// The places of the first keys in ascending order, equal ones as they come. False: there is a
// NaN's.
bool sort_keys_alone(const sort_keys *e, const void *keys, void *scratch, uint32_t *order);

// The same of all places, by all parts of a step, each of which has scratch at `offset` of its
// thread's and makes its range of order's entries (tl_pool_range). Behind barriers they use part
// 0's in common, and nobody does when it returns.
bool sort_keys_shared(const sort_keys *e, const void *keys, plan_exec *x, size_t offset,
                      size_t part, size_t n_parts, uint32_t *order);

#endif
