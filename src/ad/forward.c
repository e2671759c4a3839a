// Forward mode: each op with the tangent of its results, in one pass.
#include "ad/rule.h"

#include "ir/decompose.h"

void tl_forward_deinit(tl_forward *f) { tl_value_map_deinit(&f->tangents); }

tl_value tl_forward_get(const tl_forward *f, tl_value v) {
  return tl_value_map_find(&f->tangents, v);
}

void tl_forward_put(tl_forward *f, tl_builder *b, tl_value v, tl_value t) {
  if (v == NULL || t == NULL || !tl_ad_varies(v->type)) return;
  TL_ASSERT(t->type.dtype == v->type.dtype && t->type.rank == v->type.rank);
  if (!tl_value_map_put(&f->tangents, v, (uintptr_t)t)) tl_builder_fail(b, TL_OOM());
}

tl_value tl_jvp_t(tl_jvp *j, uint32_t i) {
  if (j->t[i] == NULL) j->t[i] = tl_ad_zeros(j->b, j->in[i]->type);
  return j->t[i];
}

void tl_jvp_give(tl_jvp *j, uint32_t k, tl_value t) { j->t_out[k] = t; }

static bool any_tangent(const tl_forward *f, tl_builder *b, const tl_op *op, const tl_env *e) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (tl_forward_get(f, tl_env_get(e, op->operands[i])) != NULL) return true;
  if (op->n_regions == 0) return false;
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_forward_get(f, tl_env_get(e, free[i])) != NULL) return true;
  return false;
}

static void forward_op(tl_forward *f, tl_builder *b, tl_env *e, const tl_op *op);

// The tangents of a copied op.
static void tangents(tl_forward *f, tl_builder *b, const tl_op *now) {
  tl_value *t = tl_room(b, now->n_operands), *t_out = tl_room(b, now->n_results);
  if (t == NULL || t_out == NULL) return;
  for (uint32_t i = 0; i < now->n_operands; i++)
    t[i] = tl_forward_get(f, now->operands[i]);
  tl_loc loc = b->loc;
  b->loc = now->loc;
  tl_jvp j = {f->ad, f, b, now, now->operands, now->results, t, t_out};
  const tl_value *sized = b->sized; // what tlo_size asks first
  const uint32_t n_sized = b->n_sized;
  b->sized = now->operands, b->n_sized = now->n_operands;
  tl_ad_rule_of(now->code)->jvp(&j);
  b->sized = sized, b->n_sized = n_sized;
  b->loc = loc;
  for (uint32_t k = 0; b->error == TL_OK && k < now->n_results; k++)
    if (tl_ad_is_inexact(now->results[k]->type.dtype))
      tl_forward_put(f, b, now->results[k], t_out[k]);
}

void tl_forward_ops(tl_forward *f, tl_builder *b, const tl_op *first, const tl_op *last) {
  const tl_env none = {0};
  for (const tl_op *op = first; op != NULL && b->error == TL_OK; op = op->next) {
    if (!tl_ad_rule_of(op->code)->zero && any_tangent(f, b, op, &none)) tangents(f, b, op);
    if (op == last) break;
  }
}

// The body of a call in place of it.
static void forward_call(tl_forward *f, tl_builder *b, tl_env *e, const tl_op *op) {
  const tl_func *fn = tl_ad_callee(b, op);
  tl_value *out = tl_room(b, op->n_results), *t_out = tl_room(b, op->n_results);
  if (fn == NULL || out == NULL || t_out == NULL) return;
  if (f->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(f->ad, b, op, "calls nest too deeply");
    return;
  }
  const char *full = tl_ad_write_out(f->ad, fn->body);
  if (full != NULL) {
    tl_ad_refuse(f->ad, b, op, full);
    return;
  }
  f->ad->depth++;
  tl_env inner = {0};
  for (uint32_t i = 0; i < op->n_operands; i++)
    tl_env_put(b, &inner, fn->body->args[i], tl_env_get(e, op->operands[i]));
  tl_forward_block(f, b, &inner, fn->body, out, t_out);
  tl_env_deinit(&inner);
  f->ad->depth--;
  for (uint32_t k = 0; k < op->n_results; k++)
    tl_env_put(b, e, op->results[k], out[k]);
}

// The decomposition in place of the op.
static void forward_named(tl_forward *f, tl_builder *b, tl_env *e, const tl_op *op) {
  tl_value *in = tl_room(b, op->n_operands), *out = tl_room(b, op->n_results);
  if (in == NULL || out == NULL || b->block == NULL) return;
  for (uint32_t i = 0; i < op->n_operands; i++)
    in[i] = tl_env_get(e, op->operands[i]);
  tl_op *before = b->block->last;
  tl_loc loc = b->loc;
  b->loc = op->loc;
  bool good = tl_decompose_op(b, op, in, out);
  // What was emitted is taken out and put back with its tangents.
  tl_op *first = before == NULL ? b->block->first : before->next;
  if (good && first != NULL) {
    if (before == NULL)
      b->block->first = NULL;
    else
      before->next = NULL;
    b->block->last = before;
    tl_env inner = {0};
    f->ad->depth++;
    f->ad->in_named++;
    for (const tl_op *o = first; o != NULL; o = o->next)
      forward_op(f, b, &inner, o);
    f->ad->in_named--;
    f->ad->depth--;
    for (uint32_t k = 0; k < op->n_results; k++)
      out[k] = tl_env_get(&inner, out[k]);
    tl_env_deinit(&inner);
  }
  b->loc = loc;
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++)
    tl_env_put(b, e, op->results[k], out[k]);
}

