// Constructors that make core ops rather than an op of their own: matrix products by numpy's
// conventions, and single rows.
#include "ref/ref_test.h"

static float at(const tl_tensor *t, size_t i) { return ((const float *)t->data)[i]; }

static void products(void **state) {
  (void)state;
  static float x[2 * 3 * 4], y[2 * 4 * 5];
  for (size_t i = 0; i < TL_COUNT(x); i++)
    x[i] = (float)((int)(i * 7 % 11) - 5);
  for (size_t i = 0; i < TL_COUNT(y); i++)
    y[i] = (float)((int)(i * 5 % 13) - 6);
  static const struct {
    uint32_t lhs, rhs; // ranks
  } cases[] = {{2, 2}, {3, 3}, {3, 2}};
  for (size_t c = 0; c < TL_COUNT(cases); c++) {
    fixture f = fixture_begin();
    const int64_t xd[] = {2, 3, 4}, yd[] = {2, 4, 5};
    bool batch = cases[c].lhs == 3, shared = cases[c].rhs == 2;
    tl_tensor in[] = {{{TL_DTYPE_F32, cases[c].lhs, batch ? xd : xd + 1}, x},
                      {{TL_DTYPE_F32, cases[c].rhs, shared ? yd + 1 : yd}, y}},
              got;
    tl_value a = tl_func_arg(&f.b, in[0].type), b = tl_func_arg(&f.b, in[1].type),
             z = tlo_matmul(&f.b, a, b);
    fixture_run(&f, TL_REF_AS_TYPED, &z, 1, in, 2, &got);
    assert_int_equal(got.type.rank, cases[c].lhs);
    for (size_t n = 0; n < (batch ? 2 : 1); n++)
      for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 5; j++) {
          float want = 0; // whole numbers: exact in any order
          for (size_t k = 0; k < 4; k++)
            want += x[(n * 3 + i) * 4 + k] * y[((shared ? 0 : n) * 4 + k) * 5 + j];
          assert_true(at(&got, (n * 3 + i) * 5 + j) == want);
        }
    fixture_end(&f);
  }
  fixture f = fixture_begin();
  tl_value v = tl_func_arg(&f.b, TL_TYPE(f.m->arena, TL_DTYPE_F32, 4)),
           m = tl_func_arg(&f.b, TL_TYPE(f.m->arena, TL_DTYPE_F32, 4, 4));
  assert_null(tlo_matmul(&f.b, m, v));
  assert_status(tl_builder_finish(&f.b), TL_STATUS_INVALID_ARGUMENT, "matmul: ranks 2 and 1");
  fixture_end(&f);
}

// index in range, and outside of it: gather clamps, the others drop.
static void rows(void **state) {
  (void)state;
  for (int32_t index = -1; index <= 3; index++) {
    fixture f = fixture_begin();
    float x[] = {1, 2, 3, 4, 5, 6}, row[] = {10, 20}, v[] = {7, 8, 9}, one[] = {100};
    tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, 3, 2), TENSOR(row, TL_DTYPE_F32, 2),
                      TENSOR(v, TL_DTYPE_F32, 3), SCALAR(one, TL_DTYPE_F32),
                      SCALAR(&index, TL_DTYPE_S32)},
              got[4];
    tl_value a[5], y[4];
    for (size_t i = 0; i < 5; i++)
      a[i] = tl_func_arg(&f.b, in[i].type);
    y[0] = tlo_gather_row(&f.b, a[0], a[4]);
    y[1] = tlo_scatter_row(&f.b, a[0], a[4], a[1]);
    y[2] = tlo_scatter_add_row(&f.b, a[0], a[4], a[1]);
    y[3] = tlo_scatter_add_row(&f.b, a[2], a[4], a[3]); // an element of a vector
    fixture_run(&f, TL_REF_AS_TYPED, y, 4, in, 5, got);
    bool inside = index >= 0 && index < 3;
    size_t from = (size_t)(index < 0 ? 0 : index > 2 ? 2 : index);
    for (size_t k = 0; k < 2; k++)
      assert_true(at(&got[0], k) == x[2 * from + k]);
    for (size_t r = 0; r < 3; r++) {
      bool here = inside && r == from;
      for (size_t k = 0; k < 2; k++) {
        assert_true(at(&got[1], 2 * r + k) == (here ? row[k] : x[2 * r + k]));
        assert_true(at(&got[2], 2 * r + k) == x[2 * r + k] + (here ? row[k] : 0));
      }
      assert_true(at(&got[3], r) == v[r] + (here ? 100.0f : 0.0f));
    }
    fixture_end(&f);
  }
}

// Eight priors are one too many.
static void priors(void **state) {
  (void)state;
  fixture f = fixture_begin();
  tl_value x = tl_func_arg(&f.b, TL_TYPE(f.m->arena, TL_DTYPE_F32, 9)),
           p = tl_func_arg(&f.b, TL_TYPE(f.m->arena, TL_DTYPE_F32, 1));
  tl_value list[8] = {p, p, p, p, p, p, p, p};
  assert_non_null(tlo_slice_like(&f.b, x, p, list, 7, 0));
  assert_null(tlo_slice_like(&f.b, x, p, list, 8, 0));
  assert_status(tl_builder_finish(&f.b), TL_STATUS_INVALID_ARGUMENT, "8 priors");
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(rows),
                                     cmocka_unit_test(priors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
