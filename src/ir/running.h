// Windows that are all the elements up to a place, or all from it on: a running reduction (cumsum).
#ifndef TL_IR_RUNNING_H
#define TL_IR_RUNNING_H

#include "ir/ir.h"

// Whether a reduce_window is one, along which dim, and from which end. The results of one along a
// dim are each other's continuations: y[i] = f(y[i-1], x[i]), where f(init, init) is init. So that
// this holds from the other end as well, its windows are folded from the last element to the first
// (docs/design/order-of-sums.md).
bool tl_running_window(const tl_op *op, uint32_t *out_dim, bool *out_from_end);

#endif
