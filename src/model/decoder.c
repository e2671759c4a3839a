#include "model/model.h"

#include <math.h>

// Llama and its relatives: pre-norm decoder layers with rotary attention over pages and a SwiGLU
// MLP. Qwen3 adds an RMS norm of every query and key head before the rotation. Families differ in
// roles (ckpt/roles.def) and in what the config says, so one walk builds them all:
//
//   x = embed[tokens]
//   per layer:
//     h = rms(x)
//     q, k, v = h Wq, h Wk, h Wv          Qwen3: q, k = rms(q), rms(k), head by head
//     q, k = rope(q), rope(k)
//     write k, v to the pages
//     x += attention(q, pages) Wo
//     h = rms(x)
//     x += swiglu(h Wgate, h Wup) Wdown
//   logits = rms(the wanted rows of x) Whead
//
// Where the head is tied it is the embedding itself, in the one packed copy.

typedef struct walk {
  const tl_model *m;
  tl_builder *b;
  tl_value *slots; // [n_slots] the prepared weights
  int64_t T;       // tokens in this call
  tl_value rows;   // what was quantized last, and its codes and scales
  tl_op *quantized;
  tl_value wide, rounded; // what was rounded to bf16 last, and that
} walk;

static size_t slot_index(const tl_model *m, tl_role role, uint32_t layer) {
  return (size_t)(tl_checkpoint_weight(m->checkpoint, role, layer) - m->checkpoint->weights);
}

static bool has_role(const tl_model *m, tl_role role) {
  return tl_checkpoint_weight(m->checkpoint, role, 0) != NULL;
}

static tl_value project(walk *w, tl_value x, tl_role role,
                        uint32_t layer) { // x [..., k] -> [..., rows]
  size_t i = slot_index(w->m, role, layer);
  const tl_model_slot *slot = &w->m->slots[i];
  const int64_t rows = (int64_t)slot->weight->rows;
  const bool codes = tl_format_get(slot->format)->code_bits != 0;
  if (w->m->options.compute == TL_COMPUTE_EXACT || (!codes && slot->format != TL_FORMAT_BF16))
    return tlo_quantized_matmul(w->b, x, w->slots[i], slot->format, rows);
  // Rounded once for all projections of the same rows.
  if (!codes) {
    if (w->wide != x) {
      w->wide = x;
      w->rounded = tlo_convert(w->b, x, TL_DTYPE_BF16);
    }
    return tlo_bf16_matmul(w->b, w->rounded, w->slots[i], rows);
  }
  if (w->rows != x) {
    w->rows = x;
    w->quantized = tlo_quantize_int8(w->b, x);
  }
  if (w->quantized == NULL) return NULL;
  return tlo_int8_matmul(w->b, w->quantized->results[0], w->quantized->results[1], w->slots[i],
                         slot->format, rows);
}

static tl_value norm(walk *w, tl_value x, tl_role role, uint32_t layer) {
  return tlo_rms_norm(w->b, x, w->slots[slot_index(w->m, role, layer)], w->m->config.rms_eps);
}

static tl_value embed(walk *w, tl_value tokens) { // i32 [T] -> f32 [T,H]
  size_t i = slot_index(w->m, TL_ROLE_EMBED, 0);
  const tl_model_slot *slot = &w->m->slots[i];
  return tlo_quantized_embedding(w->b, w->slots[i], tokens, slot->format,
                                 (int64_t)slot->weight->rows, (int64_t)slot->weight->k);
}

static tl_value head(walk *w, tl_value x) { // [R,H] -> logits [R,vocab]
  return project(w, norm(w, x, TL_ROLE_FINAL_NORM, 0),
                 w->m->config.tied ? TL_ROLE_EMBED : TL_ROLE_HEAD, 0);
}

static tl_value heads(walk *w, tl_value x, uint32_t n) { // [T, n*D] -> [T,n,D]
  return tlo_reshape(w->b, x, (int64_t[]){w->T, n, w->m->config.head_dim}, 3);
}

// One layer's queries, keys and values, rotated. x [T,H].
static void layer_qkv(walk *w, tl_value x, tl_value positions, uint32_t l, tl_value *q, tl_value *k,
                      tl_value *v) {
  const tl_model_config *c = &w->m->config;
  tl_value cos = w->slots[w->m->n_stored], sin = w->slots[w->m->n_stored + 1];
  tl_value h = norm(w, x, TL_ROLE_INPUT_NORM, l);
  *q = heads(w, project(w, h, TL_ROLE_Q, l), c->n_heads);
  *k = heads(w, project(w, h, TL_ROLE_K, l), c->n_kv_heads);
  *v = heads(w, project(w, h, TL_ROLE_V, l), c->n_kv_heads);
  if (has_role(w->m, TL_ROLE_Q_NORM)) {
    *q = norm(w, *q, TL_ROLE_Q_NORM, l);
    *k = norm(w, *k, TL_ROLE_K_NORM, l);
  }
  *q = tlo_rope(w->b, *q, cos, sin, positions);
  *k = tlo_rope(w->b, *k, cos, sin, positions);
}

