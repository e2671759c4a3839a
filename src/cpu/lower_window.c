// Ops with windows: reduce_window and select_and_scatter; and what they share with convolution.
//
// A window's element at place o * stride + k * dilation - low lies in the operand, between its
// dilated elements, or in the padding. So that the nest has plain affine maps, the operand is first
// written into memory that has the padding and the gaps (as pad does), cut to what the windows
// reach. Where there is neither, it is read where it lies.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/window.h"

static int64_t at_or(tl_i64s list, size_t i, int64_t otherwise) {
  return list.len > 0 ? list.ptr[i] : otherwise;
}

bool window_reach(const window *w, int64_t extent[TL_MAX_RANK]) {
  for (uint32_t d = 0; d < w->rank; d++) {
    int64_t last, more;
    if (w->out[d] < 1 || w->window[d] < 1 || !TL_MUL_OK(w->out[d] - 1, w->stride[d], &last) ||
        !TL_MUL_OK(w->window[d] - 1, w->window_dilation[d], &more) ||
        !TL_ADD_OK(last, more, &last) || !TL_ADD_OK(last, (int64_t)1, &extent[d]))
      return false;
  }
  return true;
}

bool window_needs_no_padding(const window *w, const int64_t *extent) {
  for (uint32_t d = 0; d < w->rank; d++)
    if (w->low[d] != 0 || (w->size_dilation[d] != 1 && w->size[d] > 1) || extent[d] > w->size[d])
      return false;
  return true;
}

static uint16_t content_of(nest *n, tl_value v, window_content what, const nest_map *m) {
  return what == WINDOW_ELEMENTS ? nest_value(n, v, m) : nest_number(n, v->type, m);
}

bool window_padded(planner *p, const tl_op *op, tl_value v, window_content what, tl_dtype as,
                   const window *w, const int64_t *extent, const uint32_t *dims, tl_value fill,
                   tl_type *out_type, plan_view *out) {
  const tl_type x = v->type;
  int64_t all[TL_MAX_RANK], box[TL_MAX_RANK];
  nest_map from = nest_identity(0, x.rank), to = nest_identity(0, x.rank);
  const nest_map none = {0}, every = nest_identity(0, x.rank);
  for (uint32_t d = 0; d < x.rank; d++)
    all[d] = box[d] = x.dims[d];
  bool any = true;
  for (uint32_t k = 0; k < w->rank; k++) {
    const uint32_t d = dims[k];
    const int64_t step = w->size_dilation[k], low = w->low[k];
    int64_t first = 0, end = 0, room;
    if (low == INT64_MIN) return false;
    if (low < 0) first = (-low - 1) / step + 1;
    if (TL_SUB_OK(extent[k], low, &room) && room > 0)
      end = TL_MIN(x.dims[d], (room - 1) / step + 1);
    all[d] = extent[k];
    any &= end > first;
    box[d] = end - first;
    from.offset[d] = first;
    to.offset[d] = low + first * step;
    to.coef[d][d] = box[d] == 1 ? 0 : step;
  }
  const tl_dtype dtype = what == WINDOW_ELEMENTS ? as : TL_DTYPE_S64,
                 of = what == WINDOW_ELEMENTS ? x.dtype : dtype;
  size_t size;
  *out_type = tl_type_of(p->exe->arena, dtype, all, x.rank);
  if (x.rank > 0 && !out_type->dims) plan_fail(p, TL_OOM());
  if (p->error || !tl_type_size(*out_type, &size)) return p->error != NULL;
  *out = plan_temp(p, *out_type);
  nest n;
  if (p->error || !nest_computes(dtype) || !nest_begin(&n, p, x.rank, x.rank, all))
    return p->error != NULL;
  nest_store(&n, *out, *out_type, &every, LOOP_NONE,
             fill                     ? nest_convert(&n, of, dtype, nest_value(&n, fill, &none))
             : what == WINDOW_NUMBERS ? nest_s64(&n, -1)
                                      : nest_zero(&n, dtype));
  if (!nest_finish(&n, op, "pad")) return false;
  if (!any || p->error) return true;
  if (!nest_begin(&n, p, x.rank, x.rank, box)) return p->error != NULL;
  nest_store(&n, *out, *out_type, &to, LOOP_NONE,
             nest_convert(&n, of, dtype, content_of(&n, v, what, &from)));
  return nest_finish(&n, op, "pad");
}

