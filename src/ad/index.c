// Rules of gather, scatter and sort.
//
// gather clamps its indices, scatter drops the elements that are outside; so the transpose of
// gather scatters at clamped indices, and that of scatter gathers and then blanks what was dropped.
// Ties: of equal candidates for a minimum or maximum each gets an equal share, as in JAX; of
// updates that replace one element the last one wins and it alone has a derivative.
#include "ad/index.h"
#include "ad/region.h"

#include "ir/dim.h"

static bool has(tl_i64s list, int64_t d) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == d) return true;
  return false;
}

static tl_value result(tl_op *op) { return op == NULL ? NULL : op->results[0]; }

// --- Places
// ---------------------------------------------------------------------------------------

static tl_ad_places places_of_gather(const tl_op *op) {
  return (tl_ad_places){.window = tl_op_list(op, TL_A_GATHER_offset_dims),
                        .inserted = tl_op_list(op, TL_A_GATHER_collapsed_slice_dims),
                        .xbatch = tl_op_list(op, TL_A_GATHER_operand_batching_dims),
                        .ibatch = tl_op_list(op, TL_A_GATHER_start_indices_batching_dims),
                        .map = tl_op_list(op, TL_A_GATHER_start_index_map),
                        .vector = tl_op_i64(op, TL_A_GATHER_index_vector_dim),
                        .sorted = tl_op_i64(op, TL_A_GATHER_indices_are_sorted) != 0};
}

static tl_ad_places places_of_dynamic_gather(const tl_op *op) {
  return (tl_ad_places){.window = tl_op_list(op, TL_A_DYNAMIC_GATHER_offset_dims),
                        .inserted = tl_op_list(op, TL_A_DYNAMIC_GATHER_collapsed_slice_dims),
                        .xbatch = tl_op_list(op, TL_A_DYNAMIC_GATHER_operand_batching_dims),
                        .ibatch = tl_op_list(op, TL_A_DYNAMIC_GATHER_start_indices_batching_dims),
                        .map = tl_op_list(op, TL_A_DYNAMIC_GATHER_start_index_map),
                        .vector = tl_op_i64(op, TL_A_DYNAMIC_GATHER_index_vector_dim),
                        .sorted = tl_op_i64(op, TL_A_DYNAMIC_GATHER_indices_are_sorted) != 0};
}

static tl_ad_places places_of_scatter(const tl_op *op) {
  return (tl_ad_places){.window = tl_op_list(op, TL_A_SCATTER_update_window_dims),
                        .inserted = tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
                        .xbatch = tl_op_list(op, TL_A_SCATTER_input_batching_dims),
                        .ibatch = tl_op_list(op, TL_A_SCATTER_scatter_indices_batching_dims),
                        .map = tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims),
                        .vector = tl_op_i64(op, TL_A_SCATTER_index_vector_dim),
                        .sorted = tl_op_i64(op, TL_A_SCATTER_indices_are_sorted) != 0,
                        .unique = tl_op_i64(op, TL_A_SCATTER_unique_indices) != 0};
}

// The size of a window over each dim of x, as the updates, or a gather's result, have it.
static void window_sizes(const tl_ad_places *p, uint32_t rank, tl_type updates, int64_t *sizes) {
  size_t k = 0;
  for (uint32_t d = 0; d < rank; d++)
    sizes[d] = has(p->inserted, d) || has(p->xbatch, d) ? 1 : updates.dims[p->window.ptr[k++]];
}

tl_value tl_ad_gather(tl_builder *b, const tl_ad_places *p, tl_value x, tl_value indices,
                      tl_type like) {
  if (x == NULL) return NULL;
  int64_t sizes[TL_MAX_RANK];
  window_sizes(p, x->type.rank, like, sizes);
  // An empty result may be of windows of size 0 over dims that it lacks.
  for (uint32_t d = 0; d < x->type.rank; d++)
    if (x->type.dims[d] == 0) sizes[d] = 0;
  tl_op *op = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){x, indices}, 2);
  if (op == NULL) return NULL;
  tl_op_set_list(b, op, TL_A_GATHER_offset_dims, p->window.ptr, p->window.len);
  tl_op_set_list(b, op, TL_A_GATHER_collapsed_slice_dims, p->inserted.ptr, p->inserted.len);
  tl_op_set_list(b, op, TL_A_GATHER_operand_batching_dims, p->xbatch.ptr, p->xbatch.len);
  tl_op_set_list(b, op, TL_A_GATHER_start_indices_batching_dims, p->ibatch.ptr, p->ibatch.len);
  tl_op_set_list(b, op, TL_A_GATHER_start_index_map, p->map.ptr, p->map.len);
  tl_op_set_i64(op, TL_A_GATHER_index_vector_dim, p->vector);
  tl_op_set_list(b, op, TL_A_GATHER_slice_sizes, sizes, x->type.rank);
  tl_op_set_i64(op, TL_A_GATHER_indices_are_sorted, p->sorted);
  return tlo_gather_finish(b, op);
}

static void combiner_region(tl_builder *b, tl_op *op, tl_dtype dtype, tl_opcode combiner) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  tl_value x = tl_block_arg(&in, block, tl_type_scalar(dtype)),
           y = tl_block_arg(&in, block, tl_type_scalar(dtype));
  tl_value r = combiner == TL_OP_RETURN ? y : tlo_binary(&in, combiner, x, y);
  tlo_return(&in, &r, 1);
  tl_builder_join(b, &in);
}

