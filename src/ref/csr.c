#include "ref/csr.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

tl_status tl_csr_check(const tl_csr *a, size_t nnz) {
  if (a->rows < 0 || a->cols < 0)
    return TL_ERROR(INVALID_ARGUMENT, "a sparse matrix of %d by %d", a->rows, a->cols);
  if (a->row_ptr[0] != 0)
    return TL_ERROR(INVALID_ARGUMENT, "the first row pointer is %d, wanted 0", a->row_ptr[0]);
  for (int32_t r = 0; r < a->rows; r++) {
    int32_t from = a->row_ptr[r], to = a->row_ptr[r + 1];
    if (to < from || (size_t)to > nnz)
      return TL_ERROR(INVALID_ARGUMENT,
                      "row %d ends at entry %d: it begins at %d, and there are %zu", r, to, from,
                      nnz);
    for (int32_t e = from; e < to; e++) {
      if (a->col[e] < 0 || a->col[e] >= a->cols)
        return TL_ERROR(INVALID_ARGUMENT, "row %d has an entry in column %d of %d", r, a->col[e],
                        a->cols);
      if (e > from && a->col[e] <= a->col[e - 1])
        return TL_ERROR(INVALID_ARGUMENT, "row %d: column %d does not increase on %d", r, a->col[e],
                        a->col[e - 1]);
    }
  }
  if ((size_t)a->row_ptr[a->rows] != nnz)
    return TL_ERROR(INVALID_ARGUMENT, "the rows have %d entries, and there are %zu",
                    a->row_ptr[a->rows], nnz);
  return TL_OK;
}

// What is being made; the arrays are `out`'s.
typedef struct draft {
  int32_t *row_ptr, *col;
  float *values;
} draft;

static tl_status begin(tl_arena *arena, int32_t rows, int32_t cols, size_t nnz, draft *d,
                       tl_csr *out) {
  if (nnz > INT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "a sparse matrix of more than 2^31 - 1 entries");
  d->row_ptr = TL_NEW(arena, int32_t, (size_t)rows + 1);
  d->col = TL_NEW(arena, int32_t, nnz);
  d->values = TL_NEW(arena, float, nnz);
  if (d->row_ptr == NULL || d->col == NULL || d->values == NULL) return TL_OOM();
  *out = (tl_csr){rows, cols, d->row_ptr, d->col, d->values};
  return TL_OK;
}

// By row and then by column, both by counting, which keeps the order of equal ones.
tl_status tl_csr_of_coo(tl_arena *arena, int32_t rows, int32_t cols, size_t n, const int32_t *row,
                        const int32_t *col, const float *values, tl_csr *out) {
  if (rows < 0 || cols < 0)
    return TL_ERROR(INVALID_ARGUMENT, "a sparse matrix of %d by %d", rows, cols);
  for (size_t i = 0; i < n; i++)
    if (row[i] < 0 || row[i] >= rows || col[i] < 0 || col[i] >= cols)
      return TL_ERROR(INVALID_ARGUMENT, "entry %zu is at [%d, %d] of a matrix of %d by %d", i,
                      row[i], col[i], rows, cols);
  draft d;
  tl_csr made;
  TL_TRY(begin(arena, rows, cols, n, &d, &made));
  size_t *at = calloc((size_t)TL_MAX(rows, cols) + 1, sizeof *at);
  uint32_t *by_col = calloc(n + 1, sizeof *by_col), *order = calloc(n + 1, sizeof *order);
  if (at == NULL || by_col == NULL || order == NULL) {
    free(at), free(by_col), free(order);
    return TL_OOM();
  }
  for (size_t i = 0; i < n; i++)
    at[col[i] + 1]++;
  for (int32_t c = 0; c < cols; c++)
    at[c + 1] += at[c];
  for (size_t i = 0; i < n; i++)
    by_col[at[col[i]]++] = (uint32_t)i;
  memset(at, 0, ((size_t)TL_MAX(rows, cols) + 1) * sizeof *at);
  for (size_t i = 0; i < n; i++)
    at[row[i] + 1]++;
  for (int32_t r = 0; r < rows; r++)
    at[r + 1] += at[r];
  for (size_t i = 0; i < n; i++)
    order[at[row[by_col[i]]]++] = by_col[i];
  int32_t made_entries = 0;
  for (size_t i = 0; i < n;) {
    const uint32_t first = order[i];
    double sum = 0.0;
    for (; i < n && row[order[i]] == row[first] && col[order[i]] == col[first]; i++)
      sum += (double)values[order[i]];
    d.col[made_entries] = col[first];
    d.values[made_entries++] = (float)sum;
    d.row_ptr[row[first] + 1] = made_entries;
  }
  for (int32_t r = 0; r < rows; r++) // rows without entries end where the row before them does
    d.row_ptr[r + 1] = TL_MAX(d.row_ptr[r + 1], d.row_ptr[r]);
  free(at), free(by_col), free(order);
  *out = made;
  return TL_OK;
}

