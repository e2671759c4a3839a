#include "ckpt/safetensors.h"

#include <stdlib.h>

#include "base/json.h"
#include "ckpt/names.h"

// The writer: the same tensors in any order give the same bytes. Tensors are laid out by descending
// element width, then by name, so that every one is aligned to its width; the header is padded so
// that the data begins at a multiple of 8.

#define FILE_LIMIT ((uint64_t)INT32_MAX) // bytes; readers that count in 32 bits exist

// The dtypes we write, and the name of each.
static const char *written_name(tl_stored dtype) {
  switch (dtype) {
  case TL_STORED_F64:
    return "F64";
  case TL_STORED_F32:
    return "F32";
  case TL_STORED_BF16:
    return "BF16";
  case TL_STORED_I32:
    return "I32";
  default:
    return NULL;
  }
}

static tl_status item_check(const tl_safetensors_item *t) {
  if (!tl_ckpt_name_ok(t->name))
    return TL_ERROR(
        INVALID_ARGUMENT,
        "safetensors: a tensor's name is empty, over %d bytes or has control characters",
        TL_CKPT_NAME_MAX);
  if (tl_str_is(t->name, "__metadata__"))
    return TL_ERROR(INVALID_ARGUMENT, "safetensors: no tensor may be called __metadata__");
  if (!written_name(t->dtype))
    return TL_ERROR(INVALID_ARGUMENT,
                    "safetensors: " TL_STR_FMT ": %s is not written; F64 F32 BF16 I32 are",
                    TL_STR_ARG(t->name), tl_stored_get(t->dtype)->name);
  if (t->rank > TL_SAFETENSORS_RANK)
    return TL_ERROR(INVALID_ARGUMENT, "safetensors: " TL_STR_FMT ": rank %u, at most %d is written",
                    TL_STR_ARG(t->name), t->rank, TL_SAFETENSORS_RANK);
  uint64_t size = tl_stored_get(t->dtype)->bytes;
  bool fits = true;
  for (uint32_t i = 0; i < t->rank; i++)
    fits = fits && TL_MUL_OK(size, t->dims[i], &size);
  if (!fits || size != t->size)
    return TL_ERROR(INVALID_ARGUMENT,
                    "safetensors: " TL_STR_FMT
                    ": its dims need another size than the %zu bytes given",
                    TL_STR_ARG(t->name), t->size);
  return TL_OK;
}

static int by_width_then_name(const void *a, const void *b) {
  const tl_safetensors_item *x = *(const tl_safetensors_item *const *)a,
                            *y = *(const tl_safetensors_item *const *)b;
  uint32_t wx = tl_stored_get(x->dtype)->bytes, wy = tl_stored_get(y->dtype)->bytes;
  if (wx != wy) return wx > wy ? -1 : 1;
  return tl_str_cmp(x->name, y->name);
}

static int by_key(const void *a, const void *b) {
  return tl_str_cmp((*(const tl_safetensors_meta *const *)a)->key,
                    (*(const tl_safetensors_meta *const *)b)->key);
}

static tl_status write_meta(tl_arena *scratch, const tl_safetensors_meta *meta, size_t n_meta,
                            tl_buf *out) {
  const tl_safetensors_meta **sorted = TL_NEW(scratch, const tl_safetensors_meta *, n_meta + 1);
  if (!sorted) return TL_OOM();
  for (size_t i = 0; i < n_meta; i++) {
    if (!tl_utf8_valid(meta[i].key) || !tl_utf8_valid(meta[i].value))
      return TL_ERROR(INVALID_ARGUMENT, "safetensors: metadata must be UTF-8");
    sorted[i] = &meta[i];
  }
  if (n_meta > 1) qsort(sorted, n_meta, sizeof(*sorted), by_key);
  tl_buf_cstr(out, "\"__metadata__\":{");
  for (size_t i = 0; i < n_meta; i++) {
    if (i > 0 && tl_str_eq(sorted[i - 1]->key, sorted[i]->key))
      return TL_ERROR(INVALID_ARGUMENT, "safetensors: two metadata values for " TL_STR_FMT,
                      TL_STR_ARG(sorted[i]->key));
    if (i > 0) tl_buf_char(out, ',');
    tl_json_quote(out, sorted[i]->key);
    tl_buf_char(out, ':');
    tl_json_quote(out, sorted[i]->value);
  }
  tl_buf_char(out, '}');
  return TL_OK;
}

