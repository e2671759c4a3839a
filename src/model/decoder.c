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
// Of the last layer only keys and values are wanted of every token; the rest of it is computed of
// the rows that logits are wanted of. No row of a layer depends on how many others there are, so
// that this changes no bit.
//
// Where the head is tied it is the embedding itself, in the one packed copy.

typedef struct walk {
  const tl_model *m;
  tl_builder *b;
  tl_value *slots; // [n_slots] the prepared weights
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

// Tokens on their way through the layers: the residual stream and what attention wants to know.
typedef struct tokens {
  tl_value x;         // f32 [T,H]
  tl_value positions; // i32 [T], from 0
  tl_value lengths;   // i32 [T] or [B]: of the keys that a token sees
  tl_value rows;      // i32 [T] of the block tables; NULL: the tokens of each table in order
} tokens;

// Where a layer keeps its keys and values.
typedef struct pages {
  tl_value *keys, *values; // pools, or the one pool of all; replaced by what was written
  int64_t keys_at, values_at;
  tl_value slots, tables; // i32 [T] where a token's go; i32 [B,M]
} pages;

static tl_value heads(walk *w, tl_value h, tl_role role, uint32_t n,
                      uint32_t l) { // [T,H] -> [T,n,D]
  const int64_t T = h ? h->type.dims[0] : 0;
  return tlo_reshape(w->b, project(w, h, role, l), (int64_t[]){T, n, w->m->config.head_dim}, 3);
}

static tl_value rotated(walk *w, tl_value x, tl_value positions) {
  const size_t tables = w->m->n_stored;
  return tlo_rope(w->b, x, w->slots[tables], w->slots[tables + 1], positions);
}

// Keys and values of `all` tokens, written to the pages; then what the layer makes of the `asked`
// ones, [R,H]: they may be fewer where no later layer wants the others.
static tl_value layer(walk *w, const tokens *all, const tokens *asked, const pages *p, uint32_t l) {
  const tl_model_config *c = &w->m->config;
  const tl_model_options *o = &w->m->options;
  const tl_value h = norm(w, all->x, TL_ROLE_INPUT_NORM, l);
  const tl_value asked_h = asked->x == all->x ? h : norm(w, asked->x, TL_ROLE_INPUT_NORM, l);
  tl_value q = heads(w, asked_h, TL_ROLE_Q, c->n_heads, l);
  tl_value k = heads(w, h, TL_ROLE_K, c->n_kv_heads, l);
  const tl_value v = heads(w, h, TL_ROLE_V, c->n_kv_heads, l);
  if (has_role(w->m, TL_ROLE_Q_NORM)) {
    q = norm(w, q, TL_ROLE_Q_NORM, l);
    k = norm(w, k, TL_ROLE_K_NORM, l);
  }
  q = rotated(w, q, asked->positions);
  // Under `fast` queries over keys of bf16 are rounded as those are: both products are of bf16.
  if (o->compute == TL_COMPUTE_FAST && o->kv == TL_KV_BF16) q = tlo_convert(w->b, q, TL_DTYPE_BF16);
  k = rotated(w, k, all->positions);
  *p->keys = tlo_kv_cache_write(w->b, *p->keys, k, p->slots, p->keys_at);
  *p->values = tlo_kv_cache_write(w->b, *p->values, v, p->slots, p->values_at);
  const tl_value attention =
      tlo_paged_attention(w->b, q, *p->keys, *p->values, p->tables, asked->lengths, asked->rows,
                          1.0 / sqrt((double)c->head_dim), p->keys_at, p->values_at);
  const int64_t R = asked->x ? asked->x->type.dims[0] : 0;
  const tl_value flat =
      tlo_reshape(w->b, attention, (int64_t[]){R, (int64_t)c->n_heads * c->head_dim}, 2);
  const tl_value x = tlo_add(w->b, asked->x, project(w, flat, TL_ROLE_O, l));
  const tl_value m = norm(w, x, TL_ROLE_POST_NORM, l);
  const tl_value gate = project(w, m, TL_ROLE_GATE, l), up = project(w, m, TL_ROLE_UP, l);
  return tlo_add(w->b, x, project(w, tlo_swiglu(w->b, gate, up), TL_ROLE_DOWN, l));
}

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
  walk w = {.m = m, .b = &b};
  tl_value ints = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, n_ints), "ints");
  tl_value pool = named_arg(&b, pool_type_of(m, a, (int64_t)c->n_layers * 2 * blocks), "kvPool");
  if (pool) tl_func_arg_info(b.fn, pool->index)->alias_output = 1;
  tl_status st = weight_args(&w);
  if (st) tl_builder_fail(&b, st);

  int64_t at = 0;
  tl_value part[6]; // tokens, positions, slots, rows, tables, rows of logits
  const int64_t sizes[6] = {T, T, T, T, (int64_t)S * M, R};
  for (int i = 0; i < 6; at += sizes[i], i++)
    part[i] = tlo_slice(&b, ints, (int64_t[]){at}, (int64_t[]){at + sizes[i]}, NULL);
  tl_value tables = tlo_reshape(&b, part[4], (int64_t[]){S, M}, 2);
  const tl_value lengths = tlo_add(&b, part[1], tlo_constant_i64(&b, tl_value_type(part[1]), 1));

  tokens all = {st ? NULL : embed(&w, part[0]), part[1], lengths, part[3]};
  pages p = {.keys = &pool, .values = &pool, .slots = part[2], .tables = tables};
  const bool few = R < T;
  for (uint32_t l = 0; l < c->n_layers && !b.error; l++) {
    p.keys_at = 2 * (int64_t)l * blocks;
    p.values_at = p.keys_at + blocks;
    tokens asked = all;
    if (few && l + 1 == c->n_layers)
      asked =
          (tokens){tlo_embedding(&b, all.x, part[5]), tlo_take_rows(&b, all.positions, part[5]),
                   tlo_take_rows(&b, all.lengths, part[5]), tlo_take_rows(&b, all.rows, part[5])};
    all.x = layer(&w, &all, &asked, &p, l);
  }
  if (!b.error) {
    tl_value logits = head(&w, few ? all.x : tlo_embedding(&b, all.x, part[5]));
    tlo_return(&b, (tl_value[]){logits, pool}, 2);
  }
  return finish(module, &b, out_module);
}

