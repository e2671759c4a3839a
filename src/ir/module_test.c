// Types, tables, and equality of functions: what may differ between equal ones, and what may not.
#include "base/test.h"

#include "ir/build.h"
#include "ir/op.h"
#include "ir/ptr_map.h"

static void types(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  tl_type t = TL_TYPE(a, TL_DTYPE_F32, 2, 3), s = tl_type_scalar(TL_DTYPE_I1);
  size_t n;
  assert_true(tl_type_eq(t, TL_TYPE(a, TL_DTYPE_F32, 2, 3)));
  assert_false(tl_type_eq(t, TL_TYPE(a, TL_DTYPE_F32, 3, 2)));
  assert_false(tl_type_eq(t, TL_TYPE(a, TL_DTYPE_S32, 2, 3)));
  assert_false(tl_type_eq(t, TL_TYPE(a, TL_DTYPE_F32, 2, 3, 1)));
  assert_true(tl_type_count(t, &n) && n == 6);
  assert_true(tl_type_size(t, &n) && n == 24);
  assert_true(tl_type_size(s, &n) && n == 1);
  assert_false(tl_type_count(TL_TYPE(a, TL_DTYPE_F32, 2, -1), &n)); // a symbol
  assert_false(tl_type_count(TL_TYPE(a, TL_DTYPE_F32, INT64_MAX, 4), &n));
  assert_false(tl_type_size(TL_TYPE(a, TL_DTYPE_F32, INT64_MAX), &n));
  assert_false(tl_type_count(TL_TYPE(a, TL_DTYPE_S8, (int64_t)1 << 32, UINT32_MAX), &n));
  assert_false(tl_type_size(TL_TYPE(a, TL_DTYPE_S16, (int64_t)1 << 62), &n));
  assert_true(tl_type_size(TL_TYPE(a, TL_DTYPE_F32, INT64_MAX, 0, INT64_MAX), &n) && n == 0);
  assert_false(tl_type_size(TL_TYPE(a, TL_DTYPE_F32, 0, -1), &n));
  tl_buf buf = {0};
  tl_type_print(&buf, t);
  tl_type_print(&buf, s);
  tl_type_print(&buf, TL_TYPE(a, TL_DTYPE_U8, 0, -3));
  assert_text(tl_buf_view(&buf), "tensor<2x3xf32>tensor<i1>tensor<0x?xui8>");
  tl_buf_deinit(&buf);
  for (int i = 0; i < TL_DTYPE_COUNT; i++) {
    tl_dtype d;
    assert_true(tl_dtype_of_mlir(tl_str_of(tl_dtype_get((tl_dtype)i)->mlir), &d) && (int)d == i);
    const tl_dtype_info *info = tl_dtype_get((tl_dtype)i);
    if (info->pjrt != 0) assert_true(tl_dtype_of_pjrt(info->pjrt, &d) && (int)d == i);
    assert_true(info->bits <= 8 * info->size && (info->bits == 8 * info->size || info->size == 1));
  }
  tl_dtype d;
  assert_false(tl_dtype_of_mlir(TL_STR("f3"), &d));
  assert_false(tl_dtype_of_pjrt(0, &d));
  tl_arena_destroy(a);
}

