// Calls that move elements and compute none.
#include "program/internal.h"

// ---- one tensor, another shape ----

static tl_expr reshaped(tl_trace *t, tl_expr x, uint32_t rank, const int64_t *dims,
                        tl_axis_names names) {
  return tl_made(t, tlo_reshape(t->b, x->v, dims, rank), names);
}

// What -1 among the dims stands for. False with an error.
static bool infer_dim(tl_trace *t, tl_expr x, uint32_t rank, const int64_t *dims, int64_t *out) {
  uint32_t at = rank;
  int64_t rest = 1;
  bool fine = true;
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = dims[i];
    if (dims[i] == -1 && at == rank)
      at = i;
    else
      fine &= dims[i] >= 0 && tl_dim_mul(t->m, rest, dims[i], &rest);
  }
  int64_t all;
  if (fine && tl_dim_product(t->m, x->v->type, &all)) {
    if (at == rank && all == rest) return true;
    if (at < rank && rest > 0 && (all < 0 || all % rest == 0) &&
        tl_dim_divide(t->m, all, rest, &out[at]))
      return true;
  }
  tl_buf text = {0};
  for (uint32_t i = 0; i < rank; i++)
    tl_buf_printf(&text, "%s%lld", i == 0 ? "" : ", ", (long long)dims[i]);
  tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "reshape: %s does not become [%s]", tl_type_text(x),
          text.ptr ? text.ptr : "");
  tl_buf_deinit(&text);
  return false;
}

static bool rank_is_fine(tl_trace *t, const char *what, uint32_t rank) {
  if (rank > TL_MAX_RANK) tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: %u axes are too many", what, rank);
  return rank <= TL_MAX_RANK;
}

tl_expr tl_reshape_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *dims) {
  tl_trace *t = tl_trace_at(at, "reshape", &x, 1);
  int64_t now[TL_MAX_RANK];
  if (t == NULL || !rank_is_fine(t, "reshape", rank) || !infer_dim(t, x, rank, dims, now))
    return NULL;
  return reshaped(t, x, rank, now, NULL);
}

tl_expr tl_transpose_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *permutation) {
  tl_trace *t = tl_trace_at(at, "transpose", &x, 1);
  if (t == NULL) return NULL;
  bool there[TL_MAX_RANK] = {0}, fine = rank == tl_rank_of(x);
  int64_t order[TL_MAX_RANK];
  uint32_t from[TL_MAX_RANK];
  for (uint32_t i = 0; fine && i < rank; i++) {
    int64_t p = permutation[i] < 0 ? permutation[i] + rank : permutation[i];
    fine = p >= 0 && p < rank && !there[p];
    if (!fine) break;
    there[p] = true;
    order[i] = p;
    from[i] = (uint32_t)p;
  }
  if (!fine) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "transpose: the list is no permutation of the axes of %s",
            tl_type_text(x));
    return NULL;
  }
  return tl_made(t, tlo_transpose(t->b, x->v, order), tl_names_pick(t, x, from, rank));
}

tl_expr tl_swap_axes_at(tl_here at, tl_expr x, int64_t a, int64_t b) {
  tl_trace *t = tl_trace_at(at, "swap_axes", &x, 1);
  uint32_t i, j;
  if (t == NULL || !tl_axis_of(t, "swap_axes", x, a, 0, &i) ||
      !tl_axis_of(t, "swap_axes", x, b, 0, &j))
    return NULL;
  int64_t order[TL_MAX_RANK];
  for (uint32_t k = 0; k < tl_rank_of(x); k++)
    order[k] = k == i ? j : k == j ? i : k;
  return tl_transpose_at(at, x, tl_rank_of(x), order);
}

static tl_expr broadcast(tl_trace *t, tl_expr x, uint32_t rank, const int64_t *dims,
                         tl_axis_names names) {
  tl_type type = {x->v->type.dtype, rank, dims};
  bool fine = rank >= tl_rank_of(x);
  const char **both = names == NULL && x->names == NULL ? NULL : tl_names_new(t, rank);
  for (uint32_t i = 0; fine && i < rank; i++) {
    int64_t k = (int64_t)i - (rank - tl_rank_of(x));
    int64_t d = k < 0 ? 1 : x->v->type.dims[k];
    const char *mine = k < 0 ? NULL : tl_name_of(x, (uint32_t)k);
    fine = d == 1 || d == dims[i];
    if (both != NULL) both[i] = mine != NULL || names == NULL ? mine : names[i];
  }
  if (!fine) {
    tl_buf text = {0};
    tl_type_to_text(&text, t->m, type, NULL);
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "broadcast: %s is not repeated to %s", tl_type_text(x),
            text.ptr ? text.ptr : "?");
    tl_buf_deinit(&text);
    return NULL;
  }
  return tl_made(t, tl_widen(t, x->v, type), both);
}

