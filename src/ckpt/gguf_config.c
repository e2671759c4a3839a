#include "ckpt/gguf_config.h"

#include <stdio.h>

#include "ckpt/limits.h"

// Keys of the architecture are "<arch>.<leaf>". Each leaf is either read, or known to say nothing
// that matters, or refused by name: a GGUF of a model with sliding attention or scaled RoPE differs
// from a plain one in its keys alone.

#define KEY_SIZE 128

// Leaves that are read below.
static const char *const read_leaves[] = {
    "block_count",          "context_length",         "embedding_length",
    "feed_forward_length",  "attention.head_count",   "attention.head_count_kv",
    "attention.key_length", "attention.value_length", "attention.layer_norm_rms_epsilon",
    "rope.freq_base",       "rope.dimension_count",   "rope.scaling.type",
    "vocab_size",           "expert_count",           "expert_used_count",
    "tensor_data_layout",
};

static const char architectures_known[] =
#define TL_FAMILY(id, name, architecture, model_type, gguf, qk_norm, interleaved) " " gguf
#include "ckpt/families.def"
#undef TL_FAMILY
    ;

static const char *key_of(const tl_model_config *c, const char *leaf, char key[KEY_SIZE]) {
  snprintf(key, KEY_SIZE, "%s.%s", tl_family_get(c->family)->gguf, leaf);
  return key;
}

static tl_status family_read(const tl_gguf *g, tl_family *out) {
  tl_str name;
  TL_TRY(tl_gguf_str(g, "general.architecture", &name));
  for (size_t f = 0; f < TL_FAMILY_COUNT; f++)
    if (tl_str_is(name, tl_family_get((tl_family)f)->gguf)) {
      *out = (tl_family)f;
      return TL_OK;
    }
  bool plain = tl_utf8_valid(name) && name.len <= 64;
  for (size_t i = 0; i < name.len && plain; i++)
    plain = (uint8_t)name.ptr[i] >= 0x20;
  return TL_ERROR(UNIMPLEMENTED,
                  "%s: architecture " TL_STR_FMT " is not supported; supported are%s", g->name,
                  TL_STR_ARG(plain ? name : TL_STR("(unprintable)")), architectures_known);
}

static tl_status refuse_unknown_leaves(const tl_gguf *g, const tl_model_config *c) {
  tl_str arch = tl_str_of(tl_family_get(c->family)->gguf);
  for (size_t i = 0; i < g->n_entries; i++) {
    tl_str key = g->entries[i].key;
    if (!tl_str_starts(key, arch) || key.len <= arch.len || key.ptr[arch.len] != '.') continue;
    tl_str leaf = tl_str_sub(key, arch.len + 1, key.len);
    bool known = false;
    for (size_t j = 0; j < TL_COUNT(read_leaves) && !known; j++)
      known = tl_str_is(leaf, read_leaves[j]);
    if (!known)
      return TL_ERROR(UNIMPLEMENTED,
                      "%s: metadata key %s is not supported: it may change what the model computes",
                      g->name, key.ptr);
  }
  return TL_OK;
}

static tl_status u32_read(const tl_gguf *g, const tl_model_config *c, const char *leaf, int64_t max,
                          uint32_t *out) {
  char key[KEY_SIZE];
  int64_t v;
  TL_TRY(tl_gguf_i64(g, key_of(c, leaf, key), 1, max, &v));
  *out = (uint32_t)v;
  return TL_OK;
}

static tl_status u32_read_or(const tl_gguf *g, const tl_model_config *c, const char *leaf,
                             int64_t max, uint32_t fallback, uint32_t *out) {
  char key[KEY_SIZE];
  int64_t v;
  TL_TRY(tl_gguf_i64_or(g, key_of(c, leaf, key), 1, max, fallback, &v));
  *out = (uint32_t)v;
  return TL_OK;
}

// Refuses the leaf unless it is absent or has the wanted value.
static tl_status u32_must_be(const tl_gguf *g, const tl_model_config *c, const char *leaf,
                             uint32_t wanted, const char *why) {
  char key[KEY_SIZE];
  int64_t v;
  TL_TRY(tl_gguf_i64_or(g, key_of(c, leaf, key), 0, INT64_MAX, wanted, &v));
  if (v == wanted) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED, "%s: %s: %lld is not supported, only %u (%s)", g->name, key,
                  (long long)v, wanted, why);
}

static tl_status text_must_be(const tl_gguf *g, const tl_model_config *c, const char *leaf,
                              const char *wanted) {
  char key[KEY_SIZE];
  tl_str v;
  TL_TRY(tl_gguf_str_or(g, key_of(c, leaf, key), tl_str_of(wanted), &v));
  if (tl_str_is(v, wanted)) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED, "%s: %s is not supported, only \"%s\"", g->name, key, wanted);
}

