// Any bytes as config.json and, behind a NUL byte, generation_config.json: an accepted config keeps
// its promises.
#include "ckpt/hf_config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
  if (!good) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
  size_t n = cut ? (size_t)(cut - data) : size;
  tl_str config = {(const char *)data, n};
  tl_str generation = {(const char *)data + n + 1, cut ? size - n - 1 : 0};
  if (!cut) generation.ptr = "";
  tl_model_config c;
  tl_status st = tl_hf_config_parse(config, generation, "config.json", &c);
  if (st) {
    require(tl_status_message(st)[0] != '\0');
  } else {
    require(c.hidden && c.intermediate && c.n_layers && c.n_heads && c.n_kv_heads && c.vocab &&
            c.max_positions);
    require(c.n_heads % c.n_kv_heads == 0 && c.head_dim % 2 == 0 && c.head_dim > 0);
    require(c.rms_eps >= 0 && c.rope_theta > 0 && c.bos < (int64_t)c.vocab &&
            c.n_stops <= TL_MODEL_STOPS);
    for (uint32_t i = 0; i < c.n_stops; i++)
      require(c.stops[i] < c.vocab);
  }
  tl_status_drop(st);
  return 0;
}
