// The map against a plain array, through puts, replacements and removals.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/map.h"

enum { KEYS = 500 };
static char names[KEYS][16];

static tl_str name(size_t i) { return tl_str_of(names[i]); }

static void basics(void **state) {
  (void)state;
  tl_map m = {0};
  uint64_t v = 0;
  assert_false(tl_map_get(&m, TL_STR("a"), &v));
  assert_false(tl_map_remove(&m, TL_STR("a")));
  assert_true(tl_map_put(&m, TL_STR("a"), 1));
  assert_true(tl_map_put(&m, TL_STR(""), 2)); // the empty key is a key
  assert_true(tl_map_put(&m, TL_STR("a\0b"), 3));
  assert_true(tl_map_put(&m, TL_STR("a"), 4));
  assert_int_equal(m.len, 3);
  assert_true(tl_map_get(&m, TL_STR("a"), &v) && v == 4);
  assert_true(tl_map_get(&m, TL_STR(""), &v) && v == 2);
  assert_true(tl_map_get(&m, TL_STR("a\0b"), NULL));
  assert_false(tl_map_get(&m, TL_STR("a\0c"), &v));
  tl_map_deinit(&m);
  assert_false(tl_map_reserve(&m, SIZE_MAX / 2));
  tl_map_deinit(&m);
}

static void against_an_array(void **state) {
  (void)state;
  tl_map m = {0};
  bool has[KEYS] = {false};
  uint64_t value[KEYS] = {0};
  size_t len = 0;
  uint32_t random = 1;
  for (int step = 0; step < 200000; step++) {
    random = random * 1664525u + 1013904223u;
    size_t k = (random >> 8) % KEYS;
    if (random >> 29 < 4) { // as many puts as removals, so that runs are cut in all places
      assert_true(tl_map_put(&m, name(k), random));
      len += !has[k];
      has[k] = true;
      value[k] = random;
    } else {
      assert_int_equal(tl_map_remove(&m, name(k)), has[k]);
      len -= has[k];
      has[k] = false;
    }
    assert_int_equal(m.len, len);
    if (step % 1000 != 0) continue;
    for (size_t i = 0; i < KEYS; i++) {
      uint64_t v = 0;
      assert_int_equal(tl_map_get(&m, name(i), &v), has[i]);
      if (has[i]) assert_int_equal(v, value[i]);
    }
  }
  assert_true(m.cap < 4 * KEYS); // churn does not grow it
  tl_map_deinit(&m);
}

static tl_status build(void *arg) {
  (void)arg;
  tl_map m = {0};
  bool good = true;
  for (size_t i = 0; i < KEYS && good; i++)
    good = tl_map_put(&m, name(i), i);
  for (size_t i = 0; i < m.len; i++)
    good = good && tl_map_get(&m, name(i), NULL);
  tl_map_deinit(&m);
  return good ? TL_OK : TL_OOM();
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  for (size_t i = 0; i < KEYS; i++)
    snprintf(names[i], sizeof names[i], "key%zu", i);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(basics),
      cmocka_unit_test(against_an_array),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
