// Every op of the table with dims that are symbols, as text and as what the passes make of it:
//
//     op with symbols --print, read, print--> the same text
//            |                  |
//        specialise       inline, specialise
//            v                  v
//     the op of numbers     the op of numbers, inlined; both to the byte
//
// The samples are the good cases of op_cases.def. Of each, every size in turn becomes a symbol
// wherever it occurs, and all of them at once; sizes are such that the type rule takes them, at the
// numbers of the case. An op that takes no symbol in any of its cases is below with its reason,
// and the test fails when one of those begins to.
#include "shlo/testing_symbols.h"

#include "passes/decompose.h"

static const op_case cases[] = {
#define TL_OP_CASE(label, op, ...) {label, TL_OP_##op, __VA_ARGS__},
#include "ir/op_cases.def"
#undef TL_OP_CASE
    {NULL, TL_OP_REMAINDER, "2x3xf32 2x3xf32", "", "", ""},
};

static const struct {
  tl_opcode code;
  const char *why;
} refused[] = {
    {TL_OP_RNG, "its sizes are values that no pass puts in"},
    {TL_OP_PARTITION_ID, "its result is a scalar"},
    {TL_OP_REPLICA_ID, "its result is a scalar"},
    {TL_OP_RUN_PARALLEL, "its programs are functions of their own, which keep their types"},
    {TL_OP_PACK_WEIGHTS, "its attributes give every size"},
    // In a module of text, below.
    {TL_OP_CONSTANT, "text"},
    {TL_OP_IF, "text"},
    {TL_OP_CASE, "text"},
    {TL_OP_CALL, "text"},
    {TL_OP_COMPOSITE, "text"},
    {TL_OP_RETURN, "text"},
};

// Through text: the same text again, and a module that means the same.
static void through_text(const tl_module *m, const tl_module *numbers, const sizes *z,
                         uint32_t which, const char *mnemonic) {
  char *text = text_of(m, mnemonic);
  tl_module *back = parsed(text);
  char *again = text_of(back, mnemonic);
  same(mnemonic, "through text", again, text);
  compare(back, numbers, z, which, mnemonic, "read and specialised");
  if (getenv("TLALOC_TEST_TEXT") != NULL) print_message("%s", text);
  free(again);
  free(text);
  tl_module_destroy(back);
}

static size_t n_compared;

static bool one_case(const op_case *c) {
  const char *mnemonic = tl_op_get(c->code)->mnemonic;
  sizes z = {.n = 0};
  bool taken = false;
  made numbers = module_of(c, 0, &z);
  assert_true(numbers.good);
  for (size_t one = 0; one <= z.n && z.n > 0; one++) {
    const uint32_t which = one < z.n ? 1u << one : (1u << z.n) - 1;
    made symbols = module_of(c, which, &z);
    if (symbols.good) {
      taken = true;
      n_compared++;
      through_text(symbols.k.m, numbers.k.m, &z, which, mnemonic);
      compare(symbols.k.m, numbers.k.m, &z, which, mnemonic, "specialised");
      tl_module *a = NULL, *b = NULL;
      tl_status st = tl_module_inline(symbols.k.m, true, &a);
      if (st != TL_OK) fail_msg("%s is not inlined: %s", mnemonic, said(st));
      assert_ok(tl_module_inline(numbers.k.m, true, &b));
      through_text(a, b, &z, which, mnemonic);
      compare(a, b, &z, which, mnemonic, "inlined and specialised");
      tl_module_destroy(a);
      tl_module_destroy(b);
    }
    tl_module_destroy(symbols.k.m);
  }
  tl_module_destroy(numbers.k.m);
  return taken;
}

