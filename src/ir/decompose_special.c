// Decompositions of the special functions: ir/special.inc over values of the IR, in f64.
//
// The interpreter computes the same operations in the same order, so a decomposition gives its op's
// bits. Types narrower than f64 are widened and rounded once at the end: not a fast way on a device
// where f64 is slow, but one program for all types, and right to the last place.
#include "ir/decompose_emit.h"

#include <math.h>

#include "ir/special.h"

#define TL_SPECIAL_TABLE(name, count, ...) const double TL_SPECIAL_##name[count] = {__VA_ARGS__};
#include "ir/special_tables.def"
#undef TL_SPECIAL_TABLE

static tl_value number(tl_builder *b, tl_type t, double value) {
  return tlo_constant_f64(b, t, value);
}

static tl_value compare(tl_builder *b, tl_comparison_direction d, tl_value x, tl_value y) {
  return tlo_compare(b, d, x, y);
}

// Horner, as the interpreter does it.
static tl_value poly(tl_builder *b, tl_type t, const double *c, size_t n, tl_value x) {
  tl_value y = number(b, t, c[n - 1]);
  for (size_t i = n - 1; i > 0; i--) {
    tl_value yx = tlo_mul(b, y, x);
    y = tlo_add(b, yx, number(b, t, c[i - 1]));
  }
  return y;
}

// Element i of a table, clamped into it.
static tl_value at(tl_builder *b, const double *table, size_t n, tl_value i) {
  int64_t dim = (int64_t)n;
  tl_type scalar = tl_type_scalar(TL_DTYPE_F64);
  tl_value low = number(b, scalar, 0), high = number(b, scalar, (double)(n - 1));
  tl_op *op = tl_op_finish(b, tl_op_begin(b, TL_OP_CLAMP, (tl_value[]){low, i, high}, 3), NULL, 0);
  if (op == NULL) return NULL;
  tl_value index = tlo_convert(b, op->results[0], TL_DTYPE_S32);
  tl_value all = tlo_constant(b, (tl_type){TL_DTYPE_F64, 1, &dim}, table, n * sizeof *table);
  return tlo_take_rows(b, all, index);
}

// The upper 26 bits of the significand.
static tl_value head(tl_builder *b, tl_value x) {
  tl_type bits_type = tl_type_with(tl_value_type(x), TL_DTYPE_U64);
  tl_value bits = tlo_bitcast(b, x, bits_type);
  tl_value mask =
      tlo_constant(b, bits_type, &(uint64_t){UINT64_C(0xfffffffff8000000)}, sizeof(uint64_t));
  bits = tlo_binary(b, TL_OP_AND, bits, mask);
  return tlo_bitcast(b, bits, tl_type_with(bits_type, TL_DTYPE_F64));
}

static tl_value copy_sign(tl_builder *b, tl_value x, tl_value sign) {
  const uint64_t minus = UINT64_C(1) << 63, rest = ~minus;
  tl_type bits_type = tl_type_with(tl_value_type(x), TL_DTYPE_U64);
  tl_value xb = tlo_bitcast(b, x, bits_type), sb = tlo_bitcast(b, sign, bits_type);
  xb = tlo_binary(b, TL_OP_AND, xb, tlo_constant(b, bits_type, &rest, sizeof rest));
  sb = tlo_binary(b, TL_OP_AND, sb, tlo_constant(b, bits_type, &minus, sizeof minus));
  xb = tlo_binary(b, TL_OP_OR, xb, sb);
  return tlo_bitcast(b, xb, tl_type_with(bits_type, TL_DTYPE_F64));
}

