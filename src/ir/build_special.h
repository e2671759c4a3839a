// Constructors of the special functions, which are elementwise, and of top_k; shapes are in
// op_docs.def. Part of ir/build.h, which is what to include.
#ifndef TL_IR_BUILD_SPECIAL_H
#define TL_IR_BUILD_SPECIAL_H

#include "ir/build.h"

#define TL_UNARY_OPS(X)                                                                   \
  X(lgamma, LGAMMA)                                                                       \
  X(digamma, DIGAMMA) X(trigamma, TRIGAMMA) X(erf, ERF) X(erfc, ERFC) X(erf_inv, ERF_INV) \
      X(bessel_i1e, BESSEL_I1E) X(sinh, SINH) X(cosh, COSH) X(asin, ASIN) X(acos, ACOS)   \
          X(atan, ATAN) X(asinh, ASINH) X(acosh, ACOSH) X(atanh, ATANH) X(gelu, GELU)     \
              X(silu, SILU) X(relu, RELU) X(step, STEP)
#define TL_BINARY_OPS(X) \
  X(polygamma, POLYGAMMA) X(zeta, ZETA) X(next_after, NEXT_AFTER) X(mulhi, MULHI)

#define X(name, id)                                              \
  static inline tl_value tlo_##name(tl_builder *b, tl_value x) { \
    return tlo_unary(b, TL_OP_##id, x);                          \
  }
TL_UNARY_OPS(X)
#undef X
#define X(name, id)                                                          \
  static inline tl_value tlo_##name(tl_builder *b, tl_value x, tl_value y) { \
    return tlo_binary(b, TL_OP_##id, x, y);                                  \
  }
TL_BINARY_OPS(X)
#undef X
#undef TL_UNARY_OPS
#undef TL_BINARY_OPS

// The k largest of the last dim and, in *out_places unless it is NULL, their i32 places.
static inline tl_value tlo_top_k(tl_builder *b, tl_value x, int64_t k, tl_value *out_places) {
  tl_op *op = tl_op_begin(b, TL_OP_TOP_K, &x, 1);
  tl_op_set_i64(op, TL_A_TOP_K_k, k);
  op = tl_op_finish(b, op, NULL, 0);
  if (out_places != NULL) *out_places = op == NULL ? NULL : op->results[1];
  return op == NULL ? NULL : op->results[0];
}

#endif
