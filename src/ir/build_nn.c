// Constructors of the named ops of networks; shapes are in op_docs.def.
#include "ir/build.h"

#include "ir/decompose_emit.h"

static tl_value finish(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

static tl_value with_i64(tl_builder *b, tl_opcode code, const tl_value *operands, uint32_t n,
                         tl_attr_id id, int64_t value) {
  tl_op *op = tl_op_begin(b, code, operands, n);
  tl_op_set_i64(op, id, value);
  return finish(b, op);
}

tl_value tlo_log_softmax(tl_builder *b, tl_value x, int64_t axis) {
  return with_i64(b, TL_OP_LOG_SOFTMAX, &x, 1, TL_A_LOG_SOFTMAX_axis, axis);
}

tl_value tlo_logsumexp(tl_builder *b, tl_value x, int64_t axis) {
  return with_i64(b, TL_OP_LOGSUMEXP, &x, 1, TL_A_LOGSUMEXP_axis, axis);
}

tl_value tlo_argmax(tl_builder *b, tl_value x, int64_t axis) {
  return with_i64(b, TL_OP_ARGMAX, &x, 1, TL_A_ARGMAX_axis, axis);
}

tl_value tlo_mean(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n, bool keep_dims) {
  tl_op *op = tl_op_begin(b, TL_OP_MEAN, &x, 1);
  if (n > 0) tl_op_set_list(b, op, TL_A_MEAN_dimensions, dims, n);
  if (keep_dims) tl_op_set_i64(op, TL_A_MEAN_keep_dims, true);
  return finish(b, op);
}

tl_value tlo_cross_entropy(tl_builder *b, tl_value logits, tl_value labels, bool mean) {
  tl_op *op = tl_op_begin(b, TL_OP_CROSS_ENTROPY, (tl_value[]){logits, labels}, 2);
  if (mean) tl_op_set_i64(op, TL_A_CROSS_ENTROPY_mean, true);
  return finish(b, op);
}

tl_value tlo_soft_cross_entropy(tl_builder *b, tl_value student, tl_value teacher,
                                double temperature) {
  tl_op *op = tl_op_begin(b, TL_OP_SOFT_CROSS_ENTROPY, (tl_value[]){student, teacher}, 2);
  tl_op_set_f64(op, TL_A_SOFT_CROSS_ENTROPY_temperature, temperature);
  return finish(b, op);
}

tl_value tlo_take_along(tl_builder *b, tl_value x, tl_value indices, int64_t axis) {
  return with_i64(b, TL_OP_TAKE_ALONG, (tl_value[]){x, indices}, 2, TL_A_TAKE_ALONG_axis, axis);
}

tl_value tlo_take_along_grad(tl_builder *b, tl_value indices, tl_value up, tl_value shape,
                             int64_t axis) {
  return with_i64(b, TL_OP_TAKE_ALONG_GRAD, (tl_value[]){indices, up, shape}, 3,
                  TL_A_TAKE_ALONG_GRAD_axis, axis);
}

tl_value tlo_embedding_padded(tl_builder *b, tl_value table, tl_value indices,
                              int64_t padding_index) {
  tl_op *op = tl_op_begin(b, TL_OP_EMBEDDING, (tl_value[]){table, indices}, 2);
  if (padding_index != -1) tl_op_set_i64(op, TL_A_EMBEDDING_padding_index, padding_index);
  return finish(b, op);
}

tl_value tlo_embedding_grad(tl_builder *b, tl_value indices, tl_value up, tl_value table,
                            int64_t padding_index) {
  tl_op *op = tl_op_begin(b, TL_OP_EMBEDDING_GRAD, (tl_value[]){indices, up, table}, 3);
  if (padding_index != -1) tl_op_set_i64(op, TL_A_EMBEDDING_GRAD_padding_index, padding_index);
  return finish(b, op);
}

// Either draw, begun: with a key of operands, or none.
static tl_value draw(tl_builder *b, tl_op *op, tl_type type) {
  if (op == NULL) return NULL;
  type = tl_type_of(b->m->arena, type.dtype, type.dims, type.rank);
  if (type.rank != 0 && type.dims == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  op = tl_op_finish(b, op, &type, 1);
  return op == NULL ? NULL : op->results[0];
}

static tl_value uniform(tl_builder *b, tl_op *op, tl_type type, bool partitionable) {
  if (partitionable) tl_op_set_i64(op, TL_A_RNG_UNIFORM_partitionable, true);
  return draw(b, op, type);
}

static tl_value normal(tl_builder *b, tl_op *op, tl_type type, const char *method,
                       bool partitionable) {
  if (method != NULL) tl_op_set_str(b, op, TL_A_RNG_NORMAL_method, tl_str_of(method));
  if (partitionable) tl_op_set_i64(op, TL_A_RNG_NORMAL_partitionable, true);
  return draw(b, op, type);
}

tl_value tlo_rng_uniform(tl_builder *b, tl_type type, uint32_t key0, uint32_t key1,
                         bool partitionable) {
  tl_op *op = tl_op_begin(b, TL_OP_RNG_UNIFORM, NULL, 0);
  tl_op_set_i64(op, TL_A_RNG_UNIFORM_key0, key0);
  tl_op_set_i64(op, TL_A_RNG_UNIFORM_key1, key1);
  return uniform(b, op, type, partitionable);
}

tl_value tlo_rng_normal(tl_builder *b, tl_type type, uint32_t key0, uint32_t key1,
                        const char *method, bool partitionable) {
  tl_op *op = tl_op_begin(b, TL_OP_RNG_NORMAL, NULL, 0);
  tl_op_set_i64(op, TL_A_RNG_NORMAL_key0, key0);
  tl_op_set_i64(op, TL_A_RNG_NORMAL_key1, key1);
  return normal(b, op, type, method, partitionable);
}

tl_value tlo_rng_uniform_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                            bool partitionable) {
  tl_op *op = tl_op_begin(b, TL_OP_RNG_UNIFORM, (tl_value[]){key0, key1}, 2);
  return uniform(b, op, type, partitionable);
}

tl_value tlo_rng_normal_of(tl_builder *b, tl_type type, tl_value key0, tl_value key1,
                           const char *method, bool partitionable) {
  tl_op *op = tl_op_begin(b, TL_OP_RNG_NORMAL, (tl_value[]){key0, key1}, 2);
  return normal(b, op, type, method, partitionable);
}

tl_value tlo_matmul(tl_builder *b, tl_value x, tl_value y) {
  if (x == NULL || y == NULL) return NULL;
  int64_t batch[TL_MAX_RANK], l = x->type.rank, r = y->type.rank;
  if (l < 2 || r < 2 || (l != r && r != 2)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT,
                                "matmul: ranks %lld and %lld are not equal, nor is the right one 2",
                                (long long)l, (long long)r));
    return NULL;
  }
  for (int64_t d = 0; d < l - 2; d++)
    batch[d] = d;
  int64_t lhs = l - 1, rhs = r - 2;
  return tlo_dot(b, x, y, batch, batch, (uint32_t)rhs, &lhs, &rhs, 1);
}

