// Rules of collectives and shardings. A collective is linear in its operands, and its transpose is
// its dual (passes/dual.h) over the same groups, found in the same way.
#include "ad/rule.h"

#include "ir/build_parallel.h"
#include "ir/dynamic.h"

// A region that takes the greatest or the least has a derivative too: of those that are it each
// gets an equal share, as of a fold's (reduce.c). Any other is refused: of a product, say, every
// process would need every other's operand.
typedef enum { ADDS, PICKS, OTHER } way;

static way way_of(const tl_op *op) {
  const tl_opcode code = tl_ad_combiner(op->regions[0]);
  return code == TL_OP_ADD ? ADDS : code == TL_OP_MAXIMUM || code == TL_OP_MINIMUM ? PICKS : OTHER;
}

static void refuse_combiner(tl_ad *ad, tl_builder *b, const tl_op *op) {
  tl_ad_refuse(ad, b, op, "its region neither adds nor takes the greatest or the least");
}

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

// The collective `code` over the groups of op, of xs [op->n_results], which stand where op's
// operands do, and its root where it has one; what combines adds. One op, as op is one. Results of
// `types` into out, which may be xs.
static void beside(tl_builder *b, tl_opcode code, const tl_op *op, const tl_value *in,
                   const tl_value *xs, const tl_type *types, tl_value *out) {
  const uint32_t n = op->n_results;
  tl_value *operands = tl_room(b, (size_t)n + 1);
  if (operands == NULL) return;
  memcpy(operands, xs, n * sizeof *operands);
  if (op->n_operands > n) operands[n] = in[n];
  tl_op *now = tl_op_begin(b, code, operands, op->n_operands);
  const tl_op_info *from = tl_op_get(op->code);
  for (uint32_t i = 0; now != NULL && i < from->n_attrs; i++) {
    tl_attr_id to;
    if (tl_op_attr_named(code, tl_attr_get((tl_attr_id)(from->attr_begin + i))->name, &to))
      now->attrs[to - tl_op_get(code)->attr_begin] = op->attrs[i];
  }
  if (code == TL_OP_ALL_GATHER && op->code == TL_OP_REDUCE_SCATTER)
    tl_op_set_i64(now, TL_A_ALL_GATHER_all_gather_dim,
                  tl_op_i64(op, TL_A_REDUCE_SCATTER_scatter_dimension));
  if (code == TL_OP_REDUCE_SCATTER && op->code == TL_OP_ALL_GATHER)
    tl_op_set_i64(now, TL_A_REDUCE_SCATTER_scatter_dimension,
                  tl_op_i64(op, TL_A_ALL_GATHER_all_gather_dim));
  if (now != NULL && tl_op_get(code)->n_regions != 0) region_of_add(b, now, xs[0]->type.dtype);
  now = tl_op_finish(b, now, types, n);
  for (uint32_t k = 0; now != NULL && k < n; k++)
    out[k] = now->results[k];
}

// The types of values [n], with that element type (TL_DTYPE_COUNT: their own).
static tl_type *types_of(tl_builder *b, const tl_value *values, uint32_t n, tl_dtype dtype) {
  tl_type *types = TL_NEW(b->m->arena, tl_type, n + 1);
  if (types == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t k = 0; types != NULL && k < n; k++) {
    types[k] = values[k]->type;
    if (dtype != TL_DTYPE_COUNT) types[k].dtype = dtype;
  }
  return types;
}

// --- Collectives that combine: all_reduce, reduce_scatter, collective_reduce
// ----------------------

// What carries a value of a result back to the processes whose operands it is made of; all_reduce's
// sums on its way.
static tl_opcode spread_of(tl_opcode code) {
  return code == TL_OP_ALL_REDUCE       ? TL_OP_ALL_REDUCE
         : code == TL_OP_REDUCE_SCATTER ? TL_OP_ALL_GATHER
                                        : TL_OP_COLLECTIVE_BROADCAST;
}

// Where the operands are the ones that were taken; count of them, as the results have them (1 where
// that is nobody's). All lists [n].
static void find_taken(tl_builder *b, const tl_op *op, const tl_value *in, const tl_value *y,
                       tl_value *is, tl_value *count) {
  const uint32_t n = op->n_results;
  tl_value *x = tl_room(b, n);
  for (uint32_t k = 0; x != NULL && k < n; k++)
    x[k] = tlo_convert(b, in[k], y[k]->type.dtype);
  if (b->error != TL_OK) return;
  memcpy(is, y, n * sizeof *is);
  if (op->code != TL_OP_ALL_REDUCE)
    beside(b, spread_of(op->code), op, in, y, types_of(b, x, n, TL_DTYPE_COUNT), is);
  for (uint32_t k = 0; k < n; k++) {
    is[k] = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, x[k], is[k]);
    count[k] = tlo_convert(b, is[k], y[k]->type.dtype);
  }
  if (b->error == TL_OK)
    beside(b, op->code, op, in, count, types_of(b, y, n, TL_DTYPE_COUNT), count);
  for (uint32_t k = 0; k < n; k++)
    count[k] = tlo_binary(b, TL_OP_MAXIMUM, count[k], tl_ad_like(b, count[k], 1));
}

