// A hash table from a pointer to a pointer or a number: what a pass knows about a value, an op, a
// function.
#ifndef TL_IR_PTR_MAP_H
#define TL_IR_PTR_MAP_H

#include "base/base.h"

typedef struct tl_ptr_map_slot {
  const void *key; // NULL = free
  uintptr_t value;
} tl_ptr_map_slot;

typedef struct tl_ptr_map { // zero-initialise; deinit when done
  tl_ptr_map_slot *slots;
  size_t cap, len; // cap is 0 or a power of two
} tl_ptr_map;

void tl_ptr_map_deinit(tl_ptr_map *m);
bool tl_ptr_map_put(tl_ptr_map *m, const void *key,
                    uintptr_t value); // key not NULL; false when memory is gone
bool tl_ptr_map_get(const tl_ptr_map *m, const void *key,
                    uintptr_t *out_value);                                  // out_value may be NULL
static inline void *tl_ptr_map_find(const tl_ptr_map *m, const void *key) { // NULL when absent
  uintptr_t v;
  return tl_ptr_map_get(m, key, &v) ? (void *)v : NULL;
}

#endif
