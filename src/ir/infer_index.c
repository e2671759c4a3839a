// Type rules of ops that address by computed indices, of reduce, sort and map.
//
// gather and scatter are each other's mirror: where gather's result interleaves batch dims (from
// the indices) with offset dims (from the operand), scatter's updates interleave scatter dims with
// window dims in the same way. So one function, `combined`, lays out both.
#include "ir/rule.h"

static tl_status starts_same(const tl_rule *r, uint32_t first, const char *label) {
  for (uint32_t i = first; i < r->op->n_operands; i++) {
    tl_type t = tl_rule_in(r, i);
    tl_dtype_kind kind = tl_rule_kind(t);
    TL_RULE(r, t.rank == 0 && (kind == TL_KIND_INT || kind == TL_KIND_UINT),
            first == 1 ? "i2" : "i3", "wants start indices that are integer scalars, got %s",
            tl_rule_type(r, t));
    TL_RULE(r, tl_type_agrees(t, tl_rule_in(r, first)), label,
            "wants start indices of one type, got %s and %s", tl_rule_type(r, tl_rule_in(r, first)),
            tl_rule_type(r, t));
  }
  return TL_OK;
}

tl_status tl_infer_dynamic_slice(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands > 0, NULL, "wants an operand");
  tl_type x = tl_rule_in(r, 0);
  tl_i64s sizes = tl_op_list(op, TL_A_DYNAMIC_SLICE_slice_sizes);
  TL_RULE(r, op->n_operands - 1 == x.rank && sizes.len == x.rank, "c2",
          "%u start indices and %zu slice sizes for an operand of rank %u", op->n_operands - 1,
          sizes.len, x.rank);
  TL_TRY(starts_same(r, 1, "c3"));
  for (uint32_t i = 0; i < x.rank; i++)
    TL_RULE(r, 0 <= sizes.ptr[i] && tl_dim_may_le(r->module, sizes.ptr[i], x.dims[i]), "c4",
            "slice size %lld does not fit dim %u of %s", (long long)sizes.ptr[i], i,
            tl_rule_type(r, x));
  return tl_rule_give_dims(r, x.dtype, sizes.ptr, x.rank, "c1|c5");
}

tl_status tl_infer_dynamic_update_slice(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands > 1, NULL, "wants an operand and an update");
  tl_type x = tl_rule_in(r, 0), u = tl_rule_in(r, 1);
  TL_RULE(r, x.dtype == u.dtype, "c2", "updates %s with %s", tl_rule_type(r, x),
          tl_rule_type(r, u));
  TL_RULE(r, x.rank == u.rank, "c3", "updates %s with %s", tl_rule_type(r, x), tl_rule_type(r, u));
  TL_RULE(r, op->n_operands - 2 == x.rank, "c4", "%u start indices for an operand of rank %u",
          op->n_operands - 2, x.rank);
  TL_TRY(starts_same(r, 2, "c5"));
  for (uint32_t i = 0; i < x.rank; i++)
    TL_RULE(r, tl_dim_may_le(r->module, u.dims[i], x.dims[i]), "c6",
            "dim %u of the update %s does not fit %s", i, tl_rule_type(r, u), tl_rule_type(r, x));
  return tl_rule_give1(r, x, "c1");
}

// Lays `outer` sizes and `inner` sizes out over rank dims: the inner ones at the dims `inner_at`,
// in order.
static void combined(const int64_t *outer, const int64_t *inner, tl_i64s inner_at, int64_t *dims,
                     uint32_t rank) {
  for (uint32_t d = 0; d < rank; d++)
    dims[d] = tl_rule_has(inner_at, d) ? *inner++ : *outer++;
}

// Sizes of the indices' dims except the one that holds the index vectors.
static uint32_t without_vector(tl_type indices, int64_t vector_dim, int64_t *sizes) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < indices.rank; d++)
    if (d != vector_dim) sizes[n++] = indices.dims[d];
  return n;
}

static bool both_unique(tl_i64s a, tl_i64s b) {
  if (!tl_rule_unique(a) || !tl_rule_unique(b)) return false;
  for (size_t i = 0; i < a.len; i++)
    if (tl_rule_has(b, a.ptr[i])) return false;
  return true;
}

