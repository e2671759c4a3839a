// One view over GGUF files and Hugging Face directories: what is found, and what is said when
// something is missing, extra, misshapen or not a checkpoint at all.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ckpt/checkpoint.h"
#include "ckpt/gguf_testing.h"
#include "ckpt/quant.h"

static char *path_in(const tl_test_tmp *tmp, const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", tmp->path, name);
  return path;
}

static void put(const tl_test_tmp *tmp, const char *name, const char *text) {
  assert_ok(tl_file_write(path_in(tmp, name), text, strlen(text)));
}

// Writes the build to a file and opens it; consumes the build.
static tl_status open_build(gguf_build *b, tl_checkpoint **out) {
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  tl_buf file = {0};
  build_file(b, &file);
  assert_ok(tl_file_write(path_in(&tmp, "tiny.gguf"), file.ptr, file.len));
  tl_status st =
      tl_checkpoint_open(path_in(&tmp, "tiny.gguf"), out); // stays mapped when the file goes
  tl_test_tmp_remove(&tmp);
  tl_buf_deinit(&file);
  build_deinit(b);
  return st;
}

static void from_gguf(void **state) {
  (void)state;
  gguf_build b = {0};
  build_llama_metadata(&b, 2);
  build_llama_tensors(&b, 2, TL_STORED_Q4_1, NULL);
  static const float ones[] = {1, 1, 1, 1};
  build_tensor(&b, "rope_freqs.weight", 1, (const uint64_t[]){4}, TL_STORED_F32, ones);
  tl_checkpoint *c = NULL;
  assert_ok(open_build(&b, &c));
  assert_true(c->is_gguf && c->gguf && !c->safetensors);
  assert_int_equal(c->config.family, TL_FAMILY_LLAMA);
  assert_int_equal(c->config.vocab, 40);
  assert_int_equal(c->config.head_dim, 8);
  assert_int_equal(c->config.n_kv_heads, 2);
  assert_int_equal(c->config.bos, 1);
  assert_int_equal(c->config.n_stops, 1);
  assert_int_equal(c->config.stops[0], 2);
  assert_true(c->config.tied);
  assert_true(c->config.rms_eps == (double)1e-5f);
  assert_int_equal(c->config.dtype, TL_STORED_Q4_1);
  assert_string_equal(c->config.name, "tiny");
  assert_int_equal(c->n_weights, 2 + 2 * 9);
  assert_int_equal(c->per_layer, 9);

  const tl_weight *q = tl_checkpoint_weight(c, TL_ROLE_Q, 1);
  assert_text(q->name, "blk.1.attn_q.weight");
  assert_int_equal(q->format, TL_FORMAT_Q4_1);
  assert_int_equal(q->rows, 32);
  assert_int_equal(q->k, 32);
  assert_int_equal(q->row_size, 20);
  assert_int_equal(q->size, 640);
  assert_int_equal(q->data[639], 639 & 255);
  assert_true(q->interleaved_rope);
  assert_true(tl_checkpoint_weight(c, TL_ROLE_K, 0)->interleaved_rope);
  assert_false(tl_checkpoint_weight(c, TL_ROLE_V, 0)->interleaved_rope);
  assert_int_equal(tl_checkpoint_weight(c, TL_ROLE_DOWN, 1)->k, 64);
  assert_int_equal(tl_checkpoint_weight(c, TL_ROLE_FINAL_NORM, 0)->rows, 1);
  assert_null(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0));
  assert_null(tl_checkpoint_weight(c, TL_ROLE_Q_NORM, 0));
  assert_null(tl_checkpoint_weight(c, TL_ROLE_Q, 2));
  assert_null(tl_checkpoint_weight(c, TL_ROLE_EMBED, 1));
  for (size_t i = 0; i < c->n_weights; i++) // the look-up and the list agree
    assert_ptr_equal(tl_checkpoint_weight(c, c->weights[i].role, c->weights[i].layer),
                     &c->weights[i]);

  // The permutation, per head of 8: 0 2 4 6 1 3 5 7 are the stored places of rows 0 to 7.
  static const uint64_t stored[] = {0, 2, 4, 6, 1, 3, 5, 7};
  for (uint64_t row = 0; row < 32; row++)
    assert_int_equal(tl_weight_stored_row(q, 8, row), row / 8 * 8 + stored[row % 8]);
  assert_int_equal(tl_weight_stored_row(tl_checkpoint_weight(c, TL_ROLE_V, 0), 8, 3), 3);

  tl_checkpoint_retain(c);
  tl_checkpoint_release(c);
  assert_int_equal(c->n_weights, 20); // still there
  tl_checkpoint_release(c);
  tl_checkpoint_release(NULL);
}

