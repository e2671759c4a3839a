// Decompositions of two-dimensional convolutions, pools and their adjoints.
//
// An adjoint of a convolution is a convolution. With the letters of ir/conv2d.h, kd the dilated
// kernel's reach and p the low padding:
//
//   by x       upstream, dilated by the strides, meets the kernel turned round, I and O exchanged;
//              it is padded by kd - 1 - p at the low end, and at the high end so that x's size
//              comes out. Its strides are x's dilation. Feature groups move from the kernel's O to
//              its I; batch groups become feature groups, and move back to N at the end
//   by kernel  x, N and C exchanged, meets upstream, dilated by the strides, as the kernel; its
//              strides are the kernel's dilation, its padding is cut at the high end so that the
//              kernel's size comes out. Feature groups become batch groups, and the reverse
//
// (These are the transposes that JAX derives for conv_general_dilated.)
#include "ir/decompose_emit.h"

#include <math.h>

#include "ir/conv2d.h"

typedef struct conv_spec { // dims by role, and what is the same for all six ops
  int64_t in_batch, in_feature, kernel_in, kernel_out, out_batch, out_feature;
  int64_t stride[2], pad[2][2], dilation[2], kernel_dilation[2];
  bool reversal[2];
  int64_t groups, batch_groups;
} conv_spec;

static bool not_all(const int64_t *list, int64_t value, int n) {
  for (int i = 0; i < n; i++)
    if (list[i] != value) return true;
  return false;
}

static tl_value result(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

static tl_value convolution(tl_builder *b, tl_value x, tl_value w, const conv_spec *s) {
  static const int64_t spatial[2] = {2, 3};
  const int64_t reversal[2] = {s->reversal[0], s->reversal[1]};
  tl_op *op = tl_op_begin(b, TL_OP_CONVOLUTION, (tl_value[]){x, w}, 2);
  tl_op_set_i64(op, TL_A_CONVOLUTION_input_batch_dimension, s->in_batch);
  tl_op_set_i64(op, TL_A_CONVOLUTION_input_feature_dimension, s->in_feature);
  tl_op_set_list(b, op, TL_A_CONVOLUTION_input_spatial_dimensions, spatial, 2);
  tl_op_set_i64(op, TL_A_CONVOLUTION_kernel_input_feature_dimension, s->kernel_in);
  tl_op_set_i64(op, TL_A_CONVOLUTION_kernel_output_feature_dimension, s->kernel_out);
  tl_op_set_list(b, op, TL_A_CONVOLUTION_kernel_spatial_dimensions, spatial, 2);
  tl_op_set_i64(op, TL_A_CONVOLUTION_output_batch_dimension, s->out_batch);
  tl_op_set_i64(op, TL_A_CONVOLUTION_output_feature_dimension, s->out_feature);
  tl_op_set_list(b, op, TL_A_CONVOLUTION_output_spatial_dimensions, spatial, 2);
  if (s->groups != 1) tl_op_set_i64(op, TL_A_CONVOLUTION_feature_group_count, s->groups);
  if (s->batch_groups != 1) tl_op_set_i64(op, TL_A_CONVOLUTION_batch_group_count, s->batch_groups);
  if (not_all(s->stride, 1, 2))
    tl_op_set_list(b, op, TL_A_CONVOLUTION_window_strides, s->stride, 2);
  if (not_all(s->pad[0], 0, 4)) tl_op_set_list(b, op, TL_A_CONVOLUTION_padding, s->pad[0], 4);
  if (not_all(s->dilation, 1, 2))
    tl_op_set_list(b, op, TL_A_CONVOLUTION_lhs_dilation, s->dilation, 2);
  if (not_all(s->kernel_dilation, 1, 2))
    tl_op_set_list(b, op, TL_A_CONVOLUTION_rhs_dilation, s->kernel_dilation, 2);
  if (not_all(reversal, 0, 2)) tl_op_set_list(b, op, TL_A_CONVOLUTION_window_reversal, reversal, 2);
  return result(b, op);
}

static tl_value forward(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_conv2d c;
  tl_conv2d_read(op, &c);
  conv_spec s = {.in_feature = 1,
                 .kernel_in = c.kernel_in,
                 .kernel_out = c.kernel_out,
                 .out_feature = 1,
                 .groups = c.groups,
                 .batch_groups = c.batch_groups};
  for (int i = 0; i < 2; i++) {
    s.stride[i] = c.stride[i];
    s.dilation[i] = c.dilation[i];
    s.kernel_dilation[i] = c.kernel_dilation[i];
    s.reversal[i] = c.reversal[i];
    s.pad[i][0] = c.pad[i][0], s.pad[i][1] = c.pad[i][1];
  }
  return convolution(b, x[0], x[1], &s);
}

tl_value tl_emit_CONV2D(tl_builder *b, const tl_op *op, const tl_value *x) {
  return forward(b, op, x);
}
tl_value tl_emit_CONV_TRANSPOSE2D(tl_builder *b, const tl_op *op, const tl_value *x) {
  return forward(b, op, x);
}

// Dim `from` of [..., n * k, ...] as [n, k]; the n of it goes in front of dim `to`'s own elements.
static tl_value move_groups(tl_builder *b, tl_value x, uint32_t from, uint32_t to, int64_t n) {
  if (x == NULL) return NULL;
  int64_t split[TL_MAX_RANK], perm[TL_MAX_RANK], merged[TL_MAX_RANK];
  uint32_t rank = x->type.rank, k = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (d == from) split[k++] = n;
    const int64_t size = x->type.dims[d], rest = d == from ? tl_emit_dim_over(b, size, n) : size;
    split[k++] = rest;
    merged[d] = d == to ? tl_emit_dim_mul(b, size, n) : rest;
  }
  k = 0;
  for (uint32_t d = 0; d < rank; d++) { // dims of `split`: from is at `from`, its rest behind it
    if (d == to) perm[k++] = from;
    perm[k++] = d < from ? d : d + 1;
  }
  tl_value y = tlo_reshape(b, x, split, rank + 1);
  y = tlo_transpose(b, y, perm);
  return tlo_reshape(b, y, merged, rank);
}

