// Every named op of networks once, for the tests of composites in text.
#ifndef TL_SHLO_TESTING_NN_H
#define TL_SHLO_TESTING_NN_H

#include "base/test.h"
#include "ir/build.h"

static inline tl_module *nn_named(void) {
  tl_module *m = tl_module_create();
  tl_arena *a = m->arena;
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 4, 8)),
           at = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 4, 3)),
           table = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 9, 8)),
           ids = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 4));
  tl_value y[64];
  uint32_t n = 0;
  y[n++] = tlo_log_softmax(&b, x, 1);
  y[n++] = tlo_logsumexp(&b, x, 1);
  y[n++] = tlo_argmax(&b, x, 0);
  y[n++] = tlo_mean(&b, x, (int64_t[]){1}, 1, true);
  y[n++] = tlo_mean(&b, x, NULL, 0, false);
  y[n++] = tlo_cross_entropy(&b, x, ids, true);
  y[n++] = tlo_cross_entropy(&b, x, x, false);
  y[n++] = tlo_soft_cross_entropy(&b, x, x, 2.0);
  tl_value taken = y[n++] = tlo_take_along(&b, x, at, 1);
  y[n++] = tlo_take_along_grad(&b, at, taken, x, 1);
  y[n++] = tlo_embedding_padded(&b, table, ids, 0);
  y[n++] = tlo_embedding_grad(&b, ids, x, table, 0);
  y[n++] = tlo_matmul(&b, x, tlo_transpose(&b, table, (int64_t[]){1, 0}));
  tl_value key = tlo_constant_i64(&b, tl_type_scalar(TL_DTYPE_S32), -7);
  y[n++] = tlo_rng_uniform(&b, TL_TYPE(a, TL_DTYPE_F32, 3, 3), 0, UINT32_MAX, false);
  y[n++] = tlo_rng_uniform_of(&b, TL_TYPE(a, TL_DTYPE_F64, 3), key, key, true);
  y[n++] = tlo_rng_normal(&b, tl_type_scalar(TL_DTYPE_F32), 1, 2, NULL, true);
  y[n++] = tlo_rng_normal_of(&b, TL_TYPE(a, TL_DTYPE_F32, 5), key, key, "erf_inv", false);
  tl_value image = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 2, 4, 6, 6)),
           kernel = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 4, 4, 3, 3));
  const tl_conv2d_options conv = {.window_strides = {2, 1},
                                  .padding = {{1, 0}, {0, 2}},
                                  .rhs_dilation = {1, 2},
                                  .window_reversal = {true, false}};
  const tl_pool2d_options pool = {.window = {2, 3}, .padding = {{1, 1}, {1, 1}}};
  tl_value c = y[n++] = tlo_conv2d(&b, image, kernel, &conv);
  y[n++] = tlo_conv2d_data_adjoint(&b, c, kernel, image, &conv);
  y[n++] = tlo_conv2d_kernel_adjoint(&b, image, c, kernel, &conv);
  c = y[n++] = tlo_conv_transpose2d(&b, image, kernel, &conv);
  y[n++] = tlo_conv_transpose2d_data_adjoint(&b, c, kernel, image, &conv);
  y[n++] = tlo_conv_transpose2d_kernel_adjoint(&b, image, c, kernel, &conv);
  tl_value p = y[n++] = tlo_maxpool2d(&b, image, &pool);
  y[n++] = tlo_maxpool2d_grad(&b, p, image, p, &pool);
  y[n++] = tlo_avgpool2d(&b, image, &pool);
  y[n++] = tlo_avgpool2d_grad(&b, p, image, &pool);
  tl_value row = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 8)),
           one = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 1, 8)),
           small = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 2, 8));
  y[n++] = tlo_sum_to(&b, x, row);
  y[n++] = tlo_broadcast_like(&b, row, x);
  y[n++] = tlo_pad_to(&b, small, x, (int64_t[]){1, 0});
  y[n++] = tlo_slice_at(&b, x, small, NULL);
  y[n++] = tlo_slice_like(&b, x, small, &one, 1, 0);
  y[n++] = tlo_pad_like(&b, small, x, &one, 1, 0);
  y[n++] = tlo_zeros_like(&b, ids);
  y[n++] = tlo_check_shape_like(&b, x, x);
  y[n++] = tlo_stop_gradient(&b, x);
  y[n++] = tlo_triangle(&b, x, 2, 0.5, 1, 0);
  y[n++] = tlo_batch_norm(&b, x, row, row, 1, 1e-5);
  y[n++] = tlo_layer_norm(&b, x, row, row, 1e-5);
  y[n++] = tlo_layer_norm(&b, x, row, NULL, 1e-5);
  y[n++] = tlo_scaled_dot_product_attention(&b, x, table, table, 0.5, true);
  tl_value wide = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 8, 6)),
           down = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 6, 3));
  y[n++] = tlo_transformer_mlp(&b, x, wide, wide, down);
  tl_value values = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 6)),
           columns = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 6)),
           pointers = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 5));
  y[n++] = tlo_sparse_matmul(&b, values, columns, pointers, table, NULL);
  y[n++] = tlo_sparse_matmul(&b, values, columns, pointers, x, table);
  y[n++] = tlo_sparse_matmul_values_adjoint(&b, x, table, columns, pointers);
  tl_value index = tlo_constant_i64(&b, tl_type_scalar(TL_DTYPE_S32), 1);
  y[n++] = tlo_gather_row(&b, x, index);
  y[n++] = tlo_scatter_row(&b, x, index, row);
  y[n++] = tlo_scatter_add_row(&b, x, index, row);
  TL_ASSERT(n <= TL_COUNT(y));
  tlo_return(&b, y, n);
  assert_ok(tl_builder_finish(&b));
  return m;
}

#endif
