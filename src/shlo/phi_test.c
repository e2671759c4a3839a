// The phi-calculus on programs: that what it makes of a loop or a branch has the loop's values and
// derivatives, and that this would be seen if it had not. What it makes of each rule, as text, is
// in tests/cli/phi.console.
#define TL_TEST_OOM_IMPL
#include "shlo/testing.h"

#include <math.h>

#include "ad/ad.h"
#include "passes/passes.h"
#include "passes/phi.h"
#include "ref/ref.h"

static tl_func *main_of(const tl_module *m) { return tl_module_find(m, TL_STR("main")); }

static void well(tl_status st) {
  if (st != TL_OK) print_error("%s\n", tl_status_message(st));
  assert_ok(st);
}

static void verify(const tl_module *m) {
  tl_diags diags = {0};
  well(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
}

static tl_module *plainer(const tl_module *m) {
  tl_module *out = NULL;
  well(tl_pass_run(tl_pass_find(TL_STR("phi")), m, &out));
  verify(out);
  return out;
}

static size_t count(const tl_block *block, tl_opcode code) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    n += op->code == code;
    for (uint32_t r = 0; r < op->n_regions; r++)
      n += count(op->regions[r], code);
  }
  return n;
}

static uint64_t seed;
static double drawn(void) { // in (-1, 1)
  seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

// ---- Loops that close ----

// Of d [3], with b [3], bs and as [40, 3] at each step, and what LINES make of them.
enum { WIDTH = 3, ROWS = 40, N_ARGS = 4, N_IN = 2 * WIDTH + 2 * ROWS * WIDTH };
static const char loop[] =
    "func.func @main(%x: tensor<3xf64>, %k: tensor<3xf64>, %bs: tensor<40x3xf64>,\n"
    "                %as: tensor<40x3xf64>) -> tensor<f64> {\n"
    "  %first = stablehlo.constant dense<FIRST> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<LAST> : tensor<i32>\n"
    "  %by = stablehlo.constant dense<STEP> : tensor<i32>\n"
    "  %o = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%i = %first, %d = %x) : tensor<i32>, tensor<3xf64>\n"
    "  cond {\n"
    "    %go = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %j = stablehlo.add %i, %by : tensor<i32>\n"
    "    %b1 = stablehlo.dynamic_slice %bs, %i, %o, sizes = [1, 3]\n"
    "      : (tensor<40x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>\n"
    "    %b = stablehlo.reshape %b1 : (tensor<1x3xf64>) -> tensor<3xf64>\n"
    "    %a1 = stablehlo.dynamic_slice %as, %i, %o, sizes = [1, 3]\n"
    "      : (tensor<40x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>\n"
    "    %a2 = stablehlo.reshape %a1 : (tensor<1x3xf64>) -> tensor<3xf64>\n"
    "    %a = stablehlo.tanh %a2 : tensor<3xf64>\n"
    "    %i1 = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>\n"
    "    %if = stablehlo.broadcast_in_dim %i1, dims = [] : (tensor<f64>) -> tensor<3xf64>\n"
    "    %c = stablehlo.constant dense<[0.9, -0.5, 1.02]> : tensor<3xf64>\n"
    "LINES"
    "    stablehlo.return %j, %z : tensor<i32>, tensor<3xf64>\n"
    "  }\n"
    "  %s = stablehlo.sine %r#1 : tensor<3xf64>\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0]\n"
    "    : (tensor<3xf64>, tensor<f64>) -> tensor<f64>\n"
    "  return %sum : tensor<f64>\n"
    "}\n";

#define OP(z, op, x, y) "    %" z " = stablehlo." op " %" x ", %" y " : tensor<3xf64>\n"
#define OF(z, op, x) "    %" z " = stablehlo." op " %" x " : tensor<3xf64>\n"
#define SLICE(at)                                                             \
  "    %v = stablehlo.dynamic_slice %bs, %" at ", %o, sizes = [1, 3]\n"       \
  "      : (tensor<40x3xf64>, tensor<i32>, tensor<i32>) -> tensor<1x3xf64>\n" \
  "    %u = stablehlo.reshape %v : (tensor<1x3xf64>) -> tensor<3xf64>\n"
#define FILLED(z, value) "    %" z " = stablehlo.constant dense<" value "> : tensor<3xf64>\n"

// Body, tolerance of values and derivatives relative to their largest, and whether the loop goes.
typedef struct row {
  const char *what, *lines;
  double tolerance;
  bool goes;
} row;
static const row rows[] = {
    {"C6", OP("w", "multiply", "c", "d") OP("z", "add", "w", "k"), 1e-12, true},
    {"C6, turned round", OP("w", "multiply", "d", "c") OP("z", "subtract", "k", "w"), 1e-12, true},
    {"C6, no b", OP("z", "multiply", "d", "c"), 1e-12, true},
    {"C6, no a", OP("z", "add", "k", "d"), 1e-12, true},
    {"C6, by a quotient",
     FILLED("q", "1.25") OP("w", "divide", "d", "q") OP("z", "subtract", "w", "k"), 1e-12, true},
    {"C6, d - q d",
     FILLED("q", "[0.5, 0.01, 1.5]") OP("w", "multiply", "q", "d") OP("z", "subtract", "d", "w"),
     1e-12, true},
    {"C6, (d + k) c", OP("w", "add", "d", "k") OP("z", "multiply", "w", "c"), 1e-12, true},
    {"C6, -d", OF("z", "negate", "d"), 0, true},
    {"C6, a 0", FILLED("q", "0.0") OP("w", "multiply", "d", "q") OP("z", "add", "w", "k"), 1e-12,
     true},
    {"C6, a factor of its own bounds",
     OF("t", "logistic", "k") OP("w", "multiply", "t", "d") OP("z", "add", "w", "k"), 1e-12, true},
    {"C7", OP("w", "multiply", "c", "d") OP("z", "add", "w", "b"), 1e-12, true},
    {"C7, no a", OP("z", "subtract", "d", "b"), 1e-12, true},
    {"C7, of the counter",
     OP("w", "multiply", "c", "d") OP("q", "multiply", "if", "b") OP("z", "add", "q", "w"), 1e-12,
     true},
    {"C7, from the end",
     "    %e = stablehlo.constant dense<39> : tensor<i32>\n"
     "    %q = stablehlo.subtract %e, %i : tensor<i32>\n" SLICE("q") OP("w", "multiply", "c", "d")
         OP("z", "add", "w", "u"),
     1e-12, true},
    {"C7, indexed as JAX does it",
     "    %e = stablehlo.constant dense<40> : tensor<i32>\n"
     "    %f = stablehlo.compare LT, %i, %o : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    %g = stablehlo.add %i, %e : tensor<i32>\n"
     "    %q = stablehlo.select %f, %g, %i : tensor<i1>, tensor<i32>\n" SLICE("q")
         OP("w", "multiply", "c", "d") OP("z", "add", "w", "u"),
     1e-12, true},
    {"C7, of columns",
     "    %t = stablehlo.transpose %bs, dims = [1, 0] : (tensor<40x3xf64>) -> tensor<3x40xf64>\n"
     "    %v = stablehlo.dynamic_slice %t, %o, %i, sizes = [3, 1]\n"
     "      : (tensor<3x40xf64>, tensor<i32>, tensor<i32>) -> tensor<3x1xf64>\n"
     "    %u = stablehlo.reshape %v : (tensor<3x1xf64>) -> tensor<3xf64>\n" OP(
         "w", "multiply", "c", "d") OP("z", "add", "w", "u"),
     1e-12, true},
    {"no C7: slices three times over",
     "    %e = stablehlo.constant dense<3> : tensor<i32>\n"
     "    %q = stablehlo.divide %i, %e : tensor<i32>\n" SLICE("q") OP("w", "multiply", "c", "d")
         OP("z", "add", "w", "u"),
     1e-12, false},
    {"C8", OP("w", "multiply", "a", "d") OP("z", "add", "w", "b"), 1e-12, true},
    {"C8, b alike", OP("w", "multiply", "d", "a") OP("z", "add", "w", "k"), 1e-12, true},
    {"C8, no b", OP("z", "multiply", "a", "d"), 1e-12, true},
    {"C8, a gate",
     OF("g", "logistic", "a2") OP("w", "multiply", "g", "d") OP("v", "subtract", "d", "w")
         OP("u", "multiply", "g", "b") OP("z", "add", "v", "u"),
     1e-12, true},
    {"C8, (1 - a) d", OP("w", "multiply", "a", "d") OP("z", "subtract", "d", "w"), 1e-12, true},
    {"no C8: 1 - tanh is up to 2",
     OP("w", "multiply", "a", "d") OP("v", "subtract", "d", "w") OP("z", "add", "v", "b"), 1e-12,
     false},
    {"C9, squares", OP("w", "multiply", "d", "d") OP("z", "multiply", "k", "w"), 1e-8, true},
    {"C9, roots",
     FILLED("h", "0.5") OF("p", "abs", "k") OP("w", "power", "d", "h")
         OP("z", "multiply", "p", "w"),
     1e-12, true},
    {"no C6: unknown a", OP("w", "multiply", "k", "d") OP("z", "add", "w", "k"), 1e-12, false},
    {"no C9: d^0.9", FILLED("h", "0.9") OP("z", "power", "d", "h"), 1e-12, false},
    {"no form: sin d", OF("z", "sine", "d"), 1e-12, false},
    {"no form: d + k + b", OP("w", "add", "d", "k") OP("z", "add", "w", "b"), 1e-12, false},
    {"no form: c / d", OP("z", "divide", "c", "d"), 1e-12, false},
};

static char *replaced(const char *text, const char *word, const char *with) {
  tl_buf out = {0};
  for (const char *at; (at = strstr(text, word)) != NULL; text = at + strlen(word))
    tl_buf_printf(&out, "%.*s%s", (int)(at - text), text, with);
  tl_buf_printf(&out, "%s", text);
  return out.ptr;
}

typedef struct course { // of the counter
  const char *first, *last, *step;
} course;

static tl_module *looped(const row *r, const course *c) {
  char *a = replaced(loop, "FIRST", c->first), *b = replaced(a, "LAST", c->last),
       *d = replaced(b, "STEP", c->step), *e = replaced(d, "LINES", r->lines);
  tl_module *m = parsed(e);
  free(a), free(b), free(d), free(e);
  return m;
}

typedef struct data {
  double in[N_IN], along[N_IN]; // x, k, bs, as; and a direction
} data;

// Many squares stay within range from numbers near 1 alone, and roots want numbers above 0.
static void draw(data *d, double about_one) {
  for (size_t i = 0; i < N_IN; i++)
    d->in[i] = drawn();
  for (size_t i = 0; about_one > 0 && i < 2 * WIDTH; i++)
    d->in[i] = 1 + about_one * d->in[i];
  for (size_t i = 0; i < N_IN; i++)
    d->along[i] = drawn();
}

static size_t run(const tl_func *fn, data *d, double *extra, size_t n_extra, double *out) {
  tl_arena *a = tl_arena_create();
  tl_tensor in[2 * N_ARGS + 1], y[N_ARGS + 1];
  double *at[2 * N_ARGS + 1] = {d->in, d->in + WIDTH, d->in + (ptrdiff_t)2 * WIDTH,
                                d->in + (ptrdiff_t)(2 + ROWS) * WIDTH};
  for (size_t i = 0; i < n_extra; i++) { // tangents, or one cotangent
    size_t n;
    at[N_ARGS + i] = extra;
    assert_true(tl_type_count(fn->body->args[N_ARGS + i]->type, &n));
    extra += n;
  }
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    in[i] = (tl_tensor){fn->body->args[i]->type, at[i]};
  well(tl_ref_run(fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, y, 0));
  size_t n = 0;
  for (uint32_t k = 0; k < fn->n_results; k++) {
    size_t len;
    assert_true(tl_type_count(y[k].type, &len));
    memcpy(out + n, y[k].data, len * sizeof *out);
    n += len;
  }
  tl_arena_destroy(a);
  return n;
}

// Relative to the largest.
static double apart(const double *x, const double *y, size_t n) {
  double most = 0, off = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(y[i]));
    off = fmax(off, fabs(x[i] - y[i]));
    if (isnan(x[i]) != isnan(y[i])) return INFINITY;
  }
  return most > 0 ? off / most : off;
}

