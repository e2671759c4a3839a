// Building a tokenizer, and finding its added tokens in a text.
//
// Added tokens (<|im_end|>, <think>) are cut out of the text before anything else looks at it, the
// leftmost first and of two at one place the longer. A trie over bytes finds them; most texts are
// left after one look at a table of first bytes.
#include <stdlib.h>

#include "tok/tokenizer_impl.h"

const char *const tl_named_token_names[TL_TOK_MAX_NAMED] = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token",
};

tl_status tl_tokenizer_new(const char *name, tl_tokenizer **out_tok) {
  tl_arena *arena = tl_arena_create();
  if (arena == NULL) return TL_OOM();
  tl_tokenizer *tok = TL_NEW(arena, tl_tokenizer, 1);
  char *copy = tok == NULL ? NULL : tl_arena_printf(arena, "%s", name);
  if (copy == NULL) {
    tl_arena_destroy(arena);
    return TL_OOM();
  }
  tok->arena = tok->bpe.vocab.arena = arena;
  tok->name = copy;
  tok->bpe.unk = tok->bos = tok->eos = tok->pad = tok->unk = -1;
  atomic_init(&tok->refs, 1);
  *out_tok = tok;
  return TL_OK;
}

tl_tokenizer *tl_tokenizer_retain(tl_tokenizer *tok) {
  atomic_fetch_add_explicit(&tok->refs, 1, memory_order_relaxed);
  return tok;
}

void tl_tokenizer_release(tl_tokenizer *tok) {
  if (tok == NULL) return;
  if (atomic_fetch_sub_explicit(&tok->refs, 1, memory_order_acq_rel) != 1) return;
  tl_map_deinit(&tok->added_by_text);
  tl_arena_destroy(tok->arena); // with `tok` itself
}

// ---- Added tokens ----

tl_status tl_tokenizer_add_token(tl_tokenizer *tok, tl_added token) {
  if (token.content.len == 0) return TL_OK; // can never be found
  if (token.content.len > TL_TOK_MAX_ADDED_TEXT)
    return TL_ERROR(UNIMPLEMENTED, "added_tokens: token %d has %zu bytes, at most %d", token.id,
                    token.content.len, TL_TOK_MAX_ADDED_TEXT);
  if (token.id < 0 || token.id > TL_VOCAB_MAX_ID)
    return TL_ERROR(INVALID_ARGUMENT, "added_tokens: \"" TL_STR_FMT "\" has id %d",
                    TL_STR_ARG(token.content), token.id);
  int32_t word = tl_vocab_find(&tok->bpe.vocab, token.content);
  if (word >= 0 && word != token.id)
    return TL_ERROR(INVALID_ARGUMENT,
                    "added_tokens: \"" TL_STR_FMT "\" has id %d, and %d in the vocabulary",
                    TL_STR_ARG(token.content), token.id, word);
  if (word < 0 && tl_vocab_token(&tok->bpe.vocab, token.id).ptr != NULL)
    return TL_ERROR(
        INVALID_ARGUMENT,
        "added_tokens: \"" TL_STR_FMT "\" has id %d, which is \"" TL_STR_FMT "\" in the vocabulary",
        TL_STR_ARG(token.content), token.id, TL_STR_ARG(tl_vocab_token(&tok->bpe.vocab, token.id)));
  tl_added *old = tl_tokenizer_added_of(tok, token.content);
  if (old != NULL)
    return TL_ERROR(INVALID_ARGUMENT, "added_tokens: \"" TL_STR_FMT "\" is there twice",
                    TL_STR_ARG(token.content));
  size_t n = tok->n_added;
  if (n == 0 || (n & (n - 1)) == 0) { // full: double it
    tl_added *grown = TL_NEW(tok->arena, tl_added, n == 0 ? 1 : n * 2);
    if (grown == NULL) return TL_OOM();
    if (n > 0) memcpy(grown, tok->added, n * sizeof *grown);
    tok->added = grown;
  }
  tok->added[n] = token;
  if (!tl_map_put(&tok->added_by_text, token.content, n)) return TL_OOM();
  tok->n_added++;
  return TL_OK;
}

