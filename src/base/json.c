// The documents are jansson's json_t, the reader is ours. jansson's own was tried and is not fit
// for bytes from outside:
//
// - it refuses integers past 64 bits, and checkpoints in the wild say "model_max_length":
//   1000000000000000019884624838656, which must not make a whole tokenizer unreadable. Here such an
//   integer is a real: every getter of integers refuses it, by its path, and who does not ask for
//   it is not troubled;
// - its recursion goes 2048 deep, on the stack of whoever called us;
// - where memory runs out its lexer reports a syntax error, drops bytes of a string, or fails an
// assertion.
//
// The grammar is RFC 8259's and no more: no comments, no NaN, no trailing commas, no leading zeros;
// strings are valid UTF-8 with paired surrogates. Refused beyond it: duplicate keys (two readers of
// one document would not agree) and U+0000 (our text goes to functions that stop there).
#include "base/json.h"

#include <stdio.h>

#include "base/file.h"

// A value takes up to 80 times its text's bytes in memory (`{},`), so they are counted: 2 million
// are more than the largest checkpoints have.
enum { NESTING_MAX = 64, VALUES_MAX = 1 << 21, SHOWN_MAX = 40 };

typedef struct reader {
  tl_str text;
  size_t at;
  const char *name;
  size_t n_values; // so far
  tl_buf scratch;  // the string being read
} reader;

// "name:line:col: message" for the byte `at`.
TL_PRINTF(3, 4)
static tl_status error_at(const reader *r, size_t at, const char *fmt, ...) {
  size_t line = 1, col = 1;
  for (size_t i = 0; i < at; i++) {
    col++;
    if (r->text.ptr[i] == '\n') {
      line++;
      col = 1;
    }
  }
  va_list args;
  va_start(args, fmt);
  tl_status st = tl_status_makev(TL_STATUS_INVALID_ARGUMENT, fmt, args);
  va_end(args);
  return tl_status_note(st, "%s:%zu:%zu", r->name, line, col);
}

static tl_status reader_oom(const reader *r) {
  return TL_ERROR(RESOURCE_EXHAUSTED, "%s: out of memory while parsing", r->name);
}

// The byte at the cursor, -1 at the end.
static int peek(const reader *r) {
  return r->at < r->text.len ? (unsigned char)r->text.ptr[r->at] : -1;
}

static void skip_blanks(reader *r) {
  for (int c; (c = peek(r)) == ' ' || c == '\n' || c == '\r' || c == '\t';)
    r->at++;
}

static bool skip_if(reader *r, char c) {
  if (peek(r) != c) return false;
  r->at++;
  return true;
}

static tl_status expected(const reader *r, const char *wanted) {
  int c = peek(r);
  if (c < 0) return error_at(r, r->at, "wanted %s, found the end of the text", wanted);
  if (c > 0x20 && c < 0x7F) return error_at(r, r->at, "wanted %s, found '%c'", wanted, c);
  return error_at(r, r->at, "wanted %s, found the byte 0x%02x", wanted, (unsigned)c);
}

static tl_status read_hex4(reader *r, uint32_t *out) {
  *out = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    int c = peek(r);
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return expected(r, "four hexadecimal digits");
    *out = *out << 4 | (uint32_t)digit;
  }
  return TL_OK;
}

// Behind "\u": one code, or a pair of surrogates that make one.
static tl_status read_unicode(reader *r, size_t from) {
  uint32_t code, low = 0;
  TL_TRY(read_hex4(r, &code));
  if (code >= 0xD800 && code <= 0xDFFF) {
    bool second = code < 0xDC00 && skip_if(r, '\\') && skip_if(r, 'u');
    if (second) TL_TRY(read_hex4(r, &low));
    if (!second || low < 0xDC00 || low > 0xDFFF)
      return error_at(r, from, "a surrogate without its other half");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code == 0) return error_at(r, from, "a string may not contain U+0000");
  char bytes[4];
  tl_buf_add(&r->scratch, bytes, tl_utf8_encode(code, bytes));
  return TL_OK;
}

