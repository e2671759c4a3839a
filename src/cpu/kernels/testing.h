// What the tests of this folder share: random numbers, the variants that this CPU can run, sizes of
// packed matrices.
#ifndef TL_CPU_KERNELS_TESTING_H
#define TL_CPU_KERNELS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cpuinfo.h"
#include "cpu/kernels/kernels.h"
#include "ref/elementary.h"

static uint64_t test_state = 0x9e3779b97f4a7c15u;
TL_UNUSED static uint32_t test_u32(void) {
  test_state ^= test_state << 13;
  test_state ^= test_state >> 7;
  test_state ^= test_state << 17;
  return (uint32_t)(test_state >> 32);
}
TL_UNUSED static float test_f32(void) { return (float)(int32_t)test_u32() * 0x1p-31f; } // [-1, 1)
TL_UNUSED static void test_fill(float *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = test_f32();
}

// 64-byte aligned, filled with NaN patterns so that reading what nobody wrote shows; and not a byte
// larger, so that reading behind it shows to memcheck and to the sanitizers.
TL_UNUSED static void *test_alloc(size_t size) {
  void *p = NULL;
  if (posix_memalign(&p, 64, TL_MAX(size, (size_t)1)) != 0 || p == NULL) abort();
  memset(p, 0xff, size);
  return p;
}

// Whether memcheck runs this (valgrind.sh says so): it has no more than 64 bits for a long double,
// and NaNs that arise have other signs than the CPU's.
TL_UNUSED static bool test_memcheck(void) { return getenv("TLALOC_MEMCHECK") != NULL; }

// Variant i, NULL where this CPU cannot run it. The one after the last is the test's own, made by
// including a kernel's source with amx_emulated.h; test_stand_in may give something for a variant
// that the CPU lacks (amx_trap.h).
static const tl_kernels *test_emulated;
static const tl_kernels *(*test_stand_in)(const tl_kernels *row);
TL_UNUSED static const tl_kernels *test_variant(size_t i) {
  if (i == tl_kernels_count()) return test_emulated;
  const tl_kernels *row = tl_kernels_at(i);
  if ((row->isa & ~tl_cpu_isa_all()) == 0) return row;
  return test_stand_in != NULL ? test_stand_in(row) : NULL;
}
// `for (TEST_EACH_VARIANT(k))` over the variants there are, scalar first.
#define TEST_EACH_VARIANT(k)   \
  size_t i_##k = 0;            \
  i_##k <= tl_kernels_count(); \
  i_##k++) for (const tl_kernels *k = test_variant(i_##k); k != NULL; k = NULL

// Whom a product tells of its results (tl_made): each once, when it is there, and in pairs of
// groups but for the last. y was filled with ones.
typedef struct test_told {
  const float *y;
  size_t ys, R, T, end; // end: of the groups
  uint8_t *times;       // [T][end]
} test_told;
TL_UNUSED static void test_tell(void *whom, size_t t0, size_t t1, size_t g0, size_t g1) {
  test_told *d = whom;
  assert_true(t0 < t1 && t1 <= d->T && g0 < g1 && g1 <= d->end && (g1 - g0) % 2 <= (g1 == d->end));
  for (size_t t = t0; t < t1; t++)
    for (size_t g = g0; g < g1; g++) {
      d->times[t * d->end + g]++;
      for (size_t r = 16 * g; r < TL_MIN(16 * g + 16, d->R); r++)
        assert_int_not_equal(tl_bits_of_f32(d->y[t * d->ys + r]), 0xffffffff);
    }
}
TL_UNUSED static test_told test_told_of(const float *y, size_t ys, size_t T, size_t R) {
  test_told d = {y, ys, R, T, (R + 15) / 16, NULL};
  d.times = calloc(T * d.end + 1, 1);
  assert_non_null(d.times);
  return d;
}
// Of every result, once.
TL_UNUSED static void test_told_of_all(test_told *d) {
  for (size_t i = 0; i < d->T * d->end; i++)
    assert_int_equal(d->times[i], 1);
  free(d->times);
}

