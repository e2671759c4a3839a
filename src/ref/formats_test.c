// Packed weights against tests/ref/formats.json: stored blocks and their values are gguf-py's, the
// packed bytes were laid out in Python from the picture in ir/formats.def. And against
// formats_rows.json, whose values are numpy's and ml_dtypes'.
#include "ref/ref_test.h"

#include "base/json.h"

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static void *unhex(tl_arena *a, const json_t *j, const char *key, size_t *out_size) {
  const char *hex = json_string_value(json_object_get(j, key));
  assert_non_null(hex);
  *out_size = strlen(hex) / 2;
  unsigned char *data = tl_arena_alloc(a, *out_size, 16);
  for (size_t i = 0; i < *out_size; i++)
    data[i] = (unsigned char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  return data;
}

typedef struct weights {
  tl_format f;
  int64_t rows, k;
  tl_tensor stored, packed;
  const float *dense; // [rows, k], without the scales of rows
  const float *row;   // [rows], or NULL
  float *x;           // [2, k]
  const double *y;    // [2, rows]
} weights;

static weights read_weights(tl_arena *a, const json_t *j) {
  weights w = {0};
  size_t size;
  assert_true(tl_format_of_name(tl_str_of(json_string_value(json_object_get(j, "format"))), &w.f));
  w.rows = json_integer_value(json_object_get(j, "rows"));
  w.k = json_integer_value(json_object_get(j, "k"));
  const json_t *stored = json_object_get(j, "stored");
  int64_t dims[2] = {w.rows,
                     json_integer_value(json_array_get(json_object_get(stored, "dims"), 1))};
  assert_true(tl_dtype_of_mlir(tl_str_of(json_string_value(json_object_get(stored, "type"))),
                               &w.stored.type.dtype));
  w.stored.type = tl_type_of(a, w.stored.type.dtype, dims, 2);
  w.stored.data = unhex(a, stored, "data", &size);
  w.packed.data = unhex(a, j, "packed", &size);
  int64_t groups = (int64_t)tl_format_groups((size_t)w.rows);
  const tl_format_info *info = tl_format_get(w.f);
  if (info->code_bits != 0) {
    w.packed.type = TL_TYPE(a, TL_DTYPE_U8, groups, (int64_t)size / groups);
  } else if (info->bytes == 2) {
    w.packed.type = TL_TYPE(a, w.stored.type.dtype, groups, (w.k + 1) / 2, 16, 2);
  } else {
    w.packed.type = TL_TYPE(a, TL_DTYPE_F32, groups, w.k, 16);
  }
  size_t packed;
  assert_true(tl_type_size(w.packed.type, &packed));
  assert_int_equal(packed, size);
  w.dense = unhex(a, j, "dense", &size);
  if (json_object_get(j, "row")) w.row = unhex(a, j, "row", &size);
  w.x = unhex(a, j, "x", &size);
  w.y = unhex(a, j, "y", &size);
  return w;
}

static void each_format(void (*test)(const weights *w)) {
  static const char *const paths[] = {"tests/ref/formats.json", "tests/ref/formats_rows.json"};
  tl_arena *a = tl_arena_create();
  bool seen[TL_FORMAT_COUNT] = {false};
  for (size_t p = 0; p < TL_COUNT(paths); p++) {
    json_t *root;
    assert_ok(tl_json_read(paths[p], 64 << 20, &root));
    const json_t *formats = json_object_get(root, "formats");
    for (size_t i = 0; i < json_array_size(formats); i++) {
      weights w = read_weights(a, json_array_get(formats, i));
      seen[w.f] = true;
      test(&w);
    }
    json_decref(root);
  }
  for (size_t i = 0; i < TL_FORMAT_COUNT; i++)
    if (!seen[i]) fail_msg("format %s has no case", tl_format_get((tl_format)i)->name);
  tl_arena_destroy(a);
}

static void check_pack(const weights *w) {
  fixture f = fixture_begin();
  tl_value y = tlo_pack_weights(&f.b, tl_func_arg(&f.b, w->stored.type), w->f, w->rows, w->k);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, &w->stored, 1, &got);
  assert_true(tl_type_eq(got.type, w->packed.type));
  size_t size;
  assert_true(tl_type_size(got.type, &size));
  for (size_t i = 0; i < size; i++)
    if (((uint8_t *)got.data)[i] != ((uint8_t *)w->packed.data)[i])
      fail_msg("%s: packed byte %zu differs", tl_format_get(w->f)->name, i);
  fixture_end(&f);
}
static void test_pack(void **state) {
  (void)state;
  each_format(check_pack);
}

