// safetensors: what is written is read back, every rule of the format has a file that breaks it,
// shards, and damage.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ckpt/safetensors.h"

// A file from a header's text and n bytes of data (0, 1, 2, …).
static void make(const char *header, size_t n, tl_buf *out) {
  uint64_t len = strlen(header);
  for (size_t i = 0; i < 8; i++)
    tl_buf_char(out, (char)(len >> (8 * i)));
  tl_buf_cstr(out, header);
  for (size_t i = 0; i < n; i++)
    tl_buf_char(out, (char)i);
}

static tl_status parse(const void *bytes, size_t size) {
  tl_safetensors *s = NULL;
  tl_status st = tl_safetensors_parse(bytes, size, "t.safetensors", &s);
  tl_safetensors_destroy(s);
  return st;
}

static void every_dtype(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tl_stored stored;
    size_t width;
  } rows[] = {
      {"F64", TL_STORED_F64, 8},         {"I64", TL_STORED_I64, 8},   {"F32", TL_STORED_F32, 4},
      {"I32", TL_STORED_I32, 4},         {"BF16", TL_STORED_BF16, 2}, {"F16", TL_STORED_F16, 2},
      {"I8", TL_STORED_I8, 1},           {"U8", TL_STORED_U8, 1},     {"BOOL", TL_STORED_BOOL, 1},
      {"F8_E4M3", TL_STORED_F8_E4M3, 1},
  };
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    char header[256];
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"%s\",\"shape\":[2,3],\"data_offsets\":[0,%zu]},"
             "\"__metadata__\":{\"b\":\"2\",\"a\":\"\"}}   ",
             rows[i].name, 6 * rows[i].width);
    tl_buf file = {0};
    make(header, 6 * rows[i].width, &file);
    tl_safetensors *s = NULL;
    assert_ok(tl_safetensors_parse(file.ptr, file.len, "t.safetensors", &s));
    const tl_safetensor *t = tl_safetensors_find(s, TL_STR("w"));
    assert_non_null(t);
    assert_int_equal(t->dtype, rows[i].stored);
    assert_int_equal(t->rank, 2);
    assert_int_equal(t->dims[0], 2);
    assert_int_equal(t->dims[1], 3);
    assert_int_equal(t->size, 6 * rows[i].width);
    assert_int_equal(t->data[5], 5);
    assert_null(tl_safetensors_find(s, TL_STR("__metadata__")));
    assert_int_equal(s->n_meta, 2);
    assert_text(s->meta[0].key, "a");
    assert_text(s->meta[1].value, "2");
    tl_safetensors_destroy(s);
    tl_buf_deinit(&file);
  }
}