static void every_op(void **state) {
  (void)state;
  bool taken[TL_OP_COUNT] = {false};
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    if (cases[i].label == NULL) taken[cases[i].code] |= one_case(&cases[i]);
  size_t wrong = 0;
  for (int code = 0; code < TL_OP_COUNT; code++) {
    const char *why = NULL;
    for (size_t i = 0; i < TL_COUNT(refused); i++)
      if ((int)refused[i].code == code) why = refused[i].why;
    if (taken[code] == (why == NULL)) continue;
    print_error("%s %s\n", tl_op_get((tl_opcode)code)->mnemonic,
                taken[code] ? "takes symbols: it is on the list" : "takes no symbol");
    wrong++;
  }
  print_message("%zu ops of symbols compared\n", n_compared);
  assert_int_equal(wrong, 0);
}

// Ops whose cases above have no sizes to give names: @n of symbols, and the same of numbers.
static const char control[] =
    "  func.func @main(%%0: tensor<%sxf32>%s, %%1: tensor<i1>, %%2: tensor<i32>) -> tensor<%sxf32> "
    "{\n"
    "    %%3 = stablehlo.constant%s dense<0.5> : tensor<%sxf32>\n"
    "    %%4 = \"stablehlo.if\"(%%1) ({\n"
    "      stablehlo.return %%0 : tensor<%sxf32>\n"
    "    }, {\n"
    "      stablehlo.return %%3 : tensor<%sxf32>\n"
    "    }) : (tensor<i1>) -> tensor<%sxf32>\n"
    "    %%5 = \"stablehlo.case\"(%%2) ({\n"
    "      stablehlo.return %%4 : tensor<%sxf32>\n"
    "    }, {\n"
    "      stablehlo.return %%3 : tensor<%sxf32>\n"
    "    }) : (tensor<i32>) -> tensor<%sxf32>\n"
    "    %%6 = call @f(%%5)%s : (tensor<%sxf32>) -> tensor<%sxf32>\n"
    "    %%7 = stablehlo.composite \"a.b\" %%6 {decomposition = @f%s} : (tensor<%sxf32>) -> "
    "tensor<%sxf32>\n"
    "    return %%7 : tensor<%sxf32>\n"
    "  }\n"
    "  func.func private @f(%%0: tensor<%sxf32>%s) -> tensor<%sxf32> {\n"
    "    %%1 = stablehlo.add %%0, %%0 : tensor<%sxf32>\n"
    "    return %%1 : tensor<%sxf32>\n"
    "  }\n"
    "}\n";

static void control_flow(void **state) {
  (void)state;
  char text[2][4096];
  for (int symbols = 0; symbols < 2; symbols++) {
    const char *n = symbols ? "?" : "4", *dims = symbols ? " {tlaloc.dims = [\"n\"]}" : "";
    char *to = text[symbols];
    int at = snprintf(to, sizeof text[0], "module %s{\n",
                      symbols ? "attributes {tlaloc.symbols = {n}} " : "");
    snprintf(to + at, sizeof text[0] - (size_t)at, control, n, dims, n, dims, n, n, n, n, n, n, n,
             dims, n, n, symbols ? ", tlaloc.dims = [\"n\"]" : "", n, n, n, n, dims, n, n, n);
  }
  tl_module *symbolic = parsed(text[1]), *numbers = parsed(text[0]);
  char *again = text_of(symbolic, "control");
  same("control", "through text", again, text[1]);
  free(again);
  tl_diags diags = {0};
  tl_module *a = NULL, *b = NULL;
  assert_ok(tl_pass_specialise(symbolic, TL_STR("n=4"), &diags, &a));
  assert_ok(tl_pass_specialise(numbers, TL_STR(""), &diags, &b));
  char *got = text_of(a, "control"), *want = text_of(b, "control");
  same("control", "specialised", got, want);
  free(got);
  free(want);
  // What a literal of symbols cannot have.
  static const char *const wrong[] = {"dense<[1.0, 2.0]>", "dense<>", "dense<\"0x0000803F\">"};
  for (size_t i = 0; i < TL_COUNT(wrong); i++) {
    tl_module *none = NULL;
    char bad[512];
    snprintf(bad, sizeof bad,
             "module attributes {tlaloc.symbols = {n}} {\n  func.func @main() -> tensor<?xf32> {\n"
             "    %%0 = stablehlo.constant {tlaloc.dims = [\"n\"]} %s : tensor<?xf32>\n"
             "    return %%0 : tensor<?xf32>\n  }\n}\n",
             wrong[i]);
    assert_status(tl_shlo_parse(tl_str_of(bad), "bad.mlir", &diags, &none),
                  TL_STATUS_INVALID_ARGUMENT, "");
  }
  tl_diags_deinit(&diags);
  tl_module_destroy(symbolic);
  tl_module_destroy(numbers);
  tl_module_destroy(a);
  tl_module_destroy(b);
}

