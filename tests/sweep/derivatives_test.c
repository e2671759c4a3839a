// derivatives_test SAMPLES [OP]: the derivative and batching rules of every op of the table, on the
// samples of the op sweep, in f64.
//
// f is a sample's @main, read with f64 for every narrower float (samples that are no program then
// stay as they are and run at the interpreter's f64); x its inputs, t random tangents, ct random
// cotangents of its float results.
//
//   fd        J t against fourth-order central differences of f along t
//   pair      <ct, J t> against <J^T ct, t>: forward against reverse
//   second    the same two of g(x, ct) = J^T ct, along x: reverse of reverse, forward over reverse
//   vmap      vmap of f at batches 1, 7 and 64, along every axis, against f of each example; each
//             argument batched alone and all together
//   vmapgrad  vmap of g at batch 7 against g of each example
//   gradvmap  J^T of vmap of f against g of each example (of an unbatched argument: their sum)
//
// SAMPLES/derivatives.txt has the exceptions, a line each: "<mnemonic> <part> <check>: 1e-4 because
// ..." or "... : not because ..."; "... step: 1e-5" is the step of the differences near a pole,
// "... wrt: 1" the one argument to differentiate by. An op whose row of rules.def gives a reason
// for its refusal may refuse by name. The control of each comparison: a changed element, which must
// be seen.
#include "sample.h"

#include "ad/ad.h"
#include "ad/rule.h"
#include "base/file.h"

typedef enum { FD, PAIR, SECOND, VMAP, VMAPGRAD, GRADVMAP, N_CHECKS } check;
static const char *const names[N_CHECKS] = {"fd", "pair", "second", "vmap", "vmapgrad", "gradvmap"};
static const double usual[N_CHECKS] = {1e-6, 1e-9, 1e-5, 1e-12, 1e-11, 1e-10};

static size_t n_samples, n_runs[N_CHECKS], n_refused, n_excluded, failures;

typedef struct trial {
  sample *s;
  tl_ref_mode mode;
  uint32_t wrt[MAX_VALUES], n_wrt; // float arguments
  bool differs;                    // of the control: change what was computed
} trial;

static tl_buf exceptions;

// What derivatives.txt says behind "<mnemonic> <part> <check>: ".
static tl_str exception_of(const sample *s, const char *word) {
  char mark[128];
  snprintf(mark, sizeof mark, "\n%s %zu %s: ", tl_op_get(s->op)->mnemonic, s->part, word);
  tl_str all = tl_buf_view(&exceptions);
  size_t at = tl_str_find(all, tl_str_of(mark));
  if (at == (size_t)-1) return (tl_str){0};
  tl_str rest = tl_str_sub(all, at + strlen(mark), all.len);
  return tl_str_sub(rest, 0, TL_MIN(tl_str_find(rest, TL_STR("\n")), rest.len));
}

static tl_str exception(const sample *s, check c) { return exception_of(s, names[c]); }

static bool is_excluded(const sample *s, check c) {
  return tl_str_starts(exception(s, c), TL_STR("not because "));
}

static void say(const sample *s, check c, const char *fmt, ...) TL_PRINTF(3, 4);
static void say(const sample *s, check c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  printf("%s.mlir, part %zu, %s: ", tl_op_get(s->op)->mnemonic, s->part, names[c]);
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  failures++;
}

// By how much two numbers may differ: `d` is relative to the largest entry.
static void judge(const sample *s, check c, const char *what, double d) {
  tl_str text = exception(s, c);
  const bool excluded = is_excluded(s, c);
  const double allowed = text.len && !excluded ? strtod(text.ptr, NULL) : usual[c];
  n_runs[c]++;
  if (excluded) {
    if (d > allowed) n_excluded++;
    return;
  }
  if (!(d <= allowed))
    say(s, c, "%s: off by %g of the largest entry, allowed %g", what, d, allowed);
}

// A transform's refusal. True: go on.
static bool made(const sample *s, check c, const char *what, tl_status st) {
  if (!st) return true;
  const bool by_name =
      tl_ad_rule_of(s->op)->refused && tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED;
  if (by_name) n_refused++;
  if (!by_name && !is_excluded(s, c)) say(s, c, "%s refused: %s", what, tl_status_message(st));
  tl_status_drop(st);
  return false;
}

