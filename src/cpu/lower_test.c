// The op sweep: every row of ops.def, natively and by the interpreter, over random types (odd
// shapes, empty dims, rank 0, strides, any order of dims), on every dtype that it has.
#include "cpu/testing_programs.h"

// A module of one op, with what it needs; NULL where the draw gave none. All that was made is
// returned, so that operands are seen not to change either.
static tl_module *one_op(tl_opcode code, tl_dtype dtype, uint64_t seed, bool empty) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  gen g;
  tl_builder b = gen_begin(&g, m, "main", seed);
  g.b = &b;
  g.dtype = dtype;
  if (empty)
    for (size_t i = 0; i < GEN_SHAPES; i++)
      g.shapes[i] =
          gen_type(&g, TL_DTYPE_F32, i % 2 ? (int64_t[]){3, 0, 2} : (int64_t[]){0}, i % 2 ? 3 : 1);
  const tl_value v = gen_op(&g, code);
  if (!v) {
    tl_status st = tl_builder_finish(&b);
    tl_status_drop(st);
    tl_module_destroy(m);
    return NULL;
  }
  gen_add(&g, v);
  tlo_return(&b, g.values, (uint32_t)TL_MIN(g.n, (size_t)12));
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  return m;
}

static bool agrees(tl_module *m, uint64_t seed) {
  test_run t;
  test_rng r = {seed};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  if (!t.failure[0]) test_run_everywhere(&t, m);
  const bool good = !t.failure[0];
  if (!good) {
    fprintf(stderr, "%s\n", t.failure);
    test_print(m);
  }
  test_run_end(&t);
  return good;
}

// Calls want callees: exec_test.c. A named op without a row is planned as the core ops that it
// decomposes into, each of which is here; tests/sweep runs it whole.
static bool swept(tl_opcode code) {
  if (code == TL_OP_EIGH || code == TL_OP_SVD || code == TL_OP_SINGULAR_VALUES)
    return false; // by LAPACK, of large matrices: lower_linalg_test.c
  if ((tl_op_get(code)->traits & TL_NAMED) != 0 && plan_lowering(code) == NULL) return false;
  return code != TL_OP_RETURN && code != TL_OP_CALL && code != TL_OP_COMPOSITE &&
         code != TL_OP_CUSTOM_CALL && // tests/cli/check.console
         !(code >= TL_OP_ALL_GATHER && code <= TL_OP_EXPECT_SERIALIZED_EQ); // grid_test.c
}

static void every_row_gives_the_interpreters_bits(void **state) {
  (void)state;
  enum { EACH = 3 };
  for (int code = 0; code < TL_OP_COUNT; code++) {
    if (!swept((tl_opcode)code)) continue;
    size_t made = 0;
    for (int dtype = 0; dtype <= TL_DTYPE_COUNT; dtype++) // the last: any mix
      for (uint64_t i = 0; i < (dtype == TL_DTYPE_F32 ? 8 * EACH : EACH); i++) {
        const uint64_t seed = (uint64_t)code * 10000 + (uint64_t)dtype * 100 + i;
        tl_module *m = one_op((tl_opcode)code, (tl_dtype)dtype, seed, i == EACH - 1);
        if (!m) continue;
        made++;
        if (!agrees(m, seed))
          fail_msg("%s, seed %llu", tl_op_get((tl_opcode)code)->mnemonic, (unsigned long long)seed);
        tl_module_destroy(m);
      }
    if (made < EACH)
      fail_msg("%s: %zu programs were made", tl_op_get((tl_opcode)code)->mnemonic, made);
  }
}

// What a row of lower.def may leave to the interpreter: the narrow formats' own
// bits (reduce_precision of a float of a byte); random bits of less than a byte.
static bool may_fall_back(const tl_op *op) {
  const tl_dtype_info *d = tl_dtype_get(op->results[op->n_results - 1]->type.dtype);
  return (op->code == TL_OP_REDUCE_PRECISION && d->kind == TL_KIND_FLOAT && d->bits <= 8) ||
         (op->code == TL_OP_RNG_BIT_GENERATOR && d->bits < 8);
}

