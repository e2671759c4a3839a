// Brachistochrone: the time of a slide without friction from (0, 1) to (1, 0) along straight pieces
// of equal width through the given heights [n - 1].
#include "objectives.h"

tl_status brachistochrone(tl_trace *t, const tl_expr *in, tl_expr *out) {
  int64_t n = tl_size(in[0], 0) + 1;
  tl_expr path[3] = {tl_full(t, 1, "f64[1]"), in[0], tl_full(t, 0, "f64[1]")};
  tl_expr y = tl_concat(path, 3, 0);
  // The energy of the fall; a little at the start, where the slide would never begin.
  tl_expr v = tl_sqrt(tl_mul(2 * 9.81, tl_sub(1.0 + 1e-3, y)));
  tl_expr from = tl_slice(y, 0, 0, n, 1), to = tl_slice(y, 0, 1, n + 1, 1);
  tl_expr v_from = tl_slice(v, 0, 0, n, 1), v_to = tl_slice(v, 0, 1, n + 1, 1);
  double width = 1 / (double)n;
  tl_expr length = tl_sqrt(tl_add(width * width, tl_square(tl_sub(to, from))));
  *out = tl_sum(tl_div(tl_mul(2.0, length), tl_add(v_to, v_from)));
  return NULL;
}
