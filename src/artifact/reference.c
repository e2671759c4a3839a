// The reference model: one attention layer over an alphabet of eleven, with weights from a linear
// congruential generator.
//
// It needs no checkpoint, runs everywhere in no time, and its bodies have published digests: a
// printer or a decomposition that moves by one byte is noticed here. Two forms were published: the
// older one without donation, and the later one with alias attributes and HIGHEST precision on the
// attention dots. The order of the calls below is the numbering of the values, so it is fixed too.
#include "artifact/artifact.h"

#include <math.h>

#include "artifact/private.h"

enum {
  VOCAB = 11,
  HIDDEN = 8,
  HEADS = 4,
  KV_HEADS = 2,
  HEAD_DIM = 2,
  NUM_BLOCKS = 6,
  BLOCK_SIZE = 2,
};
static const uint32_t batches[] = {1, 2, 4}, contexts[] = {2, 4};

// f32 [rows, columns], row-major, each value in [-0.5, 0.5): the high 24 bits of the generator's
// state after the step.
static tl_value weight(tl_builder *b, uint32_t seed, int64_t rows, int64_t columns) {
  float values[VOCAB * HIDDEN];
  const size_t n = (size_t)(rows * columns);
  uint32_t s = seed;
  for (size_t i = 0; i < n; i++) {
    s = s * 1664525u + 1013904223u;
    values[i] = (float)((double)(s >> 8) / 16777216.0) - 0.5f;
  }
  return tlo_constant(b, TL_TYPE(b->m->arena, TL_DTYPE_F32, rows, columns), values,
                      n * sizeof *values);
}

static tl_value matmul(tl_builder *b, tl_value x, tl_value w) { // [B,k] [k,n] -> [B,n]
  return tlo_dot(b, x, w, NULL, NULL, 0, (int64_t[]){1}, (int64_t[]){0}, 1);
}

static tl_value arg(tl_builder *b, tl_type type, const char *name, int32_t alias) {
  tl_value v = tl_func_arg(b, type);
  if (!v) return NULL;
  tl_arg_info *info = tl_func_arg_info(b->fn, v->index);
  info->name = tl_str_of(name);
  info->alias_output = alias;
  return v;
}

tl_status tl_reference_module(uint32_t B, uint32_t C, bool aliased, tl_module **out_module) {
  if (B == 0 || C == 0 || C % BLOCK_SIZE)
    return TL_ERROR(INVALID_ARGUMENT,
                    "the reference model: batch %u, context %u; wanted a batch and a context of "
                    "whole pages of %d",
                    B, C, BLOCK_SIZE);
  tl_module *m = tl_module_create();
  if (!m) return TL_OOM();
  tl_arena *a = m->arena;
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value tokens = arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, 1), "tokenIds", -1);
  arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, 1), "positions", -1); // nothing here depends on them
  tl_value tables = arg(&b, TL_TYPE(a, TL_DTYPE_S32, B, C / BLOCK_SIZE), "blockTables", -1);
  tl_value lengths = arg(&b, TL_TYPE(a, TL_DTYPE_S32, B), "seqLens", -1);
  tl_value slots = arg(&b, TL_TYPE(a, TL_DTYPE_S32, B), "slotMapping", -1);
  tl_type pool = TL_TYPE(a, TL_DTYPE_F32, NUM_BLOCKS, BLOCK_SIZE, KV_HEADS, HEAD_DIM);
  tl_value keys = arg(&b, pool, "keyCache0", 1), values = arg(&b, pool, "valueCache0", 2);

  tl_value x = tlo_embedding(&b, weight(&b, 1, VOCAB, HIDDEN), tokens); // [B,1,H]
  x = tlo_reshape(&b, x, (int64_t[]){B, HIDDEN}, 2);
  static const int64_t heads[] = {HEADS, KV_HEADS, KV_HEADS};
  tl_value qkv[3]; // [B,heads,D]
  for (uint32_t i = 0; i < 3; i++) {
    qkv[i] = matmul(&b, x, weight(&b, 2 + i, HIDDEN, heads[i] * HEAD_DIM));
    qkv[i] = tlo_reshape(&b, qkv[i], (int64_t[]){B, heads[i], HEAD_DIM}, 3);
  }
  keys = tlo_kv_cache_write(&b, keys, qkv[1], slots, 0);
  values = tlo_kv_cache_write(&b, values, qkv[2], slots, 0);
  tl_value y = tlo_paged_attention(&b, qkv[0], keys, values, tables, lengths, NULL,
                                   1.0 / sqrt((double)HEAD_DIM), 0, 0);
  if (y && aliased)
    tl_op_set_list(&b, y->op, TL_A_PAGED_ATTENTION_precision_config,
                   (int64_t[]){TL_PRECISION_HIGHEST, TL_PRECISION_HIGHEST}, 2);
  y = tlo_reshape(&b, y, (int64_t[]){B, HIDDEN}, 2);
  y = matmul(&b, y, weight(&b, 5, HIDDEN, VOCAB));
  tl_value results[] = {tlo_reshape(&b, y, (int64_t[]){B, 1, VOCAB}, 3), keys, values};
  tlo_return(&b, results, 3);
  tl_status st = tl_builder_finish(&b);
  if (st)
    tl_module_destroy(m);
  else
    *out_module = m;
  return st;
}

tl_status tl_reference_decode(uint32_t B, uint32_t C, tl_module **out_module) {
  return tl_reference_module(B, C, false, out_module);
}

tl_status tl_artifact_reference(tl_artifact **out_artifact) {
  tl_artifact *a;
  TL_TRY(tl_artifact_new(&a));
  a->priv->reference = true;
  a->schema = "tlaloc-serving-v2";
  a->model_name = "tlaloc-reference-decode";
  a->model_hash = "reference-decode-lcg-v1";
  a->vocab = VOCAB, a->hidden = HIDDEN, a->n_heads = HEADS, a->n_kv_heads = KV_HEADS;
  a->head_dim = HEAD_DIM, a->n_layers = 1;
  a->num_blocks = NUM_BLOCKS, a->block_size = BLOCK_SIZE;
  a->context = contexts[TL_COUNT(contexts) - 1];
  a->max_batch = batches[TL_COUNT(batches) - 1];
  a->kv_dtype = TL_DTYPE_F32;
  a->compute = "exact";
  a->n_entries = TL_COUNT(batches) * TL_COUNT(contexts);
  a->entries = TL_NEW(a->arena, tl_artifact_entry, a->n_entries);
  if (!a->entries) goto oom;
  for (size_t i = 0; i < a->n_entries; i++) {
    tl_artifact_entry *e = &a->entries[i];
    *e = (tl_artifact_entry){.kind = TL_ENTRY_DECODE,
                             .B = batches[i / TL_COUNT(contexts)],
                             .C = contexts[i % TL_COUNT(contexts)],
                             .tokens = 1,
                             .n_inputs = 7,
                             .n_outputs = 3};
    e->id = tl_arena_printf(a->arena, "decode_b%u_c%u", e->B, e->C);
    if (!e->id) goto oom;
  }
  *out_artifact = a;
  return TL_OK;
oom:
  tl_artifact_release(a);
  return TL_OOM();
}
