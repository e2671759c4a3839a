// bf16_matmul in every variant: bits of the order that kernels.h says, at sizes around every tile,
// with numbers whose products would be subnormal. AMX runs here as itself where the CPU has it, and
// emulated everywhere.
#include "cpu/kernels/testing.h"

#include <math.h>

#define AMX_EMULATED 1
#define V_AMX 1
#include "cpu/kernels/v16_scalar.h"
void V(bf16_matmul)(const tl_bf16_matmul_args *a);
#include "cpu/kernels/bf16.inc"
#include "cpu/kernels/amx_trap.h"

typedef enum { PLAIN, TINY, LARGE, CANCELLING, HUGE_ONES, HOSTILE } kind_of_numbers;

static uint16_t number(kind_of_numbers kind) {
  const float x = test_f32();
  switch (kind) {
  case TINY: // subnormal ones, zeros of both signs, and what is near the bound of activations
    switch (test_u32() % 4) {
    case 0:
      return (uint16_t)(test_u32() & 0x80ff);
    case 1:
      return (uint16_t)(test_u32() & 0x8000);
    case 2:
      return tl_bf16_of_f32(ldexpf(x, -46 - (int)(test_u32() % 8)));
    default:
      return tl_bf16_of_f32(ldexpf(x, -100));
    }
  case LARGE:
    return tl_bf16_of_f32(ldexpf(x, (int)(test_u32() % 40)));
  case HUGE_ONES: // products and sums that overflow, some of them back
    return tl_bf16_of_f32(ldexpf(x, 20 + (int)(test_u32() % 108)));
  case HOSTILE: // any bits
    return (uint16_t)test_u32();
  case CANCELLING:
    return tl_bf16_of_f32(ldexpf(test_u32() & 1 ? 1.0f : -1.0f, -(int)(test_u32() % 60)));
  default:
    return tl_bf16_of_f32(x);
  }
}

// What the op says, element by element.
static float one(const uint16_t *x, const uint16_t *w, size_t K) {
  float total = 0, sum = 0;
  for (size_t r = 0; 32 * r < K; r++) {
    float chain[2] = {0, 0};
    for (size_t k = 32 * r; k < TL_MIN(32 * r + 32, K); k++) {
      float a = tl_f32_of_bf16(x[k]) * 0x1p64f, b = tl_f32_of_bf16(w[k]);
      if (fabsf(a) < 0x1p14f) a = 0;
      if (fabsf(b) < 0x1p-126f) b = 0;
      chain[k % 2] = fmaf(a, b, chain[k % 2]);
    }
    sum += chain[0] + chain[1];
    if (r % 64 == 63) total += sum, sum = 0;
  }
  return (total + sum) * 0x1p-64f;
}

// Bits, or no number both.
static void same(const tl_kernels *k, const char *what, const float *got, const float *want,
                 size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isnan(want[i]) || !isnan(got[i])) test_same(k, what, got + i, want + i, 1);
}

static uint16_t *packed_of(const uint16_t *w, size_t R, size_t K) {
  const size_t groups = (R + 15) / 16, size = (K + 1) / 2 * 64;
  uint16_t *packed = test_alloc(groups * size);
  tl_pack(&(tl_pack_args){.format = TL_FORMAT_BF16,
                          .group_size = size,
                          .rows = w,
                          .row_size = 2 * K,
                          .R = R,
                          .K = K,
                          .packed = packed,
                          .g1 = groups});
  return packed;
}

enum { LEAST_PANEL = 56 }; // tokens that any variant takes at once, whatever K is

