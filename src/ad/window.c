// Rules of reduce_window and select_and_scatter.
//
// A sum over windows is linear, and its transpose is one too. Where a window picks one element (a
// maximum, a minimum, any selection) a second reduce_window finds its number, and the derivative is
// a gather and a scatter there: the first of equal ones in row-major order, as JAX has it for its
// pools. Any other region folds the windows laid out side by side, by the rules of reduce.
#include "ad/index.h"
#include "ad/region.h"

#include "ir/dim.h"

typedef struct window {
  uint32_t rank;
  int64_t size[TL_MAX_RANK], stride[TL_MAX_RANK], padding[2 * TL_MAX_RANK], base[TL_MAX_RANK],
      dilation[TL_MAX_RANK];
} window;

static void read_list(int64_t *to, tl_i64s list, size_t n, int64_t otherwise) {
  for (size_t i = 0; i < n; i++)
    to[i] = list.len == 0 ? otherwise : list.ptr[i];
}

static window window_of(const tl_op *op) {
  window w = {.rank = op->operands[0]->type.rank};
  read_list(w.size, tl_op_list(op, TL_A_REDUCE_WINDOW_window_dimensions), w.rank, 1);
  read_list(w.stride, tl_op_list(op, TL_A_REDUCE_WINDOW_window_strides), w.rank, 1);
  read_list(w.padding, tl_op_list(op, TL_A_REDUCE_WINDOW_padding), 2 * (size_t)w.rank, 0);
  read_list(w.base, tl_op_list(op, TL_A_REDUCE_WINDOW_base_dilations), w.rank, 1);
  read_list(w.dilation, tl_op_list(op, TL_A_REDUCE_WINDOW_window_dilations), w.rank, 1);
  return w;
}

static window window_of_select(const tl_op *op) {
  window w = {.rank = op->operands[0]->type.rank};
  read_list(w.size, tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_dimensions), w.rank, 1);
  read_list(w.stride, tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_strides), w.rank, 1);
  read_list(w.padding, tl_op_list(op, TL_A_SELECT_AND_SCATTER_padding), 2 * (size_t)w.rank, 0);
  for (uint32_t d = 0; d < w.rank; d++)
    w.base[d] = w.dilation[d] = 1;
  return w;
}

static window led_by_batch(const window *w) {
  window r = {.rank = w->rank + 1};
  r.size[0] = r.stride[0] = r.base[0] = r.dilation[0] = 1;
  memcpy(r.size + 1, w->size, w->rank * sizeof *r.size);
  memcpy(r.stride + 1, w->stride, w->rank * sizeof *r.stride);
  memcpy(r.padding + 2, w->padding, 2 * (size_t)w->rank * sizeof *r.padding);
  memcpy(r.base + 1, w->base, w->rank * sizeof *r.base);
  memcpy(r.dilation + 1, w->dilation, w->rank * sizeof *r.dilation);
  return r;
}

static tl_op *begin(tl_builder *b, const window *w, const tl_value *operands, uint32_t n) {
  tl_op *op = tl_op_begin(b, TL_OP_REDUCE_WINDOW, operands, n);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_dimensions, w->size, w->rank);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_strides, w->stride, w->rank);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_padding, w->padding, 2 * (size_t)w->rank);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_base_dilations, w->base, w->rank);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_dilations, w->dilation, w->rank);
  return op;
}

