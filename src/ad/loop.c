// Loops: what can be said of one before it runs, and its forward and batched forms.
//
// A carried value that the body hands on as it is stands for what it began with, and an integer to
// which each step adds the same is known from the step's number; neither is ever stored. A
// condition `i < n` of such an integer with constants bounds the trips; alone it counts them.
#include "ad/loop.h"

#include "ir/dim.h"

tl_any_loop tl_loop_begin(tl_builder *b, const tl_value *init, uint32_t n) {
  tl_any_loop l = {.n = n, .x = tl_ad_room(b, n), .y = tl_ad_room(b, n)};
  if (b->error == TL_OK) l.op = tl_op_begin(b, TL_OP_WHILE, init, n);
  l.cond = tl_builder_at(b, tl_op_add_region(b, l.op));
  l.body = tl_builder_at(b, tl_op_add_region(b, l.op));
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    if (init[i] == NULL) {
      tl_builder_fail(b, TL_ERROR(INTERNAL, "a loop carries no value %u", i));
      return l;
    }
    l.x[i] = tl_block_arg(&l.cond, l.cond.block, init[i]->type);
    l.y[i] = tl_block_arg(&l.body, l.body.block, init[i]->type);
  }
  tl_builder_join(b, &l.cond);
  tl_builder_join(b, &l.body);
  return l;
}

tl_op *tl_loop_end(tl_builder *b, tl_any_loop *loop, tl_value go_on, const tl_value *next) {
  if (loop->cond.error == TL_OK) tlo_return(&loop->cond, &go_on, 1);
  if (loop->body.error == TL_OK) tlo_return(&loop->body, next, loop->n);
  tl_builder_join(b, &loop->cond);
  tl_builder_join(b, &loop->body);
  return b->error != TL_OK ? NULL : tl_op_finish(b, loop->op, NULL, 0);
}

tl_value tl_loop_i64(tl_builder *b, int64_t x) {
  return tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), x);
}

static void starts_at(tl_builder *b, tl_value at, uint32_t rank, tl_value *out) {
  tl_value zero = rank < 2 || at == NULL ? NULL : tlo_constant_i64(b, at->type, 0);
  for (uint32_t d = 0; d < rank; d++)
    out[d] = d == 0 ? at : zero;
}

tl_value tl_stack_get(tl_builder *b, tl_value stack, tl_value at, tl_type one) {
  tl_value starts[TL_MAX_RANK];
  tl_type row = tl_batch_type(b, one, 1);
  if (b->error != TL_OK) return NULL;
  starts_at(b, at, row.rank, starts);
  tl_value x = tlo_dynamic_slice(b, stack, starts, row.dims);
  return tlo_reshape(b, x, one.dims, one.rank);
}

tl_value tl_stack_set(tl_builder *b, tl_value stack, tl_value at, tl_value one) {
  if (one == NULL) return NULL;
  tl_value starts[TL_MAX_RANK];
  tl_type row = tl_batch_type(b, one->type, 1);
  if (b->error != TL_OK) return NULL;
  tl_value x = tlo_reshape(b, one, row.dims, row.rank);
  starts_at(b, at, row.rank, starts);
  return tlo_dynamic_update_slice(b, stack, x, starts);
}

tl_value tl_loop_affine(tl_builder *b, const tl_loop_facts *f, uint32_t i, tl_value k) {
  tl_value init = f->op->operands[i];
  int64_t first = 0;
  tl_value at = tlo_convert(b, k, init->type.dtype);
  if (f->step[i] != 1) at = tlo_mul(b, at, tlo_constant_i64(b, init->type, f->step[i]));
  if (tl_loop_constant(NULL, init, &first) && first == 0) return at;
  return tlo_add(b, init, at);
}

// --- Facts ------------------------------------------------------------------------------------

static bool is_integer(tl_dtype d) {
  const tl_dtype_kind k = tl_dtype_get(d)->kind;
  return k == TL_KIND_INT || k == TL_KIND_UINT;
}

// Of an argument of either region of the loop the number, else n.
static uint32_t argument_of(const tl_loop_facts *f, tl_value v) {
  if (v->op != NULL || (v->block != f->cond && v->block != f->body)) return f->n;
  return v->index;
}

