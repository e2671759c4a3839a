#include <string.h>

#include "serve/engine/private.h"

// A step over the reference system's decode and prefill entries: integers as five
// arrays, pools per layer, one row of logits a sequence. Items of one token share a decode call;
// longer ones run chunk by chunk through prefill entries, right-aligned, or token by token where
// there are none.

// The cheapest entry of a kind that holds `batch` sequences of `context` tokens, and for prefill
// `tokens` new ones each.
static const tl_artifact_entry *pick(const tl_artifact *a, tl_entry_kind kind, uint32_t batch,
                                     uint32_t context, uint32_t tokens) {
  const tl_artifact_entry *best = NULL;
  for (size_t i = 0; i < a->n_entries; i++) {
    const tl_artifact_entry *e = &a->entries[i];
    if (e->kind != kind || e->B < batch || e->C < context || e->tokens < tokens) continue;
    uint64_t cost = (uint64_t)e->B * e->C * e->tokens;
    if (!best || cost < (uint64_t)best->B * best->C * best->tokens) best = e;
  }
  return best;
}

// Runs n[i] tokens of each sequence, the first `from[i]` of its uncached ones being done already.
static tl_status call(tl_engine *e, const tl_artifact_entry *entry, tl_step_item *const *items,
                      const uint32_t *from, const uint32_t *n, size_t n_items,
                      const float **out_logits) {
  const tl_artifact *a = e->artifact;
  const uint32_t B = entry->B, T = entry->tokens, bs = a->block_size, M = entry->C / bs;
  int32_t *tokens = e->ints, *positions = tokens + (size_t)B * T,
          *tables = positions + (size_t)B * T, *lengths = tables + (size_t)B * M,
          *slots = lengths + B;
  const size_t size = (size_t)(slots + (size_t)B * T - e->ints);
  memset(e->ints, 0, size * sizeof *e->ints);
  for (uint32_t i = 0; i < B; i++)
    lengths[i] = 1; // padding: never 0
  for (size_t i = 0; i < (size_t)B * T; i++)
    slots[i] = -1;
  for (size_t i = 0; i < n_items; i++) {
    const tl_sequence *s = items[i]->sequence;
    const uint32_t start = s->n_cached + from[i];
    memcpy(tables + i * M, s->pages, TL_MIN(s->n_pages, M) * sizeof *tables);
    lengths[i] = (int32_t)(start + n[i]);
    for (uint32_t j = 0; j < n[i]; j++) {
      const uint32_t position = start + j;
      const size_t at = i * T + (T - n[i]) + j;
      tokens[at] = s->tokens[position];
      positions[at] = (int32_t)position;
      slots[at] = s->pages[position / bs] * (int32_t)bs + (int32_t)(position % bs);
    }
  }
  const engine_ints ints[5] = {{tokens, {B, T}, 2},
                               {positions, {B, T}, 2},
                               {tables, {B, M}, 2},
                               {lengths, {B}, 1},
                               {slots, {(int64_t)B * T}, 1}};
  return tl_engine_run(e, entry, ints, out_logits);
}

tl_status tl_step_reference(tl_engine *e, tl_step_item *items, size_t n_items) {
  const tl_artifact *a = e->artifact;
  bool decode = true;
  uint32_t context = 1;
  for (size_t i = 0; i < n_items; i++) {
    decode &= items[i].n == 1;
    context = TL_MAX(context, items[i].sequence->n_cached + items[i].n);
  }
  enum { MOST = 64 };
  if (!decode && n_items > 1)
    return TL_ERROR(UNIMPLEMENTED, "prefill of several sequences in one step with these entries");
  if (n_items > MOST)
    return TL_ERROR(OUT_OF_RANGE, "%zu sequences in a step; at most %d", n_items, MOST);
  tl_step_item *each[MOST];
  uint32_t from[MOST] = {0}, n[MOST];
  const float *logits = NULL;
  for (size_t i = 0; i < n_items; i++)
    each[i] = &items[i], n[i] = items[i].n;
  if (decode) {
    const tl_artifact_entry *entry = pick(a, TL_ENTRY_DECODE, (uint32_t)n_items, context, 1);
    if (!entry)
      return TL_ERROR(OUT_OF_RANGE, "no decode entry holds %zu sequences of %u tokens", n_items,
                      context);
    TL_TRY(call(e, entry, each, from, n, n_items, &logits));
  } else {
    const uint32_t total = items[0].n, cached = items[0].sequence->n_cached;
    while (from[0] < total) {
      const uint32_t left = total - from[0];
      uint32_t take = left;
      const tl_artifact_entry *entry = pick(a, TL_ENTRY_PREFILL, 1, cached + from[0] + take, take);
      while (!entry &&
             take > 2) { // no entry takes that many at once: a chunk of the largest that fits
        take = TL_MIN(take - 1, (uint32_t)512);
        entry = pick(a, TL_ENTRY_PREFILL, 1, cached + from[0] + take, take);
      }
      if (!entry || left == 1) {
        take = 1;
        entry = pick(a, TL_ENTRY_DECODE, 1, cached + from[0] + 1, 1);
      }
      if (!entry)
        return TL_ERROR(OUT_OF_RANGE, "no entry holds a sequence of %u tokens",
                        cached + from[0] + take);
      n[0] = take;
      TL_TRY(call(e, entry, each, from, n, 1, &logits));
      from[0] += take;
    }
  }
  for (size_t i = 0; i < n_items; i++)
    items[i].logits = items[i].wants_logits ? logits + i * a->vocab : NULL;
  return TL_OK;
}
