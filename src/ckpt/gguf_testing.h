// Makes GGUF files in memory for tests, damaged ones included. Not part of the library; header
// only.
#ifndef TL_CKPT_GGUF_TESTING_H
#define TL_CKPT_GGUF_TESTING_H

#include <stdio.h>

#include "base/half.h"
#include "base/str.h"
#include "ckpt/gguf.h"

typedef struct gguf_build { // zero-initialise; deinit when done
  tl_buf entries, records, data;
  uint64_t n_entries, n_tensors;
} gguf_build;

static inline void build_deinit(gguf_build *b) {
  tl_buf_deinit(&b->entries);
  tl_buf_deinit(&b->records);
  tl_buf_deinit(&b->data);
}

// v in `size` bytes, zeros behind the eighth.
static inline void build_little(tl_buf *out, uint64_t v, size_t size) {
  for (size_t i = 0; i < size; i++)
    tl_buf_char(out, i < 8 ? (char)(v >> (8 * i)) : 0);
}

static inline void build_text(tl_buf *out, const char *s) {
  build_little(out, strlen(s), 8);
  tl_buf_cstr(out, s);
}

static inline void build_key(gguf_build *b, const char *key, uint32_t type) {
  b->n_entries++;
  build_text(&b->entries, key);
  build_little(&b->entries, type, 4);
}

static inline void build_u32(gguf_build *b, const char *key, uint32_t v) {
  build_key(b, key, TL_GGUF_U32);
  build_little(&b->entries, v, 4);
}

static inline void build_f32(gguf_build *b, const char *key, float v) {
  build_key(b, key, TL_GGUF_F32);
  build_little(&b->entries, tl_bits_of_f32(v), 4);
}

static inline void build_string(gguf_build *b, const char *key, const char *v) {
  build_key(b, key, TL_GGUF_STRING);
  build_text(&b->entries, v);
}

// `n` strings "t0", "t1", …
static inline void build_tokens(gguf_build *b, const char *key, uint32_t n) {
  build_key(b, key, TL_GGUF_ARRAY);
  build_little(&b->entries, TL_GGUF_STRING, 4);
  build_little(&b->entries, n, 8);
  for (uint32_t i = 0; i < n; i++) {
    char token[16];
    snprintf(token, sizeof token, "t%u", i);
    build_text(&b->entries, token);
  }
}

// A tensor's record; dims in the file's order, the contiguous one first.
static inline void build_record(gguf_build *b, const char *name, uint32_t rank,
                                const uint64_t *dims, uint32_t ggml, uint64_t offset) {
  b->n_tensors++;
  build_text(&b->records, name);
  build_little(&b->records, rank, 4);
  for (uint32_t i = 0; i < rank; i++)
    build_little(&b->records, dims[i], 8);
  build_little(&b->records, ggml, 4);
  build_little(&b->records, offset, 8);
}

// A record and its data behind what is there, at the default alignment; `bytes` NULL gives bytes 0,
// 1, 2, …
static inline void build_tensor(gguf_build *b, const char *name, uint32_t rank,
                                const uint64_t *dims, tl_stored stored, const void *bytes) {
  while (b->data.len % 32 != 0)
    tl_buf_char(&b->data, 0);
  build_record(b, name, rank, dims, (uint32_t)tl_stored_get(stored)->ggml, b->data.len);
  uint64_t rows = 1;
  for (uint32_t i = 1; i < rank; i++)
    rows *= dims[i];
  size_t row_size = 0;
  if (!tl_stored_row_size(stored, dims[0], &row_size)) return;
  for (size_t i = 0; i < rows * row_size; i++)
    tl_buf_char(&b->data, bytes ? ((const char *)bytes)[i] : (char)i);
}

// The file so far, appended to an empty buffer; ends with the last tensor's last byte.
static inline void build_file_as(const gguf_build *b, uint32_t version, tl_buf *out) {
  tl_buf_cstr(out, "GGUF");
  build_little(out, version, 4);
  build_little(out, b->n_tensors, 8);
  build_little(out, b->n_entries, 8);
  tl_buf_add(out, b->entries.ptr, b->entries.len);
  tl_buf_add(out, b->records.ptr, b->records.len);
  if (b->n_tensors == 0) return;
  while (out->len % 32 != 0)
    tl_buf_char(out, 0);
  tl_buf_add(out, b->data.ptr, b->data.len);
}
static inline void build_file(const gguf_build *b, tl_buf *out) { build_file_as(b, 3, out); }

// The metadata of a tiny llama: H = 32, 4 heads on 2, D = 8, MLP 64, `n_layers`, 40 tokens.
static inline void build_llama_metadata(gguf_build *b, uint32_t n_layers) {
  build_string(b, "general.architecture", "llama");
  build_string(b, "general.name", "tiny");
  build_u32(b, "llama.block_count", n_layers);
  build_u32(b, "llama.context_length", 64);
  build_u32(b, "llama.embedding_length", 32);
  build_u32(b, "llama.feed_forward_length", 64);
  build_u32(b, "llama.attention.head_count", 4);
  build_u32(b, "llama.attention.head_count_kv", 2);
  build_u32(b, "llama.rope.dimension_count", 8);
  build_f32(b, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
  build_f32(b, "llama.rope.freq_base", 10000.0f);
  build_tokens(b, "tokenizer.ggml.tokens", 40);
  build_u32(b, "tokenizer.ggml.bos_token_id", 1);
  build_u32(b, "tokenizer.ggml.eos_token_id", 2);
}

// Its tensors: matrices as `matrix`, norms f32. `skip` is left out, NULL for none.
static inline void build_llama_tensors(gguf_build *b, uint32_t n_layers, tl_stored matrix,
                                       const char *skip) {
  static const struct {
    const char *name;
    uint32_t rank;
    uint64_t dims[2]; // k, rows
  } layer[] = {
      {"attn_norm.weight", 1, {32, 1}},    {"attn_q.weight", 2, {32, 32}},
      {"attn_k.weight", 2, {32, 16}},      {"attn_v.weight", 2, {32, 16}},
      {"attn_output.weight", 2, {32, 32}}, {"ffn_norm.weight", 1, {32, 1}},
      {"ffn_gate.weight", 2, {32, 64}},    {"ffn_up.weight", 2, {32, 64}},
      {"ffn_down.weight", 2, {64, 32}},
  };
  static const uint64_t embedding[2] = {32, 40};
  if (!skip || strcmp(skip, "token_embd.weight") != 0)
    build_tensor(b, "token_embd.weight", 2, embedding, matrix, NULL);
  for (uint32_t l = 0; l < n_layers; l++)
    for (size_t i = 0; i < TL_COUNT(layer); i++) {
      char name[64];
      snprintf(name, sizeof name, "blk.%u.%s", l, layer[i].name);
      if (skip && strcmp(skip, name) == 0) continue;
      build_tensor(b, name, layer[i].rank, layer[i].dims,
                   layer[i].rank == 1 ? TL_STORED_F32 : matrix, NULL);
    }
  build_tensor(b, "output_norm.weight", 1, embedding, TL_STORED_F32, NULL);
}

#endif
