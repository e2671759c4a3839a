// Constructors of the named ops that networks, losses and their derivatives are written with;
// shapes are in op_docs.def. Part of ir/build.h, which is what to include.
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
// method: "box_muller", or NULL for it, or "erf_inv", which is how JAX draws.
tl_value tlo_rng_normal(tl_builder *b, tl_type type, uint32_t key0, uint32_t key1,
                        const char *method, bool partitionable);
tl_value tlo_rng_uniform_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                            bool partitionable);
tl_value tlo_rng_normal_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                           const char *method, bool partitionable);
// The blocks of Threefry 2x32 (20 rounds) under a key at those counters, all ui32 of one type: the
// first words, and *out_second. In core ops.
tl_value tlo_threefry(tl_builder *b, tl_value key0, tl_value key1, tl_value at0, tl_value at1,
                      tl_value *out_second);

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

// Shapes from templates, whose values are not read. low NULL: zeros.
tl_value tlo_sum_to(tl_builder *b, tl_value x, tl_value shape);
tl_value tlo_broadcast_like(tl_builder *b, tl_value x, tl_value shape);
tl_value tlo_pad_to(tl_builder *b, tl_value x, tl_value shape, const int64_t *low);
tl_value tlo_slice_at(tl_builder *b, tl_value x, tl_value shape, const int64_t *low);
tl_value tlo_slice_like(tl_builder *b, tl_value x, tl_value shape, const tl_value *priors,
                        uint32_t n_priors, int64_t axis);
tl_value tlo_pad_like(tl_builder *b, tl_value x, tl_value shape, const tl_value *priors,
                      uint32_t n_priors, int64_t axis);
tl_value tlo_zeros_like(tl_builder *b, tl_value shape);
tl_value tlo_check_shape_like(tl_builder *b, tl_value x, tl_value shape);
tl_value tlo_stop_gradient(tl_builder *b, tl_value x);

// tril(x, k) is triangle(x, k, 1, 1, 0), triu(x, k) is triangle(x, k, 0, 1, 1).
tl_value tlo_triangle(tl_builder *b, tl_value x, int64_t diagonal, double lower_scale,
                      double diagonal_scale, double upper_scale);

tl_value tlo_batch_norm(tl_builder *b, tl_value x, tl_value gamma, tl_value beta, int64_t axis,
                        double eps);
// bias may be NULL
tl_value tlo_layer_norm(tl_builder *b, tl_value x, tl_value weight, tl_value bias, double eps);
tl_value tlo_scaled_dot_product_attention(tl_builder *b, tl_value query, tl_value key,
                                          tl_value value, double scale, bool causal);
tl_value tlo_transformer_mlp(tl_builder *b, tl_value x, tl_value gate, tl_value up, tl_value down);

// shape NULL: the product; else the product with the transposed matrix, of shape's shape.
tl_value tlo_sparse_matmul(tl_builder *b, tl_value values, tl_value columns, tl_value pointers,
                           tl_value dense, tl_value shape);
tl_value tlo_sparse_matmul_values_adjoint(tl_builder *b, tl_value up, tl_value dense,
                                          tl_value columns, tl_value pointers);

// One row (or, of a vector, one element) of x by an i32 scalar: taken, replaced, added to. An index
// out of range is clamped by gather and dropped by the others. No ops of their own: gather and
// scatter of core.
tl_value tlo_gather_row(tl_builder *b, tl_value x, tl_value index);
tl_value tlo_scatter_row(tl_builder *b, tl_value x, tl_value index, tl_value row);
tl_value tlo_scatter_add_row(tl_builder *b, tl_value x, tl_value index, tl_value row);

// Matrix products by the conventions of numpy.matmul for rank 2 and more: [.., m, k] x [.., k, n]
// of equal ranks and equal leading dims, or a right side of rank 2 for all of the left's. No op of
// its own: it is one dot_general.
tl_value tlo_matmul(tl_builder *b, tl_value x, tl_value y);

#endif
