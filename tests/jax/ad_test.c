// jax_ad_test CASES LIST [--write] [--only NAME]: the transforms of src/ad against JAX's, natively
// and by the interpreter.
//
// CASES is what tests/oracle/jax_ad.py writes: functions as JAX lowers them, each with its checks.
// A check names a chain of transforms, the arguments of the function that they make and what JAX
// computed: we apply the same chain to the same text and run what comes out. A result passes when
// every element of it is within the tolerance of ad_tolerances.def; one that does not says which
// would have let it pass. A control follows each that passes: one element moved by a little more
// than the tolerance must be refused.
//
// LIST names the checks that do not pass, `FUNCTION CHECK: reason`; one that begins to pass fails
// the test until its line is taken out; "-" is none. --write prints the list as it would be now.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "cpu/cpu.h"

#include "../suites/exceptions.h"
#include "ad_cases.h"

static const struct tolerance {
  const char *name, *dtype;
  int order;
  double rtol;
  const char *reason;
} tolerances[] = {
#define TL_AD_TOLERANCE(name, dtype, order, rtol, reason) {name, dtype, order, rtol, reason},
#include "ad_tolerances.def"
#undef TL_AD_TOLERANCE
};

typedef struct tally {
  const list *l;
  tl_cpu *native, *interpreter;
  tl_str function; // of the last check
  size_t functions, checks, passed, listed, wrong;
  double worst[3]; // of what passes at f64: error over largest entry, by order
  bool write;
} tally;

// --- Comparison
// -------------------------------------------------------------------------------------

static bool is_real(const tl_dtype_info *info) {
  return info->kind == TL_KIND_FLOAT || info->kind == TL_KIND_COMPLEX;
}

static const struct tolerance *tolerance_of(const check *c, tl_dtype dtype) {
  const char *name = dtype == TL_DTYPE_C64    ? "f32"
                     : dtype == TL_DTYPE_C128 ? "f64"
                                              : tl_dtype_get(dtype)->mlir;
  const tl_str keys[] = {c->function, c->family, TL_STR("any")};
  for (size_t k = 0; k < TL_COUNT(keys); k++)
    for (size_t i = 0; i < TL_COUNT(tolerances); i++)
      if (tl_str_is(keys[k], tolerances[i].name) && strcmp(name, tolerances[i].dtype) == 0 &&
          c->order == tolerances[i].order)
        return &tolerances[i];
  return NULL;
}

static size_t n_reals(const value *v) {
  return tl_dtype_get(v->dtype)->kind == TL_KIND_COMPLEX ? 2 * v->n : v->n;
}

// OK, or what is wrong with `got`, which stands in place of out[r]; *worst: the error over the
// largest entry.
static tl_status compare(const check *c, size_t r, const void *got, double *worst) {
  const value *want = &c->out[r];
  const tl_dtype_info *info = tl_dtype_get(want->dtype);
  if (!is_real(info)) {
    for (size_t i = 0; i < want->n; i++)
      if (memcmp((const char *)got + i * info->size, (const char *)want->data + i * info->size,
                 info->size) != 0)
        return TL_ERROR(FAILED_PRECONDITION, "wrong: element %zu of result %zu is another %s", i, r,
                        info->mlir);
    return TL_OK;
  }
  const struct tolerance *t = tolerance_of(c, want->dtype);
  if (!t) return TL_ERROR(FAILED_PRECONDITION, "wrong: no tolerance for %s", info->mlir);
  size_t first = SIZE_MAX, n_bad = 0;
  double needed = 0;
  for (size_t i = 0; i < n_reals(want); i++) {
    const double x = load(want, got, i), y = load(want, want->data, i);
    if (x == y || (isnan(x) && isnan(y))) continue;
    const double d = fabs(x - y);
    const double ratio = isfinite(d) && c->largest[r] > 0 ? d / c->largest[r] : (double)INFINITY;
    needed = fmax(needed, ratio);
    if (ratio <= t->rtol) continue;
    n_bad++;
    if (first == SIZE_MAX) first = i;
  }
  *worst = needed;
  if (n_bad == 0) return TL_OK;
  return TL_ERROR(
      FAILED_PRECONDITION,
      "wrong: %zu of %zu elements of result %zu (%s), the first, %zu, %.17g, wanted %.17g; "
      "largest entry %.3g; rtol %.2g would pass (now %.2g)",
      n_bad, n_reals(want), r, info->mlir, first, load(want, got, first),
      load(want, want->data, first), c->largest[r], needed, t->rtol);
}

