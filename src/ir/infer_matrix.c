// Type rules of linear algebra. Their constraints are numbered here, in the order of the checks:
//
//   lu                               c1 a of f32, f64 or complex numbers of them
//                                    c2 a is matrices [..., m, n]   c3 result types
//   geqrf, qr, svd, singular_values  the same
//   eigh, det, slogdet               c1, c2   c3 square matrices   c4 result types
//   solve                            c1, c2   c3 square matrices
//                                    c4 b [..., n, k] of a's type and batch
//   householder_product              c1, c2 of a   c3 taus [..., k] of a's type   c4 m >= n >= k
#include "ir/rule.h"

// A batch of matrices [..., m, n] of a type that has decompositions.
static tl_status matrices(const tl_rule *r, uint32_t i) {
  tl_type a = tl_rule_in(r, i);
  const tl_dtype part = tl_dtype_part(a.dtype);
  TL_RULE(r, part == TL_DTYPE_F32 || part == TL_DTYPE_F64, "c1",
          "wants f32, f64 or complex numbers of them, got %s", tl_rule_type(r, a));
  TL_RULE(r, a.rank >= 2, "c2", "wants matrices, got %s", tl_rule_type(r, a));
  return TL_OK;
}

static int64_t smaller(const tl_rule *r, tl_type a) {
  int64_t k;
  const bool good = tl_dim_min(r->module, a.dims[a.rank - 2], a.dims[a.rank - 1], &k);
  return good ? k : TL_DIM_ANY;
}

// The batch dims of `a` and then `n` more, in the rule's arena.
static tl_type shaped(const tl_rule *r, tl_type a, tl_dtype dtype, const int64_t *dims,
                      uint32_t n) {
  int64_t all[TL_MAX_RANK];
  memcpy(all, a.dims, (a.rank - 2) * sizeof *all);
  if (n > 0) memcpy(all + a.rank - 2, dims, n * sizeof *all);
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

// Jacobi's sweeps are laid out by the matrices' sizes, which are numbers therefore.
static tl_status sizes_known(const tl_rule *r) {
  tl_type a = tl_rule_in(r, 0);
  TL_RULE(r, a.dims[a.rank - 2] >= 0 && a.dims[a.rank - 1] >= 0, "c2",
          "wants matrices of known sizes, got %s", tl_rule_type(r, a));
  return TL_OK;
}

static tl_status square(const tl_rule *r) {
  tl_type a = tl_rule_in(r, 0);
  TL_RULE(r, tl_dim_agrees(a.dims[a.rank - 2], a.dims[a.rank - 1]), "c3",
          "wants square matrices, got %s", tl_rule_type(r, a));
  return TL_OK;
}

tl_status tl_infer_lu(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0);
  int64_t k = smaller(r, a), m = a.dims[a.rank - 2];
  return give(r,
              (tl_type[]){a, shaped(r, a, TL_DTYPE_S32, &k, 1), shaped(r, a, TL_DTYPE_S32, &m, 1)},
              3, "c3");
}

tl_status tl_infer_geqrf(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0);
  int64_t k = smaller(r, a);
  return give(r, (tl_type[]){a, shaped(r, a, a.dtype, &k, 1)}, 2, "c3");
}

tl_status tl_infer_householder_product(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0), taus = tl_rule_in(r, 1);
  bool fits = taus.dtype == a.dtype && taus.rank == a.rank - 1;
  for (uint32_t i = 0; fits && i + 1 < taus.rank; i++)
    fits = tl_dim_agrees(taus.dims[i], a.dims[i]);
  TL_RULE(r, fits, "c3", "%s are no factors of the reflectors in %s", tl_rule_type(r, taus),
          tl_rule_type(r, a));
  int64_t m = a.dims[a.rank - 2], n = a.dims[a.rank - 1], k = taus.dims[taus.rank - 1];
  TL_RULE(r, tl_dim_may_le(r->module, n, m) && tl_dim_may_le(r->module, k, n), "c4",
          "%s reflectors do not make the columns of %s", tl_rule_dim(r, k), tl_rule_type(r, a));
  return tl_rule_give1(r, a, "c3");
}

tl_status tl_infer_qr(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0);
  int64_t m = a.dims[a.rank - 2], n = a.dims[a.rank - 1],
          side = tl_op_i64(r->op, TL_A_QR_full_matrices) ? m : smaller(r, a);
  return give(r,
              (tl_type[]){shaped(r, a, a.dtype, (int64_t[]){m, side}, 2),
                          shaped(r, a, a.dtype, (int64_t[]){side, n}, 2)},
              2, "c3");
}

tl_status tl_infer_eigh(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  tl_type a = tl_rule_in(r, 0);
  int64_t n = a.dims[a.rank - 1];
  TL_TRY(square(r));
  TL_TRY(sizes_known(r));
  return give(r, (tl_type[]){shaped(r, a, tl_dtype_part(a.dtype), &n, 1), a}, 2, "c4");
}

tl_status tl_infer_svd(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  TL_TRY(sizes_known(r));
  tl_type a = tl_rule_in(r, 0);
  bool full = tl_op_i64(r->op, TL_A_SVD_full_matrices);
  int64_t m = a.dims[a.rank - 2], n = a.dims[a.rank - 1], k = smaller(r, a), u_n = full ? m : k,
          vt_m = full ? n : k;
  return give(r,
              (tl_type[]){shaped(r, a, a.dtype, (int64_t[]){m, u_n}, 2),
                          shaped(r, a, tl_dtype_part(a.dtype), &k, 1),
                          shaped(r, a, a.dtype, (int64_t[]){vt_m, n}, 2)},
              3, "c3");
}

tl_status tl_infer_singular_values(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  TL_TRY(sizes_known(r));
  tl_type a = tl_rule_in(r, 0);
  int64_t k = smaller(r, a);
  return give(r, (tl_type[]){shaped(r, a, tl_dtype_part(a.dtype), &k, 1)}, 1, "c3");
}

tl_status tl_infer_solve(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  TL_TRY(square(r));
  tl_type a = tl_rule_in(r, 0), rhs = tl_rule_in(r, 1);
  bool fits = rhs.dtype == a.dtype && rhs.rank == a.rank;
  for (uint32_t i = 0; fits && i + 1 < a.rank; i++)
    fits = tl_dim_agrees(rhs.dims[i], a.dims[i]);
  TL_RULE(r, fits, "c4", "%s does not solve for %s", tl_rule_type(r, a), tl_rule_type(r, rhs));
  return tl_rule_give1(r, rhs, "c4");
}

tl_status tl_infer_det(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  TL_TRY(square(r));
  tl_type a = tl_rule_in(r, 0);
  return give(r, (tl_type[]){shaped(r, a, a.dtype, NULL, 0)}, 1, "c4");
}

tl_status tl_infer_slogdet(tl_rule *r) {
  TL_TRY(matrices(r, 0));
  TL_TRY(square(r));
  tl_type a = tl_rule_in(r, 0), sign = shaped(r, a, a.dtype, NULL, 0),
          log = shaped(r, a, tl_dtype_part(a.dtype), NULL, 0);
  return give(r, (tl_type[]){sign, log}, 2, "c4");
}