// A string at its opening quote, into r->scratch.
static tl_status read_string(reader *r) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  size_t begin = r->at++;
  tl_buf_clear(&r->scratch);
  for (;;) {
    size_t from = r->at;
    int c = -1;
    while ((c = peek(r)) >= 0x20 && c != '"' && c != '\\') {
      if (c < 0x80) {
        r->at++;
        continue;
      }
      size_t bad = r->at;
      tl_utf8_decode(r->text, &r->at);
      if (r->at == bad + 1) return error_at(r, bad, "the byte 0x%02x is not UTF-8", (unsigned)c);
    }
    tl_buf_add(&r->scratch, r->text.ptr + from, r->at - from);
    if (c < 0) return error_at(r, begin, "this string has no end");
    if (c < 0x20)
      return error_at(r, r->at, "a string may not contain the byte 0x%02x", (unsigned)c);
    r->at++;
    if (c == '"') break;
    from = r->at - 1;
    c = peek(r);
    const char *known = c <= 0 ? NULL : strchr(escapes, c);
    if (c == 'u') {
      r->at++;
      TL_TRY(read_unicode(r, from));
    } else if (known != NULL) {
      r->at++;
      tl_buf_char(&r->scratch, meanings[known - escapes]);
    } else {
      return expected(r, "an escape that JSON knows");
    }
  }
  return r->scratch.oom ? reader_oom(r) : TL_OK;
}

static size_t skip_digits(reader *r) {
  size_t from = r->at;
  for (int c; (c = peek(r)) >= '0' && c <= '9';)
    r->at++;
  return r->at - from;
}

static tl_status read_number(reader *r, json_t **out) {
  size_t from = r->at;
  bool whole = true;
  skip_if(r, '-');
  if (!skip_if(r, '0') && skip_digits(r) == 0) return expected(r, "a digit");
  if (skip_if(r, '.')) {
    whole = false;
    if (skip_digits(r) == 0) return expected(r, "a digit");
  }
  if (skip_if(r, 'e') || skip_if(r, 'E')) {
    whole = false;
    if (!skip_if(r, '+')) skip_if(r, '-');
    if (skip_digits(r) == 0) return expected(r, "a digit");
  }
  tl_str token = tl_str_sub(r->text, from, r->at);
  int64_t i;
  double d;
  if (whole && tl_str_to_i64(token, &i))
    *out = json_integer(i);
  else if (tl_str_to_f64(token, &d))
    *out = json_real(d);
  else
    return error_at(r, from, "a number that f64 cannot hold");
  return *out == NULL ? reader_oom(r) : TL_OK;
}

static tl_status read_word(reader *r, json_t **out) {
  static const char *const words[] = {"true", "false", "null"};
  json_t *values[] = {json_true(), json_false(), json_null()}; // jansson's own, never freed
  for (size_t i = 0; i < TL_COUNT(words); i++) {
    tl_str rest = tl_str_sub(r->text, r->at, r->text.len);
    if (!tl_str_starts(rest, tl_str_of(words[i]))) continue;
    r->at += strlen(words[i]);
    *out = values[i];
    return TL_OK;
  }
  return expected(r, "a value");
}

static tl_status read_value(reader *r, size_t depth, json_t **out);

static tl_status read_array(reader *r, size_t depth, json_t *array) {
  skip_blanks(r);
  if (skip_if(r, ']')) return TL_OK;
  for (;;) {
    json_t *item;
    TL_TRY(read_value(r, depth, &item));
    if (json_array_append_new(array, item) != 0) return reader_oom(r); // has dropped the item
    skip_blanks(r);
    if (skip_if(r, ']')) return TL_OK;
    if (!skip_if(r, ',')) return expected(r, "',' or ']'");
  }
}

static tl_status read_object(reader *r, size_t depth, json_t *object) {
  skip_blanks(r);
  if (skip_if(r, '}')) return TL_OK;
  for (;;) {
    skip_blanks(r);
    size_t key_at = r->at;
    if (peek(r) != '"') return expected(r, "a key in quotes");
    TL_TRY(read_string(r));
    if (json_object_get(object, r->scratch.ptr) != NULL)
      return error_at(r, key_at, "the key \"%.80s\" is here twice", r->scratch.ptr);
    // Held by the object before its value is known, since the scratch is the value's next.
    if (json_object_set_new_nocheck(object, r->scratch.ptr, json_null()) != 0) return reader_oom(r);
    void *place = json_object_iter_at(object, r->scratch.ptr);
    skip_blanks(r);
    if (!skip_if(r, ':')) return expected(r, "':'");
    json_t *value;
    TL_TRY(read_value(r, depth, &value));
    if (json_object_iter_set_new(object, place, value) != 0) return reader_oom(r);
    skip_blanks(r);
    if (skip_if(r, '}')) return TL_OK;
    if (!skip_if(r, ',')) return expected(r, "',' or '}'");
  }
}

