// Private to src/ad: what the rules of control flow share.
#ifndef TL_AD_LOOP_H
#define TL_AD_LOOP_H

#include "ad/rule.h"
#include "passes/loop_facts.h"

// Enters a region or a body; false, and refused in b, where they nest too deeply.
bool tl_ad_enter(tl_ad *ad, tl_builder *b, const tl_op *op);

// `now`, the last op of b's block, stands where `old`, an earlier op of that block, stood, with
// what was emitted after `after` before it, and its first results are old's. A walk that is at
// `old` goes on from there.
void tl_ad_take_over(tl_builder *b, tl_op *after, tl_op *old, tl_op *now);

// --- Lanes of a batch that are alive
// --------------------------------------------------------------

// A lane of [B] truth values that is true, if one is: a scalar.
tl_value tl_lanes_first(tl_builder *b, tl_value alive);
// x [B, ...] in the lanes that are alive, and in the others a constant copy of lane `first`: what
// is computed there is finite where it is finite in that lane.
tl_value tl_lanes_fill(tl_builder *b, tl_value alive, tl_value first, tl_value x);
tl_value tl_lanes_any(tl_builder *b, tl_value alive);
tl_value tl_lanes_select(tl_builder *b, tl_value alive, tl_value x, tl_value y);
// Whether a zero cotangent gives zeros through this block, whatever its values: then lanes need no
// filling.
bool tl_lanes_need_none(const tl_block *block);

// --- Loops --------------------------------------------------------------------------------------

// A while loop of any number of carried values, being built.
typedef struct tl_any_loop {
  tl_op *op;
  tl_builder cond, body;
  tl_value *x, *y; // [n] the arguments of cond and of body
  uint32_t n;
} tl_any_loop;
tl_any_loop tl_loop_begin(tl_builder *b, const tl_value *init, uint32_t n);
tl_op *tl_loop_end(tl_builder *b, tl_any_loop *loop, tl_value go_on, const tl_value *next);

// Scalars and elements of a stack [S, dims of one].
tl_value tl_loop_i64(tl_builder *b, int64_t x);
tl_value tl_stack_get(tl_builder *b, tl_value stack, tl_value at, tl_type one);
tl_value tl_stack_set(tl_builder *b, tl_value stack, tl_value at, tl_value one);
// The affine value i of step `k`, an i64.
tl_value tl_loop_affine(tl_builder *b, const tl_loop_facts *f, uint32_t i, tl_value k);

// What one step back through a loop's body is given and gives.
typedef struct tl_loop_back {
  tl_vjp *v;
  tl_loop_facts f;
  bool *active, *wanted; // [n] carried values: that depend on what is differentiated by; and of
                         // which the step takes and gives cotangents
  bool *state;           // [n] that a step must be told: neither invariant nor affine
  tl_value *free;        // [n_free] active values from outside
  uint32_t n_free, n_wanted;
} tl_loop_back;
// Emits at `in` one step of the loop at the state x [n], and back: ct [n_wanted] and sums [n_free]
// in and out.
void tl_loop_step_back(tl_loop_back *l, tl_builder *in, const tl_value *x, tl_value *ct,
                       tl_value *sums);
// The three ways back, by what is known of the trip count. `ct` and `sums`, in and out, stand at
// v->b.
void tl_loop_back_stored(tl_loop_back *l, tl_value *ct, tl_value *sums);
void tl_loop_back_checkpointed(tl_loop_back *l, int64_t slots, tl_value *ct, tl_value *sums);

#endif
