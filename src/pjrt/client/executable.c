// Executables: compiling a module, and the call itself, which allocates nothing.
#include "pjrt/client/internal.h"

#include <stdlib.h>
#include <string.h>

// CompileOptionsProto: field 3 (executable_build_options) {4: num_replicas, 5: num_partitions, as
// varints}. XLA aborts the process without it. Returns the size; `out` has room for 32 bytes.
static size_t spell_options(size_t n_replicas, size_t n_partitions, char *out) {
  size_t at = 2;
  const size_t fields[2][2] = {{0x20, n_replicas}, {0x28, n_partitions}};
  for (size_t i = 0; i < 2; i++) {
    out[at++] = (char)fields[i][0];
    size_t v = fields[i][1];
    for (; v >= 0x80; v >>= 7)
      out[at++] = (char)(v | 0x80);
    out[at++] = (char)v;
  }
  out[0] = 0x1A;
  out[1] = (char)(at - 2);
  return at;
}

void tl_pjrt_executable_drop(const tl_pjrt_plugin *p, PJRT_LoadedExecutable *x) {
  if (x == NULL) return;
  PJRT_LoadedExecutable_Destroy_Args a = {.struct_size = PJRT_SIZE(LoadedExecutable_Destroy_Args),
                                          .executable = x};
  tl_status_drop(TL_PJRT_CALL(p, LoadedExecutable_Destroy, &a));
}

static tl_status read_outputs(tl_pjrt_executable *x, PJRT_Executable *e) {
  const tl_pjrt_plugin *p = x->client->plugin;
  PJRT_Executable_NumOutputs_Args n = {.struct_size = PJRT_SIZE(Executable_NumOutputs_Args),
                                       .executable = e};
  TL_TRY(TL_PJRT_CALL(p, Executable_NumOutputs, &n));
  PJRT_Executable_OutputElementTypes_Args t = {
      .struct_size = PJRT_SIZE(Executable_OutputElementTypes_Args), .executable = e};
  TL_TRY(TL_PJRT_CALL(p, Executable_OutputElementTypes, &t));
  PJRT_Executable_OutputDimensions_Args d = {
      .struct_size = PJRT_SIZE(Executable_OutputDimensions_Args), .executable = e};
  TL_TRY(TL_PJRT_CALL(p, Executable_OutputDimensions, &d));
  if (t.num_output_types != n.num_outputs || d.num_outputs != n.num_outputs)
    return TL_ERROR(INTERNAL,
                    "plugin %s contradicts itself: %zu outputs, %zu element types, %zu shapes",
                    p->path, n.num_outputs, t.num_output_types, d.num_outputs);
  size_t total = 0;
  for (size_t i = 0; i < n.num_outputs; i++)
    if (!TL_ADD_OK(total, d.dim_sizes[i], &total)) return TL_OOM();
  x->n_outputs = n.num_outputs;
  x->outputs = calloc(x->n_outputs + 1, sizeof *x->outputs);
  x->outs = calloc(x->n_processes * x->n_outputs + 1, sizeof(PJRT_Buffer *));
  x->out_lists = calloc(x->n_processes, sizeof(PJRT_Buffer **));
  x->arg_lists = calloc(x->n_processes, sizeof(PJRT_Buffer *const *));
  x->done = calloc(x->n_processes, sizeof(PJRT_Event *));
  x->dims = calloc(total + 1, sizeof *x->dims);
  if (!x->outputs || !x->outs || !x->dims || !x->out_lists || !x->arg_lists || !x->done)
    return TL_OOM();
  for (size_t i = 0; i < x->n_processes; i++)
    x->out_lists[i] = x->outs + i * x->n_outputs;
  if (total) memcpy(x->dims, d.dims, total * sizeof *x->dims);
  for (size_t i = 0, at = 0; i < x->n_outputs; at += d.dim_sizes[i++])
    x->outputs[i] = (tl_pjrt_shape){t.output_types[i], d.dim_sizes[i], x->dims + at};
  return TL_OK;
}

static void free_executable(tl_pjrt_executable *x) {
  pthread_mutex_destroy(&x->lock);
  free(x->outputs);
  free(x->outs);
  free(x->out_lists);
  free(x->arg_lists);
  free(x->done);
  free(x->dims);
  free(x->name);
  free(x);
}

