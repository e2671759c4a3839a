// fold: what is computed from small constants alone is one, and nothing else changes.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ir/build.h"
#include "passes/fold.h"
#include "ref/ref.h"

static const uint32_t turns[4] = {13, 15, 26, 6};

// x rotated by turns[1] and by what a splat says, in a branch too: shift amounts from a slice, a
// reshape and a subtraction. The sum of two large constants, which is left alone.
static tl_module *rotations(void) {
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  const tl_type t = TL_TYPE(m->arena, TL_DTYPE_U32, 40), scalar = tl_type_scalar(TL_DTYPE_U32);
  tl_value x = tl_func_arg(&b, t);
  tl_value all = tlo_constant(&b, TL_TYPE(m->arena, TL_DTYPE_U32, 4), turns, sizeof turns);
  const int64_t from[] = {1}, to[] = {2}, one[] = {1};
  tl_value by = tlo_slice(&b, all, from, to, one);
  by = tlo_reshape(&b, by, scalar.dims, 0);
  tl_value back = tlo_sub(&b, tlo_constant_i64(&b, scalar, 32), by);
  tl_value y =
      tlo_binary(&b, TL_OP_OR, tlo_binary(&b, TL_OP_SHIFT_LEFT, x, tlo_broadcast(&b, by, t, NULL)),
                 tlo_binary(&b, TL_OP_SHIFT_RIGHT_LOGICAL, x, tlo_broadcast(&b, back, t, NULL)));
  tl_value large = tlo_add(&b, tlo_constant_i64(&b, t, 7), tlo_constant_i64(&b, t, 9));
  y = tlo_add(&b, y, large);
  tlo_return(&b, &y, 1);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static size_t count(const tl_module *m, tl_opcode code) {
  size_t n = 0;
  for (const tl_op *op = m->first->body->first; op; op = op->next)
    n += op->code == code;
  return n;
}

static void run(const tl_module *m, uint32_t *out) {
  uint32_t x[40];
  for (uint32_t i = 0; i < 40; i++)
    x[i] = i * 2654435761u;
  tl_arena *a = tl_arena_create();
  const tl_type t = TL_TYPE(a, TL_DTYPE_U32, 40);
  tl_tensor got = {t, out};
  assert_ok(tl_ref_run(m->first, TL_REF_AS_TYPED, &(tl_tensor){t, x}, 1, a, &got, 0));
  memcpy(out, got.data, 40 * sizeof *out);
  tl_arena_destroy(a);
}

static void small_constants_are_computed(void **state) {
  (void)state;
  tl_module *m = rotations();
  uint32_t before[40], after[40];
  run(m, before);
  assert_int_equal(count(m, TL_OP_SLICE) + count(m, TL_OP_RESHAPE) + count(m, TL_OP_SUBTRACT), 3);
  assert_ok(tl_func_fold(m->first));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  assert_int_equal(count(m, TL_OP_SLICE) + count(m, TL_OP_RESHAPE) + count(m, TL_OP_SUBTRACT), 0);
  assert_int_equal(count(m, TL_OP_ADD), 2); // of 160 bytes: as it was
  run(m, after);
  assert_memory_equal(before, after, sizeof before);
  bool found = false;
  for (const tl_op *op = m->first->body->first; op; op = op->next) {
    if (op->code != TL_OP_CONSTANT || op->results[0]->type.rank != 0) continue;
    const tl_literal *lit = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
    found |= lit->size == 4 && *(const uint32_t *)lit->data == 32 - turns[1];
  }
  assert_true(found);
  tl_module_destroy(m);
}

// Memory that runs out is said, and the module is still one.
static tl_status folded(void *m) { return tl_func_fold(((tl_module *)m)->first); }
static void failures_are_said(void **state) {
  (void)state;
  tl_module *m = rotations();
  tl_test_each_oom(folded, m);
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_constants_are_computed),
                                     cmocka_unit_test(failures_are_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
