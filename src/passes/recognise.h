// Recognition of named ops in core ops, with what nearly was one.
#ifndef TL_PASSES_RECOGNISE_H
#define TL_PASSES_RECOGNISE_H

#include "passes/passes.h"

typedef struct tl_near_miss { // the end of a pattern whose beginning was another
  const char *pattern;        // the named op's mnemonic
  tl_loc loc;                 // of the op that would have ended it
  const char *failed;         // mnemonic of the op that did not fit
  tl_loc failed_loc;
} tl_near_miss;

enum { TL_NEAR_MISSES_MAX = 64 }; // further ones are not noted
typedef struct tl_near_misses {
  tl_near_miss items[TL_NEAR_MISSES_MAX];
  size_t len;
} tl_near_misses;

// A new module in which core ops that compute what a named op of recognise.def means are that op,
// with what is dead then removed. Other named ops are left alone: decompose first to find larger
// ones around them. `misses` may be NULL; its locations are m's. Same bits, but for which NaN a sum
// of two gives.
tl_status tl_recognise(const tl_module *m, tl_near_misses *misses, tl_module **out_module);

// The same of those named ops that are wanted. Of matches that overlap, one that is not wanted
// leaves its ops to the next.
typedef bool tl_recognise_filter(const tl_op *named);
tl_status tl_recognise_some(const tl_module *m, tl_recognise_filter *wanted, tl_near_misses *misses,
                            tl_module **out_module);

#endif
