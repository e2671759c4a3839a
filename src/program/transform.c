// Programs of programs: the derivatives and the batching of src/ad, each over a copy of the module.
//
// The copy's @main takes another name, the transform appends a new @main, and what that does not
// reach is dropped. Names of axes go along: a gradient has those of its input, a Jacobian those of
// the result and then those of the input, a batched tensor the batch's among its own.
#include "program/internal.h"

#include <stdio.h>

#include "ad/ad.h"
#include "passes/copy.h"
#include "passes/entry.h"

// One transform at work.
typedef struct work {
  tl_here at;
  const tl_program *p;
  tl_module *m; // the copy
  tl_func *f;   // what was @main
  tl_diags diags;
} work;

static tl_loc place(tl_here at) {
  return (tl_loc){.file = at.file, .line = at.line > 0 ? (uint32_t)at.line : 0};
}

static tl_status work_begin(work *w, tl_here at, const tl_program *p) {
  *w = (work){.at = at, .p = p};
  TL_TRY(tl_module_copy(p->m, &(tl_copy_options){0}, &w->m));
  w->f = tl_module_find(w->m, TL_STR("main"));
  char name[32];
  unsigned i = 0;
  do
    snprintf(name, sizeof name, "main.%u", i++);
  while (tl_module_find(w->m, tl_str_of(name)) != NULL);
  return tl_module_rename(w->m, w->f, tl_str_of(name));
}

tl_status tl_program_placed(const tl_program *p, tl_here at, tl_status st) {
  tl_diag_id id;
  if (st == TL_OK || tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED ||
      tl_diag_of_message(tl_str_of(tl_status_message(st)), &id))
    return st;
  id = tl_status_get_code(st) == TL_STATUS_INTERNAL        ? TL_DIAG_INTERNAL_ERROR
       : tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED ? TL_DIAG_NOT_DIFFERENTIABLE
                                                           : TL_DIAG_BAD_ARGUMENT;
  tl_status said = tl_diag_error(NULL, id, place(at), "%s: %s", p->name.ptr, tl_status_message(st));
  tl_status_drop(st);
  return said;
}

// Ends it: `made` becomes the program. Names [args of made] and [results of made] lie in w->m.
static tl_status work_end(work *w, tl_status st, tl_func *made, tl_axis_names *in,
                          tl_axis_names *out, tl_program **out_program) {
  tl_module *m = w->m;
  st = tl_program_placed(w->p, w->at, st);
  if (st == TL_OK) st = tl_module_make_main(m, made);
  tl_diags_deinit(&w->diags);
  if (st == TL_OK) return tl_program_of_module(m, made, w->p->name, in, out, out_program);
  tl_module_destroy(m);
  return st;
}

// ---- names of axes ----

// Of the arguments and results of a function with that many, none yet.
static tl_status names_new(work *w, const tl_func *made, tl_axis_names **in, tl_axis_names **out) {
  *in = TL_NEW(w->m->arena, tl_axis_names, made->body->n_args + 1);
  *out = TL_NEW(w->m->arena, tl_axis_names, made->n_results + 1);
  return *in == NULL || *out == NULL ? TL_OOM() : TL_OK;
}

static bool clash(tl_axis_names names, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    for (uint32_t k = 0; k < i; k++)
      if (names[i] != NULL && names[k] != NULL && strcmp(names[i], names[k]) == 0) return true;
  return false;
}

// Those of y, then those of x; none where they would clash.
static tl_axis_names joined(work *w, tl_axis_names y, uint32_t ry, tl_axis_names x, uint32_t rx) {
  const char **both = TL_NEW(w->m->arena, const char *, ry + rx + 1);
  if (both == NULL || (y == NULL && x == NULL)) return NULL;
  for (uint32_t i = 0; y != NULL && i < ry; i++)
    both[i] = y[i];
  for (uint32_t i = 0; x != NULL && i < rx; i++)
    both[ry + i] = x[i];
  return clash(both, ry + rx) ? NULL : both;
}

// ---- derivatives ----

typedef enum { GRAD, JVP, VJP, TRANSPOSE, JACOBIAN, JACOBIAN_REVERSE, HESSIAN, HVP } kind;

static tl_status derive(work *w, kind k, const uint32_t *wrt, uint32_t n, const tl_ad_options *o,
                        tl_func **made) {
  switch (k) {
  case GRAD:
    return tl_ad_grad(w->m, w->f, wrt, n, o, "main", made);
  case JVP:
    return tl_ad_jvp(w->m, w->f, wrt, n, o, "main", made);
  case VJP:
    return tl_ad_vjp(w->m, w->f, wrt, n, o, "main", made);
  case TRANSPOSE:
    return tl_ad_transpose(w->m, w->f, wrt, n, o, "main", made);
  case JACOBIAN:
  case JACOBIAN_REVERSE:
    return tl_ad_jacobian(w->m, w->f, wrt, n, k == JACOBIAN_REVERSE, o, "main", made);
  case HESSIAN:
    return tl_ad_hessian(w->m, w->f, wrt, n, o, "main", made);
  case HVP:
    return tl_ad_hvp(w->m, w->f, wrt, n, o, "main", made);
  }
  return TL_ERROR(INTERNAL, "no such transform");
}

