#include "cpu/scatter_direct.h"

#include "cpu/simple.h"
#include "ref/elementary.h"

// A function for each op and type of simple.def. Of single elements that are not picked every place
// is written, those that are nowhere to a place of its own: there are few, and no branch. What is
// asked for ahead lies in a row of the result, which is anywhere; those of the updates follow one
// another.
enum { AHEAD = 8 };
#define APPLY(name, T, expr)                                                                 \
  static void name##_rows(const scatter_part *p) {                                           \
    T *to = p->out;                                                                          \
    const T *from = p->updates;                                                              \
    for (size_t i = 0; i < p->n; i++) {                                                      \
      const size_t number = p->picked ? p->picked[i] : i;                                    \
      const int64_t at = p->places[number];                                                  \
      if (i + AHEAD < p->n)                                                                  \
        __builtin_prefetch(to + p->places[p->picked ? p->picked[i + AHEAD] : i + AHEAD], 1); \
      if (at < 0) continue;                                                                  \
      const T *const row = from + number * p->run;                                           \
      const size_t first = TL_MAX((size_t)at, p->low),                                       \
                   last = TL_MIN((size_t)at + p->run, p->high);                              \
      for (size_t k = first; k < last; k++) {                                                \
        const T x = to[k], y = row[k - (size_t)at];                                          \
        to[k] = expr;                                                                        \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  static void name(const scatter_part *p) {                                                  \
    T *to = p->out, elsewhere = 0;                                                           \
    const T *from = p->updates;                                                              \
    if (p->run != 1) {                                                                       \
      name##_rows(p);                                                                        \
      return;                                                                                \
    }                                                                                        \
    for (size_t i = 0; p->picked && i < p->n; i++) {                                         \
      T *const here = to + p->places[p->picked[i]];                                          \
      const T x = *here, y = from[p->picked[i]];                                             \
      *here = expr;                                                                          \
    }                                                                                        \
    for (size_t i = 0; !p->picked && i < p->n; i++) {                                        \
      const size_t at = (size_t)p->places[i]; /* a place below 0 is far behind */            \
      T *const here = at < p->high ? to + at : &elsewhere;                                   \
      const T x = *here, y = from[i];                                                        \
      *here = expr;                                                                          \
    }                                                                                        \
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
