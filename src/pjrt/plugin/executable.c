// Executables: from a program's text to something that runs, and what may be asked of it.
#include "pjrt/plugin/internal.h"

#include <stdlib.h>

#include "base/hash.h"
#include "pjrt/plugin/options.h"
#include "shlo/shlo.h"

static tlp_executable *of_loaded(PJRT_LoadedExecutable *x) { return (tlp_executable *)x; }
static tlp_executable *of(const PJRT_Executable *x) { return (tlp_executable *)(uintptr_t)x; }

static const char memory_kind[] = "device";

// ---- making one ----

static void free_executable(tlp_executable *x) {
  if (x->grid)
    tl_cpu_grid_destroy(x->grid);
  else
    tl_cpu_exe_release(x->exe);
  free(x->devices);
  free(x->assignment);
  free(x->in_lists);
  free(x->out_lists);
  free(x->name);
  free(x->source);
  free(x->args);
  free(x->alias);
  free(x->out_sizes);
  free(x->out_arg);
  free(x->outs);
  free(x->out_types);
  free(x->out_ranks);
  free(x->out_dims);
  free(x->out_kinds);
  free(x->out_kind_sizes);
  free(x->in_ptrs);
  free(x->out_ptrs);
  free(x->made);
  free(x->keep);
  pthread_mutex_destroy(&x->lock);
  free(x);
}

static void drop(tlp_executable *x) {
  if (x == NULL || atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1) return;
  PJRT_Client *c = x->client;
  free_executable(x);
  pthread_mutex_lock(&c->lock);
  c->refs--;
  tlp_unlock(c, NULL);
}

// @main, or the only public function there is.
static tl_status find_entry(const tl_module *m, tl_func **out) {
  *out = tl_module_find(m, TL_STR("main"));
  if (*out) return TL_OK;
  size_t n = 0;
  for (tl_func *f = m->first; f; f = f->next)
    if (!f->is_private) *out = f, n++;
  if (n == 1) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "the module has %zu public functions and none is called @main",
                  n);
}

// An argument that says it may be given away without saying to whom (jax.buffer_donor) goes to the
// first output of its type that nobody else is given to. The module is ours until it is compiled,
// so the choice is written into it.
static tl_status settle_donations(tl_func *f) {
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    int32_t o = f->args[i].alias_output;
    if (o < 0) continue;
    if ((uint32_t)o >= f->n_results)
      return TL_ERROR(INVALID_ARGUMENT, "argument %u is donated to output %d of %u", i, o,
                      f->n_results);
    if (!tl_type_eq(f->body->args[i]->type, f->result_types[o]))
      return TL_ERROR(INVALID_ARGUMENT,
                      "argument %u is donated to output %d, which has another type", i, o);
    for (uint32_t j = 0; j < i; j++)
      if (f->args[j].alias_output == o)
        return TL_ERROR(INVALID_ARGUMENT, "arguments %u and %u are both donated to output %d", j, i,
                        o);
  }
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    if (!f->args[i].donor || f->args[i].alias_output >= 0) continue;
    for (uint32_t o = 0; o < f->n_results && f->args[i].alias_output < 0; o++) {
      bool open = tl_type_eq(f->body->args[i]->type, f->result_types[o]);
      for (uint32_t j = 0; j < f->body->n_args && open; j++)
        open = f->args[j].alias_output != (int32_t)o;
      if (open) f->args[i].alias_output = (int32_t)o;
    }
  }
  return TL_OK;
}

// What a buffer can hold: PJRT has no element type for some of ours.
static tl_status check_element(const char *what, size_t i, tl_type t) {
  const tl_dtype_info *info = tl_dtype_get(t.dtype);
  if (info->pjrt != 0) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED, "%s %zu is of %s, which PJRT has no element type for: convert it",
                  what, i, info->mlir);
}

static tl_status read_arguments(tlp_executable *x, const tl_func *f) {
  x->n_args = f->body->n_args;
  x->args = calloc(x->n_args + 1, sizeof *x->args);
  x->alias = calloc(x->n_args + 1, sizeof *x->alias);
  x->in_ptrs = calloc(x->n * x->n_args + 1, sizeof *x->in_ptrs);
  x->in_lists = calloc(x->n, sizeof *x->in_lists);
  x->keep = calloc(x->n_args + 1, sizeof *x->keep);
  if (!x->args || !x->alias || !x->in_ptrs || !x->in_lists || !x->keep) return TL_OOM();
  for (size_t p = 0; p < x->n; p++)
    x->in_lists[p] = x->in_ptrs + p * x->n_args;
  for (size_t i = 0; i < x->n_args; i++) {
    size_t size;
    x->args[i] = f->body->args[i]->type;
    if (!tl_type_size(x->args[i], &size))
      return TL_ERROR(INVALID_ARGUMENT, "argument %zu has no static size that fits memory", i);
    TL_TRY(check_element("argument", i, x->args[i]));
    int32_t o = f->args[i].alias_output;
    x->alias[i] = o >= 0 ? o : f->args[i].donor ? TLP_GIVEN : TLP_KEPT;
  }
  return TL_OK;
}

