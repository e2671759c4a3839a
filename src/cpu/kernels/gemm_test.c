// gemm_f32, gemm_f64 and gemm_complex: the bits of the plain loop, for every kind of stride, and
// for few rows or columns.
#include "cpu/kernels/testing.h"
#include "base/half.h"
#include "ref/complex.h"

static const size_t sizes[][3] = {{1, 1, 1},    {1, 16, 64},  {2, 5, 63},   {3, 17, 65},
                                  {4, 33, 128}, {7, 40, 7},   {14, 32, 64}, {15, 31, 130},
                                  {29, 65, 70}, {43, 97, 33}, {5, 3, 0},    {1, 130, 150},
                                  {2, 201, 70}, {3, 130, 64}, {4, 77, 129}, {250, 1, 70},
                                  {90, 2, 65},  {33, 3, 130}, {70, 4, 9},   {2, 1, 0}};

typedef struct strides {
  size_t a_m, a_k, b_k, b_n, c_m, c_n;
} strides;

// Rows, columns, and a step between elements, for each operand.
static strides layout(int kind, size_t M, size_t N, size_t K) {
  switch (kind) {
  case 0:
    return (strides){K, 1, N, 1, N, 1};
  case 1:
    return (strides){K + 1, 1, 1, K + 2, N + 3, 1};
  case 2:
    return (strides){1, M, N + 1, 1, 1, M};
  default:
    return (strides){2 * K + 1, 2, 3 * N + 1, 3, 2 * N + 3, 2};
  }
}

static tl_gemm_args args_of(const strides *s, size_t M, size_t N, size_t K, const void *a,
                            const void *b, void *c, void *scratch) {
  return (tl_gemm_args){.a = a,
                        .a_m = s->a_m,
                        .a_k = s->a_k,
                        .b = b,
                        .b_k = s->b_k,
                        .b_n = s->b_n,
                        .c = c,
                        .c_m = s->c_m,
                        .c_n = s->c_n,
                        .M = M,
                        .N = N,
                        .K = K,
                        .scratch = scratch};
}

static void test_gemm_f32(void **state) {
  (void)state;
  enum { N_MAX = 300 * 300 };
  float *a = test_alloc(N_MAX * 4), *b = test_alloc(N_MAX * 4), *c = test_alloc(N_MAX * 4),
        *want = test_alloc(N_MAX * 4);
  test_fill(a, N_MAX), test_fill(b, N_MAX);
  for (size_t i = 0; i < TL_COUNT(sizes); i++)
    for (int kind = 0; kind < 4; kind++) {
      const size_t M = sizes[i][0], N = sizes[i][1], K = sizes[i][2];
      const strides s = layout(kind, M, N, K);
      memset(want, 0xff, N_MAX * 4);
      for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
          want[m * s.c_m + n * s.c_n] = tl_dot_f32(a + m * s.a_m, s.a_k, b + n * s.b_n, s.b_k, K);
      void *scratch = test_alloc(tl_gemm_scratch_size(4, M, N, K));
      for (TEST_EACH_VARIANT(k)) {
        memset(c, 0xff, N_MAX * 4);
        const tl_gemm_args args = args_of(&s, M, N, K, a, b, c, scratch);
        k->gemm_f32(&args);
        test_same(k, "gemm_f32", c, want, N_MAX);
      }
      free(scratch);
    }
  free(a), free(b), free(c), free(want);
}

static void test_gemm_f64(void **state) {
  (void)state;
  enum { N_MAX = 300 * 300 };
  double *a = test_alloc(N_MAX * 8), *b = test_alloc(N_MAX * 8), *c = test_alloc(N_MAX * 8),
         *want = test_alloc(N_MAX * 8);
  for (size_t i = 0; i < N_MAX; i++)
    a[i] = (double)test_f32() + (double)test_f32() * 1e-9, b[i] = (double)test_f32() * 1.1;
  for (size_t i = 0; i < TL_COUNT(sizes); i++)
    for (int kind = 0; kind < 4; kind++) {
      const size_t M = sizes[i][0], N = sizes[i][1], K = sizes[i][2];
      const strides s = layout(kind, M, N, K);
      memset(want, 0xff, N_MAX * 8);
      for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
          want[m * s.c_m + n * s.c_n] = tl_dot_f64(a + m * s.a_m, s.a_k, b + n * s.b_n, s.b_k, K);
      void *scratch = test_alloc(tl_gemm_scratch_size(8, M, N, K));
      for (TEST_EACH_VARIANT(k)) {
        memset(c, 0xff, N_MAX * 8);
        const tl_gemm_args args = args_of(&s, M, N, K, a, b, c, scratch);
        k->gemm_f64(&args);
        assert_memory_equal(c, want, N_MAX * 8);
      }
      free(scratch);
    }
  free(a), free(b), free(c), free(want);
}

