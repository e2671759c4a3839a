// What tl_dynamic_fix says of the values of shape operands.
#include "ir/testing.h"

#include "ir/dynamic.h"

#define CONV                                                                              \
  "input_batch_dimension=0; input_feature_dimension=3; input_spatial_dimensions=1,2; "    \
  "kernel_input_feature_dimension=2; kernel_output_feature_dimension=3; "                 \
  "kernel_spatial_dimensions=0,1; output_batch_dimension=0; output_feature_dimension=3; " \
  "output_spatial_dimensions=1,2"
#define CONV_IN "1x4x4x2xf32 3x3x2x5xf32 2x2xi64"
#define GATHER "index_vector_dim=1; offset_dims=1; collapsed_slice_dims=0; start_index_map=0"
#define GATHER_IN "5x4xf32 3x1xi32 2xi64"

typedef struct fix_case {
  op_case op;
  const char *values;  // "2 3 | 1": a list an operand
  const char *message; // NULL: it fits
} fix_case;

// clang-format off
static const fix_case fixes[] = {
  {{NULL, TL_OP_DYNAMIC_RESHAPE, "4x2xf32 2xi32", "", "2x4xf32", ""}, "2 4", NULL},
  {{NULL, TL_OP_DYNAMIC_RESHAPE, "4x2xf32 2xi32", "", "2x4xf32", ""}, "4 2", "dynamic_reshape: the result is declared tensor<2x4xf32>, but at run time it is tensor<4x2xf32> (shape operand [4, 2])"},
  {{NULL, TL_OP_DYNAMIC_RESHAPE, "4x2xf32 2xi32", "", "2x4xf32", ""}, "2 5", "(reshape_c2)"},
  {{NULL, TL_OP_DYNAMIC_RESHAPE, "4x2xf32 2xi32", "", "2x4xf32", ""}, "-2 -4", "dynamic_reshape: [-2, -4] is no shape"},
  {{NULL, TL_OP_DYNAMIC_BROADCAST_IN_DIM, "3xf32 2xi32", "broadcast_dimensions=1", "5x3xf32", ""}, "5 4", "(broadcast_in_dim_c5)"},
  {{NULL, TL_OP_DYNAMIC_BROADCAST_IN_DIM, "3xf32 2xi32", "broadcast_dimensions=1", "5x3xf32", ""}, "6 3", "dynamic_broadcast_in_dim: the result is declared tensor<5x3xf32>"},
  {{NULL, TL_OP_DYNAMIC_IOTA, "1xi64", "iota_dimension=0", "4xi32", ""}, "5", "dynamic_iota: the result is declared tensor<4xi32>"},
  {{NULL, TL_OP_DYNAMIC_IOTA, "1xi64", "iota_dimension=0", "4xi32", ""}, "4611686018427387904", "dynamic_iota"},
  {{NULL, TL_OP_DYNAMIC_PAD, "4xf32 f32 1xi64 1xi64 1xi64", "", "7xf32", ""}, "1 | 2 | -1", "(pad_c3)"},
  {{NULL, TL_OP_DYNAMIC_PAD, "4xf32 f32 1xi64 1xi64 1xi64", "", "7xf32", ""}, "1 | 2 | 0", NULL},
  {{NULL, TL_OP_DYNAMIC_PAD, "4xf32 f32 1xi64 1xi64 1xi64", "", "7xf32", ""}, "1 | 3 | 0", "dynamic_pad: the result is declared tensor<7xf32>"},
  {{NULL, TL_OP_DYNAMIC_PAD, "4xf32 f32 1xi64 1xi64 1xi64", "", "7xf32", ""}, "9223372036854775807 | 3 | 0", "(pad_c4)"},
  {{NULL, TL_OP_REAL_DYNAMIC_SLICE, "4xf32 1xi32 1xi32 1xi32", "", "2xf32", ""}, "0 | 4 | 2", NULL},
  {{NULL, TL_OP_REAL_DYNAMIC_SLICE, "4xf32 1xi32 1xi32 1xi32", "", "2xf32", ""}, "0 | 5 | 2", "(slice_c3)"},
  {{NULL, TL_OP_REAL_DYNAMIC_SLICE, "4xf32 1xi32 1xi32 1xi32", "", "2xf32", ""}, "3 | 1 | 1", "(slice_c3)"},
  {{NULL, TL_OP_REAL_DYNAMIC_SLICE, "4xf32 1xi32 1xi32 1xi32", "", "2xf32", ""}, "0 | 4 | 0", "(slice_c4)"},
  {{NULL, TL_OP_DYNAMIC_GATHER, GATHER_IN, GATHER, "3x2xf32", ""}, "1 2", NULL},
  {{NULL, TL_OP_DYNAMIC_GATHER, GATHER_IN, GATHER, "3x2xf32", ""}, "2 2", "(gather_c9)"},
  {{NULL, TL_OP_DYNAMIC_GATHER, GATHER_IN, GATHER, "3x2xf32", ""}, "1 5", "(gather_c21)"},
  {{NULL, TL_OP_DYNAMIC_GATHER, GATHER_IN, GATHER, "3x2xf32", ""}, "1 3", "dynamic_gather: the result is declared"},
  {{NULL, TL_OP_DYNAMIC_CONV, CONV_IN, CONV, "1x3x2x5xf32", ""}, "1 0 0 0", NULL},
  {{NULL, TL_OP_DYNAMIC_CONV, CONV_IN, CONV, "1x3x2x5xf32", ""}, "1 1 0 0", "dynamic_conv: the result is declared"},
  {{NULL, TL_OP_SET_DIMENSION_SIZE, "4x2xf32 i32", "dimension=0", "3x2xf32", ""}, "3", NULL},
  {{NULL, TL_OP_SET_DIMENSION_SIZE, "4x2xf32 i32", "dimension=0", "3x2xf32", ""}, "5", "set_dimension_size: a size of 5 is no part of dim 0 of 4"},
  {{NULL, TL_OP_SET_DIMENSION_SIZE, "4x2xf32 i32", "dimension=0", "3x2xf32", ""}, "2", "set_dimension_size: the result is declared"},
};
// clang-format on