tl_status tl_rule_gather_begins(const tl_rule *r, tl_i64s offset, tl_i64s collapsed, tl_i64s xbatch,
                                tl_i64s map, int64_t vec) {
  tl_type x = tl_rule_in(r, 0), idx = tl_rule_in(r, 1);
  tl_dtype_kind kind = tl_rule_kind(idx);
  TL_RULE(r, kind == TL_KIND_INT || kind == TL_KIND_UINT, "i2", "wants integer indices, got %s",
          tl_rule_type(r, idx));
  TL_RULE(r, x.rank == offset.len + collapsed.len + xbatch.len, "c1",
          "%zu offset, %zu collapsed and %zu batching dims do not make up %s", offset.len,
          collapsed.len, xbatch.len, tl_rule_type(r, x));
  TL_RULE(r, vec >= 0 && vec <= idx.rank, "c2", "index_vector_dim %lld is not a dim of %s",
          (long long)vec, tl_rule_type(r, idx));
  int64_t vector = vec < idx.rank ? idx.dims[vec] : 1;
  TL_RULE(r, tl_dim_agrees((int64_t)map.len, vector), "c3",
          "start_index_map has %zu entries for index vectors of %s", map.len,
          tl_rule_dim(r, vector));
  TL_RULE(r, tl_rule_unique(offset) && tl_rule_sorted(offset), "c4",
          "offset dims %s are not ascending", tl_rule_list(r, offset));
  return TL_OK;
}