static bool same_or_no_number(float a, float b) {
  return tl_bits_of_f32(a) == tl_bits_of_f32(b) || (a != a && b != b);
}

// bf16 of ordinary size, of sizes whose sums are subnormal, subnormal itself, and beyond all
// numbers; into f32 and into bf16.
static void test_gemm_bf16(void **state) {
  (void)state;
  enum { N_MAX = 300 * 300 };
  uint16_t *a = test_alloc(N_MAX * 2), *b = test_alloc(N_MAX * 2), *narrow = test_alloc(N_MAX * 2);
  float *wide_a = test_alloc(N_MAX * 4), *wide_b = test_alloc(N_MAX * 4),
        *c = test_alloc(N_MAX * 4), *want = test_alloc(N_MAX * 4);
  for (int data = 0; data < 5; data++) {
    for (size_t i = 0; i < N_MAX; i++) {
      const float scale = data == 1 ? 0x1p-62f : data == 2 ? 0x1p-120f : data == 3 ? 0x1p62f : 1.0f;
      a[i] = i % 11 == 3 ? 0x8000 : tl_bf16_of_f32(test_f32() * scale);
      b[i] = tl_bf16_of_f32(test_f32() * (data == 2 ? 0x1p-20f : scale));
      if (data == 4 && i % 3001 == 77) a[i] = i % 2 ? 0x7f80 : 0x0001, b[i] = 0xff80;
      wide_a[i] = tl_f32_of_bf16(a[i]), wide_b[i] = tl_f32_of_bf16(b[i]);
    }
    for (size_t i = 0; i < TL_COUNT(sizes); i++)
      for (int kind = 0; kind < 4; kind++) {
        const size_t M = sizes[i][0], N = sizes[i][1], K = sizes[i][2];
        const strides s = layout(kind, M, N, K);
        memset(want, 0xff, N_MAX * 4);
        for (size_t m = 0; m < M; m++)
          for (size_t n = 0; n < N; n++)
            want[m * s.c_m + n * s.c_n] =
                tl_dot_f32(wide_a + m * s.a_m, s.a_k, wide_b + n * s.b_n, s.b_k, K);
        void *scratch = test_alloc(tl_gemm_scratch_size(4, M, N, K));
        for (TEST_EACH_VARIANT(k)) {
          memset(c, 0xff, N_MAX * 4), memset(narrow, 0xff, N_MAX * 2);
          tl_gemm_args args = args_of(&s, M, N, K, a, b, c, scratch);
          k->gemm_bf16(&args);
          args.c = narrow, args.narrow = true;
          k->gemm_bf16(&args);
          for (size_t j = 0; j < N_MAX; j++) {
            const bool set = tl_bits_of_f32(want[j]) != 0xffffffffu;
            if (!same_or_no_number(c[j], want[j]) ||
                !same_or_no_number(tl_f32_of_bf16(narrow[j]),
                                   set ? tl_f32_of_bf16(tl_bf16_of_f32(want[j])) : want[j]))
              fail_msg(
                  "%s gemm_bf16 %zux%zux%zu, data %d, layout %d: element %zu is %a and %a, want %a",
                  k->variant, M, N, K, data, kind, j, (double)c[j],
                  (double)tl_f32_of_bf16(narrow[j]), (double)want[j]);
          }
        }
        free(scratch);
      }
  }
  free(a), free(b), free(narrow), free(wide_a), free(wide_b), free(c), free(want);
}

