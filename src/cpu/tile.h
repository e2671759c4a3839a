// The tile interpreter: runs a nest of the loop IR, one instruction after the other, each over a
// tile of up to 512 elements in registers that stay in the first cache.
#ifndef TL_CPU_TILE_H
#define TL_CPU_TILE_H

#include "base/arena.h"
#include "cpu/kernels/kernels.h"
#include "cpu/loop.h"

typedef struct tile_program tile_program; // immutable; in an arena

// `nest` stays the caller's and must outlive the program. NULL when memory is gone.
const tile_program *tile_prepare(const loop_nest *nest, tl_arena *arena);
size_t tile_scratch_size(const tile_program *p); // bytes for each thread
size_t tile_work(const tile_program *p);         // about how many element operations it takes
size_t tile_grain(const tile_program *p);        // kept elements by whose multiples parts divide it
bool tile_bare(const tile_program *p);           // whether a kernel reduces elements as they lie
// Kept elements [from, to) of part `part` of `n_parts`.
void tile_range(const tile_program *p, size_t part, size_t n_parts, size_t *out_from,
                size_t *out_to);
// Kept elements [from, to). arrays [nest->n_arrays] point at elements 0. Allocates nothing.
void tile_run(const tile_program *p, const tl_kernels *k, void *const *arrays, uint8_t *scratch,
              size_t from, size_t to);

// n elements of an instruction that code has no form of its own for: SCALAR, REF, ROUND and NARROW
// of its operands; a LOAD's or a STORE's conversion between memory and register.
void tile_apply(const loop_nest *nest, const tl_kernels *k, uint32_t inst, const void *const *args,
                void *z, size_t n);

#endif
