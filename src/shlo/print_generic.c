// The quoted form, "stablehlo.gather"(…) <{…}>, and the convolutions, whose dimension numbers it
// shares.
#include "shlo/printer.h"

#include <inttypes.h>

// #stablehlo.gather<offset_dims = [1], …, index_vector_dim = 1>: the rows from `first` on to
// index_vector_dim.
static void put_dimension_numbers(printer *p, const tl_op *op, const char *mnemonic,
                                  tl_attr_id first) {
  tl_buf_printf(p->out, "#stablehlo.%s<", mnemonic);
  const char *comma = "";
  for (tl_attr_id id = first;; id++) {
    const tl_attr_info *row = tl_attr_get(id);
    if (row->kind == TL_AK_I64S && tl_op_list(op, id).len > 0) {
      tl_buf_printf(p->out, "%s%s = ", comma, row->name);
      tl_spell_list(p->out, tl_op_list(op, id), "[", "]");
      comma = ", ";
    } else if (row->kind == TL_AK_I64) {
      tl_buf_printf(p->out, "%s%s = %" PRId64 ">", comma, row->name, tl_op_i64(op, id));
      return;
    }
  }
}

// [b, 0, 1, f]
static void put_conv_dims(printer *p, const char letters[2], int64_t first, int64_t second,
                          tl_i64s spatial) {
  printer_put(p, "[");
  for (int64_t d = 0; d < (int64_t)spatial.len + 2; d++) {
    if (d > 0) printer_put(p, ", ");
    if (d == first || d == second) {
      tl_buf_char(p->out, letters[d == second]);
      continue;
    }
    for (size_t i = 0; i < spatial.len; i++)
      if (spatial.ptr[i] == d) tl_spell_i64(p->out, (int64_t)i);
  }
  printer_put(p, "]");
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: convolution's, and dynamic_conv's, whose rows begin with
// the same ones.
static void put_all_conv_dims(printer *p, const tl_op *op) {
  const int shift = (int)tl_op_get(op->code)->attr_begin - TL_A_CONVOLUTION__begin;
#define AT(name) ((tl_attr_id)((int)TL_A_CONVOLUTION_##name + shift))
  put_conv_dims(p, "bf", tl_op_i64(op, AT(input_batch_dimension)),
                tl_op_i64(op, AT(input_feature_dimension)),
                tl_op_list(op, AT(input_spatial_dimensions)));
  printer_put(p, "x");
  put_conv_dims(p, "io", tl_op_i64(op, AT(kernel_input_feature_dimension)),
                tl_op_i64(op, AT(kernel_output_feature_dimension)),
                tl_op_list(op, AT(kernel_spatial_dimensions)));
  printer_put(p, "->");
  put_conv_dims(p, "bf", tl_op_i64(op, AT(output_batch_dimension)),
                tl_op_i64(op, AT(output_feature_dimension)),
                tl_op_list(op, AT(output_spatial_dimensions)));
#undef AT
}
_Static_assert((int)TL_A_DYNAMIC_CONV_output_spatial_dimensions - (int)TL_A_DYNAMIC_CONV__begin ==
                   (int)TL_A_CONVOLUTION_output_spatial_dimensions - (int)TL_A_CONVOLUTION__begin,
               "dynamic_conv's dimension numbers are rows of the same places");

void print_convolution(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  printer_put(p, "(");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, ") dim_numbers = ");
  put_all_conv_dims(p, op);
  printer_put(p, ", window = {");
  tl_i64s stride = tl_op_list(op, TL_A_CONVOLUTION_window_strides),
          pad = tl_op_list(op, TL_A_CONVOLUTION_padding),
          lhs_dilate = tl_op_list(op, TL_A_CONVOLUTION_lhs_dilation),
          rhs_dilate = tl_op_list(op, TL_A_CONVOLUTION_rhs_dilation),
          reverse = tl_op_list(op, TL_A_CONVOLUTION_window_reversal),
          precision = tl_op_list(op, TL_A_CONVOLUTION_precision_config);
  const char *comma = "";
  if (stride.len > 0) printer_list(p, "stride = ", stride), comma = ", ";
  if (pad.len > 0) {
    tl_buf_printf(p->out, "%spad = ", comma);
    tl_spell_pairs(p->out, pad);
    comma = ", ";
  }
  if (lhs_dilate.len > 0)
    printer_put(p, comma), printer_list(p, "lhs_dilate = ", lhs_dilate), comma = ", ";
  if (rhs_dilate.len > 0)
    printer_put(p, comma), printer_list(p, "rhs_dilate = ", rhs_dilate), comma = ", ";
  if (reverse.len > 0) {
    tl_buf_printf(p->out, "%sreverse = [", comma);
    for (size_t i = 0; i < reverse.len; i++)
      tl_buf_printf(p->out, "%s%s", i > 0 ? ", " : "", reverse.ptr[i] != 0 ? "true" : "false");
    printer_put(p, "]");
  }
  tl_buf_printf(p->out,
                "} {batch_group_count = %" PRId64 " : i64, feature_group_count = %" PRId64 " : i64",
                tl_op_i64(op, TL_A_CONVOLUTION_batch_group_count),
                tl_op_i64(op, TL_A_CONVOLUTION_feature_group_count));
  for (size_t i = 0; i < precision.len; i++)
    tl_buf_printf(p->out, "%s#stablehlo<precision %s>", i == 0 ? ", precision_config = [" : ", ",
                  tl_enum_name(TL_AK_PRECISIONS, precision.ptr[i]));
  printer_put(p, precision.len > 0 ? "]} : " : "} : ");
  printer_function_type(p, op);
}

