#include "ir/conv2d.h"

// The six ops have the same attributes in the same order, and so have the four pools.
#define CONV(op, name) \
  ((tl_attr_id)(tl_op_get((op)->code)->attr_begin + TL_A_CONV2D_##name - TL_A_CONV2D__begin))
#define POOL(op, name) \
  ((tl_attr_id)(tl_op_get((op)->code)->attr_begin + TL_A_MAXPOOL2D_##name - TL_A_MAXPOOL2D__begin))

static void pair(tl_i64s list, int64_t otherwise, int64_t *out) {
  for (int i = 0; i < 2; i++)
    out[i] = list.len == 2 ? list.ptr[i] : otherwise;
}

static void pads(tl_i64s list, int64_t out[2][2]) {
  for (int i = 0; i < 4; i++)
    out[i / 2][i % 2] = list.len == 4 ? list.ptr[i] : 0;
}

void tl_conv2d_read(const tl_op *op, tl_conv2d *out) {
  int64_t reversal[2];
  bool transposed = op->code == TL_OP_CONV_TRANSPOSE2D ||
                    op->code == TL_OP_CONV_TRANSPOSE2D_DATA_ADJOINT ||
                    op->code == TL_OP_CONV_TRANSPOSE2D_KERNEL_ADJOINT;
  pair(tl_op_list(op, CONV(op, window_strides)), 1, out->stride);
  pair(tl_op_list(op, CONV(op, lhs_dilation)), 1, out->dilation);
  pair(tl_op_list(op, CONV(op, rhs_dilation)), 1, out->kernel_dilation);
  pair(tl_op_list(op, CONV(op, window_reversal)), 0, reversal);
  pads(tl_op_list(op, CONV(op, padding)), out->pad);
  for (int i = 0; i < 2; i++)
    out->reversal[i] = reversal[i] != 0;
  out->groups = tl_op_i64(op, CONV(op, feature_group_count));
  out->batch_groups = tl_op_i64(op, CONV(op, batch_group_count));
  out->kernel_in = transposed ? 0 : 1;
  out->kernel_out = transposed ? 1 : 0;
}

// What a decomposition adds up of these stays far from the ends of an int64_t.
enum { LIMIT_BITS = 58 };
static bool small(int64_t n) {
  return n >= -((int64_t)1 << LIMIT_BITS) && n <= (int64_t)1 << LIMIT_BITS;
}

static bool places(int64_t size, int64_t window, const int64_t pad[2], int64_t stride,
                   int64_t *out) {
  if (!small(size) || !small(window) || !small(pad[0]) || !small(pad[1]) || !small(stride))
    return false;
  size += pad[0] + pad[1];
  *out = size <= 0 || window > size ? 0 : (size - window) / stride + 1;
  return true;
}

bool tl_conv2d_dims(const tl_conv2d *c, tl_type x, tl_type w, int64_t *out_dims) {
  out_dims[0] = x.dims[0] / c->batch_groups;
  out_dims[1] = w.dims[c->kernel_out];
  for (int i = 0; i < 2; i++) {
    int64_t size, window;
    if (!tl_dilate(x.dims[2 + i], c->dilation[i], &size) ||
        !tl_dilate(w.dims[2 + i], c->kernel_dilation[i], &window) ||
        !places(size, window, c->pad[i], c->stride[i], &out_dims[2 + i]))
      return false;
  }
  return true;
}

void tl_pool2d_read(const tl_op *op, tl_pool2d *out) {
  tl_i64s strides = tl_op_list(op, POOL(op, window_strides));
  pair(tl_op_list(op, POOL(op, window)), 1, out->window);
  for (int i = 0; i < 2; i++)
    out->stride[i] = strides.len == 2 ? strides.ptr[i] : out->window[i];
  pads(tl_op_list(op, POOL(op, padding)), out->pad);
}

bool tl_pool2d_dims(const tl_pool2d *p, tl_type x, int64_t *out_dims) {
  out_dims[0] = x.dims[0];
  out_dims[1] = x.dims[1];
  for (int i = 0; i < 2; i++)
    if (!places(x.dims[2 + i], p->window[i], p->pad[i], p->stride[i], &out_dims[2 + i]))
      return false;
  return true;
}

bool tl_pool2d_tiles(const tl_pool2d *p, tl_type x) {
  bool tiles = true;
  for (int i = 0; i < 2; i++)
    tiles = tiles && p->stride[i] == p->window[i] && p->pad[i][0] == 0 && p->pad[i][1] == 0 &&
            x.dims[2 + i] % p->window[i] == 0;
  return tiles;
}