static window window_of(tl_type x, tl_type out, tl_i64s dims, tl_i64s strides, tl_i64s padding,
                        tl_i64s size_dilation, tl_i64s window_dilation) {
  window w = {.rank = x.rank};
  for (uint32_t d = 0; d < x.rank; d++) {
    w.size[d] = x.dims[d];
    w.out[d] = out.dims[d];
    w.window[d] = at_or(dims, d, 1);
    w.stride[d] = at_or(strides, d, 1);
    w.low[d] = padding.len > 0 ? padding.ptr[2 * d] : 0;
    w.size_dilation[d] = at_or(size_dilation, d, 1);
    w.window_dilation[d] = at_or(window_dilation, d, 1);
  }
  return w;
}

static const uint32_t same_dims[TL_MAX_RANK] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                8, 9, 10, 11, 12, 13, 14, 15};

// Dims: places, then elements of the window.
static nest_map window_map(const window *w) {
  nest_map m = {0};
  for (uint32_t d = 0; d < w->rank; d++) {
    m.coef[d][d] = w->stride[d];
    m.coef[d][w->rank + d] = w->window_dilation[d];
  }
  return m;
}

enum { MAX_INPUTS = 8 };

bool lower_reduce_window(planner *p, const tl_op *op) {
  const uint32_t n_inputs = op->n_results;
  const tl_type x = op->operands[0]->type, y = op->results[0]->type;
  if (type_count(y) == 0) return plan_nothing(p, op);
  if (!nest_reduces(op) || n_inputs > MAX_INPUTS) return false;
  const window w = window_of(x, y, tl_op_list(op, TL_A_REDUCE_WINDOW_window_dimensions),
                             tl_op_list(op, TL_A_REDUCE_WINDOW_window_strides),
                             tl_op_list(op, TL_A_REDUCE_WINDOW_padding),
                             tl_op_list(op, TL_A_REDUCE_WINDOW_base_dilations),
                             tl_op_list(op, TL_A_REDUCE_WINDOW_window_dilations));
  int64_t covered[TL_MAX_RANK], extent[LOOP_MAX_DIMS];
  if (!window_reach(&w, covered)) return false;
  const bool plain = window_needs_no_padding(&w, covered);
  plan_view view[MAX_INPUTS] = {0};
  tl_type type[MAX_INPUTS];
  for (uint32_t i = 0; i < n_inputs && !plain; i++)
    if (!window_padded(p, op, op->operands[i], WINDOW_ELEMENTS, op->operands[i]->type.dtype, &w,
                       covered, same_dims, op->operands[n_inputs + i], &type[i], &view[i]) ||
        p->error)
      return p->error != NULL;
  memcpy(extent, w.out, x.rank * sizeof *extent);
  memcpy(extent + x.rank, w.window, x.rank * sizeof *extent);
  nest n;
  if (!nest_begin(&n, p, 2 * x.rank, x.rank, extent)) return p->error != NULL;
  n.section = LOOP_BODY;
  const nest_map m = window_map(&w), none = {0}, to = nest_identity(0, x.rank);
  uint16_t term[MAX_INPUTS], init[MAX_INPUTS];
  for (uint32_t i = 0; i < n_inputs; i++) {
    term[i] = plain ? nest_load(&n, op->operands[i], &m, LOOP_NONE)
                    : nest_load_view(&n, view[i], type[i], &m);
    init[i] = nest_value(&n, op->operands[n_inputs + i], &none);
  }
  if (!nest_reduction(&n, op, term, init, &to)) n.failed = true;
  return nest_finish(&n, op, "reduce_window");
}

// --- select_and_scatter: which element each window picks, and then a scatter to there ---

