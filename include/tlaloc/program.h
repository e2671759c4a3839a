// Programs: tensor functions that can be run on any device, printed, and read back.
//
// A program comes from a trace (tlaloc/trace.h) or from StableHLO text. It never changes, so any
// number of threads may use one at the same time, for everything here. It is counted: who gets one
// releases it.
#ifndef TLALOC_PROGRAM_H
#define TLALOC_PROGRAM_H

#include "tlaloc/control.h"
#include "tlaloc/matrix.h"
#include "tlaloc/trace.h"

TL_API tl_program *tl_program_retain(tl_program *p);
TL_API void tl_program_release(tl_program *p); // NULL is allowed

// StableHLO text, of which @entry (NULL: main, or the only public function) becomes the program.
// The text may come from any producer. Every mistake in it is in the status's message with line and
// column.
TL_API tl_status tl_program_read(const char *text, size_t len, const char *entry,
                                 tl_program **out_program) __attribute__((warn_unused_result));
// Its StableHLO text, terminated; the caller frees it with free(). NULL when memory is gone.
TL_API char *tl_program_print(const tl_program *p);

TL_API const char *tl_program_name(const tl_program *p); // as long as the program, here and below
TL_API uint32_t tl_program_n_inputs(const tl_program *p);
TL_API uint32_t tl_program_n_outputs(const tl_program *p);
// "f32[batch: n, 64]"; NULL past the end.
TL_API const char *tl_program_input_type(const tl_program *p, uint32_t i);
TL_API const char *tl_program_output_type(const tl_program *p, uint32_t i);

// In a trace: the program's function, or what a transform made of it, called on tensors of the
// trace. in [n_in] have the types of its inputs (and sizes for the names among those); out [n_out]
// its results.
#define tl_call(...) tl_call_at(TL_HERE, __VA_ARGS__)
TL_API void tl_call_at(tl_here at, const tl_program *p, const tl_expr *in, uint32_t n_in,
                       tl_expr *out, uint32_t n_out);

// The same with derivatives of its own, either of which may be NULL. vjp: (cotangents of p's
// outputs, p's inputs) -> cotangents of the inputs; jvp: (inputs, tangents) -> tangents of the
// outputs. Reverse mode without a vjp transposes the jvp; forward mode without a jvp is refused.
#define tl_call_custom(...) tl_call_custom_at(TL_HERE, __VA_ARGS__)
TL_API void tl_call_custom_at(tl_here at, const tl_program *p, const tl_program *vjp,
                              const tl_program *jvp, const tl_expr *in, uint32_t n_in, tl_expr *out,
                              uint32_t n_out);
// The same, computed again in reverse mode in place of being kept. policy: "nothing" but the inputs
// is kept (NULL: this one), "dots" (the products are), or "everything".
#define tl_call_checkpoint(...) tl_call_checkpoint_at(TL_HERE, __VA_ARGS__)
TL_API void tl_call_checkpoint_at(tl_here at, const tl_program *p, const char *policy,
                                  const tl_expr *in, uint32_t n_in, tl_expr *out, uint32_t n_out);

// ---- running ---------------------------------------------------------------------------------

// An array of the caller's: row-major, dense, elements as C has them (f16 and bf16 as two bytes, i1
// as a byte 0 or 1, everything smaller in a byte of its own, complex numbers as pairs).
typedef struct tl_array {
  void *data;  // an input is only read
  size_t size; // bytes; must be what the type takes
  // Of inputs whose sizes have names these say the sizes; elsewhere they may be left out, and are
  // checked where they are given.
  const int64_t *dims; // [rank], or NULL
  uint32_t rank;
  const char *dtype; // "f32", or NULL
} tl_array;
// Of a C array of any rank (not of a pointer): TL_ARRAY(w).
#define TL_ARRAY(a) {.data = (void *)(a), .size = sizeof(a)}

