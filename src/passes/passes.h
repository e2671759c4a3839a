// Passes: each makes a new module of a verified one, which computes the same bits, but for loops
// that phi closes (phi.h).
#ifndef TL_PASSES_PASSES_H
#define TL_PASSES_PASSES_H

#include "ir/ir.h"

typedef struct tl_pass {
  const char *name, *help;
  tl_status (*run)(const tl_module *m, tl_module **out_module);
  // Instead of run, of a pass that takes arguments.
  tl_status (*run_of)(const tl_module *m, tl_str args, tl_diags *diags, tl_module **out_module);
} tl_pass;

// The rows of passes.def, in their order.
const tl_pass *tl_passes(size_t *out_len);
const tl_pass *tl_pass_find(tl_str name); // NULL when there is none
// Runs it, one that takes arguments without any.
tl_status tl_pass_run(const tl_pass *pass, const tl_module *m, tl_module **out_module);

#define TL_PASS(name, function, help) \
  tl_status tl_pass_##function(const tl_module *m, tl_module **out_module);
#define TL_PASS_OF(name, function, help)                                         \
  tl_status tl_pass_##function(const tl_module *m, tl_str args, tl_diags *diags, \
                               tl_module **out_module);
#include "passes/passes.def"
#undef TL_PASS
#undef TL_PASS_OF

#endif
