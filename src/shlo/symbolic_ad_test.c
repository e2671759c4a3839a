// Derivatives and batches of every op of the table with dims that are symbols: transformed and then
// specialised, it is what is specialised first and then transformed, to the byte of the text.
//
// The samples are the good cases of op_cases.def, as in symbolic_ops_test.c: of those whose numbers
// have a derivative by all operands of floats, in forward and in reverse mode. Where the one of
// numbers is and that of symbols is not, the op is below with the reason.
#include "shlo/testing_symbols.h"

#include "ad/ad.h"

static const op_case cases[] = {
#define TL_OP_CASE(label, op, ...) {label, TL_OP_##op, __VA_ARGS__},
#include "ir/op_cases.def"
#undef TL_OP_CASE
};

static const struct {
  tl_opcode code;
  const char *why;
} refused[] = {
    {TL_OP_SCATTER,
     "a region of its own is met window by window: as many as there are are emitted"},
    {TL_OP_REDUCE, "a region of its own that starts with each example's own value is written out, "
                   "fold by fold"},
    {TL_OP_REDUCE_WINDOW, "as reduce"},
    {TL_OP_LU, "square, wide or tall is three rules"},
    {TL_OP_QR, "as lu"},
    {TL_OP_COUNT, ""},
};

// Whose way back is a loop that computes the step again: a size that became a constant stands
// before the loop, one that was a number in it, and ops that read it become one in different
// places.
static bool differs_in_text(tl_opcode code) { return code == TL_OP_GATED_DELTA_RULE; }

typedef tl_status transform(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                            const tl_ad_options *options, const char *name, tl_func **out);

// A batch of three of every argument.
static tl_status batch(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                       const tl_ad_options *options, const char *name, tl_func **out) {
  static const int64_t zeros[64];
  (void)wrt, (void)n_wrt, (void)options;
  assert_true(f->body->n_args <= TL_COUNT(zeros));
  return tl_ad_vmap(m, f, &(tl_vmap_options){.in_axes = zeros, .size = 3}, name, out);
}

// *out NULL: refused.
static tl_status derived(tl_module *m, transform *how, tl_func **out) {
  const tl_func *f = tl_module_find(m, TL_STR("main"));
  uint32_t wrt[16], n = 0;
  *out = NULL;
  for (uint32_t i = 0; i < f->body->n_args && n < TL_COUNT(wrt); i++) {
    const tl_dtype_kind kind = tl_dtype_get(f->body->args[i]->type.dtype)->kind;
    if (kind == TL_KIND_FLOAT || kind == TL_KIND_COMPLEX) wrt[n++] = i;
  }
  if (n == 0 && how != batch) return TL_ERROR(UNIMPLEMENTED, "no floats");
  return how(m, f, wrt, n, NULL, "d", out);
}

static bool is_main(const tl_func *fn, void *arg) {
  (void)arg;
  return tl_str_is(fn->name, "main");
}

// The module of the derivative alone, with numbers for those symbols. A size that became a constant
// may then stand beside one that was one before: equal ops are made one in both modules.
static char *specialised_text(tl_module *m, tl_func *d, const sizes *z, uint32_t which,
                              const char *mnemonic) {
  d->is_private = false;
  tl_module_drop(m, is_main, NULL);
  tl_module *out = specialised(m, z, which, mnemonic);
  tl_module *once = NULL, *live = NULL;
  tl_status st = tl_pass_cse(out, &once);
  if (st == TL_OK) st = tl_pass_dce(once, &live);
  if (st != TL_OK) fail_msg("%s: %s", mnemonic, said(st));
  tl_module *numbered = specialised(live, z, 0, mnemonic);
  char *text = text_of(numbered, mnemonic);
  tl_module_destroy(out);
  tl_module_destroy(once);
  tl_module_destroy(live);
  tl_module_destroy(numbered);
  return text;
}

static size_t n_compared;
static bool missing[TL_OP_COUNT];

// Numbers tell that nothing depends on an argument without elements; symbols do not.
static bool has_empty(const tl_module *m) {
  const tl_block *body = tl_module_find(m, TL_STR("main"))->body;
  for (uint32_t i = 0; i < body->n_args; i++)
    for (uint32_t d = 0; d < body->args[i]->type.rank; d++)
      if (body->args[i]->type.dims[d] == 0) return true;
  return false;
}

static void one_case(const op_case *c, transform *how) {
  const char *mnemonic = tl_op_get(c->code)->mnemonic;
  sizes z = {.n = 0};
  made numbers = module_of(c, 0, &z);
  tl_func *d = NULL;
  tl_status st = derived(numbers.k.m, how, &d);
  const bool any = st == TL_OK && !has_empty(numbers.k.m);
  tl_status_drop(st);
  for (size_t one = 0; any && one <= z.n && z.n > 0; one++) {
    const uint32_t which = one < z.n ? 1u << one : (1u << z.n) - 1;
    made symbols = module_of(c, which, &z);
    if (symbols.good) {
      tl_func *s = NULL;
      st = derived(symbols.k.m, how, &s);
      if (st != TL_OK) {
        if (!missing[c->code]) print_message("%s: %s\n", mnemonic, tl_status_message(st));
        missing[c->code] = true;
        tl_status_drop(st);
      } else {
        char *got = specialised_text(symbols.k.m, s, &z, which, mnemonic),
             *want = specialised_text(numbers.k.m, d, &z, 0, mnemonic);
        if (!differs_in_text(c->code)) same(mnemonic, "transformed and specialised", got, want);
        free(got);
        free(want);
        n_compared++;
      }
    }
    tl_module_destroy(symbols.k.m);
  }
  tl_module_destroy(numbers.k.m);
}

static void every_transform(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    if (cases[i].label == NULL) {
      one_case(&cases[i], tl_ad_vjp);
      one_case(&cases[i], tl_ad_jvp);
      one_case(&cases[i], batch);
    }
  print_message("%zu transforms compared\n", n_compared);
  for (int code = 0; code < TL_OP_COUNT; code++) {
    bool listed = false;
    for (size_t i = 0; i < TL_COUNT(refused); i++)
      listed |= (int)refused[i].code == code;
    if (missing[code] == listed) continue;
    print_error("%s %s\n", tl_op_get((tl_opcode)code)->mnemonic,
                listed ? "has one of symbols: it is on the list" : "has none of symbols");
    wrong++;
  }
  assert_int_equal(wrong, 0);
  assert_true(n_compared > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_transform)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
