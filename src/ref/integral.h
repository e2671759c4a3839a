// The integral of a function of one real number, by Romberg's method.
//
// Depth k halves the panels of the trapezoid rule k times; the diagonal of the extrapolation table
// is the estimate R. It has converged when two diagonal entries in a row differ by at most
// tolerance * (1 + |R|), and not before depth 3: the samples of a periodic integrand may all
// coincide until then. Cost: 2^depth + 1 evaluations.
#ifndef TL_REF_INTEGRAL_H
#define TL_REF_INTEGRAL_H

#include "base/status.h"

typedef double tl_integrand(double x, void *context);

typedef struct tl_integral_options {
  uint32_t max_depth; // 1 to 30; 0 means 16
  double tolerance;   // positive; 0 means 1e-8
} tl_integral_options;

typedef struct tl_integral_report {
  double value;
  uint32_t depth;
  bool converged; // false: max_depth was reached, or the value is not finite
  double change;  // between the last two entries of the diagonal
} tl_integral_report;

// Over [a, b]; a > b gives the negative, a == b gives 0 without asking f. INVALID_ARGUMENT: bounds
// that are not finite, options out of range. Any thread that may call f. `options` may be NULL.
tl_status tl_integral(double a, double b, tl_integrand *f, void *context,
                      const tl_integral_options *options, tl_integral_report *out_report);

// The derivatives of the integral by its bounds.
void tl_integral_bounds_grad(double a, double b, tl_integrand *f, void *context, double *out_da,
                             double *out_db);
// The derivative by a parameter of f, whose own derivative by it is dfdp: its integral.
tl_status tl_integral_parameter_grad(double a, double b, tl_integrand *dfdp, void *context,
                                     const tl_integral_options *options,
                                     tl_integral_report *out_report);

#endif