static const uint32_t all_args[N_ARGS] = {0, 1, 2, 3};

static tl_func *gradient(tl_module *m, const char *of, int64_t checkpoints, const char *name) {
  tl_func *out = NULL;
  tl_ad_options o = {.checkpoints = checkpoints, .value = true};
  well(tl_ad_grad(m, tl_module_find(m, tl_str_of(of)), all_args, N_ARGS, &o, name, &out));
  verify(m);
  return out;
}

// The float constants of the function a little off; false where there are none.
static bool perturb(const tl_block *block) {
  bool any = false;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->code != TL_OP_CONSTANT || op->results[0]->type.dtype != TL_DTYPE_F64) continue;
    const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
    double *x = (double *)(uintptr_t)l->data;
    for (size_t i = 0; i < l->size / sizeof *x; i++) {
      if (x[i] == 0 || x[i] == 1) continue;
      any = true;
      x[i] *= 1 + 1e-8;
    }
  }
  return any;
}

// Ahead and behind, of fourth order, along d->along.
static double difference(const tl_func *fn, const data *d) {
  static const double at[4] = {-2, -1, 1, 2}, by[4] = {1, -8, 8, -1};
  const double h = 1e-4;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    data moved = *d;
    double y;
    for (size_t k = 0; k < N_IN; k++)
      moved.in[k] += h * at[i] * d->along[k];
    (void)run(fn, &moved, NULL, 0, &y);
    sum += by[i] * y;
  }
  return sum / (12 * h);
}

