// Rules of ops that move elements: each is linear, and its transpose moves them back.
#include "ad/rule.h"

#include "ir/dim.h"

// transpose by p: back by the inverse of p.
void tl_vjp_transpose_dims(tl_vjp *v) {
  tl_i64s p = tl_op_list(v->op, TL_A_TRANSPOSE_permutation);
  int64_t back[TL_MAX_RANK];
  for (size_t d = 0; d < p.len; d++)
    back[p.ptr[d]] = (int64_t)d;
  tl_vjp_give(v, 0, tlo_transpose(v->b, v->ct[0], back));
}

void tl_batch_transpose_dims(tl_batch *v) {
  tl_i64s p = tl_op_list(v->op, TL_A_TRANSPOSE_permutation);
  int64_t *dims = tl_batch_dims(v->b, p.ptr, p.len, true);
  v->out[0] = dims == NULL ? NULL : tlo_transpose(v->b, v->in[0], dims);
}

// broadcast_in_dim: the sum over dims that are new and over those that were of size 1 and are not.
void tl_vjp_broadcast_in_dim(tl_vjp *v) {
  const tl_type from = v->in[0]->type, to = v->out[0]->type;
  tl_i64s at = tl_op_list(v->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  int64_t sum[TL_MAX_RANK], kept[TL_MAX_RANK], order[TL_MAX_RANK];
  bool stays[TL_MAX_RANK] = {false};
  uint32_t n_sum = 0, n_kept = 0;
  for (size_t d = 0; d < at.len; d++)
    stays[at.ptr[d]] = from.dims[d] == to.dims[at.ptr[d]];
  for (uint32_t d = 0; d < to.rank; d++)
    if (!stays[d])
      sum[n_sum++] = d;
    else
      kept[n_kept++] = d;
  tl_value ct = tl_ad_sum(v->b, v->ct[0], sum, n_sum);
  // What is kept lies in the order of the result's dims; the operand's may be another.
  uint32_t n = 0;
  for (size_t d = 0; d < at.len; d++)
    for (uint32_t k = 0; k < n_kept; k++)
      if (kept[k] == at.ptr[d]) order[n++] = k;
  if (n > 1) ct = tlo_transpose(v->b, ct, order);
  tl_vjp_give(v, 0, tlo_reshape(v->b, ct, from.dims, from.rank));
}

void tl_batch_broadcast_in_dim(tl_batch *v) {
  tl_i64s at = tl_op_list(v->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  int64_t *dims = tl_batch_dims(v->b, at.ptr, at.len, true);
  tl_type t = tl_batch_type(v->b, v->op->results[0]->type, v->size);
  v->out[0] = dims == NULL ? NULL : tlo_broadcast(v->b, v->in[0], t, dims);
}
