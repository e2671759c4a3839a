// Loops that need not be loops when they are differentiated: a small modest part of phi-calculus
// (Shen et al., OOPSLA 2021).
//
// With n trips, a constant, of a body of few ops, the loop is its body n times over (C5): n times
// the ops within UNROLLED. And where the only value that changes is d <- a d + b (C6), with a and b
// from outside the loop, its n-th is A p + B of the composition (A, B) of n such steps, which takes
// log2 n squarings:
//
//     (A, B) after (C, D)  =  (A C, A D + B)
//
// without the quotient of the textbook's geometric sum, and so without its hole at a = 1. It is
// done where a is a constant of absolute value at most 1: with any other a^n may overflow where
// the loop, from a small p, does not. The sums are in another order than the loop's; a loop of a
// named op's decomposition stays as it is, so that its derivative does not depend on which sizes
// are numbers.
#include "ad/phi.h"

#include <math.h>

#include "ad/loop.h"

enum { UNROLLED = 64, CLOSED_FROM = 16 };

static size_t count_ops(const tl_block *block, size_t most) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != block->last && n <= most; op = op->next) {
    if ((tl_op_get(op->code)->traits & TL_EFFECT) != 0) return most + 1;
    n += op->code != TL_OP_CONSTANT;
    if (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE || op->code == TL_OP_WHILE)
      return most + 1; // as large as what it names
    for (uint32_t r = 0; r < op->n_regions; r++)
      n += count_ops(op->regions[r], most);
  }
  return n;
}

static void unroll(tl_reverse *r, tl_builder *b, tl_env *e, const tl_loop_facts *f) {
  const tl_op *op = f->op;
  tl_value *x = tl_room(b, f->n), *out = tl_room(b, f->n);
  if (b->error != TL_OK) return;
  for (uint32_t i = 0; i < f->n; i++)
    x[i] = tl_env_get(e, op->operands[i]);
  for (int64_t k = 0; k < f->trips && b->error == TL_OK; k++) {
    for (uint32_t i = 0; i < f->n; i++) {
      int64_t first; // a counter is a constant in each step
      if (f->affine[i] && tl_loop_constant(NULL, op->operands[i], &first))
        x[i] = tlo_constant_i64(b, op->operands[i]->type, first + k * f->step[i]);
      tl_env_put(b, e, f->body->args[i], x[i]);
    }
    tl_reverse_primal(r, b, e, f->body, out);
    memcpy(x, out, f->n * sizeof(tl_value));
  }
  for (uint32_t i = 0; i < f->n; i++)
    tl_env_put(b, e, op->results[i], x[i]);
}

// --- d <- a d + b
// ---------------------------------------------------------------------------------

// A value of the body that stands for one from outside, or a constant; NULL: it changes.
static tl_value from_outside(const tl_loop_facts *f, tl_value v) {
  if (v->op == NULL && v->block == f->body)
    return f->invariant[v->index] ? f->op->operands[v->index] : NULL;
  if (v->block != f->body) return v;
  return v->op->code == TL_OP_CONSTANT ? v : NULL;
}

// Whether v is one number everywhere, of absolute value at most 1.
static bool is_contraction(tl_value v) {
  while (v->op != NULL && v->op->code == TL_OP_BROADCAST_IN_DIM)
    v = v->op->operands[0];
  if (v->op == NULL || v->op->code != TL_OP_CONSTANT) return false;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  if (l == NULL || (!l->splat && v->type.rank != 0)) return false;
  double x = 2;
  if (v->type.dtype == TL_DTYPE_F64 && l->size >= sizeof x) {
    memcpy(&x, l->data, sizeof x);
  } else if (v->type.dtype == TL_DTYPE_F32 && l->size >= sizeof(float)) {
    float s;
    memcpy(&s, l->data, sizeof s);
    x = (double)s;
  }
  return fabs(x) <= 1;
}

typedef struct affine_step {
  uint32_t i;       // the carried value
  tl_value a, plus; // NULL: 1, and nothing
} affine_step;

