// The GGUF reader: a file from another writer, every refusal, and every truncation and damaged byte
// of a small file.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ckpt/gguf.h"
#include "ckpt/gguf_testing.h"

// ---- a file that the gguf package wrote (tests/oracle/ckpt_gguf.py)

static int64_t int_of(const tl_gguf *g, const char *key) {
  int64_t v = 0;
  assert_ok(tl_gguf_i64(g, key, INT64_MIN, INT64_MAX, &v));
  return v;
}

static void every_type(void **state) {
  (void)state;
  tl_gguf *g = NULL;
  assert_ok(tl_gguf_open("tests/ckpt/all_types.gguf", &g));
  assert_int_equal(g->version, 3);
  assert_int_equal(g->alignment, 64);
  assert_int_equal(int_of(g, "v.uint8"), 200);
  assert_int_equal(int_of(g, "v.int8"), -100);
  assert_int_equal(int_of(g, "v.uint16"), 60000);
  assert_int_equal(int_of(g, "v.int16"), -30000);
  assert_int_equal(int_of(g, "v.uint32"), 4000000000);
  assert_int_equal(int_of(g, "v.int32"), -2000000000);
  assert_int_equal(int_of(g, "v.int64"), -9000000000000000000);
  assert_true(tl_gguf_find(g, "v.uint64")->u == 18000000000000000000u);
  int64_t unused;
  assert_status(tl_gguf_i64(g, "v.uint64", 0, INT64_MAX, &unused), TL_STATUS_INVALID_ARGUMENT,
                "v.uint64: 18000000000000000000 is not within");
  assert_status(tl_gguf_i64(g, "v.int8", 0, 10, &unused), TL_STATUS_INVALID_ARGUMENT,
                "v.int8: -100 is not within 0 to 10");
  assert_status(tl_gguf_i64(g, "v.string", 0, 10, &unused), TL_STATUS_INVALID_ARGUMENT,
                "v.string: wanted an integer, found a value of type string");
  assert_status(tl_gguf_i64(g, "v.none", 0, 10, &unused), TL_STATUS_NOT_FOUND, "v.none is missing");
  assert_ok(tl_gguf_i64_or(g, "v.none", 0, 10, -7, &unused));
  assert_int_equal(unused, -7);

  double d;
  assert_ok(tl_gguf_f64(g, "v.float32", &d));
  assert_true(d == (double)0.1f);
  assert_ok(tl_gguf_f64_or(g, "v.float64", 0, &d));
  assert_true(d == 0.1);
  assert_status(tl_gguf_f64(g, "v.int8", &d), TL_STATUS_INVALID_ARGUMENT,
                "wanted a float, found a value of type int8");
  bool b = false;
  assert_ok(tl_gguf_bool_or(g, "v.bool", false, &b));
  assert_true(b);
  tl_str s;
  assert_ok(tl_gguf_str(g, "v.string", &s));
  assert_text(s, "Grüße");
  assert_ok(tl_gguf_str_or(g, "v.none", TL_STR("other"), &s));
  assert_text(s, "other");

  const tl_str *strings;
  size_t n;
  assert_ok(tl_gguf_strings(g, "a.strings", &strings, &n));
  assert_int_equal(n, 3);
  assert_text(strings[0], "");
  assert_text(strings[1], "a");
  assert_text(strings[2], "Ġthe");
  const tl_gguf_value *array;
  assert_ok(tl_gguf_ints(g, "a.ints", &array));
  assert_int_equal(array->len, 3);
  assert_int_equal(tl_gguf_item_i64(array, 0), -1);
  assert_int_equal(tl_gguf_item_i64(array, 2), -3);
  assert_ok(tl_gguf_ints(g, "a.bytes", &array));
  assert_int_equal(tl_gguf_item_i64(array, 1), 255);
  assert_ok(tl_gguf_floats(g, "a.floats", &array));
  assert_true(tl_gguf_item_f64(array, 1) == -0.25);
  array = tl_gguf_find(g, "a.bools");
  assert_int_equal(array->item, TL_GGUF_BOOL);
  assert_false(tl_gguf_item_bool(array, 1));
  assert_status(tl_gguf_ints(g, "a.strings", &array), TL_STATUS_INVALID_ARGUMENT,
                "found an array of string");
  assert_status(tl_gguf_strings(g, "v.bool", &strings, &n), TL_STATUS_INVALID_ARGUMENT,
                "found a value of type bool");

  assert_int_equal(g->n_tensors, 13);
  for (size_t i = 0; i < g->n_tensors; i++) {
    const tl_gguf_tensor *t = &g->tensors[i];
    const tl_stored_info *info = tl_stored_get(t->stored);
    assert_text(tl_str_sub(t->name, 2, t->name.len), info->name);
    assert_ptr_equal(tl_gguf_tensor_find(g, t->name), t);
    assert_int_equal(t->rank, 2);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->dims[0], 2);
    assert_int_equal(t->k, info->block == 1 ? 3 : info->block);
    assert_int_equal(t->row_size, info->block == 1 ? 3 * info->bytes : info->bytes);
    assert_int_equal(t->size, 2 * t->row_size);
    for (size_t j = 0; j < t->size; j++)
      assert_int_equal(t->data[j], j & 255);
  }
  assert_null(tl_gguf_tensor_find(g, TL_STR("t.none")));
  tl_gguf_destroy(g);
}

