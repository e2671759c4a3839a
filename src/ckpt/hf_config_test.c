// config.json: what is read, what is refused by name and together, and the defaults.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "ckpt/hf_config.h"

#define LLAMA                                                                             \
  "\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\",\"hidden_size\":48," \
  "\"intermediate_size\":80,\"num_hidden_layers\":2,\"num_attention_heads\":6,\"vocab_size\":128"
#define QWEN3                                                                                    \
  "\"architectures\":[\"Qwen3ForCausalLM\"],\"model_type\":\"qwen3\",\"hidden_size\":48,\"head_" \
  "dim\":16,"                                                                                    \
  "\"intermediate_size\":80,\"num_hidden_layers\":2,\"num_attention_heads\":6,\"vocab_size\":128"

static tl_status parse(const char *text, tl_model_config *out) {
  return tl_hf_config_parse(tl_str_of(text), (tl_str){0}, "config.json", out);
}

static void defaults(void **state) {
  (void)state;
  tl_model_config c;
  assert_ok(parse("{" LLAMA "}", &c));
  assert_int_equal(c.family, TL_FAMILY_LLAMA);
  assert_int_equal(c.hidden, 48);
  assert_int_equal(c.intermediate, 80);
  assert_int_equal(c.n_layers, 2);
  assert_int_equal(c.n_heads, 6);
  assert_int_equal(c.n_kv_heads, 6);
  assert_int_equal(c.head_dim, 8);
  assert_int_equal(c.vocab, 128);
  assert_int_equal(c.max_positions, 2048);
  assert_true(c.rms_eps == 1e-6);
  assert_true(c.rope_theta == 10000);
  assert_false(c.tied);
  assert_int_equal(c.bos, -1);
  assert_int_equal(c.n_stops, 0);
  assert_int_equal(c.dtype, TL_STORED_F32);
  assert_string_equal(c.name, "");
}

static void every_key(void **state) {
  (void)state;
  tl_model_config c;
  assert_ok(parse(
      "{" QWEN3 ",\"num_key_value_heads\":2,\"rms_norm_eps\":1e-5,\"rope_theta\":1000000,"
      "\"rope_scaling\":null,\"max_position_embeddings\":4096,\"tie_word_embeddings\":true,"
      "\"attention_bias\":false,\"hidden_act\":\"silu\",\"torch_dtype\":\"bfloat16\",\"bos_token_"
      "id\":1,"
      "\"eos_token_id\":[2,3,2],\"pad_token_id\":null,\"initializer_range\":0.02,\"use_cache\":"
      "true,"
      "\"transformers_version\":\"4.51\",\"attention_dropout\":0.0,\"use_sliding_window\":false,"
      "\"sliding_window\":null,\"max_window_layers\":28,"
      "\"layer_types\":[\"full_attention\",\"full_attention\"]}",
      &c));
  assert_int_equal(c.family, TL_FAMILY_QWEN3);
  assert_int_equal(c.n_kv_heads, 2);
  assert_int_equal(c.head_dim, 16);
  assert_true(c.rms_eps == 1e-5);
  assert_true(c.rope_theta == 1e6);
  assert_int_equal(c.max_positions, 4096);
  assert_true(c.tied);
  assert_int_equal(c.bos, 1);
  assert_int_equal(c.n_stops, 2);
  assert_int_equal(c.stops[0], 2);
  assert_int_equal(c.stops[1], 3);
  assert_int_equal(c.dtype, TL_STORED_BF16);
  // The spelling of transformers 5.
  assert_ok(parse("{" LLAMA ",\"rope_parameters\":{\"rope_theta\":500000.0,\"rope_type\":"
                  "\"default\"},\"dtype\":\"float16\"}",
                  &c));
  assert_true(c.rope_theta == 500000);
  assert_int_equal(c.dtype, TL_STORED_F16);
  // SmolLM2's own config has these.
  assert_ok(parse(
      "{" LLAMA
      ",\"is_llama_config\":true,\"rope_interleaved\":false,\"transformers.js_config\":{\"a\":1}}",
      &c));
}