static tl_value sum_of_windows(tl_builder *b, const window *w, tl_value x) {
  if (x == NULL) return NULL;
  const tl_type s = tl_type_scalar(x->type.dtype);
  tl_value zero = tlo_constant_f64(b, s, 0);
  tl_op *op = begin(b, w, (tl_value[]){x, zero}, 2);
  tl_block *block = op == NULL ? NULL : tl_op_add_region(b, op);
  if (block == NULL) return NULL;
  tl_builder in = tl_builder_at(b, block);
  tl_value p = tl_block_arg(&in, block, s), q = tl_block_arg(&in, block, s);
  tl_value r = tlo_add(&in, p, q);
  tlo_return(&in, &r, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// in * times - out * by + plus, where that is a number, of either sign.
static bool difference(const tl_module *m, int64_t in, int64_t times, int64_t out, int64_t by,
                       int64_t plus, int64_t *result) {
  const int64_t far = (int64_t)1 << 40; // a dim that is a number is none below 0
  int64_t left, right;
  if (in >= 0 && out >= 0) {
    *result = in * times - out * by + plus;
    return true;
  }
  if (!tl_dim_affine(m, in, times, plus + far, &left) || !tl_dim_affine(m, out, -by, far, &right) ||
      !tl_dim_add(m, left, right, result) || *result < 0)
    return false;
  *result -= 2 * far;
  return true;
}

// The windows that an element is in, summed: strides and base dilations change places (JAX's rule).
static tl_value sum_back(tl_ad *ad, tl_builder *b, const tl_op *op, tl_value ct) {
  const window w = window_of(op);
  const tl_type x = op->operands[0]->type;
  window r = w;
  bool cut = false;
  for (uint32_t d = 0; d < w.rank; d++) {
    if (ct->type.dims[d] == 0 || x.dims[d] == 0)
      return tl_ad_zeros(b, (tl_type){ct->type.dtype, x.rank, x.dims});
    const int64_t reach = (w.size[d] - 1) * w.dilation[d] + 1, low = w.padding[2 * d];
    r.padding[2 * d] = reach - 1 - low;
    if (!difference(b->m, x.dims[d], w.base[d], ct->type.dims[d], w.stride[d],
                    w.stride[d] - w.base[d] + low, &r.padding[2 * d + 1])) {
      tl_ad_refuse(ad, b, op, "of strided windows over a dim that is a symbol: specialise first");
      return NULL;
    }
    cut |= r.padding[2 * d] < 0 || r.padding[2 * d + 1] < 0;
    r.base[d] = w.stride[d];
    r.stride[d] = w.base[d];
  }
  if (cut) { // windows want padding that is none below 0
    int64_t low[TL_MAX_RANK], high[TL_MAX_RANK], interior[TL_MAX_RANK];
    for (uint32_t d = 0; d < w.rank; d++) {
      low[d] = r.padding[2 * d], high[d] = r.padding[2 * d + 1];
      interior[d] = r.base[d] - 1;
      r.padding[2 * d] = r.padding[2 * d + 1] = 0;
      r.base[d] = 1;
    }
    tl_value zero = tlo_constant_f64(b, tl_type_scalar(ct->type.dtype), 0);
    tl_op *pad = tl_op_begin(b, TL_OP_PAD, (tl_value[]){ct, zero}, 2);
    tl_op_set_list(b, pad, TL_A_PAD_edge_padding_low, low, w.rank);
    tl_op_set_list(b, pad, TL_A_PAD_edge_padding_high, high, w.rank);
    tl_op_set_list(b, pad, TL_A_PAD_interior_padding, interior, w.rank);
    pad = tl_op_finish(b, pad, NULL, 0);
    ct = pad == NULL ? NULL : pad->results[0];
  }
  return sum_of_windows(b, &r, ct);
}

// --- One element of each window
// ---------------------------------------------------------------------

// The number of each element of a tensor, in a row.
static tl_value numbers(tl_builder *b, tl_type x) {
  int64_t n = 0;
  if (!tl_dim_product(b->m, x, &n)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "too many elements to number"));
    return NULL;
  }
  tl_value row = tlo_iota(b, (tl_type){TL_DTYPE_S64, 1, &n}, 0);
  return tlo_reshape(b, row, x.dims, x.rank);
}

static bool is_extremum(tl_opcode way) { return way == TL_OP_MAXIMUM || way == TL_OP_MINIMUM; }

