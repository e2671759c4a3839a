// cholesky and triangular_solve: matrices of the batch, and vectors of a right side, divided among
// threads.
//
// Both are one thing: rows of numbers, each less multiples of the rows before it, then divided.
//
//     solve      x[s] = (b[s] - sum over t < s of a[s, t] x[t]) / a[s, s]
//     cholesky   u[j] = (a[j] - sum over k < j of conj(u[k, j]) u[k]) / u[j, j]      a = u^H u
//
// where x[s] is a row of all vectors, in order of the substitution (backwards through an upper
// triangle), and u[j] is column j of the lower factor. Terms are subtracted in that order, a fused
// multiply-add each, as ref/linalg.c does it. Four rows at a time take what the rows before them
// have to give (kernels/solve.inc) and then settle among themselves.
//
// Complex numbers, of either width, are computed in f64 as two rows, their parts; a coefficient is
// then two by two.
#include "cpu/lower.h"

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "cpu/nest.h"
#include "ref/complex.h"

enum { ROWS = 4, CHUNK = 128, PARALLEL_PRODUCTS = 32768 };

typedef struct solve_params {
  tl_dtype dtype;     // f32, f64, c64 or c128, in memory
  bool wide;          // computed in f64
  size_t parts, size; // of an element: 1 or 2; bytes of one part where it is computed
  size_t batches, n;
  // cholesky
  bool upper;
  // triangular_solve
  size_t vectors, chunks;                  // of a batch; of them
  size_t element, vector;                  // strides of b's elements and vectors
  bool lower, transposed, unit, conjugate; // of a, as a x = b uses it
} solve_params;

// --- numbers in memory of any of the four types ---

static tl_c128 load(const solve_params *e, const uint8_t *p, size_t at) {
  tl_c128 z = {0, 0};
  switch (e->dtype) {
  case TL_DTYPE_F32:
    z.re = (double)((const float *)(const void *)p)[at];
    break;
  case TL_DTYPE_F64:
    z.re = ((const double *)(const void *)p)[at];
    break;
  case TL_DTYPE_C64:
    z.re = (double)((const float *)(const void *)p)[2 * at];
    z.im = (double)((const float *)(const void *)p)[2 * at + 1];
    break;
  default:
    memcpy(&z, p + at * sizeof z, sizeof z);
  }
  return z;
}

static void store(const solve_params *e, uint8_t *p, size_t at, tl_c128 z) {
  switch (e->dtype) {
  case TL_DTYPE_F32:
    ((float *)(void *)p)[at] = (float)z.re;
    break;
  case TL_DTYPE_F64:
    ((double *)(void *)p)[at] = z.re;
    break;
  case TL_DTYPE_C64:
    ((float *)(void *)p)[2 * at] = (float)z.re;
    ((float *)(void *)p)[2 * at + 1] = (float)z.im;
    break;
  default:
    memcpy(p + at * sizeof z, &z, sizeof z);
  }
}

// Rows of numbers as they are computed with: f32, or f64, `parts` rows for each.
typedef struct table {
  const solve_params *e;
  uint8_t *data;
  size_t width;
} table;

static void *row_at(const table *t, size_t i, size_t part, size_t j) {
  return t->data + ((i * t->e->parts + part) * t->width + j) * t->e->size;
}
static tl_c128 get(const table *t, size_t i, size_t j) {
  tl_c128 z = {0, 0};
  if (!t->e->wide) {
    z.re = (double)*(const float *)row_at(t, i, 0, j);
    return z;
  }
  z.re = *(const double *)row_at(t, i, 0, j);
  if (t->e->parts == 2) z.im = *(const double *)row_at(t, i, 1, j);
  return z;
}
static void put(const table *t, size_t i, size_t j, tl_c128 z) {
  if (!t->e->wide) {
    *(float *)row_at(t, i, 0, j) = (float)z.re;
    return;
  }
  *(double *)row_at(t, i, 0, j) = z.re;
  if (t->e->parts == 2) *(double *)row_at(t, i, 1, j) = z.im;
}

// Row `to` of the block's coefficients [k][ROWS] for term `k`: less z times it.
static void coefficient(const solve_params *e, uint8_t *c, size_t k, size_t to, tl_c128 z) {
  if (!e->wide) {
    ((float *)(void *)c)[k * ROWS + to] = (float)-z.re;
    return;
  }
  double *d = (double *)(void *)c;
  if (e->parts == 1) {
    d[k * ROWS + to] = -z.re;
    return;
  }
  d[2 * k * ROWS + 2 * to] = -z.re;
  d[(2 * k + 1) * ROWS + 2 * to] = z.im;
  d[2 * k * ROWS + 2 * to + 1] = -z.im;
  d[(2 * k + 1) * ROWS + 2 * to + 1] = -z.re;
}

// Rows [i, i + rows) from column `first` on less `c` times the rows [from, from + k).
static void update(const tl_kernels *kernels, const table *t, size_t i, size_t rows, size_t from,
                   size_t k, size_t first, const uint8_t *c) {
  const solve_params *e = t->e;
  if (k == 0) return;
  kernels->update(&(tl_update_args){.wide = e->wide,
                                    .rows = rows * e->parts,
                                    .n = t->width - first,
                                    .k = k * e->parts,
                                    .c = c,
                                    .x = row_at(t, from, 0, first),
                                    .x_k = t->width,
                                    .z = row_at(t, i, 0, first),
                                    .z_row = t->width});
}

