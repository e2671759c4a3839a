// What the tests of the interpreter share: one-op functions built in a line, and bytes compared as
// elements.
#ifndef TL_REF_REF_TEST_H
#define TL_REF_REF_TEST_H

#include "base/test.h"

#include <math.h>

#include "base/half.h"
#include "base/minifloat.h"
#include "ir/build.h"
#include "ref/ref.h"

#define DIMS(...) \
  (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
#define TENSOR(array, dtype, ...)                                                  \
  ((tl_tensor){{(dtype), sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
                (const int64_t[]){__VA_ARGS__}},                                   \
               (array)})
#define SCALAR(pointer, dtype) ((tl_tensor){{(dtype), 0, NULL}, (pointer)})

typedef struct fixture {
  tl_module *m;
  tl_builder b;
  tl_func *fn;
  tl_arena *arena; // for outputs
  bool finished;
} fixture;

TL_UNUSED static fixture fixture_begin(void) {
  fixture f = {.m = tl_module_create(), .arena = tl_arena_create()};
  assert_non_null(f.m);
  assert_non_null(f.arena);
  f.b = tl_func_begin(f.m, "main", false);
  f.fn = f.b.fn;
  return f;
}

TL_UNUSED static void fixture_end(fixture *f) {
  tl_module_destroy(f->m);
  tl_arena_destroy(f->arena);
}

// Ends @main with these results, verifies, runs it; the outputs live until fixture_end.
TL_UNUSED static void fixture_run(fixture *f, tl_ref_mode mode, const tl_value *results, uint32_t n,
                                  const tl_tensor *inputs, size_t n_inputs, tl_tensor *outputs) {
  if (!f->finished) {
    f->finished = true;
    tlo_return(&f->b, results, n);
    assert_ok(tl_builder_finish(&f->b));
    tl_diags diags = {0};
    assert_ok(tl_module_verify(f->m, &diags));
    tl_diags_deinit(&diags);
  }
  assert_ok(tl_ref_run(f->fn, mode, inputs, n_inputs, f->arena, outputs, 0));
}

// Elements, or parts of complex ones.
TL_UNUSED static bool count_parts(tl_type t, size_t *out) {
  return tl_type_count(t, out) &&
         TL_MUL_OK(*out, tl_dtype_part(t.dtype) == t.dtype ? (size_t)1 : (size_t)2, out);
}

// Element i of a float tensor, or of an integer one, as f64; of complex numbers part i.
TL_UNUSED static double element(const tl_tensor *t, size_t i) {
  switch (tl_dtype_part(t->type.dtype)) {
#define TL_MINIFLOAT(id, ...) \
  case TL_DTYPE_##id:         \
    return (double)tl_f32_of_minifloat(TL_MINIFLOAT_##id, ((const uint8_t *)t->data)[i]);
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  case TL_DTYPE_F16:
    return (double)tl_f32_of_f16(((const uint16_t *)t->data)[i]);
  case TL_DTYPE_BF16:
    return (double)tl_f32_of_bf16(((const uint16_t *)t->data)[i]);
  case TL_DTYPE_F32:
    return (double)((const float *)t->data)[i];
  case TL_DTYPE_F64:
    return ((const double *)t->data)[i];
  case TL_DTYPE_S32:
    return ((const int32_t *)t->data)[i];
  case TL_DTYPE_S64:
    return (double)((const int64_t *)t->data)[i];
  default:
    fail_msg("element: dtype %d", (int)t->type.dtype);
    return 0;
  }
}

// The distance of two floats of a type in units of the last place: patterns ordered as numbers are.
TL_UNUSED static uint64_t ulps(tl_dtype d, double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
  int64_t x, y;
  d = tl_dtype_part(d);
  switch (d) {
  case TL_DTYPE_F64:
    memcpy(&x, &a, 8), memcpy(&y, &b, 8);
    break;
  case TL_DTYPE_F32:
    x = (int64_t)((uint64_t)tl_bits_of_f32((float)a) << 32),
    y = (int64_t)((uint64_t)tl_bits_of_f32((float)b) << 32);
    break;
  case TL_DTYPE_F16:
    x = (int64_t)((uint64_t)tl_f16_of_f64(a) << 48),
    y = (int64_t)((uint64_t)tl_f16_of_f64(b) << 48);
    break;
  default:
    x = (int64_t)((uint64_t)tl_bf16_of_f64(a) << 48),
    y = (int64_t)((uint64_t)tl_bf16_of_f64(b) << 48);
    break;
  }
  x = x < 0 ? -(x & INT64_MAX) : x;
  y = y < 0 ? -(y & INT64_MAX) : y;
  uint64_t distance = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
  return distance >> (d == TL_DTYPE_F64 ? 0 : d == TL_DTYPE_F32 ? 32 : 48);
}

#endif