// (a, i, b, j) -> (a, i) where a is at least as far out, else (b, j).
static void extremum_region(tl_builder *b, tl_op *op, tl_opcode way, tl_dtype t) {
  const tl_type s = tl_type_scalar(t), number = tl_type_scalar(TL_DTYPE_S64);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  tl_value x = tl_block_arg(&in, block, s), i = tl_block_arg(&in, block, number);
  tl_value y = tl_block_arg(&in, block, s), j = tl_block_arg(&in, block, number);
  tl_value p = tlo_compare(
      &in, way == TL_OP_MAXIMUM ? TL_COMPARISON_DIRECTION_GE : TL_COMPARISON_DIRECTION_LE, x, y);
  tl_value out[2] = {tlo_select(&in, p, x, y), NULL};
  out[1] = tlo_select(&in, p, i, j);
  tlo_return(&in, out, 2);
  tl_builder_join(b, &in);
}

// Of the element that result k takes in each window; -1: the initial value.
static tl_value winner(tl_builder *b, const tl_op *op, const tl_value *in, uint32_t k) {
  const uint32_t n = op->n_results;
  const window w = window_of(op);
  const tl_opcode way = tl_ad_way(op->regions[0], k);
  const uint32_t m = is_extremum(way) ? 1 : n; // an extremum is its own business
  tl_value *operands = TL_NEW(b->m->arena, tl_value, 2 * (size_t)m + 2);
  if (operands == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  for (uint32_t i = 0; i < m; i++) {
    const uint32_t from = is_extremum(way) ? k : i;
    operands[i] = in[from];
    operands[m + 1 + i] = in[n + from];
  }
  operands[m] = numbers(b, in[0]->type);
  operands[2 * m + 1] = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), -1);
  tl_op *r = begin(b, &w, operands, 2 * m + 2);
  if (r == NULL) return NULL;
  if (is_extremum(way))
    extremum_region(b, r, way, op->results[k]->type.dtype);
  else
    tl_ad_numbered_region(b, r, op->regions[0], k);
  r = tl_op_finish(b, r, NULL, 0);
  return r == NULL ? NULL : r->results[m];
}

static tl_opcode rule_for(const tl_op *op, uint32_t k) {
  const tl_opcode way = tl_ad_way(op->regions[0], k);
  if (way == TL_OP_ADD) return way;
  if (is_extremum(way) && !tl_ad_is_complex(op->results[k])) return TL_OP_SELECT;
  return tl_ad_selects(op->regions[0], k) ? TL_OP_SELECT : TL_OP_COUNT;
}

// --- Any region
// ---------------------------------------------------------------------------------------

static tl_value padded(tl_builder *b, const window *w, tl_value x, tl_value with) {
  int64_t low[TL_MAX_RANK], high[TL_MAX_RANK], interior[TL_MAX_RANK];
  for (uint32_t d = 0; d < w->rank; d++) {
    low[d] = w->padding[2 * d], high[d] = w->padding[2 * d + 1];
    interior[d] = w->base[d] - 1;
  }
  tl_op *pad = tl_op_begin(b, TL_OP_PAD, (tl_value[]){x, with}, 2);
  tl_op_set_list(b, pad, TL_A_PAD_edge_padding_low, low, w->rank);
  tl_op_set_list(b, pad, TL_A_PAD_edge_padding_high, high, w->rank);
  tl_op_set_list(b, pad, TL_A_PAD_interior_padding, interior, w->rank);
  pad = tl_op_finish(b, pad, NULL, 0);
  return pad == NULL ? NULL : pad->results[0];
}

