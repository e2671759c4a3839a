// The builder: numbers, results, defaults, regions, and errors that stay.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ir/build.h"

static tl_type f32(tl_module *m, int64_t a, int64_t b) {
  return TL_TYPE(m->arena, TL_DTYPE_F32, a, b);
}

static void numbers(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, f32(m, 2, 3)), y = tl_func_arg(&b, f32(m, 3, 4));
  tl_value d = tlo_dot(&b, x, y, NULL, NULL, 0, (int64_t[]){1}, (int64_t[]){0}, 1);
  b.scratch = true;
  tl_value s = tlo_add(&b, d, d);
  b.scratch = false;
  tl_value late = tl_func_arg(&b, f32(m, 2, 4)); // a parameter may come late
  tl_value e = tlo_mul(&b, s, late);
  tlo_return(&b, &e, 1);
  tl_func *fn = b.fn;
  assert_ok(tl_builder_finish(&b));
  assert_int_equal(x->id, 0);
  assert_int_equal(y->id, 1);
  assert_int_equal(d->id, 2);
  assert_true(s->scratch && !d->scratch);
  assert_int_equal(late->id, 3);
  assert_int_equal(e->id, 4);
  assert_int_equal(fn->next_id, 5); // neither scratch nor return took one
  assert_int_equal(fn->body->n_args, 3);
  assert_int_equal(fn->n_results, 1);
  assert_true(tl_type_eq(fn->result_types[0], f32(m, 2, 4)));
  assert_int_equal(tl_func_arg_info(fn, 2)->alias_output, -1);
  assert_true(tl_module_find(m, TL_STR("main")) == fn);
  assert_null(tl_module_find(m, TL_STR("mai")));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

static void defaults(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, f32(m, 5, 3)),
           idx = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_S32, 2, 7));
  tl_value g = tlo_take_rows(&b, x, idx);
  assert_true(tl_type_eq(g->type, TL_TYPE(m->arena, TL_DTYPE_F32, 2, 7, 3)));
  assert_false(tl_op_attr(g->op, TL_A_GATHER_indices_are_sorted)->set);
  assert_int_equal(tl_op_i64(g->op, TL_A_GATHER_indices_are_sorted), 0);
  assert_int_equal(tl_op_list(g->op, TL_A_GATHER_operand_batching_dims).len, 0);
  assert_int_equal(tl_op_i64(g->op, TL_A_GATHER_index_vector_dim), 2);
  assert_int_equal(tl_op_list(g->op, TL_A_GATHER_offset_dims).ptr[0], 2);
  // Comparison types follow the element type.
  tl_value c = tlo_compare(&b, TL_COMPARISON_DIRECTION_LT, idx, idx);
  assert_int_equal(tl_op_i64(c->op, TL_A_COMPARE_compare_type), TL_COMPARISON_TYPE_SIGNED);
  assert_int_equal(c->type.dtype, TL_DTYPE_I1);
  // Constants: splat, whole, rounded to their type.
  tl_value k = tlo_constant_f64(&b, TL_TYPE(m->arena, TL_DTYPE_BF16, 4), 1.00390625);
  const tl_literal *lit = tl_op_attr(k->op, TL_A_CONSTANT_value)->dense;
  uint16_t h;
  memcpy(&h, lit->data, sizeof h);
  assert_true(lit->splat && lit->size == 2 && h == 0x3f80); // half way to the next bf16: to even
  tl_value i = tlo_constant_i64(&b, tl_type_scalar(TL_DTYPE_S8), -2);
  lit = tl_op_attr(i->op, TL_A_CONSTANT_value)->dense;
  assert_int_equal(((const int8_t *)lit->data)[0], -2);
  float pair[] = {1, 2};
  tl_value w = tlo_constant(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 2), pair, sizeof pair);
  assert_false(tl_op_attr(w->op, TL_A_CONSTANT_value)->dense->splat);
  assert_true(tlo_convert(&b, w, TL_DTYPE_F32) == w);
  tlo_return(&b, &g, 1);
  assert_ok(tl_builder_finish(&b));
  tl_module_destroy(m);
}

