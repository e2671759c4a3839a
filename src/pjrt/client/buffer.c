// Buffers and events: to the device, from it, and what may be asked of them.
#include "pjrt/client/internal.h"

#include <stdlib.h>

typedef struct type_info {
  size_t size;
  const char *text;
} type_info;

static const type_info types[] = {
#define TL_PJRT_TYPE(name, number, size, text) [number] = {size, text},
#include "pjrt/types.def"
#undef TL_PJRT_TYPE
};

size_t tl_pjrt_type_size(PJRT_Buffer_Type t) {
  return (size_t)t < TL_COUNT(types) ? types[t].size : 0;
}
const char *tl_pjrt_type_name(PJRT_Buffer_Type t) {
  return (size_t)t < TL_COUNT(types) ? types[t].text : "?";
}

// ---- events ----

void tl_pjrt_event_drop(const tl_pjrt_plugin *p, PJRT_Event *e) {
  if (e == NULL) return;
  PJRT_Event_Destroy_Args d = {.struct_size = PJRT_SIZE(Event_Destroy_Args), .event = e};
  tl_status_drop(TL_PJRT_CALL(p, Event_Destroy, &d));
}

tl_status tl_pjrt_event_finish(const tl_pjrt_plugin *p, PJRT_Event *e, const char *what) {
  if (e == NULL) return TL_OK;
  PJRT_Event_Await_Args a = {.struct_size = PJRT_SIZE(Event_Await_Args), .event = e};
  tl_status st = tl_pjrt_status(p, p->api.PJRT_Event_Await(&a), what);
  tl_pjrt_event_drop(p, e);
  return st;
}

// Events may outlive a close: they hold nothing of the client.
tl_status tl_pjrt_event_await(tl_pjrt_client *c, tl_pjrt_event *e) {
  return tl_pjrt_event_finish(c->plugin, e, "PJRT_Event_Await");
}

tl_status tl_pjrt_event_is_ready(tl_pjrt_client *c, tl_pjrt_event *e, bool *out_ready) {
  PJRT_Event_IsReady_Args a = {.struct_size = PJRT_SIZE(Event_IsReady_Args), .event = e};
  TL_TRY(TL_PJRT_CALL(c->plugin, Event_IsReady, &a));
  *out_ready = a.is_ready;
  return TL_OK;
}

// ---- to the device ----

typedef struct lease { // host memory that the device may be using
  const tl_pjrt_plugin *plugin;
  PJRT_Event *done;
  void (*release)(void *arg);
  void *arg;
} lease;

static void lease_ends(PJRT_Error *error, void *user) {
  lease *l = user;
  tl_status_drop(tl_pjrt_status(l->plugin, error, "host buffer"));
  tl_pjrt_event_drop(l->plugin, l->done);
  if (l->release) l->release(l->arg);
  free(l);
}

static tl_status check_host(const tl_pjrt_host *h) {
  size_t size = tl_pjrt_type_size(h->type);
  if (size == 0)
    return TL_ERROR(INVALID_ARGUMENT, "buffer from host: element type %d has no host form",
                    (int)h->type);
  if (h->n_dims > TL_PJRT_MAX_DIMS)
    return TL_ERROR(INVALID_ARGUMENT, "buffer from host: %zu dimensions, at most %d", h->n_dims,
                    TL_PJRT_MAX_DIMS);
  for (size_t i = 0; i < h->n_dims; i++)
    if (h->dims[i] < 0 || !TL_MUL_OK(size, (size_t)h->dims[i], &size))
      return TL_ERROR(INVALID_ARGUMENT,
                      "buffer from host: dimension %zu is %lld, or the size is beyond memory", i,
                      (long long)h->dims[i]);
  if (h->data == NULL && size)
    return TL_ERROR(INVALID_ARGUMENT, "buffer from host: %zu bytes wanted, got none", size);
  return TL_OK;
}

