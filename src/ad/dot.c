// Rules of dot_general: bilinear, and closed under transposition.
#include "ad/rule.h"

typedef struct dot { // the dims of a dot_general
  tl_i64s lb, rb, lc, rc;
} dot;

static dot read_dot(const tl_op *op) {
  return (dot){tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
               tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
               tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions),
               tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions)};
}

// The same product (algorithm, precision) of other operands, with other dims; `type` NULL: of their
// element type.
static tl_value product(tl_builder *b, const tl_op *like, tl_value x, tl_value y, const int64_t *xb,
                        const int64_t *yb, size_t n_b, const int64_t *xc, const int64_t *yc,
                        size_t n_c, const tl_type *type) {
  tl_op *op = tl_op_begin(b, TL_OP_DOT_GENERAL, (tl_value[]){x, y}, 2);
  if (op == NULL) return NULL;
  memcpy(op->attrs, like->attrs, tl_op_get(like->code)->n_attrs * sizeof *op->attrs);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_batching_dimensions, xb, n_b);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_batching_dimensions, yb, n_b);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_contracting_dimensions, xc, n_c);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_contracting_dimensions, yc, n_c);
  op = tl_op_finish(b, op, type, type == NULL ? 0 : 1);
  return op == NULL ? NULL : op->results[0];
}

static bool has(tl_i64s list, int64_t d) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == d) return true;
  return false;
}

// Where z is one number: it times the other operand, element by element, and no product of tensors.
static tl_value scaled(tl_vjp *v, tl_value other, tl_i64s own, tl_i64s others) {
  int64_t order[TL_MAX_RANK];
  for (size_t i = 0; i < own.len; i++)
    order[own.ptr[i]] = others.ptr[i];
  tl_value z = tlo_broadcast(v->b, v->ct[0], other->type, NULL);
  tl_value p = tl_ad_mul(v->b, z, other);
  return p == NULL ? NULL : tlo_transpose(v->b, p, order);
}

// z[b, l, r] = sum_c x[b, l, c] y[b, r, c]: the cotangent of one operand is the product of z's with
// the other, over the other's free dims, in the order [batch, own free, contracted]; then each dim
// goes to where the operand has it.
static tl_value transposed(tl_vjp *v, bool of_left) {
  tl_builder *b = v->b;
  dot d = read_dot(v->op);
  const tl_value own = v->in[of_left ? 0 : 1];
  const tl_value other = tlo_convert(b, v->in[of_left ? 1 : 0], v->ct[0]->type.dtype);
  if (other == NULL) return NULL;
  tl_i64s ob = of_left ? d.lb : d.rb, oc = of_left ? d.lc : d.rc; // of own
  tl_i64s tb = of_left ? d.rb : d.lb, tc = of_left ? d.rc : d.lc; // of the other
  if (v->ct[0]->type.rank == 0 && tl_op_attr(v->op, TL_A_DOT_GENERAL_algorithm)->i64 == 0)
    return tlo_convert(b, scaled(v, other, oc, tc), own->type.dtype);
  int64_t own_free[TL_MAX_RANK], other_free[TL_MAX_RANK], ct_batch[TL_MAX_RANK],
      ct_contract[TL_MAX_RANK], order[TL_MAX_RANK];
  size_t n_own = 0, n_other = 0;
  for (uint32_t i = 0; i < own->type.rank; i++)
    if (!has(ob, i) && !has(oc, i)) own_free[n_own++] = i;
  for (uint32_t i = 0; i < other->type.rank; i++)
    if (!has(tb, i) && !has(tc, i)) other_free[n_other++] = i;
  for (size_t i = 0; i < ob.len; i++)
    ct_batch[i] = (int64_t)i;
  for (size_t i = 0; i < n_other; i++)
    ct_contract[i] = (int64_t)(ob.len + (of_left ? n_own : 0) + i);
  // Results: [batch, own free, other's contracted dims in the order in which the other has them].
  tl_value p = of_left ? product(b, v->op, v->ct[0], other, ct_batch, tb.ptr, tb.len, ct_contract,
                                 other_free, n_other, NULL)
                       : product(b, v->op, other, v->ct[0], tb.ptr, ct_batch, tb.len, other_free,
                                 ct_contract, n_other, NULL);
  // Where each dim of own lies in p.
  size_t at = ob.len;
  for (size_t i = 0; i < ob.len; i++)
    order[ob.ptr[i]] = (int64_t)i;
  size_t free_at = of_left ? at : at + oc.len, contract_at = of_left ? at + n_own : at;
  for (size_t i = 0; i < n_own; i++)
    order[own_free[i]] = (int64_t)(free_at + i);
  for (size_t i = 0; i < tc.len; i++) {
    size_t rank = 0; // of this contracted dim among the other's, by place
    for (size_t j = 0; j < tc.len; j++)
      rank += tc.ptr[j] < tc.ptr[i];
    order[oc.ptr[i]] = (int64_t)(contract_at + rank);
  }
  if (p == NULL) return NULL;
  p = tlo_transpose(b, p, order);
  return tlo_convert(b, p, own->type.dtype);
}

