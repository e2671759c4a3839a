// Complex numbers as two floats, without C's _Complex: a compiler is free in how it multiplies
// those.
#ifndef TL_REF_COMPLEX_H
#define TL_REF_COMPLEX_H

#include "ir/ir.h"

typedef struct tl_c64 {
  float re, im;
} tl_c64;
typedef struct tl_c128 {
  double re, im;
} tl_c128;

// As XLA's CPU backend multiplies: one of the two products of a part is rounded, the other is not.
static inline tl_c64 tl_c64_multiply(tl_c64 x, tl_c64 y) {
  return (tl_c64){__builtin_fmaf(x.re, y.re, -(x.im * y.im)),
                  __builtin_fmaf(x.re, y.im, x.im * y.re)};
}
static inline tl_c128 tl_c128_multiply(tl_c128 x, tl_c128 y) {
  return (tl_c128){__builtin_fma(x.re, y.re, -(x.im * y.im)),
                   __builtin_fma(x.re, y.im, x.im * y.re)};
}
tl_c128 tl_c128_divide(tl_c128 x, tl_c128 y);

#endif
