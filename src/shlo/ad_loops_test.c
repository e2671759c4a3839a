// Derivatives of loops and branches, read from text and run by the interpreter: what they cost,
// that every way back gives the same bits, and that lanes of a batch which are done leave no trace.
#include "shlo/testing.h"

#include <math.h>

#include "ad/ad.h"
#include "ref/ref.h"

static tl_func *main_of(const tl_module *m) { return tl_module_find(m, TL_STR("main")); }

static void run(const tl_func *fn, const tl_tensor *in, tl_arena *a, tl_tensor *out,
                tl_ref_probes *probes) {
  tl_ref_context context = {.probes = probes};
  tl_status st = tl_ref_run_in(&context, fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, out, 0);
  if (st != TL_OK) print_error("%s\n", tl_status_message(st));
  assert_ok(st);
}

static tl_func *gradient(tl_module *m, int64_t checkpoints, const char *name) {
  tl_ad_options o = {.checkpoints = checkpoints};
  tl_func *out = NULL;
  tl_status st = tl_ad_grad(m, main_of(m), (const uint32_t[]){0}, 1, &o, name, &out);
  if (st != TL_OK) print_error("%s\n", tl_status_message(st));
  assert_ok(st);
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  return out;
}

// A loop over a state of 100 whose trip count is an argument, with a probe in each step.
static const char unknown[] =
    "func.func @main(%x: tensor<100xf64>, %n: tensor<i64>) -> tensor<f64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<100xf64>\n"
    "  cond {\n"
    "    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %seen = interpreter.probe %i, probe_id = \"step\" : tensor<i64>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "    %j = stablehlo.add %i, %one : tensor<i64>\n"
    "    %s = stablehlo.sine %y : tensor<100xf64>\n"
    "    %h = stablehlo.constant dense<1.0e-3> : tensor<100xf64>\n"
    "    %d = stablehlo.multiply %s, %h : tensor<100xf64>\n"
    "    %z = stablehlo.add %y, %d : tensor<100xf64>\n"
    "    stablehlo.return %j, %z : tensor<i64>, tensor<100xf64>\n"
    "  }\n"
    "  %c0 = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %sum = stablehlo.reduce(%r#1 init: %c0) applies stablehlo.add across dimensions = [0]\n"
    "    : (tensor<100xf64>, tensor<f64>) -> tensor<f64>\n"
    "  return %sum : tensor<f64>\n"
    "}\n";

// The most states of 100 that any value of the function holds.
static int64_t most_states(const tl_block *block) {
  int64_t most = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t k = 0; k < op->n_results; k++) {
      const tl_type t = op->results[k]->type;
      if (t.rank == 2 && t.dims[1] == 100 && t.dims[0] > most) most = t.dims[0];
    }
    for (uint32_t r = 0; r < op->n_regions; r++) {
      const int64_t n = most_states(op->regions[r]);
      if (n > most) most = n;
    }
  }
  return most;
}

typedef struct asked { // one gradient of `unknown`
  double g[100];
  size_t evaluations;
} asked;

static void ask(const tl_func *fn, int64_t n, bool with_n, asked *out) {
  double x[100];
  for (int i = 0; i < 100; i++)
    x[i] = 0.01 * (i + 1);
  tl_arena *a = tl_arena_create();
  tl_tensor in[2] = {{fn->body->args[0]->type, x}, {tl_type_scalar(TL_DTYPE_S64), &n}}, y[1];
  tl_ref_probes *probes = tl_ref_probes_create();
  assert_non_null(probes);
  (void)with_n;
  run(fn, in, a, y, probes);
  memcpy(out->g, y[0].data, sizeof out->g);
  out->evaluations = tl_ref_probes_count(probes, TL_STR("step"));
  tl_ref_probes_destroy(probes);
  tl_arena_destroy(a);
}

