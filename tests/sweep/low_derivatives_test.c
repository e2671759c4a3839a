// low_derivatives_test SAMPLES [OP]: derivatives at bf16 and f16 of every op of the table, on the
// samples of the op sweep.
//
// A sample's floats become T, whatever they were, and its @main f is differentiated as it is then:
// every op of J t and of J^T ct rounds once to T, sums and products of it accumulate as the op
// means (docs/autodiff.md). What they give, run as typed, is held against the derivative of the
// same sample in f64 at the same numbers: inputs, tangents and cotangents are numbers of T on both
// sides. Off by so many units in the last place of the largest entry is what rounding costs.
//
// SAMPLES/low_derivatives.txt has what is allowed, a line each, the first that fits counts:
// "<mnemonic> <part or *> <type or *>: 12 because ..." or "... : not because ...". An op that has a
// derivative and no sample of which f can be of T must be there with a reason too (part *).
#include "sample.h"

#include "ad/ad.h"
#include "ad/rule.h"
#include "base/file.h"

#define USUAL 3.0 // half for each rounding: of a factor or two, of the product, of a sum

typedef struct low {
  tl_dtype dtype;
  const char *name;
  int bits;               // of precision
  double greatest, least; // normal
} low;
static const low types[] = {{TL_DTYPE_BF16, "bf16", 8, 0x1.fep127, 0x1p-126},
                            {TL_DTYPE_F16, "f16", 11, 65504, 0x1p-14}};

static tl_buf exceptions;
static size_t n_compared, n_excluded, n_other, failures;
static double usual_worst; // of what has no line

// The line that fits, behind its colon; empty: none.
static tl_str exception_of(const char *op, size_t part, const char *type) {
  char number[24];
  snprintf(number, sizeof number, "%zu", part);
  const char *parts[] = {number, "*"}, *names[] = {type, "*"};
  const int n = strcmp(type, "wrt") == 0 ? 1 : 2; // "<mnemonic> <part> wrt: 1": the one argument
  tl_str all = tl_buf_view(&exceptions);
  for (int p = 0; p < n; p++)
    for (int t = 0; t < n; t++) {
      char mark[128];
      snprintf(mark, sizeof mark, "\n%s %s %s: ", op, parts[p], names[t]);
      size_t at = tl_str_find(all, tl_str_of(mark));
      if (at == (size_t)-1) continue;
      tl_str rest = tl_str_sub(all, at + strlen(mark), all.len);
      return tl_str_sub(rest, 0, TL_MIN(tl_str_find(rest, TL_STR("\n")), rest.len));
    }
  return (tl_str){0};
}

typedef struct pair { // f of T, and of f64
  sample s[2];
  uint32_t wrt[MAX_VALUES], n_wrt;
} pair;

static tl_tensor blank(sample *s, tl_type t) {
  size_t size;
  assert_true(tl_type_size(t, &size));
  void *data = tl_arena_alloc(s->arena, size + 8, 64);
  assert_non_null(data);
  memset(data, 0, size + 8);
  return (tl_tensor){t, data};
}

static size_t parts_of(tl_type t) {
  size_t n;
  assert_true(count_parts(t, &n));
  return n;
}

// x in the type of f64's value.
static tl_tensor exactly(sample *to, const tl_tensor *x, tl_type t) {
  tl_tensor y = blank(to, t);
  if (!tl_ad_is_inexact(t.dtype)) {
    size_t size;
    assert_true(tl_type_size(t, &size));
    memcpy(y.data, x->data, size);
    return y;
  }
  for (size_t i = 0; i < parts_of(t); i++)
    store(tl_dtype_part(t.dtype), y.data, i, load(x, i));
  return y;
}

// Random numbers of T in [-1, 1], and the same in f64.
static void draw(pair *q, tl_type low_type, tl_type wide_type, uint64_t *seed, tl_tensor out[2]) {
  out[0] = blank(&q->s[0], low_type);
  for (size_t i = 0; tl_ad_is_inexact(low_type.dtype) && i < parts_of(low_type); i++)
    store(tl_dtype_part(low_type.dtype), out[0].data, i,
          (double)(next_random(seed) >> 11) * 0x1p-52 - 1);
  out[1] = exactly(&q->s[1], &out[0], wide_type);
}

