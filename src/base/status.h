// How a call says that it failed: one pointer, NULL on success, so that the good path costs one
// test.
//
// Whoever gets a status returns it or drops it. Making one cannot fail: when memory is gone a
// static record is returned, which tl_status_drop knows and leaves alone. Any thread; a status has
// one owner at a time.
#ifndef TL_BASE_STATUS_H
#define TL_BASE_STATUS_H

#include <stdarg.h>

#include <tlaloc/status.h> // the type, its codes, and what a user may ask

#include "base/base.h"

#define TL_OK ((tl_status)0)

tl_status tl_status_make(tl_status_code code, const char *fmt, ...) TL_PRINTF(2, 3) TL_MUST_USE;
tl_status tl_status_makev(tl_status_code code, const char *fmt, va_list args)
    TL_PRINTF(2, 0) TL_MUST_USE;
// Puts "note: " in front of the message of `st`; NULL stays NULL. Consumes `st` and returns its
// successor.
tl_status tl_status_note(tl_status st, const char *fmt, ...) TL_PRINTF(2, 3) TL_MUST_USE;

int tl_status_code_http(tl_status_code code); // 200 for OK

#define TL_ERROR(code, ...) tl_status_make(TL_STATUS_##code, __VA_ARGS__)
#define TL_OOM() tl_status_make(TL_STATUS_RESOURCE_EXHAUSTED, "out of memory")

#define TL_TRY(expr)                             \
  do {                                           \
    tl_status try_ = (expr);                     \
    if (TL_UNLIKELY(try_ != TL_OK)) return try_; \
  } while (0)
#define TL_TRY_NOTE(expr, ...)                                                \
  do {                                                                        \
    tl_status try_ = (expr);                                                  \
    if (TL_UNLIKELY(try_ != TL_OK)) return tl_status_note(try_, __VA_ARGS__); \
  } while (0)
#define TL_TRY_GOTO(label, st, expr)            \
  do {                                          \
    (st) = (expr);                              \
    if (TL_UNLIKELY((st) != TL_OK)) goto label; \
  } while (0)

#endif
