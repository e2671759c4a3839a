#include "ref/integral.h"

#include <math.h>

enum { DEPTHS = 31, LEAST_DEPTH = 3 };

tl_status tl_integral(double a, double b, tl_integrand *f, void *context,
                      const tl_integral_options *options, tl_integral_report *out_report) {
  uint32_t max_depth = options == NULL || options->max_depth == 0 ? 16 : options->max_depth;
  double tolerance = options == NULL || options->tolerance == 0.0 ? 1e-8 : options->tolerance;
  if (max_depth >= DEPTHS)
    return TL_ERROR(INVALID_ARGUMENT, "integral: max_depth is %u, wanted 1 to 30", max_depth);
  if (!isfinite(tolerance) || tolerance < 0.0)
    return TL_ERROR(INVALID_ARGUMENT, "integral: the tolerance %g is not positive", tolerance);
  if (!isfinite(a) || !isfinite(b) || !isfinite(b - a))
    return TL_ERROR(INVALID_ARGUMENT, "integral: the bounds %g and %g are not finite", a, b);
  tl_integral_report r = {.converged = true};
  if (a == b) {
    *out_report = r;
    return TL_OK;
  }
  double row[DEPTHS] = {0},
         h = b - a; // row[j]: the entry of this depth that is extrapolated j times
  row[0] = 0.5 * h * (f(a, context) + f(b, context));
  r = (tl_integral_report){.value = row[0], .change = INFINITY};
  for (uint32_t k = 1; k <= max_depth && !r.converged; k++) {
    double sum = 0.0;
    const uint64_t n = (uint64_t)1 << (k - 1); // new points, in the middle of the old panels
    for (uint64_t i = 0; i < n; i++)
      sum += f(a + h * (((double)i + 0.5) / (double)n), context);
    double up = row[0]; // the entry above and to the left
    row[0] = 0.5 * up + h / (double)(2 * n) * sum;
    double four = 1.0;
    for (uint32_t j = 1; j <= k; j++) {
      four *= 4.0;
      double above = j < k ? row[j] : 0.0;
      row[j] = row[j - 1] + (row[j - 1] - up) / (four - 1.0);
      up = above;
    }
    r.change = fabs(row[k] - r.value);
    r.value = row[k];
    r.depth = k;
    r.converged = k >= LEAST_DEPTH && r.change <= tolerance * (1.0 + fabs(r.value));
  }
  *out_report = r;
  return TL_OK;
}

void tl_integral_bounds_grad(double a, double b, tl_integrand *f, void *context, double *out_da,
                             double *out_db) {
  *out_da = -f(a, context);
  *out_db = f(b, context);
}

tl_status tl_integral_parameter_grad(double a, double b, tl_integrand *dfdp, void *context,
                                     const tl_integral_options *options,
                                     tl_integral_report *out_report) {
  return tl_integral(a, b, dfdp, context, options, out_report);
}
