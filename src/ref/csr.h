// Sparse matrices of f32 in compressed rows, on the host: the data that sparse_matmul takes,
// checked, and the algebra that prepares it.
//
// Row r has the entries row_ptr[r] to row_ptr[r + 1] - 1, their columns strictly increasing. An
// entry may be 0: what is stored stays stored, whatever its value. A matrix is immutable; results
// live in the arena that makes them, and share nothing with their operands. Sums run in f64 and are
// rounded once.
#ifndef TL_REF_CSR_H
#define TL_REF_CSR_H

#include "base/arena.h"
#include "base/status.h"

typedef struct tl_csr {
  int32_t rows, cols;
  const int32_t *row_ptr; // [rows + 1], from 0, not decreasing
  const int32_t *col;     // [row_ptr[rows]]
  const float *values;    // likewise
} tl_csr;

static inline size_t tl_csr_nnz(const tl_csr *a) { return (size_t)a->row_ptr[a->rows]; }

// INVALID_ARGUMENT names the first row whose pointers or columns are wrong. `nnz` is what col and
// values hold; nothing behind it is read.
tl_status tl_csr_check(const tl_csr *a, size_t nnz);

// n entries in any order; those of one place are summed in the order in which they come.
// INVALID_ARGUMENT: a place outside of the matrix.
tl_status tl_csr_of_coo(tl_arena *arena, int32_t rows, int32_t cols, size_t n, const int32_t *row,
                        const int32_t *col, const float *values, tl_csr *out);

// Shapes must agree: INVALID_ARGUMENT else. a + b and a - b have the entries of either, a * b
// (element by element) those of both; a times a dense matrix [rows, cols], element by element,
// those of a.
tl_status tl_csr_add(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out);
tl_status tl_csr_sub(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out);
tl_status tl_csr_mul(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out);
tl_status tl_csr_mul_dense(tl_arena *arena, const tl_csr *a, const float *dense, tl_csr *out);
tl_status tl_csr_transpose(tl_arena *arena, const tl_csr *a, tl_csr *out);

// Matrix products: a times dense [a->cols, d], row-major, into out [a->rows, d]; and a times b,
// whose entries are the places that any pair of entries reaches.
tl_status tl_csr_matmul_dense(tl_arena *scratch, const tl_csr *a, const float *dense, size_t d,
                              float *out);
tl_status tl_csr_matmul(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out);
// The derivative of the product with a dense matrix by a's values, on a's entries: out [nnz] =
// upstream [a->rows, d] . dense [a->cols, d], row by row. That by the dense matrix is the product
// with the transpose.
void tl_csr_values_adjoint(const tl_csr *a, const float *upstream, const float *dense, size_t d,
                           float *out);

#endif