// `depth` containers are open around it.
static tl_status read_value(reader *r, size_t depth, json_t **out) {
  skip_blanks(r);
  if (r->n_values++ == VALUES_MAX) return error_at(r, r->at, "more than %d values", VALUES_MAX);
  int c = peek(r);
  if (c == '"') {
    TL_TRY(read_string(r));
    *out = json_stringn_nocheck(r->scratch.ptr, r->scratch.len);
    return *out == NULL ? reader_oom(r) : TL_OK;
  }
  if (c == '-' || (c >= '0' && c <= '9')) return read_number(r, out);
  if (c != '{' && c != '[') return read_word(r, out);
  if (depth == NESTING_MAX) return error_at(r, r->at, "nested more than %d deep", NESTING_MAX);
  r->at++;
  json_t *container = c == '{' ? json_object() : json_array();
  if (container == NULL) return reader_oom(r);
  tl_status st =
      c == '{' ? read_object(r, depth + 1, container) : read_array(r, depth + 1, container);
  if (st == TL_OK)
    *out = container;
  else
    json_decref(container);
  return st;
}

tl_status tl_json_parse(tl_str text, const char *name, json_t **out_root) {
  reader r = {.text = text, .name = name};
  json_t *root = NULL;
  tl_status st = read_value(&r, 0, &root);
  if (st == TL_OK) {
    skip_blanks(&r);
    if (r.at != text.len) {
      st = expected(&r, "the end of the text");
      json_decref(root);
    }
  }
  tl_buf_deinit(&r.scratch);
  if (st == TL_OK) *out_root = root;
  return st;
}

tl_status tl_json_read(const char *path, size_t limit, json_t **out_root) {
  tl_buf bytes;
  TL_TRY(tl_file_read(path, limit, &bytes));
  tl_status st = tl_json_parse(tl_buf_view(&bytes), path, out_root);
  tl_buf_deinit(&bytes);
  return st;
}

const char *tl_json_kind(const json_t *value) {
  if (value == NULL) return "absent";
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  case JSON_INTEGER:
    return "an integer";
  case JSON_REAL:
    return "a number";
  case JSON_TRUE:
    return "true";
  case JSON_FALSE:
    return "false";
  case JSON_NULL:
    return "null";
  }
  return "unknown";
}

// "where: key: wanted <wanted>, found <the value, shortened>".
static tl_status refuse(const char *where, const char *key, const char *wanted,
                        const json_t *found) {
  tl_buf shown = {0};
  if (json_is_string(found)) {
    tl_str s = {json_string_value(found), json_string_length(found)};
    size_t cut = TL_MIN(s.len, (size_t)SHOWN_MAX);
    while (cut < s.len && cut > 0 && ((unsigned char)s.ptr[cut] & 0xC0u) == 0x80)
      cut--;
    tl_buf_cstr(&shown, "the string ");
    tl_json_quote(&shown, tl_str_sub(s, 0, cut));
    if (cut < s.len) tl_buf_cstr(&shown, "...");
  } else if (json_is_integer(found)) {
    tl_buf_printf(&shown, "the integer %lld", (long long)json_integer_value(found));
  } else if (json_is_real(found)) {
    double d = json_real_value(found);
    char text[40];
    snprintf(text, sizeof text, "%.17g", d);
    // 4.0 must not be shown as 4 when the complaint is that it is no integer.
    tl_buf_printf(&shown, "the number %s%s", text, strpbrk(text, ".en") == NULL ? ".0" : "");
  } else if (found == NULL) {
    tl_buf_cstr(&shown, "nothing");
  } else {
    tl_buf_cstr(&shown, tl_json_kind(found));
  }
  const char *text = shown.oom || shown.ptr == NULL ? tl_json_kind(found) : shown.ptr;
  tl_status st =
      TL_ERROR(INVALID_ARGUMENT, "%s: %s: wanted %s, found %s", where, key, wanted, text);
  tl_buf_deinit(&shown);
  return st;
}

// The member, NULL when it is absent. Fails when `object` is none.
static tl_status member(const json_t *object, const char *where, const char *key, json_t **out) {
  if (!json_is_object(object))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", where,
                    tl_json_kind(object));
  *out = json_object_get(object, key);
  return TL_OK;
}

static bool is_absent(const json_t *value) { return value == NULL || json_is_null(value); }

static tl_status as_i64(const json_t *v, const char *where, const char *key, int64_t min,
                        int64_t max, int64_t *out) {
  if (!json_is_integer(v)) return refuse(where, key, "an integer", v); // 4.0 is no integer
  int64_t i = json_integer_value(v);
  if (i < min || i > max) {
    char wanted[96];
    if (max == INT64_MAX)
      snprintf(wanted, sizeof wanted, "an integer of at least %lld", (long long)min);
    else if (min == INT64_MIN)
      snprintf(wanted, sizeof wanted, "an integer of at most %lld", (long long)max);
    else
      snprintf(wanted, sizeof wanted, "an integer from %lld to %lld", (long long)min,
               (long long)max);
    return refuse(where, key, wanted, v);
  }
  *out = i;
  return TL_OK;
}

tl_status tl_json_i64(const json_t *object, const char *where, const char *key, int64_t min,
                      int64_t max, int64_t *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  return as_i64(v, where, key, min, max, out);
}

