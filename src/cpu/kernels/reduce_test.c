// reduce_rows and reduce_columns: the bits of the documented order, for every operation and type,
// and for every number of terms and results around the vectors.
#include "base/half.h"
#include "cpu/kernels/testing.h"

enum { TERMS = 70, MOST = 40, STRIDE = 45 };

static const size_t sizes[TL_REDUCE_FROMS] = {4, 8, 2, 2};

static double element(tl_reduce_from from, const void *x, size_t i) {
  switch (from) {
  case TL_REDUCE_F32:
    return (double)((const float *)x)[i];
  case TL_REDUCE_F64:
    return ((const double *)x)[i];
  case TL_REDUCE_BF16:
    return (double)tl_f32_of_bf16(((const uint16_t *)x)[i]);
  default:
    return (double)tl_f32_of_f16(((const uint16_t *)x)[i]);
  }
}

static void *elements(tl_reduce_from from, size_t n) {
  uint8_t *x = test_alloc(n * sizes[from]);
  for (size_t i = 0; i < n; i++) {
    float f = test_f32();
    if (i % 97 == 5) f = i % 2 ? 0.0f : -0.0f;
    if (i % 389 == 7) f = __builtin_nanf("");
    const double wide = (double)f * 1.000000001;
    const uint16_t bf16 = tl_bf16_of_f32(f), f16 = tl_f16_of_f32(f);
    const void *p[] = {&f, &wide, &bf16, &f16};
    memcpy(x + i * sizes[from], p[from], sizes[from]);
  }
  return x;
}

// Terms x[first], x[first + step] ... reduced from `init` as the loop IR says.
static double reduced(tl_reduce_op op, tl_reduce_from from, const void *x, size_t first,
                      size_t step, size_t terms, float init) {
  double lane[16] = {0};
  float most = init;
  for (size_t t = 0; t < terms; t++) {
    const double e = element(from, x, first + t * step);
    if (op == TL_REDUCE_MAX) most = tl_max_f32(most, (float)e);
    if (op == TL_REDUCE_MIN) most = tl_min_f32(most, (float)e);
    lane[t % 16] =
        from == TL_REDUCE_F64 ? lane[t % 16] + e : (double)((float)lane[t % 16] + (float)e);
  }
  if (op != TL_REDUCE_SUM) return (double)most;
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++)
      lane[i] = from == TL_REDUCE_F64 ? lane[i] + lane[i + half]
                                      : (double)((float)lane[i] + (float)lane[i + half]);
  return lane[0];
}

static bool same(double got, double want) { // of a NaN only that it is one
  return (got != got && want != want) || memcmp(&got, &want, sizeof got) == 0;
}

static double state_at(tl_reduce_from from, const void *z, size_t i) {
  return from == TL_REDUCE_F64 ? ((const double *)z)[i] : (double)((const float *)z)[i];
}

static void check_rows(const tl_kernels *k, tl_reduce_op op, tl_reduce_from from, const void *x) {
  for (size_t terms = 0; terms <= TERMS; terms++)
    for (size_t n = 1; n <= TL_REDUCE_ROWS; n++) {
      const float init[TL_REDUCE_ROWS] = {0.5f, -2.0f, 2.0f, -0.0f};
      _Alignas(64) double z[TL_REDUCE_ROWS];
      tl_reduce_args a = {.op = op, .from = from, .terms = terms, .n = n, .runs = 1, .z = z};
      memcpy(z, init, sizeof init);
      for (size_t r = 0; r < n; r++)
        a.x[r] = (const uint8_t *)x + r * TERMS * sizes[from];
      k->reduce_rows(&a);
      for (size_t r = 0; r < n; r++)
        if (!same(state_at(from, z, r), reduced(op, from, x, r * TERMS, 1, terms, init[r])))
          fail_msg("%s rows: op %d of type %d, row %zu of %zu, %zu terms", k->variant, op, from, r,
                   n, terms);
    }
}

static void check_columns(const tl_kernels *k, tl_reduce_op op, tl_reduce_from from,
                          const void *x) {
  for (size_t terms = 0; terms <= TERMS; terms += 7)
    for (size_t n = 1; n <= MOST; n++) {
      _Alignas(64) double z[16 * MOST] = {0};
      const size_t some = terms / 2; // in two calls
      const size_t state = from == TL_REDUCE_F64 ? 8 : 4;
      for (int part = 0; part < 2; part++)
        k->reduce_columns(
            &(tl_reduce_args){.op = op,
                              .from = from,
                              .x = {(const uint8_t *)x + part * some * STRIDE * sizes[from]},
                              .row = (ptrdiff_t)(STRIDE * sizes[from]),
                              .terms = part ? terms - some : some,
                              .n = n,
                              .z = z,
                              .width = MOST,
                              .first = part ? some : 0});
      for (size_t c = 0; c < n; c++) {
        double got = state_at(from, z, c);
        if (op == TL_REDUCE_SUM) { // the lanes are the caller's to add
          double lane[16];
          for (size_t i = 0; i < 16; i++)
            lane[i] = state_at(from, (const uint8_t *)z + i * MOST * state, c);
          for (size_t half = 8; half > 0; half /= 2)
            for (size_t i = 0; i < half; i++)
              lane[i] = from == TL_REDUCE_F64 ? lane[i] + lane[i + half]
                                              : (double)((float)lane[i] + (float)lane[i + half]);
          got = lane[0];
        }
        if (!same(got, reduced(op, from, x, c, STRIDE, terms, 0)))
          fail_msg("%s columns: op %d of type %d, column %zu of %zu, %zu terms", k->variant, op,
                   from, c, n, terms);
      }
    }
}

// Three runs of 16 or 32 terms each are a row of their own.
static void check_runs(const tl_kernels *k, tl_reduce_op op, tl_reduce_from from, const void *x) {
  for (size_t terms = 16; terms <= 32; terms += 16) {
    _Alignas(64) double z[TL_REDUCE_ROWS] = {0};
    uint8_t *row = test_alloc(3 * terms * sizes[from]);
    for (size_t run = 0; run < 3; run++)
      memcpy(row + run * terms * sizes[from], (const uint8_t *)x + run * STRIDE * sizes[from],
             terms * sizes[from]);
    k->reduce_rows(&(tl_reduce_args){.op = op,
                                     .from = from,
                                     .x = {x},
                                     .row = (ptrdiff_t)(STRIDE * sizes[from]),
                                     .terms = terms,
                                     .n = 1,
                                     .runs = 3,
                                     .z = z});
    if (!same(state_at(from, z, 0), reduced(op, from, row, 0, 1, 3 * terms, 0)))
      fail_msg("%s runs: op %d of type %d, %zu terms", k->variant, op, from, terms);
    free(row);
  }
}

static void reductions_have_their_order(void **state) {
  (void)state;
  for (int from = 0; from < TL_REDUCE_FROMS; from++) {
    void *x = elements((tl_reduce_from)from, TERMS * STRIDE);
    for (int op = 0; op < TL_REDUCE_OPS; op++) {
      if (from == TL_REDUCE_F64 && op != TL_REDUCE_SUM) continue;
      for (TEST_EACH_VARIANT(k)) {
        check_rows(k, (tl_reduce_op)op, (tl_reduce_from)from, x);
        check_runs(k, (tl_reduce_op)op, (tl_reduce_from)from, x);
        check_columns(k, (tl_reduce_op)op, (tl_reduce_from)from, x);
      }
    }
    free(x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                     cmocka_unit_test(reductions_have_their_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