// The number of the element that each window picks (-1: none), as s64 in the source's shape.
static bool picks(planner *p, const tl_op *op, const window *w, plan_view *out, tl_type *out_type) {
  const tl_value x = op->operands[0];
  const tl_type source = op->operands[1]->type;
  int64_t covered[TL_MAX_RANK], extent[LOOP_MAX_DIMS];
  if (!window_reach(w, covered)) return false;
  plan_view elements = {0}, numbers = {0};
  tl_type element_type = x->type, number_type;
  const bool plain = window_needs_no_padding(w, covered);
  if (!plain && (!window_padded(p, op, x, WINDOW_ELEMENTS, x->type.dtype, w, covered, same_dims,
                                NULL, &element_type, &elements) ||
                 p->error ||
                 !window_padded(p, op, x, WINDOW_NUMBERS, TL_DTYPE_S64, w, covered, same_dims, NULL,
                                &number_type, &numbers) ||
                 p->error))
    return p->error != NULL;
  memcpy(extent, w->out, w->rank * sizeof *extent);
  memcpy(extent + w->rank, w->window, w->rank * sizeof *extent);
  nest n;
  if (!nest_begin(&n, p, 2 * w->rank, w->rank, extent)) return p->error != NULL;
  n.section = LOOP_BODY;
  const nest_map m = window_map(w), to = nest_identity(0, w->rank);
  const uint16_t element =
      plain ? nest_load(&n, x, &m, LOOP_NONE) : nest_load_view(&n, elements, element_type, &m);
  const uint16_t number =
      plain ? content_of(&n, x, WINDOW_NUMBERS, &m) : nest_load_view(&n, numbers, number_type, &m);
  uint32_t at = 0;
  const uint16_t first = nest_zero(&n, x->type.dtype), nowhere = nest_s64(&n, -1);
  n.loop->reduce = LOOP_FOLD;
  // Taken: inside, and the first one, or the present best is not to be kept.
  n.section = LOOP_COMBINE;
  const uint16_t place = nest_fold_state(&n, nowhere, &at), best = nest_fold_state(&n, first, &at),
                 zero = nest_s64(&n, 0);
  n.loop->n_states = at;
  uint16_t keep = LOOP_NONE;
  if (!nest_region(&n, op->regions[0], (uint16_t[]){best, element}, &keep, 1)) n.failed = true;
  uint16_t take = nest_scalar(&n, TL_SCALAR_NOT, TL_REG_I1, TL_REG_I1, keep, LOOP_NONE, LOOP_NONE);
  const uint16_t empty =
      nest_scalar(&n, TL_SCALAR_LT, TL_REG_I1, TL_REG_S64, place, zero, LOOP_NONE);
  take = nest_scalar(&n, TL_SCALAR_OR, TL_REG_I1, TL_REG_I1, take, empty, LOOP_NONE);
  const uint16_t inside =
      nest_scalar(&n, TL_SCALAR_GE, TL_REG_I1, TL_REG_S64, number, zero, LOOP_NONE);
  take = nest_scalar(&n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, take, inside, LOOP_NONE);
  at = 0;
  nest_fold_next(&n, nest_select(&n, take, number, place), &at);
  nest_fold_next(&n, nest_select(&n, take, element, best), &at);
  n.section = LOOP_TAIL;
  *out_type = tl_type_of(p->exe->arena, TL_DTYPE_S64, source.dims, source.rank);
  if (source.rank > 0 && !out_type->dims) plan_fail(p, TL_OOM());
  if (!n.failed && !p->error) *out = plan_temp(p, *out_type);
  nest_store(&n, *out, *out_type, &to, LOOP_NONE, nest_result(&n, TL_REG_S64, 0));
  return nest_finish(&n, op, "select");
}

bool lower_select_and_scatter(planner *p, const tl_op *op) {
  const tl_type x = op->operands[0]->type, source = op->operands[1]->type, y = op->results[0]->type;
  const tl_value init = op->operands[2];
  if (!nest_knows_region(op->regions[0]) || !nest_knows_region(op->regions[1])) return false;
  if (x.dtype != y.dtype || source.dtype != y.dtype || init->type.dtype != y.dtype) return false;
  if (type_count(y) == 0) return plan_nothing(p, op);
  const tl_block *select = op->regions[0], *scatter = op->regions[1];
  for (uint32_t i = 0; i < 2; i++)
    if (select->args[i]->type.dtype != x.dtype || scatter->args[i]->type.dtype != y.dtype)
      return false;
  const window w =
      window_of(x, source, tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_dimensions),
                tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_strides),
                tl_op_list(op, TL_A_SELECT_AND_SCATTER_padding), (tl_i64s){0}, (tl_i64s){0});
  plan_view places = {0};
  tl_type place_type;
  if (type_count(source) > 0 && (!picks(p, op, &w, &places, &place_type) || p->error))
    return p->error != NULL;
  nest n;
  if (!nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  const plan_view out = plan_result(p, op->results[0]);
  const nest_map none = {0}, all = nest_identity(0, y.rank);
  nest_store(&n, out, y, &all, LOOP_NONE, nest_value(&n, init, &none));
  if (!nest_finish(&n, op, "fill") || p->error) return p->error != NULL;
  if (type_count(source) == 0) return true;
  return plan_scatter(p, op, scatter, &op->operands[1], &out, 1, places, 1);
}
