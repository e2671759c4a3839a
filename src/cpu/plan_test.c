// What a plan is, beyond its results: what lies where, what is copied, how often threads wait, what
// is refused and what failure leaves behind.
#define TL_TEST_OOM_IMPL
#include "cpu/testing_programs.h"

typedef struct fixture {
  tl_module *m;
  tl_builder b;
  tl_cpu_exe *exe;
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

static void finish(fixture *f, const tl_value *results, uint32_t n, size_t device) {
  tlo_return(&f->b, results, n);
  assert_ok(tl_builder_finish(&f->b));
  assert_ok(tl_cpu_compile(test_devices[device].cpu, f->m, TL_STR("main"), &f->exe));
}

static void end(fixture *f) { tl_cpu_exe_release(f->exe); }

static size_t count(const tl_cpu_exe *exe, const char *what) {
  size_t n = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    n += strcmp(exe->steps[i].what, what) == 0;
  return n;
}

// --- rounds of integers ---

static tl_value rotated(tl_builder *b, tl_value x, int by) {
  return tlo_binary(
      b, TL_OP_OR, tlo_binary(b, TL_OP_SHIFT_LEFT, x, tlo_constant_i64(b, x->type, by)),
      tlo_binary(b, TL_OP_SHIFT_RIGHT_LOGICAL, x, tlo_constant_i64(b, x->type, 32 - by)));
}

// Twenty rounds of threefry, whose values are all used twice.
static void a_hash_is_one_program(void **state) {
  (void)state;
  static const int turns[] = {13, 15, 26, 6, 17, 29, 16, 24};
  enum { N = 70 };
  fixture f = begin();
  tl_value a = ARG(&f, TL_DTYPE_U32, N), b = ARG(&f, TL_DTYPE_U32, N);
  for (int i = 0; i < 20; i++) {
    a = tlo_add(&f.b, a, b);
    b = tlo_binary(&f.b, TL_OP_XOR, rotated(&f.b, b, turns[i % 8]), a);
    if (i % 4 == 3) b = tlo_add(&f.b, b, tlo_constant_i64(&f.b, b->type, i));
  }
  tl_value z = tlo_binary(&f.b, TL_OP_XOR, a, b);
  finish(&f, &z, 1, 0);
  assert_int_equal(f.exe->n_steps, 1);
  uint32_t *x = test_memory(4 * N), *y = test_memory(4 * N), *out = test_memory(4 * N);
  for (uint32_t i = 0; i < N; i++)
    x[i] = i * 2654435761u, y[i] = i;
  assert_ok(tl_cpu_execute(f.exe, (const void *[]){x, y}, (void *[]){out}));
  for (uint32_t i = 0; i < N; i++) {
    uint32_t p = x[i], q = y[i];
    for (uint32_t r = 0; r < 20; r++) {
      p += q;
      q = (q << turns[r % 8] | q >> (32 - turns[r % 8])) ^ p;
      if (r % 4 == 3) q += r;
    }
    assert_int_equal(out[i], p ^ q);
  }
  free(x), free(y), free(out);
  end(&f);
}

// --- donation ---

static void donated_sums_are_in_place(void **state) {
  (void)state;
  for (int donated = 0; donated < 2; donated++) {
    fixture f = begin();
    tl_value x = ARG(&f, TL_DTYPE_F32, 33), y = ARG(&f, TL_DTYPE_F32, 33);
    if (donated) f.b.fn->args[0].alias_output = 0;
    tl_value z = tlo_mul(&f.b, tlo_add(&f.b, x, y), y);
    finish(&f, &z, 1, 0);
    assert_int_equal(f.exe->n_steps, 1); // fused, and no copies either way
    for (int in_place = 0; in_place < 2; in_place++) {
      float *a = test_memory(33 * 4), *b = test_memory(33 * 4), *c = test_memory(33 * 4);
      for (int i = 0; i < 33; i++)
        a[i] = (float)i, b[i] = 2.0f;
      void *out = in_place && donated ? a : c;
      assert_ok(tl_cpu_execute(f.exe, (const void *[]){a, b}, &out));
      for (int i = 0; i < 33; i++) {
        assert_true(((float *)out)[i] == ((float)i + 2.0f) * 2.0f);
        if (out != a) assert_true(a[i] == (float)i); // the control: elsewhere, x is as it was
      }
      free(a), free(b), free(c);
    }
    end(&f);
  }
}

// kv_cache_write into a donated pool touches the written rows alone; without the alias the pool is
// copied first.
static void pools_are_written_in_place(void **state) {
  (void)state;
  for (int donated = 0; donated < 2; donated++) {
    fixture f = begin();
    tl_value pool = ARG(&f, TL_DTYPE_F32, 8, 2, 1, 4), rows = ARG(&f, TL_DTYPE_F32, 2, 1, 4),
             slots = ARG(&f, TL_DTYPE_S32, 2);
    if (donated) f.b.fn->args[0].alias_output = 0;
    tl_value y = tlo_kv_cache_write(&f.b, pool, rows, slots, 0);
    y = tlo_kv_cache_write(&f.b, y, rows, slots, 3);
    finish(&f, &y, 1, 0);
    assert_int_equal(count(f.exe, "kv_cache_write"), 2);
    assert_int_equal(count(f.exe, "copy"), donated ? 0 : 1);
    end(&f);
  }
}

// Where the old pool is read after the write, it must be another memory, and stay as it was.
static void an_old_value_that_is_still_wanted_is_kept(void **state) {
  (void)state;
  fixture f = begin();
  tl_value pool = ARG(&f, TL_DTYPE_F32, 2, 2, 1, 4), rows = ARG(&f, TL_DTYPE_F32, 1, 1, 4),
           slots = ARG(&f, TL_DTYPE_S32, 1);
  f.b.fn->args[0].alias_output = 0;
  tl_value written = tlo_kv_cache_write(&f.b, pool, rows, slots, 0);
  tl_value old = tlo_add(&f.b, pool, pool);
  finish(&f, (tl_value[]){written, old}, 2, 0);
  float *p = test_memory(64), *r = test_memory(16), *o = test_memory(64);
  int32_t *s = test_memory(4);
  for (int i = 0; i < 16; i++)
    p[i] = (float)i;
  for (int i = 0; i < 4; i++)
    r[i] = -1.0f;
  *s = 2;
  assert_ok(tl_cpu_execute(f.exe, (const void *[]){p, r, s}, (void *[]){p, o}));
  for (int i = 0; i < 16; i++) {
    assert_true(p[i] == (i / 4 == 2 ? -1.0f : (float)i));
    assert_true(o[i] == 2.0f * (float)i);
  }
  free(p), free(r), free(s), free(o);
  end(&f);
}

// Exchanged parameters, one value twice, a parameter as another's result.
static void results_may_be_parameters_in_any_order(void **state) {
  (void)state;
  fixture f = begin();
  tl_value x = ARG(&f, TL_DTYPE_F32, 5), y = ARG(&f, TL_DTYPE_F32, 5);
  f.b.fn->args[0].alias_output = 0;
  f.b.fn->args[1].alias_output = 1;
  finish(&f, (tl_value[]){y, x, x}, 3, 0);
  float *a = test_memory(20), *b = test_memory(20), *c = test_memory(20);
  for (int i = 0; i < 5; i++)
    a[i] = 1.0f, b[i] = 2.0f;
  assert_ok(tl_cpu_execute(f.exe, (const void *[]){a, b}, (void *[]){a, b, c}));
  for (int i = 0; i < 5; i++)
    assert_true(a[i] == 2.0f && b[i] == 1.0f && c[i] == 1.0f);
  free(a), free(b), free(c);
  end(&f);
}

// --- fusion ---

// What several ops of one nest use is computed there, once; what ends in several nests is in
// memory.
static void shared_values_are_computed_once(void **state) {
  (void)state;
  fixture f = begin();
  tl_value x = ARG(&f, TL_DTYPE_F32, 40), a = x;
  for (int i = 0; i < 9; i++) // as text each round doubles what the one before is
    a = tlo_sub(&f.b, tlo_mul(&f.b, a, x), tlo_add(&f.b, a, x));
  finish(&f, &a, 1, 0);
  assert_int_equal(f.exe->n_steps, 1);
  float *in = test_memory(160), *out = test_memory(160);
  for (int i = 0; i < 40; i++)
    in[i] = (float)(i - 20) / 16.0f;
  assert_ok(tl_cpu_execute(f.exe, (const void *[]){in}, (void *[]){out}));
  for (int i = 0; i < 40; i++) {
    float want = in[i];
    for (int k = 0; k < 9; k++)
      want = want * in[i] - (want + in[i]);
    assert_memory_equal(&out[i], &want, 4);
  }
  free(in), free(out);
  end(&f);
}

// One operation on one large operand is repeated in each nest that wants it; a division is not.
static void cheap_values_are_computed_where_they_are_used(void **state) {
  (void)state;
  for (int cheap = 0; cheap < 2; cheap++) {
    fixture f = begin();
    tl_value x = ARG(&f, TL_DTYPE_F32, 40, 30), m = ARG(&f, TL_DTYPE_F32, 40);
    tl_type t = x->type;
    tl_value wide = tlo_broadcast(&f.b, m, t, (int64_t[]){0});
    tl_value d = cheap ? tlo_sub(&f.b, x, wide) : tlo_div(&f.b, x, wide);
    tl_value zero = tlo_constant_f64(&f.b, tl_type_scalar(TL_DTYPE_F32), 0),
             y[] = {tlo_reduce(&f.b, tlo_mul(&f.b, d, d), zero, (int64_t[]){1}, 1, TL_OP_ADD),
                    tlo_mul(&f.b, d, x)};
    finish(&f, y, 2, 0);
    assert_int_equal(f.exe->n_steps, cheap ? 2 : 3);
    end(&f);
  }
}

// A cross product of vectors in memory: its slices are read where they are wanted, and its pieces
// are one nest; a squared length, the root of it and what is divided by that are another.
static void vectors_of_few_elements_fuse(void **state) {
  (void)state;
  fixture f = begin();
  tl_value v[2] = {ARG(&f, TL_DTYPE_F32, 100, 3), ARG(&f, TL_DTYPE_F32, 100, 3)}, part[2][3],
           pieces[3], y[2];
  for (int i = 0; i < 2; i++)
    for (int64_t k = 0; k < 3; k++)
      part[i][k] = tlo_slice(&f.b, v[i], (int64_t[]){0, k}, (int64_t[]){100, k + 1}, NULL);
  for (int k = 0; k < 3; k++) {
    const int p = (k + 1) % 3, q = (k + 2) % 3;
    pieces[k] =
        tlo_sub(&f.b, tlo_mul(&f.b, part[0][p], part[1][q]), tlo_mul(&f.b, part[0][q], part[1][p]));
  }
  y[0] = tlo_concat(&f.b, pieces, 3, 1);
  tl_value zero = tlo_constant_f64(&f.b, tl_type_scalar(TL_DTYPE_F32), 0);
  tl_value sum = tlo_reduce(&f.b, tlo_mul(&f.b, v[0], v[0]), zero, (int64_t[]){1}, 1, TL_OP_ADD);
  y[1] = tlo_div(&f.b, sum, tlo_unary(&f.b, TL_OP_SQRT, sum));
  finish(&f, y, 2, 0);
  assert_int_equal(f.exe->n_steps, 2);
  end(&f);
}

// --- counts ---

static const char *const count_text =
    "module {\n"
    "  func.func @main(%0: tensor<50xi32>, %1: tensor<40000x1xi32>, %2: tensor<40000xi32>) -> "
    "tensor<50xi32> {\n"
    "    %3 = \"stablehlo.scatter\"(%0, %1, %2) <{scatter_dimension_numbers = "
    "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1>}> ({\n"
    "    ^bb0(%4: tensor<i32>, %5: tensor<i32>):\n"
    "      %6 = stablehlo.add %4, %5 : tensor<i32>\n"
    "      stablehlo.return %6 : tensor<i32>\n"
    "    }) : (tensor<50xi32>, tensor<40000x1xi32>, tensor<40000xi32>) -> tensor<50xi32>\n"
    "    return %3 : tensor<50xi32>\n"
    "  }\n"
    "}\n";

// Integers summed into few elements go in slices, which threads share; what lies outside is
// nowhere.
static void counts_go_in_slices(void **state) {
  (void)state;
  enum { N = 40000, BINS = 50 };
  for (size_t d = 0; d < test_n_devices; d++) {
    tl_diags diags = {0};
    tl_module *m = NULL;
    assert_ok(tl_shlo_parse(tl_str_of(count_text), "test.mlir", &diags, &m));
    tl_diags_deinit(&diags);
    tl_cpu_exe *exe = NULL;
    assert_ok(tl_cpu_compile(test_devices[d].cpu, m, TL_STR("main"), &exe));
    assert_int_equal(count(exe, "scatter"), 2);
    int32_t *x = test_memory(BINS * 4), *at = test_memory(N * 4), *by = test_memory(N * 4),
            *y = test_memory(BINS * 4), want[BINS];
    for (int i = 0; i < BINS; i++)
      want[i] = x[i] = i * 7;
    for (int i = 0; i < N; i++) {
      at[i] = (int32_t)((uint32_t)i * 2654435761u >> 26) - 3; // -3 ... 60
      by[i] = i % 5 - 1 + (i % 100 == 0 ? INT32_MAX : 0);
      if (at[i] >= 0 && at[i] < BINS)
        want[at[i]] = (int32_t)((uint32_t)want[at[i]] + (uint32_t)by[i]);
    }
    assert_ok(tl_cpu_execute(exe, (const void *[]){x, at, by}, (void *[]){y}));
    assert_memory_equal(y, want, sizeof want);
    free(x), free(at), free(by), free(y);
    tl_cpu_exe_release(exe);
  }
}

// --- composites ---

static const char *const softmax_text =
    "module {\n"
    "  func.func @main(%0: tensor<3xf32>) -> tensor<3xf32> {\n"
    "    %1 = stablehlo.composite \"tlaloc.softmax\" %0 {composite_attributes = {axis = 0 : i64}, "
    "decomposition = @other, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>\n"
    "    return %1 : tensor<3xf32>\n"
    "  }\n"
    "  func.func private @other(%0: tensor<3xf32>) -> tensor<3xf32> {\n"
    "    %1 = stablehlo.negate %0 : tensor<3xf32>\n"
    "    return %1 : tensor<3xf32>\n"
    "  }\n"
    "}\n";

// A composite that only calls itself softmax is what its body says.
static void a_false_name_claims_no_kernel(void **state) {
  (void)state;
  tl_diags diags = {0};
  tl_module *m = NULL;
  assert_ok(tl_shlo_parse(tl_str_of(softmax_text), "test.mlir", &diags, &m));
  tl_diags_deinit(&diags);
  tl_cpu_exe *exe = NULL;
  assert_ok(tl_cpu_compile(test_devices[1].cpu, m, TL_STR("main"), &exe));
  assert_int_equal(count(exe, "softmax"), 0);
  float *x = test_memory(12), *y = test_memory(12);
  x[0] = 1.0f, x[1] = -2.0f, x[2] = 3.0f;
  assert_ok(tl_cpu_execute(exe, (const void *[]){x}, (void *[]){y}));
  for (int i = 0; i < 3; i++)
    assert_true(y[i] == -x[i]);
  free(x), free(y);
  tl_cpu_exe_release(exe);

  // The control: the true name, printed and read again, gets the kernel.
  fixture f = begin();
  tl_value v = tlo_softmax(&f.b, ARG(&f, TL_DTYPE_F32, 3), 0);
  tlo_return(&f.b, &v, 1);
  assert_ok(tl_builder_finish(&f.b));
  tl_buf text = {0};
  assert_ok(tl_shlo_print(f.m, NULL, &text));
  tl_module_destroy(f.m);
  assert_ok(tl_shlo_parse(tl_buf_view(&text), "test.mlir", &diags, &m));
  tl_buf_deinit(&text);
  tl_diags_deinit(&diags);
  assert_ok(tl_cpu_compile(test_devices[1].cpu, m, TL_STR("main"), &exe));
  assert_int_equal(count(exe, "softmax"), 1);
  tl_cpu_exe_release(exe);
}

// --- a decoder layer ---

enum { H = 256, FFN = 512, HEADS = 4, KV_HEADS = 2, D = 64, PAGES = 8, BLOCK = 16 };

typedef struct layer_args {
  tl_value pool, slots, positions, tables, lengths, rows, cos, sin, norm, q, k, v, o, gate, up,
      down;
} layer_args;

static tl_value project(tl_builder *b, tl_value x, tl_value w, int64_t rows) {
  return tlo_quantized_matmul(b, x, w, TL_FORMAT_Q4_1, rows);
}

static tl_value layer(tl_builder *b, layer_args *a, tl_value x, int64_t T, int64_t at) {
  tl_value h = tlo_rms_norm(b, x, a->norm, 1e-5);
  tl_value q = tlo_reshape(b, project(b, h, a->q, HEADS * D), (int64_t[]){T, HEADS, D}, 3);
  tl_value k = tlo_reshape(b, project(b, h, a->k, KV_HEADS * D), (int64_t[]){T, KV_HEADS, D}, 3);
  tl_value v = tlo_reshape(b, project(b, h, a->v, KV_HEADS * D), (int64_t[]){T, KV_HEADS, D}, 3);
  q = tlo_rope(b, q, a->cos, a->sin, a->positions);
  k = tlo_rope(b, k, a->cos, a->sin, a->positions);
  a->pool = tlo_kv_cache_write(b, a->pool, k, a->slots, at);
  a->pool = tlo_kv_cache_write(b, a->pool, v, a->slots, at + PAGES);
  tl_value y = tlo_paged_attention(b, q, a->pool, a->pool, a->tables, a->lengths, a->rows, 0.125,
                                   at, at + PAGES);
  y = tlo_reshape(b, y, (int64_t[]){T, HEADS * D}, 2);
  x = tlo_add(b, x, project(b, y, a->o, H));
  h = tlo_rms_norm(b, x, a->norm, 1e-5);
  y = tlo_swiglu(b, project(b, h, a->gate, FFN), project(b, h, a->up, FFN));
  return tlo_add(b, x, project(b, y, a->down, H));
}

static tl_value packed(fixture *f, int64_t rows, int64_t k) {
  size_t group = 0;
  assert_true(tl_format_group_size(TL_FORMAT_Q4_1, (size_t)k, &group));
  return ARG(f, TL_DTYPE_U8, rows / 16, (int64_t)group);
}

// n layers of T tokens, the pool donated. Not for eager devices: what is serial in earnest must be.
static void layers(fixture *f, int64_t T, int n, size_t device) {
  *f = begin();
  layer_args a = {.pool = ARG(f, TL_DTYPE_F32, 2 * n * PAGES, BLOCK, KV_HEADS, D)};
  f->b.fn->args[0].alias_output = 1;
  tl_value x = ARG(f, TL_DTYPE_F32, T, H);
  a.slots = ARG(f, TL_DTYPE_S32, T), a.positions = ARG(f, TL_DTYPE_S32, T);
  a.lengths = ARG(f, TL_DTYPE_S32, T), a.rows = ARG(f, TL_DTYPE_S32, T);
  a.tables = ARG(f, TL_DTYPE_S32, 2, PAGES);
  a.cos = ARG(f, TL_DTYPE_F32, 128, D / 2), a.sin = ARG(f, TL_DTYPE_F32, 128, D / 2);
  a.norm = ARG(f, TL_DTYPE_F32, H);
  a.q = packed(f, HEADS * D, H), a.k = packed(f, KV_HEADS * D, H), a.v = packed(f, KV_HEADS * D, H);
  a.o = packed(f, H, HEADS * D), a.gate = packed(f, FFN, H), a.up = packed(f, FFN, H);
  a.down = packed(f, H, FFN);
  for (int l = 0; l < n; l++)
    x = layer(&f->b, &a, x, T, 2 * l * PAGES);
  test_devices[device].cpu->eager = false;
  finish(f, (tl_value[]){x, a.pool}, 2, device);
  test_devices[device].cpu->eager = true;
}

static size_t count_barriers(const tl_cpu_exe *exe) {
  size_t n = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    n += exe->steps[i].barrier;
  return n;
}

// A layer has 17 steps. Of one token threads wait six times for one another (plan.h draws where);
// of several as often, of many some steps more wait for memory that is used again.
static void a_decoding_layer_waits_six_times(void **state) {
  (void)state;
  static const struct {
    int64_t T;
    size_t barriers; // at most, in a layer
  } rows[] = {{1, 6}, {4, 6}, {64, 10}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    fixture two, ten;
    layers(&two, rows[i].T, 2, 2);
    layers(&ten, rows[i].T, 10, 2);
    assert_int_equal(two.exe->n_steps, 2 * 17);
    assert_int_equal(ten.exe->n_steps, 10 * 17);
    assert_int_equal(tl_cpu_exe_n_interpreted(ten.exe), 0);
    assert_int_equal(count(ten.exe, "copy"), 0); // the pool stays where it is
    const size_t each = (count_barriers(ten.exe) - count_barriers(two.exe)) / 8;
    if (each > rows[i].barriers) {
      tl_buf text = {0};
      tl_cpu_exe_explain(two.exe, NULL, &text);
      fprintf(stderr, "%s", text.ptr);
      tl_buf_deinit(&text);
    }
    assert_in_range(each, 6, rows[i].barriers);
    assert_int_equal(ten.exe->temp_size, two.exe->temp_size); // temporaries are used again
    end(&two);
    end(&ten);
  }
}

// The same layers on one thread and on several, with steps of every kind: not eager, so that serial
// steps, steps that each thread does, and parallel ones meet.
static void layers_give_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  for (int64_t T = 1; T <= 5; T += 2) {
    fixture f;
    layers(&f, T, 3, 1);
    test_run t;
    test_rng r = {(uint64_t)T};
    test_run_begin(&t, f.exe->func, &r);
    for (size_t d = 0; d < test_n_devices && !t.failure[0]; d++) {
      tl_cpu_exe *exe = NULL;
      test_devices[d].cpu->eager = false;
      assert_ok(test_compile(test_devices[d].cpu, f.m, &exe));
      test_devices[d].cpu->eager = true;
      for (int i = 0; i < 8 && !t.failure[0]; i++)
        test_run_native(&t, exe, test_devices[d].name, i % 2);
      if (d >= 2 && T == 1) { // the norms are what each thread does
        size_t each = 0;
        for (uint32_t i = 0; i < exe->n_steps; i++)
          each += exe->steps[i].each;
        assert_int_equal(each, 2 * 3);
      }
      test_exe_release(exe);
    }
    if (t.failure[0]) fail_msg("%s", t.failure);
    test_run_end(&t);
    end(&f);
  }
}

