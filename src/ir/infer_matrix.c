// Type rules of linear algebra. Their constraints are numbered here, in the order of the checks:
//
//   lu   c1 a of f32 or f64   c2 a is matrices [..., m, n]   c3 result types
#include "ir/rule.h"

// A batch of matrices [..., m, n] of a type that has decompositions.
static tl_status matrices(const tl_rule *r, uint32_t i) {
  tl_type a = tl_rule_in(r, i);
  TL_RULE(r, a.dtype == TL_DTYPE_F32 || a.dtype == TL_DTYPE_F64, "c1", "wants f32 or f64, got %s",
          tl_rule_type(r, a));
  TL_RULE(r, a.rank >= 2, "c2", "wants matrices, got %s", tl_rule_type(r, a));
  return TL_OK;
}

static int64_t smaller(tl_type a) { return TL_MIN(a.dims[a.rank - 2], a.dims[a.rank - 1]); }

// The batch dims of `a` and then `n` more, in the rule's arena.
static tl_type shaped(const tl_rule *r, tl_type a, tl_dtype dtype, const int64_t *dims,
                      uint32_t n) {
  int64_t all[TL_MAX_RANK];
  memcpy(all, a.dims, (a.rank - 2) * sizeof *all);
  memcpy(all + a.rank - 2, dims, n * sizeof *all);
  return tl_type_of(r->arena, dtype, all, a.rank - 2 + n);
}

static tl_status give(tl_rule *r, const tl_type *types, uint32_t n, const char *label) {
  tl_type *own = TL_NEW(r->arena, tl_type, n);
  if (own == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    if (types[i].rank > 0 && types[i].dims == NULL) return TL_OOM();
    own[i] = types[i];
  }
  return tl_rule_give(r, own, n, label);
}

tl_status tl_infer_lu(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0);
  int64_t k = smaller(a), m = a.dims[a.rank - 2];
  return give(r,
              (tl_type[]){a, shaped(r, a, TL_DTYPE_S32, &k, 1), shaped(r, a, TL_DTYPE_S32, &m, 1)},
              3, "c3");
}