static void store(const value *v, void *data, size_t i, double x) {
  const size_t size = v->size / n_reals(v);
  const float f = (float)x;
  const uint16_t h = v->dtype == TL_DTYPE_F16 ? tl_f16_of_f32(f) : tl_bf16_of_f32(f);
  memcpy((char *)data + i * size,
         size == 2   ? (const void *)&h
         : size == 4 ? (const void *)&f
                     : &x,
         size);
}

// A copy of `got` with one element moved past the tolerance must be refused.
static tl_status control(tl_arena *a, const check *c, size_t r, const void *got) {
  const value *want = &c->out[r];
  const tl_dtype_info *info = tl_dtype_get(want->dtype);
  if (want->n == 0) return TL_OK;
  unsigned char *moved = tl_arena_alloc(a, want->size, 64);
  if (!moved) return TL_OOM();
  memcpy(moved, got, want->size);
  if (is_real(info)) {
    const size_t i = n_reals(want) / 2;
    const double y = load(want, want->data, i),
                 limit = tolerance_of(c, want->dtype)->rtol * c->largest[r];
    // 0 where an infinity or a NaN was wanted.
    store(want, moved, i, !isfinite(y) ? 0 : limit > 0 ? y + (y > 0 ? -2 : 2) * limit : 1);
  } else {
    moved[want->n / 2 * info->size] ^= 1;
  }
  double worst;
  tl_status st = compare(c, r, moved, &worst);
  if (!st) return TL_ERROR(FAILED_PRECONDITION, "wrong: a moved element of result %zu passes", r);
  tl_status_drop(st);
  return TL_OK;
}

// --- A check
// ----------------------------------------------------------------------------------------

static tl_status run_exe(tl_arena *a, const check *c, tl_cpu_exe *exe, double *worst) {
  const void *in[MAX_VALUES];
  void *out[MAX_VALUES];
  for (size_t i = 0; i < c->n_in; i++)
    in[i] = c->in[i].data;
  for (size_t i = 0; i < c->n_out; i++)
    if (!(out[i] = tl_arena_alloc(a, c->out[i].size + 64, 64))) return TL_OOM();
  tl_status st = tl_cpu_execute(exe, in, out);
  if (st) return as_refusal(st, "not run");
  for (size_t i = 0; i < c->n_out; i++) {
    double error = 0;
    TL_TRY(compare(c, i, out[i], &error));
    TL_TRY(control(a, c, i, out[i]));
    // What computes in f32 inside has a tolerance of its own, and says nothing of f64.
    if (c->out[i].dtype == TL_DTYPE_F64 && tolerance_of(c, TL_DTYPE_F64)->rtol < 1e-9)
      *worst = fmax(*worst, error);
  }
  return TL_OK;
}

static tl_status run_check(tl_arena *a, tally *t, tl_str text, const check *c, const char **way) {
  tl_module *m = NULL;
  tl_func *f = NULL;
  tl_cpu_exe *native = NULL, *interpreted = NULL;
  double worst = 0;
  *way = "transform";
  TL_TRY(transformed(text, c, &m, &f));
  tl_status st = same_types(c, f);
  *way = "native";
  if (!st) {
    st = tl_cpu_compile(t->native, m, f->name, &native);
    if (st) st = as_refusal(st, "not compiled");
  }
  if (!native) tl_module_destroy(m); // else the program's
  if (!st) st = run_exe(a, c, native, &worst);
  if (!st) {
    *way = "interpreter";
    st = tl_cpu_compile_again(t->interpreter, native, &interpreted);
  }
  if (!st) st = run_exe(a, c, interpreted, &worst);
  tl_cpu_exe_release(interpreted);
  tl_cpu_exe_release(native);
  if (!st) t->worst[c->order] = fmax(t->worst[c->order], worst);
  return st;
}