tl_status tl_infer_gather(tl_rule *r) {
  const tl_op *op = r->op;
  tl_type x = tl_rule_in(r, 0), idx = tl_rule_in(r, 1);
  tl_i64s offset = tl_op_list(op, TL_A_GATHER_offset_dims),
          collapsed = tl_op_list(op, TL_A_GATHER_collapsed_slice_dims),
          xbatch = tl_op_list(op, TL_A_GATHER_operand_batching_dims),
          ibatch = tl_op_list(op, TL_A_GATHER_start_indices_batching_dims),
          map = tl_op_list(op, TL_A_GATHER_start_index_map),
          sizes = tl_op_list(op, TL_A_GATHER_slice_sizes);
  int64_t vec = tl_op_i64(op, TL_A_GATHER_index_vector_dim);
  TL_TRY(tl_rule_gather_begins(r, offset, collapsed, xbatch, map, vec));
  int64_t batch[TL_MAX_RANK], slice[TL_MAX_RANK], dims[2 * TL_MAX_RANK];
  uint32_t n_batch = without_vector(idx, vec, batch), rank = n_batch + (uint32_t)offset.len;
  TL_RULE(r, tl_rule_within(offset, rank), "c5",
          "offset dims %s are not dims of a result of rank %u", tl_rule_list(r, offset), rank);
  TL_RULE(r, both_unique(collapsed, xbatch), "c6",
          "collapsed dims %s and batching dims %s name one dim twice", tl_rule_list(r, collapsed),
          tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_sorted(collapsed), "c7", "collapsed dims %s are not ascending",
          tl_rule_list(r, collapsed));
  TL_RULE(r, tl_rule_within(collapsed, x.rank), "c8", "collapsed dims %s are not dims of %s",
          tl_rule_list(r, collapsed), tl_rule_type(r, x));
  TL_RULE(r, sizes.len == x.rank, "c20", "%zu slice sizes for an operand of rank %u", sizes.len,
          x.rank);
  for (size_t i = 0; i < collapsed.len; i++)
    TL_RULE(r, sizes.ptr[collapsed.ptr[i]] <= 1, "c9", "collapsed dim %lld has slice size %lld",
            (long long)collapsed.ptr[i], (long long)sizes.ptr[collapsed.ptr[i]]);
  TL_RULE(r, tl_rule_sorted(xbatch), "c10", "operand batching dims %s are not ascending",
          tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_within(xbatch, x.rank), "c11", "operand batching dims %s are not dims of %s",
          tl_rule_list(r, xbatch), tl_rule_type(r, x));
  for (size_t i = 0; i < xbatch.len; i++)
    TL_RULE(r, sizes.ptr[xbatch.ptr[i]] <= 1, "c12", "batching dim %lld has slice size %lld",
            (long long)xbatch.ptr[i], (long long)sizes.ptr[xbatch.ptr[i]]);
  TL_RULE(r, tl_rule_unique(ibatch), "c13", "start indices batching dims %s name one dim twice",
          tl_rule_list(r, ibatch));
  TL_RULE(r, tl_rule_within(ibatch, idx.rank), "c14",
          "start indices batching dims %s are not dims of %s", tl_rule_list(r, ibatch),
          tl_rule_type(r, idx));
  TL_RULE(r, !tl_rule_has(ibatch, vec), "c15", "index_vector_dim %lld is a batching dim",
          (long long)vec);
  TL_RULE(r, xbatch.len == ibatch.len, "c16", "%zu operand batching dims, %zu of the start indices",
          xbatch.len, ibatch.len);
  for (size_t i = 0; i < xbatch.len; i++)
    TL_RULE(r, tl_dim_agrees(x.dims[xbatch.ptr[i]], idx.dims[ibatch.ptr[i]]), "c17",
            "operand batches %s, start indices %s", tl_rule_dim(r, x.dims[xbatch.ptr[i]]),
            tl_rule_dim(r, idx.dims[ibatch.ptr[i]]));
  TL_RULE(r, both_unique(map, xbatch), "c18",
          "start_index_map %s and batching dims %s name one dim twice", tl_rule_list(r, map),
          tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_within(map, x.rank), "c19", "start_index_map %s names no dims of %s",
          tl_rule_list(r, map), tl_rule_type(r, x));
  uint32_t n_slice = 0;
  for (uint32_t d = 0; d < x.rank; d++) {
    TL_RULE(r, 0 <= sizes.ptr[d] && tl_dim_may_le(r->module, sizes.ptr[d], x.dims[d]), "c21",
            "slice size %lld does not fit dim %u of %s", (long long)sizes.ptr[d], d,
            tl_rule_type(r, x));
    if (!tl_rule_has(collapsed, d) && !tl_rule_has(xbatch, d)) slice[n_slice++] = sizes.ptr[d];
  }
  combined(batch, slice, offset, dims, rank);
  bool empty = false;
  for (uint32_t d = 0; d < rank; d++)
    empty |= dims[d] == 0;
  // A dim that the result lacks may be of size 0 by c9 and c12, and then has no element to give.
  for (size_t i = 0; i < collapsed.len; i++)
    TL_RULE(r, empty || sizes.ptr[collapsed.ptr[i]] == 1, "c9",
            "collapsed dim %lld has slice size 0, and the result has elements",
            (long long)collapsed.ptr[i]);
  for (size_t i = 0; i < xbatch.len; i++)
    TL_RULE(r, empty || sizes.ptr[xbatch.ptr[i]] == 1, "c12",
            "batching dim %lld has slice size 0, and the result has elements",
            (long long)xbatch.ptr[i]);
  return tl_rule_give_dims(r, x.dtype, dims, rank, "c23|c22");
}

tl_status tl_rule_combiner(const tl_rule *r, uint32_t region, uint32_t n, const char *label,
                           tl_dtype *out_dtypes) {
  const tl_block *body = r->op->regions[region];
  const tl_op *ret = body->last;
  TL_RULE(r,
          body->n_args == 2 * n && ret != NULL && ret->code == TL_OP_RETURN && ret->n_operands == n,
          label, "the region wants %u arguments and %u returned values", 2 * n, n);
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = ret->operands[i]->type, x = tl_rule_in(r, i), a = body->args[i]->type,
            b = body->args[n + i]->type;
    bool wider = tl_dtype_get(x.dtype)->bits <= tl_dtype_get(t.dtype)->bits &&
                 tl_rule_kind(x) == tl_rule_kind(t);
    TL_RULE(r, t.rank == 0 && tl_type_agrees(t, a) && tl_type_agrees(t, b) && wider, label,
            "the region takes %s and %s and gives %s for elements of %s", tl_rule_type(r, a),
            tl_rule_type(r, b), tl_rule_type(r, t), tl_rule_type(r, x));
    out_dtypes[i] = t.dtype;
  }
  return TL_OK;
}

