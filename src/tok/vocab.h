// The words of a model, both ways: text to id by hashing, id to text by index.
#ifndef TL_TOK_VOCAB_H
#define TL_TOK_VOCAB_H

#include "base/str.h"

#define TL_VOCAB_MAX_ID ((int32_t)(1 << 22) - 1) // what a pair of ids packs into 64 bits with ease

typedef struct tl_vocab { // zero-initialise; memory is the arena's
  tl_arena *arena;
  tl_str *tokens; // [cap] by id; ptr NULL where there is none. The texts are borrowed.
  size_t cap;
  size_t len;      // the largest id + 1
  uint64_t *slots; // [mask + 1] hash (32 bits) | id + 1 (32 bits); 0 = free
  size_t mask, n;
} tl_vocab;

// Room for `count` tokens without rehashing. False: memory gone.
bool tl_vocab_reserve(tl_vocab *v, size_t count);
// The id must lie in [0, TL_VOCAB_MAX_ID]. INVALID_ARGUMENT when the text or the id is taken; the
// message names both.
tl_status tl_vocab_add(tl_vocab *v, tl_str token, int32_t id);
int32_t tl_vocab_find(const tl_vocab *v, tl_str token); // -1 when absent
static inline tl_str tl_vocab_token(const tl_vocab *v, int32_t id) {
  return id >= 0 && (size_t)id < v->len ? v->tokens[id] : (tl_str){NULL, 0};
}

#endif
