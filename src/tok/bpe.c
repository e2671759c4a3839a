// Merging one word.
//
// The rule: of all neighbouring pairs in the list of merges take the one of least rank, the
// leftmost where it stands more than once, join it, and repeat until none is left. Words are
// short (five bytes on the average), so up to `SHORT` symbols the least pair is found by walking
// the ranks, which are kept beside the symbols: two table look-ups a merge and no other cost. A
// long word (a megabyte of one letter is one word) goes through a heap over a linked list, with
// entries that are checked when popped rather than removed when they go stale.
//
// Both give the same ids: a stale entry is told by comparing the ids it was made from.
#include "tok/bpe.h"

#include <stdio.h>
#include <stdlib.h>

#include "tok/byte_level.h"

enum { SHORT = 40 };
#define NO_RANK UINT32_MAX

typedef struct tl_bpe_symbol {
  int32_t id;
  uint32_t rank;      // of the pair with the next symbol; short words only
  int32_t joined;     // what that pair becomes; short words only
  int32_t prev, next; // -1 at the ends; long words only
} tl_bpe_symbol;

typedef struct tl_bpe_entry {
  uint32_t rank;
  int32_t at;          // index of the left symbol
  int32_t left, right; // the ids the entry was made from
  int32_t joined;
} tl_bpe_entry;

// ---- The table of merges ----

static size_t home_of(uint64_t key) { return (size_t)((key * 0x9E3779B97F4A7C15u) >> 24); }
static uint64_t key_of(int32_t left, int32_t right) {
  return ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
}

bool tl_bpe_reserve(tl_bpe *bpe, size_t count) {
  size_t size = 256;
  if (count > SIZE_MAX / 64) return false;
  while (size < count * 2)
    size *= 2;
  if (bpe->merges != NULL && bpe->mask + 1 >= size) return true;
  tl_bpe_merge *merges = TL_NEW(bpe->vocab.arena, tl_bpe_merge, size);
  if (merges == NULL) return false;
  for (size_t i = 0; bpe->merges != NULL && i <= bpe->mask; i++) {
    if (bpe->merges[i].key == 0) continue;
    size_t at = home_of(bpe->merges[i].key) & (size - 1);
    while (merges[at].key != 0)
      at = (at + 1) & (size - 1);
    merges[at] = bpe->merges[i];
  }
  bpe->merges = merges;
  bpe->mask = size - 1;
  return true;
}

static const tl_bpe_merge *find_merge(const tl_bpe *bpe, int32_t left, int32_t right) {
  if (bpe->merges == NULL) return NULL;
  uint64_t key = key_of(left, right);
  for (size_t at = home_of(key) & bpe->mask;; at = (at + 1) & bpe->mask) {
    if (bpe->merges[at].key == key) return &bpe->merges[at];
    if (bpe->merges[at].key == 0) return NULL;
  }
}

static bool is_joined(tl_str whole, tl_str left, tl_str right) {
  return whole.len == left.len + right.len && memcmp(whole.ptr, left.ptr, left.len) == 0 &&
         memcmp(whole.ptr + left.len, right.ptr, right.len) == 0;
}

// The id of left and right together; -1 when there is none. Lists that training wrote give each
// merge the id after the last one's, so that is tried before hashing: loading is a third faster.
static int32_t find_joined(tl_bpe *bpe, tl_str left, tl_str right) {
  tl_str guess = tl_vocab_token(&bpe->vocab, bpe->next_id);
  if (guess.ptr != NULL && is_joined(guess, left, right)) return bpe->next_id++;
  char text[1024]; // longer words were not learned by joining
  if (left.len + right.len > sizeof text) return -1;
  memcpy(text, left.ptr, left.len);
  memcpy(text + left.len, right.ptr, right.len);
  int32_t id = tl_vocab_find(&bpe->vocab, (tl_str){text, left.len + right.len});
  bpe->next_id = id + 1;
  return id;
}

