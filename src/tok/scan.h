// A JSON text read as it goes by, for the two parts of a tokenizer.json that are large.
//
// A vocabulary of 150,000 words and as many merges make a million JSON values. As a tree they cost
// more time and memory than all the rest of loading; read in passing they cost neither.
#ifndef TL_TOK_SCAN_H
#define TL_TOK_SCAN_H

#include "base/str.h"

typedef struct tl_scan { // plain value; the text is valid UTF-8
  tl_str text;
  size_t at;
  const char *name; // of the document, in messages
  tl_arena *arena;  // for strings with escapes
} tl_scan;

tl_status tl_scan_error(const tl_scan *s, const char *what); // "name:line:col: what"
bool tl_scan_take(tl_scan *s, char c); // skips white space, then c if it is next
tl_status tl_scan_want(tl_scan *s, char c);
// A string's text: a slice of the document where it has no escapes, else a copy in the arena.
tl_status tl_scan_string(tl_scan *s, tl_str *out);
tl_status tl_scan_uint(tl_scan *s, int64_t max, int64_t *out);
tl_status tl_scan_skip(tl_scan *s); // any value; its grammar is checked only as far as brackets go

#endif
