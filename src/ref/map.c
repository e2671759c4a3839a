// map: a region run on each element of its inputs.
#include "ref/eval.h"

#include <string.h>

static tl_status map_one(tl_ref_call *c, tl_ref_cell *args, size_t i) {
  const tl_tensor *out = &c->out[0].t;
  const size_t size = tl_dtype_get(out->type.dtype)->size;
  const uint32_t n = c->op->n_operands;
  tl_ref_cell y = {0};
  tl_status st = TL_OK;
  for (uint32_t k = 0; k < n && st == TL_OK; k++)
    st = tl_ref_cell_scalar(&c->in[k], i, c->in[k].type.dtype, &args[k]);
  if (st == TL_OK) st = tl_ref_run_region(c, 0, args, n, &y, 1);
  if (st == TL_OK && (y.t.type.dtype != out->type.dtype || y.t.type.rank != 0))
    st = TL_ERROR(INVALID_ARGUMENT, "map: the region's result has another type than the op's");
  if (st == TL_OK) memcpy((unsigned char *)out->data + i * size, y.t.data, size);
  for (uint32_t k = 0; k < n; k++)
    tl_ref_release(&args[k]);
  tl_ref_release(&y);
  return st;
}

tl_status ref_eval_MAP(tl_ref_call *c) {
  size_t count;
  if (!tl_type_count(c->out[0].t.type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "map: the result is too large");
  tl_ref_cell *args = TL_NEW(c->scratch, tl_ref_cell, c->op->n_operands);
  if (args == NULL) return TL_OOM();
  for (size_t i = 0; i < count; i++)
    TL_TRY(map_one(c, args, i));
  return TL_OK;
}
