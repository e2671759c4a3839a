// Open addressing, at most half full; keys are never removed.
//
// The hash is the address itself, in units of 16 bytes. What one pass asks about lies in an arena
// in the order in which it asks, so the slots are visited in order too: a scattering hash costs a
// cache miss a question as soon as the table is larger than the cache, which made walks over large
// modules three times as slow. Keys S bytes apart share each home with about S / 32 others and have
// S / 16 slots up to the next home, so the probes for a key stay within what its own memory pays
// for.
#include "ir/ptr_map.h"

#include <stdlib.h>

#include "base/pages.h"

void tl_ptr_map_deinit(tl_ptr_map *m) {
  free(m->slots);
  *m = (tl_ptr_map){0};
}

static size_t slot_of(const tl_ptr_map *m, const void *key) {
  size_t i = (size_t)((uintptr_t)key >> 4);
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
    tl_ask_for_huge_pages(slots, cap * sizeof *slots);
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
