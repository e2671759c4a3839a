// Text as Python sees it: characters rather than bytes, Unicode's white space and cases.
#include <utf8proc.h>

#include "tok/jinja_impl.h"

size_t tl_jtext_count(tl_str s) {
  size_t n = 0;
  for (size_t i = 0; i < s.len; i++)
    n += ((uint8_t)s.ptr[i] & 0xC0) != 0x80;
  return n;
}

size_t tl_jtext_offset(tl_str s, size_t from, size_t n) {
  size_t at = from;
  while (n > 0 && at < s.len) {
    at++;
    while (at < s.len && ((uint8_t)s.ptr[at] & 0xC0) == 0x80)
      at++;
    n--;
  }
  return at;
}

bool tl_jtext_is_space(uint32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static bool in_set(uint32_t c, const tl_str *chars) {
  if (chars == NULL) return tl_jtext_is_space(c);
  for (size_t at = 0; at < chars->len;)
    if (tl_utf8_decode(*chars, &at) == c) return true;
  return false;
}

tl_str tl_jtext_strip(tl_str s, const tl_str *chars, bool left, bool right) {
  size_t from = 0, to = s.len;
  while (left && from < to) {
    size_t next = from;
    if (!in_set(tl_utf8_decode(s, &next), chars)) break;
    from = next;
  }
  while (right && to > from) {
    size_t last = to - 1;
    while (last > from && ((uint8_t)s.ptr[last] & 0xC0) == 0x80)
      last--;
    size_t at = last;
    if (!in_set(tl_utf8_decode(s, &at), chars)) break;
    to = last;
  }
  return tl_str_sub(s, from, to);
}

static void add_char(tl_buf *out, utf8proc_int32_t c) {
  char text[4];
  tl_buf_add(out, text, tl_utf8_encode((uint32_t)c, text));
}

static void add_upper(tl_buf *out, uint32_t c) {
  if (c == 0xDF)
    tl_buf_cstr(out, "SS"); // the one letter in use that grows
  else
    add_char(out, utf8proc_toupper((utf8proc_int32_t)c));
}

static bool is_cased(uint32_t c) {
  utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
  return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT;
}

void tl_jtext_case(tl_str s, char how, tl_buf *out) {
  bool first = true;
  for (size_t at = 0; at < s.len;) {
    uint32_t c = tl_utf8_decode(s, &at);
    if (how == 'u' || (how != 'l' && first))
      add_upper(out, c);
    else
      add_char(out, utf8proc_tolower((utf8proc_int32_t)c));
    if (how == 'c')
      first = false;
    else if (how == 't')
      first = !is_cased(c); // str.title: a word begins after anything uncased
    else if (how == 'T')    // the filter: after white space and - ( { [ <
      first = tl_jtext_is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  }
}
