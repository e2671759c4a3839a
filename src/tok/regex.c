// PCRE2 in place of Oniguruma, and regular expressions that cannot hang the process.
//
// Dialect. The patterns in use are plain enough that both engines read most of them alike. Where
// they differ we rewrite: \s is Unicode's White_Space (PCRE2 adds U+180E), \w is letters, marks,
// decimal digits and connectors, \h a hexadecimal digit, {,n} is {0,n}, and \p{Han} is the script
// (PCRE2 would take the script extensions). Where rewriting is not simple we refuse by name:
// class intersections, nested classes, PCRE2's (*VERBS).
//
// Budget. A pattern comes with a downloaded tokenizer and the text from anybody, so backtracking
// must have an end: PCRE2's match limit bounds the work from one starting position; a search is cut
// into windows of starting positions; and after some searches the processor time used is compared
// with an allowance that grows with the text. Processor time, not the clock on the wall, so that a
// busy machine does not refuse honest text.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tok/regex.h"

#include <pcre2.h>
#include <stdlib.h>

#include "base/clock.h"

enum {
  MAX_PATTERN = 1 << 16,    // bytes
  MATCH_LIMIT = 1000000,    // backtracking steps from one starting position, and …
  MATCH_LIMIT_PER_BYTE = 4, // … for each byte of text: a run of blanks may be all of it
  HEAP_LIMIT_KIB = 65536,   // of the interpreter, where there is no JIT
  STACK_MAX = 1 << 20,      // bytes, of JIT code
  WINDOW = 16,              // starting positions (bytes) in one search
  CHECK_EVERY = 4,          // searches between two looks at the clock
};
#define ALLOWED_NS UINT64_C(1000000000)    // for any text …
#define ALLOWED_NS_PER_BYTE UINT64_C(2000) // … and for each byte: honest patterns need 100

struct tl_regex {
  pcre2_code *code;
  bool jit;
};

// ---- Dialect ----

static const char SPACE[] = "\\x{09}-\\x{0d}\\x{85}\\p{Z}";
static const char WORD[] = "\\p{L}\\p{M}\\p{Nd}\\p{Pc}";
static const char HEX[] = "0-9A-Fa-f";

static bool is_property_not_script(tl_str name) {
  static const char *const known[] = {"Any",
                                      "Alphabetic",
                                      "Alpha",
                                      "Uppercase",
                                      "Lowercase",
                                      "White_Space",
                                      "Emoji",
                                      "ASCII",
                                      "Extended_Pictographic",
                                      "Emoji_Presentation"};
  for (size_t i = 0; i < TL_COUNT(known); i++)
    if (tl_str_is(name, known[i])) return true;
  return false;
}

// \p{Name}, \P{Name}, \p{^Name} at s[at] = '\'. Advances *at past it.
static tl_status translate_property(tl_str s, size_t *at, tl_buf *out) {
  size_t open = *at + 2, close = open;
  if (open >= s.len || s.ptr[open] != '{') { // \pL
    tl_buf_add(out, s.ptr + *at, 2);
    *at += 2;
    return TL_OK;
  }
  while (close < s.len && s.ptr[close] != '}')
    close++;
  if (close == s.len)
    return TL_ERROR(INVALID_ARGUMENT, "regex: \\p{ at %zu has no closing brace", *at);
  tl_str name = {s.ptr + open + 1, close - open - 1};
  bool negated = s.ptr[*at + 1] == 'P';
  if (name.len > 0 && name.ptr[0] == '^') {
    negated = !negated;
    name = tl_str_sub(name, 1, name.len);
  }
  tl_buf_cstr(out, negated ? "\\P{" : "\\p{");
  if (name.len > 2 && !is_property_not_script(name)) tl_buf_cstr(out, "sc:");
  tl_buf_str(out, name);
  tl_buf_char(out, '}');
  *at = close + 1;
  return TL_OK;
}

static void add_set(tl_buf *out, const char *set, bool in_class, bool negated) {
  if (!in_class) tl_buf_cstr(out, negated ? "[^" : "[");
  tl_buf_cstr(out, set);
  if (!in_class) tl_buf_char(out, ']');
}

