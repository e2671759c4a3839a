// Odometers over boxes. Products that would overflow belong to empty tensors; they wrap, unsigned,
// and nobody uses them.
#include "ref/strided.h"

#include <string.h>

static int64_t mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

void tl_strides_of(tl_type t, int64_t out_strides[TL_MAX_RANK]) {
  TL_ASSERT(t.rank <= TL_MAX_RANK);
  int64_t stride = 1;
  for (uint32_t i = t.rank; i-- > 0;) {
    out_strides[i] = stride;
    stride = mul(stride, t.dims[i]);
  }
}

// Without dims of 1, and neighbours that run on in both places as one.
static tl_strided simplify(const tl_strided *s) {
  tl_strided r = {0};
  for (uint32_t i = 0; i < s->rank; i++) {
    if (s->dims[i] == 1) continue;
    uint32_t last = r.rank - 1;
    if (r.rank > 0 && r.src[last] == s->src[i] * s->dims[i] &&
        r.dst[last] == s->dst[i] * s->dims[i]) {
      r.dims[last] *= s->dims[i];
      r.src[last] = s->src[i];
      r.dst[last] = s->dst[i];
    } else {
      r.dims[r.rank] = s->dims[i];
      r.src[r.rank] = s->src[i];
      r.dst[r.rank] = s->dst[i];
      r.rank++;
    }
  }
  return r;
}

static void copy_row(size_t n, size_t size, const unsigned char *src, int64_t src_step,
                     unsigned char *dst, int64_t dst_step) {
#define ROW(bytes)                                                   \
  case bytes:                                                        \
    for (size_t i = 0; i < n; i++, src += src_step, dst += dst_step) \
      memcpy(dst, src, bytes);                                       \
    break;
  switch (size) {
    ROW(1)
    ROW(2)
    ROW(4)
    ROW(8)
    ROW(16)
  }
#undef ROW
}

void tl_strided_copy(const tl_strided *s, size_t size, const void *src, void *dst) {
  for (uint32_t i = 0; i < s->rank; i++)
    if (s->dims[i] <= 0) return;
  tl_strided r = simplify(s);
  const unsigned char *from = src;
  unsigned char *to = dst;
  if (r.rank == 0) {
    memcpy(to, from, size);
    return;
  }
  uint32_t inner = r.rank - 1;
  bool dense = r.src[inner] == 1 && r.dst[inner] == 1;
  int64_t step = (int64_t)size, index[TL_MAX_RANK] = {0}, at_src = 0, at_dst = 0;
  for (;;) {
    if (dense)
      memcpy(to + at_dst * step, from + at_src * step, (size_t)r.dims[inner] * size);
    else
      copy_row((size_t)r.dims[inner], size, from + at_src * step, r.src[inner] * step,
               to + at_dst * step, r.dst[inner] * step);
    uint32_t d = inner;
    for (;;) { // the next index of the outer dims
      if (d == 0) return;
      d--;
      at_src += r.src[d];
      at_dst += r.dst[d];
      if (++index[d] < r.dims[d]) break;
      at_src -= r.src[d] * r.dims[d];
      at_dst -= r.dst[d] * r.dims[d];
      index[d] = 0;
    }
  }
}

size_t *tl_strided_offsets(tl_arena *arena, tl_type t, const int64_t *axes, size_t n_axes,
                           size_t *out_count) {
  int64_t strides[TL_MAX_RANK], index[TL_MAX_RANK] = {0};
  size_t count = 1;
  tl_strides_of(t, strides);
  for (size_t i = 0; i < n_axes; i++)
    if (t.dims[axes[i]] == 0) count = 0;
  for (size_t i = 0; i < n_axes; i++)
    if (!TL_MUL_OK(count, (size_t)t.dims[axes[i]], &count)) return NULL;
  size_t *offsets = TL_NEW(arena, size_t, count);
  if (offsets == NULL) return NULL;
  size_t at = 0;
  for (size_t k = 0; k < count; k++) {
    offsets[k] = at;
    for (size_t i = n_axes; i-- > 0;) {
      at += (size_t)strides[axes[i]];
      if (++index[i] < t.dims[axes[i]]) break;
      at -= (size_t)strides[axes[i]] * (size_t)t.dims[axes[i]];
      index[i] = 0;
    }
  }
  *out_count = count;
  return offsets;
}