void tl_vjp_dot_general(tl_vjp *v) {
  if (tl_vjp_wants(v, 0)) tl_vjp_give(v, 0, transposed(v, true));
  if (tl_vjp_wants(v, 1)) tl_vjp_give(v, 1, transposed(v, false));
}

// convolutions too, whose padding may be a third operand.
void tl_jvp_dot_general(tl_jvp *j) {
  tl_value sum = NULL;
  for (uint32_t i = 0; i < 2; i++) {
    if (j->t[i] == NULL) continue;
    tl_value in[3] = {j->in[0], j->in[1], j->op->n_operands > 2 ? j->in[2] : NULL};
    in[i] = j->t[i];
    tl_op *op = tl_clone_with(j->b, j->op, in, &j->out[0]->type);
    if (op == NULL) return;
    sum = sum == NULL ? op->results[0] : tlo_add(j->b, sum, op->results[0]);
  }
  tl_jvp_give(j, 0, sum);
}

// Both batched: one more batching dim, in front. One of them: its batch is one more free dim, the
// first of its own, which then goes to the front.
void tl_batch_dot_general(tl_batch *v) {
  tl_builder *b = v->b;
  dot d = read_dot(v->op);
  const bool both = v->batched[0] && v->batched[1];
  const int64_t *lb = d.lb.ptr, *rb = d.rb.ptr, *lc = d.lc.ptr, *rc = d.rc.ptr;
  if (v->batched[0]) lb = tl_batch_dims(b, lb, d.lb.len, both);
  if (v->batched[0]) lc = tl_batch_dims(b, lc, d.lc.len, false);
  if (v->batched[1]) rb = tl_batch_dims(b, rb, d.rb.len, both);
  if (v->batched[1]) rc = tl_batch_dims(b, rc, d.rc.len, false);
  if (b->error != TL_OK) return;
  const tl_type one = v->op->results[0]->type, left = v->op->operands[0]->type;
  const uint32_t at = both            ? 0
                      : v->batched[0] ? (uint32_t)d.lb.len
                                      : left.rank - (uint32_t)d.lc.len;
  int64_t dims[TL_MAX_RANK + 1]; // the result has the batch at `at`
  for (uint32_t i = 0; i <= one.rank; i++)
    dims[i] = i == at ? v->size : one.dims[i < at ? i : i - 1];
  tl_type t = one.rank >= TL_MAX_RANK ? tl_batch_type(b, one, v->size)
                                      : tl_type_of(b->m->arena, one.dtype, dims, one.rank + 1);
  tl_value y = product(b, v->op, v->in[0], v->in[1], lb, rb, d.lb.len + (both ? 1 : 0), lc, rc,
                       d.lc.len, &t);
  if (at == 0 || y == NULL) {
    v->out[0] = y;
    return;
  }
  int64_t order[TL_MAX_RANK];
  order[0] = at;
  for (uint32_t i = 1, k = 0; i < y->type.rank; i++, k++) {
    if (k == at) k++;
    order[i] = k;
  }
  v->out[0] = tlo_transpose(b, y, order);
}
