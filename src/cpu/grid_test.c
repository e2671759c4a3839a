// Grids that go wrong: whoever waits is woken, the error says who and where, and the grid runs
// again. What grids give when they go right is tests/parallel and tests/suites/collectives.mlir;
// that the native steps give the interpreter's bits, here.
#include "base/test.h"

#include "cpu/plan.h"
#include "shlo/shlo.h"

enum { N = 4 };

#define ADD                                       \
  "({\n"                                          \
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"   \
  "    %s = stablehlo.add %a, %b : tensor<f32>\n" \
  "    stablehlo.return %s : tensor<f32>\n"       \
  "  }) : (tensor<f32>) -> tensor<f32>\n"

typedef struct fixture {
  tl_cpu *cpus[N];
  tl_cpu_grid *grid;
} fixture;

static void begin_with(fixture *f, const char *text, uint32_t n_replicas, uint32_t n_partitions,
                       const tl_cpu_options *options) {
  tl_module *m;
  tl_diags diags = {0};
  tl_cpu_exe *exe;
  assert_ok(tl_shlo_parse(tl_str_of(text), "grid.mlir", &diags, &m));
  tl_diags_deinit(&diags);
  for (int p = 0; p < N; p++)
    assert_ok(tl_cpu_create(options, &f->cpus[p]));
  assert_ok(tl_cpu_compile(f->cpus[0], m, TL_STR("main"), &exe));
  assert_ok(tl_cpu_grid_create(exe, f->cpus, n_replicas, n_partitions, &f->grid));
}

static void begin(fixture *f, const char *text, uint32_t n_replicas, uint32_t n_partitions,
                  bool interpreter) {
  begin_with(f, text, n_replicas, n_partitions,
             &(tl_cpu_options){.n_threads = 1, .interpreter = interpreter});
}

static void end(fixture *f) {
  tl_cpu_grid_destroy(f->grid);
  for (int p = 0; p < N; p++)
    tl_cpu_release(f->cpus[p]);
}

// One f32 in and out of each process.
static tl_status run(fixture *f, const float *x, float *y) {
  _Alignas(64) float in[N][16], out[N][16];
  const void *ins[N][1];
  void *outs[N][1];
  const void *const *in_lists[N];
  void *const *out_lists[N];
  for (int p = 0; p < N; p++) {
    in[p][0] = x[p];
    ins[p][0] = in[p];
    outs[p][0] = out[p];
    in_lists[p] = ins[p];
    out_lists[p] = outs[p];
  }
  tl_status st = tl_cpu_grid_execute(f->grid, in_lists, out_lists);
  for (int p = 0; p < N && !st; p++)
    y[p] = out[p][0];
  return st;
}

// A process whose input is not 1 fails before it comes to the collective, which the others reach.
static void one_fails(void **state) {
  static const char text[] =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "  stablehlo.custom_call @check.expect_eq(%x, %one) {has_side_effect = true} : "
      "(tensor<f32>, tensor<f32>) -> ()\n"
      "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : "
      "tensor<1x4xi64>}> " ADD "  return %0 : tensor<f32>\n}\n";
  (void)state;
  for (int way = 0; way < 2; way++) {
    fixture f;
    float y[N];
    begin(&f, text, N, 1, way == 1);
    for (int i = 0; i < 20; i++) {
      assert_ok(run(&f, (float[]){1, 1, 1, 1}, y));
      for (int p = 0; p < N; p++)
        assert_true(y[p] == 4);
      float x[N] = {1, 1, 1, 1};
      x[i % N] = 7;
      assert_status(run(&f, x, y), TL_STATUS_FAILED_PRECONDITION, "is 7, wanted 1");
      x[(i + 1) % N] = 7;
      assert_status(run(&f, x, y), TL_STATUS_FAILED_PRECONDITION, "is 7, wanted 1");
    }
    end(&f);
  }
}

