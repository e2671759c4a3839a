// A tokenizer.json in two parts: the vocabulary and merges, which are large, and the rest as JSON.
#ifndef TL_TOK_MODEL_JSON_H
#define TL_TOK_MODEL_JSON_H

#include "base/json.h"
#include "tok/tokenizer_impl.h"

typedef struct tl_model_json {
  json_t *root;         // owned; model.vocab and model.merges are null in it
  size_t vocab, merges; // places in the text; 0 = absent
} tl_model_json;

// `text` must live as long as the tokenizer that is read from it. `name` is for messages.
tl_status tl_model_json_open(tl_str text, const char *name, tl_model_json *out);
void tl_model_json_close(tl_model_json *m); // a zeroed one is allowed
// Fills the tokenizer's BPE from model.vocab and model.merges.
tl_status tl_model_json_read(const tl_model_json *m, tl_str text, const char *name,
                             tl_tokenizer *tok);

#endif
