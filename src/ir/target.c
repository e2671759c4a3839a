// The names of targets.def.
#include "ir/target.h"

static const char *const names[TL_TARGET_COUNT] = {
#define TL_TARGET(id, name, rule) [TL_TARGET_##id] = name,
#include "ir/targets.def"
#undef TL_TARGET
};

const char *tl_target_name(tl_target t) { return names[t]; }

bool tl_target_of_name(tl_str name, tl_target *out) {
  for (size_t i = 0; i < TL_TARGET_COUNT; i++)
    if (tl_str_is(name, names[i])) {
      *out = (tl_target)i;
      return true;
    }
  return false;
}

const char *tl_target_near(tl_str name) { return tl_str_nearest(name, names, TL_TARGET_COUNT); }