// What follows attention [T,heads,D]: output projection, residuals, MLP.
static tl_value layer_rest(walk *w, tl_value x, tl_value attention, uint32_t l) {
  const tl_model_config *c = &w->m->config;
  tl_value flat =
      tlo_reshape(w->b, attention, (int64_t[]){w->T, (int64_t)c->n_heads * c->head_dim}, 2);
  x = tlo_add(w->b, x, project(w, flat, TL_ROLE_O, l));
  tl_value h = norm(w, x, TL_ROLE_POST_NORM, l);
  tl_value gate = project(w, h, TL_ROLE_GATE, l), up = project(w, h, TL_ROLE_UP, l);
  return tlo_add(w->b, x, project(w, tlo_swiglu(w->b, gate, up), TL_ROLE_DOWN, l));
}

// Under `fast` queries over keys of bf16 are rounded as those were, and so both products are of
// bf16.
static tl_value query(const walk *w, tl_value q) {
  const tl_model_options *o = &w->m->options;
  return o->compute == TL_COMPUTE_FAST && o->kv == TL_KV_BF16 ? tlo_convert(w->b, q, TL_DTYPE_BF16)
                                                              : q;
}

static double attention_scale(const tl_model *m) { return 1.0 / sqrt((double)m->config.head_dim); }

static tl_value named_arg(tl_builder *b, tl_type type, const char *name) {
  tl_value v = tl_func_arg(b, type);
  if (v) tl_func_arg_info(b->fn, v->index)->name = tl_str_of(name);
  return v;
}

static tl_status weight_args(walk *w) {
  w->slots = TL_NEW(w->b->m->arena, tl_value, w->m->n_slots);
  if (!w->slots) return TL_OOM();
  for (size_t i = 0; i < w->m->n_slots; i++) {
    const tl_model_slot *slot = &w->m->slots[i];
    tl_type t =
        tl_type_of(w->b->m->arena, slot->prepared.dtype, slot->prepared.dims, slot->prepared.rank);
    if (!t.dims) return TL_OOM();
    w->slots[i] = named_arg(w->b, t, slot->name);
  }
  return TL_OK;
}

tl_dtype tl_model_kv_dtype(tl_kv_mode kv) {
  static const tl_dtype dtypes[] = {[TL_KV_F32] = TL_DTYPE_F32,
                                    [TL_KV_BF16] = TL_DTYPE_BF16,
                                    [TL_KV_F16] = TL_DTYPE_F16,
                                    [TL_KV_FP8] = TL_DTYPE_F8E4M3FN,
                                    [TL_KV_INT8] = TL_DTYPE_S8};
  return dtypes[kv];
}
static tl_type pool_type_of(const tl_model *m, tl_arena *a, int64_t blocks) {
  const tl_dtype d = tl_model_kv_dtype(m->options.kv);
  return TL_TYPE(a, d, blocks, (int64_t)m->options.block_size, (int64_t)m->config.n_kv_heads,
                 tl_kv_row(d, m->config.head_dim));
}

static tl_status finish(tl_module *module, tl_builder *b, tl_module **out_module) {
  tl_status st = tl_builder_finish(b);
  if (st)
    tl_module_destroy(module);
  else
    *out_module = module;
  return st;
}

