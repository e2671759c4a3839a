// Clients and executables, and the life of both.
//
// A PJRT client must outlive whatever came out of it, and XLA's crash when it does not; our callers
// give things up in any order and from any thread. So a tl_pjrt_client counts what depends on it,
// and close is a state, not a free():
//
//     open ──close──► closed, calls in progress ──► executables destroyed ──last buffer──► plugin's
//     client destroyed
//                                                                            ──last reference of
//                                                                            any sort──► freed
//
// No lock is held while the plugin's destructors run: they may call a buffer's release function,
// which may call us.
#include "pjrt/client/internal.h"

#include <stdlib.h>
#include <string.h>

// ---- life ----

tl_status tl_pjrt_enter(tl_pjrt_client *c, const char *what) {
  pthread_mutex_lock(&c->lock);
  bool closed = c->closed;
  c->calls += !closed;
  pthread_mutex_unlock(&c->lock);
  if (TL_LIKELY(!closed)) return TL_OK;
  return TL_ERROR(FAILED_PRECONDITION, "%s: the client of %s is closed", what, c->plugin->path);
}

void tl_pjrt_leave(tl_pjrt_client *c, size_t buffers_made) {
  pthread_mutex_lock(&c->lock);
  c->n_buffers += buffers_made;
  if (--c->calls == 0 && c->closed) pthread_cond_broadcast(&c->idle);
  pthread_mutex_unlock(&c->lock);
}

static void free_client(tl_pjrt_client *c) {
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->idle);
  free(c->platform);
  free(c->platform_version);
  free(c->devices);
  free(c);
}

static void destroy_handle(tl_pjrt_client *c, PJRT_Client *handle) {
  if (handle == NULL) return;
  PJRT_Client_Destroy_Args a = {.struct_size = PJRT_SIZE(Client_Destroy_Args), .client = handle};
  tl_status_drop(TL_PJRT_CALL(c->plugin, Client_Destroy, &a));
}

// Takes the given references away, and does what is then due. `users` is 1 when the caller is
// giving up its own.
static void give_up(tl_pjrt_client *c, size_t users, size_t buffers, size_t executables) {
  pthread_mutex_lock(&c->lock);
  c->users -= users;
  c->n_buffers -= buffers;
  c->n_executables -= executables;
  PJRT_Client *handle = NULL;
  if (c->closed && c->calls == 0 && c->n_buffers == 0 && c->executables == NULL) {
    handle = c->handle;
    c->handle = NULL;
  }
  bool last = c->users == 0 && c->n_buffers == 0 && c->n_executables == 0;
  pthread_mutex_unlock(&c->lock);
  destroy_handle(c, handle);
  if (last) free_client(c);
}

void tl_pjrt_client_forget(tl_pjrt_client *c, size_t buffers, size_t executables) {
  give_up(c, 0, buffers, executables);
}

tl_pjrt_client *tl_pjrt_client_retain(tl_pjrt_client *c) {
  pthread_mutex_lock(&c->lock);
  c->users++;
  pthread_mutex_unlock(&c->lock);
  return c;
}

void tl_pjrt_client_close(tl_pjrt_client *c) {
  pthread_mutex_lock(&c->lock);
  if (c->closed) {
    pthread_mutex_unlock(&c->lock);
    return;
  }
  c->closed = true;
  c->users++; // ours, until the end of this function
  while (c->calls != 0)
    pthread_cond_wait(&c->idle, &c->lock);
  c->calls = 1; // ours: nobody destroys the plugin's client while an executable is on its way out
  while (c->executables) {
    tl_pjrt_executable *x = c->executables;
    c->executables = x->next;
    PJRT_LoadedExecutable *handle = x->handle;
    x->handle = NULL;
    x->prev = x->next = NULL;
    pthread_mutex_unlock(&c->lock);
    tl_pjrt_executable_drop(c->plugin, handle);
    pthread_mutex_lock(&c->lock);
  }
  c->calls--;
  pthread_mutex_unlock(&c->lock);
  give_up(c, 1, 0, 0);
}

void tl_pjrt_client_release(tl_pjrt_client *c) {
  if (c == NULL) return;
  pthread_mutex_lock(&c->lock);
  bool last = c->users == 1;
  if (!last) c->users--;
  pthread_mutex_unlock(&c->lock);
  if (!last) return;
  tl_pjrt_client_close(c);
  give_up(c, 1, 0, 0);
}

// ---- creation ----

static tl_status copy_text(const char *text, size_t size, char **out) {
  *out = strndup(text ? text : "", text ? size : 0);
  return *out ? TL_OK : TL_OOM();
}

