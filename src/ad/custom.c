// Rules that a program brings itself, and recomputation: what a composite may say of its
// derivative.
//
//     stablehlo.composite "custom.f" %x, %y {decomposition = @f, vjp = @g, jvp = @h}
//         f : (x...) -> (y...)
//         vjp: (cotangents of y..., x...) -> (cotangents of x...)
//         jvp: (x..., tangents of x...) -> (tangents of y...)
//
// Forward mode takes jvp and reverse mode vjp. Without a vjp reverse mode transposes the jvp, which
// is linear in the tangents; without a jvp forward mode refuses. Rules are functions like any
// other: they are differentiated and batched in their turn, so a composite in a batch has the
// rules of a batch.
//
//     stablehlo.composite "tlaloc.checkpoint" %x, %y {composite_attributes = {policy = "dots"},
//     ...}
//
// computes its decomposition, and in reverse mode once more when its cotangents are there, from
// its operands alone, instead of keeping what it computed (policy "nothing", which is the default).
// "dots" keeps the products (dot_general, convolution), "everything" is as if it were a call. What
// is recomputed stands behind an optimization_barrier with the cotangents, so that nobody makes it
// one with the first computation again.
#include "ad/loop.h"

#include "ad/custom.h"
#include "ir/composite.h"

static tl_str rule_name(const tl_op *op, tl_attr_id id) {
  return op->code == TL_OP_COMPOSITE ? tl_op_str(op, id) : TL_STR("");
}

bool tl_custom_has_rule(const tl_op *op) {
  return rule_name(op, TL_A_COMPOSITE_vjp).len != 0 || rule_name(op, TL_A_COMPOSITE_jvp).len != 0;
}

static tl_func *rule_of(tl_builder *b, const tl_op *op, tl_attr_id id) {
  tl_str name = rule_name(op, id);
  tl_func *fn = name.len == 0 ? NULL : tl_module_find(b->m, name);
  if (fn == NULL && name.len != 0)
    tl_builder_fail(b, TL_ERROR(NOT_FOUND, "there is no function @" TL_STR_FMT, TL_STR_ARG(name)));
  return fn;
}

bool tl_custom_is_checkpoint(const tl_op *op) {
  tl_checkpoint_policy policy;
  return tl_composite_is_checkpoint(op) &&
         (!tl_composite_policy(op, &policy, NULL) || policy != TL_CHECKPOINT_EVERYTHING);
}

// The body of fn at b, of these arguments.
static bool body_at(tl_builder *b, const tl_func *fn, const tl_value *args, tl_value *out) {
  tl_env e = {0};
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    if (args[i] == NULL) tl_builder_fail(b, TL_ERROR(INTERNAL, "a rule is given too little"));
    tl_env_put(b, &e, fn->body->args[i], args[i]);
  }
  if (b->error == TL_OK) tl_clone_block(b, &e, fn->body, out);
  tl_env_deinit(&e);
  return b->error == TL_OK;
}

// --- Rules of the program's own
// -------------------------------------------------------------------

static void own_vjp(tl_vjp *v, const tl_func *fn) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_operands, m = v->op->n_results;
  tl_value *args = tl_room(b, (size_t)n + m), *out = tl_room(b, n);
  if (b->error != TL_OK) return;
  for (uint32_t k = 0; k < m; k++)
    args[k] = tl_vjp_ct(v, k);
  for (uint32_t i = 0; i < n; i++)
    args[m + i] = v->in[i];
  if (!body_at(b, fn, args, out)) return;
  for (uint32_t i = 0; i < n; i++)
    tl_vjp_give(v, i, out[i]);
}

