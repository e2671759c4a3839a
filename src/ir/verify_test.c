// Every constraint of every type rule refused with its label, by the builder and by the verifier;
// and what only a whole module shows.
#include "ir/testing.h"

static const op_case cases[] = {
#define TL_OP_CASE(label, op, ...) {label, TL_OP_##op, __VA_ARGS__},
#include "ir/op_cases.def"
#undef TL_OP_CASE
};

static void by_builder(void **state) {
  (void)state;
  bool good[TL_OP_COUNT] = {false};
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    const op_case *c = &cases[i];
    case_module k;
    case_begin(&k, c);
    tl_op *op = tl_op_finish(&k.b, k.op, k.n_types ? k.types : NULL, k.n_types);
    if (c->label != NULL) {
      if (op != NULL) print_error("case %zu should be refused: %s %s\n", i, c->label, c->attrs);
      assert_null(op);
      assert_status(tl_builder_finish(&k.b), TL_STATUS_INVALID_ARGUMENT, c->label);
    } else {
      assert_ok(k.b.error);
      tlo_return(&k.b, op->results, op->n_results);
      assert_ok(tl_builder_finish(&k.b));
      good[c->code] = true;
      for (uint32_t j = 0; j < k.n_types; j++)
        assert_true(tl_type_eq(op->results[j]->type, k.types[j]));
      tl_diags diags = {0}; // and the verifier agrees
      assert_ok(tl_module_verify(k.m, &diags));
      tl_diags_deinit(&diags);
    }
    tl_module_destroy(k.m);
  }
  for (int code = 0; code < TL_OP_COUNT; code++)
    if (!good[code] && code != TL_OP_RETURN)
      fail_msg("%s has no good case", tl_op_get((tl_opcode)code)->mnemonic);
}

// Appends an op as it is, wrong or not.
static void append_raw(tl_builder *b, tl_op *op, const tl_type *types, uint32_t n) {
  op->results = TL_NEW(b->m->arena, tl_value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    op->results[i] = TL_NEW(b->m->arena, tl_value_def, 1);
    *op->results[i] = (tl_value_def){
        .type = types[i], .op = op, .block = b->block, .index = i, .id = b->fn->next_id};
  }
  op->n_results = n;
  b->fn->next_id++;
  op->prev = b->block->last;
  if (op->prev)
    op->prev->next = op;
  else
    b->block->first = op;
  b->block->last = op;
}

static void assert_diag(const tl_diags *d, size_t i, const char *text) {
  if (i >= d->len || strstr(d->items[i].message, text) == NULL) {
    for (size_t j = 0; j < d->len; j++)
      print_error("diagnostic %zu: %s\n", j, d->items[j].message);
    fail_msg("diagnostic %zu does not say: %s", i, text);
  }
}

static void by_verifier(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    const op_case *c = &cases[i];
    if (c->label == NULL || strstr(c->label, "wants its ") != NULL) continue;
    case_module k;
    case_begin(&k, c);
    if (k.n_types == 0 && tl_op_get(c->code)->n_out != 0) // inferred: any will do
      k.types[k.n_types++] =
          k.op->n_operands > 0 ? k.op->operands[0]->type : tl_type_scalar(TL_DTYPE_F32);
    append_raw(&k.b, k.op, k.types, k.n_types);
    tlo_return(&k.b, NULL, 0);
    assert_ok(tl_builder_finish(&k.b));
    tl_diags diags = {0};
    assert_status(tl_module_verify(k.m, &diags), TL_STATUS_INVALID_ARGUMENT, c->label);
    assert_int_equal(diags.len, 1);
    assert_diag(&diags, 0, c->label);
    assert_int_equal(diags.items[0].loc.line, 7);
    tl_diags_deinit(&diags);
    tl_module_destroy(k.m);
  }
}

// ---- Whole modules ----

typedef struct fixture {
  tl_module *m;
  tl_builder b;
  tl_value x, p; // f32, i1
} fixture;

static void fixture_begin(fixture *f, const char *name) {
  if (f->m == NULL) f->m = tl_module_create();
  f->b = tl_func_begin(f->m, name, false);
  f->x = tl_func_arg(&f->b, tl_type_scalar(TL_DTYPE_F32));
  f->p = tl_func_arg(&f->b, tl_type_scalar(TL_DTYPE_I1));
}

static void expect(fixture *f, size_t n, const char *const *texts) {
  tl_diags diags = {0};
  assert_status(tl_module_verify(f->m, &diags), TL_STATUS_INVALID_ARGUMENT, texts[0]);
  for (size_t i = 0; i < n; i++)
    assert_diag(&diags, i, texts[i]);
  assert_int_equal(diags.len, n);
  tl_diags_deinit(&diags);
  tl_module_destroy(f->m);
  f->m = NULL;
}
#define EXPECT(f, ...) \
  expect((f), TL_COUNT(((const char *const[]){__VA_ARGS__})), (const char *const[]){__VA_ARGS__})

