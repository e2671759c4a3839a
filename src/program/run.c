// Running a program: a device, an executable for it, the caller's arrays in and out.
//
// Devices are PJRT clients, ours as well as others'. Each is opened once and stays open until the
// process ends: closing a client that some thread is about to use would need a lock over every run.
// A program keeps its executables, one a device and, where sizes have names, one a set of shapes,
// in the order of their first use.
#include <tlaloc/parallel.h>

#include "program/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "passes/specialise.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"
#include "program/ref64.h"
#include "shlo/shlo.h"

// ---- devices ----

typedef struct device {
  struct device *next;
  tl_pjrt_client *client;
  uint32_t n; // of its devices that programs run on
  char name[];
} device;

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static device *devices; // guarded by devices_lock; only ever grows

static tl_status client_open(const char *name, uint32_t n, tl_pjrt_client **out) {
  tl_pjrt_plugin *plugin;
  tl_pjrt_option items[2];
  tl_pjrt_options options = {.items = items};
  bool ref = strcmp(name, "ref") == 0;
  if (n > 1)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "cpu_device_count", .type = PJRT_NamedValue_kInt64, .int64 = n};
  if (!ref && strcmp(name, "native") != 0) {
    TL_TRY(tl_pjrt_open(name, &plugin));
    return tl_pjrt_client_create(plugin, n > 1 ? &options : NULL, out);
  }
  TL_TRY(tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin));
  if (ref)
    items[options.n_items++] =
        (tl_pjrt_option){.name = "interpreter", .type = PJRT_NamedValue_kBool, .boolean = true};
  return tl_pjrt_client_create(plugin, &options, out);
}

static tl_status device_of(const char *name, uint32_t n, tl_pjrt_client **out) {
  tl_status st = TL_OK;
  pthread_mutex_lock(&devices_lock);
  device *d = devices;
  while (d != NULL && (d->n != n || strcmp(d->name, name) != 0))
    d = d->next;
  if (d == NULL) {
    d = calloc(1, sizeof *d + strlen(name) + 1);
    st = d == NULL ? TL_OOM() : client_open(name, n, &d->client);
    if (st == TL_OK) {
      memcpy(d->name, name, strlen(name) + 1);
      d->n = n;
      d->next = devices;
      devices = d;
    } else {
      free(d);
    }
  }
  if (st == TL_OK) *out = d->client;
  pthread_mutex_unlock(&devices_lock);
  return st;
}

// ---- executables ----

struct tl_compiled {
  tl_compiled *next;
  tl_pjrt_client *client; // NULL: ref64, which needs no executable
  tl_pjrt_executable *executable;
  tl_module *m; // with numbers for names; NULL: the program's own
  const tl_func *fn;
  size_t n_dims;
  int64_t dims[]; // of all inputs, one after another; none where no size has a name
};

static void compiled_free(tl_compiled *c) {
  tl_pjrt_executable_release(c->executable);
  tl_module_destroy(c->m);
  free(c);
}

void tl_compiled_destroy(tl_compiled *list) {
  while (list != NULL) {
    tl_compiled *next = list->next;
    compiled_free(list);
    list = next;
  }
}

static bool has_names(const tl_program *p) {
  for (uint32_t i = 0; i < p->fn->body->n_args; i++)
    if (!tl_type_is_static(p->fn->body->args[i]->type)) return true;
  return false;
}

// The program with these sizes: a module of its own.
static tl_status specialise(const tl_program *p, const int64_t *dims, tl_compiled *c) {
  uint32_t n = p->fn->body->n_args;
  tl_arena *scratch = tl_arena_create();
  tl_type *types = scratch == NULL ? NULL : TL_NEW(scratch, tl_type, n + 1);
  tl_status st = types == NULL ? TL_OOM() : TL_OK;
  for (uint32_t i = 0; i < n && st == TL_OK; i++) {
    types[i] = p->fn->body->args[i]->type;
    types[i].dims = dims;
    dims += types[i].rank;
  }
  tl_diags diags = {0};
  if (st == TL_OK) st = tl_module_specialise_to(p->m, p->fn->name, types, n, &diags, &c->m);
  if (tl_is_said(st, &diags)) {
    tl_status_drop(st);
    st = TL_ERROR(INVALID_ARGUMENT, "%s [tlaloc-%s]", diags.items[0].message,
                  tl_diag_get(TL_DIAG_SHAPE_MISMATCH)->name);
  }
  tl_diags_deinit(&diags);
  tl_arena_destroy(scratch);
  if (st == TL_OK) c->fn = tl_module_find(c->m, p->fn->name);
  return st;
}

