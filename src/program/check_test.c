// Rules of calls against what they stand for: right ones pass, wrong ones are caught and named.
#include "base/test.h"

#include <math.h>
#include <stdio.h>

#include <tlaloc/program.h>

static tl_program *made;
#define MADE(...) (assert_ok((__VA_ARGS__)), made)

// f(x, w) = sin(x) w, and rules of it that are off by `slip` in one of their two terms.
static tl_program *f_of(const char *type) {
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "%s", type), w = tl_input(t, "%s", type), y = tl_mul(tl_sin(x), w);
  return MADE(tl_trace_end(t, &y, 1, &made));
}

static tl_program *vjp_of(const char *type, double slip_x, double slip_w) {
  tl_trace *t = tl_trace_begin("back");
  tl_expr ct = tl_input(t, "%s", type), x = tl_input(t, "%s", type), w = tl_input(t, "%s", type),
          out[2];
  out[0] = tl_mul(ct, tl_mul(tl_cos(x), tl_mul(w, 1 + slip_x)));
  out[1] = tl_mul(ct, tl_mul(tl_sin(x), 1 + slip_w));
  return MADE(tl_trace_end(t, out, 2, &made));
}

static tl_program *jvp_of(const char *type, double slip) {
  tl_trace *t = tl_trace_begin("forth");
  tl_expr x = tl_input(t, "%s", type), w = tl_input(t, "%s", type), dx = tl_input(t, "%s", type),
          dw = tl_input(t, "%s", type);
  tl_expr y = tl_add(tl_mul(dx, tl_mul(tl_cos(x), w)), tl_mul(dw, tl_mul(tl_sin(x), 1 + slip)));
  return MADE(tl_trace_end(t, &y, 1, &made));
}

// g(x, w) = exp(f(x, w)), with these rules, which are released.
static tl_program *with(const char *type, tl_program *vjp, tl_program *jvp) {
  tl_program *f = f_of(type);
  tl_trace *t = tl_trace_begin("g");
  tl_expr in[2] = {tl_input(t, "%s", type), tl_input(t, "%s", type)}, y;
  tl_call_custom(f, vjp, jvp, in, 2, &y, 1);
  y = tl_exp(y);
  tl_program *g = MADE(tl_trace_end(t, &y, 1, &made));
  tl_program_release(f);
  tl_program_release(vjp);
  tl_program_release(jvp);
  return g;
}

static const double x[3] = {0.3, -1.2, 2.0}, w[3] = {1.5, 0.25, -0.75};
static const tl_array at_x[2] = {TL_ARRAY(x), TL_ARRAY(w)};

static tl_custom_check checked(tl_program *p, const tl_check_options *o, const tl_array *in) {
  tl_custom_check c;
  assert_ok(tl_program_check_custom(p, o, in, 2, &c));
  tl_program_release(p);
  return c;
}

static void right_rules_pass(void **state) {
  (void)state;
  tl_custom_check c =
      checked(with("f64[3]", vjp_of("f64[3]", 0, 0), jvp_of("f64[3]", 0)), NULL, at_x);
  assert_true(c.passed && c.n_checks == 2 && !c.differences);
  assert_true(c.relative_error < 1e-15);
  // <ct, J t> is neither zero nor the same by chance.
  assert_true(fabs(c.primal_inner) > 1e-3 && fabs(c.primal_inner - c.rule_inner) < 1e-15);
  c = checked(with("f64[3]", NULL, jvp_of("f64[3]", 0)), NULL, at_x); // and transposed
  assert_true(c.passed && c.n_checks == 2);
  c = checked(with("f64[3]", vjp_of("f64[3]", 0, 0), NULL),
              &(tl_check_options){.differences = true}, at_x);
  assert_true(c.passed && c.differences && c.relative_error > 0 && c.relative_error < 1e-9);
}

static void wrong_rules_are_caught(void **state) {
  (void)state;
  // A vjp wrong in its second cotangent, in 7 digits.
  tl_custom_check c =
      checked(with("f64[3]", vjp_of("f64[3]", 0, 1e-6), jvp_of("f64[3]", 0)), NULL, at_x);
  assert_false(c.passed);
  assert_false(c.forward);
  assert_int_equal(c.input, 1);
  assert_true(c.relative_error > 1e-8 && c.relative_error < 1e-5);
  assert_non_null(strstr(c.rule, "back"));
  // A sign, in the first.
  c = checked(with("f64[3]", vjp_of("f64[3]", -2, 0), NULL), NULL, at_x);
  assert_true(!c.passed && c.input == 0);
  assert_true(fabs(c.primal_inner + c.rule_inner) < 1e-14 && fabs(c.primal_inner) > 1e-3);
  assert_true(c.relative_error > 0.1);
  c = checked(with("f64[3]", vjp_of("f64[3]", -2, 0), NULL),
              &(tl_check_options){.differences = true}, at_x);
  assert_true(!c.passed && c.input == 0 && c.differences);
  // By the other input alone it is right.
  c = checked(with("f64[3]", vjp_of("f64[3]", -2, 0), NULL), &(tl_check_options){TL_WRT(1)}, at_x);
  assert_true(c.passed && c.input == 1);
  // A jvp, beside a vjp that is right; alone it is wrong both ways.
  c = checked(with("f64[3]", vjp_of("f64[3]", 0, 0), jvp_of("f64[3]", 0.5)), NULL, at_x);
  assert_true(!c.passed && c.forward && c.input == 1);
  assert_non_null(strstr(c.rule, "forth"));
  c = checked(with("f64[3]", NULL, jvp_of("f64[3]", 0.5)), NULL, at_x);
  assert_false(c.passed);
  // As wrong as the caller takes it.
  c = checked(with("f64[3]", vjp_of("f64[3]", 0, 1e-6), NULL),
              &(tl_check_options){.tolerance = 1e-4, .seed = 5}, at_x);
  assert_true(c.passed);
}