// Of no other type does an op with a row in lower.def fall back unseen.
static void rows_of_lower_def_are_planned_natively(void **state) {
  (void)state;
  for (int code = 0; code < TL_OP_COUNT; code++) {
    if (!plan_lowering((tl_opcode)code) && !plan_looping((tl_opcode)code)) continue;
    if (!swept((tl_opcode)code)) continue;
    size_t native = 0;
    for (int dtype = 0; dtype < TL_DTYPE_COUNT; dtype++)
      for (uint64_t seed = 0; seed < (dtype == TL_DTYPE_F32 ? 40 : 6); seed++) {
        tl_module *m = one_op((tl_opcode)code, (tl_dtype)dtype, seed, false);
        if (!m) continue;
        tl_cpu_exe *exe = NULL;
        assert_ok(test_compile(test_devices[1].cpu, m, &exe));
        bool interpreted = false, excused = tl_op_get((tl_opcode)code)->traits & TL_NAMED;
        for (uint32_t i = 0; i < exe->n_steps; i++) {
          const plan_step *s = &exe->steps[i];
          if (!s->interpreted || s->op->code != (tl_opcode)code) continue;
          interpreted = true;
          excused |= may_fall_back(s->op);
        }
        if (interpreted && !excused) {
          test_print(m);
          fail_msg("%s of %s, seed %llu", tl_op_get((tl_opcode)code)->mnemonic,
                   tl_dtype_get((tl_dtype)dtype)->mlir, (unsigned long long)seed);
        }
        native += !interpreted && dtype == TL_DTYPE_F32;
        test_exe_release(exe);
        tl_module_destroy(m);
      }
    if (native < 8)
      fail_msg("%s: planned natively %zu times of 40", tl_op_get((tl_opcode)code)->mnemonic,
               native);
  }
}

// --- single cases that once were wrong ---

typedef struct fixture {
  tl_module *m;
  tl_builder b;
} fixture;

static fixture begin(void) {
  fixture f = {.m = tl_module_create()};
  assert_non_null(f.m);
  f.b = tl_func_begin(f.m, "main", false);
  return f;
}

