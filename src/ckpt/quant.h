// The values of a stored row, exactly: what every packed layout and every kernel is checked
// against.
#ifndef TL_CKPT_QUANT_H
#define TL_CKPT_QUANT_H

#include "base/status.h"
#include "ir/format.h"

// Widens one stored row of k elements to f32. `bytes` needs no alignment; k must be a whole number
// of blocks, else INVALID_ARGUMENT. Each value is the format's formula in f32, every operation
// rounded by itself (the same bits as the reference implementation of the formats); NaN and
// infinite scales give what the arithmetic gives.
tl_status tl_quant_row_f32(tl_format format, const void *bytes, size_t k, float *out);

#endif
