// Branches, and what they share with loops.
//
// Backwards a branch is the same choice again: each branch computes what it did, walks back, and
// yields the cotangents of the outer values that any branch depends on. Such a cotangent starts
// from what the value has had so far, so that a branch that gives none hands it on, and one that
// adds to a slice adds in place.
//
// In a batch whose predicate is one value the choice stays. Where each lane chooses, every branch
// that some lane has chosen runs on all lanes, and each lane takes its own. Lanes that chose
// another read a copy of a lane that did: what they compute is thrown away, and must not be NaN
// or infinite where the chosen lanes are finite, for in the way back 0 times infinity is no zero
// (docs/design/predicates.md).
#include "ad/loop.h"

#include "passes/phi.h"

bool tl_ad_enter(tl_ad *ad, tl_builder *b, const tl_op *op) {
  if (b->error != TL_OK) return false;
  if (ad->depth >= TL_AD_MAX_DEPTH) {
    tl_ad_refuse(ad, b, op, "regions nest too deeply");
    return false;
  }
  ad->depth++;
  return true;
}

// A loop of a named op's decomposition stays as it is, so that its derivative does not depend on
// which sizes are numbers; and so does one whose states the caller counts.
const tl_block *tl_ad_plainer(tl_ad *ad, tl_builder *b, const tl_op *op, tl_ad_way_to way) {
  if (b->error != TL_OK || ad->in_named != 0 ||
      (op->code == TL_OP_WHILE && ad->options->checkpoints > 0))
    return NULL;
  const tl_phi_options o = {.unrolled = ad->options->unroll, .chains_stay = way != TL_AD_LANES};
  const tl_block *instead = tl_phi_instead(b, op, &o);
  if (instead == NULL || tl_ad_write_out(ad, instead) != NULL) return NULL;
  return tl_ad_enter(ad, b, op) ? instead : NULL;
}

void tl_ad_take_over(tl_builder *b, tl_op *after, tl_op *old, tl_op *now) {
  if (b->error != TL_OK || now == NULL) return;
  tl_block *block = b->block;
  for (uint32_t k = 0; k < old->n_results; k++) {
    tl_value was = old->results[k];
    now->results[k] = was;
    was->op = now;
    was->index = k;
    was->id = now->results[0]->id;
  }
  tl_op *first = after == NULL ? block->first : after->next, *last = block->last;
  tl_op *prev = old->prev, *next = old->next;
  if (next == first) { // nothing between: the chain only loses `old`
    first->prev = prev;
  } else {
    after->next = NULL;
    block->last = after;
    first->prev = prev;
    last->next = next;
    next->prev = last;
  }
  *(prev == NULL ? &block->first : &prev->next) = first;
}

// --- Branches, forward and back
// -------------------------------------------------------------------

// A builder at the end of a new region for each region of `op`.
static tl_builder *regions_begin(tl_builder *b, tl_op *now, uint32_t n) {
  tl_builder *in = b->error != TL_OK ? NULL : TL_NEW(b->m->arena, tl_builder, n + 1);
  if (in == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t r = 0; in != NULL && r < n; r++)
    in[r] = tl_builder_at(b, tl_op_add_region(b, now));
  return in;
}

static void branch_back(tl_vjp *v, tl_builder *in, const tl_block *branch, const tl_value *free,
                        uint32_t n, tl_value *ct) {
  tl_reverse r = {.ad = v->ad};
  tl_env e = {0};
  for (uint32_t i = 0; i < n; i++) {
    tl_reverse_activate(&r, in, free[i]);
    tl_reverse_set(&r, in, free[i], ct[i]);
  }
  tl_value *out = tl_room(in, v->op->n_results);
  if (out != NULL) tl_reverse_primal(&r, in, &e, branch, out);
  for (uint32_t k = 0; in->error == TL_OK && k < v->op->n_results; k++)
    tl_reverse_give(&r, in, out[k], v->ct[k]);
  if (in->error == TL_OK && in->block->last != NULL) tl_reverse_walk(&r, in, NULL, in->block->last);
  for (uint32_t i = 0; i < n; i++)
    ct[i] = tl_reverse_ct(&r, free[i]);
  tl_env_deinit(&e);
  tl_reverse_deinit(&r);
}

