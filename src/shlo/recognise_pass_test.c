// What is recognised: every op of recognise.def in its own decomposition and in other spellings,
// with the same bits; and what must not be.
#include "passes/recognise.h"

#include "base/test.h"
#include "ir/build.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

static tl_module *parsed(const char *text) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(tl_str_of(text), "test", &diags, &m);
  if (st) print_error("%s\n", diags.len ? diags.items[0].message : tl_status_message(st));
  assert_ok(st);
  tl_diags_deinit(&diags);
  return m;
}

static size_t count(const tl_module *m, tl_opcode code) {
  size_t n = 0;
  for (const tl_func *fn = m->first; fn; fn = fn->next)
    for (const tl_op *op = fn->body->first; op; op = op->next) {
      n += op->code == code;
      for (uint32_t r = 0; r < op->n_regions; r++)
        for (const tl_op *in = op->regions[r]->first; in; in = in->next)
          n += in->code == code;
    }
  return n;
}

static size_t size_of(const tl_module *m) {
  size_t n = 0;
  for (const tl_op *op = m->first->body->first; op; op = op->next)
    n++;
  return n;
}

// Both modules' @main over the same numbers.
static void assert_same_bits(const tl_module *a, const tl_module *b) {
  const tl_func *f = tl_module_find(a, TL_STR("main")), *g = tl_module_find(b, TL_STR("main"));
  tl_arena *arena = tl_arena_create();
  tl_tensor in[8], x[8], y[8];
  uint32_t state = 7;
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    size_t n;
    in[i].type = f->body->args[i]->type;
    assert_true(tl_type_count(in[i].type, &n));
    in[i].data = tl_arena_alloc(arena, n * 8 + 8, 16);
    for (size_t k = 0; k < n; k++) {
      state = state * 1664525 + 1013904223;
      const double v = (double)(state >> 8) / (1 << 23) - 1;
      if (in[i].type.dtype == TL_DTYPE_F32) ((float *)in[i].data)[k] = (float)v;
      if (in[i].type.dtype == TL_DTYPE_F64) ((double *)in[i].data)[k] = v;
      if (in[i].type.dtype == TL_DTYPE_S32) ((int32_t *)in[i].data)[k] = (int32_t)(state >> 30);
    }
  }
  assert_ok(tl_ref_run(f, TL_REF_AS_TYPED, in, f->body->n_args, arena, x, 0));
  assert_ok(tl_ref_run(g, TL_REF_AS_TYPED, in, f->body->n_args, arena, y, 0));
  for (uint32_t i = 0; i < f->n_results; i++) {
    size_t size;
    assert_true(tl_type_size(x[i].type, &size));
    assert_memory_equal(x[i].data, y[i].data, size);
  }
  tl_arena_destroy(arena);
}

static tl_module *recognised(const tl_module *m) {
  tl_module *out = NULL;
  tl_diags diags = {0};
  assert_ok(tl_recognise(m, NULL, &out));
  assert_ok(tl_module_verify(out, &diags));
  tl_diags_deinit(&diags);
  return out;
}

