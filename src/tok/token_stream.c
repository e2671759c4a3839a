// One token at a time.
//
// What a token adds to the text depends on its neighbours: a byte-level token may be a third of a
// character, a decoder may drop the space of the first word. So the stream decodes a short window:
// some tokens whose text is out already, for context, and those not yet given, and gives what the
// window's text has beyond what was given. A text that ends in U+FFFD may end in the beginning of
// a character, so replacement characters at the end wait.
//
//     held   [ context | new … ]          decode(held)  "Grüße ��"
//                                                    given ┘ ^ waits
//
// When nothing waits the context is dropped and the new tokens become it. A model that goes on
// and on giving bytes that are no character would let the window grow, so past `LONGEST` tokens
// all but the last replacement character count as certain.
#include <stdlib.h>

#include "tok/tokenizer_impl.h"

enum { LONGEST = 32, TAIL = 4 }; // TAIL: the bytes of a character, so its tokens at most

void tl_token_stream_init(tl_token_stream *s, tl_tokenizer *tok, bool skip_special) {
  *s = (tl_token_stream){.tok = tl_tokenizer_retain(tok), .skip_special = skip_special};
}

void tl_token_stream_deinit(tl_token_stream *s) {
  if (s->scratch != NULL) tl_decode_scratch_deinit(s->scratch);
  free(s->scratch);
  tl_ids_deinit(&s->held);
  tl_buf_deinit(&s->text);
  tl_tokenizer_release(s->tok);
  *s = (tl_token_stream){0};
}

static tl_status decode_held(tl_token_stream *s) {
  tl_buf_clear(&s->text);
  return tl_decode_run(s->tok, s->scratch, s->held.ptr, s->held.len, s->skip_special, &s->text);
}

static size_t waiting(tl_str text) { // bytes of replacement characters at the end
  size_t n = 0;
  while (text.len - n >= 3 && memcmp(text.ptr + text.len - n - 3, "\xEF\xBF\xBD", 3) == 0)
    n += 3;
  return n;
}

// Makes the last `keep` ids the context.
static tl_status make_context(tl_token_stream *s, size_t keep) {
  memmove(s->held.ptr, s->held.ptr + s->held.len - keep, keep * sizeof(int32_t));
  s->held.len = s->n_context = keep;
  TL_TRY(decode_held(s));
  s->given = s->text.len;
  return TL_OK;
}

static tl_status give(tl_token_stream *s, size_t to, tl_buf *out) {
  // A decoder may take back what it gave (byte tokens that turn out to be no character); begin at
  // a whole character even then.
  while (s->given < to && ((uint8_t)s->text.ptr[s->given] & 0xC0) == 0x80)
    s->given++;
  if (to <= s->given) return TL_OK;
  tl_buf_add(out, s->text.ptr + s->given, to - s->given);
  s->given = to;
  return out->oom ? TL_OOM() : TL_OK;
}

tl_status tl_token_stream_push(tl_token_stream *s, int32_t id, tl_buf *out) {
  if (s->scratch == NULL && (s->scratch = calloc(1, sizeof *s->scratch)) == NULL) return TL_OOM();
  if (s->skip_special && tl_tokenizer_is_special(s->tok, id)) return TL_OK;
  tl_ids_push(&s->held, id);
  if (s->held.oom) {
    s->held.oom = false;
    return TL_OOM();
  }
  TL_TRY(decode_held(s));
  size_t wait = waiting(tl_buf_view(&s->text));
  bool too_long = s->held.len - s->n_context >= LONGEST;
  if (wait > 0 && too_long) {
    TL_TRY(give(s, s->text.len - 3, out));
    TL_TRY(make_context(s, TAIL));
    s->given -= TL_MIN(s->given, waiting(tl_buf_view(&s->text)) > 0 ? (size_t)3 : 0);
    return TL_OK;
  }
  size_t had = s->given;
  TL_TRY(give(s, s->text.len - wait, out));
  if (wait > 0 || (s->given == had && !too_long)) return TL_OK;
  return make_context(s, s->held.len - s->n_context);
}

tl_status tl_token_stream_finish(tl_token_stream *s, tl_buf *out) {
  if (s->held.len > 0) {
    TL_TRY(decode_held(s));
    TL_TRY(give(s, s->text.len, out));
  }
  s->held.len = s->n_context = s->given = 0;
  return TL_OK;
}
