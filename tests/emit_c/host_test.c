// <tlaloc/host.h> used by hand: errors, memory, what comes in from outside. That each op's call
// gives the interpreter's bits is emit_c_test.c's.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <tlaloc/host.h>

static tlh_tensor vector(tlh *h, size_t n, float first) {
  float data[16] = {0};
  const int64_t dims[] = {(int64_t)n};
  for (size_t i = 0; i < n; i++)
    data[i] = first + (float)i;
  return tlh_constant(h, (tlh_type){TLH_F32, 1, dims}, data);
}

static void test_first_error_stays(void **state) {
  (void)state;
  tlh *h = tlh_create();
  tlh_tensor x = vector(h, 3, 1), y = vector(h, 4, 1);
  assert_null(tlh_error(h));
  tlh_tensor z = tlh_add(h, x, y);
  assert_non_null(strstr(tlh_error(h), "add"));
  assert_non_null(strstr(tlh_error(h), "tensor<3xf32>"));
  assert_null(z.data);
  // Later calls do nothing, also to what they are given to fill.
  tlh_tensor out[3] = {x, x, x};
  tlh_lu(h, z, out);
  assert_null(out[2].data);
  assert_null(tlh_tanh(h, x).data);
  assert_null(tlh_constant(h, TLH_SCALAR(TLH_F32), NULL).data);
  assert_false(tlh_true(h, z));
  assert_int_equal(tlh_case(h, z, 4), 3);
  assert_true(isnan(tlh_at(h, x, 0)));
  assert_non_null(strstr(tlh_error(h), "add"));
  tlh_clear(h);
  assert_null(tlh_error(h));
  assert_int_equal(tlh_mark(h), 0);
  x = vector(h, 3, 1);
  assert_true(tlh_at(h, tlh_add(h, x, x), 2) == 6);
  tlh_destroy(h);
}

static void test_each_mistake_is_named(void **state) {
  (void)state;
  tlh *h = tlh_create();
  const tlh_tensor none = {0};
#define WRONG(call, text)                                                           \
  do {                                                                              \
    tlh_clear(h);                                                                   \
    tlh_tensor x = vector(h, 3, 1), m = tlh_reshape(h, TLH_TYPE(TLH_F32, 3, 1), x); \
    (void)m;                                                                        \
    assert_null(tlh_error(h));                                                      \
    (void)(call);                                                                   \
    assert_non_null(tlh_error(h));                                                  \
    if (!strstr(tlh_error(h), text)) fail_msg("%s: %s", text, tlh_error(h));        \
  } while (0)
  WRONG(tlh_tanh(h, none), "operand 0: it has no data");
  WRONG(tlh_tanh(h, ((tlh_tensor){TLH_TYPE(TLH_F32, -1), x.data})), "dim 0 is -1");
  WRONG(tlh_tanh(h, ((tlh_tensor){{(tlh_dtype)99, 0, NULL}, x.data})), "not a tensor's type");
  WRONG(tlh_tanh(h, ((tlh_tensor){{TLH_F32, 99, x.type.dims}, x.data})), "not a tensor's type");
  WRONG(tlh_tanh(h, ((tlh_tensor){{TLH_F32, 2, NULL}, x.data})), "not a tensor's type");
  WRONG(tlh_tanh(h, ((tlh_tensor){TLH_TYPE(TLH_F32, INT64_MAX, 8), x.data})), "more bytes");
  WRONG(tlh_constant(h, TLH_TYPE(TLH_F64, INT64_MAX), x.data), "more bytes");
  WRONG(tlh_constant(h, TLH_TYPE(TLH_F64, 2), NULL), "no data");
  WRONG(tlh_reshape(h, TLH_INFER, x), "reshape");
  WRONG(tlh_reshape(h, TLH_TYPE(TLH_F32, 4), x), "reshape");
  WRONG(tlh_transpose(h, x, TLH_LIST(1)), "transpose_c2");
  WRONG(tlh_concatenate(h, 0, NULL, 0), "concatenate");
  WRONG(tlh_reduce(h, 0, NULL, TLH_NONE, TLH_BY(TLH_ADD), NULL), "too few operands");
  WRONG(tlh_reduce(h, TLH_ALL(x), TLH_LIST(0), TLH_BY(TLH_ADD), NULL), "too few operands");
  WRONG(tlh_reduce(h, TLH_ALL(x, x), TLH_LIST(0), TLH_BY(TLH_ADD), NULL), "reduce");
  WRONG(tlh_reduce(h, TLH_ALL(x, x), TLH_LIST(0), TLH_BY((tlh_combiner)99), NULL), "combiner");
  WRONG(tlh_sort(h, TLH_ALL(x), 0, true, TLH_BY(TLH_ADD), NULL), "its region wants a body");
  WRONG(tlh_map(h, TLH_ALL(x), TLH_LIST(0), TLH_BY(TLH_ADD)), "its region wants a body");
  WRONG(tlh_softmax(h, x, 7), "softmax");
  WRONG(tlh_true(h, x), "wants a scalar i1");
  WRONG(tlh_case(h, x, 2), "wants a scalar i32");
  WRONG(tlh_at(h, x, 3), "no element 3");
#undef WRONG
  tlh_destroy(h);
}

