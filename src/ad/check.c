// A rule is checked within the program that it is a rule of: f is differentiated once as if no
// composite brought any, and once for each rule with that one alone, so that what is wrong has a
// name. This works in loops, branches and batches, where a rule's own arguments are nobody's to
// see. That argument by argument has a tangent of its own says which cotangent is wrong.
#include "ad/check.h"

#include <math.h>

#include "ad/custom.h"
#include "ad/rule.h"
#include "passes/copy.h"
#include "ref/lanes.h"

enum { MAX_RULES = 1000 };

typedef struct rule {
  tl_str function, vjp, jvp;
  tl_loc loc;
} rule;

typedef struct check {
  const tl_module *m;
  const tl_func *f;
  const tl_ad_check_options *o;
  tl_arena *a;
  uint32_t *wrt, n_wrt;
  rule *rules; // [n_rules]
  uint32_t n_rules, depth;
  tl_tensor *in;    // [arguments of f] in f64
  tl_tensor *t;     // [n_wrt] tangents
  tl_tensor *ct;    // [results of f]
  tl_tensor *zeros; // [n_wrt]
  bool differences;
  double *inner, *scale; // [n_wrt] <ct, J t> of f without rules, and the sum of its products' sizes
} check;

// ---- The rules there are ----

static bool same_rule(const rule *r, const tl_op *op) {
  return tl_str_eq(r->function, tl_op_str(op, TL_A_COMPOSITE_decomposition)) &&
         tl_str_eq(r->vjp, tl_op_str(op, TL_A_COMPOSITE_vjp)) &&
         tl_str_eq(r->jvp, tl_op_str(op, TL_A_COMPOSITE_jvp));
}

static tl_status note_rule(check *c, const tl_op *op) {
  for (uint32_t i = 0; i < c->n_rules; i++)
    if (same_rule(&c->rules[i], op)) return TL_OK;
  if (c->n_rules == MAX_RULES)
    return TL_ERROR(RESOURCE_EXHAUSTED, "more than %d rules to check", MAX_RULES);
  c->rules[c->n_rules++] =
      (rule){tl_op_str(op, TL_A_COMPOSITE_decomposition), tl_op_str(op, TL_A_COMPOSITE_vjp),
             tl_op_str(op, TL_A_COMPOSITE_jvp), op->loc};
  return TL_OK;
}

static tl_status note_rules(check *c, const tl_func *fn, tl_ptr_map *seen);

static tl_status note_block(check *c, const tl_block *b, tl_ptr_map *seen) {
  for (const tl_op *op = b->first; op != NULL; op = op->next) {
    if (tl_custom_has_rule(op)) TL_TRY(note_rule(c, op));
    const bool calls = op->code == TL_OP_CALL, is_composite = op->code == TL_OP_COMPOSITE;
    const tl_func *callee =
        !calls && !is_composite
            ? NULL
            : tl_module_find(
                  c->m, tl_op_str(op, calls ? TL_A_CALL_callee : TL_A_COMPOSITE_decomposition));
    if (callee != NULL) TL_TRY(note_rules(c, callee, seen));
    for (uint32_t r = 0; r < op->n_regions; r++)
      TL_TRY(note_block(c, op->regions[r], seen));
  }
  return TL_OK;
}

static tl_status note_rules(check *c, const tl_func *fn, tl_ptr_map *seen) {
  if (tl_ptr_map_find(seen, fn) != NULL) return TL_OK;
  if (!tl_ptr_map_put(seen, fn, 1)) return TL_OOM();
  if (++c->depth > TL_AD_MAX_DEPTH)
    return TL_ERROR(RESOURCE_EXHAUSTED, "calls nest deeper than %d", TL_AD_MAX_DEPTH);
  TL_TRY(note_block(c, fn->body, seen));
  c->depth--;
  return TL_OK;
}

// ---- Programs with some of them ----

