// Packing: what comes out of the packed layout, read by formats.def alone, is what the stored
// blocks mean.
#include "cpu/kernels/testing.h"

#include "base/minifloat.h"

static float e4m3(uint8_t code) { return tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, code); }
static float e2m1(unsigned code) { // minus zero counts as zero
  return tl_f32_of_minifloat(TL_MINIFLOAT_F4E2M1FN, (uint8_t)code) + 0.0f;
}

// Element k of a stored row of K, from the definition of each format, one element at a time.
static float stored_at(tl_format f, const uint8_t *row, size_t k, size_t K) {
  const test_format *t = &test_formats[f];
  const uint8_t *s = row + k / t->block * t->bytes;
  const size_t i = k % t->block;
#define F16(at) tl_f32_of_f16((uint16_t)(s[at] | s[(at) + 1] << 8))
#define F32(p)                                                                       \
  tl_f32_of_bits((uint32_t)(p)[0] | (uint32_t)(p)[1] << 8 | (uint32_t)(p)[2] << 16 | \
                 (uint32_t)(p)[3] << 24)
  switch (f) {
  case TL_FORMAT_INT8:
    return (float)(int8_t)row[k] * F32(row + K);
  case TL_FORMAT_FP8:
    return e4m3(row[k]) * F32(row + K);
  case TL_FORMAT_FP8_BLOCK:
    return e4m3(row[k]) * F32(row + K + k / 128 * 4);
  case TL_FORMAT_NVFP4:
    return e4m3(row[K / 2 + k / 16]) * e2m1(row[k / 2] >> k % 2 * 4 & 15) *
           F32(row + K / 2 + K / 16);
  case TL_FORMAT_F32:
    return F32(s);
  case TL_FORMAT_F16:
    return F16(0);
  case TL_FORMAT_BF16:
    return tl_f32_of_bf16((uint16_t)(s[0] | s[1] << 8));
  case TL_FORMAT_Q8_0:
    return F16(0) * (float)(int8_t)s[2 + i];
  case TL_FORMAT_Q4_0:
    return F16(0) * (float)((i < 16 ? s[2 + i] & 15 : s[2 + i - 16] >> 4) - 8);
  case TL_FORMAT_Q4_1:
    return F16(0) * (float)(i < 16 ? s[4 + i] & 15 : s[4 + i - 16] >> 4) + F16(2);
  case TL_FORMAT_Q5_0:
    return F16(0) * (float)(((i < 16 ? s[6 + i] & 15 : s[6 + i - 16] >> 4) |
                             (s[2 + i / 8] >> i % 8 & 1) << 4) -
                            16);
  case TL_FORMAT_Q5_1:
    return F16(0) * (float)((i < 16 ? s[8 + i] & 15 : s[8 + i - 16] >> 4) |
                            (s[4 + i / 8] >> i % 8 & 1) << 4) +
           F16(2);
  case TL_FORMAT_Q4_K:
  case TL_FORMAT_Q5_K: {
    const size_t j = i / 32, l = i % 32; // sub-block, element
    const uint8_t *x = s + 4, *qs = s + (f == TL_FORMAT_Q4_K ? 16 : 48);
    int sc = j < 4 ? x[j] & 63 : (x[j + 4] & 15) | (x[j - 4] >> 6) << 4;
    int mn = j < 4 ? x[j + 4] & 63 : x[j + 4] >> 4 | (x[j] >> 6) << 4;
    int q = qs[j / 2 * 32 + l] >> (j % 2 * 4) & 15;
    if (f == TL_FORMAT_Q5_K) q |= (s[16 + l] >> j & 1) << 4;
    return F16(0) * (float)sc * (float)q - F16(2) * (float)mn;
  }
  case TL_FORMAT_Q6_K: {
    const size_t half = i / 128, n = i % 128, l = n % 32;
    int low = s[half * 64 + n % 64] >> (n / 64 * 4) & 15,
        high = s[128 + half * 32 + l] >> (n / 32 * 2) & 3;
    return F16(208) * (float)(int8_t)s[192 + i / 16] * (float)((low | high << 4) - 32);
  }
  case TL_FORMAT_COUNT:
    break;
  }
#undef F16
#undef F32
  fail();
  return 0;
}

