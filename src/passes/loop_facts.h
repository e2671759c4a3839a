// What can be said of a loop before it runs.
//
// A carried value that the body hands on as it is stands for what it began with, and an integer to
// which each step adds the same is known from the step's number. A condition `i < n` of such an
// integer with constants, or sizes, bounds the trips; alone it counts them.
#ifndef TL_PASSES_LOOP_FACTS_H
#define TL_PASSES_LOOP_FACTS_H

#include "passes/clone.h"

typedef struct tl_loop_facts {
  const tl_op *op;
  tl_block *cond, *body;
  uint32_t n;      // carried values
  bool *invariant; // handed on as they are
  bool *affine;    // integer scalars to which each step adds the same
  int64_t *step;   // of the affine ones
  bool bounded;    // at most `trips` times
  bool exact;      // exactly so often
  int64_t trips;   // a number, or a dim of the module
  uint32_t index;  // an affine one that counts 0, 1, 2 ...; n: none
} tl_loop_facts;
void tl_loop_learn(tl_builder *b, const tl_op *op, tl_loop_facts *out);
// The integer that v is, if it is a constant; `f` may be NULL.
bool tl_loop_constant(const tl_loop_facts *f, tl_value v, int64_t *out);
// How often `affine value i dir limit` holds from the first step on, where both are constants and
// the counter does not leave its type on the way.
bool tl_loop_count(const tl_loop_facts *f, uint32_t i, tl_comparison_direction dir, tl_value limit,
                   int64_t *out);
// Whether affine value i begins with a constant, changes, and is of its type after `trips` steps.
bool tl_loop_counts_to(const tl_loop_facts *f, uint32_t i, int64_t trips);
// The direction when both sides change places.
tl_comparison_direction tl_comparison_turned(tl_comparison_direction d);

#endif