static void tables(void **state) {
  (void)state;
  size_t attrs = 0;
  for (int i = 0; i < TL_OP_COUNT; i++) {
    const tl_op_info *info = tl_op_get((tl_opcode)i);
    bool named = (info->traits & TL_NAMED) != 0;
    tl_opcode code;
    assert_true(tl_op_of_mnemonic(tl_str_of(info->mnemonic), named, &code) && (int)code == i);
    if (tl_op_of_mnemonic(tl_str_of(info->mnemonic), !named, &code))
      assert_int_not_equal((int)code, i);
    // An op's attributes are its rows, all of them, alphabetically where they print as a property
    // list of a named op.
    for (uint32_t j = 0; j < info->n_attrs; j++) {
      const tl_attr_info *attr = tl_attr_get((tl_attr_id)(info->attr_begin + j));
      assert_int_equal((int)attr->op, i);
      if (named && j > 0)
        assert_true(strcmp(tl_attr_get((tl_attr_id)(info->attr_begin + j - 1))->name, attr->name) <
                    0);
    }
    attrs += info->n_attrs;
  }
  assert_int_equal(attrs, TL_ATTR_COUNT);
  const tl_op_info *gather = tl_op_get(TL_OP_GATHER);
  assert_int_equal(gather->attr_begin, TL_A_GATHER_offset_dims);
  assert_int_equal(gather->n_attrs, TL_A_GATHER_indices_are_sorted - TL_A_GATHER_offset_dims + 1);
  assert_true(tl_attr_get(TL_A_GATHER_slice_sizes)->required);
  assert_false(tl_attr_get(TL_A_GATHER_offset_dims)->required);
  int64_t v;
  assert_string_equal(tl_enum_name(TL_AK_COMPARISON_DIRECTION, TL_COMPARISON_DIRECTION_LE), "LE");
  assert_string_equal(tl_enum_name(TL_AK_PRECISIONS, TL_PRECISION_HIGHEST), "HIGHEST");
  assert_string_equal(tl_enum_type_name(TL_AK_COMPARISON_TYPE), "comparison_type");
  assert_null(tl_enum_type_name(TL_AK_I64));
  assert_null(tl_enum_name(TL_AK_PRECISIONS, 3));
  assert_null(tl_enum_name(TL_AK_PRECISIONS, -1));
  assert_null(tl_enum_name(TL_AK_I64, 0));
  assert_true(tl_enum_of_name(TL_AK_COMPARISON_TYPE, TL_STR("TOTALORDER"), &v) &&
              v == TL_COMPARISON_TYPE_TOTALORDER);
  assert_false(tl_enum_of_name(TL_AK_COMPARISON_TYPE, TL_STR("LT"), &v));
}

static void pointer_map(void **state) {
  (void)state;
  tl_ptr_map m = {0};
  static char keys[1000];
  uintptr_t v;
  assert_null(tl_ptr_map_find(&m, keys));
  for (size_t i = 0; i < sizeof keys; i++)
    assert_true(tl_ptr_map_put(&m, keys + i, i));
  assert_true(tl_ptr_map_put(&m, keys + 5, 7));
  assert_int_equal(m.len, sizeof keys);
  for (size_t i = 0; i < sizeof keys; i++)
    assert_true(tl_ptr_map_get(&m, keys + i, &v) && v == (i == 5 ? 7 : i));
  assert_false(tl_ptr_map_get(&m, &m, NULL));
  tl_ptr_map_deinit(&m);
}

// A function of many parts, one of which may be turned.
typedef enum {
  SAME,
  OTHER_CONSTANT,
  OTHER_OPERANDS,
  OTHER_OP,
  OTHER_ATTR,
  OTHER_REGION,
  OTHER_TYPE,
  OTHER_CALLEE,
  OTHER_RESULT,
  ONE_MORE,
  OTHER_DONATION,
  VARIANTS
} variant;

