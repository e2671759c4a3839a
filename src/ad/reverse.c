// Reverse mode: a forward copy of the ops, then a walk back that gives every value its cotangent.
//
// Only what depends on an argument that is differentiated by is walked; a value without a cotangent
// is a structural zero and costs nothing. Cotangents that meet are added in the order in which the
// walk gives them, from the last use to the first.
#include "ad/rule.h"

#include "ad/custom.h"

#include "ir/decompose.h"

void tl_reverse_deinit(tl_reverse *r) { tl_value_map_deinit(&r->active); }

bool tl_reverse_is_active(const tl_reverse *r, tl_value v) {
  return v != NULL && tl_value_map_get(&r->active, v, NULL);
}

void tl_reverse_activate(tl_reverse *r, tl_builder *b, tl_value v) {
  if (v != NULL && tl_ad_varies(v->type) && !tl_reverse_is_active(r, v) &&
      !tl_value_map_put(&r->active, v, TL_NO_CT))
    tl_builder_fail(b, TL_OOM());
}

tl_value tl_reverse_ct(const tl_reverse *r, tl_value v) {
  uintptr_t ct;
  return tl_value_map_get(&r->active, v, &ct) && ct != TL_NO_CT ? (tl_value)ct : NULL;
}

void tl_reverse_set(tl_reverse *r, tl_builder *b, tl_value of, tl_value ct) {
  if (ct != NULL && !tl_value_map_put(&r->active, of, (uintptr_t)ct)) tl_builder_fail(b, TL_OOM());
}

void tl_reverse_give(tl_reverse *r, tl_builder *b, tl_value to, tl_value ct) {
  if (ct == NULL || !tl_reverse_is_active(r, to)) return;
  TL_ASSERT(ct->type.dtype == to->type.dtype && ct->type.rank == to->type.rank);
  tl_value before = tl_reverse_ct(r, to);
  tl_reverse_set(r, b, to, before == NULL ? ct : tl_ad_add(b, before, ct));
}

bool tl_vjp_wants(const tl_vjp *v, uint32_t i) { return tl_reverse_is_active(v->r, v->in[i]); }

void tl_vjp_give(tl_vjp *v, uint32_t i, tl_value ct) { tl_reverse_give(v->r, v->b, v->in[i], ct); }

void tl_vjp_give_slice(tl_vjp *v, uint32_t i, tl_value ct, const tl_value *starts) {
  if (ct == NULL || !tl_vjp_wants(v, i)) return;
  tl_value before = tl_reverse_ct(v->r, v->in[i]);
  if (before == NULL)
    before = tl_ad_zeros(v->b, v->in[i]->type);
  else
    ct = tlo_add(v->b, tlo_dynamic_slice(v->b, before, starts, ct->type.dims), ct);
  tl_reverse_set(v->r, v->b, v->in[i], tlo_dynamic_update_slice(v->b, before, ct, starts));
}

tl_value tl_vjp_ct(tl_vjp *v, uint32_t k) {
  if (v->ct[k] == NULL) v->ct[k] = tl_ad_zeros(v->b, v->out[k]->type);
  return v->ct[k];
}

static bool any_active(const tl_reverse *r, tl_builder *b, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (tl_reverse_is_active(r, op->operands[i])) return true;
  if (op->n_regions == 0) return false;
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_reverse_is_active(r, free[i])) return true;
  return false;
}

static void mark(tl_reverse *r, tl_builder *b, const tl_op *op) {
  if (tl_ad_rule_of(op->code)->zero || !any_active(r, b, op)) return;
  for (uint32_t i = 0; i < op->n_results; i++)
    tl_reverse_activate(r, b, op->results[i]);
}

void tl_reverse_mark(tl_reverse *r, tl_builder *b, const tl_op *before) {
  if (b->block == NULL) return;
  for (const tl_op *op = before == NULL ? b->block->first : before->next; op != NULL; op = op->next)
    mark(r, b, op);
}

// The body of a call or composite in place of it.
static void primal_call(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op) {
  const tl_func *fn = tl_ad_callee(b, op);
  tl_value *out = TL_NEW(b->m->arena, tl_value, op->n_results + 1);
  if (out == NULL) tl_builder_fail(b, TL_OOM());
  if (fn == NULL || out == NULL) return;
  if (r->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(r->ad, b, op, "calls nest too deeply");
    return;
  }
  const char *full = tl_ad_write_out(r->ad, fn->body);
  if (full != NULL) {
    tl_ad_refuse(r->ad, b, op, full);
    return;
  }
  r->ad->depth++;
  tl_env inner = {0};
  for (uint32_t i = 0; i < op->n_operands; i++)
    tl_env_put(b, &inner, fn->body->args[i], tl_env_get(e, op->operands[i]));
  tl_reverse_primal(r, b, &inner, fn->body, out);
  tl_env_deinit(&inner);
  r->ad->depth--;
  for (uint32_t i = 0; i < op->n_results; i++)
    tl_env_put(b, e, op->results[i], out[i]);
}

