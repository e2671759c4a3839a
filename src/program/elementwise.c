// Elementwise calls, and how tensors of several shapes meet in one: NumPy's alignment, no
// promotion, axis names that must agree.
#include "program/internal.h"

#include <math.h>

tl_value tl_number(tl_trace *t, const char *what, tl_arg number, tl_type type) {
  tl_dtype_kind kind = tl_dtype_get(type.dtype)->kind;
  if (number.kind == TL_ARG_FLOAT && kind != TL_KIND_FLOAT && kind != TL_KIND_COMPLEX) {
    tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: the number %g where elements are %s", what, number.f,
            tl_dtype_get(type.dtype)->mlir);
    return NULL;
  }
  tl_type scalar = tl_type_scalar(type.dtype);
  tl_value v = number.kind == TL_ARG_FLOAT ? tlo_constant_f64(t->b, scalar, number.f)
                                           : tlo_constant_i64(t->b, scalar, number.i);
  return tl_widen(t, v, type);
}

tl_value tl_widen(tl_trace *t, tl_value v, tl_type to) {
  if (v == NULL) return NULL;
  to.dtype = v->type.dtype;
  if (tl_type_eq(v->type, to)) return v;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < v->type.rank; i++)
    dims[i] = to.rank - v->type.rank + i;
  return tlo_broadcast(t->b, v, to, dims);
}

// "f32[3] and f32[4]" of the expressions among the operands.
static const char *list_types(tl_trace *t, uint32_t n, const tl_arg *operands) {
  tl_buf text = {0};
  for (uint32_t i = 0; i < n; i++) {
    if (operands[i].x == NULL) continue;
    if (text.len != 0) tl_buf_cstr(&text, " and ");
    tl_type_to_text(&text, t->m, operands[i].x->v->type, operands[i].x->names);
  }
  const char *copy = text.oom ? NULL : tl_str_copy(t->m->arena, tl_buf_view(&text)).ptr;
  tl_buf_deinit(&text);
  return copy == NULL ? "?" : copy;
}

// One axis, counted from the end, of all operands together.
static bool meet(tl_trace *t, const char *what, uint32_t n, const tl_arg *operands, uint32_t back,
                 int64_t *out_dim, const char **out_name) {
  *out_dim = 1;
  *out_name = NULL;
  for (uint32_t i = 0; i < n; i++) {
    tl_expr x = operands[i].x;
    if (x == NULL || back >= tl_rank_of(x)) continue;
    uint32_t at = tl_rank_of(x) - 1 - back;
    int64_t d = x->v->type.dims[at];
    const char *name = tl_name_of(x, at);
    if (name != NULL && *out_name != NULL && strcmp(name, *out_name) != 0) {
      tl_fail(t, TL_DIAG_AXIS_MISMATCH, "%s: the axis `%s` meets `%s`: %s", what, *out_name, name,
              list_types(t, n, operands));
      return false;
    }
    if (name != NULL) *out_name = name;
    if (*out_dim == 1)
      *out_dim = d;
    else if (d != 1 && d != *out_dim) {
      tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: the shapes do not go together: %s", what,
              list_types(t, n, operands));
      return false;
    }
  }
  return true;
}

static bool dtypes_agree(tl_trace *t, const char *what, uint32_t n, const tl_arg *operands,
                         uint32_t skip, tl_dtype *out) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    if (operands[i].x == NULL || i == skip) continue;
    tl_dtype d = operands[i].x->v->type.dtype;
    if (any && d != *out) {
      tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: %s have different element types; convert one of them",
              what, list_types(t, n, operands));
      return false;
    }
    *out = d;
    any = true;
  }
  if (!any) tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: nothing here but numbers", what);
  return any;
}

bool tl_unify(tl_trace *t, const char *what, uint32_t n, const tl_arg *operands, uint32_t skip,
              tl_value *values, tl_axis_names *out_names) {
  tl_type type = {0};
  int64_t dims[TL_MAX_RANK];
  const char *names[TL_MAX_RANK];
  bool any = false;
  if (!dtypes_agree(t, what, n, operands, skip, &type.dtype)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (operands[i].x != NULL) type.rank = TL_MAX(type.rank, tl_rank_of(operands[i].x));
  for (uint32_t back = 0; back < type.rank; back++) {
    uint32_t at = type.rank - 1 - back;
    if (!meet(t, what, n, operands, back, &dims[at], &names[at])) return false;
    for (uint32_t i = at + 1; names[at] != NULL && i < type.rank; i++)
      if (names[i] != NULL && strcmp(names[i], names[at]) == 0) {
        tl_fail(t, TL_DIAG_AXIS_MISMATCH, "%s: `%s` is not the same axis in %s", what, names[at],
                list_types(t, n, operands));
        return false;
      }
    any |= names[at] != NULL;
  }
  type.dims = dims;
  for (uint32_t i = 0; i < n; i++)
    values[i] = operands[i].x == NULL ? tl_number(t, what, operands[i], type)
                                      : tl_widen(t, operands[i].x->v, type);
  *out_names = NULL;
  if (any) {
    const char **copy = tl_names_new(t, type.rank);
    if (copy != NULL) memcpy(copy, names, type.rank * sizeof *names);
    *out_names = copy;
  }
  return tl_settle(t);
}

// The operands that are expressions, looked over.
static tl_trace *begin(tl_here at, const char *what, uint32_t n, const tl_arg *operands) {
  tl_expr xs[3];
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++)
    if (operands[i].kind == TL_ARG_EXPR) xs[m++] = operands[i].x;
  return tl_trace_at(at, what, xs, m);
}

