// config.json of Hugging Face, strictly: a key that is neither read nor known to change nothing is
// refused by name, and so is everything that would change the arithmetic (scaled RoPE, biases,
// other activations, sliding layers). What is refused is listed together, up to eight at a time.
#ifndef TL_CKPT_HF_CONFIG_H
#define TL_CKPT_HF_CONFIG_H

#include "ckpt/config.h"

#define TL_HF_CONFIG_LIMIT ((size_t)16 << 20) // bytes; a config is a few kilobytes

// From texts; `where` names the document in messages. `generation` is generation_config.json's
// text, empty when there is none: its eos_token_id replaces the config's, as in transformers'
// generate. Leaves out_config->name empty.
tl_status tl_hf_config_parse(tl_str config, tl_str generation, const char *where,
                             tl_model_config *out_config);
// From a checkpoint directory. NOT_FOUND when it has no config.json.
tl_status tl_hf_config_read(const char *dir, tl_model_config *out_config);

#endif
