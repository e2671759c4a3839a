// A manifest and its program files as text: one line of compact JSON, keys in the published order.
//
// A v2 manifest of the reference model has a published size, so nothing here is free: no blanks, no
// newline at the end, axisNames always there and always empty.
#include "artifact/manifest.h"

#include <inttypes.h>

#include "base/json.h"

// The text is built of calls like key(o, "name"), then a value. A comma stands before every key
// and item but the first, and what was written last tells which those are.
static void comma(tl_buf *o) {
  if (o->len && !strchr("{[:", o->ptr[o->len - 1])) tl_buf_char(o, ',');
}

static void key(tl_buf *o, const char *name) {
  comma(o);
  tl_json_quote(o, tl_str_of(name));
  tl_buf_char(o, ':');
}

static void put_i64(tl_buf *o, int64_t v) {
  comma(o);
  tl_buf_printf(o, "%" PRId64, v);
}

static void put_text(tl_buf *o, const char *text) { // NULL gives null
  comma(o);
  if (text)
    tl_json_quote(o, tl_str_of(text));
  else
    tl_buf_cstr(o, "null");
}

static void put_bool(tl_buf *o, bool v) { tl_buf_cstr(o, v ? "true" : "false"); }

static void begin(tl_buf *o, char bracket) {
  comma(o);
  tl_buf_char(o, bracket);
}

static void end(tl_buf *o, char bracket) { tl_buf_char(o, bracket); }

static void key_i64(tl_buf *o, const char *name, int64_t v) {
  key(o, name);
  put_i64(o, v);
}

static void key_text(tl_buf *o, const char *name, const char *text) {
  key(o, name);
  put_text(o, text);
}

static void key_dims(tl_buf *o, const char *name, const int64_t *dims, size_t n) {
  key(o, name);
  begin(o, '[');
  for (size_t i = 0; i < n; i++)
    put_i64(o, dims[i]);
  end(o, ']');
}

static void key_empty(tl_buf *o, const char *name) { key_dims(o, name, NULL, 0); }

static void put_type(tl_buf *o, tl_type t) {
  char dtype[16];
  begin(o, '{');
  key_text(o, "dtype", tl_wire_dtype_name(t.dtype, dtype));
  key_dims(o, "dims", t.dims, t.rank);
  key_empty(o, "axisNames");
  end(o, '}');
}

static void put_model(tl_buf *o, const tl_artifact *a) {
  char kv[16];
  begin(o, '{');
  key_i64(o, "vocabSize", a->vocab);
  key_i64(o, "hiddenSize", a->hidden);
  key_i64(o, "numHeads", a->n_heads);
  key_i64(o, "numKvHeads", a->n_kv_heads);
  key_i64(o, "headDim", a->head_dim);
  key_i64(o, "numLayers", a->n_layers);
  key_i64(o, "numBlocks", a->num_blocks);
  key_i64(o, "blockSize", a->block_size);
  key_text(o, "dtype", "f32");
  key_text(o, "kvDtype", tl_wire_dtype_name(a->kv_dtype, kv));
  key_text(o, "kvQuant", NULL);
  key(o, "kvPoolAxisOrder");
  tl_buf_cstr(o, "[\"numBlocks\",\"blockSize\",\"numKvHeads\",\"headDim\"]");
  const int64_t row = tl_kv_row(a->kv_dtype, a->head_dim);
  const int64_t pool[] = {a->num_blocks, a->block_size, a->n_kv_heads, row};
  key_dims(o, "kvPoolDims", pool, 4);
  if (a->priv->wire->version == 6) {
    const int64_t stacked[] = {2 * (int64_t)a->n_layers * a->num_blocks, pool[1], pool[2], pool[3]};
    key_dims(o, "stackedKvPoolDims", stacked, 4);
    key_i64(o, "context", a->context);
    key_i64(o, "maxBatch", a->max_batch);
    key_text(o, "compute", a->compute);
    key(o, "stopIds");
    begin(o, '[');
    for (size_t i = 0; i < a->n_stops; i++)
      put_i64(o, a->stops[i]);
    end(o, ']');
  }
  end(o, '}');
}

// A rung of each distinct value that `of` gives for the entries of one sort, ascending.
static void put_ladder(tl_buf *o, const tl_artifact *a, const char *name,
                       uint32_t (*of)(const tl_artifact_entry *)) {
  key(o, name);
  begin(o, '[');
  for (uint32_t last = 0;;) {
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < a->n_entries; i++) {
      uint32_t v = of(&a->entries[i]);
      if (v > last && v < next) next = v;
    }
    if (next == UINT32_MAX) break;
    put_i64(o, next);
    last = next;
  }
  end(o, ']');
}

static uint32_t batch_of(const tl_artifact_entry *e) { return e->B; }
static uint32_t context_of(const tl_artifact_entry *e) { return e->C; }
static uint32_t tokens_of(const tl_artifact_entry *e) { return e->T; }

