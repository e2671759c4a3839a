// The weight formats: sizes of stored rows and packed groups, and where the planes lie.
#include "base/test.h"

#include "ir/format.h"

static void names(void **state) {
  (void)state;
  for (int i = 0; i < TL_FORMAT_COUNT; i++) {
    const tl_format_info *info = tl_format_get((tl_format)i);
    tl_format f;
    assert_true(tl_format_of_name(tl_str_of(info->name), &f) && (int)f == i);
    if (info->ggml != TL_NO_GGML) assert_true(tl_format_of_ggml(info->ggml, &f) && (int)f == i);
  }
  tl_format f;
  assert_false(tl_format_of_name(TL_STR("q4"), &f));
  assert_false(tl_format_of_name(TL_STR(""), &f));
  assert_false(tl_format_of_ggml(99, &f));
  assert_false(tl_format_of_ggml(TL_NO_GGML, &f));
}

static void stored(void **state) {
  (void)state;
  size_t size;
  assert_true(tl_format_row_size(TL_FORMAT_Q4_1, 576, &size) && size == 18 * 20);
  assert_true(tl_format_row_size(TL_FORMAT_Q6_K, 512, &size) && size == 420);
  assert_true(tl_format_row_size(TL_FORMAT_BF16, 7, &size) && size == 14);
  assert_true(tl_format_row_size(TL_FORMAT_Q8_0, 0, &size) && size == 0);
  assert_false(tl_format_row_size(TL_FORMAT_Q4_1, 33, &size));
  assert_false(tl_format_row_size(TL_FORMAT_Q4_K, 32, &size));
  assert_false(tl_format_row_size(TL_FORMAT_F32, SIZE_MAX / 2, &size));
  assert_true(tl_format_row_size(TL_FORMAT_INT8, 96, &size) && size == 96 + 4);
  assert_true(tl_format_row_size(TL_FORMAT_FP8, 96, &size) && size == 96 + 4);
  assert_true(tl_format_row_size(TL_FORMAT_FP8_BLOCK, 96, &size) && size == 96 + 4);
  assert_true(tl_format_row_size(TL_FORMAT_FP8_BLOCK, 160, &size) && size == 160 + 8);
  assert_true(tl_format_row_size(TL_FORMAT_NVFP4, 48, &size) && size == 24 + 3 + 4);
  assert_false(tl_format_row_size(TL_FORMAT_NVFP4, 24, &size));
  assert_false(tl_format_row_size(TL_FORMAT_FP8_BLOCK, SIZE_MAX / 32 * 32, &size));
  for (int f = 0; f < TL_FORMAT_COUNT; f++)
    for (size_t k = 0; k < 1100; k++) {
      size_t back;
      if (!tl_format_row_size((tl_format)f, k, &size)) continue;
      assert_true(tl_format_row_k((tl_format)f, size, &back) && back == k);
      if (tl_format_get((tl_format)f)->code_bits)
        assert_false(tl_format_row_k((tl_format)f, size + 1, &back));
    }
}

// By hand from the picture in formats.def, at k = 256.
static void planes(void **state) {
  (void)state;
  static const struct {
    tl_format f;
    tl_format_planes at;
  } want[] = {
      //                codes high  sc    mn    d     m     row   size
      {TL_FORMAT_Q8_0, {0, 4096, 4096, 4096, 4096, 4352, 4352, 4352}},
      {TL_FORMAT_Q4_0, {0, 2048, 2048, 2048, 2048, 2304, 2304, 2304}},
      {TL_FORMAT_Q4_1, {0, 2048, 2048, 2048, 2048, 2304, 2560, 2560}},
      {TL_FORMAT_Q5_0, {0, 2048, 2560, 2560, 2560, 2816, 2816, 2816}},
      {TL_FORMAT_Q5_1, {0, 2048, 2560, 2560, 2560, 2816, 3072, 3072}},
      {TL_FORMAT_Q4_K, {0, 2048, 2048, 2176, 2304, 2336, 2368, 2368}},
      {TL_FORMAT_Q5_K, {0, 2048, 2560, 2688, 2816, 2848, 2880, 2880}},
      {TL_FORMAT_Q6_K, {0, 2048, 3072, 3328, 3328, 3360, 3360, 3360}},
      {TL_FORMAT_INT8, {0, 4096, 4096, 4096, 4096, 4096, 4096, 4160}},
      {TL_FORMAT_FP8, {0, 4096, 4096, 4096, 4096, 4096, 4096, 4160}},
      {TL_FORMAT_FP8_BLOCK, {0, 4096, 4096, 4096, 4096, 4224, 4224, 4224}},
      {TL_FORMAT_NVFP4, {0, 2048, 2048, 2304, 2304, 2304, 2304, 2368}},
  };
  for (size_t i = 0; i < TL_COUNT(want); i++) {
    tl_format_planes at;
    size_t group;
    assert_true(tl_format_plane_offsets(want[i].f, 256, &at));
    assert_memory_equal(&at, &want[i].at, sizeof at);
    assert_true(tl_format_group_size(want[i].f, 256, &group) && group == at.size);
    assert_false(tl_format_plane_offsets(want[i].f, 255, &at));
    assert_false(tl_format_plane_offsets(want[i].f, SIZE_MAX / 256 * 256, &at));
  }
}

static void groups(void **state) {
  (void)state;
  size_t size;
  tl_format_planes at;
  assert_true(tl_format_group_size(TL_FORMAT_F32, 5, &size) && size == 320);
  assert_true(tl_format_group_size(TL_FORMAT_F16, 5, &size) && size == 192); // k up to a pair
  assert_true(tl_format_group_size(TL_FORMAT_BF16, 6, &size) && size == 192);
  assert_false(tl_format_group_size(TL_FORMAT_F16, SIZE_MAX, &size));
  assert_false(tl_format_group_size(TL_FORMAT_F32, SIZE_MAX / 2, &size));
  assert_false(tl_format_plane_offsets(TL_FORMAT_F32, 256, &at)); // dense: no planes
  assert_int_equal(tl_format_groups(0), 0);
  assert_int_equal(tl_format_groups(16), 1);
  assert_int_equal(tl_format_groups(17), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(stored),
      cmocka_unit_test(planes),
      cmocka_unit_test(groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