// Rows by tables: in runs, in single elements, with rows side by side and not, and overlapping.
static void test_gemm_windows(void **state) {
  (void)state;
  enum { N_MAX = 300 * 300, MOST = 600 };
  static const size_t shapes[][4] = {// M, N, runs, run
                                     {1, 1, 1, 1},     {3, 16, 5, 1},   {17, 5, 70, 1},
                                     {40, 33, 9, 7},   {65, 32, 7, 21}, {128, 20, 3, 64},
                                     {49, 64, 2, 100}, {500, 3, 130, 1}};
  float *a = test_alloc(N_MAX * 4), *b = test_alloc(N_MAX * 4), *c = test_alloc(N_MAX * 4),
        *want = test_alloc(N_MAX * 4), *row = test_alloc(MOST * 4);
  double *wide_a = test_alloc(N_MAX * 8), *wide_b = test_alloc(N_MAX * 8),
         *wide_c = test_alloc(N_MAX * 8), *wide_want = test_alloc(N_MAX * 8),
         *wide_row = test_alloc(MOST * 8);
  test_fill(a, N_MAX), test_fill(b, N_MAX);
  for (size_t i = 0; i < N_MAX; i++)
    wide_a[i] = (double)a[i] * 1.1, wide_b[i] = (double)b[i] * 1.3;
  for (size_t i = 0; i < TL_COUNT(shapes); i++)
    for (int kind = 0; kind < 3; kind++) {
      const size_t M = shapes[i][0], N = shapes[i][1], run = shapes[i][3], K = shapes[i][2] * run;
      int64_t m_at[MOST], k_at[MOST];
      for (size_t m = 0; m < M; m++)
        m_at[m] = kind == 0   ? (int64_t)m
                  : kind == 1 ? (int64_t)(3 * m + 1)
                              : (int64_t)(m / 7 * 20 + m % 7);
      for (size_t r = 0; r < K / run; r++)
        k_at[r] = kind == 1 ? (int64_t)(40 * run - 40 * r % (40 * run)) : (int64_t)(r * (run + 11));
      memset(want, 0xff, N_MAX * 4), memset(wide_want, 0xff, N_MAX * 8);
      for (size_t m = 0; m < M; m++) {
        for (size_t k = 0; k < K; k++) {
          const int64_t at = m_at[m] + k_at[k / run] + (int64_t)(k % run);
          row[k] = a[at], wide_row[k] = wide_a[at];
        }
        for (size_t n = 0; n < N; n++) {
          want[m + n * M] = tl_dot_f32(row, 1, b + n, N, K);
          wide_want[m * N + n] = tl_dot_f64(wide_row, 1, wide_b + n, N, K);
        }
      }
      const tl_gemm_args g = {
          .m_at = m_at, .k_at = k_at, .run = run, .b_k = N, .b_n = 1, .M = M, .N = N, .K = K};
      void *scratch =
          test_alloc(TL_MAX(tl_gemm_scratch_size(8, M, N, K), tl_gemm_scratch_size(8, N, M, K)));
      for (TEST_EACH_VARIANT(k)) {
        memset(c, 0xff, N_MAX * 4), memset(wide_c, 0xff, N_MAX * 8);
        tl_gemm_args narrow = g, wide = g;
        narrow.a = a, narrow.b = b, narrow.c = c, narrow.c_m = 1, narrow.c_n = M;
        wide.a = wide_a, wide.b = wide_b, wide.c = wide_c, wide.c_m = N, wide.c_n = 1;
        narrow.scratch = wide.scratch = scratch;
        k->gemm_f32(&narrow), k->gemm_f64(&wide);
        test_same(k, "gemm_f32 of windows", c, want, N_MAX);
        assert_memory_equal(wide_c, wide_want, N_MAX * 8);
        // The same with windows as columns.
        memset(c, 0xff, N_MAX * 4), memset(wide_c, 0xff, N_MAX * 8);
        narrow.a = b, narrow.b = a, narrow.c_m = M, narrow.c_n = 1;
        wide.a = wide_b, wide.b = wide_a, wide.c_m = 1, wide.c_n = N;
        tl_gemm_args *both[] = {&narrow, &wide};
        for (int w = 0; w < 2; w++) {
          both[w]->n_at = m_at, both[w]->m_at = NULL;
          both[w]->a_m = 1, both[w]->a_k = N;
          both[w]->b_k = both[w]->b_n = 0;
          both[w]->M = N, both[w]->N = M;
        }
        k->gemm_f32(&narrow), k->gemm_f64(&wide);
        test_same(k, "gemm_f32 of columns of windows", c, want, N_MAX);
        assert_memory_equal(wide_c, wide_want, N_MAX * 8);
      }
      free(scratch);
    }
  free(a), free(b), free(c), free(want), free(row);
  free(wide_a), free(wide_b), free(wide_c), free(wide_want), free(wide_row);
}