tl_value tl_ad_scatter(tl_builder *b, const tl_ad_places *p, tl_opcode combiner, tl_value x,
                       tl_value indices, tl_value updates) {
  tl_op *op = tl_op_begin(b, TL_OP_SCATTER, (tl_value[]){x, indices, updates}, 3);
  if (op == NULL) return NULL;
  tl_op_set_list(b, op, TL_A_SCATTER_update_window_dims, p->window.ptr, p->window.len);
  tl_op_set_list(b, op, TL_A_SCATTER_inserted_window_dims, p->inserted.ptr, p->inserted.len);
  tl_op_set_list(b, op, TL_A_SCATTER_input_batching_dims, p->xbatch.ptr, p->xbatch.len);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_indices_batching_dims, p->ibatch.ptr, p->ibatch.len);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_dims_to_operand_dims, p->map.ptr, p->map.len);
  tl_op_set_i64(op, TL_A_SCATTER_index_vector_dim, p->vector);
  tl_op_set_i64(op, TL_A_SCATTER_indices_are_sorted, p->sorted);
  tl_op_set_i64(op, TL_A_SCATTER_unique_indices, p->unique);
  combiner_region(b, op, x->type.dtype, combiner);
  return result(tl_op_finish(b, op, NULL, 0));
}

// The greatest index at which a window fits, of the indices' shape; *indices becomes of a type that
// holds it.
static tl_value last_places(tl_builder *b, const tl_ad_places *p, tl_type x, tl_type updates,
                            tl_value *indices) {
  if (*indices == NULL) return NULL;
  int64_t sizes[TL_MAX_RANK], dims[TL_MAX_RANK], windows[TL_MAX_RANK], last[TL_MAX_RANK];
  window_sizes(p, x.rank, updates, sizes);
  bool numbers = true, small = true;
  for (size_t k = 0; k < p->map.len; k++) {
    dims[k] = x.dims[p->map.ptr[k]];
    windows[k] = sizes[p->map.ptr[k]];
    numbers &= dims[k] >= 0 && windows[k] >= 0;
    last[k] = dims[k] - windows[k] < 0 ? 0 : dims[k] - windows[k];
    small &= last[k] <= INT32_MAX;
  }
  tl_dtype t = (*indices)->type.dtype;
  const bool holds = t == TL_DTYPE_S64 || t == TL_DTYPE_U64 || (t == TL_DTYPE_S32 && small);
  if (!holds) t = TL_DTYPE_S64;
  *indices = tlo_convert(b, *indices, t);
  // As specialisation would leave it: a constant of the indices' type.
  const uint32_t n = (uint32_t)p->map.len;
  if (*indices == NULL) return NULL;
  const bool implicit = p->vector == (int64_t)(*indices)->type.rank;
  const tl_type row = {t, implicit ? 0 : 1, (int64_t[]){n}};
  tl_value v;
  if (numbers && t == TL_DTYPE_S32) {
    int32_t narrow[TL_MAX_RANK];
    for (uint32_t k = 0; k < n; k++)
      narrow[k] = (int32_t)last[k];
    v = tlo_constant(b, row, narrow, n * sizeof *narrow);
  } else if (numbers) {
    v = tlo_constant(b, row, last, n * sizeof *last);
  } else {
    tl_value all = tlo_sizes(b, dims, n);
    v = tlo_convert(b, tlo_sub(b, all, tlo_sizes(b, windows, n)), t);
    if (implicit) v = tlo_reshape(b, v, NULL, 0);
  }
  return tlo_broadcast(b, v, (*indices)->type, &p->vector);
}

tl_value tl_ad_clamped_places(tl_builder *b, const tl_ad_places *p, tl_type x, tl_type like,
                              tl_value indices) {
  if (p->map.len == 0) return indices;
  tl_value last = last_places(b, p, x, like, &indices), zero = tl_ad_like(b, indices, 0);
  tl_value low = tlo_binary(b, TL_OP_MAXIMUM, indices, zero);
  return tlo_binary(b, TL_OP_MINIMUM, low, last);
}

// Of the updates' shape: whether scatter puts them anywhere. NULL: all.
static tl_value fits(tl_builder *b, const tl_ad_places *p, tl_type x, tl_value indices,
                     tl_type updates) {
  if (p->map.len == 0 || indices == NULL) return NULL;
  tl_value last = last_places(b, p, x, updates, &indices), zero = tl_ad_like(b, indices, 0);
  tl_value above = tlo_compare(b, TL_COMPARISON_DIRECTION_GE, indices, zero);
  tl_value below = tlo_compare(b, TL_COMPARISON_DIRECTION_LE, indices, last);
  tl_value ok = tlo_binary(b, TL_OP_AND, above, below);
  if (ok == NULL) return NULL;
  if (p->vector < (int64_t)ok->type.rank) {
    tl_value yes = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_I1), 1);
    ok = tlo_reduce(b, ok, yes, &p->vector, 1, TL_OP_AND);
  }
  int64_t at[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < updates.rank; d++)
    if (!has(p->window, d)) at[n++] = d;
  return tlo_broadcast(b, ok, (tl_type){TL_DTYPE_I1, updates.rank, updates.dims}, at);
}

static tl_value select_or_zero(tl_builder *b, tl_value where, tl_value x) {
  if (where == NULL || x == NULL) return x;
  tl_value zero = tl_ad_like(b, x, 0);
  return tlo_select(b, where, x, zero);
}

// What lies where scatter puts the updates; 0 where it drops them.
static tl_value gather_or_zero(tl_builder *b, const tl_ad_places *p, tl_value x, tl_value indices,
                               tl_type updates) {
  if (x == NULL) return NULL;
  tl_value ok = fits(b, p, x->type, indices, updates);
  return select_or_zero(b, ok, tl_ad_gather(b, p, x, indices, updates));
}

tl_value tl_ad_read_or_zero(tl_builder *b, tl_value x, tl_value indices) {
  int64_t dims[TL_MAX_RANK];
  if (x == NULL || indices == NULL) return NULL;
  for (uint32_t d = 0; d < x->type.rank; d++)
    dims[d] = d;
  const tl_i64s all = {dims, x->type.rank};
  const uint32_t rank = indices->type.rank - 1;
  const tl_ad_places p = {.inserted = all, .map = all, .vector = rank};
  return gather_or_zero(b, &p, x, indices, (tl_type){x->type.dtype, rank, indices->type.dims});
}