tl_expr tl_broadcast_to_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *dims) {
  tl_trace *t = tl_trace_at(at, "broadcast_to", &x, 1);
  if (t == NULL || !rank_is_fine(t, "broadcast_to", rank)) return NULL;
  return broadcast(t, x, rank, dims, NULL);
}

tl_expr tl_broadcast_like_at(tl_here at, tl_expr x, tl_expr y) {
  tl_trace *t = tl_trace_at(at, "broadcast_like", (tl_expr[]){x, y}, 2);
  return t == NULL ? NULL : broadcast(t, x, tl_rank_of(y), y->v->type.dims, y->names);
}

tl_expr tl_expand_dims_at(tl_here at, tl_expr x, int64_t axis) {
  tl_trace *t = tl_trace_at(at, "expand_dims", &x, 1);
  uint32_t where;
  if (t == NULL || !tl_axis_of(t, "expand_dims", x, axis, 1, &where) ||
      !rank_is_fine(t, "expand_dims", tl_rank_of(x) + 1))
    return NULL;
  int64_t dims[TL_MAX_RANK];
  const char **names = x->names == NULL ? NULL : tl_names_new(t, tl_rank_of(x) + 1);
  for (uint32_t i = 0, k = 0; i < tl_rank_of(x) + 1; i++) {
    dims[i] = i == where ? 1 : x->v->type.dims[k];
    if (names != NULL && i != where) names[i] = x->names[k];
    k += i != where;
  }
  return reshaped(t, x, tl_rank_of(x) + 1, dims, names);
}

static tl_expr squeezed(tl_trace *t, tl_expr x, uint32_t where) {
  int64_t dims[TL_MAX_RANK];
  bool gone[TL_MAX_RANK] = {0};
  uint32_t n = 0;
  gone[where] = true;
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    if (i != where) dims[n++] = x->v->type.dims[i];
  return reshaped(t, x, n, dims, tl_names_without(t, x, gone));
}

tl_expr tl_squeeze_at(tl_here at, tl_expr x, int64_t axis) {
  tl_trace *t = tl_trace_at(at, "squeeze", &x, 1);
  uint32_t where;
  if (t == NULL || !tl_axis_of(t, "squeeze", x, axis, 0, &where)) return NULL;
  if (x->v->type.dims[where] != 1) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "squeeze: axis %u of %s is not of size 1", where,
            tl_type_text(x));
    return NULL;
  }
  return squeezed(t, x, where);
}

// ---- several tensors ----

// Names of all together: an axis that two of them name must have one name.
static bool names_agree(tl_trace *t, const char *what, const tl_expr *xs, uint32_t n,
                        tl_axis_names *out) {
  uint32_t rank = tl_rank_of(xs[0]);
  const char **names = tl_names_new(t, rank);
  if (names == NULL) return false;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < rank; i++) {
      const char *name = tl_name_of(xs[k], i);
      if (name != NULL && names[i] != NULL && strcmp(name, names[i]) != 0) {
        tl_fail(t, TL_DIAG_AXIS_MISMATCH, "%s: the axis `%s` meets `%s`: %s and %s", what, names[i],
                name, tl_type_text(xs[0]), tl_type_text(xs[k]));
        return false;
      }
      if (name != NULL) names[i] = name;
    }
  *out = names;
  return true;
}

// One element type and one shape but along `axis` (rank: none differs).
static bool alike(tl_trace *t, const char *what, const tl_expr *xs, uint32_t n, uint32_t axis) {
  for (uint32_t k = 1; k < n; k++) {
    tl_type a = xs[0]->v->type, b = xs[k]->v->type;
    if (a.dtype != b.dtype) {
      tl_fail(t, TL_DIAG_DTYPE_MISMATCH,
              "%s: %s and %s have different element types; convert one of them", what,
              tl_type_text(xs[0]), tl_type_text(xs[k]));
      return false;
    }
    bool same = a.rank == b.rank;
    for (uint32_t i = 0; same && i < a.rank; i++)
      same = i == axis || a.dims[i] == b.dims[i];
    if (!same) {
      tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: the shapes do not go together: %s and %s", what,
              tl_type_text(xs[0]), tl_type_text(xs[k]));
      return false;
    }
  }
  return true;
}

