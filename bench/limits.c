// The limits of this machine: read bandwidth by working set from 4 KiB and from 2 MiB pages, and
// the peaks of its arithmetic, with one thread and with two.
//
// usage: bench_limits [--json] [--rounds N]     everything; with --peaks the arithmetic only
//        bench_limits --read MIB [--threads N]  one working set in 2 MiB pages: GB/s, best and
//        median
//        bench_limits --exchange    GB/s at which one thread reads what another wrote: best and
//        median
//        bench_limits --kind        the machine in one line
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "machine.h"

static bool json, peaks_only, exchange_only;
static int rounds = 7;
enum { EXCHANGE_KIB = 64 };

static void print(const char *what, const char *unit, size_t mib, const char *pages, size_t threads,
                  double best, double median) {
  if (json)
    printf("{\"limit\":\"%s\",\"mib\":%zu,\"pages\":\"%s\",\"threads\":%zu,\"unit\":\"%s\","
           "\"best\":%.1f,\"median\":%.1f}\n",
           what, mib, pages, threads, unit, best * 1e-9, median * 1e-9);
  else if (mib)
    printf("%-16s %5zu MiB of %-3s pages  threads %zu  best %8.1f  median %8.1f %s\n", what, mib,
           pages, threads, best * 1e-9, median * 1e-9, unit);
  else
    printf("%-36s threads %zu  best %8.1f  median %8.1f %s\n", what, threads, best * 1e-9,
           median * 1e-9, unit);
  fflush(stdout);
}

static void print_skipped(const char *what, uint32_t lacks) {
  char text[128];
  tl_isa_text(lacks, text, sizeof text);
  if (json)
    printf("{\"limit\":\"%s\",\"skipped\":\"no %s\"}\n", what, text);
  else
    printf("%-36s skipped: this CPU has no %s\n", what, text);
}

static tl_pool *pool_of(size_t threads) {
  tl_pool *pool;
  if (tl_pool_create(threads, &pool) == TL_OK) return pool;
  fprintf(stderr, "bench_limits: no pool of %zu threads\n", threads);
  exit(1);
}

static uint8_t *touched(size_t size, bool huge) {
  uint8_t *p = machine_map(size, huge);
  if (!p) {
    fprintf(stderr, "bench_limits: no %zu MiB of memory\n", size >> 20);
    exit(1);
  }
  memset(p, 1, size);
  return p;
}

static void all_reads(size_t max_threads) {
  static const size_t mib[] = {1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 1024};
  const size_t size = mib[TL_COUNT(mib) - 1] << 20;
  for (int huge = 1; huge >= 0; huge--) {
    uint8_t *set = touched(size, huge);
    if (huge && machine_huge_bytes() < size / 10 * 9)
      fprintf(stderr, "bench_limits: only %zu MiB came in 2 MiB pages\n",
              machine_huge_bytes() >> 20);
    for (size_t threads = 1; threads <= max_threads; threads++) {
      tl_pool *pool = pool_of(threads);
      for (size_t i = 0; i < TL_COUNT(mib); i++) {
        double median;
        const double best = machine_read(pool, set, mib[i] << 20, rounds, &median);
        print("read", "GB/s", mib[i], huge ? "2M" : "4K", threads, best, median);
      }
      tl_pool_destroy(pool);
    }
    machine_unmap(set, size);
  }
}

static void all_peaks(uint32_t isa, size_t max_threads) {
  for (int id = 0; id < PEAK_COUNT; id++) {
    const machine_peak_row *p = machine_peak((peak_id)id);
    if (!machine_has((peak_id)id, isa)) {
      print_skipped(p->name, p->isa & ~isa);
      continue;
    }
    for (size_t threads = 1; threads <= max_threads; threads++) {
      tl_pool *pool = pool_of(threads);
      double median;
      const double best = machine_run_peak(pool, (peak_id)id, rounds, &median);
      print(p->name, p->unit, 0, "", threads, best, median);
      tl_pool_destroy(pool);
    }
  }
}

// What one thread reads of another's writes: of few lines, and of as many as a second cache holds.
static void all_exchanges(size_t max_threads) {
  static const size_t kib[] = {EXCHANGE_KIB, 1024};
  if (max_threads < 2) return;
  tl_pool *pool = pool_of(2);
  uint8_t *set = touched(kib[TL_COUNT(kib) - 1] << 10, true);
  for (size_t i = 0; i < TL_COUNT(kib); i++) {
    char what[64];
    double median;
    const double best = machine_exchange(pool, set, kib[i] << 10, rounds, &median);
    snprintf(what, sizeof what, "read of another's writes, %zu KiB", kib[i]);
    print(what, "GB/s", 0, "", 2, best, median);
  }
  machine_unmap(set, kib[TL_COUNT(kib) - 1] << 10);
  tl_pool_destroy(pool);
}

static void one_rate(bool exchange, size_t size, size_t threads) {
  tl_pool *pool = pool_of(threads);
  uint8_t *set = touched(size, true);
  double median;
  const double best = exchange ? machine_exchange(pool, set, size, rounds, &median)
                               : machine_read(pool, set, size, rounds, &median);
  printf("%.2f %.2f\n", best * 1e-9, median * 1e-9);
  machine_unmap(set, size);
  tl_pool_destroy(pool);
}

int main(int argc, char **argv) {
  size_t mib = 0, threads = TL_MIN(tl_cpu_count(), (size_t)2);
  uint32_t isa;
  char kind[512];
  machine_kind(kind, sizeof kind);
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--kind") == 0)
      return puts(kind) < 0;
    else if (strcmp(argv[i], "--json") == 0)
      json = true;
    else if (strcmp(argv[i], "--peaks") == 0)
      peaks_only = true;
    else if (strcmp(argv[i], "--exchange") == 0)
      exchange_only = true;
    else if (strcmp(argv[i], "--rounds") == 0 && value)
      rounds = TL_MAX(atoi(value), 1), i++;
    else if (strcmp(argv[i], "--threads") == 0 && value)
      threads = (size_t)TL_MAX(atoi(value), 1), i++;
    else if (strcmp(argv[i], "--read") == 0 && value && atoi(value) > 0 && atoi(value) <= 1 << 16)
      mib = (size_t)atoi(value), i++;
    else {
      fprintf(stderr,
              "usage: bench_limits [--json] [--peaks] [--rounds N] [--threads N] [--read MIB] | "
              "--exchange | --kind\n");
      return 2;
    }
  }
  if (tl_cpu_isa(&isa) != TL_OK) {
    fprintf(stderr,
            "bench_limits: TLALOC_ISA is not one of scalar, avx2, avx512, vnni, bf16, amx\n");
    return 2;
  }
  if (mib) {
    one_rate(false, mib << 20, threads);
    return 0;
  }
  if (exchange_only) {
    one_rate(true, EXCHANGE_KIB << 10, 2);
    return 0;
  }
  if (json)
    printf("{\"machine\":\"%s\"}\n", kind);
  else
    puts(kind);
  all_peaks(isa, threads);
  if (!peaks_only) all_exchanges(threads);
  if (!peaks_only) all_reads(threads);
  return 0;
}