static tl_status read_outputs(tlp_executable *x, const tl_func *f) {
  size_t n = x->n_outs = f->n_results, total = 0;
  for (size_t o = 0; o < n; o++)
    total += f->result_types[o].rank;
  x->outs = calloc(n + 1, sizeof *x->outs);
  x->out_sizes = calloc(n + 1, sizeof *x->out_sizes);
  x->out_arg = calloc(n + 1, sizeof *x->out_arg);
  x->out_types = calloc(n + 1, sizeof *x->out_types);
  x->out_ranks = calloc(n + 1, sizeof *x->out_ranks);
  x->out_dims = calloc(total + 1, sizeof *x->out_dims);
  x->out_kinds = calloc(n + 1, sizeof *x->out_kinds);
  x->out_kind_sizes = calloc(n + 1, sizeof *x->out_kind_sizes);
  x->out_ptrs = calloc(x->n * n + 1, sizeof *x->out_ptrs);
  x->out_lists = calloc(x->n, sizeof *x->out_lists);
  x->made = calloc(x->n * n + 1, sizeof(PJRT_Buffer *));
  if (!x->outs || !x->out_sizes || !x->out_arg || !x->out_types || !x->out_ranks || !x->out_dims ||
      !x->out_kinds || !x->out_kind_sizes || !x->out_ptrs || !x->out_lists || !x->made)
    return TL_OOM();
  for (size_t p = 0; p < x->n; p++)
    x->out_lists[p] = x->out_ptrs + p * n;
  for (size_t o = 0, at = 0; o < n; at += x->out_ranks[o++]) {
    tl_type t = x->outs[o] = f->result_types[o];
    if (!tl_type_size(t, &x->out_sizes[o]))
      return TL_ERROR(INVALID_ARGUMENT, "output %zu has no static size that fits memory", o);
    TL_TRY(check_element("output", o, t));
    x->out_arg[o] = -1;
    x->out_types[o] = (PJRT_Buffer_Type)tl_dtype_get(t.dtype)->pjrt;
    x->out_ranks[o] = t.rank;
    if (t.rank) memcpy(x->out_dims + at, t.dims, t.rank * sizeof *x->out_dims);
    x->out_kinds[o] = memory_kind;
    x->out_kind_sizes[o] = sizeof memory_kind - 1;
  }
  for (size_t i = 0; i < x->n_args; i++)
    if (x->alias[i] >= 0) x->out_arg[x->alias[i]] = (int32_t)i;
  return TL_OK;
}

// The module, verified, or a status whose message is every diagnostic with its line and caret.
static tl_status parse(tl_str text, tl_module **out) {
  tl_diags diags = {0};
  tl_status st = tl_shlo_parse(text, "module", &diags, out);
  if (tl_status_get_code(st) == TL_STATUS_INVALID_ARGUMENT && diags.n_errors) {
    tl_buf all = {0};
    tl_diags_print(&diags, &all, false);
    while (all.len && all.ptr[all.len - 1] == '\n')
      all.ptr[--all.len] = 0;
    if (!all.oom && all.len) {
      tl_status_drop(st);
      st = TL_ERROR(INVALID_ARGUMENT, "%s", all.ptr);
    }
    tl_buf_deinit(&all);
  }
  tl_diags_deinit(&diags);
  return st;
}

static void put_varint(tl_buf *out, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    tl_buf_char(out, (char)(v | 0x80));
  tl_buf_char(out, (char)v);
}