#define T(name, dtype, shape, from, to)                                                            \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #from "," #to "]" \
  "}"

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *header;
    size_t data;
    const char *message;
  } cases[] = {
      {"[]", 0, "byte 8 does not begin a JSON object"},
      {"{\"a\":}", 0, "t.safetensors:1:6"},
      {"{} x", 0, "t.safetensors:1:4"},
      {"{" T("a", "F32", "[1]", 0, 4) "," T("a", "F32", "[1]", 0, 4) "}", 4, "twice"},
      {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
       "twice"},
      {"{\"a\":3}", 0, "tensor a: wanted an object, found an integer"},
      {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "tensor a: dtype"},
      {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "tensor a: shape"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "tensor a: data_offsets"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4, "x"},
      {"{" T("a", "F8_E5M2", "[4]", 0, 4) "}", 4, "tensor a: dtype F8_E5M2; known are"},
      {"{" T("a", "F32", "[1.0]", 0, 4) "}", 4, "shape[0]: wanted a whole number"},
      {"{" T("a", "F32", "[-1]", 0, 4) "}", 4, "shape[0]: wanted a whole number"},
      {"{" T("a", "F32", "[99999999999999999999]", 0, 4) "}", 4, "shape[0]: wanted a whole number"},
      {"{" T("a", "F32", "[4294967296,4294967296]", 0, 4) "}", 4,
       "more bytes than memory can hold"},
      {"{" T("a", "F32", "[4611686018427387904]", 0, 0) "}", 0, "more bytes than memory can hold"},
      {"{" T("a", "F32", "[1,1,1,1,1,1,1,1,1]", 0, 4) "}", 4, "rank 9, at most 8"},
      {"{" T("a", "F32", "[1]", 0, 8) "}", 8, "need 4 bytes, data_offsets give it 8"},
      {"{" T("a", "F32", "[2]", 0, 4) "}", 4, "need 8 bytes, data_offsets give it 4"},
      {"{" T("a", "F32", "[1]", 4, 0) "}", 4, "data_offsets [4, 0] do not lie within"},
      {"{" T("a", "F32", "[1]", 0, 4) "}", 3,
       "data_offsets [0, 4] do not lie within the file's 3 bytes"},
      {"{" T("a", "F32", "[1]", -4, 0) "}", 4, "data_offsets: wanted two whole numbers"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4,
       "wanted two whole numbers"},
      {"{" T("a", "F32", "[1]", 0, 4) "," T("b", "F32", "[1]", 0, 4) "}", 4,
       "tensors a and b overlap at byte 0"},
      {"{" T("a", "F32", "[2]", 0, 8) "," T("b", "F32", "[1]", 4, 8) "}", 8,
       "tensors a and b overlap at byte 4"},
      {"{" T("a", "F32", "[1]", 0, 4) "," T("b", "F32", "[1]", 8, 12) "}", 12,
       "bytes 4 to 8 of the data, before tensor b, belong to no tensor"},
      {"{" T("a", "F32", "[1]", 0, 4) "}", 5, "the last 1 bytes belong to no tensor"},
      {"{}", 1, "the last 1 bytes belong to no tensor"},
      {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__: wanted strings, found an integer"},
      {"{\"__metadata__\":[]}", 0, "__metadata__: wanted an object, found an array"},
      {"{" T("", "F32", "[1]", 0, 4) "}", 4, "a tensor's name is empty"},
      {"{" T("a\\nb", "F32", "[1]", 0, 4) "}", 4,
       "a tensor's name is empty, over 512 bytes or has control characters"},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_buf file = {0};
    make(cases[i].header, cases[i].data, &file);
    assert_status(parse(file.ptr, file.len), TL_STATUS_INVALID_ARGUMENT, cases[i].message);
    tl_buf_deinit(&file);
  }
  assert_status(parse("", 0), TL_STATUS_INVALID_ARGUMENT, "0 bytes are too few");
  assert_status(parse("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), TL_STATUS_INVALID_ARGUMENT,
                "a header of");
  assert_ok(parse("\2\0\0\0\0\0\0\0{}", 10));
  tl_buf empty = {0}; // empty tensors and scalars are fine
  make("{" T("s", "F32", "[]", 0, 4) "," T("e", "F64", "[0,7]", 4, 4) "," T("e2", "F64", "[0]", 4,
                                                                            4) "}",
       4, &empty);
  assert_ok(parse(empty.ptr, empty.len));
  tl_buf_deinit(&empty);
}

static void make_small(tl_buf *out) {
  make("{" T("a", "F32", "[1]", 0, 4) "," T("b", "BF16", "[2,1]", 4,
                                            8) ",\"__metadata__\":{\"k\":\"v\"}}",
       8, out);
}

static tl_status parse_copy(const void *bytes, size_t size) {
  void *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  tl_status st = parse(copy, size);
  free(copy);
  return st;
}

static void damaged_anywhere(void **state) {
  (void)state;
  tl_buf file = {0};
  make_small(&file);
  assert_ok(parse_copy(file.ptr, file.len));
  for (size_t size = 0; size < file.len; size++)
    assert_status(parse_copy(file.ptr, size), TL_STATUS_INVALID_ARGUMENT, "t.safetensors");
  for (size_t i = 0; i < file.len; i++)
    for (int flip = 1; flip < 256; flip <<= 1) {
      file.ptr[i] = (char)(file.ptr[i] ^ flip);
      tl_status_drop(parse_copy(file.ptr, file.len));
      file.ptr[i] = (char)(file.ptr[i] ^ flip);
    }
  tl_buf_deinit(&file);
}

// ---- the writer

static const uint64_t dims_2[] = {2}, dims_2_2[] = {2, 2}, dims_3[] = {3};
static const float f32_data[] = {1, 2, 3, 4};
static const double f64_data[] = {5, 6};
static const uint16_t bf16_data[] = {7, 8, 9};
static const int32_t i32_data[] = {-1, 10};

static void writes(void **state) {
  (void)state;
  const tl_safetensors_item items[] = {
      {TL_STR("z.half"), TL_STORED_BF16, 1, dims_3, bf16_data, sizeof bf16_data},
      {TL_STR("m"), TL_STORED_F32, 2, dims_2_2, f32_data, sizeof f32_data},
      {TL_STR("i"), TL_STORED_I32, 1, dims_2, i32_data, sizeof i32_data},
      {TL_STR("d \"quoted\""), TL_STORED_F64, 1, dims_2, f64_data, sizeof f64_data},
  };
  const tl_safetensors_meta meta[] = {{TL_STR("b"), TL_STR("é\n")}, {TL_STR("a"), TL_STR("1")}};
  tl_buf file = {0};
  assert_ok(tl_safetensors_format(items, 4, meta, 2, &file));
  const char *header =
      "{\"__metadata__\":{\"a\":\"1\",\"b\":\"é\\n\"},"
      "\"d \\\"quoted\\\"\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},"
      "\"i\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[16,24]},"
      "\"m\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[24,40]},"
      "\"z.half\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[40,46]}}";
  assert_true(tl_str_starts(tl_str_sub(tl_buf_view(&file), 8, file.len), tl_str_of(header)));
  size_t padded = tl_round_up(8 + strlen(header), 8);
  assert_int_equal((uint8_t)file.ptr[0] + 256 * (uint8_t)file.ptr[1], padded - 8);
  for (size_t i = 8 + strlen(header); i < padded; i++)
    assert_int_equal(file.ptr[i], ' ');
  assert_int_equal(file.len, padded + 46);

  tl_safetensors *s = NULL;
  assert_ok(tl_safetensors_parse(file.ptr, file.len, "t.safetensors", &s));
  for (size_t i = 0; i < TL_COUNT(items); i++) {
    const tl_safetensor *t = tl_safetensors_find(s, items[i].name);
    assert_non_null(t);
    assert_int_equal(t->dtype, items[i].dtype);
    assert_int_equal(t->size, items[i].size);
    assert_memory_equal(t->data, items[i].data, items[i].size);
  }
  tl_safetensors_destroy(s);

  // Another order, the same bytes.
  const tl_safetensors_item turned[] = {items[3], items[1], items[0], items[2]};
  const tl_safetensors_meta turned_meta[] = {meta[1], meta[0]};
  tl_buf again = {0};
  assert_ok(tl_safetensors_format(turned, 4, turned_meta, 2, &again));
  assert_str(tl_buf_view(&again), tl_buf_view(&file));
  tl_buf_deinit(&again);
  tl_buf_deinit(&file);
}

static void write_refusals(void **state) {
  (void)state;
  static const struct {
    tl_safetensors_item items[2];
    size_t n;
    const char *message;
  } cases[] = {
      {{{{"a", 1}, TL_STORED_I64, 1, dims_2, f64_data, 16}}, 1, "a: i64 is not written"},
      {{{{"a", 1}, TL_STORED_F16, 1, dims_2, f64_data, 4}}, 1, "a: f16 is not written"},
      {{{{"a", 1}, TL_STORED_Q8_0, 1, dims_2, f64_data, 4}}, 1, "a: q8_0 is not written"},
      {{{{"a", 1}, TL_STORED_F32, 1, dims_2, f64_data, 4}}, 1, "a: its dims need another size"},
      {{{{"__metadata__", 12}, TL_STORED_F32, 1, dims_2, f32_data, 8}},
       1,
       "no tensor may be called __metadata__"},
      {{{{"", 0}, TL_STORED_F32, 1, dims_2, f32_data, 8}}, 1, "a tensor's name is empty"},
      {{{{"a", 1}, TL_STORED_F32, 1, dims_2, f32_data, 8},
        {{"a", 1}, TL_STORED_I32, 1, dims_2, i32_data, 8}},
       2,
       "two tensors called a"},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_buf out = {0};
    assert_status(tl_safetensors_format(cases[i].items, cases[i].n, NULL, 0, &out),
                  TL_STATUS_INVALID_ARGUMENT, cases[i].message);
    tl_buf_deinit(&out);
  }
  const tl_safetensors_meta twice[] = {{TL_STR("k"), TL_STR("1")}, {TL_STR("k"), TL_STR("2")}};
  tl_buf out = {0};
  assert_status(tl_safetensors_format(NULL, 0, twice, 2, &out), TL_STATUS_INVALID_ARGUMENT,
                "two metadata values for k");
  tl_buf_deinit(&out);
  // The limit is found before a byte of the data is touched.
  const uint64_t large[] = {UINT64_C(1) << 29};
  const tl_safetensors_item item = {TL_STR("big"), TL_STORED_F32, 1,
                                    large,         f32_data,      (size_t)4 << 29};
  tl_buf big = {0};
  assert_status(tl_safetensors_format(&item, 1, NULL, 0, &big), TL_STATUS_INVALID_ARGUMENT,
                "write shards");
  tl_buf_deinit(&big);
}

// ---- shards

static void put(const char *dir, const char *name, const void *bytes, size_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_ok(tl_file_write(path, bytes, size));
}

static tl_status open_with_index(const char *dir, const char *index) {
  put(dir, TL_SAFETENSORS_INDEX, index, strlen(index));
  tl_safetensors *s = NULL;
  tl_status st = tl_safetensors_open_dir(dir, &s);
  tl_safetensors_destroy(s);
  return st;
}

static void shards(void **state) {
  (void)state;
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  tl_safetensors *s = NULL;
  assert_status(tl_safetensors_open_dir(tmp.path, &s), TL_STATUS_NOT_FOUND,
                "neither model.safetensors nor");
  tl_buf one = {0}, two = {0};
  make("{" T("a", "F32", "[1]", 0, 4) "}", 4, &one);
  make("{" T("b", "F32", "[2]", 0, 8) "," T("c", "I8", "[1]", 8, 9) "}", 9, &two);
  put(tmp.path, "one.safetensors", one.ptr, one.len);
  put(tmp.path, "two.safetensors", two.ptr, two.len);
#define MAP(a, b, c) \
  "{\"metadata\":{\"total_size\":13},\"weight_map\":{\"a\":" a ",\"b\":" b ",\"c\":" c "}}"
#define ONE "\"one.safetensors\""
#define TWO "\"two.safetensors\""
  assert_ok(open_with_index(tmp.path, MAP(ONE, TWO, TWO)));
  assert_ok(tl_safetensors_open_dir(tmp.path, &s));
  assert_int_equal(s->n_shards, 2);
  assert_int_equal(s->n_tensors, 3);
  assert_int_equal(tl_safetensors_find(s, TL_STR("c"))->data[0], 8);
  assert_int_equal(tl_safetensors_find(s, TL_STR("c"))->shard, 1);
  tl_safetensors_destroy(s);

  assert_status(open_with_index(tmp.path, MAP(TWO, TWO, TWO)), TL_STATUS_INVALID_ARGUMENT,
                "tensor a should be in two.safetensors and is not");
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, ONE)), TL_STATUS_INVALID_ARGUMENT,
                "tensor c should be in one.safetensors and is in two.safetensors");
  assert_status(open_with_index(tmp.path, "{\"weight_map\":{\"a\":" ONE ",\"b\":" TWO "}}"),
                TL_STATUS_INVALID_ARGUMENT, "tensor c of ");
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, "\"../two.safetensors\"")),
                TL_STATUS_INVALID_ARGUMENT, "weight_map: c: its file is not a plain file name");
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, "\"/etc/passwd\"")),
                TL_STATUS_INVALID_ARGUMENT, "weight_map: c: its file is not a plain file name");
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, "7")), TL_STATUS_INVALID_ARGUMENT,
                "weight_map: c: wanted a file name, found an integer");
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, "\"three.safetensors\"")),
                TL_STATUS_NOT_FOUND, "three.safetensors");
  assert_status(open_with_index(tmp.path, "{\"weight_map\":{}}"), TL_STATUS_INVALID_ARGUMENT,
                "names no tensor");
  assert_status(open_with_index(tmp.path, "{}"), TL_STATUS_INVALID_ARGUMENT, "weight_map");
  assert_status(open_with_index(tmp.path, "[]"), TL_STATUS_INVALID_ARGUMENT, "wanted an object");
  assert_status(open_with_index(tmp.path, "{\"weight_map\":{},\"x\":1}"),
                TL_STATUS_INVALID_ARGUMENT, "x");
  put(tmp.path, "one.safetensors", two.ptr, two.len); // now both shards hold b and c
  assert_status(open_with_index(tmp.path, MAP(ONE, TWO, TWO)), TL_STATUS_INVALID_ARGUMENT,
                "is also in");
  put(tmp.path, TL_SAFETENSORS_FILE, one.ptr, one.len); // a single file goes first
  assert_ok(tl_safetensors_open_dir(tmp.path, &s));
  assert_int_equal(s->n_tensors, 1);
  tl_safetensors_destroy(s);
  tl_buf_deinit(&one);
  tl_buf_deinit(&two);
  tl_test_tmp_remove(&tmp);
}