static void wrong_type(tlh *h, const tlh_tensor *in, tlh_tensor *out, const tlh_tensor *outer) {
  (void)outer;
  out[0] = tlh_convert(h, TLH_SCALAR(TLH_F64), in[0]);
}
static void nothing(tlh *h, const tlh_tensor *in, tlh_tensor *out, const tlh_tensor *outer) {
  (void)h, (void)in, (void)out, (void)outer;
}
static void failing(tlh *h, const tlh_tensor *in, tlh_tensor *out, const tlh_tensor *outer) {
  out[0] = tlh_add(h, in[0], *outer);
}

static void test_bodies_that_are_wrong(void **state) {
  (void)state;
  tlh *h = tlh_create();
  static tlh_body *const bodies[] = {wrong_type, nothing, failing};
  static const char *const texts[] = {"result 0 is no scalar f32", "result 0", "add"};
  for (size_t i = 0; i < TL_COUNT(bodies); i++) {
    tlh_clear(h);
    tlh_tensor x = vector(h, 3, 1);
    const size_t mark = tlh_mark(h);
    tlh_map(h, TLH_ALL(x), TLH_LIST(0), (tlh_region){.body = bodies[i], .outer = &x});
    assert_non_null(tlh_error(h));
    if (!strstr(tlh_error(h), texts[i])) fail_msg("%s: %s", texts[i], tlh_error(h));
    assert_int_equal(tlh_mark(h), mark); // nothing stays behind
  }
  tlh_destroy(h);
}

// A loop of any length holds what one round of it makes.
static void test_loop_keeps_its_state_only(void **state) {
  (void)state;
  tlh *h = tlh_create();
  tlh_tensor before = vector(h, 3, 5), v[2] = {vector(h, 3, 1), vector(h, 3, 2)};
  const size_t mark = tlh_mark(h);
  for (int i = 0; i < 1000; i++) {
    tlh_tensor a = tlh_negate(h, v[0]), b = tlh_abs(h, a);
    (void)tlh_tanh(h, b);
    tlh_next(h, mark, 2, v, (const tlh_tensor[]){v[1], a}); // v[1] moves, a stays
    assert_true(tlh_mark(h) <= mark + 2);
  }
  assert_true(tlh_at(h, v[0], 0) == 1 && tlh_at(h, v[1], 0) == 2);
  assert_true(tlh_at(h, before, 2) == 7);
  // A value that shares another's memory keeps it.
  const size_t end = tlh_mark(h);
  tlh_tensor c = tlh_negate(h, before), part = {TLH_SCALAR(TLH_F32), (const float *)c.data + 1};
  part = tlh_keep(h, end, 1, &part);
  assert_int_equal(tlh_mark(h), end + 1);
  assert_true(tlh_at(h, part, 0) == -6);
  assert_null(tlh_keep(h, mark, 0, NULL).data);
  assert_int_equal(tlh_mark(h), mark);
  assert_null(tlh_error(h));
  tlh_destroy(h);
}

