// The special and the elementary functions against mpmath, counted in units of the last place.
//
// tests/ref/special.json holds points and values (tests/oracle/ref_special.py made it). Each
// function runs by itself and, where it is a named op, as its decomposition, which must give the
// same bits. special_ulps.def states how far each is off at most: the test fails where that is
// exceeded, and where it is more than twice what was found, so that what docs/numerics.md tells its
// readers stays true and stays sharp. Types of 16 bits compute in a wider one and round once.
//
//   special_test --eval OP DTYPE    f64 numbers from the standard input, operand by operand,
//   through the function at
//                                   DTYPE to the standard output: what the script looks for bad
//                                   points with
//   special_test --table            the rows of docs/numerics.md
#include "ref/ref_test.h"

#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "ir/decompose.h"

typedef struct limit {
  tl_opcode op;
  int part;
  const char *domain;
  double floor, f32, f64;
} limit;

static const limit limits[] = {
#define TL_ULPS(op, part, domain, floor, f32, f64) {TL_OP_##op, part, domain, floor, f32, f64},
#define TL_ULPS_COMPLEX(op, domain, c64, c128)
#include "ref/special_ulps.def"
#undef TL_ULPS
#undef TL_ULPS_COMPLEX
};
typedef struct complex_limit {
  tl_opcode op;
  const char *domain;
  double c64, c128;
} complex_limit;

static const complex_limit complex_limits[] = {
#define TL_ULPS(op, part, domain, floor, f32, f64)
#define TL_ULPS_COMPLEX(op, domain, c64, c128) {TL_OP_##op, domain, c64, c128},
#include "ref/special_ulps.def"
#undef TL_ULPS
#undef TL_ULPS_COMPLEX
};
static const double narrow_limit =
    0.51; // of f16 and bf16: one rounding, and what a wider one was off

static const struct {
  tl_dtype dtype;
  const char *name;
  int digits; // of the significand
  double least;
} types[] = {{TL_DTYPE_F64, "f64", 53, 0x1p-1074},
             {TL_DTYPE_F32, "f32", 24, 0x1p-149},
             {TL_DTYPE_F16, "f16", 11, 0x1p-24},
             {TL_DTYPE_BF16, "bf16", 8, 0x1p-133}};

static tl_opcode op_named(const char *name) {
  tl_opcode code = TL_OP_COUNT;
  if (!tl_op_of_mnemonic(tl_str_of(name), true, &code))
    assert_true(tl_op_of_mnemonic(tl_str_of(name), false, &code));
  return code;
}

static void store(tl_dtype d, void *data, size_t i, double x) {
  float f = (float)x;
  uint16_t h = d == TL_DTYPE_F16 ? tl_f16_of_f64(x) : tl_bf16_of_f64(x);
  if (d == TL_DTYPE_F64)
    memcpy((double *)data + i, &x, sizeof x);
  else if (d == TL_DTYPE_F32)
    memcpy((float *)data + i, &f, sizeof f);
  else
    memcpy((uint16_t *)data + i, &h, sizeof h);
}

// x [n operands][n] through the op at type d, in `f`'s arena. With `inlined`, through its
// decomposition.
static tl_tensor run(fixture *f, tl_opcode code, tl_dtype d, const double *x, size_t n,
                     bool inlined) {
  uint32_t n_in = (uint32_t)tl_op_get(code)->n_in;
  tl_dtype part = tl_dtype_part(d);
  int64_t dim = (int64_t)(part == d ? n : n / 2), *n_parts = TL_NEW(f->arena, int64_t, 1);
  tl_value args[2], y;
  tl_tensor in[2], out;
  for (uint32_t i = 0; i < n_in; i++) {
    args[i] = tl_func_arg(&f->b, tl_type_of(f->m->arena, d, &dim, 1));
    in[i] = (tl_tensor){args[i]->type, tl_arena_alloc_array(f->arena, n, 8, 8)};
    for (size_t k = 0; k < n; k++)
      store(part, in[i].data, k, x[i * n + k]);
  }
  if (inlined) {
    tl_type t = args[0]->type;
    tl_value_def result = {.type = t};
    tl_value results[] = {&result};
    tl_op op = {
        .code = code, .n_operands = n_in, .operands = args, .n_results = 1, .results = results};
    assert_true(tl_decompose_op(&f->b, &op, args, &y));
  } else
    y = n_in == 1 ? tlo_unary(&f->b, code, args[0]) : tlo_binary(&f->b, code, args[0], args[1]);
  fixture_run(f, TL_REF_AS_TYPED, &y, 1, in, n_in, &out);
  *n_parts = (int64_t)n;
  out.type = (tl_type){part, 1, n_parts};
  return out;
}

