// Branches, loops, calls: what they compute, what they may not do to memory that others still want,
// and where they stop.
#include "ref/ref_test.h"

static const tl_type scalar_s64 = {TL_DTYPE_S64, 0, NULL};

// while (i < limit) { i += 1; s = s * 2 + captured }; the bound and `captured` come from outside
// the regions.
static tl_op *count_loop(tl_builder *b, tl_value i, tl_value s, tl_value limit, tl_value captured) {
  tl_op *op = tl_op_begin(b, TL_OP_WHILE, (tl_value[]){i, s}, 2);
  tl_block *cond = tl_op_add_region(b, op), *body = tl_op_add_region(b, op);
  tl_value c = tl_block_arg(b, cond, i->type);
  tl_block_arg(b, cond, s->type);
  tl_builder inner = tl_builder_at(b, cond);
  tl_value test = tlo_compare(&inner, TL_COMPARISON_DIRECTION_LT, c, limit);
  tlo_return(&inner, &test, 1);
  tl_builder_join(b, &inner);
  tl_value k = tl_block_arg(b, body, i->type), acc = tl_block_arg(b, body, s->type);
  inner = tl_builder_at(b, body);
  tl_value one = tlo_constant_i64(&inner, i->type, 1);
  tl_value next[] = {tlo_add(&inner, k, one), tlo_add(&inner, tlo_add(&inner, acc, acc), captured)};
  tlo_return(&inner, next, 2);
  tl_builder_join(b, &inner);
  return tl_op_finish(b, op, NULL, 0);
}

static void test_while(void **state) {
  (void)state;
  int64_t i = 0, limit = 10, s[3] = {1, 2, 3}, extra[3] = {5, 0, -1};
  fixture f = fixture_begin();
  tl_tensor in[] = {SCALAR(&i, TL_DTYPE_S64), TENSOR(s, TL_DTYPE_S64, 3),
                    SCALAR(&limit, TL_DTYPE_S64), TENSOR(extra, TL_DTYPE_S64, 3)};
  tl_value a[4];
  for (size_t k = 0; k < 4; k++)
    a[k] = tl_func_arg(&f.b, in[k].type);
  tl_op *loop = count_loop(&f.b, a[0], a[1], a[2], a[3]);
  tl_value y[] = {loop->results[0], loop->results[1],
                  tlo_add(&f.b, a[1], loop->results[1])}; // the start lives on
  tl_tensor got[3];
  fixture_run(&f, TL_REF_AS_TYPED, y, 3, in, 4, got);
  assert_int_equal(*(int64_t *)got[0].data, 10);
  for (size_t k = 0; k < 3; k++) {
    int64_t want = s[k];
    for (int n = 0; n < 10; n++)
      want = want * 2 + extra[k];
    assert_int_equal(((int64_t *)got[1].data)[k], want);
    assert_int_equal(((int64_t *)got[2].data)[k], want + s[k]);
  }
  limit = -1; // not once
  fixture_run(&f, TL_REF_AS_TYPED, y, 3, in, 4, got);
  assert_memory_equal(got[1].data, s, sizeof s);
  fixture_end(&f);
}

static void test_step_limit(void **state) {
  (void)state;
  int64_t i = 0, limit = 1000000, s = 0, extra = 1;
  fixture f = fixture_begin();
  tl_tensor in[] = {SCALAR(&i, TL_DTYPE_S64), SCALAR(&s, TL_DTYPE_S64),
                    SCALAR(&limit, TL_DTYPE_S64), SCALAR(&extra, TL_DTYPE_S64)};
  tl_value a[4];
  for (size_t k = 0; k < 4; k++)
    a[k] = tl_func_arg(&f.b, scalar_s64);
  tl_op *loop = count_loop(&f.b, a[0], a[1], a[2], a[3]);
  tlo_return(&f.b, loop->results, 2);
  assert_ok(tl_builder_finish(&f.b));
  tl_tensor got[2];
  assert_status(tl_ref_run(f.fn, TL_REF_AS_TYPED, in, 4, f.arena, got, 1000),
                TL_STATUS_RESOURCE_EXHAUSTED, "more than 1000 ops");
  limit = 100;
  assert_ok(tl_ref_run(f.fn, TL_REF_AS_TYPED, in, 4, f.arena, got, 1000));
  assert_int_equal(*(int64_t *)got[0].data, 100);
  fixture_end(&f);
}

