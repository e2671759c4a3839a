// The forms of ops that StableHLO has one for.
#include "shlo/printer.h"

#include <inttypes.h>

#include "ir/dynamic.h"

void print_constant(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_result_dims(p, op, false);
  printer_put(p, " ");
  tl_spell_literal(p->out, tl_op_attr(op, TL_A_CONSTANT_value)->dense, p->options.hex_literals);
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_iota(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " dim = ");
  tl_spell_i64(p->out, tl_op_i64(op, TL_A_IOTA_iota_dimension));
  printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_elemwise(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  bool same = true; // but for the parts of complex numbers
  for (uint32_t i = 0; i < op->n_operands; i++)
    same &= op->operands[i]->type.dtype == op->results[0]->type.dtype;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " : ");
  if (same)
    printer_type(p, op->results[0]->type);
  else
    printer_function_type(p, op);
}

void print_complex(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_functional(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  uint32_t first, n;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  if (op->code == TL_OP_RESHAPE || tl_dynamic_shapes(op->code, &first, &n))
    printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_typed(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_compare(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  int64_t type = tl_op_i64(op, TL_A_COMPARE_compare_type);
  tl_buf_printf(
      p->out, " %s, ",
      tl_enum_name(TL_AK_COMPARISON_DIRECTION, tl_op_i64(op, TL_A_COMPARE_comparison_direction)));
  printer_values(p, op->operands, op->n_operands);
  if (type != TL_COMPARISON_TYPE_NOTYPE)
    tl_buf_printf(p->out, ", %s", tl_enum_name(TL_AK_COMPARISON_TYPE, type));
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_select(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " : ");
  printer_types(p, op->operands, 2);
}

// {known_expanding_dimensions = array<i64: 0>, …}, where there are any.
static void put_known_expanding(printer *p, const tl_op *op) {
  static const tl_attr_id ids[] = {TL_A_DYNAMIC_BROADCAST_IN_DIM_known_expanding_dimensions,
                                   TL_A_DYNAMIC_BROADCAST_IN_DIM_known_nonexpanding_dimensions};
  const char *before = " {";
  for (size_t i = 0; i < TL_COUNT(ids); i++) {
    if (tl_op_list(op, ids[i]).len == 0) continue;
    tl_buf_printf(p->out, "%s%s = ", before, tl_attr_get(ids[i])->name);
    tl_spell_list(p->out, tl_op_list(op, ids[i]), "array<i64: ", ">");
    before = ", ";
  }
  printer_result_dims(p, op, before[0] == ',');
  if (before[0] == ',') printer_put(p, "}");
}

void print_attrs_dims(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_list(p, ", dims = ", op->attrs[0].list);
  if (op->code == TL_OP_DYNAMIC_BROADCAST_IN_DIM)
    put_known_expanding(p, op);
  else if (op->code == TL_OP_BROADCAST_IN_DIM)
    printer_result_dims(p, op, false);
  printer_put(p, " : ");
  if (op->code == TL_OP_REVERSE) // StableHLO's parser knows no other form
    printer_type(p, op->results[0]->type);
  else
    printer_function_type(p, op);
}

void print_attrs_dim(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, ", dim = ");
  tl_spell_i64(p->out, op->attrs[0].i64);
  if (op->code == TL_OP_DYNAMIC_IOTA || op->code == TL_OP_SET_DIMENSION_SIZE)
    printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_slice(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  tl_i64s start = tl_op_list(op, TL_A_SLICE_start_indices),
          limit = tl_op_list(op, TL_A_SLICE_limit_indices),
          strides = tl_op_list(op, TL_A_SLICE_strides);
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  printer_put(p, " [");
  for (size_t i = 0; i < start.len; i++) {
    if (i > 0) printer_put(p, ", ");
    tl_spell_i64(p->out, start.ptr[i]);
    printer_put(p, ":");
    tl_spell_i64(p->out, limit.ptr[i]);
    if (strides.ptr[i] == 1) continue;
    printer_put(p, ":");
    tl_spell_i64(p->out, strides.ptr[i]);
  }
  printer_put(p, "] : ");
  printer_function_type(p, op);
}

void print_dynamic_slice(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_list(p, ", sizes = ", tl_op_list(op, TL_A_DYNAMIC_SLICE_slice_sizes));
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_rng_bit_generator(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  tl_buf_printf(
      p->out, ", algorithm = %s",
      tl_enum_name(TL_AK_RNG_ALGORITHM, tl_op_i64(op, TL_A_RNG_BIT_GENERATOR_rng_algorithm)));
  printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_rng(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  tl_buf_printf(p->out, ", distribution = %s : ",
                tl_enum_name(TL_AK_RNG_DISTRIBUTION, tl_op_i64(op, TL_A_RNG_rng_distribution)));
  printer_function_type(p, op);
}

void print_reduce_precision(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  tl_buf_printf(p->out, ", format = e%" PRId64 "m%" PRId64 " : ",
                tl_op_i64(op, TL_A_REDUCE_PRECISION_exponent_bits),
                tl_op_i64(op, TL_A_REDUCE_PRECISION_mantissa_bits));
  printer_type(p, op->results[0]->type);
}

void print_cholesky(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  if (tl_op_i64(op, TL_A_CHOLESKY_lower)) printer_put(p, ", lower = true");
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_fft(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  tl_buf_printf(p->out, ", type = %s",
                tl_enum_name(TL_AK_FFT_TYPE, tl_op_i64(op, TL_A_FFT_fft_type)));
  printer_list(p, ", length = ", tl_op_list(op, TL_A_FFT_fft_length));
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_pad(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_list(p, ", low = ", tl_op_list(op, TL_A_PAD_edge_padding_low));
  printer_list(p, ", high = ", tl_op_list(op, TL_A_PAD_edge_padding_high));
  printer_list(p, ", interior = ", tl_op_list(op, TL_A_PAD_interior_padding));
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_dot_general(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  tl_i64s batch = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
          precision = tl_op_list(op, TL_A_DOT_GENERAL_precision_config);
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  if (batch.len > 0) {
    printer_list(p, ", batching_dims = ", batch);
    printer_list(p, " x ", tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions));
  }
  printer_list(
      p, ", contracting_dims = ", tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions));
  printer_list(p, " x ", tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions));
  for (size_t i = 0; i < precision.len; i++)
    tl_buf_printf(p->out, "%s%s", i == 0 ? ", precision = [" : ", ",
                  tl_enum_name(TL_AK_PRECISIONS, precision.ptr[i]));
  if (precision.len > 0) printer_put(p, "]");
  if (tl_op_i64(op, TL_A_DOT_GENERAL_algorithm) != TL_DOT_ALGORITHM_NONE) {
    printer_put(p, ", algorithm = ");
    tl_spell_dot_algorithm(p->out, tl_op_i64(op, TL_A_DOT_GENERAL_algorithm));
  }
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_reduce(printer *p, const tl_op *op, uint32_t indent) {
  uint32_t n = op->n_operands / 2;
  printer_put(p, "(");
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) printer_put(p, ", (");
    printer_value(p, op->operands[i]);
    printer_put(p, " init: ");
    printer_value(p, op->operands[n + i]);
    printer_put(p, ")");
  }
  const tl_op *applied = printer_applied_op(op);
  if (applied != NULL)
    tl_buf_printf(p->out, " applies stablehlo.%s", tl_op_get(applied->code)->mnemonic);
  printer_list(p, " across dimensions = ", tl_op_list(op, TL_A_REDUCE_dimensions));
  printer_put(p, " : ");
  printer_function_type(p, op);
  if (applied != NULL) return;
  const tl_block *block = op->regions[0];
  printer_put(p, "\n");
  printer_spaces(p, indent + 1);
  printer_put(p, "reducer");
  for (uint32_t i = 0; i < n; i++) {
    printer_put(p, i == 0 ? "(" : " (");
    for (uint32_t side = 0; side < 2; side++) {
      if (side > 0) printer_put(p, ", ");
      printer_value(p, block->args[i + side * n]);
      printer_put(p, ": ");
      printer_type(p, block->args[i + side * n]->type);
    }
    printer_put(p, ")");
  }
  printer_put(p, "  {\n");
  printer_block(p, block, indent + 2);
  printer_spaces(p, indent);
  printer_put(p, "}");
}

void print_sharding_constraint(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  printer_put(p, " ");
  tl_spell_sharding(p->out, &tl_op_attr(op, TL_A_SHARDING_CONSTRAINT_sharding)->shardings->ptr[0]);
  printer_put(p, " : ");
  printer_type(p, op->results[0]->type);
}

void print_manual_computation(printer *p, const tl_op *op, uint32_t indent) {
  printer_put(p, "(");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, ") in_shardings=");
  tl_spell_shardings(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_in_shardings)->shardings);
  printer_put(p, " out_shardings=");
  tl_spell_shardings(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_out_shardings)->shardings);
  printer_put(p, " manual_axes=");
  tl_spell_axes(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names);
  printer_put(p, " (");
  printer_block_args(p, op->regions[0]);
  printer_put(p, ") {\n");
  printer_block(p, op->regions[0], indent + 2);
  printer_spaces(p, indent);
  printer_put(p, "} : ");
  printer_function_type(p, op);
}

void print_probe(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  const bool is_probe = op->code == TL_OP_PROBE;
  printer_put(p, " ");
  printer_value(p, op->operands[0]);
  printer_put(p, ", probe_id = ");
  tl_spell_string(
      p->out, tl_op_str(op, is_probe ? TL_A_PROBE_probe_id : TL_A_EXPECT_SERIALIZED_EQ_probe_id));
  if (!is_probe)
    tl_buf_printf(p->out, ", iter = %" PRId64, tl_op_i64(op, TL_A_EXPECT_SERIALIZED_EQ_iter));
  printer_put(p, " : ");
  printer_type(p, op->operands[0]->type);
}

void print_while(printer *p, const tl_op *op, uint32_t indent) {
  const tl_block *cond = op->regions[0];
  printer_put(p, "(");
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (i > 0) printer_put(p, ", ");
    printer_value(p, cond->args[i]);
    printer_put(p, " = ");
    printer_value(p, op->operands[i]);
  }
  printer_put(p, ")");
  if (op->n_operands > 0) printer_put(p, " : ");
  printer_types(p, op->operands, op->n_operands);
  printer_put(p, "\n");
  printer_spaces(p, indent);
  printer_put(p, "cond {\n");
  printer_block(p, cond, indent + 2);
  printer_spaces(p, indent);
  printer_put(p, "} do {\n");
  printer_block(p, op->regions[1], indent + 2);
  printer_spaces(p, indent);
  printer_put(p, "}");
}

