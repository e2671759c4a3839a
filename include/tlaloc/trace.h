// Writing a tensor function by plain C calls.
//
//     tl_trace *t = tl_trace_begin("loss");
//     tl_expr w = tl_input(t, "f64[4,3]"), x = tl_input(t, "f64[3]");
//     tl_expr loss = tl_mean(tl_square(tl_sub(tl_matmul(w, x), 1.0)));
//     tl_status st = tl_trace_end(t, &loss, 1, &f);      // f: a tl_program (tlaloc/program.h)
//
// A tl_expr stands for a tensor that will be computed when the program runs: calls compute nothing,
// they write the program down. It belongs to its trace and dies with it.
//
// Types are written as text. "f64[3,4]" is an element type and sizes; "f32" is a scalar. A size may
// be a name, "f32[n, 2*n + 1]": such a program runs at any n. An axis may have a name in front of
// its size, "f32[batch: n, hidden: 64]"; names are kept by ops where the axis survives and are
// checked where two tensors meet. Element types are those of StableHLO: i1, i8 ... i64, ui8 ...
// ui64, f16, bf16, f32, f64, complex<f32>, complex<f64>, and the small ones; "bool" is i1.
//
// Shapes follow NumPy: operands of elementwise calls are aligned at the last axis, and an axis of
// size 1 is repeated. Element types are never promoted: f32 with f64 is an error. A plain C number
// may stand for a tensor where a call says `number`: it takes the other operand's element type, and
// only an integer may stand for an integer. An axis counts from the end where it is negative.
//
// Errors. A call that does not fit remembers why, with the file and line of the call, and gives
// NULL; calls on NULL give NULL and say nothing. tl_trace_end reports the first of them:
//
//     loss.c:14: sub: f64[4] and f32[4] have different element types [tlaloc-dtype-mismatch]
//
// (docs/diagnostics.md lists the names in brackets.) So a trace needs no checks between its lines.
//
// Threads: one trace is written by one thread at a time; different traces by different threads.
//
// Each function is a macro over tl_<name>_at, whose first argument is the place of the call. Who
// wraps these functions may pass on a place of his own.
#ifndef TLALOC_TRACE_H
#define TLALOC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tlaloc/status.h"

typedef struct tl_trace tl_trace;
typedef const struct tl_expr_node *tl_expr;
typedef struct tl_program tl_program; // tlaloc/program.h

typedef struct tl_here { // a place in the user's source
  const char *file;      // lives as long as the trace
  int line;
} tl_here;
#define TL_HERE ((tl_here){__FILE__, __LINE__})

