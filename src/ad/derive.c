// The transforms: what each takes and gives, over the engine's three directions.
#include "ad/rule.h"

#include <inttypes.h>

#include "passes/tidy.h"
#include "ir/dim.h"
#include "passes/copy.h"

static const tl_ad_options no_options;

// A derivative under construction: `fn` begins with copies of f's parameters.
typedef struct work {
  tl_ad ad;
  tl_builder b;
  const tl_func *f;
  const tl_func *last; // of the module, before the transform began; NULL: it was empty
  tl_env env;
  const uint32_t *wrt;
  uint32_t n_wrt;
  tl_value *out;   // [results of f] the primal ones
  tl_value *given; // the results of the new function
  uint32_t n_given;
} work;

static tl_status check_wrt(const tl_func *f, const uint32_t *wrt, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (wrt[i] >= f->body->n_args)
      return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " has %u arguments; there is no argument %u",
                      TL_STR_ARG(f->name), f->body->n_args, wrt[i]);
    for (uint32_t j = 0; j < i; j++)
      if (wrt[i] == wrt[j]) return TL_ERROR(INVALID_ARGUMENT, "argument %u is named twice", wrt[i]);
  }
  if (n == 0) return TL_ERROR(INVALID_ARGUMENT, "no argument to differentiate by");
  return TL_OK;
}

static void copy_args(work *w, bool skip_wrt) {
  const tl_func *f = w->f;
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    bool skip = false;
    for (uint32_t j = 0; skip_wrt && j < w->n_wrt; j++)
      skip |= w->wrt[j] == i;
    if (skip) continue;
    w->b.loc = tl_value_loc(f->body->args[i]);
    tl_value arg = tl_func_arg(&w->b, f->body->args[i]->type);
    if (arg == NULL) return;
    tl_env_put(&w->b, &w->env, f->body->args[i], arg);
    tl_arg_info *info = tl_func_arg_info(w->b.fn, arg->index);
    info->name = f->args[i].name;
    info->size_name = f->args[i].size_name;
    info->sharding = f->args[i].sharding;
  }
  w->b.loc = f->loc;
}

static tl_status begin(work *w, tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                       const tl_ad_options *options, const char *name, size_t most_results) {
  if (options == NULL) options = &no_options;
  *w = (work){.ad = {.m = m, .options = options, .diags = options->diags},
              .f = f,
              .last = m->last,
              .wrt = wrt,
              .n_wrt = n_wrt};
  TL_TRY(check_wrt(f, wrt, n_wrt));
  w->b = tl_func_begin(m, name, true);
  if (w->b.fn != NULL) w->b.fn->loc = f->loc;
  w->out = tl_room(&w->b, f->n_results);
  w->given = tl_room(&w->b, most_results);
  return TL_OK;
}

static void give(work *w, tl_value v) {
  if (w->b.error == TL_OK) w->given[w->n_given++] = v;
}

static bool is_it(const tl_func *fn, void *it) { return fn == it; }

typedef struct tail {
  const tl_func *last;
  bool behind;
} tail;

static bool is_behind(const tl_func *fn, void *arg) {
  tail *t = arg;
  const bool behind = t->behind;
  t->behind |= fn == t->last;
  return behind;
}

// Ends the function; a failed one leaves the module as it was, without the rules that were batched
// for it.
static tl_status end(work *w, tl_func **out) {
  tl_env_deinit(&w->env);
  tl_func *fn = w->b.fn;
  if (w->b.error == TL_OK) tlo_return(&w->b, w->given, w->n_given);
  tl_status st = tl_builder_finish(&w->b);
  if (st == TL_OK) st = tl_func_tidy(fn);
  if (st != TL_OK) {
    tl_module_drop(w->ad.m, is_behind, &(tail){w->last, w->last == NULL});
    return st;
  }
  *out = fn;
  return TL_OK;
}