// The dot of ref/dot.c, in the parts' own type.
#define COMPLEX_DOT(T, C, suffix)                                                      \
  static C dot_##suffix(const C *x, const T *re, const T *im, size_t step, size_t K) { \
    C total = {0, 0};                                                                  \
    for (size_t k0 = 0; k0 < K; k0 += 64) {                                            \
      C acc = {0, 0};                                                                  \
      for (size_t k = k0; k < TL_MIN(k0 + 64, K); k++) {                               \
        const C p = tl_##suffix##_multiply(x[k], (C){re[k * step], im[k * step]});     \
        acc = (C){acc.re + p.re, acc.im + p.im};                                       \
      }                                                                                \
      total = (C){total.re + acc.re, total.im + acc.im};                               \
    }                                                                                  \
    return total;                                                                      \
  }
COMPLEX_DOT(float, tl_c64, c64)
COMPLEX_DOT(double, tl_c128, c128)

static void test_gemm_complex(void **state) {
  (void)state;
  enum { N_MAX = 200 * 200 };
  float *a = test_alloc(N_MAX * 4), *b = test_alloc(N_MAX * 4);
  double *wide_a = test_alloc(N_MAX * 8), *wide_b = test_alloc(N_MAX * 8);
  tl_c128 *c = test_alloc(N_MAX * 16), *want = test_alloc(N_MAX * 16);
  test_fill(a, N_MAX), test_fill(b, N_MAX);
  for (size_t i = 0; i < N_MAX; i++)
    wide_a[i] = (double)a[i] * 1.1, wide_b[i] = (double)b[i] * 1.3;
  for (size_t i = 0; i < TL_COUNT(sizes); i++)
    for (int kind = 0; kind < 4; kind++) {
      const size_t M = sizes[i][0], N = sizes[i][1], K = sizes[i][2];
      const bool wide = kind & 1, odd = kind & 2;
      const size_t a_m = K + odd, b_im = N + odd, b_k = 2 * b_im + odd, c_n = odd ? M : 1,
                   c_m = odd ? 1 : N;
      memset(want, 0xff, N_MAX * 16);
      for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
          const size_t at = m * c_m + n * c_n;
          if (wide)
            want[at] = dot_c128((const tl_c128 *)(void *)wide_a + m * a_m, wide_b + n,
                                wide_b + b_im + n, b_k, K);
          else
            ((tl_c64 *)(void *)want)[at] =
                dot_c64((const tl_c64 *)(void *)a + m * a_m, b + n, b + b_im + n, b_k, K);
        }
      for (TEST_EACH_VARIANT(k)) {
        memset(c, 0xff, N_MAX * 16);
        k->gemm_complex(&(tl_gemm_complex_args){.wide = wide,
                                                .a = wide ? (void *)wide_a : (void *)a,
                                                .a_m = a_m,
                                                .b = wide ? (void *)wide_b : (void *)b,
                                                .b_k = b_k,
                                                .b_im = b_im,
                                                .c = c,
                                                .c_m = c_m,
                                                .c_n = c_n,
                                                .M = M,
                                                .N = N,
                                                .K = K});
        assert_memory_equal(c, want, N_MAX * 16);
      }
    }
  free(a), free(b), free(wide_a), free(wide_b), free(c), free(want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants),  cmocka_unit_test(test_gemm_f32),
      cmocka_unit_test(test_gemm_f64),  cmocka_unit_test(test_gemm_windows),
      cmocka_unit_test(test_gemm_bf16), cmocka_unit_test(test_gemm_complex)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
