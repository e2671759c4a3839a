// Branches by themselves: one that is known, values that both give, branches of branches.
//
// F1 holds for what the branches compute alike too: sin x in both is sin x before them. It is
// computed whichever is taken, so what it costs does not change; a value that only one of several
// branches has is left alone.
//
// C3 makes one choice of a chain of choices, each the only op of a branch of the one above:
//
//     if p {A} else {if q {B} else {C}}   =   case select(p, 0, select(q, 1, 2)) {A} {B} {C}
//
// All predicates come from outside the chain and are computed before it anyhow, and no branch is
// copied (moving the inner choice outwards, as the paper has it, copies A).
#include "passes/phi_rules.h"

enum { MAX_DEPTH = 16, MAX_LEAVES = 64, MAX_HOISTED = 64 };

static bool is_branch(const tl_op *op) { return op->code == TL_OP_IF || op->code == TL_OP_CASE; }

// The scalar integer or truth value of a constant, perhaps spread.
static bool constant_of(tl_value v, int64_t *out) {
  if (v->op == NULL || v->type.rank != 0) return false;
  if (v->type.dtype != TL_DTYPE_I1) return tl_loop_constant(NULL, v, out);
  if (v->op->code != TL_OP_CONSTANT) return false;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  if (l == NULL || l->size == 0) return false;
  *out = *(const uint8_t *)l->data != 0;
  return true;
}

bool tl_phi_known(tl_builder *in, const tl_op *op, const tl_phi_options *options, tl_value *out) {
  (void)options;
  int64_t x;
  if (!is_branch(op) || !constant_of(op->operands[0], &x)) return false;
  uint32_t r = op->n_regions - 1; // of no number of theirs: the last
  if (op->code == TL_OP_IF)
    r = x != 0 ? 0 : 1;
  else if (x >= 0 && x < (int64_t)op->n_regions)
    r = (uint32_t)x;
  tl_env e = {0};
  tl_clone_block(in, &e, op->regions[r], out);
  tl_env_deinit(&e);
  return true;
}

// ---- F1 ----

static bool defined_in(const tl_block *block, tl_value v) { return v->block == block; }

// Whether x of block a and y of block b are the same: one value from outside, or equal ops of the
// same operands. Counts what it looks at.
static bool alike(const tl_block *a, tl_value x, const tl_block *b, tl_value y, uint32_t *n) {
  if (x == y) return true;
  if (++*n > MAX_HOISTED || !defined_in(a, x) || !defined_in(b, y) || x->op == NULL ||
      y->op == NULL || x->index != y->index)
    return false;
  const tl_op *p = x->op, *q = y->op;
  if (p->code != q->code || !tl_phi_is_plain(p) || p->n_operands != q->n_operands ||
      p->n_results != q->n_results)
    return false;
  for (uint32_t k = 0; k < p->n_results; k++)
    if (!tl_type_eq(p->results[k]->type, q->results[k]->type)) return false;
  const tl_op_info *info = tl_op_get(p->code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (!tl_attr_eq(tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind, &p->attrs[i],
                    &q->attrs[i]))
      return false;
  for (uint32_t i = 0; i < p->n_operands; i++)
    if (!alike(a, p->operands[i], b, q->operands[i], n)) return false;
  return true;
}

// A copy of what gives v, where it is of the block.
static tl_value hoist(tl_builder *in, tl_env *e, const tl_block *block, tl_value v) {
  if (!defined_in(block, v)) return v;
  tl_value done = tl_value_map_find(&e->map, v);
  if (done != NULL) return done;
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    (void)hoist(in, e, block, v->op->operands[i]);
  const tl_op *now = tl_clone(in, e, v->op);
  return now == NULL ? NULL : now->results[v->index];
}

bool tl_phi_same(tl_builder *in, const tl_op *op, const tl_phi_options *options, tl_value *out) {
  (void)options;
  if (!is_branch(op)) return false;
  bool *same = tl_flags(in, op->n_results);
  if (same == NULL) return false;
  const tl_block *first = op->regions[0];
  uint32_t n_left = 0;
  for (uint32_t k = 0; k < op->n_results; k++) {
    same[k] = true;
    for (uint32_t r = 1; r < op->n_regions && same[k]; r++) {
      uint32_t n = 0;
      same[k] = alike(first, first->last->operands[k], op->regions[r],
                      op->regions[r]->last->operands[k], &n);
    }
    n_left += !same[k];
  }
  if (n_left == op->n_results) return false;
  tl_env e = {0};
  for (uint32_t k = 0; k < op->n_results; k++)
    if (same[k]) out[k] = hoist(in, &e, first, first->last->operands[k]);
  tl_env_deinit(&e);
  // The others, and effects, in the branch that is left.
  tl_op *left = tl_op_begin(in, op->code, op->operands, 1);
  tl_value *yields = tl_room(in, op->n_results);
  for (uint32_t r = 0; r < op->n_regions && in->error == TL_OK; r++) {
    tl_builder b = tl_builder_at(in, tl_op_add_region(in, left));
    tl_env inner = {0};
    tl_clone_block(&b, &inner, op->regions[r], yields);
    tl_env_deinit(&inner);
    uint32_t at = 0;
    for (uint32_t k = 0; k < op->n_results; k++)
      if (!same[k]) yields[at++] = yields[k];
    tlo_return(&b, yields, n_left);
    tl_builder_join(in, &b);
  }
  left = tl_op_finish(in, left, NULL, 0);
  for (uint32_t k = 0, at = 0; left != NULL && k < op->n_results; k++)
    if (!same[k]) out[k] = left->results[at++];
  return true;
}

// ---- C3 ----

// What a chain of choices comes to: its last branches, and of each what the chain gives there.
typedef struct chain {
  const tl_block *leaf[MAX_LEAVES];
  tl_value *yields[MAX_LEAVES]; // [results], values of the leaf or from outside
  uint32_t n;
} chain;

// The one op of a block, where it is an IF.
static const tl_op *only_branch(const tl_block *block) {
  const tl_op *op = block->first;
  return op != block->last && op->next == block->last && op->code == TL_OP_IF ? op : NULL;
}

static uint32_t count_leaves(const tl_op *op, uint32_t depth) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < 2; r++) {
    const tl_op *inner = depth == MAX_DEPTH ? NULL : only_branch(op->regions[r]);
    n += inner == NULL ? 1 : count_leaves(inner, depth + 1);
  }
  return n;
}

