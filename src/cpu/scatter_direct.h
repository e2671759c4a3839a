// Scatters whose region is one op: out[place + j] = op(out[place + j], update[j]), in order.
#ifndef TL_CPU_SCATTER_DIRECT_H
#define TL_CPU_SCATTER_DIRECT_H

#include "ir/ir.h"

// Of updates [..][run] the elements that fall in [low, high) of the result. A place below 0 is
// nowhere.
typedef struct scatter_part {
  void *out;
  const void *updates;
  const int64_t *places;
  const uint32_t *picked; // [n] the updates that reach there, in order; NULL: the first n, low is 0
  size_t n, run, low, high;
} scatter_part;
typedef void scatter_direct(const scatter_part *p);

// The function for a region (present, update) -> next over elements of d; NULL: it is no such
// region, or one of elements that only registers hold.
scatter_direct *scatter_direct_of(const tl_block *region, tl_dtype d);

#endif
