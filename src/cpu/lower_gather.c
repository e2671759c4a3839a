// gather of rows: where each begins, found in parallel by a nest, and then copies.
//
// The result's last dims that are the operand's last dims, whole (but for the first of them), and
// that no index moves, lie side by side in both: a row.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"

// The number of the result's last dims that make a row.
static uint32_t row_dims(const tl_op *op) {
  const tl_type x = op->operands[0]->type, y = op->results[0]->type;
  const tl_i64s offset_dims = tl_op_list(op, TL_A_GATHER_offset_dims),
                collapsed = tl_op_list(op, TL_A_GATHER_collapsed_slice_dims),
                batching = tl_op_list(op, TL_A_GATHER_operand_batching_dims),
                map = tl_op_list(op, TL_A_GATHER_start_index_map);
  uint32_t n = 0;
  for (; n < y.rank && n < x.rank && n < offset_dims.len; n++) {
    const int64_t d = (int64_t)x.rank - 1 - n, o = (int64_t)y.rank - 1 - n;
    if (offset_dims.ptr[offset_dims.len - 1 - n] != o || nest_listed(collapsed, d) ||
        nest_listed(batching, d))
      break;
    const bool whole = y.dims[o] == x.dims[d];
    if (!whole && nest_listed(map, d)) break;
    if (!whole) return n + 1;
  }
  return n;
}

static size_t run_of(tl_type y, uint32_t n) {
  size_t run = 1;
  for (uint32_t k = 0; k < n; k++)
    run *= (size_t)y.dims[y.rank - 1 - k];
  return run;
}

size_t gather_run(const tl_op *op) { return run_of(op->results[0]->type, row_dims(op)); }

static void run_rows(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const size_t *size = s->params; // bytes: of a row, of an element
  const int64_t *places = step_in(s, x, 1);
  const uint8_t *from = step_in(s, x, 0);
  uint8_t *to = step_out(s, x, 0);
  size_t first, last;
  tl_pool_range(s->out[0].size / size[0], 1, part, n_parts, &first, &last);
  for (size_t r = first; r < last; r++)
    memcpy(to + r * size[0], from + places[r] * (int64_t)size[1], size[0]);
}

enum { PARALLEL_BYTES = 65536 };

bool lower_gather(planner *p, const tl_op *op) {
  const tl_type x = op->operands[0]->type, y = op->results[0]->type;
  const uint32_t n_row = row_dims(op);
  const size_t element = tl_dtype_get(y.dtype)->size, run = run_of(y, n_row);
  tl_reg r;
  if (run < GATHER_RUN || type_count(y) == 0 || !loop_reg_of(op->operands[1]->type.dtype, &r))
    return false;
  const tl_type rows = tl_type_of(p->exe->arena, TL_DTYPE_S64, y.dims, y.rank - n_row);
  if (y.rank > n_row && !rows.dims) plan_fail(p, TL_OOM());
  nest n;
  if (p->error || !nest_begin(&n, p, rows.rank, rows.rank, rows.dims)) return p->error != NULL;
  const nest_map m = nest_identity(0, rows.rank); // within a row: its first element
  nest_map from;
  const uint16_t moved = nest_gather(&n, op, &m, &from);
  uint16_t place = nest_number(&n, x, &from);
  if (moved != LOOP_NONE)
    place = nest_scalar(&n, TL_SCALAR_ADD, TL_REG_S64, TL_REG_S64, place, moved, LOOP_NONE);
  const plan_view places = plan_temp(p, rows);
  nest_store(&n, places, rows, &m, LOOP_NONE, place);
  if (!nest_finish(&n, op, "places") || p->error) return p->error != NULL;
  size_t *size = plan_alloc(p, 2 * sizeof *size, _Alignof(size_t));
  plan_view *v = plan_views(p, 3);
  if (p->error) return true;
  size[0] = run * element, size[1] = element;
  v[0] = plan_operand(p, op->operands[0]);
  v[1] = places;
  v[2] = plan_result(p, op->results[0]);
  if (p->error) return true;
  plan_touch(p, places);
  plan_step *s = plan_add_step(p, op, "gather", run_rows);
  if (!s) return true;
  s->in = v, s->n_in = 2;
  s->out = v + 2, s->n_out = 1;
  s->params = size;
  s->parallel = plan_worth(p, v[2].size, PARALLEL_BYTES);
  return true;
}