static tl_status vocab_read(const tl_gguf *g, tl_model_config *c) {
  char key[KEY_SIZE];
  if (!tl_gguf_find(g, "tokenizer.ggml.tokens"))
    return u32_read(g, c, "vocab_size", TL_LIMIT_IDS, &c->vocab);
  const tl_str *tokens;
  size_t n;
  TL_TRY(tl_gguf_strings(g, "tokenizer.ggml.tokens", &tokens, &n));
  if (n == 0 || n > (size_t)TL_LIMIT_IDS)
    return TL_ERROR(INVALID_ARGUMENT, "%s: tokenizer.ggml.tokens: %zu tokens", g->name, n);
  c->vocab = (uint32_t)n;
  int64_t stated;
  TL_TRY(tl_gguf_i64_or(g, key_of(c, "vocab_size", key), 1, TL_LIMIT_IDS, c->vocab, &stated));
  if (stated != c->vocab)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s is %lld, tokenizer.ggml.tokens has %zu", g->name, key,
                    (long long)stated, n);
  return TL_OK;
}

// The end of a text, of a turn and of a message all end a generation.
static tl_status tokens_read(const tl_gguf *g, tl_model_config *c) {
  static const char *const stops[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                      "tokenizer.ggml.eom_token_id"};
  TL_TRY(tl_gguf_i64_or(g, "tokenizer.ggml.bos_token_id", 0, TL_LIMIT_IDS, -1, &c->bos));
  for (size_t i = 0; i < TL_COUNT(stops); i++) {
    int64_t id;
    TL_TRY(tl_gguf_i64_or(g, stops[i], 0, TL_LIMIT_IDS, -1, &id));
    if (id >= 0) tl_model_config_add_stop(c, (uint32_t)id); // three fit
  }
  return TL_OK;
}

tl_status tl_gguf_config_read(const tl_gguf *g, tl_model_config *out_config) {
  tl_model_config c = {.bos = -1};
  char key[KEY_SIZE];
  TL_TRY(family_read(g, &c.family));
  TL_TRY(refuse_unknown_leaves(g, &c));
  TL_TRY(u32_read(g, &c, "block_count", TL_LIMIT_LAYERS, &c.n_layers));
  TL_TRY(u32_read(g, &c, "context_length", TL_LIMIT_IDS, &c.max_positions));
  TL_TRY(u32_read(g, &c, "embedding_length", TL_LIMIT_WIDTH, &c.hidden));
  TL_TRY(u32_read(g, &c, "feed_forward_length", TL_LIMIT_WIDTH, &c.intermediate));
  TL_TRY(u32_read(g, &c, "attention.head_count", TL_LIMIT_HEADS, &c.n_heads));
  TL_TRY(u32_read_or(g, &c, "attention.head_count_kv", TL_LIMIT_HEADS, c.n_heads, &c.n_kv_heads));
  if (!tl_gguf_find(g, key_of(&c, "attention.key_length", key)) && c.hidden % c.n_heads != 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: no %s, and the width %u is not a multiple of %u heads",
                    g->name, key, c.hidden, c.n_heads);
  TL_TRY(u32_read_or(g, &c, "attention.key_length", TL_LIMIT_WIDTH, c.hidden / c.n_heads,
                     &c.head_dim));
  TL_TRY(u32_must_be(g, &c, "attention.value_length", c.head_dim, "the keys' length"));
  TL_TRY(u32_must_be(g, &c, "rope.dimension_count", c.head_dim, "the head dim"));
  TL_TRY(u32_must_be(g, &c, "expert_count", 0, "no mixture of experts"));
  TL_TRY(u32_must_be(g, &c, "expert_used_count", 0, "no mixture of experts"));
  TL_TRY(text_must_be(g, &c, "rope.scaling.type", "none"));
  TL_TRY(tl_gguf_f64(g, key_of(&c, "attention.layer_norm_rms_epsilon", key), &c.rms_eps));
  TL_TRY(tl_gguf_f64_or(g, key_of(&c, "rope.freq_base", key), 10000, &c.rope_theta));
  TL_TRY(vocab_read(g, &c));
  TL_TRY(tokens_read(g, &c));
  c.tied = tl_gguf_tensor_find(g, TL_STR("output.weight")) == NULL;
  c.dtype = TL_STORED_F32;
  TL_TRY(tl_model_config_check(&c, g->name));
  *out_config = c;
  return TL_OK;
}
