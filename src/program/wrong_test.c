// Wrong programs: what each says, with the name of its row of diags.def, and the line of the call.
#include "base/test.h"

#include <stdio.h>

#include <tlaloc/program.h>

// The trace `t`, whose last call stands on that line, ends with this message after "file:line: ".
static void wrong_at(tl_trace *t, int line, const char *message) {
  tl_program *p = NULL;
  tl_expr none = NULL;
  char want[600];
  snprintf(want, sizeof want, "%s:%d: %s", __FILE__, line, message);
  tl_status st = tl_trace_end(t, &none, 1, &p);
  assert_non_null(st);
  if (strcmp(tl_status_message(st), want) != 0)
    fail_msg("said   %s\nwanted %s", tl_status_message(st), want);
  tl_status_drop(st);
  assert_null(p);
}
// One call on inputs x and y of these types.
#define WRONG(x_type, y_type, call, message)   \
  do {                                         \
    tl_trace *t = tl_trace_begin("f");         \
    TL_UNUSED tl_expr x = tl_input(t, x_type); \
    TL_UNUSED tl_expr y = tl_input(t, y_type); \
    tl_expr got = (call);                      \
    assert_null(got);                          \
    wrong_at(t, __LINE__, message);            \
  } while (0)

static void shapes(void **state) {
  (void)state;
  WRONG("f64[3]", "f64[4]", tl_add(x, y),
        "add: the shapes do not go together: f64[3] and f64[4] [tlaloc-shape-mismatch]");
  WRONG("f64[n]", "f64[m]", tl_mul(x, y),
        "multiply: the shapes do not go together: f64[n] and f64[m] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "f64[2, 3]", tl_matmul(x, y),
        "matmul: the inner axes differ: f64[2, 3] and f64[2, 3] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "f64", tl_reshape(x, TL_LIST(4, -1)),
        "reshape: f64[2, 3] does not become [4, -1] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "f64", tl_reshape(x, TL_LIST(2, 4)),
        "reshape: f64[2, 3] does not become [2, 4] [tlaloc-shape-mismatch]");
  WRONG("f64[2]", "f64", tl_broadcast_to(x, TL_LIST(2, 3)),
        "broadcast: f64[2] is not repeated to f64[2, 3] [tlaloc-shape-mismatch]");
  WRONG("f64[2]", "f64[3]", tl_stack(((tl_expr[]){x, y}), 2, 0),
        "stack: the shapes do not go together: f64[2] and f64[3] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "f64", tl_cholesky(x),
        "cholesky: the matrices of f64[2, 3] are not square [tlaloc-shape-mismatch]");
  WRONG("f64[3, 3]", "f64[2, 1]", tl_solve(x, y),
        "solve: a of f64[3, 3], b of f64[2, 1] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "i32[3]", tl_cross_entropy(x, y, false),
        "cross_entropy: logits f64[2, 3], labels i32[3] [tlaloc-shape-mismatch]");
  WRONG("f64[2, 3]", "f64", tl_squeeze(x, 0),
        "squeeze: axis 0 of f64[2, 3] is not of size 1 [tlaloc-shape-mismatch]");
}

