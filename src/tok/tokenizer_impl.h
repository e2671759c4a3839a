// The inside of a tokenizer: shared by the loaders, encode, decode and save; not by others.
//
//     text ─► added tokens cut out ─► normalizers ─► added tokens that match normalized text
//          ─► pre-tokenizers (words) ─► BPE ─► ids ─► prefix and suffix ids
//     ids ─► token texts ─► decoders ─► text
#ifndef TL_TOK_TOKENIZER_IMPL_H
#define TL_TOK_TOKENIZER_IMPL_H

#include <jansson.h>
#include <stdatomic.h>

#include "base/map.h"
#include "tok/bpe.h"
#include "tok/regex.h"
#include "tok/tokenizer.h"

enum {
  TL_TOK_MAX_STEPS = 16,        // of one kind, after sequences are flattened
  TL_TOK_MAX_ADDED_TEXT = 1024, // bytes of an added token
  TL_TOK_MAX_NAMED = 8,
};

// ---- Steps on text ----

typedef enum {
  TL_NORM_NFC,
  TL_NORM_NFD,
  TL_NORM_NFKC,
  TL_NORM_NFKD,
  TL_NORM_REPLACE,
  TL_NORM_PREPEND
} tl_norm_kind;

typedef struct tl_norm {
  tl_norm_kind kind;
  tl_str pattern; // REPLACE
  tl_str content; // REPLACE, PREPEND
} tl_norm;

typedef enum { // what happens to the text that a split's pattern matches
  TL_SPLIT_ISOLATED,
  TL_SPLIT_REMOVED,
  TL_SPLIT_MERGED_WITH_PREVIOUS,
  TL_SPLIT_MERGED_WITH_NEXT,
  TL_SPLIT_CONTIGUOUS, // neighbouring matches are one piece
} tl_split_behavior;

typedef enum { TL_PREPEND_ALWAYS, TL_PREPEND_FIRST, TL_PREPEND_NEVER } tl_prepend_scheme;

typedef enum {
  TL_PRETOK_SPLIT,
  TL_PRETOK_DIGITS,
  TL_PRETOK_BYTE_LEVEL,
  TL_PRETOK_SPELL, // put between a ByteLevel and the step behind it
  TL_PRETOK_METASPACE
} tl_pretok_kind;

typedef struct tl_pretok {
  tl_pretok_kind kind;
  tl_regex *regex;            // SPLIT by regex; BYTE_LEVEL that uses GPT-2's; owned by the arena
  tl_str text;                // SPLIT by text: the pattern; METASPACE: the replacement
  tl_split_behavior behavior; // SPLIT, DIGITS
  bool add_prefix_space;      // BYTE_LEVEL
  tl_prepend_scheme prepend;  // METASPACE
  bool split;                 // METASPACE
} tl_pretok;

// ---- Steps on token texts ----

typedef enum {
  TL_DEC_BYTE_LEVEL,
  TL_DEC_REPLACE,
  TL_DEC_BYTE_FALLBACK,
  TL_DEC_FUSE,
  TL_DEC_STRIP,
  TL_DEC_METASPACE
} tl_decoder_kind;

typedef struct tl_decoder {
  tl_decoder_kind kind;
  tl_str pattern;            // REPLACE; STRIP: the character; METASPACE: the replacement
  tl_str content;            // REPLACE
  size_t start, stop;        // STRIP: at most so many from each end
  tl_prepend_scheme prepend; // METASPACE
} tl_decoder;

// ---- Added tokens ----

typedef struct tl_added {
  tl_str content;
  int32_t id;
  bool special, normalized;
} tl_added;

typedef struct tl_trie_node {
  uint32_t child, sibling; // 0 = none
  int32_t added;           // index of the added token that ends here; -1 = none
  uint8_t byte;
} tl_trie_node;

typedef struct tl_trie {
  tl_trie_node *nodes; // node 0 is unused
  size_t len, cap;
  uint32_t first[256]; // by the first byte
} tl_trie;

typedef struct tl_named_token { // bos_token and its like
  const char *name;             // terminated, static
  tl_str content;
  int32_t id;
} tl_named_token;

