// The reference interpreter at f64, for run.c. In a file of its own.
#ifndef TL_PROGRAM_REF64_H
#define TL_PROGRAM_REF64_H

#include "ir/ir.h"

// Runs fn over inputs [n arguments], each of its type; fills outputs [n results] whose sizes [..]
// are checked. A result that is a float is f64.
tl_status tl_run_ref64(const tl_func *fn, const void *const *inputs, void *const *outputs,
                       const size_t *sizes);

#endif