// DeviceAssignmentProto: replica_count (1), computation_count (2), and for every partition
// computation_devices (3) with a packed list of its replicas' devices (1).
static tl_status spell_assignment(tlp_executable *x) {
  tl_buf out = {0}, ids = {0};
  tl_buf_char(&out, 0x08), put_varint(&out, x->n_replicas);
  tl_buf_char(&out, 0x10), put_varint(&out, x->n_partitions);
  for (size_t p = 0; p < x->n_partitions; p++) {
    ids.len = 0;
    for (size_t r = 0; r < x->n_replicas; r++)
      put_varint(&ids, (uint64_t)x->devices[r * x->n_partitions + p]->id);
    tl_buf inner = {0};
    tl_buf_char(&inner, 0x0A), put_varint(&inner, ids.len);
    tl_buf_str(&inner, tl_buf_view(&ids));
    tl_buf_char(&out, 0x1A), put_varint(&out, inner.len);
    tl_buf_str(&out, tl_buf_view(&inner));
    out.oom |= inner.oom;
    tl_buf_deinit(&inner);
  }
  const bool oom = out.oom || ids.oom || (x->assignment = malloc(out.len)) == NULL;
  if (!oom) memcpy(x->assignment, out.ptr, x->assignment_size = out.len);
  tl_buf_deinit(&out);
  tl_buf_deinit(&ids);
  return oom ? TL_OOM() : TL_OK;
}

// Which device each process is.
static tl_status assign(tlp_executable *x, const tlp_compile_options *o) {
  const PJRT_Client *c = x->client;
  const int64_t replicas = TL_MAX(o->num_replicas, (int64_t)1),
                partitions = TL_MAX(o->num_partitions, (int64_t)1);
  if (replicas > TLP_MAX_DEVICES || partitions > TLP_MAX_DEVICES ||
      (size_t)(replicas * partitions) > c->n_devices)
    return TL_ERROR(INVALID_ARGUMENT,
                    "compile: %lld replicas of %lld partitions asked for: there %s (client option "
                    "cpu_device_count makes more)",
                    (long long)replicas, (long long)partitions,
                    c->n_devices == 1 ? "is one device" : "are fewer devices");
  x->n_replicas = (size_t)replicas;
  x->n_partitions = (size_t)partitions;
  x->n = x->n_replicas * x->n_partitions;
  x->devices = calloc(x->n, sizeof(PJRT_Device *));
  if (!x->devices) return TL_OOM();
  if (o->n_devices != 0 && o->n_devices != x->n)
    return TL_ERROR(INVALID_ARGUMENT, "compile: %zu devices are assigned to %zu processes",
                    o->n_devices, x->n);
  for (size_t r = 0; r < x->n_replicas; r++)
    for (size_t p = 0; p < x->n_partitions; p++) {
      const size_t at = r * x->n_partitions + p;
      const int64_t id = o->n_devices ? o->devices[p * x->n_replicas + r] : (int64_t)at;
      if (id < 0 || (size_t)id >= c->n_devices)
        return TL_ERROR(INVALID_ARGUMENT, "compile: device %lld is assigned, there are %zu",
                        (long long)id, c->n_devices);
      for (size_t before = 0; before < at; before++)
        if (x->devices[before] && x->devices[before]->id == (int)id)
          return TL_ERROR(INVALID_ARGUMENT, "compile: device %lld is assigned twice",
                          (long long)id);
      x->devices[at] = c->devices[id];
    }
  return spell_assignment(x);
}

// The other processes; takes over x->exe, which owns the module by now.
static tl_status make_grid(tlp_executable *x) {
  tl_cpu *cpus[TLP_MAX_DEVICES];
  if (x->n == 1) return TL_OK;
  for (size_t p = 0; p < x->n; p++)
    cpus[p] = x->devices[p]->cpu;
  tl_status st = tl_cpu_grid_create(x->exe, cpus, (uint32_t)x->n_replicas,
                                    (uint32_t)x->n_partitions, &x->grid);
  if (st != TL_OK) x->exe = NULL;
  return st;
}

// Parsed, with donations settled, and simplified where it will be planned. *out_entry is its entry.
static tl_status read_module(tlp_executable *x, tl_str text, tl_module **out_m,
                             tl_func **out_entry) {
  tl_module *m = NULL, *simple = NULL;
  TL_TRY(parse(text, &m));
  tl_status st = find_entry(m, out_entry);
  if (st == TL_OK) st = settle_donations(*out_entry);
  if (st == TL_OK && !tl_cpu_interprets(x->devices[0]->cpu)) {
    st = tl_cpu_simplify(m, &simple);
    tl_module_destroy(m);
    m = simple;
    if (st == TL_OK) st = find_entry(m, out_entry);
  }
  if (st == TL_OK)
    *out_m = m;
  else
    tl_module_destroy(m);
  return st;
}

