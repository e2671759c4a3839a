// Diagnostics as clang prints them.
//
// The source line is shown as the terminal will show it: tabs become blanks up to the next multiple
// of 8, what cannot be printed becomes U+FFFD (a module's text may not drive somebody's terminal),
// and the caret stands below the column that the character really has, wide and combining ones
// included. Weights written as literals make lines of megabytes, so of a long line only a window
// around the caret is shown.
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ERRORS = 20, TAB = 8, WINDOW = 160, BEFORE_CARET = 60 };

void tl_diags_deinit(tl_diags *d) {
  for (size_t i = 0; i < d->len; i++)
    free(d->items[i].message);
  free(d->items);
  d->items = NULL;
  d->len = d->cap = d->n_errors = 0;
  d->oom = false;
}

TL_PRINTF(4, 0)
static void add(tl_diags *d, tl_diag_kind kind, tl_loc loc, const char *fmt, va_list args) {
  if (d->len == d->cap) {
    size_t cap = d->cap == 0 ? 8 : d->cap * 2;
    tl_diag *items = realloc(d->items, cap * sizeof *items);
    if (items == NULL) {
      d->oom = true;
      return;
    }
    d->items = items;
    d->cap = cap;
  }
  char *message;
  if (vasprintf(&message, fmt, args) < 0) {
    d->oom = true;
    return;
  }
  d->items[d->len++] = (tl_diag){kind, loc, message};
}

TL_PRINTF(4, 5)
static void addf(tl_diags *d, tl_diag_kind kind, tl_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(d, kind, loc, fmt, args);
  va_end(args);
}

void tl_diags_add(tl_diags *d, tl_diag_kind kind, tl_loc loc, const char *fmt, ...) {
  size_t most = d->max_errors == 0 ? MAX_ERRORS : d->max_errors;
  if (kind == TL_DIAG_ERROR) {
    d->n_errors++;
    if (d->n_errors == most + 1)
      addf(d, TL_DIAG_NOTE, (tl_loc){.file = loc.file}, "too many errors, the rest are not shown");
  }
  // The notes that follow the last error shown still belong to it; those after the first one cut do
  // not.
  if (d->n_errors > most) return;
  va_list args;
  va_start(args, fmt);
  add(d, kind, loc, fmt, args);
  va_end(args);
}

