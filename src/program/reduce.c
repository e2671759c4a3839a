// Reductions, scans and sorts along axes.
#include "program/internal.h"

#include <math.h>

// ---- reductions ----

// One row a reduction: what it folds with, and from which value.
static const struct {
  const char *name;
  tl_opcode op;
  enum { ZERO, ONE, LOWEST, HIGHEST } from;
  enum { NUMBERS, FLOATS, BOOLS } of;
} reductions[] = {
    {"sum", TL_OP_ADD, ZERO, NUMBERS},        {"mean", TL_OP_MEAN, ZERO, FLOATS},
    {"prod", TL_OP_MULTIPLY, ONE, NUMBERS},   {"max", TL_OP_MAXIMUM, LOWEST, NUMBERS},
    {"min", TL_OP_MINIMUM, HIGHEST, NUMBERS}, {"all", TL_OP_AND, ONE, BOOLS},
    {"any", TL_OP_OR, ZERO, BOOLS},
};

// The least value of the type, or the greatest.
static tl_value extreme(tl_builder *b, tl_dtype d, bool lowest) {
  const tl_dtype_info *info = tl_dtype_get(d);
  tl_type t = tl_type_scalar(d);
  switch (info->kind) {
  case TL_KIND_BOOL:
    return tlo_constant_i64(b, t, !lowest);
  case TL_KIND_UINT:
    return tlo_constant_i64(b, t, lowest ? 0 : -1);
  case TL_KIND_INT: {
    int64_t least = INT64_MIN >> (64 - info->bits);
    return tlo_constant_i64(b, t, lowest ? least : ~least);
  }
  default:
    return tlo_constant_f64(b, t, lowest ? -INFINITY : INFINITY);
  }
}

static tl_expr reduce(tl_trace *t, size_t row, tl_expr x, uint32_t n, const int64_t *dims,
                      const bool *gone) {
  const char *what = reductions[row].name;
  tl_dtype d = x->v->type.dtype;
  tl_dtype_kind kind = tl_dtype_get(d)->kind;
  bool order = reductions[row].from == LOWEST || reductions[row].from == HIGHEST;
  if ((reductions[row].of == BOOLS) != (kind == TL_KIND_BOOL) ||
      (reductions[row].of == FLOATS && kind != TL_KIND_FLOAT && kind != TL_KIND_COMPLEX) ||
      (order && kind == TL_KIND_COMPLEX)) {
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: not defined for %s; convert it", what,
            tl_type_text(x));
    return NULL;
  }
  tl_axis_names names = tl_names_without(t, x, gone);
  if (n == 0) return x;
  if (reductions[row].op == TL_OP_MEAN)
    return tl_made(t, tlo_mean(t->b, x->v, dims, n, false), names);
  tl_value from = order ? extreme(t->b, d, reductions[row].from == LOWEST)
                        : tlo_constant_i64(t->b, tl_type_scalar(d), reductions[row].from == ONE);
  return tl_made(t, tlo_reduce(t->b, x->v, from, dims, n, reductions[row].op), names);
}

tl_expr tl_reduce_at(tl_here at, const char *what, tl_expr x, uint32_t n, const int64_t *axes) {
  tl_trace *t = tl_trace_at(at, what, &x, 1);
  if (t == NULL) return NULL;
  size_t row = 0;
  while (row < TL_COUNT(reductions) && strcmp(reductions[row].name, what) != 0)
    row++;
  if (row == TL_COUNT(reductions)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "'%s' is no reduction", what);
    return NULL;
  }
  bool gone[TL_MAX_RANK] = {0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t where;
    if (!tl_axis_of(t, what, x, axes[i], 0, &where)) return NULL;
    if (gone[where]) {
      tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: axis %u is there twice", what, where);
      return NULL;
    }
    gone[where] = true;
  }
  int64_t dims[TL_MAX_RANK];
  uint32_t k = 0;
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    if (gone[i]) dims[k++] = i;
  return reduce(t, row, x, k, dims, gone);
}

tl_expr tl_reduce_all_at(tl_here at, const char *what, tl_expr x) {
  int64_t axes[TL_MAX_RANK];
  for (uint32_t i = 0; i < TL_MAX_RANK; i++)
    axes[i] = i;
  return tl_reduce_at(at, what, x, tl_rank(x), axes);
}

// ---- along one axis ----

// Folds of what stands before each place and there: a window as wide as the axis, padded in front.
static tl_expr cumulative(tl_trace *t, tl_expr x, uint32_t axis, tl_opcode code, tl_value from) {
  tl_builder *b = t->b;
  uint32_t rank = tl_rank_of(x);
  int64_t window[TL_MAX_RANK], padding[2 * TL_MAX_RANK] = {0}, size = x->v->type.dims[axis];
  if (size < 0) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "cumulative: the size of axis %u of %s has a name", axis,
            tl_type_text(x));
    return NULL;
  }
  if (size == 0) return x;
  for (uint32_t i = 0; i < rank; i++)
    window[i] = i == axis ? size : 1;
  padding[2 * axis] = size - 1;
  tl_op *op = tl_op_begin(b, TL_OP_REDUCE_WINDOW, (tl_value[]){x->v, from}, 2);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_dimensions, window, rank);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_padding, padding, 2 * (size_t)rank);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_type scalar = tl_type_scalar(x->v->type.dtype);
  tl_value u = tl_block_arg(&in, block, scalar), v = tl_block_arg(&in, block, scalar),
           r = tlo_binary(&in, code, u, v);
  tlo_return(&in, &r, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], x->names);
}

