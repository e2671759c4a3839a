#include "ckpt/safetensors.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "ckpt/names.h"

// The reader. A file is
//
//     u64 n | n bytes of JSON, padded with spaces | the tensors' bytes
//     {"__metadata__": {key: text, …}, name: {"dtype": …, "shape": […], "data_offsets": [from,
//     to]}, …}
//
// with offsets counted from the end of the header. Every rule of the format is checked before a
// tensor is handed out: once the sorted extents are seen to cover the data exactly, each pointer
// and size is known to lie within the map.
//
// A file in memory, a single file and a sharded checkpoint take one path: map every shard, parse
// every header, then lay the tensors out in one array with one map of names, where a name that two
// shards share is found out.

#define HEADER_LIMIT ((uint64_t)100000000) // bytes; the format's own limit
#define INDEX_LIMIT ((size_t)64 << 20)
#define METADATA "__metadata__"

static const struct {
  const char *name;
  tl_stored stored;
} dtypes[] = {
    {"F64", TL_STORED_F64},         {"F32", TL_STORED_F32}, {"BF16", TL_STORED_BF16},
    {"F16", TL_STORED_F16},         {"I64", TL_STORED_I64}, {"I32", TL_STORED_I32},
    {"I8", TL_STORED_I8},           {"U8", TL_STORED_U8},   {"BOOL", TL_STORED_BOOL},
    {"F8_E4M3", TL_STORED_F8_E4M3},
};

static bool dtype_of_name(tl_str name, tl_stored *out) {
  for (size_t i = 0; i < TL_COUNT(dtypes); i++)
    if (tl_str_is(name, dtypes[i].name)) {
      *out = dtypes[i].stored;
      return true;
    }
  return false;
}

// One file while it is being opened.
typedef struct shard {
  const char *path; // for messages
  const uint8_t *body;
  size_t body_size;
  json_t *header;
  size_t n_tensors;
} shard;

static tl_status header_read(const uint8_t *data, size_t size, shard *out) {
  uint64_t n = 0;
  if (size < 8)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu bytes are too few for a safetensors file", out->path,
                    size);
  for (size_t i = 0; i < 8; i++)
    n |= (uint64_t)data[i] << (8 * i);
  if (n > HEADER_LIMIT || n > size - 8)
    return TL_ERROR(
        INVALID_ARGUMENT,
        "%s: not a safetensors file, or a truncated one: a header of %llu bytes in a file of %zu",
        out->path, (unsigned long long)n, size);
  tl_str text = {(const char *)data + 8, (size_t)n};
  if (text.len == 0 || text.ptr[0] != '{')
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: not a safetensors file: byte 8 does not begin a JSON object", out->path);
  TL_TRY_NOTE(tl_json_parse(text, out->path, &out->header), "safetensors header");
  out->body = data + 8 + text.len;
  out->body_size = size - 8 - text.len;
  out->n_tensors = json_object_size(out->header) - (json_object_get(out->header, METADATA) != NULL);
  return TL_OK;
}

// A whole number of [0, 2^63); jansson has refused anything larger.
static bool natural(const json_t *v, uint64_t *out) {
  if (!json_is_integer(v) || json_integer_value(v) < 0) return false;
  *out = (uint64_t)json_integer_value(v);
  return true;
}

