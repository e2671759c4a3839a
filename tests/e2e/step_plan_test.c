// The plans of a model's step, as the native backend makes them from text: every op has a kernel,
// whatever the weights' formats; the pools stay where they are; and the work of a token is the
// steps and the waits that a person would count.

#include "base/test.h"

#include "cpu/plan.h"
#include "model/model.h"
#include "shlo/shlo.h"

static const char *const models[] = {"tests/model/tiny-llama-untied", "tests/model/tiny-qwen3-tied",
                                     "tests/model/tiny-qwen3-untied"};

static tl_cpu_exe *compiled(tl_cpu *cpu, tl_status made, tl_module *module) {
  assert_ok(made);
  tl_buf text = {0};
  tl_diags diags = {0};
  tl_module *read = NULL;
  tl_cpu_exe *exe = NULL;
  assert_ok(tl_shlo_print(module, NULL, &text));
  assert_ok(tl_shlo_parse(tl_buf_view(&text), "step.mlir", &diags, &read));
  tl_diags_deinit(&diags);
  tl_buf_deinit(&text);
  tl_module_destroy(module);
  assert_ok(tl_cpu_compile(cpu, read, TL_STR("main"), &exe));
  return exe;
}

static size_t count(const tl_cpu_exe *exe, const char *what) {
  size_t n = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    n += strcmp(exe->steps[i].what, what) == 0;
  return n;
}

// fewer: logits are wanted of fewer rows than there are tokens.
static void check_step(const tl_cpu_exe *exe, const tl_model *m, bool fewer) {
  const uint32_t layers = m->config.n_layers;
  const bool qk_norm = tl_checkpoint_weight(m->checkpoint, TL_ROLE_Q_NORM, 0) != NULL;
  assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
  assert_int_equal(count(exe, "copy"), 0);
  assert_int_equal(count(exe, "kv_cache_write"), 2 * layers);
  assert_int_equal(count(exe, "paged_attention"), layers);
  assert_int_equal(count(exe, "quantized_matmul"), 7 * layers + 1);
  for (uint32_t i = 0; i < exe->n_steps; i++) // the pool is nobody's else
    for (uint32_t o = 0; o < exe->steps[i].n_out; o++) {
      const plan_buf *b = &exe->bufs[exe->steps[i].out[o].buf];
      if (b->space == TL_SPACE_OUTPUT && b->index == 1)
        assert_string_equal(exe->steps[i].what, "kv_cache_write");
    }
  // Lengths, embedding; 17 in a layer (19 with norms of heads); rows wanted, norm, head. Fewer rows
  // are taken before the last layer: positions, lengths and tables too, and normed by themselves.
  assert_int_equal(exe->n_steps, 2 + layers * (qk_norm ? 19 : 17) + 3 + (fewer ? 4 : 0));
}

static void steps_have_a_kernel_for_everything(void **state) {
  (void)state;
  tl_cpu *cpu = NULL;
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 2}, &cpu));
  for (size_t p = 0; p < TL_COUNT(models); p++)
    for (int mode = 0; mode <= TL_WEIGHTS_BF16; mode++)
      for (int kv_bf16 = 0; kv_bf16 < 2; kv_bf16++) {
        tl_checkpoint *checkpoint = NULL;
        tl_model *m = NULL;
        assert_ok(tl_checkpoint_open(models[p], &checkpoint));
        assert_ok(tl_model_create(checkpoint,
                                  &(tl_model_options){.weights = (tl_weights_mode)mode,
                                                      .kv = kv_bf16 ? TL_KV_BF16 : TL_KV_F32,
                                                      .max_batch = 4},
                                  &m));
        static const uint32_t tokens[] = {1, 3, 16};
        for (size_t i = 0; i < TL_COUNT(tokens); i++) {
          tl_module *module = NULL;
          tl_status st = tl_model_step(m, tokens[i], 4, 1, &module);
          tl_cpu_exe *exe = compiled(cpu, st, module);
          check_step(exe, m, tokens[i] > 1);
          tl_cpu_exe_release(exe);
        }
        tl_model_destroy(m);
        tl_checkpoint_release(checkpoint);
      }
  tl_cpu_release(cpu);
}

