// Where plugins are looked for, in which order, and what the report says; over a home folder made
// for the test.
#include "pjrt/client/client.h"

#include "base/test.h"

static tl_test_tmp home;
static tl_arena *arena;

static const char *make(const char *path) {
  char *full = tl_path_join(arena, home.path, path);
  char *dir = tl_arena_printf(arena, "%s", full);
  *strrchr(dir, '/') = 0;
  assert_ok(tl_dir_create(dir));
  assert_ok(tl_file_write(full, "x", 1));
  return full;
}

static const char *look(tl_pjrt_kind kind, const char *want) {
  tl_buf report = {0};
  const char *path = NULL;
  assert_ok(tl_pjrt_discover(kind, arena, &report, &path));
  if (strstr(report.ptr, want) == NULL) fail_msg("no \"%s\" in:\n%s", want, report.ptr);
  tl_buf_deinit(&report);
  return path;
}

static int begin(void **state) {
  (void)state;
  tl_test_tmp_create(&home);
  arena = tl_arena_create();
  setenv("HOME", home.path, 1);
  unsetenv("VIRTUAL_ENV");
  unsetenv("TLALOC_PJRT_PLUGIN_PATH");
  return arena == NULL;
}

static int end(void **state) {
  (void)state;
  tl_test_tmp_remove(&home);
  tl_arena_destroy(arena);
  return 0;
}

static void test_nothing(void **state) {
  (void)state;
  if (look(TL_PJRT_CUDA, "PJRT cuda plugin resolution — where Tlaloc looked:\n1. "
                         "$TLALOC_PJRT_PLUGIN_PATH: not set\n2. ")) {
    print_message("skipped: a CUDA plugin is installed on this machine\n");
    skip();
  }
  look(TL_PJRT_CUDA, "Roots searched: $VIRTUAL_ENV (not set), ~/.local/venvs/*,");
  look(TL_PJRT_CUDA, "\nFix: export TLALOC_PJRT_PLUGIN_PATH=");
  assert_null(look(TL_PJRT_OTHER, "\nFix: export"));
}

