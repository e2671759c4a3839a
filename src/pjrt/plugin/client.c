// Clients, their devices and memories, and what may be asked of them.
#include "base/mem.h"
#include "pjrt/plugin/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cpuinfo.h"

static const char platform_name[] = "tlaloc", device_kind[] = "cpu", memory_kind[] = "device";

#define GIVE_TEXT(field, size_field, text) (a->field = (text), a->size_field = sizeof(text) - 1)

// ---- creation and end ----

static tl_status read_options(const PJRT_Client_Create_Args *a, tl_cpu_options *out,
                              size_t *out_devices) {
  *out = (tl_cpu_options){0};
  *out_devices = 1;
  for (size_t i = 0; i < a->num_options; i++) {
    const PJRT_NamedValue *v = &a->create_options[i];
    tl_str name = {v->name, v->name_size};
    if (tl_str_is(name, "threads")) {
      if (v->type != PJRT_NamedValue_kInt64 || v->int64_value < 0 || v->int64_value > 4096)
        return TL_ERROR(INVALID_ARGUMENT, "client option threads: wanted an int64 in 0..4096");
      out->n_threads = (size_t)v->int64_value;
    } else if (tl_str_is(name, "cpu_device_count")) { // as XLA's CPU plugin calls it
      if (v->type != PJRT_NamedValue_kInt64 || v->int64_value < 1 ||
          v->int64_value > TLP_MAX_DEVICES)
        return TL_ERROR(INVALID_ARGUMENT,
                        "client option cpu_device_count: wanted an int64 in 1..%d",
                        TLP_MAX_DEVICES);
      *out_devices = (size_t)v->int64_value;
    } else if (tl_str_is(name, "interpreter") || tl_str_is(name, "single_process")) {
      if (v->type != PJRT_NamedValue_kBool)
        return TL_ERROR(INVALID_ARGUMENT, "client option " TL_STR_FMT ": wanted a bool",
                        TL_STR_ARG(name));
      *(tl_str_is(name, "interpreter") ? &out->interpreter : &out->single_process) = v->bool_value;
    } else {
      return TL_ERROR(INVALID_ARGUMENT,
                      "client option " TL_STR_FMT
                      ": unknown, wanted threads, cpu_device_count, interpreter or single_process",
                      TL_STR_ARG(name));
    }
  }
  return TL_OK;
}

static void describe(PJRT_Device *d) {
  PJRT_Client *c = d->client;
  tl_isa_text(tl_cpu_isa_used(d->cpu), c->isa, sizeof c->isa);
  snprintf(d->name, sizeof d->name, "tlaloc:%d", d->id);
  snprintf(d->memory_name, sizeof d->memory_name, "tlaloc:%d memory", d->id);
  snprintf(d->text, sizeof d->text, "tlaloc:%d (%.100s, %zu threads)", d->id, tl_cpu_name(),
           tl_cpu_threads(d->cpu));
  d->attributes[0] = (PJRT_NamedValue){.struct_size = PJRT_SIZE(NamedValue),
                                       .name = "threads",
                                       .name_size = 7,
                                       .type = PJRT_NamedValue_kInt64,
                                       .int64_value = (int64_t)tl_cpu_threads(d->cpu),
                                       .value_size = 1};
  d->attributes[1] = (PJRT_NamedValue){.struct_size = PJRT_SIZE(NamedValue),
                                       .name = "isa",
                                       .name_size = 3,
                                       .type = PJRT_NamedValue_kString,
                                       .string_value = c->isa,
                                       .value_size = strlen(c->isa)};
}

static void client_free(PJRT_Client *c) {
  for (size_t i = 0; c->items && i < c->n_devices; i++) {
    tl_heap_deinit(&c->items[i].heap);
    tl_cpu_release(c->items[i].cpu);
  }
  free(c->items);
  free(c->devices);
  free(c->descriptions);
  free(c->memories);
  free(c);
}

// Devices share the host's CPUs evenly; each has one thread at least.
static tl_status make_devices(PJRT_Client *c, size_t n, tl_cpu_options options) {
  c->items = calloc(n, sizeof *c->items);
  c->devices = calloc(n, sizeof(PJRT_Device *));
  c->descriptions = calloc(n, sizeof(PJRT_DeviceDescription *));
  c->memories = calloc(n, sizeof(PJRT_Memory *));
  if (!c->items || !c->devices || !c->descriptions || !c->memories) return TL_OOM();
  c->n_devices = n;
  if (n > 1 && options.n_threads == 0) options.n_threads = TL_MAX(tl_cpu_count() / n, (size_t)1);
  for (size_t i = 0; i < n; i++) {
    PJRT_Device *d = c->devices[i] = &c->items[i];
    d->self[0] = d;
    d->client = c;
    d->id = (int)i;
    d->description.device = d->memory.device = d;
    c->descriptions[i] = &d->description;
    c->memories[i] = d->memories[0] = &d->memory;
    TL_TRY(tl_cpu_create(&options, &d->cpu));
    describe(d);
  }
  return TL_OK;
}

