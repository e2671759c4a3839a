// Which ops and functions do more than give results.
#ifndef TL_PASSES_EFFECTS_H
#define TL_PASSES_EFFECTS_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/ptr_map.h"

typedef struct tl_effects { // zero-initialise; deinit when done, also after a failure
  tl_map names;             // of functions -> tl_func
  tl_ptr_map funcs;         // those with effects
} tl_effects;

tl_status tl_effects_find(const tl_module *m, tl_effects *fx);
void tl_effects_deinit(tl_effects *fx);
// TL_EFFECT, or an op of its regions or of a function that it names has it.
bool tl_op_has_effects(const tl_effects *fx, const tl_op *op);
// Function number k of those that attribute `i` of the op names; NULL where there is none.
const tl_func *tl_op_names_func(const tl_effects *fx, const tl_op *op, uint32_t i, uint32_t k);

#endif