static tl_status tensor_read(const shard *file, const char *name, const json_t *entry,
                             tl_safetensor *out) {
  static const char *const known[] = {"dtype", "shape", "data_offsets"};
  char where[TL_CKPT_NAME_MAX + 4096];
  snprintf(where, sizeof where, "%s: tensor %s", file->path, name);
  if (!json_is_object(entry))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", where, tl_json_kind(entry));
  TL_TRY(tl_json_only(entry, where, known, TL_COUNT(known)));

  tl_str dtype;
  TL_TRY(tl_json_str(entry, where, "dtype", &dtype));
  if (!dtype_of_name(dtype, &out->dtype))
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: dtype %.40s; known are F64 F32 BF16 F16 I64 I32 I8 U8 BOOL F8_E4M3", where,
                    tl_utf8_valid(dtype) ? dtype.ptr : "?");

  json_t *shape, *offsets;
  TL_TRY(tl_json_array(entry, where, "shape", &shape));
  TL_TRY(tl_json_array(entry, where, "data_offsets", &offsets));
  if (json_array_size(shape) > TL_SAFETENSORS_RANK)
    return TL_ERROR(INVALID_ARGUMENT, "%s: rank %zu, at most %d is read", where,
                    json_array_size(shape), TL_SAFETENSORS_RANK);
  out->rank = (uint32_t)json_array_size(shape);
  uint64_t size = tl_stored_get(out->dtype)->bytes;
  for (uint32_t i = 0; i < out->rank; i++)
    if (!natural(json_array_get(shape, i), &out->dims[i]))
      return TL_ERROR(INVALID_ARGUMENT, "%s: shape[%u]: wanted a whole number, found %s", where, i,
                      tl_json_kind(json_array_get(shape, i)));
  for (uint32_t i = 0; i < out->rank; i++)
    if (!TL_MUL_OK(size, out->dims[i], &size))
      return TL_ERROR(INVALID_ARGUMENT, "%s: its shape needs more bytes than memory can hold",
                      where);

  uint64_t from, to;
  if (json_array_size(offsets) != 2 || !natural(json_array_get(offsets, 0), &from) ||
      !natural(json_array_get(offsets, 1), &to))
    return TL_ERROR(INVALID_ARGUMENT, "%s: data_offsets: wanted two whole numbers", where);
  if (from > to || to > file->body_size)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: data_offsets [%llu, %llu] do not lie within the file's %zu bytes of data",
                    where, (unsigned long long)from, (unsigned long long)to, file->body_size);
  if (to - from != size)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: its dtype and shape need %llu bytes, data_offsets give it %llu", where,
                    (unsigned long long)size, (unsigned long long)(to - from));
  out->data = file->body + from;
  out->size = (size_t)size;
  return TL_OK;
}

// By place; an empty tensor comes before the tensor that starts where it does.
static int by_place(const void *a, const void *b) {
  const tl_safetensor *x = a, *y = b;
  if (x->data != y->data) return x->data < y->data ? -1 : 1;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  return tl_str_cmp(x->name, y->name);
}

static tl_status meta_read(tl_safetensors *s, const shard *file) {
  json_t *meta = json_object_get(file->header, METADATA);
  if (!meta) return TL_OK;
  if (!json_is_object(meta))
    return TL_ERROR(INVALID_ARGUMENT, "%s: " METADATA ": wanted an object, found %s", file->path,
                    tl_json_kind(meta));
  s->meta = TL_NEW(s->arena, tl_safetensors_meta, json_object_size(meta) + 1);
  if (!s->meta) return TL_OOM();
  const char *key;
  json_t *value;
  json_object_foreach(meta, key, value) {
    if (!json_is_string(value))
      return TL_ERROR(INVALID_ARGUMENT, "%s: " METADATA ": wanted strings, found %s", file->path,
                      tl_json_kind(value));
    tl_safetensors_meta *m = &s->meta[s->n_meta++];
    m->key = tl_str_copy(s->arena, tl_str_of(key));
    m->value = tl_str_copy(s->arena, (tl_str){json_string_value(value), json_string_length(value)});
    if (!m->key.ptr || !m->value.ptr) return TL_OOM();
  }
  return TL_OK;
}

static int by_key(const void *a, const void *b) {
  return tl_str_cmp(((const tl_safetensors_meta *)a)->key, ((const tl_safetensors_meta *)b)->key);
}

// Appends the shard's tensors to s->tensors, where there is room for them.
static tl_status shard_read(tl_safetensors *s, uint32_t number, const shard *file) {
  tl_safetensor *first = s->tensors + s->n_tensors;
  size_t n = 0;
  const char *key;
  json_t *entry;
  json_object_foreach(file->header, key, entry) {
    if (strcmp(key, METADATA) == 0) continue;
    if (!tl_ckpt_name_ok(tl_str_of(key)))
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: a tensor's name is empty, over %d bytes or has control characters",
                      file->path, TL_CKPT_NAME_MAX);
    tl_safetensor *t = &first[n];
    TL_TRY(tensor_read(file, key, entry, t));
    t->shard = number;
    t->name = tl_str_copy(s->arena, tl_str_of(key));
    if (!t->name.ptr) return TL_OOM();
    n++;
  }
  if (n > 1) qsort(first, n, sizeof *first, by_place);
  size_t at = 0;
  for (size_t i = 0; i < n; at += first[i++].size) {
    size_t from = (size_t)(first[i].data - file->body);
    if (from < at)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensors %s and %s overlap at byte %zu of the data",
                      file->path, first[i - 1].name.ptr, first[i].name.ptr, from);
    if (from > at)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: bytes %zu to %zu of the data, before tensor %s, belong to no tensor",
                      file->path, at, from, first[i].name.ptr);
  }
  if (at != file->body_size)
    return TL_ERROR(INVALID_ARGUMENT, "%s: the last %zu bytes belong to no tensor", file->path,
                    file->body_size - at);
  for (size_t i = 0; i < n; i++) {
    uint64_t other;
    if (tl_map_get(&s->by_name, first[i].name, &other))
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s is also in %s", file->path,
                      first[i].name.ptr, s->paths[s->tensors[other].shard]);
    if (!tl_map_put(&s->by_name, first[i].name, s->n_tensors++)) return TL_OOM();
  }
  return TL_OK;
}

