// The table of rules, from the rows of rules.def.
#include "ad/rule.h"

#define TL_ALL UINT32_MAX

// One enumerator a row: a row that stands twice does not compile, and ops.def below asks for each.
enum {
#define TL_AD(id, vjp, jvp, batch) HAS_RULE_##id,
#define TL_AD_DIAG(id, batch) HAS_RULE_##id,
#define TL_AD_LINEAR(id, vjp, operands, batch) HAS_RULE_##id,
#define TL_AD_ZERO(id, batch) HAS_RULE_##id,
#define TL_AD_NONE(id, batch, why) HAS_RULE_##id,
#include "ad/rules.def"
#undef TL_AD
#undef TL_AD_DIAG
#undef TL_AD_LINEAR
#undef TL_AD_ZERO
#undef TL_AD_NONE
  N_RULES
};
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) \
  _Static_assert((int)HAS_RULE_##id >= 0, "every op has its row in rules.def");
#include "ir/ops.def"
#undef TL_OP
_Static_assert((int)N_RULES == (int)TL_OP_COUNT, "every op has its row in rules.def");

const tl_ad_rule *tl_ad_rule_of(tl_opcode code) {
  static const tl_ad_rule rules[TL_OP_COUNT] = {
#define TL_AD(id, v, j, b) \
  [TL_OP_##id] = {.vjp = tl_vjp_##v, .jvp = tl_jvp_##j, .batch = tl_batch_##b},
#define TL_AD_DIAG(id, b) \
  [TL_OP_##               \
      id] = {.vjp = tl_vjp_diag, .jvp = tl_jvp_diag, .batch = tl_batch_##b, .diag = tl_diag_##id},
#define TL_AD_LINEAR(id, v, operands, b) \
  [TL_OP_##id] = {                       \
      .vjp = tl_vjp_##v, .jvp = tl_jvp_linear, .batch = tl_batch_##b, .linear = (operands)},
#define TL_AD_ZERO(id, b) \
  [TL_OP_##id] = {.vjp = tl_vjp_zero, .jvp = tl_jvp_zero, .batch = tl_batch_##b, .zero = true},
#define TL_AD_NONE(id, b, why) \
  [TL_OP_##id] = {.vjp = tl_vjp_none, .jvp = tl_jvp_none, .batch = tl_batch_##b, .refused = (why)},
#include "ad/rules.def"
  };
  return &rules[code];
}
