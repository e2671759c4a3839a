// Finding the two large parts, cutting them out for jansson, and reading them in passing.
//
// The text that jansson gets has `null` in their place and as many line breaks as they had, so that
// the lines of its messages are the file's.
#include "tok/model_json.h"

#include "tok/scan.h"

typedef struct range {
  size_t from, to;
} range;

static tl_status find_in_model(tl_scan *s, range *vocab, range *merges) {
  TL_TRY(tl_scan_want(s, '{'));
  if (tl_scan_take(s, '}')) return TL_OK;
  do {
    tl_str key;
    TL_TRY(tl_scan_string(s, &key));
    TL_TRY(tl_scan_want(s, ':'));
    size_t from = s->at;
    TL_TRY(tl_scan_skip(s));
    range *r = tl_str_is(key, "vocab") ? vocab : tl_str_is(key, "merges") ? merges : NULL;
    if (r == NULL) continue;
    if (r->from != 0) return tl_scan_error(s, "a key is there twice");
    *r = (range){from, s->at};
  } while (tl_scan_take(s, ','));
  return tl_scan_want(s, '}');
}

static tl_status find_parts(tl_scan *s, range *vocab, range *merges) {
  TL_TRY(tl_scan_want(s, '{'));
  if (tl_scan_take(s, '}')) return TL_OK;
  bool seen = false;
  do {
    tl_str key;
    TL_TRY(tl_scan_string(s, &key));
    TL_TRY(tl_scan_want(s, ':'));
    tl_scan ahead = *s;
    if (tl_str_is(key, "model") && !seen && tl_scan_take(&ahead, '{')) {
      seen = true;
      TL_TRY(find_in_model(s, vocab, merges));
    } else {
      TL_TRY(tl_scan_skip(s));
    }
  } while (tl_scan_take(s, ','));
  return tl_scan_want(s, '}');
}

static void add_without(tl_buf *out, tl_str text, range cut, size_t *done) {
  if (cut.from == 0) return;
  tl_buf_add(out, text.ptr + *done, cut.from - *done);
  tl_buf_cstr(out, "null");
  for (size_t i = cut.from; i < cut.to; i++)
    if (text.ptr[i] == '\n') tl_buf_char(out, '\n');
  *done = cut.to;
}

tl_status tl_model_json_open(tl_str text, const char *name, tl_model_json *out) {
  if (!tl_utf8_valid(text)) return TL_ERROR(INVALID_ARGUMENT, "%s: not UTF-8", name);
  tl_arena *arena = tl_arena_create(); // for keys with escapes
  if (arena == NULL) return TL_OOM();
  tl_buf rest = {0};
  range vocab = {0}, merges = {0};
  tl_status st;
  tl_scan s = {.text = text, .name = name, .arena = arena};
  TL_TRY_GOTO(done, st, find_parts(&s, &vocab, &merges));
  size_t copied = 0;
  bool vocab_first = vocab.from < merges.from;
  add_without(&rest, text, vocab_first ? vocab : merges, &copied);
  add_without(&rest, text, vocab_first ? merges : vocab, &copied);
  tl_buf_add(&rest, text.ptr + copied, text.len - copied);
  if (rest.oom) {
    st = TL_OOM();
    goto done;
  }
  json_t *root;
  TL_TRY_GOTO(done, st, tl_json_parse(tl_buf_view(&rest), name, &root));
  *out = (tl_model_json){root, vocab.from, merges.from};
done:
  tl_buf_deinit(&rest);
  tl_arena_destroy(arena);
  return st;
}

void tl_model_json_close(tl_model_json *m) {
  json_decref(m->root);
  *m = (tl_model_json){0};
}

static tl_status read_vocab(tl_scan *s, tl_vocab *vocab) {
  TL_TRY(tl_scan_want(s, '{'));
  if (tl_scan_take(s, '}')) return TL_OK;
  do {
    tl_str token;
    int64_t id;
    TL_TRY(tl_scan_string(s, &token));
    TL_TRY(tl_scan_want(s, ':'));
    TL_TRY(tl_scan_uint(s, TL_VOCAB_MAX_ID, &id));
    TL_TRY_NOTE(tl_vocab_add(vocab, token, (int32_t)id), "%s: model: vocab", s->name);
  } while (tl_scan_take(s, ','));
  return tl_scan_want(s, '}');
}

static tl_status read_merge(tl_scan *s, tl_bpe *bpe) {
  tl_str left, right;
  if (tl_scan_take(s, '[')) {
    TL_TRY(tl_scan_string(s, &left));
    TL_TRY(tl_scan_want(s, ','));
    TL_TRY(tl_scan_string(s, &right));
    TL_TRY(tl_scan_want(s, ']'));
  } else {
    tl_str both;
    TL_TRY(tl_scan_string(s, &both));
    const char *space = both.len == 0 ? NULL : memchr(both.ptr, ' ', both.len);
    size_t cut = space == NULL ? 0 : (size_t)(space - both.ptr);
    if (space == NULL || memchr(space + 1, ' ', both.len - cut - 1) != NULL)
      return tl_scan_error(s, "a merge wants two tokens with one space between them");
    left = tl_str_sub(both, 0, cut);
    right = tl_str_sub(both, cut + 1, both.len);
  }
  TL_TRY_NOTE(tl_bpe_add_merge(bpe, left, right), "%s: model: merges", s->name);
  return TL_OK;
}

static tl_status read_merges(tl_scan *s, tl_bpe *bpe) {
  TL_TRY(tl_scan_want(s, '['));
  if (tl_scan_take(s, ']')) return TL_OK;
  do
    TL_TRY(read_merge(s, bpe));
  while (tl_scan_take(s, ','));
  return tl_scan_want(s, ']');
}

tl_status tl_model_json_read(const tl_model_json *m, tl_str text, const char *name,
                             tl_tokenizer *tok) {
  tl_scan s = {.text = text, .name = name, .arena = tok->arena};
  if (m->vocab == 0) return TL_ERROR(INVALID_ARGUMENT, "%s: model: vocab is absent", name);
  size_t guess = (text.len - m->vocab) / 48; // bytes a word and its merge take; growing costs more
  if (!tl_vocab_reserve(&tok->bpe.vocab, guess)) return TL_OOM();
  s.at = m->vocab;
  TL_TRY(read_vocab(&s, &tok->bpe.vocab));
  if (m->merges == 0) return TL_ERROR(INVALID_ARGUMENT, "%s: model: merges is absent", name);
  if (!tl_bpe_reserve(&tok->bpe, tok->bpe.vocab.n)) return TL_OOM();
  s.at = m->merges;
  return read_merges(&s, &tok->bpe);
}