// The windows of the padded operands, [dims of the result, dims of a window], reduced.
static void emit_unfolded(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                          tl_value *out) {
  const uint32_t n = op->n_results;
  const window w = window_of(op);
  const tl_type y = op->results[0]->type;
  tl_value *operands = TL_NEW(b->m->arena, tl_value, 2 * (size_t)n);
  if (operands == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  memcpy(operands, in, 2 * (size_t)n * sizeof(tl_value));
  for (uint32_t k = 0; k < n; k++)
    operands[k] = padded(b, &w, in[k], in[n + k]);
  if (b->error != TL_OK) return;
  const tl_type x = operands[0]->type;
  int64_t dims[2 * TL_MAX_RANK], gone[TL_MAX_RANK];
  uint32_t rank = w.rank, n_gone = 0, at[TL_MAX_RANK] = {0};
  if (w.rank > 0) memcpy(dims, y.dims, w.rank * sizeof *dims);
  for (uint32_t d = 0; d < w.rank; d++)
    if (w.size[d] != 1) {
      at[d] = rank;
      gone[n_gone++] = rank;
      dims[rank++] = w.size[d];
    }
  if (!tl_type_is_static(x) || !tl_type_is_static(y) || rank > TL_MAX_RANK) {
    tl_ad_refuse(ad, b, op,
                 rank > TL_MAX_RANK
                     ? "by such a region over windows of so many dims"
                     : "by such a region over a dim that is a symbol: specialise first");
    return;
  }
  const tl_type laid = tl_type_of(b->m->arena, TL_DTYPE_S64, dims, rank);
  tl_value place = tlo_fill(b, laid, 0);
  int64_t step = 1;
  for (uint32_t d = w.rank; d-- > 0; step *= x.dims[d]) {
    tl_value o = tl_ad_scale(b, tlo_iota(b, laid, d), (double)(w.stride[d] * step));
    place = tlo_add(b, place, o);
    if (w.size[d] == 1) continue;
    tl_value i = tl_ad_scale(b, tlo_iota(b, laid, at[d]), (double)(w.dilation[d] * step));
    place = tlo_add(b, place, i);
  }
  for (uint32_t k = 0; k < n; k++)
    operands[k] = tl_ad_take_flat(b, operands[k], place);
  tl_op *r = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_REDUCE, operands, 2 * n);
  tl_op_set_list(b, r, TL_A_REDUCE_dimensions, gone, n_gone);
  tl_env e = {0};
  tl_clone_regions(b, &e, r, op);
  tl_env_deinit(&e);
  r = r == NULL ? NULL : tl_op_finish(b, r, NULL, 0);
  for (uint32_t k = 0; r != NULL && k < n; k++)
    out[k] = r->results[k];
}

// --- reduce_window
// --------------------------------------------------------------------------------------

static tl_value is_of_init(tl_builder *b, tl_value number) {
  tl_value zero = tl_ad_like(b, number, 0);
  return tlo_compare(b, TL_COMPARISON_DIRECTION_LT, number, zero);
}

static tl_value total_of_all(tl_builder *b, tl_value y) {
  int64_t all[TL_MAX_RANK];
  for (uint32_t i = 0; i < TL_MAX_RANK; i++)
    all[i] = i;
  return y == NULL ? NULL : tl_ad_sum(b, y, all, y->type.rank);
}

static bool reads_any(tl_builder *b, const tl_op *op, const tl_value_map *map) {
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_value_map_get(map, free[i], NULL)) return true;
  return false;
}

static void window_back(tl_vjp *v, uint32_t k) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  tl_value ct = v->ct[k];
  if (rule_for(v->op, k) == TL_OP_ADD) {
    tl_value dx = sum_back(v->ad, b, v->op, ct);
    if (dx != NULL) tl_vjp_give(v, k, tlo_convert(b, dx, v->in[k]->type.dtype));
    return;
  }
  tl_value number = winner(b, v->op, v->in, k);
  tl_value dx = tl_ad_put_flat(b, v->in[k]->type, number, ct); // -1 is nowhere
  if (dx != NULL) tl_vjp_give(v, k, tlo_convert(b, dx, v->in[k]->type.dtype));
  if (!tl_vjp_wants(v, n + k)) return;
  tl_value of_init = is_of_init(b, number), zero = tl_ad_like(b, ct, 0);
  tl_value di = total_of_all(b, tlo_select(b, of_init, ct, zero));
  if (di != NULL) tl_vjp_give(v, n + k, tlo_convert(b, di, v->in[n + k]->type.dtype));
}