// Process p goes round as often as its input says: who goes round more waits for one that has
// ended.
static void one_ends(void **state) {
  static const char text[] =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %0:2 = stablehlo.while(%i = %z, %w = %x) : tensor<f32>, tensor<f32>\n"
      "  cond {\n"
      "    %c = stablehlo.compare LT, %i, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n"
      "  } do {\n"
      "    %r = \"stablehlo.all_reduce\"(%one) <{replica_groups = dense<[[0, 1, 2, 3]]> : "
      "tensor<1x4xi64>}> " ADD "    %j = stablehlo.add %i, %one : tensor<f32>\n"
      "    stablehlo.return %j, %r : tensor<f32>, tensor<f32>\n"
      "  }\n"
      "  return %0#1 : tensor<f32>\n}\n";
  (void)state;
  for (int way = 0; way < 2; way++) {
    fixture f;
    float y[N];
    begin(&f, text, N, 1, way == 1);
    for (int i = 0; i < 20; i++) {
      assert_ok(run(&f, (float[]){3, 3, 3, 3}, y));
      assert_true(y[0] == 4 && y[3] == 4);
      assert_status(run(&f, (float[]){3, 3, 2, 3}, y), TL_STATUS_FAILED_PRECONDITION,
                    "at line 9 for process (2, 0), which has ended");
    }
    end(&f);
  }
}

// Each waits for the other's group.
static void a_circle(void **state) {
  static const char text[] =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %c = stablehlo.compare GT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  %0 = \"stablehlo.if\"(%c) ({\n"
      "    %1 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : "
      "tensor<2x2xi64>}> " ADD "    stablehlo.return %1 : tensor<f32>\n"
      "  }, {\n"
      "    %1 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 2], [1, 3]]> : "
      "tensor<2x2xi64>}> " ADD "    stablehlo.return %1 : tensor<f32>\n"
      "  }) : (tensor<i1>) -> tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n";
  (void)state;
  fixture f;
  float y[N];
  begin(&f, text, N, 1, false);
  for (int i = 0; i < 20; i++) {
    assert_ok(run(&f, (float[]){1, 2, 3, 4}, y));
    assert_true(y[0] == 3 && y[1] == 3 && y[2] == 7 && y[3] == 7);
    assert_status(run(&f, (float[]){1, -2, -3, 4}, y), TL_STATUS_FAILED_PRECONDITION,
                  "waits for another group");
  }
  end(&f);
}

// What only the grid's size shows.
static void groups_that_do_not_fit(void **state) {
  static const struct {
    const char *op, *label;
    uint32_t n_replicas, n_partitions;
  } cases[] = {
      {"\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 4]]> : tensor<1x2xi64>}> " ADD,
       "a group names replica 4, there are 4 (all_reduce_c3)", 4, 1},
      {"\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1, 2]]> : "
       "tensor<1x3xi64>}> " ADD,
       "no group has this process (all_reduce_c2)", 4, 1},
      {"\"stablehlo.all_reduce\"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type "
       "= 0>, replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>, use_global_device_ids}> " ADD,
       "a group names process 5, there are 4 (all_reduce_c3)", 2, 2},
      {"\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 4]]> : "
       "tensor<1x2xi64>}> : (tensor<f32>) -> tensor<f32>\n",
       "a pair names replica 4, there are 4 (collective_permute_c4)", 4, 1},
      {"\"stablehlo.collective_permute\"(%x) <{channel_handle = #stablehlo.channel_handle<handle = "
       "1, type = 0>, source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<f32>) -> "
       "tensor<f32>\n",
       "a pair names partition 2, there are 2 (collective_permute_c4)", 2, 2},
      {"\"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[7]]> : "
       "tensor<1x1xi64>}> : (tensor<f32>) -> tensor<f32>\n",
       "a group names replica 7, there are 4 (collective_broadcast_c2)", 4, 1},
  };
  (void)state;
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    char text[1024];
    fixture f;
    float y[N];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n  %%0 = %s  return %%0 : "
             "tensor<f32>\n}\n",
             cases[i].op);
    begin(&f, text, cases[i].n_replicas, cases[i].n_partitions, false);
    assert_status(run(&f, (float[]){1, 2, 3, 4}, y), TL_STATUS_INVALID_ARGUMENT, cases[i].label);
    end(&f);
  }
}

