// Type rules of the special functions that need one of their own. Their constraints are numbered
// here:
//
//   next_after   c1 x and y of one type, f16, bf16, f32 or f64
//   top_k        c1 x of numbers, rank 1 or more   c2 0 <= k <= the last dim
#include "ir/rule.h"

tl_status tl_infer_next_after(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), y = tl_rule_in(r, 1);
  bool known = x.dtype == TL_DTYPE_F16 || x.dtype == TL_DTYPE_BF16 || x.dtype == TL_DTYPE_F32 ||
               x.dtype == TL_DTYPE_F64;
  TL_RULE(r, known && tl_type_agrees(x, y), "c1",
          "wants two of one type, f16, bf16, f32 or f64, got %s and %s", tl_rule_type(r, x),
          tl_rule_type(r, y));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_top_k(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  int64_t k = tl_op_i64(r->op, TL_A_TOP_K_k), dims[TL_MAX_RANK];
  tl_dtype_kind kind = tl_rule_kind(x);
  TL_RULE(r, x.rank > 0 && (kind == TL_KIND_FLOAT || kind == TL_KIND_INT || kind == TL_KIND_UINT),
          "c1", "wants numbers of rank 1 or more, got %s", tl_rule_type(r, x));
  TL_RULE(r, k >= 0 && tl_dim_may_le(r->module, k, x.dims[x.rank - 1]) && k <= INT32_MAX, "c2",
          "k = %lld is not among the elements of %s", (long long)k, tl_rule_type(r, x));
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  dims[x.rank - 1] = k;
  tl_type *types = TL_NEW(r->arena, tl_type, 2);
  if (types == NULL) return TL_OOM();
  types[0] = tl_type_of(r->arena, x.dtype, dims, x.rank);
  types[1] = tl_type_of(r->arena, TL_DTYPE_S32, dims, x.rank);
  if (types[0].dims == NULL || types[1].dims == NULL) return TL_OOM();
  return tl_rule_give(r, types, 2, "c2");
}
