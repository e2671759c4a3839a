// Every op of the table with dims that are symbols: what its rule infers and sizes are then put in
// is what it infers from the sizes.
//
// The samples are the good cases of op_cases.def. Of each, every size in turn becomes a symbol
// wherever it occurs (operands, declared results, arguments of regions), and all of them at once.
// The rule may refuse that: a reshape whose counts are then not the same expression. Where it does
// not, its answer is evaluated at the sizes of the case and at others, and compared with what the
// rule says of numbers; where numbers break the rule, there is nothing to compare. A rule that
// is in symbolic.def must infer some op at least once; any other must refuse by name.
#include "ir/testing_symbols.h"

#include "ir/op.h"

static const op_case cases[] = {
#define TL_OP_CASE(label, op, ...) {label, TL_OP_##op, __VA_ARGS__},
#include "ir/op_cases.def"
#undef TL_OP_CASE
};

static const char *const symbolic_rules[] = {
#define TL_SYMBOLIC(rule) #rule,
#include "ir/symbolic.def"
#undef TL_SYMBOLIC
};

static const char *const rule_names[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) [TL_OP_##id] = #rule,
#include "ir/ops.def"
#undef TL_OP
};

static bool is_symbolic(tl_opcode code) {
  for (size_t i = 0; i < TL_COUNT(symbolic_rules); i++)
    if (strcmp(rule_names[code], symbolic_rules[i]) == 0) return true;
  return false;
}

static tl_status infer(case_module *k, const tl_type **out, uint32_t *n) {
  return tl_op_infer(k->m->arena, k->m, k->op, k->n_types ? k->types : NULL, k->n_types, true, out,
                     n);
}

static void compare(case_module *k, const slots *s, sizes *z, uint32_t which,
                    const tl_type *symbolic, uint32_t n, const char *mnemonic) {
  put(k, s, z, which, z->value);
  const tl_type *types;
  uint32_t n_types;
  tl_status st = infer(k, &types, &n_types);
  const bool good = st == TL_OK;
  tl_status_drop(st);
  if (!good) return;
  assert_int_equal(n_types, n);
  int64_t values[MAX_SIZES];
  for (size_t j = 0; j < z->n; j++)
    values[j] = z->value[j];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < symbolic[i].rank; d++) {
      int64_t got = -1;
      uint32_t symbol;
      const tl_dim_result r = tl_dim_eval(k->m, symbolic[i].dims[d], values, &got, &symbol);
      if (r != TL_DIM_FINE || got != types[i].dims[d])
        fail_msg("%s: dim %u of result %u is %.*s, that is %lld, and by numbers %lld", mnemonic, d,
                 i, TL_STR_ARG(tl_dim_text(k->m, symbolic[i].dims[d])), (long long)got,
                 (long long)types[i].dims[d]);
    }
}

static bool refused_by_name(tl_status st) {
  return strstr(tl_status_message(st), "takes only dims that are numbers") != NULL;
}

static size_t n_compared;

