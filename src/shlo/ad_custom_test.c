// Rules that a program brings itself, and recomputation: read from text, printed, differentiated.
#include "shlo/testing.h"

#include <math.h>

#include "ad/ad.h"
#include "passes/passes.h"
#include "ref/ref.h"

// f(x, w) = sin(x) w. Its rules are wrong on purpose, so that one sees that they are used: the
// derivative by x is 100 x, and by w it is w.
#define FUNCTIONS                                                                     \
  "func.func private @f(%x: tensor<4xf64>, %w: tensor<4xf64>) -> tensor<4xf64> {\n"   \
  "  %s = stablehlo.sine %x : tensor<4xf64>\n"                                        \
  "  %y = stablehlo.multiply %s, %w : tensor<4xf64>\n"                                \
  "  return %y : tensor<4xf64>\n"                                                     \
  "}\n"                                                                               \
  "func.func private @fv(%ct: tensor<4xf64>, %x: tensor<4xf64>, %w: tensor<4xf64>)\n" \
  "    -> (tensor<4xf64>, tensor<4xf64>) {\n"                                         \
  "  %c = stablehlo.constant dense<100.0> : tensor<4xf64>\n"                          \
  "  %a = stablehlo.multiply %ct, %c : tensor<4xf64>\n"                               \
  "  %b = stablehlo.multiply %a, %x : tensor<4xf64>\n"                                \
  "  %d = stablehlo.multiply %ct, %w : tensor<4xf64>\n"                               \
  "  return %b, %d : tensor<4xf64>, tensor<4xf64>\n"                                  \
  "}\n"                                                                               \
  "func.func private @fj(%x: tensor<4xf64>, %w: tensor<4xf64>, %tx: tensor<4xf64>,\n" \
  "    %tw: tensor<4xf64>) -> tensor<4xf64> {\n"                                      \
  "  %c = stablehlo.constant dense<100.0> : tensor<4xf64>\n"                          \
  "  %a = stablehlo.multiply %tx, %c : tensor<4xf64>\n"                               \
  "  %b = stablehlo.multiply %a, %x : tensor<4xf64>\n"                                \
  "  %d = stablehlo.multiply %tw, %w : tensor<4xf64>\n"                               \
  "  %e = stablehlo.add %b, %d : tensor<4xf64>\n"                                     \
  "  return %e : tensor<4xf64>\n"                                                     \
  "}\n"
#define MAIN(rules)                                                                \
  "func.func @main(%x: tensor<4xf64>, %w: tensor<4xf64>) -> tensor<4xf64> {\n"     \
  "  %y = stablehlo.composite \"custom.f\" %x, %w {decomposition = @f" rules "}\n" \
  "    : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>\n"                        \
  "  return %y : tensor<4xf64>\n"                                                  \
  "}\n"

// Two products and two sines: what each policy computes again.
#define CHECKPOINT(policy)                                                                \
  "func.func private @g(%x: tensor<4x4xf64>, %a: tensor<4x4xf64>) -> tensor<4x4xf64> {\n" \
  "  %p = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0]\n"                   \
  "    : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>\n"                         \
  "  %s = stablehlo.sine %p : tensor<4x4xf64>\n"                                          \
  "  %q = stablehlo.dot_general %s, %a, contracting_dims = [1] x [0]\n"                   \
  "    : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>\n"                         \
  "  %t = stablehlo.sine %q : tensor<4x4xf64>\n"                                          \
  "  return %t : tensor<4x4xf64>\n"                                                       \
  "}\n"                                                                                   \
  "func.func @main(%x: tensor<4x4xf64>, %a: tensor<4x4xf64>) -> tensor<4x4xf64> {\n"      \
  "  %y = stablehlo.composite \"tlaloc.checkpoint\" %x, %a\n"                             \
  "    {composite_attributes = {policy = \"" policy "\"}, decomposition = @g}\n"          \
  "    : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>\n"                         \
  "  return %y : tensor<4x4xf64>\n"                                                       \
  "}\n"

static tl_func *find(const tl_module *m, const char *name) {
  return tl_module_find(m, tl_str_of(name));
}

static void run(const tl_func *fn, double *const *in, tl_arena *a, tl_tensor *out) {
  tl_tensor args[4];
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    args[i] = (tl_tensor){fn->body->args[i]->type, in[i]};
  assert_ok(tl_ref_run(fn, TL_REF_AS_TYPED, args, fn->body->n_args, a, out, 0));
}

