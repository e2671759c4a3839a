// Size classes hold what they promise, and blocks come back.
#include "pjrt/plugin/heap.h"

#include "base/test.h"

static void test_classes(void **state) {
  (void)state;
  size_t last = 0, last_cap = 0;
  for (size_t size = 0; size < 100000; size++) {
    size_t at, cap, again, same;
    assert_true(tl_heap_class(size, &at, &cap));
    assert_true(cap >= size && cap % TL_HEAP_ALIGN == 0);
    assert_true(cap <= size + TL_MAX(size / 4, (size_t)TL_HEAP_ALIGN));
    assert_true(tl_heap_class(cap, &again, &same) && again == at && same == cap);
    assert_true(at >= last && at < TL_HEAP_CLASSES && (at != last || cap == last_cap || size == 0));
    last = at, last_cap = cap;
  }
  size_t at, cap;
  assert_true(tl_heap_class((size_t)1 << 40, &at, &cap));
  assert_int_equal(cap, (size_t)1 << 40);
  assert_true(at < TL_HEAP_CLASSES);
  assert_false(tl_heap_class(SIZE_MAX, &at, &cap));
  assert_null(tl_heap_take(&(tl_heap){0}, SIZE_MAX - 100, &cap));
}

static void test_reuse(void **state) {
  (void)state;
  tl_heap h = {0};
  static const size_t sizes[] = {0, 1, 64, 65, 1000, 1 << 20, (5 << 20) + 3};
  for (size_t i = 0; i < TL_COUNT(sizes); i++) {
    size_t cap, cap2;
    char *a = tl_heap_take(&h, sizes[i], &cap);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % TL_HEAP_ALIGN, 0);
    memset(a, 1, cap);
    assert_int_equal(h.in_use, cap);
    tl_heap_give(&h, a, cap);
    char *b = tl_heap_take(&h, sizes[i], &cap2); // the same block, with no new allocation
    assert_ptr_equal(a, b);
    assert_int_equal(cap, cap2);
    assert_int_equal(h.n_allocs, i == 0 ? 1 : i < 3 ? 1 : i - 1);
    tl_heap_give(&h, b, cap2);
  }
  assert_int_equal(h.in_use, 0);
  // More than is worth keeping goes back at once.
  size_t cap;
  void *big = tl_heap_take(&h, (size_t)400 << 20, &cap);
  assert_non_null(big);
  size_t cached = h.cached;
  tl_heap_give(&h, big, cap);
  assert_int_equal(h.cached, cached);
  tl_heap_deinit(&h);
  assert_int_equal(h.cached, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_reuse)};
  return cmocka_run_group_tests_name("pjrt/plugin/heap", tests, NULL, NULL);
}
