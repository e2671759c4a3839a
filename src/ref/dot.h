// Dots of one vector with 16 columns, of any element type: what dot_general and convolution share.
#ifndef TL_REF_DOT_H
#define TL_REF_DOT_H

#include "ref/lanes.h"

#define TL_DOT_TILE 16

// Elements of t at places[0] + base, places[1] + base, ... in steps of `step` elements of 4 (f32)
// or 8 bytes.
void tl_dot_load(tl_lanes_kind kind, const tl_tensor *t, const size_t *places, size_t n,
                 size_t base, void *out, size_t step);
// out[j] = the sum over i < k of x[i] * w[i, j], in the order of sums.h; integers wrap.
void tl_dot16(tl_lanes_kind kind, const void *x, const void *w, size_t k, tl_lanes *out);

#endif
