// Rules that move ops into branches and turn branches round, in place.
//
// C1 takes an op that reads a branch's result into each of the branches, where it reads what that
// branch gives. Code grows by a copy of the op for each further branch, though it still runs once;
// so it is done where the branch has no other use, or each branch has fewer than SMALL ops. What
// else the op reads must stand before the branch, or be a constant, which is copied along.
//
// Values are numbered in the order in which they stand when a round begins (tl_func_number); those
// made in the round have larger numbers, and are left to the next.
#include "passes/phi_rules.h"

enum { SMALL = 5 };

static bool is_distributed(tl_opcode code) {
  switch (code) {
  case TL_OP_NEGATE:
  case TL_OP_ABS:
  case TL_OP_EXPONENTIAL:
  case TL_OP_LOG:
  case TL_OP_SQRT:
  case TL_OP_RSQRT:
  case TL_OP_TANH:
  case TL_OP_LOGISTIC:
  case TL_OP_RELU:
  case TL_OP_GELU:
  case TL_OP_SILU:
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
  case TL_OP_MULTIPLY:
  case TL_OP_DIVIDE:
  case TL_OP_POWER:
    return true;
  default:
    return false;
  }
}

static uint32_t uses_of(const tl_phi_move *m, tl_value v) {
  uintptr_t n = 0;
  (void)tl_ptr_map_get(&m->uses, v, &n);
  return (uint32_t)n;
}

static bool is_small(const tl_op *branch) {
  for (uint32_t r = 0; r < branch->n_regions; r++) {
    size_t n = 0;
    for (const tl_op *op = branch->regions[r]->first; op != branch->regions[r]->last; op = op->next)
      n++;
    if (n >= SMALL) return false;
  }
  return true;
}

static bool is_constant(tl_value v) { return v->op != NULL && v->op->code == TL_OP_CONSTANT; }

// A builder at the end of the branch, whose return is taken off and given.
static tl_builder reopen(tl_phi_move *m, tl_block *block, tl_op **out_return) {
  *out_return = block->last;
  block->last = block->last->prev;
  *(block->last == NULL ? &block->first : &block->last->next) = NULL;
  return tl_builder_at(&m->b, block);
}

static void close_again(tl_phi_move *m, tl_builder *in, tl_op *end) {
  tl_block *block = end->block;
  end->prev = block->last;
  *(block->last == NULL ? &block->first : &block->last->next) = end;
  block->last = end;
  tl_builder_join(&m->b, in);
}

static tl_value *longer(tl_phi_move *m, tl_value *list, uint32_t n) {
  tl_value *now = tl_room(&m->b, (size_t)n + 1);
  if (now != NULL) memcpy(now, list, n * sizeof *now);
  return now;
}

// Room for one more result of the branch, of v's type; NULL when memory is gone.
static tl_value one_more(tl_phi_move *m, tl_op *branch, tl_value like) {
  tl_value_def *v = TL_NEW(m->b.m->arena, tl_value_def, 1);
  tl_value *results = longer(m, branch->results, branch->n_results);
  if (v == NULL) tl_builder_fail(&m->b, TL_OOM());
  for (uint32_t r = 0; r < branch->n_regions && m->b.error == TL_OK; r++) {
    tl_op *end = branch->regions[r]->last;
    tl_value *yields = longer(m, end->operands, end->n_operands);
    if (yields != NULL) end->operands = yields;
  }
  if (m->b.error != TL_OK) return NULL;
  *v = *branch->results[0];
  v->type = like->type;
  v->index = branch->n_results;
  results[branch->n_results++] = v;
  branch->results = results;
  for (uint32_t r = 0; r < branch->n_regions; r++)
    branch->regions[r]->last->n_operands++; // filled in by the caller
  return v;
}

static void copy_into(tl_phi_move *m, tl_op *branch, uint32_t r, const tl_op *f, uint32_t k) {
  tl_block *block = branch->regions[r];
  tl_op *end;
  tl_builder in = reopen(m, block, &end);
  in.loc = f->loc;
  tl_env e = {0};
  tl_value operands[2] = {NULL, NULL};
  for (uint32_t i = 0; i < f->n_operands; i++) {
    tl_value v = f->operands[i];
    if (v->op == branch)
      operands[i] = end->operands[v->index];
    else if (is_constant(v))
      operands[i] = tl_clone(&in, &e, v->op) == NULL ? NULL : tl_env_get(&e, v);
    else
      operands[i] = v;
  }
  tl_env_deinit(&e);
  tl_op *now = in.error != TL_OK ? NULL : tl_clone_with(&in, f, operands, &f->results[0]->type);
  close_again(m, &in, end);
  if (now != NULL) end->operands[k] = now->results[0];
}

