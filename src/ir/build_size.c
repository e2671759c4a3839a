// Sizes as values, and ops whose sizes are dims that are no numbers.
#include "ir/build.h"

#include "ir/dim.h"

static const int64_t ones[TL_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

// ---- A size ----

static void *number(void *arg, int64_t value) {
  return tlo_constant_i64(arg, tl_type_scalar(TL_DTYPE_S64), value);
}

static void *step(void *arg, tl_dim_step step, void *x, void *y) {
  tl_builder *b = arg;
  switch (step) {
  case TL_DIM_SUM:
    return tlo_add(b, x, y);
  case TL_DIM_PRODUCT:
    return tlo_mul(b, x, y);
  case TL_DIM_MAX:
    return tlo_binary(b, TL_OP_MAXIMUM, x, y);
  case TL_DIM_MIN:
    return tlo_binary(b, TL_OP_MINIMUM, x, y);
  case TL_DIM_FLOORDIV:
    break;
  }
  // (x - mod) / y, where mod has y's sign: ((x % y) + y) % y.
  tl_value r = tlo_binary(b, TL_OP_REMAINDER, x, y);
  r = tlo_binary(b, TL_OP_REMAINDER, tlo_add(b, r, y), y);
  return tlo_div(b, tlo_sub(b, x, r), y);
}

static tl_value size_of(tl_builder *b, tl_value v, int64_t dim) {
  return tlo_convert(b, tlo_get_dimension_size(b, v, dim), TL_DTYPE_S64);
}

// A symbol of which a value has some times, and some more: 2*n + 1.
static tl_value solved(tl_builder *b, const tl_value *values, uint32_t n, int64_t dim) {
  const tl_symbol *symbols;
  const uint32_t n_symbols = tl_dim_symbols(b->m, &symbols);
  int64_t *unknown = TL_NEW(b->m->arena, int64_t, n_symbols + 1);
  for (uint32_t i = 0; unknown != NULL && i < n_symbols; i++)
    unknown[i] = -1;
  for (uint32_t i = 0; unknown != NULL && i < n; i++)
    for (uint32_t d = 0; values[i] != NULL && d < values[i]->type.rank; d++) {
      int64_t value, times = 0, plus = 0, code;
      uint32_t symbol = UINT32_MAX;
      if (!tl_dim_is_named(values[i]->type.dims[d])) continue;
      (void)tl_dim_solve(b->m, values[i]->type.dims[d], unknown, 0, &symbol, &value, &times, &plus);
      if (times == 0 || !tl_dim_find_symbol(b->m, symbols[symbol].name, &code) || code != dim)
        continue;
      tl_value size = size_of(b, values[i], d);
      size = tlo_sub(b, size, number(b, plus));
      return tlo_div(b, size, number(b, times));
    }
  return NULL;
}

static void *known(void *arg, int64_t dim) {
  tl_builder *b = arg;
  const tl_value *lists[] = {b->sized, b->fn->body->args};
  const uint32_t lengths[] = {b->n_sized, b->fn->body->n_args};
  for (int k = 0; k < 2; k++)
    for (uint32_t i = 0; i < lengths[k]; i++) {
      const tl_value v = lists[k][i];
      for (uint32_t d = 0; v != NULL && d < v->type.rank; d++)
        if (v->type.dims[d] == dim) return size_of(b, v, d);
    }
  tl_value v = solved(b, lists[0], lengths[0], dim);
  return v != NULL ? v : solved(b, lists[1], lengths[1], dim);
}

tl_value tlo_size(tl_builder *b, int64_t dim, tl_dtype dtype) {
  static const tl_dim_fold fold = {number, known, step};
  if (dim >= 0) {
    const tl_dtype_kind kind = tl_dtype_get(dtype)->kind;
    return kind == TL_KIND_FLOAT ? tlo_constant_f64(b, tl_type_scalar(dtype), (double)dim)
                                 : tlo_constant_i64(b, tl_type_scalar(dtype), dim);
  }
  if (b->error != TL_OK || b->block == NULL) return NULL;
  tl_value v = tl_dim_compute(b->m, dim, &fold, b);
  if (v == NULL)
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT,
                                "the size " TL_STR_FMT " does not follow from the operands' shapes",
                                TL_STR_ARG(tl_dim_text(b->m, dim))));
  return tlo_convert(b, v, dtype);
}