// Two examples at once, beside each alone.
static void check_batch(const row *r, tl_module *m, double tolerance) {
  static const int64_t axes[N_ARGS] = {-1, -1, -1, -1};
  const bool squares = strstr(r->what, "squares") != NULL;
  tl_func *both = NULL;
  well(tl_ad_vmap(m, main_of(m), &(tl_vmap_options){.in_axes = axes, .size = 2}, "both", &both));
  verify(m);
  assert_int_equal(count(both->body, TL_OP_WHILE) == 0, r->goes);
  data d[2];
  double in[2 * N_IN], y[2], z[2];
  for (int k = 0; k < 2; k++) {
    draw(&d[k], strstr(r->what, "C9") == NULL ? 0 : squares ? 1e-6 : 0.5);
    for (size_t i = 0; i < N_IN; i++)
      in[2 * i + (size_t)k] = d[k].in[i];
    (void)run(main_of(m), &d[k], NULL, 0, &y[k]);
  }
  tl_arena *a = tl_arena_create();
  tl_tensor args[N_ARGS], out;
  const size_t at[N_ARGS] = {0, WIDTH, 2 * WIDTH, (2 + ROWS) * WIDTH};
  for (uint32_t i = 0; i < N_ARGS; i++)
    args[i] = (tl_tensor){both->body->args[i]->type, in + 2 * at[i]};
  well(tl_ref_run(both, TL_REF_AS_TYPED, args, N_ARGS, a, &out, 0));
  memcpy(z, out.data, sizeof z);
  tl_arena_destroy(a);
  if (!(apart(z, y, 2) <= tolerance)) print_error("%s: a batch\n", r->what);
  assert_true(apart(z, y, 2) <= tolerance);
}

static size_t n_controls;