void tl_vjp_branches(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  uint32_t n_all, n = 0;
  tl_value *free = tl_free_values(b, op, &n_all);
  for (uint32_t i = 0; i < n_all; i++)
    if (tl_reverse_is_active(v->r, free[i])) free[n++] = free[i];
  if (n == 0 || !tl_ad_enter(v->ad, b, op)) return;
  tl_op *back = tl_op_begin(b, op->code, v->in, 1);
  tl_builder *in = regions_begin(b, back, op->n_regions);
  tl_value *ct = tl_room(b, (size_t)n * op->n_regions);
  for (uint32_t r = 0; b->error == TL_OK && r < op->n_regions; r++) {
    for (uint32_t i = 0; i < n; i++)
      ct[r * n + i] = tl_reverse_ct(v->r, free[i]);
    branch_back(v, &in[r], op->regions[r], free, n, ct + r * n);
    tl_builder_join(b, &in[r]);
  }
  v->ad->depth--;
  // Only what some branch has added to is a result.
  uint32_t n_kept = 0;
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    bool given = false;
    for (uint32_t r = 0; r < op->n_regions; r++)
      given |= ct[r * n + i] != tl_reverse_ct(v->r, free[i]);
    if (!given) continue;
    for (uint32_t r = 0; r < op->n_regions; r++) {
      tl_value c = ct[r * n + i];
      ct[r * n + n_kept] = c != NULL ? c : tl_ad_zeros(&in[r], free[i]->type);
    }
    free[n_kept++] = free[i];
  }
  for (uint32_t r = 0; b->error == TL_OK && r < op->n_regions; r++) {
    tlo_return(&in[r], ct + r * n, n_kept);
    tl_builder_join(b, &in[r]);
  }
  if (n_kept == 0) return;
  back = b->error != TL_OK ? NULL : tl_op_finish(b, back, NULL, 0);
  for (uint32_t i = 0; back != NULL && i < n_kept; i++)
    tl_reverse_set(v->r, b, free[i], back->results[i]);
}

// The op again, with the tangents of its results after them, in its place.
void tl_jvp_branches(tl_jvp *j) {
  tl_builder *b = j->b;
  const tl_op *op = j->op;
  const uint32_t n = op->n_results;
  if (!tl_ad_enter(j->ad, b, op)) return;
  tl_op *after = b->block->last;
  tl_op *now = tl_op_begin(b, op->code, j->in, 1);
  tl_builder *in = regions_begin(b, now, op->n_regions);
  tl_value *out = tl_room(b, (size_t)2 * n * op->n_regions);
  for (uint32_t r = 0; b->error == TL_OK && r < op->n_regions; r++) {
    tl_env e = {0};
    tl_forward_block(j->f, &in[r], &e, op->regions[r], out + 2 * n * r, out + 2 * n * r + n);
    tl_env_deinit(&e);
    tl_builder_join(b, &in[r]);
  }
  j->ad->depth--;
  uint32_t n_t = 0;
  uint32_t *of = b->error != TL_OK ? NULL : TL_NEW(b->m->arena, uint32_t, n + 1);
  if (of == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t k = 0; k < n; k++) {
    bool any = false;
    for (uint32_t r = 0; r < op->n_regions; r++)
      any |= out[2 * n * r + n + k] != NULL;
    if (!any || !tl_ad_is_inexact(op->results[k]->type.dtype)) continue;
    for (uint32_t r = 0; r < op->n_regions; r++) {
      tl_value t = out[2 * n * r + n + k];
      if (t == NULL) t = tl_ad_zeros(&in[r], op->results[k]->type);
      out[2 * n * r + n + n_t] = t;
    }
    of[n_t++] = k;
  }
  if (n_t == 0) return;
  for (uint32_t r = 0; r < op->n_regions; r++) {
    tlo_return(&in[r], out + 2 * n * r, n + n_t);
    tl_builder_join(b, &in[r]);
  }
  now = b->error != TL_OK ? NULL : tl_op_finish(b, now, NULL, 0);
  if (now == NULL) return;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)op, now);
  for (uint32_t i = 0; i < n_t; i++)
    tl_jvp_give(j, of[i], now->results[n + i]);
}

// --- Lanes ------------------------------------------------------------------------------------

