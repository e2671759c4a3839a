// int8_matmul and quantize_int8 in every format and variant: bits of plain loops over the codes,
// scales and minima that ir/formats.def's picture says, at sizes around every tile.
// AMX runs here as itself where the CPU has it, and emulated everywhere.
#include "cpu/kernels/testing.h"

#include <math.h>

#include "base/minifloat.h"

#define AMX_EMULATED 1
#define V_AMX 1
#define V_FEW(name) tl_##name##_scalar
#include "cpu/kernels/v16_scalar.h"
void V(int8_matmul)(const tl_int8_matmul_args *a);
#include "cpu/kernels/int8.inc"
#include "cpu/kernels/amx_trap.h"

static bool has_integers(size_t f) {
  return test_formats[f].code_bits != 0 && !tl_scale_is_fp8(test_formats[f].scale);
}

// Element k of row r of a packed group: its code less the format's zero.
static int code_at(const test_matrix *m, const uint8_t *group, size_t r, size_t k) {
  const test_format *f = &test_formats[m->f];
  if (f->code_bits == 8) return (int8_t)group[k / 4 * 64 + r * 4 + k % 4];
  int q = group[k / 8 * 64 + r * 4 + k % 4] >> (k / 4 % 2 * 4) & 15;
  if (f->scale == TL_SCALE_er) {
    static const int halves[] = {0, 1, 2, 3, 4, 6, 8, 12};
    return q & 8 ? -halves[q & 7] : halves[q];
  }
  uint32_t high = 0;
  if (f->high_bits == 1) {
    memcpy(&high, group + m->planes.high + (k / 32 * 16 + r) * 4, 4);
    q |= (int)(high >> k % 32 & 1) << 4;
  } else if (f->high_bits == 2) {
    memcpy(&high, group + m->planes.high + (k / 16 * 16 + r) * 4, 4);
    q |= (int)(high >> 2 * (k % 16) & 3) << 4;
  }
  return q - f->zero;
}

static float half_at(const uint8_t *plane, size_t i) {
  uint16_t h;
  memcpy(&h, plane + 2 * i, 2);
  return tl_f32_of_f16(h);
}

static size_t run_of(const test_format *f) {
  return f->scale == TL_SCALE_kd || f->scale == TL_SCALE_er ? 16 : 32;
}

static void scales_at(const test_matrix *m, const uint8_t *group, size_t r, size_t k, float *S,
                      float *M) {
  const tl_format_planes *p = &m->planes;
  *M = 0;
  switch (test_formats[m->f].scale) {
  case TL_SCALE_none:
  case TL_SCALE_fr:
  case TL_SCALE_fb:
    fail();
    break;
  case TL_SCALE_r:
    *S = 1;
    break;
  case TL_SCALE_er:
    *S = 0.5f * tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, group[p->sc + k / 16 * 16 + r]);
    break;
  case TL_SCALE_dm:
    *M = half_at(group + p->m, k / 32 * 16 + r); // fall through
  case TL_SCALE_d:
    *S = half_at(group + p->d, k / 32 * 16 + r);
    break;
  case TL_SCALE_kd:
    *S = half_at(group + p->d, k / 256 * 16 + r) * (int8_t)group[p->sc + k / 16 * 16 + r];
    break;
  case TL_SCALE_kdm:
    *S = half_at(group + p->d, k / 256 * 16 + r) * group[p->sc + k / 32 * 16 + r];
    *M = -(half_at(group + p->m, k / 256 * 16 + r) * group[p->mn + k / 32 * 16 + r]);
    break;
  }
}

static float one(const test_matrix *m, const int8_t *q, const float *d, size_t row) {
  const test_format *f = &test_formats[m->f];
  const uint8_t *group = m->packed + row / 16 * m->group_size;
  const size_t run = run_of(f);
  float total = 0, low = 0, acc = 0, acc_low = 0;
  for (size_t s = 0; s < m->K / run; s++) {
    int sum = 0, codes = 0;
    for (size_t k = s * run; k < (s + 1) * run; k++) {
      sum += q[k] * code_at(m, group, row % 16, k);
      codes += q[k];
    }
    float S = 0, M = 0, scale = d[s * run / 32];
    scales_at(m, group, row % 16, s * run, &S, &M);
    acc = fmaf(scale * S, (float)sum, acc);
    acc_low = fmaf(scale * (float)codes, M, acc_low);
    if (s % 64 == 63) total += acc, low += acc_low, acc = acc_low = 0;
  }
  total += acc, low += acc_low;
  if (tl_scale_of_row(f->scale)) total *= m->row[row];
  return f->scale == TL_SCALE_dm || f->scale == TL_SCALE_kdm ? total + low : total;
}