static int64_t dilated(int64_t size, int64_t by) {
  int64_t out;
  return tl_dilate(size, by, &out) ? out : 0; // the rule has counted with it
}

static tl_value data_adjoint(tl_builder *b, const tl_op *op, const tl_value *operands) {
  tl_value up = operands[0], w = operands[1];
  const int64_t *x_dims = operands[2]->type.dims;
  tl_conv2d c;
  tl_conv2d_read(op, &c);
  conv_spec s = {.in_feature = 1,
                 .kernel_in = c.kernel_out,
                 .kernel_out = c.kernel_in,
                 .out_feature = 1,
                 .groups = c.groups * c.batch_groups, // one of them is 1
                 .batch_groups = 1};
  for (int i = 0; i < 2; i++) {
    int64_t reach = dilated(w->type.dims[2 + i], c.kernel_dilation[i]);
    s.stride[i] = c.dilation[i];
    s.dilation[i] = c.stride[i];
    s.kernel_dilation[i] = c.kernel_dilation[i];
    s.reversal[i] = !c.reversal[i];
    s.pad[i][0] = reach - 1 - c.pad[i][0];
    s.pad[i][1] = dilated(x_dims[2 + i], c.dilation[i]) + reach - 1 -
                  dilated(up->type.dims[2 + i], c.stride[i]) - s.pad[i][0];
  }
  if (s.groups > 1) w = move_groups(b, w, c.kernel_out, c.kernel_in, s.groups);
  tl_value y = convolution(b, up, w, &s);
  return c.batch_groups > 1 ? move_groups(b, y, 1, 0, c.batch_groups) : y;
}

tl_value tl_emit_CONV2D_DATA_ADJOINT(tl_builder *b, const tl_op *op, const tl_value *x) {
  return data_adjoint(b, op, x);
}
tl_value tl_emit_CONV_TRANSPOSE2D_DATA_ADJOINT(tl_builder *b, const tl_op *op, const tl_value *x) {
  return data_adjoint(b, op, x);
}

static tl_value kernel_adjoint(tl_builder *b, const tl_op *op, const tl_value *operands) {
  tl_value x = operands[0], up = operands[1];
  const int64_t *w_dims = operands[2]->type.dims;
  tl_conv2d c;
  tl_conv2d_read(op, &c);
  conv_spec s = {.in_batch = 1,
                 .kernel_out = 1,
                 .out_batch = c.kernel_in,
                 .out_feature = c.kernel_out,
                 .groups = c.batch_groups,
                 .batch_groups = c.groups};
  int64_t turned[2];
  uint32_t n_turned = 0;
  for (int i = 0; i < 2; i++) {
    int64_t reach = dilated(w_dims[2 + i], c.kernel_dilation[i]);
    s.stride[i] = c.kernel_dilation[i];
    s.dilation[i] = c.dilation[i];
    s.kernel_dilation[i] = c.stride[i];
    s.pad[i][0] = c.pad[i][0];
    s.pad[i][1] = dilated(up->type.dims[2 + i], c.stride[i]) -
                  dilated(x->type.dims[2 + i], c.dilation[i]) + reach - 1 - c.pad[i][0];
    if (c.reversal[i]) turned[n_turned++] = 2 + i;
  }
  tl_value y = convolution(b, x, up, &s);
  if (n_turned == 0) return y;
  tl_op *reverse = tl_op_begin(b, TL_OP_REVERSE, &y, 1);
  tl_op_set_list(b, reverse, TL_A_REVERSE_dimensions, turned, n_turned);
  return result(b, reverse);
}

