// MLIR's lexical grammar, as far as modules need it.
#include "shlo/lex.h"

#define D TL_CHAR_DIGIT | TL_CHAR_SUFFIX | TL_CHAR_HEX
#define H TL_CHAR_ALPHA | TL_CHAR_SUFFIX | TL_CHAR_HEX
#define L TL_CHAR_ALPHA | TL_CHAR_SUFFIX
// clang-format off
const uint8_t tl_char_class[256] = {
    [' '] = TL_CHAR_SPACE, ['\t'] = TL_CHAR_SPACE, ['\n'] = TL_CHAR_SPACE, ['\r'] = TL_CHAR_SPACE,
    ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D, ['9'] = D,
    ['a'] = H, ['b'] = H, ['c'] = H, ['d'] = H, ['e'] = H, ['f'] = H, ['g'] = L, ['h'] = L, ['i'] = L, ['j'] = L,
    ['k'] = L, ['l'] = L, ['m'] = L, ['n'] = L, ['o'] = L, ['p'] = L, ['q'] = L, ['r'] = L, ['s'] = L, ['t'] = L,
    ['u'] = L, ['v'] = L, ['w'] = L, ['x'] = L, ['y'] = L, ['z'] = L,
    ['A'] = H, ['B'] = H, ['C'] = H, ['D'] = H, ['E'] = H, ['F'] = H, ['G'] = L, ['H'] = L, ['I'] = L, ['J'] = L,
    ['K'] = L, ['L'] = L, ['M'] = L, ['N'] = L, ['O'] = L, ['P'] = L, ['Q'] = L, ['R'] = L, ['S'] = L, ['T'] = L,
    ['U'] = L, ['V'] = L, ['W'] = L, ['X'] = L, ['Y'] = L, ['Z'] = L, ['_'] = L,
    ['$'] = TL_CHAR_SUFFIX, ['.'] = TL_CHAR_SUFFIX, ['-'] = TL_CHAR_SUFFIX,
};
// clang-format on
#undef D
#undef H
#undef L

void tl_lexer_init(tl_lexer *l, tl_str text) {
  *l = (tl_lexer){.at = text.ptr, .end = text.ptr + text.len, .line_start = text.ptr, .line = 1};
}

void tl_lexer_skip_to(tl_lexer *l, const char *to) {
  for (const char *p = l->at; p < to && (p = memchr(p, '\n', (size_t)(to - p))) != NULL;) {
    p++;
    l->line++;
    l->line_start = p;
  }
  l->at = to;
}

// Past spaces and comments; true when a line ended on the way.
static bool skip_space(tl_lexer *l) {
  bool crossed = l->at == l->line_start;
  while (l->at < l->end) {
    char c = *l->at;
    if (c == '\n') {
      l->line++;
      l->line_start = ++l->at;
      crossed = true;
    } else if (tl_char_is(c, TL_CHAR_SPACE)) {
      l->at++;
    } else if (c == '/' && l->end - l->at > 1 && l->at[1] == '/') {
      const char *eol = memchr(l->at, '\n', (size_t)(l->end - l->at));
      l->at = eol == NULL ? l->end : eol;
    } else {
      break;
    }
  }
  return crossed;
}

static const char *run(const char *p, const char *end, unsigned classes) {
  while (p < end && tl_char_is(*p, classes))
    p++;
  return p;
}

// Past the closing quote, or NULL when the string does not end on its line.
static const char *string_end(const char *p, const char *end) {
  for (;;) {
    const char *quote = memchr(p, '"', (size_t)(end - p));
    if (quote == NULL) return NULL;
    const char *escape = memchr(p, '\\', (size_t)(quote - p));
    const char *stop = escape == NULL ? quote : escape;
    if (memchr(p, '\n', (size_t)(stop - p)) != NULL) return NULL;
    if (escape == NULL) return quote + 1;
    if (end - escape < 2 || escape[1] == '\n') return NULL;
    p = escape + 2;
  }
}