void tl_jvp_composite(tl_jvp *j) {
  tl_builder *b = j->b;
  const tl_op *op = j->op;
  const uint32_t n = op->n_operands;
  if (!tl_custom_has_rule(op)) {
    tl_jvp_call(j);
    return;
  }
  const tl_func *fn = rule_of(b, op, TL_A_COMPOSITE_jvp);
  if (fn == NULL) {
    tl_ad_refuse(j->ad, b, op, "it brings a vjp of its own and no jvp, which forward mode wants");
    return;
  }
  tl_value *args = tl_room(b, (size_t)2 * n), *out = tl_room(b, op->n_results);
  if (b->error != TL_OK) return;
  for (uint32_t i = 0; i < n; i++) {
    args[i] = j->in[i];
    args[n + i] = tl_jvp_t(j, i);
  }
  if (!body_at(b, fn, args, out)) return;
  for (uint32_t k = 0; k < op->n_results; k++)
    tl_jvp_give(j, k, out[k]);
}

// --- Recomputation
// --------------------------------------------------------------------------------

static bool is_product(const tl_op *op) {
  return op->code == TL_OP_DOT_GENERAL || op->code == TL_OP_CONVOLUTION;
}

static tl_op *next_product(tl_builder *b, tl_op *before) {
  tl_op *op = before == NULL ? b->block->first : before->next;
  while (op != NULL && !is_product(op))
    op = op->next;
  return op;
}

static void emit_active(tl_vjp *v, tl_reverse *r, const tl_func *fn, const tl_value *in,
                        tl_value *out) {
  tl_env e = {0};
  for (uint32_t i = 0; i < v->op->n_operands; i++) {
    tl_env_put(v->b, &e, fn->body->args[i], in[i]);
    if (tl_vjp_wants(v, i)) tl_reverse_activate(r, v->b, in[i]);
  }
  if (v->b->error == TL_OK) tl_reverse_primal(r, v->b, &e, fn->body, out);
  tl_env_deinit(&e);
}

// The composite's body in its place; *out_kept are its products. Its results are those of a
// barrier, for an op is what can take over an op's results.
static void keep_products(tl_vjp *v, const tl_func *fn, tl_value **out_kept, uint32_t *out_n) {
  tl_builder *b = v->b;
  tl_op *after = b->block->last;
  tl_value *out = tl_room(b, v->op->n_results);
  if (out == NULL) return;
  tl_reverse unused = {.ad = v->ad};
  emit_active(v, &unused, fn, v->in, out);
  tl_reverse_deinit(&unused);
  if (b->error != TL_OK) return;
  uint32_t n = 0;
  for (tl_op *op = after; (op = next_product(b, op)) != NULL;)
    n++;
  *out_kept = tl_room(b, n);
  *out_n = n;
  n = 0;
  for (tl_op *op = after; *out_kept != NULL && (op = next_product(b, op)) != NULL;)
    (*out_kept)[n++] = op->results[0];
  tl_op *now =
      b->error != TL_OK
          ? NULL
          : tl_op_finish(b, tl_op_begin(b, TL_OP_OPTIMIZATION_BARRIER, out, v->op->n_results), NULL,
                         0);
  if (now != NULL) tl_ad_take_over(b, after, (tl_op *)(uintptr_t)v->op, now);
}

// The products after `before` give what was kept of them: what follows reads that, and the walk
// back finds its cotangent at the product.
static void read_kept(tl_builder *b, tl_op *before, const tl_value *kept, uint32_t n) {
  tl_env e = {0};
  uint32_t at = 0;
  for (tl_op *op = before == NULL ? b->block->first : before->next; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      op->operands[i] = tl_env_get(&e, op->operands[i]);
    if (!is_product(op) || at == n) continue;
    tl_env_put(b, &e, op->results[0], kept[at]);
    op->results[0] = kept[at++];
  }
  tl_env_deinit(&e);
}

static void drop_products(tl_builder *b, tl_op *before, uint32_t n) {
  for (tl_op *op = before; n > 0 && (op = next_product(b, op)) != NULL; n--) {
    *(op->prev == NULL ? &b->block->first : &op->prev->next) = op->next;
    *(op->next == NULL ? &b->block->last : &op->next->prev) = op->prev;
  }
}