// A model of a format. There is no file of each: the tiny one's config is widened to whole blocks
// of 256, and its weights are said to be stored so. Plans read no bytes.
static tl_model *model_of(tl_format f, const tl_model_options *options,
                          tl_checkpoint **out_checkpoint) {
  tl_model *m = NULL;
  assert_ok(tl_checkpoint_open(models[0], out_checkpoint));
  tl_model_config *c = &(*out_checkpoint)->config;
  c->hidden = 256, c->intermediate = 512, c->n_heads = 4, c->n_kv_heads = 2, c->head_dim = 64;
  for (size_t i = 0; i < (*out_checkpoint)->n_weights; i++) {
    tl_weight *w = (tl_weight *)(uintptr_t)&(*out_checkpoint)->weights[i];
    assert_true(tl_role_shape(w->role, c, &w->rows, &w->k));
    w->format = tl_role_get(w->role)->rank == 1 ? TL_FORMAT_F32 : f;
    assert_true(tl_format_row_size(w->format, w->k, &w->row_size));
    w->size = w->rows * w->row_size;
  }
  assert_ok(tl_model_create(*out_checkpoint, options, &m));
  return m;
}

// Six in a layer (cpu/plan.h), and the two before the norm and the head; the first layer's norm
// follows the embedding, which one thread makes, so that it is made by one thread as well.
static void check_waits(const tl_cpu_exe *exe, uint32_t layers) {
  size_t waits = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    waits += exe->steps[i].barrier;
  assert_in_range(waits, 6 * layers + 1, 6 * layers + 4);
}

static void formats_have_kernels(void **state) {
  (void)state;
  tl_cpu *cpu = NULL;
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 2}, &cpu));
  for (int f = 0; f < TL_FORMAT_COUNT; f++) {
    tl_checkpoint *checkpoint = NULL;
    tl_model *m = model_of((tl_format)f, NULL, &checkpoint);
    tl_module *module = NULL;
    tl_status st = tl_model_step(m, 1, 1, 1, &module);
    tl_cpu_exe *exe = compiled(cpu, st, module);
    check_step(exe, m, false);
    check_waits(exe, m->config.n_layers);
    tl_cpu_exe_release(exe);
    module = NULL;
    st = tl_model_prepare(m, &module);
    exe = compiled(cpu, st, module);
    assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
    tl_cpu_exe_release(exe);
    tl_model_destroy(m);
    tl_checkpoint_release(checkpoint);
  }
  tl_cpu_release(cpu);
}

// Activations are rounded, or made codes, by each thread for itself, at the cost of no wait.
static void fast_steps_wait_no_oftener(void **state) {
  (void)state;
  tl_cpu *cpu = NULL;
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 2}, &cpu));
  static const tl_format formats[] = {TL_FORMAT_BF16, TL_FORMAT_Q8_0, TL_FORMAT_Q4_0,
                                      TL_FORMAT_Q4_K};
  for (size_t f = 0; f < TL_COUNT(formats); f++) {
    tl_checkpoint *checkpoint = NULL;
    tl_model *m =
        model_of(formats[f], &(tl_model_options){.compute = TL_COMPUTE_FAST}, &checkpoint);
    tl_module *module = NULL;
    const tl_status st = tl_model_step(m, 1, 1, 1, &module);
    tl_cpu_exe *exe = compiled(cpu, st, module);
    assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
    assert_int_equal(count(exe, formats[f] == TL_FORMAT_BF16 ? "bf16_matmul" : "int8_matmul"),
                     7 * m->config.n_layers + 1);
    check_waits(exe, m->config.n_layers);
    tl_cpu_exe_release(exe);
    tl_model_destroy(m);
    tl_checkpoint_release(checkpoint);
  }
  tl_cpu_release(cpu);
}

// The reference system's entries: pools by layer, each in place as well.
static void reference_entries_write_pools_in_place(void **state) {
  (void)state;
  tl_cpu *cpu = NULL;
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 2}, &cpu));
  for (size_t p = 0; p < TL_COUNT(models); p++)
    for (int prefill = 0; prefill < 2; prefill++) {
      tl_checkpoint *checkpoint = NULL;
      tl_model *m = NULL;
      tl_module *module = NULL;
      assert_ok(tl_checkpoint_open(models[p], &checkpoint));
      assert_ok(tl_model_create(checkpoint, &(tl_model_options){.max_batch = 2}, &m));
      tl_status st =
          prefill ? tl_model_prefill(m, 2, 32, 8, &module) : tl_model_decode(m, 2, 32, &module);
      tl_cpu_exe *exe = compiled(cpu, st, module);
      assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
      assert_int_equal(count(exe, "copy"), 0);
      assert_int_equal(count(exe, "kv_cache_write"), 2 * m->config.n_layers);
      tl_cpu_exe_release(exe);
      tl_model_destroy(m);
      tl_checkpoint_release(checkpoint);
    }
  tl_cpu_release(cpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_have_a_kernel_for_everything),
                                     cmocka_unit_test(formats_have_kernels),
                                     cmocka_unit_test(fast_steps_wait_no_oftener),
                                     cmocka_unit_test(reference_entries_write_pools_in_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