// f as it is differentiated: what it computes twice, or for nothing, would be differentiated as
// often. A copy, to be dropped by whoever asked.
static tl_status tidied(tl_module *m, const tl_func *f, tl_func **out) {
  const tl_func *last = m->last;
  tl_builder b = tl_func_begin(m, "tl.tidied", true);
  tl_func *fn = b.fn;
  tl_env e = {0};
  tl_value *results = tl_room(&b, f->n_results);
  if (fn != NULL) fn->loc = f->loc;
  for (uint32_t i = 0; b.error == TL_OK && i < f->body->n_args; i++) {
    b.loc = tl_value_loc(f->body->args[i]);
    tl_env_put(&b, &e, f->body->args[i], tl_func_arg(&b, f->body->args[i]->type));
  }
  for (uint32_t i = 0; b.error == TL_OK && i < f->body->n_args; i++)
    *tl_func_arg_info(fn, i) = f->args[i];
  if (b.error == TL_OK) tl_clone_block(&b, &e, f->body, results);
  tl_env_deinit(&e);
  if (b.error == TL_OK) tlo_return(&b, results, f->n_results);
  tl_status st = tl_builder_finish(&b);
  if (st == TL_OK) st = tl_func_tidy(fn);
  if (st == TL_OK)
    *out = fn;
  else
    tl_module_drop(m, is_behind, &(tail){last, last == NULL});
  return st;
}

typedef tl_status derive_fn(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                            const tl_ad_options *options, const char *name, tl_func **out);

static tl_status of_tidied(derive_fn *derive, tl_module *m, const tl_func *f, const uint32_t *wrt,
                           uint32_t n_wrt, const tl_ad_options *options, const char *name,
                           tl_func **out) {
  tl_func *clean;
  TL_TRY(check_wrt(f, wrt, n_wrt)); // by f's own name
  TL_TRY(tidied(m, f, &clean));
  tl_status st = derive(m, clean, wrt, n_wrt, options, name, out);
  tl_module_drop(m, is_it, clean);
  return st;
}

static tl_value arg_of(const work *w, uint32_t i) {
  return tl_env_get(&w->env, w->f->body->args[w->wrt[i]]);
}

// --- Reverse ----------------------------------------------------------------------------------

static void activate_wrt(work *w, tl_reverse *r) {
  for (uint32_t i = 0; i < w->n_wrt; i++)
    tl_reverse_activate(r, &w->b, arg_of(w, i));
}

// What a cotangent is where none was given: zeros of its own type, an integer's too.
static void give_cts(work *w, const tl_reverse *r) {
  for (uint32_t i = 0; i < w->n_wrt && w->b.error == TL_OK; i++) {
    tl_value x = arg_of(w, i), ct = tl_reverse_ct(r, x);
    give(w, ct != NULL ? ct : tl_ad_zeros(&w->b, x->type));
  }
}

static void walk_back(work *w, tl_reverse *r) {
  if (w->b.error == TL_OK && w->b.block->last != NULL)
    tl_reverse_walk(r, &w->b, NULL, w->b.block->last);
}

static tl_status check_scalar(const tl_func *f, uint32_t n_aux) {
  const uint32_t n = f->n_results;
  if (n == 0 || n_aux >= n)
    return TL_ERROR(INVALID_ARGUMENT,
                    "@" TL_STR_FMT " has %u results, of which %u are aux: there "
                    "is none to differentiate",
                    TL_STR_ARG(f->name), n, n_aux);
  if (n - n_aux != 1)
    return TL_ERROR(INVALID_ARGUMENT,
                    "@" TL_STR_FMT " has %u results; a gradient is of one (name the others aux)",
                    TL_STR_ARG(f->name), n);
  const tl_type t = f->result_types[0];
  if (t.rank != 0 || tl_dtype_get(t.dtype)->kind != TL_KIND_FLOAT) {
    tl_buf text = {0};
    tl_type_print_named(&text, f->module, t);
    tl_status st =
        TL_ERROR(INVALID_ARGUMENT,
                 "a gradient is of a scalar float, but @" TL_STR_FMT " gives %s: use vjp "
                 "or jacobian",
                 TL_STR_ARG(f->name), text.oom ? "?" : text.ptr);
    tl_buf_deinit(&text);
    return st;
  }
  return TL_OK;
}

static tl_status grad(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                      const tl_ad_options *options, const char *name, tl_func **out) {
  work w;
  TL_TRY(begin(&w, m, f, wrt, n_wrt, options, name, (size_t)n_wrt + f->n_results));
  tl_reverse r = {.ad = &w.ad};
  copy_args(&w, false);
  activate_wrt(&w, &r);
  tl_reverse_primal(&r, &w.b, &w.env, f->body, w.out);
  if (w.b.error == TL_OK) tl_reverse_give(&r, &w.b, w.out[0], tl_ad_like(&w.b, w.out[0], 1));
  walk_back(&w, &r);
  for (uint32_t k = 0; w.b.error == TL_OK && w.ad.options->value && k < f->n_results; k++)
    give(&w, w.out[k]);
  give_cts(&w, &r);
  for (uint32_t k = 1; w.b.error == TL_OK && !w.ad.options->value && k < f->n_results; k++)
    give(&w, w.out[k]);
  tl_reverse_deinit(&r);
  return end(&w, out);
}

