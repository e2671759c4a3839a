// What a composite says beside its decomposition: the dictionary of its attributes, which is text
// in the IR, and the policy of "tlaloc.checkpoint".
#ifndef TL_IR_COMPOSITE_H
#define TL_IR_COMPOSITE_H

#include "ir/op.h"

// What is kept of a checkpointed body for the walk back: nothing but its operands, also the results
// of its products (dot_general, convolution), or everything, as if it were a call.
#define TL_CHECKPOINT_POLICIES(X) \
  X(NOTHING, "nothing")           \
  X(DOTS, "dots")                 \
  X(EVERYTHING, "everything")

typedef enum {
#define TL_CHECKPOINT_ID(id, name) TL_CHECKPOINT_##id,
  TL_CHECKPOINT_POLICIES(TL_CHECKPOINT_ID)
#undef TL_CHECKPOINT_ID
      TL_CHECKPOINT_COUNT
} tl_checkpoint_policy;

// "nothing, dots or everything", for messages.
const char *tl_checkpoint_policy_names(void);
// The value of `key` in a dictionary of attributes, `{a = 1 : i64, key = "x"}`, as text; empty
// where the key is not there. Keys of dictionaries inside do not count.
tl_str tl_dict_value(tl_str dict, const char *key);
bool tl_composite_is_checkpoint(const tl_op *op); // "tlaloc.checkpoint"
// Of a checkpoint: without a policy it is `nothing`. False: another one is given, *out_given (may
// be NULL) as text.
bool tl_composite_policy(const tl_op *op, tl_checkpoint_policy *out, tl_str *out_given);

#endif