// Element (row r of the group, k) of a packed group, from the picture in formats.def.
static float packed_at(tl_format f, const uint8_t *g, const tl_format_planes *p, size_t r,
                       size_t k) {
  const test_format *t = &test_formats[f];
#define F16(at) tl_f32_of_f16((uint16_t)(g[at] | g[(at) + 1] << 8))
#define U32(at)                                                                 \
  ((uint32_t)g[at] | (uint32_t)g[(at) + 1] << 8 | (uint32_t)g[(at) + 2] << 16 | \
   (uint32_t)g[(at) + 3] << 24)
  if (f == TL_FORMAT_F32) return tl_f32_of_bits(U32((k * 16 + r) * 4));
  const size_t pair = ((k / 2 * 16 + r) * 2 + k % 2) * 2;
  if (f == TL_FORMAT_F16) return F16(pair);
  if (f == TL_FORMAT_BF16) return tl_f32_of_bf16((uint16_t)(g[pair] | g[pair + 1] << 8));
  int q;
  if (t->code_bits == 8) {
    q = (int8_t)g[p->codes + (k / 4 * 16 + r) * 4 + k % 4];
  } else {
    uint8_t byte = g[p->codes + (k / 8 * 16 + r) * 4 + k % 4];
    q = k % 8 < 4 ? byte & 15 : byte >> 4;
  }
  if (t->high_bits == 1) q |= (int)(U32(p->high + (k / 32 * 16 + r) * 4) >> k % 32 & 1) << 4;
  if (t->high_bits == 2) q |= (int)(U32(p->high + (k / 16 * 16 + r) * 4) >> 2 * (k % 16) & 3) << 4;
  const size_t d32 = (k / 32 * 16 + r) * 2, d256 = (k / 256 * 16 + r) * 2;
  const float row = tl_scale_of_row(t->scale) ? tl_f32_of_bits(U32(p->row + r * 4)) : 1;
  switch (t->scale) {
  case TL_SCALE_r:
    return (float)q * row;
  case TL_SCALE_fr:
    return e4m3((uint8_t)q) * row;
  case TL_SCALE_fb:
    return e4m3((uint8_t)q) * tl_f32_of_bits(U32(p->d + (k / 128 * 16 + r) * 4));
  case TL_SCALE_er:
    return e4m3(g[p->sc + k / 16 * 16 + r]) * e2m1((unsigned)q) * row;
  case TL_SCALE_d:
    return F16(p->d + d32) * (float)(q - t->zero);
  case TL_SCALE_dm:
    return F16(p->d + d32) * (float)q + F16(p->m + d32);
  case TL_SCALE_kd:
    return F16(p->d + d256) * (float)(int8_t)g[p->sc + k / 16 * 16 + r] * (float)(q - t->zero);
  case TL_SCALE_kdm:
    return F16(p->d + d256) * (float)g[p->sc + k / 32 * 16 + r] * (float)q -
           F16(p->m + d256) * (float)g[p->mn + k / 32 * 16 + r];
  default:
    fail();
    return 0;
  }
#undef F16
#undef U32
}

