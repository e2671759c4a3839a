// Matrices whose codes and scales are tensors of their own, as compressed-tensors, ModelOpt and
// block FP8 checkpoints store them, as rows of our formats.
//
//   int8, fp8   X.weight [R, k] of i8 or e4m3, X.weight_scale [] | [1] | [R] | [R, 1]
//   fp8_block   X.weight [R, k] of e4m3, X.weight_scale_inv [ceil(R/128), ceil(k/128)]
//   nvfp4       X.weight or X.weight_packed ui8 [R, k/2], X.weight_scale e4m3 [R, k/16], and of the
//               tensor X.weight_scale_2, or X.weight_global_scale, which divides
//
// Scales are f32, bf16 or f16, and multiply in spite of the name weight_scale_inv. A row of ours is
// its codes and then its scales as f32 (ir/formats.def): nothing is rounded but a divided scale.
#ifndef TL_CKPT_SCALED_H
#define TL_CKPT_SCALED_H

#include "ckpt/stored.h"

typedef struct tl_scaled {
  const uint8_t *codes;
  size_t code_size;     // bytes of a row
  const uint8_t *small; // e4m3 scales [R, small_size], or NULL
  size_t small_size;
  const uint8_t *scales; // of scale_type: those of row r begin at r / rows_per_scale * n_scales
  tl_stored scale_type;
  size_t n_scales; // behind a row
  uint64_t rows_per_scale;
  bool divides;
} tl_scaled;

static inline bool tl_scaled_type_is_number(tl_stored t) {
  return t == TL_STORED_F32 || t == TL_STORED_BF16 || t == TL_STORED_F16;
}
void tl_scaled_row(const tl_scaled *s, uint64_t row, uint8_t *out);

#endif
