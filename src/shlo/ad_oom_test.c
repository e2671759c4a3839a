// Every transform with each allocation failing in turn: an error of its own, nothing left behind.
#define TL_TEST_OOM_IMPL
#include "shlo/testing.h"

#include "ad/ad.h"

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

static tl_status once(void *arg) {
  tl_module *m = NULL;
  tl_func *d = NULL;
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(tl_str_of(text), "oom", &diags, &m);
  tl_diags_deinit(&diags);
  if (st == TL_OK) {
    const uint32_t before = m->n_funcs;
    st = (*(transform **)arg)(m, tl_module_find(m, TL_STR("main")), &d);
    if (st != TL_OK) assert_int_equal(m->n_funcs, before); // a failed one adds no function
  }
  tl_module_destroy(m);
  return st;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  static transform *const transforms[] = {grad, jvp, hessian, vmap};
  for (size_t i = 0; i < TL_COUNT(transforms); i++)
    tl_test_each_oom(once, (void *)&transforms[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