// ---- refusals

static void refuse(const gguf_build *b, const char *message) {
  tl_buf file = {0};
  build_file(b, &file);
  tl_gguf *g = NULL;
  assert_status(tl_gguf_parse(file.ptr, file.len, "t.gguf", &g), TL_STATUS_INVALID_ARGUMENT,
                message);
  tl_buf_deinit(&file);
}

#define REFUSED(message, ...) \
  do {                        \
    gguf_build b = {0};       \
    __VA_ARGS__               \
    refuse(&b, message);      \
    build_deinit(&b);         \
  } while (0)

static const uint64_t dims_4[] = {4}, dims_8_2[] = {8, 2};

static void refusals_of_metadata(void **state) {
  (void)state;
  REFUSED("t.gguf: metadata key a is there twice", build_u32(&b, "a", 1); build_u32(&b, "a", 1););
  REFUSED("t.gguf: a: unknown value type 13", build_key(&b, "a", 13);
          build_little(&b.entries, 0, 8););
  REFUSED("t.gguf: a: a bool of value 2", build_key(&b, "a", TL_GGUF_BOOL);
          tl_buf_char(&b.entries, 2););
  REFUSED("t.gguf: the name of metadata entry 0 is empty", build_u32(&b, "", 1););
  REFUSED("t.gguf: the name of metadata entry 0 is empty", build_u32(&b, "two\nlines", 1););
  REFUSED("t.gguf: a: an array of arrays is not read", build_key(&b, "a", TL_GGUF_ARRAY);
          build_little(&b.entries, TL_GGUF_ARRAY, 4); build_little(&b.entries, 0, 8););
  REFUSED("t.gguf: a: unknown item type 99", build_key(&b, "a", TL_GGUF_ARRAY);
          build_little(&b.entries, 99, 4); build_little(&b.entries, 0, 8););
  REFUSED("t.gguf: a: item 1 is a bool of value 7", build_key(&b, "a", TL_GGUF_ARRAY);
          build_little(&b.entries, TL_GGUF_BOOL, 4); build_little(&b.entries, 2, 8);
          build_little(&b.entries, 0x0701, 2););
  // Counts whose product with the item size wraps, or that ask for more memory than the file has
  // bytes.
  REFUSED("items of uint64 do not fit in the 0 bytes left", build_key(&b, "a", TL_GGUF_ARRAY);
          build_little(&b.entries, TL_GGUF_U64, 4);
          build_little(&b.entries, UINT64_C(1) << 61, 8););
  REFUSED("items of string do not fit in the 8 bytes left", build_key(&b, "a", TL_GGUF_ARRAY);
          build_little(&b.entries, TL_GGUF_STRING, 4); build_little(&b.entries, 2, 8);
          build_little(&b.entries, 0, 8););
  REFUSED("truncated at byte", build_key(&b, "a", TL_GGUF_STRING);
          build_little(&b.entries, UINT64_MAX, 8););
  REFUSED("general.alignment: 48 is not a power of two", build_u32(&b, "general.alignment", 48););
  REFUSED("general.alignment: 0 is not within", build_u32(&b, "general.alignment", 0););
  REFUSED("general.alignment: wanted an integer", build_string(&b, "general.alignment", "32"););
  // more entries or tensors than the file can hold
  REFUSED("metadata entries do not fit", b.n_entries = UINT64_MAX;);
  REFUSED("tensors do not fit", b.n_tensors = UINT64_C(1) << 60;);
}

static void refusals_of_tensors(void **state) {
  (void)state;
  REFUSED("tensor w is there twice", build_tensor(&b, "w", 1, dims_4, TL_STORED_F32, NULL);
          build_tensor(&b, "w", 1, dims_4, TL_STORED_F32, NULL););
  REFUSED("tensor w: rank 0, wanted 1 to 4", build_record(&b, "w", 0, dims_4, 0, 0);
          build_little(&b.data, 0, 64););
  REFUSED("tensor w: rank 5, wanted 1 to 4",
          build_record(&b, "w", 5, (const uint64_t[]){1, 1, 1, 1, 1}, 0, 0);
          build_little(&b.data, 0, 8););
  REFUSED("tensor w: unknown tensor type 4", build_record(&b, "w", 1, dims_4, 4, 0););
  REFUSED("tensor w: a dim is 0", build_record(&b, "w", 2, (const uint64_t[]){0, 4}, 0, 0););
  REFUSED("rows of 8 elements are not whole q8_0 blocks of 32",
          build_record(&b, "w", 2, dims_8_2, 8, 0););
  REFUSED(
      "more bytes than memory can hold",
      build_record(&b, "w", 2, (const uint64_t[]){UINT64_C(1) << 40, UINT64_C(1) << 40}, 0, 0););
  REFUSED("more bytes than memory can hold",
          build_record(&b, "w", 4, (const uint64_t[]){1, UINT64_C(1) << 32, UINT64_C(1) << 31, 2},
                       0, 0););
  REFUSED("offset 16 is not a multiple of the alignment 32",
          build_record(&b, "w", 1, dims_4, 0, 16););
  REFUSED("tensor w: 16 bytes at offset 0 pass the end of the data (4 bytes)",
          build_record(&b, "w", 1, dims_4, 0, 0);
          build_little(&b.data, 0, 4););
  REFUSED("pass the end of the data", build_record(&b, "w", 1, dims_4, 0, UINT64_MAX - 31););
  REFUSED("tensors w and v overlap", build_record(&b, "w", 2, (const uint64_t[]){8, 2}, 0, 0);
          build_record(&b, "v", 1, dims_4, 0, 0); build_little(&b.data, 0, 64););
  REFUSED("tensors w and v overlap", build_record(&b, "w", 2, (const uint64_t[]){8, 2}, 0, 0);
          build_record(&b, "v", 1, dims_4, 0, 32); build_little(&b.data, 0, 64););
  REFUSED("the name of tensor 0 is empty", build_record(&b, "", 1, dims_4, 0, 0););
}