static double x[12] = {0.1, 0.2, 0.3, 0.4, 1.1, 1.2, 1.3, 1.4, 2.1, 2.2, 2.3, 2.4},
              w[4] = {2, 3, 5, 7}, ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const uint32_t both[2] = {0, 1};

// Backward and forward, by whichever rule there is.
static void its_own_rules_are_used(void **state) {
  (void)state;
  static const char *const texts[] = {FUNCTIONS MAIN(", vjp = @fv"), FUNCTIONS MAIN(", jvp = @fj"),
                                      FUNCTIONS MAIN(", jvp = @fj, vjp = @fv")};
  for (size_t t = 0; t < TL_COUNT(texts); t++) {
    tl_module *m = parsed(texts[t]);
    tl_arena *a = tl_arena_create();
    tl_func *back, *forward;
    tl_tensor out[2];
    assert_ok(tl_ad_vjp(m, find(m, "main"), both, 2, NULL, "back", &back));
    run(back, (double *[]){x, w, ones}, a, out);
    for (int i = 0; i < 4; i++) {
      assert_true(((double *)out[0].data)[i] == 100 * x[i]);
      assert_true(((double *)out[1].data)[i] == w[i]);
    }
    tl_status st = tl_ad_jvp(m, find(m, "main"), both, 2, NULL, "forward", &forward);
    if (t == 0) { // a vjp alone
      assert_int_equal(tl_status_get_code(st), TL_STATUS_UNIMPLEMENTED);
      assert_non_null(strstr(tl_status_message(st), "no jvp"));
      tl_status_drop(st);
    } else {
      assert_ok(st);
      run(forward, (double *[]){x, w, ones, ones}, a, out);
      for (int i = 0; i < 4; i++)
        assert_true(((double *)out[0].data)[i] == 100 * x[i] + w[i]);
    }
    tl_arena_destroy(a);
    tl_module_destroy(m);
  }
}

// Read, printed, read: the same text; and nothing that a rule names is dead.
static void rules_survive(void **state) {
  (void)state;
  tl_module *m = parsed(FUNCTIONS MAIN(", jvp = @fj, vjp = @fv")), *live = NULL, *once = NULL;
  assert_ok(tl_pass_dce(m, &live));
  assert_ok(tl_pass_cse(live, &once));
  char *text = printed(once, NULL);
  assert_non_null(strstr(text, "decomposition = @f, jvp = @fj, vjp = @fv"));
  tl_module *again = parsed(text);
  char *second = printed(again, NULL);
  assert_string_equal(text, second);
  assert_non_null(find(again, "fj"));
  assert_non_null(find(again, "fv"));
  free(text);
  free(second);
  tl_module_destroy(m);
  tl_module_destroy(live);
  tl_module_destroy(once);
  tl_module_destroy(again);
}

// A batch has the rules of a batch: of what all lanes share the sum.
static void a_batch_maps_the_rules(void **state) {
  (void)state;
  tl_module *m = parsed(FUNCTIONS MAIN(", jvp = @fj, vjp = @fv"));
  tl_arena *a = tl_arena_create();
  const int64_t axes[2] = {0, TL_NOT_BATCHED};
  tl_vmap_options o = {.in_axes = axes, .size = 3};
  tl_func *all, *back, *forward;
  tl_tensor out[2];
  assert_ok(tl_ad_vmap(m, find(m, "main"), &o, "all", &all));
  assert_ok(tl_ad_vjp(m, all, both, 2, NULL, "back", &back));
  run(back, (double *[]){x, w, ones}, a, out);
  for (int i = 0; i < 12; i++)
    assert_true(((double *)out[0].data)[i] == 100 * x[i]);
  for (int i = 0; i < 4; i++)
    assert_true(((double *)out[1].data)[i] == 3 * w[i]);
  assert_ok(tl_ad_jvp(m, all, both, 2, NULL, "forward", &forward));
  run(forward, (double *[]){x, w, ones, ones}, a, out);
  for (int i = 0; i < 12; i++)
    assert_true(((double *)out[0].data)[i] == 100 * x[i] + w[i % 4]);
  tl_arena_destroy(a);
  tl_module_destroy(m);
}

