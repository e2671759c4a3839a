// Conditions of several parts: `i < n and not stop`, which is how a loop that breaks is written.
//
// A condition is taken apart at its ANDs (and, where it is negated, at its ORs), and each part is
// of one of these kinds:
//
//     always true          dropped
//     false                the loop never runs: its results are what it began with
//     of no carried value  if part {the loop without it} else {what it began with}
//     of a counter alone   by constants: counted, all such parts together, into one bound
//                          by values: i < n and i < t is i < min(n, t)
//     of what is computed  left alone; the loop is bounded by its other parts
//
// Parts are evaluated in no order and have no effects, so that to leave one out changes nothing.
#include "passes/phi_rules.h"

#include "ir/format.h"

enum { MAX_PARTS = 16, MAX_OPS = 256, MAX_STEPS = 1 << 12, MAX_COUNTED = 1 << 14 };

// ---- Scalars of the step's number ----

typedef struct evaluation {
  const tl_loop_facts *f;
  int64_t k;
  uint32_t left; // ops that may still be done
} evaluation;

// A number of 64 bits as the type has it.
static int64_t wrapped(tl_dtype d, uint64_t x) {
  const tl_dtype_info *info = tl_dtype_get(d);
  if (d == TL_DTYPE_I1) return (int64_t)(x & 1);
  if (info->bits >= 64) return (int64_t)x;
  const uint64_t mask = ((uint64_t)1 << info->bits) - 1;
  x &= mask;
  if (info->kind == TL_KIND_INT && (x >> (info->bits - 1)) != 0) x |= ~mask;
  return (int64_t)x;
}

static bool compares(tl_comparison_direction d, int64_t x, int64_t y, bool is_unsigned) {
  if (is_unsigned && ((x < 0) != (y < 0))) { // of 64 bits: the negative one is larger
    const int64_t t = x;
    x = y, y = t;
  }
  switch (d) {
  case TL_COMPARISON_DIRECTION_EQ:
    return x == y;
  case TL_COMPARISON_DIRECTION_NE:
    return x != y;
  case TL_COMPARISON_DIRECTION_LT:
    return x < y;
  case TL_COMPARISON_DIRECTION_LE:
    return x <= y;
  case TL_COMPARISON_DIRECTION_GT:
    return x > y;
  default:
    return x >= y;
  }
}

static bool evaluate(evaluation *e, tl_value v, int64_t *out);

static bool evaluate_op(evaluation *e, const tl_op *op, int64_t *out) {
  int64_t x = 0, y = 0, z = 0;
  const tl_dtype d = op->results[0]->type.dtype;
  const bool is_unsigned = tl_dtype_get(d)->kind == TL_KIND_UINT;
  if (op->n_operands == 0 || op->n_operands > 3 || op->n_results != 1) return false;
  if (!evaluate(e, op->operands[0], &x) ||
      (op->n_operands > 1 && !evaluate(e, op->operands[1], &y)) ||
      (op->n_operands > 2 && !evaluate(e, op->operands[2], &z)))
    return false;
  switch (op->code) {
  case TL_OP_ADD:
    *out = d == TL_DTYPE_I1 ? (x | y) : wrapped(d, (uint64_t)x + (uint64_t)y);
    return true;
  case TL_OP_SUBTRACT:
    *out = wrapped(d, (uint64_t)x - (uint64_t)y);
    return d != TL_DTYPE_I1;
  case TL_OP_MULTIPLY:
    *out = wrapped(d, (uint64_t)x * (uint64_t)y);
    return true;
  case TL_OP_NEGATE:
    *out = wrapped(d, -(uint64_t)x);
    return true;
  case TL_OP_DIVIDE:
  case TL_OP_REMAINDER:
    if (y == 0 || y == -1 || is_unsigned) return false;
    *out = op->code == TL_OP_DIVIDE ? x / y : x % y;
    return true;
  case TL_OP_MAXIMUM:
  case TL_OP_MINIMUM: {
    const bool less = compares(TL_COMPARISON_DIRECTION_LT, x, y, is_unsigned);
    *out = less == (op->code == TL_OP_MAXIMUM) ? y : x;
    return true;
  }
  case TL_OP_AND:
    *out = x & y;
    return true;
  case TL_OP_OR:
    *out = x | y;
    return true;
  case TL_OP_XOR:
    *out = x ^ y;
    return true;
  case TL_OP_NOT:
    *out = wrapped(d, ~(uint64_t)x);
    return true;
  case TL_OP_CONVERT:
    *out = d == TL_DTYPE_I1 ? x != 0 : wrapped(d, (uint64_t)x);
    return true;
  case TL_OP_RESHAPE:
    *out = x;
    return true;
  case TL_OP_SELECT:
    *out = x != 0 ? y : z;
    return true;
  case TL_OP_COMPARE:
    *out = compares((tl_comparison_direction)tl_op_i64(op, TL_A_COMPARE_comparison_direction), x, y,
                    tl_dtype_get(op->operands[0]->type.dtype)->kind == TL_KIND_UINT);
    return true;
  default:
    return false;
  }
}

