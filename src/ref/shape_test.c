// Constants and the bits of i1; everything else about shapes is in tests/ref/ops.
#include "ref/ref_test.h"

static void test_constant(void **state) {
  (void)state;
  int32_t values[] = {1, -2, 3, -4, 5, 6};
  fixture f = fixture_begin();
  tl_type t = {TL_DTYPE_S32, 2, (const int64_t[]){2, 3}};
  tl_type big = {TL_DTYPE_BF16, 2, (const int64_t[]){30, 20}};
  tl_value y[] = {tlo_constant(&f.b, t, values, sizeof values), tlo_constant_f64(&f.b, big, 0.1),
                  tlo_constant_i64(&f.b, tl_type_scalar(TL_DTYPE_I1), 1)};
  tl_tensor got[3], wide[3];
  fixture_run(&f, TL_REF_AS_TYPED, y, 3, NULL, 0, got);
  assert_memory_equal(got[0].data, values, sizeof values);
  for (size_t i = 0; i < 600; i++)
    assert_int_equal(((uint16_t *)got[1].data)[i], tl_bf16_of_f64(0.1));
  assert_int_equal(*(uint8_t *)got[2].data, 1);
  fixture_run(&f, TL_REF_F64, y, 3, NULL, 0, wide);
  assert_memory_equal(wide[0].data, values, sizeof values);
  assert_int_equal(wide[1].type.dtype, TL_DTYPE_F64);
  for (size_t i = 0; i < 600; i++)
    assert_true(element(&wide[1], i) == element(&got[1], i)); // as the program says it
  fixture_end(&f);
}

// The specification's bits(i1) is one bit.
static void test_bits_of_i1(void **state) {
  (void)state;
  uint64_t word = 0x0123456789abcdef, back = 0;
  uint8_t bits[64];
  tl_type scalar = tl_type_scalar(TL_DTYPE_S64), list = {TL_DTYPE_I1, 1, (const int64_t[]){64}};
  fixture f = fixture_begin();
  tl_value x = tl_func_arg(&f.b, scalar), y = tlo_bitcast(&f.b, x, tl_type_scalar(TL_DTYPE_F64));
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  y->type = list; // past the type rule: what is asked here is the meaning
  tl_tensor in = SCALAR(&word, TL_DTYPE_S64), out = {list, bits};
  assert_ok(tl_ref_eval_op(y->op, &in, &out, f.arena));
  for (size_t i = 0; i < 64; i++)
    assert_int_equal(bits[i], word >> i & 1);
  x->type = list;
  y->type = scalar;
  in = (tl_tensor){list, bits};
  out = SCALAR(&back, TL_DTYPE_S64);
  assert_ok(tl_ref_eval_op(y->op, &in, &out, f.arena));
  assert_true(back == word);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_constant),
                                     cmocka_unit_test(test_bits_of_i1)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
