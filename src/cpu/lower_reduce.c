// reduce as a nest: a sum in 16 lanes, or a fold of the region's program. The order is that of
// ref/reduce.c, and so is where bf16 and f16 round: once at the end when the region is a single op,
// at each op of any other. A sum of complex numbers is two sums, of the parts, and a nest for each.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "ref/eval.h"

enum { MAX_STATES = 8 };

static bool is_float(tl_dtype d) { return tl_dtype_get(d)->kind == TL_KIND_FLOAT; }

// What decides how a region over n states folds.
static bool region_folds(const tl_op *op, uint32_t n, tl_opcode *single) {
  const tl_block *b = op->regions[0];
  if (n == 0 || n > MAX_STATES || b->n_args != 2 * n || !nest_knows_region(b)) return false;
  for (uint32_t i = 0; i < n; i++) {
    const tl_dtype d = op->results[i]->type.dtype;
    if (!nest_computes(d) || op->operands[i]->type.dtype != d ||
        op->operands[n + i]->type.dtype != d || b->args[i]->type.dtype != d ||
        b->args[n + i]->type.dtype != d)
      return false;
    if (b->last->operands[i]->type.dtype != d) return false;
  }
  *single = TL_OP_COUNT;
  if (n == 1 && tl_ref_region_kind(b, single) != TL_REGION_OP) *single = TL_OP_COUNT;
  return b->last->n_operands == n;
}

bool nest_reduces(const tl_op *op) {
  tl_opcode single;
  return op->n_operands == 2 * op->n_results && region_folds(op, op->n_results, &single);
}

bool nest_reduces_one(const tl_op *op) {
  tl_opcode single;
  const tl_i64s dims = tl_op_list(op, TL_A_REDUCE_dimensions);
  if (op->n_results != 1 || !nest_reduces(op) || !region_folds(op, 1, &single)) return false;
  for (size_t i = 0; i < dims.len; i++)
    if (op->operands[0]->type.dims[dims.ptr[i]] != 1) return false;
  return single == TL_OP_AND || single == TL_OP_OR || single == TL_OP_XOR;
}

static bool any_order(tl_opcode op, tl_dtype d) {
  switch (op) {
  case TL_OP_MAXIMUM:
  case TL_OP_MINIMUM:
    return !nest_is_complex(d);
  case TL_OP_ADD:
  case TL_OP_MULTIPLY:
    return !is_float(d) && !nest_is_complex(d);
  case TL_OP_AND:
  case TL_OP_OR:
  case TL_OP_XOR:
    return true;
  default:
    return false;
  }
}

// The sum of a term in 16 lanes, and `init` before it.
static uint16_t sum_of(nest *n, tl_dtype d, uint16_t term, uint16_t init) {
  loop_nest *l = n->loop;
  tl_reg r;
  if (n->failed || n->p->error || !loop_reg_of(d, &r)) return LOOP_NONE;
  l->reduce = LOOP_SUM;
  l->term[0] = term;
  n->section = LOOP_TAIL;
  return nest_round(n, d,
                    nest_scalar(n, TL_SCALAR_ADD, r, r, init, nest_result(n, r, 0), LOOP_NONE));
}

// The reduction of terms [n] by op's region from init [n], given the nest in its body's section;
// stores results at `to`.
bool nest_reduction(nest *n, const tl_op *op, const uint16_t *term, const uint16_t *init,
                    const nest_map *to) {
  const uint32_t n_states = op->n_results;
  loop_nest *l = n->loop;
  tl_opcode single;
  if (n->failed || n->p->error || !region_folds(op, n_states, &single)) return false;
  const tl_dtype d = op->results[0]->type.dtype;
  uint16_t y[MAX_STATES], next[MAX_STATES];
  if (op->code == TL_OP_REDUCE && single == TL_OP_ADD && is_float(d)) {
    y[0] = sum_of(n, d, term[0], init[0]);
  } else {
    uint32_t at = 0;
    l->reduce = LOOP_FOLD;
    n->section = LOOP_COMBINE;
    uint16_t args[2 * MAX_STATES];
    for (uint32_t i = 0; i < n_states; i++) {
      args[i] = nest_fold_state(n, init[i], &at);
      args[n_states + i] = term[i];
    }
    l->n_states = at;
    if (single != TL_OP_COUNT) {
      next[0] = nest_op(n, op->regions[0]->first, args, true);
      l->free_order = any_order(single, d);
    } else if (!nest_region(n, op->regions[0], args, next, n_states)) {
      return false;
    }
    at = 0;
    for (uint32_t i = 0; i < n_states; i++)
      nest_fold_next(n, next[i], &at);
    n->section = LOOP_TAIL;
    at = 0;
    for (uint32_t i = 0; i < n_states && !n->failed; i++) {
      y[i] = nest_fold_result(n, init[i], &at);
      if (single != TL_OP_COUNT) y[i] = nest_round(n, d, y[i]);
    }
  }
  for (uint32_t i = 0; i < n_states && !n->failed; i++)
    nest_store(n, plan_result(n->p, op->results[i]), op->results[i]->type, to, LOOP_NONE, y[i]);
  return !n->failed;
}

// which: of a sum of complex numbers the part; -1: no such sum.
static bool reduce(planner *p, const tl_op *op, int which) {
  const tl_i64s dims = tl_op_list(op, TL_A_REDUCE_dimensions);
  const tl_type x = op->operands[0]->type;
  const uint32_t n_states = op->n_results;
  int64_t extent[LOOP_MAX_DIMS];
  uint32_t order[TL_MAX_RANK], n_kept = 0, at = 0;
  for (int reduced = 0; reduced < 2; reduced++) {
    for (uint32_t d = 0; d < x.rank; d++) {
      bool is_reduced = false;
      for (size_t i = 0; i < dims.len; i++)
        is_reduced |= dims.ptr[i] == d;
      if (is_reduced != (bool)reduced) continue;
      extent[at] = x.dims[d];
      order[d] = at++;
    }
    if (!reduced) n_kept = at;
  }
  nest n;
  if (!nest_begin(&n, p, x.rank, n_kept, extent)) return p->error != NULL;
  n.section = LOOP_BODY; // of no reduced dims too: one term
  nest_map m = {0};
  for (uint32_t d = 0; d < x.rank; d++)
    m.coef[d][order[d]] = 1;
  const nest_map none = {0}, to = nest_identity(0, n_kept);
  uint16_t term[MAX_STATES], init[MAX_STATES];
  for (uint32_t i = 0; i < n_states; i++) {
    term[i] = nest_value(&n, op->operands[i], &m);
    init[i] = nest_value(&n, op->operands[n_states + i], &none);
  }
  n.n_ops++;
  if (which >= 0) {
    const tl_type y = op->results[0]->type;
    const uint16_t sum = sum_of(&n, nest_part_dtype(y.dtype), nest_part(&n, term[0], which),
                                nest_part(&n, init[0], which));
    if (which == 0) plan_result(p, op->results[0]);
    nest_store_part(&n, plan_operand(p, op->results[0]), y, &to, sum, which);
  } else if (!nest_reduction(&n, op, term, init, &to)) {
    n.failed = true;
  }
  return nest_finish(&n, op, "reduce");
}

bool lower_reduce(planner *p, const tl_op *op) {
  tl_opcode single;
  if (!nest_reduces(op)) return false;
  if (!nest_is_complex(op->results[0]->type.dtype) || !region_folds(op, op->n_results, &single) ||
      single != TL_OP_ADD)
    return reduce(p, op, -1);
  return reduce(p, op, 0) && (p->error || reduce(p, op, 1));
}