#define GGUF_REFUSED(code, message, ...)              \
  do {                                                \
    gguf_build b = {0};                               \
    __VA_ARGS__                                       \
    tl_checkpoint *c = NULL;                          \
    assert_status(open_build(&b, &c), code, message); \
  } while (0)

#define INVALID TL_STATUS_INVALID_ARGUMENT
#define UNSUPPORTED TL_STATUS_UNIMPLEMENTED

static const uint64_t dims_head[] = {32, 40}, dims_bias[] = {32}, dims_freqs[] = {4};

static void gguf_refusals(void **state) {
  (void)state;
  GGUF_REFUSED(INVALID, "tiny.gguf: tensor blk.1.ffn_up.weight is missing",
               build_llama_metadata(&b, 2);
               build_llama_tensors(&b, 2, TL_STORED_Q8_0, "blk.1.ffn_up.weight"););
  GGUF_REFUSED(INVALID, "tensor token_embd.weight is missing", build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, "token_embd.weight"););
  GGUF_REFUSED(INVALID, "tensor blk.0.attn_q.bias has no place in a llama model",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, NULL);
               build_tensor(&b, "blk.0.attn_q.bias", 1, dims_bias, TL_STORED_F32, NULL););
  GGUF_REFUSED(INVALID, "tensor x and 1 more have no place", build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, NULL);
               build_tensor(&b, "x", 1, dims_bias, TL_STORED_F32, NULL);
               build_tensor(&b, "y", 1, dims_bias, TL_STORED_F32, NULL););
  GGUF_REFUSED(INVALID, "tensor blk.0.attn_k.weight is [32, 32], the config wants [16, 32]",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, "blk.0.attn_k.weight"); build_tensor(
                   &b, "blk.0.attn_k.weight", 2, (const uint64_t[]){32, 32}, TL_STORED_F32, NULL););
  GGUF_REFUSED(INVALID, "tensor blk.0.attn_norm.weight is [32, 1], the config wants [32]",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, "blk.0.attn_norm.weight");
               build_tensor(&b, "blk.0.attn_norm.weight", 2, (const uint64_t[]){1, 32},
                            TL_STORED_F32, NULL););
  GGUF_REFUSED(UNSUPPORTED,
               "tensor blk.0.attn_v.weight is stored as iq4_nl, which is not supported",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, "blk.0.attn_v.weight");
               build_tensor(&b, "blk.0.attn_v.weight", 2, (const uint64_t[]){32, 16},
                            TL_STORED_IQ4_NL, NULL););
  GGUF_REFUSED(UNSUPPORTED, "blk.0.ffn_norm.weight: a norm stored as q8_0",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, "blk.0.ffn_norm.weight");
               build_tensor(&b, "blk.0.ffn_norm.weight", 1, dims_bias, TL_STORED_Q8_0, NULL););
  GGUF_REFUSED(UNSUPPORTED, "rope_freqs.weight scales RoPE's frequencies",
               build_llama_metadata(&b, 1);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, NULL);
               build_tensor(&b, "rope_freqs.weight", 1, dims_freqs, TL_STORED_F32, NULL););
  GGUF_REFUSED(INVALID, "tensors are too few for 2000 layers", build_llama_metadata(&b, 2000);
               build_llama_tensors(&b, 1, TL_STORED_Q8_0, NULL););

  GGUF_REFUSED(TL_STATUS_NOT_FOUND, "metadata key general.architecture is missing",
               build_u32(&b, "x", 1););
  GGUF_REFUSED(UNSUPPORTED, "architecture mamba is not supported; supported are llama qwen3",
               build_string(&b, "general.architecture", "mamba"););
  GGUF_REFUSED(UNSUPPORTED, "metadata key llama.attention.sliding_window is not supported",
               build_llama_metadata(&b, 1);
               build_u32(&b, "llama.attention.sliding_window", 4096););
  GGUF_REFUSED(UNSUPPORTED, "llama.rope.scaling.type is not supported, only \"none\"",
               build_llama_metadata(&b, 1);
               build_string(&b, "llama.rope.scaling.type", "yarn"););
  GGUF_REFUSED(UNSUPPORTED, "llama.rope.scaling.factor is not supported",
               build_llama_metadata(&b, 1);
               build_f32(&b, "llama.rope.scaling.factor", 2););
  GGUF_REFUSED(UNSUPPORTED, "llama.expert_count: 8 is not supported, only 0",
               build_llama_metadata(&b, 1);
               build_u32(&b, "llama.expert_count", 8););
  GGUF_REFUSED(UNSUPPORTED, "llama.attention.value_length: 16 is not supported, only 8",
               build_llama_metadata(&b, 1);
               build_u32(&b, "llama.attention.value_length", 16););
  GGUF_REFUSED(UNSUPPORTED, "llama.rope.dimension_count: 8 is not supported, only 16",
               build_llama_metadata(&b, 1);
               build_u32(&b, "llama.attention.key_length", 16););
  GGUF_REFUSED(INVALID, "llama.vocab_size is 41, tokenizer.ggml.tokens has 40",
               build_llama_metadata(&b, 1);
               build_u32(&b, "llama.vocab_size", 41););
  GGUF_REFUSED(INVALID, "the eos token 40 is outside the vocabulary", build_llama_metadata(&b, 1);
               build_u32(&b, "tokenizer.ggml.eot_token_id", 40););
}