bool tl_loop_constant(const tl_loop_facts *f, tl_value v, int64_t *out) {
  for (int hops = 0; hops < 64 && v != NULL; hops++) {
    if (v->op == NULL) {
      const uint32_t i = f == NULL ? 0 : argument_of(f, v);
      if (f == NULL || i == f->n || !f->invariant[i]) return false;
      v = f->op->operands[i];
      continue;
    }
    if (v->op->code == TL_OP_RESHAPE || v->op->code == TL_OP_BROADCAST_IN_DIM) {
      v = v->op->operands[0];
      continue;
    }
    if (v->op->code == TL_OP_CONVERT && is_integer(v->op->operands[0]->type.dtype) &&
        is_integer(v->type.dtype)) {
      int64_t x;
      if (!tl_loop_constant(f, v->op->operands[0], &x)) return false;
      const uint32_t bits = tl_dtype_get(v->type.dtype)->bits;
      if (x < 0 || (bits < 64 && x >> (bits - 1) != 0)) return false; // may change it
      *out = x;
      return true;
    }
    if (v->op->code != TL_OP_CONSTANT || !is_integer(v->type.dtype)) return false;
    const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
    const tl_dtype_info *d = tl_dtype_get(v->type.dtype);
    if (l == NULL || l->size < d->size || (!l->splat && l->size != d->size) || d->size > 8)
      return false;
    uint64_t bits = 0;
    memcpy(&bits, l->data, d->size);
    if (d->kind == TL_KIND_INT && d->size < 8 && (bits >> (8 * d->size - 1) & 1) != 0)
      bits |= UINT64_MAX << (8 * d->size);
    if (d->kind == TL_KIND_UINT && bits > INT64_MAX) return false;
    *out = (int64_t)bits;
    return true;
  }
  return false;
}

// The constant that each step adds to argument i.
static bool adds_the_same(const tl_loop_facts *f, uint32_t i, int64_t *out) {
  tl_value next = f->body->last->operands[i], arg = f->body->args[i];
  if (arg->type.rank != 0 || !is_integer(arg->type.dtype) || next->op == NULL) return false;
  const tl_op *op = next->op;
  if (op->code == TL_OP_ADD) {
    if (op->operands[0] == arg) return tl_loop_constant(f, op->operands[1], out);
    if (op->operands[1] == arg) return tl_loop_constant(f, op->operands[0], out);
  } else if (op->code == TL_OP_SUBTRACT && op->operands[0] == arg) {
    if (!tl_loop_constant(f, op->operands[1], out) || *out == INT64_MIN) return false;
    *out = -*out;
    return true;
  }
  return false;
}

static tl_comparison_direction turned(tl_comparison_direction d) {
  switch (d) {
  case TL_COMPARISON_DIRECTION_LT:
    return TL_COMPARISON_DIRECTION_GT;
  case TL_COMPARISON_DIRECTION_LE:
    return TL_COMPARISON_DIRECTION_GE;
  case TL_COMPARISON_DIRECTION_GT:
    return TL_COMPARISON_DIRECTION_LT;
  case TL_COMPARISON_DIRECTION_GE:
    return TL_COMPARISON_DIRECTION_LE;
  default:
    return d;
  }
}

__extension__ typedef __int128 wide; // holds what any two counters differ by

// How often `x0 + t step  <dir>  limit` holds from t = 0 on, where the counter does not leave its
// type on the way.
static bool count_trips(tl_dtype dtype, tl_comparison_direction dir, int64_t x0, int64_t step,
                        int64_t limit, int64_t *out) {
  const wide from = x0, by = step, to = limit;
  wide n;
  switch (dir) {
  case TL_COMPARISON_DIRECTION_LT:
    if (from >= to)
      n = 0;
    else if (by <= 0)
      return false;
    else
      n = (to - from + by - 1) / by;
    break;
  case TL_COMPARISON_DIRECTION_LE:
    if (from > to)
      n = 0;
    else if (by <= 0)
      return false;
    else
      n = (to - from) / by + 1;
    break;
  case TL_COMPARISON_DIRECTION_GT:
    if (from <= to)
      n = 0;
    else if (by >= 0)
      return false;
    else
      n = (from - to - by - 1) / -by;
    break;
  case TL_COMPARISON_DIRECTION_GE:
    if (from < to)
      n = 0;
    else if (by >= 0)
      return false;
    else
      n = (from - to) / -by + 1;
    break;
  case TL_COMPARISON_DIRECTION_NE:
    if (from == to)
      n = 0;
    else if (by == 0 || (to - from) % by != 0 || (to - from) / by < 0)
      return false;
    else
      n = (to - from) / by;
    break;
  default: // EQ: once at most
    n = from != to ? 0 : 1;
    if (by == 0 && n == 1) return false;
  }
  const uint32_t bits = tl_dtype_get(dtype)->bits;
  const bool is_signed = tl_dtype_get(dtype)->kind == TL_KIND_INT;
  const wide end = from + n * by, one = 1;
  const wide most = (one << (is_signed ? bits - 1 : bits)) - 1,
             least = is_signed ? -(one << (bits - 1)) : 0;
  if (end > most || end < least || n > INT64_MAX / 2) return false;
  *out = (int64_t)n;
  return true;
}