tl_status tl_model_step(const tl_model *m, uint32_t T, uint32_t S, uint32_t R,
                        tl_module **out_module) {
  if (T == 0 || S == 0 || R == 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "a step of %u tokens of %u sequences with %u rows of logits; wanted at least "
                    "one of each",
                    T, S, R);
  tl_module *module = tl_module_create();
  if (!module) return TL_OOM();
  tl_arena *a = module->arena;
  const tl_model_config *c = &m->config;
  const int64_t blocks = m->options.num_blocks, M = m->pages;
  const int64_t n_ints = (int64_t)tl_model_step_ints(m, T, S, R);
  tl_builder b = tl_func_begin(module, "main", false);
  walk w = {.m = m, .b = &b, .T = T};
  tl_value ints = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, n_ints), "ints");
  tl_value pool = named_arg(&b, pool_type_of(m, a, (int64_t)c->n_layers * 2 * blocks), "kvPool");
  if (pool) tl_func_arg_info(b.fn, pool->index)->alias_output = 1;
  tl_status st = weight_args(&w);
  if (st) tl_builder_fail(&b, st);

  int64_t at = 0;
  tl_value part[6]; // tokens, positions, slots, rows, tables, output rows
  const int64_t sizes[6] = {T, T, T, T, (int64_t)S * M, R};
  for (int i = 0; i < 6; at += sizes[i], i++)
    part[i] = tlo_slice(&b, ints, (int64_t[]){at}, (int64_t[]){at + sizes[i]}, NULL);
  tl_value tables = tlo_reshape(&b, part[4], (int64_t[]){S, M}, 2);
  tl_value lengths = tlo_add(&b, part[1], tlo_constant_i64(&b, tl_value_type(part[1]), 1));

  tl_value x = st ? NULL : embed(&w, part[0]);
  for (uint32_t l = 0; l < c->n_layers && !b.error; l++) {
    tl_value q, k, v;
    layer_qkv(&w, x, part[1], l, &q, &k, &v);
    const int64_t k_at = 2 * (int64_t)l * blocks, v_at = k_at + blocks;
    pool = tlo_kv_cache_write(&b, pool, k, part[2], k_at);
    pool = tlo_kv_cache_write(&b, pool, v, part[2], v_at);
    tl_value attention = tlo_paged_attention(&b, query(&w, q), pool, pool, tables, lengths, part[3],
                                             attention_scale(m), k_at, v_at);
    x = layer_rest(&w, x, attention, l);
  }
  if (!b.error) {
    tl_value logits = head(&w, tlo_embedding(&b, x, part[5]));
    tlo_return(&b, (tl_value[]){logits, pool}, 2);
  }
  return finish(module, &b, out_module);
}

// decode and prefill: T tokens of each of B sequences, pools per layer.
static tl_status reference_entry(const tl_model *m, uint32_t B, uint32_t C, uint32_t T,
                                 tl_module **out_module) {
  const uint32_t bs = m->options.block_size;
  if (C == 0 || C % bs || C > m->pages * bs)
    return TL_ERROR(INVALID_ARGUMENT,
                    "contexts: %u is not a multiple of the page's %u tokens up to %u", C, bs,
                    m->pages * bs);
  if (B == 0 || T == 0 || T > C)
    return TL_ERROR(INVALID_ARGUMENT, "an entry of %u x %u tokens in a context of %u", B, T, C);
  tl_module *module = tl_module_create();
  if (!module) return TL_OOM();
  tl_arena *a = module->arena;
  const tl_model_config *c = &m->config;
  tl_builder b = tl_func_begin(module, "main", false);
  walk w = {.m = m, .b = &b, .T = (int64_t)B * T};
  tl_value tokens = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, T), "tokenIds");
  tl_value positions = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, T), "positions");
  tl_value tables = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, C / bs), "blockTables");
  tl_value lengths = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B), "seqLens");
  tl_value slots = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, w.T), "slotMapping");
  const tl_type pool_type = pool_type_of(m, a, m->options.num_blocks);
  tl_value *results = TL_NEW(a, tl_value, 1 + 2 * (size_t)c->n_layers);
  tl_status st = results ? TL_OK : TL_OOM();
  for (uint32_t i = 0; !st && i < 2 * c->n_layers; i++) {
    const char *name = tl_arena_printf(a, "%sCache%u", i % 2 ? "value" : "key", i / 2);
    results[1 + i] = named_arg(&b, pool_type, name ? name : "");
    if (results[1 + i])
      tl_func_arg_info(b.fn, results[1 + i]->index)->alias_output = (int32_t)(1 + i);
  }
  if (!st) st = weight_args(&w);
  if (st) tl_builder_fail(&b, st);

  tokens = tlo_reshape(&b, tokens, (int64_t[]){w.T}, 1);
  positions = tlo_reshape(&b, positions, (int64_t[]){w.T}, 1);
  // A prefill's token sees what lies up to itself; seqLens is in its signature and not read.
  if (T > 1) lengths = tlo_add(&b, positions, tlo_constant_i64(&b, tl_value_type(positions), 1));
  tl_value x = b.error ? NULL : embed(&w, tokens);
  for (uint32_t l = 0; l < c->n_layers && !b.error; l++) {
    tl_value q, k, v, *pools = &results[1 + 2 * (size_t)l];
    layer_qkv(&w, x, positions, l, &q, &k, &v);
    pools[0] = tlo_kv_cache_write(&b, pools[0], k, slots, 0);
    pools[1] = tlo_kv_cache_write(&b, pools[1], v, slots, 0);
    tl_value attention = tlo_paged_attention(&b, query(&w, q), pools[0], pools[1], tables, lengths,
                                             NULL, attention_scale(m), 0, 0);
    x = layer_rest(&w, x, attention, l);
  }
  if (!b.error) {
    const int64_t H = c->hidden;
    if (T > 1) { // the last token of each sequence
      x = tlo_reshape(&b, x, (int64_t[]){B, T, H}, 3);
      x = tlo_slice(&b, x, (int64_t[]){0, T - 1, 0}, (int64_t[]){B, T, H}, NULL);
      x = tlo_reshape(&b, x, (int64_t[]){B, H}, 2);
    }
    results[0] = tlo_reshape(&b, head(&w, x), (int64_t[]){B, 1, c->vocab}, 3);
    tlo_return(&b, results, 1 + 2 * c->n_layers);
  }
  return finish(module, &b, out_module);
}

