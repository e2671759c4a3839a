// The model's numbers from GGUF metadata, as strictly as from config.json: an unknown key of the
// architecture is refused by name, since it may change the arithmetic.
#ifndef TL_CKPT_GGUF_CONFIG_H
#define TL_CKPT_GGUF_CONFIG_H

#include "ckpt/config.h"
#include "ckpt/gguf.h"

// `tied` is set when the file has no output.weight. Leaves out_config->name empty and dtype f32:
// the checkpoint knows them.
tl_status tl_gguf_config_read(const tl_gguf *g, tl_model_config *out_config);

#endif