// Local dims have no names in text: they are parts of global ones, which say that they divide.
static const char manual[] =
    "module @m %s{\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(%%0: tensor<%sx8xf32>%s, %%1: tensor<%sx4xf32>%s) -> (tensor<%sx8xf32>, "
    "tensor<%sx4xf32>) {\n"
    "    %%2:2 = sdy.manual_computation(%%0, %%1) in_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>, "
    "<@mesh, "
    "[{}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, [{}, {}]>] manual_axes={\"x\", "
    "\"y\"} (%%3: tensor<%sx4xf32>, %%4: tensor<%sx4xf32>) {\n"
    "      %%5 = stablehlo.add %%3, %%3 : tensor<%sx4xf32>\n"
    "      %%6 = stablehlo.multiply %%4, %%4 : tensor<%sx4xf32>\n"
    "      sdy.return %%5, %%6 : tensor<%sx4xf32>, tensor<%sx4xf32>\n"
    "    } : (tensor<%sx8xf32>, tensor<%sx4xf32>) -> (tensor<%sx8xf32>, tensor<%sx4xf32>)\n"
    "    %%7 = stablehlo.add %%2#0, %%0 : tensor<%sx8xf32>\n"
    "    return %%7, %%2#1 : tensor<%sx8xf32>, tensor<%sx4xf32>\n"
    "  }\n"
    "}\n";

static void manual_computation(void **state) {
  (void)state;
  char text[3][4096];
  for (int way = 0; way < 3; way++) { // numbers, symbols, and symbols that do not divide
    const char *n = way ? "?" : "6", *part = way ? "?" : "3", *k = way ? "?" : "5",
               *dims = way == 0   ? ""
                       : way == 1 ? " {tlaloc.dims = [\"2*n\"]}"
                                  : " {tlaloc.dims = [\"n\"]}",
               *other = way ? " {tlaloc.dims = [\"k\"]}" : "";
    snprintf(text[way], sizeof text[way], manual,
             way ? "attributes {tlaloc.symbols = {k, n}} " : "", n, dims, k, other, n, k, part, k,
             part, k, part, k, n, k, n, k, n, n, k);
  }
  tl_module *symbolic = parsed(text[1]), *numbers = parsed(text[0]), *none = NULL, *a = NULL,
            *b = NULL;
  char *again = text_of(symbolic, "manual_computation");
  same("manual_computation", "through text", again, text[1]);
  tl_diags diags = {0};
  assert_ok(tl_pass_specialise(symbolic, TL_STR("n=3,k=5"), &diags, &a));
  assert_ok(tl_pass_specialise(numbers, TL_STR(""), &diags, &b));
  char *got = text_of(a, "manual_computation"), *want = text_of(b, "manual_computation");
  same("manual_computation", "specialised", got, want);
  assert_status(tl_shlo_parse(tl_str_of(text[2]), "bad.mlir", &diags, &none),
                TL_STATUS_INVALID_ARGUMENT, "in 2 parts");
  tl_diags_deinit(&diags);
  free(again), free(got), free(want);
  tl_module_destroy(symbolic);
  tl_module_destroy(numbers);
  tl_module_destroy(a);
  tl_module_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_op), cmocka_unit_test(control_flow),
                                     cmocka_unit_test(manual_computation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
