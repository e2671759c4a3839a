// Rounds of a measurement, each in a process of its own, whose memory is as fresh as that of a
// program that does the thing once; and the processor's time, since others may be running.
#ifndef TL_BENCH_ROUNDS_H
#define TL_BENCH_ROUNDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

static void need(tl_status st) {
  if (st == TL_OK) return;
  fprintf(stderr, "%s\n", tl_status_message(st));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Keeps the least time; 0: none yet.
static void keep_best(double *best, double seconds) {
  if (*best == 0 || seconds < *best) *best = seconds;
}

// round(arg, best) `n` times; `best` [size], zero to begin with, is what all of them share.
static void rounds(int n, void (*round)(const void *arg, void *best), const void *arg, void *best,
                   size_t size) {
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) need(TL_OOM());
  fflush(stdout);
  for (int i = 0; i < n; i++) {
    const pid_t child = fork();
    int status = 1;
    if (child == 0) {
      round(arg, shared);
      _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
      need(TL_ERROR(INTERNAL, "a round did not end"));
  }
  memcpy(best, shared, size);
  munmap(shared, size);
}

#endif
