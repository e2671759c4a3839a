// What a decoder-only model is, whatever file said so: the numbers that graphs are built from.
#ifndef TL_CKPT_CONFIG_H
#define TL_CKPT_CONFIG_H

#include "base/str.h"
#include "ckpt/stored.h"

typedef enum {
#define TL_FAMILY(id, name, architecture, model_type, gguf, qk_norm, interleaved) TL_FAMILY_##id,
#include "ckpt/families.def"
#undef TL_FAMILY
  TL_FAMILY_COUNT
} tl_family;

typedef struct tl_family_info {
  const char *name, *architecture, *model_type, *gguf;
  bool qk_norm;     // per-head RMS norm of q and k
  bool interleaved; // q and k rows of a GGUF file are permuted
} tl_family_info;

#define TL_MODEL_NAME_SIZE 256
#define TL_MODEL_STOPS 16

typedef struct tl_model_config { // plain value
  tl_family family;
  uint32_t hidden;       // H
  uint32_t intermediate; // width of the MLP
  uint32_t n_layers;
  uint32_t n_heads;       // query heads
  uint32_t n_kv_heads;    // divides n_heads
  uint32_t head_dim;      // D, even; n_heads * D may differ from H
  uint32_t vocab;         // rows of the embedding
  uint32_t max_positions; // the context that the model was made for
  double rms_eps;
  double rope_theta;
  bool tied;                      // the head reads the embedding table
  int64_t bos;                    // -1 when there is none
  uint32_t n_stops;               // ids that end a generation
  uint32_t stops[TL_MODEL_STOPS]; // in the file's order, without duplicates
  tl_stored dtype; // HF: the declared dtype; GGUF: the format that holds most of the weights' bytes
  char name[TL_MODEL_NAME_SIZE]; // terminated
} tl_model_config;

const tl_family_info *tl_family_get(tl_family f); // immutable
// The model's name for a directory or a file: ORG/NAME for a cached snapshot
// (…/models--ORG--NAME/snapshots/REV), else the last part of the path; of a file without ".gguf".
// Cut to fit.
void tl_model_name(const char *path, char out_name[TL_MODEL_NAME_SIZE]);
// Adds a stop id unless it is there already; false when there is no room.
bool tl_model_config_add_stop(tl_model_config *c, uint32_t id);
// What both readers check alike: heads divide, the head dim is even, stop ids lie in the
// vocabulary. `where` names the file.
tl_status tl_model_config_check(const tl_model_config *c, const char *where);

#endif