// A scalar, or a vector of one, as indices are often made.
static bool is_countable(tl_type t) {
  const tl_dtype_kind kind = tl_dtype_get(t.dtype)->kind;
  size_t n;
  return (kind == TL_KIND_BOOL || kind == TL_KIND_INT || kind == TL_KIND_UINT) &&
         tl_type_count(t, &n) && n == 1;
}

static bool evaluate(evaluation *e, tl_value v, int64_t *out) {
  const tl_loop_facts *f = e->f;
  if (e->left == 0 || !is_countable(v->type)) return false;
  e->left--;
  if (v->op == NULL) {
    if (v->block != f->cond && v->block != f->body) return false;
    tl_value first = f->op->operands[v->index];
    if (f->invariant[v->index]) return evaluate(e, first, out);
    int64_t from;
    if (!f->affine[v->index] || !tl_loop_constant(NULL, first, &from)) return false;
    *out = wrapped(v->type.dtype, (uint64_t)from + (uint64_t)e->k * (uint64_t)f->step[v->index]);
    return true;
  }
  if (v->op->code == TL_OP_CONSTANT && v->type.dtype == TL_DTYPE_I1) {
    const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
    if (l == NULL || l->size == 0) return false;
    *out = *(const uint8_t *)l->data != 0;
    return true;
  }
  if (v->op->code == TL_OP_CONSTANT) return tl_loop_constant(f, v, out);
  return evaluate_op(e, v->op, out);
}

bool tl_phi_at_step(const tl_loop_facts *f, tl_value v, int64_t k, int64_t *out) {
  evaluation e = {f, k, MAX_STEPS};
  return evaluate(&e, v, out);
}

// ---- The parts ----

typedef enum {
  PART_TRUE,
  PART_FALSE,
  PART_OUTSIDE, // reads no carried value that changes
  PART_COUNTER, // reads counters, and what can be evaluated
  PART_LIMIT,   // compares one counter with a value from outside
  PART_COMPUTED,
} part_kind;

typedef struct part {
  tl_value v;
  bool is_not; // the part is not v
  part_kind kind;
  // PART_LIMIT: counter `i` dir limit
  uint32_t counter;
  tl_comparison_direction dir;
  tl_value limit; // from outside the loop
} part;

typedef struct parts {
  const tl_loop_facts *f;
  part list[MAX_PARTS];
  uint32_t n;
} parts;

static bool take_apart(parts *p, tl_value v, bool is_not, uint32_t depth) {
  const tl_op *op = v->op;
  if (op != NULL && v->block == p->f->cond && depth < MAX_PARTS && v->type.rank == 0) {
    if (op->code == TL_OP_NOT) return take_apart(p, op->operands[0], !is_not, depth + 1);
    if (op->code == (is_not ? TL_OP_OR : TL_OP_AND))
      return take_apart(p, op->operands[0], is_not, depth + 1) &&
             take_apart(p, op->operands[1], is_not, depth + 1);
  }
  if (p->n == MAX_PARTS) return false;
  p->list[p->n++] = (part){.v = v, .is_not = is_not};
  return true;
}

// What v of the condition reads: bit 0 set where a counter, bit 1 where another carried value that
// changes, or an op that may not be moved.
static uint32_t reads(const tl_loop_facts *f, tl_value v, uint32_t *left) {
  if (v->op == NULL) {
    if (v->block != f->cond || f->invariant[v->index]) return 0;
    return f->affine[v->index] ? 1 : 2;
  }
  if (v->block != f->cond) return 0;
  if (!tl_phi_is_plain(v->op) || *left == 0) return 2;
  --*left;
  uint32_t all = 0;
  for (uint32_t i = 0; i < v->op->n_operands && (all & 2) == 0; i++)
    all |= reads(f, v->op->operands[i], left);
  return all;
}

