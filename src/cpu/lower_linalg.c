// eigh, svd and singular_values of real matrices beyond 32 rows and columns, by LAPACK where there
// is one. Others, and all other linear algebra, are planned as their decompositions.
//
// LAPACK is outside of the promise of equal bits. Its results are made what op_docs.def says: a
// matrix with an infinity or a NaN never reaches it, and signs are set after it. A row-major matrix
// is the transpose of a column-major one, so gesdd gets a^T = v s u^T, and gives vt where it writes
// its u.
#include "cpu/lower.h"

#include <math.h>
#include <string.h>

#include "cpu/lapack.h"

enum { SMALL = 32 }; // up to here the decomposition: as fast, and the same bits everywhere

typedef struct linalg_params {
  const tl_lapack *lapack;
  size_t N, m, n, u_n, vt_m; // matrices, and the columns of u and the rows of vt; 0: no vectors
  size_t size;               // bytes of a number
  size_t work, iwork;        // elements
  bool wide, lower;          // f64; eigh: the triangle to read
} linalg_params;

static double number(const linalg_params *l, const void *x, size_t i) {
  return l->wide ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void fill_nan(const linalg_params *l, void *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (l->wide)
      ((double *)x)[i] = (double)NAN;
    else
      ((float *)x)[i] = NAN;
}

static bool all_finite(const linalg_params *l, const void *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(number(l, x, i))) return false;
  return true;
}

// Whether the first of the largest of n entries, `step` apart, is negative.
static bool is_negative(const linalg_params *l, const void *x, size_t n, size_t step) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs(number(l, x, i * step)) > fabs(most)) most = number(l, x, i * step);
  return most < 0;
}

static void negate(const linalg_params *l, void *x, size_t n, size_t step) {
  for (size_t i = 0; i < n; i++)
    if (l->wide)
      ((double *)x)[i * step] = -((double *)x)[i * step];
    else
      ((float *)x)[i * step] = -((float *)x)[i * step];
}

static void *advance(const linalg_params *l, void *x, size_t n) { return (char *)x + n * l->size; }

static void eigh_one(const linalg_params *l, const void *a, void *w, void *v, void *scratch) {
  size_t n = l->n;
  void *rows = scratch, *work = advance(l, scratch, n * n);
  tl_lapack_int *iwork = advance(l, work, l->work);
  tl_lapack_int order = (tl_lapack_int)n, lwork = (tl_lapack_int)l->work,
                liwork = (tl_lapack_int)l->iwork, info = 0;
  // The triangle that is read decides: what the other holds may be anything.
  bool good = true;
  for (size_t i = 0; i < n && good; i++)
    good = all_finite(l, (const char *)a + (i * n + (l->lower ? 0 : i)) * l->size,
                      l->lower ? i + 1 : n - i);
  memcpy(rows, a, n * n * l->size);
  if (good)
    l->lapack->syevd[l->wide]("V", l->lower ? "U" : "L", &order, rows, &order, w, work, &lwork,
                              iwork, &liwork, &info, 1, 1);
  if (!good || info != 0) {
    fill_nan(l, w, n);
    fill_nan(l, v, n * n);
    return;
  }
  for (size_t i = 0; i < n; i++) { // eigenvectors are rows now, and shall be columns
    void *row = advance(l, rows, i * n);
    if (is_negative(l, row, n, 1)) negate(l, row, n, 1);
    for (size_t k = 0; k < n; k++)
      memcpy((char *)v + (k * n + i) * l->size, (char *)row + k * l->size, l->size);
  }
}

static void svd_one(const linalg_params *l, const void *a, void *u, void *s, void *vt,
                    void *scratch) {
  size_t m = l->m, n = l->n, k = TL_MIN(m, n);
  void *copy = scratch, *work = advance(l, scratch, m * n);
  tl_lapack_int *iwork = advance(l, work, l->work);
  tl_lapack_int rows = (tl_lapack_int)n, cols = (tl_lapack_int)m, lwork = (tl_lapack_int)l->work,
                info = 0, ldvt = (tl_lapack_int)TL_MAX(l->u_n, (size_t)1);
  bool good = all_finite(l, a, m * n);
  memcpy(copy, a, m * n * l->size);
  const char *job = l->u_n == 0 ? "N" : l->u_n == m && l->vt_m == n ? "A" : "S";
  if (good)
    l->lapack->gesdd[l->wide](job, &rows, &cols, copy, &rows, s, vt, &rows, u, &ldvt, work, &lwork,
                              iwork, &info, 1);
  if (!good || info != 0) {
    fill_nan(l, s, k);
    fill_nan(l, u, m * l->u_n);
    fill_nan(l, vt, l->vt_m * n);
    return;
  }
  for (size_t i = 0; i < k && l->u_n > 0; i++) {
    void *row = advance(l, vt, i * n);
    if (!is_negative(l, row, n, 1)) continue;
    negate(l, row, n, 1);
    negate(l, advance(l, u, i), m, l->u_n);
  }
}

