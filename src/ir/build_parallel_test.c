// The constructors of ops of several processes, and what the catalogue's all_reduce refuses.
#include "base/test.h"

#include "ir/build_parallel.h"

typedef struct fixture {
  tl_module *m;
  tl_builder b;
  tl_value x;
} fixture;

static fixture begin(void) {
  fixture f = {.m = tl_module_create()};
  f.b = tl_func_begin(f.m, "main", false);
  f.x = tl_func_arg(&f.b, TL_TYPE(f.m->arena, TL_DTYPE_F32, 4, 6));
  return f;
}

static void every_one(void **state) {
  (void)state;
  static const int64_t ids[] = {0, 1}, pairs[] = {0, 1, 1, 0};
  const tl_groups two = {.ids = ids, .n = 1, .size = 2};
  const tl_dim_sharding dims[2] = {{.open = true, .priority = -1}, {.priority = -1}};
  const tl_axis axis = {{"x", 1}, 2};
  fixture f = begin();
  tl_builder *b = &f.b;
  f.m->meshes = tl_mesh_copy(f.m->arena, &(tl_mesh){.name = {"m", 1}, .axes = &axis, .n_axes = 1});
  tl_value y[] = {
      tlo_all_reduce(b, f.x, &two, TL_OP_MAXIMUM),
      tlo_all_gather(b, f.x, 1, &two),
      tlo_reduce_scatter(b, f.x, 0, &two, TL_OP_ADD),
      tlo_all_to_all(b, f.x, 0, 1, &two),
      tlo_collective_broadcast(b, f.x, &two),
      tlo_collective_reduce(b, f.x, &two, TL_OP_ADD),
      tlo_collective_permute(b, f.x, pairs, 2),
      tlo_sharding_constraint(b, f.x, &(tl_sharding){.mesh = {"m", 1}, .dims = dims, .rank = 2}),
      tlo_probe(b, f.x, "x"),
      tlo_sum_over_replicas(b, f.x, NULL, NULL, 0, (tl_str){0}),
      tlo_partition_id(b),
      tlo_replica_id(b)};
  static const int64_t shapes[][2] = {{4, 6}, {4, 12}, {2, 6}, {2, 12}, {4, 6},
                                      {4, 6}, {4, 6},  {4, 6}, {4, 6},  {4, 6}};
  tlo_expect_serialized_eq(b, f.x, "x", 0);
  tlo_return(b, y, TL_COUNT(y));
  assert_ok(tl_builder_finish(b));
  for (size_t i = 0; i < TL_COUNT(shapes); i++)
    assert_true(tl_type_eq(y[i]->type, (tl_type){TL_DTYPE_F32, 2, shapes[i]}));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(f.m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(f.m);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    int64_t ids[4];
    uint32_t sizes[2], n;
    const char *reduction, *why;
    tl_status_code code;
  } cases[] = {
      {{0, 1}, {2}, 1, "mean", "the reduction mean is not supported", TL_STATUS_UNIMPLEMENTED},
      {{0, 1}, {2}, 1, "max", "the reduction max is not supported", TL_STATUS_UNIMPLEMENTED},
      {{0, 1}, {2}, 1, "min", "the reduction min is not supported", TL_STATUS_UNIMPLEMENTED},
      {{0, 1}, {2}, 1, "product", "the reduction product is unknown", TL_STATUS_INVALID_ARGUMENT},
      {{0, 1, 2}, {2, 1}, 2, "sum", "ragged groups", TL_STATUS_INVALID_ARGUMENT},
      {{0, -1}, {2}, 1, "sum", "ids are not negative", TL_STATUS_INVALID_ARGUMENT},
      {{0, 1, 1, 2}, {2, 2}, 2, "", "replica 1 is there twice", TL_STATUS_INVALID_ARGUMENT},
      {{1, 2}, {2}, 1, "", "no group has replica 0", TL_STATUS_INVALID_ARGUMENT},
      {{0}, {0}, 1, "", "replica group 0 is empty", TL_STATUS_INVALID_ARGUMENT},
      {{0}, {0}, 0, "", "has no group", TL_STATUS_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    fixture f = begin();
    assert_null(tlo_sum_over_replicas(&f.b, f.x, cases[i].ids, cases[i].sizes, cases[i].n,
                                      tl_str_of(cases[i].reduction)));
    assert_status(tl_builder_finish(&f.b), cases[i].code, cases[i].why);
    tl_module_destroy(f.m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_one),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
