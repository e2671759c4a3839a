// What a benchmark leaves for bench/history.py: rows, and the deliberate delay that shows whether a
// slow-down would be seen.
#ifndef TL_BENCH_RECORD_H
#define TL_BENCH_RECORD_H

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

// A line of the file $BENCH_ROWS, when that is set: name, what bounds it (compute, memory or
// latency), unit, and a value a round, where more is better.
static inline void bench_row(const char *name, const char *bound, const char *unit,
                             const double *values, size_t n) {
  const char *path = getenv("BENCH_ROWS");
  FILE *f = path && *path ? fopen(path, "a") : NULL;
  if (!f) return;
  fprintf(f, "%s\t%s\t%s\t", name, bound, unit);
  for (size_t i = 0; i < n; i++)
    fprintf(f, "%s%.5g", i ? " " : "", values[i]);
  fputc('\n', f);
  fclose(f);
}

// When $BENCH_PERTURB percent of the time since `from` will have passed once more; now, without it.
static inline uint64_t bench_perturbed(uint64_t from) {
  static double part = -1;
  if (part < 0) part = getenv("BENCH_PERTURB") ? atof(getenv("BENCH_PERTURB")) / 100 : 0;
  const uint64_t end = tl_now_ns();
  return part > 0 ? end + (uint64_t)((double)(end - from) * part) : end;
}

// Waits so long.
static inline void bench_perturb(uint64_t from) {
  const uint64_t until = bench_perturbed(from);
  while (tl_now_ns() < until) {
  }
}

#endif
