// Random programs, natively and by the interpreter: what a plan shares, moves, overwrites, divides
// among threads and repeats in loops must not be seen in the results.
#include "cpu/testing_programs.h"

// Two callees and @main of about `n_ops` ops each, from a seed. The same seed with fewer ops gives
// a prefix of the program.
static tl_module *random_module(uint64_t seed, uint32_t n_ops) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  gen g;
  tl_func *funcs[GEN_FUNCS];
  size_t n_funcs = 0;
  for (size_t i = 0; i < 2; i++) {
    const char *name = i ? "second" : "first";
    tl_builder b = gen_begin(&g, m, name, seed * 4 + i);
    g.b = &b;
    memcpy(g.funcs, funcs, sizeof funcs);
    g.n_funcs = n_funcs;
    gen_ops(&g, TL_MIN(n_ops, 4u));
    gen_end(&g);
    for (uint32_t a = 0; a < b.fn->body->n_args; a++)
      b.fn->args[a].alias_output = -1;
    funcs[n_funcs++] = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  tl_builder b = gen_begin(&g, m, "main", seed * 4 + 2);
  g.b = &b;
  memcpy(g.funcs, funcs, sizeof funcs);
  g.n_funcs = n_funcs;
  gen_ops(&g, n_ops);
  gen_end(&g);
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  tl_status st = tl_module_verify(m, &diags);
  if (st) {
    tl_buf text = {0};
    tl_diags_print(&diags, &text, false);
    print_error("seed %llu: %s", (unsigned long long)seed, text.ptr ? text.ptr : "");
    tl_buf_deinit(&text);
  }
  assert_ok(st);
  tl_diags_deinit(&diags);
  return m;
}

static bool program_agrees(uint64_t seed, uint32_t n_ops, bool show) {
  tl_module *m = random_module(seed, n_ops);
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
