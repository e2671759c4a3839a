// A program on several devices at once.
//
// One thread a process, kept between executions; each drives its own device as if it were alone
// there. They know of each other only in collectives, which src/ref/grid.c brings together.
#include "cpu/cpu.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"

struct tl_cpu_grid {
  uint32_t n;
  tl_cpu_exe **exes; // [n]
  tl_grid *grid;
  tl_pool *pool; // of n threads, one of them the caller's

  pthread_mutex_t lock; // held by an execution, which owns what follows
  const void *const *const *inputs;
  void *const *const *outputs;
  tl_status *statuses; // [n]
};

void tl_cpu_grid_destroy(tl_cpu_grid *g) {
  if (!g) return;
  for (uint32_t p = 0; g->exes && p < g->n; p++)
    tl_cpu_exe_release(g->exes[p]);
  if (g->pool) tl_pool_destroy(g->pool);
  tl_grid_destroy(g->grid);
  pthread_mutex_destroy(&g->lock);
  free(g->exes);
  free(g->statuses);
  free(g);
}

tl_status tl_cpu_grid_create(tl_cpu_exe *exe, tl_cpu *const *cpus, uint32_t n_replicas,
                             uint32_t n_partitions, tl_cpu_grid **out_grid) {
  tl_cpu_grid *g = calloc(1, sizeof *g);
  tl_status st = TL_OK;
  if (!g || pthread_mutex_init(&g->lock, NULL) != 0) {
    free(g);
    tl_cpu_exe_release(exe);
    return TL_OOM();
  }
  st = tl_grid_create(n_replicas, n_partitions, &g->grid);
  if (!st) {
    g->n = n_replicas * n_partitions;
    g->exes = calloc(g->n, sizeof(tl_cpu_exe *));
    g->statuses = calloc(g->n, sizeof(tl_status));
    if (!g->exes || !g->statuses) st = TL_OOM();
  }
  if (st) {
    tl_cpu_exe_release(exe);
    tl_cpu_grid_destroy(g);
    return st;
  }
  g->exes[0] = exe;
  for (uint32_t p = 1; !st && p < g->n; p++)
    st = tl_cpu_compile_again(cpus[p], exe, &g->exes[p]);
  if (!st) st = tl_pool_create(g->n, &g->pool);
  if (st) {
    tl_cpu_grid_destroy(g);
    return st;
  }
  *out_grid = g;
  return TL_OK;
}

static void run_process(void *arg, size_t part, size_t n_parts) {
  tl_cpu_grid *g = arg;
  const uint32_t p = (uint32_t)part;
  (void)n_parts;
  g->statuses[p] = tl_cpu_execute_at(g->exes[p], (tl_place){.grid = g->grid, .self = p},
                                     g->inputs[p], g->outputs[p]);
  tl_grid_leave(g->grid, p, g->statuses[p] != TL_OK);
}

tl_status tl_cpu_grid_execute(tl_cpu_grid *g, const void *const *const *inputs,
                              void *const *const *outputs) {
  pthread_mutex_lock(&g->lock);
  g->inputs = inputs;
  g->outputs = outputs;
  tl_grid_restart(g->grid);
  tl_pool_run(g->pool, run_process, g);
  tl_status st = tl_grid_first(g->statuses, g->n);
  pthread_mutex_unlock(&g->lock);
  return st;
}