tl_value tl_emit_CONV2D_KERNEL_ADJOINT(tl_builder *b, const tl_op *op, const tl_value *x) {
  return kernel_adjoint(b, op, x);
}
tl_value tl_emit_CONV_TRANSPOSE2D_KERNEL_ADJOINT(tl_builder *b, const tl_op *op,
                                                 const tl_value *x) {
  return kernel_adjoint(b, op, x);
}

// --- pools ---

// The result of a reduce_window whose region is one op.
static tl_value combined(tl_builder *b, tl_op *op, tl_opcode combiner) {
  tl_type scalar = tl_type_scalar(op->operands[1] ? op->operands[1]->type.dtype : TL_DTYPE_F32);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_value l = tl_block_arg(&in, block, scalar), r = tl_block_arg(&in, block, scalar);
  tl_value z = tlo_binary(&in, combiner, l, r);
  tlo_return(&in, &z, 1);
  tl_builder_join(b, &in);
  return result(b, op);
}

// reduce_window over the spatial dims of x: the sum, or the largest.
static tl_value windows(tl_builder *b, tl_value x, const int64_t window[2], const int64_t stride[2],
                        int64_t pad[2][2], const int64_t dilation[2], tl_opcode combiner) {
  tl_dtype dtype = tl_value_type(x).dtype;
  tl_value init =
      tlo_constant_f64(b, tl_type_scalar(dtype), combiner == TL_OP_MAXIMUM ? -HUGE_VAL : 0);
  tl_op *op = tl_op_begin(b, TL_OP_REDUCE_WINDOW, (tl_value[]){x, init}, 2);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_dimensions,
                 (int64_t[]){1, 1, window[0], window[1]}, 4);
  if (not_all(stride, 1, 2))
    tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_strides,
                   (int64_t[]){1, 1, stride[0], stride[1]}, 4);
  if (not_all(dilation, 1, 2))
    tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_base_dilations,
                   (int64_t[]){1, 1, dilation[0], dilation[1]}, 4);
  if (not_all(pad[0], 0, 4))
    tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_padding,
                   (int64_t[]){0, 0, 0, 0, pad[0][0], pad[0][1], pad[1][0], pad[1][1]}, 8);
  return combined(b, op, combiner);
}

tl_value tl_emit_fold(tl_builder *b, tl_value x, uint32_t dim) {
  if (x == NULL) return NULL;
  int64_t window[TL_MAX_RANK];
  for (uint32_t d = 0; d < x->type.rank; d++)
    window[d] = d == dim ? x->type.dims[d] : 1;
  tl_value init = tlo_constant_f64(b, tl_type_scalar(x->type.dtype), 0);
  tl_op *op = tl_op_begin(b, TL_OP_REDUCE_WINDOW, (tl_value[]){x, init}, 2);
  tl_op_set_list(b, op, TL_A_REDUCE_WINDOW_window_dimensions, window, x->type.rank);
  return combined(b, op, TL_OP_ADD);
}

static const int64_t ones[2] = {1, 1};

static tl_value divided_by_window(tl_builder *b, const tl_pool2d *p, tl_value sum) {
  double count = (double)p->window[0] * (double)p->window[1];
  return tlo_div(b, sum, tl_emit_fill(b, tl_value_type(sum), count));
}

tl_value tl_emit_MAXPOOL2D(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_pool2d p;
  tl_pool2d_read(op, &p);
  return windows(b, x[0], p.window, p.stride, p.pad, ones, TL_OP_MAXIMUM);
}

tl_value tl_emit_AVGPOOL2D(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_pool2d p;
  tl_pool2d_read(op, &p);
  return divided_by_window(b, &p, windows(b, x[0], p.window, p.stride, p.pad, ones, TL_OP_ADD));
}