static void dominance(void **state) {
  (void)state;
  fixture f = {0};
  // A value of a region is gone after it.
  fixture_begin(&f, "main");
  tl_op *op = tl_op_begin(&f.b, TL_OP_IF, &f.p, 1);
  tl_value inside = NULL;
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&f.b, tl_op_add_region(&f.b, op));
    inside = tlo_add(&in, f.x, f.x);
    tlo_return(&in, &inside, 1);
    tl_builder_join(&f.b, &in);
  }
  assert_non_null(tl_op_finish(&f.b, op, NULL, 0));
  tl_value y = tlo_mul(&f.b, inside, f.x);
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  EXPECT(&f, "multiply: operand 0 is used where it is not defined");

  // Used before it is defined, and defined in another function.
  fixture_begin(&f, "other");
  tl_value other = tlo_add(&f.b, f.x, f.x);
  tlo_return(&f.b, &other, 1);
  assert_ok(tl_builder_finish(&f.b));
  fixture_begin(&f, "main");
  tl_value a = tlo_add(&f.b, f.x, f.x), c = tlo_mul(&f.b, f.x, f.x);
  a->op->operands[1] = c;
  y = tlo_sub(&f.b, a, other);
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  EXPECT(&f, "add: operand 1 is used where it is not defined",
         "subtract: operand 1 is used where it is not defined");
}

static void ends(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main"); // no return
  tl_value y = tlo_add(&f.b, f.x, f.x);
  EXPECT(&f, "no return at its end");
  fixture_begin(&f, "main"); // a return in the middle, and none at the end
  tlo_return(&f.b, &f.x, 1);
  tl_op *op = tl_op_begin(&f.b, TL_OP_NEGATE, &f.x, 1);
  append_raw(&f.b, op, &f.x->type, 1);
  EXPECT(&f, "return: ops follow it", "no return at its end");
  // The signature says something else than the return.
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  f.b.fn->result_types[0] = tl_type_scalar(TL_DTYPE_F64);
  EXPECT(&f, "return: value 0 is not of the type that @main declares");
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  f.b.fn->n_results = 0;
  EXPECT(&f, "return: gives 1 values, @main declares 0");
  (void)y;
}

static void donations(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main");
  tl_value q = tl_func_arg(&f.b, tl_type_scalar(TL_DTYPE_F32));
  tlo_return(&f.b, &f.x, 1);
  tl_func *fn = f.b.fn;
  tl_func_arg_info(fn, 0)->alias_output = 0;
  tl_diags diags = {0};
  assert_ok(tl_module_verify(f.m, &diags));
  tl_diags_deinit(&diags);
  tl_func_arg_info(fn, 2)->alias_output = 0; // both
  tl_func_arg_info(fn, 1)->alias_output = 0; // another type
  EXPECT(&f, "argument 1 cannot be donated to result 0",
         "arguments 0 and 2 are both donated to result 0",
         "arguments 1 and 2 are both donated to result 0");
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  tl_func_arg_info(f.b.fn, 0)->alias_output = 1;
  tl_func_arg_info(f.b.fn, 1)->alias_output = -2;
  EXPECT(&f, "argument 0 cannot be donated to result 1",
         "argument 1 cannot be donated to result -2");
  (void)q;
}

static tl_value call(tl_builder *b, const char *name, tl_value x) {
  tl_op *op = tl_op_begin(b, TL_OP_CALL, &x, 1);
  tl_op_set_str(b, op, TL_A_CALL_callee, tl_str_of(name));
  tl_type t = tl_value_type(x);
  op = tl_op_finish(b, op, &t, 1);
  return op == NULL ? NULL : op->results[0];
}