// A list of integers, for dims and axes: TL_LIST(3, 4) is `2, (const int64_t[]){3, 4}`.
#define TL_LIST(...)                                                                        \
  (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { \
    __VA_ARGS__                                                                             \
  }

// An operand that may be a number.
typedef struct tl_arg {
  tl_expr x; // NULL in a number
  enum { TL_ARG_EXPR, TL_ARG_FLOAT, TL_ARG_INT } kind;
  double f;
  int64_t i;
} tl_arg;
static inline tl_arg tl_arg_of_expr(tl_expr x) { return (tl_arg){.x = x}; }
static inline tl_arg tl_arg_of_double(double f) { return (tl_arg){.kind = TL_ARG_FLOAT, .f = f}; }
static inline tl_arg tl_arg_of_int(int64_t i) { return (tl_arg){.kind = TL_ARG_INT, .i = i}; }
// The operand stands once in the expansion, so that nested calls do not grow; hence the statement
// expression, whose variable needs a name of its own to shadow nothing.
#define TL_ARG(v) TL_ARG_1(v, __COUNTER__)
#define TL_ARG_1(v, n) TL_ARG_2(v, n)
#define TL_ARG_2(v, n)                                  \
  __extension__({                                       \
    __auto_type tl_arg_##n = (v);                       \
    _Generic(tl_arg_##n,                                \
        tl_expr: tl_arg_of_expr,                        \
        float: tl_arg_of_double,                        \
        double: tl_arg_of_double,                       \
        bool: tl_arg_of_int,                            \
        int: tl_arg_of_int,                             \
        unsigned: tl_arg_of_int,                        \
        long: tl_arg_of_int,                            \
        unsigned long: tl_arg_of_int,                   \
        long long: tl_arg_of_int,                       \
        unsigned long long: tl_arg_of_int)(tl_arg_##n); \
  })

#define TL_TEXT(fmt, args) __attribute__((format(printf, fmt, args)))

// ---- a trace ---------------------------------------------------------------------------------

// Begins a function of that name (letters, digits, '_', '.', '-'; for messages and printed text).
// NULL when memory is gone, which tl_trace_end then reports.
TL_API tl_trace *tl_trace_begin(const char *name);
// Ends it: the function gives `outputs` [n]. Destroys the trace, whatever it returns. *out_program
// is the caller's, to release; it is written on success only. Errors: the first of the trace.
TL_API tl_status tl_trace_end(tl_trace *t, const tl_expr *outputs, uint32_t n,
                              tl_program **out_program) __attribute__((warn_unused_result));
// Gives up without a program. NULL is allowed.
TL_API void tl_trace_abandon(tl_trace *t);
// The first error so far, or NULL; the trace keeps it.
TL_API tl_status tl_trace_error(const tl_trace *t);

// An argument of the function, in the order of the calls. `type` is a printf format:
// tl_input(t, "f32[batch: n, %d]", width). At the top level only, not inside a loop's body.
#define tl_input(...) tl_input_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_input_at(tl_here at, tl_trace *t, const char *type, ...) TL_TEXT(3, 4);
// Elements known now, row-major, copied; complex numbers as pairs. The type has no names for sizes.
#define tl_constant(...) tl_constant_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_constant_at(tl_here at, tl_trace *t, const void *data, const char *type, ...)
    TL_TEXT(4, 5);
// The same number everywhere.
#define tl_full(t, number, ...) tl_full_at(TL_HERE, t, TL_ARG(number), __VA_ARGS__)
TL_API tl_expr tl_full_at(tl_here at, tl_trace *t, tl_arg number, const char *type, ...)
    TL_TEXT(4, 5);
// 0, 1, 2, ... along the axis.
#define tl_iota(...) tl_iota_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_iota_at(tl_here at, tl_trace *t, int64_t axis, const char *type, ...)
    TL_TEXT(4, 5);
// Of x's type and names.
#define tl_full_like(x, number) tl_full_like_at(TL_HERE, x, TL_ARG(number))
TL_API tl_expr tl_full_like_at(tl_here at, tl_expr x, tl_arg number);
#define tl_zeros_like(x) tl_full_like(x, 0)
#define tl_ones_like(x) tl_full_like(x, 1)

// What is known of an expression; 0 of NULL. A size that is no number is -1.
TL_API uint32_t tl_rank(tl_expr x);
TL_API int64_t tl_size(tl_expr x, int64_t axis);
// "f32[batch: n, 64]", as long as the trace; "" of NULL.
TL_API const char *tl_type_text(tl_expr x);
TL_API tl_trace *tl_trace_of(tl_expr x); // NULL of NULL

// ---- elementwise -----------------------------------------------------------------------------

// Any elementwise op of the table of ops (docs/ops) by its mnemonic, over 1 to 3 operands.
#define tl_map1(op, x) tl_map_at(TL_HERE, op, 1, (const tl_arg[]){TL_ARG(x)})
#define tl_map2(op, x, y) tl_map_at(TL_HERE, op, 2, (const tl_arg[]){TL_ARG(x), TL_ARG(y)})
TL_API tl_expr tl_map_at(tl_here at, const char *op, uint32_t n, const tl_arg *operands);

#define tl_neg(x) tl_map1("negate", x)
#define tl_abs(x) tl_map1("abs", x)
#define tl_sign(x) tl_map1("sign", x)
#define tl_floor(x) tl_map1("floor", x)
#define tl_ceil(x) tl_map1("ceil", x)
#define tl_round(x) tl_map1("round_nearest_even", x) // halves to even
#define tl_exp(x) tl_map1("exponential", x)
#define tl_expm1(x) tl_map1("exponential_minus_one", x)
#define tl_log(x) tl_map1("log", x)
#define tl_log1p(x) tl_map1("log_plus_one", x)
#define tl_sqrt(x) tl_map1("sqrt", x)
#define tl_rsqrt(x) tl_map1("rsqrt", x)
#define tl_cbrt(x) tl_map1("cbrt", x)
#define tl_sin(x) tl_map1("sine", x)
#define tl_cos(x) tl_map1("cosine", x)
#define tl_tan(x) tl_map1("tan", x)
#define tl_asin(x) tl_map1("asin", x)
#define tl_acos(x) tl_map1("acos", x)
#define tl_atan(x) tl_map1("atan", x)
#define tl_sinh(x) tl_map1("sinh", x)
#define tl_cosh(x) tl_map1("cosh", x)
#define tl_tanh(x) tl_map1("tanh", x)
#define tl_asinh(x) tl_map1("asinh", x)
#define tl_acosh(x) tl_map1("acosh", x)
#define tl_atanh(x) tl_map1("atanh", x)
#define tl_sigmoid(x) tl_map1("logistic", x)
#define tl_erf(x) tl_map1("erf", x)
#define tl_erfc(x) tl_map1("erfc", x)
#define tl_erf_inv(x) tl_map1("erf_inv", x)
#define tl_lgamma(x) tl_map1("lgamma", x)
#define tl_digamma(x) tl_map1("digamma", x)
#define tl_relu(x) tl_map1("relu", x)
#define tl_gelu(x) tl_map1("gelu", x) // by erf
#define tl_silu(x) tl_map1("silu", x)
#define tl_stop_gradient(x) tl_map1("stop_gradient", x) // x, and a derivative of zero
#define tl_is_finite(x) tl_map1("is_finite", x) // i1
#define tl_real(x) tl_map1("real", x)
#define tl_imag(x) tl_map1("imag", x)
#define tl_not(x) tl_map1("not", x)

#define tl_add(x, y) tl_map2("add", x, y) // x or y may be a number, here and below
#define tl_sub(x, y) tl_map2("subtract", x, y)
#define tl_mul(x, y) tl_map2("multiply", x, y)
#define tl_div(x, y) tl_map2("divide", x, y)
#define tl_rem(x, y) tl_map2("remainder", x, y) // sign of x, as C's %
#define tl_pow(x, y) tl_map2("power", x, y)
#define tl_max(x, y) tl_map2("maximum", x, y)
#define tl_min(x, y) tl_map2("minimum", x, y)
#define tl_atan2(y, x) tl_map2("atan2", y, x)
#define tl_and(x, y) tl_map2("and", x, y) // of i1 and of integers
#define tl_or(x, y) tl_map2("or", x, y)
#define tl_xor(x, y) tl_map2("xor", x, y)
#define tl_complex(re, im) tl_map2("complex", re, im)

// Truth values, i1.
#define tl_eq(x, y) tl_compare_at(TL_HERE, "EQ", TL_ARG(x), TL_ARG(y))
#define tl_ne(x, y) tl_compare_at(TL_HERE, "NE", TL_ARG(x), TL_ARG(y))
#define tl_lt(x, y) tl_compare_at(TL_HERE, "LT", TL_ARG(x), TL_ARG(y))
#define tl_le(x, y) tl_compare_at(TL_HERE, "LE", TL_ARG(x), TL_ARG(y))
#define tl_gt(x, y) tl_compare_at(TL_HERE, "GT", TL_ARG(x), TL_ARG(y))
#define tl_ge(x, y) tl_compare_at(TL_HERE, "GE", TL_ARG(x), TL_ARG(y))
TL_API tl_expr tl_compare_at(tl_here at, const char *direction, tl_arg x, tl_arg y);

// x where p, else y; p of i1. One of x and y may be a number.
#define tl_where(p, x, y) tl_where_at(TL_HERE, p, TL_ARG(x), TL_ARG(y))
TL_API tl_expr tl_where_at(tl_here at, tl_expr p, tl_arg x, tl_arg y);
// min(max(x, low), high); low and high may be numbers.
#define tl_clamp(low, x, high) tl_clamp_at(TL_HERE, TL_ARG(low), x, TL_ARG(high))
TL_API tl_expr tl_clamp_at(tl_here at, tl_arg low, tl_expr x, tl_arg high);
#define tl_square(...) tl_square_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_square_at(tl_here at, tl_expr x);
// To another element type, "f32"; the only way to one.
#define tl_convert(...) tl_convert_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_convert_at(tl_here at, tl_expr x, const char *dtype);

// ---- shape -----------------------------------------------------------------------------------

// dims and axes are lists: tl_reshape(x, TL_LIST(2, 6)). One size may be -1: what is left.
#define tl_reshape(...) tl_reshape_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_reshape_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *dims);
// Axis i of the result is axis permutation[i] of x. Names go along.
#define tl_transpose(...) tl_transpose_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_transpose_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *permutation);
#define tl_swap_axes(...) tl_swap_axes_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_swap_axes_at(tl_here at, tl_expr x, int64_t a, int64_t b);
// By NumPy's rules; sizes of 1 and missing leading axes are repeated.
#define tl_broadcast_to(...) tl_broadcast_to_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_broadcast_to_at(tl_here at, tl_expr x, uint32_t rank, const int64_t *dims);
#define tl_broadcast_like(...) tl_broadcast_like_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_broadcast_like_at(tl_here at, tl_expr x, tl_expr y);
// A new axis of size 1, which is axis `axis` of the result; and the way back.
#define tl_expand_dims(...) tl_expand_dims_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_expand_dims_at(tl_here at, tl_expr x, int64_t axis);
#define tl_squeeze(...) tl_squeeze_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_squeeze_at(tl_here at, tl_expr x, int64_t axis);
#define tl_concat(...) tl_concat_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_concat_at(tl_here at, const tl_expr *xs, uint32_t n, int64_t axis);
// Tensors of one shape along a new axis.
#define tl_stack(...) tl_stack_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_stack_at(tl_here at, const tl_expr *xs, uint32_t n, int64_t axis);
// Elements from, from + step, ... before `to`, of one axis. Negative ends count from the axis's
// end; `to` INT64_MAX is the end.
#define tl_slice(...) tl_slice_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_slice_at(tl_here at, tl_expr x, int64_t axis, int64_t from, int64_t to,
                           int64_t step);
// One place of an axis, which goes. Negative counts from the end.
#define tl_pick(...) tl_pick_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_pick_at(tl_here at, tl_expr x, int64_t axis, int64_t index);
// At a place that is computed: starts [rank], integer scalars (or numbers), clamped so that the
// slice fits, and sizes [rank].
#define tl_dynamic_slice(...) tl_dynamic_slice_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_dynamic_slice_at(tl_here at, tl_expr x, const tl_expr *starts,
                                   const int64_t *sizes);