bool tl_phi_distribute(tl_phi_move *m, tl_op *f) {
  if (!is_distributed(f->code)) return false;
  tl_op *branch = NULL;
  uint32_t k = 0;
  for (uint32_t i = 0; i < f->n_operands && branch == NULL; i++) {
    tl_op *op = f->operands[i]->op;
    if (op == NULL || (op->code != TL_OP_IF && op->code != TL_OP_CASE) || op->block != f->block ||
        op->results[0]->id >= m->made)
      continue;
    branch = op;
    k = f->operands[i]->index;
  }
  if (branch == NULL) return false;
  for (uint32_t i = 0; i < f->n_operands; i++) {
    tl_value v = f->operands[i];
    if (v->op != branch && !is_constant(v) && v->id >= branch->results[0]->id) return false;
  }
  uint32_t uses = 0;
  for (uint32_t i = 0; i < branch->n_results; i++)
    uses += uses_of(m, branch->results[i]);
  const bool alone = uses == 1;
  if (!alone && !is_small(branch)) return false;
  const uint32_t uses_of_f = uses_of(m, f->results[0]);
  tl_value now = branch->results[k];
  if (!alone) {
    now = one_more(m, branch, f->results[0]);
    k = branch->n_results - 1;
  }
  for (uint32_t r = 0; r < branch->n_regions && m->b.error == TL_OK; r++)
    copy_into(m, branch, r, f, k);
  if (m->b.error != TL_OK) return false;
  for (uint32_t i = 0; i < f->n_operands; i++) {
    tl_value v = f->operands[i];
    const uint32_t n = uses_of(m, v);
    if (v != now &&
        !tl_ptr_map_put(&m->uses, v, v->op == branch ? n - 1 : n + branch->n_regions - 1))
      tl_builder_fail(&m->b, TL_OOM());
  }
  if (!tl_ptr_map_put(&m->uses, now, uses_of_f) ||
      !tl_ptr_map_put(&m->same, f->results[0], (uintptr_t)now))
    tl_builder_fail(&m->b, TL_OOM());
  *(f->prev == NULL ? &f->block->first : &f->prev->next) = f->next;
  f->next->prev = f->prev;
  return true;
}

// ---- F3 ----

bool tl_phi_turn(tl_phi_move *m, tl_op *branch) {
  if (branch->code != TL_OP_IF || branch->n_results == 0 || branch->results[0]->id >= m->made)
    return false;
  const tl_op *yes = branch->regions[0]->last, *no = branch->regions[1]->last;
  uint32_t k = 0;
  while (k < branch->n_results && yes->operands[k] == no->operands[k])
    k++;
  if (k == branch->n_results || yes->operands[k]->id < no->operands[k]->id) return false;
  tl_value p = branch->operands[0];
  if (p->op != NULL && p->op->code == TL_OP_NOT) {
    p = p->op->operands[0];
  } else {
    tl_block *block = TL_NEW(m->b.m->arena, tl_block, 1);
    if (block == NULL) {
      tl_builder_fail(&m->b, TL_OOM());
      return false;
    }
    block->func = m->fn;
    tl_builder in = tl_builder_at(&m->b, block);
    in.loc = branch->loc;
    p = tlo_unary(&in, TL_OP_NOT, p);
    tl_builder_join(&m->b, &in);
    if (p == NULL) return false;
    tl_op *now = p->op;
    now->block = p->block = branch->block;
    now->prev = branch->prev;
    now->next = branch;
    *(branch->prev == NULL ? &branch->block->first : &branch->prev->next) = now;
    branch->prev = now;
  }
  branch->operands[0] = p;
  tl_block *swap = branch->regions[0];
  branch->regions[0] = branch->regions[1];
  branch->regions[1] = swap;
  return true;
}