tl_expr tl_concat_at(tl_here at, const tl_expr *xs, uint32_t n, int64_t axis) {
  tl_trace *t = n == 0 ? NULL : tl_trace_at(at, "concat", xs, n);
  uint32_t where;
  tl_axis_names names;
  if (t == NULL || !tl_axis_of(t, "concat", xs[0], axis, 0, &where) ||
      !alike(t, "concat", xs, n, where) || !names_agree(t, "concat", xs, n, &names))
    return NULL;
  tl_value *values = TL_NEW(t->m->arena, tl_value, n);
  if (values == NULL) {
    tl_fail_oom(t);
    return NULL;
  }
  for (uint32_t i = 0; i < n; i++)
    values[i] = xs[i]->v;
  return tl_made(t, tlo_concat(t->b, values, n, where), names);
}

tl_expr tl_stack_at(tl_here at, const tl_expr *xs, uint32_t n, int64_t axis) {
  tl_trace *t = n == 0 ? NULL : tl_trace_at(at, "stack", xs, n);
  if (t == NULL || !alike(t, "stack", xs, n, TL_MAX_RANK)) return NULL;
  tl_expr *wide = TL_NEW(t->m->arena, tl_expr, n);
  if (wide == NULL) tl_fail_oom(t);
  for (uint32_t i = 0; wide != NULL && i < n; i++)
    wide[i] = tl_expand_dims_at(at, xs[i], axis);
  return t->error == TL_OK ? tl_concat_at(at, wide, n, axis) : NULL;
}

// ---- parts ----

static int64_t clamped(int64_t i, int64_t size) {
  if (i < 0) i += size;
  return i < 0 ? 0 : TL_MIN(i, size);
}

tl_expr tl_slice_at(tl_here at, tl_expr x, int64_t axis, int64_t from, int64_t to, int64_t step) {
  tl_trace *t = tl_trace_at(at, "slice", &x, 1);
  uint32_t where;
  if (t == NULL || !tl_axis_of(t, "slice", x, axis, 0, &where)) return NULL;
  int64_t start[TL_MAX_RANK] = {0}, strides[TL_MAX_RANK], size = x->v->type.dims[where];
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    strides[i] = 1;
  int64_t limit[TL_MAX_RANK];
  if (tl_rank_of(x) != 0) memcpy(limit, x->v->type.dims, tl_rank_of(x) * sizeof *limit);
  if (step < 1 || (size < 0 && (from < 0 || to < 0))) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT,
            step < 1 ? "slice: a step of %lld; reverse turns an axis round"
                     : "slice: counts from the end of an axis whose size has a name",
            (long long)step);
    return NULL;
  }
  start[where] = size < 0 ? from : clamped(from, size);
  if (size >= 0)
    limit[where] = TL_MAX(to == INT64_MAX ? size : clamped(to, size), start[where]);
  else if (to != INT64_MAX)
    limit[where] = to;
  strides[where] = step;
  return tl_made(t, tlo_slice(t->b, x->v, start, limit, strides), x->names);
}

tl_expr tl_pick_at(tl_here at, tl_expr x, int64_t axis, int64_t index) {
  tl_trace *t = tl_trace_at(at, "pick", &x, 1);
  uint32_t where;
  if (t == NULL || !tl_axis_of(t, "pick", x, axis, 0, &where)) return NULL;
  int64_t size = x->v->type.dims[where], i = index < 0 && size >= 0 ? index + size : index;
  if (i < 0 || (size >= 0 && i >= size)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "pick: place %lld of axis %u of %s", (long long)index, where,
            tl_type_text(x));
    return NULL;
  }
  tl_expr one = tl_slice_at(at, x, where, i, i + 1, 1);
  return one == NULL ? NULL : squeezed(t, one, where);
}

// Starts [rank] as values, of one integer type.
static bool starts_of(tl_trace *t, const char *what, const tl_expr *starts, uint32_t rank,
                      tl_value *out) {
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = starts[i]->v;
    tl_dtype_kind kind = tl_dtype_get(out[i]->type.dtype)->kind;
    if ((kind != TL_KIND_INT && kind != TL_KIND_UINT) || out[i]->type.dtype != out[0]->type.dtype) {
      tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: start %u is %s; starts are integers of one type",
              what, i, tl_type_text(starts[i]));
      return false;
    }
    if (out[i]->type.rank != 0) {
      tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: start %u is %s, no scalar", what, i,
              tl_type_text(starts[i]));
      return false;
    }
  }
  return true;
}

