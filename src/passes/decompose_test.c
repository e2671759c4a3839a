// Decompositions against the named ops' own meaning: the reference interpreter runs a function with
// the named op, and the same function inlined, on the same random data; the bits must agree. And
// the shape of the published attention.
#include "base/test.h"

#include "passes/decompose.h"

#include <math.h>

#include "base/half.h"
#include "ref/ref.h"

// A function under test, and the ranges of its integer parameters.
typedef struct fixture {
  tl_module *m, *inlined;
  tl_builder b;
  tl_arena *arena;
  int64_t low[8], high[8]; // low <= x <= high
  uint64_t seed;
} fixture;

static void begin(fixture *f) {
  *f = (fixture){.m = tl_module_create(), .arena = tl_arena_create(), .seed = 12345};
  f->b = tl_func_begin(f->m, "main", false);
}

static void end(fixture *f) {
  tl_module_destroy(f->m);
  tl_module_destroy(f->inlined);
  tl_arena_destroy(f->arena);
}

static uint64_t next(fixture *f) {
  f->seed = f->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return f->seed >> 33;
}

static tl_value arg(fixture *f, tl_dtype dtype, const int64_t *dims, uint32_t rank) {
  return tl_func_arg(&f->b, tl_type_of(f->m->arena, dtype, dims, rank));
}
#define ARG(f, dtype, ...)                                   \
  arg((f), TL_DTYPE_##dtype, (const int64_t[]){__VA_ARGS__}, \
      sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
static tl_value ints(fixture *f, tl_value v, int64_t low, int64_t high) {
  f->low[v->index] = low, f->high[v->index] = high;
  return v;
}

static void *random_data(fixture *f, tl_type t, uint32_t i) {
  size_t n, size = tl_dtype_get(t.dtype)->size;
  assert_true(tl_type_count(t, &n));
  uint8_t *data = tl_arena_alloc_array(f->arena, n, size, 64);
  for (size_t at = 0; at < n; at++) {
    double x = ((double)next(f) / 0x1p30 - 1) * 3;
    int64_t k = f->low[i] + (int64_t)(next(f) % (uint64_t)(f->high[i] - f->low[i] + 1));
    switch (t.dtype) {
    case TL_DTYPE_F32:
      ((float *)(void *)data)[at] = (float)x;
      break;
    case TL_DTYPE_F64:
      ((double *)(void *)data)[at] = x;
      break;
    case TL_DTYPE_BF16:
      ((uint16_t *)(void *)data)[at] = tl_bf16_of_f64(x);
      break;
    case TL_DTYPE_F16:
      ((uint16_t *)(void *)data)[at] = tl_f16_of_f64(x);
      break;
    case TL_DTYPE_S32:
      ((int32_t *)(void *)data)[at] = (int32_t)k;
      break;
    case TL_DTYPE_F8E4M3FN:
      data[at] = (uint8_t)(next(f) & 0xbf); // no NaN
      break;
    default:
      data[at] = (uint8_t)next(f);
      break;
    }
  }
  return data;
}

// Finishes @main, inlines it, runs both on `inputs` (random where NULL), and compares all results.
static tl_tensor *compare(fixture *f, const tl_value *results, uint32_t n, void *const *given) {
  tlo_return(&f->b, results, n);
  assert_ok(tl_builder_finish(&f->b));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(f->m, &diags));
  assert_ok(tl_module_inline(f->m, false, &f->inlined));
  assert_ok(tl_module_verify(f->inlined, &diags));
  tl_diags_deinit(&diags);
  const tl_func *fn = f->m->first, *core = f->inlined->first;
  for (const tl_op *op = core->body->first; op != NULL; op = op->next)
    assert_true((tl_op_get(op->code)->traits & TL_NAMED) == 0);
  tl_tensor *in = TL_NEW(f->arena, tl_tensor, 8), *want = TL_NEW(f->arena, tl_tensor, n),
            *got = TL_NEW(f->arena, tl_tensor, n);
  uint32_t n_in = fn->body->n_args;
  for (uint32_t i = 0; i < n_in; i++) {
    in[i].type = fn->body->args[i]->type;
    in[i].data = given != NULL && given[i] != NULL ? given[i] : random_data(f, in[i].type, i);
  }
  assert_ok(tl_ref_run(fn, TL_REF_AS_TYPED, in, n_in, f->arena, want, 0));
  assert_ok(tl_ref_run(core, TL_REF_AS_TYPED, in, n_in, f->arena, got, 0));
  for (uint32_t i = 0; i < n; i++) {
    size_t size = 0;
    assert_true(tl_type_eq(want[i].type, got[i].type) && tl_type_size(want[i].type, &size));
    assert_true(size > 0);
    if (want[i].type.dtype == TL_DTYPE_F32)
      for (size_t k = 0; k < size / 4; k++)
        assert_true(isfinite(((const float *)want[i].data)[k]));
    assert_memory_equal(want[i].data, got[i].data, size);
  }
  return want;
}

