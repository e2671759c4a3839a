// A trace: its beginning and end, its inputs and constants, its first error.
#include "program/internal.h"

#include <stdio.h>
#include <stdlib.h>

static bool name_is_fine(const char *name) {
  if (name == NULL || *name == '\0') return false;
  for (const char *c = name; *c != '\0'; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
          strchr("_.-$", *c) != NULL))
      return false;
  return true;
}

tl_trace *tl_trace_begin(const char *name) {
  tl_trace *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->m = tl_module_create();
  if (t->m == NULL) {
    free(t);
    return NULL;
  }
  bool fine = name_is_fine(name);
  t->name = tl_str_copy(t->m->arena, tl_str_of(fine ? name : "main"));
  t->top = tl_func_begin(t->m, "main", false);
  if (t->name.ptr == NULL) tl_builder_fail(&t->top, TL_OOM());
  t->b = &t->top;
  if (!tl_settle(t)) return t;
  if (!fine)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "'%s' is no name of a function", name == NULL ? "" : name);
  return t;
}

void tl_trace_abandon(tl_trace *t) {
  if (t == NULL) return;
  tl_status_drop(t->error);
  tl_status_drop(t->top.error);
  tl_called_destroy(t->called);
  tl_module_destroy(t->m);
  free(t);
}

tl_status tl_trace_error(const tl_trace *t) { return t == NULL ? NULL : t->error; }

void tl_fail_oom(tl_trace *t) {
  if (t->error == TL_OK) t->error = TL_OOM();
}

void tl_fail(tl_trace *t, tl_diag_id id, const char *fmt, ...) {
  if (t->error != TL_OK) return;
  tl_buf text = {0};
  va_list args;
  va_start(args, fmt);
  tl_buf_vprintf(&text, fmt, args);
  va_end(args);
  if (text.oom)
    t->error = TL_OOM();
  else
    t->error = tl_diag_error(NULL, id, t->b->loc, "%s", text.ptr);
  tl_buf_deinit(&text);
}

bool tl_settle(tl_trace *t) {
  tl_status st = t->b->error;
  t->b->error = TL_OK;
  if (st == TL_OK) return t->error == TL_OK;
  tl_status_code code = tl_status_get_code(st);
  tl_diag_id id;
  if (t->error != TL_OK || code == TL_STATUS_RESOURCE_EXHAUSTED ||
      tl_diag_of_message(tl_str_of(tl_status_message(st)), &id)) {
    if (t->error == TL_OK)
      t->error = st;
    else
      tl_status_drop(st);
    return false;
  }
  tl_fail(t, code == TL_STATUS_INTERNAL ? TL_DIAG_INTERNAL_ERROR : TL_DIAG_BAD_ARGUMENT, "%s",
          tl_status_message(st));
  tl_status_drop(st);
  return false;
}

// The file's name is copied once for many calls: who traces may be unloaded before the program is.
static const char *own_file(tl_trace *t, const char *file) {
  if (file == NULL || (file == t->file && strcmp(file, t->own_file) == 0))
    return file == NULL ? NULL : t->own_file;
  const char *copy = tl_str_copy(t->m->arena, tl_str_of(file)).ptr;
  if (copy == NULL) return NULL;
  t->file = file;
  return t->own_file = copy;
}

bool tl_trace_ready(tl_here at, tl_trace *t) {
  if (t == NULL || t->error != TL_OK) return false;
  t->b->loc = (tl_loc){.file = own_file(t, at.file), .line = at.line > 0 ? (uint32_t)at.line : 0};
  return true;
}

// Whether the value can be read where the trace is now: in its own block or one around it.
static bool reachable(const tl_trace *t, tl_value v) {
  for (const tl_block *k = t->b->block; k != NULL; k = k->parent == NULL ? NULL : k->parent->block)
    if (k == v->block) return true;
  return false;
}

tl_trace *tl_trace_at(tl_here at, const char *what, const tl_expr *operands, uint32_t n) {
  tl_trace *t = NULL;
  for (uint32_t i = 0; i < n && t == NULL; i++)
    if (operands[i] != NULL) t = operands[i]->t;
  if (!tl_trace_ready(at, t)) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (operands[i] == NULL)
      tl_fail(t, TL_DIAG_NOT_TRACEABLE, "%s: operand %u is no tensor", what, i);
    else if (operands[i]->t != t)
      tl_fail(t, TL_DIAG_NOT_TRACEABLE, "%s: operand %u belongs to another trace", what, i);
    else if (!reachable(t, operands[i]->v))
      tl_fail(t, TL_DIAG_NOT_TRACEABLE,
              "%s: operand %u belongs to a loop, branch or function that does not surround this "
              "call; pass it in or out",
              what, i);
  }
  return t->error == TL_OK ? t : NULL;
}

