// Derivatives and batches of traced programs against formulas, in every nesting that fits here; the
// names of axes of what they give; what they refuse.
#include "program/testing.h"

// Arrays of f64 in and out, as many as the program has, one after another.
static void run(tl_program *p, const char *device, const double *x, double *y) {
  tl_array in[8], out[8];
  uint32_t n = tl_program_n_inputs(p), r = tl_program_n_outputs(p);
  assert_true(n <= 8 && r <= 8);
  for (uint32_t i = 0; i < n; i++) {
    in[i] = (tl_array){.data = (void *)(uintptr_t)x, .size = tl_program_input_size(p, i)};
    x += in[i].size / sizeof *x;
  }
  for (uint32_t i = 0; i < r; i++) {
    out[i] = (tl_array){.data = y, .size = tl_program_output_size(p, i)};
    y += out[i].size / sizeof *y;
  }
  assert_ok(tl_program_run_on(p, &(tl_run_options){.device = device}, in, n, out, r));
}

// The program, which is released, gives these numbers.
static void gives(tl_program *p, const double *x, const double *want, size_t n) {
  const char *devices[MAX_TEST_DEVICES];
  const size_t n_devices = test_devices(devices);
  for (size_t d = 0; d < n_devices; d++) {
    double got[64];
    memset(got, 0, sizeof got);
    run(p, devices[d], x, got);
    for (size_t i = 0; i < n; i++)
      if (!(fabs(got[i] - want[i]) <= 1e-14 * TL_MAX(1.0, fabs(want[i]))))
        fail_msg("%s: element %zu is %.17g, wanted %.17g", devices[d], i, got[i], want[i]);
  }
  tl_program_release(p);
}
#define GIVES(p, x, ...)                         \
  gives((p), (x), (const double[]){__VA_ARGS__}, \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static tl_program *made;
#define MADE(...) (assert_ok((__VA_ARGS__)), made)

// f = a^2 b + b^2 c: its gradient and Hessian are short enough to write down.
static tl_program *chain(void) {
  tl_trace *t = tl_trace_begin("chain");
  tl_expr x = tl_input(t, "f64[x: 3]");
  tl_expr y = tl_sum(tl_mul(tl_square(tl_slice(x, 0, 0, 2, 1)), tl_slice(x, 0, 1, 3, 1)));
  return MADE(tl_trace_end(t, &y, 1, &made));
}
#define GRADIENT(a, b, c) 2 * (a) * (b), (a) * (a) + 2 * (b) * (c), (b) * (b)
#define HESSIAN(a, b, c) 2 * (b), 2 * (a), 0, 2 * (a), 2 * (c), 2 * (b), 0, 2 * (b), 0

static void of_a_scalar(void **state) {
  (void)state;
  const double x[] = {2, 3, -1, 0.5, -1, 2}; // and a direction
  tl_program *f = chain(), *g;
  g = MADE(tl_program_grad(f, NULL, &made));
  assert_string_equal(tl_program_output_type(g, 0), "f64[x: 3]");
  assert_string_equal(tl_program_name(g), "chain");
  GIVES(tl_program_retain(g), x, GRADIENT(2, 3, -1));
  GIVES(MADE(tl_program_jacobian(g, NULL, &made)), x, HESSIAN(2, 3, -1));
  GIVES(MADE(tl_program_jacobian_reverse(g, NULL, &made)), x, HESSIAN(2, 3, -1));
  // grad and then jvp is the product of the Hessian and the direction.
#define HV 2 * 3 * 0.5 + 2 * 2 * -1, 2 * 2 * 0.5 + 2 * -1 * -1 + 2 * 3 * 2, 2 * 3 * -1
  GIVES(MADE(tl_program_jvp(g, NULL, &made)), x, HV);
  GIVES(MADE(tl_program_vjp(g, NULL, &made)), x, HV);
  GIVES(MADE(tl_program_hvp(f, NULL, &made)), x, HV);
  tl_program_release(g);
  GIVES(MADE(tl_program_value_and_grad(f, NULL, &made)), x, 3, GRADIENT(2, 3, -1));
  GIVES(MADE(tl_program_hessian(f, NULL, &made)), x, HESSIAN(2, 3, -1));
  GIVES(MADE(tl_program_hessian(f, &(tl_derive_options){.value = true}, &made)), x, 3,
        GRADIENT(2, 3, -1), HESSIAN(2, 3, -1));
  GIVES(MADE(tl_program_jvp(f, &(tl_derive_options){.value = true}, &made)), x, 3,
        12 * 0.5 + -2 * -1 + 9 * 2);
  tl_program_release(f);
}

// y = w x, z = sin(y0): several inputs and outputs.
static tl_program *layer(void) {
  tl_trace *t = tl_trace_begin("layer");
  tl_expr w = tl_input(t, "f64[out: 2, in: 3]"), x = tl_input(t, "f64[in: 3]");
  tl_expr y = tl_sum_axes(tl_mul(w, x), TL_LIST(1));
  tl_expr outs[2] = {y, tl_sin(tl_pick(y, 0, 0))};
  return MADE(tl_trace_end(t, outs, 2, &made));
}

static void of_several(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, 6, 0.1, 0.2, -0.3, 10, 20, 2}; // w, x, cotangents
  const double s = cos(0.1 + 0.4 - 0.9), c0 = 10 + 2 * s;
  tl_program *f = layer(), *p;
  p = MADE(tl_program_vjp(f, &(tl_derive_options){TL_WRT(1, 0)}, &made));
  assert_string_equal(tl_program_input_type(p, 2), "f64[out: 2]");
  assert_string_equal(tl_program_input_type(p, 3), "f64");
  assert_string_equal(tl_program_output_type(p, 0), "f64[in: 3]");
  assert_string_equal(tl_program_output_type(p, 1), "f64[out: 2, in: 3]");
  GIVES(p, x, c0 + 80, 2 * c0 + 100, 3 * c0 + 120, c0 * 0.1, c0 * 0.2, c0 * -0.3, 2, 4, -6);
  p = MADE(tl_program_jacobian(f, &(tl_derive_options){TL_WRT(1)}, &made));
  assert_string_equal(tl_program_output_type(p, 0), "f64[out: 2, in: 3]");
  assert_string_equal(tl_program_output_type(p, 1), "f64[in: 3]");
  GIVES(p, x, 1, 2, 3, 4, 5, 6, s, 2 * s, 3 * s);
  // y is linear in x: its transpose maps a cotangent of y to one of x.
  tl_trace *t = tl_trace_begin("linear");
  tl_expr w = tl_input(t, "f64[2, 3]"), v = tl_input(t, "f64[3]");
  tl_expr y = tl_sum_axes(tl_mul(w, v), TL_LIST(1));
  tl_program *linear = MADE(tl_trace_end(t, &y, 1, &made));
  const double wy[] = {1, 2, 3, 4, 5, 6, 10, 20};
  GIVES(MADE(tl_program_transpose(linear, &(tl_derive_options){TL_WRT(1)}, &made)), wy, 90, 120,
        150);
  tl_program_release(linear);
  tl_program_release(f);
}

