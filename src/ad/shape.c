// Rules of ops that move elements: each is linear, and its transpose moves them back.
#include "ad/index.h"

#include "ir/dim.h"

// transpose by p: back by the inverse of p.
void tl_vjp_transpose_dims(tl_vjp *v) {
  tl_i64s p = tl_op_list(v->op, TL_A_TRANSPOSE_permutation);
  int64_t back[TL_MAX_RANK];
  for (size_t d = 0; d < p.len; d++)
    back[p.ptr[d]] = (int64_t)d;
  tl_vjp_give(v, 0, tlo_transpose(v->b, v->ct[0], back));
}

void tl_batch_transpose_dims(tl_batch *v) {
  tl_i64s p = tl_op_list(v->op, TL_A_TRANSPOSE_permutation);
  int64_t *dims = tl_batch_dims(v->b, p.ptr, p.len, true);
  v->out[0] = dims == NULL ? NULL : tlo_transpose(v->b, v->in[0], dims);
}

// The sum over dims that are new and over those that were of size 1 and are not. `at`: where the
// operand's dims went; stays [dims of ct]: it has one there, of the same size.
tl_value tl_ad_unbroadcast(tl_builder *b, tl_value ct, tl_type from, tl_i64s at,
                           const bool *stays) {
  int64_t sum[TL_MAX_RANK] = {0}, kept[TL_MAX_RANK], order[TL_MAX_RANK];
  uint32_t n_sum = 0, n_kept = 0;
  if (ct == NULL) return NULL;
  for (uint32_t d = 0; d < ct->type.rank; d++)
    if (!stays[d])
      sum[n_sum++] = d;
    else
      kept[n_kept++] = d;
  ct = tl_ad_sum(b, ct, sum, n_sum);
  // What is kept lies in the order of the result's dims; the operand's may be another.
  uint32_t n = 0;
  for (size_t d = 0; d < at.len; d++)
    for (uint32_t k = 0; k < n_kept; k++)
      if (kept[k] == at.ptr[d]) order[n++] = k;
  if (n > 1) ct = tlo_transpose(b, ct, order);
  return tlo_reshape(b, ct, from.dims, from.rank);
}

void tl_vjp_broadcast_in_dim(tl_vjp *v) {
  const tl_type from = v->in[0]->type, to = v->out[0]->type;
  tl_i64s at = tl_op_list(v->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  bool stays[TL_MAX_RANK] = {false};
  for (size_t d = 0; d < at.len; d++)
    stays[at.ptr[d]] = from.dims[d] == to.dims[at.ptr[d]];
  tl_vjp_give(v, 0, tl_ad_unbroadcast(v->b, v->ct[0], from, at, stays));
}

void tl_batch_broadcast_in_dim(tl_batch *v) {
  tl_i64s at = tl_op_list(v->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  int64_t *dims = tl_batch_dims(v->b, at.ptr, at.len, true);
  tl_type t = tl_batch_type(v->b, v->op->results[0]->type, v->size);
  v->out[0] = dims == NULL ? NULL : tlo_broadcast(v->b, v->in[0], t, dims);
}

void tl_vjp_reshape(tl_vjp *v) {
  tl_vjp_give(v, 0, tlo_reshape(v->b, v->ct[0], v->in[0]->type.dims, v->in[0]->type.rank));
}
void tl_batch_reshape(tl_batch *v) {
  tl_type t = tl_batch_type(v->b, v->op->results[0]->type, v->size);
  v->out[0] = tlo_reshape(v->b, v->in[0], t.dims, t.rank);
}

static tl_value reversed(tl_builder *b, tl_value x, const int64_t *dims, size_t n) {
  tl_op *op = tl_op_begin(b, TL_OP_REVERSE, &x, 1);
  tl_op_set_list(b, op, TL_A_REVERSE_dimensions, dims, n);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}
void tl_vjp_reverse(tl_vjp *v) {
  tl_i64s dims = tl_op_list(v->op, TL_A_REVERSE_dimensions);
  tl_vjp_give(v, 0, reversed(v->b, v->ct[0], dims.ptr, dims.len));
}
void tl_batch_reverse(tl_batch *v) {
  tl_i64s dims = tl_op_list(v->op, TL_A_REVERSE_dimensions);
  int64_t *moved = tl_batch_dims(v->b, dims.ptr, dims.len, false);
  if (moved != NULL) v->out[0] = reversed(v->b, v->in[0], moved, dims.len);
}

static int64_t sum(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  if (!tl_dim_add(b->m, x, y, &d))
    tl_builder_fail(b, TL_ERROR(RESOURCE_EXHAUSTED, "a size of a gradient cannot be counted"));
  return d;
}
static int64_t difference(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  if (!tl_dim_sub(b->m, x, y, &d))
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a size of a gradient would be below 0"));
  return d;
}
// The places that n elements take, `step` apart.
static int64_t reach(tl_builder *b, int64_t n, int64_t step) {
  int64_t d = n;
  if (step == 1 || n == 0) return n;
  if (!tl_dim_affine(b->m, n, step, 1 - step, &d))
    tl_builder_fail(b, TL_ERROR(RESOURCE_EXHAUSTED, "a size of a gradient cannot be counted"));
  return d;
}

// concatenate: each operand gets its own stretch.
void tl_vjp_concatenate(tl_vjp *v) {
  const int64_t dim = tl_op_i64(v->op, TL_A_CONCATENATE_dimension);
  const tl_type t = v->out[0]->type;
  int64_t start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK];
  for (uint32_t d = 0; d < t.rank; d++)
    limit[d] = t.dims[d];
  for (uint32_t i = 0; i < v->op->n_operands; i++) {
    limit[dim] = sum(v->b, start[dim], v->in[i]->type.dims[dim]);
    if (tl_vjp_wants(v, i)) tl_vjp_give(v, i, tlo_slice(v->b, v->ct[0], start, limit, NULL));
    start[dim] = limit[dim];
  }
}
void tl_batch_concatenate(tl_batch *v) {
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)tl_batch_in(v, i);
  const int64_t dim = tl_op_i64(v->op, TL_A_CONCATENATE_dimension);
  v->out[0] = tlo_concat(v->b, v->in, v->op->n_operands, dim + 1);
}

