// The reference interpreter: slow, obvious, the meaning of every op, at f32 and at f64.
//
// At TL_REF_AS_TYPED each op computes in its own dtype, with the order of sums that
// docs/design/order-of-sums.md promises, so native code can be compared by bits. At TL_REF_F64
// every float tensor is held and computed in f64 (inputs widened, results f64), which shows how far
// rounding alone goes.
#ifndef TL_REF_REF_H
#define TL_REF_REF_H

#include "ir/ir.h"
#include "ref/grid.h"
#include "ref/threefry.h"

typedef enum { TL_REF_AS_TYPED, TL_REF_F64 } tl_ref_mode;

typedef struct tl_tensor { // row-major, dense
  tl_type type;            // dims borrowed from the module or the caller
  void *data;
} tl_tensor;

// Runs fn over inputs [n parameters] and fills outputs [n results]: data is allocated in `arena`;
// in F64 mode float outputs have dtype f64. Errors: operand mismatch (INVALID_ARGUMENT, naming the
// parameter), memory, a loop over `max_steps` ops (0 = no limit). Any thread; the module is only
// read.
tl_status tl_ref_run(const tl_func *fn, tl_ref_mode mode, const tl_tensor *inputs, size_t n_inputs,
                     tl_arena *arena, tl_tensor *out_outputs, size_t max_steps);

// The stream that rng draws from: draw n has the key that n gives folded into this one.
typedef struct tl_ref_draws {
  tl_key key;
  uint64_t n; // draws executed so far
} tl_ref_draws;

// What a program that runs knows besides its inputs.
typedef struct tl_ref_probes tl_ref_probes; // what interpreter.probe saw
typedef struct tl_ref_bodies tl_ref_bodies; // eval.h
typedef struct tl_ref_context {
  tl_place place;
  tl_ref_probes *probes;       // NULL: of this run alone
  const tl_ref_bodies *bodies; // NULL: every region runs as written
  tl_ref_draws *draws;         // NULL: of this run alone; one thread's
} tl_ref_context;
tl_status tl_ref_run_in(const tl_ref_context *context, const tl_func *fn, tl_ref_mode mode,
                        const tl_tensor *inputs, size_t n_inputs, tl_arena *arena,
                        tl_tensor *out_outputs, size_t max_steps);
tl_ref_probes *tl_ref_probes_create(void);    // NULL when memory is gone
void tl_ref_probes_destroy(tl_ref_probes *p); // NULL is allowed
size_t tl_ref_probes_count(tl_ref_probes *p, tl_str id); // how often that one was met

// One op without regions or callees, as typed, over caller's memory: outputs' data must hold the
// result's bytes. This is how the native backend runs an op that has no kernel. `scratch` is used
// and rewound. Named ops run their own meaning.
tl_status tl_ref_eval_op(const tl_op *op, const tl_tensor *inputs, tl_tensor *outputs,
                         tl_arena *scratch);
tl_status tl_ref_eval_op_in(const tl_ref_context *context, const tl_op *op, const tl_tensor *inputs,
                            tl_tensor *outputs, tl_arena *scratch);

#endif