// Gives the device the buffer; *out_done is the event after which the host memory is free.
static tl_status put(tl_pjrt_client *c, const tl_pjrt_host *h, PJRT_Buffer **out_buffer,
                     PJRT_Event **out_done) {
  static const char empty[64]; // an array of no elements still wants an address
  PJRT_Client_BufferFromHostBuffer_Args a = {
      .struct_size = PJRT_SIZE(Client_BufferFromHostBuffer_Args),
      .client = c->handle,
      .data = h->data ? h->data : empty,
      .type = h->type,
      .dims = h->dims,
      .num_dims = h->n_dims,
      .byte_strides = h->byte_strides,
      .num_byte_strides = h->byte_strides ? h->n_dims : 0,
      .host_buffer_semantics = h->zero_copy ? PJRT_HostBufferSemantics_kImmutableZeroCopy
                                            : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = c->devices[h->device]};
  TL_TRY(TL_PJRT_CALL(c->plugin, Client_BufferFromHostBuffer, &a));
  if (a.buffer == NULL) {
    tl_pjrt_event_drop(c->plugin, a.done_with_host_buffer);
    return TL_ERROR(INTERNAL, "buffer from host: neither a buffer nor an error");
  }
  *out_buffer = a.buffer;
  *out_done = a.done_with_host_buffer;
  return TL_OK;
}

static tl_status put_copy(tl_pjrt_client *c, const tl_pjrt_host *h, PJRT_Buffer **out_buffer) {
  PJRT_Event *done = NULL;
  TL_TRY(put(c, h, out_buffer, &done));
  tl_status st = tl_pjrt_event_finish(c->plugin, done, "buffer from host");
  if (st != TL_OK) tl_pjrt_handle_drop(c->plugin, *out_buffer);
  return st;
}

// From here on the release function is called by lease_ends, whatever happens.
static tl_status put_shared(tl_pjrt_client *c, const tl_pjrt_host *h, lease *l,
                            PJRT_Buffer **out_buffer) {
  *l = (lease){c->plugin, NULL, h->release, h->release_arg};
  tl_status st = put(c, h, out_buffer, &l->done);
  if (st != TL_OK || l->done == NULL) {
    lease_ends(NULL, l);
    return st;
  }
  PJRT_Event_OnReady_Args r = {.struct_size = PJRT_SIZE(Event_OnReady_Args),
                               .event = l->done,
                               .callback = lease_ends,
                               .user_arg = l};
  st = TL_PJRT_CALL(c->plugin, Event_OnReady, &r);
  if (st != TL_OK) { // nobody will tell us: end the buffer, then wait
    tl_pjrt_handle_drop(c->plugin, *out_buffer);
    tl_status_drop(tl_pjrt_event_finish(c->plugin, l->done, "buffer from host"));
    l->done = NULL;
    lease_ends(NULL, l);
  }
  return st;
}

tl_status tl_pjrt_buffer_from_host(tl_pjrt_client *c, const tl_pjrt_host *h,
                                   tl_pjrt_buffer **out_buffer) {
  lease *l = NULL;
  tl_status st = check_host(h);
  if (st == TL_OK && h->zero_copy && (l = malloc(sizeof *l)) == NULL) st = TL_OOM();
  if (st == TL_OK && h->device >= c->n_devices)
    st = TL_ERROR(OUT_OF_RANGE, "buffer from host: device %zu of %s: it has %zu", h->device,
                  c->plugin->path, c->n_devices);
  if (st == TL_OK) st = tl_pjrt_enter(c, "buffer from host");
  if (st != TL_OK) {
    free(l);
    if (h->zero_copy && h->release) h->release(h->release_arg);
    return st;
  }
  PJRT_Buffer *buffer = NULL;
  st = l ? put_shared(c, h, l, &buffer) : put_copy(c, h, &buffer);
  if (st == TL_OK) *out_buffer = buffer;
  tl_pjrt_leave(c, st == TL_OK);
  return st;
}

// ---- from the device ----