tl_expr tl_dynamic_slice_at(tl_here at, tl_expr x, const tl_expr *starts, const int64_t *sizes) {
  tl_trace *t = tl_trace_at(at, "dynamic_slice", &x, 1);
  tl_value values[TL_MAX_RANK];
  if (t == NULL ||
      tl_trace_at(at, "dynamic_slice", starts, tl_rank_of(x)) != (tl_rank_of(x) ? t : NULL) ||
      !starts_of(t, "dynamic_slice", starts, tl_rank_of(x), values))
    return NULL;
  return tl_made(t, tlo_dynamic_slice(t->b, x->v, values, sizes), x->names);
}

tl_expr tl_dynamic_update_slice_at(tl_here at, tl_expr x, tl_expr part, const tl_expr *starts) {
  tl_trace *t = tl_trace_at(at, "dynamic_update_slice", (tl_expr[]){x, part}, 2);
  tl_value values[TL_MAX_RANK + 2];
  if (t == NULL ||
      (tl_rank_of(x) && !tl_trace_at(at, "dynamic_update_slice", starts, tl_rank_of(x))) ||
      !starts_of(t, "dynamic_update_slice", starts, tl_rank_of(x), values + 2))
    return NULL;
  if (x->v->type.dtype != part->v->type.dtype) {
    tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "dynamic_update_slice: %s gets a part of %s",
            tl_type_text(x), tl_type_text(part));
    return NULL;
  }
  values[0] = x->v;
  values[1] = part->v;
  tl_op *op = tl_op_finish(
      t->b, tl_op_begin(t->b, TL_OP_DYNAMIC_UPDATE_SLICE, values, 2 + tl_rank_of(x)), NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], x->names);
}

tl_expr tl_pad_at(tl_here at, tl_expr x, tl_arg value, const int64_t *low, const int64_t *high,
                  const int64_t *interior) {
  static const int64_t none[TL_MAX_RANK];
  tl_trace *t = tl_trace_at(at, "pad", (tl_expr[]){x, value.x}, value.kind == TL_ARG_EXPR ? 2 : 1);
  if (t == NULL) return NULL;
  tl_type scalar = tl_type_scalar(x->v->type.dtype);
  tl_value v = value.x != NULL ? value.x->v : tl_number(t, "pad", value, scalar);
  if (v == NULL || !tl_type_eq(v->type, scalar)) {
    if (v != NULL)
      tl_fail(t, v->type.rank ? TL_DIAG_SHAPE_MISMATCH : TL_DIAG_DTYPE_MISMATCH,
              "pad: %s is filled with %s", tl_type_text(x), tl_type_text(value.x));
    return NULL;
  }
  uint32_t rank = tl_rank_of(x);
  tl_op *op = tl_op_begin(t->b, TL_OP_PAD, (tl_value[]){x->v, v}, 2);
  tl_op_set_list(t->b, op, TL_A_PAD_edge_padding_low, low, rank);
  tl_op_set_list(t->b, op, TL_A_PAD_edge_padding_high, high, rank);
  tl_op_set_list(t->b, op, TL_A_PAD_interior_padding, interior ? interior : none, rank);
  op = tl_op_finish(t->b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], x->names);
}

tl_expr tl_reverse_at(tl_here at, tl_expr x, uint32_t n, const int64_t *axes) {
  tl_trace *t = tl_trace_at(at, "reverse", &x, 1);
  int64_t dims[TL_MAX_RANK];
  if (t == NULL || !rank_is_fine(t, "reverse", n)) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t where;
    if (!tl_axis_of(t, "reverse", x, axes[i], 0, &where)) return NULL;
    dims[i] = where;
  }
  tl_op *op = tl_op_begin(t->b, TL_OP_REVERSE, &x->v, 1);
  tl_op_set_list(t->b, op, TL_A_REVERSE_dimensions, dims, n);
  op = tl_op_finish(t->b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], x->names);
}

// ---- by index ----

static bool are_integers(tl_trace *t, const char *what, tl_expr indices) {
  tl_dtype_kind kind = tl_dtype_get(indices->v->type.dtype)->kind;
  if (kind == TL_KIND_INT || kind == TL_KIND_UINT) return true;
  tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: the indices are %s, wants integers", what,
          tl_type_text(indices));
  return false;
}

