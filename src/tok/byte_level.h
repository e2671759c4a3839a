// GPT-2's alphabet: each byte has a printable character, so that byte-level vocabularies are text.
//
// Bytes that print (0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF) stand for themselves; the other 68, in order,
// are U+0100 to U+0143: a space is U+0120 'Ġ', a newline U+010A 'Ċ'.
#ifndef TL_TOK_BYTE_LEVEL_H
#define TL_TOK_BYTE_LEVEL_H

#include "base/str.h"

static inline uint32_t tl_byte_char(uint8_t b) {
  if (b <= 0x20) return 0x100u + b;
  if (b >= 0x7F && b <= 0xA0) return 0x121u + (b - 0x7Fu);
  if (b == 0xAD) return 0x143u;
  return b;
}

static inline int tl_char_byte(uint32_t c) { // -1: not a character of the alphabet
  if (c >= 0x144) return -1;
  if (c == 0x143) return 0xAD;
  if (c >= 0x121) return (int)(c - 0x121u + 0x7Fu);
  if (c >= 0x100) return (int)(c - 0x100u);
  if (c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return -1;
  return (int)c;
}

// Appends the spelling of `bytes` in that alphabet.
void tl_byte_level_spell(tl_buf *out, tl_str bytes);
// Appends the bytes that `spelled` stands for; false, with nothing appended, when it has a
// character outside the alphabet.
bool tl_byte_level_read(tl_buf *out, tl_str spelled);
// Appends `bytes` as UTF-8, each maximal part that is none as one U+FFFD (Unicode 15, 3.9, as Rust,
// Python and the WHATWG have it).
void tl_utf8_append_lossy(tl_buf *out, tl_str bytes);

#endif
