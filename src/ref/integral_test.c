// Integrals against mpmath's (tests/ref/host.json), what is reported, and the derivatives.
#include "base/test.h"

#include "ref/integral.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static double polynomial(double x, void *c) { return (void)c, x * x * x - 2 * x + 1; }
static double sine(double x, void *c) { return (void)c, sin(x); }
static double sine_squared(double x, void *c) { return (void)c, sin(x) * sin(x); }
static double gaussian(double x, void *c) { return (void)c, exp(-x * x); }
static double peak(double x, void *c) { return (void)c, 1 / (0.001 + x * x); }
static double reciprocal(double x, void *c) { return (void)c, 1 / x; }
static double oscillating(double x, void *c) { return (void)c, cos(x * x); }

static const struct {
  const char *name;
  tl_integrand *f;
} integrands[] = {
    {"polynomial", polynomial},   {"sine", sine}, {"sine_squared", sine_squared},
    {"gaussian", gaussian},       {"peak", peak}, {"reciprocal", reciprocal},
    {"oscillating", oscillating},
};

static void values(void **state) {
  (void)state;
  json_t *root;
  assert_ok(tl_json_read("tests/ref/host.json", 1 << 20, &root));
  const json_t *list = json_object_get(root, "integrals");
  assert_int_equal(json_array_size(list), TL_COUNT(integrands));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *c = json_array_get(list, i);
    assert_string_equal(json_string_value(json_object_get(c, "name")), integrands[i].name);
    double a = json_number_value(json_object_get(c, "a")),
           b = json_number_value(json_object_get(c, "b")),
           want = json_number_value(json_object_get(c, "value"));
    tl_integral_report r;
    assert_ok(tl_integral(a, b, integrands[i].f, NULL, NULL, &r));
    assert_true(r.converged && r.depth >= 3 && r.depth <= 16);
    // The change between two estimates bounds the error of the better one amply.
    if (!(fabs(r.value - want) <= 1e-8 * (1 + fabs(want))))
      fail_msg("%s is %.17g, wanted %.17g", integrands[i].name, r.value, want);
    tl_integral_report back;
    assert_ok(tl_integral(b, a, integrands[i].f, NULL, NULL, &back));
    assert_true(fabs(back.value + r.value) <= 2e-8 * (1 + fabs(want)));
    tl_integral_options fine = {.max_depth = 22, .tolerance = 1e-13};
    assert_ok(tl_integral(a, b, integrands[i].f, NULL, &fine, &r));
    assert_true(fabs(r.value - want) <= 1e-12 * (1 + fabs(want)));
  }
  json_decref(root);
}

typedef struct counted {
  size_t calls;
  double p;
} counted;

static double power_of(double x, void *context) { // x^p, whose integral over [0, b] is known
  counted *c = context;
  c->calls++;
  return pow(x, c->p);
}
static double power_by_p(double x, void *context) {
  counted *c = context;
  return x > 0 ? pow(x, c->p) * log(x) : 0;
}

static void reports(void **state) {
  (void)state;
  counted c = {.p = 3};
  tl_integral_report r;
  assert_ok(tl_integral(2, 2, power_of, &c, NULL, &r)); // f is not asked
  assert_true(r.value == 0 && r.converged && r.depth == 0 && c.calls == 0);
  assert_ok(tl_integral(0, 2, power_of, &c, NULL, &r));
  assert_true(r.converged && r.depth == 3 && c.calls == 9 && fabs(r.value - 4) < 1e-14);
  // A singularity of the derivative converges slowly: the report says that it did not.
  tl_integral_options shallow = {.max_depth = 4, .tolerance = 1e-12};
  c = (counted){.p = 0.5};
  assert_ok(tl_integral(0, 1, power_of, &c, &shallow, &r));
  assert_true(!r.converged && r.depth == 4 && c.calls == 17 && r.change > 1e-12);
  c = (counted){.p = -1}; // infinite at 0
  assert_ok(tl_integral(0, 1, power_of, &c, &shallow, &r));
  assert_false(r.converged);
  shallow.max_depth = 1;
  assert_ok(tl_integral(0, 1, polynomial, NULL, &shallow, &r));
  assert_true(!r.converged && r.depth == 1);
}

static void gradients(void **state) {
  (void)state;
  counted c = {.p = 2};
  double da, db;
  tl_integral_bounds_grad(0.5, 2, power_of, &c, &da, &db);
  assert_true(da == -0.25 && db == 4);
  tl_integral_report r; // d/dp of b^(p+1)/(p+1) at p = 2, b = 2
  assert_ok(tl_integral_parameter_grad(0, 2, power_by_p, &c, NULL, &r));
  assert_true(r.converged && fabs(r.value - (8.0 / 3 * log(2) - 8.0 / 9)) < 1e-7);
}

static void refusals(void **state) {
  (void)state;
  tl_integral_report r;
  assert_status(tl_integral(0, 1, sine, NULL, &(tl_integral_options){.max_depth = 31}, &r),
                TL_STATUS_INVALID_ARGUMENT, "max_depth is 31");
  assert_status(tl_integral(0, 1, sine, NULL, &(tl_integral_options){.tolerance = -1}, &r),
                TL_STATUS_INVALID_ARGUMENT, "not positive");
  assert_status(tl_integral(0, INFINITY, sine, NULL, NULL, &r), TL_STATUS_INVALID_ARGUMENT,
                "not finite");
  assert_status(tl_integral(NAN, 1, sine, NULL, NULL, &r), TL_STATUS_INVALID_ARGUMENT,
                "not finite");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(reports),
                                     cmocka_unit_test(gradients), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
