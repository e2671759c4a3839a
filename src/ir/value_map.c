#include "ir/value_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

void tl_value_map_deinit(tl_value_map *m) {
  free(m->slots);
  tl_ptr_map_deinit(&m->others);
  *m = (tl_value_map){0};
}

// The table stays within a few places a value: a lone value with a great number gets none.
static bool has_place(const tl_value_map *m, uint32_t id) { return id < 64 + 8 * (m->len + 1); }

static bool grow(tl_value_map *m, uint32_t id) {
  size_t cap = m->cap == 0 ? 64 : m->cap;
  while (cap <= id)
    cap *= 2;
  tl_value_map_slot *slots = calloc(cap, sizeof *slots);
  if (slots == NULL) return false;
  tl_ask_for_huge_pages(slots, cap * sizeof *slots);
  if (m->cap != 0) memcpy(slots, m->slots, m->cap * sizeof *slots);
  free(m->slots);
  m->slots = slots;
  m->cap = cap;
  return true;
}

bool tl_value_map_put(tl_value_map *m, const tl_value_def *key, uintptr_t value) {
  const uint32_t id = key->id;
  if (id >= m->cap && has_place(m, id) && !grow(m, id)) return false;
  if (id < m->cap) {
    tl_value_map_slot *s = &m->slots[id];
    // One that came before its place was there is among the others.
    const bool is_new =
        s->key == NULL && (m->others.len == 0 || !tl_ptr_map_get(&m->others, key, NULL));
    if (is_new) m->len++;
    if (is_new || s->key == key) {
      *s = (tl_value_map_slot){key, value};
      return true;
    }
  }
  return tl_ptr_map_put(&m->others, key, value);
}
