// Batching: a block of one example becomes a block of them all, with the batch in front of every
// value that depends on it. What does not is computed once.
#include "ad/rule.h"

#include "ir/decompose.h"

void tl_batcher_deinit(tl_batcher *at) {
  tl_env_deinit(&at->env);
  tl_value_map_deinit(&at->seen);
}

bool tl_batcher_is_batched(const tl_batcher *at, tl_value now) {
  return now != NULL && tl_value_map_get(&at->seen, now, NULL);
}

void tl_batcher_mark(tl_batcher *at, tl_builder *b, tl_value now) {
  if (now != NULL && !tl_value_map_put(&at->seen, now, 1)) tl_builder_fail(b, TL_OOM());
}

int64_t *tl_batch_dims(tl_builder *b, const int64_t *dims, size_t n, bool lead) {
  int64_t *out = TL_NEW(b->m->arena, int64_t, n + 1);
  if (out == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  size_t at = 0;
  if (lead) out[at++] = 0;
  for (size_t i = 0; i < n; i++)
    out[at++] = dims[i] + 1;
  return out;
}

tl_type tl_batch_type(tl_builder *b, tl_type one, int64_t size) {
  int64_t dims[TL_MAX_RANK + 1] = {size};
  if (one.rank >= TL_MAX_RANK) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a batch of tensors of rank %u is past rank %d",
                                one.rank, TL_MAX_RANK));
    return one;
  }
  if (one.rank != 0) memcpy(dims + 1, one.dims, one.rank * sizeof *dims);
  tl_type t = tl_type_of(b->m->arena, one.dtype, dims, one.rank + 1);
  if (t.dims == NULL) tl_builder_fail(b, TL_OOM());
  return t;
}

tl_value tl_batch_repeat(tl_builder *b, tl_value x, int64_t size) {
  if (x == NULL) return NULL;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x->type.rank; i++)
    dims[i] = i + 1;
  return tlo_broadcast(b, x, tl_batch_type(b, x->type, size), dims);
}

tl_value tl_batch_in(tl_batch *v, uint32_t i) {
  if (!v->batched[i]) {
    v->in[i] = tl_batch_repeat(v->b, v->in[i], v->size);
    v->batched[i] = true;
  }
  return v->in[i];
}

static bool region_batched(const tl_batcher *at, tl_builder *b, const tl_op *op) {
  if (op->n_regions == 0) return false;
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_batcher_is_batched(at, tl_env_get(&at->env, free[i]))) return true;
  return false;
}

// A branch or loop by way of plainer ops.
static bool batch_plainer(tl_batcher *at, tl_builder *b, const tl_op *op) {
  tl_value *out = tl_room(b, op->n_results);
  bool *batched = tl_flags(b, op->n_results);
  const bool lanes =
      op->code != TL_OP_WHILE && tl_batcher_is_batched(at, tl_env_get(&at->env, op->operands[0]));
  const tl_block *instead = tl_ad_plainer(at->ad, b, op, lanes ? TL_AD_LANES : TL_AD_BATCH);
  if (instead == NULL || out == NULL || batched == NULL) return false;
  tl_batch_block(at, b, instead, out, batched);
  at->ad->depth--;
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++)
    tl_env_put(b, &at->env, op->results[k], out[k]);
  return true;
}

enum { FEW = 8 }; // values for which no memory is asked for

