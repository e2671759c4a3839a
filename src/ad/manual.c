// Rules of manual_computation: what each device does to its parts is differentiated and batched as
// it stands, in a manual_computation over the same mesh and axes.
//
//     y = manual(f)(x)    dy = manual(f')(x, dx)    cx = manual(back)(x, cy)
//
// Backwards, where an axis is manual and no dim of a value is split over it, all devices along it
// have that value whole. Of a result each then gets its share of the cotangent, since all made it;
// of an operand the cotangent is the sum over them, since all used it, as in JAX's shard_map. What
// f keeps for its way back is computed again.
#include "ad/loop.h"
#include "ad/rule.h"
#include "ir/build_parallel.h"
#include "ir/sharding.h"

static const tl_shardings *in_of(const tl_op *op) {
  return tl_op_attr(op, TL_A_MANUAL_COMPUTATION_in_shardings)->shardings;
}
static const tl_shardings *out_of(const tl_op *op) {
  return tl_op_attr(op, TL_A_MANUAL_COMPUTATION_out_shardings)->shardings;
}
static const tl_names *axes_of(const tl_op *op) {
  return tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names;
}

// A list of shardings to be filled; NULL, and an error in b, when memory is gone.
static tl_sharding *shardings_room(tl_builder *b, size_t n) {
  tl_sharding *s = TL_NEW(b->m->arena, tl_sharding, n + 1);
  if (s == NULL) tl_builder_fail(b, TL_OOM());
  return s;
}

static tl_op *begin(tl_builder *b, const tl_op *like, const tl_value *operands, uint32_t n,
                    const tl_sharding *in, const tl_sharding *out, uint32_t n_out) {
  tl_op *op = tl_op_begin(b, TL_OP_MANUAL_COMPUTATION, operands, n);
  if (op == NULL) return NULL;
  tl_op_set_shardings(b, op, TL_A_MANUAL_COMPUTATION_in_shardings, &(tl_shardings){in, n});
  tl_op_set_shardings(b, op, TL_A_MANUAL_COMPUTATION_out_shardings, &(tl_shardings){out, n_out});
  if (axes_of(like) != NULL)
    tl_op_set_names(b, op, TL_A_MANUAL_COMPUTATION_manual_axes, axes_of(like));
  return op;
}

// The manual axes that no dim is split over, in `axes` [manual axes], whole; how many. An axis that
// is split in part counts as split: `parts` says that there is one.
static uint32_t whole_over(const tl_sharding *s, const tl_names *manual, tl_axis_ref *axes,
                           bool *parts) {
  uint32_t n = 0;
  for (uint32_t a = 0; manual != NULL && a < manual->len; a++) {
    bool split = false;
    for (uint32_t d = 0; d < s->rank; d++)
      for (uint32_t i = 0; i < s->dims[d].axes.len; i++) {
        const tl_axis_ref *ref = &s->dims[d].axes.ptr[i];
        if (!tl_str_eq(ref->name, manual->ptr[a])) continue;
        split = true;
        *parts |= ref->size != 0;
      }
    if (!split) axes[n++] = (tl_axis_ref){.name = manual->ptr[a]};
  }
  return n;
}

// How many devices have a value whole, and over which axes they lie; 0, and a refusal, where an
// axis is split in part.
static int64_t sharers(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_sharding *s,
                       tl_groups *out) {
  const tl_names *manual = axes_of(op);
  const uint32_t most = manual == NULL ? 0 : manual->len;
  tl_axis_ref *axes = TL_NEW(b->m->arena, tl_axis_ref, most + 1);
  if (axes == NULL) {
    tl_builder_fail(b, TL_OOM());
    return 0;
  }
  bool parts = false;
  const uint32_t n = whole_over(s, manual, axes, &parts);
  const tl_mesh *mesh = tl_mesh_find(b->m, s->mesh);
  if (parts || mesh == NULL) {
    tl_ad_refuse(ad, b, op, "a dim is split over a part of an axis");
    return 0;
  }
  *out = (tl_groups){.axes = {axes, n}, .mesh = s->mesh};
  return tl_axis_refs_size(mesh, out->axes, NULL);
}

// The sum over the devices that have x whole: partitions, by their numbers in the mesh.
static tl_value sum_over(tl_builder *b, tl_value x, const tl_groups *groups) {
  tl_value sum = tlo_all_reduce(b, x, groups, TL_OP_ADD);
  if (sum == NULL) return NULL;
  tl_op_set_list(b, sum->op, TL_A_ALL_REDUCE_channel_handle, (int64_t[]){1, 0}, 2);
  tl_op_set_i64(sum->op, TL_A_ALL_REDUCE_use_global_device_ids, 1);
  return sum;
}

