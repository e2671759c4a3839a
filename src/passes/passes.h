// Passes: each makes a new module of a verified one, which computes the same bits.
#ifndef TL_PASSES_PASSES_H
#define TL_PASSES_PASSES_H

#include "ir/ir.h"

typedef struct tl_pass {
  const char *name, *help;
  tl_status (*run)(const tl_module *m, tl_module **out_module);
} tl_pass;

// The rows of passes.def, in their order.
const tl_pass *tl_passes(size_t *out_len);
const tl_pass *tl_pass_find(tl_str name); // NULL when there is none

#define TL_PASS(name, function, help) \
  tl_status tl_pass_##function(const tl_module *m, tl_module **out_module);
#include "passes/passes.def"
#undef TL_PASS

#endif