// Alone: a refusal, unless absent members are to hold what this one holds.
static void single_process(void **state) {
  static const char text[] =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[3, 0, 2], [4, 1, 5]]> : "
      "tensor<2x3xi64>}> " ADD "  return %0 : tensor<f32>\n}\n";
  (void)state;
  for (int way = 0; way < 4; way++) {
    tl_module *m;
    tl_diags diags = {0};
    tl_cpu *cpu;
    tl_cpu_exe *exe;
    _Alignas(64) float x[16] = {5}, y[16];
    assert_ok(tl_shlo_parse(tl_str_of(text), "alone.mlir", &diags, &m));
    tl_diags_deinit(&diags);
    assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 1,
                                              .interpreter = (way & 1) != 0,
                                              .single_process = (way & 2) != 0},
                            &cpu));
    assert_ok(tl_cpu_compile(cpu, m, TL_STR("main"), &exe));
    tl_status st = tl_cpu_execute(exe, (const void *[]){x}, (void *[]){y});
    if ((way & 2) != 0) {
      assert_ok(st);
      assert_true(y[0] == 15); // three members, each with 5
    } else {
      assert_status(st, TL_STATUS_INVALID_ARGUMENT, "a group names replica 3, there is 1");
    }
    tl_cpu_exe_release(exe);
    tl_cpu_release(cpu);
  }
}