// A region sees the values around it, and a combiner's values take no numbers.
static void regions(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_type scalar = tl_type_scalar(TL_DTYPE_F32);
  tl_value x = tl_func_arg(&b, f32(m, 2, 3)), p = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_I1));
  tl_value zero = tlo_constant_f64(&b, scalar, 0);
  tl_value sum = tlo_reduce(&b, x, zero, (int64_t[]){0, 1}, 2, TL_OP_ADD);
  assert_int_equal(sum->id, zero->id + 1);
  assert_true(tl_type_eq(sum->type, scalar));
  assert_true(sum->op->regions[0]->args[0]->scratch);
  tl_op *op = tl_op_begin(&b, TL_OP_IF, &p, 1);
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&b, tl_op_add_region(&b, op));
    tl_value v = i ? tlo_add(&in, sum, zero) : sum;
    tlo_return(&in, &v, 1);
    tl_builder_join(&b, &in);
  }
  op = tl_op_finish(&b, op, NULL, 0);
  assert_non_null(op);
  assert_int_equal(op->results[0]->id, sum->id + 2); // the add inside came first
  assert_true(op->regions[0]->parent == op && op->regions[0]->func == b.fn);
  // Three carried values.
  tl_value init[] = {zero, sum, op->results[0]};
  tl_op *loop = tl_op_begin(&b, TL_OP_WHILE, init, 3);
  for (int i = 0; i < 2; i++) {
    tl_block *block = tl_op_add_region(&b, loop);
    tl_builder in = tl_builder_at(&b, block);
    for (int j = 0; j < 3; j++)
      tl_block_arg(&in, block, scalar);
    tl_value lt = tlo_compare(&in, TL_COMPARISON_DIRECTION_LT, block->args[0], block->args[1]);
    if (i == 0)
      tlo_return(&in, &lt, 1);
    else
      tlo_return(&in, block->args, 3);
    tl_builder_join(&b, &in);
  }
  loop = tl_op_finish(&b, loop, NULL, 0);
  assert_non_null(loop);
  assert_int_equal(loop->n_results, 3);
  assert_int_equal(loop->results[0]->id, loop->results[2]->id); // one number for all
  tlo_return(&b, loop->results, 3);
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

static void errors_stay(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value x = tl_func_arg(&b, f32(m, 2, 64)), y = tl_func_arg(&b, f32(m, 128, 2));
  tl_value d = tlo_dot(&b, x, y, NULL, NULL, 0, (int64_t[]){1}, (int64_t[]){0}, 1);
  assert_null(d);
  // Everything after it is a no-op, whatever it is given.
  assert_null(tlo_add(&b, d, d));
  assert_null(tlo_reshape(&b, d, (int64_t[]){2}, 1));
  assert_null(tlo_transpose(&b, d, (int64_t[]){1, 0}));
  assert_null(tlo_constant_f64(&b, tl_type_scalar(TL_DTYPE_F32), 1));
  assert_null(tlo_take_rows(&b, d, d));
  assert_null(tlo_compare(&b, TL_COMPARISON_DIRECTION_EQ, d, d));
  assert_null(tlo_reduce(&b, d, d, NULL, 0, TL_OP_ADD));
  assert_null(tlo_quantized_matmul(&b, d, d, TL_FORMAT_Q4_0, 3));
  assert_null(tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32)));
  tlo_return(&b, &d, 1);
  assert_status(tl_builder_finish(&b), TL_STATUS_INVALID_ARGUMENT,
                "dot_general: lhs contracts 64, rhs contracts 128 (dot_general_c10)");

  b = tl_func_begin(m, "main", false);
  assert_status(tl_builder_finish(&b), TL_STATUS_ALREADY_EXISTS, "@main");
  b = tl_func_begin(m, "open", false);
  assert_status(tl_builder_finish(&b), TL_STATUS_INTERNAL, "no return");
  b = tl_func_begin(m, "null", false);
  assert_null(tlo_add(&b, NULL, NULL));
  assert_status(tl_builder_finish(&b), TL_STATUS_INTERNAL, "operand 0 is missing");
  b = tl_func_begin(m, "after", false);
  tlo_return(&b, NULL, 0);
  assert_null(tlo_constant_f64(&b, tl_type_scalar(TL_DTYPE_F32), 1));
  assert_status(tl_builder_finish(&b), TL_STATUS_INTERNAL, "after the end");
  b = tl_func_begin(m, "size", false);
  assert_null(tlo_constant(&b, f32(m, 2, 2), "0123456789", 10));
  assert_status(tl_builder_finish(&b), TL_STATUS_INVALID_ARGUMENT, "10 bytes");
  b = tl_func_begin(m, "huge", false);
  assert_null(tl_func_arg(&b, f32(m, INT64_MAX, 2)));
  assert_status(tl_builder_finish(&b), TL_STATUS_INVALID_ARGUMENT, "memory");
  tl_module_destroy(m);
}

