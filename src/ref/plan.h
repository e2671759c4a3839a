// A function made ready to run: its values numbered, and for every op which values nobody needs
// after it.
//
// Values of nested regions get numbers in the same frame as the function's own, since a region
// cannot be running twice in one activation. A value dies after the last op of its own block that
// uses it, itself or in its regions; so a region in a loop never frees what it only looks at.
#ifndef TL_REF_PLAN_H
#define TL_REF_PLAN_H

#include "ref/ref.h"

typedef struct tl_ref_block tl_ref_block;

typedef struct tl_ref_step {
  const tl_op *op;
  const uint32_t *operands; // [n_operands] slots
  const bool
      *dies; // [n_operands] the operand's last use, and its only one here: its memory may be taken
  uint32_t result;         // slot of result 0; the others follow
  const uint32_t *release; // slots that die here, unused results included
  uint32_t n_release;
  tl_ref_block *regions; // [n_regions]
} tl_ref_step;

struct tl_ref_block {
  const tl_block *ir;
  uint32_t arg;            // slot of argument 0; the others follow
  const uint32_t *release; // arguments that nobody uses
  uint32_t n_release;
  const tl_ref_step *steps;
  size_t n_steps;
};

// Plans a block with everything nested in it. Slots are 0 to *out_slots - 1. Errors: a value used
// before or outside of its definition, nesting too deep, memory.
tl_status tl_ref_plan_block(const tl_block *b, tl_arena *arena, tl_ref_block *out_plan,
                            uint32_t *out_slots);
// One op that stands alone: its operands get slots 0 to n-1 and its regions may use nothing else
// from outside.
tl_status tl_ref_plan_op(const tl_op *op, tl_arena *arena, tl_ref_step *out_step,
                         uint32_t *out_slots);

#endif
