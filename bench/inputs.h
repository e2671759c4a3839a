// What the measurements of kernels share: memory that must be there, numbers to fill it, the time.
#ifndef TL_BENCH_INPUTS_H
#define TL_BENCH_INPUTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

static inline double now(void) { return (double)tl_now_ns() * 1e-9; }

static inline void *need(void *p) {
  if (p == NULL) {
    fprintf(stderr, "bench_kernels: out of memory\n");
    exit(1);
  }
  return p;
}

static uint32_t random_state = 1;
static inline uint32_t random_u32(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}
static inline float random_f32(void) {
  return (float)(int32_t)(random_u32() & 0xffff) * 0x1p-15f - 1.0f;
}

#endif