// --- convolutions and pools: ops of one kind have their attributes in one order ---

static tl_attr_id same_attr(const tl_op *op, tl_attr_id of, tl_attr_id begin) {
  return (tl_attr_id)(tl_op_get(op->code)->attr_begin + of - begin);
}

static bool all(const int64_t *list, int64_t value, int n) {
  for (int i = 0; i < n; i++)
    if (list[i] != value) return false;
  return true;
}

static void set_pair(tl_builder *b, tl_op *op, tl_attr_id id, const int64_t value[2]) {
  if (!all(value, 0, 2)) tl_op_set_list(b, op, id, value, 2);
}

static tl_value conv2d(tl_builder *b, tl_opcode code, const tl_value *operands, uint32_t n,
                       const tl_conv2d_options *o) {
  tl_op *op = tl_op_begin(b, code, operands, n);
  if (op == NULL) return NULL;
#define ATTR(name) same_attr(op, TL_A_CONV2D_##name, TL_A_CONV2D__begin)
  set_pair(b, op, ATTR(window_strides), o->window_strides);
  set_pair(b, op, ATTR(lhs_dilation), o->lhs_dilation);
  set_pair(b, op, ATTR(rhs_dilation), o->rhs_dilation);
  if (!all(o->padding[0], 0, 4)) tl_op_set_list(b, op, ATTR(padding), o->padding[0], 4);
  const int64_t reversal[2] = {o->window_reversal[0], o->window_reversal[1]};
  set_pair(b, op, ATTR(window_reversal), reversal);
  if (o->feature_group_count != 0)
    tl_op_set_i64(op, ATTR(feature_group_count), o->feature_group_count);
  if (o->batch_group_count != 0) tl_op_set_i64(op, ATTR(batch_group_count), o->batch_group_count);
#undef ATTR
  return finish(b, op);
}

