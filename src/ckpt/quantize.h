// Weights into codes while they load.
#ifndef TL_CKPT_QUANTIZE_H
#define TL_CKPT_QUANTIZE_H

#include "base/status.h"
#include "ir/format.h"

// One row of k numbers as the stored row of a format, tl_format_row_size bytes:
//
//   int8   s = max |w| / 127, codes w / s to the nearest, ties to even, within 127
//   fp8    s = max |w| / 448, codes w / s to the nearest e4m3, ties to even
//
//   q4_0   by 32 elements: codes w / d to the nearest, ties to even, from -8 to 7. d as f16 is the
//          first element of the largest magnitude over -8, or that magnitude over 7: the one whose
//          sum of squared errors is less, the former of equals
//
//   nvfp4  s = max |w| / (6 * 448) of the row; by 16 elements a scale, max |w| / 6 / s as e4m3, and
//          codes w / (scale * s) to the nearest e2m1, ties to even
//
// A row or block of zeros, or of numbers so small that their scale vanishes, becomes zeros.
// INVALID_ARGUMENT for NaN and infinities and for numbers past a scale's range; UNIMPLEMENTED for
// other formats.
tl_status tl_quantize_row(tl_format format, const float *w, size_t k, uint8_t *out);

#endif
