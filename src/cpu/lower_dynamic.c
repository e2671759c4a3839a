// Ops whose shapes are operands. The plan is static, so their results have types of numbers, and
// what the operands may still say is where a slice begins, or how far apart its elements lie, or
// how much padding goes in front. Where they are constants, and where they only repeat the result's
// shape, the static op (ir/dynamic.h) is planned; the others are nests with offsets found at run
// time.
//
// Operands that are no constants are looked at when the program runs, by a step of its own: where
// they make no op, or one of another result, the program ends with the interpreter's error. What
// runs until then reads inside its operands whatever they hold: every offset is clamped.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/window.h"
#include "ir/dynamic.h"
#include "ref/eval.h"

enum { MAX_SHAPES = 4 };

// --- the check ---

static void run_check(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  if (plan_has_failed(x)) return;
  tl_arena *a = x->exe->interpreter;
  tl_arena_point mark = tl_arena_mark(a);
  const tl_op *op = s->op, *planned = s->params;
  uint32_t first = 0, n = 0;
  tl_dynamic_shapes(op->code, &first, &n);
  tl_op fixed;
  tl_tensor *in = TL_NEW(a, tl_tensor, op->n_operands + 1);
  tl_status st = in ? TL_OK : TL_OOM();
  for (uint32_t i = 0; !st && i < op->n_operands; i++)
    in[i] = (tl_tensor){op->operands[i]->type, i < first ? NULL : step_in(s, x, i - first)};
  if (!st) st = tl_ref_fix_dynamic(a, op, in, &fixed);
  if (!st && op->code == TL_OP_DYNAMIC_GATHER) {
    const tl_i64s got = tl_op_list(&fixed, TL_A_GATHER_slice_sizes),
                  want = tl_op_list(planned, TL_A_GATHER_slice_sizes);
    for (size_t i = 0; i < want.len && !st; i++)
      if (got.ptr[i] != want.ptr[i])
        st =
            TL_ERROR(UNIMPLEMENTED,
                     "dynamic_gather: slices of %lld elements along dim %zu, which the result does "
                     "not have; wanted %lld",
                     (long long)got.ptr[i], i, (long long)want.ptr[i]);
  }
  tl_arena_rewind(a, mark);
  plan_step_ends(s, x, st);
}

// planned: the static op that runs, where its attributes are guesses; or NULL.
static void plan_check(planner *p, const tl_op *op, const tl_op *planned) {
  uint32_t first = 0, n = 0;
  tl_dynamic_shapes(op->code, &first, &n);
  plan_view *v = plan_views(p, n);
  for (uint32_t i = 0; !p->error && i < n; i++)
    v[i] = plan_operand(p, op->operands[first + i]);
  if (p->error) return;
  plan_step *s = plan_add_step(p, op, "check shapes", run_check);
  if (!s) return;
  s->in = v, s->n_in = n;
  s->params = planned;
}

// --- the static op ---

// The numbers of a constant; false where v is none.
static bool constant_of(planner *p, tl_value v, tl_i64s *out) {
  size_t n = type_count(v->type);
  if (!v->op || v->op->code != TL_OP_CONSTANT) return false;
  const tl_literal *lit = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  int64_t *list = plan_alloc(p, (n + 1) * sizeof *list, _Alignof(int64_t));
  if (!list ||
      !tl_dynamic_ints(lit->type.dtype, lit->data, lit->splat ? TL_MIN(n, (size_t)1) : n, list))
    return false;
  for (size_t i = 1; lit->splat && i < n; i++)
    list[i] = list[0];
  *out = (tl_i64s){list, n};
  return true;
}

// Plans the static op that `values` make; false where they make none.
static bool plan_fixed(planner *p, const tl_op *op, const tl_i64s *values, bool check) {
  tl_op *fixed = plan_alloc(p, sizeof *fixed, _Alignof(tl_op));
  tl_type type;
  if (!fixed) return true;
  tl_status st = tl_dynamic_fix(p->exe->arena, op, values, fixed, &type);
  if (st) {
    tl_status_drop(st); // the interpreter says it when the program runs
    return false;
  }
  if (check) plan_check(p, op, fixed);
  if (!p->error) plan_op(p, fixed);
  return true;
}