// --- refusals and failure ---

// reduce over x by a + (what `around` makes of c, from around the region).
static fixture reduce_with_capture(tl_value (*around)(tl_builder *, tl_value), uint32_t rank) {
  fixture f = begin();
  tl_value x = ARG(&f, TL_DTYPE_F32, 4), zero = tl_func_arg(&f.b, tl_type_scalar(TL_DTYPE_F32)),
           c = arg(&f, TL_DTYPE_F32, (int64_t[]){1}, rank);
  tl_op *op = tl_op_begin(&f.b, TL_OP_REDUCE, (tl_value[]){x, zero}, 2);
  tl_op_set_list(&f.b, op, TL_A_REDUCE_dimensions, (int64_t[]){0}, 1);
  tl_block *block = tl_op_add_region(&f.b, op);
  tl_value a = tl_block_arg(&f.b, block, zero->type), e = tl_block_arg(&f.b, block, zero->type);
  tl_builder in = tl_builder_at(&f.b, block);
  tl_value sum = tlo_add(&in, a, tlo_mul(&in, e, around(&in, c)));
  tlo_return(&in, &sum, 1);
  tl_builder_join(&f.b, &in);
  op = tl_op_finish(&f.b, op, NULL, 0);
  assert_non_null(op);
  tlo_return(&f.b, op->results, 1);
  assert_ok(tl_builder_finish(&f.b));
  return f;
}
static tl_value as_it_is(tl_builder *b, tl_value c) { return (void)b, c; }
static tl_value its_only_element(tl_builder *b, tl_value c) { return tlo_reshape(b, c, NULL, 0); }