static void test_elements(void **state) {
  (void)state;
  tlh *h = tlh_create();
  const tlh_tensor half = {TLH_TYPE(TLH_BF16, 2), (const uint16_t[]){0x3fc0, 0xc000}};
  assert_true(tlh_at(h, half, 0) == 1.5 && tlh_at(h, half, 1) == -2);
  const tlh_tensor z = {TLH_TYPE(TLH_C64, 1), (const float[]){1, 2}};
  assert_true(tlh_at(h, z, 0) == 1 && tlh_at(h, z, 1) == 2);
  // An i4 of which the upper bits are anything.
  const tlh_tensor i = tlh_constant(h, TLH_TYPE(TLH_S4, 2), (const uint8_t[]){0x0f, 0xf7});
  assert_true(tlh_at(h, i, 0) == -1 && tlh_at(h, i, 1) == 7);
  const tlh_tensor s = tlh_splat(h, TLH_TYPE(TLH_U8, 2, 3), (const uint8_t[]){200});
  assert_int_equal(tlh_count(s), 6);
  assert_true(tlh_at(h, s, 5) == 200);
  assert_int_equal(tlh_count((tlh_tensor){TLH_TYPE(TLH_F32, 0, 5), NULL}), 0);
  assert_null(tlh_error(h));
  const tlh_tensor t = tlh_add(h, (tlh_tensor){TLH_TYPE(TLH_F32, 0, 5), NULL},
                               (tlh_tensor){TLH_TYPE(TLH_F32, 0, 5), NULL});
  assert_null(tlh_error(h));
  assert_int_equal(t.type.rank, 2);
  tlh_destroy(h);
  tlh_destroy(NULL);
}

static void sum(tlh *h, const tlh_tensor *in, tlh_tensor *out, const tlh_tensor *outer) {
  (void)outer;
  out[0] = tlh_add(h, in[0], tlh_tanh(h, in[1]));
}

static tl_status program(void *arg) {
  (void)arg;
  tlh *h = tlh_create();
  if (h == NULL) return TL_OOM();
  tlh_tensor x = vector(h, 4, 1), z = tlh_constant(h, TLH_SCALAR(TLH_F32), (const float[]){0});
  tlh_tensor y = tlh_softmax(h, tlh_add(h, x, x), 0), s[2];
  s[0] = tlh_reduce(h, TLH_ALL(y, z), TLH_LIST(0), TLH_BY(TLH_ADD), NULL);
  s[1] = tlh_reduce(h, TLH_ALL(y, z), TLH_LIST(0), (tlh_region){.body = sum}, NULL);
  tlh_keep(h, 0, 2, s);
  tl_status st = TL_OK;
  if (tlh_error(h)) st = tl_status_make(TL_STATUS_RESOURCE_EXHAUSTED, "%s", tlh_error(h));
  if (st && !strstr(tlh_error(h), "out of memory")) {
    tl_status_drop(st);
    st = TL_ERROR(INTERNAL, "%s", tlh_error(h));
  }
  tlh_destroy(h);
  return st;
}

static void test_memory_that_runs_out(void **state) {
  (void)state;
  tl_test_each_oom(program, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_error_stays),
      cmocka_unit_test(test_each_mistake_is_named),
      cmocka_unit_test(test_bodies_that_are_wrong),
      cmocka_unit_test(test_elements),
      cmocka_unit_test(test_loop_keeps_its_state_only),
      cmocka_unit_test(test_memory_that_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
