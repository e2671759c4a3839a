// cholesky and triangular_solve, a matrix of the batch at a time, by the schoolbook.
//
// Narrow floats compute in f32 and round at the end, complex numbers of either width in f64. The
// triangle that the specification leaves open
// is zero in a Cholesky factor; a matrix that is not positive definite gives NaNs.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

#include "ref/lanes.h"

// Element (i, j) of an n x n matrix, or of its transpose.
static size_t place(size_t n, bool transposed, size_t i, size_t j) {
  return transposed ? j * n + i : i * n + j;
}

// a = l l^T; with `upper` both are stored transposed. In place.
#define CHOLESKY(T, sqrt_of)                                                  \
  static void cholesky_##T(T *a, size_t n, bool upper) {                      \
    for (size_t j = 0; j < n; j++)                                            \
      for (size_t i = 0; i < n; i++) {                                        \
        T sum = a[place(n, upper, i, j)];                                     \
        for (size_t k = 0; k < j && i >= j; k++)                              \
          sum -= a[place(n, upper, i, k)] * a[place(n, upper, j, k)];         \
        a[place(n, upper, i, j)] = i < j    ? 0                               \
                                   : i == j ? sqrt_of(sum)                    \
                                            : sum / a[place(n, upper, j, j)]; \
      }                                                                       \
  }
CHOLESKY(float, sqrtf)
CHOLESKY(double, sqrt)

// a = l l^H, of which `upper` stores the conjugate transpose. The imaginary parts of the diagonal
// do not count.
static void cholesky_complex(tl_c128 *a, size_t n, bool upper) {
  const double sign = upper ? -1 : 1; // of imaginary parts, as l has them
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      tl_c128 *to = &a[place(n, upper, i, j)], sum = {to->re, sign * to->im};
      for (size_t k = 0; k < j && i >= j; k++) {
        const tl_c128 x = a[place(n, upper, i, k)], y = a[place(n, upper, j, k)];
        const tl_c128 p =
            tl_c128_multiply((tl_c128){x.re, sign * x.im}, (tl_c128){y.re, -sign * y.im});
        sum = (tl_c128){sum.re - p.re, sum.im - p.im};
      }
      if (i < j) {
        *to = (tl_c128){0, 0};
      } else if (i == j) {
        *to = (tl_c128){sqrt(sum.re), 0};
      } else {
        const double d = a[place(n, upper, j, j)].re;
        *to = (tl_c128){sum.re / d, sign * (sum.im / d)};
      }
    }
}

typedef struct solve {
  size_t n, n_vectors, element, vector; // strides of b's elements and vectors
  bool lower, transposed, unit;         // of a, as a x = b uses it
  bool conjugate;
} solve;

// Substitution, forwards through a lower triangle, backwards through an upper one. In place of b.
#define SOLVE(T)                                                                       \
  static void solve_##T(const solve *s, const T *a, T *b) {                            \
    for (size_t v = 0; v < s->n_vectors; v++)                                          \
      for (size_t step = 0; step < s->n; step++) {                                     \
        size_t i = s->lower ? step : s->n - 1 - step;                                  \
        T *x = b + v * s->vector, sum = x[i * s->element];                             \
        for (size_t k = s->lower ? 0 : i + 1; k < (s->lower ? i : s->n); k++)          \
          sum -= a[place(s->n, s->transposed, i, k)] * x[k * s->element];              \
        x[i * s->element] = s->unit ? sum : sum / a[place(s->n, s->transposed, i, i)]; \
      }                                                                                \
  }
SOLVE(float)
SOLVE(double)

static void solve_complex(const solve *s, const tl_c128 *a, tl_c128 *b) {
  const double sign = s->conjugate ? -1 : 1;
  for (size_t v = 0; v < s->n_vectors; v++)
    for (size_t step = 0; step < s->n; step++) {
      size_t i = s->lower ? step : s->n - 1 - step;
      tl_c128 *x = b + v * s->vector, sum = x[i * s->element];
      for (size_t k = s->lower ? 0 : i + 1; k < (s->lower ? i : s->n); k++) {
        const tl_c128 z = a[place(s->n, s->transposed, i, k)];
        const tl_c128 p = tl_c128_multiply((tl_c128){z.re, sign * z.im}, x[k * s->element]);
        sum = (tl_c128){sum.re - p.re, sum.im - p.im};
      }
      const tl_c128 d = a[place(s->n, s->transposed, i, i)];
      x[i * s->element] = s->unit ? sum : tl_c128_divide(sum, (tl_c128){d.re, sign * d.im});
    }
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
  void *a = TL_NEW(c->scratch, tl_c128, n * n); // the widest kind
  if (a == NULL) return TL_OOM();
  for (size_t at = 0; at < count; at += n * n) {
    tl_lanes_load_run(kind, d, x->data, at, n * n, a);
    if (kind == TL_LANES_F32)
      cholesky_float(a, n, upper);
    else if (kind == TL_LANES_F64)
      cholesky_double(a, n, upper);
    else
      cholesky_complex(a, n, upper);
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
  void *a = TL_NEW(c->scratch, tl_c128, n * n), *b = TL_NEW(c->scratch, tl_c128, size);
  if (a == NULL || b == NULL) return TL_OOM();
  for (size_t k = 0; k < count / size; k++) {
    tl_lanes_load_run(kind, t.dtype, c->in[0].data, k * n * n, n * n, a);
    tl_lanes_load_run(kind, t.dtype, c->in[1].data, k * size, size, b);
    if (kind == TL_LANES_F32)
      solve_float(&s, a, b);
    else if (kind == TL_LANES_F64)
      solve_double(&s, a, b);
    else
      solve_complex(&s, a, b);
    store_run(kind, b, t.dtype, out->data, k * size, size);
  }
  return TL_OK;
}