static tl_value padded(tl_builder *b, tl_value x, tl_value with, const int64_t *low,
                       const int64_t *high, const int64_t *interior) {
  tl_op *op = tl_op_begin(b, TL_OP_PAD, (tl_value[]){x, with}, 2);
  const uint32_t rank = tl_value_type(x).rank;
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_low, low, rank);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_high, high, rank);
  tl_op_set_list(b, op, TL_A_PAD_interior_padding, interior, rank);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// slice: zeros around and between.
void tl_vjp_slice(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_i64s start = tl_op_list(v->op, TL_A_SLICE_start_indices),
          stride = tl_op_list(v->op, TL_A_SLICE_strides);
  const tl_type from = v->in[0]->type, to = v->out[0]->type;
  int64_t high[TL_MAX_RANK], interior[TL_MAX_RANK];
  for (uint32_t d = 0; d < from.rank; d++) {
    const int64_t covered = reach(b, to.dims[d], stride.ptr[d]);
    high[d] = difference(b, from.dims[d], sum(b, start.ptr[d], covered));
    interior[d] = stride.ptr[d] - 1;
  }
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0);
  tl_vjp_give(v, 0, tlo_pad_sized(b, v->ct[0], zero, start.ptr, high, interior, from));
}
// The attributes of one example with those of the whole batch in front.
static int64_t *led_by(tl_builder *b, tl_i64s list, int64_t first) {
  int64_t *out = TL_NEW(b->m->arena, int64_t, list.len + 1);
  if (out == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  out[0] = first;
  if (list.len != 0) memcpy(out + 1, list.ptr, list.len * sizeof *out);
  return out;
}
void tl_batch_slice(tl_batch *v) {
  tl_builder *b = v->b;
  int64_t *start = led_by(b, tl_op_list(v->op, TL_A_SLICE_start_indices), 0),
          *limit = led_by(b, tl_op_list(v->op, TL_A_SLICE_limit_indices), v->size),
          *stride = led_by(b, tl_op_list(v->op, TL_A_SLICE_strides), 1);
  if (start == NULL || limit == NULL || stride == NULL) return;
  v->out[0] = tlo_slice(b, v->in[0], start, limit, stride);
}

// pad: the operand's own elements come back; the padding value gets the sum of the others.
void tl_vjp_pad(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_i64s low = tl_op_list(v->op, TL_A_PAD_edge_padding_low),
          high = tl_op_list(v->op, TL_A_PAD_edge_padding_high),
          interior = tl_op_list(v->op, TL_A_PAD_interior_padding);
  const tl_type from = v->in[0]->type;
  int64_t back_low[TL_MAX_RANK], back_high[TL_MAX_RANK],
      none[TL_MAX_RANK] = {0}, start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK], step[TL_MAX_RANK],
      all[TL_MAX_RANK];
  bool strided = false;
  for (uint32_t d = 0; d < from.rank; d++) {
    back_low[d] = -low.ptr[d];
    back_high[d] = -high.ptr[d];
    step[d] = interior.ptr[d] + 1;
    limit[d] = reach(b, from.dims[d], step[d]);
    strided |= interior.ptr[d] != 0;
    all[d] = d;
  }
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0);
  tl_value own = padded(b, v->ct[0], zero, back_low, back_high, none);
  if (strided) own = tlo_slice(b, own, start, limit, step);
  tl_vjp_give(v, 0, own);
  if (!tl_vjp_wants(v, 1)) return;
  tl_value whole = tl_ad_sum(b, v->ct[0], all, from.rank);
  tl_vjp_give(v, 1, tlo_sub(b, whole, tl_ad_sum(b, own, all, from.rank)));
}
void tl_batch_pad(tl_batch *v) {
  tl_builder *b = v->b;
  int64_t *low = led_by(b, tl_op_list(v->op, TL_A_PAD_edge_padding_low), 0),
          *high = led_by(b, tl_op_list(v->op, TL_A_PAD_edge_padding_high), 0),
          *interior = led_by(b, tl_op_list(v->op, TL_A_PAD_interior_padding), 0);
  if (low == NULL || high == NULL || interior == NULL) return;
  tl_value x = tl_batch_in(v, 0);
  if (!v->batched[1]) {
    v->out[0] = padded(b, x, v->in[1], low, high, interior);
    return;
  }
  // Each example pads with its own: where the padding is, its value is taken.
  const tl_type t = tl_batch_type(b, v->op->results[0]->type, v->size);
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(t.dtype), 0);
  tl_value y = padded(b, x, zero, low, high, interior);
  tl_type bits = tl_value_type(x);
  bits.dtype = TL_DTYPE_I1;
  tl_value yes = tlo_fill(b, bits, 1), no = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_I1), 0);
  tl_value own = padded(b, yes, no, low, high, interior);
  tl_value with = tlo_broadcast(b, v->in[1], t, (int64_t[]){0});
  v->out[0] = tlo_select(b, own, y, with);
}

