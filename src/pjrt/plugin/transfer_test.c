// Strided copies, against the definition, element by element.
#include "pjrt/plugin/internal.h"

#include "base/test.h"

// A view of `dims` over `base` whose dimension p[0] is outermost in memory, p[1] next ..., reversed
// where `flip` says.
typedef struct view {
  int64_t strides[4];
  int64_t start;
} view;

static view view_of(const int64_t *dims, const size_t *p, unsigned flip, size_t rank,
                    size_t element) {
  view v = {{0}, 0};
  int64_t stride = (int64_t)element;
  for (size_t i = rank; i-- > 0;) {
    size_t d = p[i];
    bool back = flip >> d & 1;
    v.strides[d] = back ? -stride : stride;
    if (back) v.start += stride * (dims[d] - 1);
    stride *= dims[d];
  }
  return v;
}

static void check(const int64_t *dims, size_t rank, const size_t *pa, const size_t *pb,
                  unsigned flip, size_t element) {
  static char a[4096], b[4096], want[4096];
  size_t n = element;
  for (size_t i = 0; i < rank; i++)
    n *= (size_t)dims[i];
  assert_true(n <= sizeof a);
  for (size_t i = 0; i < sizeof a; i++)
    a[i] = (char)(i * 7 + i / 251), b[i] = want[i] = 99;
  view va = view_of(dims, pa, flip, rank, element), vb = view_of(dims, pb, 0, rank, element);
  for (size_t i = 0; i < n / element; i++) {
    int64_t at = (int64_t)i, from = va.start, to = vb.start;
    for (size_t d = rank; d-- > 0; at /= dims[d]) {
      from += va.strides[d] * (at % dims[d]);
      to += vb.strides[d] * (at % dims[d]);
    }
    memcpy(want + to, a + from, element);
  }
  tlp_copy_strided(b + vb.start, vb.strides, a + va.start, va.strides, dims, rank, element);
  assert_memory_equal(b, want, sizeof b);
}

static void test_copies(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{2, 3, 4}, {1, 5, 1}, {7, 1, 2}, {3, 3, 3}};
  static const size_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}};
  static const size_t elements[] = {1, 2, 4, 8, 16};
  for (size_t s = 0; s < TL_COUNT(shapes); s++)
    for (size_t x = 0; x < TL_COUNT(orders); x++)
      for (size_t y = 0; y < TL_COUNT(orders); y++)
        for (size_t e = 0; e < TL_COUNT(elements); e++)
          for (unsigned flip = 0; flip < 8; flip++)
            check(shapes[s], 3, orders[x], orders[y], flip, elements[e]);
}

static void test_edges(void **state) {
  (void)state;
  float from = 3, to = 0;
  tlp_copy_strided((char *)&to, NULL, (const char *)&from, NULL, NULL, 0, 4); // a scalar
  assert_true(to == 3.0f);
  int64_t dims[] = {2, 0}, strides[] = {400, 4};
  tlp_copy_strided(NULL, strides, NULL, strides, dims, 2, 4); // nothing is touched
  int64_t row[] = {4}, repeated[] = {0}, dense[] = {4};
  float out[4];
  tlp_copy_strided((char *)out, dense, (const char *)&from, repeated, row, 1,
                   4); // one element spread out
  assert_true(out[0] == 3.0f && out[3] == 3.0f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_edges)};
  return cmocka_run_group_tests_name("pjrt/plugin/transfer", tests, NULL, NULL);
}