// --- Simple places
// ----------------------------------------------------------------------------------

typedef struct along {
  int64_t others[TL_MAX_RANK], dim;
  tl_ad_places p;
  tl_value indices;
} along;

static void lay_along(tl_builder *b, along *a, tl_value places, int64_t dim) {
  const tl_type t = tl_value_type(places);
  int64_t dims[TL_MAX_RANK + 1];
  size_t n = 0;
  for (uint32_t d = 0; d < t.rank; d++) {
    dims[d] = t.dims[d];
    if (d != dim) a->others[n++] = d;
  }
  dims[t.rank] = 1;
  a->dim = dim;
  tl_i64s others = {a->others, n}, one = {&a->dim, 1};
  a->p = (tl_ad_places){
      .inserted = one, .xbatch = others, .ibatch = others, .map = one, .vector = t.rank};
  a->indices = tlo_reshape(b, places, dims, t.rank + 1);
}

tl_value tl_ad_take(tl_builder *b, tl_value x, tl_value places, int64_t dim) {
  along a;
  lay_along(b, &a, places, dim);
  return tl_ad_gather(b, &a.p, x, a.indices, tl_value_type(places));
}

tl_value tl_ad_put(tl_builder *b, tl_value ct, tl_value places, int64_t dim) {
  along a;
  lay_along(b, &a, places, dim);
  a.p.unique = true;
  tl_value zeros = tl_ad_like(b, ct, 0);
  return tl_ad_scatter(b, &a.p, TL_OP_ADD, zeros, a.indices, ct);
}

static const int64_t dim_0 = 0;

static tl_ad_places flat_places(tl_type places) {
  return (tl_ad_places){.inserted = {&dim_0, 1}, .map = {&dim_0, 1}, .vector = places.rank};
}

tl_value tl_ad_take_flat(tl_builder *b, tl_value x, tl_value places) {
  int64_t n = 0;
  if (x == NULL || places == NULL) return NULL;
  if (!tl_dim_product(b->m, x->type, &n)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "too many elements for one row"));
    return NULL;
  }
  tl_ad_places p = flat_places(places->type);
  return tl_ad_gather(b, &p, tlo_reshape(b, x, &n, 1), places, places->type);
}

tl_value tl_ad_put_flat(tl_builder *b, tl_type x, tl_value places, tl_value ct) {
  int64_t n = 0;
  if (places == NULL || ct == NULL) return NULL;
  if (!tl_dim_product(b->m, x, &n)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "too many elements for one row"));
    return NULL;
  }
  tl_ad_places p = flat_places(places->type);
  tl_value zeros = tl_ad_zeros(b, (tl_type){ct->type.dtype, 1, &n});
  tl_value sum = tl_ad_scatter(b, &p, TL_OP_ADD, zeros, places, ct);
  return tlo_reshape(b, sum, x.dims, x.rank);
}

// --- gather
// -----------------------------------------------------------------------------------------

static void gather_back(tl_vjp *v, const tl_ad_places *p) {
  tl_builder *b = v->b;
  const tl_type x = v->in[0]->type;
  tl_ad_places at = *p;
  at.sorted &= p->map.len <= 1; // clamping keeps the order of numbers, not of vectors
  tl_value indices = tl_ad_clamped_places(b, p, x, v->out[0]->type, v->in[1]),
           zeros = tl_ad_zeros(b, x);
  tl_vjp_give(v, 0, tl_ad_scatter(b, &at, TL_OP_ADD, zeros, indices, v->ct[0]));
}

void tl_vjp_gather(tl_vjp *v) {
  tl_ad_places p = places_of_gather(v->op);
  gather_back(v, &p);
}
void tl_vjp_dynamic_gather(tl_vjp *v) {
  tl_ad_places p = places_of_dynamic_gather(v->op);
  gather_back(v, &p);
}

static tl_i64s moved(tl_builder *b, tl_i64s list, bool lead) {
  int64_t *dims = tl_batch_dims(b, list.ptr, list.len, lead);
  return (tl_i64s){dims, dims == NULL ? 0 : list.len + (lead ? 1 : 0)};
}

// The places of a batch. By indices of their own, the batch is one more batching dim of both sides
// (or of the indices alone, where x is none); by the same indices it is one more dim of the window.
static tl_ad_places batched_places(tl_batch *v, tl_ad_places p, bool x, bool indices) {
  tl_builder *b = v->b;
  tl_ad_places q = p;
  q.window = moved(b, p.window, x && !indices);
  if (x) {
    q.inserted = moved(b, p.inserted, false);
    q.map = moved(b, p.map, false);
    q.xbatch = moved(b, p.xbatch, x && indices);
  }
  if (indices) {
    q.ibatch = moved(b, p.ibatch, x);
    q.vector = p.vector + 1;
    q.sorted = false;
  }
  return q;
}

static void gather_batch(tl_batch *v, const tl_ad_places *p) {
  const bool x = v->batched[0], indices = v->batched[1];
  tl_ad_places q = batched_places(v, *p, x, indices);
  // By the same indices, the batch is the first dim of the result already.
  v->out[0] = tl_ad_gather(v->b, &q, v->in[0], v->in[1],
                           tl_batch_type(v->b, v->op->results[0]->type, v->size));
}

void tl_batch_gather(tl_batch *v) {
  tl_ad_places p = places_of_gather(v->op);
  gather_batch(v, &p);
}
void tl_batch_dynamic_gather(tl_batch *v) {
  tl_ad_places p = places_of_dynamic_gather(v->op);
  if (v->batched[2]) {
    tl_ad_refuse_batching(v->ad, v->b, v->op, "of slice sizes that differ over the batch");
    return;
  }
  gather_batch(v, &p);
}

// --- scatter
// ----------------------------------------------------------------------------------------

