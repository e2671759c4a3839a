// Monotonic time in nanoseconds.
#ifndef TL_BASE_CLOCK_H
#define TL_BASE_CLOCK_H

#include <time.h>

#include "base/base.h"

static inline uint64_t tl_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
