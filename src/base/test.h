// What the unit tests of the whole tree share: cmocka with its includes, assertions over tl_status,
// temporary directories, and failure of the 1st, 2nd, 3rd ... allocation.
//
//     assert_ok(tl_thing_create(&t));
//     assert_status(tl_thing_parse("x"), TL_STATUS_INVALID_ARGUMENT, "wanted a number");
//
// Out of memory. A test file that says `#define TL_TEST_OOM_IMPL` before this include gets its own
// malloc, calloc, realloc and free (over glibc's), for the whole binary and the shared libraries in
// it, and may write
//
//     static tl_status build(void *arg) { ...; return st; }         // frees all that it made,
//     whatever happens tl_test_each_oom(build, NULL);
//
// `build` runs until no allocation is left to fail: once with only the n-th failing, once with all
// from the n-th on. Each time it must return OK or RESOURCE_EXHAUSTED and give back what it took.
// Only allocations of the calling thread count. A sanitizer has its own allocator; there `build`
// runs once, unharmed. tl_test_allocations() counts, for tests that something allocates nothing.
#ifndef TL_BASE_TEST_H
#define TL_BASE_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/status.h"

// The status must be OK; else its message is the failure's.
#define assert_ok(expr) tl_test_ok((expr), #expr, __FILE__, __LINE__)
// The status must have this code (TL_STATUS_...) and its message must contain the text. Drops it.
#define assert_status(expr, code, text) \
  tl_test_status((expr), (code), (text), #expr, __FILE__, __LINE__)
// Two tl_str, or a tl_str and a literal, with the same bytes.
#define assert_str(a, b) tl_test_str((a), (b), __FILE__, __LINE__)
#define assert_text(a, literal) tl_test_str((a), tl_str_of(literal), __FILE__, __LINE__)

TL_UNUSED static void tl_test_ok(tl_status st, const char *expr, const char *file, int line) {
  if (st == TL_OK) return;
  print_error("%s\n  failed with %s: %s\n", expr, tl_status_code_name(tl_status_get_code(st)),
              tl_status_message(st));
  tl_status_drop(st);
  _fail(file, line);
}

TL_UNUSED static void tl_test_status(tl_status st, tl_status_code code, const char *text,
                                     const char *expr, const char *file, int line) {
  bool good = tl_status_get_code(st) == code && strstr(tl_status_message(st), text) != NULL;
  if (!good)
    print_error("%s\n  gave    %s: %s\n  instead %s: ...%s...\n", expr,
                tl_status_code_name(tl_status_get_code(st)), tl_status_message(st),
                tl_status_code_name(code), text);
  tl_status_drop(st);
  if (!good) _fail(file, line);
}

TL_UNUSED static void tl_test_str(tl_str a, tl_str b, const char *file, int line) {
  if (tl_str_eq(a, b)) return;
  print_error("\"" TL_STR_FMT "\"\n  is not\n\"" TL_STR_FMT "\"\n", TL_STR_ARG(a), TL_STR_ARG(b));
  _fail(file, line);
}

// A fresh directory for one test, under $TMPDIR or /tmp; tl_test_tmp_remove takes it away again.
typedef struct tl_test_tmp {
  char path[256];
} tl_test_tmp;

TL_UNUSED static void tl_test_tmp_create(tl_test_tmp *t) {
  const char *base = getenv("TMPDIR");
  snprintf(t->path, sizeof t->path, "%.200s/tlaloc-test-XXXXXX",
           base == NULL || *base == '\0' ? "/tmp" : base);
  assert_non_null(mkdtemp(t->path));
}

TL_UNUSED static void tl_test_tmp_remove(tl_test_tmp *t) { assert_ok(tl_dir_remove(t->path)); }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TL_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TL_TEST_SANITIZED 1
#endif
#endif

#ifdef TL_TEST_OOM_IMPL
typedef tl_status (*tl_test_oom_fn)(void *arg);

#ifndef TL_TEST_SANITIZED

static _Thread_local struct {
  bool counting;  // this thread is inside tl_test_each_oom or tl_test_allocations_begin
  bool all;       // also fail what comes after the chosen one
  size_t fail_at; // which allocation fails, from 1; 0 = none
  size_t asked;   // allocations asked for
  ptrdiff_t live; // blocks taken less blocks given back
} tl_test_heap;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *ptr);