static void check(size_t T, size_t R, size_t K, kind_of_numbers kind) {
  const size_t ys = R + 5, groups = (R + 15) / 16;
  uint16_t *x = test_alloc(T * K * 2), *w = test_alloc(R * K * 2);
  float *want = test_alloc(T * ys * sizeof *want), *y = test_alloc(T * ys * sizeof *y);
  for (size_t i = 0; i < T * K; i++)
    x[i] = number(kind);
  for (size_t i = 0; i < R * K; i++)
    w[i] = number(kind);
  uint16_t *packed = packed_of(w, R, K), *nothing = test_alloc(T * K * 2);
  for (size_t t = 0; t < T; t++)
    for (size_t r = 0; r < R; r++)
      want[t * ys + r] = one(x + t * K, w + r * K, K);
  for (TEST_EACH_VARIANT(k)) {
    memset(y, 0xff, T * ys * sizeof *y);
    void *scratch = test_alloc(tl_bf16_matmul_scratch_size(T, K));
    tl_bf16_matmul_args a = {.w = packed,
                             .x = x,
                             .y = y,
                             .y_stride = ys,
                             .R = R,
                             .K = K,
                             .t1 = T,
                             .g1 = groups,
                             .scratch = scratch};
    test_told told = test_told_of(y, ys, T, R);
    a.made = (tl_made){test_tell, &told};
    k->bf16_matmul(&a);
    test_told_of_all(&told);
    a.made.tell = NULL;
    for (size_t t = 0; t < T; t++) {
      same(k, "bf16", y + t * ys, want + t * ys, R);
      for (size_t r = R; r < ys; r++)
        assert_int_equal(tl_bits_of_f32(y[t * ys + r]), 0xffffffff); // nothing beyond
    }
    // Again with what of x lies in the scratch, where one panel has all of it: x itself is not
    // read.
    memset(y, 0xff, T * ys * sizeof *y);
    a.again = true;
    if (T <= LEAST_PANEL) a.x = nothing;
    k->bf16_matmul(&a);
    for (size_t t = 0; t < T; t++)
      same(k, "again", y + t * ys, want + t * ys, R);
    a.again = false, a.x = x;
    // Cut anyhow, the bits are the same.
    memset(y, 0xff, T * ys * sizeof *y);
    for (size_t t = 0; t < T; t += 5)
      for (size_t g = 0; g < groups; g++) {
        a.t0 = t, a.t1 = TL_MIN(t + 5, T), a.g0 = g, a.g1 = g + 1;
        a.next = packed; // which changes nothing
        k->bf16_matmul(&a);
      }
    for (size_t t = 0; t < T; t++)
      same(k, "cut", y + t * ys, want + t * ys, R);
    free(scratch);
  }
  free(x), free(w), free(packed), free(nothing), free(want), free(y);
}

static void tokens_and_rows(void **state) {
  (void)state;
  static const size_t tokens[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 48, 97};
  static const size_t rows[] = {1, 16, 17, 37, 65, 97};
  for (size_t t = 0; t < TL_COUNT(tokens); t++)
    for (size_t r = 0; r < TL_COUNT(rows); r++)
      check(tokens[t], rows[r], 70 + 2 * t + r, PLAIN);
}

// Tails of a run and of a block, the end of a sum, more runs than weights fit in a cache at once.
static void lengths(void **state) {
  (void)state;
  static const size_t ks[] = {1,   2,   3,   31,  32,   33,   62,   63,   64,   65,   96,   127,
                              130, 576, 640, 672, 1536, 2047, 2048, 2049, 2080, 2081, 4096, 4130};
  for (size_t i = 0; i < TL_COUNT(ks); i++)
    check(1, 33, ks[i], PLAIN), check(3, 17, ks[i], PLAIN), check(6, 33, ks[i], PLAIN),
        check(35, 20, ks[i], PLAIN);
}

static void numbers(void **state) {
  (void)state;
  for (int kind = TINY; kind <= HOSTILE; kind++)
    for (size_t K = 5; K < 300; K += 67)
      check(1, 33, K, (kind_of_numbers)kind), check(19, 33, K, (kind_of_numbers)kind);
  for (size_t K = 1; K < 9; K++) // so few that many sums are numbers
    for (int kind = HUGE_ONES; kind <= HOSTILE; kind++)
      check(5, 33, K, (kind_of_numbers)kind), check(17, 33, K, (kind_of_numbers)kind);
}

