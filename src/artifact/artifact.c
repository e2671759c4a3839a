#include "artifact/artifact.h"

#include <pthread.h>
#include <stdatomic.h>

#include "artifact/private.h"
#include "shlo/shlo.h"

// Artifacts as objects, and those that live in memory; directories are store.c's.

tl_status tl_artifact_new(tl_artifact **out_artifact) {
  tl_arena *arena = tl_arena_create();
  tl_artifact *a = arena ? TL_NEW(arena, tl_artifact, 1) : NULL;
  struct tl_artifact_private *p = a ? TL_NEW(arena, struct tl_artifact_private, 1) : NULL;
  pthread_mutex_t *lock = p ? TL_NEW(arena, pthread_mutex_t, 1) : NULL;
  if (!lock) {
    tl_arena_destroy(arena);
    return TL_OOM();
  }
  pthread_mutex_init(lock, NULL);
  p->lock = lock;
  atomic_init(&p->refs, 1);
  a->arena = arena;
  a->priv = p;
  *out_artifact = a;
  return TL_OK;
}

tl_artifact *tl_artifact_retain(tl_artifact *a) {
  atomic_fetch_add(&a->priv->refs, 1);
  return a;
}

void tl_artifact_release(tl_artifact *a) {
  if (!a || atomic_fetch_sub(&a->priv->refs, 1) != 1) return;
  for (size_t i = 0; i < a->priv->n_maps; i++)
    tl_file_map_close(&a->priv->maps[i]);
  pthread_mutex_destroy(a->priv->lock);
  tl_tokenizer_release(a->tokenizer);
  tl_model_destroy(a->model);
  tl_arena_destroy(a->arena);
}

const tl_artifact_entry *tl_artifact_find(const tl_artifact *a, tl_entry_kind kind) {
  for (size_t i = 0; i < a->n_entries; i++)
    if (a->entries[i].kind == kind) return &a->entries[i];
  return NULL;
}

uint64_t tl_artifact_kv_size(const tl_artifact *a) {
  return 2 * (uint64_t)a->n_layers * a->num_blocks * a->block_size * a->n_kv_heads *
         (uint64_t)tl_kv_row(a->kv_dtype, a->head_dim) * tl_dtype_get(a->kv_dtype)->size;
}

size_t tl_step_ladder(uint32_t top, uint32_t *out_rungs, size_t cap) {
  size_t n = 0;
  for (uint32_t two = 1; two < top && n + 2 < cap; two *= 2) { // 1 2 3 4 6 8 12 …
    out_rungs[n++] = two;
    if (two >= 2 && two + two / 2 < top) out_rungs[n++] = two + two / 2;
    if (two > UINT32_MAX / 2) break;
  }
  if (n < cap) out_rungs[n++] = top;
  return n;
}

// What most of the matrices' bytes are stored as.
static tl_format main_format(const tl_model *m) {
  uint64_t bytes[TL_FORMAT_COUNT] = {0};
  tl_format best = TL_FORMAT_F32;
  for (size_t i = 0; i < m->n_stored; i++) {
    size_t size;
    if (m->slots[i].stored.rank == 2 && tl_type_size(m->slots[i].stored, &size))
      bytes[m->slots[i].format] += size;
  }
  for (size_t f = 0; f < TL_FORMAT_COUNT; f++)
    if (bytes[f] > bytes[best]) best = (tl_format)f;
  return best;
}

const char *tl_artifact_model_hash(tl_arena *a, const tl_model *m, const char *digest) {
  const tl_model_config *c = &m->config;
  const tl_format format = main_format(m);
  const bool f32 = format == TL_FORMAT_F32;
  return tl_arena_printf(a, "hf-%s:%s:L%u:h%u:v%u%s%s%s%s%s", tl_family_get(c->family)->name,
                         c->name, c->n_layers, c->hidden, c->vocab, f32 ? "" : ":w",
                         f32 ? "" : tl_format_get(format)->name, c->tied ? ":tiedHead" : "",
                         digest ? ":weights-" : "", digest ? digest : "");
}