tl_value tlo_sizes(tl_builder *b, const int64_t *dims, uint32_t n) {
  const tl_type list = {TL_DTYPE_S64, 1, (int64_t[]){n}};
  bool numbers = true;
  for (uint32_t i = 0; i < n; i++)
    numbers &= dims[i] >= 0;
  if (numbers) return tlo_constant(b, list, dims, n * sizeof *dims);
  tl_value parts[TL_MAX_RANK];
  TL_ASSERT(n <= TL_MAX_RANK);
  for (uint32_t i = 0; i < n; i++)
    parts[i] = tlo_reshape(b, tlo_size(b, dims[i], TL_DTYPE_S64), ones, 1);
  return tlo_concat(b, parts, n, 0);
}

// ---- Ops of such sizes ----

static tl_value too_large(tl_builder *b, const char *what) {
  tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "%s: its result would be no size", what));
  return NULL;
}

tl_value tlo_slice_sized(tl_builder *b, tl_value x, const int64_t *start, const int64_t *limit,
                         const int64_t *strides) {
  if (x == NULL) return NULL;
  const uint32_t rank = x->type.rank;
  int64_t dims[TL_MAX_RANK];
  if (strides == NULL) strides = ones;
  for (uint32_t d = 0; d < rank; d++)
    if (!tl_dim_sub(b->m, limit[d], start[d], &dims[d]) ||
        (strides[d] != 1 &&
         !tl_dim_windows(b->m, dims[d], 1, strides[d] - 1, strides[d], 0, 0, &dims[d])))
      return too_large(b, "slice");
  tl_value with[16] = {x}; // x has sizes too
  const tl_value *sized = b->sized;
  const uint32_t n_sized = b->n_sized;
  if (n_sized < TL_COUNT(with)) {
    for (uint32_t i = 0; i < n_sized; i++)
      with[i] = sized[i];
    with[n_sized] = x;
    b->sized = with, b->n_sized = n_sized + 1;
  }
  tl_value from = tlo_sizes(b, start, rank), to = NULL, by = NULL;
  to = tlo_sizes(b, limit, rank);
  by = tlo_sizes(b, strides, rank);
  b->sized = sized, b->n_sized = n_sized;
  return tlo_real_dynamic_slice(b, x, from, to, by, (tl_type){x->type.dtype, rank, dims});
}

tl_value tlo_pad_sized(tl_builder *b, tl_value x, tl_value with, const int64_t *low,
                       const int64_t *high, const int64_t *interior, tl_type type) {
  const uint32_t rank = type.rank;
  bool numbers = true;
  for (uint32_t d = 0; d < rank; d++)
    numbers &= low[d] >= 0 && high[d] >= 0;
  if (!numbers) {
    tl_value before = tlo_sizes(b, low, rank), after = NULL;
    after = tlo_sizes(b, high, rank);
    return tlo_dynamic_pad(b, x, with, before, after, tlo_sizes(b, interior, rank), type);
  }
  tl_op *op = tl_op_begin(b, TL_OP_PAD, (tl_value[]){x, with}, 2);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_low, low, rank);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_high, high, rank);
  tl_op_set_list(b, op, TL_A_PAD_interior_padding, interior, rank);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_value tlo_dynamic_slice_sized(tl_builder *b, tl_value x, const tl_value *starts,
                                 const int64_t *sizes) {
  if (x == NULL) return NULL;
  const uint32_t rank = x->type.rank;
  tl_value parts[TL_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++)
    parts[d] = tlo_reshape(b, tlo_convert(b, starts[d], TL_DTYPE_S64), ones, 1);
  tl_value from = tlo_concat(b, parts, rank, 0), size = tlo_sizes(b, sizes, rank), to = NULL;
  to = tlo_add(b, from, size);
  return tlo_real_dynamic_slice(b, x, from, to, tlo_sizes(b, ones, rank),
                                (tl_type){x->type.dtype, rank, sizes});
}