// --- At places known when it runs
// -----------------------------------------------------------------

void tl_vjp_dynamic_slice(tl_vjp *v) { tl_vjp_give_slice(v, 0, v->ct[0], v->in + 1); }

void tl_vjp_dynamic_update_slice(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type part = v->in[1]->type;
  if (tl_vjp_wants(v, 0)) {
    tl_value zeros = tl_ad_zeros(b, part);
    tl_vjp_give(v, 0, tlo_dynamic_update_slice(b, v->ct[0], zeros, v->in + 2));
  }
  if (tl_vjp_wants(v, 1)) tl_vjp_give(v, 1, tlo_dynamic_slice(b, v->ct[0], v->in + 2, part.dims));
}

static bool any_start(const tl_batch *v, uint32_t from) {
  for (uint32_t i = from; i < v->op->n_operands; i++)
    if (v->batched[i]) return true;
  return false;
}

// The scalars of each example as rows [size, rank].
static tl_value rows_of(tl_builder *b, tl_value *starts, uint32_t rank, int64_t size) {
  for (uint32_t d = 0; d < rank; d++)
    starts[d] = tlo_reshape(b, starts[d], (int64_t[]){size, 1}, 2);
  return tlo_concat(b, starts, rank, 1);
}

// One window an example, at its row, of x, which has the batch in front or is one for all.
typedef struct windows {
  int64_t dims[TL_MAX_RANK + 1];
  tl_ad_places p;
} windows;

