// gather and scatter: windows of a tensor at places that another tensor names.
//
// Both walk the index tensor's batch positions in row-major order; each names the start of a window
// in the operand. gather clamps the start so that the window fits. scatter leaves out the single
// elements that fall outside, and applies updates in ascending order, so that of several updates of
// one element the last comes last.
#include "ref/eval.h"

#include <string.h>

#include "ref/lanes.h"
#include "ref/strided.h"

// The dimension numbers of either op, by gather's names.
typedef struct windows {
  tl_i64s
      offset_dims;   // of the batched side (gather's result, scatter's updates): the window's dims
  tl_i64s collapsed; // operand dims that the window lacks
  tl_i64s batching;  // operand dims that follow an index dim ...
  tl_i64s index_batching; // ... this one
  tl_i64s map;            // operand dim of each component of an index
  int64_t vector_dim;
  const tl_tensor *indices;
} windows;

static bool has(tl_i64s list, int64_t value) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == value) return true;
  return false;
}

// The start in every operand dim at batch position `batch` [n_batch], not clamped.
static void start_at(const windows *w, const int64_t *batch, uint32_t rank,
                     int64_t out_start[TL_MAX_RANK]) {
  tl_type t = w->indices->type;
  int64_t strides[TL_MAX_RANK], at = 0;
  tl_strides_of(t, strides);
  for (uint32_t d = 0, b = 0; d < t.rank; d++)
    if (d != w->vector_dim) at += batch[b++] * strides[d];
  for (uint32_t d = 0; d < rank; d++)
    out_start[d] = 0;
  int64_t step = w->vector_dim < (int64_t)t.rank ? strides[w->vector_dim] : 0;
  for (size_t i = 0; i < w->map.len; i++)
    out_start[w->map.ptr[i]] = tl_ref_index(w->indices, (size_t)(at + (int64_t)i * step));
  for (size_t i = 0; i < w->batching.len; i++) {
    int64_t d = w->index_batching.ptr[i];
    out_start[w->batching.ptr[i]] = batch[d - (d < w->vector_dim ? 0 : 1)];
  }
}

// The batched side's dims that are not the window's.
typedef struct batch_dims {
  uint32_t n;
  int64_t dims[TL_MAX_RANK], strides[TL_MAX_RANK];
} batch_dims;

static batch_dims batch_dims_of(const windows *w, tl_type t) {
  batch_dims b = {0};
  int64_t strides[TL_MAX_RANK];
  tl_strides_of(t, strides);
  for (uint32_t d = 0; d < t.rank; d++)
    if (!has(w->offset_dims, d)) {
      b.dims[b.n] = t.dims[d];
      b.strides[b.n++] = strides[d];
    }
  return b;
}

static bool next_index(uint32_t n, const int64_t *dims, int64_t *index) {
  for (uint32_t i = n; i-- > 0;) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

tl_status ref_eval_GATHER(tl_ref_call *c) {
  const tl_op *op = c->op;
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  windows w = {tl_op_list(op, TL_A_GATHER_offset_dims),
               tl_op_list(op, TL_A_GATHER_collapsed_slice_dims),
               tl_op_list(op, TL_A_GATHER_operand_batching_dims),
               tl_op_list(op, TL_A_GATHER_start_indices_batching_dims),
               tl_op_list(op, TL_A_GATHER_start_index_map),
               tl_op_i64(op, TL_A_GATHER_index_vector_dim),
               &c->in[1]};
  const int64_t *sizes = tl_op_list(op, TL_A_GATHER_slice_sizes).ptr;
  size_t size = tl_dtype_get(x->type.dtype)->size, count;
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "gather: the result is too large");
  if (count == 0) return TL_OK;
  int64_t x_strides[TL_MAX_RANK], out_strides[TL_MAX_RANK];
  tl_strides_of(x->type, x_strides);
  tl_strides_of(out->type, out_strides);
  tl_strided window = {0};
  for (uint32_t d = 0; d < x->type.rank; d++)
    if (!has(w.collapsed, d) && !has(w.batching, d)) {
      window.dims[window.rank] = sizes[d];
      window.src[window.rank] = x_strides[d];
      window.dst[window.rank] = out_strides[w.offset_dims.ptr[window.rank]];
      window.rank++;
    }
  batch_dims b = batch_dims_of(&w, out->type);
  int64_t batch[TL_MAX_RANK] = {0}, start[TL_MAX_RANK];
  do {
    start_at(&w, batch, x->type.rank, start);
    int64_t from = 0, to = 0;
    for (uint32_t d = 0; d < x->type.rank; d++)
      from += TL_MAX(0, TL_MIN(start[d], x->type.dims[d] - sizes[d])) * x_strides[d];
    for (uint32_t i = 0; i < b.n; i++)
      to += batch[i] * b.strides[i];
    tl_strided_copy(&window, size, (const unsigned char *)x->data + from * (int64_t)size,
                    (unsigned char *)out->data + to * (int64_t)size);
  } while (next_index(b.n, b.dims, batch));
  return TL_OK;
}