typedef enum { ADD, SUB, MUL } combination;

// Two rows merged by column. Entries of one side only stand beside a 0, and MUL leaves them out.
static tl_status merge(tl_arena *arena, const tl_csr *a, const tl_csr *b, combination how,
                       tl_csr *out) {
  if (a->rows != b->rows || a->cols != b->cols)
    return TL_ERROR(INVALID_ARGUMENT, "sparse matrices of %d by %d and %d by %d do not fit",
                    a->rows, a->cols, b->rows, b->cols);
  draft d;
  tl_csr made;
  TL_TRY(begin(arena, a->rows, a->cols, tl_csr_nnz(a) + tl_csr_nnz(b), &d, &made));
  int32_t n = 0;
  for (int32_t r = 0; r < a->rows; r++) {
    int32_t i = a->row_ptr[r], j = b->row_ptr[r];
    const int32_t i_end = a->row_ptr[r + 1], j_end = b->row_ptr[r + 1];
    while (i < i_end || j < j_end) {
      bool left = i < i_end && (j == j_end || a->col[i] <= b->col[j]),
           right = j < j_end && (i == i_end || b->col[j] <= a->col[i]);
      double x = left ? (double)a->values[i] : 0.0, y = right ? (double)b->values[j] : 0.0;
      if (how != MUL || (left && right)) {
        d.col[n] = left ? a->col[i] : b->col[j];
        d.values[n++] = (float)(how == ADD ? x + y : how == SUB ? x - y : x * y);
      }
      i += left, j += right;
    }
    d.row_ptr[r + 1] = n;
  }
  *out = made;
  return TL_OK;
}

tl_status tl_csr_add(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out) {
  return merge(arena, a, b, ADD, out);
}
tl_status tl_csr_sub(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out) {
  return merge(arena, a, b, SUB, out);
}
tl_status tl_csr_mul(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out) {
  return merge(arena, a, b, MUL, out);
}

tl_status tl_csr_mul_dense(tl_arena *arena, const tl_csr *a, const float *dense, tl_csr *out) {
  draft d;
  tl_csr made;
  TL_TRY(begin(arena, a->rows, a->cols, tl_csr_nnz(a), &d, &made));
  for (int32_t r = 0; r < a->rows; r++) {
    d.row_ptr[r + 1] = a->row_ptr[r + 1];
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
      d.col[e] = a->col[e];
      d.values[e] = a->values[e] * dense[(size_t)r * (size_t)a->cols + (size_t)a->col[e]];
    }
  }
  *out = made;
  return TL_OK;
}

// Counting sort by column: entries are met by increasing rows.
tl_status tl_csr_transpose(tl_arena *arena, const tl_csr *a, tl_csr *out) {
  draft d;
  tl_csr made;
  TL_TRY(begin(arena, a->cols, a->rows, tl_csr_nnz(a), &d, &made));
  for (size_t e = 0; e < tl_csr_nnz(a); e++)
    d.row_ptr[a->col[e] + 1]++;
  for (int32_t c = 0; c < a->cols; c++)
    d.row_ptr[c + 1] += d.row_ptr[c];
  // row_ptr[c] is moved on while column c fills, and ends where the next one began.
  for (int32_t r = 0; r < a->rows; r++)
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
      int32_t to = d.row_ptr[a->col[e]]++;
      d.col[to] = r;
      d.values[to] = a->values[e];
    }
  memmove(d.row_ptr + 1, d.row_ptr, (size_t)a->cols * sizeof *d.row_ptr);
  d.row_ptr[0] = 0;
  *out = made;
  return TL_OK;
}