tl_status tl_json_i64_or(const json_t *object, const char *where, const char *key, int64_t min,
                         int64_t max, int64_t fallback, int64_t *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!is_absent(v)) return as_i64(v, where, key, min, max, out);
  *out = fallback;
  return TL_OK;
}

static tl_status as_f64(const json_t *v, const char *where, const char *key, double *out) {
  if (!json_is_number(v)) return refuse(where, key, "a number", v);
  *out = json_number_value(v);
  return TL_OK;
}

tl_status tl_json_f64(const json_t *object, const char *where, const char *key, double *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  return as_f64(v, where, key, out);
}

tl_status tl_json_f64_or(const json_t *object, const char *where, const char *key, double fallback,
                         double *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!is_absent(v)) return as_f64(v, where, key, out);
  *out = fallback;
  return TL_OK;
}

tl_status tl_json_bool_or(const json_t *object, const char *where, const char *key, bool fallback,
                          bool *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!is_absent(v) && !json_is_boolean(v)) return refuse(where, key, "true or false", v);
  *out = is_absent(v) ? fallback : json_is_true(v);
  return TL_OK;
}

static tl_status as_str(const json_t *v, const char *where, const char *key, tl_str *out) {
  if (!json_is_string(v)) return refuse(where, key, "a string", v);
  *out = (tl_str){json_string_value(v), json_string_length(v)};
  return TL_OK;
}

tl_status tl_json_str(const json_t *object, const char *where, const char *key, tl_str *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  return as_str(v, where, key, out);
}

tl_status tl_json_str_or(const json_t *object, const char *where, const char *key, tl_str fallback,
                         tl_str *out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!is_absent(v)) return as_str(v, where, key, out);
  *out = fallback;
  return TL_OK;
}

tl_status tl_json_object(const json_t *object, const char *where, const char *key, json_t **out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!json_is_object(v)) return refuse(where, key, "an object", v);
  *out = v;
  return TL_OK;
}

tl_status tl_json_array(const json_t *object, const char *where, const char *key, json_t **out) {
  json_t *v = NULL;
  TL_TRY(member(object, where, key, &v));
  if (!json_is_array(v)) return refuse(where, key, "an array", v);
  *out = v;
  return TL_OK;
}

tl_status tl_json_only(const json_t *object, const char *where, const char *const *known,
                       size_t count) {
  json_t *ignored;
  TL_TRY(member(object, where, "", &ignored));
  // Iterating changes nothing; jansson's iterators lack const.
  json_t *o = (json_t *)(uintptr_t)object;
  for (void *it = json_object_iter(o); it != NULL; it = json_object_iter_next(o, it)) {
    const char *key = json_object_iter_key(it);
    size_t i = 0;
    while (i < count && strcmp(key, known[i]) != 0)
      i++;
    if (i < count) continue;
    const char *near = tl_str_nearest(tl_str_of(key), known, count);
    if (near != NULL)
      return TL_ERROR(INVALID_ARGUMENT, "%s: unknown key \"%.80s\", did you mean \"%s\"?", where,
                      key, near);
    return TL_ERROR(INVALID_ARGUMENT, "%s: unknown key \"%.80s\"", where, key);
  }
  return TL_OK;
}

void tl_json_quote(tl_buf *out, tl_str text) {
  tl_buf_char(out, '"');
  size_t plain = 0; // from here to `at` nothing needs an escape
  for (size_t at = 0; at < text.len;) {
    size_t from = at;
    unsigned char c = (unsigned char)text.ptr[at];
    const char *escape = NULL;
    char unicode[8];
    if (c >= 0x80) {
      // A real U+FFFD has three bytes; a byte that is no UTF-8 is one that decoding consumed alone.
      (void)tl_utf8_decode(text, &at);
      if (at - from == 1) escape = "\xEF\xBF\xBD";
    } else {
      at++;
      switch (c) {
      case '"':
        escape = "\\\"";
        break;
      case '\\':
        escape = "\\\\";
        break;
      case '\b':
        escape = "\\b";
        break;
      case '\f':
        escape = "\\f";
        break;
      case '\n':
        escape = "\\n";
        break;
      case '\r':
        escape = "\\r";
        break;
      case '\t':
        escape = "\\t";
        break;
      default:
        if (c < 0x20) {
          snprintf(unicode, sizeof unicode, "\\u%04x", (unsigned)c);
          escape = unicode;
        }
      }
    }
    if (escape == NULL) continue;
    tl_buf_add(out, text.ptr + plain, from - plain);
    tl_buf_cstr(out, escape);
    plain = at;
  }
  tl_buf_str(out, tl_str_sub(text, plain, text.len));
  tl_buf_char(out, '"');
}
