// Arenas: zeroed, aligned, disjoint, rewound, owned.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/arena.h"

static void is_zero_and_fill(unsigned char *p, size_t size, unsigned char with) {
  for (size_t i = 0; i < size; i++)
    assert_int_equal(p[i], 0);
  memset(p, with, size);
}

static void zeroed_aligned_disjoint(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  assert_non_null(a);
  enum { N = 400 };
  unsigned char *p[N];
  size_t size[N];
  for (size_t i = 0; i < N; i++) {
    size_t align = (size_t)1 << i % 8;
    size[i] = i * i % 9001;
    p[i] = tl_arena_alloc(a, size[i], align);
    assert_non_null(p[i]);
    assert_int_equal((uintptr_t)p[i] % align, 0);
    is_zero_and_fill(p[i], size[i], (unsigned char)(i + 1));
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < size[i]; j++)
      assert_int_equal(p[i][j], (unsigned char)(i + 1));
  tl_arena_destroy(a);
  tl_arena_destroy(NULL);
}

static void rewound_memory_is_zero_again(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  unsigned char *kept = tl_arena_alloc(a, 100, 1);
  memset(kept, 7, 100);
  size_t warm = 0;
  for (int round = 0; round < 20; round++) {
    tl_arena_point mark = tl_arena_mark(a);
    for (size_t i = 0; i < 30; i++)
      is_zero_and_fill(tl_arena_alloc(a, 100 * i + 1, 8), 100 * i + 1, 0xEE);
    tl_arena_rewind(a, mark);
    if (round == 1) warm = tl_arena_size(a);
    if (round > 1) assert_true(tl_arena_size(a) <= warm);
  }
  for (int i = 0; i < 100; i++)
    assert_int_equal(kept[i], 7);
  tl_arena_destroy(a);
}

static void a_warm_scratch_allocates_nothing(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  for (int round = 0; round < 3; round++) {
    tl_test_allocations_begin();
    tl_arena_point mark = tl_arena_mark(a);
    assert_non_null(tl_arena_alloc(a, 3000000, 64));
    tl_arena_rewind(a, mark);
    size_t asked = tl_test_allocations_end();
    if (round > 0) assert_int_equal(asked, 0);
  }
  tl_arena_destroy(a);
}

static void impossible_sizes(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  assert_null(tl_arena_alloc(a, SIZE_MAX, 1));
  assert_null(tl_arena_alloc(a, SIZE_MAX - 8, 16));
  assert_null(tl_arena_alloc_array(a, SIZE_MAX / 2, 3, 8));
  assert_non_null(tl_arena_alloc(a, 0, 8));
  assert_non_null(tl_arena_alloc(a, 5, 8)); // still good
  tl_arena_destroy(a);
}

static char trace[16];
static void release(void *object) {
  size_t n = strlen(trace);
  trace[n] = *(const char *)object;
  trace[n + 1] = '\0';
}

static void owned_references_go_last_first(void **state) {
  (void)state;
  trace[0] = '\0';
  char names[] = "abcd";
  tl_arena *a = tl_arena_create();
  assert_true(tl_arena_own(a, &names[0], release));
  assert_true(tl_arena_own(a, &names[1], release));
  tl_arena_point mark = tl_arena_mark(a);
  assert_true(tl_arena_own(a, &names[2], release));
  assert_non_null(tl_arena_alloc(a, 1 << 20, 8)); // the record lies in an older block than the top
  assert_true(tl_arena_own(a, &names[3], release));
  tl_arena_rewind(a, mark);
  assert_string_equal(trace, "dc");
  tl_arena_destroy(a);
  assert_string_equal(trace, "dcba");
}

static tl_status build(void *arg) {
  (void)arg;
  tl_arena *a = tl_arena_create();
  if (a == NULL) return TL_OOM();
  bool good = true;
  for (size_t i = 0; i < 200 && good; i++)
    good = tl_arena_alloc(a, i * 37, 16) != NULL;
  tl_arena_destroy(a);
  return good ? TL_OK : TL_OOM();
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zeroed_aligned_disjoint),
      cmocka_unit_test(rewound_memory_is_zero_again),
      cmocka_unit_test(a_warm_scratch_allocates_nothing),
      cmocka_unit_test(impossible_sizes),
      cmocka_unit_test(owned_references_go_last_first),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