tl_expr tl_made(tl_trace *t, tl_value v, tl_axis_names names) {
  if (!tl_settle(t)) return NULL;
  struct tl_expr_node *x = TL_NEW(t->m->arena, struct tl_expr_node, 1);
  if (x == NULL) {
    tl_fail_oom(t);
    return NULL;
  }
  *x = (struct tl_expr_node){t, v, names};
  return x;
}

bool tl_axis_of(tl_trace *t, const char *what, tl_expr x, int64_t axis, uint32_t more,
                uint32_t *out) {
  int64_t rank = (int64_t)tl_rank_of(x) + more;
  int64_t from_0 = axis < 0 ? axis + rank : axis;
  if (axis >= rank || from_0 < 0) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: axis %lld of %s", what, (long long)axis, tl_type_text(x));
    return false;
  }
  *out = (uint32_t)from_0;
  return true;
}

const char **tl_names_new(tl_trace *t, uint32_t rank) {
  const char **names = TL_NEW(t->m->arena, const char *, rank + 1);
  if (names == NULL) tl_fail_oom(t);
  return names;
}

tl_axis_names tl_names_pick(tl_trace *t, tl_expr x, const uint32_t *from, uint32_t rank) {
  if (x->names == NULL) return NULL;
  const char **names = tl_names_new(t, rank);
  for (uint32_t i = 0; names != NULL && i < rank; i++)
    names[i] = x->names[from[i]];
  return names;
}

tl_axis_names tl_names_without(tl_trace *t, tl_expr x, const bool *gone) {
  uint32_t from[TL_MAX_RANK], n = 0;
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    if (!gone[i]) from[n++] = i;
  return tl_names_pick(t, x, from, n);
}

// ---- what is known of an expression ----

uint32_t tl_rank(tl_expr x) { return x == NULL ? 0 : tl_rank_of(x); }

int64_t tl_size(tl_expr x, int64_t axis) {
  if (x == NULL) return 0;
  int64_t rank = tl_rank_of(x), i = axis < 0 ? axis + rank : axis;
  return i < 0 || i >= rank ? 0 : TL_MAX(x->v->type.dims[i], (int64_t)-1);
}

const char *tl_type_text(tl_expr x) {
  if (x == NULL) return "";
  tl_buf text = {0};
  tl_type_to_text(&text, x->t->m, x->v->type, x->names);
  const char *copy = text.oom ? NULL : tl_str_copy(x->t->m->arena, tl_buf_view(&text)).ptr;
  tl_buf_deinit(&text);
  return copy == NULL ? "?" : copy;
}

tl_trace *tl_trace_of(tl_expr x) { return x == NULL ? NULL : x->t; }

// ---- inputs and constants ----

bool tl_type_of_format(tl_trace *t, bool symbols, const char *fmt, va_list args, tl_type *out,
                       tl_axis_names *out_names) {
  tl_buf text = {0}, why = {0};
  tl_buf_vprintf(&text, fmt, args);
  tl_diag_id id = TL_DIAG_BAD_ARGUMENT;
  bool good =
      !text.oom && tl_type_of_text(t->m, tl_buf_view(&text), symbols, out, out_names, &id, &why);
  if (text.oom || why.oom)
    tl_fail_oom(t);
  else if (!good)
    tl_fail(t, id, "the type '%s': %s", text.ptr ? text.ptr : "", why.ptr ? why.ptr : "");
  tl_buf_deinit(&text);
  tl_buf_deinit(&why);
  return good && t->error == TL_OK;
}
tl_expr tl_input_at(tl_here at, tl_trace *t, const char *type, ...) {
  if (!tl_trace_ready(at, t)) return NULL;
  tl_type ty;
  tl_axis_names names;
  bool good;
  TL_TYPE_OF_FORMAT(t, true, type, good, &ty, &names);
  if (!good) return NULL;
  if (t->b != &t->top) {
    tl_fail(t, TL_DIAG_NOT_TRACEABLE, "input: inside a loop, branch or function");
    return NULL;
  }
  tl_expr x = tl_made(t, tl_func_arg(t->b, ty), names);
  if (x == NULL) return NULL;
  if ((t->n_inputs & (t->n_inputs - 1)) == 0) { // full at powers of two
    tl_expr *more = TL_NEW(t->m->arena, tl_expr, t->n_inputs ? 2 * t->n_inputs : 1);
    if (more == NULL) {
      tl_fail_oom(t);
      return NULL;
    }
    if (t->n_inputs != 0) memcpy(more, t->inputs, t->n_inputs * sizeof *more);
    t->inputs = more;
  }
  t->inputs[t->n_inputs++] = x;
  return x;
}

