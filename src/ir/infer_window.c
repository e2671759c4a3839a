// Type rules of ops that move a window over a tensor: along each dim the operand is dilated and
// padded, the window is dilated, and what is counted is the places that it takes.
//
// Absent lists of strides and dilations are ones, absent padding is zeros. A list that is given has
// its full length.
#include "ir/rule.h"

// A list is absent, or has one positive number a dim.
static tl_status list_sound(const tl_rule *r, tl_attr_id id, uint32_t n, const char *size_label,
                            const char *positive_label) {
  tl_i64s list = tl_op_list(r->op, id);
  TL_RULE(r, !tl_op_attr(r->op, id)->set || list.len == n, size_label,
          "%s has %zu entries, wants %u", tl_attr_get(id)->name, list.len, n);
  for (size_t i = 0; i < list.len; i++)
    TL_RULE(r, list.ptr[i] > 0, positive_label, "%s %s are not all positive", tl_attr_get(id)->name,
            tl_rule_list(r, list));
  return TL_OK;
}

static tl_status padding_sound(const tl_rule *r, tl_attr_id id, uint32_t n, const char *label) {
  TL_RULE(r, !tl_op_attr(r->op, id)->set || tl_op_list(r->op, id).len == (size_t)2 * n, label,
          "%s has %zu entries, wants %u pairs", tl_attr_get(id)->name, tl_op_list(r->op, id).len,
          n);
  return TL_OK;
}

static int64_t at_or(tl_i64s list, size_t i, int64_t otherwise) {
  return list.len > 0 ? list.ptr[i] : otherwise;
}

// size 0 stays 0; false when the product overflows.
static bool dilated(int64_t size, int64_t dilation, int64_t *out) {
  *out = 0;
  return size == 0 || (!__builtin_mul_overflow(size - 1, dilation, out) &&
                       !__builtin_add_overflow(*out, 1, out));
}

typedef struct window_lists {
  tl_i64s strides, padding, lhs_dilation, rhs_dilation;
} window_lists;

// The places of a window of `window` elements along dim i of `size` elements.
static tl_status num_windows(const tl_rule *r, const window_lists *w, size_t i, int64_t size,
                             int64_t window, const char *label, int64_t *out) {
  int64_t padded, reach, both;
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(size) || tl_dim_is_any(window)) return TL_OK;
  if (r->as != NULL && window < 0) return TL_OK; // dynamic_conv's result is declared
  TL_RULE(r, window >= 0, label, "the window along dim %zu is %s, which is no number", i,
          tl_rule_dim(r, window));
  if (size < 0) { // max(floor((padded - reach) / stride) + 1, 0), as 1 <= reach
    const int64_t by = at_or(w->lhs_dilation, i, 1);
    TL_RULE(r,
            dilated(window, at_or(w->rhs_dilation, i, 1), &reach) && reach > 0 &&
                !__builtin_add_overflow(at_or(w->padding, 2 * i, 0),
                                        at_or(w->padding, 2 * i + 1, 0), &both) &&
                !__builtin_sub_overflow(both, reach, &both) &&
                (by == 1 || tl_dim_windows(r->module, size, by, 1 - by, 1, 0, 0, &size)) &&
                tl_dim_windows(r->module, size, 1, both, at_or(w->strides, i, 1), 1, -1, out),
            label, "the windows along dim %zu of size %s are no size that can be written", i,
            tl_rule_dim(r, size));
    return TL_OK;
  }
  TL_RULE(r,
          dilated(size, at_or(w->lhs_dilation, i, 1), &padded) &&
              dilated(window, at_or(w->rhs_dilation, i, 1), &reach) &&
              !__builtin_add_overflow(padded, at_or(w->padding, 2 * i, 0), &padded) &&
              !__builtin_add_overflow(padded, at_or(w->padding, 2 * i + 1, 0), &padded),
          label, "the padded size of dim %zu does not fit in 64 bits", i);
  *out = padded <= 0 || reach > padded ? 0 : (padded - reach) / at_or(w->strides, i, 1) + 1;
  return TL_OK;
}