static void check_loop(const row *r, const course *c) {
  tl_module *m = looped(r, c), *p = plainer(m);
  const bool squares = strstr(r->what, "squares") != NULL;
  data d;
  draw(&d, strstr(r->what, "C9") == NULL ? 0 : squares ? 1e-6 : 0.5);
  if (count(main_of(p)->body, TL_OP_WHILE) != !r->goes)
    print_error("%s, from %s\n", r->what, c->first);
  assert_int_equal(count(main_of(p)->body, TL_OP_WHILE), !r->goes);
  double y, z;
  (void)run(main_of(m), &d, NULL, 0, &y);
  (void)run(main_of(p), &d, NULL, 0, &z);
  assert_true(isfinite(y));
  if (apart(&z, &y, 1) > r->tolerance) print_error("%s: %.17g, not %.17g\n", r->what, z, y);
  assert_true(apart(&z, &y, 1) <= r->tolerance);
  // Derivatives: of the loop by checkpoints, of what it has become, and differences.
  double want[1 + N_IN], got[1 + N_IN], of_plain[1 + N_IN], slope = 0;
  const tl_func *stays = gradient(m, "main", 5, "stays"), *goes = gradient(m, "main", 0, "goes"),
                *plain = gradient(p, "main", 0, "plain");
  assert_true(count(stays->body, TL_OP_WHILE) > 0);
  // Where the loop stays it may still be written out here: what the body does for nothing is gone.
  assert_true(!r->goes || count(goes->body, TL_OP_WHILE) == 0);
  const size_t n = run(stays, &d, NULL, 0, want);
  (void)run(goes, &d, NULL, 0, got);
  (void)run(plain, &d, NULL, 0, of_plain);
  const double tolerance = fmax(r->tolerance, 1e-13);
  if (apart(got, want, n) > tolerance) print_error("%s: gradient\n", r->what);
  assert_true(apart(got, want, n) <= tolerance);
  assert_true(apart(of_plain, want, n) <= tolerance);
  for (size_t i = 0; i < N_IN; i++)
    slope += want[1 + i] * d.along[i];
  double size = 0;
  for (size_t i = 0; i < N_IN; i++)
    size += fabs(want[1 + i] * d.along[i]);
  if (!squares) {
    const double differs = difference(main_of(m), &d);
    if (!(fabs(differs - slope) <= 1e-6 * size))
      print_error("%s: %g by differences, %g\n", r->what, differs, slope);
    assert_true(fabs(differs - slope) <= 1e-6 * size);
  }
  // Forward.
  tl_func *jvp = NULL;
  well(tl_ad_jvp(m, main_of(m), all_args, N_ARGS, NULL, "jvp", &jvp));
  verify(m);
  assert_true(!r->goes || count(jvp->body, TL_OP_WHILE) == 0);
  (void)run(jvp, &d, d.along, N_ARGS, &z);
  assert_true(fabs(z - slope) <= tolerance * size);
  check_batch(r, m, tolerance);
  // The control: a coefficient a hundred-millionth off is found out.
  if (r->goes && !squares && perturb(main_of(p)->body)) {
    (void)run(main_of(p), &d, NULL, 0, &z);
    if (!(apart(&z, &y, 1) > r->tolerance)) print_error("%s: the control passes\n", r->what);
    assert_true(apart(&z, &y, 1) > r->tolerance);
    n_controls++;
  }
  tl_module_destroy(p);
  tl_module_destroy(m);
}

static void loops_close(void **state) {
  (void)state;
  static const course courses[] = {
      {"0", "40", "1"}, {"39", "-1", "-1"}, {"3", "35", "1"}, {"1", "39", "2"}, {"38", "-2", "-2"}};
  seed = 7;
  n_controls = 0;
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    for (size_t c = 0; c < TL_COUNT(courses); c++) {
      const bool many = strcmp(courses[c].step, "1") == 0 || strcmp(courses[c].step, "-1") == 0;
      if (many && strstr(rows[i].what, "squares") != NULL) continue; // 2^40 units of rounding
      check_loop(&rows[i], &courses[c]);
    }
  assert_true(n_controls >= 30);
}

// A slice beyond the array is moved back into it, and such a loop is no sum of slices.
static void clamped_slices_stay(void **state) {
  (void)state;
  const row r = {"", OP("w", "multiply", "c", "d") OP("z", "add", "w", "b"), 0, false};
  static const course courses[] = {{"0", "41", "1"}, {"-1", "39", "1"}, {"0", "84", "4"}};
  for (size_t c = 0; c < TL_COUNT(courses); c++) {
    tl_module *m = looped(&r, &courses[c]), *p = plainer(m);
    assert_int_equal(count(main_of(p)->body, TL_OP_WHILE), 1);
    tl_module_destroy(p);
    tl_module_destroy(m);
  }
}

// ---- Long loops ----

// d <- a d + b of a scalar of `dtype`, n times, from p.
static const char affine[] =
    "func.func @main(%x: tensor<DTYPE>) -> tensor<DTYPE> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %n = stablehlo.constant dense<TRIPS> : tensor<i64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<DTYPE>\n"
    "  cond {\n"
    "    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "    %j = stablehlo.add %i, %one : tensor<i64>\n"
    "    %a = stablehlo.constant dense<FACTOR> : tensor<DTYPE>\n"
    "    %b = stablehlo.constant dense<PLUS> : tensor<DTYPE>\n"
    "    %w = stablehlo.multiply %a, %y : tensor<DTYPE>\n"
    "    %z = stablehlo.add %w, %b : tensor<DTYPE>\n"
    "    stablehlo.return %j, NEXT : tensor<i64>, tensor<DTYPE>\n"
    "  }\n"
    "  return %r#1 : tensor<DTYPE>\n"
    "}\n";