// Row i from column `first` on, divided by d; of a factor d is real.
static void divide(const table *t, size_t i, size_t first, tl_c128 d, bool real) {
  const solve_params *e = t->e;
  if (!e->wide) {
    float *x = row_at(t, i, 0, 0);
    const float by = (float)d.re;
    for (size_t j = first; j < t->width; j++)
      x[j] /= by;
  } else if (e->parts == 1 || real) {
    for (size_t part = 0; part < e->parts; part++) {
      double *x = row_at(t, i, part, 0);
      for (size_t j = first; j < t->width; j++)
        x[j] /= d.re;
    }
  } else {
    for (size_t j = first; j < t->width; j++)
      put(t, i, j, tl_c128_divide(get(t, i, j), d));
  }
}

// --- cholesky ---

static tl_c128 conjugate(tl_c128 z) { return (tl_c128){z.re, -z.im}; }

static void factor(const tl_kernels *kernels, const table *t, uint8_t *c) {
  const solve_params *e = t->e;
  const size_t n = e->n, block = ROWS / e->parts;
  for (size_t j0 = 0; j0 < n; j0 += block) {
    const size_t rows = TL_MIN(block, n - j0);
    for (size_t k = 0; k < j0; k++)
      for (size_t r = 0; r < rows; r++)
        coefficient(e, c, k, r, conjugate(get(t, k, j0 + r)));
    update(kernels, t, j0, rows, 0, j0, j0, c);
    for (size_t j = j0; j < j0 + rows; j++) {
      for (size_t k = j0; k < j; k++)
        coefficient(e, c, k - j0, 0, conjugate(get(t, k, j)));
      update(kernels, t, j, 1, j0, j - j0, j, c);
      const double at = get(t, j, j).re;
      const tl_c128 d = {e->wide ? sqrt(at) : (double)sqrtf((float)at), 0};
      put(t, j, j, d);
      divide(t, j, j + 1, d, true);
    }
  }
}

static size_t coefficients_size(const solve_params *e) {
  return tl_round_up(e->n * e->parts * ROWS * e->size, 64);
}

static void run_cholesky(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const solve_params *e = s->params;
  const size_t n = e->n, bytes = n * n * tl_dtype_get(e->dtype)->size;
  size_t from, to;
  tl_pool_range(e->batches, 1, part, n_parts, &from, &to);
  const table t = {e, x->scratch + coefficients_size(e), n};
  for (size_t b = from; b < to; b++) {
    const uint8_t *in = (const uint8_t *)step_in(s, x, 0) + b * bytes;
    uint8_t *out = (uint8_t *)step_out(s, x, 0) + b * bytes;
    for (size_t j = 0; j < n; j++) // u[j, i] is l[i, j]
      for (size_t i = j; i < n; i++)
        put(&t, j, i, e->upper ? conjugate(load(e, in, j * n + i)) : load(e, in, i * n + j));
    factor(x->exe->cpu->kernels, &t, x->scratch);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) { // element (j, i) of what is stored
        const bool inside = e->upper ? i >= j : i <= j;
        store(e, out, j * n + i,
              !inside    ? (tl_c128){0, 0}
              : e->upper ? conjugate(get(&t, j, i))
                         : get(&t, i, j));
      }
  }
}

// --- triangular_solve ---

// Element (s, t) of a, in order of the substitution.
static tl_c128 element_of(const solve_params *e, const uint8_t *a, size_t s, size_t t) {
  const size_t i = e->lower ? s : e->n - 1 - s, k = e->lower ? t : e->n - 1 - t;
  const tl_c128 z = load(e, a, e->transposed ? k * e->n + i : i * e->n + k);
  return e->conjugate ? conjugate(z) : z;
}

static void substitute(const tl_kernels *kernels, const table *t, const uint8_t *a, uint8_t *c) {
  const solve_params *e = t->e;
  const size_t block = ROWS / e->parts;
  for (size_t s0 = 0; s0 < e->n; s0 += block) {
    const size_t rows = TL_MIN(block, e->n - s0);
    for (size_t k = 0; k < s0; k++)
      for (size_t r = 0; r < rows; r++)
        coefficient(e, c, k, r, element_of(e, a, s0 + r, k));
    update(kernels, t, s0, rows, 0, s0, 0, c);
    for (size_t s = s0; s < s0 + rows; s++) {
      for (size_t k = s0; k < s; k++)
        coefficient(e, c, k - s0, 0, element_of(e, a, s, k));
      update(kernels, t, s, 1, s0, s - s0, 0, c);
      if (!e->unit) divide(t, s, 0, element_of(e, a, s, s), false);
    }
  }
}

