// What is wrong with the user's text: errors, warnings and notes, each at a place, printed as clang
// prints them.
//
//     model.mlir:14:10: error: add wants operands of one type, got tensor<4xf32> and tensor<4xbf16>
//     (add_c1)
//        %3 = stablehlo.add %1, %2 : tensor<4xf32>
//             ^~~~~~~~~~~~~
//
// A tl_diags collects; one run shows all the mistakes, up to a bound. It owns copies of its
// messages; the source text is borrowed and must live until the last print. One thread.
#ifndef TL_BASE_DIAG_H
#define TL_BASE_DIAG_H

#include "base/str.h"

typedef struct tl_loc { // a span of one source; line 0 = unknown
  const char *file;     // terminated, borrowed from the module's arena or the caller
  uint32_t line, col;   // from 1; col in bytes, 0 where it is not known (a call in C)
  uint32_t len;         // bytes to underline, at least 1 where line is known
} tl_loc;

typedef enum { TL_DIAG_ERROR, TL_DIAG_WARNING, TL_DIAG_NOTE } tl_diag_kind;

typedef struct tl_diag {
  tl_diag_kind kind;
  tl_loc loc;
  char *message; // terminated
} tl_diag;

typedef struct tl_diags { // zero-initialise; deinit when done
  tl_diag *items;
  size_t len, cap;
  size_t n_errors;
  size_t max_errors; // 0 = 20; once reached, one "too many errors" note is added and later ones are
                     // only counted
  tl_str source;     // the text that locs point into, for the caret; may be empty
  bool oom;
} tl_diags;

void tl_loc_print(tl_buf *out, tl_loc loc); // "loss.c:14:3: ", and nothing where it is unknown

void tl_diags_deinit(tl_diags *d);
void tl_diags_add(tl_diags *d, tl_diag_kind kind, tl_loc loc, const char *fmt, ...) TL_PRINTF(4, 5);
void tl_diags_print(const tl_diags *d, tl_buf *out,
                    bool color); // every diagnostic, with its source line and caret
// NULL when there are no errors; else INVALID_ARGUMENT whose message is the first error as
// "file:line:col: message" (and how many more there are).
tl_status tl_diags_status(const tl_diags *d);

#endif
