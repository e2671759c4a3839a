// Windows that move over a dilated and padded operand, as affine maps. Private to src/cpu.
#ifndef TL_CPU_WINDOW_H
#define TL_CPU_WINDOW_H

#include "cpu/nest.h"

typedef struct window {
  uint32_t rank;
  int64_t size[TL_MAX_RANK], out[TL_MAX_RANK]; // operand, places
  int64_t window[TL_MAX_RANK], stride[TL_MAX_RANK], low[TL_MAX_RANK];
  int64_t size_dilation[TL_MAX_RANK], window_dilation[TL_MAX_RANK];
} window;

typedef enum { WINDOW_ELEMENTS, WINDOW_NUMBERS } window_content; // NUMBERS: row-major ones, s64

// The extents that the windows reach; false when they do not fit in a number, or there are none.
bool window_reach(const window *w, int64_t extent[TL_MAX_RANK]);
// Of an operand as it lies the windows reach nothing else.
bool window_needs_no_padding(const window *w, const int64_t *extent);
// v (or its elements' numbers) with padding, in fresh memory of type *out_type, elements of dtype
// `as`. dims [w->rank] says which dim of v each dim of w is; other dims are whole. fill: the
// element between, of rank 0 and v's dtype; NULL: 0 for elements, -1 for numbers.
bool window_padded(planner *p, const tl_op *op, tl_value v, window_content what, tl_dtype as,
                   const window *w, const int64_t *extent, const uint32_t *dims, tl_value fill,
                   tl_type *out_type, plan_view *out);

#endif