struct tl_tokenizer {
  atomic_size_t refs;
  tl_arena *arena; // everything below, and the texts
  const char *name;
  tl_bpe bpe;
  tl_added *added; // [n_added], ascending ids
  size_t n_added;
  tl_map added_by_text; // to an index of `added`
  tl_trie raw;          // matched before normalization
  tl_trie normal;       // matched after it
  size_t vocab_size;
  tl_norm norms[TL_TOK_MAX_STEPS];
  tl_pretok pretoks[TL_TOK_MAX_STEPS];
  tl_decoder decoders[TL_TOK_MAX_STEPS];
  size_t n_norms, n_pretoks, n_decoders;
  int32_t *before, *after; // ids put around the text
  size_t n_before, n_after;
  bool split_special;
  tl_named_token named[TL_TOK_MAX_NAMED]; // in the order of their names below
  size_t n_named;
  int32_t bos, eos, pad, unk; // -1 = none
  int32_t *stop;              // ascending
  size_t n_stop;
  tl_str chat_template;          // ptr NULL = none
  const char *template_name;     // where it stands, for messages: "dir/chat_template.jinja"
  tl_tokenizer_files files;      // as they were; `tokenizer` empty where made from GGUF
  const struct tl_gguf_pre *pre; // of a GGUF source; NULL otherwise
};

// ---- Building (the loaders) ----

tl_status tl_tokenizer_new(const char *name, tl_tokenizer **out_tok); // one reference, empty

// The components of a tokenizer.json, from their JSON, appended to the tokenizer's. json null or
// NULL adds nothing. Unknown types and fields are UNIMPLEMENTED and named.
tl_status tl_tokenizer_add_normalizer(tl_tokenizer *tok, const json_t *json);
tl_status tl_tokenizer_add_pretokenizer(tl_tokenizer *tok, const json_t *json);
tl_status tl_tokenizer_add_decoder(tl_tokenizer *tok, const json_t *json);
tl_status tl_tokenizer_set_postprocessor(tl_tokenizer *tok, const json_t *json);
// One of our own making, as text: `add` is one of the above.
tl_status tl_tokenizer_add_text(tl_tokenizer *tok, const char *text,
                                tl_status (*add)(tl_tokenizer *tok, const json_t *json));

// Adds an added token; its text must live in the arena. Order of ids does not matter yet.
tl_status tl_tokenizer_add_token(tl_tokenizer *tok, tl_added token);
tl_added *tl_tokenizer_added_of(const tl_tokenizer *tok, tl_str content); // NULL when absent
// Sorts the added tokens and builds what encode needs. After it the tokenizer never changes.
tl_status tl_tokenizer_finish(tl_tokenizer *tok);
const tl_added *tl_tokenizer_added_at(const tl_tokenizer *tok, int32_t id); // after finish

// The names that templates see: bos_token, eos_token, unk_token, pad_token, sep_token …
extern const char *const tl_named_token_names[TL_TOK_MAX_NAMED]; // NULL at the end
tl_status tl_tokenizer_name_token(tl_tokenizer *tok, const char *name, int32_t id);
// bos in front of every text and eos behind it, where asked for and where the tokenizer has them.
tl_status tl_tokenizer_wrap(tl_tokenizer *tok, bool bos, bool eos);
tl_status tl_tokenizer_add_stop(tl_tokenizer *tok, int32_t id); // duplicates are ignored

// ---- Running ----

// Normalizes `text` into *out (borrowed: `text` itself, or one of the two buffers).
tl_status tl_normalize(const tl_tokenizer *tok, tl_str text, tl_buf scratch[2], tl_str *out);

typedef struct tl_encode_run { // one call to encode
  const tl_tokenizer *tok;
  tl_regex_run regex;
  tl_bpe_scratch bpe;
  tl_buf norm[2];
  tl_buf step[TL_TOK_MAX_STEPS]; // texts that pre-tokenizers rewrite
  tl_ids *out;
  bool split_special;
  const char *text;     // the whole text, which `quoted` counts from
  const size_t *quoted; // [n_quoted] ascending
  size_t n_quoted;
} tl_encode_run;

// Cuts the added tokens of `trie` out of a text: their ids are appended, and `rest` gets each piece
// between them.
typedef tl_status tl_rest_fn(tl_encode_run *run, tl_str text, bool at_zero);
tl_status tl_added_cut(tl_encode_run *run, const tl_trie *trie, tl_str text, bool at_zero,
                       tl_rest_fn *rest);

// Splits a normalized text into words and appends their ids. at_zero: it begins the whole input.
tl_status tl_pretokenize(tl_encode_run *run, tl_str text, bool at_zero);

typedef struct tl_token_texts { // token texts, end to end
  tl_buf text;
  size_t *ends;
  size_t len, cap;
} tl_token_texts;

typedef struct tl_decode_scratch { // zero-initialise; deinit when done
  tl_token_texts a, b;
  tl_buf bytes;
} tl_decode_scratch;
void tl_decode_scratch_deinit(tl_decode_scratch *s);
tl_status tl_decode_run(const tl_tokenizer *tok, tl_decode_scratch *s, const int32_t *ids,
                        size_t len, bool skip_special, tl_buf *out);

#endif