static tl_value arg(fixture *f, tl_dtype dtype, const int64_t *dims, uint32_t rank) {
  return tl_func_arg(&f->b, tl_type_of(f->m->arena, dtype, dims, rank));
}
#define ARG(f, dtype, ...) \
  arg((f), (dtype), (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

// Ends @main, and runs it over these inputs everywhere.
static void check(fixture *f, const tl_value *results, uint32_t n, void *const *inputs) {
  tlo_return(&f->b, results, n);
  assert_ok(tl_builder_finish(&f->b));
  test_run t;
  test_rng r = {1};
  test_run_begin(&t, f->m->first, &r);
  for (uint32_t i = 0; i < t.fn->body->n_args; i++)
    if (inputs && inputs[i]) memcpy(t.in[i].data, inputs[i], type_size(t.in[i].type));
  assert_ok(tl_ref_run(t.fn, TL_REF_AS_TYPED, t.in, t.fn->body->n_args, t.arena, t.want, 0));
  test_run_everywhere(&t, f->m);
  if (t.failure[0]) {
    test_print(f->m);
    fail_msg("%s", t.failure);
  }
  test_run_end(&t);
  tl_module_destroy(f->m);
}

// Two tokens of one slot: the last one wins, whoever writes them.
static void the_last_of_equal_slots_wins(void **state) {
  (void)state;
  enum { T = 90 };
  int32_t slots[T];
  for (int i = 0; i < T; i++)
    slots[i] = i * 7 % 23 - 1;
  fixture f = begin();
  tl_value pool = ARG(&f, TL_DTYPE_F32, 12, 4, 2, 3), rows = ARG(&f, TL_DTYPE_F32, T, 2, 3),
           at = ARG(&f, TL_DTYPE_S32, T);
  f.b.fn->args[0].alias_output = 0;
  tl_value y = tlo_kv_cache_write(&f.b, pool, rows, at, 2);
  check(&f, &y, 1, (void *[]){NULL, NULL, slots});
}

// Rows that are slices of the pool itself must be read before they are overwritten.
static void a_pool_is_not_overwritten_by_its_own_rows(void **state) {
  (void)state;
  int32_t slots[] = {3, 2, 1, 0};
  fixture f = begin();
  tl_value pool = ARG(&f, TL_DTYPE_F32, 4, 1, 2, 3), at = ARG(&f, TL_DTYPE_S32, 4);
  f.b.fn->args[0].alias_output = 0;
  tl_value y =
      tlo_kv_cache_write(&f.b, pool, tlo_reshape(&f.b, pool, (int64_t[]){4, 2, 3}, 3), at, 0);
  check(&f, &y, 1, (void *[]){NULL, slots});
}

// Block numbers outside the pool are clamped together with the offset, keys and values each in its
// own way.
static void wild_block_numbers_are_clamped_as_gather_does(void **state) {
  (void)state;
  int32_t tables[] = {-1, 5, 70, 2, INT32_MIN, INT32_MAX, 3, 1}, lengths[] = {7, 8},
          rows[] = {1, -3};
  fixture f = begin();
  tl_value q = ARG(&f, TL_DTYPE_F32, 2, 6, 4), pool = ARG(&f, TL_DTYPE_F32, 6, 2, 3, 4),
           t = ARG(&f, TL_DTYPE_S32, 2, 4), l = ARG(&f, TL_DTYPE_S32, 2),
           r = ARG(&f, TL_DTYPE_S32, 2);
  tl_value y[] = {tlo_paged_attention(&f.b, q, pool, pool, t, l, r, 0.5, 1, 3),
                  tlo_paged_attention(&f.b, q, pool, pool, t, l, NULL, 0.5, 0, 0)};
  check(&f, y, 2, (void *[]){NULL, NULL, tables, lengths, rows});
}

// Rows whose tables no neighbour has are cut by blocks of keys: one alone, whole ones and pieces,
// beside rows that share a table, with no positions or a window; and more threads than blocks.
static void cut_rows_of_attention(bool narrow) {
  enum { N = 6, H = 10, KVH = 2, D = 64, BS = 16, M = 22, BLOCKS = 40 };
  static const int32_t lengths[][N] = {
      {340}, {63}, {100}, {65, 0, 352, 1, 350, 349}, {300, 2, 64, 129, 7, 8}, {0, 190, 0, 0, 9, 9}};
  static float q[N * H * D], pool[BLOCKS * BS * KVH * D];
  static uint16_t narrow_q[N * H * D], narrow_pool[BLOCKS * BS * KVH * D];
  int32_t tables[N * M], rows[N] = {3, 1, 0, 4, 2, 2}; // the last two share one
  test_rng r = {7};
  for (size_t i = 0; i < TL_COUNT(pool); i++)
    pool[i] = (float)(int32_t)rng_u64(&r) * 0x1p-31f;
  for (size_t i = 0; i < TL_COUNT(q); i++)
    q[i] = (float)(int32_t)rng_u64(&r) * 0x1p-30f;
  for (size_t i = 0; i < TL_COUNT(pool); i++)
    narrow_pool[i] = tl_bf16_of_f32(pool[i]);
  for (size_t i = 0; i < TL_COUNT(q); i++)
    narrow_q[i] = tl_bf16_of_f32(q[i]);
  const tl_dtype dtype = narrow ? TL_DTYPE_BF16 : TL_DTYPE_F32;
  for (size_t i = 0; i < TL_COUNT(tables); i++)
    tables[i] = (int32_t)rng_below(&r, BLOCKS);
  test_device *many = &test_devices[test_n_devices];
  many->name = "5 threads";
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 5}, &many->cpu));
  test_n_devices++;
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (int64_t window = 0; window <= 100; window += 100) {
      const int64_t n = i < 3 ? 1 : N;
      fixture f = begin();
      tl_value x = ARG(&f, dtype, n, H, D), p = ARG(&f, dtype, BLOCKS, BS, KVH, D),
               t = ARG(&f, TL_DTYPE_S32, n, M), l = ARG(&f, TL_DTYPE_S32, n),
               at = ARG(&f, TL_DTYPE_S32, n);
      tl_value y = tlo_paged_attention(&f.b, x, p, p, t, l, at, 0.125, 0, 0);
      if (window) tl_op_set_i64(y->op, TL_A_PAGED_ATTENTION_sliding_window, window);
      check(&f, &y, 1,
            (void *[]){narrow ? (void *)narrow_q : q, narrow ? (void *)narrow_pool : pool, tables,
                       (void *)(uintptr_t)lengths[i], rows});
    }
  tl_cpu_release(test_devices[--test_n_devices].cpu);
}
static void rows_of_attention_are_cut_by_blocks(void **state) {
  (void)state;
  cut_rows_of_attention(false);
  cut_rows_of_attention(true);
}

