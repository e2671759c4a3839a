// tlaloc run: a StableHLO module over .npy arrays, on any device.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/half.h"
#include "base/minifloat.h"
#include "inputs.h"
#include "module.h"
#include "open.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

enum { PRINTED = 64 }; // elements shown of a large result

static double element(tl_type t, const uint8_t *data, size_t i) {
  switch (t.dtype) {
#define LOAD(id, ctype)                        \
  case TL_DTYPE_##id: {                        \
    ctype v;                                   \
    memcpy(&v, data + i * sizeof v, sizeof v); \
    return (double)v;                          \
  }
    LOAD(I1, uint8_t)
    LOAD(S2, int8_t)
    LOAD(S4, int8_t)
    LOAD(S8, int8_t)
    LOAD(U2, uint8_t)
    LOAD(U4, uint8_t)
    LOAD(S16, int16_t)
    LOAD(S32, int32_t)
    LOAD(U8, uint8_t)
    LOAD(U16, uint16_t)
    LOAD(U32, uint32_t)
    LOAD(F32, float)
    LOAD(F64, double)
  case TL_DTYPE_F16:
  case TL_DTYPE_BF16: {
    uint16_t h;
    memcpy(&h, data + 2 * i, 2);
    return (double)(t.dtype == TL_DTYPE_F16 ? tl_f32_of_f16(h) : tl_f32_of_bf16(h));
  }
#define TL_MINIFLOAT(id, ...) \
  case TL_DTYPE_##id:         \
    return (double)tl_f32_of_minifloat(TL_MINIFLOAT_##id, data[i]);
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  default:
    return 0.0;
#undef LOAD
  }
}

static void print_element(tl_type t, const uint8_t *data, size_t i) { // NOLINT(misc-no-recursion)
  if (t.dtype == TL_DTYPE_S64 || t.dtype == TL_DTYPE_U64) {
    uint64_t v;
    memcpy(&v, data + 8 * i, 8);
    if (t.dtype == TL_DTYPE_S64)
      printf("%lld", (long long)v);
    else
      printf("%llu", (unsigned long long)v);
  } else if (tl_dtype_part(t.dtype) != t.dtype) {
    const tl_type part = {tl_dtype_part(t.dtype), 0, NULL};
    printf("(");
    print_element(part, data, 2 * i);
    printf(",");
    print_element(part, data, 2 * i + 1);
    printf(")");
  } else if (t.dtype == TL_DTYPE_I1) {
    printf("%s", data[i] ? "true" : "false");
  } else {
    printf("%.*g", t.dtype == TL_DTYPE_F64 ? 17 : 9, element(t, data, i));
  }
}

// Of several devices the device stands in front: "1/0: tensor<…> = …" is device 1, result 0.
static void print_result(const tl_cli *cli, size_t device, size_t index, tl_type t,
                         const uint8_t *data, size_t size) {
  tl_buf type = {0};
  tl_type_print(&type, t);
  const size_t n = size / tl_dtype_get(t.dtype)->size;
  if (cli->devices > 1) printf("%zu/", device);
  printf("%zu: %s = ", index, type.ptr ? type.ptr : "");
  for (size_t i = 0; i < TL_MIN(n, (size_t)PRINTED); i++) {
    if (i) printf(", ");
    print_element(t, data, i);
  }
  printf("%s\n", n > PRINTED ? ", …" : "");
  tl_buf_deinit(&type);
}

static tl_status write_result(const tl_cli *cli, size_t i, size_t n, tl_type t, const void *data) {
  if (n == 1) return tl_npy_write(cli->out, t, data);
  const tl_str path = tl_str_of(cli->out); // out.npy -> out.0.npy
  const bool npy = tl_str_ends(path, TL_STR(".npy"));
  const char *name =
      tl_arena_printf(cli->arena, "%.*s.%zu.npy", (int)(path.len - (npy ? 4 : 0)), path.ptr, i);
  return name ? tl_npy_write(name, t, data) : TL_OOM();
}

