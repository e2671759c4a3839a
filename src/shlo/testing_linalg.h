// A function with each named op of linear algebra, for the tests of the reader and the printer.
#ifndef TL_SHLO_TESTING_LINALG_H
#define TL_SHLO_TESTING_LINALG_H

#include "base/test.h"

#include "ir/build.h"

TL_UNUSED static tl_module *linalg_named(void) {
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value a = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 4, 3));
  tl_op *lu = tlo_lu(&b, a);
  tlo_return(&b, lu->results, 3);
  assert_ok(tl_builder_finish(&b));
  return m;
}

#endif
