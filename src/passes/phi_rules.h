// Private to the phi-calculus: its rules. Each emits at `in`, in a block of its own, what gives the
// results of `op` into out [op->n_results]; or says no, whatever it has emitted by then.
#ifndef TL_PASSES_PHI_RULES_H
#define TL_PASSES_PHI_RULES_H

#include "passes/loop_facts.h"
#include "passes/phi.h"

typedef bool tl_phi_rule(tl_builder *in, const tl_op *op, const tl_phi_options *options,
                         tl_value *out);
tl_phi_rule tl_phi_known;   // a branch whose predicate is a constant
tl_phi_rule tl_phi_same;    // F1
tl_phi_rule tl_phi_flatten; // C3
tl_phi_rule tl_phi_break;   // conditions of several parts
tl_phi_rule tl_phi_loop;    // C5 to C9, chosen by cost

// C6 to C9. The loop has f->trips > 0 steps exactly.
bool tl_phi_close(tl_builder *in, const tl_loop_facts *f, tl_value *out);

// F3 and C1 for an op of a function's block, in place; false: nothing was done. `uses` counts the
// uses of values, `same` gets the values that stand for others from here on.
typedef struct tl_phi_move {
  tl_func *fn;
  tl_ptr_map uses; // value -> how many operands it is
  tl_ptr_map same; // value -> the value in its place
  uint32_t made;   // values numbered from here on are of this round
  tl_builder b;    // for what is emitted; its error is the walk's
} tl_phi_move;
bool tl_phi_turn(tl_phi_move *m, tl_op *branch);
bool tl_phi_distribute(tl_phi_move *m, tl_op *f);

// How many ops of a derivative `block` comes to, callees and inner loops of constant trips as often
// as they run, up to most + 1; that too where it has effects.
size_t tl_phi_weigh(tl_builder *b, const tl_block *block, size_t most);
// Whether the op may be done elsewhere, or once for many times: no effects, no regions, and equal
// operands give equal results.
bool tl_phi_is_plain(const tl_op *op);

// The number that integer or truth value v, a scalar, is in step k of the loop, where it depends on
// the step's number alone. False where it depends on more, or takes too long to say.
bool tl_phi_at_step(const tl_loop_facts *f, tl_value v, int64_t k, int64_t *out);

// Bounds of every element of a float value that follow from the ops that made it.
typedef struct tl_phi_range {
  double lo, hi;
} tl_phi_range;
tl_phi_range tl_phi_range_of(tl_value v);

#endif
