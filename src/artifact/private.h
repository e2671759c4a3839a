// What an artifact keeps beside its public fields. Private to src/artifact.
#ifndef TL_ARTIFACT_PRIVATE_H
#define TL_ARTIFACT_PRIVATE_H

#include "artifact/artifact.h"
#include "base/file.h"

struct tl_artifact_private {
  _Atomic uint32_t refs;
  bool reference; // tl_artifact_reference: bodies are tl_reference_decode's
  void *lock;     // pthread_mutex_t *, guards what is made on demand: maps and checked
  // Of a directory: its weight files, mapped on demand. Linked slots may share one.
  tl_file_map *maps;  // [n_maps]
  bool *mapped;       // [n_maps]
  const char **paths; // [n_maps] as they are opened
  uint32_t *map_of;   // [n_slots]
  size_t n_maps;
  bool *checked;                 // [n_entries] the body's signature was compared
  struct tl_artifact_wire *wire; // what only the manifest says: manifest.h; NULL in memory
};

// An empty artifact with its arena and private part, one reference.
tl_status tl_artifact_new(tl_artifact **out_artifact);

// The text of an entry of an artifact that lives in memory.
tl_status tl_artifact_memory_body(const tl_artifact *a, const tl_artifact_entry *e,
                                  tl_buf *out_text);

// "hf-<family>:<name>:L<layers>:h<hidden>:v<vocab>" and what tells one set of weights from another;
// `digest` covers their bytes, NULL when they were not read. NULL when memory is gone.
const char *tl_artifact_model_hash(tl_arena *a, const tl_model *m, const char *digest);

// The reference decode module in one of its two published forms; both with alias attributes.
tl_status tl_reference_module(uint32_t B, uint32_t C, bool aliased, tl_module **out_module);

#endif