// 10,000 steps within a budget of 100 states: at most 120 above the forward run, and at most 3
// evaluations of a step more than it does.
static void the_budget_is_kept(void **state) {
  (void)state;
  tl_module *m = parsed(unknown);
  tl_func *fn = gradient(m, 100, "d");
  const int64_t states = most_states(fn->body);
  assert_true(states <= 118); // beside the stack: the state that advances, and the one gone back
                              // through
  asked a;
  ask(fn, 10000, true, &a);
  const double above = (double)a.evaluations / 10000 - 1;
  print_message("%lld states, %.3f evaluations a step above the forward run\n", (long long)states,
                above);
  assert_true(above <= 3.0 && above >= 1.0);
  tl_module_destroy(m);
}

// d of the state by itself after n steps, by hand.
static void by_hand(int64_t n, double *g) {
  for (int i = 0; i < 100; i++) {
    double x = 0.01 * (i + 1), d = 1;
    for (int64_t k = 0; k < n; k++) {
      d *= 1 + 1e-3 * cos(x);
      x += 1e-3 * sin(x);
    }
    g[i] = d;
  }
}

// Whatever the slots and the trips, the cotangents are the same bits; and the binomial choice does
// no step more often than it promises: t extra times where (s + t)! / (s! t!) >= n, for the stack
// alone; the forward run's evenly spaced states cost at most one more.
static void every_budget_gives_the_same_bits(void **state) {
  (void)state;
  static const int64_t slots[] = {1, 2, 3, 4, 7, 32};
  tl_module *m = parsed(unknown);
  tl_func *fn[TL_COUNT(slots)];
  for (size_t s = 0; s < TL_COUNT(slots); s++) {
    char name[16];
    snprintf(name, sizeof name, "d%zu", s);
    fn[s] = gradient(m, slots[s], name);
  }
  for (int64_t n = 0; n <= 70; n = n < 12 ? n + 1 : n + 19) {
    double want[100];
    by_hand(n, want);
    asked first;
    for (size_t s = 0; s < TL_COUNT(slots); s++) {
      asked a;
      ask(fn[s], n, true, &a);
      if (s == 0) first = a;
      assert_memory_equal(a.g, first.g, sizeof a.g);
      for (int i = 0; i < 100; i++)
        assert_true(fabs(a.g[i] - want[i]) <= 1e-13 * want[i]);
      if (n == 0) assert_int_equal(a.evaluations, 0);
      if (n > 0 && slots[s] >= n) assert_true(a.evaluations <= 3 * (size_t)n);
    }
  }
  tl_module_destroy(m);
}

// A loop that stops where lanes do: the square root of nothing has no finite derivative, and no
// lane that is done may see it.
static void done_lanes_leave_no_trace(void **state) {
  (void)state;
  tl_module *m =
      parsed("func.func @main(%x: tensor<f64>, %p: tensor<f64>) -> tensor<f64> {\n"
             "  %r = stablehlo.while(%y = %x) : tensor<f64>\n"
             "  cond {\n"
             "    %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
             "    %go = stablehlo.compare GT, %y, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
             "    stablehlo.return %go : tensor<i1>\n"
             "  } do {\n"
             "    %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
             "    %d = stablehlo.subtract %y, %one : tensor<f64>\n"
             "    %s = stablehlo.sqrt %d : tensor<f64>\n"
             "    %z = stablehlo.multiply %s, %p : tensor<f64>\n"
             "    stablehlo.return %z : tensor<f64>\n"
             "  }\n"
             "  return %r : tensor<f64>\n"
             "}\n");
  const int64_t axes[2] = {0, TL_NOT_BATCHED};
  tl_vmap_options o = {.in_axes = axes, .size = 3};
  tl_func *all, *back, *one, *each;
  const uint32_t wrt[2] = {0, 1};
  assert_ok(tl_ad_vmap(m, main_of(m), &o, "all", &all));
  assert_ok(tl_ad_vjp(m, all, wrt, 2, NULL, "back", &back));
  assert_ok(tl_ad_vjp(m, main_of(m), wrt, 2, NULL, "one", &one));
  const int64_t each_axes[3] = {0, TL_NOT_BATCHED, 0};
  tl_vmap_options o3 = {.in_axes = each_axes, .size = 3};
  assert_ok(tl_ad_vmap(m, one, &o3, "each", &each));
  double x[3] = {9, 1, 0.5}, p = 1.2, ct[3] = {1, 1, 1};
  tl_arena *a = tl_arena_create();
  tl_tensor in[3] = {{back->body->args[0]->type, x},
                     {tl_type_scalar(TL_DTYPE_F64), &p},
                     {back->body->args[0]->type, ct}};
  tl_tensor g[2], h[2];
  run(back, in, a, g, NULL);
  run(each, in, a, h, NULL);
  // By hand, a lane after another.
  double dp = 0;
  for (int i = 0; i < 3; i++) {
    double y = x[i], d = 1, e = 0;
    while (y > 1) {
      e = e * 0.5 * p / sqrt(y - 1) + sqrt(y - 1);
      d *= 0.5 * p / sqrt(y - 1);
      y = sqrt(y - 1) * p;
    }
    dp += e;
    assert_true(fabs(((double *)g[0].data)[i] - d) <= 1e-14);
    assert_true(fabs(((double *)h[0].data)[i] - d) <= 1e-14);
    assert_true(fabs(((double *)h[1].data)[i] - e) <= 1e-14);
  }
  assert_true(fabs(*(double *)g[1].data - dp) <= 1e-14);
  tl_arena_destroy(a);
  tl_module_destroy(m);
}

