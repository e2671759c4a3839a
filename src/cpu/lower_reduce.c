// reduce as a nest: a sum in 16 lanes, or a fold of the region's program. The order is that of
// ref/reduce.c, and so is where bf16 and f16 round: once at the end when the region is a single op,
// at each op of any other.
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
    tl_reg r;
    if (!loop_reg_of(d, &r) || op->operands[i]->type.dtype != d ||
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

static bool any_order(tl_opcode op, tl_dtype d) {
  switch (op) {
  case TL_OP_MAXIMUM:
  case TL_OP_MINIMUM:
    return true;
  case TL_OP_ADD:
  case TL_OP_MULTIPLY:
    return !is_float(d);
  case TL_OP_AND:
  case TL_OP_OR:
  case TL_OP_XOR:
    return true;
  default:
    return false;
  }
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
  uint16_t y[MAX_STATES];
  if (op->code == TL_OP_REDUCE && single == TL_OP_ADD && is_float(d)) {
    l->reduce = LOOP_SUM;
    l->term[0] = term[0];
    n->section = LOOP_TAIL;
    const tl_reg r = l->insts[term[0]].type;
    y[0] = nest_scalar(n, TL_SCALAR_ADD, r, r, init[0], nest_result(n, r, 0), LOOP_NONE);
    y[0] = nest_round(n, d, y[0]);
  } else {
    l->reduce = LOOP_FOLD;
    l->n_states = n_states;
    n->section = LOOP_COMBINE;
    uint16_t args[2 * MAX_STATES];
    for (uint32_t i = 0; i < n_states; i++) {
      l->init[i] = init[i];
      args[i] = nest_state(n, l->insts[init[i]].type, i);
      args[n_states + i] = term[i];
    }
    if (single != TL_OP_COUNT) {
      l->next[0] = nest_op(n, op->regions[0]->first, args, true);
      l->free_order = any_order(single, d);
    } else if (!nest_region(n, op->regions[0], args, l->next, n_states)) {
      return false;
    }
    n->section = LOOP_TAIL;
    for (uint32_t i = 0; i < n_states && !n->failed; i++) {
      y[i] = nest_result(n, l->insts[init[i]].type, i);
      if (single != TL_OP_COUNT) y[i] = nest_round(n, d, y[i]);
    }
  }
  for (uint32_t i = 0; i < n_states && !n->failed; i++)
    nest_store(n, plan_result(n->p, op->results[i]), op->results[i]->type, to, LOOP_NONE, y[i]);
  return !n->failed;
}

bool lower_reduce(planner *p, const tl_op *op) {
  if (!nest_reduces(op)) return false;
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
  if (!nest_reduction(&n, op, term, init, &to)) n.failed = true;
  return nest_finish(&n, op, "reduce");
}
