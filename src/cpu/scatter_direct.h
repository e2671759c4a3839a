// Scatters whose region is one op: out[place + j] = op(out[place + j], update[j]), in order.
#ifndef TL_CPU_SCATTER_DIRECT_H
#define TL_CPU_SCATTER_DIRECT_H

#include "ir/ir.h"

// Of updates [n_places][run], the elements that fall in [low, high) of the result. A place below 0
// is nowhere.
typedef void scatter_direct(void *out, const void *updates, const int64_t *places, size_t n_places,
                            size_t run, size_t low, size_t high);

// The function for a region (present, update) -> next over elements of d; NULL: it is no such
// region, or one of elements that only registers hold.
scatter_direct *scatter_direct_of(const tl_block *region, tl_dtype d);

#endif