// For the total order of floats: every NaN the same, above all numbers, and one zero.
static tl_value in_order(tl_builder *b, tl_value x) {
  if (x == NULL || tl_dtype_get(x->type.dtype)->kind != TL_KIND_FLOAT) return x;
  tl_value zero = tlo_constant_f64(b, x->type, 0), nan = tlo_constant_f64(b, x->type, NAN);
  tl_value is_zero = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x, zero);
  tl_value is_nan = tlo_compare(b, TL_COMPARISON_DIRECTION_NE, x, x);
  x = tlo_select(b, is_zero, zero, x);
  return tlo_select(b, is_nan, nan, x);
}

// Ascending and stable, NaN last.
static tl_expr sorted(tl_trace *t, tl_expr x, uint32_t axis, bool places) {
  tl_builder *b = t->b;
  tl_type t32 = x->v->type;
  t32.dtype = TL_DTYPE_S32;
  tl_value operands[2] = {x->v, places ? tlo_iota(b, t32, axis) : NULL};
  tl_op *op = tl_op_begin(b, TL_OP_SORT, operands, places ? 2 : 1);
  tl_op_set_i64(op, TL_A_SORT_dimension, axis);
  tl_op_set_i64(op, TL_A_SORT_is_stable, true);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_dtype d = x->v->type.dtype;
  tl_value u = tl_block_arg(&in, block, tl_type_scalar(d)),
           v = tl_block_arg(&in, block, tl_type_scalar(d));
  for (int i = 0; i < (places ? 2 : 0); i++)
    tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S32));
  u = in_order(&in, u);
  v = in_order(&in, v);
  tl_op *less = tl_op_begin(&in, TL_OP_COMPARE, (tl_value[]){u, v}, 2);
  tl_dtype_kind kind = tl_dtype_get(d)->kind;
  tl_op_set_i64(less, TL_A_COMPARE_comparison_direction, TL_COMPARISON_DIRECTION_LT);
  tl_op_set_i64(less, TL_A_COMPARE_compare_type,
                kind == TL_KIND_FLOAT ? TL_COMPARISON_TYPE_TOTALORDER
                : kind == TL_KIND_INT ? TL_COMPARISON_TYPE_SIGNED
                                      : TL_COMPARISON_TYPE_UNSIGNED);
  less = tl_op_finish(&in, less, NULL, 0);
  tlo_return(&in, less == NULL ? &u : less->results, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[places ? 1 : 0], x->names);
}

static bool wants(tl_trace *t, const char *what, tl_expr x, bool fits) {
  if (!fits)
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: not defined for %s; convert it", what,
            tl_type_text(x));
  return fits;
}

tl_expr tl_along_at(tl_here at, const char *what, tl_expr x, int64_t axis) {
  tl_trace *t = tl_trace_at(at, what, &x, 1);
  uint32_t i;
  if (t == NULL || !tl_axis_of(t, what, x, axis, 0, &i)) return NULL;
  tl_dtype d = x->v->type.dtype;
  tl_dtype_kind kind = tl_dtype_get(d)->kind;
  bool is_float = kind == TL_KIND_FLOAT, is_complex = kind == TL_KIND_COMPLEX;
  bool gone[TL_MAX_RANK] = {0};
  gone[i] = true;
  tl_type scalar = tl_type_scalar(d);
  if (strcmp(what, "argmax") == 0)
    return wants(t, what, x, !is_complex)
               ? tl_made(t, tlo_argmax(t->b, x->v, i), tl_names_without(t, x, gone))
               : NULL;
  if (strcmp(what, "cumsum") == 0)
    return cumulative(t, x, i, TL_OP_ADD, tlo_constant_i64(t->b, scalar, 0));
  if (strcmp(what, "cumprod") == 0)
    return cumulative(t, x, i, TL_OP_MULTIPLY, tlo_constant_i64(t->b, scalar, 1));
  if (strcmp(what, "cummax") == 0)
    return wants(t, what, x, !is_complex)
               ? cumulative(t, x, i, TL_OP_MAXIMUM, extreme(t->b, d, true))
               : NULL;
  if (strcmp(what, "sort") == 0 || strcmp(what, "argsort") == 0)
    return wants(t, what, x, !is_complex) ? sorted(t, x, i, what[0] == 'a') : NULL;
  if (!wants(t, what, x, is_float)) return NULL;
  if (strcmp(what, "softmax") == 0) return tl_made(t, tlo_softmax(t->b, x->v, i), x->names);
  if (strcmp(what, "log_softmax") == 0) return tl_made(t, tlo_log_softmax(t->b, x->v, i), x->names);
  if (strcmp(what, "logsumexp") == 0)
    return tl_made(t, tlo_logsumexp(t->b, x->v, i), tl_names_without(t, x, gone));
  tl_fail(t, TL_DIAG_BAD_ARGUMENT, "'%s' is nothing done along an axis", what);
  return NULL;
}

tl_expr tl_top_k_at(tl_here at, tl_expr x, int64_t k, tl_expr *out_places) {
  tl_trace *t = tl_trace_at(at, "top_k", &x, 1);
  if (out_places != NULL) *out_places = NULL;
  if (t == NULL) return NULL;
  tl_value places, values = tlo_top_k(t->b, x->v, k, &places);
  tl_expr largest = tl_made(t, values, x->names);
  if (largest != NULL && out_places != NULL) *out_places = tl_made(t, places, x->names);
  return largest;
}