// In units in the last place of the largest entry, of numbers that T holds.
static double ulps(const low *t, const tl_tensor *got, const tl_tensor *want) {
  double greatest = t->least, worst = 0;
  for (size_t i = 0; i < parts_of(want->type); i++) {
    const double y = fabs(load(want, i));
    if (y <= t->greatest) greatest = fmax(greatest, y);
  }
  int exponent;
  (void)frexp(greatest, &exponent); // greatest = m 2^exponent, m in [1/2, 1)
  const double ulp = ldexp(1, exponent - t->bits);
  for (size_t i = 0; i < parts_of(want->type); i++) {
    const double x = load(got, i), y = load(want, i);
    if (fabs(y) > t->greatest / 2 || (isnan(x) && isnan(y)) || x == y) continue;
    const double off = fabs(x - y) / ulp;
    worst = isnan(off) ? (double)INFINITY : fmax(worst, off);
  }
  return worst;
}

static void judge(pair *q, const low *t, const char *what, const tl_tensor *got,
                  const tl_tensor *want) {
  const char *name = tl_op_get(q->s[0].op)->mnemonic;
  if (!tl_ad_is_inexact(want->type.dtype) || parts_of(want->type) == 0) return;
  const tl_str text = exception_of(name, q->s[0].part, t->name);
  const bool excluded = tl_str_starts(text, TL_STR("not "));
  const double allowed = text.len && !excluded ? strtod(text.ptr, NULL) : USUAL;
  const double off = ulps(t, got, want);
  n_compared++;
  if (excluded) {
    n_excluded += !(off <= allowed);
    return;
  }
  if (!text.len) usual_worst = fmax(usual_worst, off);
  if (!(off <= allowed)) {
    printf("%s %zu %s %s: off by %g ulps, allowed %g\n", name, q->s[0].part, t->name, what, off,
           allowed);
    failures++;
  }
  // The control: an element off by a little more.
  tl_tensor wrong = exactly(&q->s[0], got, got->type);
  double greatest = t->least;
  for (size_t i = 0; i < parts_of(want->type); i++)
    if (fabs(load(want, i)) <= t->greatest) greatest = fmax(greatest, fabs(load(want, i)));
  const double moved = load(want, 0) + ldexp(greatest, 1 - t->bits) * (2 * allowed + 2);
  store(tl_dtype_part(wrong.type.dtype), wrong.data, 0, moved);
  if (fabs(moved) < t->greatest / 2 && fabs(load(want, 0)) < t->greatest / 2 &&
      ulps(t, &wrong, want) <= allowed) {
    printf("%s %zu %s %s: the control agrees\n", name, q->s[0].part, t->name, what);
    failures++;
  }
}

// J t (forward) or J^T ct of both, compared.
static void compare(pair *q, const low *t, bool forward) {
  const tl_func *f[2] = {q->s[0].fn, q->s[1].fn}, *d[2];
  const uint32_t n = f[0]->body->n_args;
  tl_tensor in[2][2 * MAX_VALUES], out[2][MAX_VALUES];
  uint64_t seed = 7;
  for (int k = 0; k < 2; k++) {
    memcpy(in[k], q->s[k].in, n * sizeof **in);
    const tl_ad_options o = {0};
    tl_func *made = NULL;
    tl_status st = (forward ? tl_ad_jvp : tl_ad_vjp)(q->s[k].module, f[k], q->wrt, q->n_wrt, &o,
                                                     forward ? "t.jvp" : "t.vjp", &made);
    d[k] = made;
    if (st == TL_OK) continue;
    // A refusal at f64 is the other test's matter.
    if (k == 0 && tl_status_get_code(st) != TL_STATUS_UNIMPLEMENTED) {
      printf("%s %zu %s: %s\n", q->s[0].name, q->s[0].part, t->name, tl_status_message(st));
      failures++;
    }
    tl_status_drop(st);
    return;
  }
  for (uint32_t i = 0; forward && i < q->n_wrt; i++) {
    tl_tensor pair_of[2];
    draw(q, q->s[0].in[q->wrt[i]].type, q->s[1].in[q->wrt[i]].type, &seed, pair_of);
    in[0][n + i] = pair_of[0], in[1][n + i] = pair_of[1];
  }
  for (uint32_t i = 0; !forward && i < f[0]->n_results; i++) {
    tl_tensor pair_of[2];
    draw(q, f[0]->result_types[i], f[1]->result_types[i], &seed, pair_of);
    in[0][n + i] = pair_of[0], in[1][n + i] = pair_of[1];
  }
  for (int k = 0; k < 2; k++) {
    tl_status st =
        tl_ref_run(d[k], TL_REF_AS_TYPED, in[k], d[k]->body->n_args, q->s[k].arena, out[k], 0);
    if (st == TL_OK) continue;
    printf("%s %zu %s: %s\n", q->s[0].name, q->s[0].part, t->name, tl_status_message(st));
    failures++;
    tl_status_drop(st);
    return;
  }
  for (uint32_t k = 0; k < d[0]->n_results; k++)
    judge(q, t, forward ? "jvp" : "vjp", &out[0][k], &out[1][k]);
}

