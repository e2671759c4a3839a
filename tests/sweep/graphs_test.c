// graphs_test PLUGIN: random programs on every executor.
//
// The programs are those of src/cpu/testing_programs.h: any op of the table, calls, loops and
// branches over values of a few shapes. src/cpu/exec_test.c holds the native backend against the
// interpreter with them; here the same programs go through
//
//   text     printed and read again: the same functions
//   passes   phi, inline, specialise, decompose, cse and dce: equal bits
//   PJRT     printed, and run by our plugin through our client: equal bits
//   f64      the interpreter at f64, and PLUGIN (XLA's): programs of f32 over tame inputs, of ops
//   whose meaning both
//            fix; where f32 and f64 agree, so must XLA, as near
//
// What fails is made small before it is shown (shrink.h).
#include "cpu/testing_programs.h"

#include "base/file.h"
#include "passes/passes.h"
#include "ir/testing.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"

#include "on_client.h"
#include "shrink.h"

static tl_pjrt_client *ours, *xla;
static bool op_kinds[TL_OP_COUNT];

// ---- The ways ----

static void say(char *why, size_t size, const char *way, tl_status st) { // st is consumed
  snprintf(why, size, "%s: %s", way, st ? tl_status_message(st) : "other results");
  tl_status_drop(st);
}

static bool fails_text(tl_module *m, uint64_t seed, char *why, size_t size) {
  (void)seed;
  tl_buf a = {0}, b = {0};
  tl_module *again = NULL;
  tl_diags diags = {0};
  tl_status st = tl_shlo_print(m, NULL, &a);
  if (!st) st = tl_shlo_parse(tl_buf_view(&a), "graph", &diags, &again);
  if (!st) st = tl_shlo_print(again, NULL, &b);
  const bool bad =
      st || !tl_str_eq(tl_buf_view(&a), tl_buf_view(&b)) || !tl_func_eq(main_of(m), main_of(again));
  if (bad && diags.len)
    snprintf(why, size, "text: %s", diags.items[0].message);
  else if (bad)
    say(why, size, "text", st), st = NULL;
  tl_status_drop(st);
  tl_diags_deinit(&diags);
  tl_module_destroy(again);
  tl_buf_deinit(&a), tl_buf_deinit(&b);
  return bad;
}

// Not with paged_attention: its decomposition multiplies what lies behind a row's length by 0,
// which is no 0 for the infinities in here, and these lengths may be 0.
static bool fails_passes(tl_module *m, uint64_t seed, char *why, size_t size) {
  if (module_has(m, TL_OP_PAGED_ATTENTION)) return false;
  static const char *const names[] = {"phi", "inline", "specialise", "decompose", "cse", "dce"};
  tl_module *at = copied(m, NULL, NULL);
  for (size_t i = 0; i < TL_COUNT(names); i++) {
    tl_module *next;
    assert_ok(tl_pass_run(tl_pass_find(tl_str_of(names[i])), at, &next));
    tl_module_destroy(at);
    at = next;
  }
  test_rng r = {seed};
  test_run t, u;
  test_run_begin(&t, main_of(m), &r);
  r = (test_rng){seed};
  test_run_begin(&u, main_of(at), &r);
  for (uint32_t k = 0; k < t.fn->n_results && !t.failure[0] && !u.failure[0]; k++)
    if (first_difference(t.fn->result_types[k], u.want[k].data, t.want[k].data) <
        type_count(t.fn->result_types[k]))
      test_say(&u, "the interpreter gives another result %u after them", k);
  if (!u.failure[0]) test_run_everywhere(&u, at);
  const bool bad = u.failure[0] && !t.failure[0];
  if (bad) snprintf(why, size, "passes: %s", u.failure);
  test_run_end(&t), test_run_end(&u);
  tl_module_destroy(at);
  return bad;
}

static tl_status run_pjrt(tl_pjrt_client *client, const tl_module *m, const tl_tensor *in,
                          tl_arena *a, tl_tensor *got) {
  tl_buf text = {0};
  tl_status st = tl_shlo_print(m, &(tl_shlo_print_options){.no_alias = true}, &text);
  if (!st) st = run_on_client(client, main_of(m), tl_buf_view(&text), "graph", in, a, got);
  tl_buf_deinit(&text);
  return st;
}

// PJRT has no number for some of the narrowest floats.
static bool has_pjrt_types(const tl_func *fn) {
  bool all = true;
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    all &= tl_dtype_get(fn->body->args[i]->type.dtype)->pjrt != 0;
  for (uint32_t i = 0; i < fn->n_results; i++)
    all &= tl_dtype_get(fn->result_types[i].dtype)->pjrt != 0;
  return all;
}