static void strip_block(tl_block *b, const rule *kept) {
  for (tl_op *op = b->first; op != NULL; op = op->next) {
    if (tl_custom_has_rule(op) && (kept == NULL || !same_rule(kept, op))) {
      const uint32_t begin = tl_op_get(op->code)->attr_begin;
      op->attrs[TL_A_COMPOSITE_vjp - begin].str = TL_STR("");
      op->attrs[TL_A_COMPOSITE_jvp - begin].str = TL_STR("");
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      strip_block(op->regions[r], kept);
  }
}

// A copy with no other rules than `kept`; *out_f is f in it.
static tl_status with_rule(const check *c, const rule *kept, tl_module **out, tl_func **out_f) {
  TL_TRY(tl_module_copy(c->m, &(tl_copy_options){0}, out));
  for (tl_func *fn = (*out)->first; fn != NULL; fn = fn->next)
    strip_block(fn->body, kept);
  *out_f = tl_module_find(*out, c->f->name);
  return *out_f != NULL ? TL_OK : TL_ERROR(INTERNAL, "a function is lost");
}

static const char derivative_name[] = "tl.checked";

static tl_status derivative(const check *c, const rule *kept, bool forward, tl_module **out_m,
                            tl_func **out) {
  tl_func *f = NULL;
  TL_TRY(with_rule(c, kept, out_m, &f));
  const tl_ad_options o = {0};
  return (forward ? tl_ad_jvp : tl_ad_vjp)(*out_m, f, c->wrt, c->n_wrt, &o, derivative_name, out);
}

// ---- Numbers, all f64 or c128 ----

static size_t parts_of(const tl_tensor *t) {
  size_t n = 0;
  (void)tl_type_count(t->type, &n);
  return tl_dtype_get(t->type.dtype)->kind == TL_KIND_COMPLEX ? 2 * n : n;
}

static tl_type wide(tl_type t) {
  if (tl_ad_is_inexact(t.dtype))
    t.dtype = tl_dtype_get(t.dtype)->kind == TL_KIND_COMPLEX ? TL_DTYPE_C128 : TL_DTYPE_F64;
  return t;
}

static tl_status blank(tl_arena *a, tl_type t, tl_tensor *out) {
  size_t size;
  t = wide(t);
  if (!tl_type_size(t, &size))
    return TL_ERROR(INVALID_ARGUMENT, "a shape is not concrete: specialise the module first");
  *out = (tl_tensor){t, tl_arena_alloc(a, size + 1, 16)};
  if (out->data == NULL) return TL_OOM();
  memset(out->data, 0, size);
  return TL_OK;
}

static tl_status random_tensor(tl_arena *a, tl_type t, uint64_t seed, uint32_t number,
                               tl_tensor *out) {
  TL_TRY(blank(a, t, out));
  if (!tl_ad_is_inexact(t.dtype)) return TL_OK;
  const tl_key key = tl_key_fold_in(tl_key_of_seed(seed), number);
  for (size_t i = 0; i < parts_of(out); i++)
    ((double *)out->data)[i] = 2 * tl_random_unit(key, true, i) - 1;
  return TL_OK;
}

// Adds the real part of sum a b; cotangents are not conjugated.
static void add_inner(const tl_tensor *a, const tl_tensor *b, double *sum, double *scale) {
  const bool is_complex = a->type.dtype == TL_DTYPE_C128;
  const double *x = a->data, *y = b->data;
  if (!tl_ad_is_inexact(a->type.dtype)) return;
  for (size_t i = 0; i < parts_of(a); i++) {
    *sum += (is_complex && i % 2 == 1 ? -1 : 1) * x[i] * y[i];
    *scale += fabs(x[i] * y[i]);
  }
}

// Fourth order.
static tl_status by_differences(const check *c, const tl_func *f, uint32_t w, double *sum,
                                double *scale) {
  static const double at[] = {-2, -1, 1, 2}, weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  const double h = c->o->step > 0 ? c->o->step : 1e-3;
  const uint32_t n = f->body->n_args;
  tl_arena *a = tl_arena_create();
  tl_tensor *in = a == NULL ? NULL : TL_NEW(a, tl_tensor, n + 1), *out = NULL;
  tl_status st = in == NULL ? TL_OOM() : TL_OK;
  double rounding = 0; // what f's own rounding comes to in a difference grows with f
  for (size_t p = 0; st == TL_OK && p < TL_COUNT(at); p++) {
    memcpy(in, c->in, n * sizeof *in);
    st = blank(a, c->in[c->wrt[w]].type, &in[c->wrt[w]]);
    if (st != TL_OK) break;
    const double *x = c->in[c->wrt[w]].data, *t = c->t[w].data;
    for (size_t i = 0; i < parts_of(&c->t[w]); i++)
      ((double *)in[c->wrt[w]].data)[i] = x[i] + at[p] * h * t[i];
    out = TL_NEW(a, tl_tensor, f->n_results + 1);
    st = out == NULL ? TL_OOM() : tl_ref_run(f, TL_REF_F64, in, n, a, out, 0);
    for (uint32_t k = 0; st == TL_OK && k < f->n_results; k++) {
      double there = 0, size = 0;
      add_inner(&c->ct[k], &out[k], &there, &size);
      *sum += weight[p] * there / h;
      rounding += size;
    }
  }
  *scale = fabs(*sum) + 1e-6 * rounding;
  tl_arena_destroy(a);
  return st;
}

// <ct, J t> by a jvp, t being c->t[w] at argument w alone.
static tl_status by_forward(const check *c, const tl_func *jvp, uint32_t w, double *sum,
                            double *scale) {
  const uint32_t n = c->f->body->n_args;
  tl_arena *a = tl_arena_create();
  tl_tensor *in = a == NULL ? NULL : TL_NEW(a, tl_tensor, n + c->n_wrt + 1),
            *out = a == NULL ? NULL : TL_NEW(a, tl_tensor, jvp->n_results + 1);
  tl_status st = in == NULL || out == NULL ? TL_OOM() : TL_OK;
  if (st == TL_OK) {
    memcpy(in, c->in, n * sizeof *in);
    memcpy(in + n, c->zeros, c->n_wrt * sizeof *in);
    in[n + w] = c->t[w];
    st = tl_ref_run(jvp, TL_REF_F64, in, n + c->n_wrt, a, out, 0);
  }
  for (uint32_t k = 0; st == TL_OK && k < c->f->n_results; k++)
    add_inner(&c->ct[k], &out[k], sum, scale);
  tl_arena_destroy(a);
  return st;
}

// ---- One side and the other ----

static tl_status without_rules(check *c) {
  tl_module *m = NULL;
  tl_func *fn = NULL;
  tl_status st = TL_OK;
  c->inner = TL_NEW(c->a, double, c->n_wrt);
  c->scale = TL_NEW(c->a, double, c->n_wrt);
  if (c->inner == NULL || c->scale == NULL) return TL_OOM();
  c->differences = c->o->differences;
  if (!c->differences) {
    st = derivative(c, NULL, true, &m, &fn);
    if (tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED) { // f has no forward mode
      tl_status_drop(st);
      st = TL_OK;
      c->differences = true;
    }
  }
  for (uint32_t w = 0; st == TL_OK && w < c->n_wrt; w++)
    st = c->differences ? by_differences(c, c->f, w, &c->inner[w], &c->scale[w])
                        : by_forward(c, fn, w, &c->inner[w], &c->scale[w]);
  tl_module_destroy(m);
  return st;
}

static void judge(const check *c, uint32_t w, double inner, double scale, tl_ad_check_row *row) {
  const double tolerance = c->o->tolerance > 0 ? c->o->tolerance : c->differences ? 1e-6 : 1e-8;
  const double whole = scale + c->scale[w], off = fabs(inner - c->inner[w]);
  const double error = off == 0 ? 0 : off / whole; // a NaN stays one
  if (w != 0 && error <= row->relative_error) return;
  if (w != 0 && isnan(row->relative_error)) return;
  row->wrt = c->wrt[w];
  row->primal_inner = c->inner[w];
  row->rule_inner = inner;
  row->relative_error = error;
  row->passed = error <= tolerance;
}

static tl_status with_one(const check *c, const rule *r, bool forward, tl_ad_check_row *row) {
  tl_module *m = NULL;
  tl_func *fn = NULL;
  tl_arena *a = tl_arena_create();
  const uint32_t n = c->f->body->n_args, n_out = c->f->n_results;
  tl_tensor *in = a == NULL ? NULL : TL_NEW(a, tl_tensor, n + n_out + 1),
            *back = a == NULL ? NULL : TL_NEW(a, tl_tensor, c->n_wrt + 1);
  tl_status st = in == NULL || back == NULL ? TL_OOM() : derivative(c, r, forward, &m, &fn);
  const bool by_vjp = !forward && r->vjp.len != 0;
  *row = (tl_ad_check_row){.function = r->function,
                           .rule = by_vjp ? r->vjp : r->jvp,
                           .loc = r->loc,
                           .forward = forward,
                           .transposed = !forward && !by_vjp,
                           .differences = c->differences};
  if (st == TL_OK && !forward) {
    memcpy(in, c->in, n * sizeof *in);
    memcpy(in + n, c->ct, n_out * sizeof *in);
    st = tl_ref_run(fn, TL_REF_F64, in, n + n_out, a, back, 0);
  }
  for (uint32_t w = 0; st == TL_OK && w < c->n_wrt; w++) {
    double inner = 0, scale = 0;
    if (forward)
      st = by_forward(c, fn, w, &inner, &scale);
    else
      add_inner(&back[w], &c->t[w], &inner, &scale);
    if (st == TL_OK) judge(c, w, inner, scale, row);
  }
  tl_arena_destroy(a);
  tl_module_destroy(m);
  return st;
}

// ---- What is asked ----

static tl_status find_wrt(check *c) {
  const uint32_t n = c->f->body->n_args;
  c->wrt = TL_NEW(c->a, uint32_t, TL_MAX(n, c->o->n_wrt) + 1);
  if (c->wrt == NULL) return TL_OOM();
  for (uint32_t i = 0; i < c->o->n_wrt; i++) {
    if (c->o->wrt[i] >= n || !tl_ad_is_inexact(c->f->body->args[c->o->wrt[i]]->type.dtype))
      return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " has no float argument %u",
                      TL_STR_ARG(c->f->name), c->o->wrt[i]);
    c->wrt[c->n_wrt++] = c->o->wrt[i];
  }
  for (uint32_t i = 0; c->o->n_wrt == 0 && i < n; i++)
    if (tl_ad_is_inexact(c->f->body->args[i]->type.dtype)) c->wrt[c->n_wrt++] = i;
  if (c->n_wrt == 0)
    return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " has no float argument",
                    TL_STR_ARG(c->f->name));
  return TL_OK;
}