static void batch_op(tl_batcher *at, tl_builder *b, const tl_op *op) {
  if (b->error != TL_OK) return;
  tl_arena *a = b->m->arena;
  tl_value few[2 * FEW], *in = few, *out = few + FEW;
  bool few_batched[2 * FEW], *batched = few_batched, *out_batched = few_batched + FEW;
  if (op->n_operands > FEW || op->n_results > FEW) {
    in = TL_NEW(a, tl_value, op->n_operands + 1), out = TL_NEW(a, tl_value, op->n_results + 1);
    batched = TL_NEW(a, bool, op->n_operands + 1);
    out_batched = TL_NEW(a, bool, op->n_results + 1);
  }
  if (in == NULL || out == NULL || batched == NULL || out_batched == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  bool any = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    in[i] = tl_env_get(&at->env, op->operands[i]);
    any |= batched[i] = tl_batcher_is_batched(at, in[i]);
  }
  if (!any && !region_batched(at, b, op)) {
    (void)tl_clone(b, &at->env, op);
    return;
  }
  if (tl_ad_is_control(op) && batch_plainer(at, b, op)) return;
  for (uint32_t k = 0; k < op->n_results; k++) {
    out[k] = NULL;
    out_batched[k] = true;
  }
  tl_loc loc = b->loc;
  b->loc = op->loc;
  tl_batch v = {at->ad, at, b, op, at->size, in, batched, out, out_batched};
  const tl_value *sized = b->sized; // what tlo_size asks
  const uint32_t n_sized = b->n_sized;
  b->sized = in, b->n_sized = op->n_operands;
  tl_ad_rule_of(op->code)->batch(&v);
  b->sized = sized, b->n_sized = n_sized;
  b->loc = loc;
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++) {
    tl_env_put(b, &at->env, op->results[k], out[k]);
    if (out_batched[k]) tl_batcher_mark(at, b, out[k]);
  }
}

void tl_batch_block(tl_batcher *at, tl_builder *b, const tl_block *block, tl_value *out,
                    bool *out_batched) {
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    batch_op(at, b, op);
  for (uint32_t i = 0; b->error == TL_OK && i < block->last->n_operands; i++) {
    out[i] = tl_env_get(&at->env, block->last->operands[i]);
    out_batched[i] = tl_batcher_is_batched(at, out[i]);
  }
}

// --- Rules that are about rules -----------------------------------------------------------------

void tl_batch_none(tl_batch *v) {
  tl_ad_refuse_batching(v->ad, v->b, v->op, tl_ad_rule_of(v->op->code)->refused);
}

void tl_batch_elemwise(tl_batch *v) {
  tl_builder *b = v->b;
  tl_type few[FEW], *types = few;
  if (v->op->n_results > FEW) types = TL_NEW(b->m->arena, tl_type, v->op->n_results);
  if (types == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)tl_batch_in(v, i);
  for (uint32_t k = 0; types != NULL && b->error == TL_OK && k < v->op->n_results; k++) {
    // Nearly always the dims of an operand, which may be shared.
    tl_type t = v->op->results[k]->type, x = v->op->n_operands == 0 ? t : v->op->operands[0]->type;
    const tl_dtype dtype = t.dtype;
    t.dtype = x.dtype;
    types[k] =
        v->op->n_operands != 0 && tl_type_eq(t, x) ? v->in[0]->type : tl_batch_type(b, t, v->size);
    types[k].dtype = dtype;
  }
  tl_op *now = b->error != TL_OK ? NULL : tl_clone_with(b, v->op, v->in, types);
  for (uint32_t k = 0; now != NULL && k < v->op->n_results; k++)
    v->out[k] = now->results[k];
}

// A function's body in place of the op: its parameters are the op's operands.
static void batch_body(tl_batch *v, const tl_func *fn) {
  if (v->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse_batching(v->ad, v->b, v->op, "decompositions and calls nest too deeply");
    return;
  }
  const char *full = tl_ad_write_out(v->ad, fn->body);
  if (full != NULL) {
    tl_ad_refuse_batching(v->ad, v->b, v->op, full);
    return;
  }
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    tl_env_put(v->b, &v->at->env, fn->body->args[i], v->in[i]);
  v->ad->depth++;
  tl_batch_block(v->at, v->b, fn->body, v->out, v->out_batched);
  v->ad->depth--;
}

static bool is_it(const tl_func *fn, void *it) { return fn == it; }

void tl_batch_decompose(tl_batch *v) {
  tl_func *fn;
  tl_status st = tl_decompose_func(v->b->m, v->op, "tl.batch.body", &fn);
  if (st != TL_OK) {
    tl_builder_fail(v->b, st);
    return;
  }
  tl_module_drop(v->b->m, is_it, fn);
  v->ad->in_named++;
  batch_body(v, fn);
  v->ad->in_named--;
}

void tl_batch_call(tl_batch *v) {
  const tl_func *fn = tl_ad_callee(v->b, v->op);
  if (fn != NULL) batch_body(v, fn);
}
