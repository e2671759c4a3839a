// Unit test of tools/npy.c: arrays that come back as they were, and headers that must be refused.
#include "npy.h"

#define TL_TEST_OOM_IMPL
#include "base/test.h"
#include "base/str.h"

static tl_test_tmp tmp;
static tl_arena *arena;

static int setup(void **state) {
  (void)state;
  tl_test_tmp_create(&tmp);
  arena = tl_arena_create();
  return arena ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  tl_arena_destroy(arena);
  tl_test_tmp_remove(&tmp);
  return 0;
}

static const char *file_of(const void *bytes, size_t size) {
  const char *path = tl_path_join(arena, tmp.path, "a.npy");
  assert_non_null(path);
  FILE *f = fopen(path, "wb"); // not tl_file_write, which syncs
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
  return path;
}

// A file of version 1 with this header and `size` bytes of data: 1, 0, 1, 0 …
static const char *file_with(const char *header, size_t size) {
  tl_buf b = {0};
  const size_t len = strlen(header);
  tl_buf_add(&b, "\x93NUMPY\x01\x00", 8);
  tl_buf_char(&b, (char)(len & 0xff));
  tl_buf_char(&b, (char)(len >> 8));
  tl_buf_cstr(&b, header);
  for (size_t i = 0; i < size; i++)
    tl_buf_char(&b, (char)(i % 2 == 0));
  assert_false(b.oom);
  const char *path = file_of(b.ptr, b.len);
  tl_buf_deinit(&b);
  return path;
}

static void round_trip(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{2, 3, 4}, {0, 5, 1}};
  uint8_t data[24 * 16];
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (uint8_t)(i * 37 % 2);
  for (size_t dtype = 0; dtype < TL_DTYPE_COUNT; dtype++)
    for (size_t s = 0; s < TL_COUNT(shapes); s++)
      for (uint32_t rank = 0; rank <= 3; rank++) {
        const tl_type type = tl_type_of(arena, (tl_dtype)dtype, shapes[s], rank);
        const char *path = tl_path_join(arena, tmp.path, "b.npy");
        size_t size;
        assert_true(tl_type_size(type, &size));
        assert_ok(tl_npy_write(path, type, data));
        tl_npy n;
        assert_ok(tl_npy_read(path, arena, &n));
        assert_ok(tl_npy_as(&n, path, type.dtype));
        assert_true(tl_type_eq(n.type, type));
        assert_int_equal((uintptr_t)(n.data - n.map.data) % 64, 0);
        if (size) assert_memory_equal(n.data, data, size);
        tl_npy_close(&n);
      }
}

// Types that NumPy has not: within their range, and no other type's.
static void narrow_types(void **state) {
  (void)state;
  tl_npy n;
  const char *bytes = file_with("{'descr': '|i1', 'fortran_order': False, 'shape': (4,)}", 4);
  assert_ok(tl_npy_read(bytes, arena, &n)); // 1, 0, 1, 0
  assert_ok(tl_npy_as(&n, bytes, TL_DTYPE_U4));
  assert_int_equal(n.type.dtype, TL_DTYPE_S8); // not those bytes
  assert_ok(tl_npy_as(&n, bytes, TL_DTYPE_S2));
  assert_int_equal(n.type.dtype, TL_DTYPE_S2);
  tl_npy_close(&n);
  const int8_t most[] = {7, -8, -9};
  const char *path = tl_path_join(arena, tmp.path, "narrow.npy");
  assert_ok(tl_npy_write(path, TL_TYPE(arena, TL_DTYPE_S8, 3), most));
  assert_ok(tl_npy_read(path, arena, &n));
  assert_status(tl_npy_as(&n, path, TL_DTYPE_S4), TL_STATUS_INVALID_ARGUMENT,
                "element 2 is -9, which is no i4");
  tl_npy_close(&n);
  bytes = file_with("{'descr': '|V1', 'fortran_order': False, 'shape': (2,)}", 2);
  assert_ok(tl_npy_read(bytes, arena, &n));
  assert_ok(tl_npy_as(&n, bytes, TL_DTYPE_F8E4M3FN));
  assert_int_equal(n.type.dtype, TL_DTYPE_F8E4M3FN);
  tl_npy_close(&n);
}

// What np.save writes of np.array([[1, -2]], np.int16), and the same in versions 2 and 3.
static void numpy_files(void **state) {
  (void)state;
  static const char header[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }";
  static const uint8_t v2[12] = "\x93NUMPY\x02\x00\x76\x00\x00";
  static const int16_t elements[] = {1, -2};
  for (int version = 1; version <= 3; version++) {
    uint8_t file[12 + 118 + 4];
    const size_t start = version == 1 ? 10 : 12;
    memcpy(file, v2, 12);
    file[6] = (uint8_t)version;
    memset(file + start, ' ', 118);
    memcpy(file + start, header, sizeof header - 1);
    file[start + 117] = '\n';
    memcpy(file + start + 118, elements, sizeof elements);
    tl_npy n;
    assert_ok(tl_npy_read(file_of(file, start + 122), arena, &n));
    assert_int_equal(n.type.dtype, TL_DTYPE_S16);
    assert_int_equal(n.type.rank, 2);
    assert_int_equal(n.type.dims[0], 1);
    assert_int_equal(n.type.dims[1], 2);
    assert_memory_equal(n.data, elements, sizeof elements);
    tl_npy_close(&n);
  }
  tl_npy n; // keys in another order, other quotes, no space
  assert_ok(tl_npy_read(file_with("{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"|u1\"}", 3),
                        arena, &n));
  assert_int_equal(n.type.rank, 1);
  tl_npy_close(&n);
}