// Every collective of every kind of element, on four devices of two threads, natively (nothing of
// it interpreted) and by the interpreter.
static void the_same_bits(void **state) {
  (void)state;
  static const struct {
    const char *element, *region; // a function of %a and %b, giving %s
  } kinds[] = {
      {"f32", "    %s = stablehlo.add %a, %b : tensor<f32>\n"},
      {"f32", "    %t = stablehlo.multiply %a, %b : tensor<f32>\n"
              "    %s = stablehlo.maximum %t, %a : tensor<f32>\n"},
      {"bf16", "    %t = stablehlo.multiply %a, %b : tensor<bf16>\n"
               "    %s = stablehlo.add %t, %b : tensor<bf16>\n"},
      {"i16", "    %s = stablehlo.multiply %a, %b : tensor<i16>\n"},
      {"complex<f32>", "    %s = stablehlo.multiply %a, %b : tensor<complex<f32>>\n"},
      {"i1", "    %s = stablehlo.xor %a, %b : tensor<i1>\n"},
  };
  enum { ROWS = 8, COLUMNS = 1100, MOST = ROWS * COLUMNS * 8, OUT = 8 };
  static const size_t rows[OUT] = {8, 2, 32, 8, 2, 8, 8, 8}; // of results, in rows of the operand
#define GROUPS "replica_groups = dense<[[2, 0, 3, 1]]> : tensor<1x4xi64>"
  static const char head[] =
      "func.func @main(%x: tensor<8x1100xE>) -> (tensor<8x1100xE>, tensor<2x1100xE>, "
      "tensor<32x1100xE>, tensor<8x1100xE>, tensor<2x4400xE>, tensor<8x1100xE>, "
      "tensor<8x1100xE>, tensor<8x1100xE>) {\n";
  static const char body[] =
      "  %0 = \"stablehlo.all_reduce\"(%x) <{" GROUPS "}> REGION : (tensor<8x1100xE>) -> "
      "tensor<8x1100xE>\n"
      "  %1 = \"stablehlo.reduce_scatter\"(%x) <{" GROUPS
      ", scatter_dimension = 0 : i64}> REGION : (tensor<8x1100xE>) -> tensor<2x1100xE>\n"
      "  %2 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, " GROUPS
      "}> : (tensor<8x1100xE>) -> tensor<32x1100xE>\n"
      "  %3 = \"stablehlo.all_to_all\"(%x) <{concat_dimension = 0 : i64, " GROUPS
      ", split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x1100xE>) -> "
      "tensor<8x1100xE>\n"
      "  %4 = \"stablehlo.all_to_all\"(%x) <{concat_dimension = 1 : i64, " GROUPS
      ", split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x1100xE>) -> "
      "tensor<2x4400xE>\n"
      "  %5 = \"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], "
      "[3, 0]]> : tensor<3x2xi64>}> : (tensor<8x1100xE>) -> tensor<8x1100xE>\n"
      "  %6 = \"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[3, 1]]> : "
      "tensor<1x2xi64>}> : (tensor<8x1100xE>) -> tensor<8x1100xE>\n"
      "  return %0, %1, %2, %3, %4, %5, %6, %x : tensor<8x1100xE>, tensor<2x1100xE>, "
      "tensor<32x1100xE>, tensor<8x1100xE>, tensor<2x4400xE>, tensor<8x1100xE>, "
      "tensor<8x1100xE>, tensor<8x1100xE>\n}\n";
#undef GROUPS
  static _Alignas(64) uint8_t in[N][MOST], out[2][N][OUT][4 * MOST];
  for (size_t k = 0; k < TL_COUNT(kinds); k++) {
    char text[16384];
    size_t at = 0;
    for (int part = 0; part < 2; part++)
      for (const char *p = part ? body : head; *p; p++) {
        const bool region = strncmp(p, "REGION", 6) == 0;
        if (region)
          at += (size_t)snprintf(text + at, sizeof text - at,
                                 "({\n  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n%s"
                                 "    stablehlo.return %%s : tensor<%s>\n  })",
                                 kinds[k].element, kinds[k].element, kinds[k].region,
                                 kinds[k].element);
        else if (*p == 'E')
          at += (size_t)snprintf(text + at, sizeof text - at, "%s", kinds[k].element);
        else
          text[at++] = *p;
        if (region) p += 5;
      }
    text[at] = 0;
    uint32_t seed = 1;
    for (size_t p = 0; p < N; p++)
      for (size_t i = 0; i < MOST; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[p][i] =
            kinds[k].element[0] == 'i' && kinds[k].element[1] == '1' && kinds[k].element[2] == 0
                ? (uint8_t)(seed >> 31)
                : (uint8_t)((seed >> 24) & 0x3f); // no NaN
      }
    size_t row = 0;
    for (int way = 0; way < 2; way++) {
      fixture f;
      begin_with(&f, text, N, 1, &(tl_cpu_options){.n_threads = 2, .interpreter = way == 1});
      const void *ins[N][1];
      void *outs[N][OUT];
      const void *const *in_lists[N];
      void *const *out_lists[N];
      for (int p = 0; p < N; p++) {
        ins[p][0] = in[p];
        in_lists[p] = ins[p];
        for (int o = 0; o < OUT; o++)
          outs[p][o] = out[way][p][o];
        out_lists[p] = outs[p];
      }
      for (int again = 0; again < 3; again++)
        assert_ok(tl_cpu_grid_execute(f.grid, in_lists, out_lists));
      tl_module *m;
      tl_diags diags = {0};
      tl_cpu_exe *exe;
      assert_ok(tl_shlo_parse(tl_str_of(text), "grid.mlir", &diags, &m));
      tl_diags_deinit(&diags);
      row = type_size(m->first->body->args[0]->type) / ROWS;
      assert_ok(tl_cpu_compile(f.cpus[0], m, TL_STR("main"), &exe));
      assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
      tl_cpu_exe_release(exe);
      end(&f);
    }
    for (int p = 0; p < N; p++)
      for (int o = 0; o < OUT; o++)
        if (memcmp(out[0][p][o], out[1][p][o], (o == 4 ? 4 : 1) * rows[o] * row) != 0)
          fail_msg("%s: result %d of process %d", kinds[k].element, o, p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_bits),
      cmocka_unit_test(one_fails),
      cmocka_unit_test(one_ends),
      cmocka_unit_test(a_circle),
      cmocka_unit_test(groups_that_do_not_fit),
      cmocka_unit_test(single_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
