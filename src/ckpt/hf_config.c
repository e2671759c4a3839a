#include "ckpt/hf_config.h"

#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "ckpt/limits.h"

// The problem with a lenient reader: a config grows a key ("rope_scaling",
// "attn_logit_softcapping", …), the reader does not know it, and the model answers a little wrong.
// So a key is either read, or listed here as one that changes nothing for inference, or refused by
// name. What is refused (not supported) is collected, so that one run shows it all; what is
// malformed (a string for a number) ends the reading at once.

#define ALL 0xffffffffu
#define ONLY(family) (1u << TL_FAMILY_##family)

// Every key we know, and the families that have it.
static const struct {
  const char *key;
  uint32_t families;
} known_keys[] = {
    // read
    {"architectures", ALL},
    {"model_type", ALL},
    {"hidden_size", ALL},
    {"intermediate_size", ALL},
    {"num_hidden_layers", ALL},
    {"num_attention_heads", ALL},
    {"num_key_value_heads", ALL},
    {"head_dim", ALL},
    {"vocab_size", ALL},
    {"rms_norm_eps", ALL},
    {"rope_theta", ALL},
    {"rope_scaling", ALL},
    {"rope_parameters", ALL},
    {"max_position_embeddings", ALL},
    {"tie_word_embeddings", ALL},
    {"attention_bias", ALL},
    {"mlp_bias", ALL},
    {"hidden_act", ALL},
    {"hidden_activation", ALL},
    {"attn_logit_softcapping", ALL},
    {"torch_dtype", ALL},
    {"dtype", ALL},
    {"bos_token_id", ALL},
    {"eos_token_id", ALL},
    {"rope_interleaved", ALL},
    {"use_sliding_window", ONLY(QWEN3)},
    {"layer_types", ONLY(QWEN3)},
    {"quantization_config", ALL},
    // of no effect on what is computed
    {"pad_token_id", ALL},
    {"initializer_range", ALL},
    {"use_cache", ALL},
    {"transformers_version", ALL},
    {"transformers.js_config", ALL},
    {"attention_dropout", ALL},
    {"pretraining_tp", ALL},
    {"_name_or_path", ALL},
    {"is_llama_config", ALL},
    {"sliding_window", ONLY(QWEN3)}, // says nothing unless use_sliding_window
    {"max_window_layers", ONLY(QWEN3)},
};

#define SHOWN_MAX 8

// What is not supported, for one message.
typedef struct refusals {
  tl_buf text;
  size_t n;
} refusals;

static void refuse(refusals *r, const char *fmt, ...) TL_PRINTF(2, 3);
static void refuse(refusals *r, const char *fmt, ...) {
  if (r->n++ >= SHOWN_MAX) return;
  if (r->n > 1) tl_buf_cstr(&r->text, "; ");
  va_list args;
  va_start(args, fmt);
  tl_buf_vprintf(&r->text, fmt, args);
  va_end(args);
}

// A short quotation of a text from the file, in `out`, terminated.
static const char *quoted(tl_str text, tl_buf *out) {
  tl_buf_clear(out);
  tl_json_quote(out, tl_str_sub(text, 0, 64));
  return out->ptr ? out->ptr : "?";
}

static bool is_absent(const json_t *v) { return !v || json_is_null(v); }

// ---- family

static const char architectures_known[] =
#define TL_FAMILY(id, name, architecture, model_type, gguf, qk_norm, interleaved) " " architecture
#include "ckpt/families.def"
#undef TL_FAMILY
    ;

