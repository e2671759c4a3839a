// convolution: as products of matrices where the types have such a kernel, as a nest otherwise.
//
// The lhs first gets its padding and the gaps of its dilation (window.h), so that places are
// affine; where it has neither it is read where it lies. For a matrix kernel the rhs becomes [K,
// features], K over the kernel's spatial dims and then its input features, which is the order of
// the sum; it is copied only when it lies otherwise. The lhs is a matrix whose rows are windows,
// one a place of the result; they overlap, so it is never written down: the kernel finds row m's
// element k at m_at[m] + k_at[k], and its packing is the only copy. Rows are taken in the order in
// which the result lies, batches among them (the gradient by a kernel has few places and many
// batches, the features). Where the result has its places side by side, and not its features,
// windows are the columns and the rhs is the rows: both are then read, and the result written, as
// they lie. Of complex numbers the rhs is planes of its parts, and rows of windows
// are written. Groups of one feature each are dots side by side (kernels/depthwise.inc).
#include "cpu/lower.h"

#include <stdlib.h>
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

typedef struct conv_dim { // of rows: a batch or a spatial dim of the result
  size_t extent;
  int64_t x, y; // strides of the lhs and of the result
} conv_dim;

typedef struct conv_params {
  bool wide, complex; // f64
  bool columns;       // windows are columns
  bool lanes;         // groups of one feature each are the features of one group
  size_t size;        // bytes of an element of the lhs
  uint32_t n_dims, n_outer;
  conv_dim dim[TL_MAX_RANK]; // outer to inner; those behind n_outer are one stride of the result
  size_t groups, outer, places, rows; // places: of the inner dims; rows: of them at a time
  size_t K, out_features, run;
  int64_t *k_at;   // [K / run]
  int64_t first;   // of a reversed window
  int64_t x_group; // of the lhs
  size_t y_place, y_feature;
} conv_params;

// Where the windows of places [at, at + n) begin.
static void find_rows(const conv_params *e, size_t at, size_t n, int64_t *m_at) {
  size_t i[TL_MAX_RANK];
  int64_t from = e->first;
  for (size_t rest = at, d = e->n_dims; d-- > e->n_outer; rest /= e->dim[d].extent) {
    i[d] = rest % e->dim[d].extent;
    from += (int64_t)i[d] * e->dim[d].x;
  }
  for (size_t r = 0; r < n; r++) {
    m_at[r] = from;
    for (size_t d = e->n_dims; d-- > e->n_outer;) { // the next place
      from += e->dim[d].x;
      if (++i[d] < e->dim[d].extent) break;
      from -= (int64_t)i[d] * e->dim[d].x;
      i[d] = 0;
    }
  }
}

// Rows of windows by columns of w to y.
static void multiply(const plan_exec *x, const conv_params *e, const uint8_t *in,
                     const int64_t *m_at, size_t M, const void *w, void *y, uint8_t *scratch) {
  const size_t N = e->out_features, all = e->groups * N, run = e->run * e->size;
  const tl_kernels *k = x->exe->cpu->kernels;
  if (e->lanes) {
    k->depthwise(&(tl_depthwise_args){.wide = e->wide,
                                      .x = in,
                                      .m_at = m_at,
                                      .k_at = e->k_at,
                                      .w = w,
                                      .w_k = all,
                                      .y = y,
                                      .y_m = e->y_place,
                                      .M = M,
                                      .N = N,
                                      .K = e->K});
    return;
  }
  if (e->complex) {
    uint8_t *to = scratch;
    for (size_t m = 0; m < M; m++)
      for (size_t r = 0; r < e->K / e->run; r++, to += run)
        memcpy(to, in + (m_at[m] + e->k_at[r]) * (int64_t)e->size, run);
    k->gemm_complex(&(tl_gemm_complex_args){.wide = e->wide,
                                            .a = scratch,
                                            .a_m = e->K,
                                            .b = w,
                                            .b_k = 2 * all,
                                            .b_im = all,
                                            .c = y,
                                            .c_m = e->y_place,
                                            .c_n = e->y_feature,
                                            .M = M,
                                            .N = N,
                                            .K = e->K});
    return;
  }
  if (e->columns) {
    (e->wide ? k->gemm_f64 : k->gemm_f32)(&(tl_gemm_args){.a = w,
                                                          .a_m = 1,
                                                          .a_k = all,
                                                          .b = in,
                                                          .n_at = m_at,
                                                          .k_at = e->k_at,
                                                          .run = e->run,
                                                          .c = y,
                                                          .c_m = e->y_feature,
                                                          .c_n = 1,
                                                          .M = N,
                                                          .N = M,
                                                          .K = e->K,
                                                          .scratch = scratch});
    return;
  }
  (e->wide ? k->gemm_f64 : k->gemm_f32)(&(tl_gemm_args){.a = in,
                                                        .m_at = m_at,
                                                        .k_at = e->k_at,
                                                        .run = e->run,
                                                        .b = w,
                                                        .b_k = all,
                                                        .b_n = 1,
                                                        .c = y,
                                                        .c_m = e->y_place,
                                                        .c_n = e->y_feature,
                                                        .M = M,
                                                        .N = N,
                                                        .K = e->K,
                                                        .scratch = scratch});
}