// The names of a derivative's arguments and results; in0 and out0 are those of f.
static void name_derivative(work *w, kind k, const uint32_t *wrt, uint32_t n_wrt,
                            const tl_ad_options *o, const tl_axis_names *in0,
                            const tl_axis_names *out0, tl_axis_names *in, tl_axis_names *out,
                            const tl_func *made) {
  uint32_t n = w->f->body->n_args, r = w->f->n_results, a = 0, y = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool gone = false;
    for (uint32_t j = 0; k == TRANSPOSE && j < n_wrt; j++)
      gone |= wrt[j] == i;
    if (!gone) in[a++] = in0[i];
  }
  for (uint32_t i = 0; (k == VJP || k == TRANSPOSE) && i < r; i++)
    in[a++] = out0[i];
  for (uint32_t j = 0; (k == JVP || k == HVP) && j < n_wrt; j++)
    in[a++] = in0[wrt[j]];
  if (o->value && (k == GRAD || k == JVP || k == VJP))
    for (uint32_t i = 0; i < r; i++)
      out[y++] = out0[i];
  if (o->value && k == HESSIAN) y++;
  switch (k) {
  case JVP:
    for (uint32_t i = 0; i < r; i++)
      out[y++] = out0[i];
    break;
  case JACOBIAN:
  case JACOBIAN_REVERSE:
    for (uint32_t i = 0; i < r && !o->flat; i++)
      for (uint32_t j = 0; j < n_wrt; j++)
        if (y < made->n_results)
          out[y++] = joined(w, out0[i], w->f->result_types[i].rank, in0[wrt[j]],
                            w->f->body->args[wrt[j]]->type.rank);
    break;
  case HESSIAN:
    if (o->value)
      for (uint32_t j = 0; j < n_wrt; j++)
        out[y++] = in0[wrt[j]];
    break;
  default:
    for (uint32_t j = 0; j < n_wrt; j++)
      out[y++] = in0[wrt[j]];
    break;
  }
}

static tl_status transform(tl_here at, const tl_program *p, kind k,
                           const tl_derive_options *options, bool value, tl_program **out) {
  static const tl_derive_options defaults;
  static const uint32_t first[1];
  if (options == NULL) options = &defaults;
  const uint32_t *wrt = options->n_wrt != 0 ? options->wrt : first;
  uint32_t n_wrt = options->n_wrt != 0 ? options->n_wrt : 1;
  if (p->fn->body->n_args == 0)
    return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, place(at),
                         "%s: has no input to differentiate by", p->name.ptr);
  work w;
  tl_func *made = NULL;
  tl_axis_names *in0, *out0, *in = NULL, *names = NULL;
  tl_status st = work_begin(&w, at, p);
  tl_ad_options o = {.value = value || options->value,
                     .n_aux = options->n_aux,
                     .checkpoints = options->checkpoints,
                     .flat = options->flat,
                     .diags = &w.diags};
  if (st == TL_OK) st = derive(&w, k, wrt, n_wrt, &o, &made);
  if (st == TL_OK) st = names_new(&w, made, &in, &names);
  if (st == TL_OK) st = tl_program_names_copied(p, w.m, &in0, &out0);
  if (st == TL_OK) name_derivative(&w, k, wrt, n_wrt, &o, in0, out0, in, names, made);
  return work_end(&w, st, made, in, names, out);
}

tl_status tl_program_grad_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                             tl_program **out_program) {
  return transform(at, p, GRAD, options, false, out_program);
}

tl_status tl_program_value_and_grad_at(tl_here at, const tl_program *p,
                                       const tl_derive_options *options, tl_program **out_program) {
  return transform(at, p, GRAD, options, true, out_program);
}

tl_status tl_program_jvp_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                            tl_program **out_program) {
  return transform(at, p, JVP, options, false, out_program);
}

tl_status tl_program_vjp_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                            tl_program **out_program) {
  return transform(at, p, VJP, options, false, out_program);
}

tl_status tl_program_transpose_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                                  tl_program **out_program) {
  return transform(at, p, TRANSPOSE, options, false, out_program);
}

tl_status tl_program_jacobian_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                                 tl_program **out_program) {
  return transform(at, p, JACOBIAN, options, false, out_program);
}