static void untied_gguf(void **state) {
  (void)state;
  gguf_build b = {0};
  build_llama_metadata(&b, 1);
  build_u32(&b, "tokenizer.ggml.eot_token_id", 7);
  build_string(&b, "llama.rope.scaling.type", "none");
  build_llama_tensors(&b, 1, TL_STORED_F16, NULL);
  build_tensor(&b, "output.weight", 2, dims_head, TL_STORED_Q8_0, NULL);
  tl_checkpoint *c = NULL;
  assert_ok(open_build(&b, &c));
  assert_false(c->config.tied);
  assert_int_equal(c->config.n_stops, 2);
  assert_int_equal(c->config.stops[1], 7);
  assert_int_equal(c->config.dtype, TL_STORED_F16);
  assert_int_equal(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0)->format, TL_FORMAT_Q8_0);
  assert_ptr_equal(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0), &c->weights[c->n_weights - 1]);
  tl_checkpoint_release(c);
}

// ---- Hugging Face

static void from_transformers(void **state) {
  (void)state;
  tl_checkpoint *c = NULL;
  assert_ok(tl_checkpoint_open("tests/model/tiny-qwen3-tied", &c));
  assert_false(c->is_gguf);
  assert_int_equal(c->n_weights, 2 + 2 * 11);
  assert_string_equal(c->config.name, "tiny-qwen3-tied");
  assert_int_equal(c->config.dtype, TL_STORED_BF16);
  assert_null(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0));
  const tl_weight *w = tl_checkpoint_weight(c, TL_ROLE_K_NORM, 1);
  assert_text(w->name, "model.layers.1.self_attn.k_norm.weight");
  assert_int_equal(w->k, 16);
  assert_int_equal(w->format, TL_FORMAT_BF16);
  w = tl_checkpoint_weight(c, TL_ROLE_Q, 0);
  assert_int_equal(w->rows, 64);
  assert_int_equal(w->k, 32);
  assert_false(w->interleaved_rope);
  tl_checkpoint_release(c);
  assert_ok(tl_checkpoint_open("tests/model/tiny-qwen3-untied/", &c));
  assert_int_equal(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0)->rows, 64);
  assert_string_equal(c->config.name, "tiny-qwen3-untied");
  tl_checkpoint_release(c);
  assert_ok(tl_checkpoint_open("tests/model/tiny-llama-untied", &c));
  assert_int_equal(c->n_weights, 3 + 2 * 9);
  assert_int_equal(tl_checkpoint_weight(c, TL_ROLE_V, 1)->rows, 16);
  tl_checkpoint_release(c);
}

// A one-layer llama in safetensors, written by our own writer: H = 4, 2 heads of 2, MLP 6, 5
// tokens, tied.
typedef struct hf_case {
  const char *drop; // a tensor left out
  bool head, inverse_frequencies, bias;
  uint8_t head_first; // the head's first byte, where it differs from the embedding
} hf_case;