tl_status tl_ad_grad(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                     const tl_ad_options *options, const char *name, tl_func **out) {
  TL_TRY(check_scalar(f, options == NULL ? 0 : options->n_aux));
  return of_tidied(grad, m, f, wrt, n_wrt, options, name, out);
}

static tl_status back(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                      const tl_ad_options *options, const char *name, bool transpose,
                      tl_func **out) {
  work w;
  TL_TRY(begin(&w, m, f, wrt, n_wrt, options, name, (size_t)n_wrt + f->n_results));
  tl_reverse r = {.ad = &w.ad};
  copy_args(&w, transpose);
  tl_value *ct = tl_room(&w.b, f->n_results);
  for (uint32_t k = 0; ct != NULL && k < f->n_results; k++)
    ct[k] = tl_func_arg(&w.b, f->result_types[k]);
  for (uint32_t i = 0; transpose && i < n_wrt && w.b.error == TL_OK; i++) {
    tl_value old = f->body->args[wrt[i]];
    tl_env_put(&w.b, &w.env, old, tl_ad_zeros(&w.b, old->type));
  }
  activate_wrt(&w, &r);
  tl_reverse_primal(&r, &w.b, &w.env, f->body, w.out);
  for (uint32_t k = 0; w.b.error == TL_OK && k < f->n_results; k++)
    tl_reverse_give(&r, &w.b, w.out[k], ct[k]);
  walk_back(&w, &r);
  for (uint32_t k = 0; w.b.error == TL_OK && !transpose && w.ad.options->value && k < f->n_results;
       k++)
    give(&w, w.out[k]);
  give_cts(&w, &r);
  tl_reverse_deinit(&r);
  return end(&w, out);
}

static tl_status vjp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                     const tl_ad_options *options, const char *name, tl_func **out) {
  return back(m, f, wrt, n_wrt, options, name, false, out);
}
static tl_status transposed(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                            const tl_ad_options *options, const char *name, tl_func **out) {
  return back(m, f, wrt, n_wrt, options, name, true, out);
}

tl_status tl_ad_vjp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out) {
  return of_tidied(vjp, m, f, wrt, n_wrt, options, name, out);
}

// Linear in x: its derivative reads no x. So f is differentiated at a parameter, and what is left
// must not read it.
tl_status tl_ad_transpose(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                          const tl_ad_options *options, const char *name, tl_func **out) {
  tl_func *at_x;
  TL_TRY(of_tidied(vjp, m, f, wrt, n_wrt, options, "tl.transpose.check", &at_x));
  uint32_t reads = UINT32_MAX;
  for (const tl_op *op = at_x->body->first; op != NULL; op = op->next) {
    uint32_t n = 0;
    tl_builder b = {.m = m};
    tl_value *free = op->n_regions == 0 ? NULL : tl_free_values(&b, op, &n);
    tl_status_drop(b.error);
    for (uint32_t j = 0; j < n_wrt; j++) {
      tl_value x = at_x->body->args[wrt[j]];
      for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i] == x) reads = wrt[j];
      for (uint32_t i = 0; i < n; i++)
        if (free[i] == x) reads = wrt[j];
    }
  }
  tl_module_drop(m, is_it, at_x);
  if (reads != UINT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " is not linear in argument %u",
                    TL_STR_ARG(f->name), reads);
  return of_tidied(transposed, m, f, wrt, n_wrt, options, name, out);
}

// --- Forward ----------------------------------------------------------------------------------