typedef struct tl_run_options {
  // NULL or "native": this library's CPU backend. "ref": the reference interpreter. "ref64": the
  // same with every float computed as f64; results that are floats are then f64. Else the path of a
  // PJRT plugin. A device is opened at its first use and stays open.
  const char *device;
} tl_run_options;

// Runs: inputs [n_inputs] in, outputs [n_outputs] filled. The first run on a device, and with named
// sizes the first of each shape, compiles. On failure the outputs hold anything.
TL_API tl_status tl_program_run(tl_program *p, const tl_array *inputs, uint32_t n_inputs,
                                const tl_array *outputs, uint32_t n_outputs)
    __attribute__((warn_unused_result));
TL_API tl_status tl_program_run_on(tl_program *p, const tl_run_options *options,
                                   const tl_array *inputs, uint32_t n_inputs,
                                   const tl_array *outputs, uint32_t n_outputs)
    __attribute__((warn_unused_result));

// With numbers for names of sizes: names [n], sizes [n]; all of the program's must be there. The
// new program is the caller's.
TL_API tl_status tl_program_specialise(const tl_program *p, const char *const *names,
                                       const int64_t *sizes, uint32_t n, tl_program **out_program)
    __attribute__((warn_unused_result));
// Bytes of output i; 0 where its sizes have names (specialise first).
TL_API size_t tl_program_output_size(const tl_program *p, uint32_t i);
TL_API size_t tl_program_input_size(const tl_program *p, uint32_t i);

// ---- transforms ------------------------------------------------------------------------------
//
// Each makes a new program, which can be transformed again, in any order. With
//
//     f : (x_0, ..., x_{n-1}) -> (y_0, ..., y_{r-1})
//
// and `wrt` the inputs to differentiate by, in that order. An input that is an integer has zeros of
// its own type for a gradient. Errors: a request that does not fit f is an INVALID_ARGUMENT at the
// place of the call; what has no derivative, or no rule, is UNIMPLEMENTED and named at its place in
// f.

typedef struct tl_derive_options { // NULL or zeros: the defaults
  const uint32_t *wrt;             // [n_wrt]
  uint32_t n_wrt;                  // 0: by input 0 alone
  bool value;                      // the results of f come first
  uint32_t n_aux;      // grad: so many last results are passed through and not differentiated
  int64_t checkpoints; // states kept of a loop whose trip count is not known; 0: 32
  bool flat;           // jacobian, hessian: rank 2, [elements out, elements in]
} tl_derive_options;

// The list for `.wrt = ..., .n_wrt = ...`: {TL_WRT(0, 2), .value = true}.
#define TL_WRT(...)                       \
  .wrt = (const uint32_t[]){__VA_ARGS__}, \
  .n_wrt = (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// (x...) -> ([y_0,] dy_0/dx_wrt[0], ..., [the n_aux results where `value` is not set]); y_0 is a
// scalar. With `value` the results of f are (y_0, aux...) and come before the gradients.
#define tl_program_grad(...) tl_program_grad_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_grad_at(tl_here at, const tl_program *p,
                                    const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
// The same with `value`.
#define tl_program_value_and_grad(...) tl_program_value_and_grad_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_value_and_grad_at(tl_here at, const tl_program *p,
                                              const tl_derive_options *options,
                                              tl_program **out_program)
    __attribute__((warn_unused_result));
// (x..., tangent of x_wrt[0], ...) -> ([y...,] tangent of y_0, ...).
#define tl_program_jvp(...) tl_program_jvp_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_jvp_at(tl_here at, const tl_program *p,
                                   const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
// (x..., cotangent of y_0, ...) -> ([y...,] cotangent of x_wrt[0], ...).
#define tl_program_vjp(...) tl_program_vjp_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_vjp_at(tl_here at, const tl_program *p,
                                   const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
// Of f linear in x_wrt: (the other x..., cotangent of y...) -> (cotangent of x_wrt[0], ...).
#define tl_program_transpose(...) tl_program_transpose_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_transpose_at(tl_here at, const tl_program *p,
                                         const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
