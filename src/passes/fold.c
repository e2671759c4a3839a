#include "passes/fold.h"

#include <string.h>

#include "ir/build.h"
#include "ref/ref.h"

enum {
  FEW = 64,      // bytes of a result
  MAX_FROM = 64, // operands
  MAX_IN = 4096, // bytes of an operand
};

static bool may_fold(const tl_op *op) {
  switch (op->code) {
  case TL_OP_SLICE:
  case TL_OP_RESHAPE:
  case TL_OP_REVERSE:
  case TL_OP_CONCATENATE:
    return true;
  default:
    return (tl_op_get(op->code)->traits & (TL_ELEMWISE | TL_EFFECT | TL_NAMED)) == TL_ELEMWISE;
  }
}

// All elements of a constant, written out. NULL where v is none, or one of many bytes.
static const void *elements(tl_arena *scratch, tl_value v) {
  size_t size;
  if (!v->op || v->op->code != TL_OP_CONSTANT || !tl_type_size(v->type, &size) || size > MAX_IN)
    return NULL;
  const tl_literal *lit = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  if (!lit->splat) return lit->data;
  uint8_t *data = tl_arena_alloc(scratch, size + 1, 16);
  for (size_t at = 0; data && lit->size > 0 && at + lit->size <= size; at += lit->size)
    memcpy(data + at, lit->data, lit->size);
  return data;
}

// The op becomes a constant of `data`.
static tl_status become(tl_arena *arena, tl_op *op, const void *data, size_t size) {
  const tl_type type = op->results[0]->type;
  const size_t one = tl_dtype_get(type.dtype)->size;
  bool splat = one > 0 && size >= one;
  for (size_t at = one; splat && at < size; at += one)
    splat = memcmp((const uint8_t *)data + at, data, one) == 0;
  if (splat) size = one;
  tl_attr *attrs = TL_NEW(arena, tl_attr, tl_op_get(TL_OP_CONSTANT)->n_attrs);
  tl_literal *lit = TL_NEW(arena, tl_literal, 1);
  void *copy = tl_arena_alloc(arena, TL_MAX(size, (size_t)1), 64);
  if (!attrs || !lit || !copy) return TL_OOM();
  memcpy(copy, data, size);
  *lit = (tl_literal){.type = type, .data = copy, .size = size, .splat = splat};
  op->code = TL_OP_CONSTANT;
  op->n_operands = 0;
  op->attrs = attrs;
  tl_op_set_dense(op, TL_A_CONSTANT_value, lit);
  return TL_OK;
}

static tl_status fold(tl_arena *arena, tl_arena *scratch, tl_op *op) {
  tl_tensor in[MAX_FROM], out;
  size_t size;
  if (op->n_results != 1 || op->n_regions > 0 || op->n_operands == 0 || op->n_operands > MAX_FROM ||
      !may_fold(op) || !tl_type_size(op->results[0]->type, &size) || size == 0 || size > FEW)
    return TL_OK;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!op->operands[i]->op || op->operands[i]->op->code != TL_OP_CONSTANT) return TL_OK;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const void *data = elements(scratch, op->operands[i]);
    if (!data) return TL_OK;
    in[i] = (tl_tensor){.type = op->operands[i]->type};
    memcpy(&in[i].data, &data, sizeof data);
  }
  out = (tl_tensor){op->results[0]->type, tl_arena_alloc(scratch, size, 16)};
  if (!out.data) return TL_OOM();
  tl_status st = tl_ref_eval_op(op, in, &out, scratch);
  if (!st) return become(arena, op, out.data, size);
  if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED) return st;
  tl_status_drop(st); // it says so again when it runs
  return TL_OK;
}

static tl_status fold_block(tl_arena *arena, tl_arena *scratch, tl_block *block) {
  for (tl_op *op = block->first; op; op = op->next) {
    const tl_arena_point mark = tl_arena_mark(scratch);
    tl_status st = fold(arena, scratch, op);
    tl_arena_rewind(scratch, mark);
    TL_TRY(st);
    for (uint32_t r = 0; r < op->n_regions; r++)
      TL_TRY(fold_block(arena, scratch, op->regions[r])); // NOLINT(misc-no-recursion)
  }
  return TL_OK;
}

tl_status tl_func_fold(tl_func *fn) {
  tl_arena *scratch = tl_arena_create();
  if (!scratch) return TL_OOM();
  tl_status st = fold_block(fn->module->arena, scratch, fn->body);
  tl_arena_destroy(scratch);
  return st;
}