static tl_value pool2d(tl_builder *b, tl_opcode code, const tl_value *operands, uint32_t n,
                       const tl_pool2d_options *o) {
  tl_op *op = tl_op_begin(b, code, operands, n);
  if (op == NULL) return NULL;
#define ATTR(name) same_attr(op, TL_A_MAXPOOL2D_##name, TL_A_MAXPOOL2D__begin)
  tl_op_set_list(b, op, ATTR(window), o->window, 2);
  set_pair(b, op, ATTR(window_strides), o->window_strides);
  if (!all(o->padding[0], 0, 4)) tl_op_set_list(b, op, ATTR(padding), o->padding[0], 4);
#undef ATTR
  return finish(b, op);
}

tl_value tlo_conv2d(tl_builder *b, tl_value x, tl_value w, const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV2D, (tl_value[]){x, w}, 2, o);
}

tl_value tlo_conv_transpose2d(tl_builder *b, tl_value x, tl_value w, const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV_TRANSPOSE2D, (tl_value[]){x, w}, 2, o);
}

tl_value tlo_conv2d_data_adjoint(tl_builder *b, tl_value up, tl_value w, tl_value x,
                                 const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV2D_DATA_ADJOINT, (tl_value[]){up, w, x}, 3, o);
}

tl_value tlo_conv2d_kernel_adjoint(tl_builder *b, tl_value x, tl_value up, tl_value w,
                                   const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV2D_KERNEL_ADJOINT, (tl_value[]){x, up, w}, 3, o);
}

tl_value tlo_conv_transpose2d_data_adjoint(tl_builder *b, tl_value up, tl_value w, tl_value x,
                                           const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV_TRANSPOSE2D_DATA_ADJOINT, (tl_value[]){up, w, x}, 3, o);
}

tl_value tlo_conv_transpose2d_kernel_adjoint(tl_builder *b, tl_value x, tl_value up, tl_value w,
                                             const tl_conv2d_options *o) {
  return conv2d(b, TL_OP_CONV_TRANSPOSE2D_KERNEL_ADJOINT, (tl_value[]){x, up, w}, 3, o);
}

tl_value tlo_maxpool2d(tl_builder *b, tl_value x, const tl_pool2d_options *o) {
  return pool2d(b, TL_OP_MAXPOOL2D, (tl_value[]){x}, 1, o);
}

tl_value tlo_avgpool2d(tl_builder *b, tl_value x, const tl_pool2d_options *o) {
  return pool2d(b, TL_OP_AVGPOOL2D, (tl_value[]){x}, 1, o);
}

tl_value tlo_maxpool2d_grad(tl_builder *b, tl_value up, tl_value x, tl_value y,
                            const tl_pool2d_options *o) {
  return pool2d(b, TL_OP_MAXPOOL2D_GRAD, (tl_value[]){up, x, y}, 3, o);
}

tl_value tlo_avgpool2d_grad(tl_builder *b, tl_value up, tl_value x, const tl_pool2d_options *o) {
  return pool2d(b, TL_OP_AVGPOOL2D_GRAD, (tl_value[]){up, x}, 2, o);
}

