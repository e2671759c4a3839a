// The rows of gguf_pre.def.
#ifndef TL_TOK_GGUF_PRE_H
#define TL_TOK_GGUF_PRE_H

#include "base/str.h"

typedef struct tl_gguf_pre {
  const char *name;
  const char *normalizer, *pretokenizer; // JSON
  bool ignore_merges, add_bos;
} tl_gguf_pre;

const tl_gguf_pre *tl_gguf_pre_find(tl_str name); // NULL when we do not know it
void tl_gguf_pre_names(tl_buf *out);              // "gpt-2, smollm, …"

#endif
