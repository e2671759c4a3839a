// Every case of tests/ref/ops/*.json (each names the script of tests/oracle that made it) through
// both entries and, where floats are ordinary, at f64: the f64 results of the same op must lie as
// near the expected ones as the type's rounding allows.
#include "ref/ref_test.h"

#include "base/file.h"
#include "base/json.h"

#define FOLDER "tests/ref/ops"

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// A number stands for the tensor of that index in `shared`, what several cases use.
static tl_tensor read_tensor(tl_arena *a, const json_t *shared, const json_t *j) {
  tl_tensor t = {0};
  if (json_is_integer(j)) j = json_array_get(shared, (size_t)json_integer_value(j));
  tl_str spelling = tl_str_of(json_string_value(json_object_get(j, "type")));
  assert_true(tl_dtype_of_mlir(spelling, &t.type.dtype));
  const json_t *dims = json_object_get(j, "dims");
  int64_t list[TL_MAX_RANK];
  t.type.rank = (uint32_t)json_array_size(dims);
  for (uint32_t i = 0; i < t.type.rank; i++)
    list[i] = json_integer_value(json_array_get(dims, i));
  t.type = tl_type_of(a, t.type.dtype, list, t.type.rank);
  const char *hex = json_string_value(json_object_get(j, "data"));
  size_t size = strlen(hex) / 2, wanted;
  assert_true(tl_type_size(t.type, &wanted));
  assert_int_equal(size, wanted);
  unsigned char *data = tl_arena_alloc(a, size, 16);
  for (size_t i = 0; i < size; i++)
    data[i] = (unsigned char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  t.data = data;
  return t;
}

static void set_attr(tl_builder *b, tl_op *op, const char *name, const json_t *value) {
  const tl_op_info *info = tl_op_get(op->code);
  for (uint16_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *attr = tl_attr_get(id);
    if (strcmp(attr->name, name) != 0) continue;
    int64_t number = json_integer_value(value), list[TL_MAX_RANK];
    if (tl_attr_kind_is_enum(attr->kind)) {
      assert_true(tl_enum_of_name(attr->kind, tl_str_of(json_string_value(value)), &number));
      tl_op_set_i64(op, id, number);
      return;
    }
    switch (attr->kind) {
    case TL_AK_I64:
      tl_op_set_i64(op, id, number);
      return;
    case TL_AK_BOOL:
      tl_op_set_i64(op, id, json_is_true(value));
      return;
    case TL_AK_STR:
      tl_op_set_str(b, op, id, tl_str_of(json_string_value(value)));
      return;
    case TL_AK_F64:
      tl_op_set_f64(op, id, json_number_value(value));
      return;
    case TL_AK_I64S:
    case TL_AK_PAIRS:
    case TL_AK_BOOLS:
      for (size_t k = 0; k < json_array_size(value); k++)
        list[k] = json_integer_value(json_array_get(value, k));
      tl_op_set_list(b, op, id, list, json_array_size(value));
      return;
    default:
      fail_msg("attribute %s", name);
    }
  }
  fail_msg("%s has no attribute %s", info->mnemonic, name);
}

// "sort GT 1": the comparator of a sort, which compares its second pair of arguments.
static void set_comparator(tl_builder *b, tl_op *op, const char *name) {
  tl_block *block = tl_op_add_region(b, op);
  for (uint32_t i = 0; i < 2 * op->n_operands; i++)
    tl_block_arg(b, block, tl_type_scalar(op->operands[i / 2]->type.dtype));
  tl_builder inner = tl_builder_at(b, block);
  int64_t direction, pair = name[8] - '0';
  assert_true(tl_enum_of_name(TL_AK_COMPARISON_DIRECTION, (tl_str){name + 5, 2}, &direction));
  tl_value z = tlo_compare(&inner, (tl_comparison_direction)direction, block->args[2 * pair],
                           block->args[2 * pair + 1]);
  tlo_return(&inner, &z, 1);
  tl_builder_join(b, &inner);
}

static void set_region(tl_builder *b, tl_op *op, const char *name, tl_dtype d) {
  if (op->code == TL_OP_SORT) {
    set_comparator(b, op, name);
    return;
  }
  tl_block *block = tl_op_add_region(b, op);
  tl_value x = tl_block_arg(b, block, tl_type_scalar(d)),
           y = tl_block_arg(b, block, tl_type_scalar(d)), z = y;
  tl_builder inner = tl_builder_at(b, block);
  tl_opcode code;
  if (strcmp(name, "subtract twice") == 0)
    z = tlo_sub(&inner, tlo_sub(&inner, x, y), y);
  else if (strcmp(name, "second") != 0) {
    assert_true(tl_op_of_mnemonic(tl_str_of(name), false, &code));
    z = tlo_binary(&inner, code, x, y);
  }
  tlo_return(&inner, &z, 1);
  tl_builder_join(b, &inner);
}

// The first region of select_and_scatter.
static void set_select(tl_builder *b, tl_op *op, const char *name, tl_dtype d) {
  tl_block *block = tl_op_add_region(b, op);
  tl_value x = tl_block_arg(b, block, tl_type_scalar(d)),
           y = tl_block_arg(b, block, tl_type_scalar(d));
  tl_builder inner = tl_builder_at(b, block);
  int64_t direction;
  assert_true(tl_enum_of_name(TL_AK_COMPARISON_DIRECTION, tl_str_of(name), &direction));
  tl_value z = tlo_compare(&inner, (tl_comparison_direction)direction, x, y);
  tlo_return(&inner, &z, 1);
  tl_builder_join(b, &inner);
}

typedef struct expectation {
  uint64_t ulp; // floats; 0 = the same value, both zeros told apart
  double tol;   // times the greatest magnitude of the result
} expectation;

// False, with a message, where the tensors differ by more than is allowed.
static bool agrees(const char *what, const tl_tensor *got, const tl_tensor *want, expectation e) {
  size_t count, size = tl_dtype_get(tl_dtype_part(got->type.dtype))->size;
  assert_true(count_parts(got->type, &count));
  if (tl_dtype_get(tl_dtype_part(want->type.dtype))->kind != TL_KIND_FLOAT) {
    if (count == 0 || memcmp(got->data, want->data, count * size) == 0) return true;
    for (size_t i = 0; i < count; i++)
      if (memcmp((char *)got->data + i * size, (char *)want->data + i * size, size) != 0) {
        uint64_t a = 0, b = 0;
        memcpy(&a, (char *)got->data + i * size, size),
            memcpy(&b, (char *)want->data + i * size, size);
        print_error("%s: element %zu is %#llx, wanted %#llx\n", what, i, (unsigned long long)a,
                    (unsigned long long)b);
        return false;
      }
  }
  double greatest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(element(want, i))) greatest = fmax(greatest, fabs(element(want, i)));
  for (size_t i = 0; i < count; i++) {
    double a = element(got, i), b = element(want, i);
    bool good = ulps(want->type.dtype, a, b) <= e.ulp &&
                (e.ulp > 0 || isnan(b) || signbit(a) == signbit(b));
    if (!good && !(e.tol > 0 && fabs(a - b) <= e.tol * greatest)) {
      print_error("%s: element %zu is %.17g, wanted %.17g\n", what, i, a, b);
      return false;
    }
  }
  return true;
}

