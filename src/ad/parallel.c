// Rules of collectives and shardings. A collective is linear in its operands, and its transpose is
// its dual (passes/dual.h) over the same groups, found in the same way.
#include "ad/rule.h"

#include "ir/build_parallel.h"
#include "ir/dynamic.h"

static void refuse_combiner(tl_ad *ad, tl_builder *b, const tl_op *op) {
  tl_ad_refuse(ad, b, op, "its region does more than add");
}
static bool adds(const tl_op *op) { return tl_ad_combiner(op->regions[0]) == TL_OP_ADD; }

// An op of one operand that is built by hand: attributes by name from another op, where both have
// them.
static tl_op *begin_as(tl_builder *b, tl_opcode code, const tl_op *like, tl_value x) {
  tl_op *op = tl_op_begin(b, code, &x, 1);
  const tl_op_info *from = tl_op_get(like->code);
  for (uint32_t i = 0; op != NULL && i < from->n_attrs; i++) {
    tl_attr_id to;
    if (tl_op_attr_named(code, tl_attr_get((tl_attr_id)(from->attr_begin + i))->name, &to))
      op->attrs[to - tl_op_get(code)->attr_begin] = like->attrs[i];
  }
  return op;
}

static tl_value finish(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

static void region_of_add(tl_builder *b, tl_op *op, tl_dtype dtype) {
  tl_block *block = tl_op_add_region(b, op);
  if (block == NULL) return;
  tl_builder in = tl_builder_at(b, block);
  tl_value x = tl_block_arg(&in, block, tl_type_scalar(dtype)),
           y = tl_block_arg(&in, block, tl_type_scalar(dtype));
  tl_value sum = tlo_add(&in, x, y);
  tlo_return(&in, &sum, 1);
  tl_builder_join(b, &in);
}

// An op that is its own transpose, result by result.
static void again(tl_vjp *v) {
  for (uint32_t k = 0; k < v->op->n_results; k++)
    (void)tl_vjp_ct(v, k);
  tl_op *op = v->b->error == TL_OK ? tl_clone_with(v->b, v->op, v->ct, NULL) : NULL;
  for (uint32_t k = 0; op != NULL && k < op->n_results; k++)
    tl_vjp_give(v, k, op->results[k]);
}

void tl_vjp_all_reduce(tl_vjp *v) {
  if (adds(v->op))
    again(v);
  else
    refuse_combiner(v->ad, v->b, v->op);
}
void tl_jvp_all_reduce(tl_jvp *j) { // reduce_scatter and collective_reduce too
  if (!adds(j->op)) {
    refuse_combiner(j->ad, j->b, j->op);
    return;
  }
  for (uint32_t i = 0; i < j->op->n_operands; i++)
    (void)tl_jvp_t(j, i);
  tl_op *op = j->b->error == TL_OK ? tl_clone_with(j->b, j->op, j->t, NULL) : NULL;
  for (uint32_t k = 0; op != NULL && k < op->n_results; k++)
    tl_jvp_give(j, k, op->results[k]);
}

void tl_vjp_all_gather(tl_vjp *v) {
  for (uint32_t k = 0; k < v->op->n_results; k++) {
    if (v->ct[k] == NULL || !tl_vjp_wants(v, k)) continue;
    tl_op *op = begin_as(v->b, TL_OP_REDUCE_SCATTER, v->op, v->ct[k]);
    tl_op_set_i64(op, TL_A_REDUCE_SCATTER_scatter_dimension,
                  tl_op_i64(v->op, TL_A_ALL_GATHER_all_gather_dim));
    region_of_add(v->b, op, v->ct[k]->type.dtype);
    op = tl_op_finish(v->b, op, &v->in[k]->type, 1);
    if (op != NULL) tl_vjp_give(v, k, op->results[0]);
  }
}

void tl_vjp_reduce_scatter(tl_vjp *v) {
  if (!adds(v->op)) {
    refuse_combiner(v->ad, v->b, v->op);
    return;
  }
  tl_op *op = begin_as(v->b, TL_OP_ALL_GATHER, v->op, v->ct[0]);
  tl_op_set_i64(op, TL_A_ALL_GATHER_all_gather_dim,
                tl_op_i64(v->op, TL_A_REDUCE_SCATTER_scatter_dimension));
  op = tl_op_finish(v->b, op, &v->in[0]->type, 1);
  if (op != NULL) tl_vjp_give(v, 0, op->results[0]);
}

void tl_vjp_all_to_all(tl_vjp *v) {
  for (uint32_t k = 0; k < v->op->n_results; k++) {
    if (v->ct[k] == NULL || !tl_vjp_wants(v, k)) continue;
    tl_op *op = begin_as(v->b, TL_OP_ALL_TO_ALL, v->op, v->ct[k]);
    tl_op_set_i64(op, TL_A_ALL_TO_ALL_split_dimension,
                  tl_op_i64(v->op, TL_A_ALL_TO_ALL_concat_dimension));
    tl_op_set_i64(op, TL_A_ALL_TO_ALL_concat_dimension,
                  tl_op_i64(v->op, TL_A_ALL_TO_ALL_split_dimension));
    tl_vjp_give(v, k, finish(v->b, op));
  }
}

void tl_vjp_collective_permute(tl_vjp *v) {
  tl_i64s pairs = tl_op_list(v->op, TL_A_COLLECTIVE_PERMUTE_source_target_pairs);
  int64_t *turned = TL_NEW(v->b->m->arena, int64_t, pairs.len + 1);
  if (turned == NULL) {
    tl_builder_fail(v->b, TL_OOM());
    return;
  }
  for (size_t i = 0; i + 1 < pairs.len; i += 2) {
    turned[i] = pairs.ptr[i + 1];
    turned[i + 1] = pairs.ptr[i];
  }
  tl_op *op = begin_as(v->b, TL_OP_COLLECTIVE_PERMUTE, v->op, v->ct[0]);
  tl_op_set_list(v->b, op, TL_A_COLLECTIVE_PERMUTE_source_target_pairs, turned, pairs.len);
  tl_vjp_give(v, 0, finish(v->b, op));
}

// A root that is a value is the last operand.
static bool dynamic_root(const tl_op *op) {
  return op->code == TL_OP_COLLECTIVE_BROADCAST
             ? tl_op_i64(op, TL_A_COLLECTIVE_BROADCAST_has_dynamic_root) != 0
             : tl_op_i64(op, TL_A_COLLECTIVE_REDUCE_has_dynamic_root) != 0;
}

static void to_or_from_root(tl_vjp *v, tl_opcode code) {
  if (dynamic_root(v->op)) {
    tl_ad_refuse(v->ad, v->b, v->op, "its root is an operand");
    return;
  }
  for (uint32_t k = 0; k < v->op->n_results; k++) {
    if (v->ct[k] == NULL || !tl_vjp_wants(v, k)) continue;
    tl_op *op = begin_as(v->b, code, v->op, v->ct[k]);
    if (code == TL_OP_COLLECTIVE_REDUCE) region_of_add(v->b, op, v->ct[k]->type.dtype);
    tl_vjp_give(v, k, finish(v->b, op));
  }
}
void tl_vjp_collective_broadcast(tl_vjp *v) { to_or_from_root(v, TL_OP_COLLECTIVE_REDUCE); }
void tl_vjp_collective_reduce(tl_vjp *v) {
  if (adds(v->op))
    to_or_from_root(v, TL_OP_COLLECTIVE_BROADCAST);
  else
    refuse_combiner(v->ad, v->b, v->op);
}

// The gradient is laid out as the value.
void tl_vjp_same(tl_vjp *v) {
  tl_op *op = tl_clone_with(v->b, v->op, v->ct, NULL);
  if (op != NULL) tl_vjp_give(v, 0, op->results[0]);
}

// What is looked at is looked at; the gradient passes it by.
void tl_vjp_probe(tl_vjp *v) { tl_vjp_give(v, 0, v->ct[0]); }
void tl_jvp_probe(tl_jvp *j) { tl_jvp_give(j, 0, j->t[0]); }

// --- Batching: the dims that an op names are one further --------------------------------------

static void batch_dims(tl_batch *v, tl_attr_id first, tl_attr_id second) {
  tl_builder *b = v->b;
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)tl_batch_in(v, i);
  if (b->error != TL_OK) return;
  tl_op *op = tl_op_begin(b, v->op->code, v->in, v->op->n_operands);
  if (op == NULL) return;
  memcpy(op->attrs, v->op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_op_set_i64(op, first, tl_op_i64(v->op, first) + 1);
  if (second != first) tl_op_set_i64(op, second, tl_op_i64(v->op, second) + 1);
  tl_type *types = TL_NEW(b->m->arena, tl_type, v->op->n_results + 1);
  if (types == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t k = 0; types != NULL && k < v->op->n_results; k++)
    types[k] = tl_batch_type(b, v->op->results[k]->type, v->size);
  if (v->op->n_regions != 0) {
    tl_block *block = tl_op_add_region(b, op);
    const tl_block *old = v->op->regions[0];
    tl_builder in = tl_builder_at(b, block);
    tl_env e = {0};
    for (uint32_t i = 0; block != NULL && i < old->n_args; i++)
      tl_env_put(&in, &e, old->args[i], tl_block_arg(&in, block, old->args[i]->type));
    for (const tl_op *o = old->first; block != NULL && o != NULL; o = o->next)
      (void)tl_clone(&in, &e, o);
    tl_builder_join(b, &in);
    tl_env_deinit(&e);
  }
  op = tl_op_finish(b, op, types, v->op->n_results);
  for (uint32_t k = 0; op != NULL && k < v->op->n_results; k++)
    v->out[k] = op->results[k];
}
void tl_batch_all_gather(tl_batch *v) {
  batch_dims(v, TL_A_ALL_GATHER_all_gather_dim, TL_A_ALL_GATHER_all_gather_dim);
}
void tl_batch_reduce_scatter(tl_batch *v) {
  batch_dims(v, TL_A_REDUCE_SCATTER_scatter_dimension, TL_A_REDUCE_SCATTER_scatter_dimension);
}
void tl_batch_all_to_all(tl_batch *v) {
  batch_dims(v, TL_A_ALL_TO_ALL_split_dimension, TL_A_ALL_TO_ALL_concat_dimension);
}

// The batch may lie anywhere: its dim is open.
void tl_batch_sharding_constraint(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_sharding *old = &tl_op_attr(v->op, TL_A_SHARDING_CONSTRAINT_sharding)->shardings->ptr[0];
  tl_sharding now = *old;
  tl_dim_sharding *dims = TL_NEW(b->m->arena, tl_dim_sharding, old->rank + 1);
  if (dims == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  dims[0] = (tl_dim_sharding){.open = true, .priority = -1};
  if (old->rank != 0) memcpy(dims + 1, old->dims, old->rank * sizeof *dims);
  now.dims = dims;
  now.rank = old->rank + 1;
  v->out[0] = tlo_sharding_constraint(b, v->in[0], &now);
}
