#include "ir/running.h"

static bool all_ones(tl_i64s list) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] != 1) return false;
  return true;
}

bool tl_running_window(const tl_op *op, uint32_t *out_dim, bool *out_from_end) {
  const tl_type x = op->operands[0]->type;
  const tl_i64s window = tl_op_list(op, TL_A_REDUCE_WINDOW_window_dimensions),
                padding = tl_op_list(op, TL_A_REDUCE_WINDOW_padding);
  uint32_t n = 0;
  if (!all_ones(tl_op_list(op, TL_A_REDUCE_WINDOW_window_strides)) ||
      !all_ones(tl_op_list(op, TL_A_REDUCE_WINDOW_base_dilations)) ||
      !all_ones(tl_op_list(op, TL_A_REDUCE_WINDOW_window_dilations)) || padding.len == 0)
    return false;
  for (uint32_t d = 0; d < x.rank; d++) {
    const int64_t low = padding.ptr[2 * d], high = padding.ptr[2 * d + 1];
    if (window.ptr[d] == 1 && low == 0 && high == 0) continue;
    const int64_t rest = window.ptr[d] - 1;
    if (window.ptr[d] != x.dims[d] || rest < 1 || low + high != rest || (low != 0 && high != 0))
      return false;
    *out_dim = d;
    *out_from_end = low == 0;
    n++;
  }
  return n == 1;
}