static tl_comparison_direction negated(tl_comparison_direction d) {
  switch (d) {
  case TL_COMPARISON_DIRECTION_EQ:
    return TL_COMPARISON_DIRECTION_NE;
  case TL_COMPARISON_DIRECTION_NE:
    return TL_COMPARISON_DIRECTION_EQ;
  case TL_COMPARISON_DIRECTION_LT:
    return TL_COMPARISON_DIRECTION_GE;
  case TL_COMPARISON_DIRECTION_LE:
    return TL_COMPARISON_DIRECTION_GT;
  case TL_COMPARISON_DIRECTION_GT:
    return TL_COMPARISON_DIRECTION_LE;
  default:
    return TL_COMPARISON_DIRECTION_LT;
  }
}

// `counter dir limit`, with a limit that has a name outside the loop.
static bool read_limit(const tl_loop_facts *f, part *p) {
  const tl_op *op = p->v->op;
  if (op == NULL || op->code != TL_OP_COMPARE || p->v->block != f->cond) return false;
  tl_comparison_direction d =
      (tl_comparison_direction)tl_op_i64(op, TL_A_COMPARE_comparison_direction);
  for (uint32_t side = 0; side < 2; side++) {
    tl_value x = op->operands[side], limit = op->operands[1 - side];
    if (x->op != NULL || x->block != f->cond || !f->affine[x->index]) continue;
    if (limit->op == NULL && limit->block == f->cond) {
      if (!f->invariant[limit->index]) return false;
      limit = f->op->operands[limit->index];
    }
    if (limit->block == f->cond && limit->op->code != TL_OP_CONSTANT) return false;
    p->counter = x->index;
    p->limit = limit;
    p->dir = side == 0 ? d : tl_comparison_turned(d);
    if (p->is_not) p->dir = negated(p->dir);
    return true;
  }
  return false;
}

static bool holds(const parts *ps, const part *p, int64_t k, bool *out) {
  int64_t x;
  if (!tl_phi_at_step(ps->f, p->v, k, &x)) return false;
  *out = (x != 0) != p->is_not;
  return true;
}

static void classify(const parts *ps, part *p) {
  uint32_t left = MAX_STEPS;
  const uint32_t r = reads(ps->f, p->v, &left);
  bool is = false;
  if (r == 0)
    p->kind = !holds(ps, p, 0, &is) ? PART_OUTSIDE : is ? PART_TRUE : PART_FALSE;
  else if ((r & 2) != 0)
    p->kind = PART_COMPUTED;
  else
    p->kind = holds(ps, p, 0, &is)   ? PART_COUNTER
              : read_limit(ps->f, p) ? PART_LIMIT
                                     : PART_COMPUTED;
}

// ---- Counting ----

// The first step at which one of the parts of counters and constants does not hold. A comparison
// alone is counted without steps.
static bool count(const parts *ps, int64_t *out) {
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < ps->n; i++) {
    const part *p = &ps->list[i];
    int64_t n;
    part limit = *p;
    if (p->kind == PART_COUNTER && read_limit(ps->f, &limit) &&
        tl_loop_count(ps->f, limit.counter, limit.dir, limit.limit, &n))
      least = TL_MIN(least, n);
  }
  for (uint32_t i = 0; i < ps->n; i++) {
    const part *p = &ps->list[i];
    part limit = *p;
    int64_t n;
    if (p->kind != PART_COUNTER ||
        (read_limit(ps->f, &limit) &&
         tl_loop_count(ps->f, limit.counter, limit.dir, limit.limit, &n)))
      continue;
    bool is = true;
    for (n = 0; n < least && is; n++) {
      if (n > MAX_COUNTED || !holds(ps, p, n, &is)) return false;
      if (!is) least = n;
    }
  }
  *out = least;
  return least != INT64_MAX;
}

// ---- The loop again ----

// v of the old condition, at b, where e says what its arguments are.
static tl_value copy_part(tl_builder *b, tl_env *e, const tl_block *cond, tl_value v) {
  tl_value done = tl_value_map_find(&e->map, v);
  if (done != NULL || v->op == NULL || v->block != cond) return done == NULL ? v : done;
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)copy_part(b, e, cond, v->op->operands[i]);
  const tl_op *now = tl_clone(b, e, v->op);
  return now == NULL ? NULL : now->results[v->index];
}