static tl_block *constant_branch(tl_builder *b, tl_op *op, int64_t value) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder inner = tl_builder_at(b, block);
  tl_value c = tlo_constant_i64(&inner, scalar_s64, value);
  tlo_return(&inner, &c, 1);
  tl_builder_join(b, &inner);
  return block;
}

static void test_if_and_case(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_value pred = tl_func_arg(&f.b, tl_type_scalar(TL_DTYPE_I1)),
           index = tl_func_arg(&f.b, tl_type_scalar(TL_DTYPE_S32));
  tl_op *branch = tl_op_begin(&f.b, TL_OP_IF, &pred, 1);
  constant_branch(&f.b, branch, 7);
  constant_branch(&f.b, branch, 8);
  branch = tl_op_finish(&f.b, branch, &scalar_s64, 1);
  tl_op *cases = tl_op_begin(&f.b, TL_OP_CASE, &index, 1);
  for (int64_t i = 0; i < 3; i++)
    constant_branch(&f.b, cases, 100 + i);
  cases = tl_op_finish(&f.b, cases, &scalar_s64, 1);
  tl_value y[] = {branch->results[0], cases->results[0]};
  uint8_t p;
  int32_t i;
  tl_tensor in[] = {SCALAR(&p, TL_DTYPE_I1), SCALAR(&i, TL_DTYPE_S32)}, got[2];
  static const struct {
    uint8_t pred;
    int32_t index;
    int64_t a, b;
  } rows[] = {{1, 0, 7, 100}, {0, 1, 8, 101},  {1, 2, 7, 102},
              {1, 3, 7, 102}, {0, -1, 8, 102}, {0, INT32_MIN, 8, 102}};
  for (size_t k = 0; k < TL_COUNT(rows); k++) { // out of range: the last branch
    p = rows[k].pred, i = rows[k].index;
    fixture_run(&f, TL_REF_AS_TYPED, y, 2, in, 2, got);
    assert_int_equal(*(int64_t *)got[0].data, rows[k].a);
    assert_int_equal(*(int64_t *)got[1].data, rows[k].b);
  }
  fixture_end(&f);
}

// twice(x) = x + x in a function; called by name, and as a composite's decomposition, at f64 too.
static void test_call_and_composite(void **state) {
  (void)state;
  fixture f = fixture_begin();
  float x[4] = {1, 2, 3, 0.1f};
  tl_tensor in = TENSOR(x, TL_DTYPE_F32, 4);
  tl_builder callee = tl_func_begin(f.m, "twice", true);
  tl_func *twice = callee.fn;
  tl_value p = tl_func_arg(&callee, in.type), q = tlo_add(&callee, p, p);
  tlo_return(&callee, &q, 1);
  assert_ok(tl_builder_finish(&callee));
  tl_value a = tl_func_arg(&f.b, in.type);
  tl_op *call = tlo_call(&f.b, twice, &a, 1);
  tl_op *composite = tl_op_begin(&f.b, TL_OP_COMPOSITE, call->results, 1);
  tl_op_set_str(&f.b, composite, TL_A_COMPOSITE_decomposition, TL_STR("twice"));
  tl_op_set_str(&f.b, composite, TL_A_COMPOSITE_name, TL_STR("test.twice"));
  composite = tl_op_finish(&f.b, composite, &in.type, 1);
  tl_op *barrier =
      tl_op_begin(&f.b, TL_OP_OPTIMIZATION_BARRIER, (tl_value[]){a, composite->results[0], a}, 3);
  barrier = tl_op_finish(&f.b, barrier, NULL, 0);
  tl_tensor got[3];
  for (int mode = 0; mode < 2; mode++) {
    fixture_run(&f, mode ? TL_REF_F64 : TL_REF_AS_TYPED, barrier->results, 3, &in, 1, got);
    for (size_t i = 0; i < 4; i++) {
      assert_true(element(&got[0], i) == (double)x[i]);
      assert_true(element(&got[1], i) == 4 * (double)x[i]);
      assert_true(element(&got[2], i) == (double)x[i]);
    }
  }
  // Alone as well, over the caller's memory.
  float y[4];
  tl_tensor out = TENSOR(y, TL_DTYPE_F32, 4);
  assert_ok(tl_ref_eval_op(call, &in, &out, f.arena));
  for (size_t i = 0; i < 4; i++)
    assert_true(y[i] == 2 * x[i]);
  fixture_end(&f);
}

