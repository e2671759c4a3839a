// One pool of threads with a static partition: part i of n always does the same work, whatever the
// timing, so that one thread and many give the same bits.
//
// A pool of n has n-1 threads; the caller is part 0. Workers spin briefly (about 50 us), then
// sleep. Nothing may block inside a part. One caller at a time: callers on other threads wait, and
// take turns in the order in which they came. run allocates nothing.
#ifndef TL_BASE_POOL_H
#define TL_BASE_POOL_H

#include "base/status.h"

typedef struct tl_pool tl_pool;
typedef void (*tl_pool_fn)(void *arg, size_t part, size_t n_parts);

tl_status tl_pool_create(size_t n_threads, tl_pool **out_pool); // 0 = tl_cpu_count()
void tl_pool_destroy(tl_pool *p);                               // joins; NULL is allowed
size_t tl_pool_size(const tl_pool *p);
void tl_pool_run(tl_pool *p, tl_pool_fn fn, void *arg); // returns when every part has
// For fn bodies that step through several phases: waits until every part has arrived. Only inside
// tl_pool_run.
void tl_pool_barrier(tl_pool *p);
// The same. While a thread waits it has memory to itself: it asks for what it will read, from `at`
// on, which may be addresses of nothing. `at` says how far it came.
typedef struct tl_pool_reading {
  uintptr_t at, end;
} tl_pool_reading;
void tl_pool_barrier_reading(tl_pool *p, tl_pool_reading *r);

// The half-open range of part `part` when `total` items are cut into n_parts runs of whole
// `grain`s.
static inline void tl_pool_range(size_t total, size_t grain, size_t part, size_t n_parts,
                                 size_t *from, size_t *to) {
  size_t grains = (total + grain - 1) / grain;
  size_t lo = grains * part / n_parts * grain, hi = grains * (part + 1) / n_parts * grain;
  *from = TL_MIN(lo, total);
  *to = TL_MIN(hi, total);
}

#endif