static tl_status parse(const void *bytes, size_t size) {
  tl_gguf *g = NULL;
  tl_status st = tl_gguf_parse(bytes, size, "t.gguf", &g);
  tl_gguf_destroy(g);
  return st;
}

static void refusals_of_files(void **state) {
  (void)state;
  assert_status(parse(NULL, 0), TL_STATUS_INVALID_ARGUMENT, "not a GGUF file");
  assert_status(parse("GGML....", 8), TL_STATUS_INVALID_ARGUMENT, "not a GGUF file");
  assert_status(parse("GGUF\1\0\0\0................", 24), TL_STATUS_INVALID_ARGUMENT,
                "GGUF version 1; versions 2 and 3");
  assert_status(parse("GGUF\4\0\0\0................", 24), TL_STATUS_INVALID_ARGUMENT,
                "GGUF version 4; versions 2 and 3");
  assert_status(parse("GGUF\0\0\0\3................", 24), TL_STATUS_INVALID_ARGUMENT,
                "a big-endian GGUF file");
  assert_ok(parse("GGUF\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24)); // empty, but a GGUF file
  tl_gguf *g = NULL;
  assert_status(tl_gguf_open("tests/ckpt/none.gguf", &g), TL_STATUS_NOT_FOUND,
                "tests/ckpt/none.gguf");
}

// ---- damage

static void build_small(tl_buf *out) {
  gguf_build b = {0};
  build_llama_metadata(&b, 1);
  build_tensor(&b, "norm", 1, dims_4, TL_STORED_F32, NULL);
  build_tensor(&b, "w", 2, (const uint64_t[]){32, 2}, TL_STORED_Q4_0, NULL);
  build_file(&b, out);
  build_deinit(&b);
}

// A copy that ends where the heap block ends, so that a sanitizer sees the first byte read past it.
static tl_status parse_copy(const void *bytes, size_t size) {
  void *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  tl_status st = parse(copy, size);
  free(copy);
  return st;
}

static void truncated_anywhere(void **state) {
  (void)state;
  tl_buf file = {0};
  build_small(&file);
  assert_ok(parse_copy(file.ptr, file.len));
  for (size_t size = 0; size < file.len; size++)
    assert_status(parse_copy(file.ptr, size), TL_STATUS_INVALID_ARGUMENT, "t.gguf: ");
  tl_buf_deinit(&file);
}

static void damaged_anywhere(void **state) {
  (void)state;
  tl_buf file = {0};
  build_small(&file);
  static const uint8_t flips[] = {0x01, 0x80, 0xff};
  for (size_t i = 0; i < file.len; i++)
    for (size_t f = 0; f < TL_COUNT(flips); f++) {
      file.ptr[i] = (char)(file.ptr[i] ^ flips[f]);
      tl_status st = parse_copy(
          file.ptr, file.len); // some damage is harmless; none may crash or be silent about why
      if (st) assert_non_null(strstr(tl_status_message(st), "t.gguf: "));
      assert_null(strchr(tl_status_message(st), '\n'));
      tl_status_drop(st);
      file.ptr[i] = (char)(file.ptr[i] ^ flips[f]);
    }
  tl_buf_deinit(&file);
}

static tl_status parse_buf(void *arg) {
  const tl_buf *file = arg;
  return parse(file->ptr, file->len);
}

static void out_of_memory(void **state) {
  (void)state;
  tl_buf file = {0};
  build_small(&file);
  tl_test_each_oom(parse_buf, &file);
  tl_buf_deinit(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type),          cmocka_unit_test(refusals_of_metadata),
      cmocka_unit_test(refusals_of_tensors), cmocka_unit_test(refusals_of_files),
      cmocka_unit_test(truncated_anywhere),  cmocka_unit_test(damaged_anywhere),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("ckpt/gguf", tests, NULL, NULL);
}
