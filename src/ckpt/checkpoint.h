// One view over every kind of checkpoint, for whoever builds a model: its config, and its weights
// by role and layer.
//
// A checkpoint is a GGUF file, or a directory with config.json and model.safetensors (or its
// shards). Opening maps the files, reads the config and finds every weight that the config asks
// for: a missing, extra or misshapen tensor is an error that names it, so that whoever holds a
// tl_checkpoint need not ask again.
#ifndef TL_CKPT_CHECKPOINT_H
#define TL_CKPT_CHECKPOINT_H

#include "ckpt/config.h"
#include "ckpt/gguf.h"
#include "ckpt/safetensors.h"
#include "ckpt/scaled.h"

typedef enum {
#define TL_ROLE(id, slot, layered, hf, gguf, rank, rows, k, when, rotary) TL_ROLE_##id,
#include "ckpt/roles.def"
#undef TL_ROLE
  TL_ROLE_COUNT
} tl_role;

typedef struct tl_role_info {
  const char *slot; // "qProj"
  bool layered;     // one per layer
  bool rotary;      // q and k
  const char *hf;   // behind "model.layers.<l>." when layered
  const char *gguf; // behind "blk.<l>." when layered
  uint32_t rank;    // 1 for norms, else 2
} tl_role_info;

// A weight as it lies in the file: `rows` rows of `k` elements, row_size bytes each, back to back.
typedef struct tl_weight {
  tl_role role;
  uint32_t layer; // 0 for weights that are not layered
  tl_str name;    // the tensor's name in the file; terminated
  tl_format format;
  uint64_t rows, k;      // [rows, k] = [out, in]; norms are [1, k]
  size_t row_size, size; // bytes
  const uint8_t *data;   // any alignment; mapped, so reading it may wait for the disk
  // Where codes and scales are tensors of their own: `data` is NULL, and rows are put together by
  // tl_weight_row. NULL elsewhere.
  const tl_scaled *scaled;
  // The rows of each head are stored pairwise, for interleaved RoPE: with D = head_dim, stored row
  // 2i of a head is its row i and stored row 2i+1 its row i + D/2, for i < D/2. False for
  // everything but q and k of GGUF's llama.
  bool interleaved_rope;
} tl_weight;

typedef struct tl_checkpoint { // immutable after open; any thread
  tl_model_config config;
  const char *path; // as given to open
  bool is_gguf;
  // The open file or files; one of the two is NULL. A GGUF's metadata holds the tokenizer, else it
  // lies in `path`.
  tl_gguf *gguf;
  tl_safetensors *safetensors;
  // In the order of the whole model: embedding, layer by layer, final norm, head.
  const tl_weight *weights;
  size_t n_weights;
  size_t first[TL_ROLE_COUNT]; // where a role's weight (of layer 0) stands; SIZE_MAX when the model
                               // has none
  size_t per_layer;            // weights of a layer
  // Ours.
  tl_arena *arena;
  struct tl_checkpoint_refs *refs;
} tl_checkpoint;

const tl_role_info *tl_role_get(tl_role role); // immutable
// Whether a model of this config has the weight, and its shape (rows 1 for norms).
bool tl_role_shape(tl_role role, const tl_model_config *config, uint64_t *out_rows,
                   uint64_t *out_k);

// NOT_FOUND when there is nothing at `path`; INVALID_ARGUMENT when it is no checkpoint (the message
// says what was found and what is accepted) or a damaged one; UNIMPLEMENTED for weights in a format
// that we do not compute with.
tl_status tl_checkpoint_open(const char *path, tl_checkpoint **out_checkpoint);
void tl_checkpoint_retain(tl_checkpoint *c);
// The files' pages leave this process until they are read again.
void tl_checkpoint_drop_pages(const tl_checkpoint *c);
void tl_checkpoint_release(tl_checkpoint *c); // NULL is allowed; the last one unmaps
// Borrowed from c; NULL when the model has no such weight (a tied head, norms of another family, a
// layer past the last).
const tl_weight *tl_checkpoint_weight(const tl_checkpoint *c, tl_role role, uint32_t layer);
// Row `row` of the file, row_size bytes: of the file's own memory, or put together in `scratch`, as
// many bytes.
const uint8_t *tl_weight_row(const tl_weight *w, uint64_t row, uint8_t *scratch);
// The row of the file that holds row `row` of the model's own order: the identity unless
// w->interleaved_rope.
uint64_t tl_weight_stored_row(const tl_weight *w, uint32_t head_dim, uint64_t row);

#endif
