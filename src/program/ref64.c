// A program by the reference interpreter with every float in f64.
#include "program/ref64.h"

#include "ref/ref.h"

static tl_status run(tl_arena *a, const tl_func *fn, const void *const *inputs,
                     void *const *outputs, const size_t *sizes) {
  uint32_t n_in = fn->body->n_args, n_out = fn->n_results;
  tl_tensor *in = TL_NEW(a, tl_tensor, n_in + 1), *out = TL_NEW(a, tl_tensor, n_out + 1);
  if (in == NULL || out == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n_in; i++)
    in[i] = (tl_tensor){fn->body->args[i]->type, (void *)(uintptr_t)inputs[i]};
  TL_TRY(tl_ref_run(fn, TL_REF_F64, in, n_in, a, out, 0));
  for (uint32_t i = 0; i < n_out; i++) {
    size_t size;
    if (!tl_type_size(out[i].type, &size)) return TL_OOM();
    if (size != sizes[i])
      return TL_ERROR(INVALID_ARGUMENT, "output %u takes %zu bytes on ref64, %zu are given", i,
                      size, sizes[i]);
    if (size != 0) memcpy(outputs[i], out[i].data, size);
  }
  return TL_OK;
}

tl_status tl_run_ref64(const tl_func *fn, const void *const *inputs, void *const *outputs,
                       const size_t *sizes) {
  tl_arena *a = tl_arena_create();
  if (a == NULL) return TL_OOM();
  tl_status st = run(a, fn, inputs, outputs, sizes);
  tl_arena_destroy(a);
  return st;
}
