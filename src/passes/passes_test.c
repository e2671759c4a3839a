// cse and dce: what goes and what stays on samples, and on random programs the same bits.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ir/build.h"
#include "passes/passes.h"
#include "ref/ref.h"

static tl_module *ran(const tl_module *m, const char *pass) {
  tl_module *n = NULL;
  tl_diags diags = {0};
  assert_ok(tl_pass_run(tl_pass_find(tl_str_of(pass)), m, &n));
  assert_ok(tl_module_verify(n, &diags));
  tl_diags_deinit(&diags);
  return n;
}

static size_t count(const tl_block *block) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next, n++)
    for (uint32_t i = 0; i < op->n_regions; i++)
      n += count(op->regions[i]);
  return n;
}

static void table(void **state) {
  (void)state;
  size_t n;
  const tl_pass *passes = tl_passes(&n);
  for (size_t i = 0; i < n; i++)
    assert_ptr_equal(tl_pass_find(tl_str_of(passes[i].name)), &passes[i]);
  assert_null(tl_pass_find(TL_STR("csee")));
  assert_null(tl_pass_find(TL_STR("")));
}

// @unused calls @shared, and so does @main in an op that is dead.
static void dead_functions(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F32, 4);
  tl_func *fns[3];
  static const char *const names[] = {"shared", "used", "unused"};
  for (int i = 0; i < 3; i++) {
    tl_builder b = tl_func_begin(m, names[i], true);
    tl_value x = tl_func_arg(&b, t);
    x = i == 2 ? tlo_call(&b, fns[0], &x, 1)->results[0] : tlo_add(&b, x, x);
    tlo_return(&b, &x, 1);
    fns[i] = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, t);
  tlo_mul(&b, tlo_call(&b, fns[0], &x, 1)->results[0], x);
  x = tlo_call(&b, fns[1], &x, 1)->results[0];
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  tl_module *n = ran(m, "dce");
  tl_module_destroy(m);
  assert_int_equal(n->n_funcs, 2);
  assert_non_null(tl_module_find(n, TL_STR("used")));
  assert_int_equal(count(tl_module_find(n, TL_STR("main"))->body), 2);
  tl_module_destroy(n);
}

// Two equal branches, in which a constant of the surroundings is computed again; x + y and y + x.
static void equal_regions(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F32, 4);
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, t), y = tl_func_arg(&b, t);
  tl_value p = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_I1)), sums[3];
  tl_value two = tlo_constant_f64(&b, t, 2);
  for (int i = 0; i < 3; i++) { // the third differs in one constant
    tl_op *op = tl_op_begin(&b, TL_OP_IF, &p, 1);
    for (int side = 0; side < 2; side++) {
      tl_builder in = tl_builder_at(&b, tl_op_add_region(&b, op));
      tl_value v = tlo_mul(&in, side ? x : two, tlo_constant_f64(&in, t, i == 2 ? 3 : 2));
      v = tlo_add(&in, v, v);
      tlo_return(&in, &v, 1);
      tl_builder_join(&b, &in);
    }
    sums[i] = tl_op_finish(&b, op, NULL, 0)->results[0];
  }
  tl_value r[] = {sums[0],           sums[1],           sums[2],
                  tlo_add(&b, x, y), tlo_add(&b, y, x), tlo_add(&b, x, y)};
  tlo_return(&b, r, TL_COUNT(r));
  assert_ok(tl_builder_finish(&b));
  tl_module *n = ran(m, "cse");
  tl_module_destroy(m);
  const tl_op *ret = n->first->body->last;
  assert_ptr_equal(ret->operands[0], ret->operands[1]);
  assert_ptr_not_equal(ret->operands[0], ret->operands[2]);
  assert_ptr_not_equal(ret->operands[3], ret->operands[4]);
  assert_ptr_equal(ret->operands[3], ret->operands[5]);
  assert_int_equal(count(ret->operands[0]->op->regions[0]), 3); // the surroundings' constant
  tl_module_destroy(n);
}

// A choice between x and x, and all of x in its own shape, are x; and what is made of them is
// equal.
static void operands_given_as_they_are(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F32, 4, 4);
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, t), y = tl_func_arg(&b, t);
  tl_value p = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_I1));
  const int64_t order[] = {0, 1}, turned[] = {1, 0};
  tl_value one = tlo_select(&b, p, x, x), same = tlo_transpose(&b, one, order);
  tl_value r[] = {tlo_add(&b, same, y), tlo_add(&b, x, y), tlo_select(&b, p, x, y),
                  tlo_transpose(&b, x, turned), tlo_reshape(&b, x, t.dims, 2)};
  tlo_return(&b, r, TL_COUNT(r));
  assert_ok(tl_builder_finish(&b));
  tl_module *n = ran(m, "cse");
  tl_module_destroy(m);
  const tl_op *ret = n->first->body->last;
  assert_ptr_equal(ret->operands[0], ret->operands[1]);
  assert_int_equal(ret->operands[2]->op->code, TL_OP_SELECT);
  assert_int_equal(ret->operands[3]->op->code, TL_OP_TRANSPOSE);
  assert_ptr_equal(ret->operands[4], n->first->body->args[0]);
  tl_module_destroy(n);
}

// ---- Random programs ----

typedef struct gen {
  tl_builder b;
  uint64_t seed;
  tl_func *helper;
} gen;

static uint32_t roll(gen *g, uint32_t below) {
  g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(g->seed >> 33) % below;
}

