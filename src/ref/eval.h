// What the meanings of ops see of the interpreter: one function per op, all of one shape.
//
// `ref_eval_<id>` reads c->in and fills c->out, whose data is allocated already. It dispatches on
// the dtypes of the tensors, not of the op's values: at TL_REF_F64 every float tensor is f64,
// whatever the program says. Scratch comes from c->scratch and needs no release. An op may only
// assume what the verifier checks.
#ifndef TL_REF_EVAL_H
#define TL_REF_EVAL_H

#include "ref/ref.h"

// Bytes with a count of their owners: what lets a reshape, a loop or a cache update hand its
// operand on uncopied.
typedef struct tl_ref_buf {
  size_t refs;
  size_t size;
  _Alignas(16) unsigned char bytes[];
} tl_ref_buf;

typedef struct tl_ref_cell { // the present value of one SSA value
  tl_tensor t;
  tl_ref_buf *buf; // holds one reference; NULL when t.data is the caller's
} tl_ref_cell;

typedef struct tl_ref_machine tl_ref_machine; // run.c
typedef struct tl_ref_frame tl_ref_frame;     // the cells of one activation of a function
typedef struct tl_ref_step tl_ref_step;       // plan.h

typedef struct tl_ref_call {
  const tl_op *op;
  const tl_tensor *in; // [op->n_operands]
  tl_ref_cell *out;    // [op->n_results]; of RETURN [op->n_operands], without data
  tl_arena *scratch;
  tl_ref_mode mode;
  tl_ref_machine *machine;
  tl_ref_frame *frame;
  const tl_ref_step *step;
} tl_ref_call;

#define TL_OP(id, mnemonic, n_in, n_out, regions, traits, rule, syntax) \
  tl_status ref_eval_##id(tl_ref_call *c);
#include "ir/ops.def"
#undef TL_OP

// The dtype that a value of declared dtype `d` has while running.
static inline tl_dtype tl_ref_dtype(tl_ref_mode mode, tl_dtype d) {
  if (mode != TL_REF_F64) return d;
  tl_dtype_kind kind = tl_dtype_get(d)->kind;
  return kind == TL_KIND_FLOAT ? TL_DTYPE_F64 : kind == TL_KIND_COMPLEX ? TL_DTYPE_C128 : d;
}

// Makes result 0 begin as a copy of operand i, which has its type; where the operand dies here, its
// memory is taken.
void tl_ref_start_from(tl_ref_call *c, uint32_t i);

// Operand i as a cell of the caller's own, moved where it dies here.
tl_status tl_ref_take(tl_ref_call *c, uint32_t i, tl_ref_cell *out_cell);
// Result i becomes `cell`, which is consumed. Its shape must be the result's.
tl_status tl_ref_give(tl_ref_call *c, uint32_t i, tl_ref_cell cell);
void tl_ref_release(tl_ref_cell *cell); // zeroed cells are allowed; zeroes it
tl_status tl_ref_cell_make(tl_type type, tl_ref_cell *out_cell); // memory not initialised

// A scalar of dtype d with element `at` of t, converted.
tl_status tl_ref_cell_scalar(const tl_tensor *t, size_t at, tl_dtype d, tl_ref_cell *out_cell);

// Runs region `r` of c->op. `args` are consumed (and zeroed), also on failure; results [n_results]
// are the caller's.
tl_status tl_ref_run_region(tl_ref_call *c, uint32_t r, tl_ref_cell *args, uint32_t n_args,
                            tl_ref_cell *results, uint32_t n_results);
// Functions that stand for regions of one op: of those whose bit is set in `regions`, whose ops
// then only say the types. `args` are borrowed; results [n_results] are the caller's.
struct tl_ref_bodies {
  const tl_op *op;
  uint32_t regions;
  tl_status (*run)(void *self, uint32_t region, const tl_tensor *args, uint32_t n_args,
                   tl_ref_cell *results, uint32_t n_results);
  void *self;
};
// The same for a whole function.
tl_status tl_ref_run_func(tl_ref_call *c, const tl_func *fn, tl_ref_cell *args, uint32_t n_args,
                          tl_ref_cell *results, uint32_t n_results);

// Runs the decomposition of c->op, a named op, and gives its results. It is made once a machine.
tl_status tl_ref_run_decomposed(tl_ref_call *c);

// Where the program runs.
const tl_ref_context *tl_ref_context_of(const tl_ref_call *c);
// The key of the next draw of this execution's stream.
tl_key tl_ref_next_draw(const tl_ref_call *c);
// For a process of another grid, on any thread: a whole function, or (fn NULL) a region of c->op
// that uses nothing from around it. `args` are borrowed while it runs; results [n_results] are the
// caller's.
tl_status tl_ref_run_apart(const tl_ref_call *c, const tl_ref_context *context, const tl_func *fn,
                           uint32_t region, const tl_tensor *args, uint32_t n_args,
                           tl_ref_cell *results, uint32_t n_results);
// The static op that the shape operands of a dynamic one make of it, in scratch; of `in` they alone
// are read. dynamic.c.
tl_status tl_ref_fix_dynamic(tl_arena *scratch, const tl_op *op, const tl_tensor *in, tl_op *out);
// The rules of state slots (serving.c), broken ones refused by name.
tl_status tl_ref_check_conv_slots(tl_ref_call *c);
tl_status tl_ref_check_delta_slots(tl_ref_call *c);

// The shape of a region of two arguments, so that a reduction need not run it element by element.
typedef enum {
  TL_REGION_OP,     // returns op(argument 0, argument 1), elementwise: in either order where it
                    // commutes
  TL_REGION_SECOND, // returns argument 1
  TL_REGION_OTHER,
} tl_region_kind;
tl_region_kind tl_ref_region_kind(const tl_block *b, tl_opcode *out_op);

#endif