// The inputs in f64, and what is random.
static tl_status make_numbers(check *c, const tl_tensor *inputs) {
  const uint32_t n = c->f->body->n_args;
  c->in = TL_NEW(c->a, tl_tensor, n + 1);
  c->t = TL_NEW(c->a, tl_tensor, c->n_wrt);
  c->zeros = TL_NEW(c->a, tl_tensor, c->n_wrt);
  c->ct = TL_NEW(c->a, tl_tensor, c->f->n_results + 1);
  if (c->in == NULL || c->t == NULL || c->zeros == NULL || c->ct == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    const tl_type given = inputs[i].type;
    size_t count;
    tl_type want = c->f->body->args[i]->type;
    if (!tl_type_eq(given, want) && !tl_type_eq(given, wide(want)))
      return TL_ERROR(INVALID_ARGUMENT, "argument %u of @" TL_STR_FMT " is given another type", i,
                      TL_STR_ARG(c->f->name));
    c->in[i] = inputs[i];
    if (!tl_ad_is_inexact(want.dtype) || tl_type_eq(given, wide(want))) continue;
    TL_TRY(blank(c->a, want, &c->in[i]));
    (void)tl_type_count(want, &count);
    if (count != 0)
      tl_lanes_load_run(tl_lanes_kind_of(c->in[i].type.dtype), given.dtype, inputs[i].data, 0,
                        count, c->in[i].data);
  }
  uint32_t number = 0;
  for (uint32_t w = 0; w < c->n_wrt; w++) {
    const tl_type t = c->in[c->wrt[w]].type;
    TL_TRY(random_tensor(c->a, t, c->o->seed, number++, &c->t[w]));
    TL_TRY(blank(c->a, t, &c->zeros[w]));
  }
  for (uint32_t k = 0; k < c->f->n_results; k++)
    TL_TRY(random_tensor(c->a, c->f->result_types[k], c->o->seed, number++, &c->ct[k]));
  return TL_OK;
}

