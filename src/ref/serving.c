// Ops with state slots refuse, before they run, what their rules do not allow: a state read or
// written by two rows would be lost without a word.
//
// Per row of token_slots [B, T]: padding (negative) first, then one slot, within the pool; no slot
// in two rows. Positions of live tokens are not negative and count up by one. A write slot is
// within the pool, and no two tokens have the same.
#include "ref/eval.h"
#include "ref/lanes.h"

typedef struct slots {
  const char *op;
  const tl_tensor *token, *position, *write; // write may be NULL
  int64_t B, T, S;
} slots;

static tl_status check_row(const slots *s, int64_t b, int64_t *out_slot) {
  int64_t slot = -1, position = -1;
  for (int64_t t = 0; t < s->T; t++) {
    const size_t at = (size_t)(b * s->T + t);
    const int64_t mine = tl_ref_index(s->token, at), where = tl_ref_index(s->position, at);
    if (mine < 0) {
      if (slot >= 0)
        return TL_ERROR(INVALID_ARGUMENT,
                        "%s: row %lld has padding at token %lld, behind a live one", s->op,
                        (long long)b, (long long)t);
      continue;
    }
    if (mine >= s->S)
      return TL_ERROR(OUT_OF_RANGE, "%s: row %lld names slot %lld of %lld", s->op, (long long)b,
                      (long long)mine, (long long)s->S);
    if (slot >= 0 && mine != slot)
      return TL_ERROR(INVALID_ARGUMENT, "%s: row %lld has tokens of slots %lld and %lld", s->op,
                      (long long)b, (long long)slot, (long long)mine);
    if (where < 0 || (slot >= 0 && where != position + 1))
      return TL_ERROR(INVALID_ARGUMENT, "%s: row %lld has position %lld at token %lld, wanted %lld",
                      s->op, (long long)b, (long long)where, (long long)t,
                      slot >= 0 ? (long long)position + 1 : 0);
    slot = mine, position = where;
  }
  *out_slot = slot;
  return TL_OK;
}

// Marks one more use of a slot; `owner` [S] holds -1 where there was none.
static tl_status take(const slots *s, int64_t *owner, int64_t slot, int64_t who, const char *what) {
  if (owner[slot] >= 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s %lld and %lld share slot %lld", s->op, what,
                    (long long)owner[slot], (long long)who, (long long)slot);
  owner[slot] = who;
  return TL_OK;
}

static tl_status check_slots(tl_ref_call *c, uint32_t first, const tl_tensor *state) {
  slots s = {.op = tl_op_get(c->op->code)->mnemonic,
             .token = &c->in[first],
             .position = &c->in[first + 1],
             .write = c->op->n_operands > first + 2 ? &c->in[first + 2] : NULL,
             .S = state->type.dims[0]};
  s.B = s.token->type.dims[0], s.T = s.token->type.dims[1];
  int64_t *owner = TL_NEW(c->scratch, int64_t, (size_t)s.S);
  if (owner == NULL) return TL_OOM();
  for (int64_t i = 0; i < s.S; i++)
    owner[i] = -1;
  for (int64_t b = 0; b < s.B; b++) {
    int64_t slot = -1;
    TL_TRY(check_row(&s, b, &slot));
    if (slot >= 0) TL_TRY(take(&s, owner, slot, b, "rows"));
  }
  if (s.write == NULL) return TL_OK;
  for (int64_t i = 0; i < s.S; i++)
    owner[i] = -1;
  for (int64_t i = 0; i < s.B * s.T; i++) {
    const int64_t slot = tl_ref_index(s.write, (size_t)i);
    if (slot < 0) continue;
    if (slot >= s.S)
      return TL_ERROR(OUT_OF_RANGE, "%s: token %lld writes slot %lld of %lld", s.op, (long long)i,
                      (long long)slot, (long long)s.S);
    TL_TRY(take(&s, owner, slot, i, "tokens"));
  }
  return TL_OK;
}

tl_status tl_ref_check_conv_slots(tl_ref_call *c) { return check_slots(c, 3, &c->in[2]); }
tl_status tl_ref_check_delta_slots(tl_ref_call *c) { return check_slots(c, 6, &c->in[5]); }
