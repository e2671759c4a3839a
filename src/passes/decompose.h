// A module whose named ops are replaced by their decompositions (ir/decompose.h).
#ifndef TL_PASSES_DECOMPOSE_H
#define TL_PASSES_DECOMPOSE_H

#include "ir/decompose.h"

// A new module in which every named op (and call and composite, when `calls`) of every public
// function is replaced by its body; scratch values are marked so, and what stands for the only
// result of a replaced op keeps its id. With `calls` the new module holds the public functions
// alone. `m` is verified; the new module owns everything it refers to. Errors: memory, and
// RESOURCE_EXHAUSTED where calls would expand beyond measure.
tl_status tl_module_inline(const tl_module *m, bool calls, tl_module **out_module);

#endif
