// The orders of sums, which are part of what an op means: the native kernels give the same bits.
//
//   dot    total = +0; per block of 64: acc = +0, acc = fma(x, w, acc) ascending; total += acc
//   sum    16 lanes from +0; lane i adds elements i, i+16, ...;
//          then lane[i] += lane[i+8], [i+4], [i+2], [i+1]
//
// A sum of more than 65,536 terms (reduce, softmax) is the start plus such a sum of each block, in
// order, so that blocks may be summed at once by several threads. One of the reduced dims is cut,
// so that a block is a box; the dims inside of it are whole, those outside are blocks too.
#ifndef TL_REF_SUMS_H
#define TL_REF_SUMS_H

#include "base/base.h"

#define TL_DOT_BLOCK 64
#define TL_SUM_LANES 16
#define TL_SUM_BLOCK 65536

float tl_ref_dot_f32(const float *x, const float *w, size_t n);
double tl_ref_dot_f64(const double *x, const double *w, size_t n);
// Sixteen dots at once: out[j] = dot over k of x[k] and w[k][j].
void tl_ref_dot16_f32(const float *x, const float *w, size_t k, float *out);
void tl_ref_dot16_f64(const double *x, const double *w, size_t k, double *out);
// acc[i] = fma(p, v[i], acc[i])
void tl_ref_axpy_f32(float *acc, float p, const float *v, size_t n);
void tl_ref_axpy_f64(double *acc, double p, const double *v, size_t n);

typedef struct tl_sum_cut {
  uint32_t dim; // of the reduced ones, outermost first
  int64_t step; // of its indices a block has as many, the last may have fewer
} tl_sum_cut;
// Whether a fold over dims of these extents has more than one block of up to `block` terms, which
// is TL_SUM_BLOCK for a sum. False where there is no term.
bool tl_sum_cut_of(const int64_t *extent, uint32_t rank, int64_t block, tl_sum_cut *out);

// A sum in pieces: begin, add runs in order (every run but the last a multiple of 16 long), end.
typedef struct tl_sum_f32 {
  float lane[TL_SUM_LANES];
} tl_sum_f32;
typedef struct tl_sum_f64 {
  double lane[TL_SUM_LANES];
} tl_sum_f64;
void tl_sum_f32_add(tl_sum_f32 *s, const float *x, size_t n);
float tl_sum_f32_end(tl_sum_f32 *s);
void tl_sum_f64_add(tl_sum_f64 *s, const double *x, size_t n);
double tl_sum_f64_end(tl_sum_f64 *s);

#endif