tl_value tl_lanes_first(tl_builder *b, tl_value alive) {
  if (alive == NULL) return NULL;
  tl_type t = alive->type;
  t.dtype = TL_DTYPE_S32;
  tl_value at = tlo_iota(b, t, 0), none = tl_ad_zeros(b, t);
  tl_value lane = tlo_select(b, alive, at, none);
  tl_value zero = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0);
  return tlo_reduce(b, lane, zero, (const int64_t[]){0}, 1, TL_OP_MAXIMUM);
}

tl_value tl_lanes_any(tl_builder *b, tl_value alive) {
  tl_value none = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_I1), 0);
  return tlo_reduce(b, alive, none, (const int64_t[]){0}, 1, TL_OP_OR);
}

tl_value tl_lanes_select(tl_builder *b, tl_value alive, tl_value x, tl_value y) {
  if (x == NULL || y == NULL || alive == NULL || x == y) return x;
  tl_type t = x->type;
  t.dtype = TL_DTYPE_I1;
  tl_value p = tlo_broadcast(b, alive, t, (const int64_t[]){0});
  return tlo_select(b, t.rank == 1 ? alive : p, x, y);
}

tl_value tl_lanes_fill(tl_builder *b, tl_value alive, tl_value first, tl_value x) {
  if (x == NULL || first == NULL) return NULL;
  tl_value starts[TL_MAX_RANK];
  int64_t sizes[TL_MAX_RANK];
  tl_value zero = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0);
  for (uint32_t d = 0; d < x->type.rank; d++) {
    starts[d] = d == 0 ? first : zero;
    sizes[d] = d == 0 ? 1 : x->type.dims[d];
  }
  tl_value one = tlo_dynamic_slice(b, x, starts, sizes);
  one = tlo_reshape(b, one, x->type.dims + 1, x->type.rank - 1);
  if (one != NULL && tl_ad_is_inexact(one->type.dtype)) one = tlo_stop_gradient(b, one);
  tl_value all = one == NULL ? NULL : tl_batch_repeat(b, one, x->type.dims[0]);
  return tl_lanes_select(b, alive, x, all);
}

bool tl_lanes_need_none(const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    const tl_ad_rule *rule = tl_ad_rule_of(op->code);
    bool fine = op->n_regions == 0 && (rule->zero || rule->linear == UINT32_MAX);
    switch (op->code) {
    case TL_OP_ADD:
    case TL_OP_SUBTRACT:
    case TL_OP_NEGATE:
    case TL_OP_SELECT:
    case TL_OP_CONVERT:
    case TL_OP_RESHAPE:
    case TL_OP_SLICE:
    case TL_OP_CONCATENATE:
      fine = true;
      break;
    case TL_OP_CALL:
    case TL_OP_COMPOSITE:
    case TL_OP_CUSTOM_CALL:
      fine = false;
      break;
    default:
      break;
    }
    if (!fine) return false;
  }
  return true;
}

// --- Branches of a batch
// --------------------------------------------------------------------------

static void one_choice(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const uint32_t n = op->n_results;
  tl_op *now = tl_op_begin(b, op->code, v->in, 1);
  tl_builder *in = regions_begin(b, now, op->n_regions);
  tl_value *out = tl_room(b, (size_t)n * op->n_regions);
  bool *batched = tl_flags(b, (size_t)n * op->n_regions);
  for (uint32_t r = 0; b->error == TL_OK && r < op->n_regions; r++) {
    tl_batch_block(v->at, &in[r], op->regions[r], out + r * n, batched + r * n);
    tl_builder_join(b, &in[r]);
  }
  for (uint32_t k = 0; b->error == TL_OK && k < n; k++) {
    bool any = false;
    for (uint32_t r = 0; r < op->n_regions; r++)
      any |= batched[r * n + k];
    v->out_batched[k] = any;
    for (uint32_t r = 0; any && r < op->n_regions; r++)
      if (!batched[r * n + k]) out[r * n + k] = tl_batch_repeat(&in[r], out[r * n + k], v->size);
  }
  for (uint32_t r = 0; b->error == TL_OK && r < op->n_regions; r++) {
    tlo_return(&in[r], out + r * n, n);
    tl_builder_join(b, &in[r]);
  }
  now = b->error != TL_OK ? NULL : tl_op_finish(b, now, NULL, 0);
  for (uint32_t k = 0; now != NULL && k < n; k++)
    v->out[k] = now->results[k];
}

