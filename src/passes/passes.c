// The table of passes, and those that are another function's options.
#include "passes/passes.h"

#include "passes/copy.h"

static const tl_pass passes[] = {
#define TL_PASS(name, function, help) {name, help, tl_pass_##function, NULL},
#define TL_PASS_OF(name, function, help) {name, help, NULL, tl_pass_##function},
#include "passes/passes.def"
#undef TL_PASS
#undef TL_PASS_OF
};

const tl_pass *tl_passes(size_t *out_len) {
  *out_len = TL_COUNT(passes);
  return passes;
}

const tl_pass *tl_pass_find(tl_str name) {
  for (size_t i = 0; i < TL_COUNT(passes); i++)
    if (tl_str_is(name, passes[i].name)) return &passes[i];
  return NULL;
}

tl_status tl_pass_run(const tl_pass *pass, const tl_module *m, tl_module **out_module) {
  return pass->run != NULL ? pass->run(m, out_module)
                           : pass->run_of(m, (tl_str){0}, NULL, out_module);
}

tl_status tl_pass_inline_(const tl_module *m, tl_module **out_module) {
  return tl_module_copy(m, &(tl_copy_options){.calls = true}, out_module);
}

tl_status tl_pass_decompose(const tl_module *m, tl_module **out_module) {
  return tl_module_copy(m, &(tl_copy_options){.named = true}, out_module);
}
