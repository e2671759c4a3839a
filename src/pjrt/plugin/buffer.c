// Buffers: handles, their memory, and what may be asked of them.
//
// A buffer is a handle of the framework's and a piece of memory, and the two part in many ways:
// deletion and donation take the memory and leave the handle, an execution in progress or a
// reference from outside keeps the memory after both. So nothing here frees anything by itself: the
// flags change, and tlp_buffer_settle gives back whatever nobody needs any more, in the one place
// that knows the conditions.
//
//     memory goes when   deleted and no uses and no externals
//     handle goes when   memory has gone and destroyed
#include "pjrt/plugin/internal.h"

#include <stdlib.h>

// Handles are cut from slabs and never returned before the client ends: a step that makes as many
// as it destroys takes none from the system.
enum { HANDLES_PER_SLAB = 64 };
struct tlp_handles {
  struct tlp_handles *next;
  PJRT_Buffer items[HANDLES_PER_SLAB];
};

void tlp_handles_free(struct tlp_handles *list);
void tlp_handles_free(struct tlp_handles *list) {
  while (list) {
    struct tlp_handles *next = list->next;
    free(list);
    list = next;
  }
}

PJRT_Buffer *tlp_buffer_take(PJRT_Device *d) {
  PJRT_Client *c = d->client;
  if (c->free_handles == NULL) {
    struct tlp_handles *slab = calloc(1, sizeof *slab);
    if (slab == NULL) return NULL;
    slab->next = c->handles;
    c->handles = slab;
    for (size_t i = 0; i < HANDLES_PER_SLAB; i++) {
      slab->items[i].next_free = c->free_handles;
      c->free_handles = &slab->items[i];
    }
  }
  PJRT_Buffer *b = c->free_handles;
  c->free_handles = b->next_free;
  c->refs++;
  b->client = c;
  b->device = d;
  b->ptr = NULL;
  b->cap = 0;
  b->lease = NULL;
  b->read_only = b->deleted = b->destroyed = false;
  b->uses = b->externals = 0;
  b->mark = 0;
  return b;
}

bool tlp_buffer_alloc(PJRT_Buffer *b) {
  b->ptr = tl_heap_take(&b->device->heap, b->size, &b->cap);
  return b->ptr != NULL;
}

PJRT_Event *tlp_buffer_settle(PJRT_Buffer *b, PJRT_Event *chain) {
  PJRT_Client *c = b->client;
  if (b->uses || b->externals) return chain;
  if (b->deleted && b->ptr) {
    if (b->lease) {
      b->lease->next = chain;
      chain = b->lease;
    } else if (b->cap) {
      tl_heap_give(&b->device->heap, b->ptr, b->cap);
    }
    b->ptr = NULL;
    b->cap = 0;
    b->lease = NULL;
  }
  if (b->destroyed) {
    b->next_free = c->free_handles;
    c->free_handles = b;
    c->refs--;
  }
  return chain;
}

tl_status tlp_buffer_set_type(PJRT_Buffer *b, tl_dtype dtype, const int64_t *dims, size_t n_dims) {
  if (n_dims > TL_MAX_RANK)
    return TL_ERROR(INVALID_ARGUMENT, "buffer: %zu dimensions, at most %d", n_dims, TL_MAX_RANK);
  b->dtype = dtype;
  b->rank = (uint32_t)n_dims;
  b->size = tl_dtype_get(dtype)->size;
  for (size_t i = 0; i < n_dims; i++) {
    b->dims[i] = dims[i];
    if (dims[i] < 0)
      return TL_ERROR(INVALID_ARGUMENT, "buffer: dimension %zu is %lld", i, (long long)dims[i]);
    if (!TL_MUL_OK(b->size, (size_t)dims[i], &b->size))
      return TL_ERROR(RESOURCE_EXHAUSTED, "buffer: its size is beyond memory");
  }
  return TL_OK;
}

tl_status tlp_buffer_use(PJRT_Buffer *b, const char *what) {
  pthread_mutex_lock(&b->client->lock);
  bool usable = !b->deleted;
  b->uses += usable;
  pthread_mutex_unlock(&b->client->lock);
  return usable ? TL_OK
                : TL_ERROR(INVALID_ARGUMENT, "%s: the buffer has been deleted or donated", what);
}

void tlp_buffer_unuse(PJRT_Buffer *b) {
  PJRT_Client *c = b->client;
  pthread_mutex_lock(&c->lock);
  b->uses--;
  PJRT_Event *leases = tlp_buffer_settle(b, NULL);
  pthread_cond_broadcast(&c->unused);
  tlp_unlock(c, leases);
}

// ---- the end ----