// The closed form keeps what the loop keeps: neither factors that overflow, nor a start that decays
// past the smallest number although it is the whole value, nor a fixed point from which the factor
// alone would lead away.
static void long_loops_keep_their_range(void **state) {
  (void)state;
  static const struct {
    const char *dtype, *trips, *a, *b;
    double p, tolerance;
    bool goes;
  } cases[] = {
      {"f64", "1000", "1.05", NULL, 1e-200, 1e-12, true},
      {"f64", "1500", "0.5", NULL, 1e200, 1e-12, true},  // 2^-1500 is no double; the value is
      {"f64", "3000", "1.5", NULL, 1e-300, 1e-11, true}, // nor is 1.5^3000
      {"f64", "20000", "0.5", NULL, 1e300, 0, true},     // both are 0
      {"f64", "50", "1.05", "-0.5", 10, 1e-12, true},
      {"f64", "100000", "0.999", "0.25", -3, 1e-11, true},
      {"f64", "100000", "-1.0", "0.25", -3, 1e-11, true},
      {"f64", "300", "2.0", "-7.0", 7, 0, false}, // 7 stays 7, and 2^300 7 - .. would not
      {"f64", "4000", "3.0", "1.0", -0.5, 0, false},
      {"f64", "20000", "3.0", NULL, 0, 0, false},
      {"f32", "200", "0.5", NULL, 1e30, 1e-5, true},
      {"f32", "500", "1.25", NULL, 1e-30, 1e-4, true},
      {"f32", "1000", "0.9", "0.5", 1, 1e-5, true},
      {"bf16", "100", "0.5", "0.5", 1, 0, false},
      {"f16", "100", "0.5", "0.5", 1, 0, false},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    char *a = replaced(affine, "TRIPS", cases[i].trips), *b = replaced(a, "FACTOR", cases[i].a),
         *c = replaced(b, "PLUS", cases[i].b == NULL ? "0.0" : cases[i].b),
         *e = replaced(c, "NEXT", cases[i].b == NULL ? "%w" : "%z"),
         *text = replaced(e, "DTYPE", cases[i].dtype);
    tl_module *m = parsed(text), *p = plainer(m);
    assert_int_equal(count(main_of(p)->body, TL_OP_WHILE), !cases[i].goes);
    if (cases[i].goes) {
      double y[2];
      for (int side = 0; side < 2; side++) {
        const tl_func *fn = main_of(side == 0 ? m : p);
        const bool f64 = fn->result_types[0].dtype == TL_DTYPE_F64;
        float single = (float)cases[i].p;
        double whole = cases[i].p;
        tl_arena *arena = tl_arena_create();
        tl_tensor in = {fn->result_types[0], f64 ? (void *)&whole : (void *)&single}, out;
        well(tl_ref_run(fn, TL_REF_AS_TYPED, &in, 1, arena, &out, 0));
        y[side] = f64 ? *(double *)out.data : (double)*(float *)out.data;
        tl_arena_destroy(arena);
      }
      if (!(fabs(y[1] - y[0]) <= cases[i].tolerance * fabs(y[0])))
        print_error("case %zu: %g, not %g\n", i, y[1], y[0]);
      assert_true(fabs(y[1] - y[0]) <= cases[i].tolerance * fabs(y[0]));
    }
    tl_module_destroy(p);
    tl_module_destroy(m);
    free(a), free(b), free(c), free(e), free(text);
  }
}

// ---- Several values ----

// Each closes by itself; the second as a function of the first does not.
static void values_close_one_by_one(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<f64>, %y: tensor<f32>, %m: tensor<i32>)\n"
      "    -> (tensor<f64>, tensor<f32>, tensor<i32>, tensor<i32>) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %n = stablehlo.constant dense<50> : tensor<i32>\n"
      "  %r:4 = stablehlo.while(%i = %zero, %j = %m, %a = %x, %b = %y)\n"
      "    : tensor<i32>, tensor<i32>, tensor<f64>, tensor<f32>\n"
      "  cond {\n"
      "    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %go : tensor<i1>\n"
      "  } do {\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %three = stablehlo.constant dense<3> : tensor<i32>\n"
      "    %c = stablehlo.constant dense<0.5> : tensor<f64>\n"
      "    %e = stablehlo.constant dense<0.75> : tensor<f32>\n"
      "    %i1 = stablehlo.add %i, %one : tensor<i32>\n"
      "    %j1 = stablehlo.subtract %j, %three : tensor<i32>\n"
      "    %f = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>\n"
      "    %a1 = stablehlo.multiply %a, %c : tensor<f64>\n"
      "    %b1 = stablehlo.multiply %b, %e : tensor<f32>\n"
      "    %b2 = stablehlo.add %b1, PLUS : tensor<f32>\n"
      "    stablehlo.return %i1, %j1, %a1, %b2\n"
      "      : tensor<i32>, tensor<i32>, tensor<f64>, tensor<f32>\n"
      "  }\n"
      "  return %r#2, %r#3, %r#0, %r#1 : tensor<f64>, tensor<f32>, tensor<i32>, tensor<i32>\n"
      "}\n";
  char *apart_text = replaced(text, "PLUS", "%f"), *a1 = replaced(text, "%b1, PLUS", "%b1, %a2"),
       *together =
           replaced(a1, "    %b1 = ",
                    "    %a2 = stablehlo.convert %a1 : (tensor<f64>) -> tensor<f32>\n    %b1 = ");
  tl_module *m = parsed(apart_text), *p = plainer(m), *t = parsed(together), *s = plainer(t);
  assert_int_equal(count(main_of(p)->body, TL_OP_WHILE), 0);
  assert_int_equal(count(main_of(s)->body, TL_OP_WHILE), 1);
  double x = 3;
  float y = -2;
  int32_t k = 7;
  tl_arena *a = tl_arena_create();
  tl_tensor in[3] = {{tl_type_scalar(TL_DTYPE_F64), &x},
                     {tl_type_scalar(TL_DTYPE_F32), &y},
                     {tl_type_scalar(TL_DTYPE_S32), &k}},
            want[4], got[4];
  well(tl_ref_run(main_of(m), TL_REF_AS_TYPED, in, 3, a, want, 0));
  well(tl_ref_run(main_of(p), TL_REF_AS_TYPED, in, 3, a, got, 0));
  assert_true(*(double *)got[0].data == *(double *)want[0].data); // a power of 2
  const double b = (double)*(float *)want[1].data;
  assert_true(fabs((double)*(float *)got[1].data - b) <= 1e-5 * fabs(b));
  assert_int_equal(*(int32_t *)got[2].data, 50);
  assert_int_equal(*(int32_t *)got[3].data, 7 - 150);
  tl_arena_destroy(a);
  tl_module_destroy(m), tl_module_destroy(p), tl_module_destroy(t), tl_module_destroy(s);
  free(apart_text), free(a1), free(together);
}

