// Copying a box of elements between two strided places: what slices, transposes, broadcasts, pads
// and gathers share.
#ifndef TL_REF_STRIDED_H
#define TL_REF_STRIDED_H

#include "ref/ref.h"

typedef struct tl_strided {
  uint32_t rank;
  int64_t dims[TL_MAX_RANK];
  int64_t src[TL_MAX_RANK], dst[TL_MAX_RANK]; // strides in elements; 0 and negative ones are fine
} tl_strided;

// Row-major strides of a dense tensor. rank <= TL_MAX_RANK.
void tl_strides_of(tl_type t, int64_t out_strides[TL_MAX_RANK]);
// Elements of `size` bytes from src, which points at the box's first element, to dst. They do not
// overlap.
void tl_strided_copy(const tl_strided *s, size_t size, const void *src, void *dst);

// Offsets in elements of all index tuples over the dims `axes` (in that order, row-major). Memory
// in `arena`; NULL when it is gone or the count does not fit.
size_t *tl_strided_offsets(tl_arena *arena, tl_type t, const int64_t *axes, size_t n_axes,
                           size_t *out_count);

#endif
