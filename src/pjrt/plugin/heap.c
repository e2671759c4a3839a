// Four size classes an octave: a block is at most a quarter too large, and in large ones the
// surplus is address space that nobody touches. Weights must lie in huge pages (half the bandwidth
// is lost without them), and most of a model's are smaller than one: so blocks of 16 KiB to 8 MiB
// are cut, one behind another, from slabs of huge pages. Larger ones are mapped by themselves,
// smaller ones come from the C heap. A slab's blocks are reused but never given back before the
// end.
#include "pjrt/plugin/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define HEAP_SLAB_FROM ((size_t)16 << 10)
#define HEAP_MAP_FROM ((size_t)8 << 20)
#define HEAP_SLAB ((size_t)32 << 20)
// What is kept for reuse at most. Larger than the outputs of a serving step; smaller than a KV pool
// that was given up.
#define HEAP_CACHE_MAX ((size_t)256 << 20)

bool tl_heap_class(size_t size, size_t *out_class, size_t *out_cap) {
  if (size <= TL_HEAP_ALIGN) {
    *out_class = 0;
    *out_cap = TL_HEAP_ALIGN;
    return true;
  }
  unsigned top = 63u - (unsigned)__builtin_clzll((unsigned long long)size);
  size_t step = TL_MAX((size_t)1 << (top - 2), (size_t)TL_HEAP_ALIGN);
  if (!TL_ADD_OK(size, step - 1, out_cap)) return false;
  *out_cap &= ~(step - 1);
  top = 63u - (unsigned)__builtin_clzll(
                  (unsigned long long)*out_cap); // rounding may reach the next octave
  *out_class = (size_t)top * 4 + ((*out_cap >> (top - 2)) & 3);
  return true;
}

static void release(void *block, size_t cap) { // not a slab's
  if (cap >= HEAP_MAP_FROM)
    tl_mem_unmap(block, cap);
  else
    free(block);
}

static bool in_slab(size_t cap) { return cap >= HEAP_SLAB_FROM && cap < HEAP_MAP_FROM; }

static void *cut(tl_heap *h, size_t cap) {
  if (!h->slabs || HEAP_SLAB - h->slab_used < cap) {
    char *slab = tl_mem_map(HEAP_SLAB);
    if (!slab) return NULL;
    memcpy(slab, &h->slabs, sizeof(void *));
    h->slabs = slab;
    h->slab_used = TL_HEAP_ALIGN; // behind the link
  }
  void *block = (char *)h->slabs + h->slab_used;
  h->slab_used += cap;
  return block;
}

static void *fresh(tl_heap *h, size_t cap) {
  if (in_slab(cap)) return cut(h, cap);
  return cap >= HEAP_MAP_FROM ? tl_mem_map(cap) : aligned_alloc(TL_HEAP_ALIGN, cap);
}

void *tl_heap_take(tl_heap *h, size_t size, size_t *out_cap) {
  size_t at = 0;
  if (!tl_heap_class(size, &at, out_cap)) return NULL;
  size_t cap = *out_cap;
  void *block = h->free[at];
  if (block) {
    memcpy(&h->free[at], block, sizeof(void *));
    h->cached -= cap;
  } else {
    block = fresh(h, cap);
    if (block == NULL) return NULL;
    h->n_allocs++;
  }
  h->in_use += cap;
  h->peak = TL_MAX(h->peak, h->in_use);
  h->largest = TL_MAX(h->largest, cap);
  return block;
}

void tl_heap_give(tl_heap *h, void *block, size_t cap) {
  h->in_use -= cap;
  if (!in_slab(cap) && h->cached + cap > HEAP_CACHE_MAX) {
    release(block, cap);
    return;
  }
  size_t at = 0, same = 0;
  tl_heap_class(cap, &at, &same);
  TL_ASSERT(same == cap);
  memcpy(block, &h->free[at], sizeof(void *));
  h->free[at] = block;
  h->cached += cap;
}

void tl_heap_deinit(tl_heap *h) {
  for (size_t at = 0; at < TL_HEAP_CLASSES; at++)
    while (h->free[at]) {
      void *block = h->free[at];
      memcpy(&h->free[at], block, sizeof(void *));
      size_t top = at / 4, cap = at == 0 ? TL_HEAP_ALIGN : ((size_t)4 + at % 4) << (top - 2);
      if (!in_slab(cap)) release(block, cap);
    }
  while (h->slabs) {
    void *slab = h->slabs;
    memcpy(&h->slabs, slab, sizeof(void *));
    tl_mem_unmap(slab, HEAP_SLAB);
  }
  h->cached = 0;
}