tl_status tl_infer_map(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands > 0, "c2", "wants an input");
  tl_type x = tl_rule_in(r, 0);
  for (uint32_t i = 1; i < op->n_operands; i++)
    TL_RULE(r, tl_rule_shape_eq(x, tl_rule_in(r, i)), "c1",
            "wants inputs of one shape, got %s and %s", tl_rule_type(r, x),
            tl_rule_type(r, tl_rule_in(r, i)));
  tl_i64s d = tl_op_list(op, TL_A_MAP_dimensions);
  bool all = d.len == x.rank;
  for (uint32_t i = 0; i < x.rank && all; i++)
    all = d.ptr[i] == i;
  TL_RULE(r, all, "c3", "dims %s are not those of %s, in order", tl_rule_list(r, d),
          tl_rule_type(r, x));
  const tl_block *body = op->regions[0];
  const tl_op *ret = body->last;
  TL_RULE(r,
          body->n_args == op->n_operands && ret != NULL && ret->code == TL_OP_RETURN &&
              ret->n_operands == 1 && ret->operands[0]->type.rank == 0,
          "c4", "the region wants %u arguments and 1 returned scalar", op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    TL_RULE(r, tl_type_agrees(body->args[i]->type, tl_type_scalar(tl_rule_in(r, i).dtype)), "c4",
            "the region takes %s for elements of %s", tl_rule_type(r, body->args[i]->type),
            tl_rule_type(r, tl_rule_in(r, i)));
  x.dtype = ret->operands[0]->type.dtype;
  TL_RULE(r, r->declared == NULL || r->n_declared != 1 || r->declared[0].dtype == x.dtype, "c4",
          "the result is declared %s, the region gives %s", tl_rule_type(r, r->declared[0]),
          tl_dtype_get(x.dtype)->mlir);
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_reduce(tl_rule *r) {
  const tl_op *op = r->op;
  uint32_t n = op->n_operands / 2;
  TL_RULE(r, n > 0 && op->n_operands == 2 * n, "c3",
          "wants as many inputs as initial values, got %u operands", op->n_operands);
  tl_i64s d = tl_op_list(op, TL_A_REDUCE_dimensions);
  tl_type x = tl_rule_in(r, 0);
  for (uint32_t i = 0; i < n; i++) {
    tl_type y = tl_rule_in(r, i), init = tl_rule_in(r, n + i);
    TL_RULE(r, tl_rule_shape_eq(x, y), "c1", "wants inputs of one shape, got %s and %s",
            tl_rule_type(r, x), tl_rule_type(r, y));
    TL_RULE(r, y.dtype == init.dtype && init.rank == 0, "c2", "starts %s with %s",
            tl_rule_type(r, y), tl_rule_type(r, init));
  }
  TL_RULE(r, tl_rule_within(d, x.rank), "c4", "dims %s are not dims of %s", tl_rule_list(r, d),
          tl_rule_type(r, x));
  TL_RULE(r, tl_rule_unique(d), "c5", "dims %s name one dim twice", tl_rule_list(r, d));
  tl_dtype *dtypes = TL_NEW(r->arena, tl_dtype, n);
  tl_type *types = TL_NEW(r->arena, tl_type, n);
  if (dtypes == NULL || types == NULL) return TL_OOM();
  TL_TRY(tl_rule_combiner(r, 0, n, "c6", dtypes));
  int64_t dims[TL_MAX_RANK];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank; i++)
    if (!tl_rule_has(d, i)) dims[rank++] = x.dims[i];
  for (uint32_t i = 0; i < n; i++) {
    types[i] = tl_type_of(r->arena, dtypes[i], dims, rank);
    if (rank != 0 && types[i].dims == NULL) return TL_OOM();
    TL_RULE(r, r->declared == NULL || i >= r->n_declared || r->declared[i].dtype == dtypes[i], "c8",
            "result %u is declared %s, the region gives %s", i, tl_rule_type(r, r->declared[i]),
            tl_dtype_get(dtypes[i])->mlir);
  }
  return tl_rule_give(r, types, n, "c7");
}