// A test that names what this CPU leaves unchecked.
TL_UNUSED static void test_variants(void **state) {
  (void)state;
  bool all = true;
  for (size_t i = 0; i < tl_kernels_count(); i++) {
    char lacks[128];
    const tl_kernels *row = tl_kernels_at(i), *found = test_variant(i);
    if (found == row) continue;
    tl_isa_text(row->isa & ~tl_cpu_isa_all(), lacks, sizeof lacks);
    print_message("%s: %s, this CPU lacks %s\n", found ? "emulated" : "not checked", row->variant,
                  lacks);
    all = false;
  }
  if (!all) skip();
}

TL_UNUSED static void test_same(const tl_kernels *k, const char *what, const float *got,
                                const float *want, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (tl_bits_of_f32(got[i]) != tl_bits_of_f32(want[i]))
      fail_msg("%s %s: element %zu is %a, want %a", k->variant, what, i, (double)got[i],
               (double)want[i]);
}

typedef struct test_format {
  const char *name;
  size_t block, bytes;
  int code_bits, high_bits;
  tl_scale_kind scale;
  int zero;
} test_format;
static const test_format test_formats[TL_FORMAT_COUNT] = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_FORMAT_##id] = {name, block, bytes, code_bits, high_bits, TL_SCALE_##scale, zero},
#include "ir/formats.def"
#undef TL_FORMAT
};

TL_UNUSED static bool test_of_rows(tl_format f) { // scales behind all codes
  return tl_scale_of_row(test_formats[f].scale) || test_formats[f].scale == TL_SCALE_fb;
}
TL_UNUSED static size_t test_row_size(tl_format f, size_t k) {
  const test_format *t = &test_formats[f];
  return k / t->block * t->bytes + (tl_scale_of_row(t->scale) ? 4
                                    : t->scale == TL_SCALE_fb ? (k + 127) / 128 * 4
                                                              : 0);
}

// The plane sizes, from the comment in formats.def.
TL_UNUSED static size_t test_group(tl_format f, size_t k, tl_format_planes *p) {
  const test_format *t = &test_formats[f];
  if (t->code_bits == 0) {
    *p = (tl_format_planes){0};
    return t->bytes == 4 ? k * 64 : (k + 1) / 2 * 64;
  }
  size_t at = 0;
  p->codes = at, at += t->code_bits == 8 ? k / 4 * 64 : k / 8 * 64;
  p->high = at, at += t->high_bits == 1 ? k / 32 * 64 : t->high_bits == 2 ? k / 16 * 64 : 0;
  p->sc = at, at += t->scale == TL_SCALE_kd || t->scale == TL_SCALE_er ? k / 16 * 16
                    : t->scale == TL_SCALE_kdm                         ? k / 32 * 16
                                                                       : 0;
  p->mn = at, at += t->scale == TL_SCALE_kdm ? k / 32 * 16 : 0;
  const size_t d = t->scale == TL_SCALE_d || t->scale == TL_SCALE_dm ? k / 32 * 32
                   : t->scale == TL_SCALE_fb                         ? (k + 127) / 128 * 64
                   : tl_scale_of_row(t->scale)                       ? 0
                                                                     : k / 256 * 32;
  p->d = at, at += d;
  p->m = at, at += t->scale == TL_SCALE_dm || t->scale == TL_SCALE_kdm ? d : 0;
  p->row = at, at += tl_scale_of_row(t->scale) ? 64 : 0;
  p->size = at;
  return at;
}

