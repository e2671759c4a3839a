// Expressions over matrices [..., m, n] that rules of linear algebra are written in.
#ifndef TL_AD_MATRIX_H
#define TL_AD_MATRIX_H

#include "ad/rule.h"

tl_value tl_mat_turn(tl_builder *b, tl_value x);    // x^T
tl_value tl_mat_conj(tl_builder *b, tl_value x);    // the value itself where it is real
tl_value tl_mat_adjoint(tl_builder *b, tl_value x); // x^H
tl_value tl_mat_mul(tl_builder *b, tl_value x, tl_value y);
// i1 of x's shape: column - row <direction> k.
tl_value tl_mat_where(tl_builder *b, tl_value x, tl_comparison_direction direction, int64_t k);
// x there, zeros elsewhere: nothing is multiplied.
tl_value tl_mat_keep(tl_builder *b, tl_value x, tl_comparison_direction direction, int64_t k);
static inline tl_value tl_mat_lower(tl_builder *b, tl_value x, int64_t k) { // tril
  return tl_mat_keep(b, x, TL_COMPARISON_DIRECTION_LE, k);
}
static inline tl_value tl_mat_upper(tl_builder *b, tl_value x, int64_t k) { // triu
  return tl_mat_keep(b, x, TL_COMPARISON_DIRECTION_GE, k);
}
tl_value tl_mat_diagonal(tl_builder *b, tl_value x); // [..., m, n] -> [..., m], m <= n
tl_value tl_mat_trace(tl_builder *b, tl_value x);    // -> [...]
// v [..., n] in every row, or [..., m] in every column, of a matrix of x's shape.
tl_value tl_mat_rows_of(tl_builder *b, tl_value v, tl_value x);
tl_value tl_mat_columns_of(tl_builder *b, tl_value v, tl_value x);
// A real tensor as one of `dtype`.
tl_value tl_mat_of_real(tl_builder *b, tl_value x, tl_dtype dtype);
tl_value tl_mat_real(tl_builder *b, tl_value x); // the value itself where it is real
// The part of rows [top, bottom) and columns [left, right).
tl_value tl_mat_part(tl_builder *b, tl_value x, int64_t top, int64_t bottom, int64_t left,
                     int64_t right);
tl_value tl_mat_grow(tl_builder *b, tl_value x, int64_t m, int64_t n); // zeros below and right
// The Hermitian matrix whose lower (or upper) triangle x has; what is elsewhere is not read.
tl_value tl_mat_hermitian(tl_builder *b, tl_value x, bool lower);
static inline int64_t tl_mat_m(tl_value x) { return x->type.dims[x->type.rank - 2]; }
static inline int64_t tl_mat_n(tl_value x) { return x->type.dims[x->type.rank - 1]; }

#endif
