// dot_general and convolution as nests, for what the matrix kernels do not take: integers, odd
// layouts, empty contractions. Operands are computed in the result's registers, terms are added in
// the order of a dot, and the result is rounded once.
//
// And dot_general of complex numbers, as a product of real matrices (ref/dot.c): the lhs as it
// lies, [M, 2K], by the rhs as [2K, 2N], whose two rows for each k are (re, im) and (-im, re) of
// each column, is the result as it lies.
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
  if (fuse_small_dot(op)) return lower_each(p, op);
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

// The dims of an operand: batch, free, contracted.
typedef struct dot_dims {
  int64_t dims[TL_MAX_RANK];
  uint32_t n, n_batch, n_free;
} dot_dims;

static dot_dims dims_of(tl_type t, tl_i64s batch, tl_i64s contract) {
  dot_dims o = {.n_batch = (uint32_t)batch.len};
  for (size_t i = 0; i < batch.len; i++)
    o.dims[o.n++] = batch.ptr[i];
  for (uint32_t d = 0; d < t.rank; d++)
    if (!nest_listed(batch, d) && !nest_listed(contract, d)) o.dims[o.n++] = d, o.n_free++;
  for (size_t i = 0; i < contract.len; i++)
    o.dims[o.n++] = contract.ptr[i];
  return o;
}

static size_t count_of(tl_type t, const int64_t *dims, size_t n) {
  size_t count = 1;
  for (size_t i = 0; i < n; i++)
    count *= (size_t)t.dims[dims[i]];
  return count;
}

// The lhs as [batch, free, contracted] of d, copied where it lies otherwise.
static plan_view rows_of(planner *p, const tl_op *op, const dot_dims *o, tl_dtype d) {
  const tl_value v = op->operands[0];
  int64_t extent[TL_MAX_RANK];
  nest_map m = {0};
  bool as_it_is = v->type.dtype == d;
  for (uint32_t k = 0; k < o->n; k++) {
    extent[k] = v->type.dims[o->dims[k]];
    m.coef[o->dims[k]][k] = 1;
    as_it_is &= o->dims[k] == k || extent[k] == 1;
  }
  if (as_it_is) return plan_operand(p, v);
  const tl_type type = tl_type_of(p->exe->arena, d, extent, o->n);
  nest n;
  if (o->n > 0 && !type.dims) plan_fail(p, TL_OOM());
  if (p->error || !nest_begin(&n, p, o->n, o->n, extent)) return (plan_view){0};
  const plan_view out = plan_temp(p, type);
  const nest_map all = nest_identity(0, o->n);
  nest_store(&n, out, type, &all, LOOP_NONE,
             nest_convert(&n, v->type.dtype, d, nest_load(&n, v, &m, LOOP_NONE)));
  if (!nest_finish(&n, op, "rows")) plan_fail(p, TL_ERROR(INTERNAL, "dot: no rows"));
  return out;
}

void nest_store_planes(nest *n, plan_view out, tl_type type, nest_map m, uint32_t plane,
                       uint16_t x) {
  for (int k = 0; k < 2; k++) {
    m.offset[plane] = k;
    nest_store(n, out, type, &m, LOOP_NONE, nest_part(n, x, k));
  }
}

// The rhs as [batch, contracted, 2, free] of d's parts.
static plan_view columns_of(planner *p, const tl_op *op, const dot_dims *o, tl_dtype d) {
  const tl_value v = op->operands[1];
  const uint32_t plane = o->n - o->n_free; // the result's dims up to it
  int64_t extent[TL_MAX_RANK], dims[TL_MAX_RANK];
  nest_map m = {0}, to = {0};
  dims[plane] = 2;
  for (uint32_t k = 0; k < o->n; k++) {
    const uint32_t n_contract = plane - o->n_batch,
                   from = k < o->n_batch ? k
                          : k < plane    ? k + o->n_free
                                         : k - n_contract,
                   at = k < plane ? k : k + 1;
    extent[k] = dims[at] = v->type.dims[o->dims[from]];
    m.coef[o->dims[from]][k] = 1;
    to.coef[at][k] = 1;
  }
  const tl_type type = tl_type_of(p->exe->arena, nest_part_dtype(d), dims, o->n + 1);
  nest n;
  if (!type.dims) plan_fail(p, TL_OOM());
  if (p->error || !nest_begin(&n, p, o->n, o->n, extent)) return (plan_view){0};
  const plan_view out = plan_temp(p, type);
  nest_store_planes(&n, out, type, to, plane,
                    nest_convert(&n, v->type.dtype, d, nest_load(&n, v, &m, LOOP_NONE)));
  if (!nest_finish(&n, op, "columns")) plan_fail(p, TL_ERROR(INTERNAL, "dot: no columns"));
  return out;
}

bool lower_dot_complex(planner *p, const tl_op *op) {
  const tl_type a = op->operands[0]->type, b = op->operands[1]->type, y = op->results[0]->type;
  const tl_i64s ac = tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions);
  const dot_dims l = dims_of(a, tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions), ac),
                 r = dims_of(b, tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
                             tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions));
  if (b.rank + 1 > TL_MAX_RANK || !nest_computes(a.dtype) || !nest_computes(b.dtype)) return false;
  if (type_count(y) == 0) return plan_nothing(p, op);
  if (type_count(a) == 0) { // sums of nothing
    nest n;
    const nest_map m = nest_identity(0, y.rank);
    if (!nest_begin(&n, p, y.rank, y.rank, y.dims)) return p->error != NULL;
    nest_store(&n, plan_result(p, op->results[0]), y, &m, LOOP_NONE, nest_zero(&n, y.dtype));
    return nest_finish(&n, op, "dot_general");
  }
  const size_t M = count_of(a, l.dims + l.n_batch, l.n_free),
               N = count_of(b, r.dims + r.n_batch, r.n_free), K = count_of(a, ac.ptr, ac.len);
  const product d = {
      .wide = y.dtype == TL_DTYPE_C128,
      .complex = true,
      .batches = count_of(a, l.dims, l.n_batch),
      .a_batch = M * K,
      .b_batch = K * N * 2,
      .gemm = {
          .a_m = K, .a_k = 1, .b_k = 2 * N, .b_n = 1, .c_m = N, .c_n = 1, .M = M, .N = N, .K = K}};
  const plan_view rows = rows_of(p, op, &l, y.dtype), columns = columns_of(p, op, &r, y.dtype);
  if (!p->error) plan_product(p, op, &d, rows, columns, plan_result(p, op->results[0]));
  return true;
}
