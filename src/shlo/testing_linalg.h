// A function with each named op of linear algebra, for the tests of the reader and the printer.
#ifndef TL_SHLO_TESTING_LINALG_H
#define TL_SHLO_TESTING_LINALG_H

#include "base/test.h"

#include "ir/build.h"

TL_UNUSED static tl_module *linalg_named(void) {
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value a = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 4, 3));
  tl_value y[32];
  uint32_t n = 0;
  tl_value square =
      tlo_dot(&b, a, a, (int64_t[]){0}, (int64_t[]){0}, 1, (int64_t[]){2}, (int64_t[]){2}, 1);
  tl_op *ops[] = {tlo_lu(&b, a),         tlo_geqrf(&b, a),           tlo_qr(&b, a, false),
                  tlo_qr(&b, a, true),   tlo_eigh(&b, square, true), tlo_eigh(&b, square, false),
                  tlo_svd(&b, a, false), tlo_svd(&b, a, true)};
  for (size_t i = 0; i < TL_COUNT(ops); i++)
    for (uint32_t k = 0; k < ops[i]->n_results; k++)
      y[n++] = ops[i]->results[k];
  y[n++] = tlo_householder_product(&b, ops[1]->results[0], ops[1]->results[1]);
  y[n++] = tlo_singular_values(&b, a);
  y[n++] = tlo_solve(&b, square, a, true);
  y[n++] = tlo_inverse(&b, square);
  y[n++] = tlo_det(&b, square);
  y[n++] = tlo_slogdet(&b, square)->results[1];
  y[n++] = tlo_solve_spd(&b, square, a);
  y[n++] = tlo_inverse_spd(&b, square);
  y[n++] = tlo_log_det_spd(&b, square);
  tlo_return(&b, y, n);
  assert_ok(tl_builder_finish(&b));
  return m;
}

#endif