// The slice sizes that dynamic_gather's result says: collapsed and batching dims have 1.
static void slice_sizes(const tl_op *op, int64_t *out) {
  const tl_type x = op->operands[0]->type, y = op->results[0]->type;
  const tl_i64s offset_dims = tl_op_list(op, TL_A_DYNAMIC_GATHER_offset_dims),
                collapsed = tl_op_list(op, TL_A_DYNAMIC_GATHER_collapsed_slice_dims),
                batching = tl_op_list(op, TL_A_DYNAMIC_GATHER_operand_batching_dims);
  for (uint32_t d = 0, w = 0; d < x.rank; d++)
    out[d] = nest_listed(collapsed, d) || nest_listed(batching, d) || w >= offset_dims.len
                 ? 1
                 : y.dims[offset_dims.ptr[w++]];
}

// --- offsets at run time ---

static uint16_t s64(nest *n, tl_scalar op, uint16_t a, uint16_t b) {
  return nest_scalar(n, op, TL_REG_S64, TL_REG_S64, a, b, LOOP_NONE);
}
static uint16_t test(nest *n, tl_scalar op, uint16_t a, uint16_t b) {
  return nest_scalar(n, op, TL_REG_I1, TL_REG_S64, a, b, LOOP_NONE);
}
static uint16_t between(nest *n, uint16_t x, int64_t low, int64_t high) {
  return s64(n, TL_SCALAR_MAX, s64(n, TL_SCALAR_MIN, x, nest_s64(n, high)), nest_s64(n, low));
}
static uint16_t index_along(nest *n, uint32_t d) {
  loop_map m = {0};
  m.stride[d] = 1;
  return nest_index(n, &m);
}

uint16_t nest_number_at(nest *n, tl_value v, uint32_t at) {
  nest_map m = {0};
  const uint32_t last = v->type.rank - 1;
  if (last > 0) m.offset[0] = at / v->type.dims[last];
  m.offset[last] = at % v->type.dims[last];
  return nest_index_s64(n, nest_load(n, v, &m, LOOP_NONE));
}

uint16_t nest_padded(nest *n, tl_value v, const uint16_t *low, const uint16_t *step,
                     uint16_t fill) {
  const tl_type x = v->type;
  int64_t strides[TL_MAX_RANK];
  const nest_map none = {0};
  const uint16_t zero = nest_s64(n, 0);
  uint16_t place = zero, inside = nest_const(n, TL_REG_I1, 1);
  nest_strides(x, strides);
  for (uint32_t d = 0; d < x.rank && !n->failed; d++) {
    uint16_t at = index_along(n, d);
    if (low[d] != LOOP_NONE) at = s64(n, TL_SCALAR_SUB, at, low[d]);
    uint16_t good = test(n, TL_SCALAR_GE, at, zero);
    if (step[d] != LOOP_NONE) {
      const uint16_t between_two = s64(n, TL_SCALAR_REM, at, step[d]);
      good = nest_scalar(n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, good,
                         test(n, TL_SCALAR_EQ, between_two, zero), LOOP_NONE);
      at = s64(n, TL_SCALAR_DIV, at, step[d]);
    }
    good = nest_scalar(n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, good,
                       test(n, TL_SCALAR_LT, at, nest_s64(n, x.dims[d])), LOOP_NONE);
    inside = nest_scalar(n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, inside, good, LOOP_NONE);
    at = between(n, at, 0, x.dims[d] - 1);
    place = s64(n, TL_SCALAR_ADD, place, s64(n, TL_SCALAR_MUL, at, nest_s64(n, strides[d])));
  }
  return nest_select(n, inside, nest_load(n, v, &none, place), fill);
}