// The size, a dim of the module, that v is.
static bool size_of(const tl_loop_facts *f, tl_value v, int depth, int64_t *out) {
  const tl_module *m = f->body->func->module;
  if (tl_loop_constant(f, v, out)) return *out >= 0;
  if (v != NULL && v->op == NULL) {
    const uint32_t i = argument_of(f, v);
    return i < f->n && f->invariant[i] && depth < 16 &&
           size_of(f, f->op->operands[i], depth + 1, out);
  }
  if (v == NULL || depth >= 16) return false;
  const tl_op *op = v->op;
  int64_t x, y;
  switch (op->code) {
  case TL_OP_GET_DIMENSION_SIZE:
    *out = op->operands[0]->type.dims[tl_op_i64(op, TL_A_GET_DIMENSION_SIZE_dimension)];
    return !tl_dim_is_any(*out);
  case TL_OP_CONVERT:
  case TL_OP_RESHAPE:
    return is_integer(op->operands[0]->type.dtype) && v->type.rank == 0 &&
           size_of(f, op->operands[0], depth + 1, out);
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
  case TL_OP_MULTIPLY:
  case TL_OP_MINIMUM:
  case TL_OP_MAXIMUM:
    if (v->type.rank != 0 || !is_integer(v->type.dtype) ||
        !size_of(f, op->operands[0], depth + 1, &x) || !size_of(f, op->operands[1], depth + 1, &y))
      return false;
    return op->code == TL_OP_ADD        ? tl_dim_add(m, x, y, out)
           : op->code == TL_OP_SUBTRACT ? tl_dim_sub(m, x, y, out)
           : op->code == TL_OP_MULTIPLY ? tl_dim_mul(m, x, y, out)
           : op->code == TL_OP_MINIMUM  ? tl_dim_min(m, x, y, out)
                                        : tl_dim_max(m, x, y, out);
  default:
    return false;
  }
}

// The trips of a counter that goes by ones from one size to another, of which one is no number.
static bool count_symbolic(const tl_module *m, tl_comparison_direction dir, int64_t from,
                           int64_t step, int64_t to, int64_t *out) {
  const bool up = dir == TL_COMPARISON_DIRECTION_LT || dir == TL_COMPARISON_DIRECTION_LE,
             down = dir == TL_COMPARISON_DIRECTION_GT || dir == TL_COMPARISON_DIRECTION_GE;
  if (!(up && step == 1) && !(down && step == -1)) return false;
  int64_t n;
  if (!(up ? tl_dim_sub(m, to, from, &n) : tl_dim_sub(m, from, to, &n))) return false;
  if (dir == TL_COMPARISON_DIRECTION_LE || dir == TL_COMPARISON_DIRECTION_GE)
    if (!tl_dim_add(m, n, 1, &n)) return false;
  return tl_dim_max(m, n, 0, out);
}

// A bound that truth value v of the condition sets; *exact where it is all of it.
static bool bound_of(const tl_loop_facts *f, tl_value v, int depth, int64_t *out, bool *exact) {
  if (v == NULL || v->op == NULL || depth > 8) return false;
  const tl_op *op = v->op;
  if (op->code == TL_OP_AND) {
    int64_t a, b;
    bool e;
    bool has_a = bound_of(f, op->operands[0], depth + 1, &a, &e),
         has_b = bound_of(f, op->operands[1], depth + 1, &b, &e);
    *exact = false;
    // Of two sizes that are no numbers either will do.
    if (has_a || has_b) *out = !has_b || (has_a && (a < b || b < 0)) ? a : b;
    return has_a || has_b;
  }
  if (op->code != TL_OP_COMPARE) return false;
  tl_comparison_direction dir =
      (tl_comparison_direction)tl_op_i64(op, TL_A_COMPARE_comparison_direction);
  for (int side = 0; side < 2; side++) {
    const uint32_t i = argument_of(f, op->operands[side]);
    int64_t first, limit;
    if (i == f->n || !f->affine[i]) continue;
    *exact = true;
    if (!tl_loop_constant(NULL, f->op->operands[i], &first) ||
        !tl_loop_constant(f, op->operands[1 - side], &limit)) {
      if (size_of(f, f->op->operands[i], 0, &first) &&
          size_of(f, op->operands[1 - side], 0, &limit) &&
          count_symbolic(f->body->func->module, side == 0 ? dir : turned(dir), first, f->step[i],
                         limit, out))
        return true;
      continue;
    }
    return count_trips(op->operands[side]->type.dtype, side == 0 ? dir : turned(dir), first,
                       f->step[i], limit, out);
  }
  return false;
}

