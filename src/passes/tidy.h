// What a transform leaves behind, cleaned up in place.
#ifndef TL_PASSES_TIDY_H
#define TL_PASSES_TIDY_H

#include "ir/ir.h"

// Takes out of fn what nobody uses (ops, results of branches, values that loops carry for nothing),
// lets equal ops be one, and numbers the values in order. Only ops that the function's own
// transform made are touched; same bits.
tl_status tl_func_tidy(tl_func *fn);
// Numbers the values in the order in which they stand.
void tl_func_number(tl_func *fn);

#endif
