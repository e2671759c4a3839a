// The words of MLIR text.
//
// One token at a time, made on demand from the bytes; nothing is copied. A punctuation token's kind
// is its character. Types and the elements of literals are read straight from the bytes by the
// parser (`4x8xf32` is no word), which then puts the lexer behind them: that is why its place is
// three plain fields.
#ifndef TL_SHLO_LEX_H
#define TL_SHLO_LEX_H

#include "base/diag.h"

typedef enum {
  TL_TOKEN_END = 256,
  TL_TOKEN_BAD,    // `problem` of the lexer says why
  TL_TOKEN_WORD,   // stablehlo.add, tensor, dims
  TL_TOKEN_VALUE,  // %0, %arg0
  TL_TOKEN_SYMBOL, // @main, @"a name"
  TL_TOKEN_BLOCK,  // ^bb0
  TL_TOKEN_HASH,   // #stablehlo.gather, #loc1, and the #1 of %0#1
  TL_TOKEN_TYPE,   // !quant.uniform
  TL_TOKEN_INT,    // 42, 0xFF
  TL_TOKEN_FLOAT,  // 1.0, 2.5e-3
  TL_TOKEN_STRING, // "…", its escapes as written
  TL_TOKEN_ARROW,  // ->
} tl_token_kind;

typedef struct tl_token {
  int kind;    // a tl_token_kind, or a character
  tl_str text; // with its sigil or quotes
  uint32_t line, col;
  bool first; // of its line
} tl_token;

typedef struct tl_lexer {
  const char *at, *end;
  const char *line_start;
  uint32_t line; // of `at`, from 1
  const char *problem;
} tl_lexer;

void tl_lexer_init(tl_lexer *l, tl_str text);
tl_token tl_lexer_next(tl_lexer *l);
// Moves to `to`, which lies ahead in the same text, counting the lines between.
void tl_lexer_skip_to(tl_lexer *l, const char *to);

// Character classes, for those who read bytes themselves.
enum {
  TL_CHAR_SPACE = 1,
  TL_CHAR_DIGIT = 2,
  TL_CHAR_ALPHA = 4,
  TL_CHAR_SUFFIX = 8,
  TL_CHAR_HEX = 16
};
extern const uint8_t
    tl_char_class[256]; // SUFFIX: what may follow a sigil: letters, digits, _ $ . -

static inline bool tl_char_is(char c, unsigned classes) {
  return (tl_char_class[(uint8_t)c] & classes) != 0;
}

#endif