// bf16 and f32 as exact as f64.
static void narrow_types(void **state) {
  (void)state;
  const float fx[3] = {0.25f, -1.5f, 2}, fw[3] = {1.5f, 0.25f, -0.75f};
  const tl_array in[2] = {TL_ARRAY(fx), TL_ARRAY(fw)};
  tl_custom_check c = checked(with("f32[3]", vjp_of("f32[3]", 0, 0), NULL), NULL, in);
  assert_true(c.passed && c.relative_error < 1e-15);
  c = checked(with("f32[3]", vjp_of("f32[3]", 0, 1e-5), NULL), NULL, in);
  assert_true(!c.passed && c.input == 1);
  const uint16_t bx[3] = {0x3e80, 0xbfc0, 0x4000}, bw[3] = {0x3fc0, 0x3e80, 0xbf40};
  const tl_array low[2] = {TL_ARRAY(bx), TL_ARRAY(bw)};
  c = checked(with("bf16[3]", vjp_of("bf16[3]", 0, 0), NULL), NULL, low);
  assert_true(c.passed && c.relative_error < 1e-15);
}

// A rule in a loop's body, of a batch.
static tl_program *step_f, *step_rule;
static void step(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  tl_call_custom(step_f, step_rule, NULL, (tl_expr[]){in[1], in[2]}, 2, out, 1);
  out[1] = in[2];
}

static tl_program *looped(double slip) {
  step_f = f_of("f64[]");
  step_rule = vjp_of("f64[]", slip, 0);
  tl_trace *t = tl_trace_begin("loop");
  tl_expr in[2] = {tl_input(t, "f64"), tl_input(t, "f64")}, y[2];
  tl_for(0, 3, step, NULL, in, 2, y);
  tl_program *one = MADE(tl_trace_end(t, y, 1, &made)), *all;
  assert_ok(tl_program_vmap(one, &(tl_batch_options){.size = 3}, &all));
  tl_program_release(one);
  tl_program_release(step_f);
  tl_program_release(step_rule);
  return all;
}

static void rules_inside(void **state) {
  (void)state;
  assert_true(checked(looped(0), NULL, at_x).passed);
  tl_custom_check c = checked(looped(1e-3), NULL, at_x);
  assert_true(!c.passed && c.input == 0);
}

static void refuses(void **state) {
  (void)state;
  tl_program *f = f_of("f64[3]"), *g = with("f64[3]", vjp_of("f64[3]", 0, 0), NULL);
  tl_custom_check c;
  char want[300];
  snprintf(want, sizeof want,
           "%s:%d: f: nothing in @main brings a vjp or jvp of its own [tlaloc-bad-argument]",
           __FILE__, __LINE__ + 1);
  assert_status(tl_program_check_custom(f, NULL, at_x, 2, &c), TL_STATUS_INVALID_ARGUMENT, want);
  assert_status(tl_program_check_custom(g, NULL, at_x, 1, &c), TL_STATUS_INVALID_ARGUMENT,
                "g: takes 2 arrays, got 1 [tlaloc-bad-argument]");
  const tl_array short_one[2] = {TL_ARRAY(x), {.data = (void *)(uintptr_t)w, .size = 8}};
  assert_status(tl_program_check_custom(g, NULL, short_one, 2, &c), TL_STATUS_INVALID_ARGUMENT,
                "g: input 1 is f64[3], but the array has 8 bytes [tlaloc-bad-argument]");
  assert_status((tl_program_check_custom(g, &(tl_check_options){TL_WRT(2)}, at_x, 2, &c)),
                TL_STATUS_INVALID_ARGUMENT, "@main has no float argument 2");
  // At a pole nothing can be said, which is not passed.
  const double big[3] = {INFINITY, 1, 1};
  const tl_array pole[2] = {TL_ARRAY(big), TL_ARRAY(w)};
  assert_ok(tl_program_check_custom(g, NULL, pole, 2, &c));
  assert_true(!c.passed && isnan(c.relative_error));
  tl_program_release(f);
  tl_program_release(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_rules_pass), cmocka_unit_test(wrong_rules_are_caught),
      cmocka_unit_test(narrow_types),     cmocka_unit_test(rules_inside),
      cmocka_unit_test(refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