static tl_status compile(const tl_program *p, tl_pjrt_client *client, uint32_t n,
                         const int64_t *dims, size_t n_dims, tl_compiled **out) {
  tl_compiled *c = calloc(1, sizeof *c + n_dims * sizeof *dims);
  if (c == NULL) return TL_OOM();
  tl_buf text = {0};
  tl_status st = TL_OK;
  c->client = client;
  c->fn = p->fn;
  c->n_dims = n_dims;
  if (n_dims != 0) {
    memcpy(c->dims, dims, n_dims * sizeof *dims);
    TL_TRY_GOTO(done, st, specialise(p, dims, c));
  }
  if (client != NULL) {
    TL_TRY_GOTO(done, st, tl_shlo_print(c->m ? c->m : p->m, &(tl_shlo_print_options){0}, &text));
    if (text.oom) TL_TRY_GOTO(done, st, TL_OOM());
    TL_TRY_GOTO(
        done, st,
        tl_pjrt_compile_grid(client, tl_buf_view(&text), p->name.ptr, n, 1, &c->executable));
  }
done:
  tl_buf_deinit(&text);
  if (st == TL_OK)
    *out = c;
  else
    compiled_free(c);
  return st;
}

// Finds or makes, for the client's n devices. Compiling happens under the program's lock, so that
// two threads do not both.
static tl_status compiled_of(tl_program *p, tl_pjrt_client *client, uint32_t n, const int64_t *dims,
                             size_t n_dims, const tl_compiled **out) {
  tl_status st = TL_OK;
  pthread_mutex_lock(&p->lock);
  tl_compiled **link = &p->compiled;
  while (*link != NULL &&
         ((*link)->client != client || (*link)->n_dims != n_dims ||
          (n_dims != 0 && memcmp((*link)->dims, dims, n_dims * sizeof *dims) != 0)))
    link = &(*link)->next;
  if (*link == NULL) st = compile(p, client, n, dims, n_dims, link);
  if (st == TL_OK) *out = *link;
  pthread_mutex_unlock(&p->lock);
  return st;
}

// ---- arrays ----

static tl_status refuse(const tl_program *p, tl_diag_id id, const char *what, uint32_t i,
                        const char *type, const char *why) {
  return tl_diag_error(NULL, id, (tl_loc){0}, "%s: %s %u is %s, but %s", p->name.ptr, what, i, type,
                       why);
}

// What the caller says of an array against its type, whose sizes may have names.
static tl_status check_said(const tl_program *p, const char *what, uint32_t i, const char *text,
                            tl_type t, const tl_array *a, bool any_float) {
  tl_dtype d;
  char why[96];
  if (a->data == NULL && a->size != 0)
    return refuse(p, TL_DIAG_BAD_ARGUMENT, what, i, text, "there is no data");
  if (a->dtype != NULL && !any_float &&
      (!tl_dtype_of_text(tl_str_of(a->dtype), &d) || d != t.dtype)) {
    snprintf(why, sizeof why, "the array's elements are %.32s", a->dtype);
    return refuse(p, TL_DIAG_DTYPE_MISMATCH, what, i, text, why);
  }
  if (a->dims == NULL) return TL_OK;
  bool same = a->rank == t.rank;
  for (uint32_t k = 0; same && k < t.rank; k++)
    same = t.dims[k] < 0 ? a->dims[k] >= 0 : a->dims[k] == t.dims[k];
  return same ? TL_OK
              : refuse(p, TL_DIAG_SHAPE_MISMATCH, what, i, text, "the array has another shape");
}

