// Every transform with each allocation failing in turn: an error of its own, nothing left behind.
#define TL_TEST_OOM_IMPL
#include "shlo/testing.h"

#include "ad/check.h"

// A loop of unknown trips, a branch, a sort, a factorisation, a product and a named op.
static const char text[] =
    "func.func @main(%x: tensor<3x3xf64>, %n: tensor<i64>) -> tensor<f64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<3x3xf64>\n"
    "  cond {\n"
    "    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "    %j = stablehlo.add %i, %one : tensor<i64>\n"
    "    %odd = stablehlo.and %i, %one : tensor<i64>\n"
    "    %p = stablehlo.compare EQ, %odd, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    %z = \"stablehlo.if\"(%p) ({\n"
    "      %s = stablehlo.sine %y : tensor<3x3xf64>\n"
    "      stablehlo.return %s : tensor<3x3xf64>\n"
    "    }, {\n"
    "      %d = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] :\n"
    "        (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>\n"
    "      stablehlo.return %d : tensor<3x3xf64>\n"
    "    }) : (tensor<i1>) -> tensor<3x3xf64>\n"
    "    stablehlo.return %j, %z : tensor<i64>, tensor<3x3xf64>\n"
    "  }\n"
    "  %t = stablehlo.tanh %r#1 : tensor<3x3xf64>\n"
    "  %c0 = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %sum = stablehlo.reduce(%t init: %c0) applies stablehlo.maximum across dimensions = [0, 1]\n"
    "    : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>\n"
    "  return %sum : tensor<f64>\n"
    "}\n";

// Ops that are written out, ops of sizes that are operands, collectives, and what is recognised.
static const char others[] =
    "func.func @main(%x: tensor<3xf64>, %n: tensor<1xi64>) -> tensor<3xf64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<1xi64>\n"
    "  %v = stablehlo.constant dense<0.5> : tensor<f64>\n"
    "  %p = stablehlo.dynamic_pad %x, %v, %zero, %zero, %n : (tensor<3xf64>, tensor<f64>, "
    "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf64>\n"
    "  %at = stablehlo.constant dense<1> : tensor<70x1xi64>\n"
    "  %u = stablehlo.constant dense<0.25> : tensor<70xf64>\n"
    "  %s = \"stablehlo.scatter\"(%p, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<"
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
    "    %t = stablehlo.tanh %a : tensor<f64>\n"
    "    %c = stablehlo.add %t, %b : tensor<f64>\n"
    "    stablehlo.return %c : tensor<f64>\n"
    "  }) : (tensor<5xf64>, tensor<70x1xi64>, tensor<70xf64>) -> tensor<5xf64>\n"
    "  %e = stablehlo.real_dynamic_slice %s, %zero, %n, %n : (tensor<5xf64>, tensor<1xi64>, "
    "tensor<1xi64>, tensor<1xi64>) -> tensor<3xf64>\n"
    "  %root = stablehlo.constant dense<0> : tensor<1xi32>\n"
    "  %m = \"stablehlo.collective_reduce\"(%e, %root) <{has_dynamic_root = true, replica_groups = "
    "dense<0> : tensor<1x1xi64>}> ({\n"
    "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
    "    %c = stablehlo.maximum %a, %b : tensor<f64>\n"
    "    stablehlo.return %c : tensor<f64>\n"
    "  }) : (tensor<3xf64>, tensor<1xi32>) -> tensor<3xf64>\n"
    "  return %m : tensor<3xf64>\n"
    "}\n";

// f(x) = x x with a jvp of its own.
static const char custom[] =
    "func.func private @f(%x: tensor<f64>) -> tensor<f64> {\n"
    "  %y = stablehlo.multiply %x, %x : tensor<f64>\n"
    "  return %y : tensor<f64>\n"
    "}\n"
    "func.func private @j(%x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {\n"
    "  %a = stablehlo.multiply %x, %t : tensor<f64>\n"
    "  %b = stablehlo.add %a, %a : tensor<f64>\n"
    "  return %b : tensor<f64>\n"
    "}\n"
    "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
    "  %y = stablehlo.composite \"my.f\" %x {decomposition = @f, jvp = @j} : (tensor<f64>) -> "
    "tensor<f64>\n"
    "  return %y : tensor<f64>\n"
    "}\n";

typedef tl_status transform(tl_module *m, const tl_func *f, tl_func **out);

static const uint32_t first[] = {0};
static tl_status grad(tl_module *m, const tl_func *f, tl_func **out) {
  return tl_ad_grad(m, f, first, 1, &(tl_ad_options){.value = true}, "d", out);
}
static tl_status jvp(tl_module *m, const tl_func *f, tl_func **out) {
  return tl_ad_jvp(m, f, first, 1, &(tl_ad_options){.value = true}, "d", out);
}
static tl_status hessian(tl_module *m, const tl_func *f, tl_func **out) {
  return tl_ad_hessian(m, f, first, 1, &(tl_ad_options){.value = true}, "d", out);
}
static tl_status vmap(tl_module *m, const tl_func *f, tl_func **out) {
  static const int64_t axes[] = {-1, 0};
  return tl_ad_vmap(m, f, &(tl_vmap_options){.in_axes = axes, .size = 5}, "d", out);
}

static tl_status vmap_first(tl_module *m, const tl_func *f, tl_func **out) {
  static const int64_t axes[] = {0, TL_NOT_BATCHED};
  return tl_ad_vmap(m, f, &(tl_vmap_options){.in_axes = axes, .size = 5}, "d", out);
}
static tl_status vjp(tl_module *m, const tl_func *f, tl_func **out) {
  return tl_ad_vjp(m, f, first, 1, NULL, "d", out);
}
static tl_status check(tl_module *m, const tl_func *f, tl_func **out) {
  tl_arena *a = tl_arena_create();
  tl_ad_check_row *rows;
  tl_tensor *in;
  uint32_t n = 0;
  tl_status st = a == NULL ? TL_OOM() : tl_ad_random_inputs(f, 0, a, &in);
  if (st == TL_OK) st = tl_ad_check_custom(m, f, in, NULL, a, &rows, &n);
  if (st == TL_OK) assert_true(n == 2 && rows[0].passed && rows[1].passed);
  tl_arena_destroy(a);
  (void)out;
  return st;
}

typedef struct trial {
  const char *text;
  transform *transform;
} trial;

static tl_status once(void *arg) {
  const trial *t = arg;
  tl_module *m = NULL;
  tl_func *d = NULL;
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(tl_str_of(t->text), "oom", &diags, &m);
  tl_diags_deinit(&diags);
  if (st == TL_OK) {
    const uint32_t before = m->n_funcs;
    st = t->transform(m, tl_module_find(m, TL_STR("main")), &d);
    if (st != TL_OK) assert_int_equal(m->n_funcs, before); // a failed one adds no function
  }
  tl_module_destroy(m);
  return st;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  static const trial trials[] = {{text, grad},         {text, jvp},    {text, hessian},
                                 {text, vmap},         {others, vjp},  {others, jvp},
                                 {others, vmap_first}, {custom, check}};
  for (size_t i = 0; i < TL_COUNT(trials); i++)
    tl_test_each_oom(once, (void *)(uintptr_t)&trials[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