void tl_vjp_combining(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const uint32_t n = op->n_results;
  const way how = way_of(op);
  if (how == OTHER) {
    refuse_combiner(v->ad, b, op);
    return;
  }
  tl_value *ct = tl_room(b, n), *is = tl_room(b, n), *count = tl_room(b, n);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
    ct[k] = tl_vjp_ct(v, k);
  if (b->error == TL_OK && how == PICKS) find_taken(b, op, v->in, v->out, is, count);
  for (uint32_t k = 0; b->error == TL_OK && how == PICKS && k < n; k++)
    ct[k] = tlo_div(b, ct[k], count[k]);
  if (b->error == TL_OK)
    beside(b, spread_of(op->code), op, v->in, ct, types_of(b, v->in, n, ct[0]->type.dtype), ct);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++) {
    if (how == PICKS) ct[k] = tlo_select(b, is[k], ct[k], tl_ad_like(b, ct[k], 0));
    tl_vjp_give(v, k, tlo_convert(b, ct[k], v->in[k]->type.dtype));
  }
}

void tl_jvp_combining(tl_jvp *j) {
  tl_builder *b = j->b;
  const tl_op *op = j->op;
  const uint32_t n = op->n_results;
  const way how = way_of(op);
  if (how == OTHER) {
    refuse_combiner(j->ad, b, op);
    return;
  }
  tl_value *t = tl_room(b, n), *is = tl_room(b, n), *count = tl_room(b, n);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
    t[k] = tlo_convert(b, tl_jvp_t(j, k), j->out[k]->type.dtype);
  if (b->error == TL_OK && how == PICKS) find_taken(b, op, j->in, j->out, is, count);
  for (uint32_t k = 0; b->error == TL_OK && how == PICKS && k < n; k++)
    t[k] = tlo_select(b, is[k], t[k], tl_ad_like(b, t[k], 0));
  if (b->error == TL_OK)
    beside(b, op->code, op, j->in, t, types_of(b, j->out, n, TL_DTYPE_COUNT), t);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
    tl_jvp_give(j, k, how == PICKS ? tlo_div(b, t[k], count[k]) : t[k]);
}

// --- Collectives that move
// ------------------------------------------------------------------------

static void move_back(tl_vjp *v, tl_opcode code) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  tl_value *ct = tl_room(b, n);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
    ct[k] = tl_vjp_ct(v, k);
  if (b->error == TL_OK)
    beside(b, code, v->op, v->in, ct, types_of(b, v->in, n, TL_DTYPE_COUNT), ct);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
    tl_vjp_give(v, k, ct[k]);
}
void tl_vjp_all_gather(tl_vjp *v) { move_back(v, TL_OP_REDUCE_SCATTER); }
void tl_vjp_collective_broadcast(tl_vjp *v) { move_back(v, TL_OP_COLLECTIVE_REDUCE); }

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

// collective_broadcast and collective_reduce: the roots are no example's.
void tl_batch_rooted(tl_batch *v) {
  const uint32_t n = v->op->n_results;
  const bool rooted = v->op->n_operands > n;
  const tl_value root = rooted ? v->in[n] : NULL;
  if (rooted && v->batched[n]) {
    tl_ad_refuse_batching(v->ad, v->b, v->op,
                          "to or from a root that differs from example to example");
    return;
  }
  if (!rooted) {
    tl_batch_elemwise(v);
    return;
  }
  tl_type *types = TL_NEW(v->b->m->arena, tl_type, n + 1);
  if (types == NULL) tl_builder_fail(v->b, TL_OOM());
  for (uint32_t k = 0; types != NULL && k < n; k++) {
    (void)tl_batch_in(v, k);
    types[k] = tl_batch_type(v->b, v->op->results[k]->type, v->size);
  }
  v->in[n] = root;
  tl_op *now = v->b->error != TL_OK ? NULL : tl_clone_with(v->b, v->op, v->in, types);
  for (uint32_t k = 0; now != NULL && k < n; k++)
    v->out[k] = now->results[k];
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
