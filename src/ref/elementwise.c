// Ops whose result element depends on one element of each operand.
//
// An op is a row: its value in terms of x and y for floats (F names the width's functions), for
// signed integers (held as i64) and for unsigned ones (u64); narrower types wrap when stored. Rows
// expand to a function over lanes, which reductions and scatters call too, and to the op's meaning,
// which walks the tensors 256 elements at a time.
//
// exp, log, tanh and logistic at f32 are those of elementary.h; the other elementary functions, and
// all of them at f64, those of elementary_f64.h. Native code repeats both to the bit. The remainder
// of floats is the C library's.
#include "ref/lanes.h"

#include <math.h>

#include "base/half.h"
#include "ref/complex.h"
#include "ref/elementary_f64.h"
#include "ref/eval.h"

// What a row may call, by width.
static float max_f32(float x, float y) { return tl_max_f32(x, y); }
static double max_f64(double x, double y) { return tl_max_f64(x, y); }
static float min_f32(float x, float y) { return tl_min_f32(x, y); }
static double min_f64(double x, double y) { return tl_min_f64(x, y); }
static float sign_f32(float x) {
  return x != x || x == 0 ? x : copysignf(1.0f, x);
} // NaN and both zeros stay
static double sign_f64(double x) { return x != x || x == 0 ? x : copysign(1.0, x); }
#define OURS1(name)                                               \
  static float name##_f32(float x) { return tl_##name##_f32(x); } \
  static double name##_f64(double x) { return tl_##name##_f64(x); }
#define OURS2(name)                                                           \
  static float name##_f32(float x, float y) { return tl_##name##_f32(x, y); } \
  static double name##_f64(double x, double y) { return tl_##name##_f64(x, y); }
OURS1(exp)
OURS1(expm1)
OURS1(log)
OURS1(log1p)
OURS1(tanh)
OURS1(logistic)
OURS1(sin)
OURS1(cos)
OURS1(tan)
OURS1(cbrt)
OURS2(pow)
OURS2(atan2)
#define LIBM1(name)                                       \
  static float name##_f32(float x) { return name##f(x); } \
  static double name##_f64(double x) { return name(x); }
#define LIBM2(name)                                                   \
  static float name##_f32(float x, float y) { return name##f(x, y); } \
  static double name##_f64(double x, double y) { return name(x, y); }
LIBM1(floor)
LIBM1(ceil)
LIBM1(sqrt)
LIBM1(round)
LIBM1(rint) // in the rounding mode of the program, which nobody here changes: to nearest even
LIBM1(fabs)
LIBM2(fmod)
static float rsqrt_f32(float x) { return 1.0f / sqrtf(x); } // two roundings, as the kernels do it
static double rsqrt_f64(double x) { return 1.0 / sqrt(x); }