#define NUM tl_value
#define BOOL tl_value
#define CTX tl_builder *to, TL_UNUSED tl_type as,
#define ARG to, as,
#define FN(name) emit_##name
#define K(c) number(to, as, (double)(c))
#define ADD(x, y) tlo_add(to, x, y)
#define SUB(x, y) tlo_sub(to, x, y)
#define MUL(x, y) tlo_mul(to, x, y)
#define DIV(x, y) tlo_div(to, x, y)
#define NEG(x) tlo_unary(to, TL_OP_NEGATE, x)
#define ABS(x) tlo_unary(to, TL_OP_ABS, x)
#define SQRT(x) tlo_unary(to, TL_OP_SQRT, x)
#define EXP(x) tlo_unary(to, TL_OP_EXPONENTIAL, x)
#define EXPM1(x) tlo_unary(to, TL_OP_EXPONENTIAL_MINUS_ONE, x)
#define LOG(x) tlo_unary(to, TL_OP_LOG, x)
#define LOG1P(x) tlo_unary(to, TL_OP_LOG_PLUS_ONE, x)
#define SIN(x) tlo_unary(to, TL_OP_SINE, x)
#define COS(x) tlo_unary(to, TL_OP_COSINE, x)
#define POW(x, y) tlo_binary(to, TL_OP_POWER, x, y)
#define ATAN2(y, x) tlo_binary(to, TL_OP_ATAN2, y, x)
#define FLOOR(x) tlo_unary(to, TL_OP_FLOOR, x)
#define CEIL(x) tlo_unary(to, TL_OP_CEIL, x)
#define ROUND(x) tlo_unary(to, TL_OP_ROUND_NEAREST_EVEN, x)
#define LT(x, y) compare(to, TL_COMPARISON_DIRECTION_LT, x, y)
#define LE(x, y) compare(to, TL_COMPARISON_DIRECTION_LE, x, y)
#define EQ(x, y) compare(to, TL_COMPARISON_DIRECTION_EQ, x, y)
#define AND(p, q) tlo_binary(to, TL_OP_AND, p, q)
#define SELECT(p, x, y) tlo_select(to, p, x, y)
#define POLY(table, x) poly(to, as, TL_SPECIAL_##table, TL_COUNT(TL_SPECIAL_##table), x)
#define AT(table, i) at(to, TL_SPECIAL_##table, TL_COUNT(TL_SPECIAL_##table), i)
#define HEAD(x) head(to, x)
#define COPYSIGN(x, y) copy_sign(to, x, y)
#define MAX(x, y) tlo_binary(to, TL_OP_MAXIMUM, x, y)
#define MIN(x, y) tlo_binary(to, TL_OP_MINIMUM, x, y)
#include "ir/special.inc"
#include "ir/special_complex.inc"

typedef tl_value unary_fn(tl_builder *b, tl_type t, tl_value x);
typedef tl_value binary_fn(tl_builder *b, tl_type t, tl_value x, tl_value y);
typedef void complex_fn(tl_builder *b, tl_type t, tl_value x, tl_value y, tl_value *re,
                        tl_value *im);

static tl_value narrowed(tl_builder *b, tl_value y, tl_dtype dtype) {
  return y == NULL ? NULL : tlo_convert(b, y, dtype);
}

static tl_value apply(tl_builder *b, const tl_value *x, unary_fn *unary, binary_fn *binary) {
  tl_type t = tl_type_with(x[0]->type, TL_DTYPE_F64);
  tl_value a = tlo_convert(b, x[0], TL_DTYPE_F64);
  if (unary != NULL) return narrowed(b, unary(b, t, a), x[0]->type.dtype);
  tl_value c = tlo_convert(b, x[1], TL_DTYPE_F64);
  return narrowed(b, binary(b, t, a, c), x[0]->type.dtype);
}

// By parts, each rounded once.
static tl_value apply_complex(tl_builder *b, tl_value z, complex_fn *f) {
  tl_dtype part = tl_dtype_part(z->type.dtype);
  tl_type t = tl_type_with(z->type, TL_DTYPE_F64);
  tl_value x = tlo_unary(b, TL_OP_REAL, z), y = tlo_unary(b, TL_OP_IMAG, z), re = NULL, im = NULL;
  if (x == NULL || y == NULL) return NULL;
  x = tlo_convert(b, x, TL_DTYPE_F64);
  y = tlo_convert(b, y, TL_DTYPE_F64);
  f(b, t, x, y, &re, &im);
  re = narrowed(b, re, part);
  im = narrowed(b, im, part);
  return tlo_binary(b, TL_OP_COMPLEX, re, im);
}

#define UNARY_1(name) emit_##name
#define UNARY_2(name) NULL
#define BINARY_1(name) NULL
#define BINARY_2(name) emit_##name
#define TL_SPECIAL(id, name, n)                                              \
  tl_value tl_emit_##id(tl_builder *b, const tl_op *op, const tl_value *x) { \
    (void)op;                                                                \
    return apply(b, x, UNARY_##n(name), BINARY_##n(name));                   \
  }
#define TL_SPECIAL_COMPLEX(id, name, n)                                      \
  tl_value tl_emit_##id(tl_builder *b, const tl_op *op, const tl_value *x) { \
    (void)op;                                                                \
    if (tl_dtype_get(x[0]->type.dtype)->kind == TL_KIND_COMPLEX)             \
      return apply_complex(b, x[0], emit_##name##_complex);                  \
    return apply(b, x, emit_##name, NULL);                                   \
  }
#include "ir/special.def"
#undef TL_SPECIAL
