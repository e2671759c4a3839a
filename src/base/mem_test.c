// Large memory: aligned, zero, writable to the last byte, gone after unmap.
#include "base/test.h"

#include "base/mem.h"

static void maps(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 4096, ((size_t)2 << 20) - 1, (size_t)2 << 20,
                                 ((size_t)6 << 20) + 1};
  for (size_t i = 0; i < TL_COUNT(sizes); i++) {
    unsigned char *p = tl_mem_map(sizes[i]);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % ((size_t)2 << 20), 0);
    for (size_t at = 0; at < sizes[i]; at += 4096)
      assert_int_equal(p[at], 0);
    assert_int_equal(p[sizes[i] - 1], 0);
    memset(p, 0xAB, sizes[i]);
    tl_mem_unmap(p, sizes[i]);
  }
  // Mapping and unmapping for long does not use up the address space (ends and heads are returned).
  for (int i = 0; i < 20000; i++) {
    void *p = tl_mem_map((size_t)1 << 40);
    if (p == NULL) break; // a strict overcommit policy
    tl_mem_unmap(p, (size_t)1 << 40);
  }
  void *p = tl_mem_map(100);
  assert_non_null(p);
  tl_mem_unmap(p, 100);
}

static void refusals(void **state) {
  (void)state;
  assert_null(tl_mem_map(0));
  assert_null(tl_mem_map(SIZE_MAX));
  assert_null(tl_mem_map(SIZE_MAX - ((size_t)3 << 20)));
  tl_mem_unmap(NULL, 100);
}

static void zero(void **state) {
  (void)state;
  const size_t size = (size_t)6 << 20;
  char *p = tl_mem_map(size), *q = malloc(size);
  assert_non_null(p);
  assert_non_null(q);
  char *const blocks[] = {p, q};
  for (size_t b = 0; b < 2; b++) {
    memset(blocks[b], 1, size);
    tl_mem_zero(blocks[b] + 100, size - 200); // ends inside pages
    for (size_t i = 0; i < size; i++)
      assert_int_equal(blocks[b][i], i < 100 || i >= size - 100);
    memset(blocks[b], 1, 300);
    tl_mem_zero(blocks[b] + 100, 100); // inside one page
    assert_int_equal(blocks[b][99], 1);
    assert_int_equal(blocks[b][100], 0);
    assert_int_equal(blocks[b][199], 0);
    assert_int_equal(blocks[b][200], 1);
  }
  tl_mem_unmap(p, size);
  free(q);
}

static void peak(void **state) {
  (void)state;
  size_t before = tl_mem_peak_rss(), size = (size_t)64 << 20;
  assert_true(before > 100000);
  void *p = tl_mem_map(size);
  assert_non_null(p);
  memset(p, 1, size);
  assert_true(tl_mem_peak_rss() >= before + size / 2);
  tl_mem_unmap(p, size);
}

// Whatever machine this is.
static void limits(void **state) {
  (void)state;
  assert_in_range(tl_mem_limit(), 16 << 20, SIZE_MAX >> 8);
  assert_in_range(tl_mem_available(), 1 << 20, SIZE_MAX >> 8);
  assert_true(tl_mem_peak_rss() <= tl_mem_limit() + tl_mem_limit() / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps), cmocka_unit_test(refusals), cmocka_unit_test(zero),
      cmocka_unit_test(peak), cmocka_unit_test(limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