typedef tl_value make_fn(tl_builder *b);
#define ARG(dtype, ...) tl_func_arg(b, TL_TYPE(b->m->arena, TL_DTYPE_##dtype, __VA_ARGS__))
static tl_value make_softmax(tl_builder *b) { return tlo_softmax(b, ARG(F32, 3, 5, 4), 1); }
static tl_value make_log_softmax(tl_builder *b) { return tlo_log_softmax(b, ARG(F64, 3, 5), 1); }
static tl_value make_rms_norm(tl_builder *b) {
  tl_value x = ARG(F32, 3, 8);
  return tlo_rms_norm(b, x, ARG(F32, 8), 1e-5);
}
static tl_value make_swiglu(tl_builder *b) {
  tl_value gate = ARG(F32, 3, 8);
  return tlo_swiglu(b, gate, ARG(F32, 3, 8));
}
static tl_value make_mlp(tl_builder *b) {
  tl_value x = ARG(F32, 2, 3, 4), gate = ARG(F32, 4, 6), up = ARG(F32, 4, 6);
  return tlo_transformer_mlp(b, x, gate, up, ARG(F32, 6, 5));
}
static tl_value make_rope(tl_builder *b) {
  tl_value x = ARG(F32, 3, 2, 8), cos = ARG(F32, 9, 4), sin = ARG(F32, 9, 4);
  return tlo_rope(b, x, cos, sin, ARG(S32, 3));
}
static tl_value make_loss(tl_builder *b) {
  tl_value x = ARG(F32, 4, 5);
  return tlo_cross_entropy(b, x, ARG(F32, 4, 5), false);
}
static tl_value make_mean_loss(tl_builder *b) {
  tl_value x = ARG(F32, 4, 5);
  return tlo_cross_entropy(b, x, ARG(S32, 4), true);
}
static tl_value make_embedding(tl_builder *b) {
  tl_value table = ARG(F32, 9, 4);
  return tlo_embedding(b, table, ARG(S32, 3));
}
static tl_value named(tl_builder *b, tl_opcode code, const tl_value *x, uint32_t n, tl_attr_id id,
                      double value) {
  tl_op *op = tl_op_begin(b, code, x, n);
  tl_op_set_f64(op, id, value);
  op = tl_op_finish(b, op, NULL, 0);
  return op ? op->results[0] : NULL;
}
static tl_value make_layer_norm(tl_builder *b) {
  tl_value x[] = {ARG(F32, 3, 8), ARG(F32, 8), ARG(F32, 8)};
  return named(b, TL_OP_LAYER_NORM, x, 3, TL_A_LAYER_NORM_eps, 1e-6);
}
static tl_value make_plain_layer_norm(tl_builder *b) {
  tl_value x[] = {ARG(F64, 3, 8), ARG(F64, 8)};
  return named(b, TL_OP_LAYER_NORM, x, 2, TL_A_LAYER_NORM_eps, 1e-6);
}
static tl_value make_attention(tl_builder *b) {
  tl_value x[] = {ARG(F32, 2, 3, 4), ARG(F32, 2, 5, 4), ARG(F32, 2, 5, 6)};
  return named(b, TL_OP_SCALED_DOT_PRODUCT_ATTENTION, x, 3, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale,
               0.5);
}

static tl_value make_grouped_attention(tl_builder *b) {
  tl_value x[] = {ARG(F32, 2, 6, 3, 4), ARG(F32, 2, 2, 5, 4), ARG(F32, 2, 2, 5, 7)};
  return named(b, TL_OP_SCALED_DOT_PRODUCT_ATTENTION, x, 3, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale,
               0.5);
}

// Each op, decomposed, comes back with its attributes; the softmax inside an attention does not.
static void own_decompositions(void **state) {
  (void)state;
  static const struct {
    tl_opcode code;
    make_fn *make;
  } rows[] = {{TL_OP_SOFTMAX, make_softmax},
              {TL_OP_LOG_SOFTMAX, make_log_softmax},
              {TL_OP_RMS_NORM, make_rms_norm},
              {TL_OP_SWIGLU, make_swiglu},
              {TL_OP_TRANSFORMER_MLP, make_mlp},
              {TL_OP_ROPE, make_rope},
              {TL_OP_CROSS_ENTROPY, make_loss},
              {TL_OP_CROSS_ENTROPY, make_mean_loss},
              {TL_OP_EMBEDDING, make_embedding},
              {TL_OP_LAYER_NORM, make_layer_norm},
              {TL_OP_LAYER_NORM, make_plain_layer_norm},
              {TL_OP_SCALED_DOT_PRODUCT_ATTENTION, make_attention},
              {TL_OP_SCALED_DOT_PRODUCT_ATTENTION, make_grouped_attention}};
  bool seen[TL_OP_COUNT] = {false};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_module *m = tl_module_create(), *core = NULL;
    tl_builder b = tl_func_begin(m, "main", false);
    tl_value y = rows[i].make(&b);
    tlo_return(&b, &y, 1);
    assert_ok(tl_builder_finish(&b));
    assert_ok(tl_pass_decompose(m, &core));
    assert_int_equal(count(core, rows[i].code), 0);
    tl_module *out = recognised(core);
    if (!tl_func_eq(m->first, out->first)) {
      tl_buf text = {0};
      tl_status_drop(tl_shlo_print(out, NULL, &text));
      print_error("%s\n", text.ptr);
      tl_buf_deinit(&text);
      fail_msg("%s is not recognised", tl_op_get(rows[i].code)->mnemonic);
    }
    assert_same_bits(core, out);
    seen[rows[i].code] = true;
    tl_module_destroy(out), tl_module_destroy(core), tl_module_destroy(m);
  }
