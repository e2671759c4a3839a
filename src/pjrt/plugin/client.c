// Clients: one device, one memory, and what may be asked of them.
#include "pjrt/plugin/internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cpuinfo.h"

static const char platform_name[] = "tlaloc", device_kind[] = "cpu", memory_kind[] = "device",
                  device_name[] = "tlaloc:0", memory_name[] = "tlaloc:0 memory";

#define GIVE_TEXT(field, size_field, text) (a->field = (text), a->size_field = sizeof(text) - 1)

// ---- creation and end ----

static tl_status read_options(const PJRT_Client_Create_Args *a, tl_cpu_options *out) {
  *out = (tl_cpu_options){0};
  for (size_t i = 0; i < a->num_options; i++) {
    const PJRT_NamedValue *v = &a->create_options[i];
    tl_str name = {v->name, v->name_size};
    if (tl_str_is(name, "threads")) {
      if (v->type != PJRT_NamedValue_kInt64 || v->int64_value < 0 || v->int64_value > 4096)
        return TL_ERROR(INVALID_ARGUMENT, "client option threads: wanted an int64 in 0..4096");
      out->n_threads = (size_t)v->int64_value;
    } else if (tl_str_is(name, "interpreter")) {
      if (v->type != PJRT_NamedValue_kBool)
        return TL_ERROR(INVALID_ARGUMENT, "client option interpreter: wanted a bool");
      out->interpreter = v->bool_value;
    } else {
      return TL_ERROR(INVALID_ARGUMENT,
                      "client option " TL_STR_FMT ": unknown, wanted threads or interpreter",
                      TL_STR_ARG(name));
    }
  }
  return TL_OK;
}

static void describe(PJRT_Client *c) {
  tl_isa_text(tl_cpu_isa_used(c->cpu), c->isa, sizeof c->isa);
  snprintf(c->text, sizeof c->text, "tlaloc:0 (%.100s, %zu threads)", tl_cpu_name(),
           tl_cpu_threads(c->cpu));
  c->attributes[0] = (PJRT_NamedValue){.struct_size = PJRT_SIZE(NamedValue),
                                       .name = "threads",
                                       .name_size = 7,
                                       .type = PJRT_NamedValue_kInt64,
                                       .int64_value = (int64_t)tl_cpu_threads(c->cpu),
                                       .value_size = 1};
  c->attributes[1] = (PJRT_NamedValue){.struct_size = PJRT_SIZE(NamedValue),
                                       .name = "isa",
                                       .name_size = 3,
                                       .type = PJRT_NamedValue_kString,
                                       .string_value = c->isa,
                                       .value_size = strlen(c->isa)};
}

tl_status tlp_Client_Create(PJRT_Client_Create_Args *a) {
  tl_cpu_options options;
  TL_TRY(read_options(a, &options));
  PJRT_Client *c = calloc(1, sizeof *c);
  if (c == NULL) return TL_OOM();
  tl_status st = tl_cpu_create(&options, &c->cpu);
  if (st != TL_OK) {
    free(c);
    return st;
  }
  c->device.client = c->description.client = c->memory.client = c->topology.client = c;
  c->devices[0] = &c->device;
  c->descriptions[0] = &c->description;
  c->memories[0] = &c->memory;
  describe(c);
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
  tl_heap_deinit(&c->heap);
  tlp_handles_free(c->handles);
  tl_cpu_release(c->cpu);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->unused);
  free(c);
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
  a->num_devices = 1;
  return TL_OK;
}
tl_status tlp_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *a) {
  a->addressable_devices = a->client->devices;
  a->num_addressable_devices = 1;
  return TL_OK;
}
tl_status tlp_Client_LookupDevice(PJRT_Client_LookupDevice_Args *a) {
  if (a->id != 0)
    return TL_ERROR(INVALID_ARGUMENT, "no device with id %d: there is device 0", a->id);
  a->device = &a->client->device;
  return TL_OK;
}
tl_status tlp_Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *a) {
  if (a->local_hardware_id != 0)
    return TL_ERROR(INVALID_ARGUMENT, "no device with local id %d: there is device 0",
                    a->local_hardware_id);
  a->addressable_device = &a->client->device;
  return TL_OK;
}
tl_status tlp_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *a) {
  a->addressable_memories = a->client->memories;
  a->num_addressable_memories = 1;
  return TL_OK;
}
tl_status tlp_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *a) {
  a->topology = &a->client->topology;
  return TL_OK;
}
tl_status tlp_Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args *a) {
  if (a->num_replicas != 1 || a->num_partitions != 1)
    return TL_ERROR(INVALID_ARGUMENT, "%d replicas of %d partitions asked for: there is one device",
                    a->num_replicas, a->num_partitions);
  if (a->default_assignment_size < 1)
    return TL_ERROR(INVALID_ARGUMENT, "no room for an assignment of one device");
  a->default_assignment[0] = 0;
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
  a->num_descriptions = 1;
  return TL_OK;
}
tl_status tlp_TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args *a) {
  a->attributes = NULL;
  a->num_attributes = 0;
  return TL_OK;
}