// How update k meets element k: TL_OP_RETURN replaces it, TL_OP_CONSTANT leaves it,
// TL_OP_COUNT is any other way.
static tl_opcode way_of(const tl_op *op, uint32_t k) {
  const tl_block *region = op->regions[0];
  const uint32_t n = op->n_results;
  tl_value r = region->last->operands[k], x = region->args[k], u = region->args[n + k];
  if (r == u) return TL_OP_RETURN;
  if (r == x) return TL_OP_CONSTANT;
  if (r->op == NULL || r->op->n_operands != 2) return TL_OP_COUNT;
  const tl_value *in = r->op->operands;
  const bool turned = in[0] == u && in[1] == x;
  if (!(in[0] == x && in[1] == u) && !turned) return TL_OP_COUNT;
  switch (r->op->code) {
  case TL_OP_SUBTRACT:
    return turned ? TL_OP_COUNT : TL_OP_SUBTRACT;
  case TL_OP_ADD:
  case TL_OP_MULTIPLY:
  case TL_OP_MINIMUM:
  case TL_OP_MAXIMUM:
    return r->op->code;
  default:
    return TL_OP_COUNT;
  }
}

typedef struct scatter { // one input of a scatter
  tl_builder *b;
  tl_ad_places p, own; // `own`: as the op has them
  tl_opcode way;
  tl_value x, indices, own_indices, u, y;
} scatter;

// The least and the greatest number of a tensor of constants, through what only repeats them.
static bool range_of(tl_value v, int64_t *low, int64_t *high, int depth) {
  if (v == NULL || v->op == NULL || depth > 8) return false;
  const tl_op *op = v->op;
  int64_t l, h;
  switch (op->code) {
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_RESHAPE:
  case TL_OP_CONVERT:
    return range_of(op->operands[0], low, high, depth + 1);
  case TL_OP_CONCATENATE:
    for (uint32_t i = 0; i < op->n_operands; i++) {
      if (!range_of(op->operands[i], &l, &h, depth + 1)) return false;
      *low = i == 0 ? l : TL_MIN(*low, l);
      *high = i == 0 ? h : TL_MAX(*high, h);
    }
    return op->n_operands != 0;
  case TL_OP_CONSTANT:
    break;
  default:
    return false;
  }
  const tl_literal *lit = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
  const bool wide = lit->type.dtype == TL_DTYPE_S64;
  if (!wide && lit->type.dtype != TL_DTYPE_S32) return false;
  const size_t size = wide ? sizeof(int64_t) : sizeof(int32_t);
  if (lit->size < size) return false;
  for (size_t i = 0; i < lit->size / size; i++) {
    int64_t n = 0;
    int32_t narrow = 0;
    memcpy(wide ? (void *)&n : (void *)&narrow, (const char *)lit->data + i * size, size);
    if (!wide) n = narrow;
    *low = i == 0 ? n : TL_MIN(*low, n);
    *high = i == 0 ? n : TL_MAX(*high, n);
  }
  return true;
}

// Whether no window can be half outside: it is of one element along the dims of its index, or its
// index is a constant at which it fits.
static bool fits_or_not(const scatter *s) {
  int64_t sizes[TL_MAX_RANK], low = 0, high = 0;
  window_sizes(&s->p, s->x->type.rank, s->u->type, sizes);
  bool single = true, inside = range_of(s->indices, &low, &high, 0) && low >= 0;
  for (size_t k = 0; k < s->p.map.len; k++) {
    const int64_t d = s->p.map.ptr[k];
    single &= sizes[d] == 1;
    inside =
        inside && sizes[d] >= 0 && s->x->type.dims[d] >= 0 && high <= s->x->type.dims[d] - sizes[d];
  }
  return single || inside;
}

static const int64_t every_dim[TL_MAX_RANK] = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};

// An index for each element of the updates, in place of one for each window.
static void take_apart(scatter *s) {
  tl_builder *b = s->b;
  const tl_ad_places p = s->p;
  const tl_type u = s->u->type, t = s->indices->type;
  const tl_type numbers = {TL_DTYPE_S64, u.rank, u.dims};
  const uint32_t rank = s->x->type.rank;
  int64_t outer[TL_MAX_RANK], start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK], dims[TL_MAX_RANK + 1];
  uint32_t n_outer = 0, n_window = 0;
  for (uint32_t d = 0; d < u.rank; d++)
    if (!has(p.window, d)) outer[n_outer++] = d;
  tl_value starts = tlo_convert(b, s->indices, TL_DTYPE_S64), at[TL_MAX_RANK];
  if (u.rank >= TL_MAX_RANK) {
    tl_builder_fail(b,
                    TL_ERROR(INVALID_ARGUMENT, "updates of rank %u are of too many dims", u.rank));
    return;
  }
  for (uint32_t d = 0; d < rank; d++) {
    at[d] = tlo_fill(b, numbers, 0);
    if (!has(p.inserted, d) && !has(p.xbatch, d))
      at[d] = tlo_iota(b, numbers, p.window.ptr[n_window++]);
    for (size_t i = 0; i < p.xbatch.len; i++)
      if (p.xbatch.ptr[i] == d) {
        const int64_t of = p.ibatch.ptr[i];
        at[d] = tlo_iota(b, numbers, outer[of > p.vector ? of - 1 : of]);
      }
    for (size_t k = 0; k < p.map.len; k++) {
      if (p.map.ptr[k] != d) continue;
      tl_value component = starts;
      if (p.vector < (int64_t)t.rank) {
        for (uint32_t e = 0; e < t.rank; e++) {
          start[e] = e == p.vector ? (int64_t)k : 0;
          limit[e] = e == p.vector ? (int64_t)k + 1 : t.dims[e];
        }
        component = tlo_slice(b, starts, start, limit, NULL);
      }
      int64_t shape[TL_MAX_RANK];
      for (uint32_t e = 0; e < n_outer; e++)
        shape[e] = u.dims[outer[e]];
      component = tlo_reshape(b, component, shape, n_outer);
      at[d] = tlo_add(b, at[d], tlo_broadcast(b, component, numbers, outer));
    }
  }
  memcpy(dims, u.dims, u.rank * sizeof *dims);
  dims[u.rank] = 1;
  for (uint32_t d = 0; d < rank; d++)
    at[d] = tlo_reshape(b, at[d], dims, u.rank + 1);
  s->indices = tlo_concat(b, at, rank, u.rank);
  s->p = (tl_ad_places){.inserted = {every_dim, rank},
                        .map = {every_dim, rank},
                        .vector = u.rank,
                        .unique = p.unique};
}

