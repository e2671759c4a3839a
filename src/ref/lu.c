// LU with partial pivoting, by rank-1 updates: row operations alone, so that no sum has an order.
//
// The pivot of step j is the first of the largest elements of column j from row j on; a NaN is
// smaller than any number. A column of zeros is left as it is (the multipliers stay 0), as LAPACK's
// getrf does; a zero on U's diagonal is how a caller sees a singular matrix.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

// a [m, n] becomes its factors; pivots [min(m, n)], permutation [m].
#define LU(T, abs_of)                                                                   \
  static void lu_##T(T *a, size_t m, size_t n, int32_t *pivots, int32_t *permutation) { \
    for (size_t i = 0; i < m; i++)                                                      \
      permutation[i] = (int32_t)i;                                                      \
    for (size_t j = 0; j < m && j < n; j++) {                                           \
      size_t p = j;                                                                     \
      T most = -1;                                                                      \
      for (size_t i = j; i < m; i++) {                                                  \
        T size = abs_of(a[i * n + j]);                                                  \
        if (size > most) most = size, p = i;                                            \
      }                                                                                 \
      for (size_t c = 0; p != j && c < n; c++) {                                        \
        T kept = a[j * n + c];                                                          \
        a[j * n + c] = a[p * n + c], a[p * n + c] = kept;                               \
      }                                                                                 \
      int32_t kept = permutation[j];                                                    \
      permutation[j] = permutation[p], permutation[p] = kept;                           \
      pivots[j] = (int32_t)p;                                                           \
      T pivot = a[j * n + j];                                                           \
      for (size_t i = j + 1; i < m; i++) {                                              \
        T l = pivot == 0 ? a[i * n + j] : a[i * n + j] / pivot;                         \
        a[i * n + j] = l;                                                               \
        for (size_t c = j + 1; c < n; c++)                                              \
          a[i * n + c] -= l * a[j * n + c];                                             \
      }                                                                                 \
    }                                                                                   \
  }
LU(float, fabsf)
LU(double, fabs)

// The matrices of operand 0: how many, and their shape.
typedef struct batch {
  size_t N, m, n, size; // size: bytes of a matrix
} batch;

static tl_status batch_of(const tl_ref_call *c, batch *out) {
  *out = (batch){0};
  tl_type t = c->in[0].type;
  size_t count;
  if (!tl_type_count(t, &count))
    return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large",
                    tl_op_get(c->op->code)->mnemonic);
  *out = (batch){1, (size_t)t.dims[t.rank - 2], (size_t)t.dims[t.rank - 1], 0};
  for (uint32_t i = 0; i + 2 < t.rank; i++)
    if (!TL_MUL_OK(out->N, (size_t)t.dims[i], &out->N))
      return TL_ERROR(RESOURCE_EXHAUSTED, "%s: a batch has more matrices than can be counted",
                      tl_op_get(c->op->code)->mnemonic);
  out->size = count == 0 ? 0 : count / out->N * tl_dtype_get(t.dtype)->size;
  return TL_OK;
}

tl_status ref_eval_LU(tl_ref_call *c) {
  if (tl_dtype_get(c->in[0].type.dtype)->kind == TL_KIND_COMPLEX) return tl_ref_run_decomposed(c);
  batch x;
  TL_TRY(batch_of(c, &x));
  size_t k = TL_MIN(x.m, x.n);
  void *a = tl_arena_alloc(c->scratch, x.size + 1, 16);
  int32_t *pivots = TL_NEW(c->scratch, int32_t, k + 1), *p = TL_NEW(c->scratch, int32_t, x.m + 1);
  if (a == NULL || pivots == NULL || p == NULL) return TL_OOM();
  for (size_t i = 0; i < x.N; i++) {
    if (x.size > 0) memcpy(a, (const char *)c->in[0].data + i * x.size, x.size);
    if (c->in[0].type.dtype == TL_DTYPE_F32)
      lu_float(a, x.m, x.n, pivots, p);
    else
      lu_double(a, x.m, x.n, pivots, p);
    if (x.size > 0) memcpy((char *)c->out[0].t.data + i * x.size, a, x.size);
    if (k > 0) memcpy((int32_t *)c->out[1].t.data + i * k, pivots, k * sizeof *pivots);
    if (x.m > 0) memcpy((int32_t *)c->out[2].t.data + i * x.m, p, x.m * sizeof *p);
  }
  return TL_OK;
}
