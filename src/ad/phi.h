// Private to src/ad: loops of constant trip count that become straight lines (phi.c).
#ifndef TL_AD_PHI_H
#define TL_AD_PHI_H

#include "ad/rule.h"

// Emits at b what the loop gives, without a loop, with what is active in it found out; false: it
// stays a loop.
bool tl_phi_apply(tl_reverse *r, tl_builder *b, tl_env *e, const tl_op *op);

#endif
