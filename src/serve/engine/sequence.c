#include <stdlib.h>
#include <string.h>

#include "serve/engine/private.h"

// Sequences and their pages. Page p of a sequence holds its tokens [p*bs, (p+1)*bs). Page 0 of the
// pools is scratch: padding reads it, nobody owns it.

tl_status tl_sequence_create(tl_engine *e, tl_sequence **out_sequence) {
  const tl_artifact *a = e->artifact;
  tl_sequence *s = calloc(1, sizeof *s);
  if (!s) return TL_OOM();
  s->tokens = calloc(a->context, sizeof *s->tokens);
  s->pages = calloc(a->context / a->block_size + 1, sizeof *s->pages);
  if (!s->tokens || !s->pages) {
    free(s->tokens);
    free(s->pages);
    free(s);
    return TL_OOM();
  }
  s->engine = e;
  s->next = e->sequences;
  e->sequences = s;
  *out_sequence = s;
  return TL_OK;
}

void tl_sequence_destroy(tl_sequence *s) {
  if (!s) return;
  tl_sequence_truncate(s, 0);
  tl_sequence **link = &s->engine->sequences;
  while (*link != s)
    link = &(*link)->next;
  *link = s->next;
  free(s->tokens);
  free(s->pages);
  free(s);
}

tl_status tl_sequence_append(tl_sequence *s, const int32_t *ids, size_t n) {
  const tl_artifact *a = s->engine->artifact;
  if (n > a->context - s->n_tokens)
    return TL_ERROR(OUT_OF_RANGE, "the sequence would reach %zu tokens; the context is %u",
                    s->n_tokens + n, a->context);
  for (size_t i = 0; i < n; i++)
    if (ids[i] < 0 || (uint32_t)ids[i] >= a->vocab)
      return TL_ERROR(INVALID_ARGUMENT, "token %zu is %d, outside the vocabulary [0, %u)", i,
                      ids[i], a->vocab);
  memcpy(s->tokens + s->n_tokens, ids, n * sizeof *ids);
  s->n_tokens += (uint32_t)n;
  return TL_OK;
}

static void give_page(tl_engine *e, uint32_t page) { // keeps the stack sorted, the lowest on top
  uint32_t at = e->n_free++;
  while (at > 0 && e->free_pages[at - 1] < page) {
    e->free_pages[at] = e->free_pages[at - 1];
    at--;
  }
  e->free_pages[at] = page;
}

void tl_sequence_truncate(tl_sequence *s, uint32_t n_tokens) {
  const uint32_t bs = s->engine->artifact->block_size;
  s->n_tokens = TL_MIN(s->n_tokens, n_tokens);
  s->n_cached = TL_MIN(s->n_cached, n_tokens);
  const uint32_t keep = (s->n_cached + bs - 1) / bs;
  while (s->n_pages > keep)
    give_page(s->engine, (uint32_t)s->pages[--s->n_pages]);
}

tl_status tl_sequence_reserve(tl_sequence *s, uint32_t n_tokens) {
  tl_engine *e = s->engine;
  const uint32_t bs = e->artifact->block_size, wanted = (n_tokens + bs - 1) / bs;
  if (wanted <= s->n_pages) return TL_OK;
  if (wanted - s->n_pages > e->n_free)
    return TL_ERROR(RESOURCE_EXHAUSTED,
                    "KV page pool exhausted: the sequence needs %u more pages of %u tokens to grow "
                    "from %u to %u tokens, and "
                    "%u of %u are free",
                    wanted - s->n_pages, bs, s->n_cached, n_tokens, e->n_free,
                    e->artifact->num_blocks - 1);
  while (s->n_pages < wanted)
    s->pages[s->n_pages++] = (int32_t)e->free_pages[--e->n_free];
  return TL_OK;
}
