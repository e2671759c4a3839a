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

// Waits $BENCH_PERTURB percent of the time that has passed since `from`.
static inline void bench_perturb(uint64_t from) {
  static double part = -1;
  if (part < 0) part = getenv("BENCH_PERTURB") ? atof(getenv("BENCH_PERTURB")) / 100 : 0;
  if (!(part > 0)) return;
  const uint64_t until = from + (uint64_t)((double)(tl_now_ns() - from) * (1 + part));
  while (tl_now_ns() < until) {
  }
}

#endif