// x / 0 is -1 and INT_MIN / -1 is INT_MIN, as XLA defines them; narrower INT_MINs wrap when stored.
// The remainder of the same cases is x and 0, which keeps x = (x / y) * y + x % y.
static int64_t div_s64(int64_t x, int64_t y) {
  return y == 0 ? -1 : y == -1 ? (int64_t)-(uint64_t)x : x / y;
}
static uint64_t div_u64(uint64_t x, uint64_t y) { return y == 0 ? UINT64_MAX : x / y; }
static int64_t rem_s64(int64_t x, int64_t y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
static uint64_t rem_u64(uint64_t x, uint64_t y) { return y == 0 ? x : x % y; }

static uint64_t pow_u64(uint64_t x, uint64_t y) { // wraps
  uint64_t z = 1;
  for (; y != 0; y >>= 1, x *= x)
    if (y & 1) z *= x;
  return z;
}
// A negative exponent is the reciprocal truncated: 1 and -1 have one, the others give 0 (0 too,
// rather than a trap).
static int64_t pow_s64(int64_t x, int64_t y) {
  if (y >= 0) return (int64_t)pow_u64((uint64_t)x, (uint64_t)y);
  return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
}

// A shift by the width or more, or by a negative amount (a large unsigned one), shifts everything
// out.
static uint64_t shl(uint64_t x, uint64_t y, uint32_t bits) { return y < bits ? x << y : 0; }
static uint64_t shr(uint64_t x, uint64_t y, uint32_t bits) {
  if (bits < 64) x &= ((uint64_t)1 << bits) - 1;
  return y < bits ? x >> y : 0;
}
// Of an unsigned type too the highest bit is the sign, as in XLA.
static uint64_t sar(uint64_t x, uint64_t y, uint32_t bits) {
  uint64_t sign = x >> (bits - 1) & 1 ? UINT64_MAX : 0;
  if (bits < 64) x = (x & (((uint64_t)1 << bits) - 1)) | (sign & ~(((uint64_t)1 << bits) - 1));
  return y < bits ? (y == 0 ? x : x >> y | (sign << (64 - y))) : sign;
}

static uint64_t low_bits(uint64_t x, uint32_t bits) {
  return bits < 64 ? x & (((uint64_t)1 << bits) - 1) : x;
}
static uint32_t popcnt(uint64_t x, uint32_t bits) {
  return (uint32_t)__builtin_popcountll(low_bits(x, bits));
}
static uint32_t clz(uint64_t x, uint32_t bits) {
  x = low_bits(x, bits);
  return x == 0 ? bits : (uint32_t)__builtin_clzll(x) - (64 - bits);
}

#define S(value) (int64_t)(value)
#define UX (uint64_t)x
#define UY (uint64_t)y

// clang-format off
// Booleans are 0 and 1 in u64 and stored as "not zero": their sum is or, their product and.
//   id         floats                 signed              unsigned
#define BINARY(X)                                                                                  \
  X(ADD,       x + y,                  S(UX + UY),         x + y)                                  \
  X(SUBTRACT,  x - y,                  S(UX - UY),         x - y)                                  \
  X(MULTIPLY,  x * y,                  S(UX * UY),         x * y)                                  \
  X(DIVIDE,    x / y,                  div_s64(x, y),      div_u64(x, y))                          \
  X(REMAINDER, F(fmod)(x, y),          rem_s64(x, y),      rem_u64(x, y))                          \
  X(MAXIMUM,   F(max)(x, y),           TL_MAX(x, y),       TL_MAX(x, y))                           \
  X(MINIMUM,   F(min)(x, y),           TL_MIN(x, y),       TL_MIN(x, y))                           \
  X(POWER,     F(pow)(x, y),           pow_s64(x, y),      pow_u64(x, y))
#define BINARY_FLOAT(X)                                                                            \
  X(ATAN2,     F(atan2)(x, y))
//   id                     signed                unsigned
#define BINARY_INT(X)                                                                              \
  X(AND,                    x & y,                x & y)                                           \
  X(OR,                     x | y,                x | y)                                           \
  X(XOR,                    x ^ y,                x ^ y)                                           \
  X(SHIFT_LEFT,             S(shl(UX, UY, bits)), shl(x, y, bits))                                 \
  X(SHIFT_RIGHT_ARITHMETIC, S(sar(UX, UY, bits)), sar(x, y, bits))                                 \
  X(SHIFT_RIGHT_LOGICAL,    S(shr(UX, UY, bits)), shr(x, y, bits))
//   id      floats       signed                          unsigned
#define UNARY(X)                                                                                   \
  X(NEGATE,  -x,          S(-UX),                         0 - x)                                   \
  X(ABS,     F(fabs)(x),  x < 0 ? S(-UX) : x,             x)                                       \
  X(SIGN,    F(sign)(x),  (x > 0) - (x < 0),              x != 0)
//   id                     floats
#define UNARY_FLOAT(X)                                                                             \
  X(FLOOR,                  F(floor)(x))                                                           \
  X(CEIL,                   F(ceil)(x))                                                            \
  X(EXPONENTIAL,            F(exp)(x))                                                             \
  X(EXPONENTIAL_MINUS_ONE,  F(expm1)(x))                                                           \
  X(LOG,                    F(log)(x))                                                             \
  X(LOG_PLUS_ONE,           F(log1p)(x))                                                           \
  X(SQRT,                   F(sqrt)(x))                                                            \
  X(RSQRT,                  F(rsqrt)(x))                                                           \
  X(TANH,                   F(tanh)(x))                                                            \
  X(LOGISTIC,               F(logistic)(x))                                                        \
  X(SINE,                   F(sin)(x))                                                             \
  X(COSINE,                 F(cos)(x))                                                             \
  X(TAN,                    F(tan)(x))                                                             \
  X(CBRT,                   F(cbrt)(x))                                                            \
  X(ROUND_NEAREST_AFZ,      F(round)(x))                                                           \
  X(ROUND_NEAREST_EVEN,     F(rint)(x))
//   id                     signed                unsigned
#define UNARY_INT(X)                                                                               \
  X(POPCNT,                 S(popcnt(UX, bits)),  popcnt(x, bits))                                 \
  X(COUNT_LEADING_ZEROS,    S(clz(UX, bits)),     clz(x, bits))
// clang-format on

#define F(name) name##_f32
#define LANES2(T, member, value)          \
  for (size_t i = 0; i < n; i++) {        \
    T x = a->member[i], y = b->member[i]; \
    z->member[i] = value;                 \
  }                                       \
  return true;
#define LANES1(T, member, value)   \
  for (size_t i = 0; i < n; i++) { \
    T x = a->member[i];            \
    z->member[i] = value;          \
  }                                \
  return true;

// The f32 column is expanded before F is redefined for the f64 one, so these come as two functions.
#define FLOATS2(id, floats)                                                                 \
  static bool lanes_f32_##id(size_t n, const tl_lanes *a, const tl_lanes *b, tl_lanes *z) { \
    LANES2(float, f32, floats)                                                              \
  }