// The gradient of a scan's inputs adds to a slice of it in each step, and never to the whole.
static void a_scan_costs_slices(void **state) {
  (void)state;
  tl_module *m = parsed(
      "func.func @main(%xs: tensor<50x4xf64>, %c: tensor<4xf64>) -> tensor<f64> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %n = stablehlo.constant dense<50> : tensor<i32>\n"
      "  %empty = stablehlo.constant dense<0.0> : tensor<50x4xf64>\n"
      "  %r:4 = stablehlo.while(%us = %xs, %i = %zero, %y = %c, %ys = %empty)\n"
      "    : tensor<50x4xf64>, tensor<i32>, tensor<4xf64>, tensor<50x4xf64>\n"
      "  cond {\n"
      "    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %go : tensor<i1>\n"
      "  } do {\n"
      "    %o = stablehlo.constant dense<0> : tensor<i32>\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %u = stablehlo.dynamic_slice %us, %i, %o, sizes = [1, 4]\n"
      "      : (tensor<50x4xf64>, tensor<i32>, tensor<i32>) -> tensor<1x4xf64>\n"
      "    %v = stablehlo.reshape %u : (tensor<1x4xf64>) -> tensor<4xf64>\n"
      "    %w = stablehlo.multiply %v, %y : tensor<4xf64>\n"
      "    %z = stablehlo.sine %w : tensor<4xf64>\n"
      "    %zz = stablehlo.reshape %z : (tensor<4xf64>) -> tensor<1x4xf64>\n"
      "    %to = stablehlo.dynamic_update_slice %ys, %zz, %i, %o\n"
      "      : (tensor<50x4xf64>, tensor<1x4xf64>, tensor<i32>, tensor<i32>) -> tensor<50x4xf64>\n"
      "    %j = stablehlo.add %i, %one : tensor<i32>\n"
      "    stablehlo.return %us, %j, %z, %to\n"
      "      : tensor<50x4xf64>, tensor<i32>, tensor<4xf64>, tensor<50x4xf64>\n"
      "  }\n"
      "  %c0 = stablehlo.constant dense<0.0> : tensor<f64>\n"
      "  %sum = stablehlo.reduce(%r#3 init: %c0) applies stablehlo.add across dimensions = [0, 1]\n"
      "    : (tensor<50x4xf64>, tensor<f64>) -> tensor<f64>\n"
      "  return %sum : tensor<f64>\n"
      "}\n");
  tl_func *fn = gradient(m, 0, "d");
  uint32_t loops = 0, updates = 0, stacks = 0;
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next) {
    if (op->code != TL_OP_WHILE) continue;
    loops++;
    for (uint32_t k = 0; k < op->n_results; k++)
      stacks += loops == 1 && op->results[k]->type.rank == 2;
    for (const tl_op *in = op->regions[1]->first; in != NULL; in = in->next) {
      const bool whole = in->n_results == 1 && in->results[0]->type.rank == 2 &&
                         in->results[0]->type.dims[0] == 50;
      assert_true(!whole || in->code == TL_OP_DYNAMIC_UPDATE_SLICE);
      updates += in->code == TL_OP_DYNAMIC_UPDATE_SLICE;
    }
  }
  assert_int_equal(loops, 2);
  // Of the forward loop the states alone: ys is written and never read, so its values are gone,
  // and the stack of it was never made.
  assert_int_equal(stacks, 1);
  assert_true(updates >= 2);
  tl_module_destroy(m);
}

