// Template text to tokens.
//
// White space around tags is decided here, as jinja2 decides it with trim_blocks and lstrip_blocks:
//
//   {%- and {{- and {#-   strip all white space before them;  -%} -}} -#}  all after
//   {%  and {#            strip the blanks before them when nothing else is on their line
//   %}  and #}            swallow one line break after them
//   {%+ and +%}           leave it alone
//
// A tag's end is not looked for inside brackets, so that {{ {"a": {}} }} is read as meant. One line
// break at the end of the template is dropped.
#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "tok/jinja_impl.h"

typedef struct lexer {
  tl_jparse *p;
  tl_str s;
  size_t at;
  bool line_start; // the last thing read ended with a line break
} lexer;

static bool push(tl_jparse *p, tl_jt token) {
  if (p->n_tokens == p->cap_tokens) {
    size_t cap = p->cap_tokens == 0 ? 64 : p->cap_tokens * 2;
    tl_jt *grown = TL_NEW(p->arena, tl_jt, cap);
    if (grown == NULL) {
      p->oom = true;
      return false;
    }
    if (p->n_tokens > 0) memcpy(grown, p->tokens, p->n_tokens * sizeof *grown);
    p->tokens = grown;
    p->cap_tokens = cap;
  }
  p->tokens[p->n_tokens++] = token;
  return true;
}

static char peek(const lexer *l, size_t ahead) {
  return l->at + ahead < l->s.len ? l->s.ptr[l->at + ahead] : 0;
}

static bool looking_at(const lexer *l, const char *text) {
  return tl_str_starts(tl_str_sub(l->s, l->at, l->s.len), tl_str_of(text));
}

static void skip_space(lexer *l) {
  while (l->at < l->s.len) {
    size_t next = l->at;
    if (!tl_jtext_is_space(tl_utf8_decode(l->s, &next))) break;
    l->at = next;
  }
}

static bool all_space(tl_str s) {
  for (size_t at = 0; at < s.len;)
    if (!tl_jtext_is_space(tl_utf8_decode(s, &at))) return false;
  return true;
}

// The text from `from` up to the tag at l->at, whose sign is `sign` ('-', '+' or 0).
static bool push_data(lexer *l, size_t from, char sign, bool lstrip) {
  tl_str text = tl_str_sub(l->s, from, l->at);
  if (sign == '-') {
    text = tl_jtext_strip(text, NULL, false, true);
  } else if (sign != '+' && lstrip) {
    size_t line = text.len;
    while (line > 0 && text.ptr[line - 1] != '\n')
      line--;
    if ((line > 0 || l->line_start) && all_space(tl_str_sub(text, line, text.len)))
      text = tl_str_sub(text, 0, line);
  }
  if (text.len == 0) return true;
  return push(l->p, (tl_jt){TL_JT_DATA, (uint32_t)from, (uint32_t)text.len, text, 0, 0});
}

// Behind a tag's end: `sign` is what stood before it.
static void after_tag(lexer *l, char sign, bool trim) {
  size_t from = l->at;
  if (sign == '-')
    skip_space(l);
  else if (sign != '+' && trim && peek(l, 0) == '\n')
    l->at++;
  l->line_start = l->at > from && l->s.ptr[l->at - 1] == '\n';
}

// ---- Inside tags ----

static bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Up to `max` digits of a base after an escape's letter, at s[*at].
static uint32_t read_digits(tl_str s, size_t *at, size_t max, int base, size_t *count) {
  uint32_t value = 0;
  for (*count = 0; *count < max && *at < s.len && digit_value(s.ptr[*at]) < base; (*count)++)
    value = value * (uint32_t)base + (uint32_t)digit_value(s.ptr[(*at)++]);
  return value;
}

