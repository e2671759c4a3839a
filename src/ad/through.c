// Rules by way of other ops: an op that has a meaning in others is differentiated and batched as
// they are. What a region does to scalars is done to whole tensors here too.
#include "ad/rule.h"

#include "ir/dim.h"

void tl_vjp_through(tl_vjp *v, tl_ad_emit_fn *emit) {
  tl_builder *b = v->b;
  tl_value *out = tl_room(b, v->op->n_results);
  if (out == NULL) return;
  if (v->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(v->ad, b, v->op, "regions nest too deeply");
    return;
  }
  tl_op *before = b->block->last;
  v->ad->depth++;
  emit(v->ad, b, v->op, v->in, out);
  if (b->error == TL_OK) {
    tl_reverse_mark(v->r, b, before);
    for (uint32_t k = 0; k < v->op->n_results; k++)
      tl_reverse_give(v->r, b, out[k], v->ct[k]);
    tl_reverse_walk(v->r, b, before, b->block->last);
  }
  v->ad->depth--;
}

static bool is_it(const tl_func *fn, void *it) { return fn == it; }

// The op written out in a function of its own, in which ops stand one after the other as they are
// to be gone along with; what they read from outside they read as it is. NULL, and an error in b.
static tl_func *emitted_apart(tl_ad *ad, tl_builder *b, const tl_op *op, tl_ad_emit_fn *emit) {
  tl_value *in = tl_room(b, op->n_operands), *out = tl_room(b, op->n_results);
  if (in == NULL || out == NULL) return NULL;
  tl_builder one = tl_func_begin(b->m, "tl.through", true);
  tl_func *fn = one.fn;
  if (fn != NULL) tl_module_drop(b->m, is_it, fn);
  one.loc = op->loc;
  for (uint32_t i = 0; i < op->n_operands; i++)
    in[i] = tl_func_arg(&one, op->operands[i]->type);
  if (one.error == TL_OK) emit(ad, &one, op, in, out);
  if (one.error == TL_OK) tlo_return(&one, out, op->n_results);
  tl_status st = tl_builder_finish(&one);
  if (st == TL_OK) return fn;
  tl_builder_fail(b, st);
  return NULL;
}

void tl_jvp_through(tl_jvp *j, tl_ad_emit_fn *emit) {
  tl_builder *b = j->b;
  const uint32_t n_out = j->op->n_results;
  tl_value *out = tl_room(b, n_out), *t_out = tl_room(b, n_out);
  if (out == NULL || t_out == NULL) return;
  if (j->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(j->ad, b, j->op, "regions nest too deeply");
    return;
  }
  j->ad->depth++;
  const tl_func *fn = emitted_apart(j->ad, b, j->op, emit);
  tl_env e = {0};
  for (uint32_t i = 0; fn != NULL && i < j->op->n_operands; i++) {
    tl_env_put(b, &e, fn->body->args[i], j->in[i]);
    tl_forward_put(j->f, b, j->in[i], j->t[i]);
  }
  if (b->error == TL_OK) tl_forward_block(j->f, b, &e, fn->body, out, t_out);
  for (uint32_t k = 0; b->error == TL_OK && k < n_out; k++)
    tl_jvp_give(j, k, t_out[k]);
  tl_env_deinit(&e);
  j->ad->depth--;
}

void tl_batch_through(tl_batch *v, tl_ad_emit_fn *emit) {
  tl_builder *b = v->b;
  if (v->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse_batching(v->ad, b, v->op, "regions nest too deeply");
    return;
  }
  v->ad->depth++;
  const tl_func *fn = emitted_apart(v->ad, b, v->op, emit);
  for (uint32_t i = 0; fn != NULL && i < v->op->n_operands; i++)
    tl_env_put(b, &v->at->env, fn->body->args[i], v->in[i]);
  if (b->error == TL_OK) tl_batch_block(v->at, b, fn->body, v->out, v->out_batched);
  v->ad->depth--;
}

// --- Regions on tensors -------------------------------------------------------------------------

static bool is_elementwise(const tl_op *op) {
  if (op->n_regions != 0 || op->n_results != 1 || op->results[0]->type.rank != 0) return false;
  if (op->code == TL_OP_CONSTANT || op->code == TL_OP_SELECT || op->code == TL_OP_CLAMP)
    return true;
  return (tl_op_get(op->code)->traits & TL_ELEMWISE) != 0;
}

static tl_type shaped(tl_dtype dtype, tl_type like) {
  return (tl_type){dtype, like.rank, like.dims};
}

static tl_value spread(tl_builder *b, tl_value x, tl_type like) {
  return x == NULL || x->type.rank != 0 || like.rank == 0
             ? x
             : tlo_broadcast(b, x, shaped(x->type.dtype, like), NULL);
}

// Each op of the region, of tensors.
static void lift_ops(tl_builder *b, const tl_block *block, const tl_value *args, tl_value *out) {
  tl_env e = {0};
  const tl_type like = args[0]->type;
  for (uint32_t i = 0; i < block->n_args; i++)
    tl_env_put(b, &e, block->args[i], args[i]);
  for (const tl_op *op = block->first; op != block->last && b->error == TL_OK; op = op->next) {
    tl_value *in = tl_room(b, op->n_operands);
    if (in == NULL) break;
    for (uint32_t i = 0; i < op->n_operands; i++)
      in[i] = spread(b, tl_env_get(&e, op->operands[i]), like);
    tl_type t =
        op->n_operands == 0 ? op->results[0]->type : shaped(op->results[0]->type.dtype, like);
    const tl_op *now = tl_clone_with(b, op, in, &t);
    if (now != NULL) tl_env_put(b, &e, op->results[0], now->results[0]);
  }
  for (uint32_t k = 0; b->error == TL_OK && k < block->last->n_operands; k++)
    out[k] = spread(b, tl_env_get(&e, block->last->operands[k]), like);
  tl_env_deinit(&e);
}

// The region batched over all elements in a row.
static void lift_flat(tl_ad *ad, tl_builder *b, const tl_block *block, const tl_value *args,
                      tl_value *out) {
  const tl_type like = args[0]->type;
  tl_batcher at = {.ad = ad};
  if (!tl_dim_product(b->m, like, &at.size)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a region over too many elements"));
    return;
  }
  const uint32_t n = block->last->n_operands;
  bool *batched = TL_NEW(b->m->arena, bool, n + 1);
  if (batched == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t i = 0; i < block->n_args; i++) {
    tl_value flat = tlo_reshape(b, args[i], &at.size, 1);
    tl_env_put(b, &at.env, block->args[i], flat);
    tl_batcher_mark(&at, b, flat);
  }
  if (b->error == TL_OK) tl_batch_block(&at, b, block, out, batched);
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++) {
    if (!batched[k]) out[k] = tl_batch_repeat(b, out[k], at.size);
    out[k] = tlo_reshape(b, out[k], like.dims, like.rank);
  }
  tl_batcher_deinit(&at);
}

void tl_ad_lift(tl_ad *ad, tl_builder *b, const tl_block *block, const tl_value *args,
                tl_value *out) {
  if (b->error != TL_OK) return;
  if (block->n_args == 0 || args[0]->type.rank == 0) {
    tl_env e = {0};
    for (uint32_t i = 0; i < block->n_args; i++)
      tl_env_put(b, &e, block->args[i], args[i]);
    tl_clone_block(b, &e, block, out);
    tl_env_deinit(&e);
    return;
  }
  bool simple = true;
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    simple &= is_elementwise(op);
  if (simple)
    lift_ops(b, block, args, out);
  else
    lift_flat(ad, b, block, args, out);
}
