// Programs: their life, their text, sizes for names.
#include "program/internal.h"

#include <stdlib.h>

#include "passes/entry.h"
#include "passes/specialise.h"
#include "shlo/shlo.h"

static const char *type_text(tl_module *m, tl_type t, tl_axis_names names) {
  tl_buf text = {0};
  tl_type_to_text(&text, m, t, names);
  const char *copy = text.oom ? NULL : tl_str_copy(m->arena, tl_buf_view(&text)).ptr;
  tl_buf_deinit(&text);
  return copy;
}

// Names for all, NULLs where none were given, and the types as text.
static bool describe(tl_module *m, uint32_t n, const tl_axis_names *given,
                     tl_axis_names **out_names, const char ***out_types) {
  *out_names = TL_NEW(m->arena, tl_axis_names, n + 1);
  *out_types = TL_NEW(m->arena, const char *, n + 1);
  if (*out_names == NULL || *out_types == NULL) return false;
  if (given != NULL && n != 0) memcpy(*out_names, given, n * sizeof *given);
  return true;
}

static tl_status fill(tl_program *p, const tl_axis_names *in_names,
                      const tl_axis_names *out_names) {
  tl_module *m = p->m;
  uint32_t n_in = p->fn->body->n_args, n_out = p->fn->n_results;
  if (!describe(m, n_in, in_names, &p->in_names, &p->in_types) ||
      !describe(m, n_out, out_names, &p->out_names, &p->out_types))
    return TL_OOM();
  for (uint32_t i = 0; i < n_in; i++)
    if (!(p->in_types[i] = type_text(m, p->fn->body->args[i]->type, p->in_names[i])))
      return TL_OOM();
  for (uint32_t i = 0; i < n_out; i++)
    if (!(p->out_types[i] = type_text(m, p->fn->result_types[i], p->out_names[i]))) return TL_OOM();
  tl_diags diags = {0};
  tl_status st = tl_module_verify(m, &diags);
  if (tl_is_said(st, &diags)) {
    tl_status_drop(st);
    st = tl_diags_status(&diags);
  }
  tl_diags_deinit(&diags);
  return st;
}

tl_status tl_program_of_module(tl_module *m, tl_func *fn, tl_str name,
                               const tl_axis_names *in_names, const tl_axis_names *out_names,
                               tl_program **out) {
  tl_program *p = calloc(1, sizeof *p);
  if (p == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
    free(p);
    tl_module_destroy(m);
    return TL_OOM();
  }
  atomic_init(&p->refs, 1);
  p->m = m;
  p->fn = fn;
  p->name = tl_str_copy(m->arena, name);
  m->name = p->name;
  tl_status st = p->name.ptr == NULL ? TL_OOM() : fill(p, in_names, out_names);
  if (st == TL_OK)
    *out = p;
  else
    tl_program_release(p);
  return st;
}

tl_program *tl_program_retain(tl_program *p) {
  atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
  return p;
}

void tl_program_release(tl_program *p) {
  if (p == NULL || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) return;
  tl_compiled_destroy(p->compiled);
  pthread_mutex_destroy(&p->lock);
  tl_module_destroy(p->m);
  free(p);
}

const char *tl_program_name(const tl_program *p) { return p->name.ptr; }
uint32_t tl_program_n_inputs(const tl_program *p) { return p->fn->body->n_args; }
uint32_t tl_program_n_outputs(const tl_program *p) { return p->fn->n_results; }

const char *tl_program_input_type(const tl_program *p, uint32_t i) {
  return i < p->fn->body->n_args ? p->in_types[i] : NULL;
}

const char *tl_program_output_type(const tl_program *p, uint32_t i) {
  return i < p->fn->n_results ? p->out_types[i] : NULL;
}

static size_t size_of(tl_type t) {
  size_t size;
  return tl_type_size(t, &size) ? size : 0;
}

size_t tl_program_input_size(const tl_program *p, uint32_t i) {
  return i < p->fn->body->n_args ? size_of(p->fn->body->args[i]->type) : 0;
}

size_t tl_program_output_size(const tl_program *p, uint32_t i) {
  return i < p->fn->n_results ? size_of(p->fn->result_types[i]) : 0;
}

// ---- text ----