static void *bytes_of(tl_arena *a, const json_t *hex, size_t size, size_t *out_n) {
  const char *text = json_string_value(hex);
  assert_non_null(text);
  *out_n = strlen(text) / 2 / size;
  unsigned char *data = tl_arena_alloc_array(a, *out_n + 1, size, 8);
  for (size_t i = 0; i < *out_n * size; i++) {
    unsigned byte;
    assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
    data[i] = (unsigned char)byte;
  }
  return data;
}

// |got - (y + rest ulps of f64)| in units of the last place of y, or of `floor` where y is smaller.
static double off(size_t type, double got, double y, double rest, double floor_) {
  int e, digits = types[type].digits;
  (void)frexp(fmax(fabs(y), floor_), &e);
  double ulp = fmax(ldexp(1, e - digits), types[type].least);
  if (isnan(got)) return HUGE_VAL;
  double exact = got - y; // exact or nearly: they are close to each other
  return fabs(exact / ulp - rest * (fabs(y) * 0x1p-52 / ulp));
}

// The greatest distance, and where.
static double worst_of(const json_t *points, tl_opcode code, tl_dtype d, size_t type, double floor_,
                       double out_x[2]) {
  fixture f = fixture_begin();
  size_t n_x, n, n_rest = 0, n_in = (size_t)tl_op_get(code)->n_in;
  double *x;
  if (types[type].dtype == TL_DTYPE_F64)
    x = bytes_of(f.arena, json_object_get(points, "x"), 8, &n_x);
  else {
    const float *narrow = bytes_of(f.arena, json_object_get(points, "x"), 4, &n_x);
    x = TL_NEW(f.arena, double, n_x + 1);
    for (size_t i = 0; i < n_x; i++)
      x[i] = (double)narrow[i];
  }
  const double *y = bytes_of(f.arena, json_object_get(points, "y"), 8, &n);
  const float *rest = types[type].dtype == TL_DTYPE_F64
                          ? bytes_of(f.arena, json_object_get(points, "rest"), 4, &n_rest)
                          : NULL;
  assert_int_equal(n_x, n * n_in);
  assert_true(n >= 10);
  tl_tensor got = run(&f, code, d, x, n, false);
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    double away = off(type, element(&got, i), y[i], rest ? (double)rest[i] : 0, floor_);
    if (away <= worst) continue;
    worst = away;
    for (size_t k = 0; k < n_in; k++)
      out_x[k] = x[k * n + i];
  }
  if (tl_op_get(code)->traits & TL_NAMED) {
    fixture g = fixture_begin();
    tl_tensor inlined = run(&g, code, d, x, n, true);
    assert_memory_equal(got.data, inlined.data, n * tl_dtype_get(types[type].dtype)->size);
    fixture_end(&g);
  }
  fixture_end(&f);
  return worst;
}

static void functions_are_as_near_as_stated(void **state) {
  (void)state;
  json_t *root, *entry;
  size_t i, failures = 0, n_rows = 0;
  assert_ok(tl_json_read("tests/ref/special.json", 64 << 20, &root));
  json_array_foreach(json_object_get(root, "functions"), i, entry) {
    const char *name = json_string_value(json_object_get(entry, "op"));
    tl_opcode code = op_named(name);
    const limit *l = NULL;
    for (size_t k = 0; k < TL_COUNT(limits); k++)
      if (limits[k].op == code &&
          limits[k].part == json_integer_value(json_object_get(entry, "part")))
        l = &limits[k];
    if (l == NULL) fail_msg("%s has points but no row in special_ulps.def", name);
    n_rows++;
    for (size_t t = 0; t < TL_COUNT(types); t++) {
      bool wide = types[t].dtype == TL_DTYPE_F64, narrow = types[t].digits < 24;
      double stated = narrow ? narrow_limit : wide ? l->f64 : l->f32, x[2] = {0};
      double found =
          worst_of(json_object_get(entry, types[t].name), code, types[t].dtype, t, l->floor, x);
      bool exceeded = !(found <= stated), loose = !narrow && stated > 2 * found;
      if (!exceeded && !loose) continue;
      failures++;
      print_error("%s, %s at %s: %.3f ulp (at %.17g %.17g), %.3g stated%s\n", name, l->domain,
                  types[t].name, found, x[0], x[1], stated, loose ? ", which is loose" : "");
    }
  }
  json_decref(root);
  assert_int_equal(failures, 0);
  assert_int_equal(n_rows, TL_COUNT(limits));
}

