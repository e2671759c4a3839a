// sdy.manual_computation as a step of a plan. Private to src/cpu.
#ifndef TL_CPU_MANUAL_H
#define TL_CPU_MANUAL_H

#include "cpu/plan.h"

// Plans the op; false: the interpreter shall run it.
bool plan_manual_computation(planner *p, const tl_op *op);
void plan_manual_free(plan_manual *list); // NULL is allowed

#endif
