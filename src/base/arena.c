// A chain of blocks, the newest first; allocation bumps a cursor in the newest one.
//
//     arena ─► block (newest) ─► block ─► block (first)
//              [#### used ####|~~ dirty ~~|  never touched  ]
//
// Blocks double from 4 KiB to 32 MiB; an allocation that needs more gets a block of its own size.
// Of large ones the kernel is asked for huge pages: walks over a module of 100,000 ops, which
// misses every cache, take two thirds of the time then. What is not used of a block is never
// touched. Blocks come from calloc, so bytes above the dirty mark are zero already, and a large
// fresh array costs no memset (the kernel's zero pages serve). Below it are bytes that a rewind
// gave back.
//
// A rewind keeps the largest block it empties as a spare: a loop of mark, allocate, rewind then
// calls the system only in its first round, which is what "a decoding step allocates nothing once
// warm" needs from its scratch.
//
// The release records of tl_arena_own live in the arena itself, so that recording needs no second
// allocator.
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(ptr, size) ASAN_POISON_MEMORY_REGION((ptr), (size))
#define UNPOISON(ptr, size) ASAN_UNPOISON_MEMORY_REGION((ptr), (size))
#else
#define POISON(ptr, size) ((void)(ptr), (void)(size))
#define UNPOISON(ptr, size) ((void)(ptr), (void)(size))
#endif

enum { BLOCK_MIN = 4 << 10, BLOCK_MAX = 32 << 20 };

typedef struct block {
  struct block *prev; // the older one
  size_t size;        // bytes of data
  size_t used;        // bytes handed out, padding included
  size_t dirty;       // bytes ever handed out; the rest is zero
} block;

typedef struct owned {
  struct owned *prev; // recorded before this one
  void *object;
  void (*release)(void *object);
} owned;

struct tl_arena {
  block *top;
  block *spare; // emptied by a rewind, at most one
  owned *owned; // newest first
  size_t next;  // size of the next ordinary block
  size_t total; // bytes held, headers included
};

static unsigned char *block_data(block *b) { return (unsigned char *)(b + 1); }

tl_arena *tl_arena_create(void) {
  tl_arena *a = calloc(1, sizeof *a);
  if (a == NULL) return NULL;
  a->next = BLOCK_MIN - sizeof(block);
  a->total = sizeof *a;
  return a;
}

static void block_free(tl_arena *a, block *b) {
  if (b == NULL) return;
  UNPOISON(block_data(b), b->size);
  a->total -= sizeof *b + b->size;
  free(b);
}

static block *block_push(tl_arena *a, size_t least) {
  block *b = a->spare;
  if (b != NULL && b->size >= least) {
    a->spare = NULL;
  } else {
    size_t size = TL_MAX(least, a->next), total;
    if (!TL_ADD_OK(size, sizeof(block), &total)) return NULL;
    b = calloc(1, total);
    if (b == NULL) return NULL;
    tl_ask_for_huge_pages(b, total);
    b->size = size;
    a->total += total;
    POISON(block_data(b), b->size);
    if (a->next < BLOCK_MAX - sizeof(block)) a->next = a->next * 2 + sizeof(block);
  }
  b->prev = a->top;
  a->top = b;
  return b;
}

// Bytes to skip in `b` so that the next one is aligned.
static size_t block_padding(block *b, size_t align) {
  uintptr_t at = (uintptr_t)block_data(b) + b->used;
  return (size_t)(-at & (align - 1));
}

void *tl_arena_alloc(tl_arena *a, size_t size, size_t align) {
  TL_ASSERT(align != 0 && (align & (align - 1)) == 0);
  block *b = a->top;
  size_t pad = b == NULL ? 0 : block_padding(b, align), need;
  if (b == NULL || !TL_ADD_OK(pad, size, &need) || need > b->size - b->used) {
    size_t least;
    if (!TL_ADD_OK(size, align, &least)) return NULL;
    b = block_push(a, least);
    if (b == NULL) return NULL;
    pad = block_padding(b, align);
    need = pad + size;
  }
  unsigned char *p = block_data(b) + b->used + pad;
  UNPOISON(p, size);
  b->used += need;
  if (b->used - size < b->dirty) memset(p, 0, TL_MIN(size, b->dirty - (b->used - size)));
  if (b->used > b->dirty) b->dirty = b->used;
  return p;
}

void *tl_arena_alloc_array(tl_arena *a, size_t count, size_t size, size_t align) {
  size_t total;
  if (!TL_MUL_OK(count, size, &total)) return NULL;
  return tl_arena_alloc(a, total, align);
}

tl_arena_point tl_arena_mark(tl_arena *a) {
  return (tl_arena_point){a->top, a->top == NULL ? 0 : a->top->used, a->owned};
}

void tl_arena_rewind(tl_arena *a, tl_arena_point point) {
  while (a->owned != point.owned) { // before any block goes: the records lie in them
    TL_ASSERT(a->owned != NULL);
    owned o = *a->owned;
    a->owned = o.prev; // first, so that a release which looks at the arena finds it whole
    o.release(o.object);
  }
  while (a->top != point.block) {
    TL_ASSERT(a->top != NULL);
    block *b = a->top;
    a->top = b->prev;
    if (a->spare != NULL && a->spare->size >= b->size) {
      block_free(a, b);
      continue;
    }
    block_free(a, a->spare);
    b->used = 0;
    POISON(block_data(b), b->size);
    a->spare = b;
  }
  if (a->top != NULL) {
    TL_ASSERT(point.used <= a->top->used);
    a->top->used = point.used;
    POISON(block_data(a->top) + point.used, a->top->size - point.used);
  }
}

bool tl_arena_own(tl_arena *a, void *object, void (*release)(void *object)) {
  owned *o = TL_NEW(a, owned, 1);
  if (o == NULL) return false;
  *o = (owned){a->owned, object, release};
  a->owned = o;
  return true;
}

size_t tl_arena_size(const tl_arena *a) { return a->total; }

void tl_arena_destroy(tl_arena *a) {
  if (a == NULL) return;
  tl_arena_rewind(a, (tl_arena_point){NULL, 0, NULL});
  block_free(a, a->spare);
  free(a);
}
