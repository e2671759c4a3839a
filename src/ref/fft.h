// The discrete Fourier transform of one row of complex numbers, of any length.
#ifndef TL_REF_FFT_H
#define TL_REF_FFT_H

#include "base/arena.h"
#include "ref/complex.h"

typedef struct tl_fft tl_fft; // what depends on the length alone; may be read by many threads

// In the arena. NULL when memory is gone. n > 0.
const tl_fft *tl_fft_plan(tl_arena *a, size_t n);
// Elements of scratch that tl_fft_run wants.
size_t tl_fft_scratch(const tl_fft *f);
// x [n] in place: X[k] = sum over j of x[j] e^(-2 pi i j k / n); `inverse`: with +, and divided by
// n.
void tl_fft_run(const tl_fft *f, bool inverse, tl_c128 *x, tl_c128 *scratch);

#endif