static void recompute(tl_vjp *v, const tl_func *fn) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const uint32_t n = op->n_operands, m = op->n_results;
  tl_value *kept = NULL;
  uint32_t n_kept = 0;
  tl_checkpoint_policy policy; // one of them, the type rule sees to it
  if (tl_composite_policy(op, &policy, NULL) && policy == TL_CHECKPOINT_DOTS)
    keep_products(v, fn, &kept, &n_kept);
  tl_value *held = tl_room(b, (size_t)n + m + n_kept), *out = tl_room(b, m);
  if (b->error != TL_OK) return;
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++)
    held[at++] = v->in[i];
  for (uint32_t i = 0; i < n_kept; i++)
    held[at++] = kept[i];
  for (uint32_t k = 0; k < m; k++)
    if (v->ct[k] != NULL) held[at++] = v->ct[k];
  tl_op *barrier = tl_op_finish(b, tl_op_begin(b, TL_OP_OPTIMIZATION_BARRIER, held, at), NULL, 0);
  if (barrier == NULL) return;
  tl_reverse r = {.ad = v->ad};
  emit_active(v, &r, fn, barrier->results, out);
  if (b->error == TL_OK && n_kept != 0) {
    const tl_value *again = barrier->results + n;
    tl_env e = {0};
    uint32_t k = 0;
    for (tl_op *p = barrier; k < n_kept && (p = next_product(b, p)) != NULL; k++) {
      if (tl_reverse_is_active(&r, p->results[0])) tl_reverse_activate(&r, b, again[k]);
      tl_env_put(b, &e, p->results[0], again[k]);
    }
    for (k = 0; k < m; k++)
      out[k] = tl_env_get(&e, out[k]);
    tl_env_deinit(&e);
    read_kept(b, barrier, again, n_kept);
  }
  at = n + n_kept;
  for (uint32_t k = 0; b->error == TL_OK && k < m; k++)
    if (v->ct[k] != NULL) tl_reverse_give(&r, b, out[k], barrier->results[at++]);
  if (b->error == TL_OK) tl_reverse_walk(&r, b, barrier, b->block->last);
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++)
    tl_vjp_give(v, i, tl_reverse_ct(&r, barrier->results[i]));
  if (b->error == TL_OK) drop_products(b, barrier, n_kept);
  tl_reverse_deinit(&r);
}

void tl_vjp_composite(tl_vjp *v) {
  const tl_func *fn = rule_of(v->b, v->op, TL_A_COMPOSITE_vjp);
  if (fn != NULL) {
    own_vjp(v, fn);
  } else if (tl_custom_has_rule(v->op)) {
    if (v->b->error == TL_OK) tl_vjp_transpose(v);
  } else if (tl_custom_is_checkpoint(v->op)) {
    fn = tl_ad_callee(v->b, v->op);
    if (fn == NULL || !tl_ad_enter(v->ad, v->b, v->op)) return;
    recompute(v, fn);
    v->ad->depth--;
  } else {
    tl_vjp_call(v);
  }
}

// --- Batches ------------------------------------------------------------------------------------

static bool is_it(const tl_func *fn, void *it) { return fn == it; }

// A name that the module does not have yet.
static const char *new_name(tl_builder *b, tl_str base) {
  for (int i = 0; b->error == TL_OK && i < 1 << 20; i++) {
    const char *name = tl_arena_printf(b->m->arena, TL_STR_FMT ".batch%d", TL_STR_ARG(base), i);
    if (name == NULL) break;
    if (tl_module_find(b->m, tl_str_of(name)) == NULL) return name;
  }
  tl_builder_fail(b, TL_OOM());
  return "";
}

