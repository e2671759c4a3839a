// Byte-pair encoding: a word's characters, joined pair by pair, the pair learned first always
// first.
#ifndef TL_TOK_BPE_H
#define TL_TOK_BPE_H

#include "tok/tokenizer.h"
#include "tok/vocab.h"

typedef struct tl_bpe_merge { // a slot of the table; key 0 = free
  uint64_t key;               // left << 32 | right, plus 1
  uint32_t rank;              // place in the list of merges: less is sooner
  int32_t id;                 // what the pair becomes
} tl_bpe_merge;

typedef struct tl_bpe { // immutable once loaded; memory is the arena's
  tl_vocab vocab;       // the model's own words, without added tokens
  tl_bpe_merge *merges; // [mask + 1]
  size_t mask, n_merges;
  int32_t next_id;      // while loading: where the next merge's result is looked for first
  int32_t byte_id[256]; // of the byte's character in GPT-2's alphabet; -1 where absent
  int32_t hex_id[256];  // of "<0xE2>" …; -1 where absent. Used where byte_fallback.
  int32_t unk;          // id for characters we lack; -1: they are dropped
  bool fuse_unk;        // a run of unknown characters is one unk
  bool byte_fallback;   // an unknown character becomes its bytes' tokens, where all are there
  bool ignore_merges;   // a word that is a token as a whole is that token
} tl_bpe;

// Room for `count` merges. False: memory gone.
bool tl_bpe_reserve(tl_bpe *bpe, size_t count);
// The next merge, in order of rank. INVALID_ARGUMENT when a part or the whole is no token.
tl_status tl_bpe_add_merge(tl_bpe *bpe, tl_str left, tl_str right);
// Fills byte_id and hex_id. After the vocabulary is complete.
void tl_bpe_finish(tl_bpe *bpe);

// Working memory of one thread; grows to the longest word.
typedef struct tl_bpe_scratch { // zero-initialise; deinit when done
  struct tl_bpe_symbol *symbols;
  struct tl_bpe_entry *heap;
  size_t cap, heap_cap;
  tl_buf text;
} tl_bpe_scratch;
void tl_bpe_scratch_deinit(tl_bpe_scratch *s);

// Appends the ids of one word, given as text.
tl_status tl_bpe_encode_text(const tl_bpe *bpe, tl_bpe_scratch *s, tl_str word, tl_ids *out);
// The same for a word given as the bytes that GPT-2's alphabet would spell: equal to spelling them
// and calling encode_text, without spelling.
tl_status tl_bpe_encode_bytes(const tl_bpe *bpe, tl_bpe_scratch *s, tl_str bytes, tl_ids *out);

#endif
