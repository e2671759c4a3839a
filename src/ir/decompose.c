// Named ops into core ops: the dispatch, and the decomposition as a function of its own.
#include "ir/decompose.h"

#include "ir/decompose_emit.h"
#include "ir/dim.h"

#include <string.h>

typedef struct emitter { // one of the two
  tl_emit_fn *one;
  tl_emit_n_fn *several;
} emitter;

#define TL_EMIT_1(id) [TL_OP_##id] = {.one = tl_emit_##id},
#define TL_EMIT_2(id) [TL_OP_##id] = {.several = tl_emit_##id},
#define TL_EMIT_3(id) [TL_OP_##id] = {.several = tl_emit_##id},
#define TL_EMIT_4(id) [TL_OP_##id] = {.several = tl_emit_##id},
static const emitter emitters[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax)
#define TL_NAMED_OP(id, mnemonic, in, out, regions, traits, rule, syntax) TL_EMIT_##out(id)
#include "ir/ops.def"
#undef TL_OP
};

// Emitters compute with sizes, so they see numbers and symbols only.
static tl_status sizes_known(const tl_op *op) {
  bool known = true;
  for (uint32_t i = 0; i < op->n_operands; i++)
    known &= op->operands[i] == NULL || !tl_type_has_any(op->operands[i]->type);
  for (uint32_t i = 0; i < op->n_results; i++)
    known &= !tl_type_has_any(op->results[i]->type);
  return known ? TL_OK
               : TL_ERROR(INVALID_ARGUMENT,
                          "%s: it is made of core ops at sizes that are known or have names; "
                          "specialise the module first",
                          tl_op_get(op->code)->mnemonic);
}

static int64_t settled(tl_builder *b, bool good, int64_t d) {
  if (good) return d;
  tl_builder_fail(b, TL_ERROR(RESOURCE_EXHAUSTED, "a size of a decomposition cannot be counted"));
  return 0;
}

int64_t tl_emit_dim_add(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  const bool good = tl_dim_add(b->m, x, y, &d);
  return settled(b, good, d);
}

int64_t tl_emit_dim_sub(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  const bool good = tl_dim_sub(b->m, x, y, &d);
  return settled(b, good, d);
}

int64_t tl_emit_dim_mul(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  const bool good = tl_dim_mul(b->m, x, y, &d);
  return settled(b, good, d);
}

int64_t tl_emit_dim_min(tl_builder *b, int64_t x, int64_t y) {
  int64_t d = 0;
  const bool good = tl_dim_min(b->m, x, y, &d);
  return settled(b, good, d);
}

int64_t tl_emit_dim_over(tl_builder *b, int64_t x, int64_t by) {
  int64_t d = 0;
  const bool good = tl_dim_divide(b->m, x, by, &d);
  return settled(b, good, d);
}

bool tl_decompose_op(tl_builder *b, const tl_op *op, const tl_value *operands,
                     tl_value *out_values) {
  emitter emit = emitters[op->code];
  if (emit.one == NULL && emit.several == NULL)
    tl_builder_fail(b,
                    TL_ERROR(INTERNAL, "%s has no decomposition", tl_op_get(op->code)->mnemonic));
  tl_status st = sizes_known(op);
  if (st != TL_OK) tl_builder_fail(b, st);
  if (b->error != TL_OK || b->block == NULL)
    return false; // emitters read the types of their operands
  memset(out_values, 0, op->n_results * sizeof(*out_values));
  const tl_value *sized = b->sized;
  const uint32_t n_sized = b->n_sized;
  b->sized = operands, b->n_sized = op->n_operands;
  if (emit.one != NULL)
    out_values[0] = emit.one(b, op, operands);
  else
    emit.several(b, op, operands, out_values);
  b->sized = sized, b->n_sized = n_sized;
  for (uint32_t i = 0; i < op->n_results && b->error == TL_OK; i++)
    if (out_values[i] == NULL)
      tl_builder_fail(b, TL_ERROR(INTERNAL, "%s: its decomposition gives no result %u",
                                  tl_op_get(op->code)->mnemonic, i));
  return b->error == TL_OK;
}

tl_loc tl_decompose_loc(tl_module *m, tl_loc loc) {
  tl_str copy = loc.file == NULL ? (tl_str){0} : tl_str_copy(m->arena, tl_str_of(loc.file));
  return copy.ptr == NULL ? (tl_loc){0} : (tl_loc){copy.ptr, loc.line, loc.col, loc.len};
}

tl_status tl_decompose_func(tl_module *m, const tl_op *op, const char *name, tl_func **out_func) {
  TL_TRY(sizes_known(op));
  tl_builder b = tl_func_begin(m, name, true);
  tl_func *fn = b.fn;
  b.loc = tl_decompose_loc(m, op->loc); // a mistake in the expansion points at what the user wrote
  if (fn != NULL) fn->loc = b.loc;
  tl_value *args = TL_NEW(m->arena, tl_value, op->n_operands);
  if (args == NULL && op->n_operands != 0) tl_builder_fail(&b, TL_OOM());
  for (uint32_t i = 0; args != NULL && i < op->n_operands; i++) {
    tl_type t = op->operands[i]->type;
    tl_type own = tl_type_of(m->arena, t.dtype, t.dims, t.rank);
    if (own.rank != 0 && own.dims == NULL) tl_builder_fail(&b, TL_OOM());
    args[i] = tl_func_arg(&b, own);
  }
  tl_value *results = TL_NEW(m->arena, tl_value, op->n_results + 1);
  if (results == NULL) tl_builder_fail(&b, TL_OOM());
  bool good = results != NULL && tl_decompose_op(&b, op, args, results);
  for (uint32_t i = 0; good && i < op->n_results; i++)
    if (!tl_type_eq(results[i]->type, op->results[i]->type))
      tl_builder_fail(&b, TL_ERROR(INTERNAL, "%s: its decomposition gives another type",
                                   tl_op_get(op->code)->mnemonic));
  tlo_return(&b, results, op->n_results);
  TL_TRY_NOTE(tl_builder_finish(&b), "decomposition of %s", tl_op_get(op->code)->mnemonic);
  *out_func = fn;
  return TL_OK;
}
