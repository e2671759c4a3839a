// An artifact: a model as it is deployed. Bodies (StableHLO), weights, tokenizer, and a manifest
// that binds them.
//
// Two origins, one object. tl_artifact_open reads a directory: `tlaloc-serving.json`,
// `bodies/<sha256>.mlir`, `programs/<entry>.json`, `weights/NNNN_<slot>.bin`, `tokenizer/`.
// tl_artifact_of_model makes the same in memory from a checkpoint: its bodies are printed when they
// are asked for, and nothing touches the disk.
//
// Weights lie there as the checkpoint stores them, and a prepare entry packs them at each start; or
// packed, a file each, which the entries take as they are: a start may map them (--mmap).
//
// Immutable after creation; any thread. Counted.
#ifndef TL_ARTIFACT_ARTIFACT_H
#define TL_ARTIFACT_ARTIFACT_H

#include "model/model.h"
#include "tok/tokenizer.h"

typedef enum { TL_ENTRY_PREPARE, TL_ENTRY_STEP, TL_ENTRY_DECODE, TL_ENTRY_PREFILL } tl_entry_kind;

typedef struct tl_artifact_entry {
  tl_entry_kind kind;
  const char *id;   // "step_t8_s4_r4", "decode_b1_c64", "prefill_b1_c64_t32", "prepare"; terminated
  uint32_t T, S, R; // step: tokens, sequences, output rows
  uint32_t B, C, tokens; // decode and prefill: batch, context, tokens a sequence (1 for decode)
  uint32_t n_inputs, n_outputs;
  const char *body_path; // relative to the directory; NULL in memory
  const char *body_hash; // hex; NULL in memory
} tl_artifact_entry;

typedef struct tl_artifact_slot { // a weight, in the order in which entries take them
  const char *name;               // terminated
  tl_type
      stored; // what the file holds, and prepare takes (or the entries, without a prepare entry)
  tl_type prepared;   // what the entries take; the same as stored when there is no prepare entry
  const char *format; // of the stored bytes: "q4_1", "bf16" (ir/formats.def)
  bool constant;      // made by prepare itself (RoPE tables): has no bytes
  const char *path; // of its bytes; relative to the directory, or absolute (linked); NULL in memory
  uint64_t offset, size; // in that file
  const char *sha256;    // hex; NULL in memory
} tl_artifact_slot;

typedef struct tl_artifact { // plain to read
  tl_arena *arena;
  const char *dir; // NULL in memory
  const char *model_name, *model_hash, *schema;
  uint32_t vocab, hidden, n_heads, n_kv_heads, head_dim, n_layers;
  uint32_t num_blocks, block_size;
  uint32_t context;   // tokens a sequence may reach
  uint32_t max_batch; // S of the step entries; the largest decode batch without them
  tl_dtype kv_dtype;
  bool stacked_pool;             // entries of kind step: one pool [layers*2*blocks, bs, KvH, D]
  const char *compute;           // "exact" or "fast" (model/model.h)
  int32_t stops[TL_MODEL_STOPS]; // ids that end a generation
  uint32_t n_stops;
  const int32_t *refused; // [n_refused] ids that a prompt may not hold, ascending
  size_t n_refused;
  tl_artifact_slot *slots;
  size_t n_slots;
  tl_artifact_entry
      *entries; // step entries ascending in T; decode and prefill batch-major, then context
  size_t n_entries;
  tl_tokenizer *tokenizer; // NULL when the artifact has none (the reference artifact)
  tl_model *model;         // in memory only; owned
  struct tl_artifact_private *priv;
} tl_artifact;

// Rungs of the token ladder of step entries up to `top`: 1 2 3 4 6 8 12 16 24 … (each at most 1.5
// times the one before from 2 on), ending in `top` itself. Returns how many, at most `cap`.
size_t tl_step_ladder(uint32_t top, uint32_t *out_rungs, size_t cap);

// In memory. `prefill_chunk` tokens a step at most (0 = 512, less when the context is shorter).
// Takes ownership of `model` on success; retains the tokenizer (may be NULL).
tl_status tl_artifact_of_model(tl_model *model, tl_tokenizer *tokenizer, uint32_t prefill_chunk,
                               tl_artifact **out_artifact);

// Reads and checks a directory: the schema versions we know, every cross check of the format (each
// refusal names file and place), bodies and programs present. Bodies are re-hashed when they are
// read, weights only by tl_artifact_verify_weights.
tl_status tl_artifact_open(const char *dir, tl_artifact **out_artifact);
tl_artifact *tl_artifact_retain(tl_artifact *a);
void tl_artifact_release(tl_artifact *a); // NULL is allowed

const tl_artifact_entry *tl_artifact_find(const tl_artifact *a,
                                          tl_entry_kind kind); // the first of a kind, or NULL
// The StableHLO text of an entry, in place of what `out_text` held. DATA_LOSS when the file's hash
// is not the manifest's, INVALID_ARGUMENT when its signature is not.
tl_status tl_artifact_body(const tl_artifact *a, const tl_artifact_entry *e, tl_buf *out_text);
// Bytes of all pools of keys and values, page 0 too.
uint64_t tl_artifact_kv_size(const tl_artifact *a);
// The stored bytes of slot i: mapped memory that lives as long as the artifact, or `scratch` filled
// with them.
tl_status tl_artifact_slot_bytes(const tl_artifact *a, size_t i, tl_buf *scratch,
                                 const uint8_t **out_data, size_t *out_size);
// What slot_bytes gave leaves this process's memory; it is read from the files again where it is
// touched.
void tl_artifact_drop_pages(const tl_artifact *a);
tl_status tl_artifact_verify_weights(const tl_artifact *a);

// --- writing ---

typedef void (*tl_progress_fn)(void *arg, const char *what, uint64_t done, uint64_t total);

typedef struct tl_export_options {
  uint32_t max_batch;       // of decode entries and of the step entries
  const uint32_t *contexts; // [n_contexts] ladder of decode and prefill entries, ascending, page
                            // aligned; none = no such entries
  size_t n_contexts;
  uint32_t prefill_chunk;  // tokens a prefill entry and a step take at most
  bool inline_named;       // flatten composites
  bool link;               // leave weights where they are, named by file, offset and digest
  bool pack;               // write what prepare makes of the weights, which then needs no entry
  tl_progress_fn progress; // may be NULL
  void *progress_arg;
} tl_export_options;

// Writes a `tlaloc-serving-v6` directory that appears whole or not at all. Two exports of one model
// are byte-identical.
tl_status tl_artifact_export(tl_artifact *in_memory, const tl_export_options *options,
                             const char *dir);
// The reference decode artifact (`tlaloc-serving-v2`), from nothing: its six bodies have the
// published names. `aliased` gives the later form, with alias attributes and HIGHEST precision on
// the attention dots.
tl_status tl_artifact_export_reference(const char *dir, bool aliased);
// The reference model's decode module (B, C), for tests and the embedded fallback: embedded
// weights, no prepare entry.
tl_status tl_reference_decode(uint32_t B, uint32_t C, tl_module **out_module);
// The same model as an artifact in memory: what runs where no checkpoint can be had.
tl_status tl_artifact_reference(tl_artifact **out_artifact);

#endif
