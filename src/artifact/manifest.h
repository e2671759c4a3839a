// The manifest of an artifact directory, `tlaloc-serving.json`, and its program files: as text, as
// structs, and the rules that bind the two.
//
//     text ──read──► tl_artifact + wire entries ──write──► text            (the same bytes for
//     ours)
//                          │
//                        check: every rule that holds between parts of a manifest
//
// Three schema versions are read. v1 and v2 are the reference system's (v1 has decode entries
// alone). v6 is ours: their keys in their order, and behind them what a deployment of ours needs:
//
//     model        stackedKvPoolDims, context, maxBatch, compute, stopIds
//     bucketLadder tokens (the rungs of the step entries)
//     weights      a row's offset in its file and the format of its bytes
//     tokenizer    the folder and its files with their digests, or null
//     entries      kind "prepare"; kind "step" with tokens, sequences and rows
//
// The exporter fills the same structs, has them checked, and writes them; so what we write is what
// we would read. Private to src/artifact.
#ifndef TL_ARTIFACT_MANIFEST_H
#define TL_ARTIFACT_MANIFEST_H

#include "artifact/private.h"

#define TL_MANIFEST_FILE "tlaloc-serving.json"
#define TL_MANIFEST_LIMIT ((size_t)64 << 20) // bytes; larger files are refused
#define TL_MANIFEST_RUNGS 64                 // of a ladder
#define TL_MANIFEST_TOKENIZER_FILES 16

typedef enum {
#define TL_SLOT_ROLE(id, since) TL_SLOT_##id,
#include "artifact/slot_roles.def"
#undef TL_SLOT_ROLE
  TL_SLOT_ROLE_COUNT
} tl_slot_role;

typedef struct tl_wire_slot { // an input or output of an entry
  const char *name;           // terminated
  tl_slot_role role;
  tl_type type;
} tl_wire_slot;

typedef struct tl_wire_entry { // beside tl_artifact.entries: what only files say
  const char *cache_key, *program_path;
  uint32_t max_blocks; // block table columns; 0 for prepare
  tl_wire_slot *inputs, *outputs;
  uint32_t (*pairs)[2]; // donated input, the output it becomes
  size_t n_pairs;
} tl_wire_entry;

typedef struct tl_wire_file { // of the tokenizer
  const char *name, *sha256;
} tl_wire_file;

struct tl_artifact_wire { // all in the artifact's arena
  uint32_t version;       // of the schema: 1, 2 or 6
  tl_wire_entry *entries; // [n_entries]
  bool embedded;          // weights are constants of the bodies
  bool packed;            // weights are what prepare makes, and there is no prepare entry
  const char *tokenizer;  // its folder; NULL without one
  tl_wire_file *tokenizer_files;
  size_t n_tokenizer_files;
};

const char *tl_slot_role_name(tl_slot_role role);
uint32_t tl_slot_role_since(tl_slot_role role);
bool tl_slot_role_of_name(tl_str name, tl_slot_role *out);
const char *tl_entry_kind_name(tl_entry_kind kind);
// Manifests spell dtypes in lower case: "f32", "ui8". `out` has room for 16 bytes.
const char *tl_wire_dtype_name(tl_dtype dtype, char out[16]);
bool tl_wire_dtype_of_name(tl_str name, tl_dtype *out);
void tl_wire_type_print(tl_buf *out, tl_type t); // "f32 [2,1,11]", for messages
// Ids and keys follow from what an entry is. NULL when memory is gone.
const char *tl_entry_id(tl_arena *a, const tl_artifact_entry *e);
const char *tl_entry_cache_key(const tl_artifact *a, const tl_artifact_entry *e);
// Puts entries and their wire parts into the order that artifact.h promises.
tl_status tl_entries_sort(tl_artifact *a);
tl_status tl_wire_create(tl_artifact *a, uint32_t version); // priv->wire, empty

// Reads a manifest's text: every rule that needs neither another file nor another part. `name` is
// its path in messages.
tl_status tl_manifest_read(tl_str text, const char *name, tl_artifact **out_artifact);
// The rules between the parts: roles, dims, pools, weights, donation. `name` as above.
tl_status tl_manifest_check(const tl_artifact *a, const char *name);
// One line of compact JSON.
tl_status tl_manifest_write(const tl_artifact *a, tl_buf *out);

tl_status tl_program_write(const tl_artifact *a, size_t entry, tl_buf *out);
// The program file's text must say what the manifest says of entry `entry`.
tl_status tl_program_check(const tl_artifact *a, size_t entry, tl_str text, const char *name);
// The body's own `main` must have the entry's signature. `name` is the body's path in messages.
tl_status tl_body_check(const tl_artifact *a, size_t entry, tl_str text, const char *name);

#endif
