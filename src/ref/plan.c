// Two passes over the ops of a block. Forwards, values get slots. Backwards, the first time a slot
// of this block is met is its last use. Uses inside regions count for the op that has them; they
// are collected in `outer` while the region is planned, which is done on the way back so that each
// region is visited once.
#include "ref/plan.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ptr_map.h"

enum { MAX_NESTING = 200 };

typedef struct planner {
  tl_arena *arena;
  tl_ptr_map slots; // value -> slot + 1
  uint32_t n_slots;
  uint32_t *owner; // [cap] of a slot: the number of its block
  bool *dead;      // [cap] met already on the way back
  uint32_t cap;
  uint32_t n_blocks;
} planner;

typedef struct slot_list { // grows in the heap
  uint32_t *items;
  size_t len, cap;
} slot_list;

static bool list_add(slot_list *l, uint32_t slot) {
  if (l->len == l->cap) {
    size_t cap = l->cap ? l->cap * 2 : 16;
    uint32_t *items = realloc(l->items, cap * sizeof *items);
    if (items == NULL) return false;
    l->items = items;
    l->cap = cap;
  }
  l->items[l->len++] = slot;
  return true;
}

static bool define(planner *p, uint32_t block, tl_value v, uint32_t *out_slot) {
  if (p->n_slots == p->cap) {
    uint32_t cap = p->cap ? p->cap * 2 : 64;
    uint32_t *owner = realloc(p->owner, cap * sizeof *owner);
    if (owner == NULL) return false;
    p->owner = owner;
    bool *dead = realloc(p->dead, cap * sizeof *dead);
    if (dead == NULL) return false;
    p->dead = dead;
    p->cap = cap;
  }
  uint32_t slot = p->n_slots++;
  p->owner[slot] = block;
  p->dead[slot] = false;
  *out_slot = slot;
  return tl_ptr_map_put(&p->slots, v, (uintptr_t)slot + 1);
}

static bool look_up(const planner *p, tl_value v, uint32_t *out_slot) {
  uintptr_t slot;
  if (!tl_ptr_map_get(&p->slots, v, &slot)) return false;
  *out_slot = (uint32_t)slot - 1;
  return true;
}

static uint32_t *copy_list(planner *p, const uint32_t *items, size_t n) {
  uint32_t *copy = TL_NEW(p->arena, uint32_t, n);
  if (copy != NULL && n > 0) memcpy(copy, items, n * sizeof *items);
  return copy;
}

static tl_status plan_block(planner *p, const tl_block *b, uint32_t depth, tl_ref_block *plan,
                            slot_list *outer);

// Slots for the op's results and its operands' look-up: forwards, so that a use before its
// definition is noticed.
static tl_status plan_values(planner *p, const tl_op *op, uint32_t block, tl_ref_step *step) {
  step->op = op;
  uint32_t *operands = TL_NEW(p->arena, uint32_t, op->n_operands);
  if (operands == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!look_up(p, op->operands[i], &operands[i]))
      return TL_ERROR(INVALID_ARGUMENT, "%s: operand %u is not defined before its use",
                      tl_op_get(op->code)->mnemonic, i);
  step->operands = operands;
  for (uint32_t i = 0; i < op->n_results; i++) {
    uint32_t slot;
    if (!define(p, block, op->results[i], &slot)) return TL_OOM();
    if (i == 0) step->result = slot;
  }
  return TL_OK;
}

// What the op's regions use from outside them goes to `uses`.
static tl_status plan_regions(planner *p, const tl_op *op, uint32_t depth, tl_ref_step *step,
                              slot_list *uses) {
  step->regions = TL_NEW(p->arena, tl_ref_block, op->n_regions);
  if (step->regions == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_regions; i++)
    TL_TRY(plan_block(p, op->regions[i], depth + 1, &step->regions[i], uses));
  return TL_OK;
}

