// Random programs, natively and by the interpreter: what a plan shares, moves, overwrites, divides
// among threads and repeats in loops must not be seen in the results.
#include "cpu/testing_programs.h"

static bool program_agrees(uint64_t seed, uint32_t n_ops, bool show) {
  tl_module *m = gen_module(seed, n_ops);
  test_run t;
  test_rng r = {seed ^ 0x5555};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  // Every other program also runs op by op, nothing fused, on one of the devices.
  test_devices[2].cpu->unfused = seed % 2;
  if (!t.failure[0]) test_run_everywhere(&t, m);
  test_devices[2].cpu->unfused = false;
  const bool good = !t.failure[0];
  if (!good && show) {
    print_error("seed %llu, %u ops: %s\n", (unsigned long long)seed, n_ops, t.failure);
    test_print(m);
  }
  test_run_end(&t);
  tl_module_destroy(m);
  return good;
}

// TLALOC_TEST_SEED=n runs that program alone; TLALOC_TEST_PROGRAMS sets how many.
static void random_programs(void **state) {
  (void)state;
  const char *alone = getenv("TLALOC_TEST_SEED"), *many = getenv("TLALOC_TEST_PROGRAMS");
#ifdef TL_TEST_SANITIZED
  const uint64_t usual = 400;
#else
  const uint64_t usual = 2500;
#endif
  const uint64_t first = alone ? strtoull(alone, NULL, 10) : 1, n = alone ? 1
                                                                    : many
                                                                        ? strtoull(many, NULL, 10)
                                                                        : usual;
  for (uint64_t seed = first; seed < first + n; seed++) {
    const uint32_t n_ops = 4 + (uint32_t)(seed % 21);
    if (program_agrees(seed, n_ops, false)) continue;
    for (uint32_t fewer = 0; fewer <= n_ops; fewer++) // the shortest beginning that fails
      if (!program_agrees(seed, fewer, false)) {
        program_agrees(seed, fewer, true);
        fail_msg("seed %llu", (unsigned long long)seed);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
