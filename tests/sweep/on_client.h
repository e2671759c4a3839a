// One program on a PJRT client, ours or another's: what the op sweep and the random programs run.
#ifndef TESTS_SWEEP_ON_CLIENT_H
#define TESTS_SWEEP_ON_CLIENT_H

#include "pjrt/client/client.h"
#include "ref/ref.h"

// Compiles `text`, the module of `fn`, and runs it over in [n parameters]: results in got [n
// results], data in the arena and dims fn's own.
static tl_status run_on_client(tl_pjrt_client *client, const tl_func *fn, tl_str text,
                               const char *name, const tl_tensor *in, tl_arena *a, tl_tensor *got) {
  const uint32_t n_in = fn->body->n_args, n_out = fn->n_results;
  tl_pjrt_buffer **buffers = TL_NEW(a, tl_pjrt_buffer *, n_in + n_out + 1);
  tl_pjrt_executable *x = NULL;
  tl_status st;
  if (!buffers) return TL_OOM();
  TL_TRY_GOTO(done, st, tl_pjrt_compile(client, text, name, &x));
  for (uint32_t i = 0; i < n_in; i++)
    TL_TRY_GOTO(done, st,
                tl_pjrt_buffer_from_host(
                    client,
                    &(tl_pjrt_host){.data = in[i].data,
                                    .type = (PJRT_Buffer_Type)tl_dtype_get(in[i].type.dtype)->pjrt,
                                    .dims = in[i].type.dims,
                                    .n_dims = in[i].type.rank},
                    &buffers[i]));
  TL_TRY_GOTO(done, st,
              tl_pjrt_execute(x, &(tl_pjrt_call){.args = buffers,
                                                 .n_args = n_in,
                                                 .outs = buffers + n_in,
                                                 .n_outs = n_out}));
  for (uint32_t k = 0; k < n_out && !st; k++) {
    size_t size;
    got[k].type = fn->result_types[k];
    if (!tl_type_size(got[k].type, &size)) st = TL_ERROR(INTERNAL, "result %u has no size", k);
    if (!st && !(got[k].data = tl_arena_alloc(a, size + 1, 64))) st = TL_OOM();
    if (!st) st = tl_pjrt_buffer_to_host(client, buffers[n_in + k], got[k].data, size);
    if (!st)
      tl_dtype_extend(got[k].type.dtype, got[k].data, size); // XLA leaves an i4's upper bits zero
  }
done:
  for (uint32_t i = 0; i < n_in + n_out; i++)
    tl_pjrt_buffer_destroy(client, buffers[i]);
  tl_pjrt_executable_release(x);
  return st;
}

#endif
