// pick: the very numbers a loop with a branch finds, for all lengths around a vector, ranges that
// hold nothing, a part and everything, and places that are nowhere.
#include "cpu/kernels/testing.h"

static void check(const tl_kernels *k, size_t n, uint64_t low, uint64_t width, int64_t below) {
  int64_t *places = test_alloc(n * sizeof *places);
  uint32_t *picked = test_alloc((n + 7) * sizeof *picked);
  size_t n_picked = SIZE_MAX, at = 0;
  for (size_t i = 0; i < n; i++)
    places[i] = (int64_t)(test_u32() % (uint32_t)(below + 1)) - 1;
  k->pick(&(tl_pick_args){.places = places,
                          .n = n,
                          .low = low,
                          .width = width,
                          .picked = picked,
                          .n_picked = &n_picked});
  for (size_t i = 0; i < n; i++)
    if (places[i] >= (int64_t)low && (uint64_t)places[i] < low + width)
      assert_int_equal(picked[at++], i);
  assert_int_equal(n_picked, at);
  free(places), free(picked);
}

static void test_pick(void **state) {
  (void)state;
  for (TEST_EACH_VARIANT(k))
    for (size_t n = 0; n <= 40; n++) {
      check(k, n, 0, 100, 200);
      check(k, n, 100, 100, 200);
      check(k, n, 3, 1, 4);
      check(k, n, 0, 0, 10);
      check(k, n, 0, (uint64_t)INT64_MAX, 1000);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants), cmocka_unit_test(test_pick)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