tl_status tl_bpe_add_merge(tl_bpe *bpe, tl_str left, tl_str right) {
  int32_t a = tl_vocab_find(&bpe->vocab, left), b = tl_vocab_find(&bpe->vocab, right);
  if (a < 0 || b < 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "merge %zu, \"" TL_STR_FMT "\" with \"" TL_STR_FMT "\": \"" TL_STR_FMT
                    "\" is not in the vocabulary",
                    bpe->n_merges, TL_STR_ARG(left), TL_STR_ARG(right),
                    TL_STR_ARG(a < 0 ? left : right));
  int32_t whole = find_joined(bpe, left, right);
  if (whole < 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "merge %zu, \"" TL_STR_FMT "\" with \"" TL_STR_FMT
                    "\": the two together are not in the vocabulary",
                    bpe->n_merges, TL_STR_ARG(left), TL_STR_ARG(right));
  if (bpe->n_merges >= INT32_MAX) return TL_ERROR(INVALID_ARGUMENT, "too many merges");
  if (!tl_bpe_reserve(bpe, bpe->n_merges + 1)) return TL_OOM();
  uint64_t key = key_of(a, b);
  size_t at = home_of(key) & bpe->mask;
  while (bpe->merges[at].key != 0 && bpe->merges[at].key != key)
    at = (at + 1) & bpe->mask;
  // A pair listed twice has its later rank: so it is in the libraries that made the list.
  bpe->merges[at] = (tl_bpe_merge){key, (uint32_t)bpe->n_merges, whole};
  bpe->n_merges++;
  return TL_OK;
}

void tl_bpe_finish(tl_bpe *bpe) {
  for (int b = 0; b < 256; b++) {
    char text[8];
    size_t len = tl_utf8_encode(tl_byte_char((uint8_t)b), text);
    bpe->byte_id[b] = tl_vocab_find(&bpe->vocab, (tl_str){text, len});
    snprintf(text, sizeof text, "<0x%02X>", (unsigned)b);
    bpe->hex_id[b] = tl_vocab_find(&bpe->vocab, (tl_str){text, 6});
  }
}

// ---- Words ----

void tl_bpe_scratch_deinit(tl_bpe_scratch *s) {
  free(s->symbols);
  free(s->heap);
  tl_buf_deinit(&s->text);
  *s = (tl_bpe_scratch){0};
}

static bool reserve_symbols(tl_bpe_scratch *s, size_t count) {
  if (count <= s->cap) return true;
  size_t cap = TL_MAX(count, TL_MAX(s->cap * 2, (size_t)64)), size;
  if (!TL_MUL_OK(cap, sizeof(tl_bpe_symbol), &size) || count > INT32_MAX) return false;
  tl_bpe_symbol *grown = realloc(s->symbols, size);
  if (grown == NULL) return false;
  s->symbols = grown;
  s->cap = cap;
  return true;
}

static void rank_pair(const tl_bpe *bpe, tl_bpe_symbol *left, int32_t right) {
  const tl_bpe_merge *m = find_merge(bpe, left->id, right);
  left->rank = m != NULL ? m->rank : NO_RANK;
  left->joined = m != NULL ? m->id : -1;
}

static void merge_short(const tl_bpe *bpe, tl_bpe_symbol *s, size_t *len) {
  size_t n = *len;
  for (size_t i = 0; i + 1 < n; i++)
    rank_pair(bpe, &s[i], s[i + 1].id);
  while (n > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < n; i++)
      if (s[i].rank < s[best].rank) best = i;
    if (s[best].rank == NO_RANK) break;
    s[best].id = s[best].joined;
    memmove(&s[best + 1], &s[best + 2], (n - best - 2) * sizeof *s);
    n--;
    if (best + 1 < n)
      rank_pair(bpe, &s[best], s[best + 1].id);
    else
      s[best].rank = NO_RANK;
    if (best > 0) rank_pair(bpe, &s[best - 1], s[best].id);
  }
  *len = n;
}