static tl_status jvp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                     const tl_ad_options *options, const char *name, tl_func **out) {
  work w;
  TL_TRY(begin(&w, m, f, wrt, n_wrt, options, name, 2 * (size_t)f->n_results));
  tl_forward fw = {.ad = &w.ad};
  copy_args(&w, false);
  for (uint32_t i = 0; i < n_wrt && w.b.error == TL_OK; i++) {
    tl_value x = arg_of(&w, i), t = tl_func_arg(&w.b, x->type);
    if (tl_ad_is_inexact(x->type.dtype)) tl_forward_put(&fw, &w.b, x, t);
  }
  tl_value *t_out = tl_room(&w.b, f->n_results);
  if (w.b.error == TL_OK) tl_forward_block(&fw, &w.b, &w.env, f->body, w.out, t_out);
  for (uint32_t k = 0; w.b.error == TL_OK && w.ad.options->value && k < f->n_results; k++)
    give(&w, w.out[k]);
  for (uint32_t k = 0; w.b.error == TL_OK && k < f->n_results; k++)
    give(&w, t_out[k] != NULL ? t_out[k] : tl_ad_zeros(&w.b, w.out[k]->type));
  tl_forward_deinit(&fw);
  return end(&w, out);
}

tl_status tl_ad_jvp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out) {
  return of_tidied(jvp, m, f, wrt, n_wrt, options, name, out);
}

// --- Whole matrices -----------------------------------------------------------------------------

// The body of fn at w's builder.
static void inline_at(work *w, const tl_func *fn, const tl_value *args, tl_value *out) {
  tl_env e = {0};
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    tl_env_put(&w->b, &e, fn->body->args[i], args[i]);
  if (w->b.error == TL_OK) tl_clone_block(&w->b, &e, fn->body, out);
  tl_env_deinit(&e);
}

// Element i of type t is 1 in example i of [n, dims of t].
static tl_value basis(tl_builder *b, tl_type t, int64_t n) {
  if (b->error != TL_OK) return NULL;
  const int64_t dims[2] = {n, n};
  tl_type square = tl_type_of(b->m->arena, TL_DTYPE_S64, dims, 2);
  tl_value rows = tlo_iota(b, square, 0), columns = tlo_iota(b, square, 1);
  tl_value eq = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, rows, columns);
  tl_value eye = tlo_convert(b, eq, t.dtype);
  tl_type shaped = tl_batch_type(b, t, n);
  return tlo_reshape(b, eye, shaped.dims, shaped.rank);
}

static tl_type matrix_type(work *w, tl_type y, tl_type x, int64_t n_y, int64_t n_x) {
  int64_t dims[2 * TL_MAX_RANK];
  uint32_t rank = 0;
  if (w->ad.options->flat) {
    dims[rank++] = n_y;
    dims[rank++] = n_x;
  } else {
    for (uint32_t i = 0; i < y.rank; i++)
      dims[rank++] = y.dims[i];
    for (uint32_t i = 0; i < x.rank; i++)
      dims[rank++] = x.dims[i];
  }
  if (rank > TL_MAX_RANK) {
    tl_builder_fail(&w->b, TL_ERROR(INVALID_ARGUMENT,
                                    "a Jacobian of rank %u is past rank %d; ask "
                                    "for it flat",
                                    rank, TL_MAX_RANK));
    rank = 0;
  }
  return tl_type_of(w->b.m->arena, y.dtype, dims, rank);
}

static int64_t elements(work *w, tl_type t) {
  int64_t n = 0;
  if (!tl_dim_product(w->b.m, t, &n))
    tl_builder_fail(&w->b, TL_ERROR(INVALID_ARGUMENT, "too many elements for a Jacobian"));
  return n;
}

static tl_status check_float(const tl_func *f, const uint32_t *wrt, uint32_t n_wrt) {
  for (uint32_t i = 0; i < n_wrt; i++)
    if (!tl_ad_is_inexact(f->body->args[wrt[i]]->type.dtype))
      return TL_ERROR(INVALID_ARGUMENT, "argument %u is no float: it has no Jacobian", wrt[i]);
  for (uint32_t k = 0; k < f->n_results; k++)
    if (!tl_ad_is_inexact(f->result_types[k].dtype))
      return TL_ERROR(INVALID_ARGUMENT, "result %u is no float: it has no Jacobian", k);
  return TL_OK;
}

