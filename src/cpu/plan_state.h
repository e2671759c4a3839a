// What planning knows beside the plan itself. For plan.c, plan_control.c and fuse.c.
#ifndef TL_CPU_PLAN_STATE_H
#define TL_CPU_PLAN_STATE_H

#include "cpu/plan.h"

typedef struct buf_life { // of a buffer, beside plan_buf
  const tl_block *block;  // where its values are; NULL once values of several blocks share it
  uint32_t last;          // last use of its values in that block
  uint32_t home, renamed; // plan_control.c's notes
  tl_value reader;        // the same
} buf_life;

typedef struct plan_frame { // a block that is being planned
  const tl_block *block;
  const struct plan_frame *outer;
} plan_frame;

typedef struct plan_state {
  planner p;
  tl_ptr_map last_use;  // tl_value -> position of its last use in its own block, + 1
  tl_ptr_map positions; // tl_op -> position in its block, + 1
  tl_ptr_map inlined;   // tl_op -> whether its users compute it (fuse.c)
  tl_ptr_map evaluated; // tl_op -> the position at which an inlined op reads its operands
  buf_life *lives;      // [cap_bufs], beside exe->bufs
  uint32_t cap_lives;
  const plan_frame *frame; // the innermost
} plan_state;

static inline plan_state *state_of(planner *p) { return (plan_state *)(void *)p; }

// Positions of the block's ops, what is fused, and where values are used last: before its arguments
// are bound. Then its ops.
void plan_enter(planner *p, const tl_block *block);
void plan_ops(planner *p, const tl_block *block);
uint32_t plan_position(planner *p, const tl_op *op); // in its block, from 1
plan_view plan_room(planner *p, size_t size);        // a fresh temporary of no value
// Whether the bytes of `view` die with this op and may be written.
bool plan_dies(planner *p, const tl_op *op, plan_view view);
// No value is in there any more: the next one that is bound begins its life.
void plan_forget(planner *p, plan_view view);

void plan_while(planner *p, const tl_op *op);
void plan_switch(planner *p, const tl_op *op); // if: regions true, false; case: by index

#endif
