// Expressions over matrices: each is made of core ops whose transposes the engine knows.
#include "ad/matrix.h"

static const tl_comparison_direction EQ = TL_COMPARISON_DIRECTION_EQ;

tl_value tl_mat_turn(tl_builder *b, tl_value x) {
  if (x == NULL) return NULL;
  int64_t order[TL_MAX_RANK];
  const uint32_t r = x->type.rank;
  for (uint32_t i = 0; i < r; i++)
    order[i] = i + 2 < r ? i : 2 * (int64_t)r - 3 - i;
  return tlo_transpose(b, x, order);
}

tl_value tl_mat_conj(tl_builder *b, tl_value x) {
  if (!tl_ad_is_complex(x)) return x;
  tl_value re = tlo_unary(b, TL_OP_REAL, x), im = tlo_unary(b, TL_OP_IMAG, x);
  return tlo_binary(b, TL_OP_COMPLEX, re, tl_ad_neg(b, im));
}

tl_value tl_mat_adjoint(tl_builder *b, tl_value x) { return tl_mat_conj(b, tl_mat_turn(b, x)); }

tl_value tl_mat_mul(tl_builder *b, tl_value x, tl_value y) {
  if (x == NULL || y == NULL) return NULL;
  int64_t batch[TL_MAX_RANK];
  const uint32_t r = x->type.rank;
  for (uint32_t i = 0; i + 2 < r; i++)
    batch[i] = i;
  const int64_t of_x = r - 1, of_y = r - 2;
  return tlo_dot(b, x, y, batch, batch, r - 2, &of_x, &of_y, 1);
}

tl_value tl_mat_where(tl_builder *b, tl_value x, tl_comparison_direction direction, int64_t k) {
  if (x == NULL) return NULL;
  tl_type t = x->type;
  t.dtype = TL_DTYPE_S32;
  tl_value row = tlo_iota(b, t, t.rank - 2), column = tlo_iota(b, t, t.rank - 1);
  if (k != 0) row = tlo_add(b, row, tlo_fill(b, t, (double)k));
  return tlo_compare(b, direction, column, row);
}

tl_value tl_mat_keep(tl_builder *b, tl_value x, tl_comparison_direction direction, int64_t k) {
  tl_value is = tl_mat_where(b, x, direction, k);
  return tlo_select(b, is, x, tl_ad_like(b, x, 0));
}

tl_value tl_mat_diagonal(tl_builder *b, tl_value x) {
  if (x == NULL) return NULL;
  return tl_ad_sum(b, tl_mat_keep(b, x, EQ, 0), (int64_t[]){x->type.rank - 1}, 1);
}

tl_value tl_mat_trace(tl_builder *b, tl_value x) {
  if (x == NULL) return NULL;
  const int64_t r = x->type.rank;
  return tl_ad_sum(b, tl_mat_keep(b, x, EQ, 0), (int64_t[]){r - 2, r - 1}, 2);
}

static tl_value spread(tl_builder *b, tl_value v, tl_value x, int64_t last) {
  if (v == NULL || x == NULL) return NULL;
  int64_t dims[TL_MAX_RANK];
  tl_type t = x->type;
  t.dtype = v->type.dtype;
  for (uint32_t i = 0; i < v->type.rank; i++)
    dims[i] = i;
  dims[v->type.rank - 1] = last;
  return tlo_broadcast(b, v, t, dims);
}
tl_value tl_mat_rows_of(tl_builder *b, tl_value v, tl_value x) {
  return x == NULL ? NULL : spread(b, v, x, x->type.rank - 1);
}
tl_value tl_mat_columns_of(tl_builder *b, tl_value v, tl_value x) {
  return x == NULL ? NULL : spread(b, v, x, x->type.rank - 2);
}

tl_value tl_mat_of_real(tl_builder *b, tl_value x, tl_dtype dtype) {
  if (x == NULL || tl_dtype_get(dtype)->kind != TL_KIND_COMPLEX) return x;
  return tlo_binary(b, TL_OP_COMPLEX, x, tl_ad_like(b, x, 0));
}

tl_value tl_mat_real(tl_builder *b, tl_value x) {
  return tl_ad_is_complex(x) ? tlo_unary(b, TL_OP_REAL, x) : x;
}

tl_value tl_mat_part(tl_builder *b, tl_value x, int64_t top, int64_t bottom, int64_t left,
                     int64_t right) {
  if (x == NULL) return NULL;
  const uint32_t r = x->type.rank;
  if (top == 0 && left == 0 && bottom == tl_mat_m(x) && right == tl_mat_n(x)) return x;
  int64_t start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK];
  memcpy(limit, x->type.dims, r * sizeof *limit);
  start[r - 2] = top, start[r - 1] = left;
  limit[r - 2] = bottom, limit[r - 1] = right;
  return tlo_slice(b, x, start, limit, NULL);
}

tl_value tl_mat_grow(tl_builder *b, tl_value x, int64_t m, int64_t n) {
  if (x == NULL || (tl_mat_m(x) == m && tl_mat_n(x) == n)) return x;
  const uint32_t r = x->type.rank;
  int64_t none[TL_MAX_RANK] = {0}, high[TL_MAX_RANK] = {0};
  high[r - 2] = m - tl_mat_m(x), high[r - 1] = n - tl_mat_n(x);
  tl_value zero = tl_ad_zeros(b, tl_type_scalar(x->type.dtype));
  tl_op *op = tl_op_begin(b, TL_OP_PAD, (tl_value[]){x, zero}, 2);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_low, none, r);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_high, high, r);
  tl_op_set_list(b, op, TL_A_PAD_interior_padding, none, r);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// The triangle with its diagonal, and without it.
static tl_value triangle(tl_builder *b, tl_value x, bool lower, bool strict) {
  return lower ? tl_mat_lower(b, x, strict ? -1 : 0) : tl_mat_upper(b, x, strict ? 1 : 0);
}

tl_value tl_mat_hermitian(tl_builder *b, tl_value x, bool lower) {
  tl_value re = tl_mat_real(b, x), half = triangle(b, re, lower, false);
  tl_value other = tl_mat_turn(b, triangle(b, re, lower, true)), sum = tlo_add(b, half, other);
  if (!tl_ad_is_complex(x)) return sum;
  tl_value im = triangle(b, tlo_unary(b, TL_OP_IMAG, x), lower, true);
  return tlo_binary(b, TL_OP_COMPLEX, sum, tlo_sub(b, im, tl_mat_turn(b, im)));
}