// A scalar from around a region is an operand of its nest; what only the interpreter could run is
// refused, since it is given operands alone.
static void a_captured_value_is_taken_or_refused_by_name(void **state) {
  (void)state;
  fixture f = reduce_with_capture(as_it_is, 0);
  assert_ok(tl_cpu_compile(test_devices[0].cpu, f.m, TL_STR("main"), &f.exe));
  float *x = test_memory(16), *zero = test_memory(4), *c = test_memory(4), *y = test_memory(4);
  for (int i = 0; i < 4; i++)
    x[i] = (float)(1 << i);
  *zero = 100, *c = 3;
  assert_ok(tl_cpu_execute(f.exe, (const void *[]){x, zero, c}, (void *[]){y}));
  assert_true(*y == 100 + 3 * 15);
  free(x), free(zero), free(c), free(y);
  end(&f);
  f = reduce_with_capture(its_only_element, 1);
  assert_status(tl_cpu_compile(test_devices[0].cpu, f.m, TL_STR("main"), &f.exe),
                TL_STATUS_UNIMPLEMENTED, "reduce: its region uses a value from around it");
  tl_module_destroy(f.m); // still ours
}

// f0 calls f1 twice, f1 calls f2 twice ... : refused rather than expanded.
static void calls_that_double_are_refused(void **state) {
  (void)state;
  fixture f = {.m = tl_module_create()};
  const tl_type t = tl_type_scalar(TL_DTYPE_F32);
  tl_func *callee = NULL;
  for (int i = 0; i <= 40; i++) {
    char name[16];
    snprintf(name, sizeof name, i == 40 ? "main" : "f%d", i);
    tl_builder b = tl_func_begin(f.m, name, i < 40);
    tl_value x = tl_func_arg(&b, t);
    for (int k = 0; callee && k < 2; k++)
      x = tlo_call(&b, callee, &x, 1)->results[0];
    callee = b.fn;
    tlo_return(&b, &x, 1);
    assert_ok(tl_builder_finish(&b));
  }
  assert_status(tl_cpu_compile(test_devices[0].cpu, f.m, TL_STR("main"), &f.exe),
                TL_STATUS_RESOURCE_EXHAUSTED, "calls expand to more than");
  tl_module_destroy(f.m);
}

