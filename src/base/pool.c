// A run is published by one counter, joined by another.
//
//     caller (part 0)                          worker i (part i)
//     fn, arg, left = n-1                      wait until epoch changes
//     epoch++  ───────────────────────────►    fn(arg, i, n)
//     fn(arg, 0, n)                            left--  ──► the last one
//     wait until left == 0  ◄──────────────────────────────┘
//
// A decoding step has some hundreds of runs of a few dozen microseconds, so waiting is a spin
// first: a futex wake-up costs as much as the work. After about 50 us without news a waiter sleeps
// in the kernel. After the first of those it yields between looks: the thread that we wait for may
// be waiting for our CPU, where there are more threads than CPUs, or the kernel has put two of ours
// on one. Measured on two CPUs: a run of nothing takes 0.2 to 0.4 us with a CPU for each thread;
// with both on one CPU 9 us, and 56 us before there were yields.
//
// A waiter counts itself in `sleepers` before it sleeps, and whoever changes the word looks at the
// count after. Both are sequentially consistent, so one of them sees the other: either the sleeper
// finds the word changed (the kernel compares it again), or the changer finds the sleeper and wakes
// it. Without sleepers, no system call is made.
//
// Callers take turns in the order in which they came: each draws a ticket and waits until it is
// served. With a mutex, a caller whose runs follow one another closely would get the lock back
// nearly every time, and another program on the same pool would starve.
//
// Words that different threads write lie on cache lines of their own; a pair of lines, since the
// prefetcher of x86 fetches pairs.
#include "base/pool.h"

#include "base/pool_turns.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpuinfo.h"

enum { LINE = 128, THREADS_MAX = 4096, SPIN_NS = 50000, SPIN_ALONE_NS = 1000, LOOKS = 32 };

typedef struct pool_word { // something to wait for
  _Alignas(LINE) _Atomic uint32_t value;
  _Atomic uint32_t sleepers;
} pool_word;

typedef struct pool_worker {
  tl_pool *pool;
  size_t part;
  pthread_t thread;
} pool_worker;

struct tl_pool {
  pool_word epoch;                         // number of runs begun
  pool_word left;                          // workers that have not finished this run
  pool_word phase;                         // number of barriers passed
  pool_word served;                        // the ticket of the caller whose turn it is
  _Alignas(LINE) _Atomic uint32_t tickets; // drawn
  _Alignas(LINE) _Atomic uint32_t arrived; // at the barrier
  _Alignas(LINE)
      tl_pool_fn fn; // NULL: end. Written by the caller before epoch, read by workers after
  void *arg;
  size_t size;
  size_t started;       // workers that exist
  pool_worker *workers; // [size - 1]
};

