// Checks of transforms, as tests/oracle/jax_ad.py records them, and the transforms that they name.
//
//     // case FUNCTION CLASS
//     // do CHECK CHAIN           - or transforms with > between them: vmap:0,none>vjp:0:value
//     // in f64 3 <hex>           arguments and results of what the chain makes of the module's
//     @main
//     // out f64 3 <hex>
//     // do ...
//     module ...
#ifndef TESTS_JAX_AD_CASES_H
#define TESTS_JAX_AD_CASES_H

#include <stdio.h>

#include "ad/ad.h"
#include "shlo/shlo.h"

#include "cases.h"

enum { MAX_VALUES = 40, MAX_NUMBERS = 16 };

typedef struct check {
  tl_str function, family, name, chain;
  int order; // how often the chain differentiates
  value in[MAX_VALUES], out[MAX_VALUES];
  size_t n_in, n_out;
  double largest[MAX_VALUES]; // entry of each result; of all of them where it is 0
} check;

static tl_str until(tl_str *text, const char *mark) { // the text before `mark`, taken off with it
  const size_t end = TL_MIN(tl_str_find(*text, tl_str_of(mark)), text->len);
  const tl_str part = tl_str_sub(*text, 0, end);
  *text = tl_str_sub(*text, TL_MIN(end + strlen(mark), text->len), text->len);
  return part;
}

// One step of a chain: vjp:0,2:value.
static tl_status apply(tl_module *m, tl_str step, const check *c, const char *name, tl_diags *diags,
                       tl_func **f) {
  const tl_str what = until(&step, ":");
  tl_str numbers = until(&step, ":");
  uint32_t wrt[MAX_NUMBERS], n = 0;
  int64_t axes[MAX_NUMBERS], out_axes[MAX_VALUES], out_axis = 0;
  while (numbers.len && n < MAX_NUMBERS) {
    const tl_str number = until(&numbers, ",");
    axes[n] = TL_NOT_BATCHED;
    if (!tl_str_is(number, "none") && !tl_str_to_i64(number, &axes[n]))
      return TL_ERROR(INVALID_ARGUMENT, "a chain wants numbers");
    wrt[n] = (uint32_t)axes[n];
    n++;
  }
  tl_ad_options o = {.value = tl_str_is(step, "value"), .diags = diags};
  if (tl_str_is(step, "aux")) o.n_aux = (*f)->n_results - 1;
  if (tl_str_is(what, "grad") && o.value) o.n_aux = (*f)->n_results - 1;
  if (tl_str_is(what, "grad")) return tl_ad_grad(m, *f, wrt, n, &o, name, f);
  if (tl_str_is(what, "jvp")) return tl_ad_jvp(m, *f, wrt, n, &o, name, f);
  if (tl_str_is(what, "vjp")) return tl_ad_vjp(m, *f, wrt, n, &o, name, f);
  if (tl_str_is(what, "hvp")) return tl_ad_hvp(m, *f, wrt, n, &o, name, f);
  if (tl_str_is(what, "hessian")) return tl_ad_hessian(m, *f, wrt, n, &o, name, f);
  if (tl_str_is(what, "jacfwd")) return tl_ad_jacobian(m, *f, wrt, n, false, &o, name, f);
  if (tl_str_is(what, "jacrev")) return tl_ad_jacobian(m, *f, wrt, n, true, &o, name, f);
  if (!tl_str_is(what, "vmap"))
    return TL_ERROR(INVALID_ARGUMENT, "no transform " TL_STR_FMT, TL_STR_ARG(what));
  if (n != (*f)->body->n_args)
    return TL_ERROR(INVALID_ARGUMENT, "vmap wants every argument's axis");
  if (step.len && !tl_str_to_i64(step, &out_axis))
    return TL_ERROR(INVALID_ARGUMENT, "the results' axis is no number");
  for (uint32_t i = 0; i < TL_MIN((*f)->n_results, MAX_VALUES); i++)
    out_axes[i] = out_axis;
  // The function's own arguments stay the first of whatever later transforms make.
  tl_vmap_options v = {.in_axes = axes, .out_axes = out_axes, .diags = diags};
  for (uint32_t i = 0; i < n && !v.size; i++)
    if (axes[i] != TL_NOT_BATCHED && i < c->n_in)
      v.size = c->in[i].dims[axes[i] < 0 ? axes[i] + c->in[i].rank : axes[i]];
  return tl_ad_vmap(m, *f, &v, name, f);
}

