// Values by their numbers: shared numbers, great ones, and values that came before their place.
#include "base/test.h"

#include "ir/value_map.h"

enum { N = 3000 };

static void check(const tl_value_map *m, const tl_value_def *v, size_t n, uintptr_t add) {
  for (size_t i = 0; i < n; i++) {
    uintptr_t got;
    assert_true(tl_value_map_get(m, &v[i], &got));
    assert_int_equal(got, i + add);
  }
}

// id_of says what number value i has.
static void fill(uint32_t (*id_of)(uint32_t)) {
  static tl_value_def v[N];
  tl_value_map m = {0};
  for (uint32_t i = 0; i < N; i++) {
    v[i] = (tl_value_def){.id = id_of(i) & TL_MAX_ID};
    assert_false(tl_value_map_get(&m, &v[i], NULL));
    assert_true(tl_value_map_put(&m, &v[i], i + 1));
    if (i % 500 == 499) check(&m, v, i + 1, 1);
  }
  for (uint32_t i = 0; i < N; i++)
    assert_true(tl_value_map_put(&m, &v[i], i + 7));
  check(&m, v, N, 7);
  const tl_value_def stranger = {.id = 5};
  assert_null(tl_value_map_find(&m, &stranger));
  assert_true(m.cap <= 64 * 1024); // a few places a value, whatever their numbers
  tl_value_map_deinit(&m);
}

static uint32_t in_order(uint32_t i) { return i; }
static uint32_t all_one(uint32_t i) { return i & 0; }
static uint32_t by_threes(uint32_t i) { return i / 3; }
static uint32_t backward(uint32_t i) { return N - i; }
static uint32_t far_apart(uint32_t i) { return i * 700001u; }

static void test_numbers(void **state) {
  (void)state;
  fill(in_order);
  fill(all_one);
  fill(by_threes);
  fill(backward);
  fill(far_apart);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
