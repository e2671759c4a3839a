// fft: transforms of the last one to three dims, computed in f64 at either width and rounded once.
//
// A length is factored into 4, 2, 3, 5 and other primes up to TL_FFT_LARGEST_RADIX, a pass each, in
// Stockham's order, which needs no bit reversal (C. Van Loan, "Computational Frameworks for the
// Fast Fourier Transform", 1992, 1.7). A length with a larger prime goes by way of a convolution of
// a power of two (L. Bluestein, 1970). The roots of unity are found each on its own, from an angle
// in the first octant. The error grows with the square root of the logarithm of the length: within
// 1e-15 of the largest entry up to 2^20 (tests/ref/ops/fft.json).
//
// Legend: n the length, W^k = e^(-2 pi i k / n).
#include "ref/fft.h"

#include <math.h>
#include <string.h>

#include "ref/eval.h"
#include "ref/lanes.h"
#include "ref/strided.h"

#define C tl_c128

static C conjugate(C x) { return (C){x.re, -x.im}; }

// e^(-2 pi i k / n), 0 <= k < n. The angle is that of k less whole quarters, mirrored into an
// eighth.
static C root(size_t k, size_t n) {
  const double half_pi = 0x1.921fb54442d18p0;
  const size_t quarter = 4 * k / n, rest = 4 * k - quarter * n; // of n: a part of a quarter turn
  const bool mirror = 2 * rest > n;
  const double angle = half_pi * ((double)(mirror ? n - rest : rest) / (double)n);
  const double c = mirror ? sin(angle) : cos(angle), s = mirror ? cos(angle) : sin(angle);
  switch (quarter) {
  case 0:
    return (C){c, -s};
  case 1:
    return (C){-s, -c};
  case 2:
    return (C){-c, s};
  default:
    return (C){s, c};
  }
}

static C *make_roots(tl_arena *a, size_t n) {
  C *w = tl_arena_alloc_array(a, n, sizeof *w, 16);
  for (size_t k = 0; w != NULL && k < n; k++)
    w[k] = root(k, n);
  return w;
}

// False where a prime factor is too large for a pass.
static bool factor(tl_fft *f) {
  size_t n = f->n;
  for (uint8_t p = 4; n > 1;) {
    if (n % p == 0) {
      f->radix[f->n_passes++] = p;
      n /= p;
    } else if (p == TL_FFT_LARGEST_RADIX) {
      return false;
    } else {
      p = p == 4 ? 2 : p == 2 ? 3 : (uint8_t)(p + 2); // what is not prime divides no more
    }
  }
  return true;
}

static const tl_fft *plan_chirp(tl_arena *a, tl_fft *f) {
  const size_t n = f->n;
  size_t m = 1;
  while (m < 2 * n - 1)
    m *= 2;
  const tl_fft *inner = tl_fft_plan(a, m);
  C *chirp = tl_arena_alloc_array(a, n, sizeof *chirp, 16);
  C *filter = tl_arena_alloc_array(a, m, sizeof *filter, 16);
  C *scratch = tl_arena_alloc_array(a, m, sizeof *scratch, 16);
  if (inner == NULL || chirp == NULL || filter == NULL || scratch == NULL) return NULL;
  memset(filter, 0, m * sizeof *filter);
  for (size_t k = 0, square = 0; k < n; k++) { // square = k^2 mod 2n
    chirp[k] = root(square, 2 * n);
    filter[k] = filter[k == 0 ? 0 : m - k] = conjugate(chirp[k]);
    square = (square + 2 * k + 1) % (2 * n);
  }
  tl_fft_run(inner, false, filter, scratch);
  f->inner = inner;
  f->chirp = chirp;
  f->filter = filter;
  return f;
}

const tl_fft *tl_fft_plan(tl_arena *a, size_t n) {
  tl_fft *f = TL_NEW(a, tl_fft, 1);
  if (f == NULL || n > SIZE_MAX / 64) return NULL;
  f->n = n;
  if (!factor(f)) return plan_chirp(a, f);
  f->roots = make_roots(a, n);
  return f->roots == NULL ? NULL : f;
}

size_t tl_fft_scratch(const tl_fft *f) {
  return f->inner == NULL ? f->n : f->inner->n + tl_fft_scratch(f->inner);
}

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define NEG(x) (-(x))
#define TIMES(x, s) ((x) * (s))
#define OVER(x, s) ((x) / (s))
#define ZERO 0.0
#define FFT(name) line_##name
#include "ref/fft_passes.inc"

