#include <string.h>

#include "serve/engine/private.h"

// A step over the token-flat entry, and what is common to both kinds.
//
// The entry takes one array of integers (model/model.h): tokens, positions, slots and rows of T
// tokens, then the block tables of S sequences, then R output rows. A padding token is token 0 at
// position 0, slot -1, row 0: it writes nothing, attends to one key, and its logits are not asked
// for.

uint32_t tl_engine_max_step(const tl_engine *e) {
  const tl_artifact *a = e->artifact;
  uint32_t most = 1;
  for (size_t i = 0; i < a->n_entries; i++) {
    const tl_artifact_entry *n = &a->entries[i];
    if (e->stacked && n->kind == TL_ENTRY_STEP) most = TL_MAX(most, n->T);
    if (!e->stacked && n->kind == TL_ENTRY_DECODE) most = TL_MAX(most, n->B);
    if (!e->stacked && n->kind == TL_ENTRY_PREFILL) most = TL_MAX(most, n->B * n->tokens);
  }
  return most;
}

static const tl_artifact_entry *rung(const tl_artifact *a,
                                     uint32_t T) { // the smallest that holds T tokens
  for (size_t i = 0; i < a->n_entries; i++)
    if (a->entries[i].kind == TL_ENTRY_STEP && a->entries[i].T >= T) return &a->entries[i];
  return NULL;
}

tl_status tl_step_flat(tl_engine *e, tl_step_item *items, size_t n_items) {
  const tl_artifact *a = e->artifact;
  uint32_t n_tokens = 0, n_rows = 0;
  for (size_t i = 0; i < n_items; i++)
    n_tokens += items[i].n, n_rows += items[i].wants_logits;
  const tl_artifact_entry *entry = rung(a, n_tokens);
  while (entry &&
         (entry->S < n_items || entry->R < n_rows)) { // more output rows than a small rung has
    if (++entry == a->entries + a->n_entries || entry->kind != TL_ENTRY_STEP) entry = NULL;
  }
  if (!entry)
    return TL_ERROR(OUT_OF_RANGE, "no step entry holds %u tokens of %zu sequences", n_tokens,
                    n_items);
  const uint32_t T = entry->T, S = entry->S, R = entry->R, M = a->context / a->block_size;
  int32_t *tokens = e->ints, *positions = tokens + T, *slots = positions + T, *rows = slots + T,
          *tables = rows + T, *out_rows = tables + (size_t)S * M;
  const size_t n_ints = 4 * (size_t)T + (size_t)S * M + R;
  memset(e->ints, 0, n_ints * sizeof *e->ints);
  uint32_t t = 0, r = 0;
  for (size_t i = 0; i < n_items; i++) {
    const tl_sequence *s = items[i].sequence;
    memcpy(tables + i * M, s->pages, s->n_pages * sizeof *tables);
    for (uint32_t j = 0; j < items[i].n; j++, t++) {
      const uint32_t position = s->n_cached + j;
      tokens[t] = s->tokens[position];
      positions[t] = (int32_t)position;
      slots[t] = s->pages[position / a->block_size] * (int32_t)a->block_size +
                 (int32_t)(position % a->block_size);
      rows[t] = (int32_t)i;
    }
    if (items[i].wants_logits) out_rows[r++] = (int32_t)t - 1;
  }
  for (; t < T; t++)
    slots[t] = -1;
  const engine_ints ints = {e->ints, {(int64_t)n_ints}, 1};
  const float *logits;
  TL_TRY(tl_engine_run(e, entry, &ints, &logits));
  r = 0;
  for (size_t i = 0; i < n_items; i++)
    items[i].logits = items[i].wants_logits ? logits + (size_t)r++ * a->vocab : NULL;
  return TL_OK;
}

tl_status tl_engine_step(tl_engine *e, tl_step_item *items, size_t n_items) {
  if (n_items == 0) return TL_ERROR(INVALID_ARGUMENT, "a step of no sequences");
  for (size_t i = 0; i < n_items; i++) {
    const tl_sequence *s = items[i].sequence;
    if (items[i].n == 0 || items[i].n > s->n_tokens - s->n_cached)
      return TL_ERROR(INVALID_ARGUMENT, "a step of %u tokens of a sequence that has %u to run",
                      items[i].n, s->n_tokens - s->n_cached);
    for (size_t j = 0; j < i; j++)
      if (items[j].sequence == s)
        return TL_ERROR(INVALID_ARGUMENT, "a sequence stands twice in one step");
  }
  if (e->n_pools && !e->pools[e->n_pools - 1])
    TL_TRY_NOTE(tl_engine_make_pools(e), "making the KV pools anew"); // an earlier try failed
  tl_status st = TL_OK;
  for (size_t i = 0; i < n_items; i++) {
    st = tl_sequence_reserve(items[i].sequence, items[i].sequence->n_cached + items[i].n);
    if (!st) continue;
    for (size_t j = 0; j < i; j++)
      tl_sequence_truncate(items[j].sequence, items[j].sequence->n_tokens);
    return st;
  }
  st = e->stacked ? tl_step_flat(e, items, n_items) : tl_step_reference(e, items, n_items);
  if (!st) {
    for (size_t i = 0; i < n_items; i++)
      items[i].sequence->n_cached += items[i].n;
    return TL_OK;
  }
  // Did the device fail after it took the pools? Then what every sequence had in them is gone.
  bool gone = false;
  for (size_t i = 0; i < e->n_pools && !gone; i++) {
    tl_status asked = tl_pjrt_buffer_is_deleted(e->client, e->pools[i], &gone);
    if (asked) gone = true;
    tl_status_drop(asked);
  }
  for (tl_sequence *s = e->sequences; s; s = s->next) {
    if (gone) s->n_cached = 0;
    tl_sequence_truncate(s, s->n_tokens); // gives back the pages that were to be filled
  }
  if (gone) {
    tl_status again = tl_engine_make_pools(e);
    if (again) {
      tl_status_drop(st);
      return tl_status_note(again, "making the KV pools anew");
    }
  }
  return st;
}