// Copies the ops after `before`, which stand at the end of b's block, again: each is replaced by
// its own body where its rule wants that. They are unlinked.
static void primal_body(tl_reverse *r, tl_builder *b, tl_op *before, tl_value *results, uint32_t n);

static void primal_named(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op) {
  tl_value *in = TL_NEW(b->m->arena, tl_value, op->n_operands + 1),
           *out = TL_NEW(b->m->arena, tl_value, op->n_results + 1);
  if (in == NULL || out == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t i = 0; i < op->n_operands; i++)
    in[i] = tl_env_get(e, op->operands[i]);
  tl_op *before = b->block == NULL ? NULL : b->block->last;
  tl_loc loc = b->loc;
  b->loc = op->loc;
  r->ad->in_named++;
  if (tl_decompose_op(b, op, in, out)) primal_body(r, b, before, out, op->n_results);
  r->ad->in_named--;
  b->loc = loc;
  for (uint32_t i = 0; b->error == TL_OK && i < op->n_results; i++)
    tl_env_put(b, e, op->results[i], out[i]);
}

static bool operands_active(const tl_reverse *r, const tl_env *e, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (tl_reverse_is_active(r, tl_env_get(e, op->operands[i]))) return true;
  return false;
}

// A composite that says nothing of its derivative is a call.
static bool is_plain_call(const tl_op *op) {
  return op->code == TL_OP_CALL ||
         (op->code == TL_OP_COMPOSITE && !tl_custom_has_rule(op) && !tl_custom_is_checkpoint(op));
}

// A branch or loop by way of plainer ops.
static bool primal_plainer(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op) {
  tl_value *out = tl_room(b, op->n_results);
  const tl_block *instead = tl_ad_plainer(r->ad, b, op, TL_AD_REVERSE);
  if (instead == NULL || out == NULL) return false;
  tl_reverse_primal(r, b, e, instead, out);
  r->ad->depth--;
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++)
    tl_env_put(b, e, op->results[k], out[k]);
  return true;
}

static bool control_is_active(const tl_reverse *r, tl_builder *b, const tl_env *e,
                              const tl_op *op) {
  if (operands_active(r, e, op)) return true;
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_reverse_is_active(r, tl_env_get(e, free[i]))) return true;
  return false;
}

static void primal_op(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op) {
  const tl_ad_rule *rule = tl_ad_rule_of(op->code);
  if (b->error != TL_OK) return;
  if (rule->vjp == tl_vjp_decompose && operands_active(r, e, op)) {
    primal_named(r, b, e, op);
  } else if (is_plain_call(op) && operands_active(r, e, op)) {
    primal_call(r, b, e, op);
  } else if (!tl_ad_is_control(op) || !control_is_active(r, b, e, op) ||
             !primal_plainer(r, b, e, op)) {
    const tl_op *now = tl_clone(b, e, op);
    if (now != NULL) mark(r, b, now);
  }
}

static void primal_body(tl_reverse *r, tl_builder *b, tl_op *before, tl_value *results,
                        uint32_t n) {
  bool again = false;
  tl_op *first = before == NULL ? b->block->first : before->next;
  for (const tl_op *op = first; op != NULL && !again; op = op->next)
    again = tl_ad_rule_of(op->code)->vjp == tl_vjp_decompose;
  if (!again) {
    tl_reverse_mark(r, b, before);
    return;
  }
  if (before == NULL)
    b->block->first = NULL;
  else
    before->next = NULL;
  b->block->last = before;
  tl_env e = {0};
  r->ad->depth++;
  for (const tl_op *op = first; op != NULL; op = op->next)
    primal_op(r, b, &e, op);
  r->ad->depth--;
  for (uint32_t i = 0; i < n; i++)
    results[i] = tl_env_get(&e, results[i]);
  tl_env_deinit(&e);
}

void tl_reverse_primal(tl_reverse *r, tl_builder *b, tl_env *e, const tl_block *block,
                       tl_value *out) {
  for (const tl_op *op = block->first; op != block->last; op = op->next)
    primal_op(r, b, e, op);
  for (uint32_t i = 0; b->error == TL_OK && i < block->last->n_operands; i++)
    out[i] = tl_env_get(e, block->last->operands[i]);
}