static tl_status open_hf(hf_case what, tl_checkpoint **out) {
  static const struct {
    const char *name;
    uint32_t rank;
    uint64_t dims[2];
  } tensors[] = {
      {"model.embed_tokens.weight", 2, {5, 4}},
      {"model.layers.0.input_layernorm.weight", 1, {4}},
      {"model.layers.0.self_attn.q_proj.weight", 2, {4, 4}},
      {"model.layers.0.self_attn.k_proj.weight", 2, {4, 4}},
      {"model.layers.0.self_attn.v_proj.weight", 2, {4, 4}},
      {"model.layers.0.self_attn.o_proj.weight", 2, {4, 4}},
      {"model.layers.0.post_attention_layernorm.weight", 1, {4}},
      {"model.layers.0.mlp.gate_proj.weight", 2, {6, 4}},
      {"model.layers.0.mlp.up_proj.weight", 2, {6, 4}},
      {"model.layers.0.mlp.down_proj.weight", 2, {4, 6}},
      {"model.norm.weight", 1, {4}},
      {"lm_head.weight", 2, {5, 4}},
      {"model.layers.0.self_attn.rotary_emb.inv_freq", 1, {1}},
      {"model.layers.0.self_attn.q_proj.bias", 1, {4}},
  };
  uint8_t data[96] = {0}, head[96] = {0};
  head[0] = what.head_first;
  tl_safetensors_item items[TL_COUNT(tensors)];
  size_t n = 0;
  for (size_t i = 0; i < TL_COUNT(tensors); i++) {
    const char *name = tensors[i].name;
    bool is_head = strcmp(name, "lm_head.weight") == 0;
    if (what.drop && strcmp(name, what.drop) == 0) continue;
    if ((is_head && !what.head) || (strstr(name, "inv_freq") && !what.inverse_frequencies) ||
        (strstr(name, "bias") && !what.bias))
      continue;
    uint64_t size = 4;
    for (uint32_t d = 0; d < tensors[i].rank; d++)
      size *= tensors[i].dims[d];
    items[n++] = (tl_safetensors_item){tl_str_of(name), TL_STORED_F32,         tensors[i].rank,
                                       tensors[i].dims, is_head ? head : data, (size_t)size};
  }
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  put(&tmp, "config.json",
      "{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":4,\"intermediate_size\":6,\"num_"
      "hidden_layers\":1,"
      "\"num_attention_heads\":2,\"vocab_size\":5,\"tie_word_embeddings\":true}");
  assert_ok(tl_safetensors_write(path_in(&tmp, "model.safetensors"), items, n, NULL, 0));
  tl_status st = tl_checkpoint_open(tmp.path, out);
  tl_test_tmp_remove(&tmp);
  return st;
}

static void hf_tensors(void **state) {
  (void)state;
  tl_checkpoint *c = NULL;
  assert_ok(open_hf((hf_case){0}, &c));
  assert_int_equal(c->n_weights, 11);
  tl_checkpoint_release(c);
  assert_ok(open_hf((hf_case){.head = true, .inverse_frequencies = true},
                    &c)); // a copy of the table changes nothing
  assert_null(tl_checkpoint_weight(c, TL_ROLE_HEAD, 0));
  tl_checkpoint_release(c);
  assert_status(open_hf((hf_case){.head = true, .head_first = 1}, &c), INVALID,
                "tie_word_embeddings is true, but lm_head.weight is not the same as "
                "model.embed_tokens.weight");
  assert_status(open_hf((hf_case){.bias = true}, &c), INVALID,
                "tensor model.layers.0.self_attn.q_proj.bias has no place in a llama model");
  assert_status(open_hf((hf_case){.drop = "model.norm.weight"}, &c), INVALID,
                "tensor model.norm.weight is missing");
}

// ---- not a checkpoint

static void not_a_checkpoint(void **state) {
  (void)state;
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  tl_checkpoint *c = NULL;
  assert_status(tl_checkpoint_open(path_in(&tmp, "none"), &c), TL_STATUS_NOT_FOUND,
                "none: no such file or directory");
  assert_status(tl_checkpoint_open(tmp.path, &c), INVALID,
                "a directory without config.json (it is empty); a model is");
  put(&tmp, "pytorch_model.bin", "PK\3\4....");
  put(&tmp, "empty", "");
  put(&tmp, "text.gguf", "hello");
  put(&tmp, "m.safetensors", "\2\1\1\1\1\1\1\1{}");
  assert_status(tl_checkpoint_open(tmp.path, &c), INVALID,
                "without config.json (empty, m.safetensors, pytorch_model.bin, text.gguf)");
  assert_status(tl_checkpoint_open(path_in(&tmp, "pytorch_model.bin"), &c), INVALID,
                "a PyTorch checkpoint is one");
  assert_status(tl_checkpoint_open(path_in(&tmp, "empty"), &c), INVALID,
                "an empty file; a model is a GGUF file");
  assert_status(tl_checkpoint_open(path_in(&tmp, "text.gguf"), &c), INVALID,
                "does not begin with \"GGUF\"");
  assert_status(tl_checkpoint_open(path_in(&tmp, "m.safetensors"), &c), INVALID,
                "name its directory");
  put(&tmp, "config.json", "{}");
  assert_status(tl_checkpoint_open(tmp.path, &c), INVALID, "a directory without model.safetensors");
  tl_test_tmp_remove(&tmp);
}

