// The door of everything that runs: no dim in the module but numbers.
#include "ir/dim.h"

typedef struct search {
  const tl_module *m;
  const tl_func *fn;
} search;

static tl_status refused(const search *s, const char *what, uint32_t i, const char *of, tl_type t) {
  tl_buf type = {0};
  tl_type_print_named(&type, s->m, t);
  tl_status st = TL_ERROR(INVALID_ARGUMENT,
                          "@" TL_STR_FMT ": %s %u%s%s is %s; only dims that are numbers run: "
                          "specialise the module first",
                          TL_STR_ARG(s->fn->name), what, i, *of ? " of " : "", of,
                          type.ptr ? type.ptr : "a type without a shape");
  tl_buf_deinit(&type);
  return st;
}

static tl_status block_static(const search *s, const tl_block *block, const char *of) {
  for (uint32_t i = 0; i < block->n_args; i++)
    if (!tl_type_is_static(block->args[i]->type))
      return refused(s, "argument", i, of, block->args[i]->type);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    const char *mnemonic = tl_op_get(op->code)->mnemonic;
    for (uint32_t i = 0; i < op->n_results; i++)
      if (!tl_type_is_static(op->results[i]->type))
        return refused(s, "result", i, mnemonic, op->results[i]->type);
    for (uint32_t i = 0; i < op->n_regions; i++) // NOLINT(misc-no-recursion): verified nesting
      TL_TRY(block_static(s, op->regions[i], mnemonic));
  }
  return TL_OK;
}

tl_status tl_module_require_static(const tl_module *m) {
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next) {
    const search s = {m, fn};
    TL_TRY(block_static(&s, fn->body, ""));
    for (uint32_t i = 0; i < fn->n_results; i++)
      if (!tl_type_is_static(fn->result_types[i]))
        return refused(&s, "result", i, "", fn->result_types[i]);
  }
  return TL_OK;
}
