// What the builder and the verifier share of the tables: attribute defaults and type rules.
#ifndef TL_IR_OP_H
#define TL_IR_OP_H

#include "ir/ir.h"

// Every attribute of the op at its default, unset. [n_attrs] of the op's row.
void tl_attrs_default(tl_opcode code, tl_attr *attrs);

// The op's type rule (infer.c): checks operands, attributes and regions against the specification's
// constraints and gives the result types, inferred where operands decide them, else the declared
// ones, which are checked either way. `declared` is NULL when none were given. Outputs live in
// `arena`; the names of functions are looked up in `module`. An error is INVALID_ARGUMENT and ends
// in the broken constraint's label, e.g. "(dot_general_c10)".
//
// A callee that is not there, or not finished yet, is taken at its word (the declared types) unless
// `finished`: text may call what it defines later, and the verifier looks again.
tl_status tl_op_infer(tl_arena *arena, const tl_module *module, const tl_op *op,
                      const tl_type *declared, uint32_t n_declared, bool finished,
                      const tl_type **out_types, uint32_t *out_n);
// The same, with the types in room [n_room] where they are no more.
tl_status tl_op_infer_into(tl_arena *arena, const tl_module *module, const tl_op *op,
                           const tl_type *declared, uint32_t n_declared, bool finished,
                           tl_type *room, uint32_t n_room, const tl_type **out_types,
                           uint32_t *out_n);

#endif
