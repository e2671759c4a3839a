// The entries: what they refuse, how much memory a run holds, and that it survives having none.
#define TL_TEST_OOM_IMPL
#include "ref/ref_test.h"

#include "base/mem.h"

static void test_refusals(void **state) {
  (void)state;
  fixture f = fixture_begin();
  float x[3] = {1, 2, 3};
  int32_t i[3] = {1, 2, 3};
  tl_tensor good = TENSOR(x, TL_DTYPE_F32, 3), shape = TENSOR(x, TL_DTYPE_F32, 2),
            dtype = TENSOR(i, TL_DTYPE_S32, 3), got;
  tl_tensor empty = good;
  empty.data = NULL;
  tl_value a = tl_func_arg(&f.b, good.type), y = tlo_unary(&f.b, TL_OP_NEGATE, a);
  tl_func_arg_info(f.fn, 0)->name = TL_STR("hidden");
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  for (int mode = 0; mode < 2; mode++) {
    tl_ref_mode m = mode ? TL_REF_F64 : TL_REF_AS_TYPED;
    assert_status(tl_ref_run(f.fn, m, &good, 0, f.arena, &got, 0), TL_STATUS_INVALID_ARGUMENT,
                  "@main has 1 parameters and is given 0");
    assert_status(tl_ref_run(f.fn, m, &shape, 1, f.arena, &got, 0), TL_STATUS_INVALID_ARGUMENT,
                  "parameter 0 (hidden) is given tensor<2xf32>, it wants tensor<3xf32>");
    assert_status(tl_ref_run(f.fn, m, &dtype, 1, f.arena, &got, 0), TL_STATUS_INVALID_ARGUMENT,
                  "tensor<3xi32>");
    assert_status(tl_ref_run(f.fn, m, &empty, 1, f.arena, &got, 0), TL_STATUS_INVALID_ARGUMENT,
                  "no data");
    assert_ok(tl_ref_run(f.fn, m, &good, 1, f.arena, &got, 0));
  }
  double wide[3] = {0.1, 0.2, 0.3}; // an f64 run takes what an f64 run gave
  tl_tensor chained = TENSOR(wide, TL_DTYPE_F64, 3);
  assert_ok(tl_ref_run(f.fn, TL_REF_F64, &chained, 1, f.arena, &got, 0));
  assert_true(element(&got, 1) == -0.2);
  assert_status(tl_ref_run(f.fn, TL_REF_AS_TYPED, &chained, 1, f.arena, &got, 0),
                TL_STATUS_INVALID_ARGUMENT, "f64");
  assert_status(tl_ref_eval_op(y->op, &shape, &good, f.arena), TL_STATUS_INVALID_ARGUMENT,
                "operand 0");
  assert_status(tl_ref_eval_op(y->op, &good, &shape, f.arena), TL_STATUS_INVALID_ARGUMENT,
                "result 0");
  fixture_end(&f);
}

// An error deep inside says where the op stands.
static void test_errors_have_places(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_type t = {TL_DTYPE_S32, 1, (const int64_t[]){3}};
  int32_t x[3] = {1, 2, 3};
  f.b.loc = (tl_loc){"model.mlir", 14, 10, 3};
  tl_value y = tlo_unary(&f.b, TL_OP_NEGATE, tl_func_arg(&f.b, t));
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  y->op->code = TL_OP_FLOOR; // which the type rule would have refused
  tl_tensor in = TENSOR(x, TL_DTYPE_S32, 3), got;
  assert_status(tl_ref_run(f.fn, TL_REF_AS_TYPED, &in, 1, f.arena, &got, 0),
                TL_STATUS_UNIMPLEMENTED,
                "model.mlir:14:10: floor has no meaning for elements of type i32");
  fixture_end(&f);
}

// A long chain of tensors needs a few at a time.
static void test_dead_tensors_go(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_type t = {TL_DTYPE_F32, 1, (const int64_t[]){1 << 18}};
  tl_value y = tl_func_arg(&f.b, t), start = y;
  for (int i = 0; i < 1000; i++)
    y = tlo_add(&f.b, y, start);
  float *x = calloc(1 << 18, sizeof *x);
  x[5] = 1;
  tl_tensor in = {t, x}, got;
  size_t before = tl_mem_peak_rss();
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, &in, 1, &got);
  // All of them are 1000 MiB; a sanitizer alone holds on to 256 of what was freed.
  assert_true(tl_mem_peak_rss() - before < (size_t)400 << 20);
  assert_true(((float *)got.data)[5] == 1001);
  fixture_end(&f);
  free(x);
}

// The smallest thing that touches every kind of allocation: plans, cells, scratch, regions,
// outputs.
static tl_status run_everything(void *arg) {
  const tl_func *fn = arg;
  tl_arena *arena = tl_arena_create();
  if (arena == NULL) return TL_OOM();
  float x[12], init = 0;
  for (size_t i = 0; i < 12; i++)
    x[i] = (float)i;
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, 3, 4), SCALAR(&init, TL_DTYPE_F32)}, got[2];
  tl_status st = tl_ref_run(fn, TL_REF_F64, in, 2, arena, got, 0);
  if (st == TL_OK) assert_true(element(&got[0], 2) == 8 + 9 + 10 + 11);
  tl_arena_destroy(arena);
  return st;
}

static void test_out_of_memory(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_type t = {TL_DTYPE_F32, 2, (const int64_t[]){3, 4}},
          row = {TL_DTYPE_F32, 1, (const int64_t[]){3}};
  tl_type scalar = tl_type_scalar(TL_DTYPE_F32);
  tl_value x = tl_func_arg(&f.b, t), init = tl_func_arg(&f.b, scalar);
  tl_op *reduce = tl_op_begin(&f.b, TL_OP_REDUCE, (tl_value[]){x, init}, 2);
  tl_op_set_list(&f.b, reduce, TL_A_REDUCE_dimensions, (const int64_t[]){1}, 1);
  tl_block *block = tl_op_add_region(&f.b, reduce);
  tl_value a = tl_block_arg(&f.b, block, scalar), b = tl_block_arg(&f.b, block, scalar);
  tl_builder inner = tl_builder_at(&f.b, block);
  tl_value sum = tlo_add(&inner, tlo_add(&inner, a, init), b); // captures, so it runs as a region
  tlo_return(&inner, &sum, 1);
  tl_builder_join(&f.b, &inner);
  reduce = tl_op_finish(&f.b, reduce, &row, 1);
  tl_value y[] = {reduce->results[0], tlo_dot(&f.b, x, x, NULL, NULL, 0, (const int64_t[]){1},
                                              (const int64_t[]){1}, 1)};
  tlo_return(&f.b, y, 2);
  assert_ok(tl_builder_finish(&f.b));
  tl_test_each_oom(run_everything, f.fn);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refusals), cmocka_unit_test(test_errors_have_places),
      cmocka_unit_test(test_dead_tensors_go), cmocka_unit_test(test_out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
