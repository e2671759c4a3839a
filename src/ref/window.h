// Windows that move over a dilated and padded tensor: what reduce_window, select_and_scatter and
// convolution share.
#ifndef TL_REF_WINDOW_H
#define TL_REF_WINDOW_H

#include "ref/ref.h"

typedef struct tl_window {
  uint32_t rank;
  const int64_t *size;                           // [rank] of the operand
  const int64_t *window;                         // [rank]
  int64_t stride[TL_MAX_RANK], low[TL_MAX_RANK]; // padding in front, which may be negative
  int64_t size_dilation[TL_MAX_RANK], window_dilation[TL_MAX_RANK];
  int64_t step[TL_MAX_RANK]; // of the operand's elements in memory: row-major, or as set later
  bool reverse[TL_MAX_RANK]; // all false
} tl_window;

#define TL_WINDOW_PADDING SIZE_MAX

// Memory is gone while an op walks its window of `width` elements.
tl_status tl_window_oom(const tl_op *op, size_t width);
// Lists as the op has them: empty ones stand for ones, or for no padding.
tl_window tl_window_of(const int64_t *size, const int64_t *window, uint32_t rank, tl_i64s strides,
                       tl_i64s padding, tl_i64s size_dilation, tl_i64s window_dilation);
// For each element of the window at place `at` [rank], row-major, the operand's element, or
// TL_WINDOW_PADDING.
void tl_window_places(const tl_window *w, const int64_t *at, size_t *out_places);
// The next index, row-major; false (and zeros) behind the last.
bool tl_window_next(const int64_t *dims, uint32_t rank, int64_t *index);
// Elements of x at n places, `padding` (one element) where there is none, to dense `out`.
void tl_window_copy(const tl_tensor *x, const size_t *places, size_t n, const void *padding,
                    void *out);

#endif
