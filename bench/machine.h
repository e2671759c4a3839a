// What this machine can do, for the benchmarks that print a part of it: read bandwidth by working
// set and page size, and the peaks of its arithmetic. `bench_limits` prints it all.
#ifndef TL_BENCH_MACHINE_H
#define TL_BENCH_MACHINE_H

#include "base/pool.h"

typedef enum {
#define TL_PEAK(id, ...) PEAK_##id,
#include "peaks.def"
#undef TL_PEAK
  PEAK_COUNT
} peak_id;

typedef struct machine_peak_row {
  const char *name, *unit;
  uint32_t isa;   // what the CPU must have
  double ops;     // a step of one thread
  tl_pool_fn run; // PEAK_STEPS steps; the argument gets a value, so that nothing is dropped
} machine_peak_row;

const machine_peak_row *machine_peak(peak_id id);
bool machine_has(peak_id id, uint32_t isa);
// Operations a second of all the pool's threads in one short round, of about a millisecond.
double machine_peak_round(tl_pool *pool, peak_id id);
// Operations a second of all the pool's threads: the best of `rounds`, and the median.
double machine_run_peak(tl_pool *pool, peak_id id, int rounds, double *out_median);
// The fastest multiplication and addition of f32 that the CPU has.
peak_id machine_f32_peak(uint32_t isa);

// Memory of 4 KiB or of 2 MiB pages, touched by the caller. NULL when there is none.
void *machine_map(size_t size, bool huge);
void machine_unmap(void *p, size_t size);
size_t machine_huge_bytes(void); // of this process in 2 MiB pages, as the kernel counts them
// Bytes a second that the pool's threads read together from a set, each its part: the best of
// `rounds` (of four times as many for small sets), and the median.
double machine_read(tl_pool *pool, const void *set, size_t size, int rounds, double *out_median);

double machine_read_round(tl_pool *pool, const void *set, size_t size); // once through it
// Bytes a second at which the pool's second thread reads what its first has just written: CPUs that
// share no cache give a third of what neighbours give, and a host may move those of a guest apart.
double machine_exchange(tl_pool *pool, void *set, size_t size, int rounds, double *out_median);

// CPU model and what it can run, one line: measurements are kept by it.
void machine_kind(char *out, size_t size);

#endif
