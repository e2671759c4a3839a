// Folds over several states that only choose: the maximum and where it is, the smallest of pairs.
#ifndef TL_CPU_FOLD_CHOICE_H
#define TL_CPU_FOLD_CHOICE_H

#include "ir/ir.h"

// Whether a reduce of one or two states may be cut into blocks: each folded from the same start as
// the whole, and their results folded again from there, in their order, give the bits of the fold
// in one piece. Not that the order of elements is free.
bool fold_chooses(const tl_op *op);

#endif