void tl_vjp_manual(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const tl_block *body = op->regions[0];
  const uint32_t n = op->n_operands, n_res = op->n_results;
  tl_value *operands = tl_room(b, (size_t)n + n_res);
  tl_sharding *in = shardings_room(b, (size_t)n + n_res), *out = shardings_room(b, n);
  tl_type *types = TL_NEW(b->m->arena, tl_type, n + 1);
  uint32_t *of = TL_NEW(b->m->arena, uint32_t, n + 1), n_in = n, n_out = 0;
  if (types == NULL || of == NULL) tl_builder_fail(b, TL_OOM());
  if (b->error != TL_OK || !tl_ad_enter(v->ad, b, op)) return;
  for (uint32_t i = 0; i < n; i++) {
    operands[i] = v->in[i];
    in[i] = in_of(op)->ptr[i];
    if (!tl_vjp_wants(v, i)) continue;
    out[n_out] = in[i];
    types[n_out] = op->operands[i]->type;
    of[n_out++] = i;
  }
  for (uint32_t k = 0; k < n_res; k++)
    if (v->ct[k] != NULL) operands[n_in] = v->ct[k], in[n_in++] = out_of(op)->ptr[k];
  tl_op *back = begin(b, op, operands, n_in, in, out, n_out);
  tl_block *block = back == NULL ? NULL : tl_op_add_region(b, back);
  if (block != NULL) {
    tl_builder at = tl_builder_at(b, block);
    tl_reverse r = {.ad = v->ad};
    tl_env e = {0};
    tl_value *y = tl_room(&at, n_res), *ct = tl_room(&at, (size_t)n_out + n_res);
    tl_groups groups;
    for (uint32_t i = 0; i < n; i++)
      tl_env_put(&at, &e, body->args[i], tl_block_arg(&at, block, body->args[i]->type));
    for (uint32_t i = 0; at.error == TL_OK && i < n_out; i++)
      tl_reverse_activate(&r, &at, block->args[of[i]]);
    for (uint32_t k = 0; at.error == TL_OK && k < n_res; k++)
      if (v->ct[k] != NULL) ct[n_out + k] = tl_block_arg(&at, block, body->last->operands[k]->type);
    if (at.error == TL_OK) tl_reverse_primal(&r, &at, &e, body, y);
    for (uint32_t k = 0; at.error == TL_OK && k < n_res; k++) {
      if (v->ct[k] == NULL) continue;
      const int64_t share = sharers(v->ad, &at, op, &out_of(op)->ptr[k], &groups);
      tl_value part = ct[n_out + k];
      if (share > 1) part = tl_ad_scale(&at, part, 1.0 / (double)share);
      tl_reverse_give(&r, &at, y[k], part);
    }
    if (at.error == TL_OK && block->last != NULL) tl_reverse_walk(&r, &at, NULL, block->last);
    for (uint32_t i = 0; at.error == TL_OK && i < n_out; i++) {
      tl_value c = tl_reverse_ct(&r, block->args[of[i]]);
      if (c == NULL) c = tl_ad_zeros(&at, body->args[of[i]]->type);
      if (sharers(v->ad, &at, op, &out[i], &groups) > 1) c = sum_over(&at, c, &groups);
      ct[i] = c;
    }
    if (at.error == TL_OK) tlo_return(&at, ct, n_out);
    tl_builder_join(b, &at);
    tl_env_deinit(&e);
    tl_reverse_deinit(&r);
  }
  v->ad->depth--;
  back = b->error != TL_OK ? NULL : tl_op_finish(b, back, types, n_out);
  for (uint32_t i = 0; back != NULL && i < n_out; i++)
    tl_vjp_give(v, of[i], back->results[i]);
}