static tl_status translate(tl_str s, tl_buf *out) {
  bool in_class = false;
  for (size_t at = 0; at < s.len;) {
    char c = s.ptr[at], next = at + 1 < s.len ? s.ptr[at + 1] : 0;
    if (c == '\\' && at + 1 < s.len) {
      const char *set = next == 's' || next == 'S'   ? SPACE
                        : next == 'w' || next == 'W' ? WORD
                        : next == 'h' || next == 'H' ? HEX
                                                     : NULL;
      bool negated = next == 'S' || next == 'W' || next == 'H';
      if (set != NULL && negated && in_class) {
        if (next != 'S')
          return TL_ERROR(UNIMPLEMENTED, "regex: \\%c inside a class, at %zu", next, at);
        set = NULL; // PCRE2's own \S differs in one character, U+180E
      }
      if (next == 'p' || next == 'P') {
        TL_TRY(translate_property(s, &at, out));
      } else if (set != NULL) {
        add_set(out, set, in_class, negated);
        at += 2;
      } else {
        tl_buf_add(out, s.ptr + at, 2);
        at += 2;
      }
      continue;
    }
    if (in_class) {
      if (c == '[' && next != ':')
        return TL_ERROR(UNIMPLEMENTED, "regex: a class inside a class, at %zu", at);
      if (c == '&' && next == '&')
        return TL_ERROR(UNIMPLEMENTED, "regex: intersection of classes, at %zu", at);
      if (c == '[') { // [:name:]
        size_t end = at + 2;
        while (end + 1 < s.len && !(s.ptr[end] == ':' && s.ptr[end + 1] == ']'))
          end++;
        if (end + 1 >= s.len) return TL_ERROR(INVALID_ARGUMENT, "regex: [: at %zu has no end", at);
        tl_buf_add(out, s.ptr + at, end + 2 - at);
        at = end + 2;
        continue;
      }
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      // A ']' that comes first is a member.
      size_t n = next == '^' ? 2 : 1;
      if (at + n < s.len && s.ptr[at + n] == ']') {
        tl_buf_add(out, s.ptr + at, n);
        tl_buf_cstr(out, "\\]");
        at += n + 1;
        continue;
      }
    } else if (c == '(' && next == '*') {
      return TL_ERROR(UNIMPLEMENTED, "regex: (* at %zu", at);
    } else if (c == '{' && next == ',') {
      tl_buf_cstr(out, "{0,");
      at += 2;
      continue;
    }
    tl_buf_char(out, c);
    at++;
  }
  return out->oom ? TL_OOM() : TL_OK;
}

tl_status tl_regex_compile(tl_str pattern, tl_regex **out_regex) {
  if (pattern.len > MAX_PATTERN)
    return TL_ERROR(INVALID_ARGUMENT, "regex of %zu bytes, at most %d", pattern.len, MAX_PATTERN);
  if (!tl_utf8_valid(pattern)) return TL_ERROR(INVALID_ARGUMENT, "regex is not UTF-8");
  tl_status st = TL_OK;
  tl_buf text = {0};
  tl_regex *re = calloc(1, sizeof *re);
  pcre2_compile_context *context = pcre2_compile_context_create(NULL);
  if (re == NULL || context == NULL) {
    st = TL_OOM();
    goto done;
  }
  TL_TRY_GOTO(done, st, translate(pattern, &text));
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  int error;
  size_t where;
  re->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len,
                           PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_USE_OFFSET_LIMIT |
                               PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_UTF_CHECK,
                           &error, &where, context);
  if (re->code == NULL) {
    char message[160];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
    st = error == PCRE2_ERROR_HEAP_FAILED
             ? TL_OOM()
             : TL_ERROR(INVALID_ARGUMENT, "regex: %s (at %zu of %s)", message, where, text.ptr);
    goto done;
  }
  // Without permission for executable memory the interpreter does the same, slower.
  re->jit = pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE) == 0;
  *out_regex = re;
  re = NULL;
done:
  pcre2_compile_context_free(context);
  tl_buf_deinit(&text);
  tl_regex_destroy(re);
  return st;
}

void tl_regex_destroy(tl_regex *re) {
  if (re == NULL) return;
  pcre2_code_free(re->code);
  free(re);
}

// ---- Searching ----

static uint64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

