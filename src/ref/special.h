// The special functions as scalar functions, for whoever computes them outside of the interpreter.
//
// They compute in f64. Of a narrower float type the function is the same: widen, compute, round
// once.
#ifndef TL_REF_SPECIAL_H
#define TL_REF_SPECIAL_H

#include "ir/op.h"

typedef struct tl_special {
  const char *name;
  uint32_t n_operands;
  double (*unary)(double x);
  double (*binary)(double x, double y); // one of the two
  void (*complex)(double x, double y, double *re, double *im); // of x + iy; NULL: of real numbers only
} tl_special;

const tl_special *tl_special_get(tl_opcode code); // NULL: no special function

#endif