static void values(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(fixes); i++) {
    case_module k;
    case_begin(&k, &fixes[i].op);
    tl_op *op = tl_op_finish(&k.b, k.op, k.types, k.n_types);
    assert_non_null(op);
    int64_t numbers[4][8];
    tl_i64s lists[4];
    uint32_t n = 0, first, wanted;
    for (tl_str rest = tl_str_of(fixes[i].values); rest.len != 0; n++) {
      tl_str list = next_word(&rest, '|');
      size_t len = 0;
      while (list.len != 0)
        assert_true(tl_str_to_i64(next_word(&list, ' '), &numbers[n][len++]));
      lists[n] = (tl_i64s){numbers[n], len};
    }
    assert_true(tl_dynamic_shapes(op->code, &first, &wanted));
    assert_int_equal(n, wanted);
    tl_op fixed;
    tl_type type;
    tl_status st = tl_dynamic_fix(k.m->arena, op, lists, &fixed, &type);
    const char *message = tl_status_message(st);
    if (fixes[i].message == NULL ? st != TL_OK : st == TL_OK || !strstr(message, fixes[i].message))
      fail_msg("case %zu: %s", i, message);
    if (st == TL_OK) assert_true(tl_type_eq(type, op->results[0]->type));
    tl_status_drop(st);
    tlo_return(&k.b, op->results, 1);
    assert_ok(tl_builder_finish(&k.b));
    tl_module_destroy(k.m);
  }
}

static void ints(void **state) {
  (void)state;
  int64_t out[2];
  const uint64_t large[] = {7, 1ull << 63};
  assert_true(tl_dynamic_ints(TL_DTYPE_S8, (int8_t[]){-1, 5}, 2, out));
  assert_true(out[0] == -1 && out[1] == 5);
  assert_true(tl_dynamic_ints(TL_DTYPE_U16, (uint16_t[]){65535}, 1, out) && out[0] == 65535);
  assert_true(tl_dynamic_ints(TL_DTYPE_U64, large, 1, out) && out[0] == 7);
  assert_false(tl_dynamic_ints(TL_DTYPE_U64, large, 2, out));
  assert_false(tl_dynamic_ints(TL_DTYPE_F32, large, 1, out));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(ints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