tl_value tlo_gather_finish(tl_builder *b, tl_op *gather) {
  if (gather == NULL || b->error != TL_OK) return NULL;
  const tl_i64s sizes = tl_op_list(gather, TL_A_GATHER_slice_sizes),
                offset = tl_op_list(gather, TL_A_GATHER_offset_dims),
                collapsed = tl_op_list(gather, TL_A_GATHER_collapsed_slice_dims),
                batching = tl_op_list(gather, TL_A_GATHER_operand_batching_dims);
  const tl_type x = gather->operands[0]->type, idx = gather->operands[1]->type;
  const int64_t vec = tl_op_i64(gather, TL_A_GATHER_index_vector_dim);
  bool numbers = true;
  for (size_t i = 0; i < sizes.len; i++)
    numbers &= sizes.ptr[i] >= 0;
  if (numbers) {
    tl_op *op = tl_op_finish(b, gather, NULL, 0);
    return op == NULL ? NULL : op->results[0];
  }
  tl_op *op = tl_op_begin(b, TL_OP_DYNAMIC_GATHER,
                          (tl_value[]){gather->operands[0], gather->operands[1],
                                       tlo_sizes(b, sizes.ptr, (uint32_t)sizes.len)},
                          3);
  tl_op_set_list(b, op, TL_A_DYNAMIC_GATHER_offset_dims, offset.ptr, offset.len);
  tl_op_set_list(b, op, TL_A_DYNAMIC_GATHER_collapsed_slice_dims, collapsed.ptr, collapsed.len);
  tl_op_set_list(b, op, TL_A_DYNAMIC_GATHER_operand_batching_dims, batching.ptr, batching.len);
  const tl_i64s idx_batching = tl_op_list(gather, TL_A_GATHER_start_indices_batching_dims),
                map = tl_op_list(gather, TL_A_GATHER_start_index_map);
  tl_op_set_list(b, op, TL_A_DYNAMIC_GATHER_start_indices_batching_dims, idx_batching.ptr,
                 idx_batching.len);
  tl_op_set_list(b, op, TL_A_DYNAMIC_GATHER_start_index_map, map.ptr, map.len);
  tl_op_set_i64(op, TL_A_DYNAMIC_GATHER_index_vector_dim, vec);
  // The slices' dims at offset_dims, in order; those of the indices elsewhere.
  int64_t dims[TL_MAX_RANK];
  const uint32_t rank = (uint32_t)offset.len + idx.rank - (vec < idx.rank);
  uint32_t from = 0, at = 0;
  if (rank > TL_MAX_RANK || sizes.len != x.rank) return too_large(b, "gather");
  for (uint32_t d = 0; d < rank; d++) {
    bool is_offset = false;
    for (size_t i = 0; i < offset.len; i++)
      is_offset |= offset.ptr[i] == d;
    if (!is_offset) {
      at += at == vec;
      dims[d] = idx.dims[at++];
      continue;
    }
    for (bool gone = true; gone && from < x.rank; from += gone) {
      gone = false;
      for (size_t i = 0; i < collapsed.len; i++)
        gone |= collapsed.ptr[i] == from;
      for (size_t i = 0; i < batching.len; i++)
        gone |= batching.ptr[i] == from;
    }
    if (from == x.rank) return too_large(b, "gather");
    dims[d] = sizes.ptr[from++];
  }
  const tl_type type = tl_type_of(b->m->arena, x.dtype, dims, rank);
  if (rank != 0 && type.dims == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  op = tl_op_finish(b, op, &type, 1);
  return op == NULL ? NULL : op->results[0];
}

tl_value tlo_fill(tl_builder *b, tl_type t, double value) {
  tl_value one = tlo_constant_f64(b, tl_type_scalar(t.dtype), value);
  return t.rank == 0 ? one : tlo_broadcast(b, one, t, NULL);
}