tl_status tl_infer_reduce_window(tl_rule *r) {
  const tl_op *op = r->op;
  uint32_t n = op->n_operands / 2;
  TL_RULE(r, n > 0 && op->n_operands == 2 * n, "c1",
          "wants as many inputs as initial values, got %u operands", op->n_operands);
  tl_type x = tl_rule_in(r, 0);
  for (uint32_t i = 0; i < n; i++) {
    tl_type y = tl_rule_in(r, i), init = tl_rule_in(r, n + i);
    TL_RULE(r, tl_rule_shape_eq(x, y), "c2", "wants inputs of one shape, got %s and %s",
            tl_rule_type(r, x), tl_rule_type(r, y));
    TL_RULE(r, init.rank == 0, "i2", "starts %s with %s, wants a scalar", tl_rule_type(r, y),
            tl_rule_type(r, init));
    TL_RULE(r, y.dtype == init.dtype, "c3", "starts %s with %s", tl_rule_type(r, y),
            tl_rule_type(r, init));
  }
  TL_TRY(list_sound(r, TL_A_REDUCE_WINDOW_window_dimensions, x.rank, "c4", "c5"));
  TL_TRY(list_sound(r, TL_A_REDUCE_WINDOW_window_strides, x.rank, "c6", "c7"));
  TL_TRY(list_sound(r, TL_A_REDUCE_WINDOW_base_dilations, x.rank, "c8", "c9"));
  TL_TRY(list_sound(r, TL_A_REDUCE_WINDOW_window_dilations, x.rank, "c10", "c11"));
  TL_TRY(padding_sound(r, TL_A_REDUCE_WINDOW_padding, x.rank, "c12"));
  tl_dtype *dtypes = TL_NEW(r->arena, tl_dtype, n);
  tl_type *types = TL_NEW(r->arena, tl_type, n);
  if (dtypes == NULL || types == NULL) return TL_OOM();
  TL_TRY(tl_rule_combiner(r, 0, n, "c13", dtypes));
  window_lists w = {tl_op_list(op, TL_A_REDUCE_WINDOW_window_strides),
                    tl_op_list(op, TL_A_REDUCE_WINDOW_padding),
                    tl_op_list(op, TL_A_REDUCE_WINDOW_base_dilations),
                    tl_op_list(op, TL_A_REDUCE_WINDOW_window_dilations)};
  const int64_t *window = tl_op_list(op, TL_A_REDUCE_WINDOW_window_dimensions).ptr;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++)
    TL_TRY(num_windows(r, &w, i, x.dims[i], window[i], "c15", &dims[i]));
  for (uint32_t i = 0; i < n; i++) {
    types[i] = tl_type_of(r->arena, dtypes[i], dims, x.rank);
    if (x.rank != 0 && types[i].dims == NULL) return TL_OOM();
    if (r->declared == NULL || i >= r->n_declared) continue;
    TL_RULE(r, i == 0 || tl_rule_shape_eq(r->declared[0], r->declared[i]), "c14",
            "wants results of one shape, got %s and %s", tl_rule_type(r, r->declared[0]),
            tl_rule_type(r, r->declared[i]));
    TL_RULE(r, r->declared[i].dtype == dtypes[i], "c16",
            "result %u is declared %s, the region gives %s", i, tl_rule_type(r, r->declared[i]),
            tl_dtype_get(dtypes[i])->mlir);
  }
  return tl_rule_give(r, types, n, r->declared != NULL && r->n_declared != n ? "c1" : "c15");
}

// Region 0 compares two elements of the operand.
static tl_status selector(const tl_rule *r, tl_type element) {
  const tl_block *body = r->op->regions[0];
  const tl_op *ret = body->last;
  TL_RULE(r, body->n_args == 2 && ret != NULL && ret->code == TL_OP_RETURN && ret->n_operands == 1,
          "c9", "the first region wants 2 arguments and 1 returned value");
  tl_type a = body->args[0]->type, b = body->args[1]->type, t = ret->operands[0]->type;
  TL_RULE(r,
          tl_type_agrees(a, element) && tl_type_agrees(b, element) &&
              tl_type_agrees(t, tl_type_scalar(TL_DTYPE_I1)),
          "c9", "the first region takes %s and %s and gives %s for elements of %s",
          tl_rule_type(r, a), tl_rule_type(r, b), tl_rule_type(r, t), tl_rule_type(r, element));
  return TL_OK;
}

