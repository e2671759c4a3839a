// specialise: names, functions made anew, computed shapes, loops, and what is refused.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ir/build.h"
#include "ir/dim.h"
#include "passes/specialise.h"

static int64_t dim(tl_module *m, const char *text) {
  int64_t d;
  const char *wrong;
  size_t at;
  assert_true(tl_dim_parse(m, tl_str_of(text), false, &d, &wrong, &at));
  return d;
}

static tl_module *with_symbols(void) {
  tl_module *m = tl_module_create();
  int64_t d;
  assert_non_null(m);
  assert_true(tl_dim_symbol(m, TL_STR("n"), 16, &d));
  assert_true(tl_dim_symbol(m, TL_STR("k"), -1, &d));
  return m;
}

static tl_type f32(tl_module *m, int64_t a, int64_t b) {
  return TL_TYPE(m->arena, TL_DTYPE_F32, a, b);
}

static tl_module *specialised(const tl_module *m, const char *bindings) {
  tl_arena *a = tl_arena_create();
  tl_binding *list;
  size_t n;
  tl_module *new = NULL;
  tl_diags diags = {0};
  assert_ok(tl_bindings_parse(a, tl_str_of(bindings), &list, &n));
  assert_ok(tl_module_specialise(m, list, n, &diags, &new));
  assert_ok(tl_module_verify(new, &diags));
  assert_ok(tl_module_require_static(new));
  tl_diags_deinit(&diags);
  tl_arena_destroy(a);
  return new;
}

static void refused(const tl_module *m, const char *bindings, const char *message) {
  tl_arena *a = tl_arena_create();
  tl_binding *list;
  size_t n;
  tl_module *new = NULL;
  tl_diags diags = {0};
  tl_status st = tl_bindings_parse(a, tl_str_of(bindings), &list, &n);
  if (st == TL_OK) st = tl_module_specialise(m, list, n, &diags, &new);
  assert_status(st, TL_STATUS_INVALID_ARGUMENT, message);
  assert_null(new);
  tl_diags_deinit(&diags);
  tl_arena_destroy(a);
}

static const tl_op *first(const tl_func *fn, tl_opcode code) {
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next)
    if (op->code == code) return op;
  return NULL;
}

// @main(x [n, 2*k]) = reshape of x and its double to [4*n*k]: a private function at two sizes.
static tl_module *two_sizes(void) {
  tl_module *m = with_symbols();
  tl_builder b = tl_func_begin(m, "twice", true);
  const int64_t any = TL_DIM_ANY;
  tl_value x = tl_func_arg(&b, tl_type_of(m->arena, TL_DTYPE_F32, &any, 1));
  x = tlo_add(&b, x, x);
  tlo_return(&b, &x, 1);
  tl_func *twice = b.fn;
  assert_ok(tl_builder_finish(&b));
  b = tl_func_begin(m, "main", false);
  x = tl_func_arg(&b, f32(m, dim(m, "n"), dim(m, "2*k")));
  const int64_t flat = dim(m, "2*n*k"), both = dim(m, "4*n*k");
  tl_value y = tlo_reshape(&b, x, &flat, 1), two[] = {y, y};
  tl_value z = tlo_concat(&b, two, 2, 0);
  assert_true(z->type.dims[0] == both);
  y = tlo_call(&b, twice, &y, 1)->results[0];
  z = tlo_call(&b, twice, &z, 1)->results[0];
  tlo_return(&b, (tl_value[]){y, z, tlo_call(&b, twice, &y, 1)->results[0]}, 3);
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  assert_status(tl_module_require_static(m), TL_STATUS_INVALID_ARGUMENT,
                "@twice: argument 0 is tensor<?xf32>; only dims that are numbers run");
  tl_diags_deinit(&diags);
  return m;
}

static void functions_by_size(void **state) {
  (void)state;
  tl_module *m = two_sizes(), *new = specialised(m, "n=3,k=5");
  assert_int_equal(new->n_funcs, 3); // @main, and @twice of 30 and of 60
  const tl_func *fn = tl_module_find(new, TL_STR("main"));
  assert_true(tl_type_eq(fn->body->args[0]->type, f32(new, 3, 10)));
  assert_int_equal(fn->result_types[0].dims[0], 30);
  assert_int_equal(fn->result_types[1].dims[0], 60);
  assert_non_null(tl_module_find(new, TL_STR("twice_1")));
  tl_module_destroy(new);
  refused(m, "n=3", "the symbol k has no size");
  refused(m, "n=17,k=1", "n is 17, and at most 16");
  refused(m, "n=3,k=1,n=2", "n is given twice");
  refused(m, "n=3,k", "wanted SYMBOL=SIZE");
  refused(m, "n=3,k=-1", "wanted a size for k");
  refused(m, "n=3,k=1,m=1", "no symbol m; the module has n, k");
  refused(m, "n=3,k=1,arg0.0=4", "dim 0 of argument 0 is n, and takes no size");
  refused(m, "n=16,k=4611686018427387904", "does not fit in 64 bits at n = 16");
  tl_module_destroy(m);
}