tl_status tl_program_jacobian_reverse_at(tl_here at, const tl_program *p,
                                         const tl_derive_options *options,
                                         tl_program **out_program) {
  return transform(at, p, JACOBIAN_REVERSE, options, false, out_program);
}

tl_status tl_program_hessian_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                                tl_program **out_program) {
  return transform(at, p, HESSIAN, options, false, out_program);
}

tl_status tl_program_hvp_at(tl_here at, const tl_program *p, const tl_derive_options *options,
                            tl_program **out_program) {
  return transform(at, p, HVP, options, false, out_program);
}

// ---- batching ----

// The name may not be one of an axis that is there already: of one tensor or of another, since both
// may meet inside.
static tl_status name_is_free(const work *w, const char *name) {
  const tl_program *p = w->p;
  for (uint32_t side = 0; name != NULL && side < 2; side++) {
    uint32_t n = side == 0 ? p->fn->body->n_args : p->fn->n_results;
    for (uint32_t i = 0; i < n; i++) {
      tl_axis_names names = side == 0 ? p->in_names[i] : p->out_names[i];
      uint32_t rank = side == 0 ? p->fn->body->args[i]->type.rank : p->fn->result_types[i].rank;
      for (uint32_t k = 0; names != NULL && k < rank; k++)
        if (names[k] != NULL && strcmp(names[k], name) == 0)
          return tl_diag_error(NULL, TL_DIAG_AXIS_CLASH, place(w->at),
                               "vmap: %s %u of %s, %s, has an axis `%s` already",
                               side == 0 ? "input" : "output", i, p->name.ptr,
                               side == 0 ? p->in_types[i] : p->out_types[i], name);
    }
  }
  return TL_OK;
}

// The names of one example with the batch's among them; `rank` is of one example.
static tl_axis_names batched(work *w, tl_axis_names one, uint32_t rank, int64_t axis,
                             const char *name) {
  if (axis == TL_NOT_BATCHED || (one == NULL && name == NULL)) return one;
  const char **names = TL_NEW(w->m->arena, const char *, rank + 2);
  if (names == NULL) return NULL;
  uint32_t at = (uint32_t)(axis < 0 ? axis + (int64_t)rank + 1 : axis);
  for (uint32_t i = 0, k = 0; i < rank + 1; i++)
    names[i] = i == at ? name : one == NULL ? NULL : one[k++];
  return names;
}

static tl_status vmap(work *w, const tl_batch_options *options, tl_func **made, tl_axis_names **in,
                      tl_axis_names **out) {
  tl_arena *a = w->m->arena;
  uint32_t n = w->f->body->n_args, r = w->f->n_results;
  int64_t *axes = TL_NEW(a, int64_t, n + r + 1), size = options->size;
  if (axes == NULL) return TL_OOM();
  TL_TRY(name_is_free(w, options->axis_name));
  if (options->size_name != NULL) {
    if (!tl_dim_symbol(w->m, tl_str_of(options->size_name), -1, &size))
      return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, place(w->at),
                           "vmap: '%s' is no name of a size", options->size_name);
  } else if (size < 1) {
    return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, place(w->at),
                         "vmap: a batch of %lld; wants a size of at least 1", (long long)size);
  }
  if (options->in_axes != NULL && n != 0) memcpy(axes, options->in_axes, n * sizeof *axes);
  if (options->out_axes != NULL && r != 0) memcpy(axes + n, options->out_axes, r * sizeof *axes);
  tl_vmap_options o = {.in_axes = axes,
                       .out_axes = options->out_axes != NULL ? axes + n : NULL,
                       .size = size,
                       .axis_name = options->axis_name,
                       .diags = &w->diags};
  TL_TRY(tl_ad_vmap(w->m, w->f, &o, "main", made));
  tl_axis_names *in0, *out0;
  TL_TRY(tl_program_names_copied(w->p, w->m, &in0, &out0));
  TL_TRY(names_new(w, *made, in, out));
  const char *name = options->axis_name;
  if (name != NULL && (name = tl_str_copy(a, tl_str_of(name)).ptr) == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    (*in)[i] = batched(w, in0[i], w->f->body->args[i]->type.rank, axes[i], name);
  for (uint32_t i = 0; i < r; i++)
    (*out)[i] = batched(w, out0[i], w->f->result_types[i].rank, axes[n + i], name);
  return TL_OK;
}

tl_status tl_program_vmap_at(tl_here at, const tl_program *p, const tl_batch_options *options,
                             tl_program **out_program) {
  static const tl_batch_options defaults;
  work w;
  tl_func *made = NULL;
  tl_axis_names *in = NULL, *out = NULL;
  tl_status st = work_begin(&w, at, p);
  if (st == TL_OK) st = vmap(&w, options == NULL ? &defaults : options, &made, &in, &out);
  return work_end(&w, st, made, in, out, out_program);
}