// A branch or loop by way of plainer ops.
static bool forward_plainer(tl_forward *f, tl_builder *b, tl_env *e, const tl_op *op) {
  tl_value *out = tl_room(b, op->n_results), *t_out = tl_room(b, op->n_results);
  const tl_block *instead = tl_ad_plainer(f->ad, b, op, TL_AD_FORWARD);
  if (instead == NULL || out == NULL || t_out == NULL) return false;
  tl_forward_block(f, b, e, instead, out, t_out);
  f->ad->depth--;
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++)
    tl_env_put(b, e, op->results[k], out[k]);
  return true;
}

static void forward_op(tl_forward *f, tl_builder *b, tl_env *e, const tl_op *op) {
  if (b->error != TL_OK) return;
  const tl_ad_rule *rule = tl_ad_rule_of(op->code);
  const bool any = !rule->zero && any_tangent(f, b, op, e);
  if (any && rule->jvp == tl_jvp_decompose) {
    forward_named(f, b, e, op);
  } else if (any && op->code == TL_OP_CALL) {
    forward_call(f, b, e, op);
  } else if (!any || !tl_ad_is_control(op) || !forward_plainer(f, b, e, op)) {
    const tl_op *now = tl_clone(b, e, op);
    if (any && now != NULL) tangents(f, b, now);
  }
}

void tl_forward_block(tl_forward *f, tl_builder *b, tl_env *e, const tl_block *block, tl_value *out,
                      tl_value *t_out) {
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    forward_op(f, b, e, op);
  for (uint32_t i = 0; b->error == TL_OK && i < block->last->n_operands; i++) {
    out[i] = tl_env_get(e, block->last->operands[i]);
    t_out[i] = tl_forward_get(f, out[i]);
  }
}

// --- Rules that are about rules -----------------------------------------------------------------

void tl_jvp_none(tl_jvp *j) {
  tl_ad_refuse(j->ad, j->b, j->op, tl_ad_rule_of(j->op->code)->refused);
}

void tl_jvp_zero(tl_jvp *j) { (void)j; }

// Reached only where a rule emitted such an op itself: through a copy of its body.
void tl_jvp_decompose(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_env e = {0};
  forward_named(j->f, b, &e, j->op);
  for (uint32_t k = 0; b->error == TL_OK && k < j->op->n_results; k++)
    tl_jvp_give(j, k, tl_forward_get(j->f, tl_env_get(&e, j->out[k])));
  tl_env_deinit(&e);
}

void tl_jvp_call(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_env e = {0};
  forward_call(j->f, b, &e, j->op);
  for (uint32_t k = 0; b->error == TL_OK && k < j->op->n_results; k++)
    tl_jvp_give(j, k, tl_forward_get(j->f, tl_env_get(&e, j->out[k])));
  tl_env_deinit(&e);
}

void tl_jvp_diag(tl_jvp *j) {
  tl_diag_at d = {j->b, j->op, j->in, j->out[0]};
  tl_value sum = NULL;
  for (uint32_t i = 0; i < j->op->n_operands; i++) {
    if (j->t[i] == NULL) continue;
    tl_value term = tl_ad_rule_of(j->op->code)->diag(&d, i, j->t[i]);
    sum = sum == NULL || term == NULL ? (sum == NULL ? term : sum) : tl_ad_add(j->b, sum, term);
  }
  tl_jvp_give(j, 0, sum);
}

// The op itself, of the tangents.
void tl_jvp_linear(tl_jvp *j) {
  const tl_op *op = j->op;
  tl_value *operands = tl_room(j->b, op->n_operands);
  tl_type *types = TL_NEW(j->b->m->arena, tl_type, op->n_results + 1);
  if (types == NULL) tl_builder_fail(j->b, TL_OOM());
  if (operands == NULL || types == NULL) return;
  const uint32_t linear = tl_ad_rule_of(op->code)->linear;
  bool any = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const bool is = linear == UINT32_MAX || (i < 32 && (linear >> i & 1) != 0);
    any |= is && j->t[i] != NULL;
    operands[i] = is && tl_ad_is_inexact(j->in[i]->type.dtype) ? tl_jvp_t(j, i) : j->in[i];
  }
  for (uint32_t k = 0; k < op->n_results; k++)
    types[k] = op->results[k]->type;
  if (!any) return;
  tl_op *t = tl_clone_with(j->b, op, operands, types);
  for (uint32_t k = 0; t != NULL && k < op->n_results; k++)
    tl_jvp_give(j, k, t->results[k]);
}