static void test_pack(void **state) {
  (void)state;
  static const size_t rows[] = {1, 15, 16, 17, 48}, ks[] = {1, 2, 7, 32, 64, 96, 256, 512, 33};
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++)
    for (size_t ri = 0; ri < TL_COUNT(rows); ri++)
      for (size_t ki = 0; ki < TL_COUNT(ks); ki++) {
        const size_t R = rows[ri], K = ks[ki];
        if (K % test_formats[f].block != 0) continue;
        tl_pack_args a = {.format = (tl_format)f, .R = R, .K = K};
        a.group_size = test_group(a.format, K, &a.planes);
        a.row_size = test_row_size(a.format, K);
        a.g1 = (R + 15) / 16;
        uint8_t *stored = malloc(R * a.row_size), *packed = test_alloc(a.g1 * a.group_size);
        for (size_t r = 0; r < R; r++)
          test_row(a.format, stored + r * a.row_size, K);
        a.rows = stored;
        a.packed = packed;
        tl_pack(&a);

        float *want = test_alloc(R * K * sizeof *want),
              *got = test_alloc(R * (K + 3) * sizeof *got);
        int32_t *at = malloc((R + 2) * sizeof *at);
        for (size_t r = 0; r < R; r++)
          for (size_t k = 0; k < K; k++) {
            want[r * K + k] = stored_at(a.format, stored + r * a.row_size, k, K);
            float w = packed_at(a.format, packed + r / 16 * a.group_size, &a.planes, r % 16, k);
            if (tl_bits_of_f32(w) != tl_bits_of_f32(want[r * K + k]))
              fail_msg("%s R %zu K %zu: packed (%zu, %zu) is %a, stored %a", test_formats[f].name,
                       R, K, r, k, (double)w, (double)want[r * K + k]);
          }
        for (size_t r = R; r < a.g1 * 16; r++) // padding: zero bytes read back as zero
          for (size_t k = 0; k < K; k++)
            assert_true(packed_at(a.format, packed + r / 16 * a.group_size, &a.planes, r % 16, k) ==
                        0.0f);

        for (size_t r = 0; r < R; r++)
          at[r] = (int32_t)(R - 1 - r);
        tl_unpack_args u = {.format = a.format,
                            .planes = a.planes,
                            .group_size = a.group_size,
                            .packed = packed,
                            .R = R,
                            .K = K,
                            .rows = at,
                            .n = R,
                            .out = got,
                            .out_stride = K + 3};
        tl_unpack_rows(&u);
        for (size_t r = 0; r < R; r++)
          assert_memory_equal(got + r * (K + 3), want + (R - 1 - r) * K, K * sizeof *got);
        at[0] = -5, at[1] = INT32_MAX; // clamped
        u.rows = at, u.n = 2, u.out_stride = 0;
        tl_unpack_rows(&u);
        assert_memory_equal(got, want + (R - 1) * K, K * sizeof *got);
        free(stored), free(packed), free(want), free(got), free(at);
      }
}

// Groups packed one at a time, in any order, give the same bytes; every byte of a group is written.
static void test_ranges(void **state) {
  (void)state;
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    tl_pack_args a = {.format = (tl_format)f, .R = 45, .K = 512};
    a.group_size = test_group(a.format, a.K, &a.planes);
    a.row_size = test_row_size(a.format, a.K);
    uint8_t *stored = malloc(a.R * a.row_size), *one = test_alloc(3 * a.group_size),
            *two = test_alloc(3 * a.group_size);
    for (size_t r = 0; r < a.R; r++)
      test_row(a.format, stored + r * a.row_size, a.K);
    a.rows = stored;
    a.g1 = 3, a.packed = one;
    tl_pack(&a);
    memset(two, 0, 3 * a.group_size);
    a.packed = two;
    for (size_t g = 3; g-- > 0;)
      a.g0 = g, a.g1 = g + 1, tl_pack(&a);
    assert_memory_equal(one, two, 3 * a.group_size);
    free(stored), free(one), free(two);
  }
}

// Packing moves bits and loses none: each bit of a stored row is one bit of its group, and no two
// are the same one.
static void test_no_bit_is_lost(void **state) {
  (void)state;
  enum { R = 18, ROW = 17 };
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    tl_pack_args a = {
        .format = (tl_format)f, .R = R, .K = test_formats[f].block == 256 ? 512 : 160};
    a.group_size = test_group(a.format, a.K, &a.planes);
    a.row_size = test_row_size(a.format, a.K);
    a.g1 = 2;
    const size_t size = 2 * a.group_size;
    uint8_t *stored = malloc(R * a.row_size), *before = test_alloc(size), *after = test_alloc(size),
            *seen = calloc(size, 1);
    for (size_t r = 0; r < R; r++)
      test_row(a.format, stored + r * a.row_size, a.K);
    a.rows = stored, a.packed = before;
    tl_pack(&a);
    a.packed = after;
    for (size_t bit = 0; bit < 8 * a.row_size; bit++) {
      stored[ROW * a.row_size + bit / 8] ^= (uint8_t)(1 << bit % 8);
      tl_pack(&a);
      stored[ROW * a.row_size + bit / 8] ^= (uint8_t)(1 << bit % 8);
      size_t changed = 0;
      for (size_t i = 0; i < size; i++) {
        const uint8_t x = before[i] ^ after[i];
        changed += (size_t)__builtin_popcount(x);
        assert_int_equal(seen[i] & x, 0);
        seen[i] |= x;
      }
      assert_int_equal(changed, 1);
    }
    free(stored), free(before), free(after), free(seen);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pack), cmocka_unit_test(test_ranges),
                                     cmocka_unit_test(test_no_bit_is_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