tl_status tlp_Client_Create(PJRT_Client_Create_Args *a) {
  tl_cpu_options options;
  size_t n_devices;
  TL_TRY(read_options(a, &options, &n_devices));
  PJRT_Client *c = calloc(1, sizeof *c);
  if (c == NULL) return TL_OOM();
  c->topology.client = c;
  tl_status st = make_devices(c, n_devices, options);
  if (st != TL_OK) {
    client_free(c);
    return st;
  }
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->unused, NULL);
  c->refs = 1;
  a->client = c;
  return TL_OK;
}

void tlp_handles_free(struct tlp_handles *list);

void tlp_unlock(PJRT_Client *c, PJRT_Event *leases) {
  bool last = c->refs == 0;
  pthread_mutex_unlock(&c->lock);
  tlp_lease_end(leases);
  if (!last) return;
  tlp_handles_free(c->handles);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->unused);
  client_free(c);
}

tl_status tlp_Client_Destroy(PJRT_Client_Destroy_Args *a) {
  if (a->client == NULL) return TL_OK;
  pthread_mutex_lock(&a->client->lock);
  a->client->refs--;
  tlp_unlock(a->client, NULL);
  return TL_OK;
}

// ---- what a client has ----

tl_status tlp_Client_PlatformName(PJRT_Client_PlatformName_Args *a) {
  GIVE_TEXT(platform_name, platform_name_size, platform_name);
  return TL_OK;
}
tl_status tlp_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *a) {
  GIVE_TEXT(platform_version, platform_version_size, TLALOC_VERSION);
  return TL_OK;
}
tl_status tlp_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args *a) {
  a->process_index = 0;
  return TL_OK;
}
tl_status tlp_Client_Devices(PJRT_Client_Devices_Args *a) {
  a->devices = a->client->devices;
  a->num_devices = a->client->n_devices;
  return TL_OK;
}
tl_status tlp_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *a) {
  a->addressable_devices = a->client->devices;
  a->num_addressable_devices = a->client->n_devices;
  return TL_OK;
}
static tl_status look_up(PJRT_Client *c, int id, const char *what, PJRT_Device **out) {
  if (id < 0 || (size_t)id >= c->n_devices)
    return TL_ERROR(INVALID_ARGUMENT, "no device with %s %d: there %s", what, id,
                    c->n_devices == 1 ? "is device 0" : "are fewer");
  *out = c->devices[id];
  return TL_OK;
}
tl_status tlp_Client_LookupDevice(PJRT_Client_LookupDevice_Args *a) {
  return look_up(a->client, a->id, "id", &a->device);
}
tl_status tlp_Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *a) {
  return look_up(a->client, a->local_hardware_id, "local id", &a->addressable_device);
}
tl_status tlp_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *a) {
  a->addressable_memories = a->client->memories;
  a->num_addressable_memories = a->client->n_devices;
  return TL_OK;
}
tl_status tlp_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *a) {
  a->topology = &a->client->topology;
  return TL_OK;
}
// Devices in order: replica r, partition p on device r * n_partitions + p.
tl_status tlp_Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args *a) {
  const int64_t n = (int64_t)a->num_replicas * a->num_partitions;
  if (a->num_replicas < 1 || a->num_partitions < 1 || n > (int64_t)a->client->n_devices)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%d replicas of %d partitions asked for: there %s (client option "
                    "cpu_device_count makes more)",
                    a->num_replicas, a->num_partitions,
                    a->client->n_devices == 1 ? "is one device" : "are fewer devices");
  if (a->default_assignment_size < (size_t)n)
    return TL_ERROR(INVALID_ARGUMENT, "no room for an assignment of %lld devices", (long long)n);
  for (int i = 0; i < (int)n; i++)
    a->default_assignment[i] = i;
  return TL_OK;
}

// ---- the topology ----

