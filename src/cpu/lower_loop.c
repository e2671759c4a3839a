// Ops as nests of the loop IR that give each element on its own: elementwise ops and what was fused
// into them, and ops that move elements.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"

// One nest over the result.
bool lower_each(planner *p, const tl_op *op) {
  const tl_type y = op->results[0]->type;
  nest n;
  if (!fuse_may_inline(op) || !nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  const nest_map m = nest_identity(0, y.rank);
  const uint16_t x = nest_computed(&n, op, &m);
  if (!n.failed && !p->error) nest_store(&n, nest_out(&n, op), y, &m, LOOP_NONE, x);
  return nest_finish(&n, op, tl_op_get(op->code)->mnemonic);
}

bool plan_nothing(planner *p, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    plan_result(p, op->results[i]);
  return true;
}

static void must(planner *p, bool planned) {
  if (!planned) plan_fail(p, TL_ERROR(INTERNAL, "plan: a nest was not planned"));
}

plan_view plan_operand_as(planner *p, const tl_op *op, tl_value v, tl_dtype d) {
  if (v->type.dtype == d) return plan_operand(p, v);
  tl_type type = v->type;
  type.dtype = d;
  const plan_view out = plan_temp(p, type);
  const nest_map m = nest_identity(0, type.rank);
  nest n;
  if (p->error || !nest_begin(&n, p, type.rank, type.rank, type.dims)) return out;
  nest_store(&n, out, type, &m, LOOP_NONE,
             nest_convert(&n, v->type.dtype, d, nest_load(&n, v, &m, LOOP_NONE)));
  must(p, nest_finish(&n, op, "convert"));
  return out;
}

void plan_result_of(planner *p, const tl_op *op, plan_view view, tl_type type) {
  const tl_type y = op->results[0]->type;
  const nest_map m = nest_identity(0, y.rank);
  nest n;
  if (p->error || !nest_begin(&n, p, y.rank, y.rank, y.dims)) return;
  const uint16_t x = nest_convert(&n, type.dtype, y.dtype, nest_load_view(&n, view, type, &m));
  nest_store(&n, plan_result(p, op->results[0]), y, &m, LOOP_NONE, x);
  must(p, nest_finish(&n, op, "convert"));
}

// A piece of the result, made by operand `v`: element [i] goes to offset + i * step.
static bool piece(planner *p, const tl_op *op, tl_value v, const int64_t *extent,
                  const int64_t *first, const nest_map *to, plan_view out) {
  const tl_type y = op->results[0]->type, x = v->type;
  nest n;
  if (!nest_begin(&n, p, x.rank, x.rank, extent)) return p->error != NULL;
  nest_map m = nest_identity(0, x.rank);
  for (uint32_t d = 0; first && d < x.rank; d++)
    m.offset[d] = first[d];
  nest_store(&n, out, y, to, LOOP_NONE, nest_value(&n, v, &m));
  return nest_finish(&n, op, tl_op_get(op->code)->mnemonic);
}

static bool moves(const tl_op *op) { return nest_moves(op->results[0]->type.dtype); }

bool lower_concatenate_loop(planner *p, const tl_op *op) {
  const tl_type y = op->results[0]->type;
  const int64_t dim = tl_op_i64(op, TL_A_CONCATENATE_dimension);
  if (!moves(op)) return false;
  const plan_view out = plan_result(p, op->results[0]);
  nest_map to = nest_identity(0, y.rank);
  if (fuse_pieces_together(op)) {
    nest n;
    if (!nest_begin(&n, p, y.rank, y.rank, op->operands[0]->type.dims)) return p->error != NULL;
    const nest_map m = to;
    for (uint32_t i = 0; i < op->n_operands && !n.failed; i++) {
      nest_store(&n, out, y, &to, LOOP_NONE, nest_value(&n, op->operands[i], &m));
      to.offset[dim] += op->operands[i]->type.dims[dim];
    }
    return nest_finish(&n, op, "concatenate");
  }
  for (uint32_t i = 0; i < op->n_operands && !p->error; i++) {
    const tl_value v = op->operands[i];
    if (!piece(p, op, v, v->type.dims, NULL, &to, out))
      plan_fail(p, TL_ERROR(INTERNAL, "concatenate: a piece was not planned"));
    to.offset[dim] += v->type.dims[dim];
  }
  return true;
}

// The padding everywhere, then the operand over it.
bool lower_pad(planner *p, const tl_op *op) {
  const tl_value x = op->operands[0];
  const tl_type y = op->results[0]->type;
  const int64_t *low = tl_op_list(op, TL_A_PAD_edge_padding_low).ptr;
  const int64_t *interior = tl_op_list(op, TL_A_PAD_interior_padding).ptr;
  int64_t extent[TL_MAX_RANK] = {0}, first[TL_MAX_RANK] = {0};
  nest_map to = nest_identity(0, y.rank);
  nest n;
  if (!moves(op)) return false;
  bool any = type_count(y) > 0;
  for (uint32_t d = 0; d < y.rank && any; d++) { // indices whose place lies in the result
    int64_t step, end = 0, room;
    if (!TL_ADD_OK(interior[d], (int64_t)1, &step) || low[d] == INT64_MIN) return false;
    if (low[d] < 0) first[d] = (-low[d] - 1) / step + 1;
    if (TL_SUB_OK(y.dims[d], low[d], &room) && room > 0)
      end = TL_MIN(x->type.dims[d], (room - 1) / step + 1);
    any = end > first[d];
    extent[d] = end - first[d];
    if (!any) break;
    to.offset[d] = low[d] + first[d] * step;
    to.coef[d][d] = extent[d] == 1 ? 0 : step;
  }
  if (!nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  const plan_view out = plan_result(p, op->results[0]);
  const nest_map none = {0}, all = nest_identity(0, y.rank);
  nest_store(&n, out, y, &all, LOOP_NONE, nest_value(&n, op->operands[1], &none));
  if (!nest_finish(&n, op, "pad")) return false;
  if (any && !p->error && !piece(p, op, x, extent, first, &to, out))
    plan_fail(p, TL_ERROR(INTERNAL, "pad: its operand was not planned"));
  return true;
}

// Whether the program that is being built reads memory of `from`.
static bool reads(const nest *n, plan_view from) {
  for (uint32_t a = 0; a < n->loop->n_arrays; a++)
    if (n->views[a].buf == from.buf) return true;
  return false;
}

// The operand in memory that is not `from`'s.
static plan_view apart(planner *p, const tl_op *op, tl_value v, plan_view from) {
  const tl_type t = v->type;
  if (plan_known(p, v)) {
    const plan_view at = plan_operand(p, v);
    if (at.buf != from.buf) return at;
  }
  const plan_view out = plan_temp(p, t);
  if (p->error) return out;
  if (plan_known(p, v)) {
    plan_copy(p, plan_operand(p, v), out);
    return out;
  }
  const nest_map m = nest_identity(0, t.rank);
  nest n;
  if (!nest_begin(&n, p, t.rank, t.rank, t.dims)) {
    must(p, false);
    return out;
  }
  nest_store(&n, out, t, &m, LOOP_NONE, nest_value(&n, v, &m));
  must(p, nest_finish(&n, op, "update"));
  return out;
}

// The operand's memory where it dies here, and the update alone is written; else a copy of it. An
// update that is made of the operand is made first, apart from it.
bool lower_dynamic_update_slice(planner *p, const tl_op *op) {
  const tl_value x = op->operands[0], update = op->operands[1];
  const tl_type y = op->results[0]->type;
  nest n;
  tl_reg r;
  if (!moves(op)) return false;
  for (uint32_t i = 2; i < op->n_operands; i++)
    if (!loop_reg_of(op->operands[i]->type.dtype, &r)) return false;
  plan_ensure(p, x);
  if (!nest_begin(&n, p, y.rank, y.rank, update->type.dims)) return p->error != NULL;
  const nest_map m = nest_identity(0, y.rank);
  uint16_t value = nest_value(&n, update, &m), at = nest_starts(&n, op, 2, y, update->type.dims);
  if (n.failed || p->error) return nest_finish(&n, op, "");
  const plan_view from = plan_operand(p, x);
  bool alone = !reads(&n, from);
  if (!alone && plan_may_overwrite(p, op, &from, &alone, 1, 0)) {
    nest_drop(&n);
    const plan_view made = apart(p, op, update, from);
    if (p->error || !nest_begin(&n, p, y.rank, y.rank, update->type.dims)) return p->error != NULL;
    value = nest_load_view(&n, made, update->type, &m);
    at = nest_starts(&n, op, 2, y, update->type.dims);
    if (n.failed || p->error) return nest_finish(&n, op, "");
    alone = !reads(&n, from);
  }
  plan_view out = from;
  if (alone && plan_may_overwrite(p, op, &from, &alone, 1, 0))
    plan_bind(p, op->results[0], from);
  else
    out = plan_result(p, op->results[0]);
  if (!p->error && out.buf != from.buf) plan_copy(p, from, out);
  nest_store(&n, out, y, &m, at, value);
  return nest_finish(&n, op, "dynamic_update_slice");
}
