// The discrete Fourier transform: of a line of numbers of any length, and of a batch of boxes,
// which is what the op does, as stages along one dim each.
#ifndef TL_REF_FFT_H
#define TL_REF_FFT_H

#include "ref/ref.h"
#include "ref/complex.h"

enum { TL_FFT_LARGEST_RADIX = 31, TL_FFT_MAX_PASSES = 64 };

// What depends on the length alone; may be read by many threads. Numbers are tl_c128 where `wide`,
// else tl_c64.
typedef struct tl_fft tl_fft;
struct tl_fft {
  size_t n;
  bool wide;
  size_t room;       // complex numbers that a line wants, its own and scratch
  const void *roots; // [n] W^k
  uint32_t n_passes;
  uint8_t radix[TL_FFT_MAX_PASSES];
  // Of a length that 64 divides, whose first passes are of radix 4: what they multiply by, side by
  // side: [2][3][n / 4], entry j of pass i and number r: W^(r q 4^i), q = j / 4^i.
  const void *early;
  // Bluestein: a transform of length m >= 2n - 1 carries the convolution.
  const tl_fft *inner; // NULL: passes
  const void *chirp;   // [n] e^(-pi i k^2 / n)
  const void *filter;  // [m] the transform of the chirp's conjugate, wrapped
  // Of real numbers of an even length: the transform of their pairs. roots: [n/2] W^k.
  const tl_fft *half;
};

// In the arena. NULL when memory is gone. n > 0. real: for RFFT and IRFFT.
const tl_fft *tl_fft_plan(tl_arena *a, size_t n, bool wide, bool real);
// Complex numbers of a line in memory, before and after a transform; where real numbers come singly
// (an odd length) as many of those.
static inline size_t tl_fft_entries(const tl_fft *f, tl_fft_type type, bool after) {
  const size_t n = f->n;
  if (type == TL_FFT_TYPE_FFT || type == TL_FFT_TYPE_IFFT) return n;
  if ((type == TL_FFT_TYPE_RFFT) == after) return n / 2 + 1;
  return f->half != NULL ? n / 2 : n;
}
// Whether a line's numbers are real and come singly.
static inline bool tl_fft_singly(const tl_fft *f, tl_fft_type type, bool after) {
  return f->half == NULL && type == (after ? TL_FFT_TYPE_IRFFT : TL_FFT_TYPE_RFFT);
}
// Lines of x into y, by the scalar code, or by the kernel fft_lines (any way but
// TL_FFT_SINGLY) with the same bits. X[k] = sum
// over j of x[j] e^(-2 pi i j k / n); IFFT and IRFFT: with +, and divided by n.
typedef struct tl_fft_lines_args {
  const tl_fft *plan;
  tl_fft_type type;
  // Number k of line i: x[i * line + k * step]. Steps other than 1 are for complex numbers. In
  // place where the strides are equal.
  const void *x;
  size_t x_line, x_step;
  void *y;
  size_t y_line, y_step;
  size_t n_lines;
  void *scratch; // tl_fft_lines_scratch(plan, ...) bytes, aligned to 64
  // 0: all of it. Else so many threads share one line along, in phases, and this is a thread's part
  // of one, which wants what all did in the phase before. They have `common` in common, as scratch.
  size_t n_parts, part;
  uint32_t phase;
  void *common;
} tl_fft_lines_args;
typedef void tl_fft_lines(const tl_fft_lines_args *a);
void tl_fft_lines_one(const tl_fft_lines_args *a); // one after the other

// How a plan's lines are best taken: a lane a line, several neighbours of a line at once, or one
// after the other.
typedef enum tl_fft_way { TL_FFT_LANES, TL_FFT_ALONG, TL_FFT_SINGLY } tl_fft_way;
enum { TL_FFT_LANES_SIZE = 128 }; // bytes of a complex number of each lane
// Whether the kernel takes neighbours of a line, and not lanes.
static inline bool tl_fft_along(const tl_fft *f, bool contiguous) {
  return contiguous && (f->half != NULL ? f->half : f)->early != NULL;
}
tl_fft_way tl_fft_way_of(const tl_fft *f, size_t n_lines, bool contiguous);
size_t tl_fft_lines_scratch(const tl_fft *f, size_t n_lines, bool contiguous);

// A long line goes in blocks, which fit a cache and which threads share. What the first passes make
// of every M-th number depends on those alone, M the length of a sub-transform that they leave, and
// it lies together afterwards; what the others make of numbers that lie S apart, S = n / M, depends
// on those alone. So a block is a range of remainders of M, and then one of S. (This is the
// four-step form, Van Loan 3.3, with the roots and so the bits of the passes.)
typedef struct tl_fft_blocks {
  uint32_t first;  // passes
  size_t m, s;     // M, S
  size_t n_blocks; // 0: the line is short, or its length has no such factors
} tl_fft_blocks;
// `lanes` neighbours stay in a register.
static inline tl_fft_blocks tl_fft_blocks_of(const tl_fft *f, size_t lanes) {
  enum { LONG = 16384, MOST = 16 };
  tl_fft_blocks b = {.s = 1};
  while (b.first < f->n_passes && b.s * b.s < f->n)
    b.s *= f->radix[b.first++];
  b.m = f->n / b.s;
  size_t n = f->early != NULL && f->n >= LONG ? MOST : 0;
  while (n > 1 && (b.m % (n * lanes) != 0 || b.s % (n * lanes) != 0))
    n /= 2;
  b.n_blocks = n > 1 ? n : 0;
  return b;
}
// What the kernel does after the other, with all parts of it between: the first passes; the others;
// along a line of real numbers their spectrum. 0: it cannot be shared.
uint32_t tl_fft_phases(const tl_fft *f, tl_fft_type type, tl_fft_way way);

// Sub-transforms of a pass: q = i apart + from + k, i < n, k < run, which lie together.
typedef struct tl_fft_range {
  size_t n, run, apart, from;
} tl_fft_range;

// One dim of an op: lines along it, `after` side by side, `before` times.
typedef enum tl_fft_array { TL_FFT_X, TL_FFT_BETWEEN, TL_FFT_Y } tl_fft_array;
typedef struct tl_fft_stage {
  const tl_fft *plan;
  tl_fft_type type;
  tl_fft_array from, to;
  size_t before, after, x_line, y_line; // lines of contiguous numbers where after is 1
} tl_fft_stage;
typedef struct tl_fft_stages {
  tl_fft_stage stage[3];
  uint32_t n;
} tl_fft_stages;
// Of operand and result types that the op's rule takes, with elements. What lies between is of the
// operand's type.
tl_status tl_fft_stages_plan(tl_arena *a, const tl_op *op, tl_type in, tl_type out,
                             tl_fft_stages *out_stages);
// Lines [from, to) of a stage; lines NULL: by the scalar code.
void tl_fft_stage_run(const tl_fft_stage *s, tl_fft_lines *lines, const void *x, void *y,
                      size_t from, size_t to, void *scratch);
// A part of a phase of one line.
void tl_fft_stage_phase(const tl_fft_stage *s, tl_fft_lines *lines, const void *x, void *y,
                        size_t line, void *scratch, void *common, uint32_t phase, size_t part,
                        size_t n_parts);
static inline tl_fft_way tl_fft_stage_way(const tl_fft_stage *s) {
  return tl_fft_way_of(s->plan, s->after == 1 ? s->before : s->after, s->after == 1);
}
static inline size_t tl_fft_stage_scratch(const tl_fft_stage *s) {
  return tl_fft_lines_scratch(s->plan, s->after == 1 ? s->before : s->after, s->after == 1);
}

#endif