static void batches(void **state) {
  (void)state;
  tl_program *f = chain(), *g = MADE(tl_program_grad(f, NULL, &made)), *p;
  const double rows[] = {2, 3, -1, 1, 1, 1}, columns[] = {2, 1, 3, 1, -1, 1};
  p = MADE(tl_program_vmap(g, &(tl_batch_options){.size = 2, .axis_name = "batch"}, &made));
  assert_string_equal(tl_program_input_type(p, 0), "f64[batch: 2, x: 3]");
  assert_string_equal(tl_program_output_type(p, 0), "f64[batch: 2, x: 3]");
  GIVES(p, rows, GRADIENT(2, 3, -1), GRADIENT(1, 1, 1));
  p = MADE(tl_program_vmap(
      g, &(tl_batch_options){.size = 2, .in_axes = (int64_t[]){-1}, .axis_name = "b"}, &made));
  assert_string_equal(tl_program_input_type(p, 0), "f64[x: 3, b: 2]");
  GIVES(p, columns, GRADIENT(2, 3, -1), GRADIENT(1, 1, 1));
  p = MADE(tl_program_vmap(f, &(tl_batch_options){.size = 2}, &made));
  assert_string_equal(tl_program_output_type(p, 0), "f64[2]");
  GIVES(p, rows, 3, 2);
  // The gradient of the batch's sum, which is what a training step takes.
  p = MADE(tl_program_vmap(f, &(tl_batch_options){.size = 2, .axis_name = "batch"}, &made));
  tl_program *rows_jacobian = MADE(tl_program_jacobian_reverse(p, NULL, &made));
  assert_string_equal(tl_program_output_type(rows_jacobian, 0),
                      "f64[2, 2, 3]"); // batch is twice there
  GIVES(rows_jacobian, rows, GRADIENT(2, 3, -1), 0, 0, 0, 0, 0, 0, GRADIENT(1, 1, 1));
  tl_program_release(p);
  tl_program_release(g);
  tl_program_release(f);
}