static void dtypes(void **state) {
  (void)state;
  WRONG("f32[3]", "f64[3]", tl_add(x, y),
        "add: f32[3] and f64[3] have different element types; convert one of them "
        "[tlaloc-dtype-mismatch]");
  WRONG("i32[3]", "f64", tl_mul(x, 0.5),
        "multiply: the number 0.5 where elements are i32 [tlaloc-dtype-mismatch]");
  WRONG("f32[3, 3]", "f64[3]", tl_matmul(x, y),
        "matmul: f32[3, 3] and f64[3] have different element types; convert one of them "
        "[tlaloc-dtype-mismatch]");
  WRONG("f32", "f64", tl_where(x, x, 0.0),
        "where: wants truth values (i1), got f32 [tlaloc-dtype-mismatch]");
  WRONG("f32[3]", "f64", tl_take(x, x, 0),
        "take: the indices are f32[3], wants integers [tlaloc-dtype-mismatch]");
  WRONG("f32[3]", "f64[3]", tl_concat(((tl_expr[]){x, y}), 2, 0),
        "concat: f32[3] and f64[3] have different element types; convert one of them "
        "[tlaloc-dtype-mismatch]");
  WRONG("i32[3]", "f64", tl_sin(x),
        "sine: not defined for i32; convert it [tlaloc-dtype-unsupported]");
  WRONG("i32[3]", "f64", tl_mean(x),
        "mean: not defined for i32[3]; convert it [tlaloc-dtype-unsupported]");
  WRONG("i32[3]", "f64", tl_softmax(x, 0),
        "softmax: not defined for i32[3]; convert it [tlaloc-dtype-unsupported]");
  WRONG("complex<f32>[3]", "f64", tl_sort(x, 0),
        "sort: not defined for complex<f32>[3]; convert it [tlaloc-dtype-unsupported]");
  WRONG("f32[3]", "f64", tl_all(x),
        "all: not defined for f32[3]; convert it [tlaloc-dtype-unsupported]");
  WRONG("i32[2, 2]", "f64", tl_det(x),
        "det: not defined for i32[2, 2]; convert it [tlaloc-dtype-unsupported]");
}

static void names(void **state) {
  (void)state;
  WRONG("f32[Batch: 8, SeqLen: 4]", "f32[Hidden: 4, Out: 4]", tl_contract(x, y, NULL),
        "contract: the operands share no named axis: lhs=[Batch, SeqLen] rhs=[Hidden, Out] "
        "[tlaloc-axis-mismatch]");
  WRONG("f32[8, a: 4]", "f32[b: 4]", tl_contract(x, y, NULL),
        "contract: the operands share no named axis: lhs=[_, a] rhs=[b] [tlaloc-axis-mismatch]");
  WRONG("f32[a: 8]", "f32[a: 4]", tl_contract(x, y, NULL),
        "contract: `a` has two sizes: f32[a: 8] and f32[a: 4] [tlaloc-axis-mismatch]");
  WRONG("f32[a: 8]", "f32[a: 8]", tl_contract(x, y, "a"),
        "contract: the operands share no named axis but those to keep: lhs=[a] rhs=[a] "
        "[tlaloc-axis-mismatch]");
  WRONG("f32[a: 8]", "f32[b: 8]", tl_contract(x, y, "a"),
        "contract: f32[b: 8] has no axis `a` [tlaloc-axis-missing]");
  WRONG("f32[a: 8]", "f32[b: 8]", tl_add(x, y),
        "add: the axis `a` meets `b`: f32[a: 8] and f32[b: 8] [tlaloc-axis-mismatch]");
  WRONG("f32[a: 8, 8]", "f32[a: 8]", tl_add(x, y),
        "add: `a` is not the same axis in f32[a: 8, 8] and f32[a: 8] [tlaloc-axis-mismatch]");
  WRONG("f32[i: 2, a: 8]", "f32[b: 8, j: 2]", tl_matmul(x, y),
        "matmul: the inner axes are `a` and `b`: f32[i: 2, a: 8] and f32[b: 8, j: 2] "
        "[tlaloc-axis-mismatch]");
  WRONG("f32[i: 2, a: 8]", "f32[a: 8, i: 2]", tl_matmul(x, y),
        "matmul: the product of f32[i: 2, a: 8] and f32[a: 8, i: 2] has two axes `i` "
        "[tlaloc-axis-clash]");
  WRONG("f32[a: 8]", "f32", tl_sum_over(x, "batch"),
        "sum: f32[a: 8] has no axis `batch` [tlaloc-axis-missing]");
  WRONG("f32[a: 8, b: 2]", "f32", tl_order_axes(x, "b, c"),
        "order_axes: f32[a: 8, b: 2] has no axis `c` [tlaloc-axis-missing]");
  WRONG("f32[8, 2]", "f32", tl_name_axes(x, "a, a"),
        "name_axes: `a` is there twice [tlaloc-axis-clash]");
  WRONG("f32[8, 2]", "f32", tl_name_axes(x, "a"),
        "name_axes: 1 names for f32[8, 2] [tlaloc-axis-mismatch]");
  WRONG("f32[a: 8]", "f32[b: 8]", tl_concat(((tl_expr[]){x, y}), 2, 0),
        "concat: the axis `a` meets `b`: f32[a: 8] and f32[b: 8] [tlaloc-axis-mismatch]");
}

