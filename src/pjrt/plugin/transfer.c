// Between the host and the device, which are the same memory: copies of strided arrays, and host
// memory used in place.
#include "pjrt/plugin/internal.h"

// ---- copying ----

// The strides of an array without elements may be beyond any integer; they wrap and are never used.
static int64_t grow(int64_t stride, int64_t dim) {
  int64_t wrapped;
  (void)__builtin_mul_overflow(stride, dim, &wrapped);
  return wrapped;
}

// Strides of a dense array whose dimensions lie in memory in the given order, innermost first.
static void strides_of_order(const int64_t *dims, const int64_t *minor_to_major, size_t rank,
                             size_t element, int64_t *out) {
  int64_t stride = (int64_t)element;
  for (size_t i = 0; i < rank; i++) {
    out[minor_to_major[i]] = stride;
    stride = grow(stride, dims[minor_to_major[i]]);
  }
}

static void dense_strides(const int64_t *dims, size_t rank, size_t element, int64_t *out) {
  int64_t stride = (int64_t)element;
  for (size_t i = rank; i-- > 0;) {
    out[i] = stride;
    stride = grow(stride, dims[i]);
  }
}

// True when the strides are those of a dense array. Dimensions of one element have no stride that
// matters.
static bool is_dense(const int64_t *dims, const int64_t *strides, size_t rank, size_t element) {
  int64_t stride = (int64_t)element;
  for (size_t i = rank; i-- > 0;) {
    if (dims[i] != 1 && strides[i] != stride) return false;
    stride = grow(stride, dims[i]);
  }
  return true;
}

static void copy_row(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n,
                     size_t element) {
#define COPY_AS(type)             \
  for (int64_t i = 0; i < n; i++) \
  memcpy(to + i * to_stride, from + i * from_stride, sizeof(type))
  if (to_stride == (int64_t)element && from_stride == (int64_t)element) {
    memcpy(to, from, (size_t)n * element);
    return;
  }
  switch (element) {
  case 1:
    COPY_AS(uint8_t);
    break;
  case 2:
    COPY_AS(uint16_t);
    break;
  case 4:
    COPY_AS(uint32_t);
    break;
  case 8:
    COPY_AS(uint64_t);
    break;
  default:
    for (int64_t i = 0; i < n; i++) // the widest element we have
      memcpy(to + i * to_stride, from + i * from_stride, 16);
  }
#undef COPY_AS
}

void tlp_copy_strided(char *to, const int64_t *to_strides, const char *from,
                      const int64_t *from_strides, const int64_t *dims, size_t rank,
                      size_t element) {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++)
    count *= (size_t)dims[i];
  if (count == 0) return;
  if (is_dense(dims, to_strides, rank, element) && is_dense(dims, from_strides, rank, element)) {
    memcpy(to, from, count * element);
    return;
  }
  // Rank 0 is dense, so there is a last dimension; the others are counted through like an odometer.
  int64_t at[TL_MAX_RANK] = {0};
  size_t last = rank - 1;
  for (;;) {
    copy_row(to, to_strides[last], from, from_strides[last], dims[last], element);
    size_t i = last;
    for (; i-- > 0;) {
      to += to_strides[i];
      from += from_strides[i];
      if (++at[i] < dims[i]) break;
      to -= to_strides[i] * dims[i];
      from -= from_strides[i] * dims[i];
      at[i] = 0;
    }
    if (i == SIZE_MAX) return;
  }
}

