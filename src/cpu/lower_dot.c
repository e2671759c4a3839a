// dot_general and convolution as nests, for what the matrix kernels do not take: integers, odd
// layouts, empty contractions. Operands are computed in the result's registers, terms are added in
// the order of a dot, and the result is rounded once.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"

// The dtype that sums of d's are made in.
static tl_dtype sums_of(tl_dtype d) {
  tl_reg r;
  return loop_reg_of(d, &r) && r == TL_REG_F32 ? TL_DTYPE_F32 : d;
}

bool nest_dot(nest *n, const tl_op *op, uint16_t a, uint16_t b, const nest_map *to) {
  const tl_type y = op->results[0]->type;
  const tl_dtype sum = sums_of(y.dtype);
  n->loop->reduce = LOOP_DOT;
  n->loop->term[0] = nest_convert(n, op->operands[0]->type.dtype, sum, a);
  n->loop->term[1] = nest_convert(n, op->operands[1]->type.dtype, sum, b);
  n->section = LOOP_TAIL;
  tl_reg r;
  if (n->failed || !loop_reg_of(sum, &r)) return false;
  const uint16_t total = nest_round(n, y.dtype, nest_result(n, r, 0));
  nest_store(n, plan_result(n->p, op->results[0]), y, to, LOOP_NONE, total);
  return !n->failed;
}

static bool in_registers(const tl_op *op) {
  tl_reg r;
  return loop_reg_of(op->operands[0]->type.dtype, &r) &&
         loop_reg_of(op->operands[1]->type.dtype, &r) &&
         loop_reg_of(op->results[0]->type.dtype, &r);
}

// Dims of the nest: those of the result (batch, lhs, rhs), then the contracted ones as listed.
bool lower_dot_loop(planner *p, const tl_op *op) {
  const tl_type a = op->operands[0]->type, b = op->operands[1]->type, y = op->results[0]->type;
  const tl_i64s ab = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
                bb = tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
                ac = tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions),
                bc = tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions);
  int64_t extent[LOOP_MAX_DIMS];
  nest_map ma = {0}, mb = {0};
  if (!in_registers(op)) return false;
  uint32_t at = 0;
  for (size_t i = 0; i < ab.len; i++) {
    extent[at] = a.dims[ab.ptr[i]];
    ma.coef[ab.ptr[i]][at] = 1;
    mb.coef[bb.ptr[i]][at++] = 1;
  }
  for (uint32_t d = 0; d < a.rank; d++)
    if (!nest_listed(ab, d) && !nest_listed(ac, d)) {
      extent[at] = a.dims[d];
      ma.coef[d][at++] = 1;
    }
  for (uint32_t d = 0; d < b.rank; d++)
    if (!nest_listed(bb, d) && !nest_listed(bc, d)) {
      extent[at] = b.dims[d];
      mb.coef[d][at++] = 1;
    }
  const uint32_t n_kept = at;
  for (size_t i = 0; i < ac.len; i++) {
    extent[at] = a.dims[ac.ptr[i]];
    ma.coef[ac.ptr[i]][at] = 1;
    mb.coef[bc.ptr[i]][at++] = 1;
  }
  nest n;
  if (!nest_begin(&n, p, at, n_kept, extent)) return p->error != NULL;
  n.section = LOOP_BODY;
  const nest_map to = nest_identity(0, y.rank);
  const uint16_t x = nest_load(&n, op->operands[0], &ma, LOOP_NONE),
                 w = nest_load(&n, op->operands[1], &mb, LOOP_NONE);
  if (!nest_dot(&n, op, x, w, &to)) n.failed = true;
  return nest_finish(&n, op, "dot_general");
}