tl_expr tl_map_at(tl_here at, const char *op, uint32_t n, const tl_arg *operands) {
  if (n == 0 || n > 3) return NULL;
  tl_trace *t = begin(at, op, n, operands);
  tl_opcode code;
  if (t == NULL) return NULL;
  if (!tl_op_of_mnemonic(tl_str_of(op), false, &code) &&
      !tl_op_of_mnemonic(tl_str_of(op), true, &code)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "'%s' is no op", op);
    return NULL;
  }
  const tl_op_info *info = tl_op_get(code);
  if (!(info->traits & TL_ELEMWISE) || info->n_attrs != 0 || info->n_in != (int)n) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: is no elementwise op of %u operand%s", op, n,
            n == 1 ? "" : "s");
    return NULL;
  }
  tl_value values[3];
  tl_axis_names names;
  if (!tl_unify(t, op, n, operands, n, values, &names)) return NULL;
  tl_dtype_kind kind = tl_dtype_get(values[0]->type.dtype)->kind;
  bool floats = (info->traits & TL_FLOAT_ONLY) != 0, inexact = (info->traits & TL_INEXACT) != 0;
  if ((floats && kind != TL_KIND_FLOAT) ||
      (inexact && kind != TL_KIND_FLOAT && kind != TL_KIND_COMPLEX)) {
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: not defined for %s; convert it", op,
            tl_dtype_get(values[0]->type.dtype)->mlir);
    return NULL;
  }
  tl_op *made = tl_op_finish(t->b, tl_op_begin(t->b, code, values, n), NULL, 0);
  return tl_made(t, made == NULL ? NULL : made->results[0], names);
}

tl_expr tl_compare_at(tl_here at, const char *direction, tl_arg x, tl_arg y) {
  tl_arg operands[2] = {x, y};
  tl_trace *t = begin(at, "compare", 2, operands);
  int64_t dir;
  tl_value v[2];
  tl_axis_names names;
  if (t == NULL) return NULL;
  if (!tl_enum_of_name(TL_AK_COMPARISON_DIRECTION, tl_str_of(direction), &dir)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "compare: '%s' is no direction", direction);
    return NULL;
  }
  if (!tl_unify(t, "compare", 2, operands, 2, v, &names)) return NULL;
  return tl_made(t, tlo_compare(t->b, (tl_comparison_direction)dir, v[0], v[1]), names);
}

static bool is_bool(tl_trace *t, const char *what, tl_expr p) {
  if (p->v->type.dtype == TL_DTYPE_I1) return true;
  tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: wants truth values (i1), got %s", what, tl_type_text(p));
  return false;
}

tl_expr tl_where_at(tl_here at, tl_expr p, tl_arg x, tl_arg y) {
  tl_arg operands[3] = {tl_arg_of_expr(p), x, y};
  tl_trace *t = begin(at, "where", 3, operands);
  tl_value v[3];
  tl_axis_names names;
  if (t == NULL || !is_bool(t, "where", p) || !tl_unify(t, "where", 3, operands, 0, v, &names))
    return NULL;
  return tl_made(t, tlo_select(t->b, v[0], v[1], v[2]), names);
}

tl_expr tl_clamp_at(tl_here at, tl_arg low, tl_expr x, tl_arg high) {
  tl_arg operands[3] = {low, tl_arg_of_expr(x), high};
  tl_trace *t = begin(at, "clamp", 3, operands);
  tl_value v[3];
  tl_axis_names names;
  if (t == NULL || !tl_unify(t, "clamp", 3, operands, 3, v, &names)) return NULL;
  tl_op *op = tl_op_finish(t->b, tl_op_begin(t->b, TL_OP_CLAMP, v, 3), NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], names);
}

tl_expr tl_square_at(tl_here at, tl_expr x) {
  tl_trace *t = tl_trace_at(at, "square", &x, 1);
  return t == NULL ? NULL : tl_made(t, tlo_mul(t->b, x->v, x->v), x->names);
}

tl_expr tl_convert_at(tl_here at, tl_expr x, const char *dtype) {
  tl_trace *t = tl_trace_at(at, "convert", &x, 1);
  tl_dtype d;
  if (t == NULL) return NULL;
  if (!tl_dtype_of_text(tl_str_of(dtype), &d)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "convert: '%s' is no element type", dtype);
    return NULL;
  }
  return tl_made(t, tlo_convert(t->b, x->v, d), x->names);
}
