// Ops whose shapes are operands: the static op that those operands make of them (ir/dynamic.h), run
// in their place. Where the shape that comes out is not the declared one the program ends there.
#include "ir/dynamic.h"

#include "ref/eval.h"

tl_status ref_eval_GET_DIMENSION_SIZE(tl_ref_call *c) {
  int64_t n = c->in[0].type.dims[tl_op_i64(c->op, TL_A_GET_DIMENSION_SIZE_dimension)];
  if (n > INT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "get_dimension_size: %lld does not fit its i32 result",
                    (long long)n);
  memcpy(c->out[0].t.data, &(int32_t){(int32_t)n}, sizeof(int32_t));
  return TL_OK;
}

tl_status tl_ref_fix_dynamic(tl_arena *scratch, const tl_op *op, const tl_tensor *in, tl_op *out) {
  uint32_t first, n;
  if (!tl_dynamic_shapes(op->code, &first, &n))
    return TL_ERROR(INTERNAL, "%s has no shape operands", tl_op_get(op->code)->mnemonic);
  tl_i64s values[8];
  TL_ASSERT(n <= TL_COUNT(values));
  for (uint32_t i = 0; i < n; i++) {
    const tl_tensor *t = &in[first + i];
    size_t count = 0;
    int64_t *list = tl_type_count(t->type, &count) ? TL_NEW(scratch, int64_t, count + 1) : NULL;
    if (list == NULL) return TL_OOM();
    if (!tl_dynamic_ints(t->type.dtype, t->data, count, list))
      return TL_ERROR(INVALID_ARGUMENT, "%s: operand %u holds a size past 64 bits",
                      tl_op_get(op->code)->mnemonic, first + i);
    values[i] = (tl_i64s){list, count};
  }
  tl_type type;
  return tl_dynamic_fix(scratch, op, values, out, &type);
}

static tl_status run_fixed(tl_ref_call *c, tl_status (*eval)(tl_ref_call *)) {
  tl_op fixed;
  TL_TRY(tl_ref_fix_dynamic(c->scratch, c->op, c->in, &fixed));
  tl_ref_call as = *c;
  as.op = &fixed;
  return eval(&as);
}

#define DYNAMIC(id, fixed) \
  tl_status ref_eval_##id(tl_ref_call *c) { return run_fixed(c, ref_eval_##fixed); }
DYNAMIC(DYNAMIC_RESHAPE, RESHAPE)
DYNAMIC(DYNAMIC_BROADCAST_IN_DIM, BROADCAST_IN_DIM)
DYNAMIC(DYNAMIC_IOTA, IOTA)
DYNAMIC(DYNAMIC_PAD, PAD)
DYNAMIC(REAL_DYNAMIC_SLICE, SLICE)
DYNAMIC(DYNAMIC_GATHER, GATHER)
DYNAMIC(DYNAMIC_CONV, CONVOLUTION)
DYNAMIC(SET_DIMENSION_SIZE, SLICE)
