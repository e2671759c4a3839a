// Rules of named ops whose derivative is better known than that of their decompositions: the ones
// not here go through theirs.
//
// References: the adjoints of convolutions and pools, and the pairs sum_to and broadcast_like,
// pad_to and slice_at, slice_like and pad_like, closed under differentiation, are named ops again.
#include "ad/rule.h"

#include "ir/build_nn.h"

// Another op with the attributes of `like`, which has the same in the same order.
static tl_value as(tl_builder *b, tl_opcode code, const tl_op *like, const tl_value *in,
                   uint32_t n) {
  TL_ASSERT(tl_op_get(code)->n_attrs == tl_op_get(like->code)->n_attrs);
  tl_op *op = tl_op_begin(b, code, in, n);
  if (op != NULL && tl_op_get(code)->n_attrs != 0)
    memcpy(op->attrs, like->attrs, tl_op_get(code)->n_attrs * sizeof *op->attrs);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// x, which has no dim `axis`, all along it in the shape of `like`.
static tl_value along(tl_builder *b, tl_value x, tl_value like, int64_t axis) {
  if (x == NULL || like == NULL) return NULL;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x->type.rank; i++)
    dims[i] = i < axis ? i : i + 1;
  return tlo_broadcast(b, x, like->type, dims);
}
static tl_value sum_along(tl_builder *b, tl_value x, int64_t axis) {
  return along(b, tl_ad_sum(b, x, &axis, 1), x, axis);
}

// Batched: the same op of one dim more, whose axis is one further.
static void batch_axis(tl_batch *v, tl_attr_id axis) {
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)tl_batch_in(v, i);
  if (v->b->error != TL_OK) return;
  tl_op *op = tl_op_begin(v->b, v->op->code, v->in, v->op->n_operands);
  if (op == NULL) return;
  memcpy(op->attrs, v->op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_op_set_i64(op, axis, tl_op_i64(v->op, axis) + 1);
  op = tl_op_finish(v->b, op, NULL, 0);
  if (op != NULL) v->out[0] = op->results[0];
}

// --- softmax and its logarithms
// -------------------------------------------------------------------

// y = softmax x: y (g - sum(y g)) in either direction, since the Jacobian is symmetric.
static tl_value through_softmax(tl_builder *b, tl_value y, tl_value g, int64_t axis) {
  tl_value sum = sum_along(b, tlo_mul(b, g, y), axis);
  return tlo_mul(b, y, tlo_sub(b, g, sum));
}
void tl_vjp_softmax(tl_vjp *v) {
  const int64_t axis = tl_op_i64(v->op, TL_A_SOFTMAX_axis);
  tl_vjp_give(v, 0, through_softmax(v->b, v->out[0], v->ct[0], axis));
}
void tl_jvp_softmax(tl_jvp *j) {
  const int64_t axis = tl_op_i64(j->op, TL_A_SOFTMAX_axis);
  tl_jvp_give(j, 0, through_softmax(j->b, j->out[0], j->t[0], axis));
}
void tl_batch_softmax(tl_batch *v) { batch_axis(v, TL_A_SOFTMAX_axis); }

// y = log_softmax x: dy = dx - sum(exp(y) dx), dx = dy - exp(y) sum(dy)
void tl_vjp_log_softmax(tl_vjp *v) {
  tl_builder *b = v->b;
  const int64_t axis = tl_op_i64(v->op, TL_A_LOG_SOFTMAX_axis);
  tl_value p = tlo_unary(b, TL_OP_EXPONENTIAL, v->out[0]), sum = sum_along(b, v->ct[0], axis);
  tl_vjp_give(v, 0, tlo_sub(b, v->ct[0], tlo_mul(b, p, sum)));
}
void tl_jvp_log_softmax(tl_jvp *j) {
  tl_builder *b = j->b;
  const int64_t axis = tl_op_i64(j->op, TL_A_LOG_SOFTMAX_axis);
  tl_value p = tlo_unary(b, TL_OP_EXPONENTIAL, j->out[0]);
  tl_jvp_give(j, 0, tlo_sub(b, j->t[0], sum_along(b, tlo_mul(b, j->t[0], p), axis)));
}
void tl_batch_log_softmax(tl_batch *v) { batch_axis(v, TL_A_LOG_SOFTMAX_axis); }

