// What the ops with state slots refuse; their values are in tests/ref/ops/serving.json.
#include "ref/ref_test.h"

enum { B = 2, T = 3, C = 2, K = 2, S = 4 };

static tl_status conv(const int32_t *slots, const int32_t *positions, const int32_t *write) {
  float x[B * T * C] = {0}, w[K * C] = {0}, pool[S * (K - 1) * C] = {0};
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, B, T, C),
                    TENSOR(w, TL_DTYPE_F32, K, C),
                    TENSOR(pool, TL_DTYPE_F32, S, K - 1, C),
                    TENSOR((int32_t *)slots, TL_DTYPE_S32, B, T),
                    TENSOR((int32_t *)positions, TL_DTYPE_S32, B, T),
                    TENSOR((int32_t *)write, TL_DTYPE_S32, B, T)};
  const size_t n = write ? 6 : 5;
  tl_value a[6] = {0};
  for (size_t i = 0; i < n; i++)
    a[i] = tl_func_arg(&f.b, in[i].type);
  tl_op *op = tlo_causal_conv1d(&f.b, a[0], a[1], a[2], a[3], a[4], a[5]);
  tlo_return(&f.b, op->results, 2);
  tl_func *fn = f.b.fn;
  assert_ok(tl_builder_finish(&f.b));
  tl_tensor out[2];
  tl_status st = tl_ref_run(fn, TL_REF_AS_TYPED, in, n, f.arena, out, 0);
  fixture_end(&f);
  return st;
}

static void slot_rules(void **state) {
  (void)state;
  const int32_t good[] = {-1, 2, 2, 0, 0, 0}, positions[] = {0, 5, 6, 0, 1, 2};
  assert_ok(conv(good, positions, NULL));
  assert_ok(conv(good, positions, (int32_t[]){-1, 3, -1, 1, 0, 2}));
  static const struct {
    int32_t slots[B * T], positions[B * T];
    const char *says;
  } bad[] = {
      {{2, -1, 2, 0, 0, 0}, {0, 1, 2, 0, 1, 2}, "row 0 has padding at token 1, behind a live one"},
      {{2, 2, 3, 0, 0, 0}, {0, 1, 2, 0, 1, 2}, "row 0 has tokens of slots 2 and 3"},
      {{2, 2, 2, 0, 0, 4}, {0, 1, 2, 0, 1, 2}, "row 1 names slot 4 of 4"},
      {{2, 2, 2, -1, 2, 2}, {0, 1, 2, 0, 1, 2}, "rows 0 and 1 share slot 2"},
      {{2, 2, 2, 0, 0, 0}, {0, 1, 2, 0, 2, 3}, "row 1 has position 2 at token 1, wanted 1"},
      {{2, 2, 2, 0, 0, 0}, {-1, 0, 1, 0, 1, 2}, "row 0 has position -1 at token 0, wanted 0"}};
  for (size_t i = 0; i < TL_COUNT(bad); i++) {
    tl_status st = conv(bad[i].slots, bad[i].positions, NULL);
    assert_non_null(strstr(tl_status_message(st), bad[i].says));
    tl_status_drop(st);
  }
  tl_status st = conv(good, positions, (int32_t[]){-1, 3, -1, 1, 3, 2});
  assert_non_null(strstr(tl_status_message(st), "tokens 1 and 4 share slot 3"));
  tl_status_drop(st);
  st = conv(good, positions, (int32_t[]){-1, 4, -1, -1, -1, -1});
  assert_non_null(strstr(tl_status_message(st), "token 1 writes slot 4 of 4"));
  tl_status_drop(st);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slot_rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
