// UTF-8 as Unicode 15 table 3-7 has it: shortest forms only, no surrogates, nothing past U+10FFFF.
#include "base/str.h"

enum { REPLACEMENT = 0xFFFD };

// Length of the valid sequence at s.ptr[at], its code in *code; 0 when there is none.
static size_t sequence(tl_str s, size_t at, uint32_t *code) {
  const unsigned char *p = (const unsigned char *)s.ptr + at;
  size_t left = s.len - at;
  unsigned char c = p[0];
  if (c < 0x80) {
    *code = c;
    return 1;
  }
  // The second byte's range is where overlong forms, surrogates and the end of the code space are
  // told apart.
  size_t len;
  unsigned char lo = 0x80, hi = 0xBF;
  if (c >= 0xC2 && c <= 0xDF) {
    len = 2;
    *code = c & 0x1Fu;
  } else if (c >= 0xE0 && c <= 0xEF) {
    len = 3;
    *code = c & 0x0Fu;
    if (c == 0xE0) lo = 0xA0;
    if (c == 0xED) hi = 0x9F;
  } else if (c >= 0xF0 && c <= 0xF4) {
    len = 4;
    *code = c & 0x07u;
    if (c == 0xF0) lo = 0x90;
    if (c == 0xF4) hi = 0x8F;
  } else {
    return 0;
  }
  if (left < len || p[1] < lo || p[1] > hi) return 0;
  for (size_t i = 1; i < len; i++) {
    if (p[i] < 0x80 || p[i] > 0xBF) return 0;
    *code = *code << 6 | (p[i] & 0x3Fu);
  }
  return len;
}

uint32_t tl_utf8_decode(tl_str s, size_t *at) {
  uint32_t code;
  size_t len = sequence(s, *at, &code);
  if (len == 0) {
    *at += 1;
    return REPLACEMENT;
  }
  *at += len;
  return code;
}

size_t tl_utf8_encode(uint32_t code, char out[4]) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = REPLACEMENT;
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 0x3F));
  out[2] = (char)(0x80 | (code >> 6 & 0x3F));
  out[3] = (char)(0x80 | (code & 0x3F));
  return 4;
}

bool tl_utf8_valid(tl_str s) {
  for (size_t at = 0; at < s.len;) {
    uint32_t code;
    size_t len = sequence(s, at, &code);
    if (len == 0) return false;
    at += len;
  }
  return true;
}

bool tl_utf8_printable(uint32_t code) {
  return code >= 0x20 && !(code >= 0x7F && code < 0xA0) && !(code >= 0x202A && code <= 0x202E) &&
         !(code >= 0x2066 && code <= 0x2069) && code != 0x2028 && code != 0x2029;
}
