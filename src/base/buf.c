// The growing buffer of str.h.
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

void tl_buf_deinit(tl_buf *b) {
  free(b->ptr);
  *b = (tl_buf){0};
}

// A cleared buffer starts over, so it forgets an earlier failure too: a connection's buffer must
// survive one.
void tl_buf_clear(tl_buf *b) {
  b->len = 0;
  b->oom = false;
  if (b->ptr != NULL) b->ptr[0] = '\0';
}

bool tl_buf_reserve(tl_buf *b, size_t extra) {
  if (b->oom) return false;
  size_t need; // one more for the terminator
  if (!TL_ADD_OK(b->len, extra, &need) || !TL_ADD_OK(need, (size_t)1, &need)) {
    b->oom = true;
    return false;
  }
  if (need <= b->cap) return true;
  size_t cap = b->cap < 32 ? 64 : b->cap <= SIZE_MAX / 2 ? b->cap * 2 : need;
  cap = TL_MAX(cap, need);
  char *ptr = realloc(b->ptr, cap);
  if (ptr == NULL) {
    b->oom = true;
    return false;
  }
  b->ptr = ptr;
  b->cap = cap;
  b->ptr[b->len] = '\0';
  return true;
}

void tl_buf_add(tl_buf *b, const void *bytes, size_t size) {
  if (!tl_buf_reserve(b, size)) return;
  if (size != 0) memcpy(b->ptr + b->len, bytes, size);
  b->len += size;
  b->ptr[b->len] = '\0';
}

void tl_buf_str(tl_buf *b, tl_str s) { tl_buf_add(b, s.ptr, s.len); }
void tl_buf_cstr(tl_buf *b, const char *s) { tl_buf_add(b, s, strlen(s)); }
void tl_buf_char(tl_buf *b, char c) { tl_buf_add(b, &c, 1); }

void tl_buf_vprintf(tl_buf *b, const char *fmt, va_list args) {
  if (!tl_buf_reserve(b, 0)) return;
  va_list again;
  va_copy(again, args);
  size_t room = b->cap - b->len;
  int len = vsnprintf(b->ptr + b->len, room, fmt, args);
  if (len < 0) { // EOVERFLOW: over 2 GiB, which no memory here should hold
    b->ptr[b->len] = '\0';
    b->oom = true;
  } else if ((size_t)len < room) {
    b->len += (size_t)len;
  } else {
    b->ptr[b->len] = '\0'; // undo the cut-off first try
    if (tl_buf_reserve(b, (size_t)len)) {
      vsnprintf(b->ptr + b->len, (size_t)len + 1, fmt, again);
      b->len += (size_t)len;
    }
  }
  va_end(again);
}

void tl_buf_printf(tl_buf *b, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_buf_vprintf(b, fmt, args);
  va_end(args);
}
