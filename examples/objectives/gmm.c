// ADBench's GMM: the log likelihood of points x [n, d] under k Gaussians, with a Wishart prior
// (gamma 1, m 0, the constant dropped).
//
//   alpha [k]             logarithms of the weights, up to a constant
//   mean  [k, d]
//   icf   [k, d(d+1)/2]   the inverse Cholesky factor L of each covariance: the logarithm of its
//                         diagonal q, then what lies below it, column by column
//
//   sum_n logsumexp_k(alpha + sum log q - |L (x - mean)|^2 / 2) - n logsumexp(alpha)
//     + (|q|^2 + |below|^2) / 2
#include "objectives.h"

enum { MAX_D = 128 };

// [k, d, d] of columns below the diagonal [k, d(d-1)/2].
static tl_expr triangle(tl_trace *t, tl_expr columns, int64_t d) {
  int32_t places[MAX_D * MAX_D] = {0}, n = 0;
  for (int64_t j = 0; j < d; j++)
    for (int64_t i = j + 1; i < d; i++)
      places[i * d + j] = n++;
  tl_expr at = tl_constant(t, places, "i32[%lld,%lld]", (long long)d, (long long)d);
  return tl_tril(tl_take(columns, at, 1), -1);
}

tl_status gmm(tl_trace *t, const tl_expr *in, tl_expr *out) {
  tl_expr alpha = in[0], mean = in[1], icf = in[2], x = in[3];
  int64_t n = tl_size(x, 0), d = tl_size(x, 1);
  if (d > MAX_D) return NULL; // and no result, which the end of the trace reports
  tl_expr log_q = tl_slice(icf, 1, 0, d, 1), below = tl_slice(icf, 1, d, INT64_MAX, 1);
  tl_expr q = tl_exp(log_q);
  tl_expr c = tl_sub(tl_expand_dims(x, 1), mean); // [n, k, d]
  tl_expr z = tl_add(tl_mul(q, c), tl_einsum("nkj,kij->nki", c, triangle(t, below, d)));
  tl_expr log_p = tl_sub(tl_add(alpha, tl_sum_axes(log_q, TL_LIST(1))),
                         tl_mul(0.5, tl_sum_axes(tl_square(z), TL_LIST(2)))); // [n, k]
  tl_expr likelihood =
      tl_sub(tl_sum(tl_logsumexp(log_p, 1)), tl_mul((double)n, tl_logsumexp(alpha, 0)));
  tl_expr prior = tl_mul(0.5, tl_add(tl_sum(tl_square(q)), tl_sum(tl_square(below))));
  *out = tl_add(likelihood, prior);
  return NULL;
}
