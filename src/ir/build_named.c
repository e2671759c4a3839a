// Constructors of named ops; shapes are in op_docs.def.
#include "ir/build.h"

static tl_value finish(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_value tlo_embedding(tl_builder *b, tl_value table, tl_value indices) {
  return tlo_binary(b, TL_OP_EMBEDDING, table, indices);
}

tl_value tlo_rms_norm(tl_builder *b, tl_value x, tl_value weight, double eps) {
  tl_op *op = tl_op_begin(b, TL_OP_RMS_NORM, (tl_value[]){x, weight}, 2);
  tl_op_set_f64(op, TL_A_RMS_NORM_eps, eps);
  return finish(b, op);
}

tl_value tlo_rope(tl_builder *b, tl_value x, tl_value cos, tl_value sin, tl_value positions) {
  return finish(b, tl_op_begin(b, TL_OP_ROPE, (tl_value[]){x, cos, sin, positions}, 4));
}

tl_value tlo_softmax(tl_builder *b, tl_value x, int64_t axis) {
  tl_op *op = tl_op_begin(b, TL_OP_SOFTMAX, &x, 1);
  tl_op_set_i64(op, TL_A_SOFTMAX_axis, axis);
  return finish(b, op);
}

tl_value tlo_swiglu(tl_builder *b, tl_value gate, tl_value up) {
  return tlo_binary(b, TL_OP_SWIGLU, gate, up);
}

tl_value tlo_kv_cache_write(tl_builder *b, tl_value cache, tl_value rows, tl_value slots,
                            int64_t block_offset) {
  tl_op *op = tl_op_begin(b, TL_OP_KV_CACHE_WRITE, (tl_value[]){cache, rows, slots}, 3);
  tl_op_set_i64(op, TL_A_KV_CACHE_WRITE_block_offset, block_offset);
  return finish(b, op);
}

tl_value tlo_paged_attention(tl_builder *b, tl_value query, tl_value keys, tl_value values,
                             tl_value tables, tl_value lengths, tl_value rows, double scale,
                             int64_t key_offset, int64_t value_offset) {
  tl_value operands[] = {query, keys, values, tables, lengths, rows};
  tl_op *op = tl_op_begin(b, TL_OP_PAGED_ATTENTION, operands, rows == NULL ? 5 : 6);
  tl_op_set_f64(op, TL_A_PAGED_ATTENTION_scale, scale);
  tl_op_set_i64(op, TL_A_PAGED_ATTENTION_key_offset, key_offset);
  tl_op_set_i64(op, TL_A_PAGED_ATTENTION_value_offset, value_offset);
  return finish(b, op);
}

tl_value tlo_quantized_matmul(tl_builder *b, tl_value x, tl_value weight, tl_format format,
                              int64_t rows) {
  tl_op *op = tl_op_begin(b, TL_OP_QUANTIZED_MATMUL, (tl_value[]){x, weight}, 2);
  tl_op_set_str(b, op, TL_A_QUANTIZED_MATMUL_format, tl_str_of(tl_format_get(format)->name));
  tl_op_set_i64(op, TL_A_QUANTIZED_MATMUL_rows, rows);
  return finish(b, op);
}

tl_op *tlo_quantize_int8(tl_builder *b, tl_value x) {
  return tl_op_finish(b, tl_op_begin(b, TL_OP_QUANTIZE_INT8, &x, 1), NULL, 0);
}

tl_value tlo_int8_matmul(tl_builder *b, tl_value codes, tl_value scales, tl_value weight,
                         tl_format format, int64_t rows) {
  tl_op *op = tl_op_begin(b, TL_OP_INT8_MATMUL, (tl_value[]){codes, scales, weight}, 3);
  tl_op_set_str(b, op, TL_A_INT8_MATMUL_format, tl_str_of(tl_format_get(format)->name));
  tl_op_set_i64(op, TL_A_INT8_MATMUL_rows, rows);
  return finish(b, op);
}

tl_value tlo_bf16_matmul(tl_builder *b, tl_value x, tl_value weight, int64_t rows) {
  tl_op *op = tl_op_begin(b, TL_OP_BF16_MATMUL, (tl_value[]){x, weight}, 2);
  tl_op_set_i64(op, TL_A_BF16_MATMUL_rows, rows);
  return finish(b, op);
}

tl_value tlo_quantized_embedding(tl_builder *b, tl_value weight, tl_value indices, tl_format format,
                                 int64_t rows, int64_t k) {
  tl_op *op = tl_op_begin(b, TL_OP_QUANTIZED_EMBEDDING, (tl_value[]){weight, indices}, 2);
  tl_op_set_str(b, op, TL_A_QUANTIZED_EMBEDDING_format, tl_str_of(tl_format_get(format)->name));
  tl_op_set_i64(op, TL_A_QUANTIZED_EMBEDDING_rows, rows);
  tl_op_set_i64(op, TL_A_QUANTIZED_EMBEDDING_k, k);
  return finish(b, op);
}

tl_value tlo_pack_weights(tl_builder *b, tl_value stored, tl_format format, int64_t rows,
                          int64_t k) {
  tl_op *op = tl_op_begin(b, TL_OP_PACK_WEIGHTS, &stored, 1);
  tl_op_set_str(b, op, TL_A_PACK_WEIGHTS_format, tl_str_of(tl_format_get(format)->name));
  tl_op_set_i64(op, TL_A_PACK_WEIGHTS_rows, rows);
  tl_op_set_i64(op, TL_A_PACK_WEIGHTS_k, k);
  return finish(b, op);
}
