// The sizes that bf16.inc, bf16_amx.inc and the function that sizes their scratch must agree on.
#ifndef TL_CPU_KERNELS_BF16_H
#define TL_CPU_KERNELS_BF16_H

#include "cpu/kernels/tile.h"

#define BF_K TL_BF16_RUN // k of two chains
#define BF_SUMS 64       // runs that are added up before their sum is added to the total
#define BF_WIDE 128      // k of a block of weights, at most
#define BF_COLS 32       // rows of the weight that a panel meets at once, at most
#define BF_AMX_ROWS 16   // tokens of a tile
#define BF_AMX_GROUPS 4  // groups of rows at once, at most

// Elements of a row of x, which zeros fill up.
static inline size_t tl_bf16_k(size_t K) { return tl_round_up(K, TILE_K); }

// Tokens of a panel where x stays bf16 (vdpbf16ps, AMX): up to 512, the step of a long prompt.
static inline size_t tl_bf16_narrow_rows(size_t T, size_t K) {
  return tl_equal_parts(T, tl_tile_near_rows(sizeof(uint16_t), K, 512));
}

// A panel's scratch in bytes. At 0: x, f32 [K / 64][rows][64], or for vdpbf16ps bf16, or for AMX
// bf16 [K / 32][rows][32].
typedef struct tl_bf16_layout {
  size_t w;    // f32 [BF_WIDE][BF_COLS], for vdpbf16ps pairs [32][BF_COLS] or a last run, for AMX
               // each group's last run: bf16 [BF_AMX_GROUPS][16][16][2]
  size_t sums; // f32 [rows][BF_COLS] or [BF_AMX_GROUPS][16][16], and as many totals
  size_t size;
} tl_bf16_layout;

static inline tl_bf16_layout tl_bf16_layout_of(size_t element, size_t rows, size_t K) {
  const size_t some = tl_round_up(rows, BF_AMX_ROWS);
  tl_bf16_layout l;
  l.w = element * some * tl_bf16_k(K);
  l.sums = l.w + sizeof(float) * BF_WIDE * BF_COLS;
  l.size =
      l.sums + 2 * sizeof(float) * TL_MAX(some * BF_COLS, (size_t)BF_AMX_ROWS * BF_AMX_GROUPS * 16);
  return l;
}

#endif
