// reduce as a nest: a sum in 16 lanes, or a fold of the region's program. The order is that of
// ref/reduce.c, and so is where bf16 and f16 round: once at the end when the region is a single op,
// at each op of any other. A sum of complex numbers is two sums, of the parts, and a nest for each.
//
// A sum of several blocks (ref/sums.h) is a nest whose results are the blocks' sums, and one that
// adds them up; so threads share even a sum over everything. Blocks that are shorter, at the end of
// the dim that is cut, have a nest of their own. Few folds of many elements, whose order is free or
// that are associative (fold_choice.h), go the same way.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/fold_choice.h"
#include "cpu/nest.h"
#include "ref/eval.h"
#include "ref/sums.h"

enum {
  MAX_STATES = 8,
  FEW_FOLDS = 64, // results of a fold that is cut
  CHOICES = 4080, // elements of a block of a fold that chooses: blocks go side by side, and lie
                  // where they do not share a cache's sets
};

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

bool nest_folds_by(const tl_op *op, tl_opcode *out) {
  return op->n_results == 1 && nest_reduces(op) && region_folds(op, 1, out) && *out != TL_OP_COUNT;
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

// The sum of a term in 16 lanes, in a register.
static uint16_t lanes_of(nest *n, tl_reg r, uint16_t term) {
  n->loop->reduce = LOOP_SUM;
  n->loop->term[0] = term;
  n->section = LOOP_TAIL;
  return nest_result(n, r, 0);
}

// And `init` before it.
static uint16_t sum_of(nest *n, tl_dtype d, uint16_t term, uint16_t init) {
  tl_reg r;
  if (n->failed || n->p->error || !loop_reg_of(d, &r)) return LOOP_NONE;
  const uint16_t sum = lanes_of(n, r, term);
  return nest_round(n, d, nest_scalar(n, TL_SCALAR_ADD, r, r, init, sum, LOOP_NONE));
}

// init plus the terms, in order: the sums of blocks.
static uint16_t total_of(nest *n, tl_dtype d, uint16_t term, uint16_t init) {
  uint32_t begin = 0, next = 0, end = 0;
  tl_reg r;
  if (n->failed || n->p->error || !loop_reg_of(d, &r)) return LOOP_NONE;
  n->loop->reduce = LOOP_FOLD;
  n->section = LOOP_COMBINE;
  const uint16_t so_far = nest_fold_state(n, init, &begin);
  n->loop->n_states = begin;
  nest_fold_next(n, nest_scalar(n, TL_SCALAR_ADD, r, r, so_far, term, LOOP_NONE), &next);
  n->section = LOOP_TAIL;
  return nest_round(n, d, nest_fold_result(n, init, &end));
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

// The dims of an op's operand: the kept and the reduced ones, each outermost first.
typedef struct reduced_dims {
  uint32_t kept[TL_MAX_RANK], reduced[TL_MAX_RANK], n_kept, n_reduced;
  int64_t extent[TL_MAX_RANK]; // of the reduced ones
} reduced_dims;

static reduced_dims dims_of(const tl_op *op) {
  const tl_i64s dims = tl_op_list(op, TL_A_REDUCE_dimensions);
  const tl_type x = op->operands[0]->type;
  reduced_dims r = {0};
  for (uint32_t d = 0; d < x.rank; d++)
    if (nest_listed(dims, d))
      r.extent[r.n_reduced] = x.dims[d], r.reduced[r.n_reduced++] = d;
    else
      r.kept[r.n_kept++] = d;
  return r;
}

// --- in one nest ---

// which: of a sum of complex numbers the part; -1: no such sum.
static bool whole(planner *p, const tl_op *op, const reduced_dims *r, int which) {
  const tl_type x = op->operands[0]->type;
  const uint32_t n_states = op->n_results;
  int64_t extent[LOOP_MAX_DIMS];
  nest_map m = {0};
  uint32_t at = 0;
  for (uint32_t i = 0; i < r->n_kept; i++, at++)
    extent[at] = x.dims[r->kept[i]], m.coef[r->kept[i]][at] = 1;
  for (uint32_t i = 0; i < r->n_reduced; i++, at++)
    extent[at] = r->extent[i], m.coef[r->reduced[i]][at] = 1;
  nest n;
  if (!nest_begin(&n, p, x.rank, r->n_kept, extent)) return p->error != NULL;
  n.section = LOOP_BODY; // of no reduced dims too: one term
  const nest_map none = {0}, to = nest_identity(0, r->n_kept);
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

// --- in blocks ---

// The blocks' results, [the reduced dims outside of the one that is cut, its blocks, kept dims].
typedef struct blocks {
  const tl_op *op;
  const reduced_dims *dims;
  tl_sum_cut cut;
  int which;
  bool sums;    // else a fold of free order, or:
  bool chooses; // of any number of states
  uint32_t n;   // states
  plan_view view[MAX_STATES];
  tl_type type[MAX_STATES];
} blocks;

// What a block of a fold starts with, so that the start of the whole counts once.
static uint16_t neutral(nest *n, tl_opcode op, tl_dtype d, uint16_t init) {
  tl_reg r;
  if (n->failed || !loop_reg_of(d, &r)) return LOOP_NONE;
  return op == TL_OP_ADD || op == TL_OP_XOR ? nest_const(n, r, 0)
         : op == TL_OP_MULTIPLY             ? nest_const(n, r, 1)
                                            : init;
}

// `many` blocks of `step` indices of the dim that is cut, from block `first` on.
static bool some_blocks(planner *p, const blocks *b, int64_t first, int64_t many, int64_t step) {
  const tl_op *op = b->op;
  const reduced_dims *r = b->dims;
  const tl_type x = op->operands[0]->type;
  const uint32_t cut = r->reduced[b->cut.dim], n_kept = b->type[0].rank;
  int64_t extent[LOOP_MAX_DIMS];
  nest_map m = {0}, to = nest_identity(0, n_kept);
  const nest_map none = {0};
  uint32_t at = 0;
  for (uint32_t i = 0; i < b->cut.dim; i++, at++)
    extent[at] = r->extent[i], m.coef[r->reduced[i]][at] = 1;
  to.offset[at] = first;
  m.offset[cut] = first * b->cut.step;
  extent[at] = many, m.coef[cut][at++] = b->cut.step;
  for (uint32_t i = 0; i < r->n_kept; i++, at++)
    extent[at] = x.dims[r->kept[i]], m.coef[r->kept[i]][at] = 1;
  extent[at] = step, m.coef[cut][at++] = 1;
  for (uint32_t i = b->cut.dim + 1; i < r->n_reduced; i++, at++)
    extent[at] = r->extent[i], m.coef[r->reduced[i]][at] = 1;
  nest n;
  if (!nest_begin(&n, p, at, n_kept, extent)) return p->error != NULL;
  n.section = LOOP_BODY;
  uint16_t args[2 * MAX_STATES], result[MAX_STATES] = {LOOP_NONE};
  uint16_t *term = args + b->n;
  for (uint32_t i = 0; i < b->n; i++)
    term[i] = nest_value(&n, op->operands[i], &m);
  if (b->which >= 0) term[0] = nest_part(&n, term[0], b->which);
  n.n_ops++;
  tl_reg reg;
  if (n.failed || p->error || !loop_reg_of(b->type[0].dtype, &reg)) {
    n.failed = true;
  } else if (b->sums) {
    result[0] = lanes_of(&n, reg, term[0]);
  } else {
    const tl_op *fold = op->regions[0]->first;
    uint32_t begin = 0, next = 0, end = 0;
    uint16_t init[MAX_STATES], y[MAX_STATES];
    for (uint32_t i = 0; i < b->n; i++) {
      init[i] = nest_value(&n, op->operands[b->n + i], &none);
      if (!b->chooses) init[i] = neutral(&n, fold->code, b->type[i].dtype, init[i]);
    }
    n.loop->reduce = LOOP_FOLD;
    n.loop->free_order = !b->chooses;
    n.section = LOOP_COMBINE;
    for (uint32_t i = 0; i < b->n; i++)
      args[i] = nest_fold_state(&n, init[i], &begin);
    n.loop->n_states = begin;
    if (!b->chooses)
      y[0] = nest_op(&n, fold, args, true);
    else if (!nest_region(&n, op->regions[0], args, y, b->n))
      n.failed = true;
    for (uint32_t i = 0; i < b->n && !n.failed; i++)
      nest_fold_next(&n, y[i], &next);
    n.section = LOOP_TAIL;
    for (uint32_t i = 0; i < b->n && !n.failed; i++)
      result[i] = nest_fold_result(&n, init[i], &end);
  }
  for (uint32_t i = 0; i < b->n && !n.failed; i++)
    nest_store(&n, b->view[i], b->type[i], &to, LOOP_NONE, result[i]);
  return nest_finish(&n, op, "blocks");
}

static bool in_blocks(planner *p, const tl_op *op, const reduced_dims *r, const tl_sum_cut *cut,
                      int which, bool chooses) {
  const tl_type y = op->results[0]->type;
  const int64_t along = r->extent[cut->dim], full = along / cut->step, rest = along % cut->step;
  const tl_dtype d = nest_part_dtype(y.dtype);
  blocks b = {.op = op,
              .dims = r,
              .cut = *cut,
              .which = which,
              .sums = !chooses && is_float(d),
              .chooses = chooses,
              .n = op->n_results};
  tl_opcode single;
  tl_reg reg;
  if (!loop_reg_of(d, &reg)) return false;
  if (which < 0 && !chooses)
    b.sums = region_folds(op, 1, &single) && single == TL_OP_ADD && is_float(d);
  int64_t extent[2 * TL_MAX_RANK];
  nest_map from = {0};
  uint32_t n_blocks = 0; // dims of them
  for (uint32_t i = 0; i < cut->dim; i++)
    extent[n_blocks++] = r->extent[i];
  extent[n_blocks++] = full + (rest > 0);
  for (uint32_t i = 0; i < r->n_kept; i++)
    extent[n_blocks + i] = y.dims[i];
  for (uint32_t i = 0; i < b.n; i++) {
    const tl_dtype of = nest_part_dtype(op->results[i]->type.dtype),
                   as = nest_narrow_float(of) ? TL_DTYPE_F32 : of;
    b.type[i] = tl_type_of(p->exe->arena, as, extent, n_blocks + r->n_kept);
    if (!b.type[i].dims) plan_fail(p, TL_OOM());
    if (p->error) return true;
    b.view[i] = plan_temp(p, b.type[i]);
  }
  if (!some_blocks(p, &b, 0, full, cut->step) || p->error) return p->error != NULL;
  if (rest > 0 && (!some_blocks(p, &b, full, 1, rest) || p->error)) return p->error != NULL;
  // Their results, [kept dims] and then the dims of blocks.
  int64_t dims[LOOP_MAX_DIMS];
  for (uint32_t i = 0; i < r->n_kept; i++)
    dims[i] = y.dims[i], from.coef[n_blocks + i][i] = 1;
  for (uint32_t i = 0; i < n_blocks; i++)
    dims[r->n_kept + i] = extent[i], from.coef[i][r->n_kept + i] = 1;
  nest n;
  if (!nest_begin(&n, p, b.type[0].rank, r->n_kept, dims)) return p->error != NULL;
  n.section = LOOP_BODY;
  const nest_map none = {0}, to = nest_identity(0, r->n_kept);
  uint16_t term[MAX_STATES], init[MAX_STATES];
  for (uint32_t i = 0; i < b.n; i++) {
    term[i] = nest_load_view(&n, b.view[i], b.type[i], &from);
    init[i] = nest_value(&n, op->operands[b.n + i], &none);
  }
  if (which >= 0) {
    init[0] = nest_part(&n, init[0], which);
    if (which == 0) plan_result(p, op->results[0]);
    nest_store_part(&n, plan_operand(p, op->results[0]), y, &to, total_of(&n, d, term[0], init[0]),
                    which);
  } else if (b.sums) {
    const uint16_t total = total_of(&n, d, term[0], init[0]);
    if (!n.failed && !p->error)
      nest_store(&n, plan_result(p, op->results[0]), y, &to, LOOP_NONE, total);
  } else if (!nest_reduction(&n, op, term, init, &to)) {
    n.failed = true;
  }
  return nest_finish(&n, op, "reduce");
}

static bool reduce(planner *p, const tl_op *op, int which) {
  const reduced_dims r = dims_of(op);
  const tl_dtype d = op->results[0]->type.dtype;
  const size_t results = type_count(op->results[0]->type);
  tl_sum_cut cut;
  tl_opcode single;
  if (!region_folds(op, op->n_results, &single) || results == 0 ||
      !tl_sum_cut_of(r.extent, r.n_reduced, TL_SUM_BLOCK, &cut))
    return whole(p, op, &r, which);
  if (single == TL_OP_COUNT)
    return results <= FEW_FOLDS && fold_chooses(op) &&
                   tl_sum_cut_of(r.extent, r.n_reduced, CHOICES, &cut)
               ? in_blocks(p, op, &r, &cut, which, true)
               : whole(p, op, &r, which);
  const bool sum = which >= 0 || (single == TL_OP_ADD && is_float(d)),
             few = any_order(single, d) && results <= FEW_FOLDS;
  return sum || few ? in_blocks(p, op, &r, &cut, which, false) : whole(p, op, &r, which);
}

bool lower_reduce(planner *p, const tl_op *op) {
  tl_opcode single;
  if (!nest_reduces(op)) return false;
  if (!nest_is_complex(op->results[0]->type.dtype) || !region_folds(op, op->n_results, &single) ||
      single != TL_OP_ADD)
    return reduce(p, op, -1);
  return reduce(p, op, 0) && (p->error || reduce(p, op, 1));
}