// One pass, batched over a basis: forward by argument `x`, or reverse from result `y`. The new
// function takes f's arguments and the basis vectors.
static tl_status batched_pass(work *w, const tl_func *f, uint32_t x, uint32_t y, bool reverse,
                              int64_t n, tl_func **out) {
  tl_ad_options o = {.checkpoints = w->ad.options->checkpoints,
                     .unroll = w->ad.options->unroll,
                     .diags = w->ad.diags};
  tl_func *one = NULL;
  TL_TRY(reverse ? tl_ad_vjp(w->ad.m, f, w->wrt, w->n_wrt, &o, "tl.jacobian.one", &one)
                 : tl_ad_jvp(w->ad.m, f, &x, 1, &o, "tl.jacobian.one", &one));
  const uint32_t n_args = one->body->n_args;
  int64_t *axes = TL_NEW(w->b.m->arena, int64_t, n_args + 1);
  tl_status st = axes == NULL ? TL_OOM() : TL_OK;
  if (st == TL_OK) {
    for (uint32_t i = 0; i < n_args; i++)
      axes[i] = TL_NOT_BATCHED;
    axes[f->body->n_args + (reverse ? y : 0)] = 0;
    tl_vmap_options v = {.in_axes = axes, .size = n, .unroll = o.unroll, .diags = w->ad.diags};
    st = tl_ad_vmap(w->ad.m, one, &v, "tl.jacobian.all", out);
  }
  tl_module_drop(w->ad.m, is_it, one);
  return st;
}

// Of an argument or a result without elements: blocks without elements.
static void empty_pass(work *w, uint32_t i, uint32_t y, bool reverse, tl_value *blocks) {
  const tl_func *f = w->f;
  for (uint32_t k = 0; k < (reverse ? w->n_wrt : f->n_results); k++) {
    const uint32_t at_y = reverse ? y : k, at_x = reverse ? k : i;
    const tl_type ty = f->result_types[at_y], tx = f->body->args[w->wrt[at_x]]->type;
    tl_type t = matrix_type(w, ty, tx, elements(w, ty), elements(w, tx));
    blocks[at_y * w->n_wrt + at_x] = tl_ad_zeros(&w->b, t);
  }
}

static void jacobian_pass(work *w, uint32_t i, uint32_t y, bool reverse, tl_value *blocks) {
  const tl_func *f = w->f;
  tl_builder *b = &w->b;
  if (b->error != TL_OK) return;
  const tl_type along = reverse ? f->result_types[y] : f->body->args[w->wrt[i]]->type;
  const int64_t n = elements(w, along);
  if (n == 0) {
    empty_pass(w, i, y, reverse, blocks);
    return;
  }
  tl_func *pass = NULL;
  tl_status st = batched_pass(w, f, w->wrt[i], y, reverse, n, &pass);
  if (st != TL_OK) {
    tl_builder_fail(b, st);
    return;
  }
  tl_value *args = tl_room(b, pass->body->n_args), *out = tl_room(b, pass->n_results);
  for (uint32_t k = 0; args != NULL && k < pass->body->n_args; k++) {
    if (k < f->body->n_args)
      args[k] = tl_env_get(&w->env, f->body->args[k]);
    else if (reverse && k - f->body->n_args != y)
      args[k] = tl_ad_zeros(b, f->result_types[k - f->body->n_args]);
    else
      args[k] = basis(b, along, n);
  }
  if (args != NULL && out != NULL) inline_at(w, pass, args, out);
  for (uint32_t k = 0; b->error == TL_OK && k < pass->n_results; k++) {
    const uint32_t at_y = reverse ? y : k, at_x = reverse ? k : i;
    const tl_type ty = f->result_types[at_y], tx = f->body->args[w->wrt[at_x]]->type;
    tl_value v = out[k];
    if (!reverse) { // the columns lie in front
      int64_t turned[TL_MAX_RANK];
      for (uint32_t d = 0; d < ty.rank; d++)
        turned[d] = d + 1;
      turned[ty.rank] = 0;
      v = tlo_transpose(b, v, turned);
    }
    tl_type t = matrix_type(w, ty, tx, elements(w, ty), elements(w, tx));
    blocks[at_y * w->n_wrt + at_x] = tlo_reshape(b, v, t.dims, t.rank);
  }
  tl_module_drop(w->ad.m, is_it, pass);
}

static void jacobian_at(work *w, bool reverse, tl_value *blocks) {
  if (reverse)
    for (uint32_t y = 0; y < w->f->n_results; y++)
      jacobian_pass(w, 0, y, true, blocks);
  else
    for (uint32_t i = 0; i < w->n_wrt; i++)
      jacobian_pass(w, i, 0, false, blocks);
}