#define tl_dynamic_update_slice(...) tl_dynamic_update_slice_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_dynamic_update_slice_at(tl_here at, tl_expr x, tl_expr part,
                                          const tl_expr *starts);
// `value` around each axis (negative: cut off) and `interior` times between elements; lists [rank],
// interior may be NULL.
#define tl_pad(x, value, low, high, interior) \
  tl_pad_at(TL_HERE, x, TL_ARG(value), low, high, interior)
TL_API tl_expr tl_pad_at(tl_here at, tl_expr x, tl_arg value, const int64_t *low,
                         const int64_t *high, const int64_t *interior);
#define tl_reverse(...) tl_reverse_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_reverse_at(tl_here at, tl_expr x, uint32_t n, const int64_t *axes);

// Places `indices` (integers, any shape) of an axis: the shape of indices stands where the axis
// stood. Clamped to the axis.
#define tl_take(...) tl_take_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_take_at(tl_here at, tl_expr x, tl_expr indices, int64_t axis);
// One place for each: indices of x's shape but along the axis.
#define tl_take_along(...) tl_take_along_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_take_along_at(tl_here at, tl_expr x, tl_expr indices, int64_t axis);
// x with rows x[indices[k]] replaced by, or added to, updates[k]: indices [k], updates [k, ...].
// Rows out of range are dropped. Of several replacements of one row any may win.
#define tl_scatter_rows(x, indices, updates) tl_scatter_rows_at(TL_HERE, x, indices, updates, false)
#define tl_scatter_add_rows(x, indices, updates) \
  tl_scatter_rows_at(TL_HERE, x, indices, updates, true)