enum { MAX_OPERANDS = 9, MAX_RESULTS = 4 };

typedef struct golden {
  const char *name;
  tl_opcode code;
  tl_op *op;
  tl_tensor in[MAX_OPERANDS], want[MAX_RESULTS];
  size_t n_in, n_out;
  expectation allowed;
  bool at_f64;
} golden;

static void build(fixture *f, const json_t *shared, const json_t *j, golden *g) {
  g->name = json_string_value(json_object_get(j, "op"));
  if (!tl_op_of_mnemonic(tl_str_of(g->name), false, &g->code))
    assert_true(tl_op_of_mnemonic(tl_str_of(g->name), true, &g->code));
  const json_t *ins = json_object_get(j, "in"), *attr;
  tl_value operands[MAX_OPERANDS];
  g->n_in = json_array_size(ins);
  assert_true(g->n_in <= MAX_OPERANDS);
  for (size_t i = 0; i < g->n_in; i++) {
    g->in[i] = read_tensor(f->m->arena, shared, json_array_get(ins, i));
    operands[i] = tl_func_arg(&f->b, g->in[i].type);
  }
  const json_t *outs = json_object_get(j, "out");
  tl_type types[MAX_RESULTS];
  g->n_out = json_array_size(outs);
  for (size_t i = 0; i < g->n_out; i++) {
    g->want[i] = read_tensor(f->m->arena, shared, json_array_get(outs, i));
    types[i] = g->want[i].type;
  }
  g->op = tl_op_begin(&f->b, g->code, operands, (uint32_t)g->n_in);
  assert_non_null(g->op);
  const char *key;
  json_object_foreach((json_t *)json_object_get(j, "attrs"), key, attr)
      set_attr(&f->b, g->op, key, attr);
  const json_t *region = json_object_get(j, "region");
  const json_t *select = json_object_get(j, "select");
  if (select != NULL) set_select(&f->b, g->op, json_string_value(select), g->in[0].type.dtype);
  if (region != NULL) set_region(&f->b, g->op, json_string_value(region), types[0].dtype);
  g->op = tl_op_finish(&f->b, g->op, types, (uint32_t)g->n_out);
  g->allowed.ulp = (uint64_t)json_integer_value(json_object_get(j, "ulp"));
  g->allowed.tol = json_number_value(json_object_get(j, "tol"));
  g->at_f64 = !json_is_false(json_object_get(j, "f64")) &&
              tl_dtype_get(tl_dtype_part(types[0].dtype))->kind == TL_KIND_FLOAT;
  if (g->op == NULL) assert_ok(tl_builder_finish(&f->b));
}

