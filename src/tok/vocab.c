// An open-addressing table of 8-byte slots. It is not base's tl_map: a slot there is 32 bytes, and
// loading looks up every word of 150,000 merges, so the table should stay in the L2 cache.
#include "tok/vocab.h"

#include "base/hash.h"

static uint64_t slot_of(uint64_t hash, int32_t id) {
  return (hash & 0xFFFFFFFF00000000u) | ((uint32_t)id + 1u);
}

static bool rehash(tl_vocab *v, size_t size) {
  uint64_t *slots = TL_NEW(v->arena, uint64_t, size);
  if (slots == NULL) return false;
  for (size_t i = 0; v->slots != NULL && i <= v->mask; i++) {
    if (v->slots[i] == 0) continue;
    tl_str token = v->tokens[(uint32_t)v->slots[i] - 1u];
    size_t at = (size_t)tl_hash64(token.ptr, token.len) & (size - 1);
    while (slots[at] != 0)
      at = (at + 1) & (size - 1);
    slots[at] = v->slots[i];
  }
  v->slots = slots;
  v->mask = size - 1;
  return true;
}

static bool grow_tokens(tl_vocab *v, size_t want) {
  if (want <= v->cap) return true;
  size_t cap = TL_MAX(want, TL_MAX(v->cap * 2, (size_t)256));
  tl_str *tokens = TL_NEW(v->arena, tl_str, cap);
  if (tokens == NULL) return false;
  if (v->len > 0) memcpy(tokens, v->tokens, v->len * sizeof *tokens);
  v->tokens = tokens;
  v->cap = cap;
  return true;
}

bool tl_vocab_reserve(tl_vocab *v, size_t count) {
  count = TL_MIN(count, (size_t)TL_VOCAB_MAX_ID + 1);
  size_t size = 256;
  while (size < count * 2)
    size *= 2;
  return grow_tokens(v, count) &&
         (v->slots != NULL && v->mask + 1 >= size ? true : rehash(v, size));
}

tl_status tl_vocab_add(tl_vocab *v, tl_str token, int32_t id) {
  TL_ASSERT(id >= 0 && id <= TL_VOCAB_MAX_ID);
  if ((v->n + 1) * 2 > (v->slots == NULL ? 0 : v->mask + 1) &&
      !rehash(v, v->slots == NULL ? 256 : (v->mask + 1) * 2))
    return TL_OOM();
  if (!grow_tokens(v, (size_t)id + 1)) return TL_OOM();
  if (v->tokens[id].ptr != NULL)
    return TL_ERROR(INVALID_ARGUMENT, "id %d is both \"" TL_STR_FMT "\" and \"" TL_STR_FMT "\"", id,
                    TL_STR_ARG(v->tokens[id]), TL_STR_ARG(token));
  uint64_t hash = tl_hash64(token.ptr, token.len);
  size_t at = (size_t)hash & v->mask;
  for (; v->slots[at] != 0; at = (at + 1) & v->mask) {
    if ((v->slots[at] ^ hash) >> 32 != 0) continue;
    int32_t other = (int32_t)((uint32_t)v->slots[at] - 1u);
    if (tl_str_eq(v->tokens[other], token))
      return TL_ERROR(INVALID_ARGUMENT, "\"" TL_STR_FMT "\" has two ids, %d and %d",
                      TL_STR_ARG(token), other, id);
  }
  v->slots[at] = slot_of(hash, id);
  v->tokens[id] = token.ptr != NULL ? token : TL_STR("");
  v->len = TL_MAX(v->len, (size_t)id + 1);
  v->n++;
  return TL_OK;
}

int32_t tl_vocab_find(const tl_vocab *v, tl_str token) {
  if (v->slots == NULL) return -1;
  uint64_t hash = tl_hash64(token.ptr, token.len);
  for (size_t at = (size_t)hash & v->mask; v->slots[at] != 0; at = (at + 1) & v->mask) {
    if ((v->slots[at] ^ hash) >> 32 != 0) continue;
    int32_t id = (int32_t)((uint32_t)v->slots[at] - 1u);
    if (tl_str_eq(v->tokens[id], token)) return id;
  }
  return -1;
}
