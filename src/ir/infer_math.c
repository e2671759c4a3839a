// Type rules of ops that are whole algorithms: random bits, linear algebra.
#include "ir/rule.h"

tl_status tl_infer_rng_bit_generator(tl_rule *r) {
  tl_type state = tl_rule_in(r, 0);
  TL_RULE(r, state.rank == 1 && state.dtype == TL_DTYPE_U64, "i2",
          "wants a state tensor<?xui64>, got %s", tl_rule_type(r, state));
  bool threefry =
      tl_op_i64(r->op, TL_A_RNG_BIT_GENERATOR_rng_algorithm) == TL_RNG_ALGORITHM_THREE_FRY;
  TL_RULE(r, state.dims[0] == 2 || (state.dims[0] == 3 && !threefry), "c2",
          "wants a state of %s, got %s", threefry ? "2" : "2 or 3", tl_rule_type(r, state));
  TL_RULE(r, r->declared != NULL && r->n_declared == 2, NULL,
          "wants its two result types to be given");
  tl_type out = r->declared[1];
  TL_RULE(r, tl_rule_kind(out) != TL_KIND_BOOL, "o2",
          "gives integers or floating-point numbers, not %s", tl_rule_type(r, out));
  tl_type types[] = {state, out};
  tl_type *copy = TL_NEW(r->arena, tl_type, 2);
  if (copy == NULL) return TL_OOM();
  memcpy(copy, types, sizeof types);
  return tl_rule_give(r, copy, 2, "c1");
}

static tl_status wants_float(const tl_rule *r, uint32_t i) {
  static const char *const labels[] = {"i1", "i2"};
  tl_type t = tl_rule_in(r, i);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT, labels[i], "wants a floating-point type, got %s",
          tl_rule_type(r, t));
  return TL_OK;
}

tl_status tl_infer_cholesky(tl_rule *r) {
  tl_type a = tl_rule_in(r, 0);
  TL_TRY(wants_float(r, 0));
  TL_RULE(r, a.rank >= 2, "c2", "wants matrices, got %s", tl_rule_type(r, a));
  TL_RULE(r, a.dims[a.rank - 2] == a.dims[a.rank - 1], "c3", "wants square matrices, got %s",
          tl_rule_type(r, a));
  return tl_rule_give1(r, a, "c1");
}

tl_status tl_infer_triangular_solve(tl_rule *r) {
  tl_type a = tl_rule_in(r, 0), b = tl_rule_in(r, 1);
  TL_TRY(wants_float(r, 0));
  TL_TRY(wants_float(r, 1));
  TL_RULE(r, a.dtype == b.dtype, "c1", "wants operands of one element type, got %s and %s",
          tl_rule_type(r, a), tl_rule_type(r, b));
  TL_RULE(r, a.rank >= 2 && a.rank == b.rank, "c2", "wants matrices of one rank, got %s and %s",
          tl_rule_type(r, a), tl_rule_type(r, b));
  uint32_t row = a.rank - 2,
           side = tl_op_i64(r->op, TL_A_TRIANGULAR_SOLVE_left_side) ? row : row + 1;
  bool fits = a.dims[row] == a.dims[row + 1] && a.dims[row] == b.dims[side];
  for (uint32_t d = 0; d < row; d++)
    fits &= a.dims[d] == b.dims[d];
  TL_RULE(r, fits, "c3", "%s does not solve for %s", tl_rule_type(r, a), tl_rule_type(r, b));
  return tl_rule_give1(r, b, "c4");
}