// ---- Numbers ----

static void *space(sample *s, size_t size) {
  void *p = tl_arena_alloc(s->arena, size + 8, 64);
  assert_non_null(p);
  memset(p, 0, size + 8);
  return p;
}

static size_t parts_of(tl_type t) {
  size_t n;
  assert_true(count_parts(t, &n));
  return n;
}

static tl_tensor blank(sample *s, tl_type t) {
  size_t size;
  assert_true(tl_type_size(t, &size));
  return (tl_tensor){t, space(s, size)};
}

static tl_tensor random_like(sample *s, tl_type t, uint64_t *seed) {
  tl_tensor r = blank(s, t);
  for (size_t i = 0; tl_ad_is_inexact(t.dtype) && i < parts_of(t); i++)
    store(tl_dtype_part(t.dtype), r.data, i, (double)(next_random(seed) >> 11) * 0x1p-52 - 1);
  return r;
}

static tl_status run(trial *q, const tl_func *fn, const tl_tensor *in, tl_tensor *out) {
  return tl_ref_run(fn, q->mode, in, fn->body->n_args, q->s->arena, out, 0);
}

// sum of a b, the real part: cotangents are not conjugated.
static double inner(const tl_tensor *a, const tl_tensor *b) {
  const bool is_complex = tl_dtype_part(a->type.dtype) != a->type.dtype;
  double sum = 0;
  for (size_t i = 0; i < parts_of(a->type); i++)
    sum += (is_complex && i % 2 == 1 ? -1 : 1) * load(a, i) * load(b, i);
  return sum;
}

static double size_of(const tl_tensor *a, const tl_tensor *b) {
  double sum = 0;
  for (size_t i = 0; i < parts_of(a->type); i++)
    sum += fabs(load(a, i) * load(b, i));
  return sum;
}

static tl_tensor along(sample *s, const tl_tensor *x, const tl_tensor *t, double h) {
  tl_tensor y = blank(s, x->type);
  for (size_t i = 0; i < parts_of(x->type); i++)
    store(tl_dtype_part(x->type.dtype), y.data, i, load(x, i) + h * load(t, i));
  return y;
}

// Its first element moved by more than the largest.
static tl_tensor with_one_changed(sample *s, const tl_tensor *t) {
  tl_tensor c = along(s, t, t, 0);
  double greatest = 0;
  for (size_t i = 0; i < parts_of(t->type); i++)
    if (isfinite(load(t, i))) greatest = fmax(greatest, fabs(load(t, i)));
  store(tl_dtype_part(t->type.dtype), c.data, 0, load(t, 0) + greatest + 1);
  return c;
}

// Fourth-order central differences along t of the float results, of both scales of the largest
// entry.
static double differences(trial *q, const tl_func *fn, const tl_tensor *x, const tl_tensor *t,
                          const tl_tensor *got) {
  static const double at[4] = {-2, -1, 1, 2},
                      weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  tl_str step = exception_of(q->s, "step");
  const double h = step.len ? strtod(step.ptr, NULL) : 1e-3;
  const uint32_t n = fn->n_results;
  tl_tensor out[4][MAX_VALUES];
  for (int k = 0; k < 4; k++) {
    tl_tensor in[2 * MAX_VALUES];
    memcpy(in, x, fn->body->n_args * sizeof *in);
    for (uint32_t i = 0; i < q->n_wrt; i++)
      in[q->wrt[i]] = along(q->s, &x[q->wrt[i]], &t[i], at[k] * h);
    tl_status st = run(q, fn, in, out[k]);
    if (st) {
      printf("%s\n", tl_status_message(st));
      tl_status_drop(st);
      return INFINITY;
    }
  }
  double worst = 0;
  for (uint32_t r = 0; r < n; r++) {
    if (!tl_ad_is_inexact(fn->result_types[r].dtype)) continue;
    double greatest = 1e-3, off = 0;
    for (size_t i = 0; i < parts_of(got[r].type); i++) {
      double d = 0;
      for (int k = 0; k < 4; k++)
        d += weight[k] * load(&out[k][r], i) / h;
      greatest = fmax(greatest, fmax(fabs(d), fabs(load(&out[0][r], i)) * 1e-2));
      const double e = fabs(d - load(&got[r], i));
      off = isnan(e) ? (double)INFINITY : fmax(off, e);
    }
    worst = fmax(worst, off / greatest);
  }
  return worst;
}