// <{padding = dense<0> : tensor<2x2xi64>, window_strides = array<i64: 1, 2>}> and
// <{dimension = 1 : i64, is_stable = true}>: attributes in the order of their rows; lists only
// where they are not at their default.
static void put_properties(printer *p, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  const char *before = " <{";
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *row = tl_attr_get(id);
    const tl_attr *a = &op->attrs[i];
    const bool is_list = row->kind == TL_AK_I64S || row->kind == TL_AK_PAIRS;
    const bool later = row->since > 1 || row->kind == TL_AK_UNIT || row->kind == TL_AK_CHANNEL;
    if ((is_list || later) && printer_attr_is_default(op, id)) continue;
    if (row->kind == TL_AK_UNIT) {
      tl_buf_printf(p->out, "%s%s", before, row->name);
      before = ", ";
      continue;
    }
    tl_buf_printf(p->out, "%s%s = ", before, row->name);
    before = ", ";
    if (row->kind == TL_AK_I64)
      tl_buf_printf(p->out, "%" PRId64 " : i64", a->i64);
    else if (row->kind == TL_AK_BOOL)
      printer_put(p, a->i64 ? "true" : "false");
    else if (row->kind == TL_AK_PAIRS)
      tl_spell_pairs_dense(p->out, a->list);
    else if (row->kind == TL_AK_CHANNEL)
      tl_buf_printf(p->out, "#stablehlo.channel_handle<handle = %" PRId64 ", type = %" PRId64 ">",
                    a->list.ptr[0], a->list.ptr[1]);
    else if (row->kind == TL_AK_GROUPS)
      tl_spell_groups(p->out, a->groups);
    else if (row->kind == TL_AK_PROGRAMS)
      tl_spell_programs(p->out, a->names);
    else if (row->kind == TL_AK_I64S)
      tl_spell_list(p->out, a->list, a->list.len > 0 ? "array<i64: " : "array<i64", ">");
    else if (row->kind == TL_AK_F64) { // f32 in StableHLO
      tl_spell_f64_attr(p->out, (double)(float)a->f64);
      printer_put(p, " : f32");
    } else if (tl_enum_name(row->kind, a->i64) != NULL)
      tl_buf_printf(p->out, "#stablehlo<%s %s>", tl_enum_type_name(row->kind),
                    tl_enum_name(row->kind, a->i64));
    else
      TL_ASSERT(false && "no op in the quoted form has an attribute of this kind");
  }
  if (before[0] == ',') printer_put(p, "}>");
}

