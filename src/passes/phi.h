// Phi-calculus: control flow that is plainer than it was written (Shen et al., "Coarsening
// Optimization for Differentiable Programming", OOPSLA 2021).
//
// A branch gives phi(a, b), the value of the one that was taken; a loop's carried value is
// phi_L(p, d), the one it began with or the one of the step before. The rules, by the paper's
// letters:
//
//     F1  phi(a, a) = a                                                phi_branch.c
//     F3  the branch whose value was defined first comes first         phi_move.c
//     C1  f(.. phi(a, b) ..) = phi(f(.. a ..), f(.. b ..))   (F2)      phi_move.c
//     C3  a branch that is a branch becomes one choice among all       phi_branch.c
//     C4  C1, then F1
//     C5  n steps of d <- f(d), n a constant, written out              phi_loop.c
//     C6  d <- a d + b            C7  d <- a d + b[i]                  phi_close.c
//     C8  d <- a[i] d + b[i]      C9  d <- a d^k                       phi_close.c
//     a condition of several parts, of which some do not depend on what the loop computes:
//         hoisted, counted or dropped                                  phi_break.c
//
// C2, that a derivative goes into the branches, is what reverse mode does with a branch; F4 and F5
// say what a loop is. All but C6 to C9 give the same bits; those sum in another order (phi_close.c
// says how far apart that can be). An op with effects stays where it is, and runs as often.
#ifndef TL_PASSES_PHI_H
#define TL_PASSES_PHI_H

#include "ir/build.h"

typedef struct tl_phi_options { // zero-initialised: the defaults
  int64_t unrolled; // ops that a loop may come to when it is written out; 0: as phi_loop.c says;
                    // below 0: loops stay
  bool chains_stay; // no C3
  bool exact;       // not C6 to C9, which sum in another order; of tl_phi_func_of: nor F3 and C1
} tl_phi_options;

// What gives `op`'s results, a branch's or a loop's, in plainer ops: a block of no function's that
// reads what `op` reads, and ends with a return of them. NULL: the op stays as it is, or b has
// failed. `b` is of the same module; nothing is emitted where it stands. `options` may be NULL.
//
// Derivatives and batches go through such a block as through a call's body.
tl_block *tl_phi_instead(tl_builder *b, const tl_op *op, const tl_phi_options *options);

// All rules in place, round after round until none applies, which is no error within `most` rounds.
enum { TL_PHI_ROUNDS = 50 };
tl_status tl_phi_func(tl_func *fn, uint32_t most, bool *out_changed);
tl_status tl_phi_func_of(tl_func *fn, const tl_phi_options *options, uint32_t most,
                         bool *out_changed);

#endif
