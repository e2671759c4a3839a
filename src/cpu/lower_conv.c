// convolution: as products of matrices where the types have such a kernel, as a nest otherwise.
//
// The lhs first gets its padding and the gaps of its dilation (window.h), so that places are
// affine; where it has neither it is read where it lies. For a matrix kernel the rhs becomes [K,
// features], K over the kernel's spatial dims and then its input features, which is the order of
// the sum; it is copied only when it lies otherwise. Each thread then fills rows of windows,
// [places, K], of a few places at a time, and multiplies. Of complex numbers the rhs is planes of
// its parts.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/window.h"
#include "ir/dynamic.h"

typedef struct conv { // what the attributes say
  window w;           // spatial
  uint32_t rank;
  uint32_t in_batch, in_feature, w_in, w_out, out_batch, out_feature;
  uint32_t in_spatial[TL_MAX_RANK], w_spatial[TL_MAX_RANK], out_spatial[TL_MAX_RANK];
  bool reverse[TL_MAX_RANK];
  int64_t batch_groups, groups; // groups: of both kinds
  int64_t batches, features;    // of the result; input features of one group
  int64_t out_features;         // of one group
} conv;

static conv conv_of(const tl_op *op) {
  const tl_type x = op->operands[0]->type, k = op->operands[1]->type, y = op->results[0]->type;
  const tl_i64s from = tl_op_list(op, TL_A_CONVOLUTION_input_spatial_dimensions),
                by = tl_op_list(op, TL_A_CONVOLUTION_kernel_spatial_dimensions),
                to = tl_op_list(op, TL_A_CONVOLUTION_output_spatial_dimensions),
                reversal = tl_op_list(op, TL_A_CONVOLUTION_window_reversal),
                strides = tl_op_list(op, TL_A_CONVOLUTION_window_strides),
                padding = tl_op_list(op, TL_A_CONVOLUTION_padding),
                lhs = tl_op_list(op, TL_A_CONVOLUTION_lhs_dilation),
                rhs = tl_op_list(op, TL_A_CONVOLUTION_rhs_dilation);
  conv c = {.rank = x.rank,
            .in_batch = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_input_batch_dimension),
            .in_feature = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_input_feature_dimension),
            .w_in = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_kernel_input_feature_dimension),
            .w_out = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_kernel_output_feature_dimension),
            .out_batch = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_output_batch_dimension),
            .out_feature = (uint32_t)tl_op_i64(op, TL_A_CONVOLUTION_output_feature_dimension),
            .batch_groups = tl_op_i64(op, TL_A_CONVOLUTION_batch_group_count)};
  c.groups = c.batch_groups * tl_op_i64(op, TL_A_CONVOLUTION_feature_group_count);
  c.batches = y.dims[c.out_batch];
  c.features = k.dims[c.w_in];
  c.out_features = y.dims[c.out_feature] / c.groups;
  c.w.rank = (uint32_t)from.len;
  for (uint32_t d = 0; d < from.len; d++) {
    c.in_spatial[d] = (uint32_t)from.ptr[d];
    c.w_spatial[d] = (uint32_t)by.ptr[d];
    c.out_spatial[d] = (uint32_t)to.ptr[d];
    c.reverse[d] = reversal.len > 0 && reversal.ptr[d] != 0;
    c.w.size[d] = x.dims[from.ptr[d]];
    c.w.out[d] = y.dims[to.ptr[d]];
    c.w.window[d] = k.dims[by.ptr[d]];
    c.w.stride[d] = strides.len > 0 ? strides.ptr[d] : 1;
    c.w.low[d] = padding.len > 0 ? padding.ptr[2 * d] : 0;
    c.w.size_dilation[d] = lhs.len > 0 ? lhs.ptr[d] : 1;
    c.w.window_dilation[d] = rhs.len > 0 ? rhs.ptr[d] : 1;
  }
  return c;
}

// --- as a nest ---