// A word, or a name behind a sigil, ends before a trailing '-' or '.': `%a->` is a value and an
// arrow.
static const char *suffix_end(const char *p, const char *end) {
  while (p < end && tl_char_is(*p, TL_CHAR_SUFFIX) && !(*p == '-' && end - p > 1 && p[1] == '>'))
    p++;
  return p;
}

static const char *number_end(const char *p, const char *end, int *out_kind) {
  *out_kind = TL_TOKEN_INT;
  if (*p == '0' && end - p > 2 && p[1] == 'x' && tl_char_is(p[2], TL_CHAR_HEX))
    return run(p + 2, end, TL_CHAR_HEX);
  p = run(p, end, TL_CHAR_DIGIT);
  if (p >= end || *p != '.') return p;
  *out_kind = TL_TOKEN_FLOAT;
  p = run(p + 1, end, TL_CHAR_DIGIT);
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char *digits = p + 1;
    if (digits < end && (*digits == '+' || *digits == '-')) digits++;
    if (digits < end && tl_char_is(*digits, TL_CHAR_DIGIT)) p = run(digits, end, TL_CHAR_DIGIT);
  }
  return p;
}

tl_token tl_lexer_next(tl_lexer *l) {
  bool first = skip_space(l);
  const char *from = l->at;
  tl_token t = {.kind = TL_TOKEN_END,
                .line = l->line,
                .col = (uint32_t)(from - l->line_start) + 1,
                .first = first};
  if (from >= l->end) {
    t.text = (tl_str){l->end, 0};
    return t;
  }
  const char *to = from + 1;
  char c = *from;
  switch (c) {
  case '%':
  case '^':
  case '#':
  case '!':
    to = suffix_end(to, l->end);
    t.kind = c == '%'   ? TL_TOKEN_VALUE
             : c == '^' ? TL_TOKEN_BLOCK
             : c == '#' ? TL_TOKEN_HASH
                        : TL_TOKEN_TYPE;
    if (to == from + 1) {
      t.kind = TL_TOKEN_BAD;
      l->problem = "a name must follow this sign at once";
    }
    break;
  case '@':
    t.kind = TL_TOKEN_SYMBOL;
    if (to < l->end && *to == '"') {
      to = string_end(to + 1, l->end);
      if (to == NULL) {
        t.kind = TL_TOKEN_BAD;
        l->problem = "this quoted name does not end on its line";
        to = from + 1;
      }
    } else {
      to = suffix_end(to, l->end);
      if (to == from + 1) {
        t.kind = TL_TOKEN_BAD;
        l->problem = "a name must follow '@' at once";
      }
    }
    break;
  case '"':
    t.kind = TL_TOKEN_STRING;
    to = string_end(to, l->end);
    if (to == NULL) {
      t.kind = TL_TOKEN_BAD;
      l->problem = "this string does not end on its line";
      to = from + 1;
    }
    break;
  case '-':
    t.kind = '-';
    if (to < l->end && *to == '>') {
      t.kind = TL_TOKEN_ARROW;
      to++;
    }
    break;
  default:
    if (tl_char_is(c, TL_CHAR_ALPHA)) {
      t.kind = TL_TOKEN_WORD;
      while (to < l->end &&
             (tl_char_is(*to, TL_CHAR_ALPHA | TL_CHAR_DIGIT) || *to == '.' || *to == '$'))
        to++;
    } else if (tl_char_is(c, TL_CHAR_DIGIT)) {
      to = number_end(from, l->end, &t.kind);
    } else if (c > ' ' && c < 127) {
      t.kind = c;
    } else {
      t.kind = TL_TOKEN_BAD;
      l->problem = "this byte has no place in MLIR text";
    }
  }
  t.text = (tl_str){from, (size_t)(to - from)};
  l->at = to;
  return t;
}