// ---- The plain ops ----

static void embedding(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tl_value table = ARG(&f, F32, 11, 5), at = ints(&f, ARG(&f, S32, 3, 4), -3, 15);
  tl_value y = tlo_embedding(&f.b, table, at);
  compare(&f, &y, 1, NULL);
  end(&f);
}

static void rms_norm(void **state) {
  (void)state;
  for (int wide = 0; wide < 2; wide++) {
    fixture f;
    begin(&f);
    tl_dtype d = wide ? TL_DTYPE_F64 : TL_DTYPE_F32;
    tl_value x = arg(&f, d, (int64_t[]){2, 3, 77}, 3), w = arg(&f, d, (int64_t[]){77}, 1);
    tl_value y = tlo_rms_norm(&f.b, x, w, 1e-5);
    compare(&f, &y, 1, NULL);
    end(&f);
  }
}

static void rope(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tl_value x = ARG(&f, F32, 4, 3, 10), c = ARG(&f, F32, 7, 5), s = ARG(&f, F32, 7, 5);
  tl_value y = tlo_rope(&f.b, x, c, s, ints(&f, ARG(&f, S32, 4), -2, 9));
  compare(&f, &y, 1, NULL);
  end(&f);
}

static void softmax_swiglu(void **state) {
  (void)state;
  for (int64_t axis = 0; axis < 3; axis++) {
    fixture f;
    begin(&f);
    tl_value x = ARG(&f, F32, 5, 19, 3), up = ARG(&f, F32, 5, 19, 3);
    tl_value y[2];
    y[0] = tlo_softmax(&f.b, x, axis);
    y[1] = tlo_swiglu(&f.b, x, up);
    compare(&f, y, 2, NULL);
    end(&f);
  }
}

// ---- Pages ----

static const tl_dtype pools[] = {TL_DTYPE_F32, TL_DTYPE_BF16, TL_DTYPE_F16, TL_DTYPE_F8E4M3FN,
                                 TL_DTYPE_S8};

static void cache_write(void **state) {
  (void)state;
  for (int64_t offset = 0; offset < 3; offset++)
    for (size_t d = 0; d < TL_COUNT(pools); d++) {
      fixture f;
      begin(&f);
      const int64_t row = pools[d] == TL_DTYPE_S8 ? 3 + TL_KV_SCALE : 3;
      tl_value cache = arg(&f, pools[d], (int64_t[]){6, 4, 2, row}, 4);
      tl_value rows = ARG(&f, F32, 8, 2, 3), slots = ARG(&f, S32, 8);
      tl_value y = tlo_kv_cache_write(&f.b, cache, rows, slots, offset);
      // Dropped: negative, even where the offset would bring it back, and past the end.
      int32_t at[] = {3, -1, 23, 0, -3, 24, 11, 8};
      compare(&f, &y, 1, (void *[]){NULL, NULL, at});
      end(&f);
    }
}

typedef struct attention_case {
  int64_t N, S, H, KvH, key_offset, value_offset;
  bool rows;
  tl_dtype pool;
} attention_case;