static tl_status shape_of(tl_pjrt_client *c, PJRT_Buffer *b, tl_pjrt_shape *out) {
  PJRT_Buffer_ElementType_Args t = {.struct_size = PJRT_SIZE(Buffer_ElementType_Args), .buffer = b};
  TL_TRY(TL_PJRT_CALL(c->plugin, Buffer_ElementType, &t));
  PJRT_Buffer_Dimensions_Args d = {.struct_size = PJRT_SIZE(Buffer_Dimensions_Args), .buffer = b};
  TL_TRY(TL_PJRT_CALL(c->plugin, Buffer_Dimensions, &d));
  *out = (tl_pjrt_shape){t.type, d.num_dims, d.dims};
  return TL_OK;
}

static tl_status get(tl_pjrt_client *c, PJRT_Buffer *b, void *dst, size_t size) {
  tl_pjrt_shape s;
  TL_TRY(shape_of(c, b, &s));
  if (s.n_dims > TL_PJRT_MAX_DIMS)
    return TL_ERROR(UNIMPLEMENTED, "buffer to host: %zu dimensions, at most %d", s.n_dims,
                    TL_PJRT_MAX_DIMS);
  size_t want = tl_pjrt_type_size(s.type);
  if (want == 0)
    return TL_ERROR(UNIMPLEMENTED, "buffer to host: element type %d has no host form", (int)s.type);
  int64_t order[TL_PJRT_MAX_DIMS]; // a device may keep another one; the host gets the last
                                   // dimension innermost
  for (size_t i = 0; i < s.n_dims; i++) {
    order[i] = (int64_t)(s.n_dims - 1 - i);
    if (!TL_MUL_OK(want, (size_t)s.dims[i], &want)) want = SIZE_MAX;
  }
  if (want != size)
    return TL_ERROR(INVALID_ARGUMENT, "buffer to host: room for %zu bytes, wanted %zu", size, want);
  PJRT_Buffer_MemoryLayout layout = {.struct_size = PJRT_SIZE(Buffer_MemoryLayout),
                                     .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                     .tiled = {.struct_size = PJRT_SIZE(Buffer_MemoryLayout_Tiled),
                                               .minor_to_major = order,
                                               .minor_to_major_size = s.n_dims}};
  PJRT_Buffer_ToHostBuffer_Args a = {.struct_size = PJRT_SIZE(Buffer_ToHostBuffer_Args),
                                     .src = b,
                                     .host_layout = &layout,
                                     .dst = dst,
                                     .dst_size = size};
  TL_TRY(TL_PJRT_CALL(c->plugin, Buffer_ToHostBuffer, &a));
  return tl_pjrt_event_finish(c->plugin, a.event, "buffer to host");
}

tl_status tl_pjrt_buffer_to_host(tl_pjrt_client *c, tl_pjrt_buffer *b, void *dst, size_t size) {
  TL_TRY(tl_pjrt_enter(c, "buffer to host"));
  tl_status st = get(c, b, dst, size);
  tl_pjrt_leave(c, 0);
  return st;
}

void tl_pjrt_handle_drop(const tl_pjrt_plugin *p, PJRT_Buffer *b) {
  if (b == NULL) return;
  PJRT_Buffer_Destroy_Args a = {.struct_size = PJRT_SIZE(Buffer_Destroy_Args), .buffer = b};
  tl_status_drop(TL_PJRT_CALL(p, Buffer_Destroy, &a));
}

void tl_pjrt_buffer_destroy(tl_pjrt_client *c, tl_pjrt_buffer *b) {
  if (b == NULL) return;
  tl_pjrt_handle_drop(c->plugin, b);
  tl_pjrt_client_forget(c, 1, 0);
}

tl_status tl_pjrt_buffer_shape(tl_pjrt_client *c, tl_pjrt_buffer *b, tl_pjrt_shape *out_shape) {
  TL_TRY(tl_pjrt_enter(c, "buffer shape"));
  tl_status st = shape_of(c, b, out_shape);
  tl_pjrt_leave(c, 0);
  return st;
}