static void step_back(tl_reverse *r, tl_builder *b, tl_op *op) {
  enum { FEW = 8 };
  tl_value few[FEW], *ct = few;
  if (op->n_results > FEW) ct = TL_NEW(b->m->arena, tl_value, op->n_results);
  if (ct == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  bool any = false, active = false;
  for (uint32_t k = 0; k < op->n_results; k++) {
    active |= tl_reverse_is_active(r, op->results[k]);
    ct[k] = tl_reverse_ct(r, op->results[k]);
    any |= ct[k] != NULL;
  }
  if (!any || !active) return;
  tl_vjp v = {r->ad, r, b, op, op->operands, op->results, ct};
  b->loc = op->loc;
  const tl_value *sized = b->sized; // what tlo_size asks first
  const uint32_t n_sized = b->n_sized;
  b->sized = op->operands, b->n_sized = op->n_operands;
  tl_ad_rule_of(op->code)->vjp(&v);
  b->sized = sized, b->n_sized = n_sized;
}

void tl_reverse_walk(tl_reverse *r, tl_builder *b, tl_op *before, tl_op *last) {
  tl_loc loc = b->loc;
  for (tl_op *op = last; op != NULL && op != before && b->error == TL_OK; op = op->prev)
    step_back(r, b, op);
  b->loc = loc;
}

// --- Rules that are about rules -----------------------------------------------------------------

void tl_vjp_none(tl_vjp *v) {
  tl_ad_refuse(v->ad, v->b, v->op, tl_ad_rule_of(v->op->code)->refused);
}

void tl_vjp_zero(tl_vjp *v) { (void)v; }

void tl_vjp_diag(tl_vjp *v) {
  tl_diag_at d = {v->b, v->op, v->in, v->out[0]};
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    if (tl_vjp_wants(v, i)) tl_vjp_give(v, i, tl_ad_rule_of(v->op->code)->diag(&d, i, v->ct[0]));
}

// Back through the ops after `before`, whose results `out` have v's cotangents.
static void back_through(tl_vjp *v, tl_op *before, const tl_value *out) {
  tl_builder *b = v->b;
  if (b->error != TL_OK) return;
  if (v->ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(v->ad, b, v->op, "decompositions and calls nest too deeply");
    return;
  }
  v->ad->depth++;
  tl_reverse_mark(v->r, b, before);
  for (uint32_t k = 0; k < v->op->n_results; k++)
    tl_reverse_give(v->r, b, out[k], v->ct[k]);
  tl_op *last = before == NULL ? NULL : b->block->last;
  tl_reverse_walk(v->r, b, before, last);
  v->ad->depth--;
}

void tl_vjp_decompose(tl_vjp *v) {
  tl_value *out = tl_room(v->b, v->op->n_results);
  tl_op *before = v->b->block->last;
  if (out != NULL && tl_decompose_op(v->b, v->op, v->in, out)) back_through(v, before, out);
}

void tl_vjp_call(tl_vjp *v) {
  const tl_func *fn = tl_ad_callee(v->b, v->op);
  tl_value *out = tl_room(v->b, v->op->n_results);
  tl_op *before = v->b->block->last;
  if (fn == NULL || out == NULL) return;
  const char *full = tl_ad_write_out(v->ad, fn->body);
  if (full != NULL) {
    tl_ad_refuse(v->ad, v->b, v->op, full);
    return;
  }
  tl_env e = {0};
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    tl_env_put(v->b, &e, fn->body->args[i], v->in[i]);
  tl_clone_block(v->b, &e, fn->body, out);
  tl_env_deinit(&e);
  back_through(v, before, out);
}

// The jvp at tangents that are zeros of their own is linear in them; its transpose is the vjp.
void tl_vjp_transpose(tl_vjp *v) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_operands;
  tl_value *t = tl_room(b, n), *t_out = tl_room(b, v->op->n_results);
  if (t == NULL || t_out == NULL) return;
  tl_forward f = {.ad = v->ad};
  tl_reverse inner = {.ad = v->ad};
  for (uint32_t i = 0; i < n; i++) {
    if (!tl_vjp_wants(v, i)) continue;
    t[i] = tl_ad_zeros(b, v->in[i]->type);
    tl_reverse_activate(&inner, b, t[i]);
  }
  tl_op *before = b->block->last;
  tl_jvp j = {v->ad, &f, b, v->op, v->in, v->out, t, t_out};
  if (b->error == TL_OK) tl_ad_rule_of(v->op->code)->jvp(&j);
  if (b->error == TL_OK) {
    tl_vjp w = *v;
    w.r = &inner;
    for (uint32_t k = 0; k < v->op->n_results; k++)
      if (t_out[k] == NULL) w.ct[k] = NULL;
    back_through(&w, before, t_out);
    for (uint32_t i = 0; i < n; i++)
      if (t[i] != NULL) tl_vjp_give(v, i, tl_reverse_ct(&inner, t[i]));
  }
  tl_reverse_deinit(&inner);
  tl_forward_deinit(&f);
}
