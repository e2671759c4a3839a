// custom_call of the checks: equality by bits, closeness by units in the last place, and by an
// absolute difference. A program that fails one ends with what was found and what was wanted.
//
// Every NaN equals every NaN, whatever its bits. The first operand is what was found.
#include "ref/eval.h"

#include <math.h>
#include <stdio.h>

#include "ir/target.h"
#include "ref/lanes.h"

typedef struct pair { // one element of each operand
  tl_dtype dtype;     // as the program declares it
  tl_dtype_kind kind;
  uint64_t x_bits, y_bits;
  double x, y; // of floats
} pair;

static double as_f64(tl_dtype held, const void *data, size_t i) {
  tl_lanes lanes;
  tl_lanes_load_as(&lanes, TL_LANES_F64, held, data, i, 1);
  return lanes.f64[0];
}

// A tensor of complex numbers as one of their parts, twice as many.
static tl_tensor parts_of(const tl_tensor *t) {
  return (tl_tensor){{tl_dtype_part(t->type.dtype), t->type.rank, t->type.dims}, t->data};
}

// The element's bits in the declared dtype: at TL_REF_F64 a float is held wider, and is rounded.
static uint64_t bits_of(tl_dtype declared, const tl_tensor *t, size_t i) {
  const size_t size = tl_dtype_get(declared)->size;
  uint64_t bits = 0;
  if (t->type.dtype == declared) {
    memcpy(&bits, (const uint8_t *)t->data + i * size, size);
  } else {
    tl_lanes lanes;
    tl_lanes_load_as(&lanes, TL_LANES_F64, t->type.dtype, t->data, i, 1);
    tl_lanes_store(&lanes, TL_LANES_F64, declared, &bits, 0, 1);
  }
  return bits;
}

static bool both_nan(const pair *p) {
  return p->kind == TL_KIND_FLOAT && isnan(p->x) && isnan(p->y);
}

static bool ref_target_none(const tl_op *op, const pair *p) { // not a check
  (void)op, (void)p;
  return false;
}

static bool ref_target_eq(const tl_op *op, const pair *p) {
  (void)op;
  return p->x_bits == p->y_bits || both_nan(p);
}