// The number of the leaf. `results` [n_results] are the values, of `op` or from outside, that the
// chain gives where op is reached.
static tl_value number_leaves(tl_builder *in, chain *c, const tl_op *op, const tl_value *results,
                              uint32_t n_results, uint32_t depth) {
  tl_value number[2] = {NULL, NULL};
  for (uint32_t r = 0; r < 2 && in->error == TL_OK; r++) {
    const tl_block *block = op->regions[r];
    tl_value *here = tl_room(in, n_results);
    if (here == NULL) return NULL;
    for (uint32_t k = 0; k < n_results; k++)
      here[k] = results[k]->op == op ? block->last->operands[results[k]->index] : results[k];
    const tl_op *inner = depth == MAX_DEPTH ? NULL : only_branch(block);
    if (inner != NULL) {
      number[r] = number_leaves(in, c, inner, here, n_results, depth + 1);
      continue;
    }
    number[r] = tlo_constant_i64(in, tl_type_scalar(TL_DTYPE_S32), c->n);
    c->leaf[c->n] = block;
    c->yields[c->n++] = here;
  }
  return tlo_select(in, op->operands[0], number[0], number[1]);
}

bool tl_phi_flatten(tl_builder *in, const tl_op *op, const tl_phi_options *options, tl_value *out) {
  if (options->chains_stay || op->code != TL_OP_IF || op->n_results == 0 ||
      (only_branch(op->regions[0]) == NULL && only_branch(op->regions[1]) == NULL) ||
      count_leaves(op, 0) > MAX_LEAVES)
    return false;
  chain c = {0};
  tl_value number = number_leaves(in, &c, op, op->results, op->n_results, 0);
  tl_op *now = tl_op_begin(in, TL_OP_CASE, &number, 1);
  for (uint32_t i = 0; i < c.n && in->error == TL_OK; i++) {
    tl_builder b = tl_builder_at(in, tl_op_add_region(in, now));
    tl_env e = {0};
    tl_value *own = tl_room(&b, c.leaf[i]->last->n_operands);
    if (own != NULL) tl_clone_block(&b, &e, c.leaf[i], own);
    for (uint32_t k = 0; k < op->n_results; k++)
      out[k] = tl_env_get(&e, c.yields[i][k]);
    tl_env_deinit(&e);
    tlo_return(&b, out, op->n_results);
    tl_builder_join(in, &b);
  }
  now = in->error != TL_OK ? NULL : tl_op_finish(in, now, NULL, 0);
  for (uint32_t k = 0; now != NULL && k < op->n_results; k++)
    out[k] = now->results[k];
  return true;
}