static void named(void **state) {
  (void)state;
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_arena *a = m->arena;
  tl_value pool = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_BF16, 9, 4, 2, 8)),
           kv = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 3, 2, 8)),
           slots = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 3)),
           q = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 3, 6, 8)),
           tables = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_S32, 2, 5));
  tl_value w = tl_func_arg(
      &b, TL_TYPE(a, TL_DTYPE_U8, 2, 1280)); // q4_1 [20, 128]: 16 rows of 64 + 8 + 8 bytes
  tl_value x = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_F32, 3, 128));
  pool = tlo_kv_cache_write(&b, pool, kv, slots, 1);
  tl_value y = tlo_paged_attention(&b, q, pool, pool, tables, slots, slots, 0.5, 1, 2);
  assert_true(y != NULL && tl_type_eq(y->type, q->type));
  assert_int_equal(y->op->n_operands, 6);
  assert_int_equal(tl_op_i64(y->op, TL_A_PAGED_ATTENTION_value_offset), 2);
  tl_value z = tlo_quantized_matmul(&b, x, w, TL_FORMAT_Q4_1, 20);
  assert_true(z != NULL && tl_type_eq(z->type, f32(m, 3, 20)));
  tl_value e = tlo_quantized_embedding(&b, w, tables, TL_FORMAT_Q4_1, 20, 128);
  assert_true(e != NULL && tl_type_eq(e->type, TL_TYPE(a, TL_DTYPE_F32, 2, 5, 128)));
  tl_value stored = tl_func_arg(&b, TL_TYPE(a, TL_DTYPE_U8, 20, 80));
  tl_value packed = tlo_pack_weights(&b, stored, TL_FORMAT_Q4_1, 20, 128);
  assert_true(packed != NULL && tl_type_eq(packed->type, w->type));
  tlo_return(&b, &y, 1);
  assert_ok(tl_builder_finish(&b));
  tl_module_destroy(m);
}

static tl_status build_something(void *arg) {
  (void)arg;
  tl_module *m = tl_module_create();
  if (m == NULL) return TL_OOM();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value v = NULL;
  for (int i = 0; i < 40; i++) { // enough for several blocks of the arena
    tl_type t = tl_type_of(m->arena, TL_DTYPE_F32, (int64_t[]){64, 64}, 2);
    if (t.dims == NULL) tl_builder_fail(&b, TL_OOM());
    tl_value x = tl_func_arg(&b, t);
    v = tlo_softmax(&b, v == NULL ? x : tlo_add(&b, v, x), 1);
    v = tlo_transpose(&b, v, (int64_t[]){1, 0});
  }
  tlo_return(&b, &v, 1);
  tl_status st = tl_builder_finish(&b);
  tl_diags diags = {0};
  if (st == TL_OK) st = tl_module_verify(m, &diags);
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(build_something, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),     cmocka_unit_test(defaults), cmocka_unit_test(regions),
      cmocka_unit_test(errors_stay), cmocka_unit_test(named),    cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
