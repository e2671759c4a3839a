// derivative_graphs_test: derivatives and batches of random programs, in f64.
//
// The programs are those of src/cpu/testing_programs.h over smooth ops and ops with kinks, with
// calls, branches and loops in one another. Floats decide which branch is taken and how often a
// loop is run, so that in a batch the examples part ways. Each must fulfil the identities of
// identities.h, at batches 1 and 7.
//
// Differences say nothing where a kink or another branch lies within their reach: where those ahead
// and those behind part, they are not compared; forward against reverse always is.
//
// What fails is made small before it is shown (shrink.h).
#include "cpu/testing_programs.h"

#include "identities.h"
#include "shrink.h"

static char why_first[512]; // of the program at hand; empty: nothing failed
static size_t n_ops_made[TL_OP_COUNT], n_wild;
static void (*spoil)(tl_func *forward);

static void say(const sample *s, check c, const char *fmt, ...) {
  (void)s;
  if (why_first[0]) return;
  va_list args;
  va_start(args, fmt);
  const int n = snprintf(why_first, sizeof why_first, "%s: ", names[c]);
  vsnprintf(why_first + n, sizeof why_first - (size_t)n, fmt, args);
  va_end(args);
}

static void judge(const sample *s, check c, const char *what, double off) {
  n_runs[c]++;
  if (!(off <= usual[c]))
    say(s, c, "%s: off by %g of the largest entry, allowed %g", what, off, usual[c]);
}

static bool made(const sample *s, check c, const char *what, tl_status st) {
  if (st) say(s, c, "%s refused: %s", what, tl_status_message(st));
  const bool good = !st;
  tl_status_drop(st);
  return good;
}

static bool is_excluded(const sample *s, check c) {
  (void)s, (void)c;
  return false;
}

enum { MAX_STEPS = 1 << 20 }; // ops of a run; f itself is far below

// Whether f ends, and its numbers are such that derivatives can be compared.
static bool is_tame(trial *q) {
  tl_tensor out[MAX_VALUES];
  tl_status st = tl_ref_run(q->s->fn, q->mode, q->s->in, q->s->n_in, q->s->arena, out, 1 << 15);
  bool tame = !st;
  tl_status_drop(st);
  for (uint32_t k = 0; tame && k < q->s->n_out; k++)
    for (size_t i = 0; i < parts_of(out[k].type); i++)
      tame &= fabs(load(&out[k], i)) < 1e4;
  return tame;
}

static bool fails(tl_module *m, uint64_t seed, char *why, size_t size) {
  sample s = {.arena = tl_arena_create(),
              .name = "graph",
              .part = seed,
              .text = TL_STR("// inputs: -1.5 1.5\n"),
              .module = copied(m, NULL, NULL)};
  s.fn = main_of(s.module);
  s.n_in = s.fn->body->n_args, s.n_out = s.fn->n_results;
  trial q = {.s = &s,
             .mode = TL_REF_AS_TYPED,
             .step = 1e-3,
             .max_steps = MAX_STEPS,
             .sizes = {1, 7},
             .n_sizes = 2,
             .at_kinks = true,
             .spoil = spoil};
  bool tame = true;
  for (uint64_t draw = 8; tame && draw-- > 0;) { // all that are used, the first at last
    assert_ok(make_inputs(&s, draw));
    tame = is_tame(&q);
  }
  for (uint32_t i = 0; i < s.n_in; i++)
    if (tl_ad_is_inexact(s.in[i].type.dtype)) q.wrt[q.n_wrt++] = i;
  why_first[0] = 0;
  if (tame) {
    if (q.n_wrt) derivatives(&q);
    drop_made(s.module);
    if (!why_first[0] && !spoil) batches(&q);
    drop_made(s.module);
    if (!why_first[0] && !spoil && q.n_wrt) batched_derivatives(&q);
  } else {
    n_wild++;
  }
  tl_module_destroy(s.module);
  tl_arena_destroy(s.arena);
  snprintf(why, size, "%s", why_first);
  return why_first[0] != 0;
}

// ---- The programs ----