static tl_status read_facts(tl_pjrt_client *c) {
  const tl_pjrt_plugin *p = c->plugin;
  PJRT_Client_PlatformName_Args n = {.struct_size = PJRT_SIZE(Client_PlatformName_Args),
                                     .client = c->handle};
  TL_TRY(TL_PJRT_CALL(p, Client_PlatformName, &n));
  TL_TRY(copy_text(n.platform_name, n.platform_name_size, &c->platform));
  PJRT_Client_PlatformVersion_Args v = {.struct_size = PJRT_SIZE(Client_PlatformVersion_Args),
                                        .client = c->handle};
  TL_TRY(TL_PJRT_CALL(p, Client_PlatformVersion, &v));
  TL_TRY(copy_text(v.platform_version, v.platform_version_size, &c->platform_version));
  PJRT_Client_AddressableDevices_Args d = {.struct_size = PJRT_SIZE(Client_AddressableDevices_Args),
                                           .client = c->handle};
  TL_TRY(TL_PJRT_CALL(p, Client_AddressableDevices, &d));
  if (d.num_addressable_devices == 0 || d.addressable_devices == NULL)
    return TL_ERROR(UNAVAILABLE, "plugin %s: its client has no device", p->path);
  c->devices = calloc(d.num_addressable_devices, sizeof(PJRT_Device *));
  if (c->devices == NULL) return TL_OOM();
  memcpy(c->devices, d.addressable_devices, d.num_addressable_devices * sizeof(PJRT_Device *));
  c->n_devices = d.num_addressable_devices;
  return TL_OK;
}

static tl_status check_options(const tl_pjrt_plugin *p, tl_pjrt_kind kind,
                               const tl_pjrt_options *o) {
  static const char *const gpu_only[] = {"memory_fraction", "preallocate",
                                         "allocator",       "collective_memory_size",
                                         "visible_devices", "use_tfrt_gpu_client"};
  if (kind == TL_PJRT_CUDA && o->n_items == 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "plugin %s: a GPU client wants create options (memory_fraction, preallocate): "
                    "without any it takes "
                    "the whole device",
                    p->path);
  for (size_t i = 0; i < o->n_items; i++) {
    const tl_pjrt_option *item = &o->items[i];
    if (kind == TL_PJRT_TPU)
      return TL_ERROR(INVALID_ARGUMENT, "plugin %s: a TPU client takes no create options, got %s",
                      p->path, item->name);
    for (size_t g = 0; g < TL_COUNT(gpu_only) && kind != TL_PJRT_CUDA; g++)
      if (!strcmp(item->name, gpu_only[g]))
        return TL_ERROR(INVALID_ARGUMENT, "plugin %s: %s is an option of GPU clients", p->path,
                        item->name);
    if (!strcmp(item->name, "num_nodes") && item->type == PJRT_NamedValue_kInt64 && item->int64 > 1)
      return TL_ERROR(UNIMPLEMENTED,
                      "plugin %s: %lld nodes asked for, but the key-value callbacks that processes "
                      "meet through are "
                      "not implemented: one node only",
                      p->path, (long long)item->int64);
  }
  return TL_OK;
}

static PJRT_NamedValue named_value(const tl_pjrt_option *o) {
  PJRT_NamedValue v = {.struct_size = PJRT_SIZE(NamedValue),
                       .name = o->name,
                       .name_size = strlen(o->name),
                       .type = o->type,
                       .value_size = 1};
  switch (o->type) {
  case PJRT_NamedValue_kString:
    v.string_value = o->string;
    v.value_size = strlen(o->string);
    break;
  case PJRT_NamedValue_kFloat:
    v.float_value = o->f32;
    break;
  case PJRT_NamedValue_kBool:
    v.bool_value = o->boolean;
    break;
  default:
    v.int64_value = o->int64;
  }
  return v;
}

static bool is_gpu_platform(const char *platform) {
  return strstr(platform, "cuda") || strstr(platform, "gpu") || strstr(platform, "rocm");
}

static tl_status create(tl_pjrt_plugin *p, tl_pjrt_kind kind, const tl_pjrt_options *o,
                        tl_pjrt_client **out_client) {
  TL_TRY(check_options(p, kind, o));
  tl_pjrt_client *c = calloc(1, sizeof *c);
  PJRT_NamedValue *values = calloc(o->n_items + 1, sizeof *values);
  if (c == NULL || values == NULL) {
    free(c);
    free(values);
    return TL_OOM();
  }
  for (size_t i = 0; i < o->n_items; i++)
    values[i] = named_value(&o->items[i]);
  c->plugin = p;
  c->users = 1;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->idle, NULL);
  PJRT_Client_Create_Args a = {.struct_size = PJRT_SIZE(Client_Create_Args),
                               .create_options = o->n_items ? values : NULL,
                               .num_options = o->n_items};
  tl_status st = TL_PJRT_CALL(p, Client_Create, &a);
  free(values);
  if (st == TL_OK && a.client == NULL)
    st = TL_ERROR(INTERNAL, "PJRT_Client_Create: neither a client nor an error");
  if (st == TL_OK) {
    c->handle = a.client;
    st = read_facts(c);
  }
  // A GPU behind a file name that does not say so: give the device back before anything else wants
  // it.
  if (st == TL_OK && o->n_items == 0 && is_gpu_platform(c->platform))
    st = TL_ERROR(INVALID_ARGUMENT,
                  "the platform is %s: a GPU client wants create options (memory_fraction)",
                  c->platform);
  if (st != TL_OK) {
    destroy_handle(c, c->handle);
    free_client(c);
    return tl_status_note(st, "plugin %s", p->path);
  }
  *out_client = c;
  return TL_OK;
}

