// Branches and loops of traces: values, nesting, what wrong ones say.
#include "program/testing.h"

#define GIVES(fn, type, out_type, ...)                                      \
  traced_gives(fn, type, counting, out_type, (const double[]){__VA_ARGS__}, \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double), 1e-14)

static const double counting[] = {1, 2, 3, 4, 5, 6};

static void twice(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_mul(in[0], 2);
}
// Reads a tensor from around.
static void plus_around(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  out[0] = tl_add(in[0], *(tl_expr *)arg);
}

static tl_expr chosen(tl_trace *t, tl_expr x, bool yes) {
  (void)t;
  tl_expr around = tl_square(x), out;
  tl_expr pred = yes ? tl_gt(tl_sum(x), 0) : tl_lt(tl_sum(x), 0);
  tl_if(pred, twice, plus_around, &around, &x, 1, &out, 1);
  return out;
}
FN(then_branch, chosen(t, x, true))
FN(other_branch, chosen(t, x, false))

static void minus(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_neg(in[0]);
}
// Branch number of the first element; the program's derivative goes through the same branch.
static tl_expr cases(tl_trace *t, tl_expr x, int which) {
  tl_region_fn *branches[] = {twice, plus_around, minus};
  tl_expr around = tl_square(x), out;
  tl_case(tl_full(t, which, "i32"), branches, 3, &around, &x, 1, &out, 1);
  return out;
}
FN(case_0, cases(t, x, 0))
FN(case_1, cases(t, x, 1))
FN(case_2, cases(t, x, 2))
FN(case_past, cases(t, x, 3))
FN(case_before, cases(t, x, -1))

static void below_100(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_lt(tl_sum(in[0]), 100);
}
static void double_and_count(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_mul(in[0], 2);
  out[1] = tl_add(in[1], 1);
}
static tl_expr until_100(tl_trace *t, tl_expr x) {
  tl_expr init[2] = {x, tl_full(t, 0, "f64")}, out[2];
  tl_while(below_100, double_and_count, NULL, init, 2, out);
  return tl_add(tl_mul(out[0], 100), out[1]);
}

// x -> x + i * around: the number of the step is read.
static void add_i(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  out[0] = tl_add(in[1], tl_mul(tl_convert(in[0], "f64"), *(tl_expr *)arg));
}
static tl_expr sum_of_i(tl_trace *t, tl_expr x) {
  (void)t;
  tl_expr out;
  tl_for(-1, 4, add_i, &x, &x, 1, &out);
  return out;
}

// state += x; collects (state, -x).
static void running_sum(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = out[1] = tl_add(in[0], in[1]);
  out[2] = tl_neg(in[1]);
}
static tl_expr scanned(tl_trace *t, tl_expr x, bool reverse, int which) {
  tl_expr init = tl_full(t, 10, "f64[c: 2]"), last, ys[2];
  tl_scan(running_sum, NULL, &init, 1, &x, 1, &(tl_scan_options){.reverse = reverse}, &last, ys, 2);
  return which == 2 ? last : ys[which];
}
FN(scan_sums, scanned(t, x, false, 0))
FN(scan_back, scanned(t, x, true, 0))
FN(scan_minus, scanned(t, x, false, 1))
FN(scan_last, scanned(t, x, false, 2))

// A loop in a loop, with nothing to read.
static void inner_twice(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  tl_for(0, 2, add_i, arg, &in[1], 1, out);
}
static tl_expr nested(tl_trace *t, tl_expr x) {
  (void)t;
  tl_expr out;
  tl_for(0, 3, inner_twice, &x, &x, 1, &out);
  return out;
}

static void values(void **state) {
  (void)state;
  GIVES(then_branch, "f64[a: 3]", "f64[a: 3]", 2, 4, 6);
  GIVES(other_branch, "f64[3]", "f64[3]", 2, 6, 12);
  GIVES(case_0, "f64[a: 3]", "f64[a: 3]", 2, 4, 6);
  GIVES(case_1, "f64[3]", "f64[3]", 2, 6, 12);
  GIVES(case_2, "f64[3]", "f64[3]", -1, -2, -3);
  GIVES(case_past, "f64[3]", "f64[3]", -1, -2, -3);
  GIVES(case_before, "f64[3]", "f64[3]", -1, -2, -3);
  GIVES(until_100, "f64[3]", "f64[3]", 3205, 6405, 9605);
  GIVES(sum_of_i, "f64[3]", "f64[3]", 6, 12, 18);
  GIVES(scan_sums, "f64[t: 3, c: 2]", "f64[3, c: 2]", 11, 12, 14, 16, 19, 22);
  GIVES(scan_back, "f64[3, c: 2]", "f64[3, c: 2]", 19, 22, 18, 20, 15, 16);
  GIVES(scan_minus, "f64[3, c: 2]", "f64[3, c: 2]", -1, -2, -3, -4, -5, -6);
  GIVES(scan_last, "f64[3, c: 2]", "f64[c: 2]", 19, 22);
  GIVES(nested, "f64[3]", "f64[3]", 4, 8, 12);
}