static tl_status fill(tlp_executable *x, const char *text, size_t size) {
  tl_module *m = NULL;
  tl_func *entry = NULL;
  TL_TRY(read_module(x, (tl_str){text, size}, &m, &entry));
  tl_status st = read_arguments(x, entry);
  if (st == TL_OK) st = read_outputs(x, entry);
  tl_str name = m->name.len ? m->name : TL_STR("main");
  x->name = strndup(name.ptr, name.len);
  x->source = malloc(size + 1);
  if (st == TL_OK && (!x->name || !x->source || !tl_sha256_hex(text, size, x->fingerprint)))
    st = TL_OOM();
  if (st == TL_OK) st = tl_cpu_compile(x->devices[0]->cpu, m, entry->name, &x->exe);
  if (st != TL_OK) { // else the program owns the module
    tl_module_destroy(m);
    return st;
  }
  TL_TRY(make_grid(x));
  memcpy(x->source, text, size);
  x->source_size = size;
  double moved = 0;
  for (size_t i = 0; i < x->n_args; i++) {
    size_t bytes = 0;
    tl_type_size(x->args[i], &bytes);
    moved += (double)bytes;
  }
  for (size_t o = 0; o < x->n_outs; o++)
    moved += (double)x->out_sizes[o];
  x->cost = (PJRT_NamedValue){.struct_size = PJRT_SIZE(NamedValue),
                              .name = "bytes accessed",
                              .name_size = 14,
                              .type = PJRT_NamedValue_kFloat,
                              .float_value = (float)moved,
                              .value_size = 1};
  return TL_OK;
}

static tl_status program_create(PJRT_Client *c, const char *text, size_t size,
                                const tlp_compile_options *o, tlp_executable **out_x) {
  tlp_executable *x = calloc(1, sizeof *x);
  if (x == NULL) return TL_OOM();
  pthread_mutex_init(&x->lock, NULL);
  atomic_init(&x->refs, 1);
  atomic_init(&x->deleted, false);
  x->client = c;
  tl_status st = assign(x, o);
  if (st == TL_OK) st = fill(x, text, size);
  if (st != TL_OK) {
    free_executable(x);
    return st;
  }
  pthread_mutex_lock(&c->lock);
  c->refs++;
  pthread_mutex_unlock(&c->lock);
  *out_x = x;
  return TL_OK;
}

tl_status tlp_Client_Compile(PJRT_Client_Compile_Args *a) {
  const PJRT_Program *p = a->program;
  if (p == NULL || p->struct_size < PJRT_SIZE(Program))
    return TL_ERROR(INVALID_ARGUMENT, "compile: no program");
  tl_str format = {p->format, p->format_size};
  if (!tl_str_is(format, "mlir"))
    return TL_ERROR(UNIMPLEMENTED, "compile: a program in format " TL_STR_FMT ", wanted mlir",
                    TL_STR_ARG(format));
  if (tl_str_starts((tl_str){p->code, p->code_size}, TL_STR("ML\xefR")))
    return TL_ERROR(UNIMPLEMENTED, "compile: the program is MLIR bytecode, wanted StableHLO text");
  tlp_compile_options o;
  TL_TRY(tlp_options_read((tl_str){a->compile_options, a->compile_options_size}, &o));
  if (o.spmd && o.num_partitions > 1)
    return TL_ERROR(UNIMPLEMENTED,
                    "compile: use_spmd_partitioning of %lld partitions: there is no partitioner; "
                    "wanted a program of one partition's view",
                    (long long)o.num_partitions);
  tlp_executable *x = NULL;
  TL_TRY(program_create(a->client, p->code, p->code_size, &o, &x));
  a->executable = (PJRT_LoadedExecutable *)x;
  return TL_OK;
}

// ---- the loaded executable ----

tl_status tlp_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *a) {
  drop(of_loaded(a->executable));
  return TL_OK;
}
tl_status tlp_LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args *a) {
  tlp_executable *x = of_loaded(a->loaded_executable);
  atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
  a->executable = (PJRT_Executable *)x;
  return TL_OK;
}
tl_status
tlp_LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args *a) {
  a->addressable_devices = of_loaded(a->executable)->devices;
  a->num_addressable_devices = of_loaded(a->executable)->n;
  return TL_OK;
}
tl_status tlp_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args *a) {
  atomic_store(&of_loaded(a->executable)->deleted, true);
  return TL_OK;
}
tl_status tlp_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args *a) {
  a->is_deleted = atomic_load(&of_loaded(a->executable)->deleted);
  return TL_OK;
}
tl_status tlp_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args *a) {
  a->executable_fingerprint = of_loaded(a->executable)->fingerprint;
  a->executable_fingerprint_size = TL_SHA256_HEX;
  return TL_OK;
}

static void keep_assignment(PJRT_DeviceAssignmentSerialized *s) {
  (void)s;
} // it is the executable's

