// cholesky and triangular_solve, a matrix of the batch at a time, by the schoolbook, in rows:
//
//     cholesky   u[j] = (a[j] - sum over k < j of conj(u[k, j]) u[k]) / sqrt(its first element)
//     solve      x[s] = (b[s] - sum over t < s of a[s, t] x[t]) / a[s, s]
//
// where u[j] is column j of the lower factor from the diagonal on, and x[s] the s-th row that the
// substitution finds, for all vectors: forwards through a lower triangle, backwards through an
// upper one. Terms are subtracted in that order, by a fused multiply-add each; of complex numbers
// by one for the real part of the row and then one for the imaginary part, for each part of the
// result.
//
// Narrow floats compute in f32 and round at the end, complex numbers of either width in f64. The
// triangle that the specification leaves open
// is zero in a Cholesky factor; a matrix that is not positive definite gives NaNs.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

#include "ref/lanes.h"
#include "ref/sums.h"

// Element (i, j) of an n x n matrix, or of its transpose.
static size_t place(size_t n, bool transposed, size_t i, size_t j) {
  return transposed ? j * n + i : i * n + j;
}

// A row of complex numbers is two rows, its parts. z -= c x.
static void complex_axpy(double *z, tl_c128 c, const double *x, size_t width, size_t n) {
  tl_ref_axpy_f64(z, -c.re, x, n);
  tl_ref_axpy_f64(z, c.im, x + width, n);
  tl_ref_axpy_f64(z + width, -c.im, x, n);
  tl_ref_axpy_f64(z + width, -c.re, x + width, n);
}

// In place of a; u is scratch of its size.
#define CHOLESKY(T, suffix, sqrt_of)                                  \
  static void cholesky_##suffix(T *a, T *u, size_t n, bool upper) {   \
    for (size_t j = 0; j < n; j++)                                    \
      for (size_t i = j; i < n; i++)                                  \
        u[j * n + i] = a[place(n, upper, i, j)];                      \
    for (size_t k = 0; k < n; k++) {                                  \
      T *row = u + k * n;                                             \
      row[k] = sqrt_of(row[k]);                                       \
      for (size_t i = k + 1; i < n; i++)                              \
        row[i] /= row[k];                                             \
      for (size_t j = k + 1; j < n; j++)                              \
        tl_ref_axpy_##suffix(u + j * n + j, -row[j], row + j, n - j); \
    }                                                                 \
    for (size_t j = 0; j < n; j++)                                    \
      for (size_t i = 0; i < n; i++)                                  \
        a[place(n, upper, i, j)] = i < j ? 0 : u[j * n + i];          \
  }
CHOLESKY(float, f32, sqrtf)
CHOLESKY(double, f64, sqrt)

// `upper` stores the conjugate transpose. The imaginary parts of the diagonal do not count.
static void cholesky_c128(tl_c128 *a, double *u, size_t n, bool upper) {
  const double sign = upper ? -1 : 1; // of imaginary parts, as l has them
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      const tl_c128 z = a[place(n, upper, i, j)];
      u[2 * j * n + i] = z.re, u[(2 * j + 1) * n + i] = sign * z.im;
    }
  for (size_t k = 0; k < n; k++) {
    double *re = u + 2 * k * n, *im = re + n;
    re[k] = sqrt(re[k]), im[k] = 0;
    for (size_t i = k + 1; i < n; i++)
      re[i] /= re[k], im[i] /= re[k];
    for (size_t j = k + 1; j < n; j++)
      complex_axpy(u + 2 * j * n + j, (tl_c128){re[j], -im[j]}, re + j, n, n - j);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      a[place(n, upper, i, j)] =
          i < j ? (tl_c128){0, 0} : (tl_c128){u[2 * j * n + i], sign * u[(2 * j + 1) * n + i]};
}

typedef struct solve {
  size_t n, n_vectors, element, vector; // strides of b's elements and vectors
  bool lower, transposed, unit;         // of a, as a x = b uses it
  bool conjugate;
} solve;

static size_t row_of(const solve *s, size_t step) { return s->lower ? step : s->n - 1 - step; }

// In place of b; x is scratch of its size.
#define SOLVE(T, suffix)                                                                     \
  static void solve_##suffix(const solve *s, const T *a, T *b, T *x) {                       \
    const size_t m = s->n_vectors;                                                           \
    for (size_t i = 0; i < s->n; i++)                                                        \
      for (size_t v = 0; v < m; v++)                                                         \
        x[i * m + v] = b[i * s->element + v * s->vector];                                    \
    for (size_t step = 0; step < s->n; step++) {                                             \
      const size_t i = row_of(s, step);                                                      \
      for (size_t t = 0; t < step; t++) {                                                    \
        const size_t k = row_of(s, t);                                                       \
        tl_ref_axpy_##suffix(x + i * m, -a[place(s->n, s->transposed, i, k)], x + k * m, m); \
      }                                                                                      \
      for (size_t v = 0; v < m && !s->unit; v++)                                             \
        x[i * m + v] /= a[place(s->n, s->transposed, i, i)];                                 \
    }                                                                                        \
    for (size_t i = 0; i < s->n; i++)                                                        \
      for (size_t v = 0; v < m; v++)                                                         \
        b[i * s->element + v * s->vector] = x[i * m + v];                                    \
  }
SOLVE(float, f32)
SOLVE(double, f64)