// ---- The choice ----

// n steps of one op: a loop, or as many ops.
static size_t loops_in(const char *trips, const char *op, int way, int64_t unroll) {
  char *a = replaced(affine, "TRIPS", trips), *b = replaced(a, "FACTOR", "1.0"),
       *c = replaced(b, "PLUS", "1.0"), *e = replaced(c, "NEXT", "%w"),
       *g = replaced(e, "multiply %a, %y", op), *text = replaced(g, "DTYPE", "f64");
  tl_module *m = parsed(text);
  tl_func *out = NULL;
  const tl_ad_options o = {.unroll = unroll};
  const int64_t axis = 0;
  const tl_vmap_options v = {.in_axes = &axis, .size = 5, .unroll = unroll};
  well(way == 0   ? tl_ad_vjp(m, main_of(m), all_args, 1, &o, "d", &out)
       : way == 1 ? tl_ad_jvp(m, main_of(m), all_args, 1, &o, "d", &out)
                  : tl_ad_vmap(m, main_of(m), &v, "d", &out));
  verify(m);
  const size_t n = count(out->body, TL_OP_WHILE);
  tl_module_destroy(m);
  free(a), free(b), free(c), free(e), free(g), free(text);
  return n;
}

static void cost_decides(void **state) {
  (void)state;
  // Steps of two or three ops: a counter, the op, and one that nobody reads.
  for (int way = 0; way < 3; way++) {
    assert_int_equal(loops_in("20", "sine %y", way, 0), 0);
    assert_int_equal(loops_in("20", "sine %y", way, -1), way == 0 ? 2 : 1);
    assert_int_equal(loops_in("40", "sine %y", way, 0), way == 0 ? 2 : 1);
    assert_int_equal(loops_in("40", "sine %y", way, 200), 0);
    assert_int_equal(loops_in("1000", "sine %y", way, 0), way == 0 ? 2 : 1);
    assert_int_equal(loops_in("100000", "negate %y", way, 0), 0);
  }
}

// ---- Loops that break ----

// Conditions of random parts, over values that are given when the loop runs: what phi makes of them
// gives the same bits, and so do its derivatives.
static const char *const parts[] = {
    "compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare LE, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare GE, %m, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare LT, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare NE, %i, %c6 : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare LT, %sq, %c30 : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "compare LT, %v, %big : (tensor<f64>, tensor<f64>) -> tensor<i1>",
    "compare LT, %y, %big : (tensor<f64>, tensor<f64>) -> tensor<i1>",
    "compare NE, %n, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "constant dense<true> : tensor<i1>",
};

static tl_module *breaking(void) {
  tl_buf text = {0};
  tl_buf_printf(
      &text,
      "func.func @main(%%x: tensor<f64>, %%v: tensor<f64>, %%n: tensor<i32>, %%m: tensor<i32>)\n"
      "    -> (tensor<f64>, tensor<i32>) {\n"
      "  %%first = stablehlo.constant dense<%d> : tensor<i32>\n"
      "  %%one = stablehlo.constant dense<%d> : tensor<i32>\n"
      "  %%c9 = stablehlo.constant dense<9> : tensor<i32>\n"
      "  %%c6 = stablehlo.constant dense<6> : tensor<i32>\n"
      "  %%big = stablehlo.constant dense<1.2> : tensor<f64>\n"
      "  %%r:2 = stablehlo.while(%%i = %%first, %%y = %%x) : tensor<i32>, tensor<f64>\n"
      "  cond {\n"
      "    %%c30 = stablehlo.constant dense<30> : tensor<i32>\n"
      "    %%sq = stablehlo.multiply %%i, %%i : tensor<i32>\n"
      "    %%p0 = stablehlo.compare LT, %%i, %%c30 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n",
      (int)(2.5 + 2.4 * drawn()), 1 + (drawn() > 0.5));
  const int n = 1 + (int)(1.5 + 1.5 * drawn());
  for (int i = 1; i <= n; i++) { // and this part, or not the break of its contrary
    const char *part = parts[(size_t)((drawn() + 1) / 2 * (double)TL_COUNT(parts))];
    tl_buf_printf(&text, "    %%q%d = stablehlo.%s\n", i, part);
    if (drawn() > 0) {
      tl_buf_printf(&text, "    %%p%d = stablehlo.and %%p%d, %%q%d : tensor<i1>\n", i, i - 1, i);
    } else {
      tl_buf_printf(&text,
                    "    %%b%d = stablehlo.not %%q%d : tensor<i1>\n"
                    "    %%a%d = stablehlo.not %%p%d : tensor<i1>\n"
                    "    %%o%d = stablehlo.or %%b%d, %%a%d : tensor<i1>\n"
                    "    %%p%d = stablehlo.not %%o%d : tensor<i1>\n",
                    i, i, i, i - 1, i, i, i, i, i);
    }
  }
  tl_buf_printf(&text,
                "    stablehlo.return %%p%d : tensor<i1>\n"
                "  } do {\n"
                "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
                "    %%s = stablehlo.sine %%y : tensor<f64>\n"
                "    %%z = stablehlo.add %%s, %%v : tensor<f64>\n"
                "    stablehlo.return %%j, %%z : tensor<i32>, tensor<f64>\n"
                "  }\n"
                "  return %%r#1, %%r#0 : tensor<f64>, tensor<i32>\n"
                "}\n",
                n);
  tl_module *m = parsed(text.ptr);
  tl_buf_deinit(&text);
  return m;
}