static void stops_of_generation_config(void **state) {
  (void)state;
  tl_model_config c;
  tl_str config = TL_STR("{" LLAMA ",\"eos_token_id\":2}");
  assert_ok(tl_hf_config_parse(config, TL_STR("{\"eos_token_id\":[5,6]}"), "config.json", &c));
  assert_int_equal(c.n_stops, 2);
  assert_int_equal(c.stops[0], 5);
  assert_ok(tl_hf_config_parse(config, TL_STR("{\"temperature\":0.6}"), "config.json", &c));
  assert_int_equal(c.n_stops, 1);
  assert_int_equal(c.stops[0], 2);
  assert_status(
      tl_hf_config_parse(config, TL_STR("{\"eos_token_id\":[\"</s>\"]}"), "config.json", &c),
      TL_STATUS_INVALID_ARGUMENT, "generation_config.json: eos_token_id: wanted a token id");
  assert_status(tl_hf_config_parse(config, TL_STR("{\"eos_token_id\":"), "config.json", &c),
                TL_STATUS_INVALID_ARGUMENT, "generation_config.json:1:");
  assert_status(tl_hf_config_parse(config, TL_STR("{\"eos_token_id\":128}"), "config.json", &c),
                TL_STATUS_INVALID_ARGUMENT, "the eos token 128 is outside the vocabulary of 128");
}

static void not_supported(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{\"architectures\":[\"MixtralForCausalLM\"]}",
       "config.json: architecture \"MixtralForCausalLM\" is not supported; supported are "
       "LlamaForCausalLM "
       "Qwen3ForCausalLM"},
      {"{" LLAMA ",\"surprise\":1}", "not supported: unknown key \"surprise\""},
      {"{" LLAMA ",\"quantization_config\":{\"quant_method\":\"awq\"}}",
       "not supported: quant_method \"awq\" (only fp8, modelopt and compressed-tensors)"},
      {"{" LLAMA ",\"quantization_config\":{\"quant_method\":\"fp8\",\"fmt\":\"e5m2\"}}",
       "not supported: fmt \"e5m2\" of quant_method fp8"},
      {"{" LLAMA
       ",\"quantization_config\":{\"quant_method\":\"fp8\",\"weight_block_size\":[64,128]}}",
       "not supported: weight_block_size other than [128, 128]"},
      {"{" LLAMA ",\"a\\nb\":1}", "unknown key \"a\\nb\""},
      {"{" LLAMA ",\"layer_types\":[\"sliding_attention\",\"full_attention\"]}",
       "unknown key \"layer_types\""},
      {"{" QWEN3 ",\"layer_types\":[\"full_attention\",\"sliding_attention\"]}",
       "layer_types[1] \"sliding_attention\" (only full_attention)"},
      {"{" QWEN3 ",\"use_sliding_window\":true}", "use_sliding_window true"},
      {"{" LLAMA ",\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8}}",
       "rope_scaling of type \"llama3\" (only default)"},
      {"{" LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}",
       "rope_scaling of type \"linear\""},
      {"{" LLAMA ",\"rope_parameters\":{\"rope_type\":\"yarn\"}}",
       "rope_parameters of type \"yarn\""},
      {"{" LLAMA ",\"rope_parameters\":{\"rope_type\":\"default\",\"factor\":2}}",
       "unknown key \"factor\" in rope_parameters"},
      {"{" LLAMA ",\"rope_parameters\":{\"partial_rotary_factor\":0.5}}",
       "rope_parameters.partial_rotary_factor 0.5"},
      {"{" LLAMA ",\"attention_bias\":true}", "attention_bias true"},
      {"{" LLAMA ",\"mlp_bias\":true}", "mlp_bias true"},
      {"{" LLAMA ",\"hidden_act\":\"gelu\"}", "hidden_act \"gelu\" (only silu)"},
      {"{" LLAMA ",\"attn_logit_softcapping\":50}", "attn_logit_softcapping"},
      {"{" LLAMA ",\"rope_interleaved\":true}", "rope_interleaved true"},
      // several at once
      {"{" LLAMA ",\"mlp_bias\":true,\"hidden_act\":\"relu\",\"x\":1}",
       "not supported: unknown key \"x\"; mlp_bias true; hidden_act \"relu\" (only silu)"},
      {"{" LLAMA
       ",\"k1\":1,\"k2\":1,\"k3\":1,\"k4\":1,\"k5\":1,\"k6\":1,\"k7\":1,\"k8\":1,\"mlp_bias\":true,"
       "\"attention_bias\":true}",
       "; and 2 more"},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_model_config c;
    assert_status(parse(cases[i].text, &c), TL_STATUS_UNIMPLEMENTED, cases[i].message);
  }
}