tl_status tl_ad_check_custom(const tl_module *m, const tl_func *f, const tl_tensor *inputs,
                             const tl_ad_check_options *options, tl_arena *a,
                             tl_ad_check_row **out_rows, uint32_t *out_n) {
  static const tl_ad_check_options defaults;
  check c = {.m = m, .f = f, .o = options != NULL ? options : &defaults, .a = a};
  tl_ptr_map seen = {0};
  c.rules = TL_NEW(a, rule, MAX_RULES);
  tl_status st = c.rules == NULL ? TL_OOM() : note_rules(&c, f, &seen);
  tl_ptr_map_deinit(&seen);
  if (st != TL_OK) return st;
  if (c.n_rules == 0)
    return TL_ERROR(INVALID_ARGUMENT, "nothing in @" TL_STR_FMT " brings a vjp or jvp of its own",
                    TL_STR_ARG(f->name));
  TL_TRY(find_wrt(&c));
  TL_TRY(make_numbers(&c, inputs));
  TL_TRY(without_rules(&c));
  tl_ad_check_row *rows = TL_NEW(a, tl_ad_check_row, (size_t)2 * c.n_rules);
  uint32_t n = 0;
  if (rows == NULL) return TL_OOM();
  for (uint32_t i = 0; i < c.n_rules; i++) {
    TL_TRY(with_one(&c, &c.rules[i], false, &rows[n++]));
    if (c.rules[i].jvp.len != 0) TL_TRY(with_one(&c, &c.rules[i], true, &rows[n++]));
  }
  *out_rows = rows;
  *out_n = n;
  return TL_OK;
}

tl_status tl_ad_random_inputs(const tl_func *f, uint64_t seed, tl_arena *a, tl_tensor **out) {
  tl_tensor *in = TL_NEW(a, tl_tensor, f->body->n_args + 1);
  if (in == NULL) return TL_OOM();
  for (uint32_t i = 0; i < f->body->n_args; i++)
    TL_TRY(random_tensor(a, f->body->args[i]->type, ~seed, i, &in[i]));
  *out = in;
  return TL_OK;
}