static int order_of(tl_str chain) {
  int order = 0;
  while (chain.len) {
    tl_str step = until(&chain, ">");
    const tl_str what = until(&step, ":");
    if (tl_str_is(what, "hessian") || tl_str_is(what, "hvp")) order++;
    order += !tl_str_is(what, "vmap") && !tl_str_is(what, "-");
  }
  return TL_MIN(order, 2);
}

static tl_status as_refusal(tl_status was, const char *what) {
  tl_status st = TL_ERROR(UNIMPLEMENTED, "%s: %.200s", what, tl_status_message(was));
  tl_status_drop(was);
  return st;
}

// `m` with the functions that the chain makes, verified; the last of them in *entry.
static tl_status transformed(tl_str text, const check *c, tl_module **out_m, tl_func **entry) {
  tl_diags diags = {.max_errors = 1};
  tl_module *m = NULL;
  tl_str chain = c->chain;
  char name[16];
  unsigned n = 0;
  tl_status st = tl_shlo_parse(text, "module", &diags, &m);
  if (st) st = as_refusal(st, "not read");
  tl_func *f = m ? tl_module_find(m, TL_STR("main")) : NULL;
  if (!st && !f) st = TL_ERROR(INTERNAL, "no @main");
  while (!st && chain.len && !tl_str_is(chain, "-")) {
    snprintf(name, sizeof name, "d%u", n++);
    st = apply(m, until(&chain, ">"), c, name, &diags, &f);
    if (st) st = as_refusal(st, "refused");
  }
  if (!st) {
    st = tl_module_verify(m, &diags);
    if (st) st = as_refusal(st, "not verified");
  }
  tl_diags_deinit(&diags);
  if (st) {
    tl_module_destroy(m);
    return st;
  }
  *out_m = m;
  *entry = f;
  return TL_OK;
}

static tl_status same_types(const check *c, const tl_func *f) {
  if (f->body->n_args != c->n_in || f->n_results != c->n_out)
    return TL_ERROR(INTERNAL, "wrong: %u arguments and %u results, wanted %zu and %zu",
                    f->body->n_args, f->n_results, c->n_in, c->n_out);
  for (size_t i = 0; i < c->n_in + c->n_out; i++) {
    const value *v = i < c->n_in ? &c->in[i] : &c->out[i - c->n_in];
    const tl_type t = i < c->n_in ? f->body->args[i]->type : f->result_types[i - c->n_in];
    bool same = t.dtype == v->dtype && t.rank == v->rank;
    for (uint32_t d = 0; same && d < t.rank; d++)
      same = t.dims[d] == v->dims[d];
    if (!same)
      return TL_ERROR(INTERNAL, "wrong: %s %zu is not of the type of JAX's",
                      i < c->n_in ? "argument" : "result", i < c->n_in ? i : i - c->n_in);
  }
  return TL_OK;
}

// What is done with a check: `text` is its module, `bad` what was wrong in reading it, to be
// dropped.
typedef tl_status (*check_fn)(void *ctx, tl_arena *a, tl_str text, check *c, tl_status bad);

// Each check of a case, which its first comment names; `only` (empty: any) is the function wanted.
static tl_status each_check(tl_arena *a, tl_str part, tl_str only, check_fn fn, void *ctx) {
  tl_str what, line, text = part, function = {0}, family = {0};
  check *c = TL_NEW(a, check, 1);
  tl_status bad = TL_OK;
  if (!c) return TL_OOM();
  while (next_comment(&text, &what, &line))
    ; // to the module
  const tl_arena_point mark = tl_arena_mark(a);
  for (bool more = true; more;) {
    more = next_comment(&part, &what, &line);
    if (!more || tl_str_is(what, "do")) {
      if (c->name.len) TL_TRY(fn(ctx, a, text, c, bad));
      tl_arena_rewind(a, mark);
      bad = TL_OK;
      *c = (check){.function = function, .family = family};
      if (more) c->name = word(&line), c->chain = line, c->order = order_of(line);
    } else if (tl_str_is(what, "case")) {
      function = word(&line), family = line;
      if (only.len && !tl_str_eq(function, only)) return TL_OK;
    } else if (tl_str_is(what, "in") || tl_str_is(what, "out")) {
      const bool in = tl_str_is(what, "in");
      size_t *n = in ? &c->n_in : &c->n_out;
      if (*n == MAX_VALUES) return TL_ERROR(INTERNAL, "more than %d values", MAX_VALUES);
      tl_status st = read_value(a, line, in ? &c->in[(*n)++] : &c->out[(*n)++]);
      if (bad)
        tl_status_drop(st);
      else
        bad = st;
    }
  }
  return TL_OK;
}

#endif