static tl_status check_size(const tl_program *p, const char *what, uint32_t i, const char *text,
                            tl_type t, size_t given, bool as_f64) {
  size_t size;
  char why[96];
  if (as_f64 && tl_dtype_get(t.dtype)->kind == TL_KIND_FLOAT) t.dtype = TL_DTYPE_F64;
  if (as_f64 && tl_dtype_get(t.dtype)->kind == TL_KIND_COMPLEX) t.dtype = TL_DTYPE_C128;
  if (tl_type_size(t, &size) && size == given) return TL_OK;
  snprintf(why, sizeof why, "the array has %zu bytes", given);
  return refuse(p, TL_DIAG_SHAPE_MISMATCH, what, i, text, why);
}

// n processes, each on the device of its number.
static tl_status execute(const tl_compiled *c, uint32_t n, const tl_array *const *inputs,
                         const tl_array *const *outputs) {
  uint32_t n_in = c->fn->body->n_args, n_out = c->fn->n_results, each = n_in + n_out;
  tl_pjrt_buffer **buffers = calloc((size_t)n * each + 1, sizeof *buffers);
  tl_pjrt_call *calls = calloc(n, sizeof *calls);
  tl_status st = buffers == NULL || calls == NULL ? TL_OOM() : TL_OK;
  for (uint32_t k = 0; k < n && st == TL_OK; k++) {
    tl_pjrt_buffer **own = buffers + (size_t)k * each;
    for (uint32_t i = 0; i < n_in && st == TL_OK; i++) {
      tl_type t = c->fn->body->args[i]->type;
      st = tl_pjrt_buffer_from_host(
          c->client,
          &(tl_pjrt_host){.data = inputs[k][i].data ? inputs[k][i].data : "",
                          .type = (PJRT_Buffer_Type)tl_dtype_get(t.dtype)->pjrt,
                          .dims = t.dims,
                          .n_dims = t.rank,
                          .device = k},
          &own[i]);
    }
    calls[k] = (tl_pjrt_call){.args = own, .n_args = n_in, .outs = own + n_in, .n_outs = n_out};
  }
  if (st == TL_OK)
    st = n == 1 ? tl_pjrt_execute(c->executable, calls)
                : tl_pjrt_execute_all(c->executable, calls, n);
  for (uint32_t k = 0; k < n && st == TL_OK; k++)
    for (uint32_t i = 0; i < n_out && st == TL_OK; i++) {
      const tl_array *to = &outputs[k][i];
      st = tl_pjrt_buffer_to_host(c->client, calls[k].outs[i], to->data, to->size);
      tl_dtype d = c->fn->result_types[i].dtype;
      if (st == TL_OK) tl_dtype_extend(d, to->data, to->size / tl_dtype_get(d)->size);
    }
  for (size_t i = 0; buffers != NULL && i < (size_t)n * each; i++)
    tl_pjrt_buffer_destroy(c->client, buffers[i]);
  free(buffers);
  free(calls);
  return st;
}

static tl_status execute_ref64(tl_arena *a, const tl_func *fn, const tl_array *inputs,
                               const tl_array *outputs) {
  uint32_t n_in = fn->body->n_args, n_out = fn->n_results;
  const void **in = TL_NEW(a, const void *, n_in + 1);
  void **out = TL_NEW(a, void *, n_out + 1);
  size_t *sizes = TL_NEW(a, size_t, n_out + 1);
  if (in == NULL || out == NULL || sizes == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n_in; i++)
    in[i] = inputs[i].data;
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = outputs[i].data, sizes[i] = outputs[i].size;
  return tl_run_ref64(fn, in, out, sizes);
}