// One update: element `from` of every updates tensor into element `to` of every result.
static tl_status update(tl_ref_call *c, tl_region_kind kind, tl_opcode op, size_t to, size_t from) {
  uint32_t n = c->op->n_results;
  const tl_tensor *updates = &c->in[n + 1];
  if (kind != TL_REGION_OTHER) {
    const tl_tensor *out = &c->out[0].t;
    tl_dtype d = out->type.dtype;
    tl_lanes_kind lanes = tl_lanes_kind_of(d);
    tl_lanes x, y;
    tl_lanes_load_as(&y, lanes, updates->type.dtype, updates->data, from, 1);
    if (kind == TL_REGION_OP) {
      tl_lanes_load(&x, d, out->data, to, 1);
      if (!tl_lanes_binary(op, lanes, tl_lanes_bits(d), 1, &x, &y, &y))
        return TL_ERROR(UNIMPLEMENTED, "scatter: %s has no meaning for elements of type %s",
                        tl_op_get(op)->mnemonic, tl_dtype_get(d)->mlir);
    }
    tl_lanes_store(&y, lanes, d, out->data, to, 1);
    return TL_OK;
  }
  tl_arena_point mark = tl_arena_mark(c->scratch);
  tl_status st = TL_OK;
  tl_ref_cell *args = TL_NEW(c->scratch, tl_ref_cell, (size_t)2 * n),
              *results = TL_NEW(c->scratch, tl_ref_cell, n);
  if (args == NULL || results == NULL) {
    tl_arena_rewind(c->scratch, mark);
    return TL_OOM();
  }
  for (uint32_t i = 0; i < n; i++) { // present values, then updates
    tl_dtype d = c->out[i].t.type.dtype;
    tl_lanes x;
    TL_TRY_GOTO(done, st, tl_ref_cell_make(tl_type_scalar(d), &args[i]));
    TL_TRY_GOTO(done, st, tl_ref_cell_make(tl_type_scalar(d), &args[n + i]));
    tl_lanes_load(&x, d, c->out[i].t.data, to, 1);
    tl_lanes_store(&x, tl_lanes_kind_of(d), d, args[i].t.data, 0, 1);
    tl_lanes_load(&x, updates[i].type.dtype, updates[i].data, from, 1);
    tl_lanes_kind as = tl_lanes_convert(&x, tl_lanes_kind_of(updates[i].type.dtype), d, 1);
    tl_lanes_store(&x, as, d, args[n + i].t.data, 0, 1);
  }
  TL_TRY_GOTO(done, st, tl_ref_run_region(c, 0, args, 2 * n, results, n));
  for (uint32_t i = 0; i < n; i++) {
    const tl_tensor *out = &c->out[i].t;
    size_t size = tl_dtype_get(out->type.dtype)->size;
    if (results[i].t.type.dtype != out->type.dtype || results[i].t.type.rank != 0) {
      st = TL_ERROR(INVALID_ARGUMENT,
                    "scatter: the region's result %u has another type than the op's", i);
      goto done;
    }
    memcpy((unsigned char *)out->data + to * size, results[i].t.data, size);
  }
done:
  for (uint32_t i = 0; args != NULL && i < 2 * n; i++)
    tl_ref_release(&args[i]);
  for (uint32_t i = 0; results != NULL && i < n; i++)
    tl_ref_release(&results[i]);
  tl_arena_rewind(c->scratch, mark);
  return st;
}