static bool dynamic_pad(planner *p, const tl_op *op) {
  const tl_value x = op->operands[0];
  const tl_type y = op->results[0]->type;
  const nest_map none = {0}, all = nest_identity(0, y.rank);
  uint16_t low[TL_MAX_RANK], step[TL_MAX_RANK];
  tl_i64s interior;
  nest n;
  bool dense = constant_of(p, op->operands[4], &interior);
  for (size_t d = 0; dense && d < interior.len; d++)
    dense = interior.ptr[d] == 0;
  if (!nest_moves(y.dtype) || !nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  const uint16_t fill = nest_load(&n, op->operands[1], &none, LOOP_NONE);
  for (uint32_t d = 0; d < y.rank; d++) {
    low[d] = nest_number_at(&n, op->operands[2], d);
    step[d] = dense
                  ? LOOP_NONE
                  : s64(&n, TL_SCALAR_ADD, nest_number_at(&n, op->operands[4], d), nest_s64(&n, 1));
  }
  const uint16_t value = type_count(x->type) ? nest_padded(&n, x, low, step, fill) : fill;
  nest_store(&n, plan_result(p, op->results[0]), y, &all, LOOP_NONE, value);
  return nest_finish(&n, op, "dynamic_pad");
}

// Steps that are constants are strides of a map; others are multiplied in the nest.
static bool dynamic_slice(planner *p, const tl_op *op) {
  const tl_value x = op->operands[0];
  const tl_type y = op->results[0]->type;
  const nest_map all = nest_identity(0, y.rank);
  int64_t strides[TL_MAX_RANK];
  nest_map from = {0};
  tl_i64s steps;
  nest n;
  const bool known = constant_of(p, op->operands[3], &steps);
  for (uint32_t d = 0; d < y.rank; d++) {
    int64_t reach;
    if (x->type.dims[d] == 0) return false; // nothing to take elements from
    if (known && (steps.ptr[d] < 1 || !TL_MUL_OK(y.dims[d] - 1, steps.ptr[d], &reach) ||
                  reach >= x->type.dims[d]))
      return false;
  }
  if (!nest_moves(y.dtype) || !nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
  uint16_t place = LOOP_NONE;
  nest_strides(x->type, strides);
  for (uint32_t d = 0; d < y.rank; d++) {
    uint16_t at = nest_number_at(&n, op->operands[1], d);
    const int64_t last = x->type.dims[d] - 1;
    if (known) {
      at = between(&n, at, 0, last - (y.dims[d] - 1) * steps.ptr[d]);
      from.coef[d][d] = steps.ptr[d];
    } else {
      const uint16_t step = nest_number_at(&n, op->operands[3], d);
      at = s64(&n, TL_SCALAR_ADD, at, s64(&n, TL_SCALAR_MUL, index_along(&n, d), step));
      at = between(&n, at, 0, last);
    }
    at = s64(&n, TL_SCALAR_MUL, at, nest_s64(&n, strides[d]));
    place = place == LOOP_NONE ? at : s64(&n, TL_SCALAR_ADD, place, at);
  }
  const uint16_t value = nest_load(&n, x, &from, place);
  nest_store(&n, plan_result(p, op->results[0]), y, &all, LOOP_NONE, value);
  return nest_finish(&n, op, "real_dynamic_slice");
}

// --- the rows ---

bool lower_dynamic(planner *p, const tl_op *op) {
  const tl_type y = op->results[0]->type;
  uint32_t first, n;
  tl_i64s values[MAX_SHAPES];
  int64_t sizes[TL_MAX_RANK];
  if (!tl_dynamic_shapes(op->code, &first, &n) || n > MAX_SHAPES) return false;
  bool known = true;
  for (uint32_t i = 0; i < n && known; i++)
    known = constant_of(p, op->operands[first + i], &values[i]);
  if (p->error) return true;
  if (known) return plan_fixed(p, op, values, false);
  switch (op->code) {
  case TL_OP_DYNAMIC_PAD:
  case TL_OP_REAL_DYNAMIC_SLICE:
  case TL_OP_DYNAMIC_CONV:
    if (op->code != TL_OP_DYNAMIC_CONV && y.rank == 0) { // operands of no elements
      for (uint32_t i = 0; i < n; i++)
        values[i] = (tl_i64s){sizes, 0};
      return plan_fixed(p, op, values, true);
    }
    plan_check(p, op, NULL);
    if (p->error) return true;
    if (type_count(y) == 0) return plan_nothing(p, op);
    return op->code == TL_OP_DYNAMIC_PAD          ? dynamic_pad(p, op)
           : op->code == TL_OP_REAL_DYNAMIC_SLICE ? dynamic_slice(p, op)
                                                  : plan_dynamic_conv(p, op);
  case TL_OP_SET_DIMENSION_SIZE:
    values[0] = (tl_i64s){&y.dims[tl_op_i64(op, TL_A_SET_DIMENSION_SIZE_dimension)], 1};
    break;
  case TL_OP_DYNAMIC_GATHER:
    slice_sizes(op, sizes);
    values[0] = (tl_i64s){sizes, op->operands[0]->type.rank};
    break;
  default: // the shape of the result
    values[0] = (tl_i64s){y.dims, y.rank};
  }
  return plan_fixed(p, op, values, true);
}

bool lower_get_dimension_size(planner *p, const tl_op *op) {
  const int64_t size = op->operands[0]->type.dims[tl_op_i64(op, TL_A_GET_DIMENSION_SIZE_dimension)];
  if (size > INT32_MAX) return false; // the interpreter refuses it
  int32_t *kept = plan_alloc(p, sizeof *kept, 64);
  if (!kept) return true;
  *kept = (int32_t)size;
  plan_bind(p, op->results[0], plan_const(p, kept, sizeof *kept));
  return true;
}