// logsumexp: sum(softmax(x) dx)
void tl_vjp_logsumexp(tl_vjp *v) {
  const int64_t axis = tl_op_i64(v->op, TL_A_LOGSUMEXP_axis);
  tl_value p = tlo_softmax(v->b, v->in[0], axis);
  tl_vjp_give(v, 0, tlo_mul(v->b, along(v->b, v->ct[0], p, axis), p));
}
void tl_jvp_logsumexp(tl_jvp *j) {
  const int64_t axis = tl_op_i64(j->op, TL_A_LOGSUMEXP_axis);
  tl_value p = tlo_softmax(j->b, j->in[0], axis);
  tl_jvp_give(j, 0, tl_ad_sum(j->b, tlo_mul(j->b, j->t[0], p), &axis, 1));
}
void tl_batch_logsumexp(tl_batch *v) { batch_axis(v, TL_A_LOGSUMEXP_axis); }

void tl_batch_argmax(tl_batch *v) { batch_axis(v, TL_A_ARGMAX_axis); }

// --- Losses -------------------------------------------------------------------------------------

// A weight of 0 does not multiply: what it weighs may be -inf.
static tl_value weighted(tl_builder *b, tl_value weight, tl_value x) {
  tl_value zero = tl_ad_like(b, x, 0);
  tl_value none = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, weight, zero);
  return tlo_select(b, none, zero, tlo_mul(b, x, weight));
}

static tl_value sum_all(tl_builder *b, tl_value x) {
  int64_t all[TL_MAX_RANK];
  const uint32_t r = x == NULL ? 0 : x->type.rank;
  for (uint32_t i = 0; i < r; i++)
    all[i] = i;
  return tl_ad_sum(b, x, all, r);
}

// -sum(w log_softmax(x)) [/ sum(w)]
void tl_jvp_cross_entropy(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_value x = j->in[0], w = j->in[1], t = j->t[0], tw = NULL;
  const int64_t last = (int64_t)x->type.rank - 1;
  if (w->type.rank == x->type.rank) {
    tw = j->t[1];
  } else {
    tl_type numbers = x->type;
    numbers.dtype = w->type.dtype;
    tl_value number = tlo_iota(b, numbers, last), is = along(b, w, number, last);
    w = tlo_convert(b, tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, number, is), x->type.dtype);
  }
  tl_value p = tlo_log_softmax(b, x, last), sum = NULL;
  if (t != NULL) {
    tl_value e = tlo_unary(b, TL_OP_EXPONENTIAL, p);
    tl_value dp = tlo_sub(b, t, sum_along(b, tlo_mul(b, t, e), last));
    sum = sum_all(b, weighted(b, w, dp));
  }
  if (tw != NULL) {
    tl_value zero = tl_ad_like(b, p, 0);
    tl_value finite = tlo_unary(b, TL_OP_IS_FINITE, p);
    tl_value by = sum_all(b, tlo_mul(b, tw, tlo_select(b, finite, p, zero)));
    sum = sum == NULL ? by : tlo_add(b, sum, by);
  }
  tl_value d = tl_ad_neg(b, sum);
  if (tl_op_i64(j->op, TL_A_CROSS_ENTROPY_mean)) {
    tl_value n = sum_all(b, w);
    if (tw != NULL) d = tlo_sub(b, d, tlo_mul(b, sum_all(b, tw), j->out[0]));
    d = tlo_div(b, d, n);
  }
  tl_jvp_give(j, 0, d);
}

// --- Rows and elements at indices
// -----------------------------------------------------------------

