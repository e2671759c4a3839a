// Differentiation and batching: from a function of a module to a new function of the same module.
//
// Every transform reads a verified function, leaves it as it is, and appends a private function to
// its module, named as asked, which is differentiated, batched, printed and run like any other; so
// transforms nest in every order. They emit ops and compute nothing.
//
//     f  : (x_0, ..., x_{n-1}) -> (y_0, ..., y_{r-1})
//     wrt: numbers of the arguments to differentiate by, in the order wanted, each at most once
//
// The derivative of a complex function is the holomorphic one, as jvp and vjp of JAX give it.
// An integer or boolean argument has the structural zero for its gradient: zeros of its own type.
//
// Errors: INVALID_ARGUMENT where the request does not fit the function; UNIMPLEMENTED, with the op
// and its place, for what has no derivative or no rule. Diagnostics (diags.def) go to `diags` (may
// be NULL); the status says the first of them. A failed transform adds no function.
#ifndef TL_AD_AD_H
#define TL_AD_AD_H

#include "ir/build.h"

typedef struct tl_ad_options { // zero-initialised: the defaults
  bool value;                  // the results of f come first
  uint32_t n_aux;      // grad: so many last results of f are passed through, not differentiated
  int64_t checkpoints; // states kept of a loop whose trip count is not known; 0: 32
  int64_t unroll;      // ops that a loop of constant trip count may come to when it is written out;
                       // 0: as passes/phi_loop.c says; below 0: such loops stay
  bool flat;           // jacobian, hessian: rank 2, [elements out, elements in]
  tl_diags *diags;
} tl_ad_options;

// (x...) -> ([y_0, aux...], dx_wrt[0], ...). y_0 is a scalar float. Without `value`, aux follows
// the gradients.
tl_status tl_ad_grad(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                     const tl_ad_options *options, const char *name, tl_func **out);
// (x..., t of x_wrt[0], ...) -> ([y...], t of y_0, ...). A result that is no float has the tangent
// zeros of its own type.
tl_status tl_ad_jvp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out);
// (x..., ct of y_0, ..., ct of y_{r-1}) -> ([y...], ct of x_wrt[0], ...).
tl_status tl_ad_vjp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out);
// The transpose of a function that is linear in x_wrt: (x without wrt..., ct of y...) -> (ct of
// x_wrt[0], ...). INVALID_ARGUMENT where the result would still read one of them.
tl_status tl_ad_transpose(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                          const tl_ad_options *options, const char *name, tl_func **out);
// (x...) -> for each y, for each wrt: [dims of y, dims of x], or flat [elements of y, elements of
// x]. Forward mode a column at a time, all columns in one batched program; `reverse` a row at a
// time.
tl_status tl_ad_jacobian(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                         bool reverse, const tl_ad_options *options, const char *name,
                         tl_func **out);
// (x...) -> for each i of wrt, for each j of wrt: the second derivatives of y_0, a scalar. Forward
// over reverse. With `value`: y_0, the gradients, then these.
tl_status tl_ad_hessian(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                        const tl_ad_options *options, const char *name, tl_func **out);
// (x..., v of x_wrt[0], ...) -> (H v by x_wrt[0], ...). Forward over reverse.
tl_status tl_ad_hvp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out);

#define TL_NOT_BATCHED INT64_MIN
typedef struct tl_vmap_options {
  const int64_t *in_axes;  // [n] of each argument, from the end where negative, or TL_NOT_BATCHED
  const int64_t *out_axes; // [r]; NULL: 0 for all. A result that does not depend on the batch is
                           // repeated, unless TL_NOT_BATCHED here says that it is given once.
  int64_t size;            // of the batch: a number above 0, or a dim of the module (ir/dim.h)
  const char *axis_name;   // NULL: none
  int64_t unroll;          // as tl_ad_options has it
  tl_diags *diags;
} tl_vmap_options;
// Every example at once. An op that reads nothing batched is done once, whatever it is.
tl_status tl_ad_vmap(tl_module *m, const tl_func *f, const tl_vmap_options *options,
                     const char *name, tl_func **out);

#endif
