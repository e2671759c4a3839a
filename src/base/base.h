// The vocabulary that every file shares: attributes, counting, overflow-checked sizes, assertions.
#ifndef TL_BASE_BASE_H
#define TL_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_API __attribute__((visibility("default")))
#define TL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TL_MUST_USE __attribute__((warn_unused_result))
#define TL_UNUSED __attribute__((unused))
#define TL_LIKELY(x) __builtin_expect(!!(x), 1)
#define TL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TL_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TL_MAX(a, b) ((a) > (b) ? (a) : (b))

// False when the result does not fit; *out is then unspecified.
#define TL_ADD_OK(a, b, out) (!__builtin_add_overflow((a), (b), (out)))
#define TL_SUB_OK(a, b, out) (!__builtin_sub_overflow((a), (b), (out)))
#define TL_MUL_OK(a, b, out) (!__builtin_mul_overflow((a), (b), (out)))

// A broken invariant of ours, never a reaction to input. On in debug, sanitizer and fuzz builds.
#ifdef TL_CHECKED
#define TL_ASSERT(cond) ((cond) ? (void)0 : __builtin_trap())
#else
#define TL_ASSERT(cond) ((void)sizeof(!!(cond)))
#endif

static inline size_t tl_round_up(size_t n, size_t multiple) { // n + multiple must not overflow
  return (n + multiple - 1) / multiple * multiple;
}

#endif