// What a message says behind "NAME:line:column: "; NULL where there is none such.
static const char *behind_place(const char *message, const char *name, tl_loc *out_loc) {
  for (const char *at = message; (at = strstr(at, name)) != NULL; at++) {
    int n = 0;
    if (sscanf(at + strlen(name), ":%u:%u: %n", &out_loc->line, &out_loc->col, &n) == 2 && n > 0)
      return at + strlen(name) + n;
  }
  return NULL;
}

// What failed at an op while the module ran, a check above all: shown at its place in the text, as
// the module's mistakes are, and in the same words on every device. One that was given the text
// alone calls it "module". False: something else.
static bool show_failed_op(const tl_cli *cli, const tl_buf *text, tl_status st) {
  tl_loc loc = {.file = tl_cli_module_name(cli)};
  const char *what = behind_place(tl_status_message(st), "module", &loc);
  if (!what) what = behind_place(tl_status_message(st), loc.file, &loc);
  if (!what) return false;
  tl_diags diags = {.source = tl_buf_view(text)};
  tl_buf shown = {0};
  tl_diags_add(&diags, TL_DIAG_ERROR, loc, "%s", what);
  tl_diags_print(&diags, &shown, tl_stderr_is_terminal());
  const bool good = shown.len && !shown.oom;
  if (good) fwrite(shown.ptr, 1, shown.len, stderr);
  tl_buf_deinit(&shown);
  tl_diags_deinit(&diags);
  return good;
}

// Results of several devices go out as the inputs come in: a list, a row a device.
static tl_status give_results(const tl_cli *cli, tl_pjrt_client *client, const tl_func *fn,
                              tl_pjrt_buffer *const *outs, size_t n) {
  for (uint32_t i = 0; i < fn->n_results; i++) {
    const tl_type t = fn->result_types[i];
    int64_t dims[TL_MAX_RANK + 1] = {(int64_t)n};
    for (uint32_t d = 0; d < t.rank; d++)
      dims[d + 1] = t.dims[d];
    const tl_type list = {t.dtype, t.rank + 1, dims};
    size_t size = 0;
    uint8_t *host = tl_type_size(t, &size) ? calloc(n, size ? size : 1) : NULL;
    tl_status st = host ? TL_OK : TL_OOM();
    for (size_t p = 0; p < n && !st; p++) {
      st = tl_pjrt_buffer_to_host(client, outs[p * fn->n_results + i], host + p * size, size);
      tl_dtype_extend(t.dtype, host + p * size, size); // XLA leaves the upper bits of an i4 zero
      if (!st && (!cli->out || cli->print)) print_result(cli, p, i, t, host + p * size, size);
    }
    if (!st && cli->out) st = write_result(cli, i, fn->n_results, n > 1 ? list : t, host);
    free(host);
    TL_TRY(st);
  }
  return TL_OK;
}

static tl_status run_all(const tl_cli *cli, tl_pjrt_client *client, tl_pjrt_executable *x,
                         const tl_func *fn, const tl_npy *in) {
  const size_t n = cli->devices ? cli->devices : 1, n_args = fn->body->n_args,
               n_outs = fn->n_results;
  tl_pjrt_buffer **args = TL_NEW(cli->arena, tl_pjrt_buffer *, n * n_args + 1),
                 **outs = TL_NEW(cli->arena, tl_pjrt_buffer *, n * n_outs + 1);
  tl_pjrt_call *calls = TL_NEW(cli->arena, tl_pjrt_call, n);
  if (!args || !outs || !calls) return TL_OOM();
  tl_status st = TL_OK;
  for (size_t at = 0; at < n * n_args && !st; at++) {
    const size_t p = at / n_args, i = at % n_args;
    const tl_type t = fn->body->args[i]->type;
    size_t size = 0;
    tl_type_size(t, &size);
    const bool list = tl_cli_input_is_list(cli, in[i].type, t);
    st = tl_pjrt_buffer_from_host(
        client,
        &(tl_pjrt_host){.data = (const uint8_t *)in[i].data + (list ? p * size : 0),
                        .type = (PJRT_Buffer_Type)tl_dtype_get(t.dtype)->pjrt,
                        .dims = t.dims,
                        .n_dims = t.rank,
                        .device = p},
        &args[at]);
  }
  for (size_t p = 0; p < n; p++)
    calls[p] = (tl_pjrt_call){
        .args = args + p * n_args, .n_args = n_args, .outs = outs + p * n_outs, .n_outs = n_outs};
  if (!st) st = tl_pjrt_execute_all(x, calls, n);
  if (!st) st = give_results(cli, client, fn, outs, n);
  for (size_t at = 0; at < n * n_args; at++)
    tl_pjrt_buffer_destroy(client, args[at]);
  for (size_t at = 0; at < n * n_outs; at++)
    tl_pjrt_buffer_destroy(client, outs[at]);
  return st;
}