// A layout's strides. `what` is for messages.
static tl_status read_layout(const PJRT_Buffer_MemoryLayout *layout, const int64_t *dims,
                             size_t rank, size_t element, const char *what, int64_t *out) {
  dense_strides(dims, rank, element, out);
  if (layout == NULL) return TL_OK;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout->strides.num_byte_strides != rank)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %zu strides for %zu dimensions", what,
                      layout->strides.num_byte_strides, rank);
    if (rank) memcpy(out, layout->strides.byte_strides, rank * sizeof *out);
    return TL_OK;
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles != 0)
    return TL_ERROR(UNIMPLEMENTED, "%s: layouts with tiles are not supported", what);
  if (layout->tiled.minor_to_major_size != rank)
    return TL_ERROR(INVALID_ARGUMENT, "%s: a layout of %zu dimensions for an array of %zu", what,
                    layout->tiled.minor_to_major_size, rank);
  uint32_t seen = 0;
  for (size_t i = 0; i < rank; i++) {
    int64_t d = layout->tiled.minor_to_major[i];
    if (d < 0 || (size_t)d >= rank || (seen & (1u << d)))
      return TL_ERROR(INVALID_ARGUMENT, "%s: the layout is no permutation of the dimensions", what);
    seen |= 1u << d;
  }
  strides_of_order(dims, layout->tiled.minor_to_major, rank, element, out);
  return TL_OK;
}

// ---- to the device ----

// Where a buffer goes: the memory's device, or the device, or the client's first.
static tl_status find_place(const PJRT_Client *c, PJRT_Device *device, PJRT_Memory *memory,
                            PJRT_Device **out) {
  *out = memory ? memory->device : device ? device : c->devices[0];
  if ((device && device->client != c) || (memory && memory->device->client != c))
    return TL_ERROR(INVALID_ARGUMENT, "buffer: the device or memory belongs to another client");
  return TL_OK;
}

// The device keeps everything dense: any other layout asked for is refused rather than ignored.
static tl_status check_device_layout(const PJRT_Buffer *b, const PJRT_Buffer_MemoryLayout *layout) {
  int64_t strides[TL_MAX_RANK];
  size_t element = tl_dtype_get(b->dtype)->size;
  TL_TRY(read_layout(layout, b->dims, b->rank, element, "device layout", strides));
  if (is_dense(b->dims, strides, b->rank, element)) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED, "device layout: only dense, last dimension innermost");
}

static tl_status dtype_of(PJRT_Buffer_Type type, tl_dtype *out) {
  if (tl_dtype_of_pjrt((uint32_t)type, out)) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED, "buffer: element type %d is not supported", (int)type);
}

// A new handle with its type, no memory yet. Gives it up again on failure.
static tl_status make(PJRT_Device *d, PJRT_Buffer_Type type, const int64_t *dims, size_t n_dims,
                      PJRT_Buffer **out) {
  tl_dtype dtype;
  TL_TRY(dtype_of(type, &dtype));
  pthread_mutex_lock(&d->client->lock);
  PJRT_Buffer *b = tlp_buffer_take(d);
  pthread_mutex_unlock(&d->client->lock);
  if (b == NULL) return TL_OOM();
  tl_status st = tlp_buffer_set_type(b, dtype, dims, n_dims);
  if (st == TL_OK)
    *out = b;
  else
    tlp_Buffer_Destroy(&(PJRT_Buffer_Destroy_Args){.buffer = b});
  return st;
}

static tl_status alloc(PJRT_Buffer *b) {
  pthread_mutex_lock(&b->client->lock);
  bool ok = tlp_buffer_alloc(b);
  pthread_mutex_unlock(&b->client->lock);
  return ok ? TL_OK
            : TL_ERROR(RESOURCE_EXHAUSTED, "out of memory for a buffer of %zu bytes", b->size);
}

static tl_status fill(PJRT_Buffer *b, PJRT_Client_BufferFromHostBuffer_Args *a) {
  size_t element = tl_dtype_get(b->dtype)->size;
  int64_t dense[TL_MAX_RANK], given[TL_MAX_RANK];
  TL_TRY(check_device_layout(b, a->device_layout));
  dense_strides(b->dims, b->rank, element, dense);
  dense_strides(b->dims, b->rank, element, given);
  if (a->num_byte_strides) {
    if (a->num_byte_strides != b->rank)
      return TL_ERROR(INVALID_ARGUMENT, "buffer from host: %zu strides for %u dimensions",
                      a->num_byte_strides, b->rank);
    memcpy(given, a->byte_strides, b->rank * sizeof *given);
  }
  if (a->data == NULL && b->size) return TL_ERROR(INVALID_ARGUMENT, "buffer from host: no data");
  const bool narrow = tl_dtype_get(b->dtype)->bits < 8 && b->dtype != TL_DTYPE_I1;
  bool in_place = (a->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                   a->host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy) &&
                  b->size && !narrow && (uintptr_t)a->data % TL_HEAP_ALIGN == 0 &&
                  is_dense(b->dims, given, b->rank, element);
  if (in_place) {
    PJRT_Event *lease = tlp_lease_create();
    if (lease == NULL) return TL_OOM();
    b->ptr = (void *)(uintptr_t)a->data; // no other thread knows the buffer yet
    b->lease = lease;
    b->read_only = a->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy;
    a->done_with_host_buffer = lease;
    return TL_OK;
  }
  TL_TRY(alloc(b));
  if (b->size) tlp_copy_strided(b->ptr, dense, a->data, given, b->dims, b->rank, element);
  if (narrow) tl_dtype_extend(b->dtype, b->ptr, b->size); // the host may have left anything there
  a->done_with_host_buffer = &tlp_ready;
  return TL_OK;
}