// Which lanes take branch r: [B].
static tl_value chosen(tl_batch *v, uint32_t r) {
  tl_builder *b = v->b;
  tl_value p = v->in[0];
  if (v->op->code == TL_OP_IF) return r == 0 ? p : tlo_unary(b, TL_OP_NOT, p);
  // An index out of range takes the last branch: the one that no other comparison names.
  const uint32_t last = v->op->n_regions - 1;
  if (p == NULL) return NULL;
  if (r < last)
    return tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, p, tlo_constant_i64(b, p->type, r));
  tl_value below = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, p, tlo_constant_i64(b, p->type, 0));
  tl_value above =
      tlo_compare(b, TL_COMPARISON_DIRECTION_GE, p, tlo_constant_i64(b, p->type, last));
  return tlo_binary(b, TL_OP_OR, below, above);
}

// Branch r on all lanes; out [n], with the batch in front.
static void branch_of_lanes(tl_batch *v, tl_builder *b, tl_value alive, uint32_t r, bool fill,
                            tl_value *out) {
  const tl_op *op = v->op;
  const tl_block *branch = op->regions[r];
  // The free values of this branch alone.
  tl_block *regions[1] = {op->regions[r]};
  tl_op alone = *op;
  alone.regions = regions;
  alone.n_regions = 1;
  uint32_t n_free;
  tl_value *free = tl_free_values(b, &alone, &n_free), *was = tl_room(b, n_free);
  bool *batched = tl_flags(b, op->n_results);
  if (b->error != TL_OK) return;
  tl_value first = fill ? tl_lanes_first(b, alive) : NULL;
  for (uint32_t i = 0; fill && i < n_free; i++) {
    was[i] = tl_env_get(&v->at->env, free[i]);
    if (!tl_batcher_is_batched(v->at, was[i])) continue;
    tl_value now = tl_lanes_fill(b, alive, first, was[i]);
    tl_env_put(b, &v->at->env, free[i], now);
    tl_batcher_mark(v->at, b, now);
  }
  if (b->error == TL_OK) tl_batch_block(v->at, b, branch, out, batched);
  for (uint32_t i = 0; fill && i < n_free; i++)
    tl_env_put(b, &v->at->env, free[i], was[i]);
  for (uint32_t k = 0; b->error == TL_OK && k < op->n_results; k++)
    if (!batched[k]) out[k] = tl_batch_repeat(b, out[k], v->size);
}

static void choice_of_each(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const uint32_t n = op->n_results;
  for (uint32_t r = 0; r < op->n_regions && b->error == TL_OK; r++) {
    tl_value alive = op->n_regions == 1 ? NULL : chosen(v, r);
    tl_value *out = tl_room(b, n);
    if (out == NULL) return;
    if (alive == NULL || tl_lanes_need_none(op->regions[r])) {
      branch_of_lanes(v, b, alive, r, false, out);
    } else { // zeros, which no lane takes, where no lane chose it
      tl_value any = tl_lanes_any(b, alive);
      tl_op *now = tl_op_begin(b, TL_OP_IF, &any, 1);
      tl_builder *in = regions_begin(b, now, 2);
      if (in == NULL) return;
      branch_of_lanes(v, &in[0], alive, r, true, out);
      tl_builder_join(b, &in[0]);
      if (b->error != TL_OK) return;
      tlo_return(&in[0], out, n);
      for (uint32_t k = 0; k < n; k++)
        out[k] = tl_ad_zeros(&in[1], out[k]->type);
      tlo_return(&in[1], out, n);
      tl_builder_join(b, &in[0]);
      tl_builder_join(b, &in[1]);
      now = b->error != TL_OK ? NULL : tl_op_finish(b, now, NULL, 0);
      for (uint32_t k = 0; now != NULL && k < n; k++)
        out[k] = now->results[k];
    }
    for (uint32_t k = 0; b->error == TL_OK && k < n; k++)
      v->out[k] = r == 0 ? out[k] : tl_lanes_select(b, alive, out[k], v->out[k]);
  }
}

void tl_batch_branches(tl_batch *v) {
  if (!tl_ad_enter(v->ad, v->b, v->op)) return;
  if (v->batched[0])
    choice_of_each(v);
  else
    one_choice(v);
  v->ad->depth--;
}
