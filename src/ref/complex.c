// Elementwise ops of complex numbers, for both widths.
#include "ref/lanes.h"

#define C tl_c64
#define R float
#define N(name) name##_c64
#define M c64
#include "ref/complex_width.h"
#undef C
#undef R
#undef N
#undef M
#define C tl_c128
#define R double
#define N(name) name##_c128
#define M c128
#include "ref/complex_width.h"
#undef C
#undef R
#undef N
#undef M

bool tl_complex_binary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x,
                       const tl_lanes *y, tl_lanes *z) {
  return kind == TL_LANES_C64    ? binary_c64(op, n, x, y, z)
         : kind == TL_LANES_C128 ? binary_c128(op, n, x, y, z)
                                 : false;
}

bool tl_complex_unary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x, tl_lanes *z) {
  return kind == TL_LANES_C64    ? unary_c64(op, n, x, z)
         : kind == TL_LANES_C128 ? unary_c128(op, n, x, z)
                                 : false;
}
