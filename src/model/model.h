// Decoder-only language models as graphs: from a config and the formats of its weights to the
// modules that run it.
//
// Four kinds of program, all with one entry function `main`. Their last inputs are the *slots*: the
// weights, in the order of tl_model.slots.
//
//   prepare           Stored weights -> prepared weights: matrices packed as ir/formats.def says,
//                     norms in f32, RoPE tables.
//
//   step(T, S, R)     Our device's entry: T tokens of up to S sequences and R rows of logits, in
//                     any mix of decode and prefill.
//                     In:  ints i32 [4T + S*M + R] = tokens [T], positions [T], slots [T],
//                          rows [T] (which block table a token reads), tables [S,M],
//                          output rows [R]; pool [layers*2*blocks, bs, KvH, D'], donated; slots.
//                     Out: logits f32 [R, vocab]; the pool.
//
//   decode(B, C)      The reference system's entry, for export, foreign devices and parity.
//                     In:  tokenIds [B,1], positions [B,1], blockTables [B, C/bs], seqLens [B],
//                          slotMapping [B]; keyCache<l>, valueCache<l> [blocks, bs, KvH, D'],
//                          donated; slots.
//                     Out: logits [B,1,vocab]; every pool.
//
//   prefill(B, C, T)  The same with T tokens a sequence, right-aligned (padding first: slot -1,
//                     position 0).
//
// M = context / bs pages a sequence. Legend: T tokens, S sequences, R output rows, B batch,
// C context, bs tokens a page, KvH key heads, D head size, D' a head's row of a pool (tl_kv_row).
#ifndef TL_MODEL_MODEL_H
#define TL_MODEL_MODEL_H

#include "ckpt/checkpoint.h"
#include "ir/build.h"

// keep: as stored. int8, fp8 and int4 quantise the matrices of a dense checkpoint as they load
// (ckpt/quantize.h): queries, keys, values, output, gate, up and down, and the head where
// tl_head_mode says so; int4 is q4_0, and its head int8.
typedef enum {
  TL_WEIGHTS_KEEP,
  TL_WEIGHTS_F32,
  TL_WEIGHTS_BF16,
  TL_WEIGHTS_INT8,
  TL_WEIGHTS_FP8,
  TL_WEIGHTS_INT4
} tl_weights_mode;

// Whether the head is quantised too. Tied, it is the embedding, whose rows are then of codes: a
// step reads it whole, so it is by default. A head of its own keeps its numbers by default.
typedef enum { TL_HEAD_DEFAULT, TL_HEAD_QUANTIZE, TL_HEAD_KEEP } tl_head_mode;

// exact: f32 activations against the numbers of the stored weights. fast: against weights of
// integer codes, activations rounded to 8 bits by 32 (quantize_int8) and products of integers;
// against bf16 weights, activations rounded to bf16 and bf16_matmul; against other dense weights,
// as exact; weights of 8-bit floats have no such arithmetic and are refused.
typedef enum { TL_COMPUTE_EXACT, TL_COMPUTE_FAST } tl_compute_mode;

// What the pools hold of keys and values: numbers rounded to the dtype (fp8: e4m3 within 448), or
// codes with a scale for each token and head (int8). ir/decompose_pages.c has the arithmetic.
typedef enum { TL_KV_F32, TL_KV_BF16, TL_KV_F16, TL_KV_FP8, TL_KV_INT8 } tl_kv_mode;

typedef struct tl_model_options { // zero = the defaults
  tl_weights_mode weights;        // keep: as stored
  tl_head_mode head;              // quantised where tied
  tl_compute_mode compute;        // exact
  uint32_t context;               // tokens a sequence may reach, default min(max_positions, 2048)
  uint64_t reach;      // that one will, where it is known: the default is no longer than the next
                       // power of two then
  uint32_t block_size; // tokens a page, default 16; the context is rounded up to whole pages
  uint32_t num_blocks; // pages a pool, page 0 being scratch; default: enough for max_batch contexts
  uint32_t max_batch;  // sequences a step (S), default 1
  tl_kv_mode kv;       // what pools hold, default f32
} tl_model_options;

typedef struct tl_model_slot {
  const char *name;        // "qProj0"; terminated
  const tl_weight *weight; // NULL for the RoPE tables, which prepare makes itself
  tl_format format;        // of the stored bytes after `weights` was applied; F32 for the tables
  tl_type stored;          // prepare's operand: dense [rows,k] or [n], or ui8 [rows, row bytes]
  tl_type prepared;        // prepare's result, and the entries' operand
} tl_model_slot;

typedef struct tl_model { // immutable after create; any thread
  tl_arena *arena;
  tl_checkpoint *checkpoint; // retained
  tl_model_config config;
  tl_model_options options; // with the defaults filled in
  uint32_t pages;           // M
  tl_model_slot *slots;     // weights in checkpoint order, then ropeCos, ropeSin
  size_t n_slots, n_stored; // n_stored: those with a weight
} tl_model;

// INVALID_ARGUMENT for options that cannot be (a context over the model's, too few blocks ...),
// naming the option.
tl_status tl_model_create(tl_checkpoint *checkpoint, const tl_model_options *options,
                          tl_model **out_model);
void tl_model_destroy(tl_model *m); // NULL is allowed

// The stored bytes of slot i as prepare wants them: *out_data is the checkpoint's own memory, or,
// where `weights` asks for another format, `converted` filled with them.
tl_status tl_model_slot_bytes(const tl_model *m, size_t i, tl_buf *converted,
                              const uint8_t **out_data, size_t *out_size);

// The programs, each a module of its own that the caller destroys. INVALID_ARGUMENT for sizes that
// cannot be.
tl_status tl_model_prepare(const tl_model *m, tl_module **out_module);
tl_status tl_model_step(const tl_model *m, uint32_t T, uint32_t S, uint32_t R,
                        tl_module **out_module);
tl_status tl_model_decode(const tl_model *m, uint32_t B, uint32_t C, tl_module **out_module);
tl_status tl_model_prefill(const tl_model *m, uint32_t B, uint32_t C, uint32_t T,
                           tl_module **out_module);
tl_dtype tl_model_kv_dtype(tl_kv_mode kv);
// Elements of one head's row of a pool: the head's size, and of i8 the scale behind it.
static inline int64_t tl_kv_row(tl_dtype dtype, int64_t head_dim) {
  return dtype == TL_DTYPE_S8 ? head_dim + TL_KV_SCALE : head_dim;
}
// Length of step's ints.
static inline size_t tl_model_step_ints(const tl_model *m, uint32_t T, uint32_t S, uint32_t R) {
  return 4 * (size_t)T + (size_t)S * m->pages + R;
}

#endif
