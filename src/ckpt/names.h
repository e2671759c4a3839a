// Names from outside: what we accept as a tensor's name or a metadata key, so that it may stand in
// a one-line message.
#ifndef TL_CKPT_NAMES_H
#define TL_CKPT_NAMES_H

#include "base/str.h"

#define TL_CKPT_NAME_MAX 512

// True for 1 to TL_CKPT_NAME_MAX bytes of UTF-8 without control characters.
static inline bool tl_ckpt_name_ok(tl_str name) {
  if (name.len == 0 || name.len > TL_CKPT_NAME_MAX || !tl_utf8_valid(name)) return false;
  for (size_t i = 0; i < name.len; i++)
    if ((uint8_t)name.ptr[i] < 0x20 || name.ptr[i] == 0x7f) return false;
  return true;
}

#endif