// The first root wins, and within a root the first in sorted order.
static void test_order(void **state) {
  (void)state;
  const char *local =
      make(".local/lib64/python3.11/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
  assert_string_equal(look(TL_PJRT_CUDA, "\n2. found "), local);
  const char *b = make(".local/venvs/b/lib/python3.12/site-packages/jax_plugins/xla_cuda13/p.so");
  assert_string_equal(look(TL_PJRT_CUDA, b), b);
  const char *a = make(".local/venvs/a/lib/python3.12/site-packages/jax_plugins/xla_cuda13/p.so");
  assert_string_equal(look(TL_PJRT_CUDA, a), a);
  const char *earlier =
      make(".local/venvs/a/lib/python3.11/dist-packages/jax_plugins/my_cuda/z.so");
  assert_string_equal(look(TL_PJRT_CUDA, earlier), earlier);
  make(".local/venvs/a/lib/python3.10/site-packages/jax_plugins/rocm/p.so"); // not CUDA
  assert_string_equal(look(TL_PJRT_CUDA, earlier), earlier);
  // A root whose name glob would read as a pattern.
  const char *odd = make("od[d]*/lib/python3.9/site-packages/jax_plugins/cuda/p.so");
  setenv("VIRTUAL_ENV", tl_path_join(arena, home.path, "od[d]*"), 1);
  assert_string_equal(look(TL_PJRT_CUDA, odd), odd);
}

static void test_variable(void **state) {
  (void)state;
  const char *file = make("anything.so");
  setenv("TLALOC_PJRT_PLUGIN_PATH", file, 1);
  assert_string_equal(look(TL_PJRT_CUDA, "1. $TLALOC_PJRT_PLUGIN_PATH: found "), file);
  assert_string_equal(look(TL_PJRT_OTHER, "1. $TLALOC_PJRT_PLUGIN_PATH: found "), file);
  look(TL_PJRT_TPU, "passed over, its name has no \"tpu\"");
  const char *tpu = make("libtpu_next.so");
  setenv("TLALOC_PJRT_PLUGIN_PATH", tpu, 1);
  assert_string_equal(look(TL_PJRT_TPU, "found"), tpu);
  setenv("TLALOC_PJRT_PLUGIN_PATH", "/nonexistent.so", 1);
  look(TL_PJRT_CUDA, "1. $TLALOC_PJRT_PLUGIN_PATH: /nonexistent.so: no such file\n");
  const char *packaged = make(".local/lib/python3.12/site-packages/libtpu/libtpu.so");
  assert_string_equal(look(TL_PJRT_TPU, "\n2. found "), packaged);
}

static void refused(const char *name, const char *value, const char *want) {
  setenv(name, value, 1);
  tl_pjrt_options o;
  assert_status(tl_pjrt_options_of_env(TL_PJRT_OTHER, arena, &o), TL_STATUS_INVALID_ARGUMENT, want);
  unsetenv(name);
}

static void test_options(void **state) {
  (void)state;
  tl_pjrt_options o;
  assert_ok(tl_pjrt_options_of_env(TL_PJRT_OTHER, arena, &o));
  assert_int_equal(o.n_items, 0);
  assert_ok(tl_pjrt_options_of_env(TL_PJRT_CUDA, arena, &o));
  assert_int_equal(o.n_items, 2);
  assert_string_equal(o.items[0].name, "memory_fraction");
  assert_true(o.items[0].f32 == 0.5f);
  assert_false(o.items[1].boolean);
  setenv("TLALOC_PJRT_MEMORY_FRACTION", "0.25", 1);
  setenv("TLALOC_PJRT_PREALLOCATE", "true", 1);
  assert_ok(tl_pjrt_options_of_env(TL_PJRT_CUDA, arena, &o));
  assert_true(o.items[0].f32 == 0.25f);
  assert_true(o.items[1].boolean);
  unsetenv("TLALOC_PJRT_PREALLOCATE");
  static const char *const bad[] = {"0", "1.5", "half", "", "-1", "nan", "0.5x"};
  for (size_t i = 0; i < TL_COUNT(bad); i++)
    refused("TLALOC_PJRT_MEMORY_FRACTION", bad[i],
            "TLALOC_PJRT_MEMORY_FRACTION must be a number in (0, 1], got '");
  refused("TLALOC_PJRT_PREALLOCATE", "yes",
          "TLALOC_PJRT_PREALLOCATE must be true or false, got 'yes'");
  refused("TLALOC_PJRT_NUM_NODES", "two",
          "TLALOC_PJRT_NUM_NODES must be an integer of at least 1, got 'two'");
  refused("TLALOC_PJRT_NODE_ID", "-1",
          "TLALOC_PJRT_NODE_ID must be an integer of at least 0, got '-1'");
}

static void test_nodes(void **state) {
  (void)state;
  tl_pjrt_options o;
  setenv("TLALOC_PJRT_NUM_NODES", "2", 1);
  assert_status(tl_pjrt_options_of_env(TL_PJRT_CUDA, arena, &o), TL_STATUS_INVALID_ARGUMENT,
                "COORDINATOR_ADDRESS must be set");
  static const char *const bad[] = {"host", "host:", ":80", "host:0", "host:65536", "host:x"};
  for (size_t i = 0; i < TL_COUNT(bad); i++)
    refused("TLALOC_PJRT_COORDINATOR_ADDRESS", bad[i],
            "must be host:port with a port in 1..65535, got '");
  setenv("TLALOC_PJRT_COORDINATOR_ADDRESS", "node0:8476", 1);
  refused("TLALOC_PJRT_NODE_ID", "2", "TLALOC_PJRT_NODE_ID must be in [0, 2), got '2'");
  setenv("TLALOC_PJRT_NODE_ID", "1", 1);
  assert_ok(tl_pjrt_options_of_env(TL_PJRT_CUDA, arena, &o));
  assert_int_equal(o.n_items, 4);
  assert_string_equal(o.items[2].name, "node_id");
  assert_int_equal(o.items[2].int64, 1);
  assert_int_equal(o.items[3].int64, 2);
  unsetenv("TLALOC_PJRT_NUM_NODES");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_nothing, begin, end),
      cmocka_unit_test_setup_teardown(test_order, begin, end),
      cmocka_unit_test_setup_teardown(test_variable, begin, end),
      cmocka_unit_test_setup_teardown(test_options, begin, end),
      cmocka_unit_test_setup_teardown(test_nodes, begin, end),
  };
  return cmocka_run_group_tests_name("pjrt/discover", tests, NULL, NULL);
}