// A packed matrix at any byte of a longer row, and wider elements out of an odd place.
static void bytes_may_lie_anywhere(void **state) {
  (void)state;
  for (int64_t at = 0; at < 5; at++) {
    fixture f = begin();
    tl_value bytes = ARG(&f, TL_DTYPE_U8, 400), x = ARG(&f, TL_DTYPE_F32, 1, 32),
             ids = ARG(&f, TL_DTYPE_S32, 3);
    tl_value w = tlo_slice(&f.b, bytes, &at, (int64_t[]){at + 352}, NULL);
    w = tlo_reshape(&f.b, w, (int64_t[]){1, 352}, 2);
    tl_value word = tlo_slice(&f.b, bytes, &at, (int64_t[]){at + 4}, NULL);
    tl_value y[] = {tlo_quantized_matmul(&f.b, x, w, TL_FORMAT_Q5_0, 13),
                    tlo_quantized_embedding(&f.b, w, ids, TL_FORMAT_Q5_0, 13, 32),
                    tlo_bitcast(&f.b, word, tl_type_scalar(TL_DTYPE_S32))};
    y[2] = tlo_add(&f.b, y[2], y[2]);
    check(&f, y, 3, NULL);
  }
}

// A dot of one row is divided by columns, of many by rows, of many batches by batch.
static void dots_are_divided_every_way(void **state) {
  (void)state;
  static const int64_t sizes[][4] = {
      {1, 1, 200, 70}, {1, 40, 3, 9}, {5, 4, 4, 130}, {2, 70, 90, 5}};
  for (size_t i = 0; i < TL_COUNT(sizes); i++) {
    const int64_t *s = sizes[i]; // batch, m, n, k
    fixture f = begin();
    tl_value a = ARG(&f, TL_DTYPE_F32, s[0], s[1], s[3]),
             b = ARG(&f, TL_DTYPE_F32, s[0], s[3], s[2]);
    tl_value y =
        tlo_dot(&f.b, a, b, (int64_t[]){0}, (int64_t[]){0}, 1, (int64_t[]){2}, (int64_t[]){1}, 1);
    check(&f, &y, 1, NULL);
  }
}

// A loop over f32 [n] and a counter: `body` makes the next value from the present one.
static tl_value loop(fixture *f, tl_value init, int64_t times,
                     tl_value (*body)(tl_builder *, tl_value, void *), void *around) {
  const tl_value zero = tlo_constant_i64(&f->b, tl_type_scalar(TL_DTYPE_S32), 0);
  tl_op *op = tl_op_begin(&f->b, TL_OP_WHILE, (tl_value[]){zero, init}, 2);
  for (int region = 0; region < 2; region++) {
    tl_block *block = tl_op_add_region(&f->b, op);
    tl_value i = tl_block_arg(&f->b, block, zero->type), x = tl_block_arg(&f->b, block, init->type);
    tl_builder in = tl_builder_at(&f->b, block);
    tl_value results[2];
    if (region == 0) {
      results[0] =
          tlo_compare(&in, TL_COMPARISON_DIRECTION_LT, i, tlo_constant_i64(&in, i->type, times));
    } else {
      results[1] = body(&in, x, around);
      results[0] = tlo_add(&in, i, tlo_constant_i64(&in, i->type, 1));
    }
    tlo_return(&in, results, region == 0 ? 1 : 2);
    tl_builder_join(&f->b, &in);
  }
  op = tl_op_finish(&f->b, op, NULL, 0);
  assert_non_null(op);
  return op->results[1];
}

