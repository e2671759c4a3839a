// The discrete Fourier transform: of one row of complex numbers of any length, and of a batch of
// boxes, which is what the op does.
#ifndef TL_REF_FFT_H
#define TL_REF_FFT_H

#include "ref/ref.h"
#include "ref/complex.h"

typedef struct tl_fft tl_fft; // what depends on the length alone; may be read by many threads

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
static inline size_t tl_fft_batch_scratch(const tl_fft_batch *t) { // elements
  return t->box + t->line + t->scratch;
}
// Boxes [from, to) of x into y.
void tl_fft_batch_run(const tl_fft_batch *t, const tl_tensor *x, const tl_tensor *y, size_t from,
                      size_t to, tl_c128 *scratch);

#endif
