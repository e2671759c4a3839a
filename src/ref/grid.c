// Meeting and parting under one lock and one condition: a grid has few processes, and what they do
// between meetings is long.
//
// A process that meets writes down what it wants and sleeps. Whoever comes last to a group finds it
// complete and wakes it; whoever would be the last one awake and finds none complete has found a
// deadlock. After a meeting each member counts itself out at its leader, the group's first member;
// `round` tells a count that began anew from the one that a late sleeper waits for.
#include "ref/grid.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef enum { RUNS, WAITS, MET, ENDED } process_state;

typedef struct process { // guarded by the grid's lock
  process_state state;
  const tl_op *op; // of the meeting
  const uint32_t *members;
  uint32_t n;
  const void *what;
  uint32_t leader; // of the meeting that it is in
  uint32_t inside; // of a leader: members who have not parted
  uint64_t round;  // of a leader: meetings that ended
} process;

struct tl_grid {
  uint32_t n_replicas, n_partitions, n;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // Guarded by lock.
  uint32_t n_running;
  bool failed;           // a process failed: whoever waits is woken
  bool stuck;            // nobody can go on:
  const tl_op *stuck_op; // the op at which `stuck_at` waits for `stuck_for`
  uint32_t stuck_at, stuck_for;
  bool stuck_ended; // who has ended, rather than waits for others
  process processes[];
};

tl_status tl_grid_create(uint32_t n_replicas, uint32_t n_partitions, tl_grid **out_grid) {
  const uint64_t n = (uint64_t)n_replicas * n_partitions;
  if (n == 0 || n > TL_MAX_DEVICES)
    return TL_ERROR(INVALID_ARGUMENT, "a grid of %u replicas of %u partitions, the most is %d",
                    n_replicas, n_partitions, TL_MAX_DEVICES);
  tl_grid *g = calloc(1, sizeof *g + n * sizeof(process));
  if (g == NULL) return TL_OOM();
  g->n_replicas = n_replicas;
  g->n_partitions = n_partitions;
  g->n = g->n_running = (uint32_t)n;
  pthread_mutex_init(&g->lock, NULL);
  pthread_cond_init(&g->changed, NULL);
  *out_grid = g;
  return TL_OK;
}

void tl_grid_destroy(tl_grid *g) {
  if (g == NULL) return;
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->lock);
  free(g);
}

uint32_t tl_grid_replicas(const tl_grid *g) { return g->n_replicas; }
uint32_t tl_grid_partitions(const tl_grid *g) { return g->n_partitions; }

void tl_grid_restart(tl_grid *g) {
  pthread_mutex_lock(&g->lock);
  g->failed = g->stuck = false;
  g->n_running = g->n;
  for (uint32_t i = 0; i < g->n; i++)
    g->processes[i].state = RUNS;
  pthread_mutex_unlock(&g->lock);
}

// Whether q waits for the very group that p waits for.
static bool same_meeting(const process *p, const process *q) {
  return q->state == WAITS && q->n == p->n && q->op->code == p->op->code &&
         memcmp(q->members, p->members, p->n * sizeof *p->members) == 0;
}

// The first member who has not come, or n.
static uint32_t absent(const tl_grid *g, const process *p) {
  for (uint32_t i = 0; i < p->n; i++)
    if (!same_meeting(p, &g->processes[p->members[i]])) return i;
  return p->n;
}

// Under the lock, when somebody stopped running: nobody left who could come to a meeting?
static void look_for_deadlock(tl_grid *g) {
  if (g->n_running > 0 || g->failed || g->stuck) return;
  for (uint32_t i = 0; i < g->n; i++) {
    const process *p = &g->processes[i];
    if (p->state != WAITS) continue;
    const uint32_t at = absent(g, p);
    if (at == p->n) return; // it has been woken
    g->stuck = true;
    g->stuck_op = p->op;
    g->stuck_at = i;
    g->stuck_for = p->members[at];
    g->stuck_ended = g->processes[g->stuck_for].state == ENDED;
    pthread_cond_broadcast(&g->changed);
    return;
  }
}

static tl_status say_stuck(const tl_grid *g) {
  return TL_ERROR(
      FAILED_PRECONDITION, "%s: process (%u, %u) waits at line %u for process (%u, %u), which %s",
      tl_op_get(g->stuck_op->code)->mnemonic, g->stuck_at / g->n_partitions,
      g->stuck_at % g->n_partitions, g->stuck_op->loc.line, g->stuck_for / g->n_partitions,
      g->stuck_for % g->n_partitions, g->stuck_ended ? "has ended" : "waits for another group");
}

