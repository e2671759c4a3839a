// The check of rules that calls bring, for programs (src/ad/check.h says what is compared).
#include "program/internal.h"

#include <stdio.h>

#include "ad/check.h"

static tl_status check(const tl_program *p, const tl_check_options *o, const tl_array *inputs,
                       tl_arena *a, tl_custom_check *out) {
  const uint32_t n = p->fn->body->n_args;
  tl_tensor *in = TL_NEW(a, tl_tensor, n + 1);
  if (in == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    size_t size;
    in[i] = (tl_tensor){p->fn->body->args[i]->type, inputs[i].data};
    if (!tl_type_size(in[i].type, &size))
      return TL_ERROR(INVALID_ARGUMENT, "sizes have names: specialise it");
    if (size != inputs[i].size || (size != 0 && inputs[i].data == NULL))
      return TL_ERROR(INVALID_ARGUMENT, "input %u is %s, but the array has %zu bytes", i,
                      p->in_types[i], inputs[i].data == NULL ? 0 : inputs[i].size);
  }
  tl_ad_check_row *rows;
  uint32_t n_rows, worst = 0;
  const tl_ad_check_options how = {.wrt = o->wrt,
                                   .n_wrt = o->n_wrt,
                                   .tolerance = o->tolerance,
                                   .step = o->step,
                                   .seed = o->seed,
                                   .differences = o->differences};
  TL_TRY(tl_ad_check_custom(p->m, p->fn, in, &how, a, &rows, &n_rows));
  for (uint32_t i = 1; i < n_rows; i++) // a NaN is worst
    if (rows[worst].relative_error == rows[worst].relative_error &&
        !(rows[i].relative_error <= rows[worst].relative_error))
      worst = i;
  const tl_ad_check_row *r = &rows[worst];
  *out = (tl_custom_check){.passed = r->passed,
                           .forward = r->forward,
                           .differences = r->differences,
                           .input = r->wrt,
                           .n_checks = n_rows,
                           .primal_inner = r->primal_inner,
                           .rule_inner = r->rule_inner,
                           .relative_error = r->relative_error};
  snprintf(out->rule, sizeof out->rule, TL_STR_FMT, TL_STR_ARG(r->rule));
  return TL_OK;
}

tl_status tl_program_check_custom_at(tl_here at, const tl_program *p,
                                     const tl_check_options *options, const tl_array *inputs,
                                     uint32_t n_inputs, tl_custom_check *out_check) {
  static const tl_check_options defaults;
  tl_arena *a = tl_arena_create();
  if (a == NULL) return TL_OOM();
  tl_status st =
      n_inputs == p->fn->body->n_args
          ? check(p, options != NULL ? options : &defaults, inputs, a, out_check)
          : TL_ERROR(INVALID_ARGUMENT, "takes %u arrays, got %u", p->fn->body->n_args, n_inputs);
  tl_arena_destroy(a);
  return tl_program_placed(p, at, st);
}