static void failures_leave_the_module_to_the_caller(void **state) {
  (void)state;
  fixture f = begin();
  const tl_value x = ARG(&f, TL_DTYPE_F32, 1 << 20, 1 << 20, 1 << 20);
  tl_value y = tlo_transpose(&f.b, x, (int64_t[]){2, 1, 0});
  y = tlo_unary(&f.b, TL_OP_EXPONENTIAL, tlo_transpose(&f.b, y, (int64_t[]){1, 0, 2}));
  tl_value z = tlo_slice(&f.b, y, (int64_t[]){1, 0, 0}, (int64_t[]){2, 1, 1}, NULL);
  y = tlo_slice(&f.b, y, (int64_t[]){0, 0, 0}, (int64_t[]){1, 1, 1}, NULL);
  y = tlo_add(&f.b, y, z); // two users: the whole is made in memory
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  assert_status(tl_cpu_compile(test_devices[0].cpu, f.m, TL_STR("nobody"), &f.exe),
                TL_STATUS_NOT_FOUND, "@nobody");
  assert_status(tl_cpu_compile(test_devices[0].cpu, f.m, TL_STR("main"), &f.exe),
                TL_STATUS_RESOURCE_EXHAUSTED, "temporaries");
  assert_int_equal(f.m->n_funcs, 1);
  tl_module_destroy(f.m);
}