// fn over the batch: `axes` of its arguments. Result k is summed over the batch where `sum` says
// so.
static tl_func *batched_func(tl_batch *v, const tl_func *fn, const int64_t *axes, const bool *sum) {
  tl_builder *b = v->b;
  if (b->error != TL_OK) return NULL;
  tl_vmap_options o = {.in_axes = axes, .size = v->size, .diags = v->ad->diags};
  const char *name = new_name(b, fn->name);
  tl_func *all = NULL;
  tl_status st = b->error != TL_OK ? TL_OK : tl_ad_vmap(b->m, fn, &o, name, &all);
  if (st != TL_OK) tl_builder_fail(b, st);
  if (all == NULL || sum == NULL) return all;
  tl_builder in = tl_func_begin(b->m, new_name(b, fn->name), true);
  tl_value *args = tl_room(b, all->body->n_args), *out = tl_room(b, all->n_results);
  for (uint32_t i = 0; args != NULL && i < all->body->n_args; i++)
    args[i] = tl_func_arg(&in, all->body->args[i]->type);
  tl_func *summed = in.fn;
  if (args != NULL && out != NULL && in.error == TL_OK && body_at(&in, all, args, out)) {
    for (uint32_t k = 0; k < all->n_results; k++)
      if (sum[k]) {
        const tl_type one = fn->result_types[k];
        out[k] = tl_ad_is_inexact(one.dtype) ? tl_ad_sum(&in, out[k], (const int64_t[]){0}, 1)
                                             : tl_ad_zeros(&in, one);
      }
    tlo_return(&in, out, all->n_results);
  }
  st = tl_builder_finish(&in);
  if (st != TL_OK) tl_builder_fail(b, st);
  tl_module_drop(b->m, is_it, all);
  return b->error == TL_OK ? summed : NULL;
}

void tl_batch_composite(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const bool checkpoint = tl_custom_is_checkpoint(op);
  if (!tl_custom_has_rule(op) && !checkpoint) {
    tl_batch_call(v);
    return;
  }
  const uint32_t n = op->n_operands, m = op->n_results;
  const tl_func *fn = tl_ad_callee(b, op), *vjp = rule_of(b, op, TL_A_COMPOSITE_vjp),
                *jvp = rule_of(b, op, TL_A_COMPOSITE_jvp);
  int64_t *axes = TL_NEW(b->m->arena, int64_t, (size_t)2 * n + m + 1);
  bool *sum = tl_flags(b, n);
  if (axes == NULL) tl_builder_fail(b, TL_OOM());
  if (b->error != TL_OK || !tl_ad_enter(v->ad, b, op)) return;
  for (uint32_t i = 0; i < n; i++)
    axes[i] = axes[n + i] = v->batched[i] ? 0 : TL_NOT_BATCHED;
  const tl_func *now_fn = batched_func(v, fn, axes, NULL);
  // Tangents are of what is batched or not alike.
  const tl_func *now_jvp = jvp == NULL ? NULL : batched_func(v, jvp, axes, NULL);
  for (uint32_t i = 0; i < n; i++)
    sum[i] = !v->batched[i];
  for (uint32_t k = 0; k < m; k++)
    axes[k] = 0;
  for (uint32_t i = 0; i < n; i++)
    axes[m + i] = v->batched[i] ? 0 : TL_NOT_BATCHED;
  const tl_func *now_vjp = vjp == NULL ? NULL : batched_func(v, vjp, axes, sum);
  v->ad->depth--;
  tl_op *now = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_COMPOSITE, v->in, n);
  if (now == NULL) return;
  memcpy(now->attrs, op->attrs, tl_op_get(op->code)->n_attrs * sizeof *op->attrs);
  tl_op_set_str(b, now, TL_A_COMPOSITE_decomposition, now_fn->name);
  if (now_vjp != NULL) tl_op_set_str(b, now, TL_A_COMPOSITE_vjp, now_vjp->name);
  if (now_jvp != NULL) tl_op_set_str(b, now, TL_A_COMPOSITE_jvp, now_jvp->name);
  now = tl_op_finish(b, now, NULL, 0);
  for (uint32_t k = 0; now != NULL && k < m; k++)
    v->out[k] = now->results[k];
}
