// The pool: every part once, the partition, barriers, two callers, more threads than CPUs, no
// allocation.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/cpuinfo.h"
#include "base/pool_turns.h"

enum { PARTS_MAX = 17 };

typedef struct counts {
  int seen[PARTS_MAX]; // each written by its own part
  size_t n_parts;
  pthread_t thread[PARTS_MAX];
} counts;

static void count_part(void *arg, size_t part, size_t n_parts) {
  counts *c = arg;
  c->seen[part]++;
  c->thread[part] = pthread_self();
  if (part == 0) c->n_parts = n_parts;
}

static void every_part_once(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 8, PARTS_MAX};
  for (size_t s = 0; s < TL_COUNT(sizes); s++) {
    size_t n = sizes[s];
    tl_pool *p;
    assert_ok(tl_pool_create(n, &p));
    assert_int_equal(tl_pool_size(p), n);
    counts c = {.n_parts = 0};
    enum { RUNS = 300 };
    pthread_t first[PARTS_MAX];
    for (int run = 1; run <= RUNS; run++) {
      if (run % 100 == 0) usleep(3000); // let the workers fall asleep
      tl_pool_run(p, count_part, &c);
      for (size_t i = 0; i < n; i++) {
        assert_int_equal(c.seen[i], run);
        if (run == 1) first[i] = c.thread[i];
        assert_true(pthread_equal(first[i], c.thread[i])); // a part is always the same thread's
      }
      assert_int_equal(c.n_parts, n);
      assert_true(pthread_equal(c.thread[0], pthread_self()));
    }
    tl_pool_destroy(p);
  }
  tl_pool_destroy(NULL);
  tl_pool *p;
  assert_ok(tl_pool_create(0, &p));
  assert_int_equal(tl_pool_size(p), tl_cpu_count());
  tl_pool_destroy(p);
  assert_status(tl_pool_create(1000000, &p), TL_STATUS_INVALID_ARGUMENT, "1000000 threads");
}

typedef struct phases {
  tl_pool *pool;
  uint64_t sum[2][PARTS_MAX]; // each part's last value, by parity of the phase
  _Atomic int wrong;
} phases;

enum { PHASES = 2000 };

// In each phase a part adds up what all parts left in the phase before: right only if nobody is
// ahead or behind.
static void step(void *arg, size_t part, size_t n_parts) {
  phases *f = arg;
  uint64_t want = n_parts;
  f->sum[0][part] = 1;
  for (int phase = 1; phase <= PHASES; phase++) {
    tl_pool_barrier(f->pool);
    uint64_t total = 0;
    for (size_t i = 0; i < n_parts; i++)
      total += f->sum[(phase - 1) & 1][i];
    if (total != want) f->wrong++;
    f->sum[phase & 1][part] = total;
    want *= n_parts;
  }
}

static void barriers(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 5}; // more than the CPUs, too
  for (size_t s = 0; s < TL_COUNT(sizes); s++) {
    phases f = {.pool = NULL};
    assert_ok(tl_pool_create(sizes[s], &f.pool));
    tl_pool_run(f.pool, step, &f);
    tl_pool_run(f.pool, step, &f);
    assert_int_equal(f.wrong, 0);
    tl_pool_destroy(f.pool);
  }
}

typedef struct shared {
  tl_pool *pool;
  long unguarded; // would lose counts if two runs overlapped
} shared;

static void add_in_part_0(void *arg, size_t part, size_t n_parts) {
  (void)n_parts;
  if (part == 0) ((shared *)arg)->unguarded++;
}

static void *call_often(void *arg) {
  for (int i = 0; i < 2000; i++)
    tl_pool_run(((shared *)arg)->pool, add_in_part_0, arg);
  return NULL;
}

static void callers_take_turns(void **state) {
  (void)state;
  shared s = {NULL, 0};
  assert_ok(tl_pool_create(2, &s.pool));
  pthread_t t[3];
  for (size_t i = 0; i < TL_COUNT(t); i++)
    assert_int_equal(pthread_create(&t[i], NULL, call_often, &s), 0);
  for (size_t i = 0; i < TL_COUNT(t); i++)
    pthread_join(t[i], NULL);
  assert_int_equal(s.unguarded, 6000);
  tl_pool_destroy(s.pool);
}

// The eager caller runs again the moment its run has ended; the other one, who came meanwhile, goes
// before it.
enum { TURNS = 20 };
typedef struct queue {
  tl_pool *pool;
  _Atomic int ran; // turns of the other one
} queue;