// (x...) -> for each y, for each wrt: [axes of y, axes of x]. By columns (forward) or by rows.
#define tl_program_jacobian(...) tl_program_jacobian_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_jacobian_at(tl_here at, const tl_program *p,
                                        const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
#define tl_program_jacobian_reverse(...) tl_program_jacobian_reverse_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_jacobian_reverse_at(tl_here at, const tl_program *p,
                                                const tl_derive_options *options,
                                                tl_program **out_program)
    __attribute__((warn_unused_result));
// (x...) -> for each i of wrt, for each j of wrt: second derivatives of y_0, a scalar.
#define tl_program_hessian(...) tl_program_hessian_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_hessian_at(tl_here at, const tl_program *p,
                                       const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));
// (x..., v of x_wrt[0], ...) -> (the Hessian of y_0 times v, by x_wrt[0], ...).
#define tl_program_hvp(...) tl_program_hvp_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_hvp_at(tl_here at, const tl_program *p,
                                   const tl_derive_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));

// Whether the rules of tl_call_custom in p are the derivatives of what they stand for, at these
// inputs: <ct, J t> of p without the rules, by forward mode, against each rule's, for random ct
// and, input by input, random t. On the host alone, with every float in f64 whatever the dtypes, so
// it is as exact for f32 and bf16; as in a debugger, nothing of p changes. Where p without rules
// has no forward mode, or where `differences` asks for it, central differences stand for it.
typedef struct tl_check_options { // NULL or zeros: the defaults
  const uint32_t *wrt;            // [n_wrt] inputs to differentiate by (TL_WRT)
  uint32_t n_wrt;                 // 0: by every float
  double tolerance;               // of the relative error; 0: 1e-8, of differences 1e-6
  double step;                    // of the differences; 0: 1e-3
  uint64_t seed;                  // of ct and t
  bool differences;
} tl_check_options;

typedef struct tl_custom_check {
  bool passed;           // every rule did; what follows is of the worst
  bool forward;          // it is a jvp, taken forward; a jvp alone is also transposed
  bool differences;      // it was compared with those
  uint32_t input;        // by which it is worst
  uint32_t n_checks;     // rules and directions compared, at least 1
  double primal_inner;   // <ct, J t> without the rule
  double rule_inner;     // <ct, J t> or <vjp(ct), t> with it
  double relative_error; // |difference| / (sum of |products| of both); NaN does not pass
  char rule[64];         // its name in tl_program_print(p)
} tl_custom_check;

// A rule that is wrong is no error: OK, and not passed. INVALID_ARGUMENT where no call of p brings
// a rule, or the arrays do not fit; UNIMPLEMENTED where a derivative that is wanted is refused.
#define tl_program_check_custom(...) tl_program_check_custom_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_check_custom_at(tl_here at, const tl_program *p,
                                            const tl_check_options *options, const tl_array *inputs,
                                            uint32_t n_inputs, tl_custom_check *out_check)
    __attribute__((warn_unused_result));

#define TL_NOT_BATCHED INT64_MIN
typedef struct tl_batch_options {
  int64_t size;            // of the batch, at least 1
  const char *size_name;   // or its name, where it is not known yet
  const int64_t *in_axes;  // [n] where each input has the batch, or TL_NOT_BATCHED; NULL: 0 for all
  const int64_t *out_axes; // [r]; TL_NOT_BATCHED of a result that no batch reaches; NULL: 0 for all
  const char *axis_name;   // the new axis's, or NULL
} tl_batch_options;
// f for every example at once. What depends on no batched input is computed once.
#define tl_program_vmap(...) tl_program_vmap_at(TL_HERE, __VA_ARGS__)
TL_API tl_status tl_program_vmap_at(tl_here at, const tl_program *p,
                                    const tl_batch_options *options, tl_program **out_program)
    __attribute__((warn_unused_result));

#endif
