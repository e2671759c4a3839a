// Whether the rules that composites bring (custom.c) are the derivatives of what they stand for.
#ifndef TL_AD_CHECK_H
#define TL_AD_CHECK_H

#include "ad/ad.h"
#include "ref/ref.h"

typedef struct tl_ad_check_options { // zero-initialised: the defaults
  const uint32_t *wrt;               // [n_wrt] arguments of f; 0: every float
  uint32_t n_wrt;
  double tolerance; // of the relative error; 0: 1e-8, by differences 1e-6
  double step;      // of the differences; 0: 1e-3
  uint64_t seed;    // of the tangents and cotangents
  bool differences; // central ones, even where f has a forward mode
} tl_ad_check_options;

// One rule in one direction.
typedef struct tl_ad_check_row {
  tl_str function; // what it is the derivative of: the composite's decomposition
  tl_str rule;     // its function
  tl_loc loc;      // of the first composite that brings it
  bool forward;    // it was taken forward
  bool transposed; // it is a jvp that reverse mode transposes, there being no vjp
  bool differences;
  uint32_t wrt;        // the argument of f by which the two are furthest apart, and there:
  double primal_inner; // <ct, J t> without any rule
  double rule_inner;   // <ct, J t> with this one, or <J^T ct, t>
  double relative_error;
  bool passed;
} tl_ad_check_row;

// Both sides of <ct, J t> = <J^T ct, t>, one without the rules and one with a single one of them,
// at these inputs, for random ct and, argument by argument, random t. Everything is computed by the
// interpreter in f64 whatever the dtypes (a float input may be given as f64). The relative error is
// |a - b| / (sum of |products| of both), where differences have |a| for theirs; a NaN does not
// pass.
//
// Rows [*out_n], at least one, in `a`, with texts of m. INVALID_ARGUMENT where nothing that f calls
// brings a rule; the refusals of a derivative that is asked for. m is only read.
tl_status tl_ad_check_custom(const tl_module *m, const tl_func *f, const tl_tensor *inputs,
                             const tl_ad_check_options *options, tl_arena *a,
                             tl_ad_check_row **out_rows, uint32_t *out_n);

// Random numbers in [-1, 1) for the float arguments of f, zeros for the others, in `a`.
tl_status tl_ad_random_inputs(const tl_func *f, uint64_t seed, tl_arena *a, tl_tensor **out);

#endif