// Floats in their order as integers: -0 and +0 are both 0, and neighbours differ by one.
static int64_t rank_of(uint64_t bits, tl_dtype d) {
  const uint32_t width = tl_dtype_get(d)->bits;
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int64_t magnitude = (int64_t)(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

static bool ref_target_close(const tl_op *op, const pair *p) {
  if (p->kind != TL_KIND_FLOAT) return p->x_bits == p->y_bits;
  if (isnan(p->x) || isnan(p->y)) return both_nan(p);
  if (isinf(p->x) || isinf(p->y)) return p->x == p->y;
  const int64_t x = rank_of(p->x_bits, p->dtype), y = rank_of(p->y_bits, p->dtype);
  const uint64_t ulp = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
  return ulp >= (uint64_t)tl_op_i64(op, TL_A_CUSTOM_CALL_min_ulp_difference) &&
         ulp <= (uint64_t)tl_op_i64(op, TL_A_CUSTOM_CALL_max_ulp_difference);
}

static bool ref_target_almost_eq(const tl_op *op, const pair *p) {
  if (p->kind != TL_KIND_FLOAT) return p->x_bits == p->y_bits;
  if (isnan(p->x) || isnan(p->y)) return both_nan(p);
  if (isinf(p->x) || isinf(p->y)) return p->x == p->y;
  return fabs(p->x - p->y) <= tl_op_f64(op, TL_A_CUSTOM_CALL_tolerance);
}

static bool (*const targets[TL_TARGET_COUNT])(const tl_op *, const pair *) = {
#define TL_TARGET(id, name, rule) [TL_TARGET_##id] = ref_target_##rule,
#include "ir/targets.def"
#undef TL_TARGET
};

enum { SPELLED = 40 };

static void spell(const pair *p, bool second, char out[SPELLED]) {
  const uint64_t bits = second ? p->y_bits : p->x_bits;
  const uint32_t unused = 64 - tl_dtype_get(p->dtype)->bits;
  if (p->kind == TL_KIND_BOOL)
    snprintf(out, SPELLED, "%s", bits ? "true" : "false");
  else if (p->kind == TL_KIND_UINT)
    snprintf(out, SPELLED, "%llu", (unsigned long long)bits);
  else if (p->kind == TL_KIND_INT)
    snprintf(out, SPELLED, "%lld", (long long)((int64_t)(bits << unused) >> unused));
  else
    snprintf(out, SPELLED, "%.*g", p->dtype == TL_DTYPE_F64 ? 17 : 9, second ? p->y : p->x);
}

// `part` tells the real part (1) from the imaginary one (2) of a complex number.
static tl_status differs(const tl_ref_call *c, const pair *p, size_t at, int part) {
  static const char *const parts[] = {"", "the real part of ", "the imaginary part of "};
  tl_buf index = {0};
  const tl_type t = c->in[0].type;
  size_t inner = 1;
  for (uint32_t d = 0; d < t.rank; d++)
    inner *= (size_t)t.dims[d];
  for (uint32_t d = 0; d < t.rank; d++) {
    inner /= (size_t)t.dims[d];
    tl_buf_printf(&index, "%s%zu", d ? ", " : "", at / inner % (size_t)t.dims[d]);
  }
  char found[SPELLED], wanted[SPELLED];
  spell(p, false, found);
  spell(p, true, wanted);
  tl_status st = TL_ERROR(FAILED_PRECONDITION, TL_STR_FMT ": %selement [%s] is %s, wanted %s",
                          TL_STR_ARG(tl_op_str(c->op, TL_A_CUSTOM_CALL_call_target_name)),
                          parts[part], tl_buf_view(&index).ptr, found, wanted);
  tl_buf_deinit(&index);
  return st;
}

tl_status ref_eval_CUSTOM_CALL(tl_ref_call *c) {
  tl_target target;
  if (!tl_target_of_name(tl_op_str(c->op, TL_A_CUSTOM_CALL_call_target_name), &target))
    return TL_ERROR(UNIMPLEMENTED, "custom_call: the target is not supported");
  if (target == TL_TARGET_SHAPE_ASSERTION) {
    const tl_str text = tl_op_str(c->op, TL_A_CUSTOM_CALL_error_message);
    if (*(const uint8_t *)c->in[0].data != 0) return TL_OK;
    return TL_ERROR(FAILED_PRECONDITION, "shape_assertion: " TL_STR_FMT, TL_STR_ARG(text));
  }
  if (target == TL_TARGET_DYNAMIC_REDUCE_WINDOW)
    return TL_ERROR(UNIMPLEMENTED,
                    "custom_call: windows that are known at run time only are not supported");
  const tl_dtype declared = c->op->operands[0]->type.dtype, dtype = tl_dtype_part(declared);
  const bool complex = dtype != declared;
  const tl_tensor x = parts_of(&c->in[0]), y = parts_of(&c->in[1]);
  pair p = {.dtype = dtype, .kind = tl_dtype_get(dtype)->kind};
  size_t n;
  if (!tl_type_count(c->in[0].type, &n)) return TL_ERROR(INTERNAL, "an operand without a size");
  for (size_t i = 0; i < (complex ? 2 * n : n); i++) {
    p.x_bits = bits_of(dtype, &x, i);
    p.y_bits = bits_of(dtype, &y, i);
    if (p.kind == TL_KIND_FLOAT) {
      p.x = as_f64(x.type.dtype, x.data, i);
      p.y = as_f64(y.type.dtype, y.data, i);
    }
    if (!targets[target](c->op, &p))
      return complex ? differs(c, &p, i / 2, 1 + (int)(i % 2)) : differs(c, &p, i, 0);
  }
  return TL_OK;
}
