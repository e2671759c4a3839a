// Objective functions of the literature on differentiation, each traced by plain calls: ADBench's
// three, a thrown ball in 38 Euler steps, and the six simulations that Shen, Zhang, Dea, Andow,
// Arroyo-Fang, Gafter, Bierhoff, Bromberger and Vasilache measure ("Coarsening Optimization for
// Differentiable Programming", OOPSLA 2021), written anew from their descriptions.
//
// An objective is a C function of tensors: it reads in[], of any sizes that fit together, and
// writes one result. Where the original has a loop or a branch, there is one here
// (tlaloc/control.h).
#ifndef OBJECTIVES_H
#define OBJECTIVES_H

#include <tlaloc/tlaloc.h>

// A status other than NULL: an inner gradient could not be made; what is wrong with the calls
// themselves the trace keeps, as ever.
typedef tl_status objective_fn(tl_trace *t, const tl_expr *in, tl_expr *out);

typedef struct objective {
  const char *name;
  uint32_t n_in, n_wrt; // inputs; the first n_wrt are what one differentiates by
  objective_fn *write;
} objective;

#define OBJECTIVE(name, n_in, n_wrt) objective_fn name;
#include "objectives.def"
#undef OBJECTIVE

extern const objective objectives[];
extern const uint32_t n_objectives;

const objective *objective_find(const char *name, size_t len); // NULL where there is none
// Its program for inputs of these types [n_in], "f64[25,10]".
tl_status objective_trace(const objective *o, const char *const *types, tl_program **out_program);
#endif