static void malformed(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "config.json:"},
      {"[]", "config.json: wanted an object, found an array"},
      {"{}", "architectures"},
      {"{\"architectures\":[]}", "architectures: wanted one name, found 0 items"},
      {"{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"qwen3\"}",
       "model_type: LlamaForCausalLM has \"llama\", found \"qwen3\""},
      {"{\"architectures\":[\"LlamaForCausalLM\"]}", "hidden_size"},
      {"{" LLAMA ",\"vocab_size\":128}", "twice"},
      {"{" LLAMA ",\"num_key_value_heads\":4}", "6 query heads cannot share 4 key heads"},
      {"{" LLAMA ",\"num_key_value_heads\":0}", "num_key_value_heads"},
      {"{" LLAMA ",\"head_dim\":7}", "the head dim 7 is odd"},
      {"{" LLAMA ",\"head_dim\":8.0}", "head_dim"},
      {"{" LLAMA ",\"rms_norm_eps\":-1}", "epsilon -1"},
      {"{" LLAMA ",\"rms_norm_eps\":\"small\"}", "rms_norm_eps"},
      {"{" LLAMA ",\"rope_theta\":0}", "RoPE's base 0"},
      {"{" LLAMA ",\"rope_theta\":1,\"rope_parameters\":{\"rope_theta\":2}}", "disagree"},
      {"{" LLAMA ",\"rope_parameters\":[]}", "rope_parameters"},
      {"{" LLAMA ",\"tie_word_embeddings\":1}", "tie_word_embeddings"},
      {"{" LLAMA ",\"torch_dtype\":\"float64\"}",
       "dtype: wanted float32, bfloat16 or float16, found \"float64\""},
      {"{" LLAMA ",\"bos_token_id\":128}", "the bos token 128 is outside"},
      {"{" LLAMA ",\"eos_token_id\":-1}", "eos_token_id"},
      {"{" LLAMA ",\"eos_token_id\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
       "eos_token_id: more than 16 ids"},
      {"{" QWEN3 ",\"layer_types\":[\"full_attention\"]}",
       "layer_types names 1 layers, num_hidden_layers is 2"},
      {"{" QWEN3 ",\"layer_types\":[1,2]}", "layer_types[0]: wanted a string"},
      {"{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":50,\"intermediate_size\":80,"
       "\"num_hidden_layers\":2,"
       "\"num_attention_heads\":6,\"vocab_size\":128}",
       "no head_dim, and hidden_size 50 is not a multiple of 6 heads"},
      {"{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":99999999999}", "hidden_size"},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_model_config c;
    assert_status(parse(cases[i].text, &c), TL_STATUS_INVALID_ARGUMENT, cases[i].message);
  }
}

static void from_transformers(void **state) {
  (void)state;
  tl_model_config c;
  assert_ok(tl_hf_config_read("tests/model/tiny-qwen3-untied", &c));
  assert_int_equal(c.family, TL_FAMILY_QWEN3);
  assert_int_equal(c.n_heads, 3);
  assert_int_equal(c.n_kv_heads, 1);
  assert_int_equal(c.head_dim, 12);
  assert_int_equal(c.n_stops, 2);
  assert_ok(tl_hf_config_read("tests/model/tiny-llama-untied", &c));
  assert_int_equal(c.family, TL_FAMILY_LLAMA);
  assert_int_equal(c.head_dim, 8);
  assert_true(c.rope_theta == 500000);
  assert_int_equal(c.dtype, TL_STORED_BF16);
  assert_status(tl_hf_config_read("tests/model", &c), TL_STATUS_NOT_FOUND,
                "tests/model/config.json");
}

static void names(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"/cache/hub/models--Qwen--Qwen3-0.6B/snapshots/c1899de2", "Qwen/Qwen3-0.6B"},
      {"/cache/hub/models--Qwen--Qwen3-0.6B/snapshots/c1899de2///", "Qwen/Qwen3-0.6B"},
      {"models--a--b--c/snapshots/r", "a/b--c"},
      {"/models/TinyLlama", "TinyLlama"},
      {"/models/TinyLlama/", "TinyLlama"},
      {"TinyLlama", "TinyLlama"},
      {"/x/snapshots/r", "r"},
      {"/x/models--alone/snapshots/r", "r"},
      {"dir/SmolLM2.Q4_1.gguf", "SmolLM2.Q4_1"},
      {".gguf", ".gguf"},
      {"/", ""},
  };
  char name[TL_MODEL_NAME_SIZE];
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    tl_model_name(cases[i][0], name);
    assert_string_equal(name, cases[i][1]);
  }
  char longest[600];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  tl_model_name(longest, name);
  assert_int_equal(strlen(name), TL_MODEL_NAME_SIZE - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(every_key),
      cmocka_unit_test(stops_of_generation_config),
      cmocka_unit_test(not_supported),
      cmocka_unit_test(malformed),
      cmocka_unit_test(from_transformers),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests_name("ckpt/hf_config", tests, NULL, NULL);
}
