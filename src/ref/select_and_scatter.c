// select_and_scatter: each window of the operand picks one of its elements, and the source's
// element for that window is combined into the result there.
//
// A window's elements are taken in row-major order, the padding left out; `select` keeps the first
// of a pair where it says true. Source elements are combined in ascending order, starting from the
// initial value, and each step rounds as its region says. What a window without elements would pick
// is not specified; here it picks none.
#include "ref/eval.h"

#include <string.h>

#include "ref/window.h"

// The place that the window picks.
static tl_status pick(tl_ref_call *c, const size_t *places, size_t n, size_t *out_place) {
  const tl_tensor *x = &c->in[0];
  size_t best = TL_WINDOW_PADDING;
  for (size_t k = 0; k < n; k++) {
    if (places[k] == TL_WINDOW_PADDING) continue;
    if (best == TL_WINDOW_PADDING) {
      best = places[k];
      continue;
    }
    tl_ref_cell args[2] = {0}, keep = {0};
    tl_status st = tl_ref_cell_scalar(x, best, x->type.dtype, &args[0]);
    if (st == TL_OK) st = tl_ref_cell_scalar(x, places[k], x->type.dtype, &args[1]);
    if (st == TL_OK) st = tl_ref_run_region(c, 0, args, 2, &keep, 1);
    if (st == TL_OK && *(const unsigned char *)keep.t.data == 0) best = places[k];
    tl_ref_release(&args[0]);
    tl_ref_release(&args[1]);
    tl_ref_release(&keep);
    TL_TRY(st);
  }
  *out_place = best;
  return TL_OK;
}

// Combines element `from` of the source into element `to` of the result.
static tl_status combine(tl_ref_call *c, size_t from, size_t to) {
  const tl_tensor *out = &c->out[0].t;
  const size_t size = tl_dtype_get(out->type.dtype)->size;
  tl_ref_cell args[2] = {0}, sum = {0};
  tl_status st = tl_ref_cell_scalar(out, to, out->type.dtype, &args[0]);
  if (st == TL_OK) st = tl_ref_cell_scalar(&c->in[1], from, out->type.dtype, &args[1]);
  if (st == TL_OK) st = tl_ref_run_region(c, 1, args, 2, &sum, 1);
  if (st == TL_OK && (sum.t.type.dtype != out->type.dtype || sum.t.type.rank != 0))
    st = TL_ERROR(INVALID_ARGUMENT,
                  "select_and_scatter: the region's result has another type than the op's");
  if (st == TL_OK) memcpy((unsigned char *)out->data + to * size, sum.t.data, size);
  tl_ref_release(&args[0]);
  tl_ref_release(&args[1]);
  tl_ref_release(&sum);
  return st;
}

tl_status ref_eval_SELECT_AND_SCATTER(tl_ref_call *c) {
  const tl_op *op = c->op;
  const tl_tensor *out = &c->out[0].t;
  const tl_type x = c->in[0].type, source = c->in[1].type;
  tl_i64s given = tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_dimensions);
  int64_t window[TL_MAX_RANK], at[TL_MAX_RANK] = {0};
  for (uint32_t d = 0; d < x.rank; d++)
    window[d] = given.len > 0 ? given.ptr[d] : 1;
  size_t count, n_source, width;
  if (!tl_type_count(out->type, &count) || !tl_type_count(source, &n_source) ||
      !tl_type_count((tl_type){x.dtype, x.rank, window}, &width))
    return TL_ERROR(INVALID_ARGUMENT, "select_and_scatter: its window is too large");
  tl_ref_cell init = {0};
  TL_TRY(tl_ref_cell_scalar(&c->in[2], 0, out->type.dtype, &init));
  const size_t size = tl_dtype_get(out->type.dtype)->size;
  for (size_t i = 0; i < count; i++)
    memcpy((unsigned char *)out->data + i * size, init.t.data, size);
  tl_ref_release(&init);
  if (count == 0 || n_source == 0) return TL_OK;
  size_t *places = tl_arena_alloc_array(c->scratch, width, sizeof *places, 16);
  if (places == NULL) return tl_window_oom(op, width);
  tl_window w =
      tl_window_of(x.dims, window, x.rank, tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_strides),
                   tl_op_list(op, TL_A_SELECT_AND_SCATTER_padding), (tl_i64s){0}, (tl_i64s){0});
  for (size_t from = 0; from < n_source; from++) {
    size_t to;
    tl_window_places(&w, at, places);
    tl_window_next(source.dims, x.rank, at);
    TL_TRY(pick(c, places, width, &to));
    if (to != TL_WINDOW_PADDING) TL_TRY(combine(c, from, to));
  }
  return TL_OK;
}
