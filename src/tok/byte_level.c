// GPT-2's byte alphabet, and bytes to text with replacement characters.
#include "tok/byte_level.h"

void tl_byte_level_spell(tl_buf *out, tl_str bytes) {
  size_t worst;
  if (!TL_MUL_OK(bytes.len, (size_t)2, &worst)) {
    out->oom = true;
    return;
  }
  if (!tl_buf_reserve(out, worst)) return;
  for (size_t i = 0; i < bytes.len; i++) {
    char c[4];
    tl_buf_add(out, c, tl_utf8_encode(tl_byte_char((uint8_t)bytes.ptr[i]), c));
  }
}

bool tl_byte_level_read(tl_buf *out, tl_str spelled) {
  size_t before = out->len;
  if (!tl_buf_reserve(out, spelled.len)) return true; // out->oom tells
  for (size_t at = 0; at < spelled.len;) {
    int b = tl_char_byte(tl_utf8_decode(spelled, &at));
    if (b < 0) {
      out->len = before;
      return false;
    }
    tl_buf_char(out, (char)b);
  }
  return true;
}

// Length of the longest prefix of s[at..] that begins a valid character: the whole character when
// *out_whole, else the part that one U+FFFD stands for (at least 1).
static size_t prefix_len(tl_str s, size_t at, bool *out_whole) {
  const uint8_t *p = (const uint8_t *)s.ptr + at;
  size_t left = s.len - at, want = 0;
  uint8_t lo = 0x80, hi = 0xBF;
  *out_whole = false;
  if (p[0] < 0x80) {
    *out_whole = true;
    return 1;
  }
  if (p[0] >= 0xC2 && p[0] <= 0xDF)
    want = 2;
  else if (p[0] >= 0xE0 && p[0] <= 0xEF)
    want = 3;
  else if (p[0] >= 0xF0 && p[0] <= 0xF4)
    want = 4;
  else
    return 1;
  if (p[0] == 0xE0) lo = 0xA0;
  if (p[0] == 0xED) hi = 0x9F; // no surrogates
  if (p[0] == 0xF0) lo = 0x90;
  if (p[0] == 0xF4) hi = 0x8F;
  size_t n = 1;
  while (n < want && n < left && p[n] >= lo && p[n] <= hi) {
    lo = 0x80;
    hi = 0xBF;
    n++;
  }
  *out_whole = n == want;
  return n;
}

void tl_utf8_append_lossy(tl_buf *out, tl_str bytes) {
  size_t from = 0, at = 0;
  while (at < bytes.len) {
    bool whole;
    size_t n = prefix_len(bytes, at, &whole);
    if (!whole) {
      tl_buf_add(out, bytes.ptr + from, at - from);
      tl_buf_cstr(out, "\xEF\xBF\xBD");
      from = at + n;
    }
    at += n;
  }
  tl_buf_add(out, bytes.ptr + from, at - from);
}