static tl_status compile_once(void *arg) {
  tl_module *m = arg;
  tl_cpu_exe *exe = NULL;
  test_devices[2].cpu->jit = TL_CPU_JIT_OFF; // LLVM ends the process where memory does
  tl_status st = test_compile(test_devices[2].cpu, m, &exe);
  if (!st) test_exe_release(exe);
  return st;
}

static void compilation_survives_every_failed_allocation(void **state) {
  (void)state;
  fixture f;
  layers(&f, 2, 2, 2);
  tl_test_each_oom(compile_once, f.m);
  end(&f);
  tl_module *m = tl_module_create(); // and one with loops, branches and calls
  for (uint64_t seed = 1; m; seed++) {
    gen g;
    tl_builder b = gen_begin(&g, m, "main", seed);
    g.b = &b;
    tl_value loop = emit_while(&g), branch = emit_switch(&g, true);
    gen_add(&g, loop), gen_add(&g, branch);
    gen_end(&g);
    assert_ok(tl_builder_finish(&b));
    if (loop && branch) break;
    tl_module_destroy(m);
    m = tl_module_create();
  }
  tl_test_each_oom(compile_once, m);
  tl_module_destroy(m);
}

// Nests of every kind: a fused chain, sums, a fold of two values, sort both ways, gather, scatter,
// windows, a convolution of another type, a pad.
static const char *const nests_text =
    "func.func @main(%x: tensor<6x70xf32>, %i: tensor<9x1xi32>, %w: tensor<3x1x1xbf16>) -> "
    "(tensor<6xf32>, tensor<6xi32>, tensor<6x70xf32>, tensor<9x70xf32>, tensor<6x70xf32>, "
    "tensor<6x69xf32>, tensor<6x68x1xbf16>, tensor<6x141xf32>) {\n"
    "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %0 = stablehlo.exponential %x : tensor<6x70xf32>\n"
    "  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : "
    "(tensor<6x70xf32>, tensor<f32>) -> tensor<6xf32>\n"
    "  %2 = stablehlo.iota dim = 1 : tensor<6x70xi32>\n"
    "  %3:2 = stablehlo.reduce(%x init: %c), (%2 init: %z) across dimensions = [1] : "
    "(tensor<6x70xf32>, tensor<6x70xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, "
    "tensor<6xi32>)\n"
    "  reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>) {\n"
    "    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    %q = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>\n"
    "    %r = stablehlo.select %p, %d, %e : tensor<i1>, tensor<i32>\n"
    "    stablehlo.return %q, %r : tensor<f32>, tensor<i32>\n"
    "  }\n"
    "  %4 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) : (tensor<6x70xf32>) -> tensor<6x70xf32>\n"
    "  %5 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
    "[1], "
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
    "array<i64: 1, 70>, indices_are_sorted = false}> : (tensor<6x70xf32>, tensor<9x1xi32>) -> "
    "tensor<9x70xf32>\n"
    "  %6 = \"stablehlo.scatter\"(%x, %i, %5) <{scatter_dimension_numbers = "
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, "
    "unique_indices = false}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %p = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %p : tensor<f32>\n"
    "  }) : (tensor<6x70xf32>, tensor<9x1xi32>, tensor<9x70xf32>) -> tensor<6x70xf32>\n"
    "  %7 = \"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 1, 4>, padding = "
    "dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %p = stablehlo.maximum %a, %b : tensor<f32>\n"
    "    stablehlo.return %p : tensor<f32>\n"
    "  }) : (tensor<6x70xf32>, tensor<f32>) -> tensor<6x69xf32>\n"
    "  %8 = stablehlo.convert %x : (tensor<6x70xf32>) -> tensor<6x70xbf16>\n"
    "  %9 = stablehlo.reshape %8 : (tensor<6x70xbf16>) -> tensor<6x70x1xbf16>\n"
    "  %10 = stablehlo.convolution(%9, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
    "{} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x70x1xbf16>, "
    "tensor<3x1x1xbf16>) -> tensor<6x68x1xbf16>\n"
    "  %11 = stablehlo.pad %x, %c, low = [0, 1], high = [0, 1], interior = [0, 1] : "
    "(tensor<6x70xf32>, tensor<f32>) -> tensor<6x141xf32>\n"
    "  return %1, %3#1, %4, %5, %6, %7, %10, %11 : tensor<6xf32>, tensor<6xi32>, tensor<6x70xf32>, "
    "tensor<9x70xf32>, tensor<6x70xf32>, tensor<6x69xf32>, tensor<6x68x1xbf16>, "
    "tensor<6x141xf32>\n}\n";

