// A status is one heap block: the code and the text behind it. The one that is never on the heap
// stands for "there was no memory to say what went wrong"; it has no owner, so dropping it does
// nothing.
//
// A message quotes names from files, and goes to terminals and to logs of a line each: what must
// not be shown there (control characters, marks that reorder text, bytes that are no UTF-8) becomes
// '?' when it is made, and the end of a line a blank.
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// The public header spells the codes out; the rows are what they must be.
#define TL_STATUS(name, number, http) \
  _Static_assert(TL_STATUS_##name == number, "tlaloc/status.h and status.def");
#include "base/status.def"
#undef TL_STATUS

struct tl_status_record {
  tl_status_code code;
  const char *message; // into this block
};

static struct tl_status_record no_memory = {TL_STATUS_RESOURCE_EXHAUSTED, "out of memory"};

// A record with room for `size` bytes of text, terminator included; NULL when memory is gone.
static tl_status record_new(tl_status_code code, size_t size, char **out_text) {
  size_t total;
  if (!TL_ADD_OK(sizeof(struct tl_status_record), size, &total)) return NULL;
  tl_status st = malloc(total);
  if (st == NULL) return NULL;
  *out_text = (char *)(st + 1);
  **out_text = '\0';
  st->code = code;
  st->message = *out_text;
  return st;
}

// In place.
static void make_printable(char *text, size_t len) {
  const tl_str s = {text, len};
  for (size_t at = 0; at < len;) {
    const size_t from = at;
    const unsigned char first = (unsigned char)text[from];
    const uint32_t code = tl_utf8_decode(s, &at);
    const bool valid = first < 0x80 || at - from > 1;
    if (valid && tl_utf8_printable(code)) continue;
    memset(text + from, code == '\n' || code == '\t' ? ' ' : '?', at - from);
  }
}

tl_status tl_status_makev(tl_status_code code, const char *fmt, va_list args) {
  TL_ASSERT(code != TL_STATUS_OK);
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, args);
  char *text;
  // A format that cannot be printed still must not lose the code.
  tl_status st = record_new(code, len < 0 ? 1 : (size_t)len + 1, &text);
  if (st == NULL)
    st = &no_memory;
  else if (len > 0) {
    vsnprintf(text, (size_t)len + 1, fmt, again);
    make_printable(text, (size_t)len);
  }
  va_end(again);
  return st;
}

tl_status tl_status_make(tl_status_code code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_status st = tl_status_makev(code, fmt, args);
  va_end(args);
  return st;
}

tl_status tl_status_note(tl_status st, const char *fmt, ...) {
  if (st == NULL) return NULL;
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int note_len = vsnprintf(NULL, 0, fmt, args);
  size_t old_len = strlen(st->message);
  char *text;
  tl_status next =
      note_len < 0 ? NULL : record_new(st->code, (size_t)note_len + old_len + 3, &text);
  if (next != NULL) {
    vsnprintf(text, (size_t)note_len + 1, fmt, again);
    make_printable(text, (size_t)note_len);
    memcpy(text + note_len, ": ", 2);
    memcpy(text + note_len + 2, st->message, old_len + 1);
    tl_status_drop(st);
    st = next;
  } // else: the first cause without its note says more than "out of memory" would
  va_end(again);
  va_end(args);
  return st;
}

tl_status_code tl_status_get_code(tl_status st) { return st == NULL ? TL_STATUS_OK : st->code; }

const char *tl_status_message(tl_status st) { return st == NULL ? "" : st->message; }

void tl_status_drop(tl_status st) {
  if (st != &no_memory) free(st);
}

const char *tl_status_code_name(tl_status_code code) {
  switch (code) {
  case TL_STATUS_OK:
    return "OK";
#define TL_STATUS(name, number, http) \
  case TL_STATUS_##name:              \
    return #name;
#include "base/status.def"
#undef TL_STATUS
  }
  return "UNKNOWN";
}

int tl_status_code_http(tl_status_code code) {
  switch (code) {
  case TL_STATUS_OK:
    return 200;
#define TL_STATUS(name, number, http) \
  case TL_STATUS_##name:              \
    return http;
#include "base/status.def"
#undef TL_STATUS
  }
  return 500;
}