tl_status tlp_Buffer_Delete(PJRT_Buffer_Delete_Args *a) {
  PJRT_Client *c = a->buffer->client;
  pthread_mutex_lock(&c->lock);
  a->buffer->deleted = true;
  tlp_unlock(c, tlp_buffer_settle(a->buffer, NULL));
  return TL_OK;
}

tl_status tlp_Buffer_Destroy(PJRT_Buffer_Destroy_Args *a) {
  if (a->buffer == NULL) return TL_OK;
  PJRT_Client *c = a->buffer->client;
  pthread_mutex_lock(&c->lock);
  a->buffer->deleted = a->buffer->destroyed = true;
  tlp_unlock(c, tlp_buffer_settle(a->buffer, NULL));
  return TL_OK;
}

tl_status tlp_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args *a) {
  pthread_mutex_lock(&a->buffer->client->lock);
  a->is_deleted = a->buffer->deleted;
  pthread_mutex_unlock(&a->buffer->client->lock);
  return TL_OK;
}

tl_status
tlp_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args *a) {
  PJRT_Buffer *b = a->buffer;
  pthread_mutex_lock(&b->client->lock);
  bool usable = !b->deleted;
  b->externals += usable;
  pthread_mutex_unlock(&b->client->lock);
  return usable ? TL_OK
                : TL_ERROR(INVALID_ARGUMENT,
                           "external reference: the buffer has been deleted or donated");
}

tl_status
tlp_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args *a) {
  PJRT_Buffer *b = a->buffer;
  PJRT_Client *c = b->client;
  pthread_mutex_lock(&c->lock);
  bool had = b->externals != 0;
  PJRT_Event *leases = NULL;
  if (had) {
    b->externals--;
    leases = tlp_buffer_settle(b, NULL);
  }
  tlp_unlock(c, leases);
  return had ? TL_OK
             : TL_ERROR(INVALID_ARGUMENT, "external reference: the buffer has none to give up");
}

// ---- questions ----

tl_status tlp_Buffer_ElementType(PJRT_Buffer_ElementType_Args *a) {
  a->type = (PJRT_Buffer_Type)tl_dtype_get(a->buffer->dtype)->pjrt;
  return TL_OK;
}
tl_status tlp_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args *a) {
  a->dims = a->buffer->dims;
  a->num_dims = a->buffer->rank;
  return TL_OK;
}
tl_status tlp_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args *a) {
  a->unpadded_dims = a->buffer->dims;
  a->num_dims = a->buffer->rank;
  return TL_OK;
}
tl_status tlp_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args *a) {
  a->dynamic_dim_indices = NULL;
  a->num_dynamic_dims = 0;
  return TL_OK;
}

// Every buffer is dense with its last dimension innermost: [rank-1 ... 0] is the end of this.
static const int64_t descending[TL_MAX_RANK] = {15, 14, 13, 12, 11, 10, 9, 8,
                                                7,  6,  5,  4,  3,  2,  1, 0};

tl_status tlp_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *a) {
  a->layout = (PJRT_Buffer_MemoryLayout){
      .struct_size = PJRT_SIZE(Buffer_MemoryLayout),
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
      .tiled = {.struct_size = PJRT_SIZE(Buffer_MemoryLayout_Tiled),
                .minor_to_major = descending + TL_MAX_RANK - a->buffer->rank,
                .minor_to_major_size = a->buffer->rank}};
  return TL_OK;
}
tl_status tlp_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args *a) {
  a->on_device_size_in_bytes = a->buffer->size;
  return TL_OK;
}
tl_status tlp_Buffer_Device(PJRT_Buffer_Device_Args *a) {
  a->device = a->buffer->device;
  return TL_OK;
}
tl_status tlp_Buffer_Memory(PJRT_Buffer_Memory_Args *a) {
  a->memory = &a->buffer->device->memory;
  return TL_OK;
}
tl_status tlp_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *a) {
  a->is_on_cpu = true;
  return TL_OK;
}
tl_status tlp_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *a) {
  a->event = &tlp_ready;
  return TL_OK;
}

// The memory's address; it may be asked for while a reference from outside still holds what a
// donation took.
static tl_status address(PJRT_Buffer *b, void **out) {
  pthread_mutex_lock(&b->client->lock);
  *out = b->deleted && b->externals == 0 ? NULL : b->ptr;
  pthread_mutex_unlock(&b->client->lock);
  return *out ? TL_OK
              : TL_ERROR(INVALID_ARGUMENT, "address: the buffer has been deleted or donated");
}
tl_status tlp_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *a) {
  void *ptr;
  TL_TRY(address(a->buffer, &ptr));
  a->buffer_pointer = (uintptr_t)ptr;
  return TL_OK;
}
tl_status
tlp_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *a) {
  return address(a->buffer, &a->device_memory_ptr);
}