// ---- Derivatives ----

// <ct, J t> - <J^T ct, t>, relative; J t into jt, J^T ct into jct.
static bool both_ways(trial *q, check c, tl_module *m, const tl_func *fn, const tl_tensor *x,
                      const tl_tensor *t, const tl_tensor *ct, tl_tensor *jt) {
  sample *s = q->s;
  tl_ad_options o = {0};
  tl_func *forward, *reverse;
  if (!made(s, c, "jvp", tl_ad_jvp(m, fn, q->wrt, q->n_wrt, &o, "t.jvp", &forward))) return false;
  if (!made(s, c, "vjp", tl_ad_vjp(m, fn, q->wrt, q->n_wrt, &o, "t.vjp", &reverse))) return false;
  tl_tensor in[4 * MAX_VALUES], jct[MAX_VALUES];
  const uint32_t n = fn->body->n_args;
  memcpy(in, x, n * sizeof *in);
  memcpy(in + n, t, q->n_wrt * sizeof *in);
  if (!made(s, c, "the jvp's run", run(q, forward, in, jt))) return false;
  memcpy(in + n, ct, fn->n_results * sizeof *in);
  if (!made(s, c, "the vjp's run", run(q, reverse, in, jct))) return false;
  double left = 0, right = 0, scale = 1e-6;
  for (uint32_t k = 0; k < fn->n_results; k++)
    if (tl_ad_is_inexact(fn->result_types[k].dtype))
      left += inner(&ct[k], &jt[k]), scale += size_of(&ct[k], &jt[k]);
  for (uint32_t i = 0; i < q->n_wrt; i++)
    right += inner(&jct[i], &t[i]), scale += size_of(&jct[i], &t[i]);
  const bool same = left == right || (isnan(left) && isnan(right));
  judge(s, c, "forward against reverse", same ? 0 : fabs(left - right) / scale);
  if (isfinite(left) && scale > 1e-5 && fabs(left + 3e-4 * scale - right) / scale <= 1e-4)
    say(s, c, "the control agrees");
  return true;
}

static void drop_made(tl_module *m);

static void derivatives(trial *q) {
  sample *s = q->s;
  const tl_func *fn = s->fn;
  tl_module *m = s->module;
  uint64_t seed = 7;
  tl_tensor t[MAX_VALUES], ct[MAX_VALUES], jt[MAX_VALUES];
  bool any = false;
  for (uint32_t i = 0; i < q->n_wrt; i++)
    t[i] = random_like(s, s->in[q->wrt[i]].type, &seed);
  for (uint32_t k = 0; k < fn->n_results; k++) {
    ct[k] = random_like(s, fn->result_types[k], &seed);
    any |= tl_ad_is_inexact(fn->result_types[k].dtype);
  }
  if (!any) return;
  if (!both_ways(q, PAIR, m, fn, s->in, t, ct, jt)) return;
  if (q->mode == TL_REF_AS_TYPED) {
    judge(s, FD, "central differences", differences(q, fn, s->in, t, jt));
    if (tl_ad_is_inexact(jt[0].type.dtype) && parts_of(jt[0].type) && isfinite(load(&jt[0], 0))) {
      tl_tensor changed[MAX_VALUES];
      memcpy(changed, jt, sizeof jt);
      changed[0] = with_one_changed(s, &jt[0]);
      if (!is_excluded(s, FD) && differences(q, fn, s->in, t, changed) <= 1e-6)
        say(s, FD, "the control agrees");
    }
  }
  // g(x, ct)
  tl_func *kept = tl_module_find(m, TL_STR("t.vjp"));
  kept->name = TL_STR("t.g");
  drop_made(m);
  kept->next = NULL;
  tl_module_add(m, kept);
  tl_tensor in[2 * MAX_VALUES], u[MAX_VALUES];
  memcpy(in, s->in, fn->body->n_args * sizeof *in);
  memcpy(in + fn->body->n_args, ct, fn->n_results * sizeof *in);
  for (uint32_t k = 0; k < kept->n_results; k++)
    u[k] = random_like(s, kept->result_types[k], &seed);
  if (both_ways(q, SECOND, m, kept, in, t, u, jt) && q->mode == TL_REF_AS_TYPED)
    judge(s, SECOND, "central differences", differences(q, kept, in, t, jt));
  drop_made(m);
}