static void arguments(void **state) {
  (void)state;
  WRONG("f32[8, 2]", "f32", tl_sum_axes(x, TL_LIST(2)),
        "sum: axis 2 of f32[8, 2] [tlaloc-bad-argument]");
  WRONG("f32[8, 2]", "f32", tl_sum_axes(x, TL_LIST(1, -1)),
        "sum: axis 1 is there twice [tlaloc-bad-argument]");
  WRONG("f32[8, 2]", "f32", tl_transpose(x, TL_LIST(0, 0)),
        "transpose: the list is no permutation of the axes of f32[8, 2] [tlaloc-bad-argument]");
  WRONG("f32[8, 2]", "f32", tl_pick(x, 0, 8),
        "pick: place 8 of axis 0 of f32[8, 2] [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_slice(x, 0, 0, 8, -1),
        "slice: a step of -1; reverse turns an axis round [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_map1("sinus", x), "'sinus' is no op [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_map1("add", x),
        "add: is no elementwise op of 1 operand [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_convert(x, "float"),
        "convert: 'float' is no element type [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_einsum("ij->k", x, NULL),
        "einsum: 'ij->k' is no formula for 1 operand [tlaloc-bad-argument]");
  WRONG("f32[8]", "f32", tl_einsum("ij->i", x, NULL),
        "einsum: 'ij->i' names 2 axes of f32[8] [tlaloc-shape-mismatch]");
  // What only the type rule of the op sees comes with the specification's label.
  WRONG("f32[8]", "f32", tl_dynamic_slice(x, ((tl_expr[]){tl_full(t, 0, "i32")}), ((int64_t[]){9})),
        "dynamic_slice: slice size 9 does not fit dim 0 of tensor<8xf32> (dynamic_slice_c4) "
        "[tlaloc-bad-argument]");
}

static void types(void **state) {
  (void)state;
#define TYPE(text, message)                \
  do {                                     \
    tl_trace *t = tl_trace_begin("f");     \
    tl_expr got = tl_input(t, "%s", text); \
    assert_null(got);                      \
    wrong_at(t, __LINE__, message);        \
  } while (0)
  TYPE("g64[3]", "the type 'g64[3]': 'g64' is no element type [tlaloc-bad-argument]");
  TYPE("f64[3", "the type 'f64[3': wants a ']' at the end [tlaloc-bad-argument]");
  TYPE("f64[-3]", "the type 'f64[-3]': the size -3 is below 0 [tlaloc-bad-argument]");
  TYPE("f64[?]",
       "the type 'f64[?]': the size '?': wants a symbol or a number here [tlaloc-bad-argument]");
  TYPE("f64[1a: 3]", "the type 'f64[1a: 3]': '1a' is no name of an axis [tlaloc-bad-argument]");
  TYPE("f64[a: 3, a: 4]", "the type 'f64[a: 3, a: 4]': two axes are named `a` [tlaloc-axis-clash]");
  TYPE("f64[4611686018427387904, 4]",
       "the type 'f64[4611686018427387904, 4]': needs more bytes than memory can hold "
       "[tlaloc-bad-argument]");
}

static void no_tensor(void **state) {
  (void)state;
  WRONG("f32", "f32", tl_add(x, (tl_expr)NULL),
        "add: operand 1 is no tensor [tlaloc-not-traceable]");
}

static void not_traceable(void **state) {
  (void)state;
  tl_trace *t = tl_trace_begin("f"), *other = tl_trace_begin("g");
  tl_expr x = tl_input(t, "f32"), y = tl_input(other, "f32");
  int line = __LINE__ + 1;
  assert_null(tl_add(x, y));
  wrong_at(t, line, "add: operand 1 belongs to another trace [tlaloc-not-traceable]");
  tl_trace_abandon(other);
  // A first error is the one reported, and what follows from it says nothing.
  t = tl_trace_begin("f");
  x = tl_input(t, "f32[3]");
  line = __LINE__ + 1;
  y = tl_sum_axes(x, TL_LIST(5));
  tl_add(tl_exp(y), tl_sin(x));
  tl_input(t, "nonsense");
  assert_non_null(tl_trace_error(t));
  wrong_at(t, line, "sum: axis 5 of f32[3] [tlaloc-bad-argument]");
  tl_program *p = NULL;
  assert_status(tl_trace_end(tl_trace_begin("bad name"), NULL, 0, &p), TL_STATUS_INVALID_ARGUMENT,
                "'bad name' is no name of a function [tlaloc-bad-argument]");
  assert_status(tl_trace_end(tl_trace_begin("f"), (tl_expr[]){NULL}, 1, &p),
                TL_STATUS_INVALID_ARGUMENT, "output 0 of f is no tensor [tlaloc-not-traceable]");
}

// Text of other producers: line and column.
static void in_text(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n"
      "  %z = stablehlo.add %x, %y : tensor<2xf32>\n"
      "  return %z : tensor<2xf32>\n"
      "}\n";
  tl_program *p = NULL;
  assert_status(tl_program_read(text, sizeof text - 1, NULL, &p), TL_STATUS_INVALID_ARGUMENT,
                "module:2:");
  assert_null(p);
}

// What has no derivative, or no batching rule, is named at its place in the text.
static void without_a_rule(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
      "  %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
      "  %shape = stablehlo.constant dense<> : tensor<0xi64>\n"
      "  %y = stablehlo.rng %x, %one, %shape, distribution = UNIFORM : (tensor<f64>, "
      "tensor<f64>, tensor<0xi64>) -> tensor<f64>\n"
      "  return %y : tensor<f64>\n"
      "}\n";
  tl_program *p = NULL, *q = NULL;
  tl_status st = tl_program_read(text, sizeof text - 1, NULL, &p);
  assert_int_equal(tl_status_get_code(st), TL_STATUS_OK);
  st = tl_program_grad(p, NULL, &q);
  assert_int_equal(tl_status_get_code(st), TL_STATUS_UNIMPLEMENTED);
  assert_non_null(strstr(tl_status_message(st), "module:4:8: rng has no derivative"));
  assert_non_null(strstr(tl_status_message(st), "[tlaloc-not-differentiable]"));
  tl_status_drop(st);
  st = tl_program_vmap(p, &(tl_batch_options){.size = 2}, &q);
  assert_int_equal(tl_status_get_code(st), TL_STATUS_UNIMPLEMENTED);
  assert_non_null(strstr(tl_status_message(st), "module:4:8: rng has no batching rule"));
  assert_non_null(strstr(tl_status_message(st), "[tlaloc-no-batching-rule]"));
  tl_status_drop(st);
  assert_null(q);
  tl_program_release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),        cmocka_unit_test(dtypes),  cmocka_unit_test(names),
      cmocka_unit_test(arguments),     cmocka_unit_test(types),   cmocka_unit_test(no_tensor),
      cmocka_unit_test(not_traceable), cmocka_unit_test(in_text), cmocka_unit_test(without_a_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
