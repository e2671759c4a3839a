// Text: a pointer and a length, never assumed terminated; and a growing buffer to build it in.
#ifndef TL_BASE_STR_H
#define TL_BASE_STR_H

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct tl_str {
  const char *ptr;
  size_t len;
} tl_str;

#define TL_STR(literal) ((tl_str){(literal), sizeof(literal) - 1})
#define TL_STR_FMT "%.*s"
#define TL_STR_ARG(s) (int)TL_MIN((s).len, (size_t)INT32_MAX), (s).ptr

static inline tl_str tl_str_of(const char *terminated) {
  return (tl_str){terminated, strlen(terminated)};
}
int tl_str_compare(tl_str a, tl_str b); // by bytes: below 0, 0, above 0
static inline bool tl_str_eq(tl_str a, tl_str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool tl_str_is(tl_str a, const char *terminated) {
  return tl_str_eq(a, tl_str_of(terminated));
}
bool tl_str_starts(tl_str s, tl_str prefix);
bool tl_str_ends(tl_str s, tl_str suffix);
int tl_str_cmp(tl_str a, tl_str b);                  // bytewise, like strcmp
tl_str tl_str_sub(tl_str s, size_t from, size_t to); // clamped to the text
size_t tl_str_find(tl_str s, tl_str needle);         // (size_t)-1 when absent
// Whole-text numbers: false when the text is anything but one number that fits.
bool tl_str_to_i64(tl_str s, int64_t *out);
bool tl_str_to_u64(tl_str s, uint64_t *out);
bool tl_str_to_f64(tl_str s, double *out);
tl_str tl_str_copy(
    tl_arena *a,
    tl_str s); // terminated copy (the terminator is not counted); {NULL,0} when memory is gone
char *tl_arena_printf(tl_arena *a, const char *fmt, ...)
    TL_PRINTF(2, 3); // terminated; NULL when memory is gone
// Of the `count` candidates the one with the least edit distance to `word`, or NULL when none is
// near (distance over a third of the word's length, at least 2). For "did you mean".
const char *tl_str_nearest(tl_str word, const char *const *candidates, size_t count);

// A growing byte buffer. After the first failed growth every later call is a no-op; ask `oom` once
// at the end.
typedef struct tl_buf {
  char *ptr; // terminated after every append, so it can be printed
  size_t len, cap;
  bool oom;
} tl_buf;

void tl_buf_deinit(tl_buf *b);
void tl_buf_clear(tl_buf *b); // keeps the memory
bool tl_buf_reserve(tl_buf *b, size_t extra);
void tl_buf_add(tl_buf *b, const void *bytes, size_t size);
void tl_buf_str(tl_buf *b, tl_str s);
void tl_buf_cstr(tl_buf *b, const char *s);
void tl_buf_char(tl_buf *b, char c);
void tl_buf_printf(tl_buf *b, const char *fmt, ...) TL_PRINTF(2, 3);
void tl_buf_vprintf(tl_buf *b, const char *fmt, va_list args) TL_PRINTF(2, 0);
static inline tl_str tl_buf_view(const tl_buf *b) { return (tl_str){b->ptr ? b->ptr : "", b->len}; }

// UTF-8. Decoding an invalid sequence gives U+FFFD and consumes one byte.
uint32_t tl_utf8_decode(tl_str s, size_t *at); // advances *at; s.len > *at
size_t tl_utf8_encode(uint32_t code,
                      char out[4]); // bytes written; surrogates and codes past 10FFFF become U+FFFD
bool tl_utf8_valid(tl_str s);
// Whether a character may be shown as it is: not C0, DEL, C1, nor a mark that breaks lines or
// reorders text.
bool tl_utf8_printable(uint32_t code);

#endif
