// A plain product for each arithmetic: what a machine gives, in this moment, to a loop that reads
// weights, rows and caches as our kernels do and was never tuned. A kernel beside it moves when the
// kernel changes; clocks, caches that others fill and memory that others read move both.
#ifndef TL_BENCH_PLAIN_H
#define TL_BENCH_PLAIN_H

#include "machine.h"

// y [T, R] = x [T, K] times the transpose of w [R, K]. The bytes of w and x are taken as they come:
// two of w a weight (one where codes are multiplied), and of x four an element of f32, two of bf16,
// one of a code. T is a multiple of 8 up to 512, R
// of 32, K of 192.
typedef struct plain_args {
  const void *w, *x;
  float *y;
  size_t T, R, K;
} plain_args;

// For tl_pool_run, over plain_args; NULL where there is none (AMX), and the peak loop must do.
tl_pool_fn plain_product(peak_id arithmetic);

#endif