// What transformers wrote.
static void from_transformers(void **state) {
  (void)state;
  tl_safetensors *s = NULL;
  assert_ok(tl_safetensors_open_dir("tests/model/tiny-qwen3-tied", &s));
  assert_int_equal(s->n_tensors, 24);
  assert_int_equal(s->n_meta, 1);
  assert_text(s->meta[0].value, "pt");
  const tl_safetensor *t = tl_safetensors_find(s, TL_STR("model.layers.1.self_attn.k_proj.weight"));
  assert_non_null(t);
  assert_int_equal(t->dtype, TL_STORED_BF16);
  assert_int_equal(t->dims[0], 32);
  assert_int_equal(t->dims[1], 32);
  tl_safetensors_destroy(s);
}

// The files are sound, so any failure here is one of memory; jansson reports some of those as
// syntax errors.
static tl_status as_oom(tl_status st) {
  if (tl_status_get_code(st) != TL_STATUS_INVALID_ARGUMENT) return st;
  tl_status_drop(st);
  return TL_OOM();
}

static tl_status oom_parse(void *arg) {
  const tl_buf *file = arg;
  return as_oom(parse(file->ptr, file->len));
}

static tl_status oom_format(void *arg) {
  (void)arg;
  const tl_safetensors_item item = {TL_STR("m"), TL_STORED_F32, 2,
                                    dims_2_2,    f32_data,      sizeof f32_data};
  const tl_safetensors_meta meta = {TL_STR("a"), TL_STR("1")};
  tl_buf file = {0};
  tl_status st = tl_safetensors_format(&item, 1, &meta, 1, &file);
  tl_buf_deinit(&file);
  return st;
}

static tl_status oom_shards(void *arg) {
  tl_safetensors *s = NULL;
  tl_status st = tl_safetensors_open_dir(arg, &s);
  tl_safetensors_destroy(s);
  return as_oom(st);
}

static void out_of_memory(void **state) {
  (void)state;
  tl_buf file = {0};
  make_small(&file);
  tl_test_each_oom(oom_parse, &file);
  tl_test_each_oom(oom_format, NULL);
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  put(tmp.path, "one.safetensors", file.ptr, file.len);
  const char *index = "{\"weight_map\":{\"a\":" ONE ",\"b\":" ONE "}}";
  put(tmp.path, TL_SAFETENSORS_INDEX, index, strlen(index));
  tl_test_each_oom(oom_shards, tmp.path);
  tl_test_tmp_remove(&tmp);
  tl_buf_deinit(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_dtype),       cmocka_unit_test(refusals),
      cmocka_unit_test(damaged_anywhere),  cmocka_unit_test(writes),
      cmocka_unit_test(write_refusals),    cmocka_unit_test(shards),
      cmocka_unit_test(from_transformers), cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("ckpt/safetensors", tests, NULL, NULL);
}
