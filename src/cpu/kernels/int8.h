// The sizes that int8.inc and the functions that size its scratch must agree on.
#ifndef TL_CPU_KERNELS_INT8_H
#define TL_CPU_KERNELS_INT8_H

#include "cpu/kernels/tile.h"

#define I8_DIRECT_MAX 8      // tokens up to which some variant reads the weights without a panel
#define I8_CODES (24 << 10)  // bytes of the codes of a block of weights, at most
#define I8_COLS 64           // rows of the weight at once, at most
#define I8_PANEL (400 << 10) // bytes of the codes of the tokens taken at once
#define I8_PAIR 9216 // bytes: f32 minima of 64 spans of two groups, and a span of their codes

// Scratch of few tokens: their starts, d * sum q, scales and sums, [K/16] each, and I8_PAIR.
static inline size_t tl_int8_few_size(size_t K) {
  return I8_DIRECT_MAX * (K / 16) * 4 * sizeof(float) + I8_PAIR;
}

// Tokens of a panel, 128 to 512 at most: what they share stays in the second-level cache. As equal
// parts of T as possible.
static inline size_t tl_int8_panel_rows(size_t T, size_t K) {
  return tl_equal_parts(T, TL_MIN(TL_MAX(I8_PANEL / (K + 1), (size_t)128), (size_t)512));
}

// Where the scratch of a panel holds what, in bytes. At 0: starts i32 [rows][K/16].
typedef struct tl_int8_layout {
  size_t low;    // f32 [rows][K/16]
  size_t w;      // u8 [I8_BLOCK / 4][I8_NR * 16][4]
  size_t scales; // f32 [I8_BLOCK / 16][I8_NR * 16], scales and then minima
  size_t acc;    // f32 [rows][I8_COLS], four of them
  size_t size;
} tl_int8_layout;

static inline tl_int8_layout tl_int8_layout_of(size_t rows, size_t K) {
  tl_int8_layout l;
  l.low = tl_round_up(rows * (K / 16) * sizeof(int32_t), 64);
  l.w = 2 * l.low;
  l.scales = l.w + I8_CODES;
  l.acc = l.scales + 2 * sizeof(float) * (I8_CODES / 16);
  l.size = l.acc + 4 * sizeof(float) * rows * I8_COLS;
  return l;
}

#endif