// 5 pages a table: of 16 positions 80, more than one block of 64 in the sums.
static void attend(const attention_case *c, tl_dtype query, int64_t window, int64_t D, int64_t bs) {
  const int64_t M = 5, blocks = 9;
  fixture f;
  begin(&f);
  const tl_dtype pool = c->pool;
  const int64_t width = pool == TL_DTYPE_S8 ? D + TL_KV_SCALE : D;
  tl_value q = arg(&f, query, (int64_t[]){c->N, c->H, D}, 3);
  tl_value k = arg(&f, pool, (int64_t[]){blocks, bs, c->KvH, width}, 4);
  tl_value v = arg(&f, pool, (int64_t[]){blocks, bs, c->KvH, width}, 4);
  tl_value tables = ints(&f, ARG(&f, S32, c->S, M), -1, 10);
  tl_value lengths = ints(&f, ARG(&f, S32, c->N), 1, 90);
  tl_value rows = c->rows ? ints(&f, ARG(&f, S32, c->N), -1, c->S) : NULL;
  tl_value y = tlo_paged_attention(&f.b, q, k, v, tables, lengths, rows, 0.35, c->key_offset,
                                   c->value_offset);
  if (window) {
    tl_op_set_i64(y->op, TL_A_PAGED_ATTENTION_sliding_window, window);
    tl_op_set_f64(y->op, TL_A_PAGED_ATTENTION_soft_cap, 2);
  }
  void *given[8] = {NULL};
  for (int n = 1; n < 3 && pool == TL_DTYPE_S8; n++) { // scales of sane size behind the codes
    uint8_t *data = given[n] = random_data(&f, k->type, (uint32_t)n);
    for (int64_t row = 0; row < blocks * bs * c->KvH; row++) {
      const float scale = 0.01f + 0.0001f * (float)(row % 50);
      memcpy(data + row * width + D, &scale, sizeof scale);
    }
  }
  compare(&f, &y, 1, given);
  end(&f);
}