static tl_module *nests(void) { return test_parse(nests_text); }

static void nests_survive_every_failed_allocation(void **state) {
  (void)state;
  tl_module *m = nests();
  tl_test_each_oom(compile_once, m);
  tl_module_destroy(m);
}

static void nests_allocate_nothing_when_they_run(void **state) {
  (void)state;
  tl_module *m = nests();
  test_run t;
  test_rng r = {9};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  tl_cpu_exe *exe = NULL;
  assert_ok(test_compile(test_devices[2].cpu, m, &exe));
  assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
  void *in[3], *out[8];
  for (uint32_t i = 0; i < 3; i++)
    in[i] = t.in[i].data;
  for (uint32_t o = 0; o < 8; o++)
    out[o] = test_memory(type_size(t.want[o].type));
  tl_test_allocations_begin();
  tl_status st = tl_cpu_execute(exe, (const void *const *)in, out);
  const size_t asked = tl_test_allocations_end();
  assert_ok(st);
  assert_int_equal(asked, 0);
  for (uint32_t o = 0; o < 8; o++) {
    assert_int_equal(first_difference(t.want[o].type, out[o], t.want[o].data),
                     type_count(t.want[o].type));
    free(out[o]);
  }
  test_exe_release(exe);
  test_run_end(&t);
  tl_module_destroy(m);
}