void tl_fft_run(const tl_fft *f, bool inverse, tl_c128 *x, tl_c128 *scratch) {
  line_run(f, inverse, x, scratch);
}

// ---- The op ----

// A box [before, n, after] of complex numbers: transforms along n, by `lines` several at once.
static void along(const tl_fft *f, tl_fft_lines *lines, bool inverse, size_t before, size_t after,
                  C *box, C *line, C *scratch) {
  const size_t n = f->n;
  if (lines != NULL) {
    tl_fft_lines_args a = {.plan = f, .inverse = inverse, .scratch = line};
    a.line = after == 1 ? n : 1, a.step = after;
    const size_t groups = after == 1 ? 1 : before, each = after == 1 ? before : after;
    for (size_t b = 0; b < groups; b++)
      for (size_t i = 0; i < each; i += TL_FFT_LANES) {
        a.x = box + b * n * after + i * a.line;
        a.n_lines = TL_MIN(each - i, (size_t)TL_FFT_LANES);
        lines(&a);
      }
    return;
  }
  for (size_t b = 0; b < before; b++)
    for (size_t i = 0; i < after; i++) {
      C *from = box + b * n * after + i;
      if (after == 1) {
        tl_fft_run(f, inverse, from, scratch);
        continue;
      }
      for (size_t k = 0; k < n; k++)
        line[k] = from[k * after];
      tl_fft_run(f, inverse, line, scratch);
      for (size_t k = 0; k < n; k++)
        from[k * after] = line[k];
    }
}

static void load_row(const tl_tensor *t, size_t at, size_t n, C *row) {
  tl_lanes x;
  for (size_t i = 0; i < n; i += TL_LANES) {
    const size_t some = TL_MIN(n - i, TL_LANES);
    tl_lanes_load_as(&x, TL_LANES_C128, t->type.dtype, t->data, at + i, some);
    memcpy(row + i, x.c128, some * sizeof *row);
  }
}

static void store_row(const tl_tensor *t, size_t at, size_t n, const C *row) {
  tl_lanes x;
  for (size_t i = 0; i < n; i += TL_LANES) {
    const size_t some = TL_MIN(n - i, TL_LANES);
    if (tl_dtype_part(t->type.dtype) == t->type.dtype) {
      for (size_t k = 0; k < some; k++)
        x.f64[k] = row[i + k].re;
      tl_lanes_store(&x, TL_LANES_F64, t->type.dtype, t->data, at + i, some);
    } else {
      memcpy(x.c128, row + i, some * sizeof *row);
      tl_lanes_store(&x, TL_LANES_C128, t->type.dtype, t->data, at + i, some);
    }
  }
}

// The other half of a real signal's spectrum. The imaginary parts of the first and the middle entry
// do not count.
static void mirror(C *row, size_t n) {
  row[0].im = 0;
  if (n % 2 == 0) row[n / 2].im = 0;
  for (size_t k = n / 2 + 1; k < n; k++)
    row[k] = conjugate(row[n - k]);
}

// One box, or several of one dim: from element `in` of x to element `out` of y.
static void boxes_run(const tl_fft_batch *t, tl_fft_lines *lines, size_t boxes, const tl_tensor *x,
                      size_t in, const tl_tensor *y, size_t out, C *box, C *line, C *scratch) {
  const size_t last = t->dims[t->rank - 1], outer = t->outer * boxes;
  const bool inverse = t->type == TL_FFT_TYPE_IFFT || t->type == TL_FFT_TYPE_IRFFT;
  for (size_t i = 0; i < outer; i++)
    load_row(x, in + i * t->in_last, t->in_last, box + i * last);
  // Forwards from the last dim to the first, inverse in the other order. The rows of IRFFT are
  // whole only when the other dims are done; those transform more columns than there are, all zero.
  for (uint32_t i = 0; i < t->rank; i++) {
    const uint32_t d = inverse ? i : t->rank - 1 - i;
    size_t before = boxes, after = 1;
    for (uint32_t k = 0; k < d; k++)
      before *= t->dims[k];
    for (uint32_t k = d + 1; k < t->rank; k++)
      after *= t->dims[k];
    if (t->type == TL_FFT_TYPE_IRFFT && d == t->rank - 1)
      for (size_t r = 0; r < outer; r++)
        mirror(box + r * last, last);
    along(t->plans[d], lines, inverse, before, after, box, line, scratch);
  }
  for (size_t i = 0; i < outer; i++)
    store_row(y, out + i * t->out_last, t->out_last, box + i * last);
}

