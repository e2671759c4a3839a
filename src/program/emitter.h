// Private to the printer of C: what its files share of a module that is being printed.
#ifndef TL_PROGRAM_EMITTER_H
#define TL_PROGRAM_EMITTER_H

#include "base/map.h"
#include "ir/ptr_map.h"
#include "program/emit_c.h"
#include "ref/host_form.h"

enum { TL_C_MAX_DEPTH = 100 }; // of regions and calls, against C's stack

typedef struct scope {  // the C function that is being printed
  const tl_block *body; // of a region printed as a function; NULL: a function of the module
  tl_ptr_map outer;     // value -> its number in outer[], plus one
  tl_value *captured;   // [n_captured]
  uint32_t n_captured;
  struct scope *up;
} scope;

typedef struct emitter {
  const tl_module *m;
  const char *prefix;
  tl_arena *scratch;
  tl_ptr_map wanted;  // const tl_func * -> 1
  tl_ptr_map c_names; // const tl_func * -> char *
  tl_map taken;       // C names
  tl_ptr_map names;   // value -> number * 2 + scratch; of the function being printed
  tl_ptr_map used;    // values that something reads
  const tl_func *fn;
  scope *scope;
  tl_buf *to, *before; // statements; the functions of regions
  size_t line;         // where the present one begins in `to`
  uint32_t depth, indent, n_bodies;
  tl_status error; // the first
} emitter;

void tl_c_fail(emitter *e, tl_status st); // consumes st
static inline void tl_c_put(emitter *e, const char *text) { tl_buf_cstr(e->to, text); }

// emit_c_names.c
// Numbers for the function's values, and which of them something reads.
void tl_c_name_func(emitter *e, const tl_func *fn);
// <prefix><name>, letters, digits and underscores only, a number behind where it is taken.
const char *tl_c_name(emitter *e, const tl_func *fn);
bool tl_c_is_used(const emitter *e, tl_value v);
bool tl_c_any_used(const emitter *e, const tl_op *op); // of its results
void tl_c_put_value(emitter *e, tl_value v);           // as C has it, in the present scope
void tl_c_put_values(emitter *e, const tl_value *values, uint32_t n);
void tl_c_put_array(emitter *e, const tl_value *values,
                    uint32_t n);                         // (const tlh_tensor[]){v1, v2}
void tl_c_put_results_name(emitter *e, const tl_op *op); // v5
void tl_c_put_declaration(emitter *e, const tl_op *op);  // tlh_tensor v5, tlh_tensor v5[2]
void tl_c_put_safe(emitter *e, tl_str text);             // what may stand in a comment
tl_str tl_c_callee(const tl_op *op);                     // of call and composite
// A statement: its indentation; its end with the comment that names the op.
void tl_c_begin_line(emitter *e);
void tl_c_end_line(emitter *e, const tl_op *op);
void tl_c_wrap_line(emitter *e);                 // a line that is too long goes on under itself
void tl_c_put_text(emitter *e, const tl_op *op); // "%5 = stablehlo.add %1, %2", and a line's end

// emit_c_call.c
void tl_c_put_type(emitter *e, tl_type t);
tl_status tl_c_refusal(const tl_op *op, const char *why); // UNIMPLEMENTED, with the op's place
// Whether region r is one op on two elements, as the interpreter too sees it: *out_op, RETURN for
// the second argument.
bool tl_c_region_is_op(const tl_op *op, uint32_t r, tl_opcode *out_op);
bool tl_c_region_is_hidden(const tl_op *op, uint32_t r); // nothing is printed of it
// A statement that is a call of <tlaloc/host.h>; and the call of an op without regions, an
// expression.
void tl_c_put_op_call(emitter *e, const tl_op *op, const tl_host_form *f);
void tl_c_put_plain_call(emitter *e, const tl_op *op, const tl_host_form *f);

// emit_c.c
void tl_c_put_block(emitter *e, const tl_block *b); // every op but the last, which is its reader's

#endif