static void check(const test_matrix *m, size_t T, bool extreme) {
  const size_t K = m->K, R = m->R, ys = R + 5;
  int8_t *q = test_alloc(T * K);
  float *d = test_alloc(T * K / 32 * sizeof *d), *want = test_alloc(T * ys * sizeof *want),
        *y = test_alloc(T * ys * sizeof *y);
  for (size_t i = 0; i < T * K; i++)
    q[i] = extreme ? (test_u32() & 1 ? 127 : -127) : (int8_t)((int)(test_u32() % 255) - 127);
  test_fill(d, T * K / 32);
  for (size_t t = 0; t < T; t++)
    for (size_t r = 0; r < R; r++)
      want[t * ys + r] = one(m, q + t * K, d + t * (K / 32), r);
  for (TEST_EACH_VARIANT(k)) {
    memset(y, 0xff, T * ys * sizeof *y);
    void *scratch = test_alloc(tl_int8_matmul_scratch_size(T, K));
    tl_int8_matmul_args a = {.format = m->f,
                             .planes = m->planes,
                             .group_size = m->group_size,
                             .w = m->packed,
                             .q = q,
                             .d = d,
                             .y = y,
                             .y_stride = ys,
                             .R = R,
                             .K = K,
                             .t1 = T,
                             .g1 = (R + 15) / 16,
                             .scratch = scratch};
    test_told told = test_told_of(y, ys, T, R);
    a.made = (tl_made){test_tell, &told};
    k->int8_matmul(&a);
    test_told_of_all(&told);
    a.made.tell = NULL;
    for (size_t t = 0; t < T; t++) {
      test_same(k, test_formats[m->f].name, y + t * ys, want + t * ys, R);
      for (size_t r = R; r < ys; r++)
        assert_int_equal(tl_bits_of_f32(y[t * ys + r]), 0xffffffff); // nothing beyond
    }
    // Cut anyhow, the bits are the same.
    memset(y, 0xff, T * ys * sizeof *y);
    for (size_t t = 0; t < T; t += 5)
      for (size_t g = 0; g * 16 < R; g++) {
        a.t0 = t, a.t1 = TL_MIN(t + 5, T), a.g0 = g, a.g1 = g + 1;
        k->int8_matmul(&a);
      }
    for (size_t t = 0; t < T; t++)
      test_same(k, "cut", y + t * ys, want + t * ys, R);
    free(scratch);
  }
  free(q), free(d), free(want), free(y);
}

static void every_format_and_count_of_tokens(void **state) {
  (void)state;
  static const size_t tokens[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 97};
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    if (!has_integers(f)) continue;
    test_matrix m = test_matrix_make((tl_format)f, 37, test_formats[f].block == 256 ? 512 : 480);
    for (size_t t = 0; t < TL_COUNT(tokens); t++)
      check(&m, tokens[t], t % 2 == 1);
    test_matrix_free(&m);
  }
}

// One span, a block of k and a bit, more spans than a chain of the dot takes.
static void lengths(void **state) {
  (void)state;
  static const size_t ks[] = {32, 64, 96, 128, 160, 256, 1280, 2048, 2304};
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++)
    for (size_t i = 0; i < TL_COUNT(ks); i++) {
      if (!has_integers(f) || ks[i] % test_formats[f].block != 0) continue;
      test_matrix m = test_matrix_make((tl_format)f, 65 + i, ks[i]);
      check(&m, 1, true), check(&m, 9, true);
      test_matrix_free(&m);
    }
}