static scatter scatter_of(tl_builder *b, const tl_op *op, const tl_value *in, const tl_value *out,
                          uint32_t k) {
  const uint32_t n = op->n_results;
  scatter s = {.b = b, .p = places_of_scatter(op), .way = way_of(op, k), .x = in[k], .y = out[k]};
  s.own = s.p;
  s.own_indices = s.indices = in[n];
  s.u = in[n + 1 + k];
  if (s.x->type.dtype != s.y->type.dtype) { // the region's type is wider
    s.x = tlo_convert(b, s.x, s.y->type.dtype);
    s.u = tlo_convert(b, s.u, s.y->type.dtype);
  }
  if (b->error == TL_OK && !fits_or_not(&s)) take_apart(&s);
  return s;
}

// Which updates are there at the end: the last at each place. Each leaves its number.
static tl_value winners(const scatter *s) {
  tl_builder *b = s->b;
  if (s->p.unique) return fits(b, &s->p, s->x->type, s->indices, s->u->type);
  const tl_type u = s->u->type, x = s->x->type;
  int64_t n = 0;
  if (!tl_dim_product(b->m, u, &n)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "too many updates to number"));
    return NULL;
  }
  tl_value number = tlo_iota(b, (tl_type){TL_DTYPE_S64, 1, &n}, 0);
  number = tlo_reshape(b, number, u.dims, u.rank);
  tl_value none = tlo_fill(b, (tl_type){TL_DTYPE_S64, x.rank, x.dims}, -1);
  tl_value left = tl_ad_scatter(b, &s->p, TL_OP_RETURN, none, s->indices, number);
  tl_value found = tl_ad_gather(b, &s->p, left, s->indices, u);
  return tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, found, number);
}

// y = x times the updates at each place: the product of the others for each, exact where one of
// them is 0 too. *out_x: the product of the updates alone.
static tl_value factors(const scatter *s, tl_value *out_x) {
  tl_builder *b = s->b;
  tl_value ones = tl_ad_like(b, s->x, 1);
  *out_x = tl_ad_scatter(b, &s->p, TL_OP_MULTIPLY, ones, s->indices, s->u);
  tl_value own = gather_or_zero(b, &s->p, s->x, s->indices, s->u->type);
  if (s->p.unique || own == NULL) return own;
  tl_value zero = tl_ad_like(b, s->u, 0), one = tl_ad_like(b, s->u, 1);
  tl_value is_zero = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, s->u, zero);
  tl_value safe = tlo_select(b, is_zero, one, s->u), flag = tlo_select(b, is_zero, one, zero);
  tl_value product = tl_ad_scatter(b, &s->p, TL_OP_MULTIPLY, ones, s->indices, safe);
  tl_value none = tl_ad_like(b, s->x, 0);
  tl_value zeros = tl_ad_scatter(b, &s->p, TL_OP_ADD, none, s->indices, flag);
  product = tl_ad_gather(b, &s->p, product, s->indices, s->u->type);
  zeros = tl_ad_gather(b, &s->p, zeros, s->indices, s->u->type);
  // No other is 0 where the zeros are this one, or there are none.
  tl_value alone = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, zeros, flag);
  tl_value rest = tlo_select(b, alone, tlo_div(b, product, safe), zero);
  return tlo_mul(b, own, rest);
}

typedef struct shares { // of a minimum or maximum
  tl_value x, u;        // whether it is the result
  tl_value count;       // of those that are, at each element
} shares;

static shares share(const scatter *s) {
  tl_builder *b = s->b;
  shares h;
  tl_value at = tl_ad_gather(b, &s->p, s->y, s->indices, s->u->type);
  tl_value ok = fits(b, &s->p, s->x->type, s->indices, s->u->type);
  h.u = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, s->u, at);
  if (ok != NULL) h.u = tlo_binary(b, TL_OP_AND, h.u, ok);
  h.x = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, s->x, s->y);
  tl_value own = tlo_convert(b, h.x, s->y->type.dtype),
           each = tlo_convert(b, h.u, s->y->type.dtype);
  h.count = tl_ad_scatter(b, &s->p, TL_OP_ADD, own, s->indices, each);
  return h;
}

// Any region. Where no element is met twice all are met at once; else the updates are applied one
// window after the other, which keeps the order in which they meet: so many written out, more in a
// loop.
enum { MAX_STEPS = 64 };

typedef struct steps { // the same scatter with its scatter dims made one, without batching dims
  tl_ad_places p;      // of one window: its index is a vector
  int64_t window[TL_MAX_RANK], inserted[TL_MAX_RANK], map[TL_MAX_RANK];
  tl_value indices; // [windows, index]
  int64_t n;        // windows
} steps;

