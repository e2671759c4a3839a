// Type rules of two-dimensional convolutions, pools and their adjoints. The constraints are
// numbered here, in the order of the checks:
//
//   conv2d, conv_transpose2d,  c1 operands (but for templates' values) of rank 4, of one type
//                              among f16, bf16, f32, f64
//   and their adjoints         c2 window_strides, c3 lhs_dilation, c4 rhs_dilation: none or two
//                              positive numbers   c5 padding: none or two pairs
//                              c6 window_reversal: none or two
//                              c7 groups are positive, and one of the two kinds is 1
//                              c8 the channels fit: C = I * feature_group_count; the groups
//                              divide O, and batch_group_count divides N
//                              c9 dilated sizes and padding are at most 2^58
//                              c10 adjoints: upstream is as the convolution's result, and has
//                              elements
//   maxpool2d, avgpool2d,      c1 x of rank 4 of those types   c2 window: two positive numbers
//   and their gradients        c3 window_strides: none (the window's own) or two positive numbers
//                              c4 padding: none or two pairs, not negative and smaller than the
//                              window   c5 gradients: upstream (and y) as the pool's result
//                              c6 maxpool2d_grad: windows that do not tile x have 256 elements at
//                              most
#include "ir/rule.h"

#include "ir/conv2d.h"

static bool is_float(tl_type t) {
  return t.dtype == TL_DTYPE_F16 || t.dtype == TL_DTYPE_BF16 || t.dtype == TL_DTYPE_F32 ||
         t.dtype == TL_DTYPE_F64;
}

static bool is_image(tl_type t) { return t.rank == 4 && is_float(t); }

// None, or two positive numbers.
static tl_status pair_sound(const tl_rule *r, tl_attr_id id, bool required, const char *label) {
  tl_i64s list = tl_op_list(r->op, id);
  TL_RULE(r, (list.len == 0 && !required) || (list.len == 2 && list.ptr[0] > 0 && list.ptr[1] > 0),
          label, "%s %s, wants two positive numbers", tl_attr_get(id)->name, tl_rule_list(r, list));
  return TL_OK;
}

static tl_attr_id attr(const tl_rule *r, tl_attr_id of, tl_attr_id begin) {
  return (tl_attr_id)(tl_op_get(r->op->code)->attr_begin + of - begin);
}
#define CONV(name) attr(r, TL_A_CONV2D_##name, TL_A_CONV2D__begin)
#define POOL(name) attr(r, TL_A_MAXPOOL2D_##name, TL_A_MAXPOOL2D__begin)

// Everything but the operands' number; gives y's dims.
static tl_status conv(const tl_rule *r, tl_type x, tl_type w, int64_t dims[4]) {
  for (uint32_t i = 0; i < r->op->n_operands; i++)
    TL_RULE(r, is_image(tl_rule_in(r, i)) && tl_rule_in(r, i).dtype == x.dtype, "c1",
            "wants floats of rank 4 and of one type, got %s", tl_rule_type(r, tl_rule_in(r, i)));
  for (int d = 2; d < 4; d++) // an adjoint's paddings are made of them
    TL_RULE(r, x.dims[d] >= 0 && w.dims[d] >= 0, "c1",
            "the spatial dims of %s and %s are not numbers", tl_rule_type(r, x),
            tl_rule_type(r, w));
  TL_TRY(pair_sound(r, CONV(window_strides), false, "c2"));
  TL_TRY(pair_sound(r, CONV(lhs_dilation), false, "c3"));
  TL_TRY(pair_sound(r, CONV(rhs_dilation), false, "c4"));
  size_t n = tl_op_list(r->op, CONV(padding)).len;
  TL_RULE(r, n == 0 || n == 4, "c5", "padding has %zu numbers, wants two pairs", n);
  n = tl_op_list(r->op, CONV(window_reversal)).len;
  TL_RULE(r, n == 0 || n == 2, "c6", "window_reversal has %zu entries, wants 2", n);
  int64_t groups = tl_op_i64(r->op, CONV(feature_group_count)),
          batch_groups = tl_op_i64(r->op, CONV(batch_group_count)), channels, part;
  TL_RULE(r, groups > 0 && batch_groups > 0 && (groups == 1 || batch_groups == 1), "c7",
          "%lld feature groups and %lld batch groups", (long long)groups, (long long)batch_groups);
  tl_conv2d c;
  tl_conv2d_read(r->op, &c);
  TL_RULE(r,
          tl_dim_mul(r->module, w.dims[c.kernel_in], groups, &channels) &&
              tl_dim_agrees(channels, x.dims[1]) &&
              tl_dim_divide(r->module, w.dims[c.kernel_out], groups * batch_groups, &part) &&
              tl_dim_divide(r->module, x.dims[0], batch_groups, &part),
          "c8", "kernel %s, %lld feature groups and %lld batch groups do not fit %s",
          tl_rule_type(r, w), (long long)groups, (long long)batch_groups, tl_rule_type(r, x));
  TL_RULE(r, tl_conv2d_dims(&c, x, w, dims), "c9", "%s has dilated sizes or padding past 2^58",
          tl_rule_type(r, x));
  dims[0] = part;
  return TL_OK;
}