tl_status tl_model_decode(const tl_model *m, uint32_t B, uint32_t C, tl_module **out_module) {
  return reference_entry(m, B, C, 1, out_module);
}

tl_status tl_model_prefill(const tl_model *m, uint32_t B, uint32_t C, uint32_t T,
                           tl_module **out_module) {
  if (T < 2)
    return TL_ERROR(INVALID_ARGUMENT, "prefill-chunk: %u; a prefill takes at least 2 tokens", T);
  return reference_entry(m, B, C, T, out_module);
}

// RoPE tables [P, D/2]: cos and sin of position * theta^(-2i/D), in f64, rounded once.
static tl_value rope_table(const tl_model *m, tl_builder *b, bool sine) {
  const tl_type t = m->slots[m->n_stored].prepared;
  const size_t P = (size_t)t.dims[0], half = (size_t)t.dims[1];
  float *table = TL_NEW(b->m->arena, float, P *half);
  if (!table) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  for (size_t i = 0; i < half; i++) {
    double frequency = pow(m->config.rope_theta, -2.0 * (double)i / (double)m->config.head_dim);
    for (size_t p = 0; p < P; p++) {
      double angle = (double)p * frequency;
      table[p * half + i] = (float)(sine ? sin(angle) : cos(angle));
    }
  }
  return tlo_constant(b, tl_type_of(b->m->arena, t.dtype, t.dims, t.rank), table,
                      P * half * sizeof *table);
}

tl_status tl_model_prepare(const tl_model *m, tl_module **out_module) {
  tl_module *module = tl_module_create();
  if (!module) return TL_OOM();
  tl_arena *a = module->arena;
  tl_builder b = tl_func_begin(module, "main", false);
  tl_value *v = TL_NEW(a, tl_value, m->n_slots);
  if (!v) tl_builder_fail(&b, TL_OOM());
  for (size_t i = 0; !b.error && i < m->n_stored; i++) {
    tl_type t = m->slots[i].stored;
    v[i] = named_arg(&b, tl_type_of(a, t.dtype, t.dims, t.rank), m->slots[i].name);
  }
  const int64_t D = m->config.head_dim;
  for (size_t i = 0; !b.error && i < m->n_stored; i++) {
    const tl_model_slot *slot = &m->slots[i];
    const tl_weight *weight = slot->weight;
    if (tl_role_get(weight->role)->rank == 1) {
      v[i] = tlo_convert(&b, v[i], TL_DTYPE_F32);
      continue;
    }
    if (weight->interleaved_rope) { // stored rows 2i, 2i+1 of a head are its rows i, i + D/2
      const int64_t rows = slot->stored.dims[0], width = slot->stored.dims[1];
      v[i] = tlo_reshape(&b, v[i], (int64_t[]){rows / D, D / 2, 2, width}, 4);
      v[i] = tlo_transpose(&b, v[i], (int64_t[]){0, 2, 1, 3});
      v[i] = tlo_reshape(&b, v[i], (int64_t[]){rows, width}, 2);
    }
    v[i] = tlo_pack_weights(&b, v[i], slot->format, (int64_t)weight->rows, (int64_t)weight->k);
  }
  if (!b.error) {
    v[m->n_stored] = rope_table(m, &b, false);
    v[m->n_stored + 1] = rope_table(m, &b, true);
    tlo_return(&b, v, (uint32_t)m->n_slots);
  }
  return finish(module, &b, out_module);
}