void tl_loop_learn(tl_builder *b, const tl_op *op, tl_loop_facts *out) {
  const uint32_t n = op->n_operands;
  *out = (tl_loop_facts){.op = op,
                         .cond = op->regions[0],
                         .body = op->regions[1],
                         .n = n,
                         .invariant = tl_ad_flags(b, n),
                         .affine = tl_ad_flags(b, n),
                         .step = b->error != TL_OK ? NULL : TL_NEW(b->m->arena, int64_t, n + 1),
                         .index = n};
  if (b->error == TL_OK && out->step == NULL) tl_builder_fail(b, TL_OOM());
  if (b->error != TL_OK) return;
  for (uint32_t i = 0; i < n; i++)
    out->invariant[i] = out->body->last->operands[i] == out->body->args[i];
  for (uint32_t i = 0; i < n; i++) {
    int64_t first;
    out->affine[i] = !out->invariant[i] && adds_the_same(out, i, &out->step[i]);
    if (out->affine[i] && out->step[i] == 1 && out->index == n &&
        tl_dtype_get(op->operands[i]->type.dtype)->bits >= 32 &&
        tl_loop_constant(NULL, op->operands[i], &first) && first == 0)
      out->index = i;
  }
  out->bounded = bound_of(out, out->cond->last->operands[0], 0, &out->trips, &out->exact);
  out->exact = out->bounded && out->exact; // half-way said of a bound that is none
  if (out->bounded && !out->exact) out->trips = TL_MAX(out->trips, 1); // room for what is stored
}

// --- Forward ----------------------------------------------------------------------------------

// One attempt at the loop with the tangents of those carried values that `has` names; it fails by
// adding to them, and is then dropped.
static bool try_tangents(tl_jvp *j, const tl_loop_facts *f, tl_op *after, bool *has,
                         tl_value *t_out) {
  tl_builder *b = j->b;
  const uint32_t n = f->n;
  uint32_t n_t = 0;
  tl_value *init = tl_ad_room(b, (size_t)2 * n), *out = tl_ad_room(b, n), *t = tl_ad_room(b, n),
           *next = tl_ad_room(b, (size_t)2 * n);
  if (b->error != TL_OK) return true;
  for (uint32_t i = 0; i < n; i++)
    init[i] = j->in[i];
  for (uint32_t i = 0; i < n; i++)
    if (has[i]) init[n + n_t++] = tl_jvp_t(j, i);
  tl_any_loop l = tl_loop_begin(b, init, n + n_t);
  if (b->error != TL_OK) return true;
  tl_env e = {0};
  for (uint32_t i = 0; i < n; i++)
    tl_env_put(&l.cond, &e, f->cond->args[i], l.x[i]);
  tl_value go_on = NULL;
  tl_ad_clone_block(&l.cond, &e, f->cond, &go_on);
  tl_builder_join(b, &l.cond);
  uint32_t at = n;
  for (uint32_t i = 0; i < n; i++) {
    tl_env_put(&l.body, &e, f->body->args[i], l.y[i]);
    if (has[i]) tl_forward_put(j->f, &l.body, l.y[i], l.y[at++]);
    if (f->invariant[i] && j->t[i] != NULL) tl_forward_put(j->f, &l.body, l.y[i], j->t[i]);
  }
  tl_forward_block(j->f, &l.body, &e, f->body, out, t);
  tl_env_deinit(&e);
  tl_builder_join(b, &l.body);
  bool grew = false;
  at = n;
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    next[i] = out[i];
    if (f->invariant[i]) continue;
    if (t[i] != NULL && !has[i] && tl_ad_is_inexact(out[i]->type.dtype)) grew = has[i] = true;
    if (!grew && has[i]) next[at++] = t[i] != NULL ? t[i] : tl_ad_zeros(&l.body, out[i]->type);
  }
  if (grew) return false;
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  if (now == NULL) return true;
  at = n;
  for (uint32_t i = 0; i < n; i++)
    t_out[i] = has[i] ? now->results[at++] : f->invariant[i] ? j->t[i] : NULL;
  tl_ad_take_over(b, after, (tl_op *)(uintptr_t)f->op, now);
  return true;
}

