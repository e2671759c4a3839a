// From what a user names to what runs: a model on a device. Shared by chat, generate and bench.
#ifndef TL_TOOLS_OPEN_H
#define TL_TOOLS_OPEN_H

#include "cli.h"
#include "serve/engine/engine.h"

typedef struct tl_opened {
  tl_artifact *artifact;
  tl_pjrt_client *client;
  tl_engine *engine;
} tl_opened;

// MODEL is a GGUF file, a checkpoint directory, an artifact directory, or @reference. The flags
// that shape a model (--weights, --kv, --context, --prefill-chunk) are refused on the last two.
tl_status tl_open_artifact(const tl_cli *cli, const char *model, tl_artifact **out_artifact);
tl_status tl_open_device(const tl_cli *cli, tl_pjrt_client **out_client); // --device, --threads
tl_status tl_open(const tl_cli *cli, const char *model, tl_opened *out);
// The same for one sequence that will reach so many tokens as `reach` says (0: nobody knows); its
// tokenizer is the model's, or NULL. What has its shape already does not ask.
typedef tl_status (*tl_open_reach)(void *arg, const tl_tokenizer *tok, uint64_t *out_tokens);
tl_status tl_open_for(const tl_cli *cli, const char *model, tl_open_reach reach, void *arg,
                      tl_opened *out);
void tl_open_close(tl_opened *o);

#endif