// A string's text, escapes as in Python: one that Python does not know stays as it is.
static bool unescape(lexer *l, size_t from, tl_str raw, tl_str *out) {
  char *copy = tl_arena_alloc(l->p->arena, raw.len + 1, 1);
  if (copy == NULL) {
    l->p->oom = true;
    return false;
  }
  static const char plain[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v";
  size_t len = 0;
  for (size_t at = 0; at < raw.len;) {
    char c = raw.ptr[at++];
    if (c != '\\' || at == raw.len) {
      copy[len++] = c;
      continue;
    }
    size_t start = at - 1, count;
    c = raw.ptr[at++];
    const char *known = c == 0 ? NULL : strchr(plain, c);
    if (known != NULL) {
      copy[len++] = meant[known - plain];
    } else if (c == '\n') { // a line continued
    } else if (c >= '0' && c <= '7') {
      at--;
      len += tl_utf8_encode(read_digits(raw, &at, 3, 8, &count), copy + len);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      size_t want = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      uint32_t code = read_digits(raw, &at, want, 16, &count);
      if (count != want || code > 0x10FFFF)
        return tl_jparse_fail(l->p, (uint32_t)(from + start), (uint32_t)(at - start),
                              "bad escape \\%c in a string", c);
      len += tl_utf8_encode(code, copy + len); // at most 4 bytes for 4 and more
    } else if (c == 'N') {
      return tl_jparse_fail(l->p, (uint32_t)(from + start), 2,
                            "escape \\N{...} in a string is not supported");
    } else {
      copy[len++] = '\\';
      copy[len++] = c;
    }
  }
  *out = (tl_str){copy, len};
  return true;
}

static bool lex_string(lexer *l) {
  size_t from = l->at;
  char quote = l->s.ptr[l->at++];
  while (l->at < l->s.len && l->s.ptr[l->at] != quote)
    l->at += l->s.ptr[l->at] == '\\' ? 2 : 1;
  if (l->at >= l->s.len) return tl_jparse_fail(l->p, (uint32_t)from, 1, "a string without end");
  tl_str text = {0}, raw = tl_str_sub(l->s, from + 1, l->at);
  l->at++;
  if (!unescape(l, from + 1, raw, &text)) return false;
  return push(l->p, (tl_jt){TL_JT_STRING, (uint32_t)from, (uint32_t)(l->at - from), text, 0, 0});
}

// Digits with single underscores between them; the digits alone go to `out`.
static void lex_digits(lexer *l, int base, tl_buf *out) {
  while (l->at < l->s.len) {
    bool under = peek(l, 0) == '_' && digit_value(peek(l, 1)) < base;
    if (!under && digit_value(peek(l, 0)) >= base) break;
    if (!under) tl_buf_char(out, peek(l, 0));
    l->at++;
  }
}

static bool lex_number(lexer *l) {
  size_t from = l->at;
  tl_buf digits = {0};
  char kind = (char)(peek(l, 0) == '0' ? (peek(l, 1) | 0x20) : 0);
  int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
  if (base != 10 && digit_value(peek(l, 2)) >= base) base = 10;
  if (base != 10) l->at += 2;
  lex_digits(l, base, &digits);
  bool real = false;
  if (base == 10) {
    if (peek(l, 0) == '.' && is_digit(peek(l, 1))) {
      real = true;
      tl_buf_char(&digits, '.');
      l->at++;
      lex_digits(l, 10, &digits);
    }
    size_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
    if ((peek(l, 0) == 'e' || peek(l, 0) == 'E') && is_digit(peek(l, 1 + sign))) {
      real = true;
      tl_buf_add(&digits, l->s.ptr + l->at, 1 + sign);
      l->at += 1 + sign;
      lex_digits(l, 10, &digits);
    }
  }
  tl_jt t = {real ? TL_JT_FLOAT : TL_JT_INT,
             (uint32_t)from,
             (uint32_t)(l->at - from),
             tl_str_sub(l->s, from, l->at),
             0,
             0};
  bool good = !digits.oom && digits.len > 0;
  if (good && real) t.f = strtod(digits.ptr, NULL);
  if (good && !real) {
    errno = 0;
    t.i = strtoll(digits.ptr, NULL, base);
    good = errno == 0;
  }
  l->p->oom = l->p->oom || digits.oom;
  tl_buf_deinit(&digits);
  if (!good) return tl_jparse_fail(l->p, t.at, t.len, "a number past 64 bits");
  return push(l->p, t);
}

static size_t operator_len(const lexer *l) {
  static const char *const two[] = {"//", "**", "==", "!=", ">=", "<="};
  for (size_t i = 0; i < TL_COUNT(two); i++)
    if (looking_at(l, two[i])) return 2;
  return peek(l, 0) != 0 && strchr("+-/*%~[](){}><=.:|,;", peek(l, 0)) != NULL ? 1 : 0;
}

static bool bracket(lexer *l, char c, char *stack, size_t *depth) {
  const char *open = strchr("([{", c), *close = strchr(")]}", c);
  if (open != NULL) {
    if (*depth == TL_JINJA_MAX_NESTING)
      return tl_jparse_fail(l->p, (uint32_t)l->at, 1, "brackets nested more than %d deep",
                            TL_JINJA_MAX_NESTING);
    stack[(*depth)++] = ")]}"[strchr("([{", c) - "([{"];
  }
  if (close == NULL) return true;
  if (*depth == 0) return tl_jparse_fail(l->p, (uint32_t)l->at, 1, "'%c' closes nothing", c);
  if (stack[--*depth] != c)
    return tl_jparse_fail(l->p, (uint32_t)l->at, 1, "found '%c', wanted '%c'", c, stack[*depth]);
  return true;
}

// Tokens up to the end of the tag that began at `from`.
static bool lex_tag(lexer *l, size_t from, bool is_block) {
  char stack[TL_JINJA_MAX_NESTING];
  size_t depth = 0;
  const char *end = is_block ? "%}" : "}}";
  for (;;) {
    skip_space(l);
    if (l->at == l->s.len)
      return tl_jparse_fail(l->p, (uint32_t)from, 2, "a tag without its end '%s'", end);
    char sign = peek(l, 0);
    bool signed_end =
        (sign == '-' || (is_block && sign == '+')) && peek(l, 1) == end[0] && peek(l, 2) == end[1];
    if (depth == 0 && (signed_end || looking_at(l, end))) {
      tl_jt t = {is_block ? TL_JT_BLOCK_END : TL_JT_VAR_END, (uint32_t)l->at, 2, {0}, 0, 0};
      l->at += signed_end ? 3 : 2;
      after_tag(l, signed_end ? sign : 0, is_block);
      return push(l->p, t);
    }
    char c = peek(l, 0);
    size_t start = l->at, op;
    if (is_name_start(c)) {
      while (is_name_start(peek(l, 0)) || is_digit(peek(l, 0)))
        l->at++;
      tl_str name = tl_str_sub(l->s, start, l->at);
      if (!push(l->p, (tl_jt){TL_JT_NAME, (uint32_t)start, (uint32_t)name.len, name, 0, 0}))
        return false;
    } else if (is_digit(c)) {
      if (!lex_number(l)) return false;
    } else if (c == '"' || c == '\'') {
      if (!lex_string(l)) return false;
    } else if ((op = operator_len(l)) > 0) {
      if (op == 1 && strchr("()[]{}", c) != NULL && !bracket(l, c, stack, &depth)) return false;
      tl_str text = tl_str_sub(l->s, start, start + op);
      l->at += op;
      if (!push(l->p, (tl_jt){TL_JT_OP, (uint32_t)start, (uint32_t)op, text, 0, 0})) return false;
    } else {
      size_t next = l->at;
      tl_utf8_decode(l->s, &next);
      return tl_jparse_fail(l->p, (uint32_t)l->at, (uint32_t)(next - l->at),
                            "unexpected '" TL_STR_FMT "'", (int)(next - l->at), l->s.ptr + l->at);
    }
  }
}

// ---- Outside tags ----

static bool lex_comment(lexer *l, size_t from) {
  size_t body = l->at;
  for (; l->at < l->s.len; l->at++) {
    if (!looking_at(l, "#}")) continue;
    char sign = l->at > body ? l->s.ptr[l->at - 1] : 0;
    if (sign != '-' && sign != '+') sign = 0;
    l->at += 2;
    after_tag(l, sign, true);
    return true;
  }
  return tl_jparse_fail(l->p, (uint32_t)from, 2, "a comment without its end '#}'");
}

// At "{%" (with sign): is this {% word %}? Moves past the word.
static bool take_word(lexer *l, const char *word) {
  skip_space(l);
  if (!looking_at(l, word)) return false;
  l->at += strlen(word);
  skip_space(l);
  return true;
}

// At the sign or end of a raw tag: moves past it. False: the tag has something else in it.
static bool take_end(lexer *l, bool trim) {
  char sign = peek(l, 0) == '-' || (trim && peek(l, 0) == '+') ? peek(l, 0) : 0;
  if (peek(l, sign != 0) != '%' || peek(l, (size_t)(sign != 0) + 1) != '}') return false;
  l->at += sign != 0 ? 3 : 2;
  after_tag(l, sign, trim);
  return true;
}

static bool lex_raw(lexer *l, size_t begin) {
  size_t from = l->at;
  for (; l->at + 1 < l->s.len; l->at++) {
    if (!looking_at(l, "{%")) continue;
    size_t tag = l->at;
    char sign = peek(l, 2) == '-' || peek(l, 2) == '+' ? peek(l, 2) : 0;
    l->at += sign != 0 ? 3 : 2;
    bool line_start = l->line_start;
    if (take_word(l, "endraw") && take_end(l, true)) {
      size_t after = l->at;
      bool after_line = l->line_start;
      l->at = tag;
      l->line_start = line_start;
      if (!push_data(l, from, sign, true)) return false;
      l->at = after;
      l->line_start = after_line;
      return true;
    }
    l->at = tag;
    l->line_start = line_start;
  }
  return tl_jparse_fail(l->p, (uint32_t)begin, 2, "raw without endraw");
}

static bool lex_all(lexer *l) {
  size_t from = 0;
  while (l->at < l->s.len) {
    char kind = peek(l, 0) == '{' ? peek(l, 1) : 0;
    if (kind != '{' && kind != '%' && kind != '#') {
      l->at++;
      continue;
    }
    size_t tag = l->at;
    char sign = peek(l, 2) == '-' || peek(l, 2) == '+' ? peek(l, 2) : 0;
    if (!push_data(l, from, sign, kind != '{')) return false;
    l->at += sign != 0 ? 3 : 2;
    l->line_start = false;
    if (kind == '#') {
      if (!lex_comment(l, tag)) return false;
    } else {
      lexer ahead = *l;
      if (kind == '%' && take_word(&ahead, "raw") && take_end(&ahead, false)) {
        *l = ahead;
        if (!lex_raw(l, tag)) return false;
      } else {
        tl_jt_kind begin = kind == '%' ? TL_JT_BLOCK_BEGIN : TL_JT_VAR_BEGIN;
        if (!push(l->p, (tl_jt){begin, (uint32_t)tag, 2, {0}, 0, 0})) return false;
        if (!lex_tag(l, tag, kind == '%')) return false;
      }
    }
    from = l->at;
  }
  if (from < l->s.len) {
    tl_str rest = tl_str_sub(l->s, from, l->s.len);
    if (!push(l->p, (tl_jt){TL_JT_DATA, (uint32_t)from, (uint32_t)rest.len, rest, 0, 0}))
      return false;
  }
  return push(l->p, (tl_jt){TL_JT_END, (uint32_t)l->s.len, 1, {0}, 0, 0});
}

bool tl_jinja_lex(tl_jparse *p) {
  lexer l = {.p = p, .s = p->template->source, .line_start = true};
  return lex_all(&l);
}