// Whether f can be of T; it then is compared.
static bool run_sample(tl_arena *arena, tl_opcode op, size_t part, tl_str text, const low *t) {
  pair q = {0};
  bool is_edges, good = true;
  double lo, hi;
  const char *names[2] = {t->name, "f64"};
  const sample whole = {.text = text};
  range_of(&whole, 0, &lo, &hi, &is_edges);
  // There are no complex numbers of T.
  if (is_edges || tl_str_find(text, TL_STR("complex<")) != (size_t)-1) return false;
  for (int k = 0; k < 2 && good; k++) {
    sample *s = &q.s[k];
    *s = (sample){.arena = arena,
                  .op = op,
                  .name = tl_op_get(op)->mnemonic,
                  .part = part,
                  .text = with_floats(arena, text, names[k])};
    tl_status st = open_sample(s);
    good = st == TL_OK;
    tl_status_drop(st);
  }
  bool any = false, low_in = false;
  for (uint32_t k = 0; good && k < q.s[0].fn->n_results; k++)
    any |= tl_ad_is_inexact(q.s[0].fn->result_types[k].dtype);
  for (uint32_t i = 0; good && i < q.s[0].n_in; i++) {
    q.s[1].in[i] = exactly(&q.s[1], &q.s[0].in[i], q.s[1].in[i].type);
    if (!tl_ad_is_inexact(q.s[0].in[i].type.dtype)) continue;
    low_in |= q.s[0].in[i].type.dtype == t->dtype;
    const tl_str only = exception_of(q.s[0].name, part, "wrt");
    if (only.len == 0 || (uint32_t)atoi(only.ptr) == i) q.wrt[q.n_wrt++] = i;
  }
  good = good && any && low_in && q.n_wrt != 0;
  if (good) {
    compare(&q, t, true);
    compare(&q, t, false);
  }
  n_other += !good;
  tl_module_destroy(q.s[0].module);
  tl_module_destroy(q.s[1].module);
  return good;
}

static void run_op(const char *dir, tl_opcode op) {
  tl_arena *a = tl_arena_create();
  tl_buf file = {0};
  const char *name = tl_op_get(op)->mnemonic;
  const tl_ad_rule *rule = tl_ad_rule_of(op);
  tl_status st = tl_file_read(tl_arena_printf(a, "%s/%s.mlir", dir, name), 1 << 20, &file);
  if (st) printf("%s has no samples: %s\n", name, tl_status_message(st)), failures++;
  for (size_t t = 0; !st && t < TL_COUNT(types); t++) {
    tl_str rest = tl_buf_view(&file), text;
    bool any = false;
    for (size_t part = 0; rest.len; part++) {
      text = next_part(&rest);
      tl_arena *arena = tl_arena_create();
      any |= run_sample(arena, op, part, text, &types[t]);
      tl_arena_destroy(arena);
    }
    const tl_str listed = exception_of(name, SIZE_MAX, types[t].name);
    if (any || rule->zero || rule->refused || tl_str_starts(listed, TL_STR("not "))) continue;
    printf("%s has no sample of %s, and no line that says why\n", name, types[t].name);
    failures++;
  }
  tl_status_drop(st);
  tl_buf_deinit(&file);
  tl_arena_destroy(a);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "wanted SAMPLES [OP]\n"), 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/low_derivatives.txt", argv[1]);
  tl_status st = tl_file_read(path, 1 << 20, &exceptions);
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), tl_status_drop(st), 2;
  for (size_t op = 0; op < TL_OP_COUNT; op++)
    if (argc < 3 || strcmp(argv[2], tl_op_get((tl_opcode)op)->mnemonic) == 0)
      run_op(argv[1], (tl_opcode)op);
  printf(
      "%zu derivatives of %d ops at bf16 and f16 (%zu samples are of other types): within %g ulps "
      "of f64 but for those listed; excepted %zu; %zu failures\n",
      n_compared, TL_OP_COUNT, n_other, usual_worst, n_excluded, failures);
  tl_buf_deinit(&exceptions);
  return failures != 0;
}