// The rows of a packed matrix as numbers, through quantized_embedding. [n, k]
static tl_tensor rows_of(fixture *f, const weights *w, tl_ref_mode mode, int32_t *indices,
                         int64_t n) {
  tl_tensor in[] = {w->packed, TENSOR(indices, TL_DTYPE_S32, n)};
  tl_value args[] = {tl_func_arg(&f->b, in[0].type), tl_func_arg(&f->b, in[1].type)};
  tl_value y = tlo_quantized_embedding(&f->b, args[0], args[1], w->f, w->rows, w->k);
  tl_tensor got;
  fixture_run(f, mode, &y, 1, in, 2, &got);
  return got;
}

static void check_unpack(const weights *w) {
  int32_t indices[64];
  int64_t n = w->rows + 2;
  for (int32_t i = 0; i < w->rows; i++)
    indices[i] = i;
  indices[w->rows] = -5; // clamped to the first row
  indices[w->rows + 1] = INT32_MAX;
  for (int wide = 0; wide < 2; wide++) {
    fixture f = fixture_begin();
    tl_tensor got = rows_of(&f, w, wide ? TL_REF_F64 : TL_REF_AS_TYPED, indices, n);
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k < w->k; k++) {
        int64_t row = i < w->rows ? i : i == w->rows ? 0 : w->rows - 1;
        double is = element(&got, (size_t)(i * w->k + k));
        float as_f32 = w->dense[row * w->k + k];
        if (w->row) as_f32 *= w->row[row];
        double want = (double)as_f32;
        // At f64 only the sum with a minimum differs, by f32's rounding of either term (they may
        // cancel), and the product with a scale of f32.
        bool same = wide ? fabs(is - want) <= 4e-6 * (1 + fabs(want)) : is == want;
        if (!same)
          fail_msg("%s: [%d, %d] is %.9g, wanted %.9g", tl_format_get(w->f)->name, (int)i, (int)k,
                   is, want);
      }
    fixture_end(&f);
  }
}
static void test_unpack(void **state) {
  (void)state;
  each_format(check_unpack);
}

static void
check_wrong_packing(const weights *w) { // the control: any changed byte of a code plane must show
  size_t size;
  assert_true(tl_type_size(w->packed.type, &size));
  weights wrong = *w;
  uint8_t *bytes = malloc(size);
  memcpy(bytes, w->packed.data, size);
  bytes[1] ^= 0x11;
  wrong.packed.data = bytes;
  int32_t row = 0;
  fixture f = fixture_begin();
  tl_tensor got = rows_of(&f, &wrong, TL_REF_AS_TYPED, &row, 1);
  float *right = malloc((size_t)w->k * sizeof *right);
  for (int64_t k = 0; k < w->k; k++)
    right[k] = w->row ? w->dense[k] * w->row[0] : w->dense[k];
  assert_memory_not_equal(got.data, right, (size_t)w->k * sizeof *right);
  free(right);
  fixture_end(&f);
  free(bytes);
}
static void test_wrong_packing(void **state) {
  (void)state;
  each_format(check_wrong_packing);
}

// As dot_general's contract says, written out: one fma chain per block of 64, blocks added in
// order.
static float dot_in_order(const float *x, const float *w, int64_t n) {
  float total = 0;
  for (int64_t at = 0; at < n; at += 64) {
    float acc = 0;
    for (int64_t i = at; i < n && i < at + 64; i++)
      acc = fmaf(x[i], w[i], acc);
    total += acc;
  }
  return total;
}

static void check_matmul(const weights *w) {
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(w->x, TL_DTYPE_F32, 2, w->k), w->packed};
  tl_value args[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_value y = tlo_quantized_matmul(&f.b, args[0], args[1], w->f, w->rows);
  tl_tensor got, wide;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 2, &got);
  fixture_run(&f, TL_REF_F64, &y, 1, in, 2, &wide);
  for (int64_t t = 0; t < 2; t++)
    for (int64_t r = 0; r < w->rows; r++) {
      size_t at = (size_t)(t * w->rows + r);
      const float row = w->row ? w->row[r] : 1;
      float want = row * dot_in_order(w->x + t * w->k, w->dense + r * w->k, w->k);
      double scale = 0;
      for (int64_t k = 0; k < w->k; k++)
        scale += fabs((double)w->x[t * w->k + k] * (double)w->dense[r * w->k + k] * (double)row);
      if (memcmp((float *)got.data + at, &want, sizeof want) != 0)
        fail_msg("%s: [%d, %d] is %.9g, in order it is %.9g", tl_format_get(w->f)->name, (int)t,
                 (int)r, element(&got, at), (double)want);
      assert_true(fabs(element(&got, at) - w->y[at]) <= 1e-6 * scale);
      assert_true(fabs(element(&wide, at) - w->y[at]) <= 1e-6 * scale);
    }
  fixture_end(&f);
}
static void test_matmul(void **state) {
  (void)state;
  each_format(check_matmul);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pack), cmocka_unit_test(test_unpack),
                                     cmocka_unit_test(test_wrong_packing),
                                     cmocka_unit_test(test_matmul)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