TL_API tl_expr tl_scatter_rows_at(tl_here at, tl_expr x, tl_expr indices, tl_expr updates,
                                  bool add);
// 1 where the new last axis of that size equals the index, else 0; of that element type.
#define tl_one_hot(...) tl_one_hot_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_one_hot_at(tl_here at, tl_expr indices, int64_t size, const char *dtype);
// Below (and on) a diagonal, above it; zero elsewhere. Of the last two axes.
#define tl_tril(x, diagonal) tl_triangle_at(TL_HERE, x, diagonal, true)
#define tl_triu(x, diagonal) tl_triangle_at(TL_HERE, x, diagonal, false)
TL_API tl_expr tl_triangle_at(tl_here at, tl_expr x, int64_t diagonal, bool lower);

// ---- axis names ------------------------------------------------------------------------------

// The same tensor with other names for its axes: "batch, hidden"; an empty one, ", hidden", takes
// the name off.
#define tl_name_axes(...) tl_name_axes_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_name_axes_at(tl_here at, tl_expr x, const char *names);
// The place of the axis of that name, from 0; an error and -1 where there is none.
#define tl_axis(...) tl_axis_at(TL_HERE, __VA_ARGS__)
TL_API int64_t tl_axis_at(tl_here at, tl_expr x, const char *name);
// Axes in the order of these names, which are all that x has: "batch, head, seq".
#define tl_order_axes(...) tl_order_axes_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_order_axes_at(tl_here at, tl_expr x, const char *names);