// Of a case by an argument: the derivative of the branch that is taken, and of each example's own.
static void case_derivatives(void **state) {
  (void)state;
  tl_region_fn *branches[] = {twice, plus_around, minus};
  static const double slopes[3] = {2, 1 + 2 * 3.0, -1}; // of 2 x, x + x^2 and -x at 3
  tl_program *f = NULL, *g = NULL, *each = NULL;
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f64"), i = tl_input(t, "i32"), around = tl_square(x), y;
  tl_case(i, branches, 3, &around, &x, 1, &y, 1);
  assert_ok(tl_trace_end(t, &y, 1, &f));
  assert_ok(tl_program_grad(f, NULL, &g));
  assert_ok(tl_program_vmap(g, &(tl_batch_options){.size = 3}, &each));
  double X[3] = {3, 3, 3}, got[3];
  int32_t I[3] = {2, 0, 1};
  const char *devices[MAX_TEST_DEVICES];
  const size_t n = test_devices(devices);
  for (size_t d = 0; d < n; d++) {
    const tl_run_options on = {.device = devices[d]};
    for (int k = 0; k < 3; k++) {
      tl_array in[] = {{.data = &X[k], .size = 8}, {.data = &I[k], .size = 4}},
               out = {.data = &got[k], .size = 8};
      assert_ok(tl_program_run_on(g, &on, in, 2, &out, 1));
      assert_true(got[k] == slopes[I[k]]);
    }
    tl_array in[] = {TL_ARRAY(X), TL_ARRAY(I)}, out = TL_ARRAY(got);
    memset(got, 0, sizeof got);
    assert_ok(tl_program_run_on(each, &on, in, 2, &out, 1));
    for (int k = 0; k < 3; k++)
      assert_true(got[k] == slopes[I[k]]);
  }
  tl_program_release(f);
  tl_program_release(g);
  tl_program_release(each);
}

// ---- wrong ones ----

static void to_f32(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_convert(in[0], "f32");
}
static void leak(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  *(tl_expr *)arg = out[0] = tl_exp(in[0]);
}
static void nothing(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)in, (void)out, (void)arg;
}
static void asks_for_input(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)in;
  *(int *)arg = __LINE__ + 1;
  out[0] = tl_input(t, "f64[2]");
}

static tl_trace *with(tl_expr *x, const char *type) {
  tl_trace *t = tl_trace_begin("f");
  *x = tl_input(t, "%s", type);
  return t;
}

static void wrong(void **state) {
  (void)state;
  tl_expr x, out, kept;
  tl_trace *t = with(&x, "f64[2]");
  int line = __LINE__ + 1;
  tl_if(x, twice, twice, NULL, &x, 1, &out, 1);
  says(t, line, "if: the condition is f64[2], wants a scalar of i1 [tlaloc-dtype-mismatch]");
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_if(tl_gt(tl_sum(x), 0), twice, to_f32, NULL, &x, 1, &out, 1);
  says(t, line,
       "if: value 0 is f64[2] in one branch and f32[2] in the other [tlaloc-dtype-mismatch]");
  tl_region_fn *mixed[] = {twice, twice, to_f32};
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_case(tl_full(t, 0, "i32"), mixed, 3, NULL, &x, 1, &out, 1);
  says(t, line,
       "case: value 0 is f64[2] in branch 0 and f32[2] in branch 2 [tlaloc-dtype-mismatch]");
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_case(x, mixed, 3, NULL, &x, 1, &out, 1);
  says(t, line, "case: the index is f64[2], wants a scalar of i32 [tlaloc-shape-mismatch]");
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_case(tl_full(t, 0, "i32"), mixed, 0, NULL, &x, 1, &out, 1);
  says(t, line, "case: no branches [tlaloc-bad-argument]");
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_while(below_100, to_f32, NULL, &x, 1, &out);
  says(t, line,
       "while: value 0 is f64[2] before the loop and f32[2] after a step [tlaloc-dtype-mismatch]");
  t = with(&x, "f64[2]");
  line = __LINE__ + 1;
  tl_while(below_100, nothing, NULL, &x, 1, &out);
  says(t, line, "while: output 0 was not written [tlaloc-not-traceable]");
  t = with(&x, "f64[2]");
  tl_while(below_100, leak, &kept, &x, 1, &out);
  line = __LINE__ + 1;
  assert_null(tl_add(out, kept));
  says(t, line,
       "add: operand 1 belongs to a loop, branch or function that does not surround this call; "
       "pass it in or out [tlaloc-not-traceable]");
  t = with(&x, "f64[2]");
  tl_while(below_100, asks_for_input, &line, &x, 1, &out);
  says(t, line, "input: inside a loop, branch or function [tlaloc-not-traceable]");
  t = with(&x, "f64");
  line = __LINE__ + 1;
  tl_scan(running_sum, NULL, &x, 1, &x, 1, NULL, &out, &kept, 1);
  says(t, line, "scan: the first axis of xs 0, f64, is no number [tlaloc-shape-mismatch]");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(case_derivatives),
                                     cmocka_unit_test(wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
