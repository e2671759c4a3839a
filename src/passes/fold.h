// Ops of constants that become constants.
#ifndef TL_PASSES_FOLD_H
#define TL_PASSES_FOLD_H

#include "ir/ir.h"

// In place, with what regions hold: elementwise ops, slices, reshapes, reversals and concatenations
// of constants, where the result has few bytes; the interpreter computes them, so the bits are
// those of any device. Loops that were written out are full of them: what a round is given by its
// number. Constants that nobody uses any more stay.
tl_status tl_func_fold(tl_func *fn);

#endif