static tl_value both(tl_builder *b, tl_value x, tl_value y) {
  return x == NULL ? y : tlo_binary(b, TL_OP_AND, x, y);
}

// The loop with the condition that the parts come to: `bound`, a comparison of counter `by`, and
// those that are computed; a limit's comes from outside.
static void loop_again(tl_builder *b, const parts *ps, uint32_t by, tl_comparison_direction dir,
                       tl_value bound, tl_value *out) {
  const tl_loop_facts *f = ps->f;
  tl_op *now = tl_op_begin(b, TL_OP_WHILE, f->op->operands, f->n);
  tl_builder cond = tl_builder_at(b, tl_op_add_region(b, now));
  tl_builder body = tl_builder_at(b, tl_op_add_region(b, now));
  tl_env e = {0};
  for (uint32_t i = 0; i < f->n && b->error == TL_OK; i++) {
    const tl_type t = f->op->operands[i]->type;
    tl_env_put(b, &e, f->cond->args[i], tl_block_arg(&cond, cond.block, t));
    tl_env_put(b, &e, f->body->args[i], tl_block_arg(&body, body.block, t));
  }
  tl_value go_on = NULL;
  if (bound != NULL) go_on = tlo_compare(&cond, dir, tl_env_get(&e, f->cond->args[by]), bound);
  for (uint32_t i = 0; i < ps->n && cond.error == TL_OK; i++) {
    const part *p = &ps->list[i];
    tl_value v = NULL;
    if (p->kind == PART_COMPUTED) {
      v = copy_part(&cond, &e, f->cond, p->v);
      if (p->is_not) v = tlo_unary(&cond, TL_OP_NOT, v);
    } else if (p->kind == PART_LIMIT) {
      v = tlo_compare(&cond, p->dir, tl_env_get(&e, f->cond->args[p->counter]), p->limit);
    }
    if (v != NULL) go_on = both(&cond, go_on, v);
  }
  if (go_on == NULL) go_on = tlo_constant_i64(&cond, tl_type_scalar(TL_DTYPE_I1), 1);
  tlo_return(&cond, &go_on, 1);
  tl_value *next = tl_room(&body, f->n);
  if (next != NULL) tl_clone_block(&body, &e, f->body, next);
  tlo_return(&body, next, f->n);
  tl_env_deinit(&e);
  tl_builder_join(b, &cond);
  tl_builder_join(b, &body);
  now = b->error != TL_OK ? NULL : tl_op_finish(b, now, NULL, 0);
  for (uint32_t i = 0; now != NULL && i < f->n; i++)
    out[i] = now->results[i];
}

// i < n and i < t: i < min(n, t). The second goes.
static bool merge_limits(tl_builder *in, parts *ps) {
  bool any = false;
  for (uint32_t i = 0; i < ps->n; i++)
    for (uint32_t j = i + 1; j < ps->n; j++) {
      part *p = &ps->list[i], *q = &ps->list[j];
      if (p->kind != PART_LIMIT || q->kind != PART_LIMIT || p->counter != q->counter ||
          p->dir != q->dir)
        continue;
      const bool up = p->dir == TL_COMPARISON_DIRECTION_LT || p->dir == TL_COMPARISON_DIRECTION_LE,
                 down =
                     p->dir == TL_COMPARISON_DIRECTION_GT || p->dir == TL_COMPARISON_DIRECTION_GE;
      if (!up && !down) continue;
      p->limit = tlo_binary(in, up ? TL_OP_MINIMUM : TL_OP_MAXIMUM, p->limit, q->limit);
      q->kind = PART_TRUE;
      any = true;
    }
  return any;
}

// A limit that is a constant of the old condition, before the loop.
static void limits_outside(tl_builder *in, parts *ps) {
  tl_env e = {0};
  for (uint32_t i = 0; i < ps->n; i++)
    if (ps->list[i].kind == PART_LIMIT)
      ps->list[i].limit = copy_part(in, &e, ps->f->cond, ps->list[i].limit);
  tl_env_deinit(&e);
}