tl_status
tlp_LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args *a) {
  const tlp_executable *x = of_loaded(a->executable);
  a->serialized_bytes = x->assignment;
  a->serialized_bytes_size = x->assignment_size;
  a->serialized_device_assignment = (PJRT_DeviceAssignmentSerialized *)(uintptr_t)x->assignment;
  a->serialized_device_assignment_deleter = keep_assignment;
  return TL_OK;
}

// ---- the executable ----

tl_status tlp_Executable_Destroy(PJRT_Executable_Destroy_Args *a) {
  drop(of(a->executable));
  return TL_OK;
}
tl_status tlp_Executable_Name(PJRT_Executable_Name_Args *a) {
  a->executable_name = of(a->executable)->name;
  a->executable_name_size = strlen(a->executable_name);
  return TL_OK;
}
tl_status tlp_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args *a) {
  a->num_replicas = of(a->executable)->n_replicas;
  return TL_OK;
}
tl_status tlp_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args *a) {
  a->num_partitions = of(a->executable)->n_partitions;
  return TL_OK;
}
tl_status tlp_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args *a) {
  a->num_outputs = of(a->executable)->n_outs;
  return TL_OK;
}
tl_status
tlp_Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *a) {
  a->size_in_bytes = 0; // a plan of calls into kernels, no code of its own
  return TL_OK;
}
tl_status tlp_Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args *a) {
  a->output_types = of(a->executable)->out_types;
  a->num_output_types = of(a->executable)->n_outs;
  return TL_OK;
}
tl_status tlp_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args *a) {
  a->num_outputs = of(a->executable)->n_outs;
  a->dims = of(a->executable)->out_dims;
  a->dim_sizes = of(a->executable)->out_ranks;
  return TL_OK;
}
tl_status tlp_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args *a) {
  a->num_outputs = of(a->executable)->n_outs;
  a->memory_kinds = of(a->executable)->out_kinds;
  a->memory_kind_sizes = of(a->executable)->out_kind_sizes;
  return TL_OK;
}
tl_status tlp_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args *a) {
  a->executable_fingerprint = of(a->executable)->fingerprint;
  a->executable_fingerprint_size = TL_SHA256_HEX;
  return TL_OK;
}
tl_status tlp_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args *a) {
  a->properties = &of(a->executable)->cost;
  a->num_properties = 1;
  return TL_OK;
}

// Asked twice: first for the size (no code given), then for the bytes.
tl_status tlp_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args *a) {
  const tlp_executable *x = of(a->executable);
  PJRT_Program *p = a->program;
  if (p == NULL || p->struct_size < PJRT_SIZE(Program))
    return TL_ERROR(INVALID_ARGUMENT, "optimized program: no room");
  p->format = "mlir";
  p->format_size = 4;
  if (p->code) {
    if (p->code_size < x->source_size)
      return TL_ERROR(INVALID_ARGUMENT, "optimized program: room for %zu bytes, wanted %zu",
                      p->code_size, x->source_size);
    memcpy(p->code, x->source, x->source_size);
  }
  p->code_size = x->source_size;
  return TL_OK;
}

tl_status tlp_Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args *a) {
  const tlp_executable *x = of(a->executable);
  int64_t in = 0, out = 0, aliased = 0, temp = (int64_t)tl_cpu_exe_temp_size(x->exe);
  for (size_t i = 0; i < x->n_args; i++) {
    size_t size = 0;
    tl_type_size(x->args[i], &size);
    in += (int64_t)size;
    if (x->alias[i] >= 0) aliased += (int64_t)size;
  }
  for (size_t o = 0; o < x->n_outs; o++)
    out += (int64_t)x->out_sizes[o];
  a->generated_code_size_in_bytes = 0;
  a->argument_size_in_bytes = in;
  a->output_size_in_bytes = out;
  a->alias_size_in_bytes = aliased;
  a->temp_size_in_bytes = temp;
  a->host_generated_code_size_in_bytes = a->host_argument_size_in_bytes =
      a->host_output_size_in_bytes = 0;
  a->host_alias_size_in_bytes = a->host_temp_size_in_bytes = 0;
  if (a->struct_size >= PJRT_SIZE(Executable_GetCompiledMemoryStats_Args)) // a later addition
    a->peak_memory_in_bytes = in + out - aliased + temp;
  return TL_OK;
}

// ---- contexts of a call: nothing that we read, but an object that the framework may hold ----

struct PJRT_ExecuteContext {
  char nothing;
};
tl_status tlp_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *a) {
  a->context = calloc(1, sizeof *a->context);
  return a->context ? TL_OK : TL_OOM();
}
tl_status tlp_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *a) {
  free(a->context);
  return TL_OK;
}