void print_call(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  tl_spell_symbol(p->out, tl_op_str(op, TL_A_CALL_callee));
  printer_put(p, "(");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, ")");
  printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_function_type(p, op);
}

void print_custom_call(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  tl_spell_symbol(p->out, tl_op_str(op, TL_A_CUSTOM_CALL_call_target_name));
  printer_put(p, "(");
  printer_values(p, op->operands, op->n_operands);
  const tl_str called = tl_op_str(op, TL_A_CUSTOM_CALL_called_computations),
               message = tl_op_str(op, TL_A_CUSTOM_CALL_error_message);
  if (called.len > 0) { // no check: it has results, and no other attribute
    printer_put(p, ") {called_computations = [");
    tl_spell_symbol(p->out, called);
    printer_put(p, "]");
    printer_result_dims(p, op, true);
    printer_put(p, "} : ");
    printer_function_type(p, op);
    return;
  }
  printer_put(p, ") {");
  if (message.len > 0) {
    printer_put(p, "error_message = ");
    tl_spell_string(p->out, message);
    printer_put(p, ", ");
  }
  printer_put(p, "has_side_effect = true");
  tl_attr_id id = TL_A_CUSTOM_CALL_max_ulp_difference;
  if (!printer_attr_is_default(op, id))
    tl_buf_printf(p->out, ", max_ulp_difference = %" PRId64 " : i64", tl_op_i64(op, id));
  id = TL_A_CUSTOM_CALL_min_ulp_difference;
  if (!printer_attr_is_default(op, id))
    tl_buf_printf(p->out, ", min_ulp_difference = %" PRId64 " : i64", tl_op_i64(op, id));
  id = TL_A_CUSTOM_CALL_tolerance;
  if (!printer_attr_is_default(op, id)) {
    printer_put(p, ", tolerance = ");
    tl_spell_f64_attr(p->out, tl_op_f64(op, id));
    printer_put(p, " : f64");
  }
  printer_put(p, "} : ");
  printer_function_type(p, op);
}

void print_barrier(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " : ");
  printer_types(p, op->operands, op->n_operands);
}

void print_return(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  if (op->n_operands == 0) return;
  printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " : ");
  printer_types(p, op->operands, op->n_operands);
}
