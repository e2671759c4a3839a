// derivatives_test: derivatives of collectives over processes that run at the same time, in f64.
//
// f is a program with one collective between two functions that are not linear, run by a grid of
// processes p with inputs x_p of their own. Over all of them it is one function F of one point, and
// the identities are F's:
//
//   differences   (J V)_p against fourth-order central differences of F, all x_p moved at once
//   pair          sum_p <u_p, (J V)_p> = sum_p <(J^T U)_p, v_p>: the cotangents of processes meet
//   second        both of g(x, u) = J^T U
//   batch         vmap of f and of g over three examples, against each example
//   dual          tl_check_dual of f and g: collectives that only move or add
//
// A control each: a cotangent that is wrong in one process alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ad/ad.h"
#include "passes/dual.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

enum { MAX_N = 4, MAX_VALUES = 4, MAX_IN = 12, BATCH = 3 };

static size_t failures, n_compared;

#define ADD "stablehlo.add"
#define REGION(op)                               \
  "({ ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n" \
  "  %s = " op " %a, %b : tensor<f64>\n"         \
  "  stablehlo.return %s : tensor<f64> })"
// One collective from tensor<2x4xf64> to OUT: y = cos(collective(sin(x))) and what else is said.
#define ONE(text, out)                                                                           \
  "func.func @main(%x: tensor<2x4xf64>) -> tensor<" out "xf64> {\n"                              \
  "  %v = stablehlo.sine %x : tensor<2x4xf64>\n" text "  %y = stablehlo.cosine %w : tensor<" out \
  "xf64>\n"                                                                                      \
  "  return %y : tensor<" out "xf64>\n}\n"
#define ALL_REDUCE(op, groups, n)                                                            \
  ONE("  %w = \"stablehlo.all_reduce\"(%v) <{replica_groups = dense<" groups "> : tensor<" n \
      "xi64>}> " REGION(op) " : (tensor<2x4xf64>) -> tensor<2x4xf64>\n",                     \
      "2x4")
#define ROOTED(name, attrs, region)                                                           \
  "func.func @main(%x: tensor<2x4xf64>, %z: tensor<3xf64>) -> (tensor<2x4xf64>, "             \
  "tensor<3xf64>) {\n"                                                                        \
  "  %v = stablehlo.sine %x : tensor<2x4xf64>\n"                                              \
  "  %t = stablehlo.tanh %z : tensor<3xf64>\n"                                                \
  "  %root = stablehlo.constant dense<[1, 0]> : tensor<2xi32>\n"                              \
  "  %w:2 = \"stablehlo." name "\"(%v, %t, %root) <{has_dynamic_root = true, replica_groups " \
  "= dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>" attrs "}> " region                            \
  " : (tensor<2x4xf64>, tensor<3xf64>, tensor<2xi32>) -> (tensor<2x4xf64>, tensor<3xf64>)\n"  \
  "  %y = stablehlo.cosine %w#0 : tensor<2x4xf64>\n"                                          \
  "  %u = stablehlo.multiply %w#1, %w#1 : tensor<3xf64>\n"                                    \
  "  return %y, %u : tensor<2x4xf64>, tensor<3xf64>\n}\n"

enum { TIES = 3 }; // the row of the greatest of all