static tl_value uses_it_first(tl_builder *b, tl_value x, void *around) {
  tl_value a = tlo_add(b, x, around); // its last use; what follows needs memory
  tl_value c = tlo_unary(b, TL_OP_TANH, a), d = tlo_unary(b, TL_OP_LOGISTIC, a);
  return tlo_add(b, tlo_mul(b, c, d), a);
}

static tl_value uses_it_last(tl_builder *b, tl_value x, void *around) {
  for (int i = 0; i < 4; i++)
    x = tlo_unary(b, TL_OP_TANH, x);
  return tlo_add(b, x,
                 tlo_unary(b, TL_OP_NEGATE, around)); // not in its place: the next round wants it
}

// What a loop reads from around it is there in every round.
static void what_a_loop_reads_lives_as_long_as_the_loop(void **state) {
  (void)state;
  for (int last = 0; last < 2; last++) {
    fixture f = begin();
    tl_value x = ARG(&f, TL_DTYPE_F32, 50),
             around = tlo_unary(&f.b, TL_OP_TANH, ARG(&f, TL_DTYPE_F32, 50));
    tl_value y = loop(&f, x, 4, last ? uses_it_last : uses_it_first, around);
    check(&f, &y, 1, NULL);
  }
}

// A norm that each thread makes for itself is nobody's to overwrite by parts.
static void a_norm_of_each_thread_is_whole(void **state) {
  (void)state;
  fixture f = begin();
  tl_value x = ARG(&f, TL_DTYPE_F32, 200), w = ARG(&f, TL_DTYPE_F32, 200);
  tl_value h = tlo_rms_norm(&f.b, x, w, 1e-5);
  tl_value sum = tlo_add(&f.b, h, w); // over h, by parts
  tl_value halves = tlo_reshape(&f.b, sum, (int64_t[]){2, 100}, 2);
  tl_value y = tlo_transpose(&f.b, halves, (int64_t[]){1, 0}); // reads what other parts wrote
  check(&f, &y, 1, NULL);
}

// Reductions and products of up to four terms are expressions (nest_few.c), with and without others
// around them; of zeros too, whose sign depends on where a sum begins.
static void sums_of_few_terms(void **state) {
  (void)state;
  static const tl_dtype dtypes[] = {TL_DTYPE_F32, TL_DTYPE_F64, TL_DTYPE_BF16, TL_DTYPE_F16,
                                    TL_DTYPE_S32};
  static const tl_opcode ops[] = {TL_OP_ADD, TL_OP_MULTIPLY, TL_OP_MAXIMUM, TL_OP_MINIMUM};
  static const double inits[] = {0.0, -0.0, 1.5};
  for (size_t d = 0; d < TL_COUNT(dtypes); d++)
    for (int64_t k = 1; k <= 5; k++)
      for (size_t zeros = 0; zeros < 2; zeros++) {
        fixture f = begin();
        tl_value x = ARG(&f, dtypes[d], 37, k), w = ARG(&f, dtypes[d], 37), y[24];
        const tl_type scalar = tl_type_scalar(dtypes[d]);
        uint32_t n = 0;
        for (size_t i = 0; i < TL_COUNT(ops); i++)
          for (size_t c = 0; c < TL_COUNT(inits); c++) {
            tl_value init = dtypes[d] == TL_DTYPE_S32
                                ? tlo_constant_i64(&f.b, scalar, (int64_t)inits[c])
                                : tlo_constant_f64(&f.b, scalar, inits[c]);
            tl_value sum = tlo_reduce(&f.b, x, init, (int64_t[]){1}, 1, ops[i]);
            y[n++] = sum;
            sum =
                tlo_reduce(&f.b, tlo_unary(&f.b, TL_OP_NEGATE, x), init, (int64_t[]){1}, 1, ops[i]);
            y[n++] = tlo_unary(&f.b, TL_OP_NEGATE, tlo_mul(&f.b, sum, w));
          }
        void *minus = test_memory(37 * 5 * 8);
        memset(minus, 0, 37 * 5 * 8);
        const size_t size = tl_dtype_get(dtypes[d])->size;
        for (size_t i = 0; i < 37 * (size_t)k; i++) // -0, and now and then +0
          if (i % 7 != 6) ((uint8_t *)minus)[i * size + size - 1] = 0x80;
        check(&f, y, n, (void *[]){zeros ? minus : NULL, NULL});
        free(minus);
      }
}

