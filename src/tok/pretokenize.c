// Normalizing a text, and cutting it into the words that BPE works on.
//
// Pre-tokenizers form a list; each cuts the pieces that the one before it made. We walk it depth
// first: a step hands every piece it finds to the next step at once, and after the last step the
// piece is a word and goes to BPE. So nothing is collected, and a long text costs no memory beyond
// the pieces that a step must rewrite (Metaspace, ByteLevel with a prefix space).
//
// A ByteLevel step at the end of the list, which is where nearly all tokenizers have it, does not
// spell its bytes as characters: BPE takes the bytes as they are.
#include <stdlib.h>
#include <utf8proc.h>

#include "tok/byte_level.h"
#include "tok/tokenizer_impl.h"

// ---- Normalizers ----

static bool is_ascii(tl_str s) {
  uint8_t all = 0;
  for (size_t i = 0; i < s.len; i++)
    all |= (uint8_t)s.ptr[i];
  return all < 0x80;
}

static tl_status unicode_form(tl_norm_kind kind, tl_str text, tl_buf *out) {
  static const utf8proc_option_t options[] = {
      [TL_NORM_NFC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE,
      [TL_NORM_NFD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
      [TL_NORM_NFKC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
      [TL_NORM_NFKD] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
  };
  uint8_t *made = NULL;
  utf8proc_ssize_t n =
      utf8proc_map((const uint8_t *)text.ptr, (utf8proc_ssize_t)text.len, &made, options[kind]);
  if (n == UTF8PROC_ERROR_NOMEM || n == UTF8PROC_ERROR_OVERFLOW) return TL_OOM();
  if (n < 0) return TL_ERROR(INVALID_ARGUMENT, "cannot normalize the text: %s", utf8proc_errmsg(n));
  tl_buf_add(out, made, (size_t)n);
  free(made);
  return TL_OK;
}

static void replace_all(tl_str text, tl_str pattern, tl_str content, tl_buf *out) {
  while (text.len > 0) {
    size_t at = tl_str_find(text, pattern);
    if (at == (size_t)-1) break;
    tl_buf_add(out, text.ptr, at);
    tl_buf_str(out, content);
    text = tl_str_sub(text, at + pattern.len, text.len);
  }
  tl_buf_str(out, text);
}

tl_status tl_normalize(const tl_tokenizer *tok, tl_str text, tl_buf scratch[2], tl_str *out) {
  int next = 0;
  for (size_t i = 0; i < tok->n_norms; i++) {
    const tl_norm *n = &tok->norms[i];
    tl_buf *buf = &scratch[next];
    if (n->kind <= TL_NORM_NFKD && is_ascii(text)) continue;
    if (text.len == 0) break;
    tl_buf_clear(buf);
    switch (n->kind) {
    case TL_NORM_NFC:
    case TL_NORM_NFD:
    case TL_NORM_NFKC:
    case TL_NORM_NFKD:
      TL_TRY(unicode_form(n->kind, text, buf));
      break;
    case TL_NORM_REPLACE:
      replace_all(text, n->pattern, n->content, buf);
      break;
    case TL_NORM_PREPEND:
      tl_buf_str(buf, n->content);
      tl_buf_str(buf, text);
      break;
    }
    if (buf->oom) return TL_OOM();
    text = tl_buf_view(buf);
    next = 1 - next;
  }
  *out = text;
  return TL_OK;
}

// ---- Cutting ----

static tl_status run_step(tl_encode_run *run, size_t i, tl_str piece, bool at_zero);

// Collects the pieces of one step in order, matches and the text between them, and gives out what
// the behaviour makes of them.
typedef struct splitter {
  tl_encode_run *run;
  size_t next_step;
  tl_str text;
  bool at_zero;
  tl_split_behavior behavior;
  size_t start, end; // the piece not yet given out; empty = none
  bool has, is_match;
} splitter;

static tl_status give(splitter *s, size_t start, size_t end) {
  if (start == end) return TL_OK;
  return run_step(s->run, s->next_step, tl_str_sub(s->text, start, end), s->at_zero && start == 0);
}

static tl_status feed(splitter *s, size_t start, size_t end, bool is_match) {
  switch (s->behavior) {
  case TL_SPLIT_ISOLATED:
    return give(s, start, end);
  case TL_SPLIT_REMOVED:
    return is_match ? TL_OK : give(s, start, end);
  case TL_SPLIT_MERGED_WITH_PREVIOUS: // a match joins the text before it, and only that
    if (s->has && is_match && !s->is_match) {
      s->end = end;
      s->is_match = true;
      return TL_OK;
    }
    break;
  case TL_SPLIT_MERGED_WITH_NEXT: // text joins the match before it
    if (s->has && s->is_match && !is_match) {
      s->has = false;
      return give(s, s->start, end);
    }
    break;
  case TL_SPLIT_CONTIGUOUS:
    if (s->has && s->is_match == is_match) {
      s->end = end;
      return TL_OK;
    }
    break;
  }
  bool had = s->has;
  size_t old_start = s->start, old_end = s->end;
  s->has = true;
  s->start = start;
  s->end = end;
  s->is_match = is_match;
  return had ? give(s, old_start, old_end) : TL_OK;
}

static tl_status feed_rest(splitter *s) {
  if (!s->has) return TL_OK;
  s->has = false;
  return give(s, s->start, s->end);
}

static tl_status split_by_regex(splitter *s, const tl_regex *re) {
  size_t done = 0, from = 0, last_match_end = (size_t)-1;
  while (from <= s->text.len) {
    bool found;
    size_t start, end;
    TL_TRY(tl_regex_next(&s->run->regex, re, s->text, from, &found, &start, &end));
    if (!found) break;
    if (start == end) {
      // Search on behind the next character, or an empty match would repeat forever.
      from = end + 1;
      while (from < s->text.len && ((uint8_t)s->text.ptr[from] & 0xC0) == 0x80)
        from++;
      if (end == last_match_end) continue;
    } else {
      from = end;
    }
    last_match_end = end;
    if (start > done) TL_TRY(feed(s, done, start, false));
    TL_TRY(feed(s, start, end, true));
    done = end;
  }
  if (done < s->text.len) TL_TRY(feed(s, done, s->text.len, false));
  return feed_rest(s);
}

static tl_status split_by_text(splitter *s, tl_str pattern) {
  size_t done = 0;
  while (done < s->text.len) {
    size_t at = tl_str_find(tl_str_sub(s->text, done, s->text.len), pattern);
    if (at == (size_t)-1) break;
    if (at > 0) TL_TRY(feed(s, done, done + at, false));
    TL_TRY(feed(s, done + at, done + at + pattern.len, true));
    done += at + pattern.len;
  }
  if (done < s->text.len) TL_TRY(feed(s, done, s->text.len, false));
  return feed_rest(s);
}

static bool is_number(uint32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
  return k == UTF8PROC_CATEGORY_ND || k == UTF8PROC_CATEGORY_NL || k == UTF8PROC_CATEGORY_NO;
}

static tl_status split_by_digits(splitter *s) {
  size_t done = 0;
  for (size_t at = 0; at < s->text.len;) {
    size_t from = at;
    if (!is_number(tl_utf8_decode(s->text, &at))) continue;
    if (from > done) TL_TRY(feed(s, done, from, false));
    TL_TRY(feed(s, from, at, true));
    done = at;
  }
  if (done < s->text.len) TL_TRY(feed(s, done, s->text.len, false));
  return feed_rest(s);
}

static tl_status byte_level(tl_encode_run *run, size_t i, tl_str piece, bool at_zero) {
  const tl_pretok *step = &run->tok->pretoks[i];
  if (step->add_prefix_space && piece.ptr[0] != ' ') {
    tl_buf *buf = &run->step[i];
    tl_buf_clear(buf);
    tl_buf_char(buf, ' ');
    tl_buf_str(buf, piece);
    if (buf->oom) return TL_OOM();
    piece = tl_buf_view(buf);
  }
  if (step->regex == NULL) return run_step(run, i + 1, piece, at_zero);
  splitter s = {.run = run, .next_step = i + 1, .text = piece, .at_zero = at_zero};
  return split_by_regex(&s, step->regex);
}

// Behind a ByteLevel step that is not the last, the next step must see characters.
static tl_status spell(tl_encode_run *run, size_t i, tl_str piece, bool at_zero) {
  tl_buf *buf = &run->step[i];
  tl_buf_clear(buf);
  tl_byte_level_spell(buf, piece);
  return buf->oom ? TL_OOM() : run_step(run, i + 1, tl_buf_view(buf), at_zero);
}

static tl_status metaspace(tl_encode_run *run, size_t i, tl_str piece, bool at_zero) {
  const tl_pretok *step = &run->tok->pretoks[i];
  tl_buf *buf = &run->step[i];
  tl_buf_clear(buf);
  bool marked = tl_str_starts(piece, step->text) || piece.ptr[0] == ' ';
  if (!marked &&
      (step->prepend == TL_PREPEND_ALWAYS || (step->prepend == TL_PREPEND_FIRST && at_zero)))
    tl_buf_str(buf, step->text);
  replace_all(piece, TL_STR(" "), step->text, buf);
  if (buf->oom) return TL_OOM();
  splitter s = {.run = run,
                .next_step = i + 1,
                .text = tl_buf_view(buf),
                .at_zero = at_zero,
                .behavior = TL_SPLIT_MERGED_WITH_NEXT};
  return step->split ? split_by_text(&s, step->text) : run_step(run, i + 1, s.text, at_zero);
}

static tl_status run_step(tl_encode_run *run, size_t i, tl_str piece, bool at_zero) {
  const tl_tokenizer *tok = run->tok;
  if (i == tok->n_pretoks) {
    if (i > 0 && tok->pretoks[i - 1].kind == TL_PRETOK_BYTE_LEVEL)
      return tl_bpe_encode_bytes(&tok->bpe, &run->bpe, piece, run->out);
    return tl_bpe_encode_text(&tok->bpe, &run->bpe, piece, run->out);
  }
  const tl_pretok *step = &tok->pretoks[i];
  splitter s = {.run = run,
                .next_step = i + 1,
                .text = piece,
                .at_zero = at_zero,
                .behavior = step->behavior};
  switch (step->kind) {
  case TL_PRETOK_SPLIT:
    return step->regex != NULL ? split_by_regex(&s, step->regex) : split_by_text(&s, step->text);
  case TL_PRETOK_DIGITS:
    return split_by_digits(&s);
  case TL_PRETOK_BYTE_LEVEL:
    return byte_level(run, i, piece, at_zero);
  case TL_PRETOK_SPELL:
    return spell(run, i, piece, at_zero);
  case TL_PRETOK_METASPACE:
    return metaspace(run, i, piece, at_zero);
  }
  return TL_OK;
}

tl_status tl_pretokenize(tl_encode_run *run, tl_str text, bool at_zero) {
  return text.len == 0 ? TL_OK : run_step(run, 0, text, at_zero);
}
