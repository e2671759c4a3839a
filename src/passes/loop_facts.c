// Trip counts and the like, read off a loop's condition and body.
#include "passes/loop_facts.h"

#include "ir/dim.h"

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

tl_comparison_direction tl_comparison_turned(tl_comparison_direction d) {
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

static bool stays_within(tl_dtype dtype, wide x) {
  const uint32_t bits = tl_dtype_get(dtype)->bits;
  const bool is_signed = tl_dtype_get(dtype)->kind == TL_KIND_INT;
  const wide one = 1;
  const wide most = (one << (is_signed ? bits - 1 : bits)) - 1,
             least = is_signed ? -(one << (bits - 1)) : 0;
  return x <= most && x >= least;
}

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
  if (n > INT64_MAX / 2 || !stays_within(dtype, from + n * by)) return false;
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
          count_symbolic(f->body->func->module, side == 0 ? dir : tl_comparison_turned(dir), first,
                         f->step[i], limit, out))
        return true;
      continue;
    }
    return count_trips(op->operands[side]->type.dtype, side == 0 ? dir : tl_comparison_turned(dir),
                       first, f->step[i], limit, out);
  }
  return false;
}

void tl_loop_learn(tl_builder *b, const tl_op *op, tl_loop_facts *out) {
  const uint32_t n = op->n_operands;
  *out = (tl_loop_facts){.op = op,
                         .cond = op->regions[0],
                         .body = op->regions[1],
                         .n = n,
                         .invariant = tl_flags(b, n),
                         .affine = tl_flags(b, n),
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

bool tl_loop_count(const tl_loop_facts *f, uint32_t i, tl_comparison_direction dir, tl_value limit,
                   int64_t *out) {
  int64_t first, to;
  return tl_loop_constant(NULL, f->op->operands[i], &first) && tl_loop_constant(f, limit, &to) &&
         count_trips(limit->type.dtype, dir, first, f->step[i], to, out);
}

bool tl_loop_counts_to(const tl_loop_facts *f, uint32_t i, int64_t trips) {
  int64_t first;
  const tl_type t = f->op->operands[i]->type;
  return f->step[i] != 0 && tl_loop_constant(NULL, f->op->operands[i], &first) &&
         stays_within(t.dtype, (wide)first + (wide)trips * f->step[i]);
}
