// Dims that are not numbers: expressions over the symbols of a module, and `?`.
//
//     tensor<?x4xf32> with the symbols ["2*n + 1"]
//
// A dim is an int64_t. One that is a number is that number; a negative one is either the number of
// an expression in the module's table, or says that nothing is known but perhaps a bound:
//
//     d >= 0                     the number
//     -2, -3, ...                entry -2 - d of m->dims
//     TL_DIM_ANY                 `?`: any size, of no name
//     TL_DIM_BOUNDED(b)          `?`, at most b: #stablehlo.bounds<b>
//
// An expression is a polynomial with integer coefficients whose atoms are symbols, floordiv, max
// and min of polynomials. Its form is canonical (like terms are joined, terms and factors sorted by
// their text) and each form has one entry, so that two dims are equal exactly when their int64_t
// are. Nothing here divides by a guess: what does not divide stays a floordiv.
//
// Entries are only added. A table is used by one thread at a time; copies of a module have a copy
// of the table in which all numbers mean the same.
#ifndef TL_IR_DIM_H
#define TL_IR_DIM_H

#include "ir/ir.h"

#define TL_DIM_ANY ((int64_t)-1)
#define TL_DIM_MAX_BOUND ((int64_t)1 << 61)
#define TL_DIM_BOUNDED(b) (INT64_MIN + (int64_t)(b)) // 0 <= b <= TL_DIM_MAX_BOUND

static inline bool tl_dim_is_bounded(int64_t d) { return d <= TL_DIM_BOUNDED(TL_DIM_MAX_BOUND); }
static inline int64_t tl_dim_bound(int64_t d) { return d - INT64_MIN; }
static inline bool tl_dim_is_any(int64_t d) { return d == TL_DIM_ANY || tl_dim_is_bounded(d); }
static inline bool tl_dim_is_named(int64_t d) { return d < 0 && !tl_dim_is_any(d); }

bool tl_type_is_static(tl_type t); // every dim is a number
bool tl_type_has_any(tl_type t);   // some dim is `?` without a name
// Every dim is a number, `?`, or an entry of the module's table; and the numbers alone do not
// overflow.
bool tl_type_is_sound(const tl_module *m, tl_type t);
// OK where no value of the module has a dim but numbers; else INVALID_ARGUMENT, which names one
// (static.c). Whoever runs or compiles a module asks this first.
tl_status tl_module_require_static(const tl_module *m);
// Equal, or one of the two is `?` (and the other, where it is a number, within its bound).
bool tl_dim_agrees(int64_t a, int64_t b);
bool tl_type_agrees(tl_type a, tl_type b);
// tl_type_print with names in braces, for messages: tensor<{n}x4xf32>.
void tl_type_print_named(tl_buf *out, const tl_module *m, tl_type t);

typedef struct tl_symbol {
  tl_str name;
  int64_t bound; // -1: none
} tl_symbol;

// The symbols of the module, in the order in which they were made; 0 of them when it has none.
uint32_t tl_dim_symbols(const tl_module *m, const tl_symbol **out);
// Finds or makes. False when memory is gone, the name is no identifier, or there are too many.
bool tl_dim_symbol(tl_module *m, tl_str name, int64_t bound, int64_t *out);
bool tl_dim_find_symbol(const tl_module *m, tl_str name, int64_t *out);

// Arithmetic. With a `?` among the operands the result is `?`. False where the result is no dim (a
// number below 0, an overflow), is too large an expression, or memory is gone.
bool tl_dim_add(const tl_module *m, int64_t a, int64_t b, int64_t *out);
bool tl_dim_mul(const tl_module *m, int64_t a, int64_t b, int64_t *out);
bool tl_dim_affine(const tl_module *m, int64_t d, int64_t times, int64_t plus, int64_t *out);
// max(floor((d * times + plus) / by), least) + more; by > 0.
bool tl_dim_windows(const tl_module *m, int64_t d, int64_t times, int64_t plus, int64_t by,
                    int64_t more, int64_t least, int64_t *out);
bool tl_dim_max(const tl_module *m, int64_t a, int64_t b, int64_t *out);
bool tl_dim_min(const tl_module *m, int64_t a, int64_t b, int64_t *out);
bool tl_dim_sub(const tl_module *m, int64_t a, int64_t b, int64_t *out);
bool tl_dim_product(const tl_module *m, tl_type t, int64_t *out); // of all dims
// d / by where by divides every coefficient; false where it does not.
bool tl_dim_divide(const tl_module *m, int64_t d, int64_t by, int64_t *out);

// Whether a <= b may hold for some sizes of the symbols (each at least 0, at most its bound): false
// only where it never does.
bool tl_dim_may_le(const tl_module *m, int64_t a, int64_t b);

// A dim as a computation: what the callbacks make of its parts, put together. NULL from one of them
// ends it, but for `known`, whose NULL says to go into the parts. All get `arg`.
typedef enum { TL_DIM_SUM, TL_DIM_PRODUCT, TL_DIM_FLOORDIV, TL_DIM_MAX, TL_DIM_MIN } tl_dim_step;
typedef struct tl_dim_fold {
  void *(*number)(void *arg, int64_t value); // which may be negative
  void *(*known)(void *arg, int64_t dim);    // asked of the whole, of each part and each symbol
  void *(*step)(void *arg, tl_dim_step step, void *x, void *y);
} tl_dim_fold;
void *tl_dim_compute(const tl_module *m, int64_t d, const tl_dim_fold *fold, void *arg);

// "2*n + 1", "4", "?"; the text lives as long as the table.
tl_str tl_dim_text(const tl_module *m, int64_t d);
// Reads such a text, whose symbols exist, or with `declare` a lone name that does not. False, with
// what is wrong (a constant text) and where.
bool tl_dim_parse(tl_module *m, tl_str text, bool declare, int64_t *out, const char **out_wrong,
                  size_t *out_at);

typedef enum {
  TL_DIM_FINE,
  TL_DIM_UNBOUND,  // a symbol has no value; *out_symbol says which
  TL_DIM_OVERFLOW, // past 64 bits
  TL_DIM_NEGATIVE, // the value is no size
  TL_DIM_BY_ZERO,  // a floordiv by 0
} tl_dim_result;

// The number that d is when symbol i has values[i] (-1: none).
tl_dim_result tl_dim_eval(const tl_module *m, int64_t d, const int64_t *values, int64_t *out,
                          uint32_t *out_symbol);

// The value of the one symbol without a value in d for which d is `size`. False when there is none
// such or more than one symbol is left; *out_symbol is UINT32_MAX unless exactly one is left, and
// then d = *out_times * symbol + *out_plus where d is of that form (else *out_times is 0).
bool tl_dim_solve(const tl_module *m, int64_t d, const int64_t *values, int64_t size,
                  uint32_t *out_symbol, int64_t *out_value, int64_t *out_times, int64_t *out_plus);

// `to` gets a copy of the table of `from`, and must have none yet.
bool tl_dims_copy(const tl_module *from, tl_module *to);

#endif