static tl_status forward(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), w = tl_rule_in(r, 1);
  int64_t dims[4];
  TL_TRY(conv(r, x, w, dims));
  return tl_rule_give_dims(r, x.dtype, dims, 4, "c8");
}

static tl_status adjoint(tl_rule *r, tl_type up, tl_type x, tl_type w, tl_type out) {
  int64_t dims[4];
  TL_TRY(conv(r, x, w, dims));
  bool fits = dims[2] > 0 && dims[3] > 0 && w.dims[2] > 0 && w.dims[3] > 0;
  for (int d = 0; fits && d < 4; d++)
    fits = tl_dim_agrees(up.dims[d], dims[d]);
  TL_RULE(r, fits, "c10", "upstream is %s, where %s by %s gives [%s, %s, %s, %s]",
          tl_rule_type(r, up), tl_rule_type(r, x), tl_rule_type(r, w), tl_rule_dim(r, dims[0]),
          tl_rule_dim(r, dims[1]), tl_rule_dim(r, dims[2]), tl_rule_dim(r, dims[3]));
  return tl_rule_give1(r, out, "c1");
}

tl_status tl_infer_conv2d(tl_rule *r) { return forward(r); }

tl_status tl_infer_conv2d_data_adjoint(tl_rule *r) { // up, w, x
  return adjoint(r, tl_rule_in(r, 0), tl_rule_in(r, 2), tl_rule_in(r, 1), tl_rule_in(r, 2));
}

tl_status tl_infer_conv2d_kernel_adjoint(tl_rule *r) { // x, up, w
  return adjoint(r, tl_rule_in(r, 1), tl_rule_in(r, 0), tl_rule_in(r, 2), tl_rule_in(r, 2));
}

static tl_status pool(const tl_rule *r, tl_type x, int64_t dims[4]) {
  TL_RULE(r, is_image(x), "c1", "wants floats of rank 4, got %s", tl_rule_type(r, x));
  TL_RULE(r, x.dims[2] >= 0 && x.dims[3] >= 0, "c1", "the spatial dims of %s are not numbers",
          tl_rule_type(r, x)); // the gradients' paddings are made of them
  TL_TRY(pair_sound(r, POOL(window), true, "c2"));
  TL_TRY(pair_sound(r, POOL(window_strides), false, "c3"));
  tl_i64s padding = tl_op_list(r->op, POOL(padding));
  tl_pool2d p;
  tl_pool2d_read(r->op, &p);
  bool sound = padding.len == 0 || padding.len == 4;
  for (int i = 0; sound && i < 4; i++)
    sound = p.pad[i / 2][i % 2] >= 0 && p.pad[i / 2][i % 2] < p.window[i / 2];
  TL_RULE(r, sound, "c4", "padding %s, wants two pairs from 0 to less than the window",
          tl_rule_list(r, padding));
  TL_RULE(r, tl_pool2d_dims(&p, x, dims), "c4", "%s has sizes or windows past 2^58",
          tl_rule_type(r, x));
  return TL_OK;
}

tl_status tl_infer_pool2d(tl_rule *r) {
  int64_t dims[4];
  TL_TRY(pool(r, tl_rule_in(r, 0), dims));
  return tl_rule_give_dims(r, tl_rule_in(r, 0).dtype, dims, 4, "c1");
}

static tl_status as_result(const tl_rule *r, tl_type up, tl_type x, const int64_t dims[4]) {
  tl_type want = {x.dtype, 4, dims};
  TL_RULE(r, tl_type_agrees(up, want), "c5", "wants the pool's result, %s, got %s",
          tl_rule_type(r, want), tl_rule_type(r, up));
  return TL_OK;
}

tl_status tl_infer_maxpool2d_grad(tl_rule *r) { // up, x, y
  int64_t dims[4];
  tl_type x = tl_rule_in(r, 1);
  TL_TRY(pool(r, x, dims));
  TL_TRY(as_result(r, tl_rule_in(r, 0), x, dims));
  TL_TRY(as_result(r, tl_rule_in(r, 2), x, dims));
  tl_pool2d p;
  int64_t window;
  tl_pool2d_read(r->op, &p);
  TL_RULE(r,
          tl_pool2d_tiles(&p, x) ||
              (TL_MUL_OK(p.window[0], p.window[1], &window) && window <= TL_POOL2D_UNROLLED),
          "c6", "windows of %lld by %lld do not tile %s, and have more than %d elements",
          (long long)p.window[0], (long long)p.window[1], tl_rule_type(r, x), TL_POOL2D_UNROLLED);
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_avgpool2d_grad(tl_rule *r) { // up, x
  int64_t dims[4];
  tl_type x = tl_rule_in(r, 1);
  TL_TRY(pool(r, x, dims));
  TL_TRY(as_result(r, tl_rule_in(r, 0), x, dims));
  return tl_rule_give1(r, x, "c1");
}
