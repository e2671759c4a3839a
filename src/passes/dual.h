// Whether the collectives of a gradient are the duals of those of its function.
//
// A collective is linear in its operands, and the adjoint of each is a collective again:
//
//     all_gather along d            ⇄  reduce_scatter of add along d
//     all_reduce of add             ⇄  itself
//     all_to_all from d to e        ⇄  all_to_all from e to d
//     collective_permute            ⇄  collective_permute with its pairs turned round
//     collective_broadcast          ⇄  collective_reduce of add
//
// over the same groups, found in the same way (channel and use_global_device_ids). A gradient in
// which one is missing, is over other groups, or is there without need computes on each device
// something else than the derivative, and nothing else notices: shapes may still fit. Order does
// not matter; integers have no derivative.
#ifndef TL_PASSES_DUAL_H
#define TL_PASSES_DUAL_H

#include "ir/ir.h"

// `gradient` computes the adjoints of what `forward` computes; with `recomputes` it also runs the
// collectives of `forward` again. Calls are followed. Every mistake is reported at its op;
// INVALID_ARGUMENT then.
tl_status tl_check_dual(const tl_func *forward, const tl_func *gradient, bool recomputes,
                        tl_diags *diags);

#endif