// The op again, with the tangents of its results after them, in its place.
void tl_jvp_manual(tl_jvp *j) {
  tl_builder *b = j->b;
  const tl_op *op = j->op;
  const tl_block *body = op->regions[0];
  const uint32_t n = op->n_operands, n_res = op->n_results;
  tl_value *operands = tl_room(b, (size_t)2 * n), *y = tl_room(b, (size_t)2 * n_res);
  tl_sharding *in = shardings_room(b, (size_t)2 * n), *out = shardings_room(b, (size_t)2 * n_res);
  tl_type *types = TL_NEW(b->m->arena, tl_type, 2 * n_res + 1);
  uint32_t *of = TL_NEW(b->m->arena, uint32_t, n_res + 1), n_in = n, n_out = n_res;
  if (types == NULL || of == NULL) tl_builder_fail(b, TL_OOM());
  if (b->error != TL_OK || !tl_ad_enter(j->ad, b, op)) return;
  for (uint32_t i = 0; i < n; i++)
    operands[i] = j->in[i], in[i] = in_of(op)->ptr[i];
  for (uint32_t i = 0; i < n; i++)
    if (j->t[i] != NULL) operands[n_in] = j->t[i], in[n_in++] = in_of(op)->ptr[i];
  for (uint32_t k = 0; k < n_res; k++) {
    out[k] = out_of(op)->ptr[k], types[k] = op->results[k]->type;
    if (!tl_ad_is_inexact(types[k].dtype)) continue;
    out[n_out] = out[k], types[n_out] = types[k], of[n_out++ - n_res] = k;
  }
  tl_op *after = b->block->last;
  tl_op *now = begin(b, op, operands, n_in, in, out, n_out);
  tl_block *block = now == NULL ? NULL : tl_op_add_region(b, now);
  if (block != NULL) {
    tl_builder at = tl_builder_at(b, block);
    tl_env e = {0};
    for (uint32_t i = 0; i < n; i++)
      tl_env_put(&at, &e, body->args[i], tl_block_arg(&at, block, body->args[i]->type));
    for (uint32_t i = 0; at.error == TL_OK && i < n; i++)
      if (j->t[i] != NULL)
        tl_forward_put(j->f, &at, block->args[i], tl_block_arg(&at, block, body->args[i]->type));
    if (at.error == TL_OK) tl_forward_block(j->f, &at, &e, body, y, y + n_res);
    for (uint32_t k = n_res; at.error == TL_OK && k < n_out; k++) {
      const uint32_t from = of[k - n_res];
      tl_value t = y[n_res + from];
      y[k] = t != NULL ? t : tl_ad_zeros(&at, y[from]->type);
    }
    if (at.error == TL_OK) tlo_return(&at, y, n_out);
    tl_builder_join(b, &at);
    tl_env_deinit(&e);
  }
  j->ad->depth--;
  now = b->error != TL_OK ? NULL : tl_op_finish(b, now, types, n_out);
  if (now == NULL) return;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)op, now);
  for (uint32_t k = n_res; k < n_out; k++)
    tl_jvp_give(j, of[k - n_res], now->results[k]);
}

// s, with a batch in front that every device has whole.
static tl_sharding batched_sharding(tl_builder *b, const tl_sharding *s) {
  tl_sharding more = *s;
  tl_dim_sharding *dims = TL_NEW(b->m->arena, tl_dim_sharding, s->rank + 1);
  if (dims == NULL) {
    tl_builder_fail(b, TL_OOM());
    return more;
  }
  dims[0] = (tl_dim_sharding){.priority = -1};
  if (s->rank > 0) memcpy(dims + 1, s->dims, s->rank * sizeof *dims);
  more.dims = dims;
  more.rank = s->rank + 1;
  return more;
}

void tl_batch_manual(tl_batch *v) {
  tl_builder *b = v->b;
  const tl_op *op = v->op;
  const tl_block *body = op->regions[0];
  const uint32_t n = op->n_operands, n_res = op->n_results;
  tl_sharding *in = shardings_room(b, n), *out = shardings_room(b, n_res);
  tl_type *types = TL_NEW(b->m->arena, tl_type, n_res + 1);
  tl_value *y = tl_room(b, n_res);
  bool *batched = tl_flags(b, n_res);
  if (types == NULL) tl_builder_fail(b, TL_OOM());
  if (b->error != TL_OK || !tl_ad_enter(v->ad, b, op)) return;
  for (uint32_t i = 0; i < n; i++)
    in[i] = v->batched[i] ? batched_sharding(b, &in_of(op)->ptr[i]) : in_of(op)->ptr[i];
  for (uint32_t k = 0; k < n_res; k++) {
    out[k] = batched_sharding(b, &out_of(op)->ptr[k]);
    types[k] = tl_batch_type(b, op->results[k]->type, v->size);
  }
  tl_op *now = begin(b, op, v->in, n, in, out, n_res);
  tl_block *block = now == NULL ? NULL : tl_op_add_region(b, now);
  if (block != NULL) {
    tl_builder at = tl_builder_at(b, block);
    tl_batcher inner = {.ad = v->ad, .size = v->size};
    for (uint32_t i = 0; at.error == TL_OK && i < n; i++) {
      const tl_type one = body->args[i]->type;
      tl_value x = tl_block_arg(&at, block, v->batched[i] ? tl_batch_type(&at, one, v->size) : one);
      tl_env_put(&at, &inner.env, body->args[i], x);
      if (v->batched[i]) tl_batcher_mark(&inner, &at, x);
    }
    if (at.error == TL_OK) tl_batch_block(&inner, &at, body, y, batched);
    for (uint32_t k = 0; at.error == TL_OK && k < n_res; k++)
      if (!batched[k]) y[k] = tl_batch_repeat(&at, y[k], v->size);
    if (at.error == TL_OK) tlo_return(&at, y, n_res);
    tl_builder_join(b, &at);
    tl_batcher_deinit(&inner);
  }
  v->ad->depth--;
  now = b->error != TL_OK ? NULL : tl_op_finish(b, now, types, n_res);
  for (uint32_t k = 0; now != NULL && k < n_res; k++)
    v->out[k] = now->results[k];
}
