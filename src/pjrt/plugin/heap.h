// Device memory: blocks of size classes, kept for reuse, so that a step that makes the same outputs
// every time takes no memory from the system once warm. Not locked: its client does that.
#ifndef TL_PJRT_PLUGIN_HEAP_H
#define TL_PJRT_PLUGIN_HEAP_H

#include "base/base.h"

#define TL_HEAP_ALIGN 64
#define TL_HEAP_CLASSES 256

typedef struct tl_heap {       // zero-initialise
  void *free[TL_HEAP_CLASSES]; // lists through the first word of each block
  size_t cached;               // bytes in them
  void *slabs;                 // the newest first, linked through the first word of each
  size_t slab_used;            // bytes taken of the newest
  size_t in_use, peak, largest, n_allocs;
} tl_heap;

// At least `size` bytes, aligned to 64; *out_cap is what tl_heap_give wants back. NULL when memory
// is gone.
void *tl_heap_take(tl_heap *h, size_t size, size_t *out_cap);
void tl_heap_give(tl_heap *h, void *block, size_t cap);
void tl_heap_deinit(tl_heap *h); // frees what is cached
// The class of a size and its capacity; false when it would overflow. For the test.
bool tl_heap_class(size_t size, size_t *out_class, size_t *out_cap);

#endif