// The largest codes of both: 63, -128 and 127 times 127, where pairs of 16 bits would overflow.
static void extremes(void **state) {
  (void)state;
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++) {
    if (!has_integers(f)) continue;
    test_matrix m = test_matrix_make((tl_format)f, 16, 256);
    for (int with = 0; with < 3; with++) {
      memset(m.packed, with == 0 ? 0xff : with == 1 ? 0x80 : 0x7f, m.planes.sc);
      check(&m, 1, true), check(&m, 8, true);
    }
    test_matrix_free(&m);
  }
}

static void codes_of_numbers(void **state) {
  (void)state;
  enum { N = 32 * 72 }; // sixteen blocks at a time: with such as these, without, and a rest
  float x[N], d[N / 32], want_d[N / 32];
  int8_t q[N], want[N];
  test_fill(x, N);
  for (size_t i = 0; i < 32; i++) {
    x[32 + i] = 0;                                      // nothing
    x[64 + i] = (float)i - 15.5f;                       // ties
    x[96 + i] *= 0x1p-149f;                             // d rounds to 0
    x[128 + i] *= 0x1p-126f;                            // subnormal
    x[160 + i] *= 3e38f;                                // large
    x[192 + i] = i == 7 ? NAN : x[192 + i];             // poisoned
    x[224 + i] = i == 9 ? -INFINITY : x[224 + i];       //
    x[256 + i] = i == 0 ? 127.0f : (float)i / 2 + 0.5f; // scale 1
    x[288 + i] = -0.0f;
  }
  x[96] = 0x1p-149f;
  for (size_t i = 0; i < 32; i++) {
    x[32 * 18 + i] = (float)i - 15.5f;
    x[32 * 19 + i] = i == 0 ? -127.0f : (float)i / 2 + 0.5f;
    x[32 * 20 + i] *= 0x1p-80f;
    x[32 * 21 + i] *= 0x1p80f;
    x[32 * 22 + i] *= i == 0 ? 1.0f : 0x1p-140f; // quotients that underflow
    x[32 * 40 + i] *= 0x1p-100f;                 // scales too far away for a quotient's short cut
    x[32 * 60 + i] *= 0x1p100f;
  }
  for (size_t i = 0; i < 32 * 4; i++) // near ties of any scale
    x[32 * 24 + i] =
        i % 32 == 0 ? x[32 * 24 + i] : x[32 * (24 + i / 32)] / 127.0f * ((float)(i % 32) + 0.5f);
  for (size_t b = 0; b < N / 32; b++) {
    float largest = 0;
    for (size_t i = 0; i < 32; i++) {
      const float v = fabsf(x[32 * b + i]);
      largest = isnan(v) || isnan(largest) ? NAN : v > largest ? v : largest;
    }
    want_d[b] = largest / 127.0f;
    for (size_t i = 0; i < 32; i++) {
      float r = x[32 * b + i] / want_d[b];
      r = isfinite(r) ? rintf(r) : 0.0f;
      want[32 * b + i] = (int8_t)(r > 127 ? 127 : r < -127 ? -127 : r);
    }
  }
  for (TEST_EACH_VARIANT(k)) {
    memset(q, 1, sizeof q);
    k->quantize_int8(&(tl_quantize_int8_args){.x = x, .n = N, .q = q, .d = d});
    for (size_t b = 0; b < N / 32; b++)
      if (isnan(want_d[b]))
        assert_true(isnan(d[b]));
      else
        assert_int_equal(tl_bits_of_f32(d[b]), tl_bits_of_f32(want_d[b]));
    for (size_t i = 0; i < N; i++)
      if (q[i] != want[i])
        fail_msg("%s: code %zu of %a is %d, want %d", k->variant, i, (double)x[i], q[i], want[i]);
  }
}

int main(void) {
  static tl_kernels emulated;
  emulated = *tl_kernels_at(0);
  emulated.variant = "amx (emulated)", emulated.int8_matmul = V(int8_matmul);
  test_emulated = &emulated, test_stand_in = amx_trapped;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants), cmocka_unit_test(every_format_and_count_of_tokens),
      cmocka_unit_test(lengths), cmocka_unit_test(extremes), cmocka_unit_test(codes_of_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