// Dims: the result's, its feature dim as group and feature; then the kernel's spatial ones and the
// input feature.
static bool as_nest(planner *p, const tl_op *op, const conv *c, const plan_view *x, tl_type xt) {
  const tl_type y = op->results[0]->type;
  int64_t extent[LOOP_MAX_DIMS];
  nest_map mx = {0}, mw = {0}, to = {0};
  uint32_t at = 0, batch = 0, group = 0, feature = 0, place[TL_MAX_RANK] = {0};
  if (2 * c->rank > LOOP_MAX_DIMS) return false;
  for (uint32_t d = 0; d < y.rank; d++) {
    if (d == c->out_feature) {
      group = at, extent[at++] = c->groups;
      feature = at, extent[at++] = c->out_features;
      to.coef[d][group] = c->out_features;
      to.coef[d][feature] = 1;
      continue;
    }
    to.coef[d][at] = 1;
    if (d == c->out_batch) batch = at;
    for (uint32_t s = 0; s < c->w.rank; s++)
      if (d == c->out_spatial[s]) place[s] = at;
    extent[at++] = y.dims[d];
  }
  const uint32_t n_kept = at;
  for (uint32_t s = 0; s < c->w.rank; s++) {
    const int64_t step = c->w.window_dilation[s];
    const uint32_t d = c->in_spatial[s];
    extent[at] = c->w.window[s];
    mx.coef[d][place[s]] = c->w.stride[s];
    mx.coef[d][at] = c->reverse[s] ? -step : step;
    if (c->reverse[s]) mx.offset[d] = (c->w.window[s] - 1) * step;
    mw.coef[c->w_spatial[s]][at++] = 1;
  }
  extent[at] = c->features;
  mx.coef[c->in_feature][at] = 1;
  mw.coef[c->w_in][at++] = 1;
  mx.coef[c->in_batch][batch] = 1;
  if (c->batch_groups > 1)
    mx.coef[c->in_batch][group] = c->batches;
  else
    mx.coef[c->in_feature][group] = c->features;
  mw.coef[c->w_out][group] = c->out_features;
  mw.coef[c->w_out][feature] = 1;
  nest n;
  if (!nest_begin(&n, p, at, n_kept, extent)) return p->error != NULL;
  n.section = LOOP_BODY;
  const uint16_t a = x ? nest_load_view(&n, *x, xt, &mx)
                       : nest_load(&n, op->operands[0], &mx, LOOP_NONE),
                 b = nest_load(&n, op->operands[1], &mw, LOOP_NONE);
  if (!nest_dot(&n, op, a, b, &to)) n.failed = true;
  return nest_finish(&n, op, "convolution");
}

// --- as matrix products ---

typedef struct conv_params {
  bool wide, complex; // f64
  size_t size;        // bytes of an element of the lhs
  uint32_t n_spatial;
  size_t batches, groups, places, rows; // rows: of places at a time
  size_t window, features, out_features;
  size_t out[TL_MAX_RANK], kernel[TL_MAX_RANK];     // extents
  int64_t place[TL_MAX_RANK], element[TL_MAX_RANK]; // of the lhs: per place and per window element
  int64_t first;                                    // of a reversed window
  int64_t in_batch, in_group, in_feature;           // strides of the lhs
  size_t y_batch, y_place, y_feature;               // of the result
} conv_params;

// The windows of places [at, at + n): [n, K].
static void fill_rows(const conv_params *e, const uint8_t *x, size_t at, size_t n, uint8_t *to) {
  const size_t size = e->size, run = e->features * size;
  size_t o[TL_MAX_RANK], k[TL_MAX_RANK];
  for (size_t rest = at, d = e->n_spatial; d-- > 0; rest /= e->out[d])
    o[d] = rest % e->out[d];
  for (size_t r = 0; r < n; r++) {
    int64_t from = e->first;
    for (uint32_t d = 0; d < e->n_spatial; d++) {
      from += (int64_t)o[d] * e->place[d];
      k[d] = 0;
    }
    for (size_t j = 0; j < e->window; j++, to += run) {
      const uint8_t *p = x + from * (int64_t)size;
      if (e->in_feature == 1)
        memcpy(to, p, run);
      else if (size == 16)
        for (size_t f = 0; f < e->features; f++)
          memcpy(to + f * 16, p + (int64_t)f * e->in_feature * 16, 16);
      else if (size == 8)
        for (size_t f = 0; f < e->features; f++)
          memcpy(to + f * 8, p + (int64_t)f * e->in_feature * 8, 8);
      else
        for (size_t f = 0; f < e->features; f++)
          memcpy(to + f * 4, p + (int64_t)f * e->in_feature * 4, 4);
      for (uint32_t d = e->n_spatial; d-- > 0;) { // the window's next element
        from += e->element[d];
        if (++k[d] < e->kernel[d]) break;
        from -= (int64_t)e->kernel[d] * e->element[d];
        k[d] = 0;
      }
    }
    for (uint32_t d = e->n_spatial; d-- > 0;) { // the next place
      if (++o[d] < e->out[d]) break;
      o[d] = 0;
    }
  }
}