// Ops over `values` [*n], which grows; all of one type, so repetitions are frequent.
static void emit(gen *g, tl_builder *b, tl_value *values, uint32_t n, uint32_t ops, int depth,
                 tl_value pred, tl_type t) {
  static const tl_opcode binary[] = {TL_OP_ADD, TL_OP_MULTIPLY, TL_OP_SUBTRACT, TL_OP_MAXIMUM};
  for (uint32_t i = 0; i < ops; i++) {
    const uint32_t first = n > 5 ? n - 5 : 0;
    tl_value x = values[first + roll(g, n - first)], y = values[first + roll(g, n - first)];
    tl_value v = NULL;
    switch (roll(g, depth < 2 ? 7 : 5)) {
    case 0:
      v = tlo_constant_f64(b, t, roll(g, 2));
      break;
    case 1:
      v = tlo_unary(b, roll(g, 2) ? TL_OP_NEGATE : TL_OP_ABS, x);
      break;
    case 2:
      v = g->helper ? tlo_call(b, g->helper, &x, 1)->results[0] : tlo_softmax(b, x, 0);
      break;
    case 3:
    case 4:
      v = tlo_binary(b, binary[roll(g, TL_COUNT(binary))], x, y);
      break;
    case 5: {
      tl_value zero = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_F32), 0);
      v = tlo_broadcast(b, tlo_reduce(b, x, zero, (int64_t[]){0}, 1, TL_OP_ADD), t, NULL);
      break;
    }
    default: {
      tl_op *op = tl_op_begin(b, TL_OP_IF, &pred, 1);
      const uint64_t seed = g->seed;
      for (int side = 0; side < 2; side++) {
        if (side && roll(g, 2)) g->seed = seed; // the same again
        tl_builder in = tl_builder_at(b, tl_op_add_region(b, op));
        tl_value inner[64];
        memcpy(inner, values, n * sizeof *inner);
        emit(g, &in, inner, n, 4, depth + 1, pred, t);
        tlo_return(&in, &inner[n + 3], 1);
        tl_builder_join(b, &in);
      }
      v = tl_op_finish(b, op, NULL, 0)->results[0];
    }
    }
    assert_non_null(v);
    values[n++] = v;
  }
}

static tl_module *random_module(uint64_t seed) {
  tl_module *m = tl_module_create();
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F32, 4);
  gen g = {.seed = seed * 77 + 5};
  for (int f = 0; f < 2; f++) {
    g.b = tl_func_begin(m, f ? "main" : "helper", !f);
    tl_value values[64] = {tl_func_arg(&g.b, t)};
    tl_value pred = f ? tl_func_arg(&g.b, tl_type_scalar(TL_DTYPE_I1))
                      : tlo_constant_i64(&g.b, tl_type_scalar(TL_DTYPE_I1), 1);
    const uint32_t ops = f ? 30 : 6;
    emit(&g, &g.b, values, 1, ops, 0, pred, t);
    tlo_return(&g.b, f ? &values[ops - 2] : &values[ops], f ? 3 : 1);
    g.helper = g.b.fn;
    assert_ok(tl_builder_finish(&g.b));
  }
  return m;
}

static void run(const tl_module *m, tl_arena *a, bool pred, float out[3][4]) {
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  float x[4] = {1.5f, -2, 0.25f, 3e10f};
  uint8_t p = pred;
  tl_tensor in[] = {{fn->body->args[0]->type, x}, {fn->body->args[1]->type, &p}}, outs[3];
  assert_ok(tl_ref_run(fn, TL_REF_AS_TYPED, in, 2, a, outs, 0));
  for (int i = 0; i < 3; i++)
    memcpy(out[i], outs[i].data, sizeof out[i]);
}

static void random_programs(void **state) {
  (void)state;
  size_t fewer_cse = 0, fewer_dce = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    tl_module *m = random_module(seed), *c = ran(m, "cse"), *d = ran(c, "dce"),
              *again = ran(d, "cse"), *flat = ran(d, "inline"), *core = ran(flat, "decompose");
    const size_t n[] = {count(m->last->body), count(c->last->body), count(d->last->body),
                        count(again->last->body)};
    assert_true(n[1] <= n[0] && n[2] <= n[1]);
    assert_true(n[3] <= n[2]); // fewer where dead ops were all that two regions differed in
    assert_int_equal(flat->n_funcs, 1);
    fewer_cse += n[1] < n[0];
    fewer_dce += n[2] < n[1];
    tl_module *all[] = {m, c, d, flat, core};
    tl_arena *a = tl_arena_create();
    for (int pred = 0; pred < 2; pred++) {
      float want[3][4], found[3][4];
      run(m, a, pred, want);
      for (size_t i = 1; i < TL_COUNT(all); i++) {
        run(all[i], a, pred, found);
        assert_memory_equal(found, want, sizeof want);
      }
    }
    tl_arena_destroy(a);
    tl_module_destroy(again);
    for (size_t i = 0; i < TL_COUNT(all); i++)
      tl_module_destroy(all[i]);
  }
  assert_true(fewer_cse > 150 && fewer_dce > 150); // the programs have something to find
}

static tl_status both(void *arg) {
  tl_module *c = NULL, *d = NULL;
  tl_status st = tl_pass_cse(arg, &c);
  if (st == TL_OK) st = tl_pass_dce(c, &d);
  tl_module_destroy(c);
  tl_module_destroy(d);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_module *m = random_module(3);
  tl_test_each_oom(both, m);
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table),           cmocka_unit_test(dead_functions),
      cmocka_unit_test(equal_regions),   cmocka_unit_test(operands_given_as_they_are),
      cmocka_unit_test(random_programs), cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
