// Text: comparison, numbers, copies, the nearest word. The buffer is in buf.c, UTF-8 in utf8.c.
#include "base/str.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int tl_str_compare(tl_str a, tl_str b) {
  const size_t n = TL_MIN(a.len, b.len);
  const int c = n == 0 ? 0 : memcmp(a.ptr, b.ptr, n);
  return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

bool tl_str_starts(tl_str s, tl_str prefix) {
  return s.len >= prefix.len && tl_str_eq((tl_str){s.ptr, prefix.len}, prefix);
}

bool tl_str_ends(tl_str s, tl_str suffix) {
  return s.len >= suffix.len &&
         (suffix.len == 0 || tl_str_eq((tl_str){s.ptr + (s.len - suffix.len), suffix.len}, suffix));
}

int tl_str_cmp(tl_str a, tl_str b) {
  size_t common = TL_MIN(a.len, b.len);
  int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
  if (order != 0) return order;
  return a.len < b.len ? -1 : a.len > b.len;
}

tl_str tl_str_sub(tl_str s, size_t from, size_t to) {
  to = TL_MIN(to, s.len);
  from = TL_MIN(from, to);
  return (tl_str){s.ptr == NULL ? NULL : s.ptr + from, to - from};
}

size_t tl_str_find(tl_str s, tl_str needle) {
  if (needle.len == 0) return 0;
  if (needle.len > s.len) return (size_t)-1;
  const char *hit = memmem(s.ptr, s.len, needle.ptr, needle.len);
  return hit == NULL ? (size_t)-1 : (size_t)(hit - s.ptr);
}

bool tl_str_to_u64(tl_str s, uint64_t *out) {
  uint64_t n = 0;
  if (s.len == 0) return false;
  for (size_t i = 0; i < s.len; i++) {
    if (s.ptr[i] < '0' || s.ptr[i] > '9') return false;
    uint64_t digit = (uint64_t)(s.ptr[i] - '0');
    if (!TL_MUL_OK(n, (uint64_t)10, &n) || !TL_ADD_OK(n, digit, &n)) return false;
  }
  *out = n;
  return true;
}

bool tl_str_to_i64(tl_str s, int64_t *out) {
  bool negative = s.len > 0 && s.ptr[0] == '-';
  uint64_t n;
  if (!tl_str_to_u64(negative ? tl_str_sub(s, 1, s.len) : s, &n)) return false;
  if (n > (uint64_t)INT64_MAX + negative) return false;
  *out = negative ? (int64_t)(0 - n) : (int64_t)n;
  return true;
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point: no blanks, no
// hex, no inf, no nan, all of which strtod would take.
static bool is_decimal(tl_str s) {
  size_t i = 0, digits = 0;
  if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+')) i++;
  for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
    digits++;
  if (i < s.len && s.ptr[i] == '.')
    for (i++; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
      digits++;
  if (digits == 0) return false;
  if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
    i++;
    if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+')) i++;
    size_t from = i;
    for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) {
    }
    if (i == from) return false;
  }
  return i == s.len;
}

// The host program may have set a locale whose decimal point is a comma.
static locale_t c_locale;
static void c_locale_make(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool tl_str_to_f64(tl_str s, double *out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char text[512]; // strtod wants a terminator; no number that means something is longer
  if (s.len >= sizeof text || !is_decimal(s)) return false;
  memcpy(text, s.ptr, s.len);
  text[s.len] = '\0';
  pthread_once(&once, c_locale_make);
  double d = c_locale == (locale_t)0 ? strtod(text, NULL) : strtod_l(text, NULL, c_locale);
  if (!isfinite(d)) return false; // overflow
  *out = d;
  return true;
}

tl_str tl_str_copy(tl_arena *a, tl_str s) {
  size_t size;
  char *p = TL_ADD_OK(s.len, (size_t)1, &size) ? tl_arena_alloc(a, size, 1) : NULL;
  if (p == NULL) return (tl_str){NULL, 0};
  if (s.len != 0) memcpy(p, s.ptr, s.len);
  return (tl_str){p, s.len}; // the arena gave a zero behind it
}

char *tl_arena_printf(tl_arena *a, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, args);
  char *p = len < 0 ? NULL : tl_arena_alloc(a, (size_t)len + 1, 1);
  if (p != NULL) vsnprintf(p, (size_t)len + 1, fmt, again);
  va_end(again);
  va_end(args);
  return p;
}

// Levenshtein distance by one row. Words over the bound are no typing mistakes.
enum { NEAREST_MAX = 64 };

static size_t edit_distance(tl_str a, tl_str b) { // both at most NEAREST_MAX long
  size_t row[NEAREST_MAX + 1];                    // distance from a[..i] to b[..j]
  for (size_t j = 0; j <= b.len; j++)
    row[j] = j;
  for (size_t i = 1; i <= a.len; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.len; j++) {
      size_t replace = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
      size_t either = TL_MIN(row[j - 1], row[j]) + 1;
      diagonal = row[j];
      row[j] = TL_MIN(replace, either);
    }
  }
  return row[b.len];
}

const char *tl_str_nearest(tl_str word, const char *const *candidates, size_t count) {
  if (word.len == 0 || word.len > NEAREST_MAX) return NULL;
  size_t limit = TL_MAX(word.len / 3, (size_t)2);
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) {
    tl_str candidate = tl_str_of(candidates[i]);
    if (candidate.len > NEAREST_MAX) continue;
    size_t distance = edit_distance(word, candidate);
    // A distance of the longer one's length means that nothing agrees: "ab" is not near "xy".
    if (distance > limit || distance >= TL_MAX(word.len, candidate.len)) continue;
    if (best != NULL && distance == limit) continue; // ties go to the first
    best = candidates[i];
    limit = distance;
  }
  return best;
}
