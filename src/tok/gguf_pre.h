// A row of gguf_pre.def; load_gguf.c finds it, save.c writes it.
#ifndef TL_TOK_GGUF_PRE_H
#define TL_TOK_GGUF_PRE_H

#include "base/str.h"

typedef struct tl_gguf_pre {
  const char *name;
  const char *normalizer, *pretokenizer; // JSON
  bool ignore_merges, add_bos;
} tl_gguf_pre;

#endif
