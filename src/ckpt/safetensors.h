// safetensors: a JSON header that names tensors, then their bytes. One file, or the shards that
// model.safetensors.index.json lists. Read strictly and mapped, never copied; written
// deterministically.
//
// A file is accepted only when its header is strict JSON without duplicate keys, every entry has
// exactly dtype, shape and data_offsets, every size is the product of its dims and width, and the
// tensors cover the data without gap or overlap. F32 F64 BF16 F16 I8 U8 I32 I64 BOOL F8_E4M3 are
// known; any other dtype is refused by name.
#ifndef TL_CKPT_SAFETENSORS_H
#define TL_CKPT_SAFETENSORS_H

#include "base/file.h"
#include "base/map.h"
#include "ckpt/stored.h"

#define TL_SAFETENSORS_RANK 8
#define TL_SAFETENSORS_FILE "model.safetensors"
#define TL_SAFETENSORS_INDEX "model.safetensors.index.json"

typedef struct tl_safetensor {
  tl_str name; // terminated
  tl_stored dtype;
  uint32_t rank;
  uint32_t shard;                     // which file it lies in
  uint64_t dims[TL_SAFETENSORS_RANK]; // row-major; rank 0 is a scalar
  const uint8_t *data;                // any alignment
  size_t size;                        // bytes
} tl_safetensor;

typedef struct tl_safetensors_meta { // one string of "__metadata__"
  tl_str key, value;
} tl_safetensors_meta;

typedef struct tl_safetensors { // immutable after open
  tl_arena *arena;
  tl_file_map *maps;  // [n_shards]
  const char **paths; // [n_shards], for messages
  size_t n_shards;
  tl_safetensor *tensors; // by shard, then by offset
  size_t n_tensors;
  tl_safetensors_meta *meta; // sorted by key; of a single file only
  size_t n_meta;
  tl_map by_name; // name to index in tensors
} tl_safetensors;

// One file. NOT_FOUND when it is absent, INVALID_ARGUMENT naming file and tensor when it is
// damaged.
tl_status tl_safetensors_open(const char *path, tl_safetensors **out_file);
// A directory: model.safetensors where it exists, else the shards of model.safetensors.index.json.
// Every tensor must be in the shard that the index names, and every tensor of a shard in the index.
tl_status tl_safetensors_open_dir(const char *dir, tl_safetensors **out_files);
// The same from memory, which is borrowed and must outlive the result; `name` is for messages.
tl_status tl_safetensors_parse(const void *bytes, size_t size, const char *name,
                               tl_safetensors **out_file);
void tl_safetensors_destroy(tl_safetensors *s); // NULL is allowed
const tl_safetensor *tl_safetensors_find(const tl_safetensors *s,
                                         tl_str name); // NULL when absent; borrowed from s

// What the writer takes: F32, F64, BF16 and I32 alone; other dtypes are refused by name, and so are
// duplicate names, the name "__metadata__", sizes that disagree with dims, and a file over 2^31-1
// bytes. Names and metadata must be UTF-8. The same items in any order give the same bytes: tensors
// by descending width, then name; metadata by key; the header is padded with spaces to a multiple
// of 8.
typedef struct tl_safetensors_item {
  tl_str name;
  tl_stored dtype;
  uint32_t rank;
  const uint64_t *dims; // [rank]
  const void *data;
  size_t size;
} tl_safetensors_item;

tl_status tl_safetensors_format(const tl_safetensors_item *items, size_t n_items,
                                const tl_safetensors_meta *meta, size_t n_meta,
                                tl_buf *out_bytes); // appends to an empty buffer
tl_status tl_safetensors_write(const char *path, const tl_safetensors_item *items, size_t n_items,
                               const tl_safetensors_meta *meta,
                               size_t n_meta); // whole or not at all

#endif