// ---- reductions ------------------------------------------------------------------------------

// Over all elements, or over a list of axes, which go: tl_sum_axes(x, TL_LIST(0, -1)); or over one
// axis by name.
#define tl_sum(x) tl_reduce_all_at(TL_HERE, "sum", x)
#define tl_mean(x) tl_reduce_all_at(TL_HERE, "mean", x)
#define tl_prod(x) tl_reduce_all_at(TL_HERE, "prod", x)
#define tl_reduce_max(x) tl_reduce_all_at(TL_HERE, "max", x)
#define tl_reduce_min(x) tl_reduce_all_at(TL_HERE, "min", x)
#define tl_all(x) tl_reduce_all_at(TL_HERE, "all", x)
#define tl_any(x) tl_reduce_all_at(TL_HERE, "any", x)
#define tl_sum_axes(x, ...) tl_reduce_at(TL_HERE, "sum", x, __VA_ARGS__)
#define tl_mean_axes(x, ...) tl_reduce_at(TL_HERE, "mean", x, __VA_ARGS__)
#define tl_prod_axes(x, ...) tl_reduce_at(TL_HERE, "prod", x, __VA_ARGS__)
#define tl_max_axes(x, ...) tl_reduce_at(TL_HERE, "max", x, __VA_ARGS__)
#define tl_min_axes(x, ...) tl_reduce_at(TL_HERE, "min", x, __VA_ARGS__)
#define tl_all_axes(x, ...) tl_reduce_at(TL_HERE, "all", x, __VA_ARGS__)
#define tl_any_axes(x, ...) tl_reduce_at(TL_HERE, "any", x, __VA_ARGS__)
#define tl_sum_over(x, name) tl_reduce_over_at(TL_HERE, "sum", x, name)
#define tl_mean_over(x, name) tl_reduce_over_at(TL_HERE, "mean", x, name)
#define tl_max_over(x, name) tl_reduce_over_at(TL_HERE, "max", x, name)
TL_API tl_expr tl_reduce_all_at(tl_here at, const char *what, tl_expr x);
TL_API tl_expr tl_reduce_at(tl_here at, const char *what, tl_expr x, uint32_t n,
                            const int64_t *axes);
TL_API tl_expr tl_reduce_over_at(tl_here at, const char *what, tl_expr x, const char *name);

// Along one axis, of which argmax (i32, the first of equals) and logsumexp take it away.
#define tl_argmax(x, axis) tl_along_at(TL_HERE, "argmax", x, axis)
#define tl_logsumexp(x, axis) tl_along_at(TL_HERE, "logsumexp", x, axis)
#define tl_softmax(x, axis) tl_along_at(TL_HERE, "softmax", x, axis)
#define tl_log_softmax(x, axis) tl_along_at(TL_HERE, "log_softmax", x, axis)
#define tl_cumsum(x, axis) tl_along_at(TL_HERE, "cumsum", x, axis)
#define tl_cumprod(x, axis) tl_along_at(TL_HERE, "cumprod", x, axis)
#define tl_cummax(x, axis) tl_along_at(TL_HERE, "cummax", x, axis)
#define tl_sort(x, axis) tl_along_at(TL_HERE, "sort", x, axis) // ascending, stable, NaN last
#define tl_argsort(x, axis) tl_along_at(TL_HERE, "argsort", x, axis)
TL_API tl_expr tl_along_at(tl_here at, const char *what, tl_expr x, int64_t axis);
// The k largest of the last axis, largest first; *out_places (i32; may be NULL) says where they
// stood.
#define tl_top_k(...) tl_top_k_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_top_k_at(tl_here at, tl_expr x, int64_t k, tl_expr *out_places);

#endif