static bool fails_pjrt(tl_module *m, uint64_t seed, char *why, size_t size) {
  if (!has_pjrt_types(main_of(m))) return false;
  test_rng r = {seed};
  test_run t;
  test_run_begin(&t, main_of(m), &r);
  bool bad = false;
  if (!t.failure[0]) {
    tl_tensor *got = TL_NEW(t.arena, tl_tensor, t.fn->n_results + 1);
    tl_status st = run_pjrt(ours, m, t.in, t.arena, got);
    bad = st;
    for (uint32_t k = 0; k < t.fn->n_results && !bad; k++)
      bad = first_difference(got[k].type, got[k].data, t.want[k].data) < type_count(got[k].type);
    if (bad) say(why, size, "our plugin", st);
  }
  test_run_end(&t);
  return bad;
}

static double float_at(const tl_tensor *t, size_t i) {
  float f;
  double d;
  if (t->type.dtype == TL_DTYPE_F64) return memcpy(&d, (char *)t->data + i * 8, 8), d;
  return memcpy(&f, (char *)t->data + i * 4, 4), (double)f;
}

static size_t n_compared, n_unsteady;

// Of f32 programs only. Unsteady results, where rounding has grown beyond 1e-4, say nothing.
static bool fails_xla(tl_module *m, uint64_t seed, char *why, size_t size) {
  test_rng r = {seed};
  test_run t;
  bool bad = false;
  test_run_begin(&t, main_of(m), &r);
  for (uint32_t i = 0; i < t.fn->body->n_args; i++)
    for (size_t k = 0; t.in[i].type.dtype == TL_DTYPE_F32 && k < type_count(t.in[i].type); k++)
      ((float *)t.in[i].data)[k] = (float)(int32_t)rng_u64(&r) * 0x1p-30f;
  tl_tensor *wide = TL_NEW(t.arena, tl_tensor, t.fn->n_results + 1),
            *got = TL_NEW(t.arena, tl_tensor, t.fn->n_results + 1);
  assert_ok(tl_ref_run(t.fn, TL_REF_AS_TYPED, t.in, t.fn->body->n_args, t.arena, t.want, 1 << 20));
  assert_ok(tl_ref_run(t.fn, TL_REF_F64, t.in, t.fn->body->n_args, t.arena, wide, 1 << 20));
  tl_status st = run_pjrt(xla, m, t.in, t.arena, got);
  if (st) bad = true, say(why, size, "XLA", st);
  for (uint32_t k = 0; k < t.fn->n_results && !bad; k++) {
    const size_t n = type_count(t.want[k].type);
    if (t.want[k].type.dtype != TL_DTYPE_F32) continue;
    double top = 1, drift = 0;
    bool steady = true;
    for (size_t i = 0; i < n; i++) {
      const double x = float_at(&t.want[k], i), y = float_at(&wide[k], i);
      steady &= isfinite(x) && isfinite(y);
      top = fmax(top, fabs(x)), drift = fmax(drift, fabs(x - y));
    }
    if (!steady || drift > 1e-4 * top) {
      n_unsteady++;
      continue;
    }
    n_compared++;
    for (size_t i = 0; i < n && !bad; i++) {
      const double off = fabs(float_at(&got[k], i) - float_at(&t.want[k], i)),
                   allowed = 4e-6 * top + 20 * drift;
      if (off <= allowed) continue;
      bad = true;
      snprintf(
          why, size,
          "XLA: element %zu of result %u is %g, ours %g, at f64 %g: off by %g where %g is allowed",
          i, k, float_at(&got[k], i), float_at(&t.want[k], i), float_at(&wide[k], i), off, allowed);
    }
  }
  test_run_end(&t);
  return bad;
}

// ---- The programs ----

static void note_kinds(const tl_block *b) {
  for (const tl_op *op = b->first; op; op = op->next) {
    op_kinds[op->code] = true;
    for (uint32_t r = 0; r < op->n_regions; r++)
      note_kinds(op->regions[r]);
  }
}

static tl_module *any_program(uint64_t seed, uint32_t n_ops) {
  tl_module *m = tl_module_create();
  gen g;
  tl_builder b = gen_begin(&g, m, "callee", seed * 2);
  g.b = &b;
  gen_ops(&g, 3);
  gen_end(&g);
  for (uint32_t a = 0; a < b.fn->body->n_args; a++)
    b.fn->args[a].alias_output = -1;
  tl_func *callee = b.fn;
  assert_ok(tl_builder_finish(&b));
  b = gen_begin(&g, m, "main", seed * 2 + 1);
  g.b = &b;
  g.funcs[0] = callee, g.n_funcs = 1;
  gen_ops(&g, n_ops);
  gen_end(&g);
  assert_ok(tl_builder_finish(&b));
  return m;
}

