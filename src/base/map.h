// A hash table from text to a 64-bit value (open addressing, xxhash). Keys are borrowed: they must
// outlive the map.
#ifndef TL_BASE_MAP_H
#define TL_BASE_MAP_H

#include "base/str.h"

typedef struct tl_map_slot {
  tl_str key;
  uint64_t value;
  uint64_t hash; // 0 = free
} tl_map_slot;

typedef struct tl_map { // zero-initialise; deinit when done
  tl_map_slot *slots;
  size_t cap, len;
} tl_map;

void tl_map_deinit(tl_map *m);
bool tl_map_reserve(tl_map *m, size_t count); // false when memory is gone
// Sets key to value. *out_old, when given, gets the former value and *out_had whether there was
// one. False: memory gone.
bool tl_map_put(tl_map *m, tl_str key, uint64_t value);
bool tl_map_get(const tl_map *m, tl_str key,
                uint64_t *out_value); // false when absent; out_value may be NULL
bool tl_map_remove(tl_map *m, tl_str key);

#endif