static tl_status family_read(const json_t *root, const char *where, tl_family *out) {
  json_t *list;
  TL_TRY(tl_json_array(root, where, "architectures", &list));
  const json_t *first = json_array_get(list, 0);
  if (json_array_size(list) != 1 || !json_is_string(first))
    return TL_ERROR(INVALID_ARGUMENT, "%s: architectures: wanted one name, found %zu items", where,
                    json_array_size(list));
  tl_str name = {json_string_value(first), json_string_length(first)};
  for (size_t f = 0; f < TL_FAMILY_COUNT; f++) {
    const tl_family_info *info = tl_family_get((tl_family)f);
    if (!tl_str_is(name, info->architecture)) continue;
    tl_str model_type;
    TL_TRY(tl_json_str_or(root, where, "model_type", tl_str_of(info->model_type), &model_type));
    if (!tl_str_is(model_type, info->model_type)) {
      tl_buf shown = {0};
      tl_status st = TL_ERROR(INVALID_ARGUMENT, "%s: model_type: %s has \"%s\", found %s", where,
                              info->architecture, info->model_type, quoted(model_type, &shown));
      tl_buf_deinit(&shown);
      return st;
    }
    *out = (tl_family)f;
    return TL_OK;
  }
  tl_buf shown = {0};
  tl_status st = TL_ERROR(UNIMPLEMENTED, "%s: architecture %s is not supported; supported are%s",
                          where, quoted(name, &shown), architectures_known);
  tl_buf_deinit(&shown);
  return st;
}

// ---- what would change the arithmetic

static void refuse_unknown_keys(const json_t *root, tl_family family, refusals *r) {
  tl_buf shown = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)root, key, value) {
    bool known = false;
    for (size_t i = 0; i < TL_COUNT(known_keys) && !known; i++)
      known = (known_keys[i].families >> family & 1) && strcmp(known_keys[i].key, key) == 0;
    if (!known) refuse(r, "unknown key %s", quoted(tl_str_of(key), &shown));
  }
  tl_buf_deinit(&shown);
}

static tl_status refuse_if_true(const json_t *root, const char *where, const char *key,
                                refusals *r) {
  bool on;
  TL_TRY(tl_json_bool_or(root, where, key, false, &on));
  if (on) refuse(r, "%s true", key);
  return TL_OK;
}

static tl_status refuse_activation(const json_t *root, const char *where, const char *key,
                                   refusals *r) {
  tl_str name;
  TL_TRY(tl_json_str_or(root, where, key, TL_STR("silu"), &name));
  if (tl_str_is(name, "silu")) return TL_OK;
  tl_buf shown = {0};
  refuse(r, "%s %s (only silu)", key, quoted(name, &shown));
  tl_buf_deinit(&shown);
  return TL_OK;
}

static tl_status refuse_sliding_layers(const json_t *root, const char *where, int64_t n_layers,
                                       refusals *r) {
  if (is_absent(json_object_get(root, "layer_types"))) return TL_OK;
  json_t *list;
  TL_TRY(tl_json_array(root, where, "layer_types", &list));
  if ((int64_t)json_array_size(list) != n_layers)
    return TL_ERROR(INVALID_ARGUMENT, "%s: layer_types names %zu layers, num_hidden_layers is %lld",
                    where, json_array_size(list), (long long)n_layers);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    if (!json_is_string(item))
      return TL_ERROR(INVALID_ARGUMENT, "%s: layer_types[%zu]: wanted a string, found %s", where, i,
                      tl_json_kind(item));
    if (strcmp(json_string_value(item), "full_attention") == 0) continue;
    tl_buf shown = {0};
    refuse(r, "layer_types[%zu] %s (only full_attention)", i,
           quoted((tl_str){json_string_value(item), json_string_length(item)}, &shown));
    tl_buf_deinit(&shown);
    break; // one layer says enough
  }
  return TL_OK;
}

