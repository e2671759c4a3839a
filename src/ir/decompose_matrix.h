// Private to the decompositions of linear algebra: batches of matrices [N, m, n] (all leading dims
// in one), and the few shapes that their steps are made of.
//
// Loops in core ops have no addressing: a step at row j reads it by a dynamic slice and writes by a
// select over the whole matrix, where the numbers of the rows equal j. That is as much work as the
// step's own update of the matrix.
#ifndef TL_IR_DECOMPOSE_MATRIX_H
#define TL_IR_DECOMPOSE_MATRIX_H

#include "ir/decompose_emit.h"

typedef struct tl_mx { // a batch of matrices, and the builder that works on it
  tl_builder *b;
  tl_dtype dtype;
  int64_t N, m, n;
} tl_mx;

// The batch that x [..., m, n] is, and its values as [N, m, n].
tl_mx tl_mx_of(tl_builder *b, tl_type t);
tl_value tl_mx_flat(tl_mx x, tl_value v);
// Back to the batch dims of `t`, with `n` dims behind them.
tl_value tl_mx_back(tl_builder *b, tl_value v, tl_type t, const int64_t *dims, uint32_t n);

// Real and complex numbers alike: of reals, what is asked for is the value itself.
bool tl_mx_is_complex(tl_value v);
tl_value tl_mx_real(tl_builder *b, tl_value z);
tl_value tl_mx_conj(tl_builder *b, tl_value z);
tl_value tl_mx_of_real(tl_builder *b, tl_value x, tl_dtype dtype); // x as dtype, real or complex
tl_value tl_mx_times_real(tl_builder *b, tl_value z, tl_value x);  // z x, part by part
tl_value tl_mx_over_real(tl_builder *b, tl_value z, tl_value x);   // z / x
tl_value tl_mx_square(tl_builder *b, tl_value z);                  // |z|^2, real
tl_value tl_mx_adjoint(tl_builder *b, tl_value v);                 // of [N, m, n]

tl_value tl_mx_scalar(tl_builder *b, tl_dtype dtype, double value);
// v [N], [N, m], [N, n] or a scalar in every element of [N, m, n] (or of [N, m]) of v's type; dims
// as broadcast_in_dim has them, [rank of v].
tl_value tl_mx_spread3(tl_builder *b, tl_value v, int64_t N, int64_t m, int64_t n,
                       const int64_t *dims);
tl_value tl_mx_spread2(tl_builder *b, tl_value v, int64_t N, int64_t m, const int64_t *dims);
// 0, 1, ... along dim 1 or 2 of [N, m, n]; along dim 1 of [N, m].
tl_value tl_mx_iota3(tl_builder *b, int64_t N, int64_t m, int64_t n, int64_t dim);
tl_value tl_mx_iota2(tl_builder *b, int64_t N, int64_t m);
// Comparison of i32 values with a scalar i32 (or with values [N]) spread over them.
tl_value tl_mx_is2(tl_builder *b, tl_comparison_direction d, tl_value v, tl_value j);
tl_value tl_mx_is3(tl_builder *b, tl_comparison_direction d, tl_value v, tl_value j);
// Row j [N, 1, n] and column j [N, m] of v [N, m, n], j a scalar i32 within the matrix.
tl_value tl_mx_row(tl_builder *b, tl_value v, tl_value j);
tl_value tl_mx_column(tl_builder *b, tl_value v, tl_value j);
// Element j of each vector of v [N, m] -> [N].
tl_value tl_mx_element(tl_builder *b, tl_value v, tl_value j);
// One reduction of v [N, m] over its last dim -> [N].
tl_value tl_mx_over(tl_builder *b, tl_value v, tl_opcode combiner, double init);
// For j in [0, n): the beginning of such a loop over `init` [count], with j behind the values; and
// its end.
tl_loop tl_mx_for_begin(tl_builder *b, const tl_value *init, uint32_t count);
void tl_mx_for_end(tl_builder *b, tl_loop *loop, int64_t n, const tl_value *next, uint32_t count,
                   tl_value *out_values);

// decompose_lu.c: the permutation of m rows that exchanges by pivots i32 [N, k] make -> i32 [N, m].
tl_value tl_mx_permutation(tl_builder *b, tl_value pivots, int64_t m);
// decompose_qr.c: packed [N, m, n] and taus [N, min(m, n)]; and the product of the reflectors below
// the diagonal of a [N, m, n], as many as there are taus [N, k], with what follows them [N, m,
// columns] (NULL: the first columns of the identity).
typedef struct tl_qr {
  tl_value packed, taus;
} tl_qr;
tl_qr tl_mx_geqrf(tl_mx x, tl_value a);
tl_value tl_mx_householder(tl_mx x, tl_value a, tl_value taus, int64_t columns, tl_value behind);

#endif