// ---- Batches ----

static bool is_made(const tl_func *fn, void *arg) {
  (void)arg;
  return tl_str_starts(fn->name, TL_STR("t."));
}

static void drop_made(tl_module *m) { tl_module_drop(m, is_made, NULL); }

// Examples of one value side by side along `axis`.
static tl_tensor stacked(sample *s, tl_tensor *const *examples, size_t i, size_t n, int64_t axis) {
  const tl_type one = examples[0][i].type;
  int64_t dims[TL_MAX_RANK + 1];
  size_t outer = 1, inner_size = tl_dtype_get(one.dtype)->size;
  for (int64_t d = 0; d <= (int64_t)one.rank; d++) {
    dims[d] = d == axis ? (int64_t)n : one.dims[d < axis ? d : d - 1];
    if (d < axis) outer *= (size_t)dims[d];
    if (d > axis) inner_size *= (size_t)dims[d];
  }
  tl_tensor all = blank(s, tl_type_of(s->arena, one.dtype, dims, one.rank + 1));
  for (size_t o = 0; o < outer; o++)
    for (size_t e = 0; e < n; e++)
      if (inner_size)
        memcpy((char *)all.data + (o * n + e) * inner_size,
               (const char *)examples[e][i].data + o * inner_size, inner_size);
  return all;
}

static tl_tensor example_of(const tl_tensor *all, tl_type one, size_t e) {
  size_t size;
  assert_true(tl_type_size((tl_type){all->type.dtype, one.rank, one.dims}, &size));
  return (tl_tensor){{all->type.dtype, one.rank, one.dims}, (char *)all->data + e * size};
}

// Examples of f's arguments: another draw each.
static tl_tensor **draw(trial *q, size_t n) {
  sample *s = q->s;
  tl_tensor **list = space(s, n * sizeof *list);
  tl_tensor kept[MAX_VALUES];
  memcpy(kept, s->in, sizeof kept);
  for (size_t e = 0; e < n; e++) {
    tl_status st = make_inputs(s, e);
    assert_true(!st);
    list[e] = space(s, sizeof s->in);
    memcpy(list[e], s->in, sizeof s->in);
  }
  memcpy(s->in, kept, sizeof kept);
  return list;
}

static double compare(const tl_tensor *a, const tl_tensor *b) { return distance(a, b); }

// vmap of fn over the arguments with an axis, against fn of each example.
static bool batch(trial *q, check c, tl_module *m, const tl_func *fn, tl_tensor *const *examples,
                  size_t n, const int64_t *axes) {
  sample *s = q->s;
  tl_vmap_options o = {.in_axes = axes, .size = (int64_t)n};
  tl_func *all;
  if (!made(s, c, "vmap", tl_ad_vmap(m, fn, &o, "t.vmap", &all))) return false;
  tl_tensor in[2 * MAX_VALUES], got[MAX_VALUES], one[2 * MAX_VALUES], want[MAX_VALUES];
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    in[i] = axes[i] == TL_NOT_BATCHED ? examples[0][i] : stacked(s, examples, i, n, axes[i]);
  bool good = made(s, c, "the batch's run", run(q, all, in, got));
  double worst = 0;
  for (size_t e = 0; good && e < n; e++) {
    for (uint32_t i = 0; i < fn->body->n_args; i++)
      one[i] = examples[axes[i] == TL_NOT_BATCHED ? 0 : e][i];
    good = made(s, c, "an example's run", run(q, fn, one, want));
    for (uint32_t k = 0; good && k < fn->n_results; k++) {
      tl_tensor mine = example_of(&got[k], fn->result_types[k], e);
      worst = fmax(worst, compare(&mine, &want[k]));
      if (e == 0 && k == 0 && parts_of(mine.type) && tl_ad_is_inexact(mine.type.dtype) &&
          isfinite(load(&mine, 0))) {
        tl_tensor wrong = with_one_changed(s, &mine);
        if (compare(&wrong, &want[k]) <= 1e-9) say(s, c, "the control agrees");
      }
    }
  }
  if (good) judge(s, c, "the batch against its examples", worst);
  tl_module_drop(m, is_made, NULL);
  return good;
}

