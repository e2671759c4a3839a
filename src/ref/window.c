// Windows that move over a dilated and padded tensor.
#include "ref/window.h"

#include <string.h>

tl_window tl_window_of(const int64_t *size, const int64_t *window, uint32_t rank, tl_i64s strides,
                       tl_i64s padding, tl_i64s size_dilation, tl_i64s window_dilation) {
  tl_window w = {.rank = rank, .size = size, .window = window};
  int64_t step = 1;
  for (uint32_t d = rank; d-- > 0;) {
    w.stride[d] = strides.len > 0 ? strides.ptr[d] : 1;
    w.low[d] = padding.len > 0 ? padding.ptr[2 * d] : 0;
    w.size_dilation[d] = size_dilation.len > 0 ? size_dilation.ptr[d] : 1;
    w.window_dilation[d] = window_dilation.len > 0 ? window_dilation.ptr[d] : 1;
    w.step[d] = step;
    step *= size[d];
  }
  return w;
}

tl_status tl_window_oom(const tl_op *op, size_t width) {
  return TL_ERROR(RESOURCE_EXHAUSTED, "%s: out of memory for a window of %zu elements",
                  tl_op_get(op->code)->mnemonic, width);
}

bool tl_window_next(const int64_t *dims, uint32_t rank, int64_t *index) {
  for (uint32_t d = rank; d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

void tl_window_places(const tl_window *w, const int64_t *at, size_t *out_places) {
  int64_t k[TL_MAX_RANK] = {0};
  for (uint32_t d = 0; d < w->rank; d++)
    if (w->window[d] == 0) return;
  do {
    int64_t place = 0;
    bool inside = true;
    for (uint32_t d = 0; d < w->rank && inside; d++) {
      int64_t e = w->reverse[d] ? w->window[d] - 1 - k[d] : k[d];
      int64_t padded; // may overflow where the padding in front cuts more off than there is
      bool fits = !__builtin_sub_overflow(at[d] * w->stride[d] + e * w->window_dilation[d],
                                          w->low[d], &padded);
      int64_t element = fits ? padded / w->size_dilation[d] : 0;
      inside = fits && padded >= 0 && padded % w->size_dilation[d] == 0 && element < w->size[d];
      place += element * w->step[d];
    }
    *out_places++ = inside ? (size_t)place : TL_WINDOW_PADDING;
  } while (tl_window_next(w->window, w->rank, k));
}

void tl_window_copy(const tl_tensor *x, const size_t *places, size_t n, const void *padding,
                    void *out) {
  const size_t size = tl_dtype_get(x->type.dtype)->size;
  for (size_t i = 0; i < n; i++)
    memcpy((unsigned char *)out + i * size,
           places[i] == TL_WINDOW_PADDING ? (const unsigned char *)padding
                                          : (const unsigned char *)x->data + places[i] * size,
           size);
}