// --- templates ---

tl_value tlo_sum_to(tl_builder *b, tl_value x, tl_value shape) {
  return tlo_binary(b, TL_OP_SUM_TO, x, shape);
}

tl_value tlo_broadcast_like(tl_builder *b, tl_value x, tl_value shape) {
  return tlo_binary(b, TL_OP_BROADCAST_LIKE, x, shape);
}

static tl_value at_low(tl_builder *b, tl_opcode code, tl_value x, tl_value shape, tl_attr_id id,
                       const int64_t *low) {
  tl_op *op = tl_op_begin(b, code, (tl_value[]){x, shape}, 2);
  if (low != NULL) tl_op_set_list(b, op, id, low, tl_value_type(x).rank);
  return finish(b, op);
}

tl_value tlo_pad_to(tl_builder *b, tl_value x, tl_value shape, const int64_t *low) {
  return at_low(b, TL_OP_PAD_TO, x, shape, TL_A_PAD_TO_low, low);
}

tl_value tlo_slice_at(tl_builder *b, tl_value x, tl_value shape, const int64_t *low) {
  return at_low(b, TL_OP_SLICE_AT, x, shape, TL_A_SLICE_AT_low, low);
}

static tl_value among(tl_builder *b, tl_opcode code, tl_value x, tl_value shape,
                      const tl_value *priors, uint32_t n_priors, tl_attr_id id, int64_t axis) {
  tl_value operands[2 + 7] = {x, shape};
  if (n_priors > TL_COUNT(operands) - 2) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "%s: %u priors, the most is 7",
                                tl_op_get(code)->mnemonic, n_priors));
    return NULL;
  }
  for (uint32_t i = 0; i < n_priors; i++)
    operands[2 + i] = priors[i];
  return with_i64(b, code, operands, 2 + n_priors, id, axis);
}

tl_value tlo_slice_like(tl_builder *b, tl_value x, tl_value shape, const tl_value *priors,
                        uint32_t n_priors, int64_t axis) {
  return among(b, TL_OP_SLICE_LIKE, x, shape, priors, n_priors, TL_A_SLICE_LIKE_axis, axis);
}

tl_value tlo_pad_like(tl_builder *b, tl_value x, tl_value shape, const tl_value *priors,
                      uint32_t n_priors, int64_t axis) {
  return among(b, TL_OP_PAD_LIKE, x, shape, priors, n_priors, TL_A_PAD_LIKE_axis, axis);
}

tl_value tlo_zeros_like(tl_builder *b, tl_value shape) {
  return tlo_unary(b, TL_OP_ZEROS_LIKE, shape);
}

tl_value tlo_stop_gradient(tl_builder *b, tl_value x) {
  return tlo_unary(b, TL_OP_STOP_GRADIENT, x);
}

tl_value tlo_check_shape_like(tl_builder *b, tl_value x, tl_value shape) {
  return tlo_binary(b, TL_OP_CHECK_SHAPE_LIKE, x, shape);
}

tl_value tlo_triangle(tl_builder *b, tl_value x, int64_t diagonal, double lower_scale,
                      double diagonal_scale, double upper_scale) {
  tl_op *op = tl_op_begin(b, TL_OP_TRIANGLE, &x, 1);
  if (diagonal != 0) tl_op_set_i64(op, TL_A_TRIANGLE_diagonal, diagonal);
  if (lower_scale != 1) tl_op_set_f64(op, TL_A_TRIANGLE_lower_scale, lower_scale);
  if (diagonal_scale != 1) tl_op_set_f64(op, TL_A_TRIANGLE_diagonal_scale, diagonal_scale);
  if (upper_scale != 0) tl_op_set_f64(op, TL_A_TRIANGLE_upper_scale, upper_scale);
  return finish(b, op);
}

// --- norms, attention, sparse products, rows ---