static void batches(trial *q) {
  sample *s = q->s;
  const uint32_t n_in = s->fn->body->n_args;
  static const size_t sizes[] = {1, 7, 64};
  tl_tensor **examples = draw(q, 64);
  int64_t axes[MAX_VALUES];
  uint32_t most = 0;
  for (uint32_t i = 0; i < n_in; i++)
    most = TL_MAX(most, s->in[i].type.rank);
  for (size_t b = 0; n_in != 0 && b < TL_COUNT(sizes); b++)
    for (int64_t axis = 0; axis <= (int64_t)most; axis++) {
      for (uint32_t i = 0; i < n_in; i++)
        axes[i] = TL_MIN(axis, (int64_t)s->in[i].type.rank);
      if (!batch(q, VMAP, s->module, s->fn, examples, sizes[b], axes)) return;
    }
  for (uint32_t only = 0; n_in > 1 && only < n_in; only++) {
    for (uint32_t i = 0; i < n_in; i++)
      axes[i] = i == only ? 0 : TL_NOT_BATCHED;
    if (!batch(q, VMAP, s->module, s->fn, examples, 7, axes)) return;
  }
}

// vmap of g, and J^T of vmap of f.
static void batched_derivatives(trial *q) {
  enum { N = 7 };
  sample *s = q->s;
  tl_module *m = s->module;
  const tl_func *fn = s->fn;
  const uint32_t n_in = fn->body->n_args, n_out = fn->n_results;
  tl_ad_options o = {0};
  tl_func *g, *all, *back;
  bool any = false;
  for (uint32_t k = 0; k < n_out; k++)
    any |= tl_ad_is_inexact(fn->result_types[k].dtype);
  if (!any) return;
  tl_status st = tl_ad_vjp(m, fn, q->wrt, q->n_wrt, &o, "g", &g);
  if (st) { // told by `pair` already
    tl_status_drop(st);
    return;
  }
  uint64_t seed = 11;
  tl_tensor **examples = draw(q, N), **with_ct = space(s, N * sizeof *with_ct);
  int64_t axes[2 * MAX_VALUES] = {0};
  for (size_t e = 0; e < N; e++) {
    with_ct[e] = space(s, (n_in + n_out) * sizeof **with_ct);
    memcpy(with_ct[e], examples[e], n_in * sizeof **with_ct);
    for (uint32_t k = 0; k < n_out; k++)
      with_ct[e][n_in + k] = random_like(s, fn->result_types[k], &seed);
  }
  (void)batch(q, VMAPGRAD, m, g, with_ct, N, axes);
  tl_vmap_options v = {.in_axes = axes, .size = N};
  if (!made(s, GRADVMAP, "vmap", tl_ad_vmap(m, fn, &v, "t.vmap", &all))) return;
  if (!made(s, GRADVMAP, "vjp", tl_ad_vjp(m, all, q->wrt, q->n_wrt, &o, "t.back", &back))) return;
  tl_tensor in[2 * MAX_VALUES], got[MAX_VALUES], want[MAX_VALUES];
  for (uint32_t i = 0; i < n_in + n_out; i++)
    in[i] = stacked(s, with_ct, i, N, 0);
  bool good = made(s, GRADVMAP, "its run", run(q, back, in, got));
  double worst = 0;
  for (size_t e = 0; good && e < N; e++) {
    good = made(s, GRADVMAP, "an example's run", run(q, g, with_ct[e], want));
    for (uint32_t k = 0; good && k < q->n_wrt; k++) {
      tl_tensor mine = example_of(&got[k], g->result_types[k], e);
      worst = fmax(worst, compare(&mine, &want[k]));
    }
  }
  if (good) judge(s, GRADVMAP, "the gradient of the batch against the examples'", worst);
  drop_made(m);
}

