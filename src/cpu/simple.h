// Regions that are one op of both arguments, in their order.
#ifndef TL_CPU_SIMPLE_H
#define TL_CPU_SIMPLE_H

#include "ir/ir.h"
#include "ref/elementary.h"

// Of maxima one after the other, where each waits for the one before, the one instruction that the
// processor has must be all that is in the way; NaN and equal numbers are seldom met.
#define SIMPLE_EXTREME(T, s, name, how)                        \
  static inline T simple_##name##_##s(T a, T b) {              \
    if (__builtin_islessgreater(a, b)) return a how b ? a : b; \
    return tl_##name##_##s(a, b);                              \
  }
SIMPLE_EXTREME(float, f32, max, >)
SIMPLE_EXTREME(float, f32, min, <)
SIMPLE_EXTREME(double, f64, max, >)
SIMPLE_EXTREME(double, f64, min, <)
#undef SIMPLE_EXTREME

static inline bool simple_region(const tl_block *region, tl_opcode *out) {
  const tl_op *op = region->first, *end = region->last;
  if (region->n_args != 2 || op == end || op->next != end || op->n_results != 1 ||
      op->n_operands != 2 || end->operands[0] != op->results[0] ||
      op->operands[0] != region->args[0] || op->operands[1] != region->args[1])
    return false;
  *out = op->code;
  return true;
}

#endif
