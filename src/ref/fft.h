// The discrete Fourier transform: of one row of complex numbers of any length, and of a batch of
// boxes, which is what the op does.
#ifndef TL_REF_FFT_H
#define TL_REF_FFT_H

#include "ref/ref.h"
#include "ref/complex.h"

enum { TL_FFT_LARGEST_RADIX = 31, TL_FFT_MAX_PASSES = 64 };

// What depends on the length alone; may be read by many threads.
typedef struct tl_fft tl_fft;
struct tl_fft {
  size_t n;
  const tl_c128 *roots; // [n] W^k
  uint32_t n_passes;
  uint8_t radix[TL_FFT_MAX_PASSES];
  // Bluestein: a transform of length m >= 2n - 1 carries the convolution.
  const tl_fft *inner;   // NULL: passes
  const tl_c128 *chirp;  // [n] e^(-pi i k^2 / n)
  const tl_c128 *filter; // [m] the transform of the chirp's conjugate, wrapped
};

// In the arena. NULL when memory is gone. n > 0.
const tl_fft *tl_fft_plan(tl_arena *a, size_t n);
// Elements of scratch that tl_fft_run wants.
size_t tl_fft_scratch(const tl_fft *f);
// x [n] in place: X[k] = sum over j of x[j] e^(-2 pi i j k / n); `inverse`: with +, and divided by
// n.
void tl_fft_run(const tl_fft *f, bool inverse, tl_c128 *x, tl_c128 *scratch);

// The boxes of one op: the complex dims, of which the last is as long as the real one.
typedef struct tl_fft_batch {
  uint32_t rank;
  tl_fft_type type;
  size_t count;                             // boxes
  size_t dims[3], in_last, out_last, outer; // outer: the product of dims but the last
  const tl_fft *plans[3];
  size_t box, line, scratch; // elements
} tl_fft_batch;

// Of operand and result types that the op's rule takes, with elements.
tl_status tl_fft_batch_plan(tl_arena *a, const tl_op *op, tl_type in, tl_type out,
                            tl_fft_batch *out_batch);
// Boxes that run together: the most that one call of tl_fft_batch_run takes at once.
size_t tl_fft_batch_group(const tl_fft_batch *t);
size_t tl_fft_batch_scratch(const tl_fft_batch *t); // elements, aligned to 64 bytes for lanes

// Lines side by side, a lane each, with the bits of tl_fft_run.
enum { TL_FFT_LANES = 8 };
typedef struct tl_fft_lines_args {
  const tl_fft *plan;
  bool inverse;
  tl_c128 *x;        // number k of line i: x[i * line + k * step], in place
  size_t n_lines;    // 1 to TL_FFT_LANES
  size_t line, step; // elements
  void *scratch;     // TL_FFT_LANES * (n + tl_fft_scratch(plan)) elements, aligned to 64
} tl_fft_lines_args;
typedef void tl_fft_lines(const tl_fft_lines_args *a);

// Boxes [from, to) of x into y; lines NULL: one line after the other.
void tl_fft_batch_run(const tl_fft_batch *t, tl_fft_lines *lines, const tl_tensor *x,
                      const tl_tensor *y, size_t from, size_t to, tl_c128 *scratch);

#endif