// A plan without interpreted steps allocates nothing when it runs.
static void running_allocates_nothing(void **state) {
  (void)state;
  fixture f;
  layers(&f, 1, 2, 1);
  test_run t;
  test_rng r = {7};
  test_run_begin(&t, f.exe->func, &r);
  void *in[24], *out[2];
  for (uint32_t i = 0; i < t.fn->body->n_args; i++)
    in[i] = t.in[i].data;
  out[0] = test_memory(H * 4), out[1] = in[0];
  tl_test_allocations_begin();
  tl_status st = tl_cpu_execute(f.exe, (const void *const *)in, out);
  const size_t asked = tl_test_allocations_end();
  assert_ok(st);
  assert_int_equal(asked, 0);
  free(out[0]);
  test_run_end(&t);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_go_in_slices),
      cmocka_unit_test(shared_values_are_computed_once),
      cmocka_unit_test(cheap_values_are_computed_where_they_are_used),
      cmocka_unit_test(vectors_of_few_elements_fuse),
      cmocka_unit_test(a_hash_is_one_program),
      cmocka_unit_test(donated_sums_are_in_place),
      cmocka_unit_test(pools_are_written_in_place),
      cmocka_unit_test(an_old_value_that_is_still_wanted_is_kept),
      cmocka_unit_test(results_may_be_parameters_in_any_order),
      cmocka_unit_test(a_false_name_claims_no_kernel),
      cmocka_unit_test(a_decoding_layer_waits_six_times),
      cmocka_unit_test(layers_give_the_same_bits_on_any_number_of_threads),
      cmocka_unit_test(a_captured_value_is_taken_or_refused_by_name),
      cmocka_unit_test(calls_that_double_are_refused),
      cmocka_unit_test(failures_leave_the_module_to_the_caller),
      cmocka_unit_test(compilation_survives_every_failed_allocation),
      cmocka_unit_test(running_allocates_nothing),
      cmocka_unit_test(nests_survive_every_failed_allocation),
      cmocka_unit_test(nests_allocate_nothing_when_they_run)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