// ---- the device ----

tl_status tlp_Device_GetDescription(PJRT_Device_GetDescription_Args *a) {
  a->device_description = &a->device->client->description;
  return TL_OK;
}
tl_status tlp_Device_IsAddressable(PJRT_Device_IsAddressable_Args *a) {
  a->is_addressable = true;
  return TL_OK;
}
tl_status tlp_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args *a) {
  a->local_hardware_id = 0;
  return TL_OK;
}
tl_status tlp_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args *a) {
  a->memories = a->device->client->memories;
  a->num_memories = 1;
  return TL_OK;
}
tl_status tlp_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args *a) {
  a->memory = &a->device->client->memory;
  return TL_OK;
}
tl_status tlp_Device_MemoryStats(PJRT_Device_MemoryStats_Args *a) {
  PJRT_Client *c = a->device->client;
  size_t size = a->struct_size;
  PJRT_Extension_Base *extension = a->extension_start;
  *a = (PJRT_Device_MemoryStats_Args){
      .struct_size = size, .extension_start = extension, .device = a->device};
  pthread_mutex_lock(&c->lock);
  a->bytes_in_use = (int64_t)c->heap.in_use;
  a->peak_bytes_in_use = (int64_t)c->heap.peak;
  a->num_allocs = (int64_t)c->heap.n_allocs;
  a->largest_alloc_size = (int64_t)c->heap.largest;
  a->pool_bytes = (int64_t)(c->heap.in_use + c->heap.cached);
  pthread_mutex_unlock(&c->lock);
  a->peak_bytes_in_use_is_set = a->num_allocs_is_set = a->largest_alloc_size_is_set =
      a->pool_bytes_is_set = true;
  return TL_OK;
}

tl_status tlp_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *a) {
  a->id = 0;
  return TL_OK;
}
tl_status tlp_DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args *a) {
  a->process_index = 0;
  return TL_OK;
}
tl_status tlp_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args *a) {
  a->attributes = a->device_description->client->attributes;
  a->num_attributes = TL_COUNT(a->device_description->client->attributes);
  return TL_OK;
}
tl_status tlp_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *a) {
  GIVE_TEXT(device_kind, device_kind_size, device_kind);
  return TL_OK;
}
tl_status tlp_DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args *a) {
  a->debug_string = a->device_description->client->text;
  a->debug_string_size = strlen(a->debug_string);
  return TL_OK;
}
tl_status tlp_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args *a) {
  GIVE_TEXT(to_string, to_string_size, device_name);
  return TL_OK;
}

// ---- its memory ----

tl_status tlp_Memory_Id(PJRT_Memory_Id_Args *a) {
  a->id = 0;
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
  GIVE_TEXT(debug_string, debug_string_size, memory_name);
  return TL_OK;
}
tl_status tlp_Memory_ToString(PJRT_Memory_ToString_Args *a) {
  GIVE_TEXT(to_string, to_string_size, memory_name);
  return TL_OK;
}
tl_status tlp_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args *a) {
  a->devices = a->memory->client->devices;
  a->num_devices = 1;
  return TL_OK;
}
