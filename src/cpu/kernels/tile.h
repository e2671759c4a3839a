// The sizes that the tiled kernels and the functions that size their scratch must agree on.
#ifndef TL_CPU_KERNELS_TILE_H
#define TL_CPU_KERNELS_TILE_H

#include "base/base.h"

#define TILE_K 64               // k of a block: the dot's order
#define TILE_COLS 32            // columns of a panel, at most (16 * V_NR)
#define TILE_PANELS 8           // panels of columns made at once, at most
#define TILE_TOTALS (128 << 10) // bytes of their totals
#define GEMM_FEW 4              // rows up to which a product reads the other matrix in place
#define GEMM_AHEAD (512 << 10)  // bytes of the other matrix from which on it is fetched ahead,
#define GEMM_AHEAD_ROWS 64      // for so few rows that reading it takes long beside computing
#define DIRECT_MAX 8 // tokens up to which some variant's matmul reads weights without a panel
#define ATTN_ROWS 96 // query rows x heads that attention takes at once, when G allows
#define ATTN_KEYS 64 // keys of a block: the dot's order again

// Tokens whose x stays in the second-level cache while the weights go by, `cap` at most.
static inline size_t tl_tile_near_rows(size_t element, size_t K, size_t cap) {
  const size_t most = (size_t)(640 << 10) / (element * (K + 1));
  return TL_MIN(TL_MAX(most, (size_t)56), cap);
}
static inline size_t tl_tile_most_rows(size_t element, size_t K) {
  return tl_tile_near_rows(element, K, 448);
}
// The largest of as few parts of n as possible, none above `most`, that are as equal as possible.
static inline size_t tl_equal_parts(size_t n, size_t most) {
  const size_t parts = (n + most - 1) / most;
  return parts == 0 ? 0 : (n + parts - 1) / parts;
}
static inline size_t tl_tile_panel_rows(size_t element, size_t T, size_t K) {
  return tl_equal_parts(T, tl_tile_most_rows(element, K));
}
// Panels of columns that a block of k is made for at once: their totals stay in that cache too.
static inline size_t tl_tile_group(size_t element, size_t rows) {
  const size_t most = TILE_TOTALS / (element * TL_MAX(rows, (size_t)1) * TILE_COLS);
  return TL_MIN(TL_MAX(most, (size_t)1), (size_t)TILE_PANELS);
}
// x [ceil(K/64)][rows][64], weights [panels][64][cols], totals [panels][rows][cols]. Enough for
// fewer tokens too, whose panels may be larger.
static inline size_t tl_tile_scratch_size(size_t element, size_t T, size_t K) {
  const size_t rows = TL_MIN(T, tl_tile_most_rows(element, K)), blocks = (K + TILE_K - 1) / TILE_K;
  return element * (blocks * rows * TILE_K + TILE_PANELS * TILE_K * TILE_COLS) +
         TL_MAX(element * rows * TILE_COLS,
                TL_MIN((size_t)TILE_TOTALS, element * rows * TILE_COLS * TILE_PANELS));
}
// A row of K elements, and what a vector reaches beyond it.
static inline size_t tl_tile_row_size(size_t element, size_t K) {
  return element * tl_round_up(K + TILE_COLS, TILE_K);
}

// From a block of keys to the next in a pass's scores, in floats: a line of cache more than the
// rows are, or all of a long row would lie in four of its sets.
static inline size_t tl_attention_step(size_t rows) { return rows * ATTN_KEYS + 16; }

// Query rows (tokens x heads) of one pass of attention, and where its scratch holds what; offsets
// in floats. attention_bf16.inc keeps its words in the same places: never more of them than of f32
// here, as long as TILE_K and TILE_COLS are whole runs.
typedef struct tl_attention_layout {
  size_t tokens, rows; // rows = tokens * G
  size_t scores;       // [ceil(len/64)][rows][64]; q [ceil(D/64)][rows][64] lies at 0
  size_t tile;         // a block of keys [64/cols][D][cols], or of values [ceil(D/cols)][64][cols]
  size_t total;        // [rows][cols]
  size_t out;          // [ceil(D/cols)][rows][cols]
  size_t size;
} tl_attention_layout;

static inline tl_attention_layout tl_attention_layout_of(size_t max_len, size_t G, size_t D) {
  tl_attention_layout l;
  size_t wide = tl_round_up(D, TILE_COLS);
  l.tokens = TL_MAX(ATTN_ROWS / G, (size_t)1);
  l.rows = l.tokens * G;
  l.scores = tl_round_up(D, TILE_K) * l.rows;
  l.tile = l.scores + tl_round_up(max_len, ATTN_KEYS) / ATTN_KEYS * tl_attention_step(l.rows);
  l.total = l.tile + wide * ATTN_KEYS;
  l.out = l.total + l.rows * TILE_COLS;
  l.size = l.out + l.rows * wide;
  return l;
}

#endif