tl_added *tl_tokenizer_added_of(const tl_tokenizer *tok, tl_str content) {
  uint64_t i;
  return tl_map_get(&tok->added_by_text, content, &i) ? &tok->added[i] : NULL;
}

const tl_added *tl_tokenizer_added_at(const tl_tokenizer *tok, int32_t id) {
  size_t lo = 0, hi = tok->n_added;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (tok->added[mid].id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < tok->n_added && tok->added[lo].id == id ? &tok->added[lo] : NULL;
}

tl_status tl_tokenizer_name_token(tl_tokenizer *tok, const char *name, int32_t id) {
  const tl_added *added = NULL;
  for (size_t i = 0; i < tok->n_added && added == NULL; i++)
    if (tok->added[i].id == id) added = &tok->added[i];
  tl_str text = added != NULL ? added->content : tl_vocab_token(&tok->bpe.vocab, id);
  if (text.ptr == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "%s: there is no token with id %d", name, id);
  if (tok->n_named == TL_TOK_MAX_NAMED) return TL_ERROR(INVALID_ARGUMENT, "too many named tokens");
  tok->named[tok->n_named++] = (tl_named_token){name, text, id};
  if (strcmp(name, "bos_token") == 0) tok->bos = id;
  if (strcmp(name, "eos_token") == 0) tok->eos = id;
  if (strcmp(name, "unk_token") == 0) tok->unk = id;
  if (strcmp(name, "pad_token") == 0) tok->pad = id;
  return TL_OK;
}

tl_status tl_tokenizer_wrap(tl_tokenizer *tok, bool bos, bool eos) {
  tok->before = TL_NEW(tok->arena, int32_t, 2);
  if (tok->before == NULL) return TL_OOM();
  tok->after = tok->before + 1;
  if (bos && tok->bos >= 0) tok->before[tok->n_before++] = tok->bos;
  if (eos && tok->eos >= 0) tok->after[tok->n_after++] = tok->eos;
  return TL_OK;
}

tl_status tl_tokenizer_add_stop(tl_tokenizer *tok, int32_t id) {
  size_t at = 0;
  while (at < tok->n_stop && tok->stop[at] < id)
    at++;
  if (at < tok->n_stop && tok->stop[at] == id) return TL_OK;
  int32_t *stop = TL_NEW(tok->arena, int32_t, tok->n_stop + 1); // a handful: no need to grow well
  if (stop == NULL) return TL_OOM();
  if (at > 0) memcpy(stop, tok->stop, at * sizeof *stop);
  stop[at] = id;
  if (tok->n_stop > at) memcpy(stop + at + 1, tok->stop + at, (tok->n_stop - at) * sizeof *stop);
  tok->stop = stop;
  tok->n_stop++;
  return TL_OK;
}

// ---- The trie ----

static tl_status trie_add(tl_arena *arena, tl_trie *t, tl_str text, int32_t added) {
  uint32_t *link = &t->first[(uint8_t)text.ptr[0]];
  for (size_t i = 0; i < text.len; i++) {
    uint8_t byte = (uint8_t)text.ptr[i];
    while (*link != 0 && t->nodes[*link].byte != byte)
      link = &t->nodes[*link].sibling;
    if (*link == 0) {
      if (t->len == t->cap) {
        size_t cap = t->cap == 0 ? 64 : t->cap * 2;
        tl_trie_node *grown = TL_NEW(arena, tl_trie_node, cap);
        if (grown == NULL || cap > UINT32_MAX) return TL_OOM();
        if (t->len > 0) memcpy(grown, t->nodes, t->len * sizeof *grown);
        // `link` may point into the old nodes.
        if (i > 0) link = (uint32_t *)((char *)grown + ((char *)link - (char *)t->nodes));
        t->nodes = grown;
        t->cap = cap;
        if (t->len == 0) t->len = 1; // node 0 means none
      }
      *link = (uint32_t)t->len;
      t->nodes[t->len++] = (tl_trie_node){.byte = byte, .added = -1};
    }
    tl_trie_node *node = &t->nodes[*link];
    if (i + 1 == text.len && node->added < 0) node->added = added;
    link = &node->child;
  }
  return TL_OK;
}

// The longest added token that begins at s[at]; -1 when none does.
static int32_t trie_match(const tl_trie *t, tl_str s, size_t at, size_t *out_end) {
  int32_t best = -1;
  uint32_t node = t->first[(uint8_t)s.ptr[at]];
  while (node != 0) {
    if (t->nodes[node].added >= 0) {
      best = t->nodes[node].added;
      *out_end = at + 1;
    }
    if (++at == s.len) break;
    uint8_t byte = (uint8_t)s.ptr[at];
    for (node = t->nodes[node].child; node != 0 && t->nodes[node].byte != byte;)
      node = t->nodes[node].sibling;
  }
  return best;
}

static int by_id(const void *a, const void *b) {
  int32_t x = ((const tl_added *)a)->id, y = ((const tl_added *)b)->id;
  return x < y ? -1 : x > y;
}

tl_status tl_tokenizer_finish(tl_tokenizer *tok) {
  tl_bpe_finish(&tok->bpe);
  if (tok->n_added > 0) qsort(tok->added, tok->n_added, sizeof *tok->added, by_id);
  tok->vocab_size = tok->bpe.vocab.len;
  tl_buf scratch[2] = {{0}, {0}};
  tl_status st = TL_OK;
  for (size_t i = 0; i < tok->n_added && st == TL_OK; i++) {
    const tl_added *a = &tok->added[i];
    if (i > 0 && a->id == a[-1].id) {
      st = TL_ERROR(INVALID_ARGUMENT, "added_tokens: id %d is there twice", a->id);
      break;
    }
    tok->vocab_size = TL_MAX(tok->vocab_size, (size_t)a->id + 1);
    if (!tl_map_put(&tok->added_by_text, a->content, i)) st = TL_OOM();
    if (st != TL_OK) break;
    if (!a->normalized) {
      st = trie_add(tok->arena, &tok->raw, a->content, (int32_t)i);
      continue;
    }
    tl_str normal;
    st = tl_normalize(tok, a->content, scratch, &normal);
    if (st == TL_OK && normal.len > 0) st = trie_add(tok->arena, &tok->normal, normal, (int32_t)i);
  }
  tl_buf_deinit(&scratch[0]);
  tl_buf_deinit(&scratch[1]);
  for (size_t i = 0; st == TL_OK && i < tok->n_before + tok->n_after; i++) {
    int32_t id = i < tok->n_before ? tok->before[i] : tok->after[i - tok->n_before];
    if (tl_tokenizer_token_of(tok, id).ptr == NULL)
      st = TL_ERROR(INVALID_ARGUMENT, "post_processor: there is no token with id %d", id);
  }
  return st;
}

// ---- Cutting them out ----

static bool is_quoted(const tl_encode_run *run, const char *at) {
  const size_t offset = (size_t)(at - run->text);
  size_t lo = 0, hi = run->n_quoted;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (run->quoted[mid] < offset)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < run->n_quoted && run->quoted[lo] == offset;
}

tl_status tl_added_cut(tl_encode_run *run, const tl_trie *trie, tl_str text, bool at_zero,
                       tl_rest_fn *rest) {
  size_t done = 0;
  for (size_t at = 0; at < text.len && trie->len > 0;) {
    size_t end;
    int32_t i = trie->first[(uint8_t)text.ptr[at]] == 0 ? -1 : trie_match(trie, text, at, &end);
    if (i < 0) {
      at++;
      continue;
    }
    size_t start = at;
    at = end;
    // Passed over whole: another added token that begins inside it is not looked for.
    // Places are quoted in the text as it came, so for tokens that are looked for in that.
    const bool plain =
        run->split_special || (trie == &run->tok->raw && is_quoted(run, text.ptr + start));
    if (plain && run->tok->added[i].special) continue;
    if (start > done) TL_TRY(rest(run, tl_str_sub(text, done, start), at_zero && done == 0));
    tl_ids_push(run->out, run->tok->added[i].id);
    done = end;
  }
  return done == text.len ? TL_OK
                          : rest(run, tl_str_sub(text, done, text.len), at_zero && done == 0);
}