// A batch whose size has a name runs at any.
static void batches_of_any_size(void **state) {
  (void)state;
  tl_program *f = chain(), *g = MADE(tl_program_grad(f, NULL, &made));
  tl_program *p = MADE(tl_program_vmap(g, &(tl_batch_options){.size_name = "n"}, &made));
  assert_string_equal(tl_program_input_type(p, 0), "f64[n, x: 3]");
  double x[] = {2, 3, -1, 1, 1, 1}, y[6];
  for (int64_t n = 1; n <= 2; n++) {
    int64_t dims[] = {n, 3};
    tl_array in = {.data = x, .size = (size_t)n * 24, .dims = dims, .rank = 2};
    assert_ok(tl_program_run(p, &in, 1, &(tl_array){.data = y, .size = (size_t)n * 24}, 1));
    const double want[] = {GRADIENT(2, 3, -1), GRADIENT(1, 1, 1)};
    assert_memory_equal(y, want, (size_t)n * 24);
  }
  tl_program_release(p);
  tl_program_release(g);
  tl_program_release(f);
}

static void refuses(void **state) {
  (void)state;
  tl_program *f = chain(), *g = MADE(tl_program_grad(f, NULL, &made)), *p = NULL;
  char where[300];
  snprintf(where, sizeof where, "%s:%d: ", __FILE__, __LINE__ + 1);
  assert_status(tl_program_grad(g, NULL, &p), TL_STATUS_INVALID_ARGUMENT, where);
  assert_status((tl_program_grad(f, &(tl_derive_options){TL_WRT(1)}, &p)),
                TL_STATUS_INVALID_ARGUMENT, "[tlaloc-bad-argument]");
  assert_status(tl_program_vmap(f, NULL, &p), TL_STATUS_INVALID_ARGUMENT,
                "vmap: a batch of 0; wants a size of at least 1 [tlaloc-bad-argument]");
  snprintf(where, sizeof where,
           "%s:%d: vmap: input 0 of chain, f64[x: 3], has an axis `x` already [tlaloc-axis-clash]",
           __FILE__, __LINE__ + 1);
  assert_status(tl_program_vmap(f, &(tl_batch_options){.size = 2, .axis_name = "x"}, &p),
                TL_STATUS_INVALID_ARGUMENT, where);
  assert_null(p);
  tl_program_release(f);
  tl_program_release(g);
}

// The gradient in a trace, of which the gradient is taken again: |grad f|^2 has the gradient 2 H g.
static void called_in_a_trace(void **state) {
  (void)state;
  const double x[] = {2, 3, -1}, g[] = {GRADIENT(2, 3, -1)}, h[] = {HESSIAN(2, 3, -1)};
  tl_program *f = chain(), *df = MADE(tl_program_grad(f, NULL, &made));
  tl_trace *t = tl_trace_begin("norm");
  tl_expr v = tl_input(t, "f64[3]"), slope, twice;
  tl_call(df, &v, 1, &slope, 1);
  tl_call(df, &v, 1, &twice, 1); // another copy
  assert_string_equal(tl_type_text(slope), "f64[x: 3]");
  tl_expr y = tl_sum(tl_mul(slope, twice));
  tl_program *norm = MADE(tl_trace_end(t, &y, 1, &made));
  double want[4] = {0};
  for (int i = 0; i < 3; i++) {
    want[0] += g[i] * g[i];
    for (int k = 0; k < 3; k++)
      want[1 + i] += 2 * h[3 * i + k] * g[k];
  }
  gives(MADE(tl_program_value_and_grad(norm, NULL, &made)), x, want, 4);
  t = tl_trace_begin("wrong");
  v = tl_input(t, "f64[4]");
  int line = __LINE__ + 1;
  tl_call(df, &v, 1, &slope, 1);
  char where[300];
  snprintf(where, sizeof where,
           "%s:%d: call: input 0 of chain is f64[x: 3], got f64[4] [tlaloc-shape-mismatch]",
           __FILE__, line);
  tl_program *p = NULL;
  assert_status(tl_trace_end(t, &slope, 1, &p), TL_STATUS_INVALID_ARGUMENT, where);
  tl_program_release(norm);
  tl_program_release(df);
  tl_program_release(f);
}