// Whether the rule took a symbol.
static bool one_case(const op_case *c, bool takes) {
  case_module k;
  slots s;
  sizes z = {.n = 0};
  bool taken = false;
  case_begin(&k, c);
  const uint32_t n_types = k.n_types;
  const tl_type *alone;
  uint32_t n_alone;
  k.n_types = 0; // a declared result is in the way where the rule needs none
  tl_status st = infer(&k, &alone, &n_alone);
  if (st != TL_OK) k.n_types = n_types;
  tl_status_drop(st);
  collect(&k, &s);
  find_sizes(&k, &s, &z);
  const char *mnemonic = tl_op_get(c->code)->mnemonic;
  for (size_t one = 0; one <= z.n; one++) {
    const uint32_t which = one < z.n ? 1u << one : (1u << z.n) - 1;
    if (z.n == 0) break;
    put(&k, &s, &z, which, z.symbol);
    const tl_type *types;
    uint32_t n;
    st = infer(&k, &types, &n);
    if (!takes && (st == TL_OK || !refused_by_name(st)))
      fail_msg("%s: its rule is not in symbolic.def, and it gave: %s", mnemonic,
               tl_status_message(st));
    if (takes && st != TL_OK && refused_by_name(st))
      fail_msg("%s: its rule is in symbolic.def: %s", mnemonic, tl_status_message(st));
    const bool good = st == TL_OK;
    tl_status_drop(st);
    if (!good) continue;
    taken = true;
    for (int round = 0; round < 4; round++) {
      for (size_t j = 0; j < z.n; j++)
        z.value[j] = (which >> j & 1) == 0 || round == 0 ? z.number[j]
                     : round == 1                        ? z.number[j] + 1
                     : round == 2                        ? 2 * z.number[j]
                                                         : z.number[j] - 1;
      compare(&k, &s, &z, which, types, n, mnemonic);
      n_compared++;
    }
  }
  put(&k, &s, &z, 0, z.value);
  tl_status_drop(k.b.error);
  tl_module_destroy(k.m);
  return taken;
}

static void infer_then_evaluate(void **state) {
  (void)state;
  bool taken[TL_OP_COUNT] = {false};
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    if (cases[i].label == NULL)
      taken[cases[i].code] |= one_case(&cases[i], is_symbolic(cases[i].code));
  assert_true(n_compared > 500);
  for (size_t i = 0; i < TL_COUNT(symbolic_rules); i++) {
    // A constant has a literal's type, which is numbers; a call has the types of its callee, which
    // has numbers here; a custom_call's cases have none with results, a return gives nothing, and
    // branches take nothing.
    static const char *const without[] = {"constant", "call", "custom_call",
                                          "return",   "if",   "case"};
    bool any = false;
    for (size_t k = 0; k < TL_COUNT(without); k++)
      any |= strcmp(symbolic_rules[i], without[k]) == 0;
    for (int code = 0; code < TL_OP_COUNT; code++)
      any |= taken[code] && strcmp(rule_names[code], symbolic_rules[i]) == 0;
    if (!any) fail_msg("the rule %s: no case of it was inferred with a symbol", symbolic_rules[i]);
  }
}

// Windows at the edges: no place for the window, one, strides that do not divide, dilations.
static void windows_at_every_size(void **state) {
  (void)state;
  static const op_case window = {NULL,
                                 TL_OP_REDUCE_WINDOW,
                                 "9xf32 f32",
                                 "window_dimensions=3; window_strides=2; padding=1,-2; "
                                 "base_dilations=3; window_dilations=2",
                                 "",
                                 "f32 f32 -> 1"};
  static const op_case plain = {NULL,        TL_OP_REDUCE_WINDOW,
                                "9xf32 f32", "window_dimensions=4; window_strides=3",
                                "",          "f32 f32 -> 1"};
  static const op_case pad = {
      NULL, TL_OP_PAD, "9xf32 f32", "edge_padding_low=-1; edge_padding_high=3; interior_padding=2",
      "",   ""};
  static const op_case *const all[] = {&window, &plain, &pad};
  for (size_t i = 0; i < TL_COUNT(all); i++) {
    case_module k;
    slots s;
    sizes z;
    case_begin(&k, all[i]);
    collect(&k, &s);
    find_sizes(&k, &s, &z);
    put(&k, &s, &z, 1, z.symbol);
    const tl_type *types;
    uint32_t n;
    assert_ok(infer(&k, &types, &n));
    assert_true(tl_dim_is_named(types[0].dims[0]));
    for (int64_t size = 0; size < 40; size++) {
      z.value[0] = size;
      compare(&k, &s, &z, 1, types, n, tl_op_get(all[i]->code)->mnemonic);
    }
    put(&k, &s, &z, 0, z.value);
    tl_module_destroy(k.m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(infer_then_evaluate),
                                     cmocka_unit_test(windows_at_every_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