// The op again, with the tangents that it needs carried after its own values, in its place. Which
// do is a fixpoint: those that begin with one, and those that one reaches.
void tl_jvp_while(tl_jvp *j) {
  tl_builder *b = j->b;
  tl_loop_facts f;
  tl_loop_learn(b, j->op, &f);
  bool *has = tl_ad_flags(b, f.n);
  tl_value *t_out = tl_ad_room(b, f.n);
  if (b->error != TL_OK || !tl_ad_enter(j->ad, b, j->op)) return;
  for (uint32_t i = 0; i < f.n; i++)
    has[i] = j->t[i] != NULL && !f.invariant[i];
  tl_op *after = b->block->last;
  while (b->error == TL_OK && !try_tangents(j, &f, after, has, t_out))
    ;
  j->ad->depth--;
  for (uint32_t i = 0; i < f.n; i++)
    tl_jvp_give(j, i, t_out[i]);
}

// --- Batches ------------------------------------------------------------------------------------

// The carried values at a loop over a batch, with `is` batched.
static void bind_args(tl_batch *v, tl_builder *b, const tl_block *block, const bool *is,
                      const tl_value *args) {
  for (uint32_t i = 0; i < block->n_args; i++) {
    tl_env_put(b, &v->at->env, block->args[i], args[i]);
    if (is[i]) tl_batcher_mark(v->at, b, args[i]);
  }
}

// The condition is one for all lanes.
static bool try_shared(tl_batch *v, const tl_loop_facts *f, bool *is, bool *of_each) {
  tl_builder *b = v->b;
  const uint32_t n = f->n;
  tl_value *init = tl_ad_room(b, n), *next = tl_ad_room(b, n);
  bool *now_is = tl_ad_flags(b, n);
  if (b->error != TL_OK) return true;
  for (uint32_t i = 0; i < n; i++)
    init[i] = is[i] ? tl_batch_in(v, i) : v->in[i];
  tl_any_loop l = tl_loop_begin(b, init, n);
  if (b->error != TL_OK) return true;
  tl_value go_on = NULL;
  bind_args(v, &l.cond, f->cond, is, l.x);
  tl_batch_block(v->at, &l.cond, f->cond, &go_on, of_each);
  tl_builder_join(b, &l.cond);
  if (b->error != TL_OK || *of_each) return true;
  bind_args(v, &l.body, f->body, is, l.y);
  tl_batch_block(v->at, &l.body, f->body, next, now_is);
  tl_builder_join(b, &l.body);
  bool grew = false;
  for (uint32_t i = 0; b->error == TL_OK && i < n; i++) {
    if (now_is[i] && !is[i]) grew = is[i] = true;
    if (is[i] && !now_is[i]) next[i] = tl_batch_repeat(&l.body, next[i], v->size);
  }
  if (grew) return false;
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  for (uint32_t i = 0; now != NULL && i < n; i++) {
    v->out[i] = now->results[i];
    v->out_batched[i] = is[i];
  }
  return true;
}

