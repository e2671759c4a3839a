// The steps of hand-made kernels as nests of the loop IR that give the same bits: for a region that
// becomes one function (jit_region.c). Private to src/cpu.
#ifndef TL_CPU_STEP_NEST_H
#define TL_CPU_STEP_NEST_H

#include "cpu/loop.h"
#include "cpu/plan.h"

// A nest with room for up to 8 instructions, 4 arrays with a map each. The functions do nothing
// once memory is gone (n->nest is NULL).
typedef struct step_nest {
  loop_nest *nest;
  loop_section section;
} step_nest;

step_nest step_nest_begin(tl_arena *a, uint32_t n_dims, uint32_t n_kept, const size_t *extent);
// An element of an array: strides [n_dims] in elements from `offset` on. Outputs come after inputs.
uint16_t step_nest_load(step_nest *n, tl_dtype d, int64_t offset, const int64_t *stride);
void step_nest_store(step_nest *n, tl_dtype d, int64_t offset, const int64_t *stride, uint16_t x);
uint16_t step_nest_const(step_nest *n, tl_reg r, uint64_t bits);
uint16_t step_nest_scalar(step_nest *n, tl_scalar op, tl_reg type, tl_reg from, uint16_t a,
                          uint16_t b);
uint16_t step_nest_result(step_nest *n, tl_reg r);

// The nest of a step: that which it runs, or the one that its kernel is. NULL: none.
const loop_nest *step_nest_of(const plan_step *s, tl_arena *a);

#endif
