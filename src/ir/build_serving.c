// Constructors of the ops that serving needs beside attention.
#include "ir/build.h"

static tl_value first(tl_op *op) { return op == NULL ? NULL : op->results[0]; }

tl_value tlo_dequantize_kv(tl_builder *b, tl_value codes, tl_value scales,
                           const char *kv_quant_dtype, tl_dtype dtype) {
  tl_type t = tl_value_type(codes);
  t.dtype = dtype;
  tl_op *op = tl_op_begin(b, TL_OP_DEQUANTIZE_KV, (tl_value[]){codes, scales}, 2);
  tl_op_set_str(b, op, TL_A_DEQUANTIZE_KV_kv_quant_dtype, tl_str_of(kv_quant_dtype));
  return first(tl_op_finish(b, op, &t, 1));
}

tl_value tlo_nvfp4_matmul(tl_builder *b, tl_value x, tl_value codes, tl_value scales,
                          tl_value scale2) {
  tl_value operands[] = {x, codes, scales, scale2};
  return first(tl_op_finish(b, tl_op_begin(b, TL_OP_NVFP4_MATMUL, operands, 4), NULL, 0));
}

tl_op *tlo_causal_conv1d(tl_builder *b, tl_value x, tl_value weight, tl_value state,
                         tl_value token_slots, tl_value positions, tl_value write_slots) {
  tl_value operands[] = {x, weight, state, token_slots, positions, write_slots};
  return tl_op_finish(b, tl_op_begin(b, TL_OP_CAUSAL_CONV1D, operands, write_slots ? 6 : 5), NULL,
                      0);
}

tl_op *tlo_gated_delta_rule(tl_builder *b, tl_value q, tl_value k, tl_value v, tl_value g,
                            tl_value beta, tl_value state, tl_value token_slots, tl_value positions,
                            tl_value write_slots) {
  tl_value operands[] = {q, k, v, g, beta, state, token_slots, positions, write_slots};
  return tl_op_finish(b, tl_op_begin(b, TL_OP_GATED_DELTA_RULE, operands, write_slots ? 9 : 8),
                      NULL, 0);
}

tl_value tlo_moe_experts(tl_builder *b, tl_value x, tl_value logits, tl_value gate_up,
                         tl_value gate_up_scale, tl_value down, tl_value down_scale,
                         int64_t top_k) {
  tl_value plain[] = {x, logits, gate_up, down},
           coded[] = {x, logits, gate_up, gate_up_scale, down, down_scale};
  tl_op *op =
      tl_op_begin(b, TL_OP_MOE_EXPERTS, gate_up_scale ? coded : plain, gate_up_scale ? 6 : 4);
  tl_op_set_i64(op, TL_A_MOE_EXPERTS_top_k, top_k);
  return first(tl_op_finish(b, op, NULL, 0));
}