static void lay_windows(windows *w, uint32_t rank, bool own) {
  for (uint32_t d = 0; d <= rank; d++)
    w->dims[d] = d;
  const tl_i64s batch = {w->dims, own ? 1 : 0};
  w->p = (tl_ad_places){.window = {w->dims + 1, rank},
                        .map = {w->dims + (own ? 1 : 0), rank},
                        .xbatch = batch,
                        .ibatch = batch,
                        .vector = 1};
}

tl_value tl_ad_batched_slice(tl_batch *v, tl_value *starts, tl_type part) {
  windows w;
  if (part.rank >= TL_MAX_RANK) tl_builder_fail(v->b, TL_ERROR(INVALID_ARGUMENT, "rank too high"));
  if (v->b->error != TL_OK) return NULL;
  lay_windows(&w, part.rank, v->batched[0]);
  tl_value rows = rows_of(v->b, starts, part.rank, v->size);
  return tl_ad_gather(v->b, &w.p, v->in[0], rows, tl_batch_type(v->b, part, v->size));
}

// With the same starts for all: the same slice. With starts of their own: a gather of one window an
// example, its batch paired with the operand's.
void tl_batch_dynamic_slice(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_type part = v->op->results[0]->type;
  tl_value starts[TL_MAX_RANK + 1];
  if (any_start(v, 1)) {
    for (uint32_t d = 0; d < part.rank; d++)
      starts[d] = tl_batch_in(v, d + 1);
    v->out[0] = tl_ad_batched_slice(v, starts, part);
    return;
  }
  int64_t *sizes = led_by(b, (tl_i64s){part.dims, part.rank}, v->size);
  if (sizes == NULL) return;
  if (part.rank == 0) {
    v->out[0] = v->in[0];
    return;
  }
  starts[0] = tlo_constant_i64(b, tl_type_scalar(v->in[1]->type.dtype), 0);
  for (uint32_t d = 0; d < part.rank; d++)
    starts[d + 1] = v->in[d + 1];
  v->out[0] = tlo_dynamic_slice(b, v->in[0], starts, sizes);
}

// The same with a scatter of one window an example, which replaces what is there.
void tl_batch_dynamic_update_slice(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_type whole = v->op->operands[0]->type;
  tl_value x = tl_batch_in(v, 0), u = tl_batch_in(v, 1), starts[TL_MAX_RANK + 1];
  if (x == NULL || u == NULL) return;
  if (any_start(v, 2)) {
    windows w;
    lay_windows(&w, whole.rank, true);
    for (uint32_t d = 0; d < whole.rank; d++)
      starts[d] = tl_batch_in(v, d + 2);
    tl_value rows = rows_of(b, starts, whole.rank, v->size);
    rows = tl_ad_clamped_places(b, &w.p, x->type, u->type, rows);
    v->out[0] = tl_ad_scatter(b, &w.p, TL_OP_RETURN, x, rows, u);
    return;
  }
  if (whole.rank == 0) {
    v->out[0] = u;
    return;
  }
  starts[0] = tlo_constant_i64(b, tl_type_scalar(v->in[2]->type.dtype), 0);
  for (uint32_t d = 0; d < whole.rank; d++)
    starts[d + 1] = v->in[d + 2];
  v->out[0] = tlo_dynamic_update_slice(b, x, u, starts);
}

// --- Sizes
// ----------------------------------------------------------------------------------------

void tl_batch_get_dimension_size(tl_batch *v) {
  v->out[0] = tlo_get_dimension_size(v->b, v->in[0],
                                     tl_op_i64(v->op, TL_A_GET_DIMENSION_SIZE_dimension) + 1);
  v->out_batched[0] = false;
}

// optimization_barrier: what passes it passes it in every direction.
void tl_vjp_barrier(tl_vjp *v) {
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    tl_vjp_give(v, i, v->ct[i]);
}
void tl_jvp_barrier(tl_jvp *j) {
  for (uint32_t i = 0; i < j->op->n_operands; i++)
    tl_jvp_give(j, i, j->t[i]);
}
void tl_batch_barrier(tl_batch *v) {
  tl_op *op = tl_clone_with(v->b, v->op, v->in, NULL);
  for (uint32_t i = 0; op != NULL && i < v->op->n_operands; i++) {
    v->out[i] = op->results[i];
    v->out_batched[i] = v->batched[i];
  }
}