// Rows [M, K] by columns of w to y.
static void multiply(const plan_exec *x, const conv_params *e, const void *rows, size_t M,
                     const void *w, void *y) {
  const size_t K = e->window * e->features, N = e->out_features, all = e->groups * N;
  const tl_kernels *k = x->exe->cpu->kernels;
  if (e->complex) {
    k->gemm_complex(&(tl_gemm_complex_args){.wide = e->wide,
                                            .a = rows,
                                            .a_m = K,
                                            .b = w,
                                            .b_k = 2 * all,
                                            .b_im = all,
                                            .c = y,
                                            .c_m = e->y_place,
                                            .c_n = e->y_feature,
                                            .M = M,
                                            .N = N,
                                            .K = K});
    return;
  }
  (e->wide ? k->gemm_f64 : k->gemm_f32)(&(tl_gemm_args){.a = rows,
                                                        .a_m = K,
                                                        .a_k = 1,
                                                        .b = w,
                                                        .b_k = all,
                                                        .b_n = 1,
                                                        .c = y,
                                                        .c_m = e->y_place,
                                                        .c_n = e->y_feature,
                                                        .M = M,
                                                        .N = N,
                                                        .K = K,
                                                        .scratch = x->scratch});
}

static void run_conv(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const conv_params *e = s->params;
  const size_t K = e->window * e->features, real = e->wide ? 8 : 4, N = e->out_features,
               tiles = (e->places + e->rows - 1) / e->rows;
  size_t from, to;
  tl_pool_range(e->batches * e->groups * tiles, 1, part, n_parts, &from, &to);
  uint8_t *rows = x->scratch + tl_round_up(tl_gemm_scratch_size(real, e->rows, N, K), 64);
  for (size_t unit = from; unit < to; unit++) {
    const size_t tile = unit % tiles, g = unit / tiles % e->groups, b = unit / tiles / e->groups;
    const size_t at = tile * e->rows, M = TL_MIN(e->rows, e->places - at);
    const uint8_t *in = (const uint8_t *)step_in(s, x, 0) +
                        ((int64_t)b * e->in_batch + (int64_t)g * e->in_group) * (int64_t)e->size;
    fill_rows(e, in, at, M, rows);
    const uint8_t *w = (const uint8_t *)step_in(s, x, 1) + g * N * real;
    uint8_t *y = (uint8_t *)step_out(s, x, 0) +
                 (b * e->y_batch + at * e->y_place + g * N * e->y_feature) * e->size;
    multiply(x, e, rows, M, w, y);
  }
}

// The rhs as [K, groups * out_features] of dtype d; of complex numbers as [K, 2, groups *
// out_features] of their parts.
static bool plan_matrix(planner *p, const tl_op *op, const conv *c, tl_dtype d, plan_view *out) {
  const tl_value v = op->operands[1];
  const tl_type t = v->type;
  const bool complex = nest_is_complex(d);
  int64_t extent[TL_MAX_RANK], dims[TL_MAX_RANK];
  nest_map m = {0}, to = {0};
  bool as_it_is = t.dtype == d && !complex;
  uint32_t rank = 0;
  if (complex && t.rank + 1 > TL_MAX_RANK) return false;
  for (uint32_t k = 0; k < t.rank; k++) {
    const uint32_t dim = k < c->w.rank ? c->w_spatial[k] : k == c->w.rank ? c->w_in : c->w_out;
    if (complex && k + 1 == t.rank) dims[rank++] = 2;
    extent[k] = dims[rank] = t.dims[dim];
    m.coef[dim][k] = 1;
    to.coef[rank++][k] = 1;
    as_it_is &= dim == k || t.dims[dim] == 1;
  }
  if (as_it_is) {
    *out = plan_operand(p, v);
    return true;
  }
  const tl_type type = tl_type_of(p->exe->arena, nest_part_dtype(d), dims, rank);
  size_t size;
  if (!type.dims) plan_fail(p, TL_OOM());
  nest n;
  if (p->error || !tl_type_size(type, &size) || !nest_begin(&n, p, t.rank, t.rank, extent))
    return p->error != NULL;
  *out = plan_temp(p, type);
  const uint16_t x = nest_convert(&n, t.dtype, d, nest_load(&n, v, &m, LOOP_NONE));
  if (complex)
    nest_store_planes(&n, *out, type, to, rank - 2, x);
  else
    nest_store(&n, *out, type, &to, LOOP_NONE, x);
  return nest_finish(&n, op, "matrix");
}

