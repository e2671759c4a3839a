// Type rules of ops that are whole algorithms: random bits.
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