tl_status tl_infer_select_and_scatter(tl_rule *r) {
  const tl_op *op = r->op;
  tl_type x = tl_rule_in(r, 0), source = tl_rule_in(r, 1), init = tl_rule_in(r, 2);
  TL_RULE(r, x.dtype == source.dtype, "c1", "selects from %s and scatters %s", tl_rule_type(r, x),
          tl_rule_type(r, source));
  TL_RULE(r, init.rank == 0, "i3", "starts with %s, wants a scalar", tl_rule_type(r, init));
  TL_RULE(r, init.dtype == x.dtype, "c3", "starts %s with %s", tl_rule_type(r, x),
          tl_rule_type(r, init));
  TL_TRY(list_sound(r, TL_A_SELECT_AND_SCATTER_window_dimensions, x.rank, "c4", "c5"));
  TL_TRY(list_sound(r, TL_A_SELECT_AND_SCATTER_window_strides, x.rank, "c6", "c7"));
  TL_TRY(padding_sound(r, TL_A_SELECT_AND_SCATTER_padding, x.rank, "c8"));
  TL_TRY(selector(r, tl_type_scalar(x.dtype)));
  tl_dtype dtype;
  TL_TRY(tl_rule_combiner(r, 1, 1, "c10", &dtype));
  window_lists w = {tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_strides),
                    tl_op_list(op, TL_A_SELECT_AND_SCATTER_padding),
                    {0},
                    {0}};
  tl_i64s window = tl_op_list(op, TL_A_SELECT_AND_SCATTER_window_dimensions);
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++)
    TL_TRY(num_windows(r, &w, i, x.dims[i], at_or(window, i, 1), "c2", &dims[i]));
  tl_type places = {x.dtype, x.rank, dims};
  TL_RULE(r, tl_type_agrees(source, places), "c2", "the window takes %s places, the source is %s",
          tl_rule_type(r, places), tl_rule_type(r, source));
  TL_RULE(r, r->declared == NULL || r->n_declared != 1 || r->declared[0].dtype == dtype, "c12",
          "the result is declared %s, the region gives %s", tl_rule_type(r, r->declared[0]),
          tl_dtype_get(dtype)->mlir);
  x.dtype = dtype;
  return tl_rule_give1(r, x, "c11");
}

// The dims of one tensor: two single ones and the spatial ones, all of them, each once.
static tl_status dims_sound(const tl_rule *r, tl_attr_id one, tl_attr_id other, tl_attr_id spatial,
                            uint32_t rank, const char *size_label, const char *label) {
  tl_i64s list = tl_op_list(r->op, spatial);
  int64_t all[TL_MAX_RANK];
  TL_RULE(r, list.len == rank - 2, size_label, "%s has %zu entries, wants %u",
          tl_attr_get(spatial)->name, list.len, rank - 2);
  for (size_t i = 0; i < list.len; i++)
    all[i] = list.ptr[i];
  all[list.len] = tl_op_i64(r->op, one);
  all[list.len + 1] = tl_op_i64(r->op, other);
  tl_i64s dims = {all, rank};
  TL_RULE(r, tl_rule_unique(dims) && tl_rule_within(dims, rank), label,
          "%s, %s and %s are not the dims of a tensor of rank %u: %s", tl_attr_get(spatial)->name,
          tl_attr_get(one)->name, tl_attr_get(other)->name, rank, tl_rule_list(r, dims));
  return TL_OK;
}