void tl_vjp_embedding(tl_vjp *v) {
  tl_value in[3] = {v->in[1], v->ct[0], v->in[0]};
  tl_vjp_give(v, 0, as(v->b, TL_OP_EMBEDDING_GRAD, v->op, in, 3));
}
void tl_vjp_embedding_grad(tl_vjp *v) { // indices, upstream, table's shape
  tl_value in[2] = {v->ct[0], v->in[0]};
  tl_vjp_give(v, 1, as(v->b, TL_OP_EMBEDDING, v->op, in, 2));
}
void tl_batch_embedding(tl_batch *v) { // one table for all examples
  if (v->batched[0])
    tl_batch_decompose(v);
  else
    v->out[0] = as(v->b, TL_OP_EMBEDDING, v->op, v->in, 2);
}
void tl_vjp_take_along(tl_vjp *v) {
  tl_value in[3] = {v->in[1], v->ct[0], v->in[0]};
  tl_vjp_give(v, 0, as(v->b, TL_OP_TAKE_ALONG_GRAD, v->op, in, 3));
}
void tl_vjp_take_along_grad(tl_vjp *v) {
  tl_value in[2] = {v->ct[0], v->in[0]};
  tl_vjp_give(v, 1, as(v->b, TL_OP_TAKE_ALONG, v->op, in, 2));
}
void tl_batch_take_along(tl_batch *v) { batch_axis(v, TL_A_TAKE_ALONG_axis); }
void tl_batch_take_along_grad(tl_batch *v) { batch_axis(v, TL_A_TAKE_ALONG_GRAD_axis); }

// --- Products
// -------------------------------------------------------------------------------------

// The sum of the op at each of two operands' tangents in its place.
static void bilinear(tl_jvp *j, uint32_t first, uint32_t second) {
  tl_value sum = NULL;
  tl_value *in = TL_NEW(j->b->m->arena, tl_value, j->op->n_operands + 1);
  if (in == NULL) {
    tl_builder_fail(j->b, TL_OOM());
    return;
  }
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t i = k == 0 ? first : second;
    if (j->t[i] == NULL) continue;
    memcpy(in, j->in, j->op->n_operands * sizeof *in);
    in[i] = j->t[i];
    tl_op *op = tl_clone_with(j->b, j->op, in, NULL);
    if (op == NULL) return;
    sum = sum == NULL ? op->results[0] : tlo_add(j->b, sum, op->results[0]);
  }
  tl_jvp_give(j, 0, sum);
}
void tl_jvp_conv2d(tl_jvp *j) { bilinear(j, 0, 1); } // and its adjoints
void tl_jvp_sparse_matmul(tl_jvp *j) { bilinear(j, 0, 3); }

static bool is_empty(tl_value x) {
  for (uint32_t i = 0; i < x->type.rank; i++)
    if (x->type.dims[i] == 0) return true;
  return false;
}

// <up, conv(x, w)> has three factors, and each of the three ops is its derivative by one of them:
// conv by up, data_adjoint by x, kernel_adjoint by w.
typedef struct family {
  tl_opcode conv, data, kernel;
} family;
static family family_of(tl_opcode code) {
  const bool turned = code == TL_OP_CONV_TRANSPOSE2D ||
                      code == TL_OP_CONV_TRANSPOSE2D_DATA_ADJOINT ||
                      code == TL_OP_CONV_TRANSPOSE2D_KERNEL_ADJOINT;
  return turned ? (family){TL_OP_CONV_TRANSPOSE2D, TL_OP_CONV_TRANSPOSE2D_DATA_ADJOINT,
                           TL_OP_CONV_TRANSPOSE2D_KERNEL_ADJOINT}
                : (family){TL_OP_CONV2D, TL_OP_CONV2D_DATA_ADJOINT, TL_OP_CONV2D_KERNEL_ADJOINT};
}
// up, x and w, one of which is the op's result's cotangent; of what is not there the shape.
static void give_factor(tl_vjp *v, uint32_t i, tl_opcode code, tl_value x, tl_value y,
                        tl_value shape) {
  if (!tl_vjp_wants(v, i)) return;
  if (is_empty(v->ct[0]) || is_empty(v->in[0]) || is_empty(v->in[1])) return; // zeros
  tl_value in[3] = {x, y, shape};
  tl_vjp_give(v, i, as(v->b, code, v->op, in, shape == NULL ? 2 : 3));
}
void tl_vjp_conv2d(tl_vjp *v) {
  const family f = family_of(v->op->code);
  give_factor(v, 0, f.data, v->ct[0], v->in[1], v->in[0]);
  give_factor(v, 1, f.kernel, v->in[0], v->ct[0], v->in[1]);
}
void tl_vjp_conv2d_data_adjoint(tl_vjp *v) { // up, w, x's shape
  const family f = family_of(v->op->code);
  give_factor(v, 0, f.conv, v->ct[0], v->in[1], NULL);
  give_factor(v, 1, f.kernel, v->ct[0], v->in[0], v->in[1]);
}
void tl_vjp_conv2d_kernel_adjoint(tl_vjp *v) { // x, up, w's shape
  const family f = family_of(v->op->code);
  give_factor(v, 0, f.data, v->in[1], v->ct[0], v->in[0]);
  give_factor(v, 1, f.conv, v->in[0], v->ct[0], NULL);
}

