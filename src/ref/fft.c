// fft: transforms of the last one to three dims, in the width of their numbers.
//
// A length is factored into 4, 2, 3, 5 and other primes up to TL_FFT_LARGEST_RADIX, a pass each, in
// Stockham's order, which needs no bit reversal (C. Van Loan, "Computational Frameworks for the
// Fast Fourier Transform", 1992, 1.7). A length with a larger prime goes by way of a convolution of
// a power of two (L. Bluestein, 1970). Real numbers of an even length are transformed as pairs,
// half as many complex numbers, and the spectrum is put together from that (Van Loan, 4.3). The
// roots of unity are found each on its own at f64, from an angle in the first octant, and rounded.
// The error grows with the square root of the logarithm of the length (tests/ref/ops/fft.json).
//
// Legend: n the length, W^k = e^(-2 pi i k / n).
#include "ref/fft.h"

#include <math.h>
#include <string.h>

#include "ref/eval.h"

// e^(-2 pi i k / n), 0 <= k < n. The angle is that of k less whole quarters, mirrored into an
// eighth.
static tl_c128 root(size_t k, size_t n) {
  const double half_pi = 0x1.921fb54442d18p0;
  const size_t quarter = 4 * k / n, rest = 4 * k - quarter * n; // of n: a part of a quarter turn
  const bool mirror = 2 * rest > n;
  const double angle = half_pi * ((double)(mirror ? n - rest : rest) / (double)n);
  const double c = mirror ? sin(angle) : cos(angle), s = mirror ? cos(angle) : sin(angle);
  switch (quarter) {
  case 0:
    return (tl_c128){c, -s};
  case 1:
    return (tl_c128){-s, -c};
  case 2:
    return (tl_c128){-c, s};
  default:
    return (tl_c128){s, c};
  }
}

// n numbers of a plan's width from those of f64.
static const void *numbers(tl_arena *a, bool wide, const tl_c128 *from, size_t n) {
  if (wide) return from;
  tl_c64 *to = tl_arena_alloc_array(a, n, sizeof *to, 16);
  for (size_t k = 0; to != NULL && k < n; k++)
    to[k] = (tl_c64){(float)from[k].re, (float)from[k].im};
  return to;
}