static void calls(void **state) {
  (void)state;
  // Forward calls are taken at their word and checked at the end; a callee that never comes is a
  // mistake.
  tl_module *m = tl_module_create();
  const char *names[] = {"a", "b", "c"}, *callees[] = {"b", "c", "d"};
  for (int i = 0; i < 3; i++) {
    tl_builder b = tl_func_begin(m, names[i], false);
    tl_value r = call(&b, callees[i], tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32)));
    tlo_return(&b, &r, 1);
    assert_ok(tl_builder_finish(&b));
  }
  tl_diags diags = {0};
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT,
                "@d is not defined (call_c2)");
  assert_int_equal(diags.len, 1);
  tl_diags_deinit(&diags);
  tl_builder b = tl_func_begin(m, "d", false);
  tl_value x = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32));
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  assert_ok(tl_module_verify(m, &diags));
  // d calls b inside a region: round and round.
  tl_func *d = tl_module_find(m, TL_STR("d"));
  d->body->first = d->body->last = NULL;
  b = (tl_builder){.m = m, .fn = d, .block = d->body};
  tl_value pred = tlo_constant_i64(&b, tl_type_scalar(TL_DTYPE_I1), 1);
  tl_op *op = tl_op_begin(&b, TL_OP_IF, &pred, 1);
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&b, tl_op_add_region(&b, op));
    tl_value r = i ? x : call(&in, "b", x);
    tlo_return(&in, &r, 1);
    tl_builder_join(&b, &in);
  }
  op = tl_op_finish(&b, op, NULL, 0);
  tlo_return(&b, op->results, 1);
  assert_ok(tl_builder_finish(&b));
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT,
                "calls itself, directly or through others");
  tl_diags_deinit(&diags);
  // Two functions of one name.
  tl_func twin = *tl_module_find(m, TL_STR("a"));
  twin.name = TL_STR("c");
  twin.next = NULL;
  tl_module_add(m, &twin);
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT, "@c is defined twice");
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

// Each calls the next, and stands in front of it. With a round for every function settled this took
// minutes.
static void long_chain(void **state) {
  (void)state;
  enum { N = 5000 };
  tl_module *m = tl_module_create();
  for (int i = 0; i < N; i++) {
    char *name = tl_arena_printf(m->arena, "f%d", i);
    tl_builder b = tl_func_begin(m, name, false);
    tl_value r = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32));
    if (i + 1 < N) r = call(&b, tl_arena_printf(m->arena, "f%d", i + 1), r);
    tlo_return(&b, &r, 1);
    assert_ok(tl_builder_finish(&b));
  }
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

static void types_unsound(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main"); // an argument that no op sees
  tlo_return(&f.b, &f.x, 1);
  f.p->type = TL_TYPE(f.m->arena, TL_DTYPE_I1, (int64_t)1 << 62, 4);
  EXPECT(&f, "argument 1 needs more bytes than memory can hold");
  fixture_begin(&f, "main");
  tl_value y = tlo_add(&f.b, f.x, f.x);
  tlo_return(&f.b, &y, 1);
  int64_t dims[TL_MAX_RANK + 1] = {0};
  f.x->type = (tl_type){TL_DTYPE_F32, TL_MAX_RANK + 1, dims};
  EXPECT(&f, "add: operand 0 has rank 17");
}

// Every constraint of the specification is broken by a case, or waived with its reason.
static const struct spec {
  const char *op, *labels, *waived;
} specs[] = {
#define TL_SPEC(op, labels) {#op, labels, NULL},
#define TL_SPEC_WAIVED(op, labels, reason) {#op, labels, reason},
#include "ir/spec.def"
#undef TL_SPEC
#undef TL_SPEC_WAIVED
};

static bool has_label(const char *labels, tl_str label) {
  for (tl_str rest = tl_str_of(labels); rest.len != 0;)
    if (tl_str_eq(next_word(&rest, ' '), label)) return true;
  return false;
}

static bool is_broken(const char *op, tl_str label) {
  char whole[128];
  snprintf(whole, sizeof whole, "%s_" TL_STR_FMT, op, TL_STR_ARG(label));
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    if (cases[i].label != NULL && strcmp(cases[i].label, whole) == 0) return true;
  return false;
}

static const char *waived(const char *op, tl_str label) {
  for (size_t i = 0; i < TL_COUNT(specs); i++)
    if (specs[i].waived != NULL && strcmp(specs[i].op, op) == 0 &&
        has_label(specs[i].labels, label))
      return specs[i].waived;
  return NULL;
}

static void specification(void **state) {
  (void)state;
  size_t n = 0, bad = 0;
  for (size_t i = 0; i < TL_COUNT(specs); i++) {
    if (specs[i].waived != NULL) continue;
    for (tl_str rest = tl_str_of(specs[i].labels); rest.len != 0; n++) {
      const tl_str label = next_word(&rest, ' ');
      const bool broken = is_broken(specs[i].op, label),
                 excused = waived(specs[i].op, label) != NULL;
      if (broken != excused) continue;
      print_error("%s_" TL_STR_FMT ": %s\n", specs[i].op, TL_STR_ARG(label),
                  broken ? "a case breaks it: take its waiver away" : "no case breaks it");
      bad++;
    }
  }
  assert_true(n > 400);
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_builder),    cmocka_unit_test(by_verifier),
      cmocka_unit_test(specification), cmocka_unit_test(dominance),
      cmocka_unit_test(ends),          cmocka_unit_test(donations),
      cmocka_unit_test(calls),         cmocka_unit_test(types_unsound),
      cmocka_unit_test(long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