// RoPE is described by rope_theta with rope_scaling, or (since transformers 5) by rope_parameters.
static tl_status rope_object(const json_t *root, const char *where, const char *key, refusals *r,
                             double *theta) {
  if (is_absent(json_object_get(root, key))) return TL_OK;
  json_t *rope;
  TL_TRY(tl_json_object(root, where, key, &rope));
  char place[4096];
  snprintf(place, sizeof place, "%s: %s", where, key);
  tl_str type;
  TL_TRY(tl_json_str_or(rope, place, "type", TL_STR("default"), &type));
  TL_TRY(tl_json_str_or(rope, place, "rope_type", type, &type));
  tl_buf shown = {0};
  if (!tl_str_is(type, "default")) { // its other keys belong to the type
    refuse(r, "%s of type %s (only default)", key, quoted(type, &shown));
    tl_buf_deinit(&shown);
    return TL_OK;
  }
  tl_status st = TL_OK;
  const char *name;
  json_t *value;
  json_object_foreach(rope, name, value) {
    if (strcmp(name, "type") == 0 || strcmp(name, "rope_type") == 0 || st) continue;
    if (strcmp(name, "rope_theta") == 0) {
      double found;
      st = tl_json_f64(rope, place, name, &found);
      if (!st && !is_absent(json_object_get(root, "rope_theta")) && found != *theta)
        st = TL_ERROR(INVALID_ARGUMENT, "%s: rope_theta %g and %s.rope_theta %g disagree", where,
                      *theta, key, found);
      if (!st) *theta = found;
    } else if (strcmp(name, "partial_rotary_factor") == 0) {
      double factor;
      st = tl_json_f64_or(rope, place, name, 1, &factor);
      if (!st && factor != 1) refuse(r, "%s.%s %g (only 1)", key, name, factor);
    } else {
      refuse(r, "unknown key %s in %s", quoted(tl_str_of(name), &shown), key);
    }
  }
  tl_buf_deinit(&shown);
  return st;
}

// What codes and scales a checkpoint holds is read from its tensors; here is seen to it that it is
// a way of storing them that we know. Rounding of activations that it may ask for is left out.
static tl_status quantization_read(const json_t *root, const char *where, refusals *r) {
  if (is_absent(json_object_get(root, "quantization_config"))) return TL_OK;
  static const struct {
    const char *method, *key, *values[3]; // NULL: any
  } known[] = {{"fp8", "fmt", {"e4m3"}},
               {"modelopt", "quant_algo", {"FP8", "NVFP4"}},
               {"compressed-tensors",
                "format",
                {"float-quantized", "nvfp4-pack-quantized", "int-quantized"}}};
  json_t *q;
  tl_str method, value;
  TL_TRY(tl_json_object(root, where, "quantization_config", &q));
  TL_TRY(tl_json_str_or(q, where, "quant_method", TL_STR(""), &method));
  tl_buf shown = {0};
  size_t m = 0;
  while (m < TL_COUNT(known) && !tl_str_is(method, known[m].method))
    m++;
  if (m == TL_COUNT(known)) {
    refuse(r, "quant_method %s (only fp8, modelopt and compressed-tensors)",
           quoted(method, &shown));
    tl_buf_deinit(&shown);
    return TL_OK;
  }
  tl_status st = tl_json_str_or(q, where, known[m].key, tl_str_of(known[m].values[0]), &value);
  bool good = false;
  for (size_t i = 0; !st && i < TL_COUNT(known[m].values); i++)
    good |= known[m].values[i] && tl_str_is(value, known[m].values[i]);
  if (!st && !good)
    refuse(r, "%s %s of quant_method %s", known[m].key, quoted(value, &shown), known[m].method);
  tl_buf_deinit(&shown);
  const json_t *block = json_object_get(q, "weight_block_size");
  if (st || is_absent(block)) return st;
  bool whole = json_is_array(block) && json_array_size(block) == 2;
  for (size_t i = 0; whole && i < 2; i++)
    whole = json_integer_value(json_array_get(block, i)) == TL_FP8_BLOCK;
  if (!whole) refuse(r, "weight_block_size other than [128, 128]");
  return TL_OK;
}