tl_status tl_infer_scatter(tl_rule *r) {
  const tl_op *op = r->op;
  uint32_t n = op->n_operands / 2; // n inputs, the indices, n updates
  TL_RULE(r, n > 0 && op->n_operands == 2 * n + 1, "c5",
          "wants as many updates as inputs, got %u operands", op->n_operands);
  tl_type x = tl_rule_in(r, 0), idx = tl_rule_in(r, n), u = tl_rule_in(r, n + 1);
  tl_i64s window = tl_op_list(op, TL_A_SCATTER_update_window_dims),
          inserted = tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
          xbatch = tl_op_list(op, TL_A_SCATTER_input_batching_dims),
          ibatch = tl_op_list(op, TL_A_SCATTER_scatter_indices_batching_dims),
          map = tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims);
  int64_t vec = tl_op_i64(op, TL_A_SCATTER_index_vector_dim);
  tl_dtype_kind kind = tl_rule_kind(idx);
  TL_RULE(r, kind == TL_KIND_INT || kind == TL_KIND_UINT, "i2", "wants integer indices, got %s",
          tl_rule_type(r, idx));
  for (uint32_t i = 0; i < n; i++) {
    tl_type y = tl_rule_in(r, i), v = tl_rule_in(r, n + 1 + i);
    TL_RULE(r, tl_rule_shape_eq(x, y), "c1", "wants inputs of one shape, got %s and %s",
            tl_rule_type(r, x), tl_rule_type(r, y));
    TL_RULE(r, tl_rule_shape_eq(u, v), "c3", "wants updates of one shape, got %s and %s",
            tl_rule_type(r, u), tl_rule_type(r, v));
    TL_RULE(r, y.dtype == v.dtype, "c6", "updates %s with %s", tl_rule_type(r, y),
            tl_rule_type(r, v));
  }
  TL_RULE(r, x.rank == window.len + inserted.len + xbatch.len, "c2",
          "%zu window, %zu inserted and %zu batching dims do not make up %s", window.len,
          inserted.len, xbatch.len, tl_rule_type(r, x));
  TL_RULE(r, tl_rule_unique(window) && tl_rule_sorted(window), "c7",
          "update window dims %s are not ascending", tl_rule_list(r, window));
  TL_RULE(r, tl_rule_within(window, u.rank), "c8", "update window dims %s are not dims of %s",
          tl_rule_list(r, window), tl_rule_type(r, u));
  TL_RULE(r, both_unique(inserted, xbatch), "c9",
          "inserted dims %s and batching dims %s name one dim twice", tl_rule_list(r, inserted),
          tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_sorted(inserted), "c10", "inserted dims %s are not ascending",
          tl_rule_list(r, inserted));
  TL_RULE(r, tl_rule_within(inserted, x.rank), "c11", "inserted dims %s are not dims of %s",
          tl_rule_list(r, inserted), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_sorted(xbatch), "c12", "input batching dims %s are not ascending",
          tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_within(xbatch, x.rank), "c13", "input batching dims %s are not dims of %s",
          tl_rule_list(r, xbatch), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_unique(ibatch), "c14", "scatter indices batching dims %s name one dim twice",
          tl_rule_list(r, ibatch));
  TL_RULE(r, tl_rule_within(ibatch, idx.rank), "c15",
          "scatter indices batching dims %s are not dims of %s", tl_rule_list(r, ibatch),
          tl_rule_type(r, idx));
  TL_RULE(r, !tl_rule_has(ibatch, vec), "c16", "index_vector_dim %lld is a batching dim",
          (long long)vec);
  TL_RULE(r, xbatch.len == ibatch.len, "c17", "%zu input batching dims, %zu of the indices",
          xbatch.len, ibatch.len);
  for (size_t i = 0; i < xbatch.len; i++)
    TL_RULE(r, tl_dim_agrees(x.dims[xbatch.ptr[i]], idx.dims[ibatch.ptr[i]]), "c18",
            "input batches %s, indices %s", tl_rule_dim(r, x.dims[xbatch.ptr[i]]),
            tl_rule_dim(r, idx.dims[ibatch.ptr[i]]));
  TL_RULE(r, vec >= 0 && vec <= idx.rank, "c22", "index_vector_dim %lld is not a dim of %s",
          (long long)vec, tl_rule_type(r, idx));
  int64_t vector = vec < idx.rank ? idx.dims[vec] : 1;
  TL_RULE(r, tl_dim_agrees((int64_t)map.len, vector), "c19",
          "scatter_dims_to_operand_dims has %zu entries for index vectors of %s", map.len,
          tl_rule_dim(r, vector));
  TL_RULE(r, both_unique(map, xbatch), "c20",
          "scatter_dims_to_operand_dims %s and batching dims %s name one dim twice",
          tl_rule_list(r, map), tl_rule_list(r, xbatch));
  TL_RULE(r, tl_rule_within(map, x.rank), "c21",
          "scatter_dims_to_operand_dims %s names no dims of %s", tl_rule_list(r, map),
          tl_rule_type(r, x));

  // The updates: scatter dims as the indices have them, window dims no larger than the input's.
  int64_t outer[TL_MAX_RANK], inner[TL_MAX_RANK], want[2 * TL_MAX_RANK];
  uint32_t n_outer = without_vector(idx, vec, outer), n_inner = 0;
  for (uint32_t d = 0; d < x.rank; d++)
    if (!tl_rule_has(inserted, d) && !tl_rule_has(xbatch, d)) inner[n_inner++] = x.dims[d];
  bool fits = u.rank == n_outer + n_inner;
  if (fits) combined(outer, inner, window, want, u.rank);
  for (uint32_t d = 0; fits && d < u.rank; d++)
    fits = tl_rule_has(window, d) ? tl_dim_may_le(r->module, u.dims[d], want[d])
                                  : tl_dim_agrees(u.dims[d], want[d]);
  TL_RULE(r, fits, "c4", "updates %s do not fit %s at indices %s", tl_rule_type(r, u),
          tl_rule_type(r, x), tl_rule_type(r, idx));

  tl_dtype *dtypes = TL_NEW(r->arena, tl_dtype, n);
  tl_type *types = TL_NEW(r->arena, tl_type, n);
  if (dtypes == NULL || types == NULL) return TL_OOM();
  TL_TRY(tl_rule_combiner(r, 0, n, "c23", dtypes));
  for (uint32_t i = 0; i < n; i++) {
    types[i] = (tl_type){dtypes[i], x.rank, x.dims};
    TL_RULE(r, r->declared == NULL || i >= r->n_declared || r->declared[i].dtype == dtypes[i],
            "c25", "result %u is declared %s, the region gives %s", i,
            tl_rule_type(r, r->declared[i]), tl_dtype_get(dtypes[i])->mlir);
  }
  return tl_rule_give(r, types, n, "c24");
}

