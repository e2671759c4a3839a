// Any bytes as a tokenizer.json: the part before the last zero byte is the file, the part behind it
// a tokenizer_config.json. What loads encodes and decodes a text of many kinds, and the two ways of
// decoding must agree.
#include <stdlib.h>

#include "tok/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] =
    "ab <s>a b\n\n  12\xC3\xA9 e\xCC\x81 \xE2\x96\x81\xF0\x9F\x98\x80 aaaaaaaaaaaab'll";

static void use(tl_tokenizer *tok) {
  tl_ids ids = {0};
  tl_buf whole = {0}, pieces = {0};
  tl_token_stream s;
  tl_token_stream_init(&s, tok, false);
  for (int round = 0; round < 2; round++) {
    tl_encode_options o = {.no_special_tokens = round == 1, .split_special = round == 1};
    tl_status_drop(tl_tokenizer_encode(tok, TL_STR(TEXT), &o, &ids));
  }
  for (int32_t id = 0; id < 300; id += 7)
    tl_ids_push(&ids, id); // some that no text gives
  tl_status_drop(tl_tokenizer_decode(tok, ids.ptr, ids.len, false, &whole));
  for (size_t i = 0; i < ids.len; i++) {
    size_t before = pieces.len;
    tl_status_drop(tl_token_stream_push(&s, ids.ptr[i], &pieces));
    TL_ASSERT(tl_utf8_valid(tl_str_sub(tl_buf_view(&pieces), before, pieces.len)));
    tl_str token = tl_tokenizer_token_of(tok, ids.ptr[i]);
    TL_ASSERT(token.ptr == NULL || tl_tokenizer_id_of(tok, token) == ids.ptr[i]);
  }
  tl_status_drop(tl_token_stream_finish(&s, &pieces));
  TL_ASSERT(tl_utf8_valid(tl_buf_view(&whole)) && tl_utf8_valid(tl_buf_view(&pieces)));
  tl_token_stream_deinit(&s);
  tl_ids_deinit(&ids);
  tl_buf_deinit(&whole);
  tl_buf_deinit(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *zero = size > 0 ? memrchr(data, 0, size) : NULL;
  size_t len = zero != NULL ? (size_t)(zero - data) : size;
  tl_tokenizer_files files = {.tokenizer = {(const char *)data, len}};
  if (zero != NULL) files.config = (tl_str){(const char *)zero + 1, size - len - 1};
  tl_tokenizer *tok = NULL;
  tl_status st = tl_tokenizer_parse(&files, "fuzz", &tok);
  if (st == TL_OK) use(tok);
  tl_status_drop(st);
  tl_tokenizer_release(tok);
  return 0;
}