// Infinite and not numbers: as many of each in every variant.
static void no_numbers(void **state) {
  (void)state;
  enum { K = 40, T = 6 };
  uint16_t x[T * K], w[K];
  for (size_t i = 0; i < K; i++)
    w[i] = tl_bf16_of_f32(1.0f);
  for (size_t i = 0; i < T * K; i++)
    x[i] = w[0];
  x[0 * K + 3] = tl_bf16_of_f32(INFINITY);
  x[1 * K + 39] = tl_bf16_of_f32(-INFINITY);
  x[2 * K + 5] = tl_bf16_of_f32(NAN);
  x[3 * K] = tl_bf16_of_f32(INFINITY), x[3 * K + 1] = tl_bf16_of_f32(-INFINITY);
  x[4 * K + 2] = tl_bf16_of_f32(0x1p64f); // times 2^64 no number of f32
  uint16_t *packed = packed_of(w, 1, K);
  for (TEST_EACH_VARIANT(k)) {
    void *scratch = test_alloc(tl_bf16_matmul_scratch_size(T, K));
    float y[T];
    for (size_t cut = 1; cut <= T; cut += T - 1) {
      for (size_t t = 0; t < T; t += cut)
        k->bf16_matmul(&(tl_bf16_matmul_args){.w = packed,
                                              .x = x,
                                              .y = y,
                                              .y_stride = 1,
                                              .R = 1,
                                              .K = K,
                                              .t0 = t,
                                              .t1 = t + cut,
                                              .g1 = 1,
                                              .scratch = scratch});
      assert_true(y[0] == INFINITY && y[1] == -INFINITY && isnan(y[2]) && isnan(y[3]));
      assert_true(y[4] == INFINITY && y[5] == 40.0f);
    }
    free(scratch);
  }
  free(packed);
}

// The emulation against what was measured on a CPU with AMX and what the SDM says of rounding; with
// a control each.
static void emulated_instructions(void **state) {
  (void)state;
  const amx_config c = {.palette = 1, .row_bytes = {4, 4, 4}, .rows = {1, 1, 1}};
  static const struct {
    float c, a[2], b[2], want;
  } cases[] = {
      {0, {0x1p-130f, 0}, {1, 0}, 0},                          // a subnormal operand
      {0, {0x1p-126f, 0}, {1, 0}, 0x1p-126f},                  //
      {0, {0x1p-100f, 0}, {0x1p-30f, 0}, 0},                   // a subnormal product
      {0, {0x1p-100f, 0}, {0x1p-26f, 0}, 0x1p-126f},           //
      {0, {0x1.8p-126f, 0x1p-126f}, {1, -1}, 0},               // a subnormal sum of both chains
      {0x1.8p-126f, {0x1p-126f, 0}, {-1, 0}, 0},               // and with what was there
      {0x1p-140f, {0, 0}, {0, 0}, 0},                          // which may be subnormal itself
      {0x1p24f, {1, 1}, {1, 1}, 0x1.000002p24f},               // both chains first: 2^24 + (1 + 1)
      {0x1p24f, {1, 0}, {1, 0}, 0x1p24f},                      // a tie, to even
      {1, {0x1.02p0f, 0x1.02p0f}, {0x1.02p0f, -0x1.02p0f}, 1}, // exact products
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    float y = cases[i].c;
    uint16_t a[2], b[2];
    for (int j = 0; j < 2; j++)
      a[j] = (uint16_t)(tl_bits_of_f32(cases[i].a[j]) >> 16),
      b[j] = (uint16_t)(tl_bits_of_f32(cases[i].b[j]) >> 16);
    amx_configure(&c);
    amx_load(0, &y, 4);
    amx_load(1, a, 4);
    amx_load(2, b, 4);
    amx_dot_bf16(0, 1, 2);
    amx_store(0, &y, 4);
    if (tl_bits_of_f32(y) != tl_bits_of_f32(cases[i].want))
      fail_msg("case %zu gives %a, want %a", i, (double)y, (double)cases[i].want);
  }
  // Rounding to 24 bits comes before the flush: half an ulp below the least normal number is
  // rounded up to it.
  assert_true(amx_rounded(0x1p-126 - 0x1p-151) == 0x1p-126f &&
              amx_rounded(0x1p-126 - 0x1.8p-151) == 0.0f);
  amx_release();
}

int main(void) {
  static tl_kernels emulated;
  emulated = *tl_kernels_at(0);
  emulated.variant = "amx (emulated)", emulated.bf16_matmul = V(bf16_matmul);
  test_emulated = &emulated, test_stand_in = amx_trapped;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants), cmocka_unit_test(tokens_and_rows),
      cmocka_unit_test(lengths),       cmocka_unit_test(numbers),
      cmocka_unit_test(no_numbers),    cmocka_unit_test(emulated_instructions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