static bool lay_steps(tl_builder *b, const tl_ad_places *p, const tl_op *op, tl_value indices,
                      steps *s) {
  const tl_type t = indices->type;
  const bool implicit = p->vector == (int64_t)t.rank;
  int64_t outer[TL_MAX_RANK], order[TL_MAX_RANK], shape[TL_MAX_RANK + 1];
  uint32_t n_outer = 0;
  for (uint32_t d = 0; d < t.rank; d++)
    if (d != p->vector) {
      order[n_outer] = d;
      outer[n_outer++] = t.dims[d];
    }
  if (!tl_dim_product(b->m, (tl_type){t.dtype, n_outer, outer}, &s->n)) return false;
  if (!implicit) indices = tlo_transpose(b, indices, (order[n_outer] = p->vector, order));
  // The batching dims' own coordinates are further components.
  size_t n_map = p->map.len;
  memcpy(shape, outer, n_outer * sizeof *shape);
  shape[n_outer] = (int64_t)n_map;
  tl_value parts[TL_MAX_RANK + 1] = {tlo_reshape(b, indices, shape, n_outer + 1)};
  memcpy(s->map, p->map.ptr, n_map * sizeof *s->map);
  shape[n_outer] = 1;
  for (size_t i = 0; i < p->ibatch.len; i++) {
    const int64_t at = p->ibatch.ptr[i];
    const int64_t dim = !implicit && at > p->vector ? at - 1 : at;
    s->map[n_map++] = p->xbatch.ptr[i];
    parts[i + 1] = tlo_iota(b, (tl_type){t.dtype, n_outer + 1, shape}, dim);
  }
  tl_value all =
      p->ibatch.len == 0 ? parts[0] : tlo_concat(b, parts, (uint32_t)p->ibatch.len + 1, n_outer);
  s->indices = tlo_reshape(b, all, (int64_t[]){s->n, (int64_t)n_map}, 2);
  size_t n_inserted = 0;
  const uint32_t rank = op->operands[0]->type.rank;
  for (uint32_t d = 0; d < rank; d++)
    if (has(p->inserted, d) || has(p->xbatch, d)) s->inserted[n_inserted++] = d;
  for (size_t i = 0; i < p->window.len; i++)
    s->window[i] = (int64_t)i;
  s->p = (tl_ad_places){.window = {s->window, p->window.len},
                        .inserted = {s->inserted, n_inserted},
                        .map = {s->map, n_map},
                        .unique = true};
  return true;
}

// Update windows in a row: [windows, dims of a window].
static tl_value lay_updates(tl_builder *b, const tl_ad_places *p, tl_value u, int64_t n,
                            tl_type *window) {
  const tl_type t = u->type;
  int64_t order[TL_MAX_RANK], shape[TL_MAX_RANK + 1] = {n};
  uint32_t at = 0, n_window = 0;
  for (uint32_t d = 0; d < t.rank; d++)
    if (!has(p->window, d)) order[at++] = d;
  for (uint32_t d = 0; d < t.rank; d++)
    if (has(p->window, d)) {
      order[at++] = d;
      shape[++n_window] = t.dims[d];
    }
  *window = tl_type_of(b->m->arena, t.dtype, shape + 1, n_window);
  return tlo_reshape(b, tlo_transpose(b, u, order), shape, n_window + 1);
}

static tl_value row(tl_builder *b, tl_value x, int64_t i, const int64_t *dims, uint32_t rank) {
  if (x == NULL) return NULL;
  int64_t start[TL_MAX_RANK] = {i}, limit[TL_MAX_RANK] = {i + 1};
  for (uint32_t d = 0; d < rank; d++)
    limit[d + 1] = dims[d];
  return tlo_reshape(b, tlo_slice(b, x, start, limit, NULL), dims, rank);
}

// Each element that an update meets is read, combined by the region and put back.
static void meet_windows(tl_ad *ad, scatter *s, const tl_op *op, tl_value *args, tl_value *met,
                         tl_value *y, const tl_value *u) {
  tl_builder *b = s->b;
  const uint32_t n = op->n_results;
  if (b->error != TL_OK) return;
  if (!fits_or_not(s)) take_apart(s);
  for (uint32_t k = 0; k < n && b->error == TL_OK; k++) {
    args[k] = tl_ad_gather(b, &s->p, y[k], s->indices, u[k]->type);
    args[n + k] = u[k];
  }
  if (b->error == TL_OK) tl_ad_lift(ad, b, op->regions[0], args, met);
  for (uint32_t k = 0; k < n; k++)
    y[k] = tl_ad_scatter(b, &s->p, TL_OP_RETURN, y[k], s->indices, met[k]);
}

// Row i of x [rows, dims], i a number of the run.
static tl_value row_at(tl_builder *b, tl_value x, tl_value i, const int64_t *dims, uint32_t rank) {
  tl_value starts[TL_MAX_RANK] = {i};
  int64_t sizes[TL_MAX_RANK] = {1};
  if (x == NULL || i == NULL) return NULL;
  for (uint32_t d = 0; d < rank; d++) {
    starts[d + 1] = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), 0);
    sizes[d + 1] = dims[d];
  }
  return tlo_reshape(b, tlo_dynamic_slice(b, x, starts, sizes), dims, rank);
}

// The windows one after the other in a loop; its adjoint keeps what each step begins with, as of
// any loop (loop_reverse.c). y [n] becomes its results; args, met and part are room.
static void loop_over_windows(tl_ad *ad, tl_builder *b, const tl_op *op, const steps *s,
                              tl_type window, tl_value *args, tl_value *met, tl_value *y,
                              const tl_value *u, tl_value *part) {
  const uint32_t n = op->n_results;
  const tl_type number = tl_type_scalar(TL_DTYPE_S64);
  const int64_t n_index = (int64_t)s->p.map.len;
  tl_value carried[TL_LOOP_MAX], now[TL_LOOP_MAX];
  carried[0] = tlo_constant_i64(b, number, 0);
  memcpy(carried + 1, y, n * sizeof *y);
  if (b->error != TL_OK) return;
  tl_loop l = tlo_while_begin(b, carried, n + 1);
  tl_value all = tlo_constant_i64(&l.cond, number, s->n);
  tl_value more = tlo_compare(&l.cond, TL_COMPARISON_DIRECTION_LT, l.x[0], all);
  tl_builder *in = &l.body;
  memcpy(now, l.y, (n + 1) * sizeof *now);
  tl_value at = row_at(in, s->indices, now[0], &n_index, 1);
  for (uint32_t k = 0; k < n; k++)
    part[k] = row_at(in, u[k], now[0], window.dims, window.rank);
  scatter one = {.b = in, .p = s->p, .x = now[1], .indices = at, .u = part[0]};
  meet_windows(ad, &one, op, args, met, now + 1, part);
  now[0] = tlo_add(in, now[0], tlo_constant_i64(in, number, 1));
  tlo_while_end(b, &l, more, now, carried);
  memcpy(y, carried + 1, n * sizeof *y);
}

