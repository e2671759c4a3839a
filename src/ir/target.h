// The targets of custom_call.
#ifndef TL_IR_TARGET_H
#define TL_IR_TARGET_H

#include "base/str.h"

typedef enum {
#define TL_TARGET(id, name, rule) TL_TARGET_##id,
#include "ir/targets.def"
#undef TL_TARGET
  TL_TARGET_COUNT
} tl_target;

const char *tl_target_name(tl_target t);
bool tl_target_of_name(tl_str name, tl_target *out);
const char *tl_target_near(tl_str name); // the name that may have been meant, or NULL

#endif