static void run_eigh(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  const linalg_params *l = s->params;
  for (size_t i = 0; i < l->N; i++)
    eigh_one(l, advance(l, step_in(s, x, 0), i * l->n * l->n),
             advance(l, step_out(s, x, 0), i * l->n),
             advance(l, step_out(s, x, 1), i * l->n * l->n), x->scratch);
}

static void run_svd(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  const linalg_params *l = s->params;
  size_t k = TL_MIN(l->m, l->n);
  for (size_t i = 0; i < l->N; i++) {
    const void *a = advance(l, step_in(s, x, 0), i * l->m * l->n);
    if (l->u_n == 0)
      svd_one(l, a, NULL, advance(l, step_out(s, x, 0), i * k), NULL, x->scratch);
    else
      svd_one(l, a, advance(l, step_out(s, x, 0), i * l->m * l->u_n),
              advance(l, step_out(s, x, 1), i * k),
              advance(l, step_out(s, x, 2), i * l->vt_m * l->n), x->scratch);
  }
}

// Reals, large enough, countable by LAPACK, and LAPACK there.
static bool wants_lapack(const tl_op *op, linalg_params *l) {
  tl_type t = op->operands[0]->type;
  *l = (linalg_params){.N = 1,
                       .m = (size_t)t.dims[t.rank - 2],
                       .n = (size_t)t.dims[t.rank - 1],
                       .size = tl_dtype_get(t.dtype)->size,
                       .wide = t.dtype == TL_DTYPE_F64};
  if ((t.dtype != TL_DTYPE_F32 && !l->wide) || TL_MIN(l->m, l->n) <= SMALL || type_count(t) == 0 ||
      l->m > 1 << 14 || l->n > 1 << 14)
    return false;
  for (uint32_t i = 0; i + 2 < t.rank; i++)
    l->N *= (size_t)t.dims[i];
  l->lapack = tl_lapack_get();
  return l->lapack != NULL;
}

static bool plan_lapack(planner *p, const tl_op *op, const linalg_params *l, plan_fn run) {
  linalg_params *kept = plan_alloc(p, sizeof *kept, _Alignof(linalg_params));
  plan_view *v = plan_views(p, 1 + op->n_results);
  if (p->error) return true;
  *kept = *l;
  v[0] = plan_operand(p, op->operands[0]);
  for (uint32_t i = 0; i < op->n_results; i++)
    v[1 + i] = plan_result(p, op->results[i]);
  plan_step *s = plan_add_step(p, op, "lapack", run);
  if (!s) return true;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = op->n_results;
  s->params = kept;
  s->scratch = (l->m * l->n + l->work) * l->size + l->iwork * sizeof(tl_lapack_int);
  return true;
}

bool lower_eigh(planner *p, const tl_op *op) {
  linalg_params l;
  if (!wants_lapack(op, &l)) return false; // its decomposition
  l.lower = tl_op_i64(op, TL_A_EIGH_lower) != 0;
  l.work = 1 + 6 * l.n + 2 * l.n * l.n; // syevd's manual
  l.iwork = 3 + 5 * l.n;
  return plan_lapack(p, op, &l, run_eigh);
}

bool lower_svd(planner *p, const tl_op *op) {
  linalg_params l;
  if (!wants_lapack(op, &l)) return false; // its decomposition
  size_t k = TL_MIN(l.m, l.n), longer = TL_MAX(l.m, l.n);
  if (op->code == TL_OP_SVD) {
    bool full = tl_op_i64(op, TL_A_SVD_full_matrices) != 0;
    l.u_n = full ? l.m : k, l.vt_m = full ? l.n : k;
  }
  l.work = 4 * k * k + 7 * k + 64 * longer; // gesdd's manual, and room for blocks
  l.iwork = 8 * k;
  return plan_lapack(p, op, &l, run_svd);
}
