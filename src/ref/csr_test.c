// Sparse matrices against scipy (tests/ref/host.json, by tests/oracle/ref_host.py), and what is
// refused.
#include "base/test.h"

#include "ref/csr.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// Zeroed room for one more word stands behind, so that an empty list is still a place.
static void *bytes(tl_arena *a, const json_t *j, size_t *out_words) {
  const char *hex = json_string_value(j);
  assert_non_null(hex);
  size_t n = strlen(hex) / 2;
  unsigned char *p = tl_arena_alloc(a, n + 4, 8);
  for (size_t i = 0; i < n; i++)
    p[i] = (unsigned char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  if (out_words != NULL) *out_words = n / 4;
  return p;
}

static tl_csr matrix(tl_arena *a, const json_t *entry, const char *name) {
  const json_t *j = json_object_get(entry, name);
  size_t n_ptr, nnz;
  tl_csr m = {(int32_t)json_integer_value(json_object_get(j, "rows")),
              (int32_t)json_integer_value(json_object_get(j, "cols")),
              bytes(a, json_object_get(j, "ptr"), &n_ptr),
              bytes(a, json_object_get(j, "col"), &nnz),
              bytes(a, json_object_get(j, "values"), NULL)};
  assert_int_equal(n_ptr, m.rows + 1);
  assert_ok(tl_csr_check(&m, nnz));
  return m;
}

// numpy sums in another order in f64; the last bit of f32 may differ.
static void assert_near(const char *what, const float *got, const float *want, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!(fabsf(got[i] - want[i]) <= 1.2e-7f * fabsf(want[i])))
      fail_msg("%s: number %zu is %.9g, wanted %.9g", what, i, (double)got[i], (double)want[i]);
}

static void assert_same(const char *what, const tl_csr *got, const tl_csr *want) {
  assert_int_equal(got->rows, want->rows);
  assert_int_equal(got->cols, want->cols);
  assert_ok(tl_csr_check(got, tl_csr_nnz(got)));
  assert_memory_equal(got->row_ptr, want->row_ptr, ((size_t)want->rows + 1) * sizeof(int32_t));
  size_t nnz = tl_csr_nnz(want);
  if (nnz > 0) assert_memory_equal(got->col, want->col, nnz * sizeof(int32_t));
  assert_near(what, got->values, want->values, nnz);
}

static void algebra_is_scipys(void **state) {
  (void)state;
  json_t *root;
  assert_ok(tl_json_read("tests/ref/host.json", 1 << 20, &root));
  const json_t *list = json_object_get(root, "csr");
  assert_true(json_array_size(list) > 0);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    tl_arena *arena = tl_arena_create();
    tl_csr a = matrix(arena, entry, "a"), b = matrix(arena, entry, "b"),
           c = matrix(arena, entry, "c"), got, want;
    static const struct {
      const char *name;
      tl_status (*f)(tl_arena *, const tl_csr *, const tl_csr *, tl_csr *);
    } pairs[] = {{"add", tl_csr_add}, {"sub", tl_csr_sub}, {"mul", tl_csr_mul}};
    for (size_t k = 0; k < TL_COUNT(pairs); k++) {
      assert_ok(pairs[k].f(arena, &a, &b, &got));
      want = matrix(arena, entry, pairs[k].name);
      assert_same(pairs[k].name, &got, &want);
    }
    assert_ok(tl_csr_mul_dense(arena, &a, bytes(arena, json_object_get(entry, "d"), NULL), &got));
    want = matrix(arena, entry, "mul_dense");
    assert_same("mul_dense", &got, &want);
    assert_ok(tl_csr_transpose(arena, &a, &got));
    want = matrix(arena, entry, "transpose");
    assert_same("transpose", &got, &want);
    tl_csr back;
    assert_ok(tl_csr_transpose(arena, &got, &back));
    assert_same("transpose of the transpose", &back, &a);
    assert_ok(tl_csr_matmul(arena, &a, &c, &got));
    want = matrix(arena, entry, "matmul");
    assert_same("matmul", &got, &want);

    const float *x = bytes(arena, json_object_get(entry, "x"), NULL),
                *u = bytes(arena, json_object_get(entry, "u"), NULL);
    float *y = TL_NEW(arena, float, (size_t)a.rows * 3 + tl_csr_nnz(&a));
    assert_ok(tl_csr_matmul_dense(arena, &a, x, 3, y));
    assert_near("matmul_dense", y, bytes(arena, json_object_get(entry, "matmul_dense"), NULL),
                (size_t)a.rows * 3);
    tl_csr_values_adjoint(&a, u, x, 3, y);
    assert_near("values_adjoint", y, bytes(arena, json_object_get(entry, "values_adjoint"), NULL),
                tl_csr_nnz(&a));

    const json_t *coo = json_object_get(entry, "coo");
    size_t n;
    const int32_t *row = bytes(arena, json_array_get(coo, 0), &n);
    assert_ok(tl_csr_of_coo(arena, a.rows, a.cols, n, row,
                            bytes(arena, json_array_get(coo, 1), NULL),
                            bytes(arena, json_array_get(coo, 2), NULL), &got));
    want = matrix(arena, entry, "of_coo");
    assert_same("of_coo", &got, &want);
    tl_arena_destroy(arena);
  }
  json_decref(root);
}

