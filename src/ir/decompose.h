// Named ops into core ops: each op of the TL_NAMED rows has one decomposition here, and only one.
//
// The same code serves every reader: the interpreter evaluates ops that have no meaning of their
// own through it, `--inline` splices it in place, printing puts it beside the module as the
// composite's decomposition function, and the reader compares what arrived with what it would
// generate itself.
#ifndef TL_IR_DECOMPOSE_H
#define TL_IR_DECOMPOSE_H

#include "ir/build.h"

// Emits the decomposition of `op` (a named op) at the builder, reading `operands` in place of the
// op's own, and fills out_values [op->n_results]. False: it failed, and the error is in the
// builder. Locations are the builder's.
bool tl_decompose_op(tl_builder *b, const tl_op *op, const tl_value *operands,
                     tl_value *out_values);

// A private function with that body in module m: parameters and results typed as the op's operands
// and results. `name` is the function's name.
tl_status tl_decompose_func(tl_module *m, const tl_op *op, const char *name, tl_func **out_func);

#endif