// False when memory is gone.
static bool make_roots(tl_arena *a, tl_fft *f, size_t count) {
  const size_t n = f->n;
  tl_c128 *w = tl_arena_alloc_array(a, count, sizeof *w, 16);
  for (size_t k = 0; w != NULL && k < count; k++)
    w[k] = root(k, n);
  f->roots = w == NULL ? NULL : numbers(a, f->wide, w, count);
  if (f->roots == NULL || f->half != NULL || n % 64 != 0) return f->roots != NULL;
  tl_c128 *early = tl_arena_alloc_array(a, n / 4 * 6, sizeof *early, 16);
  for (size_t i = 0, at = 0; early != NULL && i < 2; i++)
    for (size_t r = 1; r < 4; r++)
      for (size_t j = 0; j < n / 4; j++)
        early[at++] = w[i == 0 ? j * r : j / 4 * r * 4];
  f->early = early == NULL ? NULL : numbers(a, f->wide, early, n / 4 * 6);
  return f->early != NULL;
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

// ---- A line of either width ----

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define NEG(x) (-(x))
#define ZERO 0
#define C tl_c64
#define ROOT tl_c64
#define TIMES(x, s) ((x) * (float)(s))
#define OVER(x, s) ((x) / (float)(s))
#define FMA(x, s, y) __builtin_fmaf(x, (float)(s), y)
#define FMS(x, s, y) __builtin_fmaf(x, (float)(s), -(y))
#define FNMA(x, s, y) __builtin_fmaf(-(x), (float)(s), y)
#define FFT(name) narrow_##name
#include "ref/fft_passes.inc"
#undef C
#undef ROOT
#undef TIMES
#undef OVER
#undef FMA
#undef FMS
#undef FNMA
#undef FFT
#define C tl_c128
#define ROOT tl_c128
#define TIMES(x, s) ((x) * (s))
#define OVER(x, s) ((x) / (s))
#define FMA(x, s, y) __builtin_fma(x, s, y)
#define FMS(x, s, y) __builtin_fma(x, s, -(y))
#define FNMA(x, s, y) __builtin_fma(-(x), s, y)
#define FFT(name) wide_##name
#include "ref/fft_passes.inc"

static size_t scratch_of(const tl_fft *f) {
  return f->inner == NULL ? f->n : f->inner->n + scratch_of(f->inner);
}

static const tl_fft *plan_chirp(tl_arena *a, tl_fft *f) {
  const size_t n = f->n;
  size_t m = 1;
  while (m < 2 * n - 1)
    m *= 2;
  const tl_fft *inner = tl_fft_plan(a, m, true, false);
  tl_c128 *chirp = tl_arena_alloc_array(a, n, sizeof *chirp, 16);
  tl_c128 *filter = tl_arena_alloc_array(a, m, sizeof *filter, 16);
  tl_c128 *scratch = tl_arena_alloc_array(a, m, sizeof *scratch, 16);
  if (inner == NULL || chirp == NULL || filter == NULL || scratch == NULL) return NULL;
  memset(filter, 0, m * sizeof *filter);
  for (size_t k = 0, square = 0; k < n; k++) { // square = k^2 mod 2n
    chirp[k] = root(square, 2 * n);
    filter[k] = filter[k == 0 ? 0 : m - k] = (tl_c128){chirp[k].re, -chirp[k].im};
    square = (square + 2 * k + 1) % (2 * n);
  }
  wide_run(inner, false, filter, scratch);
  f->inner = f->wide ? inner : tl_fft_plan(a, m, false, false);
  f->chirp = numbers(a, f->wide, chirp, n);
  f->filter = numbers(a, f->wide, filter, m);
  return f->inner == NULL || f->chirp == NULL || f->filter == NULL ? NULL : f;
}

const tl_fft *tl_fft_plan(tl_arena *a, size_t n, bool wide, bool real) {
  tl_fft *f = TL_NEW(a, tl_fft, 1);
  if (f == NULL || n > SIZE_MAX / 256) return NULL;
  f->n = n, f->wide = wide;
  if (real && n % 2 == 0) {
    f->half = tl_fft_plan(a, n / 2, wide, false);
    if (f->half == NULL || !make_roots(a, f, n / 2)) return NULL;
    f->room = f->half->room;
    return f;
  }
  if (factor(f) ? !make_roots(a, f, n) : plan_chirp(a, f) == NULL) return NULL;
  f->room = tl_round_up(n + 1, 8) + scratch_of(f);
  return f;
}

void tl_fft_lines_one(const tl_fft_lines_args *a) {
  const tl_fft *f = a->plan;
  const size_t before = tl_fft_entries(f, a->type, false), after = tl_fft_entries(f, a->type, true),
               room = tl_round_up((f->half != NULL ? f->half->n : f->n) + 1, 8);
  const bool in = tl_fft_singly(f, a->type, false), out = tl_fft_singly(f, a->type, true);
  // Of pairs a line's stride counts real numbers.
  const size_t x_pair = a->type == TL_FFT_TYPE_RFFT && !in ? 2 : 1,
               y_pair = a->type == TL_FFT_TYPE_IRFFT && !out ? 2 : 1;
#define LINES(C, R, run)                                                                   \
  for (size_t i = 0; i < a->n_lines; i++) {                                                \
    C *z = a->scratch;                                                                     \
    const size_t x = i * a->x_line / x_pair, y = i * a->y_line / y_pair;                   \
    for (size_t k = 0; k < before; k++)                                                    \
      z[k] = in ? (C){((const R *)a->x)[x + k], 0} : ((const C *)a->x)[x + k * a->x_step]; \
    run(f, a->type, z, z + room);                                                          \
    for (size_t k = 0; k < after; k++)                                                     \
      if (out)                                                                             \
        ((R *)a->y)[y + k] = z[k].re;                                                      \
      else                                                                                 \
        ((C *)a->y)[y + k * a->y_step] = z[k];                                             \
  }
  if (f->wide) {
    LINES(tl_c128, double, wide_line)
  } else {
    LINES(tl_c64, float, narrow_line)
  }
}

tl_fft_way tl_fft_way_of(const tl_fft *f, size_t n_lines, bool contiguous) {
  if (tl_fft_along(f, contiguous)) return TL_FFT_ALONG;
  const bool fits = f->room <= ((size_t)4 << 20) / TL_FFT_LANES_SIZE;
  return n_lines >= 4 && fits ? TL_FFT_LANES : TL_FFT_SINGLY;
}

uint32_t tl_fft_phases(const tl_fft *f, tl_fft_type type, tl_fft_way way) {
  const tl_fft *inner = f->half != NULL ? f->half : f;
  const size_t number = f->wide ? sizeof(tl_c128) : sizeof(tl_c64);
  if (way != TL_FFT_ALONG || tl_fft_blocks_of(inner, TL_FFT_LANES_SIZE / number).n_blocks == 0)
    return 0;
  return type == TL_FFT_TYPE_RFFT ? 3 : 2;
}

size_t tl_fft_lines_scratch(const tl_fft *f, size_t n_lines, bool contiguous) {
  const size_t number = f->wide ? sizeof(tl_c128) : sizeof(tl_c64);
  switch (tl_fft_way_of(f, n_lines, contiguous)) {
  case TL_FFT_LANES:
    return f->room * TL_FFT_LANES_SIZE;
  case TL_FFT_ALONG: // and a line as it lies in memory
    return 2 * f->room * number + 2 * TL_FFT_LANES_SIZE;
  default:
    return f->room * number;
  }
}

// ---- The op ----

// Of lines from number `at` on, as many as lie side by side, up to `to`.
static tl_fft_lines_args args_of(const tl_fft_stage *s, const void *x, void *y, size_t at,
                                 size_t to, void *scratch) {
  const size_t number = s->plan->wide ? sizeof(tl_c128) : sizeof(tl_c64), n = s->plan->n;
  const bool contiguous = s->after == 1;
  const size_t x_size = contiguous && s->type == TL_FFT_TYPE_RFFT ? number / 2 : number,
               y_size = contiguous && s->type == TL_FFT_TYPE_IRFFT ? number / 2 : number;
  const size_t b = at / s->after, i = at % s->after;
  const size_t x_at = contiguous ? at * s->x_line : b * n * s->after + i,
               y_at = contiguous ? at * s->y_line : x_at;
  return (tl_fft_lines_args){.plan = s->plan,
                             .type = s->type,
                             .x = (const uint8_t *)x + x_at * x_size,
                             .x_line = contiguous ? s->x_line : 1,
                             .x_step = s->after,
                             .y = (uint8_t *)y + y_at * y_size,
                             .y_line = contiguous ? s->y_line : 1,
                             .y_step = s->after,
                             .n_lines = contiguous ? to - at : TL_MIN(to - at, s->after - i),
                             .scratch = scratch};
}

void tl_fft_stage_run(const tl_fft_stage *s, tl_fft_lines *lines, const void *x, void *y,
                      size_t from, size_t to, void *scratch) {
  if (lines == NULL || tl_fft_stage_way(s) == TL_FFT_SINGLY) lines = tl_fft_lines_one;
  for (size_t at = from; at < to;) {
    const tl_fft_lines_args a = args_of(s, x, y, at, to, scratch);
    lines(&a);
    at += a.n_lines;
  }
}

void tl_fft_stage_phase(const tl_fft_stage *s, tl_fft_lines *lines, const void *x, void *y,
                        size_t line, void *scratch, void *common, uint32_t phase, size_t part,
                        size_t n_parts) {
  tl_fft_lines_args a = args_of(s, x, y, line, line + 1, scratch);
  a.phase = phase, a.part = part, a.n_parts = n_parts, a.common = common;
  lines(&a);
}

// Forwards from the last dim to the first, inverse in the other order: the rows of IRFFT are whole
// only when the other dims are done.
tl_status tl_fft_stages_plan(tl_arena *a, const tl_op *op, tl_type in, tl_type out,
                             tl_fft_stages *out_stages) {
  const uint32_t rank = (uint32_t)tl_op_list(op, TL_A_FFT_fft_length).len;
  const tl_fft_type type = (tl_fft_type)tl_op_i64(op, TL_A_FFT_fft_type);
  const bool wide = tl_dtype_part(in.dtype) == TL_DTYPE_F64,
             inverse = type == TL_FFT_TYPE_IFFT || type == TL_FFT_TYPE_IRFFT,
             real = type == TL_FFT_TYPE_RFFT || type == TL_FFT_TYPE_IRFFT;
  const size_t in_last = (size_t)in.dims[in.rank - 1], out_last = (size_t)out.dims[out.rank - 1],
               columns = TL_MIN(in_last, out_last); // complex ones
  size_t n_in;
  if (!tl_type_count(in, &n_in) || n_in == 0)
    return TL_ERROR(INVALID_ARGUMENT, "fft: the shape is not concrete or too large");
  tl_fft_stages t = {.n = rank};
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t d = inverse ? i : rank - 1 - i, at = in.rank - rank + d;
    tl_fft_stage *s = &t.stage[i];
    const bool last = d == rank - 1;
    const size_t n = (size_t)TL_MAX(in.dims[at], out.dims[at]);
    *s = (tl_fft_stage){.type = last || !real ? type
                                : inverse     ? TL_FFT_TYPE_IFFT
                                              : TL_FFT_TYPE_FFT,
                        .from = i == 0                      ? TL_FFT_X
                                : type == TL_FFT_TYPE_IRFFT ? TL_FFT_BETWEEN
                                                            : TL_FFT_Y,
                        .to = type == TL_FFT_TYPE_IRFFT && !last ? TL_FFT_BETWEEN : TL_FFT_Y,
                        .after = 1,
                        .before = n_in / in_last,
                        .x_line = in_last,
                        .y_line = out_last};
    for (uint32_t k = d; k + 1 < rank; k++) {
      const uint32_t dim = in.rank - rank + k;
      s->before /= (size_t)in.dims[dim];
      if (k > d) s->after *= (size_t)in.dims[dim];
    }
    if (!last) s->after *= columns, s->x_line = s->y_line = n;
    for (uint32_t k = 0; k < i && s->plan == NULL && (!last || !real); k++)
      if (t.stage[k].plan->n == n && t.stage[k].type == s->type) s->plan = t.stage[k].plan;
    if (s->plan == NULL) s->plan = tl_fft_plan(a, n, wide, real && last);
    if (s->plan == NULL) return TL_OOM();
  }
  *out_stages = t;
  return TL_OK;
}

tl_status ref_eval_FFT(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *y = &c->out[0].t;
  tl_fft_stages t;
  size_t n_out, between;
  if (!tl_type_count(y->type, &n_out) || !tl_type_size(x->type, &between))
    return TL_ERROR(INVALID_ARGUMENT, "fft: the shape is not concrete or too large");
  if (n_out == 0) return TL_OK;
  TL_TRY(tl_fft_stages_plan(c->scratch, c->op, x->type, y->type, &t));
  void *array[] = {[TL_FFT_X] = x->data, [TL_FFT_Y] = y->data, [TL_FFT_BETWEEN] = NULL};
  for (uint32_t i = 0; i < t.n; i++) {
    const tl_fft_stage *s = &t.stage[i];
    if (s->to == TL_FFT_BETWEEN && array[s->to] == NULL &&
        (array[s->to] = tl_arena_alloc(c->scratch, between, 64)) == NULL)
      return TL_OOM();
    void *scratch = tl_arena_alloc(c->scratch, tl_fft_stage_scratch(s), 64);
    if (scratch == NULL) return TL_OOM();
    tl_fft_stage_run(s, NULL, array[s->from], array[s->to], 0, s->before * s->after, scratch);
  }
  return TL_OK;
}