#define FLOATS1(id, floats)                                              \
  static bool lanes_f32_##id(size_t n, const tl_lanes *a, tl_lanes *z) { \
    LANES1(float, f32, floats)                                           \
  }
#define FLOATS1_ALL(id, floats, s, u) FLOATS1(id, floats)
#define FLOATS2_ALL(id, floats, s, u) FLOATS2(id, floats)
BINARY(FLOATS2_ALL)
BINARY_FLOAT(FLOATS2)
UNARY_FLOAT(FLOATS1)
UNARY(FLOATS1_ALL)
#undef F
#define F(name) name##_f64
#undef FLOATS2
#undef FLOATS1
#define FLOATS2(id, floats)                                                                 \
  static bool lanes_f64_##id(size_t n, const tl_lanes *a, const tl_lanes *b, tl_lanes *z) { \
    LANES2(double, f64, floats)                                                             \
  }
#define FLOATS1(id, floats)                                              \
  static bool lanes_f64_##id(size_t n, const tl_lanes *a, tl_lanes *z) { \
    LANES1(double, f64, floats)                                          \
  }
BINARY(FLOATS2_ALL)
BINARY_FLOAT(FLOATS2)
UNARY_FLOAT(FLOATS1)
UNARY(FLOATS1_ALL)

// False: the op has no meaning for the kind.
#define ANY2(id, floats, s, u)                                                                     \
  static bool lanes_##id(tl_lanes_kind kind, TL_UNUSED uint32_t bits, size_t n, const tl_lanes *a, \
                         const tl_lanes *b, tl_lanes *z) {                                         \
    switch (kind) {                                                                                \
    case TL_LANES_F32:                                                                             \
      return lanes_f32_##id(n, a, b, z);                                                           \
    case TL_LANES_F64:                                                                             \
      return lanes_f64_##id(n, a, b, z);                                                           \
    case TL_LANES_S64:                                                                             \
      LANES2(int64_t, s64, s)                                                                      \
    case TL_LANES_U64:                                                                             \
      LANES2(uint64_t, u64, u)                                                                     \
    case TL_LANES_C64:                                                                             \
    case TL_LANES_C128:                                                                            \
      return tl_complex_binary(TL_OP_##id, kind, n, a, b, z);                                      \
    }                                                                                              \
    return false;                                                                                  \
  }
#define INT2(id, s, u)                                                                             \
  static bool lanes_##id(tl_lanes_kind kind, TL_UNUSED uint32_t bits, size_t n, const tl_lanes *a, \
                         const tl_lanes *b, tl_lanes *z) {                                         \
    if (kind == TL_LANES_S64) {                                                                    \
      LANES2(int64_t, s64, s)                                                                      \
    }                                                                                              \
    if (kind == TL_LANES_U64) {                                                                    \
      LANES2(uint64_t, u64, u)                                                                     \
    }                                                                                              \
    return false;                                                                                  \
  }