// x^2 with the derivative 10 x, by a vjp or a jvp of its own; computed again; and held constant.
static void rules_of_its_own(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("square");
  tl_expr x = tl_input(t, "f64"), y = tl_square(x), in[2], out;
  tl_program *square = MADE(tl_trace_end(t, &y, 1, &made)), *p = NULL;
  t = tl_trace_begin("ten"); // (ct, x) and (x, tangent) alike
  in[0] = tl_input(t, "f64"), in[1] = tl_input(t, "f64");
  y = tl_mul(10, tl_mul(in[0], in[1]));
  tl_program *ten = MADE(tl_trace_end(t, &y, 1, &made));
  const double at[] = {3}, custom[] = {9, 30}, plain[] = {9, 6}, constant[] = {27, 9};
  for (int how = 0; how < 5; how++) {
    t = tl_trace_begin("f");
    x = tl_input(t, "f64");
    if (how == 0) tl_call_custom(square, ten, NULL, &x, 1, &out, 1);
    if (how == 1) tl_call_custom(square, NULL, ten, &x, 1, &out, 1);
    if (how == 2) tl_call_checkpoint(square, NULL, &x, 1, &out, 1);
    if (how == 3) tl_call_checkpoint(square, "dots", &x, 1, &out, 1);
    if (how == 4) out = tl_mul(x, tl_stop_gradient(tl_square(x)));
    tl_program *f = MADE(tl_trace_end(t, &out, 1, &made));
    gives(MADE(tl_program_value_and_grad(f, NULL, &made)), at,
          how < 2   ? custom
          : how < 4 ? plain
                    : constant,
          2);
    tl_program_release(f);
  }
  t = tl_trace_begin("wrong");
  x = tl_input(t, "f64");
  tl_call_custom(square, square, NULL, &x, 1, &out, 1);
  assert_status(tl_trace_end(t, &out, 1, &p), TL_STATUS_INVALID_ARGUMENT,
                "call_custom: square takes 1 tensors and gives 1, wanted 2 and 1");
  t = tl_trace_begin("wrong");
  x = tl_input(t, "f64");
  tl_call_checkpoint(square, "some", &x, 1, &out, 1);
  assert_status(tl_trace_end(t, &out, 1, &p), TL_STATUS_INVALID_ARGUMENT,
                "the policy of tlaloc.checkpoint is nothing, dots or everything, not \"some\"");
  tl_program_release(square);
  tl_program_release(ten);
}

// The number of the step times what is carried, five times, from 1: x^5 4! and its derivative.
static void times_i(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  out[0] = tl_mul(in[1], tl_mul(*(tl_expr *)arg, tl_add(tl_convert(in[0], "f64"), 1)));
}
static void below(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_lt(in[0], 100);
}
static void squared(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_square(in[0]);
}

static void through_loops(void **state) {
  (void)state;
  const double x[] = {1.5, 3};
  tl_trace *t = tl_trace_begin("counted");
  tl_expr v = tl_input(t, "f64"), one = tl_ones_like(v), y;
  tl_for(0, 4, times_i, &v, &one, 1, &y);
  tl_program *p = MADE(tl_trace_end(t, &y, 1, &made));
  GIVES(MADE(tl_program_value_and_grad(p, NULL, &made)), x, 24 * 5.0625, 24 * 4 * 3.375);
  GIVES(MADE(tl_program_hessian(p, NULL, &made)), x, 24 * 4 * 3 * 2.25);
  tl_program_release(p);
  t = tl_trace_begin("unknown"); // 3 -> 9 -> 81 -> 6561: x^8
  v = tl_input(t, "f64");
  tl_while(below, squared, NULL, &v, 1, &y);
  p = MADE(tl_trace_end(t, &y, 1, &made));
  GIVES(MADE(tl_program_value_and_grad(p, NULL, &made)), x + 1, 6561, 8 * 2187);
  tl_program_release(p);
}

// ---- as a person would write them ----

static size_t times(const char *text, const char *what) {
  size_t n = 0;
  for (; (text = strstr(text, what)) != NULL; text += strlen(what))
    n++;
  return n;
}
static void writes(tl_program *p, const char *what, size_t n) {
  char *text = tl_program_print(p);
  assert_non_null(text);
  if (times(text, what) != n) fail_msg("%zu times %s in\n%s", times(text, what), what, text);
  free(text);
}