tl_status tl_infer_sort(tl_rule *r) {
  const tl_op *op = r->op;
  uint32_t n = op->n_operands;
  TL_RULE(r, n > 0, "c1", "wants at least one input");
  tl_type x = tl_rule_in(r, 0);
  int64_t dim = tl_op_i64(op, TL_A_SORT_dimension);
  for (uint32_t i = 1; i < n; i++)
    TL_RULE(r, tl_rule_shape_eq(x, tl_rule_in(r, i)), "c3",
            "wants inputs of one shape, got %s and %s", tl_rule_type(r, x),
            tl_rule_type(r, tl_rule_in(r, i)));
  TL_RULE(r, dim >= -(int64_t)x.rank && dim < (int64_t)x.rank, "c4",
          "dimension %lld is not a dim of %s", (long long)dim, tl_rule_type(r, x));
  const tl_block *body = op->regions[0];
  const tl_op *ret = body->last;
  TL_RULE(r, body->n_args == 2 * n, "c5", "the comparator takes %u values, wants %u", body->n_args,
          2 * n);
  for (uint32_t i = 0; i < 2 * n; i++)
    TL_RULE(r, tl_type_agrees(body->args[i]->type, tl_type_scalar(tl_rule_in(r, i / 2).dtype)),
            "c5", "argument %u of the comparator is %s, for elements of %s", i,
            tl_rule_type(r, body->args[i]->type), tl_rule_type(r, tl_rule_in(r, i / 2)));
  TL_RULE(r,
          ret != NULL && ret->code == TL_OP_RETURN && ret->n_operands == 1 &&
              tl_type_agrees(ret->operands[0]->type, tl_type_scalar(TL_DTYPE_I1)),
          "c5", "the comparator wants to return one tensor<i1>");
  tl_type *types = TL_NEW(r->arena, tl_type, n);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    types[i] = tl_rule_in(r, i);
  return tl_rule_give(r, types, n, "c2");
}
