// Linear probing over a power of two of slots, at most three quarters full. Removal shifts the run
// behind the hole back, so there are no tombstones and a table that churns stays as fast as a fresh
// one.
//
// The hash has no seed: the order of the slots, and so the time a lookup takes, is the same in
// every run. Nobody iterates in slot order.
#include "base/map.h"

#include <stdlib.h>

#include "base/hash.h"

static uint64_t key_hash(tl_str key) {
  uint64_t h = tl_hash64(key.ptr, key.len);
  return h == 0 ? 1 : h; // 0 marks a free slot
}

void tl_map_deinit(tl_map *m) {
  free(m->slots);
  *m = (tl_map){0};
}

// The slot that has `key`, or the free one where it would go. There is always a free one.
static size_t slot_of(const tl_map *m, tl_str key, uint64_t hash) {
  size_t mask = m->cap - 1, at = (size_t)hash & mask;
  while (m->slots[at].hash != 0 && !(m->slots[at].hash == hash && tl_str_eq(m->slots[at].key, key)))
    at = (at + 1) & mask;
  return at;
}

bool tl_map_reserve(tl_map *m, size_t count) {
  size_t cap = m->cap == 0 ? 8 : m->cap;
  while (cap / 4 * 3 < count)
    if (!TL_MUL_OK(cap, (size_t)2, &cap)) return false;
  if (cap == m->cap) return true;
  tl_map next = {calloc(cap, sizeof(tl_map_slot)), cap, m->len};
  if (next.slots == NULL) return false;
  for (size_t i = 0; i < m->cap; i++)
    if (m->slots[i].hash != 0)
      next.slots[slot_of(&next, m->slots[i].key, m->slots[i].hash)] = m->slots[i];
  free(m->slots);
  *m = next;
  return true;
}

bool tl_map_put(tl_map *m, tl_str key, uint64_t value) {
  uint64_t hash = key_hash(key);
  if (m->cap != 0) {
    size_t at = slot_of(m, key, hash);
    if (m->slots[at].hash != 0) { // the key of the first put stays, with its lifetime
      m->slots[at].value = value;
      return true;
    }
  }
  if (!tl_map_reserve(m, m->len + 1)) return false;
  m->slots[slot_of(m, key, hash)] = (tl_map_slot){key, value, hash};
  m->len++;
  return true;
}

bool tl_map_get(const tl_map *m, tl_str key, uint64_t *out_value) {
  if (m->cap == 0) return false;
  size_t at = slot_of(m, key, key_hash(key));
  if (m->slots[at].hash == 0) return false;
  if (out_value != NULL) *out_value = m->slots[at].value;
  return true;
}

bool tl_map_remove(tl_map *m, tl_str key) {
  if (m->cap == 0) return false;
  size_t mask = m->cap - 1, hole = slot_of(m, key, key_hash(key));
  if (m->slots[hole].hash == 0) return false;
  for (size_t at = (hole + 1) & mask; m->slots[at].hash != 0; at = (at + 1) & mask) {
    // A slot may move into the hole unless its home lies cyclically in (hole, at].
    size_t home = (size_t)m->slots[at].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    m->slots[hole] = m->slots[at];
    hole = at;
  }
  m->slots[hole] = (tl_map_slot){0};
  m->len--;
  return true;
}
