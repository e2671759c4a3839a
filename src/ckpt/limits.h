// The largest numbers that a model's config may name: far past every model there is, and small
// enough that products of any three of them fit in 64 bits.
#ifndef TL_CKPT_LIMITS_H
#define TL_CKPT_LIMITS_H

#include "base/base.h"

#define TL_LIMIT_WIDTH ((int64_t)1 << 20) // hidden, intermediate, head_dim
#define TL_LIMIT_LAYERS ((int64_t)1 << 12)
#define TL_LIMIT_HEADS ((int64_t)1 << 16)
#define TL_LIMIT_IDS \
  ((int64_t)INT32_MAX) // vocabulary and positions: ids and positions are i32 in programs

#endif