static void write_entry(const tl_safetensors_item *t, uint64_t from, tl_buf *out) {
  tl_json_quote(out, t->name);
  tl_buf_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", written_name(t->dtype));
  for (uint32_t i = 0; i < t->rank; i++)
    tl_buf_printf(out, i ? ",%llu" : "%llu", (unsigned long long)t->dims[i]);
  tl_buf_printf(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)from,
                (unsigned long long)(from + t->size));
}

tl_status tl_safetensors_format(const tl_safetensors_item *items, size_t n_items,
                                const tl_safetensors_meta *meta, size_t n_meta, tl_buf *out_bytes) {
  tl_status st = TL_OK;
  size_t start = out_bytes->len;
  tl_arena *scratch = tl_arena_create();
  const tl_safetensors_item **sorted =
      scratch ? TL_NEW(scratch, const tl_safetensors_item *, n_items + 1) : NULL;
  if (!sorted) TL_TRY_GOTO(done, st, TL_OOM());
  for (size_t i = 0; i < n_items; i++) {
    TL_TRY_GOTO(done, st, item_check(&items[i]));
    sorted[i] = &items[i];
  }
  if (n_items > 1) qsort(sorted, n_items, sizeof(*sorted), by_width_then_name);

  tl_buf_add(out_bytes, "\0\0\0\0\0\0\0\0{", 9);
  if (n_meta > 0) TL_TRY_GOTO(done, st, write_meta(scratch, meta, n_meta, out_bytes));
  uint64_t at = 0;
  tl_map names = {0};
  for (size_t i = 0; i < n_items && !st; i++) {
    if (tl_map_get(&names, sorted[i]->name, NULL))
      st = TL_ERROR(INVALID_ARGUMENT, "safetensors: two tensors called " TL_STR_FMT,
                    TL_STR_ARG(sorted[i]->name));
    else if (!tl_map_put(&names, sorted[i]->name, i))
      st = TL_OOM();
    else if (sorted[i]->size > FILE_LIMIT || at + sorted[i]->size > FILE_LIMIT)
      st = TL_ERROR(INVALID_ARGUMENT, "safetensors: more than %llu bytes in one file; write shards",
                    (unsigned long long)FILE_LIMIT);
    if (st) break;
    if (i > 0 || n_meta > 0) tl_buf_char(out_bytes, ',');
    write_entry(sorted[i], at, out_bytes);
    at += sorted[i]->size;
  }
  tl_map_deinit(&names);
  if (st) goto done;
  tl_buf_char(out_bytes, '}');
  while ((out_bytes->len - start) % 8 != 0 && !out_bytes->oom)
    tl_buf_char(out_bytes, ' ');
  uint64_t header = out_bytes->len - start - 8;
  if (!out_bytes->oom && 8 + header + at > FILE_LIMIT)
    TL_TRY_GOTO(done, st,
                TL_ERROR(INVALID_ARGUMENT,
                         "safetensors: more than %llu bytes in one file; write shards",
                         (unsigned long long)FILE_LIMIT));
  if (!out_bytes->oom)
    for (size_t i = 0; i < 8; i++)
      out_bytes->ptr[start + i] = (char)(header >> (8 * i));
  tl_buf_reserve(out_bytes, (size_t)at);
  for (size_t i = 0; i < n_items; i++)
    tl_buf_add(out_bytes, sorted[i]->data, sorted[i]->size);
  if (out_bytes->oom) st = TL_OOM();
done:
  tl_arena_destroy(scratch);
  return st;
}

tl_status tl_safetensors_write(const char *path, const tl_safetensors_item *items, size_t n_items,
                               const tl_safetensors_meta *meta, size_t n_meta) {
  tl_buf bytes = {0};
  tl_status st = tl_safetensors_format(items, n_items, meta, n_meta, &bytes);
  if (!st) st = tl_file_write(path, bytes.ptr, bytes.len);
  tl_buf_deinit(&bytes);
  return tl_status_note(st, "%s", path);
}