tl_value tlo_batch_norm(tl_builder *b, tl_value x, tl_value gamma, tl_value beta, int64_t axis,
                        double eps) {
  tl_op *op = tl_op_begin(b, TL_OP_BATCH_NORM, (tl_value[]){x, gamma, beta}, 3);
  if (axis != 1) tl_op_set_i64(op, TL_A_BATCH_NORM_axis, axis);
  tl_op_set_f64(op, TL_A_BATCH_NORM_eps, eps);
  return finish(b, op);
}

tl_value tlo_layer_norm(tl_builder *b, tl_value x, tl_value weight, tl_value bias, double eps) {
  tl_op *op = tl_op_begin(b, TL_OP_LAYER_NORM, (tl_value[]){x, weight, bias}, bias ? 3 : 2);
  tl_op_set_f64(op, TL_A_LAYER_NORM_eps, eps);
  return finish(b, op);
}

tl_value tlo_scaled_dot_product_attention(tl_builder *b, tl_value query, tl_value key,
                                          tl_value value, double scale, bool causal) {
  tl_op *op =
      tl_op_begin(b, TL_OP_SCALED_DOT_PRODUCT_ATTENTION, (tl_value[]){query, key, value}, 3);
  tl_op_set_f64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale, scale);
  if (causal) tl_op_set_i64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_causal, true);
  return finish(b, op);
}

tl_value tlo_transformer_mlp(tl_builder *b, tl_value x, tl_value gate, tl_value up, tl_value down) {
  return finish(b, tl_op_begin(b, TL_OP_TRANSFORMER_MLP, (tl_value[]){x, gate, up, down}, 4));
}

tl_value tlo_sparse_matmul(tl_builder *b, tl_value values, tl_value columns, tl_value pointers,
                           tl_value dense, tl_value shape) {
  tl_value operands[] = {values, columns, pointers, dense, shape};
  tl_op *op = tl_op_begin(b, TL_OP_SPARSE_MATMUL, operands, shape == NULL ? 4 : 5);
  if (shape != NULL) tl_op_set_i64(op, TL_A_SPARSE_MATMUL_transposed, true);
  return finish(b, op);
}

tl_value tlo_sparse_matmul_values_adjoint(tl_builder *b, tl_value up, tl_value dense,
                                          tl_value columns, tl_value pointers) {
  tl_value operands[] = {up, dense, columns, pointers};
  return finish(b, tl_op_begin(b, TL_OP_SPARSE_MATMUL_VALUES_ADJOINT, operands, 4));
}

tl_value tlo_gather_row(tl_builder *b, tl_value x, tl_value index) {
  return tlo_take_rows(b, x, index);
}

// index [] as [1], row [...] as [1, ...].
static bool as_one_row(tl_builder *b, tl_value *index, tl_value *row) {
  int64_t dims[TL_MAX_RANK + 1] = {1};
  tl_type t = tl_value_type(*row);
  for (uint32_t d = 0; d < t.rank; d++)
    dims[1 + d] = t.dims[d];
  *index = tlo_reshape(b, *index, dims, 1);
  *row = tlo_reshape(b, *row, dims, t.rank + 1);
  return *index != NULL && *row != NULL;
}

tl_value tlo_scatter_row(tl_builder *b, tl_value x, tl_value index, tl_value row) {
  return as_one_row(b, &index, &row) ? tlo_put_rows(b, x, index, row) : NULL;
}

tl_value tlo_scatter_add_row(tl_builder *b, tl_value x, tl_value index, tl_value row) {
  if (!as_one_row(b, &index, &row)) return NULL;
  tl_op *op = tl_emit_scatter_add_begin(b, x, index, row);
  int64_t window[TL_MAX_RANK], zero = 0;
  uint32_t rank = tl_value_type(x).rank;
  for (uint32_t d = 1; d < rank; d++)
    window[d - 1] = d;
  tl_op_set_list(b, op, TL_A_SCATTER_update_window_dims, window, rank ? rank - 1 : 0);
  tl_op_set_list(b, op, TL_A_SCATTER_inserted_window_dims, &zero, 1);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_dims_to_operand_dims, &zero, 1);
  tl_op_set_i64(op, TL_A_SCATTER_index_vector_dim, 1);
  return finish(b, op);
}