static void largest_entries(check *c) {
  double all = 0;
  for (size_t r = 0; r < c->n_out; r++) {
    c->largest[r] = 0;
    for (size_t i = 0; is_real(tl_dtype_get(c->out[r].dtype)) && i < n_reals(&c->out[r]); i++) {
      const double y = fabs(load(&c->out[r], c->out[r].data, i));
      if (isfinite(y)) c->largest[r] = fmax(c->largest[r], y);
    }
    all = fmax(all, c->largest[r]);
  }
  for (size_t r = 0; r < c->n_out; r++)
    if (c->largest[r] == 0) c->largest[r] = all;
}

static tl_status end_check(void *ctx, tl_arena *a, tl_str text, check *c, tl_status bad) {
  tally *t = ctx;
  char key[256];
  const char *way = "reading";
  uint64_t reason;
  snprintf(key, sizeof key, TL_STR_FMT " " TL_STR_FMT, TL_STR_ARG(c->function),
           TL_STR_ARG(c->name));
  if (!tl_str_eq(c->function, t->function)) t->functions++, t->function = c->function;
  largest_entries(c);
  if (!bad) bad = run_check(a, t, text, c, &way);
  const bool is_listed = tl_map_get(&t->l->reasons, tl_str_of(key), &reason);
  t->checks++;
  t->passed += !bad;
  t->listed += is_listed;
  if (bad && t->write) {
    printf("%s: %s: %s\n", key, way, tl_status_message(bad));
  } else if (bad && !is_listed) {
    printf("%s (" TL_STR_FMT "), %s: %s\n", key, TL_STR_ARG(c->chain), way, tl_status_message(bad));
    t->wrong++;
  } else if (!bad && is_listed && !t->write) {
    printf("%s passes now: take its line out of the list\n", key);
    t->wrong++;
  }
  tl_status_drop(bad);
  return TL_OK;
}

static tl_status run(tally *t, tl_str text, tl_str only) {
  tl_arena *a = tl_arena_create();
  tl_status st = a ? TL_OK : TL_OOM();
  while (!st && text.len) {
    tl_arena_point mark = tl_arena_mark(a);
    st = each_check(a, next_part(&text), only, end_check, t);
    tl_arena_rewind(a, mark);
  }
  tl_arena_destroy(a);
  return st;
}

int main(int argc, char **argv) {
  list l = {0};
  tally t = {.l = &l};
  tl_str only = {0};
  tl_buf text = {0};
  tl_status st = TL_OK;
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--write") == 0) t.write = true;
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = tl_str_of(argv[++i]);
  }
  if (argc < 3) st = TL_ERROR(INVALID_ARGUMENT, "wanted CASES LIST [--write] [--only NAME]");
  if (!st && !t.write && strcmp(argv[2], "-") != 0) st = read_list(argv[2], "function check", &l);
  if (!st) st = tl_file_read(argv[1], (size_t)1 << 30, &text);
  tl_cpu_options o = {.n_threads = 1};
  if (!st) st = tl_cpu_create(&o, &t.native);
  o.interpreter = true;
  if (!st) st = tl_cpu_create(&o, &t.interpreter);
  if (!st) st = run(&t, tl_buf_view(&text), only);
  if (!st && !t.write) {
    printf("%zu functions, %zu checks: %zu pass natively and by the interpreter, %zu are listed "
           "with a reason; greatest "
           "error at f64 over the largest entry %.1e of values, %.1e of first and %.1e of second "
           "derivatives\n",
           t.functions, t.checks, t.passed, t.listed, t.worst[0], t.worst[1], t.worst[2]);
    if (t.listed != l.n && !only.len) {
      printf("%zu lines of the list name no check\n", l.n - t.listed);
      t.wrong++;
    }
    if (t.passed == 0) t.wrong++;
  }
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  const bool failed = st || t.wrong;
  tl_status_drop(st);
  tl_cpu_release(t.native);
  tl_cpu_release(t.interpreter);
  tl_map_deinit(&l.reasons);
  tl_buf_deinit(&l.text);
  tl_buf_deinit(&text);
  return failed;
}
