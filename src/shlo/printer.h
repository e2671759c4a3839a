// What the files of the printer share: its state, what every form is made of, and a function for
// each form. Private to src/shlo.
#ifndef TL_SHLO_PRINTER_H
#define TL_SHLO_PRINTER_H

#include "base/map.h"
#include "ir/op.h"
#include "ir/ptr_map.h"
#include "shlo/shlo.h"
#include "shlo/spell.h"

typedef struct printer {
  const tl_module *m;
  tl_shlo_print_options options;
  tl_buf *out;
  tl_status error;   // the first
  tl_ptr_map names;  // value -> number * 2 + scratch, where that is not its id; of the function
                     // being printed
  uint32_t base;     // columns in front of an op of a function's body
  const tl_func *fn; // being printed
  tl_module *bodies; // decompositions, in the order of printing
  tl_map body_of; // what an op asks of its decomposition (as text, in the arena of bodies) -> its
                  // tl_func
  uint32_t n_bodies[TL_OP_COUNT]; // numbers taken so far
} printer;

// --- what forms are made of (print.c) ---

void printer_put(printer *p, const char *text);
void printer_spaces(printer *p, uint32_t n);
void printer_value(printer *p, tl_value v); // %3
void printer_values(printer *p, const tl_value *values, uint32_t n);
void printer_type(printer *p, tl_type t);
void printer_types(printer *p, const tl_value *values, uint32_t n);
void printer_function_type(printer *p, const tl_op *op);          // (T, T) -> T
void printer_result_dims(printer *p, const tl_op *op, bool open); // the names of symbols among them
void printer_list(printer *p, const char *before, tl_i64s list);
void printer_block(printer *p, const tl_block *block, uint32_t indent);
void printer_block_args(printer *p, const tl_block *block); // %0: T, %1: T
bool printer_attr_is_default(const tl_op *op, tl_attr_id id);
// The op that a reduce applies, where its region is that op alone; or NULL.
const tl_op *printer_applied_op(const tl_op *reduce);

// --- forms: one function a value of the syntax column ---

typedef void (*put_fn)(printer *p, const tl_op *op, uint32_t indent);
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) \
  void print_##syntax(printer *p, const tl_op *op, uint32_t indent);
#include "ir/ops.def"
#undef TL_OP

#endif