enum { ROW_BYTES = 256 << 10, LEAST_ROWS = 16, MOST_ROWS = 128, PARALLEL_PRODUCTS = 32768 };

// Whether the result's places lie at one stride.
static bool places_in_step(const conv *c, const int64_t *strides) {
  int64_t step = 1, places = 1;
  for (uint32_t s = c->w.rank; s-- > 0; places *= c->w.out[s]) {
    const int64_t stride = strides[c->out_spatial[s]];
    if (places == 1)
      step = stride;
    else if (c->w.out[s] != 1 && stride != step * places)
      return false;
  }
  return true;
}

// The result from sums of dtype d: rounded once, and where they lie by [batch, places, feature],
// moved.
static bool plan_from_sums(planner *p, const tl_op *op, const conv *c, plan_view sums, tl_type type,
                           bool moved) {
  const tl_type y = op->results[0]->type;
  nest_map m = moved ? (nest_map){0} : nest_identity(0, y.rank);
  const nest_map all = nest_identity(0, y.rank);
  nest n;
  if (moved) {
    m.coef[0][c->out_batch] = m.coef[y.rank - 1][c->out_feature] = 1;
    for (uint32_t s = 0; s < c->w.rank; s++)
      m.coef[1 + s][c->out_spatial[s]] = 1;
  }
  if (!nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  nest_store(&n, plan_result(p, op->results[0]), y, &all, LOOP_NONE,
             nest_convert(&n, type.dtype, y.dtype, nest_load_view(&n, sums, type, &m)));
  return nest_finish(&n, op, "convert");
}

// x: the lhs in memory, of type xt (d's elements).
static bool as_products(planner *p, const tl_op *op, const conv *c, plan_view x, tl_type xt,
                        tl_dtype d) {
  const tl_type y = op->results[0]->type;
  int64_t in[TL_MAX_RANK], out[TL_MAX_RANK];
  nest_strides(xt, in);
  nest_strides(y, out);
  const bool moved = !places_in_step(c, out);
  int64_t dims[TL_MAX_RANK];
  tl_type sum_type = y;
  if (moved) {
    dims[0] = c->batches, dims[y.rank - 1] = y.dims[c->out_feature];
    memcpy(dims + 1, c->w.out, c->w.rank * sizeof *dims);
    sum_type = tl_type_of(p->exe->arena, d, dims, y.rank);
    if (!sum_type.dims) {
      plan_fail(p, TL_OOM());
      return true;
    }
    int64_t by[TL_MAX_RANK];
    nest_strides(sum_type, by);
    out[c->out_batch] = by[0], out[c->out_feature] = by[y.rank - 1];
    for (uint32_t s = 0; s < c->w.rank; s++)
      out[c->out_spatial[s]] = by[1 + s];
  }
  sum_type.dtype = d;
  const size_t size = tl_dtype_get(d)->size;
  conv_params e = {.wide = d == TL_DTYPE_F64 || d == TL_DTYPE_C128,
                   .complex = nest_is_complex(d),
                   .size = size,
                   .n_spatial = c->w.rank,
                   .batches = (size_t)c->batches,
                   .groups = (size_t)c->groups,
                   .places = 1,
                   .window = 1,
                   .features = (size_t)c->features,
                   .out_features = (size_t)c->out_features,
                   .in_batch = in[c->in_batch],
                   .in_feature = in[c->in_feature],
                   .in_group = c->batch_groups > 1 ? c->batches * in[c->in_batch]
                                                   : c->features * in[c->in_feature],
                   .y_batch = (size_t)out[c->out_batch],
                   .y_feature = (size_t)out[c->out_feature],
                   .y_place = 1};
  for (uint32_t s = c->w.rank; s-- > 0;) {
    if (e.places == 1) e.y_place = (size_t)out[c->out_spatial[s]];
    e.places *= (size_t)c->w.out[s];
    e.window *= (size_t)c->w.window[s];
  }
  for (uint32_t s = 0; s < c->w.rank; s++) {
    const int64_t step = in[c->in_spatial[s]], along = c->w.window_dilation[s] * step;
    e.out[s] = (size_t)c->w.out[s];
    e.kernel[s] = (size_t)c->w.window[s];
    e.place[s] = c->w.stride[s] * step;
    e.element[s] = c->reverse[s] ? -along : along;
    if (c->reverse[s]) e.first += (c->w.window[s] - 1) * along;
  }
  size_t K, row, products;
  if (!TL_MUL_OK(e.window, e.features, &K) || !TL_MUL_OK(K, size, &row) || K == 0) return false;
  e.rows = TL_MIN(TL_MAX(ROW_BYTES / row, (size_t)LEAST_ROWS), (size_t)MOST_ROWS);
  e.rows = TL_MIN(e.rows, e.places);
  size_t scratch;
  if (!TL_MUL_OK(e.rows, row, &scratch) || scratch > (size_t)1 << 30) return false;
  plan_view w;
  if (!plan_matrix(p, op, c, d, &w) || p->error) return p->error != NULL;
  conv_params *kept = plan_alloc(p, sizeof *kept, _Alignof(conv_params));
  plan_view *v = plan_views(p, 3), sum = {0};
  if (p->error) return true;
  *kept = e;
  v[0] = x, v[1] = w;
  const bool direct = y.dtype == d && !moved;
  v[2] = sum = direct ? plan_result(p, op->results[0]) : plan_temp(p, sum_type);
  for (int i = 0; i < 3; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, "convolution", run_conv);
  if (!s) return true;
  s->in = v, s->n_in = 2;
  s->out = v + 2, s->n_out = 1;
  s->params = kept;
  s->scratch =
      scratch + tl_round_up(tl_gemm_scratch_size(e.wide ? 8 : 4, e.rows, e.out_features, K), 64);
  if (!TL_MUL_OK(type_count(y), K << 2 * e.complex, &products)) products = SIZE_MAX;
  s->parallel = plan_worth(p, products, PARALLEL_PRODUCTS);
  return direct || plan_from_sums(p, op, c, sum, sum_type, moved);
}

// The dtype that a convolution with floats in its result is computed in.
static tl_dtype computed_in(tl_dtype d) {
  tl_reg r;
  if (nest_is_complex(d)) return d;
  return loop_reg_of(d, &r) && r == TL_REG_F64 ? TL_DTYPE_F64 : TL_DTYPE_F32;
}

// padded: the lhs with padding and gaps, of type xt; or NULL.
static bool convolve(planner *p, const tl_op *op, const plan_view *padded, tl_type xt) {
  const tl_value lhs = op->operands[0];
  const tl_type y = op->results[0]->type;
  tl_reg r;
  if (!loop_reg_of(nest_part_dtype(y.dtype), &r) || !nest_computes(lhs->type.dtype) ||
      !nest_computes(op->operands[1]->type.dtype))
    return false;
  if (type_count(y) == 0) return plan_nothing(p, op);
  const conv c = conv_of(op);
  int64_t covered[TL_MAX_RANK];
  if (type_count(op->operands[1]->type) == 0) { // sums of nothing
    nest n;
    const nest_map m = nest_identity(0, y.rank);
    if (!nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
    nest_store(&n, plan_result(p, op->results[0]), y, &m, LOOP_NONE, nest_zero(&n, y.dtype));
    return nest_finish(&n, op, "convolution");
  }
  if (!window_reach(&c.w, covered)) return false;
  const bool is_float = r == TL_REG_F32 || r == TL_REG_F64;
  const tl_dtype d = computed_in(y.dtype);
  const bool plain = !padded && window_needs_no_padding(&c.w, covered);
  plan_view x = {0};
  if (padded) {
    x = *padded;
  } else if (!plain) {
    if (!window_padded(p, op, lhs, WINDOW_ELEMENTS, is_float ? d : lhs->type.dtype, &c.w, covered,
                       c.in_spatial, NULL, &xt, &x) ||
        p->error)
      return p->error != NULL;
  } else if (is_float) {
    x = plan_operand_as(p, op, lhs, d);
    xt.dtype = d;
  }
  // A matrix product of one column a group would be a copy of each window for a lone dot.
  const bool lone = c.groups > 1 && c.out_features == 1;
  if (p->error || (is_float && !lone && as_products(p, op, &c, x, xt, d))) return true;
  return as_nest(p, op, &c, plain && !is_float ? NULL : &x, xt);
}

bool lower_convolution(planner *p, const tl_op *op) {
  return convolve(p, op, NULL, op->operands[0]->type);
}

// The static op whose padding in front is none, and behind what the windows reach; and the lhs in
// memory as long as that, padded in front by what the operand says.
bool plan_dynamic_conv(planner *p, const tl_op *op) {
  const tl_value lhs = op->operands[0];
  const tl_type x = lhs->type, y = op->results[0]->type;
  int64_t *padding = plan_alloc(p, 2 * TL_MAX_RANK * sizeof *padding, _Alignof(int64_t));
  tl_op *fixed = plan_alloc(p, sizeof *fixed, _Alignof(tl_op));
  tl_type type;
  if (p->error || x.rank < 2) return p->error != NULL;
  memset(padding, 0, 2 * TL_MAX_RANK * sizeof *padding);
  const tl_i64s list = {padding, 2 * (x.rank - 2u)};
  tl_status st = tl_dynamic_fix(p->exe->arena, op, &list, fixed, &type); // may be of another shape
  tl_status_drop(st);
  if (tl_op_list(fixed, TL_A_CONVOLUTION_padding).len != list.len) return false;
  conv c = conv_of(fixed);
  int64_t reach[TL_MAX_RANK], all[TL_MAX_RANK];
  if (type_count(op->operands[1]->type) > 0 && !window_reach(&c.w, reach)) return false;
  memcpy(all, x.dims, x.rank * sizeof *all);
  for (uint32_t s = 0; s < c.w.rank; s++) {
    int64_t last, more, end;
    const int64_t size = c.w.size[s];
    if (!TL_MUL_OK(c.w.out[s] - 1, c.w.stride[s], &last) || c.w.window[s] < 1 ||
        !TL_MUL_OK(c.w.window[s] - 1, c.w.window_dilation[s], &more) ||
        !TL_ADD_OK(last, more, &last) || !TL_MUL_OK(size - 1, c.w.size_dilation[s], &end) ||
        !TL_SUB_OK(last, size > 0 ? end : -1, &padding[2 * s + 1]))
      return false;
    all[c.in_spatial[s]] = last + 1;
  }
  st = tl_dynamic_fix(p->exe->arena, op, &list, fixed, &type);
  if (st) {
    tl_status_drop(st);
    return false;
  }
  c = conv_of(fixed);
  const tl_dtype d = nest_is_complex(y.dtype) || tl_dtype_get(y.dtype)->kind == TL_KIND_FLOAT
                         ? computed_in(y.dtype)
                         : x.dtype;
  const tl_type padded_type = tl_type_of(p->exe->arena, d, all, x.rank);
  size_t size;
  if (!padded_type.dims) plan_fail(p, TL_OOM());
  nest n;
  if (p->error || !nest_computes(x.dtype) || !tl_type_size(padded_type, &size) ||
      !nest_begin(&n, p, x.rank, x.rank, all))
    return p->error != NULL;
  uint16_t low[TL_MAX_RANK], step[TL_MAX_RANK];
  for (uint32_t k = 0; k < x.rank; k++)
    low[k] = step[k] = LOOP_NONE;
  for (uint32_t s = 0; s < c.w.rank; s++) {
    const uint32_t k = c.in_spatial[s];
    low[k] = nest_number_at(&n, op->operands[2], 2 * s);
    if (c.w.size_dilation[s] != 1) step[k] = nest_s64(&n, c.w.size_dilation[s]);
  }
  const plan_view padded = plan_temp(p, padded_type);
  const nest_map every = nest_identity(0, x.rank);
  const uint16_t zero = nest_zero(&n, x.dtype),
                 value = type_count(x) ? nest_padded(&n, lhs, low, step, zero) : zero;
  nest_store(&n, padded, padded_type, &every, LOOP_NONE, nest_convert(&n, x.dtype, d, value));
  if (!nest_finish(&n, op, "pad") || p->error) return p->error != NULL;
  return convolve(p, fixed, &padded, padded_type);
}
