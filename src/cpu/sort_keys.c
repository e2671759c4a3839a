// Keys are sorted by a counting sort for each digit, lowest first, each of which is stable; a digit
// that all have alike needs none. Where few are wanted, those are left out first whose highest
// digit, of the bits that differ, says that they are not among them, as often as this halves them.
//
// Shared, each part sorts a range of places for itself, and then makes its range of the whole by
// merging: where a range of a merge begins in both runs is found by halving (the merge path: S.
// Odeh and others, "Merge Path - Parallel Merging Made Simple", 2012), so that the parts' work is
// even whatever the keys are. More than two runs are merged two by two. Of equal keys that of the
// left run comes first: the order is what one thread makes. Digits could be shared too (everyone
// counts, then everyone moves). But then each move takes keys from one thread's cache to another's,
// a few at a time, and with CPUs that share no cache it took longer than one thread does alone.
//
//     part 0   sort own range | merge own range (| merge …)
//     part 1   sort own range | merge own range (| merge …)      |: a barrier
#include "cpu/sort_keys.h"

#include <string.h>

// TOGETHER merges go on side by side: a step of one waits for the step before it.
enum { SMALL = 40, FEW = 4096, MAX_DIGITS = 8, MAX_BINS = 2048, TOGETHER = 4 };

typedef uint64_t key_index32; // the key, then the index
typedef struct key_index64 {
  uint64_t key;
  uint32_t index;
} key_index64;

typedef struct sort_part { // in each thread's scratch, behind the keys
  uint32_t bins[MAX_DIGITS * MAX_BINS];
  bool nan;
  void *sorted; // its range, where it was sorted
} sort_part;

static size_t size_of_keys(const sort_keys *e) {
  return tl_round_up(2 * (e->wide ? sizeof(key_index64) : sizeof(key_index32)) * e->n, 64);
}

size_t sort_keys_scratch(const sort_keys *e) {
  return size_of_keys(e) + tl_round_up(sizeof(sort_part), 64);
}

typedef struct sharing {
  size_t n, part, n_parts;
  const plan_exec *execs; // of all threads
  size_t offset, own;     // where in their scratch the keys lie, and the parts' own
  tl_pool *pool;
} sharing;

static sort_part *part_of(const sharing *h, size_t part) {
  return (sort_part *)(void *)(h->execs[part].scratch + h->own);
}

static bool any_nan(const sharing *h) {
  bool any = false;
  for (size_t q = 0; q < h->n_parts; q++)
    any |= part_of(h, q)->nan;
  return any;
}

// Where part q's range begins; that of n_parts is the end.
static size_t begin_of(const sharing *h, size_t q) {
  size_t from, to;
  if (q >= h->n_parts) return h->n;
  tl_pool_range(h->n, 1, q, h->n_parts, &from, &to);
  return from;
}

#define T key_index32
#define K uint32_t
#define NAMED(name) name##_32
#define PAIR(key, index) ((uint64_t)(key) << 32 | (uint32_t)(index))
#define KEY(x) ((uint32_t)((x) >> 32))
#define INDEX(x) ((uint32_t)(x))
#define IS_LEFT(x, y) ((x) < (y))
#define CHOOSE(c, x, y) ((c) ? (x) : (y))
#define ABOVE 0xff800000u // the keys of NaN; below ~ABOVE those of negative ones
#include "cpu/sort_keys.inc"
#undef T
#undef K
#undef NAMED
#undef PAIR
#undef KEY
#undef INDEX
#undef IS_LEFT
#undef CHOOSE
#undef ABOVE
#define T key_index64
#define K uint64_t
#define NAMED(name) name##_64
#define PAIR(key, index) ((key_index64){(key), (uint32_t)(index)})
#define KEY(x) ((x).key)
#define INDEX(x) ((x).index)
#define IS_LEFT(x, y) ((x).key <= (y).key)
#define CHOOSE(c, x, y)                                                 \
  ((key_index64){(y).key ^ (((x).key ^ (y).key) & (0 - (uint64_t)(c))), \
                 (y).index ^ (((x).index ^ (y).index) & (0 - (uint32_t)(c)))})
#define ABOVE 0xfff0000000000000u
#include "cpu/sort_keys.inc"

bool sort_keys_alone(const sort_keys *e, const void *keys, void *scratch, uint32_t *order) {
  return (e->wide ? alone_64 : alone_32)(e, keys, scratch, order);
}

bool sort_keys_shared(const sort_keys *e, const void *keys, plan_exec *x, size_t offset,
                      size_t part, size_t n_parts, uint32_t *order) {
  const sharing h = {.n = e->n,
                     .part = part,
                     .n_parts = n_parts,
                     .execs = x->exe->execs,
                     .offset = offset,
                     .own = offset + size_of_keys(e),
                     .pool = x->exe->cpu->pool};
  return (e->wide ? shared_64 : shared_32)(e, keys, &h, order);
}