tl_expr tl_constant_at(tl_here at, tl_trace *t, const void *data, const char *type, ...) {
  if (!tl_trace_ready(at, t)) return NULL;
  tl_type ty;
  tl_axis_names names;
  bool good;
  TL_TYPE_OF_FORMAT(t, false, type, good, &ty, &names);
  if (!good) return NULL;
  size_t size, count;
  if (!tl_type_size(ty, &size) || !tl_type_count(ty, &count) || (data == NULL && size != 0)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "constant: no data");
    return NULL;
  }
  // A literal is never taken for a splat of one element: two elements and more have their own
  // bytes.
  return tl_made(t, tlo_constant(t->b, ty, data, size), names);
}

tl_expr tl_full_at(tl_here at, tl_trace *t, tl_arg number, const char *type, ...) {
  if (!tl_trace_ready(at, t)) return NULL;
  tl_type ty;
  tl_axis_names names;
  bool good;
  TL_TYPE_OF_FORMAT(t, true, type, good, &ty, &names);
  if (!good) return NULL;
  return tl_made(t, tl_number(t, "full", number, ty), names);
}

tl_expr tl_iota_at(tl_here at, tl_trace *t, int64_t axis, const char *type, ...) {
  if (!tl_trace_ready(at, t)) return NULL;
  tl_type ty;
  tl_axis_names names;
  bool good;
  TL_TYPE_OF_FORMAT(t, true, type, good, &ty, &names);
  if (!good) return NULL;
  if (axis < 0) axis += ty.rank;
  return tl_made(t, tlo_iota(t->b, ty, axis), names);
}

tl_expr tl_full_like_at(tl_here at, tl_expr x, tl_arg number) {
  tl_trace *t = tl_trace_at(at, "full_like", &x, 1);
  if (t == NULL) return NULL;
  return tl_made(t, tl_number(t, "full_like", number, x->v->type), x->names);
}

// ---- the end ----

static tl_status end(tl_trace *t, const tl_expr *outputs, uint32_t n, tl_program **out_program) {
  tl_arena *a = t->m->arena;
  tl_value *values = TL_NEW(a, tl_value, n + 1);
  tl_axis_names *in = TL_NEW(a, tl_axis_names, t->n_inputs + 1),
                *out = TL_NEW(a, tl_axis_names, n + 1);
  if (values == NULL || in == NULL || out == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    if (outputs[i] == NULL || outputs[i]->t != t || outputs[i]->v->block != t->top.block)
      return tl_diag_error(NULL, TL_DIAG_NOT_TRACEABLE, t->top.loc, "output %u of %.*s %s", i,
                           TL_STR_ARG(t->name),
                           outputs[i] == NULL   ? "is no tensor"
                           : outputs[i]->t != t ? "belongs to another trace"
                                                : "belongs to a loop, branch or function");
    values[i] = outputs[i]->v;
    out[i] = outputs[i]->names;
  }
  for (uint32_t i = 0; i < t->n_inputs; i++)
    in[i] = t->inputs[i]->names;
  tlo_return(&t->top, values, n);
  tl_func *fn = t->top.fn;
  tl_str name = t->name;
  TL_TRY(tl_builder_finish(&t->top));
  tl_module *m = t->m;
  t->m = NULL;
  return tl_program_of_module(m, fn, name, in, out, out_program);
}

tl_status tl_trace_end(tl_trace *t, const tl_expr *outputs, uint32_t n, tl_program **out_program) {
  if (t == NULL) return TL_OOM();
  tl_status st = t->error;
  t->error = TL_OK;
  if (st == TL_OK) st = end(t, outputs, n, out_program);
  tl_trace_abandon(t);
  return st;
}
