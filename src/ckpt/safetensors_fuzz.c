// Any bytes as a safetensors file: accepted tensors cover the data exactly, and what can be written
// again reads back the same.
#include "ckpt/safetensors.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
  if (!good) abort();
}

static void write_back(const tl_safetensors *s) {
  tl_safetensors_item *items = calloc(s->n_tensors + 1, sizeof *items);
  require(items != NULL);
  for (size_t i = 0; i < s->n_tensors; i++) {
    const tl_safetensor *t = &s->tensors[i];
    items[i] = (tl_safetensors_item){t->name, t->dtype, t->rank, t->dims, t->data, t->size};
  }
  tl_buf bytes = {0};
  tl_status st = tl_safetensors_format(items, s->n_tensors, s->meta, s->n_meta, &bytes);
  if (!st) { // every dtype was one that we write
    tl_safetensors *again = NULL;
    require(tl_safetensors_parse(bytes.ptr, bytes.len, "again", &again) == TL_OK);
    require(again->n_tensors == s->n_tensors && again->n_meta == s->n_meta);
    for (size_t i = 0; i < s->n_tensors; i++) {
      const tl_safetensor *t = tl_safetensors_find(again, s->tensors[i].name);
      require(t && t->size == s->tensors[i].size &&
              (t->size == 0 || memcmp(t->data, s->tensors[i].data, t->size) == 0));
    }
    tl_safetensors_destroy(again);
  }
  tl_status_drop(st);
  tl_buf_deinit(&bytes);
  free(items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_safetensors *s = NULL;
  tl_status st = tl_safetensors_parse(data, size, "fuzz", &s);
  if (st) {
    require(tl_status_message(st)[0] != '\0');
    tl_status_drop(st);
    return 0;
  }
  size_t covered = 0;
  for (size_t i = 0; i < s->n_tensors; i++) {
    const tl_safetensor *t = &s->tensors[i];
    require(tl_safetensors_find(s, t->name) == t);
    require(t->data >= data && t->data + t->size <= data + size);
    covered += t->size;
  }
  require(covered <= size);
  write_back(s);
  tl_safetensors_destroy(s);
  return 0;
}