tl_status tlp_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *a) {
  PJRT_Device *place;
  TL_TRY(find_place(a->client, a->device, a->memory, &place));
  PJRT_Buffer *b;
  TL_TRY(make(place, a->type, a->dims, a->num_dims, &b));
  tl_status st = fill(b, a);
  if (st == TL_OK)
    a->buffer = b;
  else
    tlp_Buffer_Destroy(&(PJRT_Buffer_Destroy_Args){.buffer = b});
  return st;
}

tl_status tlp_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args *a) {
  PJRT_Device *place;
  TL_TRY(find_place(a->client, a->device, a->memory, &place));
  PJRT_Buffer *b;
  TL_TRY(make(place, a->shape_element_type, a->shape_dims, a->shape_num_dims, &b));
  tl_status st = check_device_layout(b, a->shape_layout);
  if (st == TL_OK) st = alloc(b);
  if (st == TL_OK)
    a->buffer = b;
  else
    tlp_Buffer_Destroy(&(PJRT_Buffer_Destroy_Args){.buffer = b});
  return st;
}

// ---- from the device, and within it ----

tl_status tlp_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *a) {
  PJRT_Buffer *b = a->src;
  size_t element = tl_dtype_get(b->dtype)->size;
  int64_t dense[TL_MAX_RANK], wanted[TL_MAX_RANK];
  dense_strides(b->dims, b->rank, element, dense);
  TL_TRY(read_layout(a->host_layout, b->dims, b->rank, element, "host layout", wanted));
  if (a->dst == NULL) { // a question for the size
    a->dst_size = b->size;
    return TL_OK;
  }
  if (a->dst_size < b->size)
    return TL_ERROR(INVALID_ARGUMENT, "buffer to host: room for %zu bytes, wanted %zu", a->dst_size,
                    b->size);
  TL_TRY(tlp_buffer_use(b, "buffer to host"));
  tlp_copy_strided(a->dst, wanted, b->ptr, dense, b->dims, b->rank, element);
  tlp_buffer_unuse(b);
  a->event = &tlp_ready;
  return TL_OK;
}

static tl_status copy_buffer(PJRT_Buffer *from, PJRT_Device *to, PJRT_Buffer **out) {
  if (from->client != to->client)
    return TL_ERROR(INVALID_ARGUMENT, "copy: the destination belongs to another client");
  PJRT_Buffer *b;
  TL_TRY(make(to, (PJRT_Buffer_Type)tl_dtype_get(from->dtype)->pjrt, from->dims, from->rank, &b));
  tl_status st = alloc(b);
  if (st == TL_OK) st = tlp_buffer_use(from, "copy");
  if (st == TL_OK) {
    memcpy(b->ptr, from->ptr, from->size);
    tlp_buffer_unuse(from);
    *out = b;
  } else {
    tlp_Buffer_Destroy(&(PJRT_Buffer_Destroy_Args){.buffer = b});
  }
  return st;
}

tl_status tlp_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *a) {
  return copy_buffer(a->buffer, a->dst_device, &a->dst_buffer);
}
tl_status tlp_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *a) {
  return copy_buffer(a->buffer, a->dst_memory->device, &a->dst_buffer);
}
