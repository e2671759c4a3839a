// A JSON text read as it goes by.
#include "tok/scan.h"

enum { NESTING_MAX = 64 };

tl_status tl_scan_error(const tl_scan *s, const char *what) {
  size_t line = 1, col = 1;
  for (size_t i = 0; i < s->at && i < s->text.len; i++) {
    col++;
    if (s->text.ptr[i] == '\n') {
      line++;
      col = 1;
    }
  }
  return TL_ERROR(INVALID_ARGUMENT, "%s:%zu:%zu: %s", s->name, line, col, what);
}

static void skip_space(tl_scan *s) {
  while (s->at < s->text.len) {
    char c = s->text.ptr[s->at];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') break;
    s->at++;
  }
}

bool tl_scan_take(tl_scan *s, char c) {
  skip_space(s);
  if (s->at == s->text.len || s->text.ptr[s->at] != c) return false;
  s->at++;
  return true;
}

tl_status tl_scan_want(tl_scan *s, char c) {
  if (tl_scan_take(s, c)) return TL_OK;
  char what[] = "wanted ' '";
  what[8] = c;
  return tl_scan_error(s, what);
}

static bool hex4(tl_scan *s, uint32_t *out) {
  if (s->text.len - s->at < 4) return false;
  *out = 0;
  for (int i = 0; i < 4; i++) {
    char c = s->text.ptr[s->at++];
    uint32_t digit;
    if (c >= '0' && c <= '9')
      digit = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = (uint32_t)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      digit = (uint32_t)(c - 'A' + 10);
    else
      return false;
    *out = *out * 16 + digit;
  }
  return true;
}

// What follows a backslash, appended to out[*len].
static tl_status escape(tl_scan *s, char *out, size_t *len) {
  static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char c = s->text.ptr[s->at++];
  const char *known = c == 0 ? NULL : strchr(plain, c);
  if (known != NULL) {
    out[(*len)++] = meant[known - plain];
    return TL_OK;
  }
  uint32_t code, low;
  if (c != 'u' || !hex4(s, &code)) return tl_scan_error(s, "not an escape of JSON");
  if (code >= 0xD800 && code < 0xE000) {
    if (code >= 0xDC00 || s->text.len - s->at < 6 || s->text.ptr[s->at] != '\\' ||
        s->text.ptr[s->at + 1] != 'u')
      return tl_scan_error(s, "half a surrogate pair");
    s->at += 2;
    if (!hex4(s, &low) || low < 0xDC00 || low >= 0xE000)
      return tl_scan_error(s, "half a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  *len += tl_utf8_encode(code, out + *len);
  return TL_OK;
}

tl_status tl_scan_string(tl_scan *s, tl_str *out) {
  TL_TRY(tl_scan_want(s, '"'));
  size_t from = s->at;
  bool escaped = false;
  for (;; s->at++) {
    if (s->at >= s->text.len) return tl_scan_error(s, "a string without end");
    char c = s->text.ptr[s->at];
    if (c == '"') break;
    if ((uint8_t)c < 0x20) return tl_scan_error(s, "a control character in a string");
    if (c != '\\') continue;
    escaped = true;
    if (++s->at == s->text.len) return tl_scan_error(s, "a string without end");
  }
  size_t end = s->at;
  if (!escaped) {
    *out = tl_str_sub(s->text, from, end);
    s->at = end + 1;
    return TL_OK;
  }
  // Never longer than its escaped form: \uXXXX is 6 bytes for 3 at most, a pair 12 for 4.
  char *copy = tl_arena_alloc(s->arena, end - from + 1, 1);
  if (copy == NULL) return TL_OOM();
  size_t len = 0;
  s->at = from;
  while (s->at < end) {
    char c = s->text.ptr[s->at++];
    if (c == '\\')
      TL_TRY(escape(s, copy, &len));
    else
      copy[len++] = c;
  }
  s->at = end + 1;
  *out = (tl_str){copy, len};
  return TL_OK;
}

tl_status tl_scan_uint(tl_scan *s, int64_t max, int64_t *out) {
  skip_space(s);
  size_t from = s->at;
  int64_t value = 0;
  while (s->at < s->text.len && s->text.ptr[s->at] >= '0' && s->text.ptr[s->at] <= '9') {
    if (!TL_MUL_OK(value, (int64_t)10, &value) ||
        !TL_ADD_OK(value, (int64_t)(s->text.ptr[s->at] - '0'), &value) || value > max)
      return tl_scan_error(s, "the number is too large");
    s->at++;
  }
  if (s->at == from) return tl_scan_error(s, "wanted a whole number, not negative");
  if (s->at < s->text.len && strchr(".eE", s->text.ptr[s->at]) != NULL && s->text.ptr[s->at] != 0)
    return tl_scan_error(s, "wanted a whole number");
  *out = value;
  return TL_OK;
}

tl_status tl_scan_skip(tl_scan *s) {
  size_t depth = 0;
  do {
    skip_space(s);
    if (s->at == s->text.len) return tl_scan_error(s, "the text ends too soon");
    char c = s->text.ptr[s->at];
    if (c == '"') {
      for (s->at++; s->at < s->text.len && s->text.ptr[s->at] != '"'; s->at++)
        if (s->text.ptr[s->at] == '\\') s->at++;
      if (s->at >= s->text.len) {
        s->at = s->text.len;
        return tl_scan_error(s, "a string without end");
      }
      s->at++;
    } else if (c == '{' || c == '[') {
      if (++depth > NESTING_MAX) return tl_scan_error(s, "nested more than 64 deep");
      s->at++;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return tl_scan_error(s, "wanted a value");
      s->at++;
    } else if (c == ',' || c == ':') {
      if (depth == 0) return tl_scan_error(s, "wanted a value");
      s->at++;
    } else { // a number or a word
      const size_t from = s->at;
      while (s->at < s->text.len && strchr(",:]}[{\" \n\t\r", s->text.ptr[s->at]) == NULL)
        s->at++;
      if (s->at == from) return tl_scan_error(s, "wanted a value"); // a zero byte
    }
  } while (depth > 0);
  return TL_OK;
}