// A function that calls itself must end in an error, not in C's stack.
static void test_recursion(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_value x = tl_func_arg(&f.b, scalar_s64);
  tl_op *op = tl_op_begin(&f.b, TL_OP_CALL, &x, 1);
  tl_op_set_str(&f.b, op, TL_A_CALL_callee, TL_STR("main"));
  op = tl_op_finish(&f.b, op, &scalar_s64, 1);
  assert_non_null(op);
  tlo_return(&f.b, op->results, 1);
  assert_ok(tl_builder_finish(&f.b));
  int64_t v = 1;
  tl_tensor in = SCALAR(&v, TL_DTYPE_S64), got;
  assert_status(tl_ref_run(f.fn, TL_REF_AS_TYPED, &in, 1, f.arena, &got, 0),
                TL_STATUS_RESOURCE_EXHAUSTED, "nest deeper");
  op->attrs[TL_A_CALL_callee - tl_op_get(TL_OP_CALL)->attr_begin].str = TL_STR("nobody");
  assert_status(tl_ref_run(f.fn, TL_REF_AS_TYPED, &in, 1, f.arena, &got, 0), TL_STATUS_NOT_FOUND,
                "@nobody");
  fixture_end(&f);
}

// An op that overwrites its operand's memory may do so only when nobody else wants it: each use
// here comes after or beside an update, and the caller's own memory is never touched.
static void test_updates_leave_others_alone(void **state) {
  (void)state;
  fixture f = fixture_begin();
  float x[6] = {1, 2, 3, 4, 5, 6}, new[2] = {-1, -2}, original[6];
  memcpy(original, x, sizeof x);
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, 6), TENSOR(new, TL_DTYPE_F32, 2)};
  tl_value a = tl_func_arg(&f.b, in[0].type), u = tl_func_arg(&f.b, in[1].type);
  tl_value zero = tlo_constant_i64(&f.b, scalar_s64, 0),
           two = tlo_constant_i64(&f.b, scalar_s64, 2);
#define UPDATE(base, what, at)                                                                 \
  tl_op_finish(&f.b,                                                                           \
               tl_op_begin(&f.b, TL_OP_DYNAMIC_UPDATE_SLICE, (tl_value[]){base, what, at}, 3), \
               NULL, 0)                                                                        \
      ->results[0]
  tl_value first = UPDATE(a, u, zero);         // of the caller's memory: a copy
  tl_value copy = tlo_add(&f.b, first, first); // still wants `first`
  tl_value second = UPDATE(first, u, two);     // the last use of `first`: in place
  tl_value self = UPDATE(copy, copy, zero);    // both operands are one value
  tl_value same = tlo_reshape(&f.b, second, DIMS(2, 3));
  tl_op *barrier = tl_op_begin(&f.b, TL_OP_OPTIMIZATION_BARRIER, &copy, 1);
  barrier = tl_op_finish(&f.b, barrier, NULL, 0);        // shares the memory of `copy` ...
  tl_value third = UPDATE(barrier->results[0], u, zero); // ... and dies first
  tl_value y[] = {copy, second, self, same, a, third};
  tl_tensor got[6];
  fixture_run(&f, TL_REF_AS_TYPED, y, 6, in, 2, got);
  static const float want[6][6] = {{-2, -4, 6, 8, 10, 12}, {-1, -2, -1, -2, 5, 6},
                                   {-2, -4, 6, 8, 10, 12}, {-1, -2, -1, -2, 5, 6},
                                   {1, 2, 3, 4, 5, 6},     {-1, -2, 6, 8, 10, 12}};
  for (size_t i = 0; i < 6; i++)
    assert_memory_equal(got[i].data, want[i], sizeof want[i]);
  assert_memory_equal(x, original, sizeof x);
  for (size_t i = 0; i < 6; i++) // outputs are the caller's, each its own
    for (size_t k = 0; k < i; k++)
      assert_ptr_not_equal(got[i].data, got[k].data);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_while),       cmocka_unit_test(test_step_limit),
      cmocka_unit_test(test_if_and_case), cmocka_unit_test(test_call_and_composite),
      cmocka_unit_test(test_recursion),   cmocka_unit_test(test_updates_leave_others_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