static const struct row {
  const char *name, *text;
  uint32_t replicas, partitions;
  bool is_dual; // moves or adds
} rows[] = {
    {"all_reduce", ALL_REDUCE(ADD, "[[0, 1, 2, 3]]", "1x4"), 4, 1, true},
    {"all_reduce of two groups", ALL_REDUCE(ADD, "[[0, 3], [2, 1]]", "2x2"), 4, 1, true},
    {"all_reduce of ragged groups", ALL_REDUCE(ADD, "[[2, 0, 1], [3, -1, -1]]", "2x3"), 4, 1, true},
    {"all_reduce of the greatest", ALL_REDUCE("stablehlo.maximum", "[[0, 1, 2, 3]]", "1x4"), 4, 1,
     false},
    {"all_reduce of the least", ALL_REDUCE("stablehlo.minimum", "[[0, 2], [1, 3]]", "2x2"), 4, 1,
     false},
    {"all_reduce between partitions",
     ONE("  %w = \"stablehlo.all_reduce\"(%v) <{replica_groups = dense<[[0, 3], [1, 2]]> : "
         "tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
         "use_global_device_ids}> " REGION(ADD) " : (tensor<2x4xf64>) -> tensor<2x4xf64>\n",
         "2x4"),
     2, 2, true},
    {"all_reduce of two",
     "func.func @main(%x: tensor<2x4xf64>, %z: tensor<3xf64>) -> (tensor<2x4xf64>, tensor<3xf64>) "
     "{\n"
     "  %v = stablehlo.sine %x : tensor<2x4xf64>\n"
     "  %t = stablehlo.tanh %z : tensor<3xf64>\n"
     "  %w:2 = \"stablehlo.all_reduce\"(%v, %t) <{replica_groups = dense<[[0, 1, 3, 2]]> : "
     "tensor<1x4xi64>}> " REGION(
         ADD) " : (tensor<2x4xf64>, tensor<3xf64>) -> (tensor<2x4xf64>, tensor<3xf64>)\n"
              "  %y = stablehlo.cosine %w#0 : tensor<2x4xf64>\n"
              "  %u = stablehlo.multiply %w#1, %w#1 : tensor<3xf64>\n"
              "  return %y, %u : tensor<2x4xf64>, tensor<3xf64>\n}\n",
     4, 1, true},
    {"all_gather",
     ONE("  %w = \"stablehlo.all_gather\"(%v) <{all_gather_dim = 1 : i64, replica_groups = "
         "dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2x4xf64>) -> tensor<2x8xf64>\n",
         "2x8"),
     4, 1, true},
    {"reduce_scatter",
     ONE("  %w = \"stablehlo.reduce_scatter\"(%v) <{scatter_dimension = 1 : i64, replica_groups = "
         "dense<[[3, 0, 1, 2]]> : tensor<1x4xi64>}> " REGION(
             ADD) " : (tensor<2x4xf64>) -> tensor<2x1xf64>\n",
         "2x1"),
     4, 1, true},
    {"reduce_scatter of the greatest",
     ONE("  %w = \"stablehlo.reduce_scatter\"(%v) <{scatter_dimension = 1 : i64, replica_groups = "
         "dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>}> " REGION(
             "stablehlo.maximum") " : (tensor<2x4xf64>) -> tensor<2x2xf64>\n",
         "2x2"),
     4, 1, false},
    {"all_to_all",
     ONE("  %w = \"stablehlo.all_to_all\"(%v) <{split_dimension = 1 : i64, concat_dimension = 0 : "
         "i64, split_count = 2 : i64, replica_groups = dense<[[2, 0], [1, 3]]> : "
         "tensor<2x2xi64>}> : (tensor<2x4xf64>) -> tensor<4x2xf64>\n",
         "4x2"),
     4, 1, true},
    {"collective_permute",
     ONE("  %w = \"stablehlo.collective_permute\"(%v) <{source_target_pairs = dense<[[0, 1], [1, "
         "3], [3, 0]]> : tensor<3x2xi64>}> : (tensor<2x4xf64>) -> tensor<2x4xf64>\n",
         "2x4"),
     4, 1, true},
    {"collective_broadcast",
     ONE("  %w = \"stablehlo.collective_broadcast\"(%v) <{replica_groups = dense<[[2, 0, 1]]> : "
         "tensor<1x3xi64>}> : (tensor<2x4xf64>) -> tensor<2x4xf64>\n",
         "2x4"),
     4, 1, true},
    {"collective_broadcast from a root", ROOTED("collective_broadcast", "", ""), 4, 1, true},
    {"collective_reduce",
     ONE("  %w = \"stablehlo.collective_reduce\"(%v) <{replica_groups = dense<[[2, 0, 1]]> : "
         "tensor<1x3xi64>}> " REGION(ADD) " : (tensor<2x4xf64>) -> tensor<2x4xf64>\n",
         "2x4"),
     4, 1, true},
    {"collective_reduce to a root", ROOTED("collective_reduce", "", REGION(ADD)), 4, 1, true},
    {"collective_reduce of the greatest to a root",
     ROOTED("collective_reduce", "", REGION("stablehlo.maximum")), 4, 1, false},
    // A step of training: the mean over the processes of a loss of their own, of shared weights.
    {"a step",
     "func.func @main(%w: tensor<4x2xf64>, %x: tensor<2x4xf64>) -> tensor<f64> {\n"
     "  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf64>, "
     "tensor<4x2xf64>) -> tensor<2x2xf64>\n"
     "  %t = stablehlo.tanh %h : tensor<2x2xf64>\n"
     "  %g = \"stablehlo.all_gather\"(%t) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, "
     "1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2x2xf64>) -> tensor<8x2xf64>\n"
     "  %d = stablehlo.dot_general %t, %g, contracting_dims = [1] x [1] : (tensor<2x2xf64>, "
     "tensor<8x2xf64>) -> tensor<2x8xf64>\n"
     "  %z = stablehlo.constant dense<0.0> : tensor<f64>\n"
     "  %e = stablehlo.exponential %d : tensor<2x8xf64>\n"
     "  %l = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0, 1] : "
     "(tensor<2x8xf64>, tensor<f64>) -> tensor<f64>\n"
     "  %m = \"stablehlo.all_reduce\"(%l) <{replica_groups = dense<[[0, 1, 2, 3]]> : "
     "tensor<1x4xi64>}> " REGION(ADD) " : (tensor<f64>) -> tensor<f64>\n"
                                      "  %y = stablehlo.log %m : tensor<f64>\n"
                                      "  return %y : tensor<f64>\n}\n",
     4, 1, true},
};