static void attention(void **state) {
  (void)state;
  static const attention_case cases[] = {
      {3, 3, 4, 2, 0, 0, false, TL_DTYPE_F32},      {6, 3, 4, 1, 0, 0, false, TL_DTYPE_F32},
      {5, 2, 4, 4, 0, 0, true, TL_DTYPE_F32},       {3, 3, 6, 2, 2, 3, false, TL_DTYPE_F32},
      {4, 2, 4, 2, 1, 0, true, TL_DTYPE_BF16},      {1, 1, 1, 1, 0, 0, false, TL_DTYPE_BF16},
      {3, 3, 4, 2, 0, 0, false, TL_DTYPE_F8E4M3FN}, {4, 2, 4, 2, 1, 0, true, TL_DTYPE_S8},
      {1, 1, 2, 1, 0, 0, false, TL_DTYPE_S8},       {4, 2, 4, 2, 1, 0, true, TL_DTYPE_F16},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    attend(&cases[i], TL_DTYPE_F32, 0, 8, 16);
}

static void attention_of_bf16(void **state) {
  (void)state;
  static const struct {
    attention_case c;
    int64_t window, D, bs;
  } cases[] = {{{4, 2, 4, 2, 1, 0, true, TL_DTYPE_BF16}, 0, 40, 16},
               {{5, 5, 6, 2, 0, 2, false, TL_DTYPE_BF16}, 35, 8, 16},
               {{3, 1, 3, 1, 0, 0, false, TL_DTYPE_BF16}, 0, 70, 5},
               {{2, 1, 2, 1, 0, 0, false, TL_DTYPE_BF16}, 0, 2080, 32}}; // more than 64 runs
  for (size_t i = 0; i < TL_COUNT(cases); i++)
    attend(&cases[i].c, TL_DTYPE_BF16, cases[i].window, cases[i].D, cases[i].bs);
}

// ---- Formats ----

// Random stored blocks. Every two bytes that may be an f16 scale get an exponent in the middle, so
// nothing is infinite.
static uint8_t *stored_blocks(fixture *f, tl_format format, size_t rows, size_t k,
                              size_t *out_size) {
  const tl_format_info *info = tl_format_get(format);
  size_t row = 0;
  assert_true(tl_format_row_size(format, k, &row));
  uint8_t *p = tl_arena_alloc(f->arena, rows * row, 64);
  for (size_t i = 0; i < rows * row; i++)
    p[i] = (uint8_t)next(f);
  if (info->code_bits == 0)
    for (size_t i = 0; i < rows * k; i++) {
      float x = (float)((double)next(f) / 0x1p30 - 1);
      uint16_t h = format == TL_FORMAT_F16 ? tl_f16_of_f32(x) : tl_bf16_of_f32(x);
      if (info->bytes == 4)
        memcpy(p + i * 4, &x, 4);
      else
        memcpy(p + i * 2, &h, 2);
    }
  else if (tl_scale_of_row(info->scale) || info->scale == TL_SCALE_fb)
    for (size_t r = 0; r < rows; r++) { // no NaN codes, and scales from 2^-7 to 2
      const size_t codes = k / info->block * info->bytes;
      for (size_t i = 0; i < codes; i++)
        if ((p[r * row + i] & 0x7f) == 0x7f) p[r * row + i] ^= 1;
      for (size_t i = r * row + codes; i < (r + 1) * row; i += 4)
        p[i + 3] = (p[i + 3] & 0x80) | (uint8_t)(0x3c + next(f) % 4);
    }
  else
    for (size_t at = 0; at < rows * row; at += info->bytes) {
      // High bytes of d and of m or dmin: sign kept, exponent 8..15, so 2^-7 to 2.
      size_t d = format == TL_FORMAT_Q6_K ? 208 : 0;
      bool two = info->scale == TL_SCALE_dm || info->scale == TL_SCALE_kdm;
      p[at + d + 1] = (p[at + d + 1] & 0x9f) | 0x20;
      if (two) p[at + d + 3] = (p[at + d + 3] & 0x9f) | 0x20;
    }
  *out_size = rows * row;
  return p;
}

static void formats(void **state) {
  (void)state;
  for (int i = 0; i < TL_FORMAT_COUNT; i++)
    for (int odd = 0; odd < 2; odd++) {
      const tl_format_info *info = tl_format_get((tl_format)i);
      bool dense = info->code_bits == 0;
      int64_t k = dense ? 6 + odd : (int64_t)info->block * (2 + odd), rows = odd ? 37 : 32,
              row_size = 0;
      fixture f;
      begin(&f);
      size_t size;
      uint8_t *bytes = stored_blocks(&f, (tl_format)i, (size_t)rows, (size_t)k, &size);
      row_size = (int64_t)size / rows;
      tl_dtype dtype = !dense               ? TL_DTYPE_U8
                       : info->bytes == 4   ? TL_DTYPE_F32
                       : i == TL_FORMAT_F16 ? TL_DTYPE_F16
                                            : TL_DTYPE_BF16;
      tl_value w = arg(&f, dtype, (int64_t[]){rows, dense ? k : row_size}, 2);
      tl_value x = ARG(&f, F32, 2, 3, k), at = ints(&f, ARG(&f, S32, 2, 9), -4, rows + 4);
      tl_value one = ints(&f, ARG(&f, S32, 4), 0, rows - 1);
      tl_value y[4];
      y[0] = tlo_pack_weights(&f.b, w, (tl_format)i, rows, k);
      y[1] = tlo_quantized_matmul(&f.b, x, y[0], (tl_format)i, rows);
      y[2] = tlo_quantized_embedding(&f.b, y[0], at, (tl_format)i, rows, k);
      y[3] = tlo_quantized_embedding(&f.b, y[0], one, (tl_format)i, rows, k);
      compare(&f, y, 4, (void *[]){bytes, NULL, NULL, NULL, NULL});
      end(&f);
    }
}

// ---- Shape of the text ----

typedef struct seen {
  char text[4096];
  size_t len;
} seen;

// "gather 8, reshape s, ..." of a body: the mnemonic, and the number or s for scratch.
static void list_ops(const tl_func *fn, seen *out) {
  out->len = 0;
  for (const tl_op *op = fn->body->first; op != NULL && op->n_results > 0; op = op->next) {
    const char *name = tl_op_get(op->code)->mnemonic;
    size_t left = sizeof out->text - out->len;
    out->len +=
        (size_t)(op->results[0]->scratch
                     ? snprintf(out->text + out->len, left, "%s s, ", name)
                     : snprintf(out->text + out->len, left, "%s %u, ", name, op->results[0]->id));
  }
}

static void published_form(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tl_value tokens = ARG(&f, S32, 2, 1), slots = ARG(&f, S32, 2), tables = ARG(&f, S32, 2, 2);
  tl_value cache = ARG(&f, F32, 6, 2, 2, 2), table = ARG(&f, F32, 11, 8);
  tl_value e = tlo_embedding(&f.b, table, tokens);
  e = tlo_reshape(&f.b, e, (int64_t[]){2, 4, 2}, 3);
  tl_value rows = tlo_slice(&f.b, e, (int64_t[]){0, 0, 0}, (int64_t[]){2, 2, 2}, NULL);
  cache = tlo_kv_cache_write(&f.b, cache, rows, slots, 0);
  tl_value y = tlo_paged_attention(&f.b, e, cache, cache, tables, slots, NULL, 0.5, 0, 0);
  tl_op_set_list(&f.b, y->op, TL_A_PAGED_ATTENTION_precision_config,
                 (int64_t[]){TL_PRECISION_HIGHEST, TL_PRECISION_HIGHEST}, 2);
  y = tlo_softmax(&f.b, y, 2);
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  assert_ok(tl_module_inline(f.m, false, &f.inlined));
  seen s;
  list_ops(f.inlined->first, &s);
  assert_string_equal(s.text, "gather 5, reshape 6, slice 7, reshape s, scatter s, reshape 8, "
                              "gather s, reshape s, gather s, reshape s, reshape s, dot_general s, "
                              "constant s, broadcast_in_dim s, multiply s, "
                              "iota s, broadcast_in_dim s, compare s, constant s, broadcast_in_dim "
                              "s, select s, constant s, reduce s, "
                              "broadcast_in_dim s, subtract s, exponential s, constant s, reduce "
                              "s, broadcast_in_dim s, divide s, dot_general s, "
                              "reshape 9, "
                              "constant s, reduce s, broadcast_in_dim s, subtract s, exponential "
                              "s, constant s, reduce s, broadcast_in_dim s, "
                              "divide 10, ");
  int highest = 0;
  for (const tl_op *op = f.inlined->first->body->first; op != NULL; op = op->next)
    if (op->code == TL_OP_DOT_GENERAL)
      highest += tl_op_list(op, TL_A_DOT_GENERAL_precision_config).len == 2;
  assert_int_equal(highest, 2);
  assert_int_equal(f.inlined->first->next_id, 11);
  end(&f);
}

// A decomposition as a function equals itself and no other.
static void as_function(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tl_value x = ARG(&f, F32, 2, 3), w = ARG(&f, F32, 3);
  tl_value y[3];
  y[0] = tlo_rms_norm(&f.b, x, w, 1e-5);
  y[1] = tlo_rms_norm(&f.b, x, w, 1e-6);
  y[2] = tlo_softmax(&f.b, x, 1);
  tlo_return(&f.b, y, 3);
  assert_ok(tl_builder_finish(&f.b));
  tl_func *fn[4];
  for (int i = 0; i < 3; i++) {
    char name[8];
    snprintf(name, sizeof name, "f%d", i);
    assert_ok(tl_decompose_func(f.m, y[i]->op, name, &fn[i]));
    assert_true(fn[i]->is_private && fn[i]->body->n_args == y[i]->op->n_operands);
  }
  assert_ok(tl_decompose_func(f.m, y[0]->op, "again", &fn[3]));
  assert_true(tl_func_eq(fn[0], fn[3]));
  assert_false(tl_func_eq(fn[0], fn[1]));
  assert_false(tl_func_eq(fn[0], fn[2]));
  tl_func *none;
  assert_status(tl_decompose_func(f.m, y[0]->op, "f1", &none), TL_STATUS_ALREADY_EXISTS, "f1");
  tl_value c = NULL;
  tl_builder b = tl_func_begin(f.m, "core", false);
  c = tlo_constant_f64(&b, tl_type_scalar(TL_DTYPE_F32), 1);
  tlo_return(&b, &c, 1);
  assert_ok(tl_builder_finish(&b));
  assert_status(tl_decompose_func(f.m, c->op, "bad", &none), TL_STATUS_INTERNAL,
                "constant has no decomposition");
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(embedding),
      cmocka_unit_test(rms_norm),
      cmocka_unit_test(rope),
      cmocka_unit_test(softmax_swiglu),
      cmocka_unit_test(cache_write),
      cmocka_unit_test(attention),
      cmocka_unit_test(attention_of_bf16),
      cmocka_unit_test(formats),
      cmocka_unit_test(published_form),
      cmocka_unit_test(as_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
