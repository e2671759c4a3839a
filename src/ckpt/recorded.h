// Reading the lines of recorded rows (tests/ckpt/*.txt): words, and numbers as hexadecimal digits.
// For tests.
#ifndef TL_CKPT_RECORDED_H
#define TL_CKPT_RECORDED_H

#include "base/str.h"

// What stands before `end`, which is taken off the rest as well; all of it where there is none.
static inline tl_str recorded_word(tl_str *rest, char end) {
  size_t n = 0;
  while (n < rest->len && rest->ptr[n] != end)
    n++;
  tl_str w = tl_str_sub(*rest, 0, n);
  *rest = tl_str_sub(*rest, n + 1, rest->len);
  return w;
}

// The number of `digits` hexadecimal digits, lower case, at the i-th such place.
static inline uint32_t recorded_hex(tl_str text, size_t i, size_t digits) {
  uint32_t x = 0;
  for (size_t j = 0; j < digits; j++) {
    const char c = text.ptr[digits * i + j];
    x = x << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return x;
}

#endif