tl_status tl_pjrt_buffer_is_deleted(tl_pjrt_client *c, tl_pjrt_buffer *b, bool *out_deleted) {
  TL_TRY(tl_pjrt_enter(c, "buffer is deleted"));
  PJRT_Buffer_IsDeleted_Args a = {.struct_size = PJRT_SIZE(Buffer_IsDeleted_Args), .buffer = b};
  tl_status st = TL_PJRT_CALL(c->plugin, Buffer_IsDeleted, &a);
  if (st == TL_OK) *out_deleted = a.is_deleted;
  tl_pjrt_leave(c, 0);
  return st;
}

tl_status tl_pjrt_buffer_address(tl_pjrt_client *c, tl_pjrt_buffer *b, uintptr_t *out_address) {
  TL_TRY(tl_pjrt_enter(c, "buffer address"));
  PJRT_Buffer_UnsafePointer_Args a = {.struct_size = PJRT_SIZE(Buffer_UnsafePointer_Args),
                                      .buffer = b};
  tl_status st = TL_PJRT_CALL_IF(c->plugin, Buffer_UnsafePointer, &a);
  if (st == TL_OK) *out_address = a.buffer_pointer;
  tl_pjrt_leave(c, 0);
  return st;
}

static tl_status map(tl_pjrt_client *c, PJRT_Buffer *b, const void **out_data) {
  const tl_pjrt_plugin *p = c->plugin;
  PJRT_Buffer_IsOnCpu_Args on = {.struct_size = PJRT_SIZE(Buffer_IsOnCpu_Args), .buffer = b};
  TL_TRY(TL_PJRT_CALL_IF(p, Buffer_IsOnCpu, &on));
  if (!on.is_on_cpu)
    return TL_ERROR(UNIMPLEMENTED, "buffer map: %s is not host memory", c->platform);
  if (p->api.PJRT_Buffer_OpaqueDeviceMemoryDataPointer == NULL)
    return tl_pjrt_absent(p, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer");
  if (p->api.PJRT_Buffer_DecreaseExternalReferenceCount == NULL)
    return tl_pjrt_absent(p, "PJRT_Buffer_DecreaseExternalReferenceCount");
  PJRT_Buffer_ReadyEvent_Args r = {.struct_size = PJRT_SIZE(Buffer_ReadyEvent_Args), .buffer = b};
  TL_TRY(TL_PJRT_CALL_IF(p, Buffer_ReadyEvent, &r));
  TL_TRY(tl_pjrt_event_finish(p, r.event, "buffer map"));
  PJRT_Buffer_IncreaseExternalReferenceCount_Args i = {
      .struct_size = PJRT_SIZE(Buffer_IncreaseExternalReferenceCount_Args), .buffer = b};
  TL_TRY(TL_PJRT_CALL_IF(p, Buffer_IncreaseExternalReferenceCount, &i));
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args o = {
      .struct_size = PJRT_SIZE(Buffer_OpaqueDeviceMemoryDataPointer_Args), .buffer = b};
  tl_status st = TL_PJRT_CALL(p, Buffer_OpaqueDeviceMemoryDataPointer, &o);
  if (st != TL_OK) {
    tl_pjrt_buffer_unmap(c, b);
    return st;
  }
  *out_data = o.device_memory_ptr;
  return TL_OK;
}

tl_status tl_pjrt_buffer_map(tl_pjrt_client *c, tl_pjrt_buffer *b, const void **out_data) {
  TL_TRY(tl_pjrt_enter(c, "buffer map"));
  tl_status st = map(c, b, out_data);
  tl_pjrt_leave(c, 0);
  return st;
}

void tl_pjrt_buffer_unmap(tl_pjrt_client *c, tl_pjrt_buffer *b) {
  PJRT_Buffer_DecreaseExternalReferenceCount_Args d = {
      .struct_size = PJRT_SIZE(Buffer_DecreaseExternalReferenceCount_Args), .buffer = b};
  tl_status_drop(TL_PJRT_CALL_IF(c->plugin, Buffer_DecreaseExternalReferenceCount, &d));
}
