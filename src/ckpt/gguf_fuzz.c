// Any bytes as a GGUF file: what is accepted must be what it says it is, and a config is read from
// it or refused.
#include "ckpt/gguf.h"

#include <stdlib.h>

#include "ckpt/gguf_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
  if (!good) abort();
}

// Reads every byte that an accepted file hands out, so that a sanitizer sees one that is not there.
static void walk(const tl_gguf *g, const uint8_t *data, size_t size) {
  unsigned sum = 0;
  for (size_t i = 0; i < g->n_entries; i++) {
    const tl_gguf_value *v = &g->entries[i].value;
    require(tl_gguf_find(g, g->entries[i].key.ptr) == v);
    if (v->type == TL_GGUF_STRING)
      for (size_t j = 0; j < v->s.len; j++)
        sum += (uint8_t)v->s.ptr[j];
    if (v->type != TL_GGUF_ARRAY) continue;
    for (size_t j = 0; j < v->len; j++) {
      if (v->item == TL_GGUF_STRING)
        for (size_t b = 0; b < v->strings[j].len; b++)
          sum += (uint8_t)v->strings[j].ptr[b];
      else if (v->item == TL_GGUF_F32 || v->item == TL_GGUF_F64)
        sum += tl_gguf_item_f64(v, j) > 0;
      else if (v->item == TL_GGUF_BOOL)
        sum += tl_gguf_item_bool(v, j);
      else
        sum += (unsigned)tl_gguf_item_i64(v, j);
    }
  }
  for (size_t i = 0; i < g->n_tensors; i++) {
    const tl_gguf_tensor *t = &g->tensors[i];
    require(tl_gguf_tensor_find(g, t->name) == t);
    require(t->size == t->rows * t->row_size && t->size > 0);
    require(t->data >= data && t->size <= size && (size_t)(t->data - data) <= size - t->size);
    sum += t->data[0] + t->data[t->size - 1];
  }
  static volatile unsigned sink;
  sink += sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_gguf *g = NULL;
  tl_status st = tl_gguf_parse(data, size, "fuzz", &g);
  if (st) {
    require(tl_status_message(st)[0] != '\0');
    tl_status_drop(st);
    return 0;
  }
  walk(g, data, size);
  tl_model_config c;
  st = tl_gguf_config_read(g, &c);
  if (!st)
    require(c.n_heads % c.n_kv_heads == 0 && c.head_dim % 2 == 0 && c.n_stops <= TL_MODEL_STOPS);
  tl_status_drop(st);
  tl_gguf_destroy(g);
  return 0;
}
