#include "cpu/scatter_direct.h"

#include "cpu/simple.h"
#include "ref/elementary.h"

// A function for each op and type of simple.def. Of single elements every place is written, those
// of other threads and nowhere to a place of their own: a branch would be as good as random.
#define APPLY(name, T, expr)                                                               \
  static void name(void *out, const void *updates, const int64_t *places, size_t n_places, \
                   size_t run, size_t low, size_t high) {                                  \
    T *to = out, elsewhere = 0;                                                            \
    const T *from = updates;                                                               \
    for (size_t i = 0; run == 1 && i < n_places; i++) {                                    \
      const size_t at = (size_t)places[i] - low; /* a place below 0 is far behind */       \
      T *const here = at < high - low ? to + low + at : &elsewhere;                        \
      const T x = *here, y = from[i];                                                      \
      *here = expr;                                                                        \
    }                                                                                      \
    for (size_t i = 0; run != 1 && i < n_places; i++, from += run) {                       \
      const int64_t at = places[i];                                                        \
      if (at < 0 || (size_t)at >= high || (size_t)at + run <= low) continue;               \
      const size_t first = TL_MAX((size_t)at, low), last = TL_MIN((size_t)at + run, high); \
      for (size_t k = first; k < last; k++) {                                              \
        const T x = to[k], y = from[k - (size_t)at];                                       \
        to[k] = expr;                                                                      \
      }                                                                                    \
    }                                                                                      \
  }

#define TL_SIMPLE(op, d, T, expr) APPLY(op##_##d, T, expr)
#include "cpu/simple.def"
#define COPY(T, bits) APPLY(copy_##bits, T, ((void)x, y))
COPY(uint8_t, 8)
COPY(uint16_t, 16)
COPY(uint32_t, 32)
COPY(uint64_t, 64)

static scatter_direct *copy_of(tl_dtype d) {
  switch (tl_dtype_get(d)->size) {
  case 1:
    return copy_8;
  case 2:
    return copy_16;
  case 4:
    return copy_32;
  case 8:
    return copy_64;
  default:
    return NULL;
  }
}

scatter_direct *scatter_direct_of(const tl_block *region, tl_dtype d) {
  const tl_op *op = region->first, *end = region->last;
  if (region->n_args != 2) return NULL;
  if (op == end) return op->operands[0] == region->args[1] ? copy_of(d) : NULL;
  tl_opcode code;
  if (!simple_region(region, &code)) return NULL;
#define TL_SIMPLE(op, dtype, T, expr) \
  if (code == TL_OP_##op && d == TL_DTYPE_##dtype) return op##_##dtype;
#include "cpu/simple.def"
  return NULL;
}