static void emit_scatter(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                         tl_value *out) {
  const uint32_t n = op->n_results;
  const tl_ad_places p = places_of_scatter(op);
  tl_value *args = TL_NEW(b->m->arena, tl_value, 6 * (size_t)n);
  if (args == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  tl_value *met = args + 2 * n, *u = args + 3 * n, *y = args + 4 * n, *part = args + 5 * n;
  for (uint32_t k = 0; k < n; k++) {
    const tl_dtype t = op->results[k]->type.dtype;
    y[k] = tlo_convert(b, in[k], t);
    u[k] = tlo_convert(b, in[n + 1 + k], t);
  }
  if (b->error != TL_OK) return;
  steps s;
  tl_type window = {0};
  if (p.unique) {
    scatter one = {.b = b, .p = p, .x = y[0], .indices = in[n], .u = u[0]};
    meet_windows(ad, &one, op, args, met, y, u);
    memcpy(out, y, n * sizeof(tl_value));
    return;
  }
  if (!tl_type_is_static(u[0]->type) || !tl_type_is_static(in[n]->type) ||
      !lay_steps(b, &p, op, in[n], &s) || (s.n > MAX_STEPS && n >= TL_LOOP_MAX)) {
    tl_ad_refuse(ad, b, op,
                 "its region is none of add, subtract, multiply, minimum, maximum and a "
                 "replacement, its indices are not said to be unique, and their number is a symbol "
                 "or there are many results");
    return;
  }
  for (uint32_t k = 0; k < n; k++)
    u[k] = lay_updates(b, &p, u[k], s.n, &window);
  if (s.n > MAX_STEPS && b->error == TL_OK)
    loop_over_windows(ad, b, op, &s, window, args, met, y, u, part);
  for (int64_t i = 0; s.n <= MAX_STEPS && i < s.n && b->error == TL_OK; i++) {
    const int64_t n_index = (int64_t)s.p.map.len;
    tl_value at = row(b, s.indices, i, &n_index, 1);
    for (uint32_t k = 0; k < n; k++)
      part[k] = row(b, u[k], i, window.dims, window.rank);
    scatter one = {.b = b, .p = s.p, .x = y[0], .indices = at, .u = part[0]};
    meet_windows(ad, &one, op, args, met, y, part);
  }
  memcpy(out, y, n * sizeof(tl_value));
}

static void scatter_back(tl_vjp *v, uint32_t k) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  scatter s = scatter_of(b, v->op, v->in, v->out, k);
  tl_value ct = v->ct[k], dx = ct, du = NULL, by;
  if (s.x == NULL || s.u == NULL) return;
  const tl_type u = s.u->type;
  const bool wants_u = tl_vjp_wants(v, n + 1 + k);
  shares h;
  switch (s.way) {
  case TL_OP_CONSTANT:
    break;
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
    du = gather_or_zero(b, &s.p, ct, s.indices, u);
    if (s.way == TL_OP_SUBTRACT) du = tl_ad_neg(b, du);
    break;
  case TL_OP_RETURN:
    dx = tl_ad_scatter(b, &s.own, TL_OP_RETURN, ct, s.own_indices, tl_ad_zeros(b, u));
    if (wants_u) du = select_or_zero(b, winners(&s), tl_ad_gather(b, &s.p, ct, s.indices, u));
    break;
  case TL_OP_MULTIPLY:
    du = factors(&s, &by);
    du = tlo_mul(b, du, tl_ad_gather(b, &s.p, ct, s.indices, u));
    dx = tlo_mul(b, ct, by);
    break;
  case TL_OP_MINIMUM:
  case TL_OP_MAXIMUM:
    h = share(&s);
    ct = tlo_div(b, ct, h.count);
    dx = select_or_zero(b, h.x, ct);
    du = select_or_zero(b, h.u, tl_ad_gather(b, &s.p, ct, s.indices, u));
    break;
  default:
    return;
  }
  if (dx != NULL) tl_vjp_give(v, k, tlo_convert(b, dx, v->in[k]->type.dtype));
  if (du != NULL) tl_vjp_give(v, n + 1 + k, tlo_convert(b, du, v->in[n + 1 + k]->type.dtype));
}

static bool is_odd(const tl_op *op) {
  bool odd = false;
  for (uint32_t k = 0; k < op->n_results; k++)
    odd |= way_of(op, k) == TL_OP_COUNT;
  return odd;
}

void tl_vjp_scatter(tl_vjp *v) {
  if (is_odd(v->op)) {
    tl_vjp_through(v, emit_scatter);
    return;
  }
  for (uint32_t k = 0; k < v->op->n_results && v->b->error == TL_OK; k++)
    if (v->ct[k] != NULL) scatter_back(v, k);
}

static tl_value scatter_forward(tl_jvp *j, uint32_t k) {
  tl_builder *b = j->b;
  const uint32_t n = j->op->n_results;
  scatter s = scatter_of(b, j->op, j->in, j->out, k);
  tl_dtype wide = j->out[k]->type.dtype;
  tl_value dx = tlo_convert(b, tl_jvp_t(j, k), wide), by;
  if (s.way == TL_OP_CONSTANT) return dx;
  tl_value du = tlo_convert(b, tl_jvp_t(j, n + 1 + k), wide);
  shares h;
  switch (s.way) {
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
  case TL_OP_RETURN:
    return tl_ad_scatter(b, &s.own, s.way, dx, s.own_indices, du);
  case TL_OP_MULTIPLY:
    du = tlo_mul(b, du, factors(&s, &by));
    return tl_ad_scatter(b, &s.p, TL_OP_ADD, tlo_mul(b, dx, by), s.indices, du);
  case TL_OP_MINIMUM:
  case TL_OP_MAXIMUM:
    h = share(&s);
    dx = select_or_zero(b, h.x, dx);
    du = select_or_zero(b, h.u, du);
    return tlo_div(b, tl_ad_scatter(b, &s.p, TL_OP_ADD, dx, s.indices, du), h.count);
  default:
    return NULL;
  }
}