#define FLOAT2(id, floats)                                                                         \
  static bool lanes_##id(tl_lanes_kind kind, TL_UNUSED uint32_t bits, size_t n, const tl_lanes *a, \
                         const tl_lanes *b, tl_lanes *z) {                                         \
    if (kind == TL_LANES_F32) return lanes_f32_##id(n, a, b, z);                                   \
    if (kind == TL_LANES_F64) return lanes_f64_##id(n, a, b, z);                                   \
    return tl_complex_binary(TL_OP_##id, kind, n, a, b, z);                                        \
  }
#define INT1(id, s, u)                                                                   \
  static bool lanes_##id(tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *a, \
                         tl_lanes *z) {                                                  \
    if (kind == TL_LANES_S64) {                                                          \
      LANES1(int64_t, s64, s)                                                            \
    }                                                                                    \
    if (kind == TL_LANES_U64) {                                                          \
      LANES1(uint64_t, u64, u)                                                           \
    }                                                                                    \
    return false;                                                                        \
  }
#define ANY1(id, floats, s, u)                                                                     \
  static bool lanes_##id(tl_lanes_kind kind, TL_UNUSED uint32_t bits, size_t n, const tl_lanes *a, \
                         tl_lanes *z) {                                                            \
    switch (kind) {                                                                                \
    case TL_LANES_F32:                                                                             \
      return lanes_f32_##id(n, a, z);                                                              \
    case TL_LANES_F64:                                                                             \
      return lanes_f64_##id(n, a, z);                                                              \
    case TL_LANES_S64:                                                                             \
      LANES1(int64_t, s64, s)                                                                      \
    case TL_LANES_U64:                                                                             \
      LANES1(uint64_t, u64, u)                                                                     \
    case TL_LANES_C64:                                                                             \
    case TL_LANES_C128:                                                                            \
      return tl_complex_unary(TL_OP_##id, kind, n, a, z);                                          \
    }                                                                                              \
    return false;                                                                                  \
  }
#define FLOAT1(id, floats)                                                                         \
  static bool lanes_##id(tl_lanes_kind kind, TL_UNUSED uint32_t bits, size_t n, const tl_lanes *a, \
                         tl_lanes *z) {                                                            \
    if (kind == TL_LANES_F32) return lanes_f32_##id(n, a, z);                                      \
    if (kind == TL_LANES_F64) return lanes_f64_##id(n, a, z);                                      \
    return tl_complex_unary(TL_OP_##id, kind, n, a, z);                                            \
  }
BINARY(ANY2)
BINARY_FLOAT(FLOAT2)
BINARY_INT(INT2)
UNARY(ANY1)
UNARY_FLOAT(FLOAT1)
UNARY_INT(INT1)

static bool lanes_NOT(tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *a, tl_lanes *z) {
  if (kind != TL_LANES_S64 && kind != TL_LANES_U64) return false;
  LANES1(uint64_t, u64, bits == 1 ? x ^ 1 : ~x) // of a boolean the logical not
}

bool tl_lanes_binary(tl_opcode op, tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *x,
                     const tl_lanes *y, tl_lanes *z) {
  switch (op) {
#define CASE(id, ...) \
  case TL_OP_##id:    \
    return lanes_##id(kind, bits, n, x, y, z);
    BINARY(CASE)
    BINARY_FLOAT(CASE)
    BINARY_INT(CASE)
#undef CASE
  default:
    return false;
  }
}

bool tl_lanes_unary(tl_opcode op, tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *x,
                    tl_lanes *z) {
  switch (op) {
#define CASE(id, ...) \
  case TL_OP_##id:    \
    return lanes_##id(kind, bits, n, x, z);
    UNARY(CASE)
    UNARY_FLOAT(CASE)
    UNARY_INT(CASE)
    CASE(NOT, )
#undef CASE
  default:
    return false;
  }
}

static tl_status no_meaning(const tl_ref_call *c, tl_dtype d) {
  return TL_ERROR(UNIMPLEMENTED, "%s has no meaning for elements of type %s",
                  tl_op_get(c->op->code)->mnemonic, tl_dtype_get(d)->mlir);
}

static tl_status count_of(const tl_ref_call *c, size_t *out) {
  if (tl_type_count(c->out[0].t.type, out)) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large",
                  tl_op_get(c->op->code)->mnemonic);
}