static void rules_of_other_types_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *said;
  } wrong[] = {
      {FUNCTIONS MAIN(", vjp = @fj"), "(composite_vjp)"},
      {FUNCTIONS MAIN(", jvp = @fv"), "(composite_jvp)"},
      {FUNCTIONS MAIN(", vjp = @nobody"), "@nobody is not defined"},
      {FUNCTIONS MAIN(", composite_attributes = {k = {vjp = 1 : i64}, vjp = @fv}"),
       "test.mlir:24:8: error: composite: vjp = @fv in composite_attributes says nothing: it "
       "belongs beside composite_attributes (composite_vjp)"},
      {FUNCTIONS MAIN(", composite_attributes = {a = \"}, jvp = @x\", \"jvp\" = @fj}"),
       "jvp = @fj in composite_attributes says nothing"},
      {CHECKPOINT("some"), "composite: the policy of tlaloc.checkpoint is nothing, dots or "
                           "everything, not \"some\" (composite_policy)"},
      {CHECKPOINT("no\\22thing"), "(composite_policy)"},
  };
  for (size_t i = 0; i < TL_COUNT(wrong); i++) {
    tl_diags diags = {0};
    tl_module *m = NULL;
    tl_status st = tl_shlo_parse(tl_str_of(wrong[i].text), "test.mlir", &diags, &m);
    assert_non_null(st);
    tl_buf said = {0};
    tl_diags_print(&diags, &said, false);
    if (strstr(said.ptr, wrong[i].said) == NULL) fail_msg("%s", said.ptr);
    tl_buf_deinit(&said);
    tl_status_drop(st);
    tl_diags_deinit(&diags);
  }
}

// Such words elsewhere are nobody's rule: in a string, inside, or of another kind.
static void other_attributes_are_free(void **state) {
  (void)state;
  static const char *const texts[] = {
      FUNCTIONS MAIN(", composite_attributes = {vjp = true, jvp = \"@fj\", policy = \"some\"}"),
      FUNCTIONS MAIN(", composite_attributes = {a = [\"vjp = @fv\"], b = {jvp = 1 : i64}}"),
  };
  for (size_t t = 0; t < TL_COUNT(texts); t++)
    tl_module_destroy(parsed(texts[t]));
}

static size_t count(const tl_func *fn, tl_opcode code) {
  size_t n = 0;
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next)
    n += op->code == code;
  return n;
}

static void recomputation_follows_the_policy(void **state) {
  (void)state;
  // Products beyond the four of the gradient itself, and sines, in a program that gives both value
  // and gradient: with `nothing` the forward part is one composite.
  static const struct {
    const char *text;
    size_t products, sines, composites;
  } policies[] = {
      {CHECKPOINT("nothing"), 6, 1, 1},    // both again, and the first sine
      {CHECKPOINT("dots"), 6, 3, 0},       // forward once; again the first sine
      {CHECKPOINT("everything"), 6, 2, 0}, // nothing again
  };
  double in[16], a[16], ct[16], first[32];
  for (int i = 0; i < 16; i++) {
    in[i] = sin(i + 1.0);
    a[i] = cos(i * 2.0);
    ct[i] = 0.1 * i;
  }
  for (size_t p = 0; p < TL_COUNT(policies); p++) {
    tl_module *m = parsed(policies[p].text);
    tl_arena *arena = tl_arena_create();
    tl_ad_options o = {.value = true};
    tl_func *back;
    assert_ok(tl_ad_vjp(m, find(m, "main"), both, 2, &o, "back", &back));
    assert_int_equal(count(back, TL_OP_DOT_GENERAL), policies[p].products);
    assert_int_equal(count(back, TL_OP_SINE), policies[p].sines);
    assert_int_equal(count(back, TL_OP_COMPOSITE), policies[p].composites);
    tl_tensor out[3];
    run(back, (double *[]){in, a, ct}, arena, out);
    if (p == 0) memcpy(first, out[1].data, 16 * sizeof *first);
    if (p == 0) memcpy(first + 16, out[2].data, 16 * sizeof *first);
    assert_memory_equal(out[1].data, first, 16 * sizeof *first);
    assert_memory_equal(out[2].data, first + 16, 16 * sizeof *first);
    tl_arena_destroy(arena);
    tl_module_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_own_rules_are_used),
      cmocka_unit_test(rules_survive),
      cmocka_unit_test(a_batch_maps_the_rules),
      cmocka_unit_test(rules_of_other_types_are_refused),
      cmocka_unit_test(other_attributes_are_free),
      cmocka_unit_test(recomputation_follows_the_policy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
