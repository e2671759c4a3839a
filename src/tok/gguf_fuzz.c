// Bytes as a GGUF file with a tokenizer in its metadata: loaded, saved nowhere, and asked to encode
// and decode a text that touches every step.
#include "tok/tokenizer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char text[] = "Hello, 42 w\xc3\xb6rlds!  <|im_end|>\n\t\xf0\x9f\x99\x82 don't";
  tl_gguf *gguf = NULL;
  tl_tokenizer *tok = NULL;
  tl_status st = tl_gguf_parse(data, size, "fuzz.gguf", &gguf);
  if (!st) st = tl_tokenizer_load_gguf(gguf, &tok);
  tl_gguf_destroy(gguf); // nothing may be borrowed from it
  if (!st) {
    tl_ids ids = {0};
    tl_buf back = {0};
    st = tl_tokenizer_encode(tok, TL_STR(text), NULL, &ids);
    if (!st) st = tl_tokenizer_decode(tok, ids.ptr, ids.len, false, &back);
    tl_ids_deinit(&ids);
    tl_buf_deinit(&back);
  }
  tl_tokenizer_release(tok);
  tl_status_drop(st);
  return 0;
}