static tl_status unsupported_read(const json_t *root, const char *where, tl_model_config *c,
                                  refusals *r) {
  refuse_unknown_keys(root, c->family, r);
  TL_TRY(tl_json_f64_or(root, where, "rope_theta", 10000, &c->rope_theta));
  TL_TRY(rope_object(root, where, "rope_scaling", r, &c->rope_theta));
  TL_TRY(rope_object(root, where, "rope_parameters", r, &c->rope_theta));
  TL_TRY(quantization_read(root, where, r));
  TL_TRY(refuse_if_true(root, where, "attention_bias", r));
  TL_TRY(refuse_if_true(root, where, "mlp_bias", r));
  TL_TRY(refuse_if_true(root, where, "rope_interleaved", r));
  TL_TRY(refuse_activation(root, where, "hidden_act", r));
  TL_TRY(refuse_activation(root, where, "hidden_activation", r));
  if (!is_absent(json_object_get(root, "attn_logit_softcapping")))
    refuse(r, "attn_logit_softcapping");
  TL_TRY(refuse_if_true(root, where, "use_sliding_window", r));
  return refuse_sliding_layers(root, where, c->n_layers, r);
}

// ---- numbers

static tl_status u32_read(const json_t *root, const char *where, const char *key, int64_t max,
                          uint32_t *out) {
  int64_t v;
  TL_TRY(tl_json_i64(root, where, key, 1, max, &v));
  *out = (uint32_t)v;
  return TL_OK;
}

static tl_status u32_read_or(const json_t *root, const char *where, const char *key, int64_t max,
                             int64_t fallback, uint32_t *out) {
  int64_t v;
  TL_TRY(tl_json_i64_or(root, where, key, 1, max, fallback, &v));
  *out = (uint32_t)v;
  return TL_OK;
}

static tl_status dtype_read(const json_t *root, const char *where, tl_stored *out) {
  static const struct {
    const char *name;
    tl_stored stored;
  } dtypes[] = {
      {"float32", TL_STORED_F32}, {"bfloat16", TL_STORED_BF16}, {"float16", TL_STORED_F16}};
  tl_str old, name;
  TL_TRY(tl_json_str_or(root, where, "torch_dtype", TL_STR("float32"), &old));
  TL_TRY(tl_json_str_or(root, where, "dtype", old, &name));
  for (size_t i = 0; i < TL_COUNT(dtypes); i++)
    if (tl_str_is(name, dtypes[i].name)) {
      *out = dtypes[i].stored;
      return TL_OK;
    }
  tl_buf shown = {0};
  tl_status st =
      TL_ERROR(INVALID_ARGUMENT, "%s: dtype: wanted float32, bfloat16 or float16, found %s", where,
               quoted(name, &shown));
  tl_buf_deinit(&shown);
  return st;
}

// null, one id, or several. Leaves c alone when absent.
static tl_status stops_read(const json_t *root, const char *where, tl_model_config *c) {
  const json_t *eos = json_object_get(root, "eos_token_id");
  if (is_absent(eos)) return TL_OK;
  c->n_stops = 0;
  size_t n = json_is_array(eos) ? json_array_size(eos) : 1;
  for (size_t i = 0; i < n; i++) {
    const json_t *id = json_is_array(eos) ? json_array_get(eos, i) : eos;
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) > TL_LIMIT_IDS)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: eos_token_id: wanted a token id or a list of them, found %s", where,
                      json_is_integer(id) ? "a number that is none" : tl_json_kind(id));
    if (!tl_model_config_add_stop(c, (uint32_t)json_integer_value(id)))
      return TL_ERROR(INVALID_ARGUMENT, "%s: eos_token_id: more than %d ids", where,
                      TL_MODEL_STOPS);
  }
  return TL_OK;
}