// Place q of dilated upstream is seen by the elements q - pad to q - pad + window - 1 of x.
tl_value tl_emit_AVGPOOL2D_GRAD(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_pool2d p;
  tl_pool2d_read(op, &p);
  int64_t pad[2][2];
  for (int i = 0; i < 2; i++) {
    pad[i][0] = p.window[i] - 1 - p.pad[i][0];
    pad[i][1] = x[1]->type.dims[2 + i] + p.window[i] - 1 -
                dilated(x[0]->type.dims[2 + i], p.stride[i]) - pad[i][0];
  }
  return divided_by_window(b, &p, windows(b, x[0], p.window, ones, pad, p.stride, TL_OP_ADD));
}

// upstream where x equals y, both spread over the windows.
static tl_value to_winners(tl_builder *b, tl_value x, tl_value y, tl_value up) {
  tl_value wins = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x, y);
  return tlo_select(b, wins, up, tl_emit_fill(b, tl_value_type(up), 0));
}

static tl_value padded(tl_builder *b, tl_value x, double value, const int64_t low[4],
                       const int64_t high[4], const int64_t interior[4]) {
  tl_value fill = tlo_constant_f64(b, tl_type_scalar(tl_value_type(x).dtype), value);
  tl_op *op = tl_op_begin(b, TL_OP_PAD, (tl_value[]){x, fill}, 2);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_low, low, 4);
  tl_op_set_list(b, op, TL_A_PAD_edge_padding_high, high, 4);
  tl_op_set_list(b, op, TL_A_PAD_interior_padding, interior, 4);
  return result(b, op);
}

// Windows that tile x: x by window and place within it.
static tl_value tiles(tl_builder *b, const tl_pool2d *p, tl_value up, tl_value x, tl_value y) {
  tl_type t = x->type;
  int64_t dims[6] = {
      t.dims[0],   t.dims[1], t.dims[2] / p->window[0], p->window[0], t.dims[3] / p->window[1],
      p->window[1]};
  static const int64_t windows_of[4] = {0, 1, 2, 4};
  tl_type wide = {t.dtype, 6, dims};
  tl_value xs = tlo_reshape(b, x, dims, 6), ys = NULL;
  ys = tlo_broadcast(b, y, wide, windows_of);
  tl_value ups = tlo_broadcast(b, up, wide, windows_of);
  return tlo_reshape(b, to_winners(b, xs, ys, ups), t.dims, 4);
}

// Any windows: for each place within the window, what every window gives to its element there.
tl_value tl_emit_MAXPOOL2D_GRAD(tl_builder *b, const tl_op *op, const tl_value *operands) {
  tl_value up = operands[0], x = operands[1], y = operands[2];
  static const int64_t none[4] = {0, 0, 0, 0};
  tl_pool2d p;
  tl_pool2d_read(op, &p);
  tl_type t = x->type, out = y->type;
  if (tl_pool2d_tiles(&p, t)) return tiles(b, &p, up, x, y);
  if (out.dims[2] == 0 || out.dims[3] == 0) return tl_emit_fill(b, t, 0);
  const int64_t low[4] = {0, 0, p.pad[0][0], p.pad[1][0]},
                high[4] = {0, 0, p.pad[0][1], p.pad[1][1]},
                interior[4] = {0, 0, p.stride[0] - 1, p.stride[1] - 1},
                step[4] = {1, 1, p.stride[0], p.stride[1]};
  tl_value xs = padded(b, x, -HUGE_VAL, low, high, none), sum = NULL;
  for (int64_t i = 0; i < p.window[0]; i++)
    for (int64_t j = 0; j < p.window[1]; j++) {
      int64_t start[4] = {0, 0, i, j}, limit[4] = {t.dims[0], t.dims[1], 0, 0},
              rest[4] = {0, 0, 0, 0};
      for (int d = 2; d < 4; d++) {
        limit[d] = start[d] + dilated(out.dims[d], step[d]);
        rest[d] = t.dims[d] + low[d] + high[d] - limit[d];
      }
      tl_value seen = tlo_slice(b, xs, start, limit, step);
      tl_value given = to_winners(b, seen, y, up);
      given = padded(b, given, 0, start, rest, interior);
      sum = sum == NULL ? given : tlo_add(b, sum, given);
    }
  int64_t end[4];
  for (int d = 0; d < 4; d++)
    end[d] = low[d] + t.dims[d];
  return not_all(p.pad[0], 0, 4) ? tlo_slice(b, sum, low, end, NULL) : sum;
}
