// Memory that dies all at once: a chain of growing blocks, bump allocated.
//
// One owner, one thread at a time. Allocation returns zeroed memory or NULL. A mark remembers a
// place; rewinding frees everything allocated after it, so an arena also serves as scratch.
// tl_arena_own ties the release of a foreign reference to the arena: it runs, last first, when the
// arena is rewound past it or destroyed.
#ifndef TL_BASE_ARENA_H
#define TL_BASE_ARENA_H

#include "base/base.h"

typedef struct tl_arena tl_arena;
typedef struct tl_arena_point { // a place to rewind to; plain value
  void *block;
  size_t used;
  void *owned;
} tl_arena_point;

tl_arena *tl_arena_create(void);    // NULL when memory is gone
void tl_arena_destroy(tl_arena *a); // NULL is allowed
void *tl_arena_alloc(tl_arena *a, size_t size,
                     size_t align); // zeroed; NULL when memory is gone or size overflows
void *tl_arena_alloc_array(tl_arena *a, size_t count, size_t size,
                           size_t align); // checks count * size
tl_arena_point tl_arena_mark(tl_arena *a);
void tl_arena_rewind(tl_arena *a, tl_arena_point point);
bool tl_arena_own(tl_arena *a, void *object,
                  void (*release)(void *object)); // false: memory gone, nothing recorded
size_t tl_arena_size(const tl_arena *a);          // bytes held from the system

#define TL_NEW(a, type, count) \
  ((type *)tl_arena_alloc_array((a), (count), sizeof(type), _Alignof(type)))

#endif
