// A module that holds every op of ir/build_special.h.
#ifndef TL_SHLO_TESTING_SPECIAL_H
#define TL_SHLO_TESTING_SPECIAL_H

#include "ir/build.h"
#include "shlo/testing.h"

TL_UNUSED static tl_module *special_named(void) {
  static const tl_opcode unary[] = {TL_OP_GELU, TL_OP_SILU, TL_OP_RELU, TL_OP_STEP},
                         special[][2] = {
#define TL_SPECIAL(id, name, n) {TL_OP_##id, (tl_opcode)(n)},
#include "ir/special.def"
#undef TL_SPECIAL
                         };
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value results[64], x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 3)),
                        i = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_S64, 4));
  uint32_t n = 0;
  for (size_t k = 0; k < TL_COUNT(special); k++)
    results[n++] =
        special[k][1] == 1 ? tlo_unary(&b, special[k][0], x) : tlo_binary(&b, special[k][0], x, x);
  for (size_t k = 0; k < TL_COUNT(unary); k++)
    results[n++] = tlo_unary(&b, unary[k], x);
  results[n++] = tlo_next_after(&b, x, results[0]);
  results[n++] = tlo_mulhi(&b, i, i);
  results[n++] = tlo_top_k(&b, x, 2, &results[63]);
  results[n++] = results[63];
  tlo_return(&b, results, n);
  assert_ok(tl_builder_finish(&b));
  return m;
}

#endif