static void solve_c128(const solve *s, const tl_c128 *a, tl_c128 *b, double *x) {
  const double sign = s->conjugate ? -1 : 1;
  const size_t m = s->n_vectors;
  for (size_t i = 0; i < s->n; i++)
    for (size_t v = 0; v < m; v++) {
      const tl_c128 z = b[i * s->element + v * s->vector];
      x[2 * i * m + v] = z.re, x[(2 * i + 1) * m + v] = z.im;
    }
  for (size_t step = 0; step < s->n; step++) {
    const size_t i = row_of(s, step);
    double *to = x + 2 * i * m;
    for (size_t t = 0; t < step; t++) {
      const size_t k = row_of(s, t);
      const tl_c128 z = a[place(s->n, s->transposed, i, k)];
      complex_axpy(to, (tl_c128){z.re, sign * z.im}, x + 2 * k * m, m, m);
    }
    const tl_c128 d = a[place(s->n, s->transposed, i, i)];
    for (size_t v = 0; v < m && !s->unit; v++) {
      const tl_c128 z = tl_c128_divide((tl_c128){to[v], to[m + v]}, (tl_c128){d.re, sign * d.im});
      to[v] = z.re, to[m + v] = z.im;
    }
  }
  for (size_t i = 0; i < s->n; i++)
    for (size_t v = 0; v < m; v++)
      b[i * s->element + v * s->vector] = (tl_c128){x[2 * i * m + v], x[(2 * i + 1) * m + v]};
}

static void store_run(tl_lanes_kind kind, const void *run, tl_dtype d, void *data, size_t at,
                      size_t n) {
  size_t size = tl_lanes_size(kind);
  tl_lanes lanes;
  for (size_t i = 0; i < n; i += TL_LANES) {
    size_t part = TL_MIN(n - i, TL_LANES);
    memcpy(&lanes, (const unsigned char *)run + i * size, part * size);
    tl_lanes_store(&lanes, kind, d, data, at + i, part);
  }
}

tl_status ref_eval_CHOLESKY(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_dtype d = x->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d);
  if (kind == TL_LANES_C64) kind = TL_LANES_C128;
  bool upper = !tl_op_i64(c->op, TL_A_CHOLESKY_lower);
  size_t count, n = (size_t)x->type.dims[x->type.rank - 1];
  if (!tl_type_count(x->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "cholesky: the shape is not concrete or too large");
  if (count == 0) return TL_OK;
  void *a = TL_NEW(c->scratch, tl_c128, n * n),
       *u = TL_NEW(c->scratch, tl_c128, n * n); // the widest
  if (a == NULL || u == NULL) return TL_OOM();
  for (size_t at = 0; at < count; at += n * n) {
    tl_lanes_load_run(kind, d, x->data, at, n * n, a);
    if (kind == TL_LANES_F32)
      cholesky_f32(a, u, n, upper);
    else if (kind == TL_LANES_F64)
      cholesky_f64(a, u, n, upper);
    else
      cholesky_c128(a, u, n, upper);
    store_run(kind, a, d, out->data, at, n * n);
  }
  return TL_OK;
}

tl_status ref_eval_TRIANGULAR_SOLVE(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  tl_type t = c->in[1].type;
  tl_lanes_kind kind = tl_lanes_kind_of(t.dtype);
  if (kind == TL_LANES_C64) kind = TL_LANES_C128;
  size_t count, n = (size_t)c->in[0].type.dims[t.rank - 1], cols = (size_t)t.dims[t.rank - 1],
                size = (size_t)t.dims[t.rank - 2] * cols;
  if (!tl_type_count(t, &count))
    return TL_ERROR(INVALID_ARGUMENT, "triangular_solve: the shape is not concrete or too large");
  if (count == 0) return TL_OK;
  // x a = b is a^T x^T = b^T: the rows of b are its vectors, and a is used transposed.
  bool left = tl_op_i64(c->op, TL_A_TRIANGULAR_SOLVE_left_side);
  bool transposed =
      left == (tl_op_i64(c->op, TL_A_TRIANGULAR_SOLVE_transpose_a) != TL_TRANSPOSE_NO_TRANSPOSE);
  solve s = {n,
             size / n,
             left ? cols : 1,
             left ? 1 : cols,
             (tl_op_i64(c->op, TL_A_TRIANGULAR_SOLVE_lower) != 0) != transposed,
             transposed,
             tl_op_i64(c->op, TL_A_TRIANGULAR_SOLVE_unit_diagonal) != 0,
             tl_op_i64(c->op, TL_A_TRIANGULAR_SOLVE_transpose_a) == TL_TRANSPOSE_ADJOINT};
  void *a = TL_NEW(c->scratch, tl_c128, n * n), *b = TL_NEW(c->scratch, tl_c128, size),
       *x = TL_NEW(c->scratch, tl_c128, size);
  if (a == NULL || b == NULL || x == NULL) return TL_OOM();
  for (size_t k = 0; k < count / size; k++) {
    tl_lanes_load_run(kind, t.dtype, c->in[0].data, k * n * n, n * n, a);
    tl_lanes_load_run(kind, t.dtype, c->in[1].data, k * size, size, b);
    if (kind == TL_LANES_F32)
      solve_f32(&s, a, b, x);
    else if (kind == TL_LANES_F64)
      solve_f64(&s, a, b, x);
    else
      solve_c128(&s, a, b, x);
    store_run(kind, b, t.dtype, out->data, k * size, size);
  }
  return TL_OK;
}
