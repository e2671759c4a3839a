// Conversations to prompts: the model's own chat template over the messages.
#ifndef TL_TOK_CHAT_H
#define TL_TOK_CHAT_H

#include "tok/jinja.h"
#include "tok/tokenizer.h"

typedef struct tl_chat_options { // zero-initialised: the defaults
  bool add_generation_prompt;    // end with the head of the assistant's answer
  const json_t *tools;           // array of JSON schemas, or NULL
  const json_t *documents;       // array of objects, or NULL
  const json_t *vars;            // object: further variables (enable_thinking …), or NULL
  const char *name;              // of the template in messages; NULL = "chat template"
  tl_jinja_options limits;
  bool allow_special; // of tl_tokenizer_chat_ids: control tokens written in messages are control
                      // tokens
} tl_chat_options;

// Appends the prompt for `messages`, an array of objects with role and content, to `out`; on
// failure nothing is appended. The template is the tokenizer's (FAILED_PRECONDITION when it has
// none), and bos_token, eos_token … are variables in it. `options` may be NULL. A mistake in the
// template, or one it raises (raise_exception), is INVALID_ARGUMENT with place and message;
// `diags`, where given, gets it with its source line. Places in it are good while `tok` lives.
tl_status tl_tokenizer_chat(const tl_tokenizer *tok, const json_t *messages,
                            const tl_chat_options *options, tl_diags *diags, tl_buf *out);

// The same as token ids. Only the template may speak in control tokens: one that stands in a
// message ("<|im_end|>" in a question) is split as ordinary text, unless options->allow_special.
tl_status tl_tokenizer_chat_ids(const tl_tokenizer *tok, const json_t *messages,
                                const tl_chat_options *options, tl_diags *diags, tl_ids *out_ids);

#endif