typedef struct broken {
  double y, ct[2];
  int32_t i;
} broken;

static broken run_broken(const tl_func *fn, double x, double v, int32_t n, int32_t m) {
  tl_arena *a = tl_arena_create();
  double one = 1;
  int32_t zero = 0;
  const tl_type f64 = tl_type_scalar(TL_DTYPE_F64), i32 = tl_type_scalar(TL_DTYPE_S32);
  tl_tensor in[6] = {{f64, &x}, {f64, &v}, {i32, &n}, {i32, &m}, {f64, &one}, {i32, &zero}}, out[4];
  well(tl_ref_run(fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, out, 100000));
  broken b = {.y = *(double *)out[0].data};
  if (fn->n_results == 4)
    for (int k = 0; k < 2; k++)
      b.ct[k] = *(double *)out[2 + k].data;
  b.i = *(int32_t *)out[1].data;
  tl_arena_destroy(a);
  return b;
}

static void breaks_are_kept(void **state) {
  (void)state;
  seed = 11;
  size_t n_plainer = 0, n_gone = 0, n_spoilt = 0, n_found = 0;
  for (int round = 0; round < 150; round++) {
    tl_module *m = breaking(), *p = plainer(m);
    tl_func *stays, *goes;
    well(tl_ad_vjp(m, main_of(m), all_args, 2, &(tl_ad_options){.value = true, .checkpoints = 3},
                   "stays", &stays));
    well(tl_ad_vjp(m, main_of(m), all_args, 2, &(tl_ad_options){.value = true}, "goes", &goes));
    verify(m);
    n_gone += count(main_of(p)->body, TL_OP_WHILE) == 0;
    n_plainer += count(main_of(p)->body, TL_OP_AND) + count(main_of(p)->body, TL_OP_OR) <
                 count(main_of(m)->body, TL_OP_AND) + count(main_of(m)->body, TL_OP_OR);
    for (int32_t n = -1; n <= 12; n += 4)
      for (int32_t k = 0; k <= 12; k += 3) {
        const double x = drawn(), v = drawn() > 0 ? 0.5 : 1.3;
        const broken y = run_broken(main_of(m), x, v, n, k), z = run_broken(main_of(p), x, v, n, k),
                     want = run_broken(stays, x, v, n, k), got = run_broken(goes, x, v, n, k);
        assert_true(y.y == z.y && y.i == z.i);
        assert_true(want.y == y.y && got.y == y.y && want.i == y.i && got.i == y.i);
        for (int d = 0; d < 2; d++)
          assert_true(fabs(got.ct[d] - want.ct[d]) <= 1e-14 * fabs(want.ct[d]));
      }
    // The control: the larger of two bounds in place of the lesser.
    bool spoilt = false, found = false;
    for (tl_op *op = main_of(p)->body->first; op != NULL; op = op->next)
      if (op->code == TL_OP_MINIMUM) op->code = TL_OP_MAXIMUM, spoilt = true;
    for (int32_t n = -1; spoilt && n <= 12; n += 4)
      for (int32_t k = 0; k <= 12; k += 3)
        found |=
            run_broken(main_of(m), 0.3, 0.5, n, k).i != run_broken(main_of(p), 0.3, 0.5, n, k).i;
    n_spoilt += spoilt;
    n_found += found;
    tl_module_destroy(p);
    tl_module_destroy(m);
  }
  print_message("%zu bounds spoilt, %zu of them found\n", n_spoilt, n_found);
  assert_true(n_spoilt > 10 && n_found > n_spoilt / 2);
  print_message("plainer conditions %zu, no loop any more %zu of 150\n", n_plainer, n_gone);
  assert_true(n_plainer > 60 && n_gone > 15);
}

// ---- Branches ----

// Four choices within one another, the last of a value that has no derivative at 0.
static const char chain[] =
    "func.func @main(%x: tensor<f64>, %v: tensor<f64>) -> tensor<f64> {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
    "  %p = stablehlo.compare LT, %v, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
    "  %q = stablehlo.compare LT, %x, %v : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
    "  %r = stablehlo.compare GT, %x, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
    "  %y = \"stablehlo.if\"(%p) ({\n"
    "    %s = stablehlo.sine %x : tensor<f64>\n"
    "    stablehlo.return %s : tensor<f64>\n"
    "  }, {\n"
    "    %a = \"stablehlo.if\"(%q) ({\n"
    "      %b = \"stablehlo.if\"(%r) ({\n"
    "        %s = stablehlo.multiply %x, %v : tensor<f64>\n"
    "        stablehlo.return %s : tensor<f64>\n"
    "      }, {\n"
    "        stablehlo.return %v : tensor<f64>\n"
    "      }) : (tensor<i1>) -> tensor<f64>\n"
    "      stablehlo.return %b : tensor<f64>\n"
    "    }, {\n"
    "      %s = stablehlo.sqrt %x : tensor<f64>\n"
    "      stablehlo.return %s : tensor<f64>\n"
    "    }) : (tensor<i1>) -> tensor<f64>\n"
    "    stablehlo.return %a : tensor<f64>\n"
    "  }) : (tensor<i1>) -> tensor<f64>\n"
    "  %e = stablehlo.exponential %y : tensor<f64>\n"
    "  %w = stablehlo.multiply %e, %x : tensor<f64>\n"
    "  return %w : tensor<f64>\n"
    "}\n";