// ---- memory, and a real file

static tl_status open_and_release(void *path) {
  tl_checkpoint *c = NULL;
  tl_status st = tl_checkpoint_open(path, &c);
  tl_checkpoint_release(c);
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  gguf_build b = {0};
  tl_buf file = {0};
  build_llama_metadata(&b, 1);
  build_llama_tensors(&b, 1, TL_STORED_Q5_0, NULL);
  build_file(&b, &file);
  build_deinit(&b);
  assert_ok(tl_file_write(path_in(&tmp, "t.gguf"), file.ptr, file.len));
  tl_test_each_oom(open_and_release, path_in(&tmp, "t.gguf"));
  tl_buf_deinit(&file);
  tl_test_tmp_remove(&tmp);
}

static void real_gguf(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  char *dir = tl_cache_dir(a);
  char *path = dir ? tl_path_join(a, dir, "models/SmolLM2-135M-Instruct.Q4_1.gguf") : NULL;
  if (!path || !tl_path_exists(path)) {
    print_message("skipped: SmolLM2-135M-Instruct.Q4_1.gguf is not in the cache directory (make "
                  "demo fetches it)\n");
    tl_arena_destroy(a);
    skip();
  }
  tl_checkpoint *c = NULL;
  assert_ok(tl_checkpoint_open(path, &c));
  tl_arena_destroy(a);
  const tl_model_config *m = &c->config;
  assert_int_equal(m->family, TL_FAMILY_LLAMA);
  assert_int_equal(m->hidden, 576);
  assert_int_equal(m->intermediate, 1536);
  assert_int_equal(m->n_layers, 30);
  assert_int_equal(m->n_heads, 9);
  assert_int_equal(m->n_kv_heads, 3);
  assert_int_equal(m->head_dim, 64);
  assert_int_equal(m->vocab, 49152);
  assert_int_equal(m->max_positions, 8192);
  assert_true(m->rope_theta == 100000);
  assert_true(m->tied);
  assert_int_equal(m->bos, 1);
  assert_int_equal(m->stops[0], 2);
  assert_int_equal(m->dtype, TL_STORED_Q4_1);
  assert_string_equal(m->name, "SmolLM2-135M-Instruct.Q4_1");
  assert_int_equal(c->n_weights, 272);
  const tl_weight *table = tl_checkpoint_weight(c, TL_ROLE_EMBED, 0);
  assert_int_equal(table->format, TL_FORMAT_Q8_0);
  float row[576];
  for (uint64_t i = 0; i < table->rows;
       i += 4096) { // embeddings of a trained model: finite and small
    assert_ok(tl_quant_row_f32(table->format, table->data + i * table->row_size, 576, row));
    for (size_t j = 0; j < 576; j++)
      assert_true(row[j] > -10 && row[j] < 10);
  }
  const tl_str *tokens;
  size_t n;
  assert_ok(tl_gguf_strings(c->gguf, "tokenizer.ggml.tokens", &tokens, &n));
  assert_text(tokens[1], "<|im_start|>");
  assert_ok(tl_gguf_strings(c->gguf, "tokenizer.ggml.merges", &tokens, &n));
  assert_int_equal(n, 48900);
  tl_checkpoint_release(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_gguf),     cmocka_unit_test(gguf_refusals),
      cmocka_unit_test(untied_gguf),   cmocka_unit_test(from_transformers),
      cmocka_unit_test(hf_tensors),    cmocka_unit_test(not_a_checkpoint),
      cmocka_unit_test(out_of_memory), cmocka_unit_test(real_gguf),
  };
  return cmocka_run_group_tests_name("ckpt/checkpoint", tests, NULL, NULL);
}
