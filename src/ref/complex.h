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

#endif