static tl_status plan_deaths(planner *p, uint32_t block, tl_ref_step *step,
                             const slot_list *captured, slot_list *outer) {
  const tl_op *op = step->op;
  tl_status st = TL_OK;
  slot_list release = {0};
  bool *dies = TL_NEW(p->arena, bool, op->n_operands);
  bool ok = dies != NULL;
  for (size_t i = 0; ok && i < captured->len;
       i++) { // before the operands: what a region uses is not theirs to take
    uint32_t slot = captured->items[i];
    if (p->owner[slot] != block) {
      ok = list_add(outer, slot);
    } else if (!p->dead[slot]) {
      p->dead[slot] = true;
      ok = list_add(&release, slot);
    }
  }
  for (uint32_t i = 0; ok && i < op->n_operands; i++) {
    uint32_t slot = step->operands[i];
    if (p->owner[slot] != block) {
      ok = list_add(outer, slot);
    } else if (!p->dead[slot]) {
      p->dead[slot] = true;
      dies[i] = true;
      for (uint32_t j = 0; j < op->n_operands; j++)
        if (j != i && step->operands[j] == slot) dies[i] = false;
      ok = list_add(&release, slot);
    }
  }
  for (uint32_t i = 0; ok && i < op->n_results; i++)
    if (!p->dead[step->result + i]) ok = list_add(&release, step->result + i);
  step->dies = dies;
  step->release = ok ? copy_list(p, release.items, release.len) : NULL;
  step->n_release = (uint32_t)release.len;
  if (step->release == NULL) st = TL_OOM();
  free(release.items);
  return st;
}

static tl_status plan_block(planner *p, const tl_block *b, uint32_t depth, tl_ref_block *plan,
                            slot_list *outer) {
  if (depth > MAX_NESTING)
    return TL_ERROR(RESOURCE_EXHAUSTED, "regions nest deeper than %d", MAX_NESTING);
  tl_status st = TL_OK;
  uint32_t block = p->n_blocks++, n = 0;
  slot_list captured = {0}, unused = {0};
  for (const tl_op *op = b->first; op != NULL; op = op->next)
    n++;
  tl_ref_step *steps = TL_NEW(p->arena, tl_ref_step, n);
  if (steps == NULL) return TL_OOM();
  plan->ir = b;
  plan->steps = steps;
  plan->n_steps = n;
  for (uint32_t i = 0; i < b->n_args; i++) {
    uint32_t slot;
    if (!define(p, block, b->args[i], &slot)) return TL_OOM();
    if (i == 0) plan->arg = slot;
  }
  n = 0;
  for (const tl_op *op = b->first; op != NULL; op = op->next)
    TL_TRY(plan_values(p, op, block, &steps[n++]));
  while (n-- > 0) {
    captured.len = 0;
    TL_TRY_GOTO(done, st, plan_regions(p, steps[n].op, depth, &steps[n], &captured));
    TL_TRY_GOTO(done, st, plan_deaths(p, block, &steps[n], &captured, outer));
  }
  for (uint32_t i = 0; i < b->n_args; i++)
    if (!p->dead[plan->arg + i] && !list_add(&unused, plan->arg + i)) {
      st = TL_OOM();
      goto done;
    }
  plan->release = copy_list(p, unused.items, unused.len);
  plan->n_release = (uint32_t)unused.len;
  if (plan->release == NULL) st = TL_OOM();
done:
  free(captured.items);
  free(unused.items);
  return st;
}

static void planner_deinit(planner *p) {
  tl_ptr_map_deinit(&p->slots);
  free(p->owner);
  free(p->dead);
}

tl_status tl_ref_plan_block(const tl_block *b, tl_arena *arena, tl_ref_block *out_plan,
                            uint32_t *out_slots) {
  planner p = {.arena = arena};
  slot_list outer = {0};
  tl_status st = plan_block(&p, b, 0, out_plan, &outer);
  *out_slots = p.n_slots;
  free(outer.items);
  planner_deinit(&p);
  return st;
}

tl_status tl_ref_plan_op(const tl_op *op, tl_arena *arena, tl_ref_step *out_step,
                         uint32_t *out_slots) {
  planner p = {.arena = arena};
  slot_list captured = {0}, outer = {0};
  tl_status st = TL_OK;
  p.n_blocks = 1;
  for (uint32_t i = 0; i < op->n_operands; i++) { // a slot for each, even where two are one value
    uint32_t slot;
    if (!define(&p, 0, op->operands[i], &slot)) {
      st = TL_OOM();
      goto done;
    }
  }
  TL_TRY_GOTO(done, st, plan_values(&p, op, 0, out_step));
  TL_TRY_GOTO(done, st, plan_regions(&p, op, 0, out_step, &captured));
  TL_TRY_GOTO(done, st, plan_deaths(&p, 0, out_step, &captured, &outer));
done:
  *out_slots = p.n_slots;
  free(captured.items);
  free(outer.items);
  planner_deinit(&p);
  return st;
}
