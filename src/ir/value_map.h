// A table from a value to a pointer or a number, by the value's own number.
//
// Values are numbered in the order in which passes ask about them, so a place found by number is
// next to the last one: a walk over a module that misses every cache reads the table as a stream.
// Numbers need not be unique (the results of one op share one, the values of a decomposition have
// none, other functions count from 0 as well): whoever finds its place taken goes to a table by
// address. While values are in the map their numbers stay as they are.
#ifndef TL_IR_VALUE_MAP_H
#define TL_IR_VALUE_MAP_H

#include "ir/ir.h"
#include "ir/ptr_map.h"

typedef struct tl_value_map_slot {
  const tl_value_def *key; // NULL = free
  uintptr_t value;
} tl_value_map_slot;

typedef struct tl_value_map { // zero-initialise; deinit when done
  tl_value_map_slot *slots;   // [cap] by number
  size_t cap, len;            // len: of slots that are taken
  tl_ptr_map others;
} tl_value_map;

void tl_value_map_deinit(tl_value_map *m);
bool tl_value_map_put(tl_value_map *m, const tl_value_def *key,
                      uintptr_t value); // key not NULL; false when memory is gone

static inline bool tl_value_map_get(const tl_value_map *m, const tl_value_def *key,
                                    uintptr_t *out_value) { // out_value may be NULL
  if (key->id < m->cap && m->slots[key->id].key == key) {
    if (out_value != NULL) *out_value = m->slots[key->id].value;
    return true;
  }
  return m->others.len != 0 && tl_ptr_map_get(&m->others, key, out_value);
}

static inline void *tl_value_map_find(const tl_value_map *m,
                                      const tl_value_def *key) { // NULL when absent
  uintptr_t v;
  return tl_value_map_get(m, key, &v) ? (void *)v : NULL;
}

#endif