// A stored row of random codes and scales of sane size.
TL_UNUSED static void test_row(tl_format f, uint8_t *row, size_t k) {
  const test_format *t = &test_formats[f];
  const size_t blocks = k / t->block, row_size = test_row_size(f, k);
  for (size_t i = 0; i < row_size; i++)
    row[i] = (uint8_t)test_u32();
  if (test_of_rows(f)) {
    const size_t codes = k * (size_t)t->code_bits / 8, scales = row_size - blocks * t->bytes;
    for (size_t i = 0; i < row_size - scales; i++) // no NaN
      if ((tl_scale_is_fp8(t->scale) || i >= codes) && (row[i] & 0x7f) == 0x7f) row[i] ^= 1;
    for (size_t i = row_size - scales; i < row_size; i += 4) {
      const float s = test_f32() * 0.05f;
      memcpy(row + i, &s, 4);
    }
    return;
  }
  for (size_t b = 0; b < blocks; b++) {
    uint8_t *at = row + b * t->bytes;
    uint16_t h = tl_f16_of_f32(test_f32() * 0.01f), m = tl_f16_of_f32(test_f32() * 0.05f);
    float x = test_f32();
    switch (f) {
    case TL_FORMAT_F32:
      memcpy(at, &x, 4);
      break;
    case TL_FORMAT_F16:
      h = tl_f16_of_f32(x), memcpy(at, &h, 2);
      break;
    case TL_FORMAT_BF16:
      h = tl_bf16_of_f32(x), memcpy(at, &h, 2);
      break;
    case TL_FORMAT_Q6_K:
      memcpy(at + 208, &h, 2);
      break;
    default:
      memcpy(at, &h, 2);
      if (t->scale == TL_SCALE_dm || t->scale == TL_SCALE_kdm) memcpy(at + 2, &m, 2);
    }
  }
}

// A random packed matrix and its numbers.
typedef struct test_matrix {
  tl_format f;
  tl_format_planes planes;
  size_t group_size, R, K;
  uint8_t *packed;
  float *w;   // [R, K], without the scales of rows
  float *row; // [R] those, else ones
} test_matrix;

TL_UNUSED static test_matrix test_matrix_make(tl_format f, size_t R, size_t K) {
  test_matrix m = {.f = f, .R = R, .K = K};
  m.group_size = test_group(f, K, &m.planes);
  const size_t row_size = test_row_size(f, K), groups = (R + 15) / 16;
  uint8_t *stored = malloc(R * row_size);
  for (size_t r = 0; r < R; r++)
    test_row(f, stored + r * row_size, K);
  m.packed = test_alloc(groups * m.group_size);
  tl_pack(&(tl_pack_args){.format = f,
                          .planes = m.planes,
                          .group_size = m.group_size,
                          .rows = stored,
                          .row_size = row_size,
                          .R = R,
                          .K = K,
                          .packed = m.packed,
                          .g1 = groups});
  m.w = test_alloc(R * K * sizeof *m.w);
  m.row = test_alloc(R * sizeof *m.row);
  const float one = 1; // as which they are unpacked
  for (size_t r = 0; r < R; r++) {
    m.row[r] = 1;
    if (!tl_scale_of_row(test_formats[f].scale)) continue;
    uint8_t *at = m.packed + r / 16 * m.group_size + m.planes.row + r % 16 * 4;
    memcpy(&m.row[r], at, 4);
    memcpy(at, &one, 4);
  }
  int32_t *rows = malloc(R * sizeof *rows);
  for (size_t r = 0; r < R; r++)
    rows[r] = (int32_t)r;
  tl_unpack_rows(&(tl_unpack_args){.format = f,
                                   .planes = m.planes,
                                   .group_size = m.group_size,
                                   .packed = m.packed,
                                   .R = R,
                                   .K = K,
                                   .rows = rows,
                                   .n = R,
                                   .out = m.w,
                                   .out_stride = K});
  for (size_t r = 0; r < R; r++)
    if (tl_scale_of_row(test_formats[f].scale))
      memcpy(m.packed + r / 16 * m.group_size + m.planes.row + r % 16 * 4, &m.row[r], 4);
  free(stored), free(rows);
  return m;
}

TL_UNUSED static void test_matrix_free(test_matrix *m) {
  free(m->packed), free(m->w), free(m->row);
}

#endif