static tl_status unary(tl_ref_call *c,
                       bool (*f)(tl_lanes_kind, uint32_t, size_t, const tl_lanes *, tl_lanes *)) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_dtype d = x->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d), to = tl_lanes_kind_of(out->type.dtype);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&lanes, d, x->data, at, n);
    if (!f(kind, tl_lanes_bits(d), n, &lanes, &lanes)) return no_meaning(c, d);
    tl_lanes_store(&lanes, to, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

static tl_status binary(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *y = &c->in[1], *out = &c->out[0].t;
  tl_dtype d = out->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes a, b;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&a, x->type.dtype, x->data, at, n);
    tl_lanes_load(&b, y->type.dtype, y->data, at, n);
    if (!tl_lanes_binary(c->op->code, kind, tl_lanes_bits(d), n, &a, &b, &a))
      return no_meaning(c, d);
    tl_lanes_store(&a, kind, d, out->data, at, n);
  }
  return TL_OK;
}

#define EVAL2(id, ...) \
  tl_status ref_eval_##id(tl_ref_call *c) { return binary(c); }
#define EVAL1(id, ...) \
  tl_status ref_eval_##id(tl_ref_call *c) { return unary(c, lanes_##id); }
BINARY(EVAL2)
BINARY_FLOAT(EVAL2)
BINARY_INT(EVAL2)
UNARY(EVAL1)
UNARY_FLOAT(EVAL1)
UNARY_INT(EVAL1)
tl_status ref_eval_NOT(tl_ref_call *c) { return unary(c, lanes_NOT); }