// x <- a x + b, n times, with a and b from outside; and the gradient by x, by hand.
static const char affine[] =
    "func.func @main(%x: tensor<4xf64>) -> tensor<f64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<TRIPS> : tensor<i32>\n"
    "  %b = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf64>\n"
    "  cond {\n"
    "    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %a = stablehlo.constant dense<FACTOR> : tensor<4xf64>\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    %w = stablehlo.multiply %a, %y : tensor<4xf64>\n"
    "    %z = stablehlo.add %w, %b : tensor<4xf64>\n"
    "    stablehlo.return %j, %z : tensor<i32>, tensor<4xf64>\n"
    "  }\n"
    "  %s = stablehlo.multiply %r#1, %r#1 : tensor<4xf64>\n"
    "  %c0 = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %sum = stablehlo.reduce(%s init: %c0) applies stablehlo.add across dimensions = [0]\n"
    "    : (tensor<4xf64>, tensor<f64>) -> tensor<f64>\n"
    "  return %sum : tensor<f64>\n"
    "}\n";

static char *filled(const char *text, const char *word, const char *with) {
  const char *at = strstr(text, word);
  tl_buf out = {0};
  tl_buf_str(&out, (tl_str){text, (size_t)(at - text)});
  tl_buf_printf(&out, "%s%s", with, at + strlen(word));
  return out.ptr;
}

static size_t loops_of(const tl_func *fn, size_t *out_ops) {
  size_t n = 0;
  *out_ops = 0;
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next) {
    n += op->code == TL_OP_WHILE;
    ++*out_ops;
  }
  return n;
}

// Few steps are written out, and many of an affine step are closed by squaring; the values are
// those of the loop, step by step.
static void constant_trips_become_straight_lines(void **state) {
  (void)state;
  static const struct {
    const char *trips, *factor;
    int64_t n;
    double a;
    size_t loops, most_ops;
  } cases[] = {
      {"0", "0.5", 0, 0.5, 0, 10},           {"1", "0.5", 1, 0.5, 0, 20},
      {"5", "0.5", 5, 0.5, 0, 40},           {"16", "-0.9", 16, -0.9, 0, 70},
      {"1000", "0.99", 1000, 0.99, 0, 90},   {"100000", "1.0", 100000, 1, 0, 120},
      {"1000", "1.001", 1000, 1.001, 0, 90},
  };
  for (size_t c = 0; c < TL_COUNT(cases); c++) {
    char *some = filled(affine, "TRIPS", cases[c].trips),
         *text = filled(some, "FACTOR", cases[c].factor);
    tl_module *m = parsed(text);
    tl_func *fn = gradient(m, 0, "d");
    size_t ops;
    assert_int_equal(loops_of(fn, &ops), cases[c].loops);
    assert_true(ops <= cases[c].most_ops);
    double x[4] = {0.3, -0.2, 0.7, 0};
    tl_arena *a = tl_arena_create();
    tl_tensor in = {fn->body->args[0]->type, x}, g;
    run(fn, &in, a, &g, NULL);
    for (int i = 0; i < 4; i++) {
      double y = x[i], d = 1;
      for (int64_t k = 0; k < cases[c].n; k++) {
        y = cases[c].a * y + (i + 1);
        d *= cases[c].a;
      }
      const double want = 2 * y * d;
      assert_true(fabs(((double *)g.data)[i] - want) <= 1e-11 * fabs(want));
    }
    tl_arena_destroy(a);
    tl_module_destroy(m);
    free(some);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_budget_is_kept),
      cmocka_unit_test(every_budget_gives_the_same_bits),
      cmocka_unit_test(done_lanes_leave_no_trace),
      cmocka_unit_test(a_scan_costs_slices),
      cmocka_unit_test(constant_trips_become_straight_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