// The pool whose part this thread is in: running it again from inside would wait for itself.
static _Thread_local const tl_pool *inside;

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void word_sleep(pool_word *w, uint32_t value) {
  (void)syscall(SYS_futex, &w->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void word_wake(pool_word *w) {
  if (atomic_load(&w->sleepers) != 0)
    (void)syscall(SYS_futex, &w->value, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

// Returns the first value seen that differs from `old`. Asks for the lines of r (NULL: of nothing)
// meanwhile, one between two looks.
static uint32_t word_wait_reading(pool_word *w, uint32_t old, tl_pool_reading *r) {
  enum { CACHE_LINE = 64 };
  uint32_t value;
  for (; r && r->at < r->end; r->at += CACHE_LINE) {
    if ((value = atomic_load_explicit(&w->value, memory_order_acquire)) != old) return value;
    __builtin_prefetch((const void *)r->at, 0, 2);
  }
  for (int i = 0; i < LOOKS; i++) {
    if ((value = atomic_load_explicit(&w->value, memory_order_acquire)) != old) return value;
    cpu_relax();
  }
  uint64_t begin = tl_now_ns(), spent;
  while ((spent = tl_now_ns() - begin) < SPIN_NS) {
    for (int i = 0; i < LOOKS; i++) {
      if ((value = atomic_load_explicit(&w->value, memory_order_acquire)) != old) return value;
      cpu_relax();
    }
    if (spent > SPIN_ALONE_NS) sched_yield();
  }
  atomic_fetch_add(&w->sleepers, 1);
  while ((value = atomic_load(&w->value)) == old)
    word_sleep(w, old);
  atomic_fetch_sub(&w->sleepers, 1);
  return value;
}

static uint32_t word_wait(pool_word *w, uint32_t old) { return word_wait_reading(w, old, NULL); }

static void *worker_main(void *arg) {
  const pool_worker *self = arg;
  tl_pool *p = self->pool;
  uint32_t epoch = 0;
  inside = p;
  for (;;) {
    word_wait(&p->epoch, epoch);
    epoch++; // not what was read: the caller cannot begin another run before this one is counted
    if (p->fn == NULL) return NULL;
    p->fn(p->arg, self->part, p->size);
    if (atomic_fetch_sub(&p->left.value, 1) == 1) word_wake(&p->left);
  }
}

static void run_begin(tl_pool *p, tl_pool_fn fn, void *arg) {
  p->fn = fn;
  p->arg = arg;
  atomic_store(&p->left.value, (uint32_t)p->started);
  atomic_fetch_add(&p->epoch.value, 1);
  word_wake(&p->epoch);
}

static void turn_take(tl_pool *p) {
  const uint32_t ticket = atomic_fetch_add(&p->tickets, 1);
  for (uint32_t at; (at = atomic_load_explicit(&p->served.value, memory_order_acquire)) != ticket;)
    word_wait(&p->served, at);
}

size_t tl_pool_waiting(const tl_pool *p) {
  const uint32_t served = atomic_load(&p->served.value), drawn = atomic_load(&p->tickets) - served;
  return drawn > 1 ? drawn - 1 : 0;
}

static void turn_end(tl_pool *p) {
  atomic_fetch_add(&p->served.value, 1);
  word_wake(&p->served);
}

void tl_pool_run(tl_pool *p, tl_pool_fn fn, void *arg) {
  TL_ASSERT(fn != NULL && inside != p);
  turn_take(p);
  if (p->size == 1) {
    fn(arg, 0, 1);
    turn_end(p);
    return;
  }
  const tl_pool *outer = inside;
  inside = p;
  run_begin(p, fn, arg);
  fn(arg, 0, p->size);
  inside = outer;
  for (uint32_t left; (left = atomic_load_explicit(&p->left.value, memory_order_acquire)) != 0;)
    word_wait(&p->left, left);
  turn_end(p);
}

void tl_pool_barrier(tl_pool *p) { tl_pool_barrier_reading(p, NULL); }

void tl_pool_barrier_reading(tl_pool *p, tl_pool_reading *r) {
  if (p->size == 1) return;
  uint32_t phase = atomic_load_explicit(&p->phase.value, memory_order_acquire);
  if (atomic_fetch_add(&p->arrived, 1) + 1 == p->size) {
    atomic_store(&p->arrived, 0); // before anyone can come again
    atomic_fetch_add(&p->phase.value, 1);
    word_wake(&p->phase);
  } else {
    word_wait_reading(&p->phase, phase, r);
  }
}

static tl_status workers_start(tl_pool *p) {
  sigset_t all, old; // signals are for the host program's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int err = 0;
  while (p->started + 1 < p->size && err == 0) {
    pool_worker *w = &p->workers[p->started];
    *w = (pool_worker){.pool = p, .part = p->started + 1};
    err = pthread_create(&w->thread, NULL, worker_main, w);
    if (err == 0) {
      char name[16];
      snprintf(name, sizeof name, "tl-pool-%u", (unsigned)w->part & 0xffffu);
      (void)pthread_setname_np(w->thread, name);
      p->started++;
    }
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (err == 0) return TL_OK;
  return TL_ERROR(RESOURCE_EXHAUSTED, "cannot start thread %zu of %zu", p->started + 1, p->size);
}

tl_status tl_pool_create(size_t n_threads, tl_pool **out_pool) {
  if (n_threads == 0) n_threads = TL_MIN(tl_cpu_count(), (size_t)THREADS_MAX);
  if (n_threads > THREADS_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "%zu threads asked for, the most is %d", n_threads,
                    THREADS_MAX);
  tl_pool *p = aligned_alloc(LINE, tl_round_up(sizeof *p, LINE));
  if (p == NULL) return TL_OOM();
  *p = (tl_pool){.size = n_threads};
  tl_status st = TL_OK;
  if (n_threads > 1) {
    p->workers = calloc(n_threads - 1, sizeof *p->workers);
    st = p->workers == NULL ? TL_OOM() : workers_start(p);
  }
  if (st != TL_OK) {
    tl_pool_destroy(p);
    return st;
  }
  *out_pool = p;
  return TL_OK;
}

void tl_pool_destroy(tl_pool *p) {
  if (p == NULL) return;
  TL_ASSERT(inside != p);
  if (p->started != 0) run_begin(p, NULL, NULL);
  for (size_t i = 0; i < p->started; i++)
    pthread_join(p->workers[i].thread, NULL);
  free(p->workers);
  free(p);
}

size_t tl_pool_size(const tl_pool *p) { return p->size; }