tl_status tl_csr_matmul_dense(tl_arena *scratch, const tl_csr *a, const float *dense, size_t d,
                              float *out) {
  tl_arena_point mark = tl_arena_mark(scratch);
  double *row = TL_NEW(scratch, double, d);
  if (row == NULL) return TL_OOM();
  for (int32_t r = 0; r < a->rows; r++) {
    for (size_t j = 0; j < d; j++)
      row[j] = 0.0;
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
      const float *from = dense + (size_t)a->col[e] * d;
      for (size_t j = 0; j < d; j++)
        row[j] += (double)a->values[e] * (double)from[j];
    }
    for (size_t j = 0; j < d; j++)
      out[(size_t)r * d + j] = (float)row[j];
  }
  tl_arena_rewind(scratch, mark);
  return TL_OK;
}

static int by_number(const void *x, const void *y) {
  int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
  return (a > b) - (a < b);
}

// Two passes over the rows: the first counts the places that are reached, the second fills them.
tl_status tl_csr_matmul(tl_arena *arena, const tl_csr *a, const tl_csr *b, tl_csr *out) {
  if (a->cols != b->rows)
    return TL_ERROR(INVALID_ARGUMENT, "sparse matrices of %d by %d and %d by %d do not multiply",
                    a->rows, a->cols, b->rows, b->cols);
  tl_status st = TL_OK;
  draft d;
  tl_csr made;
  size_t nnz = 0, width = (size_t)b->cols;
  double *sum = calloc(width + 1, sizeof *sum);
  int32_t *seen = calloc(width + 1, sizeof *seen), *places = calloc(width + 1, sizeof *places);
  if (sum == NULL || seen == NULL || places == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (int32_t r = 0; r < a->rows; r++) // seen[c]: the last row that reached column c, from 1
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
      for (int32_t f = b->row_ptr[a->col[e]]; f < b->row_ptr[a->col[e] + 1]; f++)
        if (seen[b->col[f]] != r + 1) {
          seen[b->col[f]] = r + 1;
          nnz++;
        }
  TL_TRY_GOTO(done, st, begin(arena, a->rows, b->cols, nnz, &d, &made));
  memset(seen, 0, width * sizeof *seen);
  int32_t n = 0;
  for (int32_t r = 0; r < a->rows; r++) {
    size_t n_places = 0;
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
      for (int32_t f = b->row_ptr[a->col[e]]; f < b->row_ptr[a->col[e] + 1]; f++) {
        const int32_t c = b->col[f];
        if (seen[c] != r + 1) {
          seen[c] = r + 1;
          sum[c] = 0.0;
          places[n_places++] = c;
        }
        sum[c] += (double)a->values[e] * (double)b->values[f];
      }
    qsort(places, n_places, sizeof *places, by_number);
    for (size_t i = 0; i < n_places; i++) {
      d.col[n] = places[i];
      d.values[n++] = (float)sum[places[i]];
    }
    d.row_ptr[r + 1] = n;
  }
  *out = made;
done:
  free(sum), free(seen), free(places);
  return st;
}

void tl_csr_values_adjoint(const tl_csr *a, const float *upstream, const float *dense, size_t d,
                           float *out) {
  for (int32_t r = 0; r < a->rows; r++)
    for (int32_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
      const float *x = upstream + (size_t)r * d, *y = dense + (size_t)a->col[e] * d;
      double sum = 0.0;
      for (size_t j = 0; j < d; j++)
        sum += (double)x[j] * (double)y[j];
      out[e] = (float)sum;
    }
}
