// Nests as machine code: what a plan's step holds beside the tile program (tile.h), which computes
// the same bits and stays for whatever has no code. docs/design/jit.md.
#ifndef TL_CPU_JIT_H
#define TL_CPU_JIT_H

#include "base/arena.h"
#include "cpu/cpu.h"
#include "cpu/kernels/kernels.h"
#include "cpu/jit_shape.h"
#include "cpu/tile.h"

typedef struct jit_program jit_program; // immutable; in an arena, with a reference to its code

// From TLALOC_JIT=off|on|always where `wanted` leaves it open. INVALID_ARGUMENT for another value.
tl_status jit_choice(tl_cpu_jit wanted, tl_cpu_jit *out);

// Its code may be made later. NULL where there can be none or, unless `always`, where it would be
// slower than the tile program; `nest` must outlive the program.
jit_program *jit_prepare(const loop_nest *nest, uint32_t isa, bool always, tl_arena *arena);
// Finds or makes (jit_code_get) the code of `programs` [n]; up to `threads` threads compile. True
// of those that have code after it: jit_ready. The arena is theirs.
void jit_make(jit_program *const *programs, size_t n, size_t threads, tl_arena *arena);
bool jit_ready(const jit_program *p);
// Kept elements [from, to), row-major. What begins or ends inside a short row is left to the tile
// program of the same nest, which may be NULL where nothing does. Allocates nothing.
void jit_run(const jit_program *p, const tile_program *tile, const tl_kernels *k,
             void *const *arrays, uint8_t *scratch, size_t from, size_t to);

// What code that calls back needs of a nest.
jit_call jit_nest_call(const loop_nest *nest, const jit_shape *s, const tl_kernels *k);

#endif