bool tl_phi_break(tl_builder *in, const tl_op *op, const tl_phi_options *options, tl_value *out) {
  (void)options;
  if (op->code != TL_OP_WHILE) return false;
  tl_loop_facts f;
  tl_loop_learn(in, op, &f);
  if (in->error != TL_OK || f.exact) return false;
  uint32_t n_ops = 0;
  for (const tl_op *o = f.cond->first; o != f.cond->last; o = o->next)
    if (!tl_phi_is_plain(o) || ++n_ops > MAX_OPS) return false;
  parts ps = {.f = &f};
  if (!take_apart(&ps, f.cond->last->operands[0], false, 0)) return false;
  uint32_t n[PART_COMPUTED + 1] = {0};
  for (uint32_t i = 0; i < ps.n; i++) {
    classify(&ps, &ps.list[i]);
    n[ps.list[i].kind]++;
  }
  if (n[PART_FALSE] != 0) {
    memcpy(out, op->operands, f.n * sizeof *out);
    return true;
  }
  // Parts that are counted become limits where they are plain ones beside limits by values; else
  // one bound.
  int64_t trips = 0;
  bool counted = false;
  if (n[PART_COUNTER] != 0) counted = count(&ps, &trips);
  for (uint32_t i = 0; i < ps.n; i++) {
    part *p = &ps.list[i];
    if (p->kind == PART_COUNTER && (!counted || n[PART_LIMIT] != 0))
      p->kind = read_limit(&f, p) ? PART_LIMIT : PART_COMPUTED;
  }
  limits_outside(in, &ps);
  const bool merged = merge_limits(in, &ps);
  uint32_t by = 0, n_counted = 0;
  bool plain = false;
  for (uint32_t i = 0; i < ps.n; i++) {
    if (ps.list[i].kind != PART_COUNTER) continue;
    part limit = ps.list[i];
    plain = read_limit(&f, &limit);
    n_counted++;
  }
  while (by < f.n && !(f.affine[by] && tl_loop_counts_to(&f, by, trips)))
    by++;
  const bool bounds = n_counted > (plain ? 1u : 0u) && by < f.n;
  if (n[PART_TRUE] == 0 && n[PART_OUTSIDE] == 0 && !merged && !bounds) return false;
  if (n_counted != 0 && !bounds) // as it was
    for (uint32_t i = 0; i < ps.n; i++)
      if (ps.list[i].kind == PART_COUNTER) ps.list[i].kind = PART_COMPUTED;
  if (n[PART_TRUE] == ps.n) return false; // it never ends
  tl_comparison_direction dir = TL_COMPARISON_DIRECTION_LT;
  tl_value bound = NULL, all = NULL;
  if (bounds) {
    int64_t first = 0;
    (void)tl_loop_constant(NULL, op->operands[by], &first);
    if (f.step[by] < 0) dir = TL_COMPARISON_DIRECTION_GT;
    bound = tlo_constant_i64(in, op->operands[by]->type, first + trips * f.step[by]);
  }
  // What does not change is asked once.
  tl_env e = {0};
  for (uint32_t i = 0; i < f.n; i++)
    if (f.invariant[i]) tl_env_put(in, &e, f.cond->args[i], op->operands[i]);
  for (uint32_t i = 0; i < ps.n; i++) {
    if (ps.list[i].kind != PART_OUTSIDE) continue;
    tl_value v = copy_part(in, &e, f.cond, ps.list[i].v);
    if (ps.list[i].is_not) v = tlo_unary(in, TL_OP_NOT, v);
    all = both(in, all, v);
  }
  tl_env_deinit(&e);
  if (all == NULL) {
    loop_again(in, &ps, by, dir, bound, out);
    return true;
  }
  tl_op *choice = tl_op_begin(in, TL_OP_IF, &all, 1);
  tl_builder go = tl_builder_at(in, tl_op_add_region(in, choice));
  tl_builder stay = tl_builder_at(in, tl_op_add_region(in, choice));
  loop_again(&go, &ps, by, dir, bound, out);
  if (go.error == TL_OK) tlo_return(&go, out, f.n);
  tlo_return(&stay, op->operands, f.n);
  tl_builder_join(in, &go);
  tl_builder_join(in, &stay);
  choice = in->error != TL_OK ? NULL : tl_op_finish(in, choice, NULL, 0);
  for (uint32_t i = 0; choice != NULL && i < f.n; i++)
    out[i] = choice->results[i];
  return true;
}
