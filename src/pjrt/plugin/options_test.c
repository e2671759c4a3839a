// The compile options' reader: what the frameworks send, and damaged bytes.
#include "pjrt/plugin/options.h"

#include "base/test.h"

static void test_read(void **state) {
  (void)state;
  tlp_compile_options o;
  assert_ok(tlp_options_read(TL_STR("\x1A\x04\x20\x01\x28\x01"), &o));
  assert_int_equal(o.num_replicas, 1);
  assert_int_equal(o.num_partitions, 1);
  assert_ok(tlp_options_read(TL_STR(""), &o));
  assert_int_equal(o.num_replicas, 0);
  // Unknown fields of every kind around and inside; device_ordinal = -1 takes ten bytes.
  assert_ok(tlp_options_read(
      TL_STR("\x08\x05\x11"
             "12345678"
             "\x1A\x18\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1A\x02xy\x20\x04\x28\x02\x35"
             "1234"
             "\x4a\x00"),
      &o));
  assert_int_equal(o.num_replicas, 4);
  assert_int_equal(o.num_partitions, 2);
}

static void test_damaged(void **state) {
  (void)state;
  static const char good[] = "\x1A\x04\x20\x01\x28\x01";
  tlp_compile_options o;
  for (size_t n = 1; n < sizeof good - 1; n++)
    assert_status(tlp_options_read((tl_str){good, n}, &o), TL_STATUS_INVALID_ARGUMENT,
                  "compile options: damaged");
  assert_status(tlp_options_read(TL_STR("\x1A\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), &o),
                TL_STATUS_INVALID_ARGUMENT, "damaged at byte");
  assert_status(tlp_options_read(TL_STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), &o),
                TL_STATUS_INVALID_ARGUMENT, "damaged");
  assert_status(tlp_options_read(TL_STR("\x0b"), &o), TL_STATUS_INVALID_ARGUMENT,
                "damaged"); // a group
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_damaged)};
  return cmocka_run_group_tests_name("pjrt/plugin/options", tests, NULL, NULL);
}
