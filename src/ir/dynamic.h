// Ops whose shapes are operands: what the static op is once those operands are numbers.
//
//     %r = dynamic_pad %x, %v, %low, %high, %interior   with   low = [1], high = [0], interior =
//     [0] %r = pad %x, %v, low = [1], high = [0], interior = [0]
//
// One table of which operand becomes which attribute. The interpreter, the pass that puts sizes in
// and the one that folds constants all make the static op here and let its own type rule and its
// own meaning speak, so that a dynamic op cannot differ from it.
#ifndef TL_IR_DYNAMIC_H
#define TL_IR_DYNAMIC_H

#include "ir/op.h"

// Whether the op's shape comes from operands, and which of them: n of them from `first` on.
bool tl_dynamic_shapes(tl_opcode code, uint32_t *out_first, uint32_t *out_n);

// The static op of `op`, its shape operands being `values` [n], each as integers in row-major
// order; and its result type. *out is not in a block; its operands are the first of op's, as are
// its results. Everything lives in `arena`. INVALID_ARGUMENT, naming the op, where a value is no
// shape, breaks a constraint of the static op, or gives another shape than the dims of the op's
// result that are numbers.
tl_status tl_dynamic_fix(tl_arena *arena, const tl_op *op, const tl_i64s *values, tl_op *out,
                         tl_type *out_type);

// Integers of any width, in row-major order, as int64_t; false for another dtype and for what does
// not fit.
bool tl_dynamic_ints(tl_dtype dtype, const void *data, size_t n, int64_t *out);

// The attribute of the op's row by its name; false when it has none such.
bool tl_op_attr_named(tl_opcode code, const char *name, tl_attr_id *out);

#endif
