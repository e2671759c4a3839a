// What the rules of folds ask of their regions, whose arguments are (x_0 .. x_n-1, y_0 .. y_n-1).
#ifndef TL_AD_REGION_H
#define TL_AD_REGION_H

#include "ad/rule.h"

// The op that result k is of x_k and y_k alone, where that commutes; else TL_OP_COUNT.
tl_opcode tl_ad_way(const tl_block *region, uint32_t k);
// Whether result k is x_k or y_k: always the one, or as a predicate says.
bool tl_ad_selects(const tl_block *region, uint32_t k);
// Adds to `now` a copy of a region of which result k selects, with one more pair of arguments, i64
// numbers, and one more result: the number of the one that was selected.
void tl_ad_numbered_region(tl_builder *b, tl_op *now, const tl_block *region, uint32_t k);
// Whether v is the constant -inf of a maximum, +inf of a minimum.
bool tl_ad_is_neutral(tl_value v, tl_opcode way);
// Whether the op's regions read a value that differs over the batch.
bool tl_ad_reads_batched(tl_batch *v);

#endif
