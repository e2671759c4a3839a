// Collectives in two halves: what a process finds when it meets its group, and what it makes of
// that. A backend that computes for itself takes the first and does the second.
#ifndef TL_REF_COLLECTIVE_H
#define TL_REF_COLLECTIVE_H

#include "ref/eval.h"

enum { TL_FROM_ALL = -1, TL_FROM_NONE = -2 };

typedef struct tl_meeting {
  tl_place at;
  tl_group group;
  const tl_tensor **brought; // [group.n] operands of each member
  const int64_t *from; // [n_results] the member whose operand it is, or as above: NONE is zeros
} tl_meeting;

// c: its op, operands, results' types and scratch are read, which must stay until
// tl_collective_part, which must be called, also when this fails.
tl_status tl_collective_meet(tl_ref_call *c, tl_place at, tl_meeting *out);
void tl_collective_part(const tl_meeting *m);

#endif