static tl_status numbers_read(const json_t *root, const char *where, tl_model_config *c) {
  TL_TRY(u32_read(root, where, "hidden_size", TL_LIMIT_WIDTH, &c->hidden));
  TL_TRY(u32_read(root, where, "intermediate_size", TL_LIMIT_WIDTH, &c->intermediate));
  TL_TRY(u32_read(root, where, "num_hidden_layers", TL_LIMIT_LAYERS, &c->n_layers));
  TL_TRY(u32_read(root, where, "num_attention_heads", TL_LIMIT_HEADS, &c->n_heads));
  TL_TRY(
      u32_read_or(root, where, "num_key_value_heads", TL_LIMIT_HEADS, c->n_heads, &c->n_kv_heads));
  TL_TRY(u32_read(root, where, "vocab_size", TL_LIMIT_IDS, &c->vocab));
  TL_TRY(
      u32_read_or(root, where, "max_position_embeddings", TL_LIMIT_IDS, 2048, &c->max_positions));
  if (is_absent(json_object_get(root, "head_dim")) && c->hidden % c->n_heads != 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: no head_dim, and hidden_size %u is not a multiple of %u heads", where,
                    c->hidden, c->n_heads);
  TL_TRY(
      u32_read_or(root, where, "head_dim", TL_LIMIT_WIDTH, c->hidden / c->n_heads, &c->head_dim));
  TL_TRY(tl_json_f64_or(root, where, "rms_norm_eps", 1e-6, &c->rms_eps));
  TL_TRY(tl_json_bool_or(root, where, "tie_word_embeddings", false, &c->tied));
  TL_TRY(tl_json_i64_or(root, where, "bos_token_id", 0, TL_LIMIT_IDS, -1, &c->bos));
  TL_TRY(dtype_read(root, where, &c->dtype));
  return stops_read(root, where, c);
}

// ---- the file

static tl_status config_read(const json_t *root, const char *where, tl_model_config *c) {
  if (!json_is_object(root))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", where, tl_json_kind(root));
  TL_TRY(family_read(root, where, &c->family));
  TL_TRY(numbers_read(root, where, c));
  refusals r = {0};
  tl_status st = unsupported_read(root, where, c, &r);
  if (!st && r.n > 0) {
    if (r.n > SHOWN_MAX) tl_buf_printf(&r.text, "; and %zu more", r.n - SHOWN_MAX);
    st = TL_ERROR(UNIMPLEMENTED, "%s: not supported: %s", where, r.text.ptr ? r.text.ptr : "?");
  }
  tl_buf_deinit(&r.text);
  return st;
}

tl_status tl_hf_config_parse(tl_str config, tl_str generation, const char *where,
                             tl_model_config *out_config) {
  tl_model_config c = {.bos = -1};
  json_t *root = NULL, *gen = NULL;
  tl_status st = TL_OK;
  TL_TRY_GOTO(done, st, tl_json_parse(config, where, &root));
  TL_TRY_GOTO(done, st, config_read(root, where, &c));
  if (generation.len > 0) {
    TL_TRY_GOTO(done, st, tl_json_parse(generation, "generation_config.json", &gen));
    TL_TRY_GOTO(done, st, stops_read(gen, "generation_config.json", &c));
  }
  TL_TRY_GOTO(done, st, tl_model_config_check(&c, where));
  *out_config = c;
done:
  json_decref(root);
  json_decref(gen);
  return st;
}

tl_status tl_hf_config_read(const char *dir, tl_model_config *out_config) {
  tl_status st = TL_OK;
  tl_buf config = {0}, generation = {0};
  tl_arena *scratch = tl_arena_create();
  const char *path = scratch ? tl_path_join(scratch, dir, "config.json") : NULL;
  const char *generation_path =
      scratch ? tl_path_join(scratch, dir, "generation_config.json") : NULL;
  if (!path || !generation_path) TL_TRY_GOTO(done, st, TL_OOM());
  TL_TRY_GOTO(done, st, tl_file_read(path, TL_HF_CONFIG_LIMIT, &config));
  if (tl_path_exists(generation_path))
    TL_TRY_GOTO(done, st, tl_file_read(generation_path, TL_HF_CONFIG_LIMIT, &generation));
  st = tl_hf_config_parse(tl_buf_view(&config), tl_buf_view(&generation), path, out_config);
done:
  tl_buf_deinit(&config);
  tl_buf_deinit(&generation);
  tl_arena_destroy(scratch);
  return st;
}
