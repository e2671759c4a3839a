// Private to src/ad: composites that say something of their own derivative (custom.c).
#ifndef TL_AD_CUSTOM_H
#define TL_AD_CUSTOM_H

#include "ir/ir.h"

bool tl_custom_has_rule(const tl_op *op);      // a vjp or jvp of its own
bool tl_custom_is_checkpoint(const tl_op *op); // recomputed in reverse mode

#endif
