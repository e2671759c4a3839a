// What derivatives and batches must fulfil, of the @main of a sample, f, in f64; x its inputs, t
// random tangents, ct random cotangents of its float results.
//
//   fd        J t against fourth-order central differences of f along t
//   pair      <ct, J t> against <J^T ct, t>: forward against reverse
//   second    the same two of g(x, ct) = J^T ct, along x: reverse of reverse, forward over reverse
//   vmap      vmap of f at the batches asked for, along every axis, against f of each example; each
//             argument batched alone and all together
//   vmapgrad  vmap of g at batch 7 against g of each example
//   gradvmap  J^T of vmap of f against g of each example (of an unbatched argument: their sum)
//
// The control of each comparison: a changed element, which must be seen. Whoever includes this says
// what becomes of a comparison (judge, is_excluded), of a refusal (made) and of what is wrong
// (say).
#ifndef TESTS_SWEEP_IDENTITIES_H
#define TESTS_SWEEP_IDENTITIES_H

#include "sample.h"

#include "ad/ad.h"
#include "ad/rule.h"

typedef enum { FD, PAIR, SECOND, VMAP, VMAPGRAD, GRADVMAP, N_CHECKS } check;
static const char *const names[N_CHECKS] = {"fd", "pair", "second", "vmap", "vmapgrad", "gradvmap"};
static const double usual[N_CHECKS] = {1e-6, 1e-9, 1e-5, 1e-12, 1e-11, 1e-10};

static size_t n_runs[N_CHECKS], n_unsteady;

typedef struct trial {
  sample *s;
  tl_ref_mode mode;
  uint32_t wrt[MAX_VALUES], n_wrt; // float arguments
  double step;                     // of the differences
  uint64_t max_steps;              // of a run; 0: no limit
  uint32_t sizes[3], n_sizes;      // of the batches
  bool at_kinks; // no differences where those ahead and behind part: a kink, or another branch,
                 // lies within reach; counted in n_unsteady
  void (*spoil)(tl_func *forward); // of a control; NULL
} trial;

static void judge(const sample *s, check c, const char *what, double off);
static bool made(const sample *s, check c, const char *what, tl_status st);
static bool is_excluded(const sample *s, check c);
static void say(const sample *s, check c, const char *fmt, ...) TL_PRINTF(3, 4);

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
  return tl_ref_run(fn, q->mode, in, fn->body->n_args, q->s->arena, out, q->max_steps);
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

// Weights of f at x + at h t for the derivative along t, each of fourth order.
typedef struct stencil {
  int n;
  double at[5], weight[5];
} stencil;
static const stencil central = {4, {-2, -1, 1, 2}, {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}},
                     ahead = {5,
                              {0, 1, 2, 3, 4},
                              {-25.0 / 12, 48.0 / 12, -36.0 / 12, 16.0 / 12, -3.0 / 12}},
                     behind = {5,
                               {0, -1, -2, -3, -4},
                               {25.0 / 12, -48.0 / 12, 36.0 / 12, -16.0 / 12, 3.0 / 12}};

// Of the float results; f at the first point into `there`.
static bool estimate(trial *q, const tl_func *fn, const tl_tensor *x, const tl_tensor *t,
                     const stencil *k, tl_tensor *out, tl_tensor *there) {
  const double h = q->step;
  tl_tensor y[5][MAX_VALUES];
  for (int p = 0; p < k->n; p++) {
    tl_tensor in[2 * MAX_VALUES];
    memcpy(in, x, fn->body->n_args * sizeof *in);
    for (uint32_t i = 0; i < q->n_wrt; i++)
      in[q->wrt[i]] = along(q->s, &x[q->wrt[i]], &t[i], k->at[p] * h);
    tl_status st = run(q, fn, in, y[p]);
    if (st) {
      printf("%s\n", tl_status_message(st));
      tl_status_drop(st);
      return false;
    }
  }
  for (uint32_t r = 0; r < fn->n_results; r++) {
    there[r] = y[0][r];
    if (!tl_ad_is_inexact(fn->result_types[r].dtype)) continue;
    out[r] = blank(q->s, y[0][r].type);
    for (size_t i = 0; i < parts_of(out[r].type); i++) {
      double d = 0;
      for (int p = 0; p < k->n; p++)
        d += k->weight[p] * load(&y[p][r], i) / h;
      store(tl_dtype_part(out[r].type.dtype), out[r].data, i, d);
    }
  }
  return true;
}

// How far estimates are from `got`, of both scales of the largest entry.
static double apart(const tl_func *fn, const tl_tensor *estimates, const tl_tensor *there,
                    const tl_tensor *got) {
  double worst = 0;
  for (uint32_t r = 0; r < fn->n_results; r++) {
    if (!tl_ad_is_inexact(fn->result_types[r].dtype)) continue;
    double greatest = 1e-3, off = 0;
    for (size_t i = 0; i < parts_of(got[r].type); i++) {
      const double d = load(&estimates[r], i);
      greatest = fmax(greatest, fmax(fabs(d), fabs(load(&there[r], i)) * 1e-2));
      const double e = fabs(d - load(&got[r], i));
      off = isnan(e) ? (double)INFINITY : fmax(off, e);
    }
    worst = fmax(worst, off / greatest);
  }
  return worst;
}

// J t against central differences of f along t.
static double differences(trial *q, const tl_func *fn, const tl_tensor *x, const tl_tensor *t,
                          const tl_tensor *got) {
  tl_tensor d[MAX_VALUES], there[MAX_VALUES];
  return estimate(q, fn, x, t, &central, d, there) ? apart(fn, d, there, got) : (double)INFINITY;
}

// Whether the differences ahead and behind agree, better than what is asked of J t.
static bool is_steady(trial *q, const tl_func *fn, const tl_tensor *x, const tl_tensor *t) {
  if (!q->at_kinks) return true;
  tl_tensor d[MAX_VALUES], e[MAX_VALUES], there[MAX_VALUES];
  const bool steady = estimate(q, fn, x, t, &ahead, d, there) &&
                      estimate(q, fn, x, t, &behind, e, there) &&
                      apart(fn, e, there, d) <= 0.3 * usual[FD];
  n_unsteady += !steady;
  return steady;
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
  if (q->spoil) q->spoil(forward);
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
  if (q->mode == TL_REF_AS_TYPED && is_steady(q, fn, s->in, t)) {
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
  if (both_ways(q, SECOND, m, kept, in, t, u, jt) && q->mode == TL_REF_AS_TYPED &&
      is_steady(q, kept, in, t))
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
  size_t most_examples = 7;
  for (uint32_t b = 0; b < q->n_sizes; b++)
    most_examples = TL_MAX(most_examples, (size_t)q->sizes[b]);
  tl_tensor **examples = draw(q, most_examples);
  int64_t axes[MAX_VALUES];
  uint32_t most = 0;
  for (uint32_t i = 0; i < n_in; i++)
    most = TL_MAX(most, s->in[i].type.rank);
  for (size_t b = 0; n_in != 0 && b < q->n_sizes; b++)
    for (int64_t axis = 0; axis <= (int64_t)most; axis++) {
      for (uint32_t i = 0; i < n_in; i++)
        axes[i] = TL_MIN(axis, (int64_t)s->in[i].type.rank);
      if (!batch(q, VMAP, s->module, s->fn, examples, q->sizes[b], axes)) return;
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

#endif
