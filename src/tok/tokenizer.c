// Text to ids, and what one may ask a tokenizer. Building is added.c, the way back is decode.c.
#include "tok/tokenizer.h"

#include <stdlib.h>

#include "tok/tokenizer_impl.h"

// ---- Lists of ids ----

void tl_ids_deinit(tl_ids *ids) {
  free(ids->ptr);
  *ids = (tl_ids){0};
}

bool tl_ids_reserve(tl_ids *ids, size_t extra) {
  size_t want, size;
  if (ids->oom || !TL_ADD_OK(ids->len, extra, &want)) goto gone;
  if (want <= ids->cap) return true;
  want = TL_MAX(want, TL_MAX(ids->cap * 2, (size_t)16));
  if (!TL_MUL_OK(want, sizeof(int32_t), &size)) goto gone;
  int32_t *grown = realloc(ids->ptr, size);
  if (grown == NULL) goto gone;
  ids->ptr = grown;
  ids->cap = want;
  return true;
gone:
  ids->oom = true;
  return false;
}

void tl_ids_push(tl_ids *ids, int32_t id) {
  if (tl_ids_reserve(ids, 1)) ids->ptr[ids->len++] = id;
}

// ---- Encoding ----

static tl_status encode_normalized(tl_encode_run *run, tl_str text, bool at_zero) {
  return tl_pretokenize(run, text, at_zero);
}

static tl_status encode_raw(tl_encode_run *run, tl_str text, bool at_zero) {
  tl_str normal;
  TL_TRY(tl_normalize(run->tok, text, run->norm, &normal));
  return tl_added_cut(run, &run->tok->normal, normal, at_zero, encode_normalized);
}

static tl_status check_utf8(tl_str text) {
  if (tl_utf8_valid(text)) return TL_OK;
  size_t at = 0;
  while (at < text.len) { // the byte, for the message
    size_t from = at;
    if (tl_utf8_decode(text, &at) == 0xFFFD && at == from + 1)
      return TL_ERROR(INVALID_ARGUMENT, "the text is not UTF-8: byte %zu is 0x%02X", from,
                      (uint8_t)text.ptr[from]);
  }
  return TL_ERROR(INVALID_ARGUMENT, "the text is not UTF-8");
}

tl_status tl_tokenizer_encode(const tl_tokenizer *tok, tl_str text,
                              const tl_encode_options *options, tl_ids *out_ids) {
  tl_encode_options o = options != NULL ? *options : (tl_encode_options){0};
  TL_TRY(check_utf8(text));
  tl_encode_run run = {.tok = tok,
                       .out = out_ids,
                       .split_special = o.split_special || tok->split_special,
                       .text = text.ptr,
                       .quoted = o.quoted,
                       .n_quoted = o.n_quoted};
  size_t len_before = out_ids->len;
  TL_TRY(tl_regex_run_init(&run.regex, text.len));
  tl_status st = TL_OK;
  if (!o.no_special_tokens)
    for (size_t i = 0; i < tok->n_before; i++)
      tl_ids_push(out_ids, tok->before[i]);
  tl_ids_reserve(out_ids, text.len / 4);
  TL_TRY_GOTO(done, st, tl_added_cut(&run, &tok->raw, text, true, encode_raw));
  if (!o.no_special_tokens)
    for (size_t i = 0; i < tok->n_after; i++)
      tl_ids_push(out_ids, tok->after[i]);
  if (out_ids->oom) st = TL_OOM();
done:
  if (st != TL_OK) out_ids->len = len_before;
  tl_regex_run_deinit(&run.regex);
  tl_bpe_scratch_deinit(&run.bpe);
  for (size_t i = 0; i < TL_COUNT(run.norm); i++)
    tl_buf_deinit(&run.norm[i]);
  for (size_t i = 0; i < TL_COUNT(run.step); i++)
    tl_buf_deinit(&run.step[i]);
  return st;
}

// ---- Questions ----

int32_t tl_tokenizer_id_of(const tl_tokenizer *tok, tl_str token) {
  const tl_added *added = tl_tokenizer_added_of(tok, token);
  return added != NULL ? added->id : tl_vocab_find(&tok->bpe.vocab, token);
}

tl_str tl_tokenizer_token_of(const tl_tokenizer *tok, int32_t id) {
  tl_str word = tl_vocab_token(&tok->bpe.vocab, id);
  if (word.ptr != NULL) return word;
  const tl_added *added = tl_tokenizer_added_at(tok, id);
  return added != NULL ? added->content : (tl_str){NULL, 0};
}

bool tl_tokenizer_is_special(const tl_tokenizer *tok, int32_t id) {
  const tl_added *added = tl_tokenizer_added_at(tok, id);
  return added != NULL && added->special;
}

size_t tl_tokenizer_vocab_size(const tl_tokenizer *tok) { return tok->vocab_size; }
int32_t tl_tokenizer_bos(const tl_tokenizer *tok) { return tok->bos; }
int32_t tl_tokenizer_eos(const tl_tokenizer *tok) { return tok->eos; }
int32_t tl_tokenizer_pad(const tl_tokenizer *tok) { return tok->pad; }
int32_t tl_tokenizer_unk(const tl_tokenizer *tok) { return tok->unk; }

const int32_t *tl_tokenizer_stop_ids(const tl_tokenizer *tok, size_t *out_len) {
  *out_len = tok->n_stop;
  return tok->stop;
}

tl_str tl_tokenizer_chat_template(const tl_tokenizer *tok) { return tok->chat_template; }