static tl_status compile(tl_pjrt_client *c, tl_str text, size_t n_replicas, size_t n_partitions,
                         tl_pjrt_executable *x) {
  const tl_pjrt_plugin *p = c->plugin;
  char options[32];
  const size_t options_size = spell_options(n_replicas, n_partitions, options);
  // The ABI's program is not const because other functions write into it; compiling reads.
  PJRT_Program program = {.struct_size = PJRT_SIZE(Program),
                          .code = (char *)(uintptr_t)text.ptr,
                          .code_size = text.len,
                          .format = "mlir",
                          .format_size = 4};
  PJRT_Client_Compile_Args a = {.struct_size = PJRT_SIZE(Client_Compile_Args),
                                .client = c->handle,
                                .program = &program,
                                .compile_options = options,
                                .compile_options_size = options_size};
  TL_TRY(TL_PJRT_CALL(p, Client_Compile, &a));
  if (a.executable == NULL)
    return TL_ERROR(INTERNAL, "PJRT_Client_Compile: neither an executable nor an error");
  x->handle = a.executable;
  PJRT_LoadedExecutable_GetExecutable_Args g = {.struct_size =
                                                    PJRT_SIZE(LoadedExecutable_GetExecutable_Args),
                                                .loaded_executable = x->handle};
  TL_TRY(TL_PJRT_CALL(p, LoadedExecutable_GetExecutable, &g));
  if (g.executable == NULL)
    return TL_ERROR(INTERNAL,
                    "PJRT_LoadedExecutable_GetExecutable: neither an executable nor an error");
  tl_status st = read_outputs(x, g.executable);
  PJRT_Executable_Destroy_Args d = {.struct_size = PJRT_SIZE(Executable_Destroy_Args),
                                    .executable = g.executable};
  tl_status_drop(TL_PJRT_CALL(p, Executable_Destroy, &d));
  return st;
}

tl_status tl_pjrt_compile(tl_pjrt_client *c, tl_str text, const char *name,
                          tl_pjrt_executable **out_executable) {
  return tl_pjrt_compile_grid(c, text, name, 1, 1, out_executable);
}

tl_status tl_pjrt_compile_grid(tl_pjrt_client *c, tl_str text, const char *name, size_t n_replicas,
                               size_t n_partitions, tl_pjrt_executable **out_executable) {
  size_t n;
  if (!TL_MUL_OK(n_replicas, n_partitions, &n) || n < 1 || n > c->n_devices)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu replicas of %zu partitions, on %zu devices", name,
                    n_replicas, n_partitions, c->n_devices);
  TL_TRY(tl_pjrt_enter(c, "compile"));
  tl_status st = TL_OK;
  tl_pjrt_executable *x = calloc(1, sizeof *x);
  if (x == NULL) {
    st = TL_OOM();
    goto done;
  }
  x->client = c;
  atomic_init(&x->refs, 1);
  pthread_mutex_init(&x->lock, NULL);
  x->name = strdup(name);
  x->n_processes = n;
  st = x->name ? compile(c, text, n_replicas, n_partitions, x) : TL_OOM();
  if (st != TL_OK) {
    tl_pjrt_executable_drop(c->plugin, x->handle);
    free_executable(x);
    st = tl_status_note(st, "%s", name);
    goto done;
  }
  pthread_mutex_lock(&c->lock);
  c->n_executables++;
  x->next = c->executables;
  if (x->next) x->next->prev = x;
  c->executables = x;
  pthread_mutex_unlock(&c->lock);
  *out_executable = x;
done:
  tl_pjrt_leave(c, 0);
  return st;
}

tl_pjrt_executable *tl_pjrt_executable_retain(tl_pjrt_executable *x) {
  atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
  return x;
}

void tl_pjrt_executable_release(tl_pjrt_executable *x) {
  if (x == NULL || atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1) return;
  tl_pjrt_client *c = x->client;
  pthread_mutex_lock(&c->lock);
  PJRT_LoadedExecutable *handle = x->handle; // NULL when a close was first
  if (handle) {
    *(x->prev ? &x->prev->next : &c->executables) = x->next;
    if (x->next) x->next->prev = x->prev;
    c->calls++; // keeps a close from destroying the plugin's client before its executable
  }
  pthread_mutex_unlock(&c->lock);
  if (handle) {
    tl_pjrt_executable_drop(c->plugin, handle);
    tl_pjrt_leave(c, 0);
  }
  free_executable(x);
  tl_pjrt_client_forget(c, 0, 1);
}