tl_status tl_ad_jacobian(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                         bool reverse, const tl_ad_options *options, const char *name,
                         tl_func **out) {
  work w;
  TL_TRY(check_wrt(f, wrt, n_wrt));
  TL_TRY(check_float(f, wrt, n_wrt));
  const size_t n = (size_t)n_wrt * f->n_results;
  TL_TRY(begin(&w, m, f, wrt, n_wrt, options, name, n + f->n_results));
  copy_args(&w, false);
  tl_value *blocks = tl_room(&w.b, n), *args = tl_room(&w.b, f->body->n_args);
  for (uint32_t i = 0; args != NULL && i < f->body->n_args; i++)
    args[i] = tl_env_get(&w.env, f->body->args[i]);
  if (w.ad.options->value && args != NULL) inline_at(&w, f, args, w.out);
  if (blocks != NULL) jacobian_at(&w, reverse, blocks);
  for (uint32_t k = 0; w.b.error == TL_OK && w.ad.options->value && k < f->n_results; k++)
    give(&w, w.out[k]);
  for (size_t i = 0; w.b.error == TL_OK && i < n; i++)
    give(&w, blocks[i]);
  return end(&w, out);
}

tl_status tl_ad_hessian(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                        const tl_ad_options *options, const char *name, tl_func **out) {
  tl_ad_options o = options == NULL ? no_options : *options;
  const bool value = o.value;
  o.value = false;
  TL_TRY(check_scalar(f, 0));
  TL_TRY(check_wrt(f, wrt, n_wrt));
  TL_TRY(check_float(f, wrt, n_wrt));
  tl_func *gradient;
  TL_TRY(tl_ad_grad(m, f, wrt, n_wrt, &o, "tl.hessian.gradient", &gradient));
  work w;
  const size_t n = (size_t)n_wrt * n_wrt;
  tl_status st = begin(&w, m, gradient, wrt, n_wrt, &o, name, 1 + n_wrt + n);
  if (st == TL_OK) {
    copy_args(&w, false);
    tl_value *blocks = tl_room(&w.b, n), *args = tl_room(&w.b, f->body->n_args), y = NULL;
    for (uint32_t i = 0; args != NULL && i < f->body->n_args; i++)
      args[i] = tl_env_get(&w.env, gradient->body->args[i]);
    if (value && args != NULL) {
      inline_at(&w, f, args, &y);
      inline_at(&w, gradient, args, w.out);
      give(&w, y);
      for (uint32_t k = 0; w.b.error == TL_OK && k < n_wrt; k++)
        give(&w, w.out[k]);
    }
    if (blocks != NULL) jacobian_at(&w, false, blocks);
    for (size_t i = 0; w.b.error == TL_OK && i < n; i++)
      give(&w, blocks[i]);
    st = end(&w, out);
  }
  tl_module_drop(m, is_it, gradient);
  return st;
}

tl_status tl_ad_hvp(tl_module *m, const tl_func *f, const uint32_t *wrt, uint32_t n_wrt,
                    const tl_ad_options *options, const char *name, tl_func **out) {
  tl_ad_options o = options == NULL ? no_options : *options;
  o.value = false;
  tl_func *gradient;
  TL_TRY(tl_ad_grad(m, f, wrt, n_wrt, &o, "tl.hvp.gradient", &gradient));
  tl_status st = tl_ad_jvp(m, gradient, wrt, n_wrt, &o, name, out);
  tl_module_drop(m, is_it, gradient);
  return st;
}

// --- Batches ----------------------------------------------------------------------------------

static tl_status axis_of(const tl_func *f, const char *what, uint32_t i, uint32_t rank,
                         int64_t axis, int64_t *out) {
  *out = axis < 0 ? axis + rank : axis;
  if (*out >= 0 && *out < (int64_t)rank) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT ": %s %u has rank %u; there is no axis %" PRId64,
                  TL_STR_ARG(f->name), what, i, rank, axis);
}

// x with axis `from` moved to `to`.
static tl_value move_axis(tl_builder *b, tl_value x, int64_t from, int64_t to) {
  if (x == NULL || from == to) return x;
  int64_t order[TL_MAX_RANK];
  int64_t at = 0;
  for (int64_t d = 0; d < (int64_t)x->type.rank; d++) {
    if (d == to) {
      order[d] = from;
      continue;
    }
    if (at == from) at++;
    order[d] = at++;
  }
  return tlo_transpose(b, x, order);
}