// What cancels stays stored, and no sum is rounded before its end.
static void zeros_stay_and_sums_are_wide(void **state) {
  (void)state;
  tl_arena *arena = tl_arena_create();
  const int32_t row[] = {0, 0, 0, 1}, col[] = {1, 1, 1, 0};
  const float v[] = {1e8f, 1.0f, -1e8f, 0.0f};
  tl_csr a, b;
  assert_ok(tl_csr_of_coo(arena, 2, 2, 4, row, col, v, &a));
  assert_int_equal(tl_csr_nnz(&a), 2);
  assert_true(a.values[0] == 1.0f && a.values[1] == 0.0f);
  assert_ok(tl_csr_sub(arena, &a, &a, &b));
  assert_int_equal(tl_csr_nnz(&b), 2);
  assert_true(b.values[0] == 0.0f);
  tl_arena_destroy(arena);
}

static void refusals(void **state) {
  (void)state;
  tl_arena *arena = tl_arena_create();
  const float v[] = {1, 2, 3};
  const int32_t ptr[] = {0, 2, 3}, col[] = {0, 2, 1};
  tl_csr good = {2, 3, ptr, col, v}, out;
  assert_ok(tl_csr_check(&good, 3));
  struct {
    int32_t ptr[3], col[3], rows, cols;
    size_t nnz;
    const char *says;
  } bad[] = {
      {{1, 2, 3}, {0, 2, 1}, 2, 3, 3, "first row pointer is 1"},
      {{0, 2, 1}, {0, 2, 1}, 2, 3, 3, "row 1 ends at entry 1"},
      {{0, 2, 4}, {0, 2, 1}, 2, 3, 3, "row 1 ends at entry 4"},
      {{0, 2, 2}, {0, 2, 1}, 2, 3, 3, "have 2 entries, and there are 3"},
      {{0, 2, 3}, {2, 2, 1}, 2, 3, 3, "row 0: column 2 does not increase on 2"},
      {{0, 2, 3}, {0, 3, 1}, 2, 3, 3, "row 0 has an entry in column 3 of 3"},
      {{0, 2, 3}, {0, -1, 1}, 2, 3, 3, "column -1"},
      {{0, 2, 3}, {0, 2, 1}, -1, 3, 3, "-1 by 3"},
  };
  for (size_t i = 0; i < TL_COUNT(bad); i++) {
    tl_csr m = {bad[i].rows, bad[i].cols, bad[i].ptr, bad[i].col, v};
    assert_status(tl_csr_check(&m, bad[i].nnz), TL_STATUS_INVALID_ARGUMENT, bad[i].says);
  }
  const int32_t outside[] = {0, 1, 2};
  assert_status(tl_csr_of_coo(arena, 2, 3, 3, outside, col, v, &out), TL_STATUS_INVALID_ARGUMENT,
                "entry 2 is at [2, 1] of a matrix of 2 by 3");
  tl_csr turned;
  assert_ok(tl_csr_transpose(arena, &good, &turned));
  assert_status(tl_csr_add(arena, &good, &turned, &out), TL_STATUS_INVALID_ARGUMENT, "do not fit");
  assert_status(tl_csr_matmul(arena, &good, &good, &out), TL_STATUS_INVALID_ARGUMENT,
                "do not multiply");
  tl_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(algebra_is_scipys),
                                     cmocka_unit_test(zeros_stay_and_sums_are_wide),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