tl_status tlp_TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args *a) {
  GIVE_TEXT(platform_name, platform_name_size, platform_name);
  return TL_OK;
}
tl_status
tlp_TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args *a) {
  GIVE_TEXT(platform_version, platform_version_size, TLALOC_VERSION);
  return TL_OK;
}
tl_status tlp_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args *a) {
  a->descriptions = a->topology->client->descriptions;
  a->num_descriptions = a->topology->client->n_devices;
  return TL_OK;
}
tl_status tlp_TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args *a) {
  a->attributes = NULL;
  a->num_attributes = 0;
  return TL_OK;
}

// ---- the device ----

tl_status tlp_Device_GetDescription(PJRT_Device_GetDescription_Args *a) {
  a->device_description = &a->device->description;
  return TL_OK;
}
tl_status tlp_Device_IsAddressable(PJRT_Device_IsAddressable_Args *a) {
  a->is_addressable = true;
  return TL_OK;
}
tl_status tlp_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args *a) {
  a->local_hardware_id = a->device->id;
  return TL_OK;
}
tl_status tlp_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args *a) {
  a->memories = a->device->memories;
  a->num_memories = 1;
  return TL_OK;
}
tl_status tlp_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args *a) {
  a->memory = &a->device->memory;
  return TL_OK;
}
tl_status tlp_Device_MemoryStats(PJRT_Device_MemoryStats_Args *a) {
  PJRT_Client *c = a->device->client;
  const tl_heap *heap = &a->device->heap;
  size_t size = a->struct_size;
  PJRT_Extension_Base *extension = a->extension_start;
  *a = (PJRT_Device_MemoryStats_Args){
      .struct_size = size, .extension_start = extension, .device = a->device};
  pthread_mutex_lock(&c->lock);
  a->bytes_in_use = (int64_t)heap->in_use;
  a->peak_bytes_in_use = (int64_t)heap->peak;
  a->num_allocs = (int64_t)heap->n_allocs;
  a->largest_alloc_size = (int64_t)heap->largest;
  a->pool_bytes = (int64_t)(heap->in_use + heap->cached);
  pthread_mutex_unlock(&c->lock);
  a->bytes_reserved = (int64_t)tl_cpu_program_bytes(a->device->cpu); // by programs
  a->bytes_limit = (int64_t)TL_MIN(tl_mem_limit(), (size_t)INT64_MAX);
  a->peak_bytes_in_use_is_set = a->num_allocs_is_set = a->largest_alloc_size_is_set =
      a->pool_bytes_is_set = a->bytes_reserved_is_set = true;
  a->bytes_limit_is_set = a->bytes_limit > 0;
  return TL_OK;
}

tl_status tlp_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *a) {
  a->id = a->device_description->device->id;
  return TL_OK;
}
tl_status tlp_DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args *a) {
  a->process_index = 0;
  return TL_OK;
}
tl_status tlp_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args *a) {
  a->attributes = a->device_description->device->attributes;
  a->num_attributes = TL_COUNT(a->device_description->device->attributes);
  return TL_OK;
}
tl_status tlp_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *a) {
  GIVE_TEXT(device_kind, device_kind_size, device_kind);
  return TL_OK;
}
tl_status tlp_DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args *a) {
  a->debug_string = a->device_description->device->text;
  a->debug_string_size = strlen(a->debug_string);
  return TL_OK;
}
tl_status tlp_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args *a) {
  a->to_string = a->device_description->device->name;
  a->to_string_size = strlen(a->to_string);
  return TL_OK;
}

// ---- its memory ----

tl_status tlp_Memory_Id(PJRT_Memory_Id_Args *a) {
  a->id = a->memory->device->id;
  return TL_OK;
}
tl_status tlp_Memory_Kind(PJRT_Memory_Kind_Args *a) {
  GIVE_TEXT(kind, kind_size, memory_kind);
  return TL_OK;
}
tl_status tlp_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args *a) {
  a->kind_id = 0;
  return TL_OK;
}
tl_status tlp_Memory_DebugString(PJRT_Memory_DebugString_Args *a) {
  a->debug_string = a->memory->device->memory_name;
  a->debug_string_size = strlen(a->debug_string);
  return TL_OK;
}
tl_status tlp_Memory_ToString(PJRT_Memory_ToString_Args *a) {
  a->to_string = a->memory->device->memory_name;
  a->to_string_size = strlen(a->to_string);
  return TL_OK;
}
tl_status tlp_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args *a) {
  a->devices = a->memory->device->self;
  a->num_devices = 1;
  return TL_OK;
}
