// The bits of rng_bit_generator, in pieces: what the interpreter and the native backend share.
#ifndef TL_REF_RANDOM_H
#define TL_REF_RANDOM_H

#include "ir/ir.h"

// Elements [from, to) of a result of type t, elements of `size` bytes, from state [n_state] (2 or
// 3). Any range may be made on its own. out points at element 0.
void tl_random_bits(const tl_op *op, const uint64_t *state, size_t n_state, tl_type t, size_t size,
                    size_t from, size_t to, void *out);
// The state after all `count` elements.
void tl_random_next(const tl_op *op, const uint64_t *state, size_t n_state, tl_type t, size_t size,
                    size_t count, uint64_t *out);

#endif
