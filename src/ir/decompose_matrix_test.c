// Decompositions of linear algebra when memory runs out: an error, and nothing read that is not
// there. What they compute is checked elsewhere: src/ref/factor_test.c, tests/ref/ops/linalg.json,
// tests/sweep.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ir/decompose.h"

typedef struct request {
  tl_opcode code;
  tl_dtype dtype;
} request;

static tl_status decompose(void *arg) {
  const request *r = arg;
  tl_module *m = tl_module_create();
  if (m == NULL) return TL_OOM();
  tl_builder b = tl_func_begin(m, "main", false);
  const int64_t dims[] = {2, 3, 3}, taus[] = {2, 3};
  bool two = r->code == TL_OP_SOLVE || r->code == TL_OP_HOUSEHOLDER_PRODUCT;
  tl_value x[2] = {0};
  x[0] = tl_func_arg(&b, tl_type_of(m->arena, r->dtype, dims, 3));
  x[1] = !two                     ? NULL
         : r->code == TL_OP_SOLVE ? tl_func_arg(&b, tl_type_of(m->arena, r->dtype, dims, 3))
                                  : tl_func_arg(&b, tl_type_of(m->arena, r->dtype, taus, 2));
  tl_op *op = tl_op_finish(&b, tl_op_begin(&b, r->code, x, two ? 2 : 1), NULL, 0);
  if (op != NULL) tlo_return(&b, op->results, op->n_results);
  tl_status st = tl_builder_finish(&b);
  tl_func *fn;
  if (st == TL_OK) st = tl_decompose_func(m, op, "body", &fn);
  tl_module_destroy(m);
  return st;
}

static void memory_runs_out(void **state) {
  (void)state;
  static const tl_opcode codes[] = {
      TL_OP_LU,   TL_OP_GEQRF,   TL_OP_HOUSEHOLDER_PRODUCT, TL_OP_QR,
      TL_OP_EIGH, TL_OP_SVD,     TL_OP_SINGULAR_VALUES,     TL_OP_SOLVE,
      TL_OP_DET,  TL_OP_SLOGDET,
  };
  for (size_t i = 0; i < TL_COUNT(codes); i++)
    for (int is_complex = 0; is_complex < 2; is_complex++) {
      request r = {codes[i], is_complex ? TL_DTYPE_C64 : TL_DTYPE_F32};
      tl_test_each_oom(decompose, &r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
