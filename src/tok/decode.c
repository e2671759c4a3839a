// Ids back to text: the texts of the tokens go through the list of decoders, each of which makes
// a new list of texts, and what is left is joined.
//
// A list of texts is one buffer and the places where each ends, so a decoder is one pass and two
// buffers serve any number of them. The usual byte-level tokenizer has one decoder, and for it
// there is no list at all.
#include <stdlib.h>

#include "tok/byte_level.h"
#include "tok/tokenizer_impl.h"

static void close_text(tl_token_texts *t) {
  if (t->len == t->cap) {
    size_t cap = TL_MAX(t->cap * 2, (size_t)16), size;
    size_t *grown = TL_MUL_OK(cap, sizeof(size_t), &size) ? realloc(t->ends, size) : NULL;
    if (grown == NULL) {
      t->text.oom = true;
      return;
    }
    t->ends = grown;
    t->cap = cap;
  }
  t->ends[t->len++] = t->text.len;
}

static tl_str text_at(const tl_token_texts *t, size_t i) {
  size_t from = i == 0 ? 0 : t->ends[i - 1];
  return (tl_str){tl_buf_view(&t->text).ptr + from, t->ends[i] - from};
}

static void clear_texts(tl_token_texts *t) {
  tl_buf_clear(&t->text);
  t->len = 0;
}

void tl_decode_scratch_deinit(tl_decode_scratch *s) {
  tl_buf_deinit(&s->a.text);
  tl_buf_deinit(&s->b.text);
  tl_buf_deinit(&s->bytes);
  free(s->a.ends);
  free(s->b.ends);
  *s = (tl_decode_scratch){0};
}

// "<0xE2>" to 0xE2; -1 for any other text.
static int hex_byte(tl_str s) {
  if (s.len != 6 || memcmp(s.ptr, "<0x", 3) != 0 || s.ptr[5] != '>') return -1;
  int value = 0;
  for (int i = 3; i < 5; i++) {
    char c = s.ptr[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// Bytes that byte tokens spelled: characters if all of them are, else one U+FFFD a byte.
static void give_bytes(tl_buf *bytes, tl_token_texts *out) {
  if (bytes->len == 0) return;
  if (tl_utf8_valid(tl_buf_view(bytes))) {
    tl_buf_str(&out->text, tl_buf_view(bytes));
    close_text(out);
  } else {
    for (size_t i = 0; i < bytes->len; i++) {
      tl_buf_cstr(&out->text, "\xEF\xBF\xBD");
      close_text(out);
    }
  }
  tl_buf_clear(bytes);
}

static void byte_fallback(const tl_token_texts *in, tl_buf *bytes, tl_token_texts *out) {
  tl_buf_clear(bytes);
  for (size_t i = 0; i < in->len; i++) {
    tl_str s = text_at(in, i);
    int byte = hex_byte(s);
    if (byte >= 0) {
      tl_buf_char(bytes, (char)byte);
      continue;
    }
    give_bytes(bytes, out);
    tl_buf_str(&out->text, s);
    close_text(out);
  }
  give_bytes(bytes, out);
}

static void replace(tl_str s, tl_str pattern, tl_str content, tl_buf *out) {
  for (size_t at; (at = tl_str_find(s, pattern)) != (size_t)-1;) {
    tl_buf_add(out, s.ptr, at);
    tl_buf_str(out, content);
    s = tl_str_sub(s, at + pattern.len, s.len);
  }
  tl_buf_str(out, s);
}

static tl_str strip(tl_str s, const tl_decoder *d) {
  for (size_t i = 0; i < d->start && tl_str_starts(s, d->pattern); i++)
    s = tl_str_sub(s, d->pattern.len, s.len);
  for (size_t i = 0; i < d->stop && tl_str_ends(s, d->pattern); i++)
    s = tl_str_sub(s, 0, s.len - d->pattern.len);
  return s;
}

static void read_bytes(tl_str token, tl_buf *bytes) {
  // A token with a character outside the alphabet (an added one) stands for its own bytes.
  if (!tl_byte_level_read(bytes, token)) tl_buf_str(bytes, token);
}

static void apply(const tl_decoder *d, const tl_token_texts *in, tl_buf *bytes,
                  tl_token_texts *out) {
  clear_texts(out);
  switch (d->kind) {
  case TL_DEC_BYTE_LEVEL:
    tl_buf_clear(bytes);
    for (size_t i = 0; i < in->len; i++)
      read_bytes(text_at(in, i), bytes);
    tl_utf8_append_lossy(&out->text, tl_buf_view(bytes));
    close_text(out);
    break;
  case TL_DEC_BYTE_FALLBACK:
    byte_fallback(in, bytes, out);
    break;
  case TL_DEC_FUSE:
    tl_buf_str(&out->text, tl_buf_view(&in->text));
    close_text(out);
    break;
  case TL_DEC_REPLACE:
    for (size_t i = 0; i < in->len; i++) {
      replace(text_at(in, i), d->pattern, d->content, &out->text);
      close_text(out);
    }
    break;
  case TL_DEC_STRIP:
    for (size_t i = 0; i < in->len; i++) {
      tl_buf_str(&out->text, strip(text_at(in, i), d));
      close_text(out);
    }
    break;
  case TL_DEC_METASPACE: // the first token's marks were put there by encoding
    for (size_t i = 0; i < in->len; i++) {
      bool drop = i == 0 && d->prepend != TL_PREPEND_NEVER;
      replace(text_at(in, i), d->pattern, drop ? (tl_str){"", 0} : TL_STR(" "), &out->text);
      close_text(out);
    }
    break;
  }
}

tl_status tl_decode_run(const tl_tokenizer *tok, tl_decode_scratch *s, const int32_t *ids,
                        size_t len, bool skip_special, tl_buf *out) {
  size_t out_before = out->len;
  bool byte_level = tok->n_decoders == 1 && tok->decoders[0].kind == TL_DEC_BYTE_LEVEL;
  tl_token_texts *from = &s->a, *to = &s->b;
  clear_texts(from);
  tl_buf_clear(&s->bytes);
  for (size_t i = 0; i < len; i++) {
    if (skip_special && tl_tokenizer_is_special(tok, ids[i])) continue;
    tl_str token = tl_tokenizer_token_of(tok, ids[i]);
    if (token.ptr == NULL) continue;
    if (byte_level) {
      read_bytes(token, &s->bytes);
      continue;
    }
    if (tok->n_decoders == 0 && from->len > 0) tl_buf_char(&from->text, ' ');
    tl_buf_str(&from->text, token);
    close_text(from);
  }
  if (byte_level) {
    tl_utf8_append_lossy(out, tl_buf_view(&s->bytes));
  } else {
    for (size_t i = 0; i < tok->n_decoders; i++) {
      apply(&tok->decoders[i], from, &s->bytes, to);
      tl_token_texts *t = from;
      from = to;
      to = t;
    }
    tl_buf_str(out, tl_buf_view(&from->text));
  }
  if (!s->bytes.oom && !s->a.text.oom && !s->b.text.oom && !out->oom) return TL_OK;
  out->len = TL_MIN(out->len, out_before);
  return TL_OOM();
}

tl_status tl_tokenizer_decode(const tl_tokenizer *tok, const int32_t *ids, size_t len,
                              bool skip_special, tl_buf *out) {
  tl_decode_scratch s = {0};
  tl_status st = tl_decode_run(tok, &s, ids, len, skip_special, out);
  tl_decode_scratch_deinit(&s);
  return st;
}