// f64 of the same inputs, against what the narrow type gives: rounding once, and a little for what
// overflows or sums.
static bool near_f64(golden *g, const tl_tensor *want, const tl_tensor *wide) {
  static const double unit[TL_DTYPE_COUNT] = {
      [TL_DTYPE_F16] = 1e-3, [TL_DTYPE_BF16] = 8e-3, [TL_DTYPE_F32] = 2e-7, [TL_DTYPE_F64] = 1e-15};
  static const double tiniest[TL_DTYPE_COUNT] = {[TL_DTYPE_F16] = 6e-8,
                                                 [TL_DTYPE_BF16] = 1e-40,
                                                 [TL_DTYPE_F32] = 2e-45,
                                                 [TL_DTYPE_F64] = 1e-320};
  static const double top[TL_DTYPE_COUNT] = {[TL_DTYPE_F16] = 65519,
                                             [TL_DTYPE_BF16] = 3.38e38,
                                             [TL_DTYPE_F32] = 3.4e38,
                                             [TL_DTYPE_F64] = 1.7e308};
  tl_dtype d = tl_dtype_part(want->type.dtype);
  size_t count;
  assert_true(count_parts(want->type, &count));
  double greatest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(element(want, i))) greatest = fmax(greatest, fabs(element(want, i)));
  for (size_t i = 0; i < count; i++) {
    double a = element(wide, i), b = element(want, i);
    if (isnan(a) || isnan(b) ? isnan(a) && isnan(b)
                             : isinf(b) && fabs(a) >= top[d] && signbit(a) == signbit(b))
      continue;
    double allowed =
        unit[d] * fabs(b) * (1 + (double)g->allowed.ulp) + tiniest[d] + g->allowed.tol * greatest;
    if (!(fabs(a - b) <= allowed)) {
      print_error("%s at f64: element %zu is %.17g, wanted %.17g\n", g->name, i, a, b);
      return false;
    }
  }
  return true;
}

static bool seen[TL_OP_COUNT];

