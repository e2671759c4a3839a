// The special functions over numbers: special.inc with C's arithmetic, and the ops' meanings.
#include "ref/special.h"

#include <math.h>
#include <string.h>

#include "ir/special.h"
#include "ref/elementary_f64.h"
#include "ref/eval.h"
#include "ref/lanes.h"

static inline double poly(const double *c, size_t n, double x) { // Horner, every operation rounded
  double y = c[n - 1];
  for (size_t i = n - 1; i > 0; i--)
    y = y * x + c[i - 1];
  return y;
}

static inline double at(const double *table, size_t n, double i) {
  double last = (double)(n - 1);
  return table[i > 0 ? (size_t)(i < last ? i : last) : 0]; // of NaN the first
}

static inline double head(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= UINT64_C(0xfffffffff8000000);
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define NUM double
#define BOOL bool
#define CTX
#define ARG
#define FN(name) sf_##name
#define K(c) ((double)(c))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define NEG(x) (-(x))
#define ABS(x) fabs(x)
#define SQRT(x) sqrt(x)
#define EXP(x) tl_exp_f64(x)
#define EXPM1(x) tl_expm1_f64(x)
#define LOG(x) tl_log_f64(x)
#define LOG1P(x) tl_log1p_f64(x)
#define SIN(x) tl_sin_f64(x)
#define COS(x) tl_cos_f64(x)
#define POW(x, y) tl_pow_f64(x, y)
#define ATAN2(y, x) tl_atan2_f64(y, x)
#define FLOOR(x) floor(x)
#define CEIL(x) ceil(x)
#define ROUND(x) rint(x)
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define EQ(x, y) ((x) == (y))
#define AND(p, q) ((p) && (q))
#define SELECT(p, x, y) ((p) ? (x) : (y))
#define POLY(table, x) poly(TL_SPECIAL_##table, TL_COUNT(TL_SPECIAL_##table), x)
#define AT(table, i) at(TL_SPECIAL_##table, TL_COUNT(TL_SPECIAL_##table), i)
#define HEAD(x) head(x)
#define COPYSIGN(x, y) copysign(x, y)
#define MAX(x, y) tl_max_f64(x, y)
#define MIN(x, y) tl_min_f64(x, y)
#include "ir/special.inc"
#include "ir/special_complex.inc"

#define UNARY_1(name) sf_##name
#define UNARY_2(name) NULL
#define BINARY_1(name) NULL
#define BINARY_2(name) sf_##name
static const tl_special rows[] = {
#define TL_SPECIAL(id, name, n) {#name, n, UNARY_##n(name), BINARY_##n(name), NULL},
#define TL_SPECIAL_COMPLEX(id, name, n) {#name, n, sf_##name, NULL, sf_##name##_complex},
#include "ir/special.def"
#undef TL_SPECIAL
};
enum { // the row of each op
#define TL_SPECIAL(id, name, n) ROW_##id,
#include "ir/special.def"
#undef TL_SPECIAL
};

const tl_special *tl_special_get(tl_opcode code) {
  switch (code) {
#define TL_SPECIAL(id, name, n) \
  case TL_OP_##id:              \
    return &rows[ROW_##id];
#include "ir/special.def"
#undef TL_SPECIAL
  default:
    return NULL;
  }
}

static tl_status eval(tl_ref_call *c, const tl_special *f) {
  const tl_tensor *out = &c->out[0].t;
  size_t count;
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large", f->name);
  tl_lanes x, y;
  bool is_complex = tl_dtype_get(out->type.dtype)->kind == TL_KIND_COMPLEX;
  for (size_t i = 0; is_complex && i < count; i += TL_LANES) {
    size_t n = TL_MIN(count - i, TL_LANES);
    tl_lanes_load_as(&x, TL_LANES_C128, out->type.dtype, c->in[0].data, i, n);
    for (size_t k = 0; k < n; k++)
      f->complex(x.c128[k].re, x.c128[k].im, &x.c128[k].re, &x.c128[k].im);
    tl_lanes_store(&x, TL_LANES_C128, out->type.dtype, out->data, i, n);
  }
  if (is_complex) return TL_OK;
  for (size_t i = 0; i < count; i += TL_LANES) {
    size_t n = TL_MIN(count - i, TL_LANES);
    tl_lanes_load_as(&x, TL_LANES_F64, out->type.dtype, c->in[0].data, i, n);
    if (f->n_operands == 2)
      tl_lanes_load_as(&y, TL_LANES_F64, out->type.dtype, c->in[1].data, i, n);
    for (size_t k = 0; k < n; k++)
      x.f64[k] = f->n_operands == 2 ? f->binary(x.f64[k], y.f64[k]) : f->unary(x.f64[k]);
    tl_lanes_store(&x, TL_LANES_F64, out->type.dtype, out->data, i, n);
  }
  return TL_OK;
}

#define TL_SPECIAL(id, name, n) \
  tl_status ref_eval_##id(tl_ref_call *c) { return eval(c, &rows[ROW_##id]); }
#include "ir/special.def"
#undef TL_SPECIAL
