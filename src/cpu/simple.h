// Regions that are one op of both arguments, in their order.
#ifndef TL_CPU_SIMPLE_H
#define TL_CPU_SIMPLE_H

#include "ir/ir.h"

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
