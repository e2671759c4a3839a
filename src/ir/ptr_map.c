// Open addressing, at most half full; keys are never removed.
#include "ir/ptr_map.h"

#include <stdlib.h>

void tl_ptr_map_deinit(tl_ptr_map *m) {
  free(m->slots);
  *m = (tl_ptr_map){0};
}

static size_t slot_of(const tl_ptr_map *m, const void *key) {
  // Fibonacci hashing: the high bits of the product depend on all the bits of the address.
  size_t i = (size_t)(((uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
  for (i &= m->cap - 1; m->slots[i].key != NULL && m->slots[i].key != key;)
    i = (i + 1) & (m->cap - 1);
  return i;
}

bool tl_ptr_map_put(tl_ptr_map *m, const void *key, uintptr_t value) {
  if (m->len * 2 >= m->cap) {
    tl_ptr_map old = *m;
    size_t cap = old.cap ? old.cap * 2 : 64;
    tl_ptr_map_slot *slots = calloc(cap, sizeof *slots);
    if (slots == NULL) return false;
    m->slots = slots;
    m->cap = cap;
    for (size_t i = 0; i < old.cap; i++)
      if (old.slots[i].key != NULL) m->slots[slot_of(m, old.slots[i].key)] = old.slots[i];
    free(old.slots);
  }
  size_t i = slot_of(m, key);
  if (m->slots[i].key == NULL) m->len++;
  m->slots[i] = (tl_ptr_map_slot){key, value};
  return true;
}

bool tl_ptr_map_get(const tl_ptr_map *m, const void *key, uintptr_t *out_value) {
  if (m->cap == 0) return false;
  const tl_ptr_map_slot *s = &m->slots[slot_of(m, key)];
  if (s->key == NULL) return false;
  if (out_value != NULL) *out_value = s->value;
  return true;
}