// What is said of the arrays of each process; *out_dims: of all inputs, one after another, where
// sizes have names.
static tl_status check_arrays(const tl_program *p, tl_arena *a, uint32_t n, bool ref64,
                              const tl_array *const *inputs, const tl_array *const *outputs,
                              int64_t **out_dims, size_t *out_n) {
  const tl_func *fn = p->fn;
  const bool named = has_names(p);
  size_t n_dims = 0;
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t i = 0; i < fn->body->n_args; i++)
      TL_TRY(
          check_said(p, "input", i, p->in_types[i], fn->body->args[i]->type, &inputs[k][i], false));
    for (uint32_t i = 0; i < fn->n_results; i++)
      TL_TRY(
          check_said(p, "output", i, p->out_types[i], fn->result_types[i], &outputs[k][i], ref64));
  }
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    n_dims += fn->body->args[i]->type.rank;
  int64_t *dims = TL_NEW(a, int64_t, n_dims + 1);
  if (dims == NULL) return TL_OOM();
  n_dims = 0;
  for (uint32_t i = 0; i < fn->body->n_args && named; i++) {
    tl_type t = fn->body->args[i]->type;
    for (uint32_t d = 0; d < t.rank; d++) {
      for (uint32_t k = 0; k < n && t.dims[d] < 0; k++)
        if (inputs[k][i].dims == NULL)
          return refuse(p, TL_DIAG_SHAPE_MISMATCH, "input", i, p->in_types[i],
                        "the array's dims are not given");
        else if (inputs[k][i].dims[d] != inputs[0][i].dims[d])
          return refuse(p, TL_DIAG_SHAPE_MISMATCH, "input", i, p->in_types[i],
                        "the processes' arrays have different shapes");
      dims[n_dims++] = t.dims[d] < 0 ? inputs[0][i].dims[d] : t.dims[d];
    }
  }
  *out_dims = dims;
  *out_n = n_dims;
  return TL_OK;
}

static tl_status run(tl_program *p, tl_arena *a, const char *name, uint32_t n,
                     const tl_array *const *inputs, const tl_array *const *outputs) {
  const bool ref64 = strcmp(name, "ref64") == 0;
  int64_t *dims = NULL;
  size_t n_dims = 0;
  tl_pjrt_client *client = NULL;
  const tl_compiled *c;
  TL_TRY(check_arrays(p, a, n, ref64, inputs, outputs, &dims, &n_dims));
  if (ref64 && n != 1)
    return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, (tl_loc){0}, "%s: ref64 is one process",
                         p->name.ptr);
  if (!ref64) TL_TRY(device_of(name, n, &client));
  TL_TRY(compiled_of(p, client, n, dims, n_dims, &c));
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t i = 0; i < c->fn->body->n_args; i++)
      TL_TRY(check_size(p, "input", i, p->in_types[i], c->fn->body->args[i]->type,
                        inputs[k][i].size, false));
    for (uint32_t i = 0; i < c->fn->n_results; i++)
      TL_TRY(check_size(p, "output", i, p->out_types[i], c->fn->result_types[i], outputs[k][i].size,
                        ref64));
  }
  return ref64 ? execute_ref64(a, c->fn, inputs[0], outputs[0]) : execute(c, n, inputs, outputs);
}

tl_status tl_program_run_replicas(tl_program *p, const tl_run_options *options, uint32_t n,
                                  const tl_array *const *inputs, uint32_t n_inputs,
                                  const tl_array *const *outputs, uint32_t n_outputs) {
  const char *name = options != NULL && options->device != NULL ? options->device : "native";
  if (n_inputs != p->fn->body->n_args || n_outputs != p->fn->n_results)
    return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, (tl_loc){0},
                         "%s: takes %u arrays and gives %u, got %u and %u", p->name.ptr,
                         p->fn->body->n_args, p->fn->n_results, n_inputs, n_outputs);
  if (n < 1 || n > TL_MAX_DEVICES)
    return tl_diag_error(NULL, TL_DIAG_BAD_ARGUMENT, (tl_loc){0}, "%s: %u processes, wants 1 to %d",
                         p->name.ptr, n, TL_MAX_DEVICES);
  tl_arena *a = tl_arena_create();
  if (a == NULL) return TL_OOM();
  tl_status st = run(p, a, name, n, inputs, outputs);
  tl_arena_destroy(a);
  return st;
}

tl_status tl_program_run_on(tl_program *p, const tl_run_options *options, const tl_array *inputs,
                            uint32_t n_inputs, const tl_array *outputs, uint32_t n_outputs) {
  return tl_program_run_replicas(p, options, 1, &inputs, n_inputs, &outputs, n_outputs);
}

tl_status tl_program_run(tl_program *p, const tl_array *inputs, uint32_t n_inputs,
                         const tl_array *outputs, uint32_t n_outputs) {
  return tl_program_run_on(p, NULL, inputs, n_inputs, outputs, n_outputs);
}