tl_status tl_grid_meet(tl_grid *g, uint32_t self, const tl_op *op, const uint32_t *members,
                       uint32_t n, const void *what, const void **out_brought) {
  process *p = &g->processes[self];
  tl_status st = TL_OK;
  pthread_mutex_lock(&g->lock);
  p->op = op;
  p->members = members;
  p->n = n;
  p->what = what;
  p->state = WAITS;
  g->n_running--;
  if (absent(g, p) == n) {
    process *leader = &g->processes[members[0]];
    leader->inside = n;
    for (uint32_t i = 0; i < n; i++) {
      g->processes[members[i]].state = MET;
      g->processes[members[i]].leader = members[0];
    }
    g->n_running += n;
    pthread_cond_broadcast(&g->changed);
  } else {
    look_for_deadlock(g);
  }
  while (p->state == WAITS && !g->failed && !g->stuck)
    pthread_cond_wait(&g->changed, &g->lock);
  if (p->state == WAITS) {
    st = g->stuck ? say_stuck(g)
                  : TL_ERROR(ABORTED, "%s: another process of the grid failed",
                             tl_op_get(op->code)->mnemonic);
    p->state = RUNS;
    g->n_running++;
  } else {
    for (uint32_t i = 0; i < n; i++)
      out_brought[i] = g->processes[members[i]].what;
  }
  pthread_mutex_unlock(&g->lock);
  return st;
}

void tl_grid_part(tl_grid *g, uint32_t self) {
  pthread_mutex_lock(&g->lock);
  process *p = &g->processes[self], *leader = &g->processes[p->leader];
  const uint64_t round = leader->round;
  if (--leader->inside == 0) {
    leader->round++;
    pthread_cond_broadcast(&g->changed);
  }
  while (leader->round == round)
    pthread_cond_wait(&g->changed, &g->lock);
  p->state = RUNS;
  pthread_mutex_unlock(&g->lock);
}

void tl_grid_leave(tl_grid *g, uint32_t self, bool failed) {
  pthread_mutex_lock(&g->lock);
  g->processes[self].state = ENDED;
  g->n_running--;
  if (failed && !g->failed) {
    g->failed = true;
    pthread_cond_broadcast(&g->changed);
  }
  look_for_deadlock(g);
  pthread_mutex_unlock(&g->lock);
}

// ---- running ----

typedef struct runner {
  tl_grid *g;
  tl_grid_fn *run;
  void *arg;
  uint32_t self;
  tl_status status;
} runner;

static void *run_one(void *arg) {
  runner *r = arg;
  r->status = r->run(r->arg, r->self);
  tl_grid_leave(r->g, r->self, r->status != TL_OK);
  return NULL;
}

tl_status tl_grid_first(tl_status *statuses, uint32_t n) {
  tl_status first = TL_OK;
  for (uint32_t i = 0; i < n; i++) {
    tl_status st = statuses[i];
    if (st == TL_OK) continue;
    const bool better = first == TL_OK || (tl_status_get_code(first) == TL_STATUS_ABORTED &&
                                           tl_status_get_code(st) != TL_STATUS_ABORTED);
    tl_status_drop(better ? first : st);
    if (better) first = st;
  }
  return first;
}

tl_status tl_grid_run(tl_grid *g, tl_grid_fn *run, void *arg) {
  const uint32_t n = g->n;
  runner *runners = calloc(n, sizeof *runners);
  pthread_t *threads = calloc(n, sizeof *threads);
  tl_status *statuses = calloc(n, sizeof(tl_status)), st = TL_OK;
  if (runners == NULL || threads == NULL || statuses == NULL) {
    st = TL_OOM();
    goto done;
  }
  uint32_t started = 1; // process 0 is the caller's thread
  for (uint32_t p = 0; p < n; p++)
    runners[p] = (runner){g, run, arg, p, TL_OK};
  while (started < n && pthread_create(&threads[started], NULL, run_one, &runners[started]) == 0)
    started++;
  if (started == n) {
    run_one(&runners[0]);
  } else { // those that run must not wait for those that do not
    runners[0].status = TL_ERROR(RESOURCE_EXHAUSTED, "a grid of %u processes: no more threads", n);
    tl_grid_leave(g, 0, true);
    for (uint32_t p = started; p < n; p++)
      tl_grid_leave(g, p, true);
  }
  for (uint32_t p = 1; p < started; p++)
    pthread_join(threads[p], NULL);
  for (uint32_t p = 0; p < n; p++)
    statuses[p] = runners[p].status;
  st = tl_grid_first(statuses, n);
done:
  free(runners);
  free(threads);
  free(statuses);
  return st;
}

