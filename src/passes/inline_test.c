// Inlining: numbers kept, scratch marked, calls and regions, a module that outlives its source.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "passes/decompose.h"

static tl_type scalar(void) { return tl_type_scalar(TL_DTYPE_F32); }

// @main(x, p) calls @twice, which calls @softened, which has a softmax and a donation-free body; a
// branch calls too.
static tl_module *sample(void) {
  tl_module *m = tl_module_create();
  m->name = TL_STR("sample");
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F32, 4);
  tl_builder b = tl_func_begin(m, "softened", true);
  tl_value x = tl_func_arg(&b, t), y = tlo_softmax(&b, x, 0);
  tlo_return(&b, &y, 1);
  tl_func *softened = b.fn;
  assert_ok(tl_builder_finish(&b));
  b = tl_func_begin(m, "twice", true); // gives two results: the second is its argument
  x = tl_func_arg(&b, t);
  tl_op *call = tlo_call(&b, softened, &x, 1);
  call = tlo_call(&b, softened, call->results, 1);
  tlo_return(&b, (tl_value[]){call->results[0], x}, 2);
  tl_func *twice = b.fn;
  assert_ok(tl_builder_finish(&b));
  char *file = tl_arena_printf(m->arena, "model.mlir"); // dies with the module
  b = tl_func_begin(m, "main", false);
  b.loc = (tl_loc){file, 3, 5, 2};
  x = tl_func_arg(&b, t);
  tl_value p = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_I1));
  tl_func_arg_info(b.fn, 0)->alias_output = 0;
  tl_func_arg_info(b.fn, 0)->name = TL_STR("cache");
  call = tlo_call(&b, twice, &x, 1); // %2
  tl_value one = tlo_add(&b, call->results[0], call->results[1]);
  tl_op *branch = tl_op_begin(&b, TL_OP_IF, &p, 1);
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&b, tl_op_add_region(&b, branch));
    tl_value v = i ? one : tlo_call(&in, softened, &one, 1)->results[0];
    tlo_return(&in, &v, 1);
    tl_builder_join(&b, &in);
  }
  branch = tl_op_finish(&b, branch, NULL, 0);
  tl_value sum = tlo_reduce(&b, branch->results[0], tlo_constant_f64(&b, scalar(), 0),
                            (int64_t[]){0}, 1, TL_OP_ADD);
  tlo_return(&b, (tl_value[]){branch->results[0], sum}, 2);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static void verify(const tl_module *m) {
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
}

static int count(const tl_block *block, tl_opcode code) {
  int n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    n += op->code == code;
    for (uint32_t i = 0; i < op->n_regions; i++)
      n += count(op->regions[i], code);
  }
  return n;
}

static void named_only(void **state) {
  (void)state;
  tl_module *m = sample(), *n;
  verify(m);
  assert_ok(tl_module_inline(m, false, &n));
  const tl_func *old = m->last;
  uint32_t next_id = old->next_id, add_id = old->body->first->next->results[0]->id;
  tl_module_destroy(m); // the new one stands alone
  verify(n);
  assert_int_equal(n->n_funcs, 3);
  assert_str(n->name, TL_STR("sample"));
  const tl_func *main_fn = tl_module_find(n, TL_STR("main"));
  assert_int_equal(count(main_fn->body, TL_OP_CALL), 2);
  assert_int_equal(count(tl_module_find(n, TL_STR("softened"))->body, TL_OP_DIVIDE), 1);
  assert_int_equal(main_fn->args[0].alias_output, 0);
  assert_text(main_fn->args[0].name, "cache");
  assert_int_equal(main_fn->next_id, next_id);
  const tl_op *add = main_fn->body->first->next;
  assert_true(add->code == TL_OP_ADD && add->results[0]->id == add_id && !add->results[0]->scratch);
  assert_string_equal(add->loc.file, "model.mlir");
  assert_int_equal(add->loc.line, 3);
  tl_module_destroy(n);
}