// Results begin as the inputs, converted where the region promotes them.
static void start_results(tl_ref_call *c) {
  if (c->op->n_results == 1 && c->in[0].type.dtype == c->out[0].t.type.dtype) {
    tl_ref_start_from(c, 0);
    return;
  }
  for (uint32_t i = 0; i < c->op->n_results; i++) {
    const tl_tensor *x = &c->in[i], *out = &c->out[i].t;
    size_t count;
    if (!tl_type_count(out->type, &count)) continue;
    tl_lanes lanes;
    for (size_t at = 0; at < count; at += TL_LANES) {
      size_t n = TL_MIN(count - at, TL_LANES);
      tl_lanes_load(&lanes, x->type.dtype, x->data, at, n);
      tl_lanes_kind kind =
          tl_lanes_convert(&lanes, tl_lanes_kind_of(x->type.dtype), out->type.dtype, n);
      tl_lanes_store(&lanes, kind, out->type.dtype, out->data, at, n);
    }
  }
}

tl_status ref_eval_SCATTER(tl_ref_call *c) {
  const tl_op *op = c->op;
  uint32_t n = op->n_results;
  windows w = {tl_op_list(op, TL_A_SCATTER_update_window_dims),
               tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
               tl_op_list(op, TL_A_SCATTER_input_batching_dims),
               tl_op_list(op, TL_A_SCATTER_scatter_indices_batching_dims),
               tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims),
               tl_op_i64(op, TL_A_SCATTER_index_vector_dim),
               &c->in[n]};
  tl_type x = c->out[0].t.type, updates = c->in[n + 1].type;
  size_t count;
  start_results(c);
  if (!tl_type_count(updates, &count))
    return TL_ERROR(INVALID_ARGUMENT, "scatter: the updates are too large");
  if (count == 0) return TL_OK;
  tl_opcode combine = TL_OP_ADD;
  tl_region_kind kind = n == 1 ? tl_ref_region_kind(op->regions[0], &combine) : TL_REGION_OTHER;
  int64_t x_strides[TL_MAX_RANK], updates_strides[TL_MAX_RANK];
  tl_strides_of(x, x_strides);
  tl_strides_of(updates, updates_strides);
  batch_dims b = batch_dims_of(&w, updates);
  int64_t index[TL_MAX_RANK] = {0}, batch[TL_MAX_RANK], start[TL_MAX_RANK];
  // In the updates' own row-major order, since that is the order in which updates of one element
  // are applied.
  for (size_t from = 0; from < count; from++) {
    uint32_t n_batch = 0;
    for (uint32_t d = 0; d < updates.rank; d++)
      if (!has(w.offset_dims, d)) batch[n_batch++] = index[d];
    TL_ASSERT(n_batch == b.n);
    start_at(&w, batch, x.rank, start);
    int64_t to = 0;
    bool inside = true;
    for (uint32_t d = 0, window = 0; d < x.rank; d++) {
      int64_t at = start[d];
      if (!has(w.collapsed, d) && !has(w.batching, d))
        inside &= TL_ADD_OK(at, index[w.offset_dims.ptr[window++]], &at);
      inside = inside && at >= 0 && at < x.dims[d];
      if (inside) to += at * x_strides[d];
    }
    if (inside) TL_TRY(update(c, kind, combine, (size_t)to, from));
    next_index(updates.rank, updates.dims, index);
  }
  return TL_OK;
}