#define TL_RECOGNISE(op, last, guesses) assert_true(seen[TL_OP_##op]);
#include "passes/recognise.def"
#undef TL_RECOGNISE
}

// The form in which JAX lowers jax.nn.softmax: a floor of -inf, and broadcasts in two steps.
static const char jax_softmax[] =
    "func.func public @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {\n"
    "  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : "
    "(tensor<3x5xf32>, "
    "tensor<f32>) -> tensor<3xf32>\n"
    "  %1 = stablehlo.constant dense<0xFF800000> : tensor<3xf32>\n"
    "  %2 = stablehlo.maximum %1, %0 : tensor<3xf32>\n"
    "  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>\n"
    "  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x5xf32>\n"
    "  %5 = stablehlo.subtract %arg0, %4 : tensor<3x5xf32>\n"
    "  %6 = stablehlo.exponential %5 : tensor<3x5xf32>\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : "
    "(tensor<3x5xf32>, "
    "tensor<f32>) -> tensor<3xf32>\n"
    "  %8 = stablehlo.reshape %7 : (tensor<3xf32>) -> tensor<3x1xf32>\n"
    "  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x5xf32>\n"
    "  %10 = stablehlo.divide %6, %9 : tensor<3x5xf32>\n"
    "  return %10 : tensor<3x5xf32>\n}\n";

static const char commuted_swiglu[] =
    "func.func public @main(%g: tensor<3xf32>, %u: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = stablehlo.logistic %g : tensor<3xf32>\n"
    "  %1 = stablehlo.multiply %0, %g : tensor<3xf32>\n"
    "  %2 = stablehlo.multiply %u, %1 : tensor<3xf32>\n"
    "  return %2 : tensor<3xf32>\n}\n";

// The network of a Llama layer, as JAX lowers it.
static const char jax_mlp[] =
    "func.func public @main(%x: tensor<3x4xf32>, %g: tensor<4x6xf32>, %u: tensor<4x6xf32>, %d: "
    "tensor<6x4xf32>) -> tensor<3x4xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %g, contracting_dims = [1] x [0], precision = [DEFAULT, "
    "DEFAULT] : (tensor<3x4xf32>, "
    "tensor<4x6xf32>) -> tensor<3x6xf32>\n"
    "  %1 = stablehlo.logistic %0 : tensor<3x6xf32>\n"
    "  %2 = stablehlo.multiply %0, %1 : tensor<3x6xf32>\n"
    "  %3 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0], precision = [DEFAULT, "
    "DEFAULT] : (tensor<3x4xf32>, "
    "tensor<4x6xf32>) -> tensor<3x6xf32>\n"
    "  %4 = stablehlo.multiply %3, %2 : tensor<3x6xf32>\n"
    "  %5 = stablehlo.dot_general %4, %d, contracting_dims = [1] x [0], precision = [DEFAULT, "
    "DEFAULT] : (tensor<3x6xf32>, "
    "tensor<6x4xf32>) -> tensor<3x4xf32>\n"
    "  return %5 : tensor<3x4xf32>\n}\n";