static void put_weights(tl_buf *o, const tl_artifact *a) {
  const struct tl_artifact_wire *w = a->priv->wire;
  begin(o, '{');
  key_text(o, "format", w->embedded ? "embedded" : w->packed ? "packed" : "staged");
  key_text(o, "path", w->embedded ? NULL : "weights");
  key(o, "embedded");
  put_bool(o, w->embedded);
  key(o, "table");
  begin(o, '[');
  for (size_t i = 0; i < a->n_slots; i++) {
    const tl_artifact_slot *s = &a->slots[i];
    char dtype[16];
    if (s->constant) continue;
    begin(o, '{');
    key_text(o, "name", s->name);
    key_text(o, "path", s->path);
    key_text(o, "dtype", tl_wire_dtype_name(s->stored.dtype, dtype));
    key_dims(o, "dims", s->stored.dims, s->stored.rank);
    key_i64(o, "byteLength", (int64_t)s->size);
    key_text(o, "sha256", s->sha256);
    if (w->version == 6) {
      key_i64(o, "offset", (int64_t)s->offset);
      key_text(o, "format", s->format);
    }
    end(o, '}');
  }
  end(o, ']');
  end(o, '}');
}

static void put_slots(tl_buf *o, const char *name, const tl_wire_slot *slots, size_t n) {
  key(o, name);
  begin(o, '[');
  for (size_t i = 0; i < n; i++) {
    begin(o, '{');
    key_text(o, "name", slots[i].name);
    key_text(o, "role", tl_slot_role_name(slots[i].role));
    key(o, "type");
    put_type(o, slots[i].type);
    end(o, '}');
  }
  end(o, ']');
}

static void put_entry(tl_buf *o, const tl_artifact_entry *e, const tl_wire_entry *w) {
  begin(o, '{');
  key_text(o, "kind", tl_entry_kind_name(e->kind));
  switch (e->kind) {
  case TL_ENTRY_PREPARE:
    break;
  case TL_ENTRY_STEP:
    key_i64(o, "tokens", e->T);
    key_i64(o, "sequences", e->S);
    key_i64(o, "rows", e->R);
    key_i64(o, "maxBlocksPerSeq", w->max_blocks);
    break;
  default:
    key_i64(o, "batch", e->B);
    key_i64(o, "context", e->C);
    key_i64(o, "tokensPerSeq", e->tokens);
    key_i64(o, "maxBlocksPerSeq", w->max_blocks);
  }
  key_text(o, "cacheKey", w->cache_key);
  key_text(o, "entryPoint", "main");
  key_text(o, "bodyPath", e->body_path);
  key_text(o, "bodyHash", e->body_hash);
  key_text(o, "programPath", w->program_path);
  put_slots(o, "inputs", w->inputs, e->n_inputs);
  put_slots(o, "outputs", w->outputs, e->n_outputs);
  key(o, "donationPairs");
  begin(o, '[');
  for (size_t i = 0; i < w->n_pairs; i++) {
    begin(o, '[');
    put_i64(o, w->pairs[i][0]);
    put_i64(o, w->pairs[i][1]);
    end(o, ']');
  }
  end(o, ']');
  end(o, '}');
}

static void put_tokenizer(tl_buf *o, const struct tl_artifact_wire *w) {
  key(o, "tokenizer");
  if (!w->tokenizer) {
    put_text(o, NULL);
    return;
  }
  begin(o, '{');
  key_text(o, "path", w->tokenizer);
  key(o, "files");
  begin(o, '[');
  for (size_t i = 0; i < w->n_tokenizer_files; i++) {
    begin(o, '{');
    key_text(o, "name", w->tokenizer_files[i].name);
    key_text(o, "sha256", w->tokenizer_files[i].sha256);
    end(o, '}');
  }
  end(o, ']');
  end(o, '}');
}

tl_status tl_manifest_write(const tl_artifact *a, tl_buf *o) {
  const struct tl_artifact_wire *w = a->priv->wire;
  begin(o, '{');
  key_text(o, "schemaVersion", a->schema);
  key_text(o, "modelName", a->model_name);
  key_text(o, "modelHash", a->model_hash);
  key(o, "model");
  put_model(o, a);
  key(o, "bucketLadder");
  begin(o, '{');
  key_i64(o, "blockSize", a->block_size);
  put_ladder(o, a, "batch", batch_of);
  put_ladder(o, a, "context", context_of);
  if (w->version == 6) put_ladder(o, a, "tokens", tokens_of);
  end(o, '}');
  key(o, "weights");
  put_weights(o, a);
  if (w->version == 6) put_tokenizer(o, w);
  key(o, "entries");
  begin(o, '[');
  for (size_t i = 0; i < a->n_entries; i++)
    put_entry(o, &a->entries[i], &w->entries[i]);
  end(o, ']');
  end(o, '}');
  return o->oom ? TL_OOM() : TL_OK;
}

tl_status tl_program_write(const tl_artifact *a, size_t entry, tl_buf *o) {
  const tl_artifact_entry *e = &a->entries[entry];
  const tl_wire_entry *w = &a->priv->wire->entries[entry];
  begin(o, '{');
  key_text(o, "name", e->id);
  for (int side = 0; side < 2; side++) {
    key(o, side ? "outputs" : "inputs");
    begin(o, '[');
    for (uint32_t i = 0; i < (side ? e->n_outputs : e->n_inputs); i++)
      put_type(o, (side ? w->outputs : w->inputs)[i].type);
    end(o, ']');
  }
  key_text(o, "meshRequirement", "single-device");
  key_text(o, "bodyHash", e->body_hash);
  key_empty(o, "shardingSpec");
  key_empty(o, "backendMatrix");
  end(o, '}');
  return o->oom ? TL_OOM() : TL_OK;
}