tl_status tl_fft_batch_plan(tl_arena *a, const tl_op *op, tl_type in, tl_type out,
                            tl_fft_batch *out_batch) {
  tl_fft_batch t = {.rank = (uint32_t)tl_op_list(op, TL_A_FFT_fft_length).len,
                    .type = (tl_fft_type)tl_op_i64(op, TL_A_FFT_fft_type),
                    .in_last = (size_t)in.dims[in.rank - 1],
                    .out_last = (size_t)out.dims[out.rank - 1],
                    .outer = 1,
                    .box = 1};
  size_t n_in;
  if (!tl_type_count(in, &n_in) || n_in == 0)
    return TL_ERROR(INVALID_ARGUMENT, "fft: the shape is not concrete or too large");
  for (uint32_t d = 0; d < t.rank; d++) {
    const uint32_t at = in.rank - t.rank + d;
    t.dims[d] = (size_t)TL_MAX(in.dims[at], out.dims[at]);
    if (d + 1 < t.rank) t.outer *= t.dims[d];
    if (!TL_MUL_OK(t.box, t.dims[d], &t.box)) return TL_OOM();
    t.line = TL_MAX(t.line, t.dims[d]);
    for (uint32_t k = 0; k < d && t.plans[d] == NULL; k++)
      if (t.dims[k] == t.dims[d]) t.plans[d] = t.plans[k];
    if (t.plans[d] == NULL) t.plans[d] = tl_fft_plan(a, t.dims[d]);
    if (t.plans[d] == NULL) return TL_OOM();
    t.scratch = TL_MAX(t.scratch, tl_fft_scratch(t.plans[d]));
  }
  t.count = n_in / (t.outer * t.in_last);
  *out_batch = t;
  return TL_OK;
}

// Several lines at once where there are some, and where so many fit a cache.
static bool in_lanes(const tl_fft_batch *t) {
  const size_t most = (size_t)4 << 20;
  return t->count * t->box / t->line >= TL_FFT_LANES / 2 &&
         t->line + t->scratch <= most / (TL_FFT_LANES * sizeof(C));
}

size_t tl_fft_batch_group(const tl_fft_batch *t) {
  return in_lanes(t) && t->rank == 1 ? TL_FFT_LANES : 1;
}

// The boxes lie first; lanes begin on 64 bytes.
static size_t lines_at(const tl_fft_batch *t, size_t group) {
  return tl_round_up(group * t->box, 4);
}

size_t tl_fft_batch_scratch(const tl_fft_batch *t) {
  const size_t lanes = in_lanes(t) ? TL_FFT_LANES : 1;
  return lines_at(t, tl_fft_batch_group(t)) + lanes * (t->line + t->scratch);
}

void tl_fft_batch_run(const tl_fft_batch *t, tl_fft_lines *lines, const tl_tensor *x,
                      const tl_tensor *y, size_t from, size_t to, tl_c128 *scratch) {
  const size_t group = lines != NULL ? tl_fft_batch_group(t) : 1;
  if (!in_lanes(t)) lines = NULL;
  C *box = scratch, *line = box + lines_at(t, group);
  memset(box, 0, group * t->box * sizeof *box); // IRFFT: columns that mirror() fills
  for (size_t i = from; i < to; i += group)
    boxes_run(t, lines, TL_MIN(group, to - i), x, i * t->outer * t->in_last, y,
              i * t->outer * t->out_last, box, line, line + t->line);
}

tl_status ref_eval_FFT(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *y = &c->out[0].t;
  tl_fft_batch t;
  size_t n_out;
  if (!tl_type_count(y->type, &n_out))
    return TL_ERROR(INVALID_ARGUMENT, "fft: the shape is not concrete or too large");
  if (n_out == 0) return TL_OK;
  TL_TRY(tl_fft_batch_plan(c->scratch, c->op, x->type, y->type, &t));
  C *scratch = tl_arena_alloc_array(c->scratch, tl_fft_batch_scratch(&t), sizeof *scratch, 16);
  if (scratch == NULL) return TL_OOM();
  tl_fft_batch_run(&t, NULL, x, y, 0, t.count, scratch);
  return TL_OK;
}
