// Decompositions of elementwise ops on bits and halves, of the plain activations, and of top_k.
//
// No call here has two arguments that emit: C leaves their order open, and the order of the ops is
// part of a decomposition.
#include "ir/decompose_emit.h"

#include <math.h>

static tl_value number_i64(tl_builder *b, tl_type t, int64_t value) { // splat
  return tlo_constant_i64(b, t, value);
}

static tl_value with(tl_builder *b, tl_opcode code, tl_value x, int64_t value) {
  return tlo_binary(b, code, x, number_i64(b, tl_value_type(x), value));
}

// On the bits: away from zero they count up, towards it down; from zero the first step is the least
// number of y's sign.
tl_value tl_emit_NEXT_AFTER(tl_builder *b, const tl_op *op, const tl_value *x) {
  static const tl_dtype words[] = {TL_DTYPE_U16, TL_DTYPE_U32, TL_DTYPE_U64};
  (void)op;
  tl_type t = x[0]->type;
  uint32_t size = tl_dtype_get(t.dtype)->size;
  tl_type bits = tl_type_with(t, words[size == 2 ? 0 : size == 4 ? 1 : 2]);
  int64_t sign = (int64_t)((uint64_t)1 << (size * 8 - 1));
  tl_value xb = tlo_bitcast(b, x[0], bits), yb = tlo_bitcast(b, x[1], bits);
  tl_value xs = with(b, TL_OP_AND, xb, sign), ys = with(b, TL_OP_AND, yb, sign);
  tl_value xm = tlo_binary(b, TL_OP_XOR, xb, xs), ym = tlo_binary(b, TL_OP_XOR, yb, ys);
  tl_value least = with(b, TL_OP_OR, ys, 1);
  tl_value up = with(b, TL_OP_ADD, xb, 1), down = with(b, TL_OP_SUBTRACT, xb, 1);
  tl_value turns = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, xs, ys);
  tl_value shrinks = tlo_compare(b, TL_COMPARISON_DIRECTION_GT, xm, ym);
  tl_value inward = tlo_binary(b, TL_OP_OR, turns, shrinks);
  tl_value next = tlo_select(b, inward, down, up);
  tl_value zero = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, xm, number_i64(b, bits, 0));
  next = tlo_select(b, zero, least, next);
  next = tlo_bitcast(b, next, t);
  tl_value equal = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x[0], x[1]);
  next = tlo_select(b, equal, x[1], next);
  tl_value sum = tlo_add(b, x[0], x[1]); // quiet where one of them is NaN
  tl_value x_nan = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, x[0], x[0]);
  tl_value y_nan = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, x[1], x[1]);
  tl_value nan = tlo_binary(b, TL_OP_OR, x_nan, y_nan);
  return tlo_select(b, nan, sum, next);
}

// Of 64 bits, unsigned: (xh B + xl)(yh B + yl), B = 2^32, from four products of halves.
static tl_value mulhi_u64(tl_builder *b, tl_value x, tl_value y) {
  const int64_t low = UINT32_MAX;
  tl_value xl = with(b, TL_OP_AND, x, low), xh = with(b, TL_OP_SHIFT_RIGHT_LOGICAL, x, 32);
  tl_value yl = with(b, TL_OP_AND, y, low), yh = with(b, TL_OP_SHIFT_RIGHT_LOGICAL, y, 32);
  tl_value ll = tlo_mul(b, xl, yl), hl = tlo_mul(b, xh, yl);
  tl_value lh = tlo_mul(b, xl, yh), hh = tlo_mul(b, xh, yh);
  tl_value carry = with(b, TL_OP_SHIFT_RIGHT_LOGICAL, ll, 32);
  tl_value mid = tlo_add(b, hl, carry); // below 2^64, as (B-1)^2 + B - 1 is
  tl_value mid_low = with(b, TL_OP_AND, mid, low);
  tl_value cross = tlo_add(b, lh, mid_low);
  tl_value up = with(b, TL_OP_SHIFT_RIGHT_LOGICAL, mid, 32);
  cross = with(b, TL_OP_SHIFT_RIGHT_LOGICAL, cross, 32);
  tl_value sum = tlo_add(b, hh, up);
  return tlo_add(b, sum, cross);
}