char *tl_program_print(const tl_program *p) {
  tl_buf text = {0};
  tl_status st = tl_shlo_print(p->m, &(tl_shlo_print_options){0}, &text);
  if (st == TL_OK && !text.oom) return text.ptr;
  tl_status_drop(st);
  tl_buf_deinit(&text);
  return NULL;
}

static tl_status entry_of(const tl_module *m, const char *entry, tl_func **out) {
  if (entry != NULL) {
    *out = tl_module_find(m, tl_str_of(entry));
    return *out != NULL ? TL_OK : TL_ERROR(NOT_FOUND, "the module has no function @%s", entry);
  }
  *out = tl_module_find(m, TL_STR("main"));
  for (tl_func *f = m->first; *out == NULL && f != NULL; f = f->next)
    if (!f->is_private) *out = f;
  return *out != NULL ? TL_OK : TL_ERROR(NOT_FOUND, "the module has no public function");
}

tl_status tl_program_read(const char *text, size_t len, const char *entry,
                          tl_program **out_program) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_func *fn = NULL;
  tl_status st = tl_shlo_parse((tl_str){text, len}, "module", &diags, &m);
  if (tl_is_said(st, &diags)) {
    tl_status_drop(st);
    st = tl_diags_status(&diags);
  }
  tl_diags_deinit(&diags);
  if (st == TL_OK) st = entry_of(m, entry, &fn);
  tl_str name = fn == NULL ? (tl_str){0} : fn->name;
  if (st == TL_OK) st = tl_module_make_main(m, fn);
  if (st != TL_OK) {
    tl_module_destroy(m);
    return st;
  }
  return tl_program_of_module(m, fn, name, NULL, NULL, out_program);
}

// ---- sizes for names ----

// Names of axes for a new module: the texts live there.
static tl_status copy_names(tl_module *to, const tl_axis_names *names, const tl_type *types,
                            uint32_t n, tl_axis_names **out) {
  *out = TL_NEW(to->arena, tl_axis_names, n + 1);
  if (*out == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    if (names[i] == NULL) continue;
    const char **copy = TL_NEW(to->arena, const char *, types[i].rank + 1);
    if (copy == NULL) return TL_OOM();
    for (uint32_t k = 0; k < types[i].rank; k++)
      if (names[i][k] != NULL && !(copy[k] = tl_str_copy(to->arena, tl_str_of(names[i][k])).ptr))
        return TL_OOM();
    (*out)[i] = copy;
  }
  return TL_OK;
}

tl_status tl_program_names_copied(const tl_program *p, tl_module *to, tl_axis_names **out_in,
                                  tl_axis_names **out_out) {
  uint32_t n = p->fn->body->n_args;
  tl_type *types = TL_NEW(to->arena, tl_type, n + 1);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    types[i] = p->fn->body->args[i]->type;
  TL_TRY(copy_names(to, p->in_names, types, n, out_in));
  return copy_names(to, p->out_names, p->fn->result_types, p->fn->n_results, out_out);
}

tl_status tl_program_specialise(const tl_program *p, const char *const *names, const int64_t *sizes,
                                uint32_t n, tl_program **out_program) {
  tl_arena *scratch = tl_arena_create();
  tl_binding *bindings = scratch == NULL ? NULL : TL_NEW(scratch, tl_binding, n + 1);
  tl_module *m = NULL;
  tl_diags diags = {0};
  tl_status st = bindings == NULL ? TL_OOM() : TL_OK;
  for (uint32_t i = 0; i < n && st == TL_OK; i++)
    bindings[i] = (tl_binding){tl_str_of(names[i]), sizes[i]};
  if (st == TL_OK) st = tl_module_specialise(p->m, bindings, n, &diags, &m);
  if (tl_is_said(st, &diags)) {
    tl_status_drop(st);
    st = tl_diags_status(&diags);
  }
  tl_diags_deinit(&diags);
  tl_arena_destroy(scratch);
  if (st != TL_OK) return st;
  tl_axis_names *in, *out;
  st = tl_program_names_copied(p, m, &in, &out);
  if (st != TL_OK) {
    tl_module_destroy(m);
    return st;
  }
  return tl_program_of_module(m, tl_module_find(m, p->fn->name), p->name, in, out, out_program);
}
