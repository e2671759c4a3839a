// Constructors of the named ops that networks, losses and their derivatives are written with;
// shapes are in ops.def. Part of ir/build.h, which is what to include.
#ifndef TL_IR_BUILD_NN_H
#define TL_IR_BUILD_NN_H

#include "ir/build.h"

tl_value tlo_log_softmax(tl_builder *b, tl_value x, int64_t axis);
tl_value tlo_logsumexp(tl_builder *b, tl_value x, int64_t axis);
tl_value tlo_argmax(tl_builder *b, tl_value x, int64_t axis);
// n = 0: over all dims.
tl_value tlo_mean(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n, bool keep_dims);
tl_value tlo_cross_entropy(tl_builder *b, tl_value logits, tl_value labels, bool mean);
tl_value tlo_soft_cross_entropy(tl_builder *b, tl_value student, tl_value teacher,
                                double temperature);
tl_value tlo_take_along(tl_builder *b, tl_value x, tl_value indices, int64_t axis);
tl_value tlo_take_along_grad(tl_builder *b, tl_value indices, tl_value up, tl_value shape,
                             int64_t axis);
// padding_index -1: none
tl_value tlo_embedding_padded(tl_builder *b, tl_value table, tl_value indices,
                              int64_t padding_index);
tl_value tlo_embedding_grad(tl_builder *b, tl_value indices, tl_value up, tl_value table,
                            int64_t padding_index);

// Random numbers of f32 or f64. A key is two literal words, or two i32 scalars. `type`'s dims are
// copied. partitionable: JAX's newer layout of the bits.
tl_value tlo_rng_uniform(tl_builder *b, tl_type type, uint32_t key0, uint32_t key1,
                         bool partitionable);
tl_value tlo_rng_normal(tl_builder *b, tl_type type, uint32_t key0, uint32_t key1,
                        bool partitionable);
tl_value tlo_rng_uniform_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                            bool partitionable);
tl_value tlo_rng_normal_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                           bool partitionable);

// Two-dimensional convolutions and pools. Zeroed options are the defaults: strides, dilations and
// groups of 1 (a pool's strides: its window), no padding.
typedef struct tl_conv2d_options {
  int64_t window_strides[2], padding[2][2], lhs_dilation[2], rhs_dilation[2];
  bool window_reversal[2];
  int64_t feature_group_count, batch_group_count;
} tl_conv2d_options;
tl_value tlo_conv2d(tl_builder *b, tl_value x, tl_value w, const tl_conv2d_options *o);
tl_value tlo_conv_transpose2d(tl_builder *b, tl_value x, tl_value w, const tl_conv2d_options *o);
tl_value tlo_conv2d_data_adjoint(tl_builder *b, tl_value up, tl_value w, tl_value x,
                                 const tl_conv2d_options *o);
tl_value tlo_conv2d_kernel_adjoint(tl_builder *b, tl_value x, tl_value up, tl_value w,
                                   const tl_conv2d_options *o);
tl_value tlo_conv_transpose2d_data_adjoint(tl_builder *b, tl_value up, tl_value w, tl_value x,
                                           const tl_conv2d_options *o);
tl_value tlo_conv_transpose2d_kernel_adjoint(tl_builder *b, tl_value x, tl_value up, tl_value w,
                                             const tl_conv2d_options *o);
typedef struct tl_pool2d_options {
  int64_t window[2], window_strides[2], padding[2][2];
} tl_pool2d_options;
tl_value tlo_maxpool2d(tl_builder *b, tl_value x, const tl_pool2d_options *o);
tl_value tlo_avgpool2d(tl_builder *b, tl_value x, const tl_pool2d_options *o);
tl_value tlo_maxpool2d_grad(tl_builder *b, tl_value up, tl_value x, tl_value y,
                            const tl_pool2d_options *o);
tl_value tlo_avgpool2d_grad(tl_builder *b, tl_value up, tl_value x, const tl_pool2d_options *o);

// Matrix products by the conventions of numpy.matmul for rank 2 and more: [.., m, k] x [.., k, n]
// of equal ranks and equal leading dims, or a right side of rank 2 for all of the left's. No op of
// its own: it is one dot_general.
tl_value tlo_matmul(tl_builder *b, tl_value x, tl_value y);

#endif
