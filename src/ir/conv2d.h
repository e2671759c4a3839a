// What the two-dimensional convolutions and pools share: their geometry, read from attributes, for
// type rules and decompositions.
//
// Legend: x [N, C, H, W]; kernel [O, I, kh, kw], of the transposed kind [I, O, kh, kw];
// y [N / batch groups, O, H', W'], with C = I * feature groups. Along a spatial dim x is dilated,
// then padded, and the dilated kernel takes its places `stride` apart.
#ifndef TL_IR_CONV2D_H
#define TL_IR_CONV2D_H

#include "ir/ir.h"

typedef struct tl_conv2d {
  int64_t stride[2], pad[2][2], dilation[2], kernel_dilation[2];
  bool reversal[2];
  int64_t groups, batch_groups;
  uint32_t kernel_in, kernel_out; // the kernel's dims of features
} tl_conv2d;

// Of a conv2d, conv_transpose2d or one of their adjoints, whose attributes are sound.
void tl_conv2d_read(const tl_op *op, tl_conv2d *out);

// y's dims [4]; false where a size, a pad or a stride is past 2^58. Channels are not looked at.
bool tl_conv2d_dims(const tl_conv2d *c, tl_type x, tl_type w, int64_t *out_dims);

// 0 stays 0; false when the product overflows.
static inline bool tl_dilate(int64_t size, int64_t by, int64_t *out) {
  *out = 0;
  return size == 0 ||
         (!__builtin_mul_overflow(size - 1, by, out) && !__builtin_add_overflow(*out, 1, out));
}

typedef struct tl_pool2d {
  int64_t window[2], stride[2], pad[2][2]; // pads are smaller than the window
} tl_pool2d;

void tl_pool2d_read(const tl_op *op, tl_pool2d *out);
bool tl_pool2d_dims(const tl_pool2d *p, tl_type x, int64_t *out_dims); // [4]

// The most elements of a window of maxpool2d_grad where windows overlap or leave something out: it
// is written out element by element.
enum { TL_POOL2D_UNROLLED = 256 };
// Whether the windows tile x exactly.
bool tl_pool2d_tiles(const tl_pool2d *p, tl_type x);

#endif