// ---- groups ----

static tl_status no_such(const char *mnemonic, int64_t id, const char *what, uint32_t n,
                         const char *label) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: a group names %s %lld, there %s %u (%s_%s)", mnemonic,
                  what, (long long)id, n == 1 ? "is" : "are", n, mnemonic, label);
}

// Alone in place of a larger grid: every member of the group of process 0 is this one.
static tl_status group_of_one(const tl_groups *groups, const char *mnemonic, const char *label,
                              tl_arena *arena, tl_group *out_group) {
  for (uint32_t i = 0; i < groups->n; i++) {
    const int64_t *ids = groups->ids + (size_t)i * groups->size;
    uint32_t n = 0, self = groups->size;
    for (; n < groups->size && ids[n] >= 0; n++)
      if (ids[n] == 0) self = n;
    if (self == groups->size) continue;
    uint32_t *members = TL_NEW(arena, uint32_t, n);
    if (members == NULL) return TL_OOM();
    memset(members, 0, n * sizeof *members);
    *out_group = (tl_group){members, n, self};
    return TL_OK;
  }
  return TL_ERROR(INVALID_ARGUMENT, "%s: no group names replica 0 (%s_%s)", mnemonic, mnemonic,
                  label);
}

tl_status tl_grid_group(tl_place at, tl_strategy strategy, const tl_groups *groups,
                        const char *mnemonic, const char *label, const char *cover, tl_arena *arena,
                        tl_group *out_group) {
  *out_group = (tl_group){0};
  if (at.single_process) return group_of_one(groups, mnemonic, label, arena, out_group);
  const uint32_t n_replicas = at.grid == NULL ? 1 : at.grid->n_replicas,
                 n_partitions = at.grid == NULL ? 1 : at.grid->n_partitions;
  const uint32_t replica = at.self / n_partitions, partition = at.self % n_partitions;
  const bool by_partition = strategy == TL_CROSS_PARTITION, flat = strategy == TL_FLATTENED_IDS,
             both = strategy == TL_CROSS_REPLICA_AND_PARTITION;
  const uint32_t limit = flat           ? n_replicas * n_partitions
                         : by_partition ? n_partitions
                                        : n_replicas;
  const char *what = flat ? "process" : by_partition ? "partition" : "replica";
  const int64_t own = flat ? at.self : by_partition ? partition : replica;
  const int64_t *row = NULL;
  uint32_t n_ids = 0, n_row = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    const int64_t *ids = groups->ids + (size_t)i * groups->size;
    uint32_t n = 0;
    bool mine = false;
    for (; n < groups->size && ids[n] >= 0; n++) {
      if (ids[n] >= (int64_t)limit) return no_such(mnemonic, ids[n], what, limit, label);
      mine |= ids[n] == own;
    }
    n_ids += n;
    if (mine) row = ids, n_row = n;
  }
  if (cover != NULL && n_ids != limit)
    return TL_ERROR(INVALID_ARGUMENT, "%s: the groups name %u of %u %s (%s_%s)", mnemonic, n_ids,
                    limit,
                    flat           ? "processes"
                    : by_partition ? "partitions"
                                   : "replicas",
                    mnemonic, cover);
  if (row == NULL) return TL_OK;
  const uint32_t per = both ? n_partitions : 1;
  uint32_t *members = TL_NEW(arena, uint32_t, (size_t)n_row *per);
  if (members == NULL) return TL_OOM();
  for (uint32_t k = 0; k < per; k++) // all replicas of a partition before the next one
    for (uint32_t i = 0; i < n_row; i++) {
      const uint32_t id = (uint32_t)row[i], member = flat           ? id
                                                     : by_partition ? replica * n_partitions + id
                                                     : both         ? id * n_partitions + k
                                                                    : id * n_partitions + partition;
      members[k * n_row + i] = member;
      if (member == at.self) out_group->self = k * n_row + i;
    }
  out_group->members = members;
  out_group->n = n_row * per;
  return TL_OK;
}