static void set_up(gen *g) {
  static const tl_opcode codes[] = {TL_OP_ADD,
                                    TL_OP_SUBTRACT,
                                    TL_OP_MULTIPLY,
                                    TL_OP_NEGATE,
                                    TL_OP_TANH,
                                    TL_OP_LOGISTIC,
                                    TL_OP_SINE,
                                    TL_OP_COSINE,
                                    TL_OP_SOFTMAX,
                                    TL_OP_MAXIMUM,
                                    TL_OP_MINIMUM,
                                    TL_OP_ABS,
                                    TL_OP_RELU,
                                    TL_OP_CLAMP,
                                    TL_OP_SELECT,
                                    TL_OP_COMPARE,
                                    TL_OP_SORT,
                                    TL_OP_REDUCE,
                                    TL_OP_RESHAPE,
                                    TL_OP_TRANSPOSE,
                                    TL_OP_BROADCAST_IN_DIM,
                                    TL_OP_CONCATENATE,
                                    TL_OP_SLICE,
                                    TL_OP_PAD,
                                    TL_OP_REVERSE,
                                    TL_OP_DOT_GENERAL,
                                    TL_OP_SWIGLU,
                                    TL_OP_DYNAMIC_SLICE,
                                    TL_OP_GATHER,
                                    TL_OP_DYNAMIC_UPDATE_SLICE,
                                    TL_OP_CALL,
                                    TL_OP_WHILE,
                                    TL_OP_WHILE,
                                    TL_OP_WHILE,
                                    TL_OP_WHILE,
                                    TL_OP_WHILE,
                                    TL_OP_IF,
                                    TL_OP_IF,
                                    TL_OP_CASE,
                                    TL_OP_CASE};
  g->dtype = TL_DTYPE_F64;
  g->codes = codes, g->n_codes = TL_COUNT(codes);
  g->most = 12;
  g->is_smooth = true;
  for (size_t i = 0; i < GEN_SHAPES; i++)
    g->shapes[i] = gen_shape(g, TL_DTYPE_F64);
}

static void end_function(gen *g) {
  gen_end(g);
  for (uint32_t i = 0; i < g->b->fn->body->n_args; i++)
    g->b->fn->args[i].alias_output = -1;
}