static void calls_too(void **state) {
  (void)state;
  tl_module *m = sample(), *n;
  assert_ok(tl_module_inline(m, true, &n));
  uint32_t next_id = m->last->next_id;
  tl_module_destroy(m);
  verify(n);
  assert_int_equal(n->n_funcs, 1);
  const tl_func *fn = n->first;
  assert_int_equal(count(fn->body, TL_OP_CALL), 0);
  assert_int_equal(count(fn->body, TL_OP_SOFTMAX), 0);
  assert_int_equal(count(fn->body, TL_OP_DIVIDE), 3);
  assert_int_equal(fn->next_id, next_id);
  // The two results of a replaced call have no one number to take over; the rest of the text keeps
  // its numbers.
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next)
    if (op->code == TL_OP_DIVIDE) assert_true(op->results[0]->scratch);
  const tl_op *branch = fn->body->last->operands[0]->op;
  assert_int_equal(branch->code, TL_OP_IF);
  const tl_op *inner =
      branch->regions[0]->last->operands[0]->op; // a call of one result: its number stays
  assert_true(inner->code == TL_OP_DIVIDE && !inner->results[0]->scratch &&
              inner->results[0]->id == 4);
  tl_module_destroy(n);
}

// A function that calls two copies of the one below it, and so on: refused before it fills memory.
static void expansion_bounded(void **state) {
  (void)state;
  tl_module *m = tl_module_create(), *n = NULL;
  tl_func *below = NULL;
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, i == 39 ? "main" : "f%d", i);
    tl_builder b = tl_func_begin(m, name, i != 39);
    tl_value x = tl_func_arg(&b, scalar());
    for (int j = 0; j < 2; j++)
      x = below ? tlo_call(&b, below, &x, 1)->results[0] : tlo_add(&b, x, x);
    tlo_return(&b, &x, 1);
    below = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  verify(m);
  assert_status(tl_module_inline(m, true, &n), TL_STATUS_RESOURCE_EXHAUSTED, "expand");
  assert_null(n);
  tl_module_destroy(m);
}

// A named op of hundreds of ops counts for what it becomes.
static void named_ops_are_counted(void **state) {
  (void)state;
  tl_module *m = tl_module_create(), *n = NULL;
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F64));
  for (int i = 0; i < 3000; i++)
    x = tlo_polygamma(&b, x, x);
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  verify(m);
  assert_status(tl_module_inline(m, false, &n), TL_STATUS_RESOURCE_EXHAUSTED, "named ops expand");
  assert_null(n);
  tl_module_destroy(m);
}

static void depth_bounded(void **state) {
  (void)state;
  tl_module *m = tl_module_create(), *n = NULL;
  tl_func *below = NULL;
  for (int i = 0; i < 1000; i++) {
    char name[16];
    snprintf(name, sizeof name, i == 999 ? "main" : "f%d", i);
    tl_builder b = tl_func_begin(m, name, i != 999);
    tl_value x = tl_func_arg(&b, scalar());
    if (below != NULL) x = tlo_call(&b, below, &x, 1)->results[0];
    tlo_return(&b, &x, 1);
    below = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  verify(m);
  assert_status(tl_module_inline(m, true, &n), TL_STATUS_RESOURCE_EXHAUSTED, "deep");
  tl_module_destroy(m);
}

static tl_status build_and_inline(void *arg) {
  (void)arg;
  tl_module *m = tl_module_create(), *n = NULL;
  if (m == NULL) return TL_OOM();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_type t = tl_type_of(m->arena, TL_DTYPE_F32, (int64_t[]){8, 64}, 2);
  tl_type w = tl_type_of(m->arena, TL_DTYPE_U8, (int64_t[]){2, 640}, 2);
  if (t.dims == NULL || w.dims == NULL) tl_builder_fail(&b, TL_OOM());
  tl_value x = tl_func_arg(&b, t), packed = tl_func_arg(&b, w);
  for (int i = 0; i < 6; i++)
    x = tlo_softmax(&b, tlo_swiglu(&b, x, x), i % 2);
  x = tlo_quantized_matmul(&b, x, packed, TL_FORMAT_Q4_1, 20);
  tlo_return(&b, &x, 1);
  tl_status st = tl_builder_finish(&b);
  if (st == TL_OK) st = tl_module_inline(m, true, &n);
  tl_module_destroy(m);
  tl_module_destroy(n);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build_and_inline, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_only),        cmocka_unit_test(calls_too),
      cmocka_unit_test(expansion_bounded), cmocka_unit_test(named_ops_are_counted),
      cmocka_unit_test(depth_bounded),     cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