// Rows T-1, 2T-1, … of x [B*T, ...].
static tl_value last_rows(tl_builder *b, tl_value x, int64_t T) {
  if (!x) return NULL;
  const int64_t start[2] = {T - 1, 0}, strides[2] = {T, 1};
  return tlo_slice(b, x, start, x->type.dims, strides);
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
  walk w = {.m = m, .b = &b};
  const int64_t N = (int64_t)B * T;
  tl_value ids = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, T), "tokenIds");
  tl_value positions = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, T), "positions");
  tl_value tables = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, C / bs), "blockTables");
  tl_value lengths = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, B), "seqLens");
  tl_value slots = named_arg(&b, TL_TYPE(a, TL_DTYPE_S32, N), "slotMapping");
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

  ids = tlo_reshape(&b, ids, (int64_t[]){N}, 1);
  positions = tlo_reshape(&b, positions, (int64_t[]){N}, 1);
  // A prefill's token sees what lies up to itself; seqLens is in its signature and not read.
  if (T > 1) lengths = tlo_add(&b, positions, tlo_constant_i64(&b, tl_value_type(positions), 1));
  tokens all = {b.error ? NULL : embed(&w, ids), positions, lengths, NULL};
  pages p = {.slots = slots, .tables = tables};
  for (uint32_t l = 0; l < c->n_layers && !b.error; l++) {
    p.keys = &results[1 + 2 * (size_t)l];
    p.values = p.keys + 1;
    tokens asked = all;
    if (T > 1 && l + 1 == c->n_layers)
      asked = (tokens){last_rows(&b, all.x, T), last_rows(&b, all.positions, T),
                       last_rows(&b, all.lengths, T), NULL};
    all.x = layer(&w, &all, &asked, &p, l);
  }
  if (!b.error) {
    results[0] = tlo_reshape(&b, head(&w, all.x), (int64_t[]){B, 1, c->vocab}, 3);
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
