// Tokenizers: text to token ids and back, as the model was trained to see them.
//
// One is loaded from a Hugging Face directory (tokenizer.json and what lies beside it) or from the
// metadata of a GGUF file. Both give the same object: byte-pair encoding (BPE) between a list of
// text steps in front and a list of token steps behind. It is immutable after load, counted by
// reference, and any number of threads may use it at once.
//
// What we do not know is refused by name (UNIMPLEMENTED): a tokenizer that nearly fits would give
// nearly the right ids, and nobody would notice.
#ifndef TL_TOK_TOKENIZER_H
#define TL_TOK_TOKENIZER_H

#include "base/str.h"
#include "ckpt/gguf.h"

typedef struct tl_tokenizer tl_tokenizer;

// A growing list of token ids. After the first failed growth every later push is a no-op.
typedef struct tl_ids { // zero-initialise; deinit when done
  int32_t *ptr;
  size_t len, cap;
  bool oom;
} tl_ids;

void tl_ids_deinit(tl_ids *ids);
bool tl_ids_reserve(tl_ids *ids, size_t extra);
void tl_ids_push(tl_ids *ids, int32_t id);

// tokenizer.json, and where they exist tokenizer_config.json, chat_template.jinja and
// generation_config.json (its stop ids). The rules of the class that tokenizer_config.json names
// override the file, as transformers does it. *out_tok is the caller's reference.
tl_status tl_tokenizer_load_hf(const char *dir, tl_tokenizer **out_tok);

// The metadata keys tokenizer.*; nothing is borrowed from `gguf` afterwards. NOT_FOUND when the
// file has no tokenizer.
tl_status tl_tokenizer_load_gguf(const tl_gguf *gguf, tl_tokenizer **out_tok);

// From the texts of those files (empty: the file does not exist). `name` stands for the directory
// in messages.
typedef struct tl_tokenizer_files {
  tl_str tokenizer;  // tokenizer.json
  tl_str config;     // tokenizer_config.json
  tl_str template;   // chat_template.jinja
  tl_str generation; // generation_config.json
} tl_tokenizer_files;
tl_status tl_tokenizer_parse(const tl_tokenizer_files *files, const char *name,
                             tl_tokenizer **out_tok);

tl_tokenizer *tl_tokenizer_retain(tl_tokenizer *tok);
void tl_tokenizer_release(tl_tokenizer *tok); // NULL is allowed

// Writes what tl_tokenizer_load_hf reads back into the existing directory `dir`: the files as they
// were where the source was such a directory, and canonical ones made from GGUF metadata
// otherwise. The same tokenizer always gives the same bytes.
tl_status tl_tokenizer_save(const tl_tokenizer *tok, const char *dir);

typedef struct tl_encode_options { // zero-initialised: the defaults
  bool no_special_tokens;          // do not add bos, eos and the like around the text
  bool split_special; // special tokens written in the text are split as ordinary text; added
                      // tokens that are not special are still recognised. Also on where
                      // tokenizer_config.json says split_special_tokens.
  const size_t
      *quoted;     // [n_quoted] ascending byte offsets of the text: a special token that begins
  size_t n_quoted; // at one of them is split as ordinary text
} tl_encode_options;

// Appends the ids of `text` to `out_ids` (on failure nothing is appended). Text that is not UTF-8
// is INVALID_ARGUMENT and names the byte. A regular expression of the tokenizer that runs away on
// this text is RESOURCE_EXHAUSTED.
tl_status tl_tokenizer_encode(const tl_tokenizer *tok, tl_str text,
                              const tl_encode_options *options, // NULL: defaults
                              tl_ids *out_ids);

// Appends the text of `ids`. Bytes that are no UTF-8 become U+FFFD. An id that the tokenizer does
// not have adds nothing (models have more rows than words).
tl_status tl_tokenizer_decode(const tl_tokenizer *tok, const int32_t *ids, size_t len,
                              bool skip_special, tl_buf *out);

int32_t tl_tokenizer_id_of(const tl_tokenizer *tok, tl_str token); // -1 when absent
tl_str tl_tokenizer_token_of(const tl_tokenizer *tok, int32_t id); // {NULL, 0} when absent
bool tl_tokenizer_is_special(const tl_tokenizer *tok, int32_t id); // false when absent
size_t tl_tokenizer_vocab_size(const tl_tokenizer *tok);           // the largest id plus one
int32_t tl_tokenizer_bos(const tl_tokenizer *tok);                 // -1 when there is none
int32_t tl_tokenizer_eos(const tl_tokenizer *tok);                 // -1
int32_t tl_tokenizer_pad(const tl_tokenizer *tok);                 // -1
int32_t tl_tokenizer_unk(const tl_tokenizer *tok);                 // -1
// Every id that ends an answer: eos and what generation_config.json or the GGUF adds. Ascending.
const int32_t *tl_tokenizer_stop_ids(const tl_tokenizer *tok, size_t *out_len);
tl_str tl_tokenizer_chat_template(const tl_tokenizer *tok); // {NULL, 0} when there is none

// ---- One token at a time ----

// Turns ids into text as they come, never giving half a character: what would end in an unfinished
// one is held back. The pieces, with what finish gives, are tl_tokenizer_decode of all the ids
// (byte tokens that turn out to be no character are U+FFFD there from the first of the run, here
// from where it went wrong). One owner. Once its buffers have grown, push allocates nothing.
typedef struct tl_token_stream {
  tl_tokenizer *tok; // retained
  bool skip_special;
  tl_ids held;      // the window: `n_context` ids that are given already, then those that are not
  size_t n_context; // ids at the front of `held` that only give the decoder its context
  size_t given;     // bytes of the window's text that are out
  tl_buf text;      // scratch: the window's text
  struct tl_decode_scratch *scratch;
} tl_token_stream;

void tl_token_stream_init(tl_token_stream *s, tl_tokenizer *tok, bool skip_special);
void tl_token_stream_deinit(tl_token_stream *s);
// Appends to `out` what became certain, maybe nothing.
tl_status tl_token_stream_push(tl_token_stream *s, int32_t id, tl_buf *out);
// Appends what is still held (an unfinished character as U+FFFD); then the stream is as new.
tl_status tl_token_stream_finish(tl_token_stream *s, tl_buf *out);

#endif
