// Named ops that mean their decomposition: one row each in decomposed.def.
#include "ref/eval.h"

#define TL_DECOMPOSED(id) \
  tl_status ref_eval_##id(tl_ref_call *c) { return tl_ref_run_decomposed(c); }
#define TL_DECOMPOSED_CHECKED(id, check)    \
  tl_status ref_eval_##id(tl_ref_call *c) { \
    TL_TRY(check(c));                       \
    return tl_ref_run_decomposed(c);        \
  }
#include "ref/decomposed.def"