static void from_inputs(void **state) {
  (void)state;
  tl_module *m = two_sizes(), *new = NULL;
  tl_diags diags = {0};
  const int64_t good[] = {3, 10}, odd[] = {3, 9}, long_n[] = {20, 2};
  tl_type t = {TL_DTYPE_F32, 2, good};
  assert_ok(tl_module_specialise_to(m, TL_STR("main"), &t, 1, &diags, &new));
  assert_ok(tl_module_require_static(new));
  tl_module_destroy(new);
  t.dims = odd;
  assert_status(tl_module_specialise_to(m, TL_STR("main"), &t, 1, NULL, &new),
                TL_STATUS_INVALID_ARGUMENT,
                "dim 1 of argument 0 is 9, which 2*k is for no size of k");
  t.dims = long_n;
  assert_status(tl_module_specialise_to(m, TL_STR("main"), &t, 1, NULL, &new),
                TL_STATUS_INVALID_ARGUMENT, "n is 20, and at most 16");
  t.dtype = TL_DTYPE_F64;
  assert_status(tl_module_specialise_to(m, TL_STR("main"), &t, 1, NULL, &new),
                TL_STATUS_INVALID_ARGUMENT,
                "argument 0 is given tensor<20x2xf64>, and is tensor<{n}x{2*k}xf32>");
  assert_status(tl_module_specialise_to(m, TL_STR("main"), &t, 0, NULL, &new),
                TL_STATUS_INVALID_ARGUMENT, "takes 1 arguments, got 0");
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

// x [?] padded by a computed amount, inside a loop whose body sees the size from outside.
static tl_module *computed(bool at_run_time) {
  tl_module *m = tl_module_create();
  const int64_t any = TL_DIM_ANY;
  const tl_type open = tl_type_of(m->arena, TL_DTYPE_F32, &any, 1),
                i32 = tl_type_scalar(TL_DTYPE_S32), one = TL_TYPE(m->arena, TL_DTYPE_S32, 1);
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, open), n = tl_func_arg(&b, i32);
  if (!at_run_time) n = tlo_get_dimension_size(&b, x, 0);
  tl_value by = tlo_reshape(&b, tlo_mul(&b, n, tlo_constant_i64(&b, i32, 2)), (int64_t[]){1}, 1);
  tl_value zero = tlo_constant_i64(&b, one, 0);
  tl_value init[] = {x, n};
  tl_loop loop = tlo_while_begin(&b, init, 2);
  tl_value go = tlo_compare(&loop.cond, TL_COMPARISON_DIRECTION_GT, loop.x[1],
                            tlo_constant_i64(&loop.cond, i32, 100));
  tl_value wide = tlo_dynamic_pad(&loop.body, loop.y[0],
                                  tlo_constant_f64(&loop.body, tl_type_scalar(TL_DTYPE_F32), 0), by,
                                  zero, zero, open);
  tl_value limit = tlo_reshape(&loop.body, loop.y[1], (int64_t[]){1}, 1);
  tl_value next[] = {tlo_real_dynamic_slice(&loop.body, wide, zero, limit,
                                            tlo_constant_i64(&loop.body, one, 1), open),
                     loop.y[1]};
  tl_value out[2];
  tlo_while_end(&b, &loop, go, next, out);
  tlo_return(&b, out, 1);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static void shapes_that_are_computed(void **state) {
  (void)state;
  tl_module *m = computed(false), *new = specialised(m, "arg0.0=4");
  const tl_func *fn = tl_module_find(new, TL_STR("main"));
  assert_int_equal(fn->result_types[0].dims[0], 4);
  const tl_op *loop = first(fn, TL_OP_WHILE);
  bool pads = false, slices = false;
  for (const tl_op *op = loop->regions[1]->first; op != NULL; op = op->next) {
    pads |= op->code == TL_OP_PAD && op->results[0]->type.dims[0] == 12;
    slices |= op->code == TL_OP_SLICE && op->results[0]->type.dims[0] == 4;
  }
  assert_true(pads && slices); // the loop hands its size on as it is: known inside
  tl_module_destroy(new);
  refused(m, "", "dim 0 of argument 0 of @main has no size: arg0.0=SIZE gives it one");
  refused(m, "arg2.0=4", "arg2.0: @main has no such dim");
  tl_module_destroy(m);
  m = computed(true);
  refused(m, "arg0.0=4",
          "dynamic_pad: result 0 is tensor<?xf32>, and its sizes do not follow from those of the "
          "arguments");
  tl_module_destroy(m);
}

// Too deep: a chain of calls longer than our stack should be.
static void long_chains_are_refused(void **state) {
  (void)state;
  tl_module *m = with_symbols();
  tl_func *callee = NULL;
  for (int i = 0; i < 300; i++) {
    tl_builder b = tl_func_begin(m, tl_arena_printf(m->arena, "f%d", i), i != 299);
    const int64_t n = dim(m, "n");
    tl_value x = tl_func_arg(&b, tl_type_of(m->arena, TL_DTYPE_F32, &n, 1));
    x = callee ? tlo_call(&b, callee, &x, 1)->results[0] : tlo_add(&b, x, x);
    tlo_return(&b, &x, 1);
    callee = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  tl_module *new = NULL;
  const tl_binding two = {TL_STR("n"), 2};
  assert_status(tl_module_specialise(m, &two, 1, NULL, &new), TL_STATUS_RESOURCE_EXHAUSTED,
                "nest deeper than");
  tl_module_destroy(m);
}

static tl_status both(void *arg) {
  const tl_binding sizes[] = {{TL_STR("n"), 3}, {TL_STR("k"), 2}}, place = {TL_STR("arg0.0"), 4};
  tl_module *const *modules = arg;
  tl_module *new = NULL;
  tl_diags diags = {0};
  tl_status st = tl_module_specialise(modules[0], sizes, 2, &diags, &new);
  tl_module_destroy(new);
  new = NULL;
  if (st == TL_OK) st = tl_module_specialise(modules[1], &place, 1, &diags, &new);
  tl_module_destroy(new);
  tl_diags_deinit(&diags);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_module *modules[] = {two_sizes(), computed(false)};
  tl_test_each_oom(both, modules);
  tl_module_destroy(modules[0]);
  tl_module_destroy(modules[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_by_size),
      cmocka_unit_test(from_inputs),
      cmocka_unit_test(shapes_that_are_computed),
      cmocka_unit_test(long_chains_are_refused),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
