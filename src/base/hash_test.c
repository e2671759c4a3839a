// Digests against published vectors.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "base/hash.h"

#define SHA_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SHA_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA_MILLION_A "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

static void sha256(void **state) {
  (void)state;
  char hex[TL_SHA256_HEX + 1];
  assert_true(tl_sha256_hex(NULL, 0, hex));
  assert_string_equal(hex, SHA_EMPTY);
  assert_true(tl_sha256_hex("abc", 3, hex));
  assert_string_equal(hex, SHA_ABC);
  tl_sha256 *h = tl_sha256_create();
  char as[1000];
  memset(as, 'a', sizeof as);
  for (int i = 0; i < 1000; i++)
    tl_sha256_add(h, as, sizeof as);
  tl_sha256_finish(h, hex);
  assert_string_equal(hex, SHA_MILLION_A);
  tl_sha256_destroy(tl_sha256_create());
  tl_sha256_destroy(NULL);
}

static void sha256_of_a_file(void **state) {
  (void)state;
  tl_test_tmp t;
  tl_test_tmp_create(&t);
  char path[300], hex[TL_SHA256_HEX + 1];
  snprintf(path, sizeof path, "%s/f", t.path);
  char *as = malloc(1000000);
  memset(as, 'a', 1000000);
  assert_ok(tl_file_write(path, as, 1000000));
  free(as);
  assert_ok(tl_sha256_file(path, hex));
  assert_string_equal(hex, SHA_MILLION_A);
  assert_status(tl_sha256_file(t.path, hex), TL_STATUS_INVALID_ARGUMENT, t.path);
  snprintf(path, sizeof path, "%s/absent", t.path);
  assert_status(tl_sha256_file(path, hex), TL_STATUS_NOT_FOUND, "absent: cannot open");
  assert_status(tl_sha256_file("/dev/zero", hex), TL_STATUS_INVALID_ARGUMENT, "is a device");
  tl_test_tmp_remove(&t);
}

static void tables(void **state) {
  (void)state;
  assert_int_equal(tl_fnv1a64("", 0), 0xcbf29ce484222325u);
  assert_int_equal(tl_fnv1a64("a", 1), 0xaf63dc4c8601ec8cu);
  assert_int_equal(tl_fnv1a64("foobar", 6), 0x85944171f73967e8u);
  assert_int_equal(tl_hash64("", 0), 0x2d06800538d394c2u); // XXH3_64bits of nothing, seed 0
  assert_int_not_equal(tl_hash64("a", 1), tl_hash64("b", 1));
}

static tl_status build(void *arg) {
  (void)arg;
  char hex[TL_SHA256_HEX + 1];
  return tl_sha256_hex("abc", 3, hex) ? TL_OK : TL_OOM();
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sha256),
      cmocka_unit_test(sha256_of_a_file),
      cmocka_unit_test(tables),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