static void complex_functions_are_as_near_as_stated(void **state) {
  (void)state;
  json_t *root, *entry;
  size_t i, failures = 0, n_rows = 0;
  assert_ok(tl_json_read("tests/ref/special.json", 64 << 20, &root));
  json_array_foreach(json_object_get(root, "complex"), i, entry) {
    const char *name = json_string_value(json_object_get(entry, "op"));
    tl_opcode code = op_named(name);
    const complex_limit *l = NULL;
    for (size_t k = 0; k < TL_COUNT(complex_limits); k++)
      if (complex_limits[k].op == code) l = &complex_limits[k];
    if (l == NULL) fail_msg("%s has complex points but no row in special_ulps.def", name);
    n_rows++;
    for (int wide = 0; wide < 2; wide++) {
      double stated = wide ? l->c128 : l->c64, x[2] = {0};
      double found = worst_of(json_object_get(entry, wide ? "c128" : "c64"), code,
                              wide ? TL_DTYPE_C128 : TL_DTYPE_C64, wide ? 0 : 1, 0, x);
      if (found <= stated && stated <= 2 * found) continue;
      failures++;
      print_error("%s, %s at c%d: %.3f ulp (part %.17g), %.3g stated%s\n", name, l->domain,
                  wide ? 128 : 64, found, x[0], stated, found <= stated ? ", which is loose" : "");
    }
  }
  json_decref(root);
  assert_int_equal(failures, 0);
  assert_int_equal(n_rows, TL_COUNT(complex_limits));
}

// The control: a value a unit off is seen to be.
static void distances_are_counted(void **state) {
  (void)state;
  assert_true(off(0, 1.0, 1.0, 0, 0) == 0);
  assert_true(off(0, nextafter(1.0, 2), 1.0, 0, 0) == 1);
  assert_true(off(0, 1.0, 1.0, 0.25, 0) == 0.25);
  assert_true(off(1, (double)nextafterf(3.0f, 4), 3.0, 0, 0) == 1);
  assert_true(off(1, 0x1p-148, 0x1p-149, 0, 0) == 1);
  assert_true(off(0, nextafter(0.25, 2), 0.25, 0, 1) == 0.25);
  assert_true(off(2, 1.0 + 0x1p-10, 1.0, 0, 0) == 1);
  assert_true(isinf(off(0, (double)NAN, 1.0, 0, 0)));
}

static void table(tl_buf *out) {
  for (size_t i = 0; i < TL_COUNT(limits); i++)
    tl_buf_printf(out, "| `%s` | %s | %g | %g |\n", tl_op_get(limits[i].op)->mnemonic,
                  limits[i].domain, limits[i].f32, limits[i].f64);
  for (size_t i = 0; i < TL_COUNT(complex_limits); i++)
    tl_buf_printf(out, "| `%s` | %s | %g | %g |\n", tl_op_get(complex_limits[i].op)->mnemonic,
                  complex_limits[i].domain, complex_limits[i].c64, complex_limits[i].c128);
}

static void numerics_page_shows_the_rows(void **state) {
  (void)state;
  tl_buf page = {0}, rows = {0};
  table(&rows);
  assert_ok(tl_file_read("docs/numerics.md", 1 << 20, &page));
  if (tl_str_find(tl_buf_view(&page), tl_buf_view(&rows)) == (size_t)-1)
    fail_msg("the table of docs/numerics.md is not that of special_test --table:\n%s", rows.ptr);
  tl_buf_deinit(&rows);
  tl_buf_deinit(&page);
}

static int eval(const char *op, const char *dtype) {
  tl_dtype d = TL_DTYPE_F64;
  tl_opcode code = op_named(op);
  if (!tl_dtype_of_mlir(tl_str_of(dtype), &d)) return 2;
  size_t cap = (size_t)1 << 22, n, n_in = (size_t)tl_op_get(code)->n_in;
  double *x = malloc(cap * sizeof *x);
  if (x == NULL) return 1;
  n = fread(x, sizeof *x, cap, stdin) / n_in;
  fixture f = fixture_begin();
  tl_tensor y = run(&f, code, d, x, n, false);
  for (size_t i = 0; i < n; i++) {
    double v = element(&y, i);
    fwrite(&v, sizeof v, 1, stdout);
  }
  fixture_end(&f);
  free(x);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--eval") == 0) return eval(argv[2], argv[3]);
  if (argc == 2 && strcmp(argv[1], "--table") == 0) {
    tl_buf rows = {0};
    table(&rows);
    fputs(rows.ptr, stdout);
    tl_buf_deinit(&rows);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_as_near_as_stated),
                                     cmocka_unit_test(complex_functions_are_as_near_as_stated),
                                     cmocka_unit_test(distances_are_counted),
                                     cmocka_unit_test(numerics_page_shows_the_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