tl_status tl_infer_convolution(tl_rule *r) {
  const tl_op *op = r->op;
  tl_type x = tl_rule_in(r, 0), w = tl_rule_in(r, 1);
  TL_RULE(r, x.rank == w.rank && x.rank >= 2, "c1",
          "wants operands of one rank, at least 2, got %s and %s", tl_rule_type(r, x),
          tl_rule_type(r, w));
  uint32_t n = x.rank - 2;
  TL_TRY(list_sound(r, TL_A_CONVOLUTION_window_strides, n, "c2", "c3"));
  TL_TRY(padding_sound(r, TL_A_CONVOLUTION_padding, n, "c4"));
  TL_TRY(list_sound(r, TL_A_CONVOLUTION_lhs_dilation, n, "c5", "c6"));
  TL_TRY(list_sound(r, TL_A_CONVOLUTION_rhs_dilation, n, "c7", "c8"));
  TL_RULE(r,
          !tl_op_attr(op, TL_A_CONVOLUTION_window_reversal)->set ||
              tl_op_list(op, TL_A_CONVOLUTION_window_reversal).len == n,
          "c9", "window_reversal has %zu entries, wants %u",
          tl_op_list(op, TL_A_CONVOLUTION_window_reversal).len, n);
  TL_TRY(dims_sound(r, TL_A_CONVOLUTION_input_batch_dimension,
                    TL_A_CONVOLUTION_input_feature_dimension,
                    TL_A_CONVOLUTION_input_spatial_dimensions, x.rank, "c12", "c13"));
  TL_TRY(dims_sound(r, TL_A_CONVOLUTION_kernel_input_feature_dimension,
                    TL_A_CONVOLUTION_kernel_output_feature_dimension,
                    TL_A_CONVOLUTION_kernel_spatial_dimensions, x.rank, "c17", "c18"));
  TL_TRY(dims_sound(r, TL_A_CONVOLUTION_output_batch_dimension,
                    TL_A_CONVOLUTION_output_feature_dimension,
                    TL_A_CONVOLUTION_output_spatial_dimensions, x.rank, "c19", "c20"));
  int64_t batches = x.dims[tl_op_i64(op, TL_A_CONVOLUTION_input_batch_dimension)],
          features = x.dims[tl_op_i64(op, TL_A_CONVOLUTION_input_feature_dimension)],
          kernel_in = w.dims[tl_op_i64(op, TL_A_CONVOLUTION_kernel_input_feature_dimension)],
          kernel_out = w.dims[tl_op_i64(op, TL_A_CONVOLUTION_kernel_output_feature_dimension)],
          feature_groups = tl_op_i64(op, TL_A_CONVOLUTION_feature_group_count),
          batch_groups = tl_op_i64(op, TL_A_CONVOLUTION_batch_group_count);
  TL_RULE(r, feature_groups > 0, "c21", "feature_group_count is %lld", (long long)feature_groups);
  TL_RULE(r, batch_groups > 0, "c22", "batch_group_count is %lld", (long long)batch_groups);
  TL_RULE(r, feature_groups == 1 || batch_groups == 1, "c23",
          "wants groups of features or of batches, got %lld and %lld", (long long)feature_groups,
          (long long)batch_groups);
  int64_t batch_size, group_size, whole;
  TL_RULE(r, tl_dim_divide(r->module, batches, batch_groups, &batch_size), "c10",
          "lhs batches %s, in %lld groups", tl_rule_dim(r, batches), (long long)batch_groups);
  TL_RULE(r, tl_dim_divide(r->module, features, feature_groups, &group_size), "c11",
          "lhs has %s features, in %lld groups", tl_rule_dim(r, features),
          (long long)feature_groups);
  TL_RULE(r, tl_dim_agrees(kernel_in, group_size), "c14",
          "rhs takes %s features, a group of lhs has %s", tl_rule_dim(r, kernel_in),
          tl_rule_dim(r, group_size));
  TL_RULE(r, tl_dim_divide(r->module, kernel_out, batch_groups, &whole), "c15",
          "rhs gives %s features, in %lld groups", tl_rule_dim(r, kernel_out),
          (long long)batch_groups);
  TL_RULE(r, tl_dim_divide(r->module, kernel_out, feature_groups, &whole), "c16",
          "rhs gives %s features, in %lld groups", tl_rule_dim(r, kernel_out),
          (long long)feature_groups);
  size_t n_precisions = tl_op_list(op, TL_A_CONVOLUTION_precision_config).len;
  TL_RULE(r, n_precisions == 0 || n_precisions == 2, "c24",
          "precision_config has %zu entries, wants 2", n_precisions);
  TL_RULE(r, x.dtype == w.dtype, "c27", "wants operands of one element type, got %s and %s",
          tl_rule_type(r, x), tl_rule_type(r, w));
  window_lists lists = {
      tl_op_list(op, TL_A_CONVOLUTION_window_strides), tl_op_list(op, TL_A_CONVOLUTION_padding),
      tl_op_list(op, TL_A_CONVOLUTION_lhs_dilation), tl_op_list(op, TL_A_CONVOLUTION_rhs_dilation)};
  const int64_t *from = tl_op_list(op, TL_A_CONVOLUTION_input_spatial_dimensions).ptr,
                *by = tl_op_list(op, TL_A_CONVOLUTION_kernel_spatial_dimensions).ptr,
                *to = tl_op_list(op, TL_A_CONVOLUTION_output_spatial_dimensions).ptr;
  int64_t dims[TL_MAX_RANK];
  dims[tl_op_i64(op, TL_A_CONVOLUTION_output_batch_dimension)] = batch_size;
  dims[tl_op_i64(op, TL_A_CONVOLUTION_output_feature_dimension)] = kernel_out;
  for (uint32_t i = 0; i < n; i++)
    TL_TRY(num_windows(r, &lists, i, x.dims[from[i]], w.dims[by[i]], "c25", &dims[to[i]]));
  // As a dot's, the result may be of another element type, which only its declaration says.
  tl_dtype dtype = x.dtype;
  if (r->declared != NULL && r->n_declared == 1) {
    TL_RULE(r, r->declared[0].rank == x.rank, "c26", "wants a result of rank %u, got %s", x.rank,
            tl_rule_type(r, r->declared[0]));
    TL_RULE(r, tl_rule_sums_into(x, r->declared[0]), "c27",
            "the result is declared %s, the operands are %s", tl_rule_type(r, r->declared[0]),
            tl_rule_type(r, x));
    dtype = r->declared[0].dtype;
  }
  return tl_rule_give_dims(r, dtype, dims, x.rank, "c25");
}