// The interpreter with every float in f64: inputs are widened, and such results are f64.
static tl_status run_f64(const tl_cli *cli, const tl_func *fn, const tl_npy *in) {
  const uint32_t n = fn->n_results;
  tl_tensor *args = TL_NEW(cli->arena, tl_tensor, fn->body->n_args + 1),
            *outs = TL_NEW(cli->arena, tl_tensor, n + 1);
  if (!args || !outs) return TL_OOM();
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    args[i] = (tl_tensor){in[i].type, (void *)(uintptr_t)in[i].data};
  TL_TRY(tl_ref_run(fn, TL_REF_F64, args, fn->body->n_args, cli->arena, outs, 0));
  for (uint32_t i = 0; i < n; i++) {
    size_t size;
    if (!tl_type_size(outs[i].type, &size)) return TL_OOM();
    if (!cli->out || cli->print) print_result(cli, 0, i, outs[i].type, outs[i].data, size);
    if (cli->out) TL_TRY(write_result(cli, i, n, outs[i].type, outs[i].data));
  }
  return TL_OK;
}

int tl_cmd_run(const tl_cli *cli) {
  const bool f64 = cli->device && strcmp(cli->device, "ref64") == 0;
  if (f64 && (cli->has_devices || cli->has_partitions || cli->has_threads))
    return tl_cli_usage(cli,
                        "--device ref64 is one interpreter: no --devices, --partitions, --threads");
  tl_buf text = {0};
  tl_module *m = NULL;
  tl_pjrt_client *client = NULL;
  tl_pjrt_executable *x = NULL;
  tl_npy *in = NULL;
  const tl_func *fn = NULL;
  bool shown = false;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  if (shown) {
    tl_buf_deinit(&text);
    tl_status_drop(st);
    return TL_EXIT_FAILED;
  }
  if (st) goto done;
  TL_TRY_GOTO(done, st, tl_cli_entry(cli, m, &text, &fn));
  if (cli->explain) {
    st = tl_cli_explain(cli, &m);
    goto done;
  }
  TL_TRY_GOTO(done, st, tl_cli_inputs_read(cli, fn, &in));
  TL_TRY_GOTO(done, st, tl_cli_specialise(cli, in, &text, &m, &shown));
  fn = tl_module_find(m, TL_STR("main"));
  if (f64) {
    st = run_f64(cli, fn, in);
    goto done;
  }
  TL_TRY_GOTO(done, st, tl_open_device(cli, &client));
  const size_t n_devices = cli->devices ? cli->devices : 1,
               n_partitions = cli->partitions ? cli->partitions : 1;
  if (n_devices % n_partitions != 0) {
    st = TL_ERROR(INVALID_ARGUMENT, "--partitions: %zu devices are not whole replicas of %zu",
                  n_devices, n_partitions);
    goto done;
  }
  TL_TRY_GOTO(done, st,
              tl_pjrt_compile_grid(client, tl_buf_view(&text), tl_cli_module_name(cli),
                                   n_devices / n_partitions, n_partitions, &x));
  st = run_all(cli, client, x, fn, in);
done:
  tl_cli_inputs_close(cli, in);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(client);
  tl_module_destroy(m);
  shown = shown || (st && show_failed_op(cli, &text, st));
  tl_buf_deinit(&text);
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}