static bool tl_test_heap_fails(void) {
  if (!tl_test_heap.counting) return false;
  tl_test_heap.asked++;
  bool fails =
      tl_test_heap.fail_at != 0 && (tl_test_heap.all ? tl_test_heap.asked >= tl_test_heap.fail_at
                                                     : tl_test_heap.asked == tl_test_heap.fail_at);
  if (fails) errno = ENOMEM;
  return fails;
}

TL_API void *malloc(size_t size) {
  void *p = tl_test_heap_fails() ? NULL : __libc_malloc(size);
  tl_test_heap.live += p != NULL;
  return p;
}

TL_API void *calloc(size_t count, size_t size) {
  void *p = tl_test_heap_fails() ? NULL : __libc_calloc(count, size);
  tl_test_heap.live += p != NULL;
  return p;
}

TL_API void *aligned_alloc(size_t align, size_t size) {
  void *p = tl_test_heap_fails() ? NULL : __libc_memalign(align, size);
  tl_test_heap.live += p != NULL;
  return p;
}

TL_API int posix_memalign(void **out, size_t align, size_t size) {
  void *p = tl_test_heap_fails() ? NULL : __libc_memalign(align, size);
  tl_test_heap.live += p != NULL;
  if (p != NULL) *out = p;
  return p != NULL ? 0 : ENOMEM;
}

TL_API void *realloc(void *ptr, size_t size) {
  if (tl_test_heap_fails()) return NULL;
  void *p = __libc_realloc(ptr, size);
  tl_test_heap.live += ptr == NULL && p != NULL;
  if (ptr != NULL && p == NULL && size == 0) tl_test_heap.live--; // glibc freed it
  return p;
}

TL_API void free(void *ptr) {
  tl_test_heap.live -= ptr != NULL;
  __libc_free(ptr);
}

// Allocations that this thread asked for between begin and end.
TL_UNUSED static void tl_test_allocations_begin(void) {
  tl_test_heap.asked = 0;
  tl_test_heap.fail_at = 0;
  tl_test_heap.counting = true;
}

TL_UNUSED static size_t tl_test_allocations_end(void) {
  tl_test_heap.counting = false;
  return tl_test_heap.asked;
}

// One run with the n-th allocation failing. Blocks that stay are no leak when a second run leaves
// none: libraries keep things for good (the error queue of libcrypto). False when fewer than n were
// asked for, so that none failed.
static bool tl_test_oom_once(tl_test_oom_fn fn, void *arg, size_t n, bool all) {
  bool failed = false;
  ptrdiff_t left = 0;
  for (int round = 0; round == 0 || (round == 1 && left != 0); round++) {
    ptrdiff_t live = tl_test_heap.live;
    tl_test_heap.asked = 0;
    tl_test_heap.fail_at = n;
    tl_test_heap.all = all;
    tl_test_heap.counting = true;
    tl_status st = fn(arg);
    tl_test_heap.counting = false;
    failed = tl_test_heap.asked >= n;
    tl_status_code code = tl_status_get_code(st);
    if (!(code == TL_STATUS_OK || (failed && code == TL_STATUS_RESOURCE_EXHAUSTED)))
      fail_msg("with allocation %zu%s failing: %s: %s", n, all ? " and all later ones" : "",
               tl_status_code_name(code), tl_status_message(st));
    tl_status_drop(st);
    left = tl_test_heap.live - live;
  }
  if (left != 0)
    fail_msg("with allocation %zu%s failing: %td blocks are left", n,
             all ? " and all later ones" : "", left);
  return failed;
}

TL_UNUSED static void tl_test_each_oom(tl_test_oom_fn fn, void *arg) {
  assert_ok(fn(arg)); // also fills the caches that libraries keep for good
  size_t n = 1;
  for (; tl_test_oom_once(fn, arg, n, true); n++) {
  }
  for (n = 1; tl_test_oom_once(fn, arg, n, false); n++) {
  }
}

#else // a sanitizer owns malloc

TL_UNUSED static void tl_test_allocations_begin(void) {}
TL_UNUSED static size_t tl_test_allocations_end(void) { return 0; }
TL_UNUSED static void tl_test_each_oom(tl_test_oom_fn fn, void *arg) { assert_ok(fn(arg)); }

#endif
#endif
#endif