// ---- The table ----

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The text with f64 for every float that is narrower.
static tl_str widened(sample *s, tl_str text) {
  static const char *const narrow[] = {
      "bf16",          "f16",    "f32",        "f8E3M4",    "f8E4M3",   "f8E4M3FN", "f8E4M3FNUZ",
      "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"};
  char *out = space(s, text.len + 1);
  size_t n = 0;
  for (size_t i = 0; i < text.len;) {
    size_t len = 0;
    for (size_t k = 0; k < TL_COUNT(narrow) && !len; k++) {
      const size_t size = strlen(narrow[k]);
      if (text.len - i >= size && memcmp(text.ptr + i, narrow[k], size) == 0 &&
          (i + size == text.len || !is_word(text.ptr[i + size])) &&
          (i == 0 || !is_word(text.ptr[i - 1]) || text.ptr[i - 1] == 'x'))
        len = size;
    }
    if (len) {
      memcpy(out + n, "f64", 3);
      n += 3, i += len;
    } else {
      out[n++] = text.ptr[i++];
    }
  }
  return (tl_str){out, n};
}

static void run_sample(tl_arena *arena, tl_opcode op, size_t part, tl_str text) {
  sample s = {.arena = arena, .op = op, .name = tl_op_get(op)->mnemonic, .part = part};
  trial q = {.s = &s, .mode = TL_REF_AS_TYPED};
  bool is_edges;
  double lo, hi;
  s.text = widened(&s, text);
  range_of(&s, 0, &lo, &hi, &is_edges);
  if (is_edges) return;
  tl_status st = open_sample(&s);
  if (!st) { // does it run?
    tl_tensor out[MAX_VALUES];
    st = run(&q, s.fn, s.in, out);
  }
  if (st) {
    tl_status_drop(st);
    tl_module_destroy(s.module);
    s.module = NULL;
    s.text = text;
    q.mode = TL_REF_F64;
    st = open_sample(&s);
  }
  if (st) {
    printf("%s.mlir, part %zu: %s\n", tl_op_get(op)->mnemonic, part, tl_status_message(st));
    failures++;
    tl_status_drop(st);
    tl_module_destroy(s.module);
    return;
  }
  n_samples++;
  tl_str only = exception_of(&s, "wrt");
  for (uint32_t i = 0; i < s.n_in; i++)
    if (tl_ad_is_inexact(s.in[i].type.dtype) && (!only.len || (uint32_t)atoi(only.ptr) == i))
      q.wrt[q.n_wrt++] = i;
  if (q.n_wrt) derivatives(&q);
  drop_made(s.module);
  batches(&q);
  drop_made(s.module);
  if (q.n_wrt) batched_derivatives(&q);
  tl_module_destroy(s.module);
}

static void run_op(const char *dir, tl_opcode op) {
  tl_arena *a = tl_arena_create();
  tl_buf file = {0};
  const char *name = tl_op_get(op)->mnemonic;
  tl_status st = tl_file_read(tl_arena_printf(a, "%s/%s.mlir", dir, name), 1 << 20, &file);
  if (st) printf("%s has no samples: %s\n", name, tl_status_message(st)), failures++;
  tl_str rest = tl_buf_view(&file), text;
  for (size_t part = 0; !st && rest.len; part++) {
    text = next_part(&rest);
    tl_arena *arena = tl_arena_create();
    run_sample(arena, op, part, text);
    tl_arena_destroy(arena);
  }
  tl_status_drop(st);
  tl_buf_deinit(&file);
  tl_arena_destroy(a);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "wanted SAMPLES [OP]\n"), 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/derivatives.txt", argv[1]);
  tl_status st = tl_file_read(path, 1 << 20, &exceptions);
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), tl_status_drop(st), 2;
  for (size_t op = 0; op < TL_OP_COUNT; op++)
    if (argc < 3 || strcmp(argv[2], tl_op_get((tl_opcode)op)->mnemonic) == 0)
      run_op(argv[1], (tl_opcode)op);
  printf("%zu samples of %d ops;", n_samples, TL_OP_COUNT);
  for (size_t c = 0; c < N_CHECKS; c++)
    printf(" %s %zu", names[c], n_runs[c]);
  printf("; refused by name %zu, excepted %zu; %zu failures\n", n_refused, n_excluded, failures);
  tl_buf_deinit(&exceptions);
  return failures != 0;
}