tl_status tl_pjrt_client_create(tl_pjrt_plugin *p, const tl_pjrt_options *options,
                                tl_pjrt_client **out_client) {
  tl_pjrt_kind kind = options && options->kind != TL_PJRT_OTHER ? options->kind : p->kind;
  if (options) return create(p, kind, options, out_client);
  tl_arena *a = tl_arena_create();
  if (a == NULL) return TL_OOM();
  tl_pjrt_options env;
  tl_status st = tl_pjrt_options_of_env(kind, a, &env);
  if (st == TL_OK) st = create(p, kind, &env, out_client);
  tl_arena_destroy(a);
  return st;
}

tl_pjrt_plugin *tl_pjrt_client_plugin(const tl_pjrt_client *c) { return c->plugin; }
const char *tl_pjrt_client_platform(const tl_pjrt_client *c) { return c->platform; }
const char *tl_pjrt_client_platform_version(const tl_pjrt_client *c) { return c->platform_version; }
size_t tl_pjrt_client_n_devices(const tl_pjrt_client *c) { return c->n_devices; }

static tl_status device_info(tl_pjrt_client *c, size_t index, tl_pjrt_device_info *out_info) {
  const tl_pjrt_plugin *p = c->plugin;
  PJRT_Device_GetDescription_Args g = {.struct_size = PJRT_SIZE(Device_GetDescription_Args),
                                       .device = c->devices[index]};
  TL_TRY(TL_PJRT_CALL(p, Device_GetDescription, &g));
  PJRT_DeviceDescription *d = g.device_description;
  PJRT_DeviceDescription_Id_Args id = {.struct_size = PJRT_SIZE(DeviceDescription_Id_Args),
                                       .device_description = d};
  TL_TRY(TL_PJRT_CALL(p, DeviceDescription_Id, &id));
  PJRT_DeviceDescription_Kind_Args k = {.struct_size = PJRT_SIZE(DeviceDescription_Kind_Args),
                                        .device_description = d};
  TL_TRY(TL_PJRT_CALL(p, DeviceDescription_Kind, &k));
  PJRT_DeviceDescription_ToString_Args t = {
      .struct_size = PJRT_SIZE(DeviceDescription_ToString_Args), .device_description = d};
  TL_TRY(TL_PJRT_CALL(p, DeviceDescription_ToString, &t));
  *out_info = (tl_pjrt_device_info){
      id.id, {k.device_kind, k.device_kind_size}, {t.to_string, t.to_string_size}};
  return TL_OK;
}

static tl_status has_device(const tl_pjrt_client *c, size_t index) {
  if (index < c->n_devices) return TL_OK;
  return TL_ERROR(OUT_OF_RANGE, "device %zu of %s: it has %zu", index, c->plugin->path,
                  c->n_devices);
}

tl_status tl_pjrt_client_device(tl_pjrt_client *c, size_t index, tl_pjrt_device_info *out_info) {
  TL_TRY(has_device(c, index));
  TL_TRY(tl_pjrt_enter(c, "device"));
  tl_status st = device_info(c, index, out_info);
  tl_pjrt_leave(c, 0);
  return st;
}

tl_status tl_pjrt_client_memory(tl_pjrt_client *c, size_t index, tl_pjrt_memory *out_memory) {
  TL_TRY(has_device(c, index));
  PJRT_Device_MemoryStats_Args s = {.struct_size = PJRT_SIZE(Device_MemoryStats_Args),
                                    .device = c->devices[index]};
  TL_TRY(tl_pjrt_enter(c, "device memory"));
  tl_status st = TL_PJRT_CALL(c->plugin, Device_MemoryStats, &s);
  tl_pjrt_leave(c, 0);
  TL_TRY(st);
  *out_memory = (tl_pjrt_memory){.in_use = s.bytes_in_use,
                                 .peak = s.peak_bytes_in_use_is_set ? s.peak_bytes_in_use : -1,
                                 .reserved = s.bytes_reserved_is_set ? s.bytes_reserved : -1,
                                 .pool = s.pool_bytes_is_set ? s.pool_bytes : -1,
                                 .limit = s.bytes_limit_is_set ? s.bytes_limit : -1};
  return TL_OK;
}