// A whole network becomes one op, its precisions written out or not. What is only its gate stays a
// swiglu: where a product asks for more precision, where the two products read different things,
// and where something is added before the last.
static void networks(void **state) {
  (void)state;
  static const struct {
    const char *what, *with;
    size_t mlps, swiglus;
  } rows[] = {{"%0 = ", "%0 = ", 1, 0},
              {", precision = [DEFAULT, DEFAULT]", "", 1, 0},
              {"[DEFAULT, DEFAULT]", "[DEFAULT, HIGHEST]", 0, 1},
              {"%3 = stablehlo.dot_general %x",
               "%6 = stablehlo.add %x, %x : tensor<3x4xf32>\n"
               "  %3 = stablehlo.dot_general %6",
               0, 1},
              {"%5 = stablehlo.dot_general %4",
               "%6 = stablehlo.add %4, %4 : tensor<3x6xf32>\n"
               "  %5 = stablehlo.dot_general %6",
               0, 1}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_buf text = {0};
    const char *at = strstr(jax_mlp, rows[i].what);
    assert_non_null(at);
    tl_buf_printf(&text, "%.*s%s%s", (int)(at - jax_mlp), jax_mlp, rows[i].with,
                  at + strlen(rows[i].what));
    tl_module *m = parsed(text.ptr), *out = recognised(m);
    assert_int_equal(count(out, TL_OP_TRANSFORMER_MLP), rows[i].mlps);
    assert_int_equal(count(out, TL_OP_SWIGLU), rows[i].swiglus);
    assert_same_bits(m, out);
    tl_module_destroy(out), tl_module_destroy(m);
    tl_buf_deinit(&text);
  }
}

// Attention as Llama's in PyTorch: heads of keys and values repeated in one layout, or two.
static tl_value repeated(tl_builder *b, tl_value x, uint32_t at, int64_t times) {
  int64_t dims[TL_MAX_RANK], from[TL_MAX_RANK];
  const tl_type t = tl_value_type(x);
  for (uint32_t d = 0; d < t.rank; d++)
    from[d] = d + (d > at), dims[from[d]] = t.dims[d];
  dims[at + 1] = times;
  x = tlo_broadcast(b, x, tl_type_of(b->m->arena, t.dtype, dims, t.rank + 1), from);
  memcpy(dims, t.dims, t.rank * sizeof *dims);
  dims[at] *= times;
  return tlo_reshape(b, x, dims, t.rank);
}

// Keys and values [B, S, G, D] whose heads (dim 2, or dim 1 as a control) are repeated and then
// transposed to [B, H, S, D].
static void heads_repeated_then_transposed(void **state) {
  (void)state;
  static const int64_t swap[] = {0, 2, 1, 3};
  for (uint32_t at = 1; at < 3; at++) {
    tl_module *m = tl_module_create(), *core = NULL;
    tl_builder builder = tl_func_begin(m, "main", false), *b = &builder;
    tl_value q = ARG(F32, 2, 6, 3, 4);
    tl_value k = at == 2 ? ARG(F32, 2, 5, 2, 4) : ARG(F32, 2, 5, 6, 4);
    tl_value v = at == 2 ? ARG(F32, 2, 5, 2, 7) : ARG(F32, 2, 5, 6, 7);
    tl_value x[] = {q, tlo_transpose(b, repeated(b, k, at, 3), swap),
                    tlo_transpose(b, repeated(b, v, at, 3), swap)};
    tl_value y = tlo_scaled_dot_product_attention(b, x[0], x[1], x[2], 0.5, true);
    tlo_return(b, &y, 1);
    assert_ok(tl_builder_finish(b));
    assert_ok(tl_pass_decompose(m, &core));
    tl_module *out = recognised(core);
    assert_int_equal(count(out, TL_OP_SCALED_DOT_PRODUCT_ATTENTION), 1);
    assert_int_equal(count(out, TL_OP_BROADCAST_IN_DIM), at == 2 ? 0 : 2);
    assert_int_equal(count(out, TL_OP_TRANSPOSE), 2);
    assert_same_bits(core, out);
    tl_module_destroy(out), tl_module_destroy(core), tl_module_destroy(m);
  }
}