static void run_solve(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const solve_params *e = s->params;
  const size_t n = e->n, element = tl_dtype_get(e->dtype)->size;
  size_t from, to;
  tl_pool_range(e->batches * e->chunks, 1, part, n_parts, &from, &to);
  for (size_t unit = from; unit < to; unit++) {
    const size_t b = unit / e->chunks, first = unit % e->chunks * CHUNK,
                 width = TL_MIN((size_t)CHUNK, e->vectors - first);
    const table t = {e, x->scratch + coefficients_size(e), width};
    const uint8_t *a = (const uint8_t *)step_in(s, x, 0) + b * n * n * element,
                  *in = (const uint8_t *)step_in(s, x, 1) + b * n * e->vectors * element;
    uint8_t *out = (uint8_t *)step_out(s, x, 0) + b * n * e->vectors * element;
    for (size_t i = 0; i < n; i++)
      for (size_t v = 0; v < width; v++)
        put(&t, e->lower ? i : n - 1 - i, v, load(e, in, i * e->element + (first + v) * e->vector));
    substitute(x->exe->cpu->kernels, &t, a, x->scratch);
    for (size_t i = 0; i < n; i++)
      for (size_t v = 0; v < width; v++)
        store(e, out, i * e->element + (first + v) * e->vector,
              get(&t, e->lower ? i : n - 1 - i, v));
  }
}

// --- planning ---

static bool begin(const tl_op *op, solve_params *e) {
  const tl_type a = op->operands[0]->type;
  const tl_dtype d = op->results[0]->type.dtype;
  tl_reg r;
  if (!nest_computes(d) || !loop_reg_of(nest_part_dtype(d), &r)) return false;
  e->dtype = nest_is_complex(d) ? d : r == TL_REG_F64 ? TL_DTYPE_F64 : TL_DTYPE_F32;
  e->wide = e->dtype != TL_DTYPE_F32;
  e->parts = nest_is_complex(d) ? 2 : 1;
  e->size = e->wide ? 8 : 4;
  e->n = (size_t)a.dims[a.rank - 1];
  e->batches = 1;
  for (uint32_t i = 0; i + 2 < a.rank; i++)
    e->batches *= (size_t)a.dims[i];
  return r == TL_REG_F32 || r == TL_REG_F64;
}

// The step over operands converted to e's type; width: columns of a thread's table.
static bool finish(planner *p, const tl_op *op, const solve_params *e, plan_fn run, size_t width,
                   size_t units) {
  const tl_type y = op->results[0]->type;
  const tl_type type = {e->dtype, y.rank, y.dims};
  size_t bytes, work;
  if (!TL_MUL_OK(e->n * e->parts * e->size, width, &bytes)) return false;
  solve_params *kept = plan_alloc(p, sizeof *kept, _Alignof(solve_params));
  plan_view *v = plan_views(p, op->n_operands + 1);
  if (p->error) return true;
  *kept = *e;
  for (uint32_t i = 0; i < op->n_operands; i++)
    v[i] = plan_operand_as(p, op, op->operands[i], e->dtype);
  const plan_view out = y.dtype == e->dtype ? plan_result(p, op->results[0]) : plan_temp(p, type);
  if (p->error) return true;
  v[op->n_operands] = out;
  for (uint32_t i = 0; i <= op->n_operands; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run);
  if (!s) return true;
  s->in = v, s->n_in = op->n_operands;
  s->out = v + op->n_operands, s->n_out = 1;
  s->params = kept;
  s->scratch = coefficients_size(e) + tl_round_up(bytes, 64);
  if (!TL_MUL_OK(type_count(y), e->n, &work)) work = SIZE_MAX;
  s->parallel = units > 1 && plan_worth(p, work, PARALLEL_PRODUCTS);
  if (y.dtype != e->dtype) plan_result_of(p, op, out, type);
  return true;
}

bool lower_cholesky(planner *p, const tl_op *op) {
  solve_params e = {.upper = !tl_op_i64(op, TL_A_CHOLESKY_lower)};
  if (!begin(op, &e)) return false;
  if (type_count(op->results[0]->type) == 0) return plan_nothing(p, op);
  return finish(p, op, &e, run_cholesky, e.n, e.batches);
}

bool lower_triangular_solve(planner *p, const tl_op *op) {
  const tl_type b = op->operands[1]->type;
  solve_params e = {0};
  if (!begin(op, &e)) return false;
  if (type_count(b) == 0) return plan_nothing(p, op);
  // x a = b is a^T x^T = b^T: the rows of b are its vectors, and a is used transposed.
  const bool left = tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_left_side);
  const int64_t transpose = tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a);
  const size_t cols = (size_t)b.dims[b.rank - 1];
  e.transposed = left == (transpose != TL_TRANSPOSE_NO_TRANSPOSE);
  e.conjugate = transpose == TL_TRANSPOSE_ADJOINT;
  e.lower = (tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_lower) != 0) != e.transposed;
  e.unit = tl_op_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal) != 0;
  e.vectors = left ? cols : (size_t)b.dims[b.rank - 2];
  e.element = left ? cols : 1;
  e.vector = left ? 1 : cols;
  e.chunks = (e.vectors + CHUNK - 1) / CHUNK;
  return finish(p, op, &e, run_solve, TL_MIN(e.vectors, (size_t)CHUNK), e.batches * e.chunks);
}
