// Sums of few terms as expressions: a dot over 3 coordinates, a squared distance. A reduction ends
// a nest, and one of 3 terms costs more in walking than in adding; written out it is an elementwise
// op among others, which fuses with what is around it.
//
// The bits are those of the loop IR's reductions (loop.h). SUM, of up to 4 terms in lanes of their
// own: (x0 + x2) + (x1 + x3), where a lane starts at +0, so that -0 alone becomes +0. DOT: a chain
// of fused multiply-adds from +0, added to +0. FOLD: in order.
#include "cpu/nest.h"

static bool is_float(tl_dtype d) { return tl_dtype_get(d)->kind == TL_KIND_FLOAT; }

static uint32_t terms_of(tl_type t, tl_i64s dims) {
  int64_t count = 1;
  for (size_t i = 0; i < dims.len; i++) {
    const int64_t extent = t.dims[dims.ptr[i]];
    if (extent < 1 || extent > NEST_FEW) return 0;
    count *= extent;
    if (count > NEST_FEW) return 0;
  }
  return (uint32_t)count;
}

uint32_t nest_few_terms(const tl_op *op) {
  tl_opcode single;
  if (op->code == TL_OP_DOT_GENERAL) {
    const tl_type a = op->operands[0]->type;
    const tl_dtype d = op->results[0]->type.dtype;
    if ((d != TL_DTYPE_F32 && d != TL_DTYPE_F64) || a.dtype != d ||
        op->operands[1]->type.dtype != d)
      return 0;
    return terms_of(a, tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions));
  }
  if (op->code != TL_OP_REDUCE || !nest_folds_by(op, &single)) return 0;
  if (nest_is_complex(op->results[0]->type.dtype)) return 0;
  return terms_of(op->operands[0]->type, tl_op_list(op, TL_A_REDUCE_dimensions));
}

// Where the summed dims are at their term k, the last of them the fastest.
static void at_term(nest_map *m, tl_type t, tl_i64s dims, uint32_t k) {
  for (size_t i = dims.len; i-- > 0;) {
    const uint32_t extent = (uint32_t)t.dims[dims.ptr[i]];
    m->offset[dims.ptr[i]] = k % extent;
    k /= extent;
  }
}

static uint16_t add(nest *n, tl_reg r, uint16_t a, uint16_t b) {
  return n->failed ? (uint16_t)LOOP_NONE
                   : nest_scalar(n, TL_SCALAR_ADD, r, r, a, b, (uint16_t)LOOP_NONE);
}

// An operand of a dot where the result is at m, whose dims are the batch's and the free ones from
// `first` on, at term k.
static uint16_t factor(nest *n, tl_value v, tl_i64s batch, tl_i64s contract, uint32_t first,
                       const nest_map *m, uint32_t k) {
  nest_map at = {0};
  for (size_t i = 0; i < batch.len; i++)
    nest_copy_dim(&at, (uint32_t)batch.ptr[i], m, (uint32_t)i);
  for (uint32_t d = 0; d < v->type.rank; d++)
    if (!nest_listed(batch, d) && !nest_listed(contract, d)) nest_copy_dim(&at, d, m, first++);
  at_term(&at, v->type, contract, k);
  return nest_value(n, v, &at);
}

static uint16_t dot(nest *n, const tl_op *op, const nest_map *m, uint32_t terms) {
  const tl_value a = op->operands[0], b = op->operands[1];
  const tl_i64s ab = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
                bb = tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
                ac = tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions),
                bc = tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions);
  const uint32_t batch = (uint32_t)ab.len, rows = a->type.rank - batch - (uint32_t)ac.len;
  const tl_reg r = op->results[0]->type.dtype == TL_DTYPE_F32 ? TL_REG_F32 : TL_REG_F64;
  uint16_t sum = LOOP_NONE;
  for (uint32_t k = 0; k < terms && !n->failed; k++) {
    const uint16_t x = factor(n, a, ab, ac, batch, m, k), // terms go as the lhs lists its dims
        y = factor(n, b, bb, bc, batch + rows, m, k);
    if (n->failed) break;
    sum = k == 0 ? nest_scalar(n, TL_SCALAR_MUL, r, r, x, y, (uint16_t)LOOP_NONE)
                 : nest_scalar(n, TL_SCALAR_FMA, r, r, x, y, sum);
  }
  return n->failed ? (uint16_t)LOOP_NONE : add(n, r, sum, nest_const(n, r, 0));
}

static uint16_t sum_of(nest *n, tl_dtype d, const uint16_t *x, uint32_t terms, uint16_t init) {
  tl_reg r;
  if (n->failed || !loop_reg_of(d, &r)) return LOOP_NONE;
  const loop_inst *i = &n->loop->insts[init];
  const bool from_zero = i->kind == LOOP_CONST && i->bits == 0;
  uint16_t even = x[0], odd = terms > 1 ? x[1] : (uint16_t)LOOP_NONE;
  if (terms > 2) even = add(n, r, even, x[2]);
  if (terms > 3) odd = add(n, r, odd, x[3]);
  uint16_t sum = terms > 1 ? add(n, r, even, odd) : even;
  if (!from_zero) sum = add(n, r, sum, nest_const(n, r, 0));
  return nest_round(n, d, add(n, r, init, sum));
}

static uint16_t reduce(nest *n, const tl_op *op, const nest_map *m, uint32_t terms) {
  const tl_i64s dims = tl_op_list(op, TL_A_REDUCE_dimensions);
  const tl_type t = op->operands[0]->type;
  const tl_dtype d = op->results[0]->type.dtype;
  uint16_t x[NEST_FEW], args[2];
  tl_opcode single;
  if (!nest_folds_by(op, &single)) return LOOP_NONE;
  nest_map at = {0};
  for (uint32_t k = 0, to = 0; k < t.rank; k++)
    if (!nest_listed(dims, k)) nest_copy_dim(&at, k, m, to++);
  // The order is that of the dims in memory, however they are listed.
  int64_t sorted[TL_MAX_RANK];
  size_t n_sorted = 0;
  for (uint32_t k = 0; k < t.rank; k++)
    if (nest_listed(dims, k)) sorted[n_sorted++] = k;
  for (uint32_t k = 0; k < terms; k++) {
    at_term(&at, t, (tl_i64s){.ptr = sorted, .len = n_sorted}, k);
    x[k] = nest_value(n, op->operands[0], &at);
  }
  const nest_map none = {0};
  args[0] = nest_value(n, op->operands[1], &none);
  n->n_ops++;
  if (n->failed) return LOOP_NONE;
  if (single == TL_OP_ADD && is_float(d)) return sum_of(n, d, x, terms, args[0]);
  for (uint32_t k = 0; k < terms && !n->failed; k++) {
    args[1] = x[k];
    args[0] = nest_op(n, op->regions[0]->first, args, true);
  }
  return n->failed ? (uint16_t)LOOP_NONE : nest_round(n, d, args[0]);
}

uint16_t nest_few(nest *n, const tl_op *op, const nest_map *m) {
  const uint32_t terms = nest_few_terms(op);
  if (terms == 0) {
    n->failed = true;
    return LOOP_NONE;
  }
  n->n_ops += op->code == TL_OP_DOT_GENERAL;
  return op->code == TL_OP_DOT_GENERAL ? dot(n, op, m, terms) : reduce(n, op, m, terms);
}