static void run_other(void *arg, size_t part, size_t n_parts) {
  (void)n_parts;
  if (part == 0) ((queue *)arg)->ran++;
}

static void *other_caller(void *arg) {
  queue *q = arg;
  for (int i = 0; i < TURNS; i++) {
    tl_pool_run(q->pool, run_other, q);
  }
  return NULL;
}

static void hold_until_it_comes(void *arg, size_t part, size_t n_parts) {
  (void)n_parts;
  queue *q = arg;
  if (part != 0) return;
  while (tl_pool_waiting(q->pool) == 0 && q->ran < TURNS)
    usleep(50);
}

static void nothing(void *arg, size_t part, size_t n_parts) {
  (void)arg, (void)part, (void)n_parts;
}

static void nobody_is_overtaken(void **state) {
  (void)state;
  for (size_t threads = 1; threads <= 2; threads++) {
    queue q = {.pool = NULL};
    assert_ok(tl_pool_create(threads, &q.pool));
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, other_caller, &q), 0);
    int overtaken = 0;
    for (int i = 0; i < TURNS; i++) {
      const int ran = q.ran;
      if (ran == TURNS) break;
      tl_pool_run(q.pool, hold_until_it_comes, &q);
      tl_pool_run(q.pool, nothing, NULL);
      overtaken += q.ran <= ran;
    }
    pthread_join(t, NULL);
    assert_int_equal(overtaken, 0);
    tl_pool_destroy(q.pool);
  }
}

static double cpu_seconds(void) { // of all threads of the process
  struct timespec t;
  assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Having spun for a moment, workers sleep: a tenth of a second costs three of them nearly nothing,
// where spinning would cost 0.3 s of processors.
static void idle_threads_cost_nothing(void **state) {
  (void)state;
  tl_pool *p;
  counts c = {.n_parts = 0};
  assert_ok(tl_pool_create(4, &p));
  tl_pool_run(p, count_part, &c);
  const double before = cpu_seconds();
  usleep(100000);
  assert_true(cpu_seconds() - before < 0.01);
  tl_pool_destroy(p);
}

static tl_pool *inner;
static void run_inner(void *arg, size_t part, size_t n_parts) {
  (void)n_parts;
  if (part == 0) tl_pool_run(inner, count_part, arg);
}

static void another_pool_may_run_inside(void **state) {
  (void)state;
  tl_pool *outer;
  counts c = {.n_parts = 0};
  assert_ok(tl_pool_create(2, &outer));
  assert_ok(tl_pool_create(3, &inner));
  tl_pool_run(outer, run_inner, &c);
  tl_pool_run(outer, run_inner, &c);
  assert_int_equal(c.seen[0] + c.seen[1] + c.seen[2], 6);
  tl_pool_destroy(inner);
  tl_pool_destroy(outer);
}

static void ranges_cover_everything_once(void **state) {
  (void)state;
  for (size_t total = 0; total < 70; total++)
    for (size_t grain = 1; grain < 20; grain += 3)
      for (size_t n = 1; n < 9; n++) {
        size_t next = 0;
        for (size_t part = 0; part < n; part++) {
          size_t from, to;
          tl_pool_range(total, grain, part, n, &from, &to);
          assert_int_equal(from, next);
          assert_true(from <= to && (from % grain == 0 || from == total));
          next = to;
        }
        assert_int_equal(next, total);
      }
}

static void a_run_allocates_nothing(void **state) {
  (void)state;
  tl_pool *p;
  counts c = {.n_parts = 0};
  assert_ok(tl_pool_create(2, &p));
  tl_test_allocations_begin();
  for (int i = 0; i < 50; i++)
    tl_pool_run(p, count_part, &c);
  assert_int_equal(tl_test_allocations_end(), 0);
  tl_pool_destroy(p);
}

static tl_status build(void *arg) {
  (void)arg;
  tl_pool *p;
  TL_TRY(tl_pool_create(3, &p));
  tl_pool_destroy(p);
  return TL_OK;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_once),
      cmocka_unit_test(barriers),
      cmocka_unit_test(callers_take_turns),
      cmocka_unit_test(nobody_is_overtaken),
      cmocka_unit_test(idle_threads_cost_nothing),
      cmocka_unit_test(another_pool_may_run_inside),
      cmocka_unit_test(ranges_cover_everything_once),
      cmocka_unit_test(a_run_allocates_nothing),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