tl_value tl_emit_MULHI(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_type t = x[0]->type;
  const tl_dtype_info *info = tl_dtype_get(t.dtype);
  bool is_signed = info->kind == TL_KIND_INT;
  if (info->size < 8) { // the whole product fits
    tl_dtype wide = is_signed ? TL_DTYPE_S64 : TL_DTYPE_U64;
    tl_value p = tlo_convert(b, x[0], wide), q = tlo_convert(b, x[1], wide);
    p = tlo_mul(b, p, q);
    p = with(b, is_signed ? TL_OP_SHIFT_RIGHT_ARITHMETIC : TL_OP_SHIFT_RIGHT_LOGICAL, p,
             info->bits);
    return tlo_convert(b, p, t.dtype);
  }
  if (!is_signed) return mulhi_u64(b, x[0], x[1]);
  // A negative operand is 2^64 too large when taken for an unsigned one.
  tl_type bits = tl_type_with(t, TL_DTYPE_U64);
  tl_value p = tlo_bitcast(b, x[0], bits), q = tlo_bitcast(b, x[1], bits);
  tl_value h = mulhi_u64(b, p, q);
  h = tlo_bitcast(b, h, t);
  for (int i = 0; i < 2; i++) {
    tl_value all = with(b, TL_OP_SHIFT_RIGHT_ARITHMETIC, x[i], 63); // ones where it is negative
    tl_value excess = tlo_binary(b, TL_OP_AND, all, x[1 - i]);
    h = tlo_sub(b, h, excess);
  }
  return h;
}

// What f16 and bf16 compute in.
static tl_value widened(tl_builder *b, tl_value x) {
  return x->type.dtype == TL_DTYPE_F64 ? x : tlo_convert(b, x, TL_DTYPE_F32);
}

static tl_value narrowed(tl_builder *b, tl_value y, const tl_op *op) {
  return y == NULL ? NULL : tlo_convert(b, y, op->results[0]->type.dtype);
}

tl_value tl_emit_GELU(tl_builder *b, const tl_op *op, const tl_value *operands) {
  tl_value x = widened(b, operands[0]), square = tlo_mul(b, x, x), cube = tlo_mul(b, square, x);
  tl_type t = tl_value_type(x);
  tl_value inner = tlo_mul(b, cube, tlo_constant_f64(b, t, 0.044715));
  inner = tlo_add(b, x, inner);
  inner = tlo_mul(b, inner, tlo_constant_f64(b, t, 0x1.9884533d43651p-1)); // sqrt(2/pi)
  tl_value s = tlo_unary(b, TL_OP_TANH, inner);
  s = tlo_add(b, s, tlo_constant_f64(b, t, 1));
  s = tlo_mul(b, s, tlo_constant_f64(b, t, 0.5));
  return narrowed(b, tlo_mul(b, x, s), op);
}

tl_value tl_emit_SILU(tl_builder *b, const tl_op *op, const tl_value *operands) {
  tl_value x = widened(b, operands[0]), s = tlo_unary(b, TL_OP_LOGISTIC, x);
  return narrowed(b, tlo_mul(b, x, s), op);
}

tl_value tl_emit_RELU(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  return tlo_binary(b, TL_OP_MAXIMUM, x[0], tlo_constant_f64(b, x[0]->type, 0));
}

tl_value tl_emit_STEP(tl_builder *b, const tl_op *op, const tl_value *x) {
  (void)op;
  tl_type t = x[0]->type;
  tl_value zero = tlo_constant_f64(b, t, 0), one = tlo_constant_f64(b, t, 1);
  return tlo_select(b, tlo_compare(b, TL_COMPARISON_DIRECTION_GT, x[0], zero), one, zero);
}

// Elements and their numbers, sorted down; the first k.
void tl_emit_TOP_K(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  tl_type t = x[0]->type, numbers = tl_type_with(t, TL_DTYPE_S32);
  uint32_t last = t.rank - 1;
  tl_value number = tlo_iota(b, numbers, last);
  tl_op *sort = tl_op_begin(b, TL_OP_SORT, (tl_value[]){x[0], number}, 2);
  if (sort == NULL) return;
  tl_op_set_i64(sort, TL_A_SORT_dimension, last);
  tl_op_set_i64(sort, TL_A_SORT_is_stable, 1);
  tl_block *block = tl_op_add_region(b, sort);
  tl_builder in = tl_builder_at(b, block);
  tl_value args[4];
  for (int i = 0; i < 4; i++)
    args[i] = tl_block_arg(&in, block, tl_type_scalar(i < 2 ? t.dtype : TL_DTYPE_S32));
  tl_op *above = tl_op_begin(&in, TL_OP_COMPARE, args, 2);
  tl_dtype_kind kind = tl_dtype_get(t.dtype)->kind;
  tl_op_set_i64(above, TL_A_COMPARE_comparison_direction, TL_COMPARISON_DIRECTION_GT);
  tl_op_set_i64(above, TL_A_COMPARE_compare_type,
                kind == TL_KIND_FLOAT ? TL_COMPARISON_TYPE_TOTALORDER
                : kind == TL_KIND_INT ? TL_COMPARISON_TYPE_SIGNED
                                      : TL_COMPARISON_TYPE_UNSIGNED);
  above = tl_op_finish(&in, above, NULL, 0);
  if (above != NULL) tlo_return(&in, above->results, 1);
  tl_builder_join(b, &in);
  sort = tl_op_finish(b, sort, NULL, 0);
  int64_t start[TL_MAX_RANK] = {0};
  for (int i = 0; i < 2 && sort != NULL; i++)
    y[i] = tlo_slice(b, sort->results[i], start, op->results[0]->type.dims, NULL);
}