static tl_module *program(uint64_t seed, uint32_t n_ops) {
  tl_module *m = tl_module_create();
  gen g;
  tl_builder b = gen_begin(&g, m, "callee", seed * 2);
  g.b = &b;
  set_up(&g);
  gen_ops(&g, 3);
  end_function(&g);
  tl_func *callee = b.fn;
  assert_ok(tl_builder_finish(&b));
  b = gen_begin(&g, m, "main", seed * 2 + 1);
  g.b = &b;
  set_up(&g);
  g.funcs[0] = callee, g.n_funcs = 1;
  gen_ops(&g, n_ops);
  end_function(&g);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static size_t count_ops(const tl_block *b, uint32_t depth) { // loops within loops
  size_t nested = 0;
  for (const tl_op *op = b->first; op; op = op->next) {
    n_ops_made[op->code]++;
    nested += op->code == TL_OP_WHILE && depth > 0;
    for (uint32_t r = 0; r < op->n_regions; r++)
      nested += count_ops(op->regions[r], depth + (op->code == TL_OP_WHILE));
  }
  return nested;
}

#ifdef TL_TEST_SANITIZED
enum { PROGRAMS = 25 };
#else
enum { PROGRAMS = 1000 };
#endif

static void identities(void **state) {
  (void)state;
  uint64_t n = PROGRAMS;
  const uint64_t first = first_seed(&n);
  spoil = NULL;
  size_t failures = 0, nested = 0;
  memset(n_runs, 0, sizeof n_runs), n_unsteady = n_wild = 0;
  for (uint64_t seed = first; seed < first + n && failures < 3; seed++) {
    tl_module *m = program(seed, 3 + (uint32_t)(seed % 9));
    nested += count_ops(main_of(m)->body, 0);
    char why[512];
    if (fails(m, seed, why, sizeof why)) {
      failures++;
      show(m, fails, seed, why);
      m = NULL;
    }
    tl_module_destroy(m);
  }
  print_message("%llu programs: loops %zu, %zu of them within loops; branches %zu;",
                (unsigned long long)n, n_ops_made[TL_OP_WHILE], nested,
                n_ops_made[TL_OP_IF] + n_ops_made[TL_OP_CASE]);
  for (size_t c = 0; c < N_CHECKS; c++)
    print_message(" %s %zu", names[c], n_runs[c]);
  print_message("; at kinks %zu, without end or too large %zu\n", n_unsteady, n_wild);
  assert_int_equal(failures, 0);
  if (n < PROGRAMS) return;
  assert_true(n_runs[FD] > n / 2);
  assert_true(n_unsteady < n_runs[FD] && n_wild < n / 5);
  assert_true(nested > n / 10);
}

// The control: the derivative of sine with a sine where its cosine was. Found in what
// reads a sine, and made as small as a sine.
static void with_sine_for_cosine(tl_func *forward) {
  for (tl_op *op = forward->body->first; op; op = op->next)
    if (op->code == TL_OP_COSINE) op->code = TL_OP_SINE;
}

static void shrinking(void **state) {
  (void)state;
  if (getenv("TLALOC_TEST_SEED")) skip();
  size_t n_found = 0, n_small = 0;
  for (uint64_t seed = 1; seed <= 100 && n_found < 6; seed++) {
    char why[512];
    tl_module *m = program(seed, 6);
    spoil = NULL;
    const bool good = main_of(m)->n_results && block_has(main_of(m)->body, TL_OP_SINE);
    spoil = with_sine_for_cosine;
    if (good && fails(m, seed, why, sizeof why)) {
      n_found++;
      m = shrunk(m, fails, seed);
      assert_true(fails(m, seed, why, sizeof why));
      n_small += op_count(main_of(m)->body) == 2;
      assert_true(module_has(m, TL_OP_SINE) || module_has(m, TL_OP_COSINE));
    }
    spoil = NULL;
    tl_module_destroy(m);
  }
  print_message("planted: found in %zu programs, alone in %zu when made small\n", n_found, n_small);
  assert_true(n_found >= 4 && n_small * 2 >= n_found);
}

// Reverse derivatives on the native backend, whose bits are the interpreter's: of loops that keep
// their states and run backwards, as machine code too where TLALOC_JIT says so.
static bool same_natively(trial *q, tl_func *reverse, const tl_tensor *in, const tl_tensor *want) {
  sample *s = q->s;
  bool same = true;
  void *x[4 * MAX_VALUES], *y[MAX_VALUES];
  for (size_t d = 0; d < test_n_devices && same; d++) {
    tl_cpu_exe *exe = NULL;
    assert_ok(tl_cpu_compile(test_devices[d].cpu, s->module, reverse->name, &exe));
    for (uint32_t i = 0; i < reverse->body->n_args; i++) {
      x[i] = test_memory(type_size(in[i].type));
      memcpy(x[i], in[i].data, type_size(in[i].type));
    }
    for (uint32_t k = 0; k < reverse->n_results; k++)
      y[k] = test_memory(type_size(reverse->result_types[k]));
    assert_ok(tl_cpu_execute(exe, (const void *const *)x, y));
    for (uint32_t k = 0; k < reverse->n_results; k++) {
      const tl_type t = reverse->result_types[k];
      const size_t at = first_difference(t, y[k], want[k].data);
      same &= at >= type_count(t);
      if (at < type_count(t))
        print_error("%s: derivative %u differs at element %zu\n", test_devices[d].name, k, at);
      free(y[k]);
    }
    for (uint32_t i = 0; i < reverse->body->n_args; i++)
      free(x[i]);
    test_exe_release(exe);
  }
  return same;
}

static void derivatives_natively(void **state) {
  (void)state;
#ifdef TL_TEST_SANITIZED
  enum { MANY = 5 };
#else
  enum { MANY = 40 };
#endif
  size_t n = 0, loops = 0;
  spoil = NULL;
  for (uint64_t seed = 1; n < MANY && seed < 10 * MANY; seed++) {
    sample s = {.arena = tl_arena_create(),
                .name = "graph",
                .part = seed,
                .text = TL_STR("// inputs: -1.5 1.5\n"),
                .module = program(seed, 3 + (uint32_t)(seed % 9))};
    s.fn = main_of(s.module);
    s.n_in = s.fn->body->n_args, s.n_out = s.fn->n_results;
    trial q = {.s = &s, .mode = TL_REF_AS_TYPED, .max_steps = MAX_STEPS};
    assert_ok(make_inputs(&s, 0));
    for (uint32_t i = 0; i < s.n_in; i++)
      if (tl_ad_is_inexact(s.in[i].type.dtype)) q.wrt[q.n_wrt++] = i;
    tl_func *reverse = NULL;
    const tl_ad_options o = {0};
    if (q.n_wrt && is_tame(&q)) {
      tl_tensor in[4 * MAX_VALUES], want[MAX_VALUES];
      assert_ok(tl_ad_vjp(s.module, s.fn, q.wrt, q.n_wrt, &o, "t.vjp", &reverse));
      memcpy(in, s.in, s.n_in * sizeof *in);
      assert_ok(tl_ref_run(s.fn, q.mode, s.in, s.n_in, s.arena, in + s.n_in, q.max_steps));
      assert_int_equal(reverse->body->n_args, s.n_in + s.n_out); // y itself is the cotangent of y
      assert_ok(tl_ref_run(reverse, q.mode, in, s.n_in + s.n_out, s.arena, want, q.max_steps));
      if (!same_natively(&q, reverse, in, want))
        fail_msg("seed %llu: the derivative natively", (unsigned long long)seed);
      loops += block_has(s.fn->body, TL_OP_WHILE);
      n++;
    }
    tl_module_destroy(s.module);
    tl_arena_destroy(s.arena);
  }
  assert_true(n == MANY && loops > MANY / 4);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shrinking), cmocka_unit_test(identities),
                                     cmocka_unit_test_setup_teardown(derivatives_natively,
                                                                     test_devices_create,
                                                                     test_devices_release)};
  if (argc > 1 && strcmp(argv[1], "--natively") == 0)
    cmocka_set_test_filter("derivatives_natively");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