// d times something from outside, or d itself.
static bool read_factor(const tl_loop_facts *f, tl_value d, tl_value v, affine_step *out) {
  out->a = NULL;
  if (v == d) return true;
  if (v->op == NULL || v->block != f->body || v->op->code != TL_OP_MULTIPLY) return false;
  for (uint32_t side = 0; side < 2; side++)
    if (v->op->operands[side] == d) {
      out->a = from_outside(f, v->op->operands[1 - side]);
      return out->a != NULL && is_contraction(out->a);
    }
  return false;
}

static bool read_step(const tl_loop_facts *f, affine_step *out) {
  uint32_t changing = f->n;
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->invariant[i] || f->affine[i]) continue;
    if (changing != f->n) return false;
    changing = i;
  }
  if (changing == f->n) return false;
  tl_value d = f->body->args[changing], next = f->body->last->operands[changing];
  if (tl_dtype_get(d->type.dtype)->kind != TL_KIND_FLOAT) return false;
  *out = (affine_step){.i = changing};
  if (next == d || next->op == NULL || next->block != f->body) return false;
  if (next->op->code == TL_OP_ADD)
    for (uint32_t side = 0; side < 2; side++) {
      out->plus = from_outside(f, next->op->operands[1 - side]);
      if (out->plus != NULL && read_factor(f, d, next->op->operands[side], out)) return true;
    }
  out->plus = NULL;
  return next != d && read_factor(f, d, next, out);
}

static void close(tl_reverse *r, tl_builder *b, tl_env *e, const tl_loop_facts *f,
                  const affine_step *s) {
  const tl_op *op = f->op;
  tl_op *before = b->block->last;
  // a and b, of which a constant may stand in the body.
  tl_value a = s->a, plus = s->plus;
  if (a != NULL && a->block == f->body) (void)tl_clone(b, e, a->op);
  if (plus != NULL && plus->block == f->body) (void)tl_clone(b, e, plus->op);
  a = a == NULL ? NULL : tl_env_get(e, a);
  plus = plus == NULL ? NULL : tl_env_get(e, plus);
  tl_value p = tl_env_get(e, op->operands[s->i]), y = p;
  if (a == NULL) { // p + n b
    tl_value n = tl_ad_scale(b, plus, (double)f->trips);
    y = tlo_add(b, p, n);
  } else {
    tl_value A = a, B = plus;
    int bit = 62;
    while ((f->trips >> bit & 1) == 0)
      bit--;
    for (bit--; bit >= 0; bit--) {
      if (B != NULL) B = tlo_add(b, tlo_mul(b, A, B), B);
      A = tlo_mul(b, A, A);
      if ((f->trips >> bit & 1) == 0) continue;
      if (B != NULL) B = tlo_add(b, tlo_mul(b, a, B), plus);
      A = tlo_mul(b, A, a);
    }
    y = tlo_mul(b, A, p);
    if (B != NULL) y = tlo_add(b, y, B);
  }
  tl_reverse_mark(r, b, before);
  for (uint32_t i = 0; b->error == TL_OK && i < f->n; i++) {
    tl_value v = tl_env_get(e, op->operands[i]);
    if (i == s->i) v = y;
    if (f->affine[i]) {
      int64_t by = (int64_t)((uint64_t)f->trips * (uint64_t)f->step[i]);
      v = tlo_add(b, v, tlo_constant_i64(b, v->type, by));
    }
    tl_env_put(b, e, op->results[i], v);
  }
}

bool tl_phi_apply(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op) {
  if (op->code != TL_OP_WHILE || b->error != TL_OK || r->ad->in_named != 0 ||
      r->ad->options->checkpoints > 0)
    return false;
  tl_loop_facts f;
  tl_loop_learn(b, op, &f);
  if (b->error != TL_OK || !f.exact || f.trips < 0) return false;
  const size_t n = count_ops(f.body, UNROLLED);
  if (f.trips <= UNROLLED && n * (size_t)f.trips <= UNROLLED) {
    if (!tl_ad_enter(r->ad, b, op)) return false;
    unroll(r, b, e, &f);
    r->ad->depth--;
    return true;
  }
  affine_step s;
  if (f.trips < CLOSED_FROM || n > UNROLLED || !read_step(&f, &s)) return false;
  close(r, b, e, &f, &s);
  return true;
}