static void refused(const char *path, const char *why) {
  tl_npy n;
  assert_status(tl_npy_read(path, arena, &n), TL_STATUS_INVALID_ARGUMENT, why);
}

static void hostile(void **state) {
  (void)state;
#define REST "'fortran_order': False, 'shape': (4,)}"
  refused(file_with("", 2), "wanted a dictionary");
  refused(file_with("{", 1), "keys");
  refused(file_with("{'descr'", 0), "keys");
  refused(file_with("{'descr': '<f4", 0), "a plain element type");
  refused(file_with("{'descr': [('a', '<f4')], " REST, 16), "a plain element type");
  refused(file_with("{'descr': '>f4', " REST, 16), "little-endian");
  refused(file_with("{'descr': '<f4', 'descr': '<c4', " REST, 16), "little-endian");
  refused(file_with("{" REST, 16), "keys descr");
  refused(file_with("{'descr': '<f4', 'fortran_order': False}", 16), "keys descr");
  refused(file_with("{'descr': '<f4', 'shape': (4,)}", 16), "keys descr");
  refused(file_with("{'descr': '<f4', 'other': 1, " REST, 16), "keys descr");
  refused(file_with("{'descr': '<f4', " REST " + x", 16), "nothing behind");
  refused(file_with("{'descr': '<f4', 'fortran_order': True, 'shape': (4,)}", 16), "C order");
#define SHAPE(s) "{'descr': '<f4', 'fortran_order': False, 'shape': " s "}"
  refused(file_with(SHAPE("(4,"), 16), "a shape");
  refused(file_with(SHAPE("(-4,)"), 16), "a shape");
  refused(file_with(SHAPE("(4 4)"), 16), "a shape");
  refused(file_with(SHAPE("4"), 16), "a shape");
  refused(file_with(SHAPE("(99999999999999999999,)"), 16), "a shape");
  refused(file_with(SHAPE("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), 4), "a shape");
  refused(file_with(SHAPE("(4611686018427387904,4)"), 16), "another size");
  refused(file_with(SHAPE("(5,)"), 16), "another size");
  refused(file_with(SHAPE("(3,)"), 16), "another size");
  refused(file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", 15), "another size");
  // The control: the same with the right size is an array.
  tl_npy n;
  assert_ok(tl_npy_read(file_with(SHAPE("(4,)"), 16), arena, &n));
  tl_npy_close(&n);
  // Booleans are 0 and 1; anything else would index past what kernels expect.
  assert_ok(tl_npy_read(file_with("{'descr': '|b1', " REST, 4), arena, &n));
  tl_npy_close(&n);
  tl_buf b = {0};
  tl_buf_add(&b, "\x93NUMPY\x01\x00\x3a\x00", 10);
  tl_buf_cstr(&b, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n");
  tl_buf_add(&b, "\x01\x02", 2);
  refused(file_of(b.ptr, b.len), "element 1 is 2");
  tl_buf_deinit(&b);
}

static void cut_short(void **state) {
  (void)state;
  static const char whole[] = "\x93NUMPY\x01\x00\x3a\x00"
                              "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\nab";
  const size_t size = sizeof whole - 1;
  tl_npy n;
  assert_ok(tl_npy_read(file_of(whole, size), arena, &n));
  tl_npy_close(&n);
  for (size_t len = 0; len < size; len++)
    refused(file_of(whole, len), "a.npy: ");
  // A header longer than the file, in each version's own width.
  char other[sizeof whole];
  memcpy(other, whole, sizeof whole);
  other[8] = other[9] = '\xff';
  refused(file_of(other, size), "cut short");
  other[6] = 2;
  memset(other + 8, 0xff, 4);
  refused(file_of(other, size), "cut short");
  other[6] = 4;
  refused(file_of(other, size), "version 1 to 3");
}

// Every byte of a file replaced by every value: read or refused, never anything else (the
// sanitizers watch).
static void every_byte(void **state) {
  (void)state;
  static const char whole[] = "\x93NUMPY\x01\x00\x3a\x00"
                              "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n\0\1";
  const size_t size = sizeof whole - 1;
  size_t n_read = 0;
  for (size_t at = 0; at < size; at++)
    for (int value = 0; value < 256; value += at < 12 ? 1 : 23) {
      char other[sizeof whole];
      memcpy(other, whole, sizeof whole);
      other[at] = (char)value;
      const char *path = file_of(other, size);
      tl_npy n;
      tl_status st = tl_npy_read(path, arena, &n);
      if (st) {
        assert_non_null(strstr(tl_status_message(st), path));
        tl_status_drop(st);
      } else {
        n_read++;
        tl_npy_close(&n);
      }
    }
  assert_true(n_read > 0);
}

static tl_status write_and_read(void *arg) {
  const char *path = arg;
  static const float x[] = {1, 2, 3, 4};
  tl_npy n;
  tl_arena *a = tl_arena_create();
  if (!a) return TL_OOM();
  const tl_type type = TL_TYPE(a, TL_DTYPE_F32, 2, 2);
  tl_status st = type.dims ? tl_npy_write(path, type, x) : TL_OOM();
  if (!st) st = tl_npy_read(path, a, &n);
  if (!st) tl_npy_close(&n);
  tl_arena_destroy(a);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(write_and_read, (void *)tl_path_join(arena, tmp.path, "d.npy"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),    cmocka_unit_test(narrow_types),
      cmocka_unit_test(numpy_files),   cmocka_unit_test(hostile),
      cmocka_unit_test(cut_short),     cmocka_unit_test(every_byte),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