// Of values, columns, pointers and a dense matrix, with a shape where it is transposed.
void tl_vjp_sparse_matmul(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_value *in = v->in, ct = v->ct[0];
  const bool turned = tl_op_i64(v->op, TL_A_SPARSE_MATMUL_transposed) != 0;
  if (tl_vjp_wants(v, 0)) {
    tl_value up = turned ? in[3] : ct, dense = turned ? ct : in[3];
    tl_vjp_give(v, 0, tlo_sparse_matmul_values_adjoint(b, up, dense, in[1], in[2]));
  }
  if (tl_vjp_wants(v, 3))
    tl_vjp_give(v, 3, tlo_sparse_matmul(b, in[0], in[1], in[2], ct, turned ? NULL : in[3]));
}
void tl_vjp_sparse_matmul_values_adjoint(tl_vjp *v) { // up, dense, columns, pointers
  tl_builder *b = v->b;
  tl_value *in = v->in, ct = v->ct[0];
  if (tl_vjp_wants(v, 0)) tl_vjp_give(v, 0, tlo_sparse_matmul(b, ct, in[2], in[3], in[1], NULL));
  if (tl_vjp_wants(v, 1)) tl_vjp_give(v, 1, tlo_sparse_matmul(b, ct, in[2], in[3], in[0], in[1]));
}

// --- Pools
// ----------------------------------------------------------------------------------------

// Every winner of a tie gets all of it: maxpool2d_grad. Backward only; forward mode goes through
// the decomposition.
void tl_vjp_avgpool2d(tl_vjp *v) {
  tl_value in[2] = {v->ct[0], v->in[0]};
  tl_vjp_give(v, 0, as(v->b, TL_OP_AVGPOOL2D_GRAD, v->op, in, 2));
}
void tl_vjp_avgpool2d_grad(tl_vjp *v) {
  tl_vjp_give(v, 0, as(v->b, TL_OP_AVGPOOL2D, v->op, v->ct, 1));
}

// --- Shapes from templates
// ------------------------------------------------------------------------

void tl_vjp_sum_to(tl_vjp *v) { tl_vjp_give(v, 0, tlo_broadcast_like(v->b, v->ct[0], v->in[0])); }
void tl_vjp_broadcast_like(tl_vjp *v) { tl_vjp_give(v, 0, tlo_sum_to(v->b, v->ct[0], v->in[0])); }
// The other op of a pair, of the cotangent and the value's shape; priors stay.
static void turned(tl_vjp *v, tl_opcode code) {
  tl_value in[16] = {v->ct[0], v->in[0]};
  TL_ASSERT(v->op->n_operands <= TL_COUNT(in));
  for (uint32_t i = 2; i < v->op->n_operands; i++)
    in[i] = v->in[i];
  tl_vjp_give(v, 0, as(v->b, code, v->op, in, v->op->n_operands));
}
void tl_vjp_pad_to(tl_vjp *v) { turned(v, TL_OP_SLICE_AT); }
void tl_vjp_slice_at(tl_vjp *v) { turned(v, TL_OP_PAD_TO); }
void tl_vjp_slice_like(tl_vjp *v) { turned(v, TL_OP_PAD_LIKE); }
void tl_vjp_pad_like(tl_vjp *v) { turned(v, TL_OP_SLICE_LIKE); }
void tl_vjp_check_shape_like(tl_vjp *v) { tl_vjp_give(v, 0, v->ct[0]); }