// Each lane has its own condition: the loop goes on while any does, and a lane whose condition has
// failed keeps its values. Carried are the lanes that are alive, the values that change, and,
// where the trips are bounded, their count, which keeps the bound in sight.
static void each_its_own(tl_batch *v, const tl_loop_facts *f) {
  tl_builder *b = v->b;
  const uint32_t n = f->n;
  tl_value *init = tl_ad_room(b, (size_t)n + 2), *args = tl_ad_room(b, n),
           *next = tl_ad_room(b, (size_t)n + 2), *out = tl_ad_room(b, n), *was;
  bool *is = tl_ad_flags(b, n), *out_is = tl_ad_flags(b, n), cond_is;
  if (b->error != TL_OK) return;
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++)
    is[i] = f->invariant[i] ? v->batched[i] : true;
  for (uint32_t i = 0; i < n; i++)
    args[i] = is[i] ? tl_batch_in(v, i) : v->in[i];
  // Before the first step.
  bind_args(v, b, f->cond, is, args);
  tl_value alive;
  tl_batch_block(v->at, b, f->cond, &alive, &cond_is);
  if (b->error == TL_OK && !cond_is) alive = tl_batch_repeat(b, alive, v->size);
  init[at++] = alive;
  for (uint32_t i = 0; i < n; i++)
    if (!f->invariant[i]) init[at++] = args[i];
  const uint32_t n_changing = at - 1;
  if (f->bounded) init[at++] = tl_loop_i64(b, 0);
  tl_any_loop l = tl_loop_begin(b, init, at);
  if (b->error != TL_OK) return;
  tl_value go_on = tl_lanes_any(&l.cond, l.x[0]);
  if (f->bounded) {
    tl_value below = tlo_compare(&l.cond, TL_COMPARISON_DIRECTION_LT, l.x[at - 1],
                                 tlo_size(&l.cond, f->trips, TL_DTYPE_S64));
    go_on = tlo_binary(&l.cond, TL_OP_AND, below, go_on);
  }
  // The body on lanes that are alive, or copies of one; from outside too.
  tl_builder *in = &l.body;
  const bool fill = !tl_lanes_need_none(f->body);
  tl_value first = fill ? tl_lanes_first(in, l.y[0]) : NULL;
  uint32_t k = 1;
  for (uint32_t i = 0; i < n; i++) {
    tl_value x = f->invariant[i] ? args[i] : l.y[k++];
    if (fill && is[i]) x = tl_lanes_fill(in, l.y[0], first, x);
    next[i] = x;
  }
  bind_args(v, in, f->body, is, next);
  tl_op alone = *f->op;
  alone.regions = (tl_block *[1]){f->body};
  alone.n_regions = 1;
  uint32_t n_free;
  tl_value *free = tl_ad_free_values(in, &alone, &n_free);
  was = tl_ad_room(b, n_free);
  for (uint32_t i = 0; was != NULL && fill && i < n_free; i++) {
    was[i] = tl_env_get(&v->at->env, free[i]);
    if (!tl_batcher_is_batched(v->at, was[i])) continue;
    tl_value x = tl_lanes_fill(in, l.y[0], first, was[i]);
    tl_env_put(in, &v->at->env, free[i], x);
    tl_batcher_mark(v->at, in, x);
  }
  if (in->error == TL_OK) tl_batch_block(v->at, in, f->body, out, out_is);
  for (uint32_t i = 0; was != NULL && fill && i < n_free; i++)
    tl_env_put(in, &v->at->env, free[i], was[i]);
  // Lanes that are not alive keep what they had.
  k = 1;
  for (uint32_t i = 0; in->error == TL_OK && i < n; i++) {
    tl_value x = args[i];
    if (!f->invariant[i]) {
      tl_value y = out_is[i] ? out[i] : tl_batch_repeat(in, out[i], v->size);
      x = tl_lanes_select(in, l.y[0], y, l.y[k]);
      next[k++] = x;
    }
    out[i] = x;
  }
  if (in->error == TL_OK) bind_args(v, in, f->cond, is, out);
  if (in->error == TL_OK) tl_batch_block(v->at, in, f->cond, &alive, &cond_is);
  if (in->error == TL_OK && !cond_is) alive = tl_batch_repeat(in, alive, v->size);
  next[0] = tlo_binary(in, TL_OP_AND, l.y[0], alive);
  if (f->bounded) next[n_changing + 1] = tlo_add(in, l.y[n_changing + 1], tl_loop_i64(in, 1));
  tl_op *now = tl_loop_end(b, &l, go_on, next);
  k = 1;
  for (uint32_t i = 0; now != NULL && i < n; i++) {
    v->out[i] = f->invariant[i] ? args[i] : now->results[k++];
    v->out_batched[i] = is[i];
  }
}

void tl_batch_while(tl_batch *v) {
  tl_builder *b = v->b;
  tl_loop_facts f;
  tl_loop_learn(b, v->op, &f);
  bool *is = tl_ad_flags(b, f.n), of_each = false;
  if (b->error != TL_OK || !tl_ad_enter(v->ad, b, v->op)) return;
  for (uint32_t i = 0; i < f.n; i++)
    is[i] = v->batched[i];
  while (b->error == TL_OK && !try_shared(v, &f, is, &of_each))
    ;
  if (b->error == TL_OK && of_each) each_its_own(v, &f);
  v->ad->depth--;
}
