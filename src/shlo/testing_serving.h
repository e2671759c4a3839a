// Every named op that serving needs beside attention once, for the tests of composites in text.
#ifndef TL_SHLO_TESTING_SERVING_H
#define TL_SHLO_TESTING_SERVING_H

#include "base/test.h"
#include "ir/build.h"

static inline tl_module *serving_named(void) {
  tl_module *m = tl_module_create();
  tl_arena *a = m->arena;
  tl_builder b = tl_func_begin(m, "main", false);
#define ARG(dtype, ...) tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_##dtype, __VA_ARGS__))
  tl_value y[16];
  uint32_t n = 0;
  y[n++] = tlo_dequantize_kv(&b, ARG(S32, 3, 2, 8), ARG(F32, 2), "int8", TL_DTYPE_BF16);
  y[n++] =
      tlo_nvfp4_matmul(&b, ARG(F32, 3, 128), ARG(U8, 2, 2, 512), ARG(U8, 2, 2, 64), ARG(F32, 17));
  tl_value slots = ARG(S32, 2, 5), positions = ARG(S32, 2, 5), write = ARG(S32, 2, 5);
  tl_op *conv = tlo_causal_conv1d(&b, ARG(F32, 2, 5, 6), ARG(F32, 4, 6), ARG(F32, 3, 3, 6), slots,
                                  positions, write);
  tl_value q = ARG(F32, 2, 5, 2, 4), v = ARG(F32, 2, 5, 6, 3), g = ARG(F32, 2, 5, 6);
  tl_op *delta =
      tlo_gated_delta_rule(&b, q, q, v, g, g, ARG(F32, 7, 6, 4, 3), slots, positions, NULL);
  y[n++] = tlo_moe_experts(&b, ARG(F32, 3, 4), ARG(F32, 3, 5), ARG(BF16, 5, 6, 4), NULL,
                           ARG(BF16, 5, 4, 3), NULL, 2);
#undef ARG
  for (uint32_t i = 0; i < 2; i++)
    y[n++] = conv->results[i], y[n++] = delta->results[i];
  tlo_return(&b, y, n);
  assert_ok(tl_builder_finish(&b));
  return m;
}

#endif