void tl_vjp_reduce_window(tl_vjp *v) {
  const uint32_t n = v->op->n_results;
  bool direct = !reads_any(v->b, v->op, &v->r->active);
  for (uint32_t k = 0; k < n; k++) {
    if (v->ct[k] == NULL) continue;
    const tl_opcode rule = rule_for(v->op, k);
    direct &= rule == TL_OP_SELECT || (rule == TL_OP_ADD && !tl_vjp_wants(v, n + k));
  }
  if (!direct) {
    tl_vjp_through(v, emit_unfolded);
    return;
  }
  for (uint32_t k = 0; k < n && v->b->error == TL_OK; k++)
    if (v->ct[k] != NULL) window_back(v, k);
}

static tl_value window_forward(tl_jvp *j, uint32_t k) {
  tl_builder *b = j->b;
  const uint32_t n = j->op->n_results;
  const tl_dtype wide = j->out[k]->type.dtype;
  tl_value dx = tlo_convert(b, tl_jvp_t(j, k), wide);
  if (rule_for(j->op, k) == TL_OP_ADD) {
    const window w = window_of(j->op);
    return sum_of_windows(b, &w, dx);
  }
  tl_value number = winner(b, j->op, j->in, k), of_init = is_of_init(b, number);
  tl_value y = tl_ad_take_flat(b, dx, number), di = tl_ad_like(b, y, 0);
  if (j->t[n + k] != NULL && y != NULL && y->type.rank != 0)
    di = tlo_broadcast(b, tlo_convert(b, j->t[n + k], wide), y->type, NULL);
  else if (j->t[n + k] != NULL)
    di = tlo_convert(b, j->t[n + k], wide);
  return tlo_select(b, of_init, di, y);
}

void tl_jvp_reduce_window(tl_jvp *j) {
  const uint32_t n = j->op->n_results;
  bool direct = !reads_any(j->b, j->op, &j->f->tangents);
  for (uint32_t k = 0; k < n; k++) {
    if (j->t[k] == NULL && j->t[n + k] == NULL) continue;
    const tl_opcode rule = rule_for(j->op, k);
    direct &= rule == TL_OP_SELECT || (rule == TL_OP_ADD && j->t[n + k] == NULL);
  }
  if (!direct) {
    tl_jvp_through(j, emit_unfolded);
    return;
  }
  for (uint32_t k = 0; k < n && j->b->error == TL_OK; k++)
    if (j->t[k] != NULL || j->t[n + k] != NULL) tl_jvp_give(j, k, window_forward(j, k));
}

void tl_batch_reduce_window(tl_batch *v) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  bool inits = v->op->operands[0]->type.rank >= TL_MAX_RANK;
  for (uint32_t k = 0; k < n; k++)
    inits |= v->batched[n + k];
  if (inits || tl_ad_reads_batched(v)) {
    tl_batch_through(v, emit_unfolded);
    return;
  }
  for (uint32_t k = 0; k < n; k++)
    (void)tl_batch_in(v, k);
  const window one = window_of(v->op), w = led_by_batch(&one);
  tl_op *r = b->error != TL_OK ? NULL : begin(b, &w, v->in, 2 * n);
  tl_clone_regions(b, &v->at->env, r, v->op);
  r = r == NULL ? NULL : tl_op_finish(b, r, NULL, 0);
  for (uint32_t k = 0; r != NULL && k < n; k++)
    v->out[k] = r->results[k];
}

// --- select_and_scatter
// ---------------------------------------------------------------------------------

