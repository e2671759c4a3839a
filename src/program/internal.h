// Private to src/program: what a trace holds, and what every traced call does.
//
// A call begins with tl_trace_at, which says whether there is still anything to do: the place of
// the call becomes the builder's, operands are looked over, and a trace that has failed, or an
// operand that is NULL because of that, ends it there. It ends with tl_made, which turns what the
// builder refused into the trace's error.
#ifndef TL_PROGRAM_INTERNAL_H
#define TL_PROGRAM_INTERNAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <tlaloc/program.h>

#include "ir/build.h"
#include "ir/diags.h"
#include "ir/dim.h"

typedef const char *const *tl_axis_names; // [rank], NULL where an axis has none; NULL: none has

struct tl_expr_node {
  tl_trace *t;
  tl_value v;
  tl_axis_names names;
};

struct tl_trace {
  tl_module *m;
  tl_str name;
  tl_builder top;  // of the function that is written
  tl_builder *b;   // where ops go now: top, or a region's, or that of a function inside
  tl_status error; // the first
  tl_expr *inputs; // in the module's arena
  uint32_t n_inputs;
  uint32_t n_funcs;            // private ones made so far, for their names
  struct tl_called *called;    // programs whose functions are here (call.c)
  const char *file, *own_file; // the last file of a place, and its copy
};

// ---- what every call does (trace.c) ----

// The trace that these operands belong to, ready to write at that place; NULL where there is
// nothing to do. A NULL among the operands is an error unless one was reported.
tl_trace *tl_trace_at(tl_here at, const char *what, const tl_expr *operands, uint32_t n);
bool tl_trace_ready(tl_here at, tl_trace *t); // the same of a call without operands
void tl_fail(tl_trace *t, tl_diag_id id, const char *fmt, ...) TL_PRINTF(3, 4);
void tl_fail_oom(tl_trace *t);
// An expression of the value; NULL, and the trace's error, where the builder has failed.
tl_expr tl_made(tl_trace *t, tl_value v, tl_axis_names names);
bool tl_settle(tl_trace *t); // takes over the builder's error; false when there was one, or is
// axis from 0, where it is one of x's (or, with `more`, of rank + more).
bool tl_axis_of(tl_trace *t, const char *what, tl_expr x, int64_t axis, uint32_t more,
                uint32_t *out);
const char **tl_names_new(tl_trace *t, uint32_t rank); // all NULL; NULL and an error: no memory
// The names at these places of x's, NULL where x has none.
tl_axis_names tl_names_pick(tl_trace *t, tl_expr x, const uint32_t *from, uint32_t rank);
tl_axis_names tl_names_without(tl_trace *t, tl_expr x, const bool *gone); // [rank]
static inline uint32_t tl_rank_of(tl_expr x) { return x->v->type.rank; }
static inline const char *tl_name_of(tl_expr x, uint32_t i) {
  return x->names == NULL ? NULL : x->names[i];
}

// A type as a call's text and arguments give it; false, and the trace's error, where it is none.
bool tl_type_of_format(tl_trace *t, bool symbols, const char *fmt, va_list args, tl_type *out,
                       tl_axis_names *out_names) TL_PRINTF(3, 0);
// Of a function whose last parameters are `type, ...`.
#define TL_TYPE_OF_FORMAT(t, symbols, type, good, out, out_names)                  \
  do {                                                                             \
    va_list args_;                                                                 \
    va_start(args_, type);                                                         \
    (good) = tl_type_of_format((t), (symbols), (type), args_, (out), (out_names)); \
    va_end(args_);                                                                 \
  } while (0)

// ---- types as text (type_text.c) ----

// "f32[batch: n, 64]". Names and dims lie in the module's arena. False, with what is wrong in
// `why`.
bool tl_type_of_text(tl_module *m, tl_str text, bool symbols, tl_type *out,
                     tl_axis_names *out_names, tl_diag_id *out_id, tl_buf *why);
void tl_type_to_text(tl_buf *out, const tl_module *m, tl_type t, tl_axis_names names);
bool tl_dtype_of_text(tl_str text, tl_dtype *out);
// A list of names, "batch, hidden"; an empty one is NULL. [*out_n] in the arena.
bool tl_names_of_text(tl_module *m, tl_str text, tl_axis_names *out, uint32_t *out_n, tl_buf *why);

// ---- operands that meet (elementwise.c) ----

// One element type, one shape. values [n] are those operands, repeated where they must be;
// *out_names what their names make together. operands[skip] keeps its own element type (n: none
// does).
bool tl_unify(tl_trace *t, const char *what, uint32_t n, const tl_arg *operands, uint32_t skip,
              tl_value *values, tl_axis_names *out_names);
tl_value tl_number(tl_trace *t, const char *what, tl_arg number, tl_type type); // everywhere
tl_value tl_widen(tl_trace *t, tl_value v, tl_type to); // as NumPy aligns; `to` fits

void tl_called_destroy(struct tl_called *list); // call.c

// ---- programs (program.c) ----

// Whether diags say more of a failure than its status does: not where memory was gone.
static inline bool tl_is_said(tl_status st, const tl_diags *diags) {
  return st != TL_OK && tl_status_get_code(st) != TL_STATUS_RESOURCE_EXHAUSTED &&
         diags->n_errors != 0;
}

typedef struct tl_compiled tl_compiled; // run.c

struct tl_program {
  atomic_size_t refs;
  tl_module *m;                        // verified; immutable
  tl_func *fn;                         // @main, its one public function: what devices run
  tl_str name;                         // what the user calls it; the module's too
  tl_axis_names *in_names, *out_names; // [n], in the module's arena
  const char **in_types, **out_types;  // as text
  pthread_mutex_t lock;                // of what follows
  tl_compiled *compiled;
};

// Takes the module, also on failure; fn is its @main. in_names [n_args] and out_names [n_results]
// lie in its arena, or are NULL.
tl_status tl_program_of_module(tl_module *m, tl_func *fn, tl_str name,
                               const tl_axis_names *in_names, const tl_axis_names *out_names,
                               tl_program **out);
// The names of p's axes for another module.
tl_status tl_program_names_copied(const tl_program *p, tl_module *to, tl_axis_names **out_in,
                                  tl_axis_names **out_out);
// What a transform of p says: it is as it is where it is named already, at the place of an op; what
// is said about the request as a whole gets a name and the place of the call.
tl_status tl_program_placed(const tl_program *p, tl_here at, tl_status st);
void tl_compiled_destroy(tl_compiled *list);

#endif
