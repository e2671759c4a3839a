// What planning knows beside the plan itself. For plan.c and fuse.c.
#ifndef TL_CPU_PLAN_STATE_H
#define TL_CPU_PLAN_STATE_H

#include "cpu/plan.h"

typedef struct buf_life { // of a buffer, beside plan_buf
  const tl_block *block;  // where its values are; NULL once values of several blocks share it
  uint32_t last;          // last use of its values in that block
} buf_life;

typedef struct plan_state {
  planner p;
  tl_ptr_map last_use;  // tl_value -> position of its last use in its own block, + 1
  tl_ptr_map positions; // tl_op -> position in its block, + 1
  tl_ptr_map inlined;   // tl_op -> whether its users compute it (fuse.c)
  tl_ptr_map evaluated; // tl_op -> the position at which an inlined op reads its operands
  buf_life *lives;      // [cap_bufs], beside exe->bufs
  uint32_t cap_lives;
} plan_state;

static inline plan_state *state_of(planner *p) { return (plan_state *)(void *)p; }

#endif