tl_status tl_artifact_of_model(tl_model *model, tl_tokenizer *tokenizer, uint32_t prefill_chunk,
                               tl_artifact **out_artifact) {
  tl_artifact *a;
  TL_TRY(tl_artifact_new(&a));
  const tl_model_config *c = &model->config;
  const tl_model_options *o = &model->options;
  a->schema = "tlaloc-serving-v6";
  a->model_name = c->name;
  a->model_hash = tl_artifact_model_hash(a->arena, model, NULL);
  a->vocab = c->vocab, a->hidden = c->hidden, a->n_heads = c->n_heads,
  a->n_kv_heads = c->n_kv_heads;
  a->head_dim = c->head_dim, a->n_layers = c->n_layers;
  a->num_blocks = o->num_blocks, a->block_size = o->block_size;
  a->context = model->pages * o->block_size;
  a->max_batch = o->max_batch;
  a->kv_dtype = tl_model_kv_dtype(o->kv);
  a->stacked_pool = true;
  a->compute = o->compute == TL_COMPUTE_FAST ? "fast" : "exact";
  a->n_stops = c->n_stops;
  for (uint32_t i = 0; i < c->n_stops; i++)
    a->stops[i] = (int32_t)c->stops[i];
  a->n_slots = model->n_slots;
  a->slots = TL_NEW(a->arena, tl_artifact_slot, a->n_slots);
  uint32_t rungs[64];
  if (prefill_chunk == 0) prefill_chunk = TL_MIN(512u, a->context);
  prefill_chunk = TL_MIN(prefill_chunk, a->context);
  const size_t n_rungs =
      tl_step_ladder(TL_MAX(prefill_chunk, o->max_batch), rungs, TL_COUNT(rungs));
  a->n_entries = n_rungs + 1;
  a->entries = TL_NEW(a->arena, tl_artifact_entry, a->n_entries);
  if (!a->model_hash || !a->slots || !a->entries) goto oom;
  for (size_t i = 0; i < a->n_slots; i++) {
    const tl_model_slot *slot = &model->slots[i];
    a->slots[i] = (tl_artifact_slot){.name = slot->name,
                                     .stored = slot->stored,
                                     .prepared = slot->prepared,
                                     .format = tl_format_get(slot->format)->name,
                                     .constant = slot->weight == NULL};
  }
  a->entries[0] = (tl_artifact_entry){.kind = TL_ENTRY_PREPARE,
                                      .id = "prepare",
                                      .n_inputs = (uint32_t)model->n_stored,
                                      .n_outputs = (uint32_t)model->n_slots};
  for (size_t i = 0; i < n_rungs; i++) {
    const uint32_t T = rungs[i], S = o->max_batch, R = TL_MIN(T, S);
    a->entries[1 + i] =
        (tl_artifact_entry){.kind = TL_ENTRY_STEP,
                            .T = T,
                            .S = S,
                            .R = R,
                            .id = tl_arena_printf(a->arena, "step_t%u_s%u_r%u", T, S, R),
                            .n_inputs = 2 + (uint32_t)a->n_slots,
                            .n_outputs = 2};
    if (!a->entries[1 + i].id) goto oom;
  }
  a->model = model;
  a->tokenizer = tokenizer ? tl_tokenizer_retain(tokenizer) : NULL;
  *out_artifact = a;
  return TL_OK;
oom:
  tl_artifact_release(a);
  return TL_OOM();
}

// Prints an entry of an artifact in memory.
tl_status tl_artifact_memory_body(const tl_artifact *a, const tl_artifact_entry *e,
                                  tl_buf *out_text) {
  tl_module *module = NULL;
  switch (e->kind) {
  case TL_ENTRY_PREPARE:
    TL_TRY(tl_model_prepare(a->model, &module));
    break;
  case TL_ENTRY_STEP:
    TL_TRY(tl_model_step(a->model, e->T, e->S, e->R, &module));
    break;
  case TL_ENTRY_DECODE:
    TL_TRY(a->priv->reference ? tl_reference_decode(e->B, e->C, &module)
                              : tl_model_decode(a->model, e->B, e->C, &module));
    break;
  case TL_ENTRY_PREFILL:
    TL_TRY(tl_model_prefill(a->model, e->B, e->C, e->tokens, &module));
    break;
  }
  tl_status st = tl_shlo_print(module, &(tl_shlo_print_options){.hex_literals = true}, out_text);
  tl_module_destroy(module);
  return st;
}