static void put_dynamic_conv_properties(printer *p, const tl_op *op) {
  static const struct {
    const char *name;
    tl_attr_id id;
  } lists[] = {{"lhs_dilation", TL_A_DYNAMIC_CONV_lhs_dilation},
               {"precision_config", TL_A_DYNAMIC_CONV_precision_config},
               {"rhs_dilation", TL_A_DYNAMIC_CONV_rhs_dilation},
               {"window_reversal", TL_A_DYNAMIC_CONV_window_reversal},
               {"window_strides", TL_A_DYNAMIC_CONV_window_strides}};
  tl_buf_printf(p->out,
                " <{batch_group_count = %" PRId64 " : i64, dimension_numbers = #stablehlo.conv<",
                tl_op_i64(op, TL_A_DYNAMIC_CONV_batch_group_count));
  put_all_conv_dims(p, op);
  tl_buf_printf(p->out, ">, feature_group_count = %" PRId64 " : i64",
                tl_op_i64(op, TL_A_DYNAMIC_CONV_feature_group_count));
  for (size_t k = 0; k < TL_COUNT(lists); k++) {
    const tl_i64s list = tl_op_list(op, lists[k].id);
    if (list.len == 0) continue;
    tl_buf_printf(p->out, ", %s = ", lists[k].name);
    const tl_attr_kind kind = tl_attr_get(lists[k].id)->kind;
    if (kind == TL_AK_I64S) {
      tl_spell_list(p->out, list, "array<i64: ", ">");
      continue;
    }
    for (size_t i = 0; i < list.len; i++)
      if (kind == TL_AK_BOOLS)
        tl_buf_printf(p->out, "%s%s", i == 0 ? "array<i1: " : ", ", list.ptr[i] ? "true" : "false");
      else
        tl_buf_printf(p->out, "%s#stablehlo<precision %s>", i == 0 ? "[" : ", ",
                      tl_enum_name(TL_AK_PRECISIONS, list.ptr[i]));
    printer_put(p, kind == TL_AK_BOOLS ? ">" : "]");
  }
  printer_put(p, "}>");
}

// The quoted form; the name is already there. A scatter's region stands one column in.
void print_generic(printer *p, const tl_op *op, uint32_t indent) {
  printer_put(p, "(");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, ")");
  uint32_t in = 0;
  if (op->code == TL_OP_GATHER) {
    printer_put(p, " <{dimension_numbers = ");
    put_dimension_numbers(p, op, "gather", TL_A_GATHER_offset_dims);
    if (tl_op_i64(op, TL_A_GATHER_indices_are_sorted))
      printer_put(p, ", indices_are_sorted = true");
    printer_put(p, ", slice_sizes = ");
    tl_i64s sizes = tl_op_list(op, TL_A_GATHER_slice_sizes);
    tl_spell_list(p->out, sizes, sizes.len > 0 ? "array<i64: " : "array<i64", ">");
    printer_put(p, "}>");
  } else if (op->code == TL_OP_DYNAMIC_GATHER) {
    printer_put(p, " <{dimension_numbers = ");
    put_dimension_numbers(p, op, "gather", TL_A_DYNAMIC_GATHER_offset_dims);
    printer_put(p, tl_op_i64(op, TL_A_DYNAMIC_GATHER_indices_are_sorted)
                       ? ", indices_are_sorted = true}>"
                       : "}>");
  } else if (op->code == TL_OP_DYNAMIC_CONV) {
    put_dynamic_conv_properties(p, op);
  } else if (op->code == TL_OP_SCATTER) {
    printer_put(p, " <{");
    if (tl_op_i64(op, TL_A_SCATTER_indices_are_sorted))
      printer_put(p, "indices_are_sorted = true, ");
    printer_put(p, "scatter_dimension_numbers = ");
    put_dimension_numbers(p, op, "scatter", TL_A_SCATTER_update_window_dims);
    tl_buf_printf(p->out, ", unique_indices = %s}>",
                  tl_op_i64(op, TL_A_SCATTER_unique_indices) ? "true" : "false");
    in = indent == p->base ? 5 - indent : 1; // absolute at the level of the function
  } else {
    put_properties(p, op);
  }
  for (uint32_t i = 0; i < op->n_regions; i++) {
    printer_put(p, i == 0 ? " ({\n" : ", {\n");
    if (op->regions[i]->n_args > 0) {
      printer_spaces(p, indent + in);
      printer_put(p, "^bb0(");
      printer_block_args(p, op->regions[i]);
      printer_put(p, "):\n");
    }
    printer_block(p, op->regions[i], indent + in + 2);
    printer_spaces(p, indent + in);
    printer_put(p, "}");
  }
  if (op->n_regions > 0) printer_put(p, ")");
  if (op->code == TL_OP_DYNAMIC_GATHER || op->code == TL_OP_DYNAMIC_CONV)
    printer_result_dims(p, op, false);
  printer_put(p, " : ");
  printer_function_type(p, op);
}