void tl_jvp_scatter(tl_jvp *j) {
  if (is_odd(j->op)) {
    tl_jvp_through(j, emit_scatter);
    return;
  }
  const uint32_t n = j->op->n_results;
  for (uint32_t k = 0; k < n && j->b->error == TL_OK; k++)
    if (j->t[k] != NULL || j->t[n + 1 + k] != NULL) tl_jvp_give(j, k, scatter_forward(j, k));
}

void tl_batch_scatter(tl_batch *v) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  if (tl_ad_reads_batched(v)) {
    tl_batch_through(v, emit_scatter);
    return;
  }
  tl_type *types = TL_NEW(b->m->arena, tl_type, n);
  if (types == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  const bool indices = v->batched[n];
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    if (i != n) (void)tl_batch_in(v, i);
  tl_ad_places q = batched_places(v, places_of_scatter(v->op), true, indices);
  for (uint32_t k = 0; k < n; k++)
    types[k] = tl_batch_type(b, v->op->results[k]->type, v->size);
  // The copy wants its dims before its types are checked.
  tl_op *op = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_SCATTER, v->in, v->op->n_operands);
  if (op == NULL) return;
  memcpy(op->attrs, v->op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_op_set_list(b, op, TL_A_SCATTER_update_window_dims, q.window.ptr, q.window.len);
  tl_op_set_list(b, op, TL_A_SCATTER_inserted_window_dims, q.inserted.ptr, q.inserted.len);
  tl_op_set_list(b, op, TL_A_SCATTER_input_batching_dims, q.xbatch.ptr, q.xbatch.len);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_indices_batching_dims, q.ibatch.ptr, q.ibatch.len);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_dims_to_operand_dims, q.map.ptr, q.map.len);
  tl_op_set_i64(op, TL_A_SCATTER_index_vector_dim, q.vector);
  tl_op_set_i64(op, TL_A_SCATTER_indices_are_sorted, q.sorted);
  tl_clone_regions(b, &v->at->env, op, v->op);
  op = tl_op_finish(b, op, types, n);
  for (uint32_t k = 0; op != NULL && k < n; k++)
    v->out[k] = op->results[k];
}

// --- sort
// -------------------------------------------------------------------------------------------

static int64_t sorted_dim(const tl_op *op) {
  const int64_t dim = tl_op_i64(op, TL_A_SORT_dimension);
  return dim < 0 ? dim + op->results[0]->type.rank : dim;
}

// Where each sorted element was: the same sort, which carries one more operand along that it does
// not compare.
static tl_value origins(tl_builder *b, const tl_op *op, const tl_value *in) {
  const uint32_t n = op->n_operands;
  const tl_type t = op->results[0]->type;
  tl_value *operands = TL_NEW(b->m->arena, tl_value, n + 1);
  if (operands == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  memcpy(operands, in, n * sizeof(tl_value));
  operands[n] = tlo_iota(b, (tl_type){TL_DTYPE_S64, t.rank, t.dims}, sorted_dim(op));
  tl_op *s = tl_op_begin(b, TL_OP_SORT, operands, n + 1);
  if (s == NULL) return NULL;
  memcpy(s->attrs, op->attrs, tl_op_get(op->code)->n_attrs * sizeof *s->attrs);
  tl_env e = {0};
  tl_clone_regions(b, &e, s, op);
  tl_env_deinit(&e);
  for (int i = 0; i < 2 && b->error == TL_OK; i++) {
    tl_builder inner = tl_builder_at(b, s->regions[0]);
    (void)tl_block_arg(&inner, s->regions[0], tl_type_scalar(TL_DTYPE_S64));
    tl_builder_join(b, &inner);
  }
  s = tl_op_finish(b, s, NULL, 0);
  return s == NULL ? NULL : s->results[n];
}

void tl_vjp_sort(tl_vjp *v) {
  tl_value from = origins(v->b, v->op, v->in);
  for (uint32_t k = 0; k < v->op->n_results; k++)
    if (v->ct[k] != NULL) tl_vjp_give(v, k, tl_ad_put(v->b, v->ct[k], from, sorted_dim(v->op)));
}

void tl_jvp_sort(tl_jvp *j) {
  tl_value from = origins(j->b, j->op, j->in);
  for (uint32_t k = 0; k < j->op->n_results; k++)
    if (j->t[k] != NULL) tl_jvp_give(j, k, tl_ad_take(j->b, j->t[k], from, sorted_dim(j->op)));
}

void tl_batch_sort(tl_batch *v) {
  tl_builder *b = v->b;
  if (tl_ad_reads_batched(v)) {
    tl_ad_refuse_batching(v->ad, b, v->op, "its comparator reads a value of the batch");
    return;
  }
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)tl_batch_in(v, i);
  tl_op *s = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_SORT, v->in, v->op->n_operands);
  if (s == NULL) return;
  memcpy(s->attrs, v->op->attrs, tl_op_get(s->code)->n_attrs * sizeof *s->attrs);
  tl_op_set_i64(s, TL_A_SORT_dimension, sorted_dim(v->op) + 1);
  tl_clone_regions(b, &v->at->env, s, v->op);
  s = tl_op_finish(b, s, NULL, 0);
  for (uint32_t k = 0; s != NULL && k < v->op->n_results; k++)
    v->out[k] = s->results[k];
}
