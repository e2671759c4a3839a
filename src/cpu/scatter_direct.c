#include "cpu/scatter_direct.h"

#include "ref/elementary.h"

// A function for each op and type: the scalar operations are those of the interpreter, integers
// wrap around.
#define APPLY(name, T, expr)                                                               \
  static void name(void *out, const void *updates, const int64_t *places, size_t n_places, \
                   size_t run, size_t low, size_t high) {                                  \
    T *to = out;                                                                           \
    const T *from = updates;                                                               \
    for (size_t i = 0; i < n_places; i++, from += run) {                                   \
      const int64_t at = places[i];                                                        \
      if (at < 0 || (size_t)at >= high || (size_t)at + run <= low) continue;               \
      const size_t first = TL_MAX((size_t)at, low), last = TL_MIN((size_t)at + run, high); \
      for (size_t k = first; k < last; k++) {                                              \
        const T x = to[k], y = from[k - (size_t)at];                                       \
        to[k] = expr;                                                                      \
      }                                                                                    \
    }                                                                                      \
  }

#define FLOATS(T, s)                      \
  APPLY(add_##s, T, x + y)                \
  APPLY(multiply_##s, T, x *y)            \
  APPLY(maximum_##s, T, tl_max_##s(x, y)) \
  APPLY(minimum_##s, T, tl_min_##s(x, y))
#define INTEGERS(U, S, u, s)          \
  APPLY(add_##u, U, x + y)            \
  APPLY(multiply_##u, U, x *y)        \
  APPLY(maximum_##u, U, TL_MAX(x, y)) \
  APPLY(minimum_##u, U, TL_MIN(x, y)) \
  APPLY(maximum_##s, S, TL_MAX(x, y)) \
  APPLY(minimum_##s, S, TL_MIN(x, y))
FLOATS(float, f32)
FLOATS(double, f64)
INTEGERS(uint32_t, int32_t, u32, s32)
INTEGERS(uint64_t, int64_t, u64, s64)
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
  if (op->next != end || op->n_results != 1 || end->operands[0] != op->results[0] ||
      op->n_operands != 2 || op->operands[0] != region->args[0] ||
      op->operands[1] != region->args[1])
    return NULL;
#define ROW(D, add, multiply, maximum, minimum)    \
  case TL_DTYPE_##D:                               \
    return op->code == TL_OP_ADD        ? add      \
           : op->code == TL_OP_MULTIPLY ? multiply \
           : op->code == TL_OP_MAXIMUM  ? maximum  \
           : op->code == TL_OP_MINIMUM  ? minimum  \
                                        : NULL;
  switch (d) {
    ROW(F32, add_f32, multiply_f32, maximum_f32, minimum_f32)
    ROW(F64, add_f64, multiply_f64, maximum_f64, minimum_f64)
    ROW(U32, add_u32, multiply_u32, maximum_u32, minimum_u32)
    ROW(S32, add_u32, multiply_u32, maximum_s32, minimum_s32)
    ROW(U64, add_u64, multiply_u64, maximum_u64, minimum_u64)
    ROW(S64, add_u64, multiply_u64, maximum_s64, minimum_s64)
  default:
    return NULL;
  }
#undef ROW
}