// The number of cases that fail; *n_f64 counts those that ran at f64 as well.
static size_t run_file(const char *path, size_t *n_f64) {
  json_t *root;
  assert_ok(tl_json_read(path, 64 << 20, &root));
  const json_t *shared = json_object_get(root, "tensors"), *cases = json_object_get(root, "cases");
  size_t failures = 0;
  assert_true(json_array_size(cases) > 0);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    fixture f = fixture_begin();
    golden g = {0};
    build(&f, shared, json_array_get(cases, i), &g);
    seen[g.code] = true;
    tl_tensor got[MAX_RESULTS], wide[MAX_RESULTS], alone[MAX_RESULTS];
    uint32_t n = (uint32_t)g.n_out;
    fixture_run(&f, TL_REF_AS_TYPED, g.op->results, n, g.in, g.n_in, got);
    for (uint32_t k = 0; k < n; k++) {
      size_t size;
      alone[k] = g.want[k];
      assert_true(tl_type_eq(got[k].type, g.want[k].type));
      assert_true(tl_type_size(got[k].type, &size));
      alone[k].data = tl_arena_alloc(f.arena, size, 16);
    }
    assert_ok(tl_ref_eval_op(g.op, g.in, alone, f.arena));
    if (g.at_f64) fixture_run(&f, TL_REF_F64, NULL, 0, g.in, g.n_in, wide);
    *n_f64 += g.at_f64;
    bool good = true;
    for (uint32_t k = 0; k < n; k++) {
      size_t size;
      good = agrees(g.name, &got[k], &g.want[k], g.allowed) && good;
      assert_true(tl_type_size(got[k].type, &size));
      if (size > 0 && memcmp(alone[k].data, got[k].data, size) != 0) {
        print_error("%s alone gives other bits than in a function\n", g.name);
        good = false;
      }
      if (g.at_f64 && tl_dtype_get(tl_dtype_part(got[k].type.dtype))->kind == TL_KIND_FLOAT) {
        assert_int_equal(tl_dtype_part(wide[k].type.dtype), TL_DTYPE_F64);
        good = near_f64(&g, &g.want[k], &wide[k]) && good;
      }
    }
    if (!good) print_error("  ^ case %zu of %s\n", i, path);
    failures += !good;
    fixture_end(&f);
  }
  json_decref(root);
  return failures;
}

static void test_goldens(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  tl_str *names;
  size_t n_names, failures = 0, n_f64 = 0;
  assert_ok(tl_dir_list(a, FOLDER, &names, &n_names));
  assert_true(n_names > 0);
  for (size_t i = 0; i < n_names; i++)
    failures += run_file(tl_path_join(a, FOLDER, names[i].ptr), &n_f64);
  assert_int_equal(failures, 0);
  assert_true(n_f64 > 100);
#define TL_ELSEWHERE(op) seen[TL_OP_##op] = true;
#include "ref/golden_elsewhere.def"
#undef TL_ELSEWHERE
  for (size_t i = 0; i < TL_OP_COUNT; i++)
    if (!seen[i]) fail_msg("%s has no case", tl_op_get((tl_opcode)i)->mnemonic);
  tl_arena_destroy(a);
}

// The control: the comparison itself must notice one wrong bit, one wrong sign of zero, and a
// distance over the limit.
static void test_agrees_can_fail(void **state) {
  (void)state;
  float a[] = {1.0f, 0.0f}, b[] = {1.0f, -0.0f}, c[] = {1.0f, 1e-30f},
        e[] = {nextafterf(1.0f, 2.0f), 0.0f};
  int32_t x[] = {1, 2}, y[] = {1, 3};
  tl_tensor ta = TENSOR(a, TL_DTYPE_F32, 2), tb = TENSOR(b, TL_DTYPE_F32, 2),
            tc = TENSOR(c, TL_DTYPE_F32, 2), te = TENSOR(e, TL_DTYPE_F32, 2);
  tl_tensor tx = TENSOR(x, TL_DTYPE_S32, 2), ty = TENSOR(y, TL_DTYPE_S32, 2);
  expectation exact = {0}, loose = {.ulp = 1};
  assert_true(agrees("control", &ta, &ta, exact));
  assert_false(agrees("(wanted) control", &ta, &tb, exact));
  assert_false(agrees("(wanted) control", &ta, &tc, loose));
  assert_false(agrees("(wanted) control", &te, &ta, exact));
  assert_true(agrees("control", &te, &ta, loose));
  assert_false(agrees("(wanted) control", &tx, &ty, exact));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_goldens),
                                     cmocka_unit_test(test_agrees_can_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