// Everything after the shards' bytes are at hand. Consumes the headers, also on failure.
static tl_status shards_read(tl_safetensors *s, shard *files, size_t n_files) {
  tl_status st = TL_OK;
  size_t total = 0;
  for (size_t i = 0; i < n_files; i++)
    total += files[i].n_tensors; // each took bytes of a file: no overflow
  s->tensors = TL_NEW(s->arena, tl_safetensor, total + 1);
  if (!s->tensors || !tl_map_reserve(&s->by_name, total)) st = TL_OOM();
  for (size_t i = 0; i < n_files && !st; i++)
    st = shard_read(s, (uint32_t)i, &files[i]);
  if (!st && n_files == 1) {
    st = meta_read(s, &files[0]);
    if (s->n_meta > 1) qsort(s->meta, s->n_meta, sizeof *s->meta, by_key);
  }
  for (size_t i = 0; i < n_files; i++)
    json_decref(files[i].header);
  return st;
}

static tl_safetensors *new_reader(size_t n_shards) {
  tl_arena *arena = tl_arena_create();
  if (!arena) return NULL;
  tl_safetensors *s = TL_NEW(arena, tl_safetensors, 1);
  tl_file_map *maps = TL_NEW(arena, tl_file_map, n_shards + 1);
  const char **paths = TL_NEW(arena, const char *, n_shards + 1);
  if (!s || !maps || !paths) {
    tl_arena_destroy(arena);
    return NULL;
  }
  *s = (tl_safetensors){.arena = arena, .maps = maps, .paths = paths, .n_shards = n_shards};
  return s;
}

void tl_safetensors_destroy(tl_safetensors *s) {
  if (!s) return;
  for (size_t i = 0; i < s->n_shards; i++)
    tl_file_map_close(&s->maps[i]);
  tl_map_deinit(&s->by_name);
  tl_arena_destroy(s->arena);
}

// Opens s->paths[0..n_shards), or, when `bytes` is given, reads the one shard from there.
static tl_status open_all(tl_safetensors *s, const void *bytes, size_t size, tl_safetensors **out) {
  tl_status st = TL_OK;
  shard *files = TL_NEW(s->arena, shard, s->n_shards + 1);
  size_t n_open = 0;
  if (!files) TL_TRY_GOTO(failed, st, TL_OOM());
  for (; n_open < s->n_shards; n_open++) {
    files[n_open].path = s->paths[n_open];
    if (bytes) {
      TL_TRY_GOTO(failed, st, header_read(bytes, size, &files[n_open]));
    } else {
      tl_file_map *map = &s->maps[n_open];
      TL_TRY_GOTO(failed, st, tl_file_map_open(s->paths[n_open], map));
      TL_TRY_GOTO(failed, st, header_read(map->data, map->size, &files[n_open]));
    }
  }
  st = shards_read(s, files, s->n_shards);
  n_open = 0; // the headers are gone
failed:
  for (size_t i = 0; i < n_open; i++)
    json_decref(files[i].header);
  if (st)
    tl_safetensors_destroy(s);
  else
    *out = s;
  return st;
}

static tl_status open_one(const char *path, const void *bytes, size_t size, tl_safetensors **out) {
  tl_safetensors *s = new_reader(1);
  if (!s) return TL_OOM();
  s->paths[0] = tl_arena_printf(s->arena, "%s", path);
  if (!s->paths[0]) {
    tl_safetensors_destroy(s);
    return TL_OOM();
  }
  return open_all(s, bytes, size, out);
}

tl_status tl_safetensors_open(const char *path, tl_safetensors **out_file) {
  return open_one(path, NULL, 0, out_file);
}

tl_status tl_safetensors_parse(const void *bytes, size_t size, const char *name,
                               tl_safetensors **out_file) {
  return open_one(name, bytes ? bytes : "", size, out_file);
}

const tl_safetensor *tl_safetensors_find(const tl_safetensors *s, tl_str name) {
  uint64_t i;
  return tl_map_get(&s->by_name, name, &i) ? &s->tensors[i] : NULL;
}