tl_status ref_eval_IS_FINITE(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  if (tl_dtype_get(x->type.dtype)->kind != TL_KIND_FLOAT) return no_meaning(c, x->type.dtype);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load_as(&lanes, TL_LANES_F64, x->type.dtype, x->data, at, n);
    for (size_t i = 0; i < n; i++)
      lanes.u64[i] = isfinite(lanes.f64[i]) != 0;
    tl_lanes_store(&lanes, TL_LANES_U64, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

// Keys in the order of IEEE 754 totalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Where
// the specification says "a combination of totalOrder and compareQuietEqual" all six directions
// compare keys here, as XLA does, so that -0 and +0 differ and a NaN equals itself. From the bits
// in memory, for widening a signalling NaN would move it.
static void total_order_keys(tl_lanes *x, const tl_tensor *t, size_t at, size_t n) {
  uint32_t bits = tl_lanes_bits(t->type.dtype);
  tl_lanes_load(x,
                bits <= 8    ? TL_DTYPE_U8
                : bits == 16 ? TL_DTYPE_U16
                : bits == 32 ? TL_DTYPE_U32
                             : TL_DTYPE_U64,
                t->data, at, n);
  uint64_t sign = (uint64_t)1 << (bits - 1);
  for (size_t i = 0; i < n; i++)
    x->u64[i] = x->u64[i] & sign ? ~x->u64[i] & (sign | (sign - 1)) : x->u64[i] | sign;
}

#define COMPARE(member)                         \
  for (size_t i = 0; i < n; i++)                \
    switch (direction) {                        \
    case TL_COMPARISON_DIRECTION_EQ:            \
      a->u64[i] = a->member[i] == b->member[i]; \
      break;                                    \
    case TL_COMPARISON_DIRECTION_NE:            \
      a->u64[i] = a->member[i] != b->member[i]; \
      break;                                    \
    case TL_COMPARISON_DIRECTION_GE:            \
      a->u64[i] = a->member[i] >= b->member[i]; \
      break;                                    \
    case TL_COMPARISON_DIRECTION_GT:            \
      a->u64[i] = a->member[i] > b->member[i];  \
      break;                                    \
    case TL_COMPARISON_DIRECTION_LE:            \
      a->u64[i] = a->member[i] <= b->member[i]; \
      break;                                    \
    case TL_COMPARISON_DIRECTION_LT:            \
      a->u64[i] = a->member[i] < b->member[i];  \
      break;                                    \
    }                                           \
  break;

// Lexicographic: by the imaginary parts where the real ones are equal.
static bool complex_compare(tl_comparison_direction direction, tl_c128 a, tl_c128 b) {
  bool tie = a.re == b.re;
  switch (direction) {
  case TL_COMPARISON_DIRECTION_EQ:
    return tie && a.im == b.im;
  case TL_COMPARISON_DIRECTION_NE:
    return !(tie && a.im == b.im);
  case TL_COMPARISON_DIRECTION_GE:
    return tie ? a.im >= b.im : a.re > b.re;
  case TL_COMPARISON_DIRECTION_GT:
    return tie ? a.im > b.im : a.re > b.re;
  case TL_COMPARISON_DIRECTION_LE:
    return tie ? a.im <= b.im : a.re < b.re;
  case TL_COMPARISON_DIRECTION_LT:
    return tie ? a.im < b.im : a.re < b.re;
  }
  return false;
}

static void compare(tl_comparison_direction direction, tl_lanes_kind kind, size_t n, tl_lanes *a,
                    const tl_lanes *b) {
  switch (kind) {
  case TL_LANES_F32: // widened before: the result's lanes are wider than f32's
  case TL_LANES_F64:
    COMPARE(f64)
  case TL_LANES_S64:
    COMPARE(s64)
  case TL_LANES_U64:
    COMPARE(u64)
  case TL_LANES_C64: // widened before
  case TL_LANES_C128:
    for (size_t i = 0; i < n; i++)
      a->u64[i] = complex_compare(direction, a->c128[i], b->c128[i]);
    break;
  }
}

tl_status ref_eval_COMPARE(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *y = &c->in[1], *out = &c->out[0].t;
  tl_comparison_direction direction =
      (tl_comparison_direction)tl_op_i64(c->op, TL_A_COMPARE_comparison_direction);
  tl_dtype_kind of = tl_dtype_get(x->type.dtype)->kind;
  bool is_float = of == TL_KIND_FLOAT;
  bool total =
      is_float && tl_op_i64(c->op, TL_A_COMPARE_compare_type) == TL_COMPARISON_TYPE_TOTALORDER;
  tl_lanes_kind kind = total                   ? TL_LANES_U64
                       : is_float              ? TL_LANES_F64
                       : of == TL_KIND_COMPLEX ? TL_LANES_C128
                                               : tl_lanes_kind_of(x->type.dtype);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes a, b;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    if (total) {
      total_order_keys(&a, x, at, n);
      total_order_keys(&b, y, at, n);
    } else {
      tl_lanes_load_as(&a, kind, x->type.dtype, x->data, at, n);
      tl_lanes_load_as(&b, kind, y->type.dtype, y->data, at, n);
    }
    compare(direction, kind, n, &a, &b);
    tl_lanes_store(&a, TL_LANES_U64, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

// At TL_REF_F64 the parts are f64, and so is the result's.
tl_status ref_eval_COMPLEX(tl_ref_call *c) {
  const tl_tensor *re = &c->in[0], *im = &c->in[1], *out = &c->out[0].t;
  const size_t part = tl_dtype_get(re->type.dtype)->size;
  size_t count;
  TL_TRY(count_of(c, &count));
  for (size_t i = 0; i < count; i++) {
    unsigned char *z = (unsigned char *)out->data + 2 * part * i;
    memcpy(z, (const unsigned char *)re->data + part * i, part);
    memcpy(z + part, (const unsigned char *)im->data + part * i, part);
  }
  return TL_OK;
}

// Part 0 or 1; of a real number the imaginary part is 0.
static tl_status part_of(tl_ref_call *c, size_t which) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  const size_t part = tl_dtype_get(out->type.dtype)->size, size = tl_dtype_get(x->type.dtype)->size;
  size_t count;
  TL_TRY(count_of(c, &count));
  for (size_t i = 0; i < count; i++)
    if (part * which < size)
      memcpy((unsigned char *)out->data + part * i,
             (const unsigned char *)x->data + size * i + part * which, part);
    else
      memset((unsigned char *)out->data + part * i, 0, part);
  return TL_OK;
}

tl_status ref_eval_REAL(tl_ref_call *c) { return part_of(c, 0); }
tl_status ref_eval_IMAG(tl_ref_call *c) { return part_of(c, 1); }

// Lanes of t, or its one element in every lane where t is a scalar.
static void load_or_splat(tl_lanes *x, const tl_tensor *t, size_t at, size_t n) {
  static const size_t zeros[TL_LANES];
  if (t->type.rank == 0)
    tl_lanes_gather(x, t->type.dtype, t->data, zeros, 0, n);
  else
    tl_lanes_load(x, t->type.dtype, t->data, at, n);
}

tl_status
ref_eval_CLAMP(tl_ref_call *c) { // minimum(maximum(x, low), high): a NaN anywhere gives NaN
  const tl_tensor *out = &c->out[0].t;
  tl_dtype d = out->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes x, bound;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&x, d, c->in[1].data, at, n);
    load_or_splat(&bound, &c->in[0], at, n);
    lanes_MAXIMUM(kind, 0, n, &x, &bound, &x);
    load_or_splat(&bound, &c->in[2], at, n);
    lanes_MINIMUM(kind, 0, n, &x, &bound, &x);
    tl_lanes_store(&x, kind, d, out->data, at, n);
  }
  return TL_OK;
}

tl_status
ref_eval_SELECT(tl_ref_call *c) { // bytes move untouched; a scalar predicate chooses a whole tensor
  const unsigned char *pred = c->in[0].data, *yes = c->in[1].data, *no = c->in[2].data;
  unsigned char *out = c->out[0].t.data;
  size_t size = tl_dtype_get(c->out[0].t.type.dtype)->size, count;
  TL_TRY(count_of(c, &count));
  bool scalar = c->in[0].type.rank == 0;
  for (size_t i = 0; i < count; i++)
    memcpy(out + i * size, (pred[scalar ? 0 : i] ? yes : no) + i * size, size);
  return TL_OK;
}

// Exact where the result type holds the value; else floats round to nearest even, floats to
// integers truncate and saturate (NaN: 0), integers to integers wrap, anything to a boolean is "not
// zero".
tl_status ref_eval_CONVERT(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_lanes_kind from = tl_lanes_kind_of(x->type.dtype);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&lanes, x->type.dtype, x->data, at, n);
    tl_lanes_kind to = tl_lanes_convert(&lanes, from, out->type.dtype, n);
    tl_lanes_store(&lanes, to, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

// Exponent and mantissa bits of a float.
typedef struct layout {
  uint32_t exponent, mantissa;
} layout;

static layout layout_of(tl_dtype d) {
  switch (d) {
  case TL_DTYPE_F16:
    return (layout){5, 10};
  case TL_DTYPE_BF16:
    return (layout){8, 7};
  case TL_DTYPE_F32:
    return (layout){8, 23};
  default:
    return (layout){11, 52};
  }
}

// On the bits. Rounding to nearest even may carry into the exponent, as it should. What the narrow
// exponent cannot hold overflows to an infinity or, its subnormals too, underflows to a zero. A NaN
// stays as it is, unless no mantissa is left to tell it from an infinity.
static uint64_t narrowed(uint64_t x, layout from, uint64_t e_bits, uint64_t m_bits) {
  uint64_t sign = (uint64_t)1 << (from.exponent + from.mantissa), infinity = sign;
  infinity -= (uint64_t)1 << from.mantissa;
  uint64_t minus = x & sign, y = x & ~sign;
  if (y > infinity) return m_bits > 0 ? x : minus | infinity;
  if (m_bits < from.mantissa) {
    uint64_t lost = from.mantissa - m_bits, last = (uint64_t)1 << lost;
    y += (last >> 1) - 1 + (y >> lost & 1);
    y &= ~(last - 1);
  }
  if (e_bits < from.exponent) {
    uint64_t bias = ((uint64_t)1 << (from.exponent - 1)) - 1,
             reach = ((uint64_t)1 << (e_bits - 1)) - 1, exponent = y >> from.mantissa;
    if (exponent > bias + reach) y = infinity;
    if (exponent <= bias - reach) y = 0;
  }
  return minus | y;
}

uint64_t tl_lanes_narrowed(uint64_t bits, tl_dtype d, uint64_t e_bits, uint64_t m_bits) {
  return narrowed(bits, layout_of(d), e_bits, m_bits);
}

// Of a float of at most a byte: in f32, which holds more of both parts, and rounded back. Exponents
// that the type itself has stay.
static tl_status reduce_byte(tl_ref_call *c, uint64_t e_bits, uint64_t m_bits) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  static const uint8_t own[TL_DTYPE_COUNT] = {
#define TL_MINIFLOAT(id, exponent, ...) [TL_DTYPE_##id] = exponent,
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  };
  const layout wide = layout_of(TL_DTYPE_F32);
  size_t count;
  TL_TRY(count_of(c, &count));
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&lanes, x->type.dtype, x->data, at, n);
    for (size_t i = 0; i < n; i++)
      lanes.f32[i] = tl_f32_of_bits(
          (uint32_t)narrowed(tl_bits_of_f32(lanes.f32[i]), wide,
                             e_bits < own[x->type.dtype] ? e_bits : wide.exponent, m_bits));
    tl_lanes_store(&lanes, TL_LANES_F32, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

tl_status ref_eval_REDUCE_PRECISION(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  layout from = layout_of(x->type.dtype);
  uint64_t e_bits = (uint64_t)tl_op_i64(c->op, TL_A_REDUCE_PRECISION_exponent_bits),
           m_bits = (uint64_t)tl_op_i64(c->op, TL_A_REDUCE_PRECISION_mantissa_bits);
  if (tl_dtype_get(x->type.dtype)->size == 1) return reduce_byte(c, e_bits, m_bits);
  size_t count, size = tl_dtype_get(x->type.dtype)->size;
  TL_TRY(count_of(c, &count));
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0; // little endian
    memcpy(&bits, (const unsigned char *)x->data + i * size, size);
    bits = narrowed(bits, from, e_bits, m_bits);
    memcpy((unsigned char *)out->data + i * size, &bits, size);
  }
  return TL_OK;
}