// ---- Values of every process ----

typedef struct values { // [process][number]
  tl_tensor at[MAX_N][MAX_IN];
  uint32_t n;
} values;

typedef struct trial {
  const struct row *row;
  tl_arena *arena;
  tl_grid *grid;
  uint32_t n; // processes
  tl_module *m;
  const tl_func *f;
  uint32_t wrt[MAX_VALUES], n_wrt;
} trial;

static void say(const trial *q, const char *what, double off) {
  printf("%s, %s: off by %g\n", q->row->name, what, off);
  failures++;
}

static uint64_t state = 1;
static double next(void) { // splitmix64, in [-1, 1)
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

static size_t count(tl_type t) {
  size_t n = 0;
  (void)tl_type_count(t, &n);
  return n;
}

static tl_tensor blank(trial *q, tl_type t) {
  void *data = tl_arena_alloc(q->arena, count(t) * sizeof(double) + 1, 16);
  memset(data, 0, count(t) * sizeof(double));
  return (tl_tensor){tl_type_of(q->arena, t.dtype, t.dims, t.rank), data};
}

static void draw(trial *q, values *v, const tl_type *types, uint32_t n) {
  for (uint32_t p = 0; p < q->n; p++)
    for (uint32_t i = 0; i < n; i++) {
      v->at[p][v->n + i] = blank(q, types[i]);
      for (size_t k = 0; k < count(types[i]); k++)
        ((double *)v->at[p][v->n + i].data)[k] = next();
    }
  v->n += n;
}

static void append(trial *q, values *v, const values *more) {
  for (uint32_t p = 0; p < q->n; p++)
    memcpy(&v->at[p][v->n], more->at[p], more->n * sizeof(tl_tensor));
  v->n += more->n;
}

typedef struct run {
  const trial *q;
  const tl_func *fn;
  const values *in;
  values *out;
  tl_arena *arenas[MAX_N];
} run;

static tl_status run_one(void *arg, uint32_t p) {
  run *r = arg;
  const tl_ref_context context = {.place = {.grid = r->q->grid, .self = p}};
  return tl_ref_run_in(&context, r->fn, TL_REF_AS_TYPED, r->in->at[p], r->fn->body->n_args,
                       r->arenas[p], r->out->at[p], 0);
}

static bool run_all(trial *q, const tl_func *fn, const values *in, values *out) {
  run r = {.q = q, .fn = fn, .in = in, .out = out};
  out->n = fn->n_results;
  for (uint32_t p = 0; p < q->n; p++)
    r.arenas[p] = tl_arena_create(); // a thread's own; kept with the trial's
  tl_grid_restart(q->grid);
  tl_status st = tl_grid_run(q->grid, run_one, &r);
  for (uint32_t p = 0; p < q->n; p++) {
    for (uint32_t k = 0; st == TL_OK && k < fn->n_results; k++) {
      tl_tensor kept = blank(q, out->at[p][k].type);
      memcpy(kept.data, out->at[p][k].data, count(kept.type) * sizeof(double));
      out->at[p][k] = kept;
    }
    tl_arena_destroy(r.arenas[p]);
  }
  if (st == TL_OK) return true;
  printf("%s: %s\n", q->row->name, tl_status_message(st));
  tl_status_drop(st);
  failures++;
  return false;
}

static double inner(const trial *q, const values *a, const values *b, double *scale) {
  double sum = 0;
  for (uint32_t p = 0; p < q->n; p++)
    for (uint32_t i = 0; i < a->n; i++)
      for (size_t k = 0; k < count(a->at[p][i].type); k++) {
        const double term = ((double *)a->at[p][i].data)[k] * ((double *)b->at[p][i].data)[k];
        sum += term;
        *scale += fabs(term);
      }
  return sum;
}

// The greatest difference, of the greatest entry.
static double apart(const trial *q, const values *a, const values *b) {
  double off = 0, greatest = 1e-3;
  for (uint32_t p = 0; p < q->n; p++)
    for (uint32_t i = 0; i < a->n; i++)
      for (size_t k = 0; k < count(a->at[p][i].type); k++) {
        const double x = ((double *)a->at[p][i].data)[k], y = ((double *)b->at[p][i].data)[k];
        greatest = fmax(greatest, fabs(y));
        off = isnan(x - y) ? (double)INFINITY : fmax(off, fabs(x - y));
      }
  return off / greatest;
}

// ---- Identities ----

static bool is_made(const tl_func *fn, void *arg) {
  (void)arg;
  return tl_str_starts(fn->name, TL_STR("t."));
}

// Of fn at x, along t and u, by the numbers of q->wrt.
static bool both_ways(trial *q, const char *what, const tl_func *fn, const values *x,
                      const values *t, const values *u) {
  const tl_ad_options o = {0};
  tl_func *forward, *back;
  tl_status st = tl_ad_jvp(q->m, fn, q->wrt, q->n_wrt, &o, "t.jvp", &forward);
  if (st == TL_OK) st = tl_ad_vjp(q->m, fn, q->wrt, q->n_wrt, &o, "t.vjp", &back);
  if (st != TL_OK) {
    printf("%s, %s: %s\n", q->row->name, what, tl_status_message(st));
    tl_status_drop(st);
    failures++;
    return false;
  }
  values in = *x, with = *x, jt, jct;
  append(q, &in, t);
  append(q, &with, u);
  if (!run_all(q, forward, &in, &jt) || !run_all(q, back, &with, &jct)) return false;
  double scale = 1e-12;
  const double left = inner(q, u, &jt, &scale), right = inner(q, &jct, t, &scale);
  n_compared++;
  if (!(fabs(left - right) <= 1e-12 * scale)) say(q, what, fabs(left - right) / scale);
  // The control: a cotangent that one process alone has another of.
  double *wrong = jct.at[q->n - 1][0].data, size = 0;
  wrong[0] += 1e-3 * scale;
  if (fabs(left - inner(q, &jct, t, &size)) <= 1e-12 * scale) say(q, "control", 0);
  // J t against differences: x moved in all processes at once.
  static const double at[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  values d = {.n = fn->n_results};
  for (uint32_t p = 0; p < q->n; p++)
    for (uint32_t k = 0; k < d.n; k++)
      d.at[p][k] = blank(q, jt.at[p][k].type);
  for (int s = 0; s < 4; s++) {
    const double h = 1e-4;
    values moved = *x, y;
    for (uint32_t p = 0; p < q->n; p++)
      for (uint32_t i = 0; i < q->n_wrt; i++) {
        tl_tensor m = blank(q, x->at[p][q->wrt[i]].type);
        for (size_t k = 0; k < count(m.type); k++)
          ((double *)m.data)[k] =
              ((double *)x->at[p][q->wrt[i]].data)[k] + at[s] * h * ((double *)t->at[p][i].data)[k];
        moved.at[p][q->wrt[i]] = m;
      }
    if (!run_all(q, fn, &moved, &y)) return false;
    for (uint32_t p = 0; p < q->n; p++)
      for (uint32_t k = 0; k < d.n; k++)
        for (size_t e = 0; e < count(y.at[p][k].type); e++)
          ((double *)d.at[p][k].data)[e] += weight[s] / h * ((double *)y.at[p][k].data)[e];
  }
  n_compared++;
  const double off = apart(q, &jt, &d);
  if (!(off <= 1e-8)) say(q, "differences", off);
  tl_module_drop(q->m, is_made, NULL);
  return true;
}

// vmap of fn over three examples of every argument.
static void batch(trial *q, const char *what, const tl_func *fn) {
  const int64_t axes[2 * MAX_VALUES] = {0};
  tl_func *all;
  tl_status st =
      tl_ad_vmap(q->m, fn, &(tl_vmap_options){.in_axes = axes, .size = BATCH}, "t.vmap", &all);
  if (st != TL_OK) {
    printf("%s, %s: %s\n", q->row->name, what, tl_status_message(st));
    tl_status_drop(st);
    failures++;
    return;
  }
  values in = {0}, got, want;
  tl_type types[MAX_IN];
  for (uint32_t i = 0; i < all->body->n_args; i++)
    types[i] = all->body->args[i]->type;
  draw(q, &in, types, all->body->n_args);
  if (!run_all(q, all, &in, &got)) return;
  for (size_t e = 0; e < BATCH; e++) {
    values one = in, mine = got;
    for (uint32_t p = 0; p < q->n; p++) {
      for (uint32_t i = 0; i < in.n; i++) {
        one.at[p][i].type = fn->body->args[i]->type;
        one.at[p][i].data = (double *)in.at[p][i].data + e * count(one.at[p][i].type);
      }
      for (uint32_t k = 0; k < got.n; k++) {
        mine.at[p][k].type = fn->result_types[k];
        mine.at[p][k].data = (double *)got.at[p][k].data + e * count(mine.at[p][k].type);
      }
    }
    if (!run_all(q, fn, &one, &want)) return;
    n_compared++;
    const double off = apart(q, &mine, &want);
    if (!(off <= 1e-14)) say(q, what, off);
  }
  tl_module_drop(q->m, is_made, NULL);
}

static void is_dual(trial *q, const tl_func *back) {
  tl_diags diags = {0};
  tl_status st = tl_check_dual(q->f, back, true, &diags);
  n_compared++;
  if ((st == TL_OK) != q->row->is_dual) {
    printf("%s, dual: %s\n", q->row->name, st == TL_OK ? "passed" : tl_status_message(st));
    failures++;
  }
  tl_status_drop(st);
  tl_diags_deinit(&diags);
}

// y = cos(max over p of sin(x_p)) where all x_p are the same: each process gets a quarter.
static void ties(trial *q, const tl_func *back) {
  values in = {0}, ct;
  draw(q, &in, &q->f->body->args[0]->type, 1);
  draw(q, &in, q->f->result_types, 1);
  for (uint32_t p = 1; p < q->n; p++)
    in.at[p][0] = in.at[0][0];
  if (!run_all(q, back, &in, &ct)) return;
  n_compared++;
  for (uint32_t p = 0; p < q->n; p++)
    for (size_t k = 0; k < count(in.at[p][0].type); k++) {
      const double x = ((double *)in.at[0][0].data)[k];
      double u = 0;
      for (uint32_t o = 0; o < q->n; o++)
        u += ((double *)in.at[o][1].data)[k] / q->n;
      const double want = -sin(sin(x)) * cos(x) * u, got = ((double *)ct.at[p][0].data)[k];
      if (!(fabs(got - want) <= 1e-14)) say(q, "ties", got - want);
    }
}

static tl_status test(trial *q) {
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(tl_str_of(q->row->text), q->row->name, &diags, &q->m);
  tl_diags_deinit(&diags);
  TL_TRY(st);
  q->f = tl_module_find(q->m, TL_STR("main"));
  values x = {0}, t = {0}, u = {0};
  tl_type types[MAX_IN];
  for (uint32_t i = 0; i < q->f->body->n_args; i++) {
    types[i] = q->f->body->args[i]->type;
    q->wrt[q->n_wrt++] = i;
  }
  draw(q, &x, types, q->n_wrt);
  draw(q, &t, types, q->n_wrt);
  draw(q, &u, q->f->result_types, q->f->n_results);
  if (!both_ways(q, "pair", q->f, &x, &t, &u)) return TL_OK;
  tl_func *g;
  TL_TRY(tl_ad_vjp(q->m, q->f, q->wrt, q->n_wrt, &(tl_ad_options){0}, "g", &g));
  is_dual(q, g);
  if (q->row == &rows[TIES]) ties(q, g);
  values with = x, v = {0};
  append(q, &with, &u);
  draw(q, &v, types, q->n_wrt);
  both_ways(q, "second", g, &with, &t, &v);
  batch(q, "batch", q->f);
  batch(q, "batch of the gradient", g);
  return TL_OK;
}

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    trial q = {
        .row = &rows[i], .arena = tl_arena_create(), .n = rows[i].replicas * rows[i].partitions};
    tl_status st = tl_grid_create(rows[i].replicas, rows[i].partitions, &q.grid);
    if (st == TL_OK) st = test(&q);
    if (st != TL_OK) printf("%s: %s\n", rows[i].name, tl_status_message(st)), failures++;
    tl_status_drop(st);
    tl_module_destroy(q.m);
    tl_grid_destroy(q.grid);
    tl_arena_destroy(q.arena);
  }
  printf("%zu programs with collectives: %zu comparisons, %zu failures\n",
         sizeof rows / sizeof *rows, n_compared, failures);
  return failures != 0;
}