// ---- shards

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Every name of the index is in its shard, and every tensor of a shard in the index.
static tl_status index_check(const tl_safetensors *s, const char *path, const json_t *weight_map) {
  const char *key;
  json_t *file;
  json_object_foreach((json_t *)weight_map, key, file) {
    const tl_safetensor *t = tl_safetensors_find(s, tl_str_of(key));
    if (!t)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s should be in %s and is not", path, key,
                      json_string_value(file));
    const char *found = tl_path_base(s->paths[t->shard]),
               *wanted = tl_path_base(json_string_value(file));
    if (strcmp(found, wanted) != 0)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s should be in %s and is in %s", path, key,
                      wanted, found);
  }
  for (size_t i = 0; i < s->n_tensors; i++)
    if (!json_object_get(weight_map, s->tensors[i].name.ptr))
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s of %s is not in the index", path,
                      s->tensors[i].name.ptr, s->paths[s->tensors[i].shard]);
  return TL_OK;
}

// The shards' names, each once and sorted, borrowed from weight_map. All are file names beside the
// index: real checkpoints have no folders, and two paths with one base name would be confused
// above.
static tl_status index_shards(const char *path, const json_t *weight_map, const char **names,
                              size_t *out_n) {
  size_t n = 0;
  const char *key;
  json_t *file;
  json_object_foreach((json_t *)weight_map, key, file) {
    if (!tl_ckpt_name_ok(tl_str_of(key)))
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: weight_map: a name is empty, over %d bytes or has control characters",
                      path, TL_CKPT_NAME_MAX);
    if (!json_is_string(file))
      return TL_ERROR(INVALID_ARGUMENT, "%s: weight_map: %s: wanted a file name, found %s", path,
                      key, tl_json_kind(file));
    tl_str name = {json_string_value(file), json_string_length(file)};
    if (!tl_ckpt_name_ok(name) || !tl_path_is_safe_relative(name) || strchr(name.ptr, '/'))
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: weight_map: %s: its file is not a plain file name beside the index",
                      path, key);
    names[n++] = name.ptr;
  }
  if (n > 1) qsort(names, n, sizeof *names, by_text);
  size_t unique = 0;
  for (size_t i = 0; i < n; i++)
    if (unique == 0 || strcmp(names[unique - 1], names[i]) != 0) names[unique++] = names[i];
  *out_n = unique;
  return TL_OK;
}

static tl_status open_index(tl_arena *scratch, const char *dir, const char *path,
                            const json_t *index, tl_safetensors **out_files) {
  static const char *const known[] = {"metadata", "weight_map"};
  if (!json_is_object(index))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", path, tl_json_kind(index));
  TL_TRY(tl_json_only(index, path, known, TL_COUNT(known)));
  json_t *weight_map;
  TL_TRY(tl_json_object(index, path, "weight_map", &weight_map));
  size_t n_shards = json_object_size(weight_map);
  if (n_shards == 0) return TL_ERROR(INVALID_ARGUMENT, "%s: weight_map names no tensor", path);
  const char **names = TL_NEW(scratch, const char *, n_shards);
  if (!names) return TL_OOM();
  TL_TRY(index_shards(path, weight_map, names, &n_shards));

  tl_safetensors *s = new_reader(n_shards);
  if (!s) return TL_OOM();
  for (size_t i = 0; i < n_shards; i++)
    if (!(s->paths[i] = tl_path_join(s->arena, dir, names[i]))) {
      tl_safetensors_destroy(s);
      return TL_OOM();
    }
  TL_TRY(open_all(s, NULL, 0, &s));
  tl_status st = index_check(s, path, weight_map);
  if (st)
    tl_safetensors_destroy(s);
  else
    *out_files = s;
  return st;
}

tl_status tl_safetensors_open_dir(const char *dir, tl_safetensors **out_files) {
  tl_status st = TL_OK;
  json_t *index = NULL;
  tl_arena *scratch = tl_arena_create();
  if (!scratch) return TL_OOM();
  const char *single = tl_path_join(scratch, dir, TL_SAFETENSORS_FILE);
  const char *path = tl_path_join(scratch, dir, TL_SAFETENSORS_INDEX);
  if (!single || !path) TL_TRY_GOTO(done, st, TL_OOM());
  if (tl_path_exists(single)) {
    st = tl_safetensors_open(single, out_files);
  } else if (tl_path_exists(path)) {
    TL_TRY_GOTO(done, st, tl_json_read(path, INDEX_LIMIT, &index));
    st = open_index(scratch, dir, path, index, out_files);
  } else {
    st = TL_ERROR(NOT_FOUND, "%s: neither " TL_SAFETENSORS_FILE " nor " TL_SAFETENSORS_INDEX, dir);
  }
done:
  json_decref(index);
  tl_arena_destroy(scratch);
  return st;
}