// (a, i, b, j): the one that `select` keeps of the two; of padding, whose number is -1, the other.
static void pick_region(tl_builder *b, tl_op *op, const tl_block *select) {
  const tl_type s = select->args[0]->type, number = tl_type_scalar(TL_DTYPE_S64);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  tl_value x = tl_block_arg(&in, block, s), i = tl_block_arg(&in, block, number);
  tl_value y = tl_block_arg(&in, block, s), j = tl_block_arg(&in, block, number);
  tl_env e = {0};
  tl_value keep = NULL;
  tl_env_put(&in, &e, select->args[0], x);
  tl_env_put(&in, &e, select->args[1], y);
  if (in.error == TL_OK) tl_clone_block(&in, &e, select, &keep);
  tl_env_deinit(&e);
  tl_value zero = tlo_constant_i64(&in, number, 0);
  tl_value first = tlo_compare(&in, TL_COMPARISON_DIRECTION_GE, i, zero);
  tl_value alone = tlo_compare(&in, TL_COMPARISON_DIRECTION_LT, j, zero);
  keep = tlo_binary(&in, TL_OP_AND, first, keep);
  keep = tlo_binary(&in, TL_OP_OR, alone, keep);
  tl_value out[2] = {tlo_select(&in, keep, x, y), NULL};
  out[1] = tlo_select(&in, keep, i, j);
  tlo_return(&in, out, 2);
  tl_builder_join(b, &in);
}

// A scatter at the numbers of what each window picks.
static void emit_select_and_scatter(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                                    tl_value *out) {
  (void)ad;
  const window w = window_of_select(op);
  const tl_type x = in[0]->type, s = tl_type_scalar(x.dtype);
  tl_value zero = tl_ad_zeros(b, s);
  tl_value none = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), -1);
  tl_value operands[4] = {in[0], numbers(b, x), zero, none};
  tl_op *r = begin(b, &w, operands, 4);
  if (r == NULL) return;
  pick_region(b, r, op->regions[0]);
  r = tl_op_finish(b, r, NULL, 0);
  int64_t n = 0;
  if (r == NULL || !tl_dim_product(b->m, x, &n)) return;
  tl_value base = tlo_broadcast(b, in[2], (tl_type){in[2]->type.dtype, 1, &n}, NULL);
  tl_op *put = tl_op_begin(b, TL_OP_SCATTER, (tl_value[]){base, r->results[1], in[1]}, 3);
  if (put == NULL) return;
  tl_op_set_list(b, put, TL_A_SCATTER_inserted_window_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, put, TL_A_SCATTER_scatter_dims_to_operand_dims, (int64_t[]){0}, 1);
  tl_op_set_i64(put, TL_A_SCATTER_index_vector_dim, r->results[1]->type.rank);
  tl_op only = *op; // its second region alone
  only.regions = op->regions + 1;
  only.n_regions = 1;
  tl_env e = {0};
  tl_clone_regions(b, &e, put, &only);
  tl_env_deinit(&e);
  put = tl_op_finish(b, put, NULL, 0);
  if (put != NULL) out[0] = tlo_reshape(b, put->results[0], x.dims, x.rank);
}

void tl_vjp_select_and_scatter(tl_vjp *v) { tl_vjp_through(v, emit_select_and_scatter); }
void tl_jvp_select_and_scatter(tl_jvp *j) { tl_jvp_through(j, emit_select_and_scatter); }

void tl_batch_select_and_scatter(tl_batch *v) {
  tl_builder *b = v->b;
  if (v->batched[2] || tl_ad_reads_batched(v) || v->op->operands[0]->type.rank >= TL_MAX_RANK) {
    tl_batch_through(v, emit_select_and_scatter);
    return;
  }
  (void)tl_batch_in(v, 0);
  (void)tl_batch_in(v, 1);
  const window one = window_of_select(v->op), w = led_by_batch(&one);
  tl_op *r = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_SELECT_AND_SCATTER, v->in, 3);
  tl_op_set_list(b, r, TL_A_SELECT_AND_SCATTER_window_dimensions, w.size, w.rank);
  tl_op_set_list(b, r, TL_A_SELECT_AND_SCATTER_window_strides, w.stride, w.rank);
  tl_op_set_list(b, r, TL_A_SELECT_AND_SCATTER_padding, w.padding, 2 * (size_t)w.rank);
  tl_clone_regions(b, &v->at->env, r, v->op);
  r = r == NULL ? NULL : tl_op_finish(b, r, NULL, 0);
  if (r != NULL) v->out[0] = r->results[0];
}