// The arguments have one axis more where they are batched; all sizes must be one.
static tl_status batch_args(work *w, tl_batcher *at, const tl_vmap_options *o) {
  const tl_func *f = w->f;
  tl_builder *b = &w->b;
  at->size = o->size;
  bool known = o->size != 0;
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    const tl_type one = f->body->args[i]->type;
    tl_type t = one;
    int64_t axis = o->in_axes[i];
    if (axis != TL_NOT_BATCHED) {
      TL_TRY(axis_of(f, "batched argument", i, one.rank + 1, axis, &axis));
      if (!known) return TL_ERROR(INVALID_ARGUMENT, "vmap: the size of the batch is not given");
      int64_t dims[TL_MAX_RANK + 1];
      if (one.rank >= TL_MAX_RANK)
        return TL_ERROR(INVALID_ARGUMENT, "argument %u: a batch of rank %u is past rank %d", i,
                        one.rank, TL_MAX_RANK);
      for (int64_t d = 0; d <= (int64_t)one.rank; d++)
        dims[d] = d == axis ? at->size : one.dims[d < axis ? d : d - 1];
      t = tl_type_of(b->m->arena, one.dtype, dims, one.rank + 1);
      if (t.dims == NULL) return TL_OOM();
    }
    b->loc = tl_value_loc(f->body->args[i]);
    tl_value arg = tl_func_arg(b, t);
    if (arg == NULL) return TL_OK; // the builder has the error
    tl_func_arg_info(b->fn, arg->index)->name = f->args[i].name;
    if (axis == TL_NOT_BATCHED) {
      tl_func_arg_info(b->fn, arg->index)->sharding = f->args[i].sharding;
      tl_env_put(b, &at->env, f->body->args[i], arg);
    }
  }
  b->loc = f->loc;
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    if (o->in_axes[i] == TL_NOT_BATCHED) continue;
    int64_t axis;
    TL_TRY(
        axis_of(f, "batched argument", i, f->body->args[i]->type.rank + 1, o->in_axes[i], &axis));
    tl_value front = move_axis(b, b->fn->body->args[i], axis, 0);
    tl_env_put(b, &at->env, f->body->args[i], front);
    tl_batcher_mark(at, b, front);
  }
  return TL_OK;
}

tl_status tl_ad_vmap(tl_module *m, const tl_func *f, const tl_vmap_options *o, const char *name,
                     tl_func **out) {
  const tl_ad_options with = {.unroll = o->unroll};
  work w = {.ad = {.m = m, .options = &with, .diags = o->diags, .batching = true},
            .f = f,
            .last = m->last};
  w.b = tl_func_begin(m, name, true);
  if (w.b.fn != NULL) w.b.fn->loc = f->loc;
  w.out = tl_room(&w.b, f->n_results);
  w.given = tl_room(&w.b, f->n_results);
  bool *batched = TL_NEW(m->arena, bool, f->n_results + 1);
  tl_batcher at = {.ad = &w.ad};
  if (batched == NULL) tl_builder_fail(&w.b, TL_OOM());
  if (w.b.error == TL_OK) {
    tl_status st = batch_args(&w, &at, o);
    if (st != TL_OK) tl_builder_fail(&w.b, st);
  }
  if (w.b.error == TL_OK) tl_batch_block(&at, &w.b, f->body, w.out, batched);
  for (uint32_t k = 0; w.b.error == TL_OK && k < f->n_results; k++) {
    int64_t axis = o->out_axes == NULL ? 0 : o->out_axes[k];
    tl_value v = w.out[k];
    if (axis == TL_NOT_BATCHED) {
      if (batched[k])
        tl_builder_fail(&w.b, TL_ERROR(INVALID_ARGUMENT, "result %u depends on the batch", k));
      give(&w, v);
      continue;
    }
    if (!batched[k]) v = tl_batch_repeat(&w.b, v, at.size);
    tl_status st = axis_of(f, "batched result", k, f->result_types[k].rank + 1, axis, &axis);
    if (st != TL_OK) tl_builder_fail(&w.b, st);
    give(&w, move_axis(&w.b, v, 0, axis));
  }
  tl_batcher_deinit(&at);
  return end(&w, out);
}