tl_expr tl_take_at(tl_here at, tl_expr x, tl_expr indices, int64_t axis) {
  tl_trace *t = tl_trace_at(at, "take", (tl_expr[]){x, indices}, 2);
  uint32_t where;
  if (t == NULL || !are_integers(t, "take", indices) ||
      !tl_axis_of(t, "take", x, axis, 0, &where) ||
      !rank_is_fine(t, "take", tl_rank_of(x) + tl_rank_of(indices) - 1))
    return NULL;
  uint32_t rank = tl_rank_of(x), more = tl_rank_of(indices), n = 0;
  int64_t offset[TL_MAX_RANK], sizes[TL_MAX_RANK];
  const char **names =
      x->names == NULL && indices->names == NULL ? NULL : tl_names_new(t, rank + more - 1);
  for (uint32_t i = 0; i < rank; i++) {
    sizes[i] = i == where ? 1 : x->v->type.dims[i];
    if (i == where) continue;
    uint32_t to = i < where ? i : i - 1 + more;
    offset[n++] = to;
    if (names != NULL) names[to] = tl_name_of(x, i);
  }
  for (uint32_t i = 0; names != NULL && i < more; i++)
    names[where + i] = tl_name_of(indices, i);
  tl_op *op = tl_op_begin(t->b, TL_OP_GATHER, (tl_value[]){x->v, indices->v}, 2);
  int64_t axis64 = where;
  tl_op_set_list(t->b, op, TL_A_GATHER_offset_dims, offset, n);
  tl_op_set_list(t->b, op, TL_A_GATHER_collapsed_slice_dims, &axis64, 1);
  tl_op_set_list(t->b, op, TL_A_GATHER_start_index_map, &axis64, 1);
  tl_op_set_i64(op, TL_A_GATHER_index_vector_dim, more);
  tl_op_set_list(t->b, op, TL_A_GATHER_slice_sizes, sizes, rank);
  op = tl_op_finish(t->b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], names);
}

tl_expr tl_take_along_at(tl_here at, tl_expr x, tl_expr indices, int64_t axis) {
  tl_trace *t = tl_trace_at(at, "take_along", (tl_expr[]){x, indices}, 2);
  uint32_t where;
  if (t == NULL || !are_integers(t, "take_along", indices) ||
      !tl_axis_of(t, "take_along", x, axis, 0, &where))
    return NULL;
  return tl_made(t, tlo_take_along(t->b, x->v, indices->v, where), x->names);
}

tl_expr tl_scatter_rows_at(tl_here at, tl_expr x, tl_expr indices, tl_expr updates, bool add) {
  const char *what = add ? "scatter_add_rows" : "scatter_rows";
  tl_trace *t = tl_trace_at(at, what, (tl_expr[]){x, indices, updates}, 3);
  if (t == NULL || !are_integers(t, what, indices)) return NULL;
  tl_type tx = x->v->type, tu = updates->v->type;
  bool fine = tl_rank_of(indices) == 1 && tx.rank >= 1 && tu.rank == tx.rank &&
              tu.dims[0] == indices->v->type.dims[0];
  for (uint32_t i = 1; fine && i < tx.rank; i++)
    fine = tx.dims[i] == tu.dims[i];
  if (tx.dtype != tu.dtype)
    tl_fail(t, TL_DIAG_DTYPE_MISMATCH, "%s: rows of %s into %s", what, tl_type_text(updates),
            tl_type_text(x));
  if (!fine)
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: rows of %s by %s into %s", what, tl_type_text(updates),
            tl_type_text(indices), tl_type_text(x));
  if (t->error != TL_OK) return NULL;
  tl_builder *b = t->b;
  int64_t window[TL_MAX_RANK];
  for (uint32_t i = 1; i < tx.rank; i++)
    window[i - 1] = i;
  tl_op *op = tl_op_begin(b, TL_OP_SCATTER, (tl_value[]){x->v, indices->v, updates->v}, 3);
  tl_op_set_list(b, op, TL_A_SCATTER_update_window_dims, window, tx.rank - 1);
  tl_op_set_list(b, op, TL_A_SCATTER_inserted_window_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_dims_to_operand_dims, (int64_t[]){0}, 1);
  tl_op_set_i64(op, TL_A_SCATTER_index_vector_dim, 1);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_value old = tl_block_arg(&in, block, tl_type_scalar(tx.dtype)),
           new = tl_block_arg(&in, block, tl_type_scalar(tx.dtype)),
           r = add ? tlo_add(&in, old, new) : new;
  tlo_return(&in, &r, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  return tl_made(t, op == NULL ? NULL : op->results[0], x->names);
}