static void run_doubles(const tl_func *fn, double *const *at, double *const *out) {
  tl_arena *a = tl_arena_create();
  tl_tensor in[8], y[4];
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    in[i] = (tl_tensor){fn->body->args[i]->type, at[i]};
  well(tl_ref_run(fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, y, 0));
  for (uint32_t k = 0; k < fn->n_results; k++) {
    size_t n;
    assert_true(tl_type_count(y[k].type, &n));
    memcpy(out[k], y[k].data, n * sizeof(double));
  }
  tl_arena_destroy(a);
}

// The chain alone, made plain, and over lanes of which each takes its own way, with its gradients;
// C1 makes it one choice of whole expressions, and the derivative goes into it (C2).
static void branches_are_kept(void **state) {
  (void)state;
  enum { LANES = 6 };
  double x[LANES] = {0.3, -0.5, 0.2, 4, 0.9, 0}, v[LANES] = {-1, -0.1, 0.7, 7, 0.1, 0},
         ones[LANES] = {1, 1, 1, 1, 1, 1}, y[LANES], ct[2][LANES];
  tl_module *m = parsed(chain), *p = plainer(m);
  assert_int_equal(count(main_of(p)->body, TL_OP_CASE), 1);
  assert_int_equal(count(main_of(p)->body, TL_OP_IF), 0);
  assert_int_equal(count(main_of(p)->body, TL_OP_EXPONENTIAL), 4);
  const int64_t axes[3] = {0, 0, 0};
  const tl_vmap_options o = {.in_axes = axes, .size = LANES};
  const tl_ad_options value = {.value = true};
  tl_func *one, *plain, *all, *back, *each;
  well(tl_ad_vjp(m, main_of(m), all_args, 2, &value, "one", &one));
  well(tl_ad_vjp(p, main_of(p), all_args, 2, &value, "one", &plain));
  well(tl_ad_vmap(m, main_of(m), &o, "all", &all));
  well(tl_ad_vjp(m, all, all_args, 2, &value, "back", &back));
  well(tl_ad_vmap(m, one, &o, "each", &each));
  verify(m);
  verify(p);
  assert_int_equal(count(one->body, TL_OP_CASE), 0); // one predicate: the choices stay
  double *const in[3] = {x, v, ones}, *const out[3] = {y, ct[0], ct[1]};
  for (int way = 0; way < 2; way++) {
    run_doubles(way == 0 ? back : each, in, out);
    for (int i = 0; i < LANES; i++) {
      double z[2][3];
      double *const at[3] = {&x[i], &v[i], &ones[i]};
      for (int side = 0; side < 2; side++) {
        double *const to[3] = {&z[side][0], &z[side][1], &z[side][2]};
        run_doubles(side == 0 ? one : plain, at, to);
      }
      assert_true(z[0][0] == z[1][0] && y[i] == z[0][0]);
      for (int k = 0; k < 2; k++) {
        if (i == LANES - 1 && k == 0) { // the square root at 0
          assert_false(isfinite(ct[k][i]));
          continue;
        }
        assert_true(fabs(z[1][1 + k] - z[0][1 + k]) <= 1e-15 * fabs(z[0][1 + k]));
        assert_true(fabs(ct[k][i] - z[0][1 + k]) <= 1e-15 * fabs(z[0][1 + k]));
      }
    }
  }
  tl_module_destroy(p);
  tl_module_destroy(m);
}

// ---- Rounds ----

static void rounds_have_an_end(void **state) {
  (void)state;
  tl_module *m = parsed(chain);
  bool changed;
  tl_status st = tl_phi_func(main_of(m), 0, &changed);
  assert_int_equal(tl_status_get_code(st), TL_STATUS_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(tl_status_message(st), "@main"));
  tl_status_drop(st);
  tl_module_destroy(m);
  m = parsed(chain);
  well(tl_phi_func(main_of(m), TL_PHI_ROUNDS, &changed));
  assert_true(changed);
  verify(m);
  well(tl_phi_func(main_of(m), 0, &changed)); // what is done is done
  assert_false(changed);
  tl_module_destroy(m);
}

static const char *oom_text;

static tl_status once(void *arg) {
  (void)arg;
  tl_module *m = NULL, *p = NULL;
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(tl_str_of(oom_text), "oom", &diags, &m);
  tl_diags_deinit(&diags);
  if (st == TL_OK) st = tl_pass_run(tl_pass_find(TL_STR("phi")), m, &p);
  tl_module_destroy(p);
  tl_module_destroy(m);
  return st;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  oom_text = chain;
  tl_test_each_oom(once, NULL);
  char *a = replaced(loop, "FIRST", "0"), *b = replaced(a, "LAST", "40"),
       *c = replaced(b, "STEP", "1"),
       *d = replaced(c, "LINES", OP("w", "multiply", "a", "d") OP("z", "add", "w", "b"));
  oom_text = d;
  tl_test_each_oom(once, NULL);
  free(a), free(b), free(c), free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_close),
      cmocka_unit_test(clamped_slices_stay),
      cmocka_unit_test(long_loops_keep_their_range),
      cmocka_unit_test(values_close_one_by_one),
      cmocka_unit_test(cost_decides),
      cmocka_unit_test(breaks_are_kept),
      cmocka_unit_test(branches_are_kept),
      cmocka_unit_test(rounds_have_an_end),
      cmocka_unit_test(each_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
