// A grid of processes, replicas × partitions, that run at the same time and meet in collectives.
//
// Each process is a thread of the caller's. At a collective it *meets* the other members of its
// group: the call returns when all of them have come to the same op, and gives what each brought.
// It then *parts*, which returns when all have read what they wanted; what was brought may change
// only afterwards. So the members of a group go in lockstep from collective to collective, and
// processes that do not meet know nothing of each other.
//
// Nothing waits for ever: a process that fails, or that ends while others wait for it, or a circle
// of processes that wait for one another, wakes all who wait, with an error that says who and
// where. No two groups meet in one place at one time unless they are the same group.
#ifndef TL_REF_GRID_H
#define TL_REF_GRID_H

#include "ir/ir.h"

typedef struct tl_grid tl_grid;

// At most TL_MAX_DEVICES processes. Process p is replica p / n_partitions, partition p %
// n_partitions.
tl_status tl_grid_create(uint32_t n_replicas, uint32_t n_partitions, tl_grid **out_grid);
void tl_grid_destroy(tl_grid *g); // no process runs any more; NULL is allowed
uint32_t tl_grid_replicas(const tl_grid *g);
uint32_t tl_grid_partitions(const tl_grid *g);
// For another run, after one in which every process ended. Clears what failed.
void tl_grid_restart(tl_grid *g);

// The calling process comes to `op` with `what`. members [n] are processes of the grid, the same
// list for each of them, and `self` is one. On success out_brought [n] is what they brought, and
// tl_grid_part must be called. ABORTED when another process failed; FAILED_PRECONDITION when the
// members cannot meet.
tl_status tl_grid_meet(tl_grid *g, uint32_t self, const tl_op *op, const uint32_t *members,
                       uint32_t n, const void *what, const void **out_brought);
void tl_grid_part(tl_grid *g, uint32_t self);
// The process ends; `failed`: with an error, so that nobody waits for it. Once a run each.
void tl_grid_leave(tl_grid *g, uint32_t self, bool failed);

// Runs `run(arg, p)` for every process, each on a thread of its own, and leaves the grid for
// it; fails with the error of the first process that failed by itself.
typedef tl_status tl_grid_fn(void *arg, uint32_t process);
tl_status tl_grid_run(tl_grid *g, tl_grid_fn *run, void *arg);
// Which of n statuses to tell: the first that is not the echo (ABORTED) of another's. Drops the
// others.
tl_status tl_grid_first(tl_status *statuses, uint32_t n);

// How a process group is made of the groups that an op names.
typedef enum {
  TL_CROSS_REPLICA,
  TL_CROSS_PARTITION,
  TL_CROSS_REPLICA_AND_PARTITION,
  TL_FLATTENED_IDS
} tl_strategy;

// Where a program runs: which process of which grid.
typedef struct tl_place {
  tl_grid *grid; // NULL: alone, a grid of one
  uint32_t self;
  // Alone, but as if in a larger grid: members of a group who are not there bring what this process
  // brings. Otherwise a group that names them is refused.
  bool single_process;
} tl_place;

typedef struct tl_group {
  const uint32_t *members; // [n] in the group's order
  uint32_t n, self;        // members[self] is this process
} tl_group;

// The group of the process among those that an op names; n = 0: it is in none. `label` is broken
// when an id is none of the grid's, `cover` (NULL: none) when the groups do not name each of them.
tl_status tl_grid_group(tl_place at, tl_strategy strategy, const tl_groups *groups,
                        const char *mnemonic, const char *label, const char *cover, tl_arena *arena,
                        tl_group *out_group);

#endif