size_t tl_pjrt_executable_n_outputs(const tl_pjrt_executable *x) { return x->n_outputs; }
const tl_pjrt_shape *tl_pjrt_executable_output(const tl_pjrt_executable *x, size_t i) {
  return &x->outputs[i];
}

// ---- the call ----

static tl_status check_call(const tl_pjrt_executable *x, const tl_pjrt_call *call) {
  if (call->n_outs != x->n_outputs)
    return TL_ERROR(INVALID_ARGUMENT, "%s: room for %zu outputs, wanted %zu", x->name, call->n_outs,
                    x->n_outputs);
  for (size_t i = 0; i < call->n_args; i++)
    if (TL_UNLIKELY(call->args[i] == NULL))
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu is no buffer", x->name, i);
  for (size_t i = 0; i < call->n_keep; i++)
    if (call->keep[i] < 0 || (size_t)call->keep[i] >= call->n_args)
      return TL_ERROR(INVALID_ARGUMENT, "%s: keeps argument %lld of %zu", x->name,
                      (long long)call->keep[i], call->n_args);
  return TL_OK;
}

// Under x->lock, the client entered. calls [x->n_processes]
static tl_status execute(tl_pjrt_executable *x, const tl_pjrt_call *calls) {
  const tl_pjrt_plugin *p = x->client->plugin;
  const size_t n = x->n_processes, n_outs = n * x->n_outputs;
  PJRT_ExecuteOptions options = {.struct_size = PJRT_SIZE(ExecuteOptions),
                                 .non_donatable_input_indices = calls->n_keep ? calls->keep : NULL,
                                 .num_non_donatable_input_indices = calls->n_keep};
  memset(x->outs, 0, n_outs * sizeof *x->outs);
  for (size_t i = 0; i < n; i++) {
    x->arg_lists[i] = calls[i].args;
    x->done[i] = NULL;
  }
  PJRT_LoadedExecutable_Execute_Args a = {.struct_size = PJRT_SIZE(LoadedExecutable_Execute_Args),
                                          .executable = x->handle,
                                          .options = &options,
                                          .argument_lists = x->arg_lists,
                                          .num_devices = n,
                                          .num_args = calls->n_args,
                                          .output_lists = x->out_lists,
                                          .device_complete_events = x->done};
  TL_TRY(tl_pjrt_status(p, p->api.PJRT_LoadedExecutable_Execute(&a), x->name));
  tl_status st = TL_OK;
  for (size_t i = 0; i < n_outs; i++)
    if (TL_UNLIKELY(x->outs[i] == NULL) && st == TL_OK)
      st = TL_ERROR(INTERNAL, "%s: neither output %zu nor an error", x->name, i % x->n_outputs);
  for (size_t i = 0; i < n; i++) {
    if (TL_UNLIKELY(st != TL_OK))
      tl_pjrt_event_drop(p, x->done[i]);
    else if (calls[i].done)
      *calls[i].done = x->done[i];
    else
      st = tl_pjrt_event_finish(p, x->done[i], x->name);
  }
  if (TL_UNLIKELY(st != TL_OK)) {
    for (size_t i = 0; i < n_outs; i++)
      tl_pjrt_handle_drop(p, x->outs[i]);
    return tl_status_note(st, "after donation");
  }
  for (size_t i = 0; i < n && x->n_outputs; i++)
    memcpy(calls[i].outs, x->out_lists[i], x->n_outputs * sizeof *x->outs);
  return TL_OK;
}

tl_status tl_pjrt_execute_all(tl_pjrt_executable *x, const tl_pjrt_call *calls, size_t n_calls) {
  if (n_calls != x->n_processes)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu calls for %zu processes", x->name, n_calls,
                    x->n_processes);
  for (size_t i = 0; i < n_calls; i++)
    TL_TRY(check_call(x, &calls[i]));
  TL_TRY(tl_pjrt_enter(x->client, x->name));
  pthread_mutex_lock(&x->lock);
  tl_status st = execute(x, calls);
  pthread_mutex_unlock(&x->lock);
  tl_pjrt_leave(x->client, st == TL_OK ? n_calls * x->n_outputs : 0);
  return st;
}

tl_status tl_pjrt_execute(tl_pjrt_executable *x, const tl_pjrt_call *call) {
  return tl_pjrt_execute_all(x, call, 1);
}
