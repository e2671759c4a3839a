// What JAX computed of the objectives, as tests/oracle/ad_objectives.py records it, and the program
// that each check is about: the objective traced for the recorded arguments, through the transforms
// that the check names. For the test here and for bench/ad.
#ifndef TESTS_ADBENCH_OBJECTIVE_CASES_H
#define TESTS_ADBENCH_OBJECTIVE_CASES_H

#include <math.h>
#include <stdio.h>

#include <tlaloc/tlaloc.h>

#include "base/status.h"
#include "objectives.h"

#include "../jax/cases.h"

enum { MAX_IN = 16, MAX_OUT = 16, MAX_WRT = 8 };

typedef struct check {
  tl_str objective, label, name, chain;
  value in[MAX_IN], out[MAX_OUT]; // the case's arguments, then the check's own
  size_t n_case_in, n_in, n_out;
} check;

static tl_str until(tl_str *text, char mark) { // the text before the mark, taken off with it
  size_t end = 0;
  while (end < text->len && text->ptr[end] != mark)
    end++;
  const tl_str part = tl_str_sub(*text, 0, end);
  *text = tl_str_sub(*text, TL_MIN(end + 1, text->len), text->len);
  return part;
}

// One step of a chain, "grad:0,2:value", of p, which it takes.
static tl_status transformed(tl_program *p, tl_str step, const check *c, tl_program **out) {
  const tl_str what = until(&step, ':');
  tl_str numbers = until(&step, ':');
  uint32_t wrt[MAX_WRT], n = 0;
  int64_t number;
  tl_status st = NULL;
  while (numbers.len && n < MAX_WRT) {
    if (!tl_str_to_i64(until(&numbers, ','), &number))
      st = TL_ERROR(INVALID_ARGUMENT, "a chain wants numbers");
    wrt[n++] = (uint32_t)number;
  }
  const tl_derive_options o = {.wrt = wrt, .n_wrt = n, .value = tl_str_is(step, "value")};
  const tl_batch_options all = {.size = c->in[0].dims[0]}; // of axis 0 of everything
  if (st)
    ;
  else if (tl_str_is(what, "grad"))
    st = tl_program_grad(p, &o, out);
  else if (tl_str_is(what, "jvp"))
    st = tl_program_jvp(p, &o, out);
  else if (tl_str_is(what, "hvp"))
    st = tl_program_hvp(p, &o, out);
  else if (tl_str_is(what, "hessian"))
    st = tl_program_hessian(p, &o, out);
  else if (tl_str_is(what, "jacfwd"))
    st = tl_program_jacobian(p, &o, out);
  else if (tl_str_is(what, "jacrev"))
    st = tl_program_jacobian_reverse(p, &o, out);
  else if (tl_str_is(what, "vmap"))
    st = tl_program_vmap(p, &all, out);
  else
    st = TL_ERROR(INVALID_ARGUMENT, "no transform " TL_STR_FMT, TL_STR_ARG(what));
  tl_program_release(p);
  return st;
}

static bool is_batched(const check *c) {
  return tl_str_find(c->chain, TL_STR("vmap")) < c->chain.len;
}

// The check's program, the caller's.
static tl_status check_program(const check *c, tl_program **out) {
  const objective *o = objective_find(c->objective.ptr, c->objective.len);
  char types[MAX_IN][64];
  const char *list[MAX_IN];
  tl_program *p = NULL;
  if (!o || o->n_in != c->n_case_in)
    return TL_ERROR(NOT_FOUND, "no objective " TL_STR_FMT " of %zu inputs",
                    TL_STR_ARG(c->objective), c->n_case_in);
  for (size_t i = 0; i < c->n_case_in; i++) {
    const uint32_t from = is_batched(c) ? 1 : 0; // of one example
    int n = snprintf(types[i], sizeof types[i], "f64[");
    for (uint32_t d = from; d < c->in[i].rank; d++)
      n += snprintf(types[i] + n, sizeof types[i] - (size_t)n, "%s%lld", d > from ? "," : "",
                    (long long)c->in[i].dims[d]);
    snprintf(types[i] + n, sizeof types[i] - (size_t)n, "]");
    list[i] = types[i];
  }
  TL_TRY(objective_trace(o, list, &p));
  for (tl_str chain = c->chain; chain.len && !tl_str_is(chain, "-");) {
    tl_program *next = NULL;
    TL_TRY(transformed(p, until(&chain, '>'), c, &next));
    p = next;
  }
  *out = p;
  return TL_OK;
}

typedef tl_status (*check_fn)(void *ctx, tl_arena *a, const check *c);

// Each check of the text; what they hold lives as long as the call of fn.
static tl_status each_check(tl_str text, check_fn fn, void *ctx) {
  tl_arena *a = tl_arena_create();
  tl_status st = a ? TL_OK : TL_OOM();
  const tl_arena_point mark = a ? tl_arena_mark(a) : (tl_arena_point){0};
  while (!st && text.len) {
    tl_arena_rewind(a, mark);
    tl_str part = next_part(&text), what, line;
    check *c = TL_NEW(a, check, 1);
    if (!c) st = TL_OOM();
    for (bool more = true; !st && more;) {
      more = next_comment(&part, &what, &line);
      if (!more || tl_str_is(what, "do")) {
        if (c->name.len) st = fn(ctx, a, c);
        if (!c->name.len) c->n_case_in = c->n_in;
        c->n_in = c->n_case_in;
        c->n_out = 0;
        if (more) c->name = word(&line), c->chain = line;
      } else if (tl_str_is(what, "case")) {
        c->objective = word(&line), c->label = line;
      } else if (tl_str_is(what, "in") && c->n_in < MAX_IN) {
        st = read_value(a, line, &c->in[c->n_in++]);
      } else if (tl_str_is(what, "out") && c->n_out < MAX_OUT) {
        st = read_value(a, line, &c->out[c->n_out++]);
      } else if (!tl_str_is(what, "jax")) {
        st = TL_ERROR(INVALID_ARGUMENT, "more than is asked for: " TL_STR_FMT, TL_STR_ARG(what));
      }
    }
  }
  tl_arena_destroy(a);
  return st;
}

// The greatest difference over the largest entry wanted; infinite where one of them is no number.
static double error_of(const value *want, const double *got) {
  double largest = 0, error = 0;
  for (size_t i = 0; i < want->n; i++) {
    const double y = ((const double *)want->data)[i], d = fabs(got[i] - y);
    if (!isfinite(d)) return (double)INFINITY;
    largest = fmax(largest, fabs(y));
    error = fmax(error, d);
  }
  return largest > 0 ? error / largest : error;
}

#endif