static void products_of_few_terms(void **state) {
  (void)state;
  for (int wide = 0; wide < 2; wide++)
    for (int64_t k = 1; k <= 5; k++)
      for (int64_t m = 1; m <= 18; m += 17) {
        fixture f = begin();
        const tl_dtype d = wide ? TL_DTYPE_F64 : TL_DTYPE_F32;
        tl_value a = ARG(&f, d, 9, m, k), b = ARG(&f, d, 9, k, 7), w = ARG(&f, d, 9, m, 7), y[3];
        for (int i = 0; i < 3; i++) {
          y[i] = tlo_dot(&f.b, i ? tlo_unary(&f.b, TL_OP_NEGATE, a) : a, b, (int64_t[]){0},
                         (int64_t[]){0}, 1, (int64_t[]){2}, (int64_t[]){1}, 1);
          if (i == 2) y[i] = tlo_sub(&f.b, w, y[i]);
        }
        check(&f, y, 3, NULL);
      }
}

// A cross product: slices of slices in several pieces, which one nest writes side by side.
static void pieces_are_written_together(void **state) {
  (void)state;
  fixture f = begin();
  tl_value v[2] = {ARG(&f, TL_DTYPE_F64, 50, 5, 3), ARG(&f, TL_DTYPE_F64, 50, 5, 3)}, part[2][3],
           pieces[3], y[2];
  for (int i = 0; i < 2; i++)
    for (int64_t k = 0; k < 3; k++)
      part[i][k] = tlo_slice(&f.b, tlo_unary(&f.b, TL_OP_NEGATE, v[i]), (int64_t[]){0, 0, k},
                             (int64_t[]){50, 5, k + 1}, NULL);
  for (int k = 0; k < 3; k++) {
    const int p = (k + 1) % 3, q = (k + 2) % 3;
    pieces[k] =
        tlo_sub(&f.b, tlo_mul(&f.b, part[0][p], part[1][q]), tlo_mul(&f.b, part[0][q], part[1][p]));
  }
  y[0] = tlo_concat(&f.b, pieces, 3, 2);
  pieces[1] = tlo_concat(&f.b, pieces + 1, 2, 2); // of several sizes: a nest each
  y[1] = tlo_concat(&f.b, pieces, 2, 2);
  check(&f, y, 2, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_of_few_terms),
      cmocka_unit_test(products_of_few_terms),
      cmocka_unit_test(pieces_are_written_together),
      cmocka_unit_test(every_row_gives_the_interpreters_bits),
      cmocka_unit_test(rows_of_lower_def_are_planned_natively),
      cmocka_unit_test(the_last_of_equal_slots_wins),
      cmocka_unit_test(a_pool_is_not_overwritten_by_its_own_rows),
      cmocka_unit_test(wild_block_numbers_are_clamped_as_gather_does),
      cmocka_unit_test(rows_of_attention_are_cut_by_blocks),
      cmocka_unit_test(bytes_may_lie_anywhere),
      cmocka_unit_test(dots_are_divided_every_way),
      cmocka_unit_test(what_a_loop_reads_lives_as_long_as_the_loop),
      cmocka_unit_test(a_norm_of_each_thread_is_whole)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