static void other_spellings(void **state) {
  (void)state;
  tl_module *m = parsed(jax_softmax), *out = recognised(m);
  assert_int_equal(count(out, TL_OP_SOFTMAX), 1);
  assert_int_equal(size_of(out), 2);
  assert_same_bits(m, out);
  tl_module_destroy(out), tl_module_destroy(m);
  m = parsed(commuted_swiglu), out = recognised(m);
  assert_int_equal(count(out, TL_OP_SWIGLU), 1);
  assert_same_bits(m, out);
  tl_module_destroy(out), tl_module_destroy(m);
}

// What differs somewhere is no softmax, and the place is said.
static void near_misses(void **state) {
  (void)state;
  static const struct {
    const char *what, *with, *failed;
  } changes[] = {{"%10 = stablehlo.divide %6, %9", "%10 = stablehlo.divide %5, %9", NULL},
                 {"dense<0.0>", "dense<1.0>", "constant"},
                 {"%6 = stablehlo.exponential %5", "%6 = stablehlo.tanh %5", NULL},
                 {"%5 = stablehlo.subtract %arg0, %4", "%5 = stablehlo.subtract %4, %arg0", NULL},
                 {"applies stablehlo.maximum", "applies stablehlo.minimum", "reduce"}};
  for (size_t i = 0; i < TL_COUNT(changes); i++) {
    tl_buf text = {0};
    const char *at = strstr(jax_softmax, changes[i].what);
    assert_non_null(at);
    tl_buf_printf(&text, "%.*s%s%s", (int)(at - jax_softmax), jax_softmax, changes[i].with,
                  at + strlen(changes[i].what));
    tl_module *m = parsed(text.ptr), *out = NULL;
    static tl_near_misses misses;
    assert_ok(tl_recognise(m, &misses, &out));
    assert_int_equal(count(out, TL_OP_SOFTMAX), 0);
    bool found = false;
    for (size_t k = 0; k < misses.len; k++)
      found |= strcmp(misses.items[k].pattern, "softmax") == 0 && misses.items[k].loc.line > 0 &&
               (!changes[i].failed || strcmp(misses.items[k].failed, changes[i].failed) == 0);
    if (changes[i].failed && !found) fail_msg("change %zu is not said", i);
    tl_module_destroy(out), tl_module_destroy(m);
    tl_buf_deinit(&text);
  }
}

// A value of the inside that is used outside stays, beside the named op.
static void inner_values(void **state) {
  (void)state;
  tl_buf text = {0};
  const char *ret = strstr(jax_softmax, "  return");
  tl_buf_printf(&text, "%.*s  return %%10, %%6 : tensor<3x5xf32>, tensor<3x5xf32>\n}\n",
                (int)(ret - jax_softmax), jax_softmax);
  char *arrow = strstr(text.ptr, "-> tensor<3x5xf32> {");
  tl_buf whole = {0};
  tl_buf_printf(&whole, "%.*s-> (tensor<3x5xf32>, tensor<3x5xf32>) {%s", (int)(arrow - text.ptr),
                text.ptr, arrow + strlen("-> tensor<3x5xf32> {"));
  tl_module *m = parsed(whole.ptr), *out = recognised(m);
  assert_int_equal(count(out, TL_OP_SOFTMAX), 1);
  assert_int_equal(count(out, TL_OP_EXPONENTIAL), 1);
  assert_same_bits(m, out);
  tl_module_destroy(out), tl_module_destroy(m);
  tl_buf_deinit(&text), tl_buf_deinit(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_decompositions),
                                     cmocka_unit_test(other_spellings),
                                     cmocka_unit_test(heads_repeated_then_transposed),
                                     cmocka_unit_test(networks),
                                     cmocka_unit_test(near_misses),
                                     cmocka_unit_test(inner_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