enum { ROW_GRAIN = 16 };

static size_t table_size(size_t rows) { return tl_round_up(rows * sizeof(int64_t), 64); }

// Threads share the places of all groups and outer dims.
static void run_conv(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const conv_params *e = s->params;
  const size_t real = e->wide ? 8 : 4, N = e->out_features;
  size_t from, to, n;
  tl_pool_range(e->groups * e->outer * e->places, ROW_GRAIN, part, n_parts, &from, &to);
  int64_t *m_at = (void *)x->scratch;
  for (size_t unit = from; unit < to; unit += n) {
    const size_t at = unit % e->places, o = unit / e->places % e->outer,
                 g = unit / e->places / e->outer;
    n = TL_MIN(TL_MIN(e->rows, e->places - at), to - unit);
    int64_t in = (int64_t)g * e->x_group, out = 0;
    for (size_t rest = o, d = e->n_outer; d-- > 0; rest /= e->dim[d].extent) {
      in += (int64_t)(rest % e->dim[d].extent) * e->dim[d].x;
      out += (int64_t)(rest % e->dim[d].extent) * e->dim[d].y;
    }
    find_rows(e, at, n, m_at);
    const size_t first = (size_t)out + at * e->y_place + g * N * e->y_feature;
    multiply(x, e, (const uint8_t *)step_in(s, x, 0) + in * (int64_t)e->size, m_at, n,
             (const uint8_t *)step_in(s, x, 1) + g * N * real,
             (uint8_t *)step_out(s, x, 0) + first * e->size, x->scratch + table_size(e->rows));
    if (e->y_feature == 1)
      plan_epilogue(s, x, first, n, e->y_place, N);
    else
      plan_epilogue(s, x, first, N, e->y_feature, n);
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

enum { ROW_BYTES = 256 << 10, LEAST_ROWS = 42, MOST_ROWS = 224, PARALLEL_PRODUCTS = 32768 };
enum { MOST_COLUMNS = 1024, RUN = 16 }; // of windows; from which on a run is better a row's
enum { MOST_RUNS = 1 << 23 };

static int outer_first(const void *a, const void *b) {
  const conv_dim *x = a, *y = b;
  return (x->y < y->y) - (x->y > y->y);
}

// Batches and places, in the order in which the result lies; the inner ones are at one stride of
// it.
static void order_rows(conv_params *e, const conv *c, const int64_t *in, const int64_t *out) {
  conv_dim *d = e->dim;
  uint32_t n = 0;
  if (c->batches > 1) d[n++] = (conv_dim){(size_t)c->batches, in[c->in_batch], out[c->out_batch]};
  for (uint32_t s = 0; s < c->w.rank; s++)
    if (c->w.out[s] > 1)
      d[n++] = (conv_dim){(size_t)c->w.out[s], c->w.stride[s] * in[c->in_spatial[s]],
                          out[c->out_spatial[s]]};
  qsort(d, n, sizeof *d, outer_first);
  e->n_dims = e->n_outer = n;
  e->places = e->outer = e->y_place = 1;
  for (; e->n_outer > 0; e->n_outer--) {
    const conv_dim *next = &d[e->n_outer - 1];
    if (e->n_outer == n)
      e->y_place = (size_t)next->y;
    else if ((size_t)next->y != e->y_place * e->places)
      break;
    e->places *= next->extent;
  }
  for (uint32_t i = 0; i < e->n_outer; i++)
    e->outer *= d[i].extent;
}

// The table of k_at: as few runs as there are. False where it would be too long.
static bool find_runs(planner *p, conv_params *e, const conv *c, const int64_t *in) {
  conv_dim d[TL_MAX_RANK]; // of the window, and its features
  uint32_t n = 0;
  for (uint32_t s = 0; s < c->w.rank; s++) {
    const int64_t along = c->w.window_dilation[s] * in[c->in_spatial[s]];
    d[n++] = (conv_dim){(size_t)c->w.window[s], c->reverse[s] ? -along : along, 0};
    if (c->reverse[s]) e->first += (c->w.window[s] - 1) * along;
  }
  d[n++] = (conv_dim){(size_t)c->features, in[c->in_feature], 0};
  e->run = 1;
  for (; n > 0 && (d[n - 1].extent == 1 || d[n - 1].x == (int64_t)e->run); n--)
    e->run *= d[n - 1].extent;
  const size_t runs = e->K / e->run;
  if (runs > MOST_RUNS) return false;
  e->k_at = plan_alloc(p, runs * sizeof *e->k_at, _Alignof(int64_t));
  if (p->error) return true;
  size_t i[TL_MAX_RANK] = {0};
  int64_t at = 0;
  for (size_t r = 0; r < runs; r++) {
    e->k_at[r] = at;
    for (uint32_t k = n; k-- > 0;) {
      at += d[k].x;
      if (++i[k] < d[k].extent) break;
      at -= (int64_t)i[k] * d[k].x;
      i[k] = 0;
    }
  }
  return true;
}

// Groups of one feature each, which lies beside the next group's: a product of matrices would copy
// each window for a lone dot, but lanes of a vector are as many dots at once.
static bool goes_by_lanes(const conv *c, const int64_t *in, const int64_t *out, tl_dtype d) {
  return c->groups > 1 && c->batch_groups == 1 && c->features == 1 && c->out_features == 1 &&
         !nest_is_complex(d) && in[c->in_feature] == 1 && out[c->out_feature] == 1;
}

// x: the lhs in memory, of type xt (d's elements). False where there is no such kernel.
static bool as_products(planner *p, const tl_op *op, const conv *c, plan_view x, tl_type xt,
                        tl_dtype d) {
  const tl_type y = op->results[0]->type;
  int64_t in[TL_MAX_RANK], out[TL_MAX_RANK];
  nest_strides(xt, in);
  nest_strides(y, out);
  tl_type sum_type = y;
  sum_type.dtype = d;
  const bool lanes = goes_by_lanes(c, in, out, d);
  if (c->groups > 1 && c->out_features == 1 && !lanes) return false;
  conv_params *e = plan_alloc(p, sizeof *e, _Alignof(conv_params));
  if (p->error) return true;
  *e = (conv_params){.wide = d == TL_DTYPE_F64 || d == TL_DTYPE_C128,
                     .complex = nest_is_complex(d),
                     .size = tl_dtype_get(d)->size,
                     .lanes = lanes,
                     .groups = lanes ? 1 : (size_t)c->groups,
                     .K = (size_t)c->features,
                     .out_features = (size_t)(lanes ? c->groups : c->out_features),
                     .x_group = c->batch_groups > 1 ? c->batches * in[c->in_batch]
                                                    : c->features * in[c->in_feature],
                     .y_feature = (size_t)out[c->out_feature]};
  for (uint32_t s = 0; s < c->w.rank; s++)
    if (!TL_MUL_OK(e->K, (size_t)c->w.window[s], &e->K)) return false;
  size_t row, products;
  if (!TL_MUL_OK(e->K, e->size, &row) || e->K == 0) return false;
  order_rows(e, c, in, out);
  plan_view w;
  if (!find_runs(p, e, c, in)) return p->error != NULL;
  e->columns = !e->complex && !lanes && e->run < RUN && e->y_place == 1 && e->y_feature > 1;
  e->rows = TL_MIN(TL_MAX(ROW_BYTES / row, (size_t)LEAST_ROWS), (size_t)MOST_ROWS);
  e->rows = TL_MIN(e->columns ? MOST_COLUMNS : e->rows, e->places);
  const size_t packed = e->columns ? e->out_features : e->rows;
  size_t scratch;
  if (!TL_MUL_OK(packed, row, &scratch) || scratch > (size_t)1 << 30) return false;
  if (!plan_matrix(p, op, c, d, &w) || p->error) return p->error != NULL;
  plan_view *v = plan_views(p, 3);
  if (p->error) return true;
  v[0] = x, v[1] = w;
  const bool direct = y.dtype == d;
  v[2] = direct ? plan_result(p, op->results[0]) : plan_temp(p, sum_type);
  for (int i = 0; i < 3; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, "convolution", run_conv);
  if (!s) return true;
  s->in = v, s->n_in = 2;
  s->out = v + 2, s->n_out = 1;
  s->params = e;
  s->scratch = table_size(e->rows) +
               (lanes        ? 0
                : e->complex ? scratch
                             : tl_gemm_scratch_size(e->wide ? 8 : 4, packed,
                                                    e->columns ? e->rows : e->out_features, e->K));
  if (!TL_MUL_OK(type_count(y), e->K << 2 * e->complex, &products)) products = SIZE_MAX;
  s->parallel = plan_worth(p, products, PARALLEL_PRODUCTS);
  s->tells = e->y_feature == 1 || e->y_place == 1;
  if (!direct) plan_result_of(p, op, v[2], sum_type);
  return true;
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
  if (p->error || (is_float && as_products(p, op, &c, x, xt, d))) return true;
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