static tl_func *sample(tl_module *m, const char *name, variant v, bool offset) {
  char callee_name[32];
  snprintf(callee_name, sizeof callee_name, "%s.callee", name);
  tl_builder b = tl_func_begin(m, callee_name, true);
  tl_type t = TL_TYPE(m->arena, v == OTHER_TYPE ? TL_DTYPE_F64 : TL_DTYPE_F32, 2, 3);
  tl_value c = tl_func_arg(&b, t);
  c = tlo_unary(&b, v == OTHER_CALLEE ? TL_OP_NEGATE : TL_OP_ABS, c);
  tlo_return(&b, &c, 1);
  tl_func *callee = b.fn;
  assert_ok(tl_builder_finish(&b));
  b = tl_func_begin(m, name, false);
  if (offset) b.fn->next_id = 40, b.loc = (tl_loc){"elsewhere", 3, 4, 5};
  tl_value x = tl_func_arg(&b, t), y = tl_func_arg(&b, t);
  if (v == OTHER_DONATION) tl_func_arg_info(b.fn, 0)->alias_output = 0;
  b.scratch = offset;
  tl_value k = tlo_constant_f64(&b, t, v == OTHER_CONSTANT ? 2 : 1);
  tl_value s =
      tlo_binary(&b, v == OTHER_OP ? TL_OP_MULTIPLY : TL_OP_ADD, x, v == OTHER_OPERANDS ? x : y);
  s = tlo_softmax(&b, tlo_add(&b, s, k), v == OTHER_ATTR);
  b.scratch = false;
  tl_op *call = tlo_call(&b, callee, &s, 1);
  tl_value zero = tlo_constant_f64(&b, tl_type_scalar(t.dtype), 0);
  tl_value r = tlo_reduce(&b, call->results[0], zero, (int64_t[]){1}, 1,
                          v == OTHER_REGION ? TL_OP_MAXIMUM : TL_OP_ADD);
  if (v == ONE_MORE) tlo_add(&b, r, r);
  tlo_return(&b, v == OTHER_RESULT ? call->results : &r, 1);
  tl_func *fn = b.fn;
  assert_ok(tl_builder_finish(&b));
  return fn;
}

static void equality(void **state) {
  (void)state;
  tl_module *m = tl_module_create(), *other = tl_module_create();
  tl_func *a = sample(m, "a", SAME, false), *b = sample(other, "b", SAME, true);
  assert_true(tl_func_eq(a, a));
  assert_true(tl_func_eq(a, b)); // names, numbers, locations and scratch play no part
  for (int v = SAME + 1; v < VARIANTS; v++) {
    char name[16];
    snprintf(name, sizeof name, "v%d", v);
    tl_func *c = sample(other, name, (variant)v, false);
    if (tl_func_eq(a, c) || tl_func_eq(c, a)) fail_msg("variant %d is taken for the same", v);
  }
  tl_module_destroy(m);
  tl_module_destroy(other);
}

// A splat and its elements written out are one constant; -0 and 0 are two.
static void constants(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  float one[] = {1, 1}, two[] = {1, 2};
  tl_type t = TL_TYPE(a, TL_DTYPE_F32, 2);
  tl_literal splat = {t, one, 4, true}, whole = {t, one, 8, false}, differs = {t, two, 8, false};
  tl_attr x = {.dense = &splat}, y = {.dense = &whole}, z = {.dense = &differs};
  assert_true(tl_attr_eq(TL_AK_DENSE, &x, &y));
  assert_true(tl_attr_eq(TL_AK_DENSE, &y, &x));
  assert_false(tl_attr_eq(TL_AK_DENSE, &x, &z));
  assert_false(tl_attr_eq(TL_AK_DENSE, &y, &z));
  tl_attr p = {.f64 = 0.0}, n = {.f64 = -0.0};
  assert_false(tl_attr_eq(TL_AK_F64, &p, &n));
  tl_arena_destroy(a);
}

// Functions that call themselves end the comparison all the same (only a verified module has none).
static void recursion(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_func *f[2];
  for (int i = 0; i < 2; i++) {
    tl_builder b = tl_func_begin(m, i ? "g" : "f", false);
    tl_value x = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32));
    tl_op *op = tl_op_begin(&b, TL_OP_CALL, &x, 1);
    tl_op_set_str(&b, op, TL_A_CALL_callee, b.fn->name);
    tl_type t = tl_type_scalar(TL_DTYPE_F32);
    op = tl_op_finish(&b, op, &t, 1);
    tlo_return(&b, op->results, 1);
    f[i] = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  assert_true(tl_func_eq(f[0], f[1]));
  tl_module_destroy(m);
  tl_module_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types),    cmocka_unit_test(tables),    cmocka_unit_test(pointer_map),
      cmocka_unit_test(equality), cmocka_unit_test(constants), cmocka_unit_test(recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