static bool entry_before(const tl_bpe_entry *a, const tl_bpe_entry *b) {
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void sift_down(tl_bpe_entry *heap, size_t len, size_t at) {
  for (;;) {
    size_t least = at, left = 2 * at + 1;
    if (left < len && entry_before(&heap[left], &heap[least])) least = left;
    if (left + 1 < len && entry_before(&heap[left + 1], &heap[least])) least = left + 1;
    if (least == at) return;
    tl_bpe_entry t = heap[at];
    heap[at] = heap[least];
    heap[least] = t;
    at = least;
  }
}

static void push_pair(const tl_bpe *bpe, const tl_bpe_symbol *s, int32_t at, tl_bpe_entry *heap,
                      size_t *len) {
  if (at < 0 || s[at].next < 0) return;
  const tl_bpe_merge *m = find_merge(bpe, s[at].id, s[s[at].next].id);
  if (m == NULL) return;
  size_t i = (*len)++;
  heap[i] = (tl_bpe_entry){m->rank, at, s[at].id, s[s[at].next].id, m->id};
  for (; i > 0 && entry_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
    tl_bpe_entry t = heap[i];
    heap[i] = heap[(i - 1) / 2];
    heap[(i - 1) / 2] = t;
  }
}

static tl_status merge_long(const tl_bpe *bpe, tl_bpe_scratch *scratch, size_t *len) {
  tl_bpe_symbol *s = scratch->symbols;
  size_t n = *len, cap = 3 * n, size; // n - 1 pairs at first, and two for each of n - 1 merges
  if (cap > scratch->heap_cap) {
    if (!TL_MUL_OK(cap, sizeof(tl_bpe_entry), &size)) return TL_OOM();
    tl_bpe_entry *grown = realloc(scratch->heap, size);
    if (grown == NULL) return TL_OOM();
    scratch->heap = grown;
    scratch->heap_cap = cap;
  }
  tl_bpe_entry *heap = scratch->heap;
  size_t heap_len = 0;
  for (size_t i = 0; i < n; i++) {
    s[i].prev = (int32_t)i - 1;
    s[i].next = i + 1 < n ? (int32_t)i + 1 : -1;
  }
  for (size_t i = 0; i + 1 < n; i++)
    push_pair(bpe, s, (int32_t)i, heap, &heap_len);
  while (heap_len > 0) {
    tl_bpe_entry top = heap[0];
    heap[0] = heap[--heap_len];
    sift_down(heap, heap_len, 0);
    int32_t next = s[top.at].next;
    if (s[top.at].id != top.left || next < 0 || s[next].id != top.right) continue; // stale
    s[top.at].id = top.joined;
    s[top.at].next = s[next].next;
    if (s[next].next >= 0) s[s[next].next].prev = top.at;
    s[next].id = -1; // gone
    push_pair(bpe, s, s[top.at].prev, heap, &heap_len);
    push_pair(bpe, s, top.at, heap, &heap_len);
  }
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (s[i].id >= 0) s[kept++].id = s[i].id;
  *len = kept;
  return TL_OK;
}

static tl_status merge_and_push(const tl_bpe *bpe, tl_bpe_scratch *scratch, size_t n, tl_ids *out) {
  if (n <= SHORT)
    merge_short(bpe, scratch->symbols, &n);
  else
    TL_TRY(merge_long(bpe, scratch, &n));
  tl_ids_reserve(out, n);
  for (size_t i = 0; i < n; i++)
    tl_ids_push(out, scratch->symbols[i].id);
  return out->oom ? TL_OOM() : TL_OK;
}

tl_status tl_bpe_encode_text(const tl_bpe *bpe, tl_bpe_scratch *scratch, tl_str word, tl_ids *out) {
  if (bpe->ignore_merges) {
    int32_t id = tl_vocab_find(&bpe->vocab, word);
    if (id >= 0) {
      tl_ids_push(out, id);
      return out->oom ? TL_OOM() : TL_OK;
    }
  }
  if (!reserve_symbols(scratch, word.len + 1)) return TL_OOM(); // + 1: a pending unk
  tl_bpe_symbol *s = scratch->symbols;
  size_t n = 0;
  bool unk_pending = false;
  for (size_t at = 0; at < word.len;) {
    size_t from = at;
    tl_utf8_decode(word, &at);
    tl_str c = {word.ptr + from, at - from};
    int32_t id = tl_vocab_find(&bpe->vocab, c);
    if (id >= 0) {
      if (unk_pending) s[n++].id = bpe->unk;
      unk_pending = false;
      s[n++].id = id;
      continue;
    }
    if (bpe->byte_fallback) {
      bool all = true;
      for (size_t i = 0; i < c.len; i++)
        all = all && bpe->hex_id[(uint8_t)c.ptr[i]] >= 0;
      if (all) {
        // A pending unk stays pending: so it is in the library whose ids we must give.
        for (size_t i = 0; i < c.len; i++)
          s[n++].id = bpe->hex_id[(uint8_t)c.ptr[i]];
        continue;
      }
    }
    if (bpe->unk < 0) continue;
    if (unk_pending && !bpe->fuse_unk) s[n++].id = bpe->unk;
    unk_pending = true;
  }
  if (unk_pending) s[n++].id = bpe->unk;
  return merge_and_push(bpe, scratch, n, out);
}

tl_status tl_bpe_encode_bytes(const tl_bpe *bpe, tl_bpe_scratch *scratch, tl_str bytes,
                              tl_ids *out) {
  if (!reserve_symbols(scratch, bytes.len)) return TL_OOM();
  bool spell = bpe->ignore_merges;
  for (size_t i = 0; !spell && i < bytes.len; i++) {
    int32_t id = bpe->byte_id[(uint8_t)bytes.ptr[i]];
    scratch->symbols[i].id = id;
    spell = id < 0;
  }
  if (!spell) return merge_and_push(bpe, scratch, bytes.len, out);
  tl_buf_clear(&scratch->text);
  tl_byte_level_spell(&scratch->text, bytes);
  if (scratch->text.oom) return TL_OOM();
  return tl_bpe_encode_text(bpe, scratch, tl_buf_view(&scratch->text), out);
}