static void no_more_ops_than_by_hand(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f64[4]"), y = tl_input(t, "f64[4]");
  tl_expr d = tl_sub(x, y);
  const tl_derive_options both = {TL_WRT(0, 1)};
  tl_program *f = MADE(tl_trace_end(t, &d, 1, &made)), *g = MADE(tl_program_jvp(f, &both, &made));
  writes(g, "stablehlo.subtract", 1); // dx - dy
  writes(g, "stablehlo.negate", 0);
  tl_program_release(f);
  tl_program_release(g);

  // Second differences: minus of minus is nothing.
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[4]"), y = tl_input(t, "f64[4]");
  d = tl_sum(tl_mul(tl_cos(x), tl_sub(x, tl_sub(y, x))));
  f = MADE(tl_trace_end(t, &d, 1, &made)), g = MADE(tl_program_grad(f, NULL, &made));
  writes(g, "stablehlo.negate", 0);
  tl_program_release(f);
  tl_program_release(g);

  // Nothing is multiplied by 1: by x the gradient is y. The square of a length has none of the
  // products of tensors in it: by x it is x + x.
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[4]"), y = tl_input(t, "f64[4]");
  d = tl_sum(tl_mul(x, y));
  f = MADE(tl_trace_end(t, &d, 1, &made)), g = MADE(tl_program_grad(f, NULL, &made));
  writes(g, "stablehlo.", 0);
  tl_program_release(f);
  tl_program_release(g);
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[4]");
  d = tl_matmul(x, x);
  f = MADE(tl_trace_end(t, &d, 1, &made)), g = MADE(tl_program_grad(f, NULL, &made));
  writes(g, "stablehlo.", 1);
  writes(g, "stablehlo.add", 1);
  GIVES(g, ((const double[]){1, -2, 3, 4}), 2, -4, 6, 8);
  tl_program_release(f);
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[2, 3]"), y = tl_input(t, "f64[3, 2]");
  d = tl_mul(3.0, tl_dot_general(x, y, 0, NULL, NULL, 2, (const int64_t[]){0, 1},
                                 (const int64_t[]){1, 0})); // 3 tr(x y)
  f = MADE(tl_trace_end(t, &d, 1, &made)), g = MADE(tl_program_grad(f, NULL, &made));
  writes(g, "stablehlo.dot_general", 0);
  GIVES(g, ((const double[]){0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}), 3, 9, 15, 6, 12, 18);
  tl_program_release(f);

  // Sums of one tensor are one sum; its largest element is another matter.
  t = tl_trace_begin("f");
  x = tl_input(t, "f64[4]");
  d = tl_mul(tl_mul(tl_sum(x), tl_exp(tl_sum(x))), tl_reduce_max(x));
  f = MADE(tl_trace_end(t, &d, 1, &made)), g = MADE(tl_program_grad(f, NULL, &made));
  writes(f, "stablehlo.reduce(", 3);
  writes(g, "stablehlo.add across", 2); // and the places that hold the largest, counted
  writes(g, "stablehlo.maximum across", 1);
  tl_program_release(f);
  tl_program_release(g);
}

// A program that is called twice has one function in the other, and one a size where sizes differ.
static void one_function_for_all_calls(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("inner");
  tl_expr x = tl_input(t, "f64[n]"), y = tl_sum(tl_sin(x));
  tl_program *inner = MADE(tl_trace_end(t, &y, 1, &made)), *p;
  t = tl_trace_begin("outer");
  tl_expr a = tl_input(t, "f64[4]"), b = tl_input(t, "f64[2]"), ya, yb, yc;
  tl_call(inner, &a, 1, &ya, 1);
  tl_call(inner, &b, 1, &yb, 1);
  tl_expr more = tl_add(a, ya);
  tl_call(inner, &more, 1, &yc, 1);
  y = tl_add(tl_add(ya, yb), yc);
  p = MADE(tl_trace_end(t, &y, 1, &made));
  writes(p, "func.func private", 2);
  writes(p, " = call @inner", 3);
  tl_program_release(inner);
  tl_program_release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_scalar),
      cmocka_unit_test(of_several),
      cmocka_unit_test(batches),
      cmocka_unit_test(batches_of_any_size),
      cmocka_unit_test(refuses),
      cmocka_unit_test(called_in_a_trace),
      cmocka_unit_test(rules_of_its_own),
      cmocka_unit_test(through_loops),
      cmocka_unit_test(no_more_ops_than_by_hand),
      cmocka_unit_test(one_function_for_all_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