// Ops that the specification fixes for tame f32s, where rounding cannot turn a result over. No
// reduce of its own: XLA leaves an initial value out where a reduced dim has extent 1, as the
// specification lets it.
static tl_module *tame_program(uint64_t seed, uint32_t n_ops) {
  static const tl_opcode tame[] = {
      TL_OP_ADD,         TL_OP_SUBTRACT,    TL_OP_MULTIPLY,
      TL_OP_MAXIMUM,     TL_OP_MINIMUM,     TL_OP_NEGATE,
      TL_OP_ABS,         TL_OP_EXPONENTIAL, TL_OP_LOG_PLUS_ONE,
      TL_OP_SQRT,        TL_OP_TANH,        TL_OP_LOGISTIC,
      TL_OP_SINE,        TL_OP_COSINE,      TL_OP_CBRT,
      TL_OP_ATAN2,       TL_OP_SELECT,      TL_OP_CLAMP,
      TL_OP_RESHAPE,     TL_OP_TRANSPOSE,   TL_OP_BROADCAST_IN_DIM,
      TL_OP_CONCATENATE, TL_OP_SLICE,       TL_OP_PAD,
      TL_OP_REVERSE,     TL_OP_DOT_GENERAL, TL_OP_SOFTMAX,
      TL_OP_RMS_NORM,    TL_OP_SWIGLU,      TL_OP_EXPONENTIAL_MINUS_ONE};
  tl_module *m = tl_module_create();
  gen g;
  tl_builder b = gen_begin(&g, m, "main", seed);
  g.b = &b;
  g.dtype = TL_DTYPE_F32;
  for (uint32_t i = 0; i < n_ops; i++)
    gen_add(&g, gen_op(&g, tame[rng_below(&g.r, TL_COUNT(tame))]));
  gen_end(&g);
  assert_ok(tl_builder_finish(&b));
  return m;
}

static void run(tl_module *(*make)(uint64_t, uint32_t), fails_fn *const *ways, size_t n_ways,
                uint64_t n) {
  size_t failures = 0;
  const uint64_t first = first_seed(&n);
  for (uint64_t seed = first; seed < first + n && failures < 3; seed++) {
    tl_module *m = make(seed, 4 + (uint32_t)(seed % 23));
    note_kinds(main_of(m)->body);
    char why[512];
    for (size_t w = 0; w < n_ways; w++) {
      if (!ways[w](m, seed, why, sizeof why)) continue;
      failures++;
      show(m, ways[w], seed, why);
      m = NULL;
      break;
    }
    tl_module_destroy(m);
  }
  assert_int_equal(failures, 0);
}

static void any_programs(void **state) {
  (void)state;
  static fails_fn *const ways[] = {fails_text, fails_passes, fails_pjrt};
#ifdef TL_TEST_SANITIZED
  run(any_program, ways, TL_COUNT(ways), 60);
#else
  run(any_program, ways, TL_COUNT(ways), 400);
#endif
  size_t kinds = 0;
  for (size_t i = 0; i < TL_OP_COUNT; i++)
    kinds += op_kinds[i];
  if (!getenv("TLALOC_TEST_SEED") && !getenv("TLALOC_TEST_PROGRAMS")) assert_true(kinds >= 60);
}

static void tame_programs(void **state) {
  (void)state;
  static fails_fn *const ways[] = {fails_xla};
  if (!xla) skip();
  run(tame_program, ways, 1, 150);
  print_message("XLA: %zu results compared, %zu not, where f32 and f64 part\n", n_compared,
                n_unsteady);
  assert_true(n_compared > n_unsteady);
}

// The controls: a planted fault is found, and made as small as it can be.
static bool has_sine(tl_module *m, uint64_t seed, char *why, size_t size) {
  (void)seed;
  snprintf(why, size, "planted");
  for (const tl_op *op = main_of(m)->body->first; op; op = op->next)
    if (op->code == TL_OP_SINE) return true;
  return false;
}

static void shrinking(void **state) {
  (void)state;
  size_t found = 0;
  for (uint64_t seed = 1; seed < 60; seed++) {
    char why[64];
    tl_module *m = tame_program(seed, 20);
    if (has_sine(m, seed, why, sizeof why)) {
      m = shrunk(m, has_sine, seed);
      found++;
      assert_true(has_sine(m, seed, why, sizeof why));
      if (op_count(main_of(m)->body) > 2) show(m, has_sine, seed, "not small"), m = NULL;
      assert_non_null(m);
    }
    tl_module_destroy(m);
  }
  assert_true(found > 10);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shrinking), cmocka_unit_test(any_programs),
                                     cmocka_unit_test(tame_programs)};
  tl_pjrt_plugin *plugin;
  tl_status st = tl_pjrt_open_api(tl_plugin_api(), "embedded", &plugin);
  if (!st) st = tl_pjrt_client_create(plugin, NULL, &ours);
  if (!st && argc > 1 && tl_path_exists(argv[1])) {
    st = tl_pjrt_open(argv[1], &plugin);
    if (!st) st = tl_pjrt_client_create(plugin, NULL, &xla);
  }
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), 1;
  const int failed = cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
  tl_pjrt_client_release(ours), tl_pjrt_client_release(xla);
  return failed;
}