tl_expr tl_one_hot_at(tl_here at, tl_expr indices, int64_t size, const char *dtype) {
  tl_trace *t = tl_trace_at(at, "one_hot", &indices, 1);
  if (t == NULL || !are_integers(t, "one_hot", indices) ||
      !rank_is_fine(t, "one_hot", tl_rank_of(indices) + 1))
    return NULL;
  tl_type type = {indices->v->type.dtype, 1, &size};
  if (size < 0) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "one_hot: a size of %lld", (long long)size);
    return NULL;
  }
  tl_expr places = tl_made(t, tlo_iota(t->b, type, 0), NULL);
  tl_expr same = tl_compare_at(at, "EQ", tl_arg_of_expr(tl_expand_dims_at(at, indices, -1)),
                               tl_arg_of_expr(places));
  return same == NULL ? NULL : tl_convert_at(at, same, dtype);
}

tl_expr tl_triangle_at(tl_here at, tl_expr x, int64_t diagonal, bool lower) {
  tl_trace *t = tl_trace_at(at, lower ? "tril" : "triu", &x, 1);
  if (t == NULL) return NULL;
  return tl_made(t, tlo_triangle(t->b, x->v, diagonal, lower, 1, !lower), x->names);
}

// ---- names ----

tl_expr tl_name_axes_at(tl_here at, tl_expr x, const char *names) {
  tl_trace *t = tl_trace_at(at, "name_axes", &x, 1);
  tl_axis_names list;
  uint32_t n;
  tl_buf why = {0};
  if (t == NULL) return NULL;
  if (!tl_names_of_text(t->m, tl_str_of(names), &list, &n, &why))
    tl_fail(t, TL_DIAG_AXIS_CLASH, "name_axes: %s", why.ptr ? why.ptr : "");
  else if (n != tl_rank_of(x))
    tl_fail(t, TL_DIAG_AXIS_MISMATCH, "name_axes: %u names for %s", n, tl_type_text(x));
  tl_buf_deinit(&why);
  return t->error == TL_OK ? tl_made(t, x->v, list) : NULL;
}

static int64_t find_axis(tl_trace *t, const char *what, tl_expr x, const char *name) {
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    if (tl_name_of(x, i) != NULL && strcmp(tl_name_of(x, i), name) == 0) return i;
  tl_fail(t, TL_DIAG_AXIS_MISSING, "%s: %s has no axis `%s`", what, tl_type_text(x), name);
  return -1;
}

int64_t tl_axis_at(tl_here at, tl_expr x, const char *name) {
  tl_trace *t = tl_trace_at(at, "axis", &x, 1);
  return t == NULL ? -1 : find_axis(t, "axis", x, name);
}

tl_expr tl_order_axes_at(tl_here at, tl_expr x, const char *names) {
  tl_trace *t = tl_trace_at(at, "order_axes", &x, 1);
  tl_axis_names list;
  uint32_t n;
  tl_buf why = {0};
  if (t == NULL) return NULL;
  bool read = tl_names_of_text(t->m, tl_str_of(names), &list, &n, &why);
  if (!read) tl_fail(t, TL_DIAG_AXIS_CLASH, "order_axes: %s", why.ptr ? why.ptr : "");
  tl_buf_deinit(&why);
  if (!read) return NULL;
  if (n != tl_rank_of(x)) {
    tl_fail(t, TL_DIAG_AXIS_MISMATCH, "order_axes: %u names for %s", n, tl_type_text(x));
    return NULL;
  }
  int64_t order[TL_MAX_RANK];
  for (uint32_t i = 0; i < n; i++)
    if ((order[i] = find_axis(t, "order_axes", x, list[i] ? list[i] : "")) < 0) return NULL;
  return tl_transpose_at(at, x, n, order);
}

tl_expr tl_reduce_over_at(tl_here at, const char *what, tl_expr x, const char *name) {
  tl_trace *t = tl_trace_at(at, what, &x, 1);
  int64_t axis = t == NULL ? -1 : find_axis(t, what, x, name);
  return axis < 0 ? NULL : tl_reduce_at(at, what, x, 1, &axis);
}