// Columns that a character takes on a terminal. The ranges are those of Unicode's East Asian Width
// W and F, and of the combining marks, as far as they occur in blocks; a caret that is off by one
// in a rare script does no harm.
static size_t char_width(uint32_t c) {
  static const struct {
    uint32_t from, to;
  } none[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
              {0x064B, 0x065F}, {0x0E34, 0x0E3A}, {0x200B, 0x200F},
              {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}},
    wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
              {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
              {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (c < 0x300) return 1;
  for (size_t i = 0; i < TL_COUNT(none); i++)
    if (c >= none[i].from && c <= none[i].to) return 0;
  for (size_t i = 0; i < TL_COUNT(wide); i++)
    if (c >= wide[i].from && c <= wide[i].to) return 2;
  return 1;
}

// The character at *at as it will be shown: its bytes in `bytes` (blanks for a tab) and the columns
// it takes. `column` is where it begins, from 0.
typedef struct shown {
  char bytes[TAB];
  size_t size, width;
} shown;

static shown show_next(tl_str line, size_t *at, size_t column) {
  shown s = {.size = 0};
  uint32_t c = tl_utf8_decode(line, at);
  if (c == '\t') {
    s.size = s.width = TAB - column % TAB;
    memset(s.bytes, ' ', s.size);
    return s;
  }
  if (!tl_utf8_printable(c)) c = 0xFFFD;
  s.size = tl_utf8_encode(c, s.bytes);
  s.width = char_width(c);
  return s;
}

static bool source_line(tl_str source, uint32_t number, tl_str *out) {
  size_t from = 0;
  for (uint32_t line = 1; line < number; line++) {
    const char *end = from < source.len ? memchr(source.ptr + from, '\n', source.len - from) : NULL;
    if (end == NULL) return false;
    from = (size_t)(end - source.ptr) + 1;
  }
  if (source.ptr == NULL || from > source.len) return false;
  const char *end = from < source.len ? memchr(source.ptr + from, '\n', source.len - from) : NULL;
  *out = tl_str_sub(source, from, end == NULL ? source.len : (size_t)(end - source.ptr));
  if (out->len != 0 && out->ptr[out->len - 1] == '\r') out->len--;
  return true;
}

static void print_caret(tl_buf *out, tl_str source, tl_loc loc, bool color) {
  tl_str line;
  if (loc.line == 0 || loc.col == 0 || !source_line(source, loc.line, &line)) return;
  size_t mark =
      TL_MIN((size_t)loc.col - 1, line.len); // an error at the line's end points behind it
  size_t mark_end = TL_MIN(line.len, mark + TL_MAX(loc.len, 1u));

  // Columns of the marked bytes, and of the whole line.
  size_t caret = 0, under_end = 0, column = 0;
  bool found = false;
  for (size_t at = 0; at < line.len;) {
    size_t from = at;
    shown s = show_next(line, &at, column);
    if (!found && at > mark) { // the character that holds the byte
      caret = column;
      found = true;
    }
    column += s.width;
    if (from < mark_end) under_end = column;
  }
  size_t total = column;
  if (!found) caret = total;
  under_end = TL_MAX(under_end, caret + 1);

  size_t first = total > WINDOW && caret > BEFORE_CARET ? caret - BEFORE_CARET : 0;
  size_t last = total > WINDOW ? first + WINDOW : total;
  const char *left = first > 0 ? "..." : "", *right = last < total ? "..." : "";

  tl_buf_cstr(out, left);
  column = 0;
  size_t begin = SIZE_MAX; // the column of the first character shown
  for (size_t at = 0; at < line.len && column < last;) {
    shown s = show_next(line, &at, column);
    if (column >= first) {
      if (begin == SIZE_MAX) begin = column;
      tl_buf_add(out, s.bytes, s.size);
    }
    column += s.width;
  }
  if (begin == SIZE_MAX) begin = first;
  tl_buf_cstr(out, right);
  tl_buf_char(out, '\n');

  for (size_t i = 0; i < strlen(left) + caret - begin; i++)
    tl_buf_char(out, ' ');
  if (color) tl_buf_cstr(out, "\033[1;32m");
  tl_buf_char(out, '^');
  for (size_t i = caret + 1; i < TL_MIN(under_end, TL_MAX(last, caret + 1)); i++)
    tl_buf_char(out, '~');
  if (color) tl_buf_cstr(out, "\033[0m");
  tl_buf_char(out, '\n');
}

void tl_loc_print(tl_buf *out, tl_loc loc) {
  if (loc.file != NULL) tl_buf_printf(out, "%s:", loc.file);
  if (loc.line != 0) tl_buf_printf(out, "%u:", loc.line);
  if (loc.line != 0 && loc.col != 0) tl_buf_printf(out, "%u:", loc.col);
  if (loc.file != NULL || loc.line != 0) tl_buf_char(out, ' ');
}

// A message quotes names from the source, so it is no more to be trusted than the line.
static void print_message(tl_buf *out, tl_str message) {
  for (size_t at = 0; at < message.len;) {
    uint32_t c = tl_utf8_decode(message, &at);
    char bytes[4];
    size_t size =
        tl_utf8_encode(tl_utf8_printable(c) || c == '\n' || c == '\t' ? c : 0xFFFD, bytes);
    tl_buf_add(out, bytes, size);
  }
}

void tl_diags_print(const tl_diags *d, tl_buf *out, bool color) {
  static const struct {
    const char *name, *color;
  } kinds[] = {[TL_DIAG_ERROR] = {"error", "\033[1;31m"},
               [TL_DIAG_WARNING] = {"warning", "\033[1;35m"},
               [TL_DIAG_NOTE] = {"note", "\033[1;36m"}};
  for (size_t i = 0; i < d->len; i++) {
    const tl_diag *item = &d->items[i];
    const char *bold = color ? "\033[1m" : "", *off = color ? "\033[0m" : "";
    tl_buf_cstr(out, bold);
    tl_loc_print(out, item->loc);
    tl_buf_printf(out, "%s%s%s:%s ", off, color ? kinds[item->kind].color : "",
                  kinds[item->kind].name, off);
    if (item->kind != TL_DIAG_NOTE) tl_buf_cstr(out, bold);
    print_message(out, tl_str_of(item->message));
    if (item->kind != TL_DIAG_NOTE) tl_buf_cstr(out, off);
    tl_buf_char(out, '\n');
    print_caret(out, d->source, item->loc, color);
  }
}

tl_status tl_diags_status(const tl_diags *d) {
  if (d->oom) return TL_OOM();
  if (d->n_errors == 0) return TL_OK;
  tl_buf text = {0};
  for (size_t i = 0; i < d->len; i++) {
    if (d->items[i].kind != TL_DIAG_ERROR) continue;
    tl_loc_print(&text, d->items[i].loc);
    print_message(&text, tl_str_of(d->items[i].message));
    break;
  }
  if (d->n_errors > 1)
    tl_buf_printf(&text, " (and %zu more error%s)", d->n_errors - 1, d->n_errors == 2 ? "" : "s");
  tl_status st = text.oom ? TL_OOM() : TL_ERROR(INVALID_ARGUMENT, "%s", text.ptr);
  tl_buf_deinit(&text);
  return st;
}