tl_status tl_regex_run_init(tl_regex_run *run, size_t text_size) {
  *run = (tl_regex_run){0};
  run->data = pcre2_match_data_create(1, NULL);
  run->context = pcre2_match_context_create(NULL);
  if (run->data == NULL || run->context == NULL) {
    tl_regex_run_deinit(run);
    return TL_OOM();
  }
  size_t limit;
  if (!TL_MUL_OK(text_size, (size_t)MATCH_LIMIT_PER_BYTE, &limit)) limit = UINT32_MAX;
  limit = TL_MIN(limit, (size_t)UINT32_MAX - MATCH_LIMIT) + MATCH_LIMIT;
  pcre2_set_match_limit(run->context, (uint32_t)limit);
  pcre2_set_heap_limit(run->context, HEAP_LIMIT_KIB);
  run->until_check = CHECK_EVERY;
  run->started_ns = tl_now_ns();
  run->allowed_ns = ALLOWED_NS + ALLOWED_NS_PER_BYTE * (uint64_t)text_size;
  return TL_OK;
}

void tl_regex_run_deinit(tl_regex_run *run) {
  pcre2_jit_stack_free(run->stack);
  pcre2_match_context_free(run->context);
  pcre2_match_data_free(run->data);
  *run = (tl_regex_run){0};
}

static tl_status check_budget(tl_regex_run *run) {
  run->until_check = CHECK_EVERY;
  // The wall clock is cheap to read, and processor time is never more than it.
  if (tl_now_ns() - run->started_ns < run->allowed_ns) return TL_OK;
  if (run->cpu_started_ns == 0) { // counted from here: what went before is forgiven
    run->cpu_started_ns = cpu_ns();
    return TL_OK;
  }
  if (cpu_ns() - run->cpu_started_ns < run->allowed_ns) return TL_OK;
  return TL_ERROR(RESOURCE_EXHAUSTED, "regex: takes too long on this text");
}

static int search(tl_regex_run *run, const tl_regex *re, tl_str text, size_t from) {
  PCRE2_SPTR subject = (PCRE2_SPTR)(text.len > 0 ? text.ptr : "");
  if (!re->jit)
    return pcre2_match(re->code, subject, text.len, from, PCRE2_NO_UTF_CHECK, run->data,
                       run->context);
  int rc = pcre2_jit_match(re->code, subject, text.len, from, 0, run->data, run->context);
  if (rc == PCRE2_ERROR_JIT_STACKLIMIT && run->stack == NULL) {
    run->stack = pcre2_jit_stack_create(1 << 15, STACK_MAX, NULL);
    if (run->stack == NULL) return PCRE2_ERROR_NOMEMORY;
    pcre2_jit_stack_assign(run->context, NULL, run->stack);
    rc = pcre2_jit_match(re->code, subject, text.len, from, 0, run->data, run->context);
  }
  return rc;
}

tl_status tl_regex_next(tl_regex_run *run, const tl_regex *re, tl_str text, size_t from,
                        bool *out_found, size_t *out_start, size_t *out_end) {
  for (;;) {
    if (--run->until_check == 0) TL_TRY(check_budget(run));
    size_t limit = TL_MIN(text.len, from + WINDOW);
    while (limit < text.len && ((uint8_t)text.ptr[limit] & 0xC0) == 0x80)
      limit++;
    pcre2_set_offset_limit(run->context, limit);
    int rc = search(run, re, text, from);
    if (rc >= 0) {
      const size_t *at = pcre2_get_ovector_pointer(run->data);
      *out_found = true;
      *out_start = at[0];
      *out_end = TL_MAX(at[0], at[1]); // \K in a look-ahead can put the end first
      return TL_OK;
    }
    if (rc == PCRE2_ERROR_NOMATCH) {
      if (limit == text.len) {
        *out_found = false;
        return TL_OK;
      }
      from = limit + 1;
      while (from < text.len && ((uint8_t)text.ptr[from] & 0xC0) == 0x80)
        from++;
      continue;
    }
    if (rc == PCRE2_ERROR_NOMEMORY) return TL_OOM();
    char message[160];
    pcre2_get_error_message(rc, (PCRE2_UCHAR *)message, sizeof message);
    return TL_ERROR(RESOURCE_EXHAUSTED, "regex: %s at byte %zu of the text", message, from);
  }
}
